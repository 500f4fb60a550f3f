//! Control plane: the constraints at the poses of a state, and a basis of the motion that they leave free. The search
//! for steady motion uses this basis.

use crate::analysis::accelerations::ROWS;
use crate::analysis::flexible;
use crate::elements::kinematics::Weights;
use crate::linalg::entry;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::Vec3;
use crate::math::rotation::{exp_quaternion, multiply, normalized};
use crate::mechanism::StartSettings;
use crate::state::{State, vec3};
use crate::system::flexible::modal_part;
use crate::system::jacobian::{self, Free, Scaling, StateRows};
use crate::system::residual::{self, Level, larger};
use crate::system::stage::Balanced;
use crate::system::{System, eval};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;
use nalgebra::{DMatrix, DVector};

/// A row counts as dependent below this fraction of the largest singular value.
const DEPENDENT: f64 = 1e-9;
/// Violations below this count as none [characteristic lengths, rad].
const CLOSED: f64 = 1e-12;

/// Weights of positions.
const POSITIONS: Weights = Weights {
    x: 1.0,
    u: 0.0,
    a: 0.0,
    l: 1.0,
    z: 1.0,
};

/// Constraint rows and coordinate columns at the poses of a state.
pub(in crate::analysis) struct NullSpace {
    /// Indices of coordinates in padded vectors: those of bodies, then modal ones.
    columns: Vec<usize>,
    /// √(mass) of each coordinate.
    scale: DVector<f64>,
    /// How far a unit of each coordinate moves a point \[m\], [characteristic lengths of a radian].
    reach: DVector<f64>,
    /// (GD⁻¹)⁺.
    inverse: DMatrix<f64>,
    /// Z: an orthonormal basis of the null space of GD⁻¹.
    free: DMatrix<f64>,
    /// Φ, scaled by the violation that counts as one.
    violations: DVector<f64>,
}

/// Evaluates the constraints at a state, or their rates, (RES-2) at a level, in padded vectors.
pub(super) fn evaluate(system: &System, state: &State, ws: &mut Workspace, level: Level) {
    let time = state.time(&system.layout);
    let mut placed = eval::kinematics_at_state(system, state, ws);
    let present = state.span(system.layout.motions);
    placed.targets(system, state, time, |m| {
        (present[2 * m], present[2 * m + 1])
    });
    let evaluated = residual::evaluate(system, state, placed, time);
    residual::assemble(system, state, evaluated, 1.0, level);
}

/// Indices of the constraint rows in padded vectors.
pub(in crate::analysis) fn rows(system: &System) -> Vec<usize> {
    let own = system.groups.iter().filter(|group| !group.adds());
    own.flat_map(|group| (0..group.rows.len).map(|k| group.block.offset() + k))
        .collect()
}

/// Indices of the body coordinates in padded vectors.
pub(in crate::analysis) fn body_columns(system: &System) -> Vec<usize> {
    let own = system
        .bodies
        .iter()
        .filter_map(|body| Some((body.block?, body.dof)));
    own.flat_map(|(block, dof)| (0..dof).map(move |k| block.offset() + k))
        .collect()
}

/// G, rows by columns, at evaluated poses.
pub(in crate::analysis) fn gradient(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    (rows, columns): (&[usize], &[usize]),
) -> DMatrix<f64> {
    let scaling = Scaling {
        motion: 1.0,
        constraints: 1.0,
        rates: 0.0,
        states: StateRows {
            free: Free::None,
            ..ROWS
        },
    };
    jacobian::assemble(system, state, &mut Balanced::kept(ws), &POSITIONS, &scaling);
    let places = |list: &[usize]| {
        let mut at = vec![None; ws.rhs.len()];
        for (n, k) in list.iter().enumerate() {
            at[*k] = Some(n);
        }
        at
    };
    let (row_at, column_at) = (places(rows), places(columns));
    let mut all = DMatrix::zeros(rows.len(), columns.len());
    for row in system.pattern.block_ids() {
        for (column, slot) in system.pattern.row(row) {
            let tile = ws.matrix.tile(slot);
            for r in 0..system.pattern.size(row) {
                let Some(to) = row_at[row.offset() + r] else {
                    continue;
                };
                for c in 0..system.pattern.size(column) {
                    if let Some(from) = column_at[column.offset() + c] {
                        all[(to, from)] += tile[entry(r, c)];
                    }
                }
            }
        }
    }
    all
}

