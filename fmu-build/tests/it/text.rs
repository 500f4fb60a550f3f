//! `fixstep expand`, `fixstep fmt`, `fixstep doc`, and places in messages.

use std::fs;

use crate::setup::{ends_with, example, pack_model, path, succeeds};
use fmu_build::package::own;

#[test]
fn the_flat_model_is_what_an_fmu_carries() {
    let folder = tempfile::tempdir().unwrap();
    let car = example("passive_vehicle");
    let flat = folder.path().join("flat.json");
    succeeds(&["expand", path(&car), "-o", path(&flat)]);
    let text = fs::read_to_string(&flat).unwrap();
    assert!(text.contains("\"fr.suspension.upright\"") && !text.contains("\"instances\""));
    // The flat text is its own flat text, and has the one form.
    assert_eq!(
        succeeds(&["expand", path(&flat)]).trim_end(),
        text.trim_end()
    );
    succeeds(&["fmt", path(&flat), "--check"]);
    let run = |model: &str| succeeds(&["run", model, "--no-trial", "--stop", "0.05", "-o", "-"]);
    assert_eq!(run(path(&flat)), run(path(&car)));
    let fmu = folder.path().join("car.fmu");
    pack_model(&car, &fmu, "3", false);
    let model = own::source(&fmu).unwrap().unwrap().unwrap();
    assert_eq!(model.mechanism.bodies.len(), 43);
}

#[test]
fn the_form_of_a_file_is_checked_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.json");
    fs::write(&file, "{fixstep: 1, // one\n \"name\": \"a\",}\n").unwrap();
    let said = ends_with(1, &["fmt", path(&file), "--check"]);
    assert!(said.contains("model.json: has another form"), "{said}");
    succeeds(&["fmt", path(&file)]);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, "{\n  \"fixstep\": 1, // one\n  \"name\": \"a\"\n}\n");
    succeeds(&["fmt", path(&file), "--check"]);
    fs::write(&file, "{\n  \"fixstep\" 1\n}\n").unwrap();
    let said = ends_with(1, &["fmt", path(&file)]);
    assert!(said.contains("model.json:2:13: expected `:`"), "{said}");
}

#[test]
fn tables_of_a_model_and_of_templates() {
    let page = succeeds(&["doc", path(&example("vehicle"))]);
    assert!(
        page.contains("| friction | 1 | 1 | 0.05 | 2 | between steps |"),
        "{page}"
    );
    assert!(page.contains("| steer | 0 | rad | -9 | 9 |"), "{page}");
    let templates = example("vehicle").with_file_name("suspension.json");
    let page = succeeds(&["doc", path(&templates)]);
    assert!(
        page.contains("## Template suspension") && page.contains("| chassis | part |"),
        "{page}"
    );
}

#[test]
fn messages_begin_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.json");
    let text = "{\n  \"fixstep\": 1,\n  \"name\": \"a\",\n  \"markers\": [\n    {\"name\": \"m\", \"part\": \"p\"}\n  ]\n}\n";
    fs::write(&file, text).unwrap();
    let said = ends_with(1, &["check", path(&file)]);
    let place = format!(
        "error: {}:5:27: markers[0] \"m\", field part: part \"p\" does not exist",
        path(&file)
    );
    assert!(said.contains(&place), "{said}");
    let said = ends_with(1, &["run", path(&file)]);
    assert!(said.contains(&place), "{said}");
    let json = ends_with(1, &["check", path(&file), "--json"]);
    assert!(
        json.contains(&format!("\"place\": \"{}:5:27\"", path(&file))),
        "{json}"
    );
}
