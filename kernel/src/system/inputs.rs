//! Data plane: inputs as the importer gives them, polynomials of time within a communication step.
//!
//! ```text
//! u(t_n + s) = u + u′ s + u″ s²/2 + u‴ s³/6                                  (INP-1)
//! ```
//! Without derivatives an input is held. After an integration step its value and derivatives are those
//! of the step's end; derivatives hold for the communication step that follows them.

use crate::expr::TimeJet;
use crate::state::{State, flushed};
use crate::system::layout::Layout;

/// Highest order of a derivative that an importer may give.
pub const ORDERS: usize = 3;

/// Numbers of an input besides its value: the derivatives, and whether they are for the step to come.
pub const COURSE: usize = ORDERS + 1;

/// (INP-1) a time \[s\] after the accepted state, with two derivatives.
pub fn at(layout: &Layout, state: &State, input: usize, since: f64) -> TimeJet {
    let u = state.span(layout.inputs)[input];
    let [first, second, third] = derivatives(layout, state, input);
    TimeJet {
        value: u + since * (first + since * (second / 2.0 + since * (third / 6.0))),
        first: first + since * (second + since * (third / 2.0)),
        second: second + since * third,
    }
}

fn derivatives(layout: &Layout, state: &State, input: usize) -> [f64; ORDERS] {
    let at = COURSE * input;
    let course = state.span(layout.courses);
    [course[at], course[at + 1], course[at + 2]]
}

/// The first derivatives of all inputs.
pub fn rates(layout: &Layout, state: &State) -> impl Iterator<Item = f64> {
    let courses = state.span(layout.courses).as_chunks::<COURSE>().0;
    courses.iter().map(|course| course[0])
}

/// Sets the derivative of an order from 1 to [`ORDERS`] for the communication step to come.
pub fn give(layout: &Layout, state: &mut State, input: usize, order: usize, value: f64) {
    let course = &mut state.span_mut(layout.courses)[COURSE * input..][..COURSE];
    if course[ORDERS] == 0.0 {
        course[..ORDERS].fill(0.0);
        course[ORDERS] = 1.0;
    }
    course[order - 1] = flushed(value);
}

/// A communication step begins: derivatives that were given for an earlier one are over.
pub fn begin(layout: &Layout, state: &mut State) {
    for course in state.span_mut(layout.courses).as_chunks_mut::<COURSE>().0 {
        if course[ORDERS] == 0.0 {
            course.fill(0.0);
        }
        course[ORDERS] = 0.0;
    }
}

/// Takes all inputs to the end of a step h.
pub fn advance(layout: &Layout, state: &mut State, h: f64) {
    for input in 0..layout.inputs.len {
        let end = at(layout, state, input, h);
        state.span_mut(layout.inputs)[input] = flushed(end.value);
        let course = &mut state.span_mut(layout.courses)[COURSE * input..];
        course[0] = flushed(end.first);
        course[1] = flushed(end.second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::layout::Sizes;

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
        state.span_mut(layout.inputs).copy_from_slice(&[7.0, 1.0]);
        for (order, value) in [(1, -2.0), (2, 6.0), (3, -24.0)] {
            give(&layout, &mut state, 1, order, value);
        }
        begin(&layout, &mut state);
        for k in 0..10 {
            let t = 0.1 * f64::from(k);
            let ahead = at(&layout, &state, 1, 0.05);
            assert!((ahead.value - cubic(t + 0.05)).abs() < 1e-14);
            let slope = -2.0 + 6.0 * (t + 0.05) - 12.0 * (t + 0.05) * (t + 0.05);
            assert!((ahead.first - slope).abs() < 1e-13);
            assert!((ahead.second - (6.0 - 24.0 * (t + 0.05))).abs() < 1e-13);
            advance(&layout, &mut state, 0.1);
        }
        assert!((state.span(layout.inputs)[1] - cubic(1.0)).abs() < 1e-13);
        assert_eq!(state.span(layout.inputs)[0], 7.0);
    }

    #[test]
    fn derivatives_hold_for_one_communication_step_and_are_given_anew_as_a_whole() {
        let (layout, mut state) = with_inputs(1);
        give(&layout, &mut state, 0, 1, 5.0);
        give(&layout, &mut state, 0, 2, 6.0);
        begin(&layout, &mut state);
        assert_eq!(derivatives(&layout, &state, 0), [5.0, 6.0, 0.0]);
        give(&layout, &mut state, 0, 1, 4.0);
        assert_eq!(derivatives(&layout, &state, 0), [4.0, 0.0, 0.0]);
        begin(&layout, &mut state);
        begin(&layout, &mut state);
        assert_eq!(derivatives(&layout, &state, 0), [0.0; 3]);
    }
}
