//! Sections of a test run, their counts and the summary. Control plane.

use std::env;
use std::time::Instant;

use crate::shell::{self, Result};

/// The result of one section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Checks that held.
    pub(crate) passed: u32,
    /// Checks that did not.
    pub(crate) failed: u32,
    /// Checks that could not be made here.
    pub(crate) skipped: u32,
}

/// Counts of a section with one line for each thing skipped or failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The figures.
    pub(crate) counts: Counts,
    /// Notes for the reader of the summary.
    pub(crate) notes: Vec<String>,
}

impl Outcome {
    /// One check that held.
    pub(crate) fn pass() -> Self {
        Self {
            counts: Counts {
                passed: 1,
                ..Counts::default()
            },
            notes: Vec::new(),
        }
    }

    /// One check that held or did not, and says so.
    pub(crate) fn judge(holds: bool, text: &str) -> Self {
        if holds {
            shell::say(&format!("ok {text}"));
            return Self::pass();
        }
        Self::failure(text)
    }

    /// One check that did not hold, and says so.
    fn failure(text: &str) -> Self {
        shell::say(&format!("FAILED {text}"));
        let counts = Counts {
            failed: 1,
            ..Counts::default()
        };
        Self {
            counts,
            notes: vec![format!("failed: {text}")],
        }
    }

    /// One check that could not run, and what would make it possible.
    pub(crate) fn skip(reason: impl Into<String>) -> Self {
        let counts = Counts {
            skipped: 1,
            ..Counts::default()
        };
        Self {
            counts,
            notes: vec![format!("skipped: {}", reason.into())],
        }
    }

    /// Adds another outcome.
    pub(crate) fn add(&mut self, other: Self) {
        self.counts.passed += other.counts.passed;
        self.counts.failed += other.counts.failed;
        self.counts.skipped += other.counts.skipped;
        self.notes.extend(other.notes);
    }
}

/// A finished section.
struct Section {
    title: &'static str,
    outcome: Outcome,
    seconds: f64,
}

/// A test run.
#[derive(Default)]
pub(crate) struct Report {
    sections: Vec<Section>,
}

impl Report {
    /// Runs a section under its heading; an error of the section itself counts as one failure.
    pub(crate) fn section(
        &mut self,
        title: &'static str,
        body: impl FnOnce() -> Result<Outcome>,
    ) -> bool {
        println!("\n== {title} ==");
        let start = Instant::now();
        let outcome = body().unwrap_or_else(|message| Outcome::failure(&message));
        let seconds = start.elapsed().as_secs_f64();
        println!("-- {title}: {} in {seconds:.1} s", words(outcome.counts));
        let success = outcome.counts.failed == 0;
        self.sections.push(Section {
            title,
            outcome,
            seconds,
        });
        success
    }

    /// Prints the table and the last line; returns an error if anything failed or, in CI, was skipped.
    pub(crate) fn finish(self) -> Result<()> {
        let mut total = Outcome::default();
        println!("\n== Summary ==");
        println!(
            "{:<34} {:>7} {:>7} {:>7} {:>9}",
            "", "passed", "failed", "skipped", "time"
        );
        for section in &self.sections {
            let Counts {
                passed,
                failed,
                skipped,
            } = section.outcome.counts;
            let title = section.title;
            let seconds = section.seconds;
            println!("{title:<34} {passed:>7} {failed:>7} {skipped:>7} {seconds:>7.1} s");
            total.add(section.outcome.clone());
        }
        let seconds: f64 = self.sections.iter().map(|section| section.seconds).sum();
        println!(
            "{:<34} {:>41}",
            "total time",
            format!("{:.1} min", seconds / 60.0)
        );
        for section in &self.sections {
            for note in &section.outcome.notes {
                println!("  {}: {note}", section.title);
            }
        }
        let verdict = verdict(
            total.counts,
            env::var("CI").is_ok_and(|value| value == "true"),
        );
        if let Err(message) = &verdict {
            println!("{message}");
        }
        println!("{}", words(total.counts));
        // The counts are the last line: failures have been reported already.
        verdict.map_err(|_| String::new())
    }
}

/// The line with which sections and the whole run end.
fn words(counts: Counts) -> String {
    format!(
        "{} passed, {} failed, {} skipped",
        counts.passed, counts.failed, counts.skipped
    )
}

/// Whether a run with these counts holds.
fn verdict(counts: Counts, ci: bool) -> Result<()> {
    if counts.failed > 0 {
        Err("some checks failed".into())
    } else if ci && counts.skipped > 0 {
        Err("nothing may be skipped when CI=true".into())
    } else if counts.passed == 0 {
        Err("nothing was checked".into())
    } else {
        Ok(())
    }
}

