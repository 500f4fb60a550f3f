//! Tests of delays in linear forms, against the roots of the transcendental equations.

use super::{simulation, started};
use faer::c64;
use linear_analysis::eigen::{Balancing, eigen};
use linear_analysis::response::{Route, Transfer};
use linear_analysis::{LinearForm, NoForm, Options, form};
use serde_json::{Value, json};

fn of_order(order: usize) -> Options {
    Options {
        pade: Some(order),
        ..Options::default()
    }
}

/// The root nearest to a number.
fn nearest(form: &LinearForm, wanted: c64) -> c64 {
    let found = eigen(&form.a, form.positions, Balancing::Auto).unwrap();
    let roots = found.roots.iter().map(|root| root.value);
    roots
        .min_by(|a, b| (a - wanted).norm().total_cmp(&(b - wanted).norm()))
        .unwrap()
}

fn exp(of: c64) -> c64 {
    let size = fixstep_kernel::math::exp(of.re);
    let (s, c) = fixstep_kernel::math::sincos(of.im);
    c64::new(size * c, size * s)
}

/// A mass on a spring and a damper with a delayed force, and its position as an output.
fn oscillator(force: &str) -> Value {
    json!({
        "fixstep": 1, "name": "delayed", "gravity": [0, 0, 0],
        "parts": [{"name": "a", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "markers": [{"name": "g", "part": "ground"}, {"name": "m", "part": "a"}],
        "joints": [{"name": "j", "type": "translational", "i": "m", "j": "g"}],
        "inputs": [{"name": "u", "unit": "N"}],
        "parameters": [{"name": "dead", "start": 0.1}],
        "forces": [
            {"name": "k", "type": "action_only_force", "i": "m", "j": "g", "expression": "-50*DZ(m, g) - 1.5*VZ(m, g) + u"},
            {"name": "late", "type": "action_only_force", "i": "m", "j": "g", "expression": force}
        ],
        "outputs": [{"name": "z", "expression": "DZ(m, g)"}, {"name": "echo", "expression": "DELAY(u, 2*dead, 0)"}]
    })
}

/// The root of 2 s² + 1.5 s + 50 = (the delayed force as a function of s), near the root without it.
fn root(late: impl Fn(c64) -> c64) -> c64 {
    let law = |s: c64| s * s * 2.0 + s * 1.5 + 50.0 - late(s);
    let mut s = c64::new(-0.375, 5.0);
    for _ in 0..60 {
        let step = c64::new(1e-6, 0.0);
        let slope = (law(s + step) - law(s - step)) / (step * 2.0);
        s -= law(s) / slope;
    }
    assert!(law(s).norm() < 1e-9);
    s
}

#[test]
fn the_retarded_equation_has_lamberts_root() {
    // y' = -y(t - 1): s = W(-1).
    let model = json!({
        "fixstep": 1, "name": "retarded",
        "differential_equations": [{"name": "y", "derivative": "-DELAY(DIF(y), 1, 0)", "initial": 0}],
        "outputs": [{"name": "y", "expression": "DIF(y)"}]
    });
    let wanted = c64::new(-0.318_131_505_204_764_1, 1.337_235_701_430_689_4);
    for (order, error) in [(2, 6e-3), (4, 1e-6), (8, 1e-11)] {
        let form = started(&model, &of_order(order));
        assert_eq!(form.states.len(), 1 + order);
        let off = (nearest(&form, wanted) - wanted).norm();
        assert!(off < error, "{order}: {off}");
    }
}

#[test]
fn delayed_feedback_of_position_and_acceleration_has_its_root() {
    // The second is a loop that is closed at once where the approximation has a part without states.
    let laws: [(&str, &dyn Fn(c64) -> c64); 2] = [
        ("-20*DELAY(DZ(m, g), dead, 0)", &|s| exp(s * -0.1) * -20.0),
        ("-0.6*DELAY(ACCZ(m, g), dead, 0)", &|s| {
            exp(s * -0.1) * s * s * -0.6
        }),
    ];
    for (force, late) in laws {
        let form = started(&oscillator(force), &of_order(6));
        let wanted = root(late);
        let off = (nearest(&form, wanted) - wanted).norm();
        assert!(off < 1e-10, "{force}: {off}");
        // Both loops of the response, far beyond the slowest root.
        let transfer = Transfer::new(&form);
        for f in [0.0, 0.3, 0.8, 2.0, 4.0] {
            let s = c64::new(0.0, std::f64::consts::TAU * f);
            let got = transfer.at(f, Route::Direct).unwrap();
            let wanted = c64::new(1.0, 0.0) / (s * s * 2.0 + s * 1.5 + 50.0 - late(s));
            let off = (got[(0, 0)] - wanted).norm() / wanted.norm();
            assert!(off < 1e-7, "{force}, {f} Hz: {off}");
            let echo = (got[(1, 0)] - exp(s * -0.2)).norm();
            assert!(echo < 1e-3, "{f} Hz: {echo}");
        }
        let second = &form.second_order;
        assert_eq!(second.mass.nrows(), 1);
        assert!(form.notes.iter().any(|note| note.contains("Padé")));
    }
}

#[test]
fn delays_are_refused_by_name() {
    let refused = |model: &Value, options: &Options| {
        let simulation = simulation(model);
        let linearization = simulation.linearization().unwrap();
        form::linear_form(simulation.mechanism(), &linearization, options).unwrap_err()
    };
    let plain = oscillator("-20*DELAY(DZ(m, g), dead, 0)");
    let said = refused(&plain, &Options::default());
    assert!(matches!(said, NoForm::Delay(_)));
    let said = said.to_string();
    assert!(
        said.contains("forces[1] \"late\"") && said.contains("--pade"),
        "{said}"
    );
    let varying = oscillator("-20*DELAY(DZ(m, g), 0.1 + DZ(m, g)**2, 0, 0.2)");
    let said = refused(&varying, &of_order(3));
    assert!(matches!(said, NoForm::DelayVaries(_)), "{said}");
    // Even orders give the acceleration back at once: as large as the inertia, it has no solution.
    let loops = oscillator("2*DELAY(ACCZ(m, g), dead, 0)");
    let form = simulation(&loops);
    let linearization = form.linearization().unwrap();
    let odd = form::linear_form(form.mechanism(), &linearization, &of_order(2));
    assert!(matches!(odd, Err(NoForm::DelayLoop(_))), "{odd:?}");
}
