//! Data plane: evaluates the equations of motion (FLX-3), momentum and energy of a flexible body.

use super::{Flexible, add_product, symmetric, symmetric_times};
use crate::elements::bodies::InertiaTerm;
use crate::elements::kinematics::BodyKinematics;
use crate::flex::STIFFENINGS;
use crate::math::{Mat3, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// Modal coordinates at one instant, and the inertia terms that follow from them.
#[derive(Clone, Debug)]
pub struct Motion {
    /// q.
    pub q: Vec<f64>,
    /// q̇.
    pub v: Vec<f64>,
    /// q̈.
    pub a: Vec<f64>,
    /// Acceleration of the reference point in the inertia terms, κ and history included; ground axes.
    pub(super) inertial_acceleration: Vec3,
    /// The same for the modal coordinates.
    pub(super) inertial_modal_acceleration: Vec<f64>,
    /// S, I3 q̇ and I3 times `inertial_modal_acceleration`.
    pub(super) s: [Vec3; 3],
    /// J.
    pub(super) j: Mat3,
    /// J̇.
    pub(super) j_rate: Mat3,
    /// C times q̇ and `inertial_modal_acceleration`.
    pub(super) c: [Vec3; 2],
    /// Components of C_j.
    pub(super) c_j: [Vec<f64>; 3],
    /// Components of I5_j q and I5_j q̇.
    pub(super) i5: [[Vec<f64>; 3]; 2],
    /// Components of J_j.
    pub(super) j_j: [Vec<f64>; 6],
    /// Components of J_j ω.
    pub(super) j_w: Vec<Vec3>,
    /// ω, and the angular acceleration in the inertia terms; body axes.
    pub(super) w: [Vec3; 2],
}

/// A force in ground axes and a torque in body axes; modal forces are stored separately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loads {
    /// Ground axes.
    pub force: Vec3,
    /// About the reference point, body axes.
    pub torque: Vec3,
}

impl Motion {
    /// Control plane: buffers for a body.
    pub fn new(modes: usize) -> Self {
        let zeros = || vec![0.0; modes];
        Self {
            q: zeros(),
            v: zeros(),
            a: zeros(),
            inertial_acceleration: Vec3::zeros(),
            inertial_modal_acceleration: zeros(),
            s: [Vec3::zeros(); 3],
            j: Mat3::zeros(),
            j_rate: Mat3::zeros(),
            c: [Vec3::zeros(); 2],
            c_j: core::array::from_fn(|_| zeros()),
            i5: core::array::from_fn(|_| core::array::from_fn(|_| zeros())),
            j_j: core::array::from_fn(|_| zeros()),
            j_w: vec![Vec3::zeros(); modes],
            w: [Vec3::zeros(); 2],
        }
    }
}

/// Entry j of three lists.
pub(super) fn at(lists: &[Vec<f64>; 3], j: usize) -> Vec3 {
    Vec3::new(lists[0][j], lists[1][j], lists[2][j])
}

/// Entry j of six lists.
pub(super) fn six_at(lists: &[Vec<f64>; 6], j: usize) -> [f64; 6] {
    core::array::from_fn(|c| lists[c][j])
}

