//! Energies, powers and the account of a run: against closed forms, and closed in every example.

use crate::harness::{advance, build, output, start};
use fixstep_kernel::ids::{InputId, ParameterId};
use fixstep_kernel::math::{cos, exp, sin};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use serde_json::{Value, json};

/// 2 kg on a spring and damper along x, millimetres and newtons; released 30 mm from rest.
fn oscillator() -> Value {
    let along = json!({"z_point": [1, 0, 0], "x_point": [0, 0, 1]});
    json!({
        "fixstep": 1, "name": "oscillator",
        "units": {"length": "mm", "force": "N"},
        "parts": [{"name": "cart", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1},
                   "position": [130, 0, 0], "velocity": [0, 0, 0]}],
        "markers": [{"name": "hub", "part": "cart", "orientation": along},
                    {"name": "base", "part": "ground", "orientation": along}],
        "joints": [{"name": "rail", "type": "translational", "i": "hub", "j": "base"}],
        "forces": [{"name": "spring", "type": "spring_damper", "i": "hub", "j": "base",
                    "stiffness": 0.5, "damping": 0.004, "length": 100}],
        "outputs": [
            {"name": "ke", "expression": "KE(cart)"},
            {"name": "se", "expression": "SE(spring)"},
            {"name": "power", "expression": "POWER(spring)"},
            {"name": "lost", "expression": "DISSIPATION(spring)"},
            {"name": "rail", "expression": "POWER(rail)"}
        ],
        "experiment": {"step": 1e-3}
    })
}

#[test]
fn a_damped_oscillator_has_the_energies_of_its_closed_form() {
    let mut simulation = build(&oscillator().to_string());
    start(&mut simulation, 1e-4);
    advance(&mut simulation, 0.3);
    // SI: m x'' + c x' + k x = 0 with m = 2, c = 4, k = 500; N mm are mJ.
    let (m, c, k, x0) = (2.0, 4.0, 500.0, 0.03);
    let a: f64 = c / (2.0 * m);
    let w = (k / m - a * a).sqrt();
    let t = simulation.time();
    let (x, v) = (
        x0 * exp(-a * t) * (cos(w * t) + a / w * sin(w * t)),
        -x0 * exp(-a * t) * (w + a * a / w) * sin(w * t),
    );
    let near = |name: &str, wanted: f64| {
        let found = output(&simulation, name);
        assert!(
            (found - 1e3 * wanted).abs() < 5e-5 * 225.0,
            "{name}: {found} {}",
            1e3 * wanted
        );
    };
    near("ke", 0.5 * m * v * v);
    near("se", 0.5 * k * x * x);
    near("lost", c * v * v);
    near("power", (-k * x - c * v) * v);
    assert!(output(&simulation, "rail").abs() < 1e-9);
    let figure = |figure| simulation.figure(figure);
    let energy = 0.5 * m * v * v + 0.5 * k * x * x;
    let lost = 0.5 * k * x0 * x0 - energy;
    assert!((figure(Figure::DissipatedEnergy) - lost).abs() < 1e-5 * lost);
    assert!((figure(Figure::StrainEnergy) - 0.5 * k * x * x).abs() < 1e-6);
    assert!((figure(Figure::DissipatedPower) - c * v * v).abs() < 1e-4);
    assert_eq!(figure(Figure::Work), 0.0);
    assert!(figure(Figure::EnergyError).abs() < 1e-5 * lost);
}

#[test]
fn a_motion_does_the_work_that_its_load_takes() {
    // A wheel run up by a motion: P = J alpha omega; W = J omega^2/2.
    let model = json!({
        "fixstep": 1, "name": "wheel",
        "parts": [{"name": "wheel", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 0.5}}],
        "markers": [{"name": "hub", "part": "wheel"}],
        "joints": [{"name": "axle", "type": "revolute", "i": "hub", "j": "ground"}],
        "motions": [{"name": "axle", "joint": "axle", "displacement": "3*TIME**2"}],
        "outputs": [{"name": "p", "expression": "POWER(axle, motion)"},
                    {"name": "q", "expression": "POWER(axle, joint)"}]
    });
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.5);
    // omega = 6 t, alpha = 6.
    let p = output(&simulation, "p");
    assert!((p - 0.5 * 6.0 * 3.0).abs() < 1e-3, "{p}");
    assert!(output(&simulation, "q").abs() < 1e-9);
    let work = simulation.figure(Figure::Work);
    assert!((work - 0.25 * 9.0).abs() < 1e-5, "{work}");
    assert!(simulation.figure(Figure::EnergyError).abs() < 1e-5);
    assert!((simulation.figure(Figure::WorkPower) - p).abs() < 1e-12);
}

