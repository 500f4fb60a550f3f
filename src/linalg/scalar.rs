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

/// Factors, and the program that makes them.
#[derive(Clone, Debug)]
pub struct ScalarLu {
    /// By pivots: the pivot, its row of U, its column of L.
    values: Box<[f64]>,
    pivots: Box<[Pivot]>,
    /// From where entries come, and where they go.
    sources: Box<[(u32, u32)]>,
    /// What changes, by pivots and by entries of L, counted from behind the pivot's own.
    targets: Box<[u32]>,
    /// By pivots: how small the pivot may be, how large its entries of L.
    bounds: Box<[f64]>,
    /// Pivots whose unknowns the rows of U meet, and whose equations the columns of L.
    met: Box<[u32]>,
    scratch: Box<[f64]>,
}

/// A pivot.
#[derive(Clone, Copy, Debug)]
struct Pivot {
    /// Places in the vector that is solved for.
    equation: u32,
    unknown: u32,
    /// Entries of its row of U, and of its column of L.
    upper: u32,
    lower: u32,
}

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
        let order = Active::new(places.len(), entries).order()?;
        Some(Self::compile(places, entries, &order, scale))
    }

    /// The program for pivots with the fill that they meet.
    fn compile(
        places: &[usize],
        entries: &[ScalarEntry],
        order: &[Chosen],
        scale: impl Fn(usize, usize) -> [f64; 2],
    ) -> Self {
        let size = order.len();
        let mut turns = vec![(0, 0); size];
        for (turn, pivot) in order.iter().enumerate() {
            turns[pivot.row].0 = turn;
            turns[pivot.column].1 = turn;
        }
        // Entries by the turns of their rows: the turns of their columns, and where they stand.
        let mut factors = vec![Vec::new(); size];
        let mut count = 0;
        let mut stand = |factors: &mut [Vec<(usize, usize)>], row: usize, column: usize| {
            factors[row].push((column, count));
            count += 1;
            count
        };
        let (mut pivots, mut met, mut bounds) = (Vec::new(), Vec::new(), Vec::new());
        let mut behind = 0;
        let mut ends = Vec::new();
        for (k, pivot) in order.iter().enumerate() {
            let [row_scale, column_scale] = scale(pivot.row, pivot.column);
            bounds.push(SHRUNK * pivot.least / (row_scale * column_scale));
            behind = stand(&mut factors, k, k).max(behind);
            // What has just been found is used last: a sum does not wait for it.
            for turn in (k..size).rev() {
                if pivot.columns.contains(&order[turn].column) {
                    behind = stand(&mut factors, k, turn);
                    met.push(turn as u32);
                }
            }
            for (turn, below) in order.iter().enumerate().skip(k) {
                if pivot.rows.contains(&below.row) {
                    behind = stand(&mut factors, turn, k);
                    met.push(turn as u32);
                    bounds.push(BOUNDED * row_scale / scale(below.row, below.column)[0]);
                }
            }
            ends.push(behind);
            pivots.push(Pivot {
                equation: places[pivot.row] as u32,
                unknown: places[pivot.column] as u32,
                upper: pivot.columns.len() as u32,
                lower: pivot.rows.len() as u32,
            });
        }
        let source = |entry: &ScalarEntry| {
            let (row, column) = (turns[entry.row].0, turns[entry.column].1);
            (entry.from as u32, find(&factors, row, column) as u32)
        };
        let targets = targets(&factors, &pivots, &met, &ends);
        Self {
            values: vec![0.0; behind].into(),
            pivots: pivots.into(),
            sources: entries.iter().map(source).collect(),
            targets,
            bounds: bounds.into(),
            met: met.into(),
            scratch: vec![0.0; size].into(),
        }
    }

    /// Multiplications of one refactorisation, and entries that are read.
    pub fn work(&self) -> (usize, usize) {
        (self.targets.len() + self.values.len(), self.sources.len())
    }

    /// Factors a matrix; whether its factors are to be trusted.
    pub fn refactor(&mut self, a: &[f64]) -> bool {
        self.values.fill(0.0);
        for (from, to) in &self.sources {
            self.values[*to as usize] = a[*from as usize];
        }
        let mut values = &mut self.values[..];
        let (mut targets, mut bounds) = (&self.targets[..], &self.bounds[..]);
        let mut bounded = true;
        for pivot in &self.pivots {
            let (upper, lower) = (pivot.upper as usize, pivot.lower as usize);
            let (own, behind) = std::mem::take(&mut values).split_at_mut(1 + upper + lower);
            let (own_bounds, other_bounds) = bounds.split_at(1 + lower);
            bounded &= own[0].abs() >= own_bounds[0];
            let reciprocal = 1.0 / own[0];
            own[0] = reciprocal;
            let (u, l) = own[1..].split_at_mut(upper);
            for (l, bound) in l.iter_mut().zip(&own_bounds[1..]) {
                *l *= reciprocal;
                bounded &= l.abs() <= *bound;
                let (own_targets, other_targets) = targets.split_at(upper);
                for (u, target) in u.iter().zip(own_targets) {
                    behind[*target as usize] -= *l * *u;
                }
                targets = other_targets;
            }
            (values, bounds) = (behind, other_bounds);
        }
        bounded
    }

    /// Solves for the unknowns at their places; what else the vector holds stays as it is.
    pub fn solve(&mut self, x: &mut [f64]) {
        let scratch = &mut self.scratch;
        for (y, pivot) in scratch.iter_mut().zip(&self.pivots) {
            *y = x[pivot.equation as usize];
        }
        let (mut values, mut met) = (&self.values[..], &self.met[..]);
        for (k, pivot) in self.pivots.iter().enumerate() {
            let (upper, lower) = (pivot.upper as usize, pivot.lower as usize);
            let y = scratch[k];
            let l = &values[1 + upper..1 + upper + lower];
            for (l, row) in l.iter().zip(&met[upper..upper + lower]) {
                scratch[*row as usize] -= *l * y;
            }
            (values, met) = (&values[1 + upper + lower..], &met[upper + lower..]);
        }
        let (mut values, mut met) = (&self.values[..], &self.met[..]);
        for (k, pivot) in self.pivots.iter().enumerate().rev() {
            let (upper, lower) = (pivot.upper as usize, pivot.lower as usize);
            let (others, own) = values.split_at(values.len() - 1 - upper - lower);
            let (others_met, own_met) = met.split_at(met.len() - upper - lower);
            let mut y = scratch[k];
            for (u, column) in own[1..=upper].iter().zip(own_met) {
                y -= *u * scratch[*column as usize];
            }
            scratch[k] = y * own[0];
            (values, met) = (others, others_met);
        }
        for (y, pivot) in scratch.iter().zip(&self.pivots) {
            x[pivot.unknown as usize] = *y;
        }
    }
}

/// Where an entry of the factors stands, by the turns of its row and column.
fn find(factors: &[Vec<(usize, usize)>], row: usize, column: usize) -> usize {
    let entry = factors[row].iter().find(|entry| entry.0 == column);
    entry.map_or(0, |entry| entry.1)
}

/// What each pivot changes, counted from the end of its own.
fn targets(
    factors: &[Vec<(usize, usize)>],
    pivots: &[Pivot],
    mut met: &[u32],
    ends: &[usize],
) -> Box<[u32]> {
    let mut targets = Vec::new();
    for (pivot, end) in pivots.iter().zip(ends) {
        let (columns, others) = met.split_at(pivot.upper as usize);
        let (rows, others) = others.split_at(pivot.lower as usize);
        for row in rows {
            for column in columns {
                let target = find(factors, *row as usize, *column as usize);
                targets.push((target - end) as u32);
            }
        }
        met = others;
    }
    targets.into()
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
