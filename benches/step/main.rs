//! Wall time of a Newton iteration and of a step, case by case.
//!
//! ```text
//! cargo bench --bench step -- [NAME] [--rounds N] [--json FILE]
//! cargo bench --bench step -- NAME --profile STEPS [--fixit N] [--full]
//! ```
//!
//! A full iteration is what a step of three takes longer than one of two: exact Jacobian, factorisation, residual
//! and solution. The other columns are steps of one to three iterations with one Jacobian, as they are usually
//! run. Cases take turns; a round of a case is a run of each kind from the start, batch by batch in turn, its
//! figure the median over the run, and what is printed is the median of rounds with their spread. The noise loop beside each is a chain of dependent
//! multiplications and additions: it tells how fast the core was.
//!
//! `--profile` only steps, for callgrind; build with `CARGO_PROFILE_BENCH_STRIP=none
//! CARGO_PROFILE_BENCH_DEBUG=line-tables-only`.

#![expect(clippy::print_stdout, reason = "this program prints a table")]

mod cases;
mod chain;
mod runs;
mod slider_crank;
mod timing;

use std::process::ExitCode;

use cases::Case;
use fixstep_kernel::math::Vec3;
use runs::{Reached, Runner, Work};
use serde_json::{Value, json};
use timing::{median, middle};

/// Rounds unless told otherwise.
const ROUNDS: usize = 5;

/// What is run in a round, in this order: two with a Jacobian in every iteration, then steps with one.
const WORKS: [Work; 5] = [
    Work {
        fixit: 2,
        full: true,
    },
    Work {
        fixit: 3,
        full: true,
    },
    Work {
        fixit: 1,
        full: false,
    },
    Work {
        fixit: 2,
        full: false,
    },
    Work {
        fixit: 3,
        full: false,
    },
];
/// The first with one Jacobian a step.
const USUAL: usize = 2;

/// What the command line asks for.
struct Options {
    name: Option<String>,
    rounds: usize,
    json: Option<String>,
    profile: Option<usize>,
    work: Work,
}

impl Options {
    fn read() -> Result<Self, String> {
        let mut options = Self {
            name: None,
            rounds: ROUNDS,
            json: None,
            profile: None,
            work: WORKS[USUAL + 1],
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            let number = |text: String| {
                let number = text.parse::<usize>().ok().filter(|n| *n > 0);
                number.ok_or(format!("`{text}` is not a positive number"))
            };
            match word.as_str() {
                // Cargo says so to every benchmark.
                "--bench" => {}
                "--rounds" => options.rounds = number(value()?)?,
                "--json" => options.json = Some(value()?),
                "--profile" => options.profile = Some(number(value()?)?),
                "--fixit" => options.work.fixit = number(value()?)?.min(10) as u8,
                "--full" => options.work.full = true,
                other if !other.starts_with('-') => options.name = Some(other.to_owned()),
                other => return Err(format!("unknown option {other}")),
            }
        }
        Ok(options)
    }
}

/// A case and what was measured of it.
struct Measured {
    case: Case,
    runners: Vec<Runner>,
    reached: Vec<Reached>,
    /// Time of a step \[µs\], by kind of work and round.
    times: Vec<Vec<f64>>,
    /// Time of a full iteration by round \[µs\].
    iterations: Vec<f64>,
    /// The noise loop before each round \[ns\].
    noise: Vec<f64>,
}

