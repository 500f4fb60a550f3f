//! Tests of angle sequences where two of their axes coincide.

use crate::harness::{advance, build, output, start};
use fixstep_kernel::math::Mat3;
use fixstep_kernel::math::rotation::{about_x, about_z, exp, from_euler_313};
use fixstep_kernel::math::{Vec3, cos, sin};
use serde_json::{Value, json};
use std::f64::consts::PI;

/// The angles of a marker on ground.
fn angles(orientation: &Value, of: [&str; 3]) -> [f64; 3] {
    let output_of = |name: &str| json!({"name": name, "expression": format!("{name}(m)")});
    let model = json!({
        "fixstep": 1, "name": "angles",
        "parts": [{"name": "p", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "markers": [{"name": "m", "part": "ground", "orientation": orientation}],
        "outputs": of.map(output_of)
    });
    let simulation = build(&model.to_string());
    of.map(|name| output(&simulation, name))
}

#[test]
fn three_angles_are_the_orientation_everywhere() {
    for given in [
        [0.0, 0.0, 0.0],
        [0.3, 0.0, 0.0],
        [-2.0, 0.0, 0.0],
        [0.3, 0.0, 0.4],
        [0.3, PI, 0.4],
        [0.3, 1e-8, 0.4],
        [0.3, 0.5, 0.4],
        [-3.0, 2.9, 2.5],
    ] {
        let [psi, theta, phi] = angles(&json!({"euler": given}), ["PSI", "THETA", "PHI"]);
        let wanted = from_euler_313(given[0], given[1], given[2]);
        let apart = (from_euler_313(psi, theta, phi) - wanted).amax();
        assert!(apart < 1e-15, "{given:?}: {apart:e}");
        if sin(given[1]) < 1e-9 {
            assert_eq!(phi, 0.0, "{given:?}");
        } else {
            for (angle, given) in [psi, theta, phi].iter().zip(given) {
                assert!((angle - given).abs() < 1e-7, "{angle} {given}");
            }
        }
    }
}

#[test]
fn yaw_pitch_and_roll_are_the_orientation_everywhere() {
    for pitch in [PI / 2.0, -PI / 2.0, 0.4] {
        for z in [[0.6, 0.8, 0.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]] {
            // x of the marker at a pitch in the plane across z.
            let (z, up) = (Vec3::from(z), Vec3::z());
            let x = if pitch.abs() > 1.0 {
                up * pitch.signum()
            } else {
                up.cross(&z) * cos(pitch) + up * sin(pitch)
            };
            let orientation = json!({"z_point": z.as_slice(), "x_point": x.as_slice()});
            let [yaw, pitch, roll] = angles(&orientation, ["YAW", "PITCH", "ROLL"]);
            let found = about_z(yaw) * exp(&Vec3::new(0.0, -pitch, 0.0)) * about_x(roll);
            let apart = (found - Mat3::from_columns(&[x, z.cross(&x), z])).amax();
            assert!(apart < 2e-15, "{z} {pitch}: {apart:e}");
        }
    }
}

#[test]
fn a_torque_by_two_angles_in_a_plane_is_one_by_their_sum() {
    let swing = |angle: &str| {
        let model = json!({
            "fixstep": 1, "name": "swing",
            "parts": [{"name": "b", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.012, "zz": 0.02}}],
            "markers": [{"name": "a", "part": "b"}, {"name": "g", "part": "ground"}],
            "joints": [{"name": "j", "type": "revolute", "i": "a", "j": "g", "initial": {"angle": 0.3}}],
            "forces": [{"name": "k", "type": "torque", "i": "a", "j": "g",
                        "expression": format!("-10*({angle})")}],
            "outputs": [{"name": "turn", "expression": "AZ(a, g)"}]
        });
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 0.1);
        output(&simulation, "turn")
    };
    let wanted = swing("AZ(a, g)");
    assert!((swing("PSI(a, g) + PHI(a, g)") - wanted).abs() < 1e-12);
    assert!(wanted < -0.1, "{wanted}");
}
