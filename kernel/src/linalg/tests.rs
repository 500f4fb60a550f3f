//! Tests of the sparse solver: random saddle-point systems, against a dense solution that shares no code with the
//! tiles.
#![expect(clippy::unwrap_used, reason = "tests")]

mod mechanism;

use alloc::vec;
use alloc::vec::Vec;
use nalgebra::{DMatrix, DVector};

pub(super) use mechanism::Random;
use mechanism::{Plan, Topology};

use super::analyse::componentwise_error;
use super::*;

/// The matrix and a vector without padding.
fn dense(pattern: &Pattern, a: &TileMatrix, x: &[f64]) -> (DMatrix<f64>, DVector<f64>) {
    let n = pattern.dimension();
    let mut start = vec![0];
    for block in pattern.block_ids() {
        start.push(start[block.index()] + pattern.size(block));
    }
    let mut matrix = DMatrix::zeros(n, n);
    let mut vector = DVector::zeros(n);
    for row in pattern.block_ids() {
        for i in 0..pattern.size(row) {
            vector[start[row.index()] + i] = x[row.offset() + i];
            for (column, slot) in pattern.row(row) {
                for j in 0..pattern.size(column) {
                    matrix[(start[row.index()] + i, start[column.index()] + j)] =
                        a.tile(slot)[entry(i, j)];
                }
            }
        }
    }
    (matrix, vector)
}

fn random_vector(pattern: &Pattern, random: &mut Random) -> Vec<f64> {
    let mut x = vec![0.0; pattern.padded()];
    for block in pattern.block_ids() {
        for i in 0..pattern.size(block) {
            x[block.offset() + i] = random.symmetric();
        }
    }
    x
}

/// Solves for a random right side and returns the componentwise backward error.
fn solve_error(
    factorization: &mut Factorization,
    pattern: &Pattern,
    a: &TileMatrix,
    random: &mut Random,
) -> f64 {
    let b = random_vector(pattern, random);
    let mut x = b.clone();
    factorization.solve_refined(a, &mut x);
    componentwise_error(pattern, a, &x, &b)
}

fn check_against_dense(topology: &Topology, random: &mut Random) {
    let pattern = &topology.pattern;
    let a = topology.values(random);
    let mut factorization = Factorization::analyse(pattern, &[&a]).unwrap();
    assert_eq!(factorization.refactor(&a), Quality::Good);
    let b = random_vector(pattern, random);
    let mut x = b.clone();
    factorization.solve(&mut x);
    let error = componentwise_error(pattern, &a, &x, &b);
    assert!(error < 1e-10, "backward error {error}");
    let (matrix, rhs) = dense(pattern, &a, &b);
    let lu = matrix.clone().full_piv_lu();
    let expected = lu.solve(&rhs).unwrap();
    let (_, got) = dense(pattern, &a, &x);
    let difference = (&got - &expected).amax() / expected.amax();
    assert!(difference < 1e-6, "difference {difference}");
    check_transposed(&mut factorization, pattern, &a, random);
}

/// bᵀ A⁻¹ c is the same, computed from either side.
fn check_transposed(
    factorization: &mut Factorization,
    pattern: &Pattern,
    a: &TileMatrix,
    random: &mut Random,
) {
    let [b, c] = [0, 1].map(|_| random_vector(pattern, random));
    let [mut x, mut y] = [c.clone(), b.clone()];
    factorization.solve(&mut x);
    factorization.solve_transposed(&mut y);
    let (matrix, transposed) = dense(pattern, a, &y);
    let (_, wanted) = dense(pattern, a, &b);
    let size = matrix.abs().transpose() * transposed.abs() + wanted.abs();
    let apart = (matrix.transpose() * transposed - wanted).abs();
    let error = apart.component_div(&size).amax();
    assert!(error < 1e-10, "backward error of the transposed {error}");
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (left, right) = (product(&b, &x), product(&y, &c));
    let size = left.abs().max(right.abs()).max(1.0);
    assert!((left - right).abs() < 1e-6 * size, "{left} {right}");
}

