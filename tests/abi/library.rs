//! Loads the shared library and finds its functions.

use std::sync::OnceLock;

use libloading::Library;

pub(crate) use crate::built::path;
use crate::functions::load;

/// The library under test, loaded once.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| load(&path()))
}
