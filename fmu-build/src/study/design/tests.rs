//! Control plane: tests of which values runs have.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

/// The description of a study that varies two things.
fn design(method: &str, more: &str, vary: &str, nominal: &[f64]) -> Design {
    let text = format!(
        "{{fixstep_study: 1, name: \"s\", model: \"m.json\", method: \"{method}\", {more} vary: {vary}, series: [\"x\"]}}"
    );
    let spec = Spec::read("s.json", &text).unwrap();
    Design::new(&spec, nominal.iter().map(|x| Level::Number(*x)).collect()).unwrap()
}

fn numbers(design: &Design) -> Vec<Vec<f64>> {
    let number = |level: &Level| match level {
        Level::Number(value) => *value,
        Level::Word(_) => f64::NAN,
    };
    let row = |run| design.levels(run).iter().map(number).collect();
    (0..design.runs()).map(row).collect()
}

const TWO: &str =
    "[{parameter: \"a\", values: [1, 2]}, {path: \"b/c\", from: 10, to: 30, count: 3}]";

#[test]
fn a_grid_has_all_pairs_and_a_list_goes_side_by_side() {
    let grid = numbers(&design("grid", "", TWO, &[0.0, 0.0]));
    let known = [
        [1.0, 10.0],
        [1.0, 20.0],
        [1.0, 30.0],
        [2.0, 10.0],
        [2.0, 20.0],
        [2.0, 30.0],
    ];
    assert_eq!(grid, known);
    let pairs = "[{parameter: \"a\", values: [1, 2]}, {input: \"b\", values: [5, 6]}]";
    assert_eq!(
        numbers(&design("list", "", pairs, &[0.0, 0.0])),
        [[1.0, 5.0], [2.0, 6.0]]
    );
}

#[test]
fn one_at_a_time_begins_with_the_model_itself() {
    let design = design("one_at_a_time", "", TWO, &[7.0, 8.0]);
    let known = [
        [7.0, 8.0],
        [1.0, 8.0],
        [2.0, 8.0],
        [7.0, 10.0],
        [7.0, 20.0],
        [7.0, 30.0],
    ];
    assert_eq!(numbers(&design), known);
    let varied: Vec<Option<usize>> = (0..6).map(|run| design.varied(run)).collect();
    assert_eq!(varied, [None, Some(0), Some(0), Some(1), Some(1), Some(1)]);
}

#[test]
fn relative_numbers_are_added_or_multiplied() {
    let vary = "[{parameter: \"a\", values: [-1, 1], relative: \"add\"}, {parameter: \"b\", values: [0.5, 2], relative: \"multiply\"}]";
    assert_eq!(
        numbers(&design("list", "", vary, &[10.0, 4.0])),
        [[9.0, 2.0], [11.0, 8.0]]
    );
}

#[test]
fn draws_have_the_moments_of_their_distributions() {
    let vary = "[{parameter: \"u\", from: 2, to: 4},
      {parameter: \"n\", distribution: \"normal\", mean: 5, deviation: 0.5},
      {parameter: \"l\", distribution: \"lognormal\", median: 3, deviation: 0.25},
      {parameter: \"t\", distribution: \"triangular\", from: 0, peak: 1, to: 4},
      {parameter: \"c\", distribution: \"normal\", mean: 0, deviation: 1, least: 0},
      {parameter: \"g\", distribution: \"loguniform\", from: 1, to: 100}]";
    let normal = fixstep_kernel::math::exp(0.25 * 0.25 / 2.0);
    // Mean and deviation; of the half normal √(2/π) and √(1 − 2/π); of the triangle 5/3 and √(13/18).
    let pi = std::f64::consts::PI;
    let ln = fixstep_kernel::math::ln(100.0);
    let g = 99.0 / ln;
    let known = [
        (3.0, (1.0_f64 / 3.0).sqrt()),
        (5.0, 0.5),
        (3.0 * normal, 3.0 * normal * (normal * normal - 1.0).sqrt()),
        (5.0 / 3.0, (13.0_f64 / 18.0).sqrt()),
        ((2.0 / pi).sqrt(), (1.0 - 2.0 / pi).sqrt()),
        (g, (9999.0 / (2.0 * ln) - g * g).sqrt()),
    ];
    for (method, tolerance) in [
        ("monte_carlo", 0.04),
        ("latin_hypercube", 0.01),
        ("sobol", 0.01),
    ] {
        let rows = numbers(&design(method, "runs: 4096, seed: 11,", vary, &[0.0; 6]));
        for (k, (mean, deviation)) in known.iter().enumerate() {
            let column: Vec<f64> = rows.iter().map(|row| row[k]).collect();
            let found = (
                super::super::statistics::mean(&column),
                super::super::statistics::deviation(&column),
            );
            assert!(
                (found.0 - mean).abs() < tolerance * deviation,
                "{method} {k}: {found:?}"
            );
            assert!(
                (found.1 - deviation).abs() < 2.0 * tolerance * deviation,
                "{method} {k}: {found:?}"
            );
        }
    }
}

#[test]
fn draws_do_not_depend_on_how_many_there_are() {
    let vary = "[{parameter: \"a\", from: 0, to: 1}, {parameter: \"b\", values: [1, 2, 3]}]";
    for method in ["monte_carlo", "sobol"] {
        let few = design(method, "runs: 10, seed: 3,", vary, &[0.0; 2]);
        let many = design(method, "runs: 500, seed: 3,", vary, &[0.0; 2]);
        assert!(
            (0..10).all(|run| few.levels(run) == many.levels(run)),
            "{method}"
        );
        let other = design(method, "runs: 10, seed: 4,", vary, &[0.0; 2]);
        assert_ne!(few.levels(0), other.levels(0));
        for value in [1.0, 2.0, 3.0] {
            let count = numbers(&many).iter().filter(|row| row[1] == value).count();
            assert!((130..205).contains(&count), "{method} {value}: {count}");
        }
    }
}
