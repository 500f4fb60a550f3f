//! Kinematic runs against closed forms, published references and the integrated run.

use crate::harness::{Table, advance, build, json, output, start};
use fixstep_kernel::math::{acos, atan2, cos, sin};
use fixstep_kernel::simulation::StepFailure;
use serde_json::{Value, json};

/// A point in the plane, or a vector.
pub(crate) type Plane = [f64; 2];

/// A model that runs in a mode.
fn with_mode(mut model: Value, mode: &str) -> Value {
    if model["solver"].is_null() {
        model["solver"] = json!({});
    }
    model["solver"]["mode"] = mode.into();
    model
}

/// A planar link: name, from, to, mass; its centre of mass is in the middle, and its axes begin in `from`.
pub(crate) fn link(name: &str, from: Plane, to: Plane, mass: f64) -> Value {
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    let angle = atan2(to[1] - from[1], to[0] - from[0]);
    let half = 0.5 * angle;
    json!({
        "name": name, "mass": mass, "position": [from[0], from[1], 0],
        "orientation": {"quaternion": [cos(half), 0, 0, sin(half)]},
        "center_of_mass": [0.5 * length, 0, 0],
        "inertia": {"xx": 1e-4, "yy": inertia(mass, length), "zz": inertia(mass, length)},
    })
}

fn inertia(mass: f64, length: f64) -> f64 {
    mass * length * length / 12.0
}

/// A four-bar in the plane: crank, coupler and rocker, with lengths of these and of ground, at a crank angle. The crank
/// follows `drive`.
pub(crate) fn four_bar(lengths: [f64; 4], angle: f64, drive: &Value) -> Value {
    let [a, b, c, d] = lengths;
    let tip = [a * cos(angle), a * sin(angle)];
    let (beta, gamma) = closed(lengths, angle, 1.0);
    let end = [tip[0] + b * cos(beta), tip[1] + b * sin(beta)];
    assert!((end[0] - d - c * cos(gamma)).abs() < 1e-12);
    let marker =
        |name: &str, part: &str, x: f64| json!({"name": name, "part": part, "position": [x, 0, 0]});
    let mut drive = drive.clone();
    drive["name"] = "drive".into();
    drive["joint"] = "A".into();
    json!({
        "fixstep": 1, "name": "four_bar",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "gravity": [0, -9.81, 0],
        "parts": [
            link("crank", [0.0, 0.0], tip, 1.1),
            link("coupler", tip, end, 0.7),
            link("rocker", [d, 0.0], end, 0.9),
        ],
        "markers": [
            marker("A0", "ground", 0.0), marker("D0", "ground", d),
            marker("A1", "crank", 0.0), marker("B1", "crank", a),
            marker("B2", "coupler", 0.0), marker("C2", "coupler", b),
            marker("D3", "rocker", 0.0), marker("C3", "rocker", c),
        ],
        "joints": [
            {"name": "A", "type": "revolute", "i": "A1", "j": "A0"},
            {"name": "B", "type": "revolute", "i": "B2", "j": "B1"},
            {"name": "C", "type": "spherical", "i": "C2", "j": "C3"},
            {"name": "D", "type": "revolute", "i": "D3", "j": "D0"},
        ],
        "motions": [drive],
        "outputs": [
            {"name": "crank", "expression": "AZ(A1)"}, {"name": "beta", "expression": "AZ(B2)"},
            {"name": "gamma", "expression": "AZ(D3)"}, {"name": "gamma_d", "expression": "WZ(D3)"},
            {"name": "gamma_dd", "expression": "WDTZ(D3)"}, {"name": "torque", "expression": "MOTION('drive',0,8,0)"},
            {"name": "Ax", "expression": "JOINT('A',0,2,0)"}, {"name": "Ay", "expression": "JOINT('A',0,3,0)"},
            {"name": "Bx", "expression": "JOINT('B',0,2,0)"}, {"name": "By", "expression": "JOINT('B',0,3,0)"},
            {"name": "Cx", "expression": "JOINT('C',0,2,0)"}, {"name": "Cy", "expression": "JOINT('C',0,3,0)"},
            {"name": "Dx", "expression": "JOINT('D',0,2,0)"}, {"name": "Dy", "expression": "JOINT('D',0,3,0)"},
        ],
        "solver": {"mode": "kinematic"},
        "experiment": {"start": 0, "stop": 10, "step": 0.1},
    })
}

