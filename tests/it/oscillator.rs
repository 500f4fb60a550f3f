//! Tests of every scheme on the undamped linear oscillator, against closed forms of the scheme: the sequence to
//! round-off, and the energy over ten thousand steps.
//!
//! With v̂ = h v and â = h² a, one step of the family (α_m, α_f, β, γ) at Ω = ωh is linear:
//!
//! ```text
//! â₁ = −(Ω² [(1 − α_f)(x + v̂ + (½ − β) â) + α_f x] + α_m â) / (1 − α_m + (1 − α_f) β Ω²)
//! x₁ = x + v̂ + (½ − β) â + β â₁,   v̂₁ = v̂ + (1 − γ) â + γ â₁
//! ```
//! and backward Euler multiplies by 1/(1 ∓ iΩ).

use crate::harness::{build, output, start, truth};
use crate::states::schemes;
use fixstep_kernel::math::{cos, pow, sin};
use fixstep_kernel::simulation::{Figure, Simulation};
use serde_json::Value;

/// What a scheme does with the oscillator.
enum Map {
    BackwardEuler,
    /// α_m, α_f, β, γ
    Family([f64; 4]),
}

impl Map {
    /// From the solver block, by the definitions of the literature.
    fn of(solver: &Value) -> Self {
        let of = |key: &str, default: f64| solver[key].as_f64().unwrap_or(default);
        match solver["integrator"].as_str().unwrap() {
            "GSTIFF" => Self::BackwardEuler,
            "NEWMARK" => Self::Family([0.0, 0.0, of("beta", 0.36), of("gamma", 0.7)]),
            "HHT" => {
                let a = of("alpha", -0.3);
                let beta = (1.0 - a) * (1.0 - a) / 4.0;
                Self::Family([0.0, -a, beta, (1.0 - 2.0 * a) / 2.0])
            }
            _ => {
                let rho = of("rho", 0.8);
                let (m, f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
                let beta = (1.0 - m + f) * (1.0 - m + f) / 4.0;
                Self::Family([m, f, beta, 0.5 - m + f])
            }
        }
    }

    /// (x, h v, h² a) after a step.
    fn step(&self, omega: f64, [x, v, a]: [f64; 3]) -> [f64; 3] {
        let w = omega * omega;
        match self {
            Self::BackwardEuler => {
                let next = (x + v) / (1.0 + w);
                [next, next - x, -w * next]
            }
            Self::Family([m, f, beta, gamma]) => {
                let free = x + v + (0.5 - beta) * a;
                let load = w * ((1.0 - f) * free + f * x) + m * a;
                let next = -load / (1.0 - m + (1.0 - f) * beta * w);
                [
                    free + beta * next,
                    v + (1.0 - gamma) * a + gamma * next,
                    next,
                ]
            }
        }
    }

    /// |z|² of the principal pair: the characteristic polynomial λ³ − c₂λ² + c₁λ − c₀
    /// less its real root.
    fn principal(&self, omega: f64) -> f64 {
        if let Self::BackwardEuler = self {
            return 1.0 / (1.0 + omega * omega);
        }
        let unit =
            |k: usize| self.step(omega, std::array::from_fn(|i| f64::from(u8::from(i == k))));
        let m = [unit(0), unit(1), unit(2)];
        let minor = |i: usize, j: usize| m[i][i] * m[j][j] - m[i][j] * m[j][i];
        let c2 = m[0][0] + m[1][1] + m[2][2];
        let c1 = minor(0, 1) + minor(0, 2) + minor(1, 2);
        let c0 = m[0][0] * minor(1, 2) - m[1][0] * (m[0][1] * m[2][2] - m[0][2] * m[2][1])
            + m[2][0] * (m[0][1] * m[1][2] - m[0][2] * m[1][1]);
        let mut root = 0.0;
        for _ in 0..100 {
            let value = ((root - c2) * root + c1) * root - c0;
            root -= value / ((3.0 * root - 2.0 * c2) * root + c1);
        }
        c1 - root * (c2 - root)
    }
}

/// A mass of 1 kg at x = 0.1 m, v = −0.2 m/s on a spring, at steps of 10 ms with ωh = `omega`.
fn oscillator(solver: &Value, omega: f64) -> Simulation {
    let path = truth("G01_oscillator_recurrences/model.json");
    let mut model: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let stiffness = (omega / H) * (omega / H);
    model["forces"][0]["fx"] = format!("-{stiffness:e}*DX(m)").into();
    model["solver"] = solver.clone();
    // No step resolves a vibration of ωh = 10; the test is about the response of the scheme.
    model["solver"]["guard"] = "off".into();
    let mut simulation = build(&model.to_string());
    start(&mut simulation, H);
    simulation
}

/// Step \[s\].
const H: f64 = 0.01;

#[test]
fn every_scheme_is_its_recurrence_to_round_off() {
    for (name, solver, _) in schemes() {
        for omega in [0.1, 0.5, 1.0, 10.0] {
            let map = Map::of(&solver);
            let mut simulation = oscillator(&solver, omega);
            let of = |s: &Simulation| {
                let (x, v, a) = (output(s, "x"), output(s, "v"), output(s, "a"));
                [x, H * v, H * H * a]
            };
            let mut wanted = of(&simulation);
            for step in 1..=100 {
                simulation.step().unwrap();
                wanted = map.step(omega, wanted);
                // What is shown is the acceleration of the instant, not that of the scheme.
                let shown = [wanted[0], wanted[1], -omega * omega * wanted[0]];
                for (got, wanted) in of(&simulation).iter().zip(shown) {
                    let error = (got - wanted).abs();
                    let bound = 1e-13 * (1.0 + omega * omega);
                    assert!(error < bound, "{name}, {omega}, step {step}: {error:e}");
                }
            }
        }
    }
}

/// More members of the families than other tests need.
fn families() -> Vec<(String, Value)> {
    let members = [
        ("HHT", "alpha", [-1.0 / 3.0, -0.2, -0.1]),
        ("GENALPHA", "rho", [0.2, 0.5, 0.9]),
    ];
    let more = members.iter().flat_map(|(integrator, parameter, values)| {
        values.map(|value| {
            let mut solver = serde_json::json!({"integrator": integrator});
            solver[*parameter] = value.into();
            (format!("{integrator} {value:.2}"), solver)
        })
    });
    let all = schemes()
        .into_iter()
        .map(|(name, solver, _)| (name.to_owned(), solver));
    all.chain(more).collect()
}

/// Position and velocity before the step determine the exact motion, and so the error of the step. The test fails if a
/// factor of the estimate is 10 % off.
#[test]
fn the_local_error_is_what_a_step_misses_the_exact_motion_by() {
    let families = families();
    assert!(families.len() > 15, "{}", families.len());
    for (name, solver) in families {
        let stabilised = solver["formulation"] == "SI2";
        for omega in [0.005, 0.01] {
            let mut simulation = oscillator(&solver, omega);
            let of = |s: &Simulation| (output(s, "x"), output(s, "v"));
            let (mut seen, mut largest) = (Vec::new(), 0.0_f64);
            for _ in 0..1000 {
                let (x, v) = of(&simulation);
                simulation.step().unwrap();
                let (sine, cosine) = (sin(omega), cos(omega));
                let place = x * cosine + v * H / omega * sine;
                let speed = v * cosine - x * omega / H * sine;
                let (x, v) = of(&simulation);
                // SI2 watches velocities, too.
                let of_speed = if stabilised { (v - speed).abs() } else { 0.0 };
                let error = (x - place).abs().max(of_speed);
                seen.push((simulation.figure(Figure::LocalError), error));
                largest = largest.max(error);
            }
            let large = seen
                .iter()
                .skip(100)
                .filter(|(_, error)| *error > 0.7 * largest);
            let ratios: Vec<f64> = large.map(|(estimate, error)| estimate / error).collect();
            let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
            eprintln!("{name}, {omega}: estimate {mean:.4} of the error");
            assert!(
                ratios.len() > 50 && (mean - 1.0).abs() < 0.02,
                "{name}, {omega}: {mean} in {} steps",
                ratios.len()
            );
        }
    }
}

#[test]
fn mass_times_acceleration_is_the_force() {
    for (name, solver, _) in schemes() {
        let mut simulation = oscillator(&solver, 0.3);
        let stiffness = (0.3 / H) * (0.3 / H);
        for step in 1..=50 {
            simulation.step().unwrap();
            let force = -stiffness * output(&simulation, "x");
            let error = (output(&simulation, "a") - force).abs();
            assert!(error < 1e-11, "{name}, step {step}: {error:e}");
        }
    }
}

#[test]
fn energy_goes_as_the_amplification_factor_says() {
    let omega = 0.3;
    for (name, solver, _) in schemes() {
        let mut simulation = oscillator(&solver, omega);
        let x: Vec<f64> = (0..10_044)
            .map(|_| {
                simulation.step().unwrap();
                output(&simulation, "x")
            })
            .collect();
        // For x_n = Re(C zⁿ) this shrinks by |z|² a step, as the energy does.
        let energy = |n: usize| x[n + 1] * x[n + 1] - x[n] * x[n + 2];
        let square = Map::of(&solver).principal(omega);
        let conserved = (square - 1.0).abs() < 1e-14;
        // What is damped away soon is compared while it is there.
        let steps = if conserved { 10_000 } else { 100 };
        let drift = energy(40 + steps) / energy(40) / pow(square, steps as f64) - 1.0;
        eprintln!("{name}: {drift:e} over {steps} steps, |z|² = {square}");
        assert!(drift.abs() < 1e-9, "{name}: {drift:e}");
    }
}
