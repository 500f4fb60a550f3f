//! Control plane: the drawn elements of a model: limbs of bodies between their markers, dots of joints, outlines of
//! contacts and tyres, lines of springs.

use fixstep_kernel::ids::{MarkerId, ValueId};
use fixstep_kernel::math::curve::SpaceCurve;
use fixstep_kernel::math::terrain::Terrain;
use fixstep_kernel::math::{Mat3, Vec3, cos, sin};
use fixstep_kernel::mechanism::{Body, BodyKind, Force, ForceKind, Mechanism, ValueSource};
use fixstep_kernel::mechanism::{ContactBody, ContactShape, Tyre, TyreLaw};

use super::Pose;
use super::soft::{BodyPoint, Soft};

/// Points of a circle.
const ROUND: usize = 24;
/// Triangles of a mesh that are drawn.
const MOST_OUTLINES: usize = 200;
/// Points of one body that are nearer than this part of the mechanism's size are merged.
const SAME: f64 = 1e-6;

/// The kind of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Part of the body's skeleton.
    Limb,
    /// A place where a joint is: one point.
    Joint,
    /// Outline of a surface.
    Shape,
}

/// A line through points of one body.
#[derive(Debug)]
struct Stroke {
    body: usize,
    kind: Kind,
    points: Vec<BodyPoint>,
}

/// The drawn elements.
#[derive(Debug)]
pub(super) struct Scene {
    /// Names of the bodies; the first is ground.
    pub(super) names: Vec<String>,
    /// Upwards: against gravity.
    pub(super) up: Vec3,
    /// The body that appears fixed: ground, or the body with most markers if the mechanism moves away.
    pub(super) hub: usize,
    /// How each body bends, if it does.
    soft: Vec<Option<Soft>>,
    strokes: Vec<Stroke>,
    /// Both ends: body and point.
    springs: Vec<[(usize, BodyPoint); 2]>,
}

impl Scene {
    pub(super) fn of(mechanism: &Mechanism, magnification: f64) -> Self {
        let markers = |body: usize| {
            let placed = mechanism.markers.iter().filter(|m| m.is_placed());
            let of_body = placed.filter(|m| m.body.index() == body);
            of_body.count()
        };
        let tied = |marker: MarkerId| mechanism.markers[marker.index()].body.index() == 0;
        let held =
            mechanism.joints.iter().any(|j| tied(j.i) || tied(j.j)) || mechanism.bodies.len() < 4;
        let hub = (1..mechanism.bodies.len())
            .rev()
            .filter(|_| !held)
            .max_by_key(|body| markers(*body))
            .unwrap_or(0);
        let gravity = mechanism
            .gravity
            .numbers
            .map(|g| constant(mechanism, g).unwrap_or(0.0));
        let mut scene = Self {
            names: mechanism.bodies.iter().map(|b| b.name.clone()).collect(),
            up: upwards(Vec3::from(gravity)),
            hub,
            soft: bending(mechanism, magnification),
            strokes: Vec::new(),
            springs: Vec::new(),
        };
        let size = Self::size(mechanism);
        for joint in &mechanism.joints {
            for marker in [joint.i, joint.j] {
                let (body, place) = local(mechanism, marker);
                scene.add(body, Kind::Joint, vec![place]);
            }
        }
        let mut last: Vec<MarkerId> = mechanism.forces.iter().map(|force| force.j).collect();
        for force in &mechanism.forces {
            scene.add_force(mechanism, force, size);
            // Between the forces of one element, its line runs along a part.
            if let Some(end) = force.kind.first().and_then(|k| last.get_mut(k.index())) {
                if *end != force.i {
                    let along = [*end, force.i].map(|marker| local(mechanism, marker));
                    scene.springs.push(along);
                }
                *end = force.j;
            }
        }
        for body in 1..mechanism.bodies.len() {
            scene.add_limbs(mechanism, body, size);
        }
        scene
    }

    /// Does anything bend?
    pub(super) fn bends(&self) -> bool {
        self.soft.iter().any(Option::is_some)
    }

    /// Strokes of a body, in ground.
    pub(super) fn strokes(&self, frame: &[Pose], body: usize, kind: Kind) -> Vec<Vec<Vec3>> {
        let of_body = self
            .strokes
            .iter()
            .filter(|s| s.body == body && s.kind == kind);
        let seen = |s: &Stroke| self.seen(frame, body, &s.points);
        of_body.map(seen).collect()
    }

    /// Lines of springs, in ground.
    pub(super) fn springs(&self, frame: &[Pose]) -> Vec<Vec<Vec3>> {
        let end = |(body, spot): &(usize, BodyPoint)| self.seen(frame, *body, &[*spot]);
        let line = |ends: &[(usize, BodyPoint); 2]| ends.iter().flat_map(end).collect();
        self.springs.iter().map(line).collect()
    }

