//! Surfaces of shapes against closed forms, and that each is closed and turned outwards.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use fixstep_kernel::math::{Vec3, cos, sin};
use fixstep_pictures::scene::Mesh;
use fixstep_pictures::solids::{self, AROUND, CREASE, Curve, Detail, Piece, Section};

fn wide(p: [f32; 3]) -> Vec3 {
    Vec3::from(p.map(f64::from))
}

fn corners(mesh: &Mesh, triangle: &[u32; 3]) -> [Vec3; 3] {
    triangle.map(|k| wide(mesh.points[k as usize]))
}

/// By the divergence theorem.
pub(crate) fn volume(mesh: &Mesh) -> f64 {
    let six = mesh.triangles.iter().map(|t| {
        let [a, b, c] = corners(mesh, t);
        a.dot(&b.cross(&c))
    });
    six.sum::<f64>() / 6.0
}

fn area(mesh: &Mesh) -> f64 {
    let doubled = mesh.triangles.iter().map(|t| {
        let [a, b, c] = corners(mesh, t);
        (b - a).cross(&(c - a)).norm()
    });
    doubled.sum::<f64>() / 2.0
}

/// The places of corners, and triangles of them.
fn welded(mesh: &Mesh) -> (usize, Vec<[usize; 3]>) {
    let mut known = BTreeMap::new();
    let triangles = mesh.triangles.iter().map(|t| {
        t.map(|k| {
            let key = mesh.points[k as usize].map(f32::to_bits);
            let next = known.len();
            *known.entry(key).or_insert(next)
        })
    });
    let triangles = triangles.collect();
    (known.len(), triangles)
}

/// Closed: each edge once in each direction. Outward: each connected part has a positive volume. Normals have length 1
/// and are on the side of their triangle. Returns the Euler characteristic.
fn characteristic(name: &str, mesh: &Mesh) -> i64 {
    assert_eq!(mesh.points.len(), mesh.normals.len(), "{name}");
    let (places, triangles) = welded(mesh);
    let mut edges = BTreeMap::new();
    for t in &triangles {
        for k in 0..3 {
            *edges.entry((t[k], t[(k + 1) % 3])).or_insert(0) += 1;
        }
    }
    for (&(a, b), &count) in &edges {
        assert_eq!(count, 1, "{name}: edge {a} {b}");
        assert_eq!(
            edges.get(&(b, a)),
            Some(&1),
            "{name}: other side of {a} {b}"
        );
    }
    // connected parts
    let mut part: Vec<usize> = (0..places).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for t in &triangles {
            let least = t.iter().map(|&k| part[k]).min().unwrap();
            for &k in t {
                changed |= part[k] != least;
                part[k] = least;
            }
        }
    }
    let mut volumes: BTreeMap<usize, f64> = BTreeMap::new();
    for (t, stored) in triangles.iter().zip(&mesh.triangles) {
        let [a, b, c] = corners(mesh, stored);
        *volumes.entry(part[t[0]]).or_default() += a.dot(&b.cross(&c));
        let across = (b - a).cross(&(c - a));
        for &k in stored {
            let normal = wide(mesh.normals[k as usize]);
            assert!(
                (normal.norm() - 1.0).abs() < 1e-6,
                "{name}: normal {normal}"
            );
            assert!(
                normal.dot(&across) > 0.0,
                "{name}: normal {normal} on {a} {b} {c}"
            );
        }
    }
    assert!(volumes.values().all(|&v| v > 0.0), "{name}: {volumes:?}");
    places as i64 - edges.len() as i64 / 2 + triangles.len() as i64
}

#[track_caller]
fn near(got: f64, expected: f64, part: f64) {
    assert!(
        (got - expected).abs() <= part * expected.abs(),
        "{got} instead of {expected}"
    );
}

fn scaled(piece: &Piece) -> Mesh {
    let mut mesh = (*piece.mesh).clone();
    for p in &mut mesh.points {
        for k in 0..3 {
            p[k] = (f64::from(p[k]) * piece.scale[k]) as f32;
        }
    }
    mesh
}

