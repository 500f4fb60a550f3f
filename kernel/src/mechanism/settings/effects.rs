//! Control plane: the settings that are given without effect, in either mode.

use super::{IntegratorKind, Mode, SolverSettings};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Settings of a variable step; those of its length are compared with the fixed step elsewhere.
const VARIABLE: [&str; 8] = [
    "hmin",
    "maxit",
    "error",
    "kmax",
    "corrector",
    "interpolate",
    "adaptivity",
    "eprint",
];
/// Settings of a fixed step.
const FIXED: [&str; 5] = ["fixit", "hratio", "linearly_implicit", "maxerr", "guard"];
/// Settings of any integration, besides those above.
const INTEGRATED: [&str; 7] = [
    "integrator",
    "formulation",
    "pattern",
    "alpha",
    "beta",
    "gamma",
    "rho",
];
/// Parameters of an integrator.
const OWN: [(&str, IntegratorKind); 4] = [
    ("alpha", IntegratorKind::Hht),
    ("beta", IntegratorKind::Newmark),
    ("gamma", IntegratorKind::Newmark),
    ("rho", IntegratorKind::GeneralizedAlpha),
];

/// What helps in a run that does not integrate.
const INSTANTS: &str = "leave it out, or integrate: set solver.mode to fixed or variable";

/// A setting without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// Its name.
    pub setting: &'static str,
    /// Why, after its name.
    pub why: String,
    /// What helps.
    pub remedy: &'static str,
}

impl SolverSettings {
    /// The settings that are given and have no effect.
    pub fn idle(&self) -> Vec<Idle> {
        let idle = |setting, why, remedy| Idle {
            setting,
            why,
            remedy,
        };
        let given = |setting: &str| self.given.has(setting);
        let mut all = Vec::new();
        if self.mode.solves_instants() {
            let mut names: Vec<&str> = VARIABLE.into_iter().chain(FIXED).collect();
            names.extend(INTEGRATED);
            names.push("hinit");
            if self.mode == Mode::Static {
                names.push("hmax");
            }
            let (why, remedy) = match self.mode {
                Mode::Kinematic => ("has no effect in a kinematic run", INSTANTS),
                _ => ("has no effect in a quasi-static run", INSTANTS),
            };
            let given = names.into_iter().filter(|setting| given(setting));
            all.extend(given.map(|setting| idle(setting, why.to_owned(), remedy)));
            return all;
        }
        let fixed = self.mode == Mode::Fixed;
        let (names, why, remedy): (&[&str], _, _) = if fixed {
            let remedy = "leave it out, or set solver.mode to variable";
            (&VARIABLE, "has no effect with a fixed step", remedy)
        } else {
            let remedy = "leave it out, or set solver.mode to fixed";
            (&FIXED, "has no effect with a variable step", remedy)
        };
        let idle_in_mode = names.iter().filter(|setting| given(setting));
        all.extend(idle_in_mode.map(|setting| idle(*setting, why.to_owned(), remedy)));
        let integrator = self.integrator;
        let name = integrator.name();
        for (setting, owner) in OWN {
            if given(setting) && integrator != owner {
                let why = format!("has no effect with {name}: it belongs to {}", owner.name());
                all.push(idle(setting, why, "leave it out"));
            }
        }
        if fixed {
            if self.linearly_implicit {
                let once = |setting| {
                    let why = "has no effect with linearly_implicit, which makes one iteration with its own Jacobian";
                    idle(setting, why.to_owned(), "leave it out")
                };
                all.extend(
                    ["fixit", "pattern"]
                        .into_iter()
                        .filter(|s| given(s))
                        .map(once),
                );
            }
            return all;
        }
        if given("kmax") && !integrator.is_backward() {
            let why = format!("has no effect with {name}, whose order does not change");
            all.push(idle("kmax", why, "leave it out"));
        }
        let adapts = [IntegratorKind::Gstiff, IntegratorKind::Hht].contains(&integrator);
        if given("adaptivity") && !adapts {
            let why = format!("has no effect with {name}: it belongs to GSTIFF and HHT");
            all.push(idle("adaptivity", why, "leave it out"));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(mode: Mode, integrator: IntegratorKind, names: &[&str]) -> Vec<&'static str> {
        let mut settings = SolverSettings {
            mode,
            integrator,
            ..SolverSettings::default()
        };
        for name in names {
            settings.given.add(name);
        }
        settings.idle().iter().map(|idle| idle.setting).collect()
    }

    #[test]
    fn each_mode_names_the_settings_of_the_other() {
        use IntegratorKind::{GeneralizedAlpha, Gstiff, Hastiff, Hht, Newmark, Wstiff};
        let all: Vec<&str> = VARIABLE.into_iter().chain(FIXED).collect();
        assert_eq!(told(Mode::Fixed, Gstiff, &all), VARIABLE);
        assert_eq!(told(Mode::Variable, Gstiff, &all), FIXED);
        assert_eq!(told(Mode::Variable, Hht, &[]), [""; 0]);
        let instants = ["error", "hratio", "integrator", "rho", "hmax"];
        assert_eq!(told(Mode::Kinematic, Gstiff, &instants), instants[..4]);
        assert_eq!(told(Mode::Static, Gstiff, &instants), instants);
        let more = ["kmax", "adaptivity"];
        for integrator in [Gstiff, Hht, Newmark, GeneralizedAlpha, Wstiff, Hastiff] {
            let found = told(Mode::Variable, integrator, &more);
            let has = |name: &str| !found.contains(&name);
            assert_eq!(has("kmax"), [Gstiff, Wstiff, Hastiff].contains(&integrator));
            assert_eq!(has("adaptivity"), [Gstiff, Hht].contains(&integrator));
        }
        let mut linear = SolverSettings {
            linearly_implicit: true,
            ..SolverSettings::default()
        };
        for name in ["linearly_implicit", "fixit", "pattern"] {
            linear.given.add(name);
        }
        let idle = |settings: &SolverSettings| -> Vec<&'static str> {
            settings.idle().iter().map(|idle| idle.setting).collect()
        };
        assert_eq!(idle(&linear), ["fixit", "pattern"]);
        linear.linearly_implicit = false;
        assert_eq!(idle(&linear), [""; 0]);
        let own = ["alpha", "beta", "gamma", "rho"];
        assert_eq!(told(Mode::Variable, Hht, &own), ["beta", "gamma", "rho"]);
        assert_eq!(told(Mode::Fixed, Newmark, &own), ["alpha", "rho"]);
    }
}
