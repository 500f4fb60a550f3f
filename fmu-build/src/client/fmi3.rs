//! Control plane: an FMI 3.0 co-simulation instance behind its C functions.

mod texts;

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};

use libloading::Library;
use model_description::parse::Type;

use super::log::{LogSink, copy, sink};
use super::symbols::symbols;
use super::{Start, Status, state, to_c};
use crate::slave::{Advance, Failure, LogLevel, Message, Value};

type Handle = *mut c_void;
type LogMessage = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);
type Simple = unsafe extern "C" fn(Handle) -> c_int;
type Get<T> = unsafe extern "C" fn(Handle, *const u32, usize, *mut T, usize) -> c_int;
type Set<T> = unsafe extern "C" fn(Handle, *const u32, usize, *const T, usize) -> c_int;
type Instantiate = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_char,
    bool,
    bool,
    bool,
    bool,
    *const u32,
    usize,
    *mut c_void,
    Option<LogMessage>,
    Option<IntermediateUpdate>,
) -> Handle;
type IntermediateUpdate =
    unsafe extern "C" fn(*mut c_void, f64, bool, bool, bool, bool, *mut bool, *mut f64);
type EnterInitialization = unsafe extern "C" fn(Handle, bool, f64, f64, bool, f64) -> c_int;
type DoStep = unsafe extern "C" fn(
    Handle,
    f64,
    f64,
    bool,
    *mut bool,
    *mut bool,
    *mut bool,
    *mut f64,
) -> c_int;

symbols! {
    /// The functions of FMI 3.0 that this client calls.
    Symbols, REQUIRED, "fmi3";
    required {
        instantiate = "InstantiateCoSimulation": Instantiate,
        free_instance = "FreeInstance": unsafe extern "C" fn(Handle),
        enter_initialization = "EnterInitializationMode": EnterInitialization,
        exit_initialization = "ExitInitializationMode": Simple,
        terminate = "Terminate": Simple,
        do_step = "DoStep": DoStep,
        get_float64 = "GetFloat64": Get<f64>,
        set_float64 = "SetFloat64": Set<f64>,
    }
    optional {
        get_state = "GetFMUState": state::OfState,
        free_state = "FreeFMUState": state::OfState,
        state_size = "SerializedFMUStateSize": state::SizeOfState,
        state_bytes = "SerializeFMUState": state::BytesOfState,
        state_read = "DeserializeFMUState": state::StateOfBytes,
        state_set = "SetFMUState": state::SetState,
        set_debug_logging = "SetDebugLogging":
            unsafe extern "C" fn(Handle, bool, usize, *const *const c_char) -> c_int,
        get_float32 = "GetFloat32": Get<f32>,
        set_float32 = "SetFloat32": Set<f32>,
        get_int8 = "GetInt8": Get<i8>,
        set_int8 = "SetInt8": Set<i8>,
        get_uint8 = "GetUInt8": Get<u8>,
        set_uint8 = "SetUInt8": Set<u8>,
        get_int16 = "GetInt16": Get<i16>,
        set_int16 = "SetInt16": Set<i16>,
        get_uint16 = "GetUInt16": Get<u16>,
        set_uint16 = "SetUInt16": Set<u16>,
        get_int32 = "GetInt32": Get<i32>,
        set_int32 = "SetInt32": Set<i32>,
        get_uint32 = "GetUInt32": Get<u32>,
        set_uint32 = "SetUInt32": Set<u32>,
        get_int64 = "GetInt64": Get<i64>,
        set_int64 = "SetInt64": Set<i64>,
        get_uint64 = "GetUInt64": Get<u64>,
        set_uint64 = "SetUInt64": Set<u64>,
        get_boolean = "GetBoolean": Get<u8>,
        set_boolean = "SetBoolean": Set<bool>,
        get_string = "GetString": Get<*const c_char>,
        set_string = "SetString": Set<*const c_char>,
        get_binary = "GetBinary": texts::GetBinary,
    }
}

/// An FMI 3.0 instance. Fields drop from top to bottom: the library goes last.
pub(super) struct Instance {
    handle: Handle,
    fatal: Cell<bool>,
    symbols: Symbols,
    sink: Box<LogSink>,
    _library: Library,
}

unsafe extern "C" fn log(
    environment: *mut c_void,
    status: c_int,
    category: *const c_char,
    message: *const c_char,
) {
    if let Some(sink) = sink(environment) {
        sink.push(status, copy(category), copy(message));
    }
}

