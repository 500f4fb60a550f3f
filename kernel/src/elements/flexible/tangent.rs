//! Data plane: derivatives of the equations of motion (FLX-3) in the step's unknowns.
//!
//! With δω = wu W δψ, δω̇ = wa W δψ, W = RᵀT, and δq = wx η, δq̇ = wu η, δq̈ = wa η, where wa is κ times the scheme's
//! weight:
//!
//! ```text
//! δf   = wa m δx + {−wx (R i)~ + R [−wa S~ − wu ((ω×S)~ + ω~S~ + 2 (I3 q̇)~)] W} δψ + Σ R B I3_j ηⱼ
//! δτ   = wa R S~Rᵀ δx + {−wx τ~ + wx R S~ Rᵀ(a − g)~ + R [wa J + wu (J̇ + ω~J − (Jω + C q̇)~)] W} δψ
//!        + Σ R t_j ηⱼ
//! δQ_j = wa R I3_j·δx + {wx (R I3_j)ᵀ(a − g)~ + (wa C_j − wu (J_j ω + 2 I5_j q̇))ᵀ W} δψ
//!        + Σ [wa I6 − (wx ω̇ + 2 wu ω)·I5_j[k] − ½ wx ω·P_jk ω + wx K + wu d] η_k              (FLX-4)
//! B    = wa + wx ω̇~ + wx ω~ω~ + 2 wu ω~
//! t_j  = wx [I3_j×A + J_j ω̇ + I5_j q̈ + J̇_j ω + ω×(J_j ω + I5_j q̇)] + wa C_j + wu (J_j ω + ω×C_j)
//! ```
//! i is f without m A. Torques are in ground axes.

