#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::fe::FeModel;

fn open(text: &str) -> Result<Opened, ReadError> {
    read(&[PathBuf::from("a.pch")], None, &|_| Ok(text.to_owned()))
}

/// Two grids; the second in cylindrical coordinates about z: radius 1, 90 degrees.
const GRIDS: &str = "GRID           1              0.      0.      0.\n\
    CORD2C         5       0      0.      0.      0.      0.      0.      1.\n              1.      0.      0.\n\
    GRID*                  2               5              1.             90.\n*                     0.\n";

/// As Nastran punches it: lower triangle of a spring between the grids along y and a turn of grid 2.
const LARGE: &str = "\
DMIG    KAAX           0       6       2       0                               3\n\
DMIG*   KAAX                           1               2\n\
*                      1               2 4.000000000D+05\n\
*                      2               2-4.000000000D+05\n\
DMIG*   KAAX                           2               2\n\
*                      2               2 4.000000000D+05\n\
DMIG*   KAAX                           2               4\n\
*                      2               4 7.000000000D+00\n";

const SMALL: &str = "\
DMIG    MAAX    0       1       1       0                               3\n\
DMIG    MAAX    1       2               1       2       2.0     0.      \n\
+       2       2       1.0     0.      \n\
DMIG    MAAX    2       2               1       2       1.0             \n\
+       2       2       2.0     \n\
DMIG    MAAX    2       4               2       4       .5-1    \n";

fn unknowns(model: &FeModel) -> Vec<(u64, usize)> {
    model
        .unknowns
        .iter()
        .map(|u| (model.nodes[u.node].id, u.direction + 1))
        .collect()
}

#[test]
fn punched_matrices_over_grids() {
    let model = open(&[GRIDS, LARGE, SMALL].concat()).unwrap().model;
    assert_eq!(unknowns(&model), [(1, 2), (2, 2), (2, 4)]);
    assert!((model.nodes[1].position - fixstep_kernel::math::Vec3::y()).norm() < 1e-15);
    let entries: Vec<_> = model.stiffness.entries().collect();
    assert_eq!(
        entries,
        [(0, 0, 4e5), (0, 1, -4e5), (1, 1, 4e5), (2, 2, 7.0)]
    );
    let entries: Vec<_> = model.mass.entries().collect();
    assert_eq!(
        entries,
        [(0, 0, 2.0), (0, 1, 1.0), (1, 1, 2.0), (2, 2, 0.05)]
    );
}

#[test]
fn elements_are_drawn_and_sets_named() {
    let text = [
        GRIDS,
        LARGE,
        SMALL,
        "CBAR,9,1,1,2\nSET1,30,1,THRU,8\nSET1,31,2\n",
    ]
    .concat();
    let model = open(&text).unwrap().model;
    assert_eq!(model.edges, [[0, 1]]);
    assert_eq!(
        model.sets,
        [("30".to_owned(), vec![0, 1]), ("31".to_owned(), vec![1])]
    );
}

#[test]
fn spherical_and_rectangular_systems() {
    let text = "CORD2S,1,,0.,0.,0.,0.,0.,1.,\n,1.,0.,0.\nCORD2R,2,1,1.,90.,0.,1.,90.,90.,\n,1.,0.,0.\n\
        GRID,5,1,2.,90.,90.\nGRID,6,2,0.,0.,0.\n";
    let mut cards = Vec::new();
    bulk::read("a", text, &mut cards).unwrap();
    let mesh = grid::mesh(&cards).unwrap();
    let expected = [
        fixstep_kernel::math::Vec3::y() * 2.0,
        fixstep_kernel::math::Vec3::x(),
    ];
    for (node, position) in mesh.nodes.iter().zip(expected) {
        assert!((node.position - position).norm() < 1e-15);
    }
}

fn refused(cases: &[(&str, &str)]) {
    for (text, message) in cases {
        let error = open(text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn what_is_wrong_with_a_matrix_names_its_line() {
    let k = "DMIG,KAAX,0,6,2,0\n";
    refused(&[
        (
            "DMIG,KAAX,1,2,,1,2,3.\n",
            "a.pch: line 1: DMIG: matrix KAAX has no header",
        ),
        (
            &[k, k].concat(),
            "line 2: DMIG: matrix KAAX has two headers",
        ),
        (
            "DMIG,KAAX,0,2,2,0\n",
            "line 1: DMIG: matrix KAAX has form \"2\"; valid: 6",
        ),
        ("DMIG,KAAX,0,6,3,0\n", "type \"3\"; valid: 1 and 2 (real)"),
        (
            &[k, "DMIG,KAAX,7,2,,1,2,3.\n"].concat(),
            "line 2: DMIG: there is no GRID 7",
        ),
        (
            &[k, "GRID,7,,0.,0.,0.\nDMIG,KAAX,7,0,,7,1,3.\n"].concat(),
            "line 3: DMIG: GRID 7: \"0\" is not",
        ),
        (
            &[k, "GRID,7,,0.,0.,0.\nDMIG,KAAX,7,1,,7,1,\n+,7,2,nan\n"].concat(),
            "line 3: DMIG: \"\" is not a finite",
        ),
        (
            &[k, "GRID,7,,0.,0.,0.\nDMIG,KAAX,7,1,,7,1,1.\n,7,2,nan\n"].concat(),
            "line 4: DMIG: \"nan\" is not",
        ),
    ]);
}

#[test]
fn what_is_wrong_with_nodes_names_its_line() {
    refused(&[
        (
            "GRID,7,3,0.,0.,0.\n",
            "line 1: GRID: there is no system \"3\"",
        ),
        ("GRID,7,,0.,0.,0.,3\n", "line 1: GRID: GRID 7 moves along"),
        (
            "GRID,7,,0.,0.,0.\nGRID,7,,0.,0.,1.\n",
            "line 2: GRID: GRID 7 is already defined",
        ),
        (
            "CORD2R,1,,0.,0.,0.,0.,0.,1.,\n,0.,0.,2.\nGRID,7,1,0.,0.,0.\n",
            "line 1: CORD2R: its three points",
        ),
        (
            "CORD2R,1,2,0.,0.,0.,0.,0.,1.,\n,1.,0.,2.\nCORD2R,2,1,0.,0.,0.,0.,0.,1.,\n,1.,0.,2.\nGRID,7,1,0.,0.,0.\n",
            "circle",
        ),
        ("GRDSET,,1\n", "line 1: GRDSET: gives defaults"),
        (
            "GRID,7,,0.,0.,0.\nCBAR,1,1,7,8\n",
            "line 2: CBAR: there is no GRID 8",
        ),
        (
            "GRID,7,,0.,0.,0.\nSET1,1,THRU,7\n",
            "line 2: SET1: THRU comes first",
        ),
        ("GRID,7,,0.,0.,0.\n", "a.pch: there is no stiffness matrix"),
        (
            &[GRIDS, LARGE].concat(),
            "a.pch: there is no mass matrix; valid names: MAAX",
        ),
        (
            &[GRIDS, LARGE, &LARGE.replace("KAAX", "KGG ")].concat(),
            "holds KAAX and KGG",
        ),
        (
            &[GRIDS, &LARGE.replace("   6", "   1"), SMALL].concat(),
            "the stiffness is not symmetric",
        ),
    ]);
}
