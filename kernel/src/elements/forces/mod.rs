//! Data plane: force elements: the wrench on I, its derivatives, and energy.
//!
//! An element is a function of its markers' kinematics and its numbers ([`springs`], [`bushing`], [`field`],
//! [`contact`], [`tyre`]), or a sum of expressions times unit wrenches ([`directions`]). Reactions and transport to
//! the bodies are in [`crate::elements::wrench`].

pub mod bushing;
pub mod contact;
pub mod coulomb;
pub mod directions;
pub mod drive;
pub mod field;
pub mod friction;
pub mod losses;
pub mod relative;
pub mod springs;
pub mod tendon;
pub mod tyre;

use crate::elements::kinematics::MarkerKinematics;
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::ids::{ExprId, MarkerId, TyreId};
use crate::math::{Mat3, Vec3};
use core::ops::Range;
use tyre::Tyre;

/// A force element in the compiled system. Its numbers start at `values` in the state's table of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceElement {
    /// Marker I.
    pub i: MarkerId,
    /// Marker J.
    pub j: MarkerId,
    /// Does J's body take the reaction?
    pub reacts: bool,
    /// The law.
    pub law: ForceLaw,
    /// The other forces of the element, if it consists of several and this is the first.
    pub others: Range<usize>,
    /// Is it one of these others of an element?
    pub later: bool,
}

/// The laws.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceLaw {
    /// stiffness, damping, length, preload at `values`.
    TranslationalSpring {
        /// First of four numbers.
        values: usize,
    },
    /// stiffness, damping, free angle, preload at `values`; turns counted in `memory`.
    RotationalSpring {
        /// First of four numbers.
        values: usize,
        /// Slot in the table of counted angles.
        memory: usize,
    },
    /// K, C, F0, KT, CT, T0 (three each) at `values`.
    Bushing {
        /// First of eighteen numbers.
        values: usize,
    },
    /// Six coordinates, linear.
    Field(field::Kind),
    /// A shape on a surface.
    Contact(contact::ContactLaw),
    /// Friction by the load of a joint.
    JointFriction(friction::JointFriction),
    /// A tyre, with its two states.
    Tyre {
        /// Index of the tyre.
        tyre: TyreId,
        /// Indices of its states.
        states: Option<[usize; 2]>,
    },
    /// Drive of a joint.
    JointDrive(drive::JointDrive),
    /// A piece of a tendon.
    Tendon(tendon::Tendon),
    /// One expression along I–J.
    LineOfSight(ScaledTerm),
    /// One expression about z of J.
    TorqueZ(ScaledTerm),
    /// One expression along z of J.
    ForceZ(ScaledTerm),
    /// Up to six expressions along the axes of a marker.
    General {
        /// The axes.
        axes: MarkerId,
        /// Force x, y, z, torque x, y, z.
        terms: [Option<ScaledTerm>; 6],
    },
}

/// An expression's value times a factor to SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledTerm {
    /// The expression.
    pub expr: ExprId,
    /// To SI.
    pub to_si: f64,
}

impl ForceLaw {
    /// Is it a contact between shapes that can pass through each other?
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Contact(law) if contact::passage::may_pass(law))
    }

    /// Does it use a rotation vector, which jumps at half a turn?
    pub fn has_angle(&self) -> bool {
        matches!(self, Self::Bushing { .. } | Self::Field(_))
    }

    /// Does it only store and dissipate energy? Otherwise its expressions do work.
    pub fn is_passive(&self) -> bool {
        matches!(self, Self::Tendon(_)) || self.terms().iter().all(Option::is_none)
    }

    /// The place of stiffness and damping along the line I–J, if it has these.
    pub fn along_line(&self) -> Option<usize> {
        match self {
            Self::TranslationalSpring { values } | Self::Tendon(tendon::Tendon { values, .. }) => {
                Some(*values)
            }
            _ => None,
        }
    }

    /// The expressions, in their order.
    pub fn terms(&self) -> [Option<ScaledTerm>; 6] {
        match self {
            Self::LineOfSight(t) | Self::TorqueZ(t) | Self::ForceZ(t) => {
                [Some(*t), None, None, None, None, None]
            }
            Self::General { terms, .. } => *terms,
            Self::Tendon(tendon) => {
                let [length, rate] = tendon.whole;
                [Some(length), Some(rate), None, None, None, None]
            }
            Self::JointDrive(drive) => {
                let [position, velocity, feed] = drive.terms;
                [position, velocity, feed, None, None, None]
            }
            _ => [None; 6],
        }
    }

    /// The constraint group whose reaction the law reads.
    pub fn group(&self) -> Option<usize> {
        match self {
            Self::JointFriction(law) => law.group,
            _ => None,
        }
    }

    /// Indices of the states that the law reads.
    pub fn states(&self) -> [Option<usize>; 3] {
        match self {
            Self::Tyre {
                states: Some([u, v]),
                ..
            } => [Some(*u), Some(*v), None],
            Self::JointFriction(law) => {
                let mut bristles = law.bristles();
                core::array::from_fn(|_| bristles.next())
            }
            _ => [None; 3],
        }
    }

    /// The marker whose axes a general force uses.
    pub fn axes(&self) -> Option<MarkerId> {
        match self {
            Self::General { axes, .. } => Some(*axes),
            _ => None,
        }
    }
}

