//! Data plane: the node frame of a flexible body; markers are fixed to it as to a rigid body.
//!
//! With y = s + φ q, θ = ψ q and E = exp(θ~), T the left tangent of θ (or E = 𝟙 + θ~ and T = 𝟙 if the model treats
//! rotations as small):
//!
//! ```text
//! r_f = r + R y                      R_f = R E                                  (FLX-5)
//! v_f = v + R (ω×y + ẏ)              Ω_f = R (ω + w),   w = T θ̇
//! a_f = a + R (ω̇×y + ω×(ω×y) + 2 ω×ẏ + ÿ)      α_f = R (ω̇ + ω×w + ẇ)
//! ```
//! To elements the frame looks like a body with the unknowns (δx_f, δψ_f), (δv_f, R_f δω_f) and (δa_f, R_f δω̇_f)
//! side by side. X, U and A express these in the unknowns of the flexible body:
//!
//! ```text
//! X = [ 1  −(R y)~ | R φ_j  ]       U: δv_f, δΩ_f + Ω_f~ δψ_f,   A: δa_f, δα_f + α_f~ δψ_f     (FLX-6)
//!     [ 0   1      | R T ψ_j ]
//! ```
//! Xᵀ transfers loads from the frame to the body. It changes with the unknowns:
//!
//! ```text
//! δ(Xᵀ) (F, T) = ( 0,  F~(R y)~ δψ − F~ R φ η,  φᵀRᵀF~ δψ + (Tψ)ᵀRᵀT~ δψ − ψᵀ T'(−θ, RᵀT) ψ η )   (FLX-7)
//! ```
//! T'(θ, y) is the derivative of T(θ) y.

