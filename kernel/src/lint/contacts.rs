//! Control plane: contacts whose damping a fixed step cannot resolve.

use super::reading::reached;
use super::{Subject, show};
use crate::ids::ExprId;
use crate::mechanism::{Contact, Finding, ForceKind, LintRule, NormalLaw};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Least depth over which damping may come in [user length units].
const LEAST_DEPTH: f64 = 1e-3;
/// Most damping for each unit of stiffness [user time units].
const MOST_DAMPING: f64 = 0.01;

const DEEPER: &str = "let damping come in over a depth that takes several steps to cross";
const LESS: &str = "use less damping, a hundredth of the stiffness at most, or a smaller step";

/// Contacts, and IMPACT and BISTOP in forces.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    for force in &s.mechanism.forces {
        if let ForceKind::Contact(contact) = &force.kind {
            element(s, &force.name, contact, found);
        }
        for (field, scaled) in force.kind.expressions() {
            expression(s, (&force.name, field), scaled.expr, found);
        }
    }
}

/// Stiffness, damping, depth in user units.
fn judge(
    place: (&str, &str),
    label: &str,
    [stiffness, damping, depth]: [f64; 3],
    found: &mut Vec<Finding>,
) {
    let place = ("force", place.0, place.1);
    if damping > 0.0 && depth < LEAST_DEPTH {
        found.push(Finding::new(
            LintRule::ShallowContact,
            place,
            format!(
                "the damping{label} is full at a penetration of {} length units, less than {}: it \
                 comes as a blow",
                show(depth),
                show(LEAST_DEPTH)
            ),
            DEEPER,
        ));
    }
    if damping > MOST_DAMPING * stiffness {
        found.push(Finding::new(
            LintRule::ContactDamping,
            place,
            format!(
                "the damping{label}, {}, is more than {} of the stiffness {}",
                show(damping),
                show(MOST_DAMPING),
                show(stiffness)
            ),
            LESS,
        ));
    }
}

fn element(s: &Subject<'_>, name: &str, contact: &Contact, found: &mut Vec<Finding>) {
    if contact.law != NormalLaw::Impact {
        return;
    }
    let [stiffness, _, _, damping, depth] = contact.normal.map(|id| s.number(id));
    let units = &s.mechanism.units;
    let numbers = [
        stiffness / units.force.factor,
        damping * units.length.factor / (units.force.factor * units.time.factor),
        depth / units.length.factor,
    ];
    judge((name, "normal"), "", numbers, found);
}

fn expression(s: &Subject<'_>, place: (&str, &str), root: ExprId, found: &mut Vec<Finding>) {
    for reached in reached(s.mechanism, root) {
        let program = &s.mechanism.expressions[reached.expr.index()];
        let mut registers = vec![0.0; program.registers()];
        program.value(&s.ws.leaves, &mut registers);
        for call in program.calls() {
            let numbers = match call.function.as_ref() {
                "IMPACT" => [3, 5, 6],
                "BISTOP" => [4, 6, 7],
                _ => continue,
            };
            let value = |k: usize| call.operands.get(k)?.after(&registers);
            let [Some(stiffness), Some(damping), Some(depth)] = numbers.map(value) else {
                continue;
            };
            let label = format!(" of {}", call.function);
            judge(place, &label, [stiffness, damping, depth], found);
        }
    }
}
