//! Control plane: factors of K + s M.
//!
//! The symbolic work is done once per pattern. faer runs sequentially: same inputs, same bits.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, Par, Side, Spec};

use super::{Columns, Pencil};

/// Why there is no factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// A pivot is not above zero.
    #[error("the matrix is not positive definite at row {0}")]
    Indefinite(usize),
    /// The factor does not fit into memory.
    #[error("the factor does not fit into memory")]
    Memory,
}

/// The elimination order of a pattern and the places of its factor.
#[derive(Debug)]
pub struct Analysis {
    symbolic: SymbolicCholesky<usize>,
}

/// L of L Lᵀ = K + s M.
#[derive(Debug)]
pub struct Factor<'a> {
    analysis: &'a Analysis,
    values: Vec<f64>,
}

impl Analysis {
    /// Uses the better of minimum degree and, if given, another order: `order[k]` is the row that is eliminated as
    /// the k-th.
    pub fn new(pencil: &Pencil, order: Option<&[usize]>) -> Result<Self, FactorError> {
        let least = analyse(pencil, SymmetricOrdering::Amd)?;
        let Some(forward) = order else {
            return Ok(Self { symbolic: least });
        };
        let mut inverse = vec![0; forward.len()];
        for (k, row) in forward.iter().enumerate() {
            inverse[*row] = k;
        }
        let order = PermRef::new_checked(forward, &inverse, forward.len());
        let other = analyse(pencil, SymmetricOrdering::Custom(order))?;
        let symbolic = if other.len_val() < least.len_val() {
            other
        } else {
            least
        };
        Ok(Self { symbolic })
    }

    /// Numbers in a factor.
    pub fn fill(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Factors K + s M, which must be positive definite.
    pub fn factor(&self, pencil: &Pencil, shift: f64) -> Result<Factor<'_>, FactorError> {
        let (symbolic, params) = (&self.symbolic, Spec::default());
        let shifted = pencil.shifted(shift);
        let mut values = numbers(symbolic.len_val())?;
        let request = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, params);
        let mut memory = MemBuffer::try_new(request).map_err(|_| FactorError::Memory)?;
        let done = symbolic.factorize_numeric_llt(
            &mut values,
            matrix(pencil, &shifted),
            Side::Upper,
            faer::linalg::cholesky::llt::factor::LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            params,
        );
        match done {
            Ok(_) => Ok(Factor {
                analysis: self,
                values,
            }),
            Err(error) => Err(self.cause(error)),
        }
    }

    fn cause(&self, error: faer::linalg::cholesky::llt::factor::LltError) -> FactorError {
        let faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index } = error;
        // The simple method, taken for diagonal matrices, counts from one.
        let column = match self.symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(_) => index,
            SymbolicCholeskyRaw::Simplicial(_) => index.saturating_sub(1),
        };
        let order = self.symbolic.perm();
        let row = order.and_then(|order| order.arrays().0.get(column).copied());
        FactorError::Indefinite(row.unwrap_or(column))
    }

    /// Number of modes of K x = λ M x below a bound: the negative pivots of K − λ M (Sylvester's law of inertia).
    pub fn count_below(&self, pencil: &Pencil, bound: f64) -> Result<usize, FactorError> {
        let (symbolic, params) = (&self.symbolic, Spec::default());
        let n = pencil.size();
        let shifted = pencil.shifted(-bound);
        let mut values = numbers(symbolic.len_val())?;
        let (mut off, mut forward, mut inverse) = (vec![0.0; n], vec![0; n], vec![0; n]);
        let request = symbolic.factorize_numeric_intranode_lblt_scratch::<f64>(Par::Seq, params);
        let mut memory = MemBuffer::try_new(request).map_err(|_| FactorError::Memory)?;
        symbolic.factorize_numeric_intranode_lblt(
            &mut values,
            &mut off,
            &mut forward,
            &mut inverse,
            matrix(pencil, &shifted),
            Side::Upper,
            Par::Seq,
            MemStack::new(&mut memory),
            params,
        );
        Ok(negative(&pivots(symbolic, &values), &off))
    }
}

impl Factor<'_> {
    /// Overwrites each column b with the solution x of (K + s M) x = b.
    pub fn solve(&self, columns: &mut Columns) -> Result<(), FactorError> {
        let symbolic = &self.analysis.symbolic;
        let request = symbolic.solve_in_place_scratch::<f64>(columns.count(), Par::Seq);
        let mut memory = MemBuffer::try_new(request).map_err(|_| FactorError::Memory)?;
        LltRef::new(symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            columns.view_mut(),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        Ok(())
    }
}

fn analyse(
    pencil: &Pencil,
    order: SymmetricOrdering<'_, usize>,
) -> Result<SymbolicCholesky<usize>, FactorError> {
    // Pivots are read back from one layout.
    let params = CholeskySymbolicParams {
        supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
        ..CholeskySymbolicParams::default()
    };
    factorize_symbolic_cholesky(pattern(pencil), Side::Upper, order, params)
        .map_err(|_| FactorError::Memory)
}

fn pattern(pencil: &Pencil) -> SymbolicSparseColMatRef<'_, usize> {
    let n = pencil.size();
    SymbolicSparseColMatRef::new_checked(n, n, &pencil.starts, None, &pencil.rows)
}

fn matrix<'a>(pencil: &'a Pencil, values: &'a [f64]) -> SparseColMatRef<'a, usize, f64> {
    SparseColMatRef::new(pattern(pencil), values)
}

/// Zeros, or no memory.
fn numbers(count: usize) -> Result<Vec<f64>, FactorError> {
    let mut values = Vec::new();
    values
        .try_reserve_exact(count)
        .map_err(|_| FactorError::Memory)?;
    values.resize(count, 0.0);
    Ok(values)
}

/// The diagonal of D in the order of elimination.
fn pivots(symbolic: &SymbolicCholesky<usize>, values: &[f64]) -> Vec<f64> {
    match symbolic.raw() {
        SymbolicCholeskyRaw::Supernodal(blocks) => {
            let (begin, end) = (blocks.supernode_begin(), blocks.supernode_end());
            let at = blocks.col_ptr_for_val();
            let block = |s: usize| {
                let columns = end[s] - begin[s];
                let rows = (at[s + 1] - at[s]) / columns.max(1);
                (0..columns).map(move |j| values[at[s] + j * rows + j])
            };
            (0..blocks.n_supernodes()).flat_map(block).collect()
        }
        SymbolicCholeskyRaw::Simplicial(columns) => {
            let starts = columns.col_ptr();
            starts[..columns.ncols()]
                .iter()
                .map(|k| values[*k])
                .collect()
        }
    }
}

/// Negative eigenvalues of D, whose blocks are single or, where `off` is not zero, pairs.
fn negative(diagonal: &[f64], off: &[f64]) -> usize {
    let (mut count, mut k) = (0, 0);
    while k < diagonal.len() {
        let a = diagonal[k];
        if off[k] != 0.0 && k + 1 < diagonal.len() {
            let b = diagonal[k + 1];
            let mixed = a * b < off[k] * off[k];
            count += if mixed { 1 } else { 2 * usize::from(a < 0.0) };
            k += 2;
        } else {
            count += usize::from(a < 0.0);
            k += 1;
        }
    }
    count
}
