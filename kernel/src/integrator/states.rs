//! Data plane: integrates states of differential equations, as first-order states, and solves for implicit variables.
//!
//! ```text
//! dz/dt = g(z, x, u, u̇, λ, t)                                                (STA-1)
//! z_{n+1} = z_n + h [(1 − γ) ż_n + γ ż_{n+1}]
//! α_m ż_{n+1} + (1 − α_m) ż_n = α_f g_{n+1} + (1 − α_f) g_n                    (STA-2)
//! ```
//!
//! | scheme | α_m | α_f | γ | order |
//! |---|---|---|---|---|
//! | GSTIFF | 1 | 1 | 1 | 1 |
//! | NEWMARK(β, γ) | 1 | 1 | γ | 2 where γ = ½, else 1 |
//! | HHT(α), ρ = (1 + α)/(1 − α); GENALPHA(ρ) | (3 − ρ)/(2 + 2ρ) | 1/(1 + ρ) | ½ + α_m − α_f | 2 |
//!
//! (Jansen, Whiting and Hulbert 2000, but with the mean of g instead of g at the mean state, as (ALP-2) does for the
//! forces.) With ż_{n+1} eliminated, Δz = z_{n+1} − z_n obeys
//!
//! ```text
//! Δz − h (c g_{n+1} + c_g g_n + c_z ż_n) = 0                                  (STA-3)
//! c = γ α_f/α_m,   c_g = γ (1 − α_f)/α_m,   c_z = 1 − γ/α_m
//! ```
//! Row and unknown of (STA-3) in the Newton matrix are multiplied by h. So its couplings with bodies and multipliers
//! stay bounded as h goes to zero, even if g reads accelerations or reactions.
//!
//! An implicit variable y has a residual at the end of the step and, like a multiplier, no history:
//!
//! ```text
//! 0 = r(y, z, x, u, u̇, λ, t)                                                 (STA-5)
//! ```
//!
//! Newton's iteration starts at Δz = Δz_n, an extrapolation of the last two accepted values; g of a fast state would
//! be a bad predictor. The local error follows from the error of a prediction from accepted values, relative to the
//! state where that exceeds one:
//!
//! ```text
//! order 1:  Δz⁰ = Δz_n               e = |½ − α_f + α_m − γ| |Δz − Δz⁰| / max(1, |z_n|)
//! order 2:  Δz⁰ = 2 Δz_n − Δz_{n−1}   e = |a² − a/2 + a α_m − 1/12| |Δz − Δz⁰| / max(1, |z_n|)
//! with a = α_f − α_m                                                         (STA-4)
//! ```

use crate::elements::forces::ForceLaw;
use crate::elements::kinematics::Weights;
use crate::ids::EquationId;
use crate::integrator::StepFailure;
use crate::math::largest::Largest;
use crate::mechanism::{IntegratorKind, Law, SolverSettings};
use crate::state::State;
use crate::system::entity::Entity;
use crate::system::jacobian::{Free, StateRows};
use crate::system::layout::STATE_HISTORY;
use crate::system::stage::Balanced;
use crate::system::{EquationEntry, System, eval};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// Indices in the history of a state.
pub const RATE: usize = 0;
/// g_n.
pub const DERIVATIVE: usize = 1;
/// Mean rate of the last step.
pub const MEAN: usize = 2;
/// Mean rate of the step before the last.
const MEAN_BEFORE: usize = 3;

/// The parameters of (STA-2), and the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// α_m
    alpha_m: f64,
    /// α_f
    alpha_f: f64,
    /// γ
    gamma: f64,
    /// h \[s\]
    h: f64,
}

impl Coefficients {
    /// The coefficients of the scheme in the settings, at a step h.
    pub fn of(settings: &SolverSettings, h: f64) -> Self {
        match settings.integrator {
            IntegratorKind::Gstiff | IntegratorKind::Wstiff | IntegratorKind::Hastiff => {
                Self::theta(1.0, h)
            }
            IntegratorKind::Newmark => Self::theta(settings.gamma, h),
            IntegratorKind::Hht => {
                Self::generalized((1.0 + settings.alpha) / (1.0 - settings.alpha), h)
            }
            IntegratorKind::GeneralizedAlpha => Self::generalized(settings.rho, h),
        }
    }

    /// The derivative at the end of the step alone, whose factor is h: backward differentiation.
    pub fn backward(h: f64) -> Self {
        Self::theta(1.0, h)
    }

