//! Control plane: flexible bodies and the nodes to which markers are fixed.

use super::builder::Builder;
use super::parts;
use crate::errors::{At, quote};
use crate::expr::suggest::hint;
use crate::expr::{self, Argument, Program, ResolveError, Resolver};
use crate::flex_file;
use crate::resolve::{functions_marker, load_case};
use crate::schema::{
    Damping, DampingTable, DynamicLimit, FlexibleBody, Invariants, LinearWatch, Number,
};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::flex::{FlexData, Node, Switches};
use fixstep_kernel::ids::{LeafId, MarkerId};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::{
    Body, BodyKind, FlexBody, Functional, LinearLimit, ValueRule, customary_damping,
};
use std::sync::Arc;

const PRESETS: [(&str, Switches); 4] = [
    ("full", Switches::FULL),
    ("partial", Switches::PARTIAL),
    ("constant", Switches::CONSTANT),
    ("rigid", Switches::RIGID),
];

pub(super) fn flexible_body(b: &mut Builder<'_>, data: &FlexibleBody, at: &At) -> Option<Body> {
    let bytes = b.files.bytes(&data.file, &at.field("file"), b.report)?;
    let file = match flex_file::read(&bytes) {
        Ok(file) if data.mirrored == Some(true) => Arc::new(flex_file::mirrored(&file)),
        Ok(file) => Arc::new(file),
        Err(error) => {
            let message = format!("{}: {error}", quote(&data.file));
            b.report.add(&at.field("file"), message);
            return None;
        }
    };
    let flex = flex_body(b, data, &file, at)?;
    let id = parts::id(b, &data.name);
    let pose = (data.position.as_ref(), data.orientation.as_ref());
    let (position, orientation) = parts::pose(b, id, pose, at);
    let (exact, weight) = parts::assembly(b, data.assembly.as_ref(), true, &at.field("assembly"));
    let center = file.invariants.center();
    let about = file.invariants.about(&center);
    let mut constant = |value: f64, dimension: Dimension, rule: ValueRule| {
        let number = Number::Constant(value / b.units.to_si(dimension));
        b.number(&number, dimension, rule, &at.field("file"))
    };
    let i = about.i7;
    let mass = constant(file.invariants.mass, Dimension::Mass, ValueRule::Positive);
    let products = [-i[(0, 1)], -i[(0, 2)], -i[(1, 2)]];
    let inertia = [
        i[(0, 0)],
        i[(1, 1)],
        i[(2, 2)],
        products[0],
        products[1],
        products[2],
    ]
    .map(|value| constant(value, Dimension::Inertia, ValueRule::Finite));
    Some(Body {
        name: data.name.clone(),
        kind: BodyKind::Flexible,
        mass,
        inertia,
        center_of_mass: center,
        position,
        orientation,
        exact,
        weight,
        velocity: parts::velocity(b, id, data.velocity.as_ref(), at),
        angular_velocity: parts::spin(b, id, data.angular_velocity.as_ref(), at),
        flexible: Some(Box::new(flex)),
    })
}

/// The settings that the file does not contain.
fn flex_body(
    b: &mut Builder<'_>,
    data: &FlexibleBody,
    file: &Arc<FlexData>,
    at: &At,
) -> Option<FlexBody> {
    let modes = modes(b, data, file, at)?;
    Some(FlexBody {
        file: data.file.clone(),
        switches: switches(b, data.invariants.as_ref(), at),
        ratios: damping(b, data.damping.as_ref(), file, &modes, &at.field("damping"))?,
        dynamic_limit: dynamic_limit(b, data.dynamic_limit.as_ref(), &at.field("dynamic_limit")),
        displacements: coordinates(
            b,
            data.displacements.as_deref(),
            &modes,
            &at.field("displacements"),
        ),
        velocities: coordinates(
            b,
            data.velocities.as_deref(),
            &modes,
            &at.field("velocities"),
        ),
        exact: exact(b, data.rotations.as_deref(), at),
        preload: data.preload.unwrap_or(true),
        stiffening: data.stiffening.unwrap_or(true),
        limit: linear_limit(b, data.linear_limit.as_ref(), file, at),
        modes,
        data: Arc::clone(file),
    })
}

/// The modes that are used, from 0.
fn modes(b: &mut Builder<'_>, data: &FlexibleBody, file: &FlexData, at: &At) -> Option<Vec<usize>> {
    let count = file.modes.len();
    let Some(given) = &data.modes else {
        return Some((0..count).collect());
    };
    let mut modes = Vec::with_capacity(given.len());
    for (k, mode) in given.iter().enumerate() {
        let place = at.field("modes").index(k);
        let found = usize::try_from(*mode)
            .ok()
            .filter(|m| (1..=count).contains(m));
        match found {
            Some(mode) if !modes.contains(&(mode - 1)) => modes.push(mode - 1),
            Some(mode) => b.report.add(&place, format!("mode {mode} occurs twice")),
            None => {
                let message = format!("{} has modes 1 to {count}; found {mode}", quote(&data.file));
                b.report.add(&place, message);
            }
        }
    }
    (modes.len() == given.len()).then_some(modes)
}

