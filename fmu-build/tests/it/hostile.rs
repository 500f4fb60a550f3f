//! Tests of hostile archives: FMUs altered at random, as bytes, in the records of the archive, and in their files.
//! Each is opened or refused with a message. Nothing panics, and nothing is written outside the folder into which it
//! is unpacked. The library inside is not a real one, and none of it runs.
//!
//! Archive k is the same in every run. A failing archive is kept, and the message gives its number.
#![expect(clippy::print_stdout, reason = "long runs tell how far they are")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fixstep_model::Model;
use fmu_build::archive::{read, write};
use fmu_build::check;
use fmu_build::client::Fmu;
use fmu_build::inspect::Inspection;
use fmu_build::layout::Platform;
use fmu_build::mechanism::Mechanism;
use fmu_build::package::{self, library::Library};
use model_description::parse::{self, FmiVersion};

use crate::setup::example;

/// Archives; `FIXSTEP_ARCHIVES` asks for another number, `FIXSTEP_SEED` for another first one.
const ARCHIVES: u64 = 150;
const SEED: u64 = 40_000;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

type Files = BTreeMap<String, Vec<u8>>;

/// The files of an example in either version, with bytes in the place of a library.
fn packed(version: FmiVersion) -> Files {
    let text = fs::read_to_string(example("pendulum")).unwrap();
    let model = Model::from_json(&text).unwrap();
    let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
    bytes.resize(64, 0);
    bytes[18] = 0x3e;
    let platform = Platform::of_library(&bytes).unwrap();
    let mut files = package::files(
        &text,
        &model,
        package::Packing {
            version,
            libraries: &[Library { platform, bytes }],
            protect: false,
            terminals: true,
        },
    )
    .unwrap();
    // Nothing reads it, and it is the most of all bytes.
    files.retain(|name, _| !name.ends_with("license.txt"));
    files
}

/// Alters bytes, here and there.
fn scratch(bytes: &mut Vec<u8>, chance: &mut Chance) {
    for _ in 0..=chance.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = chance.below(bytes.len());
        let length = chance.below(9).min(bytes.len() - at);
        match chance.below(6) {
            0 => bytes[at] ^= 1 << chance.below(8),
            1 => bytes[at] = chance.next() as u8,
            2 => drop(bytes.drain(at..at + length)),
            3 => {
                let copy = bytes[at..at + length].to_vec();
                bytes.splice(at..at, copy);
            }
            4 => bytes[at..at + length].fill(0xff),
            _ => bytes.truncate(at.max(1)),
        }
    }
}

