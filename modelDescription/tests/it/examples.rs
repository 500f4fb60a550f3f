//! The descriptions of the example models are sound in both versions.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::PathBuf;

use fixstep::model::Model;
use fixstep::variables::{VariableTable, instantiation_token};
use model_description::parse::FmiVersion;
use model_description::{Header, check, fmi2, fmi3};

use crate::schema::xmllint;

#[test]
fn example_models_have_sound_descriptions() {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models");
    let mut count = 0;
    for entry in fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path().join("model.json");
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let model = Model::from_file(&path).unwrap();
        let table = VariableTable::of(&model);
        let name = path.display();
        assert_eq!(table.unit_problems(), Vec::<String>::new(), "{name}");
        let header = Header::of(&model, &instantiation_token(&text, &model.files, &table));
        for (xml, version, number) in [
            (fmi2::write(&header, &table), FmiVersion::V2, 2),
            (fmi3::write(&header, &table), FmiVersion::V3, 3),
        ] {
            let problems = check::description(&xml, version);
            assert_eq!(problems, Vec::new(), "{name}, FMI {number}");
            assert!(xmllint(&xml, number).is_none_or(|it| it.is_ok()), "{name}");
        }
        count += 1;
    }
    assert!(count >= 6, "{count} models");
}
