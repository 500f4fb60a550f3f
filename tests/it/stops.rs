//! Tests, under every scheme, of steps that are refused for their error or for numbers that are not finite, of ignored
//! settings, and of invalid combinations.

use crate::harness::{advance, build, json, output, start, truth, try_build};
use crate::states::{schemes, with_solver};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::{Simulation, StepFailure};
use serde_json::{Value, json as value};

/// Everything that can be saved.
fn saved(simulation: &Simulation) -> Vec<u8> {
    let mut bytes = vec![0; simulation.state_size()];
    simulation.save(&mut bytes);
    bytes
}

/// Steps until one is refused; the state must be that from before it. The last good state, the failure.
fn until_refused(simulation: &mut Simulation, what: &str) -> (Vec<u8>, StepFailure) {
    loop {
        let before = saved(simulation);
        match simulation.step() {
            Ok(_) => assert!(simulation.time() < 2.0, "{what}: never refused"),
            Err(failure) => {
                assert_eq!(before, saved(simulation), "{what}: the state has moved");
                return (before, failure);
            }
        }
    }
}

/// A state that is saved after a refused step continues in another simulation of the same scheme, without the cause of the
/// failure, like one that never failed.
fn goes_on(state: &[u8], free: &mut Simulation, steps: u32, what: &str) {
    let mut undisturbed = Vec::new();
    for restored in [false, true] {
        start(free, H);
        if restored {
            free.restore(state);
        } else {
            for _ in 0..steps {
                free.step().unwrap();
            }
        }
        free.step().unwrap();
        undisturbed.push(output(free, "x").to_bits());
    }
    assert_eq!(undisturbed[0], undisturbed[1], "{what}");
}

/// Step \[s\].
const H: f64 = 0.01;

#[test]
fn local_error_above_its_limit_stops_and_leaves_the_state() {
    let model = json("C01_simple_pendulum/model.json");
    for (name, solver, _) in schemes() {
        let mut free = with_solver(&model, &solver);
        start(&mut free, H);
        let mut largest = 0.0_f64;
        for _ in 0..100 {
            free.step().unwrap();
            largest = largest.max(free.figure(Figure::LocalError));
        }
        let limit = 0.9 * largest;
        let mut limited = solver.clone();
        limited["maxerr"] = limit.into();
        let mut simulation = with_solver(&model, &limited);
        start(&mut simulation, H);
        let (state, failure) = until_refused(&mut simulation, name);
        let steps = (simulation.time() / H).round() as u32;
        let StepFailure::LocalError {
            estimate,
            limit: told,
            entity,
        } = failure
        else {
            unreachable!("{name}: {failure:?}")
        };
        assert!(
            estimate > limit && told == limit,
            "{name}: {estimate} {told}"
        );
        assert!(simulation.describe(entity).contains("bob"), "{name}");
        assert!(simulation.figure(Figure::LocalError) <= limit, "{name}");
        goes_on(&state, &mut free, steps, name);
    }
}

#[test]
fn numbers_that_are_not_finite_stop_the_run_and_name_the_entity() {
    let mut model = json("C01_simple_pendulum/model.json");
    // A part that the failure does not affect.
    model["point_masses"].as_array_mut().unwrap().insert(
        0,
        value!({"name": "bystander", "mass": 1, "position": [9, 9, 9]}),
    );
    for expression in [
        "SQRT(0.055-TIME)",
        "1E300*STEP(TIME,0.05,0,0.06,1)*1E300",
        "LOG(0.055-TIME)",
    ] {
        model["forces"] = value!([
            {"name": "f", "type": "vector_force", "i": "m", "j": "ground", "fx": expression}
        ]);
        for (name, solver, _) in schemes() {
            let what = format!("{name}, {expression}");
            let mut simulation = with_solver(&model, &solver);
            start(&mut simulation, H);
            let (_, failure) = until_refused(&mut simulation, &what);
            assert!(
                (simulation.time() - 0.05).abs() < 1e-9,
                "{what}: {}",
                simulation.time()
            );
            let StepFailure::NotFinite(entity) = failure else {
                unreachable!("{what}: {failure:?}")
            };
            assert!(
                simulation.describe(entity).contains("bob"),
                "{what}: {}",
                simulation.describe(entity)
            );
            assert!(output(&simulation, "x").is_finite(), "{what}");
        }
    }
}

/// State after 0.05 s, and the findings.
fn outcome(model: &Value, solver: &Value) -> (Vec<u8>, String) {
    let mut simulation = with_solver(model, solver);
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.05);
    let findings = simulation.findings();
    let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    (saved(&simulation), findings.join("\n"))
}

