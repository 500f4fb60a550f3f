//! Factors that leave out unknowns at rest, beside those of the whole matrix.

use super::super::moving::Rest;
use super::super::scalar::{ScalarEntry, ScalarLu};
use super::mechanism::{Plan, Random, Topology};
use super::*;

/// Does an unknown of a block move? Those of a body along x, along y and about z; of a joint those along x and y.
fn moves(k: usize) -> bool {
    matches!(k, 0 | 1 | 5)
}

/// What is between unknowns that move and those that do not becomes zero.
fn decouple(pattern: &Pattern, a: &mut TileMatrix) {
    for row in pattern.block_ids() {
        for (column, slot) in pattern.row(row) {
            for (i, j) in (0..TILE).flat_map(|i| (0..TILE).map(move |j| (i, j))) {
                if moves(i) != moves(j) {
                    a.tile_mut(slot)[entry(i, j)] = 0.0;
                }
            }
            assert!(column.index() < pattern.blocks());
        }
    }
}

fn plane(topology: &Topology, random: &mut Random) -> TileMatrix {
    let mut a = topology.values(random);
    decouple(&topology.pattern, &mut a);
    a
}

/// A right-hand side that moves nothing out of the plane.
fn in_plane(pattern: &Pattern, random: &mut Random) -> Vec<f64> {
    let mut b = random_vector(pattern, random);
    for (at, x) in b.iter_mut().enumerate() {
        if !moves(at % TILE) {
            *x = 0.0;
        }
    }
    b
}

/// max |A x − b| of max |b|.
fn residual(pattern: &Pattern, a: &TileMatrix, x: &[f64], b: &[f64]) -> f64 {
    let mut left = b.to_vec();
    a.add_product(pattern, -1.0, x, &mut left);
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    largest(&left) / largest(b)
}

/// Factors of a chain that moves in a plane, and the chain.
fn chain(random: &mut Random) -> (Topology, Factors) {
    let topology = Plan::chain(12, 5).build();
    let samples: Vec<_> = (0..4).map(|_| plane(&topology, random)).collect();
    let zero = |at: usize| samples.iter().all(|a| a.entries()[at] == 0.0);
    let rest = Rest {
        unknowns: (0..topology.pattern.padded())
            .map(|at| !moves(at % TILE))
            .collect(),
        entries: (0..samples[0].entries().len()).map(zero).collect(),
        samples: samples.clone(),
    };
    let whole = Factorization::analyse(&topology.pattern, &[&samples[0]]).unwrap();
    let mut factors = Factors::new(whole);
    factors.leave_out(&rest);
    (topology, factors)
}

#[test]
fn what_moves_is_solved_for_alone() {
    let mut random = Random(21);
    let (topology, mut factors) = chain(&mut random);
    // Three unknowns of each body and three multipliers of each joint.
    assert_eq!(factors.left_out(), 12 * (3 + 3));
    for _ in 0..50 {
        let a = plane(&topology, &mut random);
        let b = in_plane(&topology.pattern, &mut random);
        assert_eq!(factors.refactor(&a), Quality::Good);
        let mut x = b.clone();
        assert_eq!(factors.solve(&a, &mut x), Quality::Good);
        assert!(!factors.has_left_rest());
        let error = residual(&topology.pattern, &a, &x, &b);
        assert!(error < 1e-10, "residual {error}");
        let (matrix, rhs) = dense(&topology.pattern, &a, &b);
        let expected = matrix.full_piv_lu().solve(&rhs).unwrap();
        let (_, got) = dense(&topology.pattern, &a, &x);
        let difference = (&got - &expected).amax() / expected.amax();
        assert!(difference < 1e-8, "difference {difference}");
    }
    assert_eq!(factors.whole().counters().refactored, 0);
    let counters = factors.counters();
    assert_eq!((counters.refactored, counters.solved), (50, 50));
}

