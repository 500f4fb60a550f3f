//! Tests with files altered at random: models with the files beside them, and mechanisms. Each is either refused with a
//! message or runs as an FMU does: no panic, no endless loop, no output that is not a number with the status OK, and a
//! saved state leads to the same bits again.
//!
//! A seed gives the same files in every run. A failure reports its seed and keeps its files.

mod change;
mod corpus;
mod flexible;
mod life;
mod mechanisms;
mod models;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::number;

/// The first seed; `FIXSTEP_SEED` asks for another one.
const SEED: u64 = 20_000;
/// What takes longer does not end. Other work on the machine may take most of that time.
const PATIENCE: Duration = Duration::from_secs(300);

/// What became of an altered file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// It was refused when it was read.
    Refused,
    /// No instance was made.
    NoInstance,
    /// The initialization failed.
    NoStart,
    /// A step was refused.
    Stopped,
    /// It ran.
    Ran,
    /// It asks for more work than fits here.
    TooLong,
}

/// Something altered.
trait Altered {
    /// What becomes of it, or what is wrong with that.
    fn fate(&self, seed: u64) -> Result<Fate, String>;

    /// Keeps its files for inspection; returns where.
    fn keep(&self, seed: u64) -> String;
}

/// How often each fate was met.
type Fates = BTreeMap<Fate, u64>;

/// Writes files into a folder of a seed; where it is.
fn keep<'a>(seed: u64, files: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutant-{seed}"));
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder.display().to_string()
}

/// Tries one; what is wrong with what became of it.
fn try_one(altered: &impl Altered, seed: u64, fates: &Mutex<Fates>) -> Option<String> {
    let fate = catch_unwind(AssertUnwindSafe(|| altered.fate(seed)));
    let wrong = match fate {
        Ok(Ok(fate)) => {
            *fates.lock().unwrap().entry(fate).or_default() += 1;
            return None;
        }
        Ok(Err(text)) => text,
        Err(_) => "panic".to_owned(),
    };
    Some(format!(
        "FIXSTEP_SEED={seed}: {wrong}; {}",
        altered.keep(seed)
    ))
}

/// Ends the process when one does not end, after telling which.
fn watch<A: Altered>(make: &dyn Fn(u64) -> A, at_work: &[Mutex<Option<(u64, Instant)>>]) {
    for place in at_work {
        let Some((seed, since)) = *place.lock().unwrap() else {
            continue;
        };
        if since.elapsed() > PATIENCE {
            let kept = make(seed).keep(seed);
            println!("FIXSTEP_SEED={seed}: does not end; {kept}");
            std::process::abort();
        }
    }
}

/// Tries so many, on two threads; how often each fate was met.
fn try_all<A: Altered>(count: u64, make: &(dyn Fn(u64) -> A + Sync)) -> Fates {
    let first = number("FIXSTEP_SEED", SEED);
    let (next, left) = (AtomicU64::new(first), AtomicU64::new(count));
    let (fates, wrong) = (Mutex::default(), Mutex::new(Vec::new()));
    let at_work = [const { Mutex::new(None) }; 2];
    let work = |place: &Mutex<Option<(u64, Instant)>>| {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return;
            }
            *place.lock().unwrap() = Some((seed, Instant::now()));
            let found = try_one(&make(seed), seed, &fates);
            wrong.lock().unwrap().extend(found);
            *place.lock().unwrap() = None;
            let left = left.fetch_sub(1, Ordering::Relaxed) - 1;
            if left > 0 && left.is_multiple_of(10_000) {
                println!("{left} left: {:?}", fates.lock().unwrap());
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = at_work.each_ref().map(|place| scope.spawn(|| work(place)));
        while workers.iter().any(|worker| !worker.is_finished()) {
            watch(make, &at_work);
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let (fates, wrong) = (fates.into_inner().unwrap(), wrong.into_inner().unwrap());
    println!("altered: {fates:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    fates
}
