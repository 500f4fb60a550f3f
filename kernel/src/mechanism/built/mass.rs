//! Control plane: mass properties of a part that consists of solids.

use super::super::{Mechanism, ValueSource};
use super::NOWHERE;
use crate::ids::BodyId;
use crate::math::Vec3;
use crate::math::axes::{AxesFault, AxesForm};
use crate::math::inertia::{self, InertiaFault};
use crate::math::solid::{MassProperties, SolidShape};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The solids of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassRule {
    /// The solids.
    pub pieces: Vec<Piece>,
    /// Is the whole mass given, so that densities only distribute it?
    pub weighed: bool,
}

/// A solid. Its numbers are: density, dimensions, position x, y, z, and those of its axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Its shape.
    pub shape: SolidShape,
    /// How its axes are given, if they are not those of the part.
    pub axes: Option<AxesForm>,
    /// Is it taken away, rather than added?
    pub hole: bool,
}

/// Why there are no mass properties.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MassFault {
    /// A number of a solid, which counts from 0.
    #[error("solids[{piece}].{field} is {value} (SI); valid: {valid}")]
    Number {
        /// The solid.
        piece: usize,
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// The axes of a solid.
    #[error("solids[{0}].orientation: {1}")]
    Axes(usize, AxesFault),
    /// The whole.
    #[error(
        "the solids have a mass of {0} kg together, with what is taken away; valid: more than zero"
    )]
    Mass(f64),
    /// The mass that is given.
    #[error("mass is {0} (SI); valid: more than zero")]
    Weighed(f64),
    /// The inertia.
    #[error("of the solids together {0}; is more taken away than there is?")]
    Inertia(InertiaFault),
    /// Another count of numbers.
    #[error("another count of numbers than the solids have")]
    Count,
}

impl Piece {
    /// How many numbers it has.
    pub fn count(self) -> usize {
        4 + self.shape.dimensions().len() + self.axes.map_or(0, AxesForm::count)
    }

    /// Its mass properties in the axes of the part.
    fn properties(self, piece: usize, numbers: &[f64]) -> Result<MassProperties, MassFault> {
        let dimensions = self.shape.dimensions();
        let (density, rest) = numbers.split_first().ok_or(MassFault::Count)?;
        if rest.len() + 1 != self.count() {
            return Err(MassFault::Count);
        }
        let (own, rest) = rest.split_at(dimensions.len());
        let says = |field, value, valid| MassFault::Number {
            piece,
            field,
            value,
            valid,
        };
        if !(*density > 0.0 && density.is_finite()) {
            return Err(says("density", *density, "more than zero"));
        }
        if let Some(k) = self.shape.fault(own) {
            let (field, rule) = dimensions[k];
            return Err(says(field, own[k], rule.words()));
        }
        let (place, rest) = rest.split_at(3);
        if let Some(k) = place.iter().position(|x| !x.is_finite()) {
            return Err(says("position", place[k], "finite numbers"));
        }
        let axes = self.axes.map(|form| form.axes(rest)).transpose();
        let axes = axes.map_err(|fault| MassFault::Axes(piece, fault))?;
        let own = self.shape.properties(*density, own);
        let own = own.ok_or(MassFault::Count)?;
        Ok(own.placed(axes.as_ref(), Vec3::new(place[0], place[1], place[2])))
    }
}

impl MassRule {
    /// How many numbers it has: those of the solids, and the mass before them if that is given.
    pub fn count(&self) -> usize {
        let pieces = self.pieces.iter().map(|piece| piece.count());
        pieces.sum::<usize>() + usize::from(self.weighed)
    }

    /// The mass properties.
    pub fn properties(&self, numbers: &[f64]) -> Result<MassProperties, MassFault> {
        if numbers.len() != self.count() || self.pieces.is_empty() {
            return Err(MassFault::Count);
        }
        let (weighed, mut rest) = numbers.split_at(usize::from(self.weighed));
        let mut parts = Vec::with_capacity(self.pieces.len());
        for (k, piece) in self.pieces.iter().enumerate() {
            let (own, after) = rest.split_at(piece.count());
            rest = after;
            let sign = if piece.hole { -1.0 } else { 1.0 };
            parts.push((sign, piece.properties(k, own)?));
        }
        let mut whole = MassProperties::sum(&parts);
        if !(whole.mass > 0.0 && whole.mass.is_finite()) {
            return Err(MassFault::Mass(whole.mass));
        }
        if let Some(mass) = weighed.first() {
            if !(*mass > 0.0 && mass.is_finite()) {
                return Err(MassFault::Weighed(*mass));
            }
            whole = whole.of_mass(*mass);
        }
        match inertia::fault(whole.values()) {
            Some(fault) => Err(MassFault::Inertia(fault)),
            None => Ok(whole),
        }
    }
}

impl Mechanism {
    /// Gives a body the mass properties of its solids.
    pub(super) fn set_mass(
        &mut self,
        id: BodyId,
        rule: &MassRule,
        numbers: &[f64],
    ) -> Result<(), String> {
        let nowhere = || NOWHERE.to_owned();
        let whole = rule
            .properties(numbers)
            .map_err(|fault| fault.to_string())?;
        let body = self.bodies.get_mut(id.index()).ok_or_else(nowhere)?;
        body.center_of_mass = whole.center;
        let ids = core::iter::once(body.mass).chain(body.inertia);
        let numbers = core::iter::once(whole.mass).chain(whole.values());
        for (id, number) in ids.zip(numbers) {
            let value = self.values.get_mut(id.index()).ok_or_else(nowhere)?;
            value.source = ValueSource::Constant(number);
        }
        Ok(())
    }
}
