//! The free-running Real Time Index of the example models. Control plane.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::lines::Lines;
use crate::products::{self, Products};
use crate::shell::{self, Result};

/// Simulated time of each run, in seconds.
const DURATION_S: &str = "10";

/// Figures taken from the program's report.
const COLUMNS: [&str; 5] = ["min", "average", "p99", "p99.9", "max"];

/// Runs every example.
pub(super) fn measure(products: &Products, lines: &mut Lines) -> Result<()> {
    let folder = shell::target().join("bench");
    for example in products::examples()? {
        let fmu = products.pack(&example.name, &example.model, "3")?;
        let report = folder.join(format!("{}.json", example.name));
        let json = free(products, &fmu, &report)?;
        let step = number(&json, "step")?;
        let mut line = format!(r#"{{"rti": "{}", "step": {step}"#, example.name);
        for column in COLUMNS {
            write!(line, r#", "{column}": {}"#, number(&json, column)?)
                .map_err(|error| error.to_string())?;
        }
        lines.add("", &(line + "}"));
    }
    Ok(())
}

/// The meaning of the figures, and how far to trust them.
pub(super) fn heading() -> String {
    format!(
        "The Real Time Index is the wall time of a step over the step size. Each model ran once, free-running, for {DURATION_S} s of
simulated time, as an FMI 3.0 binary through its C interface. Other programs ran on the same machine: the operating
system contributes to the maximum, and differences of a few per cent between runs are noise.

"
    )
}

/// The table of what was measured.
pub(super) fn table(lines: &Lines) -> String {
    let columns = COLUMNS.join(" | ");
    let rule = "---|".repeat(COLUMNS.len() + 2);
    let mut table = format!("| model | step [s] | {columns} |\n|{rule}\n");
    for line in lines.iter() {
        let (Some(name), Some(step)) = (line.text("rti"), line.number("step")) else {
            continue;
        };
        let row =
            COLUMNS.map(|column| format!(" {:.4} |", line.number(column).unwrap_or(f64::NAN)));
        let name = format!("[{name}](../models/{name}/README.md)");
        table = table + "| " + &name + " | " + &step.to_string() + " |" + &row.concat() + "\n";
    }
    table
}

/// Runs one FMU free and gives the program's JSON report.
fn free(products: &Products, fmu: &Path, report: &Path) -> Result<String> {
    let mut command = shell::program(&products.program);
    command
        .arg("rti")
        .arg(fmu)
        .args(["--free", "--duration", DURATION_S]);
    command.arg("--json").arg(report);
    shell::run(command)?;
    fs::read_to_string(report).map_err(|error| format!("{}: {error}", report.display()))
}

/// The first number under a key of a JSON text.
fn number(json: &str, key: &str) -> Result<String> {
    let quoted = format!("\"{key}\"");
    let missing = || format!("the report has no number `{key}`");
    let rest = json
        .split_once(&quoted)
        .map(|(_, rest)| rest)
        .ok_or_else(missing)?;
    let rest = rest
        .trim_start()
        .strip_prefix(':')
        .ok_or_else(missing)?
        .trim_start();
    let value: String = rest
        .chars()
        .take_while(|c| c.is_ascii_digit() || "+-.eE".contains(*c))
        .collect();
    if value.is_empty() {
        Err(missing())
    } else {
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_key() {
        let json = "{\"step\": 0.001, \"rti\": {\"min\":1e-3,\"p99\": 2}}";
        assert_eq!(number(json, "min"), Ok("1e-3".into()));
        assert_eq!(number(json, "p99"), Ok("2".into()));
        assert!(number(json, "max").is_err());
    }
}
