//! Rendered pixels against projection formulas, and that they are the same everywhere.

use std::f64::consts::{PI, TAU};

use fixstep_kernel::math::{Vec3, cos, sin, tan};
use fixstep_pictures::camera::{Camera, Framing, Lens, View};
use fixstep_pictures::motion::{self, Extent};
use fixstep_pictures::picture::Picture;
use fixstep_pictures::render::{Ground, Look, Renderer, Tint, scale};
use fixstep_pictures::scene::{Body, Color, Film, Frame, Mesh, Place, Pose, Scene, Soft, Solid};
use fixstep_pictures::solids::{self, CREASE, Curve, Piece};

use crate::camera::projected;
use crate::synthetic;

const SIZE: [usize; 2] = [320, 240];

fn look() -> Look {
    let [width, height] = SIZE;
    Look {
        width,
        height,
        ground: Ground::Nowhere,
        words: false,
        ..Look::default()
    }
}

/// One body with solids, which stands still.
fn still(solids: Vec<Solid>) -> (Scene, Film) {
    let body = Body {
        name: "ground".to_owned(),
        mass: None,
        center: Vec3::zeros(),
        inertia: [0.0; 6],
        color: [200, 60, 40],
        solids,
        soft: None,
    };
    let scene = Scene {
        title: "Test".to_owned(),
        up: Vec3::z(),
        size: 1.0,
        bodies: vec![body],
        links: Vec::new(),
        arrows: Vec::new(),
        joints: Vec::new(),
        floor: None,
        follow: 0,
    };
    let pose = Pose {
        place: place(Vec3::zeros()),
        modal: Vec::new(),
    };
    let frame = Frame {
        time: 0.0,
        poses: vec![pose],
        ..Frame::default()
    };
    (scene, vec![frame])
}

fn place(position: Vec3) -> Place {
    Place {
        position,
        rotation: [1.0, 0.0, 0.0, 0.0],
    }
}

fn drawn(solids: Vec<Solid>, camera: &Camera, look: Look) -> Picture {
    let (scene, film) = still(solids);
    Renderer::new(&scene, &film, look).draw(&film[0], camera)
}

/// Where two pictures differ.
fn changed(a: &Picture, b: &Picture) -> Vec<[usize; 2]> {
    let different = a
        .pixels
        .iter()
        .zip(&b.pixels)
        .enumerate()
        .filter(|(_, (x, y))| x != y);
    different.map(|(k, _)| [k % a.width, k / a.width]).collect()
}

/// Columns and rows that they take: left, right, top, below.
fn around(pixels: &[[usize; 2]]) -> [usize; 4] {
    let of = |k: usize| pixels.iter().map(move |p| p[k]);
    [
        of(0).min().unwrap(),
        of(0).max().unwrap() + 1,
        of(1).min().unwrap(),
        of(1).max().unwrap() + 1,
    ]
}

#[test]
fn a_sphere_covers_what_the_formula_says() {
    let half = 100;
    let line: Vec<[f64; 2]> = (0..=half)
        .map(|k| PI * (f64::from(k) / f64::from(half) - 0.5))
        .map(|a| [cos(a).max(0.0), sin(a)])
        .collect();
    let ball = solids::revolution(&line, Curve::Open, 200, CREASE);
    let (radius, away, field) = (0.7, 3.0, 0.7);
    for fine in [false, true] {
        let ball = Piece {
            mesh: std::sync::Arc::new(ball.clone()),
            scale: [radius; 3],
        };
        let camera = Camera::towards(
            Vec3::new(0.0, -away, 0.0),
            Vec3::zeros(),
            &Vec3::z(),
            Lens::Perspective(field),
        );
        let look = Look { fine, ..look() };
        let with = drawn(vec![ball.at(place(Vec3::zeros()))], &camera, look.clone());
        let pixels = changed(&with, &drawn(Vec::new(), &camera, look));
        // a cone touches the sphere: tan of its half angle is r / sqrt(d² − r²)
        let focal = 120.0 / tan(0.5 * field);
        let outline = focal * radius / (away * away - radius * radius).sqrt();
        let (area, rim) = (PI * outline * outline, TAU * outline);
        let count = pixels.len() as f64;
        assert!(
            count > area && count < area + rim,
            "{count} pixels, {area} and a rim of {rim}"
        );
        let [left, right, top, below] = around(&pixels).map(|x| x as f64);
        for (got, expected) in [
            (left, 160.0 - outline),
            (right, 160.0 + outline),
            (top, 120.0 - outline),
            (below, 120.0 + outline),
        ] {
            assert!((got - expected).abs() < 1.0, "{got} {expected}");
        }
    }
}

