//! Tests of steady motion, against closed forms: the state that `--static` finds if motions turn the mechanism, and the axes
//! along which its linear form is constant.

use crate::started;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use linear_analysis::{LinearForm, Options, form};
use serde_json::{Value, json};

/// A simulation that began in steady motion.
fn turning(model: &Value) -> Simulation {
    let read = Model::read(&model.to_string(), &fixstep_model::resources::none);
    let mut mechanism = read.map_err(|e| e.to_string()).unwrap().mechanism;
    mechanism.solver.start.equilibrium = true;
    mechanism.solver.start.turning = true;
    Simulation::new(mechanism).unwrap()
}

fn linear(of: &Simulation, turning_with: Option<usize>) -> LinearForm {
    let options = Options {
        turning_with: turning_with.map(BodyId::from),
        ..Options::default()
    };
    form::linear_form(of.mechanism(), &of.linearization().unwrap(), &options).unwrap()
}

/// Is a number the square of a root, within 1e-8?
fn has_square(form: &LinearForm, what: &str, square: f64) {
    let n = form.a.nrows();
    let mut of = &form.a * &form.a;
    let most = of.norm_max().max(square.abs());
    for k in 0..n {
        of[(k, k)] -= square;
    }
    let sizes = of.singular_values().unwrap();
    assert!(sizes[n - 1] < 1e-8 * most, "{what}: {sizes:?}");
}

/// A shaft that a motion turns with 8 rad/s about z, and an arm hinged on it `tilt` away from hanging, 0.3 m long.
fn governor(tilt: f64, gravity: f64) -> Value {
    let (x, z) = (
        0.3 * fixstep_kernel::math::sin(tilt),
        -0.3 * fixstep_kernel::math::cos(tilt),
    );
    json!({
        "fixstep": 1, "name": "governor", "gravity": [0, 0, gravity],
        "parts": [
            {"name": "shaft", "mass": 1, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}},
            {"name": "arm", "mass": 2, "position": [x, 0, z], "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.02}}
        ],
        "markers": [
            {"name": "axle", "part": "shaft"},
            {"name": "pin", "part": "shaft", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}},
            {"name": "eye", "part": "arm", "position": [-x, 0, -z], "orientation": {"z_point": [-x, 1, -z], "x_point": [1.0 - x, 0, -z]}}
        ],
        "joints": [
            {"name": "bearing", "type": "revolute", "i": "axle", "j": "ground"},
            {"name": "hinge", "type": "revolute", "i": "eye", "j": "pin"}
        ],
        "motions": [{"name": "spin", "joint": "bearing", "displacement": "8*TIME"}]
    })
}

/// cos θ = g/(Ω² l), and the arm swings about it with Ω sin θ √(m l²/(m l² + J)).
#[test]
fn an_arm_on_a_turning_shaft_flies_out() {
    let simulation = turning(&governor(0.3, -9.81));
    let (spin, length) = (8.0, 0.3);
    let cosine = 9.81 / (spin * spin * length);
    let r = simulation.body_pose(BodyId::from(2_usize)).0;
    assert!((-r.z / length - cosine).abs() < 1e-9, "{r}: {cosine}");
    let form = linear(&simulation, Some(1));
    assert!(form.notes.is_empty(), "{:?}", form.notes);
    let share = 2.0 * length * length / (2.0 * length * length + 0.02);
    has_square(
        &form,
        "swing",
        -spin * spin * (1.0 - cosine * cosine) * share,
    );
    let notes = linear(&simulation, None).notes;
    assert!(
        notes
            .iter()
            .any(|note| note.ends_with("--turning-with shaft")),
        "{notes:?}"
    );
}

/// Upright on the shaft: λ² = (m g l + m l² Ω²)/(m l² + J), which ground axes do not show.
#[test]
fn what_stands_on_a_turning_carrier_falls() {
    let mut model = governor(core::f64::consts::PI, -9.81);
    let simulation = started(&model, &Options::default());
    let advice = |notes: &[String]| {
        notes
            .iter()
            .any(|note| note.ends_with("--turning-with shaft"))
    };
    assert!(advice(&simulation.notes), "{:?}", simulation.notes);
    let along = Options {
        turning_with: Some(BodyId::from(1_usize)),
        ..Options::default()
    };
    let form = started(&model, &along);
    assert!(form.notes.is_empty(), "{:?}", form.notes);
    let inertia = 2.0 * 0.09 + 0.02;
    let square = (2.0 * 9.81 * 0.3 + 2.0 * 0.09 * 64.0) / inertia;
    has_square(&form, "fall", square);
    // Started aside at rest relative to the shaft it is no equilibrium, and the note says what helps.
    model = governor(2.5, -9.81);
    let notes = started(&model, &Options::default()).notes;
    let told = |note: &String| note.starts_with("not an equilibrium") && note.contains("--static");
    assert!(notes.iter().any(told), "{notes:?}");
}

