//! The integration as numbers, so that a run that is restored continues with the same bits.
//!
//! Factors are not stored, but the matrices that they are made of.

use super::fast::Fast;
use super::growth::Growth;
use super::history::History;
use super::powers::Powers;
use super::report::Report;
use super::{Course, Variable};
use crate::state::State;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What is done with each number in turn: it is stored, or replaced.
type Visit<'a> = dyn FnMut(&mut f64) + 'a;

fn whole(number: &mut usize, visit: &mut Visit<'_>) {
    let mut x = *number as f64;
    visit(&mut x);
    *number = x as usize;
}

fn long(number: &mut u64, visit: &mut Visit<'_>) {
    let mut x = *number as f64;
    visit(&mut x);
    *number = x as u64;
}

fn flag(value: &mut bool, visit: &mut Visit<'_>) {
    let mut x = f64::from(u8::from(*value));
    visit(&mut x);
    *value = x != 0.0;
}

fn state_numbers(state: &mut State, visit: &mut Visit<'_>) {
    state.reals.iter_mut().for_each(&mut *visit);
    state.counters.iter_mut().for_each(|n| long(n, visit));
}

fn history_numbers(history: &mut History, visit: &mut Visit<'_>) {
    whole(&mut history.filled, visit);
    whole(&mut history.imagined, visit);
    history.times.iter_mut().for_each(&mut *visit);
    for lists in [&mut history.moved, &mut history.rates, &mut history.states] {
        lists.iter_mut().flatten().for_each(&mut *visit);
    }
}

impl Variable {
    /// The numbers of an integration; neither it nor the course is changed.
    pub fn save(&self, course: &mut Course<'_>) -> Vec<f64> {
        let mut numbers = Vec::new();
        self.clone().visit(course, &mut |x| numbers.push(*x));
        numbers
    }

    /// Continues as an integration of the same model that was saved; `false` if the numbers are none of that, and then
    /// nothing is changed.
    pub fn restore(&mut self, course: &mut Course<'_>, numbers: &[f64]) -> bool {
        let mut count;
        // All but the instants at which steps end, and the piece before an event, have the same number in every run.
        let [has_past, knots, jumps, bends, smooth, ..] = *numbers else {
            return false;
        };
        self.past = None;
        let own = self.knots.0.len() + self.images.iter().map(Vec::len).sum::<usize>();
        let images = [jumps, bends, smooth];
        if has_past != 0.0 {
            self.past = Some(self.piece(course.state));
        }
        count = 0;
        self.visit(course, &mut |_| count += 1);
        let lists = knots >= 0.0 && images.iter().all(|count| *count >= 0.0);
        let listed = { images.iter() }.fold(knots as usize, |sum, count| {
            sum.saturating_add(*count as usize)
        });
        if !lists || (count - own).saturating_add(listed) != numbers.len() {
            return false;
        }
        self.knots.0.resize(knots as usize, 0.0);
        for (list, count) in self.images.iter_mut().zip(images) {
            list.resize(count as usize, 0.0);
        }
        let mut next = numbers.iter();
        self.visit(course, &mut |x| *x = next.next().copied().unwrap_or(*x));
        self.indicators.follow_flags();
        if let Some(past) = &mut self.past {
            let present = core::mem::replace(&mut self.indicators.cells, past.cells.clone());
            self.indicators.hold(Arc::make_mut(&mut past.system));
            self.indicators.cells = present;
        }
        self.indicators.hold(Arc::make_mut(&mut self.system));
        if self.newton.factored != 0.0 {
            let stepper = &mut *course.stepper;
            stepper.factor.refactor(&course.ws.matrix);
            if self.tolerance.method.is_stabilised() {
                let projection = &mut stepper.projection;
                projection.factor.refactor(&projection.matrix);
            }
        }
        true
    }

    /// Visits all numbers that a step depends on.
    fn visit(&mut self, course: &mut Course<'_>, visit: &mut Visit<'_>) {
        let mut has_past = self.past.is_some();
        flag(&mut has_past, visit);
        let mut count = self.knots.0.len();
        whole(&mut count, visit);
        for images in &self.images {
            let mut count = images.len();
            whole(&mut count, visit);
        }
        let lists = core::iter::once(&mut self.knots.0).chain(&mut self.images);
        lists.flatten().for_each(&mut *visit);
        history_numbers(&mut self.history, visit);
        if let Some(past) = &mut self.past {
            history_numbers(&mut past.history, visit);
            whole(&mut past.order, visit);
            past.cells.iter_mut().for_each(&mut *visit);
            state_numbers(&mut past.state, visit);
        }
        for number in [
            &mut self.order,
            &mut self.made,
            &mut self.since_change,
            &mut self.since_start,
            &mut self.in_a_row,
            &mut self.switches,
            &mut self.repeated,
        ] {
            whole(number, visit);
        }
        flag(&mut self.bent, visit);
        let mut lenient = f64::from(self.newton.lenient);
        visit(&mut lenient);
        self.newton.lenient = lenient as u32;
        for number in [
            &mut self.knots.1,
            &mut self.next,
            &mut self.last,
            &mut self.newton.factored,
            &mut self.newton.turned,
            &mut self.newton.share,
            &mut self.newton.rounding,
        ] {
            visit(number);
        }
        self.touching.iter_mut().for_each(&mut *visit);
        for number in self.fast.iter_mut().flat_map(Fast::numbers) {
            visit(number);
        }
        self.indicators.cells.iter_mut().for_each(&mut *visit);
        for own in self.indicators.counts() {
            own.flags.into_iter().for_each(|one| flag(one, visit));
            for count in own.numbers {
                let mut number = f64::from(*count);
                visit(&mut number);
                *count = number as u32;
            }
            long(own.since, visit);
            own.times.into_iter().for_each(&mut *visit);
        }
        let triggered = self.triggered.iter_mut().chain(&mut self.pending);
        triggered.for_each(|one| flag(one, visit));
        growth_numbers(&mut self.growth, &mut self.powers, visit);
        report_numbers(&mut self.report, visit);
        state_numbers(&mut self.shown, visit);
        state_numbers(course.state, visit);
        course.ws.matrix.numbers_mut().for_each(&mut *visit);
        if self.tolerance.method.is_stabilised() {
            let matrix = &mut course.stepper.projection.matrix;
            matrix.numbers_mut().for_each(visit);
        }
    }
}

/// Visits what tells of growing vibrations, and the powers.
fn growth_numbers(growth: &mut Growth, powers: &mut Powers, visit: &mut Visit<'_>) {
    whole(&mut powers.filled, visit);
    powers.numbers().for_each(&mut *visit);
    for number in [
        &mut growth.ceiling,
        &mut growth.left,
        &mut growth.wait,
        &mut growth.steps,
    ] {
        whole(number, visit);
    }
    flag(&mut growth.is_open, visit);
    long(&mut growth.limited, visit);
    for number in [
        &mut growth.first,
        &mut growth.most,
        &mut growth.lowest,
        &mut growth.work,
    ] {
        visit(number);
    }
}

/// Visits the counts of a run.
fn report_numbers(report: &mut Report, visit: &mut Visit<'_>) {
    for number in [
        &mut report.steps,
        &mut report.rejected,
        &mut report.diverged,
        &mut report.iterations,
        &mut report.jacobians,
        &mut report.events,
    ] {
        long(number, visit);
    }
    report.orders.iter_mut().for_each(|n| long(n, visit));
}
