//! Data plane: formulation SI2 — positions and velocities satisfy their constraints together.
//!
//! Backward Euler on the stabilised index-2 equations (Gear, Gupta and Leimkuhler 1985), with the
//! mass matrix as the metric of the correction c = Δ − h u:
//!
//! ```text
//! M (u − u_n) − h (Q − Gᵀλ) = 0,   Φ(x_n ∘ Δ, t_{n+1}) = 0                      (SI2-1)
//! M (Δ − h u) + Gᵀμ = 0,           G u + Φ_t = 0                               (SI2-2)
//! ```
//! For a given Δ, (SI2-2) is linear in (c, μ): the projection of Δ/h on the velocity constraints. In
//! that metric a change of c changes the momentum by a multiple of Gᵀ alone, which λ takes up:
//!
//! ```text
//! [ M  Gᵀ ] [ δc ]     [ M c + Gᵀμ ]
//! [ G  0  ] [ δμ ] = − [ −h Φ̇      ]        δλ = −δμ/h²                         (SI2-3)
//! ```
//! So the Newton matrix of formulation I3 serves unchanged for Δ and λ, followed by (SI2-3) in each
//! iteration; only −h ∂Q/∂u δc waits for the next one.

use crate::integrator::{Scheme, Stepper};
use crate::linalg::{Factorization, Quality, Singular, TileMatrix};
use crate::math::Vec3;
use crate::state::{State, vec3};
use crate::system::layout::BLOCK;
use crate::system::residual::{Level, inertia, row_residual};
use crate::system::{System, eval, jacobian};
use crate::workspace::Workspace;

/// What the projection carries: its matrix with factors, c and μ.
#[derive(Clone, Debug)]
pub struct Projection {
    /// Matrix of (SI2-3).
    matrix: TileMatrix,
    /// Its factors.
    factor: Factorization,
    /// c per body: linear part in ground axes, angular part in body axes.
    correction: Vec<f64>,
    /// μ, padded by group.
    multipliers: Vec<f64>,
    /// Right-hand side, then solution.
    rhs: Vec<f64>,
}

/// Solves (SI2-3) at the displaced kinematics in `ws`, and moves velocities, accelerations and λ
/// with it. Says whether the matrix, where it is factored anew, was sound.
pub fn project(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    stepper: &mut Stepper,
    (scheme, evaluate): (&Scheme, bool),
) -> Quality {
    let Some(projection) = &mut stepper.projection else {
        return Quality::Good;
    };
    eval::constraint_wrenches(system, ws);
    let mut quality = Quality::Good;
    if evaluate {
        quality = projection.refactor(system, state, ws);
        if let Quality::Singular { .. } = quality {
            return quality;
        }
    }
    projection.residual(system, state, ws, scheme);
    projection.factor.solve(&mut projection.rhs);
    let offsets = (
        &mut stepper.velocity_offset[..],
        &mut stepper.acceleration_offset[..],
    );
    projection.correct(system, state, ws, offsets, scheme);
    quality
}

impl Projection {
    /// Chooses the elimination order at the present state of the workspace.
    pub fn analyse(system: &System, state: &State, ws: &Workspace) -> Result<Self, Singular> {
        let mut matrix = TileMatrix::new(&system.pattern);
        jacobian::assemble_metric(system, state, ws, &mut matrix);
        let factor = Factorization::analyse(&system.pattern, &[&matrix])?;
        Ok(Self {
            matrix,
            factor,
            correction: vec![0.0; BLOCK * system.bodies.len()],
            multipliers: vec![0.0; system.layout.multipliers.len],
            rhs: vec![0.0; system.pattern.padded()],
        })
    }

    /// The prediction c = 0, μ = 0 of a step.
    pub fn predict(&mut self) {
        self.correction.fill(0.0);
        self.multipliers.fill(0.0);
    }

    /// Factors the matrix at the kinematics in `ws`.
    fn refactor(&mut self, system: &System, state: &State, ws: &Workspace) -> Quality {
        jacobian::assemble_metric(system, state, ws, &mut self.matrix);
        jacobian::soften(system, state, ws, &mut self.matrix);
        self.factor.refactor(&self.matrix)
    }

    /// The right-hand side of (SI2-3).
    fn residual(&mut self, system: &System, state: &State, ws: &Workspace, scheme: &Scheme) {
        self.rhs.fill(0.0);
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
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
        let h = 1.0 / scheme.weights.u;
        for (g, group) in system.groups.iter().enumerate() {
            let ends = jacobian::Ends::new(system, ws, group.i, group.j);
            for (k, r) in group.rows.range().enumerate() {
                let mu = self.multipliers[BLOCK * g + k];
                let loads = ends.row(ws, group.i, r);
                for (side, body) in ends.bodies.into_iter().enumerate() {
                    let Some(block) = system.bodies[body].block else {
                        continue;
                    };
                    for c in 0..ends.dof[side] {
                        self.rhs[block.offset() + c] -= loads[side][c] * mu;
                    }
                }
                let rate = row_residual(system, state, ws, group, r, Level::Velocity);
                self.rhs[group.block.offset() + k] = h * rate;
            }
        }
    }

    /// Adds the solution to c and μ, and what follows to velocities, accelerations and λ.
    fn correct(
        &mut self,
        system: &System,
        state: &State,
        ws: &mut Workspace,
        (velocities, accelerations): (&mut [f64], &mut [f64]),
        scheme: &Scheme,
    ) {
        let slope = scheme.weights.u;
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let at = BLOCK * body;
            let mut change = [vec3(&self.rhs, block.offset()), Vec3::zeros()];
            if entry.dof == 6 {
                let turn = vec3(&self.rhs, block.offset() + 3);
                change[1] = ws.bodies[body].rotation.tr_mul(&turn);
            }
            for (part, change) in change.iter().enumerate() {
                for k in 0..3 {
                    let place = at + 3 * part + k;
                    self.correction[place] += change[k];
                    let velocity = -slope * self.correction[place];
                    let last = state.span(system.layout.velocity)[place];
                    velocities[place] = velocity;
                    accelerations[place] = slope * (velocity - last);
                }
            }
        }
        for (g, group) in system.groups.iter().enumerate() {
            for k in 0..group.rows.len {
                let change = self.rhs[group.block.offset() + k];
                self.multipliers[BLOCK * g + k] += change;
                ws.multipliers[BLOCK * g + k] -= change * scheme.weights.l;
            }
        }
    }

    /// The largest correction |Δ − h u| in user length units and radians: zero where positions and
    /// velocities fit without help.
    pub fn largest(&self, system: &System, length_unit: f64) -> f64 {
        let mut largest = 0.0;
        for at in BLOCK..BLOCK * system.bodies.len() {
            let unit = if at % BLOCK < 3 { length_unit } else { 1.0 };
            largest = crate::system::residual::larger(largest, self.correction[at].abs() / unit);
        }
        largest
    }
}
