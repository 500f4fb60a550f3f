//! The mechanisms whose linear forms are compared with differences.

use super::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A model file, with the files beside it.
fn read(path: &str) -> Simulation {
    let path = root().join(path);
    let text = std::fs::read_to_string(&path).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    // Runs of single joints hold their model beside references.
    let model = value
        .get("model")
        .filter(|m| m.is_object())
        .unwrap_or(&value);
    let folder = path.parent().unwrap();
    let files = |name: &str| std::fs::read(folder.join(name)).map_err(|e| e.to_string());
    let model = fixstep_model::Model::read(&model.to_string(), &files);
    let model = model.map_err(|e| e.to_string()).unwrap();
    Simulation::new(model.mechanism).unwrap()
}

/// At the start, and after some steps with inputs that are not zero.
fn on_the_way(path: &str, steps: &[usize], inputs: &[f64]) {
    let mut run = read(path);
    check(&format!("{path} at the start"), &mut run);
    for (k, value) in inputs.iter().enumerate() {
        run.set_input(k.into(), *value);
    }
    let mut done = 0;
    for until in steps {
        for _ in done..*until {
            run.step().unwrap();
        }
        done = *until;
        check(&format!("{path} after {done} steps"), &mut run);
    }
}

macro_rules! examples {
    ($($name:ident: $path:literal, $steps:expr, $inputs:expr;)*) => {
        $(#[test] fn $name() { on_the_way($path, &$steps, &$inputs); })*
    };
}

examples! {
    andrews_squeezer: "models/andrews_squeezer/model.json", [50, 200], [];
    bouncer: "models/bouncer/model.json", [100, 200], [];
    bricard: "models/bricard/model.json", [50, 200], [];
    cam_follower: "models/cam_follower/model.json", [20, 100], [];
    chain: "models/chain/model.json", [100], [];
    controlled_pendulum: "models/controlled_pendulum/model.json", [100], [1.0, 0.2];
    flexible_beam_twins: "models/flexible_beam_twins/model.json", [20], [];
    flexible_slider_crank: "models/flexible_slider_crank/model.json", [50], [];
    bicycle: "models/bicycle/model.json", [50, 250], [5.0, 0.5];
    flyball_governor: "models/flyball_governor/model.json", [100, 300], [3.0];
    four_bar: "models/four_bar/model.json", [100, 250], [];
    heavy_top: "models/heavy_top/model.json", [50, 200], [];
    passive_vehicle: "models/passive_vehicle/model.json", [50], [];
    pendulum: "models/pendulum/model.json", [100, 300], [3.0];
    press: "models/press/model.json", [20, 100], [];
    quarter_car: "models/quarter_car/model.json", [50], [0.1, 0.2];
    robot_arm: "models/robot_arm/model.json", [50, 150], [3.0, 2.0, 1.0, -1.0, 0.5, 0.2, 0.1];
    robot_arm_flexible_link: "models/robot_arm_flexible_link/model.json", [50], [3.0, 2.0, 1.0, -1.0, 0.5, 0.2];
    rocker: "models/rocker/model.json", [30], [];
    servo_axis: "models/servo_axis/model.json", [50], [0.3, 5.0];
    spatial_slider_crank: "models/spatial_slider_crank/model.json", [50, 200], [2.0];
    washing_machine: "models/washing_machine/model.json", [100], [];
    wheel_over_kerb: "models/wheel_over_kerb/model.json", [50, 150], [1.0];
    contact_of_curves: "tests/mechanisms/contact_of_curves/model.json", [50, 200], [];
    flexible_contact: "tests/mechanisms/flexible_contact/model.json", [50], [];
    flexible_rod: "tests/mechanisms/flexible_rod/model.json", [50], [1.0];
    coulomb_joints: "tests/mechanisms/joint_friction/model_coulomb.json", [50], [2.0];
    lugre_joints: "tests/mechanisms/joint_friction/model_lugre.json", [50], [2.0];
    truck_crane: "tests/mechanisms/truck_crane/model.json", [30], [];
    tendons: "tests/mechanisms/tendons/model.json", [50, 300], [20.0];
    tyres_on_roads: "tests/mechanisms/tyres_on_roads/model.json", [50], [];
    action_only_torque: "tests/mechanisms/force_action_only_torque_cgs.json", [20], [];
    bushing: "tests/mechanisms/force_bushing_mmks.json", [20], [];
    general_force: "tests/mechanisms/force_general_force_ips.json", [20], [];
    line_of_sight: "tests/mechanisms/force_line_of_sight_mms.json", [20], [];
    torsion_spring: "tests/mechanisms/force_torsion_spring_damper_ips.json", [20], [];
    constant_velocity: "tests/mechanisms/joint_constant_velocity_mms.json", [20], [];
    cylindrical: "tests/mechanisms/joint_cylindrical_ips.json", [20], [];
    distance: "tests/mechanisms/joint_distance_si.json", [20], [];
    fixed: "tests/mechanisms/joint_fixed_mts.json", [20], [];
    in_line: "tests/mechanisms/joint_in_line_mts.json", [20], [];
    orientation: "tests/mechanisms/joint_orientation_ips.json", [20], [];
    perpendicular: "tests/mechanisms/joint_perpendicular_mmks.json", [20], [];
    planar: "tests/mechanisms/joint_planar_cgs.json", [20], [];
    screw: "tests/mechanisms/joint_screw_mmks.json", [20], [];
    screw_of_tons: "tests/mechanisms/joint_screw_mts.json", [20], [];
    translational: "tests/mechanisms/joint_translational_mms.json", [20], [];
    universal: "tests/mechanisms/joint_universal_ips.json", [20], [];
    car_axis: "tests/truth/B01_car_axis/model.json", [50], [];
    forty_four_bars: "tests/truth/C02_n_fourbar/model_N40.json", [50], [];
    tumbling_body: "tests/truth/D03_torque_free_dzhanibekov/model_rotated.json", [50], [];
    double_pendulum: "tests/truth/D04_double_pendulum/model.json", [100], [];
    redundant_four_bar: "tests/truth/D08_fourbar_redundant/model.json", [100], [];
    double_parallelogram: "tests/truth/D10_double_parallelogram/model.json", [100], [];
    driven_slider_crank: "tests/truth/D11_driven_slider_crank/model.json", [100], [];
    first_order_states: "tests/truth/G08_first_order_states/model.json", [50], [];
    geared_train: "tests/truth/K01_geared_train/model.json", [50], [];
    rolling_sphere: "tests/truth/K01_rolling_sphere/model.json", [50], [];
    contact_points: "tests/truth/K02_contact_points/model.json", [50], [];
    contact_surfaces: "tests/truth/K03_contact_surfaces/model.json", [50], [];
}

/// Not at the start, where wheels are upright: side forces have a kink there, |γ| of (MAG-2).
#[test]
fn vehicle() {
    let mut run = read("models/vehicle/model.json");
    for _ in 0..50 {
        run.step().unwrap();
    }
    check("vehicle", &mut run);
}
