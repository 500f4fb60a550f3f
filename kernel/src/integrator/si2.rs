//! Data plane: formulation SI2: positions and velocities both satisfy their constraints in every step.
//!
//! Backward Euler on the stabilised index-2 equations (Gear, Gupta and Leimkuhler 1985), with the mass matrix as the
//! metric of the correction c = Δ − h u:
//!
//! ```text
//! M (u − u_n) − h (Q − Gᵀλ) = 0,   Φ(x_n ∘ Δ, t_{n+1}) = 0                      (SI2-1)
//! M (Δ − h u) + Gᵀμ = 0,           G u + Φ_t = 0                               (SI2-2)
//! ```
//! For a given Δ, (SI2-2) is linear in (c, μ): it projects Δ/h on the velocity constraints. In that metric a change
//! of c changes the momentum only by a multiple of Gᵀ, which λ absorbs:
//!
//! ```text
//! [ M  Gᵀ ] [ δc ]     [ M c + Gᵀμ ]
//! [ G  0  ] [ δμ ] = − [ −h Φ̇      ]        δλ = −δμ/h²                         (SI2-3)
//! ```
//! The iteration starts from the last step's μ, at the start value Δ* of Δ:
//!
//! ```text
//! μ* = μ_n,   c* = −M⁻¹ G(Δ*)ᵀ μ*                                           (SI2-5)
//! ```
//! Constraints of velocities only hold u by λ alone: they are rows of Newton's iteration, (ROL-9), not of (SI2-3), and
//! have no μ, since the positions have nothing to be corrected. So each iteration solves for Δ and λ with the unchanged
//! Newton matrix of formulation I3, followed by (SI2-3). Only the term −h ∂Q/∂u δc is left to the next iteration.

use crate::elements::wrench::Wrench;
use crate::integrator::states::Coefficients;
use crate::integrator::{Scheme, Stepper, displace, flexible, gstiff};
use crate::linalg::{Factorization, InstructionSet, Quality, Singular, TileMatrix};
use crate::math::Vec3;
use crate::state::{State, vec3};
use crate::system::flexible as modal;
use crate::system::layout::BLOCK;
use crate::system::residual::{Level, apply, approach, inertia, row_residual};
use crate::system::stage::{Constrained, Placed};
use crate::system::{System, eval, jacobian};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// What the projection holds: its matrix with factors, c and μ.
#[derive(Clone, Debug)]
pub struct Projection {
    /// Matrix of (SI2-3).
    pub matrix: TileMatrix,
    /// Its factors.
    pub factor: Factorization,
    /// c per body: linear part in ground axes, angular part in body axes.
    pub correction: Vec<f64>,
    /// μ, padded by group.
    pub multipliers: Vec<f64>,
    /// Right-hand side, then solution.
    pub rhs: Vec<f64>,
}

/// Solves (SI2-3) at the displaced kinematics, and updates velocities, accelerations and λ. Tells whether the
/// matrix, if factored anew, was sound.
pub fn project(
    system: &System,
    state: &State,
    placed: Placed<'_>,
    stepper: &mut Stepper,
    (scheme, evaluate): (&Scheme, bool),
) -> Quality {
    let projection = &mut stepper.projection;
    let quality = projection.balance_rates(system, state, placed, (scheme, evaluate));
    if let Quality::Singular { .. } = quality {
        return quality;
    }
    let offsets = (
        &mut stepper.velocity_offset[..],
        &mut stepper.acceleration_offset[..],
    );
    projection.place(system, state, offsets, scheme);
    quality
}

/// Starts with (SI2-5) in formulation SI2; with c = μ = 0 otherwise.
pub fn start(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    stepper: &mut Stepper,
    scheme: &Scheme,
) {
    let projection = &mut stepper.projection;
    projection.correction.fill(0.0);
    projection.multipliers.fill(0.0);
    if !scheme.stabilised {
        return;
    }
    let placed = displace(system, state, ws, stepper, scheme);
    let mut constrained = eval::constraint_wrenches(system, state, placed);
    let projection = &mut stepper.projection;
    let last = state.span(system.layout.corrections);
    projection.multipliers.copy_from_slice(last);
    projection.balance(system, state, &mut constrained);
    flexible::first_correction(system, &projection.rhs, &mut projection.correction);
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        let force = vec3(&projection.rhs, block.offset());
        let mut torque = Vec3::zeros();
        if entry.dof == 6 {
            let turning = vec3(&projection.rhs, block.offset() + 3);
            torque = constrained.bodies[body].rotation.tr_mul(&turning);
        }
        let (linear, angular) = inertia(system, state, body).solve(&force, &torque);
        let at = BLOCK * body;
        projection.correction[at..at + 3].copy_from_slice(linear.as_slice());
        if entry.dof == 6 {
            projection.correction[at + 3..at + 6].copy_from_slice(angular.as_slice());
        }
    }
    let offsets = (
        &mut stepper.velocity_offset[..],
        &mut stepper.acceleration_offset[..],
    );
    projection.place(system, state, offsets, scheme);
}

