//! A mechanism that no solver has run: a car, an arm and a flexible plate whose motion is written down.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use fixstep_kernel::math::rotation::{exp_quaternion, matrix, multiply};
use fixstep_kernel::math::{Vec3, cos, sin};
use fixstep_pictures::scene::{
    Arrow, ArrowKind, Body, Color, Film, Frame, Joint, Link, LinkKind, Mesh, Origin, Place, Point,
    Pose, Scene, Soft, Solid,
};
use fixstep_pictures::solids::{self, Piece, Section};

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
const WHEEL: f64 = 0.33;
const TRACK: f64 = 0.78;
const BASE: f64 = 1.35;

fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

fn about(axis: Vec3, angle: f64) -> [f64; 4] {
    exp_quaternion(&(axis * angle))
}

fn body(name: &str, color: Color, solids: Vec<Solid>) -> Body {
    Body {
        name: name.to_owned(),
        mass: Some(10.0),
        center: Vec3::zeros(),
        inertia: [1.0, 2.0, 2.5, 0.0, 0.1, 0.0],
        color,
        solids,
        soft: None,
    }
}

fn solid(piece: Piece, position: Vec3, rotation: [f64; 4]) -> Solid {
    piece.at(Place { position, rotation })
}

fn painted(solid: Solid, color: Color) -> Solid {
    Solid {
        color: Some(color),
        ..solid
    }
}

fn chassis() -> Body {
    let dark = [52, 58, 66];
    let outline = [
        [-2.0, -0.1],
        [2.05, -0.1],
        [2.1, 0.12],
        [1.9, 0.28],
        [0.95, 0.38],
        [0.3, 0.78],
        [-1.0, 0.8],
        [-1.75, 0.42],
        [-2.05, 0.36],
    ];
    let hull = solids::extrusion(&outline, &[], 1.1, 0.5).unwrap_or_default();
    let glass = [[0.82, 0.41], [0.28, 0.74], [-0.95, 0.76], [-1.5, 0.45]];
    let glass = solids::extrusion(&glass, &[], 1.12, 0.3).unwrap_or_default();
    let stand = about(Vec3::x(), FRAC_PI_2);
    let mut solids = vec![
        solid(Piece::of(hull), Vec3::zeros(), stand),
        painted(solid(Piece::of(glass), Vec3::zeros(), stand), [40, 56, 74]),
        painted(
            solid(
                Piece::of(solids::plate(3.6, 1.3, 0.06, 0.25)),
                v(0.0, 0.0, -0.12),
                STILL,
            ),
            dark,
        ),
    ];
    for x in [-BASE, BASE] {
        let (a, b) = (v(x, -0.62, 0.32), v(x, 0.62, 0.32));
        solids.push(painted(solids::link(&a, &b, 0.045, Section::Round), dark));
    }
    body("chassis", [196, 52, 44], solids)
}

fn wheel(name: &str, tyre: &Arc<Mesh>, rim: &Arc<Mesh>, left: bool) -> Body {
    let mut axle = about(Vec3::x(), FRAC_PI_2);
    if left {
        axle = multiply(&about(Vec3::z(), PI), &axle);
    }
    let part = |mesh: &Arc<Mesh>, color: Color, origin: Origin| Solid {
        color: Some(color),
        origin,
        ..Piece {
            mesh: Arc::clone(mesh),
            scale: [1.0; 3],
        }
        .at(Place {
            position: Vec3::zeros(),
            rotation: axle,
        })
    };
    let solids = vec![
        part(tyre, [38, 40, 43], Origin::Tyre),
        part(rim, [190, 195, 202], Origin::Shape),
    ];
    body(name, [190, 195, 202], solids)
}

fn arm(name: &str, length: f64, color: Color) -> Body {
    let section = if name == "forearm" {
        Section::I
    } else {
        Section::Round
    };
    let mut solids = vec![solids::link(
        &Vec3::zeros(),
        &v(0.0, 0.0, length),
        0.09,
        section,
    )];
    let pin = solids::cylinder(0.13, 0.3);
    solids.push(Solid {
        origin: Origin::Joint,
        color: Some([74, 80, 90]),
        ..solid(pin, Vec3::zeros(), about(Vec3::x(), FRAC_PI_2))
    });
    body(name, color, solids)
}