#[test]
fn who_leaves_the_plane_is_solved_for_with_the_others() {
    let mut random = Random(22);
    let (topology, mut factors) = chain(&mut random);
    let pattern = topology.pattern.clone();
    let a = plane(&topology, &mut random);
    let check = |factors: &mut Factors, a: &TileMatrix, b: &[f64], left: bool| {
        let mut x = b.to_vec();
        factors.solve(a, &mut x);
        assert_eq!(factors.has_left_rest(), left);
        let error = residual(&pattern, a, &x, b);
        assert!(error < 1e-6, "residual {error}");
    };
    // A load out of the plane: found with the solution, and the matrix of the same step serves.
    let b = random_vector(&pattern, &mut random);
    factors.refactor(&a);
    check(&mut factors, &a, &in_plane(&pattern, &mut random), false);
    check(&mut factors, &a, &b, true);
    check(&mut factors, &a, &in_plane(&pattern, &mut random), true);
    // The next matrix is one for the plane again.
    factors.refactor(&a);
    check(&mut factors, &a, &in_plane(&pattern, &mut random), false);
    // A coupling of what moves to what rests, and one that was zero within the plane.
    let body = topology.bodies[5].0;
    let slot = topology.slot(body, body);
    for (row, column) in [(3, 0), (2, 5)] {
        let mut bent = a.clone();
        bent.add(slot, row, column, 0.25);
        factors.refactor(&bent);
        check(&mut factors, &bent, &in_plane(&pattern, &mut random), true);
    }
    // One of what rests to what moves moves nothing.
    let mut bent = a.clone();
    bent.add(slot, 0, 3, 0.25);
    factors.refactor(&bent);
    check(&mut factors, &bent, &in_plane(&pattern, &mut random), false);
}

#[test]
fn an_entry_that_was_zero_by_structure_is_missed_by_nobody() {
    let mut random = Random(23);
    let (topology, mut factors) = chain(&mut random);
    let joint = topology.joints[4].block;
    let slot = topology.slot(joint, joint);
    let mut a = plane(&topology, &mut random);
    a.add(slot, 0, 1, -1e-3);
    let b = in_plane(&topology.pattern, &mut random);
    let mut x = b.clone();
    factors.refactor(&a);
    factors.solve(&a, &mut x);
    assert!(factors.has_left_rest());
    let error = residual(&topology.pattern, &a, &x, &b);
    assert!(error < 1e-6, "residual {error}");
}

#[test]
fn numbers_that_are_not_finite_go_to_the_whole_matrix() {
    let mut random = Random(24);
    let (topology, mut factors) = chain(&mut random);
    let body = topology.bodies[3].0;
    let mut a = plane(&topology, &mut random);
    a.add(topology.slot(body, body), 0, 0, f64::NAN);
    assert!(matches!(factors.refactor(&a), Quality::Singular { .. }));
    let a = plane(&topology, &mut random);
    assert_eq!(factors.refactor(&a), Quality::Good);
    let mut b = in_plane(&topology.pattern, &mut random);
    b[body.offset() + 2] = f64::NAN;
    factors.solve(&a, &mut b);
    assert!(factors.has_left_rest());
}

#[test]
fn a_pivot_that_vanishes_goes_to_the_whole_matrix() {
    let mut random = Random(25);
    let (topology, mut factors) = chain(&mut random);
    // A body without mass in its plane can be solved for, but not in the order of the others.
    let body = topology.bodies[7].0;
    let slot = topology.slot(body, body);
    let mut a = plane(&topology, &mut random);
    for (i, j) in (0..TILE).flat_map(|i| (0..TILE).map(move |j| (i, j))) {
        if moves(i) && moves(j) {
            a.tile_mut(slot)[entry(i, j)] *= 1e-14;
        }
    }
    factors.refactor(&a);
    assert!(factors.has_left_rest());
    let b = in_plane(&topology.pattern, &mut random);
    let mut x = b.clone();
    factors.solve(&a, &mut x);
    let error = residual(&topology.pattern, &a, &x, &b);
    assert!(error < 1e-6, "residual {error}");
}

#[test]
fn a_whole_matrix_that_is_singular_is_said_to_be_so() {
    let mut random = Random(27);
    let (topology, mut factors) = chain(&mut random);
    let body = topology.bodies[4].0;
    let mut a = plane(&topology, &mut random);
    // Nothing resists along z, which is nobody's matter as long as nothing pushes there.
    for (other, slot) in topology.pattern.row(body) {
        for k in 0..topology.pattern.size(other) {
            a.tile_mut(slot)[entry(2, k)] = 0.0;
        }
    }
    assert_eq!(factors.refactor(&a), Quality::Good);
    let mut b = in_plane(&topology.pattern, &mut random);
    assert_eq!(factors.solve(&a, &mut b.clone()), Quality::Good);
    b[body.offset() + 2] = 1.0;
    let mut x = b.clone();
    assert!(matches!(
        factors.solve(&a, &mut x),
        Quality::Singular { .. }
    ));
    assert_eq!(x, b);
}

