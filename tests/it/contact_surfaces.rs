//! Contact with ground of varying height, triangles and curves; restitution; what can be read of contacts.

use crate::harness::{advance, build, output, start, step_or_fly};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json as value};

const G: f64 = 9.81;

/// A ball of 2 kg and radius 0.1 over a surface of the ground.
fn ball(surface: &Value, normal: &Value, place: [f64; 3], velocity: [f64; 3]) -> Value {
    value!({
        "fixstep": 1, "name": "ball", "gravity": [0, 0, -G],
        "parts": [{"name": "p", "mass": 2, "inertia": {"xx": 0.008, "yy": 0.008, "zz": 0.008},
                   "position": place, "velocity": velocity, "angular_velocity": [0, 0, 0]}],
        "markers": [{"name": "m", "part": "p"}, {"name": "base", "part": "ground"}],
        "forces": [{"name": "c", "type": "contact", "i": "m", "j": "base",
                    "shapes": {"i": {"type": "sphere", "radius": 0.1}, "j": surface},
                    "normal": normal}],
        "outputs": [
            {"name": "x", "expression": "DX(m)"}, {"name": "z", "expression": "DZ(m)"},
            {"name": "vx", "expression": "VX(m)"}, {"name": "vz", "expression": "VZ(m)"},
            {"name": "deep", "expression": "CONTACT(c, 0, 9)"},
            {"name": "pressed", "expression": "CONTACT(c, 0, 10)"},
            {"name": "slip", "expression": "CONTACT(c, 0, 11)"},
            {"name": "at_x", "expression": "CONTACT(c, 0, 12, base)"},
            {"name": "at_z", "expression": "CONTACT(c, 0, 14, base)"},
            {"name": "fz", "expression": "CONTACT(c, 0, 4)"},
            {"name": "fx_on_j", "expression": "CONTACT(c, 1, 2)"}
        ],
        "solver": {"fixit": 6}
    })
}

fn stiff() -> Value {
    value!({"type": "impact", "stiffness": 1e7, "exponent": 1, "damping": 4000, "depth": 1e-7})
}

fn energy(simulation: &Simulation) -> f64 {
    simulation.figure(Figure::KineticEnergy) + simulation.figure(Figure::PotentialEnergy)
}

/// The height to which a ball bounces is e² of that from which it fell, bounce by bounce, whatever the
/// exponent; on a plane, and on triangles.
#[test]
fn a_ball_bounces_by_its_coefficient_of_restitution() {
    let plane = value!({"type": "plane"});
    let square = value!({"type": "mesh",
        "vertices": [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], "triangles": [[0, 1, 2], [0, 2, 3]]});
    for (surface, e, exponent) in [
        (&plane, 0.8_f64, 1.5),
        (&plane, 0.3, 1.5),
        (&plane, 0.6, 1.0),
        (&square, 0.8, 1.5),
    ] {
        let normal = value!({"type": "hunt_crossley", "stiffness": 1e9, "restitution": e,
                             "slow": 0.01, "exponent": exponent});
        let mut simulation =
            build(&ball(surface, &normal, [0.05, 0.02, 0.6], [0.0; 3]).to_string());
        start(&mut simulation, 1e-5);
        let mut height = 0.5;
        for _ in 0..2 {
            while output(&simulation, "vz") <= 0.0 {
                step_or_fly(&mut simulation, 0.11, [1e-5, 2e-4]);
            }
            while output(&simulation, "vz") > 0.0 {
                step_or_fly(&mut simulation, 0.11, [1e-5, 2e-4]);
            }
            let next = output(&simulation, "z") - 0.1;
            let wanted = e * e * height;
            // Gravity works on the ball during the impact too, over some tenths of a millimetre.
            let close = (next - wanted).abs() < 0.005 * wanted + 2e-4;
            assert!(close, "{e} {exponent}: {height} {next} {wanted}");
            height = next;
        }
    }
}

