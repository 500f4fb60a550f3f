//! Control plane: reads typed fields from a JSON tree and collects every problem.
//!
//! One declaration per schema type (`schema!`, `tagged!`, `choice!`) makes the type, its reader and, with the feature
//! `schema`, its JSON Schema, so they cannot disagree.

mod fields;
mod foreign;
mod hints;

pub(super) use self::fields::{Fields, split_tag};
pub(super) use self::hints::{expression_hint, number_hint};
use super::errors::{At, Report, quote, quote_all};
use crate::expr::suggest::hint;
use crate::limits::{LIST_ENTRIES, LIST_NUMBERS};
use serde_json::Value;

/// A type that can be read from a JSON tree.
pub(super) trait FromJson: Sized {
    /// Reads; `None` after reporting a problem.
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self>;

    /// The value of an absent field; `None`: the field is required.
    fn absent() -> Option<Self> {
        None
    }

    /// What a field accepts, in words; empty: as its documentation says.
    fn takes() -> String {
        String::new()
    }

    /// The replacement for a field with a reported problem; `None`: the object around it is lost too.
    fn broken() -> Option<Self> {
        None
    }
}

/// `a string "abc"`, for messages.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => format!("{b}"),
        Value::Number(n) => format!("the number {n}"),
        Value::String(s) => format!("the string {}", quote(s)),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// An object with its type in the field `type`.
pub(super) trait Tagged {
    /// The word there.
    fn word(&self) -> &'static str;
}

/// Reports that `value` is not what is expected.
fn expected<T>(what: &str, value: &Value, at: &At, report: &mut Report) -> Option<T> {
    report_unexpected(what, value, at, report);
    None
}

fn report_unexpected(what: &str, value: &Value, at: &At, report: &mut Report) {
    report.add(at, format!("expected {what}, found {}", describe(value)));
}

/// The items of an array of numbers or the like; `count`: the exact number.
fn items<'a>(
    count: Option<usize>,
    value: &'a Value,
    at: &At,
    report: &mut Report,
) -> Option<&'a [Value]> {
    let fits = |items: &&Vec<Value>| match count {
        Some(count) => items.len() == count,
        None => items.len() <= LIST_NUMBERS,
    };
    let Some(items) = value.as_array().filter(fits) else {
        let what = match count {
            Some(count) => format!("an array of {count} numbers"),
            None if value.is_array() => format!("an array of at most {LIST_NUMBERS} items"),
            None => "an array".to_owned(),
        };
        let hint = hints::array_hint(value, count);
        report.add(
            at,
            format!("expected {what}, found {}{hint}", describe(value)),
        );
        return None;
    };
    Some(items)
}

/// The entries of a list of entities.
fn entries<'a>(kind: &str, value: &'a Value, at: &At, report: &mut Report) -> Option<&'a [Value]> {
    let Some(items) = value.as_array() else {
        report.lose(kind);
        let message = format!(
            "expected an array of {kind}s, found {}; write a list in brackets: [{{\"name\": …}}]",
            describe(value)
        );
        report.add(at, message);
        return None;
    };
    if items.len() > LIST_ENTRIES {
        let message = format!(
            "{} entries; a model may have at most {LIST_ENTRIES} in one list",
            items.len()
        );
        report.add(at, message);
        return None;
    }
    Some(items)
}

/// Name and place of an entry of such a list.
fn entry(kind: &str, (k, item): (usize, &Value), at: &At) -> (Option<String>, At) {
    let name = item.get("name").and_then(Value::as_str).map(str::to_owned);
    let at = at.index(k).named(kind, name.as_deref());
    (name, at)
}

impl FromJson for f64 {
    fn takes() -> String {
        "a number".to_owned()
    }

    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value.as_f64() {
            Some(number) if number.is_finite() => Some(number),
            _ => {
                let message = format!(
                    "expected a finite number, found {}{}",
                    describe(value),
                    number_hint(value)
                );
                report.add(at, message);
                None
            }
        }
    }
}

