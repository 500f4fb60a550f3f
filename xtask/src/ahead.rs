//! What later sections of the tests need, built one after another in a thread of its own, beside sections that leave a
//! core idle. Control plane.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::clients;
use crate::dist::{self, Libraries};
use crate::products::{self, Products};
use crate::shell::{self, Result};

/// What is being built, in the order in which it is needed.
pub(crate) struct Ahead {
    products: Coming<Products>,
    libraries: Coming<Libraries>,
}

/// Something that is on its way, with all that its builders say meanwhile.
type Coming<T> = Receiver<(Result<T>, String)>;

impl Ahead {
    /// Begins to build: the products, then the clients, then the libraries for all platforms.
    pub(crate) fn begin() -> Self {
        let (to_products, products) = channel();
        let (to_libraries, libraries) = channel();
        thread::spawn(move || {
            if build(&to_products, products::build_for_tests) {
                let _ = shell::aside(clients::build_all);
                build(&to_libraries, dist::libraries);
            }
        });
        Self {
            products,
            libraries,
        }
    }

    /// Waits for the products.
    pub(crate) fn products(&self) -> Result<Products> {
        wait(&self.products)
    }

    /// Waits for the libraries for all platforms.
    pub(crate) fn libraries(&self) -> Result<Libraries> {
        wait(&self.libraries)
    }
}

/// Builds something and sends it with what was said; whether it could be built.
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
