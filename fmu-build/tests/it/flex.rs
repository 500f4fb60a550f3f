//! Tests of the commands `flex …`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::setup::{ends_with, path, succeeds};

/// A frame of three squares in a row, with springs between all close nodes and a mass at each node.
fn frame(folder: &Path) {
    let place = |k: usize| {
        [
            (k / 4) as f64,
            f64::from(u8::from(k & 1 == 1)),
            f64::from(u8::from(k & 2 == 2)),
        ]
    };
    let n = 12;
    let mut k = vec![vec![0.0; 3 * n]; 3 * n];
    for (a, b) in (0..n).flat_map(|a| (0..a).map(move |b| (a, b))) {
        let arm = [0, 1, 2].map(|c| place(a)[c] - place(b)[c]);
        let length = arm.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 1.9 {
            continue;
        }
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            let value = 1e6 * arm[i] * arm[j] / (length * length);
            k[3 * a + i][3 * a + j] += value;
            k[3 * b + i][3 * b + j] += value;
            k[3 * a + i][3 * b + j] -= value;
            k[3 * b + i][3 * a + j] -= value;
        }
    }
    let matrix = |entries: Vec<(usize, usize, f64)>| {
        let head = "%%MatrixMarket matrix coordinate real symmetric";
        let mut text = format!("{head}\n{} {} {}\n", 3 * n, 3 * n, entries.len());
        for (row, column, value) in entries {
            writeln!(text, "{} {} {value:?}", row + 1, column + 1).unwrap();
        }
        text
    };
    let lower = (0..3 * n).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let stiffness = lower
        .filter(|(i, j)| i == j || k[*i][*j] != 0.0)
        .map(|(i, j)| (i, j, k[i][j]));
    fs::write(folder.join("k.mtx"), matrix(stiffness.collect())).unwrap();
    fs::write(
        folder.join("m.mtx"),
        matrix((0..3 * n).map(|i| (i, i, 0.25)).collect()),
    )
    .unwrap();
    let mut nodes = "id,x,y,z\n".to_owned();
    for k in 0..n {
        let [x, y, z] = place(k);
        writeln!(nodes, "{},{x},{y},{z}", k + 1).unwrap();
    }
    fs::write(folder.join("nodes.csv"), nodes).unwrap();
    fs::write(folder.join("wind.csv"), "node,fx,fy,fz\n6,0,3,0\n8,0,4,0\n").unwrap();
}

/// `fixstep flex reduce` with two spiders and further arguments.
fn words<'a>(files: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let [k, m, nodes, output] = files else {
        return Vec::new();
    };
    let mut words = vec!["flex", "reduce", k, m, "--mesh", nodes, "-o", output];
    words.extend([
        "--interface",
        "near=nodes:1-4",
        "--interface",
        "far=nodes:9-12",
    ]);
    words.extend(more);
    words
}

fn files(folder: &Path) -> Vec<String> {
    let names = ["k.mtx", "m.mtx", "nodes.csv", "frame.flex"];
    names
        .iter()
        .map(|name| path(&folder.join(name)).to_owned())
        .collect()
}

