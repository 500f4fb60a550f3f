//! Tests of mechanisms whose linear forms are known in closed form.

use super::started;
use faer::Mat;
use fixstep_kernel::ids::BodyId;
use linear_analysis::{Gyroscopic, LinearForm, Options};
use serde_json::{Value, json};

/// Is a pair of roots, s² − 2 `real` s + `square` = 0, among those of A?
fn has(form: &LinearForm, what: &str, (real, square): (f64, f64)) {
    let n = form.a.nrows();
    let mut of = &form.a * &form.a;
    for c in 0..n {
        for r in 0..n {
            of[(r, c)] -= 2.0 * real * form.a[(r, c)];
        }
        of[(c, c)] += square;
    }
    let sizes = of.singular_values().unwrap();
    let most = sizes[0].max(form.a.norm_max().powi(2));
    let least = sizes[n - 1];
    assert!(least < 1e-10 * most, "{what}: {least} of {most}");
}

fn vibrates(form: &LinearForm, what: &str, frequency: f64) {
    has(form, what, (0.0, frequency * frequency));
}

/// Is a real root among those of A?
fn decays(form: &LinearForm, what: &str, root: f64) {
    let n = form.a.nrows();
    let of = Mat::from_fn(n, n, |r, c| {
        form.a[(r, c)] - if r == c { root } else { 0.0 }
    });
    let sizes = of.singular_values().unwrap();
    assert!(sizes[n - 1] < 1e-10 * sizes[0], "{what}: {sizes:?}");
}

#[test]
fn double_pendulum() {
    let text = include_str!("../../../../tests/truth/D04_double_pendulum/model.json");
    let mut model: Value = serde_json::from_str(text).unwrap();
    // Both hang.
    let half = 0.5_f64.sqrt();
    for (rod, y) in [(0, 0.0), (1, -0.8)] {
        model["parts"][rod]["position"] = json!([0, y, 0]);
        model["parts"][rod]["orientation"] = json!({"quaternion": [half, 0, 0, -half]});
    }
    let form = started(&model, &Options::default());
    let truth: Value = serde_json::from_str(include_str!(
        "../../../../tests/truth/D04_double_pendulum/reference.json"
    ))
    .unwrap();
    for k in 0..2 {
        let frequency = &truth["hanging_linearization"]["omega_rad_s"][k];
        vibrates(&form, "double pendulum", frequency.as_f64().unwrap());
    }
    assert!(form.notes.is_empty(), "{:?}", form.notes);
}

#[test]
fn inverted_pendulum_on_a_cart() {
    let truth: Value = serde_json::from_str(include_str!(
        "../../../../tests/truth/F05_inverted_pendulum_cart/reference.json"
    ))
    .unwrap();
    let model = json!({
        "fixstep": 1, "name": "cart", "gravity": [0, -9.81, 0],
        "parts": [
            {"name": "cart", "mass": 0.8, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "rod", "mass": 0.25, "position": [0, 0.3, 0], "inertia": {"xx": 0.0075, "yy": 1e-5, "zz": 0.0075}}
        ],
        "markers": [
            {"name": "rail", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "shoe", "part": "cart", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "pin", "part": "cart"}, {"name": "foot", "part": "rod", "position": [0, -0.3, 0]}
        ],
        "joints": [
            {"name": "slide", "type": "translational", "i": "shoe", "j": "rail"},
            {"name": "hinge", "type": "revolute", "i": "foot", "j": "pin"}
        ],
        "inputs": [{"name": "push"}],
        "forces": [
            {"name": "push", "type": "action_only_force", "i": "shoe", "j": "rail", "expression": "push - 0.4*VZ(shoe, rail, rail)"},
            {"name": "rub", "type": "torque", "i": "foot", "j": "pin", "expression": "-0.01*WZ(foot, pin)"}
        ]
    });
    let form = started(&model, &Options::default());
    for k in 1..4 {
        let root = truth["eigenvalues"][k]["re"].as_f64().unwrap();
        decays(&form, "cart", root);
    }
    // The cart's acceleration by the push.
    let cart = form
        .states
        .iter()
        .position(|s| s.name.starts_with("part \"cart\"") && s.unit == "m/s");
    let wanted = truth["B_force_on_cart"][2][0].as_f64().unwrap();
    assert!((form.b[(cart.unwrap(), 0)] - wanted).abs() < 1e-12);
}