fn switches(b: &mut Builder<'_>, given: Option<&Invariants>, at: &At) -> Switches {
    let switches = match given {
        None => Switches::FULL,
        Some(Invariants::Preset(word)) => {
            let found = b.choice((Some(word), "invariants"), &PRESETS, at);
            found.unwrap_or(Switches::FULL)
        }
        Some(Invariants::Switches(on)) => Switches(*on),
    };
    for needed in [0, 6] {
        if !switches.0[needed] {
            let message = format!(
                "invariant {} is the body's own {}; it cannot be switched off",
                needed + 1,
                if needed == 0 { "mass" } else { "inertia" }
            );
            b.report.add(&at.field("invariants").index(needed), message);
        }
    }
    let [.., on3, on4, on5, on6, _, _, _] = switches.0;
    if !on6 && (on3 || on4 || on5) {
        let message = "without invariant 6 modes have no mass that 3, 4 and 5 could couple; switch these off too";
        b.report.add(&at.field("invariants").index(5), message);
    }
    switches
}

/// The damping ratio of each mode.
fn damping(
    b: &mut Builder<'_>,
    given: Option<&Damping>,
    file: &FlexData,
    modes: &[usize],
    at: &At,
) -> Option<Vec<f64>> {
    let frequencies: Vec<f64> = modes.iter().map(|j| file.modes[*j].frequency).collect();
    let ratios: Vec<f64> = match given {
        None => frequencies.iter().map(|f| customary_damping(*f)).collect(),
        Some(Damping::Ratio(ratio)) => vec![*ratio; modes.len()],
        Some(Damping::Table(table)) => {
            check_table(b, table, at)?;
            frequencies.iter().map(|f| between(table, *f)).collect()
        }
        Some(Damping::Expression(text)) => {
            let program = ratio_program(b, text, at)?;
            let mut registers = vec![0.0; program.registers()];
            let of =
                |(k, f): (usize, &f64)| program.value(&[*f, (modes[k] + 1) as f64], &mut registers);
            frequencies.iter().enumerate().map(of).collect()
        }
    };
    let bad = ratios
        .iter()
        .position(|ratio| !(*ratio >= 0.0 && ratio.is_finite()));
    if let Some(k) = bad {
        let message = format!(
            "the damping ratio of mode {} ({:.6} Hz) is {}; valid: a finite number, zero or more",
            modes[k] + 1,
            frequencies[k],
            ratios[k]
        );
        b.report.add(at, message);
        return None;
    }
    Some(ratios)
}

fn check_table(b: &mut Builder<'_>, table: &DampingTable, at: &At) -> Option<()> {
    let (f, r) = (&table.frequencies, &table.ratios);
    if f.is_empty() || f.len() != r.len() {
        let message = format!(
            "{} frequencies and {} ratios; valid: as many of both, one or more",
            f.len(),
            r.len()
        );
        b.report.add(at, message);
        return None;
    }
    if f.windows(2).any(|pair| pair[0] >= pair[1]) {
        b.report.add(&at.field("frequencies"), "must be ascending");
        return None;
    }
    Some(())
}

/// Linear between the points of a table, constant beyond them.
fn between(table: &DampingTable, frequency: f64) -> f64 {
    let (f, r) = (&table.frequencies, &table.ratios);
    let above = f.iter().position(|x| *x > frequency);
    match above {
        Some(0) => r[0],
        None => r[r.len() - 1],
        Some(k) => {
            let share = (frequency - f[k - 1]) / (f[k] - f[k - 1]);
            r[k - 1] + share * (r[k] - r[k - 1])
        }
    }
}

fn ratio_program(b: &mut Builder<'_>, text: &str, at: &At) -> Option<Program> {
    match expr::compile(text, &mut ModeNames) {
        Ok(program) => Some(program),
        Err(e) => {
            let message = format!(
                "column {} of {}: {}; damping is an expression of FREQUENCY (in Hz) and MODE alone",
                e.column,
                quote(text),
                e.message
            );
            b.report.add(at, message);
            None
        }
    }
}

/// Knows FREQUENCY and MODE and nothing else.
struct ModeNames;

impl Resolver for ModeNames {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        match self
            .names()
            .iter()
            .position(|known| known.eq_ignore_ascii_case(name))
        {
            Some(k) => Ok(LeafId::from(k)),
            None => Err(ResolveError::new(format!(
                "{} is not valid here",
                quote(name)
            ))),
        }
    }

    fn call(&mut self, function: &str, _: &[Argument]) -> Result<LeafId, ResolveError> {
        Err(ResolveError::new(format!("{function} is not valid here")))
    }

    fn functions(&self) -> Vec<&str> {
        Vec::new()
    }

    fn names(&self) -> Vec<&str> {
        vec!["FREQUENCY", "MODE"]
    }
}

