//! Control plane: times in messages.

use std::fmt;

/// A time \[s\] in few digits, whatever its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seconds(pub(super) f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-5..1e16).contains(&size) {
            return write!(f, "{}", self.0);
        }
        write!(f, "{:e}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
