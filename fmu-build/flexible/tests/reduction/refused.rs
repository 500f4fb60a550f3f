//! Tests of the messages for invalid models and options.

use fixstep_kernel::math::Vec3;
use flexible_bodies::fe::{FeModel, Symmetric};
use flexible_bodies::reduce::{Interface, Load, NormalModes, Options, Reference, reduce};

use super::brick::{block, end};

fn model() -> FeModel {
    block([0.4, 0.1, 0.1], [4, 1, 1])
}

fn spider(name: &str, nodes: Vec<usize>) -> Interface {
    Interface {
        name: name.to_owned(),
        at: Reference::Spider {
            point: Vec3::zeros(),
            nodes,
        },
    }
}

fn options(model: &FeModel) -> Options {
    Options {
        interfaces: vec![
            spider("left", end(model, 0.0)),
            spider("right", end(model, 0.4)),
        ],
        normal_modes: NormalModes::Count(3),
        ..Options::default()
    }
}

fn refused(model: &FeModel, options: &Options, parts: &[&str]) {
    let error = reduce(model, options, &mut |_, _| ())
        .unwrap_err()
        .to_string();
    for part in parts {
        assert!(error.contains(part), "{error}");
    }
}

fn change(matrix: &mut Symmetric, at: (usize, usize), value: f64) {
    let n = matrix.size();
    let mut entries: Vec<_> = matrix.entries().collect();
    entries.push((at.0, at.1, value));
    *matrix = Symmetric::from_entries(n, &mut entries);
}

#[test]
fn matrices_that_are_not_definite() {
    let mut broken = model();
    change(&mut broken.stiffness, (12 * 3 / 2, 12 * 3 / 2), -1e15);
    let given = options(&broken);
    refused(
        &broken,
        &given,
        &["stiffness of direction x of node 7 by itself"],
    );
    let mut broken = model();
    change(&mut broken.mass, (25, 25), -1e3);
    refused(
        &broken,
        &given,
        &["mass", "direction y of node 9", "zero or more"],
    );
    // Negative between two unknowns alone.
    let mut broken = model();
    change(&mut broken.mass, (24, 27), -1e3);
    refused(
        &broken,
        &given,
        &["mass matrix is not positive semidefinite"],
    );
    let mut broken = model();
    // A node with mass and without stiffness.
    let n = broken.unknowns.len();
    let mut node = broken.nodes[8];
    node.id = 77;
    broken.nodes.push(node);
    broken
        .unknowns
        .extend((0..3).map(|direction| flexible_bodies::fe::Unknown {
            node: 20,
            direction,
        }));
    let mut masses: Vec<_> = broken.mass.entries().collect();
    masses.extend((n..n + 3).map(|at| (at, at, 1.0)));
    broken.mass = Symmetric::from_entries(n + 3, &mut masses);
    let mut springs: Vec<_> = broken.stiffness.entries().collect();
    broken.stiffness = Symmetric::from_entries(n + 3, &mut springs);
    refused(&broken, &given, &["not positive definite", "node 77"]);
}

#[test]
fn models_that_are_not_free() {
    let mut grounded = model();
    change(&mut grounded.stiffness, (25, 25), 1e9);
    let given = options(&grounded);
    refused(
        &grounded,
        &given,
        &["rigid translation along y", "fixed to the ground"],
    );
    // Soft springs to the ground are found by the frequencies.
    let mut soft = model();
    for at in 0..soft.unknowns.len() {
        change(&mut soft.stiffness, (at, at), 5.0);
    }
    let strict = Options {
        rigid_tolerance: 1e-5,
        ..given.clone()
    };
    refused(&soft, &strict, &["0 rigid modes; valid: 6", "springs"]);
    // Two blocks that do not touch.
    let mut two = model();
    let other = model();
    let (nodes, n) = (two.nodes.len(), two.unknowns.len());
    let moved = |matrix: &Symmetric, also: &Symmetric| {
        let shifted = also.entries().map(|(i, j, v)| (i + n, j + n, v));
        let mut entries: Vec<_> = matrix.entries().chain(shifted).collect();
        Symmetric::from_entries(2 * n, &mut entries)
    };
    two.stiffness = moved(&two.stiffness, &other.stiffness);
    two.mass = moved(&two.mass, &other.mass);
    for node in &other.nodes {
        let mut node = *node;
        node.id += 1000;
        node.position.x += 1.0;
        two.nodes.push(node);
    }
    for unknown in &other.unknowns {
        let mut unknown = *unknown;
        unknown.node += nodes;
        two.unknowns.push(unknown);
    }
    let given = Options {
        interfaces: vec![
            spider("left", end(&two, 0.0)),
            spider("right", end(&two, 1.4)),
        ],
        ..options(&two)
    };
    refused(&two, &given, &["12 rigid modes; valid: 6", "loose parts"]);
}

