//! The names of states, inputs and outputs, and notes.

use super::build::Builder;
use super::{StateKind, StateVariable, Variable};
use fixstep_kernel::simulation::Coordinate;

/// Accelerations and rates that count as none, [SI].
const STEADY: f64 = 1e-4;

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
        let memory = &self.mechanism.memory;
        let sampled = memory.sampled.iter().map(|system| {
            format!(
                "sampled system \"{}\": its outputs are held at what they are",
                system.name
            )
        });
        let sensors = memory
            .sensors
            .iter()
            // What only warns changes nothing.
            .filter(|sensor| !sensor.warns())
            .map(|sensor| format!("sensor \"{}\": what it holds stays as it is", sensor.name));
        let moving = self.unsteady();
        let all = outputs.chain(redundant).chain(sampled).chain(sensors);
        all.chain(moving).collect()
    }

    /// Words where the operating point does not hold still.
    fn unsteady(&self) -> Option<String> {
        let places = &self.from.tangents.places;
        let own = self.condensation.independent.iter();
        let own = own.map(|k| self.kinds.moving.list()[*k]);
        let all = own.chain(self.kinds.states.list().iter().copied());
        let worst = all.fold((0.0_f64, None), |(most, at), k| {
            let gain = self.from.gains[k].abs();
            if gain > most {
                (gain, Some(k))
            } else {
                (most, at)
            }
        });
        let (gain, Some(k)) = worst else { return None };
        if gain <= STEADY {
            return None;
        }
        let what = &places[k].unknown;
        let how = match places[k].coordinate {
            Coordinate::Pose { direction, .. } if direction < 3 => {
                format!("accelerates with {gain:.3} m/s^2")
            }
            Coordinate::Pose { .. } => format!("accelerates with {gain:.3} rad/s^2"),
            Coordinate::Modal { .. } => format!("accelerates with {gain:.3} 1/s^2"),
            _ => format!("changes by {gain:.3} in a second"),
        };
        Some(format!(
            "not an equilibrium: {what} {how}; the linear form is that of this instant, and tells how motions near by part \
             from it at first"
        ))
    }
}
