//! Control plane: files beside the model. Only the code that loads a model may read files; it passes in a function
//! for that.

use super::errors::{At, Report, quote};
use crate::limits::{FILE_BYTES, FILES_BYTES, PATH_BYTES};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

/// Name of the model's own file, which no other file may take.
const MODEL_FILE: &str = "model.json";

/// The function that reads files beside the model: from a path as the model writes it (it has passed [`path_fault`])
/// to the content, or to the reason why it cannot be read.
pub type Resources<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// The files that a model refers to, byte for byte, by their paths.
pub type Files = BTreeMap<String, Arc<[u8]>>;

/// The name of the file that says how far up a model may include other files: as far as the folder that holds it.
pub const ROOT_FILE: &str = "fixstep.root";

/// Files in and below a folder. A file with constants and templates may also be beside the folder, below the nearest folder
/// above that holds a file [`ROOT_FILE`].
pub fn folder(folder: &Path) -> impl Fn(&str) -> Result<Vec<u8>, String> + '_ {
    move |path| {
        if path.starts_with("../") {
            within_root(folder, path)?;
        }
        // `/` separates on every platform.
        let path = folder.join(path);
        let fail = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => format!(
                "there is no file {}; paths are relative to the model's folder",
                path.display()
            ),
            _ => format!("{}: {error}", path.display()),
        };
        read_file(&path, FILE_BYTES).map_err(fail)
    }
}

/// Refuses a path out of a folder that does not stay below its root.
fn within_root(folder: &Path, path: &str) -> Result<(), String> {
    let outside = || {
        format!(
            "{} is outside of the model's folder; a model may include files from below the nearest folder above that holds a \
             file \"{ROOT_FILE}\" (an empty one), and there is none around both",
            quote(path)
        )
    };
    let own = std::fs::canonicalize(if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    })
    .map_err(|error| format!("{}: {error}", folder.display()))?;
    let root = own
        .ancestors()
        .skip(1)
        .find(|above| above.join(ROOT_FILE).is_file());
    let root = root.ok_or_else(outside)?;
    // With links followed, which could lead anywhere.
    match std::fs::canonicalize(folder.join(path)) {
        Ok(file) if !file.starts_with(root) => Err(outside()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!(
            "there is no file {}: {error}",
            folder.join(path).display()
        )),
    }
}

/// The content of a regular file, up to a number of bytes. Other files are not opened: a pipe might never be written
/// to.
pub fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "is not a file"));
    }
    read_bounded(path, limit)
}

/// The content of a file, or of a pipe or the like that a user names instead, up to a number of bytes.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let said = file.metadata()?.len();
    let mut bytes = Vec::new();
    if said <= limit {
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    let size = said.max(bytes.len() as u64);
    if size > limit {
        let message = too_large(size, limit);
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// No files, for a text that comes from nowhere.
pub fn none(_: &str) -> Result<Vec<u8>, String> {
    Err("the model was read without a folder to look for files in".to_owned())
}

fn too_large(bytes: u64, limit: u64) -> String {
    let limit = match limit {
        mebibytes if mebibytes >= 1 << 20 => format!("{} MiB", mebibytes >> 20),
        bytes => format!("{bytes} bytes"),
    };
    format!("the file has {bytes} bytes; valid: at most {limit}")
}

/// Why a text is not a path of a file beside the model; `None`: it is one. A valid path names the same file on every
/// platform and inside an FMU.
pub fn path_fault(path: &str) -> Option<&'static str> {
    let reserved = |c: char| c.is_control() || r#"<>:"|?*"#.contains(c);
    let fault = if path.is_empty() {
        "the path is empty"
    } else if path.contains('\\') {
        "folders are separated by /, not by \\"
    } else if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        "the path is absolute; valid: one relative to the model, such as \"tyres/front.tir\""
    } else if path.split('/').any(|part| part == "." || part == "..") {
        "the path has a part . or ..; files are in the model's folder or below it"
    } else if path.split('/').any(str::is_empty) {
        "the path has an empty part; valid: one such as \"tyres/front.tir\""
    } else if path.chars().any(reserved) {
        "the path has one of < > : \" | ? * or a control character, which some systems do not know"
    } else if path.split('/').any(|part| part.ends_with(['.', ' '])) {
        "a part of the path ends with a blank or a dot, which some systems do not know"
    } else if path.len() > PATH_BYTES {
        "the path is longer than 200 bytes"
    } else if path.eq_ignore_ascii_case(MODEL_FILE) {
        "that is the name of the model itself inside an FMU; give the file another"
    } else {
        return None;
    };
    Some(fault)
}

