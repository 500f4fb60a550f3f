//! Tests of `fixstep response`: its text, its files, and what it refuses.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use fixstep_kernel::math;
use serde_json::{Value, json};

use crate::setup::{ends_with, path, succeeds};

/// A mass on a spring and a damper on a base that an input drives, and a force on it.
pub(crate) fn model(folder: &Path) -> std::path::PathBuf {
    let axis = |x: f64| json!({"z_point": [x + 1.0, 0, 0], "x_point": [x, 1, 0]});
    let part = |name: &str, x: f64| json!({"name": name, "mass": 2, "position": [x, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}});
    let model = json!({
        "fixstep": 1, "name": "shaken", "gravity": [0, 0, 0],
        "parts": [part("base", 1.0), part("mass", 2.0)],
        "markers": [
            {"name": "x", "part": "ground", "orientation": axis(0.0)},
            {"name": "g1", "part": "ground", "position": [1, 0, 0], "orientation": axis(1.0)},
            {"name": "g2", "part": "ground", "position": [2, 0, 0], "orientation": axis(2.0)},
            {"name": "i1", "part": "base", "orientation": axis(0.0)},
            {"name": "i2", "part": "mass", "orientation": axis(0.0)},
            {"name": "p1", "part": "base"}, {"name": "p2", "part": "mass"}
        ],
        "joints": [
            {"name": "r1", "type": "translational", "i": "i1", "j": "g1"},
            {"name": "r2", "type": "translational", "i": "i2", "j": "g2"}
        ],
        "motions": [{"name": "shake", "joint": "r1", "displacement": "road"}],
        "inputs": [{"name": "road", "unit": "m"}, {"name": "force", "unit": "N"}],
        "forces": [
            {"name": "k", "type": "spring_damper", "i": "p2", "j": "p1", "stiffness": 800, "damping": 8, "length": 1},
            {"name": "push", "type": "action_only_force", "i": "p2", "j": "x", "expression": "force"}
        ],
        "outputs": [
            {"name": "z", "unit": "m", "expression": "DX(p2)-2"},
            {"name": "a", "unit": "m/s^2", "expression": "ACCX(p2)"}
        ]
    });
    let file = folder.join("shaken.json");
    fs::write(&file, model.to_string()).unwrap();
    file
}

pub(crate) fn response(file: &Path, words: &str) -> Value {
    let all: Vec<&str> = ["response", path(file)]
        .into_iter()
        .chain(words.split_whitespace())
        .collect();
    serde_json::from_str(&succeeds(&[&all[..], &["--json"]].concat())).unwrap()
}

pub(crate) fn number(of: &Value) -> f64 {
    of.as_f64().unwrap()
}

pub(crate) fn near(got: f64, wanted: f64, part: f64) {
    assert!((got / wanted - 1.0).abs() < part, "{got} for {wanted}");
}

#[test]
fn responses_have_their_closed_form() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let found = response(&file, "--by force --show z --from 0 --to 10 --points 11");
    let line = &found["responses"][0];
    assert_eq!(
        (&line["output"], &line["input"], &line["unit"]),
        (&json!("z"), &json!("force"), &json!("m/N"))
    );
    near(number(&line["re"][0]), 1.0 / 800.0, 1e-12);
    let zeta = 8.0 / (2.0 * 2.0 * 20.0);
    let peak = &line["peaks"][0];
    near(
        number(&peak["frequency"]),
        20.0 / std::f64::consts::TAU * (1.0_f64 - 2.0 * zeta * zeta).sqrt(),
        1e-6,
    );
    near(
        number(&peak["magnitude"]),
        1.0 / (1600.0 * zeta * (1.0 - zeta * zeta).sqrt()),
        1e-9,
    );
    assert_eq!(
        (&found["asked"], &found["refined_modes"]),
        (&json!(11), &json!(1))
    );
    let count = found["frequencies"].as_array().unwrap().len();
    assert!(count > 11 && line["im"].as_array().unwrap().len() == count);
    // Far above the mode the acceleration is force over mass; the sum over modes says the same.
    let found = response(
        &file,
        "--excite force=3,90 --show a --from 1e3 --to 2e3 --points 2 --modal",
    );
    near(number(&found["responses"][0]["im"][1]), 1.5, 1e-3);
    assert_eq!(found["responses"][0]["unit"], "m/s^2");
}

