//! A minimal importer of FMI 2.0 for the tests.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use fixstep::ffi::fmi2::types::{CallbackFunctions, Logger};

use libloading::Library;

use crate::functions::functions;
use crate::library::library;
use crate::world::{Log, OK, World, c, c_path, read};

pub(crate) type C = *mut c_void;
type S = c_int;
/// A logger without the dots.
type Plain = extern "C" fn(C, *const c_char, c_int, *const c_char, *const c_char);

functions!(Functions {
    fmi2Instantiate: fn(*const c_char, c_int, *const c_char, *const c_char, *const CallbackFunctions, c_int, c_int) -> C;
    fmi2FreeInstance: fn(C);
    fmi2SetDebugLogging: fn(C, c_int, usize, *const *const c_char) -> S;
    fmi2SetupExperiment: fn(C, c_int, f64, f64, c_int, f64) -> S;
    fmi2EnterInitializationMode: fn(C) -> S;
    fmi2ExitInitializationMode: fn(C) -> S;
    fmi2Terminate: fn(C) -> S;
    fmi2Reset: fn(C) -> S;
    fmi2GetReal: fn(C, *const u32, usize, *mut f64) -> S;
    fmi2SetReal: fn(C, *const u32, usize, *const f64) -> S;
    fmi2GetInteger: fn(C, *const u32, usize, *mut c_int) -> S;
    fmi2SetInteger: fn(C, *const u32, usize, *const c_int) -> S;
    fmi2GetBoolean: fn(C, *const u32, usize, *mut c_int) -> S;
    fmi2SetBoolean: fn(C, *const u32, usize, *const c_int) -> S;
    fmi2GetString: fn(C, *const u32, usize, *mut *const c_char) -> S;
    fmi2SetString: fn(C, *const u32, usize, *const *const c_char) -> S;
    fmi2DoStep: fn(C, f64, f64, c_int) -> S;
    fmi2CancelStep: fn(C) -> S;
    fmi2GetStatus: fn(C, c_int, *mut c_int) -> S;
    fmi2GetRealStatus: fn(C, c_int, *mut f64) -> S;
    fmi2GetIntegerStatus: fn(C, c_int, *mut c_int) -> S;
    fmi2GetBooleanStatus: fn(C, c_int, *mut c_int) -> S;
    fmi2GetStringStatus: fn(C, c_int, *mut *const c_char) -> S;
    fmi2GetFMUstate: fn(C, *mut C) -> S;
    fmi2SetFMUstate: fn(C, C) -> S;
    fmi2FreeFMUstate: fn(C, *mut C) -> S;
    fmi2SerializedFMUstateSize: fn(C, C, *mut usize) -> S;
    fmi2SerializeFMUstate: fn(C, C, *mut c_char, usize) -> S;
    fmi2DeSerializeFMUstate: fn(C, *const c_char, usize, *mut C) -> S;
    fmi2GetDirectionalDerivative: fn(C, *const u32, usize, *const u32, usize, *const f64, *mut f64) -> S;
    fmi2SetRealInputDerivatives: fn(C, *const u32, usize, *const c_int, *const f64) -> S;
    fmi2GetRealOutputDerivatives: fn(C, *const u32, usize, *const c_int, *mut f64) -> S;
    fmi2SetTime: fn(C, f64) -> S;
    fmi2GetDerivatives: fn(C, *mut f64, usize) -> S;
    fmi2NewDiscreteStates: fn(C, *mut c_void) -> S;
});

/// Calls a function of the standard on an instance.
macro_rules! call2 {
    ($fmu:expr, $function:ident $(, $arg:expr)* $(,)?) => {{
        let fmu = &$fmu;
        // SAFETY: the arguments are those that the test is about.
        unsafe { (fmu.functions.$function)(fmu.component $(, $arg)*) }
    }};
}
pub(crate) use call2;

/// An instance with its log.
pub(crate) struct Fmu2<'w> {
    pub(crate) functions: Functions,
    pub(crate) component: C,
    pub(crate) log: Box<Log>,
    pub(crate) world: &'w World,
}

extern "C" fn logger(
    environment: C,
    _name: *const c_char,
    status: c_int,
    category: *const c_char,
    message: *const c_char,
) {
    Log::write(environment, status, category, message);
}

/// Callbacks that write to a log.
pub(crate) fn callbacks(log: &Log) -> CallbackFunctions {
    let plain: Plain = logger;
    // SAFETY: the named arguments of a variadic function are passed like those of a plain one on
    // the platforms that the tests run on.
    let logger = unsafe { std::mem::transmute::<Plain, Logger>(plain) };
    CallbackFunctions {
        logger: Some(logger),
        allocate_memory: None,
        free_memory: None,
        step_finished: None,
        component_environment: ptr::from_ref(log).cast_mut().cast(),
    }
}

