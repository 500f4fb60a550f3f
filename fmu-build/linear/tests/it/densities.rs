//! Tests of random excitation, and of densities from measured histories.

use super::responses::{complex, near, one_mass, truth, two_masses};
use faer::c64;
use fixstep_kernel::math::exp;
use linear_analysis::random::{Spectrum, WrongSpectrum};
use linear_analysis::response::excitation::Law;
use linear_analysis::response::grid::Plan;
use linear_analysis::response::{Route, Transfer};
use linear_analysis::spectra::{Curve, Densities, Histories, WrongSamples, fourier, usual_segment};
use serde_json::Value;

fn constant(value: f64) -> Law {
    Law::Constant(c64::new(value, 0.0))
}

/// The densities of the reference at a frequency.
fn reference(f: f64, crossed: bool) -> Spectrum {
    let mut entries = vec![
        (0, 0, constant(4.0 / (1.0 + (f / 3.0) * (f / 3.0)))),
        (1, 1, constant(9.0 * exp(-f / 5.0))),
    ];
    if crossed {
        entries.push((0, 1, Law::Constant(c64::new(1.5, -0.8) * exp(-f / 6.0))));
    }
    Spectrum {
        entries,
        ..Spectrum::default()
    }
}

#[test]
fn densities_of_outputs_are_those_of_the_reference() {
    let (truth, transfer) = (truth(), Transfer::new(&two_masses()));
    for point in truth["points"].as_array().unwrap() {
        let f = point["f_Hz"].as_f64().unwrap();
        let alone = reference(f, false)
            .densities(&transfer, f, Route::Direct)
            .unwrap();
        let crossed = reference(f, true);
        crossed.check(&[f], 2).unwrap();
        let own = crossed.densities(&transfer, f, Route::Modal).unwrap();
        let all = crossed.response(&transfer, f, Route::Direct).unwrap();
        for k in 0..5 {
            let wanted = point["PSD_out_uncorrelated"][k].as_f64().unwrap();
            assert!(
                (alone[k] - wanted).abs() <= 1e-11 * wanted + 1e-20,
                "{f} Hz {k}: {} for {wanted}",
                alone[k]
            );
            let wanted = complex(&point["PSD_out_cross_H_S_Hstar"][k]);
            near(
                &format!("{f} Hz {k}"),
                all[(k, k)],
                wanted,
                1e-11 * wanted.norm() + 1e-20,
            );
            assert!((own[k] - wanted.re).abs() <= 1e-11 * wanted.re + 1e-20);
            for j in 0..5 {
                near(
                    "the matrix is its own adjoint",
                    all[(k, j)],
                    all[(j, k)].conj(),
                    1e-12 * all[(k, k)].norm().max(1.0),
                );
            }
        }
    }
}

/// The mean square of the first output under white noise on an input, from 0 to a frequency far above all modes.
fn mean_square(transfer: &Transfer, input: usize, density: f64) -> f64 {
    let spectrum = Spectrum {
        entries: vec![(input, input, constant(density))],
        ..Spectrum::default()
    };
    let plan = Plan {
        from: 0.0,
        to: 20_000.0,
        points: 200,
        logarithmic: false,
        refined: true,
    };
    let grid = plan.grid(transfer.poles(), &[]).unwrap().frequencies;
    let variances = spectrum.variances(transfer, &grid, Route::Direct).unwrap();
    variances.between(&grid, 0, (0.0, 20_000.0))
}

#[test]
fn white_noise_has_the_variance_of_lyapunovs_equation() {
    // Unit two-sided density per rad/s over 2π, as the reference has it: x' = A x + B w, E(w w) = δ: two-sided 1 per Hz.
    let wanted = truth()["white_noise_variance_x2_for_unit_two_sided_PSD_force_on_m2"]
        .as_f64()
        .unwrap();
    let got = mean_square(&Transfer::new(&two_masses()), 1, 2.0);
    assert!((got / wanted - 1.0).abs() < 1e-8, "{got} for {wanted}");
    // One mass: σ² = π S₀/(c k) of a two-sided density per rad/s, which is 4 π S₀ one-sided per hertz.
    for damping in [0.004, 0.4, 40.0, 400.0] {
        let got = mean_square(
            &Transfer::new(&one_mass(damping)),
            0,
            4.0 * core::f64::consts::PI * 0.3,
        );
        let wanted = core::f64::consts::PI * 0.3 / (damping * 800.0);
        assert!(
            (got / wanted - 1.0).abs() < 1e-6,
            "{damping}: {got} for {wanted}"
        );
    }
}

