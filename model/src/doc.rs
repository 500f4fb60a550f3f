//! Control plane: the tables of a model for people, as Markdown: parameters, inputs, outputs, templates.

use crate::errors::ModelErrors;
use crate::expand::{self, Declared};
use crate::resources::Resources;
use crate::text::{Node, Sources};
use crate::{errors, flat, table, text};
use fixstep_kernel::mechanism::Mechanism;
use fixstep_variables::naming::is_reserved;
use fixstep_variables::{Causality, Variability, Variable, VariableKind};
use std::fmt::Write as _;

/// Is it the text of a model, rather than that of a file of templates?
pub(crate) fn is_model(text: &str) -> bool {
    let tree = text::parse(&Sources::new("", text), 0, &mut errors::Report::default());
    tree.is_none_or(|tree| tree.get("name").is_some())
}

/// The page of a model with its mechanism, or of a file of templates.
pub(crate) fn page(
    name: &str,
    text: &str,
    files: &Resources<'_>,
    mechanism: Option<&Mechanism>,
) -> Result<String, ModelErrors> {
    let mut report = errors::Report::default();
    let mut sources = Sources::new(name, text);
    let Some(tree) = text::parse(&sources, 0, &mut report) else {
        let errors = report.finish();
        return Err(errors.map_or_else(
            || ModelErrors::single("empty"),
            |e| e.located(&sources, None),
        ));
    };
    let units = flat::units_of(&tree);
    let declared = expand::declared(tree.clone(), units, (&mut sources, files), &mut report);
    if let Some(errors) = report.finish() {
        return Err(errors.located(&sources, Some(&tree)));
    }
    let mut out = String::new();
    let word = |key: &str| tree.get(key).and_then(Node::as_str).unwrap_or_default();
    let title = if mechanism.is_some() {
        word("name")
    } else {
        "Templates"
    };
    let _ = writeln!(out, "# {}", cell(title));
    if !word("description").is_empty() {
        let _ = writeln!(out, "\n{}", word("description"));
    }
    if let Some(mechanism) = mechanism {
        variables(&table::of(mechanism).variables, &mut out);
    }
    templates(&declared, &mut out);
    Ok(out)
}

/// A heading and a table, if it has rows.
fn section(title: &str, head: &[&str], rows: &[Vec<String>], out: &mut String) {
    if rows.is_empty() {
        return;
    }
    // Columns in which no row has anything are left out.
    let used: Vec<usize> = (0..head.len())
        .filter(|k| *k == 0 || rows.iter().any(|row| !row[*k].is_empty()))
        .collect();
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let _ = writeln!(out, "\n{title}\n");
    out.push_str(&line(used.iter().map(|k| head[*k]).collect()));
    out.push_str(&line(used.iter().map(|_| "---").collect()));
    for row in rows {
        out.push_str(&line(used.iter().map(|k| row[*k].as_str()).collect()));
    }
}

/// A text that fits in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

fn variables(all: &[Variable], out: &mut String) {
    let rows = |causality: Causality| {
        let own = all
            .iter()
            .filter(|v| v.causality == causality && !is_reserved(&v.name));
        own.map(row).collect::<Vec<_>>()
    };
    let head = ["Name", "Start", "Unit", "Min", "Max", "Changes", "Meaning"];
    section("## Parameters", &head, &rows(Causality::Parameter), out);
    section(
        "## Inputs",
        &head,
        &without_changes(rows(Causality::Input)),
        out,
    );
    let outputs = without_changes(rows(Causality::Output));
    let outputs: Vec<Vec<String>> = outputs
        .into_iter()
        .map(|mut row| {
            row[1].clear();
            row
        })
        .collect();
    section("## Outputs", &head, &outputs, out);
}

fn without_changes(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    for row in &mut rows {
        row[5].clear();
    }
    rows
}

fn row(variable: &Variable) -> Vec<String> {
    let bound = |value: &Option<f64>| value.map_or_else(String::new, |value| format!("{value}"));
    let (start, unit, min, max) = match &variable.kind {
        VariableKind::Real {
            unit,
            display_unit,
            min,
            max,
            start,
            ..
        } => {
            let shown = if display_unit.is_empty() || display_unit == unit {
                unit.clone()
            } else {
                format!("{unit} (shown in {display_unit})")
            };
            (format!("{start}"), shown, bound(min), bound(max))
        }
        VariableKind::Integer { start, .. } => (
            start.to_string(),
            String::new(),
            String::new(),
            String::new(),
        ),
        VariableKind::Boolean { start } => (
            start.to_string(),
            String::new(),
            String::new(),
            String::new(),
        ),
        VariableKind::String { start } => {
            (start.clone(), String::new(), String::new(), String::new())
        }
        VariableKind::Enumeration { start, .. } => (
            start.to_string(),
            String::new(),
            String::new(),
            String::new(),
        ),
    };
    let changes = match variable.variability {
        Variability::Tunable => "between steps",
        _ => "until the start",
    };
    [
        &variable.name,
        &start,
        &unit,
        &min,
        &max,
        changes,
        &variable.description,
    ]
    .map(cell)
    .to_vec()
}

fn templates(declared: &Declared, out: &mut String) {
    let constants: Vec<Vec<String>> = declared
        .constants
        .iter()
        .map(|(name, value)| vec![cell(name), cell(value)])
        .collect();
    section("## Constants", &["Name", "Value"], &constants, out);
    for template in &declared.templates {
        let _ = writeln!(out, "\n## Template {}", cell(&template.name));
        if !template.description.is_empty() {
            let _ = writeln!(out, "\n{}", template.description);
        }
        let parameters: Vec<Vec<String>> = template
            .parameters
            .iter()
            .map(|parameter| {
                let plain = |node: &Node| match node.as_str() {
                    Some(text) => text.to_owned(),
                    None => node.to_value().to_string(),
                };
                let default = parameter
                    .default
                    .as_ref()
                    .map_or("required".to_owned(), &plain);
                let values: Vec<String> = parameter.values.iter().map(plain).collect();
                let unit = parameter.unit.as_ref().map_or("", |unit| &unit.name);
                let words = [
                    &parameter.name,
                    &default,
                    unit,
                    &values.join(", "),
                    &parameter.description,
                ];
                words.map(cell).to_vec()
            })
            .collect();
        let head = ["Parameter", "Default", "Unit", "Values", "Meaning"];
        section("Fixed when the model is expanded:", &head, &parameters, out);
        let ports: Vec<Vec<String>> = template
            .ports
            .iter()
            .map(|port| {
                [&port.name, &port.kind.replace('_', " "), &port.description]
                    .map(|w| cell(w))
                    .to_vec()
            })
            .collect();
        section(
            "Connected by every instance:",
            &["Port", "Takes", "Meaning"],
            &ports,
            out,
        );
    }
}
