//! Control plane: assesses a run at its communication points: energy balance, violations of joints, convergence of
//! the iteration; and describes the result in words.

use std::fmt::Write as _;

use fixstep_kernel::math::{exp, ln};
use fixstep_kernel::mechanism::{Culprit, IntegratorKind, Mode, SolverSettings, Watched, called};
use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::{Figure, Simulation};
use serde::Serialize;

use super::scales::Scales;
use super::scheme;
use super::words::round;

/// Corrections below this are rounding errors, in lengths of the mechanism and radians.
const ROUNDING: f64 = 1e-9;
/// Corrections below this do not count as decreasing.
const LEAST: f64 = 1e-9;
/// A pull below this part of the weight of all parts is no lifting off.
const LIFTED: f64 = 1e-3;
/// Energy below this fraction of the energy exchanged is rounding error.
const NOTHING: f64 = 1e-12;
/// Energy exchanged below this fraction of a negligible energy is noise.
const NOISE: f64 = 1e-3;
/// A correction above this fraction of the one before has not converged.
const UNSETTLED: f64 = 0.1;
/// The largest share of the exchanged energy that the scheme may dissipate or add without a warning.
const MOST: f64 = 0.05;

/// The assessment of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Account {
    /// Energy that the mechanism has exchanged (J).
    pub moved: f64,
    /// Work done on it (J).
    pub work: f64,
    /// Energy dissipated by dampers and friction (J).
    pub dissipated: f64,
    /// Error of the energy balance (J).
    pub error: f64,
    /// The energy that the scheme wrongly adds or loses, and the remedy.
    pub warning: Option<String>,
    /// The joint or motion with the largest violation.
    pub joint: Option<Hold>,
    /// Rolling joints that pull.
    pub pulls: Vec<Pull>,
    /// The ratio of a correction to the one before.
    pub contraction: Option<Contraction>,
    /// A negligible energy (J).
    #[serde(skip)]
    unnoticed: f64,
    #[serde(skip)]
    worst: f64,
    #[serde(skip)]
    logarithms: f64,
    #[serde(skip)]
    count: u32,
}

/// A rolling joint that pulls: the constraint holds down what would lift off.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pull {
    /// Name of the joint.
    pub joint: String,
    /// Its largest pull (N).
    pub force: f64,
    /// The first communication point at which it pulls (s).
    pub first: f64,
}

/// How well a joint holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hold {
    /// Its name.
    pub name: String,
    /// By how much it is violated (m or rad).
    pub amount: f64,
    /// The unit.
    pub unit: &'static str,
}

/// Ratio of a correction of Newton's iteration to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Contraction {
    /// The geometric mean.
    pub typical: f64,
    /// The largest.
    pub worst: f64,
}

impl Account {
    /// Evaluates the run at a communication point.
    pub fn watch(&mut self, engine: &Simulation) {
        // The guard, and with it these figures, belong to the fixed step.
        if engine.settings().mode != Mode::Fixed {
            return;
        }
        let reading = engine.readings()[Watched::Violation as usize];
        let holds = matches!(reading.culprit, Culprit::Constraint(_));
        if holds && reading.value > self.worst {
            self.worst = reading.value;
            self.joint = Some(Hold {
                name: engine.culprit(reading.culprit),
                amount: reading.amount,
                unit: if reading.is_angle { "rad" } else { "m" },
            });
        }
        self.watch_rolling(engine);
        let sizes: Vec<f64> = engine.corrections().collect();
        let mut pairs = sizes.windows(2).rev();
        let pair = pairs.find(|pair| pair[0] > ROUNDING);
        if let Some([before, after]) = pair {
            let ratio = (after / before).max(LEAST);
            self.logarithms += ln(ratio);
            self.count += 1;
            let worst = self.contraction.map_or(0.0, |known| known.worst).max(ratio);
            let typical = exp(self.logarithms / f64::from(self.count));
            self.contraction = Some(Contraction { typical, worst });
        }
    }

    /// Do rolling joints pull?
    fn watch_rolling(&mut self, engine: &Simulation) {
        for (name, load) in engine.rolling_loads() {
            let size = engine.size();
            if -load <= LIFTED * size.mass * size.gravity {
                continue;
            }
            match self.pulls.iter_mut().find(|pull| pull.joint == name) {
                Some(known) => known.force = known.force.max(-load),
                None => self.pulls.push(Pull {
                    joint: name.to_owned(),
                    force: -load,
                    first: engine.time(),
                }),
            }
        }
    }

