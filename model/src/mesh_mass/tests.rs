//! Tests of what meshes enclose.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use fixstep_kernel::math::solid::SolidShape;
use fixstep_kernel::math::{cos, sin};
use std::f64::consts::{PI, TAU};

/// A box about a place, wound outward.
fn cuboid(size: [f64; 3], at: [f64; 3]) -> Triangles {
    let corner = |k: usize| {
        let side = |c: usize| if k >> c & 1 == 1 { 0.5 } else { -0.5 };
        [0, 1, 2].map(|c| at[c] + size[c] * side(c))
    };
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles = quads
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    ((0..8).map(corner).collect(), triangles.collect())
}

/// A closed surface over two angles, as a grid that closes in both directions, or has poles.
fn grid(n: usize, m: usize, place: impl Fn(f64, f64) -> [f64; 3]) -> Triangles {
    let mut vertices = Vec::new();
    for i in 0..n {
        for j in 0..m {
            vertices.push(place(i as f64 / n as f64, j as f64 / m as f64));
        }
    }
    let at = |i: usize, j: usize| (i % n) * m + j % m;
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, triangles)
}

/// Major and minor radius.
fn torus(n: usize, radius: f64, tube: f64) -> Triangles {
    grid(n, n, |u, v| {
        let (u, v) = (TAU * u, TAU * v);
        let across = radius + tube * cos(v);
        [across * cos(u), across * sin(u), tube * sin(v)]
    })
}

/// An octahedron whose triangles are divided and pushed onto the unit sphere.
fn sphere(levels: usize) -> Triangles {
    let tips: [Vec3; 6] = [
        Vec3::x(),
        Vec3::y(),
        Vec3::z(),
        -Vec3::x(),
        -Vec3::y(),
        -Vec3::z(),
    ];
    let faces = [
        [0, 1, 2],
        [1, 3, 2],
        [3, 4, 2],
        [4, 0, 2],
        [1, 0, 5],
        [3, 1, 5],
        [4, 3, 5],
        [0, 4, 5],
    ];
    let mut all: Vec<[Vec3; 3]> = faces.iter().map(|f| f.map(|k| tips[k])).collect();
    for _ in 0..levels {
        let divide = |[a, b, c]: &[Vec3; 3]| {
            let middle = |p: &Vec3, q: &Vec3| (p + q).normalize();
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
        };
        all = all.iter().flat_map(divide).collect();
    }
    let vertices = all.as_flattened().iter().map(|x| (*x).into()).collect();
    let triangles = (0..all.len()).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
    (vertices, triangles.collect())
}

fn of(mesh: &Triangles) -> Summary {
    summary(mesh, 1.0, false).unwrap()
}

#[test]
fn a_box_and_a_tetrahedron_are_exact() {
    let found = of(&cuboid([1.0, 0.6, 0.4], [3.0, -2.0, 5.0]));
    let wanted = SolidShape::Box.properties(1.0, &[1.0, 0.6, 0.4]).unwrap();
    assert!((found.whole.mass - 0.24).abs() < 1e-15);
    assert!((found.whole.center - Vec3::new(3.0, -2.0, 5.0)).norm() < 1e-15);
    assert!((found.whole.inertia - wanted.inertia).abs().max() < 1e-15);
    assert!((found.area - 2.0 * (0.6 + 0.4 + 0.24)).abs() < 1e-14);
    assert_eq!(
        (found.triangles, found.flat, found.shells.len()),
        (12, 0, 1)
    );
    // Tonon (2004), section 4: a tetrahedron with these corners, about its centroid; his products b' and c' are those of
    // xz and xy.
    let corners = [
        [8.332_20, -11.868_75, 0.933_55],
        [0.755_23, 5.000_00, 16.370_72],
        [52.612_36, 5.000_00, -5.385_80],
        [2.000_00, 5.000_00, 3.000_00],
    ];
    let mesh = (
        corners.to_vec(),
        vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    );
    let found = match summary(&mesh, 1.0, false) {
        Err(MeshFault::Inward(_)) => {
            let turned = mesh.1.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
            of(&(mesh.0, turned))
        }
        found => found.unwrap(),
    };
    let i = &found.whole.inertia;
    let near = |found: f64, wanted: f64| {
        assert!((found / wanted - 1.0).abs() < 3e-6, "{found} {wanted}");
    };
    near(found.whole.center.x, 15.924_92);
    near(found.whole.center.y, 0.782_812_5);
    near(found.whole.center.z, 3.729_62);
    near(i[(0, 0)], 43_520.332_57);
    near(i[(1, 1)], 194_711.289_38);
    near(i[(2, 2)], 191_168.761_73);
    near(i[(1, 2)], -4_417.661_50);
    near(i[(0, 2)], 46_343.166_62);
    near(i[(0, 1)], -11_996.201_19);
}

