//! Control plane: helpers that tests of beams share: dense eigenvalues, and cases of `tests/truth`.

#![expect(clippy::unwrap_used, reason = "tests")]

use nalgebra::DMatrix;
use serde_json::Value;

use super::{Beams, Mesh};
use crate::fe::{FeModel, Symmetric};

pub(super) fn truth(case: &str) -> Value {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/truth");
    let text = std::fs::read_to_string(format!("{root}/{case}/reference.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

pub(super) fn numbers(list: &Value) -> Vec<f64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

pub(super) fn beams(text: &str) -> Beams {
    Beams::read(text, "beam.json").unwrap_or_else(|e| unreachable!("{e}"))
}

pub(super) fn built(text: &str) -> (Beams, Mesh, FeModel) {
    let beams = beams(text);
    let mesh = Mesh::of(&beams);
    let model = mesh.model(&beams);
    (beams, mesh, model)
}

pub(super) fn dense(a: &Symmetric, kept: &[usize]) -> DMatrix<f64> {
    let mut full = DMatrix::zeros(a.size(), a.size());
    for (row, column, value) in a.entries() {
        full[(row, column)] = value;
        full[(column, row)] = value;
    }
    full.select_rows(kept).select_columns(kept)
}

/// Unknowns of all nodes but those that are held in some directions.
pub(super) fn free(model: &FeModel, held: &[(usize, &[usize])]) -> Vec<usize> {
    let is_held = |k: usize| {
        let unknown = model.unknowns[k];
        held.iter().any(|(node, directions)| {
            *node == unknown.node && directions.contains(&unknown.direction)
        })
    };
    (0..model.unknowns.len()).filter(|k| !is_held(*k)).collect()
}

/// Angular frequencies squared, ascending, and shapes over the kept unknowns with vᵀMv = 1: of K + σM.
pub(super) fn modes(model: &FeModel, kept: &[usize], shift: f64) -> (Vec<f64>, DMatrix<f64>) {
    let m = dense(&model.mass, kept);
    let k = dense(&model.stiffness, kept) + &m * shift;
    let l = k.cholesky().unwrap().l();
    // the lowest frequencies are the greatest eigenvalues of L⁻¹ M L⁻ᵀ
    let half = l.solve_lower_triangular(&m).unwrap();
    let s = l.solve_lower_triangular(&half.transpose()).unwrap();
    let eigen = ((&s + s.transpose()) * 0.5).symmetric_eigen();
    let mut order: Vec<usize> = (0..kept.len()).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let squared = order
        .iter()
        .map(|k| 1.0 / eigen.eigenvalues[*k] - shift)
        .collect();
    let shapes = l
        .transpose()
        .solve_upper_triangular(&eigen.eigenvectors)
        .unwrap();
    let columns: Vec<_> = order
        .iter()
        .map(|k| shapes.column(*k) / eigen.eigenvalues[*k].sqrt())
        .collect();
    (squared, DMatrix::from_columns(&columns))
}

pub(super) fn frequencies(model: &FeModel, kept: &[usize]) -> Vec<f64> {
    let (squared, _) = modes(model, kept, 0.0);
    squared
        .iter()
        .map(|w| w.sqrt() / std::f64::consts::TAU)
        .collect()
}

pub(super) fn check_close(what: &str, found: &[f64], wanted: &[f64], relative: f64) {
    assert!(found.len() >= wanted.len(), "{what}");
    for (k, (a, b)) in found.iter().zip(wanted).enumerate() {
        let error = (a - b).abs() / b.abs();
        assert!(error <= relative, "{what} {k}: {a} for {b}, {error:e}");
    }
}
