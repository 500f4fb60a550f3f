//! Control plane: energy, joints and iterations of a run, read at its communication points, and in words.

use std::fmt::Write as _;

use fixstep_kernel::math::{exp, ln};
use fixstep_kernel::mechanism::Watched;
use fixstep_kernel::simulation::{Figure, Simulation};
use serde::Serialize;

use super::words::round;

/// Corrections below are rounding, in lengths of the mechanism and radians.
const ROUNDING: f64 = 1e-9;
/// No correction is taken for smaller against the one before.
const LEAST: f64 = 1e-9;
/// Energy below this part of what was moved is rounding.
const NOTHING: f64 = 1e-12;

/// What a run says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Account {
    /// Energy that the mechanism has moved (J).
    pub moved: f64,
    /// Work done on it (J).
    pub work: f64,
    /// Energy that dampers and friction have taken (J).
    pub dissipated: f64,
    /// Energy that is there and should not be, or is missing (J).
    pub error: f64,
    /// The joint or motion that was farthest from holding.
    pub joint: Option<Hold>,
    /// What an iteration leaves of a correction.
    pub contraction: Option<Contraction>,
    #[serde(skip)]
    worst: f64,
    #[serde(skip)]
    logarithms: f64,
    #[serde(skip)]
    count: u32,
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

/// A correction of Newton's iteration over the one before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Contraction {
    /// The geometric mean.
    pub typical: f64,
    /// The largest.
    pub worst: f64,
}

impl Account {
    /// Looks at the run at a communication point.
    pub fn watch(&mut self, engine: &Simulation) {
        let reading = engine.readings()[Watched::Violation as usize];
        if reading.value > self.worst {
            self.worst = reading.value;
            self.joint = Some(Hold {
                name: engine.culprit(reading.culprit),
                amount: reading.amount,
                unit: if reading.is_angle { "rad" } else { "m" },
            });
        }
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

    /// Takes over the account of energy, at the end.
    pub fn finish(&mut self, engine: &Simulation) {
        self.moved = engine.moved_energy();
        self.work = engine.figure(Figure::Work);
        self.dissipated = engine.figure(Figure::DissipatedEnergy);
        self.error = engine.figure(Figure::EnergyError);
    }

    /// The account of energy.
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

    /// In one line; `span` says of what: ` over the first 0.4 s`, or nothing of the whole run.
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
