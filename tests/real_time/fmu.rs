//! An FMU of either version as a real-time host sees it: function pointers and memory for values.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Mutex;

use fixstep::ffi::fmi2::types::{CallbackFunctions, Logger};
use libloading::Library;

use crate::case::Case;
use crate::functions::{function, functions};

type C = *mut c_void;
type S = c_int;
/// FMI 2's logger without the dots.
type Plain = extern "C" fn(C, *const c_char, c_int, *const c_char, *const c_char);
type Logger3 = extern "C" fn(C, c_int, *const c_char, *const c_char);

/// Defines a table of functions that return a status: those of a library, or some that do nothing.
macro_rules! idle_too {
    ($name:ident { $($function:ident: fn($($arg:ty),*);)* }) => {
        functions!($name { $($function: fn($($arg),*) -> S;)* });

        impl $name {
            /// To make the host's own code resident before anything is counted.
            fn idle() -> Self {
                Self { $($function: {
                    extern "C" fn idle($(_: $arg),*) -> S { 0 }
                    idle
                },)* }
            }
        }
    };
}

idle_too!(Functions2 {
    fmi2GetReal: fn(C, *const u32, usize, *mut f64);
    fmi2SetReal: fn(C, *const u32, usize, *const f64);
    fmi2GetInteger: fn(C, *const u32, usize, *mut c_int);
    fmi2SetInteger: fn(C, *const u32, usize, *const c_int);
    fmi2GetBoolean: fn(C, *const u32, usize, *mut c_int);
    fmi2SetBoolean: fn(C, *const u32, usize, *const c_int);
    fmi2GetString: fn(C, *const u32, usize, *mut *const c_char);
    fmi2SetString: fn(C, *const u32, usize, *const *const c_char);
    fmi2DoStep: fn(C, f64, f64, c_int);
    fmi2GetDirectionalDerivative: fn(C, *const u32, usize, *const u32, usize, *const f64, *mut f64);
    fmi2GetRealOutputDerivatives: fn(C, *const u32, usize, *const c_int, *mut f64);
    fmi2GetRealStatus: fn(C, c_int, *mut f64);
    fmi2GetBooleanStatus: fn(C, c_int, *mut c_int);
    fmi2GetFMUstate: fn(C, *mut C);
    fmi2SetFMUstate: fn(C, C);
    fmi2SerializedFMUstateSize: fn(C, C, *mut usize);
    fmi2SerializeFMUstate: fn(C, C, *mut c_char, usize);
    fmi2DeSerializeFMUstate: fn(C, *const c_char, usize, *mut C);
});

idle_too!(Functions3 {
    fmi3GetFloat64: fn(C, *const u32, usize, *mut f64, usize);
    fmi3SetFloat64: fn(C, *const u32, usize, *const f64, usize);
    fmi3GetInt32: fn(C, *const u32, usize, *mut i32, usize);
    fmi3SetInt32: fn(C, *const u32, usize, *const i32, usize);
    fmi3GetInt64: fn(C, *const u32, usize, *mut i64, usize);
    fmi3SetInt64: fn(C, *const u32, usize, *const i64, usize);
    fmi3GetBoolean: fn(C, *const u32, usize, *mut bool, usize);
    fmi3SetBoolean: fn(C, *const u32, usize, *const bool, usize);
    fmi3GetString: fn(C, *const u32, usize, *mut *const c_char, usize);
    fmi3SetString: fn(C, *const u32, usize, *const *const c_char, usize);
    fmi3DoStep: fn(C, f64, f64, bool, *mut bool, *mut bool, *mut bool, *mut f64);
    fmi3GetDirectionalDerivative: fn(C, *const u32, usize, *const u32, usize, *const f64, usize, *mut f64, usize);
    fmi3GetAdjointDerivative: fn(C, *const u32, usize, *const u32, usize, *const f64, usize, *mut f64, usize);
    fmi3GetOutputDerivatives: fn(C, *const u32, usize, *const c_int, *mut f64, usize);
    fmi3GetFMUState: fn(C, *mut C);
    fmi3SetFMUState: fn(C, C);
    fmi3SerializedFMUStateSize: fn(C, C, *mut usize);
    fmi3SerializeFMUState: fn(C, C, *mut u8, usize);
    fmi3DeserializeFMUState: fn(C, *const u8, usize, *mut C);
});