/// The area of a regular polygon in a circle of radius 1, which takes the place of π.
fn polygon(n: usize) -> f64 {
    n as f64 / 2.0 * sin(TAU / n as f64)
}

/// Names, surfaces, and their Euler characteristics: outlines.
fn outlines() -> Vec<(&'static str, Mesh, i64)> {
    let circle: Vec<[f64; 2]> = (0..24)
        .map(|k| TAU * f64::from(k) / 24.0)
        .map(|a| [cos(a), sin(a)])
        .collect();
    let hole = |x: f64, y: f64| {
        circle
            .iter()
            .map(|p| [x + 0.2 * p[0], y + 0.2 * p[1]])
            .collect::<Vec<_>>()
    };
    let frame = [[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0]];
    let holes = [
        hole(-1.2, 0.3),
        hole(0.0, -0.4),
        hole(0.0, 0.4),
        hole(1.3, 0.0),
    ];
    let gear: Vec<[f64; 2]> = (0..60)
        .map(|k| {
            let r = if k % 4 < 2 { 1.0 } else { 0.8 };
            [
                r * cos(TAU * f64::from(k) / 60.0),
                r * sin(TAU * f64::from(k) / 60.0),
            ]
        })
        .collect();
    vec![
        (
            "frame with 4 holes",
            solids::extrusion(&frame, &holes, 0.3, CREASE).unwrap(),
            2 - 2 * 4,
        ),
        (
            "gear",
            solids::extrusion(&gear, &[], 0.3, CREASE).unwrap(),
            2,
        ),
    ]
}

/// Names, surfaces, and their Euler characteristics: all other shapes.
fn shapes() -> Vec<(&'static str, Mesh, i64)> {
    let rows: Vec<Vec<f64>> = (0..7)
        .map(|i| {
            (0..9)
                .map(|j| sin(f64::from(i)) * cos(f64::from(j)))
                .collect()
        })
        .collect();
    let way = [
        Vec3::zeros(),
        Vec3::new(0.0, 0.0, 1.0),
        Vec3::new(1.0, 0.1, 1.3),
        Vec3::new(0.7, 1.0, 1.1),
    ];
    let [body, rod] = solids::damper(0.5, 0.03, 0.25);
    vec![
        ("block", scaled(&solids::block([1.0, 2.0, 3.0])), 2),
        ("sphere", scaled(&solids::sphere(0.3)), 2),
        ("ellipsoid", scaled(&solids::ellipsoid([1.0, 2.0, 0.5])), 2),
        ("cylinder", scaled(&solids::cylinder(0.2, 1.0)), 2),
        ("cone", scaled(&solids::cone(0.2, 1.0)), 2),
        ("frustum", solids::frustum(0.3, 0.1, 1.0), 2),
        ("tube", solids::tube(0.3, 0.2, 1.0), 0),
        ("capsule", solids::capsule(0.1, 1.0), 2),
        ("capsule without length", solids::capsule(0.1, 0.0), 2),
        (
            "coarse capsule",
            solids::capsule_of(0.1, 1.0, Detail::Coarse),
            2,
        ),
        (
            "coarse tube",
            solids::tube_of(0.3, 0.2, 1.0, Detail::Coarse),
            0,
        ),
        (
            "coarse sphere",
            scaled(&solids::ellipsoid_of([0.3; 3], Detail::Coarse)),
            2,
        ),
        ("plate", solids::plate(2.0, 1.0, 0.1, 0.2), 2),
        ("plate, square", solids::plate(2.0, 1.0, 0.1, 0.0), 2),
        ("plate, round", solids::plate(1.0, 1.0, 0.1, 5.0), 2),
        ("I", solids::i_bar(0.2, 0.1, 0.02, 1.0), 2),
        ("arrow", solids::arrow(1.0, 0.02), 2),
        ("short arrow", solids::arrow(0.01, 0.02), 2),
        ("torque arrow", solids::torque_arrow(0.2, 0.01), 4),
        ("coil", solids::coil(0.5, 0.1, 0.01, 7), 2),
        ("damper, tube", body, 2),
        ("damper, rod", rod, 2),
        ("rope", solids::rope(&way, 0.05), 6),
        ("sweep", solids::sweep(&way, 0.05, 12), 2),
        (
            "height map",
            solids::height_map([0.0, 0.0], [1.0, 0.5], &rows, -2.0),
            2,
        ),
        ("tyre", solids::tyre(0.32, 0.2, 0.2), 60 * 2),
        ("rim", solids::rim(0.2, 0.18, 5), 2 + 5 * 2),
    ]
}

