//! Control plane: data that are made of several numbers, some of which follow parameters: axes, curves, mass properties,
//! lengths between markers.
//!
//! As with [`super::derived`], the mechanism itself contains the plain result. [`Mechanism::built`] holds what it is made
//! of; it is made again when parameters change before a start, by the functions that the reader of models calls too.

mod curve;
mod gear;
mod mass;

pub use curve::{MOST_PIECES, Trace};
pub use gear::{NoTooth, Tooth};
pub use mass::{MassFault, MassRule, Piece};

#[cfg(not(feature = "std"))]
use crate::math::Float as _;

use super::derived::NotDerived;
use super::place::Place;
use super::{
    Body, ContactBody, ContactShape, ForceKind, Joint, JointKind, Marker, Mechanism, ScaledExpr,
    called,
};
use crate::ids::{BodyId, CouplerId, CurveId, ForceId, JointId, MarkerId, RoadId};
use crate::math::Vec3;
use crate::math::axes::AxesForm;
use crate::math::curve::SpaceCurve;
use crate::math::road::heading;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Data, and the numbers that they are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Built {
    /// How they are made.
    pub what: Construction,
    /// Their place in the model, for messages: `parts[2] "rod": orientation`.
    pub path: String,
    /// The numbers, in the order of the construction.
    pub from: Vec<Source>,
}

/// A number of which data are made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Source {
    /// The number.
    Number(f64),
    /// A program of parameters that are not tunable.
    Program(ScaledExpr),
}

/// How data are made of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Construction {
    /// A number is the sum of two.
    Sum(Place),
    /// The axes of a body.
    BodyAxes(BodyId, AxesForm),
    /// The axes of a marker.
    MarkerAxes(MarkerId, AxesForm),
    /// Mass, centre of mass and inertia of a body, of solids.
    Mass(BodyId, MassRule),
    /// A curve through points [x, y, z of each, m].
    Points {
        /// The curve.
        curve: CurveId,
        /// Is it closed?
        closed: bool,
    },
    /// A curve by expressions: beginning and end of its parameter, then what the expressions read beside it.
    Trace(CurveId, Box<Trace>),
    /// A curve of the list is one of a contact too: of I, or of J.
    Outline(CurveId, ForceId, bool),
    /// The length of a distance is that between its markers.
    Distance(JointId),
    /// The factors of a leg of a gear, by the places of markers.
    Gear(CouplerId, u32, Tooth),
    /// The heading of a road, by its yaw \[rad\].
    Heading(RoadId),
}

/// What messages say about something that is not there.
const NOWHERE: &str = "the mechanism has no such data";

impl Construction {
    /// How many numbers it takes; `None`: any count that is a multiple of three.
    fn count(&self) -> Option<usize> {
        match self {
            Self::Sum(_) => Some(2),
            Self::BodyAxes(_, form) | Self::MarkerAxes(_, form) => Some(form.count()),
            Self::Mass(_, rule) => Some(rule.count()),
            Self::Points { .. } => None,
            Self::Trace(_, trace) => Some(trace.count()),
            Self::Heading(_) => Some(1),
            Self::Outline(..) | Self::Distance(_) | Self::Gear(..) => Some(0),
        }
    }
}

impl Construction {
    /// A size against which a change of number `k` is small or not.
    fn size(&self, numbers: &[f64], k: usize, length: f64) -> f64 {
        let norm = |numbers: &[f64]| numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
        let size = match (self, numbers) {
            (Self::Sum(place), _) if !place.is_length() => 1.0,
            (
                Self::BodyAxes(_, AxesForm::Euler) | Self::MarkerAxes(_, AxesForm::Euler),
                &[.., angle],
            ) => 1.0 / angle,
            (
                Self::BodyAxes(_, AxesForm::Quaternion) | Self::MarkerAxes(_, AxesForm::Quaternion),
                all,
            ) => norm(all),
            (Self::BodyAxes(..) | Self::MarkerAxes(..), &[a, b, c, x, y, z, ..]) => {
                norm(&[x - a, y - b, z - c])
            }
            (Self::Mass(..), all) => all.get(k).map_or(length, |x| x.abs()),
            (Self::Heading(_), _) => 1.0,
            _ => length,
        };
        if size > 0.0 && size.is_finite() {
            size
        } else {
            length
        }
    }
}

