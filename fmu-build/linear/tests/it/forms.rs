//! Tests of the matrices A, B, C, D of a linear form.

use super::{simulation, started};
use faer::Mat;
use linear_analysis::{Damping, LinearForm, Options};
use serde_json::{Value, json};

/// Two masses in a row between springs and dampers: ground, 800 and 3, 2 kg, 600 and 1.5, 1.5 kg.
fn two_masses() -> Value {
    let part = |name: &str, mass: f64, x: f64| json!({"name": name, "mass": mass, "position": [x, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}});
    json!({
        "fixstep": 1, "name": "two_masses", "gravity": [0, 0, 0],
        "parts": [part("a", 2.0, 1.0), part("b", 1.5, 2.0)],
        "markers": [
            {"name": "ga", "part": "ground", "position": [1, 0, 0], "orientation": {"z_point": [2, 0, 0], "x_point": [1, 1, 0]}},
            {"name": "gb", "part": "ground", "position": [2, 0, 0], "orientation": {"z_point": [3, 0, 0], "x_point": [2, 1, 0]}},
            {"name": "ma", "part": "a", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "mb", "part": "b", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "pa", "part": "a"}, {"name": "pb", "part": "b"},
            {"name": "origin", "part": "ground"},
            {"name": "gx", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}}
        ],
        "joints": [
            {"name": "ja", "type": "translational", "i": "ma", "j": "ga"},
            {"name": "jb", "type": "translational", "i": "mb", "j": "gb"}
        ],
        "inputs": [{"name": "f1", "unit": "N"}, {"name": "f2", "unit": "N"}],
        "forces": [
            {"name": "k1", "type": "spring_damper", "i": "pa", "j": "origin", "stiffness": 800, "damping": 3, "length": 1},
            {"name": "k2", "type": "spring_damper", "i": "pb", "j": "pa", "stiffness": 600, "damping": 1.5, "length": 1},
            {"name": "push_a", "type": "action_only_force", "i": "pa", "j": "gx", "expression": "f1"},
            {"name": "push_b", "type": "action_only_force", "i": "pb", "j": "gx", "expression": "f2"}
        ],
        "outputs": [
            {"name": "x2", "expression": "DX(pb)-2"},
            {"name": "v1", "expression": "VX(pa)"},
            {"name": "a2", "expression": "ACCX(pb)"},
            {"name": "spring", "expression": "600*(DX(pb,pa)-1)+1.5*VX(pb,pa)"},
            {"name": "ground", "expression": "800*(DX(pa)-1)+3*VX(pa)"}
        ]
    })
}

/// Numbers of a reference by rows.
fn reference(rows: &Value) -> Mat<f64> {
    let rows = rows.as_array().unwrap();
    let columns = rows[0].as_array().unwrap().len();
    Mat::from_fn(rows.len(), columns, |r, c| rows[r][c].as_f64().unwrap())
}

fn alike(what: &str, got: &Mat<f64>, wanted: &Mat<f64>, tolerance: f64) {
    assert_eq!(
        (got.nrows(), got.ncols()),
        (wanted.nrows(), wanted.ncols()),
        "{what}"
    );
    for r in 0..got.nrows() {
        for c in 0..got.ncols() {
            let (got, wanted) = (got[(r, c)], wanted[(r, c)]);
            let error = (got - wanted).abs();
            assert!(
                error <= tolerance * wanted.abs().max(1.0),
                "{what} ({r}, {c}): {got} for {wanted}"
            );
        }
    }
}

fn names(form: &LinearForm) -> Vec<&str> {
    form.states
        .iter()
        .map(|state| state.name.as_str())
        .collect()
}

#[test]
fn two_masses_are_as_in_the_book() {
    let truth: Value = serde_json::from_str(include_str!(
        "../../../../tests/truth/F02_two_dof_abcd/reference.json"
    ))
    .unwrap();
    let form = started(&two_masses(), &Options::default());
    assert_eq!(
        names(&form)[..2],
        [
            "part \"a\", displacement along x",
            "part \"b\", displacement along x"
        ]
    );
    for (what, got, wanted) in [
        ("A", &form.a, "A"),
        ("B", &form.b, "B"),
        ("C", &form.c, "C"),
        ("D", &form.d, "D"),
    ] {
        alike(what, got, &reference(&truth[wanted]), 1e-13);
    }
    let second = &form.second_order;
    alike("M", &second.mass, &reference(&truth["MKB"]["M"]), 1e-13);
    alike(
        "K",
        &second.stiffness,
        &reference(&truth["MKB"]["K"]),
        1e-13,
    );
    alike("b", &second.damping, &reference(&truth["MKB"]["b"]), 1e-13);
    let undamped = started(
        &two_masses(),
        &Options {
            damping: Damping::Off,
            ..Options::default()
        },
    );
    alike(
        "b",
        &undamped.second_order.damping,
        &Mat::zeros(2, 2),
        1e-13,
    );
}

