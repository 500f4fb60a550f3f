//! Control plane: finds kinks exactly at the operating point. There the slopes of a linear form hold on one side only, and
//! the user is told.
//!
//! An expression has a kink in a leaf if its difference quotients on both sides do not converge to each other as the
//! differences shrink.

use crate::analysis::tangents::OperatingPoint;
use crate::elements::forces::{self, ForceLaw};
use crate::expr::Program;
use crate::expr::ops::{Binary, Operation, Unary};
use crate::ids::{ExprId, ForceId};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::Vec3;
use crate::mechanism::{
    ContactQuantity, ForceKind, Leaf, Mechanism, ReactionComponent, ReactionSource, TyreChannel,
    TyreLaw, called,
};
use crate::system::eval;
use crate::system::length::characteristic_length;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Differences for the search for kinks, relative to the leaf's value or one.
const DIFFERENCES: [f64; 2] = [1e-6, 1e-9];
/// Slopes that differ by less than this fraction count as equal; a smooth function's slopes
/// approach each other at least this much.
const ONE: f64 = 1e-3;
const NEARER: f64 = 0.5;
/// Distance from touching that still counts as touching, in characteristic lengths.
const TOUCH: f64 = 1e-10;
/// The length of a vector below which it counts as zero.
const ZERO: f64 = 1e-9;

/// Everything that is exactly at a kink, as text.
pub(super) fn all(mechanism: &Mechanism, point: &mut OperatingPoint) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for (owner, expr) in owners(mechanism) {
        let program = &mechanism.expressions[expr.index()];
        if let Some(what) = zero_magnitude(mechanism, program, &point.ws.leaves) {
            said.push(format!(
                "{owner} reads {what}, which is zero here and has no slope there: the linear form treats it as \
                 constant; read the components instead"
            ));
        }
        let Some(function) = bend(mechanism, program, &point.ws.leaves) else {
            continue;
        };
        said.push(format!(
            "{owner} is exactly at a bend of {function}: its slope there is that of one side, or zero; choose a \
             state a little beside it, or make the bend smooth (STEP, a root of a sum of squares)"
        ));
    }
    let forces = 0..mechanism.forces.len();
    let touching: Vec<usize> = forces.clone().filter(|f| touches(point, *f)).collect();
    said.extend(forces_named(mechanism, &touching).map(|names| {
        format!(
            "{names} is exactly where it begins to touch: its slopes are those of one side; let it press, or part from it"
        )
    }));
    let beginning: Vec<usize> = forces.clone().filter(|f| begins(point, *f)).collect();
    said.extend(forces_named(mechanism, &beginning).map(|names| {
        format!(
            "{names} stands exactly where its force begins: its slopes are those of one side; tell a state in which it \
             pulls, or one in which it is slack"
        )
    }));
    let leaning: Vec<usize> = forces.filter(|f| leans(mechanism, point, *f)).collect();
    said.extend(forces_named(mechanism, &leaning).map(|names| {
        format!(
            "{names} is at camber 0 exactly, where |camber| of the Magic Formula bends: the slopes by camber are those of one side"
        )
    }));
    said
}

/// `force "a"`, or `each of forces "a", "b"`; `None` if there are none.
pub(super) fn forces_named(mechanism: &Mechanism, which: &[usize]) -> Option<String> {
    let names: Vec<String> = { which.iter() }
        .map(|f| called(&mechanism.forces[*f].name))
        .collect();
    match names.len() {
        0 => None,
        1 => Some(format!("force {}", names[0])),
        _ => Some(format!("each of forces {}", names.join(", "))),
    }
}

/// Expressions with the names of their owners.
pub fn owners(mechanism: &Mechanism) -> Vec<(String, ExprId)> {
    let mut all = Vec::new();
    for force in &mechanism.forces {
        let name = called(&force.name);
        let own = force.kind.expressions().into_iter();
        all.extend(own.map(|(field, scaled)| (format!("{field} of force {name}"), scaled.expr)));
    }
    for equation in &mechanism.equations {
        all.push((equation.label.clone(), equation.law.expression().expr));
    }
    for constraint in &mechanism.general_constraints {
        let name = called(&constraint.name);
        all.push((
            format!("general constraint {name}"),
            constraint.function.expr,
        ));
    }
    for (kind, list) in [
        ("variable", &mechanism.variables),
        ("output", &mechanism.outputs),
    ] {
        for own in list {
            let name = called(&own.quantity.name);
            all.push((format!("{kind} {name}"), own.expr));
        }
    }
    all
}

/// Lengths of zero vectors that a program reads.
fn zero_magnitude(
    mechanism: &Mechanism,
    program: &Program,
    leaves: &[f64],
) -> Option<&'static str> {
    let of = |leaf: &crate::ids::LeafId| {
        let what = match &mechanism.leaves[leaf.index()] {
            Leaf::Kinematic { measure, .. } if measure.is_magnitude() => measure.row()?.name,
            // The tension of a tendon has a sign and no components.
            Leaf::Reaction {
                source: ReactionSource::Force(f, _),
                ..
            } if matches!(mechanism.forces[f.index()].kind, ForceKind::Tendon { .. }) => {
                return None;
            }
            Leaf::Reaction { component, .. } => match component {
                ReactionComponent::ForceMagnitude => "the magnitude of a force",
                ReactionComponent::TorqueMagnitude => "the magnitude of a torque",
                _ => return None,
            },
            _ => return None,
        };
        (leaves[leaf.index()].abs() < ZERO).then_some(what)
    };
    program.leaves.iter().find_map(of)
}

