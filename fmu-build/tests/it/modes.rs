//! Tests of `fixstep modes`.

use std::f64::consts::TAU;
use std::fs;

use serde_json::{Value, json};

use crate::setup::{data_of, ends_with, fixstep, path, succeeds};

/// A mass of 2 kg on a spring and damper along x (20 rad/s, ζ = 0.1), and one that slides along y.
fn model() -> Value {
    json!({
        "fixstep": 1, "name": "two", "gravity": [0, 0, 0],
        "parts": [
            {"name": "held", "mass": 2, "position": [1, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "loose", "mass": 3, "inertia": {"xx": 1, "yy": 1, "zz": 1}}
        ],
        "markers": [
            {"name": "origin", "part": "ground"},
            {"name": "gx", "part": "ground", "position": [1, 0, 0], "orientation": {"z_point": [2, 0, 0], "x_point": [1, 1, 0]}},
            {"name": "gy", "part": "ground", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}},
            {"name": "p", "part": "held"},
            {"name": "h", "part": "held", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "l", "part": "loose", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}}
        ],
        "joints": [
            {"name": "jx", "type": "translational", "i": "h", "j": "gx"},
            {"name": "jy", "type": "translational", "i": "l", "j": "gy"}
        ],
        "inputs": [{"name": "f", "unit": "N"}],
        "outputs": [{"name": "x", "expression": "DX(p)"}],
        "forces": [
            {"name": "spring", "type": "spring_damper", "i": "p", "j": "origin", "stiffness": 800, "damping": 8, "length": 1},
            {"name": "push", "type": "action_only_force", "i": "p", "j": "gx", "expression": "f"}
        ]
    })
}

#[test]
fn modes_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.json");
    fs::write(&file, model().to_string()).unwrap();
    let file = path(&file);
    let output = fixstep(&[
        "modes",
        file,
        "--energy",
        "ALL",
        "--shapes",
        "3",
        "--participation",
        "3",
    ]);
    assert!(output.status.success());
    let (said, notes) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert!(said.contains("two, 0 s: 4 states, 3 modes"), "{said}");
    assert!(
        notes.contains("one rigid motion: part \"loose\" is free along y"),
        "{notes}"
    );
    let row: Vec<&str> = said
        .lines()
        .find(|line| line.trim_start().starts_with("3 "))
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(row[6..].join(" "), "part \"held\" along x 100 %");
    assert_eq!(
        row[..6],
        [
            "3",
            "3.18310",
            "20.0000",
            "0.100000",
            "-2.00000",
            "+-19.8997"
        ]
    );
    // A spring along x works on nothing else.
    let (_, strain) = said.rsplit_once("strain energy, %").unwrap();
    let spring: Vec<&str> = strain.lines().nth(1).unwrap().split_whitespace().collect();
    let dashes = ["-"; 6];
    assert_eq!(spring[..3], ["spring", "100.000", "100.000"], "{said}");
    assert_eq!(spring[3..], dashes, "{said}");
}

