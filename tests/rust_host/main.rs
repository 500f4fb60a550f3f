//! A Rust program that links the crate `fixstep`, runs an FMU through its C functions and has an allocator of its own:
//! the crate brings none. It counts what the thread obtains, nothing in the steps; memory that is to be locked is not,
//! with a warning.
#![expect(unsafe_code, reason = "C functions, and an allocator")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::Mutex;

use fixstep::ffi::fmi3::{exports, get_set, step};
use fixstep::instance::status::Status;
use fixstep_model::{Model, table};
use fixstep_variables::VariableTable;
use fixstep_variables::file::{MECHANISM_FILE, Packed};

/// The system's allocator; the calls of each thread are counted.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    CALLS.set(CALLS.get() + 1);
}

// SAFETY: the system's allocator does all the work; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count();
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

/// What the FMU has said.
static SAID: Mutex<String> = Mutex::new(String::new());

unsafe extern "C" fn logger(
    _environment: *mut c_void,
    _status: Status,
    _category: *const c_char,
    message: *const c_char,
) {
    // SAFETY: a text for the time of the call.
    let message = unsafe { CStr::from_ptr(message) };
    let mut said = SAID.lock().unwrap();
    said.push_str(&message.to_string_lossy());
    said.push('\n');
}

/// The resources of an example's FMU, in a folder of their own.
fn unpacked() -> (PathBuf, Packed, VariableTable) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/pendulum/model.json");
    let model = Model::from_file(&example).unwrap();
    let packed = model.packed().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust-host");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(MECHANISM_FILE), &packed.bytes).unwrap();
    (folder, packed, table::of(&model.mechanism))
}

/// An instance of the mechanism in a folder.
fn instantiate(folder: &Path, token: &str) -> *mut c_void {
    let [name, token, resources] =
        ["one", token, folder.to_str().unwrap()].map(|text| CString::new(text).unwrap());
    // SAFETY: texts that outlive the call; all else may be null.
    let instance = unsafe {
        exports::fmi3InstantiateCoSimulation(
            name.as_ptr(),
            token.as_ptr(),
            resources.as_ptr(),
            0,
            1,
            0,
            0,
            ptr::null(),
            0,
            ptr::null_mut(),
            Some(logger),
            None,
        )
    };
    assert!(!instance.is_null(), "{}", SAID.lock().unwrap());
    instance
}

/// A step of 10 ms; an output afterwards.
fn stepped(instance: *mut c_void, k: u32, output: u32) -> f64 {
    let (mut events, mut terminate, mut early, mut last) = (0, 0, 0, 0.0);
    let time = f64::from(k) * 0.01;
    // SAFETY: places for the answers.
    let status = unsafe {
        step::fmi3DoStep(
            instance,
            time,
            0.01,
            1,
            &raw mut events,
            &raw mut terminate,
            &raw mut early,
            &raw mut last,
        )
    };
    assert_eq!(status, Status::Ok);
    let mut value = f64::NAN;
    // SAFETY: a value reference and a place for its value.
    let status =
        unsafe { get_set::fmi3GetFloat64(instance, &raw const output, 1, &raw mut value, 1) };
    assert_eq!(status, Status::Ok);
    value
}

#[test]
fn a_host_in_rust_has_its_own_allocator() {
    let (folder, packed, table) = unpacked();
    let variables = &table.variables;
    let reference = |name: &str| variables.iter().position(|of| of.name == name).unwrap() as u32;
    let [lock, angle] = ["solver.lock_memory", "angle"].map(reference);
    let before = CALLS.get();
    let instance = instantiate(&folder, &packed.token);
    assert!(
        CALLS.get() > before + 100,
        "an instance is hundreds of boxes"
    );
    // SAFETY: a value reference and its value.
    let set = unsafe { get_set::fmi3SetBoolean(instance, &raw const lock, 1, [1].as_ptr(), 1) };
    assert_eq!(set, Status::Ok);
    // SAFETY: an instance.
    let entered = unsafe { exports::fmi3EnterInitializationMode(instance, 0, 0.0, 0.0, 0, 0.0) };
    assert_eq!(entered, Status::Ok);
    // SAFETY: an instance.
    let exited = unsafe { exports::fmi3ExitInitializationMode(instance) };
    let said = SAID.lock().unwrap().clone();
    assert_eq!(exited, Status::Warning, "{said}");
    let refused = "solver.lock_memory: only the shared library can lock memory";
    assert!(said.contains(refused), "{said}");
    // The last message is delivered by the first call.
    let first = stepped(instance, 0, angle);
    let before = CALLS.get();
    let mut value = first;
    for k in 1..100 {
        value = stepped(instance, k, angle);
    }
    assert_eq!(CALLS.get(), before, "steps call for memory");
    assert!(value.is_finite() && value != first);
    // SAFETY: an instance that is not used any more.
    unsafe { exports::fmi3FreeInstance(instance) };
}
