//! Control plane: the frequency or decay rate of a single force element together with the masses it moves.
//!
//! A is the mass matrix with the joints and motions of the mechanism; A⁻¹ gives the accelerations due to loads. For
//! one element, power iteration finds the largest eigenvalue of A⁻¹K, which is ω², or that of A⁻¹C, the decay rate of
//! its damping. An element on a flexible body also moves those of its modes that have inertia. The other modes are
//! springs in series with the element, K⁻¹ + C. An element that consists of several forces, as a tendon does, is judged
//! as a whole: K is the sum over its forces, each of which depends on all its points.

mod excited;
mod resist;
mod whole;

use crate::analysis::accelerations::{ROWS, WEIGHTS};
use crate::elements::forces::ForceElement;
use crate::elements::kinematics::Weights;
use crate::elements::wrench::{Wrench, six};
use crate::linalg::{BlockId, Factorization, Quality, TILE};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::Vec3;
use crate::state::{State, vec3};
use crate::system::jacobian::{self, Scaling};
use crate::system::layout::BLOCK;
use crate::system::stage::{Balanced, Evaluated};
use crate::system::{KIND_WEIGHTS, System, flexible, gradients, residual};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// Iteration limit of the power method.
const ITERATIONS: usize = 30;
/// Relative change that ends the iteration.
const CONVERGED: f64 = 1e-4;

/// Mass factor for modes that have lost their inertia, to hold them in place.
const HEAVY: f64 = 1e9;

/// A part falls if it accelerates by more than this fraction of gravity.
const FALLING: f64 = 1e-6;

/// Whether loads depend on displacements or velocities.
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

/// The fastest vibration or decay of an element.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    /// ω² [1/s²] or rate of decay [1/s].
    pub(super) value: f64,
    /// Displacements, of unit kinetic norm.
    pub(super) shape: Shape,
    /// The reactions of the element's forces to a unit of the shape.
    pub(super) wrenches: Vec<Wrench>,
    /// Does the element act on a flexible body? Then its vibration due to the start is not examined.
    pub(super) bends: bool,
}

/// A motion of the whole mechanism.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Displacements of all bodies, then of node frames: δx, δψ in ground axes.
    pub(super) places: Vec<(Vec3, Vec3)>,
    /// Displacements of all modal coordinates.
    modal: Vec<f64>,
}

/// The mechanism's response to loads, factored.
pub(super) struct Modes<'a> {
    system: &'a System,
    state: &'a State,
    ws: Workspace,
    factor: Factorization,
    /// The same with modes held that have lost their inertia, for elements on flexible bodies.
    held: Option<Factorization>,
    /// The kind that was prepared.
    kind: Kind,
}

impl<'a> Modes<'a> {
    /// From a workspace at the start; `None` if nothing can move.
    pub(super) fn new(system: &'a System, state: &'a State, ws: &Workspace) -> Option<Self> {
        if system.bodies.iter().all(|body| body.block.is_none()) {
            return None;
        }
        let mut ws = ws.clone();
        ws.flexible.with_lost_inertia = true;
        ws.flexible.modal_history.fill(0.0);
        ws.inertia_terms
            .fill(crate::elements::bodies::InertiaTerm::plain());
        let scaling = Scaling {
            motion: 1.0,
            constraints: 1.0,
            rates: 0.0,
            states: ROWS,
        };
        let balanced = &mut Balanced::kept(&mut ws);
        jacobian::assemble(system, state, balanced, &WEIGHTS, &scaling);
        flexible::maps(system, &mut ws, &KIND_WEIGHTS[0]);
        let factored = |ws: &Workspace| {
            let mut factor = Factorization::analyse(&system.pattern, &[&ws.matrix]).ok()?;
            let singular = matches!(factor.refactor(&ws.matrix), Quality::Singular { .. });
            (!singular).then_some(factor)
        };
        let factor = factored(&ws)?;
        let held = if system.flexibles.is_empty() {
            None
        } else {
            hold_quasi_static(system, &mut ws);
            factored(&ws)
        };
        Some(Self {
            system,
            state,
            ws,
            factor,
            held,
            kind: Kind::Stiffness,
        })
    }

