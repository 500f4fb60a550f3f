//! Tests of field names from other programs, and the messages about them.

use super::problems;

/// Required fields that the entry of the list needs besides the tested one, which comes first.
const PART: &str = "\"name\": \"rod\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}";
const BARE: &str = "\"name\": \"rod\"";
const JOINT: &str = "\"name\": \"hinge\", \"type\": \"revolute\", \"i\": \"a\", \"j\": \"b\"";
const LOOSE_JOINT: &str = "\"name\": \"hinge\", \"type\": \"revolute\"";
const SPRING: &str = "\"name\": \"s\", \"type\": \"spring_damper\", \"i\": \"a\", \"j\": \"b\"";

/// List, rest of its entry, the field, and the expected message.
const NAMES: &[(&str, &str, &str, &str)] = &[
    (
        "parts",
        PART,
        "initial",
        "\"angular_velocity\", fields of its own",
    ),
    (
        "parts",
        PART,
        "initial_conditions",
        "\"angular_velocity\", fields of its own",
    ),
    (
        "parts",
        PART,
        "ic",
        "\"angular_velocity\", fields of its own",
    ),
    (
        "parts",
        PART,
        "initial_velocity",
        "are \"velocity\" and \"angular_velocity\"",
    ),
    ("parts", PART, "vel", "did you mean \"velocity\"?"),
    ("parts", PART, "pos", "did you mean \"position\"?"),
    ("parts", PART, "xyz", "did you mean \"position\"?"),
    ("parts", PART, "quat", "{\"quaternion\": [w, x, y, z]}"),
    ("parts", PART, "euler", "{\"euler\": [psi, theta, phi]}"),
    ("parts", PART, "rpy", "3-1-3 angles"),
    (
        "parts",
        BARE,
        "moment_of_inertia",
        "did you mean \"inertia\"?",
    ),
    ("parts", BARE, "inertia_tensor", "did you mean \"inertia\"?"),
    ("parts", PART, "omega", "did you mean \"angular_velocity\"?"),
    (
        "parts",
        PART,
        "cm_position",
        "did you mean \"center_of_mass\"?",
    ),
    ("parts", PART, "com", "did you mean \"center_of_mass\"?"),
    ("parts", PART, "cg", "did you mean \"center_of_mass\"?"),
    (
        "point_masses",
        BARE,
        "initial_velocity",
        "did you mean \"velocity\"?",
    ),
    ("forces", SPRING, "damp", "did you mean \"damping\"?"),
    ("forces", SPRING, "stiff", "did you mean \"stiffness\"?"),
    (
        "forces",
        SPRING,
        "spring_constant",
        "did you mean \"stiffness\"?",
    ),
    ("forces", SPRING, "rest_length", "did you mean \"length\"?"),
    (
        "forces",
        SPRING,
        "preload_force",
        "did you mean \"preload\"?",
    ),
    ("joints", JOINT, "axis", "is z of its markers"),
    ("joints", LOOSE_JOINT, "parent", "\"j\", one of the parent"),
    ("joints", LOOSE_JOINT, "child", "\"i\", one of the child"),
    ("joints", JOINT, "limits", "\"joint_drive\" with \"stops\""),
    ("joints", JOINT, "initial_angle", "\"initial\": {\"angle\""),
    ("joints", JOINT, "damping", "\"torsion_spring_damper\""),
    (
        "joints",
        JOINT,
        "friction_coefficient",
        "\"joint_friction\"",
    ),
    ("joints", JOINT, "armature", "a part of its own"),
    ("", "", "timestep", "\"experiment\": {\"step\""),
    ("", "", "end_time", "\"experiment\": {\"stop\""),
    ("", "", "sim", "belong in \"experiment\""),
    ("", "", "g", "\"gravity\": [x, y, z]"),
];

#[test]
fn names_of_other_programs_lead_to_the_fields_of_this_format() {
    for (list, entry, name, words) in NAMES {
        let text = match *list {
            "" => format!("{{\"{name}\": 1, \"fixstep\": 1, \"name\": \"a\"}}"),
            _ => format!(
                "{{\"fixstep\": 1, \"name\": \"a\", \"{list}\": [{{\"{name}\": 1, {entry}}}]}}"
            ),
        };
        let found = problems(&text);
        let told = format!("unknown field \"{name}\"; ");
        let line = found.lines().find(|line| line.contains(&told));
        assert!(
            line.is_some_and(|line| line.contains(words)),
            "{list} {name}: {found}"
        );
    }
}

#[test]
fn a_missing_field_does_not_take_the_place_of_the_one_that_was_meant() {
    let of = |entry: &str| {
        problems(&format!(
            "{{\"fixstep\": 1, \"name\": \"a\", \"forces\": [{{\"name\": \"s\", \"type\": \"spring_damper\", {entry}}}]}}"
        ))
    };
    // J is missing, and told as missing.
    let found = of("\"i\": \"a\", \"spring_constant\": 2");
    assert!(found.contains("did you mean \"stiffness\"?"), "{found}");
    assert!(found.contains("the field \"j\" is missing"), "{found}");
    // The markers have names elsewhere that need no second message.
    let text = format!(
        "{{\"fixstep\": 1, \"name\": \"a\", \"joints\": [{{\"parent\": \"p\", \"child\": \"q\", {LOOSE_JOINT}}}]}}"
    );
    assert!(
        !problems(&text).contains("is missing"),
        "{}",
        problems(&text)
    );
}
