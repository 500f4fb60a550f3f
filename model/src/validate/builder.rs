//! Control plane: the results of validation so far, and its services: units, numbers, expressions, markers.

mod settled;

pub(super) use settled::Settled;

use super::data::Data;
use super::memory::Sizes;
use super::splines::Spline;
use super::{both, constant, rule_fault};
use crate::errors::{At, Report, quote, quote_all};
use crate::expr::suggest::hint;
use crate::expr::{self, Program};
use crate::names::Names;
use crate::read::Item;
use crate::resolve::{Carriers, Leaves, ModelResolver, Scope};
use crate::resources::{Reader, Resources};
use crate::schema::{Document, Expression, Number};
use crate::shapes::Shape;
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{BodyId, EquationId, ExprId, JointId, MarkerId, ValueId, VariableId};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::curve::SpaceCurve;
use fixstep_kernel::mechanism::{
    Body, BodyKind, Built, Delay, Derived, Equation, Finding, Joint, Leaf, Marker, NamedText,
    RoadEntry, ScaledExpr, UnitSystem, Value, ValueOrder, ValueRule, ValueSource,
};
use std::sync::Arc;

/// The state of validation.
pub(super) struct Builder<'a> {
    /// All names.
    pub(super) names: &'a Names,
    /// The user's units.
    pub(super) units: &'a UnitSystem,
    /// Problems.
    pub(super) report: &'a mut Report,
    /// Bodies; `None`: broken.
    pub(super) bodies: Vec<Option<Body>>,
    /// Markers; `None`: broken.
    pub(super) markers: Vec<Option<Marker>>,
    /// Joints; `None`: broken.
    pub(super) joints: Vec<Option<Joint>>,
    /// Splines; `None`: broken.
    pub(super) splines: Vec<Option<Spline>>,
    /// Roads, the flat one last; `None`: broken.
    pub(super) roads: Vec<Option<RoadEntry>>,
    /// States of force elements, after all other unknowns.
    pub(super) states: Vec<Equation>,
    /// Files beside the model.
    pub(super) files: Reader<'a>,
    /// Curves; `None`: broken.
    pub(super) curves: Vec<Option<Arc<SpaceCurve>>>,
    /// The sizes of sampled systems; `None`: broken.
    pub(super) sampled: Vec<Option<Sizes>>,
    /// Macros, arrays and groups of signals.
    pub(super) data: Option<Data>,
    /// Named texts.
    pub(super) texts: Vec<NamedText>,
    /// Delays of expressions.
    pub(super) delays: Vec<Delay>,
    /// Compiled expressions.
    pub(super) expressions: Vec<Program>,
    /// Numbers of elements.
    pub(super) values: Vec<Value>,
    /// Conditions that must hold between two of them.
    pub(super) orders: Vec<ValueOrder>,
    /// For each variable of the file: does it read the mechanism's motion?
    pub(super) moving: Vec<bool>,
    /// For each variable of the file: does it read quantities that are not allowed in a constraint (velocities,
    /// reactions, states)?
    pub(super) rated: Vec<bool>,
    /// For each variable of the file: its place in the order of evaluation.
    pub(super) places: Vec<VariableId>,
    /// The warnings.
    pub(super) findings: Vec<Finding>,
    /// Numbers of geometry and initial conditions that follow parameters.
    pub(super) derived: Vec<Derived>,
    /// Data that are made of several numbers, some of which follow parameters.
    pub(super) built: Vec<Built>,
    /// The names of parameters, and whether they are tunable.
    pub(super) parameters: Vec<(String, bool)>,
    /// What the solids of parts weigh, in words.
    pub(super) solids: Vec<String>,
    /// The solids of parts as shapes.
    pub(super) drawn: Vec<Shape>,
    /// How many couplers are before the gears.
    pub(super) couplers: usize,
    /// The index of the item of [`Self::each`] that is read.
    pub(super) item: usize,
    /// Parameters at the start; `None`: one is broken.
    starts: Option<Vec<f64>>,
    /// Leaves at the start, as far as they are parameters.
    leaf_starts: Vec<f64>,
    parts: usize,
    points: usize,
    /// Markers that carry forces.
    pub(super) carriers: Carriers,
    leaves: Leaves,
}

