//! Control plane: numbers and names the unknowns and equations of the tangents.

use crate::analysis::owner_name;
use crate::ids::{BodyId, EquationId, InputId, LeafId};
use crate::linalg::BlockId;
use crate::mechanism::{Mechanism, called};
use crate::system::{Group, Owner, System};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// An unknown, and the equation with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// Displacement of a body's centre of mass along x, y, z of ground (0 to 2) \[m\], and small rotation about these
    /// axes (3 to 5) \[rad\]. A point mass has only the first three. The equation is the balance of forces \[N\], or
    /// of torques about the centre of mass \[N m\].
    Pose {
        /// The body.
        body: BodyId,
        /// From 0 to 5.
        direction: usize,
    },
    /// A modal coordinate of a flexible body, and the balance of its modal forces.
    Modal {
        /// The body.
        body: BodyId,
        /// Index among the body's modes in the model, from 0.
        mode: usize,
    },
    /// The multiplier of a constraint row, and the constraint Φ = 0 itself.
    Multiplier {
        /// The owner of the row.
        owner: Owner,
        /// Index among the owner's kept rows, from 0.
        row: usize,
    },
    /// An implicit variable in its own unit, and its residual r = 0.
    Implicit(EquationId),
    /// The state of a differential equation in its own unit, and ż − g = 0 per second.
    State(EquationId),
}

/// An unknown and its equation, with their names in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What it is.
    pub coordinate: Coordinate,
    /// `part "rod", rotation about z`.
    pub unknown: String,
    /// `part "rod", torque about z`.
    pub equation: String,
}

/// The meaning of a number in a padded vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Target {
    /// An unknown.
    Unknown(usize),
    /// An input.
    Input(InputId),
    /// An output, as an index into those that are wanted.
    Output(usize),
}

/// All unknowns, and their indices in padded vectors of a system.
pub(in crate::analysis) struct Places {
    /// By their numbers.
    pub list: Vec<Place>,
    /// By index in a padded vector.
    pub targets: Vec<Option<Target>>,
}

impl Places {
    /// Numbers the unknowns of a system. After its equations come states for these inputs, and then outputs.
    pub(in crate::analysis) fn new(
        mechanism: &Mechanism,
        system: &System,
        inputs: &[(LeafId, InputId)],
    ) -> Self {
        let mut places = Self {
            list: Vec::new(),
            targets: vec![None; system.tiles.padded()],
        };
        places.add_bodies(mechanism, system);
        places.add_modes(mechanism, system);
        places.add_multipliers(mechanism, system);
        for implicit in [true, false] {
            let own = system.equations.iter().take(mechanism.equations.len());
            for (k, entry) in own.enumerate() {
                if entry.is_algebraic() == implicit {
                    let place = equation(EquationId::from(k), &entry.name, implicit);
                    places.push(entry.block.offset() + entry.place, place);
                }
            }
        }
        let freed = system.equations.iter().skip(mechanism.equations.len());
        let inputs = inputs.iter().map(|(_, input)| Target::Input(*input));
        let rest = inputs.chain((0..).map(Target::Output));
        for (entry, target) in freed.zip(rest) {
            places.targets[entry.block.offset() + entry.place] = Some(target);
        }
        places
    }

    fn push(&mut self, at: usize, place: Place) {
        self.targets[at] = Some(Target::Unknown(self.list.len()));
        self.list.push(place);
    }

    /// The unknown at an index of a padded vector.
    pub(in crate::analysis) fn unknown(&self, at: usize) -> Option<usize> {
        match self.targets[at] {
            Some(Target::Unknown(k)) => Some(k),
            _ => None,
        }
    }

    /// The unknown at index `k` of a block.
    pub(in crate::analysis) fn at(&self, block: BlockId, k: usize) -> Option<usize> {
        self.unknown(block.offset() + k)
    }

    /// Is an unknown a pose or a modal coordinate?
    pub(in crate::analysis) fn moves(&self, unknown: usize) -> bool {
        let coordinate = self.list[unknown].coordinate;
        matches!(
            coordinate,
            Coordinate::Pose { .. } | Coordinate::Modal { .. }
        )
    }

    fn add_bodies(&mut self, mechanism: &Mechanism, system: &System) {
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let name = part(mechanism, body);
            for direction in 0..entry.dof {
                let axis = ["x", "y", "z"][direction % 3];
                let (moves, balance) = if direction < 3 {
                    ("displacement along", "force along")
                } else {
                    ("rotation about", "torque about")
                };
                let place = Place {
                    coordinate: Coordinate::Pose {
                        body: BodyId::from(body),
                        direction,
                    },
                    unknown: format!("{name}, {moves} {axis}"),
                    equation: format!("{name}, {balance} {axis}"),
                };
                self.push(block.offset() + direction, place);
            }
        }
    }

    fn add_modes(&mut self, mechanism: &Mechanism, system: &System) {
        for entry in &system.flexibles {
            let name = part(mechanism, entry.body);
            for mode in 0..entry.modal.len {
                let place = Place {
                    coordinate: Coordinate::Modal {
                        body: BodyId::from(entry.body),
                        mode,
                    },
                    unknown: format!("{name}, mode {}", mode + 1),
                    equation: format!("{name}, force on mode {}", mode + 1),
                };
                self.push(entry.row(mode), place);
            }
        }
    }

    fn add_multipliers(&mut self, mechanism: &Mechanism, system: &System) {
        let own = |group: &&Group| !group.adds();
        for group in system.groups.iter().filter(own) {
            let name = owner_name(mechanism, group.owner);
            for (row, r) in group.rows.range().enumerate() {
                let label = system.rows[r].law.label();
                let place = Place {
                    coordinate: Coordinate::Multiplier {
                        owner: group.owner,
                        row,
                    },
                    unknown: format!("{name}, multiplier of {label}"),
                    equation: format!("{name}, {label}"),
                };
                self.push(group.block.offset() + row, place);
            }
        }
    }
}

fn part(mechanism: &Mechanism, body: usize) -> String {
    format!("part {}", called(&mechanism.bodies[body].name))
}

fn equation(id: EquationId, name: &str, implicit: bool) -> Place {
    let (coordinate, law) = if implicit {
        (Coordinate::Implicit(id), "residual")
    } else {
        (Coordinate::State(id), "rate")
    };
    Place {
        coordinate,
        unknown: name.to_owned(),
        equation: format!("{name}, {law}"),
    }
}
