//! Data plane: directional and adjoint derivatives of a step, from analytic matrices.
//!
//! ```text
//! J δz = −B δs,   δy = C δz + D δs           a direction, many outputs
//! Jᵀ μ = Cᵀ w,    s̄ = Dᵀ w − Bᵀ μ            weights of outputs, all that is set     (SEN-6)
//! ```
//! J, B, C, D are those of (SEN-5). Numbers of elements that follow parameters have no analytic derivatives: only for
//! them are ∂r/∂s and ∂y/∂s differenced, at a fixed z. A state's value at the beginning of the step occurs only in
//! its own row.

use super::{Point, Sensitivity};
use crate::elements::kinematics::Weights;
use crate::ids::{EquationId, InputId, OutputId, ParameterId};
use crate::math::Vec3;
use crate::math::rotation::right_tangent_inverse;
use crate::state::{State, vec3};
use crate::system::System;

/// Change of a body's motion along a direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct BodyChange {
    /// Its centre of mass, ground axes.
    pub place: Vec3,
    /// The rotation, ground axes.
    pub turn: Vec3,
    /// The velocity of the centre of mass, ground axes.
    pub velocity: Vec3,
    /// The angular velocity, body axes.
    pub spin: Vec3,
}

impl Sensitivity {
    /// Are the derivatives at this point analytic?
    pub fn is_analytic(&self, point: &Point) -> bool {
        self.wide.is_some() && matches!(point, Point::Step(_)) && !point.stabilised()
    }

    /// Does an output have a row of analytic derivatives? An output that reads an energy, a power or a largest
    /// displacement has none.
    pub fn has_row(&self, output: OutputId) -> bool {
        let row = self.wide.as_ref().and_then(|wide| wide.row(output));
        row.is_some()
    }

    /// Restricts the seed to numbers and parameters; moves its inputs and states to buffers.
    fn put_aside(&mut self, system: &System) {
        let layout = &system.layout;
        for (kept, span) in [
            (&mut self.rates, layout.inputs),
            (&mut self.begun, layout.states),
        ] {
            let seed = &mut self.seed[span.range()];
            kept.copy_from_slice(seed);
            seed.fill(0.0);
        }
    }

    /// Does the seed change parameters or numbers of elements?
    fn moves_numbers(&self, system: &System) -> bool {
        let layout = &system.layout;
        let spans = [layout.parameters, layout.numbers];
        spans
            .iter()
            .any(|span| self.seed[span.range()].iter().any(|x| *x != 0.0))
    }

    /// Computes (SEN-6) along the seed. `rest`: values without a row are wanted too, and `show` gives them.
    pub(super) fn respond_by_tangents(
        &mut self,
        (system, base): (&System, &State),
        point: &Point,
        rest: bool,
        mut show: impl FnMut(&State, &mut [f64]),
    ) {
        self.put_aside(system);
        let by_numbers = self.moves_numbers(system);
        if by_numbers {
            self.move_motions(system, base);
            self.differ(system, base, point);
            for x in &mut self.ws.rhs {
                *x = -*x;
            }
        } else {
            self.ws.rhs.fill(0.0);
        }
        let weights = point.weights();
        for (entry, begun) in system.equations.iter().zip(&self.begun) {
            if !entry.is_algebraic() {
                let at = entry.block.offset() + entry.place;
                self.ws.rhs[at] += begun / entry.weight(&weights);
            }
        }
        let Some(wide) = &self.wide else { return };
        wide.respond(&self.rates, &mut self.ws.rhs);
        self.factor.solve(&mut self.ws.rhs);
        self.solution.copy_from_slice(&self.ws.rhs);
        wide.show(&self.solution, &self.rates, &mut self.rows);
        if by_numbers {
            self.response.copy_from_slice(&self.seed);
            self.difference(system, base, &mut show);
            self.add_expressions(system);
        }
        if rest {
            self.response.copy_from_slice(&self.seed);
            self.response[system.layout.inputs.range()].copy_from_slice(&self.rates);
            self.ws.rhs.copy_from_slice(&self.solution);
            self.spread(system, base, &weights);
            self.difference(system, base, &mut show);
        }
        for (k, entry) in system.equations.iter().enumerate() {
            let change = self.solution[entry.block.offset() + entry.place];
            self.values[k] = entry.weight(&weights) * change;
        }
    }

    /// Adds the direct effect of numbers and parameters on outputs.
    fn add_expressions(&mut self, system: &System) {
        let Some(wide) = &self.wide else { return };
        for (output, row) in wide.outputs() {
            self.rows[row] += self.expressions[system.outputs[output].index()];
        }
    }

