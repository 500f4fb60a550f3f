//! Control plane: the layout of the state: which span of numbers holds what.

use crate::state::FIGURES;
use crate::system::curves::FEET;
use crate::system::energy::{ACCOUNT, GUARD, PLACE, TURN};
use crate::system::inputs::COURSE;
use crate::system::ramp::RAMP;

/// Numbers of a pose: position, quaternion.
pub const POSE: usize = 7;
/// Numbers of a velocity or acceleration: linear, angular.
pub const RATE: usize = 6;
/// Unknowns of a block; every block is padded to this size.
pub const BLOCK: usize = 6;

/// History of a state: the scheme's own rate, the derivative, and the mean rates of the last step and
/// of the one before [1/s].
pub const STATE_HISTORY: usize = 4;

/// A contiguous part of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First element.
    pub first: usize,
    /// Number of elements.
    pub len: usize,
}

impl Span {
    /// As a range.
    pub const fn range(&self) -> core::ops::Range<usize> {
        self.first..self.first + self.len
    }
}

/// The spans of [`crate::state::State::reals`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Number of bodies, including ground.
    pub bodies: usize,
    /// Time base and step size \[s\].
    pub time: Span,
    /// Poses of the centres of mass.
    pub pose: Span,
    /// Modal coordinates of flexible bodies.
    pub modal: Span,
    /// Velocities, of all bodies and then of modal coordinates; the next three spans likewise.
    pub velocity: Span,
    /// Accelerations.
    pub acceleration: Span,
    /// Displacements of the last step: Δ of bodies and modal coordinates.
    pub moved: Span,
    /// Accelerations before the last step.
    pub last_acceleration: Span,
    /// What a scheme carries from the last step, per body: its history term (linear in ground, angular in body axes);
    /// for flexible bodies b of (ALP-3).
    pub history: Span,
    /// Forces at the last accepted step, likewise; for flexible bodies accelerations u̇.
    pub forces: Span,
    /// Weight of the inertia term in the last step.
    pub inertia_weight: Span,
    /// States of the differential equations.
    pub states: Span,
    /// What a scheme carries from the last step, [`STATE_HISTORY`] numbers per state.
    pub state_history: Span,
    /// Angles that count turns.
    pub angles: Span,
    /// Memory of contacts.
    pub contacts: Span,
    /// Feet (contact points) of the joints on curves.
    pub feet: Span,
    /// Displacement and rate of each motion, integrated if its expression gives a rate.
    pub motions: Span,
    /// Start time and length of the ramp \[s\]; then flags, 1 if gravity and if inputs follow it.
    pub ramp: Span,
    /// Effective inputs at the accepted state.
    pub inputs: Span,
    /// What inputs remember of communication steps, as the settings say.
    pub remembered: Span,
    /// Derivatives of the inputs, [`COURSE`] numbers each.
    pub courses: Span,
    /// Parameters as set.
    pub parameters: Span,
    /// Numbers of elements, from constants and parameters.
    pub numbers: Span,
    /// Figures of the last step.
    pub figures: Span,
    /// The account of energies.
    pub account: Span,
    /// Memory of the guard.
    pub guard: Span,
    /// Last positions of spheres that could pass through a shape, [`PLACE`] numbers each.
    pub passing: Span,
    /// Largest magnitudes at which implicit variables solved their equations.
    pub solved: Span,
    /// Requested inputs, possibly beyond their bounds.
    pub asked: Span,
    /// Multipliers, padded by block.
    pub multipliers: Span,
    /// Multipliers before the last step, likewise.
    pub last_multipliers: Span,
    /// Multipliers μ of the last step in formulation SI2, likewise.
    pub corrections: Span,
    /// Numbers of elements with a memory.
    pub memory: Span,
    /// Memory of delays. It comes last, since its length depends on the step.
    pub delays: Span,
    /// Total length.
    pub len: usize,
}

/// The counts that determine a layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// Bodies, ground included.
    pub bodies: usize,
    /// Modal coordinates.
    pub modes: usize,
    /// Differential equations.
    pub equations: usize,
    /// Counted angles.
    pub angles: usize,
    /// Numbers that contacts remember.
    pub contacts: usize,
    /// Joints on curves.
    pub curve_joints: usize,
    /// Motions.
    pub motions: usize,
    /// Contacts whose shapes can pass through one another.
    pub passing: usize,
    /// Implicit variables.
    pub variables: usize,
    /// Rows of motions that are angles.
    pub driven_angles: usize,
    /// Inputs.
    pub inputs: usize,
    /// Numbers that inputs remember of communication steps.
    pub remembered: usize,
    /// Parameters.
    pub parameters: usize,
    /// Numbers of elements.
    pub numbers: usize,
    /// Constraint groups.
    pub groups: usize,
    /// Numbers that are held between steps.
    pub memory: usize,
    /// Numbers of delays.
    pub delays: usize,
}

impl Layout {
    /// Lays the spans out one after another.
    pub fn new(sizes: &Sizes) -> Self {
        let mut layout = Self {
            bodies: sizes.bodies,
            ..Self::default()
        };
        let mut next = 0;
        let mut take = |len: usize| {
            let span = Span { first: next, len };
            next += len;
            span
        };
        layout.time = take(2);
        layout.pose = take(POSE * sizes.bodies);
        layout.modal = take(sizes.modes);
        let rates = RATE * sizes.bodies + sizes.modes;
        layout.velocity = take(rates);
        layout.acceleration = take(rates);
        layout.moved = take(rates);
        layout.last_acceleration = take(rates);
        layout.history = take(rates);
        layout.forces = take(rates);
        layout.inertia_weight = take(1);
        layout.states = take(sizes.equations);
        layout.state_history = take(STATE_HISTORY * sizes.equations);
        // Spans that grow with the equations stand together.
        layout.solved = take(sizes.variables);
        layout.angles = take(sizes.angles);
        layout.contacts = take(sizes.contacts);
        layout.feet = take(FEET * sizes.curve_joints);
        layout.motions = take(2 * sizes.motions);
        layout.ramp = take(RAMP);
        layout.inputs = take(sizes.inputs);
        layout.courses = take(COURSE * sizes.inputs);
        layout.parameters = take(sizes.parameters);
        layout.numbers = take(sizes.numbers);
        layout.figures = take(FIGURES);
        layout.account = take(ACCOUNT);
        layout.guard = take(GUARD + TURN * sizes.driven_angles);
        layout.passing = take(PLACE * sizes.passing);
        layout.asked = take(sizes.inputs);
        layout.multipliers = take(BLOCK * sizes.groups);
        layout.last_multipliers = take(BLOCK * sizes.groups);
        layout.corrections = take(BLOCK * sizes.groups);
        layout.memory = take(sizes.memory);
        layout.remembered = take(sizes.remembered);
        layout.delays = take(sizes.delays);
        layout.len = next;
        layout
    }
}