/// At rest nothing bounces, and a saved state bounces on with the same bits.
#[test]
fn restitution_is_remembered_in_the_state() {
    let normal =
        value!({"type": "hunt_crossley", "stiffness": 1e6, "restitution": 0.5, "slow": 0.01});
    let model = ball(
        &value!({"type": "plane"}),
        &normal,
        [0.0, 0.0, 0.2],
        [0.0; 3],
    );
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-4);
    while output(&simulation, "pressed") == 0.0 {
        simulation.step().unwrap();
    }
    let mut saved = vec![0; simulation.state_size()];
    simulation.save(&mut saved);
    advance(&mut simulation, 0.5);
    let first = ["z", "vz", "pressed"].map(|name| output(&simulation, name).to_bits());
    simulation.restore(&saved);
    advance(&mut simulation, 0.5);
    let again = ["z", "vz", "pressed"].map(|name| output(&simulation, name).to_bits());
    assert_eq!(first, again);
    advance(&mut simulation, 3.0);
    let pressed = output(&simulation, "pressed");
    assert!((pressed / (2.0 * G) - 1.0).abs() < 1e-3, "{pressed}");
}

/// In a parabolic trough z = a x²/2 whose bottom is wider than the ball, it swings with √(g κ/(1 − r κ)) as a
/// pendulum of length 1/κ − r, κ = a.
#[test]
fn a_ball_swings_in_a_trough() {
    let a = 1.0;
    let x: Vec<f64> = (-20..=20).map(|k| 0.05 * f64::from(k)).collect();
    let z: Vec<f64> = x.iter().map(|x| 0.5 * a * x * x).collect();
    let rows: Vec<&Vec<f64>> = vec![&z; 5];
    let heightmap = value!({"type": "heightmap", "origin": [-1, -0.5], "spacing": [0.05, 0.25], "heights": rows});
    let profile = value!({"type": "profile", "spline": "trough"});
    for (surface, vertical) in [(heightmap, "z"), (profile, "z")] {
        let sunk = 2.0 * G / 1e7;
        let mut model = ball(&surface, &stiff(), [0.0, 0.0, 0.1 - sunk], [0.02, 0.0, 0.0]);
        model["splines"] = value!([{"name": "trough", "x": x, "y": z}]);
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-3);
        let omega = (G / (1.0 / a - 0.1)).sqrt();
        advance(&mut simulation, 0.8);
        let wanted = 0.02 / omega * fixstep_kernel::math::sin(omega * 0.8);
        let x = output(&simulation, "x");
        assert!(
            (x - wanted).abs() < 2e-3 * 0.02 / omega,
            "{vertical}: {x} {wanted}"
        );
        // The place below it: on the normal through the centre.
        let place = output(&simulation, "at_x");
        assert!((place / (x / 0.9) - 1.0).abs() < 1e-2, "{place} {x}");
        assert!((output(&simulation, "pressed") / (2.0 * G) - 1.0).abs() < 1e-2);
    }
}

/// A ball that rolls over an edge of triangles, convex and concave, keeps its energy; on the slope it
/// accelerates with g sin α.
#[test]
fn a_ball_slides_over_the_edges_of_a_mesh() {
    // A plane, a slope of 3:4 downwards, and a plane again, 0.75 lower.
    let vertices = value!([
        [-2, -1, 0],
        [0, -1, 0],
        [0, 1, 0],
        [-2, 1, 0],
        [1, -1, -0.75],
        [1, 1, -0.75],
        [9, -1, -0.75],
        [9, 1, -0.75]
    ]);
    let triangles = value!([
        [0, 1, 2],
        [0, 2, 3],
        [1, 4, 5],
        [1, 5, 2],
        [4, 6, 7],
        [4, 7, 5]
    ]);
    let mesh = value!({"type": "mesh", "vertices": vertices, "triangles": triangles});
    let normal = value!({"type": "hunt_crossley", "stiffness": 1e7});
    let mut model = ball(&mesh, &normal, [-0.1, 0.3, 0.0998], [0.5, 0.0, 0.0]);
    model["solver"] = value!({"fixit": 6, "integrator": "NEWMARK", "beta": 0.25, "gamma": 0.5});
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 2e-5);
    let whole = energy(&simulation);
    let mut low = f64::INFINITY;
    while output(&simulation, "x") < 3.0 {
        simulation.step().unwrap();
        low = low.min(output(&simulation, "z"));
        let now = energy(&simulation);
        assert!(
            (now - whole).abs() < 2e-3 * 2.0 * G * 0.75,
            "{} {whole} {now}",
            simulation.time()
        );
    }
    assert!((low + 0.65).abs() < 0.01, "{low}");
}