impl<'a> Builder<'a> {
    /// Starts with the names of a document and the parameters' starts; `files` reads files beside the model.
    pub(super) fn new(
        names: &'a Names,
        units: &'a UnitSystem,
        starts: Option<Vec<f64>>,
        document: &Document,
        files: &'a Resources<'a>,
        report: &'a mut Report,
    ) -> Self {
        Self {
            names,
            units,
            report,
            bodies: Vec::new(),
            markers: Vec::new(),
            joints: Vec::new(),
            splines: Vec::new(),
            roads: Vec::new(),
            states: Vec::new(),
            files: Reader::new(files),
            curves: Vec::new(),
            sampled: Vec::new(),
            data: None,
            texts: Vec::new(),
            delays: Vec::new(),
            expressions: Vec::new(),
            values: Vec::new(),
            orders: Vec::new(),
            moving: Vec::new(),
            rated: Vec::new(),
            places: Vec::new(),
            findings: Vec::new(),
            derived: Vec::new(),
            built: Vec::new(),
            parameters: Vec::new(),
            solids: Vec::new(),
            drawn: Vec::new(),
            couplers: 0,
            item: 0,
            starts,
            leaf_starts: Vec::new(),
            parts: document.parts.0.len(),
            points: document.point_masses.0.len(),
            carriers: Carriers::default(),
            leaves: Leaves::default(),
        }
    }

    /// The leaves for the mechanism, with every variable at its position in the order of evaluation.
    pub(super) fn into_leaves(mut self) -> Vec<Leaf> {
        self.leaves.renumber_variables(&self.places);
        self.leaves.into_vec()
    }

    /// All leaves so far.
    pub(super) fn leaves(&self) -> &[Leaf] {
        self.leaves.as_slice()
    }

    /// The leaves of an expression.
    pub(super) fn leaves_of(&self, expr: ExprId) -> impl Iterator<Item = &Leaf> {
        let leaves = self.leaves.as_slice();
        let ids = self.expressions[expr.index()].leaves();
        ids.iter().map(move |id| &leaves[id.index()])
    }

    /// Makes an entity of each item that could be read.
    pub(super) fn each<T, R>(
        &mut self,
        items: &[Item<T>],
        mut make: impl FnMut(&mut Self, &T, &At) -> Option<R>,
    ) -> Vec<Option<R>> {
        let one = |(k, item): (usize, &Item<T>)| {
            self.item = k;
            // If no further problems can be stored, there is no use in looking for them.
            let data = item.data.as_ref().filter(|_| !self.report.is_full())?;
            make(self, data, &item.at)
        };
        items.iter().enumerate().map(one).collect()
    }

