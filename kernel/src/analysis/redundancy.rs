//! Control plane: finds and removes redundant constraint rows at the assembled pose.
//!
//! A row is removed if its gradient is a linear combination of the gradients of earlier rows; so
//! earlier joints keep their rows:
//!
//! ```text
//! ‖g_k − Σ c_i g_i‖ ≤ tolerance ‖g_k‖,   i kept, i < k                     (RED-1)
//! ```
//! The metric is the inverse of diag(1, Lc²) per body.

use crate::analysis::no_start::NoStart;
use crate::analysis::shapes::Shapes;
use crate::analysis::{Start, flexible, owner_name};
use crate::linalg::{SparseRow, independent_rows};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::state::vec3;
use crate::system::layout::BLOCK;
use crate::system::{Group, Owner, eval};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Relative remainder below which a row counts as redundant.
const TOLERANCE: f64 = 1e-7;

/// Largest rotation \[rad\], or travel in characteristic lengths, of the trial move away from the start.
const TRIAL: f64 = 0.05;

/// The rows to keep, in the order joints, couplers, motions; and the removed rows, as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Redundancy {
    /// One flag per row; rows that add up are kept or removed together.
    pub keep: Vec<bool>,
    /// One line per removed row.
    pub notes: Vec<String>,
    /// Removed rows.
    removed: Vec<Removed>,
}

/// A removed row.
#[derive(Clone, Debug, PartialEq)]
struct Removed {
    /// Its number; rows that add up count once.
    row: usize,
    /// Its owner.
    owner: Owner,
    /// What it constrains, and which rows constrain that already; as text.
    what: String,
}

impl Redundancy {
    /// The owners of removed rows with a text for each.
    pub fn removed(&self) -> impl Iterator<Item = (Owner, &str)> {
        self.removed
            .iter()
            .map(|row| (row.owner, row.what.as_str()))
    }
}

