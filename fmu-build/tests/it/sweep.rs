//! Tests of `fixstep modes --sweep` and `--campbell` on rotors whose frequencies and limits are known in closed form.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::setup::{ends_with, fixstep, path, succeeds};

/// A shaft that turns with `speed`, and a disc on it, held by `joints` and `forces`.
fn rotor(folder: &Path, joints: &[Value], forces: &[Value]) -> std::path::PathBuf {
    let mut all = vec![json!({"name": "bearing", "type": "revolute", "i": "axis", "j": "ground"})];
    all.extend(joints.iter().cloned());
    let model = json!({
        "fixstep": 1, "name": "rotor", "gravity": [0, 0, 0],
        "parameters": [{"name": "speed", "start": 70, "unit": "rad/s"}, {"name": "load", "start": 1, "unit": "N"}],
        "parts": [
            {"name": "shaft", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "disc", "mass": 2, "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.03}}
        ],
        "markers": [{"name": "axis", "part": "shaft"}, {"name": "hub", "part": "disc"}],
        "joints": all,
        "motions": [{"name": "drive", "joint": "bearing", "displacement": "speed*TIME"}],
        "forces": forces
    });
    let file = folder.join("rotor.json");
    fs::write(&file, model.to_string()).unwrap();
    file
}

/// A disc tilts on a shaft that bends: its angular momentum separates the whirls.
fn tilting(folder: &Path) -> std::path::PathBuf {
    let joint = json!({"name": "cross", "type": "universal", "i": "hub", "j": "axis"});
    let force = json!({"name": "bend", "type": "bushing", "i": "hub", "j": "axis", "stiffness": [0, 0, 0], "damping": [0, 0, 0],
        "torsional_stiffness": [90, 90, 0], "torsional_damping": [0, 0, 0]});
    rotor(folder, &[joint], &[force])
}

/// Jeffcott's: the disc travels in its plane on a shaft of 800 N/m, damped by the shaft (1) and by the air (3 N s/m).
fn travelling(folder: &Path) -> std::path::PathBuf {
    let joints = [
        json!({"name": "keep", "type": "orientation", "i": "hub", "j": "axis"}),
        json!({"name": "plane", "type": "in_plane", "i": "hub", "j": "axis"}),
    ];
    let bushing = |name: &str, j: &str, stiffness: f64, damping: f64| {
        json!({"name": name, "type": "bushing", "i": "hub", "j": j, "stiffness": [stiffness, stiffness, 0],
            "damping": [damping, damping, 0], "torsional_stiffness": [0, 0, 0], "torsional_damping": [0, 0, 0]})
    };
    rotor(
        folder,
        &joints,
        &[
            bushing("bend", "axis", 800.0, 1.0),
            bushing("air", "ground", 0.0, 3.0),
        ],
    )
}

fn swept(file: &Path, words: &str) -> Value {
    let all: Vec<&str> = ["modes", path(file)]
        .into_iter()
        .chain(words.split_whitespace())
        .collect();
    serde_json::from_str(&succeeds(&[&all[..], &["--json"]].concat())).unwrap()
}

fn near(got: &Value, wanted: f64, part: f64) {
    let got = got.as_f64().unwrap();
    assert!(
        (got - wanted).abs() <= part * wanted.abs().max(1.0),
        "{got} for {wanted}"
    );
}

/// Forward and backward whirl of the tilting disc.
fn whirls(speed: f64) -> [f64; 2] {
    let (across, momentum) = (0.02_f64, 0.03 * speed);
    let root = (momentum * momentum + 4.0 * across * 90.0).sqrt();
    [1.0, -1.0].map(|sign| (root + sign * momentum) / (2.0 * across))
}

#[test]
fn whirls_of_a_disc_part_by_its_speed() {
    let folder = tempfile::tempdir().unwrap();
    let file = tilting(folder.path());
    let sweep = "--sweep speed=0:100:6 --campbell speed --orders 1,0.5";
    // From rest on, where both have one frequency and any shapes; along turning axes frequencies differ by the speed.
    for (axes, shift) in [
        ("", 0.0),
        (" --turning-with shaft", 1.0),
        (" --turning-with hub", 1.0),
    ] {
        let found = swept(&file, &format!("{sweep}{axes}"));
        let modes = found["modes"].as_array().unwrap();
        assert_eq!(modes.len(), 2, "{axes}");
        let mut seen = [false; 2];
        for mode in modes {
            let points = mode["points"].as_array().unwrap();
            let last = &points[points.len() - 1]["imaginary"].as_f64().unwrap();
            let is_forward = (last - (whirls(100.0)[0] - 100.0 * shift)).abs() < 1e-6;
            seen[usize::from(is_forward)] = true;
            for point in points {
                let speed = point["value"].as_f64().unwrap();
                let [forward, backward] = whirls(speed);
                let wanted = if is_forward {
                    forward - shift * speed
                } else {
                    backward + shift * speed
                };
                near(&point["imaginary"], wanted, 1e-9);
                if speed > 0.0 {
                    near(&point["whirl"], if is_forward { 1.0 } else { -1.0 }, 1e-6);
                    assert!(point["mac"].as_f64().unwrap() > 0.9);
                }
            }
        }
        assert_eq!(seen, [true; 2], "{axes}");
    }
    let found = swept(&file, sweep);
    let critical = found["critical_speeds"].as_array().unwrap();
    // Order n meets the backward whirl where J Ω² n² + J₃ Ω² n = k; the forward one of this flat disc is always above.
    let at = |n: f64| (90.0 / (0.02 * n * n + 0.03 * n)).sqrt();
    assert_eq!(critical.len(), 2);
    for (own, order) in critical.iter().zip([1.0, 0.5]) {
        near(&own["order"], order, 0.0);
        near(&own["value"], at(order), 1e-9);
        near(&own["whirl"], -1.0, 1e-6);
        near(
            &own["frequency_hz"],
            order * at(order) / std::f64::consts::TAU,
            1e-9,
        );
    }
    assert_eq!(found["events"], json!([]));
}

#[test]
fn damping_that_turns_makes_a_rotor_whirl() {
    let folder = tempfile::tempdir().unwrap();
    let file = travelling(folder.path());
    let found = swept(&file, "--sweep speed=0:200:5 --campbell speed");
    // m z" + (c_e + c_i) z' + (k − i Ω c_i) z = 0 grows from Ω = √(k/m) (1 + c_e/c_i) on.
    let range = &found["unstable"][0];
    near(&range["from"], 80.0, 1e-8);
    near(&range["to"], 200.0, 0.0);
    let event = &found["events"][0];
    assert_eq!(
        (&event["kind"], &event["modes"]),
        (&json!("flutter"), &json!([range["mode"]]))
    );
    near(&event["value"], 80.0, 1e-8);
    near(&found["modes"][0]["points"][0]["damping_ratio"], 0.05, 1e-9);
    let critical = found["critical_speeds"].as_array().unwrap();
    let whirls: Vec<f64> = critical
        .iter()
        .map(|own| own["whirl"].as_f64().unwrap().round())
        .collect();
    assert_eq!(whirls.len(), 2);
    assert!(
        whirls.contains(&1.0) && whirls.contains(&-1.0),
        "{whirls:?}"
    );
    // λ² + 2 λ + 400 − i Ω/2 = 0 with Im λ = Ω: both parts.
    for own in critical {
        let speed = own["value"].as_f64().unwrap();
        let sign = own["whirl"].as_f64().unwrap().signum();
        let x = sign * 0.25 - 1.0;
        near(&json!(x * x + 2.0 * x + 400.0 - speed * speed), 0.0, 1e-6);
    }
    let words = [
        "modes",
        path(&file),
        "--sweep",
        "speed=0:200:5",
        "--campbell",
        "speed",
    ];
    let said = succeeds(&words);
    for part in [
        "rotor: modes over speed [rad/s] from 0 to 200.000, 5 values and 0 between",
        "mode 1: part \"disc\" along ",
        "at speed = 80.0000 rad/s: mode ",
        "begins to grow, and oscillates with 3.18310 Hz",
        "is unstable from speed = 80.0000 rad/s to 200.000 (end of the sweep): its real part is 1.48400 1/s at most, at 200.000",
        "critical at speed = 19.9",
        "whirl forward 1.00",
        "whirl backward 1.00",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn files_of_a_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let file = travelling(folder.path());
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (csv, locus, diagram) = (place("a.csv"), place("locus.svg"), place("campbell.svg"));
    let said = succeeds(&[
        "modes",
        path(&file),
        "--sweep",
        "speed=1:100:3",
        "--logarithmic",
        "--campbell",
        "speed",
        "--orders",
        "1,2",
        "-o",
        &csv,
        "--plot",
        &locus,
        "--diagram",
        &diagram,
    ]);
    assert!(said.contains("3 values"), "{said}");
    let table = fs::read_to_string(&csv).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("speed,mode 1 frequency,mode 1 damping ratio,mode 1 re,mode 1 im,mode 1 MAC,mode 1 whirl,mode 2 "));
    assert!(
        rows[2].starts_with("10,") && rows[3].starts_with("100,"),
        "{table}"
    );
    let locus = fs::read_to_string(&locus).unwrap();
    assert!(locus.contains("imaginary part [rad/s]") && locus.matches("<circle").count() == 2);
    let diagram = fs::read_to_string(&diagram).unwrap();
    assert!(
        diagram.contains("speed [rad/s]")
            && diagram.contains(">order 1<")
            && diagram.contains(">order 2<")
    );
    // Both orders meet both whirls.
    assert_eq!(diagram.matches("<circle").count(), 4);
    let printed = succeeds(&["modes", path(&file), "--sweep", "speed=1,10,100", "-o", "-"]);
    assert_eq!(
        printed.lines().nth(2).unwrap().split(',').next(),
        Some("10")
    );
}

#[test]
fn sweeps_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = travelling(folder.path());
    let run = |code: i32, words: &str| {
        let all: Vec<&str> = ["modes", path(&file)]
            .into_iter()
            .chain(words.split_whitespace())
            .collect();
        ends_with(code, &all)
    };
    for (code, words, wanted) in [
        (
            1,
            "--sweep sped=0:1:2",
            "--sweep: unknown parameter or input \"sped\"",
        ),
        (2, "--sweep speed=1:0:2", "expected NAME=FROM:TO:N"),
        (
            2,
            "--sweep speed=0:1:2 --logarithmic",
            "equal ratios need a first value above 0",
        ),
        (
            2,
            "--sweep speed=0:1:2 --campbell load",
            "the speed must be the parameter of --sweep, \"speed\"",
        ),
        (
            1,
            "--sweep load=0:1:2 --campbell load",
            "\"load\" has the unit N; valid: an angle per time",
        ),
        (
            2,
            "--sweep speed=0:1:2 --set speed=3",
            "--sweep and --set both give \"speed\" values",
        ),
        (2, "--sweep speed=0:1:2 --energy 1", "cannot be used with"),
        (
            1,
            "--turning-with disk",
            "--turning-with: unknown part or marker \"disk\"",
        ),
    ] {
        let said = run(code, words);
        assert!(said.contains(wanted), "{words}: {said}");
    }
}

