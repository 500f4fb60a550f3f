//! Compares every column of A, B, C, D with central differences, for which accelerations are solved again.
//!
//! A state is moved along the shapes of a column. Constraints are then satisfied to first order, and the error is
//! even in the step, so that central differences need no projection.

use fixstep_kernel::analysis::accelerations;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::integrator::{accepted, instant};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::{exp_quaternion, matrix, multiply};
use fixstep_kernel::mechanism::{Mechanism, MotionLevel};
use fixstep_kernel::simulation::{Coordinate, Linearization, Simulation};
use fixstep_kernel::state::{State, vec3};
use fixstep_kernel::system::inputs::COURSE;
use fixstep_kernel::system::layout::BLOCK;
use fixstep_kernel::system::residual::{self, Level};
use fixstep_kernel::system::stage::Evaluated;
use fixstep_kernel::system::{System, eval};
use fixstep_kernel::workspace::Workspace;
use linear_analysis::{LinearForm, Options, form};

mod cases;
mod drives;
mod large;

/// Size of the displacement along a column.
const REACH: f64 = 2e-5;

/// Fractions of it: bristles and contacts have kinks within micrometres, while other elements then show only rounding
/// errors.
const PARTS: [f64; 8] = [1.0, 10.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// Largest number of columns that are compared.
const COLUMNS: usize = 40;

/// Required agreement.
const AGREES: f64 = 1e-6;

/// Rounding error of a value that follows from a solution.
const ROUNDING: f64 = 1e-11;

/// A column of the form, and the corresponding number in the state.
#[derive(Clone, Debug)]
struct Column {
    name: String,
    /// Changes of the states of the form.
    states: Vec<(usize, f64)>,
    /// An input that changes too, and which of its time derivatives.
    input: Option<(usize, usize)>,
    /// A number of the state of motions that changes too.
    motion: Option<usize>,
}

/// The values that follow from a state.
#[derive(Debug)]
struct Values {
    /// x_v', z', outputs, Φ, Φ̇.
    all: Vec<f64>,
}

struct Bench {
    system: System,
    base: State,
    ws: Workspace,
    form: LinearForm,
    coordinates: Vec<Coordinate>,
    /// Values with the same unit, by indices in [`Values`].
    classes: Vec<(u8, usize)>,
    equations: Vec<usize>,
    independent: Vec<usize>,
}

impl Bench {
    fn new(simulation: &mut Simulation, linearization: &Linearization, form: LinearForm) -> Self {
        let mechanism = simulation.mechanism().clone();
        let part = simulation.part();
        let whole = part.system.with_modal_inertia(&mechanism, true);
        let system = whole.unwrap_or_else(|| part.system.clone());
        let mut base = part.state.clone();
        let mut ws = Workspace::new(&system);
        base.span_mut(system.layout.history).fill(0.0);
        base.reals[system.layout.inertia_weight.first] = 1.0;
        accelerations::solve_moving(&system, &mut base, &mut ws).unwrap();
        let places = &linearization.tangents.places;
        let list = form.shapes.coordinates.iter();
        let coordinates: Vec<Coordinate> = list.map(|k| places[*k].coordinate).collect();
        let f = form.positions;
        let own = |state: usize| {
            let is_one = |k: &usize| {
                (0..form.states.len())
                    .all(|c| form.shapes.positions[(*k, c)] == f64::from(u8::from(c == state)))
            };
            let named =
                |k: &usize| places[form.shapes.coordinates[*k]].unknown == form.states[state].name;
            (0..coordinates.len())
                .find(|k| is_one(k) && named(k))
                .unwrap()
        };
        let independent = (0..f).map(own).collect();
        let states = places.iter().filter_map(|place| match place.coordinate {
            Coordinate::State(k) => Some(k.index()),
            _ => None,
        });
        Self {
            equations: states.collect(),
            system,
            base,
            ws,
            form,
            coordinates,
            classes: Vec::new(),
            independent,
        }
    }

    /// The rotation of a body relative to the base state.
    fn turned(&self, body: BodyId) -> fixstep_kernel::math::Mat3 {
        matrix(&self.base.quaternion(&self.system.layout, body.index()))
    }

    /// The state moved along a column by a step.
    fn moved(&self, column: &Column, step: f64) -> State {
        let (system, mut state) = (&self.system, self.base.clone());
        let layout = &system.layout;
        let along = |of: &faer::Mat<f64>, k: usize| -> f64 {
            column
                .states
                .iter()
                .map(|(c, by)| of[(k, *c)] * by * step)
                .sum()
        };
        for (k, coordinate) in self.coordinates.iter().enumerate() {
            let (dq, dv) = (
                along(&self.form.shapes.positions, k),
                along(&self.form.shapes.velocities, k),
            );
            match coordinate {
                Coordinate::Pose { body, direction } if *direction < 3 => {
                    let body = body.index();
                    let (mut r, q) = (state.position(layout, body), state.quaternion(layout, body));
                    r[*direction] += dq;
                    state.set_pose(layout, body, &r, &q);
                    state.reals[layout.velocity.first + BLOCK * body + direction] += dv;
                }
                // All rotations of a body are one vector.
                Coordinate::Pose { body, direction: 3 } => {
                    let psi = Vec3::new(
                        dq,
                        along(&self.form.shapes.positions, k + 1),
                        along(&self.form.shapes.positions, k + 2),
                    );
                    let spin = Vec3::new(
                        dv,
                        along(&self.form.shapes.velocities, k + 1),
                        along(&self.form.shapes.velocities, k + 2),
                    );
                    let turned = self.turned(*body);
                    let body = body.index();
                    let (r, q) = (state.position(layout, body), state.quaternion(layout, body));
                    let q = multiply(&q, &exp_quaternion(&turned.tr_mul(&psi)));
                    state.set_pose(layout, body, &r, &q);
                    let change = turned.tr_mul(&spin);
                    let at = layout.velocity.first + BLOCK * body + 3;
                    for n in 0..3 {
                        state.reals[at + n] += change[n];
                    }
                }
                Coordinate::Modal { body, mode } => {
                    let entry = &system.flexibles[system.bodies[body.index()].flexible.unwrap()];
                    let n = entry.modal.first + mode;
                    state.reals[layout.modal.first + n] += dq;
                    state.reals[layout.velocity.first + system.modal_first() + n] += dv;
                }
                _ => {}
            }
        }
        let first = 2 * self.form.positions;
        for (c, by) in &column.states {
            if let Some(k) = c.checked_sub(first).filter(|k| *k < self.equations.len()) {
                state.reals[layout.states.first + self.equations[k]] += by * step;
            }
        }
        match column.input {
            Some((k, 0)) => state.reals[layout.inputs.first + k] += step,
            Some((k, order)) => {
                state.reals[layout.courses.first + COURSE * k + order - 1] += step;
            }
            None => {}
        }
        if let Some(at) = column.motion {
            state.reals[layout.motions.first + at] += step;
        }
        state
    }

    fn values(&mut self, mut state: State) -> Values {
        let (system, ws) = (&self.system, &mut self.ws);
        accelerations::solve_moving(system, &mut state, ws).unwrap();
        let layout = &system.layout;
        let mut all = Vec::new();
        let mut classes = Vec::new();
        let acceleration = |coordinate: &Coordinate| match coordinate {
            Coordinate::Pose { body, direction } => {
                let rates = state.span(layout.acceleration);
                let at = BLOCK * body.index();
                let q = self.base.quaternion(layout, body.index());
                match direction {
                    0..3 => rates[at + direction],
                    _ => (matrix(&q) * vec3(rates, at + 3))[direction - 3],
                }
            }
            Coordinate::Modal { body, mode } => {
                let entry = &system.flexibles[system.bodies[body.index()].flexible.unwrap()];
                let at = system.modal_first() + entry.modal.first + mode;
                state.span(layout.acceleration)[at]
            }
            _ => unreachable!(),
        };
        for k in &self.independent {
            let coordinate = &self.coordinates[*k];
            all.push(acceleration(coordinate));
            classes.push(match coordinate {
                Coordinate::Pose { direction, .. } => (0, direction / 3),
                _ => (1, 0),
            });
        }
        let time = state.time(layout);
        accepted::load_history(system, &state, ws);
        let mut placed = eval::kinematics_at_state(system, &state, ws);
        accepted::count_angles(system, &mut state, &placed);
        let integrated = state.span(layout.motions);
        placed.targets(system, &state, time, |m| {
            (integrated[2 * m], integrated[2 * m + 1])
        });
        residual::evaluate(system, &state, placed, time);
        for k in &self.equations {
            all.push(eval::equation(system, ws, *k));
            classes.push((2, *k));
        }
        instant::show_outputs(system, &state, Evaluated::kept(ws));
        for (k, output) in system.outputs.iter().enumerate() {
            all.push(ws.expressions[output.index()]);
            classes.push((3, k));
        }
        for level in [Level::Position, Level::Velocity] {
            residual::assemble(system, &state, Evaluated::kept(ws), 1.0, level);
            for group in system.groups.iter().filter(|g| !g.adds()) {
                for k in 0..group.rows.range().len() {
                    all.push(ws.rhs[group.block.offset() + k]);
                    classes.push((4, 0));
                }
            }
        }
        self.classes = classes;
        Values { all }
    }

    /// The values along a column according to the form; `None` if there is no row.
    fn said(&self, column: &Column, shown: &[usize], base: &Values) -> Vec<Option<f64>> {
        let form = &self.form;
        let f = form.positions;
        let by = |of: &faer::Mat<f64>, inputs: &faer::Mat<f64>, row: usize| -> f64 {
            let own: f64 = column.states.iter().map(|(c, by)| of[(row, *c)] * by).sum();
            match column.input {
                Some((k, 0)) => own + inputs[(row, k)],
                _ => own,
            }
        };
        let mut said = Vec::new();
        // Rolled positions come last; what velocities say of them is in the shapes.
        let rolled = form.position_states().len() - f;
        for r in 0..f + form.equations - rolled {
            said.push(Some(by(&form.a, &form.b, f + r)));
        }
        for k in 0..self.system.outputs.len() {
            let row = shown.iter().position(|own| *own == k);
            said.push(row.map(|row| by(&form.c, &form.d, row)));
        }
        said.resize(base.all.len(), Some(0.0));
        // δa = d(δv)/dt − W δv: what accelerations become is R δω̇.
        for (r, k) in self.independent.iter().enumerate() {
            let Coordinate::Pose { body, direction } = self.coordinates[*k] else {
                continue;
            };
            if direction < 3 {
                continue;
            }
            let (_, omega) = self.base.rates(self.system.layout.velocity, body.index());
            let omega = self.turned(body) * omega;
            let first = k + 3 - direction;
            let mut spin = Vec3::zeros();
            for n in 0..3 {
                let row = &form.shapes.velocities;
                spin[n] = column
                    .states
                    .iter()
                    .map(|(c, by)| row[(first + n, *c)] * by)
                    .sum();
            }
            let turning = omega.cross(&spin)[direction - 3];
            said[r] = said[r].map(|x| x - turning);
        }
        said
    }

    fn check(&mut self, what: &str, column: &Column, shown: &[usize]) {
        let base = self.values(self.base.clone());
        let said = self.said(column, shown, &base);
        let mut closest = vec![(f64::INFINITY, 0.0, 0.0); said.len()];
        for part in PARTS {
            let mut rows = said.iter().zip(&closest);
            if rows.all(|(said, closest)| said.is_none() || closest.0 <= 1.0) {
                return;
            }
            let h = part * self.reach(column);
            let at = [h, -h, 2.0 * h, -2.0 * h].map(|step| {
                let state = self.moved(column, step);
                self.values(state).all
            });
            let wanted: Vec<f64> = (0..said.len())
                .map(|k| (8.0 * (at[0][k] - at[1][k]) - (at[2][k] - at[3][k])) / (12.0 * h))
                .collect();
            for (k, said) in said.iter().enumerate() {
                let Some(said) = said else { continue };
                let alike = (0..wanted.len()).filter(|n| self.classes[*n] == self.classes[k]);
                let (size, value) = alike.fold((0.0_f64, 1.0_f64), |(size, value), n| {
                    (size.max(wanted[n].abs()), value.max(base.all[n].abs()))
                });
                // Constraints that are met have no size of their own.
                let size = if self.classes[k].0 == 4 { 1.0 } else { size };
                let error = (said - wanted[k]).abs() / (AGREES * size + ROUNDING * value / h);
                if error < closest[k].0 {
                    closest[k] = (error, *said, wanted[k]);
                }
            }
        }
        for (k, _) in said.iter().enumerate().filter(|(_, said)| said.is_some()) {
            let (error, got, wanted) = closest[k];
            assert!(
                error <= 1.0,
                "{what}, {} by {}: {got} for {wanted}",
                self.called(k),
                column.name
            );
        }
    }

    /// The size of the displacement along a column.
    fn reach(&self, column: &Column) -> f64 {
        let layout = &self.system.layout;
        let own = match column.input {
            Some((k, 0)) => self.base.span(layout.inputs)[k].abs().max(1.0),
            Some(_) => 1.0,
            None => {
                let first = 2 * self.form.positions;
                let of = |c: &usize| c.checked_sub(first).filter(|k| *k < self.equations.len());
                let state = column.states.iter().find_map(|(c, _)| of(c));
                state.map_or(1.0, |k| {
                    self.base.span(layout.states)[self.equations[k]]
                        .abs()
                        .max(1.0)
                })
            }
        };
        let widest = |of: &faer::Mat<f64>| {
            let all = (0..of.nrows()).map(|k| {
                let change: f64 = column.states.iter().map(|(c, by)| of[(k, *c)] * by).sum();
                change.abs()
            });
            all.fold(0.0_f64, f64::max)
        };
        let shapes = &self.form.shapes;
        let widest = widest(&shapes.positions).max(0.1 * widest(&shapes.velocities));
        REACH * own / widest.max(1.0)
    }

    fn called(&self, k: usize) -> String {
        let f = self.form.positions;
        match k {
            _ if k < f + self.form.equations => format!("rate of {}", self.form.states[f + k].name),
            _ => format!("{:?}", self.classes[k]),
        }
    }
}

/// All columns: states, states of motions, and inputs with their derivatives if motions follow them.
fn columns(mechanism: &Mechanism, linearization: &Linearization, form: &LinearForm) -> Vec<Column> {
    let first = 2 * form.positions + form.equations;
    let mut all: Vec<Column> = (0..first)
        .map(|c| Column {
            name: form.states[c].name.clone(),
            states: vec![(c, 1.0)],
            input: None,
            motion: None,
        })
        .collect();
    let given = |level: MotionLevel| match level {
        MotionLevel::Displacement => 0,
        MotionLevel::Velocity => 1,
        MotionLevel::Acceleration => 2,
    };
    let drives = &linearization.drives;
    for (d, drive) in drives.iter().enumerate() {
        for order in 0..given(drive.level) {
            let named = |m: &fixstep_kernel::mechanism::Motion| {
                drive.name == format!("motion \"{}\"", m.name)
            };
            let m = mechanism.motions.iter().position(named).unwrap();
            all.push(Column {
                name: format!("{} of order {order}", drive.name),
                states: vec![(first + 3 * d + order, 1.0)],
                input: None,
                motion: Some(2 * m + order),
            });
        }
    }
    for k in 0..form.inputs.len() {
        let orders = if drives.iter().any(|d| d.slopes[k] != 0.0) {
            3
        } else {
            1
        };
        for order in 0..orders {
            let follows = drives.iter().enumerate().filter_map(|(d, drive)| {
                let at = given(drive.level) + order;
                (at < 3 && drive.slopes[k] != 0.0).then(|| (first + 3 * d + at, drive.slopes[k]))
            });
            all.push(Column {
                name: format!("input {} of order {order}", form.inputs[k].name),
                states: follows.collect(),
                input: Some((k, order)),
                motion: None,
            });
        }
    }
    all
}

/// Compares every column at the present state.
fn check(what: &str, simulation: &mut Simulation) -> LinearForm {
    let linearization = simulation.linearization();
    let linearization = linearization
        .map_err(|e| format!("{what}: {}", e.message))
        .unwrap();
    let form = form::linear_form(simulation.mechanism(), &linearization, &Options::default());
    let form = form.map_err(|e| format!("{what}: {e}")).unwrap();
    let columns = columns(simulation.mechanism(), &linearization, &form);
    let mut bench = Bench::new(simulation, &linearization, form.clone());
    // Of many, one in a few.
    let stride = columns.len().div_ceil(COLUMNS).max(1);
    for column in columns.iter().step_by(stride) {
        bench.check(what, column, &linearization.shown);
    }
    form
}
