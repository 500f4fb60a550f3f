//! Work over a step, by the powers at its ends and before it.
//!
//! ```text
//! ∫P dt ≈ h (P_n + 4 p(t_n + h/2) + P_{n+1})/6                                         (VAR-20)
//! ```
//! p is the polynomial through the powers at the last four instants since something jumped.

use super::weights::Weights;

/// Powers of (VAR-20).
const INSTANTS: usize = 4;

/// The last powers of what does work and of what dissipates \[W\].
#[derive(Clone, Debug, Default)]
pub(super) struct Powers {
    /// Newest first,
    pub(super) last: [[f64; 2]; INSTANTS],
    /// and how many there are.
    pub(super) filled: usize,
}

impl Powers {
    /// A piece begins with these.
    pub(super) fn begin(&mut self, powers: [f64; 2]) {
        (self.last[0], self.filled) = (powers, 1);
    }

    /// At a bend only the newest ones remain.
    pub(super) fn close(&mut self) {
        self.filled = self.filled.min(1);
    }

    /// Takes the powers at the end of a step; the work over it \[J\]. `instants` of the history, newest first, are relative to
    /// the end.
    pub(super) fn over(&mut self, powers: [f64; 2], instants: &[f64]) -> [f64; 2] {
        self.last.rotate_right(1);
        self.last[0] = powers;
        self.filled = (self.filled + 1).min(INSTANTS).min(instants.len());
        if self.filled < 2 {
            return [0.0; 2];
        }
        [0, 1].map(|of: usize| work(|k| self.last[k][of], &instants[..self.filled]))
    }

    /// All numbers.
    pub(super) fn numbers(&mut self) -> impl Iterator<Item = &mut f64> {
        self.last.iter_mut().flatten()
    }
}

/// (VAR-20) over the last step.
fn work(power: impl Fn(usize) -> f64, instants: &[f64]) -> f64 {
    let h = instants[0] - instants[1];
    let middle = instants[1] + 0.5 * h;
    let mut points = [0.0; INSTANTS];
    for (point, instant) in points.iter_mut().zip(instants) {
        *point = instant - middle;
    }
    let weights = Weights::new(&points[..instants.len()]).value;
    let each = weights.iter().take(instants.len()).enumerate();
    let between: f64 = each.map(|(k, w)| w * power(k)).sum();
    h * (power(1) + 4.0 * between + power(0)) / 6.0
}

#[cfg(test)]
mod tests {
    use super::{Powers, work};

    #[test]
    fn the_work_of_a_cubic_power_is_exact() {
        let power = |t: f64| 3.0 - t + 2.0 * t * t - 5.0 * t * t * t;
        let integral =
            |t: f64| 3.0 * t - t * t / 2.0 + 2.0 * t * t * t / 3.0 - 5.0 * t * t * t * t / 4.0;
        let instants = [0.0, -0.2, -0.5, -1.1];
        let exact = integral(0.0) - integral(-0.2);
        assert!((work(|k| power(instants[k]), &instants) - exact).abs() < 1e-14);
    }

    #[test]
    fn what_was_before_a_jump_does_not_count() {
        let mut powers = Powers::default();
        powers.begin([1.0, 0.0]);
        assert_eq!(powers.over([1.0, 2.0], &[0.0, -0.5]), [0.5, 0.5]);
        // The power jumps from 1 to 3.
        powers.begin([3.0, 0.0]);
        assert_eq!(powers.over([3.0, 0.0], &[0.0, -0.5, -1.0]), [1.5, 0.0]);
        powers.close();
        assert_eq!(powers.over([5.0, 0.0], &[0.0, -0.5, -1.0]), [2.0, 0.0]);
    }
}
