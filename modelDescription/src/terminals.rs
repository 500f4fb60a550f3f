//! Writes `terminalsAndIcons.xml`. FMI 2.0.4 and later take the file unchanged from FMI 3.0.

use std::collections::BTreeSet;

use fixstep_model::table::Terminal;
use fixstep_variables::{Arrays, Causality, VariableTable};

use crate::parse::FmiVersion;
use crate::tree::Element;
use crate::write::number;

/// Name of the terminals' picture, without its ending.
pub const ICON: &str = "terminal";

/// Half the width and height of the icon.
const HALF: f64 = 100.0;

/// Radius of a terminal's picture, where there is room.
const PIN: f64 = 8.0;

/// The file for an FMU of a version: its icon, and its terminals with the variable names of that version.
pub fn write(terminals: &[Terminal], table: &VariableTable, version: FmiVersion) -> String {
    let arrays = match version {
        FmiVersion::V2 => Arrays::default(),
        FmiVersion::V3 => Arrays::of(table),
    };
    let places = places(terminals, table);
    let all = terminals.iter().zip(places).map(|(of, place)| {
        let icon = rectangle("TerminalGraphicalRepresentation", place).with("iconBaseName", ICON);
        terminal(of, table, &arrays).containing([icon])
    });
    let whole = [-HALF, -HALF, HALF, HALF];
    Element::new("fmiTerminalsAndIcons")
        .with("fmiVersion", "3.0")
        .containing([Element::new("GraphicalRepresentation").containing([
            rectangle("CoordinateSystem", whole).with("suggestedScalingFactorTo_mm", "0.1"),
            rectangle("Icon", whole),
        ])])
        .containing_group("Terminals", all.collect())
        .document()
}

/// An element with the corners of a rectangle.
fn rectangle(name: &str, corners: [f64; 4]) -> Element {
    let named = ["x1", "y1", "x2", "y2"].into_iter().zip(corners);
    named.fold(Element::new(name), |element, (name, value)| {
        element.with(name, &number(value))
    })
}

/// The places of the terminals: those with an input on the left edge of the icon, from top to bottom, all others on
/// the right edge.
fn places(terminals: &[Terminal], table: &VariableTable) -> Vec<[f64; 4]> {
    let takes = |of: &Terminal| {
        let mut members = of.members.iter();
        members.any(|(_, at)| {
            let variable = table.by_reference(*at);
            variable.is_some_and(|variable| variable.causality == Causality::Input)
        })
    };
    let left: Vec<bool> = terminals.iter().map(takes).collect();
    let place = |at: usize| {
        let side = |of: &&bool| **of == left[at];
        let (before, all) = (
            left[..at].iter().filter(side).count() as f64,
            left.iter().filter(side).count() as f64,
        );
        let pitch = 2.0 * HALF / all;
        let radius = (0.4 * pitch).min(PIN);
        let x = if left[at] { -HALF } else { HALF };
        let y = HALF - (before + 0.5) * pitch;
        [x - radius, y - radius, x + radius, y + radius]
    };
    (0..terminals.len()).map(place).collect()
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
