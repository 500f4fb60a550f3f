//! The sweeps of a factorisation entry by entry (creation in the control plane, the rest in the data plane).
//!
//! With D the pivots, A = L D U: forward with L, times D⁻¹, back with U, both with ones on the diagonal. A matrix of
//! few entries a row spends more instructions on where a number stands, and on loops of two or three turns, than on
//! the number. So a plan is tested as a whole when it is kept, and the sweeps that follow it test nothing more; forward
//! and back are one loop each, over all entries; and what a pivot changes goes four columns at a time, which stay in
//! registers for all rows.

#![expect(
    unsafe_code,
    clippy::multiple_unsafe_ops_per_block,
    reason = "a plan that has been tested as a whole is followed without a test"
)]

use super::places::Places;

/// What is to be done. Numbers of the factors stand in one vector: the pivots, L by columns from the first to the
/// last, U by columns from the last to the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// How many entries of U and of L each pivot has, in its row and in its column.
    pub(super) sizes: Vec<(usize, usize)>,
    /// Places of the pivots' equations and unknowns in the vector that is solved for.
    pub(super) pivots: [Vec<usize>; 2],
    /// Places of entries among the numbers that a refactorisation is given, and in the factors.
    pub(super) sources: [Vec<usize>; 2],
    /// By pivots: how small the pivot may be, how large its entries of L.
    pub(super) bounds: Vec<f64>,
    /// Where the entries of U stand, by pivots.
    pub(super) rows: Vec<usize>,
    /// What changes: by pivots, by [`WIDTH`] entries of U or what is left of them, by entries of L.
    pub(super) targets: Vec<usize>,
    /// By entries of L, places in the vector that is solved for: what changes, and by what.
    pub(super) forward: [Vec<usize>; 2],
    /// By entries of U, turns of pivots: what changes, and by what.
    pub(super) back: [Vec<usize>; 2],
}

/// So many entries of U are worked on at once.
pub(super) const WIDTH: usize = 4;

/// A plan that keeps within its bounds, with the numbers.
///
/// For n pivots with u and l entries of U and of L each: `sizes`, `pivots` and `scratch` hold n, `bounds` Σ (1 + l),
/// `rows` and `back` Σ u, `forward` Σ l, `targets` Σ u l, `values` Σ (1 + u + l); targets, rows and the second of
/// sources are places in `values`, those of `back` in `scratch`.
#[derive(Clone, Debug)]
pub(super) struct Sweeps {
    sizes: Box<[(u32, u32)]>,
    pivots: [Places; 2],
    sources: [Places; 2],
    bounds: Box<[f64]>,
    rows: Places,
    targets: Places,
    forward: [Places; 2],
    back: [Places; 2],
    values: Box<[f64]>,
    scratch: Box<[f64]>,
}

impl Sweeps {
    /// Keeps a plan; nothing, if it does not keep within its bounds.
    pub(super) fn new(plan: Plan) -> Option<Self> {
        let count = plan.sizes.len();
        let (mut upper, mut lower, mut products) = (0, 0, 0);
        for (u, l) in &plan.sizes {
            upper += u;
            lower += l;
            products += u * l;
        }
        let size = |(upper, lower): &(usize, usize)| (*upper as u32, *lower as u32);
        let pair = |[one, other]: &[Vec<usize>; 2]| [Places::new(one), Places::new(other)];
        let sweeps = Self {
            sizes: plan.sizes.iter().map(size).collect(),
            pivots: pair(&plan.pivots),
            sources: pair(&plan.sources),
            bounds: plan.bounds.into(),
            rows: Places::new(&plan.rows),
            targets: Places::new(&plan.targets),
            forward: pair(&plan.forward),
            back: pair(&plan.back),
            values: vec![0.0; count + upper + lower].into(),
            scratch: vec![0.0; count].into(),
        };
        let Self {
            pivots: [equations, unknowns],
            sources: [from, to],
            forward: [rows, by_rows],
            back: [columns, by_columns],
            ..
        } = &sweeps;
        // How many there must be, and of what they are places.
        let (values, scratch) = (sweeps.values.len(), sweeps.scratch.len());
        let anywhere = usize::MAX;
        let kept = [
            (equations, count, anywhere),
            (unknowns, count, anywhere),
            (from, to.len(), anywhere),
            (to, from.len(), values),
            (&sweeps.rows, upper, values),
            (&sweeps.targets, products, values),
            (rows, lower, anywhere),
            (by_rows, lower, anywhere),
            (columns, upper, scratch),
            (by_columns, upper, scratch),
        ];
        let kept = kept
            .iter()
            .all(|(places, needed, of)| places.len() == *needed && places.end() <= *of);
        (kept && sweeps.bounds.len() == count + lower).then_some(sweeps)
    }