#[test]
fn trees_loops_and_bushings_agree_with_dense() {
    let mut random = Random(1);
    for case in 0..60 {
        let bodies = 1 + case % 14;
        let plan = Plan::tree(bodies, case % 3, case % 5, &mut random);
        check_against_dense(&plan.build(), &mut random);
    }
}

#[test]
fn order_of_one_sample_serves_two_hundred_others() {
    let mut random = Random(2);
    let topology = Plan::tree(25, 4, 8, &mut random).build();
    let design = topology.values(&mut random);
    let mut factorization = Factorization::analyse(&topology.pattern, &[&design]).unwrap();
    for _ in 0..200 {
        let a = topology.values(&mut random);
        let quality = factorization.refactor(&a);
        assert!(
            matches!(quality, Quality::Good | Quality::Degraded { .. }),
            "{quality:?}"
        );
        let error = solve_error(&mut factorization, &topology.pattern, &a, &mut random);
        assert!(error < 1e-8, "{error}");
    }
    assert_eq!(factorization.counters().refactored, 200);
    assert_eq!(factorization.counters().dense, 0);
}

#[test]
fn chain_costs_a_constant_number_of_tiles_per_link() {
    let mut random = Random(3);
    let mut tiles = Vec::new();
    for links in [20, 40] {
        let topology = Plan::chain(links, 5).build();
        let a = topology.values(&mut random);
        let factorization = Factorization::analyse(&topology.pattern, &[&a]).unwrap();
        assert_eq!(factorization.size().1, 0);
        tiles.push(factorization.size().0);
    }
    // eight tiles per link: two diagonal and six coupling; and two kept diagonals
    assert!(tiles[0] <= 20 * 10 && tiles[1] <= 40 * 10, "{tiles:?}");
}

#[test]
fn two_joints_with_more_rows_than_the_link_has_freedoms() {
    // link 1 is constrained to links 0 and 2 by 3 + 4 rows: any order that eliminates it and then both joints is
    // singular
    let plan = Plan {
        sizes: vec![6; 3],
        joints: vec![(3, Some(0), 1), (4, Some(2), 1), (5, None, 0)],
        bushings: Vec::new(),
    };
    let topology = plan.build();
    let mut random = Random(4);
    for _ in 0..20 {
        check_against_dense(&topology, &mut random);
    }
}

#[test]
fn dummy_part_of_nearly_no_mass_keeps_its_digits() {
    let plan = Plan {
        sizes: vec![6; 3],
        joints: vec![(5, Some(0), 1), (5, Some(1), 2), (3, None, 0)],
        bushings: Vec::new(),
    };
    let topology = plan.build();
    let mut random = Random(5);
    for mass in [1e-6, 1e-9, 1e-12, 0.0] {
        let mut a = topology.values(&mut random);
        let dummy = topology.bodies[1].0;
        for value in a.tile_mut(topology.slot(dummy, dummy)) {
            *value *= mass;
        }
        let mut factorization = Factorization::analyse(&topology.pattern, &[&a]).unwrap();
        assert_eq!(factorization.refactor(&a), Quality::Good, "mass {mass}");
        let error = solve_error(&mut factorization, &topology.pattern, &a, &mut random);
        assert!(error < 1e-10, "mass {mass}: {error}");
    }
}

