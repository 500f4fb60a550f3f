//! Tests of `fixstep response` with a single frequency, and with many responses at once.

use std::fs;

use fixstep_kernel::math;
use serde_json::{Value, json};

use crate::response::{model, near, number, response};
use crate::row::{Link, row as masses};
use crate::setup::{ends_with, path, succeeds};

/// H at the natural frequency is 1/(i c w), and the density its square times that of the force.
#[test]
fn a_single_frequency_may_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let natural = 20.0 / std::f64::consts::TAU;
    for words in [
        format!("--by force --show z --at-frequency {natural}"),
        format!("--by force --show z --from {natural} --to {natural}"),
    ] {
        let found = response(&file, &words);
        assert_eq!(found["frequencies"].as_array().unwrap().len(), 1);
        near(number(&found["responses"][0]["im"][0]), -1.0 / 160.0, 1e-9);
    }
    let found = response(
        &file,
        &format!("--psd force=2 --show z --at-frequency {natural}"),
    );
    near(
        number(&found["densities"][0]["density"][0]),
        2.0 / 160.0 / 160.0,
        1e-9,
    );
    assert!(found["densities"][0]["rms"].is_null());
    let all = [
        "response",
        path(&file),
        "--by",
        "force",
        "--show",
        "z",
        "--at-frequency",
        "3",
    ];
    let said = succeeds(&all);
    assert!(
        said.starts_with("one frequency: 3 Hz") && said.matches("at 3 Hz").count() == 1,
        "{said}"
    );
}

/// Masses of 2 kg in a row between springs and dampers, held at one end, a force on each; the outputs are displacements.
fn row(count: usize) -> Value {
    let link = || Link {
        mass: 2.0,
        stiffness: 5e4,
        damping: 3.0,
    };
    let links: Vec<Link> = (0..count).map(|_| link()).collect();
    let outputs: Vec<_> = (1..=count)
        .map(|k| (format!("x{k}"), format!("DX(p{k})")))
        .collect();
    let outputs: Vec<_> = outputs
        .iter()
        .map(|(n, e)| (n.as_str(), e.as_str()))
        .collect();
    let mut all = masses(&links, &outputs);
    for output in all["outputs"].as_array_mut().unwrap() {
        output["unit"] = json!("m");
    }
    all
}

/// 30 masses between springs k, dampers c, held at one end: x1 by f30 falls with k^29/(m w^2)^30. Peaks of all pairs: the first is at
/// 2 sqrt(k/m) sin(pi/122).
#[test]
fn all_pairs_of_a_long_row_have_their_peaks() {
    let folder = tempfile::tempdir().unwrap();
    let count = 30;
    let file = folder.path().join("row.json");
    fs::write(&file, row(count).to_string()).unwrap();
    let found = response(&file, "");
    let (lines, tau) = (
        found["responses"].as_array().unwrap(),
        std::f64::consts::TAU,
    );
    assert_eq!(lines.len(), count * count);
    let first = 2.0 * (5e4_f64 / 2.0).sqrt() * math::sin(tau / 244.0) / tau;
    for line in lines {
        near(number(&line["peaks"][0]["frequency"]), first, 1e-5);
    }
    let words = [
        "response",
        path(&file),
        "--by",
        "f30",
        "--show",
        "x1",
        "--from",
        "1",
        "--to",
        "2000",
        "--points",
        "20",
    ];
    let said = ends_with(0, &words);
    assert!(
        said.contains("are rounding errors, first in x1 by f30 at"),
        "{said}"
    );
}

/// A critically damped mass has one shape for two roots: the sum over modes is refused with the reason, and the
/// response is computed as usual.
#[test]
fn critical_damping_has_no_sum_over_modes() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"damping\":8", "\"damping\":80")).unwrap();
    let words = [
        "response",
        path(&file),
        "--modal",
        "--by",
        "force",
        "--show",
        "z",
        "--at-frequency",
        "0",
    ];
    let said = ends_with(0, &words);
    assert!(
        said.contains("critical damping") && !said.contains("cannot be found"),
        "{said}"
    );
    let found = response(&file, "--modal --by force --show z --at-frequency 0");
    near(number(&found["responses"][0]["re"][0]), 1.0 / 800.0, 1e-9);
}
