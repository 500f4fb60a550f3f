//! Control plane: the velocities and accelerations of steady motion, (EQU-5), one wish after another: constraints are met, then
//! parts move like those that joints tie them to, then like those that forces tie them to, then not at all. Each wish is met as
//! far as those before it allow, in the least squares.

use super::place::{body_columns, evaluate, gradient, rows, split};
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

/// Rates of constraints below this are none [1/s].
const STILL: f64 = 1e-12;
/// Part of the largest rate by which constraints may be missed.
const MISSED: f64 = 1e-8;

/// One wish: rows by the unknowns, and what they are to be.
type Wish = (DMatrix<f64>, DVector<f64>);

/// Do constraints want rates of a state without velocities?
pub(super) fn given_rates(system: &System, state: &State, ws: &mut Workspace) -> bool {
    evaluate(system, state, ws, Level::Velocity);
    rows(system).iter().any(|r| ws.rhs[*r].abs() > STILL)
}

/// Gives a state velocities and accelerations of steady motion; the largest acceleration. `None`: there are none.
pub(super) fn carry(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    length: f64,
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
    let velocities = ties.solve(ws, (&own, rates), &|_, _, _| (Vec3::zeros(), Vec3::zeros()))?;
    ties.set(state, layout.velocity, &velocities);
    evaluate(system, state, ws, Level::Acceleration);
    let gains = ties.solve(ws, (&own, wanted(ws)), &carried_along)?;
    ties.set(state, layout.acceleration, &gains);
    evaluate(system, state, ws, Level::Acceleration);
    let most = ws.bodies.iter().fold(0.0, |most: f64, body| {
        let turns = body.omega.norm_squared() * length;
        larger(larger(most, body.a.norm()), turns)
    });
    Some(most)
}

/// What the accelerations at a tie differ by where I moves steadily relative to J: those of the point, and angular ones.
fn carried_along(i: &BodyKinematics, j: &BodyKinematics, p: &Vec3) -> (Vec3, Vec3) {
    let swept = |body: &BodyKinematics| body.omega.cross(&body.omega.cross(&(p - body.r)));
    let speed = |body: &BodyKinematics| body.v + body.omega.cross(&(p - body.r));
    let relative = speed(i) - speed(j);
    let point = j.omega.cross(&relative) * 2.0 - swept(i) + swept(j);
    (point, j.omega.cross(&i.omega))
}

/// What ties bodies together.
struct Ties<'a> {
    system: &'a System,
    length: f64,
    columns: &'a [usize],
    /// Where each body's coordinates begin among the unknowns.
    first: Vec<Option<usize>>,
    /// Pairs of markers: of joints, and of forces.
    pairs: [Vec<(MarkerId, MarkerId)>; 2],
}

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
        let joints = system.groups.iter().map(|group| (group.i, group.j));
        let forces = system.forces.iter().filter(|force| force.reacts);
        let apart = |pair: &(MarkerId, MarkerId)| {
            let [a, b] = [pair.0, pair.1].map(|m| system.owner(system.body_of(m)));
            a != b
        };
        let mut pairs = [
            joints.filter(apart).collect::<Vec<_>>(),
            forces
                .map(|force| (force.i, force.j))
                .filter(apart)
                .collect(),
        ];
        for list in &mut pairs {
            list.dedup();
        }
        Self {
            system,
            length,
            columns,
            first,
            pairs,
        }
    }

    /// Wish after wish.
    fn solve(
        &self,
        ws: &Workspace,
        (own, wanted): (&DMatrix<f64>, DVector<f64>),
        differ: &dyn Fn(&BodyKinematics, &BodyKinematics, &Vec3) -> (Vec3, Vec3),
    ) -> Option<DVector<f64>> {
        let n = self.columns.len();
        let (mut found, mut free) = (DVector::zeros(n), DMatrix::identity(n, n));
        let constraints = (own.clone(), wanted);
        let still = (DMatrix::identity(n, n), DVector::zeros(n));
        let [joints, forces] = [0, 1].map(|k| self.wish(ws, &self.pairs[k], differ));
        for (k, (rows, to)) in [constraints, joints, forces, still].iter().enumerate() {
            let missing = to - rows * &found;
            let (inverse, rest) = split(&(rows * &free), rows.amax())?;
            found += &free * (inverse * &missing);
            free *= rest;
            if k == 0 {
                let left = (to - rows * &found).amax();
                if left > MISSED * to.amax() + STILL {
                    return None;
                }
            }
            if free.ncols() == 0 {
                break;
            }
        }
        Some(found)
    }

    /// That pairs move alike.
    fn wish(
        &self,
        ws: &Workspace,
        pairs: &[(MarkerId, MarkerId)],
        differ: &dyn Fn(&BodyKinematics, &BodyKinematics, &Vec3) -> (Vec3, Vec3),
    ) -> Wish {
        let mut rows = DMatrix::zeros(TILE * pairs.len(), self.columns.len());
        let mut to = DVector::zeros(rows.nrows());
        for (n, (i, j)) in pairs.iter().enumerate() {
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
            let (point, turn) = differ(&ws.bodies[bodies[0]], &ws.bodies[bodies[1]], &p);
            for r in 0..3 {
                to[TILE * n + r] = point[r];
                if turning {
                    to[TILE * n + 3 + r] = turn[r] * self.length;
                }
            }
        }
        (rows, to)
    }

    /// Writes rates of bodies into a state; modal coordinates have none.
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
