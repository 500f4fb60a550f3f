//! Control plane: couplers and gears, both as sums of coordinates of joints.

use super::builder::{Builder, Settled};
use crate::errors::{At, quote};
use crate::schema::{self, CoupledCoordinate, Document};
use fixstep_kernel::ids::{CouplerId, JointId, MarkerId};
use fixstep_kernel::mechanism::{
    Construction, Coupler, CouplerLeg, Joint, JointKind, LegNumber, Place, ScaledExpr, Source,
    Tooth,
};

/// All couplers, then all gears.
pub(super) fn couplers(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Coupler>> {
    let mut all = b.each(&document.couplers.0, coupler);
    b.couplers = all.len();
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
    let at_scales = at.field("scales");
    let mut scales = Vec::with_capacity(count);
    for (k, scale) in data.scales.iter().enumerate() {
        let scale = b.settled(scale, 1.0, &at_scales.index(k));
        if scale.value == 0.0 {
            let message = "must not be zero: the joint would take no part";
            b.report.add(&at_scales.index(k), message);
            sound = false;
        }
        scales.push(scale);
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
    Some(sum(b, data, &coupled, &scales))
}

/// The sum in SI: an angle if all coordinates are angles, else a length.
fn sum(
    b: &mut Builder<'_>,
    data: &schema::Coupler,
    coupled: &[(JointId, CoupledCoordinate, (MarkerId, MarkerId))],
    scales: &[Settled],
) -> Coupler {
    let own = CouplerId::from(b.item);
    let slides = |c: CoupledCoordinate| c == CoupledCoordinate::Translation;
    let angular = !coupled.iter().any(|(_, c, _)| slides(*c));
    let radian = if angular { 1.0 } else { b.units.length.factor };
    let mut legs = Vec::with_capacity(coupled.len());
    for (k, ((_, c, (i, j)), scale)) in coupled.iter().zip(scales).enumerate() {
        let mut factor = |number, radian: f64| {
            let place = Place::Leg(own, k as u32, number);
            let source = match scale.source {
                Source::Number(x) => Source::Number(x * radian),
                Source::Program(scaled) => Source::Program(ScaledExpr {
                    to_si: scaled.to_si * radian,
                    ..scaled
                }),
            };
            let value = scale.value * radian;
            b.follow(place, Settled { value, source })
        };
        let (slide, turn) = if slides(*c) {
            (factor(LegNumber::Slide, 1.0), 0.0)
        } else {
            (0.0, factor(LegNumber::Turn, radian))
        };
        legs.push(CouplerLeg {
            i: *i,
            j: *j,
            slide,
            turn,
        });
    }
    Coupler {
        name: data.name.clone(),
        gear: false,
        angular,
        legs,
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
        tooth(b, (name, &data.carrier), (carrier, k), &at)
    };
    let (one, other) = (leg(0, first), leg(1, second));
    let (one, other) = (one?, other?);
    Some(Coupler {
        name: data.name.clone(),
        gear: true,
        angular: false,
        legs: vec![one, other],
    })
}

/// One side of a gear.
fn tooth(
    b: &mut Builder<'_>,
    (name, marker): (&str, &str),
    (contact, side): (Option<MarkerId>, usize),
    at: &At,
) -> Option<CouplerLeg> {
    let (_, joint) = find(b, name, at)?;
    let (i, j, kind) = (joint.i, joint.j, joint.kind);
    let (turns, slides) = match kind {
        JointKind::Revolute => (true, false),
        JointKind::Translational => (false, true),
        JointKind::Cylindrical | JointKind::Screw { .. } => (true, true),
        _ => {
            b.report.add(at, refused(name));
            return None;
        }
    };
    let contact = contact?;
    let body = b.body_of(contact)?;
    let axle = if b.body_of(j)? == body {
        j
    } else if b.body_of(i)? == body {
        i
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
    let tooth = Tooth {
        contact,
        axle,
        reversed: axle != j,
        turns,
        slides,
        second: side == 1,
    };
    let frame = |b: &Builder<'_>, marker: MarkerId| {
        let marker = b.markers.get(marker.index())?.clone()?;
        let body = b.bodies.get(marker.body.index())?.clone()?;
        Some((marker, body))
    };
    let frames = [contact, axle, i, j].map(|marker| frame(b, marker));
    let [Some(there), Some(own), Some(first), Some(second)] = &frames else {
        return None;
    };
    let ends = [first, second].map(|(marker, body)| (marker, body));
    let Ok((slide, turn)) = tooth.factors(&there.0, &own.0, ends) else {
        let message = format!(
            "the joint {} moves nothing along z of the marker {} at its place; put the marker where \
             the two parts touch, with z along their common velocity",
            quote(name),
            quote(marker)
        );
        b.report.add(at, message);
        return None;
    };
    if [contact, i, j].into_iter().any(|marker| b.wanders(marker)) {
        // Gears follow the couplers.
        let id = CouplerId::from(b.couplers + b.item);
        b.always_build(Construction::Gear(id, side as u32, tooth), &[], at);
    }
    Some(CouplerLeg { i, j, slide, turn })
}
