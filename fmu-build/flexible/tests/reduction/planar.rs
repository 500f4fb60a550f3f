//! Tests of the single steps of a reduction with chains and planar beams, which have fewer than six rigid modes.

use flexible_bodies::fe::FeModel;
use flexible_bodies::reduce::basis::{Basis, Kind};
use flexible_bodies::reduce::condense::Condensed;
use flexible_bodies::reduce::orthonormal::{BodyModes, orthonormal};
use flexible_bodies::reduce::rigid::Rigid;
use flexible_bodies::reduce::{Interface, Load, NormalModes, Options, Reference};
use flexible_bodies::sparse::pencil::Part;

use super::{close, line, numbers, reference, truth};

fn options(nodes: &[(usize, &str)], normal: usize) -> Options {
    let interface = |(node, name): &(usize, &str)| Interface {
        name: (*name).to_owned(),
        at: Reference::Node(*node),
    };
    Options {
        interfaces: nodes.iter().map(interface).collect(),
        normal_modes: NormalModes::Count(normal),
        ..Options::default()
    }
}

struct Steps<'a> {
    condensed: Condensed<'a>,
    basis: Basis,
    modes: BodyModes,
}

fn steps<'a>(model: &'a FeModel, options: &Options) -> Steps<'a> {
    let condensed = Condensed::new(model, &options.interfaces).unwrap();
    let rigid = Rigid::new(&condensed).unwrap();
    rigid.require_free_body(&condensed).unwrap();
    let basis = Basis::new(&condensed, &rigid, options, &mut |_, _| ()).unwrap();
    let modes = orthonormal(&condensed, &rigid, &basis, options.rigid_tolerance).unwrap();
    Steps {
        condensed,
        basis,
        modes,
    }
}

/// Masses m = 2, springs k = 50.
fn chain() -> FeModel {
    let k = [
        [50.0, -50.0, 0.0],
        [-50.0, 100.0, -50.0],
        [0.0, -50.0, 50.0],
    ];
    let m = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    line(&[0.0, 1.0, 2.0], &[0], &k.map(Vec::from), &m.map(Vec::from))
}

#[test]
fn three_masses_with_the_constraint_modes_of_the_document() {
    let model = chain();
    let published = &reference("E07_cb_three_mass")["reductions"];
    for (key, nodes, normal) in [
        ("u2_u3_interface_1_normal_mode", [1, 2], 1),
        ("u2_u3_interface_static_only", [1, 2], 0),
        ("u1_u3_interface_1_normal_mode", [0, 2], 1),
        ("u1_u3_interface_static_only", [0, 2], 0),
    ] {
        let steps = steps(
            &model,
            &options(&[(nodes[0], "a"), (nodes[1], "b")], normal),
        );
        let static_part: Vec<f64> = steps
            .basis
            .columns
            .iter()
            .skip(normal)
            .map(|c| c[0])
            .collect();
        // u1 rides with u2; between two interfaces the mass stands amid them.
        let expected = if nodes[0] == 1 {
            [1.0, 0.0]
        } else {
            [0.5, 0.5]
        };
        for (found, expected) in static_part.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15);
        }
        let numeric = &published[key]["numeric_m2_k50"];
        let omega2 = numbers(&numeric["omega2"]);
        assert_eq!(steps.modes.rigid.len(), 1, "{key}");
        for (frequency, expected) in steps.modes.frequencies.iter().zip(&omega2[1..]) {
            let omega = std::f64::consts::TAU * frequency;
            close(omega * omega, *expected, 1e-13, key);
        }
        let columns = &numeric["orthonormal_modes_columns"];
        for (j, mode) in steps.modes.columns.iter().enumerate() {
            let shape = steps.condensed.expand(mode);
            let row = |i: usize| numbers(&columns[i])[j + 1];
            // Either sign is a mode.
            let sign = if row(2) * shape[2] < 0.0 { -1.0 } else { 1.0 };
            for i in 0..3 {
                assert!(
                    (sign * shape[i] - row(i)).abs() < 1e-13,
                    "{key}, {i}: {shape:?}"
                );
            }
        }
    }
}

