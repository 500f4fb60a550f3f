//! Tests of chains as model files: valid, of the right mass, and with frequencies that converge to those of the beam.

#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_model::Model;
use nalgebra::{DMatrix, Matrix6, SMatrix};

use super::super::testing::{beams, built, check_close, free, frequencies};
use super::*;

const STEEL: &str = r#"{"name": "link", "points": [{"name": "root", "position": [0, 0, 0]}, {"name": "tip", "position": [1.5, 0, 0]}],
 "material": {"youngs_modulus": 2.1e11, "shear_modulus": 8.1e10, "density": 7850}, "damping": {"ratio": 0.02, "frequency": 10},
 "section": {"type": "values", "area": 0.0008, "izz": 2.666666666666667e-8, "iyy": 1.0666666666666668e-7, "ixx": 7.328e-8}}"#;

const CORNER: &str = r#"{"name": "frame", "points": [{"name": "root", "position": [0, 0, 0]}, {"position": [0.6, 0, 0]}, {"name": "tip", "position": [0.6, 0.4, 0.3]}],
 "material": {"youngs_modulus": 7e10, "poissons_ratio": 0.3, "density": 2700}, "elements": 20,
 "segments": [{"section": {"type": "tube", "outer": 0.04, "inner": 0.03}}, {"section": {"type": "rectangle", "y": 0.02, "z": 0.03}}]}"#;

fn read(chain: &Chain) -> Model {
    let missing = |name: &str| Err(format!("no file {name}"));
    Model::read(&chain.text(), &missing).unwrap_or_else(|e| unreachable!("{e}"))
}

/// A law's stiffness about I in the axes of J, from the formulas of the model format.
fn stiffness(law: &Law) -> Matrix6<f64> {
    let mut k = Matrix6::zeros();
    match law {
        Law::Field { stiffness, .. } => k = (**stiffness).into(),
        &Law::Beam {
            length: l,
            youngs_modulus: e,
            shear_modulus: g,
            area,
            ixx,
            iyy,
            izz,
            ..
        } => {
            k[(0, 0)] = e * area / l;
            k[(3, 3)] = g * ixx / l;
            for (a, b, i, sign) in [(1, 5, izz, -1.0), (2, 4, iyy, 1.0)] {
                k[(a, a)] = 12.0 * e * i / (l * l * l);
                k[(b, b)] = 4.0 * e * i / l;
                k[(a, b)] = sign * 6.0 * e * i / (l * l);
                k[(b, a)] = k[(a, b)];
            }
        }
    }
    k
}

/// Frequencies of small vibrations of a chain, from its file.
fn chain_frequencies(chain: &Chain) -> Vec<f64> {
    let model = read(chain).mechanism;
    let n = 6 * chain.parts.len();
    let (mut k, mut m) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
    for force in &chain.forces {
        let frame = |name: &str| {
            let marker = model.markers.iter().find(|m| m.name == name).unwrap();
            let body = &model.bodies[marker.body.index()];
            let place = body.position + body.orientation * marker.position;
            (
                marker.body.index(),
                place,
                body.orientation * marker.orientation,
                place - body.position,
            )
        };
        let ((bi, pi, ..), (bj, pj, rj, _)) = (frame(&force.i), frame(&force.j));
        // departure of I from J in the axes of J, of motions of both about their centres
        let mut rows = [SMatrix::<f64, 6, 6>::zeros(), SMatrix::zeros()];
        let turn = rj.transpose();
        for (which, arm) in [frame(&force.i).3, pi - pj + frame(&force.j).3]
            .into_iter()
            .enumerate()
        {
            let sign = [1.0, -1.0][which];
            rows[which]
                .fixed_view_mut::<3, 3>(0, 0)
                .copy_from(&(turn * sign));
            rows[which]
                .fixed_view_mut::<3, 3>(0, 3)
                .copy_from(&(turn * skew(&arm) * -sign));
            rows[which]
                .fixed_view_mut::<3, 3>(3, 3)
                .copy_from(&(turn * sign));
        }
        let own = stiffness(&force.law);
        for (a, body_a) in [bi, bj].into_iter().enumerate() {
            for (b, body_b) in [bi, bj].into_iter().enumerate() {
                if body_a > 0 && body_b > 0 {
                    let block = rows[a].transpose() * own * rows[b];
                    let mut view = k.view_mut((6 * (body_a - 1), 6 * (body_b - 1)), (6, 6));
                    view += block;
                }
            }
        }
    }
    for (at, body) in model.bodies.iter().skip(1).enumerate() {
        let part = &chain.parts[at];
        let inertia = Vec3::new(part.inertia.xx, part.inertia.yy, part.inertia.zz);
        let turned =
            body.orientation * Mat3::from_diagonal(&inertia) * body.orientation.transpose();
        m.view_mut((6 * at, 6 * at), (3, 3))
            .copy_from(&(Mat3::identity() * part.mass));
        m.view_mut((6 * at + 3, 6 * at + 3), (3, 3))
            .copy_from(&turned);
    }
    let l = m.cholesky().unwrap().l();
    let half = l.solve_lower_triangular(&k).unwrap();
    let s = l.solve_lower_triangular(&half.transpose()).unwrap();
    let mut squared: Vec<f64> = ((&s + s.transpose()) * 0.5)
        .symmetric_eigenvalues()
        .iter()
        .copied()
        .collect();
    squared.sort_by(f64::total_cmp);
    squared
        .iter()
        .map(|w| w.sqrt() / std::f64::consts::TAU)
        .collect()
}

