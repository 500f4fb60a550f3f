//! Control plane: surfaces from triangles and from heights.

use std::collections::{BTreeMap, BTreeSet};

use fixstep_kernel::math::{Vec3, acos, cos, held};

use super::builder::Builder;
use crate::scene::Mesh;

/// A surface from triangles. Those without an area are left out; corners in one place are one where the faces around it
/// bend by less than `crease` \[rad\] from each other.
pub fn from_triangles(triangles: &[[Vec3; 3]], crease: f64) -> Mesh {
    let mut known = BTreeMap::new();
    let mut faces = Vec::new();
    for triangle in triangles {
        let corners = triangle.map(|p| {
            let key: [u32; 3] = std::array::from_fn(|k| (p[k] as f32 + 0.0).to_bits());
            let next = known.len();
            *known.entry(key).or_insert(next)
        });
        let across = (triangle[1] - triangle[0]).cross(&(triangle[2] - triangle[0]));
        let longest = (0..3).fold(0.0, |most: f64, k| {
            most.max((triangle[(k + 1) % 3] - triangle[k]).norm_squared())
        });
        // thinner than single precision can tell
        if across.norm() > 1e-7 * longest && BTreeSet::from(corners).len() == 3 {
            faces.push((triangle, corners, across.normalize()));
        }
    }
    let mut around = vec![Vec::new(); known.len()];
    for (face, (triangle, corners, _)) in faces.iter().enumerate() {
        for k in 0..3 {
            let [a, b] = [1, 2].map(|j| (triangle[(k + j) % 3] - triangle[k]).normalize());
            around[corners[k]].push((face, acos(held(a.dot(&b), -1.0, 1.0))));
        }
    }
    let cosine = cos(crease);
    let mut builder = Builder::default();
    for (triangle, corners, own) in &faces {
        builder.triangle(std::array::from_fn(|k| {
            let mut sum = Vec3::zeros();
            for &(face, angle) in &around[corners[k]] {
                if faces[face].2.dot(own) > cosine {
                    sum += faces[face].2 * angle;
                }
            }
            (triangle[k], sum.try_normalize(1e-9).unwrap_or(*own))
        }));
    }
    builder.finish()
}

/// Heights over a grid as a solid: row by row from the origin, z = height, down to `bottom`, which is below all heights
/// \[m\]. Rows have equal lengths; fewer than two rows or columns give a surface without triangles.
pub fn height_map(origin: [f64; 2], spacing: [f64; 2], rows: &[Vec<f64>], bottom: f64) -> Mesh {
    let mut builder = Builder::default();
    let (count, columns) = (rows.len(), rows.first().map_or(0, Vec::len));
    if count < 2 || columns < 2 || rows.iter().any(|row| row.len() != columns) {
        return builder.finish();
    }
    let (m, n) = (count - 1, columns - 1);
    let at = |i: usize, j: usize| {
        let [x, y] = [
            origin[0] + spacing[0] * j as f64,
            origin[1] + spacing[1] * i as f64,
        ];
        Vec3::new(x, y, rows[i][j])
    };
    let down = |p: Vec3| Vec3::new(p[0], p[1], bottom);
    let top = |i: usize, j: usize| {
        let slope = |a: Vec3, b: Vec3, k: usize| (b[2] - a[2]) / (b[k] - a[k]);
        let along = slope(at(i, j.saturating_sub(1)), at(i, (j + 1).min(n)), 0);
        let across = slope(at(i.saturating_sub(1), j), at((i + 1).min(m), j), 1);
        (at(i, j), Vec3::new(-along, -across, 1.0).normalize())
    };
    for i in 0..m {
        for j in 0..n {
            builder.quad([top(i, j), top(i, j + 1), top(i + 1, j + 1), top(i + 1, j)]);
            let below = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            builder.quad(below.map(|p| (down(p), -Vec3::z())));
        }
    }
    let mut skirt = |a: Vec3, b: Vec3, normal: Vec3| {
        builder.quad([down(a), down(b), b, a].map(|p| (p, normal)));
    };
    for j in 0..n {
        skirt(at(0, j), at(0, j + 1), -Vec3::y());
        skirt(at(m, j + 1), at(m, j), Vec3::y());
    }
    for i in 0..m {
        skirt(at(i + 1, 0), at(i, 0), -Vec3::x());
        skirt(at(i, n), at(i + 1, n), Vec3::x());
    }
    builder.finish()
}
