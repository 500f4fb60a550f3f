//! Control plane: turns requests into outputs, with the expressions that a user would write for them.

use super::builder::Builder;
use crate::errors::{At, quote};
use crate::names::{name_fault, reserved};
use crate::resolve::{Scope, without_components};
use crate::schema::{Document, ElementRequest, EnergyRequest, FrameRequest, Request};
use crate::units;
use fixstep_kernel::ids::ForceId;
use fixstep_kernel::mechanism::{NamedExpr, Quantity, UnitSystem};
use std::collections::BTreeSet;

/// The quantity of a component.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Length,
    Angle,
    Velocity,
    AngularVelocity,
    Acceleration,
    AngularAcceleration,
    Force,
    Torque,
    Energy,
    Power,
    Pressure,
}

/// One output of a request: the last part of its name, its expression.
struct Component {
    suffix: String,
    expression: String,
    kind: Kind,
}

/// The outputs of the file, and those of all requests.
pub(super) fn with_requests(b: &mut Builder<'_>, document: &Document) -> Vec<Option<NamedExpr>> {
    let mut all = super::variables::outputs(b, document);
    all.extend(outputs(b, document));
    all
}

/// The outputs of all requests.
fn outputs(b: &mut Builder<'_>, document: &Document) -> Vec<Option<NamedExpr>> {
    let mut names = BTreeSet::new();
    let all = b.each(&document.requests.0, |b, request, at| {
        let (name, description) = request.head();
        check_name(b, name, &mut names, at);
        let components = components(b, request, at)?;
        let made = components.into_iter().map(|component| {
            let text = &component.expression;
            let expr = b.expression(text, Scope::All, at)?;
            let quantity = quantity(b.units, name, description, &component);
            check_free(b, &quantity.name, at);
            Some(NamedExpr { quantity, expr })
        });
        Some(made.collect::<Vec<_>>())
    });
    let broken = |made: Option<Vec<_>>| made.unwrap_or_else(|| vec![None]);
    all.into_iter().flat_map(broken).collect()
}

fn check_name(b: &mut Builder<'_>, name: &str, names: &mut BTreeSet<String>, at: &At) {
    let at = at.field("name");
    if let Some(fault) = name_fault(name) {
        b.report.add(&at, fault);
    } else if !names.insert(name.to_owned()) {
        let message = format!("another request is called {} too", quote(name));
        b.report.add(&at, message);
    } else if let Some(prefix) = reserved(&format!("{name}.")) {
        let message = format!("names that start with {prefix:?} are reserved");
        b.report.add(&at, message);
    }
}

/// Is the name of an output free?
pub(super) fn check_free(b: &mut Builder<'_>, name: &str, at: &At) {
    let names = b.names;
    let taken = names.outputs.get(name).is_some()
        || names.inputs.get(name).is_some()
        || names.parameters.get(name).is_some()
        || names.variables.get(name).is_some();
    if taken {
        let message = format!(
            "it gives an output {}, but there is an input, parameter, variable or output of that name",
            quote(name)
        );
        b.report.add(at, message);
    }
}

/// Displacement, velocity, acceleration: magnitude and components of both vectors.
const VECTOR: [&str; 4] = ["m", "x", "y", "z"];

