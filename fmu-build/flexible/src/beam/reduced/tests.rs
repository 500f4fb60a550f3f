//! Tests of bodies made of beams: exact statics, invariants, spin, stress.

#![expect(clippy::unwrap_used, reason = "tests")]

use nalgebra::{DMatrix, DVector};

use super::super::testing::{beams, check_close, numbers, truth};
use super::*;
use crate::reduce::NormalModes;

const ROD: &str = r#"{"name": "rod", "points": [{"name": "root", "position": [0, 0, 0]}, {"name": "tip", "position": [1.2, 0, 0]}],
 "material": {"youngs_modulus": 2.1e11, "shear_modulus": 8.1e10, "density": 7850}, "section": {"type": "circle", "diameter": 0.02},
 "stresses": [{"name": "top", "point": "root", "y": 0, "z": 0.01}, {"name": "side", "point": "root", "y": 0.01, "z": 0}]}"#;

fn reduced(text: &str, modes: usize, orthonormalise: bool) -> FlexData {
    let options = Options {
        normal_modes: NormalModes::Count(modes),
        orthonormalise,
        ..Options::default()
    };
    body(&beams(text), options, &mut |_, _| ()).unwrap().0
}

fn matrix(values: &[f64], m: usize) -> DMatrix<f64> {
    DMatrix::from_row_slice(m, m, values)
}

/// Modal coordinates, then displacement and rotation of the frame, under a force and a torque at the tip with
/// the root held.
fn held(body: &FlexData, force: Vec3, torque: Vec3) -> DVector<f64> {
    let m = body.modes.len();
    let [root, tip] = ["root", "tip"].map(|name| &body.nodes[body.node(name).unwrap()]);
    let mut a = DMatrix::zeros(m + 12, m + 12);
    a.view_mut((0, 0), (m, m))
        .copy_from(&matrix(&body.stiffness, m));
    let mut b = DVector::zeros(m + 12);
    // what the root does: rows of constraints
    let mut rows = DMatrix::zeros(6, m + 6);
    for j in 0..m {
        b[j] = force.dot(&tip.translation[j]) + torque.dot(&tip.rotation[j]);
        rows.view_mut((0, j), (3, 1))
            .copy_from(&root.translation[j]);
        rows.view_mut((3, j), (3, 1)).copy_from(&root.rotation[j]);
    }
    for d in 0..3 {
        rows[(d, m + d)] = 1.0;
        rows[(3 + d, m + 3 + d)] = 1.0;
        let turned = Vec3::ith(d, 1.0).cross(&root.position);
        rows.view_mut((0, m + 3 + d), (3, 1)).copy_from(&turned);
    }
    a.view_mut((m + 6, 0), (6, m + 6)).copy_from(&rows);
    a.view_mut((0, m + 6), (m + 6, 6))
        .copy_from(&rows.transpose());
    b.rows_mut(m, 3).copy_from(&force);
    b.rows_mut(m + 3, 3)
        .copy_from(&(tip.position.cross(&force) + torque));
    a.lu().solve(&b).unwrap()
}

#[test]
fn a_force_at_the_tip_bends_the_held_rod_exactly() {
    let area = std::f64::consts::PI * 1e-4;
    let inertia = area * 0.02 * 0.02 / 16.0;
    let (length, force) = (1.2, 35.0);
    for orthonormalise in [true, false] {
        let body = reduced(ROD, 2, orthonormalise);
        let m = body.modes.len();
        let x = held(&body, Vec3::new(0.0, 0.0, force), Vec3::zeros());
        let tip = &body.nodes[body.node("tip").unwrap()];
        let turn = Vec3::new(x[m + 3], x[m + 4], x[m + 5]);
        let frame = x[m + 2] + turn.cross(&tip.position).z;
        let deflection = frame + (0..m).map(|j| tip.translation[j].z * x[j]).sum::<f64>();
        let wanted = force * length * length * length / (3.0 * 2.1e11 * inertia);
        assert!(
            (deflection - wanted).abs() < 1e-8 * wanted,
            "{deflection} {wanted}"
        );
        // the force bends up, so the top of the root is pressed
        let stress = |point: usize| -> f64 {
            (0..m)
                .map(|j| body.stresses[point].values[j][0] * x[j])
                .sum()
        };
        let wanted = -force * length * 0.01 / inertia;
        assert!(
            (stress(0) / wanted - 1.0).abs() < 1e-7,
            "{} {wanted}",
            stress(0)
        );
        assert!(stress(1).abs() < 1e-6 * wanted.abs());
    }
}

