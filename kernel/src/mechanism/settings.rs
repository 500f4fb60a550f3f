//! Control plane: solver settings and the default experiment, validated. [`SETTINGS`] has a row for each setting, from
//! which the reader of models, the variables of the FMU, their changes at run time and the checks follow; the rules
//! are in `rules`.

mod rules;

pub use rules::PatternError;

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
}

/// Formulations of the constrained equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Formulation {
    /// Index 3: position constraints.
    I3,
    /// Stabilised index 2: position and velocity constraints (GSTIFF).
    Si2,
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
    /// Jacobian pattern over the iterations of a step, 1..=10 entries, repeated.
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
    /// Requested smallest step \[s\]; ignored.
    pub hmin: Option<f64>,
    /// Requested initial step \[s\]; reset to DTOUT/HRATIO if above it.
    pub hinit: Option<f64>,
    /// Requested largest step \[s\]; ignored if below DTOUT/HRATIO.
    pub hmax: Option<f64>,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
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
}

/// Which numbers a setting may have.
#[derive(Clone, Copy, Debug)]
pub enum Bounds {
    /// More than zero.
    Positive,
    /// Zero or more.
    NonNegative,
    /// Between two numbers, or one of them.
    Within(f64, f64),
    /// α of HHT, where a third may be rounded.
    Alpha,
    /// So much or more; what else is stable depends on other settings.
    Stable(f64),
}

impl Bounds {
    /// The least and the greatest number. A number that must be positive may be 0 in the FMU, which means unset.
    pub fn range(self) -> (f64, Option<f64>) {
        match self {
            Self::Positive | Self::NonNegative => (0.0, None),
            Self::Within(least, most) => (least, Some(most)),
            Self::Alpha => (SolverSettings::LEAST_ALPHA, Some(0.0)),
            Self::Stable(least) => (least, None),
        }
    }
}

/// How a setting is read from [`SolverSettings`].
type Get<T> = fn(&SolverSettings) -> T;
/// How it is written.
type Set<T> = fn(&mut SolverSettings, T);

/// The type of a setting, and how it is read and written.
#[derive(Clone, Copy, Debug)]
pub enum SettingKind {
    /// Yes or no.
    Flag(Get<bool>, Set<bool>),
    /// An integer between bounds.
    Integer([u32; 2], Get<u32>, Set<u32>),
    /// A number; a time is in SI here.
    Real(Bounds, Get<f64>, Set<f64>),
    /// A time \[s\].
    Time(Bounds, Get<f64>, Set<f64>),
    /// One of these words, by its position.
    Word(&'static [&'static str], Get<usize>, Set<usize>),
    /// The pattern of Jacobians.
    Pattern,
}

/// All that others need to know of a setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingRow {
    /// Its name in a model; that of its variable is `solver.` and this.
    pub name: &'static str,
    /// What it is, for users of the FMU; empty: the FMU has no such parameter.
    pub description: &'static str,
    /// Its type, and how it is read and written.
    pub kind: SettingKind,
}

impl SettingRow {
    /// The row of a name.
    pub fn of(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|row| row.name == name)
    }

    /// The bounds of its numbers.
    pub fn bounds(&self) -> Option<Bounds> {
        match self.kind {
            SettingKind::Real(bounds, ..) | SettingKind::Time(bounds, ..) => Some(bounds),
            SettingKind::Integer([least, most], ..) => {
                Some(Bounds::Within(f64::from(least), f64::from(most)))
            }
            _ => None,
        }
    }
}

const fn row(name: &'static str, kind: SettingKind, description: &'static str) -> SettingRow {
    SettingRow {
        name,
        description,
        kind,
    }
}

/// The item of a list, or the present one.
fn item<T: Copy>(all: &[T], at: usize, present: T) -> T {
    all.get(at).copied().unwrap_or(present)
}

/// The position of an item in a list.
fn position<T: PartialEq>(all: &[T], item: &T) -> usize {
    all.iter().position(|other| other == item).unwrap_or(0)
}

/// More than zero; zero means none.
fn some(number: f64) -> Option<f64> {
    (number > 0.0).then_some(number)
}

const INTEGRATORS: [IntegratorKind; 4] = [
    IntegratorKind::Gstiff,
    IntegratorKind::Hht,
    IntegratorKind::Newmark,
    IntegratorKind::GeneralizedAlpha,
];
const FORMULATIONS: [Formulation; 2] = [Formulation::I3, Formulation::Si2];
const ARITHMETIC: [Arithmetic; 2] = [Arithmetic::Exact, Arithmetic::Fast];
const INPUT_BOUNDS: [InputBounds; 2] = [InputBounds::Clamp, InputBounds::Error];
const INPUT_COURSES: [InputCourse; 2] = [InputCourse::Hold, InputCourse::Linear];

