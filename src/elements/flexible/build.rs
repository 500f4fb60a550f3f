//! Control plane: a flexible body from its file and its settings.

use super::{Flexible, Modal};
use crate::flex::{FlexData, STIFFENINGS, Settings};
use crate::math::Mat3;

impl Flexible {
    /// From a file; the reference point is the centre of mass.
    pub fn new(data: &FlexData, options: &Settings) -> Self {
        let (m, all) = (options.modes.len(), data.modes.len());
        let center = data.invariants.center();
        let inertia = data.invariants.about(&center);
        let inertia = inertia.selected(&options.modes).switched(options.switches);
        let pick = |full: &[f64]| -> Vec<f64> {
            let column = |k: &usize| {
                options
                    .modes
                    .iter()
                    .map(|j| full[j * all + k])
                    .collect::<Vec<_>>()
            };
            options.modes.iter().flat_map(column).collect()
        };
        let own: Vec<f64> = options
            .modes
            .iter()
            .map(|j| data.invariants.i6[j * all + j])
            .collect();
        let stiffness = pick(&data.stiffness);
        let keep: Vec<f64> = options
            .quasi_static
            .iter()
            .map(|quasi| f64::from(u8::from(!quasi)))
            .collect();
        let pairs = |value: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let at = |n: usize| {
                let (k, j) = (n / m, n % m);
                value(j * m + k) * keep[j] * keep[k]
            };
            let all: Vec<f64> = (0..m * m).map(at).collect();
            if all.iter().all(|x| *x == 0.0) {
                Vec::new()
            } else {
                all
            }
        };
        let twice = |a: &Mat3| -(a + a.transpose());
        let single: Vec<Mat3> = inertia
            .i8
            .iter()
            .zip(&keep)
            .map(|(a, keep)| twice(a) * *keep)
            .collect();
        let damping =
            (0..m).map(|j| 2.0 * options.ratios[j] * (stiffness[j * m + j] * own[j]).sqrt());
        let lost = own
            .iter()
            .zip(&options.quasi_static)
            .map(|(m, quasi)| if *quasi { *m } else { 0.0 });
        Self {
            modes: m,
            mass: inertia.mass,
            inertia: inertia.i7,
            i3: inertia
                .i3
                .iter()
                .zip(&keep)
                .map(|(v, keep)| v * *keep)
                .collect(),
            i4: inertia
                .i4
                .iter()
                .zip(&keep)
                .map(|(v, keep)| v * *keep)
                .collect(),
            i5: std::array::from_fn(|c| pairs(&|at| inertia.i5[at][c])),
            i6: modal(m, &pairs(&|at| inertia.i6[at])),
            n: std::array::from_fn(|c| single.iter().map(|n| component(n, c)).collect()),
            p: std::array::from_fn(|c| pairs(&|at| component(&twice(&inertia.i9[at]), c))),
            stiffness: modal(m, &stiffness),
            damping: damping.collect(),
            preload: match &data.preload {
                Some(preload) if options.preload => {
                    options.modes.iter().map(|j| preload[*j]).collect()
                }
                _ => vec![0.0; m],
            },
            lost: lost.collect(),
            stiffening: match &data.stiffening {
                Some(all) if options.stiffening => stiffening(all, &pick),
                _ => Vec::new(),
            },
        }
    }
}

/// A modal matrix as its diagonal where the rest is rounding.
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

/// Off the diagonal of an orthonormal basis there is rounding of this size.
const ROUNDING: f64 = 1e-9;

/// The unit motions that stiffen, of the modes that are used.
fn stiffening(all: &[f64], pick: &dyn Fn(&[f64]) -> Vec<f64>) -> Vec<(usize, Vec<f64>)> {
    let parts = all
        .chunks_exact((all.len() / STIFFENINGS).max(1))
        .map(pick)
        .enumerate();
    parts
        .filter(|(_, part)| part.iter().any(|x| *x != 0.0))
        .collect()
}

/// xx, yy, zz, xy, yz, zx of a symmetric matrix.
fn component(m: &Mat3, c: usize) -> f64 {
    const PLACES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];
    m[PLACES[c]]
}
