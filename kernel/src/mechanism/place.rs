//! Control plane: addresses of plain numbers (geometry, initial conditions) in a mechanism, through which parameters
//! set them.
//!
//! Numbers of forces, masses and inertia need no address: they are values ([`crate::ids::ValueId`]).

use super::{
    Body, ContactBody, CouplerLeg, ForceKind, Joint, JointKind, Marker, Mechanism, Motion,
    SampledSystem, called,
};
use crate::ids::{BodyId, CouplerId, ForceId, JointId, MarkerId, MotionId, RoadId, SampledId};
use crate::math::road::{Road, RoadShape};
use crate::math::{Mat3, Vec3};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use serde::{Deserialize, Serialize};

/// The address of a number. Axes count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// A number of a body.
    Body(BodyId, BodyNumber),
    /// A number of a marker.
    Marker(MarkerId, MarkerNumber),
    /// A number of a joint.
    Joint(JointId, JointNumber),
    /// A number of a leg of a coupler or gear, the leg counted from 0.
    Leg(CouplerId, u32, LegNumber),
    /// A number of a motion.
    Motion(MotionId, MotionNumber),
    /// A number of a road.
    Road(RoadId, RoadNumber),
    /// A component of the wheel's axis of a tyre.
    TyreAxis(ForceId, u8),
    /// A coordinate of a hull point of a contact, the point counted from 0.
    HullPoint(ForceId, u32, u8),
    /// A number of a sampled system.
    Sampled(SampledId, SampledNumber),
}

/// A number of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BodyNumber {
    /// [`Body::center_of_mass`].
    CenterOfMass(u8),
    /// [`Body::position`].
    Position(u8),
    /// [`Body::orientation`]: row, column.
    Orientation(u8, u8),
    /// [`Body::weight`].
    Weight,
    /// [`Body::velocity`], if given.
    Velocity(u8),
    /// [`Body::angular_velocity`], if given.
    AngularVelocity(u8),
    /// The damping ratio of a mode of a flexible body, counted among the modes in use.
    DampingRatio(u32),
    /// The initial coordinate of a mode of a flexible body.
    ModalCoordinate(u32),
    /// The initial velocity of a mode of a flexible body.
    ModalVelocity(u32),
}

/// A number of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MarkerNumber {
    /// [`Marker::position`].
    Position(u8),
    /// [`Marker::orientation`]: row, column.
    Orientation(u8, u8),
}

/// A number of a joint. Initial values have an address only if given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum JointNumber {
    /// Pitch of a screw, diameter of a pinion, length of a distance, radius of a wheel or ball.
    Size,
    /// Radius of the tread across a wheel.
    Crown,
    /// [`Joint::initial_displacement`].
    InitialDisplacement,
    /// [`Joint::initial_velocity`].
    InitialVelocity,
    /// [`Joint::initial_angle`].
    InitialAngle,
    /// [`Joint::initial_angular_velocity`].
    InitialAngularVelocity,
}

/// A number of a leg of a coupler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LegNumber {
    /// [`CouplerLeg::slide`].
    Slide,
    /// [`CouplerLeg::turn`].
    Turn,
}

/// A number of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MotionNumber {
    /// [`Motion::initial_displacement`], if given.
    InitialDisplacement,
    /// [`Motion::initial_velocity`].
    InitialVelocity,
}

/// A number of a road.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RoadNumber {
    /// [`Road::position`].
    Position(u8),
    /// [`Road::heading`]: cosine, sine.
    Heading(u8),
    /// A number of its shape, in the order of [`RoadShape`].
    Shape(u8),
}

/// A number of a sampled system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SampledNumber {
    /// [`SampledSystem::period`].
    Period,
    /// [`SampledSystem::offset`].
    Offset,
}

impl Mechanism {
    /// The number at an address; `None` if it does not exist.
    pub fn number_at(&mut self, place: Place) -> Option<&mut f64> {
        match place {
            Place::Body(id, number) => number.of(self.bodies.get_mut(id.index())?),
            Place::Marker(id, number) => number.of(self.markers.get_mut(id.index())?),
            Place::Joint(id, number) => number.of(self.joints.get_mut(id.index())?),
            Place::Leg(id, leg, number) => {
                let legs = &mut self.couplers.get_mut(id.index())?.legs;
                Some(number.of(legs.get_mut(leg as usize)?))
            }
            Place::Motion(id, number) => number.of(self.motions.get_mut(id.index())?),
            Place::Road(id, number) => number.of(&mut self.roads.get_mut(id.index())?.road),
            Place::TyreAxis(id, axis) => match &mut self.forces.get_mut(id.index())?.kind {
                ForceKind::Tyre(tyre) => tyre.axis.get_mut(usize::from(axis)),
                _ => None,
            },
            Place::HullPoint(id, point, axis) => {
                let ForceKind::Contact(contact) = &mut self.forces.get_mut(id.index())?.kind else {
                    return None;
                };
                let ContactBody::Hull(points) = &mut contact.body else {
                    return None;
                };
                component(Arc::make_mut(points).get_mut(point as usize)?, axis)
            }
            Place::Sampled(id, number) => Some(number.of(self.memory.sampled.get_mut(id.index())?)),
        }
    }
}

