//! Sections of `cargo xtask test` that need no client. Control plane.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::products::{self, Products};
use crate::report::{Outcome, read_counts};
use crate::shell::{self, Result};

/// `cargo fmt --check`.
pub(crate) fn formatting() -> Result<Outcome> {
    shell::run(shell::cargo(&["fmt", "--all", "--check"]))?;
    for package in ["fmi-rs-client", "fmi-peers"] {
        let manifest = format!("tests/{package}/Cargo.toml");
        shell::run(shell::cargo(&[
            "fmt",
            "--check",
            "--manifest-path",
            &manifest,
        ]))?;
    }
    Ok(Outcome::pass())
}

/// Clippy over every target, warnings as errors; and over the kernel without the standard library.
pub(crate) fn lints() -> Result<Outcome> {
    let bare = [
        "-p",
        "fixstep-kernel",
        "-p",
        "fixstep-variables",
        "--no-default-features",
    ];
    for what in [&["--workspace", "--all-targets"][..], &bare] {
        let mut command = shell::cargo(&["clippy", "--quiet"]);
        command.args(what).args(["--", "-D", "warnings"]);
        shell::run(command)?;
    }
    Ok(Outcome::pass())
}

/// Rustdoc, warnings as errors; a public page may name a private module.
pub(crate) fn documentation() -> Result<Outcome> {
    let mut command = shell::cargo(&["doc", "--quiet", "--workspace", "--no-deps"]);
    command.env(
        "RUSTDOCFLAGS",
        "-D warnings -A rustdoc::private_intra_doc_links",
    );
    shell::run(command)?;
    Ok(Outcome::pass())
}

/// Runs all tests of the workspace with nextest, or with Cargo's own runner if nextest is missing. Tests without a
/// harness have their own sections.
pub(crate) fn workspace_tests() -> Result<Outcome> {
    // Tests load the shared library, which Cargo does not build for them. Building it with them uses the same crates.
    let build = ["build", "--quiet", "--workspace", "--lib", "--tests"];
    shell::run(shell::cargo(&build))?;
    if shell::succeeds(shell::cargo(&["nextest", "--version"])) {
        let mut arguments = vec!["nextest", "run", "--workspace", "--color", "never"];
        arguments.extend(["--no-fail-fast", "--status-level", "slow"]);
        arguments.extend(["-E", "not binary(no_alloc) and not binary(real_time)"]);
        return counted(shell::cargo(&arguments));
    }
    println!("cargo-nextest is not installed: Cargo's own runner instead");
    let mut arguments = vec!["test", "--workspace", "--lib", "--bins", "--no-fail-fast"];
    arguments.extend([
        "--test",
        "it",
        "--test",
        "abi",
        "--test",
        "rust_host",
        "--test",
        "engine",
        "--test",
        "reduction",
    ]);
    counted(shell::cargo(&arguments))
}

/// Steps allocate nothing, by a counting allocator.
pub(crate) fn no_allocation() -> Result<Outcome> {
    counted(shell::cargo(&["test", "--workspace", "--test", "no_alloc"]))
}

/// Examples in the documentation, which nextest does not run.
pub(crate) fn doctests() -> Result<Outcome> {
    let captured = shell::watch(shell::cargo(&["test", "--workspace", "--doc"]))?;
    if captured.success {
        Ok(read_counts(&captured.lines))
    } else {
        Err("a documentation example fails".into())
    }
}

/// Packs every example, and the README's model, as FMI 2.0 and FMI 3.0; some also as a system of FMUs.
pub(crate) fn pack_examples(products: &Products) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for example in products::examples()? {
        for version in ["2", "3"] {
            products.pack(&example.name, &example.model, version)?;
            println!("ok {} as FMI {version}.0", example.name);
            outcome.add(Outcome::pass());
            if let Some(system) = &example.system {
                products.pack_system(&example.name, system, version)?;
                println!("ok {} as a system of FMI {version}.0", example.name);
                outcome.add(Outcome::pass());
            }
        }
    }
    let model = products::readme_model()?;
    for version in ["2", "3"] {
        products.pack("readme", &model, version)?;
        println!("ok the README's model as FMI {version}.0");
        outcome.add(Outcome::pass());
    }
    Ok(outcome)
}

/// The tests of the C interface, on the binary from a packed file.
pub(crate) fn packed_interface(products: &Products) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for version in ["2", "3"] {
        let library = packed_library(products, version);
        let mut command = shell::cargo(&["test", "--workspace", "--test", "abi"]);
        command.env("FIXSTEP_LIBRARY", &library);
        outcome.add(counted(command)?);
    }
    Ok(outcome)
}

/// Proves the promises of the real-time path on the binary from a packed file.
pub(crate) fn real_time(products: &Products) -> Result<Outcome> {
    let mut command = shell::cargo(&["test", "--workspace", "--test", "real_time"]);
    command.env("FIXSTEP_LIBRARY", packed_library(products, "3"));
    counted(command)
}

/// The binary from a packed file, or else the one that goes into such a file.
pub(crate) fn packed_library(products: &Products, version: &str) -> PathBuf {
    unpacked_library(products, version).unwrap_or_else(|reason| {
        println!("{reason}: the library as it was packed instead");
        products.library.clone()
    })
}

/// Packs and unpacks the README's model, FMI `version`, and returns the path of its binary. Python unpacks it, since
/// this program uses only the standard library.
fn unpacked_library(products: &Products, version: &str) -> Result<PathBuf> {
    let fmu = products.pack("readme", &products::readme_model()?, version)?;
    let folder = products::fmus().join(format!("unpacked{version}"));
    let mut unpack = shell::program("python3");
    unpack.args(["-m", "zipfile", "-e"]).arg(fmu).arg(&folder);
    shell::run(unpack)?;
    let mut platforms = fs::read_dir(folder.join("binaries")).map_err(|e| e.to_string())?;
    let platform = platforms
        .next()
        .ok_or("no binary")?
        .map_err(|e| e.to_string())?;
    let mut files = fs::read_dir(platform.path()).map_err(|e| e.to_string())?;
    let library = files
        .next()
        .ok_or("no binary")?
        .map_err(|e| e.to_string())?;
    Ok(library.path())
}

/// A section that cannot run on this machine.
pub(crate) fn not_here(reason: &str) -> Outcome {
    shell::say(&format!("SKIPPED {reason}"));
    Outcome::skip(reason)
}

/// Runs a program that reports its number of checks. If it fails without naming a failed check, one check counts as
/// failed.
pub(crate) fn counted(command: Command) -> Result<Outcome> {
    heard(command).map(|(outcome, _)| outcome)
}

/// The same, with all that it said.
pub(crate) fn heard(command: Command) -> Result<(Outcome, Vec<String>)> {
    let captured = shell::watch(command)?;
    let outcome = read_counts(&captured.lines);
    if captured.success || outcome.counts.failed > 0 {
        return Ok((outcome, captured.lines));
    }
    let last = captured
        .lines
        .iter()
        .rev()
        .find(|line| !line.trim().is_empty());
    Err(last.map_or_else(
        || "the program failed and said nothing".to_owned(),
        String::clone,
    ))
}
