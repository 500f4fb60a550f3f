//! How far a step may lead over a curve, a terrain or a road, so that no bump of it lies between the ends of the step:
//!
//! ```text
//! h ≤ 2 ℓ/v                                                                            (VAR-25)
//! ```
//! ℓ is the mean length of its pieces (for waves an eighth of their length, for a plank an eighth of its width, for a mesh half the
//! height of its small triangles), v the speed of what follows it, a marker or the fastest point of a shape that touches.

use super::{Run, Variable};
use crate::elements::forces::ForceLaw;
use crate::elements::forces::contact;
use crate::ids::MarkerId;
use crate::math::curve::SpaceCurve;
use crate::math::road::RoadShape;
use crate::math::spline::Curve;
use crate::math::terrain::Terrain;
use crate::mechanism::ContactShape;
use crate::system::curves::CurvePair;
use crate::system::{System, eval};
use alloc::vec::Vec;

/// Pieces that a step may pass.
const PIECES: f64 = 2.0;
/// Pieces of a wave, or of a plank.
const PARTS: f64 = 8.0;
/// Such steps are at least this many times the shortest.
const SHORT: f64 = 100.0;

/// What is followed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Follower {
    /// A marker, seen from another one.
    Marker(MarkerId, MarkerId),
    /// The shape of a contact, while it touches.
    Contact(usize),
}

/// What follows something with bumps, and ℓ \[m\].
pub(super) type Feature = (Follower, f64);

/// All of a mechanism.
pub(super) fn all(system: &System) -> Vec<Feature> {
    let joints = system.curve_joints.iter().filter_map(|joint| {
        let CurvePair::Point(curve) = &joint.pair else {
            return None;
        };
        Some((Follower::Marker(joint.i, joint.j), of_curve(curve)))
    });
    let forces = system.forces.iter().enumerate().filter_map(|(f, force)| {
        let length = match &force.law {
            ForceLaw::Contact(law) => match &law.shape {
                ContactShape::Curve { curve, .. } => of_curve(curve),
                ContactShape::Terrain(terrain) => of_terrain(terrain),
                ContactShape::Mesh(mesh) => mesh.grain(),
                _ => return None,
            },
            ForceLaw::Tyre { tyre, .. } => of_road(&system.tyres[tyre.index()].road.shape)?,
            _ => return None,
        };
        let follower = match force.law {
            ForceLaw::Contact(_) => Follower::Contact(f),
            _ => Follower::Marker(force.i, force.j),
        };
        Some((follower, length))
    });
    joints.chain(forces).collect()
}

fn of_curve(curve: &SpaceCurve) -> f64 {
    curve.length() / curve.pieces() as f64
}

fn of_points(curve: &Curve) -> f64 {
    let points = curve.points();
    (points[points.len() - 1] - points[0]) / (points.len() - 1) as f64
}

fn of_terrain(terrain: &Terrain) -> f64 {
    match terrain {
        Terrain::Profile(curve, unit) => of_points(curve) * unit,
        Terrain::Grid(grid) => grid.spacing(),
    }
}

fn of_road(shape: &RoadShape) -> Option<f64> {
    match shape {
        RoadShape::Sine { wavelength, .. } => Some(wavelength.abs() / PARTS),
        RoadShape::Plank { width, edge, .. } if width.is_finite() => {
            Some((width + 2.0 * edge) / PARTS)
        }
        RoadShape::Profile(curve) => Some(of_points(curve)),
        _ => None,
    }
}

impl Variable {
    /// The longest step \[s\] from the present state (VAR-25).
    pub(super) fn farthest(&mut self, run: &Run<'_>) -> f64 {
        if self.features.is_empty() {
            return f64::INFINITY;
        }
        let (system, state, ws) = (run.system, &*run.state, &mut self.shown_ws);
        self.evaluated = None;
        eval::kinematics_at_state(system, state, ws);
        let mut longest = f64::INFINITY;
        for (follower, length) in &self.features {
            let speed = match follower {
                Follower::Marker(i, j) => {
                    let (i, j) = (&ws.markers[i.index()], &ws.markers[j.index()]);
                    (i.v - j.v - j.omega.cross(&(i.p - j.p))).norm()
                }
                Follower::Contact(f) => {
                    let ForceLaw::Contact(law) = &system.forces[*f].law else {
                        continue;
                    };
                    let gap = contact::gap(law, &eval::context(system, state, ws, *f));
                    if gap.apart > gap.fine {
                        continue;
                    }
                    gap.speed
                }
            };
            longest = longest.min(PIECES * length / speed);
        }
        longest.max(SHORT * self.tolerance.shortest)
    }
}
