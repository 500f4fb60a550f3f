//! States that the user chooses: variables r that depend on poses, and their rates.
//!
//! r is a sum of displacements and angles between markers. Their rates are measures as well: velocities and
//! accelerations as seen in the frame whose axes give r. All of these become outputs of the mechanism that is
//! linearised; their rows give
//!
//! ```text
//! x* = (r, r', z) = S x,   A* = [ ∂(r', r'')/∂x; ∂z'/∂x ] S⁻¹,   B* = [ ∂(r', r'')/∂u; ∂z'/∂u ],   C* = C S⁻¹      (LIN-61)
//! ```
//! S changes if a frame turns, so A* is not S A S⁻¹: ∂r''/∂x contains the Coriolis and centrifugal terms of the
//! frame.

mod affine;
mod curved;

use crate::form::{LinearForm, SecondOrder, Shapes, StateKind, StateVariable};
use crate::matrix::{largest, pick_rows, put};
use affine::{Affine, of_program};
use curved::{Jet, Node};
use faer::Mat;
use faer::linalg::solvers::Solve as _;
use fixstep_kernel::expr::Program;
use fixstep_kernel::ids::{ExprId, LeafId};
use fixstep_kernel::mechanism::{KinematicMeasure, Leaf, Mechanism, NamedExpr, Quantity};

/// A chosen state depends on the others if its pivot is below this fraction of the largest one.
const RANK: f64 = 1e-9;

/// Distance at which neighbouring slopes are evaluated, as a fraction of the measure or of one; and the fraction of
/// these slopes below which a slope is that of a maximum or minimum.
const ASIDE: f64 = 1e-3;
const TURNING: f64 = 1e-6;

/// Rates below this do not turn the axis of an angle \[rad/s, rad/s²\].
const STILL: f64 = 1e-9;

/// Why chosen states are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStates {
    /// The variable is no smooth function of displacements and angles.
    #[error(
        "state \"{name}\" reads {what}; valid: smooth functions of DX, DY, DZ, DM, AX, AY, AZ and parameters, such as \
         DX(tip, base, frame) or DM(tip, base)"
    )]
    Reads {
        /// The variable.
        name: String,
        /// What it reads instead.
        what: String,
    },
    /// It has no derivatives here.
    #[error(
        "state \"{0}\" has no derivatives at this state, as a distance of zero; choose another variable, or another state"
    )]
    Corner(String),
    /// There are too many or too few.
    #[error(
        "chosen states: {found}; needed: {wanted}, one for each degree of freedom; their rates are added automatically"
    )]
    Count {
        /// Number of chosen states.
        found: usize,
        /// Number of degrees of freedom.
        wanted: usize,
    },
    /// It depends on the others.
    #[error(
        "state \"{0}\" does not move here, or follows from the other chosen states; choose another variable in its place"
    )]
    Dependent(String),
    /// An angle whose axis turns.
    #[error(
        "state \"{0}\" is an angle about an axis that tilts or turns here: its rate is not a component of the \
         angular velocity; valid: an angle between markers whose axes are parallel, in a motion about it"
    )]
    Axis(String),
    /// The outputs of the states are missing.
    #[error("the outputs that give the chosen states are missing from the linear form")]
    Missing,
}

/// A chosen state.
#[derive(Clone, Debug)]
struct Chosen {
    name: String,
    unit: String,
    /// Factor, and index of the measure's outputs among those that were added.
    terms: Vec<(f64, Term)>,
    /// The function of these measures, unless it is a sum of multiples.
    curved: Option<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Term {
    first: usize,
    is_angle: bool,
    /// Has it rates? Parameters have none.
    moves: bool,
}

/// The states that a user chose, with the outputs that they need.
#[derive(Clone, Debug)]
pub struct ChosenStates {
    all: Vec<Chosen>,
    /// How many outputs were added.
    outputs: usize,
}

/// Additional outputs of an angle and its two rates: two components of the angular velocity and acceleration each.
const CHECKS: usize = 4;

impl ChosenStates {
    /// Makes them from names and expressions of variables in the mechanism, and adds outputs to it.
    pub fn add(mechanism: &mut Mechanism, wanted: &[(Quantity, ExprId)]) -> Result<Self, NoStates> {
        let mut chosen = Self {
            all: Vec::new(),
            outputs: 0,
        };
        for (quantity, expr) in wanted {
            let reads = |what| NoStates::Reads {
                name: quantity.name.clone(),
                what,
            };
            let (terms, curved) = if let Ok(affine) = of_program(mechanism, *expr) {
                (chosen.terms(mechanism, &quantity.name, &affine)?, None)
            } else {
                let mut list = Vec::new();
                let node = curved::of_program(mechanism, *expr, &mut list).map_err(reads)?;
                let terms = list.iter().map(|leaf| (1.0, chosen.term(mechanism, leaf)));
                (terms.collect(), Some(node))
            };
            chosen.all.push(Chosen {
                name: quantity.name.clone(),
                unit: quantity.unit.clone(),
                terms,
                curved,
            });
        }
        Ok(chosen)
    }

