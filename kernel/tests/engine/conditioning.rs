//! Condition numbers of the iteration matrices from 10 ms down to 0.1 µs.

use fixstep_kernel::integrator::scheme;
use fixstep_kernel::linalg::{Pattern, TileMatrix};
use fixstep_kernel::mechanism::{Formulation, IntegratorKind};
use fixstep_kernel::simulation::{Part, Simulation};
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
