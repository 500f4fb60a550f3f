//! Control plane: force elements of a validated mechanism, in SI. What a force element has and does is written here
//! once, by kind: its numbers, its expressions, and the facts of [`ForceRow`].

use super::contact::Contact;
use super::drive::JointDrive;
use super::friction::JointFriction;
use super::quantities::ScaledExpr;
use super::tyres::{Tyre, TyreLaw};
use crate::ids::{ForceId, MarkerId, ValueId};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A force element.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Force {
    /// Name.
    pub name: String,
    /// Marker I: the force acts on its body at its origin.
    pub i: MarkerId,
    /// Marker J: its body takes the reaction, at the origin of I. Unused by action-only forces.
    pub j: MarkerId,
    /// Kind, with its data.
    pub kind: ForceKind,
}

/// A 6×6 matrix by rows.
pub type Matrix = Box<[[ValueId; 6]; 6]>;

/// The kinds of force.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ForceKind {
    /// Along the line I–J, repulsion positive: `F = preload − damping·dL/dt − stiffness·(L − length)`.
    TranslationalSpringDamper {
        /// [N/m]
        stiffness: ValueId,
        /// [N s/m]
        damping: ValueId,
        /// Free length \[m\].
        length: ValueId,
        /// \[N\]
        preload: ValueId,
    },
    /// About z of J, on I: `T = preload − damping·ω − stiffness·(angle − free angle)`; the angle
    /// counts full turns.
    RotationalSpringDamper {
        /// [N m/rad]
        stiffness: ValueId,
        /// [N m s/rad]
        damping: ValueId,
        /// Free angle \[rad\].
        angle: ValueId,
        /// [N m]
        preload: ValueId,
    },
    /// Six-axis bushing in J's axes.
    Bushing {
        /// [N/m]
        stiffness: [ValueId; 3],
        /// [N s/m]
        damping: [ValueId; 3],
        /// \[N\]
        preload: [ValueId; 3],
        /// [N m/rad]
        torsional_stiffness: [ValueId; 3],
        /// [N m s/rad]
        torsional_damping: [ValueId; 3],
        /// [N m]
        torsional_preload: [ValueId; 3],
    },
    /// Six linear coordinates: (F, T) = preload − K (q − q0) − C q̇, rows F, T in J's axes.
    Field {
        /// K [N/m, N/rad, N, N m/rad].
        stiffness: Matrix,
        /// C [N s/m, N s/rad, N s, N m s/rad].
        damping: Matrix,
        /// q0 \[m, rad\].
        from: [ValueId; 6],
        /// [N, N m]
        preload: [ValueId; 6],
        /// A time \[s\]; K times it is added to C.
        ratio: ValueId,
    },
    /// Beam from J to I along x of J.
    Beam {
        /// C [N s/m, N s/rad, N s, N m s/rad].
        damping: Matrix,
        /// A time \[s\]; K times it is added to C.
        ratio: ValueId,
        /// Length \[m\], E, G \[Pa\], area \[m²\], Ixx, Iyy, Izz \[m⁴\], ASY, ASZ.
        section: [ValueId; 9],
    },
    /// A shape fixed to I on a surface fixed to J.
    Contact(Box<Contact>),
    /// Friction in a joint; I and J are the joint's.
    JointFriction(Box<JointFriction>),
    /// A tyre.
    Tyre(Box<Tyre>),
    /// Drive of a joint; I and J are the joint's.
    JointDrive(Box<JointDrive>),
    /// One-component force along the line I–J (repulsion positive), with reaction on J.
    LineOfSight(ScaledExpr),
    /// One-component torque on I about z of J, with reaction on J.
    Torque(ScaledExpr),
    /// One-component force on I along z of J, no reaction.
    ActionOnlyForce(ScaledExpr),
    /// One-component torque on I about z of J, no reaction.
    ActionOnlyTorque(ScaledExpr),
    /// A distributed load on a flexible body: the factor of the load case given by the functions of I. J is ground
    /// and receives no reaction.
    Modal(ScaledExpr),
    /// Three forces and three torques on I in the axes of `axes`, with reaction on J's body at the
    /// origin of I. Absent components are `None`.
    General {
        /// The marker whose axes the components refer to.
        axes: MarkerId,
        /// \[N\]
        force: [Option<ScaledExpr>; 3],
        /// [N m]
        torque: [Option<ScaledExpr>; 3],
    },
    /// A piece of a tendon between two of its points, with the tension of the whole:
    /// `T = max(0, stiffness·s + damping·σ(s)·dL/dt)`, s = L − length more than zero.
    Tendon {
        /// [N/m]
        stiffness: ValueId,
        /// [N s/m]
        damping: ValueId,
        /// Free length \[m\].
        length: ValueId,
        /// Stretch at which damping is full \[m\]; zero: a thousandth of the free length.
        damping_stretch: ValueId,
        /// Length of the whole tendon and its rate.
        whole: [ScaledExpr; 2],
        /// The tendon's first piece, of a later one.
        first: Option<ForceId>,
    },
}