/// The pseudo-inverse of a matrix, and an orthonormal basis of its null space. `size` is the size of the numbers that
/// its entries were computed from; rounding of these counts as zero. `None` if a number is not finite.
///
/// ```text
/// AᵀP = QR        Q = [Q₁ Z]        L = P R₁ᵀ        A⁺ = Q₁ L⁺
/// ```
///
/// R₁ has the rows of R above rounding. (The singular values of `nalgebra` would call `hypot` of the system's
/// library, whose last bits differ between systems.)
pub(in crate::analysis) fn split(
    of: &DMatrix<f64>,
    size: f64,
) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
    if !of.iter().all(|x| x.is_finite()) {
        return None;
    }
    let (m, n) = of.shape();
    if n == 0 || m == 0 {
        return Some((DMatrix::zeros(n, m), DMatrix::identity(n, n)));
    }
    // At least as many columns as rows, so that Q is square.
    let wide = of.transpose().resize_horizontally(m.max(n), 0.0);
    let (q, mut r, order) = wide.col_piv_qr().unpack();
    let stretches = r.columns(0, n).diagonal();
    let most = larger(size, stretches[0]);
    let counts = |stretch: &&f64| **stretch > DEPENDENT * most;
    let rank = stretches.iter().take_while(counts).count();
    let basis = q.columns(rank, n - rank).into_owned();
    order.inv_permute_columns(&mut r);
    let (q2, r2) = r.view((0, 0), (rank, m)).transpose().qr().unpack();
    let inverse = q.columns(0, rank) * r2.solve_upper_triangular(&q2.transpose())?;
    Some((inverse, basis))
}

impl NullSpace {
    /// Evaluates at the poses of a state.
    pub(in crate::analysis) fn new(
        (system, state, ws): (&System, &State, &mut Workspace),
        length: f64,
    ) -> Option<Self> {
        evaluate(system, state, ws, Level::Position);
        let rows = rows(system);
        let mut columns = body_columns(system);
        columns.extend(flexible::rows(system));
        let mut violations = DVector::from_iterator(rows.len(), rows.iter().map(|r| ws.rhs[*r]));
        let own = system.groups.iter().filter(|group| !group.adds());
        let sizes = own.flat_map(|group| group.rows.range());
        for (violation, row) in violations.iter_mut().zip(sizes) {
            *violation /= crate::analysis::row_size(system, ws, length, row);
        }
        let (scale, reach) = sizes_of_coordinates(system, state, length);
        let mut scaled = gradient(system, state, ws, (&rows, &columns));
        for (c, by) in scale.iter().enumerate() {
            scaled.column_mut(c).scale_mut(1.0 / by);
        }
        let own = system.groups.iter().filter(|group| !group.adds());
        for (r, row) in own.flat_map(|group| group.rows.range()).enumerate() {
            let by = crate::analysis::row_size(system, ws, length, row);
            scaled.row_mut(r).scale_mut(1.0 / by);
        }
        let (inverse, free) = split(&scaled, 0.0)?;
        Some(Self {
            columns,
            scale,
            reach,
            inverse,
            free,
            violations,
        })
    }

    /// The correction that closes the constraints; `None` if they are met.
    pub(super) fn closing(&self) -> Option<DVector<f64>> {
        let worst = self
            .violations
            .iter()
            .fold(0.0, |most, x| larger(most, x.abs()));
        let met = worst <= CLOSED;
        (!met).then(|| -(&self.inverse * &self.violations).component_div(&self.scale))
    }

    /// Accelerations of a state: of bodies in ground axes, and modal ones.
    pub(super) fn accelerations(&self, system: &System, state: &State) -> DVector<f64> {
        let layout = &system.layout;
        let mut all = vec![0.0; system.pattern.blocks() * crate::linalg::TILE];
        for (body, known) in system.bodies.iter().enumerate() {
            let Some(block) = known.block else { continue };
            let (a, w_dot) = state.rates(layout.acceleration, body);
            let alpha = state.rotation(layout, body) * w_dot;
            for k in 0..known.dof {
                all[block.offset() + k] = if k < 3 { a[k] } else { alpha[k - 3] };
            }
        }
        let modal = state.span(modal_part(system, layout.acceleration));
        for (row, a) in flexible::rows(system).iter().zip(modal) {
            all[*row] = *a;
        }
        DVector::from_iterator(self.columns.len(), self.columns.iter().map(|k| all[*k]))
    }

