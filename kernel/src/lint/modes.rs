//! Control plane: how fast a single force element vibrates or settles with what it moves.
//!
//! With the joints and motions of the mechanism, A⁻¹ gives the accelerations that loads cause. The
//! largest eigenvalue of A⁻¹K of one element, by power iteration, is ω²; that of A⁻¹C the rate of
//! decay of its damping.

use crate::analysis::accelerations::{ROWS, WEIGHTS};
use crate::elements::forces::ForceElement;
use crate::elements::kinematics::Weights;
use crate::elements::wrench::{Wrench, six};
use crate::linalg::{Factorization, Quality};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::Vec3;
use crate::state::{State, vec3};
use crate::system::jacobian::{self, Scaling};
use crate::system::layout::BLOCK;
use crate::system::{System, gradients, residual};
use crate::workspace::Workspace;
use alloc::vec::Vec;

/// Iterations of the power method at most.
const ITERATIONS: usize = 30;
/// Relative change that ends it.
const CONVERGED: f64 = 1e-4;

/// Part of gravity with which something must move to count as falling.
const FALLING: f64 = 1e-6;

/// What an element's load depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Displacements.
    Stiffness,
    /// Velocities.
    Damping,
}

impl Kind {
    fn weights(self) -> Weights {
        let (x, u) = match self {
            Self::Stiffness => (1.0, 0.0),
            Self::Damping => (0.0, 1.0),
        };
        Weights {
            x,
            u,
            a: 0.0,
            l: 0.0,
            z: 0.0,
        }
    }
}

/// The fastest motion against an element.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    /// ω² [1/s²] or rate of decay [1/s].
    pub(super) value: f64,
    /// Displacements of all bodies, of unit kinetic norm: δx, δψ in ground axes.
    pub(super) shape: Vec<(Vec3, Vec3)>,
    /// What the element answers to a unit of the shape.
    pub(super) wrench: Wrench,
}

/// The mechanism's answer to loads.
pub(super) struct Modes<'a> {
    system: &'a System,
    state: &'a State,
    ws: Workspace,
    factor: Factorization,
}

impl<'a> Modes<'a> {
    /// From a workspace at the start; `None` where there is nothing that could move.
    pub(super) fn new(system: &'a System, state: &'a State, ws: &Workspace) -> Option<Self> {
        if system.bodies.iter().all(|body| body.block.is_none()) {
            return None;
        }
        let mut ws = ws.clone();
        ws.soft.with_lost_inertia = true;
        ws.soft.modal_history.fill(0.0);
        ws.inertia_terms
            .fill(crate::elements::bodies::InertiaTerm::plain());
        let scaling = Scaling {
            motion: 1.0,
            constraints: 1.0,
            states: ROWS,
        };
        jacobian::assemble(system, state, &mut ws, &WEIGHTS, &scaling);
        let mut factor = Factorization::analyse(&system.pattern, &[&ws.matrix]).ok()?;
        if let Quality::Singular { .. } = factor.refactor(&ws.matrix) {
            return None;
        }
        Some(Self {
            system,
            state,
            ws,
            factor,
        })
    }

    /// Prepares [`Self::strongest`] for all forces.
    pub(super) fn prepare(&mut self, kind: Kind) {
        gradients::nodes(self.system, self.state, &mut self.ws, &kind.weights());
    }

    /// The fastest motion against force `f`, by what was prepared.
    pub(super) fn strongest(&mut self, f: usize) -> Option<Mode> {
        let system = self.system;
        let element = &system.forces[f];
        if self.bends(element) {
            return None;
        }
        let mut total = Wrench::zero();
        // No direction that elements are likely to be blind to.
        total.force = Vec3::new(0.62, -0.38, 0.69);
        total.torque = Vec3::new(-0.41, 0.73, 0.55);
        let mut value = 0.0;
        let mut mode = None;
        for _ in 0..ITERATIONS {
            let moved = self.accelerations(element, &total)?;
            let shape = self.normalized(moved)?;
            total = self.answer(f, &shape);
            let next = self.work(f, &shape, &total);
            let done = (next - value).abs() <= CONVERGED * next.abs();
            value = next;
            mode = Some((shape, total));
            if done || value == 0.0 {
                break;
            }
        }
        let (shape, wrench) = mode?;
        (value > 0.0).then_some(Mode {
            value,
            shape,
            wrench,
        })
    }

