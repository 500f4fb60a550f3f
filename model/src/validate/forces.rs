//! Control plane: checks the force elements of a model and converts them to those of the mechanism.

mod tendon;

use super::builder::Builder;
use super::{contact, drive, fields, flexible, friction, tyres};
use crate::errors::At;
use crate::resolve::Scope;
use crate::schema::{
    self, Bushing, Document, Ends, Expression, GeneralForce, Number, SpringDamper,
    TorsionSpringDamper, VectorForce, VectorTorque,
};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{MarkerId, ValueId};
use fixstep_kernel::mechanism::{Force, ForceKind, ScaledExpr, ValueRule};

/// Below this distance \[m\] the line between two markers has no direction.
const COINCIDENT: f64 = 1e-12;

const NO_TORQUE: &str = "it cannot take a torque";
const NO_MOMENT: &str = "it cannot take the moment of a reaction away from it; put I on the point mass and J on the \
     other body, or use a force along the line between the markers";

/// All force elements, in the order of the file; those that an element has beside its first follow.
pub(super) fn forces(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Force>> {
    let mut later = Vec::new();
    let one = |b: &mut Builder<'_>, data: &schema::ForceElement, at: &At| match data {
        schema::ForceElement::Tendon(x) => tendon::tendon(b, x, at, &mut later),
        _ => force(b, data, at),
    };
    let mut all = b.each(&document.forces.0, one);
    all.extend(later.into_iter().map(Some));
    all
}

fn force(b: &mut Builder<'_>, data: &schema::ForceElement, at: &At) -> Option<Force> {
    use schema::ForceElement as S;
    let ends = match data.ends() {
        Ends::Markers(i, j) => b.two_bodies(i, j, at),
        Ends::Alone(i, j) => b.ends(i, j, at),
        Ends::Joint(name) => b
            .joint(name, &at.field("joint"))
            .map(|(_, joint)| (joint.i, joint.j)),
        Ends::Body(part, load) => flexible::load_marker(b, (part, load), at),
        Ends::Points(_) => None,
    };
    let kind = match data {
        S::SpringDamper(x) => Some(spring_damper(b, x, at)),
        S::TorsionSpringDamper(x) => Some(torsion_spring_damper(b, x, at)),
        S::Bushing(x) => Some(bushing(b, x, at)),
        S::Field(x) => Some(fields::field(b, x, at)),
        S::Beam(x) => Some(fields::beam(b, x, at)),
        S::Tendon(_) => None,
        S::Contact(x) => contact::contact(b, x, at),
        S::JointFriction(x) => friction::friction(b, x, at),
        S::Tyre(x) => tyres::tyre(b, x, at),
        S::JointDrive(x) => drive::drive(b, x, at),
        S::LineOfSight(x) => {
            one(b, &x.expression, Dimension::Force, at).map(ForceKind::LineOfSight)
        }
        S::Torque(x) => one(b, &x.expression, Dimension::Torque, at).map(ForceKind::Torque),
        S::ActionOnlyForce(x) => {
            one(b, &x.expression, Dimension::Force, at).map(ForceKind::ActionOnlyForce)
        }
        S::ActionOnlyTorque(x) => {
            one(b, &x.expression, Dimension::Torque, at).map(ForceKind::ActionOnlyTorque)
        }
        S::ModalForce(x) => b
            .scaled(&x.scale, 1.0, Scope::All, &at.field("scale"))
            .map(ForceKind::Modal),
        S::VectorForce(x) => vector_force(b, x, at),
        S::VectorTorque(x) => vector_torque(b, x, at),
        S::GeneralForce(x) => general(b, x, at),
    };
    let (i, j) = ends?;
    check_ends(b, data, i, j, at);
    Some(Force {
        name: data.name().to_owned(),
        i,
        j,
        kind: kind?,
    })
}

