//! Control plane: the mass around nodes, and fields over it.
//!
//! A mass at r from a node that moves by u and turns by θ moves by u + θ×r. If the mass matrix couples translations
//! and rotations (rigid groups, beams, shells), its blocks are first and second moments of r. Between the
//! translations of node a and the rotations of node b, and between the rotations of both,
//!
//! ```text
//! M_ut = −s~      M_tt = tr(W) 𝟙 − Wᵀ      s = ∫ρ r_b      W = ∫ρ r_a r_bᵀ                     (CBR-11)
//! ```
//!
//! These moments give ∫ρ f gᵀ for any two fields u + A r, not only for those that rotations span: A = θ~ for a shape,
//! A = 𝟙 for the positions themselves. With M_uu, whose interpolation may differ across a beam and along it,
//!
//! ```text
//! ∫ρ f gᵀ = Σ ½ (M_uu u_a u′_bᵀ + u_a u′_bᵀ M_uu) + u_a (A′_b s)ᵀ + A_b s u′_aᵀ + A_a W A′_bᵀ   (CBR-12)
//! ```
//!
//! Rotations that nothing couples have only a nodal inertia, and do not take part in these fields.

use std::collections::BTreeMap;

use fixstep_kernel::math::{Mat3, Vec3};

use crate::fe::{FeModel, Unknown};
use crate::sparse::Columns;

/// Coupling of a translation and a rotation, relative to their own masses, that counts as rounding.
const COUPLED: f64 = 1e-9;

/// Fields over a model. Each has three columns, along x, y and z: the translations of all nodes, followed by the rows
/// of A of the nodes with surroundings.
pub(super) struct Surroundings<'a> {
    model: &'a FeModel,
    /// The unknowns of each node by direction.
    places: Vec<[Option<usize>; 6]>,
    /// For each node with surroundings, where its row of A begins.
    affine: Vec<Option<usize>>,
    /// Length of a column.
    rows: usize,
    moments: Vec<Moments>,
}

/// Moments of the surroundings of two nodes, or of one.
struct Moments {
    nodes: [usize; 2],
    first: Vec3,
    second: Mat3,
}

/// The blocks of the mass matrix between two nodes: translations and rotations, rotations and rotations.
#[derive(Clone, Copy, Default)]
struct Blocks {
    mixed: Mat3,
    turning: Mat3,
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(model: &'a FeModel) -> Self {
        let mut places = vec![[None; 6]; model.nodes.len()];
        for (at, unknown) in model.unknowns.iter().enumerate() {
            places[unknown.node][unknown.direction] = Some(at);
        }
        let turning = turning(model);
        let mut rows = model.nodes.len();
        let affine = turning.iter().map(|turns| {
            let begin = turns.then_some(rows);
            rows += 3 * usize::from(*turns);
            begin
        });
        let affine = affine.collect();
        let blocks = blocks(model, &turning);
        let moments = blocks.into_iter().map(|(nodes, blocks)| Moments {
            nodes,
            first: first(&blocks.mixed, [&places[nodes[0]], &places[nodes[1]]]),
            second: Mat3::identity() * (0.5 * blocks.turning.trace()) - blocks.turning.transpose(),
        });
        Self {
            moments: moments.collect(),
            model,
            places,
            affine,
            rows,
        }
    }

    /// Some shapes as fields.
    pub(super) fn shapes(&self, shapes: &Columns, which: std::ops::Range<usize>) -> Columns {
        let mut fields = Columns::zeros(self.rows, 3 * which.len());
        for (p, j) in which.enumerate() {
            let shape = shapes.col(j);
            for (node, places) in self.places.iter().enumerate() {
                let part = |first: usize| {
                    Vec3::from_fn(|c, _| places[first + c].map_or(0.0, |at| shape[at]))
                };
                self.add(&mut fields, p, node, (part(0), part(3).cross_matrix()));
            }
        }
        fields
    }

    /// The positions from the origin.
    pub(super) fn positions(&self) -> Columns {
        let mut fields = Columns::zeros(self.rows, 3);
        for (node, there) in self.model.nodes.iter().enumerate() {
            self.add(&mut fields, 0, node, (there.position, Mat3::identity()));
        }
        fields
    }

