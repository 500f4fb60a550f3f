//! Tests that run in a process of their own, because others allocate, open files and start threads.
#![expect(clippy::print_stdout, reason = "long runs tell how far they are")]

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Says to this program that it runs for one test only.
const ALONE: &str = "FIXSTEP_TEST_ALONE";

/// Says to this program that a tool watches it, which would not see another process.
const WATCHED: &str = "FIXSTEP_TEST_WATCHED";

/// Runs a test, called as in the list of tests, in a process that starts for it.
pub(crate) fn alone(name: &str, test: impl FnOnce()) {
    if env::var_os(ALONE).is_some() {
        return test();
    }
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture"]);
    command.env(ALONE, "1").stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut passed = false;
    // As it comes: long tests tell how far they are.
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        passed |= line.contains("1 passed");
        if !line.starts_with("running ") && !line.starts_with("test ") {
            println!("{line}");
        }
    }
    assert!(child.wait().unwrap().success() && passed, "{name} failed");
}

/// The same, but within this process where a tool watches it.
pub(crate) fn alone_unless_watched(name: &str, test: impl FnOnce()) {
    if env::var_os(WATCHED).is_some() {
        test();
    } else {
        alone(name, test);
    }
}
