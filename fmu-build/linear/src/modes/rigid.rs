//! Describes zero roots in words: which motions are free, and which states keep any value.

use super::Mode;
use crate::eigen::deflate::to_units;
use crate::form::LinearForm;
use faer::Mat;
use faer::linalg::solvers::SolveLstsq;
use fixstep_kernel::simulation::Linearization;

/// Motions that differ by less than this fraction are equal.
const SAME: f64 = 1e-6;

/// Names of the directions of a body.
const DIRECTIONS: [&str; 6] = [
    "along x", "along y", "along z", "about x", "about y", "about z",
];

/// The rigid motions of a mechanism.
pub(super) struct Rigid<'a> {
    names: &'a dyn Fn(usize) -> String,
    /// Body and direction (6: modal) of each coordinate.
    places: Vec<(usize, usize)>,
    unknowns: Vec<String>,
    /// Displacements, as independent columns.
    basis: Mat<f64>,
    /// Names of states with a zero root that move nothing.
    resting: Vec<String>,
}

impl<'a> Rigid<'a> {
    pub(super) fn of(
        names: &'a dyn Fn(usize) -> String,
        linearization: &Linearization,
        form: &LinearForm,
        list: &[Mode],
    ) -> Self {
        let coordinates = &form.shapes.coordinates;
        let zeros: Vec<&Mode> = list.iter().filter(|mode| mode.root.zero).collect();
        let columns: Vec<Vec<f64>> = zeros
            .iter()
            .map(|mode| mode.shape.iter().map(|x| x.re).collect())
            .collect();
        let still = |mode: &&&Mode| mode.shape.iter().all(|x| x.norm() == 0.0);
        let resting = zeros.iter().filter(still).filter_map(|mode| {
            let sizes = mode.states.iter().map(|x| x.norm());
            let at = super::first_largest(sizes)?;
            Some(form.states[at].name.clone())
        });
        // A multiple root has only one vector.
        let mut resting: Vec<String> = resting.collect();
        resting.dedup();
        Self {
            names,
            places: form.shapes.places(linearization),
            unknowns: coordinates
                .iter()
                .map(|k| linearization.tangents.places[*k].unknown.clone())
                .collect(),
            basis: independent(&columns, coordinates.len()),
            resting,
        }
    }

    pub(super) fn words(self) -> Vec<String> {
        let count = self.basis.ncols();
        let mut said = Vec::new();
        if count > 0 {
            let motions = self.motions();
            let number = match count {
                1 => String::from("one rigid motion"),
                2 => String::from("two rigid motions"),
                3 => String::from("three rigid motions"),
                _ => format!("{count} rigid motions"),
            };
            said.push(format!("{number}: {}", motions.join("; ")));
        }
        let resting = self.resting.iter();
        said.extend(
            resting.map(|name| format!("{name} has a zero root: it can have any constant value")),
        );
        said
    }

    /// Describes the free motions: parts alone, then the mechanism as a whole, then the others by their largest
    /// coordinates.
    fn motions(&self) -> Vec<String> {
        let mut bodies: Vec<usize> = self.places.iter().map(|place| place.0).collect();
        bodies.dedup();
        let mut told = Vec::new();
        let mut open = self.basis.clone();
        for body in &bodies {
            let rows = |of: &dyn Fn(&(usize, usize)) -> bool| -> Vec<usize> {
                let all = self.places.iter().enumerate();
                all.filter(|(_, place)| of(place)).map(|(k, _)| k).collect()
            };
            let others = rows(&|place| place.0 != *body);
            let alone = vanishing(&open, &others);
            if alone.ncols() == 0 {
                continue;
            }
            let free = self.directions(&alone);
            let name = (self.names)(*body);
            told.push(format!("{name} is free {}", listed(&free)));
            open = beside(&open, &alone);
        }
        if open.ncols() > 0 {
            let free = self.directions(&open);
            if free.iter().all(|text| DIRECTIONS.contains(&text.as_str())) {
                told.push(format!("the mechanism is free {}", listed(&free)));
            } else {
                told.extend(self.rest(&open));
            }
        }
        told
    }

    /// Directions in which all bodies move together, or `along (…)` and `about (…)` for other axes.
    fn directions(&self, motions: &Mat<f64>) -> Vec<String> {
        let count = motions.ncols();
        let moved: Vec<bool> = (0..motions.nrows())
            .map(|r| (0..count).any(|c| motions[(r, c)].abs() > SAME * size(motions)))
            .collect();
        let is_moved = |body: usize| {
            let all = self.places.iter().zip(&moved);
            all.into_iter()
                .any(|(place, moved)| place.0 == body && *moved)
        };
        let mut found: Vec<String> = Vec::new();
        for (direction, word) in DIRECTIONS.iter().enumerate() {
            if found.len() == count {
                break;
            }
            // If a part moves freely, its centre may follow any path while it turns.
            let counts = |place: &(usize, usize)| {
                is_moved(place.0) && (direction < 3 || (3..6).contains(&place.1))
            };
            let rows: Vec<usize> = (0..self.places.len())
                .filter(|r| counts(&self.places[*r]))
                .collect();
            let goal: Vec<f64> = rows
                .iter()
                .map(|r| {
                    if self.places[*r].1 == direction {
                        1.0
                    } else {
                        0.0
                    }
                })
                .collect();
            if rows.is_empty() || goal.iter().all(|x| *x == 0.0) {
                continue;
            }
            if reaches(motions, &rows, &goal) {
                found.push((*word).to_owned());
            }
        }
        let lacking = count - found.len();
        if lacking == 1 && count == 1 {
            found.push(self.axis(motions));
        } else if lacking > 0 {
            found.push(format!("in {lacking} more ways"));
        }
        found
    }

