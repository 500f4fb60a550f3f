#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::fe::FeModel;

const MESH: &str = "*NODE\n101,0,0,0\n102,1,0,0\n";

/// Reads matrices over two nodes.
fn open(files: &[(&str, &str)]) -> Result<Opened, ReadError> {
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| PathBuf::from(name)).collect();
    read(&paths, Some(Path::new("mesh.inp")), &|path: &Path| {
        let all = [("mesh.inp", MESH)];
        let found = files
            .iter()
            .chain(&all)
            .find(|(name, _)| Path::new(name) == path);
        Ok(found.unwrap().1.to_owned())
    })
}

fn unknowns(model: &FeModel) -> Vec<(u64, usize)> {
    model
        .unknowns
        .iter()
        .map(|u| (model.nodes[u.node].id, u.direction + 1))
        .collect()
}

/// A rod of two nodes along x, stiffness 4 and masses 2 and 1 off the diagonal.
const STIFFNESS: &str = "** FORMAT=MATRIX INPUT\n101,1, 101,1, 4.000000000000000e+00\n\
    102,1, 101,1, -4.0\n102,1, 102,1, 4.0D0\n102,2, 102,2, 1.0e36\n";
const MASS: &str =
    "101,1, 101,1, 2.\n101,1, 102,1, 1.\n102,1, 101,1, 1.\n102,1,102,1,2.\n102,2,102,2,7\n";

#[test]
fn entries_with_labels_in_either_half_or_both() {
    let opened = open(&[("a_MASS1.mtx", MASS), ("a_STIF1.mtx", STIFFNESS)]).unwrap();
    let model = opened.model;
    assert_eq!(unknowns(&model), [(101, 1), (102, 1)]);
    assert_eq!(model.stiffness.values, [4.0, -4.0, 4.0]);
    assert_eq!(model.mass.values, [2.0, 1.0, 2.0]);
    assert_eq!(
        opened.notes,
        ["1 directions that boundary conditions fix are left out"]
    );
    assert_eq!(model.sources.len(), 3);
}

const ELEMENT: &str = "**\n** GENERATION OF SUBSTRUCTURE\n*USER ELEMENT, NODES=2, LINEAR\n** ELEMENT NODES\n\
    ** 102, 101\n1, 2\n2, 1\n*MATRIX,TYPE=STIFFNESS\n1.,\n2., 3.\n-1., -2.,\n 4.\n*MATRIX,TYPE=MASS\n\
    5., 0., 5., 0., 0., 5.,\n";

#[test]
fn a_substructure_lists_its_lower_triangle() {
    let model = open(&[("sub.mtx", ELEMENT)]).unwrap().model;
    assert_eq!(unknowns(&model), [(101, 1), (102, 1), (102, 2)]);
    let entries: Vec<_> = model.stiffness.entries().collect();
    let expected = [
        (0, 0, 4.0),
        (0, 1, -1.0),
        (1, 1, 1.0),
        (0, 2, -2.0),
        (1, 2, 2.0),
        (2, 2, 3.0),
    ];
    assert_eq!(entries, expected);
}

#[test]
fn calculix_repeats_a_node_for_each_direction() {
    // As CalculiX writes it: two directions of node 102, one of node 101.
    let text = "**\n** GENERATION OF SUBSTRUCTURE\n*USER ELEMENT,NODES=          3,LINEAR\n** ELEMENT NODES\n\
        **       102,       102,       101,\n         1\n         2,         2\n         3,         1\n\
        *MATRIX,TYPE=STIFFNESS\n 0.1000000000000E+01,\n 0.2000000000000E+01, 0.3000000000000E+01,\n\
        -0.1000000000000E+01,-0.2000000000000E+01, 0.4000000000000E+01,\n\
        *MATRIX,TYPE=MASS\n1,0,1,0,0,1\n";
    let model = open(&[("sub.mtx", text)]).unwrap().model;
    assert_eq!(unknowns(&model), [(101, 1), (102, 1), (102, 2)]);
    assert_eq!(model.stiffness.values, [4.0, -1.0, 1.0, -2.0, 2.0, 3.0]);
}

#[test]
fn what_is_wrong_names_its_line() {
    let with = |text: &str| open(&[("k_STIF1.mtx", text), ("k_MASS1.mtx", MASS)]);
    for (text, message) in [
        (
            "1 1 4.0\n",
            "k_STIF1.mtx: line 1: expected `node, direction",
        ),
        ("101,1,101,1,4\n7,1,101,1,2\n", "line 2: there is no node 7"),
        (
            "101,1,101,1,inf\n",
            "line 1: \"inf\" is not a finite number",
        ),
        (
            "101,7,101,1,1\n",
            "line 1: node 101: \"7\" is not a direction",
        ),
        ("-3,1,101,1,1\n", "line 1: node -3 is internal"),
        (
            "101,1,102,1,1\n102,1,101,1,2\n",
            "the stiffness is not symmetric: 1e0 and 2e0 between node 101",
        ),
        ("101,1,101,1,1\n101,1,101,1,1\n", "appears twice"),
        ("", "\"\""),
    ] {
        let error = match with(text) {
            Err(error) => error.to_string(),
            // A stiffness without entries is no fault of the file's form.
            Ok(opened) => {
                assert!(opened.model.stiffness.values.is_empty());
                continue;
            }
        };
        assert!(error.contains(message), "{error}");
    }
    let element = |from: &str, to: &str| open(&[("sub.mtx", &ELEMENT.replace(from, to))]);
    for (from, to, message) in [
        (
            "4.\n*",
            "*",
            "line 8: 5 numbers; valid: 6 for the lower triangle of 3",
        ),
        ("** 102, 101", "** 102", "line 3: 1 nodes are listed"),
        ("** 102, 101", "** 102, 103", "line 5: there is no node 103"),
        ("2, 1\n", "3, 1\n", "line 7: place 3 is out of order"),
        ("TYPE=MASS", "TYPE=DAMPING", "there is no mass matrix"),
    ] {
        let error = element(from, to).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let error = open(&[("a.mtx", &[ELEMENT, ELEMENT].concat())]).unwrap_err();
    assert!(error.to_string().contains("second element"), "{error}");
    let error = read(&[PathBuf::from("a.mtx")], None, &|_| Ok(String::new())).unwrap_err();
    assert!(error.to_string().contains("no coordinates"), "{error}");
}
