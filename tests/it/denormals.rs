//! What decays for ever ends at zero, and not in the numbers below 1e-308 that make a processor slow.

use crate::harness::{build, output};
use fixstep::ids::InputId;
use fixstep::model::{Formulation, IntegratorKind};
use fixstep::simulation::Simulation;
use fixstep::state::COUNTERS;

/// A damped mass, a damped pendulum at the bottom, filters of every kind and a delay: all of it goes to
/// zero, unless the input is none.
const DECAY: &str = r#"{
  "fixstep": 1, "name": "decay",
  "inputs": [{"name": "u", "start": 0}],
  "gravity": [0, 0, -9.81],
  "point_masses": [{"name": "m", "mass": 1, "position": [1, 0, 0]}],
  "parts": [{"name": "bob", "mass": 1, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1},
             "angular_velocity": [0, 0.5, 0]}],
  "markers": [
    {"name": "p", "part": "m"}, {"name": "o", "part": "ground"},
    {"name": "pin", "part": "bob", "position": [0, 0, 1],
     "orientation": {"z_point": [0, 1, 1]}},
    {"name": "hook", "part": "ground", "position": [0, 0, 1],
     "orientation": {"z_point": [0, 1, 1]}}
  ],
  "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "hook"}],
  "forces": [
    {"name": "hold", "type": "vector_force", "i": "p", "j": "o",
     "fx": "u - 400*DX(p) - 40*VX(p) + 0*DELAY(DX(p), 0.02, 0)", "fy": "0", "fz": "9.81"},
    {"name": "oil", "type": "torque", "i": "pin", "j": "hook", "expression": "-2000*AZ(pin, hook) - 94*WZ(pin, hook, hook)"}
  ],
  "differential_equations": [{"name": "lag", "derivative": "u - 40*DIF(lag)", "initial": 1}],
  "transfer_functions": [
    {"name": "filter", "input": "u", "numerator": [1], "denominator": [1, 0.05, 0.001]}
  ],
  "sampled_systems": [
    {"name": "sampled", "sample_period": 0.01, "inputs": ["u"], "a": [[0.3]], "b": [[1]],
     "c": [[1]], "d": [[0]], "initial": [1]}
  ],
  "outputs": [
    {"name": "x", "expression": "DX(p)"}, {"name": "angle", "expression": "AZ(pin, hook)"},
    {"name": "lag_out", "expression": "DIF(lag)"}, {"name": "held", "expression": "SAMVAL(sampled, 1)"}
  ],
  "experiment": {"stop": 1, "step": 0.01}
}"#;

/// Denormal numbers in all that survives a step.
fn denormals(simulation: &Simulation) -> usize {
    let mut bytes = vec![0; simulation.state_size()];
    simulation.save(&mut bytes);
    // A capacity before the numbers, counters behind them.
    let words: Vec<[u8; 8]> = bytes
        .chunks_exact(8)
        .map(|w| w.try_into().unwrap())
        .collect();
    let numbers = &words[1..words.len() - COUNTERS];
    let values = numbers.iter().map(|word| f64::from_le_bytes(*word));
    values.filter(|x| x.is_subnormal()).count()
}

#[test]
fn motion_that_dies_away_ends_at_zero() {
    let mut simulation = build(DECAY);
    for (integrator, formulation, linear) in [
        (IntegratorKind::Gstiff, Formulation::I3, false),
        (IntegratorKind::Gstiff, Formulation::Si2, false),
        (IntegratorKind::Hht, Formulation::I3, false),
        (IntegratorKind::Hht, Formulation::I3, true),
        (IntegratorKind::GeneralizedAlpha, Formulation::I3, false),
    ] {
        let mut settings = simulation.settings().clone();
        settings.integrator = integrator;
        settings.formulation = formulation;
        settings.linearly_implicit = linear;
        simulation.set_settings(settings).unwrap();
        simulation.initialize(0.0).unwrap();
        let case = format!("{integrator:?}/{formulation:?}, linear {linear}");
        assert!(output(&simulation, "x") > 0.5, "{case}");
        let mut met = false;
        for k in 0..3000 {
            simulation
                .step()
                .unwrap_or_else(|e| unreachable!("{case}: {e:?}"));
            assert_eq!(denormals(&simulation), 0, "{case}, step {k}");
            met |= (1e-140..1e-60).contains(&output(&simulation, "x").abs());
        }
        assert!(met, "{case}: x has gone through small numbers");
        for name in ["x", "angle", "lag_out", "held"] {
            assert_eq!(output(&simulation, name), 0.0, "{case}: {name}");
        }
    }
}

#[test]
fn denormal_inputs_are_no_inputs() {
    let mut simulation = build(DECAY);
    let u = InputId(0);
    for k in 0..2000 {
        let value = if k % 2 == 0 { 3e-310 } else { -5e-324 };
        simulation.set_input(u, value);
        assert_eq!(simulation.input(u), 0.0);
        simulation.step().unwrap();
        assert_eq!(denormals(&simulation), 0, "step {k}");
    }
    simulation.set_input(u, 1e-100);
    assert_eq!(simulation.input(u), 1e-100);
}
