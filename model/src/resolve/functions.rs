//! Control plane: the functions of expressions that read the mechanism, as tables.

use fixstep_kernel::mechanism::{KinematicMeasure, ReactionComponent};

/// What an argument after the first is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Marker J, from which is measured.
    From,
    /// The marker whose axes give the components.
    Axes,
    /// The marker in whose frame time derivatives are seen.
    Frame,
}

const J: &[Role] = &[Role::From];
const JK: &[Role] = &[Role::From, Role::Axes];
const JL: &[Role] = &[Role::From, Role::Frame];
const JKL: &[Role] = &[Role::From, Role::Axes, Role::Frame];

/// The kinematic functions; the first argument is marker I.
const MEASURES: &[(&str, KinematicMeasure, &[Role])] = &[
    ("DX", KinematicMeasure::Displacement(0), JK),
    ("DY", KinematicMeasure::Displacement(1), JK),
    ("DZ", KinematicMeasure::Displacement(2), JK),
    ("DM", KinematicMeasure::Distance, J),
    ("VX", KinematicMeasure::Velocity(0), JKL),
    ("VY", KinematicMeasure::Velocity(1), JKL),
    ("VZ", KinematicMeasure::Velocity(2), JKL),
    ("VM", KinematicMeasure::Speed, JL),
    // The frame makes no difference to a rate of distance; it is accepted as it is customary.
    ("VR", KinematicMeasure::SeparationRate, JL),
    ("ACCX", KinematicMeasure::Acceleration(0), JKL),
    ("ACCY", KinematicMeasure::Acceleration(1), JKL),
    ("ACCZ", KinematicMeasure::Acceleration(2), JKL),
    ("ACCM", KinematicMeasure::AccelerationMagnitude, JL),
    ("WX", KinematicMeasure::AngularVelocity(0), JK),
    ("WY", KinematicMeasure::AngularVelocity(1), JK),
    ("WZ", KinematicMeasure::AngularVelocity(2), JK),
    ("WM", KinematicMeasure::AngularSpeed, J),
    ("WDTX", KinematicMeasure::AngularAcceleration(0), JKL),
    ("WDTY", KinematicMeasure::AngularAcceleration(1), JKL),
    ("WDTZ", KinematicMeasure::AngularAcceleration(2), JKL),
    ("WDTM", KinematicMeasure::AngularAccelerationMagnitude, JL),
    ("AX", KinematicMeasure::Angle(0), J),
    ("AY", KinematicMeasure::Angle(1), J),
    ("AZ", KinematicMeasure::Angle(2), J),
    ("PSI", KinematicMeasure::Body313(0), J),
    ("THETA", KinematicMeasure::Body313(1), J),
    ("PHI", KinematicMeasure::Body313(2), J),
    ("YAW", KinematicMeasure::YawPitchRoll(0), J),
    ("PITCH", KinematicMeasure::YawPitchRoll(1), J),
    ("ROLL", KinematicMeasure::YawPitchRoll(2), J),
    ("UVX", KinematicMeasure::Direction(0), JK),
    ("UVY", KinematicMeasure::Direction(1), JK),
    ("UVZ", KinematicMeasure::Direction(2), JK),
    ("INCANG", KinematicMeasure::IncludedAngle, JK),
];

/// The forces between two markers.
const REACTIONS: &[(&str, ReactionComponent)] = &[
    ("FM", ReactionComponent::ForceMagnitude),
    ("FX", ReactionComponent::Force(0)),
    ("FY", ReactionComponent::Force(1)),
    ("FZ", ReactionComponent::Force(2)),
    ("TM", ReactionComponent::TorqueMagnitude),
    ("TX", ReactionComponent::Torque(0)),
    ("TY", ReactionComponent::Torque(1)),
    ("TZ", ReactionComponent::Torque(2)),
];

