//! From a mesh to a flexible body with the tools of the Debian archive: gmsh, CalculiX, `fixstep flex
//! reduce`. Control plane.

use crate::install;
use crate::products::Products;
use crate::report::Outcome;
use crate::sections::counted;
use crate::shell::{self, Result};

/// A beam against known numbers.
pub(crate) fn check(products: &Products) -> Result<Outcome> {
    let folder = shell::target().join("finite-elements");
    let mut chain = shell::program(install::python());
    chain.arg(shell::root().join("tests/finite-elements/chain.py"));
    chain.arg(&products.program).arg(folder.join("beam"));
    counted(chain)
}