impl Projection {
    /// Chooses the elimination order.
    pub fn analyse(
        system: &System,
        state: &State,
        constrained: &mut Constrained<'_>,
    ) -> Result<Self, Singular> {
        let mut matrix = system.matrix();
        jacobian::assemble_metric(system, state, constrained, &mut matrix);
        jacobian::release_rates(system, constrained, &mut matrix);
        Self::new(system, matrix)
    }

    /// Chooses the elimination order from a sample of the matrix.
    pub fn new(system: &System, matrix: TileMatrix) -> Result<Self, Singular> {
        let factor = Factorization::analyse(&system.pattern, &[&matrix])?;
        Ok(Self {
            matrix,
            factor,
            correction: vec![0.0; system.layout.velocity.len],
            multipliers: vec![0.0; system.layout.multipliers.len],
            rhs: vec![0.0; system.tiles.padded()],
        })
    }

    /// Solves (SI2-3) at the displaced kinematics, and updates c, μ and λ. The change of c stays in the right-hand
    /// side.
    #[inline]
    pub fn balance_rates(
        &mut self,
        system: &System,
        state: &State,
        placed: Placed<'_>,
        (scheme, evaluate): (&Scheme, bool),
    ) -> Quality {
        let mut constrained = eval::constraint_wrenches(system, state, placed);
        let mut quality = Quality::Good;
        if evaluate {
            quality = self.refactor(system, state, &mut constrained);
            if let Quality::Singular { .. } = quality {
                return quality;
            }
        }
        self.residual(system, state, &mut constrained, scheme);
        self.factor.solve(&mut self.rhs);
        self.correct(system, &mut constrained, scheme);
        quality
    }

