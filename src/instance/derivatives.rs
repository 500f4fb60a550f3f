//! Data plane, except for refusals and initialization mode: derivatives of outputs, by inputs, parameters and states, and by time.
//!
//! A call is checked completely before anything is computed, and the run does not change.

use super::Instance;
use super::access::Kind;
use super::mode::{Mode, Rule};
use super::status::{CallResult, Refusal, Status};
use fixstep_kernel::ids::ParameterId;
use fixstep_kernel::mechanism::Mode as StepMode;
use fixstep_kernel::simulation::{
    Derivatives, Known, NoDerivative, Simulation, StartError, StepMatrices, Unknown,
};
use fixstep_variables::Slot;

/// Highest order of output derivatives.
pub const OUTPUT_ORDERS: i32 = 1;

impl Instance {
    /// The derivatives of unknowns along a direction of knowns: Σ ∂unknown/∂known · seed.
    pub fn directional_derivative(
        &mut self,
        rule: Rule,
        (unknowns, knowns): (&[u32], &[u32]),
        seed: &[f64],
        put: &mut dyn FnMut(usize, f64),
    ) -> CallResult {
        self.check_derivatives(rule, (unknowns, knowns), seed)?;
        let initial = self.mode == Mode::Initialization;
        let balances = self.balances();
        let Self {
            simulation,
            accesses,
            ..
        } = self;
        let knowns = accesses.slots(rule, knowns).filter_map(known);
        let unknowns = accesses.slots(rule, unknowns).filter_map(unknown);
        let direction = knowns.zip(seed.iter().copied());
        if initial {
            let (direction, unknowns): (Vec<_>, Vec<_>) = (direction.collect(), unknowns.collect());
            let found = of_start(simulation, rule, balances, (&direction, &unknowns))?;
            found.into_iter().enumerate().for_each(|(k, x)| put(k, x));
            return Ok(Status::Ok);
        }
        derivatives(simulation, rule)?.along(direction, unknowns, put);
        Ok(Status::Ok)
    }

    /// The derivatives of a weighted sum of unknowns by each known: Σ seed · ∂unknown/∂known.
    pub fn adjoint_derivative(
        &mut self,
        rule: Rule,
        (unknowns, knowns): (&[u32], &[u32]),
        seed: &[f64],
        put: &mut dyn FnMut(usize, f64),
    ) -> CallResult {
        self.check_derivatives(rule, (unknowns, knowns), seed)?;
        let initial = self.mode == Mode::Initialization;
        let balances = self.balances();
        let Self {
            simulation,
            accesses,
            ..
        } = self;
        let all = accesses.slots(rule, unknowns).filter_map(unknown);
        let knowns = accesses.slots(rule, knowns).filter_map(known);
        if initial {
            let (unknowns, knowns): (Vec<_>, Vec<_>) = (all.collect(), knowns.collect());
            for (at, known) in knowns.into_iter().enumerate() {
                let found = of_start(simulation, rule, balances, (&[(known, 1.0)], &unknowns))?;
                let parts = found.iter().zip(seed);
                put(at, parts.map(|(x, weight)| weight * x).sum());
            }
            return Ok(Status::Ok);
        }
        let weighed = all.zip(seed.iter().copied());
        derivatives(simulation, rule)?.of_sum(&weighed, knowns, put);
        Ok(Status::Ok)
    }

    /// The derivatives of outputs by time, of order 1.
    pub fn output_derivatives(
        &mut self,
        rule: Rule,
        references: &[u32],
        orders: &[i32],
        put: &mut dyn FnMut(usize, f64),
    ) -> CallResult {
        for (&reference, &order) in references.iter().zip(orders) {
            self.check_unknown(rule, reference)?;
            if order != OUTPUT_ORDERS {
                return Err(Refusal::error(format!(
                    "{}: the order of the derivative of {} is {order}; it must be {OUTPUT_ORDERS} \
                     (maxOutputDerivativeOrder)",
                    rule.function,
                    self.accesses.label(reference)
                )));
            }
        }
        self.computed(rule)?;
        let Self {
            simulation,
            accesses,
            ..
        } = self;
        let unknowns = accesses.slots(rule, references).filter_map(unknown);
        simulation.time_derivative(unknowns, put);
        Ok(Status::Ok)
    }

    /// The matrices of the last communication step, with columns for these parameters too (control plane); the error says what
    /// they do not cover.
    pub fn step_matrices(&mut self, parameters: &[ParameterId]) -> Result<StepMatrices, String> {
        self.simulation.step_matrices(parameters)
    }

    /// Do values that are set now still change the equilibrium in which the run starts?
    fn balances(&self) -> bool {
        self.mode == Mode::Initialization && self.settings.solver.start.equilibrium
    }