#[test]
fn a_box_covers_its_pixels_and_no_others() {
    // 240 pixels for 2.4 m: 100 pixels to the metre
    let (scene, _) = still(Vec::new());
    let camera = Camera {
        target: Vec3::zeros(),
        eye: Vec3::new(0.0, -5.0, 0.0),
        axes: View::Front.axes(&scene.up),
        lens: Lens::Orthographic(2.4),
    };
    let solid = solids::block([0.8, 1.0, 0.5]).at(place(Vec3::new(0.1, 0.0, 0.25)));
    let with = drawn(vec![solid], &camera, look());
    let pixels = changed(&with, &drawn(Vec::new(), &camera, look()));
    assert_eq!(around(&pixels), [130, 210, 70, 120]);
    assert_eq!(pixels.len(), 80 * 50);
}

#[test]
fn what_is_nearer_hides_what_is_farther() {
    let camera = Camera::towards(
        Vec3::new(0.0, -4.0, 0.0),
        Vec3::zeros(),
        &Vec3::z(),
        Lens::Perspective(0.7),
    );
    let colored = |position: Vec3, color: Color, opacity: f64| Solid {
        color: Some(color),
        opacity,
        ..solids::block([1.0, 0.2, 1.0]).at(place(position))
    };
    let near = |opacity| colored(Vec3::new(0.0, -1.0, 0.0), [220, 20, 20], opacity);
    let far = colored(Vec3::new(0.0, 1.0, 0.0), [20, 20, 220], 1.0);
    let middle = |solids| {
        let picture = drawn(solids, &camera, look());
        picture.pixels[120 * SIZE[0] + 160]
    };
    for solids in [vec![near(1.0), far.clone()], vec![far.clone(), near(1.0)]] {
        let [red, _, blue] = middle(solids);
        assert!(red > 2 * blue, "{red} {blue}");
    }
    // half of each, in light and not in the numbers of a screen
    let light = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            fixstep_kernel::math::pow((c + 0.055) / 1.055, 2.4)
        }
    };
    let (front, mixed) = (
        middle(vec![near(1.0)]),
        middle(vec![near(0.5), far.clone()]),
    );
    let behind = middle(vec![far]);
    for k in 0..3 {
        // behind the pane the far box is in its shadow: it is darker than alone
        let (least, most) = (
            0.5 * light(front[k]),
            0.5 * (light(front[k]) + light(behind[k])),
        );
        let got = light(mixed[k]);
        assert!(
            got > least - 0.01 && got < most + 0.01,
            "{got} {least} {most}"
        );
    }
}

