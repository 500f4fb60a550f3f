//! Data plane: joints that keep a point, or a curve, in contact with a curve.
//!
//! The contact points on the curves (feet) are part of the state, because the search for the next ones starts from
//! them. They are updated only when a step is accepted, not when values are read: a restored state then gives the
//! same values as the saved one.

use crate::elements::curves::{self, PairScalar};
pub use crate::elements::curves::{CurveValues, FEET};
use crate::elements::kinematics::{Cotangent, MarkerKinematics};
use crate::ids::{JointId, MarkerId};
use crate::math::curve::SpaceCurve;
use crate::state::State;
use crate::system::System;
use crate::workspace::Values;
use alloc::sync::Arc;

/// A joint on curves.
#[derive(Clone, Debug)]
pub struct CurveJoint {
    /// The joint.
    pub joint: JointId,
    /// Marker I.
    pub i: MarkerId,
    /// Marker J.
    pub j: MarkerId,
    /// Which curves are in contact.
    pub pair: CurvePair,
}

/// Which curves are in contact.
#[derive(Clone, Debug)]
pub enum CurvePair {
    /// The origin of I on a curve of J.
    Point(Arc<SpaceCurve>),
    /// A curve of I on a curve of J.
    Curves([Arc<SpaceCurve>; 2]),
}

impl CurvePair {
    /// Evaluates at a pose, with the search for feet starting at `start`, into its place; the rest of that stays
    /// zero.
    fn at(
        &self,
        i: &MarkerKinematics,
        j: &MarkerKinematics,
        start: [f64; FEET],
        values: &mut CurveValues,
    ) {
        match self {
            Self::Point(curve) => curves::point_on_curve(curve, i, j, start[1], values),
            Self::Curves([one, other]) => {
                curves::curve_on_curve([one, other], i, j, start, values);
            }
        }
    }

    /// Control plane: the feet at a pose, found without a start value.
    pub fn first_feet(&self, i: &MarkerKinematics, j: &MarkerKinematics) -> [f64; FEET] {
        match self {
            Self::Point(curve) => [0.0, curve.nearest(&j.axes.tr_mul(&(i.p - j.p)))],
            Self::Curves([one, other]) => curves::first_feet([one, other], i, j),
        }
    }
}

/// Evaluates all joints on curves at the kinematics in `ws`.
pub fn evaluate(system: &System, state: &State, ws: &mut Values) {
    let feet = state.span(system.layout.feet);
    for (k, joint) in system.curve_joints.iter().enumerate() {
        let (i, j) = (&ws.markers[joint.i.index()], &ws.markers[joint.j.index()]);
        let start = [feet[FEET * k], feet[FEET * k + 1]];
        joint.pair.at(i, j, start, &mut ws.curve_joints[k]);
    }
}

/// Stores the feet evaluated last in the state.
pub fn keep(system: &System, state: &mut State, ws: &Values) {
    let kept = state.span_mut(system.layout.feet);
    for (feet, values) in kept.chunks_exact_mut(FEET).zip(&ws.curve_joints) {
        feet.copy_from_slice(&values.feet);
    }
}

/// The gradients of a scalar of two markers in I and J.
pub fn cotangents(
    scalar: &PairScalar,
    i: &MarkerKinematics,
    j: &MarkerKinematics,
) -> [Cotangent; 2] {
    let (f, t) = (scalar.unit.force, scalar.unit.torque);
    let on_i = Cotangent {
        p: f,
        psi: t,
        ..Cotangent::zero()
    };
    let on_j = Cotangent {
        p: -f,
        psi: -t - (i.p - j.p).cross(&f),
        ..Cotangent::zero()
    };
    [on_i, on_j]
}
