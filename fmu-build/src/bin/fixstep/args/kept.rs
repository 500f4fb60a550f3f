//! Control plane: what a linear form keeps of a mechanism.

use clap::{Args, ValueEnum};
use linear_analysis::{Damping, Gyroscopic, Options};

/// What a linear form keeps.
#[derive(Debug, Args)]
pub(crate) struct Kept {
    /// Damping of force elements and of modes of flexible bodies; off-with-states: nor do differential equations act
    #[arg(
        long,
        value_enum,
        default_value = "on",
        value_name = "on|off|off-with-states"
    )]
    damping: DampingKept,
    /// Inertia of bodies that turn; partial: without their angular momentum
    #[arg(
        long,
        value_enum,
        default_value = "full",
        value_name = "full|partial|none"
    )]
    gyroscopic: GyroscopicKept,
}

impl Kept {
    /// As the analysis has it.
    pub(crate) fn options(&self) -> Options {
        Options {
            damping: match self.damping {
                DampingKept::On => Damping::On,
                DampingKept::Off => Damping::Off,
                DampingKept::OffWithStates => Damping::OffWithStates,
            },
            gyroscopic: match self.gyroscopic {
                GyroscopicKept::Full => Gyroscopic::Full,
                GyroscopicKept::Partial => Gyroscopic::Partial,
                GyroscopicKept::None => Gyroscopic::None,
            },
            ..Options::default()
        }
    }
}

/// What damping is left.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DampingKept {
    On,
    Off,
    OffWithStates,
}

/// What inertia of bodies that turn is left.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum GyroscopicKept {
    Full,
    Partial,
    None,
}
