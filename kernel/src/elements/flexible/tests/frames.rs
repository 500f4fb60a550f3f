//! Tests of node frames, against a published case and finite differences.

use super::*;
use crate::elements::flexible::frame::Maps;
use crate::elements::wrench::Wrench;

fn frame(exact: bool) -> Frame {
    let data = data();
    let node = &data.nodes[3];
    Frame {
        offset: node.position - data.invariants.center(),
        translation: node.translation.clone(),
        rotation: node.rotation.clone(),
        exact,
    }
}

/// Position, velocity, angular velocity and generalised loads of a marker on a node, as published, with small
/// rotations as in that case.
#[test]
fn a_marker_on_a_node_moves_as_published() {
    let text = include_str!("../../../../../tests/truth/E11_flex_marker_and_loads/reference.json");
    let case = reference(text);
    let data = data();
    let (body, motion) = state(&data, &list(&case["xi"]), &list(&case["xid"]));
    let frame = frame(false);
    let relative = frame.relative_motion(&motion);
    let own = Frame::kinematics(&relative, &body);
    let vector = |name: &str| Vec3::from_column_slice(&list(&case[name]));
    assert!((own.r - vector("marker_position")).norm() < 1e-13);
    assert!((own.v - vector("marker_velocity")).norm() < 1e-12);
    assert!((own.omega - vector("angular_velocity_global")).norm() < 1e-12);
    let axes = own.rotation * from_euler_313(0.2, 0.5, -0.1);
    let published = &case["marker_orientation_A_BR*(I+theta~)*A_MP"];
    for row in 0..3 {
        for (column, x) in list(&published[row]).into_iter().enumerate() {
            assert!((axes[(row, column)] - x).abs() < 1e-13);
        }
    }
    let (force, torque) = (
        axes * vector("force_marker_axes"),
        axes * vector("torque_marker_axes"),
    );
    assert!((force - vector("Q_translational_global")).norm() < 1e-12);
    let mut maps = Maps::new(3);
    let still = Weights {
        x: 1.0,
        u: 0.0,
        a: 0.0,
        l: 1.0,
        z: 1.0,
    };
    frame.maps((&relative, &own), &body, &still, &mut maps);
    for (j, expected) in list(&case["Q_modal"]).into_iter().enumerate() {
        let column = maps.columns[0][6 + j];
        let on =
            |v: &Vec3, at: usize| v.x * column[at] + v.y * column[at + 1] + v.z * column[at + 2];
        let found = on(&force, 0) + on(&torque, 3);
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    let power = force.dot(&own.v) + torque.dot(&own.omega);
    assert!((power - case["power"].as_f64().unwrap()).abs() < 1e-12);
}

/// A vector of a column's upper or lower half.
fn half(column: &[f64; 6], at: usize) -> Vec3 {
    Vec3::new(column[at], column[at + 1], column[at + 2])
}

/// X, U and A against finite differences.
#[test]
fn maps_of_a_frame_are_those_of_differences() {
    let mut seed = 23;
    for exact in [true, false] {
        let frame = frame(exact);
        let (body, motion) = tumbling(&mut seed);
        let run = |state: &(BodyKinematics, Motion)| {
            Frame::kinematics(&frame.relative_motion(&state.1), &state.0)
        };
        let relative = frame.relative_motion(&motion);
        let own = Frame::kinematics(&relative, &body);
        let mut maps = Maps::new(3);
        frame.maps((&relative, &own), &body, &WEIGHTS, &mut maps);
        for k in 0..9 {
            let h = 1e-6;
            let moved = |step| run(&displaced((&body, &motion), &unit(k), (&WEIGHTS, step)));
            let (p, m) = (moved(h), moved(-h));
            let d = |a: Vec3, b: Vec3| (a - b) / (2.0 * h);
            let column = |n: usize| maps.columns[n][k];
            let psi = half(&column(0), 3) * WEIGHTS.x;
            let spin = (p.rotation - m.rotation) * own.rotation.transpose() / (2.0 * h);
            let spin = Vec3::new(spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]);
            let turned = d(p.omega, m.omega) + own.omega.cross(&psi);
            let gained = d(p.alpha, m.alpha) + own.alpha.cross(&psi);
            for (found, expected, what) in [
                (half(&column(0), 0) * WEIGHTS.x, d(p.r, m.r), "r"),
                (half(&column(1), 0), d(p.v, m.v), "v"),
                (half(&column(2), 0), d(p.a, m.a), "a"),
                (psi, if exact { spin } else { psi }, "psi"),
                (half(&column(1), 3), turned, "omega"),
                (half(&column(2), 3), gained, "alpha"),
            ] {
                let error = (found - expected).norm() / (1.0 + expected.norm());
                assert!(error < 1e-6, "{exact} {k} {what}: {found} {expected}");
            }
        }
    }
}

/// The change of Xᵀ against finite differences.
#[test]
fn leaning_loads_are_those_of_differences() {
    let mut seed = 23;
    for exact in [true, false] {
        let frame = frame(exact);
        let (body, motion) = tumbling(&mut seed);
        let load = Wrench {
            force: Vec3::new(3.0, -1.0, 2.0),
            torque: Vec3::new(0.5, 4.0, -2.0),
        };
        let loads = |state: &(BodyKinematics, Motion)| {
            let relative = frame.relative_motion(&state.1);
            let own = Frame::kinematics(&relative, &state.0);
            let mut maps = Maps::new(3);
            frame.maps((&relative, &own), &state.0, &WEIGHTS, &mut maps);
            let torque = (state.0.rotation * relative.y[0]).cross(&load.force) + load.torque;
            let on = |j: usize| {
                let column = &maps.columns[0][6 + j];
                half(column, 0).dot(&load.force) + half(column, 3).dot(&load.torque)
            };
            [torque.x, torque.y, torque.z, on(0), on(1), on(2)]
        };
        let transfer_tangent =
            frame.transfer_tangent(&frame.relative_motion(&motion), &body, &load);
        let (phi, psi) = (&frame.translation, &frame.rotation);
        let bend = Frame::modal_tangent(&frame.relative_motion(&motion), &body, &transfer_tangent);
        let mut maps = Maps::new(3);
        let relative = frame.relative_motion(&motion);
        let own = Frame::kinematics(&relative, &body);
        frame.maps((&relative, &own), &body, &WEIGHTS, &mut maps);
        let turned = |j: usize| half(&maps.columns[0][6 + j], 3);
        for k in 0..9 {
            let h = 1e-6;
            let moved = |step| loads(&displaced((&body, &motion), &unit(k), (&WEIGHTS, step)));
            let (plus, minus) = (moved(h), moved(-h));
            for row in 0..6 {
                let difference = (plus[row] - minus[row]) / (2.0 * h);
                let found = match (row, k) {
                    (_, 0..3) => 0.0,
                    (0..3, 3..6) => transfer_tangent.rigid[(row, k - 3)],
                    (0..3, _) => transfer_tangent.column(&phi[k - 6])[row],
                    (_, 3..6) => transfer_tangent.row(&phi[row - 3], &psi[row - 3])[k - 3],
                    _ => turned(row - 3).dot(&(bend * psi[k - 6])),
                };
                let error = (found - difference).abs() / (1.0 + difference.abs());
                assert!(error < 1e-6, "{exact} {row} {k}: {found} {difference}");
            }
        }
    }
}
