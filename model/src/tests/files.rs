//! Files beside the model.

use super::with;
use crate::{Model, resources};
use fixstep_kernel::mechanism::NamedText;

/// Files in memory.
fn memory(path: &str) -> Result<Vec<u8>, String> {
    let text = match path {
        "data/damper.csv" => "# bench\nspeed;force\n-1;-900\n-0.2;-420\n0;0\n0.2;300\n1;600\n",
        "plain.csv" => "0,5,1\n1,6,2\n3,7,0\n",
        "map.csv" => {
            "rpm,0,0.5,1\n1000,-20,80,180\n3000,-30,110,250\n5000,-45,95,230\n6500,-60,55,170\n"
        }
        _ => return resources::none(path),
    };
    Ok(text.as_bytes().to_vec())
}

/// The value of an expression of splines.
fn value(splines: &str, expression: &str) -> f64 {
    let text = with(&format!(
        r#""splines": [{splines}], "outputs": [{{"name": "o", "expression": "{expression}"}}]"#
    ));
    let model = Model::read(&text, &memory).unwrap_or_else(|e| unreachable!("{e}"));
    let program = &model.mechanism.expressions[model.mechanism.outputs[0].expr.index()];
    program.value(&[], &mut vec![0.0; program.registers()])
}

#[test]
fn a_spline_from_a_file_is_the_spline_from_numbers() {
    let inline = r#"{"name": "s", "x": [-1, -0.2, 0, 0.2, 1], "y": [-900, -420, 0, 300, 600]}"#;
    let surface = r#"{"name": "s", "x": [1000, 3000, 5000, 6500], "z": [0, 0.5, 1],
        "y": [[-20, -30, -45, -60], [80, 110, 95, 55], [180, 250, 230, 170]]}"#;
    for (expression, numbers, files) in [
        (
            "AKISPL(0.37, 0, s)",
            inline,
            vec![
                r#"{"name": "s", "file": "data/damper.csv"}"#,
                r#"{"name": "s", "file": "data/damper.csv", "x": "speed", "y": "force"}"#,
                r#"{"name": "s", "file": "data/damper.csv", "x": 1, "y": 2}"#,
            ],
        ),
        (
            "INTERP(0.7, 1, s)",
            r#"{"name": "s", "x": [0, 1, 3], "y": [1, 2, 0]}"#,
            vec![r#"{"name": "s", "file": "plain.csv", "y": 3}"#],
        ),
        (
            "AKISPL(4200, 0.8, s)",
            surface,
            vec![
                r#"{"name": "s", "file": "map.csv", "z": "header"}"#,
                r#"{"name": "s", "file": "map.csv", "z": [0, 0.5, 1], "x": "rpm", "y": [2, 3, 4]}"#,
                r#"{"name": "s", "file": "map.csv", "z": "header", "y": ["0", "0.5", "1"]}"#,
            ],
        ),
    ] {
        let expected = value(numbers, expression);
        for file in files {
            assert_eq!(value(file, expression), expected, "{file}");
        }
    }
}

#[test]
fn a_string_names_a_file_and_is_a_constant_then() {
    let text = with(
        r#""strings": [
            {"name": "both", "start": "plain.csv"}, {"name": "said", "start": "no file"},
            {"name": "label", "start": "=both"}
        ],
        "splines": [{"name": "s", "file": "=both", "y": 3}],
        "sensors": [
            {"name": "a", "expression": "TIME", "comparison": "ge", "message": "=both"},
            {"name": "b", "expression": "TIME", "comparison": "ge", "message": "=said"}
        ],
        "outputs": [{"name": "o", "expression": "INTERP(0.7, 1, s)"}]"#,
    );
    let model = Model::read(&text, &memory).unwrap();
    assert!(model.files.contains_key("plain.csv") && model.files.len() == 1);
    let program = &model.mechanism.expressions[model.mechanism.outputs[0].expr.index()];
    let value = program.value(&[], &mut vec![0.0; program.registers()]);
    assert!((value - 1.7).abs() < 1e-15, "{value}");
    let settable: Vec<bool> = model
        .mechanism
        .texts
        .iter()
        .map(NamedText::settable)
        .collect();
    assert_eq!(settable, [false, true, false]);
    assert_eq!(
        model.mechanism.texts[2].start, "=both",
        "a text refers to nothing"
    );
}

#[test]
fn the_model_keeps_what_it_refers_to() {
    let two = r#""splines": [{"name": "a", "file": "plain.csv"}, {"name": "b", "file": "plain.csv", "y": 3}]"#;
    let model = Model::read(&with(two), &memory).unwrap();
    assert_eq!(model.files.len(), 1);
    assert_eq!(*model.files["plain.csv"], *memory("plain.csv").unwrap());
    let alone = Model::from_json(&with(two)).unwrap_err().to_string();
    assert_eq!(
        alone,
        "error: 5:47: splines[0] \"a\", field file: \"plain.csv\": the model was read without a folder to look for files in"
    );
}
