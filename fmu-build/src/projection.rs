//! Control plane: parallel projections from space to a picture, for mechanisms and bodies.

use fixstep_kernel::math::Vec3;

/// If the extent in a direction is below this part of the greatest, everything is in a plane.
const FLAT: f64 = 0.02;

/// A parallel projection: the picture's directions in space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projection {
    /// To the right.
    pub(crate) right: Vec3,
    /// Upwards.
    pub(crate) up: Vec3,
}

impl Projection {
    /// In the plane of a flat object, else from the front, the right, and above.
    pub(crate) fn of(extent: Vec3, up: Vec3) -> Self {
        let flat = extent.amax() * FLAT;
        for axis in 0..3 {
            if extent[axis] <= flat && up[axis] == 0.0 {
                let normal = Vec3::ith(axis, if axis == 1 { -1.0 } else { 1.0 });
                return Self {
                    right: up.cross(&normal).normalize(),
                    up,
                };
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
        Self {
            right: right.normalize(),
            up: (up * tilt[0] + into * tilt[1]).normalize(),
        }
    }

    /// Picture coordinates: to the right, and down.
    pub(crate) fn flat(&self, p: &Vec3) -> [f64; 2] {
        [self.right.dot(p), -self.up.dot(p)]
    }
}

/// Extents of a cloud of points; none of no points.
pub(crate) fn extent(points: impl IntoIterator<Item = Vec3>) -> Vec3 {
    let both = points.into_iter().map(|p| (p, p));
    let both = both.reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1)));
    both.map_or(Vec3::zeros(), |(least, most)| most - least)
}

/// Bounds of a picture: smallest and largest coordinates.
pub(crate) fn corners(points: impl Iterator<Item = [f64; 2]>) -> Option<([f64; 2], [f64; 2])> {
    let both = points.map(|p| (p, p));
    both.reduce(|a, b| {
        (
            [0, 1].map(|k: usize| a.0[k].min(b.0[k])),
            [0, 1].map(|k: usize| a.1[k].max(b.1[k])),
        )
    })
}
