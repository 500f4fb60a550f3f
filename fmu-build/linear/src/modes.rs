//! Computes the modes of a linear form: roots, shapes, and the participation of inputs and outputs.
//!
//! Shapes are normalised to φᴴ M φ = 1, where M is the inertia of all moving bodies; the coordinate with the most
//! kinetic energy is real and positive. A mode without motion has a state vector of length 1.

pub mod list;
mod rigid;

use crate::eigen::{Balancing, Eigen, NoRoots, Root, of_mechanism};
use crate::form::{Driven, LinearForm};
use crate::matrix::largest;
use faer::{Mat, c64};
use fixstep_kernel::simulation::Linearization;
use rigid::Rigid;

/// Coordinates whose energies differ by less than this fraction are equal: the first counts.
const ALIKE: f64 = 1e-6;

/// The vectors of a root with a larger condition cannot be distinguished from those of its neighbours.
const SIMPLE: f64 = 1e12;
/// Close roots with a condition above the first number may be one double root, if their distance is below the second
/// number times their rounding error.
const SKEWED: f64 = 1e4;
const DOUBLE: f64 = 100.0;

/// Name of the normalisation.
pub const NORMALISATION: &str = "unit modal mass: conjugate(shape) * M * shape = 1";

/// A mode.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Its root.
    pub root: Root,
    /// Displacements of all coordinates, in the order of [`crate::form::Shapes::coordinates`].
    pub shape: Vec<c64>,
    /// The state vector.
    pub states: Vec<c64>,
    /// yᴴ B with yᴴ x = 1: how strongly each input excites the mode; `None` for multiple and zero roots.
    pub inputs: Option<Vec<c64>>,
    /// C x: how strongly the mode appears in each output.
    pub outputs: Vec<c64>,
}

/// The modes of a linear form.
#[derive(Debug)]
pub struct Modes {
    /// By numbers from 1: real roots first, then pairs, each by frequency.
    pub list: Vec<Mode>,
    /// The roots and vectors as computed, without normalisation.
    pub eigen: Eigen,
    /// Notes for the user: rigid motions, states with zero roots, unstable modes.
    pub notes: Vec<String>,
}

/// Computes the modes of a mechanism. Displacements that inputs prescribe are held.
pub fn modes(
    names: &dyn Fn(usize) -> String,
    linearization: &Linearization,
    form: &LinearForm,
    balancing: Balancing,
) -> Result<Modes, NoRoots> {
    let eigen = of_mechanism(&form.own_matrix(), form.second_order.matrices(), balancing)?;
    let shapes = shapes(form, &eigen.right);
    let inertia = Inertia::of(linearization, &form.shapes.coordinates);
    let list = (0..eigen.roots.len())
        .map(|k| {
            let shape: Vec<c64> = (0..shapes.nrows()).map(|r| shapes[(r, k)]).collect();
            let factor = inertia
                .normaliser(&shape)
                .unwrap_or_else(|| length_of(&eigen.right, k));
            mode(form, &eigen, k, (&shape, factor))
        })
        .collect::<Vec<Mode>>();
    let mut notes = Rigid::of(names, linearization, form, &list).words();
    notes.extend(unstable(&list));
    Ok(Modes { list, eigen, notes })
}

/// Displacements of all coordinates for columns of states: δq = T x_q.
fn shapes(form: &LinearForm, right: &Mat<c64>) -> Mat<c64> {
    let own = form.position_states();
    let (rows, f) = (form.shapes.positions.nrows(), own.len());
    let map = Mat::from_fn(rows, f, |r, c| form.shapes.positions[(r, own[c])]);
    let real = &map * Mat::from_fn(f, right.ncols(), |r, c| right[(own[r], c)].re);
    let imaginary = &map * Mat::from_fn(f, right.ncols(), |r, c| right[(own[r], c)].im);
    let most = largest(&map);
    let long: Vec<f64> = (0..right.ncols())
        .map(|c| { own.iter() }.fold(0.0_f64, |long, k| long.max(right[(*k, c)].norm())))
        .collect();
    Mat::from_fn(rows, right.ncols(), |r, c| {
        // Results that are much smaller than their terms are rounding errors.
        let part = |x: f64| {
            if x.abs() <= 4.0 * f64::EPSILON * most * long[c] {
                0.0
            } else {
                x
            }
        };
        c64::new(part(real[(r, c)]), part(imaginary[(r, c)]))
    })
}

fn mode(form: &LinearForm, eigen: &Eigen, k: usize, (shape, factor): (&[c64], c64)) -> Mode {
    let n = eigen.right.nrows();
    let states: Vec<c64> = (0..n).map(|r| eigen.right[(r, k)] * factor).collect();
    let none = c64::new(0.0, 0.0);
    let root = eigen.roots[k];
    let simple = is_simple(eigen, k) && eigen.left.col(k).iter().any(|y| *y != none);
    // y is scaled inversely to x, so that yᴴ x remains 1.
    let inputs = simple.then(|| {
        let driven = form.driven();
        let of = |u: usize| {
            let all = column((form, &driven), (n, u), root.value).enumerate();
            all.fold(none, |sum, (r, b)| sum + eigen.left[(r, k)].conj() * b) / factor
        };
        (0..form.b.ncols()).map(of).collect()
    });
    let outputs = (0..form.c.nrows())
        .map(|y| (0..n).fold(none, |sum, c| sum + states[c] * form.c[(y, c)]))
        .collect();
    Mode {
        root,
        shape: shape.iter().map(|x| *x * factor).collect(),
        states,
        inputs,
        outputs,
    }
}

