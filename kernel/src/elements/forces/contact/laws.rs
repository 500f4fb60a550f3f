//! Data plane: the laws of a contact's normal force, (CNT-3) and (CNT-4), and their numbers.

use crate::elements::forces::coulomb::smooth;
use crate::math::{exp, ln, pow};
use crate::mechanism::NormalLaw;

/// Without contact, this fraction of a unit length is raised to the exponent.
const APART: f64 = 1e-3;

/// The numbers of a law.
#[derive(Clone, Copy, Debug)]
pub(in crate::elements::forces) struct Law {
    /// Stiffness at one unit of length \[N\].
    pub(in crate::elements::forces) stiffness: f64,
    /// That unit \[m\].
    pub(in crate::elements::forces) unit: f64,
    /// Exponent.
    pub(in crate::elements::forces) exponent: f64,
    /// Damping [N s/m, or s/m].
    pub(in crate::elements::forces) damping: f64,
    /// Depth of full damping \[m\].
    pub(in crate::elements::forces) depth: f64,
    /// μs, μd, us, ud [m/s].
    pub(in crate::elements::forces) friction: [f64; 4],
}

/// The normal force and its slopes.
pub(in crate::elements::forces) struct Normal {
    /// N.
    pub(in crate::elements::forces) force: f64,
    /// ∂N/∂s.
    pub(in crate::elements::forces) by_distance: f64,
    /// ∂N/∂ṡ.
    pub(in crate::elements::forces) by_rate: f64,
    /// ∫ k g^e dg.
    pub(in crate::elements::forces) energy: f64,
}

impl Normal {
    /// (CNT-3), (CNT-4) at the penetration g and the rate ṡ.
    pub(in crate::elements::forces) fn new(kind: NormalLaw, law: &Law, g: f64, rate: f64) -> Self {
        let touching = g > 0.0;
        // A power is computed in every state, for fixed work; of 1 it would take less time.
        let deep = if touching { g } else { law.unit * APART };
        let spring = law.stiffness * pow(deep / law.unit, law.exponent);
        let slope = law.exponent * spring / deep;
        let (raw, by_g, by_rate) = match kind {
            NormalLaw::Impact => {
                let (s, ds) = smooth(g / law.depth);
                let drag = law.damping * rate;
                (
                    spring - drag * s,
                    slope - drag * ds / law.depth,
                    -(law.damping * s),
                )
            }
            NormalLaw::HuntCrossley | NormalLaw::Restitution => {
                let factor = 1.0 - law.damping * rate;
                (spring * factor, slope * factor, -(law.damping * spring))
            }
        };
        let on = |x: f64, yes: bool| if yes { x } else { 0.0 };
        let pressing = touching && raw > 0.0;
        Self {
            force: on(raw, pressing),
            by_distance: on(-by_g, pressing),
            by_rate: on(by_rate, pressing),
            energy: on(spring * deep / (law.exponent + 1.0), touching),
        }
    }
}

/// Newton iterations for (CNT-8).
const ITERATIONS: usize = 4;

/// Above this coefficient of restitution, (CNT-8) is replaced by its linear limit.
const ELASTIC: f64 = 0.999;

/// The root p = c v of (CNT-8): with the damping p/v a body that arrives with speed v leaves with e v. The unknown is
/// −ln(1 − e p), from a start value that is accurate to a tenth.
pub(super) fn damping_of(restitution: f64) -> f64 {
    let e = restitution.clamp(0.01, ELASTIC);
    let mut y = -ln(1.0 - (1.0 - e) * (1.0 + e - 0.5 * e * e));
    for _ in 0..ITERATIONS {
        let left = exp(-y);
        let q = 1.0 - left;
        let p = q / e;
        let miss = y - q + ln(1.0 + p) - p;
        y -= miss / (q - left / e * p / (1.0 + p));
    }
    let whole = (1.0 - exp(-y)) / e;
    if restitution > ELASTIC {
        1.5 * (1.0 - restitution).max(0.0)
    } else {
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_damping_gives_the_restitution_that_was_asked_for() {
        for e in [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 0.99, 0.998] {
            let p = damping_of(e);
            let left = -p * (1.0 + e);
            let right = ln(1.0 - e * p) - ln(1.0 + p);
            // Below 0.05, 1 − e p is less than rounding.
            let close = if e < 0.05 {
                (e * p - 1.0).abs()
            } else {
                left / right - 1.0
            };
            assert!(close.abs() < 1e-6, "{e}: {p} {close}");
        }
        assert_eq!(damping_of(1.0), 0.0);
        assert!((damping_of(0.9995) / damping_of(0.998) - 0.25).abs() < 1e-3);
    }
}
