//! Control plane: roads, and other surfaces that stand still.

use fixstep_kernel::ids::MarkerId;
use fixstep_kernel::math::road::{Road, RoadShape};
use fixstep_kernel::math::terrain::Terrain;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{Contact, ContactShape, Force, ForceKind};
use fixstep_pictures::motion::Bounds;
use fixstep_pictures::scene::{Body, Film, Origin, Solid};
use fixstep_pictures::solids::{self, Piece};

use super::{Made, place};

/// Points of a road along and across.
const POINTS: [usize; 2] = [400, 9];
/// The colour of surfaces.
const SURFACE: [u8; 3] = [172, 174, 176];

/// Adds roads and surfaces, as far as the mechanism comes near them.
pub(super) fn add(made: &Made<'_>, film: &Film, bodies: &mut [Body]) {
    for force in &made.mechanism.forces {
        let (body, at) = made.marker(force.j);
        let mut middle = Vec3::zeros();
        let piece = match &force.kind {
            ForceKind::Contact(contact) => match &contact.shape {
                // A part that the model draws has its surface.
                ContactShape::Plane if body != 0 && made.named(body) => None,
                ContactShape::Plane if body != 0 || tilted(made, force, &made.up) => {
                    // Under the whole way, if it stands still.
                    let reach = if body == 0 {
                        reach(made, force.j, film)
                    } else {
                        [[0.0; 2]; 2]
                    };
                    let (at, piece) = plate(made.size, reach);
                    middle = at;
                    Some(piece)
                }
                ContactShape::Terrain(terrain) => terrain_of(terrain, made.size),
                _ => None,
            },
            ForceKind::Tyre(tyre) => {
                let road = &made.mechanism.roads[tyre.road.index()].road;
                (road.shape != RoadShape::Flat)
                    .then(|| road_of(made, road, extent(made, force, film)))
                    .flatten()
            }
            _ => None,
        };
        let (Some(piece), Some(entry)) = (piece, bodies.get_mut(body)) else {
            continue;
        };
        let at = super::inside(&at, &place(middle, &Mat3::identity()));
        let solid = Solid {
            name: force.name.clone(),
            origin: Origin::Road,
            color: Some(SURFACE),
            ..piece.at(at)
        };
        let there = |other: &Solid| {
            other.origin == Origin::Road
                && other.place == solid.place
                && other.scale == solid.scale
                && other.mesh.points == solid.mesh.points
        };
        if !entry.solids.iter().any(there) {
            entry.solids.push(solid);
        }
    }
}

/// The box around the places of all that touches a plane, in its axes: x and y.
fn reach(made: &Made<'_>, plane: MarkerId, film: &Film) -> [[f64; 2]; 2] {
    let touches = |force: &&Force| {
        let of = |contact: &Contact| matches!(contact.shape, ContactShape::Plane);
        force.j == plane && matches!(&force.kind, ForceKind::Contact(contact) if of(contact))
    };
    let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    for force in made.mechanism.forces.iter().filter(touches) {
        for (bound, [least, most]) in bounds.iter_mut().zip(extent(made, force, film)) {
            *bound = [bound[0].min(least), bound[1].max(most)];
        }
    }
    bounds
}

/// A plate below a plane, with an edge around where it is touched, and the place of its middle.
fn plate(size: f64, [x, y]: [[f64; 2]; 2]) -> (Vec3, Piece) {
    let edge = 0.6 * size;
    let [length, width] = [x, y].map(|[from, to]| to - from + 2.0 * edge);
    let thick = 0.01 * size;
    let middle = Vec3::new(0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1]), -0.5 * thick);
    (middle, solids::block([length, width, thick]))
}

/// The height of what bodies stand on, above the origin of ground \[m\]: a level plane, or a flat road, if the model does not
/// draw ground itself.
pub(super) fn floor(made: &Made<'_>) -> Option<f64> {
    if made.shapes.iter().any(|shape| shape.body.index() == 0) {
        return None;
    }
    let (mechanism, up) = (made.mechanism, made.up);
    let level = |force: &Force| {
        let flat = match &force.kind {
            ForceKind::Contact(contact) => matches!(contact.shape, ContactShape::Plane),
            ForceKind::Tyre(tyre) => {
                mechanism.roads[tyre.road.index()].road.shape == RoadShape::Flat
            }
            _ => false,
        };
        let marker = &mechanism.markers[force.j.index()];
        let normal = marker.orientation.column(2).into_owned();
        let is = flat && marker.body.index() == 0 && (normal - up).norm() < 1e-6;
        is.then(|| marker.position.dot(&up))
    };
    mechanism.forces.iter().find_map(level)
}

