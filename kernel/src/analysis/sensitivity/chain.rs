//! Data plane, except for building: derivatives over several integration steps by the chain rule.
//!
//! A step passes c to the next one: positions, velocities, accelerations, forces, and states with their rates. So
//!
//! ```text
//! J_n δz_n = −B_n δs − (∂r/∂c)_n δc_{n−1},   δc_n = (∂c/∂z) δz_n + (∂c/∂c) δc_{n−1}       (SEN-4)
//! ```
//! for all inputs and states at once, over all accepted states of a communication step; the matrix is factored at
//! each. The earlier change of c enters as a change of the offsets of velocities and accelerations. The matrix at the
//! weights (0, 1, 0) and (0, 0, 1) gives the tangents of these offsets.

use super::acting::Acting;
use super::{BodyChange, NoDirection, Point, Sensitivity};
use crate::integrator::Scheme;
use crate::integrator::scheme::Carry;
use crate::linalg::{Quality, TileMatrix};
use crate::math::Vec3;
use crate::math::rotation::right_tangent_inverse;
use crate::mechanism::MotionLevel;
use crate::state::{State, vec3};
use crate::system::System;
use crate::system::layout::BLOCK;
use crate::system::residual::inertia;
use alloc::vec;
use alloc::vec::Vec;

/// Limit on the numbers that are carried.
const NUMBERS: usize = 500_000;

/// Derivative of everything that a step carries in one input, state or carried number.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Positions and rotations of bodies, ground axes.
    pub(super) pose: Vec<f64>,
    /// Velocities, linear in ground axes and angular in body axes; accelerations and forces likewise.
    pub(super) velocity: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
    pub(super) force: Vec<f64>,
    /// States, the scheme's rates of them, and their derivatives.
    pub(super) states: Vec<f64>,
    pub(super) rate: Vec<f64>,
    pub(super) derivative: Vec<f64>,
    /// Outputs with rows.
    pub(super) rows: Vec<f64>,
}

/// What drives a column in a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seed<'a> {
    /// An input, in every step.
    Input(usize),
    /// A parameter, in this step.
    Parameter(&'a Acting),
    /// What the column begins with.
    Nothing,
}

impl<'a> Seed<'a> {
    fn acting(self) -> Option<&'a Acting> {
        match self {
            Self::Parameter(acting) => Some(acting),
            Self::Input(_) | Self::Nothing => None,
        }
    }
}

impl Column {
    pub(super) fn new(bodies: usize, equations: usize, rows: usize) -> Self {
        let six = vec![0.0; BLOCK * bodies];
        let states = vec![0.0; equations];
        Self {
            pose: six.clone(),
            velocity: six.clone(),
            acceleration: six.clone(),
            force: six,
            states: states.clone(),
            rate: states.clone(),
            derivative: states,
            rows: vec![0.0; rows],
        }
    }

    fn parts(&mut self) -> [&mut Vec<f64>; 8] {
        [
            &mut self.pose,
            &mut self.velocity,
            &mut self.acceleration,
            &mut self.force,
            &mut self.states,
            &mut self.rate,
            &mut self.derivative,
            &mut self.rows,
        ]
    }

    pub(super) fn clear(&mut self) {
        for part in self.parts() {
            part.fill(0.0);
        }
    }
}

/// All columns: first those of inputs, then those of states.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    columns: Vec<Column>,
    /// The sum of columns along a direction.
    sum: Column,
    /// Tangents in velocities and in accelerations.
    tangents: [TileMatrix; 2],
    /// Changes of the offsets, by bodies.
    offsets: [Vec<f64>; 2],
    /// Change of the carried inertial forces, by bodies.
    history: Vec<f64>,
    /// Do the columns belong to the state that was prepared?
    pub(super) is_done: bool,
}

