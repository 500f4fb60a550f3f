//! Control plane: formats times for messages.

use alloc::format;
use core::fmt;

/// Significant digits of a time in a message.
const DIGITS: i32 = 12;

/// Decimal places that long times have at least: a nanosecond.
const PLACES: i32 = 9;

/// Digits that distinguish any two numbers.
const ALL: i32 = 17;

/// A time \[s\] with as few digits as identify it: `0.414` for 0.41400000000000003, which is 414 steps of a
/// millisecond.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(pub f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = rounded(self.0);
        let size = time.abs();
        if size == 0.0 || (1e-5..1e16).contains(&size) {
            return write!(f, "{time}");
        }
        write!(f, "{time:e}")
    }
}

/// Rounded to [`DIGITS`] digits, but to at least [`PLACES`] places.
fn rounded(time: f64) -> f64 {
    let exact = format!("{time:e}");
    let exponent: Option<i32> = exact.split_once('e').and_then(|(_, e)| e.parse().ok());
    // Infinity and NaN have no exponent.
    let Some(exponent) = exponent else {
        return time;
    };
    let digits = (exponent + 1 + PLACES).clamp(DIGITS, ALL) as usize;
    format!("{time:.*e}", digits - 1).parse().unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn few_digits_tell_any_time() {
        for (time, text) in [
            (0.0, "0"),
            (0.3, "0.3"),
            (-1e-4, "-0.0001"),
            (1e9 + 0.2, "1000000000.2"),
            (5e-324, "5e-324"),
            (-1e300, "-1e300"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(Seconds(time).to_string(), text);
        }
    }

    #[test]
    fn rounding_does_not_show_and_steps_do() {
        for (time, text) in [
            (414.0 * 0.001, "0.414"),
            (0.1 + 0.2, "0.3"),
            (0.001 / 3.0, "0.000333333333333"),
            (1001.0 * 1.1, "1101.1"),
            (1e5 + 1e-6, "100000.000001"),
            (1e6 + 3.0 * 0.1, "1000000.3"),
            (0.25 + 1e-9, "0.250000001"),
        ] {
            assert_eq!(Seconds(time).to_string(), text);
        }
        // After a day, steps of a microsecond are still distinguishable.
        for step in 0..2000 {
            let [before, after] = [step, step + 1].map(|n| 86400.0 + f64::from(n) * 1e-6);
            assert_ne!(Seconds(before).to_string(), Seconds(after).to_string());
        }
    }
}
