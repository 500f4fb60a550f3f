//! Tests of frequency responses: their modes, and responses to excitation.

pub(crate) use super::row::{Link, row};
use super::{simulation, started};
use faer::{Mat, c64};
use linear_analysis::response::excitation::{Excitation, Law, total};
use linear_analysis::response::grid::{Plan, WrongPlan};
use linear_analysis::response::{NoModes, Route, Transfer, degrees, peaks, polar};
use linear_analysis::spectra::TURN;
use linear_analysis::{LinearForm, Options, form};
use serde_json::{Value, json};

/// The two masses of the reference cases.
pub(crate) fn two_masses() -> LinearForm {
    let links = [
        Link {
            mass: 2.0,
            stiffness: 800.0,
            damping: 3.0,
        },
        Link {
            mass: 1.5,
            stiffness: 600.0,
            damping: 1.5,
        },
    ];
    let outputs = [
        ("x2", "DX(p2)-2"),
        ("v1", "VX(p1)"),
        ("a2", "ACCX(p2)"),
        ("spring", "600*(DX(p2,p1)-1)+1.5*VX(p2,p1)"),
        ("ground", "800*(DX(p1)-1)+3*VX(p1)"),
    ];
    started(&row(&links, &outputs), &Options::default())
}

/// One mass: 2 kg, 800 N/m, and a damper.
pub(crate) fn one_mass(damping: f64) -> LinearForm {
    let links = [Link {
        mass: 2.0,
        stiffness: 800.0,
        damping,
    }];
    started(&row(&links, &[("x", "DX(p1)-1")]), &Options::default())
}

pub(crate) fn truth() -> Value {
    serde_json::from_str(include_str!(
        "../../../../tests/truth/F09_frf_psd_participation/reference.json"
    ))
    .unwrap()
}

pub(crate) fn complex(of: &Value) -> c64 {
    c64::new(of["re"].as_f64().unwrap(), of["im"].as_f64().unwrap())
}

pub(crate) fn near(what: &str, got: c64, wanted: c64, tolerance: f64) {
    assert!(
        (got - wanted).norm() <= tolerance,
        "{what}: {got} for {wanted}"
    );
}

/// The largest difference of two matrices, relative to the largest entry.
fn difference(a: &Mat<c64>, b: &Mat<c64>) -> f64 {
    let most = |m: &Mat<c64>| {
        let all = (0..m.nrows()).flat_map(|r| (0..m.ncols()).map(move |c| (r, c)));
        all.fold(0.0_f64, |most, at| most.max(m[at].norm()))
    };
    most(&(a - b)) / most(a)
}

#[test]
fn two_masses_respond_as_in_the_reference_by_both_routes() {
    let (truth, transfer) = (truth(), Transfer::new(&two_masses()));
    assert!(transfer.modal().is_ok());
    for point in truth["points"].as_array().unwrap() {
        let f = point["f_Hz"].as_f64().unwrap();
        for route in [Route::Direct, Route::Modal] {
            let h = transfer.at(f, route).unwrap();
            for r in 0..5 {
                let most = (0..2).map(|c| complex(&point["H"][r][c]).norm());
                let most = most.fold(1e-3, f64::max);
                for c in 0..2 {
                    let wanted = complex(&point["H"][r][c]);
                    near(
                        &format!("{f} Hz {r} {c} {route:?}"),
                        h[(r, c)],
                        wanted,
                        1e-11 * most,
                    );
                }
            }
        }
    }
}

#[test]
fn transfer_functions_are_those_of_mass_damping_and_stiffness() {
    let transfer = Transfer::new(&two_masses());
    for f in [0.1, 1.7, 2.09, 4.84, 30.0] {
        let s = c64::new(0.0, TURN * f);
        let m = [[2.0, 0.0], [0.0, 1.5]];
        let (k, b) = (
            [[1400.0, -600.0], [-600.0, 600.0]],
            [[4.5, -1.5], [-1.5, 1.5]],
        );
        let z = |r: usize, c: usize| s * s * m[r][c] + s * b[r][c] + k[r][c];
        let det = z(0, 0) * z(1, 1) - z(0, 1) * z(1, 0);
        let h = transfer.at(f, Route::Direct).unwrap();
        near("x2 by f2", h[(0, 1)], z(0, 0) / det, 1e-13);
        for route in [Route::Direct, Route::Modal] {
            let own = transfer.among(f, route, (&[0], &[1])).unwrap();
            near("x2 by f2 alone", own[(0, 0)], z(0, 0) / det, 1e-13);
        }
        near("v1 by f2", h[(1, 1)], -s * z(0, 1) / det, 1e-12);
        near("a2 by f1", h[(2, 0)], -s * s * z(1, 0) / det, 1e-11);
    }
}

