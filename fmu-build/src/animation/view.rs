//! Control plane: from where a film is seen: the directions of the picture in space, and what is
//! held still.

use fixstep::math::Vec3;

use super::Film;
use super::scene::Scene;

/// Extent of a direction below this part of the greatest: the mechanism moves in a plane.
const FLAT: f64 = 0.02;
/// Travel of the body of most markers, in sizes of the mechanism, from which the picture goes with it.
const TRAVEL: f64 = 2.0;

/// A parallel projection.
#[derive(Debug)]
pub(super) struct View {
    right: Vec3,
    up: Vec3,
    /// The body whose place stays in the picture.
    pub(super) follow: Option<usize>,
}

impl View {
    pub(super) fn of(scene: &Scene, film: &Film) -> Self {
        let first = film.frames.first();
        let still = first.map_or(0.0, |frame| {
            spread(&scene.points(frame), Vec3::zeros()).norm()
        });
        let hub = scene.hub;
        let travel = first.map_or(0.0, |start| {
            let far = |frame: &Vec<super::Pose>| (frame[hub].place - start[hub].place).norm();
            film.frames.iter().map(far).fold(0.0, f64::max)
        });
        let follow = (travel > TRAVEL * still).then_some(hub);
        let mut points = Vec::new();
        for frame in &film.frames {
            let origin = follow.map_or(Vec3::zeros(), |body| frame[body].place);
            points.extend(scene.points(frame).into_iter().map(|p| p - origin));
        }
        let extent = spread(&points, Vec3::zeros());
        let (right, up) = directions(extent, scene.up);
        Self { right, up, follow }
    }

    /// Picture coordinates: to the right, and down.
    pub(super) fn project(&self, p: &Vec3) -> [f64; 2] {
        [self.right.dot(p), -self.up.dot(p)]
    }
}

/// Extents of a cloud of points.
fn spread(points: &[Vec3], empty: Vec3) -> Vec3 {
    let Some(first) = points.first() else {
        return empty;
    };
    let (mut least, mut most) = (*first, *first);
    for p in points {
        least = least.inf(p);
        most = most.sup(p);
    }
    most - least
}

/// The picture's right and up: along the plane of a flat mechanism, else from the front, the right,
/// and above.
pub(crate) fn directions(extent: Vec3, up: Vec3) -> (Vec3, Vec3) {
    let flat = extent.amax() * FLAT;
    for axis in 0..3 {
        if extent[axis] <= flat && up[axis] == 0.0 {
            let normal = Vec3::ith(axis, if axis == 1 { -1.0 } else { 1.0 });
            return (up.cross(&normal).normalize(), up);
        }
    }
    // horizontal directions to the picture's right, and into it
    let (x, y) = if up.z.abs() > 0.5 {
        (Vec3::x(), Vec3::y() * up.z.signum())
    } else if up.y.abs() > 0.5 {
        (Vec3::x() * up.y.signum(), -Vec3::z())
    } else {
        (Vec3::y() * up.x.signum(), Vec3::z())
    };
    let (turn, tilt) = ([0.82, 0.5724], [0.9, 0.4359]);
    let right = x * turn[0] + y * turn[1];
    let into = y * turn[0] - x * turn[1];
    (
        right.normalize(),
        (up * tilt[0] + into * tilt[1]).normalize(),
    )
}
