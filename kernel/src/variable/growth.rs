//! Vibrations that grow, told by energy that comes from nowhere between two events.
//!
//! ```text
//! B = T + V − ∫P dt        since the last event never grows, as A of (GRD-1)          (VAR-19)
//! ```
//! with the work of (VAR-20).

use super::ORDERS;
use crate::guard::Energies;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;

/// The highest order of backward differentiation that damps all vibrations.
pub(super) const STABLE: usize = 2;
/// Growth of B, as a part of what is in motion, that tells of growing vibrations, at tolerances up to
const GROWN: f64 = 0.002;
/// this one. Looser ones leave more energy in the error of smooth motion: the limit grows with their root.
const LOOSE: f64 = 1e-5;
/// Steps within which it must have grown so much: errors of a step that add up grow more slowly.
const WINDOW: usize = 200;
/// Steps behind a start or an event before it is judged.
const YOUNG: usize = 20;
/// When so many times more is in motion than when the account was opened, it is opened anew: errors of the velocities of
/// first steps, of low order, are small against what moves later, but not against growth.
const SPED_UP: f64 = 4.0;
/// Steps for which the order is limited at first; each time that vibrations grow again it is limited longer.
const WAIT: usize = 500;
const LONGER: usize = 2;

/// Watches vibrations, and limits the order.
#[derive(Clone, Debug)]
pub(super) struct Growth {
    /// The limit of growth; infinite where only motions move a mechanism, since nothing can vibrate there.
    limit: f64,
    /// The highest order for now.
    pub(super) ceiling: usize,
    /// When it was limited first \[s\].
    pub(super) first: f64,
    /// Steps under the limit.
    pub(super) limited: u64,
    /// Steps until the limit is lifted,
    pub(super) left: usize,
    /// and for how many it was set last.
    pub(super) wait: usize,
    /// Is the account open?
    pub(super) is_open: bool,
    /// Steps since the account was opened.
    pub(super) steps: usize,
    /// What was in motion then \[J\].
    pub(super) most: f64,
    /// The least B.
    pub(super) lowest: f64,
    /// ∫P dt.
    pub(super) work: f64,
}

impl Growth {
    /// For a mechanism with so many freedoms.
    pub(super) fn new(freedoms: usize, tolerance: f64) -> Self {
        let looser = (tolerance / LOOSE).max(1.0).sqrt();
        Self {
            limit: if freedoms > 0 {
                GROWN * looser
            } else {
                f64::INFINITY
            },
            ceiling: ORDERS,
            first: f64::INFINITY,
            limited: 0,
            left: 0,
            wait: 0,
            is_open: false,
            steps: 0,
            most: 0.0,
            lowest: 0.0,
            work: 0.0,
        }
    }

    /// At an event: what comes is accounted for anew.
    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    /// After a step that ends at this time \[s\], with the work over it \[J\].
    pub(super) fn watch(&mut self, energies: &Energies, (time, work): (f64, f64), order: usize) {
        let Energies { stored, most } = *energies;
        if self.left > 0 {
            self.left -= 1;
            self.limited += 1;
            if self.left == 0 {
                self.ceiling = ORDERS;
                self.is_open = false;
            }
        }
        self.steps += 1;
        let anew = self.steps > WINDOW || most > SPED_UP * self.most;
        if !self.is_open || anew {
            (self.is_open, self.steps, self.most) = (true, 0, most);
            (self.lowest, self.work) = (stored, 0.0);
            return;
        }
        self.work += work;
        let level = stored - self.work;
        self.lowest = self.lowest.min(level);
        let grown = self.steps > YOUNG && level - self.lowest > self.limit * most;
        if grown && order > STABLE && self.ceiling > STABLE {
            self.ceiling = STABLE;
            self.first = self.first.min(time);
            self.wait = (self.wait * LONGER).max(WAIT);
            self.left = self.wait;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Energies, Growth, ORDERS, STABLE, WAIT};

    /// Energy of a vibration that grows by a part in each of many steps, with a work that is accounted for.
    fn grown(steps: usize, rate: f64) -> Growth {
        let mut growth = Growth::new(1, 1e-6);
        for k in 0..steps {
            let energies = Energies {
                stored: 10.0 + 0.1 * k as f64 + rate * k as f64,
                most: 10.0,
            };
            growth.watch(&energies, (0.1 * k as f64, 0.1), 5);
        }
        growth
    }

    #[test]
    fn energy_from_nowhere_limits_the_order_and_work_does_not() {
        assert_eq!(grown(1000, 0.0).ceiling, ORDERS);
        let limited = grown(150, 2e-4);
        assert_eq!((limited.ceiling, limited.limited), (STABLE, 49));
        assert!((limited.first - 10.1).abs() < 0.2, "{}", limited.first);
        // The limit is lifted, and comes back for longer.
        let lifted = grown(WAIT + 110, 2e-4);
        assert_eq!(lifted.ceiling, ORDERS);
        let again = grown(WAIT + 350, 2e-4);
        assert_eq!((again.ceiling, again.wait), (STABLE, 2 * WAIT));
        // Errors of steps that add up.
        assert_eq!(grown(2000, 5e-5).ceiling, ORDERS);
    }

    #[test]
    fn an_event_opens_the_account_anew() {
        let mut growth = Growth::new(1, 1e-6);
        let energies = |stored| Energies { stored, most: 10.0 };
        for k in 0..10 {
            growth.watch(&energies(10.0 + f64::from(k)), (0.0, 0.0), 5);
            growth.close();
        }
        assert_eq!(growth.ceiling, ORDERS);
    }
}
