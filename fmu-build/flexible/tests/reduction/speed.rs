//! A large block: what a reduction of 100 000 unknowns takes.

use fixstep::math::Vec3;
use flexible_bodies::reduce::{Interface, NormalModes, Options, Reference, reduce};

use super::brick::{block, end};

/// Peak memory of this process \[MiB\], where the system tells it.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

#[test]
#[ignore = "a minute and gigabytes; cargo test --release -p flexible-bodies -- --ignored --nocapture"]
fn a_hundred_thousand_unknowns_take_minutes_and_bounded_memory() {
    // 31 × 31 × 35 nodes: as compact as solids get, which fill factors most.
    let model = block([0.34, 0.3, 0.3], [34, 30, 30]);
    assert!(model.unknowns.len() > 100_000);
    let spider = |name: &str, x: f64| Interface {
        name: name.to_owned(),
        at: Reference::Spider {
            point: Vec3::x() * x,
            nodes: end(&model, x),
        },
    };
    let options = Options {
        interfaces: vec![spider("left", 0.0), spider("right", 0.34)],
        normal_modes: NormalModes::Count(30),
        ..Options::default()
    };
    let began = std::time::Instant::now();
    let mut stage = String::new();
    let mut entered = began;
    let mut stages = Vec::new();
    let (body, report) = reduce(&model, &options, &mut |name, _| {
        if name != stage {
            stages.push((
                std::mem::replace(&mut stage, name.to_owned()),
                entered.elapsed(),
            ));
            entered = std::time::Instant::now();
        }
    })
    .unwrap();
    stages.push((stage, entered.elapsed()));
    let (seconds, peak) = (began.elapsed().as_secs_f64(), peak());
    let told = format!(
        "{} unknowns, {} modes, {} numbers in the factor: {seconds:.1} s, peak {peak:?} MiB, {stages:?}",
        report.unknowns,
        body.modes.len(),
        report.fill
    );
    assert_eq!(body.modes.len(), 36);
    assert!(
        seconds < 300.0 && peak.is_none_or(|peak| peak < 3000.0),
        "{told}"
    );
    std::fs::write(
        std::env::temp_dir().join("fixstep-reduction-speed.txt"),
        told,
    )
    .unwrap();
}
