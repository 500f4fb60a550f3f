//! Computes frequency responses H(s) = C (s E − A)⁻¹ B + D at s = 2 π i f, also as sums over modes.
//!
//! The displacements w that inputs prescribe are eliminated first. The inputs give one of w, ẇ, ẅ, and each of these is
//! s times the one before. A standard form of n states remains:
//!
//! ```text
//! H(s) = C₁ (s − A₁₁)⁻¹ (B₁ + A₁w W(s)) + D + C_w W(s),   W = s^(k − level) · slopes, k = 0, 1, 2       (LIN-40)
//! ```
//! It is balanced and reduced to Hessenberg form once; each frequency then costs n² operations instead of n³. At 0 Hz
//! the limit of each response is computed.

pub mod excitation;
pub mod grid;
mod hessenberg;
mod modal;
mod peaks;
mod still;

use crate::eigen::balance;
use crate::form::{Driven, LinearForm};
use crate::spectra::TURN;
use faer::{Mat, c64};
use hessenberg::Hessenberg;
pub use modal::{Modal, NoModes, Participation};
pub use peaks::{Peak, STEPS, peaks};
use still::{Still, Told};

/// How a response is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// A system of equations for each frequency.
    #[default]
    Direct,
    /// A sum over modes.
    Modal,
}

/// Error: the response is infinite at a frequency.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the response is unbounded at {frequency} Hz: the mechanism has an undamped mode, a free motion or an integrated input \
     there; choose frequencies beside it, or give it damping"
)]
pub struct Unbounded {
    /// The frequency \[Hz\].
    pub frequency: f64,
}

/// The transfer function of a linear form, prepared for evaluation at many frequencies.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// States that are not driven.
    n: usize,
    given: Vec<Driven>,
    /// Which derivative of each input its amplitudes describe: 0 the input itself, 1 its rate, 2 the second derivative.
    orders: Vec<i32>,
    /// Factors of balancing: a state is its factor times the balanced state.
    scale: Vec<f64>,
    /// Columns of C for the driven displacements and their derivatives.
    shown_given: Mat<f64>,
    direct: Mat<f64>,
    hessenberg: Hessenberg,
    still: Still,
    modal: Result<Modal, NoModes>,
    poles: Vec<c64>,
}

/// B₁, A₁w and C₁ in one basis.
#[derive(Clone, Debug)]
pub(crate) struct Ports<T> {
    pub(crate) inputs: Mat<T>,
    pub(crate) given: Mat<T>,
    pub(crate) outputs: Mat<T>,
}

impl Transfer {
    /// Prepares the transfer function of a linear form.
    pub fn new(form: &LinearForm) -> Self {
        let n = form.own_states();
        let driven = form.states.len() - n;
        let plain = Ports {
            inputs: part(&form.b, (0, 0), (n, form.b.ncols())),
            given: part(&form.a, (0, n), (n, driven)),
            outputs: part(&form.c, (0, 0), (form.c.nrows(), n)),
        };
        let a = form.own_matrix();
        let scale: Vec<f64> = balance::scales(&a).iter().map(|by| 1.0 / by).collect();
        let unscaled = |m: &Mat<f64>| Mat::from_fn(n, m.ncols(), |r, c| m[(r, c)] / scale[r]);
        let ports = Ports {
            inputs: unscaled(&plain.inputs),
            given: unscaled(&plain.given),
            outputs: Mat::from_fn(form.c.nrows(), n, |r, c| form.c[(r, c)] * scale[c]),
        };
        let (poles, modal) = modal::of(form, &scale, &ports);
        let balanced = Mat::from_fn(n, n, |r, c| a[(r, c)] * (scale[c] / scale[r]));
        Self {
            n,
            given: form.driven(),
            orders: vec![0; form.b.ncols()],
            shown_given: part(&form.c, (0, n), (form.c.nrows(), driven)),
            direct: form.d.clone(),
            hessenberg: Hessenberg::new(balanced, &ports),
            still: Still::new(&a, form.positions, plain),
            modal,
            poles,
            scale,
        }
    }

    /// From now on, amplitudes of this input are those of its derivative of this order: 1 its rate, 2 its second derivative.
    pub fn tell_derivative(&mut self, input: usize, order: i32) {
        self.orders[input] = order;
    }

    /// Which of displacement (0), velocity (1) and acceleration (2) an input gives, if it drives a motion.
    pub fn driven_level(&self, input: usize) -> Option<i32> {
        let own = self.given.iter().find(|given| given.slopes[input] != 0.0);
        own.map(|given| given.level)
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.direct.ncols()
    }

