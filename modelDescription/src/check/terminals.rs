//! Checks `terminalsAndIcons.xml`: its schema, and the variables that it names.

use std::collections::BTreeSet;

use fixstep_model::expr::suggest;

use super::interfaces::unique;
use super::{Report, schema, shape};
use crate::parse::Description;
use crate::tree::Element;

/// The version of the file, whatever that of the FMU.
const VERSION: &str = "3.0";

pub(super) fn check(root: &Element, description: &Description, report: &mut Report) {
    if root.name != "fmiTerminalsAndIcons" {
        let message = "is the root element, expected <fmiTerminalsAndIcons>";
        return report.error(root, "", message);
    }
    version(root, report);
    shape::against(schema::TERMINALS, root, report);
    let variables = description.variables.iter();
    let names: BTreeSet<&str> = variables
        .flat_map(|variable| {
            let aliases = variable.aliases.iter().map(|alias| alias.name.as_str());
            [variable.name.as_str()].into_iter().chain(aliases)
        })
        .collect();
    let all = root.children_of("Terminals");
    unique(all, "terminal", report);
    for terminal in all {
        members(terminal, &names, report);
    }
}

fn version(root: &Element, report: &mut Report) {
    let Some(version) = root.attribute("fmiVersion") else {
        // The schema says so.
        return;
    };
    let release = |rest: &str| rest.starts_with(['.', '-']);
    if version.strip_prefix(VERSION).is_some_and(release) {
        let message =
            format!("\"{version}\" names a release of the text; the file says \"{VERSION}\"");
        report.warning(root, "fmiVersion", message);
    } else if version != VERSION {
        let message = format!(
            "\"{version}\" has no such file; valid, also in FMUs of FMI 2.0, which take it over from FMI 3.0: \"{VERSION}\""
        );
        report.error(root, "fmiVersion", message);
    }
}

/// The members of a terminal are variables, and its own terminals likewise.
fn members(terminal: &Element, names: &BTreeSet<&str>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for member in &terminal.children {
        let named: &[&str] = match member.name.as_str() {
            "TerminalMemberVariable" => &["variableName"],
            "TerminalStreamMemberVariable" => &["inStreamVariableName", "outStreamVariableName"],
            _ => continue,
        };
        for attribute in named {
            let Some(name) = member.attribute(attribute) else {
                continue;
            };
            if !names.contains(name) {
                let hint = suggest::hint(name, names.iter().copied());
                let message = format!(
                    "{attribute}: \"{name}\" is not a variable of modelDescription.xml{hint}"
                );
                report.error(terminal, &member.name, message);
            }
        }
        if let Some(name) = member.attribute("memberName")
            && !taken.insert(name)
        {
            let message =
                format!("memberName: another member of this terminal is called \"{name}\"");
            report.error(terminal, &member.name, message);
        }
    }
    let inner: Vec<Element> = terminal.all("Terminal").cloned().collect();
    unique(&inner, "terminal in this one", report);
    for terminal in terminal.all("Terminal") {
        members(terminal, names, report);
    }
}
