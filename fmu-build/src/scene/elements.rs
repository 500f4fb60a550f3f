//! Control plane: what elements look like: contacts, tyres, springs, joints, arrows.

use fixstep_kernel::elements::joints;
use fixstep_kernel::ids::{CurveId, ForceId, MarkerId, ValueId};
use fixstep_kernel::math::curve::SpaceCurve;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{
    Contact, ContactBody, ContactShape, Force, ForceKind, Joint as Linked, JointKind, Tyre, TyreLaw,
};
use fixstep_pictures::scene::{
    Arrow, ArrowKind, Body, Joint, Link, LinkKind, Origin, Place, Solid,
};
use fixstep_pictures::solids::{self, CREASE, Detail, Piece};

use super::hull::hull;
use super::{Made, inside, place};

/// Radius of a joint's glyph, in sizes of the mechanism, and in those of its smaller body.
const GLYPH: [f64; 2] = [0.014, 0.05];
/// Radius of a spring, in sizes of the mechanism, and in its own lengths at the start.
const COIL: [f64; 2] = [0.022, 0.14];
/// Thickness of a disc with an outline, likewise.
const DISC: f64 = 0.03;
/// Spokes of a wheel that rolls without slip.
const SPOKES: u32 = 20;
/// Colours of rubber and of metal in joints.
const RUBBER: [u8; 3] = [44, 46, 50];
const METAL: [u8; 3] = [206, 209, 213];

/// Adds the solids of contacts, tyres, rolling wheels and joints.
pub(super) fn add_solids(made: &Made<'_>, bodies: &mut [Body]) {
    for force in &made.mechanism.forces {
        match &force.kind {
            ForceKind::Contact(contact) => add_contact(made, force, contact, bodies),
            ForceKind::Tyre(tyre) if !made.named(made.marker(force.i).0) => {
                add_tyre(made, force, tyre, bodies);
            }
            ForceKind::Bushing { .. } | ForceKind::Field { .. } => {
                let radius = 1.3 * glyph(made, [force.i, force.j]);
                let piece = solids::cylinder(radius, 1.8 * radius);
                let (body, at) = side(made, force);
                push(
                    bodies,
                    body,
                    (&force.name, Origin::Joint, Some(RUBBER)),
                    piece.at(at),
                );
            }
            _ => {}
        }
    }
    for joint in &made.mechanism.joints {
        add_joint(made, joint, bodies);
    }
}

/// Puts a solid on a body.
pub(super) fn push(
    bodies: &mut [Body],
    body: usize,
    (name, origin, color): (&str, Origin, Option<[u8; 3]>),
    solid: Solid,
) {
    if let Some(body) = bodies.get_mut(body) {
        body.solids.push(Solid {
            name: name.to_owned(),
            origin,
            color: color.or(solid.color),
            ..solid
        });
    }
}

/// Shapes that touch, on I and on J; surfaces of ground are drawn elsewhere.
fn add_contact(made: &Made<'_>, force: &Force, contact: &Contact, bodies: &mut [Body]) {
    let sizes = |ids: &[ValueId; 3]| ids.map(|id| made.number(id).unwrap_or(0.1 * made.size));
    let [on_i, on_j] = [&contact.sizes[0], &contact.sizes[1]].map(sizes);
    let (i, at_i) = made.marker(force.i);
    let (j, at_j) = made.marker(force.j);
    let piece = match &contact.body {
        ContactBody::Sphere if on_i[0] > 0.0 => Some(solids::sphere(on_i[0])),
        ContactBody::Sphere => None,
        ContactBody::Box => Some(solids::block(on_i)),
        ContactBody::Cylinder => Some(solids::cylinder(on_i[0], on_i[1])),
        ContactBody::Hull(points) => Some(Piece::of(solids::from_triangles(&hull(points), CREASE))),
        ContactBody::Curve(curve) => disc(curve, DISC * made.size),
    };
    let kind = (force.name.as_str(), Origin::Contact, None);
    if let Some(piece) = piece.filter(|_| !made.named(i)) {
        push(bodies, i, kind, piece.at(at_i));
    }
    let piece = match &contact.shape {
        ContactShape::Sphere { .. } => Some(solids::sphere(on_j[0])),
        ContactShape::Cylinder { hollow: false, .. } => {
            Some(solids::cylinder(on_j[0], 0.8 * made.size))
        }
        ContactShape::Cylinder { .. } => Some(Piece::of(solids::tube(
            1.05 * on_j[0],
            on_j[0],
            0.8 * made.size,
        ))),
        ContactShape::Drum => Some(solids::cylinder(on_j[0], on_j[1])),
        ContactShape::Box => Some(solids::block(on_j)),
        ContactShape::Curve { curve, .. } => disc(curve, DISC * made.size),
        ContactShape::Mesh(mesh) => Some(Piece::of(solids::from_triangles(
            &mesh.triangles().collect::<Vec<_>>(),
            CREASE,
        ))),
        ContactShape::Plane | ContactShape::Terrain(_) => None,
    };
    if let Some(piece) = piece.filter(|_| !made.named(j)) {
        push(bodies, j, kind, piece.at(at_j));
    }
}

