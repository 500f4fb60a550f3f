//! Control plane: computes velocities and accelerations of steady motion, (EQU-5), from conditions in order of
//! priority. First, the constraints must hold. Then no part may move against a stiffness; then none against a damping;
//! then parts move with those to which joints connect them; then with those to which forces connect them; then not at
//! all. Each condition is met in the least-squares sense, as far as the earlier ones leave freedom.

use super::null_space::{body_columns, evaluate, gradient, rows, split};
use super::resists::{self, By, Resisted};
use crate::elements::kinematics::BodyKinematics;
use crate::ids::MarkerId;
use crate::linalg::TILE;
use crate::math::Vec3;
use crate::math::rotation::skew;
use crate::state::State;
use crate::system::System;
use crate::system::layout::Span;
use crate::system::residual::{Level, larger};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;
use nalgebra::{DMatrix, DVector};

/// Rates of constraints below this count as zero [1/s].
const STILL: f64 = 1e-12;
/// Largest error of constraints, as a fraction of the largest rate.
const MISSED: f64 = 1e-8;

/// Number of conditions.
const CONDITIONS: usize = 6;

/// One condition: its rows over the unknowns, and their target values.
type Condition = (DMatrix<f64>, DVector<f64>);

/// Do the constraints require rates of a state without velocities?
pub(super) fn given_rates(system: &System, state: &State, ws: &mut Workspace) -> bool {
    evaluate(system, state, ws, Level::Velocity);
    rows(system).iter().any(|r| ws.rhs[*r].abs() > STILL)
}

/// How to meet one condition: the map from its error to the unknowns, and which of its rows earlier ones leave free.
type Corrector = (DMatrix<f64>, Vec<bool>);

/// How all conditions are met at a pose: the map of each, and the resulting velocities and accelerations.
pub(super) struct Correctors {
    all: Vec<Corrector>,
    found: [DVector<f64>; 2],
    /// Is every condition met as far as earlier ones leave freedom, and is no freedom left? Then the maps are also
    /// valid for nearby poses, to first order in the distance.
    pub(super) hold: bool,
}

/// Gives a state velocities and accelerations of steady motion; returns the largest acceleration, or `None` if there
/// is no such motion. Given `correctors` must hold and belong to a nearby pose; otherwise they are computed here.
pub(super) fn set_steady_rates(
    (system, state, ws): (&System, &mut State, &mut Workspace),
    length: f64,
    correctors: &mut Option<Correctors>,
) -> Option<f64> {
    let layout = &system.layout;
    let (rows, columns) = (rows(system), body_columns(system));
    state.span_mut(layout.velocity).fill(0.0);
    state.span_mut(layout.acceleration).fill(0.0);
    evaluate(system, state, ws, Level::Velocity);
    let wanted = |ws: &Workspace| -> DVector<f64> {
        DVector::from_iterator(rows.len(), rows.iter().map(|r| -ws.rhs[*r]))
    };
    let rates = wanted(ws);
    let mut own = gradient(system, state, ws, (&rows, &columns));
    // Angles as arcs over the characteristic length.
    let angular = |c: usize| columns[c] % TILE >= 3;
    for c in (0..columns.len()).filter(|c| angular(*c)) {
        own.column_mut(c).scale_mut(1.0 / length);
    }
    let ties = Ties::new(system, length, &columns);
    let still = |_: &BodyKinematics, _: &BodyKinematics, _: &Vec3| (Vec3::zeros(), Vec3::zeros());
    let conditions = ties.conditions((state, ws), (&own, rates), &still);
    let near = correctors.take();
    let (own_correctors, mut hold) = match &near {
        Some(_) => (Vec::new(), true),
        None => correctors_of(&conditions, columns.len())?,
    };
    let all = near.as_ref().map_or(&own_correctors, |near| &near.all);
    let from = |k: usize| near.as_ref().map(|near| &near.found[k]);
    let velocities = meet(all, (&conditions, from(0)), &mut hold)?;
    ties.set(state, layout.velocity, &velocities);
    evaluate(system, state, ws, Level::Acceleration);
    let conditions = ties.conditions((state, ws), (&own, wanted(ws)), &steady_difference);
    let gains = meet(all, (&conditions, from(1)), &mut hold)?;
    ties.set(state, layout.acceleration, &gains);
    evaluate(system, state, ws, Level::Acceleration);
    *correctors = Some(near.unwrap_or(Correctors {
        all: own_correctors,
        found: [velocities, gains],
        hold,
    }));
    let most = ws.bodies.iter().fold(0.0, |most: f64, body| {
        let turns = body.omega.norm_squared() * length;
        larger(larger(most, body.a.norm()), turns)
    });
    Some(most)
}

