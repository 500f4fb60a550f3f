//! Control plane: how far a run is from the reference, output by output.
//!
//! ```text
//! e_max = max_n |y_n − r_n|,   e_rms = √(Σ_n (y_n − r_n)²/N),   share = e/range of r           (ADV-1)
//! ```
//! y and r are an output of the run and of the reference at the N communication points that both have.

use serde::{Deserialize, Serialize};

/// The error of an output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputError {
    /// The largest, in its unit.
    pub max: f64,
    /// The root mean square, in its unit.
    pub rms: f64,
    /// Where the largest is, as the number of a communication point.
    pub row: usize,
    /// The largest as a part of the range.
    pub max_share: f64,
    /// The root mean square as a part of the range.
    pub rms_share: f64,
}

/// Which error of an output counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// The largest.
    #[default]
    Max,
    /// The root mean square.
    Rms,
}

impl Norm {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Max => "largest error",
            Self::Rms => "root mean square error",
        }
    }
}

impl OutputError {
    /// (ADV-1) of two courses, as far as both reach.
    pub fn of(run: &[f64], reference: &[f64], range: f64) -> Self {
        let mut error = Self::default();
        let mut sum = 0.0;
        let mut count = 0_u32;
        for (row, (y, r)) in run.iter().zip(reference).enumerate() {
            let apart = (y - r).abs();
            if apart > error.max || apart.is_nan() {
                (error.max, error.row) = (apart, row);
            }
            sum += apart * apart;
            count += 1;
        }
        error.rms = (sum / f64::from(count.max(1))).sqrt();
        if range > 0.0 {
            error.max_share = error.max / range;
            error.rms_share = error.rms / range;
        }
        error
    }

    /// As a part of the range.
    pub fn share(&self, norm: Norm) -> f64 {
        match norm {
            Norm::Max => self.max_share,
            Norm::Rms => self.rms_share,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_the_common_points() {
        let error = OutputError::of(&[0.0, 3.0, 4.0], &[0.0, 0.0, 0.0, 100.0], 8.0);
        assert_eq!((error.max, error.row, error.max_share), (4.0, 2, 0.5));
        assert!((error.rms - (25.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(error.share(Norm::Rms), error.rms / 8.0);
        // A constant output has no range to refer to.
        assert_eq!(OutputError::of(&[1.0], &[0.0], 0.0).max_share, 0.0);
        assert!(OutputError::of(&[f64::NAN], &[0.0], 1.0).max.is_nan());
    }
}