    /// Prepares [`Self::strongest`] for all forces.
    pub(super) fn prepare(&mut self, kind: Kind) {
        self.kind = kind;
        let evaluated = Evaluated::kept(&mut self.ws);
        gradients::evaluate(self.system, self.state, evaluated, &kind.weights());
    }

    /// The fastest motion of the element whose first force is `f`, for the prepared kind; `None` for its later forces.
    pub(super) fn strongest(&mut self, f: usize) -> Option<Mode> {
        let system = self.system;
        if system.forces[f].later {
            return None;
        }
        let mut total = self.generic(f);
        let mut value = 0.0;
        let mut mode = None;
        for _ in 0..ITERATIONS {
            let moved = self.accelerations(f, &total)?;
            let shape = self.normalized(moved)?;
            total = self.restoring_wrenches(f, &shape.places);
            let next = self.works(f, &shape.places, &total);
            let done = (next - value).abs() <= CONVERGED * next.abs();
            value = next;
            mode = Some((shape, total.clone()));
            if done || value == 0.0 {
                break;
            }
        }
        let (shape, wrenches) = mode?;
        if self.kind == Kind::Stiffness && value > 0.0 {
            value /= 1.0 + self.compliance(f, &wrenches) / value;
        }
        (value > 0.0).then_some(Mode {
            value,
            shape,
            wrenches,
            bends: whole::on_flexible(system, f),
        })
    }

    /// Accelerations due to wrenches of an element's forces, of which `f` is the first.
    fn accelerations(&mut self, f: usize, wrenches: &[Wrench]) -> Option<Shape> {
        self.ws.rhs.fill(0.0);
        let system = self.system;
        for (n, wrench) in whole::forces(system, f).zip(wrenches) {
            for (body, load) in self.ends(&system.forces[n], wrench).into_iter().flatten() {
                let entry = system.carrier(body);
                let block = match body.checked_sub(system.bodies.len()) {
                    Some(frame) => Some(system.frames[frame].block),
                    None => entry.block,
                };
                if let Some(block) = block {
                    for (k, x) in load.iter().enumerate().take(entry.dof) {
                        self.ws.rhs[block.offset() + k] += x;
                    }
                }
            }
        }
        let Workspace { values, rhs, .. } = &mut self.ws;
        flexible::gather(system, values, rhs);
        match &mut self.held {
            Some(held) if whole::on_flexible(system, f) => held.solve(rhs),
            _ => self.factor.solve(rhs),
        }
        let rhs = &self.ws.rhs;
        let finite = rhs.iter().all(|x| x.is_finite());
        finite.then_some(self.shape(rhs))
    }

    /// A wrench as loads on the bodies or frames of I and, if it reacts, of J.
    fn ends(&self, element: &ForceElement, wrench: &Wrench) -> [Option<(usize, [f64; BLOCK])>; 2] {
        let marker = &self.ws.markers[element.i.index()];
        let [a, b] = [element.i, element.j].map(|m| self.system.body_of(m));
        let arm = marker.p - self.ws.bodies[b].r;
        let on_j = || (b, wrench.on_j(&arm));
        [Some((a, wrench.on_i(marker))), element.reacts.then(on_j)]
    }

    /// The motion of bodies, frames and modes in a padded vector.
    fn shape(&self, rhs: &[f64]) -> Shape {
        let of = |entry: &crate::system::BodyEntry| match entry.block {
            None => (Vec3::zeros(), Vec3::zeros()),
            Some(block) => {
                let at = block.offset();
                let angular = match entry.dof {
                    BLOCK => vec3(rhs, at + 3),
                    _ => Vec3::zeros(),
                };
                (vec3(rhs, at), angular)
            }
        };
        let mut places: Vec<_> = self.system.bodies.iter().map(of).collect();
        let mut modal = vec![0.0; self.system.layout.modal.len];
        for entry in &self.system.flexibles {
            let rows = (0..entry.modal.len).map(|j| rhs[entry.row(j)]);
            for (to, x) in modal[entry.modal.range()].iter_mut().zip(rows) {
                *to = x;
            }
        }
        for (frame, maps) in self.system.frames.iter().zip(&self.ws.flexible.maps) {
            let entry = &self.system.flexibles[frame.flexible];
            let (linear, angular) = places[entry.body];
            let rigid = six(&linear, &angular);
            let all = rigid.iter().chain(&modal[entry.modal.range()]);
            let mut moved = [0.0; BLOCK];
            for (column, x) in maps.columns[0].iter().zip(all) {
                for (to, c) in moved.iter_mut().zip(column) {
                    *to += c * x;
                }
            }
            places.push((vec3(&moved, 0), vec3(&moved, 3)));
        }
        Shape { places, modal }
    }

