//! Tests of states that users choose.

use super::{simulation, started};
use faer::{Mat, c64};
use fixstep_kernel::ids::ExprId;
use fixstep_kernel::mechanism::{Mechanism, Quantity};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use linear_analysis::states::{ChosenStates, NoStates};
use linear_analysis::{LinearForm, Options, form};
use serde_json::{Value, json};

const MASS: f64 = 2.0;
const STIFFNESS: f64 = 800.0;
const DAMPING: f64 = 3.0;
const SPEED: f64 = 7.0;

/// A disc in a plane on springs and dampers that rest, and a frame that turns.
fn rotor() -> Value {
    let part = |name: &str, mass: f64| json!({"name": name, "mass": mass, "inertia": {"xx": 1, "yy": 1, "zz": 1}});
    let force =
        |axis: &str| format!("push_{axis} - {STIFFNESS}*D{axis}(d, o) - {DAMPING}*V{axis}(d, o)");
    json!({
        "fixstep": 1, "name": "rotor", "gravity": [0, 0, 0],
        "parts": [part("disc", MASS), part("frame", 1.0)],
        "markers": [
            {"name": "o", "part": "ground"}, {"name": "d", "part": "disc"}, {"name": "f", "part": "frame"}
        ],
        "joints": [
            {"name": "plane", "type": "planar", "i": "d", "j": "o"},
            {"name": "axle", "type": "revolute", "i": "f", "j": "o"}
        ],
        "inputs": [{"name": "push_X", "unit": "N"}, {"name": "push_Y", "unit": "N"}],
        "motions": [{"name": "spin", "joint": "axle", "displacement": format!("{SPEED}*TIME + 0.3")}],
        "forces": [
            {"name": "springs", "type": "vector_force", "i": "d", "j": "o", "fx": force("X"), "fy": force("Y")},
            {"name": "tie", "type": "torsion_spring_damper", "i": "d", "j": "o", "stiffness": 50, "damping": 1}
        ],
        "variables": [
            {"name": "r1", "expression": "2*DX(d, o, f) + 5", "unit": "m"},
            {"name": "r2", "expression": "-DY(d, o, f)"},
            {"name": "turn", "expression": "AZ(d, o)", "unit": "rad"},
            {"name": "x", "expression": "DX(d, o)"},
            {"name": "square", "expression": "DX(d, o)**2"},
            {"name": "distance", "expression": "DM(d, o)"},
            {"name": "rate", "expression": "VX(d, o)"}
        ],
        "outputs": [{"name": "place", "expression": "DX(d, o, f)"}, {"name": "there", "expression": "DX(d, o)"}]
    })
}

fn wanted(mechanism: &Mechanism, names: &[&str]) -> Vec<(Quantity, ExprId)> {
    let of = |name: &&str| {
        let mut all = mechanism.variables.iter();
        let variable = all
            .find(|variable| variable.quantity.name == **name)
            .unwrap();
        (variable.quantity.clone(), variable.expr)
    };
    names.iter().map(of).collect()
}

/// The form in chosen states at the start.
fn chosen(model: &Value, names: &[&str]) -> Result<LinearForm, NoStates> {
    let model = Model::from_json(&model.to_string()).unwrap();
    let mut mechanism = model.mechanism;
    let wanted = wanted(&mechanism, names);
    let own = mechanism.outputs.len();
    let chosen = ChosenStates::add(&mut mechanism, &wanted)?;
    assert_eq!(mechanism.outputs.len(), own + chosen.outputs());
    let mut simulation = Simulation::new(mechanism).unwrap();
    simulation.initialize(0.0).unwrap();
    let linearization = simulation.linearization().unwrap();
    let form =
        form::linear_form(simulation.mechanism(), &linearization, &Options::default()).unwrap();
    let values: Vec<f64> = (own..own + chosen.outputs())
        .map(|k| simulation.output(k.into()))
        .collect();
    chosen.form(&form, &values)
}

fn has_eigenvalue(a: &Mat<f64>, wanted: c64) {
    let all: Vec<c64> = a.eigenvalues().unwrap();
    let nearest = all
        .iter()
        .fold(f64::INFINITY, |least, x| least.min((x - wanted).norm()));
    assert!(nearest < 1e-9, "{wanted} is not among {all:?}");
}