/// A version of the standard, with its functions.
#[derive(Clone, Copy)]
enum Functions {
    Fmi2(Functions2),
    Fmi3(Functions3),
}

/// An instance.
pub(crate) struct Fmu {
    functions: Functions,
    /// What the standard calls component or instance.
    handle: C,
    free: unsafe extern "C" fn(C),
    /// FMI 2 keeps a pointer to it.
    _callbacks: Box<CallbackFunctions>,
}

// SAFETY: an instance may be used by any thread, by one at a time.
unsafe impl Send for Fmu {}

/// Places of values that are read, by type.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) reals: (Vec<u32>, Vec<f64>),
    pub(crate) integers: (Vec<u32>, Vec<i32>),
    pub(crate) items: (Vec<u32>, Vec<i64>),
    pub(crate) booleans: (Vec<u32>, Vec<bool>),
    pub(crate) flags: Vec<c_int>,
    pub(crate) strings: (Vec<u32>, Vec<*const c_char>),
}

// SAFETY: the pointers are those of an instance that goes along.
unsafe impl Send for Places {}

/// Real variables that derivatives are of or by.
#[derive(Default)]
pub(crate) struct Values {
    pub(crate) references: Vec<u32>,
    /// Of derivatives by time, of each reference.
    pub(crate) orders: Vec<c_int>,
    /// Of every element.
    pub(crate) elements: Vec<f64>,
}

/// The last warning of any instance.
pub(crate) static WARNED: Mutex<String> = Mutex::new(String::new());

/// Keeps warnings and writes worse to standard error; never called where nothing may be allocated.
fn told(status: c_int, text: *const c_char) {
    if status == 0 {
        return;
    }
    // SAFETY: texts of FMUs end with a zero byte.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    if status >= 2 {
        let line = format!("FMU: {text}\n");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    } else {
        text.as_ref().clone_into(&mut WARNED.lock().unwrap());
    }
}

extern "C" fn logger2(_: C, _: *const c_char, s: c_int, _: *const c_char, text: *const c_char) {
    told(s, text);
}

extern "C" fn logger3(_: C, status: c_int, _: *const c_char, text: *const c_char) {
    told(status, text);
}

/// Calls a function of the version at hand.
macro_rules! call {
    ($fmu:expr, $two:ident($($a:expr),*), $three:ident($($b:expr),*)) => {
        // SAFETY: places are as long as the numbers that go with them.
        unsafe {
            match &$fmu.functions {
                Functions::Fmi2(f) => (f.$two)($fmu.handle $(, $a)*),
                Functions::Fmi3(f) => (f.$three)($fmu.handle $(, $b)*),
            }
        }
    };
}

impl Fmu {
    /// An initialized instance.
    pub(crate) fn start(library: &Library, case: &Case, version: u32) -> Self {
        let fmu = Self::instantiate(library, case, version, false);
        let done = fmu.initialize(library, case, version);
        assert_eq!(done, (0, 0), "{}: initialization", case.name);
        fmu
    }

