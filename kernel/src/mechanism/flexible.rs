//! Control plane: flexible bodies of a validated mechanism.

use crate::flex::{FlexData, Settings, Switches};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The flexible part of a body: its file, and how the model uses it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlexBody {
    /// The file.
    pub file: String,
    /// Its content.
    #[serde(with = "crate::shared")]
    pub data: Arc<FlexData>,
    /// The modes in use, counted from 0.
    pub modes: Vec<usize>,
    /// The invariants in use.
    pub switches: Switches,
    /// Damping ratio of each of the modes.
    pub ratios: Vec<f64>,
    /// Modes above this frequency lose their inertia \[Hz\]; `None` if the step determines it.
    pub dynamic_limit: Option<f64>,
    /// Initial modal coordinates.
    pub displacements: Vec<f64>,
    /// Initial modal velocities.
    pub velocities: Vec<f64>,
    /// Are rotations of nodes finite, rather than treated as small?
    pub exact: bool,
    /// Is the file's preload applied?
    pub preload: bool,
    /// Is the file's geometric stiffness applied?
    pub stiffening: bool,
    /// The limit of deformation; `None` if it is not monitored.
    pub limit: Option<LinearLimit>,
}

/// The limit of deformation for linear theory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearLimit {
    /// Largest displacement of nodes in the body's frame \[m\].
    pub distance: f64,
    /// Does exceeding it end the run?
    pub stop: bool,
}

/// The default damping ratio at a frequency \[Hz\].
pub fn customary_damping(frequency: f64) -> f64 {
    if frequency < 100.0 {
        0.01
    } else if frequency <= 1000.0 {
        0.1
    } else {
        1.0
    }
}

impl FlexBody {
    /// Modes above this frequency lose their inertia at an integration step h \[s\] \[Hz\].
    pub fn limit(&self, h: f64) -> f64 {
        self.dynamic_limit.unwrap_or(0.5 / h)
    }

    /// Do the same modes lose their inertia at two integration steps \[s\]?
    pub fn is_alike(&self, steps: [f64; 2]) -> bool {
        let [a, b] = steps.map(|h| self.limit(h));
        let mut all = self.modes.iter().map(|j| self.data.modes[*j].frequency);
        all.all(|frequency| (frequency > a) == (frequency > b))
    }

    /// Which of the modes lose their inertia at an integration step h \[s\].
    pub fn quasi_static(&self, h: f64) -> Vec<bool> {
        let limit = self.limit(h);
        let above = |j: &usize| self.data.modes[*j].frequency > limit;
        self.modes.iter().map(above).collect()
    }

    /// The settings of the element at an integration step h \[s\].
    pub fn settings(&self, h: f64) -> Settings {
        Settings {
            modes: self.modes.clone(),
            switches: self.switches,
            ratios: self.ratios.clone(),
            quasi_static: self.quasi_static(h),
            preload: self.preload,
            stiffening: self.stiffening,
        }
    }
}