    /// Weight γ for the derivative at the end of the step, 1 − γ for the one at its beginning.
    fn theta(gamma: f64, h: f64) -> Self {
        Self {
            alpha_m: 1.0,
            alpha_f: 1.0,
            gamma,
            h,
        }
    }

    /// Generalized-α with the spectral radius ρ at infinite frequency.
    fn generalized(rho: f64, h: f64) -> Self {
        let alpha_m = 0.5 * (3.0 - rho) / (1.0 + rho);
        let alpha_f = 1.0 / (1.0 + rho);
        Self {
            alpha_m,
            alpha_f,
            gamma: 0.5 + alpha_m - alpha_f,
            h,
        }
    }

    /// c of (STA-3).
    fn current(&self) -> f64 {
        self.gamma * self.alpha_f / self.alpha_m
    }

    /// c, c_g and c_z of (STA-3), and γ.
    pub fn all(&self) -> [f64; 4] {
        let of_derivative = self.gamma * (1.0 - self.alpha_f) / self.alpha_m;
        let of_rate = 1.0 - self.gamma / self.alpha_m;
        [self.current(), of_derivative, of_rate, self.gamma]
    }

    /// The factor of h² z̈ in the truncation error of order 1.
    fn first_order_error(&self) -> f64 {
        0.5 - self.alpha_f + self.alpha_m - self.gamma
    }

    /// Is the order 2?
    fn second_order(&self) -> bool {
        self.first_order_error().abs() < 1e-12
    }

    /// The factor of (STA-4).
    fn error_factor(&self) -> f64 {
        if self.second_order() {
            let a = self.alpha_f - self.alpha_m;
            (a * a - a / 2.0 + a * self.alpha_m - 1.0 / 12.0).abs()
        } else {
            self.first_order_error().abs()
        }
    }

    /// The slope of a state in its unknown.
    pub fn weight(&self) -> f64 {
        1.0 / self.h
    }

    /// How (STA-3) and (STA-5) enter the Newton matrix, at the scale s of (RES-1).
    pub fn rows(&self, scale: f64) -> StateRows {
        StateRows {
            own: 1.0,
            slope: self.h * self.h * self.current(),
            residual: scale,
            free: Free::All,
        }
    }
}

/// Buffers of a step for the states.
#[derive(Clone, Debug)]
pub struct StateSteps {
    /// Δz.
    pub delta: Vec<f64>,
    /// Δz⁰.
    pub predicted: Vec<f64>,
    /// h (c_g g_n + c_z ż_n).
    fixed: Vec<f64>,
}

impl StateSteps {
    /// Allocates the buffers for a system.
    pub fn new(system: &System) -> Self {
        let n = system.equations.len();
        Self {
            delta: vec![0.0; n],
            predicted: vec![0.0; n],
            fixed: vec![0.0; n],
        }
    }

    /// Sets Δz⁰ of an equation, with which Newton's iteration starts, and the terms of (STA-3) from earlier steps.
    pub fn start(&mut self, k: usize, predicted: f64, fixed: f64) {
        self.delta[k] = predicted;
        self.predicted[k] = predicted;
        self.fixed[k] = fixed;
    }

    /// Sets Δz⁰, the start of Newton's iteration, and the terms of (STA-3) from the last step.
    pub fn predict(&mut self, system: &System, state: &State, c: &Coefficients) {
        let history = state.span(system.layout.state_history);
        let [_, of_derivative, of_rate, _] = c.all();
        for (k, last) in history.chunks_exact(STATE_HISTORY).enumerate() {
            let mut mean = last[MEAN];
            if c.second_order() {
                mean += last[MEAN] - last[MEAN_BEFORE];
            }
            if system.equations[k].is_algebraic() {
                self.delta[k] = 0.0;
                continue;
            }
            self.delta[k] = c.h * last[MEAN];
            self.predicted[k] = c.h * mean;
            self.fixed[k] = c.h * (of_derivative * last[DERIVATIVE] + of_rate * last[RATE]);
        }
    }

    /// Writes the displaced states into `ws`.
    pub fn displace(&self, system: &System, state: &State, ws: &mut Workspace) {
        let states = state.span(system.layout.states);
        for (k, value) in ws.states.iter_mut().enumerate() {
            *value = states[k] + self.delta[k];
        }
    }

