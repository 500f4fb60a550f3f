//! Factors the Newton matrix and solves with it by a fixed program, with a monitor and a dense fallback (data plane).
//!
//! For block pivots k in the chosen order
//!
//! ```text
//!     D_k  = A_kk − Σ_m L_km U_mk        U_kj = A_kj − Σ_m L_km U_mj
//!     L_jk = (A_jk − Σ_m L_jm U_mk) D_k⁻¹
//! ```
//!
//! each tile is formed once, from the matrix's tile and a listed run of products. The work does not depend on the
//! values.
//!
//! Each D_k⁻¹ has a growth g (see [`super::kernels::invert`]). A solution by an explicit inverse loses g² units of
//! roundoff if large parts of the right-hand side cancel. A solution by the inverse and its residual, x = D⁻¹ b, x +=
//! D⁻¹ (b − D x), loses only g. All pivots use the second form: a motion may take any of them past zero, and that
//! must not change the work of a step. The largest loss decides what follows a refactorisation. Up to 1e12 the
//! factors are used: Newton's next iteration removes the error, so a step does the same work whatever the loss;
//! callers that do not iterate use [`Factorization::solve_refined`]. Losses above 1e8 are counted. Above 1e12, or
//! with non-finite numbers, dense LU with partial pivoting factors the whole matrix, in memory allocated at analysis.

mod transposed;

use super::dense::DenseLu;
use super::eliminate::{Run, block_of, copy_scaled, form_diagonal, solve_blocks};
use super::kernels::{BlockScale, invert, matvec, product, solve_pivot};
use super::lanes::{InstructionSet, Lanes, Work};
use super::matrix::TileMatrix;
use super::pattern::{BlockId, Pattern};
use super::program::{Coupling, Program};
use super::{TILE, Tile};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use alloc::boxed::Box;
use alloc::vec;

/// Up to this loss, in units of roundoff, the factors are used as they are: half the digits remain, and Newton's
/// iteration is itself a refinement.
const LOSS_GOOD: f64 = 1e8;

/// Up to this loss one refinement, or Newton's next iteration, restores the solution (it contracts by
/// about 1e-4).
const LOSS_REFINABLE: f64 = 1e12;

/// Largest dimension for which memory for the dense fallback is allocated (18 MB).
const DENSE_LIMIT: usize = 1500;

/// Outcome of a refactorisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quality {
    /// As accurate as analysis expected.
    Good,
    /// Usable, but solutions lose digits: Newton's next iteration or a refinement restores them.
    Degraded {
        /// Largest loss by cancellation in a pivot tile: 1e8 means that eight digits are lost.
        loss: f64,
        /// The block of that tile.
        block: BlockId,
    },
    /// A pivot broke down; dense LU with partial pivoting was used.
    DenseFallback {
        /// The block of that pivot.
        block: BlockId,
    },
    /// No usable factors: solves return NaN.
    Singular {
        /// First block that depends on those before it.
        block: BlockId,
    },
}

impl Quality {
    /// Are the factors usable, possibly with a refinement?
    pub(super) fn is_usable(self) -> bool {
        matches!(self, Self::Good | Self::Degraded { .. })
    }
}

/// The matrix is numerically singular.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("matrix is singular: block {} depends on the blocks before it", block.0)]
pub struct Singular {
    /// First block that depends on those before it.
    pub block: BlockId,
}

/// Counts of events since creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Refactorisations in all.
    pub refactored: u64,
    /// Refactorisations that were degraded.
    pub degraded: u64,
    /// Refactorisations that fell back to dense LU.
    pub dense: u64,
    /// Refactorisations that found the matrix singular.
    pub singular: u64,
    /// Right-hand sides solved for.
    pub solved: u64,
}

/// An analysed matrix structure with its factors and all memory ever needed.
#[derive(Clone, Debug)]
pub struct Factorization {
    pattern: Pattern,
    program: Program,
    scale: Box<[BlockScale]>,
    tiles: Box<[Tile]>,
    trailing: DenseLu,
    fallback: Option<DenseLu>,
    /// Is memory for the fallback allocated on first use?
    on_demand: bool,
    /// All blocks, and the first unknown of each: the layout of the fallback.
    whole: Box<[Coupling]>,
    start: Box<[usize]>,
    dense_rhs: Box<[f64]>,
    quality: Quality,
    counters: Counters,
    set: InstructionSet,
}