    /// How many outputs there are.
    pub fn outputs(&self) -> usize {
        self.direct.nrows()
    }

    /// The poles: eigenvalues of the states that are not driven \[1/s\], by magnitude.
    pub fn poles(&self) -> &[c64] {
        &self.poles
    }

    /// The sum over modes, or why it is not available.
    pub fn modal(&self) -> Result<&Modal, &NoModes> {
        self.modal.as_ref()
    }

    /// H at a frequency: a row for each output, a column for each input. At 0 Hz both routes give the same limits, some of
    /// which may be infinite.
    pub fn at(&self, frequency: f64, route: Route) -> Result<Mat<c64>, Unbounded> {
        let outputs: Vec<usize> = (0..self.direct.nrows()).collect();
        let inputs: Vec<usize> = (0..self.direct.ncols()).collect();
        self.among(frequency, route, (&outputs, &inputs))
    }

    /// The same for some outputs and inputs only, which takes less time.
    pub fn among(
        &self,
        frequency: f64,
        route: Route,
        (outputs, inputs): (&[usize], &[usize]),
    ) -> Result<Mat<c64>, Unbounded> {
        if frequency == 0.0 {
            let all = self.at_rest();
            let own = |r: usize, c: usize| all[(outputs[r], inputs[c])];
            return Ok(Mat::from_fn(outputs.len(), inputs.len(), own));
        }
        let (s, scales, driven) = self.instant(frequency, inputs)?;
        let mut all = if let (Route::Modal, Ok(modal)) = (route, &self.modal) {
            modal.response(s, (outputs, inputs), &driven)
        } else {
            let states = self.hessenberg.solve(s, inputs, &driven);
            self.hessenberg
                .shown(outputs, &states.ok_or(Unbounded { frequency })?)
        };
        self.add_direct(&mut all, (outputs, inputs), &driven);
        scale_columns(&mut all, &scales);
        finite(all, frequency)
    }

    /// Approximate number of multiplications for one response at one frequency.
    pub fn work(&self, route: Route) -> u64 {
        let n = self.n as u64;
        match (route, &self.modal) {
            (Route::Modal, Ok(_)) => 4 * n + 1,
            _ => n * n + 1,
        }
    }

    /// H at 0 Hz.
    fn at_rest(&self) -> Mat<c64> {
        let powers: Vec<i32> = self.orders.iter().map(|order| -order).collect();
        let row = |given: &Driven, k: i32| {
            let slopes = given.slopes.iter().zip(&powers).enumerate();
            let some = slopes.filter(|(_, (slope, _))| **slope != 0.0);
            some.map(|(c, (slope, power))| (c, k - given.level + power, *slope))
                .collect()
        };
        let driven: Vec<Vec<(usize, i32, f64)>> = { self.given.iter() }
            .flat_map(|given| (0..3).map(move |k| (given, k)))
            .map(|(given, k)| row(given, k))
            .collect();
        self.still.response(&Told {
            driven: &driven,
            powers: &powers,
            shown: &self.shown_given,
            direct: &self.direct,
        })
    }

    /// All states of the form at a frequency, driven ones included, for inputs of these amplitudes.
    pub fn states(&self, frequency: f64, amplitudes: &[c64]) -> Result<Vec<c64>, Unbounded> {
        let inputs: Vec<usize> = (0..self.direct.ncols()).collect();
        let (s, scales, driven) = self.instant(frequency, &inputs)?;
        let solved = self.hessenberg.solve(s, &inputs, &driven);
        let own = self
            .hessenberg
            .states(&solved.ok_or(Unbounded { frequency })?);
        let sum = |row: &dyn Fn(usize) -> c64| {
            let terms = amplitudes.iter().zip(&scales).enumerate();
            terms.fold(c64::new(0.0, 0.0), |sum, (c, (u, scale))| {
                sum + row(c) * *u * *scale
            })
        };
        let states = (0..self.n).map(|r| sum(&|c| own[(r, c)]) * self.scale[r]);
        let given = (0..driven.nrows()).map(|r| sum(&|c| driven[(r, c)]));
        Ok(states.chain(given).collect())
    }

