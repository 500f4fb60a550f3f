//! Beam and field against closed forms of the theory of beams, and against the bushing.

use crate::harness::{advance, build, output, start};
use serde_json::{Value, json};

const E: f64 = 2.1e11;
const G: f64 = 8e10;
const LENGTH: f64 = 0.8;
const AREA: f64 = 4e-4;
const IXX: f64 = 2.5e-8;
const IYY: f64 = 1.2e-8;
const IZZ: f64 = 2.9e-8;
const ASY: f64 = 1.2;
const ASZ: f64 = 1.1;

/// A cantilever along x with a body at its end, loaded by expressions on its marker and in static
/// equilibrium.
fn cantilever(load: &Value) -> Value {
    let mut force = json!({"name": "load", "type": "general_force", "i": "end", "j": "ground"});
    for (key, value) in load.as_object().unwrap() {
        force[key] = value.clone();
    }
    let outputs = ["DX", "DY", "DZ", "AX", "AY", "AZ"]
        .map(|f| json!({"name": f, "expression": format!("{f}(end)")}));
    json!({
        "fixstep": 1, "name": "cantilever",
        "parts": [{
            "name": "tip", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01},
            "position": [LENGTH, 0, 0]
        }],
        "markers": [{"name": "end", "part": "tip"}],
        "forces": [
            {
                "name": "beam", "type": "beam", "i": "end", "j": "ground", "length": LENGTH,
                "youngs_modulus": E, "shear_modulus": G, "area": AREA,
                "ixx": IXX, "iyy": IYY, "izz": IZZ, "shear_y": ASY, "shear_z": ASZ,
                "damping_ratio": 1e-4
            },
            force
        ],
        "outputs": outputs,
        "start": {"equilibrium": {}}
    })
}

/// Error relative to the largest displacement; loads are so small that rotations stay below 1e-6 rad.
fn compare(load: &Value, wanted: [f64; 6]) {
    let simulation = build(&cantilever(load).to_string());
    let names = ["DX", "DY", "DZ", "AX", "AY", "AZ"];
    let got = names.map(|name| output(&simulation, name));
    let rest = [LENGTH, 0.0, 0.0, 0.0, 0.0, 0.0];
    let largest = wanted.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    for k in 0..6 {
        let error = (got[k] - rest[k] - wanted[k]).abs() / largest;
        assert!(
            error < 2e-6,
            "{load}, {}: {} {}",
            names[k],
            got[k] - rest[k],
            wanted[k]
        );
    }
}