/// A bead on a radial spring: r = k l/(k − m Ω²), √(k/m − Ω²).
#[test]
fn a_bead_in_a_turning_slot_goes_out() {
    let model = json!({
        "fixstep": 1, "name": "slot", "gravity": [0, 0, 0],
        "parts": [
            {"name": "wheel", "mass": 5, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "bead", "mass": 0.5, "position": [0.2, 0, 0], "inertia": {"xx": 1e-3, "yy": 1e-3, "zz": 1e-3}}
        ],
        "markers": [
            {"name": "hub", "part": "wheel"},
            {"name": "slot", "part": "wheel", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "shoe", "part": "bead", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "far", "part": "wheel", "position": [-1, 0, 0]}
        ],
        "joints": [
            {"name": "bearing", "type": "revolute", "i": "hub", "j": "ground"},
            {"name": "guide", "type": "translational", "i": "shoe", "j": "slot"}
        ],
        "forces": [{"name": "spring", "type": "spring_damper", "i": "shoe", "j": "far", "stiffness": 200, "damping": 0, "length": 1.2}],
        "motions": [{"name": "spin", "joint": "bearing", "velocity": "12"}]
    });
    let simulation = turning(&model);
    let (k, m, spin) = (200.0, 0.5, 12.0_f64);
    let r = simulation.body_pose(BodyId::from(2_usize)).0;
    let wanted = k * 0.2 / (k - m * spin * spin);
    assert!((r.x - wanted).abs() < 1e-9, "{r}: {wanted}");
    let form = linear(&simulation, Some(1));
    assert!(form.notes.is_empty(), "{:?}", form.notes);
    has_square(&form, "slide", spin * spin - k / m);
}

/// A disc on a shaft of springs. If both are round, the form is constant along both kinds of axes. A round disc on
/// springs of two stiffnesses has a constant form along ground axes; a disc that is not round has none.
fn rotor(across: [f64; 2], stiffness: [f64; 2]) -> Vec<String> {
    let model = json!({
        "fixstep": 1, "name": "rotor", "gravity": [0, 0, 0],
        "parts": [
            {"name": "frame", "mass": 4, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}},
            {"name": "disc", "mass": 2, "inertia": {"xx": across[0], "yy": across[1], "zz": 0.04}}
        ],
        "markers": [{"name": "seat", "part": "frame"}, {"name": "hub", "part": "disc"}],
        "joints": [{"name": "bearing", "type": "revolute", "i": "hub", "j": "seat"}],
        "forces": [{"name": "mount", "type": "bushing", "i": "seat", "j": "ground",
            "stiffness": [stiffness[0], stiffness[1], 1e4], "torsional_stiffness": [90, 90, 300],
            "damping": [0, 0, 0], "torsional_damping": [0, 0, 0]}],
        "motions": [{"name": "spin", "joint": "bearing", "displacement": "50*TIME"}]
    });
    linear(&turning(&model), None).notes
}

#[test]
fn only_what_changes_as_it_turns_gets_a_note() {
    assert!(rotor([0.02, 0.02], [2e4, 2e4]).is_empty());
    assert!(rotor([0.02, 0.02], [2e4, 5e4]).is_empty());
    let notes = rotor([0.02, 0.03], [2e4, 2e4]);
    assert!(
        notes
            .iter()
            .any(|note| note.ends_with("--turning-with disc")),
        "{notes:?}"
    );
    let notes = rotor([0.02, 0.03], [2e4, 5e4]);
    let never = |note: &String| note.contains("even along axes that turn with one of them");
    assert!(notes.iter().any(never), "{notes:?}");
}

