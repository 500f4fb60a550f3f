//! Factors of a matrix that leave out unknowns at rest (creation in the control plane, the rest in the data plane).
//!
//! With the unknowns that move, m, and those at rest, r,
//!
//! ```text
//!     | A_mm  A_mr | | x_m |   | b_m |
//!     | A_rm  A_rr | | x_r | = | b_r |         A_rm = 0,  b_r = 0   ⇒   x_r = 0,  A_mm x_m = b_m
//! ```
//!
//! so that A_mm is all there is to factor: of a mechanism that moves in a plane half of the unknowns, most of
//! whose couplings are zero by structure. It is factored entry by entry ([`super::scalar`]). That A_rm, b_r and the
//! entries that are left out are exactly zero is looked at with every factorisation and every solution, one by
//! one. Where it does not hold, all unknowns are solved for, from the same matrix. What may be left out is the caller's to
//! say.

use super::analyse::{ACCURATE, componentwise_error};
use super::factor::{Counters, Factorization, Quality};
use super::lanes::InstructionSet;
use super::matrix::TileMatrix;
use super::pattern::{BlockId, Pattern, Slot};
use super::scalar::places::Places;
use super::scalar::{ScalarEntry, ScalarLu};
use super::scaling::equilibrate;
use super::{TILE, entry};

/// What one multiplication takes entry by entry, of one among tiles; and an entry that is read or looked at.
const PRICE: (f64, f64) = (4.0, 2.0);

/// The part is taken if it costs at most this much of the whole.
const WORTHWHILE: f64 = 0.8;

/// What may be left out.
#[derive(Clone, Debug)]
pub struct Rest {
    /// Unknowns, by places in a padded vector.
    pub unknowns: Vec<bool>,
    /// Entries of the matrix, tile by tile; those of unknowns at rest do not matter.
    pub entries: Vec<bool>,
    /// What the matrix is in states that show it.
    pub samples: Vec<TileMatrix>,
}

/// Factors of the whole matrix, or of the part that moves.
#[derive(Clone, Debug)]
pub struct Factors {
    whole: Factorization,
    moving: Option<Moving>,
    /// Which of them belongs to the last matrix.
    in_part: bool,
    /// What the part has done.
    counters: Counters,
}

impl Factors {
    /// For all unknowns.
    pub fn new(whole: Factorization) -> Self {
        Self {
            whole,
            moving: None,
            in_part: false,
            counters: Counters::default(),
        }
    }

    /// Leaves out what is at rest from now on, if the others can be ordered and it is worth while. Control plane.
    pub fn leave_out(&mut self, rest: &Rest) {
        let moving = Moving::new(self.whole.pattern(), rest);
        self.moving = moving.filter(|moving| moving.work() <= WORTHWHILE * self.whole.work());
    }

    /// How many unknowns are left out.
    #[cfg(test)]
    pub fn left_out(&self) -> usize {
        let moving = self.moving.as_ref();
        moving.map_or(0, |moving| moving.at_rest.len())
    }

    /// Factors of the whole matrix, as analysed.
    pub fn whole(&self) -> &Factorization {
        &self.whole
    }

    /// Events since creation.
    pub fn counters(&self) -> Counters {
        let whole = self.whole.counters();
        Counters {
            refactored: whole.refactored + self.counters.refactored,
            solved: whole.solved + self.counters.solved,
            ..whole
        }
    }

    /// Works on an instruction set from now on.
    pub fn work_on(&mut self, set: InstructionSet) {
        self.whole.work_on(set);
    }

    /// Factors a matrix of the analysed pattern.
    pub fn refactor(&mut self, a: &TileMatrix) -> Quality {
        let moving = self.moving.as_mut();
        self.in_part = moving.is_some_and(|moving| moving.refactor(a));
        if self.in_part {
            self.counters.refactored += 1;
            return Quality::Good;
        }
        self.whole.refactor(a)
    }

    /// Solves A x = b in place, b and x padded to six entries a block; `a` is the matrix of the last
    /// refactorisation. The quality is that of a refactorisation that this b has asked for; where it is singular, b
    /// stays as it is.
    pub fn solve(&mut self, a: &TileMatrix, rhs: &mut [f64]) -> Quality {
        let mut quality = Quality::Good;
        if self.in_part {
            let moving = self.moving.as_mut();
            if moving.is_some_and(|moving| moving.solve(rhs)) {
                self.counters.solved += 1;
                return quality;
            }
            self.in_part = false;
            quality = self.whole.refactor(a);
            if matches!(quality, Quality::Singular { .. }) {
                return quality;
            }
        }
        self.whole.solve(rhs);
        quality
    }

