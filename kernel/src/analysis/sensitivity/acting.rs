//! Control plane: how a parameter acts in one step, where everything that is carried and solved for is held: on the equations
//! and on the outputs of (SEN-1), by differences; and on inertias, which the forces carried by (ALP-2) contain.

use super::{Point, Sensitivity};
use crate::elements::bodies::Inertia;
use crate::ids::ParameterId;
use crate::integrator::Scheme;
use crate::state::State;
use crate::system::System;
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// How a parameter acts in one step.
#[derive(Clone, Debug)]
pub(super) struct Acting {
    /// −∂r, a padded vector.
    equations: Vec<f64>,
    /// ∂y of outputs with rows.
    outputs: Vec<f64>,
    /// Change of the numbers of elements.
    numbers: Vec<f64>,
}

/// Evaluates the numbers of elements at the leaves of a workspace.
pub type Numbers<'a> = &'a mut dyn FnMut(&System, &mut Workspace, &mut [f64]);

impl Acting {
    /// −∂r, a padded vector.
    pub(super) fn on_equations(&self) -> &[f64] {
        &self.equations
    }

    /// Adds the direct effect on outputs.
    pub(super) fn add_to_outputs(&self, rows: &mut [f64]) {
        for (row, more) in rows.iter_mut().zip(&self.outputs) {
            *row += more;
        }
    }

    /// Change of a body's mass and inertia.
    pub(super) fn inertia(&self, system: &System, body: usize) -> Inertia {
        let n = &self.numbers[system.bodies[body].numbers..][..7];
        Inertia::new(n[0], &[n[1], n[2], n[3], n[4], n[5], n[6]])
    }
}

impl Sensitivity {
    /// How a parameter acts in the step that led to a state.
    pub(super) fn acting(
        &mut self,
        (system, state): (&System, &State),
        scheme: &Scheme,
        (parameter, numbers): (ParameterId, Numbers<'_>),
    ) -> Acting {
        self.seed_parameter(system, parameter);
        self.follow(system, state, numbers);
        self.differ(system, state, &Point::Step(*scheme));
        let equations = self.ws.rhs.iter().map(|x| -x).collect();
        self.response.copy_from_slice(&self.seed);
        self.difference(system, state, |_, _| ());
        let mut outputs = vec![0.0; self.rows.len()];
        if let Some(wide) = &self.wide {
            for (output, row) in wide.outputs() {
                outputs[row] = self.expressions[system.outputs[output].index()];
            }
        }
        Acting {
            equations,
            outputs,
            numbers: self.seed[system.layout.numbers.range()].to_vec(),
        }
    }
}