/// The path of a file beside another one: `path` as that file writes it, `folder` its own folder, relative to the model.
/// The result has no part `..` but at its beginning.
pub(super) fn beside(folder: &str, path: &str) -> Result<String, String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let mut rest = path;
    while let Some(below) = rest.strip_prefix("../") {
        match parts.last() {
            Some(&last) if last != ".." => {
                parts.pop();
            }
            _ => parts.push(".."),
        }
        rest = below;
    }
    if let Some(fault) = path_fault(rest) {
        return Err(format!("{}: {fault}", quote(path)));
    }
    parts.push(rest);
    Ok(parts.join("/"))
}

/// Reads files once each and keeps them.
pub(super) struct Reader<'a> {
    source: &'a Resources<'a>,
    read: Files,
    /// Bytes that may still come.
    room: u64,
    broken: Vec<String>,
}

impl<'a> Reader<'a> {
    /// A reader that has read nothing.
    pub(super) fn new(source: &'a Resources<'a>) -> Self {
        Self {
            source,
            read: Files::new(),
            room: FILES_BYTES,
            broken: Vec::new(),
        }
    }

    /// Hands over the files that were read.
    pub(super) fn take(&mut self) -> Files {
        std::mem::take(&mut self.read)
    }

    /// A file's content; `None` after reporting why not (once for each file).
    pub(super) fn bytes(&mut self, path: &str, at: &At, report: &mut Report) -> Option<Arc<[u8]>> {
        if let Some(bytes) = self.read.get(path) {
            return Some(Arc::clone(bytes));
        }
        if self.broken.iter().any(|broken| broken == path) {
            return None;
        }
        match self.fetch(path) {
            Ok(bytes) => {
                self.room = self.room.saturating_sub(bytes.len() as u64);
                let bytes: Arc<[u8]> = bytes.into();
                self.read.insert(path.to_owned(), Arc::clone(&bytes));
                Some(bytes)
            }
            Err(message) => {
                self.broken.push(path.to_owned());
                report.add(at, format!("{}: {message}", quote(path)));
                None
            }
        }
    }

    fn fetch(&self, path: &str) -> Result<Vec<u8>, String> {
        if let Some(fault) = path_fault(path) {
            return Err(fault.to_owned());
        }
        let mut others = self.read.keys();
        if let Some(other) = others.find(|other| other.to_lowercase() == path.to_lowercase()) {
            return Err(format!(
                "differs from {} in case only; some systems take both for one file",
                quote(other)
            ));
        }
        let bytes = (self.source)(path)?;
        let size = bytes.len() as u64;
        if size > FILE_BYTES {
            return Err(too_large(size, FILE_BYTES));
        }
        if size > self.room {
            return Err(format!(
                "the file has {size} bytes, and {} are left for it: files beside a model have at most {} MiB together",
                self.room,
                FILES_BYTES >> 20
            ));
        }
        Ok(bytes)
    }