use super::Motion;
use super::tangent::{Columns, Slopes};
use crate::elements::kinematics::{BodyKinematics, Weights};
use crate::elements::wrench::{Block, Wrench, ZERO_BLOCK, six};
use crate::math::rotation::{
    exp, left_tangent, left_tangent_along, left_tangent_bend, left_tangent_inverse,
    left_tangent_slope, skew, skew_skew,
};
use crate::math::{Mat3, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// A node that carries markers.
#[derive(Clone, Debug)]
pub struct Frame {
    /// s from the body's reference point, body axes \[m\].
    pub offset: Vec3,
    /// φ per mode.
    pub translation: Vec<Vec3>,
    /// ψ per mode.
    pub rotation: Vec<Vec3>,
    /// Are rotations finite, rather than treated as small?
    pub exact: bool,
}

/// Position and orientation of a frame in its body, with rates.
#[derive(Clone, Copy, Debug)]
pub struct RelativeMotion {
    /// y, ẏ, ÿ.
    pub y: [Vec3; 3],
    /// θ, θ̇, θ̈.
    pub theta: [Vec3; 3],
    /// E.
    turned: Mat3,
    /// T.
    tangent: Mat3,
    /// w, ẇ.
    w: [Vec3; 2],
}

/// (FLX-6).
#[derive(Clone, Debug)]
pub struct Maps {
    /// X, U, A, column by column: the body's six unknowns, the modes, zeros up to a multiple of six.
    pub columns: [Vec<Columns>; 3],
}

/// Index of the first mode's column in [`Maps`].
pub const FIRST_MODE: usize = 6;

impl Maps {
    /// Control plane: buffers for a body.
    pub fn new(modes: usize) -> Self {
        let width = FIRST_MODE + modes.next_multiple_of(6);
        Self {
            columns: core::array::from_fn(|_| vec![[0.0; 6]; width]),
        }
    }

    /// Sets the columns of the body's six unknowns.
    pub fn set_rigid(&mut self, blocks: &[Block; 3]) {
        for (columns, block) in self.columns.iter_mut().zip(blocks) {
            columns[..FIRST_MODE].copy_from_slice(block);
        }
    }

    /// Sets the column of a mode.
    pub fn set_mode(&mut self, j: usize, columns: [Columns; 3]) {
        for (all, column) in self.columns.iter_mut().zip(columns) {
            all[FIRST_MODE + j] = column;
        }
    }
}

/// Σ shape · x.
pub fn combine(shapes: &[Vec3], x: &[f64]) -> Vec3 {
    let terms = shapes.iter().zip(x);
    terms.fold(Vec3::zeros(), |sum, (shape, x)| sum + shape * *x)
}

/// The block [𝟙 b; 0 d].
fn block(diagonal: f64, b: &Mat3, d: &Mat3) -> Block {
    let mut out = ZERO_BLOCK;
    for r in 0..3 {
        out[r][r] = diagonal;
        for c in 0..3 {
            out[3 + c][r] = b[(r, c)];
            out[3 + c][3 + r] = d[(r, c)];
        }
    }
    out
}

impl RelativeMotion {
    /// That of a point at y, ẏ, ÿ that does not rotate.
    pub fn point(y: [Vec3; 3]) -> Self {
        Self {
            y,
            ..Self::default()
        }
    }

    /// A force and a torque in ground axes, as loads on φ and ψ: Rᵀ F and Tᵀ Rᵀ T.
    pub fn shape_loads(&self, rotation: &Mat3, load: &Wrench) -> (Vec3, Vec3) {
        let torque = rotation.tr_mul(&load.torque);
        (rotation.tr_mul(&load.force), self.tangent.tr_mul(&torque))
    }
}

impl Default for RelativeMotion {
    fn default() -> Self {
        Self {
            y: [Vec3::zeros(); 3],
            theta: [Vec3::zeros(); 3],
            turned: Mat3::identity(),
            tangent: Mat3::identity(),
            w: [Vec3::zeros(); 2],
        }
    }
}

impl Frame {
    /// Its motion relative to the body, at the coordinates of a motion.
    pub fn relative_motion(&self, motion: &Motion) -> RelativeMotion {
        let of = |shapes: &[Vec3]| [&motion.q, &motion.v, &motion.a].map(|x| combine(shapes, x));
        let (mut y, theta) = (of(&self.translation), of(&self.rotation));
        y[0] += self.offset;
        if !self.exact {
            return RelativeMotion {
                y,
                theta,
                turned: Mat3::identity() + skew(&theta[0]),
                tangent: Mat3::identity(),
                w: [theta[1], theta[2]],
            };
        }
        let tangent = left_tangent(&theta[0]);
        let along = left_tangent_along(&theta[0], &theta[1]);
        RelativeMotion {
            y,
            theta,
            turned: exp(&theta[0]),
            tangent,
            w: [tangent * theta[1], tangent * theta[2] + along * theta[1]],
        }
    }

    /// Displacement of a point relative to this frame, body axes \[m\]: of one at an offset that the deformation has
    /// moved.
    pub fn seen(&self, relative: &RelativeMotion, offset: &Vec3, moved: &Vec3) -> Vec3 {
        offset + moved - relative.y[0] - relative.turned * (offset - self.offset)
    }

    /// (FLX-5).
    pub fn kinematics(relative: &RelativeMotion, body: &BodyKinematics) -> BodyKinematics {
        let r = &body.rotation;
        let [y, y1, y2] = relative.y;
        let [w, w1] = relative.w;
        let rotation = r * relative.turned;
        let swing = body.w.cross(&y);
        let omega = r * (body.w + w);
        let alpha = r * (body.w_dot + body.w.cross(&w) + w1);
        let a = body.w_dot.cross(&y) + body.w.cross(&(swing + y1 * 2.0)) + y2;
        BodyKinematics {
            r: body.r + r * y,
            rotation,
            v: body.v + r * (swing + y1),
            w: rotation.tr_mul(&omega),
            omega,
            a: body.a + r * a,
            w_dot: rotation.tr_mul(&alpha),
            alpha,
            tangent: Mat3::identity(),
        }
    }

    /// (FLX-6): X at weight one, U and A at the weights.
    pub fn maps(
        &self,
        (relative, own): (&RelativeMotion, &BodyKinematics),
        body: &BodyKinematics,
        weights: &Weights,
        maps: &mut Maps,
    ) {
        let (wx, wu, wa) = (weights.x, weights.u, weights.a);
        let (r, w, w1) = (&body.rotation, body.w, body.w_dot);
        let turn = r.tr_mul(&body.tangent);
        let [y, y1, _] = relative.y;
        let arm = skew(&y);
        let swing = w.cross(&y);
        let (v_rel, a_rel) = (own.v - body.v, own.a - body.a);
        let of_w = skew(&swing) + skew_skew(&w, &y) + skew(&y1) * 2.0;
        maps.set_rigid(&[
            block(1.0, &(r * -arm * r.transpose()), &Mat3::identity()),
            block(
                wu,
                &(r * arm * turn * -wu - skew(&v_rel) * wx),
                &(body.tangent * wu),
            ),
            block(
                wa,
                &(r * (arm * -wa - of_w * wu) * turn - skew(&a_rel) * wx),
                &(body.tangent * wa - r * skew(&relative.w[0]) * turn * wu),
            ),
        ]);
        let first = Mat3::identity() * wu + skew(&w) * wx;
        let second =
            Mat3::identity() * wa + skew(&w) * (2.0 * wu) + (skew(&w1) + skew_skew(&w, &w)) * wx;
        let [turn_u, turn_a] = self.turning(relative, (own, body), weights);
        let (to_x, to_u, to_a) = (
            [*r, r * relative.tangent],
            [r * first, r * turn_u],
            [r * second, r * turn_a],
        );
        for j in 0..self.translation.len() {
            let (phi, psi) = (self.translation[j], self.rotation[j]);
            let columns = [
                six(&(to_x[0] * phi), &(to_x[1] * psi)),
                six(&(to_u[0] * phi), &(to_u[1] * psi)),
                six(&(to_a[0] * phi), &(to_a[1] * psi)),
            ];
            maps.set_mode(j, columns);
        }
    }

    /// The factor of ψ in the rows of rotation of U and A, body axes.
    fn turning(
        &self,
        relative: &RelativeMotion,
        (own, body): (&BodyKinematics, &BodyKinematics),
        weights: &Weights,
    ) -> [Mat3; 2] {
        let (wx, wu, wa) = (weights.x, weights.u, weights.a);
        let [theta, theta1, theta2] = &relative.theta;
        let t = relative.tangent;
        let w = skew(&body.w);
        let spin = skew(&body.rotation.tr_mul(&own.omega)) * t * wx;
        let gain = skew(&body.rotation.tr_mul(&own.alpha)) * t * wx;
        if !self.exact {
            return [t * wu + spin, (w * wu + Mat3::identity() * wa) * t + gain];
        }
        let bend = left_tangent_slope(theta, theta1);
        let along = left_tangent_along(theta, theta1);
        let by_q = w * bend + left_tangent_slope(theta, theta2) + left_tangent_bend(theta, theta1);
        [
            t * wu + bend * wx + spin,
            t * wa + (w * t + bend + along) * wu + by_q * wx + gain,
        ]
    }

    /// The factors of (FLX-7) for a load.
    pub fn transfer_tangent(
        &self,
        relative: &RelativeMotion,
        body: &BodyKinematics,
        load: &Wrench,
    ) -> TransferTangent {
        let r = &body.rotation;
        let (force, torque) = (skew(&load.force), r.tr_mul(&load.torque));
        let turned = skew(&load.torque);
        let rigid = force * skew(&(r * relative.y[0]));
        let modal = if self.exact {
            -left_tangent_slope(&-relative.theta[0], &torque)
        } else {
            Mat3::zeros()
        };
        TransferTangent {
            rigid,
            force: force * r,
            torque: turned * r * relative.tangent,
            modal,
        }
    }
}

impl Frame {
    /// Adds (FLX-7) to the derivatives of its body, times a weight, except for the part of [`Frame::modal_tangent`].
    pub fn add_transfer_tangent(
        &self,
        transfer_tangent: &TransferTangent,
        weight: f64,
        slopes: &mut Slopes,
    ) {
        for r in 0..3 {
            for c in 0..3 {
                slopes.rigid[3 + c][3 + r] += weight * transfer_tangent.rigid[(r, c)];
            }
        }
        for (k, (phi, psi)) in self.translation.iter().zip(&self.rotation).enumerate() {
            let (column, row) = (transfer_tangent.column(phi), transfer_tangent.row(phi, psi));
            for c in 0..3 {
                slopes.columns[k][3 + c] += weight * column[c];
                slopes.rows[k][3 + c] += weight * row[c];
            }
        }
    }

    /// The rows and columns of the modes in (FLX-7), −ψᵀ T'(−θ, RᵀT) ψ, as (R T ψ)ᵀ B ψ: returns B.
    pub fn modal_tangent(
        relative: &RelativeMotion,
        body: &BodyKinematics,
        transfer_tangent: &TransferTangent,
    ) -> Mat3 {
        let back = left_tangent_inverse(&relative.theta[0]).transpose();
        body.rotation * back * transfer_tangent.modal
    }
}

/// The factors of (FLX-7).
#[derive(Clone, Copy, Debug)]
pub struct TransferTangent {
    /// F~(R y)~: rows δψ, columns δψ.
    pub rigid: Mat3,
    /// F~R.
    force: Mat3,
    /// T~R T.
    torque: Mat3,
    /// −T'(−θ, RᵀT).
    pub modal: Mat3,
}

impl TransferTangent {
    /// The torque rows of a mode's column: −F~R φ.
    pub fn column(&self, phi: &Vec3) -> Vec3 {
        -(self.force * phi)
    }

    /// A mode's row in δψ: (RᵀF~)ᵀφ + ((R T)ᵀ T~)ᵀ ψ = −F~Rφ − T~R T ψ.
    pub fn row(&self, phi: &Vec3, psi: &Vec3) -> Vec3 {
        -(self.force * phi) - self.torque * psi
    }
}
