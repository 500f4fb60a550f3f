//! Control plane: redundant constraint rows at the assembled pose.
//!
//! A row whose gradient is a combination of earlier rows' is removed; earlier joints keep theirs:
//!
//! ```text
//! ‖g_k − Σ c_i g_i‖ ≤ tolerance ‖g_k‖,   i kept, i < k                     (RED-1)
//! ```
//! The metric is the inverse of diag(1, Lc²) per body.

use crate::analysis::{Start, owner_name};
use crate::elements::joints::row_label;
use crate::linalg::{SparseRow, independent_rows};
use crate::system::Owner;
use crate::system::layout::BLOCK;

/// Relative remainder below which a row counts as redundant.
const TOLERANCE: f64 = 1e-7;

/// Which rows to keep, in the order of joints, then motions; and what was removed, as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Redundancy {
    /// One flag per row.
    pub keep: Vec<bool>,
    /// One line per removed row.
    pub notes: Vec<String>,
}

impl Start<'_> {
    /// Finds the redundant rows. The kinematics must be those of the assembled state.
    pub fn redundancy(&self) -> Redundancy {
        let (system, ws) = (self.system, &*self.ws);
        let mut rows: Vec<SparseRow> = Vec::new();
        let mut owners = Vec::new();
        for group in &system.groups {
            if matches!(group.owner, Owner::Initial(_)) {
                continue;
            }
            let marker = &ws.markers[group.i.index()];
            let bodies = [group.i, group.j].map(|m| system.body_of(m));
            let arm = marker.p - ws.bodies[bodies[1]].r;
            for r in group.rows.range() {
                let loads = [ws.units[r].on_i(marker), ws.units[r].on_j(&arm)];
                let mut sparse = SparseRow::new();
                for (body, load) in bodies.iter().zip(&loads) {
                    for c in 0..system.bodies[*body].dof {
                        sparse.push((BLOCK * body + c, load[c]));
                    }
                }
                rows.push(sparse);
                owners.push((
                    owner_name(self.model, group.owner),
                    row_label(&system.rows[r].kind),
                ));
            }
        }
        let inverse = 1.0 / (self.length * self.length);
        let weights: Vec<f64> = (0..BLOCK * system.bodies.len())
            .map(|c| if c % BLOCK < 3 { 1.0 } else { inverse })
            .collect();
        let report = independent_rows(&rows, &weights, TOLERANCE);
        let mut redundancy = Redundancy {
            keep: vec![true; rows.len()],
            notes: Vec::new(),
        };
        for (n, row) in report.dependent.iter().enumerate() {
            redundancy.keep[*row] = false;
            let mut others: Vec<&str> = report.combination[n]
                .iter()
                .map(|(k, _)| owners[*k].0.as_str())
                .collect();
            others.dedup();
            let (owner, label) = &owners[*row];
            let held = if others.is_empty() {
                "it holds nothing that can move".to_owned()
            } else {
                format!("already held by {}", others.join(", "))
            };
            redundancy.notes.push(format!(
                "redundant constraint removed: {owner}, {label} ({held})"
            ));
        }
        redundancy
    }
}
