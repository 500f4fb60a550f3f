//! Tests of the default Jacobian pattern and number of iterations, and that given ones are kept.

use super::with;
use crate::{Model, table};
use fixstep_kernel::mechanism::{Mechanism, SolverSettings};
use fixstep_variables::VariableKind;

/// A mechanism with a slide, a hinge and a drive, the given forces or equations, and the given solver.
fn mechanism(fields: &str, solver: &str) -> Mechanism {
    let fields = format!(r#"{fields}, "solver": {solver}"#);
    let model = Model::from_json(&with(&fields)).unwrap_or_else(|e| unreachable!("{fields}: {e}"));
    model.mechanism
}

/// A vector force that acts with an expression.
fn force(expression: &str) -> String {
    format!(
        r#""forces": [{{"name": "f", "type": "vector_force", "i": "m", "j": "ground", "fx": "{expression}"}}]"#
    )
}

/// A force on the hinge between rod and ground.
fn hinge(fields: &str) -> String {
    format!(
        r#""joints": [{{"name": "h", "type": "revolute", "i": "m", "j": "ground"}}],
           "forces": [{{"name": "f", "joint": "h", {fields}}}]"#
    )
}

/// What has slopes that change within a step.
fn bent() -> Vec<String> {
    let contact = r#""forces": [{"name": "c", "type": "contact", "i": "m", "j": "ground",
        "shapes": {"i": {"type": "sphere", "radius": 5}, "j": {"type": "plane"}},
        "normal": {"type": "impact", "stiffness": 1, "exponent": 1.5, "damping": 0, "depth": 0.1}}]"#;
    let drive = r#""type": "joint_drive", "position": "0", "proportional": 1, "derivative": 1"#;
    vec![
        contact.to_owned(),
        hinge(r#""type": "joint_friction", "pin_radius": 2, "mu_static": 0.1, "mu_dynamic": 0.1, "law": {"type": "coulomb", "stiction_velocity": 1}"#),
        hinge(&format!(r#"{drive}, "effort_limit": 5"#)),
        hinge(&format!(r#"{drive}, "speed_limit": 5"#)),
        force("IMPACT(DX(m), VX(m), 1, 1E3, 1.5, 1, 0.1)"),
        force("-ABS(VX(m))*VX(m)"),
        force("STEP(DX(m), 0, 0, 1, 1)"),
        force("IF(VX(m): -1, 0, 1)"),
        r#""differential_equations": [{"name": "q", "derivative": "MAX(DIF(q), DX(m))", "initial": 0}]"#.to_owned(),
    ]
}

/// What has not.
fn straight() -> Vec<String> {
    let drive = r#""type": "joint_drive", "position": "0", "proportional": 1, "derivative": 1"#;
    vec![
        r#""forces": []"#.to_owned(),
        hinge(drive),
        force("-5*DX(m)-0.1*VX(m)"),
        force("STEP(TIME, 0, 0, 1, 1)"),
        format!(
            r#""inputs": [{{"name": "u"}}], {}"#,
            force("MAX(u, 0)*DX(m)")
        ),
    ]
}

#[test]
fn a_jacobian_in_every_iteration_where_slopes_change_within_a_step() {
    let (every, reference) = (
        SolverSettings::every_iteration(),
        SolverSettings::reference_pattern(),
    );
    let open = r#"{"integrator": "HHT"}"#;
    for fields in bent() {
        let solver = mechanism(&fields, open).solver;
        let fixit = if fields.contains("effort_limit") {
            3
        } else {
            2
        };
        assert_eq!(
            (solver.pattern, solver.fixit),
            (every.clone(), fixit),
            "{fields}"
        );
        let solver = mechanism(&fields, r#"{"fixit": 4}"#).solver;
        assert_eq!(
            (solver.pattern, solver.fixit),
            (every.clone(), 4),
            "{fields}"
        );
        // What is said holds.
        let solver = mechanism(&fields, r#"{"pattern": "reference"}"#).solver;
        assert_eq!(
            (solver.pattern, solver.fixit),
            (reference.clone(), 3),
            "{fields}"
        );
        let solver = mechanism(&fields, r#"{"pattern": "T:F", "fixit": 5}"#).solver;
        assert_eq!(
            (solver.pattern, solver.fixit),
            (vec![true, false], 5),
            "{fields}"
        );
    }
    for fields in straight() {
        let solver = mechanism(&fields, open).solver;
        assert_eq!(
            (solver.pattern, solver.fixit),
            (reference.clone(), 3),
            "{fields}"
        );
    }
}

/// The values in the description of the FMU are those in force.
#[test]
fn the_variables_start_at_the_pattern_and_the_iterations_in_force() {
    let starts = |fields: &str, solver: &str| {
        let mechanism = mechanism(fields, solver);
        let table = table::of(&mechanism);
        let kind = |name: &str| {
            let reference = table.by_name(name).unwrap();
            table.by_reference(reference).unwrap().kind.clone()
        };
        let VariableKind::String { start: pattern } = kind("solver.pattern") else {
            unreachable!()
        };
        let VariableKind::Integer { start: fixit, .. } = kind("solver.fixit") else {
            unreachable!()
        };
        (pattern, fixit, i32::from(mechanism.solver.fixit))
    };
    let reference = "T:F:F:F:T:F:F:F:T:F";
    for (fields, solver, pattern) in [
        (force("ABS(VX(m))"), "{}", "T"),
        (
            force("ABS(VX(m))"),
            r#"{"pattern": "reference"}"#,
            reference,
        ),
        (
            force("ABS(VX(m))"),
            r#"{"pattern": "T:F", "fixit": 7}"#,
            "T:F",
        ),
        (force("VX(m)"), "{}", reference),
    ] {
        let (start, fixit, own) = starts(&fields, solver);
        assert_eq!((start.as_str(), fixit), (pattern, own), "{fields} {solver}");
    }
}