/// The function that has a kink here; `None` if the expression is smooth.
fn bend(mechanism: &Mechanism, program: &Program, leaves: &[f64]) -> Option<String> {
    let mut registers = vec![0.0; program.registers()];
    let value = program.value(leaves, &mut registers);
    let first = program.constants.len() + program.leaves.len();
    let operations = program.operations.iter().enumerate();
    let mut at = operations.filter_map(|(k, operation)| {
        let function = bends(operation, &registers)?;
        Some((first + k, function))
    });
    let (register, function) = at.next_back()?;
    let moves = |leaf: &crate::ids::LeafId| {
        let leaf = &mechanism.leaves[leaf.index()];
        !matches!(
            leaf,
            Leaf::Time { .. } | Leaf::Parameter(_) | Leaf::Held(_) | Leaf::Delay(_)
        )
    };
    let mut moved = leaves.to_vec();
    let bent = program
        .leaves
        .iter()
        .filter(|leaf| moves(leaf))
        .any(|leaf| {
            let here = leaves[leaf.index()];
            let mut apart = |difference: f64| {
                let by = difference * here.abs().max(1.0);
                let mut slope = |by: f64| {
                    moved[leaf.index()] = here + by;
                    (program.value(&moved, &mut registers) - value) / by
                };
                let (right, left) = (slope(by), slope(-by));
                moved[leaf.index()] = here;
                ((right - left).abs(), right.abs().max(left.abs()))
            };
            let [(wide, _), (narrow, size)] = DIFFERENCES.map(&mut apart);
            !narrow.is_finite() || (narrow > ONE * size && narrow >= NEARER * wide && narrow > 0.0)
        });
    if !bent {
        return None;
    }
    let calls = program.calls.iter();
    let mut called = calls.filter(|call| {
        let own = call.operands.iter().filter_map(|operand| operand.register);
        own.into_iter().any(|operand| operand < register as u32)
    });
    let known = called
        .next_back()
        .map(|call| call.function.clone().into_owned());
    Some(
        known
            .filter(|name| name.contains(function))
            .unwrap_or_else(|| String::from(function)),
    )
}

/// The function of an operation that is exactly at its kink.
fn bends(operation: &Operation, registers: &[f64]) -> Option<&'static str> {
    let at = |register: u32| registers[register as usize];
    let (is_bent, function) = match *operation {
        Operation::Unary(Unary::Abs, a) => (at(a) == 0.0, "ABS"),
        Operation::Unary(Unary::Sqrt, a) => (at(a) == 0.0, "SQRT"),
        Operation::Unary(Unary::Asin | Unary::Acos, a) => (at(a).abs() == 1.0, "ASIN or ACOS"),
        Operation::Unary(Unary::Truncate, a) => (at(a) == at(a).trunc(), "INT"),
        Operation::Unary(Unary::Round, a) => ((at(a) - at(a).trunc()).abs() == 0.5, "ANINT"),
        Operation::Binary(Binary::Min, a, b) => (at(a) == at(b), "MIN"),
        Operation::Binary(Binary::Max, a, b) => (at(a) == at(b), "MAX"),
        Operation::Binary(Binary::Sign, _, b) => (at(b) == 0.0, "SIGN"),
        Operation::Binary(Binary::Power | Binary::PowerConstant, a, _) => (at(a) == 0.0, "a power"),
        Operation::Select([e, ..]) => (at(e) == 0.0, "IF"),
        Operation::Ramp([x, x0, x1]) => (at(x) == at(x0) || at(x) == at(x1), "a ramp"),
        _ => (false, ""),
    };
    is_bent.then_some(function)
}

/// Is a contact exactly at the onset of touching?
fn touches(point: &mut OperatingPoint, f: usize) -> bool {
    let (system, state, ws) = (&point.system, &point.state, &mut point.ws);
    let ForceLaw::Contact(_) = &system.forces[f].law else {
        return false;
    };
    let (i, j) = (system.forces[f].i, system.forces[f].j);
    let pressed = |ws: &crate::workspace::Workspace| {
        let asked = (ForceId::from(f), ContactQuantity::Penetration, j);
        eval::contact_reading(system, state, ws, asked).map_or(0.0, |reading| reading.value)
    };
    let near = TOUCH * characteristic_length(system);
    let body = system.body_of(i);
    if body >= system.bodies.len() || pressed(ws) > near {
        return false;
    }
    let r = ws.bodies[body].r;
    let mut touched = false;
    for k in 0..6 {
        let mut by = Vec3::zeros();
        by[k % 3] = if k < 3 { 3.0 * near } else { -3.0 * near };
        ws.bodies[body].r = r + by;
        eval::markers(system, ws);
        touched |= pressed(ws) > 0.0;
    }
    ws.bodies[body].r = r;
    eval::markers(system, ws);
    touched
}

/// Is a force exactly where it begins? Of an element of several forces, the first one tells.
fn begins(point: &OperatingPoint, f: usize) -> bool {
    let element = &point.system.forces[f];
    let context = eval::context(&point.system, &point.state, &point.ws, f);
    let from = forces::from_onset(&element.law, &context);
    let near = TOUCH * characteristic_length(&point.system);
    !element.later && from.is_some_and(|from| from.abs() <= near)
}

/// Is a tyre whose slopes jump at zero camber exactly at zero?
fn leans(mechanism: &Mechanism, point: &OperatingPoint, f: usize) -> bool {
    let ForceLaw::Tyre { tyre, .. } = &point.system.forces[f].law else {
        return false;
    };
    let ForceKind::Tyre(own) = &mechanism.forces[f].kind else {
        return false;
    };
    let TyreLaw::Magic(formula, _) = &own.law else {
        return false;
    };
    let bent = formula.pky3 != 0.0 || formula.qbz5 != 0.0;
    let camber = point.ws.tyres[tyre.index()].channels[TyreChannel::Gamma as usize].value;
    bent && camber == 0.0
}
