//! Data plane: whether an inertia tensor is physically possible.
//!
//! A tensor with principal moments A ≤ B ≤ C belongs to a distribution of mass if and only if A > 0
//! and C ≤ A + B (Wittenburg 2008, section 3.1; equality: a lamina).

use super::Mat3;

/// Printed inertias are rounded: the triangle inequality may fail by this fraction of the trace.
const ROUNDING: f64 = 1e-6;

/// Why no body has an inertia; with its principal moments, in the unit of the tensor.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum InertiaFault {
    /// A principal moment is not positive.
    #[error(
        "the inertia is not positive definite: its principal moments are {:.6e}, {:.6e}, {:.6e}; the products are too large \
         for the moments", .0[0], .0[1], .0[2]
    )]
    Indefinite([f64; 3]),
    /// The largest exceeds the sum of the others.
    #[error(
        "no body has this inertia: of its principal moments {:.6e}, {:.6e}, {:.6e} the largest exceeds the sum of the others; \
         it must be about the centre of mass", .0[0], .0[1], .0[2]
    )]
    Triangle([f64; 3]),
}

/// The fault of Ixx, Iyy, Izz, Ixy, Ixz, Iyz (products as positive integrals), in any unit.
///
/// Tunable parameters may give an inertia between steps, so the work does not depend on the numbers: A > 0 if the tensor J
/// is positive definite, and C ≤ A + B if (tr J/2) 1 − J is, whose least eigenvalue is (A + B − C)/2. Only a refusal
/// needs the principal moments.
pub fn fault(values: [f64; 6]) -> Option<InertiaFault> {
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let [xx, yy, zz, xy, xz, yz] = values.map(|v| v / largest);
    let tensor = Mat3::new(xx, -xy, -xz, -xy, yy, -yz, -xz, -yz, zz);
    let shown = || {
        let moments = tensor.symmetric_eigenvalues() * largest;
        let mut moments = [moments[0], moments[1], moments[2]];
        moments.sort_unstable_by(f64::total_cmp);
        moments
    };
    if !is_positive(&tensor) {
        return Some(InertiaFault::Indefinite(shown()));
    }
    let half = 0.5 * (1.0 + ROUNDING) * (xx + yy + zz);
    if !is_positive(&(Mat3::identity() * half - tensor)) {
        return Some(InertiaFault::Triangle(shown()));
    }
    None
}

/// Is a symmetric matrix positive definite? By the pivots of L D Lᵀ (Golub and Van Loan 2013, section 4.1).
fn is_positive(m: &Mat3) -> bool {
    let [a, b, c] = [m[(0, 0)], m[(1, 0)], m[(2, 0)]];
    let second = m[(1, 1)] - b * b / a;
    let mixed = m[(2, 1)] - b * c / a;
    let third = m[(2, 2)] - c * c / a - mixed * mixed / second;
    a > 0.0 && second > 0.0 && third > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn possible_inertias_pass() {
        assert_eq!(fault([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), None);
        assert_eq!(fault([1.0, 1.0, 2.0, 0.0, 0.0, 0.0]), None, "a lamina");
        assert_eq!(fault([4e-3, 4e-3, 1e-9, 0.0, 0.0, 0.0]), None, "a rod");
        assert_eq!(fault([2.0, 3.0, 4.0, 0.5, -0.3, 0.2]), None);
    }

    #[test]
    fn impossible_inertias_are_named() {
        let said = |values| fault(values).map(|f| f.to_string()).unwrap_or_default();
        let triangle = said([1.0, 1.0, 2.1, 0.0, 0.0, 0.0]);
        assert!(triangle.contains("largest exceeds"), "{triangle}");
        let indefinite = said([1.0, 1.0, 1.0, 2.0, 0.0, 0.0]);
        assert!(indefinite.contains("not positive definite"), "{indefinite}");
        // Diagonal moments obey the triangle inequality, the principal ones do not.
        assert!(fault([1.0, 1.0, 1.0, 0.45, 0.0, 0.0]).is_none());
        assert!(fault([1.0, 1.0, 1.0, 0.6, 0.0, 0.0]).is_some());
    }
}
