//! Control plane: finds the elements that act between given markers.

use fixstep_kernel::ids::{ForceId, MarkerId};
use std::collections::BTreeSet;

/// The markers that carry forces, with the types of these, so that a reaction that is always zero is detected.
#[derive(Debug, Default)]
pub(crate) struct Carriers {
    pub(super) pairs: BTreeSet<(MarkerId, MarkerId)>,
    pub(super) lone: BTreeSet<MarkerId>,
    /// An element is broken, and may be the requested one.
    pub(super) incomplete: bool,
    /// Tyres.
    pub(super) tyres: BTreeSet<ForceId>,
    /// Types of the force elements; empty: broken.
    pub(super) types: Vec<&'static str>,
}

impl Carriers {
    /// An element between two markers.
    pub(crate) fn add_pair(&mut self, i: MarkerId, j: MarkerId) {
        self.pairs.insert((i, j));
        self.pairs.insert((j, i));
    }

    /// An element that is broken.
    pub(crate) fn add_broken(&mut self) {
        self.incomplete = true;
    }

    /// A tyre.
    pub(crate) fn add_tyre(&mut self, tyre: ForceId) {
        self.tyres.insert(tyre);
    }

    /// The type of the next force element; empty: broken.
    pub(crate) fn add_type(&mut self, word: &'static str) {
        self.types.push(word);
    }

    /// The type of a force element; `None`: broken.
    pub(crate) fn word(&self, force: ForceId) -> Option<&'static str> {
        let word = self.types.get(force.index()).copied();
        word.filter(|word| !word.is_empty())
    }

    /// An action-only force on a marker.
    pub(crate) fn add_lone(&mut self, i: MarkerId) {
        self.lone.insert(i);
    }
}