#[test]
fn a_turning_frame_shifts_eigenvalues_by_its_speed() {
    let form = chosen(&rotor(), &["r1", "turn", "r2"]).unwrap();
    let names: Vec<&str> = form.states.iter().map(|x| x.name.as_str()).collect();
    assert_eq!(
        names,
        ["r1", "turn", "r2", "r1, rate", "turn, rate", "r2, rate"]
    );
    assert_eq!(form.states[3].unit, "m/s");
    // m s² + c s + k = 0, twice: forward and backward whirl, less the speed.
    let half = DAMPING / (2.0 * MASS);
    let omega = (STIFFNESS / MASS - half * half).sqrt();
    for frequency in [omega - SPEED, omega + SPEED] {
        has_eigenvalue(&form.a, c64::new(-half, frequency));
        has_eigenvalue(&form.a, c64::new(-half, -frequency));
    }
    has_eigenvalue(&form.a, c64::new(-0.5, (50.0_f64 - 0.25).sqrt()));
    // In axes that rest they are those of the springs.
    let resting = started(&rotor(), &Options::default());
    has_eigenvalue(&resting.a, c64::new(-half, omega));
}

#[test]
fn rows_are_those_of_axes_that_turn() {
    let form = chosen(&rotor(), &["r1", "r2", "turn"]).unwrap();
    // ξ'' = −(k/m) ξ − (c/m)(ξ' − Ω η) + Ω² ξ + 2 Ω η', with r1 = 2 ξ + 5 and r2 = −η; η'' with other signs.
    let (k, c) = (STIFFNESS / MASS, DAMPING / MASS);
    let rows = [
        [
            SPEED * SPEED - k,
            -2.0 * c * SPEED,
            0.0,
            -c,
            -4.0 * SPEED,
            0.0,
        ],
        [c * SPEED / 2.0, SPEED * SPEED - k, 0.0, SPEED, -c, 0.0],
    ];
    for (r, row) in rows.iter().enumerate() {
        for (column, wanted) in row.iter().enumerate() {
            let got = form.a[(3 + r, column)];
            assert!(
                (got - wanted).abs() < 1e-10,
                "({r}, {column}): {got} for {wanted}"
            );
        }
    }
    // Frame at 0.3 rad: a push along x.
    let (sin, cos) = 0.3_f64.sin_cos();
    for (r, wanted) in [(3, 2.0 * cos / MASS), (4, sin / MASS), (5, 0.0)] {
        assert!((form.b[(r, 0)] - wanted).abs() < 1e-12, "B {r}");
    }
    // Outputs by the chosen states: place = ξ, there = ξ cos − η sin.
    assert_eq!(form.outputs.len(), 2);
    for (r, wanted) in [(0, [0.5, 0.0]), (1, [cos / 2.0, sin])] {
        for (column, wanted) in wanted.iter().enumerate() {
            assert!(
                (form.c[(r, column)] - wanted).abs() < 1e-12,
                "C ({r}, {column})"
            );
        }
    }
    // ½ m ξ'² = ½ (m/4) r1'², and the spring has the centrifugal force against it.
    let second = &form.second_order;
    assert!((second.mass[(0, 0)] - MASS / 4.0).abs() < 1e-12);
    let stiffness = (STIFFNESS - MASS * SPEED * SPEED) / 4.0;
    assert!((second.stiffness[(0, 0)] - stiffness).abs() < 1e-9);
}

#[test]
fn what_is_no_state_is_refused_by_name() {
    let said = |names: &[&str]| chosen(&rotor(), names).unwrap_err().to_string();
    for (names, words) in [
        (
            &["square", "r2", "turn"][..],
            "state \"square\" does not move here",
        ),
        (
            &["distance", "r2", "turn"],
            "state \"distance\" has no derivatives at this state",
        ),
        (&["rate", "r2", "turn"], "state \"rate\" reads a measure"),
        (&["r1", "r2"], "chosen states: 2; needed: 3"),
    ] {
        let said = said(names);
        assert!(said.contains(words), "{said}");
    }
    let twice = said(&["r1", "x", "r2"]);
    assert!(
        twice.contains("follows from the other chosen states"),
        "{twice}"
    );
}