/// All settings that have an effect, and the steps asked for.
pub const SETTINGS: &[SettingRow] = &[
    row(
        "integrator",
        SettingKind::Word(
            &["GSTIFF", "HHT", "NEWMARK", "GENALPHA"],
            |s| position(&INTEGRATORS, &s.integrator),
            |s, at| s.integrator = item(&INTEGRATORS, at, s.integrator),
        ),
        "Integrator",
    ),
    row(
        "formulation",
        SettingKind::Word(
            &["I3", "SI2"],
            |s| position(&FORMULATIONS, &s.formulation),
            |s, at| s.formulation = item(&FORMULATIONS, at, s.formulation),
        ),
        "Formulation of the constrained equations",
    ),
    row(
        "fixit",
        SettingKind::Integer(
            [1, SolverSettings::MAX_FIXIT],
            |s| u32::from(s.fixit),
            |s, n| s.fixit = u8::try_from(n).unwrap_or(s.fixit),
        ),
        "Number of Newton iterations in every integration step",
    ),
    row(
        "hratio",
        SettingKind::Integer([1, MAX_HRATIO], |s| s.hratio, |s, n| s.hratio = n),
        "Number of integration steps in the step of the experiment",
    ),
    row(
        "pattern",
        SettingKind::Pattern,
        "Iterations that evaluate the Jacobian (T) or reuse the last one (F); the list repeats",
    ),
    row(
        "maxerr",
        SettingKind::Real(
            Bounds::Positive,
            |s| if s.maxerr.is_finite() { s.maxerr } else { 0.0 },
            |s, x| s.maxerr = some(x).unwrap_or(f64::INFINITY),
        ),
        "Local error of a step, in user units, above which the run stops; 0: no limit",
    ),
    row(
        "hmin",
        SettingKind::Time(
            Bounds::Positive,
            |s| s.hmin.unwrap_or(0.0),
            |s, x| s.hmin = some(x),
        ),
        "",
    ),
    row(
        "hinit",
        SettingKind::Time(
            Bounds::Positive,
            |s| s.hinit.unwrap_or(0.0),
            |s, x| s.hinit = some(x),
        ),
        "Initial step of a variable-step solver; no effect, because the step is fixed; 0: not set",
    ),
    row(
        "hmax",
        SettingKind::Time(
            Bounds::Positive,
            |s| s.hmax.unwrap_or(0.0),
            |s, x| s.hmax = some(x),
        ),
        "Largest step of a variable-step solver; no effect, because the step is fixed; 0: not set",
    ),
    row(
        "alpha",
        // A third that is rounded is a third.
        SettingKind::Real(
            Bounds::Alpha,
            |s| s.alpha,
            |s, x| s.alpha = x.max(SolverSettings::LEAST_ALPHA),
        ),
        "Parameter of HHT, -1/3 to 0",
    ),
    row(
        "beta",
        SettingKind::Real(Bounds::Stable(LEAST_BETA), |s| s.beta, |s, x| s.beta = x),
        "Parameter of NEWMARK, (gamma + 0.5)^2/4 or more",
    ),
    row(
        "gamma",
        SettingKind::Real(Bounds::Stable(LEAST_GAMMA), |s| s.gamma, |s, x| s.gamma = x),
        "Parameter of NEWMARK, 0.5 or more",
    ),
    row(
        "rho",
        SettingKind::Real(Bounds::Within(0.0, 1.0), |s| s.rho, |s, x| s.rho = x),
        "Parameter of GENALPHA: spectral radius at infinite frequency, 0 to 1",
    ),
    row(
        "linearly_implicit",
        SettingKind::Flag(|s| s.linearly_implicit, |s, x| s.linearly_implicit = x),
        "One linear solution in every step; solver.fixit and solver.pattern have no effect",
    ),
    row(
        "guard",
        SettingKind::Flag(|s| s.guard.on, |s, x| s.guard.on = x),
        "Check every step and stop the run if its results are not credible",
    ),
    row(
        "equilibrium",
        SettingKind::Flag(|s| s.start.equilibrium, |s, x| s.start.equilibrium = x),
        "Find static equilibrium at the start",
    ),
    row(
        "ramp",
        SettingKind::Time(
            Bounds::NonNegative,
            |s| s.start.ramp,
            |s, x| s.start.ramp = x,
        ),
        "Duration of the ramp of loads at the start; 0: no ramp",
    ),
    row(
        "math",
        SettingKind::Word(
            &["exact", "fast"],
            |s| position(&ARITHMETIC, &s.math),
            |s, at| s.math = item(&ARITHMETIC, at, s.math),
        ),
        "",
    ),
    row(
        "lock_memory",
        SettingKind::Flag(|s| s.lock_memory, |s, x| s.lock_memory = x),
        "Lock the memory of the instance and of the library at the end of the initialization",
    ),
    row(
        "publish",
        SettingKind::Flag(|s| s.publish, |s, x| s.publish = x),
        "",
    ),
    row(
        "input_bounds",
        SettingKind::Word(
            &["clamp", "error"],
            |s| position(&INPUT_BOUNDS, &s.input_bounds),
            |s, at| s.input_bounds = item(&INPUT_BOUNDS, at, s.input_bounds),
        ),
        "",
    ),
    row(
        "input_course",
        SettingKind::Word(
            &["hold", "linear"],
            |s| position(&INPUT_COURSES, &s.input_course),
            |s, at| s.input_course = item(&INPUT_COURSES, at, s.input_course),
        ),
        "",
    ),
];
