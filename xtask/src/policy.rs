//! Checks licences, sources and banned crates of our dependencies by `deny.toml`, with cargo-deny. Control plane.

use crate::report::Outcome;
use crate::sections::not_here;
use crate::shell::{self, Result};

/// Runs cargo-deny where it is installed.
pub(crate) fn check() -> Result<Outcome> {
    if !shell::succeeds(shell::cargo(&["deny", "--version"])) {
        return Ok(not_here(
            "there is no cargo-deny: cargo install --locked cargo-deny",
        ));
    }
    let mut arguments = vec!["deny", "--offline", "--log-level", "error", "check"];
    arguments.extend(["licenses", "bans", "sources"]);
    shell::run(shell::cargo(&arguments))?;
    Ok(Outcome::pass())
}