/// The effect of an input on the first n states for motions proportional to exp(s t): directly, and by the
/// displacements that it prescribes, whose rates are s times as large.
fn column<'a>(
    (form, driven): (&'a LinearForm, &'a [Driven]),
    (n, input): (usize, usize),
    s: c64,
) -> impl Iterator<Item = c64> + 'a {
    (0..n).map(move |r| {
        let own = c64::new(form.b[(r, input)], 0.0);
        let moving = driven.iter().filter(|own| own.slopes[input] != 0.0);
        moving.fold(own, |sum, own| {
            (0..3).fold(sum, |sum, k| {
                let slope = form.a[(r, own.first + k)] * own.slopes[input];
                sum + s.powi(k as i32 - own.level) * slope
            })
        })
    })
}

/// Is a root distinct from all others, its own conjugate included? Rounding turns a double root with one shape into
/// two close roots, whose left and right vectors are nearly orthogonal.
fn is_simple(eigen: &Eigen, k: usize) -> bool {
    let root = &eigen.roots[k];
    if root.zero || root.condition >= SIMPLE {
        return false;
    }
    let most = { eigen.roots.iter() }.fold(0.0_f64, |most, root| most.max(root.value.norm()));
    let unsure = DOUBLE * f64::EPSILON * root.condition * most;
    let apart = |value: c64| (value - root.value).norm() > unsure;
    let others = eigen
        .roots
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != k);
    root.condition < SKEWED
        || (others
            .flat_map(|(_, other)| [other.value, other.value.conj()])
            .all(apart)
            && (!root.is_pair() || apart(root.value.conj())))
}

/// Factor that makes the length of a state vector 1, and its largest entry real.
fn length_of(right: &Mat<c64>, k: usize) -> c64 {
    let column: Vec<c64> = (0..right.nrows()).map(|r| right[(r, k)]).collect();
    let squares: f64 = column.iter().map(c64::norm_sqr).sum();
    let largest = first_largest(column.iter().map(c64::norm_sqr));
    match largest {
        Some(at) => column[at].conj() / column[at].norm() / squares.sqrt(),
        None => c64::new(1.0, 0.0),
    }
}

/// The first of the largest entries; `None` if all are zero.
fn first_largest(of: impl Iterator<Item = f64> + Clone) -> Option<usize> {
    let most = of.clone().fold(0.0_f64, f64::max);
    let mut all = of;
    all.position(|x| x > 0.0 && x >= (1.0 - ALIKE) * most)
}

/// M, as entries between the coordinates that move.
#[derive(Debug)]
pub struct Inertia {
    /// Row, column, value.
    pub entries: Vec<(usize, usize, f64)>,
    diagonal: Vec<f64>,
}

impl Inertia {
    /// Of a mechanism.
    pub fn of(linearization: &Linearization, coordinates: &[usize]) -> Self {
        let tangents = &linearization.tangents;
        let index = crate::matrix::Index::new(coordinates.to_vec(), tangents.places.len());
        let mut diagonal = vec![0.0; coordinates.len()];
        let mut entries = Vec::new();
        for entry in &tangents.accelerations.entries {
            if let (Some(r), Some(c)) = (index.place(entry.row), index.place(entry.column)) {
                entries.push((r, c, entry.value));
                if r == c {
                    diagonal[r] += entry.value;
                }
            }
        }
        Self { entries, diagonal }
    }

    /// Factor that makes φᴴ M φ one and the coordinate with the most energy real.
    fn normaliser(&self, shape: &[c64]) -> Option<c64> {
        let mass: f64 = self
            .entries
            .iter()
            .map(|(r, c, m)| m * (shape[*r].conj() * shape[*c]).re)
            .sum();
        if mass <= 0.0 || !mass.is_finite() {
            return None;
        }
        let own = shape.iter().zip(&self.diagonal);
        let at = first_largest(own.map(|(x, m)| m * x.norm_sqr()))?;
        Some(shape[at].conj() / shape[at].norm() / mass.sqrt())
    }
}

/// Notes on modes that grow by more than the rounding error of their root.
fn unstable(list: &[Mode]) -> Vec<String> {
    let most = list
        .iter()
        .fold(0.0_f64, |most, mode| most.max(mode.root.frequency()));
    let known = |mode: &Mode| DOUBLE * f64::EPSILON * mode.root.condition * most;
    let grows = |mode: &&Mode| mode.root.value.re > known(mode);
    let told = |(k, mode): (usize, &Mode)| {
        let (number, re) = (k + 1, mode.root.value.re);
        let doubled = core::f64::consts::LN_2 / re;
        let what = if mode.root.is_pair() {
            "oscillates, and its amplitude doubles"
        } else {
            "leaves this state without oscillating, and doubles"
        };
        format!("mode {number} is unstable: it {what} every {doubled:.4} s")
    };
    let all = list.iter().enumerate();
    all.filter(|(_, mode)| grows(mode)).map(told).collect()
}
