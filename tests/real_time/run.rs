//! Runs an FMU as a real-time host does: set, step, get, and sometimes back to a saved
//! state. After its start nothing here allocates.

use std::ffi::c_void;
use std::ptr;

use fixstep_variables::{Arrays, Causality, Figure, Slot, VariableKind};
use libloading::Library;

use crate::case::Case;
use crate::fmu::{Fmu, Places, Values};

/// A run that has begun.
pub(crate) struct Run<'a> {
    pub(crate) fmu: Fmu,
    case: &'a Case,
    places: Places,
    /// References and values of what is set.
    set: (Vec<u32>, Vec<f64>),
    /// Outputs and what is set, for derivatives.
    between: [Values; 2],
    /// Of the values that are read as reals: those that a clock has no part in.
    timeless: Vec<usize>,
    /// State that is saved into again and again.
    saved: *mut c_void,
    /// Steps so far.
    pub(crate) taken: u32,
    /// Of every bit of every value that was read.
    pub(crate) fingerprint: u64,
}

// SAFETY: the state is the instance's, which goes along.
unsafe impl Send for Run<'_> {}

/// FNV-1a over words.
fn mixed(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3)
}

impl<'a> Run<'a> {
    /// An initialized instance, and places for all that it has.
    pub(crate) fn start(library: &Library, case: &'a Case, version: u32) -> Self {
        Self::of(Fmu::start(library, case, version), case)
    }

    /// A run of an initialized instance.
    pub(crate) fn of(fmu: Fmu, case: &'a Case) -> Self {
        let mut run = Self {
            fmu,
            case,
            places: Places::default(),
            set: (Vec::new(), Vec::new()),
            between: Default::default(),
            timeless: Vec::new(),
            saved: ptr::null_mut(),
            taken: 0,
            fingerprint: 0xcbf2_9ce4_8422_2325,
        };
        run.lay_places();
        assert_eq!(
            run.fmu.save(&mut run.saved),
            0,
            "{}: a first state",
            case.name
        );
        run
    }

    fn lay_places(&mut self) {
        let places = &mut self.places;
        let arrays = if self.fmu.has_arrays() {
            Arrays::of(&self.case.table)
        } else {
            Arrays::default()
        };
        for (reference, variable) in (0..).zip(&self.case.table.variables) {
            match variable.kind {
                VariableKind::Real { .. } => {
                    let measured = [
                        Figure::RtiLast,
                        Figure::RtiAverage,
                        Figure::RtiMin,
                        Figure::RtiMax,
                    ];
                    let timeless = !measured.iter().any(|f| variable.slot == Slot::Figure(*f));
                    self.timeless
                        .extend(timeless.then_some(places.reals.1.len()));
                    places.reals.1.push(1.0);
                    if variable.causality == Causality::Output {
                        let [outputs, _] = &mut self.between;
                        outputs.elements.push(1.0);
                        if arrays.reference(reference) == reference {
                            outputs.references.push(reference);
                            outputs.orders.push(1);
                        }
                    }
                    if arrays.reference(reference) == reference {
                        places.reals.0.push(reference);
                    }
                }
                VariableKind::Integer { .. } => places.integers.0.push(reference),
                VariableKind::Enumeration { .. } => places.items.0.push(reference),
                VariableKind::Boolean { .. } => places.booleans.0.push(reference),
                VariableKind::String { .. } => places.strings.0.push(reference),
            }
        }
        places.integers.1 = vec![1; places.integers.0.len()];
        places.items.1 = vec![1; places.items.0.len()];
        places.booleans.1 = vec![true; places.booleans.0.len()];
        places.flags = vec![1; places.items.0.len().max(places.booleans.0.len())];
        places.strings.1 = vec![ptr::dangling(); places.strings.0.len()];
        let signals = self.case.signals.iter().map(|s| s.reference);
        self.set.1 = vec![1.0; signals.len()];
        // Of an array all elements may be set, or none.
        self.set.0 = signals.filter(|at| arrays.reference(*at) == *at).collect();
        self.between[1].references.clone_from(&self.set.0);
        self.between[1].elements.clone_from(&self.set.1);
    }