#[test]
fn all_are_closed_and_outward() {
    for (name, mesh, expected) in outlines().iter().chain(&shapes()) {
        assert!(!mesh.triangles.is_empty(), "{name}");
        assert_eq!(characteristic(name, mesh), *expected, "{name}");
        assert!(solids::is_closed(mesh), "{name}");
        let mut open = mesh.clone();
        open.triangles.pop();
        assert!(!solids::is_closed(&open), "{name}");
    }
}

#[test]
fn volumes_and_areas_are_those_of_the_shapes() {
    let p = polygon(AROUND);
    let block = scaled(&solids::block([1.0, 2.0, 3.0]));
    near(volume(&block), 6.0, 1e-7);
    near(area(&block), 22.0, 1e-7);

    let cylinder = scaled(&solids::cylinder(0.5, 3.0));
    near(volume(&cylinder), p * 0.25 * 3.0, 1e-6);
    let side = 2.0 * AROUND as f64 * sin(PI / AROUND as f64) * 0.5 * 3.0;
    near(area(&cylinder), side + 2.0 * p * 0.25, 1e-6);

    near(
        volume(&solids::frustum(0.5, 0.2, 3.0)),
        p * (0.25 + 0.1 + 0.04),
        1e-6,
    );
    near(volume(&scaled(&solids::cone(0.5, 3.0))), p * 0.25, 1e-6);
    near(
        volume(&solids::tube(0.5, 0.3, 3.0)),
        p * (0.25 - 0.09) * 3.0,
        1e-6,
    );
    near(volume(&solids::plate(2.0, 1.0, 0.1, 0.0)), 0.2, 1e-6);
    // corners are polygons of 32 sides
    near(
        volume(&solids::plate(2.0, 1.0, 0.1, 0.2)),
        (2.0 - 0.16 + polygon(32) * 0.04) * 0.1,
        1e-6,
    );
    near(
        volume(&solids::i_bar(0.2, 0.1, 0.02, 1.0)),
        0.2 * 0.1 - 0.16 * 0.08,
        1e-6,
    );

    // these approach the smooth shape from inside
    let sphere = scaled(&solids::sphere(2.0));
    let whole = 4.0 / 3.0 * PI * 8.0;
    assert!(volume(&sphere) < whole);
    near(volume(&sphere), whole, 0.024);
    near(area(&sphere), 16.0 * PI, 0.024);
    near(
        volume(&scaled(&solids::ellipsoid([1.0, 2.0, 0.5]))),
        4.0 / 3.0 * PI,
        0.024,
    );
    near(
        volume(&solids::capsule(0.5, 2.0)),
        PI * 0.25 * 2.0 + PI / 6.0,
        0.02,
    );
    // a wire of 8 sides along a helix of 18 chords for each turn, mitred where they meet
    let wire = polygon(8) * 1e-4;
    let chords = sin(PI / 18.0) / (PI / 18.0) * cos(PI / 18.0);
    near(
        volume(&solids::coil(0.02, 0.1, 0.01, 5)),
        5.0 * TAU * 0.1 * wire * chords,
        2e-3,
    );
}

