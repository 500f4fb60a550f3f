//! Tests that every number of the format arrives in SI, with its default.

use super::with;
use crate::Model;
use fixstep_kernel::ids::ValueId;
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::{
    Corrector, Force, ForceKind, JointKind, MotionCoordinate, MotionLevel, SolverSettings,
    ValueRule, ValueSource,
};
use std::f64::consts::PI;

fn model(fields: &str) -> Model {
    Model::from_json(&with(fields)).unwrap_or_else(|e| unreachable!("{e}"))
}

fn constant(model: &Model, id: ValueId) -> f64 {
    match model.mechanism.values[id.index()].source {
        ValueSource::Constant(value) => value,
        ValueSource::Expression(_) => f64::NAN,
    }
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-14 * expected.abs()
}

#[test]
fn bodies_and_markers() {
    let model = Model::from_json(
        r#"{"fixstep": 1, "name": "a",
            "units": {"length": "in", "mass": "lbm", "force": "lbf", "time": "min", "angle": "deg"},
            "gravity": [0, 0, -6],
            "parts": [{"name": "p", "mass": 2, "center_of_mass": [1, 0, 0],
                "inertia": {"xx": 1, "yy": 2, "zz": 2.5, "xy": 0.1},
                "position": [0, 3, 0], "orientation": {"euler": [0, 0, 90]},
                "velocity": [1, 0, 0], "angular_velocity": [0, 0, 360]}],
            "point_masses": [{"name": "q", "mass": 3, "position": [0, 0, 1]}],
            "markers": [{"name": "m", "part": "p", "position": [10, 0, 0]}, {"name": "k", "part": "q"}]}"#,
    )
    .unwrap();
    let inch = 0.0254;
    let (p, q) = (&model.mechanism.bodies[1], &model.mechanism.bodies[2]);
    assert!(close(
        constant(&model, model.mechanism.gravity.numbers[2]),
        -6.0 * inch / 3600.0
    ));
    assert!(close(constant(&model, p.mass), 2.0 * 0.453_592_37));
    assert!(close(
        constant(&model, p.inertia[1]),
        2.0 * 0.453_592_37 * inch * inch
    ));
    assert!(close(
        constant(&model, p.inertia[3]),
        0.1 * 0.453_592_37 * inch * inch
    ));
    assert_eq!(p.center_of_mass.x, inch);
    assert!(close(p.position.y, 3.0 * inch));
    assert_eq!(p.orientation * Vec3::x(), Vec3::y());
    assert!(close(p.velocity.unwrap().x, inch / 60.0));
    assert!(close(p.angular_velocity.unwrap().z, 2.0 * PI / 60.0));
    assert_eq!((q.velocity, q.angular_velocity), (None, None));
    assert_eq!(
        model.mechanism.values[p.mass.index()].path,
        "parts[0] \"p\": mass"
    );
    assert_eq!(
        model.mechanism.values[p.mass.index()].rule,
        ValueRule::Positive
    );
    let names: Vec<&str> = model
        .mechanism
        .markers
        .iter()
        .map(|m| m.name.as_str())
        .collect();
    assert_eq!(names, ["m", "k", "ground"]);
    assert!(close(model.mechanism.markers[0].position.x, 0.254));
}

#[test]
fn joints_and_motions() {
    let model = model(
        r#""joints": [
            {"name": "a", "type": "screw", "i": "m", "j": "ground", "pitch": 2, "initial": {"angle": 90}},
            {"name": "b", "type": "distance", "i": "n", "j": "ground"},
            {"name": "c", "type": "cylindrical", "i": "m", "j": "ground",
             "initial": {"displacement": 5, "velocity": 7, "angle": 180, "angular_velocity": 18}},
            {"name": "d", "type": "hooke", "i": "m", "j": "ground"}],
        "motions": [
            {"name": "u", "joint": "c", "direction": "rotation", "velocity": "30D", "initial_displacement": 90},
            {"name": "v", "i": "m", "j": "ground", "direction": "x", "acceleration": "2",
             "initial_displacement": 4, "initial_velocity": 6},
            {"name": "w", "i": "m", "j": "ground", "direction": "b2", "displacement": "TIME"}]"#,
    );
    assert_eq!(
        model.mechanism.joints[0].kind,
        JointKind::Screw { pitch: 2e-3 }
    );
    assert!(close(
        model.mechanism.joints[0].initial_angle.unwrap(),
        PI / 2.0
    ));
    assert_eq!(
        model.mechanism.joints[1].kind,
        JointKind::Distance { length: 1e-3 }
    );
    let c = &model.mechanism.joints[2];
    assert!(close(c.initial_displacement.unwrap(), 5e-3));
    assert!(close(c.initial_velocity.unwrap(), 7.0), "mm/ms");
    assert!(close(c.initial_angle.unwrap(), PI));
    assert!(
        close(c.initial_angular_velocity.unwrap(), 100.0 * PI),
        "deg/ms"
    );
    assert_eq!(model.mechanism.joints[3].kind, JointKind::Universal);
    let [u, v, w] = model.mechanism.motions.as_slice() else {
        unreachable!("three motions")
    };
    assert_eq!(u.coordinate, MotionCoordinate::RotationZ);
    assert_eq!(
        (u.level, u.joint.map(fixstep_kernel::ids::JointId::index)),
        (MotionLevel::Velocity, Some(2))
    );
    assert!(close(u.function.to_si, 1e3), "radians per ms");
    assert!(close(u.initial_displacement.unwrap(), PI / 2.0));
    assert_eq!(v.coordinate, MotionCoordinate::Translation(0));
    assert!(close(v.function.to_si, 1e3), "mm/ms²");
    assert!(close(v.initial_displacement.unwrap(), 4e-3));
    assert!(close(v.initial_velocity, 6.0));
    assert_eq!(w.coordinate, MotionCoordinate::Body123(1));
    assert_eq!((w.function.to_si, w.initial_displacement), (1.0, None));
}

