//! Compares reductions with published and analytic values.
#![expect(clippy::unwrap_used, reason = "tests")]

mod brick;
mod free_body;
mod invariants;
mod planar;
mod refused;
mod stress;

use std::path::PathBuf;

use fixstep_kernel::math::Vec3;
use flexible_bodies::fe::{FeModel, FeNode, Symmetric, Unknown};
use serde_json::Value;

/// A case of published values.
fn truth(case: &str, file: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/truth");
    std::fs::read_to_string(folder.join(case).join(file)).unwrap()
}

fn reference(case: &str) -> Value {
    serde_json::from_str(&truth(case, "reference.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
    assert!(
        error <= tolerance,
        "{what}: {found} for {expected}, off by {error:e}"
    );
}

/// Nodes along x, each with the same directions.
fn line(places: &[f64], directions: &[usize], k: &[Vec<f64>], m: &[Vec<f64>]) -> FeModel {
    let nodes = places.iter().enumerate().map(|(at, x)| FeNode {
        id: 1 + at as u64,
        position: Vec3::x() * *x,
    });
    let unknowns = (0..places.len()).flat_map(|node| {
        directions.iter().map(move |direction| Unknown {
            node,
            direction: *direction,
        })
    });
    FeModel {
        nodes: nodes.collect(),
        unknowns: unknowns.collect(),
        stiffness: symmetric(k),
        mass: symmetric(m),
        ..FeModel::default()
    }
}

fn symmetric(dense: &[Vec<f64>]) -> Symmetric {
    let n = dense.len();
    let mut entries = Vec::new();
    for i in 0..n {
        for j in i..n {
            let value = 0.5 * (dense[i][j] + dense[j][i]);
            if value != 0.0 {
                entries.push((i, j, value));
            }
        }
    }
    Symmetric::from_entries(n, &mut entries)
}