    /// What is to be known besides: joints that pull.
    pub fn notes(&self) -> Vec<String> {
        let note = |pull: &Pull| {
            format!(
                "joint {} pulls with up to {} N, first at {} s: what rolls would lift off there, but the joint holds it down; \
                 a contact or a tyre lets go",
                called(&pull.joint),
                round(pull.force, 2),
                Seconds(pull.first)
            )
        };
        self.pulls.iter().map(note).collect()
    }

    /// Takes the energy balance at the end; `duration` is that of the run (s).
    pub fn finish(&mut self, engine: &Simulation, duration: f64) {
        self.moved = engine.moved_energy();
        self.work = engine.figure(Figure::Work);
        self.dissipated = engine.figure(Figure::DissipatedEnergy);
        self.error = engine.figure(Figure::EnergyError);
        self.unnoticed = Scales::of(engine, duration).unnoticed();
        self.warning = self.warned(engine.settings());
    }

    /// Is so little energy exchanged that the scheme's share is rounding?
    fn is_noise(&self) -> bool {
        let error = self.error.abs();
        self.moved < NOISE * self.unnoticed || (self.moved < self.unnoticed && error > self.moved)
    }

    /// The energy lost by the scheme, as a share of the exchanged energy, if it exceeds the limit.
    pub(super) fn loss(&self) -> Option<f64> {
        let warned = self.warning.is_some() && self.error < 0.0;
        warned.then(|| -self.error / self.moved)
    }

    /// Does the scheme dissipate or add more than the limit?
    fn warned(&self, settings: &SolverSettings) -> Option<String> {
        let error = self.error.abs();
        if self.is_noise() || error <= MOST * self.moved {
            return None;
        }
        let [amount, share] = [error, 100.0 * error / self.moved].map(|x| round(x, 2));
        let shares = format!("{amount} J, {share} % of the energy that the run moved,");
        if settings.mode == Mode::Variable {
            let what = if self.error > 0.0 {
                "is there that should not be"
            } else {
                "is lost to the scheme, beyond what dampers and friction take"
            };
            return Some(format!(
                "{shares} {what}: take a smaller error (--error); for vibrations with little damping HHT, or --kmax 2"
            ));
        }
        let worst = self.contraction.map_or(0.0, |known| known.worst);
        if self.error > 0.0 && worst > UNSETTLED {
            return Some(format!(
                "{shares} is there that should not be, and Newton's iteration has not settled in all steps: its corrections shrink to {} \
                 at worst; take more iterations than solver.fixit {} first, or a smaller step",
                part(worst),
                settings.fixit
            ));
        }
        if self.error > 0.0 {
            return Some(format!(
                "{shares} is there that should not be: the scheme has made it, or contacts and dampers act within steps, unseen \
                 at their ends; take a smaller step"
            ));
        }
        let (name, _) = scheme(settings);
        let SolverSettings {
            alpha, gamma, rho, ..
        } = settings;
        let (damps, less) = match settings.integrator {
            _ if settings.is_undamped() => (String::new(), ""),
            IntegratorKind::Gstiff | IntegratorKind::Wstiff | IntegratorKind::Hastiff => (
                format!(": {name}, of order 1, damps all motion"),
                ", or HHT",
            ),
            IntegratorKind::Newmark => (
                format!(": {name} damps with solver.gamma {gamma}"),
                if *gamma > 0.55 {
                    ", or solver.gamma nearer to 0.5, but not below 0.55"
                } else {
                    ", or HHT"
                },
            ),
            IntegratorKind::Hht => (
                format!(": {name} damps what steps resolve poorly, with solver.alpha {alpha}"),
                if *alpha < -0.05 {
                    ", or solver.alpha nearer to 0, but not above -0.05"
                } else {
                    ""
                },
            ),
            IntegratorKind::GeneralizedAlpha => (
                format!(": {name} damps what steps resolve poorly, with solver.rho {rho}"),
                if *rho < 0.9 {
                    ", or solver.rho nearer to 1, but not above 0.9"
                } else {
                    ""
                },
            ),
        };
        Some(format!(
            "{shares} is lost to the scheme, beyond what dampers and friction take{damps}; take a smaller step{less}"
        ))
    }

