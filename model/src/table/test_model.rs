//! An empty model, for tests.

use fixstep_kernel::ids::ValueId;
use fixstep_kernel::mechanism::{
    Experiment, Gravity, LintSettings, Mechanism, Memory, Quantity, SolverSettings, Unit,
    UnitSystem,
};

/// A model without anything in it.
pub(super) fn empty_model() -> Mechanism {
    let unit = |name: &str| Unit {
        name: name.to_owned(),
        factor: 1.0,
    };
    Mechanism {
        name: "nothing".to_owned(),
        description: String::new(),
        units: UnitSystem {
            length: unit("m"),
            mass: unit("kg"),
            force: unit("N"),
            time: unit("s"),
            angle: unit("rad"),
        },
        gravity: Gravity {
            numbers: [ValueId(0); 3],
            functions: [None; 3],
        },
        bodies: vec![],
        markers: vec![],
        curves: vec![],
        joints: vec![],
        couplers: Vec::new(),
        general_constraints: Vec::new(),
        motions: vec![],
        forces: vec![],
        roads: vec![],
        inputs: vec![],
        parameters: vec![],
        variables: vec![],
        equations: vec![],
        texts: Vec::new(),
        memory: Memory::default(),
        outputs: vec![],
        body_arrays: vec![],
        expressions: vec![],
        leaves: vec![],
        values: vec![],
        orders: Vec::new(),
        derived: Vec::new(),
        built: Vec::new(),
        solver: SolverSettings::default(),
        experiment: Experiment {
            start: 0.0,
            stop: 1.0,
            step: 1e-3,
        },
        lint: LintSettings::default(),
        findings: Vec::new(),
    }
}

/// A quantity without bounds.
pub(super) fn quantity(name: &str, unit: &str, start: f64) -> Quantity {
    Quantity {
        name: name.to_owned(),
        description: String::new(),
        unit: unit.to_owned(),
        display_unit: String::new(),
        min: None,
        max: None,
        start,
    }
}
