#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::fe::Symmetric;
use crate::sparse::Analysis;

/// A chain of n unit masses, springs between them and at both ends: λ_k = 4 sin²(kπ / 2(n + 1)).
fn chain(n: usize) -> Pencil {
    let mut k = Vec::new();
    let mut m = Vec::new();
    for j in 0..n {
        k.push((j, j, 2.0));
        m.push((j, j, 1.0));
        if j > 0 {
            k.push((j - 1, j, -1.0));
        }
    }
    Pencil::new(
        &Symmetric::from_entries(n, &mut k),
        &Symmetric::from_entries(n, &mut m),
    )
}

fn exact(n: usize, k: usize) -> f64 {
    let angle = k as f64 * std::f64::consts::PI / (2.0 * (n + 1) as f64);
    4.0 * fixstep_kernel::math::sin(angle).powi(2)
}

#[test]
fn a_chain_has_the_frequencies_of_the_closed_form() {
    for n in [1, 3, 10, 300] {
        let pencil = chain(n);
        let analysis = Analysis::new(&pencil, None).unwrap();
        let factor = analysis.factor(&pencil, 0.0).unwrap();
        let wanted = 40.min(n);
        let modes = lowest(&pencil, &factor, 0.0, wanted, RESIDUAL, &mut |_| ()).unwrap();
        assert_eq!(modes.values.len(), wanted);
        for (k, value) in modes.values.iter().enumerate() {
            let expected = exact(n, k + 1);
            assert!(
                (value / expected - 1.0).abs() < 1e-11,
                "{n} {k}: {value} {expected}"
            );
            let below = analysis
                .count_below(&pencil, expected * (1.0 - 1e-6))
                .unwrap();
            assert_eq!(below, k);
        }
        let weighted = modes.vectors.gram(&modes.vectors);
        for i in 0..wanted {
            for j in 0..wanted {
                let unit = f64::from(u8::from(i == j));
                assert!((weighted[(i, j)] - unit).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn a_shift_reaches_modes_of_frequency_zero() {
    // Free at both ends: λ_k = 4 sin²(kπ / 2n), k from 0.
    let n = 50;
    let mut pencil = chain(n);
    let last = pencil.stiffness.len() - 1;
    pencil.stiffness[0] = 1.0;
    pencil.stiffness[last] = 1.0;
    let analysis = Analysis::new(&pencil, None).unwrap();
    let factor = analysis.factor(&pencil, 0.01).unwrap();
    let modes = lowest(&pencil, &factor, 0.01, 5, RESIDUAL, &mut |_| ()).unwrap();
    assert!(modes.values[0].abs() < 1e-15);
    for k in 1..5 {
        let expected = exact(n - 1, k);
        assert!((modes.values[k] / expected - 1.0).abs() < 1e-11);
    }
}

#[test]
fn equal_frequencies_are_all_found_however_many() {
    // Twelve equal oscillators and thirty faster ones.
    let n = 42;
    let value = |j: usize| if j < 12 { 2.0 } else { 3.0 + j as f64 };
    let mut k: Vec<_> = (0..n).map(|j| (j, j, value(j))).collect();
    let mut m: Vec<_> = (0..n).map(|j| (j, j, 1.0)).collect();
    let pencil = Pencil::new(
        &Symmetric::from_entries(n, &mut k),
        &Symmetric::from_entries(n, &mut m),
    );
    let analysis = Analysis::new(&pencil, None).unwrap();
    let factor = analysis.factor(&pencil, 0.0).unwrap();
    let modes = lowest(&pencil, &factor, 0.0, 42, RESIDUAL, &mut |_| ()).unwrap();
    assert_eq!(modes.values.len(), 42);
    assert!(modes.values[..12].iter().all(|x| (x - 2.0).abs() < 1e-12));
    assert_eq!(analysis.count_below(&pencil, 2.5).unwrap(), 12);
}

#[test]
fn unknowns_without_mass_have_no_modes() {
    let mut k = vec![
        (0, 0, 2.0),
        (0, 1, -1.0),
        (1, 1, 2.0),
        (1, 2, -1.0),
        (2, 2, 2.0),
    ];
    let mut m = vec![(0, 0, 1.0), (2, 2, 1.0)];
    let pencil = Pencil::new(
        &Symmetric::from_entries(3, &mut k),
        &Symmetric::from_entries(3, &mut m),
    );
    let analysis = Analysis::new(&pencil, None).unwrap();
    let factor = analysis.factor(&pencil, 0.0).unwrap();
    // Without the middle mass: K = [[1.5, −0.5], [−0.5, 1.5]].
    let modes = lowest(&pencil, &factor, 0.0, 3, RESIDUAL, &mut |_| ()).unwrap();
    assert_eq!(modes.values.len(), 2);
    assert!((modes.values[0] - 1.0).abs() < 1e-13 && (modes.values[1] - 2.0).abs() < 1e-13);
}

#[test]
fn a_negative_mass_and_an_indefinite_stiffness_are_refused() {
    let mut k = vec![(0, 0, 1.0), (1, 1, 1.0)];
    let mut m = vec![(0, 0, 1.0), (1, 1, -1.0)];
    let pencil = Pencil::new(
        &Symmetric::from_entries(2, &mut k.clone()),
        &Symmetric::from_entries(2, &mut m),
    );
    let analysis = Analysis::new(&pencil, None).unwrap();
    let factor = analysis.factor(&pencil, 0.0).unwrap();
    let found = lowest(&pencil, &factor, 0.0, 2, RESIDUAL, &mut |_| ());
    assert_eq!(found.unwrap_err(), ModeError::Mass);
    k[1].2 = -1.0;
    let pencil = Pencil::new(
        &Symmetric::from_entries(2, &mut k),
        &Symmetric::from_entries(2, &mut [(0, 0, 1.0), (1, 1, 1.0)]),
    );
    let found = analysis.factor(&pencil, 0.0).unwrap_err();
    assert_eq!(found, FactorError::Indefinite(1));
}

/// A slender beam of n elements, held at both ends, that bends in one plane (Hermite, consistent mass): deflection and
/// slope of each point between, lengths and ratios one.
fn beam(n: usize) -> Pencil {
    let [k, m] = [
        [
            [12.0, 6.0, -12.0, 6.0],
            [6.0, 4.0, -6.0, 2.0],
            [-12.0, -6.0, 12.0, -6.0],
            [6.0, 2.0, -6.0, 4.0],
        ],
        [
            [156.0, 22.0, 54.0, -13.0],
            [22.0, 4.0, 13.0, -3.0],
            [54.0, 13.0, 156.0, -22.0],
            [-13.0, -3.0, -22.0, 4.0],
        ],
    ];
    let h = 1.0 / n as f64;
    let (mut stiffness, mut mass) = (Vec::new(), Vec::new());
    for element in 0..n {
        for (i, j) in (0..4).flat_map(|i| (i..4).map(move |j| (i, j))) {
            let place = |i: usize| {
                (2 * element + i)
                    .checked_sub(2)
                    .filter(|row| *row < 2 * (n - 1))
            };
            let (Some(row), Some(column)) = (place(i), place(j)) else {
                continue;
            };
            let turns = (i % 2 + j % 2) as i32;
            stiffness.push((row, column, k[i][j] * h.powi(turns - 3)));
            mass.push((row, column, m[i][j] / 420.0 * h.powi(turns + 1)));
        }
    }
    let size = 2 * (n - 1);
    Pencil::new(
        &Symmetric::from_entries(size, &mut stiffness),
        &Symmetric::from_entries(size, &mut mass),
    )
}

#[test]
fn most_modes_of_a_slender_beam_are_found_though_their_frequencies_span_many_decades() {
    for (n, counts) in [(30, [30, 45, 58]), (60, [40, 50, 60]), (100, [50, 60, 70])] {
        let pencil = beam(n);
        let analysis = Analysis::new(&pencil, None).unwrap();
        let factor = analysis.factor(&pencil, 0.0).unwrap();
        for wanted in counts {
            let modes = lowest(&pencil, &factor, 0.0, wanted, RESIDUAL, &mut |_| ()).unwrap();
            assert_eq!(modes.values.len(), wanted);
            // (βL)⁴ of a beam held at both ends: 4.730040744862704 and 7.853204624095838.
            let known = [500.563_901_740_4, 3_803.537_080_497_9];
            for (value, known) in modes.values.iter().zip(known) {
                assert!(
                    (value / known - 1.0).abs() < known / (100.0 * (n as f64).powi(4)),
                    "{n}: {value}"
                );
            }
            for k in [wanted / 3, wanted / 2, wanted - 1] {
                let value = modes.values[k];
                let below = |part: f64| analysis.count_below(&pencil, value * part).unwrap();
                assert_eq!(
                    (below(1.0 - 1e-6), below(1.0 + 1e-6)),
                    (k, k + 1),
                    "{n} {wanted}: {value}"
                );
            }
        }
    }
}
