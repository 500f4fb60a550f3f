//! Control plane: finds static equilibrium: poses at rest in which all loads balance.
//!
//! ```text
//! r = −Q(x, λ) + Gᵀλ = 0,   Φ(x) = 0                                      (EQU-1)
//! [ K + σM  Gᵀ ] [ δ ]     [ r ]
//! [ G       0  ] [ μ ] = − [ Φ ]          K = ∂r/∂(δx, δψ) at fixed λ      (EQU-2)
//! ```
//! With σ → 0 this is Newton's method. With a larger σ it is a backward Euler step of length σ^(−½) from rest;
//! velocities are discarded after each step (pseudo-dynamics). The same linear systems bring states of differential
//! equations to rest ([`equations`]).

mod equations;
mod polish;
mod rolling;
mod settling;
mod tyres;

use self::polish::Polish;
use crate::analysis::no_start::NoStart;
use crate::analysis::stability::unstable_directions;
use crate::analysis::{flexible, row_size};
use crate::elements::kinematics::Weights;
use crate::integrator::accepted::count_angles;
use crate::linalg::{Sequence, TileMatrix};
use crate::math::Vec3;
use crate::math::rotation::{exp_quaternion, multiply, normalized};
use crate::mechanism::{Mechanism, StartSettings};
use crate::state::{State, vec3};
use crate::system::jacobian::{self, Scaling};
use crate::system::layout::BLOCK;
use crate::system::residual::{self, Level, larger};
use crate::system::stage::{Balanced, Constrained, Evaluated};
use crate::system::{System, curves, eval};
use crate::workspace::Workspace;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// σ of Newton's method over (largest acceleration by a load / characteristic length); slower directions are free.
const NEUTRAL: f64 = 1e-7;
/// If the step limits reduce a Newton step below this fraction, σ grows: by which factor, and how often.
const SHORT: f64 = 0.1;
const HOLD: f64 = 30.0;
const HOLDS: usize = 4;
/// Iterations without gain that end the improvement of a balanced state.
const MOST_STALLED: usize = 4;
/// Iteration limit for closing the constraints again.
const CLOSING: usize = 6;
/// An imbalance below this is rounding.
const ROUNDING: f64 = 1e-15;
/// Largest violation of a constraint in equilibrium [characteristic lengths, rad].
const CLOSED: f64 = 1e-10;
/// Loads on a part below this fraction of the largest count as none.
const NOTHING: f64 = 1e-9;

/// Note for an unstable equilibrium.
const UNSTABLE: &str = "static equilibrium: it is unstable, and the smallest disturbance will end it; start a little to the \
                        side to which the mechanism should fall";

/// A search for equilibrium.
pub struct Statics<'a> {
    mechanism: &'a Mechanism,
    system: &'a System,
    state: &'a mut State,
    ws: &'a mut Workspace,
    settings: StartSettings,
    length: f64,
    time: f64,
    /// Factorisations of mass matrices and of (EQU-2).
    masses: Sequence,
    stiffness: Sequence,
    /// η of (EQU-7): how far tyres follow their wheels.
    grip: f64,
    /// The poses before a step, while the constraints are closed after it.
    left: Option<State>,
    /// Accelerations below this [characteristic lengths per s²] count as none.
    still: f64,
}

/// Loads and their balance at a pose.
#[derive(Clone)]
struct LoadBalance {
    /// −acceleration from rest, with the constraints, per body.
    drift: Vec<[f64; BLOCK]>,
    /// r with the reactions that balance best, then Φ.
    residual: Vec<f64>,
    /// Largest |r| of a body relative to the loads on it.
    imbalance: f64,
    /// |r| of each body relative to the loads on it.
    parts: Vec<f64>,
    /// Largest |Φ| [characteristic lengths, rad].
    violation: f64,
    /// The largest acceleration that the loads on a body could give it, summed by magnitude.
    acceleration: f64,
}

impl<'a> Statics<'a> {
    /// Begins at a state whose velocities are zero.
    pub fn new(
        mechanism: &'a Mechanism,
        system: &'a System,
        state: &'a mut State,
        ws: &'a mut Workspace,
        length: f64,
    ) -> Self {
        let time = state.time(&system.layout);
        Self {
            mechanism,
            system,
            state,
            ws,
            settings: mechanism.solver.start,
            length,
            time,
            masses: Sequence::default(),
            stiffness: Sequence::default(),
            grip: 0.0,
            left: None,
            still: 0.0,
        }
    }

