//! Analysis: tries several orders on samples of the matrix and keeps the best (control plane).

use super::factor::{Factorization, Quality, Singular};
use super::kernels::BlockScale;
use super::matrix::TileMatrix;
use super::order::{Cost, Order, Strategy, order};
use super::pattern::Pattern;
use super::program::{Program, compile};
use super::scaling::equilibrate;
use super::{TILE, entry};
use alloc::vec;
use alloc::vec::Vec;

/// Orders tried first: both are cheap to find, and either may have less fill.
const USUAL: [Strategy; 2] = [
    Strategy {
        cost: Cost::Degree,
        growth: 1e6,
        relaxed: 1e6,
        guarded: false,
    },
    Strategy {
        cost: Cost::Fill,
        growth: 1e6,
        relaxed: 1e6,
        guarded: false,
    },
];

/// Orders tried if the usual ones leave a dense remainder or are inaccurate.
const CAUTIOUS: [Strategy; 3] = [
    Strategy {
        cost: Cost::Degree,
        growth: 1e3,
        relaxed: 1e6,
        guarded: true,
    },
    Strategy {
        cost: Cost::Fill,
        growth: 1e6,
        relaxed: 1e6,
        guarded: true,
    },
    Strategy {
        cost: Cost::Degree,
        growth: 1e3,
        relaxed: 1e8,
        guarded: false,
    },
];

/// Componentwise backward error up to which an order counts as accurate.
const ACCURATE: f64 = 1e-10;

/// Backward error up to which an order is still acceptable, and the factor on its work for that.
const SUFFICIENT: f64 = 1e-8;
const SUFFICIENT_PRICE: f64 = 4.0;

/// An accurate order may take at most this much more work than one whose solutions can be refined, if callers refine.
/// Redundant rows, regularised, make all orders lose digits: the cautious ones then leave most of the matrix to the
/// dense remainder.
const REFINEMENT_PRICE: f64 = 8.0;

impl Factorization {
    /// Chooses scales, elimination order and program for a pattern from its values in `samples`.
    ///
    /// The samples are matrices of states that the model may reach; a few suffice, since the order must only avoid
    /// tiles that are structurally singular. Singular samples other than the first are skipped. Without samples the
    /// order is purely structural. A single sample is already factored on return.
    pub fn analyse(pattern: &Pattern, samples: &[&TileMatrix]) -> Result<Self, Singular> {
        let chosen = choose(pattern, samples, Demand::Accurate);
        chosen.settle(pattern, samples, Self::with_fallback)
    }

    /// The same for one matrix and few solutions, each of them refined. If an order loses digits that refinement
    /// restores, much more expensive orders are not tried, and memory for the fallback is allocated only when needed.
    /// Refactoring may allocate.
    pub fn analyse_to_refine(pattern: &Pattern, sample: &TileMatrix) -> Result<Self, Singular> {
        let chosen = choose(pattern, &[sample], Demand::Usable);
        chosen.settle(pattern, &[sample], Self::with_fallback_on_demand)
    }
}

/// What the factors are needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    /// Accurate solutions with the least work.
    Accurate,
    /// Solutions that are refined.
    Usable,
}

/// The cheapest accurate order, or else the most accurate one.
fn choose(pattern: &Pattern, samples: &[&TileMatrix], demand: Demand) -> Candidate {
    let scale = equilibrate(pattern, samples);
    let ordered = |strategy: &Strategy| order(pattern, &scale, samples, *strategy);
    let program = |strategy: &Strategy| compile(pattern, &ordered(strategy));
    let try_out = |number, program| Candidate::new(pattern, &scale, samples, number, program);
    let mut programs: Vec<(usize, Program)> = (0..).zip(USUAL.iter().map(program)).collect();
    let mut best = None;
    let complete = |(_, program): &(usize, Program)| program.trailing.is_empty();
    if demand == Demand::Usable || programs.iter().any(complete) {
        best = cheapest(None, programs, &try_out);
        programs = Vec::new();
    }
    match best {
        Some(best) if best.is_clean() => best,
        best => {
            let limit = match &best {
                Some(best) if demand == Demand::Usable && best.usable => {
                    best.factorization.work() * REFINEMENT_PRICE
                }
                _ => f64::INFINITY,
            };
            let orders = (USUAL.len()..).zip(CAUTIOUS.iter().map(ordered));
            let orders = orders.filter(|(_, order)| remainder(pattern, order) <= limit);
            let cautious = orders.map(|(number, order)| (number, compile(pattern, &order)));
            programs.extend(cautious.filter(|(_, program)| program.work <= limit));
            let best = cheapest(best, programs, &try_out);
            best.unwrap_or_else(|| try_out(0, program(&USUAL[0])))
        }
    }
}

/// The fraction of an order's work that its dense remainder takes.
fn remainder(pattern: &Pattern, order: &Order) -> f64 {
    let sizes = order.trailing.iter().map(|block| pattern.size(*block));
    let dense = sizes.sum::<usize>() as f64;
    dense * dense * dense
}

