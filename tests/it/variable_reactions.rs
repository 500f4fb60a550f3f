//! What reads reactions and accelerations in a variable step: sensors, branches, delays and samples see those of the
//! instant, not those of the step before or of the scheme.

use crate::harness::{advance, build, output};
use fixstep_kernel::integrator::alpha::Parameters;
use fixstep_kernel::simulation::{Method, Tolerance};
use serde_json::{Value, json};

const HALF: f64 = core::f64::consts::FRAC_1_SQRT_2;

fn methods() -> [Method; 5] {
    let multistep = |constant, stabilised| Method::Multistep {
        constant,
        stabilised,
    };
    [
        Method::WSTIFF,
        multistep(false, true),
        multistep(true, false),
        multistep(true, true),
        Method::Alpha(Parameters::hht(-0.3)),
    ]
}

/// A hinge holds a part that is pushed with 10 t² N, so that it exerts −10 t² N; beside it 1 kg slides on a line, pushed by
/// a force.
fn bench(force: &str, more: &Value) -> Value {
    let mut model = json!({
        "fixstep": 1, "name": "bench", "gravity": [0, 0, 0],
        "parts": [{"name": "held", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
                  {"name": "slide", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "markers": [{"name": "h", "part": "held"}, {"name": "s", "part": "slide"}, {"name": "g", "part": "ground"}],
        "joints": [{"name": "hinge", "type": "revolute", "i": "h", "j": "g"},
                   {"name": "rail", "type": "translational", "i": "s", "j": "g"}],
        "forces": [{"name": "push", "type": "vector_force", "i": "h", "j": "g", "fx": "10*TIME**2"},
                   {"name": "drive", "type": "vector_force", "i": "s", "j": "g", "fz": force}],
        "outputs": [{"name": "v", "expression": "VZ(s)"}],
        "experiment": {"stop": 2, "step": 0.1}
    });
    for (key, value) in more.as_object().unwrap() {
        model[key] = value.clone();
    }
    model
}

/// The output at 2 s.
fn last(model: &Value, method: Method) -> f64 {
    let mut simulation = build(&model.to_string());
    simulation.initialize(0.0).unwrap();
    simulation.set_step(0.1);
    simulation.set_tolerance(Tolerance {
        method,
        ..Tolerance::new(1e-7, 1.0)
    });
    advance(&mut simulation, 2.0);
    output(&simulation, "v")
}

fn sensor(expression: &str) -> Value {
    json!({
        "sensors": [{"name": "over", "expression": expression, "comparison": "ge", "value": 5, "tolerance": 0,
                     "evaluate": "TIME"}],
        "outputs": [{"name": "v", "expression": "SENVAL(over)"}]
    })
}

/// A reaction and an acceleration of 10 t² reach 5 at √½ s.
#[test]
fn a_sensor_of_a_reaction_or_an_acceleration_triggers_at_its_instant() {
    for method in methods() {
        for expression in ["-JOINT(hinge, 0, 2)", "ACCZ(s)", "FORCE(drive, 0, 4)"] {
            let time = last(&bench("10*TIME**2", &sensor(expression)), method);
            assert!(
                (time - HALF).abs() < 1e-6,
                "{method:?} {expression}: {time}"
            );
        }
    }
}

/// 2 N from √½ s on move 1 kg to 2 (2 − √½) m/s.
#[test]
fn a_branch_of_a_reaction_is_taken_at_its_instant() {
    let model = bench("IF(JOINT(hinge, 0, 2) + 5: 2, 0, 0)", &json!({}));
    for method in methods() {
        let v = last(&model, method);
        assert!((v - 2.0 * (2.0 - HALF)).abs() < 1e-6, "{method:?}: {v}");
    }
}

/// ∫ 10 (t − ½)² from 0.5 s to 2 s, of the delayed reaction: as exact as of the delayed function of time.
#[test]
fn a_delayed_reaction_is_that_of_its_instant() {
    let [model, plain] = [
        "-DELAY(JOINT(hinge, 0, 2), 0.5, 0)",
        "DELAY(10*TIME**2, 0.5, 0)",
    ]
    .map(|force| bench(force, &json!({})));
    for method in methods() {
        let (v, same) = (last(&model, method), last(&plain, method));
        assert!((v - 11.25).abs() < 1e-4, "{method:?}: {v}");
        assert!((v - same).abs() < 1e-8, "{method:?}: {v}, {same}");
    }
}

/// Samples every half second: the last one at 2 s.
#[test]
fn a_sampled_reaction_is_that_of_its_instant() {
    for (expression, expected) in [("-JOINT(hinge, 0, 2)", 40.0), ("ACCZ(s)", 40.0)] {
        let model = bench(
            "10*TIME**2",
            &json!({
                "sampled_systems": [{"name": "held", "sample_period": 0.5, "inputs": [expression], "next": [],
                                     "outputs": ["SAMINP(held, 1)"]}],
                "outputs": [{"name": "v", "expression": "SAMVAL(held, 1)"}]
            }),
        );
        for method in methods() {
            let sampled = last(&model, method);
            assert!(
                (sampled - expected).abs() < 1e-6,
                "{method:?} {expression}: {sampled}"
            );
        }
    }
}
