//! Where a magnitude is largest.

/// Evaluations for each peak.
const STEPS: usize = 48;
/// Ratio of the golden section.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// A peak.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Peak {
    /// Its frequency \[Hz\].
    pub frequency: f64,
    /// Its height.
    pub magnitude: f64,
}

/// The peaks of a magnitude on a grid, each found between its neighbours by the golden section; `exact` is the magnitude
/// at any frequency, `None` where it has no bound.
pub fn peaks(
    frequencies: &[f64],
    magnitudes: &[f64],
    exact: &mut dyn FnMut(f64) -> Option<f64>,
) -> Vec<Peak> {
    let mut found = Vec::new();
    for k in 1..magnitudes.len().saturating_sub(1) {
        let (before, here, behind) = (magnitudes[k - 1], magnitudes[k], magnitudes[k + 1]);
        // Of equal neighbours the first counts; what rounding moves is no peak.
        let raised = here - before.min(behind) > 1e-9 * here;
        if !(here > before && here >= behind && raised) {
            continue;
        }
        let (mut low, mut high) = (frequencies[k - 1], frequencies[k + 1]);
        let mut best = Peak {
            frequency: frequencies[k],
            magnitude: here,
        };
        let mut value = |f: f64| exact(f).unwrap_or(f64::INFINITY);
        let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut at_a, mut at_b) = (value(a), value(b));
        for _ in 0..STEPS {
            for (frequency, magnitude) in [(a, at_a), (b, at_b)] {
                if magnitude > best.magnitude && magnitude.is_finite() {
                    best = Peak {
                        frequency,
                        magnitude,
                    };
                }
            }
            if high - low <= 1e-10 * high {
                break;
            }
            if at_a >= at_b {
                (high, b, at_b) = (b, a, at_a);
                a = high - GOLDEN * (high - low);
                at_a = value(a);
            } else {
                (low, a, at_a) = (a, b, at_b);
                b = low + GOLDEN * (high - low);
                at_b = value(b);
            }
        }
        found.push(best);
    }
    found
}
