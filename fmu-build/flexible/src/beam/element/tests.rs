//! Compares elements with closed forms, and beams with tabulated frequencies.

use super::super::testing::{built, check_close, free, frequencies, modes, numbers, truth};
use super::*;
use crate::beam::section::Shape;

const ALL: &[usize] = &[0, 1, 2, 3, 4, 5];

fn element(theory: Theory) -> Element {
    Element {
        nodes: [0, 1],
        start: Vec3::zeros(),
        axes: Mat3::identity(),
        length: 0.4,
        section: Shape::Rectangle { y: 0.05, z: 0.08 }
            .section()
            .unwrap_or_else(|e| unreachable!("{e}")),
        material: Material {
            youngs_modulus: 7e10,
            shear_modulus: 2.7e10,
            density: 2700.0,
        },
        theory,
    }
}

#[test]
fn stiffness_is_that_of_the_textbook() {
    let e = element(Theory::Timoshenko);
    let k = e.stiffness();
    let (s, m, l) = (&e.section, &e.material, e.length);
    let py = 12.0 * m.youngs_modulus * s.izz * 1.2 / (m.shear_modulus * s.area * l * l);
    let pz = 12.0 * m.youngs_modulus * s.iyy * 1.2 / (m.shear_modulus * s.area * l * l);
    let (bz, by) = (
        m.youngs_modulus * s.izz / (1.0 + py),
        m.youngs_modulus * s.iyy / (1.0 + pz),
    );
    for (row, column, wanted) in [
        (6, 6, m.youngs_modulus * s.area / l),
        (0, 6, -m.youngs_modulus * s.area / l),
        (7, 7, 12.0 * bz / (l * l * l)),
        (8, 8, 12.0 * by / (l * l * l)),
        (9, 9, m.shear_modulus * s.ixx / l),
        (11, 11, (4.0 + py) * bz / l),
        (10, 10, (4.0 + pz) * by / l),
        (5, 11, (2.0 - py) * bz / l),
        (7, 11, -6.0 * bz / (l * l)),
        (1, 11, 6.0 * bz / (l * l)),
        (8, 10, 6.0 * by / (l * l)),
        (2, 4, -6.0 * by / (l * l)),
    ] {
        let found = k[(row, column)];
        assert!(
            (found - wanted).abs() < 1e-13 * wanted.abs(),
            "{row} {column}: {found} for {wanted}"
        );
    }
}

#[test]
fn mass_is_that_of_the_textbook() {
    // Przemieniecki, table of section 11.6
    let e = element(Theory::Timoshenko);
    let (s, l) = (&e.section, e.length);
    let [phi, _] = e.shear_parameters();
    let (r2, unit) = (
        s.izz / s.area / (l * l),
        e.line_mass() * l / ((1.0 + phi) * (1.0 + phi)),
    );
    let m = e.mass();
    let phi2 = phi * phi;
    for (row, column, wanted) in [
        (1, 1, 13.0 / 35.0 + 0.7 * phi + phi2 / 3.0 + 1.2 * r2),
        (
            1,
            5,
            (11.0 / 210.0 + 11.0 * phi / 120.0 + phi2 / 24.0 + (0.1 - 0.5 * phi) * r2) * l,
        ),
        (1, 7, 9.0 / 70.0 + 0.3 * phi + phi2 / 6.0 - 1.2 * r2),
        (
            1,
            11,
            -(13.0 / 420.0 + 3.0 * phi / 40.0 + phi2 / 24.0 - (0.1 - 0.5 * phi) * r2) * l,
        ),
        (
            5,
            5,
            (1.0 / 105.0 + phi / 60.0 + phi2 / 120.0 + (2.0 / 15.0 + phi / 6.0 + phi2 / 3.0) * r2)
                * l
                * l,
        ),
        (
            5,
            11,
            -(1.0 / 140.0 + phi / 60.0 + phi2 / 120.0 + (1.0 / 30.0 + phi / 6.0 - phi2 / 6.0) * r2)
                * l
                * l,
        ),
    ] {
        let found = m[(row, column)];
        let wanted = wanted * unit;
        assert!(
            (found - wanted).abs() < 1e-12 * wanted.abs(),
            "{row} {column}: {found} for {wanted}"
        );
    }
    let polar = e.material.density * s.polar() * l;
    assert!((m[(3, 3)] - polar / 3.0).abs() < 1e-15);
    assert!((m[(3, 9)] - polar / 6.0).abs() < 1e-15);
}

