//! Control plane: macros, arrays of parameters, named texts, groups of signals.

use std::sync::Arc;

use crate::errors::{Report, quote};
use crate::expr::{CONSTANTS, FUNCTIONS, Macro, TOO_LONG, macro_fault};
use crate::limits::ARRAY_ELEMENTS;
use crate::names::Names;
use crate::read::{Item, List};
use crate::resolve::{lookup_names, mises};
use crate::schema::{ArrayQuantity, Document, MacroText, SignalGroup, StringQuantity};
use fixstep_kernel::ids::ParameterId;
use fixstep_kernel::mechanism::{NamedText, Parameter, Quantity, TextReaders, text_fault};

/// Data that expressions read by a name and an index.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    /// Macros.
    pub(crate) macros: Arc<[Macro]>,
    /// The parameters of each array.
    pub(crate) arrays: Vec<Vec<ParameterId>>,
    /// The signals of each group of plant inputs.
    pub(crate) plant_inputs: Vec<Vec<String>>,
    /// The signals of each group of plant outputs.
    pub(crate) plant_outputs: Vec<Vec<String>>,
}

/// Reads all of them; the elements of arrays are added to the parameters.
pub(super) fn data(
    document: &Document,
    names: &Names,
    parameters: &mut Vec<Option<Parameter>>,
    report: &mut Report,
) -> Data {
    let mut groups = |list: &List<SignalGroup>| -> Vec<Vec<String>> {
        let signals = |item: &Item<SignalGroup>| signals(item, names, report);
        list.0.iter().map(signals).collect()
    };
    let (plant_inputs, plant_outputs) = (
        groups(&document.plant_inputs),
        groups(&document.plant_outputs),
    );
    Data {
        macros: macros(&document.macros.0, report),
        arrays: arrays(&document.arrays.0, parameters, report),
        plant_inputs,
        plant_outputs,
    }
}

/// The signals of a group, each the name of something that expressions read.
fn signals(item: &Item<SignalGroup>, names: &Names, report: &mut Report) -> Vec<String> {
    let given = item.data.as_ref().map_or(&[][..], |group| &group.signals);
    for (k, signal) in given.iter().enumerate() {
        let known = names.inputs.get(signal).is_some()
            || names.parameters.get(signal).is_some()
            || names.variables.get(signal).is_some()
            || names.plan.control(signal).is_some_and(|c| c.scalar);
        if !known {
            let message = format!("there is no input, parameter or variable {}", quote(signal));
            report.add(&item.at.field("signals").index(k), message);
        }
    }
    given.to_vec()
}

/// The macros of the model after those of the language.
fn macros(items: &[Item<MacroText>], report: &mut Report) -> Arc<[Macro]> {
    let functions: Vec<&str> = lookup_names().collect();
    let known = |name: &str| {
        let own = FUNCTIONS.iter().map(|function| function.name);
        own.chain(functions.iter().copied())
            .chain(CONSTANTS.iter().map(|constant| constant.0))
            .chain(["TIME"])
            .any(|other| other.eq_ignore_ascii_case(name))
    };
    let begins = |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let identifier =
        |name: &str| begins(name) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // That of a template's macro is a path.
    let path = |name: &str| {
        begins(name) && name.contains('.') && crate::expr::name_length(name) == name.len()
    };
    let mut macros: Vec<Macro> = vec![mises()];
    let own = macros.len();
    let mut places = Vec::new();
    for item in items {
        let Some(data) = &item.data else { continue };
        for name in data.arguments.iter().chain([&data.name]) {
            let is = identifier(name) || path(name) && *name == data.name;
            if known(name) || !is {
                let message = format!(
                    "{} cannot name a macro or an argument: it must consist of letters, digits and \
                     \"_\" and not be the name of a function or constant",
                    quote(name)
                );
                report.add(&item.at.field("name"), message);
            }
        }
        let twice = |k: &usize| data.arguments[..*k].contains(&data.arguments[*k]);
        if let Some(k) = (0..data.arguments.len()).find(twice) {
            let message = format!("two arguments are called {}", quote(&data.arguments[k]));
            report.add(&item.at.field("arguments").index(k), message);
        }
        let same =
            |other: &&Macro| other.name != data.name && other.name.eq_ignore_ascii_case(&data.name);
        if let Some(other) = macros.iter().find(same) {
            let message = format!(
                "names of functions are not case-sensitive: there is a macro {} already",
                quote(&other.name)
            );
            report.add(&item.at.field("name"), message);
        }
        places.push(&item.at);
        macros.push(Macro {
            name: data.name.clone(),
            arguments: data.arguments.clone(),
            text: data.expression.clone(),
        });
    }
    for (k, at) in places.into_iter().enumerate() {
        if let Some((column, fault)) = macro_fault(&macros, own + k, &functions) {
            let text = quote(&macros[own + k].text);
            let message = format!("column {column} of {text}: {fault}");
            report.add(&at.field("expression"), message);
            if fault.starts_with(TOO_LONG) {
                // So do those that call it.
                break;
            }
        }
    }
    macros.into()
}

fn arrays(
    items: &[Item<ArrayQuantity>],
    parameters: &mut Vec<Option<Parameter>>,
    report: &mut Report,
) -> Vec<Vec<ParameterId>> {
    let mut arrays = Vec::new();
    for item in items {
        let mut ids = Vec::new();
        if let Some(data) = &item.data {
            if data.start.is_empty() || data.start.len() > ARRAY_ELEMENTS {
                let message = format!(
                    "an array has 1 to {ARRAY_ELEMENTS} values; found {}",
                    data.start.len()
                );
                report.add(&item.at.field("start"), message);
            }
            for (k, start) in data.start.iter().enumerate().take(ARRAY_ELEMENTS) {
                ids.push(ParameterId::from(parameters.len()));
                parameters.push(Some(Parameter {
                    quantity: Quantity {
                        name: format!("{}[{}]", data.name, k + 1),
                        description: data.description.clone().unwrap_or_default(),
                        unit: data.unit.clone().unwrap_or_default(),
                        display_unit: String::new(),
                        min: None,
                        max: None,
                        start: *start,
                    },
                    tunable: data.tunable.unwrap_or(false),
                }));
            }
        }
        arrays.push(ids);
    }
    arrays
}

/// The named texts; their readers are not known yet.
pub(super) fn texts(items: &[Item<StringQuantity>], report: &mut Report) -> Vec<NamedText> {
    let mut texts = Vec::new();
    for item in items {
        let data = item.data.as_ref();
        let start = data.map(|data| data.start.clone()).unwrap_or_default();
        if let Some(fault) = text_fault(&start) {
            report.add(&item.at.field("start"), fault);
        }
        texts.push(NamedText {
            name: item.name.clone().unwrap_or_default(),
            description: data
                .and_then(|data| data.description.clone())
                .unwrap_or_default(),
            start,
            readers: TextReaders::default(),
        });
    }
    texts
}