#[test]
fn a_base_is_told_by_its_acceleration() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let told = response(
        &file,
        "--base road=acceleration --by road --show a --from 1e-3 --to 2e-3 --points 2",
    );
    let line = &told["responses"][0];
    assert_eq!(line["unit"], "(m/s^2)/(m/s^2)");
    near(number(&line["re"][0]), 1.0, 1e-6);
    let said = ends_with(2, &["response", path(&file), "--base", "force=velocity"]);
    assert!(said.contains("input \"force\" drives no motion"), "{said}");
}

#[test]
fn random_excitation_has_mean_squares_by_bands() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let found = response(
        &file,
        "--psd force=0.5 --show z --from 0 --to 5000 --points 50 --bands 0,3,5000",
    );
    let own = &found["densities"][0];
    // σ² = G₀/(4 c k).
    let rms = (0.5_f64 / (4.0 * 8.0 * 800.0)).sqrt();
    near(number(&own["rms"]), rms, 1e-6);
    assert_eq!(own["density_unit"], "m^2/Hz");
    let band = |k: usize| number(&own["bands"][k]["rms"]);
    near(band(0).hypot(band(1)), rms, 1e-6);
    // The same from a table, and from one with a second input that has nothing to do with it.
    let table = folder.path().join("psd.csv");
    fs::write(&table, "frequency,force\n0,0.5\n5000,0.5\n").unwrap();
    let words = format!(
        "--psd force={} --show z --from 0 --to 5000 --points 50",
        path(&table)
    );
    near(
        number(&response(&file, &words)["densities"][0]["rms"]),
        rms,
        1e-6,
    );
    let cross = folder.path().join("cross.csv");
    fs::write(
        &cross,
        "frequency,force,road,force~road re,force~road im\n0,0.5,0,0,0\n5000,0.5,0,0,0\n",
    )
    .unwrap();
    let words = format!(
        "--cross {} --show z --from 0 --to 5000 --points 50",
        path(&cross)
    );
    near(
        number(&response(&file, &words)["densities"][0]["rms"]),
        rms,
        1e-6,
    );
    fs::write(
        &cross,
        "frequency,force,road,force~road re,force~road im\n0,0.5,1,1,0\n50,0.5,1,1,0\n",
    )
    .unwrap();
    let said = ends_with(1, &["response", path(&file), "--cross", path(&cross)]);
    assert!(
        said.contains("\"road\" and \"force\"") || said.contains("\"force\" and \"road\""),
        "{said}"
    );
    assert!(said.contains("at most their product"), "{said}");
}

#[test]
fn a_history_excites_by_its_densities() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let table = folder.path().join("measured.csv");
    let mut text = String::from("time,force\n");
    let mut state = 1_u64;
    for k in 0..1024 {
        state = (1_103_515_245 * state + 12_345) % (1 << 31);
        let value = state as f64 / f64::from(1 << 30) - 1.0;
        writeln!(text, "{},{value}", f64::from(k) * 0.01).unwrap();
    }
    fs::write(&table, text).unwrap();
    let words = [
        "response",
        path(&file),
        "--history",
        path(&table),
        "--segment",
        "256",
        "--show",
        "z",
        "--from",
        "0.5",
        "--to",
        "40",
    ];
    let said = ends_with(0, &words);
    assert!(
        said.contains("7 segments of 256 samples: resolution 0.3906 Hz, up to 50.0000 Hz"),
        "{said}"
    );
    assert!(said.contains("z [m]: rms "), "{said}");
    let words = [
        "response",
        path(&file),
        "--history",
        path(&table),
        "--segment",
        "100",
    ];
    let said = ends_with(1, &words);
    assert!(
        said.contains("segments of 100 samples: valid is a power of two"),
        "{said}"
    );
}

