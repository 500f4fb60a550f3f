//! Tests of distances from a box and a ball of triangles, against closed forms and brute force.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

/// A box with these half edges, 12 triangles.
fn brick(half: &Vec3) -> (Vec<Vec3>, Vec<[usize; 3]>) {
    let corner = |k: usize| {
        let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
        half.component_mul(&Vec3::new(sign(1), sign(2), sign(4)))
    };
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let faces = quads
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    ((0..8).map(corner).collect(), faces.collect())
}

/// Signed distance from a box.
fn from_box(p: &Vec3, half: &Vec3) -> f64 {
    let beyond = p.abs() - half;
    beyond.map(|b| b.max(0.0)).norm() + beyond.max().min(0.0)
}

/// Points in all directions, from a Weyl sequence.
fn places(count: usize, size: f64) -> impl Iterator<Item = Vec3> {
    (1..=count).map(move |k| {
        let part = |step: f64| 2.0 * (k as f64 * step).fract() - 1.0;
        Vec3::new(part(0.819_173), part(0.671_044), part(0.549_700)) * size
    })
}

#[test]
fn a_box_of_triangles_is_a_box() {
    let half = Vec3::new(0.5, 0.3, 0.2);
    let (vertices, faces) = brick(&half);
    let mesh = Mesh::new(&vertices, &faces, 0.25, 12).unwrap();
    let mut found = 0;
    for p in places(3000, 0.9) {
        let wanted = from_box(&p, &half);
        match mesh.nearest(&p) {
            Some(near) => {
                found += 1;
                assert!(
                    (near.distance - wanted).abs() < 1e-12,
                    "{p} {near:?} {wanted}"
                );
            }
            None => assert!(wanted.abs() > 0.25, "{p} {wanted}"),
        }
    }
    assert!(found > 500);
}

#[test]
fn the_normal_is_the_gradient_and_the_turn_is_its() {
    let (vertices, faces) = brick(&Vec3::new(0.5, 0.3, 0.2));
    let mesh = Mesh::new(&vertices, &faces, 0.25, 12).unwrap();
    let h = 1e-6;
    let mut kinds = [0; 2];
    for p in places(2000, 0.7) {
        let Some(near) = mesh.nearest(&p) else {
            continue;
        };
        for k in 0..3 {
            let mut step = Vec3::zeros();
            step[k] = h;
            let (Some(a), Some(b)) = (mesh.nearest(&(p + step)), mesh.nearest(&(p - step))) else {
                continue;
            };
            let slope = (a.distance - b.distance) / (2.0 * h);
            let turn = (a.normal - b.normal) / (2.0 * h);
            // Inside the box, where the nearest face changes, there is no gradient.
            if (a.normal - b.normal).norm() < 1e-4 {
                assert!((slope - near.normal[k]).abs() < 1e-6, "{p} {near:?}");
                let error = (turn - near.turn.column(k)).norm();
                let smooth = error < 1e-3 * (1.0 + turn.norm());
                kinds[usize::from(smooth)] += 1;
            }
        }
    }
    // Where the nearest point moves from a face to an edge, the gradient of the normal jumps; that is rare.
    assert!(kinds[1] > 1000 && kinds[0] < 10, "{kinds:?}");
}

/// An octahedron, subdivided repeatedly, with vertices on the unit sphere.
fn ball(times: usize) -> (Vec<Vec3>, Vec<[usize; 3]>) {
    let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
    let mut soup = Vec::new();
    for (a, b, c) in [(x, y, z), (y, -x, z), (-x, -y, z), (-y, x, z)] {
        soup.push([a, b, c]);
        let down = |v: Vec3| Vec3::new(v.x, v.y, -v.z);
        soup.push([down(b), down(a), down(c)]);
    }
    for _ in 0..times {
        let cut = |[a, b, c]: [Vec3; 3]| {
            let middle = |p: Vec3, q: Vec3| (p + q).normalize();
            let (d, e, f) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
        };
        soup = soup.into_iter().flat_map(cut).collect();
    }
    let count = soup.len();
    let faces = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    (soup.into_iter().flatten().collect(), faces)
}

#[test]
fn a_look_up_finds_what_a_search_of_all_triangles_finds() {
    let (vertices, faces) = ball(4);
    assert_eq!(faces.len(), 2048);
    let mesh = Mesh::new(&vertices, &faces, 0.2, 64).unwrap();
    for p in places(2000, 1.3) {
        let all = mesh.triangles.iter().map(|t| t.foot(&p).0);
        let wanted = all.fold(f64::INFINITY, f64::min).sqrt();
        if let Some(near) = mesh.nearest(&p) {
            let outside = if p.norm() < 0.995 { -wanted } else { wanted };
            if (p.norm() - 1.0).abs() > 0.01 {
                assert!(
                    (near.distance - outside).abs() < 1e-12,
                    "{p} {near:?} {wanted}"
                );
            }
            assert!(
                (near.distance - (p.norm() - 1.0)).abs() < 6e-3,
                "{p} {near:?}"
            );
        } else {
            assert!(wanted > 0.2, "{p} {wanted}");
        }
    }
    assert!(mesh.candidates() <= 64, "{}", mesh.candidates());
}

#[test]
fn meshes_that_are_of_no_use() {
    let (vertices, faces) = brick(&Vec3::repeat(0.5));
    let flat = vec![[0, 0, 1]];
    assert_eq!(Mesh::new(&vertices, &flat, 0.1, 9), Err(MeshError::Empty));
    let torn = vec![[0, 1, 8]];
    assert_eq!(
        Mesh::new(&vertices, &torn, 0.1, 9),
        Err(MeshError::Corner(0))
    );
    let few = Mesh::new(&vertices, &faces, 0.1, 3);
    assert!(matches!(few, Err(MeshError::Budget(_, 3))), "{few:?}");
}
