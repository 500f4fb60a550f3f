//! Control plane: shapes of flexible bodies during assembly. At first they stay as the model gives them. If rigid
//! motion alone cannot satisfy the constraints, the bodies deform with the least energy:
//!
//! ```text
//! min ½ (q − q₀)ᵀ K (q − q₀)   subject to   Φ = 0                          (ASM-3)
//! min ½ (q̇ − q̇₀)ᵀ M (q̇ − q̇₀)   subject to   G u + Φ_t = 0,  u_given       (VEL-2)
//! ```
//! q₀ and q̇₀ are the model's, K and M the modal stiffness and mass. Poses and velocities of bodies cost nothing:
//! each step penalises only its own length, not a distance from any pose (a proximal point iteration, Rockafellar
//! 1976). So it converges to the least energy itself.

use crate::analysis::descent::{GAINED, Goal};
use crate::analysis::flexible::rows;
use crate::analysis::no_start::NoStart;
use crate::analysis::velocities::Given;
use crate::analysis::{Kept, Start};
use crate::elements::flexible::Flexible;
use crate::linalg::{TILE, entry};
use crate::state::State;
use crate::system::flexible::{FlexibleEntry, modal_part};
use crate::system::residual::larger;
use alloc::vec;
use alloc::vec::Vec;

/// A violation above this means that rigid motion does not close the constraints, in characteristic lengths, radians
/// and their rates.
const CLOSED: f64 = 1e-10;
/// Regularisation of the constraint rows, relative to their own diagonal of G W⁻¹ Gᵀ: redundant rows do no harm,
/// independent ones converge by ten digits an iteration.
const REGULARISATION: f64 = 1e-10;
/// The same while shapes deform: a constraint that only a stiff mode can close has a small diagonal.
const BENDING_REGULARISATION: f64 = 1e-12;
/// Cost of moving a node by the softest mode, relative to moving its body.
const DEFORMATION_COST: f64 = 1e3;
/// Least stiffness of a coordinate in directions without strain energy, as a fraction of its own.
const LEAST: f64 = 1e-9;
/// Iterations without progress that end the closing by rigid motion.
const MOST_STALLED: usize = 15;
/// A violation reduced below this factor counts as progress.
const PROGRESS: f64 = 0.99;
/// Pass limit of the search for the least kinetic energy.
const PASSES: usize = 300;
/// Relative change of velocities that ends these passes.
const STILL: f64 = 1e-14;

/// Whether a solution changes modal coordinates and their rates.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shapes {
    /// Shapes stay as they are.
    #[default]
    Held,
    /// Shapes deform, with this metric: per flexible body a symmetric matrix, row by row.
    Deforming(Vec<Vec<f64>>),
}

impl Shapes {
    /// ε, the regularisation of the constraint rows.
    pub(super) fn regularisation(&self) -> f64 {
        match self {
            Self::Held => REGULARISATION,
            Self::Deforming(_) => BENDING_REGULARISATION,
        }
    }

    /// Metric times a difference of modal coordinates or rates of all bodies; zero if shapes are held.
    fn times(&self, difference: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; difference.len()];
        let Self::Deforming(metric) = self else {
            return product;
        };
        let mut first = 0;
        for matrix in metric {
            let m = matrix.len().isqrt();
            let own = &difference[first..first + m];
            for (j, row) in matrix.chunks_exact(m.max(1)).enumerate() {
                product[first + j] = row.iter().zip(own).map(|(a, x)| a * x).sum();
            }
            first += m;
        }
        product
    }
}

/// The goal of a descent: the strain energy of deforming shapes. It keeps the reactions of earlier steps, so that ε
/// acts only on their change.
struct Strain<'a> {
    begin: &'a State,
    reactions: Vec<f64>,
}

impl Goal for Strain<'_> {
    const MOST_STALLED: usize = 4;

    fn value(&self, start: &Start<'_>) -> f64 {
        start.bending_energy(self.begin)
    }

    fn write_direction(&self, start: &mut Start<'_>, violations: &[(usize, f64)]) {
        start.ask(violations);
        let force = start.shapes.times(&start.bent(self.begin));
        for (row, force) in rows(start.system).into_iter().zip(force) {
            start.ws.rhs[row] = -force;
        }
        start.subtract_reactions(&self.reactions);
    }

    /// At its minimum the energy is constant up to rounding.
    fn most(before: f64) -> f64 {
        (1.0 + 10.0 * GAINED) * before
    }

    fn taken(&mut self, step: &[f64]) {
        for (sum, change) in self.reactions.iter_mut().zip(step) {
            *sum += change;
        }
    }
}

