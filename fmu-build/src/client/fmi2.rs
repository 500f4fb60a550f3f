//! Control plane: an FMI 2.0 co-simulation instance behind its C functions.
//!
//! # The variadic logger
//! `fmi2CallbackLogger` takes printf-like arguments after its five named ones. Stable Rust cannot define such a
//! function, so the logger here has the five named parameters only. The calling conventions of x86-64 (System V and
//! Windows) and of 64-bit Arm (AAPCS64 and Apple's) pass named arguments of a variadic call as in a plain call, so
//! the named arguments arrive. The rest is never read, and the text is shown unchanged, placeholders included.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::fmt::Write as _;

use libloading::Library;
use model_description::parse::Type;

use super::log::{LogSink, copy, sink};
use super::symbols::symbols;
use super::{Start, Status, state, to_c};
use crate::slave::{Advance, Failure, LogLevel, Message, Value};

type Component = *mut c_void;
type Logger = unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char);
type Simple = unsafe extern "C" fn(Component) -> c_int;
type Get<T> = unsafe extern "C" fn(Component, *const c_uint, usize, *mut T) -> c_int;
type Set<T> = unsafe extern "C" fn(Component, *const c_uint, usize, *const T) -> c_int;
type Instantiate = unsafe extern "C" fn(
    *const c_char,
    c_int,
    *const c_char,
    *const c_char,
    *const Callbacks,
    c_int,
    c_int,
) -> Component;
type SetupExperiment = unsafe extern "C" fn(Component, c_int, f64, f64, c_int, f64) -> c_int;
type DoStep = unsafe extern "C" fn(Component, f64, f64, c_int) -> c_int;
type Allocate = unsafe extern "C" fn(usize, usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);

/// `fmi2CoSimulation` of `fmi2Type`.
const CO_SIMULATION: c_int = 1;
/// `fmi2LastSuccessfulTime` and `fmi2Terminated` of `fmi2StatusKind`.
const LAST_SUCCESSFUL_TIME: c_int = 2;
const TERMINATED: c_int = 3;