    /// All points of moving bodies, in ground.
    pub(super) fn points(&self, frame: &[Pose]) -> Vec<Vec3> {
        let moving = self.strokes.iter().filter(|s| s.body != 0);
        moving
            .flat_map(|s| self.seen(frame, s.body, &s.points))
            .collect()
    }

    /// Spots of a body, in ground.
    fn seen(&self, frame: &[Pose], body: usize, spots: &[BodyPoint]) -> Vec<Vec3> {
        let pose = &frame[body];
        let local = |spot: &BodyPoint| match &self.soft[body] {
            Some(soft) => soft.moved(spot, &pose.modal),
            None => spot.place,
        };
        let seen = |spot: &BodyPoint| pose.place + pose.axes * local(spot);
        spots.iter().map(seen).collect()
    }

    fn add(&mut self, body: usize, kind: Kind, points: Vec<BodyPoint>) {
        self.strokes.push(Stroke { body, kind, points });
    }

    /// Distance of the markers and centres that are farthest from the first.
    fn size(mechanism: &Mechanism) -> f64 {
        let markers = mechanism.markers.iter().skip(1).map(|m| {
            let body = &mechanism.bodies[m.body.index()];
            body.position + body.orientation * m.position
        });
        let bodies = mechanism.bodies.iter().skip(1).map(|b| b.position);
        let mut points = bodies.chain(markers);
        let Some(first) = points.next() else {
            return mechanism.units.length.factor;
        };
        let far = points.map(|p| (p - first).norm()).fold(0.0, f64::max);
        if far > 0.0 {
            far
        } else {
            mechanism.units.length.factor
        }
    }

    fn add_force(&mut self, mechanism: &Mechanism, force: &Force, size: f64) {
        let (i, j) = (local(mechanism, force.i), local(mechanism, force.j));
        match &force.kind {
            ForceKind::Contact(contact) => {
                let sizes = |side: usize, k: usize| {
                    constant(mechanism, contact.sizes[side][k]).unwrap_or(0.1 * size)
                };
                let lines = match &contact.body {
                    ContactBody::Sphere => ball(sizes(0, 0)),
                    ContactBody::Box => block([0, 1, 2].map(|k| sizes(0, k))),
                    ContactBody::Cylinder => drum(sizes(0, 0), sizes(0, 1)),
                    ContactBody::Hull(points) => vec![points.to_vec()],
                    ContactBody::Curve(curve) => vec![along(curve)],
                };
                self.add_lines(mechanism, force.i, lines);
                let lines = match &contact.shape {
                    ContactShape::Plane => plane(size),
                    ContactShape::Sphere { .. } => ball(sizes(1, 0)),
                    ContactShape::Cylinder { .. } => drum(sizes(1, 0), size),
                    ContactShape::Drum => drum(sizes(1, 0), sizes(1, 1)),
                    ContactShape::Box => block([0, 1, 2].map(|k| sizes(1, k))),
                    ContactShape::Terrain(terrain) => ground(terrain, size),
                    ContactShape::Mesh(mesh) => mesh.outlines(MOST_OUTLINES),
                    ContactShape::Curve { curve, .. } => vec![along(curve)],
                };
                self.add_lines(mechanism, force.j, lines);
            }
            ForceKind::Tyre(tyre) => {
                self.add_lines(mechanism, force.i, wheel(mechanism, tyre, size));
            }
            kind if kind.row().line => self.springs.push([i, j]),
            _ => {}
        }
    }

    /// Lines in the axes of a marker.
    fn add_lines(&mut self, mechanism: &Mechanism, marker: MarkerId, lines: Vec<Vec<Vec3>>) {
        let (body, spot) = local(mechanism, marker);
        let axes = mechanism.markers[marker.index()].orientation;
        let at = |p: &Vec3| BodyPoint {
            place: spot.place + axes * p,
            ..spot
        };
        for line in lines {
            self.add(body, Kind::Shape, line.iter().map(at).collect());
        }
    }

