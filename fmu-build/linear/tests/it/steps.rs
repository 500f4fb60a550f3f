//! Compares derivatives of integration steps with linear forms.

use faer::Mat;
use faer::linalg::solvers::Solve;
use fixstep_kernel::ids::{InputId, OutputId};
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, SolverSettings};
use fixstep_kernel::simulation::{Known, Simulation, Unknown};
use fixstep_model::Model;
use linear_analysis::{Options, form};
use std::path::Path;

/// An example that begins to move slowly.
fn example(name: &str) -> Simulation {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../models")
        .join(name);
    let text = std::fs::read_to_string(folder.join("model.json")).unwrap();
    let files = fixstep_model::resources::folder(&folder);
    let model = Model::read(&text, &files)
        .map_err(|e| e.to_string())
        .unwrap();
    Simulation::new(model.mechanism).unwrap()
}

/// An example after one step of h; the numbers of its outputs; and the derivatives of the outputs by
/// the inputs, by (SEN-7), of its linear form.
fn stepped(name: &str, h: f64) -> (Simulation, Vec<usize>, Mat<f64>) {
    let mut run = example(name);
    let settings = SolverSettings {
        integrator: IntegratorKind::Gstiff,
        formulation: Formulation::I3,
        fixit: 8,
        ..run.settings().clone()
    };
    run.set_settings(settings).unwrap();
    run.set_step(h);
    run.initialize(0.0).unwrap();
    run.step().unwrap();
    let linearization = run.linearization().unwrap();
    let form = form::linear_form(run.mechanism(), &linearization, &Options::default()).unwrap();
    assert!(form.e.is_none(), "{name}");
    let n = form.a.nrows();
    let step = Mat::from_fn(n, n, |r, c| {
        f64::from(u8::from(r == c)) - h * form.a[(r, c)]
    });
    let moved = step.partial_piv_lu().solve(&form.b) * h;
    let wanted = &form.c * &moved + &form.d;
    (run, linearization.shown, wanted)
}

/// All outputs of a linear form by all inputs after a step, and how far the derivatives are from (SEN-7), of the largest in the
/// row.
fn apart(name: &str, h: f64) -> (usize, f64) {
    let (mut run, outputs, wanted) = stepped(name, h);
    let (mut count, mut worst) = (0, 0.0_f64);
    let inputs = run.mechanism().inputs.len();
    let mut derivatives = run.derivatives().unwrap();
    for input in 0..inputs {
        let mut found = vec![0.0; outputs.len()];
        let unknowns = outputs.iter().map(|k| Unknown::Output(OutputId::from(*k)));
        let direction = std::iter::once((Known::Input(InputId::from(input)), 1.0));
        derivatives.along(direction, unknowns, &mut |k, x| found[k] = x);
        for (row, found) in found.iter().enumerate() {
            let columns = 0..wanted.ncols();
            let size = columns.fold(0.0_f64, |size, c| size.max(wanted[(row, c)].abs()));
            if size > 0.0 {
                count += 1;
                worst = worst.max((found - wanted[(row, input)]).abs() / size);
            } else {
                assert!(found.abs() < 1e-12, "{name}: {found}");
            }
        }
    }
    (count, worst)
}

#[test]
fn derivatives_of_a_step_are_those_of_the_linear_form() {
    for name in ["pendulum", "controlled_pendulum", "quarter_car"] {
        let [(count, coarse), (_, fine)] = [1e-3, 1e-5].map(|h| apart(name, h));
        assert!(
            count > 0 && coarse < 1e-5 && fine < 1e-8,
            "{name}: {coarse} {fine}"
        );
    }
}

/// Where a mechanism turns, rows that an input reaches by way of that alone begin with h³, and there one implicit Euler step of the
/// mechanism is not one of its linear form: constraints bring (hΩ) of what is reached at h². What is reached at once agrees.
#[test]
fn a_step_of_what_turns_is_that_of_the_linear_form_in_its_leading_rows() {
    let steps = [1e-3, 1e-4];
    let [coarse, fine] = steps.map(|h| {
        let (mut run, outputs, wanted) = stepped("flyball_governor", h);
        let mut all = Vec::new();
        let mut derivatives = run.derivatives().unwrap();
        let unknowns = outputs.iter().map(|k| Unknown::Output(OutputId::from(*k)));
        let direction = std::iter::once((Known::Input(InputId::from(0_usize)), 1.0));
        derivatives.along(direction, unknowns, &mut |k, x| {
            all.push((k, x, wanted[(k, 0)]));
        });
        all
    });
    let names = ["height", "rate", "angle", "climb", "arm"];
    for (name, (before, after)) in names.iter().zip(coarse.iter().zip(&fine)) {
        let apart = |of: &(usize, f64, f64)| (of.1 - of.2).abs() / of.2.abs();
        if ["rate", "angle"].contains(name) {
            assert!(
                apart(before) < 2e-4 && apart(after) < 3e-6,
                "{name}: {before:?} {after:?}"
            );
        } else {
            // Order h³, and h² of the speed.
            let least = if *name == "climb" { 1e-2 } else { 1e-3 };
            assert!(
                (after.1 / before.1).abs() < least && (after.2 / before.2).abs() < 1.2 * least,
                "{name}: {before:?} {after:?}"
            );
        }
    }
}
