//! Control plane: the function `DELAY`, which reads values of the past.

use super::{Leaf, ModelResolver, Scope, driven_only, holonomic_only, parameters_only};
use crate::expr::{DelayParts, Program, ResolveError};
use fixstep_kernel::ids::{DelayId, ExprId, LeafId};
use fixstep_kernel::mechanism::Delay;

impl ModelResolver<'_> {
    /// DELAY(e, delay, history[, longest]).
    pub(super) fn past(&mut self, parts: DelayParts) -> Result<LeafId, ResolveError> {
        match self.scope {
            Scope::All => {}
            Scope::Parameters => return Err(parameters_only("DELAY")),
            Scope::Driven => return Err(driven_only("DELAY")),
            Scope::Holonomic => return Err(holonomic_only("DELAY")),
        }
        let of_parameters = |leaf: &Leaf| matches!(leaf, Leaf::Parameter(_));
        if !self.reads_only(&parts.history, |leaf| {
            of_parameters(leaf) || matches!(leaf, Leaf::Time { .. })
        }) {
            return Err(ResolveError::new(
                "the history of a DELAY, its third argument, may use only TIME and parameters",
            ));
        }
        let bound = parts.longest.as_ref().unwrap_or(&parts.delay);
        if !self.reads_only(bound, of_parameters) {
            return Err(ResolveError::new(match parts.longest {
                None => {
                    "this delay varies: give the longest that it may become as a fourth argument \
                     of DELAY, of parameters and numbers"
                }
                Some(_) => {
                    "the longest delay, the fourth argument of DELAY, may use only parameters"
                }
            }));
        }
        if let Some(longest) = bound
            .constant_value()
            .filter(|x| !(*x >= 0.0 && x.is_finite()))
        {
            let message = format!("a delay must be zero or more, and finite; found {longest}");
            return Err(ResolveError::new(message));
        }
        let [value, delay, history] =
            [parts.value, parts.delay, parts.history].map(|program| self.keep(program));
        let longest = parts.longest.map_or(delay, |program| self.keep(program));
        let same = |d: &Delay| {
            let own = [d.value, d.delay, d.history, d.longest];
            let equal = |(a, b): (ExprId, ExprId)| {
                self.expressions[a.index()] == self.expressions[b.index()]
            };
            own.into_iter()
                .zip([value, delay, history, longest])
                .all(equal)
        };
        let known = self.delays.iter().position(same);
        let place = known.unwrap_or_else(|| {
            self.delays.push(Delay {
                value,
                delay,
                history,
                longest,
                path: self.at.label(),
            });
            self.delays.len() - 1
        });
        Ok(self.leaves.intern(Leaf::Delay(DelayId::from(place))))
    }

    /// Does a program read nothing else?
    fn reads_only(&self, program: &Program, allowed: impl Fn(&Leaf) -> bool) -> bool {
        let leaves = self.leaves.as_slice();
        let ids = program.leaves().iter();
        ids.map(|id| &leaves[id.index()]).all(allowed)
    }

    fn keep(&mut self, program: Program) -> ExprId {
        self.expressions.push(program);
        ExprId::from(self.expressions.len() - 1)
    }
}
