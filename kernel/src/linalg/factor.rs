//! Refactor and solve on a fixed program, with monitor and dense fallback (data plane).
//!
//! For block pivots k in the chosen order
//!
//! ```text
//!     D_k  = A_kk − Σ_m L_km U_mk        U_kj = A_kj − Σ_m L_km U_mj
//!     L_jk = (A_jk − Σ_m L_jm U_mk) D_k⁻¹
//! ```
//!
//! each tile is formed once, from the matrix's tile and a listed run of products. The work is the
//! same whatever the values.
//!
//! The growth g of each D_k⁻¹ (see [`super::kernels::invert`]) comes with it. A solution by an
//! explicit inverse loses g² units of roundoff where large parts of the right side cancel, one by
//! the inverse and its residual, x = D⁻¹ b, x += D⁻¹ (b − D x), only g. All pivots get the second
//! form: a motion may lead any of them past zero, and that must not change the work of a step. The
//! largest loss decides what follows a refactorisation. Up to 1e12 the factors serve: Newton's next
//! iteration refines what this one has left, so that a step works the same whatever the loss, and
//! a caller without a next iteration asks for one refinement ([`Factorization::solve_refined`]); above 1e8
//! that is counted. Beyond, or with non-finite numbers, the whole matrix is factored by dense LU
//! with partial pivoting in space set aside at analysis.

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

/// Up to this loss, in units of roundoff, the factors are used as they are: half the digits are
/// left, and Newton's iteration is itself a refinement.
const LOSS_GOOD: f64 = 1e8;

/// Up to this loss one refinement, or Newton's next iteration, restores the solution (it contracts by
/// about 1e-4).
const LOSS_REFINABLE: f64 = 1e12;

/// Largest dimension for which space for the dense fallback is set aside (18 MB).
const DENSE_LIMIT: usize = 1500;

/// How a refactorisation went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quality {
    /// As analysed.
    Good,
    /// Usable, but a solution has lost digits: Newton's next iteration or a refinement restores them.
    Degraded {
        /// Largest loss by cancellation in a pivot tile: 1e8 means that eight digits are lost.
        loss: f64,
        /// Where.
        block: BlockId,
    },
    /// The order broke down; dense LU with partial pivoting took over.
    DenseFallback {
        /// Where the order broke down.
        block: BlockId,
    },
    /// No usable factors: solves return NaN.
    Singular {
        /// First block that depends on those before it.
        block: BlockId,
    },
}

impl Quality {
    /// Do the factors serve, if need be with a refinement?
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

/// Events since creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Refactorisations in all.
    pub refactored: u64,
    /// Those that were degraded.
    pub degraded: u64,
    /// Those that fell back to dense LU.
    pub dense: u64,
    /// Those that found the matrix singular.
    pub singular: u64,
    /// Right-hand sides solved for.
    pub solved: u64,
}

/// An analysed matrix structure with its factors and all space ever needed.
#[derive(Clone, Debug)]
pub struct Factorization {
    pattern: Pattern,
    program: Program,
    scale: Box<[BlockScale]>,
    tiles: Box<[Tile]>,
    trailing: DenseLu,
    fallback: Option<DenseLu>,
    /// Is space for the fallback obtained where there is none?
    on_demand: bool,
    /// All blocks, and the first unknown of each: the layout of the fallback.
    whole: Box<[Coupling]>,
    start: Box<[usize]>,
    dense_rhs: Box<[f64]>,
    quality: Quality,
    counters: Counters,
    set: InstructionSet,
}

/// What elimination tells about the pivots.
struct Monitor {
    loss: f64,
    block: BlockId,
    poison: f64,
}

impl Factorization {
    /// Storage for a program, without the fallback.
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

    /// Sets space for the fallback aside, if the matrix is small enough.
    pub(super) fn with_fallback(mut self) -> Self {
        self.fallback = self.space();
        self
    }

    /// The same, when it is needed.
    pub(super) fn with_fallback_on_demand(mut self) -> Self {
        self.on_demand = true;
        self
    }

    /// Space for the fallback.
    fn space(&self) -> Option<DenseLu> {
        let dimension = self.pattern.dimension();
        (dimension <= DENSE_LIMIT).then(|| DenseLu::new(dimension))
    }

    /// Writes to every page of the fallback. Factors in it are lost: the next use is a refactorisation.
    pub fn settle_fallback(&mut self) {
        self.fallback.iter_mut().for_each(DenseLu::settle);
    }

    /// A copy that has factored nothing yet: the fallback's space is not copied, but obtained anew.
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

    /// Works on an instruction set from now on.
    pub fn work_on(&mut self, set: InstructionSet) {
        self.set = set;
    }

    /// Forgets what has been counted.
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

    /// Tiles of the factors, and unknowns in the trailing dense matrix: the cost of a refactor.
    pub fn size(&self) -> (usize, usize) {
        (self.tiles.len(), self.trailing.dimension())
    }

    /// Multiplications of one refactorisation, roughly.
    pub(super) fn work(&self) -> f64 {
        self.program.work
    }

    /// Factors a matrix of the analysed pattern.
    pub fn refactor(&mut self, a: &TileMatrix) -> Quality {
        self.counters.refactored += 1;
        let monitor = self.set.run(Eliminate { factors: self, a });
        let loss = monitor.loss;
        // comparisons are so arranged that a NaN breaks them
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

    /// Runs the program on tiles; the growth of its pivots is the verdict.
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
                // A loop, since every place that forms tiles is a copy of all kernels.
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
    /// Needs a refactorisation before; see [`Quality`] for what it may have left.
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

    /// The same, with one correction by the residual where the factors are not good. For callers that
    /// do not iterate; `a` is the matrix of the last refactorisation. Allocates.
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

/// Writes a value once more, to the memory where it stays, with what its factors hold. Their
/// fallbacks, by far the largest part, stay where they are ([`Factorization::settle_fallback`]).
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

/// Solves by the factors in tiles.
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
    /// Takes the loss of one pivot into account.
    fn watch(&mut self, loss: f64, block: BlockId) {
        self.poison += loss * 0.0;
        if loss > self.loss {
            self.loss = loss;
            self.block = block;
        }
    }
}