#[test]
fn modes_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.json");
    fs::write(&file, model().to_string()).unwrap();
    let file = path(&file);
    let told = succeeds(&[
        "modes",
        file,
        "--json",
        "--energy",
        "3",
        "--shapes",
        "ALL,-1",
        "--participation",
        "3",
    ]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let modes = told["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 3);
    assert_eq!(modes[0]["kind"], "zero");
    assert!(modes[0].get("shape").is_none() && modes[1].get("shape").is_some());
    let pair = &modes[2];
    assert_eq!(pair["kind"], "pair");
    let near = |got: &Value, wanted: f64| {
        let got = got.as_f64().unwrap();
        assert!((got - wanted).abs() < 1e-10, "{got} for {wanted}");
    };
    near(&pair["frequency"], 20.0);
    near(&pair["damping_ratio"], 0.1);
    // Unit modal mass: 2 kg · (1/√2)² = 1.
    near(&pair["shape"][0]["translation"][0][0], 0.5_f64.sqrt());
    near(&pair["energies"]["kinetic"][0][1][0], 100.0);
    near(&pair["energies"]["strain"][0][1][0], 100.0);
    // The residue of 1/(2 s² + 8 s + 800): 1/(2 · 2 j ω_d).
    let part = |of: &Value| [0, 1].map(|k| of[1][k].as_f64().unwrap());
    let [[a, b], [c, d]] = [
        part(&pair["participation"]["inputs"][0]),
        part(&pair["participation"]["outputs"][0]),
    ];
    assert!((a * c - b * d).abs() < 1e-12);
    assert!((a * d + b * c + 1.0 / (4.0 * 396.0_f64.sqrt())).abs() < 1e-12);
}

#[test]
fn lists_and_switches() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.json");
    fs::write(&file, model().to_string()).unwrap();
    let file = path(&file);
    let said = ends_with(2, &["modes", file, "--energy", "1;2"]);
    assert!(
        said.contains("--energy: \"1;2\" is not a list of modes; valid:"),
        "{said}"
    );
    let told = |words: &[&str]| -> Vec<u64> {
        let said = succeeds(&[&["modes", file, "--json"], words].concat());
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["found"], 3);
        let modes = said["modes"].as_array().unwrap().iter();
        modes.map(|mode| mode["mode"].as_u64().unwrap()).collect()
    };
    assert_eq!(told(&["--include", "2:3"]), [2, 3]);
    assert_eq!(told(&["--exclude", "2"]), [1, 3]);
    assert_eq!(told(&["--include", "1, 3", "--exclude", "ALL,-3"]), [3]);
    let said = ends_with(2, &["modes", file, "--exclude", "0"]);
    assert!(
        said.contains("--exclude: \"0\" is not a list of modes"),
        "{said}"
    );
    let undamped = succeeds(&["modes", file, "--damping", "off", "--balancing", "on"]);
    assert!(undamped.contains("+-20.0000"), "{undamped}");
    assert!(
        undamped.contains("the matrix was balanced, as requested"),
        "{undamped}"
    );
}

/// A car at 20 m/s that has settled: what its chassis and its wheels do, in words.
#[test]
fn ride_modes_of_the_vehicle() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/vehicle/model.json");
    let told = succeeds(&["modes", model, "--at", "0.9", "--json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let pairs = told["modes"].as_array().unwrap().iter();
    let pairs: Vec<(f64, &str)> = pairs
        .filter(|mode| mode["kind"] == "pair")
        .map(|mode| {
            let moves = mode["moves"].as_str().unwrap();
            (mode["frequency_hz"].as_f64().unwrap(), moves)
        })
        .collect();
    // Bounce, pitch and roll of the chassis by the first words, once each from 0.8 to 4 Hz: in this order.
    let mut last = 0.8;
    for (name, start) in [
        ("bounce", "part \"chassis\" along z "),
        ("pitch", "part \"chassis\" about y "),
        ("roll", "part \"chassis\" about x "),
    ] {
        let own: Vec<f64> = pairs
            .iter()
            .filter(|(f, moves)| (0.8..4.0).contains(f) && moves.starts_with(start))
            .map(|(f, _)| *f)
            .collect();
        assert_eq!(own.len(), 1, "{name}: {pairs:?}");
        assert!(own[0] > last, "{name}: {own:?}");
        last = own[0];
    }
    // Wheels hop: two in front and two behind, one mode each for together and against each other.
    let hops = pairs.iter().filter(|(f, moves)| {
        (8.0..20.0).contains(f)
            && moves.contains(".wheel\" along z ")
            && moves.starts_with("part \"")
    });
    assert_eq!(hops.count(), 4, "{pairs:?}");
}

/// Four tyres at zero camber give one note.
#[test]
fn what_bends_alike_is_told_once() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/vehicle/model.json");
    let said = ends_with(0, &["modes", model, "--include", "NONE"]);
    let told =
        "each of forces \"fl_tyre\", \"fr_tyre\", \"rl_tyre\", \"rr_tyre\" is at camber 0 exactly";
    assert!(said.contains(told), "{said}");
    assert_eq!(said.matches("camber 0 exactly").count(), 1, "{said}");
}

