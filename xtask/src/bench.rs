//! `cargo xtask bench`: the free-running Real Time Index of the example models. Control plane.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::products::{self, Products};
use crate::shell::{self, Result};

/// Simulated time of each run, in seconds.
const DURATION_S: &str = "10";

/// Figures taken from the program's report.
const COLUMNS: [&str; 5] = ["min", "average", "p99", "p99.9", "max"];

/// Runs every example and writes the table.
pub(crate) fn run() -> Result<()> {
    let products = products::build()?;
    let folder = shell::target().join("bench");
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let mut table = heading();
    for example in products::examples()? {
        let fmu = products.pack(&example.name, &example.model, "3")?;
        let json = measure(
            &products,
            &fmu,
            &folder.join(format!("{}.json", example.name)),
        )?;
        writeln!(table, "{}", row(&example.name, &json)?).map_err(|error| error.to_string())?;
    }
    let page = folder.join("rti.md");
    fs::write(&page, &table).map_err(|error| format!("{}: {error}", page.display()))?;
    println!("\n{table}\nwritten to {}", page.display());
    Ok(())
}

/// What the figures mean and how far to trust them.
fn heading() -> String {
    let columns = COLUMNS.join(" | ");
    let rule = "---|".repeat(COLUMNS.len() + 2);
    format!(
        "Real Time Index = wall time of a step / step size, free-running, {DURATION_S} s of \
         simulated time, FMI 3.0 binary through its C interface, on\n\
         {}.\n\
         One run on a machine that does other things as well: the maximum is the operating \
         system's as much as ours, and a few per cent between runs are noise.\n\n\
         | model | step [s] | {columns} |\n|{rule}",
        machine()
    ) + "\n"
}

/// Processor and number of cores, as far as the system tells.
fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find(|line| line.starts_with("model name"));
    let name = model
        .and_then(|line| line.split(':').nth(1))
        .unwrap_or(" an unknown processor");
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{} ({cores} cores)", name.trim())
}

/// Runs one FMU free and gives the program's JSON report.
fn measure(products: &Products, fmu: &Path, report: &Path) -> Result<String> {
    let mut command = shell::program(&products.program);
    command
        .arg("rti")
        .arg(fmu)
        .args(["--free", "--duration", DURATION_S]);
    command.arg("--json").arg(report);
    shell::run(command)?;
    fs::read_to_string(report).map_err(|error| format!("{}: {error}", report.display()))
}

/// A line of the table.
fn row(name: &str, json: &str) -> Result<String> {
    let mut row = format!("| {name} | {} |", number(json, "step")?);
    for column in COLUMNS {
        let value: f64 = number(json, column)?
            .parse()
            .map_err(|error| format!("`{column}` of {name}: {error}"))?;
        write!(row, " {value:.4} |").map_err(|error| error.to_string())?;
    }
    Ok(row)
}

/// The first number under a key of a JSON text.
pub(crate) fn number(json: &str, key: &str) -> Result<String> {
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
