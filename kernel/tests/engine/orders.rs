//! The elimination order that is chosen at the start holds along the way, in every example.

use fixstep_kernel::simulation::Simulation;
use fixstep_model::{Model, resources};

/// Steps of each example.
const STEPS: u32 = 250;

#[test]
fn the_order_of_the_start_loses_no_digits_along_the_way() {
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let mut examples = 0;
    for entry in std::fs::read_dir(models).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(folder.join("model.json")) else {
            continue;
        };
        let model = Model::read(&text, &resources::folder(&folder));
        let model = model.map_err(|e| e.to_string()).unwrap();
        let mut simulation = Simulation::new(model.mechanism).unwrap();
        for _ in 0..STEPS {
            simulation.step().unwrap();
        }
        let stepper = simulation.stepper().unwrap();
        let counters = stepper.factor.counters();
        assert!(counters.refactored >= u64::from(STEPS), "{counters:?}");
        let lost = counters.degraded + counters.dense + counters.singular;
        assert_eq!(lost, 0, "{}: {counters:?}", folder.display());
        examples += 1;
    }
    assert!(examples > 20, "{examples}");
}