#[test]
fn matrices_become_a_body() {
    let folder = tempfile::tempdir().unwrap();
    frame(folder.path());
    let (files, wind) = (files(folder.path()), folder.path().join("wind.csv"));
    let load = format!("wind={}", path(&wind));
    let more = [
        "--modes",
        "20",
        "--record",
        "nodes:5-8",
        "--load",
        &load,
        "--residual",
        "wind",
    ];
    let said = succeeds(&words(&files, &more));
    // Twelve interior unknowns are twelve modes: the residual vector is in their space.
    for part in [
        "mass     3.000000000 kg at (1.0",
        "rigid modes, left out",
        "orthonormal 18",
        "far ry",
        "0.00 %",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!said.contains("orthonormal 19"), "{said}");
    let body = fixstep_model::flex_file::read(&fs::read(folder.path().join("frame.flex")).unwrap())
        .unwrap();
    assert_eq!((body.modes.len(), body.nodes.len()), (18, 6));
    assert_eq!(body.node("far"), Some(1));
    assert_eq!(body.nodes[1].position.as_slice(), [2.0, 0.5, 0.5]);
    assert_eq!(
        (body.loads[0].name.as_str(), body.loads[0].force.y),
        ("wind", 7.0)
    );
    // Four masses of 1/4 kg at each end of 2 m, four in the middle, squares of 1 m.
    let said = succeeds(&words(&files, &["--json", "--keep-frequency", "300"]));
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    let inertia =
        ["xx", "yy", "zz", "xy", "xz", "yz"].map(|name| report["inertia"][name].as_f64().unwrap());
    for (found, expected) in inertia.iter().zip([1.5, 2.75, 2.75, 0.0, 0.0, 0.0]) {
        assert!((found - expected).abs() < 1e-12, "{inertia:?}");
    }
    let modes = report["modes"].as_array().unwrap();
    let kept = modes.iter().filter(|mode| mode["kept"] == true).count();
    assert!(kept > 0 && kept < modes.len(), "{said}");
}

/// The squares of the frame as two bricks in a deck, of steel, in millimetres, tonnes and seconds.
fn bricks(folder: &Path, material: &str) -> String {
    let mut deck = "*NODE\n".to_owned();
    for line in fs::read_to_string(folder.join("nodes.csv"))
        .unwrap()
        .lines()
        .skip(1)
    {
        writeln!(deck, "{line}").unwrap();
    }
    deck.push_str("*ELEMENT, TYPE=C3D8, ELSET=ALL\n1,1,5,6,2,3,7,8,4\n2,5,9,10,6,7,11,12,8\n");
    deck.push_str(material);
    let file = folder.join("frame.inp");
    fs::write(&file, deck).unwrap();
    path(&file).to_owned()
}

#[test]
fn bodies_tell_stress_and_strain_at_nodes() {
    let folder = tempfile::tempdir().unwrap();
    frame(folder.path());
    let mut files = files(folder.path());
    let steel =
        "*MATERIAL, NAME=S\n*ELASTIC\n210000., 0.25\n*SOLID SECTION, ELSET=ALL, MATERIAL=S\n";
    files[2] = bricks(folder.path(), steel);
    let tell = [
        "--units",
        "mm-t-s",
        "--stress",
        "top=node:8",
        "--strain",
        "nodes:8,5",
    ];
    succeeds(&words(&files, &tell));
    let read = || {
        let bytes = fs::read(folder.path().join("frame.flex")).unwrap();
        fixstep_model::flex_file::read(&bytes).unwrap()
    };
    let body = read();
    assert_eq!((body.stresses.len(), body.strains.len()), (1, 2));
    assert_eq!(
        (
            body.stresses[0].name.as_str(),
            body.strains[0].name.as_str()
        ),
        ("top", "5")
    );
    // σ = 2 G ε + λ tr ε with G = 84 GPa and λ = 84 GPa
    let (stress, strain) = (&body.stresses[0].values, &body.strains[1].values);
    let most = stress
        .iter()
        .flatten()
        .fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(most > 1e9);
    for (s, e) in stress.iter().zip(strain) {
        let trace = e[0] + e[1] + e[2];
        for k in 0..6 {
            let wanted = 84e9 * (2.0 * e[k] + if k < 3 { trace } else { 0.0 });
            assert!((s[k] - wanted).abs() < 1e-12 * most, "{s:?} {e:?}");
        }
    }
    let own = ["--young", "420000", "--poisson", "0.25"];
    succeeds(&words(&files, &[&tell[..], &own].concat()));
    let twice = read();
    for (a, b) in stress
        .iter()
        .flatten()
        .zip(twice.stresses[0].values.iter().flatten())
    {
        assert!((2.0 * a - b).abs() <= 1e-12 * most);
    }
    let said = ends_with(1, &words(&files, &["--stress", "ends=nodes:5,8"]));
    assert!(
        said.contains("--stress ends: the name is given to 2 nodes"),
        "{said}"
    );
    let said = ends_with(2, &words(&files, &["--young", "1"]));
    assert!(said.contains("--poisson"), "{said}");
    files[2] = bricks(folder.path(), "");
    let said = ends_with(1, &words(&files, &["--stress", "node:8"]));
    assert!(
        said.contains("node 8") && said.contains("what element 1 is made of"),
        "{said}"
    );
}

