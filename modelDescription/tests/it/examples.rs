//! The descriptions of the example models are sound in both versions.
#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_model::table;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use fixstep_model::Model;
use fixstep_model::table::Terminal;
use fixstep_variables::VariableTable;
use model_description::parse::FmiVersion;
use model_description::{Header, check, fmi2, fmi3, parse, terminals};

use crate::schema::{by_schema, xmllint};

#[test]
fn example_models_have_sound_descriptions() {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models");
    let (mut count, mut members) = (0, 0);
    for entry in fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path().join("model.json");
        if !path.is_file() {
            continue;
        }
        let model = Model::from_file(&path).unwrap();
        let table = table::of(&model.mechanism);
        let name = path.display();
        assert_eq!(table.unit_problems(), Vec::<String>::new(), "{name}");
        let header = Header::of(&model.mechanism, &model.packed().unwrap().token);
        for (xml, version, number) in [
            (fmi2::write(&header, &table), FmiVersion::V2, 2),
            (fmi3::write(&header, &table), FmiVersion::V3, 3),
        ] {
            let problems = check::description(&xml, version);
            assert_eq!(problems, Vec::new(), "{name}, FMI {number}");
            assert!(xmllint(&xml, number).is_none_or(|it| it.is_ok()), "{name}");
            members += check_terminals(&model, &table, &xml, version);
        }
        count += 1;
    }
    assert!(count >= 6 && members > 100, "{count} models, {members}");
}

/// The terminals are as the schema wants them and name variables of the description; the number of members.
fn check_terminals(
    model: &Model,
    table: &VariableTable,
    description: &str,
    version: FmiVersion,
) -> usize {
    let text = terminals::write(&Terminal::all(&model.mechanism, table), table, version);
    let verdict = by_schema(&text, "fmi3/fmi3TerminalsAndIcons.xsd");
    assert_eq!(verdict.unwrap_or(Ok(())), Ok(()), "{text}");
    let names = parse::description(description).unwrap().variables;
    let aliases = names.iter().flat_map(|v| &v.aliases).map(|a| &a.name);
    let names: BTreeSet<&String> = names.iter().map(|v| &v.name).chain(aliases).collect();
    let attributes = |name: &str| -> Vec<String> {
        let quoted = format!(" {name}=\"");
        let parts = text.split(&quoted).skip(1);
        parts
            .filter_map(|part| Some(part.split_once('"')?.0.replace("&apos;", "'")))
            .collect()
    };
    let members = attributes("variableName");
    for member in &members {
        assert!(names.contains(member), "{member} in {text}");
    }
    // Their pictures stand on the edges of the icon, and none on another.
    let corner = |name: &str| -> Vec<f64> {
        let all = attributes(name).into_iter().skip(2);
        all.map(|text| text.parse().unwrap()).collect()
    };
    let (left, low, right, high) = (corner("x1"), corner("y1"), corner("x2"), corner("y2"));
    for a in 0..left.len() {
        assert!([-200.0, 200.0].contains(&(left[a] + right[a])), "{text}");
        assert!(
            low[a] >= -100.0 && high[a] <= 100.0 && low[a] < high[a],
            "{text}"
        );
        for b in 0..a {
            assert!(
                left[a] != left[b] || low[a] > high[b] || low[b] > high[a],
                "{text}"
            );
        }
    }
    assert_eq!(attributes("iconBaseName").len(), left.len());
    let terminals = attributes("name");
    assert_eq!(terminals.len(), left.len());
    let unique: BTreeSet<&String> = terminals.iter().collect();
    assert_eq!(unique.len(), terminals.len(), "{terminals:?}");
    members.len()
}
