//! Control plane: texts as C reads them, made whenever one changes so that reading makes none.

use std::ffi::{CStr, CString};

use super::settings::Settings;
use fixstep_variables::{Slot, VariableKind, VariableTable};

/// A text for C: a zero byte inside would end it early.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// The string variables of an instance, by value reference.
#[derive(Clone, Debug, Default)]
pub struct Texts(Vec<(u32, CString)>);

impl Texts {
    /// What the string variables hold.
    pub fn of(table: &VariableTable, settings: &Settings) -> Self {
        let strings = (0..)
            .zip(&table.variables)
            .filter(|(_, variable)| matches!(variable.kind, VariableKind::String { .. }));
        let text = |slot: Slot| match slot {
            Slot::Setting(setting) => settings.text(setting),
            Slot::Text(id) => settings.texts[id.index()].clone(),
            _ => String::new(),
        };
        Self(
            strings
                .map(|(reference, variable)| (reference, c_text(&text(variable.slot))))
                .collect(),
        )
    }

    /// The text of a variable; empty for one of another type.
    pub fn get(&self, reference: u32) -> &CStr {
        let found = self.0.binary_search_by_key(&reference, |(own, _)| *own);
        found.map_or(c"", |at| self.0[at].1.as_c_str())
    }
}