impl Measured {
    fn new(case: Case) -> Result<Self, String> {
        let runners: Result<Vec<_>, _> =
            WORKS.iter().map(|work| Runner::new(&case, *work)).collect();
        let mut runners = runners?;
        let reached = runners.iter_mut().map(|runner| runner.reach(case.probe));
        let reached = reached.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            case,
            runners,
            reached,
            times: vec![Vec::new(); WORKS.len()],
            iterations: Vec::new(),
            noise: Vec::new(),
        })
    }

    fn round(&mut self) -> Result<(), String> {
        self.noise.push(timing::noise());
        let times = runs::race(&mut self.runners)?;
        let pairs = times[0].iter().zip(&times[1]);
        let mut differences: Vec<f64> = pairs.map(|(two, three)| three - two).collect();
        self.iterations.push(median(&mut differences));
        for (all, mut batches) in self.times.iter_mut().zip(times) {
            all.push(median(&mut batches));
        }
        Ok(())
    }

    /// Median and spread of a full iteration.
    fn iteration(&self) -> (f64, f64) {
        middle(&mut self.iterations.clone())
    }

    /// A line of JSON for every kind of work, and one for the full iteration.
    fn lines(&self) -> Vec<Value> {
        let (noise, rounds) = (median(&mut self.noise.clone()), self.noise.len());
        let own = json!({"case": self.case.name, "noise_ns": noise, "rounds": rounds});
        let with = |more: Value| {
            let mut line = own.clone();
            if let (Some(line), Value::Object(more)) = (line.as_object_mut(), more) {
                line.extend(more);
            }
            line
        };
        let (iteration, spread) = self.iteration();
        let mut lines = vec![with(
            json!({"work": "iteration", "us": iteration, "spread": spread}),
        )];
        for ((work, times), reached) in WORKS.iter().zip(&self.times).zip(&self.reached) {
            let (median, spread) = middle(&mut times.clone());
            let kind = if work.full { "full" } else { "step" };
            lines.push(with(json!({
                "work": format!("{kind} {}", work.fixit), "us": median, "spread": spread,
                "residual": reached.residual[0], "largest_residual": reached.residual[1],
                "violation": reached.violation[0], "largest_violation": reached.violation[1],
                "probe": words(&reached.probe),
            })));
        }
        lines
    }

    /// A line of the table.
    fn row(&self) -> String {
        let (iteration, spread) = self.iteration();
        let [one, two, three] = [0, 1, 2].map(|k| middle(&mut self.times[USUAL + k].clone()));
        let noise = median(&mut self.noise.clone());
        let reached = &self.reached[USUAL + 1];
        format!(
            "| {} | {iteration:.2} | {:.0} % | {:.2} | {:.2} | {:.0} % | {:.2} | {:.1e} | {:.1e} | {} | {noise:.2} | \
             {:.1} |",
            self.case.name,
            100.0 * spread,
            one.0,
            two.0,
            100.0 * two.1,
            three.0,
            reached.residual[0],
            reached.violation[0],
            words(&reached.probe),
            two.0 / noise,
        )
    }
}

/// Where a run has ended.
fn words(probe: &Vec3) -> String {
    let words: Vec<String> = probe.iter().map(|x| format!("{x:.7}")).collect();
    words.join(" ")
}

/// Measures and prints; says whether everything could be measured.
fn measure(options: &Options) -> Result<bool, String> {
    let mut sound = true;
    let mut all = Vec::new();
    for case in cases::fitting(options.name.as_deref()) {
        let name = case.name.clone();
        match Measured::new(case) {
            Ok(measured) => all.push(measured),
            Err(problem) => {
                sound = false;
                println!("{name}: {problem}\n");
            }
        }
    }
    for _ in 0..options.rounds {
        for measured in &mut all {
            measured.round()?;
        }
    }
    println!(
        "| case | full iteration [us] | spread | step, FIXIT 1 [us] | FIXIT 2 [us] | spread | FIXIT 3 [us] | residual, \
         FIXIT 2 [N, N m] | violation [m, rad] | probe | noise [ns] | FIXIT 2 / 1000 noise |"
    );
    println!("|{}", "---|".repeat(12));
    for measured in &all {
        println!("{}", measured.row());
    }
    if let Some(file) = &options.json {
        let lines = all.iter().flat_map(Measured::lines);
        let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
        std::fs::write(file, lines.join("\n") + "\n")
            .map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(sound)
}

/// Steps and no more.
fn profile(options: &Options, steps: usize) -> Result<bool, String> {
    let mut cases = cases::fitting(options.name.as_deref());
    let case = cases.pop().filter(|_| cases.is_empty());
    let case = case.ok_or("--profile needs the name of one case")?;
    Runner::new(&case, options.work)?.endure(steps)?;
    println!("{}: {steps} steps", case.name);
    Ok(true)
}

fn main() -> ExitCode {
    let result = Options::read().and_then(|options| match options.profile {
        Some(steps) => profile(&options, steps),
        None => measure(&options),
    });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}
