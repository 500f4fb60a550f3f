//! Newton iterations, Jacobians and factorisations of every step against FIXIT and PATTERN: in every
//! scheme, through large motion, reversal and contact.

use fixstep_kernel::linalg::Counters;
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, SolverSettings};
use fixstep_kernel::simulation::Simulation;
use fixstep_kernel::state::Counter;
use fixstep_model::Model;

/// Every scheme by name.
const SCHEMES: [(&str, IntegratorKind, Formulation); 5] = [
    ("GSTIFF/I3", IntegratorKind::Gstiff, Formulation::I3),
    ("GSTIFF/SI2", IntegratorKind::Gstiff, Formulation::Si2),
    ("HHT", IntegratorKind::Hht, Formulation::I3),
    ("NEWMARK", IntegratorKind::Newmark, Formulation::I3),
    (
        "GENALPHA",
        IntegratorKind::GeneralizedAlpha,
        Formulation::I3,
    ),
];

/// Patterns, with the Jacobians that a step evaluates with 1 to 10 iterations.
const PATTERNS: [(&str, [u32; 10]); 5] = [
    ("T:F:F:F:T:F:F:F:T:F", [1, 1, 1, 1, 2, 2, 2, 2, 3, 3]),
    ("T", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    ("T:F", [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]),
    ("T:F:F:F:F:F:F:F:F:F", [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
    // The first iteration always evaluates; with one iteration this pattern is refused.
    ("F:T:T", [1, 2, 3, 3, 4, 5, 5, 6, 7, 7]),
];

/// An example, and how many of its default steps make it move far, turn back or touch.
const EXAMPLES: [(&str, u32); 4] = [
    ("bouncer", 1000),
    ("andrews_squeezer", 60),
    ("four_bar", 150),
    // Through positions where a pivot of its elimination passes through zero.
    ("spatial_slider_crank", 600),
];

fn example(name: &str) -> Simulation {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../models")
        .join(name)
        .join("model.json");
    let text = std::fs::read_to_string(path).unwrap();
    let model = Model::from_json(&text).map_err(|e| e.to_string()).unwrap();
    Simulation::new(model.mechanism).unwrap()
}

/// Starts an example anew with settings.
fn start(simulation: &mut Simulation, settings: SolverSettings) {
    let time = simulation.mechanism().experiment.start;
    let h = simulation.mechanism().experiment.step;
    simulation.set_settings(settings).unwrap();
    simulation.set_step(h);
    simulation.initialize(time).unwrap();
    simulation.set_step(h);
}

/// What the linear algebra has counted so far: the Newton matrix, and SI2's projection.
fn counted(simulation: &Simulation) -> [Counters; 2] {
    let stepper = simulation.stepper().unwrap();
    [
        stepper.factor.counters(),
        stepper.projection.factor.counters(),
    ]
}

/// Takes steps and compares what each has done.
fn check(simulation: &mut Simulation, steps: u32, (iterations, jacobians): (u32, u32), name: &str) {
    let settings = simulation.settings();
    let stabilised = settings.formulation == Formulation::Si2;
    // The linearly implicit mode solves once more for its error estimate.
    let extra = u64::from(settings.linearly_implicit);
    for step in 0..steps {
        let before = counted(simulation);
        let report = simulation.step().unwrap();
        let after = counted(simulation);
        let place = format!("{name}, step {step}");
        assert_eq!(report.iterations, iterations, "{place}");
        assert_eq!(report.jacobians, jacobians, "{place}");
        let state = &simulation.part().state;
        let figures = (
            state.counter(Counter::Iterations),
            state.counter(Counter::Jacobians),
        );
        assert_eq!(figures, (u64::from(iterations), u64::from(jacobians)));
        let done = [0, 1].map(|k| {
            (
                after[k].refactored - before[k].refactored,
                after[k].solved - before[k].solved,
            )
        });
        let newton = (u64::from(jacobians), u64::from(iterations) + extra);
        let projection = if stabilised {
            (u64::from(jacobians), u64::from(iterations))
        } else {
            (0, 0)
        };
        assert_eq!(done, [newton, projection], "{place}: factorised and solved");
    }
    for counters in counted(simulation) {
        let odd = (counters.degraded, counters.dense, counters.singular);
        assert_eq!(odd, (0, 0, 0), "{name}: a slower path was taken");
    }
}

#[test]
fn a_step_iterates_evaluates_and_factorises_as_fixit_and_pattern_say() {
    for (name, steps) in EXAMPLES {
        let mut simulation = example(name);
        for (scheme, integrator, formulation) in SCHEMES {
            for (text, jacobians) in PATTERNS {
                for fixit in 1 + u8::from(text.starts_with('F'))..=10 {
                    // Long runs for the default pattern, short ones for the rest.
                    let steps = if text.len() > 18 && fixit == 3 {
                        steps
                    } else {
                        5
                    };
                    let mut settings = simulation.settings().clone();
                    settings.integrator = integrator;
                    settings.formulation = formulation;
                    settings.pattern = SolverSettings::pattern_from(text).unwrap();
                    settings.fixit = fixit;
                    start(&mut simulation, settings);
                    let wanted = (u32::from(fixit), jacobians[usize::from(fixit) - 1]);
                    let name = format!("{name}, {scheme}, fixit {fixit}, pattern {text}");
                    check(&mut simulation, steps, wanted, &name);
                }
            }
        }
    }
}

#[test]
fn linearly_implicit_steps_evaluate_once_whatever_fixit_and_pattern() {
    for (name, steps) in EXAMPLES {
        let mut simulation = example(name);
        for (scheme, integrator, formulation) in SCHEMES {
            for (fixit, text) in [(1, "F:T"), (7, "T")] {
                let mut settings = simulation.settings().clone();
                settings.integrator = integrator;
                settings.formulation = formulation;
                settings.linearly_implicit = true;
                settings.pattern = SolverSettings::pattern_from(text).unwrap();
                settings.fixit = fixit;
                start(&mut simulation, settings);
                let name = format!("{name}, {scheme}, linearly implicit");
                check(&mut simulation, steps, (1, 1), &name);
            }
        }
    }
}

#[test]
fn the_run_behind_the_counts_touches_leaves_and_turns_back() {
    let mut simulation = example("bouncer");
    let (mut touches, mut turns, mut span) = (0, 0, (0.0_f64, 0.0_f64));
    let mut last = (0.0, 0.0);
    let output = |simulation: &Simulation, name: &str| {
        let outputs = &simulation.mechanism().outputs;
        let k = outputs.iter().position(|o| o.quantity.name == name);
        simulation.output(fixstep_kernel::ids::OutputId::from(k.unwrap()))
    };
    for _ in 0..EXAMPLES[0].1 * 4 {
        simulation.step().unwrap();
        let (force, rate) = (
            output(&simulation, "anvil_force"),
            output(&simulation, "rate"),
        );
        let angle = output(&simulation, "angle");
        touches += u32::from(last.0 == 0.0 && force > 0.0);
        turns += u32::from(last.1 * rate < 0.0);
        span = (span.0.min(angle), span.1.max(angle));
        last = (force, rate);
    }
    assert!(touches >= 3 && turns >= 3, "{touches} {turns}");
    assert!(span.1 - span.0 > 3.0, "{span:?}");
}
