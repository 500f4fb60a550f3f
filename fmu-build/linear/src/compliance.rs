//! Compliance and dynamic stiffness between markers: how marker I moves under forces and torques at marker J.
//!
//! Both are relative to the body of a third marker R and along its axes. The displacement of I is relative to the
//! point of R's body where I is, and the reaction of the forces acts on R's body at the same point. So
//!
//! ```text
//! (δr, δψ)_I = H_IJ(s) (F, τ)_J,   H_IJ = H_JIᵀ without gyroscopic and other terms that are not symmetric,   Z = H⁻¹     (LIN-103)
//! ```
//! Forces become inputs of the mechanism, and displacements DX, DY, DZ become outputs. A rotation is not an output:
//! its row is the derivative with respect to positions that the angular velocity has with respect to their rates.

use crate::form::{LinearForm, StateKind, Variable};
use crate::matrix::{pick_columns, pick_rows};
use crate::response::{Route, Transfer, Unbounded};
use crate::spectra::TURN;
use crate::tensors::{quantity, read};
use faer::linalg::solvers::Solve as _;
use faer::{Mat, c64};
use fixstep_kernel::ids::{InputId, MarkerId};
use fixstep_kernel::mechanism::{
    Force, ForceKind, Input, KinematicMeasure, Leaf, Mechanism, NamedExpr, ScaledExpr,
};

/// Names of the directions.
pub const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Number of frequencies at which responses are compared; fractions of the largest response, and of those of both
/// directions alone, below which a response is rounding error.
const SAMPLES: usize = 9;
const ROUNDING: f64 = 1e-14;
const BESIDE: f64 = 1e-12;
/// A compliance whose pivots are below this fraction of the largest one has no inverse.
const RIGID: f64 = 1e-12;

/// The three markers of a compliance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Markers {
    /// I, whose displacement and rotation are computed.
    pub i: MarkerId,
    /// J, where forces act.
    pub j: MarkerId,
    /// R, to which both are relative.
    pub reference: MarkerId,
}

impl Markers {
    /// Adds inputs, a force and outputs to a mechanism.
    pub fn add(self, mechanism: &mut Mechanism) {
        let mut components = [None; 6];
        for (k, component) in components.iter_mut().enumerate() {
            let input = InputId::from(mechanism.inputs.len());
            let name = format!("force of a compliance {}", DIRECTIONS[k]);
            let quantity = quantity(name, String::new());
            mechanism.inputs.push(Input { quantity });
            let expr = read(mechanism, Leaf::Input(input));
            *component = Some(ScaledExpr { expr, to_si: 1.0 });
        }
        let [fx, fy, fz, tx, ty, tz] = components;
        mechanism.forces.push(Force {
            name: String::from("force of a compliance"),
            i: self.j,
            j: self.reference,
            kind: ForceKind::General {
                axes: self.reference,
                force: [fx, fy, fz],
                torque: [tx, ty, tz],
            },
        });
        for (k, direction) in DIRECTIONS.iter().enumerate() {
            let along = (k % 3) as u8;
            let measure = if k < 3 {
                KinematicMeasure::Displacement(along)
            } else {
                KinematicMeasure::AngularVelocity(along)
            };
            let leaf = Leaf::Kinematic {
                measure,
                i: self.i,
                j: self.reference,
                axes: self.reference,
                frame: self.reference,
                scale: 1.0,
            };
            let expr = read(mechanism, leaf);
            let name = format!("pose of a compliance {direction}");
            let quantity = quantity(name, String::new());
            mechanism.outputs.push(NamedExpr { quantity, expr });
        }
    }
}

/// Why a compliance or stiffness cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoCompliance {
    /// The linear form lacks its inputs or outputs.
    #[error("the forces and displacements of the compliance are missing from the linear form")]
    Missing,
    /// It is infinite at a frequency.
    #[error(transparent)]
    Unbounded(#[from] Unbounded),
    /// Nothing holds the marker.
    #[error(
        "no force is needed at 0 Hz to move marker I, so that its compliance is unbounded there ({0}); hold the mechanism, choose \
         directions that are held, or begin above 0 Hz"
    )]
    Free(String),
    /// Joints hold directions of the displacement.
    #[error(
        "no force at marker J moves marker I along {0}, so that there is no stiffness; choose other directions by --directions"
    )]
    Held(String),
    /// Forces along some directions move nothing.
    #[error(
        "a force at marker J along {0} does not move marker I, so that there is no stiffness; choose other directions by \
         --directions"
    )]
    Idle(String),
    /// It cannot be inverted.
    #[error(
        "the compliance has no inverse at {0} Hz: motions of marker I along these directions are not independent; choose fewer by \
         --directions"
    )]
    Rigid(f64),
}

