//! Compares the functions with references of independent origin in `tests/truth`.

use serde_json::Value;

use super::{assert_near, gradient, jet, program, value};
use crate::expr::TimeJet;
use fixstep_kernel::math::spline::{Beyond, Curve, Ends, Method};

fn reference(case: &str) -> Value {
    let path = format!(
        "{}/../tests/truth/{case}/reference.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| row.as_array().unwrap().iter().map(number).collect();
    value.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn smooth_steps_with_two_derivatives() {
    let case = reference("H01_step_functions");
    let arg = |name: &str| number(&case["args"][name]);
    for function in ["STEP", "STEP5", "HAVSIN"] {
        let text = format!("{function}(x, x0, h0, x1, h1)");
        let program = program(&text, &["x", "x0", "h0", "x1", "h1"]);
        let table = rows(&case["values"][function]);
        assert_eq!(table.len(), 17);
        for row in table {
            let leaves = [row[0], arg("x0"), arg("h0"), arg("x1"), arg("h1")];
            let what = format!("{function}({})", row[0]);
            assert_near(value(&program, &leaves), row[1], 1e-14, &what);
            assert_near(gradient(&program, &leaves).1[0], row[2], 2e-14, &what);
            let mut jets = leaves.map(TimeJet::constant);
            jets[0].first = 1.0;
            let jet = jet(&program, &jets);
            assert_near(jet.value, row[1], 1e-14, &what);
            assert_near(jet.first, row[2], 2e-14, &what);
            assert_near(jet.second, row[3], 5e-14, &what);
        }
    }
}

#[test]
fn splines_with_two_derivatives() {
    let case = reference("H03_splines");
    let list = |v: &Value| v.as_array().unwrap().iter().map(number).collect::<Vec<_>>();
    let (x, y) = (list(&case["x"]), list(&case["y"]));
    let cubic = &case["cubic"];
    for (method, table) in [
        (Method::Akima, &case["akima_1970"]),
        (Method::Cubic(Ends::Natural), &cubic["natural"]),
        (Method::Cubic(Ends::Fmm), &cubic["FMM_third_derivative_end"]),
    ] {
        let curve = Curve::new(&x, &[], std::slice::from_ref(&y), method, Beyond::Tangent);
        let table = rows(table);
        assert_eq!(table.len(), 17);
        for row in table {
            for order in 0..3 {
                let what = format!("{method:?}, derivative {order} at {}", row[0]);
                let (got, _) = curve.value(row[0], 0.0, order as u8);
                assert!((got - row[order + 1]).abs() < 1e-12, "{what}: {got}");
            }
        }
    }
}

#[test]
fn impact_on_one_side() {
    let case = reference("H02_impact_bistop");
    let arg = |name: &str| number(&case["IMPACT_args"][name]);
    let program = program(
        "IMPACT(x, v, x1, k, e, c, d)",
        &["x", "v", "x1", "k", "e", "c", "d"],
    );
    for row in rows(&case["IMPACT_values"]) {
        let leaves = [
            row[0],
            row[1],
            arg("x1"),
            arg("k"),
            arg("e"),
            arg("cmax"),
            arg("d"),
        ];
        assert_near(value(&program, &leaves), row[2], 1e-14, &format!("{row:?}"));
    }
}

#[test]
fn impact_on_two_sides() {
    let case = reference("H02_impact_bistop");
    let arg = |name: &str| number(&case["BISTOP_args"][name]);
    let names = ["x", "v", "x1", "x2", "k", "e", "c", "d"];
    let program = program("BISTOP(x, v, x1, x2, k, e, c, d)", &names);
    for row in rows(&case["BISTOP_values"]) {
        let leaves = [
            row[0],
            row[1],
            arg("x1"),
            arg("x2"),
            arg("k"),
            arg("e"),
            arg("cmax"),
            arg("d"),
        ];
        assert_near(value(&program, &leaves), row[2], 1e-14, &format!("{row:?}"));
    }
}

#[test]
fn series() {
    let case = reference("H07_expression_functions");
    let coefficients: Vec<String> = case["coeffs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| number(c).to_string())
        .collect();
    let list = coefficients.join(", ");
    let (x0, omega) = (number(&case["x0"]), number(&case["omega"]));
    for (key, text) in [
        ("POLY", format!("POLY(x, {x0}, {list})")),
        ("CHEBY", format!("CHEBY(x, {x0}, {list})")),
        ("FORCOS", format!("FORCOS(x, {x0}, {omega}, {list})")),
        ("FORSIN", format!("FORSIN(x, {x0}, {omega}, {list})")),
        (
            "SHF(x,x0,a=2,w,phi=0.4,b=0.1)",
            format!("SHF(x, {x0}, 2, {omega}, 0.4, 0.1)"),
        ),
    ] {
        let program = program(&text, &["x"]);
        let table = rows(&case[key]);
        assert_eq!(table.len(), 6);
        for row in table {
            assert_near(
                value(&program, &row[..1]),
                row[1],
                1e-14,
                &format!("{key} {row:?}"),
            );
        }
    }
}

/// A ball on IMPACT, by the classical Runge-Kutta method: the reference splits the run at contacts.
#[test]
fn a_ball_bounces_on_impact() {
    let case = reference("H02_impact_bistop");
    let arg = |name: &str| number(&case["bouncing_ball"][name]);
    let program = program(
        "IMPACT(z, v, x1, k, e, c, d)",
        &["z", "v", "x1", "k", "e", "c", "d"],
    );
    let mut registers = vec![0.0; program.registers()];
    let mut slope = |z: f64, v: f64| {
        let leaves = [z, v, arg("x1"), arg("k"), arg("e"), arg("cmax"), arg("d")];
        (
            v,
            program.value(&leaves, &mut registers) / arg("m") - arg("g"),
        )
    };
    let (mut z, mut v) = (arg("z0"), 0.0);
    let steps = 40_000;
    let h = 2.0 / f64::from(steps);
    for _ in 0..steps {
        let (z1, v1) = slope(z, v);
        let (z2, v2) = slope(z + 0.5 * h * z1, v + 0.5 * h * v1);
        let (z3, v3) = slope(z + 0.5 * h * z2, v + 0.5 * h * v2);
        let (z4, v4) = slope(z + h * z3, v + h * v3);
        z += h / 6.0 * (z1 + 2.0 * (z2 + z3) + z4);
        v += h / 6.0 * (v1 + 2.0 * (v2 + v3) + v4);
    }
    let end = &case["bouncing_ball"]["z_at_2s"];
    assert_near(z, number(&end[0]), 1e-7, "height at 2 s");
    assert_near(v, number(&end[1]), 1e-5, "velocity at 2 s");
}
