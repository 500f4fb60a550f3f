//! Control plane: finds steady motion: poses in which parts accelerate only because turning motions carry them along.
//!
//! ```text
//! u°(x), u̇°(x):  G u + Φ_t = 0,  Φ̈ = 0,  and no part moves relative to its neighbours but as these want     (EQU-5)
//! Zᵀ M (u̇(x, u°) − u̇°) = 0,   G Z = 0                                                                    (EQU-6)
//! ```
//! u̇(x, u°) solves (ACC-1). The unknowns are the degrees of freedom, modal coordinates, and states that come to
//! rest. As in static equilibrium, the steps are those of backward Euler from rest, and grow as the accelerations
//! fall. Their matrix comes from finite differences; the solution does not depend on these.

pub(in crate::analysis) mod null_space;
mod rates;
mod resists;

use self::null_space::NullSpace;
use crate::analysis::{accelerations, flexible};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::StartSettings;
use crate::state::State;
use crate::system::System;
use crate::system::residual::larger;
use crate::workspace::Workspace;
use alloc::vec::Vec;
use nalgebra::{DMatrix, DVector, Schur};

/// Above this number of unknowns the search is too expensive: of all, and of bodies.
pub const LARGEST: (usize, usize) = (400, 150);
/// Step limit of the search.
const STEPS: usize = 200;
/// Remaining accelerations below this fraction of the largest count as none.
const STEADY: f64 = 1e-7;
/// The same where no further step is worthwhile.
const ROUNDING: f64 = 1e-13;
/// Steps without gain that end the search.
const MOST_STALLED: usize = 4;
/// σ of the first step, relative to the largest acceleration over the characteristic length.
const FIRST: f64 = 10.0;
/// Smallest σ, likewise. A direction slower than that does not move.
const NEUTRAL: f64 = 1e-9;
/// Smallest factor by which one step may reduce σ.
const FALL: f64 = 0.1;
/// A stiffness below this fraction of the largest counts as zero.
const FALLING: f64 = 1e-6;
/// Iteration limit for each eigenvalue.
const SEARCHES: usize = 100;
/// Iteration limit for closing the constraints again.
const CLOSING: usize = 8;
/// Work limit of a search. The unit is the cube of the number of body coordinates: the work of one matrix
/// decomposition.
const WORK: u64 = 6_000_000_000;
/// Decompositions needed for velocities, and for a [`NullSpace`].
const DECOMPOSED: (u64, u64) = (4, 1);
/// Increment for a column of differences [characteristic lengths, rad, state or one].
const DIFFERENCE: f64 = 1e-6;

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing is driven, so there is no steady motion to find.
    Still,
    /// The state is now in steady motion.
    Steady,
    /// There is no steady motion near. The state is unchanged.
    Nothing,
    /// There are too many body coordinates, or too many with modes. The state is unchanged.
    Large,
    /// The search reached its work limit. The state is unchanged.
    Unfinished,
}

/// A search for steady motion.
pub struct Steady<'a> {
    system: &'a System,
    state: &'a mut State,
    ws: &'a mut Workspace,
    settings: StartSettings,
    length: f64,
    /// How velocities follow from the conditions at the last full evaluation; reused near by.
    correctors: Option<rates::Correctors>,
    /// Work that is left.
    left: u64,
}

/// Changes of the free coordinates, and of states.
type Step = (DVector<f64>, DVector<f64>);

/// The residual of (EQU-6) at a pose.
struct Residual {
    /// (EQU-6), then the rates of states.
    reduced: DVector<f64>,
    /// The largest acceleration, with angular ones times the characteristic length.
    largest: f64,
}

