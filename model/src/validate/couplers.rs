//! Control plane: couplers and gears, both as sums of coordinates of joints.

use super::builder::Builder;
use crate::errors::{At, quote};
use crate::schema::{self, CoupledCoordinate, Document};
use fixstep_kernel::ids::{BodyId, JointId, MarkerId};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::{Coupler, CouplerLeg, Joint, JointKind};

/// A factor of a gear below this part of its possible size counts as zero.
const NOTHING: f64 = 1e-9;

/// All couplers, then all gears.
pub(super) fn couplers(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Coupler>> {
    let mut all = b.each(&document.couplers.0, coupler);
    all.extend(b.each(&document.gears.0, gear));
    all
}

fn coupler(b: &mut Builder<'_>, data: &schema::Coupler, at: &At) -> Option<Coupler> {
    let count = data.joints.len();
    if !(2..=3).contains(&count) {
        let message = format!("a coupler joins two or three joints; found {count}");
        b.report.add(&at.field("joints"), message);
        return None;
    }
    let coordinates = data.coordinates.as_deref();
    let lengths = [
        ("scales", Some(data.scales.len())),
        ("coordinates", coordinates.map(<[_]>::len)),
    ];
    let mut sound = true;
    for (field, length) in lengths {
        if let Some(length) = length.filter(|length| *length != count) {
            let message = format!("expected one for each of the {count} joints; found {length}");
            b.report.add(&at.field(field), message);
            sound = false;
        }
    }
    for (k, scale) in data.scales.iter().enumerate() {
        if *scale == 0.0 {
            let message = "must not be zero: the joint would take no part";
            b.report.add(&at.field("scales").index(k), message);
            sound = false;
        }
    }
    if !sound {
        return None;
    }
    let mut coupled = Vec::with_capacity(count);
    for (k, name) in data.joints.iter().enumerate() {
        let at = at.field("joints").index(k);
        let wanted = coordinates.map(|c| c[k]);
        let one = coordinate(b, (name, wanted), &at)?;
        if coupled.contains(&one) {
            let message = format!(
                "the {} of the joint {} takes part twice; add up its scales",
                one.1.word(),
                quote(name)
            );
            b.report.add(&at, message);
            return None;
        }
        coupled.push(one);
    }
    Some(sum(b, data, &coupled))
}

/// The sum in SI: an angle if all coordinates are angles, else a length.
fn sum(
    b: &Builder<'_>,
    data: &schema::Coupler,
    coupled: &[(JointId, CoupledCoordinate, (MarkerId, MarkerId))],
) -> Coupler {
    let slides = |c: CoupledCoordinate| c == CoupledCoordinate::Translation;
    let angular = !coupled.iter().any(|(_, c, _)| slides(*c));
    let radian = if angular { 1.0 } else { b.units.length.factor };
    let leg = |((_, c, (i, j)), scale): (&(_, CoupledCoordinate, (MarkerId, MarkerId)), &f64)| {
        let (slide, turn) = if slides(*c) {
            (*scale, 0.0)
        } else {
            (0.0, scale * radian)
        };
        CouplerLeg {
            i: *i,
            j: *j,
            slide,
            turn,
        }
    };
    Coupler {
        name: data.name.clone(),
        gear: false,
        angular,
        legs: coupled.iter().zip(&data.scales).map(leg).collect(),
    }
}

/// A joint by name; `None`: a problem.
fn find<'b>(b: &'b mut Builder<'_>, name: &str, at: &At) -> Option<(JointId, &'b Joint)> {
    match b.names.joints.find(name) {
        Ok(id) => b.joints.get(id.index())?.as_ref().map(|joint| (id, joint)),
        Err(message) => {
            b.report.add(at, message);
            None
        }
    }
}

/// The coordinate of a joint that a coupler reads, with the joint's markers.
fn coordinate(
    b: &mut Builder<'_>,
    (name, wanted): (&str, Option<CoupledCoordinate>),
    at: &At,
) -> Option<(JointId, CoupledCoordinate, (MarkerId, MarkerId))> {
    use CoupledCoordinate::{Rotation, Translation};
    let (id, joint) = find(b, name, at)?;
    let ends = (joint.i, joint.j);
    let message = match (joint.kind, wanted) {
        (JointKind::Revolute, None | Some(Rotation))
        | (JointKind::Cylindrical | JointKind::Screw { .. }, Some(Rotation)) => {
            return Some((id, Rotation, ends));
        }
        (JointKind::Translational, None | Some(Translation))
        | (JointKind::Cylindrical | JointKind::Screw { .. }, Some(Translation)) => {
            return Some((id, Translation, ends));
        }
        (JointKind::Cylindrical | JointKind::Screw { .. }, None) => format!(
            "the joint {} turns and slides: give \"coordinates\", for each joint \"rotation\" or \
             \"translation\"",
            quote(name)
        ),
        (JointKind::Revolute, Some(Translation)) => {
            format!("the joint {} has only a rotation", quote(name))
        }
        (JointKind::Translational, Some(Rotation)) => {
            format!("the joint {} has only a translation", quote(name))
        }
        _ => refused(name),
    };
    b.report.add(at, message);
    None
}

