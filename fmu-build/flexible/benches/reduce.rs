//! What a reduction of 100 000 unknowns takes: `cargo bench -p flexible-bodies --bench reduce`. A minute and
//! gigabytes.

#![expect(clippy::print_stdout, reason = "this program prints its figures")]

#[path = "../tests/reduction/brick.rs"]
mod brick;

use brick::{block, end};
use fixstep_kernel::math::Vec3;
use flexible_bodies::reduce::{Interface, NormalModes, Options, Reference, reduce};
use std::time::Instant;

/// Peak memory of this process \[MiB\], where the system tells it.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn main() {
    // 31 × 31 × 35 nodes: as compact as solids get, which fill factors most.
    let model = block([0.34, 0.3, 0.3], [34, 30, 30]);
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
    let began = Instant::now();
    let (mut stage, mut entered) = (String::new(), began);
    let done = reduce(&model, &options, &mut |name, _| {
        if name != stage {
            println!("{:8.1} s  {stage}", entered.elapsed().as_secs_f64());
            (stage, entered) = (name.to_owned(), Instant::now());
        }
    });
    match done {
        Ok((body, report)) => println!(
            "{} unknowns, {} modes, {} numbers in the factor: {:.1} s, peak {:.0} MiB",
            report.unknowns,
            body.modes.len(),
            report.fill,
            began.elapsed().as_secs_f64(),
            peak().unwrap_or(f64::NAN)
        ),
        Err(problem) => println!("{problem}"),
    }
}
