//! Control plane: finds the dependencies of an output from the mechanism's expression graph.
//!
//! Two sets are found for each output:
//!
//! - *After a step*: the inputs (and time) that affect its value at the same instant. Displacements, velocities and
//!   states of differential equations are results of the step and depend on none; inputs that an expression reads
//!   directly count. Quasi-static modes of flexible bodies have no inertia: their velocities balance the forces of
//!   the instant, and without damping their displacements do. Accelerations, reactions and implicit variables balance
//!   gravity, the applied forces and motions, so they depend on everything that affects any of these (conservative).
//! - *After the initialization*: in addition, everything that affects a motion, gravity, a force, an element's number
//!   or a number of geometry may change the assembled mechanism. Any measure therefore depends on all of that, parameters included.

use std::collections::BTreeSet;

use fixstep_kernel::ids::{EquationId, ExprId, InputId, LeafId, ParameterId};
use fixstep_kernel::mechanism::{
    EnergySource, Law, Leaf, Mechanism, Memory, SampledLaw, StateStart, ValueSource,
};
use fixstep_variables::Setting;

/// Settings that affect the start: the poses of the mechanism, and the share of the loads that acts.
const STARTING: [Setting; 2] = [Setting::Equilibrium, Setting::Ramp];

/// The quantities on which a variable may depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    /// Time.
    Time,
    /// An input.
    Input(InputId),
    /// A parameter.
    Parameter(ParameterId),
    /// A setting of the solver.
    Setting(Setting),
}

/// The quantities that affect an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Inputs and time that reach it in the same instant, after a step.
    pub step: BTreeSet<Known>,
    /// All knowns that reach it through the initialization.
    pub initial: BTreeSet<Known>,
}

/// The dependencies of every output, in order.
pub fn of_outputs(model: &Mechanism) -> Vec<Dependencies> {
    of_outputs_with(model, |expr| leaves(model, expr))
}

/// The quantities that one expression reads at its own instant.
#[derive(Clone, Debug, Default, PartialEq)]
struct ReadQuantities {
    knowns: BTreeSet<Known>,
    /// Some kinematic measure or reaction.
    measures: bool,
    /// Some acceleration, reaction or implicit variable.
    balances: bool,
    /// The quantities that affect it at the start in addition.
    starts: BTreeSet<Known>,
}

impl ReadQuantities {
    fn merge(&mut self, other: &Self) {
        self.knowns.extend(&other.knowns);
        self.measures |= other.measures;
        self.balances |= other.balances;
        self.starts.extend(&other.starts);
    }
}

/// [`of_outputs`] over any source of an expression's leaves.
fn of_outputs_with<'m>(
    model: &'m Mechanism,
    leaves_of: impl Fn(ExprId) -> &'m [LeafId],
) -> Vec<Dependencies> {
    let mut graph = Graph::new(model, leaves_of);
    graph.settle();

    let (driving, shaping) = graph.everywhere();
    model
        .outputs
        .iter()
        .map(|output| {
            let own = graph.reach(output.expr);
            let mut step = own.knowns.clone();
            if own.balances {
                step.extend(&driving.knowns);
            }
            step.retain(|known| !matches!(known, Known::Parameter(_)));
            let mut initial = own.knowns;
            initial.extend(&own.starts);
            if own.measures {
                initial.extend(&shaping.knowns);
                initial.extend(graph.starting());
            }
            Dependencies { step, initial }
        })
        .collect()
}

/// The quantities that affect poses, and velocities.
pub fn of_bodies(model: &Mechanism) -> [Dependencies; 2] {
    let mut graph = Graph::new(model, |expr| leaves(model, expr));
    graph.settle();
    let (driving, shaping) = graph.everywhere();
    let quick = graph.quick;
    [quick.displacements, quick.velocities].map(|balances| {
        let mut reach = Dependencies {
            initial: shaping.knowns.clone(),
            ..Dependencies::default()
        };
        reach.initial.extend(graph.starting());
        if balances {
            reach.step.clone_from(&driving.knowns);
            reach
                .step
                .retain(|known| !matches!(known, Known::Parameter(_)));
        }
        reach
    })
}

