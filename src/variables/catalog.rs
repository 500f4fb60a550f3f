//! Control plane: the variable table of a model, and how to find a variable in it.

use std::collections::BTreeSet;

use super::aliases;
use super::bodies;
use super::dependencies::{self, Known};
use super::memory;
use super::naming::{NamingConvention, structured_name};
use super::settings::real;
use super::{
    Causality, Figure, Initial, Setting, Slot, Variability, Variable, VariableKind, VariableTable,
};
use crate::ids::{EquationId, InputId, OutputId, ParameterId, TextId};
use crate::model::{Equation, Model, NamedText, Quantity, Shown};

impl VariableTable {
    /// The table of a model: time, inputs, parameters, outputs, solver settings, figures,
    /// states and implicit variables, what elements with a memory hold, named texts, numbers of bodies.
    pub fn of(model: &Model) -> Self {
        let mut variables = vec![time()];
        let quantities = model.inputs.iter().map(|input| &input.quantity);
        for (at, quantity) in quantities.enumerate() {
            variables.push(Variable {
                causality: Causality::Input,
                variability: Variability::Continuous,
                initial: None,
                ..border(quantity, Slot::Input(InputId::from(at)))
            });
        }
        for (at, parameter) in model.parameters.iter().enumerate() {
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
            Known::Parameter(parameter) => 1 + model.inputs.len() as u32 + parameter.0,
            Known::Setting(setting) => {
                let before = 1 + model.inputs.len() + model.parameters.len() + model.outputs.len();
                let of = Setting::ALL.iter().position(|other| other == setting);
                (before + of.unwrap_or(0)) as u32
            }
        };
        let reaching = dependencies::of_outputs(model);
        for (at, (output, reach)) in model.outputs.iter().zip(&reaching).enumerate() {
            variables.push(Variable {
                causality: Causality::Output,
                variability: Variability::Continuous,
                initial: Some(Initial::Calculated),
                dependencies: reach.step.iter().map(reference).collect(),
                initial_dependencies: reach.initial.iter().map(reference).collect(),
                ..border(&output.quantity, Slot::Output(OutputId::from(at)))
            });
        }
        variables.extend(Setting::ALL.iter().map(|&it| setting(it, model)));
        variables.extend(Figure::ALL.iter().map(|&it| figure(it)));
        let equations = model.equations.iter().enumerate();
        variables.extend(equations.filter_map(|(at, equation)| state(equation, at)));
        variables.extend(memory::variables(&model.memory));
        let texts = model.texts.iter().enumerate();
        variables.extend(texts.map(|(at, named)| text(named, TextId::from(at))));
        let reaching = dependencies::of_bodies(model).map(|reach| {
            let list = |knowns: &BTreeSet<Known>| knowns.iter().map(reference).collect();
            [list(&reach.step), list(&reach.initial)]
        });
        variables.extend(bodies::variables(&model.body_arrays, &reaching));
        aliases::mark(&mut variables, model);
        Self { variables }
    }

    /// The variable of a value reference.
    pub fn by_reference(&self, reference: u32) -> Option<&Variable> {
        self.variables.get(reference as usize)
    }

    /// The value reference of a name, in the table's spelling or the user's (`front axle` finds
    /// `'front axle'`).
    pub fn by_name(&self, name: &str) -> Option<u32> {
        let find = |name: &str| {
            self.variables
                .iter()
                .position(|variable| variable.name == name)
                .map(|at| at as u32)
        };
        find(name).or_else(|| find(&structured_name(name)))
    }

    /// Value reference and variable, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Variable)> {
        (0_u32..).zip(&self.variables)
    }

    /// The naming convention that all names follow.
    pub fn naming_convention(&self) -> NamingConvention {
        NamingConvention::of(self.variables.iter().map(|variable| variable.name.as_str()))
    }
}

impl Variable {
    /// Unit name; empty: none.
    pub fn unit(&self) -> &str {
        match &self.kind {
            VariableKind::Real { unit, .. } => unit,
            _ => "",
        }
    }

    /// Display unit; empty: none.
    pub fn display_unit(&self) -> &str {
        match &self.kind {
            VariableKind::Real { display_unit, .. } => display_unit,
            _ => "",
        }
    }

    /// Does the variable have a start value?
    pub fn has_start(&self) -> bool {
        self.causality == Causality::Input || self.initial == Some(Initial::Exact)
    }
}

/// A variable of a quantity at the border; causality and variability are the caller's.
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
    let word = match equation.shown {
        Shown::Value => "value".to_owned(),
        Shown::State(number) => format!("state[{number}]"),
        Shown::Word(word) => word.to_owned(),
        Shown::Hidden => return None,
    };
    let state = border(&equation.quantity, Slot::State(EquationId::from(at)));
    Some(Variable {
        name: format!("equations.{}.{word}", state.name),
        ..state
    })
}

/// A named text: a parameter where another would be heeded, else a constant.
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

fn setting(setting: Setting, model: &Model) -> Variable {
    Variable {
        name: setting.name().to_owned(),
        description: setting.description().to_owned(),
        kind: setting.kind(model),
        causality: Causality::Parameter,
        variability: Variability::Fixed,
        initial: Some(Initial::Exact),
        ..local(Slot::Setting(setting))
    }
}

fn figure(figure: Figure) -> Variable {
    let kind = figure.kind();
    Variable {
        name: figure.name().to_owned(),
        description: figure.description().to_owned(),
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
