//! Control plane: the modes of a body from its Craig–Bampton basis.
//!
//! ```text
//! k y = ω² m y,  φ = C y      k = Cᵀ K C,  m = Cᵀ M C                                        (CBR-7)
//! ```
//! The rigid modes among them are left out: the body's frame already has their motion.

use faer::Mat;

use super::ReduceError;
use super::basis::{Basis, Kind};
use super::condense::Condensed;
use super::options::DIRECTIONS;
use super::rigid::Rigid;
use crate::sparse::Columns;
use crate::sparse::columns::dot;
use crate::sparse::dense::general;
use crate::sparse::lanczos::normalize_sign;
use crate::sparse::pencil::Part;

/// ω² below this share of the largest are rounding.
const ROUNDING: f64 = 1e-14;

/// The modes of a body.
#[derive(Clone, Debug)]
pub struct BodyModes {
    /// Shapes over interior and interface unknowns.
    pub columns: Columns,
    /// Modal stiffness.
    pub stiffness: Mat<f64>,
    /// √(k/m)/2π of each mode by itself \[Hz\].
    pub frequencies: Vec<f64>,
    /// The label of each.
    pub labels: Vec<String>,
    /// Frequencies of the rigid modes that were left out \[Hz\].
    pub rigid: Vec<f64>,
    /// Directions of the basis that depended on others.
    pub dependent: usize,
}

/// The modes of the free body.
pub fn orthonormal(
    condensed: &Condensed<'_>,
    rigid: &Rigid,
    basis: &Basis,
    tolerance: f64,
) -> Result<BodyModes, ReduceError> {
    let k = basis.projected(&condensed.pencil, Part::Stiffness);
    let m = basis.projected(&condensed.pencil, Part::Mass);
    let Some(solved) = general(k.as_ref(), m.as_ref()) else {
        return Err(ReduceError::Model(
            "its reduced matrices are not finite".to_owned(),
        ));
    };
    if solved.least_mass < -1e-9 {
        let text = "a combination of interface motions has negative mass";
        return Err(ReduceError::Mass(text.to_owned()));
    }
    let hertz = |value: &f64| value.abs().sqrt() / std::f64::consts::TAU;
    let count = rigid_count(&solved.values, tolerance);
    let n = solved.values.len();
    if let Some(value) = solved.values[count..].iter().find(|value| **value <= 0.0) {
        return Err(ReduceError::Model(format!(
            "its stiffness is negative: {value} rad²/s² of a free mode"
        )));
    }
    let mut columns = basis
        .columns
        .times(solved.vectors.subcols(count, n - count));
    rigid.purge(&mut columns);
    for j in 0..columns.count() {
        normalize_sign(columns.col_mut(j));
    }
    let mut stiffness = Mat::zeros(n - count, n - count);
    for j in 0..n - count {
        stiffness[(j, j)] = solved.values[count + j];
    }
    Ok(BodyModes {
        columns,
        stiffness,
        frequencies: solved.values[count..].iter().map(hertz).collect(),
        labels: (1..=n - count)
            .map(|k| format!("orthonormal {k}"))
            .collect(),
        rigid: solved.values[..count].iter().map(hertz).collect(),
        dependent: solved.dependent,
    })
}

/// Number of the ascending ω² that belong to rigid modes: those that are rounding, and then those whose frequency is
/// at most a share of the next.
fn rigid_count(values: &[f64], tolerance: f64) -> usize {
    let largest = values.last().copied().unwrap_or(0.0);
    let rounding = values
        .iter()
        .take_while(|value| **value <= ROUNDING * largest)
        .count();
    let gap = |k: &usize| {
        let next = values.get(*k).copied().unwrap_or(0.0);
        values[k - 1].abs() <= tolerance * tolerance * next
    };
    let last = values.len().min(7);
    (rounding + 1..last).rev().find(gap).unwrap_or(rounding)
}