/// A matrix of about so many entries a row, some of its rows without a diagonal; never singular.
fn sparse(size: usize, random: &mut Random) -> (Vec<(usize, usize)>, Vec<f64>) {
    let (mut places, mut values) = (Vec::new(), Vec::new());
    for i in 0..size {
        places.push((i, (i + size / 3) % size));
        values.push(4.0 + random.symmetric());
        for _ in 0..3 {
            let at = (i, (random.next() % size as u64) as usize);
            if !places.contains(&at) {
                places.push(at);
                values.push(random.symmetric());
            }
        }
    }
    (places, values)
}

#[test]
fn entries_are_factored_in_any_order() {
    let mut random = Random(26);
    for size in [1, 2, 3, 5, 12, 40, 90] {
        let (stand, values) = sparse(size, &mut random);
        let other: Vec<f64> = values.iter().map(|x| x * 1.25).collect();
        let entry = |(from, (row, column)): (usize, &(usize, usize))| ScalarEntry {
            row: *row,
            column: *column,
            from,
            samples: vec![values[from], other[from]],
        };
        let entries: Vec<_> = stand.iter().enumerate().map(entry).collect();
        // Unknowns stand somewhere in a longer vector.
        let places: Vec<usize> = (0..size).map(|k| 2 * k + 1).collect();
        let mut lu = ScalarLu::analyse(&places, &entries, |_, _| [1.0; 2]).unwrap();
        let mut a = DMatrix::zeros(size, size);
        for ((row, column), value) in stand.iter().zip(&values) {
            a[(*row, *column)] = *value;
        }
        assert!(lu.refactor(&values));
        let expected = DVector::from_fn(size, |_, _| random.symmetric());
        let b = &a * &expected;
        let mut x = vec![7.0; 2 * size + 1];
        for (k, value) in b.iter().enumerate() {
            x[2 * k + 1] = *value;
        }
        lu.solve(&mut x);
        for k in 0..size {
            let error = (x[2 * k + 1] - expected[k]).abs();
            assert!(error < 1e-11, "{size} rows: {error}");
        }
        assert!(x.iter().step_by(2).all(|x| *x == 7.0));
    }
}

#[test]
fn a_matrix_that_becomes_singular_is_refused() {
    let entry = |row, column, value| ScalarEntry {
        row,
        column,
        from: 2 * row + column,
        samples: vec![value],
    };
    let entries = [
        entry(0, 0, 2.0),
        entry(0, 1, 1.0),
        entry(1, 0, 1.0),
        entry(1, 1, 2.0),
    ];
    let mut lu = ScalarLu::analyse(&[0, 1], &entries, |_, _| [1.0; 2]).unwrap();
    assert!(lu.refactor(&[2.0, 1.0, 1.0, 2.0]));
    assert!(lu.refactor(&[2.0, 1.0, 1.0, 0.501]));
    // The last pivot has nobody below it: it cancels, or is no number.
    assert!(!lu.refactor(&[2.0, 1.0, 1.0, 0.5]));
    assert!(!lu.refactor(&[2.0, 1.0, 1.0, 0.5 + 1e-12]));
    assert!(!lu.refactor(&[2.0, 1.0, 1.0, f64::NAN]));
    assert!(!lu.refactor(&[0.0, 1.0, 1.0, 2.0]));
}

#[test]
fn without_an_admissible_pivot_there_is_no_order() {
    let entry = |row, column, samples: [f64; 2]| ScalarEntry {
        row,
        column,
        from: 2 * row + column,
        samples: samples.to_vec(),
    };
    // Each sample has an order, but not both the same.
    let entries = [
        entry(0, 0, [1.0, 0.0]),
        entry(0, 1, [0.0, 1.0]),
        entry(1, 0, [0.0, 1.0]),
        entry(1, 1, [1.0, 0.0]),
    ];
    assert!(ScalarLu::analyse(&[0, 1], &entries, |_, _| [1.0; 2]).is_none());
    assert!(ScalarLu::analyse(&[0, 1], &entries[..2], |_, _| [1.0; 2]).is_none());
}
