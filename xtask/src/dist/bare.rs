//! Checks the kernel, and the file of a mechanism, without the standard library, for a processor without an operating
//! system. Control plane.

use super::{build_folder, tools};
use crate::report::Outcome;
use crate::sections::not_here;
use crate::shell::{self, Result};

/// Rust's name of 64-bit Arm without an operating system: code that uses the standard library does not compile for
/// it.
const TARGET: &str = "aarch64-unknown-none";

/// The section of the tests: checks both, and `core` with them, since nothing runs them.
pub(crate) fn check() -> Result<Outcome> {
    let mut command = shell::cargo(&["check", "-p", "fixstep-kernel", "-p", "fixstep-variables"]);
    command.args(["--no-default-features", "--target", TARGET, "--target-dir"]);
    command.arg(build_folder());
    if !tools::has_library(TARGET) {
        let compiler = match tools::possible().and_then(|()| tools::compiler()) {
            Ok(compiler) => compiler,
            Err(reason) => return Ok(not_here(&reason)),
        };
        command.arg("-Zbuild-std=core,alloc");
        command.env("RUSTC", compiler).env("RUSTC_BOOTSTRAP", "1");
    }
    shell::run(command)?;
    shell::say(&format!("ok kernel and file for {TARGET}"));
    Ok(Outcome::pass())
}
