//! Eliminates constraints and multipliers.

use super::postures::Postures;
use super::rounding::Terms;
use super::unknowns::{Basis, Kinds};
use super::{Damping, Gyroscopic, LinearForm, NoForm, Options, SecondOrder, Shapes};
use crate::condense::Condensation;
use crate::matrix::{Index, largest, pick_rows, put};
use crate::sparse::{Elimination, Sparse};
use faer::Mat;
use fixstep_kernel::mechanism::{Mechanism, MotionLevel};
use fixstep_kernel::simulation::{Linearization, SparseMatrix};

/// A row of (LIN-2) is singular if its remainder is below this; its masses are scaled to one.
const SINGULAR: f64 = 1e-14;

pub(super) struct Builder<'a> {
    pub(super) mechanism: &'a Mechanism,
    pub(super) from: &'a Linearization,
    pub(super) options: &'a Options,
    pub(super) kinds: Kinds,
    /// What constraints leave of velocities.
    pub(super) condensation: Condensation,
    /// What they leave of positions.
    pub(super) postures: Postures,
    basis: Basis,
    /// √(mass) of each coordinate.
    pub(super) scale: Vec<f64>,
    /// K and D, without the terms that the options leave out.
    stiffness: Sparse,
    damping: Sparse,
    /// M.
    mass: Sparse,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        mechanism: &'a Mechanism,
        from: &'a Linearization,
        options: &'a Options,
    ) -> Self {
        let kinds = Kinds::of(from);
        let tangents = &from.tangents;
        let moving = &kinds.moving;
        let mass = Sparse::of(&tangents.accelerations, moving, moving);
        let scale = inertia_scale(&mass);
        let gradient = Sparse::of(&tangents.positions, &kinds.held, moving);
        let condensation = Condensation::new(&gradient, &scale);
        let postures = Postures::new(from, &kinds, (&gradient, &scale), &condensation);
        let mut damping = Sparse::of(&tangents.velocities, moving, moving);
        if options.damping != Damping::On {
            for element in &from.elements {
                damping.add(&element.velocities, (moving, moving), ((0, 0), -1.0));
            }
        }
        let mut stiffness = Sparse::of(&tangents.positions, moving, moving);
        let lost = ((0, 0), -1.0);
        match options.gyroscopic {
            Gyroscopic::Full => {}
            Gyroscopic::Partial => damping.add(&from.gyroscopic.momentum, (moving, moving), lost),
            Gyroscopic::None => {
                damping.add(&from.gyroscopic.velocities, (moving, moving), lost);
                stiffness.add(&from.gyroscopic.positions, (moving, moving), lost);
            }
        }
        let basis = Basis {
            free: condensation.independent.len(),
            states: kinds.states.len(),
            rolled: postures.rolled.len(),
            drives: from.drives.len(),
            inputs: tangents.inputs.columns,
        };
        Self {
            mechanism,
            from,
            options,
            kinds,
            condensation,
            postures,
            basis,
            scale,
            stiffness,
            damping,
            mass,
        }
    }

    pub(super) fn build(self) -> Result<LinearForm, NoForm> {
        let (positions, velocities) = self.motion();
        let unknowns = self.instant(&positions, &velocities)?;
        let rates = self.rates(&velocities, &positions, &unknowns);
        let shown = self.shown(&positions, &velocities, &unknowns);
        Ok(self.form(&rates, &shown, &positions, &velocities))
    }

    /// The driven displacements in the rows of constraints: Φ^(level) as a function of w, ẇ, ẅ.
    fn driven(&self, level: usize) -> Mat<f64> {
        let mut to = Mat::zeros(self.kinds.held.len(), self.basis.len());
        for (d, drive) in self.from.drives.iter().enumerate() {
            for row in &drive.rows {
                let Some(r) = self.kinds.held.place(row.row) else {
                    continue;
                };
                for (k, by) in row.by[level].iter().enumerate() {
                    to[(r, self.basis.first_drive() + 3 * d + k)] += by;
                }
            }
        }
        to
    }

    /// δq and δv as functions of the basis.
    fn motion(&self) -> (Mat<f64>, Mat<f64>) {
        let (map, f) = (&self.condensation.map, self.basis.free);
        let mut positions = Mat::zeros(map.nrows(), self.basis.len());
        let mut velocities = positions.clone();
        self.postures
            .put(&mut positions, map, self.basis.first_rolled());
        positions -= self
            .postures
            .particular(&self.condensation, &self.driven(0));
        put(&mut velocities, (0, f), map);
        let rates = &self.from.rates.first_by_positions;
        let rates = Sparse::of(rates, &self.kinds.held, &self.kinds.moving);
        let given = self.driven(1) + rates.times(&positions);
        velocities -= self.condensation.particular(&given);
        self.turn_rates(&positions, &mut velocities);
        (positions, velocities)
    }

    /// Accelerations, multipliers and implicit variables as functions of the basis, (LIN-2). Multipliers of redundant
    /// rows are zero.
    fn instant(&self, positions: &Mat<f64>, velocities: &Mat<f64>) -> Result<Instant, NoForm> {
        let (t, kinds) = (&self.from.tangents, &self.kinds);
        let held: Vec<usize> = self
            .condensation
            .held
            .iter()
            .map(|k| kinds.held.list()[*k])
            .collect();
        let held = Index::new(held, t.places.len());
        let (n, m) = (kinds.moving.len(), held.len());
        let left = self.matrix(&held);
        let size = left.nrows();
        let right = self.right(&held, positions, velocities);
        let (rows, columns) = self.scales(&left, n);
        let given = Mat::from_fn(size, right.ncols(), |r, c| -right[(r, c)] * rows[r]);
        let scaled = left.clone().scaled(&rows, &columns);
        if !scaled.largest().is_finite() || !largest(&given).is_finite() {
            return Err(NoForm::NotFinite(self.first_not_finite(
                &left,
                &right,
                (&held, n, m),
            )));
        }
        let factor = Elimination::new(&scaled, SINGULAR);
        let mut is_found = vec![false; size];
        for column in factor.pivot_columns() {
            is_found[column] = true;
        }
        if let Some(at) = is_found.iter().position(|found| !found) {
            let unknown = match at {
                _ if at < n => kinds.moving.list()[at],
                _ if at < n + m => held.list()[at - n],
                _ => kinds.implicit.list()[at - n - m],
            };
            return Err(NoForm::Singular(t.places[unknown].unknown.clone()));
        }
        let mut solved = factor.solve(&given);
        let left_over = given - scaled.times(&solved);
        solved += factor.solve(&left_over);
        for r in 0..size {
            for c in 0..solved.ncols() {
                solved[(r, c)] *= columns[r];
            }
        }
        Ok(Instant { held, solved, n, m })
    }

    /// The matrix of (LIN-2).
    fn matrix(&self, held: &Index) -> Sparse {
        let (t, kinds) = (&self.from.tangents, &self.kinds);
        let (moving, implicit) = (&kinds.moving, &kinds.implicit);
        let (n, m) = (moving.len(), held.len());
        let size = n + m + implicit.len();
        let mut left = Sparse::zeros(size, size);
        let parts = [
            (&t.accelerations, (moving, moving), (0, 0)),
            (&t.multipliers, (moving, held), (0, n)),
            (&t.multipliers, (moving, implicit), (0, n + m)),
            (&t.positions, (held, moving), (n, 0)),
            (&t.accelerations, (implicit, moving), (n + m, 0)),
            (&t.multipliers, (implicit, held), (n + m, n)),
            (&t.multipliers, (implicit, implicit), (n + m, n + m)),
        ];
        for (from, lists, at) in parts {
            left.add(from, lists, (at, 1.0));
        }
        left
    }

    /// Its right-hand side, without its sign, as a function of the basis.
    fn right(&self, held: &Index, positions: &Mat<f64>, velocities: &Mat<f64>) -> Mat<f64> {
        let kinds = &self.kinds;
        let (n, m) = (kinds.moving.len(), held.len());
        let mut right = Mat::zeros(n + m + kinds.implicit.len(), self.basis.len());
        let own = Some((&self.stiffness, &self.damping));
        let balance = self.loads(&kinds.moving, positions, velocities, own);
        put(&mut right, (0, 0), &balance);
        let rates = &self.from.rates;
        let second = self.driven(2);
        let own: Vec<usize> = self.condensation.held.clone();
        let mut constraints = pick_rows(&second, &own);
        let moving = &kinds.moving;
        constraints += Sparse::of(&rates.second_by_positions, held, moving).times(positions);
        constraints += Sparse::of(&rates.second_by_velocities, held, moving).times(velocities);
        put(&mut right, (n, 0), &constraints);
        let residuals = self.loads(&kinds.implicit, positions, velocities, None);
        put(&mut right, (n + m, 0), &residuals);
        right
    }

    /// Rows of equations as functions of the basis, at fixed accelerations, multipliers and implicit variables.
    fn loads(
        &self,
        rows: &Index,
        positions: &Mat<f64>,
        velocities: &Mat<f64>,
        motion: Option<(&Sparse, &Sparse)>,
    ) -> Mat<f64> {
        let (t, kinds, basis) = (&self.from.tangents, &self.kinds, self.basis);
        let mut all = if let Some((stiffness, damping)) = motion {
            stiffness.times(positions) + damping.times(velocities)
        } else {
            let mut all = Sparse::of(&t.positions, rows, &kinds.moving).times(positions);
            if self.options.damping != Damping::OffInEquations {
                all += Sparse::of(&t.velocities, rows, &kinds.moving).times(velocities);
            }
            all
        };
        if motion.is_none() || self.options.damping != Damping::OffWithStates {
            let states = Sparse::of(&t.states, rows, &kinds.states);
            add(&mut all, basis.first_state(), &states);
        }
        add(
            &mut all,
            basis.first_input(),
            &Sparse::of(&t.inputs, rows, &Index::all(basis.inputs)),
        );
        all
    }

    /// Factors of rows and columns that make the entries of (LIN-2) comparable.
    fn scales(&self, left: &Sparse, n: usize) -> (Vec<f64>, Vec<f64>) {
        let size = left.nrows();
        let over = |most: f64| if most > 0.0 { 1.0 / most } else { 1.0 };
        let mut columns = vec![1.0; size];
        for (k, scale) in self.scale.iter().enumerate() {
            columns[k] = 1.0 / scale;
        }
        let mut rows = columns.clone();
        for k in n..size {
            let own = left.row(k).iter();
            rows[k] = over(own.fold(0.0_f64, |most, (c, x)| most.max((x * columns[*c]).abs())));
        }
        let mut most = vec![0.0_f64; size];
        for (r, by) in rows.iter().enumerate() {
            for (c, x) in left.row(r) {
                most[*c] = most[*c].max((x * by).abs());
            }
        }
        for k in n..size {
            columns[k] = over(most[k]);
        }
        (rows, columns)
    }

    fn first_not_finite(
        &self,
        left: &Sparse,
        right: &Mat<f64>,
        (held, n, m): (&Index, usize, usize),
    ) -> String {
        let bad = |r: usize| {
            left.row(r).iter().any(|(_, x)| !x.is_finite())
                || (0..right.ncols()).any(|c| !right[(r, c)].is_finite())
        };
        let row = (0..left.nrows()).find(|r| bad(*r)).unwrap_or(0);
        let unknown = match row {
            _ if row < n => self.kinds.moving.list()[row],
            _ if row < n + m => held.list()[row - n],
            _ => self.kinds.implicit.list()[row - n - m],
        };
        self.from.tangents.places[unknown].equation.clone()
    }

    /// The derivatives of positions, velocities and states as functions of the basis, (LIN-3).
    fn rates(&self, velocities: &Mat<f64>, positions: &Mat<f64>, at: &Instant) -> Mat<f64> {
        let (t, kinds, basis) = (&self.from.tangents, &self.kinds, self.basis);
        let own = &self.condensation.independent;
        let mut rates = Mat::zeros(basis.first_drive(), basis.len());
        put(&mut rates, (0, 0), &pick_rows(velocities, own));
        let rolled = self.postures.rolled(&self.condensation, velocities);
        put(&mut rates, (basis.first_rolled(), 0), &rolled);
        let moving = &kinds.moving;
        let spin = Sparse::of(&t.spin, moving, moving);
        let mut gains = at.accelerations();
        if self.options.gyroscopic != Gyroscopic::None {
            gains += spin.times(velocities);
        }
        self.turn(&mut rates, &mut gains, (positions, velocities));
        put(&mut rates, (basis.free, 0), &pick_rows(&gains, own));
        let mut equations = self.loads(&kinds.states, positions, velocities, None);
        let own = |from: &SparseMatrix, of: &Index| Sparse::of(from, &kinds.states, of);
        equations += own(&t.accelerations, moving).times(&at.accelerations());
        equations += own(&t.multipliers, &at.held).times(&at.multipliers());
        equations += own(&t.multipliers, &kinds.implicit).times(&at.implicit());
        for r in 0..equations.nrows() {
            for c in 0..equations.ncols() {
                rates[(basis.first_state() + r, c)] = -equations[(r, c)];
            }
        }
        rates
    }

    /// The outputs as functions of the basis.
    fn shown(&self, positions: &Mat<f64>, velocities: &Mat<f64>, at: &Instant) -> Mat<f64> {
        let (rows, kinds, basis) = (&self.from.outputs, &self.kinds, self.basis);
        let of = |from: &SparseMatrix, columns: &Index| {
            Sparse::of(from, &Index::all(from.rows), columns)
        };
        let (accelerations, multipliers) = (at.accelerations(), at.multipliers());
        let implicit = at.implicit();
        let parts = [
            (&rows.positions, &kinds.moving, positions),
            (&rows.velocities, &kinds.moving, velocities),
            (&rows.accelerations, &kinds.moving, &accelerations),
            (&rows.multipliers, &at.held, &multipliers),
            (&rows.multipliers, &kinds.implicit, &implicit),
        ];
        let size = (rows.positions.rows, basis.len());
        let mut all = Mat::zeros(size.0, size.1);
        let mut terms = Terms::new(&self.from.tangents.places, size);
        for (from, unknowns, moved) in parts {
            let slopes = of(from, unknowns);
            all += slopes.times(moved);
            terms.add(&slopes, unknowns.list(), moved);
        }
        terms.clear(&mut all);
        let states = of(&rows.states, &kinds.states);
        add(&mut all, basis.first_state(), &states);
        let inputs = of(&rows.inputs, &Index::all(basis.inputs));
        add(&mut all, basis.first_input(), &inputs);
        all
    }

    /// Makes the form from the derivatives of states and from the outputs.
    fn form(
        &self,
        rates: &Mat<f64>,
        shown: &Mat<f64>,
        positions: &Mat<f64>,
        velocities: &Mat<f64>,
    ) -> LinearForm {
        let basis = self.basis;
        let (n, u) = (basis.first_input(), basis.inputs);
        let mut a = Mat::zeros(n, n);
        let mut b = Mat::zeros(n, u);
        let take = |from: &Mat<f64>, first: usize, count: usize| {
            Mat::from_fn(from.nrows(), count, |r, c| from[(r, first + c)])
        };
        put(&mut a, (0, 0), &take(rates, 0, n));
        put(&mut b, (0, 0), &take(rates, n, u));
        let e = (basis.drives > 0).then(|| self.descriptor(&mut a, &mut b));
        let f = basis.free;
        let map = &self.condensation.map;
        let mass = map.transpose() * self.mass.times(map);
        let accelerations = |first: usize| {
            let own = Mat::from_fn(f, f, |r, c| -a[(f + r, first + c)]);
            &mass * own
        };
        let second_order = SecondOrder {
            damping: accelerations(f),
            stiffness: accelerations(0),
            mass,
        };
        LinearForm {
            states: self.states(),
            inputs: self.inputs(),
            outputs: self.outputs(),
            e,
            c: take(shown, 0, n),
            d: take(shown, n, u),
            a,
            b,
            positions: f,
            equations: basis.states + basis.rolled,
            second_order,
            shapes: Shapes {
                coordinates: self.kinds.moving.list().to_vec(),
                positions: take(positions, 0, n),
                velocities: take(velocities, 0, n),
            },
            notes: self.notes(),
        }
    }

    /// E, and the rows of driven displacements: the row of w, ẇ or ẅ that the inputs give is algebraic.
    fn descriptor(&self, a: &mut Mat<f64>, b: &mut Mat<f64>) -> Mat<f64> {
        let n = a.nrows();
        let mut e = Mat::identity(n, n);
        for (d, drive) in self.from.drives.iter().enumerate() {
            let first = self.basis.first_drive() + 3 * d;
            let given = match drive.level {
                MotionLevel::Displacement => 0,
                MotionLevel::Velocity => 1,
                MotionLevel::Acceleration => 2,
            };
            // Two rows say that each is the derivative of the one before; the last contains the input.
            for k in 0..2 {
                a[(first + k, first + k + 1)] = 1.0;
            }
            e[(first + 2, first + 2)] = 0.0;
            a[(first + 2, first + given)] = -1.0;
            for (input, slope) in drive.slopes.iter().enumerate() {
                b[(first + 2, input)] = *slope;
            }
        }
        e
    }
}