/// A disc whose outline is a closed curve, or a rail along an open one.
fn disc(curve: &SpaceCurve, thickness: f64) -> Option<Piece> {
    let points: Vec<Vec3> = curve.samples().map(|s| curve.at(s)[0]).collect();
    if curve.is_closed() && curve.is_planar() {
        let outline: Vec<[f64; 2]> = points.iter().map(|p| [p.x, p.y]).collect();
        return solids::extrusion(&outline, &[], thickness, CREASE).map(Piece::of);
    }
    Some(Piece::of(solids::sweep(&points, 0.15 * thickness, 12)))
}

/// A wheel with its tyre, whose axis is y or z of I.
fn add_tyre(made: &Made<'_>, force: &Force, tyre: &Tyre, bodies: &mut [Body]) {
    let radius = match &tyre.law {
        TyreLaw::Linear([radius, ..]) => made.number(*radius).unwrap_or(0.1 * made.size),
        TyreLaw::Magic(formula, _) => formula.unloaded_radius,
    };
    let across = Vec3::from(tyre.axis);
    wheel(made, (force, &across), radius, bodies);
}

/// A wheel about an axis of marker I.
fn wheel(made: &Made<'_>, (force, across): (&Force, &Vec3), radius: f64, bodies: &mut [Body]) {
    let (body, at) = made.marker(force.i);
    let forward = Vec3::x();
    let axes = Mat3::from_columns(&[forward, across.cross(&forward), *across]);
    let at = inside(&at, &place(Vec3::zeros(), &axes));
    let width = 0.62 * radius;
    let tyre = Piece::of(solids::tyre(radius, 0.66 * radius, width)).at(at);
    let rim = Piece::of(solids::rim(0.67 * radius, 0.86 * width, 5)).at(at);
    push(
        bodies,
        body,
        (&force.name, Origin::Tyre, Some(RUBBER)),
        tyre,
    );
    push(bodies, body, (&force.name, Origin::Tyre, Some(METAL)), rim);
}

/// The side of a bushing where it is drawn: J, unless that is on ground, which may be far away in an unloaded state.
fn side(made: &Made<'_>, force: &Force) -> (usize, Place) {
    let (body, at) = made.marker(force.j);
    if body == 0 {
        return made.marker(force.i);
    }
    (body, at)
}

/// The radius of the pin of a joint.
pub(super) fn glyph(made: &Made<'_>, markers: [MarkerId; 2]) -> f64 {
    (GLYPH[0] * made.size).min(GLYPH[1] * made.local(markers))
}

/// The glyph of a joint: a pin of metal on J, in an eye of the colour of I.
fn add_joint(made: &Made<'_>, joint: &Linked, bodies: &mut [Body]) {
    if joint.kind.rolls() && made.named(made.marker(joint.i).0) {
        return;
    }
    let radius = glyph(made, [joint.i, joint.j]);
    let cylinder = |radius, length| solids::cylinder_of(radius, length, made.detail);
    let detail = match made.detail {
        Detail::Fine => Detail::Small,
        other => other,
    };
    let ball = |radius: f64| solids::ellipsoid_of([radius; 3], detail);
    let (eye, pin) = match joint.kind {
        JointKind::Revolute
        | JointKind::Cylindrical
        | JointKind::Screw { .. }
        | JointKind::PinSlot => {
            let eye = cylinder(1.7 * radius, 2.2 * radius);
            (Some(eye), cylinder(radius, 4.0 * radius))
        }
        JointKind::Spherical | JointKind::AtPoint => (None, ball(1.5 * radius)),
        JointKind::Universal | JointKind::ConstantVelocity => (None, ball(1.4 * radius)),
        JointKind::Translational => {
            let edge = 2.6 * radius;
            (
                Some(solids::block([edge, edge, 6.0 * radius])),
                ball(0.5 * radius),
            )
        }
        JointKind::RackAndPinion { diameter } => {
            let pinion = cylinder(0.5 * diameter.abs(), 2.0 * radius);
            (Some(pinion), ball(0.5 * radius))
        }
        JointKind::RollingWheel { radius, crown } => {
            return add_spokes(made, joint, [radius, crown], bodies);
        }
        JointKind::RollingBall { radius } => {
            let kind = (joint.name.as_str(), Origin::Tyre, None);
            let (body, at) = made.marker(joint.i);
            return push(bodies, body, kind, solids::sphere(radius).at(at));
        }
        JointKind::PointOnCurve { curve } => {
            return add_curve(made, (joint, joint.j, curve), bodies);
        }
        JointKind::CurveOnCurve { curves } => {
            add_curve(made, (joint, joint.i, curves[0]), bodies);
            return add_curve(made, (joint, joint.j, curves[1]), bodies);
        }
        _ => return,
    };
    let name = joint.name.as_str();
    if let Some(eye) = eye {
        let (body, at) = made.marker(joint.i);
        // Ground has no colour of a part.
        let color = (body == 0).then_some(METAL);
        push(bodies, body, (name, Origin::Joint, color), eye.at(at));
    }
    let (body, at) = made.marker(joint.j);
    let kind = (name, Origin::Joint, Some(METAL));
    push(bodies, body, kind, pin.at(at));
    add_foot(made, (joint, radius), bodies);
}