#[test]
fn modes_and_coordinates_at_a_frequency_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let found = response(
        &file,
        "--excite force=2 --show z --participation 3 --shape 3 --from 1 --to 5",
    );
    let own = &found["participation"][0];
    let turned = |of: &Value| {
        let (magnitude, phase) = (number(&of["magnitude"]), number(&of["phase"]).to_radians());
        [magnitude * math::cos(phase), magnitude * math::sin(phase)]
    };
    let mut sum = turned(&own["direct"]);
    for mode in own["modes"].as_array().unwrap() {
        let [re, im] = turned(mode);
        sum = [sum[0] + re, sum[1] + im];
    }
    let whole = turned(own);
    assert!((sum[0] - whole[0]).hypot(sum[1] - whole[1]) < 1e-10 * number(&own["magnitude"]));
    let state = found["state"]["coordinates"].as_array().unwrap();
    let moved = state
        .iter()
        .find(|c| c["coordinate"] == "part \"mass\", displacement along x")
        .unwrap();
    near(
        number(&moved["magnitude"]),
        number(&own["magnitude"]),
        1e-10,
    );
    let said = ends_with(2, &["response", path(&file), "--shape", "3"]);
    assert!(
        said.contains("--shape: what excites the mechanism?"),
        "{said}"
    );
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let wrong =
        |code: i32, words: &[&str]| ends_with(code, &[&["response", path(&file)], words].concat());
    let said = wrong(2, &["--psd", "force=1", "--excite", "road=1"]);
    assert!(
        said.contains("--excite and --psd: amplitudes and power spectral densities do not add"),
        "{said}"
    );
    let said = wrong(2, &["--bands", "1,2"]);
    assert!(
        said.contains("root mean squares are of random excitation"),
        "{said}"
    );
    let said = wrong(2, &["--psd", "force=1", "--bands", "2,1"]);
    assert!(said.contains("frequencies that rise"), "{said}");
    let said = wrong(2, &["--psd", "forse=1"]);
    assert!(
        said.contains("unknown input \"forse\"; did you mean \"force\"?"),
        "{said}"
    );
    let said = wrong(1, &["--psd", "force=-1"]);
    assert!(said.contains("density of input \"force\" is -1"), "{said}");
    let said = wrong(2, &["--from", "0", "--logarithmic"]);
    assert!(said.contains("first frequency above 0"), "{said}");
    let said = wrong(1, &["--base", "road=velocity", "--from", "0"]);
    assert!(
        said.contains("output \"z\" by input \"road\" is unbounded at 0 Hz")
            && said.contains("--show"),
        "{said}"
    );
}

/// No message about outputs that are not requested, also at 0 Hz: a constant acceleration of the base is that of the
/// mass.
#[test]
fn what_is_not_asked_for_needs_no_bound() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let words = "--base road=acceleration --by road --show a --from 0 --to 5 --points 3";
    let found = response(&file, words);
    near(number(&found["responses"][0]["re"][0]), 1.0, 1e-12);
    // Densities and amplitudes likewise, of inputs that nothing excites too.
    let base = "--base road=acceleration --from 0 --to 5 --points 3";
    let found = response(&file, &format!("{base} --show a --psd road=2"));
    near(number(&found["densities"][0]["density"][0]), 2.0, 1e-12);
    let found = response(&file, &format!("{base} --excite force=8"));
    near(number(&found["responses"][0]["re"][0]), 0.01, 1e-12);
    let words = format!("response {} {base} --psd road=2", path(&file));
    let said = ends_with(1, &words.split_whitespace().collect::<Vec<&str>>());
    assert!(said.contains("output \"z\" is unbounded at 0 Hz"), "{said}");
}

