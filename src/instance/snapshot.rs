//! Control plane: saved states of an instance, in memory and as bytes.
//!
//! A state holds the simulation's whole buffer, the mode, the time line and the settings, but not the measured real
//! time. Handles are numbers that are never used twice, so that a handle that was freed, or belongs to another
//! instance, is recognised.

mod bytes;

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Instance;
use super::life::refusal;
use super::mode::Mode;
use super::settings::Settings;
use super::status::{CallResult, Refusal, Status};
use super::timeline::Timeline;
use fixstep_kernel::mechanism::{Mode as StepMode, StartSettings};
use fixstep_kernel::simulation::Figure;

/// The handle of the next saved state of any instance. Handles are unique, so an instance never accepts another's.
static NEXT_STATE: AtomicUsize = AtomicUsize::new(1);

/// A saved state.
#[derive(Clone, Debug)]
pub struct Snapshot {
    mode: Mode,
    started: bool,
    stale: bool,
    h: f64,
    timeline: Timeline,
    settings: Settings,
    simulation: Vec<u8>,
    /// The history of a variable step; empty with a fixed step, and before the first one.
    history: Vec<f64>,
}

/// The saved states of an instance by their handles, in ascending order.
#[derive(Debug, Default)]
pub struct States(Vec<(usize, Snapshot)>);

impl States {
    /// Adds a state under a new handle.
    fn add(&mut self, snapshot: Snapshot) -> usize {
        let handle = NEXT_STATE.fetch_add(1, Ordering::Relaxed);
        self.0.push((handle, snapshot));
        handle
    }

    /// The position of a handle, by bisection. No step uses this.
    fn place(&self, handle: usize) -> Option<usize> {
        self.0.binary_search_by_key(&handle, |state| state.0).ok()
    }

    fn get(&self, handle: usize) -> Option<&Snapshot> {
        Some(&self.0.get(self.place(handle)?)?.1)
    }

    fn get_mut(&mut self, handle: usize) -> Option<&mut Snapshot> {
        let place = self.place(handle)?;
        Some(&mut self.0.get_mut(place)?.1)
    }

    /// Forgets a state; `false` if there is none.
    fn remove(&mut self, handle: usize) -> bool {
        let place = self.place(handle);
        if let Some(place) = place {
            self.0.remove(place);
        }
        place.is_some()
    }
}

impl Instance {
    /// Saves the state, in place of the one that `handle` names, or under a new handle (0: none). Saving into an
    /// existing handle allocates nothing.
    pub fn save_state(&mut self, handle: usize) -> Result<usize, Refusal> {
        let size = self.simulation.state_size();
        let handle = if handle == 0 {
            let empty = Snapshot {
                mode: self.mode,
                started: false,
                stale: true,
                h: self.h,
                timeline: self.timeline,
                settings: self.settings.clone(),
                simulation: vec![0; size],
                history: Vec::new(),
            };
            self.states.add(empty)
        } else {
            handle
        };
        let Some(snapshot) = self.states.get_mut(handle) else {
            return Err(unknown(handle));
        };
        snapshot.mode = self.mode;
        snapshot.started = self.started;
        snapshot.stale = self.stale;
        snapshot.h = self.h;
        snapshot.timeline = self.timeline;
        if snapshot.settings != self.settings {
            snapshot.settings = self.settings.clone();
        }
        // The size changes only with the start of a run.
        snapshot.simulation.resize(size, 0);
        self.simulation.save(&mut snapshot.simulation);
        snapshot.history = self.simulation.variable_memory().unwrap_or_default();
        Ok(handle)
    }

