//! Contact of bodies with corners, rims and ends: closed forms of rest, sliding, rolling and tipping.

use crate::harness::{advance, build, load, output, start, step_or_fly};
use fixstep_kernel::ids::ParameterId;
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json as value};

const G: f64 = 9.81;

/// A part of 2 kg of this shape above the ground's plane, whose z is up; gravity as given.
fn body(shape: &Value, inertia: [f64; 3], place: [f64; 3], gravity: [f64; 3]) -> Value {
    let [xx, yy, zz] = inertia;
    value!({
        "fixstep": 1, "name": "body", "gravity": gravity,
        "parts": [{"name": "p", "mass": 2, "inertia": {"xx": xx, "yy": yy, "zz": zz},
                   "position": place, "velocity": [0, 0, 0], "angular_velocity": [0, 0, 0]}],
        "markers": [{"name": "m", "part": "p"}, {"name": "floor", "part": "ground"}],
        "forces": [{"name": "c", "type": "contact", "i": "m", "j": "floor",
                    "shapes": {"i": shape, "j": {"type": "plane"}},
                    "normal": {"type": "impact", "stiffness": 1e5, "exponent": 1, "damping": 200,
                               "depth": 1e-5}}],
        "outputs": [
            {"name": "x", "expression": "DX(m)"}, {"name": "z", "expression": "DZ(m)"},
            {"name": "vx", "expression": "VX(m)"}, {"name": "vz", "expression": "VZ(m)"},
            {"name": "wy", "expression": "WY(m)"},
            {"name": "lean", "expression": "ACOS(MIN(1, COS(PITCH(m))*COS(ROLL(m))))"}
        ],
        "solver": {"fixit": 6}
    })
}

fn friction(mu: f64, from: f64) -> Value {
    value!({"mu_static": mu, "mu_dynamic": mu, "stiction_velocity": from,
            "friction_velocity": 2.0 * from})
}

fn energy(simulation: &Simulation) -> f64 {
    simulation.figure(Figure::KineticEnergy) + simulation.figure(Figure::PotentialEnergy)
}

/// On n points of stiffness k a body sinks in by m g/(n k): a box and a standing cylinder on four, a lying
/// cylinder on two, a pyramid on the three corners of its base.
#[test]
fn bodies_at_rest_sink_in_by_their_points() {
    let half = std::f64::consts::FRAC_PI_2;
    let brick = value!({"type": "box", "size": [0.3, 0.2, 0.1]});
    let roller = value!({"type": "cylinder", "radius": 0.1, "length": 0.4});
    let corner = |t: f64| {
        [
            0.2 * fixstep_kernel::math::cos(t),
            0.2 * fixstep_kernel::math::sin(t),
            -0.05,
        ]
    };
    let third = 2.0 * std::f64::consts::PI / 3.0;
    let pyramid = value!({"type": "hull", "points": [corner(0.3), corner(0.3 + third), corner(0.3 - third), [0, 0, 0.2]]});
    let upright = [0.0; 3];
    let lying = [half, half, 0.0];
    for (shape, euler, height, points) in [
        (&brick, upright, 0.05, 4.0),
        (&roller, upright, 0.2, 4.0),
        (&roller, lying, 0.1, 2.0),
        (&pyramid, upright, 0.05, 3.0),
    ] {
        let mut model = body(shape, [0.02; 3], [0.0, 0.0, height], [0.0, 0.0, -G]);
        model["parts"][0]["orientation"] = value!({"euler": euler});
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 2.0);
        let sunk = height - output(&simulation, "z");
        let wanted = 2.0 * G / (points * 1e5);
        assert!(
            (sunk / wanted - 1.0).abs() < 1e-6,
            "{shape} {euler:?}: {sunk} {wanted}"
        );
    }
}

/// Down a slope of angle α with friction μ a block slides with g (sin α − μ cos α).
#[test]
fn a_block_slides_down_a_slope() {
    let (mu, slope) = (0.2, 0.4);
    let (s, c) = (
        fixstep_kernel::math::sin(slope),
        fixstep_kernel::math::cos(slope),
    );
    let brick = value!({"type": "box", "size": [0.3, 0.2, 0.1]});
    let sunk = 2.0 * G * c / 4e5;
    let mut model = body(
        &brick,
        [0.01, 0.02, 0.02],
        [0.0, 0.0, 0.05 - sunk],
        [G * s, 0.0, -G * c],
    );
    model["forces"][0]["friction"] = friction(mu, 1e-4);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 1.0);
    let wanted = G * (s - mu * c);
    let got = output(&simulation, "vx");
    assert!((got / wanted - 1.0).abs() < 1e-3, "{got} {wanted}");
    assert!(output(&simulation, "lean") < 1e-4);
}

