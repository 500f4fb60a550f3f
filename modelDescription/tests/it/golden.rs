//! The written text against the golden files, and what a reader makes of it.
//!
//! `FIXSTEP_BLESS=1 cargo test -p model-description` writes the golden files anew.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fs};

use fixstep_kernel::mechanism::Mode;
use fixstep_model::table;
use fixstep_variables::{Arrays, LOG_CATEGORIES, VariableKind, VariableTable};
use model_description::parse::{self, Description, FmiVersion, Type};
use model_description::{Header, fmi2, fmi3};

use crate::sample;

fn golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(name);
    if env::var_os("FIXSTEP_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    for (line, (expected, got)) in expected.lines().zip(text.lines()).enumerate() {
        assert_eq!(expected, got, "{name}, line {}", line + 1);
    }
    assert_eq!(expected, text, "{name}");
}

#[test]
fn text_is_the_golden_one() {
    let (header, table) = sample::header_and_table();
    golden("fmi2.xml", &fmi2::write(&header, &table));
    golden("fmi3.xml", &fmi3::write(&header, &table));
}

fn kind_of(kind: &VariableKind) -> Type {
    match kind {
        VariableKind::Real { .. } => Type::Float64,
        VariableKind::Integer { .. } => Type::Int32,
        VariableKind::Boolean { .. } => Type::Boolean,
        VariableKind::String { .. } => Type::String,
        VariableKind::Enumeration { .. } => Type::Enumeration,
    }
}

fn start_of(kind: &VariableKind) -> String {
    match kind {
        VariableKind::Real { start, .. } => start.to_string(),
        VariableKind::Integer { start, .. } => start.to_string(),
        VariableKind::Boolean { start } => start.to_string(),
        VariableKind::String { start } => start.clone(),
        VariableKind::Enumeration { start, .. } => start.to_string(),
    }
}

/// A variable of a table as a description has it: itself, an element of an array, or another name.
struct Shown<'a> {
    read: &'a parse::Variable,
    /// Which of its start values.
    element: usize,
    description: &'a str,
}

/// All that a description shows, by the names of the table.
fn shown(read: &Description) -> BTreeMap<String, Shown<'_>> {
    let mut all = BTreeMap::new();
    for variable in &read.variables {
        let mut add = |name: String, element: usize, description| {
            let shown = Shown {
                read: variable,
                element,
                description,
            };
            assert!(all.insert(name.clone(), shown).is_none(), "{name} twice");
        };
        let size = variable.fixed_size().unwrap() as usize;
        for k in 0..size {
            let name = if variable.is_array() {
                format!("{}[{}]", variable.name, k + 1)
            } else {
                variable.name.clone()
            };
            add(name, k, &variable.description);
        }
        for alias in &variable.aliases {
            add(alias.name.clone(), 0, &alias.description);
        }
    }
    all
}

fn check_round_trip(read: &Description, table: &VariableTable) {
    let mut all = shown(read);
    for (position, written) in table.iter() {
        let name = &written.name;
        let Shown {
            read: found,
            element,
            description,
        } = all.remove(name).unwrap();
        assert_eq!(description, written.description);
        let reference = written.alias.unwrap_or(position) - element as u32;
        assert_eq!(found.reference, reference, "{name}");
        assert_eq!(found.kind, kind_of(&written.kind), "{name}");
        assert_eq!(found.unit, written.unit());
        assert_eq!(
            format!("{:?}", found.causality),
            format!("{:?}", written.causality)
        );
        assert_eq!(
            format!("{:?}", found.variability),
            format!("{:?}", written.variability)
        );
        assert_eq!(
            format!("{:?}", found.initial),
            format!("{:?}", written.initial)
        );
        let start = written.has_start().then(|| start_of(&written.kind));
        let read = found.start.get(element);
        match (number(read), number(start.as_ref())) {
            (Some(read), Some(written)) => assert_eq!(read, written, "{name}"),
            _ => assert_eq!(read, start.as_ref(), "{name}"),
        }
    }
    assert!(all.is_empty(), "{:?}", all.keys());
    let outputs: Vec<_> = table
        .iter()
        .filter(|(_, variable)| !variable.initial_dependencies.is_empty())
        .filter(|(_, variable)| read.version == FmiVersion::V2 || variable.alias.is_none())
        .collect();
    assert!(outputs.len() > 3);
    let arrays = Arrays::of(table);
    for ((reference, output), (unknown, initial)) in outputs
        .iter()
        .zip(read.outputs.iter().zip(&read.initial_unknowns))
    {
        let known = |list: &[u32]| match read.version {
            FmiVersion::V2 => list.to_vec(),
            FmiVersion::V3 => arrays.references(list),
        };
        assert_eq!(unknown.reference, *reference);
        assert_eq!(unknown.dependencies, Some(known(&output.dependencies)));
        let wanted = known(&output.initial_dependencies);
        assert_eq!(initial.dependencies, Some(wanted));
    }
    let categories: Vec<&str> = LOG_CATEGORIES.iter().map(|(name, _)| *name).collect();
    assert_eq!(read.log_categories, categories);
}

