//! Control plane: numbers that decide geometry, masses or initial conditions: they are settled before a run, at the values
//! that parameters then have.

use super::Builder;
use crate::errors::{At, quote};
use crate::expr::{self, Argument, ResolveError, Resolver};
use crate::frames;
use crate::resolve::Scope;
use crate::schema::{Number, Orientation};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{BodyId, ExprId, LeafId, MarkerId, ParameterId, ValueId};
use fixstep_kernel::math::axes::AxesForm;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{
    BodyKind, BodyNumber, Built, Construction, Derived, Leaf, MarkerNumber, Place, ScaledExpr,
    Source, Value, ValueRule, ValueSource,
};

/// A number at the parameters' starts, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Settled {
    /// The number \[SI\].
    pub(in super::super) value: f64,
    /// The number, or its program.
    pub(in super::super) source: Source,
}

impl Settled {
    /// Does it follow parameters?
    pub(in super::super) fn follows(&self) -> bool {
        matches!(self.source, Source::Program(_))
    }
}

/// Zero, of three numbers that may be absent.
const ORIGIN: [Number; 3] = [const { Number::Constant(0.0) }; 3];

impl Builder<'_> {
    /// A number that is settled before a run.
    pub(in super::super) fn settled(&mut self, number: &Number, to_si: f64, at: &At) -> Settled {
        let plain = |value: f64| Settled {
            value,
            source: Source::Number(value),
        };
        let text = match number {
            Number::Constant(value) => {
                let si = value * to_si;
                if !si.is_finite() {
                    let message = format!("{value:e} is too large in SI units");
                    self.report.add(at, message);
                }
                return plain(si);
            }
            Number::Expression(text) => text,
        };
        let Some(expr) = self.expression(text, Scope::Parameters, at) else {
            return plain(0.0);
        };
        self.refuse_tunable(expr, at);
        let Some(start) = self.at_start(expr) else {
            return plain(0.0);
        };
        let value = start * to_si;
        if !value.is_finite() {
            let message =
                format!("must be finite; with the parameters' start values it is {value}");
            self.report.add(at, message);
            return plain(0.0);
        }
        if self.expressions[expr.index()].leaves().is_empty() {
            return plain(value);
        }
        Settled {
            value,
            source: Source::Program(ScaledExpr { expr, to_si }),
        }
    }

    /// Reports a tunable parameter that an expression reads.
    fn refuse_tunable(&mut self, expr: ExprId, at: &At) {
        let parameter = |leaf: &Leaf| match leaf {
            Leaf::Parameter(id) => self.parameters.get(id.index()),
            _ => None,
        };
        let found = { self.leaves_of(expr).filter_map(parameter) }.find(|(_, tunable)| *tunable);
        let Some((name, _)) = found.cloned() else {
            return;
        };
        let message = format!(
            "reads the parameter {}, which is tunable; geometry, solids and initial conditions are settled before the run: \
             take \"tunable\" away there",
            quote(&name)
        );
        self.report.add(at, message);
    }

    /// A plain number of an element, given in SI.
    pub(in super::super) fn si_number(&mut self, si: f64, rule: ValueRule, at: &At) -> ValueId {
        let id = ValueId::from(self.values.len());
        self.values.push(Value {
            source: ValueSource::Constant(si),
            path: at.label(),
            rule,
        });
        id
    }

    /// A parameter that is settled before a run.
    pub(in super::super) fn settled_parameter(&mut self, id: ParameterId, at: &At) -> Settled {
        let plain = Settled {
            value: 0.0,
            source: Source::Number(0.0),
        };
        let Some(expr) = self.leaf_expression(Leaf::Parameter(id)) else {
            return plain;
        };
        self.refuse_tunable(expr, at);
        let value = self.at_start(expr).unwrap_or(0.0);
        let source = Source::Program(ScaledExpr { expr, to_si: 1.0 });
        Settled { value, source }
    }

    /// The number at an address, in SI.
    pub(in super::super) fn placed(
        &mut self,
        number: &Number,
        dimension: Dimension,
        place: Place,
        at: &At,
    ) -> f64 {
        let settled = self.settled(number, self.units.to_si(dimension), at);
        self.follow(place, settled)
    }

    /// The value of a number, which its address follows.
    pub(in super::super) fn follow(&mut self, place: Place, settled: Settled) -> f64 {
        if let Source::Program(program) = settled.source {
            self.derived.push(Derived { place, program });
        }
        settled.value
    }

    /// A number that may be absent.
    pub(in super::super) fn placed_if(
        &mut self,
        number: Option<&Number>,
        dimension: Dimension,
        place: Place,
        at: &At,
    ) -> Option<f64> {
        number.map(|number| self.placed(number, dimension, place, at))
    }

    /// Three numbers at addresses; absent: zero.
    pub(in super::super) fn placed3(
        &mut self,
        numbers: Option<&[Number; 3]>,
        dimension: Dimension,
        place: impl Fn(u8) -> Place,
        at: &At,
    ) -> Vec3 {
        let numbers = numbers.unwrap_or(&ORIGIN);
        Vec3::from_fn(|k, _| self.placed(&numbers[k], dimension, place(k as u8), &at.index(k)))
    }

    /// Data that are made of numbers; they are made again where any of these follows parameters.
    pub(in super::super) fn build(&mut self, what: Construction, numbers: &[Settled], at: &At) {
        if numbers.iter().any(Settled::follows) {
            self.always_build(what, numbers, at);
        }
    }

    /// The same in any case.
    pub(in super::super) fn always_build(
        &mut self,
        what: Construction,
        numbers: &[Settled],
        at: &At,
    ) {
        let from = numbers.iter().map(|settled| settled.source).collect();
        let path = at.label();
        self.built.push(Built { what, path, from });
    }

    /// The axes of a body or marker at `at`, whose origin is `position`.
    pub(in super::super) fn axes(
        &mut self,
        orientation: Option<&Orientation>,
        position: Option<&[Number; 3]>,
        what: impl Fn(AxesForm) -> Construction,
        at: &At,
    ) -> Mat3 {
        let Some(orientation) = orientation else {
            return Mat3::identity();
        };
        let own = at.field("orientation");
        let (form, numbers) = self.axes_numbers(orientation, position, at);
        self.build(what(form), &numbers, &own);
        let plain: Vec<f64> = numbers.iter().map(|settled| settled.value).collect();
        form.axes(&plain).unwrap_or_else(|fault| {
            frames::tell(fault, &own, self.report);
            Mat3::identity()
        })
    }

    /// The form and the numbers of axes.
    pub(in super::super) fn axes_numbers(
        &mut self,
        orientation: &Orientation,
        position: Option<&[Number; 3]>,
        at: &At,
    ) -> (AxesForm, Vec<Settled>) {
        let origin = (position.unwrap_or(&ORIGIN), &at.field("position"));
        let angle = self.units.angle.factor;
        let (form, given) = frames::numbers(orientation, origin, angle, &at.field("orientation"));
        let settle = |(number, at): &(Number, At)| self.settled(number, 1.0, at);
        (form, given.iter().map(settle).collect())
    }

    /// The body that is read, in the list of a kind.
    pub(in super::super) fn own_body(&self, kind: BodyKind) -> BodyId {
        let before = match kind {
            BodyKind::Ground => 0,
            BodyKind::Rigid => 1,
            BodyKind::Point => 1 + self.parts,
            BodyKind::Flexible => 1 + self.parts + self.points,
        };
        BodyId::from(before + self.item)
    }

    /// Do the place or the axes of a marker in ground follow parameters, as the file places it?
    pub(in super::super) fn wanders(&self, marker: MarkerId) -> bool {
        let Some(body) = self.body_of(marker) else {
            return false;
        };
        let of_number = |place: &Place| match place {
            Place::Body(id, BodyNumber::Position(_) | BodyNumber::Orientation(..)) => *id == body,
            Place::Marker(id, MarkerNumber::Position(_) | MarkerNumber::Orientation(..)) => {
                *id == marker
            }
            _ => false,
        };
        let of_data = |built: &Built| match &built.what {
            Construction::Sum(place) => of_number(place),
            Construction::BodyAxes(id, _) => *id == body,
            Construction::MarkerAxes(id, _) => *id == marker,
            _ => false,
        };
        self.derived.iter().any(|derived| of_number(&derived.place))
            || self.built.iter().any(of_data)
    }

    /// The expression that is nothing but a leaf.
    pub(in super::super) fn leaf_expression(&mut self, leaf: Leaf) -> Option<ExprId> {
        self.sum_of_leaves([leaf])
    }

    /// The expression that is a sum of leaves; `None`: there are none, or too many.
    pub(in super::super) fn sum_of_leaves(
        &mut self,
        leaves: impl IntoIterator<Item = Leaf>,
    ) -> Option<ExprId> {
        let ids = leaves.into_iter().map(|leaf| self.leaves.intern(leaf));
        let mut resolver = Numbered(ids.collect());
        let names: Vec<String> = (0..resolver.0.len()).map(|k| format!("x{k}")).collect();
        let program = expr::compile(&names.join("+"), &mut resolver).ok()?;
        Some(self.keep(program))
    }
}

/// Leaves by their numbers: `x0`, `x1`.
struct Numbered(Vec<LeafId>);

impl Resolver for Numbered {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        let number = name
            .get(1..)
            .and_then(|digits| digits.parse::<usize>().ok());
        let leaf = number.and_then(|number| self.0.get(number));
        leaf.copied().ok_or(ResolveError::Unknown)
    }

    fn call(&mut self, _: &str, _: &[Argument]) -> Result<LeafId, ResolveError> {
        Err(ResolveError::Unknown)
    }

    fn functions(&self) -> Vec<&str> {
        Vec::new()
    }

    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
}
