//! Control plane: numbers with units, as `"12 mm"` or `"4 kN/m"`.
//!
//! Where a model takes a number, it also takes a text of a number and a unit. The unit must measure what the field is,
//! which its description in the schema says in brackets; the value becomes a plain number in the units of the file.

mod amounts;
mod dimension;
mod open;

pub(crate) use self::amounts::check as check_amounts;
pub(crate) use self::dimension::{Dimensions, Scale, coordinate_turns};

use self::dimension::of_description;
use crate::errors::{At, Report, quote};
use crate::shape::{self, Spot};
use crate::text::{Kind, Node, Powers};
use fixstep_kernel::mechanism::UnitSystem;
use fixstep_variables::units::{UnitDefinition, parse_unit};
use std::f64::consts::PI;

/// A number with a unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantity {
    /// The number as it is written.
    pub(crate) value: f64,
    /// Its unit.
    pub(crate) unit: UnitDefinition,
}

/// What a text is, where a number is expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reading {
    /// No number with a unit: a plain number, an expression, a word.
    Other,
    /// A number with a unit.
    Quantity(Quantity),
    /// A number with something that is no unit, and why not.
    Unknown(String),
}

/// Reads a text as a number with a unit.
pub(crate) fn read(text: &str) -> Reading {
    let text = text.trim();
    let (number, unit) = split(text);
    let Ok(value) = number.parse::<f64>() else {
        return Reading::Other;
    };
    let begins = |c: char| c.is_alphabetic() || matches!(c, '°' | '%' | '\u{b5}' | '\u{3bc}' | '1');
    if !unit.starts_with(begins) || unit.contains(['(', ')', ',', '\'']) && !unit.contains('/') {
        return Reading::Other;
    }
    // Degrees of an expression: `30D*TIME`.
    let degrees = unit.strip_prefix('D');
    if degrees.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)) {
        return Reading::Other;
    }
    match parse_unit(&spelt(unit)) {
        Ok(unit) if unit.offset == 0.0 && value.is_finite() => {
            Reading::Quantity(Quantity { value, unit })
        }
        Ok(_) => Reading::Unknown("a temperature is no quantity of a model".to_owned()),
        Err(error) => Reading::Unknown(error.reason),
    }
}

/// What is wrong with a text that looks like a number with a unit and is none: `100,5 mm`, `1 000 mm`.
pub(crate) fn doubt(text: &str) -> Option<String> {
    let (number, rest) = split(text.trim());
    let sign = rest
        .chars()
        .next()
        .filter(|c| *c == ',' || c.is_ascii_digit())?;
    let (digits, unit) = split(rest.strip_prefix(',').unwrap_or(rest));
    let digit = |c: char| c.is_ascii_digit();
    if !number.ends_with(digit)
        || !digits.starts_with(digit)
        || !unit.starts_with(char::is_alphabetic)
        || parse_unit(&spelt(unit)).is_err()
    {
        return None;
    }
    let plain = number.replace(',', "");
    let instead = if sign == ',' {
        format!("{plain}.{digits} {unit}")
    } else {
        format!("{plain}{digits} {unit}")
    };
    Some(format!(
        "{} is no number: decimals have a point, and digits no blanks between them; write {}",
        quote(text),
        quote(&instead)
    ))
}

/// The number at the beginning, and the rest without blanks around it.
fn split(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(usize::from(text.starts_with(['-', '+'])));
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let last = digits(end + 1 + sign);
        if last > end + 1 + sign {
            end = last;
        }
    }
    (&text[..end], text[end..].trim())
}