    /// Multiplications of one refactorisation, and entries that are read.
    pub(super) fn work(&self) -> (usize, usize) {
        (
            self.targets.len() + self.values.len(),
            self.sources[0].len(),
        )
    }

    /// Factors a matrix; whether its factors are to be trusted. A matrix that is too short is not.
    pub(super) fn refactor(&mut self, a: &[f64]) -> bool {
        let [from, to] = &self.sources;
        if a.len() < from.end() {
            return false;
        }
        self.values.fill(0.0);
        for (from, to) in from.list().iter().zip(to.list()) {
            // SAFETY: `a` is as long as was asked just now, and `values` as `new` has seen to.
            unsafe {
                *self.values.get_unchecked_mut(*to as usize) = *a.get_unchecked(*from as usize);
            }
        }
        self.eliminate()
    }

    /// The pivots, one after the other, up to one that is not to be trusted.
    fn eliminate(&mut self) -> bool {
        let values = &mut *self.values;
        let (mut rows, mut targets) = (self.rows.list(), self.targets.list());
        let mut bounds = &*self.bounds;
        let mut column = self.sizes.len();
        for (k, (upper, lower)) in self.sizes.iter().enumerate() {
            let (upper, lower) = (*upper as usize, *lower as usize);
            let (own_bounds, other_bounds) = bounds.split_at(1 + lower);
            let (own_rows, other_rows) = rows.split_at(upper);
            let (own_targets, other_targets) = targets.split_at(upper * lower);
            (rows, targets, bounds) = (other_rows, other_targets, other_bounds);
            let pivot = values[k];
            if is_beyond(own_bounds[0], pivot.abs()) {
                return false;
            }
            let reciprocal = 1.0 / pivot;
            values[k] = reciprocal;
            let l = &mut values[column..column + lower];
            for (l, bound) in l.iter_mut().zip(&own_bounds[1..]) {
                *l *= reciprocal;
                if is_beyond(l.abs(), *bound) {
                    return false;
                }
            }
            let others = (column, own_targets);
            // SAFETY: rows and targets lie within `values`, as `new` has seen to, and so does the column.
            unsafe { change(values, reciprocal, own_rows, lower, others) };
            column += lower;
        }
        true
    }

    /// Solves for the unknowns at their places; what else the vector holds stays as it is. Whether it has: a vector
    /// that is too short is left alone.
    pub(super) fn solve(&mut self, x: &mut [f64]) -> bool {
        let ends = self.pivots.iter().chain(&self.forward).map(Places::end);
        if x.len() < ends.fold(0, usize::max) {
            return false;
        }
        let (pivots, l_and_u) = self.values.split_at(self.sizes.len());
        let (l, u) = l_and_u.split_at(self.forward[0].len());
        // SAFETY: places in `x` are below its length, asked just now; those of `back` are below that of `scratch`, as
        // `new` has seen to.
        unsafe {
            subtract(x, l, &self.forward);
            let equations = self.pivots[0].list();
            for ((y, from), pivot) in self.scratch.iter_mut().zip(equations).zip(pivots) {
                *y = *x.get_unchecked(*from as usize) * pivot;
            }
            subtract(&mut self.scratch, u, &self.back);
            for (y, to) in self.scratch.iter().zip(self.pivots[1].list()) {
                *x.get_unchecked_mut(*to as usize) = *y;
            }
        }
        true
    }
}

/// Is a above b, or one of them no number?
#[inline(always)]
#[expect(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "of no number neither holds"
)]
fn is_beyond(a: f64, b: f64) -> bool {
    !(a <= b)
}

/// x_i ← x_i − f x_j for all factors f in their order.
///
/// # Safety
///
/// All i and j are below the length of x.
#[inline(always)]
unsafe fn subtract(x: &mut [f64], factors: &[f64], [changed, by]: &[Places; 2]) {
    for ((factor, i), j) in factors.iter().zip(changed.list()).zip(by.list()) {
        // SAFETY: as the caller has promised.
        unsafe { *x.get_unchecked_mut(*i as usize) -= factor * x.get_unchecked(*j as usize) };
    }
}

