//! Static equilibrium on tyres and feet, where directions along the ground have no stiffness: from the air and out
//! of the ground.

use crate::harness::{advance, build, output, start, try_build};
use fixstep_kernel::math::{atan, cos, sin};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use serde_json::{Value, json};
use std::f64::consts::FRAC_PI_2;
use std::path::PathBuf;

const G: f64 = 9.81;

/// Mass of the car of `models/vehicle` without payload \[kg\].
const MASS: f64 = 1593.1;

/// Places above and below the one of the model \[m\].
const LIFTS: [f64; 3] = [0.05, 0.0, -0.02];

/// Base of an inline model that starts in equilibrium on ground that rises ahead, in axes along and across it.
fn on_slope(rise: f64) -> Value {
    let angle = atan(rise);
    json!({
        "fixstep": 1, "name": "t", "gravity": [-G * sin(angle), 0, -G * cos(angle)],
        "start": {"equilibrium": {}}, "markers": [], "joints": [], "forces": [], "outputs": []
    })
}

fn add(model: &mut Value, table: &str, entry: Value) {
    model[table].as_array_mut().unwrap().push(entry);
}

fn law() -> Value {
    json!({"type": "linear", "radius": 0.3, "vertical_stiffness": 2e5, "vertical_damping": 8000,
           "slip_stiffness": 6e4, "cornering_stiffness": 5e4, "mu": 0.8,
           "longitudinal_relaxation": 0.2, "lateral_relaxation": 0.5})
}

/// The orientation of a wheel, whose z axis points to the left.
fn left() -> Value {
    json!({"euler": [0, -FRAC_PI_2, 0]})
}

/// A tyre with the outputs `z0`, `x0`, `y0`, and so on, for its forces.
fn add_tyre(model: &mut Value, k: usize) {
    add(
        model,
        "forces",
        json!({"name": format!("tyre{k}"), "type": "tyre", "i": format!("hub{k}"), "law": law()}),
    );
    for (name, channel) in [("z", "FZ"), ("x", "FX"), ("y", "FY")] {
        let expression = format!("TYRE(tyre{k}, {channel})");
        add(
            model,
            "outputs",
            json!({"name": format!("{name}{k}"), "expression": expression}),
        );
    }
}

/// A cart of 460 kg on four wheels, on a slope; brakes are springs between wheels and cart.
fn cart(lift: f64, rise: f64, braked: bool) -> Value {
    let mut m = on_slope(rise);
    m["parts"] = json!([{"name": "cart", "mass": 400, "position": [0, 0, 0.4 + lift],
                         "inertia": {"xx": 50, "yy": 80, "zz": 100}}]);
    for (k, (x, y)) in [(0.9, 0.5), (0.9, -0.5), (-0.8, 0.5), (-0.8, -0.5)]
        .into_iter()
        .enumerate()
    {
        let wheel = format!("wheel{k}");
        add(
            &mut m,
            "parts",
            json!({"name": wheel, "mass": 15, "inertia": {"xx": 0.4, "yy": 0.4, "zz": 0.8},
                   "position": [x, y, 0.3 + lift], "orientation": left()}),
        );
        add(
            &mut m,
            "markers",
            json!({"name": format!("hub{k}"), "part": wheel}),
        );
        add(
            &mut m,
            "markers",
            json!({"name": format!("bearing{k}"), "part": "cart", "position": [x, y, -0.1],
                   "orientation": left()}),
        );
        let ends = (format!("hub{k}"), format!("bearing{k}"));
        add(
            &mut m,
            "joints",
            json!({"name": format!("axle{k}"), "type": "revolute", "i": ends.0, "j": ends.1}),
        );
        if braked {
            add(
                &mut m,
                "forces",
                json!({"name": format!("brake{k}"), "type": "torsion_spring_damper", "i": ends.0,
                       "j": ends.1, "stiffness": 5e4, "damping": 100}),
            );
        }
        add_tyre(&mut m, k);
    }
    add(&mut m, "markers", json!({"name": "middle", "part": "cart"}));
    for (name, expression) in [
        ("x", "DX(middle)"),
        ("z", "DZ(middle)"),
        ("yaw", "YAW(middle)"),
    ] {
        add(
            &mut m,
            "outputs",
            json!({"name": name, "expression": expression}),
        );
    }
    m
}

/// The sum of outputs that are called alike.
fn sum(simulation: &Simulation, name: &str, count: usize) -> f64 {
    (0..count)
        .map(|k| output(simulation, &format!("{name}{k}")))
        .sum()
}

fn close(found: f64, wanted: f64, tolerance: f64) {
    let off = found - wanted;
    assert!(
        off.abs() <= tolerance,
        "found {found:.12}, wanted {wanted:.12}, off by {off:.1e}"
    );
}

/// The car of `models/vehicle`, lifted, at rest.
fn car(lift: f64) -> Simulation {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("models/vehicle");
    let text = std::fs::read_to_string(folder.join("model.json")).unwrap();
    let files = fixstep_model::resources::folder(&folder);
    let flat = fixstep_model::expanded("", &text, &files).unwrap();
    let mut m: Value = serde_json::from_str(&flat).unwrap();
    for part in m["parts"].as_array_mut().unwrap() {
        let height = part["position"][2].as_f64().unwrap();
        part["position"][2] = json!(height + lift);
        part["velocity"] = json!([0, 0, 0]);
        part["angular_velocity"] = json!([0, 0, 0]);
    }
    m["start"] = json!({"equilibrium": {}});
    let model = Model::read(&m.to_string(), &files)
        .map_err(|e| e.to_string())
        .unwrap();
    Simulation::new(model.mechanism).unwrap()
}

