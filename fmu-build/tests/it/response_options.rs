//! Tests of `fixstep response`: options that exclude each other, densities between rows, and results that do not exist.

use std::fs;
use std::path::Path;

use fixstep_kernel::math;
use serde_json::{Value, json};

use crate::response::{model, near, number, response};
use crate::setup::{data_of, ends_with, path};

/// The output of the program, which must end with this code.
fn says(code: i32, file: &Path, words: &str) -> String {
    let all = ["response", path(file)].into_iter();
    ends_with(
        code,
        &all.chain(words.split_whitespace()).collect::<Vec<_>>(),
    )
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    for (words, told) in [
        ("--by road --excite force=1", "--by and --excite"),
        ("--by road --imbalance road,force=1", "--by and --imbalance"),
        ("--by road --psd force=1", "--by and --psd"),
        ("--at-frequency 3 --points 5", "--at-frequency and --points"),
        (
            "--at-frequency 3 --no-refine",
            "--at-frequency and --no-refine",
        ),
        (
            "--at-frequency 3 --psd force=1 --bands 1,5",
            "--at-frequency and --bands",
        ),
        (
            "--base road=velocity --base road=acceleration",
            "occurs twice",
        ),
        (
            "--psd force=1 --psd-interpolation log",
            "--psd-interpolation log and --psd NAME=VALUE",
        ),
        ("--psd-interpolation log", "--psd <"),
        ("--step 0.1", "--at <T>"),
        ("--json -o -", "--output - and --json both write"),
        ("--from -1", "a finite number from 0"),
        ("--points -1", "a whole number from 0"),
    ] {
        let said = says(2, &file, words);
        assert!(said.contains(told), "{words}\n{said}");
    }
    for (words, told) in [
        (
            "--base road=velocity --psd force=1",
            "input \"road\" is not excited here",
        ),
        ("--base road=velocity --by force", "only \"force\" is"),
    ] {
        let said = says(0, &file, words);
        assert!(said.contains(told), "{words}\n{said}");
    }
    let said = says(1, &file, "--psd force=1 --from 3 --to 3 --bands 1,5");
    assert!(said.contains("--bands: a root mean square is of"), "{said}");
    let said = says(1, &file, "--psd force=abc");
    assert!(
        said.contains("\"abc\" is neither a number nor a file"),
        "{said}"
    );
}

#[test]
fn a_density_at_one_frequency_has_no_root_mean_square() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let at = |name: &str| folder.path().join(name);
    let (table, plot, page) = (at("a.csv"), at("a.svg"), at("a.html"));
    let words = format!(
        "--psd force=1 --show z --at-frequency 3 -o {} --plot {} --report {}",
        path(&table),
        path(&plot),
        path(&page)
    );
    let said = says(0, &file, &words);
    assert!(said.contains("no rms: a root mean square is of"), "{said}");
    let page = data_of(&page).to_string();
    let [table, plot] = [table, plot].map(|file| fs::read_to_string(file).unwrap());
    assert!(table.starts_with("frequency,z\n"), "{table}");
    assert!(!table.contains("NaN") && !plot.contains("NaN") && !page.contains("NaN"));
    assert_eq!(plot.matches("<circle class=\"mark\"").count(), 1);
    assert!(!plot.contains("rms up to there"));
    assert!(page.contains("none: a root mean square") && !page.contains("all frequencies"));
    // Amplitudes are points as well, on all pictures.
    let curves = at("b.svg");
    let words = format!(
        "--by force --show z --at-frequency 3 --nyquist {}",
        path(&curves)
    );
    says(0, &file, &words);
    let curves = fs::read_to_string(curves).unwrap();
    assert!(curves.contains("<circle class=\"mark\""), "{curves}");
}