/// The dynamic limit \[Hz\]; infinite if no mode loses its inertia.
fn dynamic_limit(b: &mut Builder<'_>, given: Option<&DynamicLimit>, at: &At) -> Option<f64> {
    match given? {
        DynamicLimit::Frequency(limit) if *limit >= 0.0 => Some(*limit),
        DynamicLimit::Word(word) if word.eq_ignore_ascii_case("none") => Some(f64::INFINITY),
        DynamicLimit::Frequency(limit) => {
            b.report
                .add(at, format!("must be zero or more; found {limit}"));
            None
        }
        DynamicLimit::Word(word) => {
            let message = format!(
                "expected a frequency in Hz or \"none\", found {}",
                quote(word)
            );
            b.report.add(at, message);
            None
        }
    }
}

/// Initial modal coordinates or velocities.
fn coordinates(b: &mut Builder<'_>, given: Option<&[f64]>, modes: &[usize], at: &At) -> Vec<f64> {
    let Some(given) = given else {
        return vec![0.0; modes.len()];
    };
    if given.len() != modes.len() {
        let message = format!(
            "{} numbers; valid: {}, one for each mode",
            given.len(),
            modes.len()
        );
        b.report.add(at, message);
        return vec![0.0; modes.len()];
    }
    given.to_vec()
}

fn exact(b: &mut Builder<'_>, given: Option<&str>, at: &At) -> bool {
    let words = [("exact", true), ("small", false)];
    b.choice((given, "rotations"), &words, at).unwrap_or(true)
}

/// Part of its length by which a body may deform.
const LINEAR: f64 = 0.1;

fn linear_limit(
    b: &mut Builder<'_>,
    given: Option<&LinearWatch>,
    file: &FlexData,
    at: &At,
) -> Option<LinearLimit> {
    let given = match given {
        Some(LinearWatch::Word(word)) => {
            b.choice((Some(word), "linear_limit"), &[("none", ())], at);
            return None;
        }
        Some(LinearWatch::Limit(limit)) => Some(limit),
        None => None,
    };
    let place = |field: &str| at.field("linear_limit").field(field);
    let length = given.and_then(|limit| limit.length);
    let length = match length {
        Some(length) => b.si(length, Dimension::Length, &place("length")),
        None => extent(&file.nodes),
    };
    let fraction = given.and_then(|limit| limit.fraction).unwrap_or(LINEAR);
    for (field, value) in [("length", length), ("fraction", fraction)] {
        if given.is_some() && value <= 0.0 {
            let message = format!("must be more than zero; it is {value}");
            b.report.add(&place(field), message);
        }
    }
    Some(LinearLimit {
        distance: length * fraction,
        stop: given.and_then(|limit| limit.stop).unwrap_or(false),
    })
    .filter(|limit| limit.distance > 0.0)
}

/// The diagonal of the box around all nodes.
fn extent(nodes: &[Node]) -> f64 {
    let along = |c: usize| {
        let all = nodes.iter().map(|node| node.position[c]);
        all.clone().fold(f64::MIN, f64::max) - all.fold(f64::MAX, f64::min)
    };
    if nodes.is_empty() {
        return 0.0;
    }
    Vec3::from_fn(|c, _| along(c)).norm()
}

/// The marker that represents a load case of a flexible body, and ground.
pub(super) fn load_marker(
    b: &mut Builder<'_>,
    (part, load): (&str, &str),
    at: &At,
) -> Option<(MarkerId, MarkerId)> {
    let found = b.names.bodies.find(part);
    let id = found
        .map_err(|message| b.report.add(&at.field("part"), message))
        .ok()?;
    // A broken body has been reported.
    let body = b.bodies.get(id.index())?.as_ref()?;
    let case = match &body.flexible {
        Some(flex) => load_case(&flex.data, load).map_err(|message| ("load", message)),
        None => Err(("part", format!("{} is not a flexible body", quote(part)))),
    };
    let case = case
        .map_err(|(field, message)| b.report.add(&at.field(field), message))
        .ok()?;
    let functions = [Functional::Load(case), Functional::None, Functional::None];
    let name = format!("{part}: {load}");
    let marker = functions_marker(&mut b.markers, id, &name, functions);
    Some((marker, b.names.ground))
}

/// The node of a marker on a flexible body, or the message. A marker without a node is fixed to the body's frame; it
/// can be read, but not loaded.
pub(super) fn node(body: &Body, key: Option<&str>) -> Result<Option<usize>, String> {
    let Some(flex) = &body.flexible else {
        return match key {
            None => Ok(None),
            Some(_) => Err(format!(
                "{} is not a flexible body; leave \"node\" out",
                quote(&body.name)
            )),
        };
    };
    let Some(key) = key else { return Ok(None) };
    flex.data.node(key).map(Some).ok_or_else(|| {
        let nodes = &flex.data.nodes;
        let names: Vec<String> = nodes.iter().map(Node::call).collect();
        let known = || names.iter().map(String::as_str);
        let list: Vec<String> = known().take(12).map(quote).collect();
        let more = if names.len() > 12 { ", …" } else { "" };
        format!(
            "{} has no node {}{}; valid: {}{more}",
            quote(&flex.file),
            quote(key),
            hint(key, known()),
            list.join(", ")
        )
    })
}
