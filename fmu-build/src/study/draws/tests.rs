//! Control plane: tests of the draws against published numbers and known properties.

use super::*;
use crate::study::statistics::{deviation, mean};

#[test]
fn philox_gives_its_published_numbers() {
    // kat_vectors of Random123.
    let ones = u32::MAX;
    for (counter, key, known) in [
        (
            [0; 4],
            [0; 2],
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
        ),
        (
            [ones; 4],
            [ones; 2],
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
        ),
        (
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ] {
        assert_eq!(philox(counter, key), known);
    }
}

#[test]
fn independent_draws_fill_the_interval() {
    let all: Vec<f64> = (0..40_000)
        .map(|k| unit(3, Purpose::Independent, 0, k))
        .collect();
    assert!(
        (mean(&all) - 0.5).abs() < 0.005
            && (deviation(&all) - (1.0_f64 / 12.0).sqrt()).abs() < 0.003
    );
    assert!(all.iter().all(|x| *x > 0.0 && *x < 1.0));
    let other = |seed, column| unit(seed, Purpose::Independent, column, 0);
    assert!(other(3, 0) != other(4, 0) && other(3, 0) != other(3, 1));
    let middle = unit(3, Purpose::Within, 0, 0);
    assert!(middle != all[0]);
}

#[test]
fn strata_are_drawn_from_once_each() {
    for column in 0..3 {
        let mut all = stratified(7, column, 500);
        assert!(all.windows(2).any(|pair| pair[0] > pair[1]));
        all.sort_by(f64::total_cmp);
        for (k, x) in all.iter().enumerate() {
            assert_eq!((x * 500.0) as usize, k);
        }
    }
    assert_ne!(stratified(7, 0, 500), stratified(7, 1, 500));
    assert_ne!(stratified(7, 0, 500), stratified(8, 0, 500));
}

#[test]
fn the_sequence_is_that_of_joe_and_kuo() {
    // The first points of the first three columns, in the order of the plain index: eighths.
    let eighths = |column| {
        (0..8)
            .map(|k| sobol::plain(column, k) >> 29)
            .collect::<Vec<_>>()
    };
    assert_eq!(eighths(0), [0, 4, 2, 6, 1, 5, 3, 7]);
    assert_eq!(eighths(1), [0, 4, 6, 2, 5, 1, 3, 7]);
    // SciPy 1.17, stats.qmc.Sobol(100, scramble=False): its points 700 and 1023 are in the order of Gray's code.
    let columns = [0, 1, 2, 10, 20, 40, 63, 99];
    let point =
        |index| columns.map(|column| f64::from(sobol::plain(column, index)) / 4_294_967_296.0);
    let gray = |k: u32| k ^ (k >> 1);
    assert_eq!(
        point(gray(700)),
        [
            0.280_273_437_5,
            0.098_632_812_5,
            0.137_695_312_5,
            0.418_945_312_5,
            0.325_195_312_5,
            0.829_101_562_5,
            0.436_523_437_5,
            0.563_476_562_5
        ]
    );
    assert_eq!(
        point(gray(1023)),
        [
            0.000_976_562_5,
            0.752_929_687_5,
            0.612_304_687_5,
            0.678_710_937_5,
            0.866_210_937_5,
            0.631_835_937_5,
            0.040_039_062_5,
            0.530_273_437_5
        ]
    );
}

#[test]
fn scrambling_keeps_the_net_and_moves_the_points() {
    // Of 64 points each interval of a 64th has one, in every column, and each of 8 by 8 fields in the first two.
    for column in [0, 1, 2, 50, 99] {
        let mut seen: Vec<usize> = (0..64)
            .map(|k| (sobol::scrambled(9, column, k) * 64.0) as usize)
            .collect();
        assert_ne!(
            seen,
            (0..64)
                .map(|k| (sobol::plain(column, k) >> 26) as usize)
                .collect::<Vec<_>>()
        );
        seen.sort_unstable();
        assert_eq!(seen, (0..64).collect::<Vec<_>>());
    }
    let field = |k| {
        let [x, y] = [0, 1].map(|column| (sobol::scrambled(9, column, k) * 8.0) as usize);
        8 * x + y
    };
    let mut fields: Vec<usize> = (0..64).map(field).collect();
    fields.sort_unstable();
    assert_eq!(fields, (0..64).collect::<Vec<_>>());
}

#[test]
fn a_sequence_is_more_even_than_draws() {
    let error = |x: &dyn Fn(usize, u32) -> f64| {
        let product = |k| (0..5).map(|column| 2.0 * x(column, k)).product::<f64>();
        ((0..1024).map(product).sum::<f64>() / 1024.0 - 1.0).abs()
    };
    let even = error(&|column, k| sobol::scrambled(2, column, k));
    let drawn = error(&|column, k| unit(2, Purpose::Independent, column as u32, u64::from(k)));
    assert!(even < 0.01 && even < 0.5 * drawn, "{even} {drawn}");
}

#[test]
fn quantiles_of_the_normal_distribution_are_known() {
    // Wichura's paper and tables.
    for (probability, known) in [
        (0.25, -0.674_489_750_196_081_7),
        (0.001, -3.090_232_306_167_813_5),
        (1e-20, -9.262_340_089_798_408),
        (0.975, 1.959_963_984_540_054),
    ] {
        let found = normal_quantile(probability);
        assert!(
            (found - known).abs() < 1e-14 * known.abs(),
            "{found} {known}"
        );
        assert!((normal_probability(known) - probability).abs() < 1e-13);
    }
    assert_eq!(normal_quantile(0.5), 0.0);
}
