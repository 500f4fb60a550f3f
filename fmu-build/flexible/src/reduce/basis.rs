//! Control plane: computes the Craig–Bampton basis of a finite-element model.
//!
//! ```text
//! K_ii φ = ω² M_ii φ             modes with the interfaces held, ω ascending                  (CBR-2)
//! ψ = −K_ii⁻¹ K_ib               constraint modes: one interface direction moves by one       (CBR-3)
//! ρ = K_ii⁻¹ f_i                 residual vectors of loads                                    (CBR-4)
//! ```
//! (Craig & Bampton, AIAA J. 6, 1968.) If the interfaces do not hold the body, K_ii has no inverse: the remaining
//! rigid motions join the basis unchanged, and K_ii⁻¹ is the pseudo-inverse.

use super::ReduceError;
use super::condense::Condensed;
use super::options::{NormalModes, Options};
use super::rigid::Rigid;
use crate::sparse::columns::dot;
use crate::sparse::ordering::dissection;
use crate::sparse::pencil::Part;
use crate::sparse::{Analysis, Columns, Factor, ModeError, Modes, Pencil, lanczos};

/// Right-hand sides solved at once: bounds memory.
const BATCH: usize = 32;
/// The bound below which modes are counted is this much above the last mode found.
const ABOVE: f64 = 1e-4;
/// Times that missed modes are searched for.
const SEARCHES: usize = 3;
/// Shift of the first guess relative to the mean ratio of stiffness to mass.
const GUESS: f64 = 1e-9;
/// Residual at which the lowest elastic frequency is accurate enough for a shift.
const ROUGH: f64 = 1e-3;
/// Number of refinements of a solution with a shift; each gains a factor of at least ten.
const REFINEMENTS: usize = 14;

/// The kind of a column of the basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A mode with the interfaces held, counted from zero.
    Normal(usize),
    /// A rigid motion that the interfaces do not hold.
    Loose,
    /// The constraint mode of an interface direction.
    Constraint(usize),
    /// The residual vector of a load case.
    Residual(usize),
}

/// The basis.
#[derive(Clone, Debug)]
pub struct Basis {
    /// Columns over interior and interface unknowns.
    pub columns: Columns,
    /// The kind of each column.
    pub kinds: Vec<Kind>,
    /// ω² of the modes with held interfaces.
    pub held: Vec<f64>,
    /// Numbers in the factor of K_ii.
    pub fill: usize,
}

impl Basis {
    /// Normal modes, unsupported motions, constraint modes, residual vectors, in this order.
    pub fn new(
        condensed: &Condensed<'_>,
        rigid: &Rigid,
        options: &Options,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Self, ReduceError> {
        let mut basis = Self {
            columns: Columns::new(condensed.size()),
            kinds: Vec::new(),
            held: Vec::new(),
            fill: 0,
        };
        let mut solved = Columns::new(condensed.interior);
        let residuals = residual_loads(options);
        let unsupported = rigid.unsupported_fields();
        if condensed.interior > 0 {
            progress("order of elimination", 0.0);
            let interior = Interior::new(condensed, &unsupported)?;
            basis.fill = interior.analysis.fill();
            progress("factor", 0.0);
            let shift = interior.shift(condensed)?;
            let factor = interior.factor(condensed, shift)?;
            solved = interior.statics(condensed, &factor, &residuals, options, progress)?;
            let modes = interior.modes(condensed, factor, options.normal_modes, progress)?;
            for (k, mode) in modes.vectors.iter().enumerate() {
                basis.push(Kind::Normal(k), mode, condensed.size());
            }
            basis.held = modes.values;
        }
        for field in unsupported.iter() {
            basis.push(Kind::Loose, field, condensed.size());
        }
        for at in 0..condensed.directions.len() {
            let mut column = vec![0.0; condensed.size()];
            if condensed.interior > 0 {
                column[..condensed.interior].copy_from_slice(solved.col(at));
            }
            column[condensed.interior + at] = 1.0;
            basis.push(Kind::Constraint(at), &column, condensed.size());
        }
        for (k, load) in residuals.iter().enumerate() {
            let at = condensed.directions.len() + k;
            if condensed.interior > 0 && solved.col(at).iter().any(|x| *x != 0.0) {
                basis.push(Kind::Residual(*load), solved.col(at), condensed.size());
            }
        }
        Ok(basis)
    }

    fn push(&mut self, kind: Kind, column: &[f64], size: usize) {
        let mut whole = column.to_vec();
        whole.resize(size, 0.0);
        self.columns.push(&whole);
        self.kinds.push(kind);
    }

    /// Cᵀ A C.                                                                              (CBR-5)
    pub fn projected(&self, pencil: &Pencil, part: Part) -> faer::Mat<f64> {
        let m = self.columns.count();
        let mut projected = faer::Mat::zeros(m, m);
        for (j, column) in self.columns.iter().enumerate() {
            let image = pencil.product(part, column);
            for i in 0..=j {
                let value = dot(self.columns.col(i), &image);
                projected[(i, j)] = value;
                projected[(j, i)] = value;
            }
        }
        projected
    }
}

/// Which load cases have residual vectors.
fn residual_loads(options: &Options) -> Vec<usize> {
    let loads = options.loads.iter().enumerate();
    let wanted = loads.filter(|(_, load)| load.residual);
    wanted.map(|(k, _)| k).collect()
}

/// The problem with the interfaces held.
struct Interior {
    pencil: Pencil,
    analysis: Analysis,
    /// Remaining rigid motions, orthonormal in M, and M times them.
    unsupported: Columns,
    weighted: Columns,
}

/// A factor with its shift.
struct Shifted<'a> {
    factor: Factor<'a>,
    shift: f64,
}

