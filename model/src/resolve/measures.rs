//! Control plane: the functions that measure between markers, and those that read the loads of elements.

use super::arguments::{check_count, jflag, selection};
use super::functions;
use super::{Leaf, ModelResolver};
use crate::errors::quote;
use crate::expr::{Argument, ResolveError};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{ForceId, MarkerId};
use fixstep_kernel::mechanism::{
    KinematicMeasure, MarkerRole, MeasureRow, ReactionComponent, ReactionSource,
};

impl ModelResolver<'_> {
    /// A measure of marker I from J.
    pub(super) fn kinematic(
        &self,
        row: &MeasureRow,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        check_count(arguments, 1, 1 + row.roles.len(), || {
            functions::signature(row.name, row.roles)
        })?;
        let i = self.marker(arguments, 0)?;
        let (mut j, mut axes, mut frame) =
            (self.names.ground, self.names.ground, self.names.ground);
        for (k, role) in row.roles.iter().enumerate() {
            let marker = self.marker(arguments, k + 1)?;
            match role {
                MarkerRole::From => j = marker,
                MarkerRole::Axes => axes = marker,
                MarkerRole::Frame => frame = marker,
            }
        }
        Ok(Leaf::Kinematic {
            measure: row.measure,
            i,
            j,
            axes,
            frame,
            scale: self.kinematic_scale(row.measure),
        })
    }

    /// User units per SI unit; angles are radians in both.
    fn kinematic_scale(&self, measure: KinematicMeasure) -> f64 {
        let length = self.units.to_si(Dimension::Length);
        let time = self.units.to_si(Dimension::Time);
        // Multiplied from the left, time first, so that equal products have the same bits for every measure.
        let [_, lengths, times] = measure.powers();
        let rates = (times..0).fold(1.0, |scale, _| scale * time);
        if lengths > 0 { rates / length } else { rates }
    }

    /// FX(i[, j[, k]]) and its kind.
    pub(super) fn between(
        &self,
        function: &str,
        component: ReactionComponent,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        let roles = &[MarkerRole::From, MarkerRole::Axes];
        check_count(arguments, 1, 3, || functions::signature(function, roles))?;
        let i = self.marker(arguments, 0)?;
        let axes = self.marker(arguments, 2)?;
        let source = if arguments.len() == 1 {
            if !self.carriers.incomplete && !self.carriers.lone.contains(&i) {
                return Err(ResolveError::new(format!(
                    "no action-only force acts on this marker; name both markers of an element: \
                     {function}(i, j)"
                )));
            }
            ReactionSource::On(i)
        } else {
            let j = self.marker(arguments, 1)?;
            if !self.carriers.incomplete && !self.carriers.pairs.contains(&(i, j)) {
                return Err(ResolveError::new(
                    "no joint, motion or force acts between these two markers",
                ));
            }
            ReactionSource::Between(i, j)
        };
        Ok(self.reaction(source, component, axes))
    }

    /// JOINT(name, jflag, comp, rm) and its kind.
    pub(super) fn element(
        &self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        if let Some(component) = functions::only(function) {
            return self.whole(function, component, arguments);
        }
        check_count(arguments, 3, 4, || {
            format!(
                "{function}(name, jflag, comp[, rm]): jflag 0 or 1 for what acts on marker I or J; \
                 comp 1..8 for FM FX FY FZ TM TX TY TZ; rm the marker whose axes count"
            )
        })?;
        let Some(Argument::Name(name)) = arguments.first() else {
            return Err(ResolveError::at(0, "expected a name"));
        };
        let on_j = jflag(arguments, 1)?;
        let component = selection(arguments, 2)?;
        let axes = self.marker(arguments, 3)?;
        let at_name = |message| ResolveError::at(0, message);
        let source = match function {
            "JOINT" => ReactionSource::Joint(self.names.joints.find(name).map_err(at_name)?, on_j),
            "PTCV" | "CVCV" => {
                let table = if function == "PTCV" {
                    &self.names.point_on_curves
                } else {
                    &self.names.curve_on_curves
                };
                ReactionSource::Joint(table.find(name).map_err(at_name)?, on_j)
            }
            "MOTION" => {
                ReactionSource::Motion(self.names.motions.find(name).map_err(at_name)?, on_j)
            }
            "FRICTION" => {
                ReactionSource::Force(self.names.frictions.find(name).map_err(at_name)?, on_j)
            }
            _ => {
                let force = self.names.forces.find(name).map_err(at_name)?;
                self.check_type(function, name, force)?;
                ReactionSource::Force(force, on_j)
            }
        };
        Ok(self.reaction(source, component, axes))
    }

    /// A function whose only argument is the name of a force element.
    fn whole(
        &self,
        function: &str,
        component: ReactionComponent,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        let [Argument::Name(name)] = arguments else {
            let message =
                format!("{function} takes the name of a force element: {function}(force)");
            return Err(ResolveError::new(message));
        };
        let force = self.names.forces.find(name);
        let force = force.map_err(|message| ResolveError::at(0, message))?;
        self.check_type(function, name, force)?;
        let source = ReactionSource::Force(force, false);
        Ok(self.reaction(source, component, self.names.ground))
    }

    /// Does a function read force elements of this one's type?
    fn check_type(&self, function: &str, name: &str, force: ForceId) -> Result<(), ResolveError> {
        let word = self.carriers.types.get(force.index()).copied();
        if word == Some("modal_force") {
            let message = format!(
                "force {} is spread over its body and has no single place; POWER reads it, and JOINT what \
                 carries it",
                quote(name)
            );
            return Err(ResolveError::at(0, message));
        }
        let fault = word
            .filter(|word| !word.is_empty())
            .and_then(|word| functions::type_fault(function, word));
        fault.map_or(Ok(()), |fault| {
            Err(ResolveError::at(
                0,
                format!("force {} {fault}", quote(name)),
            ))
        })
    }

    /// A component of what something exerts.
    pub(super) fn reaction(
        &self,
        source: ReactionSource,
        component: ReactionComponent,
        axes: MarkerId,
    ) -> Leaf {
        let dimension = match component {
            ReactionComponent::ForceMagnitude | ReactionComponent::Force(_) => Dimension::Force,
            ReactionComponent::TorqueMagnitude | ReactionComponent::Torque(_) => Dimension::Torque,
        };
        Leaf::Reaction {
            source,
            component,
            axes,
            scale: 1.0 / self.units.to_si(dimension),
        }
    }
}
