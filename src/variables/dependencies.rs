//! Control plane: on what an output depends, read off the model's expression graph.
//!
//! Two questions per output:
//!
//! - *After a step*: which inputs (and time) reach its value in the same instant? Displacements,
//!   velocities and states of differential equations are results of the step, so they depend on none; what an expression reads directly
//!   does; accelerations, reactions and implicit variables balance gravity, the applied forces and motions,
//!   so they depend on whatever reaches any of these (conservative).
//! - *After the initialization*: besides, whatever reaches a motion, gravity, a force or an element's number
//!   may shape the assembled mechanism, so any measure depends on all of that, parameters included.

use std::collections::BTreeSet;

use crate::ids::{EquationId, ExprId, InputId, LeafId, ParameterId};
use crate::model::{
    EnergySource, KinematicMeasure, Law, Leaf, Memory, Model, SampledLaw, StateStart, ValueSource,
};

/// What a variable may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    /// Time.
    Time,
    /// An input.
    Input(InputId),
    /// A parameter.
    Parameter(ParameterId),
}

/// What reaches an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Inputs and time that reach it in the same instant, after a step.
    pub step: BTreeSet<Known>,
    /// All knowns that reach it through the initialization.
    pub initial: BTreeSet<Known>,
}

/// The dependencies of every output, in order.
pub fn of_outputs(model: &Model) -> Vec<Dependencies> {
    of_outputs_with(model, |expr| {
        model
            .expressions
            .get(expr.index())
            .map_or(&[][..], |program| program.leaves())
    })
}

/// What one expression reads in its own instant.
#[derive(Clone, Debug, Default, PartialEq)]
struct Reach {
    knowns: BTreeSet<Known>,
    /// Some kinematic measure or reaction.
    measures: bool,
    /// Some acceleration, reaction or implicit variable.
    balances: bool,
    /// What shapes it at the start besides.
    starts: BTreeSet<Known>,
}

impl Reach {
    fn merge(&mut self, other: &Self) {
        self.knowns.extend(&other.knowns);
        self.measures |= other.measures;
        self.balances |= other.balances;
        self.starts.extend(&other.starts);
    }
}

/// [`of_outputs`] over any source of an expression's leaves.
fn of_outputs_with<'m>(
    model: &'m Model,
    leaves_of: impl Fn(ExprId) -> &'m [LeafId],
) -> Vec<Dependencies> {
    let mut graph = Graph {
        model,
        variables: vec![Reach::default(); model.variables.len()],
        rates: vec![Reach::default(); model.equations.len()],
        leaves_of,
    };
    graph.settle();

    let mut driving = Reach::default();
    for motion in &model.motions {
        driving.merge(&graph.reach(motion.function.expr));
    }
    for constraint in &model.general_constraints {
        driving.merge(&graph.reach(constraint.function.expr));
    }
    for function in model.gravity.functions.iter().flatten() {
        driving.merge(&graph.reach(function.expr));
    }
    for force in &model.forces {
        for (_, scaled) in force.kind.expressions() {
            driving.merge(&graph.reach(scaled.expr));
        }
    }
    let mut shaping = driving.clone();
    for expr in memory_expressions(&model.memory) {
        shaping.merge(&graph.reach(expr));
    }
    for value in &model.values {
        if let ValueSource::Expression(scaled) = value.source {
            shaping.merge(&graph.reach(scaled.expr));
        }
    }

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
            }
            Dependencies { step, initial }
        })
        .collect()
}

/// The expression graph with the reach of every variable and rate.
struct Graph<'m, F> {
    model: &'m Model,
    variables: Vec<Reach>,
    rates: Vec<Reach>,
    leaves_of: F,
}

impl<'m, F: Fn(ExprId) -> &'m [LeafId]> Graph<'m, F> {
    /// The reach of variables, rates and residuals. Variables refer only to earlier ones, so one pass in
    /// order would be enough for them; an equation may pass on what another reaches in each further one.
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

    /// A state is a result of the step; an implicit variable balances what its residual reads in the
    /// same instant, and a steady state does so at the start.
    fn state(&self, equation: EquationId, reach: &mut Reach) {
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

    fn reach(&self, expr: ExprId) -> Reach {
        let mut reach = Reach::default();
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
                Leaf::Held(_)
                | Leaf::Contact { .. }
                | Leaf::Arc { .. }
                | Leaf::BristleRate { .. }
                | Leaf::Deformation { .. }
                | Leaf::Tyre { .. } => {
                    reach.measures = true;
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
                    reach.balances |= is_acceleration(*measure);
                }
                Leaf::Reaction { .. } | Leaf::Multiplier { .. } => {
                    reach.measures = true;
                    reach.balances = true;
                }
                Leaf::Energy { source, .. } => {
                    reach.measures = true;
                    reach.balances |= match source {
                        EnergySource::Kinetic(_) | EnergySource::Strain(_) => false,
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

const fn is_acceleration(measure: KinematicMeasure) -> bool {
    use KinematicMeasure as M;
    match measure {
        M::Acceleration(_)
        | M::AccelerationMagnitude
        | M::AngularAcceleration(_)
        | M::AngularAccelerationMagnitude => true,
        M::Displacement(_)
        | M::Distance
        | M::Velocity(_)
        | M::Speed
        | M::SeparationRate
        | M::AngularVelocity(_)
        | M::AngularSpeed
        | M::Angle(_)
        | M::Body313(_)
        | M::YawPitchRoll(_)
        | M::Direction(_)
        | M::IncludedAngle => false,
    }
}

/// What elements with a memory evaluate: it shapes what they hold after the start.
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