/// Angles of coupler and rocker of a four-bar whose branch has this sign.
fn closed([a, b, c, d]: [f64; 4], angle: f64, sign: f64) -> (f64, f64) {
    let tip = [a * cos(angle), a * sin(angle)];
    let to = [d - tip[0], -tip[1]];
    let far = to[0].hypot(to[1]);
    let cosine = (b * b + far * far - c * c) / (2.0 * b * far);
    let beta = atan2(to[1], to[0]) + sign * acos(cosine);
    let end = [tip[0] + b * cos(beta), tip[1] + b * sin(beta)];
    (beta, atan2(end[1], end[0] - d))
}

/// Solves a linear system by elimination with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|p, q| a[*p][k].abs().total_cmp(&a[*q][k].abs()))
            .unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for r in k + 1..n {
            let factor = a[r][k] / a[k][k];
            let row = a[k].clone();
            for (x, y) in a[r].iter_mut().zip(&row) {
                *x -= factor * y;
            }
            b[r] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|c| a[k][c] * b[c]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

/// Rocker speed and acceleration, torque, and the reactions on crank in A, on coupler in B and C, on rocker in D, at a
/// crank angle with its rates: the balance of forces of each link (Newton–Euler), nine equations.
pub(crate) fn dynamics(lengths: [f64; 4], [angle, rate, gain]: [f64; 3]) -> Vec<f64> {
    let [a, b, c, _] = lengths;
    let (beta, gamma) = closed(lengths, angle, 1.0);
    let e = |angle: f64| [cos(angle), sin(angle)];
    let n = |angle: f64| [-sin(angle), cos(angle)];
    // a e(φ) + b e(β) = d + c e(γ), differentiated twice.
    let matrix = |k: usize| vec![b * n(beta)[k], -c * n(gamma)[k]];
    let first = solve(
        vec![matrix(0), matrix(1)],
        (0..2).map(|k| -a * rate * n(angle)[k]).collect(),
    );
    let (beta_d, gamma_d) = (first[0], first[1]);
    let right = |k: usize| {
        -a * gain * n(angle)[k] + a * rate * rate * e(angle)[k] + b * beta_d * beta_d * e(beta)[k]
            - c * gamma_d * gamma_d * e(gamma)[k]
    };
    let second = solve(vec![matrix(0), matrix(1)], vec![right(0), right(1)]);
    let at = |length: f64, angle: f64, w: f64, g: f64, k: usize| {
        length * (g * n(angle)[k] - w * w * e(angle)[k])
    };
    let tip: Plane = core::array::from_fn(|k| at(a, angle, rate, gain, k));
    let middles: [Plane; 3] = [
        core::array::from_fn(|k| at(0.5 * a, angle, rate, gain, k)),
        core::array::from_fn(|k| tip[k] + at(0.5 * b, beta, beta_d, second[0], k)),
        core::array::from_fn(|k| at(0.5 * c, gamma, gamma_d, second[1], k)),
    ];
    // Unknowns: A on the crank, B on the coupler, C on the coupler, D on the rocker, torque on the crank.
    let masses = [1.1, 0.7, 0.9];
    let gains = [gain, second[0], second[1]];
    let (sizes, angles) = ([a, b, c], [angle, beta, gamma]);
    let loads: [[(usize, f64, f64); 2]; 3] = [
        // (force, its sign, where on the link from its middle, in lengths)
        [(0, 1.0, -0.5), (2, -1.0, 0.5)],
        [(2, 1.0, -0.5), (4, 1.0, 0.5)],
        [(6, 1.0, -0.5), (4, -1.0, 0.5)],
    ];
    let (mut rows, mut known) = (Vec::new(), Vec::new());
    for (body, loads) in loads.into_iter().enumerate() {
        for (k, middle) in middles[body].into_iter().enumerate() {
            let mut row = vec![0.0; 9];
            for (force, sign, _) in loads {
                row[force + k] += sign;
            }
            rows.push(row);
            known.push(masses[body] * (middle + if k == 1 { 9.81 } else { 0.0 }));
        }
        let mut row = vec![0.0; 9];
        let (size, angle) = (sizes[body], angles[body]);
        for (force, sign, place) in loads {
            let arm = [place * size * cos(angle), place * size * sin(angle)];
            row[force] -= sign * arm[1];
            row[force + 1] += sign * arm[0];
        }
        row[8] = if body == 0 { 1.0 } else { 0.0 };
        rows.push(row);
        known.push(inertia(masses[body], size) * gains[body]);
    }
    let reactions = solve(rows, known);
    let mut all = vec![gamma, gamma_d, second[1], reactions[8]];
    all.extend(&reactions[..8]);
    all
}

pub(crate) const SHOWN: [&str; 12] = [
    "gamma", "gamma_d", "gamma_dd", "torque", "Ax", "Ay", "Bx", "By", "Cx", "Cy", "Dx", "Dy",
];

/// The angle within half a turn.
pub(crate) fn wrapped(angle: f64) -> f64 {
    atan2(sin(angle), cos(angle))
}

#[test]
fn a_four_bar_turns_as_its_closed_form_says_whatever_the_output_step() {
    let lengths = [0.1, 0.3, 0.25, 0.28];
    let drive = json!({"displacement": "0.4+7*TIME+0.3*SIN(3*TIME)"});
    let model = four_bar(lengths, 0.4, &drive);
    for (h, rows) in [(0.01, 120), (0.03, 40), (0.1, 12)] {
        let mut simulation = build(&model.to_string());
        start(&mut simulation, h);
        for n in 0..=rows {
            let t = f64::from(n) * h;
            if n > 0 {
                simulation.step().unwrap();
            }
            let angle = [
                0.4 + 7.0 * t + 0.3 * sin(3.0 * t),
                7.0 + 0.9 * cos(3.0 * t),
                -2.7 * sin(3.0 * t),
            ];
            let wanted = dynamics(lengths, angle);
            for (k, name) in SHOWN.iter().enumerate() {
                let found = output(&simulation, name);
                let off = if k == 0 {
                    wrapped(found - wanted[0])
                } else {
                    found - wanted[k]
                };
                assert!(
                    off.abs() < 2e-10 * (1.0 + wanted[k].abs()),
                    "{h} {t} {name}: {found} {}",
                    wanted[k]
                );
            }
        }
    }
}

/// The reference was computed in another way; reactions of an integrated run are good to 1e-5 here.
#[test]
fn the_driven_slider_crank_has_the_published_reactions() {
    let folder = "D11_driven_slider_crank";
    let check = json(&format!("{folder}/check.json"));
    let table = Table::read(&format!("{folder}/trajectory.csv"));
    let mut simulation =
        build(&with_mode(json(&format!("{folder}/model.json")), "kinematic").to_string());
    let times: Vec<f64> = table.rows.iter().map(|row| row[0]).collect();
    let h = times[1] - times[0];
    start(&mut simulation, h);
    let mut worst = 0.0_f64;
    for row in &table.rows {
        advance(&mut simulation, row[0]);
        assert!((simulation.time() - row[0]).abs() < 1e-9);
        for (name, scale) in check["columns"].as_object().unwrap() {
            let off = (output(&simulation, name) - row[table.column(name)]).abs();
            worst = worst.max(off / scale.as_f64().unwrap());
        }
    }
    assert!(worst < 1e-9, "{worst}");
}

/// Halving the step of HHT, which has order 2, divides the distance from the kinematic run by four. (The acceleration that
/// HHT shows has order 1 where motions drive it.)
#[test]
fn integrated_runs_converge_to_the_kinematic_one() {
    let drive = json!({"displacement": "0.4+2*TIME**4"});
    let model = four_bar([0.1, 0.3, 0.25, 0.28], 0.4, &drive);
    let at_end = |mode: &str, h: f64| {
        let mut simulation = build(&with_mode(model.clone(), mode).to_string());
        start(&mut simulation, h);
        advance(&mut simulation, 0.8);
        let compared = SHOWN.iter().filter(|name| **name != "gamma_dd");
        let values = compared.map(|name| output(&simulation, name));
        values.collect::<Vec<f64>>()
    };
    let wanted = at_end("kinematic", 0.2);
    let errors = [4e-3, 2e-3, 1e-3].map(|h| {
        let found = at_end("fixed", h);
        let pairs = found.iter().zip(&wanted);
        pairs.fold(0.0_f64, |most, (a, b)| {
            most.max((a - b).abs() / (1.0 + b.abs()))
        })
    });
    for k in 0..2 {
        let ratio = errors[k] / errors[k + 1];
        assert!((3.5..4.6).contains(&ratio), "{errors:?}");
    }
}

#[test]
fn a_dead_point_is_named_with_its_time() {
    // The tip is out of reach where its distance from D is b + c.
    let lengths = [0.2, 0.25, 0.2, 0.3];
    let [a, b, c, d] = lengths;
    let model = four_bar(lengths, 0.4, &json!({"displacement": "0.4+TIME"}));
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.25);
    let failure = loop {
        if let Err(failure) = simulation.step() {
            break failure;
        }
    };
    assert_eq!(failure, StepFailure::Instant);
    let angle = acos((a * a + d * d - (b + c) * (b + c)) / (2.0 * a * d));
    let halt = simulation.halt().unwrap();
    assert!(
        (halt.reached - (angle - 0.4)).abs() < 1e-6,
        "{halt:?} {}",
        angle - 0.4
    );
    assert!(halt.reached - simulation.time() < 0.25 && halt.reached >= simulation.time());
    for word in [
        "dead point of motion \"drive\"",
        "joint \"C\"",
        "turn the motion round",
    ] {
        assert!(halt.why.contains(word), "{}", halt.why);
    }
    // The state is that of the last output time, and says so again.
    assert!((output(&simulation, "crank") - 0.4 - simulation.time()).abs() < 1e-12);
    assert_eq!(simulation.step(), Err(StepFailure::Instant));
}

