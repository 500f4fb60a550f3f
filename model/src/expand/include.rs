//! Control plane: includes: other files whose constants, templates, instances and lists a model takes over.
//!
//! A path counts from the folder of the file that names it. What is included comes before what the file has itself. A file
//! that is named twice, by whatever paths, is read once.

use super::{FIELDS, defaults};
use crate::errors::{At, Report, quote};
use crate::limits::{INCLUDES, MODEL_BYTES};
use crate::resources::{self, Resources};
use crate::schema::VERSION;
use crate::shape;
use crate::text::{self, Kind, Node, Sources};
use std::collections::BTreeSet;

/// Takes over what a model includes.
pub(super) fn load(
    tree: &mut Node,
    (sources, files): (&mut Sources, &Resources<'_>),
    report: &mut Report,
) {
    let units = tree.get("units").map(Node::to_value);
    let mut loader = Loader {
        sources,
        files,
        report,
        units,
        read: BTreeSet::new(),
        open: Vec::new(),
    };
    loader.take_over(tree, "");
}

struct Loader<'a> {
    sources: &'a mut Sources,
    files: &'a Resources<'a>,
    report: &'a mut Report,
    units: Option<serde_json::Value>,
    read: BTreeSet<String>,
    /// The files that are being read, outermost first.
    open: Vec<String>,
}

impl Loader<'_> {
    /// Takes over what a file in a folder includes.
    fn take_over(&mut self, tree: &mut Node, folder: &str) {
        defaults::apply(tree, self.report);
        let Some(include) = tree.take("include") else {
            return;
        };
        let paths = match &include.value {
            Kind::List(items) => items.clone(),
            _ => vec![include],
        };
        let mut all = Node::new(Kind::Object(Vec::new()), tree.mark);
        for path in &paths {
            let at = At::default().field("include").marked(path.mark);
            let Some(text) = path.as_str() else {
                self.report.add(
                    &at,
                    "expected the path of a file in double quotes: \"corner.json\"",
                );
                continue;
            };
            match self.file(text, folder) {
                Ok(Some(mut included)) => {
                    let units = included.take("units");
                    self.check_units(units.as_ref());
                    merge(&mut all, included, self.sources, self.report);
                }
                Ok(None) => {}
                Err(message) => self.report.add(&at, message),
            }
        }
        let own = std::mem::replace(tree, all);
        merge(tree, own, self.sources, self.report);
    }

    /// The tree of a file with what it includes itself; `None`: it was read before, or its problems are reported.
    fn file(&mut self, path: &str, folder: &str) -> Result<Option<Node>, String> {
        let path = resources::beside(folder, path)?;
        if self.open.contains(&path) {
            let mut names: Vec<&str> = self.open.iter().map(String::as_str).collect();
            names.push(&path);
            return Err(format!(
                "a file includes itself: {}",
                names.join(" includes ")
            ));
        }
        if self.open.len() >= INCLUDES {
            return Err(format!("more than {INCLUDES} files include one another"));
        }
        if !self.read.insert(path.clone()) {
            return Ok(None);
        }
        let bytes = (self.files)(&path).map_err(|why| format!("{}: {why}", quote(&path)))?;
        if bytes.len() as u64 > MODEL_BYTES {
            return Err(format!(
                "{}: {}",
                quote(&path),
                text::too_long(bytes.len() as u64)
            ));
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| format!("{} is no UTF-8 text; save the file as UTF-8", quote(&path)))?;
        let name = self.name(&path);
        let file = self.sources.add(&name, &text);
        let Some(mut tree) = text::parse(self.sources, file, self.report) else {
            return Ok(None);
        };
        if tree.as_object().is_none() {
            return Err(format!(
                "{} is no object, as a file of a model is",
                quote(&path)
            ));
        }
        self.check_fields(&tree);
        for own in ["$schema", "fixstep", "description"] {
            tree.take(own);
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.sources.set_folder(file, folder);
        if !folder.is_empty() {
            beside_it(&mut tree, folder);
        }
        self.open.push(path.clone());
        self.take_over(&mut tree, folder);
        self.open.pop();
        Ok(Some(tree))
    }

    /// The name of a file for messages: beside that of the model.
    fn name(&self, path: &str) -> String {
        let own = self.sources.name(0).to_owned();
        match own.rfind(['/', '\\']) {
            Some(end) => joined(&own[..=end], path),
            None => path.to_owned(),
        }
    }

    /// Reports fields that only a model has.
    fn check_fields(&mut self, tree: &Node) {
        let known = ["$schema", "fixstep", "description", "units"];
        for field in tree.as_object().unwrap_or(&[]) {
            let key = field.key.as_str();
            let is =
                known.contains(&key) || FIELDS.contains(&key) || shape::lists().any(|l| l == key);
            if !is {
                let at = At::default().field(key).marked(field.mark);
                let message = format!(
                    "an included file has constants, defaults, templates, instances and lists of entities; {} belongs in the model",
                    quote(key)
                );
                self.report.add(&at, message);
            }
            if key == "fixstep" && field.node.as_f64() != Some(VERSION as f64) {
                let at = At::default().field(key).marked(field.node.mark);
                let message = format!(
                    "the version of the format is {VERSION}, as that of the model; found {}",
                    field.node.to_value()
                );
                self.report.add(&at, message);
            }
        }
    }

    fn check_units(&mut self, units: Option<&Node>) {
        if let Some(units) = units
            && Some(units.to_value()) != self.units
        {
            let at = At::default().field("units").marked(units.mark);
            let own = self
                .units
                .as_ref()
                .map_or("none".to_owned(), ToString::to_string);
            let message = format!(
                "the units of an included file must be those of the model, which has {own}; numbers with units, as \"12 mm\", fit any \
                 model"
            );
            self.report.add(&at, message);
        }
    }
}

