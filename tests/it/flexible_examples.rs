//! Tests of the flexible bodies of `models` against independent derivations and against one another.

use crate::harness::{advance, example, output, start};
use fixstep_kernel::math::{asin, cos, sin};
use fixstep_kernel::mechanism::{Mode, SolverSettings};
use fixstep_kernel::simulation::Simulation;
use std::f64::consts::PI;

/// Crank, rod, side of the rod's section [m]; steel.
const CRANK: f64 = 0.15;
const ROD: f64 = 0.5;
const SIDE: f64 = 0.02;
const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7850.0;

/// Angle of the crank from its start, speed and acceleration: up to 10 revolutions per second in 0.3 s.
fn crank(t: f64) -> [f64; 3] {
    let full = 2.0 * PI * 10.0;
    let x = (t / 0.3).min(1.0);
    let turned = 0.3 * x * x * x * x * (2.5 - 3.0 * x + x * x) + (t - 0.3).max(0.0);
    let speed = x * x * x * (10.0 - 15.0 * x + 6.0 * x * x);
    let rise = 30.0 * x * x * (1.0 - x) * (1.0 - x) / 0.3;
    [full * turned, full * speed, full * rise]
}

/// Of the rigid mechanism: place of the slider; rate and second rate of the rod's angle; acceleration of the crank
/// pin across the rod.
fn rigid(t: f64) -> [f64; 4] {
    let [turned, w, a] = crank(t);
    let p = turned + PI / 2.0;
    let s = -CRANK * sin(p) / ROD;
    let c = cos(asin(s));
    let rate = -CRANK * w * cos(p) / (ROD * c);
    let second = (-CRANK * (a * cos(p) - w * w * sin(p)) / ROD + rate * rate * s) / c;
    let ax = CRANK * (-a * sin(p) - w * w * cos(p));
    let ay = CRANK * (a * cos(p) - w * w * sin(p));
    [CRANK * cos(p) + ROD * c, rate, second, c * ay - s * ax]
}

/// q̈ of the rod's bending q sin(πs/L) between its pins, pressed by what its slices resist.
fn bending(t: f64, q: f64, v: f64) -> f64 {
    let [_, rate, second, across] = rigid(t);
    let bend = YOUNG * SIDE * SIDE / 12.0 / DENSITY;
    let w2 = PI * PI * PI * PI / (ROD * ROD * ROD * ROD) * bend;
    let load = -2.0 / PI * (2.0 * across + second * ROD);
    load - (w2 - rate * rate) * q - 2.0 * 0.02 * w2.sqrt() * v
}

/// A step of Runge and Kutta.
fn step(t: f64, h: f64, [q, v]: [f64; 2]) -> [f64; 2] {
    let f = |t: f64, x: [f64; 2]| [x[1], bending(t, x[0], x[1])];
    let ahead = |k: [f64; 2], s: f64| [q + s * k[0], v + s * k[1]];
    let k1 = f(t, [q, v]);
    let k2 = f(t + h / 2.0, ahead(k1, h / 2.0));
    let k3 = f(t + h / 2.0, ahead(k2, h / 2.0));
    let k4 = f(t + h, ahead(k3, h));
    let mean = |k: usize| h / 6.0 * (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]);
    [q + mean(0), v + mean(1)]
}

#[test]
fn the_rod_of_the_slider_crank_bends_as_one_shape_between_pins() {
    let mut simulation = example("flexible_slider_crank");
    start(&mut simulation, 0.001);
    let (mut state, mut largest, mut apart) = ([0.0; 2], 0.0_f64, 0.0_f64);
    for k in 1..=600 {
        let t = f64::from(k) * 0.001;
        for part in 0..10 {
            state = step(t - 0.001 + f64::from(part) * 1e-4, 1e-4, state);
        }
        advance(&mut simulation, t);
        // the rod is stretched by no more than 0.02 mm
        let slider = output(&simulation, "slider") - rigid(t)[0];
        assert!(slider.abs() < 2e-5, "{t}: {slider}");
        largest = largest.max((1e3 * state[0]).abs());
        apart = apart.max((1e3 * state[0] - output(&simulation, "bending")).abs());
    }
    // one shape is not all of it: 0.7 %
    assert!((0.28..0.30).contains(&largest), "{largest}");
    assert!(apart < 0.012 * largest, "{apart} of {largest}");
}

