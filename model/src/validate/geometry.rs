//! Control plane: numbers of geometry and of initial conditions, which may follow parameters.
//!
//! The mechanism has plain numbers. For each number that follows parameters it also has a program and the place of the
//! number ([`Derived`]), from which a start with other values computes it.

use super::builder::Builder;
use crate::errors::{At, quote};
use crate::expr::{Program, Term, Terms};
use crate::frames;
use crate::resolve::Scope;
use crate::schema::{Number, Orientation, Turn};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::MarkerId;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{BodyNumber, Derived, Leaf, MarkerNumber, Place, ScaledExpr};

/// A number of geometry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measure {
    /// Its value at the start, in the unit of its field.
    pub(super) given: f64,
    /// The same in SI.
    pub(super) si: f64,
    /// The program that computes it; `None`: it is constant.
    pub(super) program: Option<ScaledExpr>,
}

impl Builder<'_> {
    /// A number, which may follow parameters that are not tunable.
    pub(super) fn measure(&mut self, number: &Number, dimension: Dimension, at: &At) -> Measure {
        let text = match number {
            Number::Constant(given) => {
                return Measure {
                    given: *given,
                    si: self.si(*given, dimension, at),
                    program: None,
                };
            }
            Number::Expression(text) => text,
        };
        let Some(expr) = self.expression(text, Scope::Parameters, at) else {
            return Measure::default();
        };
        let tunable = self.leaves_of(expr).find_map(|leaf| match leaf {
            Leaf::Parameter(id) if self.tunable[id.index()] => Some(*id),
            _ => None,
        });
        if let Some(id) = tunable {
            let all = &self.names.parameters;
            let name = all.names().find(|name| all.get(name) == Some(id));
            let message = format!(
                "the parameter {} is tunable, and geometry and initial conditions are settled before the run: use a \
                 parameter that is not tunable",
                quote(name.unwrap_or_default())
            );
            self.report.add(at, message);
            return Measure::default();
        }
        let to_si = self.units.to_si(dimension);
        let given = self.at_start(expr).unwrap_or(0.0);
        if !(given * to_si).is_finite() {
            let message =
                format!("must be finite; with the parameters' start values it is {given}");
            self.report.add(at, message);
            return Measure::default();
        }
        Measure {
            given,
            si: given * to_si,
            program: Some(ScaledExpr { expr, to_si }),
        }
    }

    /// Three numbers; absent: zero.
    pub(super) fn measures(
        &mut self,
        numbers: Option<&[Number; 3]>,
        dimension: Dimension,
        at: &At,
    ) -> [Measure; 3] {
        let Some(numbers) = numbers else {
            return [Measure::default(); 3];
        };
        std::array::from_fn(|k| self.measure(&numbers[k], dimension, &at.index(k)))
    }

    /// A number for a place of the mechanism.
    pub(super) fn put(&mut self, measure: Measure, place: Place) -> f64 {
        if let Some(program) = measure.program {
            self.derived.push(Derived { place, program });
        }
        measure.si
    }

    /// A number for a place of the mechanism, counted from another origin \[SI\].
    pub(super) fn put_from(&mut self, from: f64, measure: Measure, place: Place, at: &At) -> f64 {
        if from == 0.0 || measure.program.is_none() {
            return from + self.put(measure, place);
        }
        let mut terms = Terms::default();
        let own = self.term(&mut terms, &measure);
        let from_term = terms.constant(from);
        let sum = own.map(|own| terms.sum(from_term, own));
        match sum.and_then(|sum| terms.finish(sum)) {
            Some(program) => self.put_program(program, place, at),
            None => self.report.add(at, "the expression is too long"),
        }
        from + measure.si
    }

    /// Three numbers for places of the mechanism.
    pub(super) fn put3(&mut self, measures: [Measure; 3], place: impl Fn(u8) -> Place) -> Vec3 {
        let value = |k: usize| self.put(measures[k], place(k as u8));
        Vec3::from([0, 1, 2].map(value))
    }

    /// The axes of a frame with this origin, for places of the mechanism.
    pub(super) fn axes(
        &mut self,
        orientation: Option<&Orientation>,
        origin: &[Measure; 3],
        at: &At,
        place: impl Fn(u8, u8) -> Place,
    ) -> Mat3 {
        let Some(orientation) = orientation else {
            return Mat3::identity();
        };
        let (given, measures) = self.orientation(orientation, at);
        let before = self.report.count();
        let start = origin.map(|x| x.given);
        let factor = self.units.angle.factor;
        let axes = frames::axes(Some(&given), start, factor, at, self.report);
        let by_points = matches!(given, Turn::Points { .. });
        let mut read = measures.iter().flatten().flatten();
        let mut own = origin.iter().filter(|_| by_points);
        let follows = |x: &Measure| x.program.is_some();
        if self.report.count() != before || !(read.any(follows) || own.any(follows)) {
            return axes;
        }
        let mut terms = Terms::default();
        let built = match given {
            Turn::Euler(_) => self.turned(&mut terms, measures[0].as_ref()),
            Turn::Points { z, .. } => self.pointed(&mut terms, origin, &measures, (z, start)),
            Turn::Quaternion(_) => None,
        };
        let Some(columns) = built else {
            self.report.add(at, "its expressions are too long together");
            return axes;
        };
        for (column, entries) in columns.iter().enumerate() {
            for (row, entry) in entries.iter().enumerate() {
                if let Some(program) = terms.finish(*entry) {
                    self.put_program(program, place(row as u8, column as u8), at);
                } else {
                    self.report.add(at, "its expressions are too long together");
                }
            }
        }
        axes
    }

    /// The numbers of an orientation at the start, and their sources: of Euler angles, or of the z and the x point.
    fn orientation(
        &mut self,
        orientation: &Orientation,
        at: &At,
    ) -> (Turn, [Option<[Measure; 3]>; 2]) {
        match orientation {
            Orientation::Euler(x) => {
                let euler = self.measures(Some(&x.euler), Dimension::Angle, &at.field("euler"));
                (Turn::Euler(euler.map(|x| x.given)), [Some(euler), None])
            }
            Orientation::Quaternion(x) => (Turn::Quaternion(x.quaternion), [None; 2]),
            Orientation::Points(x) => {
                let (z, across) = (at.field("z_point"), at.field("x_point"));
                let z = self.measures(Some(&x.z_point), Dimension::Length, &z);
                let across = x
                    .x_point
                    .as_ref()
                    .map(|x| self.measures(Some(x), Dimension::Length, &across));
                let given = Turn::Points {
                    z: z.map(|x| x.given),
                    x: across.map(|x| x.map(|x| x.given)),
                };
                (given, [Some(z), across])
            }
        }
    }

    /// The columns of Rz(psi) Rx(theta) Rz(phi).
    fn turned(&self, terms: &mut Terms, euler: Option<&[Measure; 3]>) -> Option<[[Term; 3]; 3]> {
        let mut pairs = Vec::with_capacity(3);
        for angle in euler? {
            pairs.push(if angle.program.is_some() {
                let angle = self.term(terms, angle)?;
                terms.sine_cosine(angle)
            } else {
                let (s, c) = frames::sine_cosine(angle.given, self.units.angle.factor);
                (terms.constant(s), terms.constant(c))
            });
        }
        let &[(s1, c1), (s2, c2), (s3, c3)] = pairs.as_slice() else {
            return None;
        };
        let zero = terms.constant(0.0);
        let mut minus = |x| terms.difference(zero, x);
        let (s1m, s2m, s3m) = (minus(s1), minus(s2), minus(s3));
        // The columns of Rx(theta) Rz(phi), turned about z by psi.
        let inner = {
            let mut product = |a, b| terms.product(a, b);
            [
                [c3, product(c2, s3), product(s2, s3)],
                [s3m, product(c2, c3), product(s2, c3)],
                [zero, s2m, c2],
            ]
        };
        Some(inner.map(|[x, y, z]| {
            let (a, b) = (terms.product(c1, x), terms.product(s1m, y));
            let (c, d) = (terms.product(s1, x), terms.product(c1, y));
            [terms.sum(a, b), terms.sum(c, d), z]
        }))
    }

    /// The columns of axes by points. Without an x point the axis is that which is chosen at the start.
    fn pointed(
        &self,
        terms: &mut Terms,
        origin: &[Measure; 3],
        points: &[Option<[Measure; 3]>; 2],
        (z_start, start): ([f64; 3], [f64; 3]),
    ) -> Option<[[Term; 3]; 3]> {
        let vector = |terms: &mut Terms, x: &[Measure; 3]| {
            let all = x.each_ref().map(|x| self.term(terms, x));
            Some([all[0]?, all[1]?, all[2]?])
        };
        let origin = vector(terms, origin)?;
        let z = vector(terms, points[0].as_ref()?)?;
        let z = [0, 1, 2].map(|k| terms.difference(z[k], origin[k]));
        let z = terms.unit(z);
        let across = if let Some(x) = &points[1] {
            let x = vector(terms, x)?;
            [0, 1, 2].map(|k| terms.difference(x[k], origin[k]))
        } else {
            let along = (Vec3::from(z_start) - Vec3::from(start)).normalize();
            let chosen = frames::most_perpendicular(along);
            [0, 1, 2].map(|k| terms.constant(chosen[k]))
        };
        let share = terms.dot(z, across);
        let across = [0, 1, 2].map(|k| {
            let along = terms.product(z[k], share);
            terms.difference(across[k], along)
        });
        let x = terms.unit(across);
        Some([x, terms.cross(z, x), z])
    }

    /// A number among terms \[SI\].
    fn term(&self, terms: &mut Terms, measure: &Measure) -> Option<Term> {
        let Some(scaled) = measure.program else {
            return Some(terms.constant(measure.si));
        };
        let value = terms.program(&self.expressions[scaled.expr.index()])?;
        let factor = terms.constant(scaled.to_si);
        Some(terms.product(value, factor))
    }

    /// A number of the mechanism among terms: what is derived for its place, or its constant value.
    fn standing(&self, terms: &mut Terms, place: Place, si: f64) -> Option<Term> {
        let derived = self.derived.iter().find(|d| d.place == place);
        let measure = Measure {
            given: si,
            si,
            program: derived.map(|d| d.program),
        };
        self.term(terms, &measure)
    }

    fn put_program(&mut self, program: Program, place: Place, at: &At) {
        let expr = self.keep(program);
        if !self.at_start(expr).is_none_or(f64::is_finite) {
            self.report
                .add(at, "with the parameters' start values it is not finite");
        }
        let program = ScaledExpr { expr, to_si: 1.0 };
        self.derived.push(Derived { place, program });
    }

    /// Do parameters place these markers, or turn them?
    pub(super) fn follow_parameters(&self, markers: &[MarkerId]) -> bool {
        let bodies: Vec<_> = markers.iter().filter_map(|id| self.body_of(*id)).collect();
        self.derived.iter().any(|derived| match derived.place {
            Place::Marker(id, _) => markers.contains(&id),
            Place::Body(id, BodyNumber::Position(_) | BodyNumber::Orientation(..)) => {
                bodies.contains(&id)
            }
            _ => false,
        })
    }

    /// Computes the distance between two markers, as parameters place them, for a place of the mechanism.
    pub(super) fn put_distance(&mut self, ends: [MarkerId; 2], place: Place, at: &At) {
        let mut terms = Terms::default();
        let points = ends.map(|id| self.placed(&mut terms, id));
        let [Some(p), Some(q)] = points else {
            self.report
                .add(at, "the positions of its markers have expressions that are too long; give a \"length\"");
            return;
        };
        let apart = [0, 1, 2].map(|k| terms.difference(p[k], q[k]));
        let norm = terms.norm(apart);
        if let Some(program) = terms.finish(norm) {
            self.put_program(program, place, at);
        }
    }

    /// The position of a marker in ground \[m\].
    fn placed(&self, terms: &mut Terms, id: MarkerId) -> Option<[Term; 3]> {
        let marker = self.markers.get(id.index())?.as_ref()?;
        let body = self.bodies.get(marker.body.index())?.as_ref()?;
        let mut own = Vec::with_capacity(3);
        for k in 0..3_u8 {
            let place = Place::Marker(id, MarkerNumber::Position(k));
            own.push(self.standing(terms, place, marker.position[usize::from(k)])?);
        }
        let mut place = Vec::with_capacity(3);
        for i in 0..3_u8 {
            let number = Place::Body(marker.body, BodyNumber::Position(i));
            let mut sum = self.standing(terms, number, body.position[usize::from(i)])?;
            for k in 0..3_u8 {
                let entry = body.orientation[(usize::from(i), usize::from(k))];
                let number = Place::Body(marker.body, BodyNumber::Orientation(i, k));
                let entry = self.standing(terms, number, entry)?;
                let part = terms.product(entry, own[usize::from(k)]);
                sum = terms.sum(sum, part);
            }
            place.push(sum);
        }
        place.try_into().ok()
    }
}