/// A bead that moves on a wire: a joint on a curve, and the same as a general constraint.
#[test]
fn what_moves_on_a_curve_is_refused_by_name() {
    let mut model = json!({
        "fixstep": 1, "name": "bead", "gravity": [0, 0, 0],
        "point_masses": [{"name": "bead", "mass": 1, "position": [1, 0, 0], "velocity": [0, 2, 0]}],
        "markers": [{"name": "b", "part": "bead"}],
        "joints": [{"name": "flat", "type": "in_plane", "i": "b", "j": "ground"}],
        "general_constraints": [{"name": "ring", "expression": "DX(b)**2 + DY(b)**2 - 1"}]
    });
    let said = simulation(&model).linearization().unwrap_err().message;
    assert!(
        said.starts_with("general constraint \"ring\" moves: the linear form"),
        "{said}"
    );
    model["point_masses"][0]["velocity"] = json!([0, 0, 0]);
    assert!(simulation(&model).linearization().is_ok());
    model["point_masses"][0]["velocity"] = json!([0, 2, 0]);
    model["general_constraints"] = json!([]);
    model["curves"] = json!([{"name": "wire", "closed": true, "points":
        (0..12).map(|k| { let a = f64::from(k) * core::f64::consts::TAU / 12.0; json!([fixstep_kernel::math::cos(a), fixstep_kernel::math::sin(a), 0.0]) })
            .collect::<Vec<Value>>()}]);
    model["joints"] = json!([{"name": "guide", "type": "point_on_curve", "i": "b", "j": "ground", "curve": "wire"}]);
    let said = simulation(&model).linearization().unwrap_err().message;
    assert!(
        said.starts_with("joint \"guide\" moves: the linear form"),
        "{said}"
    );
}

/// A force with kinks at the position of its mass: |x| at 0, a root of 0, IF at 0; and functions that only seem to
/// have one.
#[test]
fn bends_at_the_state_are_told() {
    let told = |expression: &str, at: f64| {
        let model = json!({
            "fixstep": 1, "name": "bend", "gravity": [0, 0, 0],
            "point_masses": [{"name": "mass", "mass": 1, "position": [at, 0, 0]}],
            "markers": [
                {"name": "m", "part": "mass"},
                {"name": "along", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}}
            ],
            "forces": [{"name": "pull", "type": "action_only_force", "i": "m", "j": "along", "expression": expression}]
        });
        let notes = started(&model, &Options::default()).notes;
        let bent = notes
            .into_iter()
            .filter(|note| note.contains("exactly at a bend of"));
        bent.collect::<Vec<String>>()
    };
    for (expression, function) in [
        ("-5*ABS(DX(m))", "ABS"),
        ("-SQRT(DX(m)**2)", "SQRT"),
        ("IF(DX(m): -DX(m), 0, -3*DX(m))", "IF"),
        ("-MAX(0, DX(m))*4", "MAX"),
        ("-SIGN(2, DX(m))", "SIGN"),
    ] {
        let notes = told(expression, 0.0);
        assert_eq!(notes.len(), 1, "{expression}: {notes:?}");
        let begin = format!("expression of force \"pull\" is exactly at a bend of {function}: ");
        assert!(notes[0].starts_with(&begin), "{notes:?}");
        assert!(told(expression, 0.1).is_empty(), "{expression}");
    }
    for smooth in [
        "-DX(m)*ABS(DX(m))",
        "-MAX(0, DX(m))**2",
        "-STEP(DX(m), 0, 0, 1, 5)",
        "IF(DX(m): -DX(m), 0, -DX(m))",
    ] {
        assert!(told(smooth, 0.0).is_empty(), "{smooth}");
    }
}

/// A ball that just touches the floor.
#[test]
fn a_contact_at_the_point_of_touching_is_told() {
    let told = |z: f64| {
        let model = json!({
            "fixstep": 1, "name": "ball", "gravity": [0, 0, 0],
            "parts": [{"name": "ball", "mass": 1, "position": [0, 0, z], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}],
            "markers": [{"name": "centre", "part": "ball"}, {"name": "floor", "part": "ground"}],
            "forces": [{"name": "bounce", "type": "contact", "i": "centre", "j": "floor",
                "shapes": {"i": {"type": "sphere", "radius": 0.5}, "j": {"type": "plane"}},
                "normal": {"type": "hunt_crossley", "stiffness": 1e4, "exponent": 1}}]
        });
        let notes = started(&model, &Options::default()).notes;
        notes
            .iter()
            .any(|note| note.starts_with("force \"bounce\" is exactly where it begins to touch"))
    };
    assert!(told(0.5));
    assert!(!told(0.49));
    assert!(!told(0.51));
}

/// The root of a negative number has no finite derivative: its output is left out, and the rest of the form is unchanged.
#[test]
fn outputs_without_slopes_are_left_out() {
    let model = json!({
        "fixstep": 1, "name": "ball", "gravity": [0, 0, 0],
        "parts": [{"name": "ball", "mass": 2, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}],
        "markers": [{"name": "m", "part": "ball"}],
        "forces": [{"name": "f", "type": "vector_force", "i": "m", "j": "ground", "fx": "-8*DX(m)"}],
        "outputs": [
            {"name": "x", "expression": "DX(m)"},
            {"name": "root", "expression": "SQRT(DX(m) - 1)"},
            {"name": "v", "expression": "VX(m)"}
        ]
    });
    let form = started(&model, &Options::default());
    let names: Vec<&str> = form
        .outputs
        .iter()
        .map(|output| output.name.as_str())
        .collect();
    assert_eq!(names, ["x", "v"]);
    assert_eq!((form.c.nrows(), form.d.nrows()), (2, 2));
    let told = |note: &&String| note.starts_with("output \"root\" has no finite derivatives");
    assert_eq!(
        form.notes.iter().filter(told).count(),
        1,
        "{:?}",
        form.notes
    );
}
