//! Runs with a variable step against references of other origin: a commercial solver's single joints, and the problems
//! of `tests/work_precision`. Errors fall with the tolerance, and steps stay few.

use crate::harness::{Table, advance, build, json, output, simulation, truth};
use fixstep_kernel::simulation::{Method, Simulation, Tolerance};
use fixstep_model::Model;

/// A simulation at its start, with steps of h to be shown.
fn begin(mut simulation: Simulation, h: f64, error: f64, longest: f64) -> Simulation {
    simulation.set_step(h);
    simulation.initialize(0.0).unwrap();
    simulation.set_step(h);
    simulation.set_tolerance(Tolerance::new(error, longest));
    simulation
}

/// Largest difference from a table, each column by its scale, over the first rows.
fn error(
    simulation: &mut Simulation,
    table: &Table,
    columns: &[(&str, f64)],
    until: f64,
) -> (f64, String) {
    let mut worst = (0.0, String::new());
    let rows = table
        .rows
        .iter()
        .filter(|row| row[0] > 0.0 && row[0] <= until + 1e-9);
    for row in rows {
        advance(simulation, row[0]);
        for (name, scale) in columns {
            let (got, wanted) = (output(simulation, name), row[table.column(name)]);
            let apart = (got - wanted).abs() / scale;
            // Not below a number that is not finite.
            if apart.is_nan() || apart > worst.0 {
                worst = (apart, format!("{name} at {} s: {got} {wanted}", row[0]));
            }
        }
    }
    worst
}

/// Positions, velocities, accelerations and reactions, with the scales of their errors.
const KINDS: [(&[&str], f64); 5] = [
    (&["x", "y", "z"], 2.0),
    (&["vx", "vy", "vz"], 5.0),
    (&["ax", "ay", "az"], 30.0),
    (&["wx", "wy", "wz"], 5.0),
    (&["Fx", "Fy", "Fz", "Tx", "Ty", "Tz"], 30.0),
];

/// The columns of a run; springs have no joint whose reactions are read.
fn columns(name: &str) -> Vec<(&'static str, f64)> {
    let mut columns = Vec::new();
    for (names, scale) in KINDS {
        let reaction = names[0] == "Fx";
        if !(reaction && name.contains("Spring")) {
            columns.extend(names.iter().map(|name| (*name, scale)));
        }
    }
    columns
}

/// A body on one joint or spring for a second, at the default tolerance of the solver that made the samples, 10⁻³, and
/// at tighter ones. `factor`: some runs are faster than the others.
fn joint(name: &str, factor: f64) {
    let mut model = json(&format!("J01_single_joint_runs/{name}.json"));
    model["experiment"] = serde_json::json!({"start": 0, "stop": 1, "step": 0.05});
    let table = Table::read(&format!("J01_single_joint_runs/{name}.csv"));
    let columns = columns(name);
    let mut last = f64::INFINITY;
    for (tolerance, most) in [(1e-3, 2e-2), (1e-5, 2e-3), (1e-7, 1e-4), (1e-9, 2e-6)] {
        let mut simulation = begin(build(&model.to_string()), 0.05, tolerance, 0.05);
        let worst = error(&mut simulation, &table, &columns, 1.0);
        assert!(
            worst.0 < factor * most && worst.0 < last,
            "{name} at {tolerance:e}: {worst:?} after {last:e}"
        );
        last = worst.0;
        let steps = simulation.variable_report().unwrap().steps;
        let few = if tolerance < 1e-8 { 150 } else { 90 };
        assert!(
            steps as f64 * factor.sqrt().recip() < f64::from(few),
            "{name} at {tolerance:e}: {steps} steps"
        );
    }
}

/// GSTIFF in formulation I3, to the tolerance of the settings with which the commercial solver made the samples:
/// INTEGRATOR/GSTIFF, ERROR=1E-4, HMAX=1E-5, and DTOUT=1E-2.
fn as_sampled(name: &str, longest: f64, until: f64) -> (f64, String) {
    let mut model = json(&format!("J01_single_joint_runs/{name}.json"));
    model["experiment"] = serde_json::json!({"start": 0, "stop": 5, "step": 0.01});
    let table = Table::read(&format!("J01_single_joint_runs/{name}.csv"));
    let columns = columns(name);
    let mut simulation = begin(build(&model.to_string()), 0.01, 1e-4, longest);
    simulation.set_tolerance(Tolerance {
        method: Method::Multistep {
            constant: true,
            stabilised: false,
        },
        ..Tolerance::new(1e-4, longest)
    });
    error(&mut simulation, &table, &columns, until)
}

/// With the settings of the samples, whose steps are so short that the tolerance hardly counts, over their 5 s; and at
/// their tolerance alone up to a time, over which errors of steps add up.
fn sampled(name: &str, [own, loose, until]: [f64; 3]) {
    let worst = as_sampled(name, 1e-5, 5.0);
    assert!(worst.0 < own, "{name}: {worst:?}");
    let worst = as_sampled(name, 0.05, until);
    assert!(worst.0 < loose, "{name}: {worst:?}");
}