/// The best of some orders and a known one. Orders that are more expensive than an accurate one are not tried: with a
/// large trailing set, trying one costs more than finding all.
fn cheapest(
    mut best: Option<Candidate>,
    mut programs: Vec<(usize, Program)>,
    try_out: &dyn Fn(usize, Program) -> Candidate,
) -> Option<Candidate> {
    programs.sort_by(|(_, a), (_, b)| a.work.total_cmp(&b.work));
    for (number, program) in programs {
        best = match best {
            // Inaccuracy would only make it more expensive.
            Some(best) if best.beats((program.work, number)) => Some(best),
            Some(best) => Some(best.better(try_out(number, program))),
            None => Some(try_out(number, program)),
        };
    }
    best
}

struct Candidate {
    /// Index of its strategy: of equals the first wins.
    number: usize,
    factorization: Factorization,
    /// Worst backward error over the samples; infinite if a pivot degrades.
    error: f64,
    /// Do the factors work for all samples without the fallback?
    usable: bool,
}

impl Candidate {
    fn new(
        pattern: &Pattern,
        scale: &[BlockScale],
        samples: &[&TileMatrix],
        number: usize,
        program: Program,
    ) -> Self {
        let mut factorization = Factorization::new(pattern, scale, program);
        let (mut error, mut usable) = (0.0_f64, true);
        for sample in samples {
            error = error.max(backward_error(&mut factorization, (pattern, scale), sample));
            usable &= factorization.quality().is_usable();
        }
        factorization.reset_counters();
        Self {
            number,
            factorization,
            error,
            usable,
        }
    }

    /// Its factorisation with a fallback, for all regular samples; the first must be regular.
    fn settle(
        self,
        pattern: &Pattern,
        samples: &[&TileMatrix],
        with_fallback: fn(Factorization) -> Factorization,
    ) -> Result<Factorization, Singular> {
        let mut chosen = with_fallback(self.factorization);
        let Some((design, others)) = samples.split_first().filter(|_| !self.usable) else {
            return Ok(chosen);
        };
        let mut kept = vec![*design];
        let is_singular = |quality| matches!(quality, Quality::Singular { .. });
        kept.extend(
            others
                .iter()
                .filter(|sample| !is_singular(chosen.refactor(sample))),
        );
        if let Quality::Singular { block } = chosen.refactor(design) {
            return Err(Singular { block });
        }
        if kept.len() < samples.len() {
            let again = choose(pattern, &kept, Demand::Accurate);
            return Ok(with_fallback(again.factorization));
        }
        chosen.reset_counters();
        Ok(chosen)
    }

    fn is_clean(&self) -> bool {
        self.error <= ACCURATE && self.factorization.size().1 == 0
    }

    /// Work, increased by the price of inaccuracy.
    fn price(&self) -> f64 {
        if self.error <= ACCURATE {
            self.factorization.work()
        } else if self.error <= SUFFICIENT {
            self.factorization.work() * SUFFICIENT_PRICE
        } else {
            f64::INFINITY
        }
    }

    /// Is this cheaper, or as cheap and earlier among the strategies?
    fn beats(&self, (price, number): (f64, usize)) -> bool {
        let own = self.price();
        own < price || (own == price && self.number < number)
    }

    fn better(self, other: Self) -> Self {
        let price = other.price();
        let keep = if self.price().is_finite() || price.is_finite() {
            self.beats((price, other.number))
        } else {
            self.error < other.error || (self.error == other.error && self.number < other.number)
        };
        if keep { self } else { other }
    }
}

/// Backward error by components (Oettli and Prager 1964), max |A x − b|ᵢ / (|A| |x| + |b|)ᵢ, of one
/// solve whose solution is of size one in scaled unknowns.
fn backward_error(
    factorization: &mut Factorization,
    (pattern, scale): (&Pattern, &[BlockScale]),
    sample: &TileMatrix,
) -> f64 {
    if factorization.refactor(sample) != Quality::Good {
        return f64::INFINITY;
    }
    let mut x = vec![0.0; pattern.padded()];
    for block in pattern.block_ids() {
        for i in 0..pattern.size(block) {
            let place = block.offset() + i;
            // some values unrelated to the structure of the model
            let value = 1.0 + ((place * 7) % 5) as f64 / 4.0;
            let sign = if (place * 3) % 7 < 3 { -1.0 } else { 1.0 };
            x[place] = sign * value * scale[block.index()].column[i];
        }
    }
    let mut b = vec![0.0; pattern.padded()];
    sample.add_product(pattern, 1.0, &x, &mut b);
    let mut solution = b.clone();
    factorization.solve(&mut solution);
    componentwise_error(pattern, sample, &solution, &b)
}

/// max |A x − b|ᵢ / (|A| |x| + |b|)ᵢ over all rows.
pub(super) fn componentwise_error(pattern: &Pattern, a: &TileMatrix, x: &[f64], b: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    for row in pattern.block_ids() {
        for i in 0..pattern.size(row) {
            let b = b[row.offset() + i];
            let (mut residual, mut size) = (-b, b.abs());
            for (column, slot) in pattern.row(row) {
                for j in 0..pattern.size(column) {
                    let product = a.tile(slot)[entry(i, j)] * x[column.index() * TILE + j];
                    residual += product;
                    size += product.abs();
                }
            }
            // an empty row is exact
            let error = if size == 0.0 {
                0.0
            } else {
                residual.abs() / size
            };
            worst = if error.is_nan() {
                f64::INFINITY
            } else {
                worst.max(error)
            };
        }
    }
    worst
}