#[test]
fn shadows_fall_where_the_light_is_hidden() {
    let (scene, film) = still(vec![
        solids::block([0.6, 0.6, 0.1]).at(place(Vec3::new(0.0, 0.0, 0.8))),
    ]);
    let (empty, _) = still(Vec::new());
    let look = Look {
        ground: Ground::At(0.0),
        ..look()
    };
    for dark in [false, true] {
        let look = Look {
            dark,
            ..look.clone()
        };
        let camera = Camera::towards(
            Vec3::new(0.5, -4.0, 3.0),
            Vec3::new(0.0, 0.0, 0.4),
            &scene.up,
            Lens::Perspective(0.8),
        );
        let renderer = Renderer::new(&scene, &film, look.clone());
        let with = renderer.draw(&film[0], &camera);
        let without = Renderer::new(&empty, &film, look).draw(&film[0], &camera);
        let lamp = renderer.lamp(&camera);
        let brightness = |picture: &Picture, p: &Vec3| {
            let [x, y, _] = projected(&camera, p, SIZE);
            let pixel = picture.pixels[y as usize * SIZE[0] + x as usize];
            pixel.iter().map(|c| f64::from(*c)).sum::<f64>()
        };
        let part = |p: &Vec3| brightness(&with, p) / brightness(&without, p);
        let middle = Vec3::new(0.0, 0.0, 0.8);
        let fallen = middle - lamp * (middle[2] / lamp[2]);
        for (x, y, shaded) in [
            (0.0, 0.0, true),
            (0.2, 0.2, true),
            (-0.2, 0.2, true),
            (0.45, 0.0, false),
            (0.0, 0.45, false),
            (-0.45, 0.0, false),
        ] {
            let p = fallen + Vec3::new(x, y, 0.0);
            assert_eq!(part(&p) < 0.85, shaded, "{x} {y}: {}", part(&p));
        }
    }
}

#[test]
fn solids_shade_each_other() {
    let lid = solids::block([0.5, 0.5, 0.05]).at(place(Vec3::new(0.0, 0.0, 0.6)));
    let table = solids::block([2.0, 2.0, 0.1]).at(place(Vec3::zeros()));
    let (scene, film) = still(vec![table.clone(), lid]);
    let camera = Camera::towards(
        Vec3::new(0.0, -3.0, 2.5),
        Vec3::zeros(),
        &scene.up,
        Lens::Perspective(0.8),
    );
    let renderer = Renderer::new(&scene, &film, look());
    let (with, alone) = (
        renderer.draw(&film[0], &camera),
        drawn(vec![table], &camera, look()),
    );
    let lamp = renderer.lamp(&camera);
    let fallen = Vec3::new(0.0, 0.0, 0.6) - lamp * (0.55 / lamp[2]);
    let red = |picture: &Picture, p: Vec3| {
        let [x, y, _] = projected(&camera, &p, SIZE);
        f64::from(picture.pixels[y as usize * SIZE[0] + x as usize][0])
    };
    assert!(red(&with, fallen) < 0.8 * red(&alone, fallen));
    let lit = fallen + Vec3::new(0.5, -0.3, 0.0);
    assert_eq!(red(&with, lit), red(&alone, lit));
}

#[test]
fn a_camera_inside_of_a_solid_still_draws() {
    // triangles reach behind the eye
    let floor = solids::block([40.0, 40.0, 0.1]).at(place(Vec3::new(0.0, 0.0, -1.0)));
    let camera = Camera::towards(
        Vec3::new(0.0, 0.0, 0.0),
        Vec3::y(),
        &Vec3::z(),
        Lens::Perspective(0.8),
    );
    let with = drawn(vec![floor], &camera, look());
    let pixels = changed(&with, &drawn(Vec::new(), &camera, look()));
    let [left, right, top, below] = around(&pixels);
    assert_eq!([left, right, below], [0, 320, 240]);
    // the far edge of its top is 0.95 m below the eye, 20 m away
    let edge = 120.0 + 120.0 / tan(0.4) * 0.95 / 20.0;
    assert!((top as f64 - edge).abs() <= 1.0, "{top} {edge}");
}

fn usual(tint: Tint) -> (Scene, Film, Look, Camera) {
    let (scene, film) = (synthetic::scene(), synthetic::film(21, 2.0));
    let framing = Framing::new(View::Corner, scene.up, 4.0 / 3.0);
    let camera = framing.around(&Extent::of(&scene).points(&film[4]));
    let look = Look {
        tint,
        arrows: true,
        words: true,
        ground: Ground::Below,
        ..look()
    };
    (scene, film, look, camera)
}

