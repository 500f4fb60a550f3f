//! Type definitions of numbers with units: quantity, unit and display unit.

use std::collections::{BTreeMap, BTreeSet};

use fixstep_variables::units::{BASE_UNITS, parse_unit};
use fixstep_variables::{Variable, VariableKind, VariableTable};

use crate::structure::display_unit;
use crate::tree::Element;

/// Quantities by the exponents of kg, m, s, A, K, mol, cd, rad, with the names of Modelica's library of units.
const QUANTITIES: &[([i32; BASE_UNITS], &str)] = &[
    ([1, 0, 0, 0, 0, 0, 0, 0], "Mass"),
    ([0, 1, 0, 0, 0, 0, 0, 0], "Length"),
    ([0, 2, 0, 0, 0, 0, 0, 0], "Area"),
    ([0, 3, 0, 0, 0, 0, 0, 0], "Volume"),
    ([0, 0, 1, 0, 0, 0, 0, 0], "Time"),
    ([0, 0, -1, 0, 0, 0, 0, 0], "Frequency"),
    ([0, 0, 0, 1, 0, 0, 0, 0], "ElectricCurrent"),
    ([0, 0, 0, 0, 1, 0, 0, 0], "ThermodynamicTemperature"),
    ([0, 0, 0, 0, 0, 1, 0, 0], "AmountOfSubstance"),
    ([0, 0, 0, 0, 0, 0, 1, 0], "LuminousIntensity"),
    ([0, 0, 0, 0, 0, 0, 0, 1], "Angle"),
    ([0, 1, -1, 0, 0, 0, 0, 0], "Velocity"),
    ([0, 1, -2, 0, 0, 0, 0, 0], "Acceleration"),
    ([0, 0, -1, 0, 0, 0, 0, 1], "AngularVelocity"),
    ([0, 0, -2, 0, 0, 0, 0, 1], "AngularAcceleration"),
    ([1, 2, 0, 0, 0, 0, 0, 0], "MomentOfInertia"),
    ([1, -3, 0, 0, 0, 0, 0, 0], "Density"),
    ([1, 1, -1, 0, 0, 0, 0, 0], "Momentum"),
    ([1, 1, -2, 0, 0, 0, 0, 0], "Force"),
    ([1, -1, -2, 0, 0, 0, 0, 0], "Pressure"),
    ([1, 2, -3, 0, 0, 0, 0, 0], "Power"),
    ([1, 0, -2, 0, 0, 0, 0, 0], "TranslationalSpringConstant"),
    ([1, 0, -1, 0, 0, 0, 0, 0], "TranslationalDampingConstant"),
    ([1, 2, -2, 0, 0, 0, 0, -1], "RotationalSpringConstant"),
    ([1, 2, -1, 0, 0, 0, 0, -1], "RotationalDampingConstant"),
    ([0, 3, -1, 0, 0, 0, 0, 0], "VolumeFlowRate"),
    ([1, 2, -3, -1, 0, 0, 0, 0], "ElectricPotential"),
    ([1, 2, -3, -2, 0, 0, 0, 0], "Resistance"),
];

/// Energy and torque have the same base units; the spelling of the unit distinguishes them.
const ENERGY: [i32; BASE_UNITS] = [1, 2, -2, 0, 0, 0, 0, 0];

/// The quantity of a unit; `None`: it has no name.
fn quantity(unit: &str) -> Option<&'static str> {
    let exponents = parse_unit(unit).ok()?.exponents;
    if exponents == ENERGY {
        let joule = unit.ends_with('J') || unit.ends_with("Wh");
        return Some(if joule { "Energy" } else { "Torque" });
    }
    let mut known = QUANTITIES.iter();
    known
        .find(|(of, _)| *of == exponents)
        .map(|(_, name)| *name)
}

/// The type definitions of a table.
pub(crate) struct Quantities {
    types: BTreeMap<(String, String), Type>,
}

struct Type {
    name: String,
    quantity: &'static str,
}

impl Quantities {
    /// One type for each pair of unit and display unit whose quantity has a name. No type has the name of a variable,
    /// which FMI 2.0 forbids.
    pub(crate) fn of(table: &VariableTable) -> Self {
        let mut taken: BTreeSet<String> = table.variables.iter().map(|v| v.name.clone()).collect();
        let mut types = BTreeMap::new();
        for variable in &table.variables {
            let key = key(variable);
            if let Some(quantity) = quantity(&key.0)
                && !types.contains_key(&key)
            {
                let mut name = format!("{quantity}_{}", spelt(&key.0));
                if !key.1.is_empty() {
                    name = format!("{name}_as_{}", spelt(&key.1));
                }
                while !taken.insert(name.clone()) {
                    name.push('_');
                }
                types.insert(key, Type { name, quantity });
            }
        }
        Self { types }
    }

    /// The type of a variable.
    pub(crate) fn name(&self, variable: &Variable) -> Option<&str> {
        let of = matches!(variable.kind, VariableKind::Real { .. }).then(|| key(variable))?;
        self.types.get(&of).map(|of| of.name.as_str())
    }

    /// Name and attributes of each type.
    pub(crate) fn all<'a>(&'a self, element: &'a str) -> impl Iterator<Item = (&'a str, Element)> {
        self.types.iter().map(move |((unit, display), of)| {
            let element = Element::new(element)
                .with("quantity", of.quantity)
                .with("unit", unit)
                .with_some("displayUnit", display);
            (of.name.as_str(), element)
        })
    }
}

/// Unit and display unit.
fn key(variable: &Variable) -> (String, String) {
    let display = display_unit(variable).unwrap_or_default();
    (variable.unit().to_owned(), display.to_owned())
}

/// A unit as part of an identifier: `N.m/s2` as `N_m_per_s2`.
fn spelt(unit: &str) -> String {
    let mut text = String::new();
    for c in unit.chars() {
        match c {
            '/' => text.push_str("_per_"),
            '%' => text.push_str("percent"),
            '-' => text.push_str("minus"),
            '.' | '*' => text.push('_'),
            '^' | '(' | ')' | '+' => {}
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_tell_what_they_measure() {
        for (unit, wanted) in [
            ("mm", Some("Length")),
            ("rad/s", Some("AngularVelocity")),
            ("deg/s2", Some("AngularAcceleration")),
            ("N.m", Some("Torque")),
            ("kN.mm", Some("Torque")),
            ("mJ", Some("Energy")),
            ("N/mm", Some("TranslationalSpringConstant")),
            ("N.m.s/rad", Some("RotationalDampingConstant")),
            ("N/mm2", Some("Pressure")),
            ("K", Some("ThermodynamicTemperature")),
            ("kg.m7", None),
            ("furlong", None),
            ("", None),
        ] {
            assert_eq!(quantity(unit), wanted, "{unit}");
        }
    }

    #[test]
    fn names_are_identifiers() {
        for (unit, name) in [
            ("N.m/s^2", "N_m_per_s2"),
            ("1/s", "1_per_s"),
            ("m.s-1", "m_sminus1"),
            ("%", "percent"),
        ] {
            assert_eq!(spelt(unit), name);
        }
    }
}