    /// Goes back to a saved state.
    pub fn restore_state(&mut self, handle: usize) -> CallResult {
        let Some(snapshot) = self.states.get(handle) else {
            return Err(unknown(handle));
        };
        let suits = self.simulation.suits(&snapshot.simulation);
        // Before the run geometry follows with the next start.
        let before = matches!(snapshot.mode, Mode::Instantiated | Mode::Initialization);
        if snapshot.settings.solver != *self.simulation.settings() {
            let solver = snapshot.settings.solver.clone();
            let set = self.simulation.set_settings(solver);
            set.map_err(|error| refusal(&error))?;
            // Other settings may use other fallbacks.
            self.simulation.settle_fallbacks();
        }
        let mut anew = self.simulation.follow_settings();
        if let (Ok(false), false) = (&anew, before) {
            anew = self.simulation.follow_state(&snapshot.simulation);
        }
        if anew.map_err(|error| refusal(&error))? {
            self.simulation.settle();
        }
        self.simulation.restore_to_start(&snapshot.simulation);
        let history = remembered(&snapshot.history);
        let varies = self.simulation.settings().mode == StepMode::Variable;
        if varies && !self.simulation.restore_variable_memory(history) {
            return Err(Refusal::error(String::from(
                "the history of the variable step in this state is not one of this model",
            )));
        }
        self.fallbacks = self.simulation.figure(Figure::Fallbacks) as u32;
        self.mode = snapshot.mode;
        self.started = snapshot.started;
        self.stale = snapshot.stale || !suits && before;
        self.h = snapshot.h;
        self.timeline = snapshot.timeline;
        if self.settings != snapshot.settings {
            self.settings = snapshot.settings.clone();
            self.adopt_texts();
        }
        Ok(Status::Ok)
    }

    /// Forgets a saved state; handle 0 is none.
    pub fn free_state(&mut self, handle: usize) -> CallResult {
        if handle != 0 && !self.states.remove(handle) {
            return Err(unknown(handle));
        }
        Ok(Status::Ok)
    }

    /// Length of a saved state as bytes.
    pub fn serialized_size(&self, handle: usize) -> Result<usize, Refusal> {
        let snapshot = self.states.get(handle).ok_or_else(|| unknown(handle))?;
        Ok(snapshot.length())
    }

    /// A saved state as bytes.
    pub fn serialize(&self, handle: usize) -> Result<Vec<u8>, Refusal> {
        let snapshot = self.states.get(handle).ok_or_else(|| unknown(handle))?;
        Ok(snapshot.to_bytes(&self.blueprint.token))
    }

    /// The state as it is, as bytes.
    pub fn state_bytes(&self) -> Vec<u8> {
        let mut simulation = vec![0; self.simulation.state_size()];
        self.simulation.save(&mut simulation);
        let snapshot = Snapshot {
            mode: self.mode,
            started: self.started,
            stale: self.stale,
            h: self.h,
            timeline: self.timeline,
            settings: self.settings.clone(),
            simulation,
            history: self.simulation.variable_memory().unwrap_or_default(),
        };
        snapshot.to_bytes(&self.blueprint.token)
    }

    /// Reads a state from bytes, in place of the one that `handle` names, or under a new handle (0: none).
    pub fn deserialize(&mut self, bytes: &[u8], handle: usize) -> Result<usize, Refusal> {
        let factor = self.settings.time_factor;
        let accepts = |simulation: &[u8]| self.simulation.accepts(simulation);
        let texts = self.settings.texts.len();
        let read = Snapshot::from_bytes(bytes, &self.blueprint.token, accepts, (factor, texts));
        let mut snapshot = read.map_err(|reason| {
            Refusal::error(format!("the serialized state is refused: {reason}"))
        })?;
        // Settings that only the model sets are not part of the bytes, nor is the place of the instance's memory.
        let own = &self.settings.solver;
        let solver = &mut snapshot.settings.solver;
        solver.math = own.math;
        solver.lock_memory = own.lock_memory;
        solver.publish = own.publish;
        solver.input_bounds = own.input_bounds;
        solver.guard.levels = own.guard.levels;
        solver.eprint = own.eprint;
        solver.start = StartSettings {
            equilibrium: solver.start.equilibrium,
            ramp: solver.start.ramp,
            ..own.start
        };
        if handle == 0 {
            return Ok(self.states.add(snapshot));
        }
        let Some(known) = self.states.get_mut(handle) else {
            return Err(unknown(handle));
        };
        *known = snapshot;
        Ok(handle)
    }
}

/// A history, if there is one.
fn remembered(history: &[f64]) -> Option<&[f64]> {
    (!history.is_empty()).then_some(history)
}

fn unknown(handle: usize) -> Refusal {
    Refusal::error(if handle == 0 {
        "no FMU state is given; get or deserialize one first".to_owned()
    } else {
        format!(
            "FMU state {handle:#x} is unknown to this instance: it was freed, or belongs to another"
        )
    })
}