impl Place {
    /// Is it a length that determines where points are?
    pub fn is_length(self) -> bool {
        match self {
            Self::Body(_, number) => {
                matches!(
                    number,
                    BodyNumber::CenterOfMass(_) | BodyNumber::Position(_)
                )
            }
            Self::Marker(_, number) => matches!(number, MarkerNumber::Position(_)),
            Self::Joint(_, number) => {
                matches!(
                    number,
                    JointNumber::Size | JointNumber::Crown | JointNumber::InitialDisplacement
                )
            }
            Self::HullPoint(..) => true,
            Self::Leg(..)
            | Self::Motion(..)
            | Self::Road(..)
            | Self::TyreAxis(..)
            | Self::Sampled(..) => false,
        }
    }

    /// Is it an entry of the axes of a frame?
    pub(super) fn is_axis(self) -> bool {
        matches!(
            self,
            Self::Body(_, BodyNumber::Orientation(..))
                | Self::Marker(_, MarkerNumber::Orientation(..))
        )
    }

    /// Its name in messages: `marker "tip": position[2]`.
    pub fn name(self, m: &Mechanism) -> String {
        let of = |kind: &str, at: usize, name: Option<&String>| {
            let name = name.map_or_else(|| at.to_string(), |name| called(name));
            format!("{kind} {name}")
        };
        let force = |id: ForceId| {
            let force = m.forces.get(id.index());
            of("force", id.index(), force.map(|x| &x.name))
        };
        let (element, field) = match self {
            Self::Body(id, number) => {
                let name = m.bodies.get(id.index()).map(|x| &x.name);
                (of("body", id.index(), name), number.field())
            }
            Self::Marker(id, number) => {
                let name = m.markers.get(id.index()).map(|x| &x.name);
                (of("marker", id.index(), name), number.field())
            }
            Self::Joint(id, number) => {
                let name = m.joints.get(id.index()).map(|x| &x.name);
                (of("joint", id.index(), name), number.field().to_owned())
            }
            Self::Leg(id, leg, number) => {
                let coupler = m.couplers.get(id.index());
                let gear = coupler.is_some_and(|x| x.gear);
                let kind = if gear { "gear" } else { "coupler" };
                let name = of(kind, id.index(), coupler.map(|x| &x.name));
                (name, format!("{} of leg {leg}", number.field()))
            }
            Self::Motion(id, number) => {
                let name = m.motions.get(id.index()).map(|x| &x.name);
                (of("motion", id.index(), name), number.field().to_owned())
            }
            Self::Road(id, number) => {
                let name = m.roads.get(id.index()).map(|x| &x.name);
                (of("road", id.index(), name), number.field())
            }
            Self::TyreAxis(id, axis) => (force(id), format!("axis[{axis}]")),
            Self::HullPoint(id, point, axis) => (force(id), format!("points[{point}][{axis}]")),
            Self::Sampled(id, number) => {
                let name = m.memory.sampled.get(id.index()).map(|x| &x.name);
                let name = of("sampled system", id.index(), name);
                (name, number.field().to_owned())
            }
        };
        format!("{element}: {field}")
    }
}

fn component(vector: &mut Vec3, axis: u8) -> Option<&mut f64> {
    vector.get_mut(usize::from(axis))
}

fn entry(matrix: &mut Mat3, row: u8, column: u8) -> Option<&mut f64> {
    matrix.get_mut((usize::from(row), usize::from(column)))
}

impl BodyNumber {
    fn of(self, body: &mut Body) -> Option<&mut f64> {
        let mut flexible = body.flexible.as_mut();
        match self {
            Self::CenterOfMass(axis) => component(&mut body.center_of_mass, axis),
            Self::Position(axis) => component(&mut body.position, axis),
            Self::Orientation(row, column) => entry(&mut body.orientation, row, column),
            Self::Weight => Some(&mut body.weight),
            Self::Velocity(axis) => component(body.velocity.as_mut()?, axis),
            Self::AngularVelocity(axis) => component(body.angular_velocity.as_mut()?, axis),
            Self::DampingRatio(mode) => flexible.take()?.ratios.get_mut(mode as usize),
            Self::ModalCoordinate(mode) => flexible.take()?.displacements.get_mut(mode as usize),
            Self::ModalVelocity(mode) => flexible.take()?.velocities.get_mut(mode as usize),
        }
    }

