//! Control plane: files beside the model. Only who loads a model may read files: it hands over how.

use super::errors::{At, Report, quote};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// The largest file beside a model, in bytes.
pub const MAX_FILE: usize = 64 * 1024 * 1024;

/// Name of the model's own file, which no other file may take.
const MODEL_FILE: &str = "model.json";

/// How files beside the model are read: from a path as the model writes it (it has passed
/// [`path_fault`]) to the content, or to what stands in the way.
pub type Resources<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// The files that a model refers to, byte for byte, by their paths.
pub type Files = BTreeMap<String, Arc<[u8]>>;

/// Files in and below a folder.
pub fn folder(folder: &Path) -> impl Fn(&str) -> Result<Vec<u8>, String> + '_ {
    move |path| {
        // `/` separates on every platform.
        let path = folder.join(path);
        let fail = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => format!("there is no file {}", path.display()),
            _ => format!("{}: {error}", path.display()),
        };
        let data = std::fs::metadata(&path).map_err(fail)?;
        if !data.is_file() {
            return Err(format!("{} is not a file", path.display()));
        }
        check_size(data.len())?;
        std::fs::read(&path).map_err(fail)
    }
}

/// No files, for a text that comes from nowhere.
pub fn none(_: &str) -> Result<Vec<u8>, String> {
    Err("the model was read without a folder to look for files in".to_owned())
}

fn check_size(bytes: u64) -> Result<(), String> {
    if bytes <= MAX_FILE as u64 {
        return Ok(());
    }
    Err(format!(
        "the file has {bytes} bytes; valid: at most {} MiB",
        MAX_FILE >> 20
    ))
}

/// Why a text is not a path of a file beside the model; `None`: it is one. What is valid names the
/// same file on every platform and inside an FMU.
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
    } else if path.len() > 200 {
        "the path is longer than 200 bytes"
    } else if path.eq_ignore_ascii_case(MODEL_FILE) {
        "that is the name of the model itself inside an FMU; give the file another"
    } else {
        return None;
    };
    Some(fault)
}

/// Reads files once each and keeps them.
pub(super) struct Reader<'a> {
    source: &'a Resources<'a>,
    read: Files,
    broken: Vec<String>,
}

impl<'a> Reader<'a> {
    /// A reader that has read nothing.
    pub(super) fn new(source: &'a Resources<'a>) -> Self {
        Self {
            source,
            read: Files::new(),
            broken: Vec::new(),
        }
    }

    /// What was read, handed over.
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
        check_size(bytes.len() as u64)?;
        Ok(bytes)
    }

    /// A file's text; what is not UTF-8 becomes the replacement character, as in comments of files
    /// from elsewhere.
    pub(super) fn text(&mut self, path: &str, at: &At, report: &mut Report) -> Option<String> {
        let bytes = self.bytes(path, at, report)?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    }
}

#[cfg(test)]
mod tests {
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
        assert!(path_fault(&"a".repeat(201)).is_some());
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
}