    /// Asks for derivatives where the run stands.
    pub(crate) fn differentiate(&mut self) -> bool {
        let [outputs, inputs] = &mut self.between;
        self.fmu.differentiate(outputs, inputs) == 0
    }

    /// Where the run stands \[s\].
    fn time(&self) -> f64 {
        self.case.start + f64::from(self.taken) * self.case.step
    }

    /// What is set before a step.
    fn set(&mut self) -> bool {
        let time = self.time();
        for (value, signal) in self.set.1.iter_mut().zip(&self.case.signals) {
            *value = signal.at(time);
        }
        self.fmu.set(&self.set.0, &self.set.1) == 0
    }

    /// The step itself: nothing else is counted where steps are counted.
    pub(crate) fn step(&mut self) -> bool {
        let fine = self.fmu.step(self.time(), self.case.step) == 0;
        self.taken += 1;
        fine
    }

    /// Sets, and says whether all went well.
    pub(crate) fn before(&mut self) -> bool {
        self.set() && self.fmu.set_nothing() == 0
    }

    /// Sets one number in place of all that is set otherwise.
    pub(crate) fn set_all(&mut self, value: f64) -> bool {
        self.set.1.fill(value);
        self.fmu.set(&self.set.0, &self.set.1) == 0
    }

    /// Reads everything, and says whether all went well.
    pub(crate) fn after(&mut self) -> bool {
        let fine = self.fmu.get(&mut self.places) == 0 && self.fmu.ask() == 0;
        for at in &self.timeless {
            let bits = self.places.reals.1[*at].to_bits();
            self.fingerprint = mixed(self.fingerprint, bits);
        }
        fine
    }

    /// What a host does between two communication points.
    pub(crate) fn round(&mut self) -> bool {
        self.before() && self.step() && self.after()
    }

    /// Saves the state into the place that holds one already.
    pub(crate) fn save(&mut self) -> bool {
        let fine = self.fmu.save(&mut self.saved) == 0;
        fine && !self.saved.is_null()
    }

    /// Back to the saved state.
    pub(crate) fn restore(&mut self) -> bool {
        self.fmu.restore(self.saved) == 0
    }

    /// The saved state as bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.fmu.bytes(self.saved)
    }

    /// Goes on from bytes of another run.
    pub(crate) fn take_over(&mut self, bytes: &[u8], of: &Self) {
        let state = self.fmu.state_of(bytes);
        assert_eq!(self.fmu.restore(state), 0);
        (self.taken, self.fingerprint) = (of.taken, of.fingerprint);
    }

    /// Rounds; the number that went well.
    pub(crate) fn rounds(&mut self, count: u32) -> u32 {
        (0..count).take_while(|_| self.round()).count() as u32
    }

    /// Rounds with all that is promised to be free of surprises: every 25th saves, takes a step, and goes
    /// back. The number that went well.
    pub(crate) fn exercise(&mut self, count: u32) -> u32 {
        let mut done = 0;
        while done < count {
            if done % 25 == 0 {
                let (taken, fingerprint) = (self.taken, self.fingerprint);
                if !(self.save() && self.round() && self.restore()) {
                    break;
                }
                (self.taken, self.fingerprint) = (taken, fingerprint);
            }
            if !self.round() {
                break;
            }
            done += 1;
        }
        done
    }

    /// Runs through the host's own code without the FMU, so that none of it is new afterwards.
    pub(crate) fn rehearse(&mut self) {
        let back = self.fmu.idle();
        let (taken, fingerprint) = (self.taken, self.fingerprint);
        self.exercise(2);
        (self.taken, self.fingerprint) = (taken, fingerprint);
        back(&mut self.fmu);
    }
}
