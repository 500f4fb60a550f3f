//! Control plane: solver settings and the default experiment, validated. [`SETTINGS`] has a row for each setting, from
//! which the reader of models, the variables of the FMU, their changes at run time and the checks follow; the rules
//! are in `rules`, the settings of a variable step with their defaults in `variable`.

mod effects;
mod rules;
mod table;
mod variable;

pub use effects::Idle;
pub use rules::PatternError;
pub use table::{Bounds, Given, SETTINGS, SettingKind, SettingRow};
pub use variable::{Corrector, Interpolation, Jacobians, VariableSettings};

use super::Mechanism;
use super::guard::GuardSettings;
use super::start::StartSettings;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Largest number of integration steps in a step of the experiment.
pub const MAX_HRATIO: u32 = 1_000_000;

/// Smallest β of Newmark, which belongs to the smallest γ.
const LEAST_BETA: f64 = 0.25;
/// Smallest γ of Newmark.
const LEAST_GAMMA: f64 = 0.5;

/// Integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IntegratorKind {
    /// Gear's stiff method; at a fixed step, backward Euler.
    Gstiff,
    /// Hilber, Hughes and Taylor: second order, damping of high frequencies by α.
    Hht,
    /// Newmark: β and γ.
    Newmark,
    /// Generalized-α of Chung and Hulbert: second order, spectral radius ρ∞ at high frequencies.
    GeneralizedAlpha,
    /// Backward differentiation with the coefficients of the real sequence of steps; variable step only.
    Wstiff,
    /// The same for the index-1 form, which is solved for the derivatives; variable step only.
    Hastiff,
}

/// What a run does from one output time to the next. Only the first is for real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Integrates: every step is DTOUT/HRATIO and does the same work.
    Fixed,
    /// Integrates: step and order follow from an error tolerance.
    Variable,
    /// Kinematic: positions, velocities and accelerations follow from the constraints alone.
    Kinematic,
    /// Quasi-static: static equilibrium at every output time.
    Static,
}

impl Mode {
    /// Does a run solve each instant by itself, instead of integrating?
    pub fn solves_instants(self) -> bool {
        matches!(self, Self::Kinematic | Self::Static)
    }
}

/// Formulations of the constrained equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Formulation {
    /// Index 3: position constraints.
    I3,
    /// Stabilised index 2: position and velocity constraints (GSTIFF, WSTIFF, HASTIFF).
    Si2,
    /// Stabilised index 1: the same constraints, with multipliers as derivatives (HASTIFF).
    Si1,
}

/// Arithmetic of the linear solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arithmetic {
    /// Every operation rounded separately: the same bits on every machine.
    Exact,
    /// Multiply-adds fused if the processor can: other bits than `Exact`.
    Fast,
}

/// How an input beyond its bounds is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputBounds {
    /// The bound is used, with a warning.
    Clamp,
    /// The call fails.
    Error,
}

/// The course of an input that has no derivatives within a communication step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputCourse {
    /// Constant.
    Hold,
    /// A straight line through its last two values.
    Linear,
}

/// Solver settings, validated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverSettings {
    /// What a run does.
    pub mode: Mode,
    /// Integrator.
    pub integrator: IntegratorKind,
    /// Formulation.
    pub formulation: Formulation,
    /// Newton iterations per step, 1..=10.
    pub fixit: u8,
    /// One solve per step, tuned for that; `fixit` and `pattern` are then ignored.
    pub linearly_implicit: bool,
    /// Integration steps in a step of the experiment, 1 or more.
    pub hratio: u32,
    /// Jacobian pattern over the iterations of a step, 1..=10 entries, repeated. With a variable step it counts if it was
    /// given; without T it is adaptive.
    pub pattern: Vec<bool>,
    /// α of HHT, −1/3 to 0.
    pub alpha: f64,
    /// β of Newmark.
    pub beta: f64,
    /// γ of Newmark.
    pub gamma: f64,
    /// ρ∞ of generalized-α, 0 to 1.
    pub rho: f64,
    /// Local error that stops the run, in user units (`f64::INFINITY`: never).
    pub maxerr: f64,
    /// Settings of the guard.
    pub guard: GuardSettings,
    /// Arithmetic of the linear solver.
    pub math: Arithmetic,
    /// Is the memory of the steps locked?
    pub lock_memory: bool,
    /// Are values published at fixed addresses?
    pub publish: bool,
    /// How an input beyond its bounds is treated.
    pub input_bounds: InputBounds,
    /// The course of inputs without derivatives.
    pub input_course: InputCourse,
    /// How the model starts.
    pub start: StartSettings,
    /// Smallest variable step \[s\].
    pub hmin: Option<f64>,
    /// First variable step \[s\]; a fixed step resets it to DTOUT/HRATIO if it is above that.
    pub hinit: Option<f64>,
    /// Largest variable step \[s\]; a fixed step ignores it if it is below DTOUT/HRATIO.
    pub hmax: Option<f64>,
    /// Tolerance of a variable step, in user units.
    pub error: Option<f64>,
    /// Highest order of a variable step, 1..=6.
    pub kmax: u8,
    /// Most iterations of a variable step, 1..=10.
    pub maxit: u8,
    /// May variable steps pass output points?
    pub interpolate: Interpolation,
    /// Which unknowns must converge in a variable step.
    pub corrector: Corrector,
    /// This divided by the step is added to the tolerance of the corrector at tiny variable steps \[s\].
    pub adaptivity: f64,
    /// Are residuals and corrections of variable steps reported?
    pub eprint: bool,
    /// The settings that the user has given.
    pub given: Given,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            mode: Mode::Fixed,
            integrator: IntegratorKind::Hht,
            formulation: Formulation::I3,
            fixit: 3,
            linearly_implicit: false,
            hratio: 1,
            pattern: Self::reference_pattern(),
            alpha: -0.3,
            beta: 0.36,
            gamma: 0.7,
            rho: 0.8,
            maxerr: f64::INFINITY,
            guard: GuardSettings::default(),
            math: Arithmetic::Exact,
            lock_memory: false,
            publish: false,
            input_bounds: InputBounds::Clamp,
            input_course: InputCourse::Hold,
            start: StartSettings::default(),
            hmin: None,
            hinit: None,
            hmax: None,
            error: None,
            kmax: variable::ORDERS,
            maxit: variable::ITERATIONS,
            interpolate: Interpolation::On,
            corrector: Corrector::Original,
            adaptivity: variable::ADAPTIVITY,
            eprint: false,
            given: Given::default(),
        }
    }
}

impl SolverSettings {
    /// The integration step that determines which modes lose their inertia, at an output step DTOUT \[s\]. It is zero with a
    /// variable step, by which no mode does: the tolerance decides what is resolved; and where nothing is integrated.
    pub fn step_of_modes(&self, dtout: f64) -> f64 {
        match self.mode {
            Mode::Fixed => dtout / f64::from(self.hratio.max(1)),
            Mode::Variable | Mode::Kinematic | Mode::Static => 0.0,
        }
    }
}

/// Default experiment \[s\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Start time \[s\].
    pub start: f64,
    /// Stop time \[s\].
    pub stop: f64,
    /// Communication step DTOUT \[s\].
    pub step: f64,
}

impl Mechanism {
    /// The integration step of the experiment and the settings \[s\]: DTOUT/HRATIO.
    pub fn own_step(&self) -> f64 {
        self.experiment.step / f64::from(self.solver.hratio.max(1))
    }

    /// The integration step that determines which modes lose their inertia \[s\].
    pub fn step_of_modes(&self) -> f64 {
        self.solver.step_of_modes(self.experiment.step)
    }
}
