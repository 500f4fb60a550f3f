#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

const MESH: &str = "*NODE\n1,0,0,0\n2,2000,0,0\n";
const STIFFNESS: &str = "1,1,1,1,3.\n2,6,1,1,-1.\n2,6,2,6,2.\n";

fn open(files: &[&str], format: Option<Format>, units: Units) -> Result<Opened, ReadError> {
    let request = Request {
        files: files.iter().map(PathBuf::from).collect(),
        format,
        mesh: Some(PathBuf::from("mesh.inp")),
        units,
    };
    open_by(&request, &|path: &Path| {
        let mesh = path == Path::new("mesh.inp");
        Ok(if mesh { MESH } else { STIFFNESS }.to_owned())
    })
}

#[test]
fn the_model_is_in_si() {
    let units = "mm-t-s".parse().unwrap();
    let model = open(&["k.mtx", "m.mtx"], None, units).unwrap().model;
    assert_eq!(model.nodes[1].position.x, 2.0);
    for (value, expected) in model.stiffness.values.iter().zip([3e3, -1.0, 2e-3]) {
        assert!((value - expected).abs() < 1e-15 * expected.abs());
    }
    for (value, expected) in model.mass.values.iter().zip([3e3, -1.0, 2e-3]) {
        assert!((value - expected).abs() < 1e-15 * expected.abs());
    }
}

#[test]
fn the_format_is_what_the_files_say() {
    let load = |_: &Path| Ok("$ punched\nDMIG    KAAX  \n".to_owned());
    let guess = |name: &str| guess(Path::new(name), &load);
    assert_eq!(guess("a.STI"), Ok(Format::Calculix));
    assert_eq!(guess("a.mtx"), Ok(Format::Abaqus));
    assert_eq!(guess("a.pch"), Ok(Format::Nastran));
    assert_eq!(guess("a.txt"), Ok(Format::Nastran));
    for (name, format) in Format::NAMES {
        assert_eq!(name.parse(), Ok(format));
    }
    assert!(
        "ansys"
            .parse::<Format>()
            .unwrap_err()
            .contains("calculix, abaqus, nastran")
    );
    let error = open(&["k.txt"], None, Units::default()).unwrap_err();
    assert!(
        error.to_string().contains("k.txt: the format is not known"),
        "{error}"
    );
    let error = open(&["a.sti", "b.mas"], None, Units::default()).unwrap_err();
    assert!(error.to_string().contains("another job"), "{error}");
    assert!(open(&[], None, Units::default()).is_err());
}

#[test]
fn the_drawn_nodes_are_a_set() {
    let mesh = format!("{MESH}3,0,5,0\n*ELEMENT,TYPE=B31\n1,1,2\n");
    let request = Request {
        files: vec![PathBuf::from("k.mtx"), PathBuf::from("m.mtx")],
        mesh: Some(PathBuf::from("mesh.inp")),
        ..Request::default()
    };
    let load = |path: &Path| {
        let mesh = (path == Path::new("mesh.inp")).then(|| mesh.clone());
        Ok(mesh.unwrap_or_else(|| STIFFNESS.to_owned()))
    };
    let model = open_by(&request, &load).unwrap().model;
    assert_eq!(model.sets, [(OUTLINE.to_owned(), vec![0, 1])]);
}