/// The diagonal of the box around what stands on ground: shapes and contacts \[m\].
pub(super) fn extent_of(ground: &Body) -> f64 {
    let stands = |solid: &&Solid| matches!(solid.origin, Origin::Shape | Origin::Contact);
    let mut bounds = Bounds::EMPTY;
    for solid in ground.solids.iter().filter(stands) {
        for point in &solid.mesh.points {
            let scaled = Vec3::from_fn(|k, _| f64::from(point[k]) * solid.scale[k]);
            bounds.add(&solids::moved(&solid.place, &scaled));
        }
    }
    if bounds.is_empty() {
        0.0
    } else {
        (bounds.most - bounds.least).norm()
    }
}

/// Is a plane on ground not level, or away from the grid that is drawn on ground's level?
fn tilted(made: &Made<'_>, force: &Force, up: &Vec3) -> bool {
    let marker = &made.mechanism.markers[force.j.index()];
    let normal = marker.orientation.column(2).into_owned();
    (normal - up).norm() > 1e-6 || marker.position.dot(up).abs() > 1e-6 * made.size
}

/// Ground of varying height about the origin of its marker.
fn terrain_of(terrain: &Terrain, size: f64) -> Option<Piece> {
    let count = 60;
    let spacing = 2.4 * size / count as f64;
    let at = |k: usize| spacing * (k as f64 - 0.5 * count as f64);
    let row = |y: usize| {
        let height = |x: usize| terrain.height([at(x), at(y)]).value;
        (0..=count).map(height).collect::<Vec<f64>>()
    };
    let rows: Vec<Vec<f64>> = (0..=count).map(row).collect();
    surface([at(0); 2], [spacing; 2], &rows, size)
}

/// A surface of heights with its underside.
fn surface(origin: [f64; 2], spacing: [f64; 2], rows: &[Vec<f64>], size: f64) -> Option<Piece> {
    let least = rows.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let bottom = least - 0.01 * size;
    bottom
        .is_finite()
        .then(|| Piece::of(solids::height_map(origin, spacing, rows, bottom)))
}

/// The box around the places of a wheel, or of what touches a plane, in the axes of its road's or plane's marker: x and y.
fn extent(made: &Made<'_>, force: &Force, film: &Film) -> [[f64; 2]; 2] {
    let (wheel, at_i) = made.marker(force.i);
    let (carrier, at_j) = made.marker(force.j);
    let axes = fixstep_kernel::math::rotation::matrix(&at_j.rotation);
    let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    let now = [super::frame(made.engine)];
    for frame in film.iter().chain(&now) {
        let seen = |body: usize, p: &Vec3| {
            let pose = &frame.poses[body].place;
            pose.position + fixstep_kernel::math::rotation::matrix(&pose.rotation) * p
        };
        let turned = fixstep_kernel::math::rotation::matrix(&frame.poses[carrier].place.rotation);
        let from = seen(carrier, &at_j.position);
        let local = (turned * axes).transpose() * (seen(wheel, &at_i.position) - from);
        for (bound, x) in bounds.iter_mut().zip([local.x, local.y]) {
            *bound = [bound[0].min(x), bound[1].max(x)];
        }
    }
    bounds
}

/// The road around where a wheel rolls, with an edge around it.
fn road_of(made: &Made<'_>, road: &Road, [x, y]: [[f64; 2]; 2]) -> Option<Piece> {
    let edge = [0.6 * made.size, 0.25 * made.size];
    let (from, to) = (
        [x[0] - edge[0], y[0] - edge[1]],
        [x[1] + edge[0], y[1] + edge[1]],
    );
    let [along, across] = POINTS;
    let spacing = [
        (to[0] - from[0]) / (along - 1) as f64,
        (to[1] - from[1]) / (across - 1) as f64,
    ];
    let row = |n: usize| {
        let height = |k: usize| {
            let (x, y) = (
                from[0] + spacing[0] * k as f64,
                from[1] + spacing[1] * n as f64,
            );
            road.height(x, y).z
        };
        (0..along).map(height).collect::<Vec<f64>>()
    };
    let rows: Vec<Vec<f64>> = (0..across).map(row).collect();
    surface(from, spacing, &rows, made.size)
}
