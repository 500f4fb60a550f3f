//! Condition numbers of the iteration matrices: of the fixed step from 10 ms down to 0.1 µs, of the variable step from 1 ms
//! down to 1 ns.

use fixstep_kernel::integrator::scheme;
use fixstep_kernel::linalg::{Pattern, TileMatrix};
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, Mode, SolverSettings};
use fixstep_kernel::simulation::{Part, Simulation, Tolerance};
use fixstep_kernel::system::jacobian::{self, Scaling};
use fixstep_kernel::system::stage::Balanced;
use fixstep_model::Model;
use nalgebra::DMatrix;

const STEPS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

const SCHEMES: [(IntegratorKind, Formulation); 5] = [
    (IntegratorKind::Gstiff, Formulation::I3),
    (IntegratorKind::Gstiff, Formulation::Si2),
    (IntegratorKind::Hht, Formulation::I3),
    (IntegratorKind::Newmark, Formulation::I3),
    (IntegratorKind::GeneralizedAlpha, Formulation::I3),
];

/// The matrix without padding.
fn dense(pattern: &Pattern, matrix: &TileMatrix) -> DMatrix<f64> {
    let place: Vec<usize> = pattern
        .block_ids()
        .flat_map(|b| (0..pattern.size(b)).map(move |k| b.offset() + k))
        .collect();
    let n = place.len();
    let mut full = DMatrix::zeros(n, n);
    let mut unit = vec![0.0; pattern.padded()];
    for (column, at) in place.iter().enumerate() {
        unit[*at] = 1.0;
        let mut image = vec![0.0; pattern.padded()];
        matrix.add_product(pattern, 1.0, &unit, &mut image);
        unit[*at] = 0.0;
        for (row, at) in place.iter().enumerate() {
            full[(row, column)] = image[*at];
        }
    }
    full
}

fn condition(matrix: &DMatrix<f64>) -> f64 {
    let values = matrix.singular_values();
    values.max() / values.min()
}

/// An example at its start under a scheme with a step.
fn at_start(
    name: &str,
    (integrator, formulation): (IntegratorKind, Formulation),
    h: f64,
) -> Simulation {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../models")
        .join(name)
        .join("model.json");
    let text = std::fs::read_to_string(path).unwrap();
    let mut model = Model::from_json(&text).map_err(|e| e.to_string()).unwrap();
    model.mechanism.solver.integrator = integrator;
    model.mechanism.solver.formulation = formulation;
    model.mechanism.experiment.step = h;
    model.mechanism.solver.hratio = 1;
    Simulation::new(model.mechanism).unwrap()
}

/// Condition numbers: as factored; as the equations are written, forces and λ themselves; of the
/// projection.
fn conditions(simulation: &mut Simulation) -> [f64; 3] {
    let solver = simulation.settings().clone();
    let Part { system, state, ws } = simulation.part();
    let scheme = scheme(&solver, state.step(&system.layout));
    for term in &mut ws.inertia_terms {
        term.weight = scheme.inertia_weight;
    }
    let scaling = |motion: f64| Scaling {
        motion,
        constraints: 1.0,
        rates: scheme.rate_scale(),
        states: scheme.states.rows(scheme.scale),
    };
    let mut balanced = Balanced::kept(ws);
    let factored = scaling(scheme.scale);
    jacobian::assemble_softened(system, state, &mut balanced, &scheme.weights, &factored);
    let scaled = condition(&dense(&system.pattern, &balanced.matrix));
    let mut weights = scheme.weights;
    weights.l = 1.0;
    jacobian::assemble(system, state, &mut balanced, &weights, &scaling(1.0));
    let classical = condition(&dense(&system.pattern, &balanced.matrix));
    let mut metric = TileMatrix::new(&system.pattern);
    let constrained = &mut balanced.evaluated().constrained();
    jacobian::assemble_metric(system, state, constrained, &mut metric);
    let projection = condition(&dense(&system.pattern, &metric));
    [scaled, classical, projection]
}

#[test]
fn condition_numbers_stay_bounded_as_the_step_shrinks() {
    for name in [
        "spatial_slider_crank",
        "andrews_squeezer",
        "quarter_car",
        "four_bar",
    ] {
        for scheme in SCHEMES {
            let all: Vec<[f64; 3]> = STEPS
                .iter()
                .map(|h| conditions(&mut at_start(name, scheme, *h)))
                .collect();
            let limit = all.last().unwrap();
            for (h, [scaled, _, projection]) in STEPS.iter().zip(&all) {
                let ratio = scaled / limit[0];
                assert!(ratio < 10.0, "{name} {scheme:?} at {h}: {scaled:e}");
                assert!((projection / limit[2] - 1.0).abs() < 1e-9, "{projection:e}");
            }
            // As h⁻⁴, until it is rounding's.
            let growth = all[2][1] / all[0][1];
            assert!(growth > 1e4, "{name} {scheme:?}: {growth:e}");
        }
    }
}

