//! Control plane: the problems of a model. Reading collects them and does not stop at the first.

use crate::text::{Mark, NO_CHAIN, Node, Sources};
pub(super) use fixstep_kernel::mechanism::quote;
use fixstep_kernel::mechanism::{Finding, LintRule};
use std::collections::BTreeSet;
use std::fmt;

/// Problems beyond this number are not kept: a file of garbage must not take hours to describe.
const KEPT: usize = 200;

/// One problem of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// The path of the fault: `joints[3].i`; empty for the text as a whole.
    pub path: String,
    /// Whose it is: `joint "hinge_l"`; empty outside entities.
    pub entity: String,
    /// The fault, and what would be valid.
    pub message: String,
    /// Where in the text it is: `model.json:12:5`, line and column from 1; empty if the text as a whole is at fault.
    pub place: String,
    /// The instances of templates around it, innermost first, a line each.
    pub within: Vec<String>,
    /// The place as the reader knows it.
    mark: Option<Mark>,
}

impl ModelError {
    /// The fault without its place in the text.
    pub fn said(&self) -> impl fmt::Display {
        Said(self)
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("error: ")?;
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        write!(f, "{}", Said(self))?;
        for line in &self.within {
            write!(f, "\n    {line}")?;
        }
        Ok(())
    }
}

/// A fault without its place in the text.
struct Said<'a>(&'a ModelError);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(error) = self;
        let (head, field) = match error.path.split_once('.') {
            Some((head, field)) => (head, Some(field)),
            None => (error.path.as_str(), None),
        };
        f.write_str(head)?;
        if let Some(name) = error.entity.find('"').map(|at| &error.entity[at..]) {
            write!(f, " {name}")?;
        }
        if let Some(field) = field {
            write!(f, ", field {field}")?;
        }
        if !head.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&error.message)
    }
}

/// All problems of a model, in the order of reading. Displays as one line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelErrors(pub Vec<ModelError>);

impl ModelErrors {
    /// One problem of the text as a whole.
    pub(super) fn single(message: &str) -> Self {
        Self(vec![ModelError {
            path: String::new(),
            entity: String::new(),
            message: message.to_owned(),
            place: String::new(),
            within: Vec::new(),
            mark: None,
        }])
    }

    /// The same with the places of the problems: those that they have themselves, or those of their paths in the tree of
    /// values.
    pub(super) fn located(mut self, sources: &Sources, tree: Option<&Node>) -> Self {
        for error in &mut self.0 {
            let by_path = || {
                tree.map(|tree| match error.path.as_str() {
                    "" => top(tree, &error.message),
                    path => tree.find(path),
                })
            };
            if let Some(mark) = error.mark.or_else(by_path) {
                error.place = sources.say(mark);
                error.within = sources.chain(mark);
            }
            if let Some(advice) = sources.advice(&error.message) {
                error.message.push_str(&advice);
            }
        }
        // What is wrong in a template is said for its first instance.
        let mut said = BTreeSet::new();
        self.0.retain(|error| {
            error.within.is_empty() || said.insert((error.place.clone(), error.message.clone()))
        });
        self
    }
}

/// The place of a problem of the model as a whole: the key that is unknown, or the beginning.
fn top(tree: &Node, message: &str) -> Mark {
    let key = message.strip_prefix("unknown field \"");
    let key = key.and_then(|rest| rest.split('"').next());
    let fields = tree.as_object().unwrap_or(&[]);
    let field = fields.iter().find(|field| Some(field.key.as_str()) == key);
    field.map_or(tree.mark, |field| field.mark)
}

impl fmt::Display for ModelErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, error) in self.0.iter().enumerate() {
            if k > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ModelErrors {}

/// A place in the model, for messages.
#[derive(Clone, Debug, Default)]
pub(super) struct At {
    path: String,
    entity: String,
    /// Kind and name of the entity, as they are.
    owner: (String, String),
    /// The place in the text, where the path does not lead to it.
    mark: Option<Mark>,
}

impl At {
    /// A field of this place.
    pub(super) fn field(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        Self {
            path: format!("{}{dot}{name}", self.path),
            ..self.clone()
        }
    }

