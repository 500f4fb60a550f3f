//! Control plane: does a mechanism hold together?
//!
//! A mechanism is plain data that any program may write. Before it is compiled, every identifier must name something
//! that is there, every list be as long as those that go with it, every number be what its place allows. What a
//! reader of models has made holds together; what comes from elsewhere may not.

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

/// Faults beyond this number are not collected.
const KEPT: usize = 20;

/// An identifier that must lie in a list of the mechanism.
trait Listed: Copy {
    /// What the list holds.
    const KIND: &'static str;
    /// How long the list is.
    fn count(m: &Mechanism) -> usize;
    /// The position.
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

/// Collects faults; `who` is the entity that is looked at.
struct Check<'a> {
    m: &'a Mechanism,
    who: String,
    faults: Vec<String>,
}

impl Check<'_> {
    /// Begins with another entity.
    fn of(&mut self, kind: &str, name: &str) {
        self.who = format!("{kind} {}", called(name));
    }

    /// Something must hold; `what` says what does not.
    fn demand(&mut self, holds: bool, what: fmt::Arguments<'_>) {
        if !holds && self.faults.len() < KEPT {
            self.faults.push(format!("{}: {what}", self.who));
        }
    }

    /// An identifier must name something.
    fn id<I: Listed>(&mut self, field: &str, id: I) -> bool {
        let (at, count) = (id.place(), I::count(self.m));
        self.demand(
            at < count,
            format_args!("{field} is {} {at}; there are {count}", I::KIND),
        );
        at < count
    }

    /// All of them must.
    fn ids<'i, I: Listed + 'i>(&mut self, field: &str, ids: impl IntoIterator<Item = &'i I>) {
        for id in ids {
            self.id(field, *id);
        }
    }

    /// A marker that is somewhere.
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

    /// A finite number.
    fn finite(&mut self, field: &str, number: f64) {
        self.demand(
            number.is_finite(),
            format_args!("{field} is {number}; valid: a finite number"),
        );
    }

    /// A finite number, if there is one.
    fn finite_if(&mut self, field: &str, number: Option<f64>) {
        if let Some(number) = number {
            self.finite(field, number);
        }
    }

    /// A place.
    fn vector(&mut self, field: &str, vector: &Vec3) {
        self.demand(
            vector.iter().all(|x| x.is_finite()),
            format_args!("{field} is not finite"),
        );
    }

    /// A turn.
    fn rotation(&mut self, field: &str, matrix: &Mat3) {
        let off = (matrix.transpose() * matrix - Mat3::identity()).abs().max();
        self.demand(
            off <= 1e-6 && matrix.determinant() > 0.0,
            format_args!("{field} is no rotation matrix"),
        );
    }

    /// Data that say of themselves whether they hold together.
    fn sound(&mut self, field: &str, is_sound: bool) {
        self.demand(is_sound, format_args!("{field} does not hold together: lists of other lengths, or numbers that are not finite"));
    }

    /// Two lists that go together.
    fn length(&mut self, field: &str, found: usize, wanted: usize) {
        self.demand(
            found == wanted,
            format_args!("{field} has {found} entries; valid: {wanted}"),
        );
    }

    /// A position below a count.
    fn below(&mut self, field: &str, at: usize, count: usize) {
        self.demand(
            at < count,
            format_args!("{field} is {at}; there are {count}"),
        );
    }
}

/// All that does not hold; nothing for a mechanism that can be compiled.
pub fn check(mechanism: &Mechanism) -> Result<(), String> {
    let mut check = Check {
        m: mechanism,
        who: format!("mechanism {}", called(&mechanism.name)),
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
    Err(check.faults.join("\n"))
}
