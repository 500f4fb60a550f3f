//! Mechanisms with closed forms: driven six ways, overconstrained, with forces that read reactions
//! and accelerations, locked.

use crate::harness::{advance, build, output, start};
use fixstep_kernel::math::rotation::{exp, quaternion};
use fixstep_kernel::math::{Mat3, Vec3, asin, atan, cos, sin, tan};
use fixstep_kernel::simulation::Figure;
use serde_json::{Value, json as object};

fn model() -> Value {
    object!({
        "fixstep": 1, "name": "t", "solver": {"fixit": 6},
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

fn axes(r: &Mat3) -> Value {
    object!({"quaternion": quaternion(r)})
}

fn list(v: &Vec3) -> Value {
    object!([v.x, v.y, v.z])
}

fn turn(x: f64, y: f64, z: f64) -> Mat3 {
    exp(&Vec3::new(x, y, z))
}

fn body(name: &str, position: &Vec3, r: &Mat3) -> Value {
    object!({
        "name": name, "mass": 2, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1},
        "position": list(position), "orientation": axes(r)
    })
}

/// Adds an output for the sum of one component over motions.
fn sum(motions: &[&str], component: u8) -> String {
    let terms = motions
        .iter()
        .map(|m| format!("MOTION({m}, 0, {component}, 0)"));
    terms.collect::<Vec<_>>().join(" + ")
}

/// A part whose six coordinates are driven between turned markers, in mm, kg, N, s, deg.
fn driven_part(a: Mat3) -> Value {
    let mut m = model();
    m["units"] = object!({"length": "mm", "mass": "kg", "force": "N", "time": "s", "angle": "deg"});
    m["gravity"] = object!([0, 0, -9806.65]);
    m["parts"] = object!([{
        "name": "p", "mass": 2, "center_of_mass": [10, 20, 30], "position": [100, 50, 20],
        "inertia": {"xx": 2e4, "yy": 3e4, "zz": 4e4, "xy": 1e3},
        "orientation": axes(&(a * turn(0.0, 0.0, 1.0)))
    }]);
    m["markers"] = object!([
        {"name": "m", "part": "p", "position": [5, -6, 7]},
        {"name": "g", "part": "ground", "position": [100, 50, 20], "orientation": axes(&a)}
    ]);
    let drives = [
        ("x", "100*SIN(2*TIME)"),
        ("y", "30*TIME**2"),
        ("z", "5*TIME"),
        ("b1", "9*TIME"),
        ("b2", "0.8*SIN(3*TIME)"),
        ("b3", "1 - 7*TIME"),
    ];
    m["motions"] = drives
        .iter()
        .map(|(direction, law)| {
            object!({"name": direction, "i": "m", "j": "g", "direction": direction, "displacement": law})
        })
        .collect();
    let names = drives.map(|(direction, _)| direction);
    let components = [
        ("fx", 2),
        ("fy", 3),
        ("fz", 4),
        ("tx", 6),
        ("ty", 7),
        ("tz", 8),
    ];
    let mut outputs: Vec<Value> = components
        .iter()
        .map(|(name, c)| object!({"name": name, "expression": sum(&names, *c)}))
        .collect();
    for (name, expression) in [
        ("x", "DX(m, g, g)"),
        ("turns", "AX(m, g)"),
        ("pitch", "PITCH(m, g)"),
        ("wx", "WX(m)"),
        ("wy", "WY(m)"),
        ("wz", "WZ(m)"),
    ] {
        outputs.push(object!({"name": name, "expression": expression}));
    }
    m["outputs"] = outputs.into();
    m
}

/// Loads at the start from the rates of the prescribed pose (differences of order 8 of
/// R = A Rx(b1) Ry(b2) Rz(b3)), the poses at any step.
#[test]
fn six_motions_carry_a_part() {
    let a = turn(0.3, -0.5, 0.7);
    let mut simulation = build(&driven_part(a).to_string());
    let pose = |t: f64| {
        a * turn(9.0 * t, 0.0, 0.0)
            * turn(0.0, 0.8 * sin(3.0 * t), 0.0)
            * turn(0.0, 0.0, 1.0 - 7.0 * t)
    };
    let h = 2e-3;
    let first = [0.8, -0.2, 4.0 / 105.0, -1.0 / 280.0];
    let second = [1.6, -0.2, 8.0 / 315.0, -1.0 / 560.0];
    let (mut r1, mut r2) = (Mat3::zeros(), pose(0.0) * (-205.0 / 72.0));
    for k in 0..4 {
        let (ahead, behind) = (pose(h * (k as f64 + 1.0)), pose(-h * (k as f64 + 1.0)));
        r1 += (ahead - behind) * first[k];
        r2 += (ahead + behind) * second[k];
    }
    let (r0, r1, r2) = (pose(0.0), r1 / h, r2 / (h * h));
    let vector = |s: Mat3| Vec3::new(s[(2, 1)], s[(0, 2)], s[(1, 0)]);
    let omega = vector(r1 * r0.transpose());
    let alpha = vector(r2 * r0.transpose() + r1 * r1.transpose());
    // mm and kg: forces in N are a thousandth of kg mm/s²
    let arm = r0 * Vec3::new(5.0, 26.0, 23.0);
    let acceleration =
        a * Vec3::new(0.0, 60.0, 0.0) + alpha.cross(&arm) + omega.cross(&omega.cross(&arm));
    let force = (acceleration + Vec3::new(0.0, 0.0, 9806.65)) * 2e-3;
    let body = Mat3::new(2e4, -1e3, 0.0, -1e3, 3e4, 0.0, 0.0, 0.0, 4e4) * 1e-3;
    let inertia = r0 * body * r0.transpose();
    let torque = inertia * alpha + omega.cross(&(inertia * omega)) + arm.cross(&force);
    for (k, (f, t, w)) in [("fx", "tx", "wx"), ("fy", "ty", "wy"), ("fz", "tz", "wz")]
        .into_iter()
        .enumerate()
    {
        let close = |name: &str, wanted: f64, size: f64| {
            let got = output(&simulation, name);
            assert!(
                (got - wanted).abs() < 1e-9 * size,
                "{name}: {got}, wanted {wanted}"
            );
        };
        close(f, force[k], force.norm());
        close(t, torque[k], 1e2 * torque.norm());
        close(w, omega[k], omega.norm());
    }
    start(&mut simulation, 1e-2);
    advance(&mut simulation, 2.0);
    assert!((output(&simulation, "x") - 100.0 * sin(4.0)).abs() < 1e-10);
    let end = pose(2.0);
    let local = a.transpose() * end;
    assert!((output(&simulation, "pitch") - asin(local[(2, 0)])).abs() < 1e-11);
}

/// Frames (start, end) of the four links of a Bennett linkage with lengths a, b and twists α, β,
/// a sin β = b sin α, at the angle θ of its first joint.
fn bennett(theta: f64) -> (Vec<(Mat3, Vec3, Mat3, Vec3)>, f64) {
    let (a, b, alpha) = (1.0, 0.8, std::f64::consts::FRAC_PI_6);
    let beta = asin(b * sin(alpha) / a);
    let ratio = sin(0.5 * (beta + alpha)) / sin(0.5 * (beta - alpha));
    let phi = 2.0 * atan(ratio / tan(0.5 * theta));
    let links = [
        (theta, a, alpha),
        (phi, b, beta),
        (-theta, a, alpha),
        (-phi, b, beta),
    ];
    let (mut r, mut p) = (Mat3::identity(), Vec3::zeros());
    let mut frames = Vec::new();
    for (angle, length, twist) in links {
        let from = r * turn(0.0, 0.0, angle);
        let end = p + from * Vec3::new(length, 0.0, 0.0);
        let to = from * turn(twist, 0.0, 0.0);
        frames.push((from, p, to, end));
        (r, p) = (to, end);
    }
    (frames, ratio)
}

/// Four revolute joints in space that move all the same (Bennett 1903):
/// tan(θ/2) tan(φ/2) = sin((β+α)/2) / sin((β−α)/2). Three equations are redundant.
#[test]
fn a_bennett_linkage_moves() {
    let (frames, ratio) = bennett(1.0);
    let mut m = model();
    m["gravity"] = object!([0, 0, -9.81]);
    let (mut parts, mut markers) = (Vec::new(), Vec::new());
    for (k, (from, start, to, end)) in frames.iter().enumerate() {
        let part = if k == 3 {
            "ground".to_owned()
        } else {
            format!("l{k}")
        };
        let (origin, base) = if k == 3 {
            (Vec3::zeros(), Mat3::identity())
        } else {
            parts.push(body(&part, start, from));
            (*start, *from)
        };
        for (name, p, r) in [("s", start, from), ("e", end, to)] {
            markers.push(object!({
                "name": format!("{name}{k}"), "part": part,
                "position": list(&(base.transpose() * (p - origin))),
                "orientation": axes(&(base.transpose() * r))
            }));
        }
    }
    (m["parts"], m["markers"]) = (parts.into(), markers.into());
    m["joints"] = (0..4)
        .map(|k| {
            let before = format!("e{}", (k + 3) % 4);
            object!({"name": format!("J{k}"), "type": "revolute", "i": format!("s{k}"), "j": before})
        })
        .collect();
    m["motions"] = object!([{"name": "turn", "joint": "J0", "displacement": "1 + 2*TIME"}]);
    m["outputs"] = object!([
        {"name": "theta", "expression": "AZ(s0, e3)"}, {"name": "phi", "expression": "AZ(s1, e0)"}
    ]);
    let mut simulation = build(&m.to_string());
    assert_eq!(simulation.degrees_of_freedom(), 0);
    let removed = simulation
        .notes()
        .iter()
        .filter(|n| n.contains("redundant"));
    assert_eq!(removed.count(), 3);
    start(&mut simulation, 1e-2);
    for k in 1..=30 {
        advance(&mut simulation, 0.1 * f64::from(k));
        let half = [output(&simulation, "theta"), output(&simulation, "phi")].map(|x| tan(0.5 * x));
        let product = half[0] * half[1];
        let sensitivity = 1.0 + half[0].abs() + half[1].abs();
        assert!(
            (product - ratio).abs() < 1e-9 * sensitivity,
            "{product} {ratio}"
        );
        assert!(simulation.figure(Figure::ConstraintViolation) < 1e-12);
    }
}

/// A parallelogram in a tilted plane on a platform that six motions carry: three equations are
/// redundant in every position, the coupler never turns against the platform.
#[test]
fn a_parallelogram_rides_on_a_moving_platform() {
    let r = turn(0.5, 0.7, -0.3);
    let tip = Vec3::new(0.5, 0.75_f64.sqrt(), 0.0);
    let frame = Vec3::new(2.0, 0.0, 0.0);
    let mut m = model();
    m["parts"] = object!([
        body("plate", &Vec3::zeros(), &r),
        body("left", &Vec3::zeros(), &r),
        body("bar", &(r * tip), &r),
        body("right", &(r * frame), &r)
    ]);
    m["markers"] = object!([
        {"name": "p", "part": "plate"}, {"name": "q", "part": "plate", "position": list(&frame)},
        {"name": "g", "part": "ground", "orientation": axes(&r)},
        {"name": "a", "part": "left"}, {"name": "b", "part": "left", "position": list(&tip)},
        {"name": "b2", "part": "bar"}, {"name": "c", "part": "bar", "position": list(&frame)},
        {"name": "c2", "part": "right", "position": list(&tip)}, {"name": "d", "part": "right"}
    ]);
    m["joints"] = object!([
        {"name": "A", "type": "revolute", "i": "a", "j": "p"},
        {"name": "B", "type": "revolute", "i": "b", "j": "b2"},
        {"name": "C", "type": "revolute", "i": "c", "j": "c2"},
        {"name": "D", "type": "revolute", "i": "d", "j": "q"}
    ]);
    let laws = [
        "SIN(TIME)",
        "0.3*TIME",
        "COS(2*TIME)",
        "TIME",
        "0.3*SIN(TIME)",
        "2*TIME",
    ];
    let mut motions: Vec<Value> = ["x", "y", "z", "b1", "b2", "b3"]
        .iter()
        .zip(laws)
        .map(|(k, law)| object!({"name": k, "i": "p", "j": "g", "direction": k, "displacement": law}))
        .collect();
    motions.push(object!({"name": "drive", "joint": "A", "displacement": "3*TIME"}));
    m["motions"] = motions.into();
    m["outputs"] = object!([
        {"name": "left", "expression": "AZ(a, p)"}, {"name": "right", "expression": "AZ(d, p)"},
        {"name": "bar", "expression": "PHI(b2, p) + PSI(b2, p)"},
        {"name": "tilt", "expression": "THETA(b2, p)"}
    ]);
    let mut simulation = build(&m.to_string());
    assert_eq!(simulation.degrees_of_freedom(), 0);
    start(&mut simulation, 5e-3);
    advance(&mut simulation, 3.0);
    assert!((output(&simulation, "left") - 9.0).abs() < 1e-10);
    assert!((output(&simulation, "right") - 9.0).abs() < 1e-8);
    assert!(output(&simulation, "tilt").abs() < 1e-6);
}

/// Coulomb friction μN with N read from the joint: a = g (sin θ − μ cos θ), at the start and all
/// along; x = v₀ t + ½ a t².
#[test]
fn friction_reads_the_reaction_of_its_joint() {
    let slope = turn(0.0, std::f64::consts::FRAC_PI_2 + 0.5, 0.0);
    let mut m = model();
    m["gravity"] = object!([0, 0, -9.81]);
    m["parts"] = object!([body("block", &Vec3::zeros(), &slope)]);
    m["markers"] = object!([
        {"name": "b", "part": "block"}, {"name": "g", "part": "ground", "orientation": axes(&slope)}
    ]);
    m["joints"] = object!([
        {"name": "guide", "type": "translational", "i": "b", "j": "g", "initial": {"velocity": 1}}
    ]);
    m["forces"] = object!([{
        "name": "friction", "type": "vector_force", "i": "b", "j": "g",
        "fz": "-0.2*JOINT(guide, 0, 1)*TANH(VZ(b, g, g, g)/0.001)"
    }]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DZ(b, g, g)"}, {"name": "v", "expression": "VZ(b, g, g)"},
        {"name": "a", "expression": "ACCZ(b, g, g)"},
        {"name": "normal", "expression": "JOINT(guide, 1, 1)"},
        {"name": "force", "expression": "FORCE(friction, 0, 4, g)"}
    ]);
    let mut simulation = build(&m.to_string());
    let a = 9.81 * (sin(0.5) - 0.2 * cos(0.5));
    assert!((output(&simulation, "a") - a).abs() < 1e-12);
    let h = 1e-2;
    start(&mut simulation, h);
    advance(&mut simulation, 1.0);
    assert!((output(&simulation, "v") - 1.0 - a).abs() < 1e-9);
    assert!((output(&simulation, "x") - 1.0 - 0.5 * a).abs() < 1e-9);
    assert!((output(&simulation, "normal") - 2.0 * 9.81 * cos(0.5)).abs() < 1e-8);
    assert!((output(&simulation, "force") + 0.4 * 9.81 * cos(0.5)).abs() < 1e-8);
}

/// A pendulum whose pin slides along x without mass or friction: its centre of mass keeps its velocity along x, and with the
/// lever l, mass m and inertia J about it, (J + m l² sin²φ) ω²/2 = m g l (cos φ − cos φ₀).
#[test]
fn a_pendulum_swings_on_a_pin_in_a_slot() {
    let (l, phi) = (0.4, 1.1);
    let mut m = model();
    m["gravity"] = object!([0, -9.81, 0]);
    let centre = [l * sin(phi), -l * cos(phi), 0.0];
    m["parts"] = object!([{
        "name": "rod", "mass": 3, "position": centre, "orientation": {"euler": [phi, 0, 0]},
        "inertia": {"xx": 0.05, "yy": 0.01, "zz": 0.05}
    }]);
    m["markers"] = object!([
        {"name": "pin", "part": "rod", "position": [0, l, 0]}, {"name": "slot", "part": "ground"},
        {"name": "c", "part": "rod"}
    ]);
    m["solver"] = object!({"integrator": "HHT"});
    m["joints"] = object!([{"name": "slide", "type": "pin_slot", "i": "pin", "j": "slot"}]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(c)"}, {"name": "y", "expression": "DY(pin)"},
        {"name": "phi", "expression": "AZ(pin)"}, {"name": "rate", "expression": "WZ(pin)"},
        {"name": "along", "expression": "JOINT(slide, 0, 2)"}
    ]);
    let mut simulation = build(&m.to_string());
    assert_eq!(simulation.degrees_of_freedom(), 2);
    start(&mut simulation, 1e-4);
    let mut swung = 0.0_f64;
    for k in 1..=40 {
        advance(&mut simulation, 0.02 * f64::from(k));
        let [x, y, phi_now, rate, along] =
            ["x", "y", "phi", "rate", "along"].map(|name| output(&simulation, name));
        assert!((x - centre[0]).abs() < 1e-9, "{x}");
        assert!(y.abs() < 1e-9 && along.abs() < 1e-9, "{y} {along}");
        let energy = 0.5 * (0.05 + 3.0 * (l * sin(phi_now)).powi(2)) * rate * rate;
        let fallen = 3.0 * 9.81 * l * (cos(phi_now) - cos(phi));
        assert!(
            (energy - fallen).abs() < 1e-4 * (3.0 * 9.81 * l),
            "{energy} {fallen}"
        );
        swung = swung.max(rate.abs());
    }
    assert!(swung > 5.0, "{swung}");
}

