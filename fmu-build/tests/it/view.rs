//! Tests of the command view, and of the pictures of a run's table.

use std::fs;

use crate::setup::{data_of, ends_with, example, path, succeeds};

#[test]
fn a_page_of_a_model_has_its_freedoms_markers_and_findings() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("view.html");
    succeeds(&[
        "view",
        path(&example("four_bar")),
        "--once",
        "-o",
        path(&out),
    ]);
    let data = data_of(&out);
    assert_eq!(data["kind"], "view");
    assert_eq!(data["shapes"].as_array().unwrap().len(), 1);
    assert!(
        data["shapes"][0]["film"]["bodies"]
            .as_array()
            .unwrap()
            .len()
            > 3
    );
    assert!(!data["markers"].as_array().unwrap().is_empty());
    assert!(data["live"].is_null());
    let joints = &data["tabs"][0]["parts"][0]["rows"];
    assert!(
        joints
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row[2] == "turns about z"),
        "{joints}"
    );
}

#[test]
fn a_model_in_error_fails_and_its_page_tells_why() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (
        folder.path().join("model.json"),
        folder.path().join("view.html"),
    );
    let text = fs::read_to_string(example("pendulum")).unwrap();
    fs::write(&file, text.replacen("\"mass\"", "\"mas\"", 1)).unwrap();
    let said = ends_with(1, &["view", path(&file), "--once", "-o", path(&out)]);
    assert!(said.contains("error: model.json:"), "{said}");
    let data = data_of(&out);
    assert_eq!(data["warnings"][0]["grade"], "error");
    assert!(data["bodies"].as_array().unwrap().is_empty());
    for (words, told) in [
        (vec!["view", path(&file), "--once"], "--output"),
        (vec!["view", path(&file), "-o", path(&out)], "--once"),
        (
            vec!["view", path(&file), "--once", "-o", path(&file)],
            "would replace",
        ),
        (
            vec!["view", "none.fmu", "--once", "-o", path(&out)],
            "none.fmu",
        ),
    ] {
        let code = if told == "none.fmu" { 1 } else { 2 };
        let said = ends_with(code, &words);
        assert!(said.contains(told), "{said}");
    }
}

fn with<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [first, more].concat()
}

#[test]
fn other_results_are_drawn_over_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let model = example("pendulum");
    let (plain, shown, svg) = (at("plain.csv"), at("shown.csv"), at("over.svg"));
    let run = [
        "run",
        path(&model),
        "--stop",
        "0.5",
        "--step",
        "0.01",
        "--no-trial",
    ];
    succeeds(&with(&run, &["-o", path(&plain)]));
    succeeds(&with(&run, &["-o", path(&shown), "--display-units"]));
    let header = fs::read_to_string(&plain).unwrap();
    let name = header
        .lines()
        .next()
        .unwrap()
        .split(',')
        .nth(1)
        .unwrap()
        .to_owned();
    let plot = ["--plot", path(&svg), "--draw", &name];
    succeeds(&with(&run, &plot));
    let lines = || fs::read_to_string(&svg).unwrap();
    let own = |text: &str| -> Vec<String> {
        let paths = text.split("class=\"line\"").skip(1);
        paths
            .map(|rest| {
                rest.split(" d=\"")
                    .nth(1)
                    .unwrap()
                    .split('"')
                    .next()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    assert_eq!(own(&lines()).len(), 1);
    let over = ["--overlay", path(&plain), "--overlay", path(&shown)];
    succeeds(&with(&run, &[&plot[..], &over[..]].concat()));
    // The same run in both units of its tables: three lines on one another.
    let drawn = own(&lines());
    assert_eq!(drawn.len(), 3);
    let points = |line: &String| -> Vec<f64> {
        let numbers = line.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
        numbers.filter_map(|x| x.parse().ok()).collect()
    };
    for line in &drawn[1..] {
        let pairs = points(&drawn[0]).into_iter().zip(points(line));
        assert!(
            pairs.into_iter().all(|(a, b)| (a - b).abs() < 0.2),
            "{line}"
        );
    }
    assert!(lines().contains(&format!("{name} (plain)")));
    let other = at("other.csv");
    fs::write(&other, "time,none\n0,1\n1,1\n").unwrap();
    let said = ends_with(
        1,
        &with(&run, &[&plot[..], &["--overlay", path(&other)]].concat()),
    );
    assert!(
        said.contains("other.csv: the table has no column") && said.contains(&name),
        "{said}"
    );
}
