//! The flyball governor and Bricard's mechanism of `models`: the curve of the one, the closed motion of the other.

use crate::harness::{advance, build, example, output, start, truth};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::math::{Mat3, Vec3, asin, cos, pow, rotation, sin};
use fixstep_kernel::simulation::Figure;
use serde_json::{Value, json};

const PI: f64 = std::f64::consts::PI;
const GRAVITY: f64 = 9.81;

/// Height of the sleeve and angular velocity at which the governor balances with its arms so far below the
/// horizontal: arms of 0.3 kg and 1 m with balls of 5 kg at their ends, hinged 0.05 m from the axis and 1 m up, springs
/// of 8e5 N/m from their middles to the sleeve of 3 kg. In the frame that turns, the energy is stationary.
fn balance(arm: f64) -> (f64, f64) {
    let (s, c) = (sin(arm), cos(arm));
    // The sleeve hangs on its springs.
    let (mut length, mut down, mut pull) = (0.5_f64, 0.0, 0.0);
    for _ in 0..20 {
        down = (length * length - 0.25 * c * c).sqrt();
        pull = 1.5 * GRAVITY * length / down;
        length = 0.5 + pull / 8e5;
    }
    // Moments about the hinges, of both arms.
    let springs = pull * c * (0.5 * s + down) / length;
    let weights = 2.0 * GRAVITY * c * (0.15 + 5.0);
    let flying = s * (0.3 * (0.05 + 0.5 * c) + 2.0 * 0.024_997_5 * c + 10.0 * (0.05 + c));
    let rate = ((weights + springs) / flying).sqrt();
    (1.0 - 0.5 * s - down, rate)
}

/// Angular momentum of the governor about its axis per radian a second.
fn inertia(arm: f64) -> f64 {
    let (s, c) = (sin(arm), cos(arm));
    let middle = 0.05 + 0.5 * c;
    let rod = 0.3 * middle * middle + 0.025_002_5 * c * c + 5e-6 * s * s;
    let end = 0.05 + c;
    5e-6 + 0.005 + 2.0 * (rod + 5.0 * end * end)
}

/// Started at the rate that balances it, the governor keeps turning so.
#[test]
fn the_governor_balances_by_the_closed_form() {
    let path = truth("../../models/flyball_governor/model.json");
    let mut model: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (height, rate) = balance(PI / 6.0);
    eprintln!("balance at 30 degrees: {height} m, {rate} rad/s");
    model["parts"][0]["angular_velocity"] = json!([0, 0, rate * 180.0 / PI]);
    model["parts"][1]["position"] = json!([0, 0, height]);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    let mut off = [0.0_f64; 3];
    while simulation.time() < 2.0 - 1e-9 {
        simulation.step().unwrap();
        let wanted = [("height", height), ("arm", 30.0), ("rate", rate)];
        for (off, (name, wanted)) in off.iter_mut().zip(wanted) {
            *off = off.max((output(&simulation, name) - wanted).abs());
        }
    }
    eprintln!("off by {off:?}");
    // What is left is how the scheme turns: in proportion to (rate h)².
    assert!(off[0] < 5e-6 && off[1] < 2e-4 && off[2] < 1e-4, "{off:?}");
}

/// What a torque adds to the angular momentum is its impulse, and what it adds to the energy its work.
#[test]
fn the_governor_takes_up_the_impulse_of_a_torque() {
    let mut simulation = example("flyball_governor");
    start(&mut simulation, 1e-3);
    let momentum = |s: &fixstep_kernel::simulation::Simulation| {
        inertia(output(s, "arm") * PI / 180.0) * output(s, "rate")
    };
    let before = momentum(&simulation);
    assert!((before - inertia(PI / 6.0) * 2.0 * PI).abs() < 1e-9);
    advance(&mut simulation, 1.0);
    assert!((momentum(&simulation) / before - 1.0).abs() < 1e-4);
    simulation.set_input(InputId(0), 8.0);
    advance(&mut simulation, 3.0);
    let gained = momentum(&simulation) - before;
    assert!((gained / 16.0 - 1.0).abs() < 1e-3, "{gained}");
    let (work, error) = (
        simulation.figure(Figure::Work),
        simulation.figure(Figure::EnergyError),
    );
    assert!(error.abs() < 1e-3 * work, "{error} {work}");
}

/// The corners of the ring and the places and axes of its rods when hinges a, c, e have turned by `alpha`, b, d, f by `beta`.
fn ring(alpha: f64, beta: f64) -> Vec<(Vec3, Mat3)> {
    let rods = [
        Vec3::x(),
        -Vec3::y(),
        Vec3::z(),
        -Vec3::x(),
        Vec3::y(),
        -Vec3::z(),
    ];
    let hinges = [
        Vec3::y(),
        Vec3::z(),
        Vec3::x(),
        Vec3::y(),
        Vec3::z(),
        Vec3::x(),
    ];
    let (mut place, mut axes) = (Vec3::zeros(), Mat3::identity());
    let mut found = Vec::new();
    for k in 0..6 {
        let angle = if k % 2 == 0 { alpha } else { beta };
        axes *= rotation::exp(&(hinges[k] * angle));
        found.push((place, axes));
        place += axes * rods[k];
    }
    found
}