impl Start<'_> {
    /// Finds the redundant rows. The kinematics must be those of the assembled state.
    pub fn redundancy(&self) -> Redundancy {
        let (system, ws) = (self.system, &*self.ws);
        let mut rows: Vec<SparseRow> = Vec::new();
        let mut owners = Vec::new();
        let kept = |group: &&Group| !matches!(group.owner, Owner::Initial(_));
        let groups = || system.groups.iter().filter(kept);
        // For each system row, the index in `rows` to which it adds.
        let mut places = vec![0; groups().map(|group| group.rows.len).sum()];
        // A row of positions also holds velocities, but not the other way round; and what a motion drives must be free.
        for (turn, group) in (0..3).flat_map(|turn| groups().map(move |group| (turn, group))) {
            let marker = &ws.markers[group.i.index()];
            let arm = marker.p - ws.bodies[system.body_of(group.j)].r;
            for (k, r) in group.rows.range().enumerate() {
                if self.turn_of(group, r) != turn {
                    continue;
                }
                let loads = [ws.units[r].on_i(marker), ws.units[r].on_j(&arm)];
                let mut sparse = SparseRow::new();
                for (marker, load) in [group.i, group.j].into_iter().zip(&loads) {
                    sparse.extend(flexible::spread(system, ws, marker, load));
                }
                if group.adds() {
                    places[r] = places[group.lead + k];
                    rows[places[r]].extend(sparse);
                } else {
                    places[r] = rows.len();
                    rows.push(sparse);
                    owners.push((group.owner, system.rows[r].law.label()));
                }
            }
        }
        let inverse = 1.0 / (self.length * self.length);
        let bodies = 0..BLOCK * system.bodies.len();
        let mut weights: Vec<f64> = bodies
            .map(|c| if c % BLOCK < 3 { 1.0 } else { inverse })
            .collect();
        // Deformation counts as much as rigid motion.
        weights.extend(flexible::mobilities(system).iter().map(|m| 1.0 / m));
        let report = independent_rows(&rows, &weights, TOLERANCE);
        let mut redundancy = Redundancy {
            keep: vec![true; places.len()],
            ..Redundancy::default()
        };
        for (n, row) in report.dependent.iter().enumerate() {
            for (r, place) in places.iter().enumerate() {
                redundancy.keep[r] &= place != row;
            }
            let mut others: Vec<Owner> = report.combination[n]
                .iter()
                .map(|(k, _)| owners[*k].0)
                .collect();
            others.dedup();
            let (owner, label) = &owners[*row];
            let held = if others.is_empty() {
                "it holds nothing that can move".to_owned()
            } else {
                let names: Vec<_> = others
                    .iter()
                    .map(|o| owner_name(self.mechanism, *o))
                    .collect();
                format!("already held by {}", names.join(", "))
            };
            let what = format!("{}, {label} ({held})", owner_name(self.mechanism, *owner));
            redundancy
                .notes
                .push(format!("redundant constraint removed: {what}"));
            redundancy.removed.push(Removed {
                row: *row,
                owner: *owner,
                what,
            });
        }
        redundancy
    }

    /// The redundant rows of the assembled state. It is an error if dropping them would change the
    /// mechanism: rows that are redundant only in this very position, and motions.
    ///
    /// Rows of the first kind are found by a trial move along a degree of freedom, assembled again:
    /// a position in which the mechanism bifurcates or a motion is at its dead centre has more
    /// redundant rows than its neighbours.
    pub fn lasting_redundancy(&mut self) -> Result<Redundancy, NoStart> {
        let here = self.redundancy();
        if here.removed.is_empty() {
            return Ok(here);
        }
        let saved = self.state.clone();
        self.shapes = self.strained();
        let moved = self.move_along_freedom();
        self.shapes = Shapes::Held;
        let near = moved.then(|| self.redundancy());
        *self.state = saved;
        eval::kinematics_at_state(self.system, self.state, self.ws);
        let list = |removed: &[&Removed]| {
            let all: Vec<&str> = removed.iter().map(|r| r.what.as_str()).collect();
            all.join("; ")
        };
        if let Some(near) = near.filter(|near| near.removed.len() < here.removed.len()) {
            let released = |r: &&Removed| !near.removed.iter().any(|other| other.row == r.row);
            let singular: Vec<&Removed> = here.removed.iter().filter(released).collect();
            return Err(NoStart::SingularPosition {
                rows: list(&singular),
            });
        }
        let is_motion = |r: &&Removed| self.is_driven(r.owner);
        let motions: Vec<&Removed> = here.removed.iter().filter(is_motion).collect();
        if !motions.is_empty() {
            return Err(NoStart::DrivesHeld {
                rows: list(&motions),
            });
        }
        Ok(here)
    }

    /// Does time or an input drive it?
    fn is_driven(&self, owner: Owner) -> bool {
        match owner {
            Owner::Motion(_) => true,
            Owner::General(g) => self.mechanism.general_constraints[g.index()].driven,
            Owner::Joint(_) | Owner::Coupler(_) | Owner::Initial(_) => false,
        }
    }

    /// Whose turn it is: rows of positions first, then rows of velocities only, then motions. Without rows of the second
    /// kind all keep their order.
    fn turn_of(&self, group: &Group, row: usize) -> u8 {
        let system = self.system;
        if system.rate_rows.is_empty() {
            return 0;
        }
        match (system.rows[row].law.is_rate(), self.is_driven(group.owner)) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 0,
        }
    }

    /// Moves the bodies along a degree of freedom of the joints, ignoring motions, and assembles
    /// them again. `false` if there is none, or if assembly fails.
    fn move_along_freedom(&mut self) -> bool {
        let weight = self.length * self.length;
        let weights = vec![(1.0, weight); self.system.bodies.len()];
        self.ws.rhs.fill(0.0);
        // A direction that no mechanism is aligned with: an irregular sequence (multiples of the golden
        // ratio).
        let mut fraction = 0.0_f64;
        for (body, entry) in self.system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            for k in 0..entry.dof {
                fraction = (fraction + 0.618_033_988_749_895).fract();
                let (linear, angular) = weights[body];
                let size = if k < 3 { linear * self.length } else { angular };
                self.ws.rhs[block.offset() + k] = (fraction - 0.5) * size;
            }
        }
        let rows: Vec<bool> = self.joint_rows();
        self.factors.forget();
        if self.solve(&weights, &|r| rows[r]).is_err() || !self.take_trial_move() {
            return false;
        }
        self.close(&|r| rows[r]).is_ok_and(|worst| worst < 1e-9)
    }

    /// Flags the rows of joints and couplers.
    fn joint_rows(&self) -> Vec<bool> {
        let mut rows = vec![false; self.system.rows.len()];
        for group in &self.system.groups {
            if matches!(
                group.owner,
                Owner::Joint(_) | Owner::Coupler(_) | Owner::General(_)
            ) {
                rows[group.rows.range()].fill(true);
            }
        }
        rows
    }

    /// Applies the solution, scaled to a trial move; `false` if it is nothing but rounding.
    fn take_trial_move(&mut self) -> bool {
        let mut largest = 0.0_f64;
        for body in 0..self.system.bodies.len() {
            let s = self.solution(body);
            largest = largest.max(vec3(&s, 0).norm() / self.length);
            largest = largest.max(vec3(&s, 3).norm());
        }
        if largest < 1e-6 {
            return false;
        }
        self.displace_bodies(TRIAL / largest);
        true
    }
}
