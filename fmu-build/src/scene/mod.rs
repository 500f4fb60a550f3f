//! Control plane: a mechanism as solid bodies for pictures, pages and glTF, and its motion as a film.
//!
//! Reading order: [`of`] (the whole scene), `forms` (shapes that the model names), `derived` (bodies without shapes),
//! `elements` (contacts, tyres, springs, joints, arrows), `drives` (what drives), `ground` (roads and surfaces that stand
//! still), `soft` (flexible bodies), `wire` (their lines), `inertia` (ellipsoids on request), [`Recorder`] (the film).

mod derived;
mod drives;
mod elements;
mod faces;
mod forms;
mod ground;
mod hull;
mod inertia;
mod recorder;
mod soft;
#[cfg(test)]
mod tests;
mod wire;

use fixstep_kernel::ids::{MarkerId, ValueId};
use fixstep_kernel::math::rotation::{matrix, quaternion};
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{BodyKind, Mechanism};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::shapes::Shape;
use fixstep_pictures::motion;
use fixstep_pictures::payload::Marker;
use fixstep_pictures::scene::{Body, Color, Film, Frame, Place, Point, Scene, Solid};
use fixstep_pictures::solids::Detail;

pub use inertia::with_inertia;
pub use recorder::{Recorder, frame};
pub(crate) use soft::{soft, surface};
pub(crate) use wire::Wire;
#[cfg(test)]
pub(crate) use wire::rod;

/// Colours of bodies in turn: they stay apart for eyes that tell few colours.
const PALETTE: [Color; 8] = [
    [72, 116, 166],
    [214, 142, 62],
    [92, 154, 148],
    [150, 108, 158],
    [196, 98, 88],
    [122, 132, 146],
    [186, 168, 88],
    [98, 140, 92],
];
/// The colour of ground.
const GROUND: Color = [150, 154, 160];
/// A mechanism that moves by this many times its size, and that of what stands on ground, travels.
const TRAVELS: f64 = 1.5;

/// Triangles beyond which round shapes are divided coarsely: hundreds of small ones. A page may draw 200 000, with shadows,
/// links and signs.
const MANY: usize = 150_000;

/// What the parts of a scene are made from.
struct Made<'a> {
    mechanism: &'a Mechanism,
    engine: &'a Simulation,
    shapes: &'a [Shape],
    /// The typical length \[m\].
    size: f64,
    /// By body: the distance of the farthest places where joints and forces act on it \[m\]; zero for one place.
    reach: Vec<f64>,
    /// Upwards.
    up: Vec3,
    /// The first frame.
    first: Frame,
    /// How each body bends, if it does.
    soft: Vec<Option<soft::Bending>>,
    /// How finely round shapes are divided.
    detail: Detail,
}

/// The scene of a mechanism whose engine stands at any state; the film, which may be empty, tells how far it moves.
pub fn of(engine: &Simulation, shapes: &[Shape], film: &Film) -> Scene {
    let mechanism = engine.mechanism();
    let first = film.first().cloned().unwrap_or_else(|| frame(engine));
    let mut made = Made {
        mechanism,
        engine,
        shapes,
        size: size(mechanism, &first),
        reach: Vec::new(),
        up: upwards(engine),
        first,
        soft: soft::bending(mechanism),
        detail: Detail::Fine,
    };
    made.reach = (0..mechanism.bodies.len())
        .map(|body| derived::reach(&made, body))
        .collect();
    let fine = whole(&made, film);
    if triangles(&fine) <= MANY {
        return fine;
    }
    made.detail = Detail::Coarse;
    whole(&made, film)
}

/// Triangles of all solids.
fn triangles(scene: &Scene) -> usize {
    let solids = scene.bodies.iter().flat_map(|body| &body.solids);
    solids.map(|solid| solid.mesh.triangles.len()).sum()
}