#[test]
fn spheres_converge_with_the_square_of_the_edge() {
    let exact = SolidShape::Sphere.properties(1.0, &[1.0]).unwrap();
    let error = |levels| {
        let found = of(&sphere(levels)).whole;
        let mass = 1.0 - found.mass / exact.mass;
        let inertia = 1.0 - found.inertia[(2, 2)] / exact.inertia[(2, 2)];
        [mass, inertia]
    };
    let errors = [2, 3, 4, 5].map(error);
    for pair in errors.windows(2) {
        for (coarse, fine) in pair[0].iter().zip(pair[1]) {
            let ratio = coarse / fine;
            assert!((3.7..4.3).contains(&ratio), "{errors:?}");
        }
    }
    assert!(errors[3][0] < 3e-3 && errors[3][0] > 0.0, "{errors:?}");
}

#[test]
fn a_torus_converges_to_pappus() {
    let (radius, tube) = (0.8_f64, 0.3);
    let volume = 2.0 * PI * PI * radius * tube * tube;
    let polar = volume * (radius * radius + 0.75 * tube * tube);
    let across = volume * (radius * radius / 2.0 + 0.625 * tube * tube);
    let error = |n: usize| {
        let found = of(&torus(n, radius, tube)).whole;
        [
            1.0 - found.mass / volume,
            1.0 - found.inertia[(2, 2)] / polar,
            1.0 - found.inertia[(0, 0)] / across,
        ]
    };
    let errors = [20, 40, 80].map(error);
    for pair in errors.windows(2) {
        for (coarse, fine) in pair[0].iter().zip(pair[1]) {
            assert!((3.9..4.1).contains(&(coarse / fine)), "{errors:?}");
        }
    }
    assert!(errors[2].iter().all(|e| e.abs() < 4e-3), "{errors:?}");
}

/// Two meshes in one.
fn both(a: &Triangles, b: &Triangles) -> Triangles {
    let first = a.0.len();
    let vertices = a.0.iter().chain(&b.0).copied().collect();
    let moved = b.1.iter().map(|t| t.map(|k| k + first));
    (vertices, a.1.iter().copied().chain(moved).collect())
}

fn turned_over(mesh: &Triangles) -> Triangles {
    let turned = mesh.1.iter().map(|[a, b, c]| [*a, *c, *b]);
    (mesh.0.clone(), turned.collect())
}

#[test]
fn shells_add_up_and_cavities_are_taken_away() {
    let outer = cuboid([1.0, 1.0, 1.0], [0.0; 3]);
    let inner = cuboid([0.5, 0.4, 0.3], [0.1, 0.0, 0.0]);
    let hollow = of(&both(&outer, &turned_over(&inner)));
    assert!((hollow.whole.mass - 0.94).abs() < 1e-15);
    assert!((hollow.whole.center.x + 0.006 / 0.94).abs() < 1e-15);
    assert_eq!(hollow.shells.len(), 2);
    assert!((hollow.shells[1] + 0.06).abs() < 1e-15);
    let apart = of(&both(&outer, &cuboid([1.0; 3], [3.0, 0.0, 0.0])));
    assert!((apart.whole.mass - 2.0).abs() < 1e-15);
    assert!((apart.whole.inertia[(2, 2)] - 2.0 * (1.0 / 6.0 + 2.25)).abs() < 1e-14);
}