/// What holds a pin on ground: a foot below it, unless the model draws ground itself.
fn add_foot(made: &Made<'_>, (joint, radius): (&Linked, f64), bodies: &mut [Body]) {
    if made.named(0) {
        return;
    }
    let sides = [joint.i, joint.j].map(|marker| made.marker(marker));
    let on_ground = sides.into_iter().find(|(body, _)| *body == 0);
    let (Some((body, at)), false) = (on_ground, joint.kind == JointKind::Translational) else {
        return;
    };
    let length = 5.0 * radius;
    let foot = Piece::of(solids::frustum(2.6 * radius, 1.1 * radius, length));
    let below = Place {
        position: at.position - made.up * (0.5 * length),
        rotation: solids::turned_to(&made.up),
    };
    push(
        bodies,
        body,
        (&joint.name, Origin::Joint, None),
        foot.at(below),
    );
}

/// A wheel that rolls: a narrow tyre on a ring with spokes.
fn add_spokes(made: &Made<'_>, joint: &Linked, [radius, crown]: [f64; 2], bodies: &mut [Body]) {
    let (body, at) = made.marker(joint.i);
    let half = crown.clamp(0.025 * radius, 0.2 * radius);
    let bead = radius - 2.0 * half;
    let ring = Piece::of(solids::tube(1.01 * bead, bead - half, 1.6 * half));
    let hub = solids::cylinder(0.07 * radius, 3.0 * half);
    let kind = |color| (joint.name.as_str(), Origin::Tyre, Some(color));
    let tyre = Piece::of(solids::tyre(radius, bead, 2.0 * half));
    push(bodies, body, kind(RUBBER), tyre.at(at));
    push(bodies, body, kind(METAL), ring.at(at));
    push(bodies, body, kind(METAL), hub.at(at));
    for k in 0..SPOKES {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(SPOKES);
        let (s, c) = fixstep_kernel::math::sincos(angle);
        let (spoke, length) =
            solids::between(&Vec3::zeros(), &(Vec3::new(c, s, 0.0) * (bead - half)));
        let piece = solids::cylinder(0.008 * radius, length);
        push(bodies, body, kind(METAL), piece.at(inside(&at, &spoke)));
    }
}

/// The curve of a joint: the disc of a cam, or a rail.
fn add_curve(
    made: &Made<'_>,
    (joint, marker, curve): (&Linked, MarkerId, CurveId),
    bodies: &mut [Body],
) {
    let curve = &made.mechanism.curves[curve.index()];
    let (body, at) = made.marker(marker);
    if let Some(piece) = disc(curve, DISC * made.size) {
        push(
            bodies,
            body,
            (&joint.name, Origin::Curve, None),
            piece.at(at),
        );
    }
}