impl FromJson for i64 {
    fn takes() -> String {
        "a whole number".to_owned()
    }

    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        if let Some(number) = value.as_i64() {
            return Some(number);
        }
        let hint = hints::number_hint(value);
        let message = format!("expected an integer, found {}{hint}", describe(value));
        report.add(at, message);
        None
    }
}

impl FromJson for bool {
    fn takes() -> String {
        "true or false".to_owned()
    }

    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value.as_bool() {
            Some(flag) => Some(flag),
            None => expected("true or false", value, at, report),
        }
    }
}

impl FromJson for String {
    fn takes() -> String {
        "a text in double quotes".to_owned()
    }

    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value.as_str() {
            Some(text) => Some(text.to_owned()),
            None => expected("a string", value, at, report),
        }
    }
}

impl FromJson for Value {
    fn from_json(value: &Value, _: &At, _: &mut Report) -> Option<Self> {
        Some(value.clone())
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        T::from_json(value, at, report).map(Self::new)
    }

    fn takes() -> String {
        T::takes()
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        if value.is_null() {
            return Some(None);
        }
        T::from_json(value, at, report).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        let items = items(None, value, at, report)?;
        let mut read = Self::with_capacity(items.len());
        for (k, item) in items.iter().enumerate() {
            read.push(T::from_json(item, &at.index(k), report)?);
        }
        Some(read)
    }

    fn takes() -> String {
        match T::takes() {
            each if each.is_empty() => "an array".to_owned(),
            each => format!("an array in brackets, each item {each}"),
        }
    }
}

impl<T: FromJson, const N: usize> FromJson for [T; N] {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        let items = items(Some(N), value, at, report)?;
        let read: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(k, item)| T::from_json(item, &at.index(k), report))
            .collect();
        let read: Option<Vec<T>> = read.into_iter().collect();
        read?.try_into().ok()
    }

    fn takes() -> String {
        format!("an array of {N} numbers")
    }
}

/// An entity of a list: the part that could be read, and its name in messages.
#[derive(Clone, Debug)]
pub(super) struct Item<T> {
    /// Its name, if it has one: known even if the rest is broken.
    pub(super) name: Option<String>,
    /// Its place.
    pub(super) at: At,
    /// Its data, unless a problem was reported.
    pub(super) data: Option<T>,
}

/// A kind of entity, for messages.
pub(super) trait Entity: FromJson {
    /// `joint`.
    const KIND: &'static str;
}

/// A list of entities, in which a broken one does not hide the others.
#[derive(Clone, Debug)]
pub(super) struct List<T>(pub(super) Vec<Item<T>>);

impl<T: Entity> FromJson for List<T> {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        let entries = entries(T::KIND, value, at, report)?;
        let mut read = Vec::with_capacity(entries.len());
        for (k, item) in entries.iter().enumerate() {
            let (name, at) = entry(T::KIND, (k, item), at);
            if name.is_none() {
                report.lose(T::KIND);
            }
            let data = T::from_json(item, &at, report);
            read.push(Item { name, at, data });
        }
        Some(Self(read))
    }

    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }

    fn broken() -> Option<Self> {
        Some(Self(Vec::new()))
    }
}

/// A field whose problems do not hide those of the object around it.
#[derive(Clone, Debug)]
pub(super) struct Kept<T>(pub(super) Option<T>);

impl<T: FromJson> FromJson for Kept<T> {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        Some(Self(T::from_json(value, at, report)))
    }

    fn takes() -> String {
        T::takes()
    }

    fn absent() -> Option<Self> {
        T::absent().map(|absent| Self(Some(absent)))
    }

    fn broken() -> Option<Self> {
        Some(Self(None))
    }
}

/// Makes a wrapper appear in the JSON Schema as the wrapped type.
macro_rules! transparent {
    ($wrapper:ident, $inner:ty) => {
        impl<T: schemars::JsonSchema> schemars::JsonSchema for $wrapper<T> {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$inner>::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$inner>::json_schema(generator)
            }

            fn inline_schema() -> bool {
                true
            }
        }
    };
}

transparent!(List, Vec<T>);
transparent!(Kept, T);

