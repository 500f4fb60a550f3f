//! Tests of the table of a run as NumPy and as MCAP: what readers of their own find there is what the CSV holds.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use crate::setup::{ends_with, example, path, succeeds};

/// Names and columns of a CSV.
fn csv(file: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines
        .next()
        .unwrap()
        .split(',')
        .map(str::to_owned)
        .collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, word) in columns.iter_mut().zip(line.split(',')) {
            column.push(word.parse().unwrap());
        }
    }
    (names, columns)
}

/// An array of NumPy: its header, and its data.
fn array(archive: &mut zip::ZipArchive<File>, name: &str) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut entry = archive.by_name(&format!("{name}.npy")).unwrap();
    entry.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + length) % 64, 0);
    let header = String::from_utf8(bytes[10..10 + length].to_vec()).unwrap();
    (header, bytes[10 + length..].to_vec())
}

fn numbers(data: &[u8]) -> Vec<f64> {
    let each = data.chunks_exact(8);
    each.map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// Texts in UCS-4 of a width.
fn texts((header, data): &(String, Vec<u8>)) -> Vec<String> {
    let (_, rest) = header.split_once("'<U").unwrap();
    let width: usize = rest.split_once('\'').unwrap().0.parse().unwrap();
    let text = |cell: &[u8]| -> String {
        let codes = cell
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes(b.try_into().unwrap()));
        codes
            .filter(|c| *c != 0)
            .map(|c| char::from_u32(c).unwrap())
            .collect()
    };
    data.chunks_exact(4 * width).map(text).collect()
}

#[test]
fn numpy_has_the_bits_and_the_units_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let model = example("pendulum");
    for (options, unit) in [(&[][..], "rad"), (&["--display-units"], "deg")] {
        let (table, archive) = (at("out.csv"), at("out.NPZ"));
        for file in [&table, &archive] {
            let words = ["run", path(&model), "--stop", "0.5", "-o", path(file)];
            succeeds(&[&words, options].concat());
        }
        let (_, columns) = csv(&table);
        let mut archive = zip::ZipArchive::new(File::open(&archive).unwrap()).unwrap();
        let names = texts(&array(&mut archive, "fixstep.names"));
        let units = texts(&array(&mut archive, "fixstep.units"));
        assert_eq!(names.len(), columns.len());
        for (name, column) in names.iter().zip(&columns) {
            let (header, data) = array(&mut archive, name);
            assert!(
                header.contains("'<f8'") && header.contains("(501,)"),
                "{header}"
            );
            let same = numbers(&data)
                .iter()
                .zip(column)
                .all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{name}");
        }
        let known: BTreeMap<&str, &str> = names
            .iter()
            .map(String::as_str)
            .zip(units.iter().map(String::as_str))
            .collect();
        assert_eq!((known["time"], known["angle"]), ("s", unit));
    }
}

/// A record of MCAP: its code, its place, its content.
type Record<'a> = (u8, usize, &'a [u8]);

fn whole(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

fn part(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn records(bytes: &[u8]) -> Vec<Record<'_>> {
    let (mut at, mut all) = (0, Vec::new());
    while at < bytes.len() {
        let length = whole(bytes, at + 1);
        all.push((bytes[at], at, &bytes[at + 9..at + 9 + length]));
        at += 9 + length;
    }
    all
}

#[test]
fn mcap_has_every_row_with_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let model = example("vehicle");
    let (table, file) = (at("out.csv"), at("out.mcap"));
    for out in [&table, &file] {
        succeeds(&[
            "run",
            path(&model),
            "--stop",
            "4",
            "-o",
            path(out),
            "--no-trial",
        ]);
    }
    let (names, columns) = csv(&table);
    let bytes = fs::read(&file).unwrap();
    let magic = b"\x89MCAP0\r\n";
    assert!(bytes.starts_with(magic) && bytes.ends_with(magic));
    let inside = &bytes[8..bytes.len() - 8];
    let all = records(inside);
    let codes: Vec<u8> = all.iter().map(|record| record.0).collect();
    assert_eq!(
        (codes[..3].to_vec(), codes.last()),
        (vec![1, 3, 4], Some(&2))
    );
    // The footer says where the summary begins: behind the end of the data.
    let summary = whole(all.last().unwrap().2, 0) - 8;
    assert_eq!(inside[summary - 13], 0x0f);
    let schema = String::from_utf8_lossy(all[1].2).into_owned();
    let schema = &schema[schema.find('{').unwrap()..];
    let schema: Value = serde_json::from_str(schema).unwrap();
    assert_eq!(schema["properties"]["speed"]["unit"], "m/s");
    // Chunks, and in them messages; the index of a chunk names the place of each.
    let mut row = 0;
    for (k, (_, _, chunk)) in all.iter().enumerate().filter(|(_, record)| record.0 == 6) {
        let (_, _, index) = all[k + 1];
        let begin = 8 + 8 + 8 + 4 + 4 + 8;
        assert_eq!(part(index, 2), 16 * records(&chunk[begin..]).len());
        for (n, (code, place, message)) in records(&chunk[begin..]).into_iter().enumerate() {
            let time = whole(message, 6);
            assert_eq!(
                (code, whole(index, 6 + 16 * n), whole(index, 14 + 16 * n)),
                (5, time, place)
            );
            assert_eq!(time, (columns[0][row] * 1e9).round() as usize);
            let values: Value = serde_json::from_slice(&message[22..]).unwrap();
            for (name, column) in names.iter().zip(&columns) {
                assert_eq!(
                    values[name].as_f64().unwrap().to_bits(),
                    column[row].to_bits(),
                    "{name}"
                );
            }
            row += 1;
        }
    }
    assert_eq!(row, columns[0].len());
    let of = |code: u8| all.iter().filter(|record| record.0 == code).count();
    assert!(of(6) > 1 && of(8) == of(6));
}

