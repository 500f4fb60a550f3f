//! Control plane: checks what `"=expression"` numbers measure, as far as the units of the parameters say.
//!
//! The value of such a number counts in the unit of its field. A parameter counts in its own unit, which nothing converts.

use super::dimension::{Dimensions, Scale, of_description};
use super::entity;
use crate::errors::{Report, quote};
use crate::expr::{
    self, Argument, BASES, Dimension, Measure, MeasureClash, ResolveError, Resolver, Rules,
};
use crate::shape::{self, Spot};
use crate::text::Node;
use fixstep_kernel::ids::LeafId;
use fixstep_kernel::mechanism::UnitSystem;
use fixstep_variables::units::{UnitDefinition, parse_unit};
use std::collections::BTreeMap;

/// The units of parameters and arrays by their names; `None`: without a unit, or with one that cannot be converted.
type Labels = BTreeMap<String, Option<UnitDefinition>>;

/// Reports the numbers whose parameters have units that do not fit the field.
pub(crate) fn check(model: &mut Node, units: &UnitSystem, report: &mut Report) {
    let mut any = false;
    model.each_of(&mut |node| any |= node.as_str().is_some_and(|text| text.starts_with('=')));
    if !any {
        return;
    }
    let whole = model.clone();
    let labels = labels(&whole);
    shape::visit(model, &mut |node, spot| {
        let Some(text) = node.as_str().filter(|_| spot.takes.amount) else {
            return;
        };
        let Some(expression) = text.trim_start().strip_prefix('=') else {
            return;
        };
        if let Some(message) = fault(expression, spot, (&whole, &labels, units)) {
            let at = entity(&whole, spot.path).marked(node.mark);
            report.add(&at, message);
        }
    });
}

fn labels(model: &Node) -> Labels {
    let mut labels = Labels::new();
    for list in ["parameters", "arrays"] {
        for item in model.get(list).and_then(Node::as_list).unwrap_or(&[]) {
            let Some(name) = item.get("name").and_then(Node::as_str) else {
                continue;
            };
            let unit = item.get("unit").and_then(Node::as_str);
            let unit = unit.and_then(|unit| parse_unit(unit).ok());
            labels.insert(name.to_owned(), unit.filter(|unit| unit.offset == 0.0));
        }
    }
    labels
}

/// Why a number makes no sense; `None`: it may, or it is none, which is said elsewhere.
fn fault(
    text: &str,
    spot: &Spot<'_>,
    (model, labels, units): (&Node, &Labels, &UnitSystem),
) -> Option<String> {
    let mut reader = Reader {
        labels,
        leaves: Vec::new(),
    };
    let program = expr::compile(text, &mut reader).ok()?;
    let leaf = |id: LeafId| {
        let (_, unit) = reader.leaves.get(id.index())?;
        unit.as_ref().map(dimension)
    };
    let (value, clashes) = expr::infer(&program, &leaf);
    let shown = |side: &Dimension| {
        let leaf = side.leaf.and_then(|id| reader.leaves.get(id.index()));
        match leaf {
            Some((name, Some(unit))) if dimension(unit).agrees(side) => {
                format!("{} [{}]", quote(name), unit.name)
            }
            _ => format!("a value [{}]", base_units(side)),
        }
    };
    if let Some(clash) = clashes.first() {
        return Some(format!(
            "{}: {} and {} are added or compared, and nothing converts them: convert one of them, or correct the \"unit\" of the parameter",
            quote(text),
            shown(&clash.left),
            shown(&clash.right)
        ));
    }
    let scales = of_description(spot.description, spot, model).ok()?;
    // A description without brackets may be of any number.
    if scales.iter().any(|scale| scale.examples(units).is_empty()) {
        return None;
    }
    if let Some(value) = value
        && !value.is_number()
        && !scales
            .iter()
            .any(|scale| value.agrees(&wanted(scale, units)))
    {
        return Some(misfit(text, &value, &shown(&value), (&scales, units)));
    }
    let turns = scales.iter().all(|scale| scale.dimensions.angle == 1);
    (turns && units.angle.factor != 1.0)
        .then(|| radians(text, (labels, units)))
        .flatten()
}