/// A path in a folder, without the way there and back again: `lib/a.json`, not `m/../lib/a.json`.
fn joined(folder: &str, path: &str) -> String {
    let (mut folder, mut path) = (folder, path);
    while let Some(rest) = path.strip_prefix("../") {
        let inner = folder.trim_end_matches(['/', '\\']);
        let name = inner
            .rfind(['/', '\\'])
            .map_or(inner, |end| &inner[end + 1..]);
        if ["", ".", ".."].contains(&name) {
            break;
        }
        folder = &inner[..inner.len() - name.len()];
        path = rest;
    }
    format!("{folder}{path}")
}

/// Adds what a file has to what was included before it.
fn merge(into: &mut Node, from: Node, sources: &Sources, report: &mut Report) {
    let Kind::Object(fields) = from.value else {
        return;
    };
    into.mark = from.mark;
    for field in fields {
        let key = field.key.as_str();
        match (
            into.get_mut(key).map(|node| &mut node.value),
            field.node.value,
        ) {
            (Some(Kind::List(all)), Kind::List(more)) => all.extend(more),
            (Some(Kind::Object(all)), Kind::Object(more)) if key == "constants" => {
                for one in more {
                    if let Some(other) = all.iter().find(|other| other.key == one.key) {
                        // Two libraries may need the same.
                        if other.node.to_value() == one.node.to_value() {
                            continue;
                        }
                        let at = At::default().field(key).field(&one.key).marked(one.mark);
                        let message = format!(
                            "the constant {} is there already with another value, at {}; rename one in its file, with the texts that \
                             read it",
                            quote(&one.key),
                            sources.say(other.mark)
                        );
                        report.add(&at, message);
                    } else {
                        all.push(one);
                    }
                }
            }
            (_, value) => {
                let node = Node::new(value, field.node.mark);
                // What the file says itself comes last and counts.
                into.set(key, node);
            }
        }
    }
}

/// Is a path nothing but a value, `${tyre}`? Then it counts from where that is given.
fn is_handed_on(path: &str) -> bool {
    path.starts_with("${") && path.find('}') == Some(path.len() - 1)
}

/// Lets the paths of files in an included file count from its folder.
fn beside_it(node: &mut Node, folder: &str) {
    match &mut node.value {
        Kind::Object(fields) => {
            for field in fields {
                if let (true, Kind::Text(path)) = (field.key == "file", &mut field.node.value)
                    && !path.starts_with('=')
                    && !is_handed_on(path)
                {
                    *path = resources::beside(folder, path).unwrap_or_else(|_| path.clone());
                }
                beside_it(&mut field.node, folder);
            }
        }
        Kind::List(items) => items.iter_mut().for_each(|item| beside_it(item, folder)),
        _ => {}
    }
}