fn components(b: &mut Builder<'_>, request: &Request, at: &At) -> Option<Vec<Component>> {
    match request {
        Request::Displacement(x) => {
            let [i, j, k] = markers(
                b,
                [
                    ("i", Some(&x.i)),
                    ("j", x.j.as_ref()),
                    ("axes", x.axes.as_ref()),
                ],
                at,
            )?;
            let mut all = vector("D", Kind::Length, &[&i, &j], &[&i, &j, &k]);
            for angle in ["PSI", "THETA", "PHI"] {
                all.push(component(angle, &[&i, &j], Kind::Angle));
            }
            Some(all)
        }
        Request::Velocity(x) => {
            let [i, j, k, l] = frame(b, x, at)?;
            let mut all = vector("V", Kind::Velocity, &[&i, &j, &l], &[&i, &j, &k, &l]);
            all.extend(vector("W", Kind::AngularVelocity, &[&i, &j], &[&i, &j, &k]));
            Some(all)
        }
        Request::Acceleration(x) => {
            let [i, j, k, l] = frame(b, x, at)?;
            let (short, long) = ([&*i, &*j, &*l], [&*i, &*j, &*k, &*l]);
            let mut all = vector("ACC", Kind::Acceleration, &short, &long);
            all.extend(vector("WDT", Kind::AngularAcceleration, &short, &long));
            Some(all)
        }
        Request::Joint(x) => {
            let found = b.names.joints.find(&x.of).map(|_| ());
            element(b, x, "JOINT", found, at)
        }
        Request::Motion(x) => {
            let found = b.names.motions.find(&x.of).map(|_| ());
            element(b, x, "MOTION", found, at)
        }
        Request::Force(x) => {
            let found = b.names.forces.find(&x.of);
            let found = found.and_then(|force| has_components(b, &x.of, force));
            element(b, x, "FORCE", found, at)
        }
        Request::Energy(x) => energy(b, x, at),
        // Arrays, which are no expressions.
        Request::Bodies(_) => Some(Vec::new()),
    }
}

/// Names of markers that exist, `ground` where none is given.
fn markers<const N: usize>(
    b: &mut Builder<'_>,
    fields: [(&str, Option<&String>); N],
    at: &At,
) -> Option<[String; N]> {
    let mut sound = true;
    let names = fields.map(|(field, name)| {
        let name = name.map_or("ground", String::as_str);
        sound &= b.marker(name, &at.field(field)).is_some();
        name.to_owned()
    });
    sound.then_some(names)
}

fn frame(b: &mut Builder<'_>, x: &FrameRequest, at: &At) -> Option<[String; 4]> {
    let fields = [
        ("i", Some(&x.i)),
        ("j", x.j.as_ref()),
        ("axes", x.axes.as_ref()),
        ("frame", x.frame.as_ref()),
    ];
    markers(b, fields, at)
}

/// A function of markers, named after it.
fn component(function: &str, markers: &[&str], kind: Kind) -> Component {
    let arguments: Vec<String> = markers.iter().map(|name| format!("'{name}'")).collect();
    Component {
        suffix: function.to_lowercase(),
        expression: format!("{function}({})", arguments.join(", ")),
        kind,
    }
}

/// Magnitude and components of a vector.
fn vector(stem: &str, kind: Kind, magnitude: &[&str], full: &[&str]) -> Vec<Component> {
    let of = |letter: &&str| {
        let markers = if *letter == "m" { magnitude } else { full };
        component(&format!("{stem}{}", letter.to_uppercase()), markers, kind)
    };
    VECTOR.iter().map(of).collect()
}

/// Does a force have components that FORCE reads?
fn has_components(b: &Builder<'_>, name: &str, force: ForceId) -> Result<(), String> {
    let word = b.carriers.word(force);
    word.and_then(without_components).map_or(Ok(()), |function| {
        Err(format!(
            "force {} has no components at a marker I: an output with {function}('{name}') reads it, and FX, FY, FZ, \
             FM the force between two of its markers",
            quote(name)
        ))
    })
}

/// The load of an element on one of its markers.
fn element(
    b: &mut Builder<'_>,
    x: &ElementRequest,
    function: &str,
    found: Result<(), String>,
    at: &At,
) -> Option<Vec<Component>> {
    let [axes] = markers(b, [("axes", x.axes.as_ref())], at)?;
    if let Err(message) = found {
        b.report.add(&at.field("of"), message);
        return None;
    }
    let flag = u8::from(x.on.is_some_and(|end| end.word() == "j"));
    let of = |comp: usize| {
        let (letter, kind) = match comp {
            0..4 => ("f", Kind::Force),
            _ => ("t", Kind::Torque),
        };
        Component {
            suffix: format!("{letter}{}", VECTOR[comp % 4]),
            expression: format!("{function}('{}', {flag}, {}, '{axes}')", x.of, comp + 1),
            kind,
        }
    };
    Some((0..8).map(of).collect())
}

