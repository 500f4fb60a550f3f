//! A minimal importer of FMI 3.0 for the tests.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use libloading::Library;

use crate::functions::functions;
use crate::library::library;
use crate::world::{Log, OK, World, c, c_path, read};

pub(crate) type I = *mut c_void;
type S = c_int;
type Logger = extern "C" fn(I, c_int, *const c_char, *const c_char);
/// The callback of intermediate updates.
pub(crate) type Updater = extern "C" fn(I, f64, bool, bool, bool, bool, *mut bool, *mut f64);

functions!(Functions {
    fmi3InstantiateCoSimulation: fn(*const c_char, *const c_char, *const c_char, bool, bool, bool, bool, *const u32, usize, I, Option<Logger>, Option<Updater>) -> I;
    fmi3InstantiateModelExchange: fn(*const c_char, *const c_char, *const c_char, bool, bool, I, Option<Logger>) -> I;
    fmi3InstantiateScheduledExecution: fn(*const c_char, *const c_char, *const c_char, bool, bool, I, Option<Logger>, I, I, I) -> I;
    fmi3FreeInstance: fn(I);
    fmi3SetDebugLogging: fn(I, bool, usize, *const *const c_char) -> S;
    fmi3EnterInitializationMode: fn(I, bool, f64, f64, bool, f64) -> S;
    fmi3ExitInitializationMode: fn(I) -> S;
    fmi3Terminate: fn(I) -> S;
    fmi3Reset: fn(I) -> S;
    fmi3GetFloat64: fn(I, *const u32, usize, *mut f64, usize) -> S;
    fmi3SetFloat64: fn(I, *const u32, usize, *const f64, usize) -> S;
    fmi3GetFloat32: fn(I, *const u32, usize, *mut f32, usize) -> S;
    fmi3GetInt32: fn(I, *const u32, usize, *mut i32, usize) -> S;
    fmi3SetInt32: fn(I, *const u32, usize, *const i32, usize) -> S;
    fmi3GetInt64: fn(I, *const u32, usize, *mut i64, usize) -> S;
    fmi3SetInt64: fn(I, *const u32, usize, *const i64, usize) -> S;
    fmi3GetUInt64: fn(I, *const u32, usize, *mut u64, usize) -> S;
    fmi3GetBoolean: fn(I, *const u32, usize, *mut bool, usize) -> S;
    fmi3SetBoolean: fn(I, *const u32, usize, *const bool, usize) -> S;
    fmi3GetString: fn(I, *const u32, usize, *mut *const c_char, usize) -> S;
    fmi3SetString: fn(I, *const u32, usize, *const *const c_char, usize) -> S;
    fmi3GetBinary: fn(I, *const u32, usize, *mut usize, *mut *const u8, usize) -> S;
    fmi3GetClock: fn(I, *const u32, usize, *mut bool) -> S;
    fmi3GetNumberOfVariableDependencies: fn(I, u32, *mut usize) -> S;
    fmi3GetVariableDependencies: fn(I, u32, *mut usize, *mut u32, *mut usize, *mut c_int, usize) -> S;
    fmi3GetFMUState: fn(I, *mut I) -> S;
    fmi3SetFMUState: fn(I, I) -> S;
    fmi3FreeFMUState: fn(I, *mut I) -> S;
    fmi3SerializedFMUStateSize: fn(I, I, *mut usize) -> S;
    fmi3SerializeFMUState: fn(I, I, *mut u8, usize) -> S;
    fmi3DeserializeFMUState: fn(I, *const u8, usize, *mut I) -> S;
    fmi3EnterConfigurationMode: fn(I) -> S;
    fmi3EnterEventMode: fn(I) -> S;
    fmi3EnterStepMode: fn(I) -> S;
    fmi3SetTime: fn(I, f64) -> S;
    fmi3GetNumberOfContinuousStates: fn(I, *mut usize) -> S;
    fmi3GetDirectionalDerivative: fn(I, *const u32, usize, *const u32, usize, *const f64, usize, *mut f64, usize) -> S;
    fmi3GetAdjointDerivative: fn(I, *const u32, usize, *const u32, usize, *const f64, usize, *mut f64, usize) -> S;
    fmi3GetOutputDerivatives: fn(I, *const u32, usize, *const i32, *mut f64, usize) -> S;
    fmi3DoStep: fn(I, f64, f64, bool, *mut bool, *mut bool, *mut bool, *mut f64) -> S;
    fmi3ActivateModelPartition: fn(I, u32, f64) -> S;
});

/// Calls a function of the standard on an instance.
macro_rules! call3 {
    ($fmu:expr, $function:ident $(, $arg:expr)* $(,)?) => {{
        let fmu = &$fmu;
        // SAFETY: the arguments are those that the test is about.
        unsafe { (fmu.functions.$function)(fmu.instance $(, $arg)*) }
    }};
}
pub(crate) use call3;

/// How a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct End {
    pub(crate) status: c_int,
    pub(crate) events: bool,
    pub(crate) terminate: bool,
    pub(crate) early: bool,
    pub(crate) last: f64,
}

