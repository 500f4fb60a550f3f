//! Control plane: the matrices of a communication step: how everything that it carries over follows from everything that
//! the step before carried, from inputs, and from parameters.
//!
//! ```text
//! δc_n = A δc_{n−1} + B δu,    δy_n = C δc_{n−1} + D δu                                        (SEN-9)
//! ```
//! The columns of A and C are those of (SEN-4), each begun with one carried number; those of B and D are the columns of
//! inputs, then those of parameters. c has all that the scheme reads: with backward Euler poses and velocities, with HHT
//! accelerations and forces too. Bodies that joints hold have all their coordinates in c; changes that violate the constraints
//! are allowed, since a step does not read multipliers.

use super::acting::{Acting, Numbers};
use super::chain::{Column, Seed};
use super::{NoDirection, Sensitivity};
use crate::ids::{BodyId, EquationId, OutputId, ParameterId};
use crate::integrator::scheme::Carry;
use crate::integrator::{Scheme, states};
use crate::math::rotation::multiply;
use crate::state::State;
use crate::system::System;
use crate::system::layout::{BLOCK, POSE, STATE_HISTORY};
use alloc::vec;
use alloc::vec::Vec;

/// What a carried number is. Of bodies: of the centre of mass, in SI units; positions, rotations, velocities, accelerations
/// and forces in ground axes, angular velocities, angular accelerations and torques in body axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarriedKind {
    /// Position and rotation.
    Pose,
    /// Velocity and angular velocity.
    Velocity,
    /// Acceleration and angular acceleration.
    Acceleration,
    /// Inertial force and torque at the end of the last step.
    Force,
    /// A state.
    State,
    /// The scheme's own rate of a state.
    Rate,
    /// The derivative of a state.
    Derivative,
}

/// Whose a carried number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarriedBy {
    /// A body, and which of its six coordinates: three translations, three rotations.
    Body(BodyId, usize),
    /// A differential equation.
    Equation(EquationId),
}

/// A carried number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Whose.
    pub by: CarriedBy,
    /// Which.
    pub kind: CarriedKind,
}

impl Carried {
    /// The change of the number from one state to another; of a rotation, by small angles about the axes of ground.
    fn change(&self, system: &System, from: &State, to: &State) -> f64 {
        let layout = &system.layout;
        let place = match (self.by, self.kind) {
            (CarriedBy::Body(body, k), CarriedKind::Pose) if k >= 3 => {
                let [a, b] = [from, to].map(|state| state.quaternion(layout, body.index()));
                let turn = multiply(&b, &[a[0], -a[1], -a[2], -a[3]]);
                return 2.0 * turn[k - 2] * turn[0].signum();
            }
            (CarriedBy::Body(body, k), kind) => {
                let (span, each) = match kind {
                    CarriedKind::Pose => (layout.pose, POSE),
                    CarriedKind::Velocity => (layout.velocity, BLOCK),
                    CarriedKind::Acceleration => (layout.acceleration, BLOCK),
                    _ => (layout.forces, BLOCK),
                };
                span.first + each * body.index() + k
            }
            (CarriedBy::Equation(k), CarriedKind::State) => layout.states.first + k.index(),
            (CarriedBy::Equation(k), kind) => {
                let history = layout.state_history.first + STATE_HISTORY * k.index();
                let of_rate = kind == CarriedKind::Rate;
                history
                    + if of_rate {
                        states::RATE
                    } else {
                        states::DERIVATIVE
                    }
            }
        };
        to.reals[place] - from.reals[place]
    }
}

/// The changes of all that the steps of a scheme carry, from one state to another near it.
pub fn carried_changes(system: &System, carry: &Carry, (from, to): (&State, &State)) -> Vec<f64> {
    let all = carried(system, carry);
    all.iter().map(|own| own.change(system, from, to)).collect()
}

impl StepMatrices {
    /// Number of columns of B and D.
    pub fn knowns(&self) -> usize {
        self.inputs + self.parameters.len()
    }

    /// Keeps the rows of some outputs.
    pub fn keep_outputs(&mut self, keep: impl Fn(OutputId) -> bool) {
        let kept: Vec<bool> = self.outputs.iter().map(|output| keep(*output)).collect();
        let row_of = |width: usize| {
            let kept = kept.clone();
            move |place: usize| kept.get(place / width.max(1)).copied().unwrap_or(false)
        };
        let knowns = self.knowns();
        for (matrix, width) in [(&mut self.c, self.carried.len()), (&mut self.d, knowns)] {
            let (wanted, mut place) = (row_of(width), 0..);
            matrix.retain(|_| place.next().is_some_and(&wanted));
        }
        let mut flags = kept.iter();
        self.outputs
            .retain(|_| flags.next().copied().unwrap_or(false));
    }
}