/// Points of a circle, against the clock.
fn circle(centre: f64, radius: f64) -> Vec<[f64; 3]> {
    let point = |k: i32| {
        let t = f64::from(k) * std::f64::consts::PI / 32.0;
        let (s, c) = (fixstep_kernel::math::sin(t), fixstep_kernel::math::cos(t));
        [centre + radius * c, radius * s, 0.0]
    };
    (0..64).map(point).collect()
}

/// Radius and eccentricity of the cam, radius of the roller \[m\].
const CAM: [f64; 3] = [0.05, 0.02, 0.01];

/// An eccentric disc under a follower that is guided along z; the axis of the cam is −y of ground.
fn cam(i: &str, j: &str, shapes: &serde_json::Value, first: f64) -> serde_json::Value {
    let [radius, eccentric, roller] = CAM;
    let turn = value!({"euler": [0, std::f64::consts::FRAC_PI_2, 0]});
    value!({
        "fixstep": 1, "name": "cam", "gravity": [0, 0, -G],
        "curves": [{"name": "disc", "points": circle(eccentric, radius), "closed": true},
                   {"name": "roller", "points": circle(0.0, roller), "closed": true}],
        "parts": [
            {"name": "cam", "mass": 1, "inertia": {"xx": 1e-3, "yy": 1e-3, "zz": 1e-3},
             "orientation": turn},
            {"name": "follower", "mass": 0.2, "inertia": {"xx": 1e-4, "yy": 1e-4, "zz": 1e-4},
             "position": [0, 0, first]}
        ],
        "markers": [
            {"name": "shaft", "part": "cam"}, {"name": "bearing", "part": "ground", "orientation": turn},
            {"name": "roller", "part": "follower"}, {"name": "guide", "part": "ground"},
            {"name": "pin", "part": "follower", "orientation": turn},
            {"name": "plate", "part": "follower", "orientation": {"euler": [0, std::f64::consts::PI, 0]}}
        ],
        "joints": [{"name": "shaft", "type": "revolute", "i": "shaft", "j": "bearing"},
                   {"name": "guide", "type": "translational", "i": "roller", "j": "guide"}],
        "motions": [{"name": "drive", "joint": "shaft", "displacement": "6*TIME"}],
        "forces": [{"name": "c", "type": "contact", "i": i, "j": j, "shapes": shapes,
            "normal": {"type": "impact", "stiffness": 1e7, "exponent": 1, "damping": 3000, "depth": 1e-7}}],
        "outputs": [{"name": "z", "expression": "DZ(roller)"}, {"name": "angle", "expression": "AZ(shaft, bearing)"},
                    {"name": "force", "expression": "CONTACT(c, 0, 1)"}],
        "solver": {"fixit": 6}
    })
}

/// Runs a turn and some more, always in touch; the largest distance from a lift over the angle's sine and cosine.
fn follow(model: &serde_json::Value, lift: impl Fn(f64, f64) -> f64) -> f64 {
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 2e-4);
    let mut largest = 0.0_f64;
    for k in 0..5_500 {
        simulation.step().unwrap();
        if k < 250 {
            continue;
        }
        let angle = output(&simulation, "angle");
        let wanted = lift(
            fixstep_kernel::math::sin(angle),
            fixstep_kernel::math::cos(angle),
        );
        largest = largest.max((output(&simulation, "z") - wanted).abs());
        assert!(output(&simulation, "force") > 0.0, "{k}");
    }
    assert!(simulation.time() * 6.0 > 2.0 * std::f64::consts::PI + 0.3);
    largest
}