    /// The lines of a flexible body, including everything off its nodes. For another body, the shortest tree between
    /// its attachment points; a body without extent or outline is drawn as the box that has its inertia.
    fn add_limbs(&mut self, mechanism: &Mechanism, body: usize, size: f64) {
        let used = mechanism.joints.iter().flat_map(|j| [j.i, j.j]);
        let used = used.chain(mechanism.forces.iter().flat_map(|f| [f.i, f.j]));
        let own = used.map(|m| local(mechanism, m)).filter(|m| m.0 == body);
        let mut spots: Vec<BodyPoint> = own.map(|(_, spot)| spot).collect();
        let centre = BodyPoint {
            place: mechanism.bodies[body].center_of_mass,
            on: None,
        };
        match &self.soft[body] {
            Some(soft) => {
                let lines: Vec<_> = soft.lines().collect();
                if !lines.is_empty() {
                    let feet = |spot: &BodyPoint| Some(vec![soft.spot(spot.on?), *spot]);
                    let arms: Vec<Vec<BodyPoint>> = spots.iter().filter_map(feet).collect();
                    let apart = |s: &[BodyPoint]| (s[0].place - s[1].place).norm() > SAME * size;
                    for arm in arms.into_iter().filter(|arm| apart(arm)) {
                        self.add(body, Kind::Limb, arm);
                    }
                    for (kind, line) in lines {
                        self.add(body, kind, line);
                    }
                    return;
                }
                spots.extend(soft.places());
            }
            None => spots.insert(0, centre),
        }
        let mut points: Vec<BodyPoint> = Vec::new();
        for spot in spots {
            let apart = |p: &BodyPoint| (p.place - spot.place).norm() > SAME * size;
            if points.iter().all(apart) {
                points.push(spot);
            }
        }
        if points.len() < 2 {
            self.add_box(mechanism, body, size);
            return;
        }
        let mut tree = vec![points.remove(0)];
        while let Some((from, k)) = nearest(&tree, &points) {
            let next = points.remove(k);
            self.add(body, Kind::Limb, vec![from, next]);
            tree.push(next);
        }
    }

    /// The box that has a body's inertia, unless there is an outline.
    fn add_box(&mut self, mechanism: &Mechanism, body: usize, size: f64) {
        let outlined = |s: &Stroke| s.body == body && s.kind == Kind::Shape;
        if self.strokes.iter().any(outlined) {
            return;
        }
        let edges = equivalent_box(mechanism, body).unwrap_or([0.05 * size; 3]);
        let limit = |edge: f64| edge.clamp(0.02 * size, 0.5 * size);
        let centre = mechanism.bodies[body].center_of_mass;
        let at = |p: &Vec3| BodyPoint {
            place: centre + p,
            on: None,
        };
        for line in block(edges.map(limit)) {
            self.add(body, Kind::Shape, line.iter().map(at).collect());
        }
    }
}

/// The point of `tree` and the index of `rest` that are nearest to each other.
fn nearest(tree: &[BodyPoint], rest: &[BodyPoint]) -> Option<(BodyPoint, usize)> {
    let mut best: Option<(f64, BodyPoint, usize)> = None;
    for (k, p) in rest.iter().enumerate() {
        for q in tree {
            let distance = (p.place - q.place).norm();
            if best.is_none_or(|(least, ..)| distance < least) {
                best = Some((distance, *q, k));
            }
        }
    }
    best.map(|(_, from, k)| (from, k))
}

/// Body of a marker, and its place there.
fn local(mechanism: &Mechanism, marker: MarkerId) -> (usize, BodyPoint) {
    let marker = &mechanism.markers[marker.index()];
    let (place, on) = (marker.position, marker.node());
    (marker.body.index(), BodyPoint { place, on })
}

/// How each body bends.
fn bending(mechanism: &Mechanism, magnification: f64) -> Vec<Option<Soft>> {
    let mut joints = vec![Vec::new(); mechanism.bodies.len()];
    for marker in mechanism.joints.iter().flat_map(|joint| [joint.i, joint.j]) {
        let marker = &mechanism.markers[marker.index()];
        let of_body = &mut joints[marker.body.index()];
        if let Some(node) = marker.node().filter(|node| !of_body.contains(node)) {
            of_body.push(node);
        }
    }
    let soft = |(body, joints): (&Body, &Vec<usize>)| {
        Soft::of(body.flexible.as_ref()?, joints, magnification)
    };
    mechanism.bodies.iter().zip(&joints).map(soft).collect()
}

fn constant(mechanism: &Mechanism, value: ValueId) -> Option<f64> {
    match mechanism.values.get(value.index()).map(|v| &v.source) {
        Some(ValueSource::Constant(x)) => Some(*x),
        _ => None,
    }
}

/// The axis of ground that is nearest to the direction against gravity; z without gravity.
fn upwards(gravity: Vec3) -> Vec3 {
    if gravity.norm() == 0.0 {
        return Vec3::z();
    }
    let axis = gravity.iamax();
    Vec3::ith(axis, -gravity[axis].signum())
}