    fn terms(
        &mut self,
        mechanism: &mut Mechanism,
        name: &str,
        affine: &Affine,
    ) -> Result<Vec<(f64, Term)>, NoStates> {
        let mut terms = Vec::new();
        for (leaf, factor) in &affine.slopes {
            let leaf = mechanism.leaves[leaf.index()].clone();
            if rates_of(&leaf).is_none() {
                return Err(NoStates::Reads {
                    name: name.to_owned(),
                    what: affine::words(&leaf).to_owned(),
                });
            }
            terms.push((*factor, self.term(mechanism, &leaf)));
        }
        Ok(terms)
    }

    /// Adds the outputs of a measure, or of a parameter.
    fn term(&mut self, mechanism: &mut Mechanism, leaf: &Leaf) -> Term {
        let rates = rates_of(leaf);
        let term = Term {
            first: self.outputs,
            is_angle: rates.as_ref().is_some_and(|rates| rates.len() > 3),
            moves: rates.is_some(),
        };
        for each in rates.unwrap_or_else(|| vec![leaf.clone()]) {
            self.outputs += 1;
            show(mechanism, each, self.outputs);
        }
        term
    }

    /// How many outputs were added, after those of the mechanism.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Transforms the form to these states and removes the added outputs; `values` are the values of the added
    /// outputs.
    pub fn form(&self, form: &LinearForm, values: &[f64]) -> Result<LinearForm, NoStates> {
        let own = form.outputs.len().checked_sub(self.outputs);
        let own = own.ok_or(NoStates::Missing)?;
        if values.len() != self.outputs {
            return Err(NoStates::Missing);
        }
        let f = form.positions;
        if self.all.len() != f {
            return Err(NoStates::Count {
                found: self.all.len(),
                wanted: f,
            });
        }
        let jets = self.jets(values)?;
        let rows = |of: &Mat<f64>, order: usize| self.rows(of, (own, order), &jets);
        let [r, v, a] = [0, 1, 2].map(|order| rows(&form.c, order));
        self.judge(&r, &v, values, f)?;
        self.refuse_turning_points(form, (own, &r), values)?;
        let n = form.states.len();
        let mut to = Mat::identity(n, n);
        put(&mut to, (0, 0), &r);
        put(&mut to, (f, 0), &v);
        let mut rates = form.a.clone();
        put(&mut rates, (0, 0), &v);
        put(&mut rates, (f, 0), &a);
        let mut b = form.b.clone();
        put(&mut b, (0, 0), &rows(&form.d, 1));
        put(&mut b, (f, 0), &rows(&form.d, 2));
        let back = to.partial_piv_lu().solve(Mat::<f64>::identity(n, n));
        let kept: Vec<usize> = (0..own).collect();
        let a = rates * &back;
        Ok(LinearForm {
            states: self.states(form),
            inputs: form.inputs.clone(),
            outputs: form.outputs[..own].to_vec(),
            e: form.e.clone(),
            c: pick_rows(&form.c, &kept) * &back,
            d: pick_rows(&form.d, &kept),
            b,
            positions: f,
            equations: form.equations,
            second_order: second_order(form, &a, &back),
            a,
            shapes: Shapes {
                coordinates: form.shapes.coordinates.clone(),
                positions: &form.shapes.positions * &back,
                velocities: &form.shapes.velocities * &back,
            },
            notes: form.notes.clone(),
        })
    }