/// Reports a word that is none of the valid ones.
pub(super) fn unknown_word<T>(
    what: &str,
    word: &str,
    valid: &[&str],
    at: &At,
    report: &mut Report,
) -> Option<T> {
    let message = format!(
        "{} is not a {what}{}; valid: {}",
        quote(word),
        hint(word, valid.iter().copied()),
        quote_all(valid.iter().copied())
    );
    report.add(at, message);
    None
}

/// Declares an object type with its reader. A field of type `Option` or `List` may be absent.
macro_rules! schema {
    ($(
        $(#[$meta:meta])*
        $name:ident { $( $(#[$field_meta:meta])* $field:ident: $kind:ty, )* }
    )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[derive(schemars::JsonSchema)]
        #[schemars(deny_unknown_fields)]
        pub(crate) struct $name {
            $( $(#[$field_meta])* pub(crate) $field: $kind, )*
        }

        impl crate::read::FromJson for $name {
            fn from_json(
                value: &serde_json::Value,
                at: &crate::errors::At,
                report: &mut crate::errors::Report,
            ) -> Option<Self> {
                let known = [$((
                    stringify!($field),
                    <$kind as crate::read::FromJson>::absent().is_none(),
                )),*];
                let fields = crate::read::Fields::open(value, at, &known, report)?;
                $( let $field = fields.get::<$kind>(stringify!($field), report); )*
                let read = Self { $( $field: $field?, )* };
                // Descriptions of entities are for people who read the file; some objects have no field.
                let _ = (&fields, $( &read.$field, )*);
                Some(read)
            }

            fn takes() -> String {
                const NAMES: &[&str] = &[$(stringify!($field)),*];
                format!("an object with the fields {}", NAMES.join(", "))
            }
        }
    )* };
}

/// Declares an enum of object types, told apart by the field `type`. In the schema the title of a variant is its name between
/// the two words, such as `RevoluteJoint`: the name of its class where a program makes classes of the schema.
macro_rules! tagged {
    (
        $(#[$meta:meta])*
        $name:ident ($what:literal, $before:literal _ $behind:literal) {
            $( $(#[$variant_meta:meta])* $variant:ident($inner:ty) = $word:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[derive(schemars::JsonSchema)]
        #[schemars(tag = "type")]
        pub(crate) enum $name { $(
            $(#[$variant_meta])*
            #[schemars(rename = $word, title = concat!($before, stringify!($variant), $behind))]
            $variant($inner),
        )* }

        impl crate::read::Tagged for $name {
            fn word(&self) -> &'static str {
                match self { $( Self::$variant(_) => $word, )* }
            }
        }

        impl crate::read::FromJson for $name {
            fn from_json(
                value: &serde_json::Value,
                at: &crate::errors::At,
                report: &mut crate::errors::Report,
            ) -> Option<Self> {
                const VALID: &[&str] = &[$($word),*];
                let (word, rest) = crate::read::split_tag(value, at, VALID, report)?;
                match word.as_str() {
                    $( $word => <$inner>::from_json(&rest, at, report).map(Self::$variant), )*
                    _ => crate::read::unknown_word(
                        $what, &word, VALID, &at.field("type"), report,
                    ),
                }
            }
        }
    };
}

/// Declares an enum of words.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $name:ident ($what:literal) {
            $( $(#[$variant_meta:meta])* $variant:ident = $word:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[derive(schemars::JsonSchema)]
        pub(crate) enum $name { $(
            $(#[$variant_meta])*
            #[schemars(rename = $word, title = concat!(stringify!($name), stringify!($variant)))]
            $variant,
        )* }

        impl $name {
            /// The word.
            pub(crate) fn word(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }

        impl crate::read::FromJson for $name {
            fn from_json(
                value: &serde_json::Value,
                at: &crate::errors::At,
                report: &mut crate::errors::Report,
            ) -> Option<Self> {
                let word = String::from_json(value, at, report)?;
                match word.as_str() {
                    $( $word => Some(Self::$variant), )*
                    _ => crate::read::unknown_word(
                        $what, &word, &[$($word),*], at, report,
                    ),
                }
            }
        }
    };
}

pub(super) use {choice, schema, tagged};