/// Steps of the variable step.
const SHORTER: [f64; 7] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9];
/// Steps after the start until the matrices are looked at.
const MADE: u64 = 4;

/// Condition numbers of the matrices with which a run with a variable step of h has made its last step: of Newton's iteration
/// and, in SI2 and SI1, of the projection.
fn of_a_run(name: &str, scheme: (IntegratorKind, Formulation), h: f64) -> (f64, Option<f64>) {
    let mut simulation = at_start(name, (IntegratorKind::Hht, Formulation::I3), 1e-3);
    let experiment = simulation.mechanism().experiment;
    let mut settings = SolverSettings {
        mode: Mode::Variable,
        integrator: scheme.0,
        formulation: scheme.1,
        hinit: Some(h),
        hmax: Some(h),
        error: Some(1e-3),
        ..SolverSettings::default()
    };
    // A Jacobian in every iteration, so that the matrix is that of the last step.
    settings.pattern = SolverSettings::every_iteration();
    settings.given.add("pattern");
    simulation.initialize(experiment.start).unwrap();
    simulation.set_step(experiment.step);
    let tolerance = Tolerance {
        first: Some(h),
        longest: h,
        ..Tolerance::of(&settings.tolerance(&experiment))
    };
    let stabilised = scheme.1.is_stabilised();
    simulation.set_tolerance(tolerance);
    for k in 1..=MADE {
        simulation.step_towards(experiment.start + 1.0).unwrap();
        let made = simulation.variable_report().unwrap();
        assert_eq!(
            (made.steps, made.rejected, made.diverged),
            (k, 0, 0),
            "{name} {h:e}"
        );
        let passed = simulation.time() - experiment.start;
        assert!(
            (passed / (k as f64 * h) - 1.0).abs() < 1e-6,
            "{name} {h:e} {passed:e}"
        );
    }
    // The memory of a run ends with its matrices.
    let numbers = simulation.variable_memory().unwrap();
    let pattern = &simulation.part().system.pattern;
    let mut matrix = TileMatrix::new(pattern);
    let count = matrix.numbers_mut().count();
    let mut last = |behind: usize| {
        let from = numbers.len() - (behind + 1) * count;
        let values = numbers[from..from + count].iter();
        matrix
            .numbers_mut()
            .zip(values)
            .for_each(|(to, x)| *to = *x);
        condition(&dense(pattern, &matrix))
    };
    if stabilised {
        (last(1), Some(last(0)))
    } else {
        (last(0), None)
    }
}

/// HASTIFF's matrices stay conditioned however short the step is. So does that of I3 as it is built here, with s λ for the
/// multipliers; the textbook's, with λ itself, does not.
#[test]
fn the_matrices_of_a_variable_step_stay_conditioned() {
    for name in [
        "spatial_slider_crank",
        "flyball_governor",
        "quarter_car",
        "four_bar",
    ] {
        let textbook = SHORTER.map(|h| {
            let mut simulation = at_start(name, (IntegratorKind::Gstiff, Formulation::I3), h);
            conditions(&mut simulation)[1]
        });
        for scheme in [
            (IntegratorKind::Hastiff, Formulation::Si1),
            (IntegratorKind::Wstiff, Formulation::I3),
        ] {
            let all = SHORTER.map(|h| of_a_run(name, scheme, h));
            let (shortest, by_rates) = all[SHORTER.len() - 1];
            for ((h, (step, projection)), textbook) in SHORTER.iter().zip(&all).zip(&textbook) {
                let ratio = step / shortest;
                // Springs count at 1 ms.
                assert!(
                    (0.01..100.0).contains(&ratio),
                    "{name} {scheme:?} {h:e}: {step:e} {shortest:e}"
                );
                if let (Some(own), Some(last)) = (projection, by_rates) {
                    assert!(
                        (0.1..10.0).contains(&(own / last)),
                        "{name} {h:e}: {own:e} {last:e}"
                    );
                }
                assert!(
                    *textbook > 1e6 * step,
                    "{name} {h:e}: {textbook:e} {step:e}"
                );
            }
        }
        // As h⁻⁴, until it is rounding's: no digit is left, from 0.1 ms on.
        assert!(
            textbook[1..].iter().all(|x| *x > 1e15),
            "{name}: {textbook:?}"
        );
    }
}