#[test]
fn an_angle_about_an_axis_that_turns_is_refused() {
    // Markers whose z axis leans by 45° from the axis of the joint.
    let model = |speed: f64| {
        let lean = json!({"z_point": [1, 0, 1], "x_point": [1, 0, -1]});
        json!({
            "fixstep": 1, "name": "leaning", "gravity": [0, 0, 0],
            "parts": [{"name": "p", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "angular_velocity": [0, 0, speed]}],
            "markers": [
                {"name": "o", "part": "ground"}, {"name": "d", "part": "p"},
                {"name": "lo", "part": "ground", "orientation": lean}, {"name": "ld", "part": "p", "orientation": lean}
            ],
            "joints": [{"name": "axle", "type": "revolute", "i": "d", "j": "o"}],
            "variables": [{"name": "leaning", "expression": "AZ(ld, lo)"}, {"name": "own", "expression": "AZ(d, o)"}]
        })
    };
    let said = chosen(&model(2.0), &["leaning"]).unwrap_err();
    assert_eq!(said, NoStates::Axis(String::from("leaning")));
    // At rest its rate is that component to first order, and about the joint it always is.
    assert!(chosen(&model(0.0), &["leaning"]).is_ok());
    assert!(chosen(&model(2.0), &["own"]).is_ok());
    assert_eq!(simulation(&model(2.0)).mechanism().variables.len(), 2);
}

/// A disc that circles about a spring to its centre: in polar coordinates nothing changes with time. The distance swings with twice
/// the frequency of the circle, k/m = Ω², and the angle follows.
#[test]
fn distance_and_angle_of_a_disc_that_circles() {
    let mut model = rotor();
    let (omega, radius) = ((STIFFNESS / MASS).sqrt(), 1.5);
    let place = 0.4_f64;
    let (sin, cos) = place.sin_cos();
    let (x, y) = (radius * cos, radius * sin);
    model["parts"][0]["position"] = json!([x, y, 0]);
    model["parts"][0]["velocity"] = json!([-omega * y, omega * x, 0]);
    let force = |axis: &str| format!("push_{axis} - {STIFFNESS}*D{axis}(d, o)");
    model["forces"][0]["fx"] = json!(force("X"));
    model["forces"][0]["fy"] = json!(force("Y"));
    let variables = model["variables"].as_array_mut().unwrap();
    for (name, text) in [
        ("angle", "ATAN2(DY(d, o), DX(d, o))"),
        ("other", "SQRT(DX(d, o)**2 + DY(d, o)**2)"),
        ("scaled", "EXP(LOG(DM(d, o)/bar))"),
        ("by_tangent", "ATAN(DY(d, o)/DX(d, o)) + SIN(DX(d, o))*0"),
    ] {
        variables.push(json!({"name": name, "expression": text}));
    }
    model["parameters"] = json!([{"name": "bar", "start": 2}]);
    for (distance, angle, unit) in [
        ("distance", "angle", 1.0),
        ("other", "by_tangent", 1.0),
        ("scaled", "angle", 0.5),
    ] {
        let form = chosen(&model, &[distance, angle, "turn"]).unwrap();
        // r'' = r φ'² − k/m r,  φ'' = −2 r' φ'/r, of r by its unit.
        let wanted = [
            [0.0, 0.0, 0.0, 0.0, 2.0 * unit * radius * omega, 0.0],
            [0.0, 0.0, 0.0, -2.0 * omega / (unit * radius), 0.0, 0.0],
        ];
        for (r, row) in wanted.iter().enumerate() {
            for (c, wanted) in row.iter().enumerate() {
                let got = form.a[(3 + r, c)];
                assert!(
                    (got - wanted).abs() < 1e-8,
                    "{distance} ({r}, {c}): {got} for {wanted}"
                );
            }
        }
        has_eigenvalue(&form.a, c64::new(0.0, 2.0 * omega));
    }
}