    /// A copy without factors.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self {
            matrix: self.matrix.clone(),
            factor: self.factor.anew(),
            correction: self.correction.clone(),
            multipliers: self.multipliers.clone(),
            rhs: self.rhs.clone(),
        }
    }

    /// Uses this instruction set from now on.
    pub fn work_on(&mut self, set: InstructionSet) {
        self.factor.work_on(set);
    }

    /// Stores μ for the next step.
    pub fn keep(&self, multipliers: &mut [f64]) {
        multipliers.copy_from_slice(&self.multipliers);
    }

    /// Sets c = Δ − h u and μ of the step that led to a state.
    pub fn recall(&mut self, system: &System, state: &State, h: f64) {
        let layout = &system.layout;
        let steps = state
            .span(layout.moved)
            .iter()
            .zip(state.span(layout.velocity));
        for (c, (delta, u)) in self.correction.iter_mut().zip(steps) {
            *c = delta - h * u;
        }
        self.multipliers
            .copy_from_slice(state.span(layout.corrections));
    }

    /// The right-hand side of (SI2-3).
    pub fn residual(
        &mut self,
        system: &System,
        state: &State,
        ws: &mut Constrained<'_>,
        scheme: &Scheme,
    ) -> &mut [f64] {
        self.balance(system, state, ws);
        self.rates(system, ws, scheme);
        &mut self.rhs
    }

    /// The change of c that solves for the right-hand side; c itself is overwritten.
    pub fn solve(&mut self, system: &System, ws: &mut Constrained<'_>, scheme: &Scheme) -> &[f64] {
        self.factor.solve(&mut self.rhs);
        self.correction.fill(0.0);
        self.correct(system, ws, scheme);
        &self.correction
    }

    /// Factors the matrix.
    pub fn refactor(
        &mut self,
        system: &System,
        state: &State,
        constrained: &mut Constrained<'_>,
    ) -> Quality {
        jacobian::assemble_softened_metric(system, state, constrained, &mut self.matrix);
        jacobian::release_rates(system, constrained, &mut self.matrix);
        self.factor.refactor(&self.matrix)
    }

    /// −M c − Gᵀμ, the bodies' part of the right-hand side of (SI2-3).
    pub fn balance(&mut self, system: &System, state: &State, ws: &mut Constrained<'_>) {
        self.rhs.fill(0.0);
        modal::subtract_momentum(system, state, ws, &self.correction, &mut self.rhs);
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(block) = entry.block.filter(|_| entry.flexible.is_none()) else {
                continue;
            };
            let at = BLOCK * body;
            let c = (vec3(&self.correction, at), vec3(&self.correction, at + 3));
            let (linear, angular) = inertia(system, state, body).times(&c.0, &c.1);
            let angular = ws.bodies[body].rotation * angular;
            for k in 0..3 {
                self.rhs[block.offset() + k] -= linear[k];
                if entry.dof == 6 {
                    self.rhs[block.offset() + 3 + k] -= angular[k];
                }
            }
        }
        for (g, group) in system.groups.iter().enumerate() {
            let mut load = Wrench::zero();
            for (k, unit) in ws.units[group.rows.range()].iter().enumerate() {
                load.add(&unit.scaled(self.multipliers[BLOCK * g + k]));
            }
            apply(system, ws, &mut self.rhs, (group.i, group.j), &load, -1.0);
        }
        flexible::gather(system, ws, &mut self.rhs);
    }

    /// Adds h Φ̇, the constraints' part.
    pub fn rates(&mut self, system: &System, ws: &Constrained<'_>, scheme: &Scheme) {
        let h = 1.0 / scheme.weights.u;
        for group in &system.groups {
            let approach = approach(ws, group);
            for (k, r) in group.rows.range().enumerate() {
                let rate = row_residual(system, ws, (group, &approach), r, Level::Velocity);
                self.rhs[group.block.offset() + k] += h * rate;
            }
        }
        // Newton's iteration keeps the rows of velocities only, and they have no μ.
        for own in &system.rate_rows {
            self.rhs[system.groups[own.group].block.offset() + own.place] = 0.0;
        }
    }

    /// c that closes the positions, M c + Gᵀμ = 0 and G c = −Φ, with the factors of the last matrix.
    pub fn close(&mut self, system: &System, ws: &mut Constrained<'_>) {
        self.rhs.fill(0.0);
        for group in &system.groups {
            let approach = approach(ws, group);
            for (k, r) in group.rows.range().enumerate() {
                let violation = row_residual(system, ws, (group, &approach), r, Level::Position);
                self.rhs[group.block.offset() + k] -= violation;
            }
        }
        self.factor.solve(&mut self.rhs);
        self.correction.fill(0.0);
        self.correct(
            system,
            ws,
            &gstiff::scheme(1.0, Coefficients::backward(1.0)),
        );
    }

    /// Adds the solution to c and μ, and δμ to λ.
    pub fn correct(&mut self, system: &System, ws: &mut Constrained<'_>, scheme: &Scheme) {
        flexible::correct(system, &self.rhs, &mut self.correction);
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let mut change = [vec3(&self.rhs, block.offset()), Vec3::zeros()];
            if entry.dof == 6 {
                let turn = vec3(&self.rhs, block.offset() + 3);
                change[1] = ws.bodies[body].rotation.tr_mul(&turn);
            }
            for (part, change) in change.iter().enumerate() {
                for k in 0..3 {
                    self.correction[BLOCK * body + 3 * part + k] += change[k];
                }
            }
        }
        for (g, group) in system.groups.iter().enumerate() {
            for k in 0..group.rows.len {
                let change = self.rhs[group.block.offset() + k];
                self.multipliers[BLOCK * g + k] += change;
                ws.multipliers_mut()[BLOCK * g + k] -= change * scheme.weights.l;
            }
        }
    }

    /// Velocities and accelerations that follow from c: u = (Δ − c)/h, u̇ = (u − u_n)/h.
    pub fn place(
        &self,
        system: &System,
        state: &State,
        (velocities, accelerations): (&mut [f64], &mut [f64]),
        scheme: &Scheme,
    ) {
        let slope = scheme.weights.u;
        let last = state.span(system.layout.velocity);
        for (at, c) in self.correction.iter().enumerate() {
            velocities[at] = -slope * c;
            accelerations[at] = slope * (velocities[at] - last[at]);
        }
    }

    /// The largest correction |Δ − h u| in user length units and radians: zero if positions and velocities agree
    /// without it.
    pub fn largest(&self, system: &System, length_unit: f64) -> f64 {
        let mut largest = 0.0;
        for at in BLOCK..BLOCK * system.bodies.len() {
            let unit = if at % BLOCK < 3 { length_unit } else { 1.0 };
            largest = crate::system::residual::larger(largest, self.correction[at].abs() / unit);
        }
        largest
    }
}
