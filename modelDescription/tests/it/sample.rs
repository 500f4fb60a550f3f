//! A model with everything that a description can show, without a solver.
#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_kernel::ids::{ExprId, InputId, LeafId, MarkerId, ParameterId, ValueId, VariableId};
use fixstep_kernel::mechanism::{
    Experiment, Force, ForceKind, Gravity, Input, KinematicMeasure, Leaf, LintSettings, Mechanism,
    Memory, NamedExpr, NamedText, Parameter, Quantity, ReactionComponent, ReactionSource,
    ScaledExpr, SolverSettings, TextReaders, Unit, UnitSystem, Value, ValueRule, ValueSource,
};
use fixstep_model::expr::{Argument, ResolveError, Resolver, compile};
use fixstep_model::table;
use fixstep_variables::VariableTable;
use model_description::Header;

/// Names of the leaves in expressions, by position.
const NAMES: [&str; 8] = [
    "TIME",
    "road",
    "torque",
    "k",
    "mass",
    "dz",
    "acceleration",
    "reaction",
];

struct Names;

impl Resolver for Names {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        let at = NAMES.iter().position(|known| *known == name);
        at.map(LeafId::from).ok_or(ResolveError::Unknown)
    }

    fn call(&mut self, _: &str, _: &[Argument]) -> Result<LeafId, ResolveError> {
        Err(ResolveError::Unknown)
    }

    fn functions(&self) -> Vec<&str> {
        Vec::new()
    }

    fn names(&self) -> Vec<&str> {
        NAMES.to_vec()
    }
}

/// What the golden files were written with.
const TOKEN: &str = "{f6d7837d-8b64-ef1c-d677-2819985d40e0}";

/// Header and table of the sample, under a token of its own.
pub(crate) fn header_and_table() -> (Header, VariableTable) {
    let model = model();
    let table = table::of(&model);
    let header = Header {
        author: "A. Author & Sons".to_owned(),
        license: "MIT".to_owned(),
        version: "1.2".to_owned(),
        tool: "Fixstep (golden)".to_owned(),
        generation_date: Some("2026-01-31T12:00:00Z".to_owned()),
        ..Header::of(&model, TOKEN)
    };
    (header, table)
}

/// The sample: outputs that depend on nothing, on inputs, on time, and on everything.
pub(crate) fn model() -> Mechanism {
    let mut model = empty();
    model.inputs = vec![
        input("road", "mm", "", Some((-100.0, 100.0)), 1.5),
        input("torque", "N.m", "", None, 0.0),
    ];
    model.parameters = vec![
        parameter("k", "N/mm", Some((0.0, 50.0)), 20.0, true),
        parameter("mass", "kg", Some((1e-3, 1e6)), 40.0, false),
    ];
    // An array, which has one description.
    for (at, start) in [0.5, -1.0, 1e-3].into_iter().enumerate() {
        let mut gain = parameter("gains", "N/mm", None, start, true);
        gain.quantity.name = format!("gains[{}]", at + 1);
        model.parameters.push(gain);
    }
    model.leaves = leaves();
    let texts = [
        ("dz", "gap", "mm", ""),
        ("dz - road", "front axle.z", "mm", "m"),
        ("dz*TIME", "angle", "rad", "deg"),
        ("acceleration", "acc[1]", "mm/s2", "g"),
        ("reaction + k*dz", "load", "N", ""),
        ("torque/1000", "Temperature", "K", "degC"),
        ("reaction + k*dz", "load again", "N", "kN"),
        ("reaction + k*dz", "load in another unit", "lbf", ""),
    ];
    for (text, name, unit, display_unit) in texts {
        model.outputs.push(NamedExpr {
            quantity: quantity(name, unit, display_unit, None, 0.0),
            expr: ExprId::from(model.expressions.len()),
        });
        model.expressions.push(compile(text, &mut Names).unwrap());
    }
    let mut scaled = |text: &str| {
        model.expressions.push(compile(text, &mut Names).unwrap());
        ScaledExpr {
            expr: ExprId::from(model.expressions.len() - 1),
            to_si: 1.0,
        }
    };
    let (drive, weight) = (scaled("torque + 3"), scaled("mass"));
    model.forces = vec![Force {
        name: "drive".to_owned(),
        i: MarkerId(0),
        j: MarkerId(0),
        kind: ForceKind::Torque(drive),
    }];
    model.values = vec![Value {
        source: ValueSource::Expression(weight),
        path: "parts[0] \"hub\": mass".to_owned(),
        rule: ValueRule::Positive,
    }];
    model
}

