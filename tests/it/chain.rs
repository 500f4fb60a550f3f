//! The chain of `models` against integrations of others, and its small swings against their frequencies.

use crate::harness::{advance, build, output, start, truth};
use fixstep_kernel::math::sin;
use fixstep_kernel::simulation::Figure;
use fixstep_model::resources;
use serde_json::{Value, json};

/// The chain with so many of its links.
fn chain(links: usize) -> Value {
    let path = truth("../../models/chain/model.json");
    let mut model: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    model["constants"]["links"] = json!(links);
    model
}

/// Where the tip is at a time, by steps of so much.
fn tip(model: &Value, h: f64, time: f64) -> [f64; 3] {
    let mut simulation = build(&model.to_string());
    start(&mut simulation, h);
    advance(&mut simulation, time);
    ["x", "y", "z"].map(|name| output(&simulation, name))
}

/// Largest difference of two places.
fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    let all = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    all.fold(0.0, f64::max)
}

/// References: Runge-Kutta of order 4 over the joint angles, the mass matrix built of Jacobians, in steps of 0.5 ms;
/// that of ten links after a second is also what MuJoCo, Exudyn and `MBDyn` find, to their three to four digits.
#[test]
fn the_chain_falls_as_in_joint_coordinates() {
    let ten = chain(10);
    let forty = chain(40);
    for (name, model, time, wanted, allowed) in [
        (
            "ten links",
            &ten,
            0.5,
            [-0.247_891_278, -0.224_335_537, -0.863_372_692],
            2e-4,
        ),
        (
            "ten links",
            &ten,
            1.0,
            [-0.877_087_500, 0.013_491_734, -0.113_258_027],
            2e-4,
        ),
        (
            "forty links",
            &forty,
            0.5,
            [3.511_632_899, -0.375_000_904, -1.162_502_383],
            2e-4,
        ),
        (
            "forty links",
            &forty,
            1.0,
            [-1.035_355_971, -0.993_191_255, -3.258_470_736],
            2e-3,
        ),
    ] {
        let coarse = apart(tip(model, 1e-3, time), wanted);
        let fine = apart(tip(model, 5e-4, time), wanted);
        eprintln!("{name} at {time} s: off by {coarse:.2e} m, with half the step {fine:.2e} m");
        assert!(coarse < allowed && fine < 0.3 * coarse, "{coarse} {fine}");
    }
}

/// Released, the chain keeps its energy until it whips.
#[test]
fn the_chain_turns_its_height_into_speed() {
    let mut simulation = build(&chain(40).to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 1.0);
    let kinetic = simulation.figure(Figure::KineticEnergy);
    let sum = kinetic + simulation.figure(Figure::PotentialEnergy);
    assert!(
        kinetic > 250.0 && sum.abs() < 1e-3 * kinetic,
        "{kinetic} {sum}"
    );
}

/// The slowest swing of the hanging chain in one plane: its angular frequency, and the angles of the rods that two
/// links between parallel hinges make, the largest 1.
///
/// With the rods' length a, mass m and moment of inertia I, T = ½ Σ (m ẏ² + I θ̇²) with the middles at y and
/// V = ½ g Σ (a · mass below + m a/2) θ².
fn slowest_swing(rods: usize, gravity: f64) -> (f64, Vec<f64>) {
    let (a, m) = (0.2, 1.0);
    let inertia = 2.0 * (0.5 * (0.01 + 0.0004) / 12.0 + 0.5 * 0.05 * 0.05);
    let stiffness = |k: usize| gravity * m * a * ((rods - 1 - k) as f64 + 0.5);
    let mut shape = vec![1.0; rods];
    let mut eigenvalue = 0.0;
    for _ in 0..200 {
        // Momenta of the middles, from the last rod up what each angle moves.
        let mut middle = Vec::new();
        let mut hinge = 0.0;
        for angle in &shape {
            middle.push(hinge + 0.5 * a * angle);
            hinge += a * angle;
        }
        let mut below = 0.0;
        let mut next = vec![0.0; rods];
        for k in (0..rods).rev() {
            let load = m * (0.5 * a * middle[k] + a * below) + inertia * shape[k];
            next[k] = load / stiffness(k);
            below += middle[k];
        }
        eigenvalue = next.iter().copied().fold(0.0, f64::max);
        shape = next.iter().map(|x| x / eigenvalue).collect();
    }
    (1.0 / eigenvalue.sqrt(), shape)
}

/// Hung up and pushed in the shape of its slowest swing, the chain swings at that frequency, which is close to that of a
/// heavy rope: 2.404826/2 √(g/L), half the first zero of the Bessel function J₀.
#[test]
fn the_hanging_chain_swings_at_its_frequency() {
    let flat = fixstep_model::expanded("", &chain(40).to_string(), &resources::none).unwrap();
    let mut model: Value = serde_json::from_str(&flat).unwrap();
    model["gravity"] = json!([9.81, 0, 0]);
    let (omega, shape) = slowest_swing(20, 9.81);
    let rope = 0.5 * 2.404_825_557_695_773 * (9.81_f64 / 4.0).sqrt();
    eprintln!("slowest swing {omega} rad/s, rope {rope} rad/s");
    assert!((omega / rope - 1.0).abs() < 2e-3);
    let push = 1e-3;
    for k in 0..40 {
        let rate = if k % 2 == 1 {
            0.0
        } else if k == 0 {
            shape[0]
        } else {
            shape[k / 2] - shape[k / 2 - 1]
        };
        let degrees = push * rate * 180.0 / std::f64::consts::PI;
        model["joints"][k]["initial"] = json!({"angular_velocity": degrees});
    }
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    let reach = push * 0.2 * shape.iter().sum::<f64>() / omega;
    let mut worst = 0.0_f64;
    while simulation.time() < 4.0 {
        simulation.step().unwrap();
        let wanted = -reach * sin(omega * simulation.time());
        worst = worst.max((output(&simulation, "z") - wanted).abs());
        assert!(output(&simulation, "y").abs() < 1e-9);
    }
    eprintln!("off by {:.2e} of its reach", worst / reach);
    assert!(worst < 1e-4 * reach, "{worst} {reach}");
}