/// The inputs of a law: its three markers, the table of numbers, counted angles and expression values.
#[derive(Clone, Copy)]
pub struct ForceContext<'a> {
    /// Marker I.
    pub i: &'a MarkerKinematics,
    /// Marker J.
    pub j: &'a MarkerKinematics,
    /// Axes marker (J if the law has none).
    pub k: &'a MarkerKinematics,
    /// All numbers of elements.
    pub values: &'a [f64],
    /// Last accepted counted angles.
    pub angles: &'a [f64],
    /// Memory of contacts.
    pub memory: &'a [f64],
    /// Values of all expressions.
    pub expressions: &'a [f64],
    /// Reaction of the law's joint on I; zero if it has none.
    pub reaction: Wrench,
    /// States of all differential equations.
    pub states: &'a [f64],
    /// All tyres.
    pub tyres: &'a [Tyre],
    /// Are a drive's effort limits ignored? Newton's iteration does so after it has jumped between them.
    pub unlimited: bool,
}

impl ForceContext<'_> {
    /// An expression term in SI.
    pub fn term(&self, term: &ScaledTerm) -> f64 {
        self.expressions[term.expr.index()] * term.to_si
    }

    /// `N` numbers from the table.
    pub fn numbers<const N: usize>(&self, first: usize) -> [f64; N] {
        core::array::from_fn(|k| self.values[first + k])
    }
}

/// The wrench on I.
pub fn wrench(law: &ForceLaw, c: &ForceContext<'_>) -> Wrench {
    match law {
        ForceLaw::TranslationalSpring { values } => springs::translational(*values, c),
        ForceLaw::RotationalSpring { values, memory } => springs::rotational(*values, *memory, c),
        ForceLaw::Bushing { values } => bushing::wrench(*values, c),
        ForceLaw::Field(kind) => field::wrench(*kind, c),
        ForceLaw::Contact(law) => contact::wrench(law, c),
        ForceLaw::JointFriction(law) => friction::wrench(law, c),
        ForceLaw::Tyre { tyre, .. } => tyre::values(&c.tyres[tyre.index()], c).0,
        ForceLaw::JointDrive(law) => drive::wrench(law, c),
        ForceLaw::Tendon(law) => tendon::wrench(law, c),
        ForceLaw::LineOfSight(_)
        | ForceLaw::TorqueZ(_)
        | ForceLaw::ForceZ(_)
        | ForceLaw::General { .. } => directions::wrench(law, c),
    }
}

/// Derivatives of the wrench in the markers' quantities, expression values held fixed.
pub fn slopes(law: &ForceLaw, c: &ForceContext<'_>) -> WrenchSlopes {
    match law {
        ForceLaw::TranslationalSpring { values } => springs::translational_slopes(*values, c),
        ForceLaw::RotationalSpring { values, memory } => {
            springs::rotational_slopes(*values, *memory, c)
        }
        ForceLaw::Bushing { values } => bushing::slopes(*values, c),
        ForceLaw::Field(kind) => field::slopes(*kind, c),
        ForceLaw::Contact(law) => contact::slopes(law, c),
        ForceLaw::JointFriction(law) => friction::slopes(law, c),
        ForceLaw::Tyre { tyre, .. } => tyre::wrench_slopes(&c.tyres[tyre.index()], c),
        ForceLaw::JointDrive(law) => drive::slopes(law, c),
        ForceLaw::Tendon(law) => tendon::slopes(law, c),
        ForceLaw::LineOfSight(_)
        | ForceLaw::TorqueZ(_)
        | ForceLaw::ForceZ(_)
        | ForceLaw::General { .. } => directions::slopes(law, c),
    }
}