fn leaves() -> Vec<Leaf> {
    let marker = MarkerId(0);
    let kinematic = |measure| Leaf::Kinematic {
        measure,
        i: marker,
        j: marker,
        axes: marker,
        frame: marker,
        scale: 1.0,
    };
    vec![
        Leaf::Time { scale: 1.0 },
        Leaf::Input(InputId(0)),
        Leaf::Input(InputId(1)),
        Leaf::Parameter(ParameterId(0)),
        Leaf::Parameter(ParameterId(1)),
        kinematic(KinematicMeasure::Displacement(2)),
        kinematic(KinematicMeasure::Acceleration(0)),
        Leaf::Reaction {
            source: ReactionSource::On(marker),
            component: ReactionComponent::ForceMagnitude,
            axes: marker,
            scale: 1.0,
        },
        Leaf::Variable(VariableId(0)),
    ]
}

fn empty() -> Mechanism {
    let unit = |name: &str, factor| Unit {
        name: name.to_owned(),
        factor,
    };
    Mechanism {
        name: "Quarter car <1>".to_owned(),
        description: "A wheel, a spring,\nand a \"road\".".to_owned(),
        units: UnitSystem {
            length: unit("mm", 1e-3),
            mass: unit("kg", 1.0),
            force: unit("N", 1.0),
            time: unit("ms", 1e-3),
            angle: unit("deg", 0.017),
        },
        gravity: Gravity {
            numbers: [ValueId(0); 3],
            functions: [None; 3],
        },
        bodies: vec![],
        markers: vec![],
        joints: vec![],
        couplers: vec![],
        general_constraints: vec![],
        curves: vec![],
        motions: vec![],
        forces: vec![],
        roads: vec![],
        inputs: vec![],
        parameters: vec![],
        variables: vec![],
        equations: vec![],
        texts: texts(),
        memory: Memory::default(),
        outputs: vec![],
        body_arrays: vec![],
        expressions: vec![],
        leaves: vec![],
        values: vec![],
        orders: vec![],
        derived: vec![],
        built: vec![],
        solver: SolverSettings {
            maxerr: 1e-3,
            hmax: Some(5e-4),
            ..SolverSettings::default()
        },
        experiment: Experiment {
            start: 0.0,
            stop: 10.0,
            step: 1e-3,
        },
        lint: LintSettings::default(),
        findings: Vec::new(),
    }
}

/// A text that may be set, and one that may not.
fn texts() -> Vec<NamedText> {
    let text = |name: &str, start: &str, message: bool| NamedText {
        name: name.to_owned(),
        description: "A text".to_owned(),
        start: start.to_owned(),
        readers: TextReaders {
            message,
            file: false,
        },
    };
    vec![
        text("alarm", "pressure > 5 bar & rising", true),
        text("data version", "2026-01 \"draft\"", false),
    ]
}

fn quantity(
    name: &str,
    unit: &str,
    display_unit: &str,
    bounds: Option<(f64, f64)>,
    start: f64,
) -> Quantity {
    Quantity {
        name: name.to_owned(),
        description: format!("About {name}"),
        unit: unit.to_owned(),
        display_unit: display_unit.to_owned(),
        min: bounds.map(|(min, _)| min),
        max: bounds.map(|(_, max)| max),
        start,
    }
}

fn input(
    name: &str,
    unit: &str,
    display_unit: &str,
    bounds: Option<(f64, f64)>,
    start: f64,
) -> Input {
    Input {
        quantity: quantity(name, unit, display_unit, bounds, start),
    }
}

fn parameter(
    name: &str,
    unit: &str,
    bounds: Option<(f64, f64)>,
    start: f64,
    tunable: bool,
) -> Parameter {
    Parameter {
        quantity: quantity(name, unit, "", bounds, start),
        tunable,
    }
}
