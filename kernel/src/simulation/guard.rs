//! Data plane: reads the guard's judgement of the last step.

use super::Simulation;
use crate::analysis::owner_name;
use crate::guard::is_beyond;
use crate::mechanism::{Alarm, Culprit, Readings, Watched, called};
use crate::system::BodyEntry;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl Simulation {
    /// The guard's readings at the last accepted step.
    pub fn readings(&self) -> &Readings {
        &self.readings
    }

    /// The quantities of the last accepted step above their warning level.
    pub fn alarms(&self) -> impl Iterator<Item = Alarm> {
        let settings = &self.mechanism.solver.guard;
        Watched::ALL.into_iter().filter_map(|watched| {
            let (reading, limit) = (self.readings[watched as usize], settings.of(watched).warn);
            (settings.on && is_beyond(reading.value, limit)).then_some(Alarm {
                watched,
                reading,
                limit,
            })
        })
    }

    /// Names of possible culprits, by number: parts, forces, constraints, equations. Control plane.
    pub fn culprit_names(&self) -> [Vec<String>; 4] {
        let system = &self.run.system;
        let all = |count: usize, of: fn(usize) -> Culprit| {
            let names = (0..count).map(|k| self.culprit(of(k)));
            names.collect()
        };
        [
            all(system.bodies.len(), |k| Culprit::Body(k.into())),
            all(system.forces.len(), |k| Culprit::Force(k.into())),
            all(system.groups.len(), |k| Culprit::Constraint(k.into())),
            all(system.equations.len(), |k| Culprit::Equation(k.into())),
        ]
    }

    /// The name of a culprit. Control plane.
    pub fn culprit(&self, culprit: Culprit) -> String {
        let system = &self.run.system;
        match culprit {
            Culprit::Mechanism | Culprit::Contacts | Culprit::Iteration => {
                "the mechanism".to_owned()
            }
            Culprit::Body(k) => {
                let body = system.bodies.get(k.index());
                body.map_or_else(String::new, BodyEntry::call)
            }
            Culprit::Force(k) | Culprit::Passage(k) | Culprit::Tyre(k) | Culprit::Jump(k) => {
                let force = self.mechanism.forces.get(k.index());
                force.map_or_else(String::new, |f| format!("force {}", called(&f.name)))
            }
            Culprit::Constraint(k) => {
                let group = system.groups.get(k.index());
                group.map_or_else(String::new, |g| owner_name(&self.mechanism, g.owner))
            }
            Culprit::Equation(k) => {
                let equation = system.equations.get(k.index());
                equation.map_or_else(String::new, |e| e.name.clone())
            }
        }
    }
}
