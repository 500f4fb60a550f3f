//! Tests of flexible bodies in motion, against closed forms and independent derivations.

use crate::harness::{Table, advance, output, start};
use crate::soft::{Beam, build};
use crate::states::schemes;
use fixstep_kernel::flex::{FlexData, STIFFENINGS};
use fixstep_kernel::math::{Vec3, cos, exp, sin};
use serde_json::{Value, json};

/// A mechanism with the beam `b` of the file, and markers on its nodes.
fn model(change: impl Fn(&mut Value)) -> Value {
    let marker = |name: &str, node: &str| json!({"name": name, "part": "b", "node": node});
    let mut model = json!({
        "fixstep": 1, "name": "t",
        "flexible_bodies": [{"name": "b", "file": "body.flex", "damping": 0, "dynamic_limit": "none"}],
        "markers": [marker("root", "root"), marker("middle", "middle"), marker("tip", "tip")],
        "solver": {"integrator": "HHT", "alpha": 0},
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    });
    change(&mut model);
    model
}

fn outputs(list: &[(&str, &str)]) -> Value {
    let output = |(name, text): &(&str, &str)| json!({"name": name, "expression": text});
    Value::Array(list.iter().map(output).collect())
}

/// The spin-up of a beam on a hub, whose turn is prescribed.
fn spin_up(speed: f64) -> Value {
    model(|m| {
        let turn = format!("{speed}/15*(TIME**2/2 + (15/(2*PI))**2*(COS(2*PI*TIME/15) - 1))");
        m["joints"] = json!([{"name": "hub", "type": "revolute", "i": "root", "j": "ground"}]);
        m["motions"] = json!([{"name": "spin", "joint": "hub", "displacement": turn}]);
        m["outputs"] = outputs(&[("tip", "DY(tip, root, root)")]);
    })
}

/// Largest distance from a published curve, as part of its largest value.
fn miss(model: &Value, data: &FlexData, curve: &str, until: f64, h: f64) -> f64 {
    let mut simulation = build(model, data);
    start(&mut simulation, h);
    let table = Table::read(&format!("E02_rotating_beam_spinup/{curve}.csv"));
    let (mut worst, mut size) = (0.0_f64, 0.0_f64);
    for row in table.rows.iter().filter(|row| row[0] <= until) {
        advance(&mut simulation, row[0]);
        worst = worst.max((output(&simulation, "tip") - row[1]).abs());
        size = size.max(row[1].abs());
    }
    worst / size
}

/// Without geometric stiffness a beam that is spun up softens; the published curves are of the exact modal
/// equations.
#[test]
fn a_spun_beam_softens_in_linear_theory() {
    let beam = Beam::clamped(10.0, 1.2, 1.4e4, 3);
    let (slow, fast) = (spin_up(2.0), spin_up(6.0));
    let data = beam.data();
    let error = miss(&slow, &data, "linear_ffr_Om2_3modes", 15.0, 0.005);
    let finer = miss(&slow, &data, "linear_ffr_Om2_3modes", 15.0, 0.0025);
    eprintln!("linear, 2 rad/s: {error:e}, {finer:e}");
    assert!(finer < 2e-4 && error / finer > 3.5);
    // Where the solution diverges, errors grow with it.
    let error = miss(&fast, &data, "linear_ffr_Om6_3modes_to9s", 9.0, 0.0025);
    eprintln!("linear, 6 rad/s: {error:e}");
    assert!(error < 1e-3);
}

/// The beam with its geometric stiffness, held at its root, in a file whose origin is at o on its line.
fn stiffened(beam: &Beam, o: f64) -> FlexData {
    let mut data = beam.data();
    let m = beam.shapes.len();
    let mut stiffening = vec![0.0; STIFFENINGS * m * m];
    for (x, mass) in beam.masses() {
        let slopes: Vec<f64> = beam.shapes.iter().map(|shape| shape(x).1).collect();
        // Tension of a body force −ρA (a_x − ω_z² (x − o)), a_x the acceleration of the origin.
        let rest = beam.length - x;
        let spun = 0.5 * (beam.length * beam.length - x * x) - o * rest;
        for (motion, tension) in [(0, -rest), (7, spun), (8, spun)] {
            for j in 0..m {
                for k in 0..m {
                    stiffening[(motion * m + k) * m + j] += mass * tension * slopes[j] * slopes[k];
                }
            }
        }
    }
    data.stiffening = Some(stiffening);
    let origin = Vec3::new(o, 0.0, 0.0);
    data.invariants = data.invariants.about(&origin);
    for node in &mut data.nodes {
        node.position -= origin;
    }
    data
}

