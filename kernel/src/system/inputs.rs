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
mod tests {
    use super::*;
    use crate::system::layout::Sizes;

    const FREE: Bounds = Bounds {
        min: f64::NEG_INFINITY,
        max: f64::INFINITY,
    };

    /// A communication step of 0.1 s.
    fn any(layout: &Layout) -> Communication<'static> {
        Communication {
            bounds: &[FREE; 2][..layout.inputs.len],
            length: 0.1,
        }
    }

    fn with_inputs(inputs: usize) -> (Layout, State) {
        let layout = Layout::new(&Sizes {
            inputs,
            ..Sizes::default()
        });
        let state = State::new(&layout);
        (layout, state)
    }

    #[test]
    fn steps_along_a_cubic_stay_on_it() {
        let (layout, mut state) = with_inputs(2);
        let cubic = |t: f64| 1.0 - 2.0 * t + 3.0 * t * t - 4.0 * t * t * t;
        for (input, value) in [(0, 7.0), (1, 1.0)] {
            set(&layout, &mut state, input, (value, value));
        }
        for (order, value) in [(1, -2.0), (2, 6.0), (3, -24.0)] {
            give(&layout, &mut state, 1, order, value);
        }
        begin(&layout, &mut state, &any(&layout));
        for k in 0..10 {
            let t = 0.1 * f64::from(k);
            let ahead = at(&layout, &state, (1, &FREE), 0.05);
            assert!((ahead.value - cubic(t + 0.05)).abs() < 1e-14);
            let slope = -2.0 + 6.0 * (t + 0.05) - 12.0 * (t + 0.05) * (t + 0.05);
            assert!((ahead.first - slope).abs() < 1e-13);
            assert!((ahead.second - (6.0 - 24.0 * (t + 0.05))).abs() < 1e-13);
            advance(&layout, &mut state, &[FREE; 2], 0.1);
        }
        assert!((state.span(layout.inputs)[1] - cubic(1.0)).abs() < 1e-13);
        assert_eq!(state.span(layout.inputs)[0], 7.0);
    }

    #[test]
    fn what_is_in_force_stays_within_bounds_and_comes_back_on_its_own_way() {
        let (layout, mut state) = with_inputs(1);
        let bounds = Bounds { min: 0.0, max: 1.0 };
        // 0.75 + 4 t - 8 t², up to 1.25, above 1 from 0.073 s to 0.427 s, below 0 from 0.645 s.
        let parabola = |t: f64| 0.75 + 4.0 * t - 8.0 * t * t;
        set(&layout, &mut state, 0, (0.75, 0.75));
        give(&layout, &mut state, 0, 1, 4.0);
        give(&layout, &mut state, 0, 2, -16.0);
        assert_eq!(farthest(&layout, &state, (0, &bounds), 0.3), 1.25);
        assert_eq!(farthest(&layout, &state, (0, &bounds), 0.05), 0.75);
        assert_eq!(farthest(&layout, &state, (0, &bounds), 1.0), -3.25);
        begin(&layout, &mut state, &any(&layout));
        for k in 0..10 {
            let t = 0.1 * f64::from(k);
            let ahead = at(&layout, &state, (0, &bounds), 0.1);
            let free = parabola(t + 0.1);
            assert!((ahead.value - free.clamp(0.0, 1.0)).abs() < 1e-14);
            if !(0.0..=1.0).contains(&free) {
                assert_eq!((ahead.first, ahead.second), (0.0, 0.0));
            }
            advance(&layout, &mut state, &[bounds], 0.1);
            assert!((0.0..=1.0).contains(&state.span(layout.inputs)[0]));
            assert!((state.span(layout.asked)[0] - free).abs() < 1e-14);
        }
        // At a bound, a finite difference goes to both sides.
        for by in [1e-3, -1e-3] {
            let mut moved = state.clone();
            moved.span_mut(layout.inputs)[0] += by;
            assert_eq!(at(&layout, &moved, (0, &bounds), 0.0).value, by);
        }
    }

    #[test]
    fn a_polynomial_is_farthest_beyond_where_it_turns_round() {
        let (layout, mut state) = with_inputs(1);
        let bounds = Bounds {
            min: -1.0,
            max: 1.0,
        };
        for (derivatives, length, found) in [
            // s (1 - s) (2 - s): up to 0.3849 at 1 - 1/√3, down to as much at 1 + 1/√3.
            ([2.0e1, -60.0, 60.0], 2.0, 3.849),
            ([-2.0e1, 60.0, -60.0], 2.0, -3.849),
            ([0.0, 0.0, 0.0], 2.0, 0.0),
            ([1e300, 1e300, -1e300], 1.0, 1e300 * (1.0 + 0.5 - 1.0 / 6.0)),
            ([0.0, 1.0, 0.0], 4.0, 8.0),
        ] {
            for (order, value) in (1..).zip(derivatives) {
                give(&layout, &mut state, 0, order, value);
            }
            let value = farthest(&layout, &state, (0, &bounds), length);
            let size = 1.0 + f64::abs(found);
            assert!(
                (value - found).abs() < 1e-3 * size,
                "{derivatives:?} {value}"
            );
        }
    }

    #[test]
    fn derivatives_hold_for_one_communication_step_and_are_given_anew_as_a_whole() {
        let (layout, mut state) = with_inputs(1);
        give(&layout, &mut state, 0, 1, 5.0);
        give(&layout, &mut state, 0, 2, 6.0);
        begin(&layout, &mut state, &any(&layout));
        assert_eq!(derivatives(&layout, &state, 0), [5.0, 6.0, 0.0]);
        give(&layout, &mut state, 0, 1, 4.0);
        assert_eq!(derivatives(&layout, &state, 0), [4.0, 0.0, 0.0]);
        begin(&layout, &mut state, &any(&layout));
        begin(&layout, &mut state, &any(&layout));
        assert_eq!(derivatives(&layout, &state, 0), [0.0; 3]);
    }

    #[test]
    fn a_straight_line_follows_the_last_two_values_and_returns_if_none_is_set() {
        let settings = SolverSettings {
            input_course: InputCourse::Linear,
            ..SolverSettings::default()
        };
        let layout = Layout::new(&Sizes {
            inputs: 1,
            remembered: remembered(&settings, 1),
            ..Sizes::default()
        });
        let mut state = State::new(&layout);
        let own = any(&layout);
        let mut communicate = |value: Option<f64>| {
            if let Some(value) = value {
                set(&layout, &mut state, 0, (value, value));
            }
            begin(&layout, &mut state, &own);
            let path = [0.0, 0.05, 0.1].map(|s| at(&layout, &state, (0, &FREE), s).value);
            advance(&layout, &mut state, &[FREE], 0.05);
            advance(&layout, &mut state, &[FREE], 0.05);
            path.map(|x| (x * 1e9).round() / 1e9)
        };
        assert_eq!(communicate(Some(1.0)), [1.0, 1.0, 1.0]);
        assert_eq!(communicate(Some(2.0)), [2.0, 2.5, 3.0]);
        // The value that it has reached, set, keeps the slope.
        assert_eq!(communicate(Some(3.0)), [3.0, 3.5, 4.0]);
        assert_eq!(communicate(Some(3.0)), [3.0, 3.0, 3.0]);
        assert_eq!(communicate(Some(4.0)), [4.0, 4.5, 5.0]);
        assert_eq!(communicate(None), [4.0, 4.0, 4.0]);
        assert_eq!(communicate(None), [4.0, 4.0, 4.0]);
        assert_eq!(communicate(Some(5.0)), [5.0, 5.5, 6.0]);
    }

    #[test]
    fn where_a_straight_line_leads_is_known_before_its_step() {
        let settings = SolverSettings {
            input_course: InputCourse::Linear,
            ..SolverSettings::default()
        };
        let layout = Layout::new(&Sizes {
            inputs: 1,
            remembered: remembered(&settings, 1),
            ..Sizes::default()
        });
        let bounds = Bounds { min: 0.0, max: 3.0 };
        let mut state = State::new(&layout);
        let own = Communication {
            bounds: &[bounds],
            ..any(&layout)
        };
        for (value, end) in [
            (Some(1.0), 1.0),
            (Some(2.5), 4.0),
            (None, 2.5),
            (Some(1.0), -0.5),
        ] {
            if let Some(value) = value {
                set(&layout, &mut state, 0, (value, value));
            }
            let found = farthest(&layout, &state, (0, &bounds), 0.1);
            assert!((found - end).abs() < 1e-12, "{value:?} {found}");
            begin(&layout, &mut state, &own);
            advance(&layout, &mut state, &[bounds], 0.1);
        }
    }
}