/// The map of each condition within the freedom that earlier ones leave, and whether no freedom is left at the end.
/// `None` if a number is not finite.
fn correctors_of(conditions: &[Condition; CONDITIONS], n: usize) -> Option<(Vec<Corrector>, bool)> {
    let mut free = DMatrix::identity(n, n);
    let mut all = Vec::new();
    for (k, (rows, _)) in conditions.iter().enumerate() {
        let left = rows * &free;
        let size = rows.amax();
        let (inverse, rest) = split(&left, size)?;
        // A pair whose motion earlier conditions determine has zero rows.
        let is_free = |r: usize| {
            let first = r - r % TILE;
            let count = TILE.min(left.nrows() - first);
            k == 0 || left.rows(first, count).amax() > MISSED * size
        };
        all.push((&free * inverse, (0..rows.nrows()).map(is_free).collect()));
        free *= rest;
        if free.ncols() == 0 {
            // The last condition (no motion) involves no ties: its map would change with the freedom that they leave.
            return Some((all, k + 1 < conditions.len()));
        }
    }
    Some((all, false))
}

/// Meets the conditions in turn, starting from a solution near by; are all met? `None` if constraints cannot be met.
fn meet(
    correctors: &[Corrector],
    (conditions, near): (&[Condition; CONDITIONS], Option<&DVector<f64>>),
    hold: &mut bool,
) -> Option<DVector<f64>> {
    let n = conditions[0].0.ncols();
    let mut found = near.cloned().unwrap_or_else(|| DVector::zeros(n));
    for (k, ((corrector, is_free), (rows, to))) in correctors.iter().zip(conditions).enumerate() {
        let missing = to - rows * &found;
        found += corrector * missing;
        if near.is_some() {
            continue;
        }
        let missed = to - rows * &found;
        let open = missed.iter().zip(is_free).filter(|(_, free)| **free);
        let left = open.fold(0.0, |most, (x, _)| larger(most, x.abs()));
        if k == 0 && left > MISSED * to.amax() + STILL {
            return None;
        }
        let size = to.amax() + rows.amax() * found.amax();
        *hold &= left <= MISSED * size + STILL;
    }
    Some(found)
}

/// Difference of the accelerations at a tie when I moves steadily relative to J: of the point, and angular.
fn steady_difference(i: &BodyKinematics, j: &BodyKinematics, p: &Vec3) -> (Vec3, Vec3) {
    let swept = |body: &BodyKinematics| body.omega.cross(&body.omega.cross(&(p - body.r)));
    let speed = |body: &BodyKinematics| body.v + body.omega.cross(&(p - body.r));
    let relative = speed(i) - speed(j);
    let point = j.omega.cross(&relative) * 2.0 - swept(i) + swept(j);
    (point, j.omega.cross(&i.omega))
}

/// The pairs of bodies that joints and forces connect.
struct Ties<'a> {
    system: &'a System,
    length: f64,
    columns: &'a [usize],
    /// Index of each body's first coordinate among the unknowns.
    first: Vec<Option<usize>>,
    /// The joints.
    joints: Vec<Tie>,
    /// The forces, by their index.
    forces: Vec<usize>,
}

/// Two markers, and the directions in which they must not move relative to each other.
type Tie = (MarkerId, MarkerId, Resisted);

impl<'a> Ties<'a> {
    fn new(system: &'a System, length: f64, columns: &'a [usize]) -> Self {
        let mut first = vec![None; system.bodies.len()];
        let mut n = 0;
        for (body, entry) in system.bodies.iter().enumerate() {
            if entry.block.is_some() {
                first[body] = Some(n);
                n += entry.dof;
            }
        }
        let apart = |i: MarkerId, j: MarkerId| {
            let [a, b] = [i, j].map(|m| system.owner(system.body_of(m)));
            a != b
        };
        let groups = system.groups.iter().filter(|group| apart(group.i, group.j));
        let mut joints: Vec<Tie> = groups
            .map(|group| (group.i, group.j, resists::everything()))
            .collect();
        joints.dedup();
        let forces = system.forces.iter().enumerate();
        let forces = forces.filter(|(_, force)| force.reacts && apart(force.i, force.j));
        Self {
            system,
            length,
            columns,
            first,
            joints,
            forces: forces.map(|(k, _)| k).collect(),
        }
    }

