//! The robot arm of `models/robot_arm` against the product of exponentials: where the tool is, and
//! what the drives hold.

use crate::harness::{build, output};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::math::rotation::{exp, log};
use fixstep_kernel::math::{Mat3, Vec3, cos, sin};
use fixstep_kernel::simulation::Simulation;

/// Points on the axes of the arm as it stands with all angles zero [m], and their directions.
const AXES: [([f64; 3], [f64; 3]); 6] = [
    ([0.0, 0.0, 0.33], [0.0, 0.0, 1.0]),
    ([0.025, 0.0, 0.45], [0.0, 1.0, 0.0]),
    ([0.025, 0.0, 0.905], [0.0, 1.0, 0.0]),
    ([0.2, 0.0, 0.94], [1.0, 0.0, 0.0]),
    ([0.445, 0.0, 0.94], [0.0, 1.0, 0.0]),
    ([0.525, 0.0, 0.94], [1.0, 0.0, 0.0]),
];

/// Masses and centres of mass, likewise.
const LINKS: [(f64, [f64; 3]); 6] = [
    (18.0, [0.01, 0.0, 0.36]),
    (11.0, [0.025, 0.06, 0.67]),
    (7.5, [0.05, 0.0, 0.935]),
    (4.2, [0.27, 0.0, 0.94]),
    (1.6, [0.46, 0.0, 0.94]),
    (3.0, [0.61, 0.0, 0.94]),
];

const TOOL: [f64; 3] = [0.685, 0.0, 0.94];

fn arm() -> Simulation {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/models/robot_arm/model.json");
    build(&std::fs::read_to_string(file).unwrap())
}

fn outputs(simulation: &Simulation, name: &str) -> [f64; 6] {
    std::array::from_fn(|k| output(simulation, &format!("{name}_{}", k + 1)))
}

/// Rodrigues' formula.
fn turn(axis: &Vec3, angle: f64) -> Mat3 {
    let a = axis.cross_matrix();
    Mat3::identity() + a * sin(angle) + a * a * (1.0 - cos(angle))
}

/// Rotation and translation of every link: the product of exponentials up to its axis.
fn links(angles: &[f64; 6]) -> Vec<(Mat3, Vec3)> {
    let (mut rotation, mut shift) = (Mat3::identity(), Vec3::zeros());
    let mut all = Vec::new();
    for ((point, axis), angle) in AXES.iter().zip(angles) {
        let (p, r) = (Vec3::from(*point), turn(&Vec3::from(*axis), *angle));
        shift += rotation * (p - r * p);
        rotation *= r;
        all.push((rotation, shift));
    }
    all
}

/// Torques about the axes that hold the weight of all that hangs on them.
fn holding(angles: &[f64; 6], gravity: &Vec3) -> [f64; 6] {
    let poses = links(angles);
    std::array::from_fn(|k| {
        let (point, axis) = AXES[k];
        let (rotation, shift) = poses[k];
        let (p, a) = (
            rotation * Vec3::from(point) + shift,
            rotation * Vec3::from(axis),
        );
        let carried = LINKS.iter().zip(&poses).skip(k);
        let moment = carried.map(|((mass, centre), (rotation, shift))| {
            let c = rotation * Vec3::from(*centre) + shift;
            (c - p).cross(&(gravity * *mass))
        });
        -a.dot(&moment.sum::<Vec3>())
    })
}

/// In equilibrium friction is idle: the drives hold the weight, on the floor, on a wall, overhead.
#[test]
fn drives_hold_the_weight_in_every_pose() {
    let mut simulation = arm();
    for (targets, tilt) in [
        ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.0),
        ([0.4, 0.9, -0.3, 0.5, 0.8, -1.0], 0.0),
        ([-1.2, 1.4, 0.2, -0.7, -0.9, 2.0], 0.0),
        ([0.7, -0.8, 1.1, 1.3, 0.4, 0.3], std::f64::consts::FRAC_PI_2),
        ([-0.3, 0.5, 0.6, -1.6, 1.1, -0.4], std::f64::consts::PI),
    ] {
        for (k, target) in targets.into_iter().enumerate() {
            simulation.set_input(InputId::from(k), target);
        }
        simulation.set_input(InputId::from(6), tilt);
        simulation.set_step(1e-3);
        simulation.initialize(0.0).unwrap();
        let angles = outputs(&simulation, "angle");
        for (angle, target) in angles.iter().zip(targets) {
            assert!((angle - target).abs() < 0.02, "{angle} for {target}");
        }
        let (rotation, shift) = links(&angles)[5];
        let tool = rotation * Vec3::from(TOOL) + shift;
        let found = ["tool_x", "tool_y", "tool_z"].map(|name| output(&simulation, name));
        assert!((tool - Vec3::from(found)).norm() < 1e-9, "{tool} {found:?}");
        let gravity = Vec3::new(-9.81 * sin(tilt), 0.0, -9.81 * cos(tilt));
        let wanted = holding(&angles, &gravity);
        let torques = outputs(&simulation, "torque");
        for (torque, wanted) in torques.iter().zip(wanted) {
            assert!((torque - wanted).abs() < 1e-5, "{torques:?} {wanted}");
        }
        // And it stays.
        for _ in 0..200 {
            simulation.step().unwrap();
        }
        for (now, then) in outputs(&simulation, "angle").iter().zip(angles) {
            assert!((now - then).abs() < 1e-8);
        }
    }
}