/// What a pivot changes: its row of U, which is scaled, and with so many entries of L, from where, the targets.
///
/// # Safety
///
/// Row, targets and entries of L lie within `values`.
#[inline(always)]
unsafe fn change(
    values: &mut [f64],
    reciprocal: f64,
    row: &[u32],
    lower: usize,
    (column, mut targets): (usize, &[u32]),
) {
    let (chunks, rest) = row.as_chunks::<WIDTH>();
    for chunk in chunks {
        let (own, others) = targets.split_at(WIDTH * lower);
        // SAFETY: parts of what the caller has promised.
        unsafe { change_some(values, reciprocal, *chunk, (column, own)) };
        targets = others;
    }
    // SAFETY: as above.
    unsafe {
        match *rest {
            [a] => change_some(values, reciprocal, [a], (column, targets)),
            [a, b] => change_some(values, reciprocal, [a, b], (column, targets)),
            [a, b, c] => change_some(values, reciprocal, [a, b, c], (column, targets)),
            _ => {}
        }
    }
}

/// The same of so many entries of U.
///
/// # Safety
///
/// As of [`change`], with an entry of L for every N targets.
#[inline(always)]
unsafe fn change_some<const N: usize>(
    values: &mut [f64],
    reciprocal: f64,
    row: [u32; N],
    (column, targets): (usize, &[u32]),
) {
    // SAFETY: as the caller has promised.
    unsafe {
        let u = row.map(|place| *values.get_unchecked(place as usize));
        for (e, targets) in targets.as_chunks::<N>().0.iter().enumerate() {
            let l = *values.get_unchecked(column + e);
            for (target, u) in targets.iter().zip(u) {
                *values.get_unchecked_mut(*target as usize) -= l * u;
            }
        }
        for (place, u) in row.iter().zip(u) {
            *values.get_unchecked_mut(*place as usize) = u * reciprocal;
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// | 4 2 |
    /// | 1 3 |
    fn plan() -> Plan {
        Plan {
            sizes: vec![(1, 1), (0, 0)],
            pivots: [vec![0, 1], vec![0, 1]],
            sources: [vec![0, 1, 2, 3], vec![0, 3, 2, 1]],
            bounds: vec![0.0, 1.0, 0.0],
            rows: vec![3],
            targets: vec![1],
            forward: [vec![1], vec![0]],
            back: [vec![0], vec![1]],
        }
    }

    #[test]
    fn a_plan_within_its_bounds_is_followed() {
        let mut sweeps = Sweeps::new(plan()).unwrap();
        assert!(sweeps.refactor(&[4.0, 2.0, 1.0, 3.0]));
        let mut x = [10.0, 5.0];
        assert!(sweeps.solve(&mut x));
        assert_eq!(x, [2.0, 1.0]);
    }

    #[test]
    fn vectors_that_are_too_short_are_left_alone() {
        let mut sweeps = Sweeps::new(plan()).unwrap();
        assert!(!sweeps.refactor(&[4.0, 2.0, 1.0]));
        let mut x = [10.0];
        assert!(!sweeps.solve(&mut x));
        assert_eq!(x, [10.0]);
    }

    #[test]
    fn a_plan_that_leaves_its_bounds_is_not_kept() {
        let faults: [fn(&mut Plan); 14] = [
            |plan| plan.sizes[0] = (2, 1),
            |plan| plan.sizes[1] = (0, 1),
            |plan| plan.sizes.truncate(1),
            |plan| plan.pivots[1].push(0),
            |plan| plan.sources[1][2] = 4,
            |plan| plan.sources[0].truncate(3),
            |plan| plan.bounds.truncate(2),
            |plan| plan.rows[0] = 4,
            |plan| plan.rows.clear(),
            |plan| plan.targets[0] = 4,
            |plan| plan.targets.clear(),
            |plan| plan.forward[1].clear(),
            |plan| plan.back[0][0] = 2,
            |plan| plan.back[1].push(1),
        ];
        for (k, fault) in faults.iter().enumerate() {
            let mut plan = plan();
            fault(&mut plan);
            assert!(Sweeps::new(plan).is_none(), "fault {k}");
        }
    }
}