    /// What is returned on the way into the initialization, and out of it.
    pub(crate) fn initialize(&self, library: &Library, case: &Case, version: u32) -> (S, S) {
        let (fmu, start) = (self, case.start);
        let entered = if version == 2 {
            type Setup = unsafe extern "C" fn(C, c_int, f64, f64, c_int, f64) -> S;
            let setup: Setup = function(library, "fmi2SetupExperiment");
            let enter: unsafe extern "C" fn(C) -> S =
                function(library, "fmi2EnterInitializationMode");
            // SAFETY: plain arguments.
            let set = unsafe { setup(fmu.handle, 0, 0.0, start, 0, 0.0) };
            // SAFETY: plain arguments.
            set + unsafe { enter(fmu.handle) }
        } else {
            type Enter = unsafe extern "C" fn(C, bool, f64, f64, bool, f64) -> S;
            let enter: Enter = function(library, "fmi3EnterInitializationMode");
            // SAFETY: plain arguments.
            unsafe { enter(fmu.handle, false, 0.0, start, false, 0.0) }
        };
        let exit = format!("fmi{version}ExitInitializationMode");
        let exit: unsafe extern "C" fn(C) -> S = function(library, &exit);
        // SAFETY: plain arguments.
        let exited = unsafe { exit(fmu.handle) };
        (entered, exited)
    }

    /// To the end.
    pub(crate) fn terminate(&self, library: &Library, version: u32) -> S {
        let name = format!("fmi{version}Terminate");
        let terminate: unsafe extern "C" fn(C) -> S = function(library, &name);
        // SAFETY: plain arguments.
        unsafe { terminate(self.handle) }
    }

    /// Back to the beginning.
    pub(crate) fn reset(&self, library: &Library, version: u32) -> S {
        let reset: unsafe extern "C" fn(C) -> S = function(library, &format!("fmi{version}Reset"));
        // SAFETY: plain arguments.
        unsafe { reset(self.handle) }
    }

    /// All derivatives that the version has: of outputs in a direction of what is set, the other way round, by time.
    pub(crate) fn differentiate(&self, outputs: &mut Values, inputs: &mut Values) -> S {
        let (of, n_of, by, n_by) = (
            outputs.references.as_ptr(),
            outputs.references.len(),
            inputs.references.as_ptr(),
            inputs.references.len(),
        );
        let (long, wide) = (outputs.elements.len(), inputs.elements.len());
        let orders = outputs.orders.as_ptr();
        let (to, from) = (outputs.elements.as_mut_ptr(), inputs.elements.as_mut_ptr());
        let forward = call!(
            self,
            fmi2GetDirectionalDerivative(of, n_of, by, n_by, from, to),
            fmi3GetDirectionalDerivative(of, n_of, by, n_by, from, wide, to, long)
        );
        let by_time = call!(
            self,
            fmi2GetRealOutputDerivatives(of, n_of, orders, to),
            fmi3GetOutputDerivatives(of, n_of, orders, to, long)
        );
        let back = match &self.functions {
            Functions::Fmi2(_) => 0,
            Functions::Fmi3(f) => {
                // SAFETY: places are as long as the numbers that go with them.
                unsafe {
                    (f.fmi3GetAdjointDerivative)(
                        self.handle,
                        of,
                        n_of,
                        by,
                        n_by,
                        to,
                        long,
                        from,
                        wide,
                    )
                }
            }
        };
        forward + by_time + back
    }

    /// Sets a Boolean variable.
    pub(crate) fn set_flag(&self, reference: u32, on: bool) -> S {
        let (vr, number) = (&raw const reference, c_int::from(on));
        call!(
            self,
            fmi2SetBoolean(vr, 1, &raw const number),
            fmi3SetBoolean(vr, 1, &raw const on, 1)
        )
    }

