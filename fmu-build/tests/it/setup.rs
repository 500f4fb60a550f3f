//! The program, the shared library and the example models.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use fixstep_model::Model;
use fmu_build::archive::write::Files;
use fmu_build::package::library::Library;
use fmu_build::package::{Packing, files};
use model_description::parse::FmiVersion;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::built;

/// The example model of a name.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../models")
        .join(name)
        .join("model.json")
}

/// The shared library of the same build as the program.
pub(crate) fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(built::path)
}

/// Runs the program.
pub(crate) fn fixstep(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fixstep"))
        .args(words)
        .env("FIXSTEP_LIBRARY", library())
        .output()
        .unwrap()
}

/// Runs the program, which must succeed; its standard output.
pub(crate) fn succeeds(words: &[&str]) -> String {
    let output = fixstep(words);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{words:?}\n{out}\n{err}");
    out
}

/// Runs the program, which must end with this code; all that it says.
pub(crate) fn ends_with(code: i32, words: &[&str]) -> String {
    let output = fixstep(words);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}\n{said}");
    said
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Packs an example with the program; the FMU's path.
pub(crate) fn build(folder: &Path, name: &str, version: &str) -> PathBuf {
    let fmu = folder.join(format!("{name}.{version}.fmu"));
    let model = example(name);
    succeeds(&["build", path(&model), "-o", path(&fmu), "--fmi", version]);
    fmu
}

/// An FMU of the same files, as [`store`] writes it.
pub(crate) fn pack(folder: &Path, name: &str, version: &str) -> PathBuf {
    let fmu = folder.join(format!("{name}.{version}.fmu"));
    pack_model(&example(name), &fmu, version, false);
    fmu
}

/// The same of a model.
pub(crate) fn pack_model(model: &Path, fmu: &Path, version: &str, protect: bool) {
    let text = fs::read_to_string(model).unwrap();
    let packing = Packing {
        version: match version {
            "2" => FmiVersion::V2,
            _ => FmiVersion::V3,
        },
        libraries: &[Library::read(library()).unwrap()],
        protect,
        terminals: true,
    };
    let model = Model::from_file(model).unwrap();
    store(&files(&text, &model, packing).unwrap(), fmu);
}

/// An archive of files as they are: to compress the library takes longer than most tests.
pub(crate) fn store(files: &Files, archive: &Path) {
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(fs::File::create(archive).unwrap());
    for (name, bytes) in files {
        zip.start_file(name, stored).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// A path as an argument.
pub(crate) fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What the scripts of a page read: the JSON in front of its data.
pub(crate) fn data_of(page: &Path) -> serde_json::Value {
    let html = std::fs::read_to_string(page).unwrap();
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let (data, _) = rest.split_once('<').unwrap();
    let mut bytes = Vec::new();
    let read = std::io::Read::read_to_end(
        &mut flate2::read::GzDecoder::new(decoded(data).as_slice()),
        &mut bytes,
    );
    read.unwrap();
    let (length, rest) = bytes.split_at(4);
    let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
    serde_json::from_slice(&rest[..length]).unwrap()
}

/// Bytes from base64.
fn decoded(text: &str) -> Vec<u8> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.trim_end_matches('=').chars() {
        bits = (bits << 6) | LETTERS.find(letter).unwrap() as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(((bits >> count) & 255) as u8);
        }
    }
    out
}