    /// The factor in (CBR-12) by which other fields are multiplied.
    pub(super) fn weighted(&self, fields: &Columns) -> Columns {
        let mut product = Columns::zeros(self.rows, fields.count());
        let size = self.model.unknowns.len();
        for f in 0..fields.count() / 3 {
            let (mut moved, mut weighted) = (vec![0.0; size], vec![0.0; size]);
            for (at, unknown) in self.model.unknowns.iter().enumerate() {
                if unknown.direction < 3 {
                    moved[at] = fields.col(3 * f + unknown.direction)[unknown.node];
                }
            }
            self.model.mass.add_product(&moved, &mut weighted);
            for (at, unknown) in self.model.unknowns.iter().enumerate() {
                if unknown.direction < 3 {
                    product.col_mut(3 * f + unknown.direction)[unknown.node] = weighted[at];
                }
            }
            for Moments {
                nodes: [a, b],
                first,
                second,
            } in &self.moments
            {
                let affine = self.affine(fields, f, *b);
                let moved = self.translation(fields, f, *a);
                let from = (affine * first, affine * second.transpose());
                self.add(&mut product, f, *a, from);
                self.add(
                    &mut product,
                    f,
                    *b,
                    (Vec3::zeros(), moved * first.transpose()),
                );
            }
        }
        product
    }

    fn translation(&self, fields: &Columns, f: usize, node: usize) -> Vec3 {
        let value = |c: usize| self.places[node][c].map_or(0.0, |_| fields.col(3 * f + c)[node]);
        Vec3::from_fn(|c, _| value(c))
    }

    fn affine(&self, fields: &Columns, f: usize, node: usize) -> Mat3 {
        self.affine[node].map_or_else(Mat3::zeros, |at| {
            Mat3::from_fn(|c, k| fields.col(3 * f + c)[at + k])
        })
    }

    /// Adds a translation and an A to a field at a node.
    fn add(&self, fields: &mut Columns, f: usize, node: usize, (u, affine): (Vec3, Mat3)) {
        for c in 0..3 {
            let column = fields.col_mut(3 * f + c);
            column[node] += u[c];
            if let Some(at) = self.affine[node] {
                (0..3).for_each(|k| column[at + k] += affine[(c, k)]);
            }
        }
    }
}

fn is_mixed(a: &Unknown, b: &Unknown) -> bool {
    (a.direction < 3) != (b.direction < 3)
}

/// Which nodes have rotations that are coupled with translations.
fn turning(model: &FeModel) -> Vec<bool> {
    let mut diagonal = vec![0.0; model.unknowns.len()];
    for (row, column, value) in model.mass.entries() {
        if row == column {
            diagonal[row] += value;
        }
    }
    let mut turning = vec![false; model.nodes.len()];
    for (row, column, value) in model.mass.entries() {
        let (a, b) = (model.unknowns[row], model.unknowns[column]);
        let scale = (diagonal[row] * diagonal[column]).abs().sqrt();
        if is_mixed(&a, &b) && value.abs() > COUPLED * scale {
            turning[if a.direction < 3 { b } else { a }.node] = true;
        }
    }
    turning
}

/// The blocks with rotations that are coupled, by the nodes of their rows and columns.
fn blocks(model: &FeModel, turning: &[bool]) -> BTreeMap<[usize; 2], Blocks> {
    let mut blocks = BTreeMap::<_, Blocks>::new();
    let mut add = |a: &Unknown, b: &Unknown, value: f64| {
        let turns = |u: &Unknown| u.direction >= 3 && turning[u.node];
        let at = (a.direction % 3, b.direction % 3);
        if a.direction < 3 && turns(b) {
            blocks.entry([a.node, b.node]).or_default().mixed[at] += value;
        } else if turns(a) && turns(b) {
            blocks.entry([a.node, b.node]).or_default().turning[at] += value;
        }
    };
    for (row, column, value) in model.mass.entries() {
        let (a, b) = (&model.unknowns[row], &model.unknowns[column]);
        add(a, b, value);
        if row != column {
            add(b, a, value);
        }
    }
    blocks
}

/// s of −s~, from those of its entries that have unknowns.
fn first(mixed: &Mat3, [moved, turned]: [&[Option<usize>; 6]; 2]) -> Vec3 {
    Vec3::from_fn(|c, _| {
        let (d, e) = ((c + 1) % 3, (c + 2) % 3);
        let entry = |row: usize, column: usize, sign: f64| {
            let both = moved[row].is_some() && turned[3 + column].is_some();
            both.then_some(sign * mixed[(row, column)])
        };
        match (entry(d, e, 1.0), entry(e, d, -1.0)) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (a, b) => a.or(b).unwrap_or(0.0),
        }
    })
}
