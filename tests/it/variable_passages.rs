//! What begins and ends within a step, and must not be passed over: contacts, stops, bells over positions, pulses of curved
//! functions of time, fast vibrations.

use crate::harness::{advance, build, methods, output};
use fixstep_kernel::math::{atan, sin};
use fixstep_kernel::simulation::{Method, Simulation, Tolerance};
use serde_json::{Value, json};

fn run(model: &Value, (method, error, longest): (Method, f64, f64), until: f64) -> Simulation {
    let mut simulation = build(&model.to_string());
    simulation.set_step(0.1 * until);
    simulation.initialize(0.0).unwrap();
    simulation.set_step(0.1 * until);
    simulation.set_tolerance(Tolerance {
        method,
        ..Tolerance::new(error, longest)
    });
    advance(&mut simulation, until);
    simulation
}

fn contact(i: &Value, j: &Value) -> Value {
    json!([{"name": "hit", "type": "contact", "i": "a", "j": "b", "shapes": {"i": i, "j": j},
            "normal": {"type": "hunt_crossley", "stiffness": 1e6, "damping": 0}}])
}

fn ball(radius: f64) -> Value {
    json!({"type": "sphere", "radius": radius})
}

/// A ball at 2 m/s meets an equal one at rest, without loss: they exchange their velocities.
#[test]
fn balls_do_not_fly_through_each_other() {
    let part = |name: &str, x: f64, v: f64| {
        json!({"name": name, "mass": 0.2, "inertia": {"xx": 7e-5, "yy": 7e-5, "zz": 7e-5},
               "position": [x, 0, 0], "velocity": [v, 0, 0]})
    };
    let model = json!({
        "fixstep": 1, "name": "pool", "gravity": [0, 0, 0],
        "parts": [part("one", -1.0, 2.0), part("other", 0.0, 0.0)],
        "markers": [{"name": "a", "part": "one"}, {"name": "b", "part": "other"}],
        "forces": contact(&ball(0.03), &ball(0.03)),
        "outputs": [{"name": "va", "expression": "VX(a)"}, {"name": "vb", "expression": "VX(b)"}],
        "experiment": {"stop": 2, "step": 0.01}
    });
    for method in methods() {
        for (error, most) in [(1e-4, 0.4), (1e-6, 0.02), (1e-8, 2e-3)] {
            let simulation = run(&model, (method, error, 2.0), 2.0);
            let [va, vb] = ["va", "vb"].map(|name| output(&simulation, name));
            assert!(va.abs() < most, "{method:?} {error}: {va}");
            assert!((vb - 2.0).abs() < most, "{method:?} {error}: {vb}");
        }
    }
}

/// A ball falls 4.9 m on fixed shapes that it is thicker than, and comes back with its energy.
#[test]
fn a_ball_does_not_fall_through_what_is_fixed() {
    let shapes = [
        json!({"type": "box", "size": [0.1, 0.1, 0.1]}),
        json!({"type": "box", "size": [1, 0.001, 1]}),
        json!({"type": "cylinder", "radius": 0.05, "length": 1}),
        ball(0.05),
    ];
    for shape in shapes {
        let model = json!({
            "fixstep": 1, "name": "drop", "gravity": [0, -9.81, 0],
            "point_masses": [{"name": "m", "mass": 1, "position": [0, 5, 0]}],
            "markers": [{"name": "a", "part": "m"}, {"name": "b", "part": "ground"}],
            "forces": contact(&ball(0.05), &shape),
            "outputs": [{"name": "e", "expression": "9.81*DY(a) + VM(a)**2/2"}, {"name": "y", "expression": "DY(a)"}],
            "experiment": {"stop": 1.5, "step": 0.01}
        });
        for method in methods() {
            let simulation = run(&model, (method, 1e-6, 1.5), 1.5);
            let [y, e] = ["y", "e"].map(|name| output(&simulation, name));
            assert!(y > 3.0, "{shape} {method:?}: {y}");
            assert!((e - 9.81 * 5.0).abs() < 0.5, "{shape} {method:?}: {e}");
        }
    }
}

