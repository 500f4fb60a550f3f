//! Control plane: turns what was read into a [`Mechanism`]: units, references, expressions, and every check that
//! needs more than one field. A broken entity leaves a gap that later checks skip.

mod bodies;
mod builder;
mod carriers;
mod contact;
mod controls;
mod couplers;
mod curves;
mod data;
mod drive;
mod equations;
mod fields;
mod flexible;
mod forces;
mod friction;
mod general;
mod gravity;
mod guard;
mod joints;
mod lint;
mod markers;
mod memory;
mod motions;
mod parts;
mod plausible;
mod points;
mod quantities;
mod readouts;
mod requests;
mod roads;
mod shapes;
mod solids;
mod solver;
mod splines;
mod start;
mod surfaces;
mod tables;
mod texts;
mod tyres;
mod variables;

use self::builder::Builder;
pub(super) use self::data::Data;
pub(super) use self::memory::Sizes;
pub(super) use self::splines::Spline;
use super::asked::Asked;
use super::errors::{At, Report, quote};
use super::names::{Names, name_fault};
use super::newton;
use super::resources::Resources;
use super::schema::{Document, VERSION};
use super::units;
use crate::Model;
use crate::shapes::Shape;
use fixstep_kernel::mechanism::{Mechanism, Memory, Mode, ValueRule, ValueSource};

/// Validates a document; `files` reads files beside it, and `asked` are settings that replace those of the document.
pub(super) fn validate(
    document: &Document,
    files: &Resources<'_>,
    asked: &[Asked],
    report: &mut Report,
) -> Option<Model> {
    check_head(document, report);
    let units = units::read(document.units.0.clone().flatten().as_ref(), report);
    let names = Names::new(document, report);
    let mut parameters = quantities::parameters(&document.parameters, report);
    let listed = data::data(document, &names, &mut parameters, report);
    let inputs = quantities::inputs(&document.inputs, report);
    let starts = quantities::starts(&parameters);
    let mut b = Builder::new(&names, &units, starts, document, files, report);
    b.parameters = quantities::kinds(&parameters);
    b.data = Some(listed);
    let shapes = mechanics(&mut b, document);
    let (variables, states) = variables::variables(&mut b, document);
    let gravity = gravity::gravity(&mut b, document);
    let couplers = couplers::couplers(&mut b, document);
    let general = general::constraints(&mut b, document, variables.as_deref());
    let motions = motions::motions(&mut b, document);
    let forces = forces::forces(&mut b, document);
    curves::follow(&mut b, &forces);
    let mut equations = equations::equations(&mut b, document, states);
    equations.extend(b.states.drain(..).map(Some));
    let memory = memory::memory(&mut b, document);
    let outputs = requests::with_requests(&mut b, document);
    let body_arrays = bodies::arrays(&mut b, document);
    general::check_markers(&mut b, &general, document);
    let solver = solver::with_start(&mut b, document, asked);
    let lint = lint::settings(&mut b, document);
    let experiment = solver::experiment(&mut b, document, solver.as_ref());

    readouts::check(&mut b, document, &forces, &equations, variables.as_deref());
    let files = b.files.take();
    let solids = std::mem::take(&mut b.solids);
    let fixed = { solver.as_ref() }.is_none_or(|solver| solver.mode == Mode::Fixed);
    let findings = plausible::all(&mut b, document, experiment.as_ref(), fixed);
    let mut mechanism = Mechanism {
        name: document.name.0.clone()?,
        description: document.description.0.clone().flatten().unwrap_or_default(),
        gravity: gravity?,
        bodies: complete(std::mem::take(&mut b.bodies))?,
        markers: complete(std::mem::take(&mut b.markers))?,
        curves: complete(std::mem::take(&mut b.curves))?,
        joints: complete(std::mem::take(&mut b.joints))?,
        couplers: complete(couplers)?,
        general_constraints: complete(general)?,
        motions: complete(motions)?,
        forces: complete(forces)?,
        roads: complete(std::mem::take(&mut b.roads))?,
        inputs: complete(inputs)?,
        parameters: complete(parameters)?,
        variables: variables?,
        equations: complete(equations)?,
        texts: std::mem::take(&mut b.texts),
        memory: with_delays(memory?, &mut b),
        outputs: complete(outputs)?,
        body_arrays,
        expressions: std::mem::take(&mut b.expressions),
        values: std::mem::take(&mut b.values),
        orders: std::mem::take(&mut b.orders),
        derived: std::mem::take(&mut b.derived),
        built: std::mem::take(&mut b.built),
        leaves: b.into_leaves(),
        units,
        solver: solver?,
        experiment: experiment?,
        lint: lint?,
        findings,
    };
    newton::choose(&mut mechanism);
    Some(Model {
        solids,
        ..Model::of(mechanism, files, complete(shapes)?)
    })
}

/// What other elements refer to: data, bodies, markers, joints. Returns the shapes of bodies.
fn mechanics(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Shape>> {
    b.texts = data::texts(&document.strings.0, b.report);
    b.splines = splines::splines(b, document);
    b.curves = curves::curves(b, document);
    b.sampled = memory::sizes(&document.sampled_systems.0);
    b.roads = roads::roads(b, document);
    b.bodies = parts::bodies(b, document);
    b.markers = markers::markers(b, document);
    b.joints = joints::joints(b, document);
    carriers::find_carriers(b, document);
    shapes::shapes(b, document)
}

/// Delays come from expressions of all elements.
fn with_delays(memory: Memory, b: &mut Builder<'_>) -> Memory {
    Memory {
        delays: std::mem::take(&mut b.delays),
        ..memory
    }
}

/// All entities, if none is broken.
fn complete<T>(items: Vec<Option<T>>) -> Option<Vec<T>> {
    items.into_iter().collect()
}

fn check_head(document: &Document, report: &mut Report) {
    let top = At::default();
    if let Some(version) = document.fixstep.0.filter(|v| *v != VERSION) {
        let message = format!("format version {version} is unknown; valid: {VERSION}");
        report.add(&top.field("fixstep"), message);
    }
    if let Some(fault) = document.name.0.as_deref().and_then(name_fault) {
        report.add(&top.field("name"), fault);
    }
}

/// The rule that a number violates, in words; `None`: none.
fn rule_fault(rule: ValueRule, value: f64) -> Option<&'static str> {
    match rule {
        _ if !value.is_finite() => Some("must be finite"),
        _ if rule.allows(value) => None,
        ValueRule::Finite => None,
        ValueRule::Positive => Some("must be more than zero"),
        ValueRule::NonNegative => Some("must be zero or more"),
        ValueRule::OneOrMore => Some("must be 1 or more"),
        ValueRule::Fraction => Some("must be more than zero and at most 1"),
    }
}

/// A constant as a source of values.
fn constant(value: f64) -> ValueSource {
    ValueSource::Constant(value)
}

/// `"a"` and `"b"`, for messages on pairs.
fn both(a: &str, b: &str) -> String {
    format!("{} and {}", quote(a), quote(b))
}