/// A parallelogram can become an antiparallelogram where it is flat. Between output times it goes on as it came.
#[test]
fn a_branch_is_kept_where_another_one_crosses_it() {
    let model = four_bar(
        [0.1, 0.3, 0.1, 0.3],
        0.5,
        &json!({"displacement": "0.5+TIME"}),
    );
    for h in [0.07, 0.3] {
        let mut simulation = build(&model.to_string());
        start(&mut simulation, h);
        while simulation.time() < 14.0 {
            simulation.step().unwrap();
            let off = wrapped(output(&simulation, "gamma") - output(&simulation, "crank"));
            assert!(off.abs() < 1e-9, "{h} {}: {off}", simulation.time());
        }
    }
}

#[test]
fn motions_that_prescribe_rates_are_integrated() {
    let lengths = [0.1, 0.3, 0.25, 0.28];
    let of_rate = json!({"velocity": "7+0.9*COS(3*TIME)"});
    let of_gain = json!({"acceleration": "-2.7*SIN(3*TIME)", "initial_velocity": 7.9});
    for drive in [of_rate, of_gain] {
        let mut simulation = build(&four_bar(lengths, 0.4, &drive).to_string());
        start(&mut simulation, 0.05);
        advance(&mut simulation, 1.0);
        let angle = [
            0.4 + 7.0 + 0.3 * sin(3_f64),
            7.0 + 0.9 * cos(3_f64),
            -2.7 * sin(3_f64),
        ];
        let wanted = dynamics(lengths, angle);
        for (k, name) in SHOWN.iter().enumerate().skip(1) {
            let found = output(&simulation, name);
            assert!(
                (found - wanted[k]).abs() < 1e-9 * (1.0 + wanted[k].abs()),
                "{name}: {found} {}",
                wanted[k]
            );
        }
    }
}