impl Instance {
    /// `fmi3InstantiateCoSimulation`, without event mode and early return.
    pub(super) fn new(library: Library, start: &Start<'_>) -> Result<Self, Failure> {
        let symbols = Symbols::load(&library)?;
        let sink = Box::new(LogSink::default());
        let (name, token) = (to_c(start.instance_name)?, to_c(start.token)?);
        // The standard wants a separator at the end of the path.
        let resources = to_c(&format!(
            "{}{}",
            start.resources.display(),
            std::path::MAIN_SEPARATOR
        ))?;
        // SAFETY: terminated strings that outlive the call, no required intermediate variables,
        // and a sink that outlives the instance.
        let handle = unsafe {
            (symbols.instantiate)(
                name.as_ptr(),
                token.as_ptr(),
                resources.as_ptr(),
                false,
                start.talk == LogLevel::All,
                false,
                false,
                std::ptr::null(),
                0,
                (&raw const *sink).cast_mut().cast(),
                Some(log),
                None,
            )
        };
        if handle.is_null() {
            let reason = sink.complaint();
            return Err(Failure(format!(
                "fmi3InstantiateCoSimulation returned NULL: {reason}"
            )));
        }
        Ok(Self {
            handle,
            fatal: Cell::new(false),
            symbols,
            sink,
            _library: library,
        })
    }

    /// Switches categories of messages on. The FMU may ignore it.
    pub(super) fn set_debug_logging(&mut self, categories: &[*const c_char]) {
        if let Some(switch) = self.symbols.set_debug_logging {
            // SAFETY: pointers to terminated strings that outlive the call, as many as are said.
            unsafe { switch(self.handle, true, categories.len(), categories.as_ptr()) };
        }
    }

    pub(super) fn set(
        &mut self,
        kind: Type,
        reference: u32,
        values: &[Value],
    ) -> Result<(), Failure> {
        let s = &self.symbols;
        let set = Setter {
            handle: self.handle,
            reference,
            kind,
            values,
        };
        let status = match kind {
            Type::Float64 => set.reals(Some(s.set_float64), |value| value),
            Type::Float32 => set.reals(s.set_float32, |value| value as f32),
            Type::Int8 => set.integers(s.set_int8, |value| value as i8),
            Type::UInt8 => set.integers(s.set_uint8, |value| value as u8),
            Type::Int16 => set.integers(s.set_int16, |value| value as i16),
            Type::UInt16 => set.integers(s.set_uint16, |value| value as u16),
            Type::Int32 => set.integers(s.set_int32, |value| value as i32),
            Type::UInt32 => set.integers(s.set_uint32, |value| value as u32),
            Type::Int64 | Type::Enumeration => set.integers(s.set_int64, |value| value),
            Type::UInt64 => set.integers(s.set_uint64, |value| value as u64),
            Type::Boolean => set.booleans(s.set_boolean),
            Type::String => set.strings(s.set_string),
            Type::Binary | Type::Clock => Err(set.mismatch()),
        }?;
        self.check(&format!("fmi3Set{}", access(kind)), status)
    }

    pub(super) fn read(
        &mut self,
        kind: Type,
        reference: u32,
        size: usize,
        into: &mut Vec<f64>,
    ) -> Result<(), Failure> {
        let s = &self.symbols;
        let mut get = Getter {
            handle: self.handle,
            reference,
            kind,
            size,
            into,
        };
        let status = match kind {
            Type::Float64 => get.numbers(Some(s.get_float64), |value| value),
            Type::Float32 => get.numbers(s.get_float32, f64::from),
            Type::Int8 => get.numbers(s.get_int8, f64::from),
            Type::UInt8 => get.numbers(s.get_uint8, f64::from),
            Type::Int16 => get.numbers(s.get_int16, f64::from),
            Type::UInt16 => get.numbers(s.get_uint16, f64::from),
            Type::Int32 => get.numbers(s.get_int32, f64::from),
            Type::UInt32 => get.numbers(s.get_uint32, f64::from),
            Type::Int64 | Type::Enumeration => get.numbers(s.get_int64, |value: i64| value as f64),
            Type::UInt64 => get.numbers(s.get_uint64, |value: u64| value as f64),
            // Read as bytes: a careless FMU may leave more than 0 and 1 there.
            Type::Boolean => get.numbers(s.get_boolean, |value| f64::from(u8::from(value != 0))),
            Type::String | Type::Binary | Type::Clock => {
                Err(Failure(format!("type {kind:?} is not a number")))
            }
        }?;
        self.check(&format!("fmi3Get{}", access(kind)), status)
    }

    pub(super) fn read_text(
        &mut self,
        kind: Type,
        reference: u32,
        size: usize,
        into: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let from = (self.handle, reference);
        let (status, read) = if kind == Type::Binary {
            texts::bytes(self.symbols.get_binary, from, size)
        } else {
            texts::strings(self.symbols.get_string, from, size)
        }?;
        self.check(&format!("fmi3Get{}", access(kind)), status)?;
        into.extend(read);
        Ok(())
    }

    pub(super) fn enter_initialization(
        &mut self,
        start: f64,
        stop: Option<f64>,
    ) -> Result<(), Failure> {
        let (defined, stop) = (stop.is_some(), stop.unwrap_or(0.0));
        // SAFETY: the instance is alive; plain numbers.
        let status = unsafe {
            (self.symbols.enter_initialization)(self.handle, false, 0.0, start, defined, stop)
        };
        self.check("fmi3EnterInitializationMode", status)
    }