    /// The axis of a part's only motion.
    fn axis(&self, motion: &Mat<f64>) -> String {
        let mut own = [0.0_f64; 6];
        for (r, place) in self.places.iter().enumerate() {
            if place.1 < 6 && motion[(r, 0)].abs() > own[place.1].abs() {
                own[place.1] = motion[(r, 0)];
            }
        }
        let turns = own[3..].iter().any(|x| x.abs() > SAME * size(motion));
        let (word, vector) = if turns {
            ("about", &own[3..])
        } else {
            ("along", &own[..3])
        };
        let long = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        let first = vector.iter().find(|x| x.abs() > SAME * long);
        let sign = if first.is_some_and(|x| *x < 0.0) {
            -1.0
        } else {
            1.0
        };
        // Avoids a negative zero.
        let unit: Vec<String> = vector
            .iter()
            .map(|x| format!("{:.4}", sign * x / long + 0.0))
            .collect();
        format!("{word} ({})", unit.join(", ").replace("-0.0000", "0.0000"))
    }

    /// Names the other motions by the coordinate that moves furthest.
    fn rest(&self, motions: &Mat<f64>) -> Vec<String> {
        let farthest = to_units(&mut motions.clone());
        let told = farthest.iter().map(|at| {
            let unknown = &self.unknowns[*at];
            format!("a motion of several parts, most in {unknown}")
        });
        told.collect()
    }
}

/// `along x, y and about z`.
fn listed(free: &[String]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for text in free {
        let (word, rest) = text.split_once(' ').unwrap_or(("", text));
        match parts.last_mut() {
            Some(last) if last.starts_with(word) && rest.len() == 1 => {
                last.push_str(", ");
                last.push_str(rest);
            }
            _ => parts.push(text.clone()),
        }
    }
    parts.join(" and ")
}

fn size(of: &Mat<f64>) -> f64 {
    crate::matrix::largest(of)
}

/// Columns that are independent of the others.
fn independent(columns: &[Vec<f64>], rows: usize) -> Mat<f64> {
    let mut units: Vec<Vec<f64>> = Vec::new();
    let mut kept: Vec<&Vec<f64>> = Vec::new();
    for column in columns {
        let whole = column.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut rest = column.clone();
        for _ in 0..2 {
            for unit in &units {
                let along: f64 = rest.iter().zip(unit).map(|(a, b)| a * b).sum();
                for (x, u) in rest.iter_mut().zip(unit) {
                    *x -= along * u;
                }
            }
        }
        let long = rest.iter().map(|x| x * x).sum::<f64>().sqrt();
        if long > SAME * whole {
            units.push(rest.iter().map(|x| x / long).collect());
            kept.push(column);
        }
    }
    Mat::from_fn(rows, kept.len(), |r, c| kept[c][r])
}

/// The combinations of columns that vanish in some rows.
fn vanishing(of: &Mat<f64>, rows: &[usize]) -> Mat<f64> {
    let count = of.ncols();
    if rows.is_empty() || count == 0 {
        return of.clone();
    }
    let part = Mat::from_fn(rows.len(), count, |r, c| of[(rows[r], c)]);
    let gram = part.transpose() * &part;
    let whole = of.transpose() * of;
    let most = (0..count).fold(0.0_f64, |most, k| most.max(whole[(k, k)]));
    let Ok(found) = gram.self_adjoint_eigen(faer::Side::Lower) else {
        return Mat::zeros(of.nrows(), 0);
    };
    let values: Vec<f64> = (0..count).map(|k| found.S()[k]).collect();
    let small: Vec<usize> = (0..count)
        .filter(|k| values[*k] <= SAME * SAME * most)
        .collect();
    let vectors = found.U();
    of * Mat::from_fn(count, small.len(), |r, c| vectors[(r, small[c])])
}

/// The part of a span of columns that is orthogonal to some of them.
fn beside(of: &Mat<f64>, without: &Mat<f64>) -> Mat<f64> {
    let list = |from: &Mat<f64>| -> Vec<Vec<f64>> {
        (0..from.ncols())
            .map(|c| (0..from.nrows()).map(|r| from[(r, c)]).collect())
            .collect()
    };
    let first = without.ncols();
    let all: Vec<Vec<f64>> = list(without).into_iter().chain(list(of)).collect();
    let kept = independent(&all, of.nrows());
    Mat::from_fn(of.nrows(), kept.ncols().saturating_sub(first), |r, c| {
        kept[(r, first + c)]
    })
}

/// Does a combination of columns equal a goal in some rows?
fn reaches(motions: &Mat<f64>, rows: &[usize], goal: &[f64]) -> bool {
    let (m, n) = (rows.len(), motions.ncols());
    // The additional rows make the problem regular if columns are equal in these rows.
    let weight = SAME * SAME * size(motions);
    let matrix = Mat::from_fn(m + n, n, |r, c| match r.checked_sub(m) {
        None => motions[(rows[r], c)],
        Some(k) if k == c => weight,
        Some(_) => 0.0,
    });
    let wanted = Mat::from_fn(m + n, 1, |r, _| goal.get(r).copied().unwrap_or(0.0));
    let share = matrix.col_piv_qr().solve_lstsq(&wanted);
    let got = Mat::from_fn(m, n, |r, c| motions[(rows[r], c)]) * share;
    let whole = goal.iter().map(|x| x * x).sum::<f64>().sqrt();
    let miss = (0..m)
        .map(|r| (got[(r, 0)] - goal[r]).powi(2))
        .sum::<f64>()
        .sqrt();
    miss <= SAME * whole
}