/// Edges of the homogeneous box of a body's mass and moments of inertia.
fn equivalent_box(mechanism: &Mechanism, body: usize) -> Option<[f64; 3]> {
    let entry = &mechanism.bodies[body];
    if entry.kind != BodyKind::Rigid {
        return None;
    }
    let mass = constant(mechanism, entry.mass)?;
    let [x, y, z, ..] = entry.inertia;
    let [x, y, z] = [
        constant(mechanism, x)?,
        constant(mechanism, y)?,
        constant(mechanism, z)?,
    ];
    let edge = |a: f64, b: f64, c: f64| (6.0 * (a + b - c).max(0.0) / mass).sqrt();
    Some([edge(y, z, x), edge(x, z, y), edge(x, y, z)])
}

/// Ground of varying height as a net about the origin.
fn ground(terrain: &Terrain, size: f64) -> Vec<Vec<Vec3>> {
    let steps = -10_i32..=10;
    let at = |k: i32| size * 0.1 * f64::from(k);
    let point = |x: f64, y: f64| Vec3::new(x, y, terrain.height([x, y]).value);
    let along = |x: i32| steps.clone().map(|y| point(at(x), at(y))).collect();
    let across = |y: i32| steps.clone().map(|x| point(at(x), at(y))).collect();
    let lines = steps.clone().step_by(5);
    lines.clone().map(along).chain(lines.map(across)).collect()
}

/// A curve.
fn along(curve: &SpaceCurve) -> Vec<Vec3> {
    curve.samples().map(|s| curve.at(s)[0]).collect()
}

/// A circle about z.
fn circle(radius: f64, height: f64) -> Vec<Vec3> {
    let point = |k: usize| {
        let angle = k as f64 / ROUND as f64 * std::f64::consts::TAU;
        Vec3::new(radius * cos(angle), radius * sin(angle), height)
    };
    (0..=ROUND).map(point).collect()
}

/// Three great circles.
fn ball(radius: f64) -> Vec<Vec<Vec3>> {
    let round = circle(radius, 0.0);
    let turned = |f: fn(&Vec3) -> Vec3| round.iter().map(f).collect();
    vec![
        turned(|p| *p),
        turned(|p| Vec3::new(p.x, 0.0, p.y)),
        turned(|p| Vec3::new(0.0, p.x, p.y)),
    ]
}

/// A cylinder about z: two circles and four lines.
fn drum(radius: f64, length: f64) -> Vec<Vec<Vec3>> {
    let ends = [-0.5, 0.5].map(|s| circle(radius, s * length));
    let line = |k: usize| vec![ends[0][k], ends[1][k]];
    let mut lines: Vec<_> = (0..4).map(|k| line(k * ROUND / 4)).collect();
    lines.extend(ends);
    lines
}

/// The edges of a tyre's tread around its axis, which is y or z of I; a spoke shows that it turns.
fn wheel(mechanism: &Mechanism, tyre: &Tyre, size: f64) -> Vec<Vec<Vec3>> {
    let radius = match &tyre.law {
        TyreLaw::Linear([radius, ..]) => constant(mechanism, *radius).unwrap_or(0.1 * size),
        TyreLaw::Magic(formula, _) => formula.unloaded_radius,
    };
    let mut lines: Vec<_> = [-0.3, 0.3].map(|s| circle(radius, s * radius)).into();
    lines.push(vec![Vec3::zeros(), Vec3::x() * radius]);
    let across = Vec3::from(tyre.axis);
    let axes = Mat3::from_columns(&[Vec3::x(), across.cross(&Vec3::x()), across]);
    for line in &mut lines {
        for p in line {
            *p = axes * *p;
        }
    }
    lines
}

/// A box: its two faces across z and four edges.
fn block([x, y, z]: [f64; 3]) -> Vec<Vec<Vec3>> {
    let corners = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
    let at = |k: usize, s: f64| {
        let [a, b] = corners[k % 4];
        0.5 * Vec3::new(a * x, b * y, s * z)
    };
    let face = |s: f64| (0..5).map(|k| at(k, s)).collect();
    let mut lines = vec![face(-1.0), face(1.0)];
    lines.extend((0..4).map(|k| vec![at(k, -1.0), at(k, 1.0)]));
    lines
}

/// A grid on the xy plane.
fn plane(size: f64) -> Vec<Vec<Vec3>> {
    let half = 0.6 * size;
    let lines = (-2..=2).map(|k| f64::from(k) * 0.5 * half);
    let both = lines.flat_map(|t| {
        [
            vec![Vec3::new(-half, t, 0.0), Vec3::new(half, t, 0.0)],
            vec![Vec3::new(t, -half, 0.0), Vec3::new(t, half, 0.0)],
        ]
    });
    both.collect()
}
