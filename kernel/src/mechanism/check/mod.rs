//! Control plane: checks that a mechanism is consistent, before it is compiled.
//!
//! A mechanism is plain data that any program may write. Every identifier must name an existing entity, lists that
//! belong together must have the same length, and every number must be valid for its place. A mechanism from the
//! model reader is consistent; one from elsewhere may not be.

mod bodies;
mod elements;
mod expressions;
mod settings;

use super::{Mechanism, called};
use crate::ids::{
    BodyId, CouplerId, CurveId, DelayId, EquationId, ExprId, ForceId, GeneralId, InputId, JointId,
    LeafId, MarkerId, MotionId, ParameterId, RoadId, SampledId, SensorId, TextId, ValueId,
    VariableId,
};
use crate::math::{Mat3, Vec3};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Limit on the faults that are collected.
const KEPT: usize = 20;

/// An identifier that must be an index into a list of the mechanism.
trait Listed: Copy {
    /// The kind of entity in the list.
    const KIND: &'static str;
    /// Length of the list.
    fn count(m: &Mechanism) -> usize;
    /// The index.
    fn place(self) -> usize;
}

macro_rules! listed {
    ($( $id:ident, $kind:literal, $($list:ident).+; )*) => { $(
        impl Listed for $id {
            const KIND: &'static str = $kind;
            fn count(m: &Mechanism) -> usize {
                m.$($list).+.len()
            }
            fn place(self) -> usize {
                self.index()
            }
        }
    )* };
}

listed! {
    BodyId, "body", bodies;
    MarkerId, "marker", markers;
    CurveId, "curve", curves;
    JointId, "joint", joints;
    CouplerId, "coupler", couplers;
    GeneralId, "general constraint", general_constraints;
    MotionId, "motion", motions;
    ForceId, "force", forces;
    RoadId, "road", roads;
    InputId, "input", inputs;
    ParameterId, "parameter", parameters;
    VariableId, "variable", variables;
    EquationId, "equation", equations;
    TextId, "text", texts;
    SampledId, "sampled system", memory.sampled;
    SensorId, "sensor", memory.sensors;
    DelayId, "delay", memory.delays;
    ExprId, "expression", expressions;
    LeafId, "leaf", leaves;
    ValueId, "value", values;
}

/// Collects faults; `entity` names the entity being checked.
struct Check<'a> {
    m: &'a Mechanism,
    entity: String,
    faults: Vec<String>,
}

impl Check<'_> {
    /// Starts with another entity.
    fn of(&mut self, kind: &str, name: &str) {
        self.entity = format!("{kind} {}", called(name));
    }

    /// A condition that must hold; `what` is the fault if it does not.
    fn demand(&mut self, holds: bool, what: fmt::Arguments<'_>) {
        if !holds && self.faults.len() < KEPT {
            self.faults.push(format!("{}: {what}", self.entity));
        }
    }

    /// An identifier must refer to an entity.
    fn id<I: Listed>(&mut self, field: &str, id: I) -> bool {
        let (at, count) = (id.place(), I::count(self.m));
        self.demand(
            at < count,
            format_args!("{field} is {} {at}; there are {count}", I::KIND),
        );
        at < count
    }

    /// All identifiers must.
    fn ids<'i, I: Listed + 'i>(&mut self, field: &str, ids: impl IntoIterator<Item = &'i I>) {
        for id in ids {
            self.id(field, *id);
        }
    }

    /// A marker must have a position.
    fn placed(&mut self, field: &str, marker: MarkerId) {
        if self.id(field, marker) {
            let marker = &self.m.markers[marker.index()];
            self.demand(
                marker.is_placed(),
                format_args!(
                    "{field} is a marker that stands for functions of modes, which is nowhere"
                ),
            );
        }
    }

    /// A number must be finite.
    fn finite(&mut self, field: &str, number: f64) {
        self.demand(
            number.is_finite(),
            format_args!("{field} is {number}; valid: a finite number"),
        );
    }

    /// A number must be finite, if present.
    fn finite_if(&mut self, field: &str, number: Option<f64>) {
        if let Some(number) = number {
            self.finite(field, number);
        }
    }

    /// A vector must be finite.
    fn vector(&mut self, field: &str, vector: &Vec3) {
        self.demand(
            vector.iter().all(|x| x.is_finite()),
            format_args!("{field} is not finite"),
        );
    }

    /// A matrix must be a rotation.
    fn rotation(&mut self, field: &str, matrix: &Mat3) {
        let off = (matrix.transpose() * matrix - Mat3::identity()).abs().max();
        self.demand(
            off <= 1e-6 && matrix.determinant() > 0.0,
            format_args!("{field} is no rotation matrix"),
        );
    }

    /// Data with a consistency check of their own.
    fn sound(&mut self, field: &str, is_sound: bool) {
        self.demand(is_sound, format_args!("{field} does not hold together: lists of other lengths, or numbers that are not finite"));
    }

    /// A list must have the length that others require.
    fn length(&mut self, field: &str, found: usize, wanted: usize) {
        self.demand(
            found == wanted,
            format_args!("{field} has {found} entries; valid: {wanted}"),
        );
    }

    /// An index must be below a count.
    fn below(&mut self, field: &str, at: usize, count: usize) {
        self.demand(
            at < count,
            format_args!("{field} is {at}; there are {count}"),
        );
    }
}

/// The faults of a mechanism whose parts do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", faults.join("\n"))]
pub struct Inconsistent {
    /// One text each: where it is, what is wrong, what would be valid.
    pub faults: Vec<String>,
}

/// Checks a mechanism; the error lists all faults. `Ok` means that it can be compiled.
pub fn check(mechanism: &Mechanism) -> Result<(), Inconsistent> {
    let mut check = Check {
        m: mechanism,
        entity: format!("mechanism {}", called(&mechanism.name)),
        faults: Vec::new(),
    };
    check.lists();
    check.settings();
    check.bodies();
    check.markers();
    check.curves();
    check.constraints();
    check.forces();
    check.expressions();
    check.memory();
    check.derived();
    if check.faults.is_empty() {
        return Ok(());
    }
    Err(Inconsistent {
        faults: check.faults,
    })
}
