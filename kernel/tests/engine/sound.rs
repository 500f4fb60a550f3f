//! A mechanism that does not hold together is refused by name, before anything of it is compiled.

use fixstep_kernel::ids::{
    BodyId, EquationId, ExprId, ForceId, InputId, LeafId, MarkerId, RoadId, ValueId, VariableId,
};
use fixstep_kernel::mechanism::{
    BodyKind, ForceKind, Leaf, MarkerBase, Mechanism, ValueSource, check,
};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use std::path::Path;

/// The mechanism of an example.
fn example(name: &str) -> Mechanism {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let model = Model::from_file(&folder.join(name).join("model.json"));
    model.map_err(|e| e.to_string()).unwrap().mechanism
}

/// The message for a changed example.
fn message(name: &str, change: impl Fn(&mut Mechanism)) -> String {
    let mut mechanism = example(name);
    change(&mut mechanism);
    let message = check(&mechanism).map_err(|e| e.to_string());
    let message = message.err().unwrap_or_default();
    let refused = Simulation::new(mechanism).map(drop);
    assert_eq!(refused.map_err(|e| e.to_string()), Err(message.clone()));
    message
}

#[test]
fn every_example_holds_together() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let mut examples = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".md") {
            continue;
        }
        assert_eq!(check(&example(&name)), Ok(()), "{name}");
        examples += 1;
    }
    assert!(examples > 20, "{examples}");
}

#[test]
fn identifiers_name_what_is_there() {
    let vehicle = |change: fn(&mut Mechanism)| message("vehicle", change);
    for (change, said) in [
        (
            (|m| m.markers[3].body = BodyId(9999)) as fn(&mut Mechanism),
            "body is body 9999; there are ",
        ),
        (
            |m| m.joints[0].i = MarkerId(u32::MAX),
            "i is marker 4294967295; there are ",
        ),
        (
            |m| m.bodies[2].mass = ValueId(1 << 30),
            "mass is value 1073741824; there are ",
        ),
        (
            |m| m.outputs[0].expr = ExprId(70_000),
            "expression is expression 70000; there are ",
        ),
        (
            |m| m.expressions[0].leaves = vec![LeafId(80_000)],
            "a leaf is leaf 80000; there are ",
        ),
        (
            |m| m.leaves[0] = Leaf::Input(InputId(500)),
            "input is input 500; there are ",
        ),
        (
            |m| m.leaves[0] = Leaf::State(EquationId(600)),
            "state is equation 600; there are ",
        ),
    ] {
        let message = vehicle(change);
        assert!(message.contains(said), "{message}");
    }
    let road = message("vehicle", |m| {
        for force in &mut m.forces {
            if let ForceKind::Tyre(tyre) = &mut force.kind {
                tyre.road = RoadId(8);
            }
        }
    });
    assert!(road.contains("road is road 8; there are "), "{road}");
}

#[test]
fn numbers_are_what_their_places_allow() {
    for (change, said) in [
        (
            (|m| m.solver.fixit = 0) as fn(&mut Mechanism),
            "solver.fixit is 0; valid: 1 to 10",
        ),
        (|m| m.solver.pattern.clear(), "solver.pattern has 0 entries"),
        (|m| m.solver.hratio = 0, "solver.hratio is 0"),
        (|m| m.experiment.step = 0.0, "a step above zero"),
        (|m| m.units.length.factor = f64::NAN, "is NaN in SI"),
        (
            |m| m.bodies[1].position.x = f64::INFINITY,
            "position is not finite",
        ),
        (
            |m| m.bodies[1].orientation *= 2.0,
            "orientation is no rotation matrix",
        ),
        (
            |m| m.bodies[1].kind = BodyKind::Ground,
            "there is one ground",
        ),
        (
            |m| m.bodies[1].weight = 0.0,
            "weight is 0; valid: more than zero",
        ),
        (
            |m| m.markers[0].base = MarkerBase::Node(0),
            "its body is not flexible",
        ),
        (
            |m| drop(m.roads.pop()),
            "the last road must be the flat one",
        ),
        (
            |m| m.values[0].source = ValueSource::Constant(f64::NAN),
            "NaN is against its rule",
        ),
        (
            |m| m.expressions[0].result = 60_000,
            "reads a register that is not written",
        ),
    ] {
        let message = message("pendulum", change);
        assert!(message.contains(said), "{said}: {message}");
    }
}

