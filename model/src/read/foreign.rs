//! Control plane: maps field names of other programs to their counterparts in this format, for messages.

/// Lists of the model, field names of other programs, the text to write here, and the required fields that it
/// replaces.
type Saying = (
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
    &'static [&'static str],
);

/// The model as a whole.
const TOP: &[&str] = &[""];
const BODIES: &[&str] = &["parts", "flexible_bodies"];
const JOINTS: &[&str] = &["joints"];

const SAYINGS: &[Saying] = &[
    (
        BODIES,
        &["initial", "initial_conditions", "ic"],
        "a part starts with \"position\", \"orientation\", \"velocity\" and \"angular_velocity\", fields of its own",
        &[],
    ),
    (
        BODIES,
        &["initial_velocity"],
        "velocities at the start are \"velocity\" and \"angular_velocity\"",
        &[],
    ),
    (
        BODIES,
        &["euler"],
        "it belongs in the orientation: \"orientation\": {\"euler\": [psi, theta, phi]}, body-fixed 3-1-3 angles",
        &[],
    ),
    (
        BODIES,
        &["rpy"],
        "there are no angles of roll, pitch and yaw: give \"orientation\" by 3-1-3 angles, \"euler\", or by a \"quaternion\"",
        &[],
    ),
    (
        BODIES,
        &["quat"],
        "it belongs in the orientation: \"orientation\": {\"quaternion\": [w, x, y, z]}",
        &[],
    ),
    (
        JOINTS,
        &["axis"],
        "the axis of a joint is z of its markers: turn both with their \"orientation\"",
        &[],
    ),
    (
        JOINTS,
        &["parent", "child"],
        "a joint connects two markers: give \"i\", one of the child, and \"j\", one of the parent",
        &["i", "j"],
    ),
    (
        JOINTS,
        &["limits"],
        "ends of travel are a force: \"joint_drive\" with \"stops\", or an expression with BISTOP",
        &[],
    ),
    (
        JOINTS,
        &["initial_angle"],
        "what a joint that turns starts with is \"initial\": {\"angle\": ...}",
        &[],
    ),
    (
        JOINTS,
        &["damping"],
        "damping in a joint is a force of its own: \"torsion_spring_damper\" where it turns, \"spring_damper\" or \
         \"force\" where it slides",
        &[],
    ),
    (
        JOINTS,
        &["friction_coefficient"],
        "friction in a joint is a force of its own: \"joint_friction\" with \"mu_static\" and \"mu_dynamic\"",
        &[],
    ),
    (
        JOINTS,
        &["armature"],
        "a rotor is a part of its own: join it with a revolute joint and a coupler or gear",
        &[],
    ),
    (
        TOP,
        &["timestep"],
        "steps belong in the experiment: \"experiment\": {\"step\": ...}",
        &[],
    ),
    (
        TOP,
        &["end_time"],
        "the end belongs in the experiment: \"experiment\": {\"stop\": ...}",
        &[],
    ),
    (
        TOP,
        &["sim"],
        "start, stop and step belong in \"experiment\", settings of the scheme in \"solver\"",
        &[],
    ),
    (
        TOP,
        &["g"],
        "gravity is a vector: \"gravity\": [x, y, z]",
        &[],
    ),
];

/// The advice for a foreign field in an entry of a list (or in the model if `list` is empty), and the required fields
/// that then need no message.
pub(super) fn saying(list: &str, name: &str) -> Option<(&'static str, &'static [&'static str])> {
    let word = name.to_ascii_lowercase();
    let (.., text, fields) = SAYINGS
        .iter()
        .find(|(lists, names, ..)| lists.contains(&list) && names.contains(&word.as_str()))?;
    Some((*text, *fields))
}