/// A body of revolution on a ball joint, with its centre at a height above it.
fn top(height: f64, spin: f64) -> Value {
    json!({
        "fixstep": 1, "name": "top", "gravity": [0, 0, -9.81],
        "parts": [{"name": "top", "mass": 1.2, "position": [0, 0, height], "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.03},
            "angular_velocity": [0, 0, spin]}],
        "markers": [{"name": "foot", "part": "top", "position": [0, 0, -height]}],
        "joints": [{"name": "ball", "type": "spherical", "i": "foot", "j": "ground"}]
    })
}

/// A sleeping top is stable if ω² > 4 m g l J/J₃²; it then nutates and precesses.
#[test]
fn sleeping_top() {
    let height: f64 = 0.15;
    let across = 0.02 + 1.2 * height * height;
    let weight = 1.2 * 9.81 * height;
    let limit = (4.0 * weight * across).sqrt() / 0.03;
    for part in [0.0, 0.5, 0.9, 1.1, 2.0, 10.0] {
        let momentum = 0.03 * part * limit;
        let form = started(&top(height, part * limit), &Options::default());
        let square = momentum * momentum - 4.0 * weight * across;
        let root = square.abs().sqrt();
        if square > 0.0 {
            vibrates(&form, "nutation", (momentum + root) / (2.0 * across));
            vibrates(&form, "precession", (momentum - root) / (2.0 * across));
        } else {
            for sign in [1.0, -1.0] {
                let real = sign * root / (2.0 * across);
                has(&form, "falling top", (real, weight / across));
            }
        }
    }
}

/// A disc on a shaft that bends: its spin separates the whirls, but only with the terms of the angular momentum.
#[test]
fn whirling_disc() {
    let (spin, stiffness): (f64, f64) = (70.0, 90.0);
    let mut model = top(0.0, spin);
    model["gravity"] = json!([0, 0, 0]);
    model["forces"] = json!([{"name": "shaft", "type": "bushing", "i": "foot", "j": "ground",
        "stiffness": [0, 0, 0], "damping": [0, 0, 0], "torsional_stiffness": [stiffness, stiffness, 0], "torsional_damping": [0, 0, 0]}]);
    let form = |gyroscopic| {
        started(
            &model,
            &Options {
                gyroscopic,
                ..Options::default()
            },
        )
    };
    let (across, momentum) = (0.02, 0.03 * spin);
    let root = (momentum * momentum + 4.0 * across * stiffness).sqrt();
    let full = form(Gyroscopic::Full);
    vibrates(&full, "forward", (root + momentum) / (2.0 * across));
    vibrates(&full, "backward", (root - momentum) / (2.0 * across));
    for gyroscopic in [Gyroscopic::Partial, Gyroscopic::None] {
        let form = form(gyroscopic);
        vibrates(&form, "both", (stiffness / across).sqrt());
        let damping = &form.second_order.damping;
        assert!(damping.norm_max() < 1e-12, "{damping:?}");
    }
}

/// A bead in a slot that turns: k/m − Ω² along axes that turn with it, and k/m along those of ground.
#[test]
fn bead_in_a_turning_slot() {
    let (stiffness, mass, spin): (f64, f64, f64) = (500.0, 2.0, 8.0);
    let length = 0.3;
    let place = stiffness * length / (stiffness - mass * spin * spin);
    let axes = |x: f64| json!({"z_point": [x + 1.0, 0, 0], "x_point": [x, 1, 0]});
    let model = json!({
        "fixstep": 1, "name": "slot", "gravity": [0, 0, 0],
        "parts": [
            {"name": "table", "mass": 5, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "bead", "mass": mass, "position": [place, 0, 0], "inertia": {"xx": 0.1, "yy": 0.2, "zz": 0.3}}
        ],
        "markers": [
            {"name": "axis", "part": "table"}, {"name": "slot", "part": "table", "orientation": axes(0.0)},
            {"name": "shoe", "part": "bead", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}}
        ],
        "joints": [
            {"name": "bearing", "type": "revolute", "i": "axis", "j": "ground"},
            {"name": "slide", "type": "translational", "i": "shoe", "j": "slot", "initial": {"velocity": 0}}
        ],
        "motions": [{"name": "drive", "joint": "bearing", "displacement": format!("{spin}*TIME")}],
        "forces": [{"name": "spring", "type": "spring_damper", "i": "shoe", "j": "slot", "stiffness": stiffness, "damping": 0, "length": length}]
    });
    let turning = started(
        &model,
        &Options {
            turning_with: Some(BodyId::from(1_usize)),
            ..Options::default()
        },
    );
    assert_eq!(turning.positions, 1);
    vibrates(&turning, "bead", (stiffness / mass - spin * spin).sqrt());
    let ground = started(&model, &Options::default());
    vibrates(&ground, "bead", (stiffness / mass).sqrt());
}