#[test]
fn redundant_joint_is_named() {
    let mut random = Random(6);
    let mut plan = Plan::chain(4, 5);
    plan.joints.push((2, Some(0), 1));
    let topology = plan.build();
    let mut a = topology.values(&mut random);
    // the last joint repeats two rows of the second one
    let (copy, original) = (&topology.joints[4], &topology.joints[1]);
    for body in [0, 1] {
        let block = topology.bodies[body].0;
        for i in 0..2 {
            for j in 0..6 {
                let value = a.tile(topology.slot(original.block, block))[entry(i, j)];
                a.tile_mut(topology.slot(copy.block, block))[entry(i, j)] = value;
                a.tile_mut(topology.slot(block, copy.block))[entry(j, i)] = value;
            }
        }
    }
    let result = Factorization::analyse(&topology.pattern, &[&a]);
    assert_eq!(result.err(), Some(Singular { block: copy.block }));
    // and if it becomes singular only later
    let regular = topology.values(&mut random);
    let mut factorization = Factorization::analyse(&topology.pattern, &[&regular, &a]).unwrap();
    assert_eq!(factorization.refactor(&regular), Quality::Good);
    assert_eq!(
        factorization.refactor(&a),
        Quality::Singular { block: copy.block }
    );
    let mut x = random_vector(&topology.pattern, &mut random);
    factorization.solve(&mut x);
    assert!(x.iter().all(|value| value.is_nan()));
    assert_eq!(factorization.counters().singular, 1);
}

/// Two coupled 2-blocks [[D, B], [C, E]] whose first tile can be made singular.
fn pair(d: f64) -> (Pattern, TileMatrix) {
    let mut builder = PatternBuilder::new();
    let (p, q) = (builder.add_block(2), builder.add_block(2));
    builder.add_entry(p, q);
    let pattern = builder.build();
    let mut a = TileMatrix::new(&pattern);
    for (row, column, values) in [
        (p, p, [d, 0.5, 0.5, 1.0]),
        (p, q, [1.0, 0.0, 0.25, 1.0]),
        (q, p, [1.0, 0.3, 0.0, 1.0]),
        (q, q, [0.0; 4]),
    ] {
        let slot = pattern.slot(row, column).unwrap();
        for (k, value) in values.into_iter().enumerate() {
            a.add(slot, k % 2, k / 2, value);
        }
    }
    (pattern, a)
}

#[test]
fn pivot_tile_that_becomes_singular_falls_back_to_dense() {
    let (pattern, design) = pair(2.0);
    let mut random = Random(7);
    let mut factorization = Factorization::analyse(&pattern, &[&design]).unwrap();
    for (d, expected) in [
        (
            0.25,
            Some(Counters {
                refactored: 1,
                dense: 1,
                ..Counters::default()
            }),
        ),
        (
            0.25 + 1e-9,
            Some(Counters {
                refactored: 1,
                degraded: 1,
                ..Counters::default()
            }),
        ),
        (
            0.25 + 1e-5,
            Some(Counters {
                refactored: 1,
                ..Counters::default()
            }),
        ),
        (f64::NAN, None),
    ] {
        let (_, a) = pair(d);
        factorization.reset_counters();
        let quality = factorization.refactor(&a);
        if let Some(expected) = expected {
            assert_eq!(factorization.counters(), expected, "{d}: {quality:?}");
            let error = solve_error(&mut factorization, &pattern, &a, &mut random);
            // What the loss leaves, or what refinement restores.
            let tolerance = if quality == Quality::Good {
                1e-9
            } else {
                1e-12
            };
            assert!(error < tolerance, "{d}: {error}");
        } else {
            assert_eq!(quality, Quality::Singular { block: BlockId(0) });
        }
    }
}

#[test]
fn zero_mass_everywhere_goes_to_the_trailing_block() {
    // no tile but the last is ever admissible: [[0, G'], [G, 0]] with square G
    let mut builder = PatternBuilder::new();
    let blocks: Vec<_> = (0..4).map(|_| builder.add_block(3)).collect();
    let couples = [(0, 1), (1, 2), (2, 3), (3, 0)];
    for (a, b) in couples {
        builder.add_entry(blocks[a], blocks[b]);
    }
    let pattern = builder.build();
    let mut random = Random(8);
    let mut a = TileMatrix::new(&pattern);
    for (p, q) in couples.into_iter().chain(couples.map(|(p, q)| (q, p))) {
        for value in a.tile_mut(pattern.slot(blocks[p], blocks[q]).unwrap()) {
            *value = random.symmetric();
        }
    }
    let mut factorization = Factorization::analyse(&pattern, &[&a]).unwrap();
    assert_eq!(factorization.size().1, 12);
    assert_eq!(factorization.refactor(&a), Quality::Good);
    let error = solve_error(&mut factorization, &pattern, &a, &mut random);
    assert!(error < 1e-12, "{error}");
}