/// 1 kg along z, with a force over the place, thrown at a velocity.
fn thrown(force: &str, velocity: f64) -> Value {
    json!({
        "fixstep": 1, "name": "thrown", "gravity": [0, 0, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": [{"name": "m", "mass": 1, "velocity": [0, 0, velocity]}],
        "markers": [{"name": "a", "part": "m"}, {"name": "b", "part": "ground"}],
        "forces": [{"name": "push", "type": "action_only_force", "i": "a", "j": "b", "expression": force}],
        "outputs": [{"name": "z", "expression": "DZ(a, b)"}, {"name": "v", "expression": "VZ(a, b)"}],
        "experiment": {"step": 0.1, "stop": 10}
    })
}

/// A force that peaks over the place does the work of its area: v² = 1 + 2 W.
#[test]
fn a_force_that_peaks_over_a_place_does_its_work() {
    let bell = std::f64::consts::PI.sqrt();
    for (force, work) in [
        ("1000*EXP(-((DZ(a,b)-0.5)/0.001)**2)", bell),
        (
            "1000*STEP(DZ(a,b),0.5,0,0.501,1)*STEP(DZ(a,b),0.501,1,0.502,0)",
            1.0,
        ),
    ] {
        for method in methods() {
            let v = output(&run(&thrown(force, 1.0), (method, 1e-8, 2.5), 2.5), "v");
            let exact = (1.0 + 2.0 * work).sqrt();
            assert!((v - exact).abs() < 2e-3 * exact, "{method:?} {force}: {v}");
        }
    }
}

/// A mass that is braked by 1 N would turn 0.1 mm behind a stop of w² = 10⁶ N/m, which throws it back with the velocity v at
/// which it came, after 2 atan(w v)/w.
#[test]
fn a_grazed_stop_throws_back() {
    let (speed, w) = (2e-4_f64.sqrt(), 1e3_f64);
    // Within the stop: x'' = -1 - w² x from x = 0, x' = v.
    let within = 2.0 * atan(speed * w) / w;
    let reaches = 1.0 - speed;
    let after = 2.5 - reaches - within;
    let exact = 0.4999 - speed * after - 0.5 * after * after;
    for force in [
        "-1-1E6*MAX(0,DZ(a,b)-0.4999)",
        "-1-IF(DZ(a,b)-0.4999:0,0,1E6*(DZ(a,b)-0.4999))",
        "-1-IMPACT(-DZ(a,b),-VZ(a,b),-0.4999,1E6,1,0,0.001)",
    ] {
        for method in methods() {
            let z = output(&run(&thrown(force, 1.0), (method, 1e-8, 2.5), 2.5), "z");
            assert!(
                (z - exact).abs() < 5e-3,
                "{method:?} {force}: {z}, not {exact}"
            );
        }
    }
}

/// Pulses of curved functions of TIME: x(10) by adaptive quadrature of (10 - t) F(t) to 1e-12.
#[test]
fn pulses_of_curved_functions_of_time_are_found() {
    for (force, exact) in [
        ("1000*STEP(SIN(TIME),0.99999,0,0.999999,1)", 68.839_751_514),
        ("1E6*MAX(0,SIN(TIME)-0.99999)", 0.630_584_724_8),
        ("1000*EXP(-100000*(1-SIN(TIME)))", 83.826_237_156),
        ("1000*SIN(TIME)**200001", 29.636_902_182),
        ("1000/COSH((TIME-5.3)*2000)**2", 4.7),
    ] {
        for method in methods() {
            let x = output(&run(&thrown(force, 0.0), (method, 1e-8, 10.0), 10.0), "z");
            assert!(
                (x - exact).abs() < 3e-3 * exact,
                "{method:?} {force}: {x}, not {exact}"
            );
        }
    }
}

/// 10 cos(5000 t) on 1 kg: v = 0.002 sin(5000 t), no mean.
#[test]
fn a_fast_force_has_no_mean() {
    for method in methods() {
        let simulation = run(&thrown("10*COS(5000*TIME)", 0.0), (method, 1e-6, 1.0), 1.0);
        let v = output(&simulation, "v");
        let exact = 0.002 * sin(5000.0);
        assert!((v - exact).abs() < 2e-3, "{method:?}: {v}");
    }
}

/// A ball that rolls on a plane, and one that rests: what a step does not pass over costs no steps.
#[test]
fn contacts_that_rest_or_roll_cost_no_steps() {
    for velocity in [0.0, 3.0] {
        let model = json!({
            "fixstep": 1, "name": "rest", "gravity": [0, 0, -9.81],
            "parts": [{"name": "m", "mass": 1, "inertia": {"xx": 1e-3, "yy": 1e-3, "zz": 1e-3},
                       "position": [0, 0, 0.05 - 9.81e-6], "velocity": [velocity, 0, 0]}],
            "markers": [{"name": "a", "part": "m"}, {"name": "b", "part": "ground"}],
            "forces": [{"name": "hit", "type": "contact", "i": "a", "j": "b",
                        "shapes": {"i": ball(0.05), "j": {"type": "plane"}},
                        "normal": {"type": "impact", "stiffness": 1e6, "exponent": 1, "damping": 100, "depth": 1e-4}}],
            "outputs": [{"name": "z", "expression": "DZ(a)"}],
            "experiment": {"stop": 2, "step": 0.01}
        });
        for method in methods() {
            let simulation = run(&model, (method, 1e-6, 0.2), 2.0);
            let steps = simulation.variable_report().unwrap().steps;
            assert!(steps < 60, "{method:?} {velocity}: {steps}");
        }
    }
}

/// A vibration that moves nothing costs nothing.
#[test]
fn a_weak_fast_force_is_not_followed() {
    for method in methods() {
        let simulation = run(
            &thrown("1E-9*COS(5000*TIME)", 0.0),
            (method, 1e-6, 1.0),
            1.0,
        );
        let steps = simulation.variable_report().unwrap().steps;
        assert!(steps < 100, "{method:?}: {steps}");
    }
}

/// A ball rebounds with the coefficient of restitution from the velocity at which it arrived, and is pressed as long as it
/// touches, also at instants between steps. Outside, a weight of 9.81 N acts.
#[test]
fn a_ball_rebounds_with_its_restitution() {
    let model = json!({
        "fixstep": 1, "name": "rebound", "gravity": [0, 0, 0],
        "parts": [{"name": "ball", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}, "position": [0, 0, 0.2],
            "velocity": [0, 0, 0]}],
        "markers": [{"name": "a", "part": "ball"}, {"name": "b", "part": "ground"}],
        "forces": [{"name": "hit", "type": "contact", "i": "a", "j": "b",
            "shapes": {"i": ball(0.05), "j": {"type": "plane"}},
            "normal": {"type": "hunt_crossley", "stiffness": 1e7, "restitution": 0.5, "slow": 0.01}},
            {"name": "weight", "type": "action_only_force", "i": "a", "j": "b", "expression": "IF(DZ(a, b) - 0.05: 0, 0, -9.81)"}],
        "outputs": [
            {"name": "depth", "expression": "0.05 - DZ(a, b)"}, {"name": "v", "expression": "VZ(a, b)"},
            {"name": "force", "expression": "CONTACT(hit, 0, 10)"}
        ],
        "experiment": {"stop": 0.2, "step": 1e-5}
    });
    for method in methods() {
        let mut simulation = build(&model.to_string());
        simulation.set_step(1e-5);
        simulation.initialize(0.0).unwrap();
        simulation.set_step(1e-5);
        simulation.set_tolerance(Tolerance {
            method,
            ..Tolerance::new(1e-8, 0.2)
        });
        let mut touched = 0;
        while simulation.time() < 0.2 {
            simulation.step().unwrap();
            let [depth, force] = ["depth", "force"].map(|name| output(&simulation, name));
            assert!(
                depth < 1e-9 || force > 0.0,
                "{method:?}: {force} N at {depth} m"
            );
            touched += usize::from(force > 0.0);
        }
        assert!(touched > 100, "{method:?}: {touched}");
        let [v, depth] = ["v", "depth"].map(|name| output(&simulation, name));
        let rebound = f64::sqrt((v * v - 2.0 * 9.81 * depth) / (2.0 * 9.81 * 0.15));
        assert!((rebound - 0.5).abs() < 1e-3, "{method:?}: {rebound}");
    }
}

