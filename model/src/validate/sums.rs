//! Control plane: expressions that are sums of leaves.

use super::builder::Builder;
use crate::expr::{self, Argument, ResolveError, Resolver};
use fixstep_kernel::ids::{ExprId, LeafId};
use fixstep_kernel::mechanism::Leaf;

impl Builder<'_> {
    /// The expression that is nothing but a leaf.
    pub(super) fn leaf_expression(&mut self, leaf: Leaf) -> Option<ExprId> {
        self.sum_of_leaves([leaf])
    }

    /// The expression that is a sum of leaves; `None`: there are none, or too many.
    pub(super) fn sum_of_leaves(
        &mut self,
        leaves: impl IntoIterator<Item = Leaf>,
    ) -> Option<ExprId> {
        let ids = leaves.into_iter().map(|leaf| self.leaves.intern(leaf));
        let mut resolver = Numbered(ids.collect());
        let names: Vec<String> = (0..resolver.0.len()).map(|k| format!("x{k}")).collect();
        let program = expr::compile(&names.join("+"), &mut resolver).ok()?;
        Some(self.keep(program))
    }
}

/// Leaves by their numbers: `x0`, `x1`.
struct Numbered(Vec<LeafId>);

impl Resolver for Numbered {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        let number = name
            .get(1..)
            .and_then(|digits| digits.parse::<usize>().ok());
        let leaf = number.and_then(|number| self.0.get(number));
        leaf.copied().ok_or(ResolveError::Unknown)
    }

    fn call(&mut self, _: &str, _: &[Argument]) -> Result<LeafId, ResolveError> {
        Err(ResolveError::Unknown)
    }

    fn functions(&self) -> Vec<&str> {
        Vec::new()
    }

    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
}
