//! Tests of courses of inputs.

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

/// One input whose course is a straight line.
fn with_a_line() -> (Layout, State) {
    let settings = SolverSettings {
        input_course: InputCourse::Linear,
        ..SolverSettings::default()
    };
    let layout = Layout::new(&Sizes {
        inputs: 1,
        remembered: remembered(&settings, 1),
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
    let (layout, mut state) = with_a_line();
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
    let bounds = Bounds { min: 0.0, max: 3.0 };
    let (layout, mut state) = with_a_line();
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
