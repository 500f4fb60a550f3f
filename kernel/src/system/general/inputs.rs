//! Derivatives of general constraints and their loads in inputs.

use super::run;
use crate::elements::wrench::Wrench;
use crate::expr::TimeJet;
use crate::ids::{InputId, LeafId};
use crate::mechanism::Leaf;
use crate::system::System;
use crate::workspace::Values;
use alloc::vec;
use alloc::vec::Vec;

/// ∂/∂u of the legs' loads per unit of λ, for each input that the mechanism reads, where the constraints are
/// evaluated. Control plane.
pub fn by_inputs(system: &System, ws: &mut Values, n: usize) -> Vec<(InputId, Vec<Wrench>)> {
    let mut found = Vec::new();
    for (at, leaf) in system.leaves.iter().enumerate() {
        let Leaf::Input(input) = leaf else { continue };
        let mut legs = vec![Wrench::zero(); system.generals[n].markers.len()];
        by_leaf(system, ws, (n, LeafId::from(at)), |leg, load| {
            legs[leg].add(load);
        });
        found.push((*input, legs));
    }
    found
}

/// ∂/∂u of Φ and, by leg, of the loads per unit of λ, Σ fₖᵤ ∂mₖ: (GCO-2) differentiated like (GCO-3), for the input
/// that a leaf reads, where the constraints are evaluated. Data plane.
pub fn by_leaf(
    system: &System,
    ws: &mut Values,
    (n, at): (usize, LeafId),
    mut put: impl FnMut(usize, &Wrench),
) -> f64 {
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
        (jet.first * entry.to_si, jet.second * entry.to_si)
    };
    let (slope, own) = along(&[at]);
    for (k, read) in entry.reads.iter().enumerate() {
        let (_, both) = along(&[read.leaf, at]);
        let (_, other) = along(&[read.leaf]);
        let bend = 0.5 * (both - other - own);
        let cotangents = &ws.generals[n].cotangents[k];
        for (leg, cotangent) in read.legs.iter().zip(cotangents) {
            if let Some(leg) = leg {
                put(*leg, &cotangent.scaled(bend));
            }
        }
    }
    slope
}