/// A unit with its signs as units of FMI have them: `m/s²` as `m/s2`, `N·m` as `N.m`, `Nm` as `N.m`.
fn spelt(unit: &str) -> String {
    let mut text = String::new();
    for c in unit.chars() {
        match c {
            '²' => text.push('2'),
            '³' => text.push('3'),
            '⁴' => text.push('4'),
            '·' | '⋅' => text.push('.'),
            ' ' => {}
            c => text.push(c),
        }
    }
    for (word, spelt) in [
        ("Nmm", "N.mm"),
        ("kNm", "kN.m"),
        ("Nm", "N.m"),
        ("Ns", "N.s"),
        ("kgm", "kg.m"),
    ] {
        if let Some(rest) = text.strip_prefix(word)
            && !rest.starts_with(|c: char| c.is_alphabetic())
        {
            return format!("{spelt}{rest}");
        }
    }
    text
}

/// The number of a quantity in units of this size. Conversions without angles give the decimal number, so that `35 mm` are
/// exactly `0.035` m.
pub(crate) fn convert(quantity: &Quantity, to_si: f64, turns: bool) -> f64 {
    let factor = quantity.unit.factor;
    if factor == to_si {
        return quantity.value;
    }
    let value = quantity.value * factor / to_si;
    if turns { value } else { digits(value, value) }
}

/// Digits of a number that people write.
const WRITTEN: usize = 12;

