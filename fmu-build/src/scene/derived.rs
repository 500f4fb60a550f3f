//! Control plane: what bodies look like for which the model names no shape: links between the places where joints and
//! forces act, a hull where there are many, a box of the body's inertia where there are none.

use std::sync::Arc;

use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{BodyKind, ForceKind};
use fixstep_pictures::scene::{Body, Origin, Place, Solid};
use fixstep_pictures::solids::{self, Piece, Section};

use super::hull::hull;
use super::{Made, is_seen};

/// Points that are nearer than this part of the mechanism's size are one.
const SAME: f64 = 1e-3;
/// Radius of a link in its own lengths, and its bounds in sizes of the mechanism.
const SLENDER: f64 = 0.06;
const RADII: [f64; 2] = [0.006, 0.02];
/// Points from which a body is drawn as a hull.
const HULL: usize = 6;
/// Radius of a disc, and of a ball, of the same inertia as a box, in edges of the box: r²/4 and 2r²/5 against a²/12 and a²/6.
const DISC: f64 = 0.577;
const BALL: f64 = 0.645;
/// Places whose distance from a line or a plane is less than this part of their distances lie in it.
const FLAT: f64 = 0.02;
/// Edges of a box, in sizes of the mechanism.
const EDGES: [f64; 2] = [0.02, 0.4];
/// The same of a body that a joint holds at its centre of mass.
const HELD: [f64; 2] = [0.02, 0.11];
/// Edges that differ by less than this part are equal: the body is round.
const ROUND: f64 = 0.02;

