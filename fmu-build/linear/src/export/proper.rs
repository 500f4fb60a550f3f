//! Converts the descriptor form to a state-space form.
//!
//! If inputs prescribe displacements, their rates are needed as well: x' = A x + B₀ u + B₁ u' + B₂ u'', y = C x + D₀
//! u + D₁ u' + D₂ u''. With x = x̃ + B₂ u' + (B₁ + A B₂) u the rates disappear:
//!
//! ```text
//! x̃' = A x̃ + (B₀ + A B₁ + A² B₂) u,   y = C x̃ + (D₀ + C B₁ + C A B₂) u,
//! if D₂ = 0 and D₁ + C B₂ = 0                                                (LIN-60)
//! ```

use crate::form::{LinearForm, StateVariable};
use crate::matrix::{largest, pick_columns, pick_rows};
use faer::Mat;

/// Coefficients of a rate of an input below this fraction of the largest entry count as zero.
const NONE: f64 = 1e-10;

/// A state-space form.
#[derive(Clone, Debug)]
pub struct Proper {
    /// The remaining states.
    pub states: Vec<StateVariable>,
    /// A.
    pub a: Mat<f64>,
    /// B.
    pub b: Mat<f64>,
    /// C.
    pub c: Mat<f64>,
    /// D.
    pub d: Mat<f64>,
    /// Do the states differ from the original ones by a term in the inputs?
    pub shifted: bool,
}

/// Error: an output depends on a rate of an input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "output \"{0}\" reads a rate of an input that prescribes a displacement: only the descriptor form E x' = A x + B u has \
     it; leave the output out by --outputs, let the motion take the acceleration as its input, or write json, mtx, npz, \
     mat, oml or ascii"
)]
pub struct Improper(pub String);

/// The state-space form of (LIN-60).
pub fn proper(form: &LinearForm) -> Result<Proper, Improper> {
    let Some(e) = &form.e else {
        return Ok(Proper {
            states: form.states.clone(),
            a: form.a.clone(),
            b: form.b.clone(),
            c: form.c.clone(),
            d: form.d.clone(),
            shifted: false,
        });
    };
    let (kept, given) = split(form, e);
    let inputs = form.b.ncols();
    let mut b = [
        pick_rows(&form.b, &kept),
        Mat::zeros(kept.len(), inputs),
        Mat::zeros(kept.len(), inputs),
    ];
    let outputs = form.c.nrows();
    let mut d = [
        form.d.clone(),
        Mat::zeros(outputs, inputs),
        Mat::zeros(outputs, inputs),
    ];
    for InputState { state, rate, row } in given {
        for u in 0..inputs {
            let slope = form.b[(row, u)];
            for (r, k) in kept.iter().enumerate() {
                b[rate][(r, u)] += form.a[(*k, state)] * slope;
            }
            for r in 0..outputs {
                d[rate][(r, u)] += form.c[(r, state)] * slope;
            }
        }
    }
    let a = pick_columns(&pick_rows(&form.a, &kept), &kept);
    let c = pick_columns(&form.c, &kept);
    let [b0, b1, b2] = b;
    let [d0, d1, d2] = d;
    let first = &d1 + &c * &b2;
    let scale = [&form.c, &form.d, &d1, &d2].map(largest);
    let scale = scale.iter().fold(0.0_f64, |most, x| most.max(*x));
    for r in 0..outputs {
        let reads = |of: &Mat<f64>| (0..inputs).any(|u| of[(r, u)].abs() > NONE * scale);
        if reads(&d2) || reads(&first) {
            return Err(Improper(form.outputs[r].name.clone()));
        }
    }
    let moved = &b1 + &a * &b2;
    let shifted = largest(&moved) > 0.0 || largest(&b2) > 0.0;
    Ok(Proper {
        states: kept.iter().map(|k| form.states[*k].clone()).collect(),
        b: &b0 + &a * &moved,
        d: &d0 + &c * &moved,
        a,
        c,
        shifted,
    })
}

/// A state that inputs give, or a rate of it.
struct InputState {
    state: usize,
    /// Which derivative of the input.
    rate: usize,
    /// The algebraic row that contains the input.
    row: usize,
}

/// States that stay, and those that are inputs or their rates: of w, w', w'' all from the given one on.
fn split(form: &LinearForm, e: &Mat<f64>) -> (Vec<usize>, Vec<InputState>) {
    let n = form.states.len();
    let mut kept: Vec<usize> = (0..n).collect();
    let mut given = Vec::new();
    for row in 0..n {
        if e[(row, row)] != 0.0 {
            continue;
        }
        let first = row - 2;
        let level = (0..3).find(|k| form.a[(row, first + k)] != 0.0);
        for k in level.unwrap_or(0)..3 {
            kept.retain(|state| *state != first + k);
            given.push(InputState {
                state: first + k,
                rate: k - level.unwrap_or(0),
                row,
            });
        }
    }
    (kept, given)
}
