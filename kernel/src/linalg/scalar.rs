//! LU factors entry by entry, for matrices whose tiles are nearly empty (analysis in the control plane, refactor and
//! solve in the data plane).
//!
//! For pivots k in the chosen order, on the rows i and columns j that are left,
//!
//! ```text
//!     l_ik = a_ik / a_kk,     a_ij ← a_ij − l_ik a_kj
//! ```
//!
//! of the entries that are not zero by structure. The order is that of Markowitz (1957), least fill first,
//! among pivots that are not small beside their rows and columns in any sample of the matrix. A matrix for which
//! one of the l becomes large, or a pivot small beside what it was in all samples, is not for this order, and is refused.

pub mod places;
mod sweeps;

use sweeps::{Plan, Sweeps, WIDTH};

/// A pivot may be this much smaller than the largest entry of its row and of its column.
const ADMISSIBLE: f64 = 0.01;

/// An l, in scaled unknowns, may become as large as this: so many digits may be lost.
const BOUNDED: f64 = 1e6;

/// A pivot may become this much smaller than in the samples.
const SHRUNK: f64 = 1e-6;

/// An entry that is not zero by structure.
#[derive(Clone, Debug)]
pub struct ScalarEntry {
    /// Row.
    pub row: usize,
    /// Column.
    pub column: usize,
    /// Its place among the numbers that a refactorisation is given.
    pub from: usize,
    /// What it is in the samples, in scaled unknowns.
    pub samples: Vec<f64>,
}

/// Factors, and what makes them.
#[derive(Clone, Debug)]
pub struct ScalarLu(Sweeps);

impl ScalarLu {
    /// Chooses the order for a matrix of so many rows; nothing, if no pivot will do for all samples.
    ///
    /// Unknowns and equations are at `places` in a vector that is solved for; `scale` gives those of a row and of a
    /// column.
    pub fn analyse(
        places: &[usize],
        entries: &[ScalarEntry],
        scale: impl Fn(usize, usize) -> [f64; 2],
    ) -> Option<Self> {
        let order = by_levels(Active::new(places.len(), entries).order()?);
        Sweeps::new(plan(places, entries, &order, scale)).map(Self)
    }

    /// Multiplications of one refactorisation, and entries that are read.
    pub fn work(&self) -> (usize, usize) {
        self.0.work()
    }

    /// Factors a matrix; whether its factors are to be trusted.
    pub fn refactor(&mut self, a: &[f64]) -> bool {
        self.0.refactor(a)
    }

    /// Solves for the unknowns at their places; what else the vector holds stays as it is. Whether it has: a vector
    /// that is too short is left alone.
    pub fn solve(&mut self, x: &mut [f64]) -> bool {
        self.0.solve(x)
    }
}

/// The same elimination with pivots side by side that do not wait for one another: a processor begins on the next
/// while it divides by the last.
fn by_levels(mut order: Vec<Chosen>) -> Vec<Chosen> {
    let mut after = vec![[0; 2]; order.len()];
    let mut levels = vec![0; order.len()];
    for (pivot, level) in order.iter().zip(&mut levels) {
        *level = after[pivot.row][0].max(after[pivot.column][1]);
        for row in &pivot.rows {
            after[*row][0] = after[*row][0].max(*level + 1);
        }
        for column in &pivot.columns {
            after[*column][1] = after[*column][1].max(*level + 1);
        }
    }
    let mut sorted = Vec::with_capacity(order.len());
    for level in 0..order.len() {
        let own = (0..levels.len()).filter(|k| levels[*k] == level);
        sorted.extend(own.map(|k| std::mem::take(&mut order[k])));
    }
    sorted
}