    /// Does an element act on a flexible body? What it then meets is not asked.
    fn bends(&self, element: &ForceElement) -> bool {
        let frame = |m: crate::ids::MarkerId| self.system.body_of(m) >= self.system.bodies.len();
        frame(element.i) || frame(element.j)
    }

    /// Accelerations of all bodies by a wrench of an element, which their relative motion yields to.
    fn accelerations(
        &mut self,
        element: &ForceElement,
        wrench: &Wrench,
    ) -> Option<Vec<(Vec3, Vec3)>> {
        self.ws.rhs.fill(0.0);
        let marker = self.ws.markers[element.i.index()];
        let (a, b) = (
            self.system.body_of(element.i),
            self.system.body_of(element.j),
        );
        let arm = marker.p - self.ws.bodies[b].r;
        let loads = [
            (a, wrench.on_i(&marker), true),
            (b, wrench.on_j(&arm), element.reacts),
        ];
        for (body, load, acts) in loads {
            let entry = &self.system.bodies[body];
            if let (Some(block), true) = (entry.block, acts) {
                for (k, x) in load.iter().enumerate().take(entry.dof) {
                    self.ws.rhs[block.offset() + k] += x;
                }
            }
        }
        self.factor.solve(&mut self.ws.rhs);
        let finite = self.ws.rhs.iter().all(|x| x.is_finite());
        let bodies = self.system.bodies.iter();
        let of = |entry: &crate::system::BodyEntry| match entry.block {
            None => (Vec3::zeros(), Vec3::zeros()),
            Some(block) => {
                let at = block.offset();
                let angular = match entry.dof {
                    BLOCK => vec3(&self.ws.rhs, at + 3),
                    _ => Vec3::zeros(),
                };
                (vec3(&self.ws.rhs, at), angular)
            }
        };
        finite.then(|| bodies.map(of).collect())
    }

    /// Does gravity, whatever its direction, set anything but flexible bodies moving?
    pub(super) fn falls(&mut self) -> bool {
        (0..3).any(|k| self.moves_along(k))
    }

    /// Does a unit of gravity along an axis of ground accelerate any body?
    fn moves_along(&mut self, axis: usize) -> bool {
        self.ws.rhs.fill(0.0);
        for (body, entry) in self.system.bodies.iter().enumerate() {
            if let (Some(block), None) = (entry.block, &entry.flexible) {
                let mass = residual::inertia(self.system, self.state, body).mass;
                self.ws.rhs[block.offset() + axis] += mass;
            }
        }
        self.factor.solve(&mut self.ws.rhs);
        let blocks = self.system.bodies.iter().filter_map(|entry| entry.block);
        let mut accelerations = blocks.map(|block| vec3(&self.ws.rhs, block.offset()).norm());
        accelerations.any(|a| a > FALLING)
    }

    /// M times a motion, per body, and their product.
    fn momentum(&self, shape: &[(Vec3, Vec3)]) -> Vec<(Vec3, Vec3)> {
        let of = |(body, (linear, angular)): (usize, &(Vec3, Vec3))| {
            if self.system.bodies[body].block.is_none() {
                return (Vec3::zeros(), Vec3::zeros());
            }
            let inertia = residual::inertia(self.system, self.state, body);
            let rotation = &self.ws.bodies[body].rotation;
            let turning = rotation * (inertia.tensor * rotation.tr_mul(angular));
            (linear * inertia.mass, turning)
        };
        shape.iter().enumerate().map(of).collect()
    }

    /// Twice the kinetic energy of a motion, body by body.
    pub(super) fn energies(&self, shape: &[(Vec3, Vec3)]) -> Vec<f64> {
        let momentum = self.momentum(shape);
        let pairs = shape.iter().zip(&momentum);
        pairs.map(|(v, p)| v.0.dot(&p.0) + v.1.dot(&p.1)).collect()
    }

    fn normalized(&self, mut shape: Vec<(Vec3, Vec3)>) -> Option<Vec<(Vec3, Vec3)>> {
        let norm = self.energies(&shape).iter().sum::<f64>().sqrt();
        if norm.is_nan() || norm <= 0.0 {
            return None;
        }
        for (linear, angular) in &mut shape {
            *linear /= norm;
            *angular /= norm;
        }
        Some(shape)
    }

