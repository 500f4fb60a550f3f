//! Control plane: refuses models whose equations couple so many unknowns that compiling or factoring would take all
//! memory or time. The check comes first, and names the element that couples most.

use super::MarkerBlocks;
use super::error::{CompileError, Widest};
use crate::ids::MarkerId;
use crate::limits::{COUPLINGS, PRODUCTS};
use crate::linalg::{BlockId, Pattern};
use crate::mechanism::Mechanism;
use crate::mechanism::called;
use crate::system::System;
use crate::system::condense::Coupler;
use alloc::format;
use alloc::vec::Vec;

/// How many elements may share a coupling, on average.
const REPEATED: usize = 16;

/// Couplings of all elements that may couple many blocks of unknowns.
pub(super) struct Extents<'a> {
    mechanism: &'a Mechanism,
    list: Vec<Extent>,
}

/// An element and the size of its couplings.
struct Extent {
    element: Element,
    /// Number of blocks of unknowns that it depends on.
    blocks: usize,
    /// Number of its couplings, some of which it shares with other elements.
    couplings: usize,
}

/// An element by its index in the mechanism.
enum Element {
    General(usize),
    Force(usize),
    Equation(usize),
}

impl<'a> Extents<'a> {
    /// The extents of a system whose couplings have not been collected yet.
    pub(super) fn of(
        mechanism: &'a Mechanism,
        system: &System,
        blocks: MarkerBlocks<'_>,
        coupler: &Coupler,
    ) -> Self {
        let width = |among: &[BlockId]| among.iter().map(|block| coupler.width(*block)).sum();
        let extent = |element, rows: &[BlockId], columns: &[BlockId]| {
            let (rows, blocks): (usize, usize) = (width(rows), width(columns));
            Extent {
                element,
                blocks,
                couplings: blocks.saturating_mul(rows),
            }
        };
        let of_markers = |markers: &[MarkerId]| -> Vec<BlockId> {
            markers.iter().filter_map(|m| blocks[m.index()]).collect()
        };
        let schedule = &system.schedule;
        let generals = system.generals.iter().enumerate().map(|(k, entry)| {
            let all = of_markers(&entry.markers);
            extent(Element::General(k), &all, &all)
        });
        let forces = mechanism.forces.iter().zip(&schedule.forces).enumerate();
        let forces = forces.map(|(k, (force, place))| {
            extent(
                Element::Force(k),
                &of_markers(&[force.i, force.j]),
                &place.support,
            )
        });
        let equations = system.equations.iter().enumerate().map(|(k, entry)| {
            let place = &schedule.expressions[entry.expr().index()];
            extent(Element::Equation(k), &[entry.block], &place.support)
        });
        Self {
            mechanism,
            list: generals.chain(forces).chain(equations).collect(),
        }
    }

    /// Refuses a model before its couplings are collected, if that alone would take long.
    pub(super) fn refuse_many(&self) -> Result<(), CompileError> {
        let couplings = self.list.iter().map(|extent| extent.couplings);
        let sum = couplings.fold(0, usize::saturating_add);
        if sum > REPEATED * COUPLINGS {
            return Err(self.too_many(sum));
        }
        Ok(())
    }

    /// Refuses a model with too many couplings, or with too much fill-in during elimination.
    pub(super) fn refuse_wide(&self, pattern: &Pattern) -> Result<(), CompileError> {
        if pattern.tiles() > COUPLINGS {
            return Err(self.too_many(pattern.tiles()));
        }
        if pattern.elimination(PRODUCTS).is_none() {
            return Err(CompileError::Elimination {
                most: self.widest(),
            });
        }
        Ok(())
    }

    fn too_many(&self, couplings: usize) -> CompileError {
        CompileError::Couplings {
            couplings,
            most: self.widest(),
        }
    }

    /// The element that couples most.
    fn widest(&self) -> Widest {
        let most = self.list.iter().max_by_key(|extent| extent.couplings);
        Widest(most.map(|extent| {
            let mechanism = self.mechanism;
            let name = match extent.element {
                Element::General(k) => {
                    let name = &mechanism.general_constraints[k].name;
                    format!("general constraint {}", called(name))
                }
                Element::Force(k) => format!("force {}", called(&mechanism.forces[k].name)),
                Element::Equation(k) => mechanism.equations[k].label.clone(),
            };
            (name, extent.blocks)
        }))
    }
}