/// A plate clamped at x = 0, with a bending and a twisting shape.
fn plate() -> Body {
    const N: [usize; 2] = [28, 14];
    let (length, width, thick) = (1.6, 0.8, 0.03);
    let mut mesh = Mesh::default();
    for side in [1.0_f32, -1.0] {
        for i in 0..=N[0] {
            for j in 0..=N[1] {
                let x = length * i as f64 / N[0] as f64;
                let y = width * (j as f64 / N[1] as f64 - 0.5);
                mesh.points
                    .push([x as f32, y as f32, side * 0.5 * thick as f32]);
                mesh.normals.push([0.0, 0.0, side]);
            }
        }
    }
    let row = N[1] as u32 + 1;
    let whole = (N[0] as u32 + 1) * row;
    for i in 0..N[0] as u32 {
        for j in 0..N[1] as u32 {
            let [a, b, c, d] = [
                i * row + j,
                (i + 1) * row + j,
                (i + 1) * row + j + 1,
                i * row + j + 1,
            ];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
            let [a, b, c, d] = [a, b, c, d].map(|k| k + whole);
            mesh.triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    let rim: Vec<[f32; 3]> = [
        [0.0, -0.5],
        [1.0, -0.5],
        [1.0, 0.5],
        [0.0, 0.5],
        [0.0, -0.5],
    ]
    .map(|[x, y]: [f64; 2]| [(length * x) as f32, (width * y) as f32, 0.0])
    .to_vec();
    let all: Vec<[f32; 3]> = mesh.points.iter().chain(&rim).copied().collect();
    let bend = |[x, _, z]: [f32; 3]| {
        let s = f64::from(x) / length;
        [-f64::from(z) * 2.0 * s / length, 0.0, s * s].map(|u| u as f32)
    };
    let twist = |[x, y, _]: [f32; 3]| [0.0, 0.0, x / length as f32 * y / width as f32 * 2.0];
    let stress = |[x, y, z]: [f32; 3]| {
        let top = 2.0e9 * (1.0 - x / length as f32) * z / thick as f32;
        [
            [top, 0.3 * top, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 1.0e9 * z / thick as f32, 1.0e7 * y, 0.0],
        ]
    };
    let stresses = (0..2)
        .map(|k| mesh.points.iter().map(|p| stress(*p)[k]).collect())
        .collect();
    let modes = vec![
        all.iter().map(|p| bend(*p)).collect(),
        all.iter().map(|p| twist(*p)).collect(),
    ];
    Body {
        soft: Some(Soft {
            mesh,
            lines: vec![rim],
            modes,
            stresses: Some(stresses),
        }),
        ..body("plate", [86, 140, 190], Vec::new())
    }
}

fn at(body: usize, position: Vec3) -> Point {
    Point {
        body,
        position,
        modes: Vec::new(),
    }
}

fn bodies() -> Vec<Body> {
    let tyre = Arc::new(solids::tyre(WHEEL, 0.2, 0.22));
    let rim = Arc::new(solids::rim(0.205, 0.2, 5));
    let pillar = painted(
        solid(solids::block([0.5, 0.5, 0.8]), v(-0.5, 2.6, 0.4), STILL),
        [150, 156, 165],
    );
    let clamp = painted(
        solid(solids::block([0.16, 1.0, 1.0]), v(1.3, 2.6, 0.5), STILL),
        [150, 156, 165],
    );
    let mut ghost = painted(
        solid(solids::block([0.9, 0.9, 0.5]), v(-2.3, 2.4, 0.25), STILL),
        [70, 150, 120],
    );
    ghost.opacity = 0.35;
    let inner = painted(
        solid(solids::sphere(0.2), v(-2.3, 2.4, 0.2), STILL),
        [230, 180, 60],
    );
    let mut ground = body("ground", [150, 156, 165], vec![pillar, clamp, ghost, inner]);
    ground.mass = None;
    let mut bodies = vec![ground, chassis()];
    for (name, left) in [
        ("front left", true),
        ("front right", false),
        ("rear left", true),
        ("rear right", false),
    ] {
        bodies.push(wheel(name, &tyre, &rim, left));
    }
    bodies.extend([
        arm("upper arm", 0.9, [222, 150, 46]),
        arm("forearm", 0.8, [222, 170, 70]),
        plate(),
    ]);
    bodies
}

/// The scene.
pub(crate) fn scene() -> Scene {
    let bodies = bodies();
    let links = links(&bodies[8]);
    let arrow = |name: &str, kind, reaction, at| Arrow {
        name: name.to_owned(),
        kind,
        reaction,
        at,
        from: Some(0),
        drives: false,
    };
    Scene {
        title: "Car, arm and plate".to_owned(),
        up: Vec3::z(),
        size: 4.0,
        bodies,
        links,
        arrows: vec![
            arrow(
                "wheel load",
                ArrowKind::Force,
                false,
                at(2, v(0.0, 0.0, -WHEEL)),
            ),
            arrow("shoulder", ArrowKind::Force, true, at(6, Vec3::zeros())),
            arrow("drive", ArrowKind::Torque, false, at(7, Vec3::zeros())),
        ],
        joints: vec![Joint {
            name: "elbow".to_owned(),
            kind: "revolute".to_owned(),
            i: (
                6,
                Place {
                    position: v(0.0, 0.0, 0.9),
                    rotation: STILL,
                },
            ),
            j: (
                7,
                Place {
                    position: Vec3::zeros(),
                    rotation: STILL,
                },
            ),
        }],
        floor: None,
        follow: 1,
    }
}

/// Struts, a rope, and a line to the tip of the plate.
fn links(plate: &Body) -> Vec<Link> {
    let end = 28 * 15 + 7;
    let plate = plate
        .soft
        .as_ref()
        .map(|soft| soft.modes.iter().map(|mode| mode[end]).collect());
    let mut links = Vec::new();
    for (k, [x, y]) in corners().into_iter().enumerate() {
        links.push(Link {
            name: format!("strut {}", k + 1),
            kind: LinkKind::Strut,
            points: vec![
                at(2 + k, v(0.0, -0.14 * y.signum(), 0.0)),
                at(1, v(x, y * 0.72, 0.33)),
            ],
            radius: 0.075,
        });
    }
    links.push(Link {
        name: "rope".to_owned(),
        kind: LinkKind::Rope,
        points: vec![
            at(7, v(0.0, 0.0, 0.8)),
            at(0, v(0.9, 2.6, 1.9)),
            at(0, v(1.3, 2.6, 1.0)),
        ],
        radius: 0.015,
    });
    links.push(Link {
        name: "gap".to_owned(),
        kind: LinkKind::Line,
        points: vec![
            at(0, v(2.9, 2.6, 1.6)),
            Point {
                body: 8,
                position: v(1.6, 0.0, 0.0),
                modes: plate.unwrap_or_default(),
            },
        ],
        radius: 0.0,
    });
    links
}

fn corners() -> [[f64; 2]; 4] {
    [
        [BASE, TRACK],
        [BASE, -TRACK],
        [-BASE, TRACK],
        [-BASE, -TRACK],
    ]
}

/// Everything at a time.
pub(crate) fn frame(t: f64) -> Frame {
    let pose = |position: Vec3, rotation: [f64; 4], modal: Vec<f64>| Pose {
        place: Place { position, rotation },
        modal,
    };
    let still = || pose(Vec3::zeros(), STILL, Vec::new());
    let run = 1.1 * t;
    let yaw = about(Vec3::z(), 0.10 * sin(0.8 * t));
    let roll = about(Vec3::x(), 0.045 * sin(3.1 * t));
    let pitch = about(Vec3::y(), 0.03 * cos(2.3 * t));
    let turn = multiply(&yaw, &multiply(&roll, &pitch));
    let heave = 0.52 + 0.03 * sin(4.0 * t);
    let chassis = v(run, 0.0, heave);
    let mut poses = vec![still(), pose(chassis, turn, Vec::new())];
    for (k, [x, y]) in corners().into_iter().enumerate() {
        let hub = v(run, 0.0, 0.0) + matrix(&yaw) * v(x, y, 0.0);
        let steer = about(Vec3::z(), if k < 2 { 0.35 * sin(0.8 * t) } else { 0.0 });
        let spin = about(Vec3::y(), run / WHEEL);
        let rotation = multiply(&multiply(&yaw, &steer), &spin);
        poses.push(pose(hub + v(0.0, 0.0, WHEEL), rotation, Vec::new()));
    }
    let shoulder = v(-0.5, 2.6, 0.93);
    let upper = multiply(
        &about(Vec3::z(), 0.5 * sin(t)),
        &about(Vec3::y(), 0.5 + 0.3 * sin(1.7 * t)),
    );
    let elbow = shoulder + matrix(&upper) * v(0.0, 0.0, 0.9);
    let fore = multiply(&upper, &about(Vec3::y(), 0.9 + 0.4 * cos(1.3 * t)));
    poses.push(pose(shoulder, upper, Vec::new()));
    poses.push(pose(elbow, fore, Vec::new()));
    let modal = vec![0.14 * sin(TAU * 0.6 * t) - 0.1, 0.08 * sin(TAU * 1.1 * t)];
    poses.push(pose(v(1.38, 2.6, 0.9), STILL, modal));
    Frame {
        time: t,
        poses,
        arrows: vec![
            [0.0, 100.0, 2500.0 + 800.0 * sin(4.0 * t)],
            [200.0 * cos(t), 0.0, 600.0],
            [0.0, 90.0 * sin(t), 20.0],
        ],
        ..Frame::default()
    }
}

/// A hundred bodies of all kinds on a field, and their film of one frame.
pub(crate) fn crowd() -> (Scene, Film) {
    let tyre = Arc::new(solids::tyre(WHEEL, 0.2, 0.22));
    let colors: [Color; 4] = [
        [196, 52, 44],
        [222, 150, 46],
        [86, 140, 190],
        [98, 160, 104],
    ];
    let mut bodies = vec![body("ground", [150; 3], Vec::new())];
    let mut poses = vec![frame(0.0).poses[0].clone()];
    for k in 0..99_usize {
        let piece = match k % 5 {
            0 => solids::block([0.5, 0.4, 0.6]),
            1 => solids::sphere(0.3),
            2 => solids::cylinder(0.25, 0.6),
            3 => solids::cone(0.3, 0.6),
            _ => Piece {
                mesh: Arc::clone(&tyre),
                scale: [1.0; 3],
            },
        };
        bodies.push(body(
            &format!("body {k}"),
            colors[k % 4],
            vec![solid(piece, Vec3::zeros(), STILL)],
        ));
        let position = v((k % 10) as f64, (k / 10) as f64, 0.35);
        let rotation = about(v(0.3, 0.2, 1.0).normalize(), k as f64);
        poses.push(Pose {
            place: Place { position, rotation },
            modal: Vec::new(),
        });
    }
    let crowd = Scene {
        title: "A hundred bodies".to_owned(),
        bodies,
        links: Vec::new(),
        arrows: Vec::new(),
        joints: Vec::new(),
        size: 10.0,
        ..scene()
    };
    (
        crowd,
        vec![Frame {
            time: 0.0,
            poses,
            ..Frame::default()
        }],
    )
}

/// A film of some frames over some seconds.
pub(crate) fn film(frames: usize, seconds: f64) -> Film {
    (0..frames)
        .map(|k| frame(seconds * k as f64 / (frames - 1).max(1) as f64))
        .collect()
}