/// The solution of (LIN-2).
struct Instant {
    held: Index,
    solved: Mat<f64>,
    n: usize,
    m: usize,
}

impl Instant {
    fn part(&self, first: usize, count: usize) -> Mat<f64> {
        Mat::from_fn(count, self.solved.ncols(), |r, c| {
            self.solved[(first + r, c)]
        })
    }

    fn accelerations(&self) -> Mat<f64> {
        self.part(0, self.n)
    }

    fn multipliers(&self) -> Mat<f64> {
        self.part(self.n, self.m)
    }

    fn implicit(&self) -> Mat<f64> {
        let first = self.n + self.m;
        self.part(first, self.solved.nrows() - first)
    }
}

/// √(mass) of each coordinate; coordinates without mass get the smallest mass of the others.
fn inertia_scale(mass: &Sparse) -> Vec<f64> {
    let own: Vec<f64> = (0..mass.nrows()).map(|k| mass.diagonal(k)).collect();
    let some = own.iter().filter(|x| **x > 0.0 && x.is_finite());
    let lightest = some.fold(f64::INFINITY, |least, x| least.min(*x));
    let lightest = if lightest.is_finite() { lightest } else { 1.0 };
    let size = |x: &f64| {
        if *x > 0.0 && x.is_finite() {
            *x
        } else {
            lightest
        }
    };
    own.iter().map(|x| size(x).sqrt()).collect()
}

/// Adds a matrix to some columns of another.
fn add(to: &mut Mat<f64>, first: usize, from: &Sparse) {
    for r in 0..from.nrows() {
        for (c, value) in from.row(r) {
            to[(r, first + c)] += value;
        }
    }
}