#[test]
fn ignored_settings_do_not_change_a_bit_and_are_reported() {
    let ignored = value!({
        "maxit": 5, "error": 1e-6, "hmin": 1e-9, "kmax": 2, "corrector": "modified",
        "interpolate": true, "adaptivity": 1e-4, "hinit": 1e-5, "hmax": 2e-5
    });
    // Parameters of the other schemes.
    let foreign = [
        ("HHT", value!({"alpha": -0.1})),
        ("NEWMARK", value!({"beta": 0.5, "gamma": 0.6})),
        ("GENALPHA", value!({"rho": 0.3})),
    ];
    let with = |solver: &Value, more: &Value| {
        let mut solver = solver.clone();
        for (key, x) in more.as_object().unwrap() {
            solver[key] = x.clone();
        }
        solver
    };
    let model = json("D06_spatial_slider_crank/model.json");
    for (name, solver, _) in schemes() {
        let (plain, _) = outcome(&model, &solver);
        let (decorated, findings) = outcome(&model, &with(&solver, &ignored));
        assert_eq!(plain, decorated, "{name}");
        for setting in ignored.as_object().unwrap().keys() {
            let line = format!("solver, field {setting}: solver.{setting} ");
            let said = findings.lines().filter(|told| told.starts_with(&line));
            assert_eq!(said.count(), 1, "{name}: {setting} in {findings}");
        }
        for (owner, settings) in &foreign {
            let (other, _) = outcome(&model, &with(&solver, settings));
            let own = solver["integrator"] == *owner;
            let free = !own && plain == other || own && plain != other;
            let given = settings.as_object().unwrap().keys();
            let stated = given.into_iter().any(|key| solver.get(key).is_some());
            assert!(free || stated, "{name} and the parameters of {owner}");
        }
    }
}

