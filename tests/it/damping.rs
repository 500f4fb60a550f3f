//! Numerical damping: measured on free oscillations against amplification factors in closed form, and
//! drawn for `docs/theory/time-stepping.md`.
//!
//! Refresh the picture with `FIXSTEP_BLESS=1 cargo test -p fixstep --test it damping`.

use crate::convergence::{hold, plot::STROKES};
use crate::harness::{build, json, output, start, truth};
use fixstep_kernel::math::{acos, atan2, ln, pow};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use nalgebra::Matrix3;
use serde_json::{Value, json as value};
use std::f64::consts::PI;
use std::fmt::Write;

/// Solver, and the name of the scheme in the table.
fn schemes() -> [(Value, &'static str); 6] {
    let solver = |integrator: &str| value!({"integrator": integrator, "fixit": 3});
    [
        (solver("GSTIFF"), "GSTIFF/I3"),
        (
            value!({"integrator": "GSTIFF", "formulation": "SI2"}),
            "GSTIFF/SI2",
        ),
        (solver("NEWMARK"), "NEWMARK"),
        (solver("HHT"), "HHT"),
        (solver("GENALPHA"), "GENALPHA"),
        (
            value!({"integrator": "HHT", "linearly_implicit": true}),
            "HHT, linearly implicit",
        ),
    ]
}

/// An undamped oscillator of 1 kg, released from 1 m.
fn oscillator(solver: &Value, frequency: f64, h: f64) -> Simulation {
    let path = truth("G01_oscillator_recurrences/model.json");
    let mut model: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    model["point_masses"][0]["position"] = value!([1, 0, 0]);
    model["point_masses"][0]["velocity"] = value!([0, 0, 0]);
    model["point_masses"][0]["mass"] = value!(1);
    model["forces"][0]["fx"] = format!("-{:e}*DX(m)", frequency * frequency).into();
    model["solver"] = solver.clone();
    let mut simulation = build(&model.to_string());
    start(&mut simulation, h);
    simulation
}

/// Modulus and angle of the root z in x_n = Re(C zⁿ), from steps `from` to `to`; a third root must
/// have died by then.
fn root(x: &[f64], from: usize, to: usize) -> (f64, f64) {
    let quantity = |n: usize| x[n + 1] * x[n + 1] - x[n] * x[n + 2];
    let square = pow(quantity(to) / quantity(from), 1.0 / (to - from) as f64);
    // x_{n+2} − 2 Re(z) x_{n+1} + |z|² x_n = 0, where x_{n+1} is large.
    let n = (from..to)
        .max_by(|a, b| x[a + 1].abs().total_cmp(&x[b + 1].abs()))
        .unwrap();
    let real = (x[n + 2] + square * x[n]) / (2.0 * x[n + 1]);
    let modulus = square.sqrt();
    (modulus, acos((real / modulus).clamp(-1.0, 1.0)))
}

/// The principal root in closed form: eigenvalues of the amplification matrix of (x, h v, h² a)
/// (Chung and Hulbert 1993), Ω = ωh.
fn closed_form(name: &str, phase: f64) -> (f64, f64) {
    let square = phase * phase;
    if name.starts_with("GSTIFF") {
        // 1/(1 − iΩ)
        return (1.0 / (1.0 + square).sqrt(), atan2(phase, 1.0));
    }
    let [alpha_m, alpha_f, beta, gamma] = match name {
        "NEWMARK" => [0.0, 0.0, 0.36, 0.7],
        "GENALPHA" => {
            let rho = 0.8;
            let (m, f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
            [m, f, (1.0 - m + f) * (1.0 - m + f) / 4.0, 0.5 - m + f]
        }
        _ => [0.0, 0.3, 1.3 * 1.3 / 4.0, 0.8],
    };
    let f = (1.0 - alpha_f) * square;
    #[rustfmt::skip]
    let (left, right) = (
        Matrix3::new(1.0, 0.0, -beta, 0.0, 1.0, -gamma, f, 0.0, 1.0 - alpha_m),
        Matrix3::new(1.0, 1.0, 0.5 - beta, 0.0, 1.0, 1.0 - gamma, -alpha_f * square, 0.0, -alpha_m),
    );
    let roots = (left.try_inverse().unwrap() * right).complex_eigenvalues();
    let pair = roots
        .iter()
        .filter(|z| z.im > 0.0)
        .max_by(|a, b| a.norm().total_cmp(&b.norm()));
    let z = pair.unwrap();
    (z.norm(), atan2(z.im, z.re))
}

/// Damping ratio of the oscillation that a root stands for.
fn ratio((modulus, angle): (f64, f64)) -> f64 {
    let decay = -ln(modulus);
    decay / (decay * decay + angle * angle).sqrt()
}

/// Displacements of steps.
fn displacements(simulation: &mut Simulation, steps: usize) -> Vec<f64> {
    let step = |_| {
        simulation.step().unwrap();
        output(simulation, "x")
    };
    (0..steps).map(step).collect()
}

#[test]
fn every_scheme_damps_as_its_amplification_factor_says() {
    let h = 0.01;
    for (solver, name) in schemes() {
        for phase in [0.05, 0.1, 0.2, 0.5, 1.0] {
            let mut simulation = oscillator(&solver, phase / h, h);
            let x = displacements(&mut simulation, 80);
            let (modulus, angle) = root(&x, 40, 60);
            let wanted = closed_form(name, phase);
            // The radius to 1e-9, the damping ratio to four digits.
            assert!(
                (modulus - wanted.0).abs() < 1e-9,
                "{name}, {phase}: {modulus} {}",
                wanted.0
            );
            let (got, wanted) = (ratio((modulus, angle)), ratio(wanted));
            assert!(
                (got / wanted - 1.0).abs() < 1e-4 || (got - wanted).abs() < 1e-9,
                "{name}, {phase}: {got} {wanted}"
            );
        }
    }
}

/// Damping ratios at ωh = 0.1, 0.5, 1, and what is left of 1 Hz after 10 s at 1 ms and 10 ms, as others
/// measured them, with half a unit of their last digit.
#[test]
fn damping_is_what_others_measured() {
    let table = [
        (
            "GSTIFF/I3",
            [(0.0499, 5e-5), (0.234, 5e-4), (0.404, 5e-4)],
            [(0.8209, 5e-5), (0.1395, 5e-5)],
        ),
        (
            "NEWMARK",
            [(0.0100, 5e-5), (0.048, 5e-4), (0.086, 5e-4)],
            [(0.9613, 5e-5), (0.6741, 5e-5)],
        ),
        (
            "HHT",
            [(1.8e-5, 5e-7), (2.0e-3, 5e-5), (1.2e-2, 5e-4)],
            [(0.999_999_7, 5e-8), (0.999_71, 5e-6)],
        ),
    ];
    for (wanted, ratios, left) in table {
        let (solver, name) = schemes().into_iter().find(|(_, n)| *n == wanted).unwrap();
        for (phase, (value, within)) in [0.1, 0.5, 1.0].into_iter().zip(ratios) {
            let mut simulation = oscillator(&solver, phase / 0.01, 0.01);
            let got = ratio(root(&displacements(&mut simulation, 80), 40, 60));
            assert!((got - value).abs() <= within, "{name}, {phase}: {got}");
        }
        for (h, (value, within)) in [1e-3, 1e-2].into_iter().zip(left) {
            let mut simulation = oscillator(&solver, 2.0 * PI, h);
            let steps = (10.0 / h).round();
            let x = displacements(&mut simulation, steps as usize);
            let (modulus, _) = root(&x, 40, x.len() - 3);
            let got = pow(modulus, steps);
            assert!((got - value).abs() <= within, "{name}, {h} s: {got}");
        }
    }
}

/// The pendulum's energy after 1, 2 and 3 s under every scheme of the reference: the energy that a scheme
/// dissipates or adds.
#[test]
fn energy_drifts_as_the_reference_says() {
    let case = json("G05_constraint_drift/reference.json");
    let (mut runs, text) = (
        0,
        std::fs::read_to_string(truth("G03_pendulum_index3_steps/model.json")).unwrap(),
    );
    for (name, expected) in case["results"].as_object().unwrap() {
        let solver = match name.as_str() {
            "BE_I3" => value!({"integrator": "GSTIFF", "fixit": 10}),
            "BE_SI2" => value!({"integrator": "GSTIFF", "formulation": "SI2", "fixit": 10}),
            "HHT_I3_-0.3" => value!({"integrator": "HHT", "fixit": 10}),
            "NEWMARK_I3" => value!({"integrator": "NEWMARK", "fixit": 10}),
            _ => continue,
        };
        runs += 1;
        let mut model: Value = serde_json::from_str(&text).unwrap();
        model["solver"] = solver;
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 0.01);
        for wanted in expected["energy_at_1_2_3s"].as_array().unwrap() {
            for _ in 0..100 {
                simulation.step().unwrap();
            }
            let got = simulation.figure(Figure::KineticEnergy)
                + simulation.figure(Figure::PotentialEnergy);
            let wanted = wanted.as_f64().unwrap();
            assert!((got / wanted - 1.0).abs() < 1e-6, "{name}: {got} {wanted}");
        }
    }
    assert_eq!(runs, 4);
}

/// 1 Hz over 10 s at 10 ms, as the schemes show it.
#[test]
fn the_picture_of_damping_is_what_the_schemes_do() {
    const WIDTH: f64 = 760.0;
    const PANEL: f64 = 110.0;
    let chosen = ["GSTIFF/I3", "NEWMARK", "HHT"];
    let height = PANEL * chosen.len() as f64 + 40.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>An undamped oscillation of 1 Hz at steps of 10 ms</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let shown = schemes().into_iter().zip(STROKES);
    let shown = shown.filter(|((_, name), _)| chosen.contains(name));
    let x = |t: f64| 86.0 + 56.0 * t;
    for (row, ((solver, name), (colour, _))) in shown.enumerate() {
        let mut simulation = oscillator(&solver, 2.0 * PI, 0.01);
        let motion = displacements(&mut simulation, 1000);
        let (modulus, _) = root(&motion, 40, 990);
        let middle = PANEL * (row as f64 + 0.5) + 5.0;
        let points: Vec<String> = std::iter::once(&1.0)
            .chain(&motion)
            .enumerate()
            .step_by(2)
            .map(|(k, y)| format!("{:.1},{:.1}", x(k as f64 * 0.01), middle - 45.0 * y))
            .collect();
        let left = 100.0 * pow(modulus, 1000.0);
        let digits = usize::from(left > 99.0) * 2;
        let _ = writeln!(
            svg,
            "<line x1=\"{:.1}\" y1=\"{middle}\" x2=\"{:.1}\" y2=\"{middle}\" stroke=\"#dddddd\"/>\
             <text x=\"8\" y=\"{:.1}\">{}</text>\
             <polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{left:.digits$} % left</text>",
            x(0.0),
            x(10.0),
            middle + 4.0,
            name.split('/').next().unwrap(),
            points.join(" "),
            x(10.0) + 8.0,
            middle + 4.0
        );
    }
    for second in 0..=10 {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555555\">{second}{}</text>",
            x(f64::from(second)),
            height - 12.0,
            if second == 10 { " s" } else { "" }
        );
    }
    svg += "</svg>\n";
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/theory/figures/damping.svg");
    assert!(
        hold(&path, &svg),
        "docs/theory/figures/damping.svg is stale; refresh it with\n    \
         FIXSTEP_BLESS=1 cargo test -p fixstep --test it damping"
    );
}
