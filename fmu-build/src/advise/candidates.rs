//! Control plane: the settings of the fixed step that are tried.

use fixstep_kernel::mechanism::{IntegratorKind, SolverSettings};
use fixstep_variables::settings::{INTEGRATORS, integrator_item};

/// A scheme with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scheme {
    /// Its name, as results show it.
    name: &'static str,
    integrator: &'static str,
    formulation: &'static str,
    /// Its parameters: name and value.
    parameters: &'static [(&'static str, &'static str)],
}

const fn scheme(
    name: &'static str,
    integrator: &'static str,
    parameters: &'static [(&'static str, &'static str)],
) -> Scheme {
    Scheme {
        name,
        integrator,
        formulation: "I3",
        parameters,
    }
}

/// All schemes. Those that leave the highest frequencies undamped are left out: multipliers have such frequencies.
const SCHEMES: [Scheme; 10] = [
    scheme("GSTIFF I3", "GSTIFF", &[]),
    Scheme {
        formulation: "SI2",
        ..scheme("GSTIFF SI2", "GSTIFF", &[])
    },
    scheme("HHT alpha -0.05", "HHT", &[("alpha", "-0.05")]),
    scheme("HHT alpha -0.1", "HHT", &[("alpha", "-0.1")]),
    scheme("HHT alpha -0.3", "HHT", &[("alpha", "-0.3")]),
    scheme(
        "NEWMARK gamma 0.55",
        "NEWMARK",
        &[("gamma", "0.55"), ("beta", "0.275625")],
    ),
    scheme(
        "NEWMARK gamma 0.7",
        "NEWMARK",
        &[("gamma", "0.7"), ("beta", "0.36")],
    ),
    scheme("GENALPHA rho 0.5", "GENALPHA", &[("rho", "0.5")]),
    scheme("GENALPHA rho 0.8", "GENALPHA", &[("rho", "0.8")]),
    scheme("GENALPHA rho 0.9", "GENALPHA", &[("rho", "0.9")]),
];

/// How a step is solved: name, iterations, pattern; no iterations: linearly implicit.
const SOLUTIONS: [(&str, u8, &str); 6] = [
    ("linearly implicit", 0, "T"),
    ("fixit 1", 1, "T"),
    ("fixit 2 T:F", 2, "T:F"),
    ("fixit 2 T", 2, "T"),
    ("fixit 3 T:F:F", 3, "T:F:F"),
    ("fixit 3 T", 3, "T"),
];

/// Settings of the fixed step.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Scheme and solution in words, without the step; the model's own settings are [`OWN`].
    pub family: String,
    /// Integration steps in a communication step.
    pub hratio: u32,
    /// The settings by their names in a model, with the values as a user writes them.
    pub settings: Vec<(String, String)>,
}

/// The family of the model's own settings.
pub const OWN: &str = "the model's own settings";

impl Candidate {
    /// The names of the variables of the FMU that these settings have, with their values.
    pub fn variables(&self) -> Vec<(String, String)> {
        let named = self.settings.iter();
        named
            .map(|(name, value)| (format!("solver.{name}"), value.clone()))
            .collect()
    }

    /// The same with another division of the communication step.
    #[must_use]
    pub fn divided(&self, hratio: u32) -> Self {
        let mut all = self.clone();
        all.hratio = hratio;
        for (name, value) in &mut all.settings {
            if name == "hratio" {
                *value = hratio.to_string();
            }
        }
        all
    }

    /// What it is called among all.
    pub fn name(&self) -> String {
        format!("{}, hratio {}", self.family, self.hratio)
    }
}

/// The divisions of the communication step that are tried if none are given: around the model's own.
pub fn divisions(own: u32) -> Vec<u32> {
    let least = (own / 4).max(1);
    let mut all: Vec<u32> = [1, 2, 4, 8].map(|by| least.saturating_mul(by)).to_vec();
    if !all.contains(&own) {
        all.push(own);
        all.sort_unstable();
    }
    all
}

