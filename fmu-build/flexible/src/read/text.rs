//! Control plane: text files with bounded sizes, numbers in Fortran's notation, and errors with a place.

use std::io::Read;
use std::path::Path;

/// Largest file that is read \[bytes\].
pub(crate) const MAX_BYTES: u64 = 8 << 30;

/// Why a file cannot be read: the place, the fault, what would be valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {place}{message}")]
pub struct ReadError {
    /// The file.
    pub file: String,
    /// `line 12: ` or the like; empty where the whole file is meant.
    pub place: String,
    /// The fault, and what would be valid.
    pub message: String,
}

impl ReadError {
    /// About a whole file.
    pub fn of(file: &str, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            place: String::new(),
            message: message.into(),
        }
    }

    /// About a line, counted from 1.
    pub fn at(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            place: format!("line {line}: "),
            ..Self::of(file, message)
        }
    }
}

/// Gives the text of a file.
pub(crate) type Loader<'a> = &'a dyn Fn(&Path) -> Result<String, ReadError>;

/// The bytes of a file of at most [`MAX_BYTES`].
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let name = path.display().to_string();
    let fail = |error: std::io::Error| ReadError::of(&name, error.to_string());
    let file = std::fs::File::open(path).map_err(fail)?;
    let length = file.metadata().map_err(fail)?.len();
    let too_long = || {
        let message = format!("{length} bytes; at most {MAX_BYTES} are read");
        ReadError::of(&name, message)
    };
    if length > MAX_BYTES {
        return Err(too_long());
    }
    let mut bytes = Vec::with_capacity(length as usize);
    // A device or pipe has no length, so the limit applies to the bytes that are read as well.
    let count = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    if count.map_err(fail)? as u64 > MAX_BYTES {
        return Err(too_long());
    }
    Ok(bytes)
}

/// The text of a file.
pub(crate) fn load(path: &Path) -> Result<String, ReadError> {
    String::from_utf8(bytes(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].split(|byte| *byte == b'\n').count();
        let name = path.display().to_string();
        ReadError::at(&name, line, "is not text (UTF-8 or ASCII)")
    })
}

/// A finite number; the exponent may be written with D.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let value = match text.parse() {
        Ok(value) => value,
        Err(_) => text.replace(['d', 'D'], "e").parse().ok()?,
    };
    Some(value).filter(|value: &f64| value.is_finite())
}

/// A text as part of a message, shortened.
pub(crate) fn quote(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if text.chars().count() > LONGEST {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn numbers_in_all_spellings() {
        assert_eq!(number(" 1.5D+3 "), Some(1500.0));
        assert_eq!(number("-2.e-3"), Some(-0.002));
        assert_eq!(number("1d0"), Some(1.0));
        for wrong in ["nan", "inf", "1e400", "", "1,5", "-"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn files_that_are_not_text_name_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sti");
        std::fs::write(&path, b"1 1 2.0\n1 \xff 3\n").unwrap();
        let error = load(&path).unwrap_err();
        assert_eq!(error.place, "line 2: ");
        assert!(load(&folder.path().join("b.sti")).is_err());
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(quote(&"x".repeat(60)).chars().count(), 43);
    }
}
