//! From the tangents of all equations to states, inputs and outputs.
//!
//! With (TAN-1) and (TAN-2) of the kernel, q the coordinates, v their rates, and what constraints leave free (LIN-1), the
//! unknowns of an instant are accelerations, multipliers and implicit variables y. They solve
//!
//! ```text
//! [ M   Gᵀ  Y ] [δa]     [ K δq + D δv + Z δz + B δu     ]
//! [ G   0   0 ] [δλ] = − [ Φ̈_q δq + Φ̈_v δv + Φ̈_w δw     ]                          (LIN-2)
//! [ r_a r_λ r_y ][δy]    [ r_q δq + r_v δv + r_z δz + r_u δu ]
//! ```
//! where δq = T x_q − P Φ_w w and δv = T x_v − P (Φ̇_q δq + Φ̇_w w) meet constraints and their rates. What follows is
//!
//! ```text
//! x_q' = x_v,   x_v' = (δa + W δv)_i,   z' = −(rows of z),   y = C x + D u            (LIN-3)
//! ```
//! Displacements w that inputs prescribe come with their rates; they are states of the descriptor form E x' = A x + B u.

mod build;
mod constant;
mod delays;
mod labels;
mod rounding;
mod turning;
mod unknowns;

use build::Builder;
pub use delays::LARGEST_ORDER;
use faer::Mat;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::mechanism::Mechanism;
use fixstep_kernel::simulation::{Coordinate, Linearization};
pub use turning::RESTS;

/// What damping is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Damping {
    /// All.
    #[default]
    On,
    /// Force elements and modes of flexible bodies have none; what differential equations read of velocities stays.
    Off,
    /// Nor do differential equations act on the motion: the column of states is left out as well.
    OffWithStates,
    /// Nor do differential equations read velocities: in their rows the column of velocities is left out as well.
    OffInEquations,
}

/// What is left of the inertia that turning bodies have by their velocities, (LIN-81).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gyroscopic {
    /// All: exact.
    #[default]
    Full,
    /// Not the part of the angular momentum, which parts the whirls of a rotor.
    Partial,
    /// Nothing.
    None,
}

/// What a linear form is to be.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What damping is left.
    pub damping: Damping,
    /// What gyroscopic terms are left.
    pub gyroscopic: Gyroscopic,
    /// Displacements, rotations and their rates are along axes that turn as this part does at the operating point, (LIN-82);
    /// `None`: along ground axes.
    pub turning_with: Option<BodyId>,
    /// Order of the Padé approximations that stand for delays, up to [`LARGEST_ORDER`]; `None`: delays are refused.
    pub pade: Option<usize>,
}

/// An input or output.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Variable {
    /// Its name in the model.
    pub name: String,
    /// Its unit.
    pub unit: String,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct StateVariable {
    /// `part "rod", rotation about z`.
    pub name: String,
    /// SI, or the unit of a differential equation's state.
    pub unit: String,
    /// What it is.
    pub kind: StateKind,
}

/// What a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateKind {
    /// A displacement, rotation or modal coordinate.
    Position,
    /// Its rate.
    Velocity,
    /// Of a differential equation or control element.
    State,
    /// A displacement that inputs prescribe, or one of its rates.
    Driven,
}

/// A linear form: E x' = A x + B u, y = C x + D u.
#[derive(Clone, Debug)]
pub struct LinearForm {
    /// The states: positions, their velocities, states of equations, driven displacements.
    pub states: Vec<StateVariable>,
    /// The inputs.
    pub inputs: Vec<Variable>,
    /// The outputs.
    pub outputs: Vec<Variable>,
    /// The unit matrix but for driven displacements; `None`: the unit matrix.
    pub e: Option<Mat<f64>>,
    /// A.
    pub a: Mat<f64>,
    /// B.
    pub b: Mat<f64>,
    /// C.
    pub c: Mat<f64>,
    /// D.
    pub d: Mat<f64>,
    /// Positions among the states.
    pub positions: usize,
    /// States of equations among them.
    pub equations: usize,
    /// The second-order form M q'' + b q' + K q of the positions alone.
    pub second_order: SecondOrder,
    /// All coordinates by the states, driven ones included.
    pub shapes: Shapes,
    /// Words to the user: outputs left out, constraints that are redundant here.
    pub notes: Vec<String>,
}

/// M, b, K.
#[derive(Clone, Debug)]
pub struct SecondOrder {
    /// M.
    pub mass: Mat<f64>,
    /// b.
    pub damping: Mat<f64>,
    /// K.
    pub stiffness: Mat<f64>,
}

impl SecondOrder {
    /// All three.
    pub fn matrices(&self) -> [&Mat<f64>; 3] {
        [&self.mass, &self.damping, &self.stiffness]
    }
}

impl LinearForm {
    /// States that no input drives: they stand first.
    pub fn own_states(&self) -> usize {
        2 * self.positions + self.equations
    }

