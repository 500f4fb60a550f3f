//! Control plane: what bodies look like for which the model names no shape: links between the places where joints and
//! forces act, a hull where there are many, a box of the body's inertia where there are none.

use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::{BodyKind, ForceKind};
use fixstep_pictures::scene::{Body, Origin, Place, Solid};
use fixstep_pictures::solids::{self, CREASE, Piece, Section};

use super::hull::hull;
use super::{Made, is_seen};

/// Points that are nearer than this part of the mechanism's size are one.
const SAME: f64 = 1e-3;
/// Radius of a link in its own lengths, and its bounds in sizes of the mechanism.
const SLENDER: f64 = 0.06;
const RADII: [f64; 2] = [0.006, 0.02];
/// Points from which a body is drawn as a hull.
const HULL: usize = 6;
/// Edges of a box, in sizes of the mechanism.
const EDGES: [f64; 2] = [0.02, 0.4];

/// Adds forms to bodies that have none.
pub(super) fn add(made: &Made<'_>, bodies: &mut [Body]) {
    for body in 1..bodies.len() {
        if bodies[body].soft.is_some() {
            continue;
        }
        let given = bodies[body].solids.iter().any(|s| s.origin == Origin::Shape);
        if given {
            continue;
        }
        let seen = bodies[body].solids.iter().any(is_seen);
        let solids = if seen {
            arms(made, body, &bodies[body])
        } else {
            form(made, body)
        };
        bodies[body].solids.extend(solids);
    }
}

/// Where joints and forces act on a body, each place once.
fn places(made: &Made<'_>, body: usize) -> Vec<Vec3> {
    let joints = made.mechanism.joints.iter().flat_map(|joint| [joint.i, joint.j]);
    let forces = made.mechanism.forces.iter().flat_map(|force| match &force.kind {
        ForceKind::Contact(_) | ForceKind::Tyre(_) => vec![force.i],
        _ => vec![force.i, force.j],
    });
    let mut places: Vec<Vec3> = Vec::new();
    for marker in joints.chain(forces) {
        let entry = &made.mechanism.markers[marker.index()];
        if entry.body.index() != body || !entry.is_placed() {
            continue;
        }
        let apart = |p: &Vec3| (p - entry.position).norm() > SAME * made.size;
        if places.iter().all(apart) {
            places.push(entry.position);
        }
    }
    places
}

/// The form of a body with nothing else.
fn form(made: &Made<'_>, body: usize) -> Vec<Solid> {
    let mut places = places(made, body);
    let center = made.mechanism.bodies[body].center_of_mass;
    if places.len() >= HULL {
        let faces = hull(&places);
        if !faces.is_empty() {
            let piece = Piece::of(solids::from_triangles(&faces, 0.2));
            return vec![derived(piece.at(here(Vec3::zeros())))];
        }
    }
    if places.iter().all(|p| (p - center).norm() > SAME * made.size) {
        places.push(center);
    }
    if places.len() < 2 {
        return vec![solid_of_inertia(made, body)];
    }
    tree(made, places)
}

/// Links from the solids of a body to where else joints act.
fn arms(made: &Made<'_>, body: usize, drawn: &Body) -> Vec<Solid> {
    let places = places(made, body);
    let middle = drawn
        .solids
        .iter()
        .filter(|s| is_seen(s))
        .map(|s| s.place.position)
        .next();
    let reach = drawn
        .solids
        .iter()
        .filter(|s| is_seen(s))
        .map(|s| {
            let far = |p: &[f32; 3]| (0..3).fold(0.0, |sum: f64, k| sum + (f64::from(p[k]) * s.scale[k]).powi(2));
            s.mesh.points.iter().map(far).fold(0.0, f64::max).sqrt()
        })
        .fold(0.0, f64::max);
    let Some(middle) = middle else {
        return Vec::new();
    };
    let outside = |p: &&Vec3| (*p - middle).norm() > reach;
    places
        .iter()
        .filter(outside)
        .map(|p| link(made, &middle, p))
        .collect()
}

/// The shortest tree of links between some places.
fn tree(made: &Made<'_>, mut rest: Vec<Vec3>) -> Vec<Solid> {
    let mut tree = vec![rest.remove(0)];
    let mut links = Vec::new();
    while !rest.is_empty() {
        let mut best = (f64::INFINITY, 0, 0);
        for (k, p) in rest.iter().enumerate() {
            for (n, q) in tree.iter().enumerate() {
                let distance = (p - q).norm();
                if distance < best.0 {
                    best = (distance, k, n);
                }
            }
        }
        let next = rest.remove(best.1);
        links.push(link(made, &tree[best.2], &next));
        tree.push(next);
    }
    links
}

fn link(made: &Made<'_>, from: &Vec3, to: &Vec3) -> Solid {
    let radius = SLENDER * (to - from).norm();
    let radius = radius.clamp(RADII[0] * made.size, RADII[1] * made.size);
    derived(solids::link(from, to, radius, Section::Round))
}

/// The box of a body's mass and inertia, within bounds; a ball for a point mass.
fn solid_of_inertia(made: &Made<'_>, body: usize) -> Solid {
    let entry = &made.mechanism.bodies[body];
    let at = here(entry.center_of_mass);
    let bounded = |edge: f64| edge.clamp(EDGES[0] * made.size, EDGES[1] * made.size);
    if entry.kind != BodyKind::Rigid {
        return derived(solids::sphere(bounded(0.05 * made.size)).at(at));
    }
    let mass = made.number(entry.mass).filter(|mass| *mass > 0.0);
    let [xx, yy, zz, ..] = entry.inertia.map(|id| made.number(id).unwrap_or(0.0));
    let edges = mass.map(|mass| {
        let edge = |a: f64, b: f64, c: f64| (6.0 * (a + b - c).max(0.0) / mass).sqrt();
        [edge(yy, zz, xx), edge(xx, zz, yy), edge(xx, yy, zz)]
    });
    let edges = edges.unwrap_or([0.05 * made.size; 3]).map(bounded);
    let round = 0.15 * edges[0].min(edges[1]);
    derived(Piece::of(solids::plate(edges[0], edges[1], edges[2], round)).at(at))
}

/// A place with the axes of the body.
fn here(position: Vec3) -> Place {
    Place {
        position,
        rotation: [1.0, 0.0, 0.0, 0.0],
    }
}

fn derived(solid: Solid) -> Solid {
    Solid {
        origin: Origin::Derived,
        ..solid
    }
}
