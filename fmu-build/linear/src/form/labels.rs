//! The names of states, inputs and outputs, and notes.

use super::build::Builder;
use super::{StateKind, StateVariable, Variable};
use fixstep_kernel::simulation::Coordinate;

impl Builder<'_> {
    /// The states.
    pub(super) fn states(&self) -> Vec<StateVariable> {
        let places = &self.from.tangents.places;
        let own = self.condensation.independent.iter();
        let own: Vec<usize> = own.map(|k| self.kinds.moving.list()[*k]).collect();
        let unit = |unknown: usize| match places[unknown].coordinate {
            Coordinate::Pose { direction, .. } if direction < 3 => "m",
            Coordinate::Pose { .. } => "rad",
            _ => "1",
        };
        let mut all = Vec::new();
        for k in &own {
            all.push(StateVariable {
                name: places[*k].unknown.clone(),
                unit: unit(*k).into(),
                kind: StateKind::Position,
            });
        }
        for k in &own {
            all.push(StateVariable {
                name: format!("{}, rate", places[*k].unknown),
                unit: format!("{}/s", unit(*k)),
                kind: StateKind::Velocity,
            });
        }
        for k in self.kinds.states.list() {
            let unit = match places[*k].coordinate {
                Coordinate::State(equation) => self.mechanism.equations[equation.index()]
                    .quantity
                    .unit
                    .clone(),
                _ => String::new(),
            };
            all.push(StateVariable {
                name: places[*k].unknown.clone(),
                unit,
                kind: StateKind::State,
            });
        }
        for drive in &self.from.drives {
            for what in ["displacement", "velocity", "acceleration"] {
                all.push(StateVariable {
                    name: format!("{}, {what}", drive.name),
                    unit: String::from("SI"),
                    kind: StateKind::Driven,
                });
            }
        }
        all
    }

    /// The inputs.
    pub(super) fn inputs(&self) -> Vec<Variable> {
        let inputs = self.mechanism.inputs.iter();
        inputs
            .map(|input| Variable {
                name: input.quantity.name.clone(),
                unit: input.quantity.unit.clone(),
            })
            .collect()
    }

    /// The outputs.
    pub(super) fn outputs(&self) -> Vec<Variable> {
        let shown = self.from.shown.iter();
        shown
            .map(|k| {
                let quantity = &self.mechanism.outputs[*k].quantity;
                Variable {
                    name: quantity.name.clone(),
                    unit: quantity.unit.clone(),
                }
            })
            .collect()
    }

    /// The notes.
    pub(super) fn notes(&self) -> Vec<String> {
        let outputs = self.from.left_out.iter().map(|left| {
            let name = &self.mechanism.outputs[left.output].quantity.name;
            format!("output \"{name}\" {}: it has no row", left.reason)
        });
        let rows = 0..self.kinds.held.len();
        let redundant = rows
            .filter(|row| !self.condensation.held.contains(row))
            .map(|row| {
                let unknown = self.kinds.held.list()[row];
                let what = &self.from.tangents.places[unknown].equation;
                format!("{what}: redundant at this position, and left out")
            });
        outputs.chain(redundant).collect()
    }
}