    /// An instance, with or without its log.
    pub(crate) fn instantiate(library: &Library, case: &Case, version: u32, log: bool) -> Self {
        let resources = case.resources.display();
        let place = if version == 2 {
            format!("file://{resources}")
        } else {
            format!("{resources}/")
        };
        let [name, token, place] =
            [case.name.as_str(), &case.token, &place].map(|text| CString::new(text).unwrap());
        // SAFETY: the named arguments of a variadic function are passed like those of a plain one on
        // the platforms that the tests run on.
        let logger = unsafe { std::mem::transmute::<Plain, Logger>(logger2) };
        let callbacks = Box::new(CallbackFunctions {
            logger: Some(logger),
            allocate_memory: None,
            free_memory: None,
            step_finished: None,
            component_environment: ptr::null_mut(),
        });
        let [name, token, place] = [&name, &token, &place].map(|text| text.as_ptr());
        let (functions, handle) = if version == 2 {
            type Make = unsafe extern "C" fn(
                *const c_char,
                c_int,
                *const c_char,
                *const c_char,
                *const CallbackFunctions,
                c_int,
                c_int,
            ) -> C;
            let make: Make = function(library, "fmi2Instantiate");
            let log = c_int::from(log);
            // SAFETY: texts and callbacks outlive the call, the callbacks the instance too.
            let handle = unsafe { make(name, 1, token, place, &raw const *callbacks, 0, log) };
            (Functions::Fmi2(Functions2::of(library)), handle)
        } else {
            type Make = unsafe extern "C" fn(
                *const c_char,
                *const c_char,
                *const c_char,
                bool,
                bool,
                bool,
                bool,
                *const u32,
                usize,
                C,
                Logger3,
                Option<Logger3>,
            ) -> C;
            let make: Make = function(library, "fmi3InstantiateCoSimulation");
            let (none, nobody) = (ptr::null(), ptr::null_mut());
            // SAFETY: texts outlive the call.
            let handle = unsafe {
                make(
                    name, token, place, false, log, false, false, none, 0, nobody, logger3, None,
                )
            };
            (Functions::Fmi3(Functions3::of(library)), handle)
        };
        assert!(!handle.is_null(), "{}: no instance", case.name);
        Self {
            functions,
            handle,
            free: function(library, &format!("fmi{version}FreeInstance")),
            _callbacks: callbacks,
        }
    }

    /// Takes functions that do nothing in exchange for those of the library, and gives those back.
    pub(crate) fn idle(&mut self) -> impl FnOnce(&mut Self) + use<> {
        let own = self.functions;
        self.functions = match own {
            Functions::Fmi2(_) => Functions::Fmi2(Functions2::idle()),
            Functions::Fmi3(_) => Functions::Fmi3(Functions3::idle()),
        };
        move |fmu| fmu.functions = own
    }

    /// A communication step; its status.
    pub(crate) fn step(&self, current: f64, h: f64) -> S {
        let (mut event, mut ends, mut early, mut last) = (false, false, false, 0.0);
        let status = call!(
            self,
            fmi2DoStep(current, h, 1),
            fmi3DoStep(
                current,
                h,
                true,
                &raw mut event,
                &raw mut ends,
                &raw mut early,
                &raw mut last
            )
        );
        status + c_int::from(ends)
    }

    /// Has it arrays, rather than their elements?
    pub(crate) fn has_arrays(&self) -> bool {
        matches!(self.functions, Functions::Fmi3(_))
    }

    /// Sets real variables.
    pub(crate) fn set(&self, references: &[u32], values: &[f64]) -> S {
        let (vr, n, from) = (references.as_ptr(), references.len(), values.as_ptr());
        call!(
            self,
            fmi2SetReal(vr, n, from),
            fmi3SetFloat64(vr, n, from, values.len())
        )
    }

    /// Calls the other functions that set, with nothing to set: no variable of these types may be set
    /// while a run goes on.
    pub(crate) fn set_nothing(&self) -> S {
        let vr = ptr::null();
        call!(
            self,
            fmi2SetInteger(vr, 0, ptr::null()),
            fmi3SetInt32(vr, 0, ptr::null(), 0)
        ) + call!(
            self,
            fmi2SetInteger(vr, 0, ptr::null()),
            fmi3SetInt64(vr, 0, ptr::null(), 0)
        ) + call!(
            self,
            fmi2SetBoolean(vr, 0, ptr::null()),
            fmi3SetBoolean(vr, 0, ptr::null(), 0)
        ) + call!(
            self,
            fmi2SetString(vr, 0, ptr::null()),
            fmi3SetString(vr, 0, ptr::null(), 0)
        )
    }

