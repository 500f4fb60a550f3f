//! Data plane: a histogram of fixed size with eight buckets per octave.
//!
//! The bits of a positive number give its bucket: the binary exponent and the first three bits of the mantissa. A
//! bucket is at most an eighth wide.

/// Smallest exponent with buckets of its own: 2⁻³⁰ is a nanosecond in a step of one second.
const LOWEST_EXPONENT: u64 = 1023 - 30;
/// Octaves: up to 2¹⁴, steps sixteen thousand times too slow.
const OCTAVES: usize = 44;
/// Buckets per octave as a power of two.
const SPLIT: u32 = 3;
/// Number of buckets.
const BUCKETS: usize = OCTAVES << SPLIT;
/// Bits below those that number the buckets.
const SHIFT: u32 = 52 - SPLIT;
/// Number of the first bucket among all buckets of the floating-point numbers.
const OFFSET: u64 = LOWEST_EXPONENT << SPLIT;

/// Counts of positive numbers by size.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Box<[u64; BUCKETS]>,
    total: u64,
}

/// One bucket that holds something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// Numbers from here …
    pub from: f64,
    /// … to below here.
    pub to: f64,
    /// How many.
    pub count: u64,
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self {
            counts: Box::new([0; BUCKETS]),
            total: 0,
        }
    }

    /// Counts a number; numbers outside the range go to the outermost buckets.
    pub fn add(&mut self, value: f64) {
        self.counts[bucket(value)] += 1;
        self.total += 1;
    }

    /// Upper edge of the bucket below which `per_hundred_thousand` / 100 000 of the numbers are.
    pub fn percentile(&self, per_hundred_thousand: u32) -> Option<f64> {
        let parts = u128::from(self.total) * u128::from(per_hundred_thousand);
        let rank = parts.div_ceil(100_000).max(1) as u64;
        let mut seen = 0;
        for (at, &count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(edge(at + 1));
            }
        }
        None
    }

    /// The buckets that hold something, smallest first.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        let filled = self.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        filled.map(|(at, &count)| Bucket {
            from: edge(at),
            to: edge(at + 1),
            count,
        })
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

fn bucket(value: f64) -> usize {
    // Also right for NaN: it fails the comparison.
    if value > 0.0 {
        let among_all = value.to_bits() >> SHIFT;
        (among_all.saturating_sub(OFFSET) as usize).min(BUCKETS - 1)
    } else {
        0
    }
}

/// Lower edge of bucket `at`, upper edge of the one before.
fn edge(at: usize) -> f64 {
    f64::from_bits((at as u64 + OFFSET) << SHIFT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_bracket_what_they_count() {
        for value in [
            1e-9, 0.1, 0.124, 0.125, 0.999_999, 1.0, 1.1249, 1.125, 3.0, 16_000.0,
        ] {
            let at = bucket(value);
            assert!(edge(at) <= value && value < edge(at + 1), "{value}");
            assert!(edge(at + 1) / edge(at) <= 1.125, "{value}");
        }
        assert_eq!(bucket(1.0) + 8, bucket(2.0));
    }

    #[test]
    fn outliers_go_to_the_ends() {
        assert_eq!(bucket(0.0), 0);
        assert_eq!(bucket(-1.0), 0);
        assert_eq!(bucket(f64::NAN), 0);
        assert_eq!(bucket(1e-300), 0);
        assert_eq!(bucket(1e300), BUCKETS - 1);
        assert_eq!(bucket(f64::INFINITY), BUCKETS - 1);
    }

    #[test]
    fn percentiles_take_the_next_whole_rank() {
        let mut histogram = Histogram::new();
        assert_eq!(histogram.percentile(50_000), None);
        histogram.add(1.0);
        histogram.add(2.0);
        histogram.add(4.0);
        assert_eq!(histogram.percentile(33_333), Some(1.125));
        assert_eq!(histogram.percentile(33_334), Some(2.25));
        assert_eq!(histogram.percentile(99_999), Some(4.5));
        let counts: Vec<u64> = histogram.buckets().map(|b| b.count).collect();
        assert_eq!(counts, [1, 1, 1]);
    }
}
