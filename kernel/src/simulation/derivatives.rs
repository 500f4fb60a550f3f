//! Data plane: derivatives of inputs; and derivatives of outputs and states in inputs, parameters and states, and in
//! time.

use super::bodies::Bodies;
use super::parameters::all_numbers;
use super::repeat::Asked;
use super::{Part, Simulation};
use crate::analysis::sensitivity::{Point, Sensitivity, has_stepped};
use crate::ids::{BodyArrayId, EquationId, InputId, OutputId, ParameterId};
use crate::integrator::scheme::{carry, scheme};
use crate::mechanism::Mechanism;
use crate::state::State;
use crate::system::inputs::Communication;
use crate::system::{System, inputs};
use crate::variable::reads_accelerations;
use alloc::string::String;

/// A variable that a derivative is taken in (FMI: known).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// An input.
    Input(InputId),
    /// A parameter.
    Parameter(ParameterId),
    /// The state of a differential equation, at the beginning of the last step.
    State(EquationId),
}

/// A variable that a derivative is taken of (FMI: unknown).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// An output.
    Output(OutputId),
    /// The state of a differential equation.
    State(EquationId),
    /// An element, counted from 0, of an array of body quantities.
    Body(BodyArrayId, u32),
}

/// Why derivatives do not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoDerivative {
    /// No consistent start has been computed.
    NotStarted,
    /// The equations have no unique solution at this entity, as [`Simulation::describe`] names it.
    Singular(String),
}

/// Derivatives at the end of the last step, or at the start: the matrix that they need is factored.
#[derive(Debug)]
pub struct Derivatives<'a>(&'a mut Simulation);

impl Derivatives<'_> {
    /// Derivatives of the unknowns along a direction of the knowns; `put(k, …)` receives that of the k-th unknown.
    pub fn along(
        &mut self,
        direction: impl Iterator<Item = (Known, f64)>,
        unknowns: impl Iterator<Item = Unknown> + Clone,
        put: &mut dyn FnMut(usize, f64),
    ) {
        self.0.directional_derivative(direction, unknowns, put);
    }

    /// Derivatives of a weighted sum of unknowns in each known; `put(k, …)` receives that in the k-th. If the
    /// derivatives of the step are analytic, one transposed solution gives all; otherwise there is one direction per
    /// known.
    pub fn of_sum(
        &mut self,
        unknowns: &(impl Iterator<Item = (Unknown, f64)> + Clone),
        knowns: impl Iterator<Item = Known> + Clone,
        put: &mut dyn FnMut(usize, f64),
    ) {
        self.0.adjoint_derivative(unknowns, knowns, put);
    }
}

impl Simulation {
    /// Sets the derivative of an input, of an order from 1 to [`super::ORDERS`], for the next communication step.
    pub fn set_input_derivative(&mut self, input: InputId, order: usize, value: f64) {
        let Part { system, state, .. } = &mut *self.run;
        inputs::give(&system.layout, state, input.index(), order, value);
    }

    /// The requested value of an input farthest beyond its bounds in the next communication step of this length
    /// \[s\].
    pub fn farthest_input(&self, input: InputId, length: f64) -> f64 {
        let Part { system, state, .. } = &*self.run;
        let own = (input.index(), &system.input_bounds[input.index()]);
        inputs::farthest(&system.layout, state, own, length)
    }

    /// Does an input follow derivatives in the next communication step?
    pub fn has_input_derivatives(&self, input: InputId) -> bool {
        let Part { system, state, .. } = &*self.run;
        inputs::has_derivatives(&system.layout, state, input.index())
    }

    /// Begins a communication step of this many integration steps; derivatives of inputs for an earlier one expire.
    pub fn begin_communication(&mut self, steps: u32) {
        let Part { system, state, .. } = &mut *self.run;
        self.begun.begin(state, steps);
        let step = Communication {
            bounds: &system.input_bounds,
            length: f64::from(steps) * state.step(&system.layout),
        };
        inputs::begin(&system.layout, state, &step);
    }