/// A force against the acceleration is added mass, about an axis and along one.
#[test]
fn forces_that_read_accelerations_are_added_mass() {
    let mut m = model();
    m["gravity"] = object!([0, 0, -9.81]);
    m["parts"] = object!([body("p", &Vec3::zeros(), &Mat3::identity())]);
    m["markers"] = object!([{"name": "m", "part": "p"}]);
    m["forces"] = object!([
        {"name": "mass", "type": "vector_force", "i": "m", "j": "ground", "fz": "-3*ACCZ(m)"},
        {"name": "inertia", "type": "torque", "i": "m", "j": "ground", "expression": "7 - 0.4*WDTZ(m)"}
    ]);
    m["outputs"] = object!([
        {"name": "a", "expression": "ACCZ(m)"}, {"name": "w", "expression": "WDTZ(m)"},
        {"name": "angle", "expression": "AZ(m)"}
    ]);
    let mut simulation = build(&m.to_string());
    let a = -9.81 * 2.0 / 5.0;
    assert!((output(&simulation, "a") - a).abs() < 1e-12);
    assert!((output(&simulation, "w") - 14.0).abs() < 1e-12);
    let h = 1e-2;
    start(&mut simulation, h);
    advance(&mut simulation, 1.0);
    assert!((output(&simulation, "a") - a).abs() < 1e-9);
    assert!((output(&simulation, "angle") - 7.0).abs() < 1e-9);
}