    /// Checks a call.
    fn check_derivatives(
        &mut self,
        rule: Rule,
        (unknowns, knowns): (&[u32], &[u32]),
        seed: &[f64],
    ) -> Result<(), Refusal> {
        for &reference in unknowns {
            self.check_unknown(rule, reference)?;
        }
        for &reference in knowns {
            for element in self.accesses.elements(rule, reference)? {
                self.check_known(rule, element)?;
            }
        }
        let begun = !matches!(self.mode, Mode::Instantiated | Mode::Initialization);
        if begun && self.settings.solver.mode != StepMode::Fixed {
            return Err(Refusal::error(format!(
                "{}: these derivatives are those of a fixed step, and solver.mode is another; set it to fixed before \
                 the initialization",
                rule.function
            )));
        }
        if let Some(bad) = seed.iter().find(|x| !x.is_finite()) {
            let text = format!("{}: the seed holds {bad}; it must be finite", rule.function);
            return Err(Refusal::error(text));
        }
        self.computed(rule)
    }

    fn check_known(&self, rule: Rule, element: u32) -> Result<(), Refusal> {
        let access = self.accesses.typed(rule, element, &[Kind::Real])?;
        if let Some(known) = known(access.slot) {
            return self.check_shape(rule, element, known);
        }
        Err(Refusal::error(format!(
            "{}: there are no derivatives by {}; derivatives are by inputs, parameters of the model and states of \
             differential equations",
            rule.function,
            self.accesses.label(element)
        )))
    }

    /// Geometry responds to a start alone.
    fn check_shape(&self, rule: Rule, element: u32, known: Known) -> Result<(), Refusal> {
        match known {
            Known::Parameter(parameter)
                if self.simulation.shapes(parameter) && self.mode != Mode::Initialization =>
            {
                Err(Refusal::error(format!(
                    "{}: there are no derivatives by {}, which determines geometry or initial conditions: there are in \
                     initialization mode",
                    rule.function,
                    self.accesses.label(element)
                )))
            }
            _ => Ok(()),
        }
    }

    fn check_unknown(&self, rule: Rule, reference: u32) -> Result<(), Refusal> {
        for element in self.accesses.elements(rule, reference)? {
            let access = self.accesses.typed(rule, element, &[Kind::Real])?;
            if unknown(access.slot).is_none() {
                return Err(Refusal::error(format!(
                    "{}: {} has no derivatives; outputs of the model, positions and velocities of requested bodies \
                     and states of differential equations have",
                    rule.function,
                    self.accesses.label(element)
                )));
            }
        }
        Ok(())
    }

    /// There must be something to differentiate.
    fn computed(&mut self, rule: Rule) -> Result<(), Refusal> {
        self.refresh()?;
        if self.started {
            return Ok(());
        }
        Err(Refusal::error(format!(
            "{}: nothing has been computed yet",
            rule.function
        )))
    }
}

/// The derivatives of a simulation, or why there are none.
fn derivatives(simulation: &mut Simulation, rule: Rule) -> Result<Derivatives<'_>, Refusal> {
    simulation.derivatives().map_err(|failure| {
        let why = match failure {
            NoDerivative::NotStarted => "the consistent start has not been computed".to_owned(),
            NoDerivative::Singular(at) => {
                format!("the equations have no unique solution at {at}")
            }
        };
        Refusal::discard(format!(
            "{}: there are no derivatives here, since {why}",
            rule.function
        ))
    })
}

/// The derivatives of unknowns along a direction in initialization mode. Knowns to which poses respond are
/// differentiated by whole starts, all of them in an equilibrium; the others by the equations of the start. The
/// derivative along all is the sum.
fn of_start(
    simulation: &mut Simulation,
    rule: Rule,
    balances: bool,
    (direction, unknowns): (&[(Known, f64)], &[Unknown]),
) -> Result<Vec<f64>, Refusal> {
    let direction = direction.iter().copied();
    let (moving, others): (Vec<_>, Vec<_>) =
        direction.partition(|(known, _)| balances || simulation.moves_start(*known));
    let mut sums = vec![0.0; unknowns.len()];
    if !moving.is_empty() {
        let found = simulation.start_derivative(&moving, unknowns);
        sums = found.map_err(|error| no_start(rule, &error))?;
    }
    if !others.is_empty() {
        let unknowns = unknowns.iter().copied();
        derivatives(simulation, rule)?
            .along(others.into_iter(), unknowns, &mut |k, x| sums[k] += x);
    }
    Ok(sums)
}

#[cold]
fn no_start(rule: Rule, error: &StartError) -> Refusal {
    let function = rule.function;
    Refusal::discard(format!(
        "{function}: there are no derivatives of the start here: {error}"
    ))
}

fn known(slot: Slot) -> Option<Known> {
    match slot {
        Slot::Input(input) => Some(Known::Input(input)),
        Slot::Parameter(parameter) => Some(Known::Parameter(parameter)),
        Slot::State(equation) => Some(Known::State(equation)),
        _ => None,
    }
}

fn unknown(slot: Slot) -> Option<Unknown> {
    match slot {
        Slot::Output(output) => Some(Unknown::Output(output)),
        Slot::State(equation) => Some(Unknown::State(equation)),
        Slot::Body(array, at) => Some(Unknown::Body(array, at)),
        _ => None,
    }
}
