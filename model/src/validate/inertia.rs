//! Control plane: checks that an inertia tensor is physically possible.
//!
//! A tensor with principal moments A ≤ B ≤ C belongs to a distribution of mass if and only if A > 0
//! and C ≤ A + B (Wittenburg 2008, section 3.1; equality: a lamina).

use fixstep_kernel::math::Mat3;

/// Printed inertias are rounded: the triangle inequality may fail by this fraction of the trace.
const ROUNDING: f64 = 1e-6;

/// The fault of Ixx, Iyy, Izz, Ixy, Ixz, Iyz (products as positive integrals), in any unit.
pub(super) fn fault(values: [f64; 6]) -> Option<String> {
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    let [xx, yy, zz, xy, xz, yz] = values.map(|v| v / largest);
    let tensor = Mat3::new(xx, -xy, -xz, -xy, yy, -yz, -xz, -yz, zz);
    let moments = tensor.symmetric_eigenvalues();
    let mut moments: Vec<f64> = moments.iter().copied().collect();
    moments.sort_by(f64::total_cmp);
    let trace = xx + yy + zz;
    let shown: Vec<String> = moments
        .iter()
        .map(|m| format!("{:.6e}", m * largest))
        .collect();
    let shown = shown.join(", ");
    if moments[0] <= 0.0 {
        return Some(format!(
            "the inertia is not positive definite: its principal moments are {shown}; \
             the products are too large for the moments"
        ));
    }
    if moments[2] > moments[0] + moments[1] + ROUNDING * trace {
        return Some(format!(
            "no body has this inertia: of its principal moments {shown} the largest exceeds the sum \
             of the others; it must be about the centre of mass"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn possible_inertias_pass() {
        assert_eq!(fault([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), None);
        assert_eq!(fault([1.0, 1.0, 2.0, 0.0, 0.0, 0.0]), None, "a lamina");
        assert_eq!(fault([4e-3, 4e-3, 1e-9, 0.0, 0.0, 0.0]), None, "a rod");
        assert_eq!(fault([2.0, 3.0, 4.0, 0.5, -0.3, 0.2]), None);
    }

    #[test]
    fn impossible_inertias_are_named() {
        let triangle = fault([1.0, 1.0, 2.1, 0.0, 0.0, 0.0]).unwrap_or_default();
        assert!(triangle.contains("largest exceeds"), "{triangle}");
        let indefinite = fault([1.0, 1.0, 1.0, 2.0, 0.0, 0.0]).unwrap_or_default();
        assert!(indefinite.contains("not positive definite"), "{indefinite}");
        // Diagonal moments obey the triangle inequality, the principal ones do not.
        assert!(fault([1.0, 1.0, 1.0, 0.45, 0.0, 0.0]).is_none());
        assert!(fault([1.0, 1.0, 1.0, 0.6, 0.0, 0.0]).is_some());
    }
}