#[test]
fn revolution_agrees_with_pappus() {
    // volume and area of a ring: the way of the centre of its section
    let section: Vec<[f64; 2]> = (0..64)
        .map(|k| TAU * f64::from(k) / 64.0)
        .map(|a| [1.0 + 0.3 * cos(a), 0.3 * sin(a)])
        .collect();
    let ring = solids::revolution(&section, Curve::Closed, 128, CREASE);
    assert_eq!(characteristic("ring", &ring), 0);
    near(volume(&ring), TAU * PI * 0.09, 3e-3);
    near(area(&ring), TAU * TAU * 0.3, 3e-3);
    // either way round
    let mut other = section.clone();
    other.reverse();
    let other = solids::revolution(&other, Curve::Closed, 128, CREASE);
    near(volume(&other), volume(&ring), 1e-6);
    assert!(
        solids::revolution(&[[0.0, 0.0], [1.0, 0.0]], Curve::Open, 8, CREASE)
            .triangles
            .is_empty()
    );
}

#[test]
fn holes_are_cut_out() {
    let square = |s: f64, x: f64| vec![[x - s, -s], [x + s, -s], [x + s, s], [x - s, s]];
    let outline = square(1.0, 0.0);
    let mut turned = outline.clone();
    turned.reverse();
    for outline in [outline, turned] {
        let holes = [square(0.2, -0.5), square(0.3, 0.4)];
        let solid = solids::extrusion(&outline, &holes, 2.0, CREASE).unwrap();
        near(volume(&solid), 2.0 * (4.0 - 0.16 - 0.36), 1e-6);
        assert_eq!(characteristic("two holes", &solid), -2);
    }
    // a comb, whose corners stand in lines, and a corner on a straight edge
    let mut comb = vec![[0.0, 0.0], [4.5, 0.0], [9.0, 0.0]];
    for k in (0..5).rev() {
        let x = 2.0 * f64::from(k);
        comb.extend([[x + 1.0, 3.0], [x, 3.0], [x, 1.0], [x - 1.0, 1.0]]);
    }
    comb.truncate(comb.len() - 2);
    let solid = solids::extrusion(&comb, &[], 1.0, CREASE).unwrap();
    assert_eq!(characteristic("comb", &solid), 2);
    near(volume(&solid), 9.0 + 5.0 * 2.0, 1e-6);
    // crossing lines are no outline
    assert!(
        solids::extrusion(
            &[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.5]],
            &[],
            1.0,
            CREASE
        )
        .is_none()
    );
    assert!(solids::extrusion(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], &[], 1.0, CREASE).is_none());
    let outside = square(0.2, 5.0);
    assert!(solids::extrusion(&square(1.0, 0.0), &[outside], 1.0, CREASE).is_none());
}

#[test]
fn normals_are_sharp_on_edges_and_round_elsewhere() {
    let ball = scaled(&solids::sphere(1.0));
    for (p, n) in ball.points.iter().zip(&ball.normals) {
        assert!((wide(*p) - wide(*n)).norm() < 1e-6, "{p:?} {n:?}");
    }
    // each place of a cube has three corners, each of a cylinder's rims two
    assert_eq!(scaled(&solids::block([1.0; 3])).points.len(), 24);
    let cylinder = scaled(&solids::cylinder(1.0, 1.0));
    assert_eq!(cylinder.points.len(), 4 * AROUND + 2);
    for n in &cylinder.normals {
        assert!(n[2].abs() < 1e-6 || (n[2].abs() - 1.0).abs() < 1e-6);
    }
    // raw triangles: a cube stays sharp, an octahedron of a sphere becomes round
    let raw = |mesh: &Mesh| {
        mesh.triangles
            .iter()
            .map(|t| corners(mesh, t))
            .collect::<Vec<_>>()
    };
    let cube = raw(&scaled(&solids::block([1.0; 3])));
    let again = solids::from_triangles(&cube, CREASE);
    assert_eq!(characteristic("raw cube", &again), 2);
    assert_eq!(again.points.len(), 24);
    let round = solids::from_triangles(&raw(&ball), CREASE);
    assert_eq!(characteristic("raw ball", &round), 2);
    assert_eq!(round.points.len(), AROUND * (AROUND / 2 - 1) + 2);
    for (p, n) in round.points.iter().zip(&round.normals) {
        assert!((wide(*p) - wide(*n)).norm() < 0.04, "{p:?} {n:?}");
    }
    // what has no area goes
    let mut flat = cube;
    flat.push([Vec3::x(), Vec3::x(), Vec3::y()]);
    flat.push([Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0]);
    assert_eq!(solids::from_triangles(&flat, CREASE), again);
}