/// What elimination reports about the pivots.
struct Monitor {
    loss: f64,
    block: BlockId,
    poison: f64,
}

impl Factorization {
    /// Memory for a program, without the fallback.
    pub(super) fn new(pattern: &Pattern, scale: &[BlockScale], program: Program) -> Self {
        let trailing = program.trailing.iter().map(|block| block.size()).sum();
        let whole: Box<[_]> = pattern
            .block_ids()
            .map(|block| Coupling::new(pattern, block))
            .collect();
        let mut next = 0;
        let start = whole
            .iter()
            .map(|block| {
                next += block.size();
                next - block.size()
            })
            .collect();
        Self {
            tiles: vec![[0.0; TILE * TILE]; program.tiles()].into(),
            trailing: DenseLu::new(trailing),
            fallback: None,
            on_demand: false,
            dense_rhs: vec![0.0; pattern.dimension()].into(),
            whole,
            start,
            quality: Quality::Singular { block: BlockId(0) },
            counters: Counters::default(),
            set: InstructionSet::exact(),
            pattern: pattern.clone(),
            scale: scale.into(),
            program,
        }
    }

    /// Allocates the fallback, if the matrix is small enough.
    pub(super) fn with_fallback(mut self) -> Self {
        self.fallback = self.space();
        self
    }

    /// The same, but only when it is first needed.
    pub(super) fn with_fallback_on_demand(mut self) -> Self {
        self.on_demand = true;
        self
    }

    /// Memory for the fallback.
    fn space(&self) -> Option<DenseLu> {
        let dimension = self.pattern.dimension();
        (dimension <= DENSE_LIMIT).then(|| DenseLu::new(dimension))
    }

    /// Writes to every page of the fallback, so that none faults later. Factors in it are lost: a refactorisation
    /// must come next.
    pub fn settle_fallback(&mut self) {
        self.fallback.iter_mut().for_each(DenseLu::settle);
    }

