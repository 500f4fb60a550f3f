//! Tests.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::table::test_model::{empty_model, quantity};
use fixstep_kernel::ids::{MarkerId, ValueId, VariableId};
use fixstep_kernel::mechanism::ForceKind;
use fixstep_kernel::mechanism::{
    Force, KinematicMeasure, Motion, MotionCoordinate, MotionLevel, NamedExpr, ReactionComponent,
    ReactionSource, ScaledExpr, Value, ValueRule,
};

const MARKER: MarkerId = MarkerId(0);

fn kinematic(measure: KinematicMeasure) -> Leaf {
    Leaf::Kinematic {
        measure,
        i: MARKER,
        j: MARKER,
        axes: MARKER,
        frame: MARKER,
        scale: 1.0,
    }
}

fn scaled(expr: u32) -> ScaledExpr {
    ScaledExpr {
        expr: ExprId(expr),
        to_si: 1.0,
    }
}

fn named(expr: u32) -> NamedExpr {
    NamedExpr {
        quantity: quantity("x", "", 0.0),
        expr: ExprId(expr),
    }
}

/// Inputs 0 (in a motion), 1 (in a force), 2 (in outputs only); parameters 0 (in a mass), 1 (in a
/// force). Expression k has the leaves of row k.
fn sample() -> (Mechanism, Vec<Vec<LeafId>>) {
    let mut model = empty_model();
    model.leaves = vec![
        Leaf::Time { scale: 1.0 },
        Leaf::Input(InputId(0)),
        Leaf::Input(InputId(1)),
        Leaf::Input(InputId(2)),
        Leaf::Parameter(ParameterId(0)),
        Leaf::Parameter(ParameterId(1)),
        kinematic(KinematicMeasure::Displacement(0)),
        kinematic(KinematicMeasure::AngularAcceleration(2)),
        Leaf::Reaction {
            source: ReactionSource::On(MARKER),
            component: ReactionComponent::ForceMagnitude,
            axes: MARKER,
            scale: 1.0,
        },
        Leaf::Variable(VariableId(0)),
        Leaf::Variable(VariableId(1)),
    ];
    let rows: [&[u32]; 10] = [
        &[1],    // 0: motion
        &[2, 5], // 1: force
        &[4],    // 2: mass
        &[3],    // 3: variable 0 = input 2
        &[9, 7], // 4: variable 1 = variable 0 + acceleration
        &[6],    // 5: output: displacement
        &[6, 3], // 6: output: displacement and input 2
        &[10],   // 7: output: variable 1
        &[8, 0], // 8: output: reaction and time
        &[9, 5], // 9: output: variable 0 and parameter 1
    ];
    model.motions = vec![Motion {
        name: String::new(),
        i: MARKER,
        j: MARKER,
        joint: None,
        coordinate: MotionCoordinate::RotationZ,
        level: MotionLevel::Displacement,
        function: scaled(0),
        initial_displacement: None,
        initial_velocity: 0.0,
    }];
    model.forces = vec![Force {
        name: String::new(),
        i: MARKER,
        j: MARKER,
        kind: ForceKind::General {
            axes: MARKER,
            force: [None; 3],
            torque: [None, Some(scaled(1)), None],
        },
    }];
    model.values = vec![Value {
        source: ValueSource::Expression(scaled(2)),
        path: String::new(),
        rule: ValueRule::Finite,
    }];
    model.variables = vec![named(3), named(4)];
    model.outputs = (5..10).map(named).collect();
    let leaves = rows
        .iter()
        .map(|row| row.iter().copied().map(LeafId).collect())
        .collect();
    (model, leaves)
}

#[test]
fn outputs_depend_on_what_reaches_them_at_once() {
    let (model, leaves) = sample();
    let found = of_outputs_with(&model, |expr| &leaves[expr.index()]);
    let input = |k| Known::Input(InputId(k));
    let steps: Vec<Vec<Known>> = found
        .iter()
        .map(|dependencies| dependencies.step.iter().copied().collect())
        .collect();
    assert_eq!(steps[0], [], "displacement");
    assert_eq!(steps[1], [input(2)], "displacement and input 2");
    assert_eq!(steps[2], [input(0), input(1), input(2)], "acceleration");
    assert_eq!(steps[3], [Known::Time, input(0), input(1)], "reaction");
    assert_eq!(steps[4], [input(2)], "input 2 through a variable");
}

