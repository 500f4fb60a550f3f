//! Control plane: named texts, and files beside the model.

use super::builder::Builder;
use crate::csv::{self, Csv, Header};
use crate::errors::{At, quote};
use crate::meshes::{self, Triangles};
use crate::resources::beside;
use fixstep_kernel::mechanism::Message;

impl Builder<'_> {
    /// The path of a file beside the model, given directly or by a string.
    pub(super) fn path(&mut self, given: &str, at: &At) -> Option<String> {
        match self.words(given, at)? {
            Message::Fixed(path) => Some(path),
            Message::Named(id) => {
                let text = &mut self.texts[id.index()];
                text.readers.file = true;
                Some(text.start.clone())
            }
        }
    }

    /// The message of a sensor.
    pub(super) fn message(&mut self, given: &str, at: &At) -> Option<Message> {
        let message = self.words(given, at)?;
        if let Message::Named(id) = message {
            self.texts[id.index()].readers.message = true;
        }
        Some(message)
    }

    /// A literal text, or the string that `"=name"` refers to.
    fn words(&mut self, given: &str, at: &At) -> Option<Message> {
        let Some(name) = given.strip_prefix('=') else {
            return Some(Message::Fixed(given.to_owned()));
        };
        let found = self.names.strings.find(name.trim());
        let found = found.map_err(|message| self.report.add(at, message));
        found.ok().map(Message::Named)
    }

    /// The triangles of a file beside the model, in its own unit.
    pub(super) fn triangles(&mut self, path: &str, at: &At) -> Option<Triangles> {
        let path = &self.path(path, at)?;
        let bytes = self.files.bytes(path, at, self.report)?;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut told = false;
        let read = meshes::read(path, &bytes, &mut |other| {
            let beside = beside(folder, other)?;
            let bytes = self.files.bytes(&beside, at, self.report);
            told |= bytes.is_none();
            bytes.ok_or_else(|| format!("{} cannot be read", quote(other)))
        });
        let tell = |error| {
            if !told {
                self.report.add(at, format!("{}: {error}", quote(path)));
            }
        };
        read.map_err(tell).ok()
    }

    /// The text of a file beside the model.
    pub(super) fn file(&mut self, path: &str, at: &At) -> Option<String> {
        self.files.text(path, at, self.report)
    }

    /// A table of numbers in a file beside the model.
    pub(super) fn table(&mut self, path: &str, header: Header, at: &At) -> Option<Csv> {
        let path = self.path(path, at)?;
        let text = self.file(&path, at)?;
        csv::read(&text, header)
            .map_err(|error| self.report.add(at, format!("{}: {error}", quote(&path))))
            .ok()
    }
}