/// With geometric stiffness the beam stiffens like a geometrically exact one, wherever its file has the origin.
#[test]
fn a_spun_beam_stiffens_with_its_tension() {
    let beam = Beam::clamped(10.0, 1.2, 1.4e4, 6);
    for origin in [0.0, 5.0, 10.0] {
        let data = stiffened(&beam, origin);
        for (speed, curve) in [(2.0, "stiffened_Om2_6modes"), (6.0, "stiffened_Om6_6modes")] {
            let error = miss(&spin_up(speed), &data, curve, 15.0, 0.0025);
            eprintln!("stiffened, {speed} rad/s, origin at {origin} m: {error:e}");
            assert!(error < 5e-4, "{error}");
        }
    }
}

/// One mode rings down as its damping ratio says, with every scheme that does not damp by itself.
#[test]
fn every_mode_rings_down_by_its_ratio() {
    let beam = Beam::clamped(1.0, 2.0, 40.0, 3);
    let data = beam.data();
    let model = model(|m| {
        m["joints"] = json!([{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}]);
        m["flexible_bodies"][0]["damping"] = json!("0.01*MODE");
        m["outputs"] = outputs(&[("tip", "DY(tip)")]);
    });
    for mode in 0..3 {
        let mut model = model.clone();
        let mut initial = vec![0.0; 3];
        initial[mode] = 0.01;
        model["flexible_bodies"][0]["displacements"] = json!(initial);
        let (zeta, omega) = (
            0.01 * (mode + 1) as f64,
            data.modes[mode].frequency * std::f64::consts::TAU,
        );
        let damped = omega * (1.0 - zeta * zeta).sqrt();
        let mut simulation = build(&model, &data);
        let h = 0.002 / omega;
        start(&mut simulation, h);
        let first = output(&simulation, "tip");
        let until = 10.0 / omega;
        advance(&mut simulation, until);
        let t = simulation.time();
        let expected = first
            * exp(-zeta * omega * t)
            * (cos(damped * t) + zeta * omega / damped * sin(damped * t));
        let found = output(&simulation, "tip");
        eprintln!("mode {}: {found} {expected}", mode + 1);
        assert!((found - expected).abs() < 1e-4 * first.abs());
    }
}

/// A clamped beam sags under its weight and bends under a force at its tip as modal statics say, in static
/// equilibrium and at the end of a damped run.
#[test]
fn a_clamped_beam_sags() {
    let beam = Beam::clamped(1.0, 2.0, 40.0, 6);
    let data = beam.data();
    let force = -3.0;
    let expected: f64 = (0..6)
        .map(|n| {
            let weight: f64 = beam
                .masses()
                .iter()
                .map(|(x, m)| -9.81 * m * (beam.shapes[n])(*x).0)
                .sum();
            let tip = (beam.shapes[n])(1.0).0;
            tip * (weight + force * tip) / beam.stiffness[n]
        })
        .sum();
    let model = model(|m| {
        m["gravity"] = json!([0, -9.81, 0]);
        m["joints"] = json!([{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}]);
        m["forces"] = json!([{"name": "pull", "type": "vector_force", "i": "tip", "j": "ground", "fy": "-3"}]);
        m["flexible_bodies"][0]["damping"] = json!(0.7);
        m["start"] = json!({"equilibrium": {}});
        m["outputs"] = outputs(&[
            ("tip", "DY(tip)"),
            ("turn", "AZ(tip)"),
            ("hold", "FY(root, ground)"),
        ]);
    });
    for (name, solver, _) in schemes() {
        let mut model = model.clone();
        model["solver"] = solver;
        let mut simulation = build(&model, &data);
        start(&mut simulation, 0.001);
        let found = output(&simulation, "tip");
        assert!(
            (found / expected - 1.0).abs() < 1e-8,
            "{name}: {found} {expected}"
        );
        let hold = output(&simulation, "hold");
        assert!((hold - (2.0 * 9.81 + 3.0)).abs() < 1e-6, "{name}: {hold}");
        advance(&mut simulation, 0.1);
        let later = output(&simulation, "tip");
        assert!((later / expected - 1.0).abs() < 1e-7, "{name}: {later}");
    }
    // Quasi-static modes give all of their compliance from the first step on.
    let mut still = model.clone();
    still["start"] = Value::Null;
    still["flexible_bodies"][0]["dynamic_limit"] = json!(0);
    for (name, solver, _) in schemes() {
        let mut model = still.clone();
        model["solver"] = solver;
        let mut simulation = build(&model, &data);
        start(&mut simulation, 0.001);
        advance(&mut simulation, 2.0);
        let found = output(&simulation, "tip");
        assert!(
            (found / expected - 1.0).abs() < 1e-6,
            "{name}, quasi-static: {found} {expected}"
        );
    }
}

