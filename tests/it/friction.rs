//! Joint friction against closed forms: sliding, spinning, swinging, break-away, and its power.

use crate::harness::{advance, build, output, start};
use crate::states::{schemes, with_solver};
use fixstep_kernel::math::{asin, sin};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

pub(crate) const G: f64 = 9.81;

/// A part of 2 kg whose joint with ground has friction; `axes` orients its markers, gravity is along −z.
pub(crate) fn model(joint: &str, axes: &Value, friction: &Value) -> Value {
    let mut element = friction.clone();
    element["name"] = json!("rub");
    element["type"] = json!("joint_friction");
    element["joint"] = json!("bearing");
    json!({
        "fixstep": 1, "name": "t", "gravity": [0, 0, -G],
        "parts": [{"name": "body", "mass": 2, "inertia": {"xx": 0.05, "yy": 0.05, "zz": 0.05}}],
        "markers": [
            {"name": "i", "part": "body", "orientation": axes},
            {"name": "j", "part": "ground", "orientation": axes}
        ],
        "joints": [{"name": "bearing", "type": joint, "i": "i", "j": "j"}],
        "forces": [element],
        "outputs": [
            {"name": "x", "expression": "DZ(i, j, j)"},
            {"name": "v", "expression": "VZ(i, j, j)"},
            {"name": "w", "expression": "WZ(i, j, j)"},
            {"name": "wx", "expression": "WX(i, j, j)"},
            {"name": "wy", "expression": "WY(i, j, j)"},
            {"name": "force", "expression": "FRICTION(rub, 0, 4, j)"},
            {"name": "torque", "expression": "FRICTION(rub, 0, 8, j)"},
            {"name": "reaction", "expression": "FRICTION(rub, 1, 4, j)"},
            {"name": "both", "expression": "FZ(i, j, j)"}
        ],
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

/// z of the markers along x of ground.
pub(crate) fn along_x() -> Value {
    json!({"z_point": [1, 0, 0], "x_point": [0, 0, -1]})
}

fn upright() -> Value {
    json!({"euler": [0, 0, 0]})
}

fn coulomb(velocity: f64) -> Value {
    json!({"type": "coulomb", "stiction_velocity": velocity})
}

pub(crate) fn close(got: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!(
        (got - wanted).abs() <= tolerance,
        "{what}: {got} against {wanted}"
    );
}

/// Distance v0²/(2 μ g) and time v0/(μ g) of a block that slides to a stop.
#[test]
fn a_block_slides_to_a_stop() {
    let (v0, mu) = (2.0, 0.3);
    let friction = json!({"mu_dynamic": mu, "law": coulomb(5e-3)});
    let mut model = model("translational", &along_x(), &friction);
    model["parts"][0]["velocity"] = json!([v0, 0, 0]);
    let (distance, time) = (v0 * v0 / (2.0 * mu * G), v0 / (mu * G));
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 1e-3);
        close(output(&simulation, "force"), -mu * 2.0 * G, 1e-9, name);
        close(output(&simulation, "reaction"), mu * 2.0 * G, 1e-9, name);
        close(output(&simulation, "both"), -mu * 2.0 * G, 1e-9, name);
        advance(&mut simulation, 0.5);
        close(output(&simulation, "v"), v0 - mu * G * 0.5, 1e-6, name);
        advance(&mut simulation, time - 0.01);
        close(output(&simulation, "v"), 0.01 * mu * G, 4e-3, name);
        advance(&mut simulation, time + 0.1);
        close(output(&simulation, "v"), 0.0, 1e-6, name);
        close(output(&simulation, "x"), distance, 2e-3 * distance, name);
    }
}

/// Moments press in the guide over their arms: a = μ (m g + |M|/b + |T|/r + P/μ)/m.
#[test]
fn moments_and_preload_add_to_the_load() {
    let (mu, bending, twisting, preload) = (0.2, 5.0, 3.0, 1.5);
    let arms = |inputs: Value| {
        json!({"mu_dynamic": mu, "law": coulomb(1e-3), "bending_arm": 0.4, "reaction_arm": 0.3,
               "preload_force": preload, "inputs": inputs})
    };
    let normal = 2.0 * G;
    for (inputs, load) in [
        (
            Value::Null,
            normal + bending / 0.4 + twisting / 0.3 + preload / mu,
        ),
        (json!(["reaction_force"]), normal),
        (json!(["bending_moment"]), bending / 0.4),
        (
            json!(["torsional_moment", "preload"]),
            twisting / 0.3 + preload / mu,
        ),
    ] {
        let mut model = model("translational", &along_x(), &arms(inputs));
        model["parts"][0]["velocity"] = json!([3, 0, 0]);
        model["forces"].as_array_mut().unwrap().push(json!({
            "name": "load", "type": "vector_torque", "i": "i", "j": "ground", "ty": bending,
            "tx": -twisting
        }));
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-3);
        close(output(&simulation, "force"), -mu * load, 1e-8, "force");
        advance(&mut simulation, 0.1);
        let wanted = 3.0 - mu * load / 2.0 * 0.1;
        close(output(&simulation, "v"), wanted, 1e-8, "velocity");
    }
}

