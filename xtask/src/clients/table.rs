//! The page `docs/clients.md`: which importers did what with how many FMUs, read from their output. Control plane.
//!
//! ```text
//!     client FMPy 0.3.32                                         the client
//!     ok pendulum, FMI 3.0 simulates with an input file          one check that held
//!     FAILED pendulum, FMI 3.0 simulates with an input file: …   one that did not
//! ```
//!
//! Other lines of output give no row of the table.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::report::Outcome;
use crate::shell::{self, Result, unusable};

/// Where the page is.
const PAGE: &str = "docs/clients.md";

const HEAD: &str = "\
# Importers that run the FMUs

`cargo xtask clients` runs these importers on the packed examples and writes this page with their results. `cargo xtask test`
runs them too, and fails if the results differ from this page. The last column is the number of FMUs that passed, of those
that were tried.

| importer | version | FMI | check | FMUs |
|---|---|---|---|---|
";

const TAIL: &str = "
The checks:

- *simulates*, *is read and simulated*, *runs as a system*: all outputs in all rows are equal to those of `fixstep run`, bit for
  bit (for systems in Ecos, in every fiftieth row).
- *ends at the reference values*: all outputs of the last row are equal, bit for bit.
- *in real time*: the program waits for the clock, with a real-time factor of 1. The table that Ecos writes in this case has six
  decimals.
- *restores its state*, *continues from its state in another process*: a saved state is restored in the same instance, in another
  instance, after a reset, and as bytes in a new process; the following steps have the same bits.
- *gives derivatives*: directional derivatives are compared with differences of two steps from the same saved state, adjoint
  derivatives with the transpose, derivatives by time with the slope of the outputs.
- *reports every integration step*: the callback for intermediate updates is called, reads outputs, and requests an early return.
- *runs with*: 100 or 200 steps with the crate's own bindings of the C interface.
- *interpolates inputs by their derivatives*: one communication step with several integration steps gives the same result as
  several communication steps with one each.
- *passes the validator*: FMPy's own rules.
- *passes the schemas*: the schemas of the standards, for each XML file that has one. For manifests of layered standards this is
  their common part.

Notes:

- fmi-sim gets FMI 3.0 in copies without the attributes that its reader refuses: units, quantities and nominal values.
- FMI Library 3 (not run here) logs that the version 3.0 of `terminalsAndIcons.xml` does not match, for FMUs of FMI 2.0. The version
  is correct: FMI 2.0.4 and later use the file as FMI 3.0 defines it, and the schema of FMI 3.0 accepts only versions that begin
  with 3. `fixstep build --no-terminals` packs without the file.
- If an exit code is not enough, the test reads the program's output: a validator must report that there are no problems, and every
  run must have written its outputs. Clients that may crash run in a separate process for each FMU.
";

/// One line of the page.
#[derive(Debug, PartialEq)]
struct Row {
    importer: String,
    version: String,
    fmi: String,
    what: String,
    held: u32,
    tried: u32,
}

/// The results of the clients so far.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

impl Table {
    /// Adds the output of a client; `known` is its name and version, if it does not report them itself.
    pub(crate) fn add(&mut self, known: Option<(String, String)>, lines: &[String]) {
        let (mut importer, mut version) = known.unwrap_or_default();
        for line in lines {
            if let Some((name, number)) = line
                .strip_prefix("client ")
                .and_then(|rest| rest.rsplit_once(' '))
            {
                (importer, version) = (name.to_owned(), number.to_owned());
            }
            let Some((held, fmi, what)) = parse(line) else {
                continue;
            };
            let same = |row: &&mut Row| {
                (row.importer.as_str(), row.fmi.as_str(), row.what.as_str())
                    == (&importer, fmi, what)
            };
            match self.rows.iter_mut().find(same) {
                Some(row) => {
                    row.held += u32::from(held);
                    row.tried += 1;
                }
                None => self.rows.push(Row {
                    importer: importer.clone(),
                    version: version.clone(),
                    fmi: fmi.to_owned(),
                    what: what.to_owned(),
                    held: u32::from(held),
                    tried: 1,
                }),
            }
        }
    }

