//! Names of states, inputs and outputs, and the notes on a linear form.

use super::build::Builder;
use super::{StateKind, StateVariable, Variable};
use fixstep_kernel::simulation::{Coordinate, Linearization};

/// Accelerations and rates below this count as zero, [SI], and relative to the largest acceleration of a part.
const STEADY: (f64, f64) = (1e-4, 1e-8);
/// The same at a later instant.
const STAYS: (f64, f64) = (1e-3, 1e-5);

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
        let position = |k: &usize| StateVariable {
            name: places[*k].unknown.clone(),
            unit: unit(*k).into(),
            kind: StateKind::Position,
        };
        let mut all: Vec<StateVariable> = own.iter().map(position).collect();
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
        let rolled = self.postures.rolled.iter();
        let rolled = rolled.map(|k| self.kinds.moving.list()[*k]);
        all.extend(rolled.map(|k| StateVariable {
            name: format!("{}, beyond rolling", places[k].unknown),
            ..position(&k)
        }));
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
                "sampled system \"{}\": its outputs keep their present values",
                system.name
            )
        });
        let sensors = memory
            .sensors
            .iter()
            // Sensors that only warn change nothing.
            .filter(|sensor| !sensor.warns())
            .map(|sensor| {
                format!(
                    "sensor \"{}\": it keeps the value that it holds",
                    sensor.name
                )
            });
        let moving = self.unsteady();
        let all = outputs.chain(redundant).chain(sampled).chain(sensors);
        let bounds = self.from.bounds.iter().cloned();
        all.chain(bounds).chain(moving).collect()
    }

    /// The note if the operating point is no equilibrium.
    fn unsteady(&self) -> Option<String> {
        // Static equilibrium has been tried already.
        let advice = if self.mechanism.solver.start.turning {
            "--at T runs until everything has come to rest"
        } else {
            "--static finds an equilibrium, or a steady motion if motions turn parts, --at T runs until everything has \
             come to rest"
        };
        if let Some(worst) = self.worst(self.from, STEADY) {
            return Some(format!(
                "not an equilibrium: {worst}; the linear form holds for this instant and for the chosen states; it \
                 describes how neighbouring motions begin to differ from this one; {advice}"
            ));
        }
        let later = self.from.later.as_ref()?;
        let worst = self.worst(&later.linearization, STAYS)?;
        Some(format!(
            "not an equilibrium that lasts: once parts have turned a little further, {worst}; the linear form holds \
             for this instant only; {advice}"
        ))
    }

    /// The largest acceleration at a state, above the tolerances.
    fn worst(&self, at: &Linearization, (own, share): (f64, f64)) -> Option<String> {
        let places = &self.from.tangents.places;
        let independent = self.condensation.independent.iter();
        let independent = independent.map(|k| self.kinds.moving.list()[*k]);
        let states = self.kinds.states.list().iter().copied();
        // Modal coordinates may follow from others by constraints.
        let is_modal = |k: &usize| matches!(places[*k].coordinate, Coordinate::Modal { .. });
        let modal = self.kinds.moving.list().iter().copied().filter(is_modal);
        let all = independent.chain(states).chain(modal);
        let worst = all.fold((0.0_f64, None), |(most, found), k| {
            let gain = at.gains[k].abs();
            if gain > most {
                (gain, Some(k))
            } else {
                (most, found)
            }
        });
        let (gain, Some(k)) = worst else { return None };
        if gain <= own + share * at.largest_acceleration {
            return None;
        }
        let gain = if gain < 0.01 {
            format!("{gain:.2e}")
        } else {
            format!("{gain:.3}")
        };
        let how = match places[k].coordinate {
            Coordinate::Pose { direction, .. } if direction < 3 => {
                format!("accelerates with {gain} m/s^2")
            }
            Coordinate::Pose { .. } => format!("accelerates with {gain} rad/s^2"),
            Coordinate::Modal { .. } => format!("accelerates with {gain} 1/s^2"),
            _ => format!("changes by {gain} in a second"),
        };
        Some(format!("{} {how}", places[k].unknown))
    }
}
