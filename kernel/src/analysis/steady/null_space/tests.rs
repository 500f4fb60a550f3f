//! Tests of pseudo-inverses and null spaces, with matrices of known rank.

use super::*;

/// A random-looking matrix of a given rank.
fn of_rank((m, n): (usize, usize), rank: usize) -> DMatrix<f64> {
    let entry = |r: usize, c: usize| crate::math::sin((1 + 7 * r * r + 13 * c + r * c) as f64);
    DMatrix::from_fn(m, rank, entry) * DMatrix::from_fn(rank, n, |r, c| entry(c + 3, r + 1))
}

#[test]
fn the_pseudo_inverse_and_the_null_space_keep_their_equations() {
    for (m, n, rank) in [
        (1, 1, 1),
        (3, 3, 0),
        (3, 7, 3),
        (7, 3, 3),
        (7, 3, 2),
        (6, 6, 4),
        (20, 31, 17),
        (31, 20, 9),
    ] {
        let a = of_rank((m, n), rank);
        let (inverse, free) = split(&a, 0.0).expect("finite numbers");
        assert_eq!(free.ncols(), n - rank, "{m} by {n} of rank {rank}");
        let none = 1e-9 * (1.0 + inverse.amax());
        // The conditions that define a pseudo-inverse (Penrose 1955).
        assert!((&a * &inverse * &a - &a).amax() < none);
        assert!((&inverse * &a * &inverse - &inverse).amax() < none);
        let (rows, columns) = (&a * &inverse, &inverse * &a);
        assert!((&rows - rows.transpose()).amax() < none);
        assert!((&columns - columns.transpose()).amax() < none);
        assert!((&a * &free).amax() < 1e-12);
        assert!((free.transpose() * &free - DMatrix::identity(n - rank, n - rank)).amax() < 1e-12);
    }
}

#[test]
fn rounding_of_what_a_matrix_comes_from_is_no_rank() {
    let a = DMatrix::from_element(2, 3, 1e-14);
    let (inverse, free) = split(&a, 1.0).expect("finite numbers");
    assert_eq!(inverse.amax(), 0.0);
    assert_eq!(free.ncols(), 3);
    assert!(split(&DMatrix::from_element(2, 3, f64::NAN), 1.0).is_none());
}