#[test]
fn modes_have_the_parts_of_the_reference_and_sum_to_the_response() {
    let (truth, transfer) = (truth(), Transfer::new(&two_masses()));
    let theirs: Vec<c64> = truth["eigenvalues_order_for_participation"]
        .as_array()
        .unwrap()
        .iter()
        .map(complex)
        .collect();
    let place = |pole: &c64| {
        let near = |k: &usize| (theirs[*k] - pole).norm() < 1e-9;
        (0..4).find(near).unwrap()
    };
    let table = &truth["participation[freq][output][input][mode]"];
    for (k, point) in truth["points"].as_array().unwrap().iter().enumerate() {
        let f = point["f_Hz"].as_f64().unwrap();
        let parts = transfer.participation(f).unwrap();
        let h = transfer.at(f, Route::Direct).unwrap();
        for r in 0..5 {
            for c in 0..2 {
                let mut sum = parts.direct[(r, c)];
                for (mode, pole) in parts.modes.iter().zip(transfer.poles()) {
                    let wanted = complex(&table[k][r][c][place(pole)]);
                    let tolerance = 1e-11 * wanted.norm().max(1e-3);
                    near(&format!("{f} Hz {r} {c}"), mode[(r, c)], wanted, tolerance);
                    sum += mode[(r, c)];
                }
                near("sum", sum, h[(r, c)], 1e-10 * h[(r, c)].norm().max(1.0));
            }
        }
    }
}

#[test]
fn a_mass_on_a_spring_has_its_closed_form() {
    let damping = 0.4;
    let transfer = Transfer::new(&one_mass(damping));
    let at = |f: f64| transfer.at(f, Route::Direct).unwrap()[(0, 0)];
    near("H(0)", at(0.0), c64::new(1.0 / 800.0, 0.0), 1e-17);
    let natural = 20.0 / TURN;
    near(
        "H(wn)",
        at(natural),
        c64::new(0.0, -1.0 / (damping * 20.0)),
        1e-13,
    );
    assert!((degrees(at(natural)) + 90.0).abs() < 1e-9);
    // The peak is below the natural frequency: w² = wn² (1 − 2 ζ²), |H| = 1 / (2 k ζ √(1 − ζ²)).
    let plan = Plan {
        from: 0.1,
        to: 10.0,
        points: 12,
        logarithmic: true,
        refined: true,
    };
    let grid = plan.grid(transfer.poles(), &[]).unwrap();
    assert_eq!((grid.asked, grid.poles), (12, 1));
    let magnitudes: Vec<f64> = grid.frequencies.iter().map(|f| at(*f).norm()).collect();
    let mut asked = 0;
    let mut exact = |f: f64| {
        asked += 1;
        Some(at(f).norm())
    };
    let found = peaks(&grid.frequencies, &magnitudes, &mut exact, &mut || true);
    assert!(asked <= 16, "{asked} evaluations for one peak");
    let rough = peaks(
        &grid.frequencies,
        &magnitudes,
        &mut |_| unreachable!(),
        &mut || false,
    );
    assert!(rough.len() == 1 && grid.frequencies.contains(&rough[0].frequency));
    let zeta = damping / (2.0 * 2.0 * 20.0);
    let peak = natural * (1.0_f64 - 2.0 * zeta * zeta).sqrt();
    let height = 1.0 / (1600.0 * zeta * (1.0 - zeta * zeta).sqrt());
    assert_eq!(found.len(), 1);
    assert!(
        (found[0].frequency / peak - 1.0).abs() < 1e-6,
        "{found:?} {peak}"
    );
    assert!(
        (found[0].magnitude / height - 1.0).abs() < 1e-9,
        "{found:?} {height}"
    );
}

