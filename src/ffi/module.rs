//! Control plane: where this shared library was loaded from.

use std::path::PathBuf;

/// `resources` of the FMU to which this library belongs: the library is in `binaries/<platform>/`.
pub(super) fn resources() -> Option<PathBuf> {
    let library = location()?;
    // Absolute as long as the working directory is that from which the library was loaded.
    let library = library.canonicalize().unwrap_or(library);
    let root = library.parent()?.parent()?.parent()?;
    Some(root.join("resources"))
}

#[cfg(unix)]
fn location() -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr};
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt;

    let own: fn() -> Option<PathBuf> = resources;
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: any address may be queried; `info` is a place for the answer.
    let found = unsafe { libc::dladdr(own as *const libc::c_void, info.as_mut_ptr()) };
    if found == 0 {
        return None;
    }
    // SAFETY: `dladdr` fills the structure if it returns a value other than 0.
    let info = unsafe { info.assume_init() };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name ends with a zero byte and lives as long as the library is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

#[cfg(windows)]
pub(super) use windows::base;
#[cfg(windows)]
use windows::location;

#[cfg(windows)]
mod windows {
    use std::ffi::{OsString, c_void};
    use std::os::windows::ffi::OsStringExt;
    use std::path::PathBuf;
    use std::ptr;

    /// The address is one inside of the module.
    const FROM_ADDRESS: u32 = 4;
    /// The module's count of users stays as it is.
    const UNCHANGED_REFERENCES: u32 = 2;
    /// Longest path.
    const LONGEST: usize = 32_768;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut *mut c_void) -> i32;
        fn GetModuleFileNameW(module: *mut c_void, name: *mut u16, size: u32) -> u32;
    }

    /// The module that this function is in.
    fn own() -> Option<*mut c_void> {
        let here: fn() -> Option<*mut c_void> = own;
        let mut module = ptr::null_mut();
        let flags = FROM_ADDRESS | UNCHANGED_REFERENCES;
        // SAFETY: any address may be queried; `module` is a place for the answer.
        let found = unsafe { GetModuleHandleExW(flags, here as *const c_void, &raw mut module) };
        (found != 0).then_some(module)
    }

    /// Where this library was loaded to.
    pub(in crate::ffi) fn base() -> Option<usize> {
        own().map(|module| module.expose_provenance())
    }

    /// The file that this library was loaded from.
    pub(super) fn location() -> Option<PathBuf> {
        let module = own()?;
        let mut name = vec![0_u16; LONGEST];
        // SAFETY: `name` has room for as many characters as said.
        let length = unsafe { GetModuleFileNameW(module, name.as_mut_ptr(), LONGEST as u32) };
        let name = name
            .get(..length as usize)
            .filter(|name| !name.is_empty())?;
        Some(PathBuf::from(OsString::from_wide(name)))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_library_knows_where_it_is() {
        let here = location().unwrap();
        let test = std::env::current_exe().unwrap();
        assert_eq!(here.file_name(), test.file_name());
        let resources = resources().unwrap();
        assert!(resources.is_absolute() && resources.ends_with("resources"));
    }
}