/// ω = ω0 − T t/J: radially loaded T = μ R m g, on its end T = μ R_f m g.
#[test]
fn a_journal_spins_down() {
    let (mu, radius, arm, w0) = (0.1, 0.02, 0.03, 40.0);
    let friction = json!({"mu_dynamic": mu, "pin_radius": radius, "friction_arm": arm,
                          "law": coulomb(2e-3)});
    for (axes, lever, w) in [
        (along_x(), radius, [w0, 0.0, 0.0]),
        (upright(), arm, [0.0, 0.0, w0]),
    ] {
        let mut model = model("revolute", &axes, &friction);
        model["parts"][0]["angular_velocity"] = json!(w);
        let torque = mu * lever * 2.0 * G;
        for (name, solver, _) in schemes() {
            let mut simulation = with_solver(&model, &solver);
            start(&mut simulation, 1e-3);
            close(output(&simulation, "torque"), -torque, 1e-9, name);
            advance(&mut simulation, 1.0);
            close(output(&simulation, "w"), w0 - torque / 0.05, 1e-6, name);
            let stop = w0 * 0.05 / torque;
            if name == "HHT" {
                advance(&mut simulation, stop - 0.1);
                close(output(&simulation, "w"), 0.1 * torque / 0.05, 1e-4, name);
                advance(&mut simulation, stop + 0.5);
                close(output(&simulation, "w"), 0.0, 1e-3, name);
            }
        }
    }
}

/// The same journal with bending: a torque M across the axis adds R M/b; in inches, pounds and degrees,
/// with viscous friction, J ω' = −T − c ω.
#[test]
fn friction_in_user_units_is_that_in_si() {
    let (inch, pound_force, degree) = (0.0254, 4.448_221_615_260_5, std::f64::consts::PI / 180.0);
    let friction = json!({"mu_dynamic": 0.1, "pin_radius": 2, "bending_arm": 4, "law": coulomb(0.01),
                          "preload_torque": 3, "viscous_torque": 0.05});
    let mut model = model("revolute", &upright(), &friction);
    model["units"] = json!({"length": "in", "mass": "lbm", "force": "lbf", "angle": "deg"});
    model["gravity"] = json!([-100, 0, 0]);
    model["parts"][0]["inertia"] = json!({"xx": 30, "yy": 30, "zz": 30});
    model["parts"][0]["angular_velocity"] = json!([0, 0, 900]);
    model["forces"].as_array_mut().unwrap().push(json!({
        "name": "load", "type": "vector_torque", "i": "i", "j": "ground", "tx": 7
    }));
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    let mass = 0.453_592_37;
    let torque = 0.1 * 2.0 * (2.0 * mass * 100.0 * inch / pound_force + 7.0 / 4.0) + 3.0;
    close(
        output(&simulation, "torque"),
        -torque - 0.05 * 900.0,
        1e-9,
        "lbf in",
    );
    let unit = pound_force * inch;
    let inertia = 30.0 * mass * inch * inch;
    let (t, c) = (torque * unit, 0.05 * unit / degree);
    advance(&mut simulation, 0.02);
    let decay = fixstep_kernel::math::exp(-c * 0.02 / inertia);
    let wanted = (15.707_963_267_948_966 + t / c) * decay - t / c;
    close(output(&simulation, "w"), wanted, 1e-4 * wanted, "rad/s");
}

