//! Control plane: the kinematic measures, a row for each. Their values and gradients are in `elements/measures.rs`.

use serde::{Deserialize, Serialize};

/// Kinematic measures (I relative to J, in the axes of a third marker).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KinematicMeasure {
    /// DX, DY, DZ: displacement component (0, 1, 2).
    Displacement(u8),
    /// DM: distance.
    Distance,
    /// VX, VY, VZ.
    Velocity(u8),
    /// VM: speed.
    Speed,
    /// VR: separation rate.
    SeparationRate,
    /// ACCX, ACCY, ACCZ.
    Acceleration(u8),
    /// ACCM.
    AccelerationMagnitude,
    /// WX, WY, WZ.
    AngularVelocity(u8),
    /// WM.
    AngularSpeed,
    /// WDTX, WDTY, WDTZ.
    AngularAcceleration(u8),
    /// WDTM.
    AngularAccelerationMagnitude,
    /// AX, AY, AZ: rotation of I about an axis of J, counting full turns.
    Angle(u8),
    /// PSI, THETA, PHI: body 3-1-3 angles (0, 1, 2).
    Body313(u8),
    /// YAW, PITCH, ROLL: body 3-2-1 angles (0, 1, 2), pitch and its sign as Adams defines them.
    YawPitchRoll(u8),
    /// UVX, UVY, UVZ: the unit vector from J to I, in the axes of the third marker.
    Direction(u8),
    /// INCANG: the angle at J between the lines to I and to the third marker.
    IncludedAngle,
}

/// What a marker after I is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerRole {
    /// Marker J, from which is measured.
    From,
    /// The marker whose axes give the components.
    Axes,
    /// The marker in whose frame time derivatives are seen.
    Frame,
}

/// What is known of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasureRow {
    /// The function that reads it.
    pub name: &'static str,
    /// The measure.
    pub measure: KinematicMeasure,
    /// The function's markers after I.
    pub roles: &'static [MarkerRole],
    /// Power of a length in its unit; of an angle 0.
    pub length: i32,
    /// Of which derivative in time it is: 0 of a pose, 1 of a velocity, 2 of an acceleration.
    pub order: u8,
    /// May a constraint read it? It is then a smooth function of poses.
    pub holonomic: bool,
}

const J: &[MarkerRole] = &[MarkerRole::From];
const JK: &[MarkerRole] = &[MarkerRole::From, MarkerRole::Axes];
const JL: &[MarkerRole] = &[MarkerRole::From, MarkerRole::Frame];
const JKL: &[MarkerRole] = &[MarkerRole::From, MarkerRole::Axes, MarkerRole::Frame];

/// A row that no constraint reads.
const fn row(
    name: &'static str,
    measure: KinematicMeasure,
    roles: &'static [MarkerRole],
    length: i32,
    order: u8,
) -> MeasureRow {
    MeasureRow {
        name,
        measure,
        roles,
        length,
        order,
        holonomic: false,
    }
}

/// A row that constraints may read.
const fn pose(
    name: &'static str,
    measure: KinematicMeasure,
    roles: &'static [MarkerRole],
    length: i32,
) -> MeasureRow {
    MeasureRow {
        holonomic: true,
        ..row(name, measure, roles, length, 0)
    }
}