    /// Minus the change of the element's wrench in a motion.
    fn answer(&self, f: usize, shape: &[(Vec3, Vec3)]) -> Wrench {
        let place = &self.system.schedule.forces[f];
        let mut total = Wrench::zero();
        for (body, (linear, angular)) in shape.iter().enumerate() {
            let block = self.system.bodies[body].block;
            let Some(at) = block.and_then(|block| place.position(block)) else {
                continue;
            };
            let v = six(linear, angular);
            let columns = &self.ws.block_arena[place.first + at];
            let product = |r: usize| -> f64 { columns.iter().zip(&v).map(|(a, b)| a[r] * b).sum() };
            total.force -= Vec3::new(product(0), product(1), product(2));
            total.torque -= Vec3::new(product(3), product(4), product(5));
        }
        total
    }

    /// Work of a wrench on I, and of its reaction on J, in a motion.
    pub(super) fn work(&self, f: usize, shape: &[(Vec3, Vec3)], wrench: &Wrench) -> f64 {
        let element = &self.system.forces[f];
        let marker = &self.ws.markers[element.i.index()];
        let (a, b) = (
            self.system.body_of(element.i),
            self.system.body_of(element.j),
        );
        let moved = |body: usize| {
            let (linear, angular) = &shape[body];
            let arm = marker.p - self.ws.bodies[body].r;
            let velocity = linear + angular.cross(&arm);
            wrench.force.dot(&velocity) + wrench.torque.dot(angular)
        };
        moved(a) - if element.reacts { moved(b) } else { 0.0 }
    }

    /// How strongly the accelerations of the start set off a mode of force `f`, by what was prepared.
    ///
    /// With R = C A⁻¹ Bᵀ, from a wrench on the bodies to what the element answers to the accelerations that it makes, the
    /// mode is R w = ω² w, and what the element answers to accelerations a is C a = Σ sₙ wₙ. The left eigenvector y of the
    /// mode picks its part: s = yᵀ C a / yᵀ w. Where friction follows the normal load, R is not symmetric, and slip would
    /// look like a swing by w itself.
    pub(super) fn push(&mut self, f: usize, mode: &Mode) -> Option<f64> {
        let system = self.system;
        let element = &system.forces[f];
        let mut columns = [[0.0; 6]; 6];
        for (k, column) in columns.iter_mut().enumerate() {
            let moved = self.accelerations(element, &unit(k))?;
            *column = numbers(&self.answer(f, &moved));
        }
        // Of a symmetric element it is the motion of its points.
        let mut left = core::array::from_fn(|k| self.work(f, &mode.shape, &unit(k)));
        for _ in 0..ITERATIONS {
            let next: [f64; 6] = core::array::from_fn(|k| dot(&columns[k], &left));
            let size = dot(&next, &next).sqrt();
            if !(size > 0.0 && size.is_finite()) {
                return None;
            }
            left = next.map(|x| x / size);
        }
        // Frames stand behind the bodies.
        let bodies = self.ws.bodies.iter().take(system.bodies.len());
        let accelerations: Vec<_> = bodies.map(|b| (b.a, b.alpha)).collect();
        let answer = numbers(&self.answer(f, &accelerations));
        let push = dot(&left, &answer) / dot(&left, &numbers(&mode.wrench));
        push.is_finite().then_some(push)
    }

    /// How fast a unit wrench moves its own point [1/kg, 1/(kg m²)].
    pub(super) fn mobility(&mut self, f: usize, wrench: &Wrench) -> f64 {
        let system = self.system;
        let element = &system.forces[f];
        if self.bends(element) {
            return 0.0;
        }
        let answer = self.accelerations(element, wrench);
        answer.map_or(0.0, |shape| self.work(f, &shape, wrench))
    }

    /// The workspace at the start.
    pub(super) fn workspace(&self) -> &Workspace {
        &self.ws
    }
}

/// One of the six wrenches of size one.
fn unit(k: usize) -> Wrench {
    let components: [f64; 6] = core::array::from_fn(|n| f64::from(u8::from(n == k)));
    Wrench {
        force: vec3(&components, 0),
        torque: vec3(&components, 3),
    }
}

/// Force and torque.
fn numbers(wrench: &Wrench) -> [f64; 6] {
    six(&wrench.force, &wrench.torque)
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
