//! Control plane: resolves the functions of expressions that read energies and powers.

use super::ModelResolver;
use crate::errors::quote;
use crate::expr::{Argument, ResolveError};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::mechanism::{EnergySource, Leaf, ReactionSource};

/// How the functions are called.
fn signature(function: &str) -> &'static str {
    match function {
        "KE" => "KE takes the name of a part or point mass: KE(part)",
        "PE" => "PE takes the name of a part or point mass: PE(part)",
        "SE" => "SE takes the name of a force element: SE(force)",
        "DISSIPATION" => "DISSIPATION takes the name of a force element: DISSIPATION(force)",
        _ => {
            "POWER takes the name of a force, motion or joint, and where it is several of these, which: \
             POWER(name[, force | motion | joint])"
        }
    }
}

impl ModelResolver<'_> {
    /// KE(part), PE(part), SE(force), DISSIPATION(force), POWER(name[, kind]).
    pub(super) fn energy(
        &self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        let wrong = || ResolveError::new(signature(function));
        let (name, kind) = match arguments {
            [Argument::Name(name)] => (name, None),
            [Argument::Name(name), Argument::Name(kind)] if function == "POWER" => {
                (name, Some(kind.as_str()))
            }
            _ => return Err(wrong()),
        };
        let at_name = |message: String| ResolveError::at(0, message);
        let force = || self.names.forces.find(name).map_err(at_name);
        let source = match function {
            "KE" => EnergySource::Kinetic(self.body(name)?),
            "PE" => EnergySource::Potential(self.body(name)?),
            "SE" => EnergySource::Strain(force()?),
            "DISSIPATION" => EnergySource::Dissipation(force()?),
            _ => EnergySource::Power(self.powered(name, kind)?),
        };
        let energy = self.units.to_si(Dimension::Torque);
        let scale = match source {
            EnergySource::Kinetic(_) | EnergySource::Potential(_) | EnergySource::Strain(_) => {
                1.0 / energy
            }
            EnergySource::Power(_) | EnergySource::Dissipation(_) => {
                self.units.to_si(Dimension::Time) / energy
            }
        };
        Ok(Leaf::Energy { source, scale })
    }

    fn body(&self, name: &str) -> Result<BodyId, ResolveError> {
        let body = self.names.bodies.find(name);
        let body = body.map_err(|message| ResolveError::at(0, message))?;
        if body == BodyId::GROUND {
            let message = "ground does not move: name a part or point mass";
            return Err(ResolveError::at(0, message));
        }
        Ok(body)
    }

    /// The source of power with a name.
    fn powered(&self, name: &str, kind: Option<&str>) -> Result<ReactionSource, ResolveError> {
        let wanted = |word: &str| kind.is_none_or(|kind| kind.eq_ignore_ascii_case(word));
        let names = self.names;
        let force = names.forces.get(name).filter(|_| wanted("force"));
        let motion = names.motions.get(name).filter(|_| wanted("motion"));
        let joint = names.joints.get(name).filter(|_| wanted("joint"));
        let found = [
            force.map(|id| ReactionSource::Force(id, false)),
            motion.map(|id| ReactionSource::Motion(id, false)),
            joint.map(|id| ReactionSource::Joint(id, false)),
        ];
        let mut found = found.into_iter().flatten();
        match (found.next(), found.next()) {
            (Some(source), None) => Ok(source),
            (Some(_), Some(_)) => Err(ResolveError::at(
                0,
                format!(
                    "there is more than one {}: say which, as in POWER({name}, force)",
                    quote(name)
                ),
            )),
            _ => Err(ResolveError::at(
                0,
                format!(
                    "there is no {} {}; {}",
                    kind.unwrap_or("force, motion or joint"),
                    quote(name),
                    signature("POWER")
                ),
            )),
        }
    }
}