/// What is to be done for pivots with the fill that they meet.
fn plan(
    places: &[usize],
    entries: &[ScalarEntry],
    order: &[Chosen],
    scale: impl Fn(usize, usize) -> [f64; 2],
) -> Plan {
    let stand = Stand::new(order);
    let mut plan = Plan::default();
    for (k, pivot) in order.iter().enumerate() {
        let [row_scale, column_scale] = scale(pivot.row, pivot.column);
        let most = |turn: &usize| {
            let below = &order[*turn];
            BOUNDED * row_scale / scale(below.row, below.column)[0]
        };
        let (columns, rows) = (&stand.columns[k], &stand.rows[k]);
        plan.sizes.push((columns.len(), rows.len()));
        plan.pivots[0].push(places[pivot.row]);
        plan.pivots[1].push(places[pivot.column]);
        plan.bounds
            .push(SHRUNK * pivot.least / (row_scale * column_scale));
        plan.bounds.extend(rows.iter().map(most));
        plan.rows
            .extend(columns.iter().map(|column| stand.find(k, *column)));
        for columns in columns.chunks(WIDTH) {
            for row in rows {
                let targets = columns.iter().map(|column| stand.find(*row, *column));
                plan.targets.extend(targets);
            }
        }
    }
    for (row, column) in &stand.order[order.len()..] {
        if column < row {
            plan.forward[0].push(places[order[*row].row]);
            plan.forward[1].push(places[order[*column].row]);
        } else {
            plan.back[0].push(*row);
            plan.back[1].push(*column);
        }
    }
    let to = |entry: &ScalarEntry| {
        let row = order.iter().position(|pivot| pivot.row == entry.row);
        let column = order.iter().position(|pivot| pivot.column == entry.column);
        stand.find(row.unwrap_or(0), column.unwrap_or(0))
    };
    plan.sources = [
        entries.iter().map(|entry| entry.from).collect(),
        entries.iter().map(to).collect(),
    ];
    plan
}

/// Where entries of the factors stand, by turns of pivots.
struct Stand {
    /// Rows and columns: first the pivots, then L by columns, then U by columns from the last to the first.
    order: Vec<(usize, usize)>,
    /// By rows the columns of entries, and where they stand.
    places: Vec<Vec<(usize, usize)>>,
    /// By pivots the columns of its entries of U, and the rows of those of L.
    columns: Vec<Vec<usize>>,
    rows: Vec<Vec<usize>>,
}

impl Stand {
    fn new(order: &[Chosen]) -> Self {
        let behind = |k: usize, met: &dyn Fn(&Chosen) -> bool| -> Vec<usize> {
            let others = order.iter().enumerate().skip(k + 1);
            others
                .filter(|(_, other)| met(other))
                .map(|(turn, _)| turn)
                .collect()
        };
        let all = || order.iter().enumerate();
        let mut stand = Self {
            order: all().map(|(k, _)| (k, k)).collect(),
            places: vec![Vec::new(); order.len()],
            columns: all()
                .map(|(k, own)| behind(k, &|other| own.columns.contains(&other.column)))
                .collect(),
            rows: all()
                .map(|(k, own)| behind(k, &|other| own.rows.contains(&other.row)))
                .collect(),
        };
        for (column, rows) in stand.rows.iter().enumerate() {
            stand.order.extend(rows.iter().map(|row| (*row, column)));
        }
        // What is needed next is changed first: the others do not wait for it.
        for column in (0..order.len()).rev() {
            let met = |row: &usize| stand.columns[*row].contains(&column);
            let rows = (0..column).rev().filter(met);
            stand.order.extend(rows.map(|row| (row, column)));
        }
        for (place, (row, column)) in stand.order.iter().enumerate() {
            stand.places[*row].push((*column, place));
        }
        stand
    }

    fn find(&self, row: usize, column: usize) -> usize {
        let entry = self.places[row].iter().find(|entry| entry.0 == column);
        entry.map_or(0, |entry| entry.1)
    }
}