/// HINIT above DTOUT/HRATIO is reset to it, HMAX below it is ignored, each with a message; nothing else changes.
#[test]
fn hinit_and_hmax_are_compared_with_the_integration_step() {
    let mut model = json("C01_simple_pendulum/model.json");
    model["experiment"] = value!({"start": 0, "stop": 1, "step": 0.01});
    let told = |solver: Value| {
        let simulation = with_solver(&model, &solver);
        let findings = simulation.findings();
        let findings = findings.iter().map(ToString::to_string);
        findings
            .filter(|text| text.contains("[ignored-setting]"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let none = "has no effect with a fixed step: every step is experiment.step/hratio = 0.005 s; leave it out";
    for (solver, expected) in [
        (value!({"hratio": 2}), String::new()),
        (
            value!({"hratio": 2, "hinit": 0.006}),
            "solver.hinit = 0.006 s is above the integration step, and is reset to it: every step is \
             experiment.step/hratio = 0.005 s; leave it out"
                .to_owned(),
        ),
        (
            value!({"hratio": 2, "hinit": 0.005}),
            format!("solver.hinit = 0.005 s {none}"),
        ),
        (
            value!({"hratio": 2, "hmax": 0.004}),
            "solver.hmax = 0.004 s is below the integration step, and is ignored: every step is \
             experiment.step/hratio = 0.005 s; leave it out"
                .to_owned(),
        ),
        (
            value!({"hratio": 2, "hmax": 0.005}),
            format!("solver.hmax = 0.005 s {none}"),
        ),
    ] {
        let told = told(solver.clone());
        assert!(told.contains(&expected), "{solver}: {told}");
        let count = usize::from(!expected.is_empty());
        assert_eq!(told.lines().count(), count, "{solver}: {told}");
    }
}

#[test]
fn invalid_combinations_are_refused_with_a_reason() {
    for (solver, words) in [
        (value!({"fixit": 0}), ["fixit", "from 1 to 10"]),
        (value!({"fixit": 11}), ["fixit", "from 1 to 10"]),
        (value!({"hratio": 0}), ["hratio", "from 1 to"]),
        (value!({"pattern": "F"}), ["pattern", "never be evaluated"]),
        (
            value!({"fixit": 1, "pattern": "F:T"}),
            ["pattern", "never be evaluated"],
        ),
        (
            value!({"pattern": "T:F:T:F:T:F:T:F:T:F:T"}),
            ["pattern", "1 to 10"],
        ),
        (value!({"maxerr": 0}), ["maxerr", "more than zero"]),
        (value!({"hinit": 0}), ["hinit", "more than zero"]),
        (value!({"alpha": -0.4}), ["alpha", "from -1/3 to 0"]),
        (value!({"alpha": -0.3334}), ["alpha", "from -1/3 to 0"]),
        (value!({"alpha": 0.1}), ["alpha", "from -1/3 to 0"]),
        (
            value!({"integrator": "NEWMARK", "gamma": 0.4}),
            ["gamma", "unstable"],
        ),
        (
            value!({"integrator": "NEWMARK", "beta": 0.3}),
            ["beta", "unstable"],
        ),
        (
            value!({"integrator": "GENALPHA", "rho": 1.1}),
            ["rho", "from 0 to 1"],
        ),
        (value!({"formulation": "SI2"}), ["formulation", "GSTIFF"]),
        (
            value!({"integrator": "WSTIFF"}),
            ["integrator", "set mode to variable"],
        ),
        (
            value!({"integrator": "GSTIFF", "formulation": "SI1"}),
            ["formulation", "SI1 is for the integrator HASTIFF"],
        ),
    ] {
        refuses(&solver, &words);
    }
}

/// The pendulum with these settings is refused with this message.
fn refuses(solver: &Value, words: &[&str]) {
    let mut model = json("C01_simple_pendulum/model.json");
    model["solver"] = solver.clone();
    let problem = try_build(&model.to_string()).map(drop).unwrap_err();
    for word in ["solver"].iter().chain(words) {
        assert!(problem.contains(word), "{solver}: {word} not in {problem}");
    }
}

/// Settings that a fixed step ignores must still be valid for a variable step.
#[test]
fn settings_without_effect_must_make_sense() {
    for (solver, words) in [
        (value!({"error": -1}), ["field error", "1e-14 or more"]),
        (value!({"error": 0}), ["field error", "1e-14 or more"]),
        (value!({"error": "small"}), ["field error", "number"]),
        (
            value!({"adaptivity": -1e-9}),
            ["field adaptivity", "zero or more"],
        ),
        (value!({"maxit": 0}), ["field maxit", "from 1 to 10"]),
        (value!({"kmax": 9}), ["field kmax", "from 1 to 6"]),
        (value!({"kmax": 0}), ["field kmax", "from 1 to 6"]),
        (
            value!({"corrector": "nonsense"}),
            [
                "field corrector",
                "\"original\", \"modified\", \"orig_constant\"",
            ],
        ),
        (
            value!({"interpolate": "perhaps"}),
            ["field interpolate", "\"on\", \"off\", \"reconcile\""],
        ),
        (value!({"interpolate": 3}), ["field interpolate", "\"on\""]),
        (value!({"hmin": -1}), ["field hmin", "more than zero"]),
        (
            value!({"hmin": 1e-3, "hinit": 1e-4}),
            ["field hmin", "less than hinit = 0.0001 s"],
        ),
        (
            value!({"hinit": 1e-3, "hmax": 1e-4}),
            ["field hinit", "less than hmax = 0.0001 s"],
        ),
    ] {
        refuses(&solver, &words);
    }
}

#[test]
fn joints_under_a_scheme_without_damping_get_a_warning() {
    let text = std::fs::read_to_string(truth("C01_simple_pendulum/model.json")).unwrap();
    let warned = |solver: Value, joints: bool| {
        let mut model: Value = serde_json::from_str(&text).unwrap();
        model["solver"] = solver;
        if !joints {
            model["joints"] = value!([]);
            model["outputs"] = value!([]);
        }
        let simulation = build(&model.to_string());
        let found = simulation.findings();
        let rule = fixstep_kernel::mechanism::LintRule::UndampedScheme;
        let found = found.iter().find(|f| f.rule == rule);
        found.map(std::string::ToString::to_string)
    };
    for (solver, remedy) in [
        (
            value!({"integrator": "HHT", "alpha": 0}),
            "solver.alpha = -0.05",
        ),
        (
            value!({"integrator": "HHT", "alpha": -0.005}),
            "solver.alpha = -0.05",
        ),
        (
            value!({"integrator": "NEWMARK", "beta": 0.25, "gamma": 0.5}),
            "solver.gamma = 0.55",
        ),
        (
            value!({"integrator": "GENALPHA", "rho": 1}),
            "solver.rho = 0.9",
        ),
        (
            value!({"integrator": "GENALPHA", "rho": 0.98}),
            "solver.rho = 0.9",
        ),
    ] {
        let said = warned(solver.clone(), true);
        assert!(
            said.is_some_and(|said| said.contains(remedy)),
            "{solver}: {remedy}"
        );
        assert_eq!(warned(solver, false), None);
    }
    // The remedies of the messages, and the defaults, work.
    for solver in [
        value!({}),
        value!({"alpha": -0.05}),
        value!({"integrator": "GENALPHA", "rho": 0.9}),
        value!({"integrator": "NEWMARK", "beta": 0.28, "gamma": 0.55}),
        value!({"integrator": "GSTIFF"}),
    ] {
        assert_eq!(warned(solver, true), None);
    }
}
