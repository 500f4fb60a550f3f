//! Control plane: flexible bodies, validated.

use crate::flex::{FlexData, Settings, Switches};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// What makes a body flexible.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlexBody {
    /// The file.
    pub file: String,
    /// Its content.
    #[serde(with = "crate::apart")]
    pub data: Arc<FlexData>,
    /// Which of its modes, from 0.
    pub modes: Vec<usize>,
    /// Which invariants.
    pub switches: Switches,
    /// Damping ratio of each of the modes.
    pub ratios: Vec<f64>,
    /// Modes above this frequency lose their inertia \[Hz\]; `None`: the step decides.
    pub dynamic_limit: Option<f64>,
    /// Initial modal coordinates.
    pub displacements: Vec<f64>,
    /// Initial modal velocities.
    pub velocities: Vec<f64>,
    /// Are the rotations of nodes exact, not small by agreement?
    pub exact: bool,
    /// Does the preload of the file act?
    pub preload: bool,
    /// Does the geometric stiffness of the file act?
    pub stiffening: bool,
    /// When deformation is too large; `None`: no watch is kept.
    pub limit: Option<LinearLimit>,
}

/// When deformation is too large for linear theory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearLimit {
    /// By how much nodes may move in the body's frame \[m\].
    pub distance: f64,
    /// Does the run end there?
    pub stop: bool,
}

/// The customary damping ratio at a frequency \[Hz\].
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

    /// What the solver makes of the file at an integration step h \[s\].
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
