//! Control plane: which outputs have a linear form, and which delays it leaves open.

use crate::ids::ExprId;
use crate::mechanism::{Leaf, Mechanism};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// An output without a row in the linear form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its index in the mechanism.
    pub output: usize,
    /// The reason, to follow its name: `reads an energy, …`.
    pub reason: String,
}

/// Outputs with a linear form, and the others.
pub(in crate::analysis) fn shown(mechanism: &Mechanism) -> (Vec<usize>, Vec<LeftOut>) {
    let (mut shown, mut left_out) = (Vec::new(), Vec::new());
    for (k, output) in mechanism.outputs.iter().enumerate() {
        let leaves = read(mechanism, output.expr);
        let reason = leaves.iter().find_map(|leaf| match leaf {
            Leaf::Energy { .. } => Some("an energy or a power, which is not linear in motion"),
            Leaf::Deformation { .. } => {
                Some("a largest displacement, which is not linear in motion")
            }
            _ => None,
        });
        match reason {
            Some(what) => left_out.push(LeftOut {
                output: k,
                reason: format!("reads {what}"),
            }),
            None => shown.push(k),
        }
    }
    (shown, left_out)
}

/// All leaves that an expression reads, also through variables and rates.
fn read(mechanism: &Mechanism, root: ExprId) -> Vec<&Leaf> {
    let mut seen = vec![false; mechanism.expressions.len()];
    let (mut waiting, mut found) = (vec![root], Vec::new());
    while let Some(expr) = waiting.pop() {
        if core::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        for leaf in mechanism.expressions[expr.index()].leaves() {
            let leaf = &mechanism.leaves[leaf.index()];
            found.push(leaf);
            match leaf {
                Leaf::Variable(v) => waiting.push(mechanism.variables[v.index()].expr),
                Leaf::StateRate(k) => {
                    waiting.push(mechanism.equations[k.index()].law.expression().expr);
                }
                _ => {}
            }
        }
    }
    found
}

/// A delay, which a linear form leaves open: the delayed value is an input, the value to be delayed
/// an output.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDelay {
    /// Its place in the model, for messages.
    pub path: String,
    /// Its length at the operating point \[s\].
    pub seconds: f64,
    /// Does its length depend on anything but parameters?
    pub varies: bool,
}

/// All delays of a mechanism, with these lengths.
pub(super) fn open_delays(mechanism: &Mechanism, seconds: &[f64]) -> Vec<OpenDelay> {
    let fixed = |leaf: &&Leaf| matches!(leaf, Leaf::Parameter(_) | Leaf::Variable(_));
    let all = mechanism.memory.delays.iter().zip(seconds);
    all.map(|(delay, seconds)| OpenDelay {
        path: delay.path.clone(),
        seconds: *seconds,
        varies: !read(mechanism, delay.delay).iter().all(fixed),
    })
    .collect()
}
