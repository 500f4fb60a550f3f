//! Proves that results have the same bits in a repeated run, beside another instance, in eight threads, from saved
//! states and in a fresh instance. Measured times are not compared.

use std::thread;

use libloading::Library;

use crate::case::Case;
use crate::host::Verdict;
use crate::run::Run;

/// Rounds of a run that is compared.
const ROUNDS: u32 = 240;

/// Threads at once.
const THREADS: usize = 8;

/// Numbers that look random and are the same everywhere (xorshift).
struct Dice(u64);

impl Dice {
    /// From 1 to `most`.
    fn roll(&mut self, most: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        1 + (self.0 >> 33) as u32 % most
    }
}

/// The fingerprint of a run from start to end.
fn whole(library: &Library, case: &Case, version: u32) -> Option<u64> {
    let mut run = Run::start(library, case, version);
    (run.rounds(ROUNDS) == ROUNDS).then_some(run.fingerprint)
}

/// A run for comparison with those of other processes.
pub(crate) fn plain(library: &Library, case: &Case, version: u32) -> Verdict {
    let found = whole(library, case, version);
    (format!("{:016x}", found.unwrap_or(0)), found.is_some())
}

/// Fingerprints of runs that must be equal.
type Way = fn(&Library, &Case, u32) -> Vec<u64>;

/// Every way to the same bits within a process.
pub(crate) fn all(library: &Library, case: &Case, version: u32) -> Verdict {
    let Some(expected) = whole(library, case, version) else {
        return ("the run fails".to_owned(), false);
    };
    let ways: [(&str, Way); 5] = [
        ("a second run", |l, c, v| vec![whole(l, c, v).unwrap_or(0)]),
        ("taking turns", turns),
        ("threads", threads),
        ("saved states", rollbacks),
        ("fresh instances", relay),
    ];
    for (name, way) in ways {
        let found = way(library, case, version);
        if found.iter().any(|bits| *bits != expected) {
            return (format!("{name}: {found:x?} instead of {expected:x}"), false);
        }
    }
    (format!("{expected:016x}"), true)
}

/// Two instances take turns, the one some steps behind the other.
fn turns(library: &Library, case: &Case, version: u32) -> Vec<u64> {
    let mut ahead = Run::start(library, case, version);
    ahead.rounds(7);
    let mut behind = Run::start(library, case, version);
    for _ in 7..ROUNDS {
        ahead.rounds(1);
        behind.rounds(1);
    }
    behind.rounds(7);
    vec![ahead.fingerprint, behind.fingerprint]
}

/// An instance in each of eight threads.
fn threads(library: &Library, case: &Case, version: u32) -> Vec<u64> {
    thread::scope(|scope| {
        let started = [(); THREADS].map(|()| scope.spawn(|| whole(library, case, version)));
        started
            .map(|thread| thread.join().unwrap().unwrap_or(0))
            .to_vec()
    })
}

/// Saves now and then, goes on for a while, and comes back.
fn rollbacks(library: &Library, case: &Case, version: u32) -> Vec<u64> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut run = Run::start(library, case, version);
    let mut next = dice.roll(40);
    while run.taken < ROUNDS {
        if run.taken == next {
            let (taken, fingerprint) = (run.taken, run.fingerprint);
            assert!(run.save());
            run.rounds(dice.roll(12));
            assert!(run.restore());
            (run.taken, run.fingerprint) = (taken, fingerprint);
            next += dice.roll(40);
        }
        run.rounds(1);
    }
    vec![run.fingerprint]
}

/// Hands the run on, as bytes, to one fresh instance after another.
fn relay(library: &Library, case: &Case, version: u32) -> Vec<u64> {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut run = Run::start(library, case, version);
    while run.taken < ROUNDS {
        let legs = dice.roll(90).min(ROUNDS - run.taken);
        run.rounds(legs);
        assert!(run.save());
        let mut fresh = Run::start(library, case, version);
        fresh.take_over(&run.bytes(), &run);
        run = fresh;
    }
    vec![run.fingerprint]
}
