//! What neither the schemas nor the common validators look at, in the descriptions of all examples: told here
//! from the standard once more, not by the checker that this crate has for users.
#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_model::table;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use fixstep_model::Model;
use fixstep_variables::VariableTable;
use model_description::parse::{self, Causality, Description, FmiVersion, Unknown};
use model_description::{Header, fmi2, fmi3};

/// Attributes of `<CoSimulation>` in FMI 2.0.
const FMI2: [&str; 11] = [
    "modelIdentifier",
    "needsExecutionTool",
    "canHandleVariableCommunicationStepSize",
    "canInterpolateInputs",
    "maxOutputDerivativeOrder",
    "canRunAsynchronuously",
    "canBeInstantiatedOnlyOncePerProcess",
    "canNotUseMemoryManagementFunctions",
    "canGetAndSetFMUstate",
    "canSerializeFMUstate",
    "providesDirectionalDerivative",
];

/// Attributes of `<CoSimulation>` in FMI 3.0.
const FMI3: [&str; 17] = [
    "modelIdentifier",
    "needsExecutionTool",
    "canBeInstantiatedOnlyOncePerProcess",
    "canGetAndSetFMUState",
    "canSerializeFMUState",
    "providesDirectionalDerivatives",
    "providesAdjointDerivatives",
    "providesPerElementDependencies",
    "canHandleVariableCommunicationStepSize",
    "maxOutputDerivativeOrder",
    "fixedInternalStepSize",
    "providesIntermediateUpdate",
    "mightReturnEarlyFromDoStep",
    "canReturnEarlyAfterIntermediateUpdate",
    "recommendedIntermediateInputSmoothness",
    "hasEventMode",
    "providesEvaluateDiscreteStates",
];

/// The descriptions of all examples, and of a model with every kind of array.
fn all() -> Vec<(String, FmiVersion, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models");
    let mut found = Vec::new();
    let mut add = |name: &str, header: &Header, table: &VariableTable| {
        let text = fmi2::write(header, table);
        found.push((name.to_owned(), FmiVersion::V2, text));
        let text = fmi3::write(header, table);
        found.push((name.to_owned(), FmiVersion::V3, text));
    };
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path().join("model.json");
        if !path.is_file() {
            continue;
        }
        let model = Model::from_file(&path).unwrap();
        let table = table::of(&model.mechanism);
        let token = model.packed().unwrap().token;
        add(
            &model.mechanism.name,
            &Header::of(&model.mechanism, &token),
            &table,
        );
    }
    let (header, table) = crate::sample::header_and_table();
    add(&header.name, &header, &table);
    found
}

/// Attributes of the first element of a name.
fn attributes(text: &str, element: &str) -> Vec<(String, String)> {
    let (_, rest) = text.split_once(&format!("<{element} ")).unwrap();
    let (inside, _) = rest.split_once('>').unwrap();
    let pairs = inside.trim_end_matches('/').split_terminator('"');
    let pairs: Vec<&str> = pairs.collect();
    let pair = |pair: &[&str]| {
        let name = pair[0].trim().trim_end_matches('=');
        (name.to_owned(), pair[1].to_owned())
    };
    pairs.chunks_exact(2).map(pair).collect()
}

#[test]
fn capabilities_are_spelt_as_the_version_spells_them() {
    for (name, version, text) in all() {
        let found = attributes(&text, "CoSimulation");
        let valid: &[&str] = match version {
            FmiVersion::V2 => &FMI2,
            FmiVersion::V3 => &FMI3,
        };
        let mut seen = BTreeSet::new();
        for (attribute, _) in &found {
            assert!(valid.contains(&attribute.as_str()), "{name}: {attribute}");
            assert!(seen.insert(attribute), "{name}: {attribute} twice");
        }
        let value = |names: [&str; 2]| {
            let is = |(attribute, _): &&(String, String)| names.contains(&attribute.as_str());
            found.iter().find(is).map(|(_, value)| value.as_str())
        };
        let state = value(["canGetAndSetFMUstate", "canGetAndSetFMUState"]);
        let bytes = value(["canSerializeFMUstate", "canSerializeFMUState"]);
        assert_eq!((state, bytes), (Some("true"), Some("true")), "{name}");
        let early = value(["canReturnEarlyAfterIntermediateUpdate", ""]);
        let update = value(["providesIntermediateUpdate", ""]);
        assert!(early != Some("true") || update == Some("true"), "{name}");
        if let Some(step) = value(["fixedInternalStepSize", ""]) {
            assert!(step.parse::<f64>().unwrap() > 0.0, "{name}");
        }
        let root = attributes(&text, "fmiModelDescription");
        let number = match version {
            FmiVersion::V2 => "2.0",
            FmiVersion::V3 => "3.0",
        };
        assert_eq!(root[0], ("fmiVersion".to_owned(), number.to_owned()));
    }
}

