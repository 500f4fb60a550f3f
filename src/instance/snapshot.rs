//! Control plane: saved states of an instance, in memory and as bytes.
//!
//! A state holds the simulation's whole buffer, the mode, the time line and the settings, but not the measured real
//! time. Handles are numbers that are never used twice, so that a handle that was freed, or belongs to another
//! instance, is recognised.
//!
//! Bytes, little-endian: magic, version, length, fingerprint of the model's token, instance part, texts, simulation
//! part, checksum (FNV-1a, 64 bits) of everything before it.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Instance;
use super::life::refusal;
use super::mode::Mode;
use super::settings::Settings;
use super::status::{CallResult, Refusal, Status};
use super::timeline::Timeline;
use fixstep_kernel::fingerprint::fnv;
use fixstep_kernel::mechanism::StartSettings;
use fixstep_kernel::simulation::Figure;
use fixstep_variables::settings::{
    formulation_item, formulation_of_item, integrator_item, integrator_of_item,
};

const MAGIC: &[u8; 8] = b"FIXSTATE";
const VERSION: u32 = 10;
/// Longest pattern.
const PATTERN: usize = 10;
/// magic, version, reserved, length, fingerprint.
const HEADER: usize = 8 + 4 + 4 + 8 + 8;
/// 7 small numbers, pattern, hratio, then the times and the real settings.
const FIXED: usize = 7 + PATTERN + 4 + 4 + 8 * 13;
const CHECKSUM: usize = 8;

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
        if let (Err(error), false) = (&suits, before) {
            return Err(refusal(error));
        }
        if snapshot.settings.solver != *self.simulation.settings() {
            let solver = snapshot.settings.solver.clone();
            let set = self.simulation.set_settings(solver);
            set.map_err(|error| refusal(&error))?;
            // Other settings may use other fallbacks.
            self.simulation.settle_fallbacks();
        }
        let anew = self.simulation.follow_settings();
        if anew.map_err(|error| refusal(&error))? {
            self.simulation.settle();
        }
        self.simulation.restore_to_start(&snapshot.simulation);
        self.fallbacks = self.simulation.figure(Figure::Fallbacks) as u32;
        self.mode = snapshot.mode;
        self.started = snapshot.started;
        self.stale = snapshot.stale || suits.is_err();
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
        solver.hmin = own.hmin;
        solver.mode = own.mode;
        solver.error = own.error;
        solver.kmax = own.kmax;
        solver.maxit = own.maxit;
        solver.interpolate = own.interpolate;
        solver.corrector = own.corrector;
        solver.adaptivity = own.adaptivity;
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

fn unknown(handle: usize) -> Refusal {
    Refusal::error(if handle == 0 {
        "no FMU state is given; get or deserialize one first".to_owned()
    } else {
        format!(
            "FMU state {handle:#x} is unknown to this instance: it was freed, or belongs to another"
        )
    })
}

/// Length of the texts as bytes: a number of bytes before all and before each.
fn text_length(texts: &[String]) -> usize {
    4 + texts.iter().map(|text| 4 + text.len()).sum::<usize>()
}

impl Snapshot {
    fn length(&self) -> usize {
        HEADER + FIXED + text_length(&self.settings.texts) + self.simulation.len() + CHECKSUM
    }

    fn to_bytes(&self, token: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.length());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([0; 4]);
        out.extend((self.length() as u64).to_le_bytes());
        out.extend(fnv(token.as_bytes()).to_le_bytes());
        let solver = &self.settings.solver;
        out.extend([
            self.mode as u8,
            u8::from(self.started),
            u8::from(self.stale),
            u8::from(self.settings.include_first),
            integrator_item(solver.integrator) as u8,
            formulation_item(solver.formulation) as u8,
            solver.fixit,
        ]);
        out.push(solver.pattern.len() as u8);
        for at in 0..PATTERN {
            out.push(u8::from(solver.pattern.get(at) == Some(&true)));
        }
        out.push(u8::from(solver.linearly_implicit));
        out.push(u8::from(solver.start.equilibrium));
        out.push(u8::from(solver.guard.on));
        out.extend(solver.hratio.to_le_bytes());
        for number in [
            self.h,
            self.timeline.start,
            self.timeline.stop.unwrap_or(f64::INFINITY),
            self.timeline.expected,
            solver.maxerr,
            solver.hinit.unwrap_or(0.0),
            solver.hmax.unwrap_or(0.0),
            solver.alpha,
            solver.beta,
            solver.gamma,
            solver.rho,
            solver.start.ramp,
        ] {
            out.extend(number.to_le_bytes());
        }
        out.extend(solver.given.0.to_le_bytes());
        let texts = &self.settings.texts;
        out.extend((text_length(texts) as u32).to_le_bytes());
        for text in texts {
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text.as_bytes());
        }
        out.extend(&self.simulation);
        out.extend(fnv(&out).to_le_bytes());
        out
    }

    fn from_bytes(
        bytes: &[u8],
        token: &str,
        accepts: impl Fn(&[u8]) -> bool,
        (factor, texts): (f64, usize),
    ) -> Result<Self, NoSnapshot> {
        let mut reader = Reader { bytes };
        if reader.take::<8>()? != *MAGIC {
            return Err(NoSnapshot::Foreign);
        }
        let version = u32::from_le_bytes(reader.take()?);
        if version != VERSION {
            return Err(NoSnapshot::Version(version));
        }
        reader.take::<4>()?;
        let stated = u64::from_le_bytes(reader.take()?);
        if stated != bytes.len() as u64 {
            let given = bytes.len();
            return Err(NoSnapshot::Length { stated, given });
        }
        if u64::from_le_bytes(reader.take()?) != fnv(token.as_bytes()) {
            return Err(NoSnapshot::OtherModel);
        }
        let said = bytes.get(HEADER + FIXED..).and_then(<[u8]>::first_chunk);
        let said = said.map_or(usize::MAX, |said| u32::from_le_bytes(*said) as usize);
        let first = (HEADER + FIXED).saturating_add(said);
        let simulation = bytes.get(first..bytes.len().saturating_sub(CHECKSUM));
        if !simulation.is_some_and(accepts) {
            return Err(NoSnapshot::Size(bytes.len()));
        }
        let size = bytes.len() - first - CHECKSUM;
        let (body, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if fnv(body).to_le_bytes() != checksum {
            return Err(NoSnapshot::Damaged);
        }
        reader.snapshot(size, factor, texts)
    }
}