    /// Factors the Newton matrix of the last step at its end state, or of the start, for derivatives in inputs,
    /// parameters and states.
    pub fn derivatives(&mut self) -> Result<Derivatives<'_>, NoDerivative> {
        let point = self.point();
        let Part { system, state, .. } = &*self.run;
        let Some(sensitivity) = &mut self.sensitivity else {
            return Err(NoDerivative::NotStarted);
        };
        match sensitivity.prepare(system, state, &point) {
            Ok(()) => Ok(Derivatives(self)),
            Err(failure) => Err(NoDerivative::Singular(self.describe(failure.0.into()))),
        }
    }

    fn directional_derivative(
        &mut self,
        direction: impl Iterator<Item = (Known, f64)>,
        unknowns: impl Iterator<Item = Unknown> + Clone,
        put: &mut dyn FnMut(usize, f64),
    ) {
        let point = self.point();
        let Part { system, state, .. } = &*self.run;
        let Some(sensitivity) = &mut self.sensitivity else {
            return;
        };
        let layout = &system.layout;
        let seed = sensitivity.seed();
        let mut asked = Asked::default();
        for (known, rate) in direction {
            match known {
                Known::Input(k) => {
                    seed[layout.inputs.first + k.index()] += rate;
                    asked.inputs = true;
                }
                Known::State(k) => seed[layout.states.first + k.index()] += rate,
                Known::Parameter(k) => {
                    seed[layout.parameters.first + k.index()] += rate;
                    asked.parameters = true;
                }
            }
        }
        asked.accelerations = unknowns.clone().any(|of| reads(system, of));
        if asked.parameters {
            follow(&self.mechanism, (system, state), sensitivity);
        }
        let rest = unknowns.clone().any(|unknown| match unknown {
            Unknown::Output(output) => !sensitivity.has_row(output),
            Unknown::State(_) | Unknown::Body(..) => false,
        });
        let several = self.made_several();
        let one = self.repeats_one(asked);
        let chains = several && !asked.parameters && !rest && !self.has_lines();
        let chained = chains && self.chain_steps(&point);
        if !(chained || (several || one) && self.differ_by_steps()) {
            let Part { system, state, .. } = &*self.run;
            if let Some(sensitivity) = &mut self.sensitivity {
                let show = show(&self.mechanism, system);
                sensitivity.respond((system, state), &point, rest, show);
            }
        }
        let Part { system, state, .. } = &*self.run;
        if let Some(sensitivity) = &self.sensitivity {
            let at = (&*self.mechanism, system, state, &point);
            read(at, (sensitivity, unknowns), put);
        }
    }

    /// Applies the chain rule along the seed; `false` if it does not cover all that the steps carry.
    fn chain_steps(&mut self, point: &Point) -> bool {
        let (Some(way), Point::Step(scheme)) = (self.begun.way(), point) else {
            return false;
        };
        let Part { system, state, .. } = &*self.run;
        let Some(sensitivity) = &mut self.sensitivity else {
            return false;
        };
        if !sensitivity.chains(system, point) {
            return false;
        }
        let carry = carry(&self.mechanism.solver, state.step(&system.layout));
        let states = way.iter().chain(core::iter::once(state));
        let followed = sensitivity.follow_steps(system, states, (scheme, &carry));
        if followed.is_ok() {
            sensitivity.add_columns(system);
        }
        followed.is_ok()
    }

    fn adjoint_derivative(
        &mut self,
        unknowns: &(impl Iterator<Item = (Unknown, f64)> + Clone),
        knowns: impl Iterator<Item = Known> + Clone,
        put: &mut dyn FnMut(usize, f64),
    ) {
        let system = &self.run.system;
        let asked = Asked {
            inputs: true,
            parameters: { knowns.clone() }.any(|known| matches!(known, Known::Parameter(_))),
            accelerations: unknowns.clone().any(|(of, _)| reads(system, of)),
        };
        if !self.repeats_one(asked) && self.sum(unknowns.clone()) {
            for (k, known) in knowns.enumerate() {
                put(k, self.sum_by(known));
            }
            return;
        }
        for (at, known) in knowns.enumerate() {
            let mut sum = 0.0;
            let mut weights = unknowns.clone().map(|(_, weight)| weight);
            let direction = core::iter::once((known, 1.0));
            let of = unknowns.clone().map(|(unknown, _)| unknown);
            self.directional_derivative(direction, of, &mut |_, x| {
                sum += weights.next().unwrap_or(0.0) * x;
            });
            put(at, sum);
        }
    }

    /// Solves the transposed equations for a sum of unknowns; `false` if these have no analytic derivative.
    fn sum(&mut self, unknowns: impl Iterator<Item = (Unknown, f64)>) -> bool {
        let point = self.point();
        let several = self.made_several();
        let Part { system, state, .. } = &*self.run;
        let Some(sensitivity) = &mut self.sensitivity else {
            return false;
        };
        if several || !sensitivity.is_analytic(&point) {
            return false;
        }
        let bodies = Bodies {
            mechanism: &self.mechanism,
            system,
            state,
        };
        sensitivity.begin_sum();
        for (unknown, weight) in unknowns {
            match unknown {
                Unknown::Output(output) if !sensitivity.has_row(output) => return false,
                Unknown::Output(output) => sensitivity.add_output(output, weight),
                Unknown::State(k) => sensitivity.add_state(system, &point, (k, weight)),
                Unknown::Body(array, at) => {
                    sensitivity.add_places(bodies.places(array), weight, |solution| {
                        let weights = point.weights();
                        let body = self.mechanism.body_arrays[array.index()].body.index();
                        let own = (body, &weights);
                        let change = Sensitivity::of_body(system, state, own, solution);
                        bodies.slope((array, at), &change, (&weights, solution))
                    });
                }
            }
        }
        sensitivity.solve_sum();
        true
    }

    /// The derivative of the sum in a known.
    fn sum_by(&mut self, known: Known) -> f64 {
        let point = self.point();
        let Part { system, state, .. } = &*self.run;
        let Some(sensitivity) = &mut self.sensitivity else {
            return 0.0;
        };
        match known {
            Known::Input(k) => sensitivity.sum_by_input(k),
            Known::State(k) => sensitivity.sum_by_state(system, &point, k),
            Known::Parameter(k) => {
                sensitivity.seed_parameter(system, k);
                follow(&self.mechanism, (system, state), sensitivity);
                let show = show(&self.mechanism, system);
                sensitivity.sum_by_numbers((system, state), &point, show)
            }
        }
    }

    /// Derivatives of the unknowns in time; `put(k, …)` receives that of the k-th [1/s].
    pub fn time_derivative(
        &mut self,
        unknowns: impl Iterator<Item = Unknown>,
        put: &mut dyn FnMut(usize, f64),
    ) {
        let point = self.point();
        let Part { system, state, .. } = &*self.run;
        if let Some(sensitivity) = &mut self.sensitivity {
            sensitivity.move_with_time(system, state, show(&self.mechanism, system));
            let at = (&*self.mechanism, system, state, &point);
            read(at, (sensitivity, unknowns), put);
        }
    }

    fn point(&self) -> Point {
        if has_stepped(&self.run.state) {
            Point::Step(scheme(&self.mechanism.solver, self.step_size()))
        } else {
            Point::Start
        }
    }
}

