//! Tests that random signals have the spectra that were asked for.

use super::{problems, with};
use crate::Model;
use fixstep_kernel::math;

const SPLINE: &str = r#"{"name": "s", "x": [1, 5, 10], "y": [0.01, 0.04, 0.0025]}"#;

/// The values of an expression of TIME over one second and more.
fn course(expression: &str, times: impl Iterator<Item = f64>) -> Vec<f64> {
    let text = with(&format!(
        r#""splines": [{SPLINE}], "outputs": [{{"name": "o", "expression": "{expression}"}}]"#
    ));
    let model = Model::from_json(&text).unwrap_or_else(|e| unreachable!("{e}"));
    let program = &model.mechanism.expressions[model.mechanism.outputs[0].expr.index()];
    let mut registers = vec![0.0; program.registers()];
    times
        .map(|time| program.value(&[time], &mut registers))
        .collect()
}

/// The mean square over a whole period: products of different sines vanish in the sum.
fn mean_square(expression: &str, period: f64) -> f64 {
    let count = 400;
    let times = (0..count).map(|k| period * f64::from(k) / f64::from(count));
    course(expression, times).iter().map(|y| y * y).sum::<f64>() / f64::from(count)
}

#[test]
fn the_mean_square_is_that_of_the_density() {
    // Straight from 1 to 5 Hz: 0.01 + 0.0075 (f - 1), of which midpoints give the integral exactly.
    let found = mean_square("INVPSD(TIME, s, 1, 5, 16, 0, 7)", 4.0);
    assert!((found / 0.1 - 1.0).abs() < 1e-12, "{found}");
    // Between logarithms a power of f: 0.01 f^0.8614 up to 5 Hz, 0.04 (f/5)^-4 beyond, its integral over the bands' middles.
    let found = mean_square("INVPSD(TIME, s, 1, 10, 18, 1, 7)", 2.0);
    let rise = math::ln(4.0) / math::ln(5.0);
    let middles = (0..18).map(|k| 1.25 + 0.5 * f64::from(k));
    let density = |f: f64| match f {
        _ if f < 5.0 => 0.01 * math::pow(f, rise),
        _ => 0.04 * (f / 5.0).powi(-4),
    };
    let wanted: f64 = middles.map(|f| 0.5 * density(f)).sum();
    assert!((found / wanted - 1.0).abs() < 1e-12, "{found} {wanted}");
}

#[test]
fn a_seed_is_a_course() {
    let at = |seed: &str| {
        course(
            &format!("INVPSD(TIME, s, 1, 10, 50, 0, {seed})"),
            (0..40).map(|k| 0.1 * f64::from(k)),
        )
    };
    assert_eq!(at("3"), at("3.2"));
    assert_ne!(at("3"), at("4"));
    // One sine: its frequency is the middle of the band, its amplitude follows from the density there.
    let times = (0..1000).map(|k| f64::from(k) / 3000.0);
    let one = course("INVPSD(TIME, s, 2, 4, 1, 0, 1)", times);
    let most = one.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
    let wanted = (2.0_f64 * 0.025 * 2.0).sqrt();
    assert!((most / wanted - 1.0).abs() < 1e-4, "{most} {wanted}");
}

#[test]
fn what_is_wrong_is_told_with_what_is_valid() {
    for (arguments, said) in [
        (
            "TIME, s, 5, 2, 9, 0, 1",
            "must rise from 0 or more; found 5 to 2",
        ),
        (
            "TIME, s, 1, 12, 9, 0, 1",
            "within those of the spline, 1 to 10",
        ),
        (
            "TIME, s, 1, 9, 2.5, 0, 1",
            "a whole number from 1 to 1000; found 2.5",
        ),
        ("TIME, s, 1, 9, 2, 3, 1", "straight lines (0)"),
        ("TIME, s, 1, 9, TIME, 0, 1", "fixed numbers"),
        ("TIME, t, 1, 9, 2, 0, 1", "spline \"t\" does not exist"),
        (
            "TIME, 3, 1, 9, 2, 0, 1",
            "the name of a spline belongs here",
        ),
        (
            "TIME, s, 1, 9, 2, 0",
            "INVPSD(x, spline, f0, f1, n, log, seed)",
        ),
    ] {
        let found = problems(&with(&format!(
            r#""splines": [{SPLINE}], "outputs": [{{"name": "o", "expression": "INVPSD({arguments})"}}]"#
        )));
        assert!(found.contains(said), "{arguments}: {found}");
    }
}