/// Detects when rigid motion makes no more progress in closing the constraints.
#[derive(Default)]
pub(super) struct Progress {
    best: Option<f64>,
    in_vain: usize,
}

impl Progress {
    /// Has the violation stopped falling?
    pub(super) fn has_ended(&mut self, worst: f64) -> bool {
        match self.best {
            Some(best) if worst >= PROGRESS * best => self.in_vain += 1,
            _ => {
                self.best = Some(worst);
                self.in_vain = 0;
            }
        }
        self.in_vain >= MOST_STALLED
    }
}

impl Start<'_> {
    /// Are there flexible bodies whose shapes are held?
    pub(super) fn holds_shapes(&self) -> bool {
        self.shapes == Shapes::Held && !self.system.flexibles.is_empty()
    }

    /// The metric of strain energy.
    pub(super) fn strained(&self) -> Shapes {
        self.metric(&|element, j, k| {
            let floor = if j == k { 1.0 + LEAST } else { 1.0 };
            element.stiffness(j, k) * floor
        })
    }

    /// The metric of kinetic energy.
    fn moving(&self) -> Shapes {
        self.metric(&|element, j, k| element.modal_mass(j, k))
    }

    /// A metric, scaled so that the coordinate that moves a node most easily costs [`DEFORMATION_COST`]. Without
    /// flexible bodies it is empty.
    fn metric(&self, of: &dyn Fn(&Flexible, usize, usize) -> f64) -> Shapes {
        if self.system.flexibles.is_empty() {
            return Shapes::Held;
        }
        let mut softest = f64::INFINITY;
        for entry in &self.system.flexibles {
            for j in 0..entry.modal.len {
                let moved = self.moved_by(entry, j);
                if moved > 0.0 {
                    softest = softest.min(of(&entry.element, j, j) / moved);
                }
            }
        }
        let scale = if softest.is_finite() {
            DEFORMATION_COST / softest
        } else {
            1.0
        };
        let body = |entry: &FlexibleEntry| {
            let m = entry.modal.len;
            let at = |n: usize| scale * of(&entry.element, n / m, n % m);
            (0..m * m).map(at).collect()
        };
        Shapes::Deforming(self.system.flexibles.iter().map(body).collect())
    }

    /// The largest squared displacement and rotation of a node per unit of a modal coordinate; rotations times the
    /// characteristic length \[m²\].
    fn moved_by(&self, entry: &FlexibleEntry, j: usize) -> f64 {
        let mut most = 0.0;
        for frame in &self.system.frames[entry.frames.range()] {
            let (reach, turn) = (frame.element.reach(j), frame.element.turn(j).norm());
            most = larger(
                most,
                reach * reach + (turn * self.length) * (turn * self.length),
            );
        }
        most
    }

    /// Adds the metric of shapes to the diagonal.
    pub(super) fn add_shape_metric(&mut self) {
        let Shapes::Deforming(metric) = &self.shapes else {
            return;
        };
        for (flexible, matrix) in self.system.flexibles.iter().zip(metric) {
            let (m, across) = (flexible.modal.len, flexible.blocks.len());
            for (n, x) in matrix.iter().enumerate() {
                let (j, k) = (n / m, n % m);
                let slot = flexible.slots[(1 + j / TILE) * across + 1 + k / TILE];
                self.ws.matrix.add(slot, j % TILE, k % TILE, *x);
            }
        }
    }

    /// Condenses the tiles and rows of node frames onto flexible bodies, in the coordinates that are kept of
    /// these, and adds their weights and prescribed values.
    pub(super) fn condense_shapes(&mut self, weights: &[(f64, f64)]) {
        let system = self.system;
        if system.flexibles.is_empty() {
            return;
        }
        let before = self.ws.rhs.clone();
        for entry in &system.flexibles {
            let at = entry.blocks[0].offset();
            self.ws.rhs[at..at + TILE].fill(0.0);
        }
        self.condense();
        for entry in &system.flexibles {
            self.change_coordinates(entry);
            let at = entry.blocks[0].offset();
            let (linear, angular) = weights[entry.body];
            for k in 0..TILE {
                let weight = if k < 3 { linear } else { angular };
                self.ws.matrix.add(entry.slots[0], k, k, weight);
                self.ws.rhs[at + k] += before[at + k];
            }
        }
        self.prescribe_columns();
    }

    /// Transforms rows and columns of a flexible body to the coordinates that are kept of it, see [`Kept::load`].
    fn change_coordinates(&mut self, flexible: &FlexibleEntry) {
        let kept = &self.kept[flexible.body];
        if kept.origin.is_none() && kept.turned_from.is_none() {
            return;
        }
        let (pattern, ws) = (&self.system.pattern, &mut *self.ws);
        let (block, body) = (flexible.blocks[0], &ws.values.bodies[flexible.body]);
        for (other, slot) in pattern.row(block) {
            let tile = ws.matrix.tile_mut(slot);
            for c in 0..TILE {
                let load = kept.load(&core::array::from_fn(|r| tile[entry(r, c)]), body);
                (0..TILE).for_each(|r| tile[entry(r, c)] = load[r]);
            }
            let Some(mirrored) = pattern.slot(other, block) else {
                continue;
            };
            let tile = ws.matrix.tile_mut(mirrored);
            for r in 0..TILE {
                let load = kept.load(&core::array::from_fn(|c| tile[entry(r, c)]), body);
                (0..TILE).for_each(|c| tile[entry(r, c)] = load[c]);
            }
        }
        let at = block.offset();
        let load = kept.load(&core::array::from_fn(|k| ws.rhs[at + k]), body);
        ws.rhs[at..at + TILE].copy_from_slice(&load);
    }

    /// Replaces equations by prescribed values for flexible bodies, whose columns come from their frames: exact
    /// coordinates, and held shapes.
    fn prescribe_columns(&mut self) {
        let mut prescribed = vec![None; self.ws.rhs.len()];
        for (body, entry) in self.system.bodies.iter().enumerate() {
            let (Some(block), Some(_)) = (entry.block, entry.flexible) else {
                continue;
            };
            prescribed[block.offset()..block.offset() + TILE]
                .copy_from_slice(&self.kept[body].change);
        }
        if self.shapes == Shapes::Held {
            for row in rows(self.system) {
                prescribed[row] = Some(0.0);
            }
        }
        let (pattern, ws) = (&self.system.pattern, &mut *self.ws);
        for block in pattern.block_ids() {
            for (other, slot) in pattern.row(block) {
                let tile = ws.matrix.tile_mut(slot);
                for n in 0..TILE * TILE {
                    let (r, c) = (n % TILE, n / TILE);
                    let (row, column) = (block.offset() + r, other.offset() + c);
                    let x = &mut tile[entry(r, c)];
                    match (prescribed[row], prescribed[column]) {
                        (Some(_), _) => *x = if row == column { 1.0 } else { 0.0 },
                        (None, Some(change)) => {
                            ws.rhs[row] -= *x * change;
                            *x = 0.0;
                        }
                        (None, None) => {}
                    }
                }
            }
        }
        for (x, prescribed) in ws.rhs.iter_mut().zip(&prescribed) {
            *x = prescribed.unwrap_or(*x);
        }
    }

    /// Modal coordinates less their start values.
    fn bent(&self, begin: &State) -> Vec<f64> {
        let span = self.system.layout.modal;
        let pairs = self.state.span(span).iter().zip(begin.span(span));
        pairs.map(|(q, q0)| q - q0).collect()
    }

    /// Strain energy relative to the start, in the metric.
    fn bending_energy(&self, begin: &State) -> f64 {
        let bent = self.bent(begin);
        let force = self.shapes.times(&bent);
        bent.iter().zip(&force).map(|(q, f)| 0.5 * q * f).sum()
    }

    /// Deforms shapes from the poses at which rigid motion came nearest to closing, then reduces the deformation,
    /// (ASM-3). Returns the remaining violation, at most `worst`.
    pub(super) fn bend(
        &mut self,
        begin: &State,
        active: &dyn Fn(usize) -> bool,
        worst: f64,
    ) -> Result<f64, NoStart> {
        if !self.holds_shapes() || worst <= CLOSED {
            return Ok(worst);
        }
        let rigid = self.state.clone();
        self.shapes = self.strained();
        let left = self.close_keeping(begin, active)?;
        if left > worst {
            self.state.copy_from(&rigid);
            self.shapes = Shapes::Held;
            return Ok(worst);
        }
        Ok(left)
    }

    /// Moves the closed bodies to the least strain energy, (ASM-3).
    pub(super) fn minimize_strain_energy(
        &mut self,
        begin: &State,
        active: &dyn Fn(usize) -> bool,
    ) -> Result<(), NoStart> {
        let reactions = vec![0.0; self.ws.rhs.len()];
        self.descend(&mut Strain { begin, reactions }, begin, active)
    }

    /// Sets velocities with the model's modal rates. Modal rates change only for what rigid motion cannot give.
    pub(super) fn project_with_shapes(&mut self, given: &[Given]) -> Result<(), NoStart> {
        let rates = self.wanted_modal_rates();
        let span = modal_part(self.system, self.system.layout.velocity);
        self.state.span_mut(span).copy_from_slice(&rates);
        self.shapes = Shapes::Held;
        self.approach_given(given)?;
        let (closed, met) = self.rates_fit(given);
        if closed && met {
            return Ok(());
        }
        let rigid = self.state.clone();
        self.shapes = self.moving();
        self.factors.forget();
        let found = self.least_rates(given);
        self.kept.fill(Kept::default());
        found?;
        let fits = self.rates_fit(given) == (true, true);
        if closed && !fits {
            // Shapes cannot help against velocities that contradict one another.
            self.state.copy_from(&rigid);
            self.shapes = Shapes::Held;
            self.revisit();
        } else if !fits {
            self.approach_given(given)?;
        }
        self.shapes = Shapes::Held;
        Ok(())
    }

    /// (VEL-2) from rest, with given components prescribed.
    fn least_rates(&mut self, given: &[Given]) -> Result<(), NoStart> {
        let layout = &self.system.layout;
        let rates = self.wanted_modal_rates();
        self.state.span_mut(layout.velocity).fill(0.0);
        let modal = modal_part(self.system, layout.velocity);
        self.state.span_mut(modal).copy_from_slice(&rates);
        let inertia = self.length * self.length;
        let weights = vec![(1.0, inertia); self.system.bodies.len()];
        let mut reactions = vec![0.0; self.ws.rhs.len()];
        for _ in 0..PASSES {
            let before: Vec<_> = self.ws.bodies.iter().map(|b| (b.v, b.omega)).collect();
            let rates = self.velocity_violations();
            self.prescribe_given(given);
            self.ask(&rates);
            self.want_modal_rates();
            self.subtract_reactions(&reactions);
            self.take_rates(&weights, &mut reactions)?;
            let (change, size) = self.changed(&before);
            if change <= STILL * size {
                break;
            }
        }
        Ok(())
    }

    /// Prescribes the remaining error of given components.
    fn prescribe_given(&mut self, given: &[Given]) {
        for (body, (v, w)) in given.iter().enumerate() {
            let found = &self.ws.bodies[body];
            let linear = v.map(|v| v - found.v);
            let angular = w.map(|w| w - found.omega);
            self.kept[body].change = core::array::from_fn(|k| match k {
                0..3 => linear.map(|x| x[k]),
                _ => angular.map(|x| x[k - 3]),
            });
        }
    }

    /// Sets the violations as the changes that rows must make, and no other changes.
    pub(super) fn ask(&mut self, violations: &[(usize, f64)]) {
        self.ws.rhs.fill(0.0);
        for group in &self.system.groups {
            for (k, r) in group.rows.range().enumerate() {
                self.ws.rhs[group.block.offset() + k] -= violations[r].1;
            }
        }
    }

    /// Modal rates of the model.
    fn wanted_modal_rates(&self) -> Vec<f64> {
        let of = |entry: &FlexibleEntry| entry.initial[1].clone();
        self.system.flexibles.iter().flat_map(of).collect()
    }

    /// Writes the error of modal rates, in the metric, into the right-hand side.
    pub(super) fn want_modal_rates(&mut self) {
        let span = modal_part(self.system, self.system.layout.velocity);
        let wanted = self.wanted_modal_rates();
        let pairs = wanted.iter().zip(self.state.span(span));
        let off: Vec<f64> = pairs.map(|(wanted, rate)| wanted - rate).collect();
        let loads = self.shapes.times(&off);
        for (row, load) in rows(self.system).into_iter().zip(loads) {
            self.ws.rhs[row] = load;
        }
    }

    /// Do the velocities satisfy the constraints, and do they meet the given values?
    fn rates_fit(&mut self, given: &[Given]) -> (bool, bool) {
        let violations = self.velocity_violations();
        let scaled = |(r, rate): &(usize, f64)| rate.abs() / self.row_size(*r);
        let worst = violations.iter().map(scaled).fold(0.0, larger);
        let (mut speed, mut missed) = (0.0, 0.0);
        for (body, entry) in self.system.bodies.iter().enumerate() {
            let (v, w) = (self.ws.bodies[body].v, self.ws.bodies[body].omega);
            speed = larger(larger(speed, v.norm() / self.length), w.norm());
            if let Some(wanted) = given[body].0.filter(|_| entry.dof > 0) {
                speed = larger(speed, wanted.norm() / self.length);
                missed = larger(missed, (wanted - v).norm() / self.length);
            }
            if let Some(wanted) = given[body].1.filter(|_| entry.dof == 6) {
                speed = larger(speed, wanted.norm());
                missed = larger(missed, (wanted - w).norm());
            }
        }
        (worst <= CLOSED * speed, missed <= CLOSED * speed)
    }
}
