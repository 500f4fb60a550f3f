//! The press and the washing machine of `models` against closed forms.

use crate::harness::{advance, example, output, start};
use fixstep_kernel::math::{cos, pow, sin};

const PI: f64 = std::f64::consts::PI;

/// Height of the ram's pin and its rate per radian at an angle of the crank from above.
fn ram(angle: f64) -> (f64, f64) {
    let (s, c) = (sin(angle), cos(angle));
    let root = (0.16 - 0.01 * s * s).sqrt();
    (0.598 + 0.1 * c - root, -0.1 * s + 0.01 * s * c / root)
}

/// Depth in the workpiece, its rate, and the force on it at a turn per second.
fn stroke(angle: f64) -> (f64, f64, f64) {
    let (height, slope) = ram(angle);
    let (deep, rate) = (0.1 - height, -slope * 2.0 * PI);
    let force = if deep > 0.0 {
        (4.0 * 1.4e9 * pow(deep, 1.5) * (1.0 + 3.0 * rate)).max(0.0)
    } else {
        0.0
    };
    (deep, rate, force)
}

/// The driven ram follows the kinematics of crank and rod; force and work follow from the law of contact, by a
/// quadrature over the angle; what the drive gives over whole turns is what the workpiece takes.
#[test]
fn the_press_strikes_by_its_kinematics() {
    let mut simulation = example("press");
    start(&mut simulation, 5e-4);
    let (mut largest, mut peak) = (0.0_f64, 0.0_f64);
    while simulation.time() < 1.0 - 1e-9 {
        simulation.step().unwrap();
        let angle = 2.0 * PI * simulation.time();
        let (height, force) = (output(&simulation, "height"), output(&simulation, "force"));
        assert!((height - ram(angle).0).abs() < 1e-9, "{angle}: {height}");
        largest = largest.max((force - stroke(angle).2).abs());
        peak = peak.max(force);
    }
    let angle = |k: u32| f64::from(k) * 2.0 * PI / 1e6;
    let highest = (0..1_000_000)
        .map(|k| stroke(angle(k)).2)
        .fold(0.0, f64::max);
    let power = |k: u32| {
        let (_, rate, force) = stroke(angle(k));
        force * rate * 1e-6
    };
    let wanted: f64 = (0..1_000_000).map(power).sum();
    assert!((peak / highest - 1.0).abs() < 1e-3, "{peak} {highest}");
    assert!(largest < 5e-3 * highest, "{largest}");
    let work = output(&simulation, "work");
    assert!((work / wanted - 1.0).abs() < 2e-3, "{work} {wanted}");
    let supply = output(&simulation, "supply");
    assert!((supply / wanted - 1.0).abs() < 5e-3, "{supply} {wanted}");
}

/// Radius of the steady path at this many turns a second: (m e/M) r²/√((1 − r²)² + (2 ζ r)²).
fn whirl(turns: f64) -> f64 {
    let (mass, stiffness, damping) = (37.5_f64, 2.0 * 4626.0, 2.0 * 70.0);
    let omega = 2.0 * PI * turns;
    let elastic = stiffness - mass * omega * omega;
    let lossy = damping * omega;
    0.5 * 0.22 * omega * omega / (elastic * elastic + lossy * lossy).sqrt()
}

/// Spun up, the tub goes round in the circle of a rotor out of balance on an isotropic support; on its way through
/// the resonance by less than the steady path there.
#[test]
fn the_washing_machine_whirls_as_a_rotor_out_of_balance() {
    let mut simulation = example("washing_machine");
    start(&mut simulation, 1e-3);
    let mut widest = 0.0_f64;
    while simulation.time() < 20.0 {
        simulation.step().unwrap();
        widest = widest.max(output(&simulation, "radius"));
    }
    let resonance = (2.0 * 4626.0_f64 / 37.5).sqrt() / (2.0 * PI);
    assert!(
        widest > 0.8 * whirl(resonance) && widest < 1.02 * whirl(1.05 * resonance),
        "{widest}"
    );
    advance(&mut simulation, 23.0);
    let wanted = whirl(40.0 / 3.0);
    while simulation.time() < 23.2 {
        simulation.step().unwrap();
        let radius = output(&simulation, "radius");
        assert!((radius / wanted - 1.0).abs() < 5e-3, "{radius} {wanted}");
    }
}