/// The scene in the detail that is asked for.
fn whole(made: &Made<'_>, film: &Film) -> Scene {
    let mechanism = made.mechanism;
    let mut bodies: Vec<Body> = (0..mechanism.bodies.len())
        .map(|body| made.body(body))
        .collect();
    forms::add(made, &mut bodies);
    elements::add_solids(made, &mut bodies);
    drives::add(made, &mut bodies);
    derived::add(made, &mut bodies);
    ground::add(made, film, &mut bodies);
    Scene {
        title: mechanism.name.clone(),
        up: made.up,
        size: made.size,
        links: elements::links(made),
        arrows: elements::arrows(made),
        joints: elements::joints(made),
        floor: ground::floor(made),
        follow: follow(made, film, &bodies[0]),
        bodies,
    }
}

/// A scene in which there is nothing.
pub fn nothing(title: &str) -> Scene {
    Scene {
        title: title.to_owned(),
        up: Vec3::z(),
        size: 1.0,
        bodies: Vec::new(),
        links: Vec::new(),
        arrows: Vec::new(),
        joints: Vec::new(),
        floor: None,
        follow: 0,
    }
}

/// The markers of a mechanism.
pub fn markers(mechanism: &Mechanism) -> Vec<Marker> {
    let soft = soft::bending(mechanism);
    let placed = mechanism.markers.iter().filter(|entry| entry.is_placed());
    let marker = |entry: &fixstep_kernel::mechanism::Marker| {
        let body = entry.body.index();
        let bends = soft[body].as_ref().zip(entry.node());
        Marker {
            name: entry.name.clone(),
            body,
            place: place(entry.position, &entry.orientation),
            modes: bends.map_or_else(Vec::new, |(soft, node)| soft.of_node(node, &entry.position)),
        }
    };
    placed.map(marker).collect()
}

impl Made<'_> {
    /// A number of an element.
    fn number(&self, number: ValueId) -> Option<f64> {
        self.engine.number(number).filter(|x| x.is_finite())
    }

    /// Does the model draw a body itself? Then it needs no second form.
    fn named(&self, body: usize) -> bool {
        self.shapes.iter().any(|shape| shape.body.index() == body)
    }

    /// A body without solids.
    fn body(&self, body: usize) -> Body {
        let entry = &self.mechanism.bodies[body];
        let number = |id: ValueId| self.number(id);
        let moving = entry.kind != BodyKind::Ground;
        Body {
            name: entry.name.clone(),
            mass: moving.then(|| number(entry.mass)).flatten(),
            center: entry.center_of_mass,
            inertia: entry.inertia.map(|id| number(id).unwrap_or(0.0)),
            color: if moving {
                PALETTE[(body - 1) % PALETTE.len()]
            } else {
                GROUND
            },
            solids: Vec::new(),
            soft: self.soft[body].as_ref().map(soft::Bending::drawn),
        }
    }

    /// A typical length of what is at a marker \[m\]: small parts of a large mechanism have small joints.
    fn local(&self, markers: [MarkerId; 2]) -> f64 {
        let of = |id: MarkerId| self.reach[self.mechanism.markers[id.index()].body.index()];
        let reaches = markers.map(of).into_iter().filter(|reach| *reach > 0.0);
        reaches.fold(self.size, f64::min).max(0.02 * self.size)
    }

    /// The distance of two points at the start \[m\].
    fn distance(&self, from: &Point, to: &Point) -> f64 {
        let at = |point: &Point| motion::point(&self.first, point, 1.0);
        (at(to) - at(from)).norm()
    }

    /// The body of a marker, and the marker's place in the axes of the undeformed body.
    fn marker(&self, marker: MarkerId) -> (usize, Place) {
        let entry = &self.mechanism.markers[marker.index()];
        (
            entry.body.index(),
            place(entry.position, &entry.orientation),
        )
    }

    /// A marker as a point that moves with its body and bends with it.
    fn point(&self, marker: MarkerId) -> Point {
        let entry = &self.mechanism.markers[marker.index()];
        let body = entry.body.index();
        let soft = self.soft[body].as_ref().zip(entry.node());
        Point {
            body,
            position: entry.position,
            modes: soft.map_or_else(Vec::new, |(soft, node)| soft.of_node(node, &entry.position)),
        }
    }
}

