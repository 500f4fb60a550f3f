//! Control plane: checks programs, their leaves, values, variables, equations and elements with a memory.

use super::super::{
    EnergySource, Held, Law, Leaf, Message, ReactionComponent, ReactionSource, SampledLaw,
    ValueSource,
};
use super::{Check, KEPT, Listed};
use crate::expr::Program;
use crate::ids::{ExprId, VariableId};
use alloc::format;

impl Check<'_> {
    /// Checks programs, leaves, values, variables, equations and outputs.
    pub(super) fn expressions(&mut self) {
        for (k, program) in self.m.expressions.iter().enumerate() {
            self.entity = format!("expression {k}");
            self.ids("a leaf", program.leaves());
            for operand in program.calls().iter().flat_map(|call| &call.operands) {
                self.ids("an operand's leaf", &operand.leaves);
            }
            self.demand(
                program.is_sound(),
                format_args!("an operation reads a register that is not written before it"),
            );
        }
        for (k, leaf) in self.m.leaves.iter().enumerate() {
            self.entity = format!("leaf {k}");
            self.leaf(leaf);
        }
        for value in &self.m.values {
            self.entity.clone_from(&value.path);
            match &value.source {
                ValueSource::Constant(number) => {
                    self.demand(
                        value.rule.allows(*number),
                        format_args!("{number} is against its rule {:?}", value.rule),
                    );
                }
                ValueSource::Expression(scaled) => {
                    self.id("expression", scaled.expr);
                    self.demand(
                        self.reads_parameters_alone(scaled.expr),
                        format_args!("a number may read parameters only"),
                    );
                }
            }
        }
        for order in &self.m.orders {
            self.entity.clone_from(&order.message);
            self.ids("value", [&order.less, &order.than]);
        }
        for (k, variable) in self.m.variables.iter().enumerate() {
            self.of("variable", &variable.quantity.name);
            if self.id("expression", variable.expr) {
                self.demand(
                    self.latest_variable(variable.expr).is_none_or(|v| v < k),
                    format_args!("it reads itself or a later variable"),
                );
            }
        }
        for output in &self.m.outputs {
            self.of("output", &output.quantity.name);
            self.id("expression", output.expr);
        }
        self.equations();
    }

    fn equations(&mut self) {
        for equation in &self.m.equations {
            self.of(&equation.kind, &equation.quantity.name);
            self.id("expression", equation.law.expression().expr);
            if let Law::Rate {
                unknown: Some(unknown),
                ..
            } = equation.law
            {
                self.id("unknown rate", unknown);
            }
            self.id("initial", equation.initial);
            self.ids("a number", &equation.checked);
        }
    }

    /// The leaves that an expression reads; none if there is no such expression.
    fn leaves(&self, expr: ExprId) -> impl Iterator<Item = &Leaf> {
        let program = self.m.expressions.get(expr.index());
        let leaves = program.map_or(&[][..], Program::leaves);
        leaves
            .iter()
            .filter_map(|leaf| self.m.leaves.get(leaf.index()))
    }

    fn reads_parameters_alone(&self, expr: ExprId) -> bool {
        self.leaves(expr)
            .all(|leaf| matches!(leaf, Leaf::Parameter(_)))
    }

    /// The last of the variables that an expression reads.
    fn latest_variable(&self, expr: ExprId) -> Option<usize> {
        let variables = self.leaves(expr).filter_map(|leaf| match leaf {
            Leaf::Variable(VariableId(v)) => Some(*v as usize),
            _ => None,
        });
        variables.max()
    }

    fn leaf(&mut self, leaf: &Leaf) {
        match leaf {
            Leaf::Time { scale } => self.finite("scale", *scale),
            Leaf::Input(id) => self.one("input", *id),
            Leaf::Parameter(id) => self.one("parameter", *id),
            Leaf::Variable(id) => self.one("variable", *id),
            Leaf::State(id) | Leaf::StateRate(id) => self.one("state", *id),
            Leaf::Held(held) => self.held(*held),
            Leaf::Delay(id) => self.one("delay", *id),
            Leaf::BristleRate {
                friction,
                component,
                ..
            } => {
                self.one("friction", *friction);
                self.below("component", *component, 3);
            }
            Leaf::Kinematic {
                measure,
                i,
                j,
                axes,
                frame,
                scale,
            } => {
                self.ids("marker", [i, j, axes, frame]);
                self.demand(
                    measure.row().is_some(),
                    format_args!("there is no measure {measure:?}"),
                );
                self.finite("scale", *scale);
            }
            Leaf::Energy { source, .. } => self.energy(*source),
            Leaf::Deformation { body, .. } => self.one("body", *body),
            Leaf::Contact { force, axes, .. } => {
                self.one("contact", *force);
                self.one("axes", *axes);
            }
            Leaf::Arc { joint, .. } => self.one("joint", *joint),
            Leaf::Multiplier { constraint, .. } => self.one("constraint", *constraint),
            Leaf::Reaction {
                source,
                component,
                axes,
                ..
            } => {
                self.reaction(*source);
                if let ReactionComponent::Force(axis) | ReactionComponent::Torque(axis) = component
                {
                    self.below("axis", usize::from(*axis), 3);
                }
                self.one("axes", *axes);
            }
            Leaf::Tyre { force, .. } => self.one("tyre", *force),
        }
    }

    fn one<I: Listed>(&mut self, field: &str, id: I) {
        self.id(field, id);
    }

    fn energy(&mut self, source: EnergySource) {
        match source {
            EnergySource::Kinetic(body) | EnergySource::Potential(body) => self.one("body", body),
            EnergySource::Strain(force) | EnergySource::Dissipation(force) => {
                self.one("force", force);
            }
            EnergySource::Power(source) => self.reaction(source),
        }
    }

    fn reaction(&mut self, source: ReactionSource) {
        match source {
            ReactionSource::Joint(joint, _) => self.one("joint", joint),
            ReactionSource::Motion(motion, _) => self.one("motion", motion),
            ReactionSource::Force(force, _) => self.one("force", force),
            ReactionSource::Coupler { coupler, joint, .. } => {
                self.one("coupler", coupler);
                self.one("joint", joint);
            }
            ReactionSource::General(general, marker) => {
                self.one("constraint", general);
                self.one("marker", marker);
            }
            ReactionSource::Between(i, j) => self.ids("marker", [&i, &j]),
            ReactionSource::On(marker) => self.one("marker", marker),
        }
    }

    fn held(&mut self, held: Held) {
        let there = self.m.memory.holds(held);
        self.demand(there, format_args!("there is no {held:?}"));
    }

    /// Checks numbers that follow parameters.
    pub(super) fn derived(&mut self) {
        let faults = self.m.derived_faults();
        self.faults.extend(
            faults
                .into_iter()
                .take(KEPT.saturating_sub(self.faults.len())),
        );
    }

    /// Checks sampled systems, sensors and delays.
    pub(super) fn memory(&mut self) {
        let memory = &self.m.memory;
        for system in &memory.sampled {
            self.of("sampled system", &system.name);
            self.demand(
                system.period.is_finite() && system.period > 0.0,
                format_args!("period is {}; valid: more than zero", system.period),
            );
            self.finite("offset", system.offset);
            self.ids("input", &system.inputs);
            self.ids("initial", &system.initial);
            let (n, u, y) = (system.initial.len(), system.inputs.len(), system.outputs);
            match &system.law {
                SampledLaw::Linear { a, b, c, d } => {
                    for (field, matrix, wanted) in [
                        ("a", a, n * n),
                        ("b", b, n * u),
                        ("c", c, y * n),
                        ("d", d, y * u),
                    ] {
                        self.length(field, matrix.len(), wanted);
                        self.ids(field, matrix);
                    }
                }
                SampledLaw::Expressions { next, outputs } => {
                    self.length("next", next.len(), n);
                    self.length("outputs", outputs.len(), y);
                    self.ids("expression", next.iter().chain(outputs));
                }
            }
        }
        for sensor in &memory.sensors {
            self.of("sensor", &sensor.name);
            self.ids("expression", [&sensor.expression]);
            self.ids("expression", sensor.evaluate.iter());
            self.ids("value", [&sensor.value, &sensor.tolerance]);
            self.ids(
                "hysteresis",
                sensor.rearm.iter().map(|rearm| &rearm.hysteresis),
            );
            if let Message::Named(text) = sensor.message {
                self.one("message", text);
            }
        }
        for delay in &memory.delays {
            self.entity.clone_from(&delay.path);
            let parts = [&delay.value, &delay.delay, &delay.history, &delay.longest];
            self.ids("expression", parts);
        }
    }
}