/// Modes with held interfaces and constraint modes, with the body's frame fixed to the first interface that has six
/// directions: its constraint modes are left out.
pub fn framed(
    condensed: &Condensed<'_>,
    rigid: &Rigid,
    basis: &Basis,
) -> Result<BodyModes, ReduceError> {
    let of = |interface: usize| {
        condensed
            .directions
            .iter()
            .filter(move |d| d.interface == interface)
            .count()
    };
    let frame = (0..condensed.interfaces.len()).find(|interface| of(*interface) == 6);
    let (Some(frame), true) = (frame, rigid.is_held()) else {
        return Err(ReduceError::Option(
            "without orthonormalised modes the body's frame sits on an interface: no interface has six directions; \
             valid: a spider, or a node with rotations"
                .to_owned(),
        ));
    };
    let stays = |j: &usize| match basis.kinds[*j] {
        Kind::Constraint(at) => condensed.directions[at].interface != frame,
        Kind::Normal(_) | Kind::Residual(_) => true,
        Kind::Loose => false,
    };
    let kept: Vec<usize> = (0..basis.kinds.len()).filter(stays).collect();
    let name = |j: &usize| match basis.kinds[*j] {
        Kind::Constraint(at) => format!("constraint {}", condensed.direction_name(at)),
        Kind::Normal(k) => format!("fixed-interface {}", k + 1),
        Kind::Residual(_) | Kind::Loose => "residual".to_owned(),
    };
    let columns = basis.columns.selected(kept.iter().copied());
    let mut stiffness = Mat::zeros(kept.len(), kept.len());
    let mut frequencies = Vec::new();
    for (j, column) in columns.iter().enumerate() {
        let force = condensed.pencil.product(Part::Stiffness, column);
        for i in 0..=j {
            let value = dot(columns.col(i), &force);
            stiffness[(i, j)] = value;
            stiffness[(j, i)] = value;
        }
        let mass = dot(column, &condensed.pencil.product(Part::Mass, column));
        frequencies.push(fixstep_kernel::flex::frequency(stiffness[(j, j)], mass));
    }
    Ok(BodyModes {
        columns,
        stiffness,
        frequencies,
        labels: kept.iter().map(name).collect(),
        rigid: Vec::new(),
        dependent: 0,
    })
}

impl BodyModes {
    /// Some of the modes.
    #[must_use]
    pub fn selected(&self, kept: &[usize]) -> Self {
        Self {
            columns: self.columns.selected(kept.iter().copied()),
            stiffness: Mat::from_fn(kept.len(), kept.len(), |i, j| {
                self.stiffness[(kept[i], kept[j])]
            }),
            frequencies: kept.iter().map(|j| self.frequencies[*j]).collect(),
            labels: kept.iter().map(|j| self.labels[*j].clone()).collect(),
            rigid: self.rigid.clone(),
            dependent: self.dependent,
        }
    }

    /// A body in space has six rigid modes.
    pub fn require_six(&self, condensed: &Condensed<'_>) -> Result<(), ReduceError> {
        let count = self.rigid.len();
        if count == 6 {
            return Ok(());
        }
        let list = |values: &[f64]| {
            let texts: Vec<String> = values.iter().map(|f| format!("{f:.3e}")).collect();
            texts.join(", ")
        };
        let absent: Vec<&str> = (0..6)
            .filter(|k| condensed.model.unknowns.iter().all(|u| u.direction != *k))
            .map(|k| DIRECTIONS[k])
            .collect();
        let cause = if count > 6 {
            "the model has loose parts or a mechanism".to_owned()
        } else if absent.iter().any(|name| name.len() == 1) {
            format!(
                "no unknown moves along {}: a body moves in space",
                absent.join(", ")
            )
        } else {
            "the model is fixed to the ground or has springs to it".to_owned()
        };
        let lowest: Vec<f64> = self
            .rigid
            .iter()
            .chain(&self.frequencies)
            .take(8)
            .copied()
            .collect();
        Err(ReduceError::RigidModes(format!(
            "{count} rigid modes; valid: 6. The lowest frequencies are {} Hz. Likely {cause}",
            list(&lowest)
        )))
    }
}
