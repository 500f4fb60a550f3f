//! Control plane: where everything is in a frame: points, deformed surfaces, stresses, links, and the box around it all.

use std::f64::consts::TAU;

use fixstep_kernel::math::rotation::matrix;
use fixstep_kernel::math::{Mat3, Vec3, cos, sin};

use crate::scene::{Frame, Link, Mesh, Origin, Place, Point, Pose, Scene, Soft};

/// Where the axes of a body are; at the origin if the frame does not say.
pub(crate) fn axes(frame: &Frame, body: usize) -> (Mat3, Vec3) {
    frame.poses.get(body).map_or_else(
        || (Mat3::identity(), Vec3::zeros()),
        |pose| (matrix(&pose.place.rotation), pose.place.position),
    )
}

/// A place of a body in ground.
pub(crate) fn placed((turn, origin): &(Mat3, Vec3), place: &Place) -> (Mat3, Vec3) {
    (
        turn * matrix(&place.rotation),
        origin + turn * place.position,
    )
}

/// A point of a body in ground, deformed by `factor`.
pub fn point(frame: &Frame, point: &Point, factor: f64) -> Vec3 {
    let (turn, origin) = axes(frame, point.body);
    let mut place = point.position;
    if let Some(pose) = frame.poses.get(point.body) {
        for (mode, q) in point.modes.iter().zip(&pose.modal) {
            place += Vec3::from(mode.map(f64::from)) * (q * factor);
        }
    }
    origin + turn * place
}

/// Displacements of the corners of a soft body, then of those of its lines \[m\].
pub fn displacements(soft: &Soft, pose: &Pose) -> Vec<Vec3> {
    let lines: usize = soft.lines.iter().map(Vec::len).sum();
    let mut out = vec![Vec3::zeros(); soft.mesh.points.len() + lines];
    for (mode, &q) in soft.modes.iter().zip(&pose.modal) {
        for (sum, part) in out.iter_mut().zip(mode) {
            *sum += Vec3::from(part.map(f64::from)) * q;
        }
    }
    out
}

/// The surface of a soft body with displacements times a factor; its normals follow, and sharp edges stay sharp.
pub fn deformed(soft: &Soft, displacements: &[Vec3], factor: f64) -> Mesh {
    let mut mesh = soft.mesh.clone();
    for (p, d) in mesh.points.iter_mut().zip(displacements) {
        for k in 0..3 {
            p[k] = (f64::from(p[k]) + d[k] * factor) as f32;
        }
    }
    // the mean of the faces at a corner, weighted by their areas
    let mut sums = vec![Vec3::zeros(); mesh.points.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|k| Vec3::from(mesh.points[k as usize].map(f64::from)));
        let across = (b - a).cross(&(c - a));
        for &k in triangle {
            sums[k as usize] += across;
        }
    }
    for (normal, sum) in mesh.normals.iter_mut().zip(&sums) {
        if let Some(unit) = sum.try_normalize(0.0) {
            *normal = std::array::from_fn(|k| unit[k] as f32);
        }
    }
    mesh
}

/// Von-Mises stress at the corners of a soft body, if its stresses are known \[Pa\]:
/// √(½ ((σx−σy)² + (σy−σz)² + (σz−σx)²) + 3 (τxy² + τyz² + τzx²)).
pub fn von_mises(soft: &Soft, pose: &Pose) -> Option<Vec<f64>> {
    let stresses = soft.stresses.as_ref()?;
    let mut sums = vec![[0.0_f64; 6]; soft.mesh.points.len()];
    for (mode, &q) in stresses.iter().zip(&pose.modal) {
        for (sum, part) in sums.iter_mut().zip(mode) {
            for k in 0..6 {
                sum[k] += f64::from(part[k]) * q;
            }
        }
    }
    let of = |[xx, yy, zz, xy, yz, zx]: &[f64; 6]| {
        let square = |x: f64| x * x;
        let direct = square(xx - yy) + square(yy - zz) + square(zz - xx);
        (0.5 * direct + 3.0 * (xy * xy + yz * yz + zx * zx)).sqrt()
    };
    Some(sums.iter().map(of).collect())
}

