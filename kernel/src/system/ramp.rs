//! Data plane: the ramp, by which loads grow smoothly after the start.
//!
//! ```text
//! ρ(t) = s³ (10 − 15 s + 6 s²),   s = (t − t₀)/T from 0 to 1                (RMP-1)
//! gravity ρ g(t),   input ρ u + (1 − ρ) u_start                              (RMP-2)
//! ```
//! ρ has two continuous derivatives and depends on time only, so a step does the same work and its Newton matrix
//! stays exact. The state holds its four numbers: t₀, T, and whether gravity and inputs follow the ramp.

use crate::expr::TimeJet;
use crate::state::State;
use crate::system::{System, inputs};

/// Numbers of a ramp in the state.
pub const RAMP: usize = 4;

/// ρ of gravity at a time \[s\].
pub fn gravity(system: &System, state: &State, time: f64) -> f64 {
    let [start, duration, gravity, _] = numbers(system, state);
    if gravity == 0.0 {
        1.0
    } else {
        factor(time - start, duration).value
    }
}

/// ρ of the inputs at a time \[s\], with its derivatives.
pub fn of_inputs(system: &System, state: &State, time: f64) -> TimeJet {
    let [start, duration, _, follows] = numbers(system, state);
    if follows == 0.0 {
        factor(0.0, 0.0)
    } else {
        factor(time - start, duration)
    }
}

/// An input as the mechanism sees it, at a time \[s\] after the accepted state.
pub fn input(
    system: &System,
    state: &State,
    input: usize,
    (ramp, since): (&TimeJet, f64),
) -> TimeJet {
    let own = (input, &system.input_bounds[input]);
    let set = inputs::at(&system.layout, state, own, since);
    let first = system.input_starts[input];
    let rise = set.value - first;
    TimeJet {
        value: ramp.value * set.value + (1.0 - ramp.value) * first,
        first: ramp.first * rise + ramp.value * set.first,
        second: ramp.second * rise + 2.0 * ramp.first * set.first + ramp.value * set.second,
    }
}

fn numbers(system: &System, state: &State) -> [f64; RAMP] {
    let span = state.span(system.layout.ramp);
    [span[0], span[1], span[2], span[3]]
}

/// (RMP-1) a time after the start.
fn factor(since: f64, duration: f64) -> TimeJet {
    if since >= duration {
        return TimeJet {
            value: 1.0,
            ..TimeJet::default()
        };
    }
    let s = since.max(0.0) / duration;
    let rest = 1.0 - s;
    TimeJet {
        value: s * s * s * (10.0 - s * (15.0 - 6.0 * s)),
        first: 30.0 * s * s * rest * rest / duration,
        second: 60.0 * s * rest * (1.0 - 2.0 * s) / (duration * duration),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_joins_smoothly_and_its_derivatives_are_its_own() {
        let ends = [factor(0.0, 2.0), factor(2.0, 2.0), factor(-1.0, 2.0)];
        assert_eq!(ends.map(|f| f.value), [0.0, 1.0, 0.0]);
        assert_eq!(ends.map(|f| f.first), [0.0; 3]);
        assert_eq!(ends.map(|f| f.second), [0.0; 3]);
        assert_eq!(factor(1.0, 2.0).value, 0.5);
        assert_eq!(factor(0.0, 0.0).value, 1.0);
        let e = 1e-4;
        for t in [0.1, 0.7, 1.3, 1.9] {
            let [a, b, c] = [-e, 0.0, e].map(|d| factor(t + d, 2.0));
            assert!(((c.value - a.value) / (2.0 * e) - b.first).abs() < 1e-7);
            assert!(((c.first - a.first) / (2.0 * e) - b.second).abs() < 1e-7);
        }
        assert!((factor(2.0 - 1e-9, 2.0).second).abs() < 1e-7);
    }
}
