//! Linear forms in the files of other programs, read back by NumPy and SciPy. Control plane.

use crate::install;
use crate::products::Products;
use crate::report::Outcome;
use crate::sections::counted;
use crate::shell::{self, Result};

/// All formats of some examples.
pub(crate) fn check(products: &Products) -> Result<Outcome> {
    let mut python = shell::program(install::python());
    python.arg(shell::root().join("tests/linear/read_back.py"));
    python.arg(&products.program);
    python.arg(shell::root().join("models"));
    python.arg(shell::target().join("linear"));
    counted(python)
}