macro_rules! joints {
    ($($test:ident => $name:literal, $factor:literal, $bounds:expr;)*) => {
        $(#[test] fn $test() { joint($name, $factor); })*
        mod at_the_tolerance_of_the_samples {
            $(#[test] fn $test() { super::sampled($name, $bounds); })*
        }
    };
}

joints! {
    revolute_1 => "Revolute_Case01", 1.0, [6e-4, 1.2e-2, 5.0];
    revolute_2 => "Revolute_Case02", 1.0, [5e-4, 1.7e-3, 5.0];
    spherical => "Spherical_Case01", 1.0, [3.3e-4, 1.2e-2, 5.0];
    universal_1 => "Universal_Case01", 1.0, [3.3e-4, 1.2e-2, 5.0];
    universal_2 => "Universal_Case02", 1.0, [6.5e-4, 1.2e-2, 5.0];
    prismatic_1 => "Prismatic_Case01", 1.0, [1.6e-4, 7e-6, 5.0];
    prismatic_2 => "Prismatic_Case02", 1.0, [8e-5, 3e-5, 5.0];
    cylindrical_1 => "Cylindrical_Case01", 1.0, [1.6e-4, 7e-6, 5.0];
    cylindrical_2 => "Cylindrical_Case02", 1.0, [6e-4, 1.2e-2, 5.0];
    distance_1 => "Distance_Case01", 1.0, [6e-4, 1.1e-2, 5.0];
    // The body whirls about the point where its rod holds it.
    distance_2 => "Distance_Case02", 200.0, [0.12, 0.1, 0.25];
    rotational_spring => "RotSpring_Case01", 1.0, [2e-5, 5e-3, 5.0];
    translational_spring => "TranSpring_Case02", 1.0, [7e-4, 8e-3, 5.0];
}

/// A problem of `tests/work_precision` at a tolerance: its largest error and most steps.
fn problem(name: &str, columns: &[(&str, f64)], until: f64, bounds: (f64, f64, u64)) {
    problem_by(Method::WSTIFF, name, columns, until, bounds);
}

/// The same by a method.
fn problem_by(
    method: Method,
    name: &str,
    columns: &[(&str, f64)],
    until: f64,
    (tolerance, most_error, most_steps): (f64, f64, u64),
) {
    let path = truth("../work_precision/models").join(format!("{name}.json"));
    let model = Model::from_file(&path)
        .map_err(|fault| fault.to_string())
        .unwrap();
    let built = simulation(&model).unwrap();
    let table = Table::read(&format!("../work_precision/references/{name}.csv"));
    let mut simulation = begin(built, table.rows[1][0], tolerance, 0.1);
    simulation.set_tolerance(Tolerance {
        method,
        ..Tolerance::new(tolerance, 0.1)
    });
    let worst = error(&mut simulation, &table, columns, until);
    let steps = simulation.variable_report().unwrap().steps;
    assert!(worst.0 < most_error, "{name}: {worst:?} in {steps} steps");
    assert!(
        steps < most_steps,
        "{name}: {steps} steps, error {:e}",
        worst.0
    );
}

/// Two bushings of 50 kN/mm settle in 0.06 ms; the run takes steps of milliseconds.
#[test]
fn stiff_bushings_take_long_steps() {
    let columns = [
        ("x", 0.01),
        ("z", 0.01),
        ("turn", 0.01),
        ("u", 0.1),
        ("w", 0.1),
        ("lean", 0.1),
    ];
    problem("bushings", &columns, 2.0, (1e-6, 5e-4, 500));
    problem("bushings", &columns, 2.0, (1e-9, 1e-6, 1500));
}

#[test]
fn stick_and_slip_are_followed() {
    problem("stick_slip", &[("x", 0.05)], 5.0, (1e-9, 2e-4, 1500));
}

#[test]
fn forces_that_jump_leave_little_error() {
    let columns = [("x", 0.1), ("y", 0.1)];
    problem("jumping_force", &columns, 1.5, (1e-10, 1e-3, 6000));
}

/// The wheelset of the test set for IVP solvers: two constraints between cones and cylinders, and creep forces that
/// read their multipliers.
#[test]
fn a_wheelset_hunts() {
    let columns = [
        ("x", 1e-2),
        ("y", 1e-5),
        ("z", 1e-4),
        ("theta", 1e-2),
        ("phi", 1e-3),
    ];
    problem("wheelset", &columns, 1.0, (1e-9, 4e-3, 5000));
    // A step that ends at an event is much shorter than those around it; coefficients of a constant step do not suit it.
    let constant = Method::Multistep {
        constant: true,
        stabilised: false,
    };
    problem_by(constant, "wheelset", &columns, 1.0, (1e-8, 0.04, 1500));
}

/// Undamped beams: a mechanism of bodies with modes against energies of their nodes.
#[test]
fn undamped_beams_keep_vibrating() {
    let columns = [("angle", 1.0), ("bend", 1.0), ("x", 1.0), ("y", 1.0)];
    problem("flexible_pendulum", &columns, 2.0, (1e-8, 2e-5, 4000));
}
