//! Compares linear forms of mechanisms with driven displacements and other constraints with differences.

use super::*;
use serde_json::{Value, json};

/// A heavy part, not symmetric.
fn part(name: &str, position: [f64; 3]) -> Value {
    json!({"name": name, "mass": 1.3, "center_of_mass": [0.1, 0.05, -0.08], "position": position,
        "inertia": {"xx": 0.3, "yy": 0.4, "zz": 0.5, "xy": 0.02, "xz": -0.03, "yz": 0.04}})
}

fn marker(name: &str, part: &str, position: [f64; 3]) -> Value {
    json!({"name": name, "part": part, "position": position})
}

/// The model at its start, and after some steps with these inputs.
fn both(what: &str, model: &Value, steps: usize, inputs: &[f64]) -> LinearForm {
    let mut run = super::super::simulation(model);
    check(&format!("{what} at the start"), &mut run);
    for (k, value) in inputs.iter().enumerate() {
        run.set_input(k.into(), *value);
    }
    for _ in 0..steps {
        run.step().unwrap();
    }
    check(&format!("{what} on its way"), &mut run)
}

/// A turntable with an input for its angle, a slide on it with an input for its speed, and an arm with an input for
/// its acceleration, on which a lamp hangs.
fn turntable() -> Value {
    json!({
        "fixstep": 1, "name": "turntable", "gravity": [1, -2, -9],
        "parts": [part("table", [0.0; 3]), part("slide", [0.0, 0.0, 0.4]), part("arm", [0.3, 0.0, 0.4]), part("lamp", [0.6, 0.1, 0.4])],
        "markers": [
            marker("table_axis", "table", [0.0; 3]),
            {"name": "rail", "part": "table", "position": [0, 0, 0.4], "orientation": {"z_point": [1, 0, 0.4], "x_point": [0, 1, 0.4]}},
            {"name": "shoe", "part": "slide", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "hinge_j", "part": "slide", "position": [0.3, 0, 0], "orientation": {"z_point": [0.3, 1, 0], "x_point": [1.3, 0, 0]}},
            {"name": "hinge_i", "part": "arm", "position": [0, 0, 0], "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}},
            marker("end", "arm", [0.3, 0.1, 0.0]),
            marker("top", "lamp", [0.0; 3])
        ],
        "joints": [
            {"name": "axis", "type": "revolute", "i": "table_axis", "j": "ground"},
            {"name": "slot", "type": "translational", "i": "shoe", "j": "rail"},
            {"name": "hinge", "type": "revolute", "i": "hinge_i", "j": "hinge_j"},
            {"name": "ball", "type": "spherical", "i": "top", "j": "end"}
        ],
        "inputs": [{"name": "turn", "start": 0.2}, {"name": "speed", "start": 0.4}, {"name": "gain", "start": 1.5}],
        "motions": [
            {"name": "table", "joint": "axis", "displacement": "0.5*SIN(turn) + 0.8*TIME"},
            {"name": "slide", "joint": "slot", "velocity": "speed*gain - 0.1*turn"},
            {"name": "arm", "joint": "hinge", "acceleration": "3*gain + turn*speed", "initial_velocity": 0.7}
        ],
        "outputs": [
            {"name": "drive", "expression": "MOTION(table, 0, 8)"},
            {"name": "push", "expression": "MOTION(slide, 0, 4)"},
            {"name": "torque", "expression": "MOTION(arm, 0, 8)"},
            {"name": "load", "expression": "FY(top, end, end)"},
            {"name": "shake", "expression": "ACCX(top)"},
            {"name": "turns", "expression": "AZ(table_axis, ground)"}
        ]
    })
}

#[test]
fn inputs_give_displacements_speeds_and_accelerations() {
    let model = turntable();
    let form = both("turntable", &model, 40, &[0.21, -0.3, 1.1]);
    assert!(form.e.is_some());
    assert_eq!(form.positions, 3);
}

/// A body turned by three angles, each given at another derivative.
#[test]
fn body_fixed_angles_are_driven() {
    let levels = ["displacement", "velocity", "acceleration"];
    for shift in 0..3 {
        let motion = |k: usize| {
            let mut motion = json!({"name": format!("m{k}"), "i": "pin", "j": "base", "direction": format!("b{}", k + 1)});
            let law = ["0.3*u + 0.5*TIME", "0.4 + u*w", "u - 2*w"][(k + shift) % 3];
            motion[levels[(k + shift) % 3]] = json!(law);
            motion
        };
        let model = json!({
            "fixstep": 1, "name": "gimbal", "gravity": [1, -2, -9],
            "parts": [part("base", [0.0; 3]), part("body", [0.0; 3])],
            "markers": [marker("base", "base", [0.0; 3]), marker("pin", "body", [0.0; 3])],
            "joints": [{"name": "ball", "type": "spherical", "i": "pin", "j": "base"}],
            "inputs": [{"name": "u", "start": 0.4}, {"name": "w", "start": 0.3}],
            "motions": [motion(0), motion(1), motion(2)],
            "forces": [{"name": "mount", "type": "bushing", "i": "base", "j": "ground", "stiffness": [200, 300, 250],
                "damping": [2, 1, 3], "torsional_stiffness": [30, 40, 50], "torsional_damping": [0.1, 0.2, 0.3]}],
            "outputs": [
                {"name": "t1", "expression": "MOTION(m0, 0, 8)"}, {"name": "t2", "expression": "MOTION(m1, 0, 7)"},
                {"name": "f", "expression": "FX(pin, base)"}
            ]
        });
        let form = both("gimbal", &model, 60, &[0.7, -0.6]);
        assert_eq!(form.positions, 6);
    }
}

/// A geared slide: a coupler between a shaft and a slide, a gear on a carrier that turns, and a motion of the shaft.
#[test]
fn couplers_and_gears() {
    let model = json!({
        "fixstep": 1, "name": "geared", "gravity": [0, -9, 0],
        "parts": [part("carrier", [0.0; 3]), part("sun", [0.0; 3]), part("planet", [0.3, 0.0, 0.0]), part("slide", [0.0, 0.5, 0.0])],
        "markers": [
            marker("c", "carrier", [0.0; 3]), marker("s", "sun", [0.0; 3]), marker("p", "planet", [0.0; 3]),
            marker("pc", "carrier", [0.3, 0.0, 0.0]), marker("sc", "carrier", [0.0; 3]),
            {"name": "mesh", "part": "carrier", "position": [0.2, 0, 0], "orientation": {"z_point": [0.2, 1, 0], "x_point": [0.2, 0, 1]}},
            {"name": "rail", "part": "ground", "position": [0, 0.5, 0], "orientation": {"z_point": [1, 0.5, 0], "x_point": [0, 1.5, 0]}},
            {"name": "shoe", "part": "slide", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}}
        ],
        "joints": [
            {"name": "jc", "type": "revolute", "i": "c", "j": "ground"},
            {"name": "js", "type": "revolute", "i": "s", "j": "sc"},
            {"name": "jp", "type": "revolute", "i": "p", "j": "pc"},
            {"name": "slot", "type": "translational", "i": "shoe", "j": "rail"}
        ],
        "couplers": [{"name": "belt", "joints": ["js", "slot"], "scales": [0.3, -1]}],
        "gears": [{"name": "teeth", "joints": ["js", "jp"], "carrier": "mesh"}],
        "inputs": [{"name": "u", "start": 0.4}, {"name": "torque", "start": 5}],
        "forces": [
            {"name": "spring", "type": "spring_damper", "i": "shoe", "j": "ground", "stiffness": 40, "damping": 0.4, "length": 0.2},
            {"name": "push", "type": "torque", "i": "p", "j": "pc", "expression": "torque - 0.2*WZ(p, pc)"}
        ],
        "motions": [{"name": "lead", "joint": "jc", "velocity": "2*u"}],
        "outputs": [
            {"name": "load", "expression": "FZ(shoe, rail)"}, {"name": "lead", "expression": "MOTION(lead, 0, 8)"},
            {"name": "mesh", "expression": "TZ(p, pc)"}
        ]
    });
    let form = both("geared", &model, 50, &[0.9, -3.0]);
    assert_eq!(form.positions, 1);
}

