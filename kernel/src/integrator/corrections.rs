//! Data plane: Newton's corrections in a step — how large they are, and how much of each counts.
//!
//! ```text
//! n = max(|δx|/L, |δψ|)  over all bodies, and |δq| r/L over all modes                     (COR-1)
//! ```
//! L is a length of the mechanism, r how far a mode moves a node. A correction is the error of the iterate that it is added
//! to, as the matrix in use sees it (Deuflhard, *Newton Methods for Nonlinear Problems*, 2004, section 2.1): it has the units of the
//! motion, and does not depend on how the equations are scaled.
//!
//! Where a force bends within a step — a limit, a contact, friction — Newton's iteration can go to and fro between two
//! iterates, one on each side of the bend, for ever. There a correction does not shrink and points back, and only the share ω of
//! it counts at which the line through the last two residuals has its zero, as these corrections see them (the secant on vectors
//! of Irons and Tuck 1969):
//!
//! ```text
//! ω_k = −ω_{k−1} δ_{k−1}·(δ_k − δ_{k−1}) / |δ_k − δ_{k−1}|²   if n_k > n_{k−1}/2 and δ_{k−1}·(δ_k − δ_{k−1}) < 0, else 1     (COR-2)
//! ```
//! with the squares of (COR-1) added up in the products, and ω_k between 0.1 and 1.

use crate::elements::bodies::Inertia;
use crate::integrator::StepFailure;
use crate::state::State;
use crate::system::System;
use crate::system::layout::BLOCK;
use crate::system::residual::inertia;
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// Newton iterations of a step at most.
const MOST: usize = 10;
/// Where corrections shrink less than this, they are looked at.
const SHRINKS: f64 = 0.5;
/// Corrections below are rounding.
const ROUNDING: f64 = 1e-9;
/// The least share of a correction that counts.
const LEAST: f64 = 0.1;

/// The size of something that parts have, and the part that has most of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Such as (COR-1).
    pub size: f64,
    /// The body.
    pub worst: u32,
}

impl Size {
    /// Takes over what is larger.
    #[inline]
    pub fn raise(&mut self, size: f64, body: usize) {
        if size > self.size {
            *self = Self {
                size,
                worst: body as u32,
            };
        }
    }
}

/// Corrections of a step.
#[derive(Clone, Debug)]
pub struct Corrections {
    sizes: [Size; MOST],
    count: usize,
    /// The last one, padded by block.
    last: Vec<f64>,
    /// ω of the last one.
    share: f64,
}

impl Corrections {
    /// Room for corrections of so many numbers.
    pub fn new(padded: usize) -> Self {
        Self {
            sizes: [Size::default(); MOST],
            count: 0,
            last: vec![0.0; padded],
            share: 1.0,
        }
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.count = 0;
        self.share = 1.0;
        self.last.fill(0.0);
    }

    /// The sizes of the corrections in the last step.
    pub fn sizes(&self) -> &[Size] {
        &self.sizes[..self.count]
    }

    /// Takes the correction in `ws.rhs`, and leaves there the share of it that counts (COR-2), all of it where the iteration
    /// `crosses` limits; `length` is L \[m\].
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
            return Err(StepFailure::NotFinite {
                worst: not_finite(system, ws),
            });
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
        let now = sums.largest.size;
        let back = -sums.last_by_change;
        if now > SHRINKS * before.size && now > ROUNDING && back > 0.0 {
            let share = self.share * back / sums.change_square;
            if share > LEAST { share.min(1.0) } else { LEAST }
        } else {
            1.0
        }
    }
}

/// Sums over all unknowns of the motion, weighed as in (COR-1).
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    largest: Size,
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
        self.largest.raise(now.abs(), body);
    }
}

/// The first block with a correction that is not finite; of a body, if there is one.
#[cold]
fn not_finite(system: &System, ws: &Workspace) -> u32 {
    let bad = |block: &crate::linalg::BlockId| {
        let own = &ws.rhs[block.offset()..][..BLOCK];
        !own.iter().all(|x| x.is_finite())
    };
    let block = system.pattern.block_ids().find(bad);
    block.map_or(0, |block| block.0)
}

/// How far the residual of the motion in `ws.rhs` would move its part within a step, were it free \[m, rad\].
pub fn unbalanced(system: &System, state: &State, ws: &Workspace) -> [Size; 2] {
    let mut largest = [Size::default(); 2];
    let h = state.step(&system.layout);
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        let Inertia { mass, tensor } = inertia(system, state, body);
        // A point mass does not turn, and has no inertia to divide by.
        let inertia = if entry.dof == 6 { tensor.trace() } else { 1.0 };
        let by = [h * h / mass, 3.0 * h * h / inertia];
        for (k, load) in ws.rhs[block.offset()..][..entry.dof].iter().enumerate() {
            largest[k / 3].raise((load * by[k / 3]).abs(), body);
        }
    }
    largest
}
