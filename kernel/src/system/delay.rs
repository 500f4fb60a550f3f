//! Data plane: delayed values, interpolated from the accepted values of earlier steps.
//!
//! A ring buffer holds the accepted values (t_k, e_k). Let s = t − τ. Before the start the delayed value is the
//! history at s; after it, the cubic through the four points around s:
//!
//! ```text
//! e(s) = Σ_j w_j e_j,   w_j = Π_{l≠j} (s − t_l)/(t_j − t_l)                     (DLY-1)
//! de(s) = w_c de_c − e'(s) dτ                                                   (DLY-2)
//! ```
//! If s is not after the last accepted point, all four points are accepted ones, and the only gradient is in τ. If
//! the delay is shorter than the step, s can be later: then the value at the end of the step itself is the last of
//! the four, c of (DLY-2). The first steps have fewer than four points. With a variable step what jumps or bends has two
//! points at its instant, and the points around s lie on its side of it.

use crate::state::{State, flushed};
use crate::system::System;
use crate::system::memory::{DELAY_HEAD, DELAY_MARGIN, DelayEntry};
use crate::workspace::Values;

/// Number of points of (DLY-1).
const POINTS: usize = 4;

/// Tolerance for rounding in the spacing of points.
const SPACING: f64 = 0.999;

/// Instants that differ by this part of their size are one.
const ROUNDING: f64 = 1e-14;

/// Values at one instant that differ by this part of their size are a jump.
const JUMP: f64 = 1e-12;

/// Derivatives of a delayed value in its present value and in its delay \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DelaySlopes {
    /// w_c.
    pub value: f64,
    /// −e'(s) [1/s].
    pub delay: f64,
}

/// The ring buffer of one delay.
struct Ring<'a> {
    points: &'a [f64],
    count: usize,
    newest: usize,
    has_jumps: bool,
}

impl<'a> Ring<'a> {
    fn new(entry: &DelayEntry, numbers: &'a [f64]) -> Self {
        let own = &numbers[entry.first..entry.first + entry.numbers()];
        Self {
            count: own[1] as usize,
            newest: own[2] as usize,
            has_jumps: entry.has_jumps,
            points: &own[DELAY_HEAD..],
        }
    }

    /// Time and value of a point, counted from the oldest.
    fn point(&self, k: usize) -> (f64, f64) {
        let capacity = self.points.len() / 2;
        let at = (self.newest + 1 + capacity + k - self.count) % capacity;
        (self.points[2 * at], self.points[2 * at + 1])
    }

    /// Number of points at or before a time, by bisection; the number of halvings follows from the capacity.
    fn before(&self, s: f64) -> usize {
        let mut low = 0;
        let mut width = (self.points.len() / 2).next_power_of_two();
        while width > 0 {
            let middle = low + width;
            // Also for points that do not exist yet: the same work from the first step on.
            let early = self.point(middle - 1).0 <= s;
            if early && middle <= self.count {
                low = middle;
            }
            width /= 2;
        }
        low
    }

    /// The range of up to four points before and after the place `at` that no jump divides.
    fn smooth(&self, at: usize, total: usize) -> (usize, usize) {
        let jumps = |k: usize| k < self.count && self.point(k).0 == self.point(k - 1).0;
        let (mut low, mut high) = (at, at);
        while low > 0 && at - low < POINTS && (low == at || !jumps(low)) {
            low -= 1;
        }
        while high < total && high - at < POINTS && (high == at || !jumps(high)) {
            high += 1;
        }
        (low, high)
    }

    /// (DLY-1) at s; `now` is the value at the time `t` that is being evaluated.
    fn at(&self, s: f64, (t, now): (f64, f64)) -> (f64, DelaySlopes) {
        let newest = self.count.checked_sub(1).map(|k| self.point(k).0);
        let current = newest.is_none_or(|newest| s > newest);
        let total = self.count + usize::from(current);
        let at = self.before(s);
        let (low, high) = if self.has_jumps {
            self.smooth(at, total)
        } else {
            (0, total)
        };
        let first = at
            .saturating_sub(POINTS / 2)
            .min(high.saturating_sub(POINTS))
            .max(low);
        let used = POINTS.min(high - first);
        let mut points = [(t, now); POINTS];
        for (k, point) in points.iter_mut().enumerate() {
            let kept = self.point(first + k);
            if first + k < self.count {
                *point = kept;
            }
        }
        let (mut value, mut slope, mut last) = (0.0, 0.0, 0.0);
        for j in 0..POINTS {
            let found = lagrange(&points, used, j, s);
            let (weight, rate) = if j < used { found } else { (0.0, 0.0) };
            value += weight * points[j].1;
            slope += rate * points[j].1;
            last = if j < used { weight } else { last };
        }
        let slopes = DelaySlopes {
            value: if current { last } else { 0.0 },
            delay: -slope,
        };
        (value, slopes)
    }
}

/// w_j and its derivative; missing points are factors of one.
fn lagrange(points: &[(f64, f64); POINTS], used: usize, j: usize, s: f64) -> (f64, f64) {
    let (mut weight, mut rate) = (1.0, 0.0);
    for l in 0..POINTS {
        // A missing point may coincide with another: their distance must not divide.
        let counts = l < used && j < used && l != j;
        let width = if counts {
            points[j].0 - points[l].0
        } else {
            1.0
        };
        let along = s - points[l].0;
        let (moved, turned) = (weight * (along / width), (rate * along + weight) / width);
        if counts {
            (weight, rate) = (moved, turned);
        }
    }
    (weight, rate)
}

