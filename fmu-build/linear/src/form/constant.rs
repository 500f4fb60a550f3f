//! Checks whether a linear form is constant while parts turn.
//!
//! After a short time, coordinates and states are x₁ = P x₀. P follows from the relation between states and
//! coordinates at both instants, along the same axes. The form is constant if the shapes are, and if A₁ P = P A₀
//! (LIN-83).

use super::build::Builder;
use super::{LinearForm, Options};
use crate::matrix::largest;
use faer::Mat;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::mechanism::Mechanism;
use fixstep_kernel::simulation::{Coordinate, Later, Linearization};

/// Largest difference, as a fraction of a row and of all rows.
const SAME: (f64, f64) = (1e-7, 1e-12);

/// The note if it is not constant.
pub(super) fn note(
    mechanism: &Mechanism,
    now: &Linearization,
    options: &Options,
    form: &LinearForm,
) -> Option<String> {
    let later = now.later.as_ref()?;
    if stays(mechanism, (now, later), options, form) {
        return None;
    }
    let turns = |body: &usize| later.turning[*body];
    let other = (0..later.turning.len()).filter(turns).map(BodyId::from);
    let mut tried = Vec::new();
    for body in other {
        let turned = later.turned[body.index()];
        if tried.contains(&turned) || options.turning_with == Some(body) {
            continue;
        }
        tried.push(turned);
        let along = Options {
            turning_with: Some(body),
            ..options.clone()
        };
        let own = Builder::new(mechanism, now, &along).build().ok()?;
        if stays(mechanism, (now, later), &along, &own) {
            let name = &mechanism.bodies[body.index()].name;
            let axes = match options.turning_with {
                None => "ground axes",
                Some(_) => "these axes",
            };
            return Some(format!(
                "parts turn, and along {axes} the linear form changes with them: its roots do not say whether the \
                 motion is stable; along axes that turn with \"{name}\" it is constant: --turning-with {name}"
            ));
        }
    }
    Some(String::from(
        "parts turn, and the linear form changes with them, even along axes that turn with one of them: it describes \
         this instant only, and its roots do not say whether the motion is stable",
    ))
}

/// Is the later form the same?
fn stays(
    mechanism: &Mechanism,
    (now, later): (&Linearization, &Later),
    options: &Options,
    form: &LinearForm,
) -> bool {
    let builder = Builder::new(mechanism, &later.linearization, options);
    let turn = |shapes: &Mat<f64>| turned(now, later, options, form, shapes);
    let [positions, velocities] = [&form.shapes.positions, &form.shapes.velocities].map(turn);
    let own = builder.condensation.independent.clone();
    let rolled = builder.postures.rolled(&builder.condensation, &positions);
    let scale = builder.scale.clone();
    let Ok(other) = builder.build() else {
        return false;
    };
    let (f, n) = (form.positions, form.states.len());
    if (other.positions, other.states.len()) != (f, n) {
        return false;
    }
    // Delays are closed later, so no states follow those of equations and rolled positions but driven ones.
    let first_rolled = 2 * f + form.equations - rolled.nrows();
    let mut to = Mat::from_fn(n, n, |r, c| match r {
        _ if r < f => positions[(own[r], c)],
        _ if r < 2 * f => velocities[(own[r - f], c)],
        _ if (first_rolled..first_rolled + rolled.nrows()).contains(&r) => {
            rolled[(r - first_rolled, c)]
        }
        _ => f64::from(u8::from(r == c)),
    });
    // Velocities are the rates of the states, plus a contribution of positions if the axes turn.
    let swept = Mat::from_fn(f, f, |r, c| other.shapes.velocities[(own[r], c)]);
    let swept = swept * to.submatrix(0, 0, f, n);
    for c in 0..n {
        for r in 0..f {
            to[(f + r, c)] -= swept[(r, c)];
        }
    }
    let weighed = |of: &Mat<f64>| Mat::from_fn(of.nrows(), n, |r, c| of[(r, c)] * scale[r]);
    let shapes = [
        (&positions, &other.shapes.positions),
        (&velocities, &other.shapes.velocities),
    ];
    let alike = shapes.into_iter().all(|(before, after)| {
        let (before, after) = (weighed(before), weighed(&(after * &to)));
        largest(&(&before - &after)) <= SAME.0 * largest(&before).max(largest(&after))
    });
    alike && same(&(&other.a * &to), &(&to * &form.a))
}

/// The shapes along the axes of the form, after these have turned.
fn turned(
    now: &Linearization,
    later: &Later,
    options: &Options,
    form: &LinearForm,
    shapes: &Mat<f64>,
) -> Mat<f64> {
    let Some(with) = options.turning_with else {
        return shapes.clone();
    };
    let rotation = later.turned[with.index()];
    let places = &now.tangents.places;
    let coordinates = &form.shapes.coordinates;
    Mat::from_fn(shapes.nrows(), shapes.ncols(), |r, c| {
        let Coordinate::Pose { direction, .. } = places[coordinates[r]].coordinate else {
            return shapes[(r, c)];
        };
        let first = r - direction % 3;
        (0..3)
            .map(|k| rotation[(direction % 3, k)] * shapes[(first + k, c)])
            .sum()
    })
}

/// Are two matrices equal, row by row?
fn same(a: &Mat<f64>, b: &Mat<f64>) -> bool {
    let most = largest(a).max(largest(b));
    (0..a.nrows()).all(|r| {
        let row = |of: &Mat<f64>| (0..of.ncols()).fold(0.0_f64, |m, c| m.max(of[(r, c)].abs()));
        let own = row(a).max(row(b));
        let apart = (0..a.ncols()).fold(0.0_f64, |m, c| m.max((a[(r, c)] - b[(r, c)]).abs()));
        apart <= SAME.0 * own + SAME.1 * most
    })
}
