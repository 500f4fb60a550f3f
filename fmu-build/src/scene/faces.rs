//! Control plane: the surface of a finite-element mesh, from its faces.

use fixstep_kernel::math::Vec3;
use fixstep_pictures::scene::Mesh;

/// Faces at a node that meet at less than this look round there: cosine of 30 degrees.
const ROUND: f64 = 0.866;
/// Faces beyond which a body is drawn by its lines.
pub(super) const MOST: usize = 60_000;

/// A surface: its corners, and the node of each.
pub(super) struct Surface {
    pub(super) mesh: Mesh,
    pub(super) nodes: Vec<usize>,
}

/// The faces between these places. A node at a sharp edge becomes a corner for each side of the edge.
pub(super) fn surface(faces: &[[usize; 4]], places: &[Vec3]) -> Surface {
    // Of each node: corners made so far, with the direction that they began with and the sum of those of their faces.
    let mut made: Vec<Vec<(u32, Vec3)>> = vec![Vec::new(); places.len()];
    let mut sums: Vec<Vec3> = Vec::new();
    let mut all = Surface {
        mesh: Mesh::default(),
        nodes: Vec::new(),
    };
    for face in faces {
        let at = face.map(|node| places[node]);
        // Twice the area along the normal, by the diagonals; of a triangle the last corner is there twice.
        let area = (at[2] - at[0]).cross(&(at[3] - at[1]));
        let normal = area.try_normalize(0.0).unwrap_or_default();
        let corners = face.map(|node| {
            let known = { made[node].iter() }.find(|(_, first)| first.dot(&normal) >= ROUND);
            let corner = known.map_or(sums.len() as u32, |(corner, _)| *corner);
            if known.is_none() {
                made[node].push((corner, normal));
                sums.push(Vec3::zeros());
                all.nodes.push(node);
                let place = places[node];
                all.mesh
                    .points
                    .push([place.x as f32, place.y as f32, place.z as f32]);
            }
            sums[corner as usize] += area;
            corner
        });
        all.mesh
            .triangles
            .push([corners[0], corners[1], corners[2]]);
        if face[2] != face[3] {
            all.mesh
                .triangles
                .push([corners[0], corners[2], corners[3]]);
        }
    }
    let unit = |sum: &Vec3| {
        let n = sum.try_normalize(0.0).unwrap_or_else(Vec3::z);
        [n.x as f32, n.y as f32, n.z as f32]
    };
    all.mesh.normals = sums.iter().map(unit).collect();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_corners_for_each_side_and_a_bent_plate_is_round() {
        let place = |k: usize| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
        let places: Vec<Vec3> = (0..8).map(place).collect();
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let found = surface(&faces, &places);
        assert_eq!((found.nodes.len(), found.mesh.triangles.len()), (24, 12));
        // Outwards.
        for (point, normal) in found.mesh.points.iter().zip(&found.mesh.normals) {
            let out: f32 = point.iter().zip(normal).map(|(p, n)| (p - 0.5) * n).sum();
            assert!((out - 0.5).abs() < 1e-6, "{point:?} {normal:?}");
        }
        // Two faces that meet at 11 degrees share two corners; a triangle is one.
        let bent = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.2]]
            .map(|[x, z]| [Vec3::new(x, 0.0, z), Vec3::new(x, 1.0, z)]);
        let found = surface(&[[0, 2, 3, 1], [2, 4, 5, 5]], &bent.concat());
        assert_eq!(found.nodes, [0, 2, 3, 1, 4, 5, 3][..6]);
        assert_eq!(found.mesh.triangles.len(), 3);
    }
}
