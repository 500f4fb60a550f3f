//! A system-call filter of the kernel: afterwards this thread may only read the clock, write and end.

use std::ffi::{c_int, c_long, c_ulong, c_void};

/// A statement of the filter's language.
#[repr(C)]
struct Statement {
    code: u16,
    if_true: u8,
    if_false: u8,
    k: u32,
}

#[repr(C)]
struct Program {
    len: u16,
    statements: *const Statement,
}

/// `struct sigaction` as the C library has it.
#[repr(C)]
struct Action {
    handler: extern "C" fn(c_int, *const c_int, *mut c_void),
    mask: [c_ulong; 16],
    flags: c_int,
    restorer: usize,
}

unsafe extern "C" {
    fn prctl(option: c_int, ...) -> c_int;
    fn sigaction(signal: c_int, action: *const Action, old: *mut Action) -> c_int;
    fn write(file: c_int, from: *const u8, length: usize) -> isize;
    fn _exit(status: c_int) -> !;
}

/// Architecture, and the calls that are let through: clock_gettime, write, exit_group.
#[cfg(target_arch = "x86_64")]
const ALLOWED: (u32, [u32; 3]) = (0xc000_003e, [228, 1, 231]);
#[cfg(target_arch = "aarch64")]
const ALLOWED: (u32, [u32; 3]) = (0xc000_00b7, [113, 64, 94]);

const SIGSYS: c_int = 31;
const SA_SIGINFO: c_int = 4;
const NO_NEW_PRIVILEGES: c_int = 38;
const SET_FILTER: c_int = 22;
const FILTER_MODE: c_ulong = 2;
const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
const TRAP: u32 = 0x0003_0000;

/// Writes a line to standard output, whatever the filter.
pub(crate) fn say(text: &[u8]) {
    // SAFETY: `text` is that long.
    unsafe { write(1, text.as_ptr(), text.len()) };
}

/// Ends the process at once.
pub(crate) fn leave(status: c_int) -> ! {
    // SAFETY: takes any number.
    unsafe { _exit(status) }
}

/// A call that is not allowed ends the process, by its number.
extern "C" fn refused(_: c_int, info: *const c_int, _: *mut c_void) {
    // Behind signal, error, code and an address of 64 bits stands the number of the call.
    // SAFETY: the kernel gives a `siginfo_t`, which is longer.
    let number = unsafe { info.wrapping_add(6).read() };
    say(b"FAILED system call ");
    let digits = [100, 10, 1].map(|unit| b'0' + (number / unit % 10) as u8);
    say(&digits);
    say(b"\n");
    leave(1)
}

/// Sets the filter for good.
pub(crate) fn close() {
    let (architecture, calls) = ALLOWED;
    let statement = |code, if_true, if_false, k| Statement {
        code,
        if_true,
        if_false,
        k,
    };
    let statements = [
        statement(LOAD, 0, 0, 4),
        statement(JUMP_IF_EQUAL, 0, 4, architecture),
        statement(LOAD, 0, 0, 0),
        statement(JUMP_IF_EQUAL, 3, 0, calls[0]),
        statement(JUMP_IF_EQUAL, 2, 0, calls[1]),
        statement(JUMP_IF_EQUAL, 1, 0, calls[2]),
        statement(RETURN, 0, 0, TRAP),
        statement(RETURN, 0, 0, ALLOW),
    ];
    let program = Program {
        len: statements.len() as u16,
        statements: statements.as_ptr(),
    };
    let action = Action {
        handler: refused,
        mask: [0; 16],
        flags: SA_SIGINFO,
        restorer: 0,
    };
    // SAFETY: a handler that calls nothing but `write` and `_exit`.
    let heard = unsafe { sigaction(SIGSYS, &raw const action, std::ptr::null_mut()) };
    let zero: c_long = 0;
    // SAFETY: no memory is passed.
    let bound = unsafe { prctl(NO_NEW_PRIVILEGES, 1 as c_long, zero, zero, zero) };
    // SAFETY: the program outlives the call, which copies it.
    let set = unsafe { prctl(SET_FILTER, FILTER_MODE, &raw const program) };
    assert_eq!((heard, bound, set), (0, 0, 0), "no system-call filter");
}
