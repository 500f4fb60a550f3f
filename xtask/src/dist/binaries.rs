//! Checks the imports and exports of a library for a platform, read by objdump. Control plane.

use std::path::Path;

use super::{PLATFORMS, Platform};
use crate::report::Outcome;
use crate::shell::{self, Result};

/// The oldest GNU C library with which the libraries for Linux run.
const FLOOR: (u32, u32) = (2, 17);
/// Functions of FMI 2.0 and FMI 3.0, and the memory of published values.
const SYMBOLS: [(&str, usize); 3] = [("fmi2", 44), ("fmi3", 75), ("fixstep_window", 1)];

/// Looks into the libraries of all platforms.
pub(crate) fn check() -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for platform in &PLATFORMS {
        let file = platform.built();
        let name = platform.folder("3");
        let needed = needed(&file)?;
        let allowed = |name: &&String| {
            let name = name.to_lowercase();
            platform.needs.iter().any(|known| name.starts_with(known))
        };
        let holds = !needed.is_empty() && needed.iter().all(|name| allowed(&name));
        let text = format!("{name}: needs {}", needed.join(", "));
        outcome.add(Outcome::judge(holds, &text));
        let names = exports(platform, &file)?;
        let counts =
            SYMBOLS.map(|(prefix, _)| names.iter().filter(|name| name.starts_with(prefix)).count());
        let all: usize = counts.iter().sum();
        let holds = counts == SYMBOLS.map(|(_, count)| count) && all == names.len();
        let text = format!(
            "{name}: exports {} functions of FMI 2.0, {} of FMI 3.0, {} window and {} other symbols",
            counts[0],
            counts[1],
            counts[2],
            names.len() - all
        );
        outcome.add(Outcome::judge(holds, &text));
        if !platform.is_windows() {
            let newest = newest_c_library(&file)?;
            let text = format!("{name}: the C library of GNU {}.{}", newest.0, newest.1);
            outcome.add(Outcome::judge(newest <= FLOOR && newest.0 > 0, &text));
        }
    }
    Ok(outcome)
}

/// What a module of Python may need besides: on Windows the interpreter that loads it, and the keyboard and the console of
/// `run --live`; functions of C's mathematics, and libgcc's unwinder nowhere.
const OF_PYTHON: [&str; 3] = ["python3.dll", "user32.dll", "libm.so.6"];

/// Looks into a module of Python: what it needs, and that it exports its beginning.
pub(crate) fn module(platform: &Platform, file: &Path) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let name = format!("module for {}", platform.folder("3"));
    let needed = needed(file)?;
    let allowed = |name: &&String| {
        let name = name.to_lowercase();
        let known = platform.needs.iter().chain(&OF_PYTHON);
        known.into_iter().any(|known| name.starts_with(known))
    };
    let holds = !needed.is_empty() && needed.iter().all(|name| allowed(&name));
    let text = format!("{name}: needs {}", needed.join(", "));
    outcome.add(Outcome::judge(holds, &text));
    let begins = exports(platform, file)?
        .iter()
        .any(|name| name == "PyInit__fixstep");
    outcome.add(Outcome::judge(
        begins,
        &format!("{name}: exports PyInit__fixstep"),
    ));
    if !platform.is_windows() {
        let newest = newest_c_library(file)?;
        let text = format!("{name}: the C library of GNU {}.{}", newest.0, newest.1);
        outcome.add(Outcome::judge(newest <= FLOOR && newest.0 > 0, &text));
    }
    Ok(outcome)
}

/// The output of objdump for a file.
fn objdump(option: &str, file: &Path) -> Result<String> {
    let mut command = shell::program("objdump");
    command.arg(option).arg(file);
    let output = command
        .output()
        .map_err(|error| format!("cannot start `objdump`: {error}"))?;
    if !output.status.success() {
        return Err(format!("objdump {option} {} failed", file.display()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The libraries that it needs.
fn needed(file: &Path) -> Result<Vec<String>> {
    let text = objdump("-p", file)?;
    let names = text.lines().filter_map(|line| {
        let line = line.trim();
        line.strip_prefix("NEEDED")
            .or_else(|| line.strip_prefix("DLL Name:"))
    });
    Ok(names.map(|name| name.trim().to_owned()).collect())
}

/// The names that it exports.
pub(crate) fn exports(platform: &Platform, file: &Path) -> Result<Vec<String>> {
    let last = |line: &str| line.split_whitespace().last().map(str::to_owned);
    let mut names: Vec<String> = if platform.is_windows() {
        let text = objdump("-p", file)?;
        let table = text.split("[Ordinal/Name Pointer] Table").nth(1);
        let lines = table.unwrap_or_default().lines().skip(1);
        let lines = lines.take_while(|line| line.trim_start().starts_with('['));
        lines.filter_map(last).collect()
    } else {
        let text = objdump("-T", file)?;
        let defined = |line: &&str| line.contains(" g ") && !line.contains("*UND*");
        text.lines().filter(defined).filter_map(last).collect()
    };
    names.sort();
    Ok(names)
}

/// The newest version of the C library that a symbol requires.
fn newest_c_library(file: &Path) -> Result<(u32, u32)> {
    let text = objdump("-T", file)?;
    let versions = text.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit());
        let mut parts = rest[..end.unwrap_or(rest.len())].split('.');
        let mut number = || parts.next().and_then(|part| part.parse().ok());
        Some((number()?, number()?))
    });
    Ok(versions.max().unwrap_or_default())
}