/// 20 beam elements in a plane.
fn beam() -> FeModel {
    let rows = |file| -> Vec<Vec<f64>> {
        let text = truth("E08_cb_beam2d", file);
        let row = |line: &str| line.split(',').map(|x| x.parse().unwrap()).collect();
        text.lines().map(row).collect()
    };
    let places: Vec<f64> = (0..21).map(|k| 0.045 * f64::from(k)).collect();
    line(&places, &[0, 1, 5], &rows("K.csv"), &rows("M.csv"))
}

#[test]
fn a_planar_beam_has_the_published_reduced_matrices() {
    let model = beam();
    let published = reference("E08_cb_beam2d");
    let steps = steps(&model, &options(&[(0, "left"), (20, "right")], 10));
    for (found, expected) in steps
        .basis
        .held
        .iter()
        .zip(numbers(&published["fixed_interface_freqs_Hz"]))
    {
        close(found.sqrt() / std::f64::consts::TAU, expected, 1e-9, "held");
    }
    // The published matrices have six modes with held interfaces; signs of modes may differ.
    let pick: Vec<usize> = (0..6).chain(10..16).collect();
    for (part, key) in [(Part::Stiffness, "K_reduced"), (Part::Mass, "M_reduced")] {
        let found = steps.basis.projected(&steps.condensed.pencil, part);
        let expected: Vec<Vec<f64>> = published[key]
            .as_array()
            .unwrap()
            .iter()
            .map(numbers)
            .collect();
        for (i, p) in pick.iter().enumerate() {
            for (j, q) in pick.iter().enumerate() {
                let scale = (expected[i][i] * expected[j][j]).sqrt();
                let error = found[(*p, *q)].abs() - expected[i][j].abs();
                assert!(error.abs() < 1e-9 * scale, "{key} {i} {j}");
            }
        }
    }
}

#[test]
fn a_planar_beam_has_the_published_free_modes() {
    let model = beam();
    let published = reference("E08_cb_beam2d");
    let steps = steps(&model, &options(&[(0, "left"), (20, "right")], 6));
    let expected = numbers(&published["orthonormalised_freqs_Hz"]);
    assert_eq!(steps.modes.rigid.len(), 3);
    assert!(
        steps.modes.rigid.iter().all(|f| *f < 1e-3),
        "{:?}",
        steps.modes.rigid
    );
    for (found, expected) in steps.modes.frequencies.iter().zip(&expected[3..]) {
        close(*found, *expected, 1e-9, "free");
    }
    let shapes: Vec<Vec<f64>> = steps
        .modes
        .columns
        .iter()
        .map(|c| steps.condensed.expand(c))
        .collect();
    for (node, first) in [("node0", 0), ("node20", 60)] {
        let rows = &published["orthonormal_modes_at_end_nodes"][node];
        for direction in 0..3 {
            let expected = numbers(&rows[direction]);
            for (j, shape) in shapes.iter().enumerate() {
                let error = shape[first + direction].abs() - expected[3 + j].abs();
                assert!(
                    error.abs() < 1e-8 * expected[3 + j].abs() + 1e-8,
                    "{node} {direction} {j}"
                );
            }
        }
    }
}

#[test]
fn without_interfaces_the_modes_are_those_of_the_free_beam() {
    let model = beam();
    let published = numbers(&reference("E08_cb_beam2d")["full_free_free_Hz"]);
    let steps = steps(&model, &options(&[], 8));
    assert_eq!(
        (steps.modes.rigid.len(), steps.modes.frequencies.len()),
        (3, 8)
    );
    for (found, expected) in steps.modes.frequencies.iter().zip(&published[3..]) {
        close(*found, *expected, 1e-9, "free");
    }
}