#[test]
fn flexible_data_fit_their_modes() {
    use std::sync::Arc;
    for (change, said) in [
        (
            (|f| f.ratios.clear()) as fn(&mut fixstep_kernel::mechanism::FlexBody),
            "ratios has 0 entries",
        ),
        (|f| f.modes[0] = 999, "modes is 999; there are "),
        (|f| f.modes[0] = f.modes[1], "is there twice"),
        (
            |f| Arc::make_mut(&mut f.data).stiffness.clear(),
            "stiffness has ",
        ),
        (
            |f| Arc::make_mut(&mut f.data).invariants.i9.clear(),
            "i9 has ",
        ),
        (
            |f| Arc::make_mut(&mut f.data).invariants.mass = -1.0,
            "the mass is -1",
        ),
    ] {
        let message = message("flexible_slider_crank", |m| {
            for body in &mut m.bodies {
                if let Some(flex) = &mut body.flexible {
                    change(flex);
                }
            }
        });
        assert!(message.contains(said), "{said}: {message}");
    }
}

#[test]
fn variables_read_earlier_ones_alone() {
    let message = message("overhead_crane", |m| {
        let at = m.leaves.len();
        m.leaves.push(Leaf::Variable(VariableId(0)));
        let expr = m.variables[0].expr;
        m.expressions[expr.index()].leaves = vec![LeafId::from(at)];
    });
    assert!(
        message.contains("it reads itself or a later variable"),
        "{message}"
    );
}

#[test]
fn the_forces_of_a_tendon_belong_together() {
    let text = r#"{"fixstep": 1, "name": "t",
        "point_masses": [{"name": "a", "mass": 1, "position": [0, 0, 1]}, {"name": "b", "mass": 1, "position": [0, 0, 2]}],
        "markers": [{"name": "ma", "part": "a"}, {"name": "mb", "part": "b"}],
        "forces": [{"name": "rope", "type": "tendon", "points": ["ground", "ma", "mb", "ma"], "stiffness": 1, "length": 1},
                   {"name": "other", "type": "tendon", "points": ["ground", "mb"], "stiffness": 1, "length": 1}]}"#;
    let model = Model::from_json(text).map_err(|e| e.to_string()).unwrap();
    assert_eq!(check(&model.mechanism), Ok(()));
    let firsts: Vec<_> = { model.mechanism.forces.iter() }
        .map(|force| force.kind.first().map(|id| id.0))
        .collect();
    assert_eq!(firsts, [None, None, Some(0), Some(0)]);
    for (k, id, said) in [
        (2, 9, "the first force of its element is force 9"),
        (0, 1, "must follow each other"),
        (2, 2, "must follow each other"),
        (3, 2, "must follow each other"),
    ] {
        let mut mechanism = model.mechanism.clone();
        if let ForceKind::Tendon { first, .. } = &mut mechanism.forces[k].kind {
            *first = Some(ForceId(id));
        }
        let message = check(&mechanism).map_or_else(|error| error.to_string(), |()| String::new());
        assert!(message.contains(said), "{k} {id}: {message}");
    }
    let mut mechanism = model.mechanism.clone();
    if let ForceKind::Tendon { whole, .. } = &mut mechanism.forces[2].kind {
        whole[1].expr = ExprId(77);
    }
    let message = check(&mechanism).map_or_else(|error| error.to_string(), |()| String::new());
    assert!(
        message.contains("a length that it reads is expression 77"),
        "{message}"
    );
}
