//! Tests that decaying values end at zero, and not as denormal numbers (below 1e-308), which make a processor slow.

use crate::harness::{build, output};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::mechanism::{Formulation, IntegratorKind};
use fixstep_kernel::simulation::Simulation;
use fixstep_kernel::state::COUNTERS;

/// A damped mass, a damped pendulum at the bottom, filters of every kind and a delay: everything goes to
/// zero if the input is zero.
const DECAY: &str = include_str!("../real_time/decay.json");

/// Number of denormal numbers in a saved state.
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
