//! Tests of the reduction of a free body with two spiders: frequencies, static compliance, and what is lost with
//! omitted modes.

use fixstep_kernel::math::Vec3;
use fixstep_model::flex_file;
use flexible_bodies::fe::FeModel;
use flexible_bodies::reduce::condense::Condensed;
use flexible_bodies::reduce::{Interface, Load, NormalModes, Options, Reference, reduce};
use flexible_bodies::sparse::pencil::Part;

use super::brick::{DENSITY, YOUNG, block, end};
use super::close;

const SIZE: [f64; 3] = [1.0, 0.02, 0.04];

fn model() -> FeModel {
    block(SIZE, [40, 2, 2])
}

fn options(model: &FeModel, normal: usize) -> Options {
    let spider = |name: &str, x: f64| Interface {
        name: name.to_owned(),
        at: Reference::Spider {
            point: Vec3::new(x, 0.0, 0.0),
            nodes: end(model, x),
        },
    };
    Options {
        interfaces: vec![spider("root", 0.0), spider("tip", SIZE[0])],
        normal_modes: NormalModes::Count(normal),
        ..Options::default()
    }
}

fn quiet(_: &str, _: f64) {}

#[test]
fn a_bar_without_interfaces_stretches_at_the_frequency_of_theory() {
    let model = model();
    let given = Options {
        normal_modes: NormalModes::UpTo(3000.0),
        record: vec![0],
        ..Options::default()
    };
    let (body, report) = reduce(&model, &given, &mut quiet).unwrap();
    assert_eq!(report.rigid.len(), 6);
    assert!(report.rigid.iter().all(|f| *f < 1e-2), "{report}");
    // √(E/ρ) / 2L; elements that are straight are stiffer by (π / 40)² / 24.
    let bar = (YOUNG / DENSITY).sqrt() / (2.0 * SIZE[0]);
    let discrete = bar * (1.0 + (std::f64::consts::PI / 40.0).powi(2) / 24.0);
    let found = body
        .modes
        .iter()
        .map(|mode| mode.frequency)
        .find(|f| (f / discrete - 1.0).abs() < 2e-4);
    assert!(found.is_some(), "{bar}, {report}");
}

#[test]
fn static_answers_are_those_of_the_whole_model() {
    let model = model();
    let given = options(&model, 3);
    let (_, report) = reduce(&model, &given, &mut quiet).unwrap();
    let condensed = Condensed::new(&model, &given.interfaces).unwrap();
    // Root held: its six unknowns stay zero.
    let root = condensed.interior..condensed.interior + 6;
    for (direction, name) in [
        (0, "tip x"),
        (1, "tip y"),
        (2, "tip z"),
        (3, "tip rx"),
        (5, "tip rz"),
    ] {
        let place = condensed.interior + 6 + direction;
        let expected = flexibility(&condensed, place, &root);
        let line = report
            .compliance
            .iter()
            .find(|line| line.direction == name)
            .unwrap();
        assert_eq!(
            (line.held.as_deref(), line.lost_percent),
            (Some("root"), 0.0)
        );
        close(line.compliance, expected, 1e-7, name);
    }
}

/// The displacement under a unit load by conjugate gradients, scaled by the diagonal.
fn flexibility(condensed: &Condensed<'_>, place: usize, held: &std::ops::Range<usize>) -> f64 {
    let diagonal = condensed.pencil.diagonal(Part::Stiffness);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let n = condensed.size();
    let mut x = vec![0.0; n];
    let mut r = vec![0.0; n];
    r[place] = 1.0;
    let scaled = |r: &[f64]| -> Vec<f64> { r.iter().zip(&diagonal).map(|(r, d)| r / d).collect() };
    let mut z = scaled(&r);
    let mut p = z.clone();
    let mut rz = dot(&r, &z);
    let start = rz;
    for _ in 0..20 * n {
        let mut image = condensed.pencil.product(Part::Stiffness, &p);
        image[held.clone()].fill(0.0);
        let step = rz / dot(&p, &image);
        for k in 0..n {
            x[k] += step * p[k];
            r[k] -= step * image[k];
        }
        z = scaled(&r);
        let next = dot(&r, &z);
        if next < 1e-26 * start {
            break;
        }
        for k in 0..n {
            p[k] = z[k] + next / rz * p[k];
        }
        rz = next;
    }
    x[place]
}

