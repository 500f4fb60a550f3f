//! Control plane: explains a failed assembly by motions and initial conditions that contradict the
//! joints or one another.

use crate::analysis::shapes::Shapes;
use crate::analysis::{ACCEPTED_VIOLATION, Start, owner_name};
use crate::state::State;
use crate::system::Owner;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Above this number they are not tried one by one.
const MANY: usize = 20;

impl Start<'_> {
    /// Names the motions and initial conditions without which the mechanism closes: each alone, or else all
    /// together. Returns the end of a message; empty if the joints themselves do not close.
    pub(super) fn misfits(&mut self, begin: &State, active: &[bool]) -> String {
        let groups = &self.system.groups;
        let asks: Vec<usize> = (0..groups.len())
            .filter(|g| !matches!(groups[*g].owner, Owner::Joint(_)))
            .filter(|g| active[groups[*g].rows.range()].contains(&true))
            .collect();
        if asks.is_empty() || !self.closes_without(begin, active, &asks) {
            return String::new();
        }
        let mut culprits = Vec::new();
        if asks.len() > 1 && asks.len() <= MANY {
            for ask in &asks {
                if self.closes_without(begin, active, &[*ask]) {
                    culprits.push(*ask);
                }
            }
        }
        let (list, end) = match culprits.len() {
            0 => (&asks, "these: "),
            1 => (&culprits, ""),
            _ => (&culprits, "any one of these: "),
        };
        let named = list.iter().take(5);
        let names: Vec<String> = named
            .map(|g| owner_name(self.mechanism, self.system.groups[*g].owner))
            .collect();
        format!(
            "; the joints alone close, and everything does without {end}{}",
            names.join(", ")
        )
    }

    /// Does the mechanism close from the start pose without these groups of rows?
    fn closes_without(&mut self, begin: &State, active: &[bool], groups: &[usize]) -> bool {
        let mut rest = active.to_vec();
        for group in groups {
            rest[self.system.groups[*group].rows.range()].fill(false);
        }
        let failed = self.state.clone();
        self.state.copy_from(begin);
        let active = |r: usize| rest[r];
        self.shapes = Shapes::Held;
        let closed = self.close_keeping(begin, &active);
        let closed = closed.and_then(|worst| self.bend(begin, &active, worst));
        self.shapes = Shapes::Held;
        self.state.copy_from(&failed);
        closed.is_ok_and(|worst| worst <= ACCEPTED_VIOLATION)
    }
}
