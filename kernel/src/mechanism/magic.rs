//! Control plane: the coefficients of a Magic Formula tyre, by the keys of its property file.

use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Declares the coefficients: section, key, field, and default.
macro_rules! coefficients {
    ($( $section:literal { $( $field:ident = $key:literal $(or $default:literal)?, )* } )*) => {
        /// Coefficients of a Magic Formula (MF 5.2, PAC2002), in SI; named after their keys.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
        pub struct MagicFormula { $( $(
            #[doc = concat!("`", $key, "` of `[", $section, "]`.")]
            pub $field: f64,
        )* )* }

        impl MagicFormula {
            /// Section, key and default of every coefficient, in the order of the fields. A file must contain keys
            /// without a default.
            pub const KEYS: &'static [(&'static str, &'static str, Option<f64>)] = &[ $( $(
                ($section, $key, coefficients!(@ $($default)?)),
            )* )* ];

            /// The coefficients from their values in the order of [`Self::KEYS`].
            pub fn from_values(next: &mut dyn FnMut() -> f64) -> Self {
                Self { $( $( $field: next(), )* )* }
            }
        }

        /// In the order of [`MagicFormula::KEYS`].
        impl From<MagicFormula> for Vec<f64> {
            fn from(formula: MagicFormula) -> Self {
                vec![ $( $( formula.$field, )* )* ]
            }
        }
    };
    (@ $default:literal) => { Some($default) };
    (@) => { None };
}

