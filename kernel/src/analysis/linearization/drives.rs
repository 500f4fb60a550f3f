//! Control plane: how inputs act on a linear form through motions and general constraints.

use crate::analysis::owner_name;
use crate::analysis::tangents::{OperatingPoint, Tangents};
use crate::elements::constraints::RowKind;
use crate::math::{cos, sin};
use crate::mechanism::{Mechanism, MotionLevel};
use crate::system::{Owner, RowLaw, RowTarget};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A prescribed displacement w that inputs drive: Σ slope · input is w, ẇ or ẅ.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Its name in messages: `motion "lift"`.
    pub name: String,
    /// Which derivative of w the inputs give.
    pub level: MotionLevel,
    /// Slopes by inputs, SI per unit of the input.
    pub slopes: Vec<f64>,
    /// The constraint rows that contain w.
    pub rows: Vec<DrivenRow>,
}

/// A constraint row that contains a prescribed displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrivenRow {
    /// In the numbering of all unknowns.
    pub row: usize,
    /// Derivatives of Φ, Φ̇ and Φ̈ in w, ẇ and ẅ.
    pub by: [[f64; 3]; 3],
}

/// All drives of a mechanism.
pub(super) fn of_inputs(
    mechanism: &Mechanism,
    point: &OperatingPoint,
    tangents: &Tangents,
) -> Vec<Drive> {
    let mut drives = motions(mechanism, point);
    drives.extend(generals(mechanism, point, tangents));
    drives
}

fn motions(mechanism: &Mechanism, point: &OperatingPoint) -> Vec<Drive> {
    let (system, ws) = (&point.system, &point.ws);
    let mut drives = Vec::new();
    for (m, slopes) in point.motions.iter().enumerate() {
        if slopes.iter().all(|slope| *slope == 0.0) {
            continue;
        }
        let target = ws.targets[m];
        let mut rows = Vec::new();
        for group in &system.groups {
            for (k, r) in group.rows.range().enumerate() {
                let row = &system.rows[r];
                let (RowLaw::Markers(kind), RowTarget::Motion(of)) = (&row.law, &row.target) else {
                    continue;
                };
                let Some(row) = point.places.at(group.block, k).filter(|_| of.index() == m) else {
                    continue;
                };
                let by = match kind {
                    // −sin f, −cos f ḟ, −cos f f̈ + sin f ḟ².
                    RowKind::SineDot(..) => {
                        let (s, c) = (sin(target.value), cos(target.value));
                        let (f1, f2) = (target.rate, target.acceleration);
                        [
                            [-c, 0.0, 0.0],
                            [s * f1, -c, 0.0],
                            [s * f2 + c * f1 * f1, 2.0 * s * f1, -c],
                        ]
                    }
                    _ => [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]],
                };
                rows.push(DrivenRow { row, by });
            }
        }
        let name = owner_name(mechanism, Owner::Motion(m.into()));
        let level = system.motions[m].level;
        drives.push(Drive {
            name,
            level,
            slopes: slopes.clone(),
            rows,
        });
    }
    drives
}

/// General constraints whose functions read inputs: each input acts as a displacement of its own. Their rates
/// are zero here; others were refused.
fn generals(mechanism: &Mechanism, point: &OperatingPoint, tangents: &Tangents) -> Vec<Drive> {
    let inputs = tangents.inputs.columns;
    let mut drives = Vec::new();
    for group in &point.system.groups {
        let (Owner::General(_), Some(row)) = (group.owner, point.places.at(group.block, 0)) else {
            continue;
        };
        if group.adds() {
            continue;
        }
        for input in 0..inputs {
            let by = tangents.inputs.get(row, input);
            if by == 0.0 {
                continue;
            }
            let mut slopes = vec![0.0; inputs];
            slopes[input] = 1.0;
            let input = &mechanism.inputs[input].quantity.name;
            drives.push(Drive {
                name: format!(
                    "{} by input \"{input}\"",
                    owner_name(mechanism, group.owner)
                ),
                level: MotionLevel::Displacement,
                slopes,
                rows: vec![DrivenRow {
                    row,
                    by: [[by, 0.0, 0.0], [0.0, by, 0.0], [0.0, 0.0, by]],
                }],
            });
        }
    }
    drives
}