    /// Writes (STA-3) and (STA-5) into the rows of the equations of the residual.
    pub fn residual(
        &self,
        system: &System,
        balanced: &mut Balanced<'_>,
        c: &Coefficients,
        scale: f64,
    ) {
        for (k, entry) in system.equations.iter().enumerate() {
            let value = eval::equation(system, balanced, k);
            balanced.rhs_mut()[entry.block.offset() + entry.place] = match entry.law {
                Law::Rate { .. } => {
                    c.h * (self.delta[k] - self.fixed[k] - c.h * c.current() * value)
                }
                Law::Residual(_) => scale * value,
            };
        }
    }

    /// Limits the iterates of bristles to the deflection that bristles can reach. There is no solution beyond it, and
    /// Newton's iteration on their equation can diverge there (docs/theory/friction.md).
    pub fn hold_bristles(&mut self, system: &System, state: &State) {
        let layout = &system.layout;
        let (accepted, numbers) = (state.span(layout.states), state.span(layout.numbers));
        for force in &system.forces {
            let ForceLaw::JointFriction(law) = &force.law else {
                continue;
            };
            let bristles = law.bristles();
            if bristles.is_empty() {
                continue;
            }
            let most = law.farthest(numbers);
            for k in bristles {
                let bent = accepted[k] + self.delta[k];
                if bent.abs() > most {
                    self.delta[k] = bent.signum() * most - accepted[k];
                }
            }
        }
    }

    /// Adds the Newton correction in `ws.rhs`.
    pub fn update(&mut self, system: &System, ws: &Workspace, weights: &Weights) {
        for (k, entry) in system.equations.iter().enumerate() {
            self.delta[k] += entry.weight(weights) * ws.rhs[entry.block.offset() + entry.place];
        }
    }

    /// The largest error (STA-4) with its equation. Implicit variables are not integrated and have no local error.
    pub fn error(
        &self,
        system: &System,
        state: &State,
        c: &Coefficients,
    ) -> Result<Largest<Entity>, StepFailure> {
        let states = state.span(system.layout.states);
        let factor = c.error_factor();
        let mut largest = Largest::default();
        for (k, delta) in self.delta.iter().enumerate() {
            let missed = (delta - self.predicted[k]).abs();
            if !missed.is_finite() {
                return Err(StepFailure::NotFinite(EquationId::from(k).into()));
            }
            if system.equations[k].is_algebraic() {
                continue;
            }
            let error = factor * missed / states[k].abs().max(1.0);
            largest.raise(error, EquationId::from(k).into());
        }
        Ok(largest)
    }

    /// Adds Δz to the state.
    pub fn accept(&self, system: &System, state: &mut State, c: &Coefficients) {
        let layout = &system.layout;
        for (k, delta) in self.delta.iter().enumerate() {
            state.span_mut(layout.states)[k] += delta;
            let history = &mut state.span_mut(layout.state_history)[STATE_HISTORY * k..];
            let mean = delta / c.h;
            history[RATE] = (mean - (1.0 - c.gamma) * history[RATE]) / c.gamma;
            history[MEAN_BEFORE] = history[MEAN];
            history[MEAN] = mean;
        }
    }
}

/// Stores the derivatives of the accepted state, for schemes that use them in the next step.
pub fn remember(system: &System, state: &mut State, ws: &Workspace) {
    for k in 0..system.equations.len() {
        let g = eval::equation(system, ws, k);
        state.span_mut(system.layout.state_history)[STATE_HISTORY * k + DERIVATIVE] = g;
    }
}

/// Sets states and implicit variables to their initial values.
pub fn initialize(system: &System, state: &mut State) {
    let layout = &system.layout;
    for (k, entry) in system.equations.iter().enumerate() {
        state.reals[layout.states.first + k] = state.reals[layout.numbers.first + entry.initial];
    }
    state.span_mut(layout.state_history).fill(0.0);
}

/// Sets the history before the first step: ż = g, and as mean rate that of one linearly implicit step of the state
/// alone, g/(1 − h ∂g/∂z). A state that is faster than the step (h ∂g/∂z < −1) uses this mean rate as ż and g too:
/// its initial rate does not last, and later steps must not extrapolate it. The Newton matrix in the workspace is
/// that of `scheme` at the start.
pub fn begin(
    system: &System,
    state: &mut State,
    ws: &Workspace,
    (scheme, weights): (&Coefficients, &Weights),
) {
    for (k, entry) in system.equations.iter().enumerate() {
        let history = &mut state.span_mut(system.layout.state_history)[STATE_HISTORY * k..];
        if entry.is_algebraic() {
            history[..STATE_HISTORY].fill(0.0);
            continue;
        }
        let g = eval::equation(system, ws, k);
        let ratio = -scheme.h * own_slope(system, ws, k, weights);
        let mean = g / (1.0 + ratio.max(0.0));
        let rate = if ratio > 1.0 { mean } else { g };
        history[..STATE_HISTORY].copy_from_slice(&[rate, rate, mean, mean]);
    }
}

