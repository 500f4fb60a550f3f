//! Tests with models altered at random: the examples, and the files beside them. Each is either refused with a message
//! or runs as an FMU does: no panic, no endless loop, no output that is not a number with the status OK, and a saved
//! state leads to the same bits again.
//!
//! Mutant k of a seed is the same in every run. A failure reports its seed and keeps its files.

use std::collections::BTreeMap;

use fixstep_model::{Model, ModelErrors, resources};

use super::super::chance::Chance;
use super::super::number;
use super::corpus::Corpus;
use super::{Altered, Fate, change, keep, life, try_all};
use crate::world::{World, folder};

/// Mutants; `FIXSTEP_MUTANTS` asks for another number.
const MUTANTS: u64 = 250;
/// A model and the files beside it.
#[derive(Clone)]
struct Mutant {
    text: String,
    files: BTreeMap<String, Vec<u8>>,
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
}

impl Altered for Mutant {
    fn fate(&self, seed: u64) -> Result<Fate, String> {
        match self.read() {
            Ok(model) if life::too_long(&model.mechanism) => Ok(Fate::TooLong),
            Ok(model) => {
                let world = World::of(folder("mutant").join("resources"), &model);
                life::live(&world, model.mechanism.experiment.step, seed)
            }
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

    fn keep(&self, seed: u64) -> String {
        let own = [("model.json", self.text.as_bytes())];
        let beside = self.files.iter();
        let beside = beside.map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        keep(seed, own.into_iter().chain(beside))
    }
}

#[test]
fn altered_models_are_refused_with_words_or_live() {
    let corpus = Corpus::new();
    let count = number("FIXSTEP_MUTANTS", MUTANTS);
    let fates = try_all(count, &|seed| Mutant::of(&corpus, seed));
    // Both sides of what is valid have been seen.
    if count >= MUTANTS {
        for fate in [Fate::Refused, Fate::Ran] {
            let seen = fates.get(&fate).copied().unwrap_or(0);
            assert!(seen * 10 > count, "{fate:?}: {seen}");
        }
    }
}
