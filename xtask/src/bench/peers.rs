//! Other multibody programs on the same models. Control plane.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::lines::Lines;
use crate::install;
use crate::shell::{self, Result};

/// A program, how it is run, and on what.
pub(crate) struct Peer {
    /// As our own benchmark calls it.
    pub(crate) case: &'static str,
    /// The program.
    pub(crate) program: &'static str,
    /// Its settings, for the reader.
    pub(crate) how: String,
    words: Vec<String>,
}

/// How Exudyn solves a step, for the reader and for the script.
const NEWTONS: [(&str, &str); 3] = [
    ("full Newton", "full"),
    ("one Jacobian a step", "step"),
    ("modified Newton", "modified"),
];

/// Lengths of the chain, and steps of a run.
const CHAINS: [(&str, &str); 4] = [
    ("chain 10", "1000"),
    ("chain 40", "500"),
    ("chain 100", "200"),
    ("chain 400", "60"),
];

/// The folder of the scripts.
fn scripts() -> PathBuf {
    shell::root().join("benches/peers")
}

/// Where the programs are installed.
fn environment() -> PathBuf {
    shell::target().join("venv-peers")
}

/// The model file of a case; chains are made.
fn model(case: &str) -> PathBuf {
    match case {
        "andrews" => shell::root().join("models/andrews_squeezer/model.json"),
        "vehicle" => shell::target().join("bench/passive_vehicle.json"),
        chain => shell::target().join(format!("bench/{}.json", chain.replace(' ', "-"))),
    }
}

fn peer(case: &'static str, program: &'static str, how: &str, script: &str, words: &str) -> Peer {
    let mut all = vec![scripts().join(script).display().to_string()];
    if script != "exudyn_flexible.py" {
        all.push(model(case).display().to_string());
    }
    all.extend(words.split_whitespace().map(str::to_owned));
    let how = how.to_owned();
    Peer {
        case,
        program,
        how,
        words: all,
    }
}

/// All peers in the order of the page.
pub(crate) fn all() -> Vec<Peer> {
    let mut peers = chains();
    for (how, newton) in NEWTONS {
        let words = format!("--probe k1_f --steps 3000 --node rxyz --newton {newton}");
        peers.push(peer("andrews", "Exudyn", how, "exudyn_rigid.py", &words));
    }
    let words = "--probe k1_f --steps 3000";
    peers.push(peer(
        "andrews",
        "MuJoCo",
        "soft loops, Euler",
        "mujoco_rigid.py",
        words,
    ));
    let fine = "--relative 1e-9 --absolute 1e-9";
    for (how, newton) in NEWTONS {
        let words = format!(
            "--probe chassis.centre --steps 500 --node ep --radius 0.6 --newton {newton} {fine}"
        );
        let how = format!("{how}, tolerance 1e-9");
        peers.push(peer("vehicle", "Exudyn", &how, "exudyn_rigid.py", &words));
    }
    let coarse = "--relative 1e-5 --absolute 1e-6";
    let words = format!(
        "--probe chassis.centre --steps 500 --node rv --radius 0.6 --newton modified {coarse}"
    );
    let how = "modified Newton, tolerance 1e-5";
    peers.push(peer("vehicle", "Exudyn", how, "exudyn_rigid.py", &words));
    let how = "22 bodies only, soft loops, implicitfast";
    peers.push(peer(
        "vehicle",
        "MuJoCo",
        how,
        "mujoco_vehicle.py",
        "--steps 500",
    ));
    for (case, modes) in [("slider-crank 16", 16), ("slider-crank 46", 46)] {
        for (how, newton) in NEWTONS {
            let words = format!(
                "--modes {modes} --steps 200 --node ep --radius 0.6 --relative 1e-6 --absolute 1e-8 --newton {newton}"
            );
            peers.push(peer(case, "Exudyn", how, "exudyn_flexible.py", &words));
        }
    }
    peers
}

fn chains() -> Vec<Peer> {
    let mut peers = Vec::new();
    for (case, steps) in CHAINS {
        let probe = format!("--probe tip --steps {steps}");
        for (how, newton) in NEWTONS {
            let words = format!("{probe} --node rv --newton {newton}");
            peers.push(peer(case, "Exudyn", how, "exudyn_rigid.py", &words));
        }
        let how = "tree of hinges, Euler";
        peers.push(peer(case, "MuJoCo", how, "mujoco_rigid.py", &probe));
        let words = format!("{probe} --form free --integrator implicitfast");
        let how = "free bodies, soft hinges, implicitfast";
        peers.push(peer(case, "MuJoCo", how, "mujoco_rigid.py", &words));
        let how = "ABA, symplectic Euler";
        peers.push(peer(case, "Pinocchio", how, "pinocchio_chain.py", &probe));
    }
    peers
}

/// Installs the programs if needed, and writes flat models. The error says why there are no peers.
pub(crate) fn prepare() -> Result<()> {
    install::packages(&environment(), &scripts().join("requirements.txt"))?;
    for (case, _) in CHAINS {
        let mut write = shell::program("python3");
        write.arg(scripts().join("chain.py"));
        write
            .arg(case.trim_start_matches("chain "))
            .arg(model(case));
        shell::run(write)?;
    }
    let car = shell::root().join("models/passive_vehicle/model.json");
    let mut expand = shell::cargo(&[
        "run",
        "--quiet",
        "--release",
        "-p",
        "fmu-build",
        "--bin",
        "fixstep",
        "--",
        "expand",
    ]);
    expand.arg(car).arg("-o").arg(model("vehicle"));
    shell::run(expand)
}

/// The programs with their versions, as they are installed.
pub(crate) fn versions() -> String {
    let list = fs::read_to_string(scripts().join("requirements.txt")).unwrap_or_default();
    let mut text = String::new();
    for line in list.lines() {
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{separator}{}", line.replace("==", " "));
    }
    text
}

impl Peer {
    /// A run of the peer; the first round also reports the accuracy of its steps. A failed run leaves a line that
    /// says so.
    pub(crate) fn measure(&self, pin: &[String], first: bool, lines: &mut Lines) -> Result<()> {
        let mut words: Vec<String> = pin.to_vec();
        words.push(install::python_of(&environment()).display().to_string());
        words.extend(self.words.iter().cloned());
        if first && self.program == "Exudyn" {
            words.push("--reach".to_owned());
        }
        let mut command = shell::program(&words[0]);
        // Exudyn writes files where it runs.
        command.args(&words[1..]).current_dir(shell::target());
        let output = command
            .output()
            .map_err(|error| format!("{}: {error}", words[0]))?;
        let fields = format!(
            r#""case": "{}", "peer": "{}", "how": "{}""#,
            self.case, self.program, self.how
        );
        if output.status.success() {
            lines.add(&fields, &String::from_utf8_lossy(&output.stdout));
        } else {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors
                .lines()
                .last()
                .unwrap_or("no reason")
                .replace('"', "'");
            lines.add(&fields, &format!(r#"{{"error": "{last}"}}"#));
        }
        Ok(())
    }
}
