//! Control plane: why a mechanism cannot be compiled.

use crate::limits::{COUPLINGS, DERIVATIVE_ROWS, DERIVATIVE_SUMS, PRODUCTS};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Why a mechanism cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Values depend on themselves.
    #[error(
        "cyclic reference: {0}; break the circle with a value that reads no force and no rate DIF1"
    )]
    Cycle(Members),
    /// Gradients take too much memory.
    #[error(
        "what forces, equations and outputs depend on takes more than {DERIVATIVE_ROWS} rows of six derivatives{at}; \
         make expressions that many use depend on fewer parts"
    )]
    Rows {
        /// The node with which they do, if it has a name.
        at: UpTo,
    },
    /// Gradients take too much time.
    #[error(
        "what forces and equations depend on takes more than {DERIVATIVE_SUMS} sums of six derivatives in a step; make \
         expressions read fewer variables that depend on many parts"
    )]
    Sums,
    /// The matrix has too many entries.
    #[error(
        "the equations couple too much: {couplings} couplings of six unknowns with six others, valid are \
         {COUPLINGS}{most}"
    )]
    Couplings {
        /// How many there are.
        couplings: usize,
        /// The element with most.
        most: Widest,
    },
    /// The elimination takes too much work.
    #[error(
        "the equations couple too much: a step would take more than {PRODUCTS} products of 6×6 blocks to eliminate its \
         unknowns{most}"
    )]
    Elimination {
        /// The element with most couplings.
        most: Widest,
    },
    /// A load on a flexible body does not act on a node.
    #[error(
        "{load} loads marker {marker}, which is fixed to the frame of flexible body {body}; loads need a \"node\", \
         nearest is \"{nearest}\""
    )]
    NoNode {
        /// The element that loads it.
        load: String,
        /// The marker.
        marker: String,
        /// The flexible body.
        body: String,
        /// The nearest node; empty: there is none.
        nearest: String,
    },
    /// A load acts on a node in a direction in which the node does not move.
    #[error("{0}")]
    HeldNode(Box<HeldNode>),
}

/// A load on a node in a direction in which the node does not move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{load} loads marker {marker} on node \"{node}\" of flexible body {body}, where no mode takes part in {what}; {why}: \
     {instead}"
)]
pub struct HeldNode {
    /// The element that loads it.
    pub load: String,
    /// The marker.
    pub marker: String,
    /// The node.
    pub node: String,
    /// The flexible body.
    pub body: String,
    /// Translation along which axes, or rotation.
    pub what: String,
    /// Why that is needed.
    pub why: &'static str,
    /// The remedy.
    pub instead: &'static str,
}

/// The members of a cycle, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members(pub Vec<String>);

impl fmt::Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [one] => write!(f, "{one} depends on itself"),
            all => write!(f, "{} depend on one another", all.join(", ")),
        }
    }
}

/// The node at which a limit is passed, if it has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpTo(pub Option<String>);

impl fmt::Display for UpTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|name| write!(f, ", up to {name}"))
    }
}

/// The element that couples most, if any does: its name, and the number of groups of six unknowns that it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widest(pub Option<(String, usize)>);

impl fmt::Display for Widest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, blocks)| {
            write!(
                f,
                "; most by {name}, which depends on {blocks} groups of six unknowns"
            )
        })
    }
}
