//! Data plane: the part of joints, couplers, motions and general constraints in the Newton matrix.

use super::{Ends, Scaling, add_arms};
use crate::elements::kinematics::{MarkerKinematics, MarkerSlopes, Weights};
use crate::elements::wrench::{ZERO_BLOCK, add_columns, six, transported};
use crate::linalg::{TILE, TileMatrix};
use crate::math::rotation::{skew, skew_skew};
use crate::math::{Mat3, Vec3};
use crate::state::State;
use crate::system::layout::BLOCK;
use crate::system::residual::inertia;
use crate::system::{Row, RowLaw, System, gradients};
use crate::workspace::Values;

/// ε of (JAC-2).
const SOFTNESS: f64 = 1e-10;

/// Adds all tiles of a group.
pub(super) fn group(
    system: &System,
    ws: &mut Values,
    matrix: &mut TileMatrix,
    (weights, scaling): (&Weights, &Scaling),
    g: usize,
) {
    let group = &system.groups[g];
    let ends = Ends::new(system, ws, (group.i, group.j), weights);
    if group.rotates_with_j {
        rotating_load_tangent(system, ws, matrix, (&ends, scaling.motion), g);
    } else {
        general_load_tangent(system, ws, matrix, (&ends, weights, scaling.motion), g);
    }
    let factors = (scaling.motion * weights.l, scaling.constraints);
    gradient_tiles(system, ws, matrix, &ends, factors, g);
}

/// Derivative of Gᵀλ for a group whose forces F rotate with J only, with torques T:
///
/// ```text
/// δF = −F~ wⱼ δψ_J     δT = T_I wᵢ δψ_I + T_J wⱼ δψ_J
/// δQ_I =  (δF, ρ×δF + δT + F~ρ~ wᵢ δψ_I)
/// δQ_J = −(δF, η×δF + δT − F~ (wᵢ δx_I − ρ~ wᵢ δψ_I − wⱼ δx_J))               (JAC-3)
/// ```
fn rotating_load_tangent(
    system: &System,
    ws: &Values,
    matrix: &mut TileMatrix,
    (ends, scale): (&Ends, f64),
    g: usize,
) {
    let group = &system.groups[g];
    let (i, j) = (&ws.markers[group.i.index()], &ws.markers[group.j.index()]);
    let multipliers = &ws.multipliers[BLOCK * g..][..group.rows.len];
    let (by_i, by_j) = match &group.products {
        Some(products) => products.turning((i, j), multipliers),
        None => turning(&system.rows[group.rows.range()], (i, j), multipliers),
    };
    let force = ws.group_wrenches[g].force;
    let turned = skew(&force);
    let [rho, eta] = &ends.arms;
    let on_i = by_i + skew_skew(&force, rho);
    let [wi, wj] = ends.weights.map(|weight| weight * scale);
    let tiles = &group.slots.bodies;
    if let Some(tile) = tiles[0][0] {
        matrix.add_quarter(tile, (3, 3), &on_i, -wi);
    }
    if let Some(tile) = tiles[0][1] {
        matrix.add_quarter(tile, (0, 3), &turned, wj);
        matrix.add_quarter(tile, (3, 3), &(by_j - skew_skew(rho, &force)), -wj);
    }
    if let Some(tile) = tiles[1][0] {
        matrix.add_quarter(tile, (3, 0), &turned, -wi);
        matrix.add_quarter(tile, (3, 3), &on_i, wi);
    }
    if let Some(tile) = tiles[1][1] {
        matrix.add_quarter(tile, (0, 3), &turned, -wj);
        matrix.add_quarter(tile, (3, 0), &turned, wj);
        matrix.add_quarter(tile, (3, 3), &(by_j - skew_skew(eta, &force)), wj);
    }
}

/// Derivatives of −Σ λ t̂ in δψ_I and δψ_J.
fn turning(
    rows: &[Row],
    ends: (&MarkerKinematics, &MarkerKinematics),
    multipliers: &[f64],
) -> (Mat3, Mat3) {
    let (mut by_i, mut by_j) = (Mat3::zeros(), Mat3::zeros());
    for (row, multiplier) in rows.iter().zip(multipliers) {
        if let RowLaw::Markers(kind) = &row.law {
            kind.add_turning(ends, -multiplier, (&mut by_i, &mut by_j));
        }
    }
    (by_i, by_j)
}

/// Derivative of Gᵀλ for any group.
fn general_load_tangent(
    system: &System,
    ws: &Values,
    matrix: &mut TileMatrix,
    (ends, weights, scale): (&Ends, &Weights, f64),
    g: usize,
) {
    let group = &system.groups[g];
    let slopes = gradients::group_slopes(system, ws, g);
    let columns = gradients::pose_columns(system, ws, (group.i, group.j), &slopes, weights);
    for (column, maps) in columns.iter().enumerate() {
        let mut block = ZERO_BLOCK;
        add_columns(&mut block, maps);
        for (row, sign) in [(0, -scale), (1, scale)] {
            if let Some(slot) = group.slots.bodies[row][column] {
                matrix.add_block(slot, &transported(&block, &ends.arms[row]), sign);
            }
        }
    }
    let load = ws.group_wrenches[g].force;
    add_arms(matrix, &load, &group.slots.bodies, ends, -scale);
}