/// A ball in its socket under its weight: μ R m g against the spin, about any axis.
#[test]
fn a_ball_spins_down() {
    let friction = json!({"mu_static": 0.3, "mu_dynamic": 0.2, "ball_radius": 0.05,
                          "law": coulomb(2e-3)});
    let mut model = model("spherical", &json!({"euler": [0.3, 0.4, 0.5]}), &friction);
    model["parts"][0]["angular_velocity"] = json!([3, -4, 12]);
    model["outputs"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "spin", "expression": "WM(i, j)"}));
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    let rate = 0.2 * 0.05 * 2.0 * G / 0.05;
    for tenth in 1..20 {
        let time = 0.1 * f64::from(tenth);
        advance(&mut simulation, time);
        close(
            output(&simulation, "spin"),
            13.0 - rate * time,
            1e-5,
            "spin",
        );
        let ratio = output(&simulation, "wx") / output(&simulation, "wy");
        let first = {
            let mut fresh = build(&model.to_string());
            start(&mut fresh, 1e-3);
            output(&fresh, "wx") / output(&fresh, "wy")
        };
        close(ratio, first, 1e-6, "axis");
    }
}

/// A pin that turns and slides: with J = m R² the slip keeps its direction, and |s| falls by μ g.
#[test]
fn a_pin_turns_and_slides() {
    let radius = 0.158_113_883_008_418_98;
    let friction = json!({"mu_dynamic": 0.2, "pin_radius": radius, "law": coulomb(2e-3)});
    let mut model = model("cylindrical", &along_x(), &friction);
    model["parts"][0]["velocity"] = json!([0.9, 0, 0]);
    model["parts"][0]["angular_velocity"] = json!([1.2 / radius, 0, 0]);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    for tenth in 1..7 {
        let time = 0.1 * f64::from(tenth);
        advance(&mut simulation, time);
        let slip = 1.5 - 0.2 * G * time;
        close(output(&simulation, "v"), 0.6 * slip, 1e-6, "slide");
        close(output(&simulation, "w") * radius, 0.8 * slip, 1e-6, "turn");
    }
}

/// Either pin of a cross under the weight along it: μ R_f m g.
#[test]
fn a_cross_turns_about_either_pin() {
    let friction = json!({"mu_dynamic": 0.2, "pin_radius": 0.02, "friction_arm": 0.05,
                          "law": coulomb(2e-3)});
    // y of J, or x of I, upright.
    for (axes, spin) in [
        (json!({"z_point": [0, -1, 0], "x_point": [1, 0, 0]}), "wy"),
        (json!({"z_point": [1, 0, 0], "x_point": [0, 0, 1]}), "wx"),
    ] {
        let mut model = model("universal", &axes, &friction);
        model["parts"][0]["angular_velocity"] = json!([0, 0, 20]);
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 0.5);
        let wanted = 20.0 - 0.2 * 0.05 * 2.0 * G / 0.05 * 0.5;
        close(output(&simulation, spin).abs(), wanted, 1e-6, spin);
    }
}

/// Dry friction takes 2 T/(m g l) off the amplitude of a small swing in each half.
#[test]
fn a_swing_loses_amplitude_in_proportion_to_time() {
    let (length, torque, first) = (0.5, 0.01, 0.02);
    let friction = json!({"mu_dynamic": 0.1, "pin_radius": 0.05, "preload_torque": torque,
                          "inputs": ["preload"], "law": coulomb(1e-6)});
    let mut model = model("revolute", &along_x(), &friction);
    model["parts"][0]["center_of_mass"] = json!([0, 0, -length]);
    model["joints"][0]["initial"] = json!({"angle": first, "angular_velocity": 0});
    model["outputs"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "angle", "expression": "AZ(i, j)"}));
    model["solver"] = json!({"integrator": "GENALPHA"});
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    let mut turns = Vec::new();
    let mut last = [first, first];
    while turns.len() < 8 {
        simulation.step().unwrap();
        let angle = output(&simulation, "angle");
        if (angle - last[1]) * (last[1] - last[0]) < 0.0 {
            turns.push(last[1]);
        }
        last = [last[1], angle];
    }
    let loss = 2.0 * torque / (2.0 * G * length);
    for (k, angle) in turns.iter().enumerate() {
        let wanted = first - loss * (k + 1) as f64;
        close(angle.abs(), wanted, 2e-5, &format!("swing {k}"));
    }
}

/// A slope that the static coefficient would hold: the smooth law creeps where μ(u) = tan α.
#[test]
fn a_block_held_on_a_slope_creeps_as_the_curve_says() {
    let (held, slope) = (0.4, 0.3_f64);
    let friction = json!({"mu_static": held, "mu_dynamic": 0.35, "law": coulomb(5e-3)});
    let mut model = model("translational", &along_x(), &friction);
    let normal = G / (1.0 + slope * slope).sqrt();
    model["gravity"] = json!([slope * normal, 0, -normal]);
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 1.0);
        // (3 x − x³)/2 = y has the root 2 sin(asin(y)/3).
        let creep = 5e-3 * 2.0 * sin(asin(slope / held) / 3.0);
        close(output(&simulation, "v"), creep, 1e-9, name);
    }
}