/// A row for each mode, and notes on options without effect.
#[test]
fn modes_as_a_table_and_what_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (file, table, page) = (at("two.json"), at("modes.csv"), at("modes.html"));
    fs::write(&file, model().to_string()).unwrap();
    let says = |code: i32, words: &str| {
        let all = ["modes", path(&file)].into_iter();
        ends_with(code, &all.chain(words.split(' ')).collect::<Vec<_>>())
    };
    let words = format!(
        "-o {} --report {} --include 3 --energy 2:3",
        path(&table),
        path(&page)
    );
    let said = says(0, &words);
    assert!(
        said.contains(
            "--energy: nothing is shown for mode 2, which --include or --exclude leaves out"
        ),
        "{said}"
    );
    let text = fs::read_to_string(&table).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(
        rows[0],
        "mode,frequency [Hz],damping ratio,real [1/s],imaginary [rad/s],loss factor,moves mostly"
    );
    assert!(rows.len() == 2 && rows[1].ends_with("\"part \"\"held\"\" along x 100 %\""));
    let numbers = rows[1].split(',').take(6).map(|x| x.parse().unwrap());
    let wanted = [3.0, 20.0 / TAU, 0.1, -2.0, 19.899_748_742_132_4, 0.2];
    for (got, wanted) in numbers.zip(wanted) {
        let got: f64 = got;
        assert!((got / wanted - 1.0).abs() < 1e-9, "{got} for {wanted}");
    }
    // The page has the modes that are told.
    let page = data_of(&page);
    assert_eq!(page["shapes"].as_array().unwrap().len(), 1);
    let page = page.to_string();
    assert!(page.contains("1 of 3 modes are shown") && !page.contains("loose\\\" along"));
    assert!(
        says(0, "--energy ALL --exclude 1")
            .matches("--energy")
            .count()
            == 0
    );
    for (code, words, told) in [
        (0, "--pade 3", "the mechanism has no DELAY"),
        (
            0,
            "--turning-with held",
            "part \"held\" does not turn at this state",
        ),
        (0, "--at 0.0105", "the form is that of this time"),
        (
            0,
            "--sweep f=0,1 --at 0.0105",
            "the last one before it is at 0.0100000 s",
        ),
        (2, "--sweep f=0,1 --orders 2", "--campbell <NAME>"),
        (2, "--evaluations 9", "--sweep <NAME"),
        (2, "--step 0.01", "--at <T>"),
        (2, "--json -o -", "--output - and --json both write"),
        (
            2,
            "--sweep f=0,1 --json --plot -",
            "--plot - and --json both write",
        ),
    ] {
        let said = says(code, words);
        assert!(said.contains(told), "{words}\n{said}");
    }
    assert!(!says(0, "--at 0.02").contains("note: --at"));
}

/// Joints and motions hold the whole mechanism.
#[test]
fn what_is_locked_has_no_modes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("locked.json");
    let mut locked = model();
    for joint in [0, 1] {
        locked["joints"][joint]["type"] = json!("fixed");
    }
    fs::write(&file, locked.to_string()).unwrap();
    for words in [
        &["modes", path(&file)][..],
        &["modes", path(&file), "--sweep", "f=0,1"],
        &["modes", path(&file), "--effective-mass"],
        &["linearize", path(&file)],
        &["response", path(&file), "--at-frequency", "1"],
    ] {
        let said = ends_with(0, words);
        assert!(said.contains("no degree of freedom left"), "{said}");
        assert!(!said.contains("damping ratio"), "{said}");
    }
    let all: Value = serde_json::from_str(&succeeds(&["modes", path(&file), "--json"])).unwrap();
    assert!(
        all["notes"][0]
            .as_str()
            .unwrap()
            .starts_with("the mechanism has no degree of freedom left")
    );
}