#[test]
fn links_reach_from_point_to_point() {
    let (a, b) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-2.0, 0.5, 3.5));
    for direction in [
        b - a,
        Vec3::z(),
        -Vec3::z(),
        Vec3::x(),
        -Vec3::x(),
        Vec3::y(),
    ] {
        let to = a + direction;
        let solid = solids::link(&a, &to, 0.1, Section::Round);
        let half = 0.5 * direction.norm();
        for (end, z) in [(a, -half), (to, half)] {
            assert!((solids::moved(&solid.place, &(Vec3::z() * z)) - end).norm() < 1e-12);
        }
        let web = solids::link(&a, &to, 0.1, Section::I);
        near(
            volume(&web.mesh),
            (0.2 * 0.14 - 0.14 * 0.11) * direction.norm(),
            1e-5,
        );
    }
    let ball = solids::link(&a, &a, 0.1, Section::I);
    near(volume(&ball.mesh), 4.0 / 3.0 * PI, 0.024);
    let [x, y, z] = [0, 1, 2].map(|k| solids::triad(2.0)[k].place);
    for (place, axis) in [(x, Vec3::x()), (y, Vec3::y()), (z, Vec3::z())] {
        assert!((solids::moved(&place, &Vec3::z()) - axis).norm() < 1e-15);
    }
}

#[test]
fn shapes_that_differ_by_scale_share_a_surface() {
    let (a, b) = (solids::sphere(1.0), solids::ellipsoid([1.0, 2.0, 3.0]));
    assert!(std::sync::Arc::ptr_eq(&a.mesh, &b.mesh));
    let (a, b) = (solids::block([1.0; 3]), solids::block([2.0; 3]));
    assert!(std::sync::Arc::ptr_eq(&a.mesh, &b.mesh));
}

#[test]
fn random_outlines_are_triangulated() {
    // stars: every corner is seen from the middle
    let mut state = 7_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    for _ in 0..200 {
        let n = 3 + (random() * 40.0) as usize;
        let star: Vec<[f64; 2]> = (0..n)
            .map(|k| {
                let (r, a) = (0.5 + random(), TAU * k as f64 / n as f64);
                [r * cos(a), r * sin(a)]
            })
            .collect();
        let hole: Vec<[f64; 2]> = (0..n)
            .map(|k| {
                let (r, a) = (0.2 * random() + 0.02, TAU * k as f64 / n as f64);
                [r * cos(a), r * sin(a)]
            })
            .collect();
        let holes = if n > 5 {
            vec![hole.clone()]
        } else {
            Vec::new()
        };
        let solid = solids::extrusion(&star, &holes, 1.0, CREASE).unwrap();
        let doubled = |line: &[[f64; 2]]| {
            let next = |k: usize| line[(k + 1) % line.len()];
            line.iter()
                .enumerate()
                .map(|(k, p)| p[0] * next(k)[1] - p[1] * next(k)[0])
                .sum::<f64>()
        };
        let expected = (doubled(&star) - if n > 5 { doubled(&hole) } else { 0.0 }) / 2.0;
        near(volume(&solid), expected, 1e-5);
        assert_eq!(characteristic("star", &solid), if n > 5 { 0 } else { 2 });
    }
}

#[test]
fn coils_keep_their_ends_and_their_wire() {
    for length in [0.05, 0.2, 0.6] {
        let coil = solids::coil(length, 0.1, 0.008, 6);
        let (low, high) = coil
            .points
            .iter()
            .fold((f32::MAX, f32::MIN), |(a, b), p| (a.min(p[2]), b.max(p[2])));
        // a flat turn: the wire leans little
        assert!(low > -1e-3 && low < 1e-3, "{low}");
        assert!((f64::from(high) - length).abs() < 1e-3, "{high}");
    }
}