impl Chain {
    /// `None` if the chain rule does not cover all that a mechanism carries: flexible bodies, samples, sensors,
    /// delays, the memory of contacts, and motions that prescribe rates are not covered. Control plane.
    pub(super) fn new(system: &System, rows: usize, tangents: [TileMatrix; 2]) -> Option<Self> {
        let by_rate = |level| level != MotionLevel::Displacement;
        if !system.flexibles.is_empty()
            || !system.memory.is_empty()
            || system.layout.contacts.len > 0
            || system.motions.iter().any(|motion| by_rate(motion.level))
        {
            return None;
        }
        let (bodies, equations) = (system.bodies.len(), system.equations.len());
        let count = system.layout.inputs.len + equations;
        let numbers = 4 * BLOCK * bodies + 3 * equations + rows;
        if count * numbers > NUMBERS {
            return None;
        }
        let column = Column::new(bodies, equations, rows);
        Some(Self {
            columns: vec![column.clone(); count],
            offsets: [vec![0.0; BLOCK * bodies], vec![0.0; BLOCK * bodies]],
            history: vec![0.0; BLOCK * bodies],
            sum: column,
            tangents,
            is_done: false,
        })
    }

    /// Offsets and carried inertial forces of a column, for the step that led to a state.
    fn offset(
        &mut self,
        (system, state): (&System, &State),
        (scheme, carry): (&Scheme, &Carry),
        (column, acting): (&Column, Option<&Acting>),
    ) {
        let w = &scheme.weights;
        for body in 0..system.bodies.len() {
            let at = BLOCK * body;
            let rotation = state.rotation(&system.layout, body);
            let (_, theta) = state.rates(system.layout.moved, body);
            let tangent = right_tangent_inverse(&(rotation * theta));
            let moved = [
                vec3(&column.pose, at),
                rotation.tr_mul(&(tangent * vec3(&column.pose, at + 3))),
            ];
            let mut carried = [Vec3::zeros(); 2];
            for (part, moved) in moved.iter().enumerate() {
                let at = at + 3 * part;
                let u = vec3(&column.velocity, at);
                let a = vec3(&column.acceleration, at);
                let by = [
                    u * carry.velocity[0] + a * carry.velocity[1] - moved * w.u,
                    u * carry.acceleration[0] + a * carry.acceleration[1] - moved * w.a,
                ];
                for (offsets, by) in self.offsets.iter_mut().zip(by) {
                    offsets[at..at + 3].copy_from_slice(by.as_slice());
                }
                carried[part] = a;
            }
            if system.bodies[body].block.is_none() {
                continue;
            }
            let (mut force, mut torque) =
                inertia(system, state, body).times(&carried[0], &carried[1]);
            if let Some(acting) = acting {
                let (linear, angular) = state.rates(system.layout.last_acceleration, body);
                let more = acting.inertia(system, body).times(&linear, &angular);
                force += more.0;
                torque += more.1;
            }
            let [of_inertia, of_force] = carry.history;
            for (part, load) in [force, torque].iter().enumerate() {
                let at = at + 3 * part;
                let kept = load * of_inertia - vec3(&column.force, at) * of_force;
                self.history[at..at + 3].copy_from_slice(kept.as_slice());
            }
        }
    }