/// A pivot as chosen, with what is left of its row and of its column.
#[derive(Default)]
struct Chosen {
    row: usize,
    column: usize,
    columns: Vec<usize>,
    rows: Vec<usize>,
    /// The smallest that it is in the samples, in scaled unknowns.
    least: f64,
}

/// What is left of the matrix while pivots are chosen: by rows the columns, with the values in all samples, and by
/// columns the rows.
struct Active {
    rows: Vec<Vec<(usize, Vec<f64>)>>,
    columns: Vec<Vec<usize>>,
}

impl Active {
    fn new(size: usize, entries: &[ScalarEntry]) -> Self {
        let mut active = Self {
            rows: vec![Vec::new(); size],
            columns: vec![Vec::new(); size],
        };
        for entry in entries {
            active.rows[entry.row].push((entry.column, entry.samples.clone()));
            active.columns[entry.column].push(entry.row);
        }
        active
    }

    fn order(mut self) -> Option<Vec<Chosen>> {
        let mut order = Vec::with_capacity(self.rows.len());
        for _ in 0..self.rows.len() {
            let (row, column) = self.choose()?;
            order.push(self.eliminate(row, column));
        }
        Some(order)
    }

    /// The admissible pivot with the least fill, the first of equals.
    fn choose(&self) -> Option<(usize, usize)> {
        let mut best = None;
        for (i, row) in self.rows.iter().enumerate() {
            for (j, own) in row {
                let cost = (row.len() - 1) * (self.columns[*j].len() - 1);
                if best.is_none_or(|(least, _, _)| cost < least) && self.is_admissible(i, *j, own) {
                    best = Some((cost, i, *j));
                }
            }
        }
        best.map(|(_, i, j)| (i, j))
    }

    /// Is it large enough in every sample?
    fn is_admissible(&self, row: usize, column: usize, own: &[f64]) -> bool {
        let in_row = self.rows[row].iter();
        let in_column = self.columns[column].iter().flat_map(|i| &self.rows[*i]);
        let in_column = in_column.filter(|entry| entry.0 == column);
        let mut largest = vec![0.0_f64; own.len()];
        for (_, values) in in_row.chain(in_column) {
            for (largest, x) in largest.iter_mut().zip(values) {
                *largest = largest.max(x.abs());
            }
        }
        let mut pairs = own.iter().zip(&largest);
        pairs.all(|(own, largest)| {
            own.abs() >= ADMISSIBLE * largest && own.abs() > f64::MIN_POSITIVE
        })
    }

    fn eliminate(&mut self, row: usize, column: usize) -> Chosen {
        let mut own = std::mem::take(&mut self.rows[row]);
        let Some((_, pivot)) = take(&mut own, column) else {
            return Chosen::default();
        };
        for (j, _) in &own {
            self.columns[*j].retain(|i| *i != row);
        }
        let mut rows = std::mem::take(&mut self.columns[column]);
        rows.retain(|i| *i != row);
        for &i in &rows {
            let other = &mut self.rows[i];
            let Some((_, below)) = take(other, column) else {
                continue;
            };
            for (j, right) in &own {
                let at = other.iter().position(|entry| entry.0 == *j);
                let at = at.unwrap_or_else(|| {
                    self.columns[*j].push(i);
                    other.push((*j, vec![0.0; pivot.len()]));
                    other.len() - 1
                });
                for (s, target) in other[at].1.iter_mut().enumerate() {
                    *target -= below[s] / pivot[s] * right[s];
                }
            }
        }
        Chosen {
            row,
            column,
            columns: own.iter().map(|entry| entry.0).collect(),
            rows,
            least: pivot
                .iter()
                .fold(f64::INFINITY, |least, x| least.min(x.abs())),
        }
    }
}

/// Takes the entry of a column out of a row.
fn take(row: &mut Vec<(usize, Vec<f64>)>, column: usize) -> Option<(usize, Vec<f64>)> {
    let at = row.iter().position(|entry| entry.0 == column)?;
    Some(row.swap_remove(at))
}
