//! Control plane: memory for delays, and saving and restoring the state of a simulation as bytes.

use super::repeat::Begun;
use super::{Part, Simulation, StartError};
use crate::integrator::accepted::show;
use crate::limits::DELAY_POINTS;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::seconds::Seconds;
use crate::state::{COUNTERS, State};
use crate::system::eval;
use crate::system::memory::DELAY_MARGIN;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Points of a delay with a variable step, at least: its steps have no length by which to choose.
const POINTS_OF_A_DELAY: f64 = 4000.0;
/// Bytes per number.
const WORD: usize = 8;

impl Simulation {
    /// Gives every delay room for its longest length, at the present step and parameters.
    pub(super) fn size_delays(&mut self) -> Result<(), StartError> {
        let h = self.step_size();
        let Part { system, state, ws } = &mut *self.run;
        eval::settings(system, state, ws, state.time(&system.layout));
        let ws = &mut ws.values;
        let mut longest = Vec::new();
        for (entry, delay) in system
            .memory
            .delays
            .iter()
            .zip(&self.mechanism.memory.delays)
        {
            let program = &system.programs[entry.longest.index()];
            let seconds = program.value(&ws.leaves, &mut ws.registers) * entry.time_unit;
            if !(seconds >= 0.0 && seconds.is_finite()) {
                return Err(StartError::from(format!(
                    "{}: the longest delay of a DELAY is {} s; it must be zero or more, and finite",
                    delay.path,
                    Seconds(seconds)
                )));
            }
            let least = if self.ahead.is_some() {
                POINTS_OF_A_DELAY
            } else {
                0.0
            };
            let points = (seconds / h).ceil().max(least) + DELAY_MARGIN as f64;
            if points > DELAY_POINTS as f64 {
                return Err(StartError::from(format!(
                    "{}: a DELAY of {} s takes {points} steps of {} s; at most \
                     {DELAY_POINTS} are remembered: take a shorter delay or a longer step",
                    delay.path,
                    Seconds(seconds),
                    Seconds(h)
                )));
            }
            longest.push((seconds, points as usize));
        }
        let capacities: Vec<usize> = longest.iter().map(|(_, points)| *points).collect();
        self.lay_delays(&capacities);
        let Part { system, state, .. } = &mut *self.run;
        for (k, (seconds, _)) in longest.iter().enumerate() {
            crate::system::delay::clear(system, state, k, *seconds);
        }
        Ok(())
    }

    /// Sets the capacities in points; allocates only if they change.
    fn lay_delays(&mut self, capacities: &[usize]) {
        let Part { system, state, .. } = &mut *self.run;
        let known = system.memory.delays.iter().map(|delay| delay.capacity);
        if known.eq(capacities.iter().copied()) {
            return;
        }
        let layout = &mut system.layout;
        layout.delays.len = system.memory.resize_delays(capacities);
        layout.len = layout.delays.first + layout.delays.len;
        let mut reals = vec![0.0; layout.len];
        reals[..layout.delays.first].copy_from_slice(&state.reals[..layout.delays.first]);
        state.reals = reals.into_boxed_slice();
        if let Some(stepper) = &mut self.stepper {
            stepper.before = State::new(layout);
        }
        self.begun = Begun::new(layout);
        if let Some(sensitivity) = &mut self.sensitivity {
            sensitivity.fit(system);
        }
    }

    /// Length in bytes of the buffer for [`Self::save`]: constant after the start of a run.
    pub fn state_size(&self) -> usize {
        let system = &self.run.system;
        WORD * (system.memory.delays.len() + system.layout.len + COUNTERS)
    }

    /// Copies the whole resumable state; does not allocate. `bytes` is [`Self::state_size`] long.
    pub fn save(&self, bytes: &mut [u8]) {
        let Part { system, state, .. } = &*self.run;
        let delays = system.memory.delays.iter();
        let capacities = delays.map(|delay| (delay.capacity as u64).to_le_bytes());
        let reals = state.reals.iter().map(|x| x.to_le_bytes());
        let counters = state.counters.iter().map(|n| n.to_le_bytes());
        let words = capacities.chain(reals).chain(counters);
        for (chunk, word) in bytes.chunks_exact_mut(WORD).zip(words) {
            chunk.copy_from_slice(&word);
        }
    }

    /// The capacities of delays in a saved state; `None` if the bytes are no state of this model.
    fn capacities(&self, bytes: &[u8]) -> Option<Vec<usize>> {
        let Part { system, .. } = &*self.run;
        let delays = system.memory.delays.len();
        let mut len = delays + system.layout.delays.first + COUNTERS;
        let mut capacities = Vec::with_capacity(delays);
        for word in bytes.chunks_exact(WORD).take(delays) {
            let capacity = u64::from_le_bytes(word.try_into().ok()?) as usize;
            if !(DELAY_MARGIN..=DELAY_POINTS).contains(&capacity) {
                return None;
            }
            len += crate::system::memory::DELAY_HEAD + 2 * capacity;
            capacities.push(capacity);
        }
        (capacities.len() == delays && bytes.len() == WORD * len).then_some(capacities)
    }

    /// Do these bytes have the length of a state of this model?
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        self.capacities(bytes).is_some()
    }

    /// Restores what [`Self::save`] wrote; the next step then equals that of an uninterrupted run bit for bit. Bytes
    /// that are no state of this model, or that [`Self::suits`] refuses, change nothing. Allocates only if delays
    /// have other capacities there, because of another step or other parameters.
    pub fn restore(&mut self, bytes: &[u8]) {
        if self.suits(bytes) {
            self.restore_to_start(bytes);
        }
    }

    /// The same for any state of this model: before a start with the values set in it, which derives geometry anew, or
    /// after [`Self::follow_state`].
    pub fn restore_to_start(&mut self, bytes: &[u8]) {
        self.begun.forget();
        if self.same_room(bytes) {
            self.read(bytes);
        } else if let Some(capacities) = self.capacities(bytes) {
            self.lay_delays(&capacities);
            self.read(bytes);
        }
    }

    /// A parameter in a saved state; NaN if the bytes are no state.
    pub(super) fn saved_parameter(&self, bytes: &[u8], parameter: usize) -> f64 {
        let system = &self.run.system;
        let word = system.memory.delays.len() + system.layout.parameters.first + parameter;
        let found = bytes.get(WORD * word..).and_then(<[u8]>::first_chunk);
        found.map_or(f64::NAN, |word| f64::from_le_bytes(*word))
    }

    /// Do delays have the same capacities in this state as here?
    fn same_room(&self, bytes: &[u8]) -> bool {
        let delays = self.run.system.memory.delays.iter();
        let own = delays.map(|delay| (delay.capacity as u64).to_le_bytes());
        let mut given = bytes.chunks_exact(WORD);
        bytes.len() == self.state_size()
            && own.into_iter().all(|word| given.next() == Some(&word[..]))
    }

    fn read(&mut self, bytes: &[u8]) {
        let Part { system, state, ws } = &mut *self.run;
        let (reals, counters) = (&mut state.reals, &mut state.counters);
        let words = bytes.chunks_exact(WORD).map(|chunk| {
            let mut word = [0; WORD];
            word.copy_from_slice(chunk);
            word
        });
        let mut words = words.skip(system.memory.delays.len());
        for (x, word) in reals.iter_mut().zip(&mut words) {
            *x = f64::from_le_bytes(word);
        }
        for (n, word) in counters.iter_mut().zip(&mut words) {
            *n = u64::from_le_bytes(word);
        }
        ws.triggered.fill(false);
        show(system, state, ws);
        self.remember_settings();
    }
}