impl Interior {
    fn new(condensed: &Condensed<'_>, unsupported: &Columns) -> Result<Self, ReduceError> {
        let n = condensed.interior;
        let pencil = condensed.pencil.leading(n);
        let model = condensed.model;
        let node: Vec<usize> = condensed
            .unknowns
            .iter()
            .map(|u| model.unknowns[*u].node)
            .collect();
        let places: Vec<_> = model.nodes.iter().map(|node| node.position).collect();
        let order = dissection(&pencil, &node, &places);
        let analysis = Analysis::new(&pencil, Some(&order))
            .map_err(|error| ReduceError::of_factor(error, |row| condensed.place(row)))?;
        let (mut left, mut weighted) = (Columns::new(n), Columns::new(n));
        for field in unsupported.iter() {
            left.push(&field[..n]);
            weighted.push(&pencil.product(Part::Mass, &field[..n]));
        }
        Ok(Self {
            pencil,
            analysis,
            unsupported: left,
            weighted,
        })
    }

    fn factor(&self, condensed: &Condensed<'_>, shift: f64) -> Result<Shifted<'_>, ReduceError> {
        let factor = self.analysis.factor(&self.pencil, shift);
        let factor =
            factor.map_err(|error| ReduceError::of_factor(error, |row| condensed.place(row)))?;
        Ok(Shifted { factor, shift })
    }

    /// The shift s of K + s M: none if the interfaces hold the body, otherwise a tenth of the lowest elastic ω².
    fn shift(&self, condensed: &Condensed<'_>) -> Result<f64, ReduceError> {
        if self.unsupported.count() == 0 {
            return Ok(0.0);
        }
        let sum = |part| self.pencil.diagonal(part).iter().sum::<f64>();
        let guess = GUESS * sum(Part::Stiffness) / sum(Part::Mass);
        let rough = self.factor(condensed, guess)?;
        let wanted = self.unsupported.count() + 1;
        let modes = lanczos::lowest(
            &self.pencil,
            &rough.factor,
            guess,
            wanted,
            ROUGH,
            &mut |_| (),
        )
        .map_err(|error| ReduceError::of_modes(error, |row| condensed.place(row)))?;
        let elastic = modes.values.last().copied().unwrap_or(guess);
        Ok((0.1 * elastic).max(1e-3 * guess))
    }

    /// Constraint modes, then residual vectors.
    fn statics(
        &self,
        condensed: &Condensed<'_>,
        factor: &Shifted<'_>,
        residuals: &[usize],
        options: &Options,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Columns, ReduceError> {
        let (n, borders) = (condensed.interior, condensed.directions.len());
        let total = borders + residuals.len();
        let mut solved = Columns::new(n);
        for first in (0..total).step_by(BATCH) {
            progress("static modes", first as f64 / total as f64);
            let mut batch = Columns::new(n);
            for at in first..total.min(first + BATCH) {
                let mut right = vec![0.0; n];
                if at < borders {
                    let entries = condensed.pencil.column_above(Part::Stiffness, n + at, n);
                    entries.for_each(|(row, value)| right[row] = -value);
                } else {
                    let load = &options.loads[residuals[at - borders]];
                    right.copy_from_slice(&condensed.gather(&load.forces)[..n]);
                }
                batch.push(&right);
            }
            let solution = self.solve(factor, batch);
            solved.append(&solution.map_err(|error| ReduceError::Modes(error.to_string()))?);
        }
        Ok(solved)
    }

    /// K_ii⁻¹ b, or its pseudo-inverse if rigid motions remain: x ← x + (K + s M)⁻¹ (b − K x).
    fn solve(&self, factor: &Shifted<'_>, mut right: Columns) -> Result<Columns, ModeError> {
        if self.unsupported.count() == 0 {
            factor.factor.solve(&mut right)?;
            return Ok(right);
        }
        // Forces in equilibrium: b −= M R Rᵀ b.
        let shares = self.unsupported.gram(&right);
        right.subtract(&self.weighted, shares.as_ref());
        let mut solution = right.clone();
        factor.factor.solve(&mut solution)?;
        for _ in 0..REFINEMENTS {
            let mut rest = right.clone();
            for j in 0..rest.count() {
                let force = self.pencil.product(Part::Stiffness, solution.col(j));
                rest.col_mut(j)
                    .iter_mut()
                    .zip(force)
                    .for_each(|(r, f)| *r -= f);
            }
            factor.factor.solve(&mut rest)?;
            for j in 0..rest.count() {
                let change = rest.col(j);
                solution
                    .col_mut(j)
                    .iter_mut()
                    .zip(change)
                    .for_each(|(x, d)| *x += d);
            }
        }
        self.purge(&mut solution);
        Ok(solution)
    }

    /// Takes the unsupported motions out.
    fn purge(&self, columns: &mut Columns) {
        if self.unsupported.count() > 0 {
            let shares = self.weighted.gram(columns);
            columns.subtract(&self.unsupported, shares.as_ref());
        }
    }

    /// The elastic modes with the interfaces held; none is missed.
    fn modes(
        &self,
        condensed: &Condensed<'_>,
        factor: Shifted<'_>,
        normal: NormalModes,
        progress: &mut dyn FnMut(&str, f64),
    ) -> Result<Modes, ReduceError> {
        let failed = |error| ReduceError::of_modes(error, |row| condensed.place(row));
        let unsupported = self.unsupported.count();
        let wanted = match normal {
            NormalModes::Count(0) => {
                return Ok(Modes {
                    values: Vec::new(),
                    vectors: Columns::new(condensed.interior),
                });
            }
            NormalModes::Count(count) => unsupported + count,
            NormalModes::UpTo(frequency) => {
                progress("counting modes", 0.0);
                let bound = (std::f64::consts::TAU * frequency).powi(2);
                self.analysis
                    .count_below(&self.pencil, bound)
                    .map_err(|e| failed(e.into()))?
            }
        };
        let (shift, mut factor, mut search) = (factor.shift, Some(factor), wanted);
        for _ in 0..SEARCHES {
            let shifted = match factor.take() {
                Some(known) => known,
                None => self.factor(condensed, shift)?,
            };
            let tell = &mut |share| progress("modes with held interfaces", share);
            let mut modes = lanczos::lowest(
                &self.pencil,
                &shifted.factor,
                shift,
                search,
                lanczos::RESIDUAL,
                tell,
            )
            .map_err(failed)?;
            // Two factors at once would double the memory.
            drop(shifted);
            progress("counting modes", 0.0);
            let Some(bound) = modes.values.last().map(|last| last * (1.0 + ABOVE)) else {
                return Ok(modes);
            };
            let below = self
                .analysis
                .count_below(&self.pencil, bound)
                .map_err(|e| failed(e.into()))?;
            if modes.values.len() < search || below <= modes.values.len() {
                return Ok(self.elastic(&mut modes, wanted));
            }
            search = below;
        }
        Err(ReduceError::Modes(format!(
            "there are more than {search} modes in the range where {search} were found"
        )))
    }

    /// Without the remaining rigid motions, which come first, and without modes beyond those wanted.
    fn elastic(&self, modes: &mut Modes, wanted: usize) -> Modes {
        let unsupported = self.unsupported.count();
        let end = wanted.min(modes.values.len()).max(unsupported);
        let mut vectors = modes
            .vectors
            .selected(unsupported.min(modes.values.len())..end.min(modes.values.len()));
        self.purge(&mut vectors);
        Modes {
            values: modes
                .values
                .iter()
                .copied()
                .take(end)
                .skip(unsupported)
                .collect(),
            vectors,
        }
    }
}