/// Coordinates without inertia, which follow the forces of the instant.
#[derive(Clone, Copy, Debug, Default)]
struct Quick {
    velocities: bool,
    displacements: bool,
    /// Is it the step that says what has no inertia?
    by_step: bool,
}

impl Quick {
    /// The modes of a model that are quasi-static at some HRATIO: most are at the largest step.
    fn of(model: &Mechanism) -> Self {
        let h = model.experiment.step;
        let mut quick = Self::default();
        for flex in model
            .bodies
            .iter()
            .filter_map(|body| body.flexible.as_ref())
        {
            let settings = flex.settings(h);
            let modes = settings.quasi_static.iter().zip(&settings.ratios);
            // Without the sixth invariant no mode has inertia.
            let light = !settings.switches.0[5];
            for (_, ratio) in modes.filter(|(quasi_static, _)| **quasi_static || light) {
                quick.velocities = true;
                quick.displacements |= *ratio == 0.0;
                quick.by_step |= flex.dynamic_limit.is_none();
            }
        }
        quick
    }
}

fn leaves(model: &Mechanism, expr: ExprId) -> &[LeafId] {
    let program = model.expressions.get(expr.index());
    program.map_or(&[][..], |program| program.leaves())
}

/// The expression graph with the reach of every variable and rate.
struct Graph<'m, F> {
    model: &'m Mechanism,
    variables: Vec<ReadQuantities>,
    rates: Vec<ReadQuantities>,
    quick: Quick,
    leaves_of: F,
}

