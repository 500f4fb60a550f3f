//! Control plane: makes a finite-element model from stiffness and mass matrices whose entries are labelled with nodes
//! and directions instead of row numbers.

use super::mesh::Mesh;
use super::text::ReadError;
use super::{MAX_UNKNOWNS, Opened};
use crate::fe::{Symmetric, Unknown};
use std::collections::{BTreeMap, BTreeSet};

/// Two halves of a matrix may differ by this much of an entry.
const SYMMETRY: f64 = 1e-8;
/// … and by this much of the largest entry.
const NOISE: f64 = 1e-12;

/// A diagonal entry of this size or more means that a boundary condition fixes the direction.
const PENALTY: f64 = 1e35;
/// Names of the two matrices in messages.
pub(super) const KINDS: [&str; 2] = ["stiffness", "mass"];

/// Entries of a matrix: one triangle, or both.
#[derive(Clone, Debug, Default)]
pub(super) struct Labelled {
    pub(super) entries: Vec<(Unknown, Unknown, f64)>,
}

impl Labelled {
    /// The unknowns that the entries name.
    pub(super) fn unknowns(&self, all: &mut BTreeSet<Unknown>) {
        for (row, column, _) in &self.entries {
            all.insert(*row);
            all.insert(*column);
        }
    }

    /// Removes the rows and columns of some unknowns.
    pub(super) fn remove(&mut self, gone: &BTreeSet<Unknown>) {
        let entries = &mut self.entries;
        entries.retain(|(row, column, _)| !gone.contains(row) && !gone.contains(column));
    }

    /// The matrix; `name` gives the place of a faulty node in messages.
    pub(super) fn symmetric(
        mut self,
        unknowns: &[Unknown],
        name: &dyn Fn(Unknown) -> String,
    ) -> Result<Symmetric, String> {
        let largest = self
            .entries
            .iter()
            .fold(0.0_f64, |most, entry| most.max(entry.2.abs()));
        // Upper triangle first, its mirror image after it.
        self.entries.sort_by_key(|(row, column, _)| {
            (
                row.min(column).to_owned(),
                row.max(column).to_owned(),
                row > column,
            )
        });
        let place: BTreeMap<Unknown, usize> = unknowns.iter().copied().zip(0..).collect();
        let at = |unknown: Unknown| place.get(&unknown).copied().unwrap_or_default();
        let mut entries = Vec::with_capacity(self.entries.len());
        let (mut single, mut double) = (None, false);
        let mirrors = |a: &(Unknown, Unknown, f64), b: &(Unknown, Unknown, f64)| {
            (a.0, a.1) == (b.0, b.1) || (a.0, a.1) == (b.1, b.0)
        };
        for group in self.entries.chunk_by(mirrors) {
            let (row, column, value) = group[0];
            let pair = || format!("{} and {}", name(row), name(column));
            match group {
                [_] if row == column => {}
                [_] => single = single.or(Some((row, column))),
                [_, (.., other)] if row != column && (group[1].0, group[1].1) == (column, row) => {
                    double = true;
                    let allowed = SYMMETRY * value.abs().max(other.abs()) + NOISE * largest;
                    if (value - other).abs() > allowed {
                        return Err(format!(
                            "is not symmetric: {value:e} and {other:e} between {}",
                            pair()
                        ));
                    }
                }
                _ => return Err(format!("the entry of {} occurs twice", pair())),
            }
            entries.push((at(row), at(column), value));
        }
        if let (Some((row, column)), true) = (single, double) {
            return Err(format!(
                "has both triangles, but the entry of {} and {} in one of them only",
                name(row),
                name(column)
            ));
        }
        Ok(Symmetric::from_entries(unknowns.len(), &mut entries))
    }
}

/// Makes a model from the two matrices and a mesh, without the directions that boundary conditions fix.
pub(super) fn assemble(
    mut mesh: Mesh,
    mut matrices: [Labelled; 2],
    sources: Vec<(String, String)>,
    file: &str,
) -> Result<Opened, ReadError> {
    let fixed = matrices[0].entries.iter();
    let fixed = fixed.filter(|(row, column, value)| row == column && *value >= PENALTY);
    let fixed: BTreeSet<Unknown> = fixed.map(|entry| entry.0).collect();
    let mut all = BTreeSet::new();
    for matrix in &mut matrices {
        matrix.remove(&fixed);
        matrix.unknowns(&mut all);
    }
    if !fixed.is_empty() {
        let note = format!(
            "{} directions that boundary conditions fix are left out",
            fixed.len()
        );
        mesh.notes.push(note);
    }
    let unknowns: Vec<Unknown> = all.into_iter().collect();
    if unknowns.is_empty() || unknowns.len() > MAX_UNKNOWNS {
        let message = format!("{} unknowns; valid: 1 to {MAX_UNKNOWNS}", unknowns.len());
        return Err(ReadError::of(file, message));
    }
    let name = |unknown: Unknown| {
        format!(
            "node {} direction {}",
            mesh.nodes[unknown.node].id,
            unknown.direction + 1
        )
    };
    let [stiffness, mass] = matrices;
    let fail =
        |kind: usize| move |message| ReadError::of(file, format!("the {} {message}", KINDS[kind]));
    let stiffness = stiffness.symmetric(&unknowns, &name).map_err(fail(0))?;
    let mass = mass.symmetric(&unknowns, &name).map_err(fail(1))?;
    Ok(mesh.with_matrices(unknowns, [stiffness, mass], sources))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const A: Unknown = Unknown {
        node: 0,
        direction: 0,
    };
    const B: Unknown = Unknown {
        node: 0,
        direction: 4,
    };

    fn read(entries: &[(Unknown, Unknown, f64)]) -> Result<Symmetric, String> {
        let name = |unknown: Unknown| format!("{}.{}", unknown.node + 1, unknown.direction + 1);
        let entries = entries.to_vec();
        Labelled { entries }.symmetric(&[A, B], &name)
    }

    #[test]
    fn halves_and_wholes_are_one_matrix() {
        let lower = read(&[(A, A, 2.0), (B, A, -1.0), (B, B, 3.0)]).unwrap();
        let upper = read(&[(B, B, 3.0), (A, B, -1.0), (A, A, 2.0)]).unwrap();
        let whole = read(&[(A, A, 2.0), (A, B, -1.0), (B, A, -1.0), (B, B, 3.0)]).unwrap();
        assert_eq!(lower, upper);
        assert_eq!(lower, whole);
        assert_eq!(lower.values, [2.0, -1.0, 3.0]);
    }

    #[test]
    fn what_is_not_symmetric() {
        let error = read(&[(A, A, 2.0), (A, B, -1.0), (B, A, 1.0), (B, B, 3.0)]).unwrap_err();
        assert!(
            error.contains("not symmetric") && error.contains("1.1 and 1.5"),
            "{error}"
        );
        let error = read(&[(A, A, 2.0), (A, A, 2.0)]).unwrap_err();
        assert!(error.contains("occurs twice"), "{error}");
        let c = Unknown {
            node: 1,
            direction: 0,
        };
        let entries = vec![(A, B, 1.0), (B, A, 1.0), (A, c, 1.0)];
        let name = |unknown: Unknown| format!("{unknown:?}");
        let error = Labelled { entries }
            .symmetric(&[A, B, c], &name)
            .unwrap_err();
        assert!(error.contains("in one of them only"), "{error}");
    }
}
