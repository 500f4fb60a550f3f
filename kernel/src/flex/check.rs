//! Control plane: checks the data of a flexible body for consistency.

use super::{Fault, FlexData, Invariants, TensorPoint, fail};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::{Mat3, Vec3};
use alloc::format;
use alloc::vec::Vec;

/// Pivot of a modal mass matrix, relative to its diagonal, below which a mode is a combination of those before it.
const DEPENDENT: f64 = 1e-12;
/// Pivot of a modal stiffness matrix, relative to its diagonal, that is rounding of a motion without stiffness.
const SLACK: f64 = 1e-9;
/// Relative asymmetry of I5 allowed for rounding, even in single precision.
const MIRROR: f64 = 1e-6;

/// Checks the data of a body.
pub fn check(body: &FlexData) -> Result<(), Fault> {
    finite(body)?;
    let m = body.modes.len();
    let unsymmetric = |a: &[f64]| {
        let size = a.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let mut pairs = (0..m).flat_map(|j| (0..j).map(move |k| (j, k)));
        pairs.find(|(j, k)| (a[j * m + k] - a[k * m + j]).abs() > 1e-8 * size)
    };
    for (name, matrix) in [("stiffness", &body.stiffness), ("i6", &body.invariants.i6)] {
        if let Some((j, k)) = unsymmetric(matrix) {
            let message = format!("is not symmetric in modes {} and {}", j + 1, k + 1);
            return fail(format!("array {name}"), message);
        }
        if let Some(j) = (0..m).find(|j| matrix[j * m + j] <= 0.0) {
            let message = format!(
                "is {} for mode {} by itself; valid: more than zero (rigid modes are left out, since the body's \
                 frame has their motion)",
                matrix[j * m + j],
                j + 1
            );
            return fail(format!("array {name}"), message);
        }
    }
    definite(body)?;
    antisymmetric(&body.invariants)?;
    if body.invariants.mass <= 0.0 {
        let message = format!(
            "the mass is {}; valid: more than zero",
            body.invariants.mass
        );
        return fail("array i1", message);
    }
    if body.nodes.is_empty() {
        return fail("header.nodes", "is empty; valid: at least one node");
    }
    let n = body.nodes.len();
    if let Some([a, b]) = body
        .lines
        .iter()
        .find(|line| line.iter().any(|end| *end >= n))
    {
        return fail("header.lines", format!("[{a}, {b}]; valid: 0 to {}", n - 1));
    }
    let beyond = |face: &&[usize; 4]| face.iter().any(|corner| *corner >= n);
    if let Some(face) = body.faces.iter().find(beyond) {
        return fail("header.faces", format!("{face:?}; valid: 0 to {}", n - 1));
    }
    for (k, node) in body.nodes.iter().enumerate() {
        let earlier = &body.nodes[..k];
        if earlier.iter().any(|other| other.id == node.id) {
            return fail("header.nodes", format!("node {} occurs twice", node.id));
        }
        if node.name.is_some() && earlier.iter().any(|other| other.name == node.name) {
            let name = node.name.as_deref().unwrap_or_default();
            return fail("header.nodes", format!("the name {name:?} occurs twice"));
        }
    }
    Ok(())
}

/// All numbers must be finite.
fn finite(body: &FlexData) -> Result<(), Fault> {
    let i = &body.invariants;
    let vectors = |all: &[Vec3]| all.iter().flatten().all(|x| x.is_finite());
    let matrices = |all: &[Mat3]| all.iter().flatten().all(|x| x.is_finite());
    let numbers = |all: &[f64]| all.iter().all(|x| x.is_finite());
    let some = |all: &Option<Vec<f64>>| all.as_deref().is_none_or(numbers);
    let tensors = |all: &[TensorPoint]| {
        let values = all.iter().flat_map(|point| &point.values);
        values.flatten().all(|x| x.is_finite())
    };
    for (place, sound) in [
        (
            "header.modes",
            body.modes.iter().all(|mode| mode.frequency.is_finite()),
        ),
        ("array i1", i.mass.is_finite()),
        ("array i2", vectors(&[i.first])),
        ("array i3", vectors(&i.i3)),
        ("array i4", vectors(&i.i4)),
        ("array i5", vectors(&i.i5)),
        ("array i6", numbers(&i.i6)),
        ("array i7", matrices(&[i.i7])),
        ("array i8", matrices(&i.i8)),
        ("array i9", matrices(&i.i9)),
        ("array stiffness", numbers(&body.stiffness)),
        ("array preload", some(&body.preload)),
        ("array stiffening", some(&body.stiffening)),
        ("array stresses", tensors(&body.stresses)),
        ("array strains", tensors(&body.strains)),
        (
            "array loads",
            body.loads
                .iter()
                .all(|load| vectors(&[load.force, load.torque]) && numbers(&load.modal)),
        ),
        (
            "array translations",
            body.nodes.iter().all(|node| {
                vectors(&[node.position]) && vectors(&node.translation) && vectors(&node.rotation)
            }),
        ),
    ] {
        if !sound {
            return fail(place, "has a number that is not finite");
        }
    }
    Ok(())
}

/// Every motion must have kinetic energy, and no deformation a negative strain energy.
fn definite(body: &FlexData) -> Result<(), Fault> {
    let m = body.modes.len();
    if let Some(j) = not_above(&body.invariants.i6, m, DEPENDENT) {
        let message = format!(
            "some motion of modes 1 to {0} has no kinetic energy, or a negative one: mode {0} is a combination of \
             those before it, or the matrix is wrong; valid: a positive definite matrix",
            j + 1
        );
        return fail("array i6", message);
    }
    if let Some(j) = not_above(&body.stiffness, m, -SLACK) {
        let message = format!(
            "some deformation by modes 1 to {} has a negative energy; valid: no negative eigenvalue",
            j + 1
        );
        return fail("array stiffness", message);
    }
    Ok(())
}

/// The first pivot of a symmetric matrix that is not above a fraction of the diagonal.
fn not_above(matrix: &[f64], m: usize, share: f64) -> Option<usize> {
    let mut a = matrix.to_vec();
    for j in 0..m {
        let pivot = a[j * m + j];
        let bound = share * matrix[j * m + j];
        if pivot <= bound {
            return Some(j);
        }
        // A pivot that is as good as zero leaves the other rows unchanged.
        let scale = if pivot > bound.abs() {
            1.0 / pivot
        } else {
            0.0
        };
        for i in j + 1..m {
            let ratio = a[i * m + j] * scale;
            (j + 1..m).for_each(|k| a[i * m + k] -= ratio * a[j * m + k]);
        }
    }
    None
}

/// I5_jk = −I5_kj, otherwise motion would create energy.
fn antisymmetric(i: &Invariants) -> Result<(), Fault> {
    let m = i.modes;
    for (j, k) in (0..m).flat_map(|j| (0..=j).map(move |k| (j, k))) {
        let size = (i.i6[j * (m + 1)] * i.i6[k * (m + 1)]).sqrt();
        if (i.i5[j * m + k] + i.i5[k * m + j]).norm() > MIRROR * size {
            let message = format!(
                "is not antisymmetric in modes {} and {}; valid: I5_jk = -I5_kj, as ∫ρ φ_j × φ_k is",
                j + 1,
                k + 1
            );
            return fail("array i5", message);
        }
    }
    Ok(())
}
