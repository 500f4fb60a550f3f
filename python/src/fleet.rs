//! Instances of one model that step side by side. Data plane: [`Cell::advance`] and what it calls; all else is control plane.
//!
//! An instance is touched by one thread at a time and knows nothing of the others, so its bits do not depend on how many
//! threads there are. Threads live as long as a call: a fork of the process or the end of the module finds none.

use std::sync::{Arc, Mutex};
use std::thread::{self, Builder};
use std::time::Instant;

use crate::course::{Course, Origin};
use crate::errors::Fault;
use crate::state::{Ending, State};
use crate::values;
use crate::variables::{Names, Start};

/// Work that is worth a thread of its own (ns): to start and join one costs some 30 µs.
const WORTH: f64 = 1e5;
/// Parts that each thread takes one after another, so that threads with quick instances help the others.
const PARTS: usize = 4;
/// Time of reading a value (ns), about.
const READING: f64 = 20.0;

/// An instance that has halted: its index, and how.
pub(crate) type Halt = (usize, Ending);

/// One instance.
pub(crate) struct Cell {
    pub(crate) course: Course,
    /// What a reset goes back to.
    first: Arc<State>,
    /// How it has halted: it stays at its last good state.
    pub(crate) halted: Option<Ending>,
    /// A saved state that has been read, for the time of a restore.
    kept: Option<usize>,
}

/// All instances.
pub(crate) struct Fleet {
    pub(crate) cells: Vec<Cell>,
    pub(crate) threads: usize,
    /// Wall time of a step of one instance (ns).
    cost: f64,
    /// May an instance still be before its start? Then a step or a reading takes long.
    early: bool,
}

