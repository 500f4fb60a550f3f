//! Tests of responses at 0 Hz of floating mechanisms, against closed forms: bounded responses are exact, others infinite.

use super::responses::{Link, near, row};
use super::started;
use faer::{Mat, c64};
use linear_analysis::Options;
use linear_analysis::response::{Route, Transfer};
use serde_json::json;

const fn link(mass: f64, stiffness: f64, damping: f64) -> Link {
    Link {
        mass,
        stiffness,
        damping,
    }
}

fn still(links: &[Link], outputs: &[(&str, &str)]) -> Mat<c64> {
    let form = started(&row(links, outputs), &Options::default());
    Transfer::new(&form).at(0.0, Route::Direct).unwrap()
}

fn is(what: &str, got: c64, wanted: f64) {
    near(what, got, c64::new(wanted, 0.0), 1e-12 * wanted.abs());
}

fn grows(what: &str, got: c64) {
    assert!(got.re.is_infinite(), "{what}: {got}");
}

/// A mass on a spring, and one that nothing holds.
#[test]
fn a_free_mass_does_not_hide_a_held_one() {
    let outputs = [
        ("x1", "DX(p1)"),
        ("x2", "DX(p2)"),
        ("v2", "VX(p2)"),
        ("a2", "ACCX(p2)"),
    ];
    let links = [link(2.0, 800.0, 3.0), link(1.5, 0.0, 0.0)];
    let form = started(&row(&links, &outputs), &Options::default());
    let transfer = Transfer::new(&form);
    let h = transfer.at(0.0, Route::Direct).unwrap();
    is("x1 by f1", h[(0, 0)], 1.0 / 800.0);
    is("x1 by f2", h[(0, 1)], 0.0);
    is("x2 by f1", h[(1, 0)], 0.0);
    grows("x2 by f2", h[(1, 1)]);
    grows("v2 by f2", h[(2, 1)]);
    is("a2 by f1", h[(3, 0)], 0.0);
    is("a2 by f2", h[(3, 1)], 1.0 / 1.5);
    // Some of them by themselves are the same, by both routes.
    for route in [Route::Direct, Route::Modal] {
        let some = transfer.among(0.0, route, (&[3, 0], &[1])).unwrap();
        assert_eq!((some.nrows(), some.ncols()), (2, 1));
        assert_eq!((some[(0, 0)], some[(1, 0)]), (h[(3, 1)], h[(0, 1)]));
    }
}

/// A damper alone holds the speed: v = F / c.
#[test]
fn a_damper_bounds_the_speed() {
    let outputs = [("x", "DX(p1)"), ("v", "VX(p1)"), ("a", "ACCX(p1)")];
    let h = still(&[link(2.0, 0.0, 5.0)], &outputs);
    grows("x", h[(0, 0)]);
    is("v", h[(1, 0)], 0.2);
    near("a", h[(2, 0)], c64::new(0.0, 0.0), 1e-15);
}

/// Three masses that float: a force accelerates all of them, and the springs carry the forces for the masses behind
/// them.
#[test]
fn floating_masses_are_pulled_apart() {
    let (m, k) = ([0.37, 1.9, 4.0], [731.0, 5e5]);
    let links = [
        link(m[0], 0.0, 0.0),
        link(m[1], k[0], 0.7),
        link(m[2], k[1], 30.0),
    ];
    let outputs = [
        ("x1", "DX(p1)"),
        ("d2", "DX(p2,p1)"),
        ("d3", "DX(p3,p2)"),
        ("v3", "VX(p3,p1)"),
        ("a2", "ACCX(p2)"),
        ("odd", "DX(p2)+DX(p3)-2*DX(p1)"),
    ];
    let h = still(&links, &outputs);
    let whole: f64 = m.iter().sum();
    for pushed in 0..3 {
        grows("x1", h[(0, pushed)]);
        // Behind the force masses lag, before it they are pushed together.
        let force = |first: usize| {
            let behind: f64 = m[first..].iter().sum();
            let own = if pushed >= first { 1.0 } else { 0.0 };
            own - behind / whole
        };
        let (d2, d3) = (force(1) / k[0], force(2) / k[1]);
        is(&format!("d2 by {pushed}"), h[(1, pushed)], d2);
        is(&format!("d3 by {pushed}"), h[(2, pushed)], d3);
        near("v3", h[(3, pushed)], c64::new(0.0, 0.0), 1e-12);
        is("a2", h[(4, pushed)], 1.0 / whole);
        is(&format!("odd by {pushed}"), h[(5, pushed)], 2.0 * d2 + d3);
    }
}

/// Whichever derivative describes the base, a constant acceleration stretches the spring by m a / k.
#[test]
fn a_base_that_accelerates_bends_a_spring() {
    let links = [link(1.0, 0.0, 0.0), link(2.0, 800.0, 3.0)];
    let outputs = [
        ("x", "DX(p2)"),
        ("d", "DX(p2,p1)"),
        ("v", "VX(p2)"),
        ("a", "ACCX(p2)"),
    ];
    for (level, name) in (0..).zip(["displacement", "velocity", "acceleration"]) {
        let mut model = row(&links, &outputs);
        model["motions"] = json!([{"name": "shake", "joint": "rail1", name: "f1"}]);
        let forces = model["forces"].as_array_mut().unwrap();
        forces.retain(|force| force["name"] != "push1");
        let mut transfer = Transfer::new(&started(&model, &Options::default()));
        let mut told = |derivative: i32| {
            transfer.tell_derivative(0, derivative - level);
            transfer.at(0.0, Route::Direct).unwrap()
        };
        let h = told(2);
        grows(name, h[(0, 0)]);
        grows(name, h[(2, 0)]);
        is(name, h[(1, 0)], -2.0 / 800.0);
        is(name, h[(3, 0)], 1.0);
        is(name, h[(0, 1)], 1.0 / 800.0);
        let h = told(1);
        grows(name, h[(0, 0)]);
        is(name, h[(2, 0)], 1.0);
        near(name, h[(1, 0)], c64::new(0.0, 0.0), 1e-15);
        is(name, told(0)[(0, 0)], 1.0);
    }
}