/// Reads the counts from the output of a test program: the summaries of nextest and libtest, and the lines `ok NAME`,
/// `FAILED NAME: why`, `SKIPPED NAME: why` of our own clients. Failed tests of nextest and libtest are named with
/// their output.
pub(crate) fn read_counts(lines: &[String]) -> Outcome {
    let mut outcome = Outcome::default();
    for whole in lines {
        let line = whole.trim();
        // Nextest's quotes of a failed test are indented, and already in its own summary.
        let quoted = whole.starts_with(' ') && line.starts_with("test result:");
        if let Some(rest) = line.strip_prefix("FAILED ") {
            outcome.counts.failed += 1;
            outcome.notes.push(format!("failed: {rest}"));
        } else if let Some(rest) = line.strip_prefix("SKIPPED ") {
            outcome.counts.skipped += 1;
            outcome.notes.push(format!("skipped: {rest}"));
        } else if line.starts_with("ok ") {
            outcome.counts.passed += 1;
        } else if is_summary(line) && !quoted {
            outcome.counts.passed += number_before(line, "passed");
            outcome.counts.failed += number_before(line, "failed") + number_before(line, "timed");
            outcome.counts.skipped +=
                number_before(line, "ignored") + number_before(line, "skipped");
        }
    }
    if outcome.counts.failed > 0 {
        outcome.notes.extend(failures(lines));
    }
    outcome
}

/// The lines in which nextest and libtest name failed tests, and their panic messages. nextest shows each twice.
fn failures(lines: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (k, line) in lines.iter().map(|line| line.trim()).enumerate() {
        let of_nextest = ["FAIL [", "TIMEOUT [", "SIG"]
            .iter()
            .any(|word| line.starts_with(word));
        let of_libtest = line.starts_with("test ") && line.ends_with("... FAILED");
        let mut note = line.to_owned();
        if line.starts_with("thread '") && line.contains("panicked at") {
            let after = lines[k + 1..].iter().map(|line| line.trim());
            for said in after.take_while(|said| !said.is_empty() && !said.starts_with("note:")) {
                note.push_str("\n    ");
                note.push_str(said);
            }
        } else if !of_nextest && !of_libtest {
            continue;
        }
        if !found.contains(&note) {
            found.push(note);
        }
    }
    found
}

/// Whether a line sums up: libtest's, nextest's, or `12 passed, 0 failed` alone.
fn is_summary(line: &str) -> bool {
    let mut words = line.split(' ');
    let number = |word: Option<&str>| word.is_some_and(|word| word.parse::<u32>().is_ok());
    let own = number(words.next()) && words.next() == Some("passed,") && number(words.next());
    own || line.starts_with("test result:") || line.starts_with("Summary [")
}

/// The number before a word: 12 in `12 passed; 0 failed`.
fn number_before(line: &str, word: &str) -> u32 {
    let mut previous = "";
    for token in line.split([' ', ',', ';', ':']) {
        if token == word {
            return previous.parse().unwrap_or(0);
        }
        previous = token;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u32, failed: u32, skipped: u32) -> Counts {
        Counts {
            passed,
            failed,
            skipped,
        }
    }

    fn read(text: &str) -> Counts {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        read_counts(&lines).counts
    }

    #[test]
    fn summaries_of_known_runners_are_read() {
        let nextest =
            "     Summary [   1.052s] 14 tests run: 12 passed (1 slow), 2 failed, 3 skipped";
        assert_eq!(read(nextest), counts(12, 2, 3));
        let timed =
            "     Summary [   1.052s] 3 tests run: 1 passed, 1 failed, 1 timed out, 0 skipped";
        assert_eq!(read(timed), counts(1, 2, 0));
        let libtest = "test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out";
        assert_eq!(read(libtest), counts(4, 0, 1));
        let quoted = "    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured";
        assert_eq!(read(&format!("{quoted}\n{nextest}")), counts(12, 2, 3));
        assert_eq!(read("23 passed, 1 failed"), counts(23, 1, 0));
        assert_eq!(read("2 of 3 passed, but 1 failed"), counts(0, 0, 0));
        assert_eq!(
            read("ok a\nFAILED b: why\nSKIPPED c: why\nokay"),
            counts(1, 1, 1)
        );
    }

    #[test]
    fn failed_tests_are_named_with_what_they_said() {
        let said = "  stderr ---\n    thread 'a::b' (7) panicked at src/a.rs:3:5:\n    left: 1\n    right: 2\n    note: run with";
        let text = format!(
            "    FAIL [   0.1s] (1/2) crate::it a::b\n{said}\n Summary [ 1.0s] 2 tests run: 1 passed, 1 failed\n{said}"
        );
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(
            read_counts(&lines).notes,
            [
                "FAIL [   0.1s] (1/2) crate::it a::b",
                "thread 'a::b' (7) panicked at src/a.rs:3:5:\n    left: 1\n    right: 2"
            ]
        );
        let passed = text.replace("1 passed, 1 failed", "2 passed");
        let lines: Vec<String> = passed.lines().map(str::to_owned).collect();
        assert!(read_counts(&lines).notes.is_empty());
    }

    #[test]
    fn a_skip_fails_only_in_ci() {
        assert!(verdict(counts(3, 0, 1), false).is_ok());
        assert!(verdict(counts(3, 0, 1), true).is_err());
        assert!(verdict(counts(3, 0, 0), true).is_ok());
        assert!(verdict(counts(3, 1, 0), false).is_err());
        assert!(verdict(counts(0, 0, 0), false).is_err());
    }
}