/// Loads within a body hold it in equilibrium, without any load on its surroundings.
#[test]
fn a_preloaded_body_rests() {
    let beam = Beam::clamped(1.0, 2.0, 40.0, 3);
    let mut data = beam.data();
    let preload = [0.5, -2.0, 0.25];
    data.preload = Some(preload.to_vec());
    let bend = |x: f64| -> f64 {
        let of = |n: usize| preload[n] / beam.stiffness[n] * (beam.shapes[n])(x).0;
        (0..3).map(of).sum()
    };
    for joints in [
        json!([{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}]),
        json!([{"name": "pin", "type": "revolute", "i": "root", "j": "ground"},
               {"name": "slide", "type": "in_plane", "i": "tip", "j": "floor"}]),
        json!([]),
    ] {
        let model = model(|m| {
            m["joints"] = joints.clone();
            let floor = json!({"name": "floor", "part": "ground",
                "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}});
            m["markers"].as_array_mut().unwrap().push(floor);
            m["start"] = json!({"equilibrium": {}});
            m["outputs"] = outputs(&[("tip", "DY(tip, root, root)")]);
        });
        let mut simulation = build(&model, &data);
        start(&mut simulation, 0.001);
        let found = output(&simulation, "tip");
        assert!((found / bend(1.0) - 1.0).abs() < 1e-9, "{found}");
    }
}

/// A preloaded free body settles where K⁻¹p says, and its momentum stays zero.
#[test]
fn a_preloaded_body_recoils() {
    let beam = Beam::clamped(1.0, 2.0, 40.0, 2);
    let mut data = beam.data();
    data.preload = Some(vec![0.5, -2.0]);
    let model = model(|m| {
        m["flexible_bodies"][0]["damping"] = json!(0.5);
        m["outputs"] = outputs(&[
            ("bend", "DY(tip, root, root)"),
            ("middle", "DY(middle, root, root)"),
        ]);
    });
    let mut simulation = build(&model, &data);
    start(&mut simulation, 0.001);
    advance(&mut simulation, 5.0);
    let expected: f64 = [0.5, -2.0]
        .iter()
        .enumerate()
        .map(|(n, p)| p / beam.stiffness[n] * (beam.shapes[n])(1.0).0)
        .sum();
    let found = output(&simulation, "bend");
    eprintln!("bend {found} {expected}");
    assert!((found / expected - 1.0).abs() < 1e-3);
    // The centre of mass stays where it was: r + R Σ I3 q / m, q from the places of two nodes.
    let shapes = |x: f64| [(beam.shapes[0])(x).0, (beam.shapes[1])(x).0];
    let ([a, b], [c, d]) = (shapes(0.5), shapes(1.0));
    let (middle, tip) = (output(&simulation, "middle"), found);
    let det = a * d - b * c;
    let q = [(middle * d - b * tip) / det, (a * tip - c * middle) / det];
    let i3 = &data.invariants.i3;
    let shift = (i3[0] * q[0] + i3[1] * q[1]) / data.invariants.mass;
    let (r, rotation) = simulation.body_pose(fixstep_kernel::ids::BodyId::from(1));
    let center = r + rotation * shift;
    assert!(
        (center - data.invariants.center()).norm() < 1e-8,
        "{center}"
    );
}