impl Built {
    /// The programs among its numbers.
    pub fn programs(&self) -> impl Iterator<Item = ScaledExpr> + '_ {
        self.from.iter().filter_map(|source| match source {
            Source::Program(program) => Some(*program),
            Source::Number(_) => None,
        })
    }

    /// For each of its programs a size against which a change of its number is small or not.
    pub(super) fn sizes(&self, values: &mut impl Iterator<Item = f64>, length: f64) -> Vec<f64> {
        let numbers = self.numbers(values);
        let each = self.from.iter().enumerate();
        let programs = each.filter(|(_, source)| matches!(source, Source::Program(_)));
        programs
            .map(|(k, _)| self.what.size(&numbers, k, length))
            .collect()
    }

    /// Its numbers, with values for the programs in their order.
    fn numbers(&self, values: &mut impl Iterator<Item = f64>) -> Vec<f64> {
        let number = |source: &Source| match source {
            Source::Number(number) => *number,
            Source::Program(_) => values.next().unwrap_or(f64::NAN),
        };
        self.from.iter().map(number).collect()
    }

    /// The fault of the count of its numbers, or of what it consists of.
    pub(super) fn fault(&self) -> Option<String> {
        let count = self.from.len();
        if let Construction::Trace(_, trace) = &self.what
            && let Some(fault) = trace.fault()
        {
            return Some(fault.to_owned());
        }
        match self.what.count() {
            Some(wanted) if wanted != count => Some(format!("{count} numbers; valid: {wanted}")),
            None if !count.is_multiple_of(3) => {
                Some(format!("{count} numbers; valid: three for each point"))
            }
            _ => None,
        }
    }
}

impl Mechanism {
    /// Makes all built data again; `values` are those of the programs, in the order of the list.
    pub(super) fn build(
        &mut self,
        values: &mut impl Iterator<Item = f64>,
    ) -> Result<(), NotDerived> {
        let all = core::mem::take(&mut self.built);
        let made = all.iter().try_for_each(|built| {
            let numbers = built.numbers(values);
            let made = match built.fault() {
                Some(fault) => Err(fault),
                None => self.make(&built.what, &numbers),
            };
            made.map_err(|fault| NotDerived {
                place: built.path.clone(),
                fault,
            })
        });
        self.built = all;
        made
    }

    /// Makes one of them; the error says what is wrong.
    fn make(&mut self, what: &Construction, numbers: &[f64]) -> Result<(), String> {
        let nowhere = || NOWHERE.to_owned();
        let text = |fault: crate::math::axes::AxesFault| fault.to_string();
        match what {
            Construction::Sum(place) => {
                let number = self.number_at(*place).ok_or_else(nowhere)?;
                *number = numbers[0] + numbers[1];
            }
            Construction::BodyAxes(id, form) => {
                let axes = form.axes(numbers).map_err(text)?;
                let body = self.bodies.get_mut(id.index()).ok_or_else(nowhere)?;
                body.orientation = axes;
            }
            Construction::MarkerAxes(id, form) => {
                let axes = form.axes(numbers).map_err(text)?;
                let marker = self.markers.get_mut(id.index()).ok_or_else(nowhere)?;
                marker.orientation = axes;
            }
            Construction::Mass(id, rule) => self.set_mass(*id, rule, numbers)?,
            Construction::Points { curve, closed } => {
                let point = |p: &[f64]| Vec3::new(p[0], p[1], p[2]);
                let points: Vec<Vec3> = numbers.chunks_exact(3).map(point).collect();
                let made = SpaceCurve::of_points(points, *closed);
                self.set_curve(*curve, made.map_err(|fault| fault.to_string())?)?;
            }
            Construction::Trace(curve, trace) => {
                let made = trace.curve(numbers).map_err(|fault| fault.to_string())?;
                self.set_curve(*curve, made)?;
            }
            Construction::Outline(curve, force, of_i) => self.set_outline(*curve, *force, *of_i)?,
            Construction::Distance(id) => self.set_distance(*id)?,
            Construction::Gear(id, leg, tooth) => self.set_leg(*id, *leg, tooth)?,
            Construction::Heading(id) => {
                let entry = self.roads.get_mut(id.index()).ok_or_else(nowhere)?;
                entry.road.heading = heading(numbers[0]);
            }
        }
        Ok(())
    }