    /// Have unknowns had to be solved for that are left out otherwise?
    pub fn has_left_rest(&self) -> bool {
        self.moving.is_some() && !self.in_part
    }
}

/// The part that moves.
#[derive(Clone, Debug)]
struct Moving {
    factor: ScalarLu,
    /// Entries that must be zero.
    zeros: Places,
    /// Places of the unknowns that move, and of those at rest.
    places: Places,
    at_rest: Places,
}

impl Moving {
    /// Nothing, if all unknowns move or none, or there is no order for those that do.
    fn new(whole: &Pattern, rest: &Rest) -> Option<Self> {
        let all = whole.block_ids().flat_map(|block| {
            let first = block.offset();
            first..first + whole.size(block)
        });
        let (at_rest, places): (Vec<usize>, Vec<usize>) =
            all.partition(|place| rest.unknowns[*place]);
        if at_rest.is_empty() || places.is_empty() {
            return None;
        }
        let samples: Vec<&TileMatrix> = rest.samples.iter().collect();
        let scale = equilibrate(whole, &samples);
        let number = |block: BlockId, k: usize| places.binary_search(&(block.offset() + k)).ok();
        let (mut entries, mut zeros) = (Vec::new(), Vec::new());
        for row in whole.block_ids() {
            for (column, slot) in whole.row(row) {
                let all = 0..whole.size(row) * whole.size(column);
                for (i, j) in all.map(|k| (k % whole.size(row), k / whole.size(row))) {
                    let Some(to) = number(column, j) else {
                        continue;
                    };
                    let from = place(slot, i, j);
                    let Some(of) = number(row, i).filter(|_| !rest.entries[from]) else {
                        zeros.push(from);
                        continue;
                    };
                    let scale = scale[row.index()].row[i] * scale[column.index()].column[j];
                    entries.push(ScalarEntry {
                        row: of,
                        column: to,
                        from,
                        samples: samples.iter().map(|a| a.entries()[from] * scale).collect(),
                    });
                }
            }
        }
        let of = |row: usize, column: usize| {
            let [row, column] = [places[row], places[column]];
            let [own, other] = [row / TILE, column / TILE].map(|block| &scale[block]);
            [own.row[row % TILE], other.column[column % TILE]]
        };
        let factor = ScalarLu::analyse(&places, &entries, of)?;
        let mut moving = Self {
            factor,
            zeros: Places::new(&zeros),
            places: Places::new(&places),
            at_rest: Places::new(&at_rest),
        };
        moving.is_accurate(whole, &rest.samples).then_some(moving)
    }

    /// Does it solve as accurately as rounding allows, in every sample?
    fn is_accurate(&mut self, whole: &Pattern, samples: &[TileMatrix]) -> bool {
        let mut x = vec![0.0; whole.padded()];
        for (k, place) in self.places.iter().enumerate() {
            x[place] = 1.0 + (k * 7 % 5) as f64 / 4.0;
        }
        samples.iter().all(|a| {
            let mut b = vec![0.0; whole.padded()];
            a.add_product(whole, 1.0, &x, &mut b);
            let mut solution = b.clone();
            self.refactor(a)
                && self.solve(&mut solution)
                && componentwise_error(whole, a, &solution, &b) <= ACCURATE
        })
    }

    /// Multiplications of one refactorisation, roughly, with all that is looked at.
    fn work(&self) -> f64 {
        let (products, entries) = self.factor.work();
        let looks = entries + self.zeros.len();
        PRICE.0 * products as f64 + PRICE.1 * looks as f64
    }

    /// Factors A_mm, if nothing else must be.
    fn refactor(&mut self, a: &TileMatrix) -> bool {
        self.zeros.are_zero(a.entries()) && self.factor.refactor(a.entries())
    }

    /// Solves, if b_r is zero.
    fn solve(&mut self, b: &mut [f64]) -> bool {
        self.at_rest.are_zero(b) && self.factor.solve(b)
    }
}

/// Where an entry of a tile stands among all entries of a matrix.
fn place(slot: Slot, row: usize, column: usize) -> usize {
    slot.index() * TILE * TILE + entry(row, column)
}
