//! Builds what later sections of the tests need, one after another in a background thread from the beginning, while
//! other sections leave a core idle; then runs the sections that need only what it has built. Control plane.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use crate::clients;
use crate::dist::{self, Libraries};
use crate::products::{self, Products};
use crate::report::Outcome;
use crate::shell::{self, Result};
use crate::wheel;

/// The builds, in the order in which they are needed.
pub(crate) struct Ahead {
    library: Coming<PathBuf>,
    libraries: Coming<Libraries>,
    wheel: Coming<Outcome>,
    bare: Coming<Outcome>,
}

/// Something that is being built or tested, with all that was said of it.
pub(crate) type Coming<T> = Receiver<(Result<T>, String)>;

/// A task of a lane, which sends its result itself.
type Task = Box<dyn FnOnce() + Send>;

/// Sections that run two at a time, begun in the order in which they are added.
#[derive(Default)]
pub(crate) struct Lanes(VecDeque<Task>);

impl Lanes {
    /// Adds a section, whose result is to be waited for.
    pub(crate) fn add<T: Send + 'static>(
        &mut self,
        section: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Coming<T> {
        let (to, coming) = channel();
        self.0.push_back(Box::new(move || {
            build(&to, section);
        }));
        coming
    }

    /// Begins with the first two.
    pub(crate) fn begin(self) {
        let waiting = Arc::new(Mutex::new(self.0));
        for _ in 0..2 {
            let waiting = Arc::clone(&waiting);
            let next = move || waiting.lock().ok()?.pop_front();
            thread::spawn(move || {
                while let Some(task) = next() {
                    task();
                }
            });
        }
    }
}

impl Ahead {
    /// Begins to build: the library, then the clients, then the libraries for all platforms. Tests the wheel, which
    /// contains them, and the bare target, which shares their compiler.
    pub(crate) fn begin() -> Self {
        let (to_library, library) = channel();
        let (to_libraries, libraries) = channel();
        let (to_wheel, wheel) = channel();
        let (to_bare, bare) = channel();
        thread::spawn(move || {
            if build(&to_library, library_for_tests) {
                let _ = shell::aside(clients::build_all);
                let mut named = Err("the libraries for all platforms were not built".to_owned());
                build(&to_libraries, || {
                    let built = dist::libraries();
                    named.clone_from(&built);
                    built
                });
                build(&to_wheel, || wheel::check(&named?));
                build(&to_bare, dist::bare::check);
            }
        });
        Self {
            library,
            libraries,
            wheel,
            bare,
        }
    }

    /// Waits for the library; returns it with the program that the tests of the workspace have built.
    pub(crate) fn products(&self) -> Result<Products> {
        products::with_tests_program(wait(&self.library)?)
    }

    /// Waits for the libraries for all platforms.
    pub(crate) fn libraries(&self) -> Result<Libraries> {
        wait(&self.libraries)
    }

    /// Waits for the section of the wheel.
    pub(crate) fn wheel(&self) -> Result<Outcome> {
        wait(&self.wheel)
    }

    /// Waits for the section of the bare target.
    pub(crate) fn bare(&self) -> Result<Outcome> {
        wait(&self.bare)
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

/// Builds or tests something and sends it with its output and its time; returns whether that could be done.
fn build<T>(to: &Sender<(Result<T>, String)>, task: impl FnOnce() -> Result<T>) -> bool {
    let start = Instant::now();
    let (built, mut said) = shell::aside(task);
    let seconds = start.elapsed().as_secs();
    said.push_str("beside other sections, in ");
    said.push_str(&seconds.to_string());
    said.push_str(" s");
    let good = built.is_ok();
    // Nobody listens any more where the tests have ended early.
    to.send((built, said)).is_ok() && good
}

/// Waits until something is there, and shows what was said.
pub(crate) fn wait<T>(coming: &Coming<T>) -> Result<T> {
    let (built, said) = coming
        .recv()
        .map_err(|_| "its build ended without a result")?;
    shell::say(said.trim_end());
    built
}
