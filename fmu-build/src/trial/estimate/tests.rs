//! Tests of the error estimate with invented runs.

use super::*;
use fixstep_kernel::math::{cos, pow, sin};

/// A sine with an error a·h^p over its course, at steps of 1, 1/2 and 1/4.
fn runs(error: f64, order: f64) -> [Vec<f64>; 3] {
    [1.0_f64, 0.5, 0.25].map(|h| {
        let at = |k: u32| {
            let t = 0.1 * f64::from(k);
            sin(t) + error * pow(h, order) * cos(t)
        };
        (0..40).map(at).collect()
    })
}

fn found(runs: &[Vec<f64>; 3], least: f64) -> Estimate {
    let [a, b, c] = runs;
    let alike = Alike {
        size: 1.0,
        range: 2.0,
        still: 1e-9,
        least: 2e-3,
        noise: ROUNDING,
    };
    let orders = Orders {
        scheme: 2.0,
        least,
        most: 4.5,
    };
    estimate([a, b, c], alike, orders).0
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 0.02
}

#[test]
fn the_error_of_any_order_is_found() {
    for order in [1.0, 1.5, 2.0] {
        let estimate = found(&runs(1e-3, order), LEAST);
        assert_eq!(estimate.found, Found::Order);
        assert!(estimate.order.is_some_and(|p| (p - order).abs() < 0.01));
        let errors = estimate.errors.unwrap_or_default();
        assert!(near(errors[0], 1e-3), "{errors:?}");
        assert!(near(errors[1], 1e-3 * pow(0.5, order)), "{errors:?}");
        let shares = estimate.shares.unwrap_or_default();
        assert!(near(shares[0], 1e-3 / estimate.range));
    }
}

#[test]
fn a_chance_of_a_high_order_is_believed_by_half() {
    let estimate = found(&runs(1e-3, 4.0), LEAST);
    let [whole, half] = estimate.errors.unwrap_or_default();
    assert!(near(whole, 1e-3));
    // Between 1e-3/16 and 1e-3/4.
    assert!(near(half, 1e-3 / 8.0), "{half}");
}

#[test]
fn what_does_not_shrink_has_no_order() {
    for order in [0.0, 0.5, -1.0] {
        let mut runs = runs(1e-3, order);
        runs[1].iter_mut().for_each(|y| *y += 1e-4);
        let estimate = found(&runs, LEAST);
        assert_eq!((estimate.found, estimate.errors), (Found::NoOrder, None));
    }
    let mut broken = runs(1e-3, 2.0);
    broken[0][7] = f64::NAN;
    assert_eq!(found(&broken, LEAST).found, Found::NoOrder);
}

#[test]
fn rounding_is_no_error() {
    assert_eq!(found(&runs(1e-14, 0.5), LEAST).found, Found::Exact);
    // The same for reactions, whose rounding grows as the step shrinks.
    assert_eq!(found(&runs(1e-9, -2.0), LEAST).found, Found::Exact);
    let still = [0, 1, 2].map(|_| vec![3.0; 10]);
    assert_eq!(found(&still, LEAST).found, Found::Still);
}

#[test]
fn what_rests_is_judged_by_what_is_of_its_kind() {
    // Rounding of a washing machine at rest, which looks like an error with an order.
    let tiny = |size: f64| runs(1e-3, 2.0).map(|run| run.iter().map(|y| size * y).collect());
    assert_eq!(found(&tiny(1e-30), LEAST).found, Found::Still);
    assert_eq!(found(&tiny(1e-3), LEAST).found, Found::Order);
    // A length in micrometres beside one in metres.
    let columns = |size: f64| {
        runs(1e-3, 2.0).map(|run| {
            let far: Vec<f64> = run.iter().map(|y| size * y).collect();
            vec![run, far]
        })
    };
    let measure = |factor| Measure {
        dimension: Some([0, 1, 0, 0, 0, 0, 0, 0]),
        factor,
        ..Measure::default()
    };
    let courses = TrialRuns {
        names: ["way", "apart"].map(str::to_owned).to_vec(),
        units: ["m", "um"].map(str::to_owned).to_vec(),
        measures: vec![measure(1.0), measure(1e-6)],
        columns: columns(1.0).to_vec(),
        ..TrialRuns::default()
    };
    let [way, apart] = &all(&courses, 2.0)[..] else {
        unreachable!();
    };
    // Two micrometres are a millionth of two metres; a thousandth of two metres is the reference.
    assert!(near(apart.range, 1e3 * way.range), "{apart:?}");
    assert_eq!(apart.found, Found::Order);
}

