//! Control plane: the modal stress of a modal neutral file, for some of its nodes, per mode.

use super::bytes::Cursor;
use super::{Mnf, MnfMode};
use crate::fe::FeNode;
use crate::read::ReadError;
use fixstep_kernel::flex::TensorPoint;
use std::collections::BTreeMap;

/// Stress xx, yy, zz, xy, yz, zx of each mode at the nodes that the file lists.
#[derive(Clone, Debug)]
pub struct Stresses {
    /// For a node, by its index among the nodes: its index among those listed.
    columns: BTreeMap<usize, usize>,
    /// Nodes of the first mode first.
    values: Vec<[f64; 6]>,
}

impl Stresses {
    /// Reads the block.
    pub(super) fn read(
        cursor: &mut Cursor<'_>,
        nodes: &[FeNode],
        modes: &[MnfMode],
    ) -> Result<Self, ReadError> {
        let start = cursor.at;
        cursor.same("modes of the stresses", modes.len())?;
        let listed = cursor.count("nodes of the stresses", 4)?;
        let mut columns = BTreeMap::new();
        for column in 0..listed {
            let at = cursor.at;
            let place = cursor.place("node of the stresses", nodes.len())?;
            if columns.insert(place, column).is_some() {
                let message = format!(
                    "node of the stresses: {place} appears twice in the list; valid: each node once"
                );
                return Err(cursor.error(at, message));
            }
        }
        let needed = modes.len().saturating_mul(4 + 48 * listed);
        let left = cursor.bytes.len() - cursor.at;
        if needed > left {
            let message = format!(
                "the stresses of {} modes at {listed} nodes take {needed} bytes, {left} follow: the file is cut \
                 short",
                modes.len()
            );
            return Err(cursor.error(start, message));
        }
        let mut values = Vec::with_capacity(modes.len() * listed);
        for mode in modes {
            cursor.same("number of a mode's stresses", mode.number as usize)?;
            for _ in 0..listed {
                values.push(cursor.reals::<6>("modal stress")?);
            }
        }
        Ok(Self { columns, values })
    }

    /// Multiplies all of them.
    pub(super) fn scale(&mut self, factor: f64) {
        for value in self.values.iter_mut().flatten() {
            *value *= factor;
        }
    }
}

impl Mnf {
    /// The stress of a node in the chosen modes.
    pub(super) fn stress(
        &self,
        id: u64,
        place: usize,
        chosen: &[usize],
    ) -> Result<TensorPoint, String> {
        let Some(stresses) = &self.stresses else {
            return Err(
                "has no modal stress; write the file again with stresses, or leave --stress out"
                    .to_owned(),
            );
        };
        let Some(column) = stresses.columns.get(&place) else {
            return Err(format!(
                "has no modal stress of node {id}; valid: {}",
                self.stressed(stresses)
            ));
        };
        let listed = stresses.columns.len();
        let values = chosen.iter().map(|j| stresses.values[j * listed + column]);
        Ok(TensorPoint {
            name: id.to_string(),
            values: values.collect(),
        })
    }

    /// The nodes with stress, in words.
    fn stressed(&self, stresses: &Stresses) -> String {
        /// Largest number of nodes that are listed.
        const LISTED: usize = 12;
        let places = || stresses.columns.keys().map(|place| self.nodes[*place].id);
        let first: Vec<String> = places().take(LISTED).map(|id| id.to_string()).collect();
        match places().count() {
            0 => "none, its list is empty".to_owned(),
            count if count > LISTED => format!(
                "{}, … ({count} of {} nodes)",
                first.join(", "),
                self.nodes.len()
            ),
            _ => first.join(", "),
        }
    }
}