    /// An element of this list.
    pub(super) fn index(&self, k: usize) -> Self {
        Self {
            path: format!("{}[{k}]", self.path),
            ..self.clone()
        }
    }

    /// The same place, as that of a named entity.
    pub(super) fn named(mut self, kind: &str, name: Option<&str>) -> Self {
        self.entity = match name {
            Some(name) => format!("{kind} {}", quote(name)),
            None => kind.to_owned(),
        };
        self.owner = (kind.to_owned(), name.unwrap_or_default().to_owned());
        self
    }

    /// The same with its place in the text.
    pub(super) fn marked(mut self, mark: Mark) -> Self {
        self.mark = Some(mark);
        self
    }

    /// Is it the model as a whole?
    pub(super) fn is_top(&self) -> bool {
        self.path.is_empty()
    }

    /// The list that contains it, `joints` for `joints[3]`; empty for the model as a whole.
    pub(super) fn list(&self) -> Option<&str> {
        match self.path.split_once('[') {
            _ if self.is_top() => Some(""),
            Some((list, rest)) if rest.ends_with(']') && !rest.contains('.') => Some(list),
            _ => None,
        }
    }

    /// Kind and name of the entity, and the field: `force`, `spring`, `fx`. Outside entities, only the path.
    pub(super) fn place(&self) -> (&str, &str, &str) {
        let (kind, name) = &self.owner;
        match self.path.split_once('.') {
            Some((_, field)) if !kind.is_empty() => (kind, name, field),
            _ if !kind.is_empty() => (kind, name, ""),
            _ => (&self.path, "", ""),
        }
    }

    /// `forces[2] "spring": stiffness`.
    pub(super) fn label(&self) -> String {
        let (head, field) = self.path.split_once('.').unwrap_or((&self.path, ""));
        let name = self.entity.find('"').map_or("", |at| &self.entity[at..]);
        let space = if name.is_empty() { "" } else { " " };
        let colon = if field.is_empty() { "" } else { ": " };
        format!("{head}{space}{name}{colon}{field}")
    }
}

/// `"a", "b", "c"`.
pub(super) fn quote_all<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(quote).collect();
    quoted.join(", ")
}

/// Collects problems.
#[derive(Debug, Default)]
pub(super) struct Report {
    errors: Vec<ModelError>,
    /// Kinds of entities of which some have no known name, because of a problem that is already reported.
    lost: BTreeSet<String>,
    /// The number of all, also of those that were told before.
    added: usize,
    /// What has no effect, with its place in the texts.
    doubts: Vec<(Mark, Finding)>,
    /// What was told of places in texts: a template's for its first instance, an array's for its first element.
    said: BTreeSet<(usize, usize, String, String)>,
}

/// The message about a name that no entity of a kind has.
pub(super) fn does_not_exist(kind: &str, name: &str) -> String {
    format!("{kind} {} does not exist", quote(name))
}

impl Report {
    /// Is there a problem of this very place?
    pub(super) fn knows(&self, at: &At) -> bool {
        self.errors.iter().any(|error| error.path == at.path)
    }

    /// Adds a problem.
    pub(super) fn add(&mut self, at: &At, message: impl Into<String>) {
        self.push(at, message.into());
    }

    fn push(&mut self, at: &At, message: String) {
        self.added += 1;
        if self.is_full() {
            return;
        }
        if let Some(mark) = at.mark {
            let path = if mark.chain == NO_CHAIN {
                at.path.clone()
            } else {
                String::new()
            };
            let new = (mark.file(), mark.offset(), path, message.clone());
            if !self.said.insert(new) {
                return;
            }
        }
        self.errors.push(ModelError {
            path: at.path.clone(),
            entity: at.entity.clone(),
            message,
            place: String::new(),
            within: Vec::new(),
            mark: at.mark,
        });
    }