/// (SEN-9), each matrix row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepMatrices {
    /// c.
    pub carried: Vec<Carried>,
    /// y: the outputs with rows.
    pub outputs: Vec<OutputId>,
    /// Number of inputs, whose columns of B and D come first.
    pub inputs: usize,
    /// The parameters of the other columns.
    pub parameters: Vec<ParameterId>,
    /// A.
    pub a: Vec<f64>,
    /// B.
    pub b: Vec<f64>,
    /// C.
    pub c: Vec<f64>,
    /// D.
    pub d: Vec<f64>,
}

impl Column {
    /// A carried number.
    fn at(&mut self, carried: Carried) -> &mut f64 {
        let place = match carried.by {
            CarriedBy::Body(body, k) => BLOCK * body.index() + k,
            CarriedBy::Equation(equation) => equation.index(),
        };
        let part = match carried.kind {
            CarriedKind::Pose => &mut self.pose,
            CarriedKind::Velocity => &mut self.velocity,
            CarriedKind::Acceleration => &mut self.acceleration,
            CarriedKind::Force => &mut self.force,
            CarriedKind::State => &mut self.states,
            CarriedKind::Rate => &mut self.rate,
            CarriedKind::Derivative => &mut self.derivative,
        };
        &mut part[place]
    }
}

/// What the steps of a scheme carry.
fn carried(system: &System, carry: &Carry) -> Vec<Carried> {
    let mut kinds = vec![CarriedKind::Pose, CarriedKind::Velocity];
    if [carry.velocity[1], carry.acceleration[1], carry.history[0]] != [0.0; 3] {
        kinds.push(CarriedKind::Acceleration);
    }
    if carry.history[1] != 0.0 {
        kinds.push(CarriedKind::Force);
    }
    let mut all = Vec::new();
    for kind in kinds {
        for (body, entry) in system.bodies.iter().enumerate() {
            let dof = entry.block.map_or(0, |_| entry.dof);
            all.extend((0..dof).map(|k| Carried {
                by: CarriedBy::Body(BodyId::from(body), k),
                kind,
            }));
        }
    }
    let [_, of_derivative, of_rate, _] = carry.states;
    let mut kinds = vec![CarriedKind::State];
    if of_rate != 0.0 {
        kinds.push(CarriedKind::Rate);
    }
    if of_derivative != 0.0 {
        kinds.push(CarriedKind::Derivative);
    }
    for kind in kinds {
        let all_of = system.equations.iter().enumerate();
        let own = all_of.filter(|(_, entry)| !entry.is_algebraic());
        all.extend(own.map(|(k, _)| Carried {
            by: CarriedBy::Equation(EquationId::from(k)),
            kind,
        }));
    }
    all
}

impl Sensitivity {
    /// (SEN-9) over accepted states, the last of which is the state that was prepared. `None`: the chain rule does not cover
    /// these steps.
    pub fn step_matrices<'a>(
        &mut self,
        system: &System,
        states: impl Iterator<Item = &'a State>,
        (scheme, carry): (&Scheme, &Carry),
        (parameters, numbers): (&[ParameterId], Numbers<'_>),
    ) -> Result<Option<StepMatrices>, NoDirection> {
        let (Some(mut chain), Some(wide)) = (self.chain.take(), &self.wide) else {
            return Ok(None);
        };
        let carried = carried(system, carry);
        let inputs = system.layout.inputs.len;
        let outputs: Vec<(OutputId, usize)> = { wide.outputs() }
            .map(|(output, row)| (OutputId::from(output), row))
            .collect();
        let empty = Column::new(system.bodies.len(), system.equations.len(), wide.rows());
        let first = carried.len();
        let mut columns = vec![empty; first + inputs + parameters.len()];
        for (own, column) in carried.iter().zip(&mut columns) {
            *column.at(*own) = 1.0;
        }
        let mut done = Ok(());
        for state in states {
            let acting: Vec<Acting> = { parameters.iter() }
                .map(|own| self.acting((system, state), scheme, (*own, &mut *numbers)))
                .collect();
            let seed = |n: usize| match n.checked_sub(first) {
                None => Seed::Nothing,
                Some(input) if input < inputs => Seed::Input(input),
                Some(other) => Seed::Parameter(&acting[other - inputs]),
            };
            let at = (system, state);
            done = self.pass(&mut chain, at, (scheme, carry), &mut columns, seed);
            if done.is_err() {
                break;
            }
        }
        self.chain = Some(chain);
        done?;
        let (of_carried, of_knowns) = columns.split_at_mut(first);
        let after = |columns: &mut [Column]| -> Vec<f64> {
            let mut all = Vec::with_capacity(carried.len() * columns.len());
            for own in &carried {
                all.extend(columns.iter_mut().map(|column| *column.at(*own)));
            }
            all
        };
        let shown = |columns: &[Column]| -> Vec<f64> {
            { outputs.iter() }
                .flat_map(|(_, row)| columns.iter().map(|column| column.rows[*row]))
                .collect()
        };
        Ok(Some(StepMatrices {
            a: after(of_carried),
            b: after(of_knowns),
            c: shown(of_carried),
            d: shown(of_knowns),
            outputs: outputs.iter().map(|(output, _)| *output).collect(),
            inputs,
            parameters: parameters.to_vec(),
            carried,
        }))
    }
}