#[test]
fn a_blade_and_its_discrete_twin_move_alike() {
    let mut simulation = example("flexible_beam_twins");
    start(&mut simulation, 0.001);
    let (mut side, mut apart, mut mean) = (0.0_f64, [0.0_f64; 2], 0.0);
    for k in 1..=2000 {
        advance(&mut simulation, f64::from(k) * 0.001);
        let value = |name| output(&simulation, name);
        side = side.max(value("blade_side").abs());
        apart[0] = apart[0].max((value("blade_side") - value("chain_side")).abs());
        apart[1] = apart[1].max((value("blade_sag") - value("chain_sag")).abs());
        if k > 1600 {
            mean += value("blade_sag") / 400.0;
        }
    }
    assert!((0.0155..0.0165).contains(&side), "{side}");
    assert!(apart[0] < 0.004 * side, "{apart:?}");
    assert!(apart[1] < 0.002, "{apart:?}");
    // ρ A g L⁴/(8 E I), in millimetres
    let rest = 1e3 * 7850.0 * 3e-4 * 9.81 / (8.0 * YOUNG * 2.25e-8);
    assert!((mean + rest).abs() < 1e-3 * rest, "{mean} {rest}");
}

#[test]
fn the_rocker_rests_where_the_compliance_of_its_mesh_says() {
    // of the finite-element matrices, between the bores, and the mass of their mesh
    let (compliance, arm) = (3.861_668e-4, 0.184_450_87);
    let mut simulation = example("rocker");
    start(&mut simulation, 0.001);
    let (mut most, mut swung) = (0.0_f64, 0.0_f64);
    for k in 1..=2200 {
        advance(&mut simulation, f64::from(k) * 0.001);
        most = most.max(output(&simulation, "deflection").abs());
        swung = swung.max(output(&simulation, "load_angle"));
    }
    // a uniform weight bends a cantilever as 3/8 of it at the tip does
    let rest = -1e3 * (1.0 + 3.0 / 8.0 * arm) * 9.81 * sin(1.0) * compliance;
    let found = output(&simulation, "deflection");
    assert!((found / rest - 1.0).abs() < 2e-3, "{found} {rest}");
    assert!(output(&simulation, "load_angle").abs() < 0.01);
    // weight of load and arm, levers from the pivot
    let held = 9.81 * sin(1.0) * (0.5 + 0.25 * arm);
    assert!((output(&simulation, "torque") / held - 1.0).abs() < 2e-3);
    // bending moment 50 mm from the pivot over the modulus of 10 by 12 mm²; the eyes around the bores, heavier
    // than the bar, count as bar
    let moment = 9.81 * sin(1.0) * (0.45 + 0.5 * 0.45 * 0.9 * arm);
    let stress = 1e-6 * moment / 2.4e-7;
    assert!((output(&simulation, "stress") / stress - 1.0).abs() < 5e-3);
    // what the README of the example says about the swing
    assert!((5.9..6.2).contains(&most), "{most}");
    assert!((1.4..1.5).contains(&swung), "{swung}");
}

/// The slider-crank with a flexible rod at its start, in a mode with an HRATIO.
fn in_mode(mode: Mode, hratio: u32) -> Simulation {
    let mut simulation = example("flexible_slider_crank");
    let settings = SolverSettings {
        mode,
        hratio,
        error: Some(1e-7),
        ..simulation.settings().clone()
    };
    simulation.set_settings(settings).unwrap();
    simulation.initialize(0.0).unwrap();
    simulation.set_step(1e-3);
    simulation
}

/// The fixed step takes the inertia of modes that it cannot resolve. A variable step resolves them, and HRATIO is nothing to it.
#[test]
fn a_variable_step_leaves_all_modes_their_inertia() {
    let lost = |simulation: &Simulation| {
        let notes = simulation.notes().iter();
        notes
            .filter(|note| note.contains("lose their inertia"))
            .count()
    };
    assert_eq!(lost(&in_mode(Mode::Fixed, 1)), 1);
    let run = |hratio| {
        let mut simulation = in_mode(Mode::Variable, hratio);
        assert_eq!(lost(&simulation), 0);
        advance(&mut simulation, 0.05);
        let outputs = 0..simulation.mechanism().outputs.len();
        outputs
            .map(|k| simulation.output(k.into()).to_bits())
            .collect::<Vec<u64>>()
    };
    assert_eq!(run(1), run(7));
    // Back in fixed mode the modes are lost again.
    let mut back = in_mode(Mode::Variable, 1);
    let settings = SolverSettings {
        mode: Mode::Fixed,
        ..back.settings().clone()
    };
    back.set_settings(settings).unwrap();
    back.initialize(0.0).unwrap();
    assert_eq!(lost(&back), 1);
}