/// A hook on a rope whose length an input gives; another input bends the rope. Once held in balance by springs, and
/// once swinging.
#[test]
fn general_constraints_at_rest() {
    let model = json!({
        "fixstep": 1, "name": "hoist", "gravity": [0, 0, -9.8],
        "parts": [part("drum", [0.0; 3]), part("hook", [0.2, 0.3, -2.0])],
        "markers": [
            marker("drum", "drum", [0.1, 0.0, 0.0]), marker("hook", "hook", [0.0; 3]),
            marker("here", "ground", [0.2, 0.3, -2.1]), marker("there", "ground", [0.1, 0.0, 0.0])
        ],
        "inputs": [{"name": "reeled", "start": 0.4}, {"name": "bend", "start": 0.3}],
        "general_constraints": [
            {"name": "rope", "expression": "DM(hook, drum)*(1 + 0.1*bend**2*DX(hook)) - (2.5 - reeled)"}
        ],
        "forces": [
            {"name": "mount", "type": "bushing", "i": "drum", "j": "there", "stiffness": [2000, 3000, 2500],
                "damping": [200, 100, 300], "torsional_stiffness": [30, 40, 50], "torsional_damping": [10, 20, 30]},
            {"name": "guide", "type": "bushing", "i": "hook", "j": "here", "stiffness": [20, 30, 0],
                "damping": [20, 10, 30], "torsional_stiffness": [30, 40, 50], "torsional_damping": [1, 2, 3]}
        ],
        "outputs": [{"name": "height", "expression": "DZ(hook)"}, {"name": "shake", "expression": "ACCZ(hook)"}],
        "start": {"equilibrium": {}}
    });
    let mut run = super::super::simulation(&model);
    let form = check("hoist", &mut run);
    assert_eq!(form.positions, 11);
    assert_eq!(form.states.len(), 22 + 6);
}

