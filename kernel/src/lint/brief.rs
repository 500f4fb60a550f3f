//! Control plane: the briefest course of the functions of time in a run: a pulse, or half of a vibration. An integration
//! whose steps are longer may pass over it without noticing.

use super::Subject;
use super::reading::reached;
use super::undersampled::functions;
use super::values::Course;
use crate::ids::ExprId;
use crate::mechanism::called;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Numbers that are computed for all functions together; each is examined at
const MOST: usize = 4_000_000;
/// this many equally spaced times, at most.
const EVEN: usize = 40_000;
/// Instants around which a function is examined more closely, and as many for one number in it that passes zero.
const CENTRES: usize = 100;
const CROSSINGS: usize = 8;
/// Closer times on either side of such an instant, and the ratio of their distances from it.
const CLOSER: i32 = 64;
const RATIO: f64 = 1.6;
/// A pulse rises by this part of the range of its function, and falls again.
const RISE: f64 = 0.2;
/// Times within a pulse when it is examined again, and how often it is.
const WITHIN: usize = 64;
const AGAIN: usize = 3;
/// Halvings that locate a zero.
const HALVINGS: usize = 60;

/// A brief course.
#[derive(Clone, Debug, PartialEq)]
pub struct Brief {
    /// Whose it is: `force "kick"`.
    pub owner: String,
    /// When \[s\].
    pub at: f64,
    /// How long a number in the function differs by less than a fifth of its range from its extreme value \[s\].
    pub lasts: f64,
}

