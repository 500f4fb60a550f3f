//! Data plane: the normal force of a contact, (CNT-3) and (CNT-4), and the numbers of its laws.

use crate::elements::forces::coulomb::smooth;
use crate::math::pow;
use crate::model::NormalLaw;

/// What is raised to the exponent where nothing touches, in units of length.
const APART: f64 = 1e-3;

/// The numbers of a law.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    /// Stiffness at one unit of length \[N\].
    pub(super) stiffness: f64,
    /// That unit \[m\].
    pub(super) unit: f64,
    /// Exponent.
    pub(super) exponent: f64,
    /// Damping [N s/m, or s/m].
    pub(super) damping: f64,
    /// Depth of full damping \[m\].
    pub(super) depth: f64,
    /// μs, μd, us, ud [m/s].
    pub(super) friction: [f64; 4],
}

/// The normal force and its slopes.
pub(super) struct Normal {
    /// N.
    pub(super) force: f64,
    /// ∂N/∂s.
    pub(super) by_distance: f64,
    /// ∂N/∂ṡ.
    pub(super) by_rate: f64,
    /// ∫ k g^e dg.
    pub(super) energy: f64,
}

impl Normal {
    /// (CNT-3), (CNT-4) at the penetration g and the rate ṡ.
    pub(super) fn new(kind: NormalLaw, law: &Law, g: f64, rate: f64) -> Self {
        let touching = g > 0.0;
        // One power in every state; of 1 it would cost less.
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
            NormalLaw::HuntCrossley => {
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
