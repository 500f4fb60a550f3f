//! Tests of `fixstep study`: its rows against single runs, and its table after kills, failures and full disks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use fmu_build::csv::{Table, number};

use crate::setup::{ends_with, example, fixstep, path, succeeds};

/// The description of a study of an example, in a folder.
pub(crate) fn describe(folder: &Path, model: &str, rest: &str) -> PathBuf {
    let file = folder.join("study.json");
    let model = serde_json::json!(example(model));
    let text = format!("{{fixstep_study: 1, name: \"s\", model: {model}, {rest}}}");
    fs::write(&file, text).unwrap();
    file
}

/// Many short runs of a model that swings: a second or two of work.
const MANY: &str = "method: \"monte_carlo\", runs: 100, seed: 5, run: {stop: 0.6},
  vary: [{parameter: \"suspension_damping\", from: 0.5, to: 4}, {input: \"road\", distribution: \"normal\", mean: 0, deviation: 20}],
  results: [{name: \"peak\", of: \"body_acceleration\", take: \"absolute_max\"},
            {name: \"x\", of: \"body_height - wheel_height\", take: \"rms\"}]";

fn table(folder: &Path) -> String {
    fs::read_to_string(folder.join("runs.csv")).unwrap()
}

#[test]
fn a_row_has_the_bits_of_a_single_run() {
    let folder = tempfile::tempdir().unwrap();
    let input = example("quarter_car").with_file_name("input.csv");
    let study = describe(
        folder.path(),
        "quarter_car",
        &format!(
            "run: {{stop: 1, input: {}}}, method: \"grid\", vary: [{{parameter: \"suspension_damping\", values: [0.3, 1.7, 4]}}],
             results: [{{name: \"most\", of: \"body_acceleration\", take: \"max\"}}, {{name: \"last\", of: \"wheel_load\", take: \"last\"}}],
             series: [\"body_height\"]",
            serde_json::json!(input)
        ),
    );
    let out = folder.path().join("out");
    succeeds(&["study", path(&study), "-o", path(&out)]);
    let rows = table(&out);
    for (run, damping) in ["0.3", "1.7", "4"].iter().enumerate() {
        let csv = folder.path().join("run.csv");
        let set = format!("suspension_damping={damping}");
        let model = example("quarter_car");
        succeeds(&[
            "run",
            path(&model),
            "--input",
            path(&input),
            "--stop",
            "1",
            "--set",
            &set,
            "--no-trial",
            "-o",
            path(&csv),
        ]);
        let single = Table::parse(&fs::read_to_string(&csv).unwrap()).unwrap();
        let column = |name: &str| {
            let at = single.names.iter().position(|it| it == name).unwrap();
            &single.columns[at]
        };
        let most = column("body_acceleration")
            .iter()
            .copied()
            .fold(f64::MIN, f64::max);
        let last = column("wheel_load").last().unwrap();
        let (most, last) = (number(most), number(*last));
        let line = rows.lines().nth(run + 1).unwrap();
        let start = format!("{run},{damping},{most},{last},1,0,\"done\",\"\",\"\",");
        assert!(line.starts_with(&start), "{line}\n{start}");
        let series = fs::read_to_string(out.join(format!("series/{run:07}.csv"))).unwrap();
        let series = Table::parse(&series).unwrap();
        assert_eq!(
            series.columns,
            [column("time").clone(), column("body_height").clone()]
        );
        let again = folder.path().join("again.csv");
        succeeds(&[
            "study",
            path(&study),
            "--one",
            &run.to_string(),
            "-o",
            path(&again),
        ]);
        assert_eq!(fs::read(&csv).unwrap(), fs::read(&again).unwrap());
    }
}

#[test]
fn a_killed_study_goes_on_to_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let study = describe(folder.path(), "quarter_car", MANY);
    let whole = folder.path().join("whole");
    succeeds(&["study", path(&study), "-o", path(&whole), "--workers", "1"]);
    let out = folder.path().join("killed");
    let chunks = || fs::read_dir(out.join("chunks")).map_or(0, Iterator::count);
    // Each time some more chunks are there, and so many milliseconds later, which follow no pattern.
    for later in [3, 41, 0, 17, 29] {
        let before = chunks();
        let mut child = Command::new(env!("CARGO_BIN_EXE_fixstep"))
            .args(["study", path(&study), "-o", path(&out), "--workers", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while chunks() <= before {
            assert!(
                child.try_wait().unwrap().is_none(),
                "the study ended before it was killed"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(later));
        // On Unix this is SIGKILL.
        child.kill().unwrap();
        assert!(
            !child.wait().unwrap().success(),
            "the study was faster than the kill"
        );
    }
    let said = fixstep(&["study", path(&study), "-o", path(&out)]);
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("runs were known already"), "{said}");
    assert!(table(&whole) == table(&out), "the tables differ");
    for name in ["runs.parquet", "runs.npz", "summary.json", "study.svg"] {
        let [a, b] = [&whole, &out].map(|folder| fs::read(folder.join(name)).unwrap());
        assert!(a == b, "{name}");
    }
    let left = fs::read_dir(out.join("chunks")).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.starts_with(".fixstep-")));
}

#[test]
fn the_number_of_workers_does_not_show() {
    let folder = tempfile::tempdir().unwrap();
    let study = describe(
        folder.path(),
        "quarter_car",
        &MANY.replace("runs: 100", "runs: 40"),
    );
    let made = |workers: &str| {
        let out = folder.path().join(workers);
        succeeds(&[
            "study",
            path(&study),
            "-o",
            path(&out),
            "--workers",
            workers,
        ]);
        table(&out)
    };
    let one = made("1");
    assert!(one.lines().count() == 41 && one == made("2") && one == made("4"));
    // More runs of independent draws begin with those that are there.
    let more = describe(
        folder.path(),
        "quarter_car",
        &MANY.replace("runs: 100", "runs: 50"),
    );
    let out = folder.path().join("2");
    let said = fixstep(&["study", path(&more), "-o", path(&out)]);
    assert!(
        String::from_utf8(said.stderr)
            .unwrap()
            .contains("40 runs were known")
    );
    assert!(table(&out).starts_with(&one) && table(&out).lines().count() == 51);
}

#[test]
fn chunks_of_other_computers_are_taken_and_broken_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let study = describe(
        folder.path(),
        "quarter_car",
        &MANY.replace("runs: 100", "runs: 12"),
    );
    let (out, other) = (folder.path().join("out"), folder.path().join("other"));
    succeeds(&["study", path(&study), "-o", path(&out)]);
    fs::create_dir_all(other.join("chunks")).unwrap();
    let chunk = succeeds(&["study", path(&study), "--rows", "3..9"]);
    fs::write(other.join("chunks/a.rows"), &chunk).unwrap();
    // A file that was cut off, as by a lost computer, and one whose row was changed.
    let first = succeeds(&["study", path(&study), "--rows", "0..3"]);
    fs::write(other.join("chunks/b.rows"), &first[..first.len() - 20]).unwrap();
    fs::write(
        other.join("chunks/c.rows"),
        first.replace("\"done\"", "\"stopped\""),
    )
    .unwrap();
    let output = fixstep(&["study", path(&study), "-o", path(&other)]);
    let said = String::from_utf8(output.stderr).unwrap();
    for text in [
        "6 runs were known",
        "b.rows was not whole",
        "c.rows was not whole",
    ] {
        assert!(said.contains(text), "{said}");
    }
    assert!(table(&out) == table(&other));
}

#[test]
fn runs_that_fail_are_rows_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    // Some hardpoints cannot be reached, and some values are not allowed.
    let study = describe(
        folder.path(),
        "double_wishbone",
        "run: {mode: \"kinematic\", step: 0.2}, method: \"list\", vary: [{parameter: \"upper_ball.y\", values: [668, 3000, 670]},
           {parameter: \"duration\", values: [2, 2, -5]}],
         results: [{name: \"toe\", of: \"toe\", take: \"max\", most: \"5 deg\"}]",
    );
    let out = folder.path().join("out");
    let said = succeeds(&["study", path(&study), "-o", path(&out)]);
    assert!(
        said.contains("2 failed") && said.contains("yield: 33.3 %"),
        "{said}"
    );
    let rows = table(&out);
    let lines: Vec<&str> = rows.lines().collect();
    assert!(lines[1].contains("\"done\",\"\""), "{rows}");
    assert!(
        lines[2].contains("NaN") && lines[2].contains("\"failed\",\""),
        "{rows}"
    );
    assert!(
        lines[3].contains("duration") && lines[3].contains("\"failed\",\""),
        "{rows}"
    );
    let all = describe(
        folder.path(),
        "double_wishbone",
        "run: {mode: \"kinematic\"}, method: \"list\", vary: [{parameter: \"duration\", values: [-1]}],
         results: [{name: \"toe\", of: \"toe\", take: \"max\"}]",
    );
    let none = folder.path().join("none");
    let said = ends_with(1, &["study", path(&all), "-o", path(&none)]);
    assert!(said.contains("1 failed, run 0"), "{said}");
    assert!(table(&none).lines().count() == 2);
}

#[test]
fn settings_are_varied_by_their_words() {
    let folder = tempfile::tempdir().unwrap();
    let study = describe(
        folder.path(),
        "quarter_car",
        "run: {stop: 0.01}, method: \"one_at_a_time\", vary: [{setting: \"integrator\", values: [\"GSTIFF\"]},
           {setting: \"fixit\", values: [5]}],
         results: [{name: \"h\", of: \"body_height\", take: \"last\"}]",
    );
    let out = folder.path().join("out");
    succeeds(&["study", path(&study), "-o", path(&out)]);
    let rows = table(&out);
    assert!(
        rows.starts_with("run,solver.fixit,h,end,warnings,solver.integrator,status,"),
        "{rows}"
    );
    let own = |row: usize, fixit: &str, integrator: &str| {
        let line = rows.lines().nth(row + 1).unwrap();
        let good = line.starts_with(&format!("{row},{fixit},"))
            && line.contains(&format!("\"{integrator}\",\"done\""));
        assert!(good, "{rows}");
    };
    own(0, "3", "HHT");
    own(1, "3", "GSTIFF");
    own(2, "5", "HHT");
}

#[test]
fn numbers_without_a_parameter_are_varied_by_their_paths() {
    let folder = tempfile::tempdir().unwrap();
    let study = describe(
        folder.path(),
        "robot_arm",
        "run: {stop: 0.2}, method: \"one_at_a_time\", vary: [
           {name: \"payload\", path: \"parts/hand/mass\", values: [2, 5], relative: \"add\"},
           {path: [\"markers/i1/position/z\", \"markers/j1/position/z\"], values: [0.34]}],
         results: [{name: \"torque\", of: \"torque_2\", take: \"min\"}]",
    );
    let out = folder.path().join("out");
    succeeds(&["study", path(&study), "-o", path(&out)]);
    let rows = table(&out);
    let cells: Vec<Vec<&str>> = rows
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let column = |k: usize| cells.iter().map(|row| row[k]).collect::<Vec<_>>();
    assert_eq!(column(1), ["3", "5", "8", "3"]);
    assert_eq!(column(2), ["0.33", "0.33", "0.33", "0.34"]);
    let tokens: std::collections::BTreeSet<&&str> =
        cells.iter().filter_map(|row| row.last()).collect();
    assert_eq!(tokens.len(), 4, "each row has the token of its model");
    // The same with the number in the text, by the command for a single run.
    let csv = folder.path().join("run.csv");
    succeeds(&["study", path(&study), "--one", "2", "-o", path(&csv)]);
    let single = Table::parse(&fs::read_to_string(&csv).unwrap()).unwrap();
    let at = single
        .names
        .iter()
        .position(|name| name == "torque_2")
        .unwrap();
    let least = single.columns[at].iter().copied().fold(f64::MAX, f64::min);
    assert_eq!(column(3)[2].parse::<f64>().unwrap(), least);
    let summary = fs::read_to_string(out.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let effect = &summary["results"][0]["sensitivities"][0];
    assert_eq!(effect["factor"], "payload");
    let own = column(3)[0].parse::<f64>().unwrap();
    assert_eq!(effect["effect"][1].as_f64().unwrap(), least - own);
}

/// Runs the program where no file may be longer than so many bytes, as on a full disk.
#[cfg(unix)]
fn limited(bytes: u64, words: &[&str]) -> (bool, String) {
    let blocks = bytes / 512;
    let program = env!("CARGO_BIN_EXE_fixstep");
    // The limit's signal is ignored, so that writing fails.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script, "sh", program])
        .args(words)
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let study = describe(
        folder.path(),
        "quarter_car",
        &format!(
            "{}, series: [\"body_height\"]",
            MANY.replace("runs: 100", "runs: 20")
        ),
    );
    let out = folder.path().join("out");
    // Tables of series do not fit, chunks would.
    let (good, said) = limited(
        8192,
        &["study", path(&study), "-o", path(&out), "--workers", "2"],
    );
    assert!(!good, "{said}");
    assert!(
        said.contains("of 20 runs are kept") && said.contains("series"),
        "{said}"
    );
    succeeds(&["study", path(&study), "-o", path(&out)]);
    let whole = folder.path().join("whole");
    succeeds(&["study", path(&study), "-o", path(&whole)]);
    assert!(table(&out) == table(&whole));
    // The table itself does not fit, and what was made is not made again.
    fs::remove_file(out.join("runs.csv")).unwrap();
    let (good, said) = limited(1024, &["study", path(&study), "-o", path(&out)]);
    assert!(
        !good && said.contains("runs.csv") && said.contains("20 runs were known"),
        "{said}"
    );
    assert!(!out.join("runs.csv").exists());
}
