//! Data plane: the attachment of a marker to a flexible body: a node frame, or linear functions of the coordinates.
//!
//! Three functions of the coordinates act like a point that has the velocity
//!
//! ```text
//! u_k = F_k·Rᵀv + T_k·ω + c_k·q̇                                                (FLX-10)
//! ```
//! So a force s on it is the load case (F_k, T_k, c_k) times s, with the power of that load. If F_k and T_k are zero,
//! the position of the point is c_k·q: a modal coordinate, or a stress. The load changes with R:
//!
//! ```text
//! δ(R F s) = −(R F s)~ δψ      δ(R T s) = −(R T s)~ δψ                           (FLX-11)
//! ```

use super::Motion;
use super::frame::{Frame, Maps, RelativeMotion, combine};
use super::tangent::Slopes;
use crate::elements::kinematics::{BodyKinematics, Weights};
use crate::elements::wrench::{Wrench, ZERO_BLOCK, six};
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};
use alloc::vec::Vec;

/// The attachment of a marker to a flexible body.
#[derive(Clone, Debug)]
pub enum Attachment {
    /// A node.
    Node(Frame),
    /// Functions of the coordinates.
    Functions(Functions),
}

/// Three linear functions, (FLX-10).
#[derive(Clone, Debug)]
pub struct Functions {
    /// F_k and T_k, T_k about the reference point, body axes.
    pub resultants: [(Vec3, Vec3); 3],
    /// c_k per mode.
    pub modal: Vec<Vec3>,
}

/// A load on an attachment, as a load on the body.
#[derive(Clone, Copy, Debug)]
pub struct BodyLoad {
    /// Force, and torque about the reference point, ground axes.
    pub rigid: Wrench,
    /// Loads on the translational and rotational shapes of each mode.
    pub modal: [Vec3; 2],
}

impl Attachment {
    /// Its motion relative to the body, at the coordinates of a motion.
    pub fn relative_motion(&self, motion: &Motion) -> RelativeMotion {
        match self {
            Self::Node(frame) => frame.relative_motion(motion),
            Self::Functions(functions) => {
                let of = |x: &Vec<f64>| combine(&functions.modal, x);
                RelativeMotion::point([&motion.q, &motion.v, &motion.a].map(of))
            }
        }
    }

    /// Its kinematics, as elements see them.
    pub fn kinematics(&self, relative: &RelativeMotion, body: &BodyKinematics) -> BodyKinematics {
        match self {
            Self::Node(_) => Frame::kinematics(relative, body),
            Self::Functions(functions) => functions.kinematics(relative, body),
        }
    }

    /// The maps of its unknowns in those of the body: X at weight one, U and A at the weights.
    pub fn maps(
        &self,
        (relative, own): (&RelativeMotion, &BodyKinematics),
        body: &BodyKinematics,
        weights: &Weights,
        maps: &mut Maps,
    ) {
        match self {
            Self::Node(frame) => frame.maps((relative, own), body, weights, maps),
            Self::Functions(functions) => functions.maps(&body.rotation, weights, maps),
        }
    }

    /// Converts a load in ground axes to a load on the body.
    pub fn body_load(
        &self,
        relative: &RelativeMotion,
        body: &BodyKinematics,
        load: &Wrench,
    ) -> BodyLoad {
        match self {
            Self::Node(_) => {
                let (force, torque) = relative.shape_loads(&body.rotation, load);
                let arm = (body.rotation * relative.y[0]).cross(&load.force);
                BodyLoad {
                    rigid: Wrench {
                        force: load.force,
                        torque: arm + load.torque,
                    },
                    modal: [force, torque],
                }
            }
            Self::Functions(functions) => BodyLoad {
                rigid: functions.resultant(&body.rotation, &load.force),
                modal: [load.force, Vec3::zeros()],
            },
        }
    }

    /// The modal force of a load.
    pub fn modal(&self, j: usize, load: &BodyLoad) -> f64 {
        match self {
            Self::Node(frame) => {
                frame.translation[j].dot(&load.modal[0]) + frame.rotation[j].dot(&load.modal[1])
            }
            Self::Functions(functions) => functions.modal[j].dot(&load.modal[0]),
        }
    }