impl<'m, F: Fn(ExprId) -> &'m [LeafId]> Graph<'m, F> {
    fn new(model: &'m Mechanism, leaves_of: F) -> Self {
        Self {
            model,
            variables: vec![ReadQuantities::default(); model.variables.len()],
            rates: vec![ReadQuantities::default(); model.equations.len()],
            quick: Quick::of(model),
            leaves_of,
        }
    }

    /// Settings that shape the start.
    fn starting(&self) -> impl Iterator<Item = Known> {
        let modes = self.quick.by_step.then_some(Setting::Hratio);
        STARTING.into_iter().chain(modes).map(Known::Setting)
    }

    /// The quantities that affect forces, motions and gravity, and those that affect the mechanism at its start in
    /// addition.
    fn everywhere(&self) -> (ReadQuantities, ReadQuantities) {
        let mut driving = ReadQuantities::default();
        for motion in &self.model.motions {
            driving.merge(&self.reach(motion.function.expr));
        }
        for constraint in &self.model.general_constraints {
            driving.merge(&self.reach(constraint.function.expr));
        }
        for function in self.model.gravity.functions.iter().flatten() {
            driving.merge(&self.reach(function.expr));
        }
        for force in &self.model.forces {
            for (_, scaled) in force.kind.expressions() {
                driving.merge(&self.reach(scaled.expr));
            }
        }
        let mut shaping = driving.clone();
        for expr in memory_expressions(&self.model.memory) {
            shaping.merge(&self.reach(expr));
        }
        for value in &self.model.values {
            if let ValueSource::Expression(scaled) = value.source {
                shaping.merge(&self.reach(scaled.expr));
            }
        }
        for derived in &self.model.derived {
            shaping.merge(&self.reach(derived.program.expr));
        }
        (driving, shaping)
    }

    /// Finds the dependencies of variables, rates and residuals. Variables refer only to earlier ones, so for them
    /// one pass in order is enough; equations need further passes, since one may pass on the dependencies of another.
    fn settle(&mut self) {
        for _ in 0..=self.rates.len() {
            for (k, variable) in self.model.variables.iter().enumerate() {
                self.variables[k] = self.reach(variable.expr);
            }
            let before = self.rates.clone();
            for (k, equation) in self.model.equations.iter().enumerate() {
                self.rates[k] = self.reach(equation.law.expression().expr);
            }
            if self.rates == before {
                break;
            }
        }
    }

    /// A state is a result of the step. An implicit variable balances what its residual reads at the same instant,
    /// and a steady state does so at the start.
    fn state(&self, equation: EquationId, reach: &mut ReadQuantities) {
        reach.measures = true;
        let at = equation.index();
        let Some((entry, own)) = self.model.equations.get(at).zip(self.rates.get(at)) else {
            return;
        };
        if let Law::Residual(_) = entry.law {
            reach.merge(own);
            reach.balances = true;
        } else if entry.start == StateStart::Steady {
            reach.starts.extend(&own.knowns);
            reach.starts.extend(&own.starts);
        }
    }

    fn reach(&self, expr: ExprId) -> ReadQuantities {
        let mut reach = ReadQuantities::default();
        for leaf in (self.leaves_of)(expr) {
            let Some(leaf) = self.model.leaves.get(leaf.index()) else {
                continue;
            };
            match leaf {
                Leaf::Time { .. } => {
                    reach.knowns.insert(Known::Time);
                }
                Leaf::Input(input) => {
                    reach.knowns.insert(Known::Input(*input));
                }
                Leaf::Parameter(parameter) => {
                    reach.knowns.insert(Known::Parameter(*parameter));
                }
                Leaf::Variable(variable) => {
                    if let Some(earlier) = self.variables.get(variable.index()) {
                        reach.merge(earlier);
                    }
                }
                Leaf::State(equation) => self.state(*equation, &mut reach),
                Leaf::Held(_) => reach.measures = true,
                Leaf::Arc { .. } | Leaf::Deformation { .. } => {
                    reach.measures = true;
                    reach.balances |= self.quick.displacements;
                }
                Leaf::Contact { .. } | Leaf::BristleRate { .. } | Leaf::Tyre { .. } => {
                    reach.measures = true;
                    reach.balances |= self.quick.velocities;
                }
                Leaf::Delay(delay) => {
                    reach.measures = true;
                    if let Some(delay) = self.model.memory.delays.get(delay.index()) {
                        for expr in [delay.value, delay.delay, delay.history] {
                            reach.merge(&self.reach(expr));
                        }
                    }
                }
                Leaf::StateRate(equation) => {
                    if let Some(rate) = self.rates.get(equation.index()) {
                        reach.merge(rate);
                    }
                }
                Leaf::Kinematic { measure, .. } => {
                    reach.measures = true;
                    reach.balances |= match measure.order() {
                        0 => self.quick.displacements,
                        1 => self.quick.velocities,
                        _ => true,
                    };
                }
                Leaf::Reaction { .. } | Leaf::Multiplier { .. } => {
                    reach.measures = true;
                    reach.balances = true;
                }
                Leaf::Energy { source, .. } => {
                    reach.measures = true;
                    reach.balances |= match source {
                        EnergySource::Kinetic(_) => self.quick.velocities,
                        EnergySource::Strain(_) => self.quick.displacements,
                        // Gravity may follow inputs, as forces do.
                        EnergySource::Potential(_)
                        | EnergySource::Power(_)
                        | EnergySource::Dissipation(_) => true,
                    };
                }
            }
        }
        reach
    }
}

/// The expressions that elements with a memory evaluate: they affect the held values after the start.
fn memory_expressions(memory: &Memory) -> Vec<ExprId> {
    let mut all = Vec::new();
    for system in &memory.sampled {
        all.extend(&system.inputs);
        if let SampledLaw::Expressions { next, outputs } = &system.law {
            all.extend(next.iter().chain(outputs));
        }
    }
    for sensor in &memory.sensors {
        all.push(sensor.expression);
        all.extend(sensor.evaluate);
    }
    all
}

#[cfg(test)]
mod tests;
