//! Tests with altered files of mechanisms. A file with a wrong hash or checksum is refused before anything else is
//! checked, so most of them get a new hash and checksum.

use std::collections::BTreeMap;

use fixstep_model::{Model, resources};
use fixstep_variables::file::container::seal;
use fixstep_variables::file::{Blueprint, MECHANISM_FILE};

use super::super::chance::Chance;
use super::super::number;
use super::corpus::{Corpus, Example};
use super::{Altered, Fate, keep, life, try_all};
use crate::world::{World, folder};

/// Files; `FIXSTEP_FILES` asks for another number.
const FILES: u64 = 1500;

/// An altered file.
struct File {
    bytes: Vec<u8>,
    sealed: bool,
}

/// The files of the examples.
fn packed(corpus: &Corpus) -> Vec<Vec<u8>> {
    let pack = |example: &Example| {
        let read = |name: &str| match example.files.get(name) {
            Some(bytes) => Ok(bytes.clone()),
            None => resources::none(name),
        };
        let model = Model::read(&example.tree.to_string(), &read).unwrap();
        model.packed().unwrap().bytes
    };
    corpus.valid().map(pack).collect()
}

impl File {
    /// File of a seed.
    fn of(packed: &[Vec<u8>], seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        // Numbers that follow one another begin alike.
        chance.next();
        let mut bytes = packed[chance.below(packed.len())].clone();
        let sealed = !chance.one_in(16);
        for _ in 0..chance.pick(&[1, 1, 1, 2, 4, 8]) {
            alter(&mut bytes, &mut chance);
        }
        if sealed {
            seal(&mut bytes);
        }
        Self { bytes, sealed }
    }
}

/// Another byte, another number, or bytes that are moved, lost or added.
fn alter(bytes: &mut Vec<u8>, chance: &mut Chance) {
    // Rarely in the head, which says where everything is.
    let first = if chance.one_in(12) {
        0
    } else {
        40.min(bytes.len())
    };
    let at = first + chance.below(bytes.len() - first);
    if bytes.is_empty() || at >= bytes.len() {
        return;
    }
    match chance.below(12) {
        0..=3 => bytes[at] = chance.pick(&[0, 1, 2, 0x7f, 0x80, 0xff]),
        4 | 5 => bytes[at] = bytes[at].wrapping_add(chance.pick(&[1, 0xff])),
        6 => bytes[at] ^= 1 << chance.below(8),
        7..=9 => number_at(bytes, at, chance),
        10 => {
            let from = chance.below(bytes.len());
            let length = chance.below(40).min(bytes.len() - from.max(at));
            bytes.copy_within(from..from + length, at);
        }
        _ => {
            let length = 8 * chance.below(4);
            match chance.below(3) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..(at + length).min(bytes.len()))),
                _ => drop(bytes.splice(at..at, std::iter::repeat_n(0, length))),
            }
        }
    }
}

/// Another number in the place of one, or of what stands there.
fn number_at(bytes: &mut [u8], at: usize, chance: &mut Chance) {
    // Numbers are seldom aligned; most of them have a small exponent, which is their last byte.
    let known = [0x3f, 0x40, 0xbf, 0xc0];
    let last = (at..bytes.len().min(at + 64)).find(|k| known.contains(&bytes[*k]));
    let Some(first) = last.and_then(|last| last.checked_sub(7)) else {
        return;
    };
    let value = chance.real();
    bytes[first..first + 8].copy_from_slice(&value.to_le_bytes());
}

impl Altered for File {
    fn fate(&self, seed: u64) -> Result<Fate, String> {
        match Blueprint::read(&self.bytes) {
            Err(fault) if fault.0.len() < 15 => Err(format!("refused without words: {fault}")),
            Err(_) => Ok(Fate::Refused),
            Ok(blueprint) if life::too_long(&blueprint.mechanism) => Ok(Fate::TooLong),
            Ok(blueprint) => {
                let step = blueprint.mechanism.experiment.step;
                let resources = folder("altered").join("resources");
                let world = World::raw(resources, &self.bytes, blueprint.token, blueprint.table);
                life::live(&world, step, seed)
            }
        }
    }

    fn keep(&self, seed: u64) -> String {
        keep(seed, [(MECHANISM_FILE, self.bytes.as_slice())].into_iter())
    }
}

#[test]
fn altered_mechanisms_are_refused_with_words_or_live() {
    let corpus = Corpus::new();
    let packed = packed(&corpus);
    let count = number("FIXSTEP_FILES", FILES);
    let fates = try_all(count, &|seed| File::of(&packed, seed));
    // Both sides of what is valid have been seen.
    if count >= FILES {
        for fate in [Fate::Refused, Fate::NoInstance, Fate::Ran] {
            let seen = fates.get(&fate).copied().unwrap_or(0);
            assert!(seen * 50 > count, "{fate:?}: {seen}");
        }
    }
}

#[test]
fn a_file_that_is_not_sealed_is_refused() {
    let corpus = Corpus::new();
    let packed = packed(&corpus);
    let mut refused = BTreeMap::new();
    for seed in 0..20_000 {
        let file = File::of(&packed, seed);
        if file.sealed || packed.contains(&file.bytes) {
            continue;
        }
        let fault = Blueprint::read(&file.bytes).map(drop).unwrap_err();
        let kind = fault.0.split(':').next().unwrap_or_default().to_owned();
        *refused.entry(kind).or_insert(0) += 1;
    }
    let count: u32 = refused.values().sum();
    assert!(count > 900 && refused.len() > 2, "{refused:?}");
}
