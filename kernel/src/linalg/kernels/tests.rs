//! Tests of kernels on random tiles: inverses, growth, lengths of sums.

use super::*;
use crate::linalg::entry;
use crate::linalg::lanes::Plain;
use crate::linalg::tests::Random;

const UNIT: BlockScale = BlockScale {
    row: [1.0; TILE],
    column: [1.0; TILE],
};

fn random_tile(random: &mut Random, diagonal: f64) -> Tile {
    let mut tile: Tile = core::array::from_fn(|_| random.symmetric());
    for i in 0..TILE {
        tile[entry(i, i)] += diagonal;
    }
    tile
}

/// |D X - 1| on the leading part; zero elsewhere in X.
fn check_inverse(d: &Tile, x: &Tile, size: usize, tolerance: f64) {
    for j in 0..TILE {
        for i in 0..TILE {
            if i >= size || j >= size {
                assert_eq!(x[entry(i, j)], 0.0);
                continue;
            }
            let sum: f64 = (0..size).map(|k| d[entry(i, k)] * x[entry(k, j)]).sum();
            let expected = if i == j { 1.0 } else { 0.0 };
            assert!((sum - expected).abs() < tolerance, "({i}, {j}): {sum}");
        }
    }
}

#[test]
fn inverse_of_all_sizes_with_and_without_exchange() {
    let mut random = Random(11);
    for size in 1..=TILE {
        for diagonal in [4.0, -4.0, 0.0] {
            let mut d = random_tile(&mut random, diagonal);
            if diagonal == 0.0 && size > 1 {
                // the first pivot must be looked for
                d[0] = 0.0;
            }
            for k in size..TILE {
                d[entry(k, 0)] = f64::NAN;
                d[entry(0, k)] = f64::NAN;
            }
            let mut x = [7.0; TILE * TILE];
            let growth = invert::<Plain<false>>(&mut x, &d, &UNIT, &[1.0; TILE], size);
            assert!(growth.is_finite(), "size {size}, diagonal {diagonal}");
            check_inverse(&d, &x, size, 1e-11);
        }
    }
}

#[test]
fn growth_measures_cancellation_and_not_units() {
    let mut x = [0.0; TILE * TILE];
    for unit in [1.0, 1e-6, 1e9] {
        let mut d = [0.0; TILE * TILE];
        d[entry(0, 0)] = 2.0 * unit * unit;
        d[entry(1, 1)] = 3.0;
        d[entry(0, 1)] = 0.5 * unit;
        d[entry(1, 0)] = 0.5 * unit;
        let scale = BlockScale {
            row: [1.0 / unit, 1.0, 1.0, 1.0, 1.0, 1.0],
            column: [1.0 / unit, 1.0, 1.0, 1.0, 1.0, 1.0],
        };
        let fresh = invert::<Plain<false>>(
            &mut x,
            &d,
            &scale,
            &[2.0 * unit * unit, 3.0, 0.0, 0.0, 0.0, 0.0],
            2,
        );
        assert!((fresh.sqrt() - 6.0 / 5.75).abs() < 1e-12, "{fresh}");
        // the first diagonal entry was a million times larger once
        let history = [2e6 * unit * unit, 3.0, 0.0, 0.0, 0.0, 0.0];
        let worn = invert::<Plain<false>>(&mut x, &d, &scale, &history, 2);
        assert!((worn.sqrt() / 1e6 - 6.0 / 5.75).abs() < 1e-12, "{worn}");
    }
}

#[test]
fn singular_and_non_finite_tiles_show() {
    let mut x = [0.0; TILE * TILE];
    for (d, size) in [
        ([0.0; TILE * TILE], 3),
        ([1.0; TILE * TILE], 2),
        ([f64::NAN; 36], 6),
    ] {
        let growth = invert::<Plain<false>>(&mut x, &d, &UNIT, &[1.0; TILE], size);
        assert!(!growth.is_finite(), "{growth}");
    }
    let mut d = [0.0; TILE * TILE];
    for i in 0..TILE {
        d[entry(i, i)] = 1.0;
    }
    d[entry(2, 4)] = f64::INFINITY;
    let growth = invert::<Plain<false>>(&mut x, &d, &UNIT, &[1.0; TILE], TILE);
    assert!(!growth.is_finite(), "{growth}");
}

#[test]
fn products_stop_at_their_lengths() {
    let mut random = Random(12);
    let (a, b) = (random_tile(&mut random, 0.0), random_tile(&mut random, 0.0));
    let before = random_tile(&mut random, 0.0);
    let x: Column = core::array::from_fn(|_| random.symmetric());
    for inner in 1..=TILE {
        for columns in 1..=TILE {
            let mut c = before;
            subtract_product::<Plain<false>>(&mut c, &a, &b, inner, columns);
            for j in 0..TILE {
                for i in 0..TILE {
                    let sum: f64 = (0..inner).map(|k| a[entry(i, k)] * b[entry(k, j)]).sum();
                    let product = if j < columns { sum } else { 0.0 };
                    let expected = before[entry(i, j)] - product;
                    assert!((c[entry(i, j)] - expected).abs() < 1e-14);
                }
            }
        }
        let mut c = before;
        product::<Plain<false>>(&mut c, &a, &b, inner);
        let mut y = [0.0; TILE];
        matvec::<Plain<false>>(&a, &x, inner).store(&mut y);
        for i in 0..TILE {
            let sum: f64 = (0..inner).map(|k| a[entry(i, k)] * b[entry(k, 0)]).sum();
            assert!((c[entry(i, 0)] - sum).abs() < 1e-14);
            let sum: f64 = (0..inner).map(|k| a[entry(i, k)] * x[k]).sum();
            assert!((y[i] - sum).abs() < 1e-14);
        }
    }
}
