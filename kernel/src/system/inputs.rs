//! Data plane: inputs from the importer, as polynomials of time within a communication step.
//!
//! ```text
//! p(t_n + s) = p + p′ s + p″ s²/2 + p‴ s³/6                                  (INP-1)
//! u(t_n + s) = the nearest to p(t_n + s) from u_min to u_max                 (INP-2)
//! ```
//! Without derivatives an input stays constant, or with solver setting `input_course` "linear" it has the slope of the
//! requested values with which the last two communication steps began, a time H apart, if it was set in between:
//!
//! ```text
//! p′ = (u_n − u_{n−1})/H                                                     (INP-3)
//! ```
//! If it was not set, it returns to the value that was set, and stays there. After an integration step its value and
//! derivatives are those at the end of the step. Derivatives apply to the next communication step only. The state
//! stores p, the requested value, and u, the effective value: a polynomial that leaves the bounds continues, and
//! returns on its own path. A finite difference moves only u, to both sides of a bound.

use crate::expr::TimeJet;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::{Input, InputCourse, Quantity, SolverSettings};
use crate::state::{State, flushed};
use crate::system::layout::Layout;
use alloc::vec::Vec;

/// Highest order of a derivative that an importer may give.
pub const ORDERS: usize = 3;

/// Numbers of an input besides its value: the derivatives, and whether they apply to the next step.
pub const COURSE: usize = ORDERS + 1;

/// What an input remembers whose course is a straight line: was it set since the last communication step began?
const IS_SET: usize = 0;
/// The value with which that step began.
const BEFORE: usize = 1;
/// Its length \[s\]; zero before the first.
const LENGTH: usize = 2;
/// Numbers that it remembers.
const LINE: usize = 3;

/// How many numbers inputs remember of communication steps.
pub fn remembered(settings: &SolverSettings, inputs: usize) -> usize {
    match settings.input_course {
        InputCourse::Hold => 0,
        InputCourse::Linear => LINE * inputs,
    }
}

/// Minimum and maximum of an input; infinite if it has no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
}

impl Bounds {
    /// The bounds of a quantity.
    pub fn of(quantity: &Quantity) -> Self {
        Self {
            min: quantity.min.unwrap_or(f64::NEG_INFINITY),
            max: quantity.max.unwrap_or(f64::INFINITY),
        }
    }

    /// The bounds of inputs.
    pub fn of_all(inputs: &[Input]) -> Vec<Self> {
        { inputs.iter() }
            .map(|input| Self::of(&input.quantity))
            .collect()
    }

    /// The nearest number within the bounds. NaN stays NaN.
    pub fn nearest(&self, value: f64) -> f64 {
        if value < self.min {
            self.min
        } else if value > self.max {
            self.max
        } else {
            value
        }
    }

    /// Distance of a number from the bounds; zero if it is within.
    pub fn beyond(&self, value: f64) -> f64 {
        (self.min - value).max(value - self.max).max(0.0)
    }
}

/// (INP-2) at a time \[s\] after the accepted state, with two derivatives.
pub fn at(
    layout: &Layout,
    state: &State,
    (input, bounds): (usize, &Bounds),
    since: f64,
) -> TimeJet {
    let asked = state.span(layout.asked)[input];
    let path = path(asked, derivatives(layout, state, input), since);
    let value = bounds.nearest(path.value);
    // Zero, unless a finite difference has moved the effective value.
    let moved = state.span(layout.inputs)[input] - bounds.nearest(asked);
    if value == path.value {
        TimeJet {
            value: value + moved,
            ..path
        }
    } else {
        TimeJet::constant(value + moved)
    }
}

/// (INP-1) at a time \[s\] after a value with its derivatives.
fn path(value: f64, [first, second, third]: [f64; ORDERS], since: f64) -> TimeJet {
    TimeJet {
        value: value + since * (first + since * (second / 2.0 + since * (third / 6.0))),
        first: first + since * (second + since * (third / 2.0)),
        second: second + since * third,
    }
}

/// The requested value farthest beyond the bounds during the next communication step of this length \[s\], with
/// derivatives or on a straight line. For a constant input, its value.
pub fn farthest(
    layout: &Layout,
    state: &State,
    (input, bounds): (usize, &Bounds),
    length: f64,
) -> f64 {
    let (asked, slope) = line(layout, state, input);
    let derivatives = if has_derivatives(layout, state, input) {
        derivatives(layout, state, input)
    } else {
        [slope, 0.0, 0.0]
    };
    if derivatives == [0.0; ORDERS] {
        return asked;
    }
    let [one, other] = turns(derivatives, length);
    let mut farthest = asked;
    for since in [one, other, length] {
        let value = path(asked, derivatives, since).value;
        if bounds.beyond(value) > bounds.beyond(farthest) {
            farthest = value;
        }
    }
    farthest
}

/// The times of the extrema of a polynomial within a length \[s\]; 0 for extrema elsewhere.
fn turns([first, second, third]: [f64; ORDERS], length: f64) -> [f64; 2] {
    // With time in units of the length, p′ is c + b s + a s²; all three are divided by the largest.
    let (c, b, a) = (first, second * length, third * length * length / 2.0);
    let size = c.abs().max(b.abs()).max(a.abs());
    if size == 0.0 || !size.is_finite() {
        return [0.0; 2];
    }
    let (c, b, a) = (c / size, b / size, a / size);
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 {
        return [0.0; 2];
    }
    let sum = -(b + discriminant.sqrt().copysign(b)) / 2.0;
    let part = |over: f64, under: f64| {
        if over.abs() < under.abs() {
            (over / under).max(0.0)
        } else {
            0.0
        }
    };
    [part(sum, a) * length, part(c, sum) * length]
}