/// Does an unknown read accelerations?
fn reads(system: &System, of: Unknown) -> bool {
    match of {
        Unknown::Output(output) => reads_accelerations(system, system.outputs[output.index()]),
        Unknown::State(_) | Unknown::Body(..) => false,
    }
}

/// The arrays of body quantities at a state.
fn show<'a>(mechanism: &'a Mechanism, system: &'a System) -> impl FnMut(&State, &mut [f64]) + 'a {
    move |state, values| {
        let bodies = Bodies {
            mechanism,
            system,
            state,
        };
        for (to, value) in values.iter_mut().zip(bodies.all()) {
            *to = value;
        }
    }
}

/// Adds to the seed how numbers of elements follow its parameters.
fn follow(mechanism: &Mechanism, (system, state): (&System, &State), seeded: &mut Sensitivity) {
    seeded.follow(system, state, |system, ws, numbers| {
        all_numbers(mechanism, (system, ws), numbers);
    });
}

fn read(
    (mechanism, system, state, point): (&Mechanism, &System, &State, &Point),
    (sensitivity, unknowns): (&Sensitivity, impl Iterator<Item = Unknown>),
    put: &mut dyn FnMut(usize, f64),
) {
    let bodies = Bodies {
        mechanism,
        system,
        state,
    };
    for (k, unknown) in unknowns.enumerate() {
        let found = match unknown {
            Unknown::Output(output) => sensitivity.of_output(system, output),
            Unknown::State(equation) => sensitivity.of_state(equation),
            Unknown::Body(array, at) if sensitivity.by_rows() => {
                let body = mechanism.body_arrays[array.index()].body.index();
                let change = sensitivity.body_change((system, state), body, point);
                let solution = (&point.weights(), sensitivity.solution());
                bodies.slope((array, at), &change, solution)
            }
            Unknown::Body(array, at) => sensitivity.of_shown(Bodies::place(mechanism, array, at)),
        };
        put(k, found);
    }
}
