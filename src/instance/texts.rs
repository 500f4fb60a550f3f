//! Control plane: texts in the form that C reads, made when one changes, so that reading allocates nothing.

use std::ffi::{CStr, CString};

use super::settings::Settings;
use fixstep_variables::{Slot, VariableKind, VariableTable};

/// A text for C: a zero byte inside would end it early.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// The string variables of an instance.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    list: Vec<CString>,
    /// For each value reference its position in the list, or a position beyond the end.
    places: Vec<u32>,
}

impl Texts {
    /// The values of the string variables.
    pub fn of(table: &VariableTable, settings: &Settings) -> Self {
        let text = |slot: Slot| match slot {
            Slot::Setting(setting) => settings.text(setting),
            Slot::Text(id) => settings.texts[id.index()].clone(),
            _ => String::new(),
        };
        let mut texts = Self::default();
        for variable in &table.variables {
            if matches!(variable.kind, VariableKind::String { .. }) {
                texts.places.push(texts.list.len() as u32);
                texts.list.push(c_text(&text(variable.slot)));
            } else {
                texts.places.push(u32::MAX);
            }
        }
        texts
    }

    /// The text of a variable; empty for one of another type.
    pub fn get(&self, reference: u32) -> &CStr {
        let place = self.places.get(reference as usize);
        let text = place.and_then(|place| self.list.get(*place as usize));
        text.map_or(c"", |text| text.as_c_str())
    }
}
