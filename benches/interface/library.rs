//! The shared library from the importer's side, FMI 3.0.
#![expect(unsafe_code, reason = "an FMU is a C library")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use crate::functions::{functions, load};

type I = *mut c_void;
type Unused = unsafe extern "C" fn();

functions!(Functions {
    fmi3InstantiateCoSimulation: fn(*const c_char, *const c_char, *const c_char, bool, bool, bool, bool, *const u32, usize, I, Option<Unused>, Option<Unused>) -> I;
    fmi3FreeInstance: fn(I);
    fmi3EnterInitializationMode: fn(I, bool, f64, f64, bool, f64) -> c_int;
    fmi3ExitInitializationMode: fn(I) -> c_int;
    fmi3GetFloat64: fn(I, *const u32, usize, *mut f64, usize) -> c_int;
    fmi3SetFloat64: fn(I, *const u32, usize, *const f64, usize) -> c_int;
    fmi3DoStep: fn(I, f64, f64, bool, *mut bool, *mut bool, *mut bool, *mut f64) -> c_int;
});

/// An initialized instance. Fields drop from top to bottom: the library goes last.
pub(crate) struct Instance {
    handle: I,
    functions: Functions,
    _library: Library,
}

/// Whether a function returned fmi3OK.
fn checked(status: c_int, what: &str) -> Result<(), String> {
    if status == 0 {
        Ok(())
    } else {
        Err(format!("{what} returned {status}"))
    }
}

impl Instance {
    /// Loads, instantiates, initializes.
    pub(crate) fn new(library: &Path, resources: &Path, token: &str) -> Result<Self, String> {
        let library = load(library);
        let functions = Functions::of(&library);
        let text = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let folder = text(&format!("{}/", resources.display()))?;
        let (name, token) = (text("one")?, text(token)?);
        // SAFETY: terminated strings that outlive the call; no log, no intermediate update.
        let handle = unsafe {
            (functions.fmi3InstantiateCoSimulation)(
                name.as_ptr(),
                token.as_ptr(),
                folder.as_ptr(),
                false,
                false,
                false,
                false,
                ptr::null(),
                0,
                ptr::null_mut(),
                None,
                None,
            )
        };
        if handle.is_null() {
            return Err("fmi3InstantiateCoSimulation returned NULL".to_owned());
        }
        let instance = Self {
            handle,
            functions,
            _library: library,
        };
        // SAFETY: a live instance, in the order of the standard.
        let status =
            unsafe { (functions.fmi3EnterInitializationMode)(handle, false, 0.0, 0.0, false, 0.0) };
        checked(status, "fmi3EnterInitializationMode")?;
        // SAFETY: as above.
        let status = unsafe { (functions.fmi3ExitInitializationMode)(handle) };
        checked(status, "fmi3ExitInitializationMode")?;
        Ok(instance)
    }

    /// `fmi3SetFloat64`.
    pub(crate) fn set(&mut self, references: &[u32], values: &[f64]) -> Result<(), String> {
        let (n, m) = (references.len(), values.len());
        // SAFETY: slices with their lengths.
        let status = unsafe {
            (self.functions.fmi3SetFloat64)(self.handle, references.as_ptr(), n, values.as_ptr(), m)
        };
        checked(status, "fmi3SetFloat64")
    }

    /// `fmi3GetFloat64`.
    pub(crate) fn get(&mut self, references: &[u32], values: &mut [f64]) -> Result<(), String> {
        let (n, m) = (references.len(), values.len());
        // SAFETY: slices with their lengths.
        let status = unsafe {
            (self.functions.fmi3GetFloat64)(
                self.handle,
                references.as_ptr(),
                n,
                values.as_mut_ptr(),
                m,
            )
        };
        checked(status, "fmi3GetFloat64")
    }

    /// `fmi3DoStep`.
    pub(crate) fn step(&mut self, time: f64, step: f64) -> Result<(), String> {
        let (mut events, mut terminate, mut early, mut last) = (false, false, false, 0.0);
        // SAFETY: a live instance and places for all results.
        let status = unsafe {
            (self.functions.fmi3DoStep)(
                self.handle,
                time,
                step,
                true,
                &raw mut events,
                &raw mut terminate,
                &raw mut early,
                &raw mut last,
            )
        };
        checked(status, "fmi3DoStep")
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: the instance is live and not used afterwards.
        unsafe { (self.functions.fmi3FreeInstance)(self.handle) };
    }
}