#[test]
fn padding_is_neither_read_nor_left_dirty() {
    let mut random = Random(9);
    let topology = Plan::tree(12, 3, 4, &mut random).build();
    let pattern = &topology.pattern;
    let clean = topology.values(&mut random);
    let mut dirty = clean.clone();
    for row in pattern.block_ids() {
        for (column, slot) in pattern.row(row) {
            for j in 0..TILE {
                for i in 0..TILE {
                    if i >= pattern.size(row) || j >= pattern.size(column) {
                        dirty.tile_mut(slot)[entry(i, j)] = f64::NAN;
                    }
                }
            }
        }
    }
    let b = random_vector(pattern, &mut random);
    let mut dirty_b = b.clone();
    for block in pattern.block_ids() {
        dirty_b[block.offset() + pattern.size(block)..block.offset() + TILE].fill(1e300);
    }
    let mut first = Factorization::analyse(pattern, &[&clean]).unwrap();
    let mut second = Factorization::analyse(pattern, &[&dirty]).unwrap();
    assert_eq!(first.refactor(&clean), second.refactor(&dirty));
    let (mut x, mut y) = (b, dirty_b);
    first.solve(&mut x);
    second.solve(&mut y);
    assert_eq!(x, y);
    for block in pattern.block_ids() {
        let padding = block.offset() + pattern.size(block)..block.offset() + TILE;
        assert!(y[padding].iter().all(|&value| value == 0.0));
    }
}

#[test]
fn same_input_gives_the_same_bits_and_scaling_by_powers_of_two_changes_none() {
    let mut random = Random(10);
    let topology = Plan::tree(15, 3, 4, &mut random).build();
    let a = topology.values(&mut random);
    let b = random_vector(&topology.pattern, &mut random);
    let solve = |a: &TileMatrix, b: &[f64]| {
        let mut factorization = Factorization::analyse(&topology.pattern, &[a]).unwrap();
        factorization.refactor(a);
        let mut x = b.to_vec();
        factorization.solve(&mut x);
        x
    };
    let x = solve(&a, &b);
    assert_eq!(x, solve(&a, &b));
    // all units of the unknowns of all blocks times 4, equations times 1/16
    let mut scaled = a.clone();
    for block in topology.pattern.block_ids() {
        for (_, slot) in topology.pattern.row(block) {
            for value in scaled.tile_mut(slot) {
                *value /= 64.0;
            }
        }
    }
    let scaled_b: Vec<f64> = b.iter().map(|value| value / 16.0).collect();
    let y = solve(&scaled, &scaled_b);
    for (x, y) in x.iter().zip(&y) {
        assert_eq!(*x * 4.0, *y);
    }
}

#[test]
fn instruction_sets_give_the_same_bits_unless_they_fuse() {
    let mut random = Random(77);
    for case in 0..20 {
        let topology = Plan::tree(4 + case, case % 3, case % 5, &mut random).build();
        let a = topology.values(&mut random);
        let b = random_vector(&topology.pattern, &mut random);
        let mut factors = Factorization::analyse(&topology.pattern, &[&a]).unwrap();
        let mut solved = |set: InstructionSet| {
            factors.work_on(set);
            factors.refactor(&a);
            let mut x = b.clone();
            factors.solve(&mut x);
            x
        };
        let plain = solved(InstructionSet::Baseline);
        let same = |x: &[f64]| {
            x.iter()
                .zip(&plain)
                .all(|(x, y)| x.to_bits() == y.to_bits())
        };
        for set in InstructionSet::all(false) {
            assert!(same(&solved(set)), "{set:?}");
        }
        for set in InstructionSet::all(true).into_iter().skip(1) {
            let x = solved(set);
            assert!(!same(&x), "{set:?} does not fuse");
            let error = componentwise_error(&topology.pattern, &a, &x, &b);
            assert!(error < 1e-9, "{set:?}: {error}");
        }
    }
}