/// The directions in which an element loads a node, wherever its marker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Does it exert a force?
    pub force: bool,
    /// Does it exert a torque?
    pub torque: bool,
}

impl Load {
    /// No load.
    pub const NOTHING: Self = Self::new(false, false);
    /// A force through the marker.
    pub const FORCE: Self = Self::new(true, false);
    /// A torque.
    pub const TORQUE: Self = Self::new(false, true);
    /// Both.
    pub const BOTH: Self = Self::new(true, true);

    const fn new(force: bool, torque: bool) -> Self {
        Self { force, torque }
    }
}

/// Facts of a kind of force element.
#[derive(Clone, Copy, Debug)]
pub struct ForceRow {
    /// The usual name of the element.
    pub name: &'static str,
    /// What messages call it in front of its name.
    pub called: &'static str,
    /// The loads on I and on J.
    pub loads: [Load; 2],
    /// Does it act on I alone, without a reaction on J?
    pub alone: bool,
    /// Is it drawn as a line from I to J?
    pub line: bool,
    /// Does it hold its parts together, rather than touch or drive them?
    pub holds: bool,
    /// Do its slopes change strongly within a step, whatever its numbers are?
    pub steep: bool,
    /// What happens where its force begins and ends, if it does.
    pub ends: Option<&'static str>,
    /// The fields without which it does nothing; it is idle if all their numbers are zero. Empty: it is never idle.
    pub strength: &'static [&'static str],
}

/// The fields without which a bushing does nothing.
const BUSHING: &[&str] = &[
    "stiffness",
    "damping",
    "preload",
    "torsional_stiffness",
    "torsional_damping",
    "torsional_preload",
];

impl ForceRow {
    /// An element that loads both parts in all directions.
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            called: "force",
            loads: [Load::BOTH; 2],
            alone: false,
            line: false,
            holds: true,
            steep: false,
            ends: None,
            strength: &[],
        }
    }

    /// An element that touches its parts, or drives them.
    const fn touching(name: &'static str) -> Self {
        Self {
            called: name,
            holds: false,
            steep: true,
            ..Self::new(name)
        }
    }

    /// The same with these loads.
    const fn with_loads(self, loads: [Load; 2]) -> Self {
        Self { loads, ..self }
    }
}

impl ForceKind {
    /// The facts of its kind.
    pub fn row(&self) -> ForceRow {
        match self {
            Self::TranslationalSpringDamper { .. } => ForceRow {
                line: true,
                strength: &["stiffness", "damping", "preload"],
                ..ForceRow::new("spring-damper").with_loads([Load::FORCE; 2])
            },
            Self::RotationalSpringDamper { .. } => ForceRow {
                strength: &["stiffness", "damping", "preload"],
                ..ForceRow::new("torsion spring-damper").with_loads([Load::TORQUE; 2])
            },
            Self::Bushing { .. } => ForceRow {
                strength: BUSHING,
                ..ForceRow::new("bushing")
            },
            Self::LineOfSight(_) => ForceRow {
                line: true,
                ..ForceRow::new("line-of-sight force").with_loads([Load::FORCE; 2])
            },
            Self::Torque(_) => ForceRow::new("torque").with_loads([Load::TORQUE; 2]),
            Self::ActionOnlyForce(_) => ForceRow {
                alone: true,
                ..ForceRow::new("action-only force").with_loads([Load::FORCE, Load::NOTHING])
            },
            Self::ActionOnlyTorque(_) => ForceRow {
                alone: true,
                ..ForceRow::new("action-only torque").with_loads([Load::TORQUE, Load::NOTHING])
            },
            Self::Modal(_) => ForceRow {
                alone: true,
                ..ForceRow::new("modal force").with_loads([Load::NOTHING; 2])
            },
            Self::General { force, torque, .. } => {
                let [force, torque] = [force, torque].map(|part| part.iter().any(Option::is_some));
                // The reaction on J has a lever arm.
                let on_j = Load::new(force, force || torque);
                ForceRow::new("general force").with_loads([Load::new(force, torque), on_j])
            }
            Self::Field { .. } => ForceRow::new("field"),
            Self::Beam { .. } => ForceRow {
                line: true,
                ..ForceRow::new("beam")
            },
            Self::Tendon { .. } => ForceRow {
                called: "tendon",
                line: true,
                steep: true,
                ends: Some("goes slack or taut"),
                strength: &["stiffness", "damping"],
                ..ForceRow::new("tendon").with_loads([Load::FORCE; 2])
            },
            Self::Contact(_) => ForceRow::touching("contact"),
            Self::JointFriction(_) => ForceRow::touching("joint friction"),
            Self::Tyre(_) => ForceRow {
                ends: Some("leaves the road"),
                ..ForceRow::touching("tyre")
            },
            Self::JointDrive(drive) => ForceRow {
                steep: drive.limits.effort || drive.limits.speed || drive.limits.stops,
                ..ForceRow::touching("joint drive")
            },
        }
    }