fn steel(elements: usize, more: &str) -> String {
    format!(
        r#"{{"name": "beam", "points": [{{"name": "root", "position": [0, 0, 0]}}, {{"name": "tip", "position": [1.5, 0, 0]}}],
        "material": {{"youngs_modulus": 2.1e11, "shear_modulus": 8.1e10, "density": 7850}}, "elements": {elements},
        "section": {{"type": "values", "area": 0.0008, "izz": 2.666666666666667e-8, "iyy": 1.0666666666666668e-7,
        "ixx": 7.328e-8}} {more}}}"#
    )
}

#[test]
fn frequencies_of_elements_are_those_of_another_program() {
    let case = truth("E01_cantilever_modes");
    for elements in [5, 10, 20] {
        for (mass, key) in [("consistent", "consistent"), ("lumped", "lumped")] {
            let (.., model) = built(&steel(elements, &format!(r#", "mass": "{mass}""#)));
            let found = frequencies(&model, &free(&model, &[(0, ALL)]));
            let wanted =
                &case["fe_Hz"][format!("n{elements}")][format!("{key}_clamped_first10_Hz")];
            check_close(
                &format!("{elements} {mass}"),
                &found,
                &numbers(wanted),
                1e-9,
            );
        }
    }
}

#[test]
fn twenty_elements_have_the_exact_frequencies_of_bending_stretch_and_twist() {
    let case = &truth("E01_cantilever_modes")["exact_Hz"];
    let (.., model) = built(&steel(20, ""));
    let last = model.nodes.len() - 1;
    let all = |plane: [usize; 2]| -> Vec<usize> {
        let kept = free(&model, &[]);
        kept.into_iter()
            .filter(|k| plane.contains(&model.unknowns[*k].direction))
            .collect()
    };
    let (z, y) = (all([1, 5]), all([2, 4]));
    let without = |plane: &[usize], held: &[(usize, usize)]| -> Vec<usize> {
        let is_held = |k: &usize| {
            let u = model.unknowns[*k];
            held.contains(&(u.node, u.direction))
        };
        plane.iter().copied().filter(|k| !is_held(k)).collect()
    };
    let check = |key: &str, kept: &[usize], count: usize| {
        let wanted = &numbers(&case[key])[..count];
        check_close(key, &frequencies(&model, kept), wanted, 5e-4);
    };
    check(
        "clamped_free_bending_z_axis(Iz)",
        &without(&z, &[(0, 1), (0, 5)]),
        5,
    );
    check(
        "clamped_free_bending_y_axis(Iy)",
        &without(&y, &[(0, 2), (0, 4)]),
        5,
    );
    check(
        "clamped_pinned(Iz)",
        &without(&z, &[(0, 1), (0, 5), (last, 1)]),
        3,
    );
    check("pinned_pinned(Iz)", &without(&z, &[(0, 1), (last, 1)]), 3);
    check("axial_clamped_free", &without(&all([0, 0]), &[(0, 0)]), 1);
    check("torsion_clamped_free", &without(&all([3, 3]), &[(0, 3)]), 1);
    for (key, plane) in [("free_free(Iz)", &z), ("free_free(Iy)", &y)] {
        let (squared, _) = modes(&model, plane, 1e3);
        let hertz = |w: &f64| w.sqrt() / std::f64::consts::TAU;
        let found: Vec<f64> = squared[2..].iter().map(hertz).collect();
        assert!(squared[..2].iter().all(|w| w.abs() < 1e-4), "{squared:?}");
        check_close(key, &found, &numbers(&case[key]), 5e-4);
    }
}

#[test]
fn free_free_frequencies_of_eleven_lumped_nodes() {
    let case = &truth("E06_inertia_invariants_exact")["beam11"];
    let (.., model) = built(
        r#"{"name": "beam", "points": [{"name": "a", "position": [0, 0, 0]}, {"name": "b", "position": [1, 0, 0]}],
        "material": {"youngs_modulus": 7e10, "shear_modulus": 2.7e10, "density": 2700}, "mass": "lumped",
        "section": {"type": "values", "area": 3e-4, "izz": 2.5e-9, "iyy": 2.25e-8, "ixx": 8.9e-9}}"#,
    );
    let (squared, _) = modes(&model, &free(&model, &[]), 1e3);
    let found: Vec<f64> = squared[6..]
        .iter()
        .map(|w| w.sqrt() / std::f64::consts::TAU)
        .collect();
    check_close(
        "beam11",
        &found,
        &numbers(&case["freqs_free_free_Hz"]),
        1e-9,
    );
}

#[test]
fn a_stout_beam_on_pins_vibrates_as_timoshenko_says() {
    // Timoshenko 1921, on pins, k = nπ/L: ρ²I s/G ω⁴ − (ρA + ρI k² (1 + E s/G)) ω² + E I k⁴ = 0
    let (e, g, rho, l) = (7e10, 2.7e10, 2700.0, 0.5);
    let (.., model) = built(
        r#"{"name": "beam", "points": [{"name": "a", "position": [0, 0, 0]}, {"name": "b", "position": [0.5, 0, 0]}],
        "material": {"youngs_modulus": 7e10, "shear_modulus": 2.7e10, "density": 2700}, "elements": 60,
        "section": {"type": "rectangle", "y": 0.08, "z": 0.1}, "theory": "timoshenko"}"#,
    );
    let last = model.nodes.len() - 1;
    let kept: Vec<usize> = free(&model, &[(0, &[1]), (last, &[1])])
        .into_iter()
        .filter(|k| [1, 5].contains(&model.unknowns[*k].direction))
        .collect();
    let (area, inertia, s) = (0.008, 0.1 * 0.08 * 0.08 * 0.08 / 12.0, 1.2);
    let wanted = [1.0, 2.0, 3.0].map(|n| {
        let k2 = (n * std::f64::consts::PI / l) * (n * std::f64::consts::PI / l);
        let (a, b) = (
            rho * rho * inertia * s / g,
            rho * area + rho * inertia * k2 * (1.0 + e * s / g),
        );
        let c = e * inertia * k2 * k2;
        let w2: f64 = (b - f64::sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
        w2.sqrt() / std::f64::consts::TAU
    });
    check_close("on pins", &frequencies(&model, &kept), &wanted, 5e-4);
}

#[test]
fn masses_of_a_bar_are_those_of_a_box() {
    let text = r#"{"name": "bar", "points": [{"name": "a", "position": [0.1, 0, 0]}, {"name": "b", "position": [0.1, 0.6, 0]}],
        "material": {"youngs_modulus": 7e10, "poissons_ratio": 0.3, "density": 2700},
        "section": {"type": "rectangle", "y": 0.03, "z": 0.05}, "elements": 3, "theory": "rayleigh"}"#;
    let (beams, mesh, model) = built(text);
    let lumps = mesh.lumps(beams.mass, &[]);
    let sums = fixstep_kernel::flex::Invariants::lumped(
        0,
        lumps.iter().map(crate::beam::mesh::LumpedMass::nodal),
    );
    let mass = 2700.0 * 0.03 * 0.05 * 0.6;
    assert!((sums.mass - mass).abs() < 1e-14);
    let about = sums.about(&Vec3::new(0.1, 0.3, 0.0));
    assert!(about.first.norm() < 1e-14);
    let box_of = |a: f64, b: f64| mass * (a * a + b * b) / 12.0;
    // the beam goes along y, its section's y along −x
    let wanted = [box_of(0.6, 0.05), box_of(0.03, 0.05), box_of(0.6, 0.03)];
    for k in 0..3 {
        assert!((about.i7[(k, k)] - wanted[k]).abs() < 1e-14, "{}", about.i7);
    }
    // the mass matrix gives a rigid turn the same energy
    let turn: Vec<f64> = model
        .unknowns
        .iter()
        .map(|u| {
            let s = model.nodes[u.node].position;
            let axis = Vec3::new(0.3, -0.2, 0.5);
            if u.direction < 3 {
                axis.cross(&s)[u.direction]
            } else {
                axis[u.direction - 3]
            }
        })
        .collect();
    let mut product = vec![0.0; turn.len()];
    model.mass.add_product(&turn, &mut product);
    let energy: f64 = turn.iter().zip(&product).map(|(a, b)| a * b).sum();
    let axis = Vec3::new(0.3, -0.2, 0.5);
    let wanted = axis.dot(&(sums.i7 * axis));
    assert!(
        (energy - wanted).abs() < 1e-13 * wanted,
        "{energy} {wanted}"
    );
}