#[test]
fn tables_and_pictures_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let at = |name: &str| folder.path().join(name);
    let (table, bode, nyquist) = (at("frf.csv"), at("bode.svg"), at("nyquist.svg"));
    let words = [
        "response",
        path(&file),
        "--by",
        "force",
        "--show",
        "z",
        "--from",
        "0.1",
        "--to",
        "100",
        "--logarithmic",
    ];
    let files = [
        "-o",
        path(&table),
        "--plot",
        path(&bode),
        "--nyquist",
        path(&nyquist),
    ];
    let said = succeeds(&[&words[..], &files].concat());
    assert!(
        said.contains("z by force [m/N]") && said.contains("  peak at 3."),
        "{said}"
    );
    let text = fs::read_to_string(&table).unwrap();
    assert!(text.starts_with(
        "frequency,z by force re,z by force im,z by force magnitude,z by force phase\n0.1,"
    ));
    let bode = fs::read_to_string(&bode).unwrap();
    assert!(
        bode.contains("frequency [Hz]")
            && bode.contains("phase [deg]")
            && bode.contains("magnitude")
    );
    assert!(
        fs::read_to_string(&nyquist)
            .unwrap()
            .contains("imaginary part")
    );
    // What one response writes another can take as its excitation: columns NAME re and NAME im.
    let spectrum = at("spectrum.csv");
    fs::write(&spectrum, "frequency,force re,force im\n1,0,2\n9,0,2\n").unwrap();
    let words = format!(
        "--spectrum {} --show z --from 2 --to 3 --points 2 --no-refine",
        path(&spectrum)
    );
    let by_table = response(&file, &words);
    let by_words = response(
        &file,
        "--excite force=2,90 --show z --from 2 --to 3 --points 2 --no-refine",
    );
    assert_eq!(
        by_table["responses"][0]["re"],
        by_words["responses"][0]["re"]
    );
}

#[test]
fn what_has_no_bound_or_no_excitation_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let changed = |push: &str, damping: f64| {
        let mut model: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        model["forces"][1]["expression"] = json!(push);
        model["forces"][0]["damping"] = json!(damping);
        let own = folder.path().join("changed.json");
        fs::write(&own, model.to_string()).unwrap();
        path(&own).to_owned()
    };
    let free = changed("force", 0.0);
    let random = ["response", &free, "--psd", "force=1"];
    let said = ends_with(1, &[&random[..], &["--to", "5"]].concat());
    assert!(
        said.contains("output \"z\": its root mean square is unbounded"),
        "{said}"
    );
    succeeds(&[&random[..], &["--to", "3"]].concat());
    let amplitudes = ["response", &free, "--by", "force", "--from", "0.1", "--to"];
    let said = ends_with(0, &[&amplitudes[..], &["5"]].concat());
    assert!(
        said.contains("modes without damping, at 3.1831 Hz"),
        "{said}"
    );
    let said = ends_with(0, &[&amplitudes[..], &["3"]].concat());
    assert!(!said.contains("without damping"), "{said}");
    let said = ends_with(
        0,
        &["response", &changed("force+VX(p2)", 0.0), "--by", "force"],
    );
    // s = c/2m ± …
    assert!(
        said.contains("unstable here: its root 0.25 ± 19.9984i 1/s"),
        "{said}"
    );
    let sound = changed("force", 8.0);
    let bands = |of: &str| {
        [
            "response", &sound, "--psd", "force=1", "--from", "1", "--to", "5", "--bands", of,
        ]
        .map(str::to_owned)
    };
    let ended = |code: i32, of: &str| {
        let words = bands(of);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        ends_with(code, &words)
    };
    assert!(ended(1, "10,20").contains("the band from 10 Hz to 20 Hz lies outside"));
    assert!(ended(0, "2,20").contains("outside 1 Hz to 5 Hz is left out"));
    assert!(!ended(0, "1,2,5").contains("note:"));
    fs::write(
        folder.path().join("far.csv"),
        "frequency,force\n20,1\n30,1\n",
    )
    .unwrap();
    let table = format!("force={}", path(&folder.path().join("far.csv")));
    let said = ends_with(0, &["response", &sound, "--psd", &table, "--to", "5"]);
    assert!(said.contains("zero at all these frequencies"), "{said}");
    let said = ends_with(
        2,
        &["response", &sound, "--psd", "force=1", "--psd", "force=2"],
    );
    assert!(said.contains("\"force\" has a density already"), "{said}");
}