unsafe extern "C" {
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// `fmi2CallbackFunctions`.
#[repr(C)]
struct Callbacks {
    logger: Option<Logger>,
    allocate_memory: Option<Allocate>,
    free_memory: Option<Free>,
    step_finished: Option<unsafe extern "C" fn(*mut c_void, c_int)>,
    environment: *mut c_void,
}

symbols! {
    /// The functions of FMI 2.0 that this client calls.
    Symbols, REQUIRED, "fmi2";
    required {
        instantiate = "Instantiate": Instantiate,
        free_instance = "FreeInstance": unsafe extern "C" fn(Component),
        setup_experiment = "SetupExperiment": SetupExperiment,
        enter_initialization = "EnterInitializationMode": Simple,
        exit_initialization = "ExitInitializationMode": Simple,
        terminate = "Terminate": Simple,
        do_step = "DoStep": DoStep,
        get_real = "GetReal": Get<f64>,
        set_real = "SetReal": Set<f64>,
        get_integer = "GetInteger": Get<c_int>,
        set_integer = "SetInteger": Set<c_int>,
        get_boolean = "GetBoolean": Get<c_int>,
        set_boolean = "SetBoolean": Set<c_int>,
        set_string = "SetString": Set<*const c_char>,
    }
    optional {
        get_state = "GetFMUstate": state::OfState,
        free_state = "FreeFMUstate": state::OfState,
        state_size = "SerializedFMUstateSize": state::SizeOfState,
        state_bytes = "SerializeFMUstate": state::BytesOfState,
        state_read = "DeSerializeFMUstate": state::StateOfBytes,
        state_set = "SetFMUstate": state::SetState,
        set_debug_logging = "SetDebugLogging":
            unsafe extern "C" fn(Component, c_int, usize, *const *const c_char) -> c_int,
        get_string = "GetString": Get<*const c_char>,
        get_real_status = "GetRealStatus":
            unsafe extern "C" fn(Component, c_int, *mut f64) -> c_int,
        get_boolean_status = "GetBooleanStatus":
            unsafe extern "C" fn(Component, c_int, *mut c_int) -> c_int,
    }
}

/// An FMI 2.0 instance. Fields drop from top to bottom: the library goes last.
pub(super) struct Instance {
    component: Component,
    fatal: Cell<bool>,
    symbols: Symbols,
    /// Some FMUs keep a pointer to the callbacks, although the standard allows its use only during the call.
    _callbacks: Box<Callbacks>,
    sink: Box<LogSink>,
    _library: Library,
}

unsafe extern "C" fn log(
    environment: *mut c_void,
    _instance: *const c_char,
    status: c_int,
    category: *const c_char,
    message: *const c_char,
) {
    if let Some(sink) = sink(environment) {
        sink.push(status, copy(category), copy(message));
    }
}

impl Instance {
    /// `fmi2Instantiate`.
    pub(super) fn new(library: Library, start: &Start<'_>) -> Result<Self, Failure> {
        let symbols = Symbols::load(&library)?;
        let sink = Box::new(LogSink::default());
        let callbacks = Box::new(Callbacks {
            logger: Some(log),
            allocate_memory: Some(calloc),
            free_memory: Some(free),
            step_finished: None,
            environment: (&raw const *sink).cast_mut().cast(),
        });
        let (name, token) = (to_c(start.instance_name)?, to_c(start.token)?);
        let resources = to_c(&file_uri(start.resources))?;
        // SAFETY: all pointers are to terminated strings and to callbacks that outlive the call.
        let component = unsafe {
            (symbols.instantiate)(
                name.as_ptr(),
                CO_SIMULATION,
                token.as_ptr(),
                resources.as_ptr(),
                &raw const *callbacks,
                0,
                c_int::from(start.talk == LogLevel::All),
            )
        };
        if component.is_null() {
            let reason = sink.complaint();
            return Err(Failure(format!("fmi2Instantiate returned NULL: {reason}")));
        }
        Ok(Self {
            component,
            fatal: Cell::new(false),
            symbols,
            _callbacks: callbacks,
            sink,
            _library: library,
        })
    }

    /// Switches categories of messages on. The FMU may ignore it.
    pub(super) fn set_debug_logging(&mut self, categories: &[*const c_char]) {
        if let Some(switch) = self.symbols.set_debug_logging {
            // SAFETY: pointers to terminated strings that outlive the call, as many as are said.
            unsafe { switch(self.component, 1, categories.len(), categories.as_ptr()) };
        }
    }

    pub(super) fn set(
        &mut self,
        kind: Type,
        reference: u32,
        values: &[Value],
    ) -> Result<(), Failure> {
        let (component, reference) = (self.component, &raw const reference);
        for value in values {
            let (function, status) = match (kind, value) {
                (Type::String, Value::Text(text)) => {
                    let text: CString = to_c(text)?;
                    let pointer = text.as_ptr();
                    // SAFETY: one reference and one terminated string that outlives the call.
                    let status = unsafe {
                        (self.symbols.set_string)(component, reference, 1, &raw const pointer)
                    };
                    ("fmi2SetString", status)
                }
                (Type::Boolean, Value::Boolean(value)) => {
                    let value = c_int::from(*value);
                    // SAFETY: one reference and one value.
                    let status = unsafe {
                        (self.symbols.set_boolean)(component, reference, 1, &raw const value)
                    };
                    ("fmi2SetBoolean", status)
                }
                (Type::Float64, Value::Real(value)) => {
                    // SAFETY: one reference and one value.
                    let status = unsafe {
                        (self.symbols.set_real)(component, reference, 1, &raw const *value)
                    };
                    ("fmi2SetReal", status)
                }
                (_, Value::Integer(value)) => {
                    let value = *value as c_int;
                    // SAFETY: one reference and one value.
                    let status = unsafe {
                        (self.symbols.set_integer)(component, reference, 1, &raw const value)
                    };
                    ("fmi2SetInteger", status)
                }
                (kind, _) => return Err(Failure(format!("a value is not of type {kind:?}"))),
            };
            self.check(function, status)?;
        }
        Ok(())
    }

    pub(super) fn read(
        &mut self,
        kind: Type,
        reference: u32,
        into: &mut Vec<f64>,
    ) -> Result<(), Failure> {
        let (component, reference) = (self.component, &raw const reference);
        let (mut real, mut integer) = (0.0, 0);
        let (function, status) = match kind {
            Type::Float64 => {
                // SAFETY: one reference and room for one value.
                let status =
                    unsafe { (self.symbols.get_real)(component, reference, 1, &raw mut real) };
                ("fmi2GetReal", status)
            }
            Type::Boolean => {
                // SAFETY: one reference and room for one value.
                let status = unsafe {
                    (self.symbols.get_boolean)(component, reference, 1, &raw mut integer)
                };
                real = f64::from(u8::from(integer != 0));
                ("fmi2GetBoolean", status)
            }
            Type::Int32 | Type::Enumeration => {
                // SAFETY: one reference and room for one value.
                let status = unsafe {
                    (self.symbols.get_integer)(component, reference, 1, &raw mut integer)
                };
                real = f64::from(integer);
                ("fmi2GetInteger", status)
            }
            kind => return Err(Failure(format!("type {kind:?} is not a number"))),
        };
        self.check(function, status)?;
        into.push(real);
        Ok(())
    }

    pub(super) fn read_text(
        &mut self,
        reference: u32,
        into: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let Some(get) = self.symbols.get_string else {
            return Err(Failure(
                "the FMU's library does not export fmi2GetString".to_owned(),
            ));
        };
        let mut text: *const c_char = std::ptr::null();
        // SAFETY: the component is alive; one reference and room for one value.
        let status = unsafe { get(self.component, &raw const reference, 1, &raw mut text) };
        self.check("fmi2GetString", status)?;
        into.push(copy(text));
        Ok(())
    }

    pub(super) fn enter_initialization(
        &mut self,
        start: f64,
        stop: Option<f64>,
    ) -> Result<(), Failure> {
        let (defined, stop) = (c_int::from(stop.is_some()), stop.unwrap_or(0.0));
        // SAFETY: the component is alive; plain numbers.
        let status = unsafe {
            (self.symbols.setup_experiment)(self.component, 0, 0.0, start, defined, stop)
        };
        self.check("fmi2SetupExperiment", status)?;
        self.simple(
            "fmi2EnterInitializationMode",
            self.symbols.enter_initialization,
        )
    }

    pub(super) fn exit_initialization(&mut self) -> Result<(), Failure> {
        self.simple(
            "fmi2ExitInitializationMode",
            self.symbols.exit_initialization,
        )
    }

    pub(super) fn terminate(&mut self) -> Result<(), Failure> {
        self.simple("fmi2Terminate", self.symbols.terminate)
    }

    /// `fmi2DoStep`; `Discard` with `terminated` is an end, not a failure.
    pub(super) fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure> {
        // SAFETY: the component is alive; plain numbers. Never set back, hence the flag 1.
        let status = unsafe { (self.symbols.do_step)(self.component, time, step, 1) };
        if status == Status::DISCARD && self.terminated() {
            return Ok(Advance::Ended {
                at: self.last_time().unwrap_or(time),
            });
        }
        self.check("fmi2DoStep", status)?;
        Ok(Advance::Done)
    }

    fn terminated(&self) -> bool {
        let mut value = 0;
        self.symbols.get_boolean_status.is_some_and(|get| {
            // SAFETY: the component is alive; room for one value.
            let status = unsafe { get(self.component, TERMINATED, &raw mut value) };
            status == 0 && value != 0
        })
    }

    fn last_time(&self) -> Option<f64> {
        let mut value = 0.0;
        let get = self.symbols.get_real_status?;
        // SAFETY: the component is alive; room for one value.
        let status = unsafe { get(self.component, LAST_SUCCESSFUL_TIME, &raw mut value) };
        (status == 0).then_some(value)
    }

    fn simple(&mut self, name: &str, function: Simple) -> Result<(), Failure> {
        // SAFETY: the component is alive until drop.
        let status = unsafe { function(self.component) };
        self.check(name, status)
    }

    /// The functions for states.
    fn states(&self) -> state::Functions {
        let s = &self.symbols;
        state::Functions {
            get: s.get_state,
            free: s.free_state,
            size: s.state_size,
            bytes: s.state_bytes,
            read: s.state_read,
            set: s.state_set,
        }
    }

    /// Its state as bytes.
    pub(super) fn saved(&self) -> Result<Vec<u8>, Failure> {
        { self.states() }.saved(self.component, &|function, status| {
            self.check(&format!("fmi2{function}"), status)
        })
    }

    /// Takes a saved state.
    pub(super) fn restore(&self, bytes: &[u8]) -> Result<(), Failure> {
        { self.states() }.restore(self.component, bytes, &|function, status| {
            self.check(&format!("fmi2{function}"), status)
        })
    }

    fn check(&self, function: &str, status: c_int) -> Result<(), Failure> {
        if status == Status::FATAL {
            self.fatal.set(true);
        }
        Status(status).check(function, &self.sink)
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        self.sink.take()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if !self.fatal.get() {
            // SAFETY: the component is alive and never used again.
            unsafe { (self.symbols.free_instance)(self.component) };
        }
    }
}

/// A path as a file URI without a separator at its end.
fn file_uri(path: &std::path::Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut uri = String::from(if text.starts_with('/') {
        "file://"
    } else {
        "file:///"
    });
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(
            file_uri(Path::new("/a b/ü/resources")),
            "file:///a%20b/%C3%BC/resources"
        );
        assert_eq!(
            file_uri(Path::new("C:\\t\\resources")),
            "file:///C:/t/resources"
        );
    }

    #[test]
    fn callbacks_have_the_layout_of_the_header() {
        assert_eq!(size_of::<Callbacks>(), 5 * size_of::<usize>());
        assert_eq!(
            std::mem::offset_of!(Callbacks, environment),
            4 * size_of::<usize>()
        );
    }
}
