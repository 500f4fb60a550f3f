//! Control plane: steady motion — poses in which nothing accelerates but as motions that turn carry it along.
//!
//! ```text
//! u°(x), u̇°(x):  G u + Φ_t = 0,  Φ̈ = 0,  and no part moves relative to its neighbours but as these want     (EQU-5)
//! Zᵀ M (u̇(x, u°) − u̇°) = 0,   G Z = 0                                                                    (EQU-6)
//! ```
//! u̇(x, u°) solves (ACC-1). The unknowns are what constraints leave free, modal coordinates, and states that come to rest.
//! Steps are those of backward Euler from rest, from the poses on, whose length grows as the accelerations fall, as in
//! static equilibrium; their matrix is differenced, where they lead is not.

mod carried;
mod place;
mod resists;

use self::place::Place;
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

/// Unknowns beyond which the search is too dear: of all, and of bodies.
pub const LARGEST: (usize, usize) = (400, 150);
/// Steps of the search.
const STEPS: usize = 200;
/// Part of the largest acceleration below which what is left counts as none.
const STEADY: f64 = 1e-7;
/// The same where no further step is worth it.
const ROUNDING: f64 = 1e-13;
/// Steps without gain that end the search.
const IN_VAIN: usize = 4;
/// The first step of the search, against what accelerations do over the characteristic length.
const FIRST: f64 = 10.0;
/// Least σ, likewise: what is slower than that stays where it is.
const NEUTRAL: f64 = 1e-9;
/// By how much σ falls at most in one step.
const FALL: f64 = 0.1;
/// Part of the largest stiffness that counts as none.
const FALLING: f64 = 1e-6;
/// Iterations for each eigenvalue, at most.
const SEARCHES: usize = 100;
/// Iterations of the way back to the constraints.
const CLOSING: usize = 8;
/// Work that a search may take, in cubes of the number of coordinates of bodies: what the decomposition of one matrix takes.
const WORK: u64 = 6_000_000_000;
/// Decompositions for velocities, and for a place.
const DECOMPOSED: (u64, u64) = (4, 1);
/// The difference of a column [characteristic lengths, rad, of a state or one].
const DIFFERENCE: f64 = 1e-6;

/// What a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing is made to move: there is nothing to find.
    Still,
    /// The state moves steadily now.
    Steady,
    /// There is no such state near. The state is what it was.
    Nothing,
    /// There are too many coordinates of bodies, of them and modes in all, to look for one. The state is what it was.
    Large,
    /// It ended at the limit of its work. The state is what it was.
    Unfinished,
}

/// A search for steady motion.
pub struct Steady<'a> {
    system: &'a System,
    state: &'a mut State,
    ws: &'a mut Workspace,
    settings: StartSettings,
    length: f64,
    /// How velocities were met at the poses at which they were found last.
    ways: Option<carried::Ways>,
    /// Work that is left.
    left: u64,
}

/// What is free of coordinates, and states.
type Step = (DVector<f64>, DVector<f64>);