/// The two angles at p of the closed curve (1 + sin α)(1 + sin β) = 1, by ln(1 + sin β) = −ln 2 cos p.
fn angles(p: f64) -> (f64, f64) {
    let half = |x: f64, side: f64| {
        let root = (1.0 - pow(2.0, x - 1.0)).max(0.0).sqrt();
        0.5 * PI - 2.0 * asin(if side < 0.0 { -root } else { root })
    };
    (half(cos(p), sin(0.5 * p)), half(-cos(p), cos(0.5 * p)))
}

/// Potential energy at p, and twice the kinetic energy at unit rate of p.
fn energies(p: f64) -> (f64, f64) {
    let lengths = [Vec3::x(), -Vec3::y(), Vec3::z(), -Vec3::x(), Vec3::y()];
    let at = |p: f64| {
        let (alpha, beta) = angles(p);
        ring(alpha, beta)
    };
    let d = 1e-5;
    let (before, here, after) = (at(p - d), at(p), at(p + d));
    let (mut potential, mut inertia) = (0.0, 0.0);
    for (k, along) in lengths.iter().enumerate() {
        let middle = |pose: &(Vec3, Mat3)| pose.0 + pose.1 * along * 0.5;
        potential += GRAVITY * middle(&here[k]).y;
        let velocity = (middle(&after[k]) - middle(&before[k])) / (2.0 * d);
        let spin = rotation::log(&(before[k].1.transpose() * after[k].1)) / (2.0 * d);
        let axial = spin.dot(along);
        // Square section of 0.1 m.
        inertia += velocity.norm_squared()
            + 0.02 / 12.0 * axial * axial
            + 1.01 / 12.0 * (spin.norm_squared() - axial * axial);
    }
    (potential, inertia)
}

/// Every rod turns by its hinges alone, and the ring closes: the formula itself.
#[test]
fn the_ring_of_six_hinges_closes() {
    for k in 0..40 {
        let (alpha, beta) = angles(0.3 * f64::from(k));
        assert!(((1.0 + sin(alpha)) * (1.0 + sin(beta)) - 1.0).abs() < 1e-12);
        let ring = ring(alpha, beta);
        let (place, axes) = ring[5];
        assert!((place + axes * -Vec3::z()).norm() < 1e-14, "{k}");
        assert!((axes - Mat3::identity()).norm() < 1e-14, "{k}");
    }
}

/// The mechanism goes to and fro between its start and the mirror image of it, by the energy of one coordinate: it is at
/// p after the time ∫ √(M/(2 (V₀ − V))) dp.
#[test]
fn bricards_mechanism_moves_by_its_one_coordinate() {
    let mut simulation = example("bricard");
    assert_eq!(simulation.degrees_of_freedom(), 1);
    let redundant = |note: &&String| note.contains("redundant");
    assert_eq!(simulation.notes().iter().filter(redundant).count(), 1);
    let total = energies(0.5 * PI).0;
    // From π/2 to −π/2, by p = π/2 cos a: the integrand is smooth to both ends.
    let count = 4000;
    let piece = PI / f64::from(count);
    let (mut time, mut worst) = (0.0, 0.0_f64);
    start(&mut simulation, 1e-3);
    for k in 0..count {
        let a = (f64::from(k) + 0.5) * piece;
        let p = 0.5 * PI * cos(a);
        let (potential, inertia) = energies(p);
        time += 0.5 * PI * sin(a) * (0.5 * inertia / (total - potential)).sqrt() * piece;
        if k % 400 != 399 {
            continue;
        }
        let there = 0.5 * PI * cos(f64::from(k + 1) * piece);
        let (alpha, beta) = angles(there);
        let corner = ring(alpha, beta)[3].0;
        // The nearest step, and from it by the velocity that the formula has there.
        let steps = (time / 1e-3).round();
        advance(&mut simulation, steps * 1e-3);
        let speed = -(2.0 * (total - energies(there).0).max(0.0) / energies(there).1).sqrt();
        let (alpha, beta) = angles(there + speed * (steps * 1e-3 - time));
        let wanted = ring(alpha, beta)[3].0;
        let got = Vec3::from(["x", "y", "z"].map(|name| output(&simulation, name)));
        worst = worst.max((got - wanted).norm());
        assert!((wanted - corner).norm() < 0.01);
        assert!(
            (output(&simulation, "alpha") - alpha).abs() < 1e-3,
            "{time}"
        );
        assert!((output(&simulation, "beta") - beta).abs() < 1e-3, "{time}");
    }
    eprintln!("half a period {time} s, corner off by {worst:e} m");
    assert!((time - 2.4959).abs() < 1e-4, "{time}");
    assert!(worst < 1e-4, "{worst}");
    // Every step is on the curve, whatever the energy.
    advance(&mut simulation, 10.0);
    let product =
        (1.0 + sin(output(&simulation, "alpha"))) * (1.0 + sin(output(&simulation, "beta")));
    assert!((product - 1.0).abs() < 1e-9, "{product}");
    assert!(simulation.figure(Figure::EnergyError).abs() < 1e-3);
}