    /// Updates a column with the solution of a step.
    fn accept(
        &self,
        (system, state): (&System, &State),
        (scheme, carry): (&Scheme, &Carry),
        (column, acting): (&mut Column, Option<&Acting>),
        solution: &[f64],
    ) {
        let w = &scheme.weights;
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let at = BLOCK * body;
            let change = Sensitivity::of_body(system, state, (body, w), solution);
            let moved = [change.velocity / w.u, change.spin / w.u];
            let mut accelerations = [Vec3::zeros(); 2];
            for (part, moved) in moved.iter().enumerate() {
                let at = at + 3 * part;
                // The offsets contain the earlier change of the pose.
                let u = moved * w.u + vec3(&self.offsets[0], at);
                let a = moved * w.a + vec3(&self.offsets[1], at);
                column.velocity[at..at + 3].copy_from_slice(u.as_slice());
                column.acceleration[at..at + 3].copy_from_slice(a.as_slice());
                accelerations[part] = a;
            }
            let [linear, angular] = &accelerations;
            let (mut force, mut torque) = inertia(system, state, body).times(linear, angular);
            if let Some(acting) = acting {
                let (linear, angular) = state.rates(system.layout.acceleration, body);
                let more = acting.inertia(system, body).times(&linear, &angular);
                force += more.0;
                torque += more.1;
            }
            for (part, load) in [force, torque].iter().enumerate() {
                let at = at + 3 * part;
                let kept = load * scheme.inertia_weight + vec3(&self.history, at);
                column.force[at..at + 3].copy_from_slice(kept.as_slice());
            }
            let pose = &solution[block.offset()..][..entry.dof];
            column.pose[at..at + entry.dof].copy_from_slice(pose);
        }
        let [current, of_derivative, of_rate, gamma] = carry.states;
        let h = carry.h;
        for (k, entry) in system.equations.iter().enumerate() {
            let value = entry.weight(w) * solution[entry.block.offset() + entry.place];
            let before = core::mem::replace(&mut column.states[k], value);
            if entry.is_algebraic() {
                continue;
            }
            let mean = (value - before) / h;
            let (g, rate) = (column.derivative[k], column.rate[k]);
            column.derivative[k] = (mean - of_derivative * g - of_rate * rate) / current;
            column.rate[k] = (mean - (1.0 - gamma) * rate) / gamma;
        }
    }
}

impl Sensitivity {
    /// Does the chain rule cover the steps of a communication step, and all outputs that are shown after it?
    pub fn chains(&self, system: &System, point: &Point) -> bool {
        self.carries(point) && shows_own_accelerations(system, point)
    }

    /// Does the chain rule cover all that these steps carry?
    pub fn carries(&self, point: &Point) -> bool {
        self.chain.is_some() && self.is_analytic(point)
    }