/// A disc on the end of a massless beam (L 0.5 m, EI 840 N m²), on a hub with almost no mass: whirls at 82 rad/s by
/// [12 EI/L³ − M ω², −6 EI/L²; −6 EI/L², 4 EI/L − J ω² + J_p Ω ω]. With the smallest velocities at the start the hub
/// would turn back; in steady motion it does not.
#[test]
fn an_overhung_disc_whirls() {
    let along = json!({"z_point": [1, 0, 0], "x_point": [0, 1, 0]});
    let model = json!({
        "fixstep": 1, "name": "overhung", "gravity": [0, 0, 0],
        "parts": [
            {"name": "hub", "mass": 1e-3, "position": [0.5, 0, 0], "inertia": {"xx": 1e-6, "yy": 1e-6, "zz": 1e-6}},
            {"name": "disc", "mass": 3, "position": [0.5, 0, 0], "inertia": {"xx": 0.08, "yy": 0.04, "zz": 0.04}}
        ],
        "markers": [
            {"name": "root", "part": "ground"}, {"name": "end", "part": "hub"},
            {"name": "hb", "part": "hub", "orientation": along}, {"name": "db", "part": "disc", "orientation": along}
        ],
        "joints": [{"name": "bearing", "type": "revolute", "i": "db", "j": "hb"}],
        "motions": [{"name": "spin", "joint": "bearing", "velocity": "82"}],
        "forces": [{"name": "beam", "type": "beam", "i": "end", "j": "root", "length": 0.5, "area": 1e-4, "ixx": 8e-9, "iyy": 4e-9,
            "izz": 4e-9, "youngs_modulus": 2.1e11, "shear_modulus": 8e10, "damping_ratio": 0}]
    });
    let notes = started(&model, &Options::default()).notes;
    assert!(
        notes
            .iter()
            .any(|note| note.starts_with("not an equilibrium that lasts: ")),
        "{notes:?}"
    );
    let form = linear(&turning(&model), None);
    assert!(form.notes.is_empty(), "{:?}", form.notes);
    let (mass, across, polar, spin) = (3.001, 0.040_001, 0.08, 82.0);
    let k = [12.0 * 840.0 / 0.125, -6.0 * 840.0 / 0.25, 4.0 * 840.0 / 0.5];
    // Roots iω of the determinant, by bisection between values that enclose one each.
    let determinant =
        |w: f64| (k[0] - mass * w * w) * (k[2] - across * w * w + polar * spin * w) - k[1] * k[1];
    for (mut low, mut high) in [(60.0, 75.0), (75.0, 95.0), (300.0, 420.0), (420.0, 600.0)]
        .map(|(a, b): (f64, f64)| (a, b))
    {
        // Backward ones turn against the disc.
        let sign = if determinant(low) * determinant(high) < 0.0 {
            1.0
        } else {
            -1.0
        };
        assert!(
            determinant(sign * low) * determinant(sign * high) < 0.0,
            "{low} {high}"
        );
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if determinant(sign * low) * determinant(sign * middle) <= 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        has_square(&form, "whirl", -low * low);
    }
}