/// What is left at a place.
struct Rest {
    /// (EQU-6), then the rates of states.
    reduced: DVector<f64>,
    /// The largest acceleration, that of turning told in characteristic lengths.
    most: f64,
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
            ways: None,
            left: WORK,
        }
    }

    /// Does anything move because it is made to?
    pub fn is_driven(&mut self) -> bool {
        if self.system.motions.is_empty() && self.system.generals.is_empty() {
            return false;
        }
        let layout = &self.system.layout;
        self.state.span_mut(layout.velocity).fill(0.0);
        self.state.span_mut(layout.acceleration).fill(0.0);
        carried::given_rates(self.system, self.state, self.ws)
    }

    /// How far the state is from steady motion: the largest acceleration that is left, against the largest; `None` where that
    /// cannot be told. Velocities become those of the motion.
    pub fn distance(&mut self) -> Option<f64> {
        let place = self.place()?;
        let size = self.carry()?;
        let rest = self.rest(&place)?;
        Some(rest.most / larger(size, rest.most).max(f64::MIN_POSITIVE))
    }

    /// Moves the state into steady motion, velocities included.
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
        let bodies = place::body_columns(self.system).len();
        let all = bodies + flexible::rows(self.system).len();
        all > LARGEST.0 || bodies > LARGEST.1
    }

    /// Takes so many decompositions of the work that is left; `None`: there is not as much.
    fn spend(&mut self, decompositions: u64) -> Option<()> {
        let size = place::body_columns(self.system).len() as u64;
        let work = decompositions * size * size * size;
        let left = self.left.checked_sub(work);
        self.left = left.unwrap_or(0);
        left.map(|_| ())
    }

    /// `None`: it does not end.
    fn search(&mut self) -> Option<()> {
        let mut place = self.place()?;
        self.close(&mut place)?;
        let mut size = self.carry()?;
        let mut rest = self.rest(&place)?;
        let mut sigma = FIRST * rest.most / self.length;
        let mut best = (rest.most, self.state.clone());
        let mut in_vain = 0;
        let steps = if rest.reduced.is_empty() { 0 } else { STEPS };
        for _ in 0..steps {
            if rest.most <= ROUNDING * size || in_vain >= IN_VAIN && best.0 <= STEADY * size {
                break;
            }
            let step = self.step(&place, &rest, sigma)?;
            self.displace(&place, &step);
            place = self.place()?;
            self.close(&mut place)?;
            size = self.carry()?;
            let before = rest.most;
            rest = self.rest(&place)?;
            let share = (rest.most / before.max(f64::MIN_POSITIVE)).max(FALL);
            sigma = (sigma * share).max(NEUTRAL * size / self.length);
            in_vain = if rest.most > 0.5 * best.0 {
                in_vain + 1
            } else {
                0
            };
            if rest.most < best.0 {
                best = (rest.most, self.state.clone());
            }
        }
        if rest.most > best.0 {
            self.state.copy_from(&best.1);
            self.place()?;
            size = self.carry()?;
        }
        (best.0 <= STEADY * size).then_some(())
    }

    /// Rows and columns at the state's poses; `None`: there are too many, or a number is not finite.
    fn place(&mut self) -> Option<Place> {
        if self.is_large() {
            return None;
        }
        self.spend(DECOMPOSED.1)?;
        Place::new((self.system, self.state, self.ws), self.length)
    }

    /// Which states are to come to rest.
    fn states(&self) -> Vec<usize> {
        let free = |k: &usize| {
            let entry = &self.system.equations[*k];
            let allowed = entry.start != crate::mechanism::StateStart::Held;
            !entry.is_algebraic() && allowed && !self.settings.hold_states
        };
        (0..self.system.equations.len()).filter(free).collect()
    }

    /// Gives the state velocities and accelerations of (EQU-5); the largest acceleration of a body.
    fn carry(&mut self) -> Option<f64> {
        self.ways = None;
        self.carry_near()
    }

    /// The same; at poses that are a difference away from those where ways were found that hold, by these.
    fn carry_near(&mut self) -> Option<f64> {
        if !self.ways.as_ref().is_some_and(|ways| ways.hold) {
            self.spend(DECOMPOSED.0)?;
            self.ways = None;
        }
        let at = (self.system, &mut *self.state, &mut *self.ws);
        carried::carry(at, self.length, &mut self.ways)
    }

    /// (EQU-6) at the state, whose velocities and accelerations are those of (EQU-5).
    fn rest(&mut self, place: &Place) -> Option<Rest> {
        let mut moved = self.state.clone();
        accelerations::solve_moving(self.system, &mut moved, self.ws).ok()?;
        let left =
            place.accelerations(self.system, &moved) - place.accelerations(self.system, self.state);
        let own = place.reduced(&left);
        let most = place.largest(&left);
        let states = self.states();
        let first = own.len();
        let mut reduced = own.resize_vertically(first + states.len(), 0.0);
        for (n, k) in states.iter().enumerate() {
            reduced[first + n] = crate::system::eval::equation(self.system, self.ws, *k);
        }
        let all_finite = reduced.iter().all(|x| x.is_finite());
        (all_finite && most.is_finite()).then_some(Rest { reduced, most })
    }

    /// −∂(EQU-6)/∂(unknowns), and of the rates of states, by differences.
    fn matrix(&mut self, place: &Place, rest: &Rest) -> Option<DMatrix<f64>> {
        let n = rest.reduced.len();
        let states = self.states();
        let free = n - states.len();
        let begin = self.state.clone();
        let mut matrix = DMatrix::zeros(n, n);
        for c in 0..n {
            let (mut motion, mut change) = (DVector::zeros(free), DVector::zeros(states.len()));
            let difference = if c < free {
                DIFFERENCE * self.length / place.reach(c).max(f64::MIN_POSITIVE)
            } else {
                let value = self.state.span(self.system.layout.states)[states[c - free]];
                DIFFERENCE * value.abs().max(1.0)
            };
            match c.checked_sub(free) {
                None => motion[c] = difference,
                Some(k) => change[k] = difference,
            }
            self.displace(place, &(motion, change));
            self.carry_near()?;
            let there = self.rest(place)?;
            self.state.copy_from(&begin);
            for r in 0..n {
                matrix[(r, c)] = (rest.reduced[r] - there.reduced[r]) / difference;
            }
        }
        Some(matrix)
    }

    /// A step by the differenced matrix, cut to the limits: what coordinates and states do.
    fn step(&mut self, place: &Place, rest: &Rest, sigma: f64) -> Option<Step> {
        let mut matrix = self.matrix(place, rest)?;
        let (n, states) = (matrix.nrows(), self.states().len());
        let free = n - states;
        for k in 0..n {
            matrix[(k, k)] += if k < free { sigma } else { sigma.sqrt() };
        }
        let mut found = matrix.lu().solve(&rest.reduced)?;
        let all = found.rows(0, free).into_owned();
        found *= place.share(&all, &self.settings, self.length);
        let (motion, change) = (found.rows(0, free), found.rows(free, states));
        let is_finite = found.iter().all(|x| x.is_finite());
        is_finite.then(|| (motion.into_owned(), change.into_owned()))
    }

    /// Would the state, in steady motion, fall away from it, were it not for gyroscopic forces?
    pub fn falls(&mut self) -> Option<bool> {
        let place = self.place()?;
        self.carry()?;
        let rest = self.rest(&place)?;
        let free = rest.reduced.len() - self.states().len();
        if free == 0 {
            return None;
        }
        let matrix = self.matrix(&place, &rest)?;
        let own = matrix.view((0, 0), (free, free)).into_owned();
        let most = own.amax();
        // The search for eigenvalues of what is no number would not end.
        if !own.iter().all(|x| x.is_finite()) {
            return None;
        }
        // Small roots are sought beside the largest entry: to the digits that they have, their search ends.
        let shifted = own + DMatrix::identity(free, free) * most;
        let roots = Schur::try_new(shifted, f64::EPSILON, free * SEARCHES)?.complex_eigenvalues();
        Some(roots.iter().any(|root| root.re < (1.0 - FALLING) * most))
    }

    /// Moves the state by a step.
    fn displace(&mut self, place: &Place, (motion, states): &Step) {
        place.displace(self.system, self.state, &place.spread(motion));
        let first = self.system.layout.states.first;
        for (k, change) in self.states().iter().zip(states.iter()) {
            self.state.reals[first + k] += change;
        }
    }

    /// Brings the bodies back to the constraints.
    fn close(&mut self, place: &mut Place) -> Option<()> {
        for _ in 0..CLOSING {
            let Some(step) = place.closing() else {
                return Some(());
            };
            place.displace(self.system, self.state, &step);
            *place = self.place()?;
        }
        place.closing().is_none().then_some(())
    }
}
