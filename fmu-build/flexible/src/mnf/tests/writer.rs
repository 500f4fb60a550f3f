//! Control plane: a writer of modal neutral files for a free beam with lumped masses, for tests.

use super::super::blocks::{FLAGS, Flag, NODES, UNIT};
use nalgebra::{DMatrix, DVector};

/// A free steel beam along x: nodes with masses and inertias, modes by a dense eigenvalue problem.
pub(super) struct Beam {
    pub(super) positions: Vec<[f64; 3]>,
    pub(super) masses: Vec<f64>,
    pub(super) inertias: Vec<[f64; 3]>,
    /// Eigenvalues ascending, shapes with unit modal mass.
    pub(super) eigenvalues: Vec<f64>,
    pub(super) shapes: DMatrix<f64>,
}

pub(super) const LENGTH: f64 = 1.0;
pub(super) const YOUNG: f64 = 210e9;
pub(super) const DENSITY: f64 = 7800.0;
pub(super) const WIDTH: f64 = 0.02;
pub(super) const HEIGHT: f64 = 0.04;

impl Beam {
    pub(super) fn new(elements: usize) -> Self {
        let (n, l) = (elements + 1, LENGTH / elements as f64);
        let area = WIDTH * HEIGHT;
        let (weak, strong) = (HEIGHT * WIDTH.powi(3) / 12.0, WIDTH * HEIGHT.powi(3) / 12.0);
        let share = |k: usize| if k == 0 || k == n - 1 { 0.5 } else { 1.0 };
        let masses: Vec<f64> = (0..n).map(|k| DENSITY * area * l * share(k)).collect();
        let inertia = |k: usize| {
            let across = masses[k] * l * l * share(k) * share(k) / 12.0;
            let spin = DENSITY * (weak + strong) * l * share(k);
            [spin, across + spin / 2.0, across + spin / 2.0]
        };
        let inertias: Vec<[f64; 3]> = (0..n).map(inertia).collect();
        let mut stiffness = DMatrix::zeros(6 * n, 6 * n);
        let shear = YOUNG / 2.6;
        for e in 0..elements {
            let at = |node: usize, direction: usize| 6 * (e + node) + direction;
            let mut add = |list: &[usize], k: &[f64]| {
                for (r, row) in list.iter().enumerate() {
                    for (c, column) in list.iter().enumerate() {
                        stiffness[(*row, *column)] += k[r * list.len() + c];
                    }
                }
            };
            let spring = |k: f64| [k, -k, -k, k];
            add(&[at(0, 0), at(1, 0)], &spring(YOUNG * area / l));
            add(&[at(0, 3), at(1, 3)], &spring(shear * (weak + strong) / l));
            // Bending with the rotation r = v′ (about z) and r = −w′ (about y).
            for (v, r, sign, moment) in [(1, 5, 1.0, weak), (2, 4, -1.0, strong)] {
                let (a, b, c, d) = (12.0, 6.0 * l * sign, 4.0 * l * l, 2.0 * l * l);
                let k = [a, b, -a, b, b, c, -b, d, -a, -b, a, -b, b, d, -b, c];
                let k = k.map(|x| x * YOUNG * moment / l.powi(3));
                add(&[at(0, v), at(0, r), at(1, v), at(1, r)], &k);
            }
        }
        let mass = DVector::from_fn(6 * n, |k, _| {
            if k % 6 < 3 {
                masses[k / 6]
            } else {
                inertias[k / 6][k % 6 - 3]
            }
        });
        let scale = mass.map(|m| 1.0 / m.sqrt());
        let scaled = DMatrix::from_diagonal(&scale) * &stiffness * DMatrix::from_diagonal(&scale);
        let eigen = scaled.symmetric_eigen();
        let mut order: Vec<usize> = (0..6 * n).collect();
        order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
        let columns: Vec<DVector<f64>> = order
            .iter()
            .map(|j| eigen.eigenvectors.column(*j).component_mul(&scale))
            .collect();
        Self {
            positions: (0..n).map(|k| [l * k as f64, 0.0, 0.0]).collect(),
            masses,
            inertias,
            eigenvalues: order.iter().map(|j| eigen.eigenvalues[*j]).collect(),
            shapes: DMatrix::from_columns(&columns),
        }
    }
}

/// How a file is written.
pub(super) struct Style {
    pub(super) modes: usize,
    /// Names of the units of mass, length, time, force; SI per unit of mass, length, time.
    pub(super) units: ([&'static str; 4], [f64; 3]),
    /// Nodes with stress, by their places; without, the block is not there.
    pub(super) stress: Option<Vec<i32>>,
    /// First number of a node.
    pub(super) first: i32,
    /// In the shapes, indices from here on replace the numbers of nodes.
    pub(super) places: Option<i32>,
    /// Further flags and bytes at the end.
    pub(super) flags: Vec<usize>,
    pub(super) tail: Vec<u8>,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            modes: 18,
            units: (["KILOGRAM", "METER", "SECOND", "NEWTON"], [1.0; 3]),
            stress: None,
            first: 1,
            places: None,
            flags: Vec::new(),
            tail: Vec::new(),
        }
    }
}

/// Stress xx … zx of a node and mode, as good as any.
pub(super) fn stress(mode: usize, node: usize, component: usize) -> f64 {
    1e6 * (mode as f64 + 1.0) + 1e3 * node as f64 + component as f64
}

