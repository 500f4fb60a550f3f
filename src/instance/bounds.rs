//! Data plane, except for refusals: how numbers at and beyond the bounds of their variables are treated.
//!
//! A value that misses a bound by rounding is set to the bound: importers convert units and add up.
//!
//! An input further beyond is clamped, with [`Status::Warning`]. FMI 2.0 (2.2.7) leaves the status for an input to
//! the FMU; FMI 3.0 (2.2.6) expects the FMU not to rely on bounds. If the model asks for it (`solver.input_bounds`),
//! the call is an error.
//!
//! A parameter further beyond is refused with [`Status::Discard`], as both versions prescribe: nothing has changed,
//! and the run continues. So is a parameter value that makes the model invalid. A number that is not finite is an
//! illegal argument and an error.

use super::Instance;
use super::access::Access;
use super::log::Record;
use super::status::{Refusal, Status};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::math::held;
use fixstep_kernel::mechanism::InputBounds;
use fixstep_variables::Slot;

/// How far a number may be beyond a bound and still count as the bound: relative to the range, or with one bound
/// alone to its size, or to 1.
const ROUNDING: f64 = 1e-12;

impl Access {
    /// May a number be the value?
    pub fn holds(&self, value: f64) -> bool {
        value.is_finite() && value >= self.min && value <= self.max
    }

    /// The number with rounding removed: a value that misses a bound only by rounding becomes the bound.
    pub fn meant(&self, value: f64) -> f64 {
        if self.holds(value) || !value.is_finite() {
            return value;
        }
        let bound = held(value, self.min, self.max);
        let range = self.max / 2.0 - self.min / 2.0;
        let size = if range.is_finite() {
            2.0 * range
        } else {
            bound.abs().max(1.0)
        };
        if (value - bound).abs() <= ROUNDING * size {
            bound
        } else {
            value
        }
    }

    /// The refusal of a number that is not allowed for the variable.
    pub fn refusal(&self, value: f64, text: String) -> Refusal {
        let parameter = matches!(self.slot, Slot::Parameter(_) | Slot::Setting(_));
        if parameter && value.is_finite() {
            Refusal::discard(text)
        } else {
            Refusal::error(text)
        }
    }
}

impl Instance {
    /// May an input have this number, after clamping to its bounds?
    pub(super) fn clamps(&self, access: &Access, value: f64) -> bool {
        let clamping = self.settings.solver.input_bounds == InputBounds::Clamp;
        clamping && matches!(access.slot, Slot::Input(_)) && value.is_finite()
    }

    /// Sets an input to the nearest that it may be.
    pub(super) fn give_input(
        &mut self,
        element: u32,
        (input, access): (InputId, Access),
        value: f64,
    ) -> Status {
        let meant = access.meant(value);
        self.simulation.ask_input(input, meant);
        if access.holds(meant) {
            return Status::Ok;
        }
        self.tell_beyond(element, &access, meant);
        Status::Warning
    }

    /// Checks where inputs lead, with derivatives or on a straight line, in the next communication step, of this length \[s\].
    pub(super) fn look_ahead(&mut self, length: f64) -> Result<(), Refusal> {
        for at in 0..self.accesses.inputs().len() {
            let (element, input) = self.accesses.inputs()[at];
            let asked = self.simulation.farthest_input(input, length);
            let Some(access) = self.accesses.get(element) else {
                continue;
            };
            if access.holds(access.meant(asked)) {
                continue;
            }
            if !self.clamps(&access, asked) {
                let given = self.simulation.has_input_derivatives(input);
                return Err(self.leads_beyond(element, &access, (asked, given)));
            }
            self.tell_beyond(element, &access, asked);
        }
        Ok(())
    }

    #[cold]
    fn leads_beyond(&self, element: u32, access: &Access, (asked, given): (f64, bool)) -> Refusal {
        let label = self.accesses.label(element);
        let Access { min, max, .. } = access;
        let (what, remedy) = if given {
            (
                format!("the derivatives of {label} lead to"),
                "Give smaller ones, or take shorter steps",
            )
        } else {
            (
                format!("the straight line through the last two values of {label} leads to"),
                "Take shorter steps, give derivatives, or pack the model with solver setting input_course \"hold\" or \
                 input_bounds \"clamp\"",
            )
        };
        Refusal::error(format!(
            "{what} {asked} within the communication step; valid are {min} to {max}. {remedy}"
        ))
    }

    /// Queues, once for each variable, that it is clamped.
    fn tell_beyond(&mut self, element: u32, access: &Access, asked: f64) {
        let told = self.told_beyond.get_mut(element as usize);
        if told.is_some_and(|told| !std::mem::replace(told, true)) {
            self.log.queue(Record::Clamped {
                element,
                asked,
                bound: held(asked, access.min, access.max),
                time: self.simulation.time(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::access::Kind;
    use crate::instance::mode::SETTABLE;

    fn of(min: f64, max: f64) -> Access {
        Access {
            slot: Slot::Input(InputId(0)),
            kind: Kind::Real,
            settable: SETTABLE,
            min,
            max,
            size: 1,
        }
    }

    #[test]
    fn what_misses_a_bound_by_rounding_is_the_bound() {
        let (free, most) = (f64::INFINITY, f64::MAX);
        for (min, max, value, meant) in [
            (0.0, 1.0, 1.000_000_000_000_000_2, 1.0),
            (0.0, 1.0, -1e-17, 0.0),
            (0.0, 1.0, 1.0 + 9e-13, 1.0),
            (0.0, 1.0, 1.0 + 2e-12, 1.0 + 2e-12),
            (0.0, 1e-6, 1e-6 + 1e-13, 1e-6 + 1e-13),
            (-1e6, 1e6, 1e6 + 1e-6, 1e6),
            (-1e6, 1e6, 1e6 + 3e-6, 1e6 + 3e-6),
            (0.1, free, 0.1 - 9e-13, 0.1),
            (-free, 1e9, 1e9 + 1e-4, 1e9),
            (-free, 1e9, 1e9 + 1e-2, 1e9 + 1e-2),
            (-most, 1.0, 1.0 + 1e-3, 1.0),
            (3.0, 3.0, 3.000_000_000_000_000_4, 3.000_000_000_000_000_4),
            (-free, free, 1e308, 1e308),
        ] {
            let found = of(min, max).meant(value);
            assert_eq!(
                found.to_bits(),
                f64::to_bits(meant),
                "{value} in {min}..{max}"
            );
        }
        for odd in [f64::NAN, free, -free] {
            assert_eq!(of(0.0, 1.0).meant(odd).to_bits(), odd.to_bits());
        }
    }
}