/// `file://` and a path.
pub(crate) fn uri(world: &World) -> CString {
    c(&format!("file://{}", world.resources.display()))
}

impl<'w> Fmu2<'w> {
    /// Instantiates with logging on; the component may be null.
    pub(crate) fn try_new(world: &'w World, token: &str, location: Option<&CString>) -> Self {
        Self::try_in(library(), world, token, location)
    }

    /// The same of a library that was loaded apart.
    pub(crate) fn try_in(
        library: &Library,
        world: &'w World,
        token: &str,
        location: Option<&CString>,
    ) -> Self {
        let functions = Functions::of(library);
        let log = Box::<Log>::default();
        let (name, token) = (c("one"), c(token));
        let location = location.map_or(ptr::null(), |text| text.as_ptr());
        let callbacks = callbacks(&log);
        // SAFETY: all arguments outlive the call; the log outlives the instance.
        let component = unsafe {
            (functions.fmi2Instantiate)(
                name.as_ptr(),
                1,
                token.as_ptr(),
                location,
                &raw const callbacks,
                0,
                1,
            )
        };
        Self {
            functions,
            component,
            log,
            world,
        }
    }

    /// An instance of the world's FMU.
    pub(crate) fn new(world: &'w World) -> Self {
        let fmu = Self::try_new(world, &world.token, Some(&uri(world)));
        assert!(!fmu.component.is_null(), "{}", fmu.log.last());
        fmu
    }

    /// The same, initialized.
    pub(crate) fn started(world: &'w World) -> Self {
        let fmu = Self::new(world);
        fmu.start();
        fmu
    }

    /// Through initialization.
    pub(crate) fn start(&self) {
        assert_eq!(call2!(self, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0), OK);
        assert_eq!(
            call2!(self, fmi2EnterInitializationMode),
            OK,
            "{}",
            self.log.last()
        );
        assert_eq!(
            call2!(self, fmi2ExitInitializationMode),
            OK,
            "{}",
            self.log.last()
        );
    }

    /// A real variable.
    pub(crate) fn real(&self, name: &str) -> f64 {
        let mut value = f64::NAN;
        let reference = self.world.reference(name);
        let status = call2!(self, fmi2GetReal, &raw const reference, 1, &raw mut value);
        assert_eq!(status, OK, "{}", self.log.last());
        value
    }

    /// Sets a real variable.
    pub(crate) fn set_real(&self, name: &str, value: f64) -> c_int {
        let reference = self.world.reference(name);
        call2!(self, fmi2SetReal, &raw const reference, 1, &raw const value)
    }

    /// An integer variable.
    pub(crate) fn integer(&self, name: &str) -> c_int {
        let mut value = -1;
        let reference = self.world.reference(name);
        let status = call2!(
            self,
            fmi2GetInteger,
            &raw const reference,
            1,
            &raw mut value
        );
        assert_eq!(status, OK, "{}", self.log.last());
        value
    }

    /// Sets an integer variable.
    pub(crate) fn set_integer(&self, name: &str, value: c_int) -> c_int {
        let reference = self.world.reference(name);
        call2!(
            self,
            fmi2SetInteger,
            &raw const reference,
            1,
            &raw const value
        )
    }

    /// A string variable.
    pub(crate) fn string(&self, name: &str) -> String {
        let mut value = ptr::null();
        let reference = self.world.reference(name);
        let status = call2!(self, fmi2GetString, &raw const reference, 1, &raw mut value);
        assert_eq!(status, OK, "{}", self.log.last());
        read(value)
    }

    /// Sets a string variable.
    pub(crate) fn set_string(&self, name: &str, value: &str) -> c_int {
        let reference = self.world.reference(name);
        let value = c(value);
        let pointer = value.as_ptr();
        call2!(
            self,
            fmi2SetString,
            &raw const reference,
            1,
            &raw const pointer
        )
    }

    /// One communication step.
    pub(crate) fn step(&self, current: f64, h: f64) -> c_int {
        call2!(self, fmi2DoStep, current, h, 1)
    }
}

impl Drop for Fmu2<'_> {
    fn drop(&mut self) {
        call2!(self, fmi2FreeInstance);
    }
}

/// A resource location as FMI 3 passes it, to see that FMI 2 takes it too.
pub(crate) fn plain_path(world: &World) -> CString {
    c_path(&world.resources)
}
