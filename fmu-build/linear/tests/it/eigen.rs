//! Tests of the roots of matrices, against published and exact values.

use faer::{Mat, c64};
use linear_analysis::eigen::{Balanced, Balancing, CONDITIONED, Eigen, Root, balance, eigen};
use serde_json::Value;

pub(crate) fn truth(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn matrix(rows: &Value) -> Mat<f64> {
    let rows = rows.as_array().unwrap();
    Mat::from_fn(rows.len(), rows.len(), |r, c| rows[r][c].as_f64().unwrap())
}

fn number(of: &Value, name: &str) -> f64 {
    of[name].as_f64().unwrap()
}

fn found(a: &Mat<f64>) -> Eigen {
    eigen(a, 0, Balancing::Auto).unwrap()
}

/// Roots against a table with `re`, `im`, `wn`, `zeta` in the order of frequencies.
pub(crate) fn as_in_table(what: &str, roots: &[Root], table: &Value, tolerance: f64) {
    let mut roots = roots.to_vec();
    roots.sort_by(|a, b| a.frequency().total_cmp(&b.frequency()));
    let table = table.as_array().unwrap();
    assert_eq!(roots.len(), table.len(), "{what}: {roots:?}");
    for (root, wanted) in roots.iter().zip(table) {
        let kind = wanted["kind"].as_str().unwrap();
        assert_eq!(kind == "complex", root.is_pair(), "{what}: {root:?}");
        let size = number(wanted, "wn");
        for (got, name, size) in [
            (root.value.re, "re", size),
            (root.value.im, "im", size),
            (root.frequency(), "wn", size),
            (root.damping_ratio(), "zeta", 1.0),
        ] {
            let error = (got - number(wanted, name)).abs();
            assert!(
                error <= tolerance * size.max(1e-3),
                "{what}, {name}: {got} for {wanted}"
            );
        }
    }
}

/// A x = λ x, yᴴ A = λ yᴴ, yᴴ x = 1.
fn vectors_fit(what: &str, a: &Mat<f64>, found: &Eigen, tolerance: f64) {
    let none = c64::new(0.0, 0.0);
    let n = a.nrows();
    let size = balance::size(a);
    for (k, root) in found.roots.iter().enumerate() {
        let long = (0..n)
            .map(|r| found.right[(r, k)].norm_sqr())
            .sum::<f64>()
            .sqrt();
        assert!(long > 0.0, "{what}: root {k} has no vector");
        let y = (0..n)
            .map(|r| found.left[(r, k)].norm_sqr())
            .sum::<f64>()
            .sqrt();
        let mut one = none;
        for r in 0..n {
            let ax = (0..n).fold(none, |sum, c| sum + found.right[(c, k)] * a[(r, c)]);
            let error = (ax - root.value * found.right[(r, k)]).norm();
            assert!(
                error <= tolerance * size * long,
                "{what}: right {k}, {error}"
            );
            let ya = (0..n).fold(none, |sum, c| sum + found.left[(c, k)].conj() * a[(c, r)]);
            let error = (ya - root.value * found.left[(r, k)].conj()).norm();
            assert!(error <= tolerance * size * y, "{what}: left {k}, {error}");
            one += found.left[(r, k)].conj() * found.right[(r, k)];
        }
        if !root.zero && y > 0.0 {
            assert!((one - 1.0).norm() < 1e-9, "{what}: {k}, {one}");
        }
    }
}

#[test]
fn the_published_table_and_its_conventions() {
    let truth = truth(include_str!(
        "../../../../tests/truth/F01_eigen_conventions/reference.json"
    ));
    let a = matrix(&truth["matrix_A_6x6_with_table1_spectrum"]);
    let all = found(&a);
    as_in_table("table 1", &all.roots, &truth["table_rows_for_A"], 1e-11);
    vectors_fit("table 1", &a, &all, 1e-13);
    // Real roots first, then pairs, each by frequency: modes 1 to 4 as they are printed.
    for (root, row) in all
        .roots
        .iter()
        .zip(truth["document_S0_table1"].as_array().unwrap())
    {
        let (wn, zeta) = (number(row, "printed_wn"), number(row, "printed_zeta"));
        assert!((root.frequency() - wn).abs() <= 2e-6 * wn, "{row}");
        assert!((root.damping_ratio() - zeta).abs() <= 2e-6, "{row}");
    }
    for row in truth["convention_examples"].as_array().unwrap() {
        let (re, im) = (number(&row["lam"], "re"), number(&row["lam"], "im"));
        let a = if im == 0.0 {
            Mat::from_fn(1, 1, |_, _| re)
        } else {
            Mat::from_fn(2, 2, |r, c| {
                if r == c {
                    re
                } else {
                    (c as f64 - r as f64) * im
                }
            })
        };
        let all = found(&a);
        assert_eq!(all.roots.len(), 1, "{row}");
        let root = all.roots[0];
        assert!(
            (root.frequency() - number(row, "wn")).abs() < 1e-14,
            "{row}"
        );
        assert!(
            (root.damping_ratio() - number(row, "zeta")).abs() < 1e-14,
            "{row}"
        );
        assert_eq!(
            root.value.re < 0.0,
            row["stable"].as_bool().unwrap(),
            "{row}"
        );
    }
}

#[test]
fn zero_roots_are_zero() {
    let truth = truth(include_str!(
        "../../../../tests/truth/F07_neutral_equilibrium/reference.json"
    ));
    let a = matrix(&truth["chain"]["A"]);
    for positions in [0, 3] {
        let all = eigen(&a, positions, Balancing::Auto).unwrap();
        as_in_table("chain", &all.roots, &truth["chain"]["table"], 1e-12);
        vectors_fit("chain", &a, &all, 1e-14);
        assert_eq!(all.roots[0].value, c64::new(0.0, 0.0));
        assert_eq!(all.roots[1].value, c64::new(0.0, 0.0));
        assert!(all.roots[1].zero && !all.roots[2].zero);
        // Both have the shape of the whole chain.
        for mode in 0..2 {
            for r in 0..3 {
                let ratio = all.right[(r, mode)] / all.right[(0, mode)];
                assert!((ratio - 1.0).norm() < 1e-12, "{positions}, {mode}: {ratio}");
            }
        }
    }
    let disc = found(&matrix(&truth["disc_with_drag"]["A"]));
    let values: Vec<f64> = disc.roots.iter().map(|root| root.value.re).collect();
    let drag = truth["disc_with_drag"]["exact"][1].as_f64().unwrap();
    assert_eq!(values, [0.0, drag]);
    let body = found(&matrix(&truth["free_planar_body"]["A"]));
    assert_eq!(body.roots.len(), 6);
    assert!(
        body.roots
            .iter()
            .all(|root| root.zero && root.frequency() == 0.0)
    );
}

#[test]
fn matrices_are_balanced_where_it_helps() {
    let truth = truth(include_str!(
        "../../../../tests/truth/F10_balancing/reference.json"
    ));
    for (name, case) in truth["matrices"].as_object().unwrap() {
        let a = matrix(&case["A"]);
        let all = found(&a);
        let r = number(case, "R_unbalanced");
        assert!(
            (all.conditioning / r - 1.0).abs() < 0.05,
            "{name}: {} for {r}",
            all.conditioning
        );
        let wanted = case["auto_balances"].as_bool().unwrap();
        assert_eq!(all.conditioning < CONDITIONED, wanted, "{name}");
        // Triangular matrices have no balance; what is far from one is balanced first.
        let changes = balance::scales(&a).iter().any(|scale| *scale != 1.0);
        assert!(
            !wanted || !changes || all.balanced != Balanced::No,
            "{name}: {:?}",
            all.balanced
        );
        for wanted in case["exact_eigenvalues"].as_array().unwrap() {
            let (re, im) = (number(wanted, "re"), number(wanted, "im"));
            let error = all
                .roots
                .iter()
                .map(|root| (root.value.re - re).hypot(root.value.im - im.abs()) / re.hypot(im));
            let least = error.fold(f64::INFINITY, f64::min);
            assert!(least < 1e-9, "{name}: {re} {im}, {least}");
        }
    }
    let a = matrix(&truth["matrices"]["stiff_units_mm_tonne"]["A"]);
    for (wanted, kind) in [
        (Balancing::On, Balanced::Wanted),
        (Balancing::Off, Balanced::No),
    ] {
        assert_eq!(eigen(&a, 0, wanted).unwrap().balanced, kind);
    }
    assert!(matches!(found(&a).balanced, Balanced::Smaller(factor) if factor > 1e5));
}

#[test]
fn the_bicycle_from_rest_to_ten_metres_a_second() {
    let truth = truth(include_str!(
        "../../../../tests/truth/F12_bicycle_whipple/reference.json"
    ));
    let parts = &truth["matrices"];
    let [mass, k0, k2, c1] = ["M", "K0", "K2", "C1"].map(|name| matrix(&parts[name]));
    let gravity = number(&truth["parameters"], "g");
    let det = mass[(0, 0)] * mass[(1, 1)] - mass[(0, 1)] * mass[(1, 0)];
    let inverse = Mat::from_fn(2, 2, |r, c| {
        let sign = if r == c { 1.0 } else { -1.0 };
        sign * mass[(1 - c, 1 - r)] / det
    });
    for speed in 0..=10 {
        let v = f64::from(speed);
        let stiffness =
            &inverse * Mat::from_fn(2, 2, |r, c| gravity * k0[(r, c)] + v * v * k2[(r, c)]);
        let damping = &inverse * Mat::from_fn(2, 2, |r, c| v * c1[(r, c)]);
        let a = Mat::from_fn(4, 4, |r, c| match (r < 2, c < 2) {
            (true, _) => f64::from(u8::from(c == r + 2)),
            (false, true) => -stiffness[(r - 2, c)],
            (false, false) => -damping[(r - 2, c - 2)],
        });
        let all = eigen(&a, 2, Balancing::Auto).unwrap();
        vectors_fit("bicycle", &a, &all, 1e-14);
        let wanted = truth["eigenvalues"][format!("v={speed}")]
            .as_array()
            .unwrap();
        let rows: usize = all
            .roots
            .iter()
            .map(|root| if root.is_pair() { 2 } else { 1 })
            .sum();
        assert_eq!(rows, 4, "{speed} m/s");
        for wanted in wanted {
            let (re, im) = (number(wanted, "re"), number(wanted, "im"));
            let error = all
                .roots
                .iter()
                .map(|root| (root.value.re - re).hypot(root.value.im - im.abs()));
            let least = error.fold(f64::INFINITY, f64::min);
            assert!(least < 2e-13, "{speed} m/s: {re} {im}, {least}");
        }
    }
}

#[test]
fn modal_damping_is_that_of_its_modes() {
    let truth = truth(include_str!(
        "../../../../tests/truth/F14_modal_damping_cratio/reference.json"
    ));
    let list = |name: &str| -> Vec<f64> {
        let all = truth[name].as_array().unwrap();
        all.iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let (hertz, damping) = (list("freqs_Hz"), list("modal_damping_c"));
    let f = 6 + hertz.len();
    let a = Mat::from_fn(2 * f, 2 * f, |r, c| {
        if r < f {
            return f64::from(u8::from(c == f + r));
        }
        let Some(mode) = (r - f).checked_sub(6) else {
            return 0.0;
        };
        match c {
            _ if c == r - f => -(core::f64::consts::TAU * hertz[mode]).powi(2),
            _ if c == r => -damping[mode],
            _ => 0.0,
        }
    });
    let all = eigen(&a, f, Balancing::Auto).unwrap();
    let zeros = all.roots.iter().filter(|root| root.zero).count();
    assert_eq!(
        zeros as u64,
        truth["rigid_body_zero_eigenvalues"].as_u64().unwrap()
    );
    // The root that is critically damped is double: two real ones.
    as_in_table("modal damping", &all.roots[12..], &truth["table"], 1e-6);
}

#[test]
fn vectors_of_repeated_roots_fit_each_other() {
    // Two equal oscillators behind a mixing of their states: four vectors, each left one meets its own right one only.
    let mix = |r: usize, c: usize| {
        if r == c {
            2.0
        } else {
            1.0 / (1.0 + r as f64 + 2.0 * c as f64)
        }
    };
    let plain = Mat::from_fn(4, 4, |r, c| match (r, c) {
        (0, 1) | (2, 3) => 5.0,
        (1, 0) | (3, 2) => -5.0,
        _ => 0.0,
    });
    let mixing = Mat::from_fn(4, 4, mix);
    let inverse = faer::linalg::solvers::DenseSolveCore::inverse(&mixing.partial_piv_lu());
    let a = &mixing * plain * inverse;
    let all = found(&a);
    assert_eq!(all.roots.len(), 2);
    vectors_fit("repeated", &a, &all, 1e-13);
    for (l, r) in [(0, 1), (1, 0)] {
        let product = (0..4).fold(c64::new(0.0, 0.0), |sum, k| {
            sum + all.left[(k, l)].conj() * all.right[(k, r)]
        });
        assert!(product.norm() < 1e-9, "{l}, {r}: {product}");
    }
}

/// Compared with the QR algorithm alone, in the same build and on the same matrix (best of several runs): zeros,
/// scaling, conditions and biorthogonal vectors cost less than the QR algorithm again.
#[test]
fn two_hundred_states_cost_little_more_than_their_qr() {
    let n = 200_usize;
    let f = n / 2;
    // A chain of masses between springs and dampers, as a form of second order.
    let band = |r: usize, c: usize, k: f64| match r.abs_diff(c) {
        0 => 2.0 * k,
        1 => -k,
        _ => 0.0,
    };
    let a = Mat::from_fn(n, n, |r, c| match (r < f, c < f) {
        (true, _) => f64::from(u8::from(c == f + r)),
        (false, true) => -band(r - f, c, 1e6 * (1.0 + r as f64 / n as f64)),
        (false, false) => -band(r - f, c - f, 0.3),
    });
    let mut best = [f64::INFINITY; 2];
    for _ in 0..2 {
        let start = std::time::Instant::now();
        let all = eigen(&a, f, Balancing::Auto).unwrap();
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        assert_eq!(all.roots.len(), f, "each pair once");
        let start = std::time::Instant::now();
        let alone = a.eigen().unwrap();
        best[1] = best[1].min(start.elapsed().as_secs_f64());
        assert_eq!(alone.S().dim(), n);
    }
    let [own, alone] = best;
    assert!(own < 3.0 * alone, "{own} s for {alone} s");
}