/// Dependencies on inputs are declared for every HRATIO: at the largest step most modes have no inertia.
#[test]
fn modes_that_may_lose_their_inertia_count() {
    let place =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/flexible_slider_crank");
    let text = std::fs::read_to_string(place.join("model.json")).unwrap();
    let declared = |hratio: i64, limit: serde_json::Value| {
        let mut model: serde_json::Value = serde_json::from_str(&text).unwrap();
        model["solver"]["hratio"] = hratio.into();
        model["flexible_bodies"][0]["dynamic_limit"] = limit;
        model["inputs"] = serde_json::json!([{"name": "push"}]);
        model["forces"] = serde_json::json!([{
            "name": "f", "type": "vector_force", "i": "middle", "j": "ground", "fy": "push"
        }]);
        model["outputs"] = serde_json::json!([{"name": "rate", "expression": "VY(middle)"}]);
        let files = crate::resources::folder(&place);
        let model = crate::Model::read(&model.to_string(), &files).unwrap();
        let outputs = of_outputs(&model.mechanism);
        let hratio = outputs[0]
            .initial
            .contains(&Known::Setting(Setting::Hratio));
        (outputs[0].step.contains(&Known::Input(InputId(0))), hratio)
    };
    assert_eq!(declared(1, serde_json::Value::Null), (true, true));
    assert_eq!(declared(40, serde_json::Value::Null), (true, true));
    assert_eq!(declared(1, "none".into()), (false, false));
    assert_eq!(declared(1, 1e3.into()), (true, false));
}

#[test]
fn initial_outputs_depend_on_what_shapes_the_mechanism() {
    let (model, leaves) = sample();
    let found = of_outputs_with(&model, |expr| &leaves[expr.index()]);
    let input = |k| Known::Input(InputId(k));
    let parameter = |k| Known::Parameter(ParameterId(k));
    let initial: Vec<Vec<Known>> = found
        .iter()
        .map(|dependencies| dependencies.initial.iter().copied().collect())
        .collect();
    let setting = Known::Setting;
    assert_eq!(
        initial[0],
        [
            input(0),
            input(1),
            parameter(0),
            parameter(1),
            setting(Setting::Equilibrium),
            setting(Setting::Ramp)
        ],
        "displacement"
    );
    assert_eq!(initial[4], [input(2), parameter(1)], "no measure");
}

#[test]
fn states_are_results_and_rates_pass_on_what_they_read() {
    let (mut model, mut leaves) = sample();
    let first = model.leaves.len() as u32;
    for k in 0..2 {
        let id = fixstep_kernel::ids::EquationId(k);
        model.leaves.extend([Leaf::State(id), Leaf::StateRate(id)]);
    }
    // Equation 0 reads the rate of equation 1, which reads input 2 and an acceleration.
    for row in [
        vec![first + 3],
        vec![3, 7, first],
        vec![first],
        vec![first + 1],
    ] {
        leaves.push(row.into_iter().map(LeafId).collect());
    }
    let equation = |expr| fixstep_kernel::mechanism::Equation {
        label: "z".to_owned(),
        kind: "differential equation".into(),
        field: "derivative".into(),
        quantity: quantity("z", "", 0.0),
        shown: fixstep_kernel::mechanism::Shown::Value,
        law: fixstep_kernel::mechanism::Law::Rate {
            derivative: scaled(expr),
            unknown: None,
        },
        initial: ValueId(0),
        start: fixstep_kernel::mechanism::StateStart::Given,
        checked: vec![],
    };
    model.equations = vec![equation(10), equation(11)];
    model.outputs = vec![named(12), named(13)];
    let found = of_outputs_with(&model, |expr| &leaves[expr.index()]);
    let input = |k| Known::Input(InputId(k));
    let [state, rate] = [0, 1].map(|k: usize| found[k].step.iter().copied().collect::<Vec<_>>());
    assert_eq!(state, [], "state");
    assert_eq!(rate, [input(0), input(1), input(2)], "rate");
    assert!(found[0].initial.contains(&Known::Parameter(ParameterId(0))));
}

#[test]
fn gravity_reaches_whatever_balances_it() {
    let (mut model, mut leaves) = sample();
    model.gravity.functions[1] = Some(scaled(leaves.len() as u32));
    leaves.push(vec![LeafId(0), LeafId(3)]);
    let found = of_outputs_with(&model, |expr| &leaves[expr.index()]);
    let input = |k| Known::Input(InputId(k));
    let step = |k: usize| found[k].step.iter().copied().collect::<Vec<_>>();
    assert_eq!(step(0), [], "displacement");
    let all = [Known::Time, input(0), input(1), input(2)];
    assert_eq!(step(3), all, "reaction");
    assert!(
        found[0].initial.contains(&input(2)),
        "displacement at the start"
    );
}
