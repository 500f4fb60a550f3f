//! Control plane: saves and restores the state of an instance as bytes, with the functions of either version of FMI.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::slave::Failure;

/// An instance of either version.
type Handle = *mut c_void;
/// `fmi3GetFMUState`, `fmi3FreeFMUState`.
pub(super) type OfState = unsafe extern "C" fn(Handle, *mut *mut c_void) -> c_int;
/// `fmi3SerializedFMUStateSize`.
pub(super) type SizeOfState = unsafe extern "C" fn(Handle, *mut c_void, *mut usize) -> c_int;
/// `fmi3SerializeFMUState`.
pub(super) type BytesOfState = unsafe extern "C" fn(Handle, *mut c_void, *mut u8, usize) -> c_int;
/// `fmi3DeserializeFMUState`.
pub(super) type StateOfBytes =
    unsafe extern "C" fn(Handle, *const u8, usize, *mut *mut c_void) -> c_int;
/// `fmi3SetFMUState`.
pub(super) type SetState = unsafe extern "C" fn(Handle, *mut c_void) -> c_int;

/// The functions, as far as a library has them.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    pub(super) get: Option<OfState>,
    pub(super) free: Option<OfState>,
    pub(super) size: Option<SizeOfState>,
    pub(super) bytes: Option<BytesOfState>,
    pub(super) read: Option<StateOfBytes>,
    pub(super) set: Option<SetState>,
}

/// The error message if a function is missing.
const MISSING: &str = "the FMU's library cannot save its state as bytes (canSerializeFMUState)";
/// The error message if one of the others is.
const CANNOT_READ: &str =
    "the FMU's library cannot take its state from bytes (canSerializeFMUState)";
/// Longer states are taken for a mistake of the FMU.
const LONGEST: usize = 1 << 32;

impl Functions {
    /// The state of an instance; `check` judges what a function of a name returned.
    pub(super) fn saved(
        self,
        handle: Handle,
        check: &dyn Fn(&str, c_int) -> Result<(), Failure>,
    ) -> Result<Vec<u8>, Failure> {
        let all = (self.get, self.free, self.size, self.bytes);
        let (Some(get), Some(free), Some(size), Some(bytes)) = all else {
            return Err(Failure(MISSING.to_owned()));
        };
        let mut state = ptr::null_mut();
        // SAFETY: the instance is alive; null requests a new state.
        let status = unsafe { get(handle, &raw mut state) };
        check("GetFMUState", status)?;
        let mut length = 0;
        // SAFETY: a state of this instance, and room for the answer.
        let status = unsafe { size(handle, state, &raw mut length) };
        let mut found = check("SerializedFMUStateSize", status).and_then(|()| {
            if length > LONGEST {
                return Err(Failure(format!("a state of {length} bytes is refused")));
            }
            Ok(vec![0_u8; length])
        });
        if let Ok(room) = &mut found {
            // SAFETY: a state of this instance, and as much room as is said.
            let status = unsafe { bytes(handle, state, room.as_mut_ptr(), room.len()) };
            if let Err(failure) = check("SerializeFMUState", status) {
                found = Err(failure);
            }
        }
        // SAFETY: a state of this instance, never used again.
        let status = unsafe { free(handle, &raw mut state) };
        check("FreeFMUState", status).and(found)
    }
    /// Gives an instance a state; `check` as in [`Self::saved`].
    pub(super) fn restore(
        self,
        handle: Handle,
        state: &[u8],
        check: &dyn Fn(&str, c_int) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (Some(free), Some(read), Some(set)) = (self.free, self.read, self.set) else {
            return Err(Failure(CANNOT_READ.to_owned()));
        };
        let mut made = ptr::null_mut();
        // SAFETY: the instance is alive, the bytes are as many as stated; null requests a new state.
        let status = unsafe { read(handle, state.as_ptr(), state.len(), &raw mut made) };
        check("DeserializeFMUState", status)?;
        // SAFETY: a state of this instance.
        let status = unsafe { set(handle, made) };
        let taken = check("SetFMUState", status);
        // SAFETY: a state of this instance, never used again.
        let status = unsafe { free(handle, &raw mut made) };
        taken.and(check("FreeFMUState", status))
    }
}