/// A motion turns a disc on a carrier, which springs hold and which nothing turns. The poses at rest are right at
/// once, but the velocities are not: the carrier must be at rest and the disc have the whole speed.
#[test]
fn what_springs_hold_does_not_turn_with_the_disc() {
    for inertia in [1e-6, 0.05] {
        let model = json!({
            "fixstep": 1, "name": "carried", "gravity": [0, 0, 0],
            "parts": [
                {"name": "carrier", "mass": 5, "inertia": {"xx": inertia, "yy": inertia, "zz": inertia}},
                {"name": "disc", "mass": 2, "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.03}}
            ],
            "markers": [{"name": "c", "part": "carrier"}, {"name": "d", "part": "disc"}],
            "joints": [{"name": "bearing", "type": "revolute", "i": "d", "j": "c"}],
            "motions": [{"name": "spin", "joint": "bearing", "velocity": "100"}],
            "forces": [{"name": "mount", "type": "bushing", "i": "c", "j": "ground", "stiffness": [1e5, 1e5, 1e5],
                "damping": [10, 10, 10], "torsional_stiffness": [500, 500, 1e4], "torsional_damping": [0.1, 0.1, 0.1]}],
            "outputs": [{"name": "carrier", "expression": "WZ(c)"}, {"name": "disc", "expression": "WZ(d)"}]
        });
        let simulation = turning(&model);
        let speeds = [0_usize, 1].map(|k| simulation.output(k.into()));
        assert!(
            speeds[0].abs() < 1e-9 && (speeds[1] - 100.0).abs() < 1e-9,
            "{speeds:?}"
        );
    }
}

/// A motion turns a hub with 50 rad/s, the hub drives a disc through a coupling, and this one a second disc. The
/// supports of the discs in ground have no torsional stiffness, or do not depend on them at all: the discs turn with
/// the hub.
#[test]
fn a_coupling_turns_what_bearings_hold() {
    let coupling = |i: &str, j: &str| {
        json!({"name": format!("coupling_{i}"), "type": "bushing", "i": i, "j": j, "stiffness": [1e5, 1e5, 1e5], "damping": [8, 8, 8],
            "torsional_stiffness": [1e4, 1e4, 1e4], "torsional_damping": [1, 1, 1]})
    };
    let part = |name: &str| json!({"name": name, "mass": 2, "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.03}});
    for holder in [
        json!({"type": "bushing", "stiffness": [1e4, 1e4, 0], "damping": [1, 1, 0]}),
        json!({"type": "vector_force", "fx": "0*TIME"}),
        json!({"type": "vector_force", "fx": "-1e4*DX(b, ground)", "fy": "-1e4*DY(b, ground)"}),
        json!({"type": "vector_torque", "tz": "0"}),
        json!({"type": "spring_damper", "j": "above", "stiffness": 100, "damping": 1, "length": 0.1}),
    ] {
        let mut bearing = json!({"name": "bearing_b", "i": "b", "j": "ground"});
        let fields = holder.as_object().unwrap().clone();
        bearing.as_object_mut().unwrap().extend(fields);
        let model = json!({
            "fixstep": 1, "name": "line", "gravity": [0, 0, 0],
            "parts": [part("hub"), part("first"), part("second")],
            "markers": [
                {"name": "h", "part": "hub"}, {"name": "a", "part": "first"}, {"name": "b", "part": "second"},
                {"name": "above", "part": "ground", "position": [0, 0, 0.1]}
            ],
            "joints": [{"name": "shaft", "type": "revolute", "i": "h", "j": "ground"}],
            "motions": [{"name": "spin", "joint": "shaft", "velocity": "50"}],
            "forces": [coupling("a", "h"), coupling("b", "a"), bearing],
            "outputs": [{"name": "first", "expression": "WZ(a)"}, {"name": "second", "expression": "WZ(b)"}]
        });
        let simulation = turning(&model);
        let speeds = [0_usize, 1].map(|k| simulation.output(k.into()));
        let right = speeds.iter().all(|speed| (speed - 50.0).abs() < 1e-8);
        assert!(right, "{holder}: {speeds:?}");
    }
}

/// Parts in a row along x with bushings between them; a motion turns the first one about its centre with 20 rad/s.
fn row(count: usize) -> Value {
    let mut parts = Vec::new();
    let mut markers = vec![
        json!({"name": "bearing", "part": "ground", "position": [0, 0, 0]}),
        json!({"name": "axle", "part": "b1"}),
    ];
    let mut forces = Vec::new();
    for k in 1..=count {
        let x = 0.1 * (k - 1) as f64;
        parts.push(json!({"name": format!("b{k}"), "mass": k, "position": [x, 0, 0], "inertia": {"xx": 0.01, "yy": 0.012, "zz": 0.013}}));
        if k > 1 {
            let (eye, end) = (format!("eye{k}"), format!("end{k}"));
            markers.push(json!({"name": eye, "part": format!("b{k}"), "position": [-0.05, 0, 0]}));
            markers.push(
                json!({"name": end, "part": format!("b{}", k - 1), "position": [0.05, 0, 0]}),
            );
            forces.push(json!({"name": format!("u{k}"), "type": "bushing", "i": eye, "j": end, "stiffness": [1e7, 1e7, 1e7],
                "torsional_stiffness": [1e4, 1e4, 1e4]}));
        }
    }
    json!({
        "fixstep": 1, "name": "row", "gravity": [0, 0, 0], "parts": parts, "markers": markers, "forces": forces,
        "joints": [{"name": "hinge", "type": "revolute", "i": "axle", "j": "bearing"}],
        "motions": [{"name": "spin", "joint": "hinge", "displacement": "20*TIME"}]
    })
}

/// Each bushing carries the centrifugal forces of all parts beyond it; the search takes one decomposition for each
/// step.
#[test]
fn a_row_of_parts_is_stretched_as_it_turns() {
    let count = 12;
    let simulation = turning(&row(count));
    let mut at: Vec<f64> = (0..count).map(|k| 0.1 * k as f64).collect();
    for _ in 0..60 {
        let pull: Vec<f64> = (0..count).map(|k| (k + 1) as f64 * 400.0 * at[k]).collect();
        for k in 1..count {
            at[k] = at[k - 1] + 0.1 + pull[k..].iter().sum::<f64>() / 1e7;
        }
    }
    for (k, x) in at.iter().enumerate() {
        let r = simulation.body_pose(BodyId::from(k + 1)).0;
        assert!((r.x - x).abs() < 1e-9 && r.y.abs() < 1e-9, "{k}: {r} {x}");
    }
}
