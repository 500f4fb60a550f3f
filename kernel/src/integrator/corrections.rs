//! Data plane: measures Newton's corrections in a step, and damps them where the iteration would oscillate.
//!
//! ```text
//! n = max(|δx|/L, |δψ|)  over all bodies, and |δq| r/L over all modes                     (COR-1)
//! ```
//! L is the characteristic length, r the displacement of a node per unit of a mode. A correction estimates the error
//! of the iterate to which it is added, by the matrix in use (Deuflhard, *Newton Methods for Nonlinear Problems*,
//! 2004, section 2.1). It has the units of the motion, and does not depend on the scaling of the equations.
//!
//! If a force has a kink within a step (a limit, a contact, friction), Newton's iteration can oscillate for ever
//! between two iterates, one on each side of the kink. Then a correction does not shrink and points back, and only a
//! fraction ω of it is applied: the one at which the line through the last two residuals, as these corrections
//! measure them, is zero (the vector secant method of Irons and Tuck 1969):
//!
//! ```text
//! ω_k = −ω_{k−1} δ_{k−1}·(δ_k − δ_{k−1}) / |δ_k − δ_{k−1}|²   if n_k > n_{k−1}/2 and δ_{k−1}·(δ_k − δ_{k−1}) < 0, else 1     (COR-2)
//! ```
//! The products sum the squares of (COR-1), and ω_k is limited to 0.1 … 1.

use crate::elements::bodies::Inertia;
use crate::ids::BodyId;
use crate::integrator::StepFailure;
use crate::linalg::BlockId;
use crate::math::largest::Largest;
use crate::state::State;
use crate::system::System;
use crate::system::entity::Entity;
use crate::system::layout::BLOCK;
use crate::system::residual::inertia;
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// Largest number of Newton iterations of a step.
const MOST: usize = 10;
/// Corrections that shrink less than this are tested for oscillation.
const SHRINKS: f64 = 0.5;
/// Corrections below this are rounding.
const ROUNDING: f64 = 1e-9;
/// The smallest ω.
const LEAST: f64 = 0.1;

/// Corrections of a step.
#[derive(Clone, Debug)]
pub struct Corrections {
    sizes: [Largest<BodyId>; MOST],
    count: usize,
    /// The last correction, padded by block.
    last: Vec<f64>,
    /// ω of the last correction.
    share: f64,
}

impl Corrections {
    /// Allocates for corrections of this many numbers.
    pub fn new(padded: usize) -> Self {
        Self {
            sizes: [Largest::default(); MOST],
            count: 0,
            last: vec![0.0; padded],
            share: 1.0,
        }
    }

    /// Begins a step.
    pub fn begin(&mut self) {
        self.count = 0;
        self.share = 1.0;
        self.last.fill(0.0);
    }

    /// The sizes (COR-1) of the corrections in the last step, each with the part that has it.
    pub fn sizes(&self) -> &[Largest<BodyId>] {
        &self.sizes[..self.count]
    }

    /// Takes the correction in `ws.rhs`, and leaves there the fraction ω of it, (COR-2); all of it if the iteration
    /// `crosses` limits. `length` is L \[m\].
    pub fn take(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        (length, crosses): (f64, bool),
    ) -> Result<(), StepFailure> {
        let mut sums = Sums::default();
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let range = block.offset()..block.offset() + entry.dof;
            for (k, at) in range.enumerate() {
                let weight = if k < 3 { 1.0 / length } else { 1.0 };
                sums.add(ws.rhs[at] * weight, self.last[at] * weight, body);
            }
        }
        for entry in &system.flexibles {
            for (j, reach) in entry.reach.iter().enumerate() {
                let (at, weight) = (entry.row(j), reach / length);
                sums.add(ws.rhs[at] * weight, self.last[at] * weight, entry.body);
            }
        }
        if !(sums.change_square * 0.0 == 0.0) {
            return Err(StepFailure::NotFinite(not_finite(system, ws)));
        }
        self.share = if crosses { 1.0 } else { self.share_of(&sums) };
        if let Some(place) = self.sizes.get_mut(self.count) {
            *place = sums.largest;
            self.count += 1;
        }
        self.last.copy_from_slice(&ws.rhs);
        for x in &mut ws.rhs {
            *x *= self.share;
        }
        Ok(())
    }

    /// (COR-2).
    fn share_of(&self, sums: &Sums) -> f64 {
        let Some(before) = self.sizes().last() else {
            return 1.0;
        };
        let now = sums.largest.value;
        let back = -sums.last_by_change;
        if now > SHRINKS * before.value && now > ROUNDING && back > 0.0 {
            let share = self.share * back / sums.change_square;
            if share > LEAST { share.min(1.0) } else { LEAST }
        } else {
            1.0
        }
    }
}

/// Sums over all unknowns of the motion, weighted as in (COR-1).
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    largest: Largest<BodyId>,
    /// |δ_k − δ_{k−1}|².
    change_square: f64,
    /// δ_{k−1}·(δ_k − δ_{k−1}).
    last_by_change: f64,
}

impl Sums {
    fn add(&mut self, now: f64, last: f64, body: usize) {
        let change = now - last;
        self.change_square += change * change;
        self.last_by_change += last * change;
        self.largest.raise(now.abs(), BodyId::from(body));
    }
}

/// The first block with a correction that is not finite; a body's block if there is one.
#[cold]
fn not_finite(system: &System, ws: &Workspace) -> Entity {
    let bad = |block: &BlockId| {
        let own = &ws.rhs[block.offset()..][..BLOCK];
        !own.iter().all(|x| x.is_finite())
    };
    let block = system.pattern.block_ids().find(bad);
    Entity::Block(block.unwrap_or(BlockId(0)))
}

/// How far the residual of the motion in `ws.rhs` would move a part within a step if it were free \[m, rad\].
pub fn unbalanced(system: &System, state: &State, ws: &Workspace) -> [Largest<BodyId>; 2] {
    let mut largest = [Largest::default(); 2];
    let h = state.step(&system.layout);
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        let Inertia { mass, tensor } = inertia(system, state, body);
        // A point mass does not rotate, and has no inertia to divide by.
        let inertia = if entry.dof == 6 { tensor.trace() } else { 1.0 };
        let by = [h * h / mass, 3.0 * h * h / inertia];
        for (k, load) in ws.rhs[block.offset()..][..entry.dof].iter().enumerate() {
            largest[k / 3].raise((load * by[k / 3]).abs(), BodyId::from(body));
        }
    }
    largest
}
