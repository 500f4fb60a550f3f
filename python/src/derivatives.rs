//! Control plane: derivatives of a step, and its matrices.

use fixstep::instance::access::Access;
use fixstep::instance::mode::Fmi2;
use fixstep::instance::status::Refusal;
use fixstep_kernel::mechanism::Mechanism;
use fixstep_kernel::simulation::{Carried, CarriedBy, CarriedKind, StepMatrices};
use fixstep_variables::{Slot, VariableTable};
use pyo3::prelude::*;

use crate::arrays::fill;
use crate::course::Course;
use crate::errors::Kind;
use crate::simulation::RawSimulation;
use crate::values::called;
use crate::variables::Handle;

/// The matrices of a step: the changes of what it carries and of outputs after it, by what was carried before it and by
/// inputs.
#[pyclass(frozen, module = "fixstep._fixstep")]
pub(crate) struct Matrices {
    found: StepMatrices,
    states: Vec<(String, &'static str)>,
    /// Columns of the wanted inputs and parameters; inputs beyond their bounds have none, since there they do nothing.
    inputs: Vec<Option<usize>>,
    /// Rows of the wanted outputs that have one.
    outputs: Vec<usize>,
    /// Their places among the wanted ones.
    kept: Vec<usize>,
    switched: Vec<String>,
}

/// Name and unit of a carried number.
fn named(mechanism: &Mechanism, carried: &Carried) -> (String, &'static str) {
    match carried.by {
        CarriedBy::Body(body, k) => {
            let part = &mechanism.bodies[body.index()].name;
            let axis = ["x", "y", "z"][k % 3];
            let (what, unit) = match (carried.kind, k < 3) {
                (CarriedKind::Pose, true) => ("position", "m"),
                (CarriedKind::Pose, false) => ("rotation", "rad"),
                (CarriedKind::Velocity, true) => ("velocity", "m/s"),
                (CarriedKind::Velocity, false) => ("angular_velocity", "rad/s"),
                (CarriedKind::Acceleration, true) => ("acceleration", "m/s2"),
                (CarriedKind::Acceleration, false) => ("angular_acceleration", "rad/s2"),
                (_, true) => ("inertial_force", "N"),
                (_, false) => ("inertial_torque", "N.m"),
            };
            (format!("{part}.{what}.{axis}"), unit)
        }
        CarriedBy::Equation(equation) => {
            let name = &mechanism.equations[equation.index()].quantity.name;
            match carried.kind {
                CarriedKind::Rate => (format!("{name}.rate"), ""),
                CarriedKind::Derivative => (format!("{name}.derivative"), ""),
                _ => (name.clone(), ""),
            }
        }
    }
}

#[pymethods]
impl Matrices {
    /// Names and units of the numbers that a step carries.
    #[getter]
    fn states(&self) -> Vec<(String, &'static str)> {
        self.states.clone()
    }

    /// What changed abruptly in the step, by name.
    #[getter]
    fn switched(&self) -> Vec<String> {
        self.switched.clone()
    }

    /// The outputs that have rows, by their places in the handle.
    #[getter]
    fn kept(&self) -> Vec<usize> {
        self.kept.clone()
    }

    /// Writes A, B, C and D into arrays.
    #[expect(clippy::many_single_char_names, reason = "the letters of control")]
    fn write(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        c: &Bound<'_, PyAny>,
        d: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (n, m) = (self.states.len(), self.found.knowns());
        let columns = |row: &[f64]| -> Vec<f64> {
            let all = self.inputs.iter();
            all.map(|k| k.map_or(0.0, |k| row[k])).collect()
        };
        let row = |k: &usize, width: usize| *k * width..(*k + 1) * width;
        let rows_of = |matrix: &[f64], width: usize| -> Vec<f64> {
            { self.outputs.iter() }
                .flat_map(|k| matrix[row(k, width)].to_vec())
                .collect()
        };
        fill(py, a, &self.found.a)?;
        let chosen: Vec<f64> = (0..n)
            .flat_map(|k| columns(&self.found.b[row(&k, m)]))
            .collect();
        fill(py, b, &chosen)?;
        fill(py, c, &rows_of(&self.found.c, n))?;
        let chosen: Vec<f64> = { self.outputs.iter() }
            .flat_map(|k| columns(&self.found.d[row(k, m)]))
            .collect();
        fill(py, d, &chosen)
    }
}

impl Course {
    /// Is a variable an input that has been asked to be beyond its bounds? It is held there, so a little more changes nothing.
    fn is_held(&self, table: &VariableTable, at: u32) -> bool {
        let Some(variable) = table.variables.get(at as usize) else {
            return false;
        };
        let Slot::Input(input) = variable.slot else {
            return false;
        };
        let asked = self.instance.simulation().farthest_input(input, 0.0);
        let access = Access::of(variable);
        !access.holds(access.meant(asked))
    }