#[test]
fn a_column_named_as_a_list_of_numpy_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = fs::read_to_string(example("pendulum")).unwrap();
    let text = text.replacen("\"name\": \"angle\"", "\"name\": \"fixstep.units\"", 1);
    fs::write(at("model.json"), text).unwrap();
    let (model, out) = (at("model.json"), at("out.npz"));
    let words = ["run", path(&model), "--stop", "0.1", "-o", path(&out)];
    let said = ends_with(1, &words);
    assert!(
        said.contains("--output: a column is called \"fixstep.units\""),
        "{said}"
    );
}

#[test]
fn what_mcap_cannot_hold_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.mcap");
    let model = example("pendulum");
    let words = [
        "run",
        path(&model),
        "--start-time",
        "-1",
        "--stop",
        "0",
        "-o",
        path(&out),
    ];
    let said = ends_with(1, &words);
    assert!(
        said.contains("--output: MCAP counts nanoseconds from 0, and a row is at -1 s"),
        "{said}"
    );
    assert!(!out.exists());
}

/// Two runs beside each other: the same numbers, a planted difference, and what a tolerance allows.
#[test]
fn results_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let [before, after, planted, picture] =
        ["before.csv", "after.csv", "planted.csv", "over.svg"].map(|name| folder.path().join(name));
    let model = example("four_bar");
    let run = ["run", path(&model), "--no-trial", "--stop", "0.5", "-o"];
    for (file, more) in [(&before, &[][..]), (&after, &["--error", "1e-8"])] {
        succeeds(&[&run[..], &[path(file)], more].concat());
    }
    succeeds(&["compare", path(&before), path(&before)]);
    let text = fs::read_to_string(&before).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut words: Vec<String> = lines[101].split(',').map(str::to_owned).collect();
    words[3] = format!("{:?}", words[3].parse::<f64>().unwrap() + 1e-12);
    lines[101] = words.join(",");
    fs::write(&planted, lines.join("\n")).unwrap();
    let said = ends_with(1, &["compare", path(&before), path(&planted)]);
    assert!(
        said.contains("line 102") && said.contains("1 signal differs"),
        "{said}"
    );
    succeeds(&[
        "compare",
        path(&before),
        path(&planted),
        "--limit",
        "coupler_rate=2e-12",
    ]);
    // The fixed step is not the converged motion, but near.
    let said = ends_with(
        1,
        &[
            "compare",
            path(&before),
            path(&after),
            "--plot",
            path(&picture),
            "--json",
        ],
    );
    let told: Value = serde_json::from_str(&said).unwrap();
    let [rows, signals] =
        [&told["rows"], &told["signals"][0]["beyond"]].map(|n| n.as_u64().unwrap());
    assert!(rows == 501 && signals > 400, "{said}");
    assert!(fs::read_to_string(&picture).unwrap().contains("apart"));
    succeeds(&["compare", path(&before), path(&after), "--tolerance", "5%"]);
    let said = ends_with(
        2,
        &["compare", path(&before), path(&after), "--limit", "x=-1"],
    );
    assert!(said.contains("expected a number from 0"), "{said}");
}
