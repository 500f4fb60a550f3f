//! Tests of `fixstep response` with flexible bodies: densities of stress, and modal coordinates for other programs.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::setup::{ends_with, path, succeeds};

const LENGTH: f64 = 0.5;
const HEIGHT: f64 = 0.01;
const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7850.0;
const RADIUS: f64 = 0.01;

/// A rod of beams with a stress point at its root, `z` above the axis.
fn rod(folder: &Path, section: &Value, z: f64, tip: bool) {
    let mut end = json!({"position": [LENGTH, 0, 0]});
    if tip {
        end["name"] = json!("tip");
    }
    let beam = json!({
        "name": "rod",
        "points": [{"name": "root", "position": [0, 0, 0]}, end],
        "material": {"youngs_modulus": YOUNG, "poissons_ratio": 0.3, "density": DENSITY},
        "section": section, "elements": 20,
        "stresses": [{"name": "top", "point": "root", "y": 0.0, "z": z}]
    });
    let file = folder.join("beam.json");
    fs::write(&file, beam.to_string()).unwrap();
    let out = folder.join("rod.flex");
    succeeds(&[
        "flex",
        "beam",
        path(&file),
        "--modes",
        "8",
        "--plain",
        "-o",
        path(&out),
    ]);
}

/// The rod is clamped on a base that an acceleration shakes along z.
fn shaken(folder: &Path) -> PathBuf {
    rod(
        folder,
        &json!({"type": "rectangle", "y": 0.03, "z": HEIGHT}),
        HEIGHT / 2.0,
        false,
    );
    let model = json!({
        "fixstep": 1, "name": "shaken rod", "gravity": [0, 0, 0],
        "parts": [{"name": "base", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "flexible_bodies": [{"name": "rod", "file": "rod.flex", "damping": "0.02"}],
        "markers": [
            {"name": "g", "part": "ground"}, {"name": "b", "part": "base"},
            {"name": "r", "part": "rod", "node": "root"}
        ],
        "joints": [
            {"name": "slide", "type": "translational", "i": "b", "j": "g"},
            {"name": "clamp", "type": "fixed", "i": "r", "j": "b"}
        ],
        "inputs": [{"name": "shake", "unit": "m/s^2"}],
        "motions": [{"name": "m", "joint": "slide", "acceleration": "shake"}],
        "outputs": [{"name": "z", "expression": "DZ(b, g)", "unit": "m"}]
    });
    let file = folder.join("shaken.json");
    fs::write(&file, model.to_string()).unwrap();
    file
}

fn response(file: &Path, words: &[&str]) -> Value {
    let all = [&["response", path(file), "--json"], words].concat();
    serde_json::from_str(&succeeds(&all)).unwrap()
}

/// The density of a name.
fn density<'a>(found: &'a Value, name: &str) -> &'a Value {
    let all = found["densities"].as_array().unwrap();
    all.iter().find(|own| own["output"] == name).unwrap()
}

/// Mean square of the bending stress at the root of a clamped beam whose base has white acceleration, by Euler's and Bernoulli's
/// modes and the correlation of modes under white noise (Der Kiureghian 1981).
fn stress_of_white_noise(density: f64, zeta: f64) -> f64 {
    let per_area = (YOUNG * HEIGHT * HEIGHT / 12.0 / DENSITY).sqrt();
    let modes = [
        (1.875_104_068_7, 0.734_095_514),
        (4.694_091_133, 1.018_467_319),
        (7.854_757_438, 0.999_224_497),
        (10.995_540_735, 1.000_033_553),
    ];
    // Frequency, and stress by the root mean square of an oscillator of unit acceleration.
    let modes = modes.map(|(root, sigma): (f64, f64)| {
        let beta = root / LENGTH;
        let omega = beta * beta * per_area;
        let participation = 2.0 * sigma / root;
        let curvature = 2.0 * beta * beta;
        let rms = (density / (8.0 * zeta * omega.powi(3))).sqrt();
        (
            omega,
            YOUNG * HEIGHT / 2.0 * curvature * participation * rms,
        )
    });
    let mut square = 0.0;
    for (a, x) in modes {
        for (b, y) in modes {
            let r = a / b;
            let above = 8.0 * zeta * zeta * (1.0 + r) * r * r.sqrt();
            let below = (1.0 - r * r).powi(2) + 4.0 * zeta * zeta * r * (1.0 + r).powi(2);
            square += x * y * above / below;
        }
    }
    square
}

#[test]
fn a_cantilever_on_a_white_base_has_the_stress_of_beam_theory() {
    let folder = tempfile::tempdir().unwrap();
    let file = shaken(folder.path());
    let words = ["--psd", "shake=2", "--from", "0.1", "--to", "8000"];
    let found = response(&file, &[&words[..], &["--stress", "rod:top"]].concat());
    // Six components and the equivalent stress; not what was not asked for.
    assert_eq!(found["densities"].as_array().unwrap().len(), 7);
    let along = density(&found, "STRESS(rod, top, XX)");
    assert_eq!(along["density_unit"], "Pa^2/Hz");
    let rms = along["rms"].as_f64().unwrap();
    let wanted = stress_of_white_noise(2.0, 0.02).sqrt();
    assert!((rms / wanted - 1.0).abs() < 2e-3, "{rms} for {wanted}");
    // One component alone is its own equivalent.
    let mises = density(&found, "MISES(rod, top)")["rms"].as_f64().unwrap();
    assert!((mises / rms - 1.0).abs() < 1e-9, "{mises} for {rms}");
    let both = ["--stress", "rod", "--show", "z"];
    let both = response(&file, &[&words[..], &both].concat());
    assert_eq!(both["densities"].as_array().unwrap().len(), 8);
    let said = ends_with(1, &["response", path(&file), "--stress", "rod:tip"]);
    assert!(said.contains("unknown point with stress of \"rod\" \"tip\""));
    let said = ends_with(1, &["response", path(&file), "--strain", "rod"]);
    assert!(said.contains("knows no strain"), "{said}");
    let said = ends_with(1, &["response", path(&file), "--stress", "base"]);
    assert!(said.contains("unknown flexible body \"base\""), "{said}");
}

