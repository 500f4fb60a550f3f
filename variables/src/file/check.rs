//! Control plane: checks that a table from an untrusted file fits its mechanism.

use super::section::Fault;
use crate::{Causality, Figure, Setting, Slot, Variable, VariableKind, VariableTable};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::format;
use fixstep_kernel::mechanism::{Held, Mechanism, SettingKind};
use fixstep_kernel::simulation::Figure as Of;

/// Every variable must have a unique name and refer to an existing value of the mechanism, of the right type.
pub(crate) fn check(table: &VariableTable, mechanism: &Mechanism) -> Result<(), Fault> {
    let time = table.variables.first();
    if time
        .is_none_or(|first| first.slot != Slot::Time || first.causality != Causality::Independent)
    {
        return Err(Fault("the first variable must be the time".to_owned()));
    }
    let mut names = BTreeSet::new();
    for (at, variable) in table.variables.iter().enumerate() {
        let fault = if !names.insert(variable.name.as_str()) {
            "another variable has its name"
        } else if !exists(variable.slot, mechanism) {
            "the mechanism does not have its value"
        } else if !fits(variable) || !may_be(variable) {
            "its type, its bounds or its causality are not those of its value"
        } else if !refers(variable, at, table) {
            "it refers to variables that are not there"
        } else {
            continue;
        };
        return Err(Fault(format!(
            "variable {at} \"{}\": {fault}",
            variable.name
        )));
    }
    Ok(())
}

/// Does the mechanism have what a variable shows?
fn exists(slot: Slot, m: &Mechanism) -> bool {
    match slot {
        Slot::Time | Slot::Setting(_) | Slot::Figure(_) => true,
        Slot::Input(id) => id.index() < m.inputs.len(),
        Slot::Parameter(id) => id.index() < m.parameters.len(),
        Slot::Output(id) => id.index() < m.outputs.len(),
        Slot::State(id) => id.index() < m.equations.len(),
        Slot::Text(id) => id.index() < m.texts.len(),
        Slot::Held(held) => m.memory.holds(held),
        Slot::Body(id, at) => {
            let array = m.body_arrays.get(id.index());
            array.is_some_and(|array| at < array.length)
        }
    }
}

/// Is the type that of the value, with bounds that are allowed for its place?
fn fits(variable: &Variable) -> bool {
    let is_real = matches!(variable.kind, VariableKind::Real { .. });
    match variable.slot {
        Slot::Time
        | Slot::Input(_)
        | Slot::Parameter(_)
        | Slot::Output(_)
        | Slot::State(_)
        | Slot::Body(..) => is_real,
        Slot::Text(_) => matches!(variable.kind, VariableKind::String { .. }),
        Slot::Setting(setting) => fits_setting(setting, &variable.kind),
        Slot::Figure(figure) => is_real != counts(figure) && is_number(variable),
        Slot::Held(held) => is_real != matches!(held, Held::Count(_)) && is_number(variable),
    }
}

/// Is the causality one that such a value can have?
fn may_be(variable: &Variable) -> bool {
    let valid: &[Causality] = match variable.slot {
        Slot::Time => &[Causality::Independent],
        Slot::Input(_) => &[Causality::Input],
        Slot::Parameter(_) | Slot::Setting(_) => &[Causality::Parameter],
        Slot::Text(_) => &[Causality::Parameter, Causality::Local],
        Slot::Figure(_) => &[Causality::Local],
        Slot::Output(_) | Slot::State(_) | Slot::Held(_) | Slot::Body(..) => {
            &[Causality::Output, Causality::Local]
        }
    };
    valid.contains(&variable.causality)
}

fn is_number(variable: &Variable) -> bool {
    matches!(
        variable.kind,
        VariableKind::Real { .. } | VariableKind::Integer { .. }
    )
}

/// Does a figure count?
const fn counts(figure: Figure) -> bool {
    matches!(
        figure,
        Figure::RtiMisses
            | Figure::Solver(Of::Steps | Of::Jacobians | Of::Fallbacks | Of::Degraded)
    )
}

/// Checks that the bounds of a setting's variable, which a set call enforces, are those that the solver accepts.
fn fits_setting(setting: Setting, kind: &VariableKind) -> bool {
    let Some(row) = setting.row() else {
        return matches!(kind, VariableKind::Boolean { .. });
    };
    match (row.kind, kind) {
        (SettingKind::Word(..), VariableKind::Enumeration { of, .. }) => {
            setting.enumeration() == Some(*of)
        }
        (SettingKind::Flag(..), VariableKind::Boolean { .. })
        | (SettingKind::Pattern, VariableKind::String { .. }) => true,
        (
            SettingKind::Integer([low, high], ..),
            VariableKind::Integer {
                min: Some(min),
                max: Some(max),
                ..
            },
        ) => {
            u32::try_from(*min).is_ok_and(|min| min >= low)
                && u32::try_from(*max).is_ok_and(|max| max <= high)
        }
        (
            SettingKind::Real(bounds, ..) | SettingKind::Time(bounds, ..),
            VariableKind::Real { min, .. },
        ) => min.is_some_and(|min| min >= bounds.range().0),
        _ => false,
    }
}

/// Is what a variable refers to in the table?
fn refers(variable: &Variable, at: usize, table: &VariableTable) -> bool {
    let all = table.variables.len();
    let there = |positions: &[u32]| positions.iter().all(|p| (*p as usize) < all);
    variable.alias.is_none_or(|of| (of as usize) < at)
        && there(&variable.dependencies)
        && there(&variable.initial_dependencies)
}