#[test]
fn bands_share_the_mean_square_out() {
    let transfer = Transfer::new(&two_masses());
    let curve = Curve::new(
        vec![1.0, 2.0, 6.0],
        vec![c64::new(1.0, 0.0), c64::new(3.0, 0.0), c64::new(0.0, 0.0)],
    );
    let spectrum = Spectrum {
        entries: vec![(0, 0, Law::Sampled(curve.unwrap()))],
        ..Spectrum::default()
    };
    let mut breaks = spectrum.breaks();
    breaks.extend([2.5, 4.0]);
    let plan = Plan {
        from: 0.0,
        to: 10.0,
        points: 30,
        logarithmic: false,
        refined: true,
    };
    let grid = plan.grid(transfer.poles(), &breaks).unwrap().frequencies;
    let variances = spectrum.variances(&transfer, &grid, Route::Direct).unwrap();
    let whole = variances.between(&grid, 0, (0.0, 10.0));
    let bands = [(0.0, 2.5), (2.5, 4.0), (4.0, 10.0)];
    let sum: f64 = bands
        .iter()
        .map(|band| variances.between(&grid, 0, *band))
        .sum();
    assert!((sum / whole - 1.0).abs() < 1e-12);
    // An end of a band is in the grid but for rounding.
    let above = 2.5 * (1.0 + 3e-16);
    assert!(above > 2.5);
    let parts = [(0.0, above), (above, 10.0)].map(|band| variances.between(&grid, 0, band));
    assert!(((parts[0] + parts[1]) / whole - 1.0).abs() < 1e-12);
    // A fine sum of rectangles says the same.
    let count = 400_000;
    let step = 10.0 / f64::from(count);
    let middle = |k: i32| (f64::from(k) + 0.5) * step;
    let density = |f: f64| spectrum.densities(&transfer, f, Route::Modal).unwrap()[0];
    let fine: f64 = (0..count).map(|k| density(middle(k)) * step).sum();
    assert!((whole / fine - 1.0).abs() < 1e-6, "{whole} {fine}");
    assert_eq!(variances.between(&grid, 0, (0.0, 1.0)), 0.0);
}

#[test]
fn impossible_densities_are_refused() {
    let with = |cross: f64| Spectrum {
        entries: vec![
            (0, 0, constant(1.0)),
            (1, 1, constant(4.0)),
            (0, 1, constant(cross)),
        ],
        ..Spectrum::default()
    };
    assert!(with(2.0).check(&[1.0], 2).is_ok());
    assert_eq!(
        with(2.1).check(&[1.0], 2),
        Err(WrongSpectrum::Coherence(1, 2, 1.0))
    );
    // Any two of three may be so alike, but not all three: the least eigenvalue of their coherences is 1 - 2*0.9.
    let three = |last: f64| {
        let mut entries: Vec<_> = (0..3).map(|k| (k, k, constant(1.0))).collect();
        entries.extend([
            (0, 1, constant(0.9)),
            (1, 2, constant(0.9)),
            (0, 2, constant(last)),
        ]);
        let spectrum = Spectrum {
            entries,
            ..Spectrum::default()
        };
        spectrum.check(&[2.0], 3)
    };
    assert!(three(0.9).is_ok());
    assert_eq!(three(-0.9), Err(WrongSpectrum::Together(2.0)));
    let below = Spectrum {
        entries: vec![(1, 1, constant(-1.0))],
        ..Spectrum::default()
    };
    assert_eq!(below.check(&[3.0], 2), Err(WrongSpectrum::Density(2, 3.0)));
}

