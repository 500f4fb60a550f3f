//! Data plane: the values of one instance at fixed addresses, for tools that measure and calibrate in memory.
//!
//! ```text
//!     instance ── after every integration step: all values ──► window ──► tools read
//!     instance ◄── before every communication step: parameters that differ ── window ◄── tools write
//! ```
//!
//! An instance lives where the allocator puts it, and there may be many. A description of addresses (A2L) is a file
//! of the FMU and must be true for every run, so it can only refer to memory of the library itself. The library
//! therefore has one window. The first instance whose model asks for it takes the window and keeps it for its
//! lifetime; other instances log that they have none.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Instance;
use super::access::{Accesses, Kind};
use super::log::Record;
use fixstep_variables::Slot;

/// Name of the library's window among its symbols.
pub const SYMBOL: &str = "fixstep_window";

/// Values that the window has room for.
pub const PLACES: usize = 16_384;

/// Numbers as 64-bit floating point, one for each value reference; then whether an instance publishes.
#[repr(C)]
#[derive(Debug)]
pub struct Window {
    places: [AtomicU64; PLACES],
    taken: AtomicBool,
}

impl Window {
    /// A window that no instance has taken.
    #[expect(
        clippy::new_without_default,
        clippy::large_stack_arrays,
        reason = "there is one, and it is a constant"
    )]
    pub const fn new() -> Self {
        Self {
            places: [const { AtomicU64::new(0) }; PLACES],
            taken: AtomicBool::new(false),
        }
    }

    /// The place of a value reference; the last place for one that does not fit.
    pub fn place(&self, reference: u32) -> &AtomicU64 {
        &self.places[(reference as usize).min(PLACES - 1)]
    }
}

/// A window that is taken.
#[derive(Debug)]
pub(super) struct View {
    window: &'static Window,
    /// Value references that are only read.
    measured: Vec<u32>,
    /// Parameters that may be calibrated.
    calibrated: Vec<Shown>,
}

/// A parameter as it was published last.
#[derive(Clone, Copy, Debug)]
struct Shown {
    reference: u32,
    bits: u64,
}

/// Why an instance publishes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum NoWindow {
    #[error("the model has {0} variables, and {PLACES} have room")]
    Small(usize),
    #[error("another instance of this library publishes already")]
    Taken,
}

impl View {
    /// Takes a window for some variables, unless another instance has it; the error gives the reason.
    fn take(window: &'static Window, accesses: &Accesses) -> Result<Self, NoWindow> {
        let count = accesses.table().variables.len();
        if count > PLACES {
            return Err(NoWindow::Small(count));
        }
        if window.taken.swap(true, Ordering::Acquire) {
            return Err(NoWindow::Taken);
        }
        let all = (0..count as u32).filter_map(|at| Some((at, accesses.get(at)?)));
        let (calibrated, measured): (Vec<_>, Vec<_>) =
            all.partition(|(_, access)| access.is_calibrated());
        Ok(Self {
            window,
            measured: measured.into_iter().map(|(at, _)| at).collect(),
            calibrated: calibrated
                .into_iter()
                .map(|(reference, _)| Shown { reference, bits: 0 })
                .collect(),
        })
    }

    /// Moves the data of steps into newly allocated memory.
    pub(super) fn relocate(&mut self) {
        self.measured = self.measured.clone();
        self.calibrated = self.calibrated.clone();
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.window.taken.store(false, Ordering::Release);
    }
}

impl Instance {
    /// Begins to publish, if the model asks for it. Control plane.
    pub(super) fn open_window(&mut self) {
        let asked = self.settings.solver.publish;
        if let Some(window) = self.window.filter(|_| asked && self.view.is_none()) {
            match View::take(window, &self.accesses) {
                Ok(view) => self.view = Some(view),
                Err(reason) => {
                    self.warn(&format!(
                        "solver.publish: {reason}; this instance goes without"
                    ));
                }
            }
        }
        // Values that tools wrote earlier belong to no run, or to a finished one.
        if let Some(mut view) = self.view.take() {
            for shown in &mut view.calibrated {
                shown.bits = view.window.place(shown.reference).load(Ordering::Relaxed);
            }
            self.view = Some(view);
        }
        self.publish();
    }

    /// Writes all values into the window, except parameters that a tool has written meanwhile.
    pub(super) fn publish(&mut self) {
        let Some(mut view) = self.view.take() else {
            return;
        };
        for &reference in &view.measured {
            if let Some(value) = self.number(reference) {
                let place = view.window.place(reference);
                place.store(value.to_bits(), Ordering::Relaxed);
            }
        }
        for shown in &mut view.calibrated {
            let bits = self.number(shown.reference).unwrap_or_default().to_bits();
            let place = view.window.place(shown.reference);
            let (relaxed, before) = (Ordering::Relaxed, shown.bits);
            if place
                .compare_exchange(before, bits, relaxed, relaxed)
                .is_ok()
            {
                shown.bits = bits;
            }
        }
        self.view = Some(view);
    }

    /// Sets the parameters that a tool has changed in the window since they were published.
    pub(super) fn adopt_calibration(&mut self) {
        let Some(mut view) = self.view.take() else {
            return;
        };
        for shown in &mut view.calibrated {
            let place = view.window.place(shown.reference);
            let bits = place.load(Ordering::Relaxed);
            if bits == shown.bits {
                continue;
            }
            let value = f64::from_bits(bits);
            let taken = self.calibrate(shown.reference, value);
            if taken {
                shown.bits = bits;
            } else {
                place.store(shown.bits, Ordering::Relaxed);
            }
            self.log.queue(Record::Calibrated {
                element: shown.reference,
                value,
                taken,
                time: self.simulation.time(),
            });
        }
        self.view = Some(view);
    }

    /// Sets a parameter, if the value is allowed.
    fn calibrate(&mut self, reference: u32, value: f64) -> bool {
        let Some(access) = self.accesses.get(reference) else {
            return false;
        };
        let Slot::Parameter(parameter) = access.slot else {
            return false;
        };
        let value = access.meant(value);
        let set = access.holds(value) && self.simulation.try_parameter(parameter, value);
        self.stale |= set;
        set
    }

    /// Any value but a text as a number.
    fn number(&mut self, reference: u32) -> Option<f64> {
        let access = self.accesses.get(reference)?;
        match (access.kind, access.slot) {
            (Kind::Real, _) => self.real(access.slot).ok(),
            (Kind::Boolean, Slot::Setting(setting)) => {
                Some(f64::from(u8::from(self.settings.boolean(setting))))
            }
            (Kind::Integer | Kind::Enumeration, _) => {
                self.integer(access).ok().map(|number| number as f64)
            }
            _ => None,
        }
    }
}