#[test]
fn a_general_constraint_that_moves_does_work() {
    // 2 kg pushed along x by t^2/2: P = 2 t, W = t^2.
    let mut model = json!({
        "fixstep": 1, "name": "pushed",
        "point_masses": [{"name": "a", "mass": 2, "position": [1, 0, 0]}],
        "markers": [{"name": "m", "part": "a"}],
        "general_constraints": [{"name": "push", "expression": "DX(m) - 1 - 0.5*TIME**2"}]
    });
    let mut errors = Vec::new();
    for h in [2e-3, 1e-3] {
        let mut simulation = build(&model.to_string());
        start(&mut simulation, h);
        advance(&mut simulation, 1.0);
        let figure = |figure| simulation.figure(figure);
        assert!((figure(Figure::WorkPower) - 2.0).abs() < 1e-4);
        errors.push((figure(Figure::Work) - 1.0).abs());
        assert!(figure(Figure::EnergyError).abs() < 1e-5);
    }
    assert!(errors[1] < 1e-5, "{errors:?}");
    // A constraint that does not move does no work, and rounding is not counted as work.
    model["general_constraints"][0]["expression"] = json!("DX(m) - 1");
    model["point_masses"][0]["velocity"] = json!([0, 3, 0]);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.1);
    assert_eq!(simulation.figure(Figure::Work), 0.0);
}

#[test]
fn a_constant_torque_works_by_its_angle() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models/four_bar/model.json");
    let model = Model::from_file(&file).map_err(|e| e.to_string()).unwrap();
    let mut simulation = Simulation::new(model.mechanism).unwrap();
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 1.0);
    // From 60 degrees to the exact angle at one second (models/four_bar/README.md).
    let work = 0.35 * (7.754_464_163 - std::f64::consts::PI / 3.0);
    let found = simulation.figure(Figure::Work);
    assert!((found - work).abs() < 1e-3 * work, "{found} {work}");
    assert!(
        (output(&simulation, "torque.power") - simulation.figure(Figure::WorkPower)).abs() < 1e-12
    );
    // The pin goes round the rocker's bearing at 0.55 m.
    let speed = 0.55 * output(&simulation, "rocker_rate").abs();
    assert!((output(&simulation, "pin_c.vm") - speed).abs() < 1e-4 * speed);
}

#[test]
fn gravity_and_parameters_that_change_are_accounted_for() {
    // A body on a spring while gravity grows; then the spring gets stiffer at once: order 1.
    let mut model = oscillator();
    model["gravity"] = json!([0, 0, -9806.65]);
    model["parameters"] = json!([{"name": "k", "start": 0.5, "tunable": true}]);
    model["forces"][0]["stiffness"] = json!("=k");
    model["markers"][0]["orientation"] = json!({"euler": [0, 0, 0]});
    model["markers"][1]["orientation"] = json!({"euler": [0, 0, 0]});
    model["parts"][0]["position"] = json!([0, 0, 100]);
    model["start"] = json!({"ramp": {"duration": 0.2}});
    let mut errors = Vec::new();
    for h in [1e-3, 5e-4] {
        let mut simulation = build(&model.to_string());
        start(&mut simulation, h);
        advance(&mut simulation, 0.25);
        simulation.set_parameter(ParameterId(0), 0.7).unwrap();
        advance(&mut simulation, 0.5);
        let work = simulation.figure(Figure::Work);
        assert!(work.abs() > 0.1, "{work}");
        errors.push((simulation.figure(Figure::EnergyError) / work).abs());
    }
    eprintln!("gravity and parameters: {errors:?}");
    assert!(
        errors[0] < 1e-3 && errors[1] < 0.6 * errors[0],
        "{errors:?}"
    );
}