    /// Makes the step that is to come; its matrices.
    fn matrices(
        &mut self,
        (ins, outs): (&[u32], &[u32]),
        table: &VariableTable,
    ) -> PyResult<Matrices> {
        self.start()?;
        let held: Vec<bool> = ins.iter().map(|at| self.is_held(table, *at)).collect();
        let slot = |at: u32| table.variables[at as usize].slot;
        let cells = self.instance.simulation().cells();
        if !self.advance(1)? {
            return Err(Kind::Derivative.error("the model ends the run in this step"));
        }
        let switched = self.instance.simulation().switched(&cells);
        let parameter = |at: &u32| match slot(*at) {
            Slot::Parameter(parameter) => Some(parameter),
            _ => None,
        };
        let parameters: Vec<_> = ins.iter().filter_map(parameter).collect();
        let found = self.instance.step_matrices(&parameters);
        let found = found.map_err(|why| {
            Kind::Derivative.error(format!("there are no matrices of this step, since {why}"))
        })?;
        let all = [&found.a, &found.b, &found.c, &found.d];
        if !all
            .iter()
            .all(|matrix| matrix.iter().all(|x| x.is_finite()))
        {
            let at = if switched.is_empty() {
                String::from("the step")
            } else {
                switched.join(", ")
            };
            return Err(Kind::Derivative.error(format!(
                "a derivative of this step is not finite; look at {at}"
            )));
        }
        let mechanism = self.instance.simulation().mechanism();
        let states = { found.carried.iter() }
            .map(|carried| named(mechanism, carried))
            .collect();
        let mut columns = found.inputs..;
        let input = |(at, held): (&u32, &bool)| {
            match slot(*at) {
            Slot::Input(input) => Ok((!held).then_some(input.index())),
            Slot::Parameter(_) => Ok(columns.next()),
            _ => Err(Kind::Derivative.error(
                "the matrices of a step are by inputs and by parameters of the model; jacobian() has derivatives by states",
            )),
        }
        };
        let row = |at: &u32| match slot(*at) {
            Slot::Output(output) => found.outputs.iter().position(|own| *own == output),
            _ => None,
        };
        let rows = outs.iter().map(row).enumerate();
        let (kept, outputs) = rows.filter_map(|(k, row)| Some((k, row?))).unzip();
        Ok(Matrices {
            inputs: ins.iter().zip(&held).map(input).collect::<PyResult<_>>()?,
            outputs,
            kept,
            states,
            switched,
            found,
        })
    }
}

/// Derivatives of outputs at the end of the last step by inputs, parameters and states, row by row, into an array.
#[pyfunction]
pub(crate) fn derivatives(
    py: Python<'_>,
    simulation: &RawSimulation,
    outputs: &Handle,
    inputs: &Handle,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let names = simulation.names();
    let (unknowns, knowns) = (names.own(outputs)?, names.own(inputs)?);
    let width = knowns.len();
    let mut found = vec![0.0; unknowns.len() * width];
    simulation.apart(py, |course| {
        let rule = called(Fmi2::GetDirectionalDerivative.rule(), "jacobian");
        let refused = |refusal: Refusal| Kind::Derivative.error(refusal.text);
        course.instance.begin(rule).map_err(refused)?;
        for (k, known) in knowns.iter().enumerate() {
            if course.is_held(&names.table, *known) {
                continue;
            }
            let put = &mut |row: usize, value: f64| found[row * width + k] = value;
            let (known, seed) = ([*known], [1.0]);
            course
                .instance
                .directional_derivative(rule, (unknowns, &known), &seed, put)
                .map_err(refused)?;
        }
        Ok(())
    })?;
    fill(py, out, &found)
}

/// Makes the next step and returns its matrices, by inputs and parameters.
#[pyfunction]
pub(crate) fn step_with_matrices(
    py: Python<'_>,
    simulation: &RawSimulation,
    inputs: &Handle,
    outputs: &Handle,
) -> PyResult<Matrices> {
    let names = simulation.names();
    let (ins, outs) = (names.own(inputs)?, names.own(outputs)?);
    let table = &names.table;
    simulation.apart(py, |course| course.matrices((ins, outs), table))
}

/// How all that a step carries differs between two simulations of a model, in the order of the states of its matrices.
#[pyfunction]
pub(crate) fn carried_changes(from: &RawSimulation, to: &RawSimulation) -> PyResult<Vec<f64>> {
    let before = from.hold()?.course()?.instance.simulation().state().clone();
    let mut held = to.hold()?;
    Ok(held.course()?.instance.simulation().carried_since(&before))
}