    /// Replaces a curve; joints between two curves need them in the plane.
    fn set_curve(&mut self, id: CurveId, made: SpaceCurve) -> Result<(), String> {
        let curve = self.curves.get_mut(id.index());
        let curve = curve.ok_or_else(|| NOWHERE.to_owned())?;
        let reads = |joint: &&Joint| matches!(joint.kind, JointKind::CurveOnCurve { curves } if curves.contains(&id));
        if !made.is_planar()
            && let Some(joint) = self.joints.iter().find(reads)
        {
            let joint = called(&joint.name);
            return Err(format!(
                "the curve leaves its xy plane, in which the joint {joint} needs it"
            ));
        }
        *curve = Arc::new(made);
        Ok(())
    }

    fn set_outline(&mut self, curve: CurveId, force: ForceId, of_i: bool) -> Result<(), String> {
        let nowhere = || NOWHERE.to_owned();
        let made = self.curves.get(curve.index()).ok_or_else(nowhere)?;
        let made = Arc::clone(made);
        if !made.is_planar() {
            return Err("the curve leaves its xy plane, in which the contact needs it".to_owned());
        }
        let force = self.forces.get_mut(force.index()).ok_or_else(nowhere)?;
        let ForceKind::Contact(contact) = &mut force.kind else {
            return Err(nowhere());
        };
        match (of_i, &mut contact.body, &mut contact.shape) {
            (true, ContactBody::Curve(curve), _)
            | (false, _, ContactShape::Curve { curve, .. }) => *curve = made,
            _ => return Err(nowhere()),
        }
        Ok(())
    }

    /// A marker with its body.
    fn frame(&self, marker: MarkerId) -> Option<(&Marker, &Body)> {
        let marker = self.markers.get(marker.index())?;
        Some((marker, self.bodies.get(marker.body.index())?))
    }

    fn set_distance(&mut self, id: JointId) -> Result<(), String> {
        let length = self.joints.get(id.index()).and_then(|joint| {
            let place = |marker| {
                let (marker, body) = self.frame(marker)?;
                Some(body.position + body.orientation * marker.position)
            };
            Some((place(joint.i)? - place(joint.j)?).norm())
        });
        let joint = self.joints.get_mut(id.index());
        match (length, joint.map(|joint| &mut joint.kind)) {
            (Some(0.0), _) => {
                Err("the markers coincide, so the distance between them is zero".to_owned())
            }
            (Some(made), Some(JointKind::Distance { length })) => {
                *length = made;
                Ok(())
            }
            _ => Err(NOWHERE.to_owned()),
        }
    }

    fn set_leg(&mut self, id: CouplerId, leg: u32, tooth: &Tooth) -> Result<(), String> {
        let nowhere = || NOWHERE.to_owned();
        let legs = |m: &Self| {
            let coupler = m.couplers.get(id.index())?;
            coupler.legs.get(leg as usize).copied()
        };
        let own = legs(self).ok_or_else(nowhere)?;
        let frames = (
            self.frame(tooth.contact),
            self.frame(tooth.axle),
            self.frame(own.i),
            self.frame(own.j),
        );
        let (Some(contact), Some(axle), Some(i), Some(j)) = frames else {
            return Err(nowhere());
        };
        let factors = tooth.factors(contact.0, axle.0, [i, j]);
        let (slide, turn) = factors.map_err(|fault| fault.to_string())?;
        if let Some(coupler) = self.couplers.get_mut(id.index()) {
            let leg = &mut coupler.legs[leg as usize];
            (leg.slide, leg.turn) = (slide, turn);
        }
        Ok(())
    }
}
