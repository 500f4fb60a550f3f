//! The tangents behind the door against central differences of the residual, and against textbooks.

use crate::newton::base;
use fixstep_kernel::elements::bodies::InertiaTerm;
use fixstep_kernel::integrator::accepted::load_history;
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::{exp_quaternion, matrix, multiply};
use fixstep_kernel::simulation::{Coordinate, Simulation, SparseMatrix, Tangents};
use fixstep_kernel::state::{State, vec3};
use fixstep_kernel::system::layout::{BLOCK, Span};
use fixstep_kernel::system::residual::{self, Level};
use fixstep_kernel::system::{System, eval};
use fixstep_kernel::workspace::Workspace;
use fixstep_model::Model;
use serde_json::json;

mod examples;
mod textbook;

fn simulation(text: &str, files: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Simulation {
    let model = Model::read(text, files).map_err(|e| e.to_string()).unwrap();
    Simulation::new(model.mechanism).unwrap()
}

fn written(model: &serde_json::Value) -> Simulation {
    simulation(&model.to_string(), &fixstep_model::resources::none)
}

/// Of what a tangent is taken.
#[derive(Clone, Copy, Debug)]
enum By {
    Position,
    Velocity,
    Acceleration,
    Other,
    Input(usize),
}

/// The equations at states near an accepted one.
struct Fixture {
    system: System,
    state: State,
    ws: Workspace,
    terms: Vec<InertiaTerm>,
    modal: Vec<f64>,
    /// By the numbers of the tangents, where the residual stands.
    rows: Vec<usize>,
    coordinates: Vec<Coordinate>,
}

impl Fixture {
    fn new(simulation: &mut Simulation, tangents: &Tangents) -> Self {
        let part = simulation.part();
        let (system, state) = (part.system.clone(), part.state.clone());
        let mut ws = Workspace::new(&system);
        load_history(&system, &state, &mut ws);
        let (terms, modal) = whole(&system, &state, &ws);
        let coordinates: Vec<_> = tangents.places.iter().map(|p| p.coordinate).collect();
        Self {
            rows: coordinates.iter().map(|c| place(&system, *c)).collect(),
            system,
            state,
            ws,
            terms,
            modal,
            coordinates,
        }
    }

    fn residual(&mut self, state: &State) -> Vec<f64> {
        let (system, ws) = (&self.system, &mut self.ws);
        ws.inertia_terms.copy_from_slice(&self.terms);
        ws.flexible.modal_history.copy_from_slice(&self.modal);
        let mut placed = eval::kinematics_at_state(system, state, ws);
        let time = state.time(&system.layout);
        let integrated = state.span(system.layout.motions);
        placed.targets(system, state, time, |m| {
            (integrated[2 * m], integrated[2 * m + 1])
        });
        let evaluated = residual::evaluate(system, state, placed, time);
        residual::assemble(system, state, evaluated, 1.0, Level::Position);
        for (k, entry) in system.equations.iter().enumerate() {
            let value = eval::equation(system, ws, k);
            let at = entry.block.offset() + entry.place;
            ws.rhs[at] = if entry.is_algebraic() { value } else { -value };
        }
        self.rows.iter().map(|row| self.ws.rhs[*row]).collect()
    }

    /// The state after a change of one unknown or input.
    fn moved(&self, column: usize, by: By, step: f64) -> State {
        let (system, mut state) = (&self.system, self.state.clone());
        let layout = &system.layout;
        let rates = match by {
            By::Velocity => layout.velocity,
            By::Acceleration => layout.acceleration,
            _ => Span::default(),
        };
        if let By::Input(k) = by {
            state.reals[layout.inputs.first + k] += step;
            return state;
        }
        match (self.coordinates[column], by) {
            (Coordinate::Pose { body, direction }, _) => {
                let body = body.index();
                let mut change = Vec3::zeros();
                change[direction % 3] = step;
                let (r, q) = (state.position(layout, body), state.quaternion(layout, body));
                let turned = matrix(&q).tr_mul(&change);
                match (by, direction < 3) {
                    (By::Position, true) => state.set_pose(layout, body, &(r + change), &q),
                    (By::Position, false) => {
                        let q = multiply(&q, &exp_quaternion(&turned));
                        state.set_pose(layout, body, &r, &q);
                    }
                    (_, linear) => {
                        let change = if linear { change } else { turned };
                        let at = rates.first + BLOCK * body + if linear { 0 } else { 3 };
                        for k in 0..3 {
                            state.reals[at + k] += change[k];
                        }
                    }
                }
            }
            (Coordinate::Modal { body, mode }, _) => {
                let entry = &system.flexibles[system.bodies[body.index()].flexible.unwrap()];
                let n = entry.modal.first + mode;
                let at = match by {
                    By::Position => layout.modal.first + n,
                    _ => rates.first + system.modal_first() + n,
                };
                state.reals[at] += step;
            }
            (Coordinate::Multiplier { row, .. }, _) => {
                let block = (self.rows[column] - row) / BLOCK;
                for (g, group) in system.groups.iter().enumerate() {
                    if group.block.index() == block {
                        state.reals[layout.multipliers.first + BLOCK * g + row] += step;
                    }
                }
            }
            (Coordinate::Implicit(k) | Coordinate::State(k), _) => {
                state.reals[layout.states.first + k.index()] += step;
            }
        }
        state
    }

    /// How far a difference goes.
    fn reach(&self, column: usize, by: By) -> f64 {
        let layout = &self.system.layout;
        let sized = |span: Span, k: usize| 1e-4 * self.state.span(span)[k].abs().max(1.0);
        match (by, self.coordinates[column.min(self.coordinates.len() - 1)]) {
            (By::Input(k), _) => sized(layout.inputs, k),
            (By::Position, _) => 2e-5,
            (By::Velocity, _) => 2e-4,
            (By::Acceleration, _) => 1e-2,
            (_, Coordinate::Implicit(k) | Coordinate::State(k)) => {
                0.1 * sized(layout.states, k.index())
            }
            (By::Other, _) => 1.0,
        }
    }

    /// A central difference of fourth order.
    fn difference(&mut self, column: usize, by: By, h: f64) -> Vec<f64> {
        let [a, b, c, d] = [h, -h, 2.0 * h, -2.0 * h].map(|step| {
            let state = self.moved(column, by, step);
            self.residual(&state)
        });
        (0..self.rows.len())
            .map(|k| (8.0 * (a[k] - b[k]) - (c[k] - d[k])) / (12.0 * h))
            .collect()
    }

    /// Compares a column; says how many entries are not zero. Bristles and contacts bend within micrometres, where
    /// others drown in rounding: one of some steps must do.
    fn compare(&mut self, what: &str, matrix: &SparseMatrix, column: usize, by: By) -> usize {
        let mut worst = String::new();
        for part in [1.0, 0.03, 1e-3, 3e-5] {
            let h = part * self.reach(column, by);
            let wanted = self.difference(column, by, h);
            match self.missed(matrix, column, by, &wanted) {
                Some(missed) if worst.is_empty() => worst = missed,
                Some(_) => {}
                None => {
                    let entries = matrix.entries.iter();
                    return entries.filter(|e| e.column == column).count();
                }
            }
        }
        unreachable!("{what}: column {column} by {by:?}: {worst}");
    }

    /// Where a column and a difference do not agree.
    fn missed(
        &self,
        matrix: &SparseMatrix,
        column: usize,
        by: By,
        wanted: &[f64],
    ) -> Option<String> {
        let in_column = match by {
            By::Input(k) => k,
            _ => column,
        };
        // Rows of velocities only have their gradient in velocities there, and nothing that depends on poses.
        let rates = self.system.rate_rows.iter();
        let rates: Vec<usize> = rates
            .map(|own| self.system.groups[own.group].block.offset() + own.place)
            .collect();
        for (row, coordinate) in self.coordinates.iter().enumerate() {
            if matches!(by, By::Position) && rates.contains(&self.rows[row]) {
                continue;
            }
            let alike = |k: &usize| kind(self.coordinates[*k]) == kind(*coordinate);
            let rows = (0..self.rows.len()).filter(alike);
            let size = rows.fold(0.0_f64, |size, k| size.max(wanted[k].abs()));
            let (got, wanted) = (matrix.get(row, in_column), wanted[row]);
            if (got - wanted).abs() > 1e-6 * size.max(floor(by)) {
                return Some(format!(
                    "row {row} {coordinate:?}: {got} against {wanted}, {size}"
                ));
            }
        }
        None
    }
}

/// What rounding of loads leaves in differences, a million times.
fn floor(by: By) -> f64 {
    match by {
        By::Position => 1e2,
        By::Velocity => 1e1,
        _ => 1.0,
    }
}

/// Equations of one unit.
fn kind(coordinate: Coordinate) -> (u8, usize) {
    match coordinate {
        Coordinate::Pose { direction, .. } => (0, direction / 3),
        Coordinate::Modal { .. } => (1, 0),
        Coordinate::Multiplier { .. } => (2, 0),
        Coordinate::Implicit(k) => (3, k.index()),
        Coordinate::State(k) => (4, k.index()),
    }
}

/// Where an equation stands in a padded vector.
fn place(system: &System, coordinate: Coordinate) -> usize {
    match coordinate {
        Coordinate::Pose { body, direction } => {
            system.bodies[body.index()].block.unwrap().offset() + direction
        }
        Coordinate::Modal { body, mode } => {
            let flexible = system.bodies[body.index()].flexible.unwrap();
            system.flexibles[flexible].row(mode)
        }
        Coordinate::Multiplier { owner, row } => {
            let mut groups = system.groups.iter();
            let group = groups.find(|g| g.owner == owner && !g.adds()).unwrap();
            group.block.offset() + row
        }
        Coordinate::Implicit(k) | Coordinate::State(k) => {
            let entry = &system.equations[k.index()];
            entry.block.offset() + entry.place
        }
    }
}

/// Inertial forces as the last step has left them, with the whole share of the accelerations.
fn whole(system: &System, state: &State, ws: &Workspace) -> (Vec<InertiaTerm>, Vec<f64>) {
    let layout = &system.layout;
    let accelerations = state.span(layout.acceleration);
    let term = |(body, term): (usize, &InertiaTerm)| {
        let at = BLOCK * body;
        let (a, w_dot) = (vec3(accelerations, at), vec3(accelerations, at + 3));
        let (f, t) = match system.bodies[body].flexible {
            Some(_) => (a, w_dot),
            None => residual::inertia(system, state, body).times(&a, &w_dot),
        };
        InertiaTerm {
            weight: 1.0,
            force: term.force + f * (term.weight - 1.0),
            torque: term.torque + t * (term.weight - 1.0),
        }
    };
    let weight = ws.inertia_terms[0].weight;
    let modal = ws.flexible.modal_history.iter();
    let modal = modal.zip(&accelerations[system.modal_first()..]);
    (
        ws.inertia_terms.iter().enumerate().map(term).collect(),
        modal.map(|(b, a)| b + (weight - 1.0) * a).collect(),
    )
}

/// Compares every column at the present state; says how many entries the matrices have.
fn check(what: &str, simulation: &mut Simulation) -> Tangents {
    let tangents = simulation.tangents().unwrap();
    let mut fixture = Fixture::new(simulation, &tangents);
    let mut entries = 0;
    for column in 0..tangents.places.len() {
        let by = match tangents.places[column].coordinate {
            Coordinate::Pose { .. } | Coordinate::Modal { .. } => vec![
                (By::Position, &tangents.positions),
                (By::Velocity, &tangents.velocities),
                (By::Acceleration, &tangents.accelerations),
            ],
            Coordinate::Multiplier { .. } | Coordinate::Implicit(_) => {
                vec![(By::Other, &tangents.multipliers)]
            }
            Coordinate::State(_) => vec![(By::Other, &tangents.states)],
        };
        for (by, matrix) in by {
            entries += fixture.compare(what, matrix, column, by);
        }
    }
    for input in 0..tangents.inputs.columns {
        let by = By::Input(input);
        entries += fixture.compare(what, &tangents.inputs, input, by);
    }
    let matrices = [
        &tangents.positions,
        &tangents.velocities,
        &tangents.accelerations,
        &tangents.multipliers,
        &tangents.states,
        &tangents.inputs,
    ];
    let held: usize = matrices.iter().map(|m| m.entries.len()).sum();
    assert_eq!(
        entries, held,
        "{what}: every entry is in a column that was looked at"
    );
    tangents
}
