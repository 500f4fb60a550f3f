//! Tests of names and functions in expressions: how they resolve, and the messages if they do not.

use super::{problems, with};
use crate::Model;
use fixstep_kernel::ids::{ForceId, JointId, LeafId, MarkerId, VariableId};
use fixstep_kernel::mechanism::{
    KinematicMeasure as K, Leaf, ReactionComponent as C, ReactionSource as S,
};

/// m = 0, n = 1, ground = 2; in mm, ms, N.
const ELEMENTS: &str = r#""inputs": [{"name": "u"}], "parameters": [{"name": "k", "start": 2}],
    "joints": [{"name": "pin", "type": "spherical", "i": "m", "j": "ground"}],
    "forces": [{"name": "thrust", "type": "action_only_force", "i": "n", "j": "n", "expression": "1"}],"#;

/// The leaf of an output that consists of one.
fn leaf(expression: &str) -> Leaf {
    let text = with(&format!(
        r#"{ELEMENTS} "outputs": [{{"name": "o", "expression": "{expression}"}}]"#
    ));
    let model = Model::from_json(&text).unwrap_or_else(|e| unreachable!("{e}"));
    let program = &model.mechanism.expressions[model.mechanism.outputs[0].expr.index()];
    let [id] = program.leaves() else {
        unreachable!("one leaf")
    };
    model.mechanism.leaves[id.index()].clone()
}

/// What is said about an output's expression.
fn fault(expression: &str) -> String {
    problems(&with(&format!(
        r#"{ELEMENTS} "outputs": [{{"name": "o", "expression": "{expression}"}}]"#
    )))
}

fn kinematic(measure: K, [i, j, axes, frame]: [u32; 4], scale: f64) -> Leaf {
    Leaf::Kinematic {
        measure,
        i: MarkerId(i),
        j: MarkerId(j),
        axes: MarkerId(axes),
        frame: MarkerId(frame),
        scale,
    }
}

#[test]
fn measures_have_defaults_and_user_units() {
    assert_eq!(
        leaf("dx(m)"),
        kinematic(K::Displacement(0), [0, 2, 2, 2], 1e3)
    );
    assert_eq!(
        leaf("DZ(m, 0, n)"),
        kinematic(K::Displacement(2), [0, 2, 1, 2], 1e3)
    );
    assert_eq!(
        leaf("VY(m,n,ground,n)"),
        kinematic(K::Velocity(1), [0, 1, 2, 1], 1.0)
    );
    assert_eq!(
        leaf("VM(m,ground,n)"),
        kinematic(K::Speed, [0, 2, 2, 1], 1.0)
    );
    let millimetres_per_square_millisecond = 1e-6 / 1e-3;
    let acceleration = kinematic(
        K::Acceleration(0),
        [0, 2, 2, 2],
        millimetres_per_square_millisecond,
    );
    assert_eq!(leaf("ACCX(m)"), acceleration);
    assert_eq!(
        leaf("WX(m)"),
        kinematic(K::AngularVelocity(0), [0, 2, 2, 2], 1e-3)
    );
    assert_eq!(
        leaf("WDTM(m)"),
        kinematic(K::AngularAccelerationMagnitude, [0, 2, 2, 2], 1e-6)
    );
    assert_eq!(
        leaf("Pitch(m, n)"),
        kinematic(K::YawPitchRoll(1), [0, 1, 2, 2], 1.0)
    );
    assert_eq!(leaf("TIME"), Leaf::Time { scale: 1e3 });
}

#[test]
fn reactions_have_sources_and_user_units() {
    let reaction = |source, component, axes, scale| Leaf::Reaction {
        source,
        component,
        axes: MarkerId(axes),
        scale,
    };
    let between = S::Between(MarkerId(0), MarkerId(2));
    assert_eq!(
        leaf("FX(m, ground, n)"),
        reaction(between, C::Force(0), 1, 1.0)
    );
    assert_eq!(
        leaf("TZ(m, ground)"),
        reaction(between, C::Torque(2), 2, 1e3)
    );
    assert_eq!(
        leaf("FM(n)"),
        reaction(S::On(MarkerId(1)), C::ForceMagnitude, 2, 1.0)
    );
    let joint = S::Joint(JointId(0), true);
    assert_eq!(
        leaf("JOINT(pin, 1, 6, n)"),
        reaction(joint, C::Torque(0), 1, 1e3)
    );
    assert_eq!(
        leaf("JOINT('pin', 1, 1)"),
        reaction(joint, C::ForceMagnitude, 2, 1.0)
    );
    let force = S::Force(ForceId(0), false);
    assert_eq!(
        leaf("SFORCE(thrust, 0, 4, 0)"),
        reaction(force, C::Force(2), 2, 1.0)
    );
}