/// A frame without freedom carries its weight: bars of 2 kg and 3 kg, hinged at (0,0), (1,0), (1,−1).
#[test]
fn a_locked_frame_carries_its_weight() {
    let mut m = model();
    m["gravity"] = object!([0, -9.81, 0]);
    let inertia = object!({"xx": 0.1, "yy": 0.1, "zz": 0.1});
    m["parts"] = object!([
        {"name": "a", "mass": 2, "inertia": inertia, "center_of_mass": [0.5, 0, 0]},
        {"name": "b", "mass": 3, "inertia": inertia, "position": [1, 0, 0],
         "center_of_mass": [0.2, -0.5, 0]}
    ]);
    m["markers"] = object!([
        {"name": "a0", "part": "a"}, {"name": "a1", "part": "a", "position": [1, 0, 0]},
        {"name": "b0", "part": "b"}, {"name": "b1", "part": "b", "position": [0, -1, 0]},
        {"name": "g", "part": "ground", "position": [1, -1, 0]}
    ]);
    m["joints"] = object!([
        {"name": "A", "type": "revolute", "i": "a0", "j": "ground"},
        {"name": "B", "type": "revolute", "i": "a1", "j": "b0"},
        {"name": "C", "type": "revolute", "i": "g", "j": "b1"}
    ]);
    m["outputs"] = object!([
        {"name": "ax", "expression": "JOINT(A, 0, 2)"}, {"name": "ay", "expression": "JOINT(A, 0, 3)"},
        {"name": "cx", "expression": "JOINT(C, 1, 2)"}, {"name": "cy", "expression": "JOINT(C, 1, 3)"},
        {"name": "bx", "expression": "FX(b0, a1)"}, {"name": "still", "expression": "DX(a1) - 1"}
    ]);
    let mut simulation = build(&m.to_string());
    assert_eq!(simulation.degrees_of_freedom(), 0);
    // Moments about C of bar b: −1 m · Bx − 0.2 m · 3 g = 0; of bar a about A: its weight, halved.
    let g = 9.81;
    let wanted = [
        ("ax", -0.6 * g),
        ("ay", g),
        ("bx", -0.6 * g),
        ("cx", 0.6 * g),
        ("cy", 4.0 * g),
        ("still", 0.0),
    ];
    start(&mut simulation, 1e-2);
    for until in [0.0, 1.0] {
        advance(&mut simulation, until);
        for (name, value) in wanted {
            let got = output(&simulation, name);
            assert!(
                (got - value).abs() < 1e-9,
                "{name} at {until}: {got}, wanted {value}"
            );
        }
    }
}
