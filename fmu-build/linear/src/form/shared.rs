//! Inertia that modes of a flexible body share and that the solver has taken from them.

use fixstep_kernel::mechanism::{FlexBody, Mechanism};
use fixstep_kernel::simulation::{Coordinate, Linearization};

/// Part of the geometric mean of two modal masses from which on modes share inertia.
const SHARED: f64 = 1e-6;

/// Words on flexible bodies whose modes above the dynamic limit share inertia with others: only that of each by itself is in the form.
pub(super) fn lost(mechanism: &Mechanism, linearization: &Linearization) -> Vec<String> {
    let bodies = mechanism.bodies.iter().enumerate();
    let flexible = bodies.filter_map(|(k, body)| Some((k, &body.name, body.flexible.as_deref()?)));
    let loses = |(body, _, flex): &(usize, &String, &FlexBody)| loses(linearization, *body, flex);
    let words = |(_, name, _): (usize, &String, &FlexBody)| {
        format!(
            "flexible body \"{name}\": modes above its dynamic limit have the inertia of each by itself here, but not what they share with \
             other modes of the file, which are not orthogonal: modes of the mechanism are off by that; give the body \
             \"dynamic_limit\": \"none\""
        )
    };
    flexible.filter(loses).map(words).collect()
}

/// Is a product of inertia of the file missing in M?
fn loses(linearization: &Linearization, wanted: usize, flex: &FlexBody) -> bool {
    let (m, all) = (flex.modes.len(), flex.data.modes.len());
    let i6 = &flex.data.invariants.i6;
    if !flex.switches.0[5] || i6.len() != all * all {
        return false;
    }
    let tangents = &linearization.tangents;
    let mode = |unknown: usize| match tangents.places[unknown].coordinate {
        Coordinate::Modal { body, mode } if body.index() == wanted && mode < m => Some(mode),
        _ => None,
    };
    let mut there = vec![false; m * m];
    for entry in &tangents.accelerations.entries {
        if let (Some(j), Some(k)) = (mode(entry.row), mode(entry.column)) {
            there[j * m + k] |= entry.value != 0.0;
        }
    }
    let mass = |j: usize, k: usize| i6[flex.modes[j] * all + flex.modes[k]];
    let shares = |j: usize, k: usize| mass(j, k).abs() > SHARED * (mass(j, j) * mass(k, k)).sqrt();
    (0..m).any(|j| (0..j).any(|k| shares(j, k) && !there[j * m + k]))
}