/// What the argument `comp` selects.
pub(super) const SELECTORS: [(f64, ReactionComponent); 8] = [
    (1.0, ReactionComponent::ForceMagnitude),
    (2.0, ReactionComponent::Force(0)),
    (3.0, ReactionComponent::Force(1)),
    (4.0, ReactionComponent::Force(2)),
    (5.0, ReactionComponent::TorqueMagnitude),
    (6.0, ReactionComponent::Torque(0)),
    (7.0, ReactionComponent::Torque(1)),
    (8.0, ReactionComponent::Torque(2)),
];

/// Functions of named elements, and of named quantities.
const BY_NAME: &[&str] = &[
    "JOINT", "MOTION", "FORCE", "FRICTION", "PTCV", "CVCV", "COUPLER", "GEAR", "GCON", "ARC",
    "DIF", "DIF1", "VARVAL", "TYRE", "CONTACT",
];

/// Functions that read force elements of some types only, by the names that they customarily have.
const BY_TYPE: &[(&str, &[&str])] = &[
    (
        "SFORCE",
        &[
            "line_of_sight",
            "torque",
            "action_only_force",
            "action_only_torque",
        ],
    ),
    ("VFORCE", &["vector_force"]),
    ("VTORQUE", &["vector_torque"]),
    ("GFORCE", &["general_force"]),
    ("SPDP", &["spring_damper", "torsion_spring_damper"]),
    ("BUSH", &["bushing"]),
    ("BEAM", &["beam"]),
    ("FIELD", &["field"]),
];

/// What is wrong with reading an element of a type by a function; `None`: nothing.
pub(super) fn type_fault(function: &str, word: &str) -> Option<String> {
    let (_, types) = BY_TYPE.iter().find(|row| row.0 == function)?;
    if types.contains(&word) {
        return None;
    }
    let right = BY_TYPE.iter().find(|row| row.1.contains(&word));
    let right = right.map_or_else(String::new, |row| format!("{}, or by ", row.0));
    Some(format!(
        "is of type {word:?}, which {function} does not read; read it by {right}FORCE, which reads any"
    ))
}

/// Functions of energies and powers.
const ENERGIES: &[&str] = &["KE", "PE", "SE", "POWER", "DISSIPATION"];

/// Is it a function of energies and powers?
pub(super) fn is_energy(function: &str) -> bool {
    ENERGIES.contains(&function)
}

/// All functions.
pub(crate) fn lookup_names() -> impl Iterator<Item = &'static str> {
    MEASURES
        .iter()
        .map(|row| row.0)
        .chain(REACTIONS.iter().map(|row| row.0))
        .chain(BY_NAME.iter().copied())
        .chain(super::memory::NAMES.iter().copied())
        .chain(super::flexible::NAMES.iter().copied())
        .chain([super::flexible::MISES])
        .chain(BY_TYPE.iter().map(|row| row.0))
        .chain(ENERGIES.iter().copied())
        .chain(super::data::NAMES.iter().copied())
}

/// The measure of a function, and its arguments after marker I.
pub(super) fn measure(function: &str) -> Option<(KinematicMeasure, &'static [Role])> {
    MEASURES
        .iter()
        .find(|row| row.0 == function)
        .map(|row| (row.1, row.2))
}

/// The component of a function of two markers.
pub(super) fn reaction(function: &str) -> Option<ReactionComponent> {
    REACTIONS
        .iter()
        .find(|row| row.0 == function)
        .map(|row| row.1)
}

/// `VX(i[, j[, k[, l]]])` with a word on each argument.
pub(super) fn signature(function: &str, roles: &[Role]) -> String {
    let word = |role: &Role| match role {
        Role::From => ("[, j", ", from marker j"),
        Role::Axes => ("[, k", ", in the axes of k"),
        Role::Frame => ("[, l", ", derivatives seen from l"),
    };
    let letters: String = roles.iter().map(|role| word(role).0).collect();
    let meaning: String = roles.iter().map(|role| word(role).1).collect();
    let close = "]".repeat(roles.len());
    format!("{function}(i{letters}{close}): marker i{meaning}")
}