    /// Does gravity, in any direction, move anything other than flexible bodies?
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

    /// Twice the kinetic energy of a motion, body by body.
    pub(super) fn energies(&self, shape: &Shape) -> Vec<f64> {
        let of = |(body, entry): (usize, &crate::system::BodyEntry)| {
            let (linear, angular) = &shape.places[body];
            let rotation = &self.ws.bodies[body].rotation;
            let own = rotation.tr_mul(angular);
            if let Some(k) = entry.flexible {
                let (entry, motion) = (&self.system.flexibles[k], &self.ws.flexible.motions[k]);
                let modal = &shape.modal[entry.modal.range()];
                let mut moved = vec![0.0; entry.modal.len];
                let given = (linear, &own, modal);
                let loads = entry.element.times(rotation, motion, given, &mut moved);
                let bent: f64 = modal.iter().zip(&moved).map(|(a, b)| a * b).sum();
                return linear.dot(&loads.force) + own.dot(&loads.torque) + bent;
            }
            if entry.block.is_none() {
                return 0.0;
            }
            let inertia = residual::inertia(self.system, self.state, body);
            let turning = rotation * (inertia.tensor * own);
            linear.dot(&(linear * inertia.mass)) + angular.dot(&turning)
        };
        self.system.bodies.iter().enumerate().map(of).collect()
    }

    fn normalized(&self, mut shape: Shape) -> Option<Shape> {
        let norm = self.energies(&shape).iter().sum::<f64>().sqrt();
        if norm.is_nan() || norm <= 0.0 {
            return None;
        }
        for (linear, angular) in &mut shape.places {
            *linear /= norm;
            *angular /= norm;
        }
        for x in &mut shape.modal {
            *x /= norm;
        }
        Some(shape)
    }

    /// The block of the body or node frame that a force acts on, for the prepared kind.
    fn block(&self, body: usize) -> Option<BlockId> {
        let Some(frame) = body.checked_sub(self.system.bodies.len()) else {
            return self.system.bodies[body].block;
        };
        let pose = self.system.frames[frame].block;
        Some(match self.kind {
            Kind::Stiffness => pose,
            Kind::Damping => BlockId(pose.0 + 1),
        })
    }

    /// Minus the change of the element's wrench in a motion.
    fn restoring_wrench(&self, f: usize, places: &[(Vec3, Vec3)]) -> Wrench {
        let place = &self.system.schedule.forces[f];
        let mut total = Wrench::zero();
        for (body, (linear, angular)) in places.iter().enumerate() {
            let block = self.block(body);
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
    pub(super) fn work(&self, f: usize, places: &[(Vec3, Vec3)], wrench: &Wrench) -> f64 {
        let element = &self.system.forces[f];
        let marker = &self.ws.markers[element.i.index()];
        let (a, b) = (
            self.system.body_of(element.i),
            self.system.body_of(element.j),
        );
        let moved = |body: usize| {
            let (linear, angular) = &places[body];
            let arm = marker.p - self.ws.bodies[body].r;
            let velocity = linear + angular.cross(&arm);
            wrench.force.dot(&velocity) + wrench.torque.dot(angular)
        };
        moved(a) - if element.reacts { moved(b) } else { 0.0 }
    }

    /// The workspace at the start.
    pub(super) fn workspace(&self) -> &Workspace {
        &self.ws
    }
}

/// Makes modes without inertia too heavy to move.
fn hold_quasi_static(system: &System, ws: &mut Workspace) {
    for entry in &system.flexibles {
        let across = entry.blocks.len();
        for j in (0..entry.modal.len).filter(|j| entry.element.is_quasi_static(*j)) {
            let (n, at) = (1 + j / TILE, j % TILE);
            let heavy = HEAVY * entry.element.modal_mass(j, j);
            ws.matrix.add(entry.slots[n * across + n], at, at, heavy);
        }
    }
}

/// Force and torque.
fn numbers(wrench: &Wrench) -> [f64; 6] {
    six(&wrench.force, &wrench.torque)
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
