//! Models that nobody would write: the examples, and the files beside them, altered at random. Whatever comes is
//! refused with words or lives as an FMU lives: no panic, nothing that does not end, no outputs that are no numbers
//! with the status OK, and a state that was saved leads to the same bits again.
//!
//! Mutant k of a seed is the same in every run. One that fails is told with its seed, and its files are kept.

mod change;
mod corpus;
mod flexible;
mod life;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fixstep_model::{Model, ModelErrors, resources};

use super::chance::Chance;
use super::number;
use corpus::Corpus;

/// Mutants; `FIXSTEP_MUTANTS` asks for another number.
const MUTANTS: u64 = 250;
/// The first mutant's seed; `FIXSTEP_SEED` asks for another one.
const SEED: u64 = 20_000;
/// What takes longer does not end. Other work on the machine may take most of that time.
const PATIENCE: Duration = Duration::from_secs(300);

/// A model and the files beside it.
#[derive(Clone)]
struct Mutant {
    text: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// What became of a mutant.
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

impl Mutant {
    /// Mutant of a seed.
    fn of(corpus: &Corpus, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        // Numbers that follow one another begin alike.
        chance.next();
        let example = corpus.pick(&mut chance);
        let mut mutant = Self {
            text: String::new(),
            files: example.files.clone(),
        };
        let mut tree = example.tree.clone();
        if !mutant.files.is_empty() && chance.one_in(3) {
            change::file(&mut mutant.files, &mut chance);
        } else {
            for _ in 0..chance.pick(&[1, 1, 1, 1, 2, 4]) {
                change::tree(&mut tree, corpus, &mut chance);
            }
        }
        mutant.text = tree.to_string();
        if chance.one_in(8) {
            let bytes = change::bytes(mutant.text.into_bytes(), &mut chance);
            mutant.text = String::from_utf8_lossy(&bytes).into_owned();
        }
        mutant
    }

    fn read(&self) -> Result<Model, ModelErrors> {
        Model::read(&self.text, &|name| match self.files.get(name) {
            Some(bytes) => Ok(bytes.clone()),
            None => resources::none(name),
        })
    }

    /// What becomes of it, or what is wrong with that.
    fn fate(&self, seed: u64) -> Result<Fate, String> {
        match self.read() {
            Ok(model) => life::live(&model, seed),
            Err(errors) => {
                let all: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
                // "error: " and words.
                match all.iter().find(|text| text.len() < 20) {
                    _ if all.is_empty() => Err("refused without a reason".to_owned()),
                    Some(text) => Err(format!("refused without words: {text:?}")),
                    None => Ok(Fate::Refused),
                }
            }
        }
    }

    /// Keeps its files for who looks into it.
    fn keep(&self, seed: u64) -> String {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutant-{seed}"));
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        write("model.json", self.text.as_bytes());
        for (name, bytes) in &self.files {
            write(name, bytes);
        }
        folder.display().to_string()
    }
}

/// Tries a mutant; what is wrong with what became of it.
fn try_one(corpus: &Corpus, seed: u64, fates: &Mutex<BTreeMap<Fate, u64>>) -> Option<String> {
    let mutant = Mutant::of(corpus, seed);
    let fate = catch_unwind(AssertUnwindSafe(|| mutant.fate(seed)));
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
        mutant.keep(seed)
    ))
}

/// Ends the process when a mutant does not end, after telling which.
fn watch(corpus: &Corpus, at_work: &[Mutex<Option<(u64, Instant)>>]) {
    for place in at_work {
        let Some((seed, since)) = *place.lock().unwrap() else {
            continue;
        };
        if since.elapsed() > PATIENCE {
            let kept = Mutant::of(corpus, seed).keep(seed);
            println!("FIXSTEP_SEED={seed}: does not end; {kept}");
            std::process::abort();
        }
    }
}

#[test]
fn altered_models_are_refused_with_words_or_live() {
    let corpus = Corpus::new();
    let (first, count) = (
        number("FIXSTEP_SEED", SEED),
        number("FIXSTEP_MUTANTS", MUTANTS),
    );
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
            wrong.lock().unwrap().extend(try_one(&corpus, seed, &fates));
            *place.lock().unwrap() = None;
            let left = left.fetch_sub(1, Ordering::Relaxed) - 1;
            if left > 0 && left.is_multiple_of(10_000) {
                println!("{left} altered models left: {:?}", fates.lock().unwrap());
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = at_work.each_ref().map(|place| scope.spawn(|| work(place)));
        while workers.iter().any(|worker| !worker.is_finished()) {
            watch(&corpus, &at_work);
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let (fates, wrong) = (fates.into_inner().unwrap(), wrong.into_inner().unwrap());
    println!("altered models: {fates:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Both sides of what is valid have been seen.
    if count >= MUTANTS {
        for fate in [Fate::Refused, Fate::Ran] {
            let seen = fates.get(&fate).copied().unwrap_or(0);
            assert!(seen * 10 > count, "{fate:?}: {seen}");
        }
    }
}
