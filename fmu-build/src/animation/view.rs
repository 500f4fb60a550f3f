//! Control plane: the view of an animation: the directions of the picture in space, and the body that is held still.

use fixstep_kernel::math::Vec3;

use super::Film;
use super::scene::Scene;
use crate::projection::{Projection, extent};

/// Travel of the body with most markers, in sizes of the mechanism, from which on the view follows it.
const TRAVEL: f64 = 2.0;

/// How a film is seen.
#[derive(Debug)]
pub(super) struct View {
    pub(super) projection: Projection,
    /// The body whose place stays in the picture.
    pub(super) follow: Option<usize>,
}

impl View {
    pub(super) fn of(scene: &Scene, film: &Film) -> Self {
        let first = film.frames.first();
        let still = first.map_or(0.0, |frame| extent(scene.points(frame)).norm());
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
        Self {
            projection: Projection::of(extent(points), scene.up),
            follow,
        }
    }
}