/// A place by an origin and axes as columns.
fn place(position: Vec3, axes: &Mat3) -> Place {
    Place {
        position,
        rotation: quaternion(axes),
    }
}

/// A place in the axes of another one.
fn inside(outer: &Place, inner: &Place) -> Place {
    let axes = matrix(&outer.rotation);
    place(
        outer.position + axes * inner.position,
        &(axes * matrix(&inner.rotation)),
    )
}

/// The solids of a body that are seen for itself, not for a joint.
fn is_seen(solid: &Solid) -> bool {
    use fixstep_pictures::scene::Origin;
    !matches!(solid.origin, Origin::Joint | Origin::Road | Origin::Curve)
}

/// Against gravity, or z.
fn upwards(engine: &Simulation) -> Vec3 {
    let mechanism = engine.mechanism();
    let gravity = Vec3::from(
        mechanism
            .gravity
            .numbers
            .map(|g| engine.number(g).unwrap_or(0.0)),
    );
    if gravity.norm() == 0.0 {
        return Vec3::z();
    }
    let axis = gravity.iamax();
    Vec3::ith(axis, -gravity[axis].signum())
}

/// A typical length: the diagonal of the box around centres of mass and markers of moving bodies, with the markers on ground
/// that joints and springs use.
fn size(mechanism: &Mechanism, frame: &Frame) -> f64 {
    let used: Vec<MarkerId> = used(mechanism);
    let (mut least, mut most) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let mut take = |point: Vec3| {
        least = least.inf(&point);
        most = most.sup(&point);
    };
    let seen = |body: usize, point: &Vec3| {
        let pose = &frame.poses[body].place;
        pose.position + matrix(&pose.rotation) * point
    };
    for (body, entry) in mechanism.bodies.iter().enumerate().skip(1) {
        take(seen(body, &entry.center_of_mass));
    }
    for marker in used {
        let entry = &mechanism.markers[marker.index()];
        take(seen(entry.body.index(), &entry.position));
    }
    let diagonal = (most - least).norm();
    if diagonal.is_finite() && diagonal > 0.0 {
        diagonal
    } else {
        mechanism.units.length.factor
    }
}

/// Markers at which joints and forces act; those of contacts, tyres and bodies' own frames do not count on ground, where
/// they stand for a whole surface.
fn used(mechanism: &Mechanism) -> Vec<MarkerId> {
    use fixstep_kernel::mechanism::ForceKind;
    let joints = mechanism.joints.iter().flat_map(|joint| [joint.i, joint.j]);
    let forces = mechanism.forces.iter().flat_map(|force| match &force.kind {
        ForceKind::Contact(_) | ForceKind::Tyre(_) => vec![force.i],
        kind if kind.row().alone => vec![force.i],
        _ => vec![force.i, force.j],
    });
    joints
        .chain(forces)
        .filter(|id| mechanism.markers[id.index()].is_placed())
        .collect()
}

/// The body that a camera follows: ground, or the one with most markers of a mechanism that travels.
fn follow(made: &Made<'_>, film: &Film, ground: &Body) -> usize {
    let markers = |body: usize| {
        let of = |id: &&MarkerId| made.mechanism.markers[id.index()].body.index() == body;
        used(made.mechanism).iter().filter(of).count()
    };
    let Some(main) = (1..made.mechanism.bodies.len())
        .rev()
        .max_by_key(|body| markers(*body))
    else {
        return 0;
    };
    let at = |frame: &Frame| frame.poses[main].place.position;
    let far = film
        .iter()
        .map(|frame| (at(frame) - at(&film[0])).norm())
        .fold(0.0, f64::max);
    let size = made.size.max(ground::extent_of(ground));
    if far > TRAVELS * size { main } else { 0 }
}
