//! Control plane: resolves the function `CONTACT` of expressions, which reads contacts.

use super::functions::SELECTORS;
use super::{ModelResolver, check_count};
use crate::errors::quote;
use crate::expr::{Argument, ResolveError};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::mechanism::{ContactQuantity, Leaf};

/// The quantities that the argument `comp` of CONTACT selects beyond [`SELECTORS`].
const CONTACT_SELECTORS: [(f64, ContactQuantity); 6] = [
    (9.0, ContactQuantity::Penetration),
    (10.0, ContactQuantity::NormalForce),
    (11.0, ContactQuantity::Slip),
    (12.0, ContactQuantity::Place(0)),
    (13.0, ContactQuantity::Place(1)),
    (14.0, ContactQuantity::Place(2)),
];

impl ModelResolver<'_> {
    /// CONTACT(name, jflag, comp, rm): as FORCE, plus the readings of contacts alone.
    pub(super) fn contact(&self, arguments: &[Argument]) -> Result<Leaf, ResolveError> {
        if let Some(Argument::Name(name)) = arguments.first() {
            let at_name = |message| ResolveError::at(0, message);
            let force = self.names.forces.find(name).map_err(at_name)?;
            if self.carriers.types.get(force.index()) != Some(&"contact") {
                return Err(at_name(format!(
                    "the force {} is no contact; FORCE reads every force element",
                    quote(name)
                )));
            }
            if let Some(Argument::Number(number)) = arguments.get(2)
                && let Some((_, quantity)) = CONTACT_SELECTORS.iter().find(|row| row.0 == *number)
            {
                check_count(arguments, 3, 4, contact_signature)?;
                return Ok(Leaf::Contact {
                    force,
                    quantity: *quantity,
                    axes: self.marker(arguments, 3)?,
                    scale: 1.0 / self.units.to_si(contact_dimension(*quantity)),
                });
            }
            if let Some(Argument::Number(number)) = arguments.get(2)
                && !SELECTORS.iter().any(|row| row.0 == *number)
            {
                return Err(ResolveError::at(2, contact_signature()));
            }
        }
        self.element("CONTACT", arguments)
    }
}

fn contact_signature() -> String {
    "CONTACT(name, jflag, comp[, rm]): comp 1..8 for FM FX FY FZ TM TX TY TZ of what acts on marker I \
     (jflag 0) or J (1); 9 penetration, 10 normal force, 11 slip velocity, 12 13 14 coordinates of the \
     place; rm the marker whose axes count, and from which the place is measured"
        .to_owned()
}

fn contact_dimension(quantity: ContactQuantity) -> Dimension {
    match quantity {
        ContactQuantity::Penetration | ContactQuantity::Place(_) => Dimension::Length,
        ContactQuantity::NormalForce => Dimension::Force,
        ContactQuantity::Slip => Dimension::Velocity,
    }
}
