//! Writes the `modelDescription.xml` of FMI 3.0 (Co-Simulation).

use fixstep::variables::{Causality, Variable, VariableKind, VariableTable};

use crate::header::Header;
use crate::structure::{self, Enumeration};
use crate::tree::Element;

/// The description as text. Elements are in the order of `fmi3ModelDescription.xsd`.
pub fn write(header: &Header, table: &VariableTable) -> String {
    let types = Enumeration::all(table)
        .iter()
        .map(|enumeration| {
            Element::new("EnumerationType")
                .with("name", enumeration.name)
                .containing(enumeration.items())
        })
        .collect();
    let variables = table.iter().map(|(reference, it)| variable(reference, it));
    structure::root(header, "3.0", "instantiationToken", table)
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
        .with(
            "fixedInternalStepSize",
            &header.experiment.internal_step.to_string(),
        )
        .with_flag("providesIntermediateUpdate", can.intermediate_update)
        .with_flag("mightReturnEarlyFromDoStep", false)
        .with_flag(
            "canReturnEarlyAfterIntermediateUpdate",
            can.intermediate_update,
        )
        .with_flag("hasEventMode", false)
}

fn variable(reference: u32, variable: &Variable) -> Element {
    let name = match variable.kind {
        VariableKind::Real { .. } => "Float64",
        VariableKind::Integer { .. } => "Int32",
        VariableKind::Boolean { .. } => "Boolean",
        VariableKind::String { .. } => "String",
        VariableKind::Enumeration { .. } => "Enumeration",
    };
    let element = Element::new(name)
        .with("name", &variable.name)
        .with("valueReference", &reference.to_string())
        .with_some("description", &variable.description);
    let element = structure::with_role(element, variable);
    let reached = matches!(variable.causality, Causality::Input | Causality::Output);
    let element = element.with_some("intermediateUpdate", if reached { "true" } else { "" });
    match &variable.kind {
        VariableKind::String { start } if variable.has_start() => {
            element.containing([Element::new("Start").with("value", start)])
        }
        VariableKind::String { .. } => element,
        _ => structure::with_values(element, variable),
    }
}

/// Outputs and initial unknowns by value reference.
fn model_structure(table: &VariableTable) -> Element {
    let unknown = |name: &str, reference: u32, dependencies: &[u32]| {
        Element::new(name)
            .with("valueReference", &reference.to_string())
            .with("dependencies", &structure::list(dependencies, 0))
    };
    let outputs = structure::outputs(table)
        .map(|(reference, output)| unknown("Output", reference, &output.dependencies));
    let initial = structure::initial_unknowns(table).map(|(reference, output)| {
        unknown("InitialUnknown", reference, &output.initial_dependencies)
    });
    Element::new("ModelStructure")
        .containing(outputs)
        .containing(initial)
}
