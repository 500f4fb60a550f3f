//! Control plane: `${…}` in texts: constants and parameters of templates, and arithmetic of them.
//!
//! What stands in the brackets is an expression of the model's own language. Its value is a number in the units of the
//! file, the decimal one that is meant: `${0.1*3}` is 0.3.

use super::Context;
use crate::errors::{At, quote};
use crate::expr::suggest::hint;
use crate::expr::{self, Argument, ResolveError, Resolver};
use crate::measure;
use crate::text::{Kind, Node};
use fixstep_kernel::ids::LeafId;
use std::collections::BTreeMap;

/// The names that `${…}` can read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    values: BTreeMap<String, Value>,
}

/// A value of such a name.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// As it is written; it replaces a text that is nothing but its name.
    pub(crate) node: Node,
    /// In the units of the file; `None`: it is no number.
    pub(crate) number: Option<f64>,
    /// Is it an angle, by its unit?
    pub(crate) angle: bool,
}

impl Scope {
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    /// Sets a whole number.
    pub(crate) fn set_number(&mut self, name: &str, number: f64, like: &Node) {
        let node = Node::number(number, like.mark);
        let value = Value {
            node,
            number: Some(number),
            angle: false,
        };
        self.set(name, value);
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number
    }
}

/// Replaces all `${…}` in the texts of a tree.
pub(crate) fn substitute(node: &mut Node, scope: &Scope, context: &mut Context<'_>) {
    node.each(&mut |node| {
        let Some(text) = node.as_str().filter(|text| text.contains("${")) else {
            return;
        };
        match replaced(text, scope, context) {
            Ok(value) => {
                let mark = node.mark;
                *node = value;
                let chain = mark;
                node.each(&mut |inner| inner.mark = chain);
            }
            Err(message) => {
                let at = At::default().marked(node.mark);
                context.report.add(&at, message);
            }
        }
    });
}

/// The value that a text stands for.
fn replaced(text: &str, scope: &Scope, context: &Context<'_>) -> Result<Node, String> {
    let mark = crate::text::Mark::new(0, 0);
    let whole = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    if let Some(inner) = whole.filter(|inner| !inner.contains('}')) {
        if let Some(value) = scope.get(inner.trim()) {
            return Ok(value.node.clone());
        }
        return Ok(Node::number(evaluate(inner, scope, context)?, mark));
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let Some(end) = inner.find('}') else {
            return Err(format!("{}: a \"${{\" without its \"}}\"", quote(text)));
        };
        let words = &inner[..end];
        match scope.get(words.trim()).map(|value| &value.node.value) {
            Some(Kind::Text(word)) if measure::read(word) == measure::Reading::Other => {
                out.push_str(word);
            }
            _ => out.push_str(&printed(evaluate(words, scope, context)?)),
        }
        rest = &inner[end + 1..];
    }
    out.push_str(rest);
    Ok(Node::text(out, mark))
}

/// A number within a text. Negative ones are in parentheses, as the text may be an expression.
fn printed(value: f64) -> String {
    let node = Node::number(value, crate::text::Mark::new(0, 0));
    let text = node.to_value().to_string();
    if value < 0.0 {
        format!("({text})")
    } else {
        text
    }
}

/// The value of an expression.
fn evaluate(text: &str, scope: &Scope, context: &Context<'_>) -> Result<f64, String> {
    let mut reader = Reader {
        scope,
        context,
        leaves: Vec::new(),
        doubts: Vec::new(),
    };
    let program = expr::compile(text, &mut reader).map_err(|error| {
        let (column, message) = (error.column, &error.message);
        format!("column {column} of {}: {message}", quote(text))
    })?;
    if let Some(doubt) = reader.doubts.first() {
        return Err(format!(
            "{}: {doubt}; degrees are written 30D",
            quote(&format!("${{{text}}}"))
        ));
    }
    if context.units.angle.factor != 1.0
        && let Some(name) = angle_in_radians(text, scope)
    {
        return Err(format!(
            "{}: {} counts in {}, the unit of the file, and SIN, COS and TAN are of radians: write {name}*DTOR",
            quote(&format!("${{{text}}}")),
            quote(&name),
            context.units.angle.name
        ));
    }
    let value = program.value(&reader.leaves, &mut vec![0.0; program.registers()]);
    if !value.is_finite() {
        return Err(format!(
            "{} has no finite value",
            quote(&format!("${{{text}}}"))
        ));
    }
    Ok(measure::digits(value, value))
}

/// An angle that a function of radians takes as it is.
fn angle_in_radians(text: &str, scope: &Scope) -> Option<String> {
    let mut found = None;
    let mut function = false;
    let converts = text.to_ascii_uppercase().contains("DTOR") || text.contains("PI");
    let _ = super::names::replaced(text, &mut |name, is_call| {
        if is_call {
            let word = name.to_ascii_uppercase();
            function = ["SIN", "COS", "TAN"].contains(&word.as_str());
        } else if function && !converts && scope.get(name).is_some_and(|value| value.angle) {
            found = Some(name.to_owned());
        }
        None
    });
    found
}

/// Gives the names in `${…}` their values.
struct Reader<'a> {
    scope: &'a Scope,
    context: &'a Context<'a>,
    leaves: Vec<f64>,
    /// What looks like degrees where radians are expected.
    doubts: Vec<String>,
}

impl Resolver for Reader<'_> {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        let Some(value) = self.scope.get(name) else {
            if self.context.outer.get(name) == Some(&"parameters") {
                return Err(ResolveError::new(format!(
                    "{} is a parameter of the FMU, which may change when the model has its structure; what a template is made \
                     with is one of the \"constants\" or a parameter of the template",
                    quote(name)
                )));
            }
            if name == "TIME" {
                return Err(ResolveError::new(
                    "there is no time yet when a model is expanded",
                ));
            }
            let known = || self.scope.values.keys().map(String::as_str);
            return Err(ResolveError::new(format!(
                "{} is no constant and no parameter of the template{}",
                quote(name),
                hint(name, known())
            )));
        };
        let Some(number) = value.number else {
            return Err(ResolveError::new(format!("{} is no number", quote(name))));
        };
        self.leaves.push(number);
        Ok(LeafId::from(self.leaves.len() - 1))
    }

    fn call(&mut self, _: &str, _: &[Argument]) -> Result<LeafId, ResolveError> {
        Err(ResolveError::Unknown)
    }

    fn suspect(&mut self, what: String) {
        self.doubts.push(what);
    }

    fn functions(&self) -> Vec<&str> {
        Vec::new()
    }

    fn names(&self) -> Vec<&str> {
        self.scope.values.keys().map(String::as_str).collect()
    }
}