#[test]
fn faults_show_column_cause_and_what_would_be_valid() {
    let cases = [
        (
            "1 + DX(mm)",
            "column 8 of \"1 + DX(mm)\": marker \"mm\" does not exist; did you mean \"m\"?",
        ),
        ("DX()", "DX"),
        (
            "DX(m, n, m, n)",
            "valid: DX(i[, j[, k]]): marker i, from marker j, in the axes of k",
        ),
        ("DX(m, 7)", "column 7"),
        ("m", "is a marker"),
        ("o", "is an output"),
        (
            "kk",
            "there is no input, parameter or variable \"kk\"; did you mean \"k\"?",
        ),
        ("VARVAL(kk)", "did you mean \"k\"?"),
        ("VARVAL(1)", "VARVAL takes the name"),
        (
            "FX(m, n)",
            "no joint, motion or force acts between these two markers",
        ),
        ("FX(m)", "no action-only force acts on this marker"),
        ("JOINT(pin, 2, 1, 0)", "jflag must be 0"),
        ("JOINT(pin, 0, 9, 0)", "comp must be 1 to 8"),
        (
            "JOINT(pin, 0)",
            "wrong number of arguments (2); valid: JOINT(name, jflag, comp[, rm])",
        ),
        (
            "BUSH(thrust, 0, 1)",
            "force \"thrust\" is of type \"action_only_force\", which BUSH does not read; read it by \
             SFORCE, or by FORCE, which reads all but tendons",
        ),
        ("KE(ground)", "ground does not move"),
        ("PE(pin)", "part \"pin\" does not exist"),
        ("SE(thrust, 1)", "SE takes the name of a force element"),
        (
            "POWER(nobody)",
            "there is no force, motion or joint \"nobody\"",
        ),
        ("POWER(pin, force)", "there is no force \"pin\""),
        (
            "JOINT(pim, 0, 1)",
            "joint \"pim\" does not exist; did you mean \"pin\"?",
        ),
        (
            "MOTION(drive, 0, 1)",
            "motion \"drive\" does not exist; the model has no motions",
        ),
        ("1 +", "column"),
        ("", "column 1"),
    ];
    for (expression, fragment) in cases {
        let found = fault(expression);
        assert!(
            found.contains(": outputs[0] \"o\", field expression: "),
            "{found}"
        );
        assert!(found.contains(fragment), "{expression}: {found}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn variables_come_after_what_they_read_and_leaves_follow_them() {
    let model = Model::from_json(&with(
        r#""variables": [{"name": "c", "expression": "a + b"}, {"name": "b", "expression": "2*a"},
                         {"name": "a", "expression": "TIME"}, {"name": "d", "expression": "1"}]"#,
    ))
    .unwrap();
    let names: Vec<&str> = model
        .mechanism
        .variables
        .iter()
        .map(|v| v.quantity.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    for (k, variable) in model.mechanism.variables.iter().enumerate() {
        for leaf in model.mechanism.expressions[variable.expr.index()].leaves() {
            if let Leaf::Variable(VariableId(read)) = model.mechanism.leaves[leaf.index()] {
                assert!((read as usize) < k);
            }
        }
    }
    let c = &model.mechanism.expressions[model.mechanism.variables[2].expr.index()];
    let read: Vec<&Leaf> = c
        .leaves()
        .iter()
        .map(|id: &LeafId| &model.mechanism.leaves[id.index()])
        .collect();
    assert_eq!(
        read,
        [
            &Leaf::Variable(VariableId(0)),
            &Leaf::Variable(VariableId(1))
        ]
    );
}

#[test]
fn leaves_are_shared() {
    let model = Model::from_json(&with(
        r#""outputs": [{"name": "a", "expression": "DX(m) + DY(m)"},
                       {"name": "b", "expression": "DX(m, ground, 0) - TIME*TIME"}]"#,
    ))
    .unwrap();
    assert_eq!(model.mechanism.leaves.len(), 3);
}

#[test]
fn motions_read_only_what_is_given_beforehand() {
    let motion = |expression: &str| {
        problems(&with(&format!(
            r#""inputs": [{{"name": "u"}}], "parameters": [{{"name": "k", "start": 2}}],
            "variables": [{{"name": "free", "expression": "k*TIME + u"}},
                          {{"name": "bound", "expression": "free2 + 1"}},
                          {{"name": "free2", "expression": "DX(m)"}}],
            "motions": [{{"name": "x", "i": "m", "j": "ground", "direction": "z",
                          "displacement": "{expression}"}}]"#
        )))
    };
    assert_eq!(motion("free + u*k*TIME"), "");
    assert!(motion("bound").contains("the variable \"bound\" depends on the mechanism's state"));
    assert!(motion("VX(m)").contains("VX depends on the mechanism's state"));
}
