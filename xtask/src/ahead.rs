//! Builds what later sections of the tests need, one after another in a background thread from the beginning, while
//! other sections leave a core idle. Control plane.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::clients;
use crate::dist::{self, Libraries};
use crate::products::{self, Products};
use crate::shell::{self, Result};

/// The builds, in the order in which they are needed.
pub(crate) struct Ahead {
    library: Coming<PathBuf>,
    libraries: Coming<Libraries>,
}

/// Something that is being built, with all output of its builders so far.
type Coming<T> = Receiver<(Result<T>, String)>;

impl Ahead {
    /// Begins to build: the library, then the clients, then the libraries for all platforms.
    pub(crate) fn begin() -> Self {
        let (to_library, library) = channel();
        let (to_libraries, libraries) = channel();
        thread::spawn(move || {
            if build(&to_library, library_for_tests) {
                let _ = shell::aside(clients::build_all);
                build(&to_libraries, dist::libraries);
            }
        });
        Self { library, libraries }
    }

    /// Waits for the library; returns it with the program that the tests of the workspace have built.
    pub(crate) fn products(&self) -> Result<Products> {
        products::with_tests_program(wait(&self.library)?)
    }

    /// Waits for the libraries for all platforms.
    pub(crate) fn libraries(&self) -> Result<Libraries> {
        wait(&self.libraries)
    }
}

/// The library for this computer as it is shipped, for old systems too; if that cannot be built, for this system
/// alone.
fn library_for_tests() -> Result<PathBuf> {
    dist::own_library().or_else(|reason| {
        shell::say(&format!(
            "the library for this system alone is tested: {reason}"
        ));
        products::library()
    })
}

/// Builds something and sends it with its output; returns whether it could be built.
fn build<T>(to: &Sender<(Result<T>, String)>, task: impl FnOnce() -> Result<T>) -> bool {
    let (built, said) = shell::aside(task);
    let good = built.is_ok();
    // Nobody listens any more where the tests have ended early.
    to.send((built, said)).is_ok() && good
}

/// Waits until something is there, and shows what was said.
fn wait<T>(coming: &Coming<T>) -> Result<T> {
    let (built, said) = coming
        .recv()
        .map_err(|_| "its build ended without a result")?;
    shell::say(said.trim_end());
    built
}