/// Its tyres have forces at zero slip (ply steer, conicity): they must deflect before the car rests.
#[test]
fn a_car_settles_on_its_tyres() {
    let cars = LIFTS.map(car);
    let weight = G * MASS;
    let heights = cars.each_ref().map(|car| output(car, "height"));
    for car in &cars {
        let loads = ["fl", "fr", "rl", "rr"].map(|at| output(car, &format!("{at}_load")));
        eprintln!("{heights:?} {loads:?}");
        close(loads.iter().sum(), weight, 1e-6 * weight);
        close(output(car, "height"), heights[1], 1e-6);
    }
}

/// Wheels that are free to turn, and the ground's plane, have no stiffness; tyres without need stay undeflected.
#[test]
fn a_cart_settles_on_level_ground() {
    let heights = LIFTS.map(|lift| {
        let s = build(&cart(lift, 0.0, false).to_string());
        close(sum(&s, "z", 4), 460.0 * G, 1e-6 * 460.0 * G);
        close(output(&s, "z0"), output(&s, "z1"), 1e-6);
        close(output(&s, "z2"), output(&s, "z3"), 1e-6);
        for k in 0..4 {
            close(output(&s, &format!("x{k}")), 0.0, 1e-6);
            close(output(&s, &format!("y{k}")), 0.0, 1e-6);
        }
        output(&s, "z")
    });
    close(heights[0], heights[1], 1e-9);
    close(heights[2], heights[1], 1e-9);
}

/// Brakes and tyres carry what pulls the cart downhill, and go on to do so in the run.
#[test]
fn brakes_hold_a_cart_on_a_slope() {
    let (across, along) = (460.0 * G * cos(atan(0.15)), 460.0 * G * sin(atan(0.15)));
    for lift in LIFTS {
        let mut s = build(&cart(lift, 0.15, true).to_string());
        start(&mut s, 1e-3);
        let place = output(&s, "x");
        for until in [0.0, 0.3] {
            advance(&mut s, until);
            close(sum(&s, "z", 4), across, 1e-6 * across);
            close(sum(&s, "x", 4), along, 1e-6 * across);
            close(output(&s, "z0"), output(&s, "z1"), 1e-5);
            close(output(&s, "x2"), output(&s, "x3"), 1e-5);
            close(output(&s, "yaw"), 0.0, 1e-7);
            close(output(&s, "x"), place, 1e-8);
        }
    }
}

#[test]
fn a_cart_without_brakes_or_grip_is_told_to_roll_away() {
    for (rise, braked) in [(0.15, false), (1.2, true)] {
        let failure = try_build(&cart(0.0, rise, braked).to_string()).unwrap_err();
        assert!(failure.contains("part \"cart\" by "), "{failure}");
        assert!(failure.contains("accelerates along x"), "{failure}");
        assert!(failure.contains("brake"), "{failure}");
    }
}

/// Loads of the feet by moments about their middle: the table's mass is 0.03 ahead and 0.02 to the left of it.
#[test]
fn a_table_settles_on_four_feet() {
    for lift in LIFTS {
        let mut m = on_slope(0.0);
        m["parts"] = json!([{"name": "table", "mass": 20, "position": [0, 0, 0.7 + lift],
                             "inertia": {"xx": 2, "yy": 3, "zz": 4}}]);
        for (k, (x, y)) in [(0.6, 0.4), (0.6, -0.4), (-0.6, 0.4), (-0.6, -0.4)]
            .into_iter()
            .enumerate()
        {
            let foot = format!("foot{k}");
            add(
                &mut m,
                "markers",
                json!({"name": foot, "part": "table", "position": [x - 0.03, y - 0.02, -0.65]}),
            );
            add(
                &mut m,
                "forces",
                json!({"name": format!("contact{k}"), "type": "contact", "i": foot, "j": "ground",
                       "shapes": {"i": {"type": "sphere", "radius": 0.05}, "j": {"type": "plane"}},
                       "normal": {"type": "hunt_crossley", "stiffness": 1e6, "exponent": 1,
                                  "damping": 0.5},
                       "friction": {"mu_static": 0.5, "mu_dynamic": 0.4, "stiction_velocity": 0.01,
                                    "friction_velocity": 0.02}}),
            );
            add(
                &mut m,
                "outputs",
                json!({"name": format!("z{k}"), "expression": format!("CONTACT(contact{k}, 0, 4)")}),
            );
        }
        let s = build(&m.to_string());
        let load = |k: usize| output(&s, &format!("z{k}"));
        close(sum(&s, "z", 4), 20.0 * G, 1e-6);
        let ahead = load(0) + load(1) - load(2) - load(3);
        let left = load(0) - load(1) + load(2) - load(3);
        close(0.6 * ahead, 0.03 * 20.0 * G, 1e-3);
        close(0.4 * left, 0.02 * 20.0 * G, 1e-3);
    }
}

#[test]
fn a_mass_settles_on_three_tyres() {
    for lift in LIFTS {
        let mut m = on_slope(0.0);
        m["parts"] = json!([{"name": "mass", "mass": 300, "position": [0, 0, 0.3 + lift],
                             "inertia": {"xx": 20, "yy": 30, "zz": 40}}]);
        for (k, (x, y)) in [(0.8, 0.0), (-0.5, 0.4), (-0.5, -0.4)]
            .into_iter()
            .enumerate()
        {
            add(
                &mut m,
                "markers",
                json!({"name": format!("hub{k}"), "part": "mass", "position": [x, y, 0],
                       "orientation": left()}),
            );
            add_tyre(&mut m, k);
        }
        let s = build(&m.to_string());
        close(sum(&s, "z", 3), 300.0 * G, 1e-6 * 300.0 * G);
        close(output(&s, "z1"), output(&s, "z2"), 1e-6);
        close(1.3 * output(&s, "z0"), 0.5 * 300.0 * G, 1.0);
    }
}