/// What to instantiate with.
pub(crate) struct How {
    pub(crate) resources: Option<CString>,
    pub(crate) token: String,
    pub(crate) logging: bool,
    pub(crate) events: bool,
    pub(crate) early: bool,
    pub(crate) update: Option<Updater>,
    pub(crate) intermediate: Vec<u32>,
}

impl How {
    /// The usual.
    pub(crate) fn of(world: &World) -> Self {
        let resources = format!("{}/", world.resources.display());
        Self {
            resources: Some(c(&resources)),
            token: world.token.clone(),
            logging: true,
            events: false,
            early: false,
            update: None,
            intermediate: Vec::new(),
        }
    }
}

/// An instance with its log.
pub(crate) struct Fmu3<'w> {
    pub(crate) functions: Functions,
    pub(crate) instance: I,
    pub(crate) log: Box<Log>,
    pub(crate) world: &'w World,
}

pub(crate) extern "C" fn logger(
    environment: I,
    status: c_int,
    category: *const c_char,
    message: *const c_char,
) {
    Log::write(environment, status, category, message);
}

impl<'w> Fmu3<'w> {
    /// Instantiates; the instance may be null.
    pub(crate) fn try_new(world: &'w World, how: &How) -> Self {
        Self::try_in(library(), world, how)
    }

    /// The same of a library that was loaded apart.
    pub(crate) fn try_in(library: &Library, world: &'w World, how: &How) -> Self {
        let functions = Functions::of(library);
        let log = Box::<Log>::default();
        let (name, token) = (c("one"), c(&how.token));
        let resources = how
            .resources
            .as_ref()
            .map_or(ptr::null(), |text| text.as_ptr());
        let environment: I = ptr::from_ref(&*log).cast_mut().cast();
        // SAFETY: all arguments outlive the call; the log outlives the instance.
        let instance = unsafe {
            (functions.fmi3InstantiateCoSimulation)(
                name.as_ptr(),
                token.as_ptr(),
                resources,
                false,
                how.logging,
                how.events,
                how.early,
                how.intermediate.as_ptr(),
                how.intermediate.len(),
                environment,
                Some(logger),
                how.update,
            )
        };
        Self {
            functions,
            instance,
            log,
            world,
        }
    }

    /// An instance of the world's FMU.
    pub(crate) fn new(world: &'w World) -> Self {
        let fmu = Self::try_new(world, &How::of(world));
        assert!(!fmu.instance.is_null(), "{}", fmu.log.last());
        fmu
    }

    /// The same, initialized.
    pub(crate) fn started(world: &'w World) -> Self {
        let fmu = Self::new(world);
        fmu.start();
        fmu
    }

    /// Into initialization mode.
    pub(crate) fn enter(&self) {
        let entered = call3!(
            self,
            fmi3EnterInitializationMode,
            false,
            0.0,
            0.0,
            false,
            0.0
        );
        assert_eq!(entered, OK, "{}", self.log.last());
    }

    /// Through initialization.
    pub(crate) fn start(&self) {
        self.enter();
        assert_eq!(
            call3!(self, fmi3ExitInitializationMode),
            OK,
            "{}",
            self.log.last()
        );
    }

    /// A real variable.
    pub(crate) fn real(&self, name: &str) -> f64 {
        let mut value = f64::NAN;
        let reference = self.world.reference(name);
        let status = call3!(
            self,
            fmi3GetFloat64,
            &raw const reference,
            1,
            &raw mut value,
            1
        );
        assert_eq!(status, OK, "{}", self.log.last());
        value
    }

    /// An integer variable.
    pub(crate) fn integer(&self, name: &str) -> i32 {
        let (reference, mut value) = (self.world.reference(name), 0);
        let status = call3!(
            self,
            fmi3GetInt32,
            &raw const reference,
            1,
            &raw mut value,
            1
        );
        assert_eq!(status, OK, "{}", self.log.last());
        value
    }

    /// Sets a real variable.
    pub(crate) fn set_real(&self, name: &str, value: f64) -> c_int {
        let reference = self.world.reference(name);
        call3!(
            self,
            fmi3SetFloat64,
            &raw const reference,
            1,
            &raw const value,
            1
        )
    }

    /// A string variable.
    pub(crate) fn string(&self, name: &str) -> String {
        let mut value = ptr::null();
        let reference = self.world.reference(name);
        let status = call3!(
            self,
            fmi3GetString,
            &raw const reference,
            1,
            &raw mut value,
            1
        );
        assert_eq!(status, OK, "{}", self.log.last());
        read(value)
    }

    /// One communication step.
    pub(crate) fn step(&self, current: f64, h: f64) -> End {
        let mut end = End::default();
        end.status = call3!(
            self,
            fmi3DoStep,
            current,
            h,
            true,
            &raw mut end.events,
            &raw mut end.terminate,
            &raw mut end.early,
            &raw mut end.last,
        );
        end
    }
}

impl Drop for Fmu3<'_> {
    fn drop(&mut self) {
        call3!(self, fmi3FreeInstance);
    }
}

/// A path without a trailing separator.
pub(crate) fn bare_path(world: &World) -> CString {
    c_path(&world.resources)
}