/// Energies and powers.
fn energy(b: &mut Builder<'_>, x: &EnergyRequest, at: &At) -> Option<Vec<Component>> {
    let given = [
        ("part", &x.part, b.names.bodies.names().collect::<Vec<_>>()),
        ("force", &x.force, b.names.forces.names().collect()),
        ("motion", &x.motion, b.names.motions.names().collect()),
        ("joint", &x.joint, b.names.joints.names().collect()),
    ];
    let chosen = given.iter().filter_map(|(field, name, known)| {
        let name = name.as_ref()?;
        Some((*field, name, known))
    });
    let chosen: Vec<_> = chosen.collect();
    let [(field, name, known)] = &chosen[..] else {
        let message = "give exactly one of \"part\", \"force\", \"motion\", \"joint\"";
        b.report.add(at, message);
        return None;
    };
    if !known.contains(&name.as_str()) {
        let hint = crate::expr::suggest::hint(name, known.iter().copied());
        let message = format!("{field} {} does not exist{hint}", quote(name));
        b.report.add(&at.field(field), message);
        return None;
    }
    let single = |function: &str, kind: Kind| component(function, &[name.as_str()], kind);
    let power = || Component {
        expression: format!("POWER('{name}', {field})"),
        ..single("POWER", Kind::Power)
    };
    Some(match *field {
        "part" => vec![single("KE", Kind::Energy), single("PE", Kind::Energy)],
        "force" => vec![
            single("SE", Kind::Energy),
            power(),
            single("DISSIPATION", Kind::Power),
        ],
        _ => vec![power()],
    })
}

fn quantity(
    units: &UnitSystem,
    name: &str,
    description: Option<&str>,
    component: &Component,
) -> Quantity {
    let (unit, display_unit) = units_of(units, component.kind);
    Quantity {
        name: format!("{}.{}", quoted(name), component.suffix),
        description: match description {
            Some(text) => format!("{text}: {}", component.suffix),
            None => component.expression.replace('\'', ""),
        },
        unit,
        display_unit,
        min: None,
        max: None,
        start: 0.0,
    }
}

/// A name in the form of FMI's structured names: in quotes unless it is an identifier.
pub(super) fn quoted(name: &str) -> String {
    let identifier = |part: &str| {
        part.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
            && part.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
    };
    if name.split('.').all(identifier) || !name.is_ascii() {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\\', "\\\\"))
    }
}

/// FMI unit and display unit.
pub(super) fn units_of(units: &UnitSystem, kind: Kind) -> (String, String) {
    let length = units::symbol(&units::LENGTH, &units.length);
    let force = units::symbol(&units::FORCE, &units.force);
    let time = units::symbol(&units::TIME, &units.time);
    let angle = units::symbol(&units::ANGLE, &units.angle);
    let unit = match kind {
        Kind::Length => length.to_owned(),
        Kind::Angle => "rad".to_owned(),
        Kind::Velocity => format!("{length}/{time}"),
        Kind::AngularVelocity => format!("rad/{time}"),
        Kind::Acceleration => format!("{length}/{time}2"),
        Kind::AngularAcceleration => format!("rad/{time}2"),
        Kind::Force => force.to_owned(),
        Kind::Torque | Kind::Energy => format!("{force}.{length}"),
        Kind::Power => format!("{force}.{length}/{time}"),
        Kind::Pressure => format!("{force}/{length}2"),
    };
    let display = match kind {
        Kind::Angle if angle != "rad" => angle.to_owned(),
        _ => String::new(),
    };
    (unit, display)
}

impl Request {
    /// Name and description.
    fn head(&self) -> (&str, Option<&str>) {
        let (name, description) = match self {
            Self::Displacement(x) => (&x.name, &x.description),
            Self::Velocity(x) | Self::Acceleration(x) => (&x.name, &x.description),
            Self::Joint(x) | Self::Motion(x) | Self::Force(x) => (&x.name, &x.description),
            Self::Energy(x) => (&x.name, &x.description),
            Self::Bodies(x) => (&x.name, &x.description),
        };
        (name, description.as_deref())
    }
}