    /// The meaning of a word; `None`: not given, or a problem.
    pub(super) fn choice<T: Copy>(
        &mut self,
        (word, field): (Option<&str>, &str),
        valid: &[(&str, T)],
        at: &At,
    ) -> Option<T> {
        let word = word?;
        let is = |(name, _): &&(&str, T)| name.eq_ignore_ascii_case(word);
        let found = valid.iter().find(is);
        if found.is_none() {
            let names = || valid.iter().map(|(name, _)| *name);
            let message = format!(
                "the {field} {} does not exist{}; valid: {}",
                quote(word),
                hint(word, names()),
                quote_all(names())
            );
            self.report.add(&at.field(field), message);
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// A plain number in SI.
    pub(super) fn si(&mut self, value: f64, dimension: Dimension, at: &At) -> f64 {
        let si = value * self.units.to_si(dimension);
        if !si.is_finite() {
            self.report
                .add(at, format!("{value:e} is too large in SI units"));
        }
        si
    }

    /// A number of an element, in SI, checked at the parameters' starts.
    pub(super) fn number(
        &mut self,
        number: &Number,
        dimension: Dimension,
        rule: ValueRule,
        at: &At,
    ) -> ValueId {
        let to_si = self.units.to_si(dimension);
        let (source, start) = match number {
            Number::Constant(value) => (constant(value * to_si), Some(value * to_si)),
            Number::Expression(text) => match self.expression(text, Scope::Parameters, at) {
                None => (constant(0.0), None),
                Some(expr) => {
                    let start = self.at_start(expr).map(|value| value * to_si);
                    (ValueSource::Expression(ScaledExpr { expr, to_si }), start)
                }
            },
        };
        if let Some((start, fault)) = start.and_then(|s| rule_fault(rule, s).map(|f| (s, f))) {
            let message = match number {
                Number::Constant(value) => format!("{fault}; found {value}"),
                Number::Expression(_) => format!(
                    "{fault}; with the parameters' start values it is {}",
                    start / to_si
                ),
            };
            self.report.add(at, message);
        }
        let id = ValueId::from(self.values.len());
        self.values.push(Value {
            source,
            path: at.label(),
            rule,
        });
        id
    }

    /// A number that may be absent: zero.
    pub(super) fn optional(
        &mut self,
        number: Option<&Number>,
        dimension: Dimension,
        rule: ValueRule,
        at: &At,
    ) -> ValueId {
        let zero = Number::Constant(0.0);
        self.number(number.unwrap_or(&zero), dimension, rule, at)
    }

    /// Three numbers.
    pub(super) fn numbers(
        &mut self,
        numbers: &[Number; 3],
        dimension: Dimension,
        rule: ValueRule,
        at: &At,
    ) -> [ValueId; 3] {
        std::array::from_fn(|k| self.number(&numbers[k], dimension, rule, &at.index(k)))
    }

    /// A number's value at the start \[SI\].
    pub(super) fn start_of(&self, id: ValueId) -> Option<f64> {
        match &self.values[id.index()].source {
            ValueSource::Constant(value) => Some(*value),
            ValueSource::Expression(scaled) => {
                self.at_start(scaled.expr).map(|value| value * scaled.to_si)
            }
        }
    }

    /// Requires one number to be less than another, now and whenever parameters change; the rules of both require
    /// them to be positive.
    pub(super) fn demand_less(&mut self, less: ValueId, than: ValueId, message: &str, at: &At) {
        if let (Some(a), Some(b)) = (self.start_of(less), self.start_of(than))
            && a >= b
            && b > 0.0
        {
            self.report.add(at, message);
        }
        self.orders.push(ValueOrder {
            less,
            than,
            message: format!("{}: {message}", at.label()),
        });
    }

    /// The value of an expression of parameters at their starts.
    fn at_start(&self, expr: ExprId) -> Option<f64> {
        self.starts.as_ref()?;
        let program = &self.expressions[expr.index()];
        Some(program.value(&self.leaf_starts, &mut vec![0.0; program.registers()]))
    }

    /// Compiles an expression.
    pub(super) fn expression(&mut self, text: &str, scope: Scope, at: &At) -> Option<ExprId> {
        let mut resolver = ModelResolver {
            names: self.names,
            units: self.units,
            carriers: &self.carriers,
            scope,
            moving: &self.moving,
            rated: &self.rated,
            splines: &mut self.splines,
            sampled: &self.sampled,
            data: self.data.as_ref(),
            bodies: &self.bodies,
            markers: &mut self.markers,
            delays: &mut self.delays,
            expressions: &mut self.expressions,
            at,
            findings: &mut self.findings,
            leaves: &mut self.leaves,
        };
        match expr::compile(text, &mut resolver) {
            Ok(program) => Some(self.keep(program)),
            Err(e) => {
                let message = format!("column {} of {}: {}", e.column, quote(text), e.message);
                self.report.add(at, message);
                None
            }
        }
    }

    /// Stores a program, and the start values of its leaves.
    fn keep(&mut self, program: Program) -> ExprId {
        let id = ExprId::from(self.expressions.len());
        self.expressions.push(program);
        for leaf in &self.leaves.as_slice()[self.leaf_starts.len()..] {
            self.leaf_starts.push(match (leaf, &self.starts) {
                (Leaf::Parameter(id), Some(starts)) => starts[id.index()],
                _ => 0.0,
            });
        }
        id
    }

    /// Compiles an expression whose value is used in SI.
    pub(super) fn scaled(
        &mut self,
        expression: &Expression,
        to_si: f64,
        scope: Scope,
        at: &At,
    ) -> Option<ScaledExpr> {
        let expr = self.expression(&expression.text(), scope, at)?;
        Some(ScaledExpr { expr, to_si })
    }

    /// Adds the state of an element.
    pub(super) fn add_state(&mut self, state: Equation) -> EquationId {
        self.states.push(state);
        EquationId::from(self.names.plan.count + self.states.len() - 1)
    }

    /// A marker by name.
    pub(super) fn marker(&mut self, name: &str, at: &At) -> Option<MarkerId> {
        self.names
            .markers
            .find(name)
            .map_err(|message| self.report.add(at, message))
            .ok()
    }

    /// Markers I and J of an element.
    pub(super) fn ends(&mut self, i: &str, j: &str, at: &At) -> Option<(MarkerId, MarkerId)> {
        let first = self.marker(i, &at.field("i"));
        let second = self.marker(j, &at.field("j"));
        Some((first?, second?))
    }

    /// The node of a marker on a flexible body.
    fn node_of(&self, marker: MarkerId) -> Option<usize> {
        self.markers.get(marker.index())?.as_ref()?.node()
    }

    /// Are two markers on the same body, and on the same node if it bends?
    pub(super) fn moves_as_one(&self, a: MarkerId, b: MarkerId) -> bool {
        let bodies = [a, b].map(|marker| self.body_of(marker));
        bodies[0].is_some() && bodies[0] == bodies[1] && self.node_of(a) == self.node_of(b)
    }

    /// Markers I and J of an element, which must be on different bodies or nodes.
    pub(super) fn two_bodies(&mut self, i: &str, j: &str, at: &At) -> Option<(MarkerId, MarkerId)> {
        let (first, second) = self.ends(i, j, at)?;
        if self.moves_as_one(first, second) {
            let body = self
                .body_of(first)
                .and_then(|body| self.bodies[body.index()].as_ref());
            let body = body.map_or("?", |body| &body.name);
            let message = format!(
                "the markers {} are on the same body {}; they must be on two: correct one of them",
                both(i, j),
                quote(body)
            );
            self.report.add(at, message);
            return None;
        }
        Some((first, second))
    }

    /// A joint by name, unless it is broken.
    pub(super) fn joint(&mut self, name: &str, at: &At) -> Option<(JointId, Joint)> {
        let id = self
            .names
            .joints
            .find(name)
            .map_err(|message| self.report.add(at, message))
            .ok()?;
        Some((id, self.joints.get(id.index())?.clone()?))
    }

    /// The body of a marker, unless the marker is broken.
    pub(super) fn body_of(&self, marker: MarkerId) -> Option<BodyId> {
        self.markers.get(marker.index())?.as_ref().map(|m| m.body)
    }

    /// The kind of a body, known even if it is broken.
    pub(super) fn kind_of(&self, body: BodyId) -> BodyKind {
        match body.index() {
            0 => BodyKind::Ground,
            k if k <= self.parts => BodyKind::Rigid,
            k if k <= self.parts + self.points => BodyKind::Point,
            _ => BodyKind::Flexible,
        }
    }

    /// Is a marker on a point mass?
    pub(super) fn on_point_mass(&self, marker: MarkerId) -> bool {
        self.body_of(marker)
            .is_some_and(|body| self.kind_of(body) == BodyKind::Point)
    }

    /// Reports the markers among I and J that are on point masses; `what` says why that is wrong.
    pub(super) fn refuse_point_masses(
        &mut self,
        markers: &[(&str, MarkerId)],
        what: &str,
        at: &At,
    ) {
        for (field, marker) in markers {
            if self.on_point_mass(*marker) {
                let name = self.markers[marker.index()]
                    .as_ref()
                    .map_or("?", |m| &m.name);
                let message = format!(
                    "marker {} is on a point mass, which has no rotation: {what}",
                    quote(name)
                );
                self.report.add(&at.field(field), message);
            }
        }
    }

    /// Position of a marker in ground \[m\], as the file places it.
    pub(super) fn place_of(&self, marker: MarkerId) -> Option<Vec3> {
        let marker = self.markers.get(marker.index())?.as_ref()?;
        let body = self.bodies.get(marker.body.index())?.as_ref()?;
        Some(body.position + body.orientation * marker.position)
    }
}
