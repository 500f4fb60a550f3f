//! Control plane: solver settings as FMI parameters.

use fixstep_kernel::mechanism::SolverSettings;
use fixstep_variables::Setting;
use fixstep_variables::settings::{
    formulation_item, formulation_of_item, integrator_item, integrator_of_item, pattern_text,
};

/// The settings that were set on an instance; they reach the simulation at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Those of the solver.
    pub solver: SolverSettings,
    /// Count the first step in the Real Time Index.
    pub include_first: bool,
    /// Seconds per user time unit.
    pub time_factor: f64,
    /// The named texts of the model.
    pub texts: Vec<String>,
}

impl Settings {
    /// The settings of a model.
    pub fn new(solver: SolverSettings, time_factor: f64) -> Self {
        Self {
            solver,
            include_first: false,
            time_factor,
            texts: Vec::new(),
        }
    }

    /// A real setting in user units.
    pub fn real(&self, setting: Setting) -> f64 {
        let user_time = |seconds: Option<f64>| seconds.map_or(0.0, |s| s / self.time_factor);
        match setting {
            Setting::Maxerr if self.solver.maxerr.is_finite() => self.solver.maxerr,
            Setting::Hinit => user_time(self.solver.hinit),
            Setting::Hmax => user_time(self.solver.hmax),
            Setting::Ramp => self.solver.start.ramp / self.time_factor,
            Setting::Alpha => self.solver.alpha,
            Setting::Beta => self.solver.beta,
            Setting::Gamma => self.solver.gamma,
            Setting::Rho => self.solver.rho,
            _ => 0.0,
        }
    }

    /// Sets a real setting; the value has passed the limits of its variable.
    pub fn set_real(&mut self, setting: Setting, value: f64) {
        let seconds = (value > 0.0).then_some(value * self.time_factor);
        match setting {
            Setting::Maxerr if value > 0.0 => self.solver.maxerr = value,
            Setting::Maxerr => self.solver.maxerr = f64::INFINITY,
            Setting::Hinit => self.solver.hinit = seconds,
            Setting::Hmax => self.solver.hmax = seconds,
            Setting::Ramp => self.solver.start.ramp = value * self.time_factor,
            // A third that is rounded is a third.
            Setting::Alpha => self.solver.alpha = value.max(SolverSettings::LEAST_ALPHA),
            Setting::Beta => self.solver.beta = value,
            Setting::Gamma => self.solver.gamma = value,
            Setting::Rho => self.solver.rho = value,
            _ => {}
        }
    }

    /// An integer or enumeration setting.
    pub fn integer(&self, setting: Setting) -> i64 {
        match setting {
            Setting::Integrator => integrator_item(self.solver.integrator),
            Setting::Formulation => formulation_item(self.solver.formulation),
            Setting::Fixit => i64::from(self.solver.fixit),
            Setting::Hratio => i64::from(self.solver.hratio),
            _ => 0,
        }
    }

    /// Sets an integer or enumeration setting; the value has passed the limits of its variable.
    pub fn set_integer(&mut self, setting: Setting, value: i64) {
        let solver = &mut self.solver;
        match setting {
            Setting::Integrator => {
                solver.integrator = integrator_of_item(value).unwrap_or(solver.integrator);
            }
            Setting::Formulation => {
                solver.formulation = formulation_of_item(value).unwrap_or(solver.formulation);
            }
            Setting::Fixit => solver.fixit = u8::try_from(value).unwrap_or(solver.fixit),
            Setting::Hratio => solver.hratio = u32::try_from(value).unwrap_or(solver.hratio),
            _ => {}
        }
    }

    /// A text setting.
    pub fn text(&self, setting: Setting) -> String {
        match setting {
            Setting::Pattern => pattern_text(&self.solver.pattern),
            _ => String::new(),
        }
    }

    /// Sets a text setting, or says what would be valid.
    pub fn set_text(&mut self, setting: Setting, text: &str) -> Result<(), String> {
        if setting == Setting::Pattern {
            self.solver.pattern = SolverSettings::pattern_from(text)
                .map_err(|problem| format!("solver.pattern: {problem}"))?;
        }
        Ok(())
    }

    /// A boolean setting.
    pub fn boolean(&self, setting: Setting) -> bool {
        match setting {
            Setting::RtiIncludeFirstStep => self.include_first,
            Setting::LinearlyImplicit => self.solver.linearly_implicit,
            Setting::Guard => self.solver.guard.on,
            Setting::Equilibrium => self.solver.start.equilibrium,
            Setting::LockMemory => self.solver.lock_memory,
            _ => false,
        }
    }

    /// Sets a boolean setting.
    pub fn set_boolean(&mut self, setting: Setting, value: bool) {
        match setting {
            Setting::RtiIncludeFirstStep => self.include_first = value,
            Setting::LinearlyImplicit => self.solver.linearly_implicit = value,
            Setting::Guard => self.solver.guard.on = value,
            Setting::Equilibrium => self.solver.start.equilibrium = value,
            Setting::LockMemory => self.solver.lock_memory = value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn every_setting_reads_back() {
        let mut settings = Settings::new(SolverSettings::default(), 1e-3);
        assert_eq!(settings.real(Setting::Maxerr), 0.0);
        settings.set_real(Setting::Maxerr, 0.5);
        settings.set_real(Setting::Hinit, 2.0);
        settings.set_integer(Setting::Fixit, 7);
        settings.set_integer(Setting::Hratio, 4);
        settings.set_boolean(Setting::RtiIncludeFirstStep, true);
        settings.set_text(Setting::Pattern, "T:F").unwrap();
        assert_eq!(settings.real(Setting::Maxerr), 0.5);
        assert_eq!(settings.real(Setting::Hinit), 2.0);
        assert_eq!(settings.solver.hinit, Some(2e-3));
        assert_eq!(settings.real(Setting::Hmax), 0.0);
        assert_eq!(settings.integer(Setting::Fixit), 7);
        assert_eq!(settings.integer(Setting::Hratio), 4);
        assert!(settings.boolean(Setting::RtiIncludeFirstStep));
        assert_eq!(settings.text(Setting::Pattern), "T:F");
        settings.set_boolean(Setting::LinearlyImplicit, true);
        assert!(settings.boolean(Setting::LinearlyImplicit));
        settings.set_boolean(Setting::LockMemory, true);
        assert!(settings.boolean(Setting::LockMemory) && settings.solver.lock_memory);
        settings.set_boolean(Setting::Equilibrium, true);
        settings.set_real(Setting::Ramp, 500.0);
        assert!(settings.boolean(Setting::Equilibrium));
        assert_eq!(settings.real(Setting::Ramp), 500.0);
        assert_eq!(settings.solver.start.ramp, 0.5);
        assert!(settings.solver.linearly_implicit && settings.solver.iterations() == 1);
        settings.set_real(Setting::Maxerr, 0.0);
        settings.set_real(Setting::Hinit, 0.0);
        assert_eq!(settings.solver.maxerr, f64::INFINITY);
        assert_eq!(settings.solver.hinit, None);
    }

    #[test]
    fn a_bad_pattern_changes_nothing() {
        let mut settings = Settings::new(SolverSettings::default(), 1.0);
        let before = settings.clone();
        assert!(settings.set_text(Setting::Pattern, "T:X").is_err());
        assert_eq!(settings, before);
    }
}