#[test]
fn units_of_the_files_are_told() {
    let folder = tempfile::tempdir().unwrap();
    frame(folder.path());
    let files = files(folder.path());
    let near = "near=sphere:0,0.5,0.5,1@0,0.5,0.5";
    let [k, m, nodes, output] = [0, 1, 2, 3].map(|k| files[k].as_str());
    let said = succeeds(&[
        "flex",
        "reduce",
        k,
        m,
        "--mesh",
        nodes,
        "-o",
        output,
        "--units",
        "mm-t-s",
        "--interface",
        near,
        "--interface",
        "far=cylinder:2,0.5,0,2,0.5,1,0.6",
        "--plain",
    ]);
    assert!(
        said.contains("mass     3000.000000000 kg at (0.001"),
        "{said}"
    );
    assert!(said.contains("constraint far rz"), "{said}");
}

#[test]
fn what_cannot_be_reduced_is_told() {
    let folder = tempfile::tempdir().unwrap();
    frame(folder.path());
    let files = files(folder.path());
    for (more, part) in [
        (
            vec!["--interface", "far=node:6"],
            "another interface has this name",
        ),
        (
            vec!["--interface", "middle=nodes:4,5"],
            "node 4 also belongs to interface \"near\"",
        ),
        (
            vec!["--interface", "middle=node:77"],
            "--interface middle: there is no node 77",
        ),
        (vec!["--record", "set:A"], "--record: there is no set \"A\""),
        (
            vec!["--residual", "wind"],
            "--residual wind: there is no load of this name",
        ),
        (vec!["--load", "wind=missing.csv"], "missing.csv"),
        (
            vec!["--keep-frequency", "0"],
            "modes are kept is 0; valid: a number above zero",
        ),
        (vec!["--keep-frequency", "0.001"], "no mode is left"),
    ] {
        let said = ends_with(1, &words(&files, &more));
        assert!(said.contains(part), "{said}");
        assert!(!folder.path().join("frame.flex").exists());
    }
    // A spring to the ground.
    let text = fs::read_to_string(&files[0]).unwrap();
    let first = text.lines().nth(2).unwrap();
    fs::write(&files[0], text.replacen(first, "1 1 9e6", 1)).unwrap();
    let said = ends_with(1, &words(&files, &[]));
    assert!(
        said.contains("k.mtx") && said.contains("fixed to the ground"),
        "{said}"
    );
}

#[test]
fn what_is_no_modal_neutral_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rod.mnf");
    for (bytes, part) in [
        (vec![0; 100], "byte 0 (0x0): the file ends after 100 bytes"),
        (vec![0; 4000], "byte 0 (0x0): is not a modal neutral file"),
        (
            [vec![60], vec![0; 4000]].concat(),
            "little-endian; valid: big-endian",
        ),
    ] {
        fs::write(&file, bytes).unwrap();
        let said = ends_with(1, &["flex", "import", path(&file)]);
        assert!(said.contains("rod.mnf") && said.contains(part), "{said}");
    }
    let said = ends_with(2, &["flex", "import", path(&file), "--nodes", "tip="]);
    assert!(said.contains("is not a number"), "{said}");
}