/// Potential energy \[J\]; zero for laws that have none.
pub fn energy(law: &ForceLaw, c: &ForceContext<'_>) -> f64 {
    match law {
        ForceLaw::TranslationalSpring { values } => springs::translational_energy(*values, c),
        ForceLaw::RotationalSpring { values, memory } => {
            springs::rotational_energy(*values, *memory, c)
        }
        ForceLaw::Bushing { values } => bushing::energy(*values, c),
        ForceLaw::Field(kind) => field::energy(*kind, c),
        ForceLaw::Contact(law) => contact::energy(law, c),
        ForceLaw::Tyre { tyre, .. } => tyre::energy(&c.tyres[tyre.index()], c),
        ForceLaw::JointDrive(law) => drive::energy(law, c),
        ForceLaw::Tendon(law) => tendon::energy(law, c),
        ForceLaw::LineOfSight(_)
        | ForceLaw::TorqueZ(_)
        | ForceLaw::ForceZ(_)
        | ForceLaw::JointFriction(_)
        | ForceLaw::General { .. } => 0.0,
    }
}

/// Derivative of the wrench in an expression, counted as in [`ForceLaw::terms`] \[SI\].
pub fn direction(law: &ForceLaw, term: usize, c: &ForceContext<'_>) -> Wrench {
    match law {
        ForceLaw::JointDrive(drive) => drive::direction(drive, term, c),
        ForceLaw::Tendon(law) => tendon::direction(law, term, c),
        _ => directions::direction(law, term, c),
    }
}

/// Length \[m\] of an element that has a free length.
pub fn length(law: &ForceLaw, c: &ForceContext<'_>) -> Option<f64> {
    match law {
        ForceLaw::TranslationalSpring { .. } => Some((c.i.p - c.j.p).norm()),
        ForceLaw::Tendon(law) => Some(tendon::length(law, c)),
        _ => None,
    }
}

/// Distance \[m\] from the place where the force begins, for a law whose slopes jump there.
pub fn from_onset(law: &ForceLaw, c: &ForceContext<'_>) -> Option<f64> {
    match law {
        ForceLaw::Tendon(law) => Some(tendon::from_onset(law, c)),
        _ => None,
    }
}

/// (NRG-2) of an element that only stores and dissipates energy; `taken` is the power that it takes from the bodies.
pub fn dissipation(element: &ForceElement, c: &ForceContext<'_>, taken: f64) -> f64 {
    match &element.law {
        // All of it is lost, even the energy that bristles store.
        ForceLaw::JointFriction(_) => taken,
        ForceLaw::Tendon(law) => tendon::dissipation(law, c),
        // The tyre's force at rest is not only that of its spring.
        law @ ForceLaw::Tyre { .. } => taken - losses::storing(law, c),
        law => {
            let j = element.reacts.then_some(c.j);
            taken + losses::power(c.i, j, &losses::at_rest(law, c))
        }
    }
}

/// A jump of the rotation vector of I from J \[rad\], weighted by the stiffest axis; zero if the law does not use it.
pub fn weighted_jump(law: &ForceLaw, c: &ForceContext<'_>, jump: &Vec3) -> f64 {
    match law {
        ForceLaw::Bushing { values } => bushing::weighted_jump(*values, c, jump),
        ForceLaw::Field(kind) => field::weighted_jump(*kind, c, jump),
        _ => 0.0,
    }
}

/// Dependence of the wrench on the reaction of the law's joint; zero for laws that read none.
pub fn reaction_terms(law: &ForceLaw, c: &ForceContext<'_>) -> [friction::ReactionTerm; 3] {
    match law {
        ForceLaw::JointFriction(law) => friction::reaction_terms(law, c),
        _ => [(Wrench::zero(), Wrench::zero()); 3],
    }
}

/// Derivatives of the wrench in [`ForceLaw::states`].
pub fn state_columns(law: &ForceLaw, c: &ForceContext<'_>) -> [Wrench; 3] {
    match law {
        ForceLaw::JointFriction(law) => friction::state_columns(law, c),
        _ => [Wrench::zero(); 3],
    }
}

/// |K jump| over the largest |K e|, e an axis; zero if K is zero.
fn share(stiffness: &Mat3, jump: &Vec3) -> f64 {
    let columns = stiffness.column_iter().map(|column| column.norm());
    let most = columns.fold(0.0, f64::max);
    if most > 0.0 {
        (stiffness * jump).norm() / most
    } else {
        0.0
    }
}
