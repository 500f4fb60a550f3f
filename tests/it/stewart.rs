//! The Stewart platform: thirteen parts from one template, and its controllers find the pose that is asked for.

use crate::harness::{example, output, start};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::math::cos;
use std::f64::consts::PI;

/// The pose that the inputs ask for, after it was reached smoothly and held: the legs carry the weight, and the integral parts of
/// the controllers leave no error of a leg. Six legs of the right lengths are the pose.
#[test]
fn the_platform_comes_to_the_pose_of_the_inputs() {
    let mut simulation = example("stewart_platform");
    let pose = [0.08, -0.06, 0.1, 0.12, -0.1, 0.15];
    start(&mut simulation, 1e-3);
    for step in 0..3500 {
        let time = f64::from(step) * 1e-3;
        let part = if time < 1.5 {
            0.5 - 0.5 * cos(PI * time / 1.5)
        } else {
            1.0
        };
        for (k, value) in pose.iter().enumerate() {
            simulation.set_input(InputId::from(k), part * value);
        }
        simulation.step().unwrap();
    }
    for (name, expected) in [
        ("forward", pose[0]),
        ("left", pose[1]),
        ("up", pose[2]),
        ("error", 0.0),
    ] {
        let found = output(&simulation, name);
        assert!((found - expected).abs() < 1e-5, "{name}: {found}");
    }
    // Half of what 204 kg weigh is on the three legs of a side, more or less.
    let push = output(&simulation, "push");
    assert!((100.0..900.0).contains(&push), "{push} N");
}