/// Does a task for each item, on several threads. The items are cut into parts beforehand; which thread takes which part is
/// open, and does not matter.
pub(crate) fn spread<T: Send>(items: &mut [T], threads: usize, task: impl Fn(&mut T) + Sync) {
    if threads < 2 || items.len() < 2 {
        items.iter_mut().for_each(task);
        return;
    }
    let size = items.len().div_ceil(threads * PARTS);
    let parts = Mutex::new(items.chunks_mut(size));
    let work = || {
        loop {
            let part = parts.lock().ok().and_then(|mut parts| parts.next());
            let Some(part) = part else {
                return;
            };
            part.iter_mut().for_each(&task);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system gives no thread, the others do its work.
            let _ = Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

impl Cell {
    /// Makes steps, unless it has halted; does it go on?
    pub(crate) fn advance(&mut self, steps: u32) -> bool {
        if self.halted.is_some() {
            return false;
        }
        match self.course.advance(steps) {
            Ok(true) => true,
            Ok(false) => {
                self.halted = self.course.ending().cloned();
                false
            }
            Err(fault) => {
                self.fail(fault);
                false
            }
        }
    }

    /// Ends the initialization.
    pub(crate) fn start(&mut self) {
        if self.halted.is_none()
            && let Err(fault) = self.course.start()
        {
            self.fail(fault);
        }
    }

    /// Reads variables; those that cannot be computed are no numbers. An instance that cannot start has failed.
    pub(crate) fn read(&mut self, references: &[u32], into: &mut [f64]) {
        let read = self.course.read(references, |k, value| into[k] = value);
        if let Err(fault) = read {
            into.fill(f64::NAN);
            if self.halted.is_none() {
                self.fail(fault);
            }
        }
    }

    #[cold]
    fn fail(&mut self, fault: Fault) {
        self.halted = Some(Ending {
            failed: true,
            why: fault.text,
        });
    }

    /// Makes steps with given inputs and notes outputs; those of steps that are not made are no numbers.
    fn roll<'a>(
        &mut self,
        course: &Rolling<'_>,
        inputs: &dyn Fn(usize) -> &'a [f64],
        outputs: &mut [f64],
    ) {
        let (ins, outs) = (course.ins, course.outs);
        for n in 0..course.steps {
            if self.halted.is_none() {
                let given = self.course.write(ins, &inputs(n)[..ins.len()]);
                given.unwrap_or_else(|fault| self.fail(fault));
            }
            let before = self.halted.is_some();
            self.advance(course.every);
            let row = &mut outputs[n * outs.len()..][..outs.len()];
            // The step in which the model ends the run is a whole one; one that fails is not made.
            let failed = self.halted.as_ref().is_some_and(|ending| ending.failed);
            if before || failed {
                row.fill(f64::NAN);
            } else {
                self.read(outs, row);
            }
        }
    }

    /// Back to the first state.
    fn reset(&mut self) -> Result<(), Fault> {
        let first = Arc::clone(&self.first);
        self.course.restore(&first)?;
        self.course.forget_messages();
        self.halted = None;
        Ok(())
    }
}

/// A fault of one instance.
fn of_instance(at: usize, fault: Fault) -> Fault {
    let text = fault.text;
    let text = text.strip_prefix("simulation: ").unwrap_or(&text);
    fault.kind.fault(format!("instance {at}: {text}"))
}

impl Fleet {
    /// Instances in initialization mode. `own` has values of each instance that are set before it, by name.
    pub(crate) fn new(
        origin: &Origin,
        own: &[(String, Vec<Start>)],
        (count, threads): (usize, usize),
    ) -> Result<Self, Fault> {
        let mut made: Vec<Option<Result<Course, Fault>>> = (0..count).map(|_| None).collect();
        let mut all: Vec<(usize, &mut Option<_>)> = made.iter_mut().enumerate().collect();
        spread(&mut all, threads, |(at, made)| {
            let own = own.iter();
            let own = own.filter_map(|(name, values)| Some((name.as_str(), values.get(*at)?)));
            **made = Some(origin.begin_with(&mut own.into_iter()));
        });
        let mut cells: Vec<Cell> = Vec::with_capacity(count);
        for (at, course) in made.into_iter().flatten().enumerate() {
            let course = course.map_err(|fault| of_instance(at, fault))?;
            let first = match cells.first() {
                Some(other) if own.is_empty() => Arc::clone(&other.first),
                _ => Arc::new(course.save()),
            };
            cells.push(Cell {
                course,
                first,
                halted: None,
                kept: None,
            });
        }
        Ok(Self {
            cells,
            threads,
            cost: WORTH,
            early: true,
        })
    }

    /// How many threads some work is worth (ns).
    fn crew(&self, work: f64) -> usize {
        if self.early {
            return self.threads;
        }
        (work / WORTH).clamp(1.0, self.threads as f64) as usize
    }

    /// Those that have halted.
    pub(crate) fn halts(&self) -> Vec<Halt> {
        let all = self.cells.iter().enumerate();
        all.filter_map(|(at, cell)| Some((at, cell.halted.clone()?)))
            .collect()
    }

    /// Does a task that may halt instances; those that it has halted.
    pub(crate) fn halting(&mut self, task: impl FnOnce(&mut Self)) -> Vec<Halt> {
        let all = self.cells.iter();
        let before: Vec<bool> = all.map(|cell| cell.halted.is_some()).collect();
        task(self);
        let mut halts = self.halts();
        halts.retain(|(at, _)| !before[*at]);
        halts
    }

    /// Steps that take about so long in all instances (ns), at least one.
    pub(crate) fn steps_in(&self, span: f64) -> u32 {
        let each = self.cost * self.cells.len() as f64 / self.threads as f64;
        (span / each).clamp(1.0, f64::from(u32::MAX)) as u32
    }

    /// Makes steps in the chosen instances that go on.
    pub(crate) fn step(&mut self, steps: u32, chosen: &[bool]) {
        let threads = self.crew(self.cost * f64::from(steps) * self.cells.len() as f64);
        let mut going: Vec<&mut Cell> = self.going(chosen).map(|(_, cell)| cell).collect();
        let count = going.len();
        let begun = Instant::now();
        spread(&mut going, threads, |cell| {
            cell.advance(steps);
        });
        self.learn(begun, threads, steps as usize * count);
    }

    /// Makes steps with given inputs and notes outputs: of each row those of all instances, one after another.
    pub(crate) fn roll(&mut self, course: &Rolling<'_>, inputs: &[f64], outputs: &mut [f64]) {
        let made = course.steps * course.every as usize;
        let count = self.cells.len();
        let threads = self.crew(self.cost * (made * count) as f64);
        let width = course.outs.len();
        let mut found = vec![0.0; course.steps * count * width];
        let mut jobs: Vec<(usize, &mut Cell, &mut [f64])> = Vec::with_capacity(count);
        let mut rest = found.as_mut_slice();
        for (at, cell) in self.cells.iter_mut().enumerate() {
            let (own, others) = rest.split_at_mut(course.steps * width);
            rest = others;
            jobs.push((at, cell, own));
        }
        let going = jobs.iter().filter(|job| job.1.halted.is_none()).count();
        let begun = Instant::now();
        spread(&mut jobs, threads, |(at, cell, outputs)| {
            cell.roll(
                course,
                &|n| &inputs[(n * count + *at) * course.ins.len()..],
                outputs,
            );
        });
        self.learn(begun, threads, made * going);
        for (at, own) in found
            .chunks(course.steps * width.max(1))
            .enumerate()
            .take(if width == 0 { 0 } else { count })
        {
            for (n, row) in own.chunks(width).enumerate() {
                outputs[(n * count + at) * width..][..width].copy_from_slice(row);
            }
        }
    }

    /// Learns what a step costs.
    fn learn(&mut self, begun: Instant, threads: usize, made: usize) {
        if !self.early && made > 0 {
            let took = begun.elapsed().as_nanos() as f64;
            self.cost = (took * threads as f64 / made as f64).max(1.0);
        }
        self.early &= made == 0;
    }

    /// Ends the initialization of all.
    pub(crate) fn start(&mut self) {
        let threads = self.crew(0.0);
        spread(&mut self.cells, threads, Cell::start);
        self.early = false;
    }

    /// Reads variables, instance by instance.
    pub(crate) fn read(&mut self, references: &[u32], into: &mut [f64]) {
        if references.is_empty() {
            return;
        }
        let threads = self.crew(READING * into.len() as f64);
        let rows = into.chunks_mut(references.len());
        let mut jobs: Vec<_> = self.cells.iter_mut().zip(rows).collect();
        spread(&mut jobs, threads, |(cell, row)| cell.read(references, row));
    }

    /// The chosen instances that go on, with their indices.
    fn going<'a>(&'a mut self, chosen: &'a [bool]) -> impl Iterator<Item = (usize, &'a mut Cell)> {
        let all = self.cells.iter_mut().enumerate();
        all.filter(|(at, cell)| cell.halted.is_none() && chosen.get(*at) != Some(&false))
    }

    /// Sets variables of the chosen instances that go on, in all of them or in none.
    pub(crate) fn write(
        &mut self,
        references: &[u32],
        values: &[f64],
        chosen: &[bool],
    ) -> Result<(), Fault> {
        let width = references.len();
        let mut before = Vec::new();
        let mut refused = None;
        for (at, cell) in self.going(chosen) {
            let old = before.len();
            before.resize(old + width, 0.0);
            let course = &mut cell.course;
            let done = course
                .read(references, |k, value| before[old + k] = value)
                .and_then(|()| course.write(references, &values[at * width..][..width]));
            if let Err(fault) = done {
                refused = Some((at, fault));
                break;
            }
        }
        let Some((last, fault)) = refused else {
            return Ok(());
        };
        for ((_, cell), old) in self
            .going(chosen)
            .take_while(|(at, _)| *at < last)
            .zip(before.chunks(width))
        {
            cell.course.write(references, old)?;
        }
        Err(of_instance(last, fault))
    }

    /// Sets a variable of any type in the chosen instances that go on, in all of them or in none.
    pub(crate) fn assign(
        &mut self,
        names: &Names,
        (name, value): (&str, &dyn Fn(usize) -> Start),
        chosen: &[bool],
    ) -> Result<(), Fault> {
        let at = *names.find(name)?.first().unwrap_or(&0);
        let mut before = Vec::new();
        let mut refused = None;
        for (index, cell) in self.going(chosen) {
            let instance = &mut cell.course.instance;
            let old = values::value(instance, names, at);
            match old
                .and_then(|old| values::set(instance, names, name, &value(index)).map(|()| old))
            {
                Ok(old) => before.push(old),
                Err(fault) => {
                    refused = Some((index, fault));
                    break;
                }
            }
        }
        let Some((last, fault)) = refused else {
            return Ok(());
        };
        for ((_, cell), old) in self.going(chosen).zip(before) {
            values::set(&mut cell.course.instance, names, name, &old)?;
        }
        Err(of_instance(last, fault))
    }

    /// Does a task in each chosen instance; the first fault.
    fn in_chosen(
        &mut self,
        chosen: &[bool],
        task: impl Fn(usize, &mut Cell) -> Result<(), Fault> + Sync,
    ) -> Result<(), Fault> {
        let threads = self.threads;
        let all = self.cells.iter_mut().enumerate();
        let wanted = all.filter(|(at, _)| chosen.get(*at) != Some(&false));
        let mut jobs: Vec<_> = wanted.map(|(at, cell)| (at, cell, None)).collect();
        spread(&mut jobs, threads, |(at, cell, fault)| {
            *fault = task(*at, cell).err();
        });
        let first = jobs
            .into_iter()
            .find_map(|(at, _, fault)| Some(of_instance(at, fault?)));
        first.map_or(Ok(()), Err)
    }

    /// Takes the chosen instances back to their first states.
    pub(crate) fn reset(&mut self, chosen: &[bool]) -> Result<(), Fault> {
        self.early = true;
        self.in_chosen(chosen, |_, cell| cell.reset())
    }

    /// The states of all.
    pub(crate) fn save(&mut self) -> Vec<State> {
        let threads = self.threads;
        let all = self.cells.iter_mut();
        let mut jobs: Vec<(&mut Cell, Option<State>)> = all.map(|cell| (cell, None)).collect();
        spread(&mut jobs, threads, |(cell, state)| {
            *state = Some(cell.course.save());
        });
        jobs.into_iter().filter_map(|(_, state)| state).collect()
    }

    /// Takes the chosen instances to saved states, one for each or one for all. States of another model change nothing.
    pub(crate) fn restore(&mut self, states: &[&State], chosen: &[bool]) -> Result<(), Fault> {
        let state = |at: usize| states.get(at).or(states.first()).copied();
        let read = self.in_chosen(chosen, |at, cell| {
            cell.kept = state(at).map(|state| cell.course.keep(state)).transpose()?;
            Ok(())
        });
        let done = self.in_chosen(chosen, |at, cell| {
            let (Some(kept), Some(state)) = (cell.kept.take(), state(at)) else {
                return Ok(());
            };
            if read.is_err() {
                return cell.course.drop_kept(kept);
            }
            cell.course.adopt(kept, state)?;
            cell.halted.clone_from(&state.ending);
            Ok(())
        });
        self.early = true;
        read.and(done)
    }
}

/// Steps of a rollout.
pub(crate) struct Rolling<'a> {
    /// How many rows.
    pub(crate) steps: usize,
    /// Communication steps of a row.
    pub(crate) every: u32,
    pub(crate) ins: &'a [u32],
    pub(crate) outs: &'a [u32],
}