/// The error of an unknown, relative to its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misfit {
    /// The relative error, for a size of at least one.
    pub share: f64,
    /// The error itself.
    pub amount: f64,
    /// The equation.
    pub equation: EquationId,
}

impl Default for Misfit {
    fn default() -> Self {
        Self {
            share: 0.0,
            amount: 0.0,
            equation: EquationId(0),
        }
    }
}

/// The implicit variable that is farthest from solving its equation: r/(∂r/∂y), relative to the largest of its size,
/// its largest size at which it did solve the equation, and one. The workspace must hold the values of the accepted
/// state and the gradients of the last matrix.
pub fn unsolved(system: &System, state: &mut State, ws: &Workspace, weights: &Weights) -> Misfit {
    let (mut worst, mut variable) = (Misfit::default(), system.layout.solved.first);
    for (k, entry) in system.equations.iter().enumerate() {
        let Law::Residual(residual) = entry.law else {
            continue;
        };
        let slope = slope(system, ws, weights, (entry, entry)) * residual.to_si;
        let amount = if slope == 0.0 {
            0.0
        } else {
            (eval::equation(system, ws, k) / slope).abs()
        };
        let size = ws.states[k].abs().max(1.0);
        let known = &mut state.reals[variable];
        let share = amount / size.max(*known);
        if share < SOLVES && size > *known {
            *known = size;
        }
        if share > worst.share {
            worst = Misfit {
                share,
                amount,
                equation: EquationId::from(k),
            };
        }
        variable += 1;
    }
    worst
}

/// A variable with a relative error below this solves its equation.
const SOLVES: f64 = 1e-3;

/// The state that grows too fast for the step: h c ∂g/∂z > 1 (STA-3), measured by its change in the step over its
/// size. Then the solution of the step does not approximate the differential equation: growth becomes a jump to the
/// other side.
pub fn excessive_growth(
    system: &System,
    state: &State,
    ws: &Workspace,
    (scheme, weights): (&Coefficients, &Weights),
) -> Misfit {
    let mut worst = Misfit::default();
    let history = state.span(system.layout.state_history);
    for (k, last) in history.chunks_exact(STATE_HISTORY).enumerate() {
        let growth = scheme.h * scheme.current() * own_slope(system, ws, k, weights);
        let amount = (scheme.h * last[MEAN]).abs();
        let before = ws.states[k] - scheme.h * last[MEAN];
        let share = amount / before.abs().max(1.0);
        if growth > 1.0 && share > worst.share {
            worst = Misfit {
                share,
                amount,
                equation: EquationId::from(k),
            };
        }
    }
    worst
}

/// ∂g/∂z or ∂r/∂z in the units of the expression, from the gradients of the last matrix.
fn slope(
    system: &System,
    ws: &Workspace,
    weights: &Weights,
    (of, by): (&EquationEntry, &EquationEntry),
) -> f64 {
    let place = &system.schedule.expressions[of.expr().index()];
    place.position(by.block).map_or(0.0, |at| {
        ws.row_arena[place.first + at][by.place] / by.weight(weights)
    })
}

/// ∂g/∂z of a state alone [1/s]; if g is an unknown p with a residual r, −(∂r/∂z)/(∂r/∂p).
fn own_slope(system: &System, ws: &Workspace, k: usize, weights: &Weights) -> f64 {
    let entry = &system.equations[k];
    let slope = |of, by| slope(system, ws, weights, (of, by));
    let Law::Rate {
        derivative,
        unknown,
    } = entry.law
    else {
        return 0.0;
    };
    let own = match unknown.map(|p| &system.equations[p.index()]) {
        None => slope(entry, entry),
        Some(rate) => {
            let (by_state, by_rate) = (slope(rate, entry), slope(rate, rate));
            if by_rate == 0.0 {
                0.0
            } else {
                -by_state / by_rate
            }
        }
    };
    own * derivative.to_si
}
