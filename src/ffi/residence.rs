//! Control plane: this library's code and constants in memory before the first step.
//!
//! The loader maps a library without reading it: whatever runs or is read for the first time, a rare
//! branch of a step years into a run, costs a page fault. So each page is read once at the start.

/// Reads a byte of every page that the library was loaded into, and the clock.
pub(super) fn settle() {
    segments::read();
    // The page that the clock is read from.
    std::hint::black_box(std::time::Instant::now());
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod segments {
    use std::ffi::{c_char, c_int, c_void};
    use std::slice;

    /// `struct dl_phdr_info`, as far as it is read.
    #[repr(C)]
    struct Object {
        base: usize,
        name: *const c_char,
        headers: *const Header,
        count: u16,
    }

    /// `Elf64_Phdr`
    #[repr(C)]
    struct Header {
        kind: u32,
        flags: u32,
        offset: u64,
        address: u64,
        physical: u64,
        file_size: u64,
        memory_size: u64,
        alignment: u64,
    }

    /// A segment that is loaded.
    const LOADED: u32 = 1;
    /// A segment that may be read.
    const READABLE: u32 = 4;
    /// No page is smaller.
    const PAGE: usize = 4096;

    unsafe extern "C" {
        fn dl_iterate_phdr(
            visit: extern "C" fn(*const Object, usize, *mut c_void) -> c_int,
            data: *mut c_void,
        ) -> c_int;
    }

    /// Reads a byte of every page of the object that this function is in.
    pub(super) fn read() {
        // SAFETY: `visit` keeps nothing of what it is given.
        unsafe { dl_iterate_phdr(visit, std::ptr::null_mut()) };
    }

    extern "C" fn visit(object: *const Object, _size: usize, _data: *mut c_void) -> c_int {
        // SAFETY: the loader passes an object that lives during the call.
        let object = unsafe { &*object };
        if object.headers.is_null() {
            return 0;
        }
        // SAFETY: that many headers are there.
        let headers = unsafe { slice::from_raw_parts(object.headers, usize::from(object.count)) };
        let own: fn() = read;
        let here = own as usize;
        let loaded = || headers.iter().filter(|header| header.kind == LOADED);
        let range = |header: &Header| {
            let first = object.base + header.address as usize;
            first..first + header.memory_size as usize
        };
        if !loaded().any(|header| range(header).contains(&here)) {
            return 0;
        }
        for header in loaded().filter(|header| header.flags & READABLE != 0) {
            for at in range(header).step_by(PAGE) {
                // SAFETY: within a segment that is mapped to be read, as long as the library is loaded.
                unsafe { std::ptr::with_exposed_provenance::<u8>(at).read_volatile() };
            }
        }
        1
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod segments {
    /// Elsewhere the pages come with their first use.
    pub(super) fn read() {}
}