/// Big-endian bytes.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn int(&mut self, value: i32) {
        self.0.extend(value.to_be_bytes());
    }

    fn ints(&mut self, values: impl IntoIterator<Item = i32>) {
        values.into_iter().for_each(|value| self.int(value));
    }

    fn reals(&mut self, values: impl IntoIterator<Item = f64>) {
        values
            .into_iter()
            .for_each(|value| self.0.extend(value.to_be_bytes()));
    }

    fn text_at(&mut self, at: usize, text: &str) {
        self.0[at..at + text.len()].copy_from_slice(text.as_bytes());
    }
}

/// The file of a beam.
pub(super) fn write(beam: &Beam, style: &Style) -> Vec<u8> {
    let mut file = Bytes(vec![0; NODES]);
    header(&mut file, style);
    let (n, [mass, length, time]) = (beam.masses.len() as i32, style.units.1);
    let ids = || (0..n).map(|k| style.first + k);
    file.ints([n, 3]);
    for (id, position) in ids().zip(&beam.positions) {
        file.int(id);
        file.reals(position.map(|x| x / length));
    }
    let total: f64 = beam.masses.iter().sum();
    file.reals([total / mass]);
    file.reals([LENGTH / 2.0 / length, 0.0, 0.0]);
    let second = whole_inertia(beam);
    file.reals((0..9).map(|k| {
        if k % 4 == 0 {
            second[k / 4] / (mass * length * length)
        } else {
            -0.0
        }
    }));
    modes(&mut file, beam, style);
    file.ints([n, 1]);
    for (id, value) in ids().zip(&beam.masses) {
        file.int(id);
        file.reals([value / mass]);
    }
    file.int(3 * n);
    for (id, inertia) in ids().zip(&beam.inertias) {
        for (k, value) in inertia.iter().enumerate() {
            file.ints([id, k as i32 + 4, k as i32 + 4]);
            file.reals([value / (mass * length * length)]);
        }
    }
    for name in style.units.0 {
        let letters = name.bytes().map(i32::from).chain(std::iter::repeat(0));
        file.ints(letters.take(UNIT));
    }
    file.ints([0, 0, n - 1, 3 * (n - 1)]);
    file.ints((0..n - 1).flat_map(|k| [2, k, k + 1]));
    let m = style.modes as i32;
    file.int(m);
    file.ints(1..=m);
    file.reals((0..m * m).map(|k| f64::from(k % (m + 1) == 0)));
    file.ints([2, 0, n - 1]);
    if let Some(listed) = &style.stress {
        file.ints([m, listed.len() as i32]);
        file.ints(listed.iter().copied());
        // A pascal in units of the file: mass / (length time²).
        let unit = mass / (length * time * time) / length;
        for mode in 0..style.modes {
            file.int(mode as i32 + 1);
            for node in listed {
                file.reals((0..6).map(|k| stress(mode, *node as usize, k) / unit));
            }
        }
    }
    file.0.extend(&style.tail);
    file.0
}

fn header(file: &mut Bytes, style: &Style) {
    file.0[3] = 60;
    file.text_at(4, "Free beam");
    file.text_at(0x204, "Mon Jan 1 00:00:00 2024");
    file.text_at(0x284, "beam.inp");
    file.text_at(0x484, "TEST 1.0");
    let mut flags = vec![1, 2, 3, 4, 6, 7, 8, 9];
    flags.extend(
        [
            Flag::NodalInertias,
            Flag::Units,
            Flag::Faces,
            Flag::Transformation,
            Flag::Interface,
        ]
        .map(|flag| flag as usize),
    );
    if style.stress.is_some() {
        flags.push(Flag::Stress as usize);
    }
    for flag in flags.iter().chain(&style.flags) {
        file.0[FLAGS.0 + 4 * flag + 3] = 1;
    }
}

fn modes(file: &mut Bytes, beam: &Beam, style: &Style) {
    let (n, [mass, length, time]) = (beam.masses.len(), style.units.1);
    let m = style.modes as i32;
    file.int(m);
    for (number, eigenvalue) in (1..=m).zip(&beam.eigenvalues) {
        let value = eigenvalue * time * time;
        let omega = value.abs().sqrt();
        file.int(number);
        file.reals([
            value,
            omega / std::f64::consts::TAU,
            omega,
            1.0 / mass,
            value / mass,
        ]);
    }
    file.ints([m, n as i32]);
    let first = style.places.unwrap_or(style.first);
    file.ints((0..n as i32).map(|k| first + k));
    for (number, shape) in (1..=m).zip(beam.shapes.column_iter()) {
        file.int(number);
        let rotation = |k: usize| if k % 6 < 3 { 1.0 } else { length };
        file.reals(shape.iter().enumerate().map(|(k, x)| x * rotation(k)));
    }
}

/// Moments about the origin.
pub(super) fn whole_inertia(beam: &Beam) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (k, inertia) in beam.inertias.iter().enumerate() {
        let x = beam.positions[k][0];
        let far = beam.masses[k] * x * x;
        for (axis, value) in sum.iter_mut().enumerate() {
            *value += inertia[axis] + if axis == 0 { 0.0 } else { far };
        }
    }
    sum
}