/// A single state can be shown along turning axes by every command.
#[test]
fn one_state_along_turning_axes() {
    let folder = tempfile::tempdir().unwrap();
    let file = tilting(folder.path());
    let at = |words: &[&str]| {
        let own = [&["modes", path(&file), "--set", "speed=20"], words].concat();
        String::from_utf8(fixstep(&own).stdout).unwrap()
    };
    let (rest, turning) = (at(&[]), at(&["--turning-with", "shaft"]));
    assert!(
        rest.contains("+-53.7386") && rest.contains("+-83.7386"),
        "{rest}"
    );
    assert!(
        turning.contains("+-73.7386") && turning.contains("+-63.7386"),
        "{turning}"
    );
    let linear = succeeds(&[
        "linearize",
        path(&file),
        "--set",
        "speed=20",
        "--turning-with",
        "shaft",
        "--json",
    ]);
    let linear: Value = serde_json::from_str(&linear).unwrap();
    // The trace of A² is twice the sum of the squares of ±i ω.
    let a: Vec<Vec<f64>> = serde_json::from_value(linear["A"].clone()).unwrap();
    let trace: f64 = (0..4)
        .flat_map(|r| (0..4).map(move |c| (r, c)))
        .map(|(r, c)| a[r][c] * a[c][r])
        .sum();
    let [forward, backward] = whirls(20.0);
    near(
        &json!(trace),
        -2.0 * ((forward - 20.0).powi(2) + (backward + 20.0).powi(2)),
        1e-9,
    );
}

