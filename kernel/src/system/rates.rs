//! Data plane: rows that restrict velocities only, as those of rolling. In a step they have the residual
//!
//! ```text
//! τ Φ̇,   τ = 1/w_u                                                          (ROL-9)
//! ```
//! w_u is the slope of the scheme's velocities in the unknowns: so these rows of the Newton matrix tend to G, as all
//! others do.

use crate::system::residual::{Level, approach, row_residual};
use crate::system::{Group, Row, System};
use crate::workspace::Values;
use alloc::vec::Vec;

/// A row that restricts velocities only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateRow {
    /// Index of its group.
    pub group: usize,
    /// Its place in the group.
    pub place: usize,
    /// Its number.
    pub row: usize,
}

impl RateRow {
    /// All of them, in order. Control plane.
    pub fn all(groups: &[Group], rows: &[Row]) -> Vec<Self> {
        let of = |(k, group): (usize, &Group)| {
            let own = group.rows.range().enumerate();
            let own = own.map(|(place, row)| Self {
                group: k,
                place,
                row,
            });
            own.collect::<Vec<_>>()
        };
        let each = groups.iter().enumerate().flat_map(of);
        each.filter(|own| rows[own.row].law.is_rate()).collect()
    }
}

/// Adds (ROL-9) to the residual.
pub fn add(system: &System, ws: &Values, rhs: &mut [f64], tau: f64) {
    for own in &system.rate_rows {
        let group = &system.groups[own.group];
        let approach = approach(ws, group);
        let rate = row_residual(system, ws, (group, &approach), own.row, Level::Velocity);
        rhs[group.block.offset() + own.place] += tau * rate;
    }
}