    /// Loads that could accelerate no part by more than this [characteristic lengths per s²] count as none.
    #[must_use]
    pub fn with_stillness(self, still: f64) -> Self {
        Self { still, ..self }
    }

    /// Moves the state into equilibrium. Returns notes for the user, or the reason why it failed.
    pub fn solve(&mut self) -> Result<Vec<String>, NoStart> {
        self.solve_from(false)
    }

    /// The same from an equilibrium that is unstable or not: one that is leads to others of its kind, and no stable one is
    /// sought.
    pub fn solve_from(&mut self, unstable: bool) -> Result<Vec<String>, NoStart> {
        let begin = self.state.clone();
        if self.newton() {
            match (self.unstable(), unstable) {
                (false, _) => return Ok(Vec::new()),
                (true, true) => return Ok(vec![UNSTABLE.to_owned()]),
                (true, false) => {}
            }
        }
        let stationary = self.state.clone();
        let balance = self.balance();
        let balanced = balance.is_some_and(|balance| self.is_balanced(&balance));
        self.state.copy_from(&begin);
        match self.settle_on_tyres() {
            Ok(()) if !self.unstable() => return Ok(Vec::new()),
            Ok(()) => {}
            Err(_) if balanced => self.state.copy_from(&stationary),
            Err(problem) => return Err(problem),
        }
        Ok(vec![UNSTABLE.to_owned()])
    }

    /// Is the equilibrium at which the state stands unstable?
    pub fn stands_unstably(&mut self) -> bool {
        self.unstable()
    }

    /// Newton's method with limited steps; `false` if it does not converge.
    fn newton(&mut self) -> bool {
        let mut polish = Polish::default();
        let mut still = 0;
        for _ in 0..self.settings.iterations {
            let Some(balance) = self.balance() else {
                return false;
            };
            if self.is_balanced(&balance) && polish.is_exhausted(&balance) {
                return true;
            }
            let Some(delta) = self.held_direction(&balance) else {
                return false;
            };
            still += usize::from(
                self.is_rounding(&delta) && balance.violation <= CLOSED && self.settles(&delta),
            );
            if still == MOST_STALLED {
                return true;
            }
            if self.travel(&delta, self.share(&delta)).is_none() {
                return false;
            }
        }
        false
    }

    /// Is the state balanced? For the poses of the last [`Self::balance`].
    fn is_balanced(&mut self, balance: &LoadBalance) -> bool {
        let unloaded = balance.acceleration < self.still * self.length;
        (unloaded || balance.imbalance <= self.settings.tolerance)
            && balance.violation <= CLOSED
            && self.states_rest(balance)
    }

    /// σ below which a direction counts as free of stiffness.
    fn neutral(&self, balance: &LoadBalance) -> f64 {
        NEUTRAL * balance.acceleration / self.length
    }

    /// Loads and reactions at the state's poses, (EQU-1); `None` if a number is not finite.
    fn balance(&mut self) -> Option<LoadBalance> {
        self.evaluate();
        // The reactions that balance best, in the metric of the inverse mass matrix.
        let matrix = self.metric();
        for group in &self.system.groups {
            self.ws.rhs[group.block.offset()..][..group.rows.len].fill(0.0);
        }
        self.state_residuals(false);
        solve(&mut self.masses, self.system, &matrix, &mut self.ws.rhs)?;
        let drift = self.bodies(&self.ws.rhs);
        for (g, group) in self.system.groups.iter().enumerate() {
            for k in 0..group.rows.len {
                let change = self.ws.rhs[group.block.offset() + k];
                self.state.span_mut(self.system.layout.multipliers)[BLOCK * g + k] -= change;
            }
        }
        self.evaluate();
        let residual = self.ws.rhs.clone();
        let mut balance = LoadBalance {
            drift,
            residual,
            imbalance: 0.0,
            parts: vec![0.0; self.system.bodies.len()],
            violation: self.violation(),
            acceleration: 0.0,
        };
        self.compute_imbalances(&mut balance);
        let finite = balance.residual.iter().all(|x| x.is_finite());
        (finite && balance.imbalance.is_finite()).then_some(balance)
    }