    /// The contribution of each mode to H at a frequency. Their sum, plus that of D, is H.
    pub fn participation(&self, frequency: f64) -> Result<Participation, NoParticipation> {
        let modal = self.modal.as_ref().map_err(Clone::clone)?;
        let outputs: Vec<usize> = (0..self.direct.nrows()).collect();
        let inputs: Vec<usize> = (0..self.direct.ncols()).collect();
        let (s, scales, driven) = self.instant(frequency, &inputs)?;
        let mut modes = modal.participation(s, &inputs, &driven);
        for mode in &mut modes {
            scale_columns(mode, &scales);
            *mode = finite(mode.clone(), frequency)?;
        }
        let mut direct = Mat::zeros(self.direct.nrows(), self.direct.ncols());
        self.add_direct(&mut direct, (&outputs, &inputs), &driven);
        scale_columns(&mut direct, &scales);
        Ok(Participation { modes, direct })
    }

    fn add_direct(
        &self,
        all: &mut Mat<c64>,
        (outputs, inputs): (&[usize], &[usize]),
        driven: &Mat<c64>,
    ) {
        for (r, output) in outputs.iter().enumerate() {
            for (c, input) in inputs.iter().enumerate() {
                let mut more = c64::new(self.direct[(*output, *input)], 0.0);
                for k in 0..driven.nrows() {
                    more += driven[(k, c)] * self.shown_given[(*output, k)];
                }
                all[(r, c)] += more;
            }
        }
    }

    /// s, the factors of inputs whose amplitudes describe a derivative, and the columns of W for some inputs.
    fn instant(
        &self,
        frequency: f64,
        inputs: &[usize],
    ) -> Result<(c64, Vec<c64>, Mat<c64>), Unbounded> {
        let s = c64::new(0.0, TURN * frequency);
        let power = |order: i32| match order {
            0 => Ok(c64::new(1.0, 0.0)),
            _ if order < 0 && frequency == 0.0 => Err(Unbounded { frequency }),
            _ => Ok(s.powi(order)),
        };
        let scales = inputs.iter().map(|input| power(-self.orders[*input]));
        let scales: Vec<c64> = scales.collect::<Result<_, _>>()?;
        let mut driven = Mat::zeros(3 * self.given.len(), inputs.len());
        for (d, given) in self.given.iter().enumerate() {
            for (c, input) in inputs.iter().enumerate() {
                let slope = given.slopes[*input];
                for k in 0..3 {
                    if slope != 0.0 {
                        driven[(3 * d + k, c)] = power(k as i32 - given.level)? * slope;
                    }
                }
            }
        }
        Ok((s, scales, driven))
    }
}

/// Why there is no participation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoParticipation {
    /// The form has no full set of modes.
    #[error(transparent)]
    Modes(#[from] NoModes),
    /// The response is infinite.
    #[error(transparent)]
    Unbounded(#[from] Unbounded),
}

fn part(of: &Mat<f64>, (row, column): (usize, usize), (rows, columns): (usize, usize)) -> Mat<f64> {
    Mat::from_fn(rows, columns, |r, c| of[(row + r, column + c)])
}

fn scale_columns(of: &mut Mat<c64>, scales: &[c64]) {
    for (c, scale) in scales.iter().enumerate() {
        for r in 0..of.nrows() {
            of[(r, c)] *= *scale;
        }
    }
}

fn finite(of: Mat<c64>, frequency: f64) -> Result<Mat<c64>, Unbounded> {
    let sound = of
        .col_iter()
        .all(|column| column.iter().all(|x| x.re.is_finite() && x.im.is_finite()));
    if sound {
        Ok(of)
    } else {
        Err(Unbounded { frequency })
    }
}

/// The phase of a complex number \[degrees\], from −180 to 180; that of zero is 0.
pub fn degrees(of: c64) -> f64 {
    if of.re == 0.0 && of.im == 0.0 {
        return 0.0;
    }
    fixstep_kernel::math::atan2(of.im, of.re).to_degrees()
}

/// A magnitude and a phase \[degrees\] as a complex number; quarter turns are exact.
pub fn polar(magnitude: f64, degrees: f64) -> c64 {
    let turned = degrees.rem_euclid(360.0);
    let unit = if turned == 0.0 {
        (1.0, 0.0)
    } else if turned == 90.0 {
        (0.0, 1.0)
    } else if turned == 180.0 {
        (-1.0, 0.0)
    } else if turned == 270.0 {
        (0.0, -1.0)
    } else {
        let angle = turned.to_radians();
        (
            fixstep_kernel::math::cos(angle),
            fixstep_kernel::math::sin(angle),
        )
    };
    c64::new(magnitude * unit.0, magnitude * unit.1)
}