impl Flexible {
    /// Evaluates all that follows from q, q̇, q̈ of `motion` and from the frame's rates. Inertia terms use κ u̇ + b
    /// of a scheme; b is in `term` and `history`.
    pub fn evaluate(
        &self,
        body: &BodyKinematics,
        (term, history): (&InertiaTerm, &[f64]),
        motion: &mut Motion,
    ) {
        let m = self.modes;
        let k = term.weight;
        motion.inertial_acceleration = body.a * k + term.force;
        motion.w = [body.w, body.w_dot * k + term.torque];
        let accelerations = motion.inertial_modal_acceleration.iter_mut();
        for ((x, a), b) in accelerations.zip(&motion.a).zip(history) {
            *x = a * k + b;
        }
        let all = [&motion.q, &motion.v, &motion.inertial_modal_acceleration];
        for (n, x) in all.into_iter().enumerate() {
            if let Some(i5) = motion.i5.get_mut(n) {
                for (own, i5) in self.i5.iter().zip(i5) {
                    i5.fill(0.0);
                    add_product(own, 1.0, x, i5);
                }
            }
            let terms = self.i3.iter().zip(x);
            motion.s[n] = terms.fold(Vec3::zeros(), |sum, (i3, x)| sum + i3 * *x);
        }
        for c in 0..6 {
            motion.j_j[c].copy_from_slice(&self.n[c]);
            add_product(&self.p[c], 1.0, &motion.q, &mut motion.j_j[c]);
        }
        (motion.j, motion.j_rate) = (self.inertia, Mat3::zeros());
        motion.c = [Vec3::zeros(); 2];
        for j in 0..m {
            let (j_j, n) = (six_at(&motion.j_j, j), six_at(&self.n, j));
            let mean = core::array::from_fn(|c| 0.5 * (j_j[c] + n[c]));
            motion.j += symmetric(mean) * motion.q[j];
            motion.j_rate += symmetric(j_j) * motion.v[j];
            motion.j_w[j] = symmetric_times(j_j, &body.w);
            let c_j = self.i4[j] - at(&motion.i5[0], j);
            for c in 0..3 {
                motion.c_j[c][j] = c_j[c];
            }
            motion.c[0] += c_j * motion.v[j];
            motion.c[1] += c_j * motion.inertial_modal_acceleration[j];
        }
    }

    /// (FLX-3) without applied loads, `gravity` in ground axes; writes modal forces to `modal`.
    pub fn motion(
        &self,
        rotation: &Mat3,
        motion: &Motion,
        gravity: &Vec3,
        modal: &mut [f64],
    ) -> Loads {
        let [w, w1] = motion.w;
        let specific_force = rotation.tr_mul(&(motion.inertial_acceleration - gravity));
        let [s, s1, s2] = motion.s;
        let inner = w1.cross(&s) + s2 + w.cross(&w.cross(&s)) + w.cross(&s1) * 2.0;
        let force = rotation * (specific_force * self.mass + inner);
        let momentum = motion.j * w + motion.c[0];
        let torque = s.cross(&specific_force)
            + motion.j * w1
            + motion.c[1]
            + motion.j_rate * w
            + w.cross(&momentum);
        for (j, modal) in modal.iter_mut().enumerate() {
            *modal = self.i3[j].dot(&specific_force) + at(&motion.c_j, j).dot(&w1)
                - 0.5 * w.dot(&motion.j_w[j])
                - 2.0 * w.dot(&at(&motion.i5[1], j))
                + self.damping[j] * motion.v[j]
                - self.preload[j];
        }
        self.i6
            .add_product(1.0, &motion.inertial_modal_acceleration, modal);
        for mode in &self.driven {
            let turned = symmetric_times(mode.n, &w);
            modal[mode.mode] +=
                mode.i3.dot(&specific_force) + mode.i4.dot(&w1) - 0.5 * w.dot(&turned);
        }
        self.stiffness.add_product(1.0, &motion.q, modal);
        if !self.stiffening.is_empty() {
            let unit = unit_motions(rotation, motion, gravity);
            for (case, stiffness) in &self.stiffening {
                add_product(stiffness, unit[*case], &motion.q, modal);
            }
        }
        Loads { force, torque }
    }

    /// M times accelerations: linear in ground axes, angular in body axes, modal; writes the modal part to `modal`.
    pub fn times(
        &self,
        rotation: &Mat3,
        motion: &Motion,
        (linear, angular, a): (&Vec3, &Vec3, &[f64]),
        modal: &mut [f64],
    ) -> Loads {
        let own = rotation.tr_mul(linear);
        let [mut i3, mut c] = [Vec3::zeros(); 2];
        for (j, modal) in modal.iter_mut().enumerate() {
            let c_j = at(&motion.c_j, j);
            i3 += self.i3[j] * a[j];
            c += c_j * a[j];
            *modal = self.i3[j].dot(&own) + c_j.dot(angular);
        }
        self.i6.add_product(1.0, a, modal);
        let s = motion.s[0];
        Loads {
            force: rotation * (own * self.mass + angular.cross(&s) + i3),
            torque: s.cross(&own) + motion.j * angular + c,
        }
    }