/// Why bytes are no state of this instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum NoSnapshot {
    #[error("it does not begin with the mark of a Fixstep state")]
    Foreign,
    #[error("it has version {0}; this FMU reads {VERSION}")]
    Version(u32),
    #[error("it says it has {stated} bytes, but {given} were given")]
    Length { stated: u64, given: usize },
    #[error("it was saved from another model")]
    OtherModel,
    #[error("it has {0} bytes, which this model's state never has")]
    Size(usize),
    #[error("it is damaged: its checksum is wrong")]
    Damaged,
    #[error("it is too short to be one")]
    Short,
    #[error("it holds settings that this FMU does not know")]
    Settings,
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], NoSnapshot> {
        let Some((head, tail)) = self.bytes.split_first_chunk::<N>() else {
            return Err(NoSnapshot::Short);
        };
        self.bytes = tail;
        Ok(*head)
    }

    fn number(&mut self) -> Result<f64, NoSnapshot> {
        self.take().map(f64::from_le_bytes)
    }

    fn texts(&mut self, count: usize) -> Option<Vec<String>> {
        let end = u32::from_le_bytes(self.take().ok()?) as usize;
        let (mut own, rest) = self.bytes.split_at_checked(end.checked_sub(4)?)?;
        self.bytes = rest;
        let mut texts = Vec::new();
        while let Some((length, after)) = own.split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length) as usize;
            let (text, after) = after.split_at_checked(length)?;
            texts.push(std::str::from_utf8(text).ok()?.to_owned());
            own = after;
        }
        (own.is_empty() && texts.len() == count).then_some(texts)
    }

    fn snapshot(&mut self, size: usize, factor: f64, texts: usize) -> Result<Snapshot, NoSnapshot> {
        let [mode, started, stale, first, integrator, formulation, fixit] = self.take()?;
        let foreign = || NoSnapshot::Settings;
        let [entries] = self.take()?;
        let pattern: [u8; PATTERN] = self.take()?;
        let [linearly_implicit, equilibrium, guarded] = self.take()?;
        let hratio = u32::from_le_bytes(self.take()?);
        let h = self.number()?;
        let start = self.number()?;
        let stop = Some(self.number()?).filter(|stop| *stop != f64::INFINITY);
        let expected = self.number()?;
        let mut settings =
            Settings::new(fixstep_kernel::mechanism::SolverSettings::default(), factor);
        settings.include_first = first != 0;
        let solver = &mut settings.solver;
        solver.maxerr = self.number()?;
        solver.hinit = Some(self.number()?).filter(|h| *h > 0.0);
        solver.hmax = Some(self.number()?).filter(|h| *h > 0.0);
        for number in [
            &mut solver.alpha,
            &mut solver.beta,
            &mut solver.gamma,
            &mut solver.rho,
            &mut solver.start.ramp,
        ] {
            *number = self.number()?;
        }
        solver.given.0 = u64::from_le_bytes(self.take()?);
        solver.linearly_implicit = linearly_implicit != 0;
        solver.start.equilibrium = equilibrium != 0;
        solver.guard.on = guarded != 0;
        solver.fixit = fixit;
        solver.hratio = hratio;
        solver.integrator = integrator_of_item(i64::from(integrator)).ok_or_else(foreign)?;
        solver.formulation = formulation_of_item(i64::from(formulation)).ok_or_else(foreign)?;
        let entries = pattern.get(..usize::from(entries)).ok_or_else(foreign)?;
        solver.pattern = entries.iter().map(|entry| *entry != 0).collect();
        settings.texts = self.texts(texts).ok_or_else(foreign)?;
        let simulation = self.bytes.get(..size).ok_or_else(foreign)?.to_vec();
        Ok(Snapshot {
            mode: Mode::from_number(mode)
                .filter(|mode| *mode != Mode::Intermediate)
                .ok_or_else(foreign)?,
            started: started != 0,
            stale: stale != 0,
            h,
            timeline: Timeline {
                start,
                stop,
                expected,
            },
            settings,
            simulation,
        })
    }
}