/// What stretches between two points.
pub(super) fn links(made: &Made<'_>) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    // Which rope a piece of a tendon belongs to, by the number of its force.
    let mut ropes: Vec<Option<usize>> = vec![None; made.mechanism.forces.len()];
    for (k, force) in made.mechanism.forces.iter().enumerate() {
        let points = || vec![made.point(force.i), made.point(force.j)];
        if let ForceKind::Tendon { first, .. } = &force.kind {
            let whole = first.and_then(|first: ForceId| ropes[first.index()]);
            ropes[k] = whole.or(Some(links.len()));
            if let Some(rope) = whole {
                links[rope].points.extend(points());
                continue;
            }
        }
        let Some((kind, radius)) = link(made, force) else {
            continue;
        };
        links.push(Link {
            name: force.name.clone(),
            kind,
            points: points(),
            radius,
        });
    }
    for link in &mut links {
        // Pieces of a rope meet in one point.
        link.points.dedup();
    }
    // A rod without mass.
    let rods = made
        .mechanism
        .joints
        .iter()
        .filter(|joint| matches!(joint.kind, JointKind::Distance { .. }));
    links.extend(rods.map(|joint| Link {
        name: joint.name.clone(),
        kind: LinkKind::Rope,
        points: vec![made.point(joint.i), made.point(joint.j)],
        radius: 0.5 * GLYPH[0] * made.size,
    }));
    links
}

/// What a force between two points looks like, and its radius.
fn link(made: &Made<'_>, force: &Force) -> Option<(LinkKind, f64)> {
    let some = |id: ValueId| made.number(id).is_none_or(|x| x != 0.0);
    let length = made.distance(&made.point(force.i), &made.point(force.j));
    let coil = (COIL[0] * made.size).min(COIL[1] * length);
    // Ends may coincide at the start.
    let coil = coil.max(0.1 * COIL[0] * made.size);
    Some(match &force.kind {
        ForceKind::TranslationalSpringDamper {
            stiffness, damping, ..
        } => match (some(*stiffness), some(*damping)) {
            (true, true) => (LinkKind::Strut, coil),
            (true, false) => (LinkKind::Spring, coil),
            (false, _) => (LinkKind::Damper, coil),
        },
        ForceKind::Tendon { .. } => (LinkKind::Rope, 0.2 * COIL[0] * made.size),
        // Segments that the model draws fill what is between them.
        ForceKind::Beam { .. }
            if [force.i, force.j]
                .iter()
                .all(|id| made.named(made.marker(*id).0)) =>
        {
            return None;
        }
        ForceKind::Beam { section, .. } => {
            let area = made.number(section[3]).unwrap_or(0.0);
            let radius = (area / std::f64::consts::PI).sqrt();
            (LinkKind::Rope, radius.max(0.05 * COIL[0] * made.size))
        }
        kind if kind.row().line => (LinkKind::Line, 0.1 * COIL[0] * made.size),
        _ => return None,
    })
}

/// Has a force element a force, and a torque, on its marker I?
pub(super) fn loads(force: &Force) -> [bool; 2] {
    let row = force.kind.row();
    match &force.kind {
        ForceKind::Modal(_) => [false, false],
        _ => [row.loads[0].force, row.loads[0].torque],
    }
}

/// Arrows, in the order of the vectors of a frame.
pub(super) fn arrows(made: &Made<'_>) -> Vec<Arrow> {
    const KINDS: [ArrowKind; 2] = [ArrowKind::Force, ArrowKind::Torque];
    let mechanism = made.mechanism;
    let arrow = |name: &str, kind: ArrowKind, [i, j]: [MarkerId; 2]| Arrow {
        name: name.to_owned(),
        kind,
        reaction: false,
        drives: false,
        at: made.point(i),
        from: Some(made.marker(j).0),
    };
    let mut arrows = Vec::new();
    for force in &mechanism.forces {
        let kinds = KINDS.into_iter().zip(loads(force)).filter(|(_, is)| *is);
        arrows.extend(kinds.map(|(kind, _)| {
            let both = arrow(&force.name, kind, [force.i, force.j]);
            Arrow {
                from: both.from.filter(|_| !force.kind.row().alone),
                ..both
            }
        }));
    }
    let joints = { mechanism.joints.iter() }.map(|own| (&own.name, [own.i, own.j], false));
    let motions = { mechanism.motions.iter() }.map(|own| (&own.name, [own.i, own.j], true));
    for (name, markers, drives) in joints.chain(motions) {
        arrows.extend(KINDS.map(|kind| Arrow {
            reaction: true,
            drives,
            ..arrow(name, kind, markers)
        }));
    }
    arrows
}

/// All joints.
pub(super) fn joints(made: &Made<'_>) -> Vec<Joint> {
    let joint = |joint: &Linked| {
        let side = |marker| -> (usize, Place) { made.marker(marker) };
        Joint {
            name: joint.name.clone(),
            kind: joints::name(&joint.kind).to_owned(),
            i: side(joint.i),
            j: side(joint.j),
        }
    };
    made.mechanism.joints.iter().map(joint).collect()
}