    /// The change of an output, from [`Self::respond`].
    pub fn of_output(&self, system: &System, output: OutputId) -> f64 {
        let row = self.wide.as_ref().and_then(|wide| wide.row(output));
        match row {
            Some(row) if self.by_rows => self.rows[row],
            _ => self.expressions[system.outputs[output.index()].index()],
        }
    }

    /// Has [`Self::respond`] left a solution, so that [`Self::of_body`] can be used?
    pub fn by_rows(&self) -> bool {
        self.by_rows
    }

    /// The solution, a padded vector of the system.
    pub fn solution(&self) -> &[f64] {
        &self.solution
    }

    /// The change of a body's motion for a solution.
    pub fn of_body(
        system: &System,
        base: &State,
        (body, weights): (usize, &Weights),
        solution: &[f64],
    ) -> BodyChange {
        let entry = &system.bodies[body];
        let Some(block) = entry.block else {
            return BodyChange::default();
        };
        let change = vec3(solution, block.offset());
        let mut found = BodyChange {
            place: change * weights.x,
            velocity: change * weights.u,
            ..BodyChange::default()
        };
        if entry.dof == 6 {
            let psi = vec3(solution, block.offset() + 3);
            let rotation = base.rotation(&system.layout, body);
            let (_, theta) = base.rates(system.layout.moved, body);
            let tangent = right_tangent_inverse(&(rotation * theta));
            found.turn = psi * weights.x;
            found.spin = rotation.tr_mul(&(tangent * psi)) * weights.u;
        }
        found
    }

    /// Begins a weighted sum of outputs and unknowns.
    pub fn begin_sum(&mut self) {
        self.rows.fill(0.0);
        self.ws.rhs.fill(0.0);
    }

    /// Adds an output to the sum.
    pub fn add_output(&mut self, output: OutputId, weight: f64) {
        if let Some(row) = self.wide.as_ref().and_then(|wide| wide.row(output)) {
            self.rows[row] += weight;
        }
    }

    /// Adds a state to the sum.
    pub fn add_state(&mut self, system: &System, point: &Point, (k, weight): (EquationId, f64)) {
        let entry = &system.equations[k.index()];
        let at = entry.block.offset() + entry.place;
        self.ws.rhs[at] += entry.weight(&point.weights()) * weight;
    }

    /// Adds to the sum a linear function of the solution at some indices of the padded vector.
    pub fn add_places(
        &mut self,
        places: impl Iterator<Item = usize>,
        weight: f64,
        of: impl Fn(&[f64]) -> f64,
    ) {
        self.solution.fill(0.0);
        for at in places {
            self.solution[at] = 1.0;
            self.ws.rhs[at] += of(&self.solution) * weight;
            self.solution[at] = 0.0;
        }
    }

    /// Solves for the gradient of the sum, with the transposed factors of [`Self::prepare`].
    pub fn solve_sum(&mut self) {
        let Some(wide) = &self.wide else { return };
        wide.add_output_adjoints(&self.rows, &mut self.ws.rhs);
        self.factor.solve_transposed(&mut self.ws.rhs);
        self.solution.copy_from_slice(&self.ws.rhs);
        wide.input_adjoints(&self.rows, &self.solution, &mut self.rates);
    }

    /// Derivative of the sum in an input.
    pub fn sum_by_input(&self, input: InputId) -> f64 {
        self.rates[input.index()]
    }

    /// Derivative of the sum in a state at the beginning of the step.
    pub fn sum_by_state(&self, system: &System, point: &Point, k: EquationId) -> f64 {
        let entry = &system.equations[k.index()];
        if entry.is_algebraic() {
            return 0.0;
        }
        self.solution[entry.block.offset() + entry.place] / entry.weight(&point.weights())
    }

    /// Derivative of the sum along the parameters and numbers in the seed.
    pub fn sum_by_numbers(
        &mut self,
        (system, base): (&System, &State),
        point: &Point,
        show: impl FnMut(&State, &mut [f64]),
    ) -> f64 {
        self.move_motions(system, base);
        self.differ(system, base, point);
        let products = self.solution.iter().zip(&self.ws.rhs).map(|(a, b)| a * b);
        let by_equations: f64 = products.sum();
        self.response.copy_from_slice(&self.seed);
        self.difference(system, base, show);
        let Some(wide) = &self.wide else { return 0.0 };
        let own = { wide.outputs() }
            .map(|(output, row)| self.rows[row] * self.expressions[system.outputs[output].index()]);
        own.sum::<f64>() - by_equations
    }

    /// Sets the seed to one parameter alone, before numbers follow it.
    pub fn seed_parameter(&mut self, system: &System, parameter: ParameterId) {
        self.seed.fill(0.0);
        self.seed[system.layout.parameters.first + parameter.index()] = 1.0;
    }
}
