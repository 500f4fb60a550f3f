//! Replaces delays by Padé approximations.
//!
//! ```text
//! e^(−s T) ≈ Σ c_k (−s T)^k / Σ c_k (s T)^k,   c_k = (2n − k)! n! / ((2n)! k! (n − k)!),   k = 0 … n        (LIN-105)
//! ```
//! Its magnitude is 1, like that of the delay, and it has n states. Let e be the input of the delay and d its output,
//! with z' = F z + G e and d = H z + P e. Then
//!
//! ```text
//! e = C_e x + D_eu u + D_ed d,   d = (1 − P D_ed)⁻¹ (H z + P C_e x + P D_eu u)                            (LIN-106)
//! ```

use super::{LinearForm, NoForm, StateKind, StateVariable};
use crate::matrix::put;
use crate::spectra::TURN;
use faer::Mat;
use faer::linalg::solvers::Solve as _;
use fixstep_kernel::math;
use fixstep_kernel::simulation::OpenDelay;

/// The largest order: beyond it the coefficients differ by too many decades.
pub const LARGEST_ORDER: usize = 12;

/// Error up to which an approximation is called accurate.
const GOOD: f64 = 0.01;

/// A loop is singular if a pivot is below this.
const SINGULAR: f64 = 1e-12;

/// State-space form of one delay.
struct Section {
    /// F, by rows.
    f: Vec<Vec<f64>>,
    /// H.
    h: Vec<f64>,
    /// G: the last state contains e.
    gain: f64,
    /// P.
    direct: f64,
}

impl Section {
    /// That of a delay \[s\]; without states if the delay is zero.
    fn of(seconds: f64, order: usize) -> Self {
        let n = if seconds > 0.0 { order } else { 0 };
        let direct = if n % 2 == 0 { 1.0 } else { -1.0 };
        let c = coefficients(n);
        // The time of the states is scaled so that the first and the last coefficient have similar size.
        let rate = math::pow(c[0] / c[n], 1.0 / n.max(1) as f64);
        let own = |k: usize| c[k] / c[n] * math::pow(rate, k as f64 - n as f64);
        let mut f = vec![vec![0.0; n]; n];
        for k in 0..n {
            if k + 1 < n {
                f[k][k + 1] = rate / seconds;
            }
            f[n - 1][k] = -own(k) * rate / seconds;
        }
        let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        Self {
            h: (0..n).map(|k| (sign(k) - direct) * own(k)).collect(),
            gain: if n == 0 { 0.0 } else { rate / seconds },
            f,
            direct,
        }
    }
}

/// c_k of (LIN-105).
fn coefficients(n: usize) -> Vec<f64> {
    let mut c = vec![1.0];
    for k in 1..=n {
        let next = c[k - 1] * (n - k + 1) as f64 / (k * (2 * n - k + 1)) as f64;
        c.push(next);
    }
    c
}

/// The frequency \[Hz\] up to which the error of an approximation is at most one per cent, by its first wrong term.
fn holds_to(seconds: f64, order: usize) -> f64 {
    // (n!)² / ((2n)! (2n + 1)!)
    let mut term = 1.0;
    for k in 1..=order {
        term *= k as f64 / (order + k) as f64;
    }
    for k in 1..=2 * order + 1 {
        term /= k as f64;
    }
    math::pow(GOOD / term, 1.0 / (2 * order + 1) as f64) / (TURN * seconds)
}

/// Note on an order without a delay.
const NO_DELAY: &str = "--pade: the mechanism has no DELAY that an approximation could replace: the option changes \
     nothing";

/// Closes a form whose last inputs are the outputs of delays and whose last outputs are their inputs.
pub(super) fn close(
    mut form: LinearForm,
    delays: &[OpenDelay],
    order: Option<usize>,
) -> Result<LinearForm, NoForm> {
    if delays.is_empty() {
        if order.is_some() {
            form.notes.push(NO_DELAY.to_owned());
        }
        return Ok(form);
    }
    let Some(order) = order.map(|order| order.clamp(1, LARGEST_ORDER)) else {
        return Err(NoForm::Delay(delays[0].path.clone()));
    };
    if let Some(own) = delays.iter().find(|own| own.varies) {
        return Err(NoForm::DelayVaries(own.path.clone()));
    }
    let outer = Outer::of(&form, delays.len());
    let mut notes = Vec::new();
    let sections: Vec<Section> = delays
        .iter()
        .enumerate()
        .map(|(k, own)| {
            // A constant remains constant under any delay.
            if outer.stands_still(k) {
                notes.push(format!(
                    "{}: the argument of this DELAY never changes, so its value is constant",
                    own.path
                ));
                return Section::of(0.0, order);
            }
            if own.seconds > 0.0 {
                notes.push(format!(
                    "{}: a Padé approximation of order {order} replaces the DELAY of {} s, accurate to 1 % up to \
                     {:.4} Hz; its own roots are not motions of the mechanism",
                    own.path,
                    own.seconds,
                    holds_to(own.seconds, order)
                ));
            }
            Section::of(own.seconds, order)
        })
        .collect();
    let Some(inner) = Inner::of(&outer, &sections) else {
        return Err(NoForm::DelayLoop(delays[0].path.clone()));
    };
    let mut closed = outer.closed(form, &inner, &sections);
    name(&mut closed, delays, &sections);
    closed.notes.extend(notes);
    Ok(closed)
}