/// A pendulum on a turning shaft, lifted to g = l Ω² cos θ, swings about there with Ω sin θ √(m l²/(m l² + J)).
#[test]
fn governor_arm() {
    let (mass, inertia, g): (f64, f64, f64) = (1.5, 0.02, 9.81);
    let length: f64 = 0.5;
    let spin = (g / (0.6 * length)).sqrt();
    let sine = 0.8;
    let model = json!({
        "fixstep": 1, "name": "governor", "gravity": [0, 0, -g],
        "parts": [
            {"name": "shaft", "mass": 5, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "ball", "mass": mass, "position": [length * sine, 0, -0.6 * length],
                "inertia": {"xx": inertia, "yy": inertia, "zz": inertia}}
        ],
        "markers": [
            {"name": "axis", "part": "shaft"},
            {"name": "pin", "part": "shaft", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}},
            {"name": "eye", "part": "ball", "position": [-length * sine, 0, 0.6 * length],
                "orientation": {"z_point": [-length * sine, 1, 0.6 * length], "x_point": [1, 0, 0.6 * length]}}
        ],
        "joints": [
            {"name": "bearing", "type": "revolute", "i": "axis", "j": "ground"},
            {"name": "hinge", "type": "revolute", "i": "eye", "j": "pin", "initial": {"angular_velocity": 0}}
        ],
        "motions": [{"name": "drive", "joint": "bearing", "displacement": format!("{spin}*TIME")}]
    });
    let form = started(
        &model,
        &Options {
            turning_with: Some(BodyId::from(1_usize)),
            ..Options::default()
        },
    );
    let share = mass * length * length / (mass * length * length + inertia);
    assert_eq!(form.positions, 1);
    vibrates(&form, "governor", spin * sine * share.sqrt());
}

/// Notes name what accelerates, and what is held constant.
#[test]
fn notes_say_what_the_form_is_of() {
    let mut model = json!({
        "fixstep": 1, "name": "falling", "gravity": [0, -9.81, 0],
        "parts": [{"name": "arm", "mass": 2, "position": [0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}],
        "markers": [{"name": "pin", "part": "arm", "position": [-0.5, 0, 0]}],
        "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "ground"}],
        "sampled_systems": [{"name": "clock", "sample_period": 0.1, "inputs": ["AZ(pin, ground)"], "d": [[1]]}],
        "sensors": [{"name": "low", "expression": "AZ(pin, ground)", "comparison": "le", "value": -1}]
    });
    let notes = started(&model, &Options::default()).notes;
    for start in [
        "sampled system \"clock\": its outputs keep",
        "sensor \"low\": it keeps the value",
        "not an equilibrium: part \"arm\", displacement along y accelerates with 8.175 m/s^2",
    ] {
        assert!(
            notes.iter().any(|note| note.starts_with(start)),
            "{start}: {notes:?}"
        );
    }
    // It hangs.
    model["parts"][0]["position"] = json!([0, -0.5, 0]);
    model["markers"][0]["position"] = json!([0, 0.5, 0]);
    let notes = started(&model, &Options::default()).notes;
    assert!(
        notes.iter().all(|note| !note.contains("equilibrium")),
        "{notes:?}"
    );
}