#[test]
fn what_a_table_lacks_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let table = folder.path().join("t.csv");
    for (option, text, told) in [
        (
            "--cross ",
            "frequency,road,road~force re,road~force im\n1,1,1,0\n5,1,1,0\n",
            "t.csv: there is no column \"force\"",
        ),
        (
            "--cross ",
            "frequency,road,force,road~force re\n1,1,1,0\n5,1,1,0\n",
            "t.csv: there is no column \"road~force im\" beside \"road~force re\"",
        ),
        (
            "--cross ",
            "frequency\n1\n2\n",
            "no column of an input beside \"frequency\"; valid: NAME, A~B re, A~B im, with the names of inputs: road, force",
        ),
        ("--spectrum ", "frequency\n1\n2\n", "no column of an input"),
        (
            "--psd force=",
            "frequency,force\n3,1\n",
            "one row is no density",
        ),
        (
            "--cross ",
            "frequency,force\n3,1\n",
            "one row is no density",
        ),
        (
            "--psd-interpolation log --psd force=",
            "frequency,force\n1,1\n3,0\n",
            "those of row 2 are not",
        ),
    ] {
        fs::write(&table, text).unwrap();
        let said = says(1, &file, &format!("{option}{}", path(&table)));
        assert!(said.contains(told), "{option}\n{text}{said}");
    }
    fs::write(&table, "frequency,force\n1,1\n3,1\n").unwrap();
    let said = says(2, &file, &format!("--psd force=1 --cross {}", path(&table)));
    assert!(said.contains("\"force\" has a density already"), "{said}");
}

#[test]
fn what_is_zero_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("ACCX(p2)", "DY(p2)")).unwrap();
    let by = "--show a --points 3";
    for (words, told) in [
        (by.to_owned(), "zero: this input does not move the output"),
        (
            format!("{by} --excite force=1"),
            "zero: the excitation does not move the output",
        ),
        (
            format!("{by} --psd force=1"),
            "zero: the excitation does not move the output",
        ),
    ] {
        let said = says(0, &file, &words);
        assert!(said.contains(told) && !said.contains("none"), "{said}");
    }
    let table = folder.path().join("far.csv");
    fs::write(&table, "frequency,force\n100,1\n200,1\n").unwrap();
    let words = format!("--show z --to 20 --spectrum {}", path(&table));
    let said = says(0, &file, &words);
    assert!(
        said.contains("zero: the excitation is zero at all these frequencies"),
        "{said}"
    );
}

/// A specification with straight lines on logarithmic axes: the output has the density of the base's acceleration.
#[test]
fn densities_between_rows_may_be_powers_of_the_frequency() {
    let folder = tempfile::tempdir().unwrap();
    let file = model(folder.path());
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("ACCX(p2)", "ACCX(p1)")).unwrap();
    let rows = [(20.0, 0.01), (80.0, 0.04), (350.0, 0.04), (2000.0, 0.007)];
    let table = folder.path().join("spec.csv");
    let lines = rows.map(|(f, density)| format!("{f},{density}\n"));
    fs::write(&table, format!("frequency,road\n{}", lines.concat())).unwrap();
    let (mut log, mut linear) = (0.0, 0.0);
    for pair in rows.windows(2) {
        let ((f, a), (g, b)): ((f64, f64), (f64, f64)) = (pair[0], pair[1]);
        let n = math::ln(b / a) / math::ln(g / f) + 1.0;
        // The last one falls by 3 dB per octave.
        log += if n.abs() < 1e-9 {
            a * f * math::ln(g / f)
        } else {
            a * f / n * (math::pow(g / f, n) - 1.0)
        };
        linear += f64::midpoint(a, b) * (g - f);
    }
    let words = format!(
        "--base road=acceleration --psd road={} --show a --from 1 --to 3000 --points 5",
        path(&table)
    );
    let rms = |more: &str| {
        let found: Value = response(&file, &format!("{words} {more}"));
        number(&found["densities"][0]["rms"])
    };
    near(rms("--psd-interpolation log"), log.sqrt(), 1e-9);
    near(rms(""), linear.sqrt(), 1e-9);
    // What numbers of the base mean is told.
    let said = says(0, &file, &words);
    assert!(
        said.contains("those of its acceleration, unit m/s^2; the motion's function reads it as the displacement, unit m"),
        "{said}"
    );
    let told =
        "the root mean square 7.14668; on logarithmic axes, as in specifications, it is 6.05818";
    assert!(said.contains(told), "{said}");
    let said = says(0, &file, &format!("{words} --psd-interpolation linear"));
    assert!(!said.contains("logarithmic axes"), "{said}");
    let found = response(
        &file,
        &format!("{words} --psd-interpolation log --bands 80,350"),
    );
    near(
        number(&found["densities"][0]["bands"][0]["rms"]),
        (0.04_f64 * 270.0).sqrt(),
        1e-9,
    );
    assert_eq!(found["densities"][0]["output"], json!("a"));
}