    /// Evaluates (EQU-1) at the state into the right-hand side.
    fn evaluate(&mut self) {
        let slips = self.slips();
        let (system, ws) = (self.system, &mut *self.ws);
        let mut placed = eval::kinematics_at_state(system, self.state, ws);
        count_angles(system, self.state, &placed);
        let motions = self.state.span(system.layout.motions);
        let held = |m: usize| (motions[2 * m], motions[2 * m + 1]);
        placed.targets(system, self.state, self.time, held);
        let evaluated = residual::evaluate(system, self.state, placed, self.time);
        curves::keep(system, self.state, &evaluated);
        residual::assemble(system, self.state, evaluated, 1.0, Level::Position);
        for (own, slip) in system.rate_rows.iter().zip(slips) {
            self.ws.rhs[system.groups[own.group].block.offset() + own.place] += slip;
        }
        self.state_residuals(true);
    }

    /// Largest violation, with lengths in characteristic lengths.
    fn violation(&self) -> f64 {
        let mut worst = 0.0;
        for group in &self.system.groups {
            for (k, r) in group.rows.range().enumerate() {
                let unit = row_size(self.system, self.ws, self.length, r);
                let phi = self.ws.rhs[group.block.offset() + k];
                worst = larger(worst, phi.abs() / unit);
            }
        }
        worst
    }

