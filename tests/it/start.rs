//! The start: assembly, redundancy, contradictions, singular mechanisms, saving and restoring.

use crate::harness::{advance, build, load, output, start, try_build};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json as object};

fn four_bar(shift: f64, tilt: bool) -> String {
    let path = crate::harness::truth("D08_fourbar_redundant/model.json");
    let mut m: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for part in m["parts"].as_array_mut().unwrap() {
        let x = part["position"][0].as_f64().unwrap();
        part["position"][0] = (x + shift).into();
    }
    if tilt {
        for marker in m["markers"].as_array_mut().unwrap() {
            if marker["name"] == "Dg" {
                marker["orientation"] = object!({"euler": [0.0, 0.2, 0.0]});
            }
        }
    }
    m.to_string()
}

#[test]
fn rough_poses_are_assembled() {
    let exact = build(&four_bar(0.0, false));
    let rough = build(&four_bar(0.02, false));
    assert!(rough.figure(Figure::ConstraintViolation) < 1e-12);
    let moved = (output(&rough, "theta") - output(&exact, "theta")).abs();
    assert!(moved < 0.3, "the assembly stays near: {moved}");
}

#[test]
fn contradictory_joints_are_named_with_their_gap() {
    let problem = try_build(&four_bar(0.0, true)).unwrap_err();
    assert!(problem.contains("cannot be assembled"), "{problem}");
    assert!(problem.contains("joint \"D\""), "{problem}");
    assert!(problem.contains("degrees"), "{problem}");
}

#[test]
fn a_gap_between_axes_is_given_in_degrees() {
    // Two joints hold one part, and want its z axis where it is and across. Assembly leaves 90 degrees between them, shared.
    let part =
        |name: &str| object!({"name": name, "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}});
    let model = object!({
        "fixstep": 1, "name": "across", "parts": [part("a")],
        "markers": [
            {"name": "along", "part": "a"},
            {"name": "across", "part": "a", "orientation": {"euler": [0, std::f64::consts::FRAC_PI_2, 0]}},
        ],
        "joints": [
            {"name": "weld", "type": "fixed", "i": "along", "j": "ground"},
            {"name": "turned", "type": "parallel_axes", "i": "across", "j": "ground"},
        ],
    });
    let problem = try_build(&model.to_string()).unwrap_err();
    assert!(
        problem.contains("joint \"turned\": rotation, z of I against y of J by"),
        "{problem}"
    );
    assert!(
        problem.contains("by 56.50 degrees") && problem.contains("by -33.50 degrees"),
        "{problem}"
    );
    assert!(!problem.contains(" rad"), "{problem}");
}

#[test]
fn redundant_directions_are_reported_by_joint() {
    let simulation = load("D08_fourbar_redundant/model.json");
    let notes: Vec<_> = simulation
        .notes()
        .iter()
        .filter(|n| n.contains("redundant"))
        .collect();
    assert_eq!(notes.len(), 3);
    assert!(notes.iter().all(|n| n.contains("joint \"D\"")), "{notes:?}");
    assert_eq!(simulation.degrees_of_freedom(), 1);
    assert_eq!(simulation.constraint_rows(), 17);
}

#[test]
fn initial_velocities_that_cannot_be_met_are_reported() {
    let path = crate::harness::truth("D08_fourbar_redundant/model.json");
    let mut m: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    m["parts"][1]["angular_velocity"] = object!([0, 0, 5]);
    let simulation = build(&m.to_string());
    let told = simulation.notes().join("\n");
    assert!(
        told.contains("part \"coupler\": the initial angular velocity"),
        "{told}"
    );
    let fitting = load("D08_fourbar_redundant/model.json");
    assert!(!fitting.notes().join("\n").contains("initial"));
    assert!((output(&fitting, "omega") - 4.0).abs() < 1e-13);
}

#[test]
fn a_motion_against_a_joint_is_refused() {
    let path = crate::harness::truth("D08_fourbar_redundant/model.json");
    let mut m: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    m["motions"] = object!([
        {"name": "one", "joint": "A", "displacement": "1.0471975511965976 + 4*TIME"},
        {"name": "two", "joint": "D", "velocity": "3"}
    ]);
    let problem = try_build(&m.to_string()).unwrap_err();
    assert!(
        problem.contains("motion \"two\"") || problem.contains("motion \"one\""),
        "{problem}"
    );
}

#[test]
fn saved_and_restored_runs_are_bit_identical() {
    for case in [
        "D06_spatial_slider_crank",
        "../../models/flyball_governor",
        "B01_car_axis",
    ] {
        let mut simulation = load(&format!("{case}/model.json"));
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 0.05);
        let mut saved = vec![0; simulation.state_size()];
        simulation.save(&mut saved);
        let finish = |s: &mut Simulation| {
            for _ in 0..50 {
                s.step().unwrap();
            }
            let mut bytes = vec![0; s.state_size()];
            s.save(&mut bytes);
            bytes
        };
        let first = finish(&mut simulation);
        simulation.restore(&saved);
        assert_eq!(first, finish(&mut simulation), "{case}: same instance");
        let mut fresh = load(&format!("{case}/model.json"));
        start(&mut fresh, 1e-3);
        fresh.restore(&saved);
        assert_eq!(first, finish(&mut fresh), "{case}: fresh instance");
    }
}

#[test]
fn a_state_continues_alike_in_an_instance_that_started_elsewhere() {
    let path = crate::harness::truth("../../models/quarter_car/model.json");
    let text = std::fs::read_to_string(path).unwrap();
    let mut first = build(&text);
    start(&mut first, 1e-3);
    first.set_input(fixstep_kernel::ids::InputId(0), 12.0);
    advance(&mut first, 0.1);
    let mut saved = vec![0; first.state_size()];
    first.save(&mut saved);
    let mut other = build(&text);
    for k in 0..other.mechanism().parameters.len() {
        let id = fixstep_kernel::ids::ParameterId::from(k);
        let value = other.parameter(id);
        other.set_parameter(id, 3.0 * value).unwrap();
    }
    start(&mut other, 5e-3);
    advance(&mut other, 0.05);
    other.restore(&saved);
    for _ in 0..100 {
        first.step().unwrap();
        other.step().unwrap();
    }
    let mut bytes = [vec![0; first.state_size()], vec![0; first.state_size()]];
    first.save(&mut bytes[0]);
    other.save(&mut bytes[1]);
    assert_eq!(bytes[0], bytes[1]);
}