    /// Records that entities of a kind were lost through a reported problem, so that missing names are not reported
    /// again.
    pub(super) fn lose(&mut self, kind: &str) {
        if !self.lost.contains(kind) {
            self.lost.insert(kind.to_owned());
        }
    }

    /// Has an unknown field been reported at a place?
    pub(super) fn has_unknown_field(&self, at: &At) -> bool {
        let mut errors = self.errors.iter();
        errors.any(|e| e.path == at.path && e.message.starts_with("unknown field"))
    }

    /// Follows a message from entities that were lost?
    fn follows(&self, message: &str) -> bool {
        let of = |kind: &String| match kind.as_str() {
            "input" | "parameter" | "variable" => {
                message.contains("there is no input, parameter or variable ")
            }
            "start value" => message.contains("with the parameters' start values"),
            "point mass" | "flexible body" => message.contains("part \""),
            kind => message.contains(&format!("{kind} \"")),
        };
        let unknown = ["\" does not exist", "there is no input,", "start values"]
            .iter()
            .any(|part| message.contains(part));
        unknown && self.lost.iter().any(of)
    }

    /// Records that something has no effect: its kind, its name, and its place.
    pub(super) fn idle(&mut self, (kind, name): (&str, &str), what: String, mark: Mark) {
        if self.doubts.len() < KEPT {
            let remedy = "leave it out, or use it";
            let finding = Finding::new(LintRule::IgnoredSetting, (kind, name, ""), what, remedy);
            self.doubts.push((mark, finding));
        }
    }

    /// What has no effect, with its place in words.
    pub(super) fn take_doubts(&mut self, sources: &Sources) -> Vec<Finding> {
        let doubts = std::mem::take(&mut self.doubts);
        let placed = doubts.into_iter().map(|(mark, mut finding)| {
            finding.what = format!("{} ({})", finding.what, sources.say(mark));
            finding
        });
        placed.collect()
    }

    /// The number of problems so far, with repeated ones.
    pub(super) fn count(&self) -> usize {
        self.added
    }

    /// Is there no room for further problems?
    pub(super) fn is_full(&self) -> bool {
        self.errors.len() >= KEPT
    }

    /// The problems, if there are any.
    pub(super) fn finish(mut self) -> Option<ModelErrors> {
        if self.is_full() {
            let message = format!("only the first {KEPT} problems are listed");
            self.errors.extend(ModelErrors::single(&message).0);
        }
        if !self.lost.is_empty() {
            let (follow, told): (Vec<_>, Vec<_>) = std::mem::take(&mut self.errors)
                .into_iter()
                .partition(|error| self.follows(&error.message));
            self.errors = if told.is_empty() { follow } else { told };
        }
        (!self.errors.is_empty()).then_some(ModelErrors(self.errors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_one_line_with_place_name_and_field() {
        let at = At::default().field("joints").index(3);
        let at = at.named("joint", Some("hinge_l")).field("i");
        let mut report = Report::default();
        report.add(&at, "marker \"m7\" does not exist");
        report.add(&At::default().field("solver").field("fixit"), "too large");
        report.add(&At::default(), "line 1, column 2: bad");
        let text = report.finish().map(|e| e.to_string());
        assert_eq!(
            text.as_deref(),
            Some(
                "error: joints[3] \"hinge_l\", field i: marker \"m7\" does not exist\n\
                 error: solver, field fixit: too large\n\
                 error: line 1, column 2: bad"
            )
        );
        assert_eq!(at.label(), "joints[3] \"hinge_l\": i");
    }

    #[test]
    fn problems_beyond_the_limit_are_mentioned() {
        let mut report = Report::default();
        for _ in 0..KEPT + 7 {
            report.add(&At::default(), "x");
        }
        let errors = report.finish().map_or(Vec::new(), |e| e.0);
        assert_eq!(errors.len(), KEPT + 1);
        assert_eq!(
            errors.last().map(|e| e.message.as_str()),
            Some("only the first 200 problems are listed")
        );
    }
}
