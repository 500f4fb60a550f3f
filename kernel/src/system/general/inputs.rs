//! Control plane: how the loads of general constraints change with inputs.

use super::run;
use crate::elements::wrench::Wrench;
use crate::expr::TimeJet;
use crate::ids::{InputId, LeafId};
use crate::mechanism::Leaf;
use crate::system::System;
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// ∂/∂u of the legs' loads per unit of λ, Σ fₖᵤ ∂mₖ: (GCO-2) differentiated as (GCO-3) is, of each input that
/// the mechanism reads. [`super::evaluate`] must have run.
pub fn by_inputs(system: &System, ws: &mut Workspace, n: usize) -> Vec<(InputId, Vec<Wrench>)> {
    let entry = &system.generals[n];
    for (jet, value) in ws.trial_jets.iter_mut().zip(&ws.leaves) {
        *jet = TimeJet::constant(*value);
    }
    let mut along = |leaves: &[LeafId]| {
        for leaf in leaves {
            ws.trial_jets[leaf.index()].first = 1.0;
        }
        let jet = run(system, entry, &mut ws.trial_jets, &mut ws.jet_registers);
        for leaf in leaves {
            ws.trial_jets[leaf.index()].first = 0.0;
        }
        jet.second * entry.to_si
    };
    let mut found = Vec::new();
    for (at, leaf) in system.leaves.iter().enumerate() {
        let Leaf::Input(input) = leaf else { continue };
        let at = LeafId::from(at);
        let own = along(&[at]);
        let mut legs = vec![Wrench::zero(); entry.markers.len()];
        for (k, read) in entry.reads.iter().enumerate() {
            let bend = 0.5 * (along(&[read.leaf, at]) - along(&[read.leaf]) - own);
            let cotangents = &ws.generals[n].cotangents[k];
            for (leg, cotangent) in read.legs.iter().zip(cotangents) {
                if let Some(leg) = leg {
                    legs[*leg].add(&cotangent.scaled(bend));
                }
            }
        }
        found.push((*input, legs));
    }
    found
}