    /// (SEN-4) for all inputs and states, through the accepted states of a communication step. The last of them is
    /// the state that was prepared.
    pub fn follow_steps<'a>(
        &mut self,
        system: &System,
        states: impl Iterator<Item = &'a State>,
        (scheme, carry): (&Scheme, &Carry),
    ) -> Result<(), NoDirection> {
        let Some(mut chain) = self.chain.take() else {
            return Ok(());
        };
        let mut result = Ok(());
        if !chain.is_done {
            let mut columns = core::mem::take(&mut chain.columns);
            columns.iter_mut().for_each(Column::clear);
            let inputs = system.layout.inputs.len;
            for (k, column) in columns.iter_mut().skip(inputs).enumerate() {
                column.states[k] = 1.0;
            }
            let seed = |n: usize| match n {
                input if input < inputs => Seed::Input(input),
                _ => Seed::Nothing,
            };
            for state in states {
                let at = (system, state);
                result = self.pass(&mut chain, at, (scheme, carry), &mut columns, seed);
                if result.is_err() {
                    break;
                }
            }
            chain.columns = columns;
            chain.is_done = result.is_ok();
        }
        self.chain = Some(chain);
        result
    }

    /// Advances columns by one step.
    pub(super) fn pass<'a>(
        &mut self,
        chain: &mut Chain,
        (system, state): (&System, &State),
        (scheme, carry): (&Scheme, &Carry),
        columns: &mut [Column],
        seed: impl Fn(usize) -> Seed<'a>,
    ) -> Result<(), NoDirection> {
        let Some(wide) = &mut self.wide else {
            return Ok(());
        };
        wide.evaluate((system, state), scheme, &mut self.ws.matrix);
        wide.offset_tangents(scheme, &mut chain.tangents);
        if let Quality::Singular { block } = self.factor.refactor(&self.ws.matrix) {
            return Err(NoDirection(block));
        }
        for (n, column) in columns.iter_mut().enumerate() {
            let seed = seed(n);
            let acting = seed.acting();
            chain.offset((system, state), (scheme, carry), (column, acting));
            self.rates.fill(0.0);
            if let Seed::Input(input) = seed {
                self.rates[input] = 1.0;
            }
            let rhs = &mut self.ws.rhs;
            match acting {
                Some(acting) => rhs.copy_from_slice(acting.on_equations()),
                None => rhs.fill(0.0),
            }
            wide.respond(&self.rates, rhs);
            load(system, state, (scheme, &chain.history), rhs);
            let [_, of_derivative, of_rate, _] = carry.states;
            for (k, entry) in system.equations.iter().enumerate() {
                if !entry.is_algebraic() {
                    let fixed = of_derivative * column.derivative[k] + of_rate * column.rate[k];
                    rhs[entry.block.offset() + entry.place] +=
                        carry.h * (column.states[k] + carry.h * fixed);
                }
            }
            let offsets = &chain.offsets;
            wide.by_offsets(state, (&chain.tangents, offsets), rhs, &mut self.side_rows);
            self.factor.solve(rhs);
            self.solution.copy_from_slice(rhs);
            let own = (&mut *column, acting);
            chain.accept((system, state), (scheme, carry), own, &self.solution);
            let rows = &mut column.rows;
            wide.show(&self.solution, &self.rates, rows);
            for (row, more) in rows.iter_mut().zip(&self.side_rows) {
                *row += more / scheme.scale;
            }
            if let Some(acting) = acting {
                acting.add_to_outputs(rows);
            }
        }
        Ok(())
    }

    /// The sum of the columns along the seed.
    pub fn add_columns(&mut self, system: &System) {
        let Some(chain) = &mut self.chain else { return };
        chain.sum.clear();
        let layout = &system.layout;
        let seeds = [layout.inputs, layout.states];
        let seeds = seeds.iter().flat_map(|span| &self.seed[span.range()]);
        for (seed, column) in seeds.zip(&mut chain.columns) {
            if *seed == 0.0 {
                continue;
            }
            for (sum, part) in chain.sum.parts().into_iter().zip(column.parts()) {
                for (sum, x) in sum.iter_mut().zip(part) {
                    *sum += seed * *x;
                }
            }
        }
        self.rows.copy_from_slice(&chain.sum.rows);
        self.values.copy_from_slice(&chain.sum.states);
        self.by_rows = true;
        self.by_chain = true;
    }

    /// Change of a body's motion along the last direction.
    pub fn body_change(
        &self,
        (system, base): (&System, &State),
        body: usize,
        point: &Point,
    ) -> BodyChange {
        match &self.chain {
            Some(chain) if self.by_chain => {
                let (sum, at) = (&chain.sum, BLOCK * body);
                BodyChange {
                    place: vec3(&sum.pose, at),
                    turn: vec3(&sum.pose, at + 3),
                    velocity: vec3(&sum.velocity, at),
                    spin: vec3(&sum.velocity, at + 3),
                }
            }
            _ => Self::of_body(system, base, (body, &point.weights()), &self.solution),
        }
    }
}

/// Are the accelerations that outputs read those of the scheme? HHT and generalized-α show those of the instant.
pub fn shows_own_accelerations(system: &System, point: &Point) -> bool {
    let Point::Step(scheme) = point else {
        return false;
    };
    !system.schedule.shows_accelerations || scheme.inertia_weight == 1.0
}

/// Carried inertial forces, from the right-hand side.
fn load(system: &System, state: &State, (scheme, history): (&Scheme, &[f64]), rhs: &mut [f64]) {
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        let at = BLOCK * body;
        let force = vec3(history, at) * scheme.scale;
        let torque = state.rotation(&system.layout, body) * vec3(history, at + 3) * scheme.scale;
        for k in 0..3 {
            rhs[block.offset() + k] -= force[k];
            if entry.dof == BLOCK {
                rhs[block.offset() + 3 + k] -= torque[k];
            }
        }
    }
}