#[test]
fn a_finer_chain_comes_to_the_frequency_of_the_cantilever_with_the_square() {
    // 3.516/2π √(EI/(ρA L⁴)) with the root 1.8751… squared, the weak way
    let root: f64 = 1.875_104_068_711_961_2;
    let exact = root * root / std::f64::consts::TAU
        * f64::sqrt(2.1e11 * 2.666_666_666_666_667e-12 / (7850.0 * 0.0008 * 1.5 * 1.5 * 1.5 * 1.5));
    // so slender that the turning of its sections has no inertia
    let slender = STEEL.replace("e-8", "e-12").replace("e-7", "e-11");
    let error = |count: usize| {
        let chain = chain(&beams(&slender), count, [End::Flexible, End::Free]).unwrap();
        (chain_frequencies(&chain)[0] / exact - 1.0).abs()
    };
    let errors = [4, 8, 16, 32].map(error);
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.5..4.5).contains(&ratio), "{errors:?}");
    }
    assert!(errors[3] < 5e-5, "{errors:?}");
}

#[test]
fn a_line_with_a_corner_and_two_sections_vibrates_as_its_elements_do() {
    let (_, _, model) = built(CORNER);
    let exact = frequencies(&model, &free(&model, &[(0, &[0, 1, 2, 3, 4, 5])]));
    let chain = chain(&beams(CORNER), 40, [End::Flexible, End::Free]).unwrap();
    check_close("corner", &chain_frequencies(&chain), &exact[..4], 2e-3);
}

#[test]
fn half_segments_behind_one_another_are_one_beam() {
    let straight = beams(STEEL);
    let whole = chain(&straight, 2, [End::Free; 2]).unwrap();
    let halves = STEEL.replace(
        r#", {"name": "tip""#,
        r#", {"position": [0.75, 0, 0]}, {"name": "tip""#,
    );
    let halves = chain(&beams(&halves), 2, [End::Free; 2]).unwrap();
    assert!(matches!(halves.forces[0].law, Law::Field { .. }));
    let (a, b) = (
        stiffness(&whole.forces[0].law),
        stiffness(&halves.forces[0].law),
    );
    assert!((a - b).norm() < 1e-12 * a.norm(), "{a} {b}");
    assert_eq!(whole.forces[0].damping_ratio, Some(0.02 / (10.0 * PI)));
}

#[test]
fn mass_inertia_and_ends_are_those_of_the_beam() {
    for (ends, joints, forces) in [
        ([End::Free, End::Free], 0, 5),
        ([End::Rigid, End::Free], 1, 5),
        ([End::Flexible, End::Rigid], 1, 6),
        ([End::Flexible, End::Flexible], 0, 7),
    ] {
        let chain = chain(&beams(STEEL), 6, ends).unwrap();
        let model = read(&chain);
        assert_eq!(
            (model.mechanism.joints.len(), chain.forces.len()),
            (joints, forces)
        );
        let mass: f64 = chain.parts.iter().map(|p| p.mass).sum();
        assert!((mass - 7850.0 * 0.0008 * 1.5).abs() < 1e-12);
        let about =
            |p: &Part| p.inertia.zz + p.mass * (p.position[0] - 0.75) * (p.position[0] - 0.75);
        let inertia: f64 = chain.parts.iter().map(about).sum();
        let rod = mass * 1.5 * 1.5 / 12.0 + 7850.0 * 1.5 * 2.666_666_666_666_667e-8;
        assert!((inertia - rod).abs() < 1e-12, "{inertia} {rod}");
    }
}

#[test]
fn what_is_no_chain_is_refused() {
    let none = chain(&beams(STEEL), 0, [End::Free; 2]).unwrap_err();
    assert_eq!(none, "0 segments; valid: 1 to 1000");
    let nameless = STEEL.replace(r#""name": "root", "#, "");
    let message = chain(&beams(&nameless), 4, [End::Rigid, End::Free]).unwrap_err();
    assert!(message.starts_with("an end without a name"), "{message}");
    assert_eq!(
        "stiff".parse::<End>().unwrap_err(),
        "\"stiff\"; valid: free, rigid, flexible"
    );
}