    /// A copy without factors; the fallback's memory is allocated anew.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self {
            pattern: self.pattern.clone(),
            program: self.program.clone(),
            scale: self.scale.clone(),
            tiles: self.tiles.clone(),
            trailing: self.trailing.clone(),
            fallback: self.fallback.as_ref().and_then(|_| self.space()),
            whole: self.whole.clone(),
            start: self.start.clone(),
            dense_rhs: self.dense_rhs.clone(),
            quality: Quality::Singular { block: BlockId(0) },
            ..*self
        }
    }

    /// Uses this instruction set from now on.
    pub fn work_on(&mut self, set: InstructionSet) {
        self.set = set;
    }

    /// Resets the counters.
    pub fn reset_counters(&mut self) {
        self.counters = Counters::default();
    }

    /// Events since creation or the last reset.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The outcome of the last refactorisation.
    pub fn quality(&self) -> Quality {
        self.quality
    }

    /// The structure this was analysed for.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Tiles of the factors, and unknowns in the trailing dense matrix: these determine the cost of a
    /// refactorisation.
    pub fn size(&self) -> (usize, usize) {
        (self.tiles.len(), self.trailing.dimension())
    }

    /// Approximate number of multiplications of one refactorisation.
    pub(super) fn work(&self) -> f64 {
        self.program.work
    }

    /// Factors a matrix of the analysed pattern.
    pub fn refactor(&mut self, a: &TileMatrix) -> Quality {
        self.counters.refactored += 1;
        let monitor = self.set.run(Eliminate { factors: self, a });
        let loss = monitor.loss;
        // comparisons are written so that a NaN fails them
        let usable = monitor.poison == 0.0 && loss <= LOSS_REFINABLE;
        self.quality = if usable && loss <= LOSS_GOOD {
            Quality::Good
        } else if usable {
            self.counters.degraded += 1;
            Quality::Degraded {
                loss,
                block: monitor.block,
            }
        } else {
            self.fall_back(a, monitor.block)
        };
        self.quality
    }

    /// Runs the program on tiles; the growth of its pivots tells how sound the factors are.
    #[inline(always)]
    fn eliminate<L: Lanes>(&mut self, a: &TileMatrix) -> Monitor {
        let mut monitor = Monitor {
            loss: 0.0,
            block: BlockId(0),
            poison: 0.0,
        };
        let program = &self.program;
        let (tiles, kept) = self.tiles.split_at_mut(program.targets.len());
        let mut scratch = [0.0; TILE * TILE];
        for (pivot, diagonal) in program.pivots.iter().zip(kept) {
            let first = pivot.first as usize;
            let size = pivot.size as usize;
            let (done, own) = tiles.split_at_mut(first);
            let mut history = [0.0; TILE];
            form_diagonal::<L>((program, first), a, done, diagonal, &mut history);
            let Some((inverse, couplings)) = own.split_first_mut() else {
                continue;
            };
            let scale = &self.scale[pivot.block.index()];
            let growth_squared = invert::<L>(inverse, diagonal, scale, &history, size);
            monitor.watch(growth_squared.sqrt(), pivot.block);
            let couplings = couplings.as_chunks_mut::<2>().0.iter_mut();
            for (k, [upper, lower]) in couplings.take(pivot.couplings().len()).enumerate() {
                let target = first + 1 + 2 * k;
                let mut own = None;
                // A loop, because each call site that forms tiles inlines a copy of all kernels.
                for n in 0..2 {
                    let run = Run::new(program, a, target + n);
                    if n == 1 {
                        own = run.untouched();
                        if own.is_some() {
                            break;
                        }
                    }
                    let tile = if n == 0 { &mut *upper } else { &mut scratch };
                    run.form::<L>(done, tile, |_| ());
                }
                product::<L>(lower, own.unwrap_or(&scratch), inverse, size);
            }
        }
        self.eliminate_trailing::<L>(a, &mut monitor);
        monitor
    }

    /// Forms the trailing matrix in scaled unknowns and factors it densely.
    #[inline(always)]
    fn eliminate_trailing<L: Lanes>(&mut self, a: &TileMatrix, monitor: &mut Monitor) {
        let program = &self.program;
        let Some(first_block) = program.trailing.first() else {
            return;
        };
        let mut target = program.trailing_first as usize;
        let mut i = 0;
        for row in &program.trailing {
            let mut j = 0;
            for column in &program.trailing {
                let (done, rest) = self.tiles.split_at_mut(target);
                let tile = &mut rest[0];
                let mut history = [0.0; TILE];
                form_diagonal::<L>((program, target), a, done, tile, &mut history);
                if row.block == column.block {
                    let scale = &self.scale[row.block.index()];
                    for (k, reference) in self.trailing.reference_mut()[i..]
                        .iter_mut()
                        .take(row.size())
                        .enumerate()
                    {
                        *reference = history[k] * scale.row[k] * scale.column[k];
                    }
                }
                copy_scaled(&mut self.trailing, tile, &self.scale, (row, i), (column, j));
                target += 1;
                j += column.size();
            }
            i += row.size();
        }
        match self.trailing.factor() {
            Ok(()) => {
                monitor.watch(self.trailing.growth(), first_block.block);
            }
            Err(singular) => {
                monitor.watch(f64::INFINITY, block_of(&program.trailing, singular.column));
            }
        }
    }

    /// Dense LU of the whole scaled matrix, in the pattern's own order.
    fn fall_back(&mut self, a: &TileMatrix, broken: BlockId) -> Quality {
        if self.on_demand && self.fallback.is_none() {
            self.fallback = self.space();
        }
        let Some(dense) = &mut self.fallback else {
            self.counters.singular += 1;
            return Quality::Singular { block: broken };
        };
        self.counters.dense += 1;
        dense.values_mut().fill(0.0);
        for row in self.pattern.block_ids() {
            for (column, slot) in self.pattern.row(row) {
                let row = (&self.whole[row.index()], self.start[row.index()]);
                let column = (&self.whole[column.index()], self.start[column.index()]);
                copy_scaled(dense, a.tile(slot), &self.scale, row, column);
            }
        }
        match dense.factor() {
            Ok(()) => Quality::DenseFallback { block: broken },
            Err(singular) => {
                self.counters.singular += 1;
                Quality::Singular {
                    block: block_of(&self.whole, singular.column),
                }
            }
        }
    }

    /// Solves A x = b in place, b and x padded to six entries a block.
    ///
    /// Requires a refactorisation; see [`Quality`] for its possible outcomes.
    pub fn solve(&mut self, rhs: &mut [f64]) {
        let rhs = &mut rhs[..self.pattern.padded()];
        self.counters.solved += 1;
        match self.quality {
            Quality::Good | Quality::Degraded { .. } => {
                self.set.run(Solve { factors: self, rhs });
            }
            Quality::DenseFallback { .. } => self.solve_dense(rhs),
            Quality::Singular { .. } => rhs.fill(f64::NAN),
        }
    }

    /// The same, with one iterative refinement if the factors are not good. For callers that do not iterate; `a` is
    /// the matrix of the last refactorisation. Allocates.
    pub fn solve_refined(&mut self, a: &TileMatrix, rhs: &mut [f64]) {
        if self.quality == Quality::Good {
            return self.solve(rhs);
        }
        let mut correction = rhs.to_vec();
        self.solve(rhs);
        a.add_product(&self.pattern, -1.0, rhs, &mut correction);
        self.solve(&mut correction);
        for (x, correction) in rhs.iter_mut().zip(&correction) {
            *x += correction;
        }
    }

    #[inline(always)]
    fn substitute<L: Lanes>(&mut self, rhs: &mut [f64]) {
        let program = &self.program;
        let (tiles, kept) = self.tiles.split_at(program.targets.len());
        let x = rhs.as_chunks_mut::<TILE>().0;
        for pivot in &program.pivots {
            let value = x[pivot.block.index()];
            let tiles = tiles[pivot.first as usize + 1..].as_chunks::<2>().0;
            for (coupling, [_, l]) in program.coupled[pivot.couplings()].iter().zip(tiles) {
                let x = &mut x[coupling.block.index()];
                let part = matvec::<L>(l, &value, pivot.size as usize);
                L::load(x).less(part).store(x);
            }
        }
        solve_blocks(
            &self.trailing,
            &program.trailing,
            &self.scale,
            x,
            &mut self.dense_rhs,
        );
        for (pivot, diagonal) in program.pivots.iter().zip(kept).rev() {
            let (inverse, tiles) = (
                &tiles[pivot.first as usize],
                tiles[pivot.first as usize + 1..].as_chunks::<2>().0,
            );
            let mut value = L::load(&x[pivot.block.index()]);
            for (coupling, [u, _]) in program.coupled[pivot.couplings()].iter().zip(tiles) {
                let x = &x[coupling.block.index()];
                value = value.less(matvec::<L>(u, x, coupling.size()));
            }
            let solution = solve_pivot(inverse, diagonal, value, pivot.size as usize);
            solution.store(&mut x[pivot.block.index()]);
        }
    }

    fn solve_dense(&mut self, rhs: &mut [f64]) {
        if let Some(dense) = &self.fallback {
            let x = rhs.as_chunks_mut::<TILE>().0;
            solve_blocks(dense, &self.whole, &self.scale, x, &mut self.dense_rhs);
        }
    }
}

/// Rewrites a value and its factors at their final place in memory. Fallbacks, by far the largest part, stay where
/// they are ([`Factorization::settle_fallback`]).
pub fn settle<T: Clone>(value: &mut T, factors: impl Fn(&mut T) -> [&mut Factorization; 2]) {
    let spaces = factors(value).map(|factors| factors.fallback.take());
    *value = value.clone();
    for (factors, space) in factors(value).into_iter().zip(spaces) {
        factors.fallback = space;
    }
}

/// Runs the program on the tiles of a matrix.
struct Eliminate<'a> {
    factors: &'a mut Factorization,
    a: &'a TileMatrix,
}

impl Work for Eliminate<'_> {
    type Output = Monitor;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Monitor {
        self.factors.eliminate::<L>(self.a)
    }
}

/// Solves with the factors in tiles.
struct Solve<'a> {
    factors: &'a mut Factorization,
    rhs: &'a mut [f64],
}

impl Work for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.factors.substitute::<L>(self.rhs);
    }
}

impl Monitor {
    /// Records the loss of one pivot.
    fn watch(&mut self, loss: f64, block: BlockId) {
        self.poison += loss * 0.0;
        if loss > self.loss {
            self.loss = loss;
            self.block = block;
        }
    }
}