coefficients! {
    "MODEL" {
        longvl = "LONGVL" or 16.7, vxlow = "VXLOW" or 1.0,
    }
    "DIMENSION" {
        unloaded_radius = "UNLOADED_RADIUS",
    }
    "VERTICAL" {
        vertical_stiffness = "VERTICAL_STIFFNESS", vertical_damping = "VERTICAL_DAMPING" or 0.0,
        breff = "BREFF" or 8.4, dreff = "DREFF" or 0.27, freff = "FREFF" or 0.07, fnomin = "FNOMIN",
    }
    "LONG_SLIP_RANGE" { kpumin = "KPUMIN" or -1.5, kpumax = "KPUMAX" or 1.5, }
    "SLIP_ANGLE_RANGE" { alpmin = "ALPMIN" or -1.57, alpmax = "ALPMAX" or 1.57, }
    "INCLINATION_ANGLE_RANGE" { cammin = "CAMMIN" or -0.26181, cammax = "CAMMAX" or 0.26181, }
    "VERTICAL_FORCE_RANGE" { fzmin = "FZMIN" or 0.0, fzmax = "FZMAX" or 1e6, }
    "SCALING_COEFFICIENTS" {
        lfzo = "LFZO" or 1.0, lcx = "LCX" or 1.0, lmux = "LMUX" or 1.0, lex = "LEX" or 1.0,
        lkx = "LKX" or 1.0, lhx = "LHX" or 1.0, lvx = "LVX" or 1.0, lgax = "LGAX" or 1.0,
        lcy = "LCY" or 1.0, lmuy = "LMUY" or 1.0, ley = "LEY" or 1.0, lky = "LKY" or 1.0,
        lhy = "LHY" or 1.0, lvy = "LVY" or 1.0, lgay = "LGAY" or 1.0, ltr = "LTR" or 1.0,
        lres = "LRES" or 1.0, lgaz = "LGAZ" or 1.0, lxal = "LXAL" or 1.0, lyka = "LYKA" or 1.0,
        lvyka = "LVYKA" or 1.0, ls = "LS" or 1.0, lsgkp = "LSGKP" or 1.0, lsgal = "LSGAL" or 1.0,
        lmx = "LMX" or 1.0, lvmx = "LVMX" or 1.0, lmy = "LMY" or 1.0,
    }
    "LONGITUDINAL_COEFFICIENTS" {
        pcx1 = "PCX1", pdx1 = "PDX1", pdx2 = "PDX2" or 0.0, pdx3 = "PDX3" or 0.0,
        pex1 = "PEX1" or 0.0, pex2 = "PEX2" or 0.0, pex3 = "PEX3" or 0.0, pex4 = "PEX4" or 0.0,
        pkx1 = "PKX1", pkx2 = "PKX2" or 0.0, pkx3 = "PKX3" or 0.0,
        phx1 = "PHX1" or 0.0, phx2 = "PHX2" or 0.0, pvx1 = "PVX1" or 0.0, pvx2 = "PVX2" or 0.0,
        rbx1 = "RBX1" or 0.0, rbx2 = "RBX2" or 0.0, rcx1 = "RCX1" or 0.0, rex1 = "REX1" or 0.0,
        rex2 = "REX2" or 0.0, rhx1 = "RHX1" or 0.0,
        ptx1 = "PTX1" or 0.0, ptx2 = "PTX2" or 0.0, ptx3 = "PTX3" or 0.0,
    }
    "OVERTURNING_COEFFICIENTS" { qsx1 = "QSX1" or 0.0, qsx2 = "QSX2" or 0.0, qsx3 = "QSX3" or 0.0, }
    "LATERAL_COEFFICIENTS" {
        pcy1 = "PCY1", pdy1 = "PDY1", pdy2 = "PDY2" or 0.0, pdy3 = "PDY3" or 0.0,
        pey1 = "PEY1" or 0.0, pey2 = "PEY2" or 0.0, pey3 = "PEY3" or 0.0, pey4 = "PEY4" or 0.0,
        pky1 = "PKY1", pky2 = "PKY2", pky3 = "PKY3" or 0.0,
        phy1 = "PHY1" or 0.0, phy2 = "PHY2" or 0.0, phy3 = "PHY3" or 0.0,
        pvy1 = "PVY1" or 0.0, pvy2 = "PVY2" or 0.0, pvy3 = "PVY3" or 0.0, pvy4 = "PVY4" or 0.0,
        rby1 = "RBY1" or 0.0, rby2 = "RBY2" or 0.0, rby3 = "RBY3" or 0.0, rcy1 = "RCY1" or 0.0,
        rey1 = "REY1" or 0.0, rey2 = "REY2" or 0.0, rhy1 = "RHY1" or 0.0, rhy2 = "RHY2" or 0.0,
        rvy1 = "RVY1" or 0.0, rvy2 = "RVY2" or 0.0, rvy3 = "RVY3" or 0.0, rvy4 = "RVY4" or 0.0,
        rvy5 = "RVY5" or 0.0, rvy6 = "RVY6" or 0.0,
        pty1 = "PTY1" or 0.0, pty2 = "PTY2" or 1.0,
    }
    "ROLLING_COEFFICIENTS" {
        qsy1 = "QSY1" or 0.0, qsy2 = "QSY2" or 0.0, qsy3 = "QSY3" or 0.0, qsy4 = "QSY4" or 0.0,
    }
    "ALIGNING_COEFFICIENTS" {
        qbz1 = "QBZ1" or 0.0, qbz2 = "QBZ2" or 0.0, qbz3 = "QBZ3" or 0.0, qbz4 = "QBZ4" or 0.0,
        qbz5 = "QBZ5" or 0.0, qbz9 = "QBZ9" or 0.0, qbz10 = "QBZ10" or 0.0, qcz1 = "QCZ1" or 0.0,
        qdz1 = "QDZ1" or 0.0, qdz2 = "QDZ2" or 0.0, qdz3 = "QDZ3" or 0.0, qdz4 = "QDZ4" or 0.0,
        qdz6 = "QDZ6" or 0.0, qdz7 = "QDZ7" or 0.0, qdz8 = "QDZ8" or 0.0, qdz9 = "QDZ9" or 0.0,
        qez1 = "QEZ1" or 0.0, qez2 = "QEZ2" or 0.0, qez3 = "QEZ3" or 0.0, qez4 = "QEZ4" or 0.0,
        qez5 = "QEZ5" or 0.0, qhz1 = "QHZ1" or 0.0, qhz2 = "QHZ2" or 0.0, qhz3 = "QHZ3" or 0.0,
        qhz4 = "QHZ4" or 0.0, ssz1 = "SSZ1" or 0.0, ssz2 = "SSZ2" or 0.0, ssz3 = "SSZ3" or 0.0,
        ssz4 = "SSZ4" or 0.0,
    }
}

/// A list with too few or too many coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} coefficients; valid: {wanted}")]
pub struct WrongCount {
    /// As many as there are.
    pub found: usize,
    /// As many as there must be.
    pub wanted: usize,
}

impl TryFrom<Vec<f64>> for MagicFormula {
    type Error = WrongCount;

    fn try_from(values: Vec<f64>) -> Result<Self, WrongCount> {
        let wanted = Self::KEYS.len();
        if values.len() != wanted {
            let found = values.len();
            return Err(WrongCount { found, wanted });
        }
        let mut values = values.into_iter();
        Ok(Self::from_values(&mut || values.next().unwrap_or(f64::NAN)))
    }
}