    /// The page.
    fn page(&self) -> String {
        let mut text = HEAD.to_owned();
        for row in &self.rows {
            let Row {
                importer,
                version,
                fmi,
                what,
                held,
                tried,
            } = row;
            let _ = writeln!(
                text,
                "| {importer} | {version} | {fmi} | {what} | {held} of {tried} |"
            );
        }
        text + TAIL
    }

    /// Stores the page for `cargo xtask clients --page`, and compares it with the existing one.
    pub(crate) fn check(&self) -> Result<Outcome> {
        let page = self.page();
        fs::write(kept(), &page).map_err(unusable(&kept()))?;
        let there = shell::root().join(PAGE);
        let there = fs::read_to_string(&there).map_err(unusable(&there))?;
        let text =
            format!("{PAGE} is what the clients did; `cargo xtask clients --page` writes it anew");
        Ok(Outcome::judge(there == page, &text))
    }

    /// Writes the page.
    pub(crate) fn write(&self) -> Result<()> {
        fs::write(kept(), self.page()).map_err(unusable(&kept()))?;
        publish()
    }
}

/// Writes the page of what the clients did last.
pub(crate) fn publish() -> Result<()> {
    let there = shell::root().join(PAGE);
    fs::copy(kept(), &there).map_err(unusable(&kept()))?;
    println!("{} is written", there.display());
    Ok(())
}

/// The page of the last run.
fn kept() -> PathBuf {
    shell::target().join("clients.md")
}

/// Whether a check held, the version of FMI, and what it was.
fn parse(line: &str) -> Option<(bool, &str, &str)> {
    let (held, rest) = match line.strip_prefix("ok ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("FAILED ")?),
    };
    let (_, rest) = rest.split_once(", FMI ")?;
    let (fmi, what) = rest.split_once(' ')?;
    let what = what.split_once(": ").map_or(what, |(what, _)| what);
    Some((held, fmi, what))
}

/// Name and version of a client that is built here: those of crates in its lock file.
pub(crate) fn locked(package: &str, crates: &[&str]) -> Result<(String, String)> {
    let path = shell::root().join("tests").join(package).join("Cargo.lock");
    let text = fs::read_to_string(&path).map_err(unusable(&path))?;
    let mut versions = Vec::new();
    for name in crates {
        let found = text.split_once(&format!("name = \"{name}\"\nversion = \""));
        let version = found.and_then(|(_, rest)| rest.split('"').next());
        versions.push(version.ok_or_else(|| format!("{}: no {name}", path.display()))?);
    }
    Ok((crates.join(", "), versions.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_by_what_was_done() {
        let lines = [
            "client FMPy 0.3.32",
            "ok pendulum, FMI 2.0 simulates",
            "ok pendulum, FMI 3.0 simulates",
            "FAILED chain, FMI 3.0 simulates: AssertionError: x, FMI 2.0 y",
            "ok some check of no FMU",
            "    ok quoted, FMI 3.0 simulates",
        ]
        .map(str::to_owned);
        let mut table = Table::default();
        table.add(None, &lines);
        let known = Some(("fmi-rs".to_owned(), "0.3.4".to_owned()));
        table.add(
            known,
            &["ok pendulum, FMI 3.0 is read: 12 values".to_owned()],
        );
        let page = table.page();
        for row in [
            "| FMPy | 0.3.32 | 2.0 | simulates | 1 of 1 |",
            "| FMPy | 0.3.32 | 3.0 | simulates | 1 of 2 |",
            "| fmi-rs | 0.3.4 | 3.0 | is read | 1 of 1 |",
        ] {
            assert!(page.contains(row), "no {row} in\n{page}");
        }
        assert_eq!(page.matches("0.3.32").count(), 2, "{page}");
    }
}