#[test]
fn modes_left_out_by_frequency_take_static_compliance_along() {
    let model = model();
    let all = options(&model, 6);
    let (whole, full) = reduce(&model, &all, &mut quiet).unwrap();
    assert!(full.compliance.iter().all(|line| line.lost_percent == 0.0));
    let limit = whole.modes[5].frequency;
    let (body, report) = reduce(
        &model,
        &Options {
            keep_frequency: Some(limit),
            ..all.clone()
        },
        &mut quiet,
    )
    .unwrap();
    assert_eq!(body.modes.len(), 6);
    // Keeping the first modes of a free body is far from the static answer of the clamped one.
    let lost = |name: &str| {
        report
            .compliance
            .iter()
            .find(|line| line.direction == name)
            .unwrap()
            .lost_percent
    };
    assert!(
        lost("tip y") > 10.0 && lost("tip z") > 10.0 && lost("tip x") > 90.0,
        "{report}"
    );
    // The sum of what is left out is what is lost.
    let kept = report.modes.iter().filter(|mode| mode.kept).count();
    assert_eq!(kept, 6);
    // By participation, slow modes that carry nothing go and fast ones that carry much stay.
    let (body, report) = reduce(
        &model,
        &Options {
            keep_participation: Some(0.01),
            ..all.clone()
        },
        &mut quiet,
    )
    .unwrap();
    assert!(
        body.modes.len() < 18
            && report
                .modes
                .iter()
                .all(|mode| mode.kept == (mode.share >= 0.01))
    );
    assert!(
        report
            .compliance
            .iter()
            .all(|line| line.lost_percent < 10.0),
        "{report}"
    );
}

#[test]
fn all_modes_up_to_a_frequency_are_counted_before_they_are_sought() {
    let model = model();
    let mut given = options(&model, 12);
    let (_, by_count) = reduce(&model, &given, &mut quiet).unwrap();
    given.normal_modes = NormalModes::UpTo(by_count.held[7] * 1.001);
    let (_, by_limit) = reduce(&model, &given, &mut quiet).unwrap();
    assert_eq!(by_limit.held.len(), 8);
    for (a, b) in by_limit.held.iter().zip(&by_count.held) {
        close(*a, *b, 1e-11, "held");
    }
}

#[test]
fn the_plain_form_sits_on_its_first_interface() {
    let model = model();
    let mut given = options(&model, 6);
    let (free, _) = reduce(&model, &given, &mut quiet).unwrap();
    given.orthonormalise = false;
    let (plain, _) = reduce(&model, &given, &mut quiet).unwrap();
    assert_eq!(plain.modes.len(), free.modes.len() - 6 + 6);
    let labels: Vec<&str> = plain.modes.iter().map(|mode| mode.label.as_str()).collect();
    assert_eq!(
        (labels[0], labels[6], labels[11]),
        ("fixed-interface 1", "constraint tip x", "constraint tip rz")
    );
    let root = plain.node("root").unwrap();
    assert!(
        plain.nodes[root]
            .translation
            .iter()
            .all(|t| t.norm() == 0.0)
    );
    // A constraint mode's coordinate is the displacement of its interface.
    let tip = &plain.nodes[plain.node("tip").unwrap()];
    assert_eq!(
        (tip.translation[8], tip.rotation[10]),
        (Vec3::z(), Vec3::y())
    );
    for body in [&free, &plain] {
        assert_eq!(&flex_file::read(&flex_file::write(body)).unwrap(), body);
    }
}

#[test]
fn loads_have_resultants_and_modal_forces() {
    let model = model();
    let mut given = options(&model, 6);
    // Pressure on the upper side, as forces at its nodes.
    let upper = |u: &usize| {
        let unknown = model.unknowns[*u];
        unknown.direction == 2 && (model.nodes[unknown.node].position.z - 0.02).abs() < 1e-9
    };
    let forces: Vec<(usize, f64)> = (0..model.unknowns.len())
        .filter(upper)
        .map(|u| (u, -2.0))
        .collect();
    let load = |residual| Load {
        name: "pressure".to_owned(),
        forces: forces.clone(),
        residual,
    };
    given.loads = vec![load(false)];
    given.preload = Some(load(false));
    let (body, _) = reduce(&model, &given, &mut quiet).unwrap();
    let total = 2.0 * forces.len() as f64;
    close(body.loads[0].force.z, -total, 1e-12, "force");
    close(body.loads[0].torque.y, 0.5 * total, 1e-12, "torque");
    assert_eq!(body.preload.as_ref(), Some(&body.loads[0].modal));
    given.loads = vec![load(true)];
    let (richer, _) = reduce(&model, &given, &mut quiet).unwrap();
    assert_eq!(richer.modes.len(), body.modes.len() + 1);
}

#[test]
fn same_input_same_bits() {
    let model = block(SIZE, [10, 1, 2]);
    let given = options(&model, 8);
    let once = || flex_file::write(&reduce(&model, &given, &mut quiet).unwrap().0);
    assert_eq!(once(), once());
}

#[test]
fn the_order_of_the_nodes_does_not_matter() {
    let model = block(SIZE, [10, 1, 2]);
    let mut turned = model.clone();
    // Unknowns in reverse.
    let n = model.unknowns.len();
    turned.unknowns.reverse();
    for matrix in [&mut turned.stiffness, &mut turned.mass] {
        let mut entries: Vec<_> = matrix
            .entries()
            .map(|(i, j, v)| (n - 1 - i, n - 1 - j, v))
            .collect();
        *matrix = flexible_bodies::fe::Symmetric::from_entries(n, &mut entries);
    }
    let (a, _) = reduce(&model, &options(&model, 8), &mut quiet).unwrap();
    let (b, _) = reduce(&turned, &options(&model, 8), &mut quiet).unwrap();
    for (a, b) in a.modes.iter().zip(&b.modes) {
        close(a.frequency, b.frequency, 1e-9, "mode");
    }
}