/// An arm whose motor follows a controller, a valve and an implicit variable that reads accelerations and reactions.
#[test]
fn unknown_variables_and_control_elements() {
    let model = json!({
        "fixstep": 1, "name": "controlled", "gravity": [0, -9, 0],
        "parts": [part("arm", [0.0; 3])],
        "markers": [marker("pin", "arm", [0.0; 3]), marker("tip", "arm", [0.5, 0.0, 0.0])],
        "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "ground", "initial": {"angular_velocity": 0.6}}],
        "inputs": [{"name": "target", "start": 0.3}, {"name": "noise", "start": 0.1}],
        "variables": [
            {"name": "pressure", "residual": "pressure**3 + 2*pressure - valve - 0.3*ACCY(tip) - 0.01*FY(pin, ground)", "initial": 1}
        ],
        "transfer_functions": [{"name": "valve", "input": "loop", "numerator": [1, 0.03], "denominator": [1, 0.02, 1e-4]}],
        "pid_controllers": [
            {"name": "loop", "setpoint": "target", "measured": "AZ(pin, ground) + noise", "kp": 8, "ki": 20, "kd": 0.4,
             "derivative_filter": 0.004, "minimum": -50, "maximum": 50}
        ],
        "linear_state_equations": [{"name": "observer", "inputs": ["valve", "WZ(pin)"], "a": [[-60, 1], [-900, 0]],
            "b": [[0, 60], [0.1, 900]], "c": [[0, 1]], "d": [[0.1, 0]]}],
        "differential_equations": [
            {"name": "leak", "residual": "0.2*DIF1(leak)**3 + DIF1(leak) + DIF(leak) - pressure - 0.1*ACCX(tip)", "initial_rate": 0.1}
        ],
        "forces": [{"name": "motor", "type": "torque", "i": "pin", "j": "ground", "expression": "3*pressure - 0.1*ARYVAL(observer, 1) + DIF(leak)"}],
        "outputs": [
            {"name": "angle", "expression": "AZ(pin, ground)"}, {"name": "p", "expression": "pressure"},
            {"name": "rate", "expression": "DIF1(leak)"}, {"name": "out", "expression": "valve"},
            {"name": "load", "expression": "FX(pin, ground)"}
        ]
    });
    let form = both("controlled", &model, 30, &[0.5, -0.1]);
    assert_eq!(form.positions, 1);
    assert_eq!(form.equations, 7);
}