#[test]
fn a_hundred_bodies_are_all_seen() {
    let (scene, film) = synthetic::crowd();
    let framing = Framing::new(View::Top, scene.up, 4.0 / 3.0);
    let camera = framing.around(&Extent::of(&scene).points(&film[0]));
    let look = Look {
        ground: Ground::Below,
        ..look()
    };
    let picture = Renderer::new(&scene, &film, look.clone()).draw(&film[0], &camera);
    let (empty, none) = still(Vec::new());
    let ground = Renderer::new(&empty, &none, look).draw(&none[0], &camera);
    for pose in &film[0].poses[1..] {
        let [x, y, _] = projected(&camera, &pose.place.position, SIZE);
        // a tyre is hollow in its middle; its rim is not
        let near = (-6..=6).any(|dx: i64| {
            let k = y as usize * SIZE[0] + (x as i64 + dx) as usize;
            let [a, b] = [&picture, &ground].map(|p| p.pixels[k]);
            (0..3).any(|c| a[c].abs_diff(b[c]) > 40)
        });
        assert!(near, "{x} {y}");
    }
}

/// FNV-1a.
fn hash(picture: &Picture) -> u64 {
    let bytes = picture.pixels.iter().flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn pictures_have_the_same_bytes_everywhere() {
    let (scene, film, look, camera) = usual(Tint::Stress);
    let mut renderer = Renderer::new(&scene, &film, look);
    renderer.threads = 1;
    let first = renderer.draw(&film[4], &camera);
    for threads in [2, 3, 7] {
        renderer.threads = threads;
        let again = renderer.draw(&film[4], &camera);
        assert!(first == again, "{threads} threads");
    }
    // another value on another processor is a fault; a change of the looks writes it anew
    assert_eq!(hash(&first), RECORDED, "{:#x}", hash(&first));
}

const RECORDED: u64 = 0x10b3_3cb6_3466_265f;

#[test]
fn colours_follow_the_displacement() {
    let (scene, film, look, _) = usual(Tint::Displacement);
    let soft = scene.bodies[8].soft.as_ref().unwrap();
    let frame = &film[12];
    let pose = &frame.poses[8];
    let framing = Framing::new(View::Top, scene.up, 4.0 / 3.0);
    let camera = framing.around(&Extent::of(&scene).points(frame));
    let picture = Renderer::new(&scene, &film, look).draw(frame, &camera);
    let greatest = film
        .iter()
        .flat_map(|frame| motion::displacements(soft, &frame.poses[8]))
        .fold(0.0, |most: f64, d| most.max(d.norm()));
    let moves = motion::displacements(soft, pose);
    // corners on the middle line of the upper side, away from edges and from the rope above
    for row in [4, 10, 16, 22] {
        let k = row * 15 + 7;
        let place = Vec3::from(soft.mesh.points[k].map(f64::from)) + moves[k] + pose.place.position;
        has_hue(&picture, &camera, &place, moves[k].norm() / greatest);
    }
}

/// Has a place that is seen the hue of a value from 0 to 1? Light changes how bright a colour is and hardly its hue.
fn has_hue(picture: &Picture, camera: &Camera, place: &Vec3, value: f64) {
    let [x, y, _] = projected(camera, place, SIZE);
    let got = picture.pixels[y as usize * SIZE[0] + x as usize].map(f64::from);
    let wanted = scale(value).map(f64::from);
    let part = |c: &[f64; 3]| c.map(|x| x / c.iter().sum::<f64>());
    for c in 0..3 {
        assert!(
            (part(&got)[c] - part(&wanted)[c]).abs() < 0.13,
            "{value}: {got:?} {wanted:?}"
        );
    }
}

/// A body without a surface shows on its lines how far they have moved.
#[test]
fn lines_have_colours_too() {
    let (mut scene, mut film) = still(Vec::new());
    let places: Vec<[f32; 3]> = (0..=20).map(|k| [0.1 * k as f32, 0.0, 0.0]).collect();
    scene.bodies[0].soft = Some(Soft {
        mesh: Mesh::default(),
        modes: vec![places.iter().map(|p| [0.0, 0.2 * p[0], 0.0]).collect()],
        lines: vec![places],
        stresses: None,
    });
    scene.size = 6.0;
    film[0].poses[0].modal = vec![1.0];
    let camera = Framing::new(View::Top, Vec3::z(), 4.0 / 3.0)
        .around(&[Vec3::zeros(), Vec3::new(2.0, 0.4, 0.0)]);
    let look = Look {
        tint: Tint::Displacement,
        top: Some(0.4),
        ..look()
    };
    let picture = Renderer::new(&scene, &film, look).draw(&film[0], &camera);
    for x in [0.2, 0.9, 1.3, 1.8] {
        let at = Vec3::new(x, 0.2 * x, 0.0);
        has_hue(&picture, &camera, &at, 0.5 * x);
    }
}

#[test]
fn von_mises_is_that_of_known_states() {
    let (scene, _, _, _) = usual(Tint::Body);
    let mut soft = scene.bodies[8].soft.clone().unwrap();
    let states = [
        ([100.0, 0.0, 0.0, 0.0, 0.0, 0.0], 100.0),
        ([70.0, 70.0, 70.0, 0.0, 0.0, 0.0], 0.0),
        ([0.0, 0.0, 0.0, 10.0, 0.0, 0.0], 10.0 * 3.0_f64.sqrt()),
        ([0.0, 0.0, 0.0, 0.0, 0.0, -2.0], 2.0 * 3.0_f64.sqrt()),
        ([50.0, -50.0, 0.0, 0.0, 0.0, 0.0], 50.0 * 3.0_f64.sqrt()),
    ];
    for (state, expected) in states {
        soft.stresses = Some(vec![
            vec![state; soft.mesh.points.len()],
            vec![[0.0; 6]; soft.mesh.points.len()],
        ]);
        let pose = Pose {
            place: place(Vec3::zeros()),
            modal: vec![2.0, 5.0],
        };
        let got = motion::von_mises(&soft, &pose).unwrap()[3];
        assert!((got - 2.0 * expected).abs() < 1e-9, "{got} {expected}");
    }
}

#[test]
fn broken_numbers_draw_what_is_left() {
    let (scene, mut film, look, camera) = usual(Tint::Displacement);
    film[4].poses[1].place.position = Vec3::new(f64::NAN, 0.0, 0.0);
    film[4].poses[8].modal[0] = f64::INFINITY;
    film[4].arrows[0] = [f64::NAN; 3];
    let picture = Renderer::new(&scene, &film, look).draw(&film[4], &camera);
    let tyre = picture
        .pixels
        .iter()
        .filter(|p| p.iter().all(|c| *c < 70))
        .count();
    assert!(tyre > 50, "{tyre}");
}

#[test]
fn what_is_below_a_floor_is_not_drawn() {
    let [width, height] = SIZE;
    let camera = Camera {
        eye: Vec3::new(0.0, -5.0, 0.0),
        target: Vec3::zeros(),
        axes: View::Front.axes(&Vec3::z()),
        lens: Lens::Orthographic(2.4),
    };
    let block = || vec![solids::block([1.0; 3]).at(place(Vec3::zeros()))];
    let red = |look: Look| {
        let picture = drawn(block(), &camera, look);
        let is = |k: &usize| picture.pixels[*k][0] > picture.pixels[*k][1].saturating_add(40);
        let all: Vec<[usize; 2]> = { (0..width * height).filter(is) }
            .map(|k| [k % width, k / width])
            .collect();
        around(&all)
    };
    // A metre is 100 pixels; the floor is at 0.2 m, in the row 120 − 20.
    assert_eq!(red(look()), [110, 210, 70, 170]);
    let floor = Look {
        ground: Ground::At(0.2),
        ..look()
    };
    assert_eq!(red(floor), [110, 210, 70, 100]);
}
