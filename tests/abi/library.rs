//! The loaded library.

use std::path::PathBuf;
use std::sync::OnceLock;

use libloading::Library;

/// Where the library under test is.
pub(crate) fn path() -> PathBuf {
    if let Some(path) = std::env::var_os("FIXSTEP_LIBRARY") {
        return PathBuf::from(path);
    }
    let name = libloading::library_filename("fixstep");
    let own = std::env::current_exe().unwrap();
    let folders = own.ancestors().skip(1).take(2);
    let found = folders.map(|f| f.join(&name)).find(|path| path.is_file());
    found.unwrap_or_else(|| unreachable!("no library next to {}", own.display()))
}

/// The library under test, loaded once.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| load(&path()))
}

/// Loads a library.
pub(crate) fn load(path: &PathBuf) -> Library {
    // SAFETY: loading the library runs no code of ours.
    unsafe { Library::new(path) }.unwrap()
}

/// A function of a library.
pub(crate) fn function<T: Copy>(library: &Library, name: &str) -> T {
    // SAFETY: the callers write the types of the standard's headers.
    let symbol = unsafe { library.get::<T>(name.as_bytes()) };
    *symbol.unwrap()
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
                    $($function: crate::library::function(library, stringify!($function)),)*
                }
            }
        }
    };
}

pub(crate) use functions;
