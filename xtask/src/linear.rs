//! Tests of linear forms: their files are read back by NumPy and SciPy, a regulator that SciPy designs from one is
//! run, and eigenvalues are compared with those of MuJoCo and Exudyn. Control plane.

use crate::install;
use crate::products::Products;
use crate::report::Outcome;
use crate::sections::counted;
use crate::shell::{self, Result};

/// Checks all formats of some examples, a closed loop around an FMU, and the same mechanisms in other programs.
pub(crate) fn check(products: &Products) -> Result<Outcome> {
    let script = |name: &str| {
        let mut python = shell::program(install::python());
        python.arg(shell::root().join("tests/linear").join(name));
        python.arg(&products.program);
        python
    };
    let mut read = script("read_back.py");
    read.arg(shell::root().join("models"));
    read.arg(shell::target().join("linear"));
    let mut outcome = counted(read)?;
    let mut held = script("closed_loop.py");
    held.arg(&products.library);
    held.arg(shell::target().join("linear/loop"));
    outcome.add(counted(held)?);
    let mut peers = script("peers.py");
    peers.arg(shell::target().join("linear/peers"));
    outcome.add(counted(peers)?);
    Ok(outcome)
}
