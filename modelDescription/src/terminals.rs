//! Writes `terminalsAndIcons.xml`. FMI 2.0.4 and later take it over from FMI 3.0 as it stands.

use std::collections::BTreeSet;

use fixstep::variables::{Arrays, Terminal, VariableTable};

use crate::parse::FmiVersion;
use crate::tree::Element;

/// The file for an FMU of a version: its icon, and its terminals with the names that variables have in that
/// version.
pub fn write(terminals: &[Terminal], table: &VariableTable, version: FmiVersion) -> String {
    let arrays = match version {
        FmiVersion::V2 => Arrays::default(),
        FmiVersion::V3 => Arrays::of(table),
    };
    let all = terminals.iter().map(|of| terminal(of, table, &arrays));
    let box_of = |name: &str| {
        let corners = [("x1", "-100"), ("y1", "-100"), ("x2", "100"), ("y2", "100")];
        let place = |element: Element, (name, value)| element.with(name, value);
        corners.into_iter().fold(Element::new(name), place)
    };
    Element::new("fmiTerminalsAndIcons")
        .with("fmiVersion", "3.0")
        .containing([Element::new("GraphicalRepresentation").containing([
            box_of("CoordinateSystem").with("suggestedScalingFactorTo_mm", "0.1"),
            box_of("Icon"),
        ])])
        .containing_group("Terminals", all.collect())
        .document()
}

/// A terminal; arrays are one member.
fn terminal(of: &Terminal, table: &VariableTable, arrays: &Arrays) -> Element {
    let mut seen = BTreeSet::new();
    let members = of.members.iter().filter_map(|(member, at)| {
        let (name, member) = match arrays.find(*at) {
            Some(array) => (
                array.name.as_str(),
                member.rsplit_once('[').map_or(member.as_str(), |m| m.0),
            ),
            None => (table.by_reference(*at)?.name.as_str(), member.as_str()),
        };
        seen.insert(name.to_owned()).then(|| {
            Element::new("TerminalMemberVariable")
                .with("variableName", name)
                .with("memberName", member)
                .with("variableKind", "signal")
        })
    });
    Element::new("Terminal")
        .with("name", &of.name)
        .with("matchingRule", "plug")
        .with_some("description", &of.description)
        .containing(members)
}