/// On a slope that holds it a block of base b and height h tips over where tan α > b/h, and stands where
/// it is less.
#[test]
fn a_block_tips_over_where_its_weight_falls_beside_its_base() {
    let brick = value!({"type": "box", "size": [0.1, 0.2, 0.2]});
    for (tangent, falls) in [(0.45_f64, false), (0.55, true)] {
        let c = 1.0 / (1.0 + tangent * tangent).sqrt();
        let gravity = [G * c * tangent, 0.0, -G * c];
        let mut model = body(
            &brick,
            [0.0133, 0.0083, 0.0083],
            [0.0, 0.0, 0.1 - 2.0 * G * c / 4e5],
            gravity,
        );
        model["forces"][0]["friction"] = friction(2.0, 2e-2);
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-4);
        advance(&mut simulation, 1.0);
        let lean = output(&simulation, "lean");
        assert_eq!(lean > 0.5, falls, "{tangent}: {lean}");
    }
}

/// A solid cylinder rolls down a slope with 2/3 g sin α.
#[test]
fn a_cylinder_rolls_down_a_slope() {
    let half = std::f64::consts::FRAC_PI_2;
    let slope = 0.1;
    let (s, c) = (
        fixstep_kernel::math::sin(slope),
        fixstep_kernel::math::cos(slope),
    );
    let roller = value!({"type": "cylinder", "radius": 0.1, "length": 0.4});
    let sunk = 2.0 * G * c / 2e5;
    // Axis along y: z of the part to −y of ground.
    let (axial, across) = (0.5 * 2.0 * 0.01, 2.0 * (0.01 / 4.0 + 0.16 / 12.0));
    let mut model = body(
        &roller,
        [across, across, axial],
        [0.0, 0.0, 0.1 - sunk],
        [G * s, 0.0, -G * c],
    );
    model["parts"][0]["orientation"] = value!({"euler": [0, half, 0]});
    model["forces"][0]["friction"] = friction(0.5, 1e-2);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-4);
    advance(&mut simulation, 1.0);
    let wanted = 2.0 / 3.0 * G * s;
    let (v, w) = (output(&simulation, "vx"), output(&simulation, "wy"));
    assert!((v / wanted - 1.0).abs() < 5e-3, "{v} {wanted}");
    assert!((0.1 * w / v - 1.0).abs() < 5e-3, "{w} {v}");
}

/// Without damping and friction a cylinder, box or hull that tumbles on the plane keeps its energy: the points
/// of a rim move on it, and take nothing by that.
#[test]
fn a_tumbling_body_without_damping_keeps_its_energy() {
    for (shape, euler) in [
        (
            value!({"type": "cylinder", "radius": 0.1, "length": 0.15}),
            [0.3, 0.02, 0.0],
        ),
        (
            value!({"type": "cylinder", "radius": 0.1, "length": 0.15}),
            [0.3, 0.9, 0.2],
        ),
        (
            value!({"type": "box", "size": [0.2, 0.15, 0.1]}),
            [0.3, 0.9, 0.2],
        ),
    ] {
        let mut model = body(
            &shape,
            [0.006, 0.007, 0.01],
            [0.0, 0.0, 0.2],
            [0.0, 0.0, -G],
        );
        model["parts"][0]["orientation"] = value!({"euler": euler});
        model["parts"][0]["angular_velocity"] = value!([1.0, 0.5, 3.0]);
        model["forces"][0]["normal"] = value!({"type": "hunt_crossley", "stiffness": 1e5});
        model["solver"] = value!({"fixit": 6, "integrator": "NEWMARK", "beta": 0.25, "gamma": 0.5});
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 2e-5);
        let whole = energy(&simulation);
        let mut pressed = 0;
        while simulation.time() < 0.6 {
            step_or_fly(&mut simulation, 0.15, [2e-5, 2e-4]);
            pressed += u32::from(output(&simulation, "z") < 0.12);
            let now = energy(&simulation);
            assert!((now / whole - 1.0).abs() < 2e-4, "{shape}: {whole} {now}");
        }
        assert!(pressed > 100, "{shape}: {pressed}");
    }
}

