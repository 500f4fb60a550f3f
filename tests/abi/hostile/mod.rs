//! Tests with random callers: calls of both interfaces with random arguments in random order, on several
//! instances at once. Every call returns, no panic crosses the border, no memory is lost, and afterwards an
//! instance runs as before.
//!
//! Two kinds of calls are not drawn, because no C library can survive them: pointers that are neither null nor valid, and
//! instances that were freed.
#![expect(clippy::print_stdout, reason = "long runs tell how far they are")]

mod altered;
mod between;
mod chance;
mod crowd;
mod soak;
mod three;
mod two;

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use crate::client3::Fmu3;
use crate::world::{Log, OK, World};
use chance::Chance;

/// Calls of each interface.
const CALLS: u64 = 60_000;

/// The same, unless `FIXSTEP_CALLS` asks for another number.
fn calls() -> u64 {
    number("FIXSTEP_CALLS", CALLS)
}

/// A number from the environment, or else the usual one.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Elements of the arrays that calls get; counts go up to that.
const ROOM: usize = 16;

/// Arrays that calls read from and write to.
struct Arrays {
    references: [u32; ROOM],
    more: [u32; ROOM],
    reals: [f64; ROOM],
    results: [f64; ROOM],
    integers: [c_int; ROOM],
    longs: [i64; ROOM],
    flags: [bool; ROOM],
    sizes: [usize; ROOM],
    elements: [usize; ROOM],
    kinds: [c_int; ROOM],
    bytes: Vec<u8>,
    texts: Vec<CString>,
    pointers: [*const c_char; ROOM],
}

impl Arrays {
    fn new() -> Self {
        let mut texts: Vec<CString> = [
            "",
            "T:F:F",
            "1",
            "logAll",
            "nonsense",
            "T:T:T:T:T:T:T:T:T:T:T:T",
            "%s%n%d",
        ]
        .map(|text| CString::new(text).unwrap())
        .to_vec();
        texts.push(CString::new(vec![0xff, 0xfe, b'x']).unwrap());
        texts.push(CString::new(vec![b'x'; 100_000]).unwrap());
        Self {
            references: [0; ROOM],
            more: [0; ROOM],
            reals: [0.0; ROOM],
            results: [0.0; ROOM],
            integers: [0; ROOM],
            longs: [0; ROOM],
            flags: [false; ROOM],
            sizes: [0; ROOM],
            elements: [0; ROOM],
            kinds: [0; ROOM],
            bytes: vec![0; 200_000],
            texts,
            pointers: [ptr::null(); ROOM],
        }
    }

    /// Draws what the next call reads, with references of variables that suit it.
    fn draw(&mut self, chance: &mut Chance, suitable: &[u32], variables: usize) {
        for k in 0..ROOM {
            self.references[k] = chance.reference(suitable, variables);
            self.more[k] = chance.reference(suitable, variables);
            self.reals[k] = chance.real();
            self.integers[k] = chance.integer();
            self.longs[k] = i64::from(chance.integer());
            self.flags[k] = chance.one_in(2);
            let texts = if chance.calm { 2 } else { self.texts.len() };
            let text = 1 + chance.below(texts - 1);
            self.pointers[k] = if chance.wild(30) {
                ptr::null()
            } else {
                self.texts[text].as_ptr()
            };
        }
    }
}

/// An instance with the states it has handed out.
struct Running {
    instance: *mut c_void,
    states: Vec<*mut c_void>,
    /// Where its clock stands \[s\].
    clock: f64,
    /// How far it has come: instantiated, initializing, stepping; or what only a reset mends.
    phase: Phase,
    log: Box<Log>,
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Fresh,
    Initializing,
    Stepping,
    Broken,
}

impl Running {
    fn new(instance: *mut c_void, log: Box<Log>) -> Self {
        Self {
            instance,
            states: Vec::new(),
            clock: 0.0,
            phase: Phase::Fresh,
            log,
        }
    }

    /// Takes note of a call's outcome.
    fn note(&mut self, status: c_int, next: Phase) {
        self.phase = if status <= 1 { next } else { Phase::Broken };
    }

    /// Nothing went wrong inside.
    fn check(&self) {
        let mut all = self.log.all().into_iter();
        let lost = all.find(|message| message.text.contains("internal error"));
        assert!(lost.is_none(), "{lost:?}");
    }
}

/// How often functions were called, and how often they did what was asked.
#[derive(Default)]
struct Score(BTreeMap<&'static str, [u64; 2]>);

impl Score {
    fn add(&mut self, function: &'static str, status: c_int) {
        assert!((0..=3).contains(&status), "{function} returned {status}");
        let entry = self.0.entry(function).or_default();
        entry[0] += 1;
        entry[1] += u64::from(status == OK);
    }

    /// Every function that can succeed has, or the calls would have shown nothing. A tool that makes all
    /// slow gets by with fewer.
    fn check(&self, never: &[&str]) {
        if calls() < CALLS {
            return;
        }
        for (function, [called, done]) in &self.0 {
            let expected = !never.contains(function);
            assert_eq!(*done > 0, expected, "{function}: {done} of {called} calls");
        }
    }
}

/// Pages of this process in memory.
pub(crate) fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1);
    pages.map_or(0, |pages| pages.parse().unwrap())
}

/// Draws so many calls in two halves: what the second half adds to memory is lost.
fn check_memory(mut half: impl FnMut(u64)) {
    let n = calls() / 2;
    half(n);
    let before = resident();
    println!("{n} of {} calls, {before} pages", 2 * n);
    half(n);
    let grown = resident().saturating_sub(before);
    // 4 MB: what an allocator keeps for itself. A tool that sees what is lost keeps more, and gets by with fewer calls.
    assert!(
        grown < 1024 || calls() < CALLS,
        "{grown} pages more after {n} calls"
    );
}

/// After all that, a run is what it was.
fn check_run(world: &World) -> u64 {
    let fmu = Fmu3::started(world);
    for k in 0..20 {
        assert_eq!(fmu.step(f64::from(k) * 0.01, 0.01).status, OK);
    }
    fmu.real("angle").to_bits()
}