#[test]
fn an_interface_that_does_not_hold_the_beam_is_enough() {
    // The middle of the beam may move along x and y; it turns freely.
    let held = beam();
    let clamped = steps(&held, &options(&[(0, "left"), (20, "right")], 12));
    let mut model = beam();
    let gone = model
        .unknowns
        .iter()
        .position(|u| (u.node, u.direction) == (10, 5))
        .unwrap();
    // As an interface node with its two translations alone, by renaming its rotation to another node.
    model.nodes.push(model.nodes[10]);
    model.nodes[21].id = 99;
    model.unknowns[gone].node = 21;
    let loose = steps(&model, &options(&[(10, "middle")], 12));
    assert!(loose.basis.kinds.contains(&Kind::Loose));
    assert_eq!(loose.modes.rigid.len(), 3);
    for k in 0..4 {
        close(
            loose.modes.frequencies[k],
            clamped.modes.frequencies[k],
            2e-3,
            "lowest",
        );
    }
}

/// EI = 820, L = 1.2, ρA = 2.1: 20 Hermite elements in bending, which are exact for loads at nodes.
fn bending() -> FeModel {
    let (n, ei, rho) = (20, 820.0, 2.1);
    let l: f64 = 1.2 / 20.0;
    let k = [
        [12.0, 6.0 * l, -12.0, 6.0 * l],
        [6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l],
        [-12.0, -6.0 * l, 12.0, -6.0 * l],
        [6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l],
    ];
    let m = [
        [156.0, 22.0 * l, 54.0, -13.0 * l],
        [22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l],
        [54.0, 13.0 * l, 156.0, -22.0 * l],
        [-13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l],
    ];
    let size = 2 * (n + 1);
    let (mut big_k, mut big_m) = (vec![vec![0.0; size]; size], vec![vec![0.0; size]; size]);
    for e in 0..n {
        for i in 0..4 {
            for j in 0..4 {
                big_k[2 * e + i][2 * e + j] += ei / l.powi(3) * k[i][j];
                big_m[2 * e + i][2 * e + j] += rho * l / 420.0 * m[i][j];
            }
        }
    }
    let places: Vec<f64> = (0..=n).map(|k| l * k as f64).collect();
    line(&places, &[1, 5], &big_k, &big_m)
}

#[test]
fn a_residual_vector_makes_the_static_answer_exact() {
    let model = bending();
    let published = reference("E12_static_tip_and_residual");
    let force = published["parameters"]["P"].as_f64().unwrap();
    let exact = published["exact_tip_deflection"].as_f64().unwrap();
    let fractions = numbers(&published["modal_series_fraction_of_exact_with_n_clamped_modes"]);
    for n in 1..=4 {
        for residual in [false, true] {
            let mut options = options(&[(0, "root")], n);
            options.loads = vec![Load {
                name: "tip".to_owned(),
                forces: vec![(40, force)],
                residual,
            }];
            let steps = steps(&model, &options);
            // With the root held: columns of the basis without its constraint modes.
            let kept: Vec<usize> = (0..steps.basis.kinds.len())
                .filter(|j| !matches!(steps.basis.kinds[*j], Kind::Constraint(_)))
                .collect();
            let k = steps
                .basis
                .projected(&steps.condensed.pencil, Part::Stiffness);
            let m = steps.basis.projected(&steps.condensed.pencil, Part::Mass);
            let pick = |a: &faer::Mat<f64>| {
                faer::Mat::from_fn(kept.len(), kept.len(), |i, j| a[(kept[i], kept[j])])
            };
            let solved =
                flexible_bodies::sparse::dense::general(pick(&k).as_ref(), pick(&m).as_ref())
                    .unwrap();
            let tip = |j: usize| {
                let entries = kept.iter().enumerate();
                entries
                    .map(|(i, column)| {
                        let shape = steps.condensed.expand(steps.basis.columns.col(*column));
                        solved.vectors[(i, j)] * shape[40]
                    })
                    .sum::<f64>()
            };
            let answer: f64 = (0..kept.len())
                .map(|j| tip(j).powi(2) * force / solved.values[j])
                .sum();
            let expected = if residual { 1.0 } else { fractions[n - 1] };
            let tolerance = if residual { 1e-9 } else { 1e-5 };
            close(answer / exact, expected, tolerance, "tip");
        }
    }
}
