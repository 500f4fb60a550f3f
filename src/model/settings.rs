//! Control plane: solver settings and the default experiment, validated.

/// Integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegratorKind {
    /// Gear's stiff method; in fixed step, backward Euler.
    Gstiff,
}

/// Formulations of the constrained equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// Index 3: position constraints.
    I3,
}

/// Solver settings, validated.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverSettings {
    /// Integrator.
    pub integrator: IntegratorKind,
    /// Formulation.
    pub formulation: Formulation,
    /// Newton iterations per step, 1..=10.
    pub fixit: u8,
    /// Integration steps per communication step, 1 or more.
    pub hratio: u32,
    /// Jacobian pattern over the iterations of a step, 1..=10 entries, repeated.
    pub pattern: Vec<bool>,
    /// Local error that stops the run, in user units (`f64::INFINITY`: never).
    pub maxerr: f64,
    /// Initial step asked for \[s\]; clipped to DTOUT/HRATIO.
    pub hinit: Option<f64>,
    /// Largest step asked for \[s\]; ignored below DTOUT/HRATIO.
    pub hmax: Option<f64>,
    /// Settings that fixed step accepts and ignores, as (name, text), for one message each.
    pub ignored: Vec<(String, String)>,
}

impl Default for SolverSettings {
    fn default() -> Self {
        const T: bool = true;
        const F: bool = false;
        Self {
            integrator: IntegratorKind::Gstiff,
            formulation: Formulation::I3,
            fixit: 3,
            hratio: 1,
            pattern: vec![T, F, F, F, T, F, F, F, T, F],
            maxerr: f64::INFINITY,
            hinit: None,
            hmax: None,
            ignored: Vec::new(),
        }
    }
}

/// Default experiment \[s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experiment {
    /// Start time \[s\].
    pub start: f64,
    /// Stop time \[s\].
    pub stop: f64,
    /// Communication step DTOUT \[s\].
    pub step: f64,
}

impl SolverSettings {
    /// Most entries of a pattern.
    pub const MAX_PATTERN: usize = 10;

    /// A Jacobian pattern such as `T:F:F`; entries are T, F, TRUE or FALSE in either case.
    pub fn pattern_from(text: &str) -> Result<Vec<bool>, String> {
        let entries: Vec<&str> = text.split(':').map(str::trim).collect();
        if entries.len() > Self::MAX_PATTERN {
            return Err(format!(
                "{} entries; a pattern has 1 to {}",
                entries.len(),
                Self::MAX_PATTERN
            ));
        }
        let mut pattern = Vec::with_capacity(entries.len());
        for entry in entries {
            pattern.push(match entry.to_ascii_uppercase().as_str() {
                "T" | "TRUE" => true,
                "F" | "FALSE" => false,
                _ => {
                    return Err(format!(
                        "{entry:?} is not an entry of a pattern; valid: T and F separated by \
                         colons, such as \"T:F:F\""
                    ));
                }
            });
        }
        if pattern.contains(&true) {
            Ok(pattern)
        } else {
            Err(
                "all entries are F: the Jacobian would never be evaluated; one must be T"
                    .to_owned(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_in_both_spellings() {
        let default = SolverSettings::default().pattern;
        assert_eq!(
            SolverSettings::pattern_from("T:F:F:F:T:F:F:F:T:F"),
            Ok(default)
        );
        assert_eq!(
            SolverSettings::pattern_from("true:FALSE"),
            Ok(vec![true, false])
        );
        assert!(
            SolverSettings::pattern_from("F:F").is_err_and(|m| m.contains("all entries are F"))
        );
        assert!(SolverSettings::pattern_from("").is_err_and(|m| m.contains("not an entry")));
        assert!(
            SolverSettings::pattern_from(&"T:".repeat(11)).is_err_and(|m| m.contains("12 entries"))
        );
    }
}
