//! Control plane: where slopes hold for a short while only, or for small motions only.

use super::kinks::{forces_named, owners};
use crate::analysis::tangents::OperatingPoint;
use crate::elements::forces::{ForceLaw, contact, friction};
use crate::expr::Program;
use crate::mechanism::{FrictionLaw, Leaf, Mechanism};
use crate::system::eval;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// How much later slopes are looked at again \[s\].
const LATER: [f64; 2] = [1e-3, 0.1];
/// Slopes that differ by less than this part of the largest are one.
const ONE: f64 = 1e-6;

/// Notes on slopes that hold for a short time or for small motions only.
pub(super) fn all(mechanism: &Mechanism, point: &OperatingPoint) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for (owner, expr) in owners(mechanism) {
        let program = &mechanism.expressions[expr.index()];
        if changes(mechanism, program, &point.ws.leaves) {
            said.push(format!(
                "{owner} has slopes that change with TIME: the linear form holds for this instant, with TIME constant"
            ));
        }
    }
    let forces = 0..mechanism.forces.len();
    let sticking: Vec<usize> = forces.filter(|f| sticks(point, *f)).collect();
    said.extend(forces_named(mechanism, &sticking).map(|names| {
        format!(
            "{names} rubs at rest: its friction is smooth through zero, so that it acts as a stiff damper, and the \
             damping holds only for motions slower than its \"stiction_velocity\"; model sticking by a joint or \
             by the law \"lugre\", and leave the friction out for sliding"
        )
    }));
    said
}

/// Do the slopes by moving quantities change with time?
fn changes(mechanism: &Mechanism, program: &Program, leaves: &[f64]) -> bool {
    let of = |k: &usize| &mechanism.leaves[program.leaves[*k].index()];
    let all = 0..program.leaves.len();
    let clocks: Vec<usize> = all
        .clone()
        .filter(|k| matches!(of(k), Leaf::Time { .. }))
        .collect();
    let moving: Vec<usize> = all
        .filter(|k| {
            !matches!(
                of(k),
                Leaf::Time { .. } | Leaf::Parameter(_) | Leaf::Held(_) | Leaf::Delay(_)
            )
        })
        .collect();
    if clocks.is_empty() || moving.is_empty() {
        return false;
    }
    let mut registers = vec![0.0; program.registers()];
    let mut adjoints = registers.clone();
    let mut slopes = |leaves: &[f64]| {
        let mut all = vec![0.0; program.leaves.len()];
        program.gradient(leaves, &mut registers, &mut adjoints, &mut all);
        all
    };
    let now = slopes(leaves);
    LATER.iter().any(|seconds| {
        let mut leaves = leaves.to_vec();
        for k in &clocks {
            if let Leaf::Time { scale } = of(k) {
                leaves[program.leaves[*k].index()] += seconds * scale;
            }
        }
        let then = slopes(&leaves);
        let most = { moving.iter() }.fold(0.0_f64, |m, k| m.max(now[*k].abs()).max(then[*k].abs()));
        moving
            .iter()
            .any(|k| (then[*k] - now[*k]).abs() > ONE * most)
    })
}

/// Does a force rub, in its slope through zero?
fn sticks(point: &OperatingPoint, f: usize) -> bool {
    let context = eval::context(&point.system, &point.state, &point.ws, f);
    match &point.system.forces[f].law {
        ForceLaw::Contact(law) => {
            let state = contact::state(law, &context);
            state.pressing > 0 && state.has_friction && state.slip < state.holds
        }
        ForceLaw::JointFriction(law) if law.law == FrictionLaw::Coulomb => {
            let (slips, holds) = friction::slips(law, &context);
            slips.iter().all(|slip| slip.abs() < holds)
        }
        _ => false,
    }
}
