//! Models that couple too much are refused by name, before they take all memory.

use fixstep_kernel::limits::DERIVATIVE_ROWS;
use fixstep_kernel::system::compile::{Selection, compile};
use fixstep_model::Model;

/// What is said of a row of parts, a variable "all" that depends on each of them, and more.
fn refusal(parts: usize, more: &str) -> String {
    let list = |item: &dyn Fn(usize) -> String, between: &str| {
        (0..parts).map(item).collect::<Vec<_>>().join(between)
    };
    let inertia = r#"{"xx": 1, "yy": 1, "zz": 1}"#;
    let text = format!(
        r#"{{"fixstep": 1, "name": "wide", "parts": [{}], "markers": [{}],
        "variables": [{{"name": "all", "expression": "{}"}}], {more}}}"#,
        list(
            &|k| format!(
                r#"{{"name": "p{k}", "mass": 1, "inertia": {inertia}, "center_of_mass": [0, 0, 0], "position": [{k}, 0, 0]}}"#
            ),
            ","
        ),
        list(&|k| format!(r#"{{"name": "m{k}", "part": "p{k}"}}"#), ","),
        list(&|k| format!("DX(m{k})"), "+"),
    );
    let compiled = match Model::from_json(&text) {
        Ok(model) => compile(&model.mechanism, Selection::Start)
            .map(drop)
            .map_err(|error| error.to_string()),
        Err(problems) => Err(problems.to_string()),
    };
    compiled.err().unwrap_or_default()
}

#[test]
fn couplings_that_spread_too_far_are_refused_by_name() {
    let general = r#""general_constraints": [{"name": "held", "expression": "all"}]"#;
    assert_eq!(refusal(200, general), "");
    let spread = refusal(260, general);
    assert!(spread.contains("more than 5000000 products"), "{spread}");
    assert!(
        spread.contains("general constraint \"held\", which depends on 260 groups"),
        "{spread}"
    );
}

#[test]
fn too_many_couplings_are_refused_by_name() {
    let general = |k: usize| format!(r#"{{"name": "held{k}", "expression": "all - {k}"}}"#);
    let generals = |n: usize| {
        let list: Vec<String> = (0..n).map(general).collect();
        format!(r#""general_constraints": [{}]"#, list.join(","))
    };
    let many = refusal(1001, &generals(1));
    assert!(many.contains("couplings of six unknowns"), "{many}");
    assert!(many.contains("general constraint \"held0\""), "{many}");
    // Not collected first.
    let more = refusal(200, &generals(500));
    assert!(more.contains("20000000 couplings"), "{more}");
}

#[test]
fn what_much_depends_on_is_limited() {
    let output = |k: usize| format!(r#"{{"name": "o{k}", "expression": "all * {k}"}}"#);
    let outputs = |n: usize| {
        let list: Vec<String> = (0..n).map(output).collect();
        format!(r#""outputs": [{}]"#, list.join(","))
    };
    let most = DERIVATIVE_ROWS / 1000;
    assert_eq!(refusal(1000, &outputs(most - 10)), "");
    let more = refusal(1000, &outputs(most + 10));
    assert!(more.contains("more than 8000000 rows"), "{more}");
}

#[test]
fn what_a_step_adds_up_is_limited() {
    // Half of the equations depend on all parts, and the others read the rates of all of these.
    let equations = |n: usize| {
        let equation = |k: usize, rate: &str| {
            format!(r#"{{"name": "y{k}", "derivative": "{rate} - {k}", "initial": 0}}"#)
        };
        let rates: Vec<String> = (0..n).map(|k| format!("DIF1(y{k})")).collect();
        let rates = rates.join("+");
        let first = (0..n).map(|k| equation(k, "all"));
        let all: Vec<String> = first
            .chain((n..2 * n).map(|k| equation(k, &rates)))
            .collect();
        format!(r#""differential_equations": [{}]"#, all.join(","))
    };
    assert_eq!(refusal(200, &equations(10)), "");
    let more = refusal(200, &equations(300));
    assert!(more.contains("more than 16000000 sums"), "{more}");
}