/// Whether the compliance or its inverse is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// H.
    Compliance,
    /// H⁻¹.
    Stiffness,
}

/// The compliance between markers of a mechanism.
#[derive(Clone, Debug)]
pub struct Compliance {
    told: Told,
    transfer: Transfer,
    /// Names of the free motions.
    free: String,
    /// Which responses are rounding errors only.
    nothing: Nothing,
}

impl Compliance {
    /// Makes a compliance from a form whose last inputs and outputs are those of the markers. The form that remains
    /// has only these, for the selected directions and with the names shown.
    pub fn of(
        form: &LinearForm,
        (names, told): ([&str; 2], Told),
        directions: &[usize],
    ) -> Result<(Self, LinearForm), NoCompliance> {
        let all = own(form, &[0, 1, 2, 3, 4, 5])?;
        let form = own(form, directions)?;
        let own_all = Transfer::new(&all);
        let poles = own_all.poles().iter().map(|pole| pole.norm());
        let moving = poles.filter(|size| *size > 0.0);
        let (slowest, fastest) = moving.fold((f64::INFINITY, 0.0_f64), |(least, most), size| {
            (least.min(size), most.max(size))
        });
        let nothing = Nothing::of(&own_all, (slowest, fastest), directions);
        if let (Told::Stiffness, Some(refusal)) = (told, nothing.refusal(directions)) {
            return Err(refusal);
        }
        let own = Self {
            told,
            free: String::from("a free motion"),
            nothing,
            transfer: Transfer::new(&form),
        };
        let (poses, forces) = variables(names, directions);
        let (outputs, inputs) = match told {
            Told::Compliance => (poses, forces),
            Told::Stiffness => (forces, poses),
        };
        let form = LinearForm {
            inputs,
            outputs,
            ..form
        };
        Ok((own, form))
    }

    /// Describes the free motions.
    pub fn name_free(&mut self, words: &[String]) {
        if !words.is_empty() {
            self.free = words.join("; ");
        }
    }

    /// The matrix at a frequency; at 0 Hz the limit, if there is one.
    pub fn at(&self, frequency: f64, route: Route) -> Result<Mat<c64>, NoCompliance> {
        let mut all = self.transfer.at(frequency, route)?;
        self.nothing.clear(&mut all);
        let grows = |own: faer::ColRef<'_, c64>| own.iter().any(|x| x.re.is_infinite());
        if all.col_iter().any(grows) {
            return Err(NoCompliance::Free(self.free.clone()));
        }
        if self.told == Told::Stiffness {
            all = inverse(&all).ok_or(NoCompliance::Rigid(frequency))?;
        }
        Ok(all)
    }
}

/// Which responses are rounding errors only, by rows and columns of the directions.
#[derive(Clone, Debug)]
struct Nothing(Vec<Vec<bool>>);

impl Nothing {
    /// Compares all directions at some frequencies between the modes: a response that is nowhere larger than the
    /// rounding error of the largest one counts.
    fn of(all: &Transfer, (slowest, fastest): (f64, f64), directions: &[usize]) -> Self {
        let low = if slowest.is_finite() { slowest } else { 1.0 };
        let ratio = (fastest / low).max(1.0);
        let place = |k: usize| {
            let share = (k as f64 + 0.37) / SAMPLES as f64;
            0.31 * low / TURN * fixstep_kernel::math::pow(10.0 * ratio, share)
        };
        let mut is_nothing = vec![vec![true; directions.len()]; directions.len()];
        let mut is_known = false;
        for k in 0..SAMPLES {
            let Ok(here) = all.at(place(k), Route::Direct) else {
                continue;
            };
            is_known = true;
            let most = |first: usize| {
                let own = (first..first + 3).map(|k| here[(k, k)].norm());
                own.fold(0.0_f64, f64::max)
            };
            // Displacement by force over rotation by torque: a length squared.
            let length = (most(0) / most(3)).sqrt();
            let length = if length.is_finite() {
                length.clamp(1e-4, 1e4)
            } else {
                1.0
            };
            let unit = |k: usize| if k < 3 { 1.0 } else { length };
            let size = |r: usize, c: usize| here[(r, c)].norm() * unit(r) * unit(c);
            let largest = (0..36).fold(0.0_f64, |most, k| most.max(size(k / 6, k % 6)));
            for (r, i) in directions.iter().enumerate() {
                for (c, j) in directions.iter().enumerate() {
                    let beside = (size(*i, *i) * size(*j, *j)).sqrt();
                    let least = (ROUNDING * largest).max(BESIDE * beside);
                    is_nothing[r][c] &= size(*i, *j) <= least;
                }
            }
        }
        if !is_known {
            is_nothing = vec![vec![false; directions.len()]; directions.len()];
        }
        Self(is_nothing)
    }

