//! Control plane: numbers with units where the dimension is open: it follows from other fields of the model.
//!
//! The stiffness of a contact or a stop is a force over a length to a power that its exponent gives; a factor of a coupler makes a length
//! of an angle, or the reverse; a gain of a controller makes its output of its error.

use super::dimension::{Dimensions, coordinate_turns, turns};
use super::{Own, Quantity, convert, digits, spelt, split};
use crate::errors::quote;
use crate::text::Node;
use crate::units;
use fixstep_kernel::math::pow;
use fixstep_kernel::mechanism::UnitSystem;
use fixstep_variables::units::parse_unit;

/// The number for a field of a dimension that other fields give; `None`: it is no such field.
pub(super) fn number(
    text: &str,
    (path, description): (&str, &str),
    quantity: Option<&Quantity>,
    model: &Node,
    units: &UnitSystem,
) -> Option<Result<f64, String>> {
    if description.contains("length^exponent") {
        let turns = if description.contains("angle^exponent") {
            turns(path, model)
        } else {
            Some(false)
        };
        return Some(stiffness(text, (path, turns), model, units));
    }
    let (head, field) = path.split_once('.')?;
    let (list, index) = head.strip_suffix(']')?.split_once('[')?;
    let entity = model
        .get(list)?
        .as_list()?
        .get(index.parse::<usize>().ok()?)?;
    match (list, field) {
        ("couplers", field) if field.starts_with("scales[") => {
            let k = field["scales[".len()..]
                .trim_end_matches(']')
                .parse()
                .ok()?;
            let quantity = quantity?;
            Some(coupler_scale(quantity, (entity, k), model, units))
        }
        ("pid_controllers", "kp" | "ki" | "kd") => {
            let own = gain(field, entity, model, units);
            Some(own.and_then(|own| {
                let quantity = quantity.ok_or_else(|| {
                    format!(
                        "{} is no number with a unit; the unit of this gain is like {}",
                        quote(text),
                        quote(&own.name)
                    )
                })?;
                let given = Dimensions::of(&quantity.unit);
                if own.dimensions != given {
                    return Err(format!(
                        "the unit {} does not fit: the gain is the output over the error; a unit that fits: {}",
                        quote(&quantity.unit.name),
                        quote(&own.name)
                    ));
                }
                Ok(convert(quantity, own.factor, given.angle != 0))
            }))
        }
        _ => None,
    }
}

/// The exponent of a contact or a stop that says none.
const EXPONENT: f64 = 1.5;

/// The symbols of what a stiffness has above and below, in units of the file and in others.
fn fitting(turns: bool, power: &str, file: &UnitSystem) -> String {
    let own = [
        units::symbol(&units::FORCE, &file.force),
        units::symbol(&units::LENGTH, &file.length),
    ];
    let all = if turns {
        let angle = units::symbol(&units::ANGLE, &file.angle);
        [
            format!("{}.{}/{angle}{power}", own[0], own[1]),
            format!("N.m/rad{power}"),
        ]
    } else {
        [
            format!("{}/{}{power}", own[0], own[1]),
            format!("kN/mm{power}"),
        ]
    };
    let [one, other] = all.map(|unit| quote(&unit));
    if one == other {
        one
    } else {
        format!("{one}, {other}")
    }
}

/// The exponent of a law with a stiffness.
fn exponent_beside(text: &str, path: &str, model: &Node) -> Result<f64, String> {
    let law = path.rsplit_once('.').map_or("", |(law, _)| law);
    Ok(match node(model, law).and_then(|law| law.get("exponent")) {
        None => EXPONENT,
        Some(node) => node.as_f64().ok_or_else(|| {
            format!(
                "{} has a unit, but the exponent is {}, which may change: the unit of the stiffness changes with it; write a plain number \
                 in the units of the file",
                quote(text),
                node.to_value()
            )
        })?,
    })
}

