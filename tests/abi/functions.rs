//! Loads functions of a shared library by name, for tests and benchmarks of our own library, whose exports are known.
//! The client in `fmu-build/src/client/` is for libraries of any vendor, in which a function may be missing.
#![expect(unsafe_code, reason = "an FMU is a C library")]

use std::path::Path;

use libloading::Library;

/// Loads a library.
pub(crate) fn load(path: &Path) -> Library {
    // SAFETY: loading the library runs no code of ours.
    unsafe { Library::new(path) }.unwrap_or_else(|e| unreachable!("{}: {e}", path.display()))
}

/// A function of a library.
pub(crate) fn function<T: Copy>(library: &Library, name: &str) -> T {
    // SAFETY: the callers write the types of the standard's headers.
    let symbol = unsafe { library.get::<T>(name.as_bytes()) };
    *symbol.unwrap_or_else(|e| unreachable!("{name}: {e}"))
}

/// Defines a table of function pointers, loaded by their names.
macro_rules! functions {
    ($name:ident { $($function:ident: fn($($arg:ty),*) $(-> $result:ty)?;)* }) => {
        /// Functions of the standard.
        #[derive(Clone, Copy)]
        #[expect(non_snake_case, reason = "names of the standard")]
        pub(crate) struct $name {
            $(pub(crate) $function: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl $name {
            /// The functions of a library.
            pub(crate) fn of(library: &libloading::Library) -> Self {
                Self {
                    $($function: crate::functions::function(library, stringify!($function)),)*
                }
            }
        }
    };
}

pub(crate) use functions;