    /// Adds the quasi-static part of M times a correction, in the metric of formulation SI2.
    pub fn add_metric(&self, h: f64, a: &[f64], modal: &mut [f64]) {
        for j in 0..self.modes {
            if self.is_quasi_static(j) {
                modal[j] += self.metric_mass(j, h) * a[j];
            }
        }
    }

    /// Adds the inertia that quasi-static coordinates have lost.
    pub fn add_lost(&self, a: &[f64], modal: &mut [f64]) {
        for ((modal, lost), a) in modal.iter_mut().zip(&self.lost).zip(a) {
            *modal += lost * a;
        }
    }

    /// (FLX-2) \[J\].
    pub fn kinetic_energy(&self, body: &BodyKinematics, motion: &Motion) -> f64 {
        let v = body.rotation.tr_mul(&body.v);
        let [s, s1, _] = motion.s;
        let w = body.w;
        let mut modal = 0.0;
        for j in 0..self.modes {
            modal += self.modal_energy(j, &motion.v);
        }
        0.5 * (self.mass * v.norm_squared() + w.dot(&(motion.j * w)) + modal)
            + v.dot(&(w.cross(&s) + s1))
            + w.dot(&motion.c[0])
    }

    /// A mode's part of q̇·I6 q̇.
    fn modal_energy(&self, j: usize, v: &[f64]) -> f64 {
        match &self.i6 {
            super::Modal::Diagonal(d) => d[j] * v[j] * v[j],
            super::Modal::Full(a) => {
                let column = &a[j * self.modes..(j + 1) * self.modes];
                column.iter().zip(v).map(|(a, x)| a * x).sum::<f64>() * v[j]
            }
        }
    }

    /// The acceleration of a mode under its elastic force alone.
    pub fn elastic_acceleration(&self, motion: &Motion, j: usize) -> f64 {
        let mass = self.i6.diagonal(j, self.modes) + self.lost[j];
        self.elastic_force(motion, j) / mass
    }

    /// A mode's part of K q.
    pub fn elastic_force(&self, motion: &Motion, j: usize) -> f64 {
        match &self.stiffness {
            super::Modal::Diagonal(d) => d[j] * motion.q[j],
            super::Modal::Full(a) => {
                let column = &a[j * self.modes..(j + 1) * self.modes];
                column.iter().zip(&motion.q).map(|(a, x)| a * x).sum()
            }
        }
    }

    /// ½ q·K q less the work of the preload \[J\].
    pub fn strain_energy(&self, motion: &Motion) -> f64 {
        let of = |j: usize| (0.5 * self.elastic_force(motion, j) - self.preload[j]) * motion.q[j];
        (0..self.modes).map(of).sum()
    }

    /// Power dissipated by damping \[W\].
    pub fn dissipated(&self, motion: &Motion) -> f64 {
        let terms = self.damping.iter().zip(&motion.v);
        terms.map(|(d, v)| d * v * v).sum()
    }

    /// Mass times the position of the deformed body's centre of mass from the reference point, body axes.
    pub fn moment(motion: &Motion) -> Vec3 {
        motion.s[0]
    }
}

/// The unit motions that cause geometric stiffness: acceleration less gravity, angular acceleration, products of
/// angular velocities; body axes.
pub(super) fn unit_motions(rotation: &Mat3, motion: &Motion, gravity: &Vec3) -> [f64; STIFFENINGS] {
    let a = rotation.tr_mul(&(motion.inertial_acceleration - gravity));
    let [w, w1] = motion.w;
    [
        a.x,
        a.y,
        a.z,
        w1.x,
        w1.y,
        w1.z,
        w.x * w.x,
        w.y * w.y,
        w.z * w.z,
        w.x * w.y,
        w.y * w.z,
        w.z * w.x,
    ]
}