    /// The functions of measures that are not sums, with their derivatives.
    fn jets(&self, values: &[f64]) -> Result<Vec<Option<Jet>>, NoStates> {
        let of = |chosen: &Chosen| {
            let Some(node) = &chosen.curved else {
                return Ok(None);
            };
            let measure = |(_, term): &(f64, Term)| {
                let all = &values[term.first..];
                if term.moves {
                    [all[0], all[1], all[2]]
                } else {
                    [all[0], 0.0, 0.0]
                }
            };
            let measures: Vec<[f64; 3]> = chosen.terms.iter().map(measure).collect();
            let jet = node.jet(&measures);
            let all = jet.slopes.iter().flatten().chain(&jet.value);
            if all.into_iter().all(|x| x.is_finite()) {
                Ok(Some(jet))
            } else {
                Err(NoStates::Corner(chosen.name.clone()))
            }
        };
        self.all.iter().map(of).collect()
    }

    /// The rows of r (order 0), r' or r''.
    fn rows(&self, of: &Mat<f64>, (own, order): (usize, usize), jets: &[Option<Jet>]) -> Mat<f64> {
        // The series contain half of the second rates.
        let whole = if order == 2 { 2.0 } else { 1.0 };
        Mat::from_fn(self.all.len(), of.ncols(), |r, c| {
            let terms = self.all[r].terms.iter();
            let Some(jet) = &jets[r] else {
                return terms
                    .map(|(factor, term)| factor * of[(own + term.first + order, c)])
                    .sum();
            };
            let terms = terms.enumerate().filter(|(_, (_, term))| term.moves);
            let each = terms.flat_map(|(k, (_, term))| {
                (0..3).map(move |o| (jet.slopes[3 * k + o][order], own + term.first + o))
            });
            each.map(|(slope, row)| whole * slope * of[(row, c)]).sum()
        })
    }

    /// Refuses functions that have a maximum or minimum here, or almost: their slopes are rounding errors and say
    /// nothing about the motion. They are recognised by much larger slopes nearby.
    fn refuse_turning_points(
        &self,
        form: &LinearForm,
        (own, r): (usize, &Mat<f64>),
        values: &[f64],
    ) -> Result<(), NoStates> {
        let mut aside = values.to_vec();
        let terms = self.all.iter().flat_map(|chosen| &chosen.terms);
        for (_, term) in terms.filter(|(_, term)| term.moves) {
            aside[term.first] += ASIDE * values[term.first].abs().max(1.0);
        }
        let Ok(jets) = self.jets(&aside) else {
            return Ok(());
        };
        let usual = self.rows(&form.c, (own, 0), &jets);
        let length = |of: &Mat<f64>, k: usize| of.row(k).norm_l2();
        let mut curved = (0..self.all.len()).filter(|k| self.all[*k].curved.is_some());
        match curved.find(|k| length(r, *k) <= TURNING * length(&usual, *k)) {
            Some(k) => Err(NoStates::Dependent(self.all[k].name.clone())),
            None => Ok(()),
        }
    }

    /// Are the chosen variables valid states?
    fn judge(&self, r: &Mat<f64>, v: &Mat<f64>, values: &[f64], f: usize) -> Result<(), NoStates> {
        for (k, chosen) in self.all.iter().enumerate() {
            let angles = chosen.terms.iter().filter(|(_, term)| term.is_angle);
            let mut turns = angles.clone().flat_map(|(_, term)| {
                let first = term.first + 3;
                &values[first..first + CHECKS]
            });
            // The derivative of r' by velocities equals that of r by positions.
            let differs = |c: usize| (r[(k, c)] - v[(k, f + c)]).abs();
            let most = largest(r).max(1.0);
            let tilts = (0..f).any(|c| differs(c) > 1e-8 * most);
            if turns.any(|x| x.abs() > STILL) || (tilts && angles.count() > 0) {
                return Err(NoStates::Axis(chosen.name.clone()));
            }
        }
        // Rows are scaled to length one, so that units do not matter.
        let own = Mat::from_fn(f, f, |row, c| r[(c, row)]);
        let lengths: Vec<f64> = (0..f)
            .map(|c| (0..f).map(|row| own[(row, c)].powi(2)).sum::<f64>().sqrt())
            .collect();
        if let Some(k) = lengths.iter().position(|length| *length == 0.0) {
            return Err(NoStates::Dependent(self.all[k].name.clone()));
        }
        let scaled = Mat::from_fn(f, f, |row, c| own[(row, c)] / lengths[c]);
        if f == 0 {
            return Ok(());
        }
        let factor = scaled.col_piv_qr();
        let triangle = factor.thin_R();
        let small = (0..f).find(|k| triangle[(*k, *k)].abs() <= RANK * triangle[(0, 0)].abs());
        match small {
            Some(k) => {
                let (order, _) = factor.P().arrays();
                Err(NoStates::Dependent(self.all[order[k]].name.clone()))
            }
            None => Ok(()),
        }
    }