/// The follower of an eccentric disc of radius R, its centre e from the axis, stands at
/// e sin θ + √((R + r)² − e² cos² θ) over the axis; a cam that is a curve of many points is such a disc,
/// and so is a roller. Either may carry the other.
#[test]
fn a_follower_follows_its_cam() {
    let [radius, eccentric, roller] = CAM;
    let reach = radius + roller;
    let first = (reach * reach - eccentric * eccentric).sqrt();
    let lift =
        |s: f64, c: f64| eccentric * s + (reach * reach - eccentric * eccentric * c * c).sqrt();
    let disc = value!({"type": "curve", "curve": "disc", "side": "right"});
    let ball = value!({"i": {"type": "sphere", "radius": roller}, "j": disc});
    let outline = value!({"i": {"type": "curve", "curve": "roller"}, "j": disc});
    let turned = value!({"i": {"type": "curve", "curve": "disc"},
                         "j": {"type": "curve", "curve": "roller", "side": "right"}});
    for (i, j, shapes) in [
        ("roller", "shaft", ball),
        ("pin", "shaft", outline),
        ("shaft", "pin", turned),
    ] {
        let largest = follow(&cam(i, j, &shapes, first), lift);
        eprintln!("{i} on {j}: {largest:e}");
        assert!(largest < 2e-6, "{i} on {j}: {largest}");
    }
}

/// A flat follower stands at e sin θ + R: the cam touches it beside the axis.
#[test]
fn a_flat_follower_follows_its_cam() {
    let [radius, eccentric, _] = CAM;
    let shapes = value!({"i": {"type": "curve", "curve": "disc"}, "j": {"type": "plane"}});
    let model = cam("shaft", "plate", &shapes, radius);
    let largest = follow(&model, |s, _| eccentric * s + radius);
    assert!(largest < 2e-6, "{largest}");
}

/// A straight outline along a plane has no deepest place, and stands all the same.
#[test]
fn a_straight_outline_lies_on_a_plane() {
    let mut simulation = build(
        &value!({
            "fixstep": 1, "name": "plate", "gravity": [0, -G, 0],
            "curves": [{"name": "edge", "points": [[-0.5, 0, 0], [0, 0, 0], [0.5, 0, 0]]}],
            "parts": [{"name": "plate", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1},
                       "position": [0, 0.001, 0]}],
            "markers": [{"name": "edge", "part": "plate"}, {"name": "up", "part": "ground",
                "orientation": {"z_point": [0, 1, 0]}}, {"name": "axis", "part": "plate",
                "orientation": {"z_point": [0, 1, 0]}}],
            "joints": [{"name": "guide", "type": "translational", "i": "axis", "j": "up"}],
            "forces": [{"name": "c", "type": "contact", "i": "edge", "j": "up",
                "shapes": {"i": {"type": "curve", "curve": "edge"}, "j": {"type": "plane"}},
                "normal": {"type": "hunt_crossley", "stiffness": 1e5, "exponent": 1, "damping": 20}}],
            "outputs": [{"name": "force", "expression": "CONTACT(c, 0, 1)"}]
        })
        .to_string(),
    );
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 2.0);
    let force = output(&simulation, "force");
    assert!((force - 2.0 * G).abs() < 1e-3, "{force}");
}

/// Force on I and on J, penetration, slip and place of a ball that slides on a plane.
#[test]
fn a_contact_can_be_read() {
    let sunk = 2.0 * G / 1e7;
    let mut model = ball(
        &value!({"type": "plane"}),
        &stiff(),
        [0.0, 0.0, 0.1 - sunk],
        [3.0, 0.0, 0.0],
    );
    model["forces"][0]["friction"] = value!({"mu_static": 0.2, "mu_dynamic": 0.2,
                                             "stiction_velocity": 0.01, "friction_velocity": 0.02});
    model["units"] = value!({"length": "m", "force": "kN"});
    model["forces"][0]["normal"]["stiffness"] = value!(1e4);
    model["forces"][0]["normal"]["damping"] = value!(4.0);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-4);
    advance(&mut simulation, 0.1);
    let read = |name: &str| output(&simulation, name);
    // v = v0 − μ g t, slip = v − r ω with r ω = 5/2 μ g t.
    let slip = 3.0 - 3.5 * 0.2 * G * 0.1;
    for (name, wanted) in [
        ("pressed", 2e-3 * G),
        ("fz", 2e-3 * G),
        ("fx_on_j", 0.2 * 2e-3 * G),
        ("deep", sunk),
        ("slip", slip),
        ("at_x", read("x")),
        ("at_z", -sunk),
    ] {
        assert!(
            (read(name) / wanted - 1.0).abs() < 1e-3,
            "{name}: {} {wanted}",
            read(name)
        );
    }
}
