//! Compares linear responses with simulations of the mechanism.

use super::simulation;
use faer::{Mat, c64};
use fixstep_kernel::ids::{InputId, OutputId};
use fixstep_kernel::math::sin;
use fixstep_kernel::simulation::Simulation;
use linear_analysis::random::Spectrum;
use linear_analysis::response::excitation::Law;
use linear_analysis::response::grid::Plan;
use linear_analysis::response::{Route, Transfer};
use linear_analysis::spectra::Curve;
use linear_analysis::{LinearForm, Options, form};
use serde_json::{Value, json};

/// A pendulum of 1 kg, 1 m and 0.2 kg m², damped at its hinge; a horizontal force pushes the bob.
fn pendulum(damping: f64, step: f64) -> Value {
    json!({
        "fixstep": 1, "name": "pendulum", "gravity": [0, -9.81, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "parts": [{"name": "bob", "mass": 1, "position": [0, -1, 0], "inertia": {"xx": 0.2, "yy": 0.2, "zz": 0.2}}],
        "markers": [
            {"name": "g", "part": "ground"},
            {"name": "h", "part": "bob", "position": [0, 1, 0]},
            {"name": "b", "part": "bob"},
            {"name": "x", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}}
        ],
        "joints": [{"name": "hinge", "type": "revolute", "i": "h", "j": "g"}],
        "inputs": [{"name": "f", "unit": "N"}],
        "forces": [
            {"name": "oil", "type": "torsion_spring_damper", "i": "h", "j": "g", "damping": damping},
            {"name": "push", "type": "action_only_force", "i": "b", "j": "x", "expression": "f"}
        ],
        "outputs": [{"name": "x", "unit": "m", "expression": "DX(b)"}],
        "experiment": {"start": 0, "stop": 1, "step": step}
    })
}

fn linear(simulation: &Simulation) -> LinearForm {
    let linearization = simulation.linearization().unwrap();
    form::linear_form(simulation.mechanism(), &linearization, &Options::default()).unwrap()
}

/// e^m by its series, of a small part, squared.
fn exponential(m: &Mat<f64>) -> Mat<f64> {
    let n = m.nrows();
    let small = Mat::from_fn(n, n, |r, c| m[(r, c)] / 1024.0);
    let (mut sum, mut term) = (Mat::<f64>::identity(n, n), Mat::<f64>::identity(n, n));
    for k in 1..14 {
        let next = &term * &small;
        term = Mat::from_fn(n, n, |r, c| next[(r, c)] / f64::from(k));
        sum += &term;
    }
    for _ in 0..10 {
        sum = &sum * &sum;
    }
    sum
}

#[test]
fn a_small_push_moves_the_mechanism_as_its_linear_form() {
    let (step, push) = (0.0005, 1e-3);
    let mut run = simulation(&pendulum(0.7, step));
    let form = linear(&run);
    let n = form.a.nrows();
    // x and a constant u together: [A B; 0 0].
    let whole = Mat::from_fn(n + 1, n + 1, |r, c| match (r, c) {
        (r, _) if r == n => 0.0,
        (r, c) if c == n => form.b[(r, 0)] * step,
        (r, c) => form.a[(r, c)] * step,
    });
    let ahead = exponential(&whole);
    let mut x = Mat::from_fn(n + 1, 1, |r, _| if r == n { push } else { 0.0 });
    // The scheme sees a jump half a step late: h ω/2 of the amplitude, 0.0007.
    run.set_input(InputId(0), push);
    let still = push / 9.81;
    for k in 0..12_000 {
        run.step().unwrap();
        x = &ahead * &x;
        let shown = (0..n).fold(form.d[(0, 0)] * push, |sum, k| {
            sum + form.c[(0, k)] * x[(k, 0)]
        });
        let got = run.output(OutputId(0));
        assert!(
            (got - shown).abs() < 1e-3 * still,
            "step {k}: {got} for {shown}"
        );
    }
    // It has swung in, and stays where statics has it.
    assert!((run.output(OutputId(0)) / still - 1.0).abs() < 0.25);
}

/// Normal numbers by sums of twelve even ones (a linear congruential generator of 64 bits).
struct Normal(u64);

impl Normal {
    fn next(&mut self) -> f64 {
        let mut sum = -6.0;
        for _ in 0..12 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sum += (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum
    }
}

#[test]
fn noise_shakes_the_mechanism_as_much_as_its_densities_say() {
    let (step, deviation, damping) = (0.02, 0.02, 0.7);
    let mut run = simulation(&pendulum(damping, step));
    let transfer = Transfer::new(&linear(&run));
    // A number held for a step each has the one-sided density 2 σ² h (sin(π f h) / (π f h))².
    let density = |f: f64| {
        let angle = core::f64::consts::PI * f * step;
        let shape = if angle == 0.0 {
            1.0
        } else {
            sin(angle) / angle
        };
        2.0 * deviation * deviation * step * shape * shape
    };
    let frequencies: Vec<f64> = (0..=2000).map(|k| f64::from(k) * 0.05).collect();
    let values = frequencies
        .iter()
        .map(|f| c64::new(density(*f), 0.0))
        .collect();
    let curve = Curve::new(frequencies, values).unwrap();
    let spectrum = Spectrum {
        entries: vec![(0, 0, Law::Sampled(curve))],
        ..Spectrum::default()
    };
    let plan = Plan {
        from: 0.0,
        to: 100.0,
        points: 10,
        logarithmic: false,
        refined: true,
    };
    let grid = plan
        .grid(transfer.poles(), &spectrum.breaks())
        .unwrap()
        .frequencies;
    let variances = spectrum.variances(&transfer, &grid, Route::Direct).unwrap();
    let wanted = variances.between(&grid, 0, (0.0, 100.0));
    let (mut noise, mut sum) = (Normal(26), 0.0);
    let (settle, count) = (2_000, 150_000);
    for k in 0..settle + count {
        run.set_input(InputId(0), deviation * noise.next());
        run.step().unwrap();
        let x = run.output(OutputId(0));
        if k >= settle {
            sum += x * x;
        }
    }
    let got = sum / f64::from(count);
    // An estimate over a time T deviates by 1/√(T ζ ω) of itself; three and a half times that is the band.
    let decay = damping / (2.0 * 1.2);
    let band = 3.5 / (f64::from(count) * step * decay).sqrt();
    assert!(band < 0.13, "{band}");
    assert!(
        (got / wanted - 1.0).abs() < band,
        "{got} for {wanted}, band {band}"
    );
}
