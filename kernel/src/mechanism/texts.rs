//! Control plane: named texts, and what reads them.

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
    /// For people.
    pub description: String,
    /// The text, as the model has it.
    pub start: String,
    /// What reads it.
    pub readers: TextReaders,
}

/// What reads a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextReaders {
    /// Is it what a sensor says?
    pub message: bool,
    /// Is it the name of a file, which is read at load?
    pub file: bool,
}

impl NamedText {
    /// Would another text be heeded? Files are read at load, and a text without readers is a label.
    pub fn settable(&self) -> bool {
        self.readers.message && !self.readers.file
    }
}

/// What a sensor says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// This; empty: nothing.
    Fixed(String),
    /// What a named text says.
    Named(TextId),
}

impl Message {
    /// The words, as the named texts are now.
    pub fn words<'a>(&'a self, texts: &'a [String]) -> &'a str {
        match self {
            Self::Fixed(text) => text,
            Self::Named(id) => texts.get(id.index()).map_or("", String::as_str),
        }
    }
}

/// Why a text cannot be one; `None`: it can.
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