#[test]
fn reader_gets_back_what_was_written() {
    let (header, table) = sample::header_and_table();
    for (text, version) in [
        (fmi2::write(&header, &table), FmiVersion::V2),
        (fmi3::write(&header, &table), FmiVersion::V3),
    ] {
        let read = parse::description(&text).unwrap();
        assert_eq!(read.version, version);
        assert_eq!(read.name, "Quarter car <1>");
        assert_eq!(read.description, header.description);
        assert_eq!(read.token, header.token);
        assert_eq!(read.generation_tool, header.tool);
        let co_simulation = read.co_simulation.as_ref().unwrap();
        assert_eq!(co_simulation.model_identifier, "Quarter_car__1_");
        assert!(co_simulation.can_get_and_set_state && co_simulation.can_serialize_state);
        assert!(co_simulation.can_handle_variable_step);
        assert!(!co_simulation.needs_execution_tool && !co_simulation.might_return_early);
        let internal = header
            .experiment
            .internal_step
            .filter(|_| version == FmiVersion::V3);
        assert_eq!(co_simulation.fixed_internal_step, internal);
        assert_eq!(read.default_experiment.step, Some(1e-3));
        assert_eq!(read.default_experiment.stop, Some(10.0));
        check_round_trip(&read, &table);
    }
}

/// By hand: what an output reads directly (road = 1, torque = 2, time = 0), and for accelerations
/// and reactions what drives the forces (torque = 2).
#[test]
fn dependencies_are_those_of_the_expressions() {
    let (header, table) = sample::header_and_table();
    let read = parse::description(&fmi3::write(&header, &table)).unwrap();
    let found: Vec<Vec<u32>> = read
        .outputs
        .iter()
        .map(|unknown| unknown.dependencies.clone().unwrap())
        .collect();
    // `load again` is another name, not an output of its own.
    let last = vec![2];
    assert_eq!(
        found,
        [vec![], vec![1], vec![0], vec![2], vec![2], vec![2], last]
    );
    // `gap` starts where mass (4) and torque (2) put it; `load` reads k (3) besides.
    let initial = |at: usize| read.initial_unknowns[at].dependencies.clone().unwrap();
    // Measures depend on whether and how the run begins in equilibrium as well.
    let start = ["solver.equilibrium", "solver.ramp"].map(|name| table.by_name(name).unwrap());
    assert_eq!(initial(0), [2, 4, start[0], start[1]]);
    assert_eq!(initial(4), [2, 3, 4, start[0], start[1]]);
    assert_eq!(initial(5), [2]);
}

/// NIST SP 811: 1 N/mm = 1000 kg/s²; 1 rad = 57.295… deg; t[°C] = T[K] − 273.15.
#[test]
fn units_are_defined_by_base_units() {
    let (header, table) = sample::header_and_table();
    let read = parse::description(&fmi2::write(&header, &table)).unwrap();
    let unit = |name: &str| read.units.iter().find(|unit| unit.name == name).unwrap();
    assert_eq!(
        unit("N/mm").base,
        Some(([1, 0, -2, 0, 0, 0, 0, 0], 1000.0, 0.0))
    );
    assert_eq!(unit("ms").base, Some(([0, 0, 1, 0, 0, 0, 0, 0], 1e-3, 0.0)));
    assert!((unit("rad").display_units[0].factor - 57.295_779_513_082_32).abs() < 1e-13);
    assert_eq!(unit("K").display_units[0].offset, -273.15);
    assert_eq!(read.variable("Temperature").unwrap().display_unit, "degC");
    // Grams do not show an acceleration, so nothing is said.
    assert_eq!(read.variable("acc[1]").unwrap().display_unit, "");
    let names: Vec<&str> = read.units.iter().map(|unit| unit.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "J", "K", "N", "N.m", "N/mm", "W", "kg", "lbf", "mm", "mm/s2", "ms", "rad", "s"
        ]
    );
}

#[test]
fn names_outside_the_grammar_make_the_convention_flat() {
    let (header, mut table) = sample::header_and_table();
    assert!(fmi2::write(&header, &table).contains("variableNamingConvention=\"structured\""));
    assert!(fmi2::write(&header, &table).contains("name=\"'front axle.z'\""));
    table.variables[1].name = "Straße".to_owned();
    assert!(fmi3::write(&header, &table).contains("variableNamingConvention=\"flat\""));
}

#[test]
fn a_model_without_outputs_has_an_empty_structure() {
    let (header, mut table) = sample::header_and_table();
    table.variables.truncate(5);
    for text in [fmi2::write(&header, &table), fmi3::write(&header, &table)] {
        assert!(text.contains("<ModelStructure/>"));
        assert!(!text.contains("EnumerationType") && !text.contains("<Enumeration"));
    }
}

/// A mode that is not for real time says so, and claims nothing that only a fixed step has.
#[test]
fn a_variable_step_is_declared() {
    let mut model = sample::model();
    let said = "Variable step (solver.mode): for a desk, not for real time.";
    for (own, wanted) in [
        ("", said.to_owned()),
        ("A car", format!("A car. {said}")),
        ("A car!", format!("A car! {said}")),
    ] {
        model.description = own.to_owned();
        model.solver.mode = Mode::Variable;
        let header = Header::of(&model, "token");
        assert_eq!(header.description, wanted);
        let table = table::of(&model);
        for (text, version) in [
            (fmi2::write(&header, &table), FmiVersion::V2),
            (fmi3::write(&header, &table), FmiVersion::V3),
        ] {
            assert!(!text.contains("fixedInternalStepSize"), "{version:?}");
            assert!(
                !text.contains("DirectionalDerivative=\"true\""),
                "{version:?}"
            );
            assert!(!text.contains("Derivatives=\"true\""), "{version:?}");
            let read = parse::description(&text).unwrap();
            assert_eq!(read.description, wanted);
            let mode = find_start(&read, "solver.mode");
            assert_eq!(mode, ["2"], "{version:?}");
        }
    }
}

/// The start of a variable.
fn find_start<'a>(read: &'a Description, name: &str) -> &'a [String] {
    let mut variables = read.variables.iter();
    &variables
        .find(|variable| variable.name == name)
        .unwrap()
        .start
}

/// A start as a number, which may be written in several ways.
fn number(start: Option<&String>) -> Option<f64> {
    start?.parse().ok()
}
