//! Control plane: builds a flexible body from its file and its settings.

use super::{Driven, Flexible, Modal};
use crate::flex::{FlexData, Invariants, STIFFENINGS, Settings};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::{Mat3, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// The invariants of the modes that are used, and which of these have inertia.
struct Draft {
    inertia: Invariants,
    keep: Vec<f64>,
}

impl Draft {
    fn modes(&self) -> usize {
        self.keep.len()
    }

    /// A value per pair of modes with inertia, (j, k) at k m + j; empty if all are zero.
    fn pairs(&self, value: &dyn Fn(usize) -> f64) -> Vec<f64> {
        let m = self.modes();
        let at = |n: usize| {
            let (k, j) = (n / m, n % m);
            value(j * m + k) * self.keep[j] * self.keep[k]
        };
        let all: Vec<f64> = (0..m * m).map(at).collect();
        let any = all.iter().any(|x| *x != 0.0);
        if any { all } else { Vec::new() }
    }

    /// 3-vectors of the modes with inertia.
    fn kept(&self, list: &[Vec3]) -> Vec<Vec3> {
        list.iter()
            .zip(&self.keep)
            .map(|(v, keep)| v * *keep)
            .collect()
    }

    /// A component of N_j.
    fn single(&self, j: usize, c: usize) -> f64 {
        component(&twice(&self.inertia.i8[j]), c)
    }

    fn driven(&self, mode: usize) -> Driven {
        Driven {
            mode,
            i3: self.inertia.i3[mode],
            i4: self.inertia.i4[mode],
            n: core::array::from_fn(|c| self.single(mode, c)),
        }
    }
}

/// −(A + Aᵀ).
fn twice(a: &Mat3) -> Mat3 {
    -(a + a.transpose())
}

impl Flexible {
    /// Builds from a file; the reference point is the centre of mass.
    pub fn new(data: &FlexData, options: &Settings) -> Self {
        let (m, all) = (options.modes.len(), data.modes.len());
        let center = data.invariants.center();
        let about = data.invariants.about(&center).selected(&options.modes);
        let inertia_of = |quasi: &bool| f64::from(u8::from(!quasi));
        let draft = Draft {
            inertia: about.switched(options.switches),
            keep: options.quasi_static.iter().map(inertia_of).collect(),
        };
        let pick = |full: &[f64]| -> Vec<f64> {
            let row = |j: &usize, k: &usize| full[j * all + k];
            let column = |k: &usize| options.modes.iter().map(|j| row(j, k)).collect::<Vec<_>>();
            options.modes.iter().flat_map(column).collect()
        };
        let own = |j: usize| data.invariants.i6[options.modes[j] * (all + 1)];
        let stiffness = pick(&data.stiffness);
        let damping = |j: usize| 2.0 * options.ratios[j] * (stiffness[j * m + j] * own(j)).sqrt();
        // Without I6 all modes follow their loads without inertia.
        let lost = |j: usize| {
            let kept = options.switches.0[5] && draft.keep[j] > 0.0;
            if kept { 0.0 } else { own(j) }
        };
        let inertia = &draft.inertia;
        let single = |c: usize| (0..m).map(|j| draft.single(j, c) * draft.keep[j]).collect();
        Self {
            modes: m,
            mass: inertia.mass,
            inertia: inertia.i7,
            i3: draft.kept(&inertia.i3),
            i4: draft.kept(&inertia.i4),
            i5: core::array::from_fn(|c| draft.pairs(&|at| inertia.i5[at][c])),
            i6: modal(m, &draft.pairs(&|at| inertia.i6[at])),
            n: core::array::from_fn(single),
            p: core::array::from_fn(|c| draft.pairs(&|at| component(&twice(&inertia.i9[at]), c))),
            damping: (0..m).map(damping).collect(),
            preload: match &data.preload {
                Some(preload) if options.preload => {
                    options.modes.iter().map(|j| preload[*j]).collect()
                }
                _ => vec![0.0; m],
            },
            lost: (0..m).map(lost).collect(),
            driven: (0..m)
                .filter(|j| options.quasi_static[*j])
                .map(|j| draft.driven(j))
                .collect(),
            stiffening: match &data.stiffening {
                Some(all) if options.stiffening => stiffening(all, &center, &pick),
                _ => Vec::new(),
            },
            stiffness: modal(m, &stiffness),
        }
    }
}

/// A modal matrix, as a diagonal if the other entries are rounding.
fn modal(m: usize, full: &[f64]) -> Modal {
    if full.is_empty() {
        return Modal::Diagonal(vec![0.0; m]);
    }
    let diagonal: Vec<f64> = (0..m).map(|j| full[j * m + j]).collect();
    let small = |n: usize| {
        let (j, k) = (n / m, n % m);
        j == k || full[n].abs() <= ROUNDING * (diagonal[j] * diagonal[k]).abs().sqrt()
    };
    if (0..m * m).all(small) {
        Modal::Diagonal(diagonal)
    } else {
        Modal::Full(full.to_vec())
    }
}

/// Off-diagonal entries of this relative size are rounding in an orthonormal basis.
const ROUNDING: f64 = 1e-9;

/// The unit motions that cause geometric stiffness, for the modes in use, with the reference point at c in the file's
/// frame. The file's origin has the acceleration a − ω̇×c − ω×(ω×c), a that of the reference point, so
///
/// ```text
/// G′_k = G_k     G′_ω̇k = G_ω̇k − Σ_i (e_k×c)_i G_i
/// G′_ab = G_ab − Σ_i (e_a×(e_b×c) + e_b×(e_a×c))_i G_i, the second term where a ≠ b      (FLX-12)
/// ```
fn stiffening(all: &[f64], c: &Vec3, pick: &dyn Fn(&[f64]) -> Vec<f64>) -> Vec<(usize, Vec<f64>)> {
    let size = (all.len() / STIFFENINGS).max(1);
    let parts: Vec<Vec<f64>> = all.chunks_exact(size).map(pick).collect();
    let unit = |k: usize| Mat3::identity().column(k).into_owned();
    let turned = |a: usize, b: usize| unit(a).cross(&unit(b).cross(c));
    let of_origin = |motion: usize| match motion {
        0..3 => Vec3::zeros(),
        3..6 => unit(motion - 3).cross(c),
        _ => match PLACES[motion - 6] {
            (a, b) if a == b => turned(a, b),
            (a, b) => turned(a, b) + turned(b, a),
        },
    };
    let moved = |motion: usize| {
        let share = of_origin(motion);
        let value =
            |(n, own): (usize, &f64)| own - (0..3).map(|i| share[i] * parts[i][n]).sum::<f64>();
        parts[motion].iter().enumerate().map(value).collect()
    };
    (0..parts.len())
        .map(|motion| (motion, moved(motion)))
        .filter(|(_, part): &(_, Vec<f64>)| part.iter().any(|x| *x != 0.0))
        .collect()
}

/// Row and column of xx, yy, zz, xy, yz, zx in a symmetric matrix or in a product of angular velocities.
const PLACES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];

/// xx, yy, zz, xy, yz, zx of a symmetric matrix.
fn component(m: &Mat3, c: usize) -> f64 {
    m[PLACES[c]]
}
