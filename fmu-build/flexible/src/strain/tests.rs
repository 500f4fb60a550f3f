//! Tests that all elements reproduce linear fields, and elements with nodes on their edges quadratic ones.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::fe::{FeNode, Unknown};

const KINDS: [(Kind, bool); 6] = [
    (Kind::Tetrahedron4, false),
    (Kind::Tetrahedron10, true),
    (Kind::Wedge6, false),
    (Kind::Wedge15, true),
    (Kind::Brick8, false),
    (Kind::Brick20, true),
];
const STEEL: Material = Material {
    young: 2.1e11,
    poisson: 0.3,
};

/// An element with edges along skew directions.
fn solid(kind: Kind) -> FeModel {
    #[rustfmt::skip]
    let own: &[[f64; 3]] = match kind {
        Kind::Tetrahedron4 | Kind::Tetrahedron10 => {
            &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        }
        Kind::Wedge6 | Kind::Wedge15 => &[
            [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0],
        ],
        Kind::Brick8 | Kind::Brick20 => &[
            [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0],
        ],
    };
    let edges: &[[usize; 2]] = match kind {
        Kind::Tetrahedron10 => &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]],
        #[rustfmt::skip]
        Kind::Wedge15 => &[
            [0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5],
        ],
        #[rustfmt::skip]
        Kind::Brick20 => &[
            [0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4],
            [0, 4], [1, 5], [2, 6], [3, 7],
        ],
        _ => &[],
    };
    let skew = Mat3::new(2.0, 0.3, -0.1, 0.2, 1.5, 0.4, -0.3, 0.1, 1.1);
    let mut places: Vec<Vec3> = own.iter().map(|p| skew * Vec3::from(*p)).collect();
    for [a, b] in edges {
        places.push((places[*a] + places[*b]) * 0.5);
    }
    let nodes: Vec<FeNode> = (1..)
        .zip(&places)
        .map(|(id, place)| FeNode {
            id,
            position: *place,
        })
        .collect();
    let count = nodes.len();
    let unknown = |at: usize| Unknown {
        node: at / 3,
        direction: at % 3,
    };
    FeModel {
        nodes,
        unknowns: (0..3 * count).map(unknown).collect(),
        solids: vec![Solid {
            kind,
            id: 1,
            nodes: (0..count).collect(),
            material: Some(STEEL),
        }],
        ..FeModel::default()
    }
}

/// A field of displacements as a shape.
fn shape(model: &FeModel, field: &dyn Fn(&Vec3) -> Vec3) -> Columns {
    let mut shapes = Columns::new(model.unknowns.len());
    let motion: Vec<f64> = model
        .nodes
        .iter()
        .flat_map(|node| <[f64; 3]>::from(field(&node.position)))
        .collect();
    shapes.push(&motion);
    shapes
}

fn at_all(model: &FeModel) -> Vec<Probe> {
    let probe = |node: usize| Probe {
        name: node.to_string(),
        node,
    };
    (0..model.nodes.len()).map(probe).collect()
}

#[test]
fn a_linear_field_has_its_strain_everywhere() {
    let gradient = Mat3::new(3.0, -1.0, 2.0, 0.5, -2.0, 1.0, 4.0, 0.25, 1.0);
    let strain = (gradient + gradient.transpose()) * 0.5;
    for (kind, _) in KINDS {
        let model = solid(kind);
        let shapes = shape(&model, &|p| Vec3::new(7.0, 8.0, 9.0) + gradient * p);
        let found = points(&model, &shapes, &at_all(&model), Quantity::Strain).unwrap();
        for point in found {
            for (a, b) in point.values[0].iter().zip(components(&strain)) {
                assert!((a - b).abs() < 1e-12, "{kind:?} {}: {a} {b}", point.name);
            }
        }
    }
}

#[test]
fn pure_bending_has_the_stress_of_a_beam_at_every_node() {
    // (Timoshenko & Goodier, Theory of Elasticity, art. 102): σx = E z / r and nothing else
    let (r, nu) = (50.0, STEEL.poisson);
    let field = |p: &Vec3| {
        Vec3::new(
            p.x * p.z / r,
            -nu * p.y * p.z / r,
            -(p.x * p.x + nu * (p.z * p.z - p.y * p.y)) / (2.0 * r),
        )
    };
    for (kind, _) in KINDS.iter().filter(|(_, quadratic)| *quadratic) {
        let model = solid(*kind);
        let shapes = shape(&model, &field);
        let found = points(&model, &shapes, &at_all(&model), Quantity::Stress(None)).unwrap();
        for (node, point) in model.nodes.iter().zip(found) {
            let wanted = STEEL.young * node.position.z / r;
            let [xx, rest @ ..] = point.values[0];
            assert!(
                (xx - wanted).abs() < 1e-9 * STEEL.young,
                "{kind:?} {xx} {wanted}"
            );
            let rest = rest.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert!(rest < 1e-9 * STEEL.young, "{kind:?} {rest}");
        }
    }
}

#[test]
fn nodes_of_a_rigid_body_follow_its_reference() {
    let mut model = solid(Kind::Tetrahedron4);
    let turn = Vec3::new(0.1, -0.2, 0.3);
    let shapes = shape(&model, &|p| Vec3::x() + turn.cross(p));
    // nodes 2 to 4 follow the first, whose rotations replace their unknowns
    model.unknowns.truncate(3);
    model
        .unknowns
        .extend((3..6).map(|direction| Unknown { node: 0, direction }));
    model.followers = vec![(0, vec![0, 1, 2, 3])];
    let mut led = Columns::new(6);
    led.push(&[&shapes.col(0)[..3], turn.as_slice()].concat());
    let found = points(&model, &led, &at_all(&model), Quantity::Strain).unwrap();
    let most = found.iter().flat_map(|point| point.values[0]);
    assert!(most.fold(0.0_f64, |m, x| m.max(x.abs())) < 1e-15);
    model.followers.clear();
    let error = points(&model, &led, &at_all(&model)[..1], Quantity::Strain).unwrap_err();
    assert_eq!(error, "node 1: node 2 beside it has no unknowns of its own");
}

#[test]
fn what_is_missing_is_named() {
    let mut model = solid(Kind::Brick8);
    let shapes = shape(&model, &|p| *p);
    let probes = at_all(&model);
    let stress = |model: &FeModel, material| {
        points(model, &shapes, &probes, Quantity::Stress(material)).unwrap_err()
    };
    let wrong = Material {
        poisson: 0.5,
        ..STEEL
    };
    assert!(stress(&model, Some(wrong)).contains("Poisson's ratio is 0.5"));
    let wrong = Material {
        young: f64::NAN,
        ..STEEL
    };
    assert!(stress(&model, Some(wrong)).contains("Young's modulus is NaN"));
    model.solids[0].material = None;
    assert!(stress(&model, None).contains("node 1: the files do not say what element 1"));
    model.solids[0].nodes.rotate_left(4);
    assert!(stress(&model, Some(STEEL)).contains("element 1 is turned inside out"));
    model.opaque.insert(0, "C3D8I".to_owned());
    assert!(stress(&model, Some(STEEL)).contains("on an element of type C3D8I"));
    model.opaque.clear();
    model.solids.clear();
    assert!(stress(&model, Some(STEEL)).contains("not on a solid element"));
}