/// Adds forms to bodies that have none.
pub(super) fn add(made: &Made<'_>, bodies: &mut [Body]) {
    for body in 1..bodies.len() {
        if bodies[body].soft.is_some() {
            continue;
        }
        let given = bodies[body]
            .solids
            .iter()
            .any(|s| s.origin == Origin::Shape);
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
    let joints = made
        .mechanism
        .joints
        .iter()
        .flat_map(|joint| [joint.i, joint.j]);
    let forces = made
        .mechanism
        .forces
        .iter()
        .flat_map(|force| match &force.kind {
            ForceKind::Contact(_) | ForceKind::Tyre(_) => vec![force.i],
            kind if kind.row().alone => vec![force.i],
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

/// The distance of the farthest of these places; ground has none, since it reaches as far as the mechanism.
pub(super) fn reach(made: &Made<'_>, body: usize) -> f64 {
    if body == 0 {
        return 0.0;
    }
    let mut places = places(made, body);
    places.push(made.mechanism.bodies[body].center_of_mass);
    let far = |p: &Vec3| places.iter().map(|q| (q - p).norm()).fold(0.0, f64::max);
    places.iter().map(far).fold(0.0, f64::max)
}

/// The form of a body with nothing else.
fn form(made: &Made<'_>, body: usize) -> Vec<Solid> {
    let places = places(made, body);
    let center = made.mechanism.bodies[body].center_of_mass;
    match places.as_slice() {
        [] => vec![solid_of_inertia(made, body, EDGES)],
        [one] if (center - one).norm() <= SAME * made.size => {
            vec![solid_of_inertia(made, body, HELD)]
        }
        [one] => hanging(made, body, one),
        [one, two] => {
            let mut bar = vec![link(made, one, two)];
            bar.extend(aside(made, body, [one, two]));
            bar
        }
        [one, two, three] => {
            let edges = [[one, two], [two, three], [three, one]];
            let longest = edges
                .iter()
                .map(|[p, q]| (*p - *q).norm())
                .fold(0.0, f64::max);
            let height = (two - one).cross(&(three - one)).norm() / longest;
            if height > FLAT * longest {
                edges.iter().map(|[p, q]| link(made, p, q)).collect()
            } else {
                tree(made, places)
            }
        }
        many => plate(made, many)
            .or_else(|| (many.len() >= HULL).then(|| round_hull(many)).flatten())
            .map_or_else(|| tree(made, places.clone()), |solid| vec![solid]),
    }
}

/// The hull of many places.
fn round_hull(places: &[Vec3]) -> Option<Solid> {
    let faces = hull(places);
    let surface = || Piece::of(solids::from_triangles(&faces, 0.2));
    (!faces.is_empty()).then(|| derived(surface().at(here(Vec3::zeros()))))
}

/// A body that hangs from one place: a rod as long as its inertia says, or a ball at its centre of mass.
fn hanging(made: &Made<'_>, body: usize, place: &Vec3) -> Vec<Solid> {
    let center = made.mechanism.bodies[body].center_of_mass;
    let arm = center - place;
    let edges = edges(made, body).unwrap_or([0.0; 3]);
    let along = arm.normalize();
    let half = 0.5
        * (0..3)
            .map(|k| edges[k] * along[k].abs())
            .fold(0.0, f64::max);
    if half > 0.6 * arm.norm() {
        let far = center + along * half.min(1.1 * arm.norm());
        return vec![link(made, place, &far)];
    }
    vec![
        link(made, place, &center),
        ball(made, (&edges, arm.norm()), center),
    ]
}

/// A ball at the centre of mass of a bar, if that is far from it.
fn aside(made: &Made<'_>, body: usize, [one, two]: [&Vec3; 2]) -> Vec<Solid> {
    let center = made.mechanism.bodies[body].center_of_mass;
    let bar = two - one;
    let share = ((center - one).dot(&bar) / bar.norm_squared()).clamp(0.0, 1.0);
    let near = one + bar * share;
    let far = (center - near).norm();
    if far < 0.25 * bar.norm() {
        return Vec::new();
    }
    let edges = edges(made, body).unwrap_or([0.0; 3]);
    vec![
        link(made, &near, &center),
        ball(made, (&edges, far), center),
    ]
}

/// A body's inertia at the end of an arm.
fn ball(made: &Made<'_>, (edges, arm): (&[f64; 3], f64), center: Vec3) -> Solid {
    let least = 3.2 * radius(made, arm);
    let most = least.max(0.45 * arm);
    let largest = edges.iter().copied().fold(0.0, f64::max);
    // In the proportions of its inertia.
    let factor = if largest > 0.0 {
        largest.clamp(least, most) / largest
    } else {
        0.0
    };
    let edges = edges.map(|edge| (edge * factor).max(0.3 * least));
    if alike(edges[0], edges[1]) && alike(edges[1], edges[2]) || largest <= 0.0 {
        return derived(solids::sphere(BALL * edges[0].max(0.6 * least)).at(here(center)));
    }
    derived(
        round_or_box(edges)
            .unwrap_or_else(|| solids::block(edges))
            .at(here(center)),
    )
}

fn alike(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUND * a.max(b)
}

/// The cylinder with the inertia of a box two of whose edges are equal, along one of the axes.
fn round_or_box(edges: [f64; 3]) -> Option<Piece> {
    let axis = (0..3).find(|k| alike(edges[(k + 1) % 3], edges[(k + 2) % 3]))?;
    let across = edges[(axis + 1) % 3];
    let cylinder = solids::cylinder(DISC * across, edges[axis]);
    if axis == 2 {
        return Some(cylinder);
    }
    // From z to the axis.
    let mut mesh = (*cylinder.mesh).clone();
    let turn = |p: &mut [f32; 3]| {
        *p = if axis == 0 {
            [p[2], p[0], p[1]]
        } else {
            [p[1], p[2], p[0]]
        };
    };
    mesh.points.iter_mut().for_each(turn);
    mesh.normals.iter_mut().for_each(turn);
    let mut scale = [DISC * across; 3];
    scale[axis] = edges[axis];
    Some(Piece {
        mesh: Arc::new(mesh),
        scale,
    })
}

/// A plate whose corners are places in a plane.
fn plate(made: &Made<'_>, places: &[Vec3]) -> Option<Solid> {
    let middle = places.iter().sum::<Vec3>() / places.len() as f64;
    let arm = |p: &Vec3| p - middle;
    let long = places
        .iter()
        .map(arm)
        .max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    let across = places.iter().map(|p| long.cross(&arm(p)));
    let normal = across.max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
    if normal.norm() < FLAT * long.norm_squared() {
        return None;
    }
    let z = normal.normalize();
    let x = long.normalize();
    let y = z.cross(&x);
    if places
        .iter()
        .any(|p| arm(p).dot(&z).abs() > 0.02 * long.norm())
    {
        return None;
    }
    let corners = places.iter().map(|p| [arm(p).dot(&x), arm(p).dot(&y)]);
    let edge = radius(made, long.norm());
    let outline = around(corners.collect(), 1.5 * edge);
    let mesh = solids::extrusion(&outline, &[], 1.2 * edge, 0.5)?;
    let axes = Mat3::from_columns(&[x, y, z]);
    Some(derived(Piece::of(mesh).at(super::place(middle, &axes))))
}

/// The outline at a distance around points: the hull of circles about them.
fn around(corners: Vec<[f64; 2]>, distance: f64) -> Vec<[f64; 2]> {
    const SIDES: u32 = 16;
    let mut points = Vec::new();
    for [x, y] in corners {
        for k in 0..SIDES {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(SIDES);
            let (s, c) = fixstep_kernel::math::sincos(angle);
            points.push([x + distance * c, y + distance * s]);
        }
    }
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    // Andrew's monotone chain: the lower side, then the upper one.
    let mut outline: Vec<[f64; 2]> = Vec::new();
    for side in 0..2 {
        let first = outline.len();
        let step = |k: usize| {
            if side == 0 {
                points[k]
            } else {
                points[points.len() - 1 - k]
            }
        };
        for k in 0..points.len() {
            let p = step(k);
            let left = |a: [f64; 2], b: [f64; 2]| {
                (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
            };
            while outline.len() >= first + 2
                && left(outline[outline.len() - 2], outline[outline.len() - 1])
                    <= 1e-9 * distance * distance
            {
                outline.pop();
            }
            outline.push(p);
        }
        outline.pop();
    }
    outline
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
            let far = |p: &[f32; 3]| {
                (0..3).fold(0.0, |sum: f64, k| {
                    sum + (f64::from(p[k]) * s.scale[k]).powi(2)
                })
            };
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

/// The radius of a link of a length.
fn radius(made: &Made<'_>, length: f64) -> f64 {
    (SLENDER * length).clamp(RADII[0] * made.size, RADII[1] * made.size)
}

fn link(made: &Made<'_>, from: &Vec3, to: &Vec3) -> Solid {
    let radius = radius(made, (to - from).norm());
    derived(solids::link(from, to, radius, Section::Round))
}

/// Edges of the box that has a body's mass and inertia; products of inertia do not count.
fn edges(made: &Made<'_>, body: usize) -> Option<[f64; 3]> {
    let entry = &made.mechanism.bodies[body];
    let mass = made.number(entry.mass).filter(|mass| *mass > 0.0)?;
    let [xx, yy, zz, ..] = entry.inertia.map(|id| made.number(id).unwrap_or(0.0));
    let edge = |a: f64, b: f64, c: f64| (6.0 * (a + b - c).max(0.0) / mass).sqrt();
    Some([edge(yy, zz, xx), edge(xx, zz, yy), edge(xx, yy, zz)])
}

/// The box or the cylinder of a body's mass and inertia, within bounds; a ball for a point mass.
fn solid_of_inertia(made: &Made<'_>, body: usize, bounds: [f64; 2]) -> Solid {
    let entry = &made.mechanism.bodies[body];
    let at = here(entry.center_of_mass);
    let bounded = |edge: f64| edge.clamp(bounds[0] * made.size, bounds[1] * made.size);
    if entry.kind != BodyKind::Rigid {
        return derived(solids::sphere(bounded(0.05 * made.size)).at(at));
    }
    let edges = edges(made, body)
        .unwrap_or([0.05 * made.size; 3])
        .map(bounded);
    let is_cube = alike(edges[0], edges[1]) && alike(edges[1], edges[2]);
    if let Some(piece) = round_or_box(edges).filter(|_| !is_cube) {
        return derived(piece.at(at));
    }
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
