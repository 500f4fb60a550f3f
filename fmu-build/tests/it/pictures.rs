//! Tests of the pictures and films of a run.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use crate::setup::{ends_with, example, pack, path, succeeds};

/// The pictures of a PNG: size, and pixels of each.
fn pictures(file: &Path) -> ([u32; 2], Vec<Vec<u8>>) {
    let decoder = png::Decoder::new(BufReader::new(File::open(file).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let count = { reader.info().animation_control }.map_or(1, |control| control.num_frames);
    let size = [reader.info().width, reader.info().height];
    let mut all: Vec<Vec<u8>> = Vec::new();
    for _ in 0..count {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        // A frame of a film is the rectangle that differs from the picture before.
        if let (Some(part), Some(before)) = (reader.info().frame_control, all.last()) {
            let mut whole = before.clone();
            let wide = 3 * part.width as usize;
            for row in 0..part.height {
                let to = 3 * ((part.y_offset + row) * size[0] + part.x_offset) as usize;
                let from = wide * row as usize;
                whole[to..to + wide].copy_from_slice(&pixels[from..from + wide]);
            }
            pixels = whole;
        }
        all.push(pixels);
    }
    (size, all)
}

/// How many pixels differ clearly.
fn differ(a: &[u8], b: &[u8]) -> usize {
    let far = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 20);
    a.chunks(3)
        .zip(b.chunks(3))
        .filter(|pair| far(*pair))
        .count()
}

#[test]
fn a_run_is_drawn_and_filmed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let model = example("pendulum");
    let run = |words: &[&str]| succeeds(&[&["run", path(&model), "--stop", "1"], words].concat());
    let (end, begin, film) = (at("end.png"), at("begin.png"), at("film.png"));
    let said = run(&["--png", path(&end), "--size", "320x240"]);
    assert!(
        said.contains("written: ") && said.contains("end.png"),
        "{said}"
    );
    run(&["--png", path(&begin), "--at", "0", "--size", "320x240"]);
    let ([width, height], last) = pictures(&end);
    let (_, first) = pictures(&begin);
    assert_eq!([width, height], [320, 240]);
    assert!(differ(&first[0], &last[0]) > 500, "it moves");
    let again = at("again.png");
    run(&["--png", path(&again), "--size", "320x240"]);
    assert_eq!(fs::read(&again).unwrap(), fs::read(&end).unwrap());

    run(&["--apng", path(&film), "--size", "160x120", "--dark"]);
    let (size, shots) = pictures(&film);
    assert_eq!((size, shots.len()), ([160, 120], 50));
    let moves = shots
        .windows(2)
        .filter(|pair| differ(&pair[0], &pair[1]) > 0);
    assert!(moves.count() > 40, "a film moves");

    let (gif, glb) = (at("film.gif"), at("film.glb"));
    run(&[
        "--gif",
        path(&gif),
        "--glb",
        path(&glb),
        "--size",
        "160x120",
        "--view",
        "front",
    ]);
    let bytes = fs::read(&gif).unwrap();
    assert!(bytes.starts_with(b"GIF89a") && bytes[6..10] == [160, 0, 120, 0]);
    let bytes = fs::read(&glb).unwrap();
    let length = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
    assert!(bytes.starts_with(b"glTF") && length as usize == bytes.len());
    let text = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let scene: serde_json::Value = serde_json::from_slice(&bytes[20..20 + text]).unwrap();
    let names: Vec<&str> = { scene["nodes"].as_array().unwrap().iter() }
        .filter_map(|node| node["name"].as_str())
        .collect();
    let model: serde_json::Value = serde_json::from_slice(&fs::read(&model).unwrap()).unwrap();
    for part in model["parts"].as_array().unwrap() {
        assert!(
            names.contains(&part["name"].as_str().unwrap()),
            "{part} in {names:?}"
        );
    }
}

#[test]
fn views_by_angles_and_inertia_change_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    let draw = |name: &str, words: &[&str]| {
        let file = folder.path().join(name);
        let all = [
            "run",
            path(&model),
            "--stop",
            "0.3",
            "--size",
            "160x120",
            "--png",
            path(&file),
        ];
        succeeds(&[&all, words].concat());
        pictures(&file).1.remove(0)
    };
    let front = draw("front.png", &["--view", "front"]);
    assert_eq!(front, draw("angles.png", &["--view", "0,0"]));
    assert!(differ(&front, &draw("below.png", &["--view", "-30,-20"])) > 300);
    assert!(
        differ(
            &front,
            &draw("inertia.png", &["--view", "front", "--inertia"])
        ) > 50
    );
}

#[cfg(unix)]
#[test]
fn a_video_is_made_by_ffmpeg() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (model, video) = (example("pendulum"), at("out.mp4"));
    let run = |programs: &Path| {
        let words = [
            "run",
            path(&model),
            "--stop",
            "1",
            "--size",
            "31x16",
            "--mp4",
            path(&video),
        ];
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fixstep"));
        command.args(words).env("PATH", programs);
        command.output().unwrap()
    };
    let missing = run(&at("nothing"));
    let said = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!(missing.status.code(), Some(1), "{said}");
    assert!(
        said.contains("--mp4: the program ffmpeg") && said.contains("--apng"),
        "{said}"
    );
    // A program of that name that writes what it is called with, and what it reads.
    let program = at("ffmpeg");
    let keep = "#!/bin/sh\nfor last; do :; done\necho \"$@\" > \"$last.words\"\nexec /bin/cat > \"$last\"\n";
    fs::write(&program, keep).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let made = run(folder.path());
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    assert_eq!(fs::read(&video).unwrap().len(), 50 * 32 * 16 * 3);
    // Progress is for terminals.
    assert!(!made.stderr.contains(&b'\r'));
    let words = fs::read_to_string(at("out.mp4.words")).unwrap();
    // An odd width is one more.
    assert!(words.contains("-s 32x16 -r 25 -i -"), "{words}");
    assert!(
        words.contains("-colorspace bt709") && words.contains("-f mp4"),
        "{words}"
    );
    // One that fails is quoted.
    fs::write(&program, "#!/bin/sh\necho no such codec >&2\nexit 3\n").unwrap();
    let failed = run(folder.path());
    let said = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(
        !failed.status.success() && said.contains("no such codec"),
        "{said}"
    );
}

#[test]
fn wrong_words_about_pictures_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    let model = path(&model);
    let out = folder.path().join("x.png");
    let out = path(&out);
    for (words, says) in [
        (&["--at", "1"][..], "--png"),
        (&["--view", "front"], "--png"),
        (
            &["--png", out, "--view", "side"],
            "corner, front, back, left, right, top, bottom",
        ),
        (
            &["--png", out, "--size", "10x10"],
            "two numbers from 16 to 8192",
        ),
        (
            &["--png", out, "--view", "400,10"],
            "two angles in degrees, such as 215,20",
        ),
        (&["--inertia"], "--png"),
        (&["--png", "-"], "not written to standard output"),
        (
            &["--png", out, "--apng", out],
            "give each a file of its own",
        ),
    ] {
        let said = ends_with(2, &[&["run", model], words].concat());
        assert!(said.contains(says), "{words:?}: {said}");
    }
    let fmu = pack(folder.path(), "pendulum", "3");
    let said = ends_with(1, &["run", path(&fmu), "--png", out]);
    assert!(
        said.contains("an FMU does not tell where its bodies are"),
        "{said}"
    );
    assert!(!Path::new(out).exists());
}
