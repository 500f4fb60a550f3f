//! Vibrations that grow, told by energy that comes from nowhere between two events.
//!
//! ```text
//! B = T + V − ∫P dt        since the last event never grows, as A of (GRD-1)          (VAR-19)
//! ∫P dt ≈ h (P_n + 4 p(t_n + h/2) + P_{n+1})/6                                         (VAR-20)
//! ```
//! p is the polynomial through the powers at the last four instants. The account is apart from that of the guard,
//! which goes on over events: there a step cannot say how much work a force does.

use super::ORDERS;
use super::weights::Weights;
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
/// Powers of (VAR-20).
const INSTANTS: usize = 4;

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
    /// The last powers, newest first,
    pub(super) powers: [f64; INSTANTS],
    /// and how many there are.
    pub(super) filled: usize,
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
            powers: [0.0; INSTANTS],
            filled: 0,
        }
    }

    /// At an event: what comes is accounted for anew.
    pub(super) fn close(&mut self) {
        (self.is_open, self.filled) = (false, 0);
    }

    /// After a step that ends at this time \[s\], with the instants of the history, newest first, relative to it.
    pub(super) fn watch(
        &mut self,
        energies: &Energies,
        (time, instants): (f64, &[f64]),
        order: usize,
    ) {
        let Energies {
            stored,
            power,
            most,
        } = *energies;
        self.powers.rotate_right(1);
        self.powers[0] = power;
        self.filled = (self.filled + 1).min(INSTANTS).min(instants.len());
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
        if !self.is_open || self.filled < 2 || anew {
            (self.is_open, self.steps, self.most) = (true, 0, most);
            (self.lowest, self.work) = (stored, 0.0);
            return;
        }
        self.work += work(&self.powers[..self.filled], &instants[..self.filled]);
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

/// (VAR-20) over the last step.
fn work(powers: &[f64], instants: &[f64]) -> f64 {
    let h = instants[0] - instants[1];
    let middle = instants[1] + 0.5 * h;
    let mut points = [0.0; INSTANTS];
    for (point, instant) in points.iter_mut().zip(instants) {
        *point = instant - middle;
    }
    let weights = Weights::new(&points[..powers.len()]).value;
    let between: f64 = weights.iter().zip(powers).map(|(w, p)| w * p).sum();
    h * (powers[1] + 4.0 * between + powers[0]) / 6.0
}

#[cfg(test)]
mod tests {
    use super::{Energies, Growth, ORDERS, STABLE, WAIT, work};

    #[test]
    fn the_work_of_a_cubic_power_is_exact() {
        let power = |t: f64| 3.0 - t + 2.0 * t * t - 5.0 * t * t * t;
        let integral =
            |t: f64| 3.0 * t - t * t / 2.0 + 2.0 * t * t * t / 3.0 - 5.0 * t * t * t * t / 4.0;
        let instants = [0.0, -0.2, -0.5, -1.1];
        let exact = integral(0.0) - integral(-0.2);
        assert!((work(&instants.map(power), &instants) - exact).abs() < 1e-14);
    }

    /// Energy of a vibration that grows by a part in each of many steps, with a work that is accounted for.
    fn grown(steps: usize, rate: f64) -> Growth {
        let mut growth = Growth::new(1, 1e-6);
        let instants = [0.0, -0.1, -0.2, -0.3];
        for k in 0..steps {
            let energies = Energies {
                stored: 10.0 + 0.1 * k as f64 + rate * k as f64,
                power: 1.0,
                most: 10.0,
            };
            growth.watch(&energies, (0.1 * k as f64, &instants), 5);
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
        let energies = |stored| Energies {
            stored,
            power: 0.0,
            most: 10.0,
        };
        for k in 0..10 {
            growth.watch(&energies(10.0 + f64::from(k)), (0.0, &[0.0, -0.1]), 5);
            growth.close();
        }
        assert_eq!(growth.ceiling, ORDERS);
    }
}
