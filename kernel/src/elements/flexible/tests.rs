#![expect(clippy::unwrap_used, reason = "tests")]

mod frames;

use super::frame::Frame;
use super::*;
use crate::elements::bodies::InertiaTerm;
use crate::elements::kinematics::{BodyKinematics, Weights};
use crate::flex::{FlexData, Invariants, Mode, Nodal, Node, STIFFENINGS, Settings, Switches};
use crate::math::rotation::{exp, from_euler_313};
use alloc::string::{String, ToString};
use alloc::vec;
use serde_json::Value;

include!("../../../tests/rational_body.rs");

fn plain() -> Settings {
    Settings {
        modes: vec![0, 1, 2],
        switches: Switches::FULL,
        ratios: vec![0.0; 3],
        quasi_static: vec![false; 3],
        preload: false,
        stiffening: false,
    }
}

fn reference(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn list(v: &Value) -> Vec<f64> {
    v.as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

/// Frame and modal coordinates from 3-1-3 angles and their rates about the origin of the file.
fn state(data: &FlexData, xi: &[f64], rates: &[f64]) -> (BodyKinematics, Motion) {
    let (psi, theta, phi) = (xi[3], xi[4], xi[5]);
    let rotation = from_euler_313(psi, theta, phi);
    // ω = B (ψ̇, θ̇, φ̇), body axes.
    let z = rotation.transpose() * Vec3::z();
    let node = crate::math::rotation::about_z(-phi) * Vec3::x();
    let w = z * rates[3] + node * rates[4] + Vec3::z() * rates[5];
    let center = data.invariants.center();
    let body = BodyKinematics::new(
        (Vec3::new(xi[0], xi[1], xi[2]) + rotation * center, rotation),
        (
            Vec3::new(rates[0], rates[1], rates[2]) + rotation * w.cross(&center),
            w,
        ),
        (Vec3::zeros(), Vec3::zeros()),
    );
    let mut motion = Motion::new(3);
    motion.q.copy_from_slice(&xi[6..]);
    motion.v.copy_from_slice(&rates[6..]);
    (body, motion)
}

/// Accelerations of a free body against values from nodal sums and from Lagrange's equations.
#[test]
fn a_free_body_accelerates_as_published() {
    let text = include_str!("../../../../tests/truth/E10_ffr_eom_pointwise/reference.json");
    let case = reference(text);
    let gravity = Vec3::from_column_slice(&list(&case["gravity"]));
    let data = data();
    let mut flexible = Flexible::new(&data, &plain());
    flexible.damping = vec![1.2, 0.8, 2.0];
    let center = data.invariants.center();
    for published in case["states"].as_array().unwrap() {
        let (mut body, mut motion) =
            state(&data, &list(&published["xi"]), &list(&published["xid"]));
        let a = list(&published["xidd"]);
        let origin = Vec3::from_column_slice(&a[..3]);
        body.w_dot = Vec3::from_column_slice(&list(&published["omegadot_body"]));
        let w = body.w;
        body.a = origin + body.rotation * (body.w_dot.cross(&center) + w.cross(&w.cross(&center)));
        let body = BodyKinematics::new(
            (body.r, body.rotation),
            (body.v, body.w),
            (body.a, body.w_dot),
        );
        motion.a.copy_from_slice(&a[6..]);
        flexible.evaluate(&body, PLAIN, &mut motion);
        let mut modal = [0.0; 3];
        let loads = flexible.motion(&body.rotation, &motion, &gravity, &mut modal);
        let energy = flexible.kinetic_energy(&body, &motion);
        assert!((energy / published["kinetic_energy"].as_f64().unwrap() - 1.0).abs() < 1e-13);
        let size = 6.5 * origin.norm();
        assert!(loads.force.norm() < 1e-11 * size, "{}", loads.force);
        assert!(loads.torque.norm() < 1e-11 * size, "{}", loads.torque);
        assert!(modal.iter().all(|x| x.abs() < 1e-11 * size), "{modal:?}");
    }
}

fn random(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn vector(seed: &mut u64) -> Vec3 {
    Vec3::from_fn(|_, _| random(seed))
}

fn tumbling(seed: &mut u64) -> (BodyKinematics, Motion) {
    let body = BodyKinematics::new(
        (vector(seed), exp(&(vector(seed) * 2.0))),
        (vector(seed), vector(seed) * 3.0),
        (vector(seed) * 4.0, vector(seed) * 5.0),
    );
    let mut motion = Motion::new(3);
    for j in 0..3 {
        motion.q[j] = 0.2 * random(seed);
        motion.v[j] = random(seed);
        motion.a[j] = 3.0 * random(seed);
    }
    (body, motion)
}

/// Kinetic energy from the invariants, and momentum from `times`, against sums over the nodes.
#[test]
fn energy_and_momentum_are_those_of_the_nodes() {
    let mut data = data();
    let masses = [1.5, 1.0, 1.25, 2.0, 0.75];
    let nodal = data.nodes.iter().zip(masses).map(|(node, mass)| Nodal {
        mass,
        inertia: Mat3::zeros(),
        position: node.position,
        translation: &node.translation,
        rotation: &node.rotation,
    });
    data.invariants = Invariants::lumped(3, nodal);
    let flexible = Flexible::new(&data, &plain());
    let center = data.invariants.center();
    let mut seed = 7;
    for _ in 0..10 {
        let (body, mut motion) = tumbling(&mut seed);
        flexible.evaluate(&body, PLAIN, &mut motion);
        let (mut energy, mut momentum, mut spin) = (0.0, Vec3::zeros(), Vec3::zeros());
        for (node, mass) in data.nodes.iter().zip(masses) {
            let frame = Frame {
                offset: node.position - center,
                translation: node.translation.clone(),
                rotation: node.rotation.clone(),
                exact: true,
            };
            let own = Frame::kinematics(&frame.relative_motion(&motion), &body);
            energy += 0.5 * mass * own.v.norm_squared();
            momentum += own.v * mass;
            spin += (own.r - body.r).cross(&own.v) * mass;
        }
        let found = flexible.kinetic_energy(&body, &motion);
        assert!((found - energy).abs() < 1e-13 * energy, "{found} {energy}");
        let mut modal = [0.0; 3];
        let rates = (&body.v, &body.w, &motion.v[..]);
        let loads = flexible.times(&body.rotation, &motion, rates, &mut modal);
        assert!((loads.force - momentum).norm() < 1e-12);
        assert!((body.rotation * loads.torque - spin).norm() < 1e-12);
    }
}

/// The state at a small displacement along the unknowns.
fn displaced(
    (body, motion): (&BodyKinematics, &Motion),
    direction: &[f64; 9],
    (weights, step): (&Weights, f64),
) -> (BodyKinematics, Motion) {
    let d: Vec<f64> = direction.iter().map(|x| x * step).collect();
    let (dx, psi) = (Vec3::new(d[0], d[1], d[2]), Vec3::new(d[3], d[4], d[5]));
    let own = body.rotation.tr_mul(&psi);
    let moved = BodyKinematics::new(
        (
            body.r + dx * weights.x,
            exp(&(psi * weights.x)) * body.rotation,
        ),
        (body.v + dx * weights.u, body.w + own * weights.u),
        (body.a + dx * weights.a, body.w_dot + own * weights.a),
    );
    let mut bent = motion.clone();
    for j in 0..3 {
        bent.q[j] += weights.x * d[6 + j];
        bent.v[j] += weights.u * d[6 + j];
        bent.a[j] += weights.a * d[6 + j];
    }
    (moved, bent)
}

/// The equations of motion themselves.
const PLAIN: (&InertiaTerm, &[f64]) = (
    &InertiaTerm {
        weight: 1.0,
        force: Vec3::new(0.0, 0.0, 0.0),
        torque: Vec3::new(0.0, 0.0, 0.0),
    },
    &[0.0; 3],
);

const WEIGHTS: Weights = Weights {
    x: 1.0,
    u: 2.5,
    a: 6.0,
    l: 1.0,
    z: 1.0,
};

fn unit(k: usize) -> [f64; 9] {
    core::array::from_fn(|n| f64::from(u8::from(n == k)))
}

#[test]
fn slopes_are_those_of_differences() {
    let data = data();
    let mut options = plain();
    (options.preload, options.stiffening) = (true, true);
    options.ratios = vec![0.01, 0.2, 1.0];
    options.quasi_static[2] = true;
    let flexible = Flexible::new(&data, &options);
    let gravity = Vec3::new(1.0, -9.0, 2.0);
    let term = InertiaTerm {
        weight: 1.3,
        force: Vec3::new(0.2, 0.1, -0.4),
        torque: Vec3::new(-0.7, 0.3, 0.9),
    };
    let run = |state: &(BodyKinematics, Motion)| -> ([f64; 9], Loads, Motion) {
        let mut motion = state.1.clone();
        flexible.evaluate(&state.0, (&term, &[0.5, -0.8, 0.3]), &mut motion);
        let mut modal = [0.0; 3];
        let loads = flexible.motion(&state.0.rotation, &motion, &gravity, &mut modal);
        let torque = state.0.rotation * loads.torque;
        let f = loads.force;
        (
            [
                f.x, f.y, f.z, torque.x, torque.y, torque.z, modal[0], modal[1], modal[2],
            ],
            loads,
            motion,
        )
    };
    let mut seed = 3;
    for _ in 0..5 {
        let state = tumbling(&mut seed);
        let (_, loads, motion) = run(&state);
        let mut slopes = Slopes::new(3);
        let inertial = Weights {
            a: WEIGHTS.a * term.weight,
            ..WEIGHTS
        };
        flexible.slopes(
            &state.0,
            &motion,
            (&gravity, &loads),
            &inertial,
            &mut slopes,
        );
        for k in 0..9 {
            let h = 1e-6;
            let at = |step| run(&displaced((&state.0, &state.1), &unit(k), (&WEIGHTS, step))).0;
            let (plus, minus) = (at(h), at(-h));
            for row in 0..9 {
                let difference = (plus[row] - minus[row]) / (2.0 * h);
                let found = match (row, k) {
                    (0..6, 0..6) => slopes.rigid[k][row],
                    (0..6, _) => slopes.columns[k - 6][row],
                    (_, 0..6) => slopes.rows[row - 6][k],
                    _ => slopes.modal[(k - 6) * 3 + row - 6],
                };
                let size = 1.0 + difference.abs();
                assert!(
                    (found - difference).abs() < 2e-7 * size,
                    "{row} {k}: {found} {difference}"
                );
            }
        }
    }
}

/// The metric is the matrix that `times` multiplies by.
#[test]
fn the_metric_is_the_mass_matrix() {
    let flexible = Flexible::new(&data(), &plain());
    let (body, mut motion) = tumbling(&mut 11);
    flexible.evaluate(&body, PLAIN, &mut motion);
    let mut slopes = Slopes::new(3);
    flexible.metric(&body.rotation, &motion, 0.01, &mut slopes);
    for k in 0..9 {
        let x = unit(k);
        let (linear, angular) = (Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]));
        let mut modal = [0.0; 3];
        let own = body.rotation.tr_mul(&angular);
        let loads = flexible.times(
            &body.rotation,
            &motion,
            (&linear, &own, &x[6..]),
            &mut modal,
        );
        let torque = body.rotation * loads.torque;
        for row in 0..3 {
            let found = |row: usize| match k {
                0..6 if row < 6 => slopes.rigid[k][row],
                0..6 => slopes.rows[row - 6][k],
                _ if row < 6 => slopes.columns[k - 6][row],
                _ => slopes.modal[(k - 6) * 3 + row - 6],
            };
            assert!((found(row) - loads.force[row]).abs() < 1e-12);
            assert!((found(3 + row) - torque[row]).abs() < 1e-12);
            assert!((found(6 + row) - modal[row]).abs() < 1e-12);
        }
    }
}