#[test]
fn grids_are_refined_around_poles_and_wrong_ones_refused() {
    let poles = [
        c64::new(-0.01, TURN * 3.0),
        c64::new(-0.01, -TURN * 3.0),
        c64::new(0.0, TURN * 5.0),
    ];
    let plan = Plan {
        from: 1.0,
        to: 9.0,
        points: 9,
        logarithmic: false,
        refined: true,
    };
    let grid = plan.grid(&poles, &[4.5]).unwrap();
    let f = &grid.frequencies;
    assert!(f.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(f.contains(&4.5) && f.contains(&3.0) && f[0] == 1.0 && f[f.len() - 1] == 9.0);
    let half = 0.01 / TURN;
    let close = f.iter().filter(|f| (**f - 3.0).abs() < 2.1 * half).count();
    assert_eq!(
        close, 7,
        "the pole, and half, one and two half widths on both sides"
    );
    assert_eq!(grid.poles, 2);
    let plain = Plan {
        refined: false,
        ..plan
    };
    assert_eq!(plain.grid(&poles, &[]).unwrap().frequencies.len(), 9);
    let wrong = |plan: Plan| plan.grid(&poles, &[]).unwrap_err();
    assert!(matches!(
        wrong(Plan { to: 0.5, ..plan }),
        WrongPlan::Range { .. }
    ));
    let single = Plan { to: 1.0, ..plan }.grid(&poles, &[]).unwrap();
    assert_eq!((&single.frequencies[..], single.asked), (&[1.0][..], 1));
    assert_eq!(wrong(Plan { points: 1, ..plan }), WrongPlan::Points(1));
    assert_eq!(
        wrong(Plan {
            from: 0.0,
            logarithmic: true,
            ..plan
        }),
        WrongPlan::Logarithmic
    );
}

#[test]
fn a_long_row_agrees_by_both_routes_and_a_free_one_says_why_not() {
    let mut links: Vec<Link> = (0..24)
        .map(|k| Link {
            mass: 1.0 + 0.1 * f64::from(k),
            stiffness: 1e5 / f64::from(k + 1),
            damping: f64::from(k % 5),
        })
        .collect();
    let outputs = [("x", "DX(p24)-24"), ("a", "ACCX(p7)"), ("f", "FX(p3,p2)")];
    let held = Transfer::new(&started(&row(&links, &outputs), &Options::default()));
    for k in 0..200 {
        let f = 0.05 * f64::from(k);
        let routes = [Route::Direct, Route::Modal].map(|route| held.at(f, route).unwrap());
        assert!(difference(&routes[0], &routes[1]) < 1e-10, "{f}");
    }
    // Without the first spring all of them can travel.
    links[0] = Link {
        mass: 1.0,
        stiffness: 0.0,
        damping: 0.0,
    };
    let free = Transfer::new(&started(&row(&links, &outputs), &Options::default()));
    assert!(
        matches!(free.modal(), Err(NoModes::Defective(_))),
        "{:?}",
        free.modal()
    );
    assert!(free.participation(1.0).is_err());
    let still = free.at(0.0, Route::Direct).unwrap();
    assert!(still[(0, 4)].re.is_infinite() && still[(1, 4)].re.is_finite());
    // Far below all elastic modes a force on one is a force on all.
    let mass: f64 = links.iter().map(|link| link.mass).sum();
    let s = c64::new(0.0, TURN * 1e-3);
    let h = free.at(1e-3, Route::Modal).unwrap();
    let wanted = (s * s * mass).inv();
    near("rigid", h[(0, 4)] / wanted, c64::new(1.0, 0.0), 1e-4);
}

/// A base that an input drives, and a mass on a spring and a damper on it.
fn base(level: &str) -> LinearForm {
    let links = [
        Link {
            mass: 1.0,
            stiffness: 0.0,
            damping: 0.0,
        },
        Link {
            mass: 2.0,
            stiffness: 800.0,
            damping: 3.0,
        },
    ];
    let mut model = row(&links, &[("x", "DX(p2)-2"), ("a", "ACCX(p2)")]);
    model["motions"] = json!([{"name": "shake", "joint": "rail1", level: "f1"}]);
    let forces = model["forces"].as_array_mut().unwrap();
    forces.retain(|force| force["name"] != "push1");
    started(&model, &Options::default())
}

#[test]
fn a_base_moves_a_mass_whatever_tells_its_motion() {
    let levels = ["displacement", "velocity", "acceleration"];
    for (level, name) in levels.iter().enumerate() {
        let level = level as i32;
        let mut transfer = Transfer::new(&base(name));
        assert_eq!(transfer.driven_level(0), Some(level));
        assert_eq!(transfer.driven_level(1), None);
        for f in [0.3, 3.0, 3.2, 40.0] {
            let s = c64::new(0.0, TURN * f);
            let share = (s * 3.0 + 800.0) / (s * s * 2.0 + s * 3.0 + 800.0);
            for told in 0..3 {
                transfer.tell_derivative(0, told - level);
                for route in [Route::Direct, Route::Modal] {
                    let h = transfer.at(f, route).unwrap();
                    let wanted = share * s.powi(-told);
                    let what = format!("{name} told as {told}, {f} Hz");
                    near(&what, h[(0, 0)] / wanted, c64::new(1.0, 0.0), 1e-12);
                    near(
                        &what,
                        h[(1, 0)] / (wanted * s * s),
                        c64::new(1.0, 0.0),
                        1e-12,
                    );
                }
            }
            transfer.tell_derivative(0, 0);
        }
        if level > 0 {
            let still = transfer.at(0.0, Route::Direct).unwrap();
            assert!(still[(0, 0)].re.is_infinite());
        }
    }
}

#[test]
fn contributions_add_up_and_an_imbalance_turns() {
    let transfer = Transfer::new(&two_masses());
    let mut excitation = Excitation::default();
    excitation.laws.push((0, Law::Constant(polar(2.0, 30.0))));
    excitation.imbalance(0, 1, 0.003);
    let f = 1.5;
    let speed = TURN * f;
    let u = excitation.at(f, 2);
    near("u1", u[0], polar(2.0, 30.0) + 0.003 * speed * speed, 1e-12);
    near("u2", u[1], c64::new(0.0, -0.003 * speed * speed), 1e-12);
    let h = transfer.at(f, Route::Direct).unwrap();
    let parts = excitation
        .contributions(&transfer, f, Route::Direct)
        .unwrap();
    near("part", parts[(0, 1)], h[(0, 1)] * u[1], 1e-15);
    near(
        "sum",
        total(&parts, 0),
        h[(0, 0)] * u[0] + h[(0, 1)] * u[1],
        1e-15,
    );
}

#[test]
fn states_at_a_frequency_move_all_coordinates() {
    let links = [Link {
        mass: 2.0,
        stiffness: 800.0,
        damping: 3.0,
    }];
    let simulation = simulation(&row(&links, &[("x", "DX(p1)-1")]));
    let linearization = simulation.linearization().unwrap();
    let form =
        form::linear_form(simulation.mechanism(), &linearization, &Options::default()).unwrap();
    let transfer = Transfer::new(&form);
    let (f, u) = (2.5, [polar(3.0, 45.0)]);
    let states = transfer.states(f, &u).unwrap();
    let wanted = transfer.at(f, Route::Direct).unwrap()[(0, 0)] * u[0];
    near("position", states[0], wanted, 1e-16);
    near(
        "velocity",
        states[1],
        wanted * c64::new(0.0, TURN * f),
        1e-14,
    );
    let shapes = &form.shapes.positions;
    let moved: Vec<c64> = (0..shapes.nrows())
        .map(|r| {
            (0..states.len()).fold(c64::new(0.0, 0.0), |sum, k| {
                sum + states[k] * shapes[(r, k)]
            })
        })
        .collect();
    let names = form.shapes.coordinates.iter();
    let names = names.map(|k| linearization.tangents.places[*k].unknown.as_str());
    for (name, moved) in names.zip(moved) {
        let along = name == "part \"m1\", displacement along x";
        let expected = if along { wanted } else { c64::new(0.0, 0.0) };
        near(name, moved, expected, 1e-15);
    }
    let given = Transfer::new(&base("acceleration"));
    let states = given
        .states(f, &[polar(1.0, 0.0), polar(0.0, 0.0)])
        .unwrap();
    let last = states.len() - 1;
    near("acceleration", states[last], c64::new(1.0, 0.0), 1e-14);
    let s = c64::new(0.0, TURN * f);
    near("displacement", states[last - 2], (s * s).inv(), 1e-16);
}

/// Two masses that float: the roots of the free motion are exactly zero, and so are the poles of responses.
#[test]
fn poles_of_free_motions_are_zero_exactly() {
    let slide = |x: f64| json!({"z_point": [x + 1.0, 0, 0], "x_point": [x, 1, 0]});
    let part = |name: &str, x: f64, mass: f64| json!({"name": name, "mass": mass, "position": [x, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}});
    let model = json!({
        "fixstep": 1, "name": "floating", "gravity": [0, 0, 0],
        "parts": [part("a", 1.0, 0.37), part("b", 2.0, 1.9)],
        "markers": [
            {"name": "ga", "part": "ground", "position": [1, 0, 0], "orientation": slide(1.0)},
            {"name": "gb", "part": "ground", "position": [2, 0, 0], "orientation": slide(2.0)},
            {"name": "sa", "part": "a", "orientation": slide(0.0)}, {"name": "sb", "part": "b", "orientation": slide(0.0)},
            {"name": "pa", "part": "a"}, {"name": "pb", "part": "b"}
        ],
        "joints": [
            {"name": "ja", "type": "translational", "i": "sa", "j": "ga"},
            {"name": "jb", "type": "translational", "i": "sb", "j": "gb"}
        ],
        "inputs": [{"name": "f"}],
        "forces": [
            {"name": "k", "type": "spring_damper", "i": "pb", "j": "pa", "stiffness": 731, "damping": 0.7, "length": 1},
            {"name": "push", "type": "action_only_force", "i": "pa", "j": "ga", "expression": "f"}
        ],
        "outputs": [{"name": "x", "expression": "DX(pb)"}]
    });
    let transfer = Transfer::new(&started(&model, &Options::default()));
    let zero = c64::new(0.0, 0.0);
    let poles = transfer.poles();
    assert_eq!((poles.len(), poles[0], poles[1]), (4, zero, zero));
    assert!(poles[2].im > 0.0 && poles[3] == poles[2].conj());
    assert!(transfer.modal().is_err());
}