#[test]
fn a_chain_hangs_in_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let beam = r#"{"name": "hook", "points": [{"name": "top", "position": [0, 0, 0]}, {"name": "low", "position": [0, 0, -0.4]}],
        "material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850},
        "section": {"type": "circle", "diameter": 0.004}}"#;
    let crane = r#"{
  "fixstep": 1, "name": "crane", "gravity": [0, 0, -9.81],
  "parts": [
    {"name": "trolley", "mass": 5, "inertia": {"xx": 1, "yy": 1, "zz": 1}}
  ],
  "markers": [
    {"name": "rail", "part": "ground", "orientation": {"z_point": [1, 0, 0]}},
    {"name": "wheels", "part": "trolley", "orientation": {"z_point": [1, 0, 0]}},
    {"name": "eye", "part": "trolley", "position": [0, 0, -0.1]}
  ],
  "joints": [{"name": "runs", "type": "translational", "i": "wheels", "j": "rail"}]
}
"#;
    let (hook, model, out) = (at("hook.json"), at("crane.json"), at("out.json"));
    fs::write(&hook, beam).unwrap();
    fs::write(&model, crane).unwrap();
    let [hook_at, model_at, out_at] = [&hook, &model, &out].map(|file| path(file));
    let words = |point| {
        [
            "flex",
            "beam",
            hook_at,
            "--discrete",
            "8",
            "--into",
            model_at,
            "--at",
            point,
            "-o",
            out_at,
        ]
    };
    succeeds(&words("top=eye"));
    let text = fs::read_to_string(&out).unwrap();
    assert!(
        text.starts_with(&crane[..crane.find("],").unwrap() - 6]),
        "{text}"
    );
    succeeds(&["check", path(&out)]);
    let said = succeeds(&["run", path(&out), "--stop", "0.5", "--step", "0.001"]);
    // it hangs straight: nothing pulls it aside
    let low = said
        .lines()
        .find(|line| line.contains("hook_low_z"))
        .unwrap();
    let last: f64 = low.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((last + 0.5).abs() < 1e-6, "{said}");
    let said = ends_with(1, &words("knot=eye"));
    assert!(
        said.contains("hook.json: the line has no point \"knot\""),
        "{said}"
    );
    // its names are taken then
    fs::copy(&out, &model).unwrap();
    let said = ends_with(1, &words("top=eye"));
    assert!(
        said.contains("with the chain is not a valid model") && said.contains("hook_1"),
        "{said}"
    );
    let said = ends_with(2, &["flex", "beam", path(&hook), "--into", path(&model)]);
    assert!(said.contains("--discrete"), "{said}");
}

#[test]
fn a_chain_hangs_on_a_node_of_a_flexible_body() {
    let folder = tempfile::tempdir().unwrap();
    let rocker = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/rocker");
    for name in ["model.json", "arm.flex"] {
        fs::copy(rocker.join(name), folder.path().join(name)).unwrap();
    }
    let [beam, model, out] =
        ["tail.json", "model.json", "out.json"].map(|name| folder.path().join(name));
    let text = r#"{"name": "tail", "points": [{"name": "top", "position": [0, 0, 0]}, {"name": "low", "position": [0.1, 0, 0]}],
        "material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850},
        "section": {"type": "circle", "diameter": 0.004}}"#;
    fs::write(&beam, text).unwrap();
    let words = [
        "flex",
        "beam",
        path(&beam),
        "--discrete",
        "3",
        "--into",
        path(&model),
    ];
    let rest = [
        "--at",
        "top=arm.pin",
        "--start",
        "flexible",
        "-o",
        path(&out),
    ];
    succeeds(&[&words[..], &rest].concat());
    let text = fs::read_to_string(&out).unwrap();
    let base = r#"{"name": "tail_top_base", "part": "arm", "node": "pin"},"#;
    assert!(text.contains(base), "{text}");
    // the arm hangs, so the tail stands below its pin
    let said = succeeds(&["run", path(&out), "--stop", "0.1"]);
    let low = said
        .lines()
        .find(|line| line.contains("tail_low_y"))
        .unwrap();
    let last: f64 = low.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((last + 0.6).abs() < 1e-4, "{said}");
}