    /// Adds the derivatives of the load's transfer to the body, (FLX-7) or (FLX-11), times a weight. Returns the part
    /// in the rows and columns of the modes, as [`Frame::modal_tangent`].
    pub fn add_transfer_tangent(
        &self,
        relative: &RelativeMotion,
        body: &BodyKinematics,
        (load, weight): (&Wrench, f64),
        slopes: &mut Slopes,
    ) -> Mat3 {
        match self {
            Self::Node(frame) => {
                let transfer_tangent = frame.transfer_tangent(relative, body, load);
                frame.add_transfer_tangent(&transfer_tangent, weight, slopes);
                if frame.exact {
                    Frame::modal_tangent(relative, body, &transfer_tangent) * weight
                } else {
                    Mat3::zeros()
                }
            }
            Self::Functions(functions) => {
                let rigid = functions.resultant(&body.rotation, &load.force);
                for (at, turned) in [(0, skew(&rigid.force)), (3, skew(&rigid.torque))] {
                    for r in 0..3 {
                        for c in 0..3 {
                            slopes.rigid[3 + c][at + r] -= weight * turned[(r, c)];
                        }
                    }
                }
                Mat3::zeros()
            }
        }
    }

    /// Displacement of a node per unit of a mode \[m\].
    pub fn reach(&self, j: usize) -> f64 {
        match self {
            Self::Node(frame) => frame.translation[j].norm(),
            Self::Functions(_) => 0.0,
        }
    }

    /// Position of a node from the reference point of the undeformed body, body axes \[m\].
    pub fn offset(&self) -> Vec3 {
        match self {
            Self::Node(frame) => frame.offset,
            Self::Functions(_) => Vec3::zeros(),
        }
    }

    /// ψ of a mode.
    pub fn turn(&self, j: usize) -> Vec3 {
        match self {
            Self::Node(frame) => frame.rotation[j],
            Self::Functions(_) => Vec3::zeros(),
        }
    }

    /// Size of a load's force \[N\] and torque [N m] on the body.
    pub fn size(&self, load: &Wrench) -> (f64, f64) {
        match self {
            Self::Node(_) => (load.force.norm(), load.torque.norm()),
            Self::Functions(functions) => {
                let rigid = functions.resultant(&Mat3::identity(), &load.force);
                (rigid.force.norm(), rigid.torque.norm())
            }
        }
    }
}

impl Functions {
    fn kinematics(&self, relative: &RelativeMotion, body: &BodyKinematics) -> BodyKinematics {
        let own = body.rotation.tr_mul(&body.v);
        let rigid = self.resultants;
        let of = |k: usize| rigid[k].0.dot(&own) + rigid[k].1.dot(&body.w);
        BodyKinematics {
            r: relative.y[0],
            v: Vec3::from_fn(|k, _| of(k)) + relative.y[1],
            a: relative.y[2],
            ..BodyKinematics::default()
        }
    }

    /// X, and U and A of functions without resultants: only power needs a load's velocity.
    fn maps(&self, rotation: &Mat3, weights: &Weights, maps: &mut Maps) {
        let mut blocks = [ZERO_BLOCK; 3];
        for (row, (force, torque)) in self.resultants.iter().enumerate() {
            let load = six(&(rotation * force), &(rotation * torque));
            for (column, x) in blocks[0].iter_mut().zip(load) {
                column[row] = x;
            }
        }
        maps.set_rigid(&blocks);
        for (j, c) in self.modal.iter().enumerate() {
            let of = |weight: f64| six(&(c * weight), &Vec3::zeros());
            maps.set_mode(j, [of(1.0), of(weights.u), of(weights.a)]);
        }
    }

    /// Σ s_k (R F_k, R T_k).
    fn resultant(&self, rotation: &Mat3, factors: &Vec3) -> Wrench {
        let mut sum = Wrench::zero();
        for (k, (force, torque)) in self.resultants.iter().enumerate() {
            sum.force += force * factors[k];
            sum.torque += torque * factors[k];
        }
        Wrench {
            force: rotation * sum.force,
            torque: rotation * sum.torque,
        }
    }
}