    /// The part of accelerations that constraints leave free.
    pub(super) fn reduced(&self, accelerations: &DVector<f64>) -> DVector<f64> {
        self.free.tr_mul(&accelerations.component_mul(&self.scale))
    }

    /// The largest acceleration, with angular ones times the characteristic length.
    pub(super) fn largest(&self, accelerations: &DVector<f64>) -> f64 {
        let all = accelerations.component_mul(&self.reach);
        all.iter().fold(0.0, |most, x| larger(most, x.abs()))
    }

    /// Coordinates for a motion of the free ones.
    pub(in crate::analysis) fn spread(&self, motion: &DVector<f64>) -> DVector<f64> {
        (&self.free * motion).component_div(&self.scale)
    }

    /// How far a unit of one free coordinate moves a point \[m\].
    pub(super) fn reach(&self, k: usize) -> f64 {
        let own = self.free.column(k).component_div(&self.scale);
        self.largest(&own)
    }

    /// The fraction of a step that keeps to the limits.
    pub(super) fn share(
        &self,
        motion: &DVector<f64>,
        settings: &StartSettings,
        length: f64,
    ) -> f64 {
        let most = self.largest(&self.spread(motion));
        let travel = settings.translation_limit.unwrap_or(length);
        let limit = travel.min(settings.angle_limit * length);
        if most > limit { limit / most } else { 1.0 }
    }

    /// The number of free coordinates.
    pub(in crate::analysis) fn freedom(&self) -> usize {
        self.free.ncols()
    }

    /// Coordinates in a padded vector.
    pub(in crate::analysis) fn padded(&self, system: &System, step: &DVector<f64>) -> Vec<f64> {
        let mut all = vec![0.0; system.pattern.blocks() * crate::linalg::TILE];
        for (k, x) in self.columns.iter().zip(step.iter()) {
            all[*k] = *x;
        }
        all
    }

    /// Moves a state.
    pub(super) fn displace(&self, system: &System, state: &mut State, step: &DVector<f64>) {
        let layout = &system.layout;
        let all = self.padded(system, step);
        for (body, known) in system.bodies.iter().enumerate() {
            let Some(block) = known.block else { continue };
            let dx: Vec3 = vec3(&all, block.offset());
            let r = state.position(layout, body) + dx;
            let mut q = state.quaternion(layout, body);
            if known.dof == crate::linalg::TILE {
                let psi = vec3(&all, block.offset() + 3);
                q = normalized(&multiply(&exp_quaternion(&psi), &q));
            }
            state.set_pose(layout, body, &r, &q);
        }
        let rows = flexible::rows(system);
        for (q, row) in state.span_mut(layout.modal).iter_mut().zip(rows) {
            *q += all[row];
        }
    }
}

/// √(mass) of coordinates, and how far they move a point.
fn sizes_of_coordinates(
    system: &System,
    state: &State,
    length: f64,
) -> (DVector<f64>, DVector<f64>) {
    let (mut scale, mut reach) = (Vec::new(), Vec::new());
    for (body, known) in system.bodies.iter().enumerate() {
        if known.block.is_none() {
            continue;
        }
        let inertia = residual::inertia(system, state, body);
        let least = inertia.tensor.diagonal().min();
        for k in 0..known.dof {
            scale.push(if k < 3 { inertia.mass } else { least }.sqrt());
            reach.push(if k < 3 { 1.0 } else { length });
        }
    }
    for known in &system.flexibles {
        for (j, far) in known.reach.iter().enumerate() {
            scale.push(1.0 / known.element.modal_mobility(j).sqrt());
            reach.push(*far);
        }
    }
    (DVector::from_vec(scale), DVector::from_vec(reach))
}

#[cfg(test)]
mod tests;
