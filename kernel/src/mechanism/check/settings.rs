//! Control plane: checks solver settings, experiment, inputs and parameters of a mechanism.

use super::super::{Quantity, SETTINGS, SettingKind, SolverSettings};
use super::Check;
use crate::limits::{LIST_ENTRIES, MODEL_VALUES};

impl Check<'_> {
    /// No list may exceed the limits of a model.
    pub(super) fn lists(&mut self) {
        let m = self.m;
        for (what, found, most) in [
            ("bodies", m.bodies.len(), LIST_ENTRIES + 1),
            ("markers", m.markers.len(), MODEL_VALUES),
            ("curves", m.curves.len(), LIST_ENTRIES),
            ("joints", m.joints.len(), LIST_ENTRIES),
            ("couplers and gears", m.couplers.len(), 2 * LIST_ENTRIES),
            (
                "general constraints",
                m.general_constraints.len(),
                LIST_ENTRIES,
            ),
            ("motions", m.motions.len(), MODEL_VALUES),
            ("forces", m.forces.len(), MODEL_VALUES),
            ("roads", m.roads.len(), LIST_ENTRIES + 1),
            ("inputs", m.inputs.len(), MODEL_VALUES),
            ("parameters", m.parameters.len(), MODEL_VALUES),
            ("variables", m.variables.len(), MODEL_VALUES),
            ("equations", m.equations.len(), MODEL_VALUES),
            ("texts", m.texts.len(), LIST_ENTRIES),
            ("sampled systems", m.memory.sampled.len(), LIST_ENTRIES),
            ("sensors", m.memory.sensors.len(), MODEL_VALUES),
            ("delays", m.memory.delays.len(), MODEL_VALUES),
            ("outputs", m.outputs.len(), MODEL_VALUES),
            ("arrays of bodies", m.body_arrays.len(), MODEL_VALUES),
            ("expressions", m.expressions.len(), MODEL_VALUES),
            ("leaves", m.leaves.len(), MODEL_VALUES),
            ("values", m.values.len(), MODEL_VALUES),
            ("derived numbers", m.derived.len(), MODEL_VALUES),
        ] {
            self.demand(
                found <= most,
                format_args!("there are {found} {what}; valid: at most {most}"),
            );
        }
    }

    /// Checks settings, experiment, units, and the quantities of the FMU interface.
    pub(super) fn settings(&mut self) {
        let m = self.m;
        let units = &m.units;
        for unit in [
            &units.length,
            &units.mass,
            &units.force,
            &units.time,
            &units.angle,
        ] {
            self.demand(
                unit.factor.is_finite() && unit.factor > 0.0,
                format_args!(
                    "unit {} is {} in SI; valid: more than zero",
                    unit.name, unit.factor
                ),
            );
        }
        self.solver(&m.solver);
        let experiment = m.experiment;
        let times = [experiment.start, experiment.stop, experiment.step];
        self.demand(
            times.iter().all(|t| t.is_finite())
                && experiment.step > 0.0
                && experiment.stop >= experiment.start,
            format_args!("the experiment needs a start, a stop behind it, and a step above zero"),
        );
        for input in &m.inputs {
            self.of("input", &input.quantity.name);
            self.quantity_at_border(&input.quantity);
        }
        for parameter in &m.parameters {
            self.of("parameter", &parameter.quantity.name);
            self.quantity_at_border(&parameter.quantity);
        }
    }

    fn solver(&mut self, solver: &SolverSettings) {
        for row in SETTINGS {
            if let SettingKind::Integer([least, most], get, _) = row.kind {
                let found = get(solver);
                self.demand(
                    (least..=most).contains(&found),
                    format_args!("solver.{} is {found}; valid: {least} to {most}", row.name),
                );
            }
        }
        let entries = solver.pattern.len();
        self.demand(
            (1..=SolverSettings::MAX_PATTERN).contains(&entries),
            format_args!("solver.pattern has {entries} entries; valid: 1 to 10"),
        );
        if (1..=SolverSettings::MAX_PATTERN).contains(&entries) {
            for (setting, reason) in solver.problems() {
                self.demand(false, format_args!("solver.{setting} {reason}"));
            }
            if let Some((setting, reason)) = solver.problem_of_steps(self.m.experiment.step) {
                self.demand(false, format_args!("solver.{setting} {reason}"));
            }
        }
        let levels = solver.guard.levels.iter();
        for level in levels.flat_map(|level| [level.warn, level.stop]) {
            self.demand(
                level > 0.0,
                format_args!("a level of solver.guard is {level}; valid: more than zero"),
            );
        }
        let start = &solver.start;
        self.demand(
            start.iterations > 0 && start.tolerance > 0.0,
            format_args!(
                "the search for equilibrium needs an iteration and a tolerance above zero"
            ),
        );
        self.demand(
            start.ramp.is_finite() && start.ramp >= 0.0,
            format_args!("the ramp is {}; valid: zero or more", start.ramp),
        );
        for limit in [Some(start.angle_limit), start.translation_limit] {
            self.demand(
                limit.is_none_or(|limit| limit > 0.0),
                format_args!("a limit of the search for equilibrium is not above zero"),
            );
        }
    }

    fn quantity_at_border(&mut self, quantity: &Quantity) {
        self.finite("start", quantity.start);
        let (low, high) = (quantity.min, quantity.max);
        self.demand(
            low.is_none_or(|low| quantity.start >= low),
            format_args!("start {} is below min", quantity.start),
        );
        self.demand(
            high.is_none_or(|high| quantity.start <= high),
            format_args!("start {} is above max", quantity.start),
        );
    }
}
