//! Control plane: runs that solve every instant by itself instead of integrating: kinematic and quasi-static runs.
//!
//! The state moves from one instant to the next in parts that are as short as the search needs. If an instant cannot be
//! reached, halving the part locates where the way ends.

pub mod freedom;
pub mod kinematic;
mod motions;
pub mod obstacles;
pub mod quasi_static;
mod singular;

use crate::elements::wrench::six;
use crate::linalg::{Sequence, TileMatrix};
use crate::math::Vec3;
use crate::math::rotation::{exp_quaternion, log_quaternion, multiply, normalized};
use crate::mechanism::Mechanism;
use crate::state::{Counter, State, vec3};
use crate::system::layout::BLOCK;
use crate::system::stage::Constrained;
use crate::system::{System, inputs, jacobian};
use crate::workspace::Workspace;
use alloc::string::String;
use alloc::vec::Vec;

/// The shortest part of an interval between output times that is tried.
const SHORTEST: f64 = 1.0 / 1_073_741_824.0;

/// A mechanism at an instant, and what the search for others needs.
pub struct Instants<'a> {
    /// The model, for names and settings.
    pub mechanism: &'a Mechanism,
    /// The compiled mechanism without redundant rows.
    pub system: &'a System,
    /// The present instant.
    pub state: &'a mut State,
    /// Scratch, and what is shown.
    pub ws: &'a mut Workspace,
    /// Characteristic length \[m\].
    pub length: f64,
    /// The longest part of an interval \[s\].
    pub longest: f64,
    /// Is the equilibrium that a quasi-static run comes from unstable?
    pub unstable: bool,
}

/// Why an instant cannot be reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Halt {
    /// The last instant that was reached \[s\].
    pub reached: f64,
    /// The reason, with the names of the entities.
    pub why: String,
}

/// How far a body moves: displacement of the centre of mass and rotation vector, ground axes.
type Travel = (Vec3, Vec3);

impl Instants<'_> {
    /// The time of the state \[s\].
    pub fn time(&self) -> f64 {
        self.state.time(&self.system.layout)
    }

    /// Moves time on, with inputs and the motions that prescribe a rate; bodies stay.
    fn move_time(&mut self, to: f64) {
        let (system, time) = (self.system, self.time());
        let ends = motions::integrate(system, self.state, self.ws, to - time);
        let layout = &system.layout;
        inputs::advance(layout, self.state, &system.input_bounds, to - time);
        for (m, (displacement, rate)) in ends.into_iter().enumerate() {
            let span = self.state.span_mut(layout.motions);
            (span[2 * m], span[2 * m + 1]) = (displacement, rate);
        }
        self.state.reals[layout.time.first] = to;
        *self.state.counter_mut(Counter::SinceBase) = 0;
    }

    /// The mass matrix with the constraints, at the poses that were evaluated last. A mechanism without freedom moves as
    /// its constraints demand, whatever its masses are: it has equal ones here, so that none is light beside the others.
    fn metric(&mut self) -> TileMatrix {
        let mut matrix = self.system.matrix();
        let even = (self.system.freedoms() == 0).then(|| self.with_equal_masses());
        let state = even.as_ref().unwrap_or(self.state);
        let constrained = &mut Constrained::kept(self.ws);
        jacobian::assemble_softened_metric(self.system, state, constrained, &mut matrix);
        matrix
    }

    /// The state with 1 kg in every rigid body, at the characteristic length.
    fn with_equal_masses(&self) -> State {
        let mut state = self.state.clone();
        let square = self.length * self.length;
        let numbers = state.span_mut(self.system.layout.numbers);
        for entry in &self.system.bodies {
            if entry.block.is_some() && entry.flexible.is_none() {
                let own = [1.0, square, square, square, 0.0, 0.0, 0.0];
                numbers[entry.numbers..entry.numbers + own.len()].copy_from_slice(&own);
            }
        }
        state
    }

    /// The changes δ of the bodies with G δ = c that are the smallest in the metric of the mass matrix; c is what the
    /// right-hand side holds of the constraints. `None` if no number follows.
    fn correction(&mut self, factors: &mut Sequence) -> Option<Vec<[f64; BLOCK]>> {
        for block in self.system.bodies.iter().filter_map(|b| b.block) {
            self.ws.rhs[block.offset()..block.offset() + BLOCK].fill(0.0);
        }
        for entry in &self.system.equations {
            self.ws.rhs[entry.block.offset() + entry.place] = 0.0;
        }
        let matrix = self.metric();
        let rhs = &mut self.ws.rhs;
        factors.solve(&self.system.pattern, &matrix, rhs).ok()?;
        let finite = rhs.iter().all(|x| x.is_finite());
        finite.then(|| {
            let of = |entry: &crate::system::BodyEntry| {
                let at = entry.block.map_or(0, crate::linalg::BlockId::offset);
                core::array::from_fn(|k| if k < entry.dof { rhs[at + k] } else { 0.0 })
            };
            self.system.bodies.iter().map(of).collect()
        })
    }

    /// Moves the bodies.
    fn displace(&mut self, by: &[[f64; BLOCK]]) {
        let layout = &self.system.layout;
        for (body, s) in by.iter().enumerate() {
            if self.system.bodies[body].block.is_none() {
                continue;
            }
            let r = self.state.position(layout, body) + vec3(s, 0);
            let turn = exp_quaternion(&vec3(s, 3));
            let q = multiply(&turn, &self.state.quaternion(layout, body));
            self.state.set_pose(layout, body, &r, &normalized(&q));
        }
    }

    /// How far each body has moved since another instant.
    fn travels(&self, since: &State) -> Vec<Travel> {
        let layout = &self.system.layout;
        let of = |body: usize| {
            let [w, x, y, z] = since.quaternion(layout, body);
            let turned = multiply(&self.state.quaternion(layout, body), &[w, -x, -y, -z]);
            let moved = self.state.position(layout, body) - since.position(layout, body);
            (moved, log_quaternion(&turned))
        };
        (0..self.system.bodies.len()).map(of).collect()
    }

    /// The size of a travel [characteristic lengths, rad].
    fn size(&self, (moved, turned): &Travel) -> f64 {
        (moved.norm() / self.length).max(turned.norm())
    }

    /// A travel as six numbers.
    fn numbers((moved, turned): &Travel) -> [f64; BLOCK] {
        six(moved, turned)
    }
}