/// A step of the target: the whole torque, then the speed that its limit and the load make, then rest,
/// where friction holds part of the weight, within break-away.
#[test]
fn limits_and_friction_show_in_a_move() {
    let (kp, kd, speed, torque) = (40_000.0, 1800.0, 2.6, 400.0);
    let mut simulation = arm();
    simulation.set_step(1e-3);
    simulation.initialize(0.0).unwrap();
    simulation.set_input(InputId::from(1), 1.2);
    let (mut limited, mut strongest) = (0, 0.0_f64);
    for _ in 0..4000 {
        simulation.step().unwrap();
        let [angle, rate, effort] =
            ["angle_2", "speed_2", "torque_2"].map(|name| output(&simulation, name));
        strongest = strongest.max(effort.abs());
        // Far from the target the limit stands in for it: u = kd (V - q').
        let far = kp * (1.2 - angle) > 1.1 * kd * speed;
        if far && effort.abs() < 0.9 * torque {
            let wanted = kd * (speed - rate);
            assert!((effort - wanted).abs() < 1e-6, "{effort} {wanted}");
            limited += 1;
        }
        // Overspeed is what the falling arm takes to be braked: its weight over kd.
        assert!(rate < speed + 70.0 / kd, "{rate}");
    }
    assert!(limited > 100, "{limited} steps at the speed limit");
    assert!(
        strongest > 250.0 && strongest <= torque + 1e-9,
        "{strongest} N m"
    );
    let angles = outputs(&simulation, "angle");
    let wanted = holding(&angles, &Vec3::new(0.0, 0.0, -9.81));
    let (torques, friction) = (
        outputs(&simulation, "torque"),
        outputs(&simulation, "friction_torque"),
    );
    for k in 0..6 {
        let off = torques[k] + friction[k] - wanted[k];
        assert!(off.abs() < 1e-6, "axis {}: {off}", k + 1);
        let speed = outputs(&simulation, "speed")[k];
        assert!(speed.abs() < 1e-8, "axis {}: {speed} rad/s", k + 1);
    }
    assert!(friction[1].abs() < 20.0, "{friction:?}");
}

/// Moments of inertia of the links about their centres of mass [kg m²], in ground's axes with all angles
/// zero.
const INERTIAS: [[f64; 3]; 6] = [
    [0.3, 0.34, 0.25],
    [0.24, 0.25, 0.05],
    [0.035, 0.05, 0.045],
    [0.008, 0.045, 0.044],
    [0.002, 0.004, 0.004],
    [0.006, 0.012, 0.012],
];

/// Torques about the axes that a motion takes, from its angles a time h before, at and after: momentum
/// and angular momentum of all that an axis carries, by differences of second order.
fn moving(angles: &[[f64; 6]; 3], h: f64, gravity: &Vec3) -> [f64; 6] {
    let poses = angles.each_ref().map(links);
    let place = |n: usize, k: usize| poses[n][k].0 * Vec3::from(LINKS[k].1) + poses[n][k].1;
    // Angular momentum halfway between two poses.
    let spin = |n: usize, k: usize| {
        let step = log(&(poses[n + 1][k].0 * poses[n][k].0.transpose()));
        let half = exp(&(step * 0.5)) * poses[n][k].0;
        half * Mat3::from_diagonal(&Vec3::from(INERTIAS[k])) * half.transpose() * step / h
    };
    std::array::from_fn(|axis| {
        let (rotation, shift) = poses[1][axis];
        let (point, direction) = (
            rotation * Vec3::from(AXES[axis].0) + shift,
            rotation * Vec3::from(AXES[axis].1),
        );
        let moment = (axis..6).map(|k| {
            let [before, now, after] = [0, 1, 2].map(|n| place(n, k));
            let acceleration = (after - now * 2.0 + before) / (h * h);
            (now - point).cross(&((acceleration - gravity) * LINKS[k].0))
                + (spin(1, k) - spin(0, k)) / h
        });
        direction.dot(&moment.sum::<Vec3>())
    })
}

/// Drives and friction together are what the motion takes, to the order of the step.
#[test]
fn torques_are_those_of_the_motion() {
    let reach = [1.2, 0.7, -0.9, 1.4, 1.1, -2.0];
    let worst = |h: f64| {
        let mut simulation = arm();
        simulation.set_step(h);
        simulation.initialize(0.0).unwrap();
        let (mut history, mut given) = (vec![[0.0; 6]; 3], [0.0; 6]);
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        while simulation.time() < 0.45 {
            let t = simulation.time() + h;
            let part = 0.5 * (1.0 - cos(2.0 * std::f64::consts::PI * t));
            for (k, reach) in reach.iter().enumerate() {
                simulation.set_input(InputId::from(k), reach * part);
            }
            let before = given;
            simulation.step().unwrap();
            let (drives, friction) = (
                outputs(&simulation, "torque"),
                outputs(&simulation, "friction_torque"),
            );
            given = std::array::from_fn(|k| drives[k] + friction[k]);
            history.rotate_left(1);
            history[2] = outputs(&simulation, "angle");
            // All axes slide by then, and none has turned yet.
            if simulation.time() > 0.25 {
                let angles = [history[0], history[1], history[2]];
                let wanted = moving(&angles, h, &Vec3::new(0.0, 0.0, -9.81));
                for k in 0..6 {
                    worst = worst.max((before[k] - wanted[k]).abs());
                    largest = largest.max(wanted[k].abs());
                }
            }
        }
        (worst, largest)
    };
    let ((coarse, _), (fine, largest)) = (worst(1e-3), worst(5e-4));
    let order = (coarse / fine).log2();
    eprintln!("arm in motion: {fine:.1e} of {largest:.0} N m at 0.5 ms, order {order:.2}");
    assert!(largest > 50.0, "{largest}");
    assert!(fine < 2e-3 && order > 1.8, "{fine} {order}");
}