#[test]
fn stretch_and_twist_have_their_stresses() {
    let body = reduced(ROD, 2, true);
    let m = body.modes.len();
    let area = std::f64::consts::PI * 1e-4;
    let x = held(
        &body,
        Vec3::new(1000.0, 0.0, 0.0),
        Vec3::new(20.0, 0.0, 0.0),
    );
    let stress = |point: usize, component: usize| -> f64 {
        (0..m)
            .map(|j| body.stresses[point].values[j][component] * x[j])
            .sum()
    };
    assert!(
        (stress(0, 0) * area / 1000.0 - 1.0).abs() < 1e-7,
        "{}",
        stress(0, 0)
    );
    // τ = T r/Ip: at the top along −y, at the side along +z
    let shear = 20.0 * 0.01 / (area * 0.02 * 0.02 / 8.0);
    assert!(
        (stress(0, 3) / -shear - 1.0).abs() < 1e-7,
        "{} {shear}",
        stress(0, 3)
    );
    assert!(
        (stress(1, 5) / shear - 1.0).abs() < 1e-7,
        "{} {shear}",
        stress(1, 5)
    );
}

#[test]
fn invariants_of_free_modes_are_those_of_the_theory() {
    let body = reduced(ROD, 6, true);
    let sums = &body.invariants;
    let m = sums.modes;
    let mass = 7850.0 * std::f64::consts::PI * 1e-4 * 1.2;
    assert!((sums.mass / mass - 1.0).abs() < 1e-13);
    let length = sums.i7[(1, 1)].sqrt();
    for j in 0..m {
        assert!(sums.i3[j].norm() < 1e-7 * mass.sqrt(), "{}", sums.i3[j]);
        assert!(sums.i4[j].norm() < 1e-7 * length, "{}", sums.i4[j]);
        for k in 0..m {
            let wanted = if j == k { 1.0 } else { 0.0 };
            let found = sums.i6[j * m + k];
            assert!((found - wanted).abs() < 1e-9, "{j} {k}: {found}");
        }
    }
    // the free–free root of the table, once for each plane
    let root: f64 = 4.730_040_744_862_704;
    let exact = root * root / std::f64::consts::TAU
        * f64::sqrt(2.1e11 * 0.02 * 0.02 / 16.0 / 7850.0)
        / (1.2 * 1.2);
    for mode in &body.modes[..2] {
        assert!(
            (mode.frequency / exact - 1.0).abs() < 2e-3,
            "{} {exact}",
            mode.frequency
        );
    }
    let back = fixstep_model::flex_file::read(&fixstep_model::flex_file::write(&body)).unwrap();
    assert_eq!(back, body);
}

#[test]
fn a_reduced_blade_spins_with_the_frequencies_of_the_table() {
    let text = r#"{"name": "blade", "points": [{"name": "hub", "position": [0, 0, 0]}, {"name": "tip", "position": [10, 0, 0]}],
        "material": {"youngs_modulus": 2.8e7, "shear_modulus": 1e7, "density": 1.2}, "elements": 24,
        "section": {"type": "values", "area": 1, "izz": 5e-4, "iyy": 5e-4, "ixx": 1e-3}}"#;
    // the frame sits on the hub, so that the modes are those of the blade held there
    let body = reduced(text, 12, false);
    let m = body.modes.len();
    let case = &truth("E02_rotating_beam_spinup")["frequencies_at_constant_spin"];
    let (k, mass) = (matrix(&body.stiffness, m), matrix(&body.invariants.i6, m));
    let g = matrix(&body.stiffening.as_ref().unwrap()[8 * m * m..9 * m * m], m);
    let tip = &body.nodes[body.node("tip").unwrap()];
    for omega in [1.0, 3.0, 6.0] {
        // displacement across the axis of the spin is softened by its mass: −I9 along the axis
        let across = DMatrix::from_fn(m, m, |i, j| -body.invariants.i9[i * m + j][(2, 2)]);
        let stiffness = &k + (&g - across) * (omega * omega);
        let l = mass.clone().cholesky().unwrap().l();
        let half = l.solve_lower_triangular(&stiffness).unwrap();
        let s = l.solve_lower_triangular(&half.transpose()).unwrap();
        let eigen = ((&s + s.transpose()) * 0.5).symmetric_eigen();
        let shapes = l
            .transpose()
            .solve_upper_triangular(&eigen.eigenvectors)
            .unwrap();
        let mut found = Vec::new();
        for mode in 0..m {
            let motion: Vec3 = (0..m).map(|j| tip.translation[j] * shapes[(j, mode)]).sum();
            if motion.y.abs() > 10.0 * motion.z.abs().max(motion.x.abs()) {
                found.push(eigen.eigenvalues[mode].sqrt());
            }
        }
        found.sort_by(f64::total_cmp);
        let wanted = numbers(&case[format!("Omega_{omega}")]["stiffened_first3_rad_s"]);
        check_close(&format!("at {omega}"), &found, &wanted, 5e-4);
    }
}

#[test]
fn a_rod_has_as_many_modes_as_are_wanted() {
    let rod = r#"{"name": "rod", "points": [{"name": "big_end", "position": [0, 0, 0]}, {"name": "small_end", "position": [0.5, 0, 0]}],
 "material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850},
 "section": {"type": "rectangle", "y": 0.02, "z": 0.02}, "elements": 30, "theory": "rayleigh"}"#;
    for modes in [40, 58, 100, 174] {
        assert_eq!(reduced(rod, modes, true).modes.len(), modes + 6, "{modes}");
    }
}
