//! Control plane: guesses the intended value when a field does not accept the given one.

use crate::csv::is_decimal_comma;
use crate::errors::quote;
use serde_json::Value;

/// A hint about a value that should be a plain number.
pub(in super::super) fn number_hint(value: &Value) -> String {
    let Some(text) = value.as_str().map(str::trim) else {
        return String::new();
    };
    if text.starts_with('=') {
        return "; this field takes a plain number, no expression: what it decides (a table, a count, a setting) is made \
                when the model is read, before parameters have values"
            .to_owned();
    }
    in_quotes(text).unwrap_or_else(|| "; this field takes a plain number".to_owned())
}

/// A hint about a value that should be a number or an expression of parameters.
pub(in super::super) fn expression_hint(value: &Value) -> String {
    let Some(text) = value.as_str().map(str::trim) else {
        return String::new();
    };
    in_quotes(text).unwrap_or_else(|| match text {
        "" => String::new(),
        _ if has_unit(text) => "; a number with a unit is one number and its unit, as \"0.5 kg\": what is computed stands in ${…} with \
                                constants that have units"
            .to_owned(),
        _ => format!("; an expression begins with \"=\": \"={text}\""),
    })
}

/// Is a text a sum or product of numbers with a unit behind it?
fn has_unit(text: &str) -> bool {
    text.rsplit_once(' ').is_some_and(|(number, unit)| {
        number.starts_with(|c: char| c.is_ascii_digit())
            && number.contains(['/', '*', '+', '-'])
            && unit.starts_with(|c: char| c.is_alphabetic() || c == '°')
            && fixstep_variables::units::parse_unit(unit).is_ok()
    })
}

/// A hint about a text that begins like a number.
fn in_quotes(text: &str) -> Option<String> {
    if text.parse::<f64>().is_ok_and(f64::is_finite) {
        return Some(format!("; write a number without quotes: {text}"));
    }
    if is_decimal_comma(text) {
        let point = text.replace(',', ".");
        return Some(format!(
            "; write a number without quotes, with a decimal point: {point}"
        ));
    }
    let comma = text.find(|c: char| !matches!(c, '0'..='9' | '.' | ',' | '-' | '+'))?;
    let (number, unit) = text.split_at(comma);
    if is_decimal_comma(number)
        && unit
            .trim()
            .starts_with(|c: char| c.is_alphabetic() || c == '°')
    {
        let point = number.replace(',', ".");
        return Some(format!("; decimals follow a point: \"{point}{unit}\""));
    }
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+'))?;
    let rest = text[end..].trim();
    let is_unit = rest.starts_with(|c: char| c.is_alphabetic() || c == '°')
        && !rest.contains(['(', '*', '+', '-']);
    (text[..end].parse::<f64>().is_ok() && is_unit).then(|| {
        "; write a number without quotes and without its unit: the units of all numbers are in \"units\"".to_owned()
    })
}

/// A hint about a value that should be an array of numbers.
pub(super) fn array_hint(value: &Value, count: Option<usize>) -> String {
    match (value, count) {
        (Value::String(text), _) if text.contains(',') => {
            let bare = text.trim_matches(['[', ']', '(', ')', ' ']);
            let items: Vec<&str> = bare.split(',').map(str::trim).collect();
            if items.iter().all(|item| item.parse::<f64>().is_ok()) {
                format!("; write an array in brackets, without quotes: [{bare}]")
            } else {
                let items = items
                    .into_iter()
                    .map(|item| quote(item.trim_matches(['"', '\''])));
                let items: Vec<String> = items.collect();
                format!(
                    "; write an array in brackets, each text in quotes: [{}]",
                    items.join(", ")
                )
            }
        }
        (Value::Array(items), Some(count)) if items.len() > count => {
            "; is a comma a decimal comma? Decimals follow a point: 0.5".to_owned()
        }
        (Value::Array(_) | Value::Number(_) | Value::Object(_), Some(3)) => {
            "; write all three components in brackets: [x, y, z]".to_owned()
        }
        _ => String::new(),
    }
}
