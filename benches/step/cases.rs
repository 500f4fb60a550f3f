//! The mechanisms whose steps this benchmark measures.

use std::path::Path;

use fixstep_kernel::simulation::Simulation;
use fixstep_model::{Model, resources};

use crate::{chain, slider_crank};

/// A mechanism to be measured.
pub(crate) struct Case {
    /// Name.
    pub(crate) name: String,
    /// Steps of a run from its start.
    pub(crate) steps: usize,
    /// The marker that tells where a run ends.
    pub(crate) probe: &'static str,
    /// Makes the mechanism.
    pub(crate) build: Box<dyn Fn() -> Result<Simulation, String>>,
}

/// Lengths of the chain and steps of a run.
const CHAINS: [(usize, usize); 5] = [(1, 1000), (10, 1000), (40, 500), (100, 200), (400, 60)];

/// All mechanisms.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for (links, steps) in CHAINS {
        cases.push(Case {
            name: format!("chain {links}"),
            steps,
            probe: "tip",
            build: Box::new(move || compile(&chain::model(links).to_string())),
        });
    }
    cases.push(Case {
        name: "andrews".to_owned(),
        steps: 3000,
        probe: "k1_f",
        build: Box::new(|| packaged("andrews_squeezer")),
    });
    cases.push(Case {
        name: "vehicle".to_owned(),
        steps: 500,
        probe: "chassis.centre",
        build: Box::new(|| packaged("passive_vehicle")),
    });
    for modes in [16, 46] {
        cases.push(Case {
            name: format!("slider-crank {modes}"),
            steps: 200,
            probe: "gudgeon",
            build: Box::new(move || slider_crank::build(modes)),
        });
    }
    cases
}

/// The cases whose name is `wanted`, or else those whose names hold it.
pub(crate) fn fitting(wanted: Option<&str>) -> Vec<Case> {
    let mut cases = all();
    if let Some(wanted) = wanted {
        let exact = cases.iter().any(|case| case.name == wanted);
        cases.retain(|case| case.name == wanted || !exact && case.name.contains(wanted));
    }
    cases
}

fn compile(text: &str) -> Result<Simulation, String> {
    let model = Model::read(text, &resources::none).map_err(|error| error.to_string())?;
    Simulation::new(model.mechanism).map_err(|error| error.to_string())
}

/// An example of `models/`.
fn packaged(name: &str) -> Result<Simulation, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/{name}/model.json"));
    let model = Model::from_file(&file).map_err(|error| error.to_string())?;
    Simulation::new(model.mechanism).map_err(|error| error.to_string())
}