#[test]
fn a_cantilever_bends_stretches_and_twists_as_the_textbook_says() {
    let p = 0.01;
    let l = LENGTH;
    compare(
        &json!({"fx": 1000}),
        [1000.0 * l / (E * AREA), 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    compare(
        &json!({"tx": p}),
        [0.0, 0.0, 0.0, p * l / (G * IXX), 0.0, 0.0],
    );
    // Bending and shear: P L³/3EI + ASY P L/(G A), slope P L²/2EI.
    let sag = |i: f64, shear: f64| p * l * l * l / (3.0 * E * i) + shear * p * l / (G * AREA);
    let slope = |i: f64| p * l * l / (2.0 * E * i);
    compare(
        &json!({"fy": p}),
        [0.0, sag(IZZ, ASY), 0.0, 0.0, 0.0, slope(IZZ)],
    );
    compare(
        &json!({"fz": p}),
        [0.0, 0.0, sag(IYY, ASZ), 0.0, -slope(IYY), 0.0],
    );
    let (turn_y, turn_z) = (p * l / (E * IYY), p * l / (E * IZZ));
    compare(
        &json!({"ty": p}),
        [0.0, 0.0, -turn_y * l / 2.0, 0.0, turn_y, 0.0],
    );
    compare(
        &json!({"tz": p}),
        [0.0, turn_z * l / 2.0, 0.0, 0.0, 0.0, turn_z],
    );
}

/// The rounding of a position alone is 2e-8 N on this beam, far above the load times the tolerance.
#[test]
fn a_load_near_rounding_still_finds_its_equilibrium() {
    let simulation = build(&cantilever(&json!({"fx": 0.01})).to_string());
    let stretch = output(&simulation, "DX") - LENGTH;
    let wanted = 0.01 * LENGTH / (E * AREA);
    assert!(
        (stretch - wanted).abs() < 3.0 * f64::EPSILON * LENGTH,
        "{stretch:e} {wanted:e}"
    );
}

#[test]
fn the_clamp_of_a_beam_carries_load_and_moment() {
    let mut model = cantilever(&json!({"fy": 0.01}));
    model["outputs"] = json!([
        {"name": "force", "expression": "FORCE(beam, 1, 3, ground)"},
        {"name": "moment", "expression": "FORCE(beam, 1, 8, ground)"}
    ]);
    let simulation = build(&model.to_string());
    assert!((output(&simulation, "force") - 0.01).abs() < 1e-12);
    assert!((output(&simulation, "moment") - 0.01 * LENGTH).abs() < 1e-12);
}

/// Lowest frequency of a mass on a massless beam: ω² = 3EI/(m L³) without shear, for a point.
#[test]
fn a_mass_on_a_beam_swings_at_its_frequency() {
    let mut model = cantilever(&json!({"fy": 0}));
    model.as_object_mut().unwrap().remove("start");
    model["parts"][0]["inertia"] = json!({"xx": 1e-9, "yy": 1e-9, "zz": 1e-9});
    model["parts"][0]["velocity"] = json!([0, 1e-4, 0]);
    model["forces"][0]["shear_y"] = json!(0);
    model["forces"][0]["damping_ratio"] = json!(0);
    let mut simulation = build(&model.to_string());
    let omega = (3.0 * E * IZZ / (LENGTH * LENGTH * LENGTH)).sqrt();
    let quarter = std::f64::consts::FRAC_PI_2 / omega;
    start(&mut simulation, quarter / 400.0);
    advance(&mut simulation, quarter);
    let amplitude = 1e-4 / omega;
    let error = output(&simulation, "DY") / amplitude - 1.0;
    assert!(error.abs() < 1e-4, "{error:e}");
}

#[test]
fn a_field_with_a_diagonal_is_the_bushing() {
    let diagonal = |d: [f64; 6]| {
        let row = |r: usize| {
            (0..6)
                .map(|c| if r == c { d[r] } else { 0.0 })
                .collect::<Vec<_>>()
        };
        (0..6).map(row).collect::<Vec<_>>()
    };
    let run = |force: Value| {
        let mut model = cantilever(&json!({"fy": 3, "tx": 0.5}));
        model.as_object_mut().unwrap().remove("start");
        model["forces"][0] = force;
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 0.1);
        ["DX", "DY", "DZ", "AX", "AY", "AZ"].map(|name| output(&simulation, name))
    };
    let bushing = run(json!({
        "name": "b", "type": "bushing", "i": "end", "j": "ground",
        "stiffness": [900, 800, 700], "damping": [3, 4, 5], "preload": [720, 1, 2],
        "torsional_stiffness": [60, 50, 40], "torsional_damping": [0.1, 0.2, 0.3]
    }));
    let field = run(json!({
        "name": "b", "type": "field", "i": "end", "j": "ground",
        "stiffness": diagonal([900.0, 800.0, 700.0, 60.0, 50.0, 40.0]),
        "damping": diagonal([3.0, 4.0, 5.0, 0.1, 0.2, 0.3]),
        "displacement": [LENGTH, 0, 0], "preload": [0, 1, 2]
    }));
    for (b, f) in bushing.iter().zip(&field) {
        assert!((b - f).abs() < 1e-12, "{bushing:?} {field:?}");
    }
}