#[test]
fn where_something_bends_an_order_must_be_that_of_the_scheme() {
    let suspect = |owner: &str, times| PossibleCause {
        owner: owner.to_owned(),
        what: "touches".to_owned(),
        times,
        first: 0.0,
    };
    let least = |suspects: Vec<PossibleCause>, holds, alike| {
        let courses = TrialRuns {
            suspects,
            holds,
            alike,
            ..TrialRuns::default()
        };
        Orders::of(&courses, 2.0).least
    };
    let floor = || vec![suspect("contact \"floor\"", 3)];
    assert_eq!(least(floor(), false, true), 1.85);
    assert_eq!(least(floor(), true, false), 1.85);
    assert_eq!(least(floor(), true, true), LEAST);
    // Kinks of the output itself, and permanent causes, do not count as events.
    let harmless = vec![suspect("output \"side\"", 9), suspect("the input table", 0)];
    assert_eq!(least(harmless, false, false), LEAST);
    assert_eq!(found(&runs(1e-3, 1.0), 1.85).found, Found::NoOrder);
}

#[test]
fn what_is_constant_but_for_its_error_is_measured_by_its_size() {
    // An energy of 5 J, which the scheme lets swing by 2·10⁻⁵ J.
    let drifting = |constant: f64| {
        [1.0_f64, 0.5, 0.25].map(|h| {
            let at = |k: u32| constant + 1e-5 * h * h * sin(0.1 * f64::from(k));
            (0..80).map(at).collect()
        })
    };
    let alike = |size: f64| Alike {
        size,
        range: 1e-6,
        still: 1e-9,
        least: 1e-9,
        noise: ROUNDING * size,
    };
    let orders = Orders {
        scheme: 2.0,
        least: LEAST,
        most: 4.5,
    };
    for (constant, scale) in [(5.0, 5.0), (-5.0, 5.0), (0.0, 1e-3)] {
        let [a, b, c]: [Vec<f64>; 3] = drifting(constant);
        let (estimate, _) = estimate([&a, &b, &c], alike(constant.abs()), orders);
        let share = estimate.shares.unwrap_or_default()[0];
        assert!(near(share, 1e-5 / scale), "{constant}: {share}");
    }
}

#[test]
fn outputs_of_unknown_kinds_lend_each_other_no_range() {
    let names = ["a", "b"].map(str::to_owned).to_vec();
    let courses = TrialRuns {
        units: vec![String::new(); 2],
        measures: vec![Measure::default(); 2],
        names,
        ..TrialRuns::default()
    };
    let columns = vec![vec![0.0, 1e-3], vec![0.0, 1e6]];
    let [small, large] = [0, 1].map(|k| alike((&courses.units, &courses.measures), &columns, k));
    assert_eq!((small.size, small.range), (1e-3, 1e-3));
    assert_eq!((large.size, large.range), (1e6, 1e6));
    // Rounding of one kind of output may be the same as that of another.
    assert_eq!(small.noise, large.noise);
}

#[test]
fn noise_of_what_is_constant_is_rounding() {
    let noisy = |part: f64| {
        [0.3, 0.5, 0.25].map(|more: f64| {
            let at = |k: u32| 1.0 + part * more * cos(f64::from(k * k));
            (0..40).map(at).collect()
        })
    };
    assert_eq!(found(&noisy(1e-8), LEAST).found, Found::Exact);
    assert_eq!(found(&noisy(1e-2), LEAST).found, Found::NoOrder);
}
