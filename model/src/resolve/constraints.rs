//! Control plane: the functions that read curve joints, couplers, gears and general constraints.

use super::ModelResolver;
use super::arguments::{check_count, jflag, selection};
use crate::errors::quote;
use crate::expr::{Argument, ResolveError};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::mechanism::{Leaf, ReactionSource};

impl ModelResolver<'_> {
    /// ARC(joint[, jflag]).
    pub(super) fn arc(&self, arguments: &[Argument]) -> Result<Leaf, ResolveError> {
        check_count(arguments, 1, 2, || {
            "ARC(joint[, jflag]): a point_on_curve or curve_on_curve joint; of the latter jflag 0 for \
             the curve of I, 1 for that of J"
                .to_owned()
        })?;
        let Some(Argument::Name(name)) = arguments.first() else {
            return Err(ResolveError::at(0, "expected the name of a curve joint"));
        };
        let two = self.names.curve_on_curves.get(name);
        let joint = match two {
            Some(joint) => joint,
            None => self
                .names
                .point_on_curves
                .find(name)
                .map_err(|message| ResolveError::at(0, message))?,
        };
        let on_j = match (arguments.len(), two) {
            (1, None) => true,
            (1, Some(_)) => {
                return Err(ResolveError::new(format!(
                    "the joint {} has two curves: ARC(name, 0) is on that of I, ARC(name, 1) on that \
                     of J",
                    quote(name)
                )));
            }
            _ => jflag(arguments, 1)?,
        };
        if !on_j && two.is_none() {
            let message = "a point_on_curve joint has its curve on J: leave this out, or write 1";
            return Err(ResolveError::at(1, message));
        }
        if two.is_some() && self.scope == super::Scope::Holonomic {
            return Err(ResolveError::new(format!(
                "ARC of the curve_on_curve joint {} is not allowed in a constraint; that of a \
                 point_on_curve joint can",
                quote(name)
            )));
        }
        Ok(Leaf::Arc {
            joint,
            on_j,
            scale: 1.0 / self.units.to_si(Dimension::Length),
        })
    }

    /// GCON(name), GCON(name, marker, comp[, rm]).
    pub(super) fn general(&self, arguments: &[Argument]) -> Result<Leaf, ResolveError> {
        let Some(Argument::Name(name)) = arguments.first() else {
            return Err(ResolveError::new(
                "GCON takes the name of a general constraint: GCON(name), or \
                 GCON(name, marker, comp[, rm])",
            ));
        };
        let at_name = |message| ResolveError::at(0, message);
        let constraint = self.names.generals.find(name).map_err(at_name)?;
        if arguments.len() == 1 {
            let energy = self.units.to_si(Dimension::Force) * self.units.to_si(Dimension::Length);
            return Ok(Leaf::Multiplier {
                constraint,
                scale: -1.0 / energy,
            });
        }
        check_count(arguments, 3, 4, || {
            "GCON(name), or GCON(name, marker, comp[, rm]): comp 1..8 for FM FX FY FZ TM TX TY TZ of \
             what it exerts on that marker; rm the marker whose axes count"
                .to_owned()
        })?;
        let marker = self.marker(arguments, 1)?;
        let component = selection(arguments, 2)?;
        let axes = self.marker(arguments, 3)?;
        Ok(self.reaction(ReactionSource::General(constraint, marker), component, axes))
    }

    /// COUPLER(name, joint, jflag, comp[, rm]), GEAR likewise.
    pub(super) fn coupler(
        &self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        check_count(arguments, 4, 5, || {
            format!(
                "{function}(name, joint, jflag, comp[, rm]): what it exerts at one of its joints; \
                 jflag 0 or 1 for marker I or J of that joint; comp 1..8 for FM FX FY FZ TM TX TY TZ; \
                 rm the marker whose axes count"
            )
        })?;
        let (Some(Argument::Name(name)), Some(Argument::Name(joint))) =
            (arguments.first(), arguments.get(1))
        else {
            return Err(ResolveError::new(format!(
                "{function} takes two names first: its own, and that of one of its joints"
            )));
        };
        let table = if function == "GEAR" {
            &self.names.gears
        } else {
            &self.names.couplers
        };
        let coupler = table
            .find(name)
            .map_err(|message| ResolveError::at(0, message))?;
        let id = self
            .names
            .joints
            .find(joint)
            .map_err(|message| ResolveError::at(1, message))?;
        let coupled = &self.names.coupled[coupler.index()];
        if !coupled.contains(joint) {
            let valid: Vec<String> = coupled.iter().map(|joint| quote(joint)).collect();
            let message = format!(
                "the joint {} is none of those of {}: {}",
                quote(joint),
                quote(name),
                valid.join(", ")
            );
            return Err(ResolveError::at(1, message));
        }
        let on_j = jflag(arguments, 2)?;
        let component = selection(arguments, 3)?;
        let axes = self.marker(arguments, 4)?;
        let source = ReactionSource::Coupler {
            coupler,
            joint: id,
            on_j,
        };
        Ok(self.reaction(source, component, axes))
    }
}