/// All measures.
pub const MEASURES: &[MeasureRow] = &[
    pose("DX", KinematicMeasure::Displacement(0), JK, 1),
    pose("DY", KinematicMeasure::Displacement(1), JK, 1),
    pose("DZ", KinematicMeasure::Displacement(2), JK, 1),
    pose("DM", KinematicMeasure::Distance, J, 1),
    row("VX", KinematicMeasure::Velocity(0), JKL, 1, 1),
    row("VY", KinematicMeasure::Velocity(1), JKL, 1, 1),
    row("VZ", KinematicMeasure::Velocity(2), JKL, 1, 1),
    row("VM", KinematicMeasure::Speed, JL, 1, 1),
    // The frame makes no difference to a rate of distance; it is accepted as it is customary.
    row("VR", KinematicMeasure::SeparationRate, JL, 1, 1),
    row("ACCX", KinematicMeasure::Acceleration(0), JKL, 1, 2),
    row("ACCY", KinematicMeasure::Acceleration(1), JKL, 1, 2),
    row("ACCZ", KinematicMeasure::Acceleration(2), JKL, 1, 2),
    row("ACCM", KinematicMeasure::AccelerationMagnitude, JL, 1, 2),
    row("WX", KinematicMeasure::AngularVelocity(0), JK, 0, 1),
    row("WY", KinematicMeasure::AngularVelocity(1), JK, 0, 1),
    row("WZ", KinematicMeasure::AngularVelocity(2), JK, 0, 1),
    row("WM", KinematicMeasure::AngularSpeed, J, 0, 1),
    row("WDTX", KinematicMeasure::AngularAcceleration(0), JKL, 0, 2),
    row("WDTY", KinematicMeasure::AngularAcceleration(1), JKL, 0, 2),
    row("WDTZ", KinematicMeasure::AngularAcceleration(2), JKL, 0, 2),
    row(
        "WDTM",
        KinematicMeasure::AngularAccelerationMagnitude,
        JL,
        0,
        2,
    ),
    pose("AX", KinematicMeasure::Angle(0), J, 0),
    pose("AY", KinematicMeasure::Angle(1), J, 0),
    pose("AZ", KinematicMeasure::Angle(2), J, 0),
    pose("PSI", KinematicMeasure::Body313(0), J, 0),
    pose("THETA", KinematicMeasure::Body313(1), J, 0),
    pose("PHI", KinematicMeasure::Body313(2), J, 0),
    pose("YAW", KinematicMeasure::YawPitchRoll(0), J, 0),
    pose("PITCH", KinematicMeasure::YawPitchRoll(1), J, 0),
    pose("ROLL", KinematicMeasure::YawPitchRoll(2), J, 0),
    row("UVX", KinematicMeasure::Direction(0), JK, 0, 0),
    row("UVY", KinematicMeasure::Direction(1), JK, 0, 0),
    row("UVZ", KinematicMeasure::Direction(2), JK, 0, 0),
    row("INCANG", KinematicMeasure::IncludedAngle, JK, 0, 0),
];

impl KinematicMeasure {
    /// Its row; `None`: there is no such axis.
    pub fn row(self) -> Option<&'static MeasureRow> {
        MEASURES.iter().find(|row| row.measure == self)
    }

    /// Of which derivative in time it is: 0 of a pose, 1 of a velocity, 2 of an acceleration.
    pub fn order(self) -> u8 {
        self.row().map_or(0, |row| row.order)
    }

    /// Powers of kilogram, metre and second in its unit; angles are numbers.
    pub fn powers(self) -> [i32; 3] {
        let row = self.row();
        row.map_or([0; 3], |row| [0, row.length, -i32::from(row.order)])
    }

    /// Is it the length of a vector, which has no slope where the vector is zero?
    pub fn is_magnitude(self) -> bool {
        matches!(
            self,
            Self::Distance
                | Self::Speed
                | Self::AccelerationMagnitude
                | Self::AngularSpeed
                | Self::AngularAccelerationMagnitude
        )
    }

    /// Does it refer to the axes of a third marker?
    pub fn has_axes(self) -> bool {
        let row = self.row();
        row.is_some_and(|row| row.roles.contains(&MarkerRole::Axes))
    }

    /// Is it a function of poses that a constraint may read?
    pub fn is_holonomic(self) -> bool {
        self.row().is_some_and(|row| row.holonomic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_has_one_row_and_one_name() {
        for (k, row) in MEASURES.iter().enumerate() {
            let before = &MEASURES[..k];
            let twice =
                |other: &&MeasureRow| other.name == row.name || other.measure == row.measure;
            assert!(!before.iter().any(|other| twice(&other)), "{}", row.name);
            assert_eq!(row.measure.row(), Some(row));
            assert!(!row.holonomic || row.order == 0, "{}", row.name);
        }
        assert_eq!(KinematicMeasure::Displacement(3).row(), None);
    }
}
