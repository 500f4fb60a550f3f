//! Finds the frequencies at which a magnitude is largest.

/// Largest number of evaluations for each peak.
pub const STEPS: u64 = 48;
/// The smaller fraction of the golden section.
const GOLDEN: f64 = 0.381_966_011_250_105_2;
/// Relative accuracy of the frequency of a peak.
const FOUND: f64 = 1e-10;
/// A step that raises a peak by less than this fraction is the last one.
const LEVEL: f64 = 1e-13;

/// A peak.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Peak {
    /// Its frequency \[Hz\].
    pub frequency: f64,
    /// Its height.
    pub magnitude: f64,
}

/// The peaks of a magnitude on a grid, each refined between its neighbours. `exact` is the magnitude at any
/// frequency, `None` where it is unbounded; it is called at most [`STEPS`] times for each peak. If `may` returns
/// false, a peak is the point of the grid.
pub fn peaks(
    frequencies: &[f64],
    magnitudes: &[f64],
    exact: &mut dyn FnMut(f64) -> Option<f64>,
    may: &mut dyn FnMut() -> bool,
) -> Vec<Peak> {
    let mut found = Vec::new();
    for k in 1..magnitudes.len().saturating_sub(1) {
        let (before, here, behind) = (magnitudes[k - 1], magnitudes[k], magnitudes[k + 1]);
        // Of equal neighbours the first counts; differences by rounding make no peak.
        let raised = here - before.min(behind) > 1e-9 * here;
        if !(here > before && here >= behind && raised) {
            continue;
        }
        let peak = Peak {
            frequency: frequencies[k],
            magnitude: here,
        };
        let ends = (frequencies[k - 1], frequencies[k + 1]);
        found.push(if may() {
            between(ends, [before, behind], peak, exact)
        } else {
            peak
        });
    }
    found
}

/// A place, and 1/H² there relative to that at the first place.
type Seen = (f64, f64);

/// Finds the minimum of 1/H², which is nearly a parabola near a mode, by parabolas and the golden section (Brent
/// 1973).
fn between(
    (mut low, mut high): (f64, f64),
    ends: [f64; 2],
    first: Peak,
    exact: &mut dyn FnMut(f64) -> Option<f64>,
) -> Peak {
    let inverse = |magnitude: f64| (first.magnitude / magnitude) * (first.magnitude / magnitude);
    let mut best = first;
    // The three best places so far.
    let mut x = (first.frequency, 1.0);
    let [below, above] = [(low, inverse(ends[0])), (high, inverse(ends[1]))];
    let (mut w, mut v) = if below.1 <= above.1 {
        (below, above)
    } else {
        (above, below)
    };
    let (mut step, mut before_last) = (high - low, high - low);
    for count in 0..STEPS {
        let least = FOUND * x.0;
        if high - low <= 2.0 * least {
            break;
        }
        let (wanted, gain) = parabola(x, w, v);
        let at = x.0 + wanted;
        let fits = at > low && at < high && wanted.abs() < 0.5 * before_last.abs();
        if count > 2 && fits && gain <= LEVEL * x.1 {
            break;
        }
        before_last = step;
        let aside = if 2.0 * x.0 >= low + high { low } else { high };
        step = if fits { wanted } else { GOLDEN * (aside - x.0) };
        let taken = if step.abs() < least {
            least.copysign(step)
        } else {
            step
        };
        let frequency = x.0 + taken;
        let magnitude = exact(frequency).unwrap_or(f64::INFINITY);
        if magnitude > best.magnitude && magnitude.is_finite() {
            best = Peak {
                frequency,
                magnitude,
            };
        }
        let here = (frequency, inverse(magnitude));
        let is_better = here.1 <= x.1;
        let (bound, inner) = if is_better {
            (x.0, here.0)
        } else {
            (here.0, x.0)
        };
        if inner >= bound {
            low = bound;
        } else {
            high = bound;
        }
        if is_better {
            (v, w, x) = (w, x, here);
        } else if here.1 <= w.1 {
            (v, w) = (w, here);
        } else if here.1 <= v.1 {
            v = here;
        }
    }
    best
}

/// The distance of the minimum of the parabola through three places from the first place, and its depth below that;
/// NaN if there is no minimum.
fn parabola(x: Seen, w: Seen, v: Seen) -> (f64, f64) {
    let slope = |of: Seen| (of.1 - x.1) / (of.0 - x.0);
    let bend = (slope(w) - slope(v)) / (w.0 - v.0);
    // Its slope at the first place.
    let own = slope(w) - bend * (w.0 - x.0);
    (-own / (2.0 * bend), own * own / (4.0 * bend))
}