impl<'a> Steady<'a> {
    /// Begins at the state.
    pub fn new(
        (system, state, ws): (&'a System, &'a mut State, &'a mut Workspace),
        settings: StartSettings,
        length: f64,
    ) -> Self {
        Self {
            system,
            state,
            ws,
            settings,
            length,
            correctors: None,
            left: WORK,
        }
    }

    /// Does a motion or an input make anything move?
    pub fn is_driven(&mut self) -> bool {
        if self.system.motions.is_empty() && self.system.generals.is_empty() {
            return false;
        }
        let layout = &self.system.layout;
        self.state.span_mut(layout.velocity).fill(0.0);
        self.state.span_mut(layout.acceleration).fill(0.0);
        rates::given_rates(self.system, self.state, self.ws)
    }

    /// Distance of the state from steady motion: the largest remaining acceleration relative to the largest; `None`
    /// if it cannot be computed. Sets the velocities to those of the motion.
    pub fn distance(&mut self) -> Option<f64> {
        let null_space = self.null_space()?;
        let size = self.set_steady_rates()?;
        let residual = self.residual(&null_space)?;
        Some(residual.largest / larger(size, residual.largest).max(f64::MIN_POSITIVE))
    }

    /// Moves the state into steady motion, including velocities.
    pub fn solve(&mut self) -> Found {
        let begin = self.state.clone();
        if !self.is_driven() {
            self.state.copy_from(&begin);
            return Found::Still;
        }
        if self.search().is_some() {
            return Found::Steady;
        }
        self.state.copy_from(&begin);
        if self.is_large() {
            Found::Large
        } else if self.left == 0 {
            Found::Unfinished
        } else {
            Found::Nothing
        }
    }

    /// Are there too many unknowns?
    fn is_large(&self) -> bool {
        let bodies = null_space::body_columns(self.system).len();
        let all = bodies + flexible::rows(self.system).len();
        all > LARGEST.0 || bodies > LARGEST.1
    }

    /// Takes decompositions from the remaining work; `None` if too little is left.
    fn spend(&mut self, decompositions: u64) -> Option<()> {
        let size = null_space::body_columns(self.system).len() as u64;
        let work = decompositions * size * size * size;
        let left = self.left.checked_sub(work);
        self.left = left.unwrap_or(0);
        left.map(|_| ())
    }

    /// `None` if it does not converge.
    fn search(&mut self) -> Option<()> {
        let mut null_space = self.null_space()?;
        self.close(&mut null_space)?;
        let mut size = self.set_steady_rates()?;
        let mut residual = self.residual(&null_space)?;
        let mut sigma = FIRST * residual.largest / self.length;
        let mut best = (residual.largest, self.state.clone());
        let mut in_vain = 0;
        let steps = if residual.reduced.is_empty() {
            0
        } else {
            STEPS
        };
        for _ in 0..steps {
            if residual.largest <= ROUNDING * size
                || in_vain >= MOST_STALLED && best.0 <= STEADY * size
            {
                break;
            }
            let step = self.step(&null_space, &residual, sigma)?;
            self.displace(&null_space, &step);
            null_space = self.null_space()?;
            self.close(&mut null_space)?;
            size = self.set_steady_rates()?;
            let before = residual.largest;
            residual = self.residual(&null_space)?;
            let share = (residual.largest / before.max(f64::MIN_POSITIVE)).max(FALL);
            sigma = (sigma * share).max(NEUTRAL * size / self.length);
            in_vain = if residual.largest > 0.5 * best.0 {
                in_vain + 1
            } else {
                0
            };
            if residual.largest < best.0 {
                best = (residual.largest, self.state.clone());
            }
        }
        if residual.largest > best.0 {
            self.state.copy_from(&best.1);
            self.null_space()?;
            size = self.set_steady_rates()?;
        }
        (best.0 <= STEADY * size).then_some(())
    }

    /// Constraints and free coordinates at the state's poses; `None` if there are too many, or if a number is not
    /// finite.
    fn null_space(&mut self) -> Option<NullSpace> {
        if self.is_large() {
            return None;
        }
        self.spend(DECOMPOSED.1)?;
        NullSpace::new((self.system, self.state, self.ws), self.length)
    }

    /// The states that must come to rest.
    fn states(&self) -> Vec<usize> {
        let free = |k: &usize| {
            let entry = &self.system.equations[*k];
            let allowed = entry.start != crate::mechanism::StateStart::Held;
            !entry.is_algebraic() && allowed && !self.settings.hold_states
        };
        (0..self.system.equations.len()).filter(free).collect()
    }

    /// Gives the state the velocities and accelerations of (EQU-5); returns the largest acceleration of a body.
    fn set_steady_rates(&mut self) -> Option<f64> {
        self.correctors = None;
        self.set_steady_rates_near()
    }

    /// The same for poses one difference away: reuses the correctors found before if they hold.
    fn set_steady_rates_near(&mut self) -> Option<f64> {
        if !self
            .correctors
            .as_ref()
            .is_some_and(|correctors| correctors.hold)
        {
            self.spend(DECOMPOSED.0)?;
            self.correctors = None;
        }
        let at = (self.system, &mut *self.state, &mut *self.ws);
        rates::set_steady_rates(at, self.length, &mut self.correctors)
    }

    /// (EQU-6) at the state, whose velocities and accelerations are those of (EQU-5).
    fn residual(&mut self, null_space: &NullSpace) -> Option<Residual> {
        let mut moved = self.state.clone();
        accelerations::solve_moving(self.system, &mut moved, self.ws).ok()?;
        let left = null_space.accelerations(self.system, &moved)
            - null_space.accelerations(self.system, self.state);
        let own = null_space.reduced(&left);
        let largest = null_space.largest(&left);
        let states = self.states();
        let first = own.len();
        let mut reduced = own.resize_vertically(first + states.len(), 0.0);
        for (n, k) in states.iter().enumerate() {
            reduced[first + n] = crate::system::eval::equation(self.system, self.ws, *k);
        }
        let all_finite = reduced.iter().all(|x| x.is_finite());
        (all_finite && largest.is_finite()).then_some(Residual { reduced, largest })
    }

    /// −∂(EQU-6)/∂(unknowns), with the rates of states, by differences.
    fn matrix(&mut self, null_space: &NullSpace, residual: &Residual) -> Option<DMatrix<f64>> {
        let n = residual.reduced.len();
        let states = self.states();
        let free = n - states.len();
        let begin = self.state.clone();
        let mut matrix = DMatrix::zeros(n, n);
        for c in 0..n {
            let (mut motion, mut change) = (DVector::zeros(free), DVector::zeros(states.len()));
            let difference = if c < free {
                DIFFERENCE * self.length / null_space.reach(c).max(f64::MIN_POSITIVE)
            } else {
                let value = self.state.span(self.system.layout.states)[states[c - free]];
                DIFFERENCE * value.abs().max(1.0)
            };
            match c.checked_sub(free) {
                None => motion[c] = difference,
                Some(k) => change[k] = difference,
            }
            self.displace(null_space, &(motion, change));
            self.set_steady_rates_near()?;
            let there = self.residual(null_space)?;
            self.state.copy_from(&begin);
            for r in 0..n {
                matrix[(r, c)] = (residual.reduced[r] - there.reduced[r]) / difference;
            }
        }
        Some(matrix)
    }

    /// A step with the differenced matrix, cut to the limits: changes of coordinates and states.
    fn step(&mut self, null_space: &NullSpace, residual: &Residual, sigma: f64) -> Option<Step> {
        let mut matrix = self.matrix(null_space, residual)?;
        let (n, states) = (matrix.nrows(), self.states().len());
        let free = n - states;
        for k in 0..n {
            matrix[(k, k)] += if k < free { sigma } else { sigma.sqrt() };
        }
        let mut found = matrix.lu().solve(&residual.reduced)?;
        let all = found.rows(0, free).into_owned();
        found *= null_space.share(&all, &self.settings, self.length);
        let (motion, change) = (found.rows(0, free), found.rows(free, states));
        let is_finite = found.iter().all(|x| x.is_finite());
        is_finite.then(|| (motion.into_owned(), change.into_owned()))
    }

    /// Would the steady motion be unstable without gyroscopic forces?
    pub fn falls(&mut self) -> Option<bool> {
        let null_space = self.null_space()?;
        self.set_steady_rates()?;
        let residual = self.residual(&null_space)?;
        let free = residual.reduced.len() - self.states().len();
        if free == 0 {
            return None;
        }
        let matrix = self.matrix(&null_space, &residual)?;
        let own = matrix.view((0, 0), (free, free)).into_owned();
        let most = own.amax();
        // The eigenvalue iteration would not end on numbers that are not finite.
        if !own.iter().all(|x| x.is_finite()) {
            return None;
        }
        // The shift makes the search accept small roots at rounding of the largest entry; it ends there.
        let shifted = own + DMatrix::identity(free, free) * most;
        let roots = Schur::try_new(shifted, f64::EPSILON, free * SEARCHES)?.complex_eigenvalues();
        Some(roots.iter().any(|root| root.re < (1.0 - FALLING) * most))
    }

    /// Moves the state by a step.
    fn displace(&mut self, null_space: &NullSpace, (motion, states): &Step) {
        null_space.displace(self.system, self.state, &null_space.spread(motion));
        let first = self.system.layout.states.first;
        for (k, change) in self.states().iter().zip(states.iter()) {
            self.state.reals[first + k] += change;
        }
    }

    /// Closes the constraints again.
    fn close(&mut self, null_space: &mut NullSpace) -> Option<()> {
        for _ in 0..CLOSING {
            let Some(step) = null_space.closing() else {
                return Some(());
            };
            null_space.displace(self.system, self.state, &step);
            *null_space = self.null_space()?;
        }
        null_space.closing().is_none().then_some(())
    }
}