    /// Explains why there is no stiffness.
    fn refusal(&self, directions: &[usize]) -> Option<NoCompliance> {
        let n = directions.len();
        let names = |idle: &dyn Fn(usize) -> bool| -> Vec<&str> {
            let own = (0..n).filter(|k| idle(*k));
            own.map(|k| DIRECTIONS[directions[k]]).collect()
        };
        let held = names(&|r| (0..n).all(|c| self.0[r][c]));
        let idle = names(&|c| (0..n).all(|r| self.0[r][c]));
        match (held.is_empty(), idle.is_empty()) {
            (false, _) => Some(NoCompliance::Held(held.join(", "))),
            (true, false) => Some(NoCompliance::Idle(idle.join(", "))),
            (true, true) => None,
        }
    }

    /// Sets these responses to zero.
    fn clear(&self, all: &mut Mat<c64>) {
        for (r, row) in self.0.iter().enumerate() {
            for (c, is_nothing) in row.iter().enumerate() {
                if *is_nothing {
                    all[(r, c)] = c64::new(0.0, 0.0);
                }
            }
        }
    }
}

/// Selects the rows and columns of the markers.
fn own(form: &LinearForm, directions: &[usize]) -> Result<LinearForm, NoCompliance> {
    let first = |count: usize| count.checked_sub(6).ok_or(NoCompliance::Missing);
    let (u, y) = (first(form.inputs.len())?, first(form.outputs.len())?);
    let (f, n) = (form.positions, form.states.len());
    let driven = form
        .states
        .iter()
        .position(|state| state.kind == StateKind::Driven);
    let driven = driven.unwrap_or(n);
    // The derivative of a rotation by positions equals that of the angular velocity by their rates.
    let rotation = |r: usize, c: usize| {
        if c < f {
            form.c[(r, f + c)]
        } else if c >= driven && (c - driven).is_multiple_of(3) {
            form.c[(r, c + 1)]
        } else {
            0.0
        }
    };
    let rows: Vec<usize> = directions.iter().map(|k| y + k).collect();
    let columns: Vec<usize> = directions.iter().map(|k| u + k).collect();
    let mut c = pick_rows(&form.c, &rows);
    for (r, k) in directions.iter().enumerate().filter(|(_, k)| **k >= 3) {
        for state in 0..n {
            c[(r, state)] = rotation(y + k, state);
        }
    }
    let mut own = form.clone();
    own.b = pick_columns(&form.b, &columns);
    own.d = Mat::zeros(rows.len(), columns.len());
    own.c = c;
    Ok(own)
}

/// Names and units of displacements and forces.
fn variables([i, j]: [&str; 2], directions: &[usize]) -> (Vec<Variable>, Vec<Variable>) {
    let variable = |marker: &str, what: [&str; 2], units: [&str; 2], k: usize| {
        let side = usize::from(k >= 3);
        Variable {
            name: format!("{marker} {}{}", what[side], DIRECTIONS[k % 3]),
            unit: units[side].to_owned(),
        }
    };
    let poses = directions.iter();
    let poses = poses
        .map(|k| variable(i, ["", "r"], ["m", "rad"], *k))
        .collect();
    let forces = directions.iter();
    let forces = forces
        .map(|k| variable(j, ["f", "t"], ["N", "N.m"], *k))
        .collect();
    (poses, forces)
}

/// The inverse, after scaling rows and columns to similar size; `None` if the matrix is singular.
fn inverse(of: &Mat<c64>) -> Option<Mat<c64>> {
    let n = of.nrows();
    let most = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0_f64, f64::max);
    let rows: Vec<f64> = (0..n)
        .map(|r| most(&mut (0..n).map(|c| of[(r, c)].norm())))
        .collect();
    if rows.contains(&0.0) {
        return None;
    }
    let columns: Vec<f64> = (0..n)
        .map(|c| most(&mut (0..n).map(|r| of[(r, c)].norm() / rows[r])))
        .collect();
    if columns.contains(&0.0) {
        return None;
    }
    let scaled = Mat::from_fn(n, n, |r, c| of[(r, c)] / rows[r] / columns[c]);
    let factor = scaled.col_piv_qr();
    let triangle = factor.thin_R();
    let pivot = |k: usize| {
        let own: c64 = triangle[(k, k)];
        own.norm()
    };
    if (0..n).any(|k| pivot(k) <= RIGID * pivot(0)) {
        return None;
    }
    let found = scaled.partial_piv_lu().solve(Mat::<c64>::identity(n, n));
    Some(Mat::from_fn(n, n, |r, c| {
        found[(r, c)] / columns[r] / rows[c]
    }))
}