use super::motion::{at, six_at, unit_motions};
use super::{Flexible, Loads, Modal, Motion, symmetric_times};
use crate::elements::kinematics::{BodyKinematics, Weights};
use crate::elements::wrench::{Block, ZERO_BLOCK, six};
use crate::flex::STIFFENINGS;
use crate::math::rotation::{skew, skew_skew};
use crate::math::{Mat3, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// Six derivatives of a row, or the six rows of a column.
pub type Columns = [f64; 6];

/// The derivatives of a flexible body's own terms.
#[derive(Clone, Debug, Default)]
pub struct Slopes {
    /// Rows (force, torque), columns (δx, δψ).
    pub rigid: Block,
    /// Per mode: the rows (force, torque) of its column.
    pub columns: Vec<Columns>,
    /// Per mode: its row in (δx, δψ).
    pub rows: Vec<Columns>,
    /// Rows and columns of the modes, entry (j, k) at k m + j.
    pub modal: Vec<f64>,
    /// P_j· q̇ by components.
    bend: [Vec<f64>; 6],
    /// Components of I5_j times the modal accelerations of the inertia terms.
    i5: [Vec<f64>; 3],
}

impl Slopes {
    /// Control plane: buffers for a body.
    pub fn new(modes: usize) -> Self {
        Self {
            rigid: ZERO_BLOCK,
            columns: vec![[0.0; 6]; modes],
            rows: vec![[0.0; 6]; modes],
            modal: vec![0.0; modes * modes],
            bend: core::array::from_fn(|_| vec![0.0; modes]),
            i5: core::array::from_fn(|_| vec![0.0; modes]),
        }
    }
}

fn set(block: &mut Block, row: usize, column: usize, m: &Mat3) {
    for r in 0..3 {
        for c in 0..3 {
            block[column + c][row + r] = m[(r, c)];
        }
    }
}

impl Flexible {
    /// (FLX-4), with wa for accelerations. [`Flexible::motion`] must have computed `loads` at the same kinematics.
    pub fn slopes(
        &self,
        body: &BodyKinematics,
        motion: &Motion,
        (gravity, loads): (&Vec3, &Loads),
        weights: &Weights,
        slopes: &mut Slopes,
    ) {
        self.rigid(body, motion, (gravity, loads), weights, slopes);
        self.mixed(body, motion, gravity, weights, slopes);
        self.modal(motion, weights, &mut slopes.modal);
        if !self.stiffening.is_empty() {
            self.stiffened(body, motion, gravity, weights, slopes);
        }
    }

    fn rigid(
        &self,
        body: &BodyKinematics,
        motion: &Motion,
        (gravity, loads): (&Vec3, &Loads),
        weights: &Weights,
        slopes: &mut Slopes,
    ) {
        let w = body.w;
        let (wx, wu, wa) = (weights.x, weights.u, weights.a);
        let r = &body.rotation;
        let turn = r.tr_mul(&body.tangent);
        let [s, s1, _] = motion.s;
        let heavy = motion.inertial_acceleration - gravity;
        let inner = loads.force - heavy * self.mass;
        let momentum = motion.j * w + motion.c[0];
        let arm = skew(&s);
        let of_w = skew(&w.cross(&s)) + skew_skew(&w, &s) + skew(&s1) * 2.0;
        let force = r * (arm * -wa - of_w * wu) * turn - skew(&inner) * wx;
        let gyro = motion.j_rate + skew(&w) * motion.j - skew(&momentum);
        let lever = r * arm * r.transpose();
        let torque = r * (motion.j * wa + gyro * wu) * turn - skew(&(r * loads.torque)) * wx
            + lever * skew(&heavy) * wx;
        slopes.rigid = ZERO_BLOCK;
        for n in 0..3 {
            slopes.rigid[n][n] = wa * self.mass;
        }
        set(&mut slopes.rigid, 0, 3, &force);
        set(&mut slopes.rigid, 3, 0, &(lever * wa));
        set(&mut slopes.rigid, 3, 3, &torque);
    }

    /// Columns of the modes in the body's rows, and their rows in the body's columns.
    fn mixed(
        &self,
        body: &BodyKinematics,
        motion: &Motion,
        gravity: &Vec3,
        weights: &Weights,
        slopes: &mut Slopes,
    ) {
        let (wx, wu, wa) = (weights.x, weights.u, weights.a);
        let ([w, w1], r) = (motion.w, &body.rotation);
        let specific_force = r.tr_mul(&(motion.inertial_acceleration - gravity));
        for c in 0..6 {
            slopes.bend[c].fill(0.0);
            super::add_product(&self.p[c], 1.0, &motion.v, &mut slopes.bend[c]);
        }
        for (own, i5) in self.i5.iter().zip(&mut slopes.i5) {
            i5.fill(0.0);
            super::add_product(own, 1.0, &motion.inertial_modal_acceleration, i5);
        }
        let spin = skew(&w1) * wx + skew_skew(&w, &w) * wx + skew(&w) * (2.0 * wu);
        let force = r * (spin + Mat3::identity() * wa);
        let to_psi = r.tr_mul(&body.tangent);
        let heavy = skew(&(r * specific_force));
        for j in 0..self.modes {
            let (i3, c_j) = (self.i3[j], at(&motion.c_j, j));
            let (j_w, i5_v, i5_a) = (motion.j_w[j], at(&motion.i5[1], j), at(&slopes.i5, j));
            let bent = symmetric_times(six_at(&slopes.bend, j), &w);
            let turned = symmetric_times(six_at(&motion.j_j, j), &w1);
            let torque =
                (i3.cross(&specific_force) + turned + i5_a + bent + w.cross(&(j_w + i5_v))) * wx
                    + c_j * wa
                    + (j_w + w.cross(&c_j)) * wu;
            slopes.columns[j] = six(&(force * i3), &(r * torque));
            let linear = r * i3;
            let own = c_j * wa - (j_w + i5_v * 2.0) * wu;
            let angular = heavy.tr_mul(&linear) * wx + to_psi.tr_mul(&own);
            slopes.rows[j] = six(&(linear * wa), &angular);
        }
        for mode in &self.driven {
            let linear = r * mode.i3;
            let own = mode.i4 * wa - symmetric_times(mode.n, &w) * wu;
            let angular = heavy.tr_mul(&linear) * wx + to_psi.tr_mul(&own);
            slopes.rows[mode.mode] = six(&(linear * wa), &angular);
        }
    }

    fn modal(&self, motion: &Motion, weights: &Weights, modal: &mut [f64]) {
        let m = self.modes;
        let (wx, wu, wa) = (weights.x, weights.u, weights.a);
        let [w, w1] = motion.w;
        modal.fill(0.0);
        let turn = w1 * wx + w * (2.0 * wu);
        accumulate_three([0, 1, 2].map(|c| (&self.i5[c][..], -turn[c])), modal);
        let squares = [
            w.x * w.x,
            w.y * w.y,
            w.z * w.z,
            2.0 * w.x * w.y,
            2.0 * w.y * w.z,
            2.0 * w.z * w.x,
        ];
        for three in [[0, 1, 2], [3, 4, 5]] {
            let terms = three.map(|c| (&self.p[c][..], -0.5 * wx * squares[c]));
            accumulate_three(terms, modal);
        }
        for (matrix, factor) in [(&self.i6, wa), (&self.stiffness, wx)] {
            match matrix {
                Modal::Full(a) => accumulate(a, factor, modal),
                Modal::Diagonal(d) => {
                    for (j, d) in d.iter().enumerate() {
                        modal[j * m + j] += d * factor;
                    }
                }
            }
        }
        for (j, d) in self.damping.iter().enumerate() {
            modal[j * m + j] += d * wu;
        }
    }

    /// Adds the derivatives of geometric stiffness.
    fn stiffened(
        &self,
        body: &BodyKinematics,
        motion: &Motion,
        gravity: &Vec3,
        weights: &Weights,
        slopes: &mut Slopes,
    ) {
        let unit = unit_motions(&body.rotation, motion, gravity);
        let by = unit_slopes(body, &(motion.inertial_acceleration - gravity), weights);
        let m = self.modes;
        for (case, stiffness) in &self.stiffening {
            accumulate(stiffness, unit[*case] * weights.x, &mut slopes.modal);
            for (k, q) in motion.q.iter().enumerate() {
                let column = &stiffness[k * m..(k + 1) * m];
                for (row, a) in slopes.rows.iter_mut().zip(column) {
                    for (row, by) in row.iter_mut().zip(&by[*case]) {
                        *row += a * q * by;
                    }
                }
            }
        }
    }

    /// The derivatives of M times accelerations. Quasi-static coordinates have the metric of formulation SI2 at step
    /// h.
    pub fn metric(&self, rotation: &Mat3, motion: &Motion, h: f64, slopes: &mut Slopes) {
        let (m, s) = (self.modes, motion.s[0]);
        let arm = rotation * skew(&s) * rotation.transpose();
        slopes.rigid = ZERO_BLOCK;
        for n in 0..3 {
            slopes.rigid[n][n] = self.mass;
        }
        set(&mut slopes.rigid, 0, 3, &-arm);
        set(&mut slopes.rigid, 3, 0, &arm);
        set(
            &mut slopes.rigid,
            3,
            3,
            &(rotation * motion.j * rotation.transpose()),
        );
        for j in 0..m {
            let column = six(&(rotation * self.i3[j]), &(rotation * at(&motion.c_j, j)));
            slopes.columns[j] = column;
            slopes.rows[j] = column;
        }
        slopes.modal.fill(0.0);
        match &self.i6 {
            Modal::Full(a) => slopes.modal.copy_from_slice(a),
            Modal::Diagonal(d) => {
                for (j, d) in d.iter().enumerate() {
                    slopes.modal[j * m + j] = *d;
                }
            }
        }
        for j in 0..m {
            if self.is_quasi_static(j) {
                slopes.modal[j * m + j] += self.metric_mass(j, h);
            }
        }
    }

    /// Adds to the modal entries the inertia that quasi-static coordinates have lost.
    pub fn restore(&self, factor: f64, slopes: &mut Slopes) {
        for (j, lost) in self.lost.iter().enumerate() {
            slopes.modal[j * self.modes + j] += lost * factor;
        }
    }
}

/// Derivatives in (δx, δψ) of the unit motions that cause geometric stiffness.
fn unit_slopes(body: &BodyKinematics, heavy: &Vec3, weights: &Weights) -> [Columns; STIFFENINGS] {
    let r = &body.rotation;
    let to_w = r.tr_mul(&body.tangent);
    let by_psi = r.transpose() * skew(heavy) * weights.x;
    let mut by = [[0.0; 6]; STIFFENINGS];
    for n in 0..3 {
        for c in 0..3 {
            by[n][c] = r[(c, n)] * weights.a;
            by[n][3 + c] = by_psi[(n, c)];
            by[3 + n][3 + c] = to_w[(n, c)] * weights.a;
        }
    }
    let w = body.w;
    for (n, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)]
        .into_iter()
        .enumerate()
    {
        for c in 0..3 {
            by[6 + n][3 + c] = (to_w[(a, c)] * w[b] + w[a] * to_w[(b, c)]) * weights.u;
        }
    }
    by
}

/// y += Σ factor · x, with the same bits as three calls of [`accumulate`].
fn accumulate_three(terms: [(&[f64], f64); 3], y: &mut [f64]) {
    if terms.iter().any(|(x, _)| x.is_empty()) {
        for (x, factor) in terms {
            accumulate(x, factor, y);
        }
        return;
    }
    let [(x0, f0), (x1, f1), (x2, f2)] = terms;
    for (((y, x0), x1), x2) in y.iter_mut().zip(x0).zip(x1).zip(x2) {
        *y = *y + f0 * x0 + f1 * x1 + f2 * x2;
    }
}

/// y += factor · x; does nothing for invariants that are switched off.
fn accumulate(x: &[f64], factor: f64, y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}
