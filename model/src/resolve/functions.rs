//! Control plane: the functions of expressions that read the mechanism, as tables.

use fixstep_kernel::mechanism::{MEASURES, MarkerRole, MeasureRow, ReactionComponent};

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

/// The components that the argument `comp` selects.
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
const BY_TYPE: &[ByType] = &[
    components(
        "SFORCE",
        &[
            "line_of_sight",
            "torque",
            "action_only_force",
            "action_only_torque",
        ],
    ),
    components("VFORCE", &["vector_force"]),
    components("VTORQUE", &["vector_torque"]),
    components("GFORCE", &["general_force"]),
    components("SPDP", &["spring_damper", "torsion_spring_damper"]),
    components("BUSH", &["bushing"]),
    components("BEAM", &["beam"]),
    components("FIELD", &["field"]),
    ByType {
        name: "TENSION",
        types: &["tendon"],
        only: Some(ReactionComponent::ForceMagnitude),
    },
];

/// A function that reads force elements of some types only.
struct ByType {
    name: &'static str,
    types: &'static [&'static str],
    /// What it reads if its only argument is a name. No function of components reads such elements.
    only: Option<ReactionComponent>,
}

/// The function that reads elements of this type, if it has no components.
pub(crate) fn without_components(word: &str) -> Option<&'static str> {
    let row = BY_TYPE.iter().find(|row| row.types.contains(&word))?;
    row.only.map(|_| row.name)
}

/// A function of a name and a component.
const fn components(name: &'static str, types: &'static [&'static str]) -> ByType {
    ByType {
        name,
        types,
        only: None,
    }
}

/// What a function reads of the element that is its only argument; `None`: it has more arguments.
pub(super) fn only(function: &str) -> Option<ReactionComponent> {
    BY_TYPE.iter().find(|row| row.name == function)?.only
}

/// The fault of reading an element of a type by a function; `None`: no fault.
pub(super) fn type_fault(function: &str, word: &str) -> Option<String> {
    let right = BY_TYPE.iter().find(|row| row.types.contains(&word));
    if let Some(row) = right.filter(|row| row.only.is_some()) {
        return (row.name != function).then(|| {
            format!(
                "is of type {word:?}, which {function} does not read; {}(name) reads it, and FX, FY, FZ, FM the force \
                 between two of its markers",
                row.name
            )
        });
    }
    let row = BY_TYPE.iter().find(|row| row.name == function)?;
    if row.types.contains(&word) {
        return None;
    }
    let right = right.map_or_else(String::new, |row| format!("{}, or by ", row.name));
    Some(format!(
        "is of type {word:?}, which {function} does not read; read it by {right}FORCE, which reads all but tendons"
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
        .map(|row| row.name)
        .chain(REACTIONS.iter().map(|row| row.0))
        .chain(BY_NAME.iter().copied())
        .chain(super::memory::NAMES.iter().copied())
        .chain(super::flexible::NAMES.iter().copied())
        .chain([super::flexible::MISES])
        .chain(BY_TYPE.iter().map(|row| row.name))
        .chain(ENERGIES.iter().copied())
        .chain(super::data::NAMES.iter().copied())
}

/// The measure of a function.
pub(super) fn measure(function: &str) -> Option<&'static MeasureRow> {
    MEASURES.iter().find(|row| row.name == function)
}

/// The component of a function of two markers.
pub(super) fn reaction(function: &str) -> Option<ReactionComponent> {
    REACTIONS
        .iter()
        .find(|row| row.0 == function)
        .map(|row| row.1)
}

/// `VX(i[, j[, k[, l]]])` with a word on each argument.
pub(super) fn signature(function: &str, roles: &[MarkerRole]) -> String {
    let word = |role: &MarkerRole| match role {
        MarkerRole::From => ("[, j", ", from marker j"),
        MarkerRole::Axes => ("[, k", ", in the axes of k"),
        MarkerRole::Frame => ("[, l", ", derivatives seen from l"),
    };
    let letters: String = roles.iter().map(|role| word(role).0).collect();
    let meaning: String = roles.iter().map(|role| word(role).1).collect();
    let close = "]".repeat(roles.len());
    format!("{function}(i{letters}{close}): marker i{meaning}")
}
