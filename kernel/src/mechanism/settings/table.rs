//! Control plane: [`SETTINGS`], a row for each setting.

use super::variable::{Corrector, Interpolation};
use super::{
    Arithmetic, Formulation, InputBounds, InputCourse, IntegratorKind, LEAST_BETA, LEAST_GAMMA,
    MAX_HRATIO, Mode, SolverSettings, variable,
};
use serde::{Deserialize, Serialize};

/// The least ERROR: positions of a metre are rounded to 1e-16 m, and a step adds up some of them.
const LEAST_ERROR: f64 = 1e-14;

/// Which numbers a setting may have.
#[derive(Clone, Copy, Debug)]
pub enum Bounds {
    /// More than zero.
    Positive,
    /// So much or more: less cannot be computed in double precision.
    Precision(f64),
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
            Self::Positive | Self::Precision(_) | Self::NonNegative => (0.0, None),
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

/// Which settings the user has given: in the model, on the command line or as parameters of the FMU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given(pub u64);

impl Given {
    /// The mark of a setting: its row in [`SETTINGS`].
    fn mark(name: &str) -> u64 {
        let row = SETTINGS.iter().position(|row| row.name == name);
        row.map_or(0, |at| 1 << at)
    }

    /// A setting is given.
    pub fn add(&mut self, name: &str) {
        self.0 |= Self::mark(name);
    }

    /// A setting is no longer given.
    pub fn remove(&mut self, name: &str) {
        self.0 &= !Self::mark(name);
    }

    /// Is a setting given?
    pub fn has(self, name: &str) -> bool {
        self.0 & Self::mark(name) != 0
    }
}

impl SettingRow {
    /// The row of a name.
    pub fn of(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|row| row.name == name)
    }

    /// Makes it the default, as if it were not given.
    pub fn reset(&self, settings: &mut SolverSettings) {
        let default = SolverSettings::default();
        match self.kind {
            SettingKind::Flag(get, set) => set(settings, get(&default)),
            SettingKind::Integer(_, get, set) => set(settings, get(&default)),
            SettingKind::Real(_, get, set) | SettingKind::Time(_, get, set) => {
                set(settings, get(&default));
            }
            SettingKind::Word(_, get, set) => set(settings, get(&default)),
            SettingKind::Pattern => settings.pattern = default.pattern,
        }
        settings.given.remove(self.name);
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

const MODES: [Mode; 4] = [Mode::Fixed, Mode::Variable, Mode::Kinematic, Mode::Static];
const INTEGRATORS: [IntegratorKind; 6] = [
    IntegratorKind::Gstiff,
    IntegratorKind::Hht,
    IntegratorKind::Newmark,
    IntegratorKind::GeneralizedAlpha,
    IntegratorKind::Wstiff,
    IntegratorKind::Hastiff,
];
const FORMULATIONS: [Formulation; 3] = [Formulation::I3, Formulation::Si2, Formulation::Si1];
const INTERPOLATIONS: [Interpolation; 3] = [
    Interpolation::On,
    Interpolation::Off,
    Interpolation::Reconcile,
];
const CORRECTORS: [Corrector; 3] = [
    Corrector::Original,
    Corrector::Modified,
    Corrector::OriginalConstant,
];
const ARITHMETIC: [Arithmetic; 2] = [Arithmetic::Exact, Arithmetic::Fast];
const INPUT_BOUNDS: [InputBounds; 2] = [InputBounds::Clamp, InputBounds::Error];
const INPUT_COURSES: [InputCourse; 2] = [InputCourse::Hold, InputCourse::Linear];

/// All settings.
pub const SETTINGS: &[SettingRow] = &[
    row(
        "integrator",
        SettingKind::Word(
            &["GSTIFF", "HHT", "NEWMARK", "GENALPHA", "WSTIFF", "HASTIFF"],
            |s| position(&INTEGRATORS, &s.integrator),
            |s, at| s.integrator = item(&INTEGRATORS, at, s.integrator),
        ),
        "Integrator",
    ),
    row(
        "formulation",
        SettingKind::Word(
            &["I3", "SI2", "SI1"],
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
        "Smallest variable step; 0: the default of the integrator",
    ),
    row(
        "hinit",
        SettingKind::Time(
            Bounds::Positive,
            |s| s.hinit.unwrap_or(0.0),
            |s, x| s.hinit = some(x),
        ),
        "First variable step; 0: the default",
    ),
    row(
        "hmax",
        SettingKind::Time(
            Bounds::Positive,
            |s| s.hmax.unwrap_or(0.0),
            |s, x| s.hmax = some(x),
        ),
        "Largest variable step; 0: the default",
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
    row(
        "mode",
        SettingKind::Word(
            &["fixed", "variable", "kinematic", "static"],
            |s| position(&MODES, &s.mode),
            |s, at| s.mode = item(&MODES, at, s.mode),
        ),
        "Fixed step; or, not for real time: variable step, kinematic run, quasi-static run",
    ),
    row(
        "error",
        SettingKind::Real(
            Bounds::Precision(LEAST_ERROR),
            |s| s.error.unwrap_or(0.0),
            |s, x| s.error = some(x),
        ),
        "Largest local error of a variable step, in user units; 0: the default of the integrator",
    ),
    row(
        "kmax",
        SettingKind::Integer(
            [1, variable::ORDERS as u32],
            |s| u32::from(s.kmax),
            |s, n| s.kmax = u8::try_from(n).unwrap_or(s.kmax),
        ),
        "Highest order of a variable step with GSTIFF, WSTIFF and HASTIFF",
    ),
    row(
        "maxit",
        SettingKind::Integer(
            [1, variable::ITERATIONS as u32],
            |s| u32::from(s.maxit),
            |s, n| s.maxit = u8::try_from(n).unwrap_or(s.maxit),
        ),
        "Largest number of Newton iterations of a variable step",
    ),
    row(
        "interpolate",
        SettingKind::Word(
            &["on", "off", "reconcile"],
            |s| position(&INTERPOLATIONS, &s.interpolate),
            |s, at| s.interpolate = item(&INTERPOLATIONS, at, s.interpolate),
        ),
        "Whether variable steps pass the points of output",
    ),
    row(
        "corrector",
        SettingKind::Word(
            &["original", "modified", "orig_constant"],
            |s| position(&CORRECTORS, &s.corrector),
            |s, at| s.corrector = item(&CORRECTORS, at, s.corrector),
        ),
        "Which unknowns must converge in a variable step",
    ),
    row(
        "adaptivity",
        SettingKind::Time(
            Bounds::NonNegative,
            |s| s.adaptivity,
            |s, x| s.adaptivity = x,
        ),
        "This divided by the step is added to the tolerance of the corrector at tiny variable steps with GSTIFF and HHT",
    ),
    row(
        "eprint",
        SettingKind::Flag(|s| s.eprint, |s, x| s.eprint = x),
        "",
    ),
];
