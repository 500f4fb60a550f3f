//! Control plane: makes the tree of what the parser found, within the limits.

use super::{Field, Kind, Mark, Node, Sources, syntax};
use crate::errors::{At, Report, quote};
use crate::limits::{JSON_NESTING, MODEL_VALUES, NAME_BYTES};
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use serde_json::Number;
use std::collections::BTreeSet;

/// The place of a value in the tree. It becomes text only when a message needs it, since a deeply nested path would
/// otherwise be copied for every value below it.
struct Place<'a> {
    up: Option<&'a Place<'a>>,
    step: Step<'a>,
}

/// The last step to a place.
enum Step<'a> {
    Top,
    Key(&'a str),
    Index(usize),
}

impl Place<'_> {
    fn at(&self) -> At {
        let up = self.up.map_or_else(At::default, Self::at);
        match self.step {
            Step::Top => up,
            Step::Key(key) => up.field(key),
            Step::Index(k) => up.index(k),
        }
    }

    fn depth(&self) -> usize {
        let mut depth = 0;
        let mut here = self.up;
        while let Some(place) = here {
            depth += 1;
            here = place.up;
        }
        depth
    }
}

/// The tree of a parsed text; `None` after a report.
pub(super) fn tree(
    value: &Value<'_>,
    (sources, file): (&Sources, usize),
    report: &mut Report,
) -> Option<Node> {
    let mut making = Making {
        text: sources.text(file),
        file,
        report,
        count: 0,
    };
    making.node(
        value,
        &Place {
            up: None,
            step: Step::Top,
        },
    )
}

struct Making<'a> {
    text: &'a str,
    file: usize,
    report: &'a mut Report,
    count: usize,
}

impl Making<'_> {
    fn mark(&self, item: &impl Ranged) -> Mark {
        Mark::new(self.file, item.range().start)
    }

    /// Reports that the text cannot be read further.
    fn stop<T>(&mut self, mark: Mark, message: String) -> Option<T> {
        self.report.add(&At::default().marked(mark), message);
        None
    }

    fn node(&mut self, value: &Value<'_>, place: &Place<'_>) -> Option<Node> {
        let mark = self.mark(value);
        self.count += 1;
        if self.count > MODEL_VALUES {
            return self.stop(
                mark,
                format!("more than {MODEL_VALUES} values in one model"),
            );
        }
        let kind = match value {
            Value::NullKeyword(_) => Kind::Null,
            Value::BooleanLit(flag) => Kind::Bool(flag.value),
            Value::NumberLit(number) => match number.value.parse::<Number>() {
                Ok(number) => Kind::Number(number),
                Err(_) => return self.stop(mark, syntax::OUT_OF_RANGE.to_owned()),
            },
            Value::StringLit(text) => Kind::Text(text.value.to_string()),
            Value::Array(array) => {
                self.nesting(place, mark)?;
                let mut items = Vec::with_capacity(array.elements.len());
                for (k, item) in array.elements.iter().enumerate() {
                    let up = Some(place);
                    let step = Step::Index(k);
                    items.push(self.node(item, &Place { up, step })?);
                }
                Kind::List(items)
            }
            Value::Object(object) => {
                self.nesting(place, mark)?;
                Kind::Object(self.fields(object, place)?)
            }
        };
        Some(Node::new(kind, mark))
    }

    fn nesting(&mut self, place: &Place<'_>, mark: Mark) -> Option<()> {
        if place.depth() >= JSON_NESTING {
            return self.stop(mark, syntax::too_deep());
        }
        Some(())
    }

    fn fields(
        &mut self,
        object: &jsonc_parser::ast::Object<'_>,
        place: &Place<'_>,
    ) -> Option<Vec<Field>> {
        let mut fields: Vec<Field> = Vec::with_capacity(object.properties.len());
        let mut seen = BTreeSet::new();
        for property in &object.properties {
            let key = property.name.as_str();
            let mark = self.mark(&property.name);
            if key.len() > NAME_BYTES {
                let message = format!("a key has {} bytes; valid: at most {NAME_BYTES}", key.len());
                return self.stop(mark, message);
            }
            if let Some(fault) = syntax::bare_key(self.text, mark.offset()) {
                return self.stop(mark, fault);
            }
            let up = Some(place);
            let step = Step::Key(key);
            let node = self.node(&property.value, &Place { up, step })?;
            if !seen.insert(key) {
                if !self.report.is_full() {
                    let message = format!("the key {} occurs twice; keep one", quote(key));
                    let at = place.at().field(key).marked(mark);
                    self.report.add(&at, message);
                }
                let same = fields.iter_mut().find(|field| field.key == key);
                if let Some(field) = same {
                    field.node = node;
                }
                continue;
            }
            let key = key.to_owned();
            fields.push(Field { key, mark, node });
        }
        Some(fields)
    }
}
