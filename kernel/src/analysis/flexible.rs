//! Control plane: modal coordinates in the analyses of the start: their weights, rows, updates and imbalance.

use crate::analysis::Start;
use crate::analysis::shapes::Shapes;
use crate::elements::flexible::frame::FIRST_MODE;
use crate::ids::MarkerId;
use crate::linalg::TILE;
use crate::state::State;
use crate::system::flexible::modal_part;
use crate::system::jacobian;
use crate::system::residual::larger;
use crate::system::{KIND_WEIGHTS, System, flexible};
use crate::workspace::Workspace;
use alloc::vec::Vec;

/// The largest squared displacement of a node per unit of each modal coordinate \[m²\].
pub(super) fn mobilities(system: &System) -> Vec<f64> {
    let of = |entry: &flexible::FlexibleEntry| {
        let reach = entry.reach.iter().map(|r| r * r).collect::<Vec<_>>();
        let most = reach.iter().fold(0.0, |a: f64, b| a.max(*b));
        let most = if most > 0.0 { most } else { 1.0 };
        // A mode that moves no node cannot close a joint.
        reach
            .into_iter()
            .map(move |r| r.max(1e-6 * most))
            .collect::<Vec<_>>()
    };
    system.flexibles.iter().flat_map(of).collect()
}

/// Indices of the modal coordinates in a padded vector, in order.
pub(super) fn rows(system: &System) -> Vec<usize> {
    let of = |entry: &flexible::FlexibleEntry| {
        (0..entry.modal.len)
            .map(|j| entry.row(j))
            .collect::<Vec<_>>()
    };
    system.flexibles.iter().flat_map(of).collect()
}

/// A load on a marker's body as loads on the unknowns that it moves: six per body, then modal coordinates.
pub(super) fn spread(
    system: &System,
    ws: &Workspace,
    marker: MarkerId,
    load: &[f64; TILE],
) -> Vec<(usize, f64)> {
    let body = system.body_of(marker);
    let mut row = Vec::new();
    let Some(frame) = body.checked_sub(system.bodies.len()) else {
        let dof = system.bodies[body].dof;
        row.extend((0..dof).map(|c| (TILE * body + c, load[c])));
        return row;
    };
    let owner = &system.flexibles[system.frames[frame].flexible];
    let maps = &ws.flexible.maps[frame];
    let onto = |column: &dyn Fn(usize) -> f64| (0..TILE).map(|r| load[r] * column(r)).sum::<f64>();
    let (rigid, modal) = maps.columns[0].split_at(FIRST_MODE);
    let rigid = rigid.iter().enumerate();
    row.extend(rigid.map(|(c, column)| (TILE * owner.body + c, onto(&|r| column[r]))));
    let first = system.modal_first() + owner.modal.first;
    let modal = modal[..owner.modal.len].iter().enumerate();
    row.extend(modal.map(|(j, column)| (first + j, onto(&|r| column[r]))));
    row
}

impl Start<'_> {
    /// Condenses the tiles and rows of node frames onto their bodies.
    pub(super) fn condense(&mut self) {
        if self.system.frames.is_empty() {
            return;
        }
        let ws = &mut *self.ws;
        let own = (&KIND_WEIGHTS[0], false);
        jacobian::condensed(self.system, &mut ws.values, &mut ws.matrix, own);
        self.gather();
    }

    /// Condenses the rows of node frames onto their bodies.
    pub(super) fn gather(&mut self) {
        flexible::gather(self.system, &self.ws.values, &mut self.ws.rhs);
    }

    /// Adds `factor` times the solution to the modal coordinates.
    pub(super) fn displace_modes(&mut self, factor: f64) {
        if self.shapes == Shapes::Held {
            return;
        }
        let places = rows(self.system);
        let modal = self.state.span_mut(self.system.layout.modal);
        for (q, row) in modal.iter_mut().zip(places) {
            *q += factor * self.ws.rhs[row];
        }
    }

    /// Adds the solution to the modal velocities.
    pub(super) fn change_modal_rates(&mut self) {
        if self.shapes == Shapes::Held {
            return;
        }
        let places = rows(self.system);
        let span = modal_part(self.system, self.system.layout.velocity);
        for (v, row) in self.state.span_mut(span).iter_mut().zip(places) {
            *v += self.ws.rhs[row];
        }
    }
}

/// Subtracts a fraction of a step from the modal accelerations. Returns the largest change and the largest
/// acceleration, both as accelerations of nodes.
pub(super) fn apply(system: &System, state: &mut State, step: &[f64], share: f64) -> (f64, f64) {
    let span = modal_part(system, system.layout.acceleration);
    let (mut change, mut size) = (0.0, 0.0);
    for entry in &system.flexibles {
        for j in 0..entry.modal.len {
            let a = &mut state.span_mut(span)[entry.modal.first + j];
            let correction = step[entry.row(j)] * share;
            *a -= correction;
            change = larger(change, correction.abs() * entry.reach[j]);
            size = larger(size, a.abs() * entry.reach[j]);
        }
    }
    (change, size)
}

/// Zeroes the accelerations of quasi-static modes.
pub(super) fn rest(system: &System, state: &mut State) {
    let span = modal_part(system, system.layout.acceleration);
    for entry in &system.flexibles {
        for j in (0..entry.modal.len).filter(|j| entry.element.is_quasi_static(*j)) {
            state.span_mut(span)[entry.modal.first + j] = 0.0;
        }
    }
}

/// The largest unbalanced modal force of a body, as a force at a node.
pub(super) fn unbalanced(system: &System, residual: &[f64], k: usize) -> f64 {
    let entry = &system.flexibles[k];
    at_a_node(entry, &|j| residual[entry.row(j)])
}

/// The size of loads that balance within a body, as a force at a node: the largest elastic force once the body has
/// deformed, the largest unbalanced force before.
pub(super) fn within(system: &System, ws: &Workspace, residual: &[f64], k: usize) -> f64 {
    let (entry, motion) = (&system.flexibles[k], &ws.flexible.motions[k]);
    let elastic = at_a_node(entry, &|j| entry.element.elastic_force(motion, j));
    larger(elastic, unbalanced(system, residual, k))
}

/// The largest nodal acceleration that the elastic force of one mode alone would give.
pub(super) fn elastic_acceleration(system: &System, ws: &Workspace) -> f64 {
    let mut largest = 0.0;
    for (entry, motion) in system.flexibles.iter().zip(&ws.flexible.motions) {
        for (j, reach) in entry.reach.iter().enumerate() {
            let acceleration = entry.element.elastic_acceleration(motion, j);
            largest = larger(largest, acceleration.abs() * reach);
        }
    }
    largest
}

/// The largest modal force, as a force at a node.
fn at_a_node(entry: &flexible::FlexibleEntry, modal: &dyn Fn(usize) -> f64) -> f64 {
    let most = entry.reach.iter().fold(0.0, |a: f64, b| a.max(*b));
    let least = if most > 0.0 { 1e-3 * most } else { 1.0 };
    let force = |j: usize| modal(j).abs() / entry.reach[j].max(least);
    (0..entry.modal.len).map(force).fold(0.0, larger)
}