/// A form with its own inputs and outputs and with those of delays.
struct Outer {
    n: usize,
    /// Index at which states of delays are inserted: before driven displacements.
    at: usize,
    u: usize,
    y: usize,
    b_d: Mat<f64>,
    c_e: Mat<f64>,
    d_eu: Mat<f64>,
    d_ed: Mat<f64>,
    d_yd: Mat<f64>,
}

impl Outer {
    fn of(form: &LinearForm, delays: usize) -> Self {
        let n = form.a.nrows();
        let (u, y) = (form.b.ncols() - delays, form.c.nrows() - delays);
        let part = |of: &Mat<f64>, (r, c): (usize, usize), (rows, columns): (usize, usize)| {
            Mat::from_fn(rows, columns, |i, j| of[(r + i, c + j)])
        };
        Self {
            n,
            at: form.own_states(),
            u,
            y,
            b_d: part(&form.b, (0, u), (n, delays)),
            c_e: part(&form.c, (y, 0), (delays, n)),
            d_eu: part(&form.d, (y, 0), (delays, u)),
            d_ed: part(&form.d, (y, u), (delays, delays)),
            d_yd: part(&form.d, (0, u), (y, delays)),
        }
    }

    /// Is the input of a delay constant?
    fn stands_still(&self, k: usize) -> bool {
        let still = |of: &Mat<f64>| (0..of.ncols()).all(|c| of[(k, c)] == 0.0);
        still(&self.c_e) && still(&self.d_eu) && still(&self.d_ed)
    }

    /// The form with the states of delays.
    fn closed(&self, form: LinearForm, inner: &Inner, sections: &[Section]) -> LinearForm {
        let nz: usize = inner.z.ncols();
        let (n, u, y) = (self.n, self.u, self.y);
        let place = |k: usize| if k < self.at { k } else { k + nz };
        let mut a = Mat::zeros(n + nz, n + nz);
        let mut b = Mat::zeros(n + nz, u);
        let mut c = Mat::zeros(y, n + nz);
        let moved = &self.b_d * &inner.x;
        let fed = &self.b_d * &inner.u;
        let (states, shown) = (&self.b_d * &inner.z, &self.d_yd * &inner.z);
        let seen = &self.d_yd * &inner.x;
        for r in 0..n {
            for k in 0..n {
                a[(place(r), place(k))] = form.a[(r, k)] + moved[(r, k)];
            }
            for k in 0..nz {
                a[(place(r), self.at + k)] = states[(r, k)];
            }
            for k in 0..u {
                b[(place(r), k)] = form.b[(r, k)] + fed[(r, k)];
            }
        }
        for r in 0..y {
            for k in 0..n {
                c[(r, place(k))] = form.c[(r, k)] + seen[(r, k)];
            }
            for k in 0..nz {
                c[(r, self.at + k)] = shown[(r, k)];
            }
        }
        let direct = Mat::from_fn(y, u, |r, k| form.d[(r, k)]) + &self.d_yd * &inner.u;
        self.delays(inner, sections, (&mut a, &mut b));
        let e = form.e.as_ref().map(|e| {
            let mut wide = Mat::<f64>::identity(n + nz, n + nz);
            for r in 0..n {
                for k in 0..n {
                    wide[(place(r), place(k))] = e[(r, k)];
                }
            }
            wide
        });
        let f = form.positions;
        let mass = form.second_order.mass.clone();
        let by = |first: usize| &mass * Mat::from_fn(f, f, |r, c| -a[(f + r, first + c)]);
        let mut closed = LinearForm {
            e,
            b,
            c,
            d: direct,
            equations: form.equations + nz,
            ..form
        };
        (closed.second_order.damping, closed.second_order.stiffness) = (by(f), by(0));
        closed.a = a;
        for shapes in [&mut closed.shapes.positions, &mut closed.shapes.velocities] {
            let mut wide = Mat::zeros(shapes.nrows(), n + nz);
            for k in 0..n {
                let own = Mat::from_fn(shapes.nrows(), 1, |r, _| shapes[(r, k)]);
                put(&mut wide, (0, place(k)), &own);
            }
            *shapes = wide;
        }
        closed.inputs.truncate(u);
        closed.outputs.truncate(y);
        closed
    }