/// Why a value does not fit, and what to do.
fn misfit(
    text: &str,
    value: &Dimension,
    shown: &str,
    (scales, units): (&[Scale], &UnitSystem),
) -> String {
    let fields: Vec<String> = scales
        .iter()
        .filter_map(|scale| {
            Some(format!(
                "{} {}",
                scale.words(),
                quote(scale.examples(units).first()?)
            ))
        })
        .collect();
    let same = scales
        .iter()
        .map(|scale| wanted(scale, units))
        .find(|wanted| wanted.exponents == value.exponents);
    let remedy = match same {
        Some(wanted) => {
            let factor = value.factor / wanted.factor;
            let factor = super::digits(factor, factor);
            let by = match factor {
                f if (f.to_degrees() - 1.0).abs() < 1e-9 => "DTOR".to_owned(),
                f if (f.to_radians() - 1.0).abs() < 1e-9 => "RTOD".to_owned(),
                f => f.to_string(),
            };
            format!(
                "convert it, as {}, or correct the \"unit\" of the parameter",
                quote(&format!("=({text})*{by}"))
            )
        }
        None => "correct the expression or the \"unit\" of the parameter".to_owned(),
    };
    format!(
        "{} yields {shown}, but the field is {}, and nothing converts the unit of a parameter: {remedy}",
        quote(&format!("={text}")),
        fields.join(" or ")
    )
}

/// Why an expression of angles makes no sense for a field in degrees.
fn radians(text: &str, (labels, units): (&Labels, &UnitSystem)) -> Option<String> {
    let of = |name: &str| {
        let unit = labels.get(name).and_then(Option::as_ref);
        match unit.filter(|unit| Dimensions::of(unit).is_angle()) {
            Some(unit) if unit.factor == 1.0 => Measure::Radians { sure: true },
            Some(_) => Measure::Quantity {
                exponents: [0, 0, 0, 0, 1],
                sure: true,
            },
            None => Measure::Open,
        }
    };
    let rules = Rules {
        radians: false,
        coherent: true,
    };
    match expr::measured(text, &of, rules)? {
        Ok(Measure::Radians { .. }) => Some(format!(
            "{} counts in radians, as angles of expressions do, and the field in {}: write {}",
            quote(&format!("={text}")),
            units.angle.name,
            quote(&format!("=({text})*RTOD"))
        )),
        Err(MeasureClash::Radians) => Some(format!(
            "{}: an angle in degrees and a number in radians are added or compared; with *RTOD the latter is in degrees",
            quote(&format!("={text}"))
        )),
        _ => None,
    }
}

/// What a field counts in.
fn wanted(scale: &Scale, units: &UnitSystem) -> Dimension {
    let Dimensions {
        mass, length, time, ..
    } = scale.dimensions;
    let mut exponents = [0; BASES];
    exponents[..3].copy_from_slice(&[mass, length, time]);
    Dimension {
        exponents,
        factor: scale.to_si(units, false),
        leaf: None,
    }
}

/// What a parameter counts in.
fn dimension(unit: &UnitDefinition) -> Dimension {
    let mut exponents = [0; BASES];
    exponents.copy_from_slice(&unit.exponents[..BASES]);
    Dimension {
        exponents,
        factor: unit.factor,
        leaf: None,
    }
}

/// `0.001 m`, `kg s-2`.
fn base_units(side: &Dimension) -> String {
    let mut words = Vec::new();
    if (side.factor - 1.0).abs() > 1e-9 {
        words.push(super::digits(side.factor, side.factor).to_string());
    }
    let names = fixstep_variables::units::BASE_UNIT_NAMES.iter();
    for (name, exponent) in names.zip(side.exponents) {
        match exponent {
            0 => {}
            1 => words.push((*name).to_owned()),
            n => words.push(format!("{name}{n}")),
        }
    }
    if words.is_empty() {
        words.push("1".to_owned());
    }
    words.join(" ")
}

/// Gives names their units.
struct Reader<'a> {
    labels: &'a Labels,
    leaves: Vec<(String, Option<UnitDefinition>)>,
}

impl Reader<'_> {
    fn leaf(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        let unit = self.labels.get(name).ok_or(ResolveError::Unknown)?;
        let known = self.leaves.iter().position(|(known, _)| known == name);
        let at = known.unwrap_or_else(|| {
            self.leaves.push((name.to_owned(), unit.clone()));
            self.leaves.len() - 1
        });
        Ok(LeafId::from(at))
    }
}

impl Resolver for Reader<'_> {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        self.leaf(name)
    }

    fn call(&mut self, _: &str, arguments: &[Argument]) -> Result<LeafId, ResolveError> {
        match arguments.first() {
            Some(Argument::Name(name)) => self.leaf(name),
            _ => Err(ResolveError::Unknown),
        }
    }

    fn functions(&self) -> Vec<&str> {
        vec!["ARYVAL"]
    }

    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
}