#[test]
fn scale_and_mirror_act_as_they_should() {
    let mesh = both(
        &cuboid([2.0, 3.0, 4.0], [7.0, 5.0, 1.0]),
        &cuboid([1.0; 3], [-3.0, 2.0, 0.0]),
    );
    let (one, small) = (of(&mesh), summary(&mesh, 1e-3, false).unwrap());
    assert!((small.whole.mass / one.whole.mass / 1e-9 - 1.0).abs() < 1e-14);
    let scaled = one.whole.inertia * 1e-15;
    assert!((small.whole.inertia - scaled).abs().max() < 1e-14 * scaled.max());
    let mirrored = summary(&mesh, 1.0, true).unwrap();
    let m = Mat3::from_diagonal(&Vec3::new(1.0, -1.0, 1.0));
    assert!((mirrored.whole.center - m * one.whole.center).norm() < 1e-14);
    let wanted = m * one.whole.inertia * m;
    assert!((mirrored.whole.inertia - wanted).abs().max() < 1e-11);
}

#[test]
fn what_encloses_nothing_is_refused() {
    let whole = cuboid([1.0; 3], [0.0; 3]);
    let said = |mesh: &Triangles| summary(mesh, 1.0, false).unwrap_err().to_string();
    let mut open = whole.clone();
    open.1.pop();
    assert!(
        said(&open).contains("is not closed: 3 edges"),
        "{}",
        said(&open)
    );
    let mut wound = whole.clone();
    wound.1[0].swap(1, 2);
    assert!(
        said(&wound).contains("wound in opposite ways: 3 edges"),
        "{}",
        said(&wound)
    );
    let inward = said(&turned_over(&whole));
    assert!(inward.contains("inside out: its volume is -1"), "{inward}");
    let flat = (
        vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        vec![[0, 1, 2], [0, 2, 1]],
    );
    assert_eq!(said(&flat), "encloses no volume");
    assert_eq!(said(&(Vec::new(), Vec::new())), "has no triangles");
}

#[test]
fn corners_that_differ_by_rounding_are_one() {
    let mut mesh = cuboid([1.0; 3], [0.0; 3]);
    // Every triangle with corners of its own, as in STL, some a little off.
    let corners: Vec<[f64; 3]> = mesh.1.as_flattened().iter().map(|k| mesh.0[*k]).collect();
    mesh.1 = (0..12).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    mesh.0 = corners;
    assert_eq!(of(&mesh).shells.len(), 1);
    mesh.0[7][1] += 1e-8;
    let found = of(&mesh);
    assert!((found.whole.mass - 1.0).abs() < 1e-7 && found.shells.len() == 1);
    mesh.0[7][1] += 1e-3;
    let fault = summary(&mesh, 1.0, false);
    assert!(matches!(fault, Err(MeshFault::Open { .. })));
}

#[test]
fn triangles_without_area_do_no_harm() {
    let mut mesh = cuboid([1.0; 3], [0.0; 3]);
    // The edge from 0 to 1 gets a point in its middle on one side, and a flat triangle that closes it.
    let middle = mesh.0.len();
    mesh.0.push([0.0, -0.5, -0.5]);
    let at = mesh.1.iter().position(|t| *t == [0, 1, 5]).unwrap();
    mesh.1[at] = [0, middle, 5];
    mesh.1.extend([[middle, 1, 5], [0, 1, middle]]);
    let found = of(&mesh);
    assert!((found.whole.mass - 1.0).abs() < 1e-15);
    assert_eq!(found.flat, 1);
}
