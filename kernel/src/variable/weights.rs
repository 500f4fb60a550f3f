//! Weights of polynomials through points in time: their value and slope at an instant.
//!
//! ```text
//! y(0) ≈ Σ_j p_j y(x_j),   y'(0) ≈ Σ_j w_j y(x_j)                             (VAR-1)
//! ```
//! by the recursion of Fornberg (*Generation of finite difference formulas on arbitrarily spaced grids*, Math. Comp.
//! 51, 1988).

/// Most points of a polynomial.
pub(super) const POINTS: usize = 8;

/// p and w of (VAR-1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Weights {
    /// Of the value.
    pub(super) value: [f64; POINTS],
    /// Of the slope.
    pub(super) slope: [f64; POINTS],
}

impl Weights {
    /// For points at these distances in time, all different; at most [`POINTS`] of them count.
    pub(super) fn new(points: &[f64]) -> Self {
        let n = points.len().min(POINTS);
        let mut all = Self::default();
        if n == 0 {
            return all;
        }
        all.value[0] = 1.0;
        let mut last_product = 1.0;
        for i in 1..n {
            let (here, before) = (points[i], points[i - 1]);
            let mut product = 1.0;
            for j in 0..i {
                product *= here - points[j];
            }
            // The new point, from the weights of the last one before they are changed.
            let (value, slope) = (all.value[i - 1], all.slope[i - 1]);
            all.slope[i] = last_product * (value - before * slope) / product;
            all.value[i] = -last_product * before * value / product;
            for j in 0..i {
                let apart = here - points[j];
                all.slope[j] = (here * all.slope[j] - all.value[j]) / apart;
                all.value[j] = here * all.value[j] / apart;
            }
            last_product = product;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Polynomials of every degree that the points allow have their value and slope.
    #[test]
    fn polynomials_are_exact() {
        let points = [-0.3, -1.0, -1.4, -2.5, -2.9, -3.3, -4.6, -5.0];
        for n in 1..=POINTS {
            let weights = Weights::new(&points[..n]);
            for degree in 0..n {
                let at = |x: f64| (0..=degree).fold(0.0, |sum, k| sum * (x - 0.7) + 1.0 + k as f64);
                let step = 1e-5;
                let slope = (at(step) - at(-step)) / (2.0 * step);
                let sum = |weights: &[f64; POINTS]| -> f64 {
                    { points[..n].iter().zip(weights) }
                        .map(|(x, w)| w * at(*x))
                        .sum()
                };
                let (value, wanted) = (sum(&weights.value), at(0.0));
                assert!(
                    (value - wanted).abs() < 1e-9 * wanted.abs().max(1.0),
                    "{n} {degree}"
                );
                let found = sum(&weights.slope);
                assert!(
                    (found - slope).abs() < 1e-7 * slope.abs().max(1.0),
                    "{n} {degree}: {found} {slope}"
                );
            }
        }
    }

    #[test]
    fn constant_steps_give_the_formulas_of_gear() {
        let order_3 = Weights::new(&[0.0, -1.0, -2.0, -3.0]);
        let wanted = [11.0 / 6.0, -3.0, 1.5, -1.0 / 3.0];
        for (found, wanted) in order_3.slope.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-14, "{found} {wanted}");
        }
    }
}