    /// Reads all that there is to read.
    pub(crate) fn get(&self, places: &mut Places) -> S {
        let mut status = 0;
        let (references, values) = &mut places.reals;
        let (vr, n, to) = (references.as_ptr(), references.len(), values.as_mut_ptr());
        let long = values.len();
        status += call!(
            self,
            fmi2GetReal(vr, n, to),
            fmi3GetFloat64(vr, n, to, long)
        );
        let (references, values) = &mut places.integers;
        let (vr, n, to) = (references.as_ptr(), references.len(), values.as_mut_ptr());
        status += call!(self, fmi2GetInteger(vr, n, to), fmi3GetInt32(vr, n, to, n));
        let (references, values) = &mut places.items;
        let (vr, n, to) = (references.as_ptr(), references.len(), values.as_mut_ptr());
        let narrow = places.flags.as_mut_ptr();
        status += call!(
            self,
            fmi2GetInteger(vr, n, narrow),
            fmi3GetInt64(vr, n, to, n)
        );
        let (references, values) = &mut places.booleans;
        let (vr, n, to) = (references.as_ptr(), references.len(), values.as_mut_ptr());
        status += call!(
            self,
            fmi2GetBoolean(vr, n, narrow),
            fmi3GetBoolean(vr, n, to, n)
        );
        let (references, values) = &mut places.strings;
        let (vr, n, to) = (references.as_ptr(), references.len(), values.as_mut_ptr());
        status + call!(self, fmi2GetString(vr, n, to), fmi3GetString(vr, n, to, n))
    }

    /// What FMI 2.0 says of the last step.
    pub(crate) fn ask(&self) -> S {
        let Functions::Fmi2(f) = &self.functions else {
            return 0;
        };
        let (mut time, mut ended) = (0.0, 0);
        // SAFETY: two places for two values; fmi2LastSuccessfulTime and fmi2Terminated.
        let first = unsafe { (f.fmi2GetRealStatus)(self.handle, 2, &raw mut time) };
        // SAFETY: as above.
        first + unsafe { (f.fmi2GetBooleanStatus)(self.handle, 3, &raw mut ended) }
    }

    /// Saves the state, into the same place if there is one already.
    pub(crate) fn save(&self, state: &mut C) -> S {
        let to = &raw mut *state;
        call!(self, fmi2GetFMUstate(to), fmi3GetFMUState(to))
    }

    /// Restores a state.
    pub(crate) fn restore(&self, state: C) -> S {
        call!(self, fmi2SetFMUstate(state), fmi3SetFMUState(state))
    }

    /// A saved state as bytes.
    pub(crate) fn bytes(&self, state: C) -> Vec<u8> {
        let mut size = 0;
        let at = &raw mut size;
        let asked = call!(
            self,
            fmi2SerializedFMUstateSize(state, at),
            fmi3SerializedFMUStateSize(state, at)
        );
        let mut bytes = vec![0_u8; size];
        let to = bytes.as_mut_ptr();
        let written = call!(
            self,
            fmi2SerializeFMUstate(state, to.cast(), size),
            fmi3SerializeFMUState(state, to, size)
        );
        assert_eq!((asked, written), (0, 0));
        bytes
    }

    /// A state of this instance from bytes.
    pub(crate) fn state_of(&self, bytes: &[u8]) -> C {
        let mut state = ptr::null_mut();
        let (from, n, to) = (bytes.as_ptr(), bytes.len(), &raw mut state);
        let read = call!(
            self,
            fmi2DeSerializeFMUstate(from.cast(), n, to),
            fmi3DeserializeFMUState(from, n, to)
        );
        assert_eq!(read, 0);
        state
    }
}

impl Drop for Fmu {
    fn drop(&mut self) {
        // SAFETY: the handle is freed once.
        unsafe { (self.free)(self.handle) };
    }
}
