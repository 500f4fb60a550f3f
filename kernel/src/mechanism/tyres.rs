//! Control plane: roads and tyres of a validated mechanism, in SI.

use super::magic::MagicFormula;
use crate::ids::{EquationId, RoadId, ValueId};
use crate::math::road::Road;
use alloc::boxed::Box;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// A road.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoadEntry {
    /// Name; empty for the flat road that is always there, the last one.
    pub name: String,
    /// Its form and place in the axes of the marker that it is laid on.
    pub road: Road,
    /// Factor of friction.
    pub friction: ValueId,
}

/// A tyre: the wheel's centre is the origin of I, the road lies on J.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tyre {
    /// The road.
    pub road: RoadId,
    /// The wheel's axis in the axes of I, to the left of forward travel.
    pub axis: [f64; 3],
    /// Is the law that of a tyre on the other side?
    pub mirrored: bool,
    /// Factor of friction.
    pub friction: ValueId,
    /// Speed below which the body is damped [m/s], and the time by which stiffness becomes damping \[s\].
    pub low_speed: [ValueId; 2],
    /// The states: longitudinal and lateral deflection of the body \[m\].
    pub states: Option<[EquationId; 2]>,
    /// The law.
    pub law: TyreLaw,
}

/// How a tyre answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TyreLaw {
    /// Forces in proportion to slip, bounded by friction: radius \[m\], vertical stiffness [N/m],
    /// vertical damping [N s/m], force per slip \[N\], per slip angle and per camber [N/rad], coefficient
    /// of friction, relaxation lengths \[m\], trail \[m\], rolling resistance.
    Linear([ValueId; 11]),
    /// The Magic Formula, and what of it is wanted: longitudinal forces, lateral forces, combined slip.
    Magic(Box<MagicFormula>, [bool; 3]),
}

/// What can be read of a tyre; all in the contact frame: x forward in the plane of the road, y to the
/// left, z its normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(usize)]
pub enum TyreChannel {
    /// Force \[N\], moment about the contact point [N m].
    ForceX,
    /// Likewise.
    ForceY,
    /// Likewise.
    ForceZ,
    /// Likewise.
    MomentX,
    /// Likewise.
    MomentY,
    /// Likewise.
    MomentZ,
    /// Longitudinal slip.
    Kappa,
    /// Slip angle \[rad\].
    Alpha,
    /// Camber \[rad\].
    Gamma,
    /// Radius under load \[m\].
    LoadedRadius,
    /// Radius of free rolling \[m\].
    RollingRadius,
    /// Deflection \[m\].
    Deflection,
    /// Contact point in the axes of J \[m\].
    PointX,
    /// Likewise.
    PointY,
    /// Likewise.
    PointZ,
    /// Velocity of the wheel over the contact point, forward [m/s].
    Speed,
    /// Slip velocity, forward and to the left [m/s].
    SlipX,
    /// Likewise.
    SlipY,
    /// Rates of the states [m/s].
    RateX,
    /// Likewise.
    RateY,
}

/// How many there are.
pub const TYRE_CHANNELS: usize = 20;

/// What a channel is, for its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TyreQuantity {
    /// A force.
    Force,
    /// A moment.
    Moment,
    /// A ratio or an angle in radians.
    Ratio,
    /// A length.
    Length,
    /// A velocity.
    Velocity,
    /// The rate of a state, always in SI.
    Rate,
}

impl TyreChannel {
    /// All, in order, with the words that expressions use.
    pub const WORDS: [(&'static str, Self, TyreQuantity); TYRE_CHANNELS] = [
        ("FX", Self::ForceX, TyreQuantity::Force),
        ("FY", Self::ForceY, TyreQuantity::Force),
        ("FZ", Self::ForceZ, TyreQuantity::Force),
        ("MX", Self::MomentX, TyreQuantity::Moment),
        ("MY", Self::MomentY, TyreQuantity::Moment),
        ("MZ", Self::MomentZ, TyreQuantity::Moment),
        ("KAPPA", Self::Kappa, TyreQuantity::Ratio),
        ("ALPHA", Self::Alpha, TyreQuantity::Ratio),
        ("GAMMA", Self::Gamma, TyreQuantity::Ratio),
        ("RADIUS", Self::LoadedRadius, TyreQuantity::Length),
        ("ROLLING_RADIUS", Self::RollingRadius, TyreQuantity::Length),
        ("DEFLECTION", Self::Deflection, TyreQuantity::Length),
        ("X", Self::PointX, TyreQuantity::Length),
        ("Y", Self::PointY, TyreQuantity::Length),
        ("Z", Self::PointZ, TyreQuantity::Length),
        ("VX", Self::Speed, TyreQuantity::Velocity),
        ("VSX", Self::SlipX, TyreQuantity::Velocity),
        ("VSY", Self::SlipY, TyreQuantity::Velocity),
        ("RATE_X", Self::RateX, TyreQuantity::Rate),
        ("RATE_Y", Self::RateY, TyreQuantity::Rate),
    ];
}
