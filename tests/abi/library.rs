//! The loaded library.

use std::path::PathBuf;
use std::sync::OnceLock;

use libloading::Library;

use crate::functions::load;

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