/// With damping and friction, energy never rises, whatever touches.
#[test]
fn damping_and_friction_only_take_energy() {
    let mut simulation = load("K02_contact_points/model.json");
    start(&mut simulation, 2e-5);
    let mut last = energy(&simulation);
    let kinetic = simulation.figure(Figure::KineticEnergy);
    let first = last;
    while simulation.time() < 0.5 {
        simulation.step().unwrap();
        let now = energy(&simulation);
        assert!(now < last + 2e-6, "{}: {last} {now}", simulation.time());
        last = now;
    }
    assert!(last < first - kinetic, "{first} {last}");
}

/// A ball that falls on the rim of a cylinder, in the line of 45° from it, leaves sideways with the velocity
/// it came with; on the end it comes straight back.
#[test]
fn a_ball_bounces_off_end_and_rim_of_a_cylinder() {
    let aside = 0.1 * std::f64::consts::FRAC_1_SQRT_2;
    for (place, wanted) in [
        ([0.3, 0.2, 0.301], [0.0, 0.0, 1.0]),
        ([1.0 + aside, 0.0, 0.2 + aside + 0.001], [1.0, 0.0, 0.0]),
        ([0.0, -1.0 - aside, 0.2 + aside + 0.001], [0.0, -1.0, 0.0]),
    ] {
        let ball = value!({"type": "sphere", "radius": 0.1});
        let mut model = body(&ball, [0.1; 3], place, [0.0; 3]);
        model["parts"][0]["velocity"] = value!([0, 0, -1]);
        model["forces"][0]["shapes"]["j"] =
            value!({"type": "cylinder", "radius": 1, "length": 0.4});
        model["forces"][0]["normal"] = value!({"type": "impact", "stiffness": 1e9, "depth": 1e-3});
        model["outputs"]
            .as_array_mut()
            .unwrap()
            .push(value!({"name": "vy", "expression": "VY(m)"}));
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-6);
        advance(&mut simulation, 0.003);
        for (name, v) in ["vx", "vy", "vz"].into_iter().zip(wanted) {
            let got = output(&simulation, name);
            assert!((got - v).abs() < 0.01, "{place:?} {name}: {got} {v}");
        }
    }
}

/// What holds between two numbers, and of one, holds when parameters are tuned.
#[test]
fn limits_of_contact_numbers_hold_when_parameters_change() {
    let ball = value!({"type": "sphere", "radius": "=ball"});
    let mut model = body(&ball, [0.1; 3], [0.0; 3], [0.0, 0.0, -G]);
    model["parameters"] = value!([
        {"name": "ball", "start": 0.1, "tunable": true},
        {"name": "slow", "start": 0.01, "tunable": true},
        {"name": "power", "start": 1.5, "tunable": true}
    ]);
    let contact = &mut model["forces"][0];
    contact["shapes"]["j"] = value!({"type": "sphere", "radius": 0.5, "hollow": true});
    contact["normal"]["exponent"] = value!("=power");
    contact["friction"] = friction(0.3, 1e-2);
    contact["friction"]["stiction_velocity"] = value!("=slow");
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    let tune = |simulation: &mut Simulation, k: usize, x: f64| {
        let set = simulation.set_parameter(ParameterId::from(k), x);
        set.map_err(|e| e.to_string())
    };
    let expected = [
        (0, 0.6, "does not fit into the hollow shape"),
        (1, 0.05, "must be more than stiction_velocity"),
        (2, 0.9, "must be one or more"),
    ];
    for (k, x, message) in expected {
        let before = simulation.parameter(ParameterId::from(k));
        let fault = tune(&mut simulation, k, x).unwrap_err();
        assert!(fault.contains(message), "{fault}");
        assert_eq!(simulation.parameter(ParameterId::from(k)), before);
    }
    for (k, x) in [(0, 0.4), (1, 0.015), (2, 1.0)] {
        tune(&mut simulation, k, x).unwrap();
    }
    simulation.step().unwrap();
}