/// Two masses of 3 kg between springs of 1200 N/m in a row, the second one a metre beside the line.
fn chain() -> Value {
    let axis = |x: f64, y: f64| json!({"z_point": [x + 1.0, y, 0], "x_point": [x, y + 1.0, 0]});
    let mut all = json!({
        "fixstep": 1, "name": "chain", "gravity": [0, 0, 0], "parts": [], "joints": [], "forces": [],
        "markers": [{"name": "p0", "part": "ground"}]
    });
    for (k, y) in [(1, 0.0), (2, 1.0)] {
        let name = |letter: &str| format!("{letter}{k}");
        let mut push = |list: &str, what: Value| all[list].as_array_mut().unwrap().push(what);
        let inertia = json!({"xx": 1, "yy": 1, "zz": 1});
        push(
            "parts",
            json!({"name": name("m"), "mass": 3, "position": [k, y, 0], "inertia": inertia}),
        );
        push(
            "markers",
            json!({"name": name("g"), "part": "ground", "position": [k, y, 0], "orientation": axis(f64::from(k), y)}),
        );
        push(
            "markers",
            json!({"name": name("i"), "part": name("m"), "orientation": axis(0.0, 0.0)}),
        );
        push(
            "markers",
            json!({"name": name("p"), "part": name("m"), "position": [0, -y, 0]}),
        );
        push(
            "joints",
            json!({"name": name("j"), "type": "translational", "i": name("i"), "j": name("g")}),
        );
        push(
            "forces",
            json!({"name": name("k"), "type": "spring_damper", "i": name("p"), "j": format!("p{}", k - 1),
            "stiffness": 1200, "damping": 900 * (2 - k), "length": 1}),
        );
    }
    all
}

/// Two equal masses in a row, the second one beside the line, with shapes (1, g) and (g, −1) of the golden ratio g; a damper that makes
/// two real roots changes nothing.
#[test]
fn effective_masses_of_a_chain_have_their_closed_form() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chain.json");
    fs::write(&file, chain().to_string()).unwrap();
    let words = ["modes", path(&file), "--effective-mass"];
    let told: Value = serde_json::from_str(&succeeds(&[&words[..], &["--json"]].concat())).unwrap();
    let told = &told["effective_mass"];
    let golden = f64::midpoint(1.0, 5_f64.sqrt());
    let near = |got: &Value, wanted: f64| {
        let got = got.as_f64().unwrap();
        assert!(
            (got - wanted).abs() < 1e-9 * wanted.abs().max(1e-3),
            "{got} for {wanted}"
        );
    };
    for (k, (first, second)) in [(1.0, golden), (golden, -1.0)].into_iter().enumerate() {
        let mode = &told["modes"][k];
        let stiffness = 1200.0 / 3.0 * (first - second).powi(2) + 400.0 * first * first;
        let square = first * first + second * second;
        near(&mode["frequency_hz"], (stiffness / square).sqrt() / TAU);
        near(&mode["masses"][0], 3.0 * (first + second).powi(2) / square);
        // About z through the middle: one is half a metre below, one above.
        near(
            &mode["masses"][5],
            3.0 * 0.25 * (first - second).powi(2) / square,
        );
        near(&mode["masses"][1], 0.0);
    }
    for (j, (sum, rigid)) in [
        (6.0, 6.0),
        (0.0, 6.0),
        (0.0, 6.0),
        (0.0, 3.5),
        (0.0, 3.5),
        (1.5, 5.0),
    ]
    .into_iter()
    .enumerate()
    {
        near(&told["sum"][j], sum);
        near(&told["rigid"][j], rigid);
    }
    let text = succeeds(&words);
    assert!(
        text.contains("undamped  frequency, Hz") && text.contains("5.68328"),
        "{text}"
    );
    let said = ends_with(2, &[&words[..], &["--turning-with", "m1"]].concat());
    assert!(said.contains("cannot be used with"), "{said}");
}
