//! Control plane: transfer functions as balanced companion forms.
//!
//! ```text
//! y/u = (b₀ + b₁ s + … + b_n sⁿ)/(a₀ + a₁ s + … + a_n sⁿ)                       (TRF-1)
//! ẋ_k = (d_{k+1}/d_k) x_{k+1},   ẋ_n = (u − Σ (a_{k−1}/a_n) d_k x_k)/d_n
//! y = Σ (b_{k−1} − b_n a_{k−1}/a_n)/a_n d_k x_k + (b_n/a_n) u                  (TRF-2)
//! ```
//! The d_k are powers of two that make rows and columns of the matrix alike (Parlett & Reinsch 1969), and the states
//! of the size of the input.

use super::{DerivedState, Parts, input_of, is_zero, number, own, state_of, zero};
use crate::errors::At;
use crate::plan;
use crate::schema::{self, Number};
use crate::validate::builder::Builder;
use fixstep_kernel::mechanism::ValueRule;

/// Most sweeps of the balancing.
const SWEEPS: usize = 100;

/// The parts of a transfer function.
pub(super) fn parts(
    b: &mut Builder<'_>,
    data: &schema::TransferFunction,
    at: &At,
) -> Option<Parts> {
    let start = super::super::equations::start(b, (data.hold_states, data.steady), at);
    let n = plan::order(&data.denominator);
    let mut values = Vec::new();
    for (field, list) in [
        ("numerator", &data.numerator),
        ("denominator", &data.denominator),
    ] {
        if list.is_empty() {
            b.report.add(&at.field(field), "there is no coefficient");
            return None;
        }
        for (k, x) in list.iter().enumerate() {
            let id = own(b, Some(x), ValueRule::Finite, &at.field(field).index(k));
            values.push((b.start_of(id), id));
        }
    }
    let of_numerator = plan::order(&data.numerator);
    if of_numerator > n {
        let message = format!(
            "the numerator is of order {of_numerator} and the denominator of order {n}: the output would \
             need derivatives of the input; give the denominator at least the order of the numerator"
        );
        b.report.add(&at.field("numerator"), message);
        return None;
    }
    let at_start = |k: usize| values.get(data.numerator.len() + k).and_then(|(x, _)| *x);
    let highest = at_start(n).unwrap_or(1.0);
    if highest == 0.0 {
        let message = "the coefficient of the highest power is zero; leave it out";
        b.report.add(&at.field("denominator").index(n), message);
        return None;
    }
    let monic: Vec<f64> = (0..n)
        .map(|k| at_start(k).unwrap_or(0.0) / highest)
        .collect();
    let d = balance(&monic);
    let name = &data.name;
    let at_input = at.field("input");
    let inputs = vec![input_of(name, 0, data.input.text(), at_input)];
    let mut states = Vec::new();
    for k in 0..n {
        let text = rate(data, &d, k);
        let initial = zero(b, at);
        let about = (name.as_str(), data.description.as_ref());
        let at = at.field("denominator");
        let checked = values.iter().map(|(_, id)| *id).collect();
        states.push(DerivedState {
            initial,
            start: start?,
            checked: if k == 0 { checked } else { Vec::new() },
            ..state_of::<schema::TransferFunction>(about, (k, "denominator"), text, at)
        });
    }
    let outputs = vec![super::output_of(
        name,
        0,
        output(data, &d),
        at.field("numerator"),
    )];
    Some(Parts {
        inputs,
        outputs,
        states,
    })
}

/// The rate of state `k`, counted from 0: a row of (TRF-2).
fn rate(data: &schema::TransferFunction, d: &[f64], k: usize) -> String {
    let (name, n) = (&data.name, d.len());
    if k + 1 < n {
        return format!("{:?}*DIF('{name}', {})", d[k + 1] / d[k], k + 2);
    }
    let highest = number(&data.denominator[n]);
    let mut terms = vec![format!("{:?}*ARYVAL('{name}.u', 1)", 1.0 / d[k])];
    for (j, x) in data.denominator[..n].iter().enumerate() {
        if !is_zero(x) {
            let (factor, place) = (d[j] / d[k], j + 1);
            terms.push(format!(
                "{}/{highest}*{factor:?}*DIF('{name}', {place})",
                number(x)
            ));
        }
    }
    terms.join(" - ")
}

