//! Tests of the limits: a model at a limit is read, one beyond it is refused by name.

use super::{problems, with};
use crate::limits::{
    ARRAY_ELEMENTS, EXPRESSION_BYTES, EXPRESSION_NESTING, GRID_HEIGHTS, HULL_POINTS, JSON_NESTING,
    LIST_ENTRIES, LIST_NUMBERS, MACRO_NESTING, MACRO_WORDS, MODEL_BYTES, MODEL_VALUES, NAME_BYTES,
    TEXT_BYTES, TRIANGLES,
};
use crate::{Model, resources};

/// So many of something, in a row.
fn row(item: &str, count: usize) -> String {
    vec![item; count].join(",")
}

/// The expected messages at a limit and one beyond.
fn around(limit: usize, text: impl Fn(usize) -> String) -> [String; 2] {
    [limit, limit + 1].map(|n| problems(&with(&text(n))))
}

#[test]
fn the_size_of_a_model_is_limited() {
    let model = r#"{"fixstep": 1, "name": "a"}"#;
    let blank = |n: usize| format!("{model}{}", " ".repeat(n - model.len()));
    assert_eq!(problems(&blank(MODEL_BYTES as usize)), "");
    let beyond = problems(&blank(MODEL_BYTES as usize + 1));
    assert!(
        beyond.contains("67108865 bytes; a model may have at most 64 MiB"),
        "{beyond}"
    );
    // The array counts as well.
    let at = problems(&format!("[{}]", row("0", MODEL_VALUES - 1)));
    assert!(!at.contains("values in one model"), "{at}");
    let beyond = problems(&format!("[{}]", row("0", MODEL_VALUES)));
    assert!(beyond.contains("more than 4000000 values"), "{beyond}");
}

