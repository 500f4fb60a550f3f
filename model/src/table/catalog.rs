//! Control plane: the variable table of a mechanism, row by row.

use std::collections::BTreeSet;

use super::aliases;
use super::bodies;
use super::dependencies::{self, Known};
use super::memory;
use super::settings::{describe_figure, describe_setting, kind_of_figure, kind_of_setting, real};
use fixstep_kernel::ids::{EquationId, InputId, OutputId, ParameterId, TextId};
use fixstep_kernel::mechanism::{Equation, Mechanism, NamedText, Quantity, Shown};
use fixstep_variables::naming::structured_name;
use fixstep_variables::{
    Causality, Figure, Initial, Setting, Slot, Variability, Variable, VariableKind, VariableTable,
};

/// The table of a model: time, inputs, parameters, outputs, solver settings, figures, states and implicit variables,
/// values of elements with a memory, named texts, numbers of bodies, settings of a variable step.
pub fn of(mechanism: &Mechanism) -> VariableTable {
    let mut variables = vec![time()];
    let quantities = mechanism.inputs.iter().map(|input| &input.quantity);
    for (at, quantity) in quantities.enumerate() {
        variables.push(Variable {
            causality: Causality::Input,
            variability: Variability::Continuous,
            initial: None,
            ..border(quantity, Slot::Input(InputId::from(at)))
        });
    }
    for (at, parameter) in mechanism.parameters.iter().enumerate() {
        variables.push(Variable {
            causality: Causality::Parameter,
            variability: if parameter.tunable {
                Variability::Tunable
            } else {
                Variability::Fixed
            },
            initial: Some(Initial::Exact),
            ..border(&parameter.quantity, Slot::Parameter(ParameterId::from(at)))
        });
    }
    let reference = |known: &Known| match known {
        Known::Time => 0,
        Known::Input(input) => 1 + input.0,
        Known::Parameter(parameter) => 1 + mechanism.inputs.len() as u32 + parameter.0,
        Known::Setting(setting) => {
            let before =
                1 + mechanism.inputs.len() + mechanism.parameters.len() + mechanism.outputs.len();
            let of = Setting::ALL.iter().position(|other| other == setting);
            (before + of.unwrap_or(0)) as u32
        }
    };
    let reaching = dependencies::of_outputs(mechanism);
    for (at, (output, reach)) in mechanism.outputs.iter().zip(&reaching).enumerate() {
        variables.push(Variable {
            causality: Causality::Output,
            variability: Variability::Continuous,
            initial: Some(Initial::Calculated),
            dependencies: reach.step.iter().map(reference).collect(),
            initial_dependencies: reach.initial.iter().map(reference).collect(),
            ..border(&output.quantity, Slot::Output(OutputId::from(at)))
        });
    }
    variables.extend(Setting::ALL.iter().map(|&it| setting(it, mechanism)));
    variables.extend(Figure::ALL.iter().map(|&it| figure(it)));
    let equations = mechanism.equations.iter().enumerate();
    variables.extend(equations.filter_map(|(at, equation)| state(equation, at)));
    variables.extend(memory::variables(&mechanism.memory));
    let texts = mechanism.texts.iter().enumerate();
    variables.extend(texts.map(|(at, named)| text(named, TextId::from(at))));
    let reaching = dependencies::of_bodies(mechanism).map(|reach| {
        let list = |knowns: &BTreeSet<Known>| knowns.iter().map(reference).collect();
        [list(&reach.step), list(&reach.initial)]
    });
    variables.extend(bodies::variables(&mechanism.body_arrays, &reaching));
    variables.extend(Setting::VARIABLE.iter().map(|&it| setting(it, mechanism)));
    aliases::mark(&mut variables, mechanism);
    VariableTable { variables }
}

/// A variable for a quantity of the interface; the caller gives causality and variability.
fn border(quantity: &Quantity, slot: Slot) -> Variable {
    Variable {
        name: structured_name(&quantity.name),
        description: quantity.description.clone(),
        kind: VariableKind::Real {
            unit: quantity.unit.clone(),
            display_unit: quantity.display_unit.clone(),
            min: quantity.min,
            max: quantity.max,
            start: quantity.start,
        },
        ..local(slot)
    }
}

/// A state or an implicit variable: `equations.filter.value`.
fn state(equation: &Equation, at: usize) -> Option<Variable> {
    let word = match &equation.shown {
        Shown::Value => "value".to_owned(),
        Shown::State(number) => format!("state[{number}]"),
        Shown::Word(word) => word.to_string(),
        Shown::Hidden => return None,
    };
    let state = border(&equation.quantity, Slot::State(EquationId::from(at)));
    Some(Variable {
        name: format!("equations.{}.{word}", state.name),
        ..state
    })
}

/// A named text: a parameter if changes have an effect, else a constant.
fn text(named: &NamedText, id: TextId) -> Variable {
    let (causality, variability) = if named.settable() {
        (Causality::Parameter, Variability::Fixed)
    } else {
        (Causality::Local, Variability::Constant)
    };
    Variable {
        name: structured_name(&named.name),
        description: named.description.clone(),
        kind: VariableKind::String {
            start: named.start.clone(),
        },
        causality,
        variability,
        initial: Some(Initial::Exact),
        ..local(Slot::Text(id))
    }
}

fn time() -> Variable {
    Variable {
        name: "time".to_owned(),
        description: "Simulation time".to_owned(),
        kind: real("s"),
        causality: Causality::Independent,
        initial: None,
        ..local(Slot::Time)
    }
}

fn setting(setting: Setting, model: &Mechanism) -> Variable {
    Variable {
        name: setting.name().to_owned(),
        description: describe_setting(setting).to_owned(),
        kind: kind_of_setting(setting, model),
        causality: Causality::Parameter,
        variability: Variability::Fixed,
        initial: Some(Initial::Exact),
        ..local(Slot::Setting(setting))
    }
}

fn figure(figure: Figure) -> Variable {
    let kind = kind_of_figure(figure);
    Variable {
        name: figure.name().to_owned(),
        description: describe_figure(figure).to_owned(),
        variability: match kind {
            VariableKind::Real { .. } => Variability::Continuous,
            _ => Variability::Discrete,
        },
        kind,
        ..local(Slot::Figure(figure))
    }
}

/// An unnamed continuous local.
pub(super) fn local(slot: Slot) -> Variable {
    Variable {
        name: String::new(),
        description: String::new(),
        kind: real(""),
        causality: Causality::Local,
        variability: Variability::Continuous,
        initial: Some(Initial::Calculated),
        slot,
        alias: None,
        dependencies: Vec::new(),
        initial_dependencies: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