/// All candidates: the model's own settings first, then scheme by scheme.
pub fn all(own: &SolverSettings, hratios: &[u32]) -> Vec<Candidate> {
    let mut found = vec![own_settings(own.hratio)];
    let others = hratios.iter().filter(|hratio| **hratio != own.hratio);
    found.extend(others.map(|hratio| own_settings(*hratio)));
    for scheme in &SCHEMES {
        for solution in &SOLUTIONS {
            found.extend(
                hratios
                    .iter()
                    .map(|hratio| candidate(scheme, solution, *hratio)),
            );
        }
    }
    found
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn candidate(scheme: &Scheme, (name, fixit, pattern): &(&str, u8, &str), hratio: u32) -> Candidate {
    let mut settings = owned(&[
        ("mode", "fixed"),
        ("integrator", scheme.integrator),
        ("formulation", scheme.formulation),
    ]);
    settings.extend(owned(scheme.parameters));
    let implicit = *fixit == 0;
    settings.extend(owned(&[
        ("linearly_implicit", if implicit { "true" } else { "false" }),
        ("fixit", &(*fixit).max(1).to_string()),
        ("pattern", pattern),
        ("hratio", &hratio.to_string()),
    ]));
    Candidate {
        family: format!("{}, {name}", scheme.name),
        hratio,
        settings,
    }
}

fn own_settings(hratio: u32) -> Candidate {
    Candidate {
        family: OWN.to_owned(),
        hratio,
        settings: owned(&[("hratio", &hratio.to_string())]),
    }
}

/// The model's own settings in words.
pub fn in_words(own: &SolverSettings) -> String {
    let at = usize::try_from(integrator_item(own.integrator) - 1).unwrap_or(0);
    let name = INTEGRATORS.get(at).map_or("", |(name, _)| *name);
    let parameter = match own.integrator {
        IntegratorKind::Gstiff | IntegratorKind::Wstiff | IntegratorKind::Hastiff => {
            format!("{:?}", own.formulation).to_uppercase()
        }
        IntegratorKind::Hht => format!("alpha {}", own.alpha),
        IntegratorKind::Newmark => format!("gamma {}", own.gamma),
        IntegratorKind::GeneralizedAlpha => format!("rho {}", own.rho),
    };
    let solution = if own.linearly_implicit {
        "linearly implicit".to_owned()
    } else {
        let used = own.pattern.iter().cycle().take(usize::from(own.fixit));
        let letters: Vec<&str> = used.map(|t| if *t { "T" } else { "F" }).collect();
        format!("fixit {} {}", own.fixit, letters.join(":"))
    };
    format!("{name} {parameter}, {solution}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_has_a_name_of_its_own_and_settings_that_are_valid() {
        let own = SolverSettings::default();
        let found = all(&own, &[1, 2]);
        assert_eq!(found.len(), 2 * (1 + SCHEMES.len() * SOLUTIONS.len()));
        let mut names: Vec<String> = found.iter().map(Candidate::name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), found.len());
        for candidate in &found {
            let value = |wanted: &str| {
                let mut all = candidate.settings.iter();
                all.find(|(name, _)| name == wanted).map(|(_, value)| value)
            };
            let number = |wanted: &str, default: f64| {
                value(wanted).map_or(default, |text| text.parse().unwrap_or(f64::NAN))
            };
            let settings = SolverSettings {
                fixit: number("fixit", 3.0) as u8,
                alpha: number("alpha", own.alpha),
                beta: number("beta", own.beta),
                gamma: number("gamma", own.gamma),
                rho: number("rho", own.rho),
                pattern: value("pattern").map_or_else(Vec::new, |text| {
                    SolverSettings::pattern_from(text).unwrap_or_default()
                }),
                ..own.clone()
            };
            let problems = settings.problems();
            let is_own = candidate.family == OWN;
            assert!(is_own || problems.is_empty(), "{candidate:?} {problems:?}");
        }
    }

    #[test]
    fn divisions_are_around_the_own_one() {
        assert_eq!(divisions(1), [1, 2, 4, 8]);
        assert_eq!(divisions(4), [1, 2, 4, 8]);
        assert_eq!(divisions(5), [1, 2, 4, 5, 8]);
        assert_eq!(divisions(2000), [500, 1000, 2000, 4000]);
    }

    #[test]
    fn own_settings_are_told_in_the_same_words_as_others() {
        let own = SolverSettings::default();
        assert_eq!(in_words(&own), "HHT alpha -0.3, fixit 3 T:F:F");
    }
}
