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
    /// Name; empty for the default flat road, which comes last.
    pub name: String,
    /// Its shape and position in the axes of its marker.
    pub road: Road,
    /// Friction factor.
    pub friction: ValueId,
}

/// A tyre: the wheel's centre is the origin of I, the road lies on J.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tyre {
    /// The road.
    pub road: RoadId,
    /// The wheel's axis in the axes of I, to the left of forward travel.
    pub axis: [f64; 3],
    /// Was the law measured for the other side of the vehicle?
    pub mirrored: bool,
    /// Friction factor.
    pub friction: ValueId,
    /// Speed below which the carcass is damped [m/s], and the time whose product with the stiffness is that damping
    /// \[s\].
    pub low_speed: [ValueId; 2],
    /// The states: longitudinal and lateral deflection of the carcass \[m\].
    pub states: Option<[EquationId; 2]>,
    /// The law.
    pub law: TyreLaw,
}

/// The force law of a tyre.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TyreLaw {
    /// Forces proportional to slip, bounded by friction: radius \[m\], vertical stiffness [N/m], vertical damping [N
    /// s/m], force per slip \[N\], per slip angle and per camber [N/rad], coefficient of friction, relaxation lengths
    /// \[m\], trail \[m\], rolling resistance.
    Linear([ValueId; 11]),
    /// The Magic Formula, with flags: longitudinal forces, lateral forces, combined slip.
    Magic(Box<MagicFormula>, [bool; 3]),
}

/// The tyre quantities that expressions read, all in the contact frame: x forward in the plane of the road, y to the
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
    /// Radius in free rolling \[m\].
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

/// Number of channels.
pub const TYRE_CHANNELS: usize = 20;

/// The kind of a channel, for its unit.
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
    /// All channels, in order, with their names in expressions.
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
