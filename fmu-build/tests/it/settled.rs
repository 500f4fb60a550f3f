//! Geometry, solids and meshes by parameters, in packed FMUs of both versions.

use std::fs;
use std::path::Path;

use fmu_build::archive::read::read_xml;

use crate::setup::{ends_with, pack_model, path, succeeds};

/// A pendulum of a mesh on an arm with a spring; `length` and `density` stand where they act.
fn model(length: &str, density: &str) -> String {
    format!(
        r#"{{"fixstep": 1, "name": "settled", "gravity": [0, 0, -9.81],
        "parameters": [
            {{"name": "length", "unit": "m", "start": 0.5, "min": -1}},
            {{"name": "density", "unit": "kg/m3", "start": 900}},
            {{"name": "stiffness", "unit": "N.m/rad", "start": 3, "tunable": true}}],
        "parts": [{{"name": "bob", "position": [{length}, 0, 0], "solids": [
            {{"type": "mesh", "file": "bob.glb", "scale": "1 cm", "density": {density}}},
            {{"type": "box", "size": [{length}, 0.01, 0.02], "density": 2700, "position": [0, 0.1, 0]}}]}}],
        "markers": [
            {{"name": "pin", "part": "ground", "orientation": {{"z_point": [0, 1, 0]}}}},
            {{"name": "eye", "part": "bob", "position": [{}, 0, 0], "orientation": {{"z_point": [{}, 1, 0]}}}}],
        "joints": [{{"name": "hinge", "type": "revolute", "i": "eye", "j": "pin"}}],
        "forces": [{{"name": "spring", "type": "torsion_spring_damper", "i": "eye", "j": "pin", "stiffness": "=stiffness"}}],
        "outputs": [{{"name": "x", "expression": "DX(eye)"}}, {{"name": "angle", "expression": "AZ(eye, pin)"}}],
        "experiment": {{"stop": 0.2, "step": 0.001}}}}"#,
        minus(length),
        minus(length)
    )
}

fn minus(number: &str) -> String {
    match number.strip_prefix("\"=") {
        Some(rest) => format!("\"=-{rest}"),
        None => format!("-{number}"),
    }
}

fn run(file: &Path, table: &Path, set: &[&str]) -> Vec<u8> {
    let mut words = vec!["run", path(file), "-o", path(table)];
    for pair in set {
        words.extend(["--set", pair]);
    }
    succeeds(&words);
    fs::read(table).unwrap()
}

#[test]
fn parameters_settle_geometry_and_masses_of_an_fmu() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mesh =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/truth/M01_mesh_masses/star_3.glb");
    fs::copy(mesh, at("bob.glb")).unwrap();
    fs::write(at("by.json"), model("\"=length\"", "\"=density\"")).unwrap();
    fs::write(at("written.json"), model("0.75", "500.0")).unwrap();
    let said = succeeds(&["inspect", path(&at("by.json"))]);
    for words in [
        "mesh \"bob.glb\": 80 triangles (0 of them without area) in one shell; ",
        "part \"bob\", by its solids: ",
    ] {
        assert!(said.contains(words), "{said}");
    }
    let written = run(&at("written.json"), &at("written.csv"), &[]);
    let set = ["length=0.75", "density=500"];
    for version in ["2", "3"] {
        let fmu = at(&format!("by{version}.fmu"));
        pack_model(&at("by.json"), &fmu, version, false);
        let xml = read_xml(&fmu).unwrap();
        for (name, variability) in [
            ("length", "fixed"),
            ("density", "fixed"),
            ("stiffness", "tunable"),
        ] {
            let variable = xml
                .split('<')
                .find(|tag| tag.contains(&format!("name=\"{name}\"")));
            let variable = variable.unwrap();
            assert!(
                variable.contains(&format!("variability=\"{variability}\"")),
                "{variable}"
            );
        }
        // The FMU needs no mesh.
        fs::rename(at("bob.glb"), at("away.glb")).unwrap();
        assert_eq!(run(&fmu, &at("by.csv"), &set), written, "FMI {version}");
        let said = ends_with(1, &["run", path(&fmu), "--set", "length=-0.5"]);
        assert!(
            said.contains("solids: solids[1].size[0] is -0.5 (SI); valid: more than zero"),
            "{said}"
        );
        let said = ends_with(
            1,
            &[
                "run",
                path(&fmu),
                "--set",
                "length=0.5",
                "--set",
                "density=-1",
            ],
        );
        assert!(
            said.contains("with density = -1: parts[0] \"bob\": solids: solids[0].density is -1"),
            "{said}"
        );
        fs::rename(at("away.glb"), at("bob.glb")).unwrap();
    }
}
