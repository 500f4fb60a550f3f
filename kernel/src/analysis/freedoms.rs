//! Control plane: the motions that constraints leave free at the assembled start, and the mechanism moved along one of
//! them, for pictures of what can move. Motions and initial conditions are left aside, and flexible bodies keep their shapes.
//!
//! G are the gradients of the rows of joints, couplers and general constraints, D = diag(1, Lc) per body, Z an orthonormal basis of
//! the null space of GD⁻¹, and C the rates of joint coordinates (I seen from J, in J's axes) and of bodies:
//!
//! ```text
//! V = D⁻¹Z (C D⁻¹Z)⁻¹                                                        (FRE-1)
//! ```
//! C has as many rows as Z has columns. Each row is the one that moves most in what the rows before it leave free, so that each
//! column of V moves one coordinate by one, and none of the other chosen ones.

use crate::analysis::no_start::NoStart;
use crate::analysis::steady::null_space::split;
use crate::analysis::{Start, flexible};
use crate::elements::joints;
use crate::ids::{BodyId, JointId, MarkerId};
use crate::math::Vec3;
use crate::math::rotation::{exp_quaternion, multiply, normalized};
use crate::state::{State, vec3};
use crate::system::Owner;
use crate::system::layout::BLOCK;
use alloc::vec;
use alloc::vec::Vec;
use nalgebra::{DMatrix, DVector};

/// A body's own coordinates count so much as those of a joint with one freedom; those of a joint with several count the less the
/// more it has.
const OWN: f64 = 0.25;
/// What moves less than this part of the largest motion is rounding.
const MOVES: f64 = 1e-7;

/// What a free coordinate belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeAt {
    /// A joint: marker I from J, in the axes of J.
    Joint(JointId),
    /// A body that no joint holds in this direction, in ground axes.
    Body(BodyId),
}

/// A motion that constraints leave free.
#[derive(Clone, Debug)]
pub struct Freedom {
    /// Whose coordinate moves by one, while those of the other free motions rest.
    pub at: FreeAt,
    /// Translation along x, y, z (0 to 2), or rotation about them (3 to 5).
    pub coordinate: usize,
    /// Velocity of the centre of mass and angular velocity of each body, ground axes.
    pub motion: Vec<(Vec3, Vec3)>,
    /// The relative motion of each joint, I from J in the axes of J: translation and rotation.
    pub joints: Vec<(Vec3, Vec3)>,
}

/// Velocity of a point and angular velocity.
type Travel = (Vec3, Vec3);

/// A row of C: whose it is, its coordinate, and the row by all columns.
type Candidate = (FreeAt, usize, DVector<f64>);

