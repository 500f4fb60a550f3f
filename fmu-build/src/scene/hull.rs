//! Control plane: the convex hull of a few points.

use fixstep_kernel::math::Vec3;

/// Most points: the work grows with their fourth power.
const MOST: usize = 32;
/// Points nearer to a plane than this part of the size lie in it.
const FLAT: f64 = 1e-6;

/// Triangles around some points, anticlockwise seen from outside; none if the points lie in a plane, or are too many.
pub(super) fn hull(points: &[Vec3]) -> Vec<[Vec3; 3]> {
    let mut faces = Vec::new();
    if !(4..=MOST).contains(&points.len()) {
        return faces;
    }
    let size = points
        .iter()
        .map(|p| (p - points[0]).norm())
        .fold(0.0, f64::max);
    let count = points.len();
    let triples = (0..count)
        .flat_map(|a| (a + 1..count).flat_map(move |b| (b + 1..count).map(move |c| [a, b, c])));
    for [a, b, c] in triples {
        let [p, q, r] = [points[a], points[b], points[c]];
        let normal = (q - p).cross(&(r - p));
        let Some(normal) = normal.try_normalize(FLAT * size * size) else {
            continue;
        };
        let heights = || points.iter().map(|s| normal.dot(&(s - p)));
        let most = heights().fold(0.0, f64::max);
        let least = heights().fold(0.0, f64::min);
        if most < FLAT * size && least < -FLAT * size {
            faces.push([p, q, r]);
        } else if least > -FLAT * size && most > FLAT * size {
            faces.push([p, r, q]);
        }
    }
    faces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_is_around_its_points() {
        let corner = |k: usize| {
            let s = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vec3::new(s(0), 2.0 * s(1), 3.0 * s(2))
        };
        let mut points: Vec<Vec3> = (0..8).map(corner).collect();
        let volume = |faces: &[[Vec3; 3]]| -> f64 {
            faces.iter().map(|[a, b, c]| a.dot(&b.cross(c)) / 6.0).sum()
        };
        // A face of four corners is there twice: by each of its diagonals.
        assert!((volume(&hull(&points)) - 2.0 * 48.0).abs() < 1e-9);
        points.push(Vec3::new(0.2, 0.3, -0.4));
        assert!((volume(&hull(&points)) - 2.0 * 48.0).abs() < 1e-9);
        let tetrahedron = [points[0], points[3], points[5], points[6]];
        assert!((volume(&hull(&tetrahedron)) - 16.0).abs() < 1e-9);
        assert!(hull(&points[..4]).is_empty(), "in a plane");
    }
}
