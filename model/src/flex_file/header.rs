//! Control plane: the JSON header of a flexible body's file.

use fixstep_kernel::flex::{LoadCase, Mode, Node};
use serde::{Deserialize, Serialize};

/// The value of `format`.
pub(super) const FORMAT: &str = "fixstep flexible body";

/// The header.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) format: String,
    pub(super) version: u32,
    pub(super) description: String,
    pub(super) sources: Vec<HeaderSource>,
    pub(super) modes: Vec<HeaderMode>,
    pub(super) nodes: Vec<HeaderNode>,
    #[serde(default)]
    pub(super) lines: Vec<[usize; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) faces: Vec<[usize; 4]>,
    #[serde(default)]
    pub(super) loads: Vec<HeaderLoad>,
    #[serde(default)]
    pub(super) stresses: Vec<String>,
    #[serde(default)]
    pub(super) strains: Vec<String>,
    pub(super) arrays: Vec<HeaderArray>,
    pub(super) fingerprint: String,
}

/// A file that the body was made from.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderSource {
    file: String,
    fingerprint: String,
}

/// A mode.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderMode {
    frequency: f64,
    label: String,
}

/// A node.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderNode {
    pub(super) id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) freedom: [bool; 6],
}

/// A distributed load.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderLoad {
    pub(super) name: String,
}

/// An array in the order of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderArray {
    pub(super) name: String,
    pub(super) numbers: usize,
}

impl HeaderSource {
    pub(super) fn of((file, fingerprint): &(String, String)) -> Self {
        Self {
            file: file.clone(),
            fingerprint: fingerprint.clone(),
        }
    }

    pub(super) fn pair(&self) -> (String, String) {
        (self.file.clone(), self.fingerprint.clone())
    }
}

impl HeaderMode {
    pub(super) fn of(mode: &Mode) -> Self {
        Self {
            frequency: mode.frequency,
            label: mode.label.clone(),
        }
    }

    pub(super) fn mode(&self) -> Mode {
        Mode {
            frequency: self.frequency,
            label: self.label.clone(),
        }
    }
}

impl HeaderNode {
    pub(super) fn of(node: &Node) -> Self {
        Self {
            id: node.id,
            name: node.name.clone(),
            freedom: node.freedom,
        }
    }
}

impl HeaderLoad {
    pub(super) fn of(load: &LoadCase) -> Self {
        Self {
            name: load.name.clone(),
        }
    }
}