    fn field(self) -> String {
        match self {
            Self::CenterOfMass(axis) => format!("center_of_mass[{axis}]"),
            Self::Position(axis) => format!("position[{axis}]"),
            Self::Orientation(row, column) => format!("orientation[{row}][{column}]"),
            Self::Weight => "weight".to_owned(),
            Self::Velocity(axis) => format!("velocity[{axis}]"),
            Self::AngularVelocity(axis) => format!("angular_velocity[{axis}]"),
            Self::DampingRatio(mode) => format!("ratios[{mode}]"),
            Self::ModalCoordinate(mode) => format!("displacements[{mode}]"),
            Self::ModalVelocity(mode) => format!("velocities[{mode}]"),
        }
    }
}

impl MarkerNumber {
    fn of(self, marker: &mut Marker) -> Option<&mut f64> {
        match self {
            Self::Position(axis) => component(&mut marker.position, axis),
            Self::Orientation(row, column) => entry(&mut marker.orientation, row, column),
        }
    }

    fn field(self) -> String {
        match self {
            Self::Position(axis) => format!("position[{axis}]"),
            Self::Orientation(row, column) => format!("orientation[{row}][{column}]"),
        }
    }
}

impl JointNumber {
    fn of(self, joint: &mut Joint) -> Option<&mut f64> {
        match self {
            Self::Size => match &mut joint.kind {
                JointKind::Screw { pitch: size }
                | JointKind::RackAndPinion { diameter: size }
                | JointKind::Distance { length: size }
                | JointKind::RollingWheel { radius: size, .. }
                | JointKind::RollingBall { radius: size } => Some(size),
                _ => None,
            },
            Self::Crown => match &mut joint.kind {
                JointKind::RollingWheel { crown, .. } => Some(crown),
                _ => None,
            },
            Self::InitialDisplacement => joint.initial_displacement.as_mut(),
            Self::InitialVelocity => joint.initial_velocity.as_mut(),
            Self::InitialAngle => joint.initial_angle.as_mut(),
            Self::InitialAngularVelocity => joint.initial_angular_velocity.as_mut(),
        }
    }

    fn field(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Crown => "crown_radius",
            Self::InitialDisplacement => "initial_displacement",
            Self::InitialVelocity => "initial_velocity",
            Self::InitialAngle => "initial_angle",
            Self::InitialAngularVelocity => "initial_angular_velocity",
        }
    }
}

impl LegNumber {
    fn of(self, leg: &mut CouplerLeg) -> &mut f64 {
        match self {
            Self::Slide => &mut leg.slide,
            Self::Turn => &mut leg.turn,
        }
    }

    fn field(self) -> &'static str {
        match self {
            Self::Slide => "factor of the displacement",
            Self::Turn => "factor of the rotation",
        }
    }
}

impl MotionNumber {
    fn of(self, motion: &mut Motion) -> Option<&mut f64> {
        match self {
            Self::InitialDisplacement => motion.initial_displacement.as_mut(),
            Self::InitialVelocity => Some(&mut motion.initial_velocity),
        }
    }

    fn field(self) -> &'static str {
        match self {
            Self::InitialDisplacement => "initial_displacement",
            Self::InitialVelocity => "initial_velocity",
        }
    }
}

impl RoadNumber {
    fn of(self, road: &mut Road) -> Option<&mut f64> {
        match self {
            Self::Position(axis) => road.position.get_mut(usize::from(axis)),
            Self::Heading(part) => road.heading.get_mut(usize::from(part)),
            Self::Shape(at) => {
                let numbers = match &mut road.shape {
                    RoadShape::Flat | RoadShape::Profile(_) => [None, None, None],
                    RoadShape::Slope { grade, bank } => [Some(grade), Some(bank), None],
                    RoadShape::Sine {
                        amplitude,
                        wavelength,
                        phase,
                    } => [Some(amplitude), Some(wavelength), Some(phase)],
                    RoadShape::Plank {
                        height,
                        width,
                        edge,
                    } => [Some(height), Some(width), Some(edge)],
                };
                numbers.into_iter().nth(usize::from(at)).flatten()
            }
        }
    }

    fn field(self) -> String {
        match self {
            Self::Position(axis) => format!("position[{axis}]"),
            Self::Heading(part) => format!("heading[{part}]"),
            Self::Shape(at) => format!("number {at} of its shape"),
        }
    }
}

impl SampledNumber {
    fn of(self, system: &mut SampledSystem) -> &mut f64 {
        match self {
            Self::Period => &mut system.period,
            Self::Offset => &mut system.offset,
        }
    }

    fn field(self) -> &'static str {
        match self {
            Self::Period => "period",
            Self::Offset => "offset",
        }
    }
}