    /// All conditions, in order of priority.
    fn conditions(
        &self,
        (state, ws): (&State, &Workspace),
        (own, wanted): (&DMatrix<f64>, DVector<f64>),
        differ: &dyn Fn(&BodyKinematics, &BodyKinematics, &Vec3) -> (Vec3, Vec3),
    ) -> [Condition; CONDITIONS] {
        let n = self.columns.len();
        let at = (self.system, state, ws);
        let forces = || self.forces.iter().map(|k| &self.system.forces[*k]);
        let by = |by: By| {
            let ties: Vec<Tie> = forces()
                .map(|force| (force.i, force.j, resists::directions(at, force, by)))
                .collect();
            self.condition(ws, &ties, differ)
        };
        let all: Vec<Tie> = forces()
            .map(|force| (force.i, force.j, resists::ties(at, force)))
            .collect();
        [
            (own.clone(), wanted),
            by(By::Stiffness),
            by(By::Damping),
            self.condition(ws, &self.joints, differ),
            self.condition(ws, &all, differ),
            (DMatrix::identity(n, n), DVector::zeros(n)),
        ]
    }

    /// The condition that pairs move alike, in their directions.
    fn condition(
        &self,
        ws: &Workspace,
        ties: &[Tie],
        differ: &dyn Fn(&BodyKinematics, &BodyKinematics, &Vec3) -> (Vec3, Vec3),
    ) -> Condition {
        let mut rows = DMatrix::zeros(TILE * ties.len(), self.columns.len());
        let mut to = DVector::zeros(rows.nrows());
        for (n, (i, j, resisted)) in ties.iter().enumerate() {
            let p = ws.markers[i.index()].p;
            let bodies = [*i, *j].map(|m| self.system.owner(self.system.body_of(m)));
            let turning = bodies.iter().all(|b| {
                let entry = &self.system.bodies[*b];
                entry.block.is_none() || entry.dof == TILE
            });
            for (body, sign) in bodies.iter().zip([1.0, -1.0]) {
                let Some(first) = self.first[*body] else {
                    continue;
                };
                let arm = skew(&(p - ws.bodies[*body].r));
                for r in 0..3 {
                    rows[(TILE * n + r, first + r)] += sign;
                    if self.system.bodies[*body].dof < TILE {
                        continue;
                    }
                    for c in 0..3 {
                        rows[(TILE * n + r, first + 3 + c)] -= sign * arm[(r, c)] / self.length;
                    }
                    if turning {
                        rows[(TILE * n + 3 + r, first + 3 + r)] += sign;
                    }
                }
            }
            for (k, along) in resisted.iter().enumerate() {
                let mut own = rows.fixed_rows_mut::<3>(TILE * n + 3 * k);
                let kept = along * &own;
                own.copy_from(&kept);
            }
            let (point, turn) = differ(&ws.bodies[bodies[0]], &ws.bodies[bodies[1]], &p);
            let (point, turn) = (resisted[0] * point, resisted[1] * turn);
            for r in 0..3 {
                to[TILE * n + r] = point[r];
                if turning {
                    to[TILE * n + 3 + r] = turn[r] * self.length;
                }
            }
        }
        (rows, to)
    }

    /// Writes rates of bodies into a state; modal coordinates get zero.
    fn set(&self, state: &mut State, span: Span, x: &DVector<f64>) {
        let system = self.system;
        for (body, first) in self.first.iter().enumerate() {
            let Some(first) = *first else { continue };
            let linear = Vec3::new(x[first], x[first + 1], x[first + 2]);
            let mut angular = Vec3::zeros();
            if system.bodies[body].dof == TILE {
                let ground = Vec3::new(x[first + 3], x[first + 4], x[first + 5]) / self.length;
                angular = state.rotation(&system.layout, body).tr_mul(&ground);
            }
            state.set_rates(span, body, &linear, &angular);
        }
    }
}
