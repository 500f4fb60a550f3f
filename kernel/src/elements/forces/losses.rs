//! Data plane: the power of a force element (NRG-1), and the parts of it that laws of energy need.

use super::{ForceContext, ForceLaw};
use crate::elements::kinematics::MarkerKinematics;
use crate::elements::wrench::Wrench;
use crate::math::Vec3;
use crate::math::rotation::exp;

/// Half the interval over which energies are differenced \[s\].
const MOMENT_AROUND: f64 = 1e-6;

/// (NRG-1).
pub fn power(i: &MarkerKinematics, j: Option<&MarkerKinematics>, wrench: &Wrench) -> f64 {
    let (mut v, mut omega) = (i.v, i.omega);
    if let Some(j) = j {
        v -= j.v + j.omega.cross(&(i.p - j.p));
        omega -= j.omega;
    }
    wrench.force.dot(&v) + wrench.torque.dot(&omega)
}

/// The wrench with the markers at rest.
pub(super) fn at_rest(law: &ForceLaw, context: &ForceContext<'_>) -> Wrench {
    let resting = |marker: &MarkerKinematics| MarkerKinematics {
        v: Vec3::zeros(),
        omega: Vec3::zeros(),
        ..*marker
    };
    let (i, j) = (resting(context.i), resting(context.j));
    super::wrench(
        law,
        &ForceContext {
            i: &i,
            j: &j,
            ..*context
        },
    )
}

/// The rate of the stored energy, by a central difference along the motion.
pub(super) fn storing(law: &ForceLaw, context: &ForceContext<'_>) -> f64 {
    let energy = |time: f64| {
        let moved = |marker: &MarkerKinematics| MarkerKinematics {
            p: marker.p + marker.v * time,
            axes: exp(&(marker.omega * time)) * marker.axes,
            ..*marker
        };
        let (i, j) = (moved(context.i), moved(context.j));
        let context = ForceContext {
            i: &i,
            j: &j,
            ..*context
        };
        super::energy(law, &context)
    };
    (energy(MOMENT_AROUND) - energy(-MOMENT_AROUND)) / (2.0 * MOMENT_AROUND)
}
