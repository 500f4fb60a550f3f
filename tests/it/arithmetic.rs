//! Tests of `solver.math`: fast arithmetic has other bits but gives the same motion.

use crate::harness::try_build;
use fixstep_kernel::ids::OutputId;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json as value};

/// The chain of the examples, with a solver setting.
fn chain(math: &str) -> String {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models/chain/model.json");
    let text = std::fs::read_to_string(file).unwrap();
    let mut model: Value = serde_json::from_str(&text).unwrap();
    model["solver"]["math"] = value!(math);
    model.to_string()
}

/// Position of the end of the chain after some steps.
fn tip(mut simulation: Simulation) -> [f64; 3] {
    for _ in 0..200 {
        simulation.step().unwrap();
    }
    [0_usize, 1, 2].map(|k| simulation.output(OutputId::from(k)))
}

#[test]
fn fast_arithmetic_says_so_and_moves_the_same_way() {
    let [exact, fast] = ["exact", "fast"].map(|math| try_build(&chain(math)).unwrap());
    let said = |simulation: &Simulation| {
        let mut notes = simulation.notes().iter();
        notes.any(|note| note.contains("math = fast"))
    };
    assert!(!said(&exact));
    assert!(said(&fast));
    let (exact, fast) = (tip(exact), tip(fast));
    for (x, y) in exact.iter().zip(&fast) {
        assert!((x - y).abs() < 1e-8, "{exact:?} {fast:?}");
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        assert_ne!(
            exact.map(f64::to_bits),
            fast.map(f64::to_bits),
            "nothing was fused"
        );
    }
}

#[test]
fn arithmetic_that_does_not_exist_is_refused() {
    let problem = try_build(&chain("quick")).unwrap_err();
    assert!(problem.contains("solver, field math"), "{problem}");
    assert!(problem.contains("valid: \"exact\", \"fast\""), "{problem}");
}