/// Under a force that grows, the block breaks away at μs N and goes on against μd N.
#[test]
fn a_block_breaks_away_at_static_friction() {
    let friction = json!({"mu_static": 0.5, "mu_dynamic": 0.25, "law": coulomb(1e-3)});
    let mut model = model("translational", &along_x(), &friction);
    model["forces"].as_array_mut().unwrap().push(json!({
        "name": "pull", "type": "vector_force", "i": "i", "j": "ground", "fx": "8*TIME"
    }));
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    let normal = 2.0 * G;
    let away = 0.5 * normal / 8.0;
    advance(&mut simulation, away - 0.02);
    assert!(output(&simulation, "v") < 1e-3, "before break-away");
    close(
        output(&simulation, "force"),
        -8.0 * (away - 0.02),
        1e-2,
        "held",
    );
    advance(&mut simulation, away + 0.02);
    assert!(output(&simulation, "v") > 1.5e-3, "after break-away");
    advance(&mut simulation, 2.0);
    close(
        output(&simulation, "force"),
        -0.25 * normal,
        1e-6,
        "sliding",
    );
}

/// What is left of the energy is what friction has not taken, and it never gives any.
#[test]
fn friction_dissipates() {
    let friction = json!({"mu_static": 0.3, "mu_dynamic": 0.2, "pin_radius": 0.1,
                          "bending_arm": 0.3, "viscous_torque": 0.01, "viscous_force": 0.1,
                          "preload_force": 0.2, "law": coulomb(0.05)});
    let mut model = model("cylindrical", &along_x(), &friction);
    model["parts"][0]["center_of_mass"] = json!([0.1, 0.4, -0.2]);
    model["parts"][0]["velocity"] = json!([1.5, 0, 0]);
    model["forces"].as_array_mut().unwrap().push(json!({
        "name": "spring", "type": "vector_force", "i": "i", "j": "ground", "fx": "-30*DX(i)"
    }));
    let balance = |h: f64| {
        let mut simulation = build(&model.to_string());
        start(&mut simulation, h);
        let look = |s: &Simulation| {
            let power = output(s, "force") * output(s, "v") + output(s, "torque") * output(s, "w");
            let spring = 15.0 * output(s, "x") * output(s, "x");
            let stored = s.figure(Figure::PotentialEnergy) + s.figure(Figure::KineticEnergy);
            (power, stored + spring)
        };
        let (mut before, first) = look(&simulation);
        let mut work = 0.0;
        let mut worst = 0.0_f64;
        while simulation.time() < 2.0 {
            simulation.step().unwrap();
            let (power, energy) = look(&simulation);
            assert!(power <= 0.0, "friction drives with {power} W");
            work += 0.5 * h * (before + power);
            worst = worst.max((energy - first - work).abs());
            before = power;
        }
        assert!(work < -1.0, "{work}");
        worst
    };
    let (coarse, fine) = (balance(2e-3), balance(1e-3));
    let order = (coarse / fine).log2();
    eprintln!("energy balance with friction: {fine:.1e} J at 1 ms, order {order:.2}");
    assert!(fine < 2e-3 && order > 1.5, "{fine} {order}");
}

/// Static friction alone does not hold back what slides; sliding friction alone has no peak.
#[test]
fn static_and_sliding_friction_can_be_left_out() {
    for (effect, at_peak, beyond) in [
        (Value::Null, 0.5, 0.3),
        (json!("all"), 0.5, 0.3),
        (json!("sliding"), 0.3, 0.3),
        (json!("stiction"), 0.5, 0.0),
    ] {
        for (v0, mu) in [(0.01, at_peak), (1.0, beyond)] {
            let friction = json!({"mu_static": 0.5, "mu_dynamic": 0.3, "effect": effect,
                                  "law": coulomb(0.01)});
            let mut model = model("translational", &along_x(), &friction);
            model["parts"][0]["velocity"] = json!([v0, 0, 0]);
            let mut simulation = build(&model.to_string());
            start(&mut simulation, 1e-3);
            let what = format!("{effect} at {v0} m/s");
            close(output(&simulation, "force"), -mu * 2.0 * G, 1e-9, &what);
        }
    }
}

/// Adds an entity to a list of a model.
pub(crate) fn add(model: &mut Value, list: &str, entity: Value) {
    model[list].as_array_mut().unwrap().push(entity);
}
