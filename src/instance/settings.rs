//! Control plane: solver settings as FMI parameters.

use fixstep_kernel::mechanism::{SettingKind, SolverSettings};
use fixstep_variables::Setting;
use fixstep_variables::settings::pattern_text;

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
        match kind(setting) {
            Some(SettingKind::Real(_, get, _)) => get(&self.solver),
            Some(SettingKind::Time(_, get, _)) => get(&self.solver) / self.time_factor,
            _ => 0.0,
        }
    }

    /// Sets a real setting; the value has passed the limits of its variable.
    pub fn set_real(&mut self, setting: Setting, value: f64) {
        if self.real(setting) == value {
            return;
        }
        self.give(setting);
        match kind(setting) {
            Some(SettingKind::Real(_, _, set)) => set(&mut self.solver, value),
            Some(SettingKind::Time(_, _, set)) => set(&mut self.solver, value * self.time_factor),
            _ => {}
        }
    }

    /// An integer or enumeration setting; items are counted from 1.
    pub fn integer(&self, setting: Setting) -> i64 {
        match kind(setting) {
            Some(SettingKind::Integer(_, get, _)) => i64::from(get(&self.solver)),
            Some(SettingKind::Word(_, get, _)) => get(&self.solver) as i64 + 1,
            _ => 0,
        }
    }

    /// Sets an integer or enumeration setting; the value has passed the limits of its variable.
    pub fn set_integer(&mut self, setting: Setting, value: i64) {
        if self.integer(setting) == value {
            return;
        }
        self.give(setting);
        match kind(setting) {
            Some(SettingKind::Integer(_, _, set)) => {
                if let Ok(value) = u32::try_from(value) {
                    set(&mut self.solver, value);
                }
            }
            Some(SettingKind::Word(_, _, set)) => {
                if let Ok(item) = usize::try_from(value - 1) {
                    set(&mut self.solver, item);
                }
            }
            _ => {}
        }
        let solver = &mut self.solver;
        if setting == Setting::Integrator && !solver.given.has("formulation") {
            solver.formulation = solver.integrator.formulations()[0];
        }
    }

    /// A text setting.
    pub fn text(&self, setting: Setting) -> String {
        match kind(setting) {
            Some(SettingKind::Pattern) => pattern_text(&self.solver.pattern),
            _ => String::new(),
        }
    }

    /// Sets a text setting, or says what would be valid.
    pub fn set_text(&mut self, setting: Setting, text: &str) -> Result<(), String> {
        if let Some(SettingKind::Pattern) = kind(setting) {
            let pattern = SolverSettings::pattern_from(text)
                .map_err(|problem| format!("{}: {problem}", setting.name()))?;
            if pattern != self.solver.pattern {
                self.give(setting);
                self.solver.pattern = pattern;
            }
        }
        Ok(())
    }

    /// A setting is given, by a value that differs from the present one. Importers often set parameters to the values
    /// that they have.
    fn give(&mut self, setting: Setting) {
        if let Some(row) = setting.row() {
            self.solver.given.add(row.name);
        }
    }

    /// A boolean setting.
    pub fn boolean(&self, setting: Setting) -> bool {
        match kind(setting) {
            Some(SettingKind::Flag(get, _)) => get(&self.solver),
            Some(_) => false,
            None => self.include_first,
        }
    }

    /// Sets a boolean setting.
    pub fn set_boolean(&mut self, setting: Setting, value: bool) {
        if self.boolean(setting) == value {
            return;
        }
        self.give(setting);
        match kind(setting) {
            Some(SettingKind::Flag(_, set)) => set(&mut self.solver, value),
            Some(_) => {}
            None => self.include_first = value,
        }
    }
}

/// How a setting of the solver is read and written; `None` for `rti.include_first_step`.
fn kind(setting: Setting) -> Option<SettingKind> {
    setting.row().map(|row| row.kind)
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