/// Gᵀ and G of a group, times a factor each.
pub(super) fn gradient_tiles(
    system: &System,
    ws: &mut Values,
    matrix: &mut TileMatrix,
    ends: &Ends,
    (columns, rows): (f64, f64),
    g: usize,
) {
    let group = &system.groups[g];
    let marker = &ws.markers[group.i.index()];
    let span = group.rows.range();
    let loads = &mut ws.row_loads[span.clone()];
    let first = group.pushes();
    let (pushes, turns) = ws.units[span].split_at(first);
    let (on_push, on_turn) = loads.split_at_mut(first);
    for (unit, loads) in pushes.iter().zip(&mut *on_push) {
        *loads = [unit.on_i(marker), unit.on_j(&ends.arms[1])];
    }
    // A torque has no lever arm.
    let none = Vec3::zeros();
    for (unit, loads) in turns.iter().zip(&mut *on_turn) {
        *loads = [six(&none, &unit.torque), six(&none, &-unit.torque)];
    }
    for side in 0..2 {
        let (Some(column), Some(row)) = (group.slots.columns[side], group.slots.rows[side]) else {
            continue;
        };
        let tile = matrix.tile_mut(column).as_chunks_mut::<TILE>().0;
        let (by_push, by_turn) = tile.split_at_mut(first);
        for (column, loads) in by_push.iter_mut().zip(&*on_push) {
            for (x, load) in column.iter_mut().zip(&loads[side]) {
                *x += load * columns;
            }
        }
        for (column, loads) in by_turn.iter_mut().zip(&*on_turn) {
            for (x, load) in column[3..].iter_mut().zip(&loads[side][3..]) {
                *x += load * columns;
            }
        }
        let tile = matrix.tile_mut(row).as_chunks_mut::<TILE>().0;
        for (k, loads) in on_push.iter().enumerate().take(TILE) {
            for (column, load) in tile.iter_mut().zip(&loads[side]) {
                column[k] += load * rows;
            }
        }
        for (k, loads) in (first..TILE).zip(&*on_turn) {
            for (column, load) in tile[3..].iter_mut().zip(&loads[side][3..]) {
                column[k] += load * rows;
            }
        }
    }
}

/// Turns the rows of G that [`gradient_tiles`] wrote for rows of velocities only into derivatives of (ROL-9):
///
/// ```text
/// τ (∂Φ̇/∂(p, ψ) w_x + ∂Φ̇/∂(v, Ω) ∂(v, Ω)/∂(unknowns))                        (JAC-4)
/// ```
/// Both are equal but for the dependence on poses, which is h times smaller.
pub(super) fn rate_rows(
    system: &System,
    ws: &Values,
    matrix: &mut TileMatrix,
    (weights, scaling): (&Weights, &Scaling),
) {
    for own in &system.rate_rows {
        let group = &system.groups[own.group];
        let RowLaw::Markers(kind) = &system.rows[own.row].law else {
            continue;
        };
        let ends = [group.i, group.j];
        let [i, j] = ends.map(|m| &ws.markers[m.index()]);
        let cotangents = kind.rate_cotangents(i, j, (scaling.rates, 0.0));
        for (side, marker) in [i, j].into_iter().enumerate() {
            let Some(slot) = group.slots.rows[side] else {
                continue;
            };
            let mut slopes = MarkerSlopes::zero();
            let body = &ws.bodies[system.body_of(ends[side])];
            slopes.place(marker, body, weights);
            let row = cotangents[side].row(&slopes, weights);
            let written = &ws.row_loads[own.row][side];
            for (c, (x, load)) in row.iter().zip(written).enumerate() {
                let change = x - load * scaling.constraints;
                matrix.add(slot, own.place, c, change);
            }
        }
    }
}

/// Removes what [`gradient_tiles`] wrote with factors of one for rows of velocities only; their multipliers get ones on
/// the diagonal.
pub(super) fn release_rates(system: &System, ws: &Values, matrix: &mut TileMatrix) {
    for own in &system.rate_rows {
        let group = &system.groups[own.group];
        for (side, loads) in ws.row_loads[own.row].iter().enumerate() {
            let slots = (group.slots.columns[side], group.slots.rows[side]);
            let (Some(column), Some(row)) = slots else {
                continue;
            };
            for (c, load) in loads.iter().enumerate() {
                matrix.add(column, c, own.place, -load);
                matrix.add(row, own.place, c, -load);
            }
        }
        matrix.add(group.diagonal, own.place, own.place, -1.0);
    }
}

/// Adds (JAC-2) to a matrix whose body part tends to M with h and whose constraint part is G, and which [`group`] or
/// [`gradient_tiles`] have filled.
pub(super) fn soften(system: &System, state: &State, ws: &mut Values, matrix: &mut TileMatrix) {
    for body in 0..ws.mobilities.len() {
        ws.mobilities[body] = mobility(system, state, body);
    }
    let square = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>();
    for group in &system.groups {
        let [i, j] = [group.i, group.j].map(|m| ws.mobilities[system.body_of(m)]);
        let (pushes, turns) = ws.row_loads[group.rows.range()].split_at(group.pushes());
        let mut soften = |k: usize, sum: f64| {
            matrix.add(group.diagonal, k, k, -SOFTNESS * sum);
        };
        for (k, [on_i, on_j]) in pushes.iter().enumerate() {
            let linear = square(&on_i[..3]) * i.0 + square(&on_j[..3]) * j.0;
            let angular = square(&on_i[3..]) * i.1 + square(&on_j[3..]) * j.1;
            soften(k, linear + angular);
        }
        for (k, [on_i, _]) in turns.iter().enumerate() {
            soften(pushes.len() + k, square(&on_i[3..]) * (i.1 + j.1));
        }
    }
}

/// Mobility of a body or frame for loads, 1/m and 1/J; zero for ground.
fn mobility(system: &System, state: &State, body: usize) -> (f64, f64) {
    match system.bodies.get(body) {
        Some(entry) if entry.block.is_some() => inertia(system, state, body).mobility(),
        Some(_) => (0.0, 0.0),
        None => system.frames[body - system.bodies.len()].mobility,
    }
}