/// A delayed value at the time being evaluated; its slopes go to the workspace.
pub fn value(system: &System, state: &State, ws: &mut Values, k: usize) -> f64 {
    let entry = &system.memory.delays[k];
    let numbers = state.span(system.layout.delays);
    let longest = numbers[entry.first];
    let wanted = ws.expressions[entry.delay.index()] * entry.time_unit;
    let delay = if wanted >= 0.0 {
        wanted.min(longest)
    } else {
        // A negative delay counts as none, and so does NaN.
        0.0
    };
    let bounded = delay != wanted;
    let s = ws.time - delay;
    let (past, past_rate) = history(system, ws, entry, s);
    let now = (ws.time, ws.expressions[entry.value.index()]);
    let (value, mut slopes) = Ring::new(entry, numbers).at(s, now);
    let before = s < state.reals[system.layout.ramp.first];
    if before {
        slopes = DelaySlopes {
            value: 0.0,
            delay: -past_rate,
        };
    }
    if bounded {
        slopes.delay = 0.0;
    }
    ws.delay_slopes[k] = slopes;
    if before { past } else { value }
}

/// The history at a time \[s\], and its rate [1/s].
fn history(system: &System, ws: &mut Values, entry: &DelayEntry, s: f64) -> (f64, f64) {
    let program = &system.programs[entry.history.index()];
    let Some((leaf, own)) = entry.time_leaf else {
        return (program.value(&ws.leaves, &mut ws.registers), 0.0);
    };
    let now = core::mem::replace(&mut ws.leaves[leaf], s / entry.time_unit);
    let value = program.gradient(
        &ws.leaves,
        &mut ws.registers,
        &mut ws.adjoints,
        &mut ws.leaf_gradient,
    );
    ws.leaves[leaf] = now;
    (value, ws.leaf_gradient[own] / entry.time_unit)
}

/// Records the value at the accepted state. If steps are shorter than the spacing that the longest delay allows, the
/// newest point moves along until it is far enough from the one before. Where something new begins, a second point at the
/// same instant divides the values, also if they are equal.
pub fn record(system: &System, state: &mut State, ws: &Values, k: usize, begins: bool) {
    let entry = &system.memory.delays[k];
    let mut time = state.time(&system.layout);
    let value = flushed(ws.expressions[entry.value.index()]);
    let capacity = entry.capacity;
    let own = &mut state.span_mut(system.layout.delays)[entry.first..][..entry.numbers()];
    let (head, points) = own.split_at_mut(DELAY_HEAD);
    let spacing = SPACING * head[0] / (capacity - DELAY_MARGIN).max(1) as f64;
    let (count, newest) = (head[1] as usize, head[2] as usize);
    let earlier = (newest + capacity - 1) % capacity;
    let apart = points[2 * newest] - points[2 * earlier];
    let mut far = count < 2 || apart >= spacing;
    if entry.has_jumps && count > 0 {
        let after_jump = count > 1 && apart == 0.0;
        let oldest = points[2 * ((newest + 2) % capacity)];
        let is_full = count == capacity && oldest > time - head[0];
        let kept = points[2 * newest + 1];
        far = if is_one_instant(points[2 * newest], time) {
            time = points[2 * newest];
            if !begins && !is_jump(value, kept) {
                return;
            }
            !after_jump
        } else {
            // Every other point is kept for jumps.
            count < 2 || after_jump || apart >= 2.0 * spacing
        } && !is_full;
    }
    let at = match (count, far) {
        (0, _) => 0,
        (_, true) => (newest + 1) % capacity,
        (_, false) => newest,
    };
    head[1] = (count + usize::from(far)).min(capacity) as f64;
    head[2] = at as f64;
    points[2 * at] = time;
    points[2 * at + 1] = value;
}

fn is_one_instant(newest: f64, time: f64) -> bool {
    time - newest <= ROUNDING * time.abs()
}

fn is_jump(value: f64, before: f64) -> bool {
    (value - before).abs() > JUMP * value.abs().max(before.abs())
}

/// Where recorded values are divided.
#[derive(Clone, Copy, Debug)]
pub struct Divided {
    /// The instant \[s\].
    pub at: f64,
    /// Do they jump there?
    pub jumps: bool,
}

/// Where the recorded values are divided, if that is the present time.
pub fn divided_now(system: &System, state: &State, k: usize) -> Option<Divided> {
    let entry = &system.memory.delays[k];
    let ring = Ring::new(entry, state.span(system.layout.delays));
    let newest = |back: usize| ring.count.checked_sub(back).map(|k| ring.point(k));
    let ((at, value), (before, earlier)) = (newest(1)?, newest(2)?);
    let now = before == at && is_one_instant(at, state.time(&system.layout));
    now.then(|| Divided {
        at,
        jumps: is_jump(value, earlier),
    })
}

/// Clears the ring and sets the longest delay \[s\].
pub fn clear(system: &System, state: &mut State, k: usize, longest: f64) {
    let entry = &system.memory.delays[k];
    let own = &mut state.span_mut(system.layout.delays)[entry.first..][..entry.numbers()];
    own.fill(0.0);
    own[0] = longest;
}