/// The largest term of the account, to which its error is compared.
fn turnover(simulation: &Simulation) -> f64 {
    [
        Figure::Work,
        Figure::DissipatedEnergy,
        Figure::KineticEnergy,
        Figure::StrainEnergy,
    ]
    .iter()
    .map(|figure| simulation.figure(*figure).abs())
    .fold(0.0, f64::max)
}

/// Largest error of the account over a run, relative to its largest term.
pub(crate) fn worst(model: &Model, h: f64, steps: usize) -> f64 {
    let mut simulation = Simulation::new(model.clone().mechanism).unwrap();
    start(&mut simulation, h);
    let (mut error, mut size) = (0.0_f64, 1e-12_f64);
    for _ in 0..steps {
        // One swing a second, a hundredth of what is allowed.
        let swing = 0.01 * sin(2.0 * std::f64::consts::PI * (simulation.time() + h));
        for (k, input) in model.mechanism.inputs.iter().enumerate() {
            let (min, max) = (input.quantity.min, input.quantity.max);
            let range = max.unwrap_or(1.0) - min.unwrap_or(0.0);
            simulation.set_input(InputId::from(k), input.quantity.start + range * swing);
        }
        simulation.step().unwrap();
        let alarms: Vec<_> = simulation.alarms().collect();
        assert!(alarms.is_empty(), "{}: {alarms:?}", model.mechanism.name);
        error = error.max(simulation.figure(Figure::EnergyError).abs());
        size = size.max(turnover(&simulation));
    }
    error / size
}

#[test]
fn the_account_closes_in_every_example() {
    let mut open = Vec::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path().join("model.json");
        let model = Model::from_file(&file).map_err(|e| e.to_string()).unwrap();
        let h = model.mechanism.experiment.step;
        let coarse = worst(&model, h, 1000);
        let fine = worst(&model, 0.5 * h, 2000);
        eprintln!(
            "{}: {coarse:.3e} at h, {fine:.3e} at h/2",
            model.mechanism.name
        );
        // Order 2 gives a quarter, order 1 a half; smaller errors are rounding. Segments that
        // vibrate at 18 kHz lose the energy of the start in the first steps, whatever the step.
        let floor = if model.mechanism.name == "flexible_beam_twins" {
            2e-5
        } else {
            1e-9
        };
        if coarse > 2e-2 || (fine > 0.6 * coarse && fine > floor) {
            open.push(format!("{}: {coarse:.3e} {fine:.3e}", model.mechanism.name));
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn a_saved_state_includes_the_energy_account() {
    let mut simulation = build(&oscillator().to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.1);
    let mut saved = vec![0; simulation.state_size()];
    simulation.save(&mut saved);
    advance(&mut simulation, 0.2);
    let lost = simulation.figure(Figure::DissipatedEnergy);
    simulation.restore(&saved);
    advance(&mut simulation, 0.2);
    assert_eq!(
        simulation.figure(Figure::DissipatedEnergy).to_bits(),
        lost.to_bits()
    );
}

#[test]
fn angles_and_directions_between_markers_are_read() {
    let model = json!({
        "fixstep": 1, "name": "lines",
        "markers": [
            {"name": "a", "part": "ground", "position": [2, 0, 0]},
            {"name": "b", "part": "ground", "position": [0, 0, 0]},
            {"name": "c", "part": "ground", "position": [1, 0, 3_f64.sqrt()]},
            {"name": "turned", "part": "ground", "orientation": {"z_point": [1, 0, 0]}}
        ],
        "parts": [{"name": "p", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "outputs": [
            {"name": "angle", "expression": "INCANG(a, b, c)"},
            {"name": "zero", "expression": "INCANG(a, b, a)"},
            {"name": "x", "expression": "UVX(c, b)"},
            {"name": "z", "expression": "UVZ(c, b)"},
            {"name": "along", "expression": "UVZ(c, b, turned)"}
        ]
    });
    let simulation = build(&model.to_string());
    let near = |name: &str, wanted: f64| {
        let found = output(&simulation, name);
        assert!((found - wanted).abs() < 1e-15, "{name}: {found}");
    };
    near("angle", std::f64::consts::PI / 3.0);
    near("zero", 0.0);
    near("x", 0.5);
    near("z", 0.75_f64.sqrt());
    near("along", 0.5);
}
