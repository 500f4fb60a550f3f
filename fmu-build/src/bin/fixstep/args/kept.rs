//! Control plane: the options that say what a linear form includes of a mechanism.

use clap::{Args, ValueEnum};
use fixstep_kernel::ids::BodyId;
use linear_analysis::form::LARGEST_ORDER;
use linear_analysis::{Damping, Gyroscopic, Options};

/// Which terms a linear form contains.
#[derive(Debug, Args)]
pub(crate) struct Kept {
    /// Damping of force elements and of modes of flexible bodies; off-with-states: also without effects of differential equations; off-in-equations: these read no velocities
    #[arg(
        long,
        value_enum,
        default_value = "on",
        value_name = "on|off|off-with-states|off-in-equations"
    )]
    damping: DampingKept,
    /// Inertial terms of turning bodies; partial: without their angular momentum; none: without all terms in
    /// velocities
    #[arg(
        long,
        value_enum,
        default_value = "full",
        value_name = "full|partial|none"
    )]
    gyroscopic: GyroscopicKept,
    /// Use axes that turn like this part, or the part of this marker, at the operating point [default: axes of ground]
    #[arg(long, value_name = "NAME", conflicts_with = "states")]
    pub(crate) turning_with: Option<String>,
    /// Use these variables or outputs as states, with their rates
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) states: Option<Vec<String>>,
    /// Replace each DELAY by its Padé approximation of this order, from 1 to 12; without it a DELAY is refused
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=LARGEST_ORDER as i64))]
    pub(crate) pade: Option<u8>,
}

impl Kept {
    /// As options of the analysis, with the axes of a turning part if there is one.
    pub(crate) fn options(&self, turning_with: Option<BodyId>) -> Options {
        Options {
            turning_with,
            pade: self.pade.map(usize::from),
            damping: match self.damping {
                DampingKept::On => Damping::On,
                DampingKept::Off => Damping::Off,
                DampingKept::OffWithStates => Damping::OffWithStates,
                DampingKept::OffInEquations => Damping::OffInEquations,
            },
            gyroscopic: match self.gyroscopic {
                GyroscopicKept::Full => Gyroscopic::Full,
                GyroscopicKept::Partial => Gyroscopic::Partial,
                GyroscopicKept::None => Gyroscopic::None,
            },
        }
    }
}

/// Which damping a form contains.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DampingKept {
    On,
    Off,
    OffWithStates,
    OffInEquations,
}

/// Which inertial terms of turning bodies a form contains.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum GyroscopicKept {
    Full,
    Partial,
    None,
}