/// Does the next communication step begin with derivatives of the importer?
pub fn has_derivatives(layout: &Layout, state: &State, input: usize) -> bool {
    state.span(layout.courses)[COURSE * input + ORDERS] != 0.0
}

fn derivatives(layout: &Layout, state: &State, input: usize) -> [f64; ORDERS] {
    let at = COURSE * input;
    let course = state.span(layout.courses);
    [course[at], course[at + 1], course[at + 2]]
}

/// The first derivatives of all inputs.
pub fn rates<'a>(
    layout: &'a Layout,
    state: &'a State,
    bounds: &'a [Bounds],
) -> impl Iterator<Item = f64> + 'a {
    let all = bounds.iter().enumerate();
    all.map(|one| at(layout, state, one, 0.0).first)
}

/// Sets an input: the requested and the effective value. Tiny numbers become zero.
pub fn set(layout: &Layout, state: &mut State, input: usize, values: (f64, f64)) {
    write(layout, state, input, values);
    if let Some(is_set) = state
        .span_mut(layout.remembered)
        .get_mut(LINE * input + IS_SET)
    {
        *is_set = 1.0;
    }
}

fn write(layout: &Layout, state: &mut State, input: usize, (asked, value): (f64, f64)) {
    state.span_mut(layout.asked)[input] = flushed(asked);
    state.span_mut(layout.inputs)[input] = flushed(value);
}

/// Sets the derivative of an order from 1 to [`ORDERS`] for the next communication step.
pub fn give(layout: &Layout, state: &mut State, input: usize, order: usize, value: f64) {
    let course = &mut state.span_mut(layout.courses)[COURSE * input..][..COURSE];
    if course[ORDERS] == 0.0 {
        course[..ORDERS].fill(0.0);
        course[ORDERS] = 1.0;
    }
    course[order - 1] = flushed(value);
}

/// Moves the value that was asked of an input on a line, whose slope follows; the effective value is moved already.
pub fn move_line(layout: &Layout, state: &mut State, input: usize, by: f64) {
    let remembered = state.span_mut(layout.remembered);
    let Some(is_set) = remembered.get_mut(LINE * input + IS_SET) else {
        return;
    };
    if by != 0.0 {
        *is_set = 1.0;
        state.span_mut(layout.asked)[input] += by;
    }
}

/// What a communication step is to inputs.
#[derive(Clone, Copy, Debug)]
pub struct Communication<'a> {
    /// Bounds of all inputs.
    pub bounds: &'a [Bounds],
    /// Its length \[s\].
    pub length: f64,
}

/// Begins a communication step: derivatives given for an earlier one expire.
pub fn begin(layout: &Layout, state: &mut State, step: &Communication<'_>) {
    let straight = layout.remembered.len > 0;
    for (input, bounds) in step.bounds.iter().enumerate() {
        let slope = if straight {
            begin_line(layout, state, (input, bounds), step.length)
        } else {
            0.0
        };
        let course = &mut state.span_mut(layout.courses)[COURSE * input..][..COURSE];
        if course[ORDERS] == 0.0 {
            course[..ORDERS].fill(0.0);
            course[0] = slope;
        } else if straight {
            // After derivatives of the importer, an input holds what it has reached.
            state.span_mut(layout.remembered)[LINE * input + LENGTH] = 0.0;
        }
        state.span_mut(layout.courses)[COURSE * input + ORDERS] = 0.0;
    }
}

/// Value and slope of (INP-3) with which the next communication step begins, if the importer gives no derivatives. An
/// input that was not set returns to its value.
fn line(layout: &Layout, state: &State, input: usize) -> (f64, f64) {
    let asked = state.span(layout.asked)[input];
    let remembered = state.span(layout.remembered);
    let Some(&[is_set, before, last]) = remembered
        .get(LINE * input..)
        .and_then(<[f64]>::first_chunk::<LINE>)
    else {
        return (asked, 0.0);
    };
    let followed = state.span(layout.courses)[COURSE * input] != 0.0;
    if last == 0.0 {
        (asked, 0.0)
    } else if is_set != 0.0 {
        (asked, flushed((asked - before) / last))
    } else if followed {
        (before, 0.0)
    } else {
        (asked, 0.0)
    }
}

/// Begins a communication step of this length on (INP-3); returns the slope.
fn begin_line(
    layout: &Layout,
    state: &mut State,
    (input, bounds): (usize, &Bounds),
    length: f64,
) -> f64 {
    let (value, slope) = line(layout, state, input);
    if value != state.span(layout.asked)[input] {
        write(layout, state, input, (value, bounds.nearest(value)));
    }
    let remembered = &mut state.span_mut(layout.remembered)[LINE * input..][..LINE];
    remembered[IS_SET] = 0.0;
    remembered[BEFORE] = value;
    remembered[LENGTH] = length;
    slope
}

/// Advances all inputs to the end of a step h.
pub fn advance(layout: &Layout, state: &mut State, bounds: &[Bounds], h: f64) {
    for (input, bounds) in bounds.iter().enumerate() {
        let value = at(layout, state, (input, bounds), h).value;
        let asked = state.span(layout.asked)[input];
        let end = path(asked, derivatives(layout, state, input), h);
        write(layout, state, input, (end.value, value));
        let course = &mut state.span_mut(layout.courses)[COURSE * input..];
        course[0] = flushed(end.first);
        course[1] = flushed(end.second);
    }
}

#[cfg(test)]
mod tests;