#[test]
fn lists_are_limited() {
    let macros = |n: usize| {
        let item = |k: usize| format!(r#"{{"name": "M{k}", "expression": "1"}}"#);
        let all: Vec<String> = (0..n).map(item).collect();
        format!(r#""macros": [{}]"#, all.join(","))
    };
    let [at, beyond] = around(LIST_ENTRIES, macros);
    assert!(!at.contains("entries"), "{at}");
    assert!(
        beyond.contains("macros: 100001 entries; a model may have at most 100000"),
        "{beyond}"
    );
    let spline = |n: usize| format!(r#""splines": [{{"name": "s", "x": [{}]}}]"#, row("0", n));
    let [at, beyond] = around(LIST_NUMBERS, spline);
    assert!(!at.contains("items"), "{at}");
    assert!(
        beyond.contains("splines[0] \"s\", field x: expected an array of at most 1000000 items"),
        "{beyond}"
    );
}

#[test]
fn json_is_nested_so_deep_and_no_deeper() {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(problems(&nested(JSON_NESTING)).contains("a model is one object"));
    let beyond = problems(&nested(JSON_NESTING + 1));
    assert!(
        beyond.contains("error: 1:128: nested too deeply; valid: at most 127 levels"),
        "{beyond}"
    );
}

#[test]
fn names_and_texts_are_limited() {
    let name = |n: usize| {
        format!(
            r#""inputs": [{{"name": "{}", "unit": "N"}}]"#,
            "x".repeat(n)
        )
    };
    let [at, beyond] = around(NAME_BYTES, name);
    assert_eq!(at, "");
    assert!(
        beyond.contains("field name: the name has 1001 bytes; valid: at most 1000"),
        "{beyond}"
    );
    let key = |n: usize| format!(r#""{}": 1"#, "x".repeat(n));
    let [at, beyond] = around(NAME_BYTES, key);
    assert!(at.contains("unknown field"), "{at}");
    assert!(
        beyond.contains("a key has 1001 bytes; valid: at most 1000"),
        "{beyond}"
    );
    let text = |n: usize| {
        format!(
            r#""strings": [{{"name": "s", "start": "{}"}}]"#,
            "x".repeat(n)
        )
    };
    let [at, beyond] = around(TEXT_BYTES, text);
    assert_eq!(at, "");
    assert!(
        beyond.contains("strings[0] \"s\", field start: the text has 1001 bytes"),
        "{beyond}"
    );
}

#[test]
fn expressions_are_limited() {
    let output = |text: &str| {
        format!(r#""outputs": [{{"name": "o", "unit": "1", "expression": "{text}"}}]"#)
    };
    let long = |n: usize| output(&("1".to_owned() + &" ".repeat(n - 1)));
    let [at, beyond] = around(EXPRESSION_BYTES, long);
    assert_eq!(at, "");
    assert!(
        beyond.contains("outputs[0] \"o\", field expression") && beyond.contains("65537 bytes"),
        "{beyond}"
    );
    let deep = |n: usize| output(&format!("{}1{}", "(".repeat(n - 1), ")".repeat(n - 1)));
    let [at, beyond] = around(EXPRESSION_NESTING, deep);
    assert_eq!(at, "");
    assert!(beyond.contains("nested more than 200 levels"), "{beyond}");
}

#[test]
fn macros_are_limited() {
    let calls = |n: usize| {
        let macros = (1..=n).map(|k| match k {
            1 => r#"{"name": "M1", "arguments": ["x"], "expression": "x"}"#.to_owned(),
            _ => format!(
                r#"{{"name": "M{k}", "arguments": ["x"], "expression": "M{}(x)"}}"#,
                k - 1
            ),
        });
        let macros: Vec<String> = macros.collect();
        format!(
            r#""macros": [{}], "outputs": [{{"name": "o", "expression": "M{n}(1)"}}]"#,
            macros.join(",")
        )
    };
    let [at, beyond] = around(MACRO_NESTING, calls);
    assert_eq!(at, "");
    assert!(
        beyond.contains("more than 50 macros that call one another"),
        "{beyond}"
    );
    // Ten times the words in each of six macros.
    let tenfold = |k: usize| {
        format!(
            r#"{{"name": "M{k}", "arguments": ["x"], "expression": "{}"}}"#,
            ["x"; 10].join("+")
        )
    };
    let bomb: Vec<String> = (1..=6).map(tenfold).collect();
    let text = format!(
        r#""macros": [{}], "outputs": [{{"name": "o", "expression": "M1(M2(M3(M4(M5(M6(1))))))"}}]"#,
        bomb.join(",")
    );
    let beyond = problems(&with(&text));
    assert!(
        beyond.contains(&format!("macros make more than {MACRO_WORDS} words")),
        "{beyond}"
    );
}

#[test]
fn what_every_step_looks_at_is_limited() {
    let array = |n: usize| format!(r#""arrays": [{{"name": "a", "start": [{}]}}]"#, row("1", n));
    let [at, beyond] = around(ARRAY_ELEMENTS, array);
    assert_eq!(at, "");
    assert!(
        beyond.contains("arrays[0] \"a\", field start: an array has 1 to 1000 values; found 1001"),
        "{beyond}"
    );
    let hull = |n: usize| {
        format!(
            r#""forces": [{{"name": "f", "type": "contact", "normal":
                {{"type": "impact", "stiffness": 1, "exponent": 2, "damping": 0, "depth": 1}},
                "i": "m", "j": "n",
                "shapes": {{"i": {{"type": "hull", "points": [{}]}}, "j": {{"type": "plane"}}}}}}]"#,
            row("[0, 0, 1]", n)
        )
    };
    let [at, beyond] = around(HULL_POINTS, hull);
    assert!(!at.contains("a hull has"), "{at}");
    assert!(
        beyond.contains("257 points; a hull has 1 to 256"),
        "{beyond}"
    );
}

#[test]
fn surfaces_from_files_are_limited() {
    let triangles = TRIANGLES + 1;
    let mesh = format!(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\n{}",
        "f 1 2 3\n".repeat(triangles)
    );
    let heights = format!("{}\n", row("0", 2001)).repeat(GRID_HEIGHTS / 2000);
    let source = |path: &str| match path {
        "road.obj" => Ok(mesh.clone().into_bytes()),
        "road.csv" => Ok(heights.clone().into_bytes()),
        _ => resources::none(path),
    };
    let road = |shape: &str| {
        let text = with(&format!(
            r#""forces": [{{"name": "f", "type": "contact", "normal":
                {{"type": "impact", "stiffness": 1, "exponent": 2, "damping": 0, "depth": 1}},
                "i": "m", "j": "n", "shapes": {{"i": {{"type": "sphere", "radius": 1}}, "j": {shape}}}}}]"#
        ));
        Model::read(&text, &source).unwrap_err().to_string()
    };
    let found = road(r#"{"type": "mesh", "file": "road.obj"}"#);
    assert!(
        found.contains("1000001 triangles; at most 1000000"),
        "{found}"
    );
    let found = road(r#"{"type": "heightmap", "file": "road.csv", "spacing": [1, 1]}"#);
    assert!(found.contains("4000000 in all"), "{found}");
}