fn numbers(of: &Value) -> Vec<f64> {
    of.as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

#[test]
fn densities_of_histories_are_scipys() {
    let truth: Value = serde_json::from_str(include_str!(
        "../../../../tests/truth/W01_welch/reference.json"
    ))
    .unwrap();
    let [time, x, y] = ["time", "x", "y"].map(|name| numbers(&truth[name]));
    let histories = Histories {
        time: &time,
        channels: vec![&x, &y],
    };
    let found = histories.densities(Some(64)).unwrap();
    assert_eq!((found.length, found.segments), (64, 11));
    let frequencies = numbers(&truth["frequencies"]);
    assert_eq!(found.frequencies.len(), frequencies.len());
    let pair = |i, j| &found.pairs[Densities::place(i, j)];
    let [xx, yy, re, im] = ["xx", "yy", "yx_re", "yx_im"].map(|name| numbers(&truth[name]));
    for k in 0..frequencies.len() {
        assert!((found.frequencies[k] - frequencies[k]).abs() < 1e-9);
        near("xx", pair(0, 0)[k], c64::new(xx[k], 0.0), 1e-12);
        near("yy", pair(1, 1)[k], c64::new(yy[k], 0.0), 1e-12);
        // SciPy's csd(x, y) is E(conj(X) Y) = E(Y conj(X)).
        near("yx", pair(1, 0)[k], c64::new(re[k], im[k]), 1e-12);
    }
    // Averages of x x̄, y ȳ and y x̄ can be densities of two inputs.
    let law =
        |i, j| Law::Sampled(Curve::new(found.frequencies.clone(), pair(i, j).clone()).unwrap());
    let spectrum = Spectrum {
        entries: vec![(0, 0, law(0, 0)), (1, 1, law(1, 1)), (1, 0, law(1, 0))],
        ..Spectrum::default()
    };
    assert_eq!(spectrum.check(&found.frequencies, 2), Ok(()));
}

#[test]
fn wrong_histories_are_refused() {
    let time: Vec<f64> = (0..100).map(|k| f64::from(k) * 0.01).collect();
    let x = vec![1.0; 100];
    let of = |time: &[f64], segment| {
        Histories {
            time,
            channels: vec![&x],
        }
        .densities(segment)
        .map(|found| found.length)
    };
    assert_eq!(of(&time, None), Ok(16));
    assert_eq!(usual_segment(4096), 512);
    assert_eq!(of(&time, Some(60)), Err(WrongSamples::Segment(60, 100)));
    assert_eq!(of(&time, Some(128)), Err(WrongSamples::Segment(128, 100)));
    let mut uneven = time.clone();
    uneven[50] += 0.005;
    assert_eq!(of(&uneven, None), Err(WrongSamples::Times(51)));
    assert_eq!(of(&time[..5], None), Err(WrongSamples::Few(5, 8)));
}

#[test]
fn the_fast_transform_is_the_slow_one() {
    let x: Vec<c64> = (0..32)
        .map(|k| c64::new(f64::from(k * k % 17), f64::from(k * 7 % 5)))
        .collect();
    let mut fast = x.clone();
    fourier(&mut fast);
    for (k, fast) in fast.iter().enumerate() {
        let slow = x
            .iter()
            .enumerate()
            .fold(c64::new(0.0, 0.0), |sum, (j, x)| {
                sum + x * linear_analysis::response::polar(1.0, -360.0 * (j * k) as f64 / 32.0)
            });
        near("line", *fast, slow, 1e-12);
    }
    let mut one = [c64::new(3.0, 1.0)];
    fourier(&mut one);
    assert_eq!(one[0], c64::new(3.0, 1.0));
}

#[test]
fn curves_are_linear_between_points_and_zero_outside() {
    let of = |f: &[f64]| {
        Curve::new(
            f.to_vec(),
            f.iter().map(|f| c64::new(10.0 * f, 1.0)).collect(),
        )
    };
    let curve = of(&[1.0, 3.0]).unwrap();
    let at = |f| curve.at(f);
    assert_eq!((at(0.5), at(3.5)), (c64::new(0.0, 0.0), c64::new(0.0, 0.0)));
    assert_eq!(
        (at(1.0), at(1.5), at(3.0)),
        (
            c64::new(10.0, 1.0),
            c64::new(15.0, 1.0),
            c64::new(30.0, 1.0)
        )
    );
    assert_eq!(of(&[1.0, 1.0]), Err(WrongSamples::Frequencies(2)));
    assert_eq!(of(&[]), Err(WrongSamples::Few(0, 1)));
}