/// A force over a length to the power of the exponent beside it, as `3 N/mm^1.5`; a torque over an angle where it turns.
fn stiffness(
    text: &str,
    (path, turns): (&str, Option<bool>),
    model: &Node,
    file: &UnitSystem,
) -> Result<f64, String> {
    let (value, unit) = split(text);
    let turns = turns.ok_or_else(|| {
        format!(
            "{} has a unit, and whether the coordinate turns is not known here: give \"direction\"",
            quote(text)
        )
    })?;
    let exponent = exponent_beside(text, path, model)?;
    let power = match exponent {
        1.0 => String::new(),
        e => format!("^{e}"),
    };
    let what = if turns {
        "force·length/angle^exponent"
    } else {
        "force/length^exponent"
    };
    let misfit = || {
        format!(
            "the unit {} does not fit: the field is of {what}, and the exponent is {exponent}; units that fit: {}",
            quote(unit),
            fitting(turns, &power, file)
        )
    };
    let spelt = spelt(unit);
    let (above, below) = spelt.rsplit_once('/').ok_or_else(misfit)?;
    let below = below.trim_start_matches('(').trim_end_matches(')');
    let letters = below
        .find(|c: char| !(c.is_alphabetic() || c == '°'))
        .unwrap_or(below.len());
    let (below, given) = below.split_at(letters);
    let given = match given.trim_start_matches('^') {
        "" => 1.0,
        number => number.parse::<f64>().map_err(|_| misfit())?,
    };
    let (Ok(above), Ok(below), Ok(value)) =
        (parse_unit(above), parse_unit(below), value.parse::<f64>())
    else {
        return Err(misfit());
    };
    let arm = i32::from(turns);
    let force = Dimensions {
        mass: 1,
        length: 1 + arm,
        time: -2,
        ..Dimensions::default()
    };
    let coordinate = Dimensions {
        length: 1 - arm,
        angle: arm,
        ..Dimensions::default()
    };
    if Dimensions::of(&above) != force || Dimensions::of(&below) != coordinate || given != exponent
    {
        return Err(misfit());
    }
    let (effort, unit) = if turns {
        (file.force.factor * file.length.factor, file.angle.factor)
    } else {
        (file.force.factor, file.length.factor)
    };
    let value = value * (above.factor / effort) / pow(below.factor / unit, exponent);
    Ok(digits(value, value))
}

/// The value of a path.
fn node<'a>(model: &'a Node, path: &str) -> Option<&'a Node> {
    let mut here = model;
    for step in path.split(['.', '[']) {
        here = match step.strip_suffix(']') {
            Some(index) => here.as_list()?.get(index.parse::<usize>().ok()?)?,
            None => here.get(step)?,
        };
    }
    Some(here)
}

/// What the sum of a coupler is, as far as a scale with this unit says: does it turn?
fn sum_turns(quantity: &Quantity, turning: bool) -> Option<bool> {
    let Dimensions { length, angle, .. } = Dimensions::of(&quantity.unit);
    let plain = Dimensions {
        length,
        angle,
        ..Dimensions::default()
    };
    if plain != Dimensions::of(&quantity.unit) {
        return None;
    }
    match (turning, length, angle) {
        (turning, 0, 0) => Some(turning),
        (true, 1, -1) => Some(false),
        (false, -1, 1) => Some(true),
        _ => None,
    }
}

