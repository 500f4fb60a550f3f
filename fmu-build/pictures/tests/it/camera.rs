//! Cameras: what they look at, and that everything is in the picture.

use std::f64::consts::FRAC_PI_2;

use fixstep_kernel::math::{Vec3, tan};
use fixstep_pictures::camera::{Camera, Framing, Lens, View, horizon};
use fixstep_pictures::motion::{Extent, point};
use fixstep_pictures::scene::Point;

use crate::synthetic;

const SIZE: [usize; 2] = [1280, 720];

/// Where a point is in a picture of a size: to the right and down from the upper left corner \[pixels\], and the distance in
/// front of the eye \[m\].
pub(crate) fn projected(camera: &Camera, point: &Vec3, [width, height]: [usize; 2]) -> [f64; 3] {
    let p = camera.axes.tr_mul(&(point - camera.eye));
    let (w, h) = (width as f64, height as f64);
    let scale = match camera.lens {
        Lens::Perspective(field) => 0.5 * h / tan(0.5 * field) / -p[2],
        Lens::Orthographic(tall) => h / tall,
    };
    [0.5 * w + p[0] * scale, 0.5 * h - p[1] * scale, -p[2]]
}

#[test]
fn standard_views_show_the_axes_they_promise() {
    let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
    // upwards, view, to the right, up in the picture
    let cases = [
        (z, View::Front, x, z),
        (z, View::Back, -x, z),
        (z, View::Right, y, z),
        (z, View::Left, -y, z),
        (z, View::Top, x, y),
        (z, View::Bottom, x, -y),
        (y, View::Front, x, y),
        (y, View::Right, -z, y),
        (y, View::Top, x, -z),
        (x, View::Front, y, x),
        (-z, View::Front, x, -z),
        (z * 7.0, View::Front, x, z),
        (
            z,
            View::From {
                azimuth: FRAC_PI_2,
                elevation: 0.0,
            },
            y,
            z,
        ),
    ];
    for (up, view, right, above) in cases {
        let axes = view.axes(&up);
        assert!((axes.column(0) - right).norm() < 1e-12, "{view:?} {up}");
        assert!((axes.column(1) - above).norm() < 1e-12, "{view:?} {up}");
        assert!((axes.determinant() - 1.0).abs() < 1e-12);
    }
    let [right, forward, up] = horizon(&Vec3::new(0.1, 0.2, 0.9));
    assert!((right.cross(&forward) - up).norm() < 1e-12);
    // from a corner all three axes point away from the viewer's left, right and upwards
    let axes = View::Corner.axes(&z);
    assert!((0..3).all(|k| axes[(k, 2)].abs() > 0.3), "{axes}");
}

#[test]
fn framing_takes_in_all_and_is_tight() {
    let scene = synthetic::scene();
    let frame = synthetic::frame(0.7);
    let points = Extent::of(&scene).points(&frame);
    let (w, h) = (SIZE[0] as f64, SIZE[1] as f64);
    let views = [
        View::Corner,
        View::Front,
        View::Top,
        View::From {
            azimuth: -2.0,
            elevation: -0.4,
        },
    ];
    for view in views {
        for field in [None, Some(0.5), Some(0.9)] {
            let framing = Framing {
                field,
                ..Framing::new(view, scene.up, w / h)
            };
            let camera = framing.around(&points);
            let mut around = [f64::MAX, f64::MIN, f64::MAX, f64::MIN];
            for p in &points {
                let [x, y, away] = projected(&camera, p, SIZE);
                assert!(away > 0.0, "{view:?} {field:?}");
                around = [
                    around[0].min(x),
                    around[1].max(x),
                    around[2].min(y),
                    around[3].max(y),
                ];
            }
            let margin = framing.margin;
            // the edges of the free part of the picture
            let (left, top) = (around[0] - margin * w, around[2] - margin * h);
            let (right, below) = (
                (1.0 - margin) * w - around[1],
                (1.0 - margin) * h - around[3],
            );
            let slack = [left, right, top, below];
            assert!(
                slack.iter().all(|s| *s > -1e-6),
                "{view:?} {field:?} {slack:?}"
            );
            // in one direction it reaches both edges, and it stands in the middle
            assert!(
                left + right < 1e-6 || top + below < 1e-6,
                "{view:?} {field:?} {slack:?}"
            );
            assert!(
                (left - right).abs() < 1e-6 || field.is_some(),
                "{view:?} {slack:?}"
            );
        }
    }
    // nothing, and a single point
    let framing = Framing::new(View::Corner, scene.up, w / h);
    for points in [&[][..], &[Vec3::new(3.0, 2.0, 1.0)]] {
        let camera = framing.around(points);
        assert!(
            camera
                .eye
                .iter()
                .chain(&camera.target)
                .all(|x| x.is_finite())
        );
        assert!((camera.eye - camera.target).norm() > 1e-3);
    }
}

#[test]
fn a_followed_body_stays_where_it_is_in_the_picture() {
    let scene = synthetic::scene();
    let (first, later) = (synthetic::frame(0.0), synthetic::frame(900.0));
    let framing = Framing::new(View::Corner, scene.up, 16.0 / 9.0);
    let camera = framing.around(&Extent::of(&scene).points(&first));
    let place = |frame| {
        let origin = Point {
            body: scene.follow,
            position: Vec3::zeros(),
            modes: Vec::new(),
        };
        point(frame, &origin, 1.0)
    };
    let moved = camera.moved(&(place(&later) - place(&first)));
    let (a, b) = (
        projected(&camera, &place(&first), SIZE),
        projected(&moved, &place(&later), SIZE),
    );
    for k in 0..3 {
        assert!((a[k] - b[k]).abs() < 1e-6, "{a:?} {b:?}");
    }
    // the mechanism that stayed behind does not make the picture of what is there now any larger
    assert!((place(&later) - place(&first)).norm() > 900.0);
}

#[test]
fn a_camera_between_points_looks_along_them() {
    let (eye, target) = (Vec3::new(3.0, 0.0, 1.0), Vec3::new(0.0, 0.0, 1.0));
    let camera = Camera::towards(eye, target, &Vec3::z(), Lens::Perspective(0.8));
    let [x, y, away] = projected(&camera, &target, SIZE);
    assert!((x - 640.0).abs() < 1e-9 && (y - 360.0).abs() < 1e-9 && (away - 3.0).abs() < 1e-12);
    // half of the height is seen at half of the angle
    let top = target + Vec3::z() * (3.0 * tan(0.4));
    assert!(projected(&camera, &top, SIZE)[1].abs() < 1e-9);
    // straight down there is no horizon to keep level
    let down = Camera::towards(
        Vec3::z(),
        Vec3::zeros(),
        &Vec3::z(),
        Lens::Orthographic(2.0),
    );
    assert!((down.axes.determinant() - 1.0).abs() < 1e-12);
    assert!((down.azimuth(&Vec3::z())).is_finite());
    let turned = View::From {
        azimuth: 0.8,
        elevation: 0.3,
    };
    let camera = Framing::new(turned, Vec3::z(), 1.0).around(&[]);
    assert!((camera.azimuth(&Vec3::z()) - 0.8).abs() < 1e-12);
}