/// A bead at 5 m/s on a wire that is straight but for a bump at 3, 10 or 37 m climbs it: its length, and the height.
#[test]
fn a_bead_climbs_the_bump_of_its_wire() {
    for at in [3.0, 10.0, 37.0] {
        let model = json!({
            "fixstep": 1, "name": "bead", "gravity": [0, 0, 0],
            "point_masses": [{"name": "bead", "mass": 1, "velocity": [5, 0, 0]}],
            "curves": [{
                "name": "wire", "x": "s", "y": "0", "z": format!("0.2*EXP(-((s - {at})/0.1)**2)"),
                "from": -1, "to": 45, "pieces": 460
            }],
            "markers": [{"name": "a", "part": "bead"}, {"name": "b", "part": "ground"}],
            "joints": [{"name": "on", "type": "point_on_curve", "i": "a", "j": "b", "curve": "wire"}],
            "outputs": [{"name": "z", "expression": "DZ(a, b)"}, {"name": "x", "expression": "DX(a, b)"}],
            "experiment": {"step": 0.01, "stop": 8.5}
        });
        // The arc over the bump is longer than its base, by a quadrature of its own.
        let slope = |s: f64| -0.4 * s / 0.01 * fixstep_kernel::math::exp(-s * s / 0.01);
        let excess: f64 = (-60_000..60_000)
            .map(|k| {
                let g = slope(1e-5 * (f64::from(k) + 0.5));
                1e-5 * ((1.0 + g * g).sqrt() - 1.0)
            })
            .sum();
        for method in methods() {
            for (error, most) in [(1e-5, 0.5), (1e-8, 0.02)] {
                let mut simulation = build(&model.to_string());
                simulation.set_step(0.01);
                simulation.initialize(0.0).unwrap();
                simulation.set_step(0.01);
                simulation.set_tolerance(Tolerance {
                    method,
                    ..Tolerance::new(error, 8.5)
                });
                let mut top = 0.0_f64;
                while simulation.time() < 8.495 {
                    simulation.step().unwrap();
                    top = top.max(output(&simulation, "z"));
                }
                assert!(top > 0.15, "{method:?} {error} at {at} m: {top}");
                let x = output(&simulation, "x");
                let missed = x - (42.5 - excess);
                assert!(
                    missed.abs() < most,
                    "{method:?} {error} at {at} m: {missed}"
                );
            }
        }
    }
}