    /// Computes the imbalance of each body relative to the loads on it.
    fn compute_imbalances(&mut self, balance: &mut LoadBalance) {
        let loads = residual::loads(self.system, self.state, &Evaluated::kept(self.ws));
        let length = self.length;
        let scale = |(force, torque): (f64, f64)| torque + length * force;
        let most = loads.iter().map(|l| scale(*l)).fold(0.0, larger);
        let mut bending = 0.0;
        for (body, entry) in self.system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let bends = |k| flexible::within(self.system, self.ws, &balance.residual, k);
            let within = entry.flexible.map_or(0.0, bends);
            let own = (scale(loads[body]) + length * within).max(NOTHING * most);
            let force = vec3(&balance.residual, block.offset()).norm();
            let torque = if entry.dof == 6 {
                vec3(&balance.residual, block.offset() + 3).norm()
            } else {
                0.0
            };
            if own > 0.0 {
                balance.parts[body] = (torque + length * force) / own;
            }
            if let (Some(k), true) = (entry.flexible, own > 0.0) {
                let bent = length * flexible::unbalanced(self.system, &balance.residual, k);
                balance.parts[body] = larger(balance.parts[body], bent / own);
            }
            balance.imbalance = larger(balance.imbalance, balance.parts[body]);
            let inertia = residual::inertia(self.system, self.state, body);
            let possible = loads[body].0 / inertia.mass;
            balance.acceleration = larger(balance.acceleration, possible);
            bending = larger(bending, within / inertia.mass);
            if entry.dof == 6 {
                let least = inertia.tensor.diagonal().min();
                let possible = loads[body].1 / least * length;
                balance.acceleration = larger(balance.acceleration, possible);
            }
        }
        // All loads balance within flexible bodies.
        if balance.acceleration == 0.0 {
            balance.acceleration = bending;
        }
    }

    /// A Newton step. A direction without stiffness (a wheel's turn) receives a load from products of small angles,
    /// which (EQU-2) omits, and the limits would cut the whole step: σ is raised until most of it remains.
    fn held_direction(&mut self, balance: &LoadBalance) -> Option<Vec<f64>> {
        let mut sigma = self.neutral(balance);
        let mut delta = self.direction(balance, sigma)?;
        for _ in 0..HOLDS {
            if self.share(&delta) >= SHORT {
                break;
            }
            sigma *= HOLD;
            delta = self.direction(balance, sigma)?;
        }
        Some(delta)
    }

    /// Solves (EQU-2), with a larger σ if it is singular.
    fn direction(&mut self, balance: &LoadBalance, sigma: f64) -> Option<Vec<f64>> {
        let unit = balance.acceleration / self.length;
        let more = [sigma, 1e2 * sigma, 1e-2 * unit, unit];
        more.into_iter()
            .find_map(|sigma| self.trial(balance, sigma))
    }

    /// Solves (EQU-2).
    fn trial(&mut self, balance: &LoadBalance, sigma: f64) -> Option<Vec<f64>> {
        self.tangent(sigma);
        let mut rhs: Vec<f64> = balance.residual.iter().map(|x| -x).collect();
        solve(&mut self.stiffness, self.system, &self.ws.matrix, &mut rhs)?;
        Some(rhs)
    }

    /// Assembles the matrix of (EQU-2) at the poses of the last [`Self::balance`].
    fn tangent(&mut self, sigma: f64) {
        let weights = Weights {
            x: 1.0,
            u: 0.0,
            a: sigma,
            l: 1.0,
            z: 1.0,
        };
        let scaling = Scaling {
            motion: 1.0,
            constraints: 1.0,
            rates: 0.0,
            states: self.state_rows(sigma),
        };
        let balanced = &mut Balanced::kept(self.ws);
        jacobian::assemble(self.system, self.state, balanced, &weights, &scaling);
        if self.grip > 0.0 {
            self.add_grip();
        }
    }

    /// Is the equilibrium unstable, with tyres that stick? Not checked for large mechanisms.
    fn unstable(&mut self) -> bool {
        let Some(balance) = self.balance() else {
            return false;
        };
        self.grip = 1.0;
        self.tangent(100.0 * self.neutral(&balance));
        self.grip = 0.0;
        unstable_directions(self.system, self.state, &self.ws.matrix) > 0
    }

    /// Is a Newton step only a rounding error of the poses? With stiff elements, this alone can exceed the tolerance.
    fn is_rounding(&self, delta: &[f64]) -> bool {
        let layout = &self.system.layout;
        self.bodies(delta).iter().enumerate().all(|(body, s)| {
            let size = self.state.position(layout, body).norm().max(self.length);
            vec3(s, 0).norm() <= 4.0 * f64::EPSILON * size
                && vec3(s, 3).norm() <= 4.0 * f64::EPSILON
        })
    }

    /// The fraction of a step that keeps to the limits.
    fn share(&self, delta: &[f64]) -> f64 {
        let travel = self.settings.translation_limit.unwrap_or(self.length);
        let turn = self.settings.angle_limit;
        let mut share = 1.0_f64;
        for s in self.bodies(delta) {
            share = share.min(travel / vec3(&s, 0).norm().max(travel));
            share = share.min(turn / vec3(&s, 3).norm().max(turn));
        }
        share
    }

    /// Moves the bodies by a fraction of a step.
    fn displace(&mut self, delta: &[f64], share: f64) {
        let layout = &self.system.layout;
        for (body, s) in self.bodies(delta).iter().enumerate() {
            if self.system.bodies[body].block.is_none() {
                continue;
            }
            let (dx, psi): (Vec3, Vec3) = (vec3(s, 0) * share, vec3(s, 3) * share);
            let r = self.state.position(layout, body) + dx;
            let q = multiply(&exp_quaternion(&psi), &self.state.quaternion(layout, body));
            self.state.set_pose(layout, body, &r, &normalized(&q));
        }
        let modal = self.state.span_mut(layout.modal);
        for (q, row) in modal.iter_mut().zip(flexible::rows(self.system)) {
            *q += share * delta[row];
        }
        self.displace_states(delta, share);
    }

    /// Closes the constraints again, along the shortest way in the metric of the mass matrix.
    fn close(&mut self) -> Option<()> {
        for _ in 0..CLOSING {
            self.evaluate();
            if self.violation() <= ROUNDING {
                break;
            }
            for block in self.system.bodies.iter().filter_map(|b| b.block) {
                self.ws.rhs[block.offset()..block.offset() + BLOCK].fill(0.0);
            }
            for row in flexible::rows(self.system) {
                self.ws.rhs[row] = 0.0;
            }
            self.state_residuals(false);
            let matrix = self.metric();
            solve(&mut self.masses, self.system, &matrix, &mut self.ws.rhs)?;
            let delta = self.ws.rhs.clone();
            self.displace(&delta, -1.0);
        }
        Some(())
    }

    /// The mass matrix with the constraints, at the poses evaluated last.
    fn metric(&mut self) -> TileMatrix {
        let mut matrix = self.system.matrix();
        self.ws.flexible.with_lost_inertia = true;
        let constrained = &mut Constrained::kept(self.ws);
        jacobian::assemble_softened_metric(self.system, self.state, constrained, &mut matrix);
        self.ws.flexible.with_lost_inertia = false;
        matrix
    }

    /// The bodies' part of a padded vector.
    fn bodies(&self, vector: &[f64]) -> Vec<[f64; BLOCK]> {
        let of = |entry: &crate::system::BodyEntry| {
            let at = entry.block.map_or(0, crate::linalg::BlockId::offset);
            core::array::from_fn(|k| if k < entry.dof { vector[at + k] } else { 0.0 })
        };
        self.system.bodies.iter().map(of).collect()
    }
}

/// Solves in place; `None` if the matrix is singular.
fn solve(
    factors: &mut Sequence,
    system: &System,
    matrix: &TileMatrix,
    rhs: &mut [f64],
) -> Option<()> {
    factors.solve(&system.pattern, matrix, rhs).ok()?;
    rhs.iter().all(|x| x.is_finite()).then_some(())
}
