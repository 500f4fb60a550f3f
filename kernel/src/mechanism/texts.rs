//! Control plane: named texts of a model, such as messages and file names.

use crate::ids::TextId;
use crate::limits::TEXT_BYTES;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// A named text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedText {
    /// Name.
    pub name: String,
    /// Text for users.
    pub description: String,
    /// The text in the model.
    pub start: String,
    /// Its readers.
    pub readers: TextReaders,
}

/// The readers of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextReaders {
    /// Is it the message of a sensor?
    pub message: bool,
    /// Is it the name of a file, read at load?
    pub file: bool,
}

impl NamedText {
    /// Does setting another text have an effect? Files are read at load, and a text without readers is a label.
    pub fn settable(&self) -> bool {
        self.readers.message && !self.readers.file
    }
}

/// The message of a sensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// A fixed text; empty for none.
    Fixed(String),
    /// The present value of a named text.
    Named(TextId),
}

impl Message {
    /// The message with the present named texts.
    pub fn words<'a>(&'a self, texts: &'a [String]) -> &'a str {
        match self {
            Self::Fixed(text) => text,
            Self::Named(id) => texts.get(id.index()).map_or("", String::as_str),
        }
    }
}

/// Why a text is invalid; `None` if it is valid.
pub fn text_fault(text: &str) -> Option<String> {
    if text.len() > TEXT_BYTES {
        let bytes = text.len();
        return Some(format!(
            "the text has {bytes} bytes; valid: at most {TEXT_BYTES}"
        ));
    }
    text.contains(char::is_control)
        .then(|| "the text has a control character; valid: a line of plain text".to_owned())
}
