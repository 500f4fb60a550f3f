//! Writes the `modelDescription.xml` of FMI 3.0 (Co-Simulation).

use std::collections::BTreeMap;

use fixstep_variables::{Arrays, Causality, Variable, VariableKind, VariableTable};

use crate::header::Header;
use crate::quantities::Quantities;
use crate::structure;
use crate::tree::Element;

/// The description as text. Elements are in the order of `fmi3ModelDescription.xsd`.
pub fn write(header: &Header, table: &VariableTable) -> String {
    let quantities = Quantities::of(table);
    let mut types: Vec<Element> = quantities
        .all("Float64Type")
        .map(|(name, body)| body.first("name", name))
        .collect();
    types.extend(structure::enumerations(table).into_iter().map(|of| {
        Element::new("EnumerationType")
            .with("name", of.type_name())
            .containing(structure::items(of))
    }));
    let arrays = Arrays::of(table);
    let shown = |(reference, it): &(u32, &Variable)| {
        it.alias.is_none() && arrays.reference(*reference) == *reference
    };
    let variables = table.iter().filter(shown);
    let variables =
        variables.map(|(reference, _)| variable(reference, table, &arrays, &quantities));
    structure::root(header, "3.0", "instantiationToken", table)
        .containing([co_simulation(header)])
        .containing_group("UnitDefinitions", structure::units(table))
        .containing_group("TypeDefinitions", types)
        .containing_group("LogCategories", structure::log_categories())
        .containing([
            structure::default_experiment(header),
            Element::new("ModelVariables").containing(variables),
            model_structure(table, &arrays),
        ])
        .document()
}

fn co_simulation(header: &Header) -> Element {
    let can = header.capabilities;
    Element::new("CoSimulation")
        .with("modelIdentifier", &header.model_identifier)
        .with_flag("needsExecutionTool", false)
        .with_flag(
            "canBeInstantiatedOnlyOncePerProcess",
            can.only_once_per_process,
        )
        .with_flag("canGetAndSetFMUState", can.state)
        .with_flag("canSerializeFMUState", can.serialize)
        .with_flag(
            "providesDirectionalDerivatives",
            can.directional_derivatives,
        )
        .with_flag("providesAdjointDerivatives", can.directional_derivatives)
        .with_flag("canHandleVariableCommunicationStepSize", can.variable_step)
        .with(
            "maxOutputDerivativeOrder",
            &can.output_derivative_order.to_string(),
        )
        .with_some(
            "fixedInternalStepSize",
            &header
                .experiment
                .internal_step
                .map(|step| step.to_string())
                .unwrap_or_default(),
        )
        .with_flag("providesIntermediateUpdate", can.intermediate_update)
        .with_flag("mightReturnEarlyFromDoStep", false)
        .with_flag(
            "canReturnEarlyAfterIntermediateUpdate",
            can.intermediate_update,
        )
        .with_flag("hasEventMode", false)
}

/// A variable with its other names, or an array.
fn variable(
    reference: u32,
    table: &VariableTable,
    arrays: &Arrays,
    quantities: &Quantities,
) -> Element {
    let first = reference as usize;
    let array = arrays.find(reference);
    let length = array.map_or(1, |array| array.length as usize);
    let elements = &table.variables[first..first + length];
    let variable = &elements[0];
    let name = match variable.kind {
        VariableKind::Real { .. } => "Float64",
        VariableKind::Integer { .. } => "Int32",
        VariableKind::Boolean { .. } => "Boolean",
        VariableKind::String { .. } => "String",
        VariableKind::Enumeration { .. } => "Enumeration",
    };
    let element = Element::new(name)
        .with("name", array.map_or(&variable.name, |array| &array.name))
        .with("valueReference", &reference.to_string())
        .with_some("description", &variable.description);
    let element = structure::with_role(element, variable);
    let reached = matches!(variable.causality, Causality::Input | Causality::Output);
    let element = element.with_some("intermediateUpdate", if reached { "true" } else { "" });
    let element = match &variable.kind {
        VariableKind::String { start } if variable.has_start() => {
            element.containing([Element::new("Start").with("value", start)])
        }
        VariableKind::String { .. } => element,
        _ => structure::with_values(element, elements, quantities),
    };
    let dimension = array.map(|_| Element::new("Dimension").with("start", &length.to_string()));
    let others = table.variables.iter();
    let others = others.filter(|other| other.alias == Some(reference));
    element.containing(dimension).containing(others.map(alias))
}

/// Another name.
fn alias(variable: &Variable) -> Element {
    Element::new("Alias")
        .with("name", &variable.name)
        .with_some("description", &variable.description)
        .with_some(
            "displayUnit",
            structure::display_unit(variable).unwrap_or_default(),
        )
}

/// Outputs and initial unknowns by value reference.
fn model_structure(table: &VariableTable, arrays: &Arrays) -> Element {
    let unknowns = |name: &'static str, of: fn(&Variable) -> &Vec<u32>| {
        let mut found: BTreeMap<u32, Vec<&u32>> = BTreeMap::new();
        let outputs = structure::outputs(table).filter(|(_, output)| output.alias.is_none());
        for (reference, output) in outputs {
            let all = found.entry(arrays.reference(reference)).or_default();
            all.extend(of(output));
        }
        found.into_iter().map(move |(reference, positions)| {
            let known = arrays.references(positions);
            Element::new(name)
                .with("valueReference", &reference.to_string())
                .with("dependencies", &structure::list(&known, 0))
        })
    };
    Element::new("ModelStructure")
        .containing(unknowns("Output", |output| &output.dependencies))
        .containing(unknowns("InitialUnknown", |output| {
            &output.initial_dependencies
        }))
}
