//! The models that are altered: the examples, the mechanisms of other tests, and models that are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fixstep_model::{Model, resources};
use serde_json::Value;

use super::super::chance::Chance;

#[expect(dead_code, reason = "what a mistake is told is no question here")]
#[path = "../../../patched.rs"]
mod patched;

/// Larger models are not altered, since a debug build takes long to read them [bytes].
const LARGEST: usize = 20_000;

/// A model and the files beside it.
pub(super) struct Example {
    pub(super) tree: Value,
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

/// All of them, and the words that they are made of.
pub(super) struct Corpus {
    valid: Vec<Example>,
    refused: Vec<Example>,
    /// Every key that there is.
    pub(super) keys: Vec<String>,
    /// Every text: names, types, expressions.
    pub(super) texts: Vec<String>,
}

impl Corpus {
    pub(super) fn new() -> Self {
        let mut corpus = Self {
            valid: Vec::new(),
            refused: Vec::new(),
            keys: Vec::new(),
            texts: Vec::new(),
        };
        let (mut keys, mut texts) = (BTreeSet::new(), BTreeSet::new());
        for (text, folder) in models() {
            let Ok(tree) = serde_json::from_str::<Value>(&text) else {
                continue;
            };
            if text.len() > LARGEST || tree.get("fixstep").is_none() {
                continue;
            }
            words(&tree, &mut keys, &mut texts);
            match Model::read(&text, &resources::folder(&folder)) {
                Ok(model) => {
                    let files = model.files.iter();
                    let files = files.map(|(name, bytes)| (name.clone(), bytes.to_vec()));
                    let files = files.collect();
                    // What includes other files has them in its flat text.
                    let flat = model.portable.as_ref();
                    let tree = flat.map_or(tree, |flat| serde_json::from_str(flat).unwrap());
                    corpus.valid.push(Example { tree, files });
                }
                Err(_) => corpus.refused.push(Example {
                    tree,
                    files: BTreeMap::new(),
                }),
            }
        }
        (corpus.keys, corpus.texts) = (keys.into_iter().collect(), texts.into_iter().collect());
        let counts = [corpus.valid.len(), corpus.refused.len()];
        assert!(counts[0] > 60 && counts[1] > 320, "{counts:?}");
        corpus
    }

    /// Those that are valid.
    pub(super) fn valid(&self) -> impl Iterator<Item = &Example> {
        self.valid.iter()
    }

    /// One of them, mostly a valid one.
    pub(super) fn pick(&self, chance: &mut Chance) -> &Example {
        let list = if chance.one_in(10) {
            &self.refused
        } else {
            &self.valid
        };
        &list[chance.below(list.len())]
    }
}

/// Texts that may be models, each with the folder that has the files beside it.
fn models() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = ["models", "tests/mechanisms", "tests/truth"]
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| {
            let within = fs::read_dir(&path).into_iter().flatten();
            let mut all: Vec<PathBuf> = within.map(|entry| entry.unwrap().path()).collect();
            all.push(path);
            all
        })
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    let files = paths.into_iter().map(|path| {
        let folder = path.parent().unwrap().to_path_buf();
        (fs::read_to_string(&path).unwrap(), folder)
    });
    let bad = root.join("tests/bad_models");
    let bases = patched::bases(&bad).into_values();
    let cases = patched::cases(&bad).into_iter().map(|(_, text)| text);
    files
        .chain(bases.chain(cases).map(|text| (text, bad.clone())))
        .collect()
}

/// Gathers keys and texts.
fn words(tree: &Value, keys: &mut BTreeSet<String>, texts: &mut BTreeSet<String>) {
    match tree {
        Value::Object(map) => {
            for (key, value) in map {
                keys.insert(key.clone());
                if key != "description" {
                    words(value, keys, texts);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| words(item, keys, texts)),
        Value::String(text) => {
            texts.insert(text.clone());
        }
        _ => {}
    }
}
