#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

const NODES: &str = "id,x,y,z\n4, 0, 0, 0\n7, 1.5, 0, -2e-1\n";
const K: &str = "%%MatrixMarket matrix coordinate real symmetric\n% a remark\n6 6 8\n1 1 2.0\n2 2 2.0\n3 3 2.0\n\
                 4 4 2.0\n5 5 2.0\n6 6 2.0\n4 1 -1.5\n6 3 0.0\n";

/// A diagonal of ones.
fn mass(size: usize) -> String {
    let ones = (1..=size).map(|k| format!("{k} {k} 1.0\n"));
    format!(
        "%%MatrixMarket matrix coordinate real general\n{size} {size} {size}\n{}",
        ones.collect::<String>()
    )
}

fn open(files: &[(&str, &str)]) -> Result<Opened, ReadError> {
    let matrices = files.iter().map(|(name, _)| PathBuf::from(name));
    let matrices: Vec<PathBuf> = matrices.filter(|path| ending(path) != "csv").collect();
    let load = |path: &Path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        let missing = || ReadError::of(&path.display().to_string(), "is missing");
        found
            .map(|(_, text)| (*text).to_owned())
            .ok_or_else(missing)
    };
    read(&matrices, Some(Path::new("nodes.csv")), &load)
}

fn with(k: &str) -> Result<Opened, ReadError> {
    open(&[("k.mtx", k), ("m.mtx", &mass(6)), ("nodes.csv", NODES)])
}

#[test]
fn two_matrices_over_a_table_of_nodes() {
    let model = with(K).unwrap().model;
    assert_eq!(
        (model.nodes[1].id, model.nodes[1].position),
        (7, Vec3::new(1.5, 0.0, -0.2))
    );
    assert_eq!(
        model.unknowns[4],
        Unknown {
            node: 1,
            direction: 1
        }
    );
    let off: Vec<_> = model
        .stiffness
        .entries()
        .filter(|(row, column, _)| row != column)
        .collect();
    assert_eq!(off, [(0, 3, -1.5)]);
    assert_eq!(model.mass.values, [1.0; 6]);
    let names: Vec<&str> = model
        .sources
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["nodes.csv", "k.mtx", "m.mtx"]);
    // The mass comes first; its name identifies it.
    let turned = open(&[("m.mtx", &mass(6)), ("k.mtx", K), ("nodes.csv", NODES)])
        .unwrap()
        .model;
    assert_eq!(
        (turned.stiffness, turned.mass),
        (model.stiffness, model.mass)
    );
}

#[test]
fn a_list_says_what_the_rows_are() {
    let files = [
        (
            "k.mtx",
            "%%MatrixMarket matrix array real symmetric\n2 2\n3\n-1\n2\n",
        ),
        (
            "m.mtx",
            "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n1\n",
        ),
        ("a.dof", "7.6\n4.1\n"),
        ("nodes.csv", NODES),
    ];
    let model = open(&files).unwrap().model;
    // Rows in the order of nodes and directions.
    assert_eq!(
        model.unknowns,
        [
            Unknown {
                node: 0,
                direction: 0
            },
            Unknown {
                node: 1,
                direction: 5
            }
        ]
    );
    assert_eq!(model.stiffness.values, [2.0, -1.0, 3.0]);
}

#[test]
fn what_is_wrong_names_file_and_line() {
    for (from, to, place, part) in [
        (
            "%%MatrixMarket matrix",
            "%%MatrixMarket vector",
            "line 1",
            "valid: `%%MatrixMarket matrix",
        ),
        (
            "real symmetric",
            "complex hermitian",
            "line 1",
            "not understood",
        ),
        (
            "real symmetric",
            "real skew-symmetric",
            "line 1",
            "valid: symmetric, general",
        ),
        (
            "6 6 8",
            "6 5 8",
            "line 3",
            "not the sizes of a square matrix",
        ),
        (
            "6 6 8",
            "6 6 9",
            "",
            "8 entries of 9: the file is cut short",
        ),
        ("6 6 8", "6 6 7", "line 11", "more than the 7 entries"),
        (
            "6 6 8",
            "8 8 8",
            "",
            "8 rows are neither 3 nor 6 at each of 2 nodes",
        ),
        (
            "4 1 -1.5",
            "4 7 -1.5",
            "line 10",
            "not an entry of a matrix with 6 rows",
        ),
        ("4 1 -1.5", "4 1 nan", "line 10", "not an entry"),
        ("4 1 -1.5", "4 1", "line 10", "not an entry"),
        ("4 1 -1.5", "1 1 -1.5", "", "occurs twice"),
    ] {
        let error = with(&K.replace(from, to)).unwrap_err();
        assert!(
            error.file == "k.mtx" && error.place.contains(place),
            "{error}"
        );
        assert!(error.message.contains(part), "{error}");
    }
    let unsymmetric = K.replace("6 3 0.0", "1 4 -1.4");
    let error = with(&unsymmetric).unwrap_err().to_string();
    assert!(
        error.contains("not symmetric") && error.contains("node 4"),
        "{error}"
    );
}

#[test]
fn what_is_wrong_around_the_matrices() {
    let m = mass(6);
    let error = |files: &[(&str, &str)]| open(files).unwrap_err().to_string();
    let few = error(&[("k.mtx", K), ("nodes.csv", NODES)]);
    assert!(few.contains("expected the stiffness, the mass"), "{few}");
    let missing = error(&[("k.mtx", K), ("m.mtx", &m)]);
    assert!(missing.contains("nodes.csv: is missing"), "{missing}");
    let other = error(&[("k.mtx", K), ("m.mtx", &mass(5)), ("nodes.csv", NODES)]);
    let part = "m.mtx: the mass matrix has 5 rows, and there are 6 unknowns";
    assert!(other.contains(part), "{other}");
    for (nodes, part) in [
        ("id,x,y,z\n", "has no node"),
        ("1,0,0,0\n1,1,0,0\n", "line 2: node 1 occurs twice"),
        ("1,0,0\n2,0,0,0\n", "line 1: \"1,0,0\" is not"),
    ] {
        let error = error(&[("k.mtx", K), ("m.mtx", &m), ("nodes.csv", nodes)]);
        assert!(error.contains(part), "{error}");
    }
    for (rows, part) in [
        ("4.7\n", "a.dof: line 1"),
        ("5.1\n", "there is no node 5"),
        ("4.1\n4.1\n", "already in line 1"),
        ("4.1\n", "6 rows, and there are 1"),
    ] {
        let files = [
            ("k.mtx", K),
            ("m.mtx", &m),
            ("a.dof", rows),
            ("nodes.csv", NODES),
        ];
        let error = error(&files);
        assert!(error.contains(part), "{error}");
    }
}