/// Signature, fields of two bytes, fields of four bytes, where a name begins.
type Record = (&'static [u8], &'static [usize], &'static [usize], usize);

/// Alters a field of one of the archive's records, or a name.
fn records(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let kinds: [Record; 3] = [
        (b"PK\x03\x04", &[4, 6, 8, 26, 28], &[14, 18, 22], 30),
        (
            b"PK\x01\x02",
            &[6, 8, 10, 28, 30, 32, 34],
            &[16, 20, 24, 38, 42],
            46,
        ),
        (b"PK\x05\x06", &[4, 6, 8, 10, 20], &[12, 16], 0),
    ];
    let (signature, halves, words, name) = kinds[chance.below(3)];
    let places: Vec<usize> = (0..bytes.len() - 64.min(bytes.len()))
        .filter(|at| bytes[*at..].starts_with(signature))
        .collect();
    let Some(&at) = places.get(chance.below(places.len())) else {
        return scratch(bytes, chance);
    };
    let values = [
        0,
        1,
        2,
        0x7f,
        0xff,
        0xffff,
        0x7fff_ffff,
        0xffff_ffff,
        chance.next() as u32,
    ];
    let value = chance.pick(&values).to_le_bytes();
    match chance.below(3) {
        0 => {
            let field = at + chance.pick(halves);
            bytes[field..field + 2].copy_from_slice(&value[..2]);
        }
        1 => {
            let field = at + chance.pick(words);
            bytes[field..field + 4].copy_from_slice(&value);
        }
        _ if name > 0 => {
            let evil = chance.pick(&["../x", "/tmp", "C:/x", "..\\x", "a//b", "\0\0\0\0", "mode"]);
            let to = (at + name + evil.len()).min(bytes.len());
            bytes[at + name..to].copy_from_slice(&evil.as_bytes()[..to - at - name]);
        }
        _ => {}
    }
}

/// Alters an attribute or a line of a description, or a text.
fn words(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let values = [
        "",
        "-1",
        "0",
        "1e999",
        "NaN",
        "99999999999999999999",
        "4294967295",
        "../../x",
        "&#0;",
        "&lol;",
        "18446744073709551615",
        "true",
    ];
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    let lines: Vec<&str> = text.lines().collect();
    let line = chance.below(lines.len());
    *bytes = match chance.below(4) {
        0 if quotes.len() > 1 => {
            let k = chance.below(quotes.len() - 1);
            let value = chance.pick(&values);
            [&text[..=quotes[k]], value, &text[quotes[k + 1]..]].concat()
        }
        1 => [&lines[..line], &lines[(line + 1).min(lines.len())..]]
            .concat()
            .join("\n"),
        2 => {
            let count = chance.pick(&[2, 3, 1000]);
            [
                &lines[..line],
                &vec![*lines.get(line).unwrap_or(&""); count],
                &lines[line..],
            ]
            .concat()
            .join("\n")
        }
        _ => return scratch(bytes, chance),
    }
    .into_bytes();
}

/// An archive of a number, of files or of the archive that they make.
fn altered(bases: &[(Files, Vec<u8>)], number: u64) -> Vec<u8> {
    let mut chance = Chance(number);
    chance.next();
    let (files, whole) = &bases[chance.below(bases.len())];
    if chance.below(2) == 0 {
        let mut files = files.clone();
        let names: Vec<String> = files.keys().cloned().collect();
        let mostly = ["modelDescription.xml", package::MECHANISM, package::MODEL];
        let name = match chance.below(3) {
            0 => names[chance.below(names.len())].as_str(),
            _ => chance.pick(&mostly),
        };
        for _ in 0..=chance.below(3) {
            if !files[name].is_empty() {
                words(files.get_mut(name).unwrap(), &mut chance);
            }
        }
        return write::write(&files).unwrap();
    }
    let mut bytes = whole.clone();
    for _ in 0..=chance.below(3) {
        match chance.below(3) {
            0 => scratch(&mut bytes, &mut chance),
            _ => records(&mut bytes, &mut chance),
        }
    }
    bytes
}

/// Opens an archive in every way but running it; whether it could be unpacked, or what is wrong.
fn opens(path: &Path) -> Result<bool, String> {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner/inner");
    fs::create_dir_all(&inner).unwrap();
    let unpacked = read::unpack(path, &inner);
    let names = |folder: &Path| fs::read_dir(folder).unwrap().count();
    if names(folder.path()) != 1 || names(&folder.path().join("inner")) != 1 {
        return Err("something was written outside of the folder".to_owned());
    }
    let mut said = Vec::new();
    said.extend(unpacked.as_ref().err().map(ToString::to_string));
    said.extend(read::entries(path).err().map(|failure| failure.to_string()));
    said.extend(Fmu::open(path).err().map(|failure| failure.to_string()));
    match check::fmu(path, false, true) {
        Ok(problems) => said.extend(problems.iter().map(ToString::to_string)),
        Err(failure) => said.push(failure.to_string()),
    }
    if let Ok(xml) = read::read_xml(path) {
        match parse::description(&xml) {
            Ok(description) => drop(Inspection::of(&description).to_string()),
            Err(error) => said.push(error.to_string()),
        }
    }
    if let Ok(text) = read::read(path, package::MODEL)
        && let Ok(model) = Model::from_json(&String::from_utf8_lossy(&text))
    {
        drop(serde_json::to_string(&Mechanism::of(&model.mechanism)));
    }
    match said.iter().find(|text| text.len() < 15) {
        Some(text) => Err(format!("refused without words: {text:?}")),
        None => Ok(unpacked.is_ok()),
    }
}

/// What is wrong with archives of these numbers, and how many of them could be unpacked.
fn all(bases: &[(Files, Vec<u8>)], numbers: Range<u64>) -> (Vec<String>, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("altered.fmu");
    let (mut wrong, mut opened) = (Vec::new(), 0);
    for number in numbers.clone() {
        let done = number - numbers.start;
        if done > 0 && done.is_multiple_of(10_000) {
            println!("{done} altered archives, unpacked: {opened}");
        }
        let bytes = altered(bases, number);
        fs::write(&path, &bytes).unwrap();
        let text = match catch_unwind(AssertUnwindSafe(|| opens(&path))) {
            Ok(Ok(unpacked)) => {
                opened += u64::from(unpacked);
                continue;
            }
            Ok(Err(text)) => text,
            Err(_) => "panic".to_owned(),
        };
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("altered-{number}.fmu"));
        fs::write(&kept, &bytes).unwrap();
        wrong.push(format!("FIXSTEP_SEED={number}: {text}; {}", kept.display()));
    }
    (wrong, opened)
}

#[test]
fn altered_archives_are_opened_or_refused_with_words() {
    let asked = |name: &str, usual| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (first, count) = (
        asked("FIXSTEP_SEED", SEED),
        asked("FIXSTEP_ARCHIVES", ARCHIVES),
    );
    let bases = [FmiVersion::V2, FmiVersion::V3].map(packed).map(|files| {
        let whole = write::write(&files).unwrap();
        (files, whole)
    });
    // They mostly wait for files.
    let middle = first + count / 2;
    let (mut wrong, mut opened) = (Vec::new(), 0);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| all(&bases, middle..first + count));
        for (faults, unpacked) in [all(&bases, first..middle), other.join().unwrap()] {
            wrong.extend(faults);
            opened += unpacked;
        }
    });
    println!("altered archives: {count}, unpacked: {opened}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if count >= ARCHIVES {
        assert!(
            opened * 10 > count && opened * 10 < 9 * count,
            "{opened} of {count}"
        );
    }
}