#[test]
fn forces() {
    let model = model(
        r#""parameters": [{"name": "k", "start": 4}],
        "forces": [
            {"name": "a", "type": "spring_damper", "i": "n", "j": "ground", "stiffness": "=k", "damping": 2, "length": 3, "preload": 5},
            {"name": "b", "type": "torsion_spring_damper", "i": "m", "j": "ground", "stiffness": 1, "damping": 1, "angle": 180, "preload": 1},
            {"name": "c", "type": "bushing", "i": "m", "j": "ground", "stiffness": [1, 2, "=k*2"], "torsional_damping": [0, 0, 1]},
            {"name": "d", "type": "line_of_sight", "i": "n", "j": "ground", "expression": 3},
            {"name": "e", "type": "action_only_torque", "i": "m", "j": "n", "expression": "1"},
            {"name": "f", "type": "general_force", "i": "m", "j": "ground", "axes": "n", "fy": "1", "tz": "2"}]"#,
    );
    let value = |id| constant(&model, id);
    let kind = |f: &Force| f.kind.clone();
    let ForceKind::TranslationalSpringDamper {
        stiffness,
        damping,
        length,
        preload,
    } = kind(&model.mechanism.forces[0])
    else {
        unreachable!("a spring")
    };
    assert!(
        matches!(model.mechanism.values[stiffness.index()].source, ValueSource::Expression(s) if s.to_si == 1e3)
    );
    assert!(close(value(damping), 2.0), "N·ms/mm");
    assert!(close(value(length), 3e-3));
    assert!(close(value(preload), 5.0));
    let ForceKind::RotationalSpringDamper {
        stiffness,
        damping,
        angle,
        preload,
    } = kind(&model.mechanism.forces[1])
    else {
        unreachable!("a spring")
    };
    assert!(close(value(stiffness), 1e-3 * 180.0 / PI), "N·mm/deg");
    assert!(close(value(damping), 1e-6 * 180.0 / PI), "N·mm·ms/deg");
    assert!(close(value(angle), PI));
    assert!(close(value(preload), 1e-3));
    let ForceKind::Bushing {
        stiffness,
        torsional_damping,
        torsional_preload,
        ..
    } = kind(&model.mechanism.forces[2])
    else {
        unreachable!("a bushing")
    };
    assert!(close(value(stiffness[1]), 2e3));
    assert!(close(value(torsional_damping[2]), 1e-6 * 180.0 / PI));
    assert_eq!(value(torsional_preload[0]), 0.0);
    assert!(
        matches!(kind(&model.mechanism.forces[3]), ForceKind::LineOfSight(s) if s.to_si == 1.0)
    );
    assert!(
        matches!(kind(&model.mechanism.forces[4]), ForceKind::ActionOnlyTorque(s) if s.to_si == 1e-3)
    );
    let ForceKind::General {
        axes,
        force,
        torque,
    } = kind(&model.mechanism.forces[5])
    else {
        unreachable!("a general force")
    };
    assert_eq!(model.mechanism.markers[axes.index()].name, "n");
    assert!(force[0].is_none() && force[1].is_some() && torque[2].is_some());
}

#[test]
fn solver_and_experiment() {
    let changed = model(
        r#""solver": {"fixit": 5, "hratio": 2, "pattern": "T:F", "maxerr": 1e-3, "hinit": 1, "hmax": 2,
            "kmax": 6, "corrector": "modified", "error": 1e-4},
        "experiment": {"start": 100, "stop": 2000, "step": 2}"#,
    );
    assert_eq!(
        (
            changed.mechanism.solver.fixit,
            changed.mechanism.solver.hratio
        ),
        (5, 2)
    );
    assert_eq!(changed.mechanism.solver.pattern, [true, false]);
    assert_eq!(changed.mechanism.solver.maxerr, 1e-3);
    assert_eq!(
        (
            changed.mechanism.solver.hinit,
            changed.mechanism.solver.hmax
        ),
        (Some(1e-3), Some(2e-3))
    );
    let idle = changed.mechanism.solver.idle();
    let idle: Vec<&str> = idle.iter().map(|idle| idle.setting).collect();
    assert_eq!(idle, ["error", "kmax", "corrector"]);
    let solver = &changed.mechanism.solver;
    assert_eq!((solver.error, solver.kmax), (Some(1e-4), 6));
    assert_eq!(solver.corrector, Corrector::Modified);
    assert_eq!(
        (
            changed.mechanism.experiment.start,
            changed.mechanism.experiment.stop
        ),
        (0.1, 2.0)
    );
    assert_eq!(changed.mechanism.experiment.step, 2e-3);
    let default = model(r#""description": """#);
    assert_eq!(default.mechanism.solver, SolverSettings::default());
    assert_eq!(
        (
            default.mechanism.experiment.stop,
            default.mechanism.experiment.step
        ),
        (10.0, 1e-3)
    );
}
