//! Writes the `modelDescription.xml` of FMI 2.0 (Co-Simulation).

use fixstep_variables::{Variable, VariableKind, VariableTable};

use crate::header::Header;
use crate::quantities::Quantities;
use crate::structure;
use crate::tree::Element;

/// The description as text. Elements are in the order of `fmi2ModelDescription.xsd`.
pub fn write(header: &Header, table: &VariableTable) -> String {
    let quantities = Quantities::of(table);
    let simple = |name: &str, body: Element| {
        Element::new("SimpleType")
            .with("name", name)
            .containing([body])
    };
    let mut types: Vec<Element> = quantities
        .all("Real")
        .map(|(name, body)| simple(name, body))
        .collect();
    types.extend(structure::enumerations(table).into_iter().map(|of| {
        let items = Element::new("Enumeration").containing(structure::items(of));
        simple(of.type_name(), items)
    }));
    let variables = table
        .iter()
        .map(|(reference, variable)| scalar_variable(reference, variable, &quantities));
    structure::root(header, "2.0", "guid", table)
        .containing([co_simulation(header)])
        .containing_group("UnitDefinitions", structure::units(table))
        .containing_group("TypeDefinitions", types)
        .containing_group("LogCategories", structure::log_categories())
        .containing([
            structure::default_experiment(header),
            Element::new("ModelVariables").containing(variables),
            model_structure(table),
        ])
        .document()
}

fn co_simulation(header: &Header) -> Element {
    let can = header.capabilities;
    Element::new("CoSimulation")
        .with("modelIdentifier", &header.model_identifier)
        .with_flag("needsExecutionTool", false)
        .with_flag("canHandleVariableCommunicationStepSize", can.variable_step)
        .with_flag("canInterpolateInputs", can.interpolate_inputs)
        .with(
            "maxOutputDerivativeOrder",
            &can.output_derivative_order.to_string(),
        )
        .with_flag("canRunAsynchronuously", false)
        .with_flag(
            "canBeInstantiatedOnlyOncePerProcess",
            can.only_once_per_process,
        )
        .with_flag("canNotUseMemoryManagementFunctions", true)
        .with_flag("canGetAndSetFMUstate", can.state)
        .with_flag("canSerializeFMUstate", can.serialize)
        .with_flag("providesDirectionalDerivative", can.directional_derivatives)
}

/// A variable; aliases have the value reference of the variable that they rename.
fn scalar_variable(reference: u32, variable: &Variable, quantities: &Quantities) -> Element {
    let reference = variable.alias.unwrap_or(reference);
    let body = match variable.kind {
        VariableKind::Real { .. } => "Real",
        VariableKind::Integer { .. } => "Integer",
        VariableKind::Boolean { .. } => "Boolean",
        VariableKind::String { .. } => "String",
        VariableKind::Enumeration { .. } => "Enumeration",
    };
    let element = Element::new("ScalarVariable")
        .with("name", &variable.name)
        .with("valueReference", &reference.to_string())
        .with_some("description", &variable.description);
    structure::with_role(element, variable).containing([structure::with_values(
        Element::new(body),
        std::slice::from_ref(variable),
        quantities,
    )])
}

/// Outputs and initial unknowns by index, which counts from 1.
fn model_structure(table: &VariableTable) -> Element {
    let unknown = |reference: u32, dependencies: &[u32]| {
        Element::new("Unknown")
            .with("index", &(reference + 1).to_string())
            .with("dependencies", &structure::list(dependencies, 1))
    };
    let outputs = structure::outputs(table)
        .map(|(reference, output)| unknown(reference, &output.dependencies))
        .collect();
    let initial = structure::initial_unknowns(table)
        .map(|(reference, output)| unknown(reference, &output.initial_dependencies))
        .collect();
    Element::new("ModelStructure")
        .containing_group("Outputs", outputs)
        .containing_group("InitialUnknowns", initial)
}