    /// The numbers of the element in the order of its law, each list with its field. Those of the road come before
    /// those of a tyre and are not among them.
    pub fn numbers(&self) -> Vec<(&'static str, Vec<ValueId>)> {
        match self {
            Self::TranslationalSpringDamper {
                stiffness,
                damping,
                length: free,
                preload,
            } => each([
                ("stiffness", stiffness),
                ("damping", damping),
                ("length", free),
                ("preload", preload),
            ]),
            Self::RotationalSpringDamper {
                stiffness,
                damping,
                angle: free,
                preload,
            } => each([
                ("stiffness", stiffness),
                ("damping", damping),
                ("angle", free),
                ("preload", preload),
            ]),
            Self::Tendon {
                stiffness,
                damping,
                length,
                damping_stretch,
                ..
            } => each([
                ("stiffness", stiffness),
                ("damping", damping),
                ("length", length),
                ("damping_stretch", damping_stretch),
            ]),
            Self::Bushing { .. } | Self::Field { .. } | Self::Beam { .. } => self.of_six(),
            Self::Contact(contact) => vec![
                ("a number of the normal force", contact.normal.to_vec()),
                ("a number of friction", contact.friction.to_vec()),
                ("a size", contact.sizes.as_flattened().to_vec()),
            ],
            Self::JointFriction(friction) => {
                vec![("a number", friction.numbers.into_array().to_vec())]
            }
            Self::Tyre(tyre) => {
                let mut all = vec![
                    ("friction", vec![tyre.friction]),
                    ("low_speed", tyre.low_speed.to_vec()),
                ];
                if let TyreLaw::Linear(own) = &tyre.law {
                    all.push(("a number", own.to_vec()));
                }
                all
            }
            Self::JointDrive(drive) => vec![("a number", drive.numbers.to_vec())],
            Self::LineOfSight(_)
            | Self::Torque(_)
            | Self::ActionOnlyForce(_)
            | Self::ActionOnlyTorque(_)
            | Self::Modal(_)
            | Self::General { .. } => Vec::new(),
        }
    }

    /// The numbers of an element with six coordinates.
    fn of_six(&self) -> Vec<(&'static str, Vec<ValueId>)> {
        let flat = |field, matrix: &Matrix| (field, matrix.as_flattened().to_vec());
        match self {
            Self::Bushing {
                stiffness,
                damping,
                preload,
                torsional_stiffness,
                torsional_damping,
                torsional_preload,
            } => vec![
                ("stiffness", stiffness.to_vec()),
                ("damping", damping.to_vec()),
                ("preload", preload.to_vec()),
                ("torsional_stiffness", torsional_stiffness.to_vec()),
                ("torsional_damping", torsional_damping.to_vec()),
                ("torsional_preload", torsional_preload.to_vec()),
            ],
            Self::Field {
                stiffness,
                damping,
                from,
                preload,
                ratio,
            } => vec![
                flat("stiffness", stiffness),
                flat("damping", damping),
                ("displacement or rotation", from.to_vec()),
                ("preload", preload.to_vec()),
                ("damping_ratio", vec![*ratio]),
            ],
            Self::Beam {
                damping,
                ratio,
                section,
            } => vec![
                flat("damping", damping),
                ("damping_ratio", vec![*ratio]),
                ("its section", section.to_vec()),
            ],
            _ => Vec::new(),
        }
    }

    /// The number of a field that is a single one.
    pub fn number(&self, field: &str) -> Option<ValueId> {
        let numbers = self.numbers();
        let own = numbers.iter().find(|own| own.0 == field)?;
        match own.1[..] {
            [number] => Some(number),
            _ => None,
        }
    }

    /// The expressions that the user wrote for the element, each with its field.
    pub fn expressions(&self) -> Vec<(&'static str, ScaledExpr)> {
        match self {
            Self::LineOfSight(scaled)
            | Self::Torque(scaled)
            | Self::ActionOnlyForce(scaled)
            | Self::ActionOnlyTorque(scaled) => vec![("expression", *scaled)],
            Self::Modal(scaled) => vec![("scale", *scaled)],
            Self::JointDrive(drive) => ["position", "velocity", "feed_forward"]
                .into_iter()
                .zip(&drive.terms)
                .filter_map(|(field, scaled)| Some((field, (*scaled)?)))
                .collect(),
            Self::General { force, torque, .. } => ["fx", "fy", "fz", "tx", "ty", "tz"]
                .into_iter()
                .zip(force.iter().chain(torque))
                .filter_map(|(field, scaled)| Some((field, (*scaled)?)))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The expressions that the element reads besides [`Self::expressions`]: lengths that it needs.
    pub fn readings(&self) -> Vec<ScaledExpr> {
        match self {
            Self::Tendon { whole, .. } => whole.to_vec(),
            _ => Vec::new(),
        }
    }

    /// The first force of the element, if the element consists of several forces and this is a later one.
    pub fn first(&self) -> Option<ForceId> {
        match self {
            Self::Tendon { first, .. } => *first,
            _ => None,
        }
    }
}

/// Fields of one number each.
fn each<const N: usize>(
    fields: [(&'static str, &ValueId); N],
) -> Vec<(&'static str, Vec<ValueId>)> {
    fields.map(|(field, number)| (field, vec![*number])).into()
}