#[test]
fn numbers_that_are_none() {
    for value in [f64::NAN, f64::INFINITY] {
        let mut broken = model();
        broken.stiffness.values[40] = value;
        let given = options(&broken);
        refused(
            &broken,
            &given,
            &["stiffness between direction", "valid: finite"],
        );
        let mut broken = model();
        broken.mass.values[3] = value;
        refused(&broken, &given, &["mass between direction", "of node"]);
    }
    let mut broken = model();
    broken.mass.starts.pop();
    let given = options(&broken);
    refused(
        &broken,
        &given,
        &["mass matrix has 59 rows for 60 unknowns"],
    );
    let mut broken = model();
    broken.unknowns[1] = broken.unknowns[0];
    refused(&broken, &given, &["two unknowns for direction x of node 1"]);
    refused(&FeModel::default(), &given, &["no unknowns"]);
}

#[test]
fn interfaces_that_cannot_be() {
    let model = model();
    let with = |interfaces: Vec<Interface>| Options {
        interfaces,
        ..options(&model)
    };
    let (left, right) = (end(&model, 0.0), end(&model, 0.4));
    let shared = with(vec![
        spider("a", left.clone()),
        spider("b", [right.clone(), vec![left[1]]].concat()),
    ]);
    refused(
        &model,
        &shared,
        &[
            "interface \"b\"",
            "node 2",
            "also belongs to interface \"a\"",
        ],
    );
    let twice = with(vec![spider("a", left.clone()), spider("a", right.clone())]);
    refused(&model, &twice, &["another interface has this name"]);
    let line = with(vec![spider("a", vec![0, 1]), spider("b", right.clone())]);
    refused(
        &model,
        &line,
        &["interface \"a\"", "three nodes that are not on a line"],
    );
    let beyond = with(vec![spider("a", vec![0, 1, 2, 99])]);
    refused(
        &model,
        &beyond,
        &["node at place 99: the model has 20 nodes"],
    );
    let mut silent = model.clone();
    silent.nodes.push(model.nodes[0]);
    let node = Interface {
        name: "a".to_owned(),
        at: Reference::Node(20),
    };
    refused(
        &silent,
        &with(vec![node]),
        &["interface \"a\"", "none of its nodes has an unknown"],
    );
}

#[test]
fn options_that_cannot_be() {
    let model = model();
    let given = options(&model);
    let bad = Options {
        keep_frequency: Some(-1.0),
        ..given.clone()
    };
    refused(&model, &bad, &["up to which modes are kept is -1"]);
    let bad = Options {
        keep_frequency: Some(1e-3),
        ..given.clone()
    };
    refused(&model, &bad, &["no mode is left"]);
    let bad = Options {
        normal_modes: NormalModes::UpTo(f64::NAN),
        ..given.clone()
    };
    refused(&model, &bad, &["held interfaces are taken is NaN"]);
    let bad = Options {
        record: vec![77],
        ..given.clone()
    };
    refused(&model, &bad, &["recorded node at place 77"]);
    let bad = Options {
        loads: vec![Load {
            name: "wind".to_owned(),
            forces: vec![(60, 1.0)],
            residual: false,
        }],
        ..given.clone()
    };
    refused(&model, &bad, &["load \"wind\"", "one of 60 unknowns"]);
    let bad = Options {
        interfaces: Vec::new(),
        orthonormalise: false,
        ..given
    };
    refused(&model, &bad, &["no interface has six directions"]);
}
