//! Compares the effect of spin on bending with Ritz's method with the exact shapes, and forces with hand
//! calculations.

use nalgebra::DMatrix;

use super::super::testing::{built, check_close, free, modes, numbers, truth};
use super::*;

const ALL: &[usize] = &[0, 1, 2, 3, 4, 5];

fn kane(elements: usize, more: &str) -> String {
    // EA 2.8e7, EI 1.4e4, ρA 1.2
    format!(
        r#"{{"name": "blade", "points": [{{"name": "hub", "position": [0, 0, 0]}}, {{"name": "tip", "position": [10, 0, 0]}}],
        "material": {{"youngs_modulus": 2.8e7, "shear_modulus": 1e7, "density": 1.2}}, "elements": {elements},
        "section": {{"type": "values", "area": 1, "izz": 5e-4, "iyy": 5e-4, "ixx": 1e-3}} {more}}}"#
    )
}

fn full(shapes: &DMatrix<f64>, kept: &[usize], unknowns: usize, count: usize) -> Vec<Vec<f64>> {
    let one = |mode: usize| {
        let mut all = vec![0.0; unknowns];
        for (k, place) in kept.iter().enumerate() {
            all[*place] = shapes[(k, mode)];
        }
        all
    };
    (0..count).map(one).collect()
}

#[test]
fn a_spinning_blade_has_the_frequencies_of_the_table() {
    let case = &truth("E02_rotating_beam_spinup")["frequencies_at_constant_spin"];
    let (_, mesh, model) = built(&kane(20, ""));
    let plane: Vec<usize> = free(&model, &[(0, ALL)])
        .into_iter()
        .filter(|k| [1, 5].contains(&model.unknowns[*k].direction))
        .collect();
    let (squared, shapes) = modes(&model, &plane, 0.0);
    let count = 6;
    let all = full(&shapes, &plane, model.unknowns.len(), count);
    let g = stiffening(&mesh, Some(0), &all).unwrap_or_else(|| unreachable!("held"));
    let zz = &g[8 * count * count..9 * count * count];
    for omega in [1.0, 2.0, 3.0, 6.0] {
        // lateral displacement in the plane of the spin: the whole mass softens, and it is 1
        let matrix = DMatrix::from_fn(count, count, |j, k| {
            let own = if j == k {
                squared[j] - omega * omega
            } else {
                0.0
            };
            own + omega * omega * zz[j * count + k]
        });
        let mut found: Vec<f64> = matrix.symmetric_eigenvalues().iter().copied().collect();
        found.sort_by(f64::total_cmp);
        let found: Vec<f64> = found.iter().map(|w| w.sqrt()).collect();
        let wanted = numbers(&case[format!("Omega_{omega}")]["stiffened_first3_rad_s"]);
        check_close(&format!("at {omega}"), &found[..3], &wanted, 2e-5);
    }
}

/// ∫ N v′² of a unit slope everywhere: the mean of N times the length.
fn sums_of_force(text: &str) -> Vec<f64> {
    let (beams, mesh, model) = built(text);
    // tilt about z as a mode: v′ = 1 on a beam along x
    let tilt: Vec<f64> = model
        .unknowns
        .iter()
        .map(|u| match u.direction {
            1 => model.nodes[u.node].position.x,
            5 => 1.0,
            _ => 0.0,
        })
        .collect();
    let support = beams.support.map(|point| mesh.points[point]);
    stiffening(&mesh, support, &[tilt]).unwrap_or_else(|| unreachable!("held"))
}

#[test]
fn forces_of_a_held_beam_are_those_by_hand() {
    // ρA = 1.2, L = 10: −x acceleration: N = −1.2 (10 − x), sum −60; ω²: N = 0.6 (100 − x²), sum 400
    for elements in [1, 3] {
        let sums = sums_of_force(&kane(elements, ""));
        let wanted = [
            -60.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 400.0, 400.0, 0.0, 0.0, 0.0,
        ];
        for (k, (found, wanted)) in sums.iter().zip(wanted).enumerate() {
            assert!((found - wanted).abs() < 1e-9, "{k}: {found} for {wanted}");
        }
        // held at the tip, the spin about the far end presses: N = −0.6 x²
        let sums = sums_of_force(&kane(elements, r#", "support": "tip""#));
        assert!((sums[8] + 200.0).abs() < 1e-9, "{}", sums[8]);
    }
}

#[test]
fn a_body_that_nothing_holds_is_stretched_by_spin_alone() {
    // relieved: the load is ρA ω² (x − 5), N = 0.6 (25 − (x−5)²), sum 100
    for elements in [1, 4] {
        let sums = sums_of_force(&kane(elements, r#", "support": "free""#));
        let wanted = [
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 100.0, 100.0, 0.0, 0.0, 0.0,
        ];
        for (k, (found, wanted)) in sums.iter().zip(wanted).enumerate() {
            assert!((found - wanted).abs() < 1e-9, "{k}: {found} for {wanted}");
        }
    }
}

#[test]
fn products_of_angular_velocities_count_once() {
    // a beam along (1, 1, 0)/√2: ω about (1, −1, 0)/√2 is perpendicular, ω² (½ xx + ½ yy − ½·… xy)
    let text = kane(2, "").replace("[10, 0, 0]", "[7.0710678118654755, 7.0710678118654755, 0]");
    let (beams, mesh, model) = built(&text);
    let tilt: Vec<f64> = model
        .unknowns
        .iter()
        .map(|u| match u.direction {
            2 => model.nodes[u.node].position.norm(),
            3 => std::f64::consts::FRAC_1_SQRT_2,
            4 => -std::f64::consts::FRAC_1_SQRT_2,
            _ => 0.0,
        })
        .collect();
    let support = beams.support.map(|point| mesh.points[point]);
    let g = stiffening(&mesh, support, &[tilt]).unwrap_or_else(|| unreachable!("held"));
    let spin = |w: Vec3| {
        let products = PRODUCTS.map(|(a, b)| w[a] * w[b]);
        products
            .iter()
            .zip(&g[6..])
            .map(|(p, g)| p * g)
            .sum::<f64>()
    };
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert!((spin(Vec3::new(half, -half, 0.0)) - 400.0).abs() < 1e-9);
    assert!(spin(Vec3::new(half, half, 0.0)).abs() < 1e-9);
    assert!((spin(Vec3::z()) - 400.0).abs() < 1e-9);
}