    /// The energy balance.
    fn energy(&self, span: &str) -> String {
        let Self {
            moved,
            work,
            dissipated,
            error,
            ..
        } = self;
        if *moved == 0.0 {
            return format!("energy{span}: none moved");
        }
        if self.is_noise() {
            let moved = round(*moved, 2);
            return format!("energy{span}: {moved} J moved, too little to judge the scheme by");
        }
        let least = NOTHING * moved;
        let mut text = format!("energy{span}: {} J moved", round(*moved, 3));
        for (energy, what) in [(work, "of work"), (dissipated, "dissipated")] {
            if energy.abs() > least {
                let _ = write!(text, ", {} J {what}", round(*energy, 3));
            }
        }
        if error.abs() <= least {
            text.push_str(", none lost to the scheme");
        } else {
            let what = if *error < 0.0 { "lost to" } else { "made by" };
            let share = round(100.0 * error.abs() / moved, 2);
            let amount = round(error.abs(), 2);
            let _ = write!(text, ", {amount} J ({share} %) {what} the scheme");
        }
        text
    }

    /// The energy balance in one line; `span` is the part of the run that it covers, such as ` over the first 0.4 s`,
    /// or empty for the whole run.
    pub fn words(&self, span: &str) -> String {
        let mut text = self.energy(span);
        if let Some(Hold { name, amount, unit }) = &self.joint {
            let amount = round(*amount, 2);
            let _ = write!(text, "; joints hold to {amount} {unit} ({name})");
        }
        if let Some(Contraction { typical, worst }) = &self.contraction {
            let _ = write!(
                text,
                "; Newton's corrections shrink to {} with each iteration, to {} at worst",
                part(*typical),
                part(*worst)
            );
        }
        text
    }
}

/// `1/200`, or a decimal number where it is large.
fn part(ratio: f64) -> String {
    if ratio < 0.5 {
        format!("1/{}", round(1.0 / ratio, 2))
    } else {
        round(ratio, 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(moved: f64, error: f64) -> Account {
        Account {
            moved,
            error,
            unnoticed: 1e-3,
            ..Account::default()
        }
    }

    #[test]
    fn what_the_scheme_loses_is_warned_of_with_its_remedy() {
        let mut settings = SolverSettings::default();
        let warned = |settings: &SolverSettings, moved, error| {
            account(moved, error).warned(settings).unwrap_or_default()
        };
        let said = warned(&settings, 1600.0, -170.0);
        assert!(
            said.starts_with("170 J, 11 % of the energy that the run moved, is lost to the scheme"),
            "{said}"
        );
        assert!(
            said.ends_with("take a smaller step, or solver.alpha nearer to 0, but not above -0.05"),
            "{said}"
        );
        assert_eq!(warned(&settings, 1600.0, -79.0), "");
        assert!(
            warned(&settings, 1600.0, 170.0).contains(
                "170 J, 11 % of the energy that the run moved, is there that should not be"
            )
        );
        // If there is little damping, the advice does not change the scheme.
        settings.alpha = -0.05;
        assert!(warned(&settings, 1.0, -0.5).ends_with("take a smaller step"));
        settings.integrator = IntegratorKind::Gstiff;
        assert!(warned(&settings, 1.0, -0.5).ends_with("or HHT"));
        settings.integrator = IntegratorKind::GeneralizedAlpha;
        assert!(warned(&settings, 1.0, -0.5).contains("solver.rho 0.8"));
        settings.rho = 1.0;
        assert!(warned(&settings, 1.0, -0.5).ends_with("friction take; take a smaller step"));
    }

    #[test]
    fn too_little_energy_is_not_judged() {
        for (moved, error) in [(1e-7, -1e-7), (1e-4, 1.5), (9e-7, 0.0)] {
            let account = account(moved, error);
            let said = account.words("");
            assert!(
                said.ends_with("too little to judge the scheme by"),
                "{said}"
            );
            assert_eq!(account.warned(&SolverSettings::default()), None);
        }
        // Little energy, and still less is lost.
        let said = account(1e-4, -5e-5).words("");
        assert!(said.contains("(50 %) lost to the scheme"), "{said}");
    }
}