/// A box along the axes of ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates \[m\].
    pub least: Vec3,
    /// The greatest coordinates \[m\].
    pub most: Vec3,
}

impl Bounds {
    /// A box without points.
    pub const EMPTY: Bounds = Bounds {
        least: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        most: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Grows around a point; one that is not finite is left out.
    pub fn add(&mut self, point: &Vec3) {
        if point.iter().all(|x| x.is_finite()) {
            self.least = self.least.inf(point);
            self.most = self.most.sup(point);
        }
    }

    /// Is there no point in it?
    pub fn is_empty(&self) -> bool {
        self.least[0] > self.most[0]
    }

    /// Its corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|n| {
            Vec3::from_fn(|k, _| {
                if n >> k & 1 == 0 {
                    self.least[k]
                } else {
                    self.most[k]
                }
            })
        })
    }
}

/// The boxes around what the bodies of a scene are made of, each in axes of its own, so that a box around a frame costs
/// little.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The number of the body and corners in its axes.
    corners: Vec<(usize, Vec<Vec3>)>,
    links: Vec<Link>,
}

impl Extent {
    /// Of all but roads, which may be far longer than what moves on them.
    pub fn of(scene: &Scene) -> Self {
        Self::chosen(scene, |origin| origin != Origin::Road)
    }

    /// Of solids of some origins, soft bodies and links.
    pub(crate) fn chosen(scene: &Scene, wanted: impl Fn(Origin) -> bool) -> Self {
        let mut corners = Vec::new();
        for (number, body) in scene.bodies.iter().enumerate() {
            for solid in body.solids.iter().filter(|solid| wanted(solid.origin)) {
                let mut bounds = Bounds::EMPTY;
                for p in &solid.mesh.points {
                    bounds.add(&Vec3::from_fn(|k, _| f64::from(p[k]) * solid.scale[k]));
                }
                if !bounds.is_empty() {
                    let place = (matrix(&solid.place.rotation), solid.place.position);
                    let around = hull(&bounds).into_iter().map(|p| place.1 + place.0 * p);
                    corners.push((number, around.collect()));
                }
            }
            if let Some(soft) = &body.soft {
                let mut bounds = Bounds::EMPTY;
                for p in soft.mesh.points.iter().chain(soft.lines.iter().flatten()) {
                    bounds.add(&Vec3::from(p.map(f64::from)));
                }
                if !bounds.is_empty() {
                    corners.push((number, bounds.corners().to_vec()));
                }
            }
        }
        let links = scene.links.clone();
        Extent { corners, links }
    }

    /// Points around all that is seen in a frame.
    pub fn points(&self, frame: &Frame) -> Vec<Vec3> {
        let mut out = Vec::new();
        for (body, corners) in &self.corners {
            let (turn, origin) = axes(frame, *body);
            out.extend(corners.iter().map(|p| origin + turn * p));
        }
        for link in &self.links {
            out.extend(link.points.iter().map(|p| point(frame, p, 1.0)));
        }
        out.retain(|p| p.iter().all(|x| x.is_finite()));
        out
    }
}

/// Points around what is in a box: not its corners, which a round solid does not reach, but those cut off by an octagon in
/// each of the three planes.
fn hull(bounds: &Bounds) -> Vec<Vec3> {
    let (middle, half) = (
        (bounds.least + bounds.most) * 0.5,
        (bounds.most - bounds.least) * 0.5,
    );
    let mut out = bounds.corners().to_vec();
    // a solid that is as long along two axes may be round about the third; boxes are seldom square
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let alike = |a: f64, b: f64| (a - b).abs() <= 0.02 * a.max(b);
        if alike(half[u], half[v]) && half[u] > 0.0 {
            out.clear();
            for n in 0..16 {
                let angle = TAU * f64::from(n) / 16.0;
                for side in [-1.0, 1.0] {
                    let mut p = middle;
                    p[u] += half[u] * cos(angle);
                    p[v] += half[v] * sin(angle);
                    p[axis] += side * half[axis];
                    out.push(p);
                }
            }
            break;
        }
    }
    out
}