#[test]
fn bending_and_torsion_make_the_equivalent_stress() {
    let folder = tempfile::tempdir().unwrap();
    let section = json!({"type": "circle", "diameter": 2.0 * RADIUS});
    rod(folder.path(), &section, RADIUS, true);
    let load = |name: &str, kind: &str, axis: [f64; 3], by: &str| json!({"name": name, "type": kind, "i": "t", "j": axis_name(axis), "expression": by});
    let model = json!({
        "fixstep": 1, "name": "loaded rod", "gravity": [0, 0, 0],
        "flexible_bodies": [{"name": "rod", "file": "rod.flex", "damping": "0.02"}],
        "markers": [
            {"name": "g", "part": "ground"}, {"name": "r", "part": "rod", "node": "root"},
            {"name": "t", "part": "rod", "node": "tip"},
            {"name": "along_x", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}}
        ],
        "joints": [{"name": "clamp", "type": "fixed", "i": "r", "j": "g"}],
        "inputs": [{"name": "f", "unit": "N"}, {"name": "t", "unit": "N.m"}],
        "forces": [
            load("push", "action_only_force", [0.0, 0.0, 1.0], "f"),
            load("twist", "action_only_torque", [1.0, 0.0, 0.0], "t")
        ]
    });
    let file = folder.path().join("loaded.json");
    fs::write(&file, model.to_string()).unwrap();
    let words = "--psd f=4 --psd t=0.5 --from 0 --to 1 --points 3 --no-refine --stress rod:top";
    let found = response(&file, &words.split(' ').collect::<Vec<_>>());
    let at_rest = |name: &str| density(&found, name)["density"][0].as_f64().unwrap();
    // Slow loads: sigma = F L r / I, tau = T r / J.
    let area_moment = std::f64::consts::PI * RADIUS.powi(4) / 4.0;
    let bending = 4.0 * (LENGTH * RADIUS / area_moment).powi(2);
    let shear = 0.5 * (RADIUS / (2.0 * area_moment)).powi(2);
    let near = |name: &str, wanted: f64| {
        let got = at_rest(name);
        assert!(
            (got / wanted - 1.0).abs() < 1e-6,
            "{name}: {got} for {wanted}"
        );
    };
    near("STRESS(rod, top, XX)", bending);
    near("STRESS(rod, top, XY)", shear);
    near("MISES(rod, top)", bending + 3.0 * shear);
}

fn axis_name(axis: [f64; 3]) -> &'static str {
    if axis[0] == 1.0 { "along_x" } else { "g" }
}

#[test]
fn modal_coordinates_are_written_for_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let file = shaken(folder.path());
    let out = folder.path().join("rod.mdf");
    let words = ["response", path(&file), "--modal-coordinates", path(&out)];
    succeeds(&[&words[..], &["--excite", "shake=3,90", "--shape", "40"]].concat());
    let text = fs::read_to_string(&out).unwrap();
    assert!(
        text.starts_with("$ fixstep modal coordinates 1\n"),
        "{text}"
    );
    assert!(text.contains("\n$BODY = rod\n") && text.contains("\n$MODES = 8\n"));
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter(|line| !line.starts_with('$'))
        .map(|line| {
            line.split_whitespace()
                .map(|x| x.parse().unwrap())
                .collect()
        })
        .collect();
    assert_eq!(rows.len(), 8);
    // The first mode: q'' + 2 zeta omega q' + omega^2 q = -participation a, a = 3 i; its sign is the mode's.
    let root = 1.875_104_068_7_f64;
    let omega = (root / LENGTH).powi(2) * (YOUNG * HEIGHT * HEIGHT / 12.0 / DENSITY).sqrt();
    let mass = DENSITY * 0.03 * HEIGHT * LENGTH;
    let load = 3.0 * mass.sqrt() * 2.0 * 0.734_095_514 / root;
    let s = std::f64::consts::TAU * 40.0;
    let (re, im) = (omega * omega - s * s, 2.0 * 0.02 * omega * s);
    let size = re * re + im * im;
    // -i load / (re + i im)
    let wanted = [-load * im / size, -load * re / size];
    let sign = if rows[0][2] * wanted[1] < 0.0 {
        -1.0
    } else {
        1.0
    };
    for (got, wanted) in rows[0][1..].iter().zip(wanted) {
        assert!((got * sign / wanted - 1.0).abs() < 1e-3, "{got} {wanted}");
    }
    let refused = |code, more: &[&str], wanted: &str| {
        let said = ends_with(code, &[&words[..], more].concat());
        assert!(said.contains(wanted), "{said}");
    };
    refused(
        2,
        &["--psd", "shake=1"],
        "random excitation has no amplitudes",
    );
}