impl Start<'_> {
    /// The free motions at the assembled state; `None` if a number is not finite.
    pub fn freedoms(&mut self) -> Option<Vec<Freedom>> {
        let held = self.held_rows();
        self.position_violations(&|r| held[r]);
        let columns = self.free_columns();
        let free = self.free_motions(&columns)?;
        let chosen = self.chosen(&columns, &free);
        let mut rates = DMatrix::zeros(chosen.len(), free.ncols());
        for (r, (_, _, row)) in chosen.iter().enumerate() {
            rates.set_row(r, &row.transpose());
        }
        let (q, r) = rates.qr().unpack();
        let all = free * r.solve_upper_triangular(&q.transpose())?;
        let freedom = |(k, (at, coordinate, _)): (usize, &Candidate)| {
            let motion = self.by_bodies(&columns, &all.column(k).into_owned());
            let joints = self.mechanism.joints.iter();
            let joints = joints.map(|joint| self.relative(&motion, (joint.i, joint.j)));
            Freedom {
                at: *at,
                coordinate: *coordinate,
                joints: joints.collect(),
                motion,
            }
        };
        Some(chosen.iter().enumerate().map(freedom).collect())
    }

    /// Moves the present state by a part of a free motion, which goes with the bodies as they turn from their begin, and closes
    /// the constraints again; returns the largest violation that is left [characteristic lengths, rad].
    pub fn move_along(
        &mut self,
        begin: &State,
        motion: &[(Vec3, Vec3)],
        by: f64,
    ) -> Result<f64, NoStart> {
        let layout = &self.system.layout;
        for (body, (moves, turns)) in motion.iter().enumerate() {
            if self.system.bodies[body].block.is_none() {
                continue;
            }
            let since =
                self.state.rotation(layout, body) * begin.rotation(layout, body).transpose();
            let r = self.state.position(layout, body) + since * moves * by;
            let turn = exp_quaternion(&(since * turns * by));
            let q = normalized(&multiply(&turn, &self.state.quaternion(layout, body)));
            self.state.set_pose(layout, body, &r, &q);
        }
        let held = self.held_rows();
        let positions = |r: usize| held[r] && self.system.rows[r].stage.position;
        let active: Vec<bool> = (0..held.len()).map(positions).collect();
        self.close(&|r| active[r])
    }

    /// Which rows hold what can move: not those of motions and initial conditions.
    fn held_rows(&self) -> Vec<bool> {
        let mut held = vec![false; self.system.rows.len()];
        for group in &self.system.groups {
            let holds = !matches!(group.owner, Owner::Initial(_) | Owner::Motion(_));
            held[group.rows.range()].fill(holds);
        }
        held
    }

    /// The coordinates that can move: body and direction, as 6 · body + direction.
    fn free_columns(&self) -> Vec<usize> {
        let bodies = self.system.bodies.iter().enumerate();
        let moving = bodies.filter(|(_, entry)| entry.block.is_some());
        moving
            .flat_map(|(body, entry)| (0..entry.dof).map(move |k| BLOCK * body + k))
            .collect()
    }

    /// What a unit of a coordinate is in lengths: D.
    fn unit_of(&self, column: usize) -> f64 {
        if column % BLOCK < 3 { 1.0 } else { self.length }
    }

    /// D⁻¹Z.
    fn free_motions(&self, columns: &[usize]) -> Option<DMatrix<f64>> {
        let (system, ws) = (self.system, &*self.ws);
        let mut place = vec![None; BLOCK * system.bodies.len()];
        for (n, column) in columns.iter().enumerate() {
            place[*column] = Some(n);
        }
        let held = self.held_rows();
        let mut rows = vec![None; system.rows.len()];
        let mut gradient: Vec<DVector<f64>> = Vec::new();
        for group in &system.groups {
            let marker = &ws.markers[group.i.index()];
            let arm = marker.p - ws.bodies[system.body_of(group.j)].r;
            for (k, r) in group.rows.range().enumerate().filter(|(_, r)| held[*r]) {
                let lead = group.lead + k;
                let at = *rows[lead].get_or_insert_with(|| {
                    gradient.push(DVector::zeros(columns.len()));
                    gradient.len() - 1
                });
                let loads = [ws.units[r].on_i(marker), ws.units[r].on_j(&arm)];
                for (marker, load) in [group.i, group.j].into_iter().zip(&loads) {
                    for (column, value) in flexible::spread(system, ws, marker, load) {
                        if let Some(n) = place.get(column).copied().flatten() {
                            gradient[at][n] += value / self.unit_of(column);
                        }
                    }
                }
            }
        }
        let mut all = DMatrix::zeros(gradient.len(), columns.len());
        for (r, row) in gradient.iter().enumerate() {
            // Rows of lengths and of angles count alike.
            let size = row.norm();
            if size > 0.0 {
                all.set_row(r, &(row / size).transpose());
            }
        }
        let (_, mut free) = split(&all, 0.0)?;
        for (n, column) in columns.iter().enumerate() {
            free.row_mut(n).scale_mut(1.0 / self.unit_of(*column));
        }
        Some(free)
    }

    /// The rows of C, by the columns of D⁻¹Z.
    fn chosen(&self, columns: &[usize], free: &DMatrix<f64>) -> Vec<Candidate> {
        let motions: Vec<Vec<(Vec3, Vec3)>> = (0..free.ncols())
            .map(|k| self.by_bodies(columns, &free.column(k).into_owned()))
            .collect();
        let mut candidates: Vec<(Candidate, f64)> = Vec::new();
        let mut add = |at: FreeAt, share: f64, of: &dyn Fn(&[Travel]) -> Travel| {
            let own: Vec<(Vec3, Vec3)> = motions.iter().map(|motion| of(motion)).collect();
            for k in 0..BLOCK {
                let rate =
                    |(moves, turns): &(Vec3, Vec3)| if k < 3 { moves[k] } else { turns[k - 3] };
                let row = DVector::from_iterator(own.len(), own.iter().map(rate));
                let weight = share * if k < 3 { 1.0 } else { self.length };
                candidates.push(((at, k, row), weight));
            }
        };
        for (k, joint) in self.mechanism.joints.iter().enumerate() {
            // A joint that leaves little free tells more by its coordinate.
            let free = BLOCK.saturating_sub(joints::equations(&joint.kind)).max(1);
            add(
                FreeAt::Joint(JointId::from(k)),
                1.0 / free as f64,
                &|motion| self.relative(motion, (joint.i, joint.j)),
            );
        }
        for body in 1..self.system.bodies.len() {
            add(FreeAt::Body(BodyId::from(body)), OWN, &|motion| {
                motion[body]
            });
        }
        let mut rest: Vec<DVector<f64>> = candidates
            .iter()
            .map(|((_, _, row), weight)| row * *weight)
            .collect();
        let most = rest.iter().map(DVector::norm).fold(0.0, f64::max);
        let mut chosen = Vec::new();
        while chosen.len() < free.ncols() {
            // Of equals the first.
            let mut best = 0;
            for k in 1..rest.len() {
                if rest[k].norm() > rest[best].norm() * (1.0 + MOVES) {
                    best = k;
                }
            }
            let size = rest.get(best).map_or(0.0, DVector::norm);
            if size <= MOVES * most {
                break;
            }
            let direction = &rest[best] / size;
            for row in &mut rest {
                let along = row.dot(&direction);
                *row -= &direction * along;
            }
            chosen.push(candidates[best].0.clone());
        }
        // In the order of the model.
        chosen.sort_by_key(|(at, coordinate, _)| match at {
            FreeAt::Joint(joint) => (0, joint.index(), *coordinate),
            FreeAt::Body(body) => (1, body.index(), *coordinate),
        });
        chosen
    }

    /// A motion by bodies.
    fn by_bodies(&self, columns: &[usize], motion: &DVector<f64>) -> Vec<(Vec3, Vec3)> {
        let mut all = vec![0.0; BLOCK * self.system.bodies.len()];
        for (column, value) in columns.iter().zip(motion.iter()) {
            all[*column] = *value;
        }
        (0..self.system.bodies.len())
            .map(|body| (vec3(&all, BLOCK * body), vec3(&all, BLOCK * body + 3)))
            .collect()
    }

    /// The motion of marker I from J, in the axes of J.
    fn relative(&self, motion: &[(Vec3, Vec3)], (i, j): (MarkerId, MarkerId)) -> (Vec3, Vec3) {
        let p = self.ws.markers[i.index()].p;
        let of = |marker: MarkerId| {
            let body = self.system.owner(self.system.body_of(marker));
            let (moves, turns) = motion[body];
            (moves + turns.cross(&(p - self.ws.bodies[body].r)), turns)
        };
        let (a, b) = (of(i), of(j));
        let axes = self.ws.markers[j.index()].axes.transpose();
        (axes * (a.0 - b.0), axes * (a.1 - b.1))
    }
}