#[test]
fn a_sweep_tells_the_modes_that_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let file = tilting(folder.path());
    let sweep = "--sweep speed=10:100:4 --campbell speed";
    let numbers = |words: &str| -> Vec<u64> {
        let found = swept(&file, &format!("{sweep} {words}"));
        let modes = found["modes"].as_array().unwrap().iter();
        modes.map(|mode| mode["mode"].as_u64().unwrap()).collect()
    };
    let all = numbers("");
    assert_eq!(all.len(), 2);
    let first = all[0];
    assert_eq!(numbers(&format!("--include {first}")), [first]);
    assert_eq!(numbers(&format!("--exclude {first}")), [all[1]]);
    let words = [
        "modes",
        path(&file),
        "--sweep",
        "speed=10,20",
        "--include",
        "99",
    ];
    let said = ends_with(2, &words);
    assert!(
        said.contains("--include: \"99\" names no mode; valid numbers are 1 to"),
        "{said}"
    );
    // The lines of order reach a fraction of the modes: these are cut off, and the picture says so, unless all are above.
    let wide = [
        "modes",
        path(&file),
        "--sweep",
        "speed=0,60,400",
        "--campbell",
        "speed",
        "--orders",
        "0.2",
        "--diagram",
        "-",
    ];
    let picture = succeeds(&wide);
    assert!(
        picture.contains("which no line of order reaches, are left out"),
        "{picture}"
    );
}