fn refused(name: &str) -> String {
    format!(
        "the joint {} has no coordinate to couple; valid: revolute, translational, cylindrical and \
         screw joints",
        quote(name)
    )
}

fn gear(b: &mut Builder<'_>, data: &schema::Gear, at: &At) -> Option<Coupler> {
    let carrier = b.marker(&data.carrier, &at.field("carrier"));
    let [first, second] = data.joints.as_slice() else {
        let message = format!("a gear joins two joints; found {}", data.joints.len());
        b.report.add(&at.field("joints"), message);
        return None;
    };
    if first == second {
        let message = format!("the joint {} is named twice; give two", quote(first));
        b.report.add(&at.field("joints"), message);
        return None;
    }
    let mut leg = |k: usize, name: &str| {
        let at = at.field("joints").index(k);
        tooth(b, (name, &data.carrier), carrier, &at)
    };
    let (one, other) = (leg(0, first), leg(1, second));
    let (one, other) = (one?, other?);
    let other = CouplerLeg {
        slide: -other.slide,
        turn: -other.turn,
        ..other
    };
    Some(Coupler {
        name: data.name.clone(),
        gear: true,
        angular: false,
        legs: vec![one, other],
    })
}

/// (GEA-1): velocity of the part at a joint of the carrier along z of the marker at the contact.
fn tooth(
    b: &mut Builder<'_>,
    (name, marker): (&str, &str),
    contact: Option<MarkerId>,
    at: &At,
) -> Option<CouplerLeg> {
    let (_, joint) = find(b, name, at)?;
    let (i, j, kind) = (joint.i, joint.j, joint.kind);
    let (turns, slides) = match kind {
        JointKind::Revolute => (1.0, 0.0),
        JointKind::Translational => (0.0, 1.0),
        JointKind::Cylindrical | JointKind::Screw { .. } => (1.0, 1.0),
        _ => {
            b.report.add(at, refused(name));
            return None;
        }
    };
    let contact_id = contact?;
    let body = b.body_of(contact_id)?;
    let (own, sign) = if b.body_of(j)? == body {
        (j, 1.0)
    } else if b.body_of(i)? == body {
        (i, -sense(b, i, j)?)
    } else {
        let message = format!(
            "the joint {} is not on the part that carries the marker {}; both joints of a gear must \
             be",
            quote(name),
            quote(marker)
        );
        b.report.add(at, message);
        return None;
    };
    if b.follow_parameters(&[own, contact_id]) {
        let message = format!(
            "parameters place the joint {} or the marker {}, and the ratio of a gear is a plain number; use a coupler, \
             or plain numbers for both",
            quote(name),
            quote(marker)
        );
        b.report.add(at, message);
        return None;
    }
    let contact = b.markers.get(contact_id.index())?.as_ref()?;
    let axle = b.markers.get(own.index())?.as_ref()?;
    let axis: Vec3 = axle.orientation.column(2).into();
    let along: Vec3 = contact.orientation.column(2).into();
    let arm = contact.position - axle.position;
    let turn = turns * axis.cross(&arm).dot(&along);
    let slide = slides * axis.dot(&along);
    if turn.abs() <= NOTHING * arm.norm() && slide.abs() <= NOTHING {
        let message = format!(
            "the joint {} moves nothing along z of the marker {} at its place; put the marker where \
             the two parts touch, with z along their common velocity",
            quote(name),
            quote(marker)
        );
        b.report.add(at, message);
        return None;
    }
    Some(CouplerLeg {
        i,
        j,
        slide: sign * slide,
        turn: sign * turn,
    })
}

/// Do the z axes of I and J point the same way (1) or opposite ways (−1), as the file places them?
fn sense(b: &Builder<'_>, i: MarkerId, j: MarkerId) -> Option<f64> {
    let axis = |marker: MarkerId| {
        let marker = b.markers.get(marker.index())?.as_ref()?;
        let body = b.bodies.get(BodyId::index(marker.body))?.as_ref()?;
        let axis: Vec3 = (body.orientation * marker.orientation).column(2).into();
        Some(axis)
    };
    Some(axis(i)?.dot(&axis(j)?).signum())
}
