//! Control plane: the function of expressions that reads a tyre.

use super::ModelResolver;
use crate::errors::{quote, quote_all};
use crate::expr::{Argument, ResolveError};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::mechanism::{Leaf, TyreChannel, TyreQuantity};

impl ModelResolver<'_> {
    /// TYRE(name, comp).
    pub(super) fn tyre(&self, arguments: &[Argument]) -> Result<Leaf, ResolveError> {
        let words = || quote_all(TyreChannel::WORDS.iter().map(|(word, _, _)| *word));
        let [Argument::Name(name), channel] = arguments else {
            return Err(ResolveError::new(format!(
                "TYRE takes the name of a tyre and what to read of it: TYRE(name, comp); comp: {}",
                words()
            )));
        };
        let found = self.names.forces.find(name);
        let force = found.map_err(|message| ResolveError::at(0, message))?;
        if !self.carriers.tyres.contains(&force) {
            let message = format!("the force {} is not a tyre", quote(name));
            return Err(ResolveError::at(0, message));
        }
        let row = TyreChannel::WORDS
            .iter()
            .enumerate()
            .find(|(k, row)| match channel {
                Argument::Name(word) => row.0.eq_ignore_ascii_case(word),
                Argument::Number(number) => *number == (k + 1) as f64,
            });
        let Some((_, (_, channel, quantity))) = row else {
            return Err(ResolveError::at(
                1,
                format!("valid: a number from 1, or one of {}", words()),
            ));
        };
        let scale = match quantity {
            TyreQuantity::Force => 1.0 / self.units.to_si(Dimension::Force),
            TyreQuantity::Moment => 1.0 / self.units.to_si(Dimension::Torque),
            TyreQuantity::Length => 1.0 / self.units.to_si(Dimension::Length),
            TyreQuantity::Velocity => 1.0 / self.units.to_si(Dimension::Velocity),
            TyreQuantity::Ratio | TyreQuantity::Rate => 1.0,
        };
        Ok(Leaf::Tyre {
            force,
            channel: *channel,
            scale,
        })
    }
}
