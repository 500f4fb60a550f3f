//! Control plane: triangles with normals, collected into a surface.

use std::collections::BTreeMap;

use fixstep_kernel::math::Vec3;

use crate::scene::Mesh;

/// A corner and the outward direction there, of length 1.
pub(super) type Corner = (Vec3, Vec3);

/// A surface that grows.
#[derive(Default)]
pub(super) struct Builder {
    mesh: Mesh,
    known: BTreeMap<[u32; 6], u32>,
}

impl Builder {
    /// A triangle, anticlockwise seen from outside; one with two corners in one place is left out.
    pub(super) fn triangle(&mut self, corners: [Corner; 3]) {
        let places = corners.map(|(point, _)| rounded(&point));
        if places[0] == places[1] || places[1] == places[2] || places[2] == places[0] {
            return;
        }
        let triangle = corners.map(|corner| self.corner(&corner));
        self.mesh.triangles.push(triangle);
    }

    /// Four corners, anticlockwise seen from outside.
    pub(super) fn quad(&mut self, [a, b, c, d]: [Corner; 4]) {
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    /// Flat corners with one normal.
    pub(super) fn flat(&mut self, corners: [Vec3; 3], normal: &Vec3) {
        self.triangle(corners.map(|point| (point, *normal)));
    }

    /// All of another surface, moved.
    pub(super) fn add(&mut self, mesh: &Mesh, moved: impl Fn(&Vec3) -> Vec3) {
        let origin = moved(&Vec3::zeros());
        for triangle in &mesh.triangles {
            self.triangle(triangle.map(|k| {
                let wide = |v: [f32; 3]| Vec3::from(v.map(f64::from));
                let point = moved(&wide(mesh.points[k as usize]));
                (point, moved(&wide(mesh.normals[k as usize])) - origin)
            }));
        }
    }

    /// The surface.
    pub(super) fn finish(self) -> Mesh {
        self.mesh
    }

    fn corner(&mut self, (point, normal): &Corner) -> u32 {
        let (point, normal) = (rounded(point), rounded(normal));
        let key = std::array::from_fn(|k| {
            let value = if k < 3 { point[k] } else { normal[k - 3] };
            value.to_bits()
        });
        let mesh = &mut self.mesh;
        *self.known.entry(key).or_insert_with(|| {
            mesh.points.push(point);
            mesh.normals.push(normal);
            mesh.points.len() as u32 - 1
        })
    }
}

/// In single precision, without negative zeros.
fn rounded(v: &Vec3) -> [f32; 3] {
    std::array::from_fn(|k| v[k] as f32 + 0.0)
}

/// A cube of edge 1.
pub(super) fn cube() -> Mesh {
    let mut builder = Builder::default();
    for k in 0..3 {
        for side in [-0.5, 0.5] {
            let axis = |j: usize| Vec3::from_fn(|row, _| if row == j % 3 { 1.0 } else { 0.0 });
            let (normal, u, v) = (
                axis(k) * (2.0 * side),
                axis(k + 1),
                axis(k + 2) * (2.0 * side),
            );
            let at = |a: f64, b: f64| (normal * 0.5 + u * a + v * b, normal);
            builder.quad([at(-0.5, -0.5), at(0.5, -0.5), at(0.5, 0.5), at(-0.5, 0.5)]);
        }
    }
    builder.finish()
}

/// The normals at the two ends of a piece of a line in a plane: its own, or the mean with its neighbour's where the line
/// bends by less than an angle, whose cosine is given.
pub(super) fn ends(
    own: [f64; 2],
    before: Option<[f64; 2]>,
    after: Option<[f64; 2]>,
    cosine: f64,
) -> [[f64; 2]; 2] {
    [before, after].map(|neighbour| match neighbour {
        Some(n) if n[0] * own[0] + n[1] * own[1] > cosine => unit([own[0] + n[0], own[1] + n[1]]),
        _ => own,
    })
}

/// Scaled to length 1.
pub(super) fn unit([x, y]: [f64; 2]) -> [f64; 2] {
    let length = (x * x + y * y).sqrt();
    if length > 0.0 {
        [x / length, y / length]
    } else {
        [0.0, 0.0]
    }
}

/// Twice the area inside a closed line in a plane, positive if it is anticlockwise.
pub(super) fn doubled_area(line: &[[f64; 2]]) -> f64 {
    let mut sum = 0.0;
    for (k, p) in line.iter().enumerate() {
        let q = line[(k + 1) % line.len()];
        sum += p[0] * q[1] - p[1] * q[0];
    }
    sum
}