/// The briefest course of all functions of time in a range \[s\]. All numbers in an expression are looked at, because a
/// pulse may have a factor that is zero at the start.
pub(crate) fn briefest(s: &Subject<'_>, range: (f64, f64)) -> Option<Brief> {
    let mut courses: Vec<(String, Course<'_>)> = Vec::new();
    let mut known: Vec<ExprId> = Vec::new();
    for (kind, name, _, root) in functions(s) {
        for reached in reached(s.mechanism, root) {
            if known.contains(&reached.expr) {
                continue;
            }
            known.push(reached.expr);
            let owner = || format!("{kind} {}", called(name));
            courses.extend(Course::of(s, reached.expr).map(|course| (owner(), course)));
        }
    }
    let numbers: usize = courses.iter().map(|(_, course)| course.size()).sum();
    let even = (MOST / numbers.max(1)).clamp(WITHIN, EVEN);
    let found = courses.iter_mut().filter_map(|(owner, course)| {
        let (at, lasts) = of_course(course, range, even)?;
        Some(Brief {
            owner: core::mem::take(owner),
            at,
            lasts,
        })
    });
    found.min_by(|a, b| a.lasts.total_cmp(&b.lasts))
}

/// The briefest course of one expression: when, and how long it lasts.
fn of_course(course: &mut Course<'_>, (from, to): (f64, f64), even: usize) -> Option<(f64, f64)> {
    let step = (to - from) / even as f64;
    let mut times: Vec<f64> = (0..=even).map(|k| from + step * k as f64).collect();
    let coarse = columns(course, &times);
    let mut closer = course.knots((from, to));
    closer.truncate(CENTRES);
    for (register, column) in coarse.iter().enumerate() {
        if column.iter().all(|x| *x == column[0]) {
            // TIME may be compared with it.
            closer.extend(course.instants_of(column[0]));
        } else {
            closer.extend(zeros(course, register, (&times, column)));
        }
    }
    closer.retain(|t| (from..=to).contains(t));
    closer.sort_by(f64::total_cmp);
    closer.dedup();
    for centre in closer.into_iter().take(CENTRES) {
        times.push(centre);
        let mut away = to - from;
        for _ in 0..CLOSER {
            away /= RATIO;
            times.extend([centre - away, centre + away]);
        }
    }
    times.retain(|t| (from..=to).contains(t));
    times.sort_by(f64::total_cmp);
    times.dedup();
    let all = columns(course, &times);
    let passes_zero = |register: usize| {
        let column = &all[register];
        column.iter().any(|x| *x > 0.0) && column.iter().any(|x| *x < 0.0)
    };
    // At a pole a number has no range.
    let registers: Vec<usize> = (0..all.len())
        .filter(|register| !course.divisor(*register).is_some_and(passes_zero))
        .collect();
    let found = registers.into_iter().filter_map(|register| {
        let column = &all[register];
        let rise = RISE * range(column)?;
        let (low, high) = shortest_peak(&times, column, rise)?;
        Some(again(course, register, rise, (low, high)))
    });
    found
        .map(|(low, high)| (0.5 * (low + high), high - low))
        .filter(|(_, lasts)| *lasts > 0.0)
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Every number of an expression at times.
fn columns(course: &mut Course<'_>, times: &[f64]) -> Vec<Vec<f64>> {
    let mut all = vec![Vec::with_capacity(times.len()); course.size()];
    for time in times {
        let registers = course.registers_at(*time);
        for (column, x) in all.iter_mut().zip(registers) {
            column.push(*x);
        }
    }
    all.retain(|column| !column.is_empty());
    all
}

/// From the least to the greatest number; `None` if one is not finite, or if they are equal but for rounding.
fn range(column: &[f64]) -> Option<f64> {
    let low = column.iter().copied().fold(f64::INFINITY, f64::min);
    let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = high - low;
    let counts = range.is_finite() && range > 1e-9 * low.abs().max(high.abs());
    (counts && column.iter().all(|x| x.is_finite())).then_some(range)
}

/// The instants at which a number passes zero, unless there are many.
fn zeros(course: &mut Course<'_>, register: usize, (times, column): (&[f64], &[f64])) -> Vec<f64> {
    let passes = |k: &usize| column[*k] * column[k + 1] < 0.0;
    let places: Vec<usize> = (0..column.len() - 1).filter(passes).collect();
    if places.len() > CROSSINGS {
        return Vec::new();
    }
    let mut found = Vec::new();
    for k in places {
        let (mut low, mut high) = (times[k], times[k + 1]);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if course.registers_at(middle)[register] * column[k] > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        found.push(high);
    }
    found
}

/// The shortest time over which a number stays within a rise of one of its extreme values, and differs more on both sides.
fn shortest_peak(times: &[f64], y: &[f64], rise: f64) -> Option<(f64, f64)> {
    let mut shortest: Option<(f64, f64)> = None;
    let (mut least, mut most) = (0, 0);
    let mut upwards: Option<bool> = None;
    for k in 1..y.len() {
        if y[k] > y[most] {
            most = k;
        }
        if y[k] < y[least] {
            least = k;
        }
        let (fallen, risen) = (y[most] - y[k] >= rise, y[k] - y[least] >= rise);
        let turn = match upwards {
            Some(true) if fallen => Some(most),
            Some(false) if risen => Some(least),
            _ => None,
        };
        if let Some(peak) = turn {
            let differs = |other: &usize| (y[*other] - y[peak]).abs() >= rise;
            let low = (0..peak).rev().find(differs);
            let high = (peak + 1..y.len()).find(differs);
            if let (Some(low), Some(high)) = (low, high) {
                let found = (times[low], times[high]);
                if shortest.is_none_or(|(a, b)| found.1 - found.0 < b - a) {
                    shortest = Some(found);
                }
            }
        }
        if fallen && upwards != Some(false) {
            (upwards, least) = (Some(false), k);
        } else if risen && upwards != Some(true) {
            (upwards, most) = (Some(true), k);
        }
    }
    shortest
}

/// The same of one number, at times that are closer to each other.
fn again(
    course: &mut Course<'_>,
    register: usize,
    rise: f64,
    (mut low, mut high): (f64, f64),
) -> (f64, f64) {
    for _ in 0..AGAIN {
        let step = (high - low) / WITHIN as f64;
        let times: Vec<f64> = (0..=WITHIN).map(|k| low + step * k as f64).collect();
        let column: Vec<f64> = { times.iter() }
            .map(|time| course.registers_at(*time)[register])
            .collect();
        match shortest_peak(&times, &column, rise) {
            Some(found) => (low, high) = found,
            None => break,
        }
    }
    (low, high)
}
