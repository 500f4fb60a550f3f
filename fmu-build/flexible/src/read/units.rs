//! Control plane: the units of a finite-element model. Its files do not name them, so the user does (`mm-t-s`).

use fixstep_model::unit_factor;
use std::str::FromStr;

/// The size of a file's units in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Unit of length \[m\].
    pub length: f64,
    /// Unit of mass \[kg\].
    pub mass: f64,
    /// Unit of time \[s\].
    pub time: f64,
}

impl Default for Units {
    fn default() -> Self {
        Self {
            length: 1.0,
            mass: 1.0,
            time: 1.0,
        }
    }
}

impl FromStr for Units {
    type Err = String;

    /// `mm-t-s`: length, mass, time.
    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split('-').map(str::trim).collect();
        let [length, mass, time] = words[..] else {
            return Err(format!(
                "{text:?}: expected LENGTH-MASS-TIME, such as mm-t-s"
            ));
        };
        Ok(Self {
            length: unit_factor("length", length)?,
            mass: unit_factor("mass", mass)?,
            time: unit_factor("time", time)?,
        })
    }
}

impl Units {
    /// Factor to SI of a stiffness between two directions (0 to 2 translations, 3 to 5 rotations).
    pub fn stiffness(&self, a: usize, b: usize) -> f64 {
        self.inertia(a, b) / (self.time * self.time)
    }

    /// Factor to SI of a stress or a modulus.
    pub fn pressure(&self) -> f64 {
        self.mass / (self.length * self.time * self.time)
    }

    /// Factor to SI of a mass between two directions.
    pub fn inertia(&self, a: usize, b: usize) -> f64 {
        let rotation = |direction| if direction > 2 { self.length } else { 1.0 };
        self.mass * rotation(a) * rotation(b)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn millimetre_tonne_second_is_newton_and_megapascal() {
        let units: Units = "mm-t-s".parse().unwrap();
        // N/mm, N and N mm per radian; t and t mm².
        assert_eq!(units.stiffness(0, 2), 1000.0);
        assert_eq!(units.stiffness(1, 4), 1.0);
        assert!((units.pressure() / 1e6 - 1.0).abs() < 1e-15);
        assert!((units.stiffness(3, 5) - 1e-3).abs() < 1e-18);
        assert_eq!(units.inertia(1, 1), 1000.0);
        assert!((units.inertia(3, 3) - 1e-3).abs() < 1e-18);
    }

    #[test]
    fn pounds_and_inches() {
        let units: Units = "in-slinch-s".parse().unwrap();
        // 1 lbf/in = 175.126 835 N/m.
        assert!((units.stiffness(0, 0) - 175.126_835).abs() < 1e-6);
    }

    #[test]
    fn unknown_units_are_refused_with_what_is_valid() {
        for (text, part) in [
            ("mm", "LENGTH-MASS-TIME"),
            ("mm-N-s", "slinch"),
            ("m-kg-day", "ms"),
        ] {
            let error = text.parse::<Units>().unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