    pub(super) fn exit_initialization(&mut self) -> Result<(), Failure> {
        self.simple(
            "fmi3ExitInitializationMode",
            self.symbols.exit_initialization,
        )
    }

    pub(super) fn terminate(&mut self) -> Result<(), Failure> {
        self.simple("fmi3Terminate", self.symbols.terminate)
    }

    /// `fmi3DoStep`; `terminateSimulation` is an end, not a failure.
    pub(super) fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure> {
        let (mut event, mut terminate, mut early, mut last) = (false, false, false, time + step);
        // SAFETY: the instance is alive; room for each answer. Never set back, hence the flag.
        let status = unsafe {
            (self.symbols.do_step)(
                self.handle,
                time,
                step,
                true,
                &raw mut event,
                &raw mut terminate,
                &raw mut early,
                &raw mut last,
            )
        };
        if terminate && status <= Status::DISCARD {
            return Ok(Advance::Ended { at: last });
        }
        self.check("fmi3DoStep", status)?;
        Ok(Advance::Done)
    }

    fn simple(&mut self, name: &str, function: Simple) -> Result<(), Failure> {
        // SAFETY: the instance is alive until drop.
        let status = unsafe { function(self.handle) };
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
        { self.states() }.saved(self.handle, &|function, status| {
            self.check(&format!("fmi3{function}"), status)
        })
    }

    /// Takes a saved state.
    pub(super) fn restore(&self, bytes: &[u8]) -> Result<(), Failure> {
        { self.states() }.restore(self.handle, bytes, &|function, status| {
            self.check(&format!("fmi3{function}"), status)
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
            // SAFETY: the instance is alive and never used again.
            unsafe { (self.symbols.free_instance)(self.handle) };
        }
    }
}

/// The name of a type in the names of its access functions.
fn access(kind: Type) -> String {
    if kind == Type::Enumeration {
        "Int64".to_owned()
    } else {
        format!("{kind:?}")
    }
}

fn missing(verb: &str, kind: Type) -> Failure {
    Failure(format!(
        "the FMU's library does not export fmi3{verb}{}",
        access(kind)
    ))
}

/// One `fmi3Set…` call.
struct Setter<'a> {
    handle: Handle,
    reference: u32,
    kind: Type,
    values: &'a [Value],
}

impl Setter<'_> {
    fn reals<T>(&self, function: Option<Set<T>>, convert: fn(f64) -> T) -> Result<c_int, Failure> {
        self.call(function, |value| match value {
            Value::Real(value) => Some(convert(*value)),
            _ => None,
        })
    }

    fn integers<T>(
        &self,
        function: Option<Set<T>>,
        convert: fn(i64) -> T,
    ) -> Result<c_int, Failure> {
        self.call(function, |value| match value {
            Value::Integer(value) => Some(convert(*value)),
            _ => None,
        })
    }

    fn booleans(&self, function: Option<Set<bool>>) -> Result<c_int, Failure> {
        self.call(function, |value| match value {
            Value::Boolean(value) => Some(*value),
            _ => None,
        })
    }

    fn strings(&self, function: Option<Set<*const c_char>>) -> Result<c_int, Failure> {
        let texts = self.values.iter().map(|value| match value {
            Value::Text(text) => to_c(text),
            _ => Err(self.mismatch()),
        });
        let texts: Vec<CString> = texts.collect::<Result<_, _>>()?;
        let mut next = texts.iter();
        self.call(function, |_| next.next().map(|text| text.as_ptr()))
    }

    fn call<T>(
        &self,
        function: Option<Set<T>>,
        convert: impl FnMut(&Value) -> Option<T>,
    ) -> Result<c_int, Failure> {
        let function = function.ok_or_else(|| missing("Set", self.kind))?;
        let values: Option<Vec<T>> = self.values.iter().map(convert).collect();
        let values = values.ok_or_else(|| self.mismatch())?;
        // SAFETY: one reference, and as many values as stated; strings outlive the call.
        let status = unsafe {
            function(
                self.handle,
                &raw const self.reference,
                1,
                values.as_ptr(),
                values.len(),
            )
        };
        Ok(status)
    }

    fn mismatch(&self) -> Failure {
        Failure(format!("a value is not of type {:?}", self.kind))
    }
}

/// One `fmi3Get…` call.
struct Getter<'a> {
    handle: Handle,
    reference: u32,
    kind: Type,
    size: usize,
    into: &'a mut Vec<f64>,
}

impl Getter<'_> {
    fn numbers<T: Clone + Default>(
        &mut self,
        function: Option<Get<T>>,
        convert: fn(T) -> f64,
    ) -> Result<c_int, Failure> {
        let function = function.ok_or_else(|| missing("Get", self.kind))?;
        let mut values = vec![T::default(); self.size];
        // SAFETY: one reference, and room for as many values as stated.
        let status = unsafe {
            function(
                self.handle,
                &raw const self.reference,
                1,
                values.as_mut_ptr(),
                values.len(),
            )
        };
        self.into.extend(values.into_iter().map(convert));
        Ok(status)
    }
}
