//! Chooses the frequencies of a response: at equal differences or ratios, closer together around poles.

use crate::spectra::TURN;
use faer::c64;
use fixstep_kernel::math;

/// Smallest half width of a peak, as a fraction of its frequency.
const NARROWEST: f64 = 1e-9;
/// Damping ratio below which a pole counts as undamped: no point of the grid is on it.
pub const UNDAMPED: f64 = 1e-9;
/// Frequencies that differ by less than this fraction are equal.
const ALIKE: f64 = 1e-12;
/// Largest number of points.
const MOST: usize = 10_000_000;

/// Options of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// First frequency \[Hz\].
    pub from: f64,
    /// Last frequency \[Hz\].
    pub to: f64,
    /// Number of points, including the first and the last.
    pub points: usize,
    /// Equal ratios instead of equal differences?
    pub logarithmic: bool,
    /// More points around poles?
    pub refined: bool,
}

/// Frequencies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// All of them \[Hz\], rising.
    pub frequencies: Vec<f64>,
    /// How many points the plan has.
    pub asked: usize,
    /// Number of poles with additional points.
    pub poles: usize,
}

/// Why a plan is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WrongPlan {
    /// Not a range.
    #[error(
        "frequencies from {from} Hz to {to} Hz: valid is a first one from 0 and a last one above it, or the same one for a single \
         frequency"
    )]
    Range {
        /// First.
        from: f64,
        /// Last.
        to: f64,
    },
    /// Too few or too many points.
    #[error("{0} frequencies: valid is 2 to {MOST}")]
    Points(usize),
    /// Equal ratios cannot begin at zero.
    #[error("equal ratios of frequencies need a first frequency above 0")]
    Logarithmic,
}

impl Plan {
    /// Makes the grid for a mechanism with these poles; `breaks` are frequencies that it must contain.
    pub fn grid(&self, poles: &[c64], breaks: &[f64]) -> Result<Grid, WrongPlan> {
        let Self { from, to, .. } = *self;
        if !(from >= 0.0 && to >= from && to.is_finite()) {
            return Err(WrongPlan::Range { from, to });
        }
        if to <= from {
            return Ok(Grid {
                frequencies: vec![from],
                asked: 1,
                poles: 0,
            });
        }
        if !(2..=MOST).contains(&self.points) {
            return Err(WrongPlan::Points(self.points));
        }
        if self.logarithmic && from == 0.0 {
            return Err(WrongPlan::Logarithmic);
        }
        let mut all: Vec<f64> = (0..self.points).map(|k| self.point(k)).collect();
        let mut counted = 0;
        if self.refined {
            for pole in poles.iter().filter(|pole| pole.im >= 0.0) {
                let own = around(*pole, &|f| self.spacing(f));
                let own: Vec<f64> = own.into_iter().filter(|f| *f > from && *f < to).collect();
                counted += usize::from(!own.is_empty());
                all.extend(own);
            }
        }
        let within = breaks.iter().copied();
        all.extend(within.filter(|f| *f > from && *f < to));
        all.sort_by(f64::total_cmp);
        all.dedup_by(|b, a| *b - *a <= ALIKE * *b);
        if let Some(last) = all.last_mut() {
            *last = to;
        }
        Ok(Grid {
            frequencies: all,
            asked: self.points,
            poles: counted,
        })
    }

    fn point(&self, k: usize) -> f64 {
        let share = k as f64 / (self.points - 1) as f64;
        match k {
            0 => self.from,
            _ if k + 1 == self.points => self.to,
            _ if self.logarithmic => self.from * math::pow(self.to / self.from, share),
            _ => self.from + share * (self.to - self.from),
        }
    }

    /// The spacing of the plan there.
    fn spacing(&self, frequency: f64) -> f64 {
        let gaps = (self.points - 1) as f64;
        if self.logarithmic {
            let at = math::held(frequency, self.from, self.to);
            at * (math::pow(self.to / self.from, 1.0 / gaps) - 1.0)
        } else {
            (self.to - self.from) / gaps
        }
    }
}

/// Points around a pole: on it, and at half, once, twice, four times … its half width on both sides, up to the
/// spacing of the plan.
fn around(pole: c64, spacing: &dyn Fn(f64) -> f64) -> Vec<f64> {
    let (centre, size) = (pole.im / TURN, pole.norm() / TURN);
    if size == 0.0 || !size.is_finite() {
        return Vec::new();
    }
    let width = (pole.re.abs() / TURN).max(NARROWEST * size);
    let spacing = spacing(centre);
    let mut all = Vec::new();
    if width < spacing && pole.re.abs() > UNDAMPED * pole.norm() {
        all.push(centre);
    }
    let mut offset = width / 2.0;
    while offset < spacing {
        all.extend([centre - offset, centre + offset]);
        offset *= 2.0;
    }
    all
}