    /// The rows z' = F z + G e.
    fn delays(&self, inner: &Inner, sections: &[Section], (a, b): (&mut Mat<f64>, &mut Mat<f64>)) {
        let nz = inner.z.ncols();
        let e_x = &self.c_e + &self.d_ed * &inner.x;
        let e_z = &self.d_ed * &inner.z;
        let e_u = &self.d_eu + &self.d_ed * &inner.u;
        let place = |k: usize| if k < self.at { k } else { k + nz };
        let mut first = self.at;
        for (d, section) in sections.iter().enumerate() {
            let own = section.f.len();
            for (r, row) in section.f.iter().enumerate() {
                for (c, value) in row.iter().enumerate() {
                    a[(first + r, first + c)] += value;
                }
            }
            if let Some(last) = own.checked_sub(1).map(|last| first + last) {
                let gain = section.gain;
                for k in 0..self.n {
                    a[(last, place(k))] += gain * e_x[(d, k)];
                }
                for k in 0..nz {
                    a[(last, self.at + k)] += gain * e_z[(d, k)];
                }
                for k in 0..self.u {
                    b[(last, k)] += gain * e_u[(d, k)];
                }
            }
            first += own;
        }
    }
}

/// d by x, z and u, (LIN-106).
struct Inner {
    x: Mat<f64>,
    z: Mat<f64>,
    u: Mat<f64>,
}

impl Inner {
    /// `None` if the equations of the loop are singular.
    fn of(outer: &Outer, sections: &[Section]) -> Option<Self> {
        let count = sections.len();
        let nz = sections.iter().map(|own| own.f.len()).sum();
        let mut h = Mat::zeros(count, nz);
        let mut first = 0;
        for (d, section) in sections.iter().enumerate() {
            for (k, value) in section.h.iter().enumerate() {
                h[(d, first + k)] = *value;
            }
            first += section.f.len();
        }
        let direct =
            |of: &Mat<f64>| Mat::from_fn(count, of.ncols(), |r, c| sections[r].direct * of[(r, c)]);
        let own = Mat::<f64>::identity(count, count) - direct(&outer.d_ed);
        let solver = own.full_piv_lu();
        let upper = solver.U();
        let pivots = (0..count).map(|k| upper[(k, k)].abs());
        if pivots.fold(f64::INFINITY, f64::min) < SINGULAR {
            return None;
        }
        Some(Self {
            x: solver.solve(direct(&outer.c_e)),
            z: solver.solve(h),
            u: solver.solve(direct(&outer.d_eu)),
        })
    }
}

/// Names of the states of delays.
fn name(form: &mut LinearForm, delays: &[OpenDelay], sections: &[Section]) {
    let all = delays.iter().zip(sections).flat_map(|(delay, section)| {
        (1..=section.f.len()).map(|k| StateVariable {
            name: format!("{}, DELAY, Padé state {k}", delay.path),
            unit: String::new(),
            kind: StateKind::State,
        })
    });
    let all: Vec<StateVariable> = all.collect();
    let at = form.own_states() - all.len();
    form.states.splice(at..at, all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::c64;

    /// The response of a section at s.
    fn response(section: &Section, s: c64) -> c64 {
        let n = section.f.len();
        let a = Mat::from_fn(n, n, |r, c| {
            let own = if r == c { s } else { c64::new(0.0, 0.0) };
            own - section.f[r][c]
        });
        let mut right = Mat::zeros(n, 1);
        if n > 0 {
            right[(n - 1, 0)] = c64::new(section.gain, 0.0);
        }
        let states = a.full_piv_lu().solve(right);
        let terms = section.h.iter().enumerate();
        terms.fold(c64::new(section.direct, 0.0), |sum, (k, h)| {
            sum + states[(k, 0)] * *h
        })
    }

    #[test]
    fn sections_are_delays_where_they_are_said_to_hold() {
        for order in 1..=LARGEST_ORDER {
            let seconds = 0.013;
            let section = Section::of(seconds, order);
            let top = TURN * holds_to(seconds, order);
            for part in [0.0, 0.3, 0.7, 1.0] {
                let omega = part * top;
                let got = response(&section, c64::new(0.0, omega));
                let angle = omega * seconds;
                let wanted = c64::new(math::cos(angle), -math::sin(angle));
                assert!((got.norm() - 1.0).abs() < 1e-9, "{order}: {got}");
                let off = (got - wanted).norm();
                assert!(off < 1.2 * GOOD, "{order}, {part}: {off}");
                // The bound must not be far from the error; it is more conservative for higher orders.
                let least = [0.4, 0.08][usize::from(order > 5)];
                assert!(part < 1.0 || off > least * GOOD, "{order}: {off}");
            }
        }
        assert_eq!(response(&Section::of(0.0, 4), c64::new(0.0, 9.0)).re, 1.0);
    }

    #[test]
    fn coefficients_are_those_of_tables() {
        // 1 ± s/2 + s²/12, and 1 ± s/2 + s²/10 + s³/120.
        let near = |got: Vec<f64>, wanted: &[f64]| {
            for (got, wanted) in got.iter().zip(wanted) {
                assert!((got / wanted - 1.0).abs() < 1e-15, "{got} {wanted}");
            }
        };
        near(coefficients(2), &[1.0, 0.5, 1.0 / 12.0]);
        near(coefficients(3), &[1.0, 0.5, 0.1, 1.0 / 120.0]);
    }
}