/// A factor of a coupler: rotations count in radians, translations in the file's unit of length.
fn coupler_scale(
    quantity: &Quantity,
    (coupler, k): (&Node, usize),
    model: &Node,
    file: &UnitSystem,
) -> Result<f64, String> {
    let said = quote(&format!("{} {}", quantity.value, quantity.unit.name));
    let turning = turning(coupler, k, model).ok_or_else(|| {
        format!(
            "{said} has a unit, but whether the joint turns or slides is not known here: give \"coordinates\", or a plain number \
             (rotations count in radians, translations in the unit of length)"
        )
    })?;
    let own = sum_turns(quantity, turning).ok_or_else(|| {
        let (word, fits) = if turning { ("turns", "\"mm/rad\" or \"mm/rev\", or none") } else { ("slides", "\"rad/mm\" or \"rev/mm\", or none") };
        format!(
            "the unit {} does not fit: the joint {word}, and the factor makes a length or an angle of it; units that fit: {fits}",
            quote(&quantity.unit.name)
        )
    })?;
    let scales = coupler.get("scales").and_then(Node::as_list);
    for (other, scale) in scales.unwrap_or(&[]).iter().enumerate().take(k) {
        let Some(super::Reading::Quantity(before)) = scale.as_str().map(super::read) else {
            continue;
        };
        let sum = self::turning(coupler, other, model).and_then(|t| sum_turns(&before, t));
        if sum.is_some_and(|sum| sum != own) {
            let word = |turns| if turns { "an angle" } else { "a length" };
            return Err(format!(
                "{said} makes {} of its joint, and scales[{other}] {}: the terms of a coupler are added, so that all must be alike",
                word(own),
                word(!own)
            ));
        }
    }
    let Dimensions { length, angle, .. } = Dimensions::of(&quantity.unit);
    let to_si = match length {
        1 => file.length.factor,
        -1 => 1.0 / file.length.factor,
        _ => 1.0,
    };
    Ok(convert(quantity, to_si, angle != 0))
}

/// Does a coordinate of a coupler turn?
fn turning(coupler: &Node, k: usize, model: &Node) -> Option<bool> {
    let joints = model.get("joints").and_then(Node::as_list).unwrap_or(&[]);
    let name = coupler.get("joints")?.as_list()?.get(k)?;
    let mut element = Node::new(crate::text::Kind::Object(Vec::new()), coupler.mark);
    element.set("joint", name.clone());
    let words = coupler.get("coordinates").and_then(Node::as_list);
    if let Some(word) = words.and_then(|words| words.get(k)) {
        element.set("direction", word.clone());
    }
    coordinate_turns(&element, joints)
}

/// The unit of a gain: that of the output over that of the error, times a power of time.
fn gain(field: &str, pid: &Node, model: &Node, file: &UnitSystem) -> Result<Own, String> {
    let label = |node: Option<&Node>| {
        let unit = node
            .and_then(|node| node.get("unit"))
            .and_then(Node::as_str)?;
        parse_unit(unit)
            .ok()
            .map(|parsed| (unit.to_owned(), parsed))
    };
    let mut named = ["measured", "setpoint"].into_iter().filter_map(|field| {
        let name = pid.get(field)?.as_str()?.trim().trim_matches('\'');
        let lists = ["inputs", "parameters", "variables", "outputs"];
        let mut items = lists
            .into_iter()
            .filter_map(|list| model.get(list)?.as_list())
            .flatten();
        label(items.find(|item| item.get("name").and_then(Node::as_str) == Some(name)))
    });
    let (Some((output, above)), Some((error, below))) = (label(Some(pid)), named.next()) else {
        return Err(
            "a unit cannot be used here: that of a gain is the unit of the output over that of the error, which are not both known; give the \
             controller's \"unit\", and the name of an input, a parameter or a variable with a unit as \"measured\" or \"setpoint\"; or write \
             a plain number"
                .to_owned(),
        );
    };
    let (above_of, below_of) = (Dimensions::of(&above), Dimensions::of(&below));
    let Some(mut dimensions) = above_of.over(&below_of) else {
        return Err(format!(
            "a unit cannot be used here: {} or {} is no mechanical unit; write a plain number",
            quote(&output),
            quote(&error)
        ));
    };
    let time = units::symbol(&units::TIME, &file.time);
    let error = if error.contains(['.', '/', '*', ' ']) {
        format!("({error})")
    } else {
        error
    };
    let (power, name) = match field {
        "ki" => (-1, format!("{output}/({error}.{time})")),
        "kd" => (1, format!("{output}.{time}/{error}")),
        _ => (0, format!("{output}/{error}")),
    };
    dimensions.time += power;
    let by_time = match power {
        -1 => 1.0 / file.time.factor,
        1 => file.time.factor,
        _ => 1.0,
    };
    Ok(Own {
        name,
        factor: above.factor / below.factor * by_time,
        dimensions,
    })
}
