//! Control plane: the texts that a model is read from, and places in them.

use std::collections::BTreeSet;
use std::sync::Arc;

/// No instance.
pub(crate) const NO_CHAIN: u32 = u32::MAX;

/// A place in one of the sources, and the instance for which it was read there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    file: u32,
    offset: u32,
    /// The innermost instance, in [`Sources`]; [`NO_CHAIN`]: the file itself.
    pub(crate) chain: u32,
}

impl Mark {
    /// A byte of a source.
    pub(crate) fn new(file: usize, offset: usize) -> Self {
        Self {
            file: file as u32,
            offset: offset as u32,
            chain: NO_CHAIN,
        }
    }

    /// The byte in its source.
    pub(crate) fn offset(self) -> usize {
        self.offset as usize
    }

    /// The number of its source.
    pub(crate) fn file(self) -> usize {
        self.file as usize
    }
}

/// An instance of a template.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Its name, with its number in an array.
    pub(crate) name: String,
    /// Its template.
    pub(crate) template: String,
    /// Where it is declared.
    pub(crate) at: Mark,
}

/// A source: its name for messages, its text.
#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: Arc<str>,
    /// Its folder, from that of the model.
    folder: String,
}

/// All texts of a model, the model's own first, and the instances of its templates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    files: Vec<Source>,
    links: Vec<Link>,
    /// Instances of the model that are left out by a condition.
    absent: BTreeSet<String>,
}

impl Sources {
    /// The model's own text; `name` is what messages call it.
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let mut sources = Self::default();
        sources.add(name, text);
        sources
    }

    /// Adds a text; returns its number.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> usize {
        // Editors on Windows start UTF-8 files with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        self.files.push(Source {
            name: name.to_owned(),
            text: text.into(),
            folder: String::new(),
        });
        self.files.len() - 1
    }

    /// Says in which folder a source is, from that of the model.
    pub(crate) fn set_folder(&mut self, file: usize, folder: &str) {
        if let Some(source) = self.files.get_mut(file) {
            folder.clone_into(&mut source.folder);
        }
    }

    /// The folder of the source of a place, from that of the model.
    pub(crate) fn folder(&self, mark: Mark) -> &str {
        self.files
            .get(mark.file())
            .map_or("", |source| &source.folder)
    }

    /// The text of a source.
    pub(crate) fn text(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |source| &source.text)
    }

    /// The name of a source.
    pub(crate) fn name(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |source| &source.name)
    }

    /// Adds an instance; returns its number.
    pub(crate) fn link(&mut self, link: Link) -> u32 {
        self.links.push(link);
        (self.links.len() - 1) as u32
    }

    /// Records instances that are not there; `open` has the templates around them.
    pub(crate) fn leave_out(&mut self, names: &[String], open: &[String]) {
        if open.is_empty() {
            self.absent.extend(names.iter().cloned());
        }
    }

    /// What a message that something does not exist should say of the instance in whose path it is.
    pub(crate) fn advice(&self, message: &str) -> Option<String> {
        if !message.contains("does not exist") && !message.contains("there is no ") {
            return None;
        }
        let plain = |path: &&str| path.contains('.') && !path.contains(['(', ' ', '/']);
        let path = message.split('"').skip(1).step_by(2).find(plain)?;
        let base = path.split(['.', '[']).next().unwrap_or(path);
        let first = path.split('.').next().unwrap_or(path);
        if self.absent.contains(base) || self.absent.contains(first) {
            return Some(format!("; {first} is not there: its \"when\" is false"));
        }
        let own = self.links.iter().filter(|link| link.at.chain == NO_CHAIN);
        let mut elements = 0;
        for link in own {
            if link.name == base {
                return first.contains('[').then(|| format!("; {base} is no array"));
            }
            let rest = link.name.strip_prefix(base);
            elements += usize::from(rest.is_some_and(|rest| rest.starts_with('[')));
        }
        let known = || self.links.iter().any(|link| link.name == first);
        (elements > 0 && !known())
            .then(|| format!("; {base} is an array: {base}[1] to {base}[{elements}]"))
    }

    /// File, line and column, both from 1; columns count characters.
    pub(crate) fn place(&self, mark: Mark) -> (String, usize, usize) {
        let text = self.text(mark.file());
        let mut end = mark.offset().min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[start..].chars().count() + 1;
        (self.name(mark.file()).to_owned(), line, column)
    }

    /// `model.json:12:5`; without a name of the file `12:5`.
    pub(crate) fn say(&self, mark: Mark) -> String {
        let (file, line, column) = self.place(mark);
        let colon = if file.is_empty() { "" } else { ":" };
        format!("{file}{colon}{line}:{column}")
    }

    /// The instances around a place, innermost first, a line each.
    pub(crate) fn chain(&self, mark: Mark) -> Vec<String> {
        let mut lines = Vec::new();
        let mut next = mark.chain;
        while let Some(link) = self.links.get(next as usize) {
            lines.push(format!(
                "in \"{}\", an instance of the template \"{}\", at {}",
                link.name,
                link.template,
                self.say(link.at)
            ));
            next = link.at.chain;
        }
        lines
    }
}