/// The variable that an entry of the model structure means.
fn meant(description: &Description, version: FmiVersion, number: u32) -> &parse::Variable {
    let variables = &description.variables;
    match version {
        // Read as positions from 0; in the text they count from 1.
        FmiVersion::V2 => &variables[number as usize],
        FmiVersion::V3 => {
            let mut found = variables.iter().filter(|v| v.reference == number);
            let variable = found.next().unwrap();
            assert!(found.next().is_none(), "value reference {number} twice");
            variable
        }
    }
}

#[test]
fn unknowns_are_outputs_and_depend_on_none() {
    let mut dependencies = 0;
    for (name, version, text) in all() {
        if version == FmiVersion::V2 {
            assert!(
                !text.contains("index=\"0\""),
                "{name}: indices count from 1"
            );
        }
        let description = parse::description(&text).unwrap();
        let check = |list: &[Unknown]| {
            let mut count = 0;
            for unknown in list {
                let output = meant(&description, version, unknown.reference);
                assert_eq!(output.causality, Causality::Output, "{name}");
                for known in unknown.dependencies.as_ref().unwrap() {
                    let known = meant(&description, version, *known);
                    let is = matches!(
                        known.causality,
                        Causality::Input | Causality::Parameter | Causality::Independent
                    );
                    assert!(is, "{name}: {} depends on {}", output.name, known.name);
                    count += 1;
                }
            }
            count
        };
        dependencies += check(&description.outputs) + check(&description.initial_unknowns);
        let outputs = description.variables.iter();
        let outputs = outputs.filter(|v| v.causality == Causality::Output).count();
        assert_eq!(description.outputs.len(), outputs, "{name}");
        assert_eq!(description.initial_unknowns.len(), outputs, "{name}");
    }
    assert!(dependencies > 100);
}

#[test]
fn starts_are_within_bounds_and_as_many_as_elements() {
    let mut arrays = 0;
    for (name, _, text) in all() {
        for variable in parse::description(&text).unwrap().variables {
            let size = variable.fixed_size().unwrap() as usize;
            arrays += usize::from(variable.is_array());
            let count = variable.start.len();
            let who = format!("{name}: {}", variable.name);
            assert!(count == 0 || count == size, "{who}: {count} of {size}");
            if !variable.kind.is_number() {
                continue;
            }
            let number = |text: &Option<String>| text.as_ref().map(|t| t.parse::<f64>().unwrap());
            let min = number(&variable.min).unwrap_or(f64::NEG_INFINITY);
            let max = number(&variable.max).unwrap_or(f64::INFINITY);
            assert!(min <= max, "{who}");
            for start in &variable.start {
                let start: f64 = start.parse().unwrap();
                assert!(min <= start && start <= max, "{who}: {start}");
            }
        }
    }
    assert!(arrays > 10, "{arrays} arrays");
}

#[test]
fn values_that_go_by_one_reference_are_one_value() {
    let mut aliases = 0;
    for (name, version, text) in all() {
        let description = parse::description(&text).unwrap();
        let mut seen: Vec<&parse::Variable> = Vec::new();
        for variable in &description.variables {
            let same = |other: &&&parse::Variable| {
                (other.kind, other.reference) == (variable.kind, variable.reference)
            };
            if let Some(first) = seen.iter().find(same) {
                let who = format!("{name}: {} and {}", first.name, variable.name);
                assert_eq!(version, FmiVersion::V2, "{who}");
                assert_eq!(first.causality, variable.causality, "{who}");
                assert_eq!(first.unit, variable.unit, "{who}");
                aliases += 1;
            } else {
                seen.push(variable);
            }
        }
        aliases += description
            .variables
            .iter()
            .map(|v| v.aliases.len())
            .sum::<usize>();
    }
    assert!(aliases >= 2, "{aliases} other names");
}