    /// A file's text. Bytes that are not UTF-8 become the replacement character, as may occur in comments of foreign
    /// files.
    pub(super) fn text(&mut self, path: &str, at: &At, report: &mut Report) -> Option<String> {
        let bytes = self.bytes(path, at, report)?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_paths_below_the_model_are_valid() {
        for path in ["a", "a.csv", "tyres/front left.tir", "a/b/c.d-e_f", "..a/b"] {
            assert_eq!(path_fault(path), None, "{path}");
        }
        for path in [
            "",
            "/a",
            "C:/a",
            "c:a",
            "../a",
            "a/../b",
            "./a",
            "a//b",
            "a/",
            "a\\b",
            "a\nb",
            "a?",
            "a.",
            "a /b",
            "model.json",
            "Model.JSON",
        ] {
            assert!(path_fault(path).is_some(), "{path}");
        }
        assert_eq!(path_fault(&"a".repeat(PATH_BYTES)), None);
        let fault = path_fault(&"a".repeat(PATH_BYTES + 1)).unwrap();
        assert!(fault.contains(&PATH_BYTES.to_string()), "{fault}");
    }

    #[test]
    fn each_file_is_read_once_and_each_problem_said_once() {
        let reads = std::cell::Cell::new(0);
        let source = |path: &str| {
            reads.set(reads.get() + 1);
            match path {
                "a" => Ok(b"\xef\xbb\xbfx \xb0".to_vec()),
                _ => none(path),
            }
        };
        let mut report = Report::default();
        let mut reader = Reader::new(&source);
        let at = At::default().field("file");
        for _ in 0..2 {
            assert_eq!(
                reader.text("a", &at, &mut report).as_deref(),
                Some("x \u{fffd}")
            );
            assert_eq!(reader.text("b", &at, &mut report), None);
            assert_eq!(reader.text("A", &at, &mut report), None);
        }
        assert_eq!(reads.get(), 2);
        let found = report.finish().map_or(String::new(), |e| e.to_string());
        assert_eq!(found.lines().count(), 2, "{found}");
        assert!(found.contains("differs from \"a\" in case only"), "{found}");
        let files = reader.take();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn a_folder_gives_its_files_alone() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let read = folder(here);
        assert!(read("Cargo.toml").is_ok_and(|bytes| bytes.starts_with(b"[")));
        assert!(read("src").is_err_and(|e| e.ends_with("is not a file")));
        assert!(read("none.csv").is_err_and(|e| e.starts_with("there is no file ")));
    }

    #[test]
    fn a_file_has_so_many_bytes_and_no_more() {
        let folder = std::env::temp_dir().join(format!("fixstep-limits-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read_file(&file, 5).unwrap(), b"12345");
        let beyond = read_file(&file, 4).unwrap_err().to_string();
        assert_eq!(beyond, "the file has 5 bytes; valid: at most 4 bytes");
        assert!(
            read_file(&folder, 5)
                .unwrap_err()
                .to_string()
                .contains("is not a file")
        );
        // It reports that it is too large before any of it is read.
        File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_len(FILE_BYTES + 1)
            .unwrap();
        let beyond = super::folder(&folder)("a").unwrap_err();
        assert!(
            beyond.contains("has 67108865 bytes; valid: at most 64 MiB"),
            "{beyond}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn what_has_no_end_or_no_writer_is_not_waited_for() {
        let device = Path::new("/dev/zero");
        assert!(
            read_file(device, 5)
                .unwrap_err()
                .to_string()
                .contains("is not a file")
        );
        let endless = read_bounded(device, 5).unwrap_err().to_string();
        assert_eq!(endless, "the file has 6 bytes; valid: at most 5 bytes");
    }

    #[test]
    fn all_files_together_have_a_limit() {
        let source = |_: &str| Ok(vec![0; 6]);
        let mut report = Report::default();
        let mut reader = Reader::new(&source);
        reader.room = 12;
        let at = At::default().field("file");
        assert!(reader.bytes("a", &at, &mut report).is_some());
        assert!(reader.bytes("b", &at, &mut report).is_some());
        assert!(reader.bytes("a", &at, &mut report).is_some());
        assert!(reader.bytes("c", &at, &mut report).is_none());
        let found = report.finish().map_or(String::new(), |e| e.to_string());
        assert!(
            found.contains("\"c\": the file has 6 bytes, and 0 are left for it"),
            "{found}"
        );
    }
}