/// Point masses take no torque; a line needs two points.
fn check_ends(b: &mut Builder<'_>, data: &schema::ForceElement, i: MarkerId, j: MarkerId, at: &At) {
    use schema::ForceElement as S;
    let (both, only_i, only_j) = ([("i", i), ("j", j)], [("i", i)], [("j", j)]);
    match data {
        S::SpringDamper(_) | S::LineOfSight(_) => {
            if let (Some(p), Some(q)) = (b.place_of(i), b.place_of(j))
                && (p - q).norm() <= COINCIDENT
            {
                let message = "the markers coincide at the start, so the line between them has no \
                               direction; use \"vector_force\" or \"bushing\", or move one";
                b.report.add(at, message);
            }
        }
        S::TorsionSpringDamper(_)
        | S::Torque(_)
        | S::VectorTorque(_)
        | S::Field(_)
        | S::Tyre(_)
        | S::Beam(_) => {
            b.refuse_point_masses(&both, NO_TORQUE, at);
        }
        S::ActionOnlyForce(_) | S::ModalForce(_) | S::Tendon(_) => {}
        S::ActionOnlyTorque(_) => b.refuse_point_masses(&only_i, NO_TORQUE, at),
        S::Bushing(x) => {
            let torsional = [
                &x.torsional_stiffness,
                &x.torsional_damping,
                &x.torsional_preload,
            ];
            if torsional.into_iter().any(Option::is_some) {
                b.refuse_point_masses(&both, NO_TORQUE, at);
            } else {
                b.refuse_point_masses(&only_j, NO_MOMENT, at);
            }
        }
        S::JointFriction(_) | S::JointDrive(_) => {
            b.refuse_point_masses(&both, NO_TORQUE, &at.field("joint"));
        }
        S::Contact(x) => contact::check_ends(b, x, (i, j), at),
        S::VectorForce(_) => b.refuse_point_masses(&only_j, NO_MOMENT, at),
        S::GeneralForce(x) => {
            if [&x.tx, &x.ty, &x.tz].into_iter().any(Option::is_some) {
                b.refuse_point_masses(&both, NO_TORQUE, at);
            } else {
                b.refuse_point_masses(&only_j, NO_MOMENT, at);
            }
        }
    }
}

fn spring_damper(b: &mut Builder<'_>, data: &SpringDamper, at: &At) -> ForceKind {
    let mut get = |field: &str, number: Option<&Number>, dimension, rule| {
        b.optional(number, dimension, rule, &at.field(field))
    };
    let (some, any) = (ValueRule::NonNegative, ValueRule::Finite);
    ForceKind::TranslationalSpringDamper {
        stiffness: get(
            "stiffness",
            data.stiffness.as_ref(),
            Dimension::Stiffness,
            some,
        ),
        damping: get("damping", data.damping.as_ref(), Dimension::Damping, some),
        length: get("length", data.length.as_ref(), Dimension::Length, some),
        preload: get("preload", data.preload.as_ref(), Dimension::Force, any),
    }
}

fn torsion_spring_damper(b: &mut Builder<'_>, data: &TorsionSpringDamper, at: &At) -> ForceKind {
    let mut get = |field: &str, number: Option<&Number>, dimension, rule| {
        b.optional(number, dimension, rule, &at.field(field))
    };
    let (some, any) = (ValueRule::NonNegative, ValueRule::Finite);
    let (stiffness, damping) = (Dimension::TorsionalStiffness, Dimension::TorsionalDamping);
    ForceKind::RotationalSpringDamper {
        stiffness: get("stiffness", data.stiffness.as_ref(), stiffness, some),
        damping: get("damping", data.damping.as_ref(), damping, some),
        angle: get("angle", data.angle.as_ref(), Dimension::Angle, any),
        preload: get("preload", data.preload.as_ref(), Dimension::Torque, any),
    }
}

fn bushing(b: &mut Builder<'_>, data: &Bushing, at: &At) -> ForceKind {
    let mut get = |field: &str, numbers: &Option<[Number; 3]>, dimension, rule| -> [ValueId; 3] {
        let zero = [const { Number::Constant(0.0) }; 3];
        b.numbers(
            numbers.as_ref().unwrap_or(&zero),
            dimension,
            rule,
            &at.field(field),
        )
    };
    let (some, any) = (ValueRule::NonNegative, ValueRule::Finite);
    let (stiff, damp) = (Dimension::TorsionalStiffness, Dimension::TorsionalDamping);
    ForceKind::Bushing {
        stiffness: get("stiffness", &data.stiffness, Dimension::Stiffness, some),
        damping: get("damping", &data.damping, Dimension::Damping, some),
        preload: get("preload", &data.preload, Dimension::Force, any),
        torsional_stiffness: get(
            "torsional_stiffness",
            &data.torsional_stiffness,
            stiff,
            some,
        ),
        torsional_damping: get("torsional_damping", &data.torsional_damping, damp, some),
        torsional_preload: get(
            "torsional_preload",
            &data.torsional_preload,
            Dimension::Torque,
            any,
        ),
    }
}