/// A ball at 5 m/s on a terrain that is level but for a ramp up and down is lifted by it, wherever it lies.
#[test]
fn a_ball_is_lifted_by_the_bump_of_its_terrain() {
    for at in [6.2, 10.0, 13.7] {
        let x: Vec<f64> = (0..=150).map(|k| 0.2 * f64::from(k)).collect();
        let ramp = |x: &f64| 0.03 * (1.0 - (x - at).abs() / 0.5).max(0.0);
        let y: Vec<f64> = x.iter().map(ramp).collect();
        let model = json!({
            "fixstep": 1, "name": "ball", "gravity": [0, 0, -9.81],
            "parts": [{"name": "ball", "mass": 1, "inertia": {"xx": 0.004, "yy": 0.004, "zz": 0.004},
                       "position": [1, 0, 0.0995], "velocity": [5, 0, 0]}],
            "splines": [{"name": "ramp", "x": x, "y": y}],
            "markers": [{"name": "a", "part": "ball"}, {"name": "b", "part": "ground"}],
            "forces": [{"name": "hit", "type": "contact", "i": "a", "j": "b",
                "shapes": {"i": ball(0.1), "j": {"type": "profile", "spline": "ramp"}},
                "normal": {"type": "hunt_crossley", "stiffness": 1e6, "damping": 0.5}}],
            "outputs": [{"name": "z", "expression": "DZ(a, b)"}],
            "experiment": {"step": 0.01, "stop": 4}
        });
        for method in methods() {
            for error in [1e-4, 1e-7] {
                let mut simulation = build(&model.to_string());
                simulation.set_step(0.01);
                simulation.initialize(0.0).unwrap();
                simulation.set_step(0.01);
                simulation.set_tolerance(Tolerance {
                    method,
                    ..Tolerance::new(error, 4.0)
                });
                let mut top = 0.0_f64;
                while simulation.time() < 3.9 {
                    simulation.step().unwrap();
                    top = top.max(output(&simulation, "z"));
                }
                assert!(top > 0.12, "{method:?} {error} at {at} m: {top}");
            }
        }
    }
}

/// A force by a spline over the place, zero but for a pulse, does the work of its area wherever the pulse is.
#[test]
fn a_pulse_of_a_spline_does_its_work() {
    for (function, at) in [
        ("AKISPL", 3.1),
        ("CUBSPL", 3.1),
        ("AKISPL", 20.0),
        ("INTERP", 20.0),
    ] {
        let x: Vec<f64> = (0..=250).map(|k| 0.1 * f64::from(k)).collect();
        // A triangle of 2 N and 0.4 m.
        let y: Vec<f64> = { x.iter() }
            .map(|x| 2.0 * (1.0 - (x - at).abs() / 0.2).max(0.0))
            .collect();
        let mut model = thrown(
            &match function {
                "INTERP" => "INTERP(DZ(a, b), 1, pulse)".to_owned(),
                _ => format!("{function}(DZ(a, b), 0, pulse)"),
            },
            5.0,
        );
        model["splines"] = json!([{"name": "pulse", "x": x, "y": y}]);
        for method in methods() {
            let simulation = run(&model, (method, 1e-6, 10.0), 6.0);
            let v = output(&simulation, "v");
            let work = 0.5 * (v * v - 25.0);
            assert!(
                (work - 0.4).abs() < 0.05,
                "{function} at {at}, {method:?}: {work}"
            );
        }
    }
}
