//! Control plane: instructions of an integration step, counted by valgrind in runs of this program. The same run is made
//! over two numbers of steps; their difference counts the steps and nothing else.

use std::path::Path;
use std::process::{Command, Stdio};

use super::Advised;
use super::search::{Found, Row};
use super::subject::Subject;
use crate::slave::Failure;

/// Communication steps of the two runs.
const STEPS: [u64; 2] = [5, 25];

/// Is valgrind there?
pub fn available() -> Result<(), Failure> {
    let output = Command::new("valgrind").arg("--version").output();
    output.map(|_| ()).map_err(|error| missing(&error))
}

fn missing(error: &std::io::Error) -> Failure {
    Failure(format!(
        "valgrind cannot be started ({error}); install it, or leave --count out: times are measured either way"
    ))
}

/// Counts the instructions of the settings on the front, and of the model's own.
pub fn count(
    model: &Path,
    input: Option<&Path>,
    advised: &mut Advised,
    progress: &mut dyn FnMut(f64),
) -> Result<(), Failure> {
    let subject = &advised.subject;
    let mut places = advised.advice.front.clone();
    if !places.contains(&0) {
        places.push(0);
    }
    let all = places.len() as f64;
    for (done, k) in places.into_iter().enumerate() {
        let row = &advised.advice.rows[k];
        if row.measured().is_none() {
            continue;
        }
        let [short, long] = {
            let of = |steps| one(model, input, (subject, row), steps);
            [of(STEPS[0])?, of(STEPS[1])?]
        };
        let steps = (STEPS[1] - STEPS[0]) * u64::from(row.hratio);
        let each = long.saturating_sub(short) / steps;
        if let Found::Measured(measured) = &mut advised.advice.rows[k].found {
            measured.instructions = Some(each);
        }
        progress((done + 1) as f64 / all);
    }
    Ok(())
}

/// Instructions of a run over so many communication steps.
fn one(
    model: &Path,
    input: Option<&Path>,
    (subject, row): (&Subject, &Row),
    steps: u64,
) -> Result<u64, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure(error.to_string()))?;
    let times = &subject.times;
    let mut command = Command::new("valgrind");
    command
        .args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(program)
        .arg("run")
        .arg(model)
        .args(["--no-trial", "--json"])
        .arg(format!("--start-time={}", times.start))
        .arg(format!("--stop={}", times.at(steps.min(times.steps))))
        .arg(format!("--step={}", times.step));
    for (name, value) in &subject.plan_with(&[]).settings {
        command.arg("--set").arg(format!("{name}={value}"));
    }
    for (name, value) in &row.settings {
        command.arg("--set").arg(format!("solver.{name}={value}"));
    }
    if let Some(input) = input {
        command.arg("--input").arg(input);
    }
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| missing(&error))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let counted = said.lines().find_map(refs);
    counted.ok_or_else(|| {
        let last = said.lines().last().unwrap_or("nothing");
        Failure(format!(
            "valgrind gave no number of instructions; it said: {last}"
        ))
    })
}

/// The number in `==7== I refs:      1,234,567`.
fn refs(line: &str) -> Option<u64> {
    let (head, number) = line.split_once("refs:")?;
    let is_instructions = head.split_whitespace().last() == Some("I");
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    is_instructions.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_instructions_is_read() {
        assert_eq!(refs("==7== I refs:      1,234,567"), Some(1_234_567));
        assert_eq!(refs("==7== I   refs:        89"), Some(89));
        assert_eq!(refs("==7== D refs: 1"), None);
        assert_eq!(refs("==7== Command: run"), None);
    }
}