/// The output of (TRF-2).
fn output(data: &schema::TransferFunction, d: &[f64]) -> String {
    let (name, n) = (&data.name, d.len());
    let highest = number(&data.denominator[n]);
    let none = Number::Constant(0.0);
    let of = |k: usize| data.numerator.get(k).unwrap_or(&none);
    let direct = number(of(n));
    let mut terms = vec![format!("{direct}/{highest}*ARYVAL('{name}.u', 1)")];
    for (k, x) in data.denominator[..n].iter().enumerate() {
        if is_zero(of(k)) && (is_zero(of(n)) || is_zero(x)) {
            continue;
        }
        let residue = format!("({} - {direct}*{}/{highest})", number(of(k)), number(x));
        let (scale, place) = (d[k], k + 1);
        terms.push(format!(
            "{residue}/{highest}*{scale:?}*DIF('{name}', {place})"
        ));
    }
    terms.join(" + ")
}

/// The scales d_k of the states: powers of two.
fn balance(monic: &[f64]) -> Vec<f64> {
    let n = monic.len();
    let mut d = vec![1.0_f64; n];
    // |entry| of the scaled matrix.
    let entry = |d: &[f64], r: usize, c: usize| {
        let plain = if r + 1 == n {
            monic[c].abs()
        } else {
            f64::from(u8::from(c == r + 1))
        };
        plain * d[c] / d[r]
    };
    for _ in 0..SWEEPS {
        let mut changed = false;
        for k in 0..n {
            let others = || (0..n).filter(|j| *j != k);
            let column: f64 = others().map(|r| entry(&d, r, k)).sum();
            let row: f64 = others().map(|c| entry(&d, k, c)).sum();
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let mut factor = 1.0_f64;
            while column * factor * factor < 0.5 * row {
                factor *= 2.0;
            }
            while column * factor * factor > 2.0 * row {
                factor *= 0.5;
            }
            if (column * factor + row / factor) < 0.95 * (column + row) {
                d[k] *= factor;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    if n > 0 {
        // The last rate takes the input by about the largest of its own factors.
        let largest = (0..n).map(|c| entry(&d, n - 1, c)).fold(0.0, f64::max);
        let mut all = 1.0_f64;
        if largest > 0.0 && largest.is_finite() {
            while all * d[n - 1] * largest > 2.0 {
                all *= 0.5;
            }
            while all * d[n - 1] * largest < 0.5 {
                all *= 2.0;
            }
        }
        for x in &mut d {
            *x *= all;
        }
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_of_high_order_get_entries_near_their_rate() {
        // (s + 1000)⁸: binomial coefficients times powers of a thousand.
        let binomials = [1.0, 8.0, 28.0, 56.0, 70.0, 56.0, 28.0, 8.0];
        let powers: Vec<f64> = (0..8).map(|k| 1000.0_f64.powi(8 - k)).collect();
        let monic: Vec<f64> = binomials.iter().zip(&powers).map(|(c, p)| c * p).collect();
        let d = balance(&monic);
        for k in 0..8 {
            let last = monic[k] * d[k] / d[7];
            assert!((10.0..1e5).contains(&last), "{k}: {last}");
            if k < 7 {
                let next = d[k + 1] / d[k];
                assert!((10.0..1e5).contains(&next), "{k}: {next}");
            }
        }
        assert!(d.iter().all(|x| x.log2().fract() == 0.0));
    }

    #[test]
    fn integrators_and_gains_are_left_alone() {
        assert!(balance(&[]).is_empty());
        assert_eq!(balance(&[0.0, 0.0]).len(), 2);
        assert_eq!(balance(&[0.5]), [1.0]);
        assert_eq!(balance(&[100.0]), [1.0 / 64.0]);
    }
}