    fn states(&self, form: &LinearForm) -> Vec<StateVariable> {
        let state = |chosen: &Chosen, kind| match kind {
            StateKind::Velocity => StateVariable {
                name: format!("{}, rate", chosen.name),
                unit: match chosen.unit.as_str() {
                    "" => String::new(),
                    unit => format!("{unit}/s"),
                },
                kind,
            },
            _ => StateVariable {
                name: chosen.name.clone(),
                unit: chosen.unit.clone(),
                kind,
            },
        };
        let of = |kind| self.all.iter().map(move |chosen| state(chosen, kind));
        let rest = form.states[2 * form.positions..].iter().cloned();
        let own = of(StateKind::Position).chain(of(StateKind::Velocity));
        own.chain(rest).collect()
    }
}

/// M, b, K for the chosen positions.
fn second_order(form: &LinearForm, a: &Mat<f64>, back: &Mat<f64>) -> SecondOrder {
    let f = form.positions;
    let part = |of: &Mat<f64>, (row, column): (usize, usize)| {
        Mat::from_fn(f, f, |r, c| of[(row + r, column + c)])
    };
    let inverse = part(back, (0, 0));
    let mass = inverse.transpose() * &form.second_order.mass * &inverse;
    SecondOrder {
        damping: &mass * part(a, (f, f)) * faer::Scale(-1.0),
        stiffness: &mass * part(a, (f, 0)) * faer::Scale(-1.0),
        mass,
    }
}

/// The measure, its rate and its second rate; for an angle also the quantities that must be zero.
fn rates_of(leaf: &Leaf) -> Option<Vec<Leaf>> {
    let Leaf::Kinematic {
        measure,
        i,
        j,
        axes,
        scale,
        ..
    } = leaf
    else {
        return None;
    };
    let seen = |measure, frame| Leaf::Kinematic {
        measure,
        i: *i,
        j: *j,
        axes: frame,
        frame,
        scale: *scale,
    };
    match measure {
        KinematicMeasure::Displacement(along) => Some(vec![
            leaf.clone(),
            seen(KinematicMeasure::Velocity(*along), *axes),
            seen(KinematicMeasure::Acceleration(*along), *axes),
        ]),
        KinematicMeasure::Angle(about) => {
            let others = (0..3).filter(|k| k != about);
            let own = [
                leaf.clone(),
                seen(KinematicMeasure::AngularVelocity(*about), *j),
                seen(KinematicMeasure::AngularAcceleration(*about), *j),
            ];
            let others: Vec<u8> = others.collect();
            let speeds = others
                .iter()
                .map(|k| seen(KinematicMeasure::AngularVelocity(*k), *j));
            let gains = others
                .iter()
                .map(|k| seen(KinematicMeasure::AngularAcceleration(*k), *j));
            Some(own.into_iter().chain(speeds).chain(gains).collect())
        }
        _ => None,
    }
}

/// Adds an output that reads one leaf.
fn show(mechanism: &mut Mechanism, leaf: Leaf, number: usize) {
    let id = LeafId::from(mechanism.leaves.len());
    mechanism.leaves.push(leaf);
    let expr = ExprId::from(mechanism.expressions.len());
    mechanism.expressions.push(Program {
        constants: Vec::new(),
        leaves: vec![id],
        curves: Vec::new(),
        operations: Vec::new(),
        result: 0,
        calls: Vec::new(),
    });
    mechanism.outputs.push(NamedExpr {
        quantity: Quantity {
            name: format!("chosen state {number}"),
            description: String::new(),
            unit: String::new(),
            display_unit: String::new(),
            min: None,
            max: None,
            start: 0.0,
        },
        expr,
    });
}
