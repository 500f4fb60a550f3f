//! Control plane: the directions in which a force resists relative motion of its markers, by stiffness or by damping.
//! In steady motion, parts that a force drives follow each other in these directions only.

use crate::elements::forces::field::{FIELD_NUMBERS, Kind};
use crate::elements::forces::{ForceElement, ForceLaw, ScaledTerm};
use crate::ids::ExprId;
use crate::math::{Mat3, Vec3};
use crate::mechanism::Leaf;
use crate::state::State;
use crate::system::System;
use crate::workspace::Workspace;
use alloc::vec;

/// Projectors on the resisted directions, in ground axes: for displacements, and for rotations.
pub(super) type Resisted = [Mat3; 2];

/// Kind of resistance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Stiffness,
    Damping,
}

/// All directions, as a joint or a contact may hold them.
pub(super) fn everything() -> Resisted {
    [Mat3::identity(); 2]
}

/// No direction.
fn nothing() -> Resisted {
    [Mat3::zeros(); 2]
}

/// The directions in which a force resists by stiffness or by damping. For contacts, tyres and friction they are
/// unknown.
pub(super) fn directions(
    (system, state, ws): (&System, &State, &Workspace),
    force: &ForceElement,
    by: By,
) -> Resisted {
    let [i, j] = [force.i, force.j].map(|marker| &ws.markers[marker.index()]);
    let numbers = state.span(system.layout.numbers);
    let along_line = || {
        let line = (i.p - j.p).try_normalize(0.0);
        line.map_or_else(Mat3::zeros, |line| projection(&line))
    };
    let along = |k: u8| projection(&j.axis(k));
    // The axes of J along which the three numbers are not zero.
    let axes = |first: usize| {
        let some = (0..3).filter(|k| numbers[first + k] != 0.0);
        some.fold(Mat3::zeros(), |sum, k| sum + along(k as u8))
    };
    let second = usize::from(by == By::Damping);
    let has = |term: &ScaledTerm| reads(system, term.expr) == Some(by);
    if let Some(values) = force.law.along_line() {
        let resists = numbers[values + second] != 0.0;
        return if resists {
            [along_line(), Mat3::zeros()]
        } else {
            nothing()
        };
    }
    match &force.law {
        ForceLaw::RotationalSpring { values, .. } if numbers[values + second] != 0.0 => {
            [Mat3::zeros(), along(2)]
        }
        ForceLaw::Bushing { values } => {
            [values, &(values + 9)].map(|first| axes(first + 3 * second))
        }
        ForceLaw::Field(Kind::Beam(_)) if by == By::Stiffness => everything(),
        ForceLaw::Field(Kind::Field(values)) => {
            let n = &numbers[*values..*values + FIELD_NUMBERS];
            let row = |r: usize| {
                let first = 36 * second + 6 * r;
                n[first..first + 6].iter().any(|x| *x != 0.0)
            };
            [0, 3].map(|first| {
                let some = (0..3).filter(|k| row(first + k));
                some.fold(Mat3::zeros(), |sum, k| sum + along(k as u8))
            })
        }
        ForceLaw::JointDrive(drive) if drive.terms[second].is_some() => match drive.memory {
            Some(_) => [Mat3::zeros(), along(2)],
            None => [along(2), Mat3::zeros()],
        },
        ForceLaw::LineOfSight(term) if has(term) => [along_line(), Mat3::zeros()],
        ForceLaw::TorqueZ(term) if has(term) => [Mat3::zeros(), along(2)],
        ForceLaw::ForceZ(term) if has(term) => [along(2), Mat3::zeros()],
        ForceLaw::General { axes, terms } => {
            let marker = &ws.markers[axes.index()];
            let mut all = nothing();
            for (k, _) in
                { terms.iter().enumerate() }.filter(|(_, term)| term.as_ref().is_some_and(has))
            {
                all[k / 3] += projection(&marker.axis((k % 3) as u8));
            }
            all
        }
        _ => nothing(),
    }
}

/// All directions if a force depends at all on the position or motion of its parts, else none.
pub(super) fn ties(at: (&System, &State, &Workspace), force: &ForceElement) -> Resisted {
    let unknown = matches!(
        force.law,
        ForceLaw::Contact(_) | ForceLaw::Tyre { .. } | ForceLaw::JointFriction(_)
    );
    let resists = |by| directions(at, force, by) != nothing();
    if unknown || resists(By::Stiffness) || resists(By::Damping) {
        everything()
    } else {
        nothing()
    }
}

fn projection(axis: &Vec3) -> Mat3 {
    axis * axis.transpose()
}

/// Whether an expression reads positions, or else velocities, of parts.
fn reads(system: &System, expr: ExprId) -> Option<By> {
    let (mut waiting, mut seen) = (vec![expr], vec![false; system.programs.len()]);
    let mut found = None;
    while let Some(expr) = waiting.pop() {
        if core::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        for leaf in &system.programs[expr.index()].leaves {
            match &system.leaves[leaf.index()] {
                Leaf::Variable(v) => waiting.push(system.variables[v.index()]),
                Leaf::Kinematic { measure, .. } if measure.order() > 0 => {
                    found = found.or(Some(By::Damping));
                }
                Leaf::Kinematic { .. } => found = Some(By::Stiffness),
                _ => {}
            }
        }
    }
    found
}
