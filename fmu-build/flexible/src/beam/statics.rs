//! Control plane: statics of beams along a line. The nodes follow one another, so the Cholesky factor stays within
//! the band of two neighbours.

use super::mesh::{Mesh, SIX};

/// Entries of a row up to the diagonal: a node is coupled with itself and with the node before.
const BAND: usize = 2 * SIX;

/// The Cholesky factor of the stiffness of a line with one node held.
#[derive(Clone, Debug)]
pub struct Statics {
    /// Row i: L_ik of k = i − `BAND` + 1 to i.
    rows: Vec<[f64; BAND]>,
    held: usize,
}

impl Statics {
    /// Holds node `held` and factors the stiffness; `None` if it is not positive definite.
    pub fn of(mesh: &Mesh, held: usize) -> Option<Self> {
        let stiffness = mesh.assembled(|e| e.turned(&e.stiffness()));
        let fixed = |k: usize| k / SIX == held;
        let mut rows = vec![[0.0; BAND]; mesh.unknowns()];
        for (row, column, value) in stiffness.entries() {
            if !fixed(row) && !fixed(column) {
                rows[column][BAND - 1 - (column - row)] = value;
            }
        }
        for k in 0..SIX {
            rows[SIX * held + k][BAND - 1] = 1.0;
        }
        for i in 0..rows.len() {
            for k in i.saturating_sub(BAND - 1)..=i {
                let mut sum = rows[i][BAND - 1 + k - i];
                for l in i.saturating_sub(BAND - 1)..k {
                    if l + BAND > k {
                        sum -= rows[i][BAND - 1 + l - i] * rows[k][BAND - 1 + l - k];
                    }
                }
                rows[i][BAND - 1 + k - i] = if k < i {
                    sum / rows[k][BAND - 1]
                } else if sum > 0.0 {
                    sum.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(Self { rows, held })
    }

    /// Replaces the loads in `x` by the displacements that they cause.
    pub fn solve(&self, x: &mut [f64]) {
        x[SIX * self.held..SIX * (self.held + 1)].fill(0.0);
        for i in 0..x.len() {
            for k in i.saturating_sub(BAND - 1)..i {
                x[i] -= self.rows[i][BAND - 1 + k - i] * x[k];
            }
            x[i] /= self.rows[i][BAND - 1];
        }
        for i in (0..x.len()).rev() {
            x[i] /= self.rows[i][BAND - 1];
            for k in i.saturating_sub(BAND - 1)..i {
                x[k] -= self.rows[i][BAND - 1 + k - i] * x[i];
            }
        }
    }
}