    /// The displacements that inputs prescribe.
    pub fn driven(&self) -> Vec<Driven> {
        let of = |first: usize| {
            let row = first + 2;
            let level = (0..3_usize).find(|k| self.a[(row, first + k)] != 0.0);
            Driven {
                first,
                level: level.unwrap_or(0) as i32,
                slopes: (0..self.b.ncols()).map(|c| self.b[(row, c)]).collect(),
            }
        };
        let all = (self.own_states()..self.states.len()).step_by(3);
        all.map(of).collect()
    }

    /// A of these states, displacements that inputs prescribe being held.
    pub fn own_matrix(&self) -> Mat<f64> {
        let n = self.own_states();
        self.a.submatrix(0, 0, n, n).to_owned()
    }
}

/// A displacement w that inputs prescribe: three states, w, ẇ and ẅ.
#[derive(Clone, Debug)]
pub struct Driven {
    /// Where w stands among the states.
    pub first: usize,
    /// Which of w, ẇ, ẅ inputs give: 0, 1, 2.
    pub level: i32,
    /// How much of it, by inputs.
    pub slopes: Vec<f64>,
}

/// How everything that moves follows the states.
#[derive(Clone, Debug)]
pub struct Shapes {
    /// The coordinates, as unknowns of the kernel's tangents.
    pub coordinates: Vec<usize>,
    /// δq.
    pub positions: Mat<f64>,
    /// δv.
    pub velocities: Mat<f64>,
}

/// The direction of a modal coordinate, behind three displacements and three rotations.
pub(crate) const MODAL: usize = 6;

impl Shapes {
    /// Body and direction of each coordinate, [`MODAL`] of modal ones.
    pub(crate) fn places(&self, linearization: &Linearization) -> Vec<(usize, usize)> {
        let all = &linearization.tangents.places;
        let place = |k: &usize| match all[*k].coordinate {
            Coordinate::Pose { body, direction } => (body.index(), direction),
            Coordinate::Modal { body, .. } => (body.index(), MODAL),
            _ => (usize::MAX, MODAL),
        };
        self.coordinates.iter().map(place).collect()
    }
}

/// How the note begins that an operating point is no equilibrium.
const NOT_STEADY: &str = "not an equilibrium";

/// Why there is no linear form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoForm {
    /// (LIN-2) has no solution.
    #[error(
        "accelerations do not follow from the states here: {0} has neither inertia nor an equation that gives it; give the \
         part a mass, or hold it by joints"
    )]
    Singular(String),
    /// A delay.
    #[error(
        "{0}: DELAY has no linear form with finitely many states; `--pade 3` takes a Padé approximation of order 3 for it (valid: \
         1 to 12)"
    )]
    Delay(String),
    /// A delay whose length changes.
    #[error(
        "{0}: the length of this DELAY depends on more than parameters, and only a fixed delay has a linear form; give it a delay \
         of numbers and parameters"
    )]
    DelayVaries(String),
    /// A loop through delays is closed at once.
    #[error(
        "{0}: with this order of --pade, the input and the output of a DELAY depend on each other instantaneously, and the equations have no solution; choose another order"
    )]
    DelayLoop(String),
    /// A number is not finite.
    #[error("{0} is not finite at this state")]
    NotFinite(String),
}

/// What is said of a mechanism without states.
pub const NO_FREEDOM: &str = "the mechanism has no degree of freedom left: joints and motions hold every part, and \
     no equation has a state, so there are no modes; outputs follow inputs instantaneously";

/// The linear form of a mechanism.
pub fn linear_form(
    mechanism: &Mechanism,
    linearization: &Linearization,
    options: &Options,
) -> Result<LinearForm, NoForm> {
    let mut form = Builder::new(mechanism, linearization, options).build()?;
    if !form.notes.iter().any(|note| note.starts_with(NOT_STEADY)) {
        let note = constant::note(mechanism, linearization, options, &form);
        form.notes.extend(note);
    }
    let mut form = delays::close(form, &linearization.delays, options.pade)?;
    leave_out_what_is_no_number(&mut form);
    form.notes
        .extend(turning::rests(mechanism, linearization, options));
    if form.own_states() == 0 {
        form.notes.push(NO_FREEDOM.to_owned());
    }
    Ok(form)
}

/// Takes out outputs that have no slopes here, as the root of a number below zero, with a note each.
fn leave_out_what_is_no_number(form: &mut LinearForm) {
    let sound =
        |matrix: &Mat<f64>, r: usize| (0..matrix.ncols()).all(|c| matrix[(r, c)].is_finite());
    let kept: Vec<usize> = (0..form.outputs.len())
        .filter(|r| sound(&form.c, *r) && sound(&form.d, *r))
        .collect();
    let lost = (0..form.outputs.len()).filter(|r| !kept.contains(r));
    let notes = lost.map(|r| {
        format!(
            "output \"{}\" has no finite derivatives at this state, for example because of the root of a negative \
             number: it has no row",
            form.outputs[r].name
        )
    });
    let notes: Vec<String> = notes.collect();
    if notes.is_empty() {
        return;
    }
    let rows = |of: &Mat<f64>| Mat::from_fn(kept.len(), of.ncols(), |r, c| of[(kept[r], c)]);
    (form.c, form.d) = (rows(&form.c), rows(&form.d));
    form.outputs = kept.iter().map(|r| form.outputs[*r].clone()).collect();
    form.notes.extend(notes);
}
