//! Data plane: reads the guard's judgement of the last step.

use super::Simulation;
use crate::analysis::owner_name;
use crate::guard::is_beyond;
use crate::mechanism::{Alarm, Culprit, Readings, Watched, called};
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
        let all = |count: usize, of: fn(u32) -> Culprit| {
            let names = (0..count).map(|k| self.culprit(of(k as u32)));
            names.collect()
        };
        [
            all(system.bodies.len(), Culprit::Body),
            all(system.forces.len(), Culprit::Force),
            all(system.groups.len(), Culprit::Constraint),
            all(system.equations.len(), Culprit::Equation),
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
                let body = system.bodies.get(k as usize);
                body.map_or_else(String::new, |b| {
                    let kind = b.flexible.map_or("part", |_| "flexible body");
                    format!("{kind} {}", called(&b.name))
                })
            }
            Culprit::Force(k) | Culprit::Passage(k) | Culprit::Tyre(k) | Culprit::Jump(k) => {
                let force = self.mechanism.forces.get(k as usize);
                force.map_or_else(String::new, |f| format!("force {}", called(&f.name)))
            }
            Culprit::Constraint(k) => {
                let group = system.groups.get(k as usize);
                group.map_or_else(String::new, |g| owner_name(&self.mechanism, g.owner))
            }
            Culprit::Equation(k) => {
                let equation = system.equations.get(k as usize);
                equation.map_or_else(String::new, |e| e.name.clone())
            }
        }
    }
}