#[test]
fn a_motion_that_jumps_is_named() {
    let drive = json!({"displacement": "0.4+TIME+IF(TIME-0.33: 0, 0, 0.2)"});
    let mut simulation = build(&four_bar([0.1, 0.3, 0.25, 0.28], 0.4, &drive).to_string());
    start(&mut simulation, 0.1);
    while simulation.step().is_ok() {}
    let halt = simulation.halt().unwrap();
    assert!((halt.reached - 0.33).abs() < 1e-8, "{halt:?}");
    assert!(
        halt.why
            .contains("the displacement of these motions jumps: \"drive\""),
        "{}",
        halt.why
    );
    // A kink is passed.
    let drive = json!({"displacement": "0.4+MAX(0, TIME-0.33)"});
    let mut simulation = build(&four_bar([0.1, 0.3, 0.25, 0.28], 0.4, &drive).to_string());
    start(&mut simulation, 0.1);
    advance(&mut simulation, 1.0);
    assert!((output(&simulation, "crank") - 0.4 - 0.67).abs() < 1e-12);
}

/// Light links move as heavy ones do: the crank turns at 2 rad/s, the coupler weighs a billionth of the rocker.
#[test]
fn motion_does_not_depend_on_masses() {
    let lengths = [0.3, 0.8, 0.6, 0.9];
    let drive = json!({"displacement": "0.4+2*TIME"});
    let model = |light: f64| {
        let mut model = four_bar(lengths, 0.4, &drive);
        for part in 0..2 {
            let own = &mut model["parts"][part];
            own["mass"] = (own["mass"].as_f64().unwrap() * light).into();
            for axis in ["xx", "yy", "zz"] {
                let inertia = own["inertia"][axis].as_f64().unwrap();
                own["inertia"][axis] = (inertia * light).into();
            }
        }
        model
    };
    for light in [1.0, 1e-6, 1e-9] {
        let mut simulation = build(&model(light).to_string());
        start(&mut simulation, 0.1);
        for k in 1..=20 {
            let t = 0.1 * f64::from(k);
            advance(&mut simulation, t);
            let expected = dynamics(lengths, [0.4 + 2.0 * t, 2.0, 0.0]);
            for (name, expected) in SHOWN.iter().zip(expected).take(3) {
                let found = output(&simulation, name);
                assert!(
                    (found - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                    "{light} {t}: {name} {found} {expected}"
                );
            }
        }
    }
}