fn one(
    b: &mut Builder<'_>,
    expression: &Expression,
    dimension: Dimension,
    at: &At,
) -> Option<ScaledExpr> {
    let to_si = b.units.to_si(dimension);
    b.scaled(expression, to_si, Scope::All, &at.field("expression"))
}

/// Three components; `None` if one of them has an error.
fn components(
    b: &mut Builder<'_>,
    fields: [(&str, Option<&Expression>); 3],
    dimension: Dimension,
    at: &At,
) -> Option<[Option<ScaledExpr>; 3]> {
    let to_si = b.units.to_si(dimension);
    let [x, y, z] = fields.map(|(field, expression)| match expression {
        None => Some(None),
        Some(expression) => b
            .scaled(expression, to_si, Scope::All, &at.field(field))
            .map(Some),
    });
    Some([x?, y?, z?])
}

/// The marker of the axes; absent: J.
fn axes(b: &mut Builder<'_>, axes: Option<&String>, j: &str, at: &At) -> Option<MarkerId> {
    match axes {
        Some(name) => b.marker(name, &at.field("axes")),
        // Its absence has been reported with J.
        None => b.names.markers.get(j),
    }
}

/// Refuses a force without any component, which must be an oversight.
fn check_any(b: &mut Builder<'_>, given: &[Option<&Expression>], valid: &str, at: &At) {
    if given.iter().all(Option::is_none) {
        b.report
            .add(at, format!("no component is given; valid: {valid}"));
    }
}

fn vector_force(b: &mut Builder<'_>, data: &VectorForce, at: &At) -> Option<ForceKind> {
    let [x, y, z] = [data.fx.as_ref(), data.fy.as_ref(), data.fz.as_ref()];
    check_any(b, &[x, y, z], "fx, fy, fz", at);
    let axes = axes(b, data.axes.as_ref(), &data.j, at);
    let force = components(b, [("fx", x), ("fy", y), ("fz", z)], Dimension::Force, at);
    Some(ForceKind::General {
        axes: axes?,
        force: force?,
        torque: [None; 3],
    })
}

fn vector_torque(b: &mut Builder<'_>, data: &VectorTorque, at: &At) -> Option<ForceKind> {
    let [x, y, z] = [data.tx.as_ref(), data.ty.as_ref(), data.tz.as_ref()];
    check_any(b, &[x, y, z], "tx, ty, tz", at);
    let axes = axes(b, data.axes.as_ref(), &data.j, at);
    let torque = components(b, [("tx", x), ("ty", y), ("tz", z)], Dimension::Torque, at);
    Some(ForceKind::General {
        axes: axes?,
        force: [None; 3],
        torque: torque?,
    })
}

fn general(b: &mut Builder<'_>, data: &GeneralForce, at: &At) -> Option<ForceKind> {
    let [fx, fy, fz] = [data.fx.as_ref(), data.fy.as_ref(), data.fz.as_ref()];
    let [tx, ty, tz] = [data.tx.as_ref(), data.ty.as_ref(), data.tz.as_ref()];
    check_any(b, &[fx, fy, fz, tx, ty, tz], "fx, fy, fz, tx, ty, tz", at);
    let axes = axes(b, data.axes.as_ref(), &data.j, at);
    let force = components(
        b,
        [("fx", fx), ("fy", fy), ("fz", fz)],
        Dimension::Force,
        at,
    );
    let torque = components(
        b,
        [("tx", tx), ("ty", ty), ("tz", tz)],
        Dimension::Torque,
        at,
    );
    Some(ForceKind::General {
        axes: axes?,
        force: force?,
        torque: torque?,
    })
}
