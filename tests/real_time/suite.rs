//! Starts the proofs, each model and each version of the standard in a process of its own.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use crate::built;
use crate::case;

/// What is built for a proof and what it runs with.
struct Tools {
    /// The library under test.
    library: PathBuf,
    /// The same code with an allocator that counts.
    counting: PathBuf,
    /// Counts in front of the C library.
    preload: PathBuf,
}

/// Runs a program to its end.
pub(crate) fn made(command: &mut Command) {
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

impl Tools {
    /// Makes them.
    fn make() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-time");
        std::fs::create_dir_all(&folder).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let preload = folder.join("preload.so");
        made(
            Command::new("cc")
                .args(["-O1", "-Wall", "-Werror", "-fPIC", "-shared", "-o"])
                .arg(&preload)
                .arg(root.join("tests/real_time/preload.c"))
                .arg("-ldl"),
        );
        Self {
            library: built::path(),
            counting: built::built("fixstep-counting", "fixstep_counting"),
            preload,
        }
    }

    /// A proof in a process of its own; what it says, and whether it holds.
    fn prove(&self, proof: &str, name: &str, version: &str, library: &Path) -> (String, bool) {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["host", proof, name, version]).arg(library);
        if proof == "preload" {
            command.env("LD_PRELOAD", &self.preload);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let told = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        match last.strip_prefix("ok ") {
            Some(text) if output.status.success() => (text.to_owned(), true),
            _ => (format!("{last} ({}) {told}", output.status), false),
        }
    }
}

/// Does all, two at a time; did all go well?
pub(crate) fn side_by_side<T: Send>(mut work: Vec<T>, one: impl Fn(T) -> bool + Sync) -> bool {
    work.reverse();
    let waiting = Mutex::new(work);
    let next = || waiting.lock().unwrap().pop();
    thread::scope(|scope| {
        let worker = || {
            let mut sound = true;
            while let Some(item) = next() {
                sound &= one(item);
            }
            sound
        };
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        workers.map(|worker| worker.join().unwrap()) == [true; 2]
    })
}

/// What the runs of a model say in all versions and builds.
fn same_bits(tools: &Tools, name: &str) -> (String, bool) {
    let mut found = Vec::new();
    for (proof, version, library) in [
        ("bits", "3", &tools.library),
        ("bits", "2", &tools.library),
        ("plain", "3", &tools.counting),
    ] {
        let (text, holds) = tools.prove(proof, name, version, library);
        if !holds {
            return (format!("{proof} fmi{version}: {text}"), false);
        }
        found.push(text);
    }
    let same = found.windows(2).all(|pair| pair[0] == pair[1]);
    (found.join(", "), same)
}

/// Does the proof see what it is there to see?
fn sees(tools: &Tools, proof: &str) -> (String, bool) {
    let (proof, name) = match proof {
        "used" => ("traps", "used"),
        _ => (proof, "memory"),
    };
    let (text, holds) = tools.prove(proof, name, "3", &tools.library);
    let seen = ["system call", "page faults", "trapped at"];
    let seen = seen.iter().any(|what| text.contains(what));
    (text, seen && !holds)
}

/// Every proof whose name holds the filter.
pub(crate) fn main(filter: &str) -> bool {
    if filter == "--list" {
        return true;
    }
    let mut proofs = Vec::new();
    let mut all = vec![
        "allocations",
        "preload",
        "filter",
        "faults",
        "bits",
        "stack",
    ];
    all.extend(cfg!(target_arch = "x86_64").then_some("traps"));
    for proof in all {
        let mut names = case::names();
        // What is proved of all that a model may hold.
        if ["stack", "traps"].contains(&proof) {
            names.extend(case::mechanisms());
        }
        // Arithmetic alone.
        names.extend((proof == "traps").then(|| "formula".to_owned()));
        for name in names {
            let versions: &[&str] = if proof == "bits" { &[""] } else { &["2", "3"] };
            proofs.extend(
                versions
                    .iter()
                    .map(|version| (proof, name.clone(), *version)),
            );
        }
    }
    for version in ["2", "3"] {
        proofs.extend(["locked", "refused"].map(|proof| (proof, String::from("memory"), version)));
    }
    let mut seen = vec!["call", "page"];
    if cfg!(target_arch = "x86_64") {
        seen.extend(["division", "used"]);
    }
    proofs.extend({ seen.into_iter() }.map(|proof| (proof, String::from("is seen"), "")));
    let title = |(proof, name, version): &(&str, String, &str)| match *version {
        "" => format!("{proof} {name}"),
        version => format!("{proof} {name} fmi{version}"),
    };
    proofs.retain(|proof| title(proof).contains(filter));
    let number = proofs.len();
    let tools = Tools::make();
    let failed = Mutex::new(0);
    side_by_side(proofs, |own| {
        let (proof, name, version) = &own;
        let (text, holds) = match *proof {
            "bits" => same_bits(&tools, name),
            "call" | "page" | "division" | "used" => sees(&tools, proof),
            "allocations" => tools.prove(proof, name, version, &tools.counting),
            _ => tools.prove(proof, name, version, &tools.library),
        };
        println!(
            "test {} ... {} ({text})",
            title(&own),
            if holds { "ok" } else { "FAILED" }
        );
        *failed.lock().unwrap() += usize::from(!holds);
        holds
    });
    let failed = failed.into_inner().unwrap();
    println!("{} passed, {failed} failed", number - failed);
    failed == 0
}
