//! Control plane: the tangents of Φ̇ and Φ̈, the rates of constraints.

use super::RateTangents;
use crate::analysis::linearization::NoLinearization;
use crate::analysis::owner_name;
use crate::analysis::tangents::{Entry, OperatingPoint, SparseMatrix};
use crate::elements::flexible::frame::FIRST_MODE;
use crate::elements::kinematics::{Cotangent, MarkerSlopes, Weights};
use crate::ids::MarkerId;
use crate::mechanism::Mechanism;
use crate::system::{Group, KIND_WEIGHTS, RowLaw, flexible};
use alloc::vec::Vec;

/// Rates and accelerations of a constrained coordinate below this count as zero [SI].
const AT_REST: f64 = 1e-9;

/// Tangents in the rows of multipliers; the legs of one coupler add up.
pub(super) fn of_constraints(
    mechanism: &Mechanism,
    point: &mut OperatingPoint,
) -> Result<RateTangents, NoLinearization> {
    let n = point.places.list.len();
    let [by_q, by_v, _] = KIND_WEIGHTS;
    let taken = [(by_q, (1.0, 0.0)), (by_q, (0.0, 1.0)), (by_v, (0.0, 1.0))];
    let mut matrices = Vec::new();
    for (weights, factors) in taken {
        if !point.system.frames.is_empty() {
            flexible::maps(&point.system, &mut point.ws, &weights);
        }
        let mut entries = Vec::new();
        for group in &point.system.groups {
            add_group(mechanism, point, (group, &weights, factors), &mut entries)?;
        }
        matrices.push(SparseMatrix::new(n, n, entries));
    }
    let [
        first_by_positions,
        second_by_positions,
        second_by_velocities,
    ] = <[SparseMatrix; 3]>::try_from(matrices).unwrap_or_default();
    let only = point.system.rate_rows.iter().filter_map(|own| {
        let block = point.system.groups[own.group].block;
        point.places.at(block, own.place)
    });
    Ok(RateTangents {
        only: only.collect(),
        first_by_positions,
        second_by_positions,
        second_by_velocities,
    })
}

fn add_group(
    mechanism: &Mechanism,
    point: &OperatingPoint,
    (group, weights, factors): (&Group, &Weights, (f64, f64)),
    entries: &mut Vec<Entry>,
) -> Result<(), NoLinearization> {
    let (system, ws) = (&point.system, &point.ws);
    let (i, j) = (&ws.markers[group.i.index()], &ws.markers[group.j.index()]);
    for (k, r) in group.rows.range().enumerate() {
        let RowLaw::Markers(kind) = &system.rows[r].law else {
            if moves(point, group) {
                return Err(NoLinearization::Moves {
                    constraint: owner_name(mechanism, group.owner),
                });
            }
            continue;
        };
        let Some(row) = point.places.at(group.block, k) else {
            continue;
        };
        let cotangents = kind.rate_cotangents(i, j, factors);
        for (marker, cotangent) in [group.i, group.j].into_iter().zip(&cotangents) {
            add_marker(point, (marker, cotangent, weights), row, entries);
        }
    }
    Ok(())
}

/// Does the coordinate that a group constrains move or accelerate?
fn moves(point: &OperatingPoint, group: &Group) -> bool {
    let moves = |marker: MarkerId| {
        let marker = &point.ws.markers[marker.index()];
        let quantities = [marker.v, marker.omega, marker.a, marker.alpha];
        quantities.iter().any(|x| x.norm() > AT_REST)
    };
    moves(group.i) || moves(group.j)
}

/// Adds the derivatives of a scalar in a marker's quantities, by the unknowns that move the marker. The maps of node
/// frames must belong to the same weights.
fn add_marker(
    point: &OperatingPoint,
    (marker, cotangent, weights): (MarkerId, &Cotangent, &Weights),
    row: usize,
    entries: &mut Vec<Entry>,
) {
    let (system, ws) = (&point.system, &point.ws);
    let body = system.body_of(marker);
    let by_six = |weights: &Weights| {
        let mut slopes = MarkerSlopes::zero();
        let (marker, body) = (&ws.markers[marker.index()], &ws.bodies[body]);
        slopes.place(marker, body, weights);
        slopes.accelerate(marker, body, weights);
        cotangent.row(&slopes, weights)
    };
    let mut add = |at: usize, value: f64| {
        if let Some(column) = point.places.unknown(at).filter(|_| value != 0.0) {
            entries.push(Entry { row, column, value });
        }
    };
    let Some(frame) = body.checked_sub(system.bodies.len()) else {
        let carrier = system.carrier(body);
        let Some(block) = carrier.block else { return };
        for (k, value) in by_six(weights).iter().take(carrier.dof).enumerate() {
            add(block.offset() + k, *value);
        }
        return;
    };
    // A node frame's own unknowns, (FLX-6): pose, velocity, acceleration; X has weight one
    // there.
    let rows = KIND_WEIGHTS.map(|weights| by_six(&weights));
    let shares = [weights.x, 1.0, 1.0];
    let entry = &system.flexibles[system.frames[frame].flexible];
    let maps = &ws.flexible.maps[frame];
    let total = |column: usize| {
        let kinds = rows.iter().zip(&maps.columns).zip(shares);
        kinds
            .map(|((row, columns), share)| {
                let products = row.iter().zip(&columns[column]).map(|(a, b)| a * b);
                share * products.sum::<f64>()
            })
            .sum::<f64>()
    };
    let base = entry.blocks[0].offset();
    for k in 0..FIRST_MODE {
        add(base + k, total(k));
    }
    for mode in 0..entry.modal.len {
        add(entry.row(mode), total(FIRST_MODE + mode));
    }
}