/// The short decimal number that a result of sums and products means: 0.1 + 0.2 is 0.3. `of` is the largest term; a result
/// that is no number of 12 digits within the rounding of that term stays as it is.
pub(crate) fn digits(value: f64, of: f64) -> f64 {
    let size = of.abs();
    if !(value.is_finite() && size > 0.0 && size.is_finite()) {
        return value;
    }
    // The exponent of the first digit, as the number is printed.
    let exponent = format!("{size:e}");
    let exponent = exponent
        .rsplit('e')
        .next()
        .and_then(|e| e.parse::<i32>().ok());
    let decimals = 14 - exponent.unwrap_or(0);
    if !(0..=330).contains(&decimals) {
        return value;
    }
    let text = format!("{value:.*}", decimals as usize);
    let short = text.trim_end_matches('0');
    let used = short.bytes().filter(u8::is_ascii_digit).count();
    let leading = short
        .trim_start_matches(['-', '0', '.'])
        .bytes()
        .filter(u8::is_ascii_digit)
        .count();
    if leading.min(used) > WRITTEN {
        return value;
    }
    let rounded = text.parse().unwrap_or(value);
    // No negative zero from rounding.
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Turns every number with a unit into a number in the units of the file.
pub(crate) fn resolve(model: &mut Node, units: &UnitSystem, report: &mut Report) {
    let mut any = false;
    model.each(&mut |node| {
        any = any
            || node.of.is_some()
            || node
                .as_str()
                .is_some_and(|text| read(text) != Reading::Other);
    });
    if !any {
        return;
    }
    let whole = model.clone();
    shape::visit(model, &mut |node, spot| {
        if report.is_full() || !(spot.takes.number || spot.takes.amount || spot.takes.expression) {
            return;
        }
        if let Some(powers) = node.of.take() {
            computed(node, powers, spot, (&whole, units), report);
            return;
        }
        let Some(text) = node.as_str() else { return };
        // Where words are valid too, a text that is no fitting number may be one.
        let words = spot.takes.text && !spot.takes.amount && !spot.takes.expression;
        let reading = read(text);
        let quantity = match &reading {
            Reading::Other => return,
            Reading::Unknown(_) => None,
            Reading::Quantity(quantity) => Some(quantity),
        };
        let place = (spot.path, spot.description);
        if let Some(found) = open::number(text, place, quantity, &whole, units) {
            set(node, found, spot, (&whole, report));
            return;
        }
        let found = match reading {
            Reading::Other => return,
            Reading::Unknown(_) if spot.takes.expression => return,
            Reading::Unknown(reason) => Err(format!(
                "{} is no number with a unit: {reason}",
                quote(text)
            )),
            Reading::Quantity(quantity) => number(&quantity, spot, &whole, units),
        };
        if !words || found.is_ok() {
            set(node, found, spot, (&whole, report));
        }
    });
}

/// A number that was computed of quantities, in the units of the file: checks what it measures, as far as that is sure, and
/// lets it count as the field does.
fn computed(
    node: &mut Node,
    powers: Powers,
    spot: &Spot<'_>,
    (whole, units): (&Node, &UnitSystem),
    report: &mut Report,
) {
    let Some(value) = node.as_f64() else { return };
    if powers.radians {
        return in_radians(node, value, spot, (whole, units));
    }
    let own = Dimensions::of_powers(powers);
    let from = own.guess(units);
    let mut set = |factor: f64| {
        if factor != from {
            let converted = value * from / factor;
            let decimal = digits(converted, converted);
            node.value =
                Node::number(if own.angle == 0 { decimal } else { converted }, node.mark).value;
        }
    };
    let (what, known) = match own_unit(whole, spot.path) {
        Some(Ok(unit)) if own.same(&unit.dimensions, units) => return set(unit.factor),
        Some(Ok(unit)) => (
            format!("what it is for has the unit {}", quote(&unit.name)),
            true,
        ),
        Some(Err(_)) => return,
        None => {
            let Ok(all) = of_description(spot.description, spot, whole) else {
                return;
            };
            let found = all.iter().find(|scale| own.same(&scale.dimensions, units));
            if let Some(scale) = found {
                return set(scale.to_si(units, spot.takes.expression));
            }
            let what: Vec<String> = all.iter().map(Scale::words).collect();
            // An angle in degrees is no number.
            let turns = own.angle != 0 && units.angle.factor != 1.0;
            let known = turns || all.iter().any(|scale| !scale.examples(units).is_empty());
            (format!("the field is {}", what.join(" or ")), known)
        }
    };
    // A field whose description has no unit may have one all the same.
    if powers.sure && known {
        let at = entity(whole, spot.path).marked(node.mark);
        let message = format!(
            "the value {} is {}, and {what}",
            node.to_value(),
            own.guessed().words()
        );
        report.add(&at, message);
    }
}

/// A number in radians: a field of angle takes it in its unit; elsewhere it stays as it is.
fn in_radians(node: &mut Node, value: f64, spot: &Spot<'_>, (whole, units): (&Node, &UnitSystem)) {
    let factor = match own_unit(whole, spot.path) {
        Some(Ok(unit)) if unit.dimensions.is_angle() => unit.factor,
        Some(_) => return,
        // Expressions count in radians.
        None if spot.takes.expression => return,
        None => match of_description(spot.description, spot, whole) {
            Ok(all) if all.iter().all(|scale| scale.dimensions.angle == 1) => units.angle.factor,
            _ => return,
        },
    };
    if factor != 1.0 {
        let own = value / factor;
        node.value = Node::number(digits(own, own), node.mark).value;
    }
}

/// Sets the number that a text means, or reports why it means none.
fn set(
    node: &mut Node,
    found: Result<f64, String>,
    spot: &Spot<'_>,
    (model, report): (&Node, &mut Report),
) {
    match found {
        Ok(value) => node.value = Node::number(value, node.mark).value,
        Err(message) => {
            let at = entity(model, spot.path).marked(node.mark);
            report.add(&at, message);
            // A number that most fields take, so that no other message follows.
            node.value = Kind::Number(1.into());
        }
    }
}

/// The place of a path, as that of its entity.
fn entity(model: &Node, path: &str) -> At {
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    let mut at = At::default().field(head);
    if let Some((list, index)) = head.strip_suffix(']').and_then(|h| h.split_once('[')) {
        let item = index
            .parse()
            .ok()
            .and_then(|k: usize| model.get(list)?.as_list()?.get(k));
        let name = item
            .and_then(|item| item.get("name"))
            .and_then(Node::as_str);
        let kind = list.strip_suffix('s').unwrap_or(list).replace('_', " ");
        at = at.named(&kind, name);
    }
    if rest.is_empty() { at } else { at.field(rest) }
}

/// The number of a quantity for a field, or why it is none.
fn number(
    quantity: &Quantity,
    spot: &Spot<'_>,
    model: &Node,
    units: &UnitSystem,
) -> Result<f64, String> {
    let given = Dimensions::of(&quantity.unit);
    if let Some(label) = own_unit(model, spot.path) {
        let own = label?;
        if !own.measures(&given) {
            return Err(misfit(
                quantity,
                &format!("what has the unit {}", quote(&own.name)),
                std::slice::from_ref(&own.name),
            ));
        }
        return Ok(convert(quantity, own.factor, own.turns()));
    }
    let (description, expression) = (spot.description, spot.takes.expression);
    let all = of_description(description, spot, model).map_err(|what| {
        format!(
            "{} has a unit, but {what}; write a plain number in the units of the file",
            quote(&format!("{} {}", quantity.value, quantity.unit.name))
        )
    })?;
    for scale in &all {
        if scale.dimensions == given {
            let to_si = scale.to_si(units, expression);
            let turns =
                given.angle != 0 && (units.angle.factor != 1.0 || quantity.unit.factor != 1.0);
            return Ok(convert(quantity, to_si, turns && has_pi(quantity, to_si)));
        }
    }
    let fits: Vec<String> = all.iter().flat_map(|scale| scale.examples(units)).collect();
    let what: Vec<String> = all.iter().map(Scale::words).collect();
    Err(misfit(quantity, &what.join(" or "), &fits))
}

/// Is the conversion by a multiple of π?
fn has_pi(quantity: &Quantity, to_si: f64) -> bool {
    let by = quantity.unit.factor / to_si;
    let whole = |x: f64| (x - x.round()).abs() < 1e-12 * x.abs() && x.round() != 0.0;
    !(whole(by) || whole(1.0 / by)) || (by / PI).fract() == 0.0
}

fn misfit(quantity: &Quantity, what: &str, fits: &[String]) -> String {
    let fits: Vec<String> = fits.iter().map(|unit| quote(unit)).collect();
    let unit = quote(&quantity.unit.name);
    if fits.is_empty() {
        return format!(
            "the unit {unit} does not fit: no unit is known for this field, which takes a plain number"
        );
    }
    format!(
        "the unit {unit} does not fit: the field is {what}; units that fit: {}",
        fits.join(", ")
    )
}

/// The unit of a quantity of the FMU that has one of its own, as a parameter.
struct Own {
    name: String,
    factor: f64,
    dimensions: Dimensions,
}

impl Own {
    fn measures(&self, other: &Dimensions) -> bool {
        self.dimensions == *other
    }

    fn turns(&self) -> bool {
        self.dimensions.angle != 0
    }
}

/// The unit in which a field counts that belongs to a parameter, an input or an output.
fn own_unit(model: &Node, path: &str) -> Option<Result<Own, String>> {
    let (head, field) = path.split_once('.')?;
    let (list, index) = head.strip_suffix(']')?.split_once('[')?;
    let owned = ["parameters", "arrays", "inputs", "outputs"].contains(&list);
    let key = field.split('[').next().unwrap_or(field);
    if !owned || !["start", "min", "max"].contains(&key) {
        return None;
    }
    let item = model
        .get(list)?
        .as_list()?
        .get(index.parse::<usize>().ok()?)?;
    let Some(name) = item.get("unit").and_then(Node::as_str) else {
        return Some(Err(
            "the value has a unit, and the quantity itself has none: give its \"unit\" too"
                .to_owned(),
        ));
    };
    let unit = match parse_unit(name) {
        Ok(unit) => unit,
        Err(error) => return Some(Err(error.to_string())),
    };
    Some(Ok(Own {
        name: name.to_owned(),
        factor: unit.factor,
        dimensions: Dimensions::of(&unit),
    }))
}

#[cfg(test)]
mod tests;
