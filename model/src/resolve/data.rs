//! Control plane: elements of arrays, and signals of groups.

use super::arguments::place;
use super::{Leaf, ModelResolver, Scope, driven_only, holonomic_only, parameters_only};
use crate::errors::quote;
use crate::expr::{Argument, ResolveError};
use fixstep_kernel::ids::LeafId;

/// Functions that read signals of groups.
pub(super) const NAMES: &[&str] = &["PINVAL", "POUVAL"];

impl ModelResolver<'_> {
    /// The leaves that ARYVAL(name, i) may read, the parameters of an array or the signals of a control element: one
    /// if i is a number, otherwise all.
    pub(super) fn elements(
        &mut self,
        name: &str,
        index: Option<f64>,
    ) -> Result<Vec<LeafId>, ResolveError> {
        let leaves = if let Some(id) = self.names.arrays.get(name) {
            let ids = self.data.and_then(|data| data.arrays.get(id.index()));
            let ids = ids.map_or(&[][..], Vec::as_slice);
            let ids = match index {
                Some(number) => {
                    let k = place(name, number, ids.len(), "elements")?;
                    &ids[k..=k]
                }
                None => ids,
            };
            ids.iter().map(|id| Leaf::Parameter(*id)).collect()
        } else {
            let leaves = self.control_array(name, index)?;
            let what = format!("ARYVAL of {}", quote(name));
            match self.scope {
                Scope::All => leaves,
                Scope::Parameters => return Err(parameters_only(&what)),
                Scope::Driven => return Err(driven_only(&what)),
                Scope::Holonomic => return Err(holonomic_only(&what)),
            }
        };
        let leaves = leaves.into_iter();
        Ok(leaves.map(|leaf| self.leaves.intern(leaf)).collect())
    }

    /// PINVAL(name, i), POUVAL(name, i).
    pub(super) fn signal(
        &mut self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<LeafId, ResolveError> {
        let [Argument::Name(name), Argument::Number(number)] = arguments else {
            return Err(ResolveError::new(format!(
                "{function} takes the name of a group and a number from 1: {function}(name, i)"
            )));
        };
        let table = if function == "PINVAL" {
            &self.names.plant_inputs
        } else {
            &self.names.plant_outputs
        };
        let group = table.find(name);
        let group = group.map_err(|message| ResolveError::at(0, message))?;
        let lists = self.data.map(|data| match function {
            "PINVAL" => &data.plant_inputs,
            _ => &data.plant_outputs,
        });
        let signals = lists.and_then(|lists| lists.get(group.index()));
        let signals = signals.map_or(&[][..], Vec::as_slice);
        let signal = &signals[place(name, *number, signals.len(), "signals")?];
        self.quantity(signal).unwrap_or_else(|| {
            Err(ResolveError::at(
                0,
                format!(
                    "its signal {} is not an input, parameter or variable",
                    quote(signal)
                ),
            ))
        })
    }
}
