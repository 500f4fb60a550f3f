//! `cargo xtask …`: all tasks of this repository besides editing. Control plane; it uses only the standard library
//! and depends on no crate of ours: it builds and calls the programs.
#![expect(
    clippy::print_stdout,
    reason = "a command-line program speaks on standard output"
)]

mod ahead;
mod bench;
mod clients;
mod counts;
mod demo;
mod denormals;
mod dist;
mod finite_elements;
mod gallery;
mod generated;
mod install;
mod linear;
mod linux;
mod pages;
mod pictures;
mod policy;
mod precision;
mod products;
mod report;
mod sections;
mod shell;
mod slow;
mod studies;
mod suite;
mod tidy;
mod viewer;
mod wheel;

use std::process::ExitCode;

const HELP: &str = "\
Automation of the Fixstep repository

Usage: cargo xtask COMMAND

Commands:
  demo                     build, pack an example as FMI 2.0 and FMI 3.0 FMUs, run both in real time
  build                    the program, with all that its pages show, and the library that FMUs carry: target/release/fixstep
  viewer                   bundle the third-party code of pages into target/viewer
  test [--quick]           everything that must hold, real clients included;
                           --quick: formatting, lints, house rules and the workspace's own tests
  test --slow [--calls N] [--models N] [--files N] [--archives N] [--steps N] [--sequences N] [--readings N]
                           what takes an hour: ten million calls in any order, altered models, mechanisms and archives,
                           a run of ten million steps, inputs at random, what the guard reads, valgrind, ThreadSanitizer,
                           studies with Dask and Ray
  fmu MODEL [--fmi 2|3]    pack models/MODEL/model.json, or any model file (default: both versions)
  dist [MODEL]             libraries for Linux and Windows on x86-64 and Linux on 64-bit Arm, packed together:
                           every example, or one model (docs/platforms.md)
  dist --check             the section `platforms` of the tests by itself
  wheel [--here|--check|--clusters]
                           wheels of the Python package for all of these, in target/wheels; --here: for this computer alone;
                           --check: the section of the tests by itself, with the library for this computer;
                           --clusters: that of the slow tests, studies with Dask and Ray
  clients [--page]         real importers on the packed examples, and docs/clients.md of what they did;
                           --page: the page of the last run, this command's or the tests'
  bench [--quick|--page]   measures beside other programs and writes docs/benchmarks.md;
                           --quick: one round; --page: from what was measured last
  bench --counts [--steps N] [NAME...]
                           instructions of every step of the examples, as docs/fixed-work.md;
                           --counts --page: the page from what was counted last
  bench --python           the Python package beside others: single steps, and many runs at once
  bench --scale            what many runs cost on one computer, and from that on many, as docs/scale.md
  bench --denormals        a step that has nearly nothing to compute with, in docs/real-time.md
  precision [NAME...]      error against work of the variable step beside other programs, and docs/work-precision.md;
                           --page: the page from what was measured last
  pictures                 draw the examples' pictures anew: what the pages of models/* show
  gallery [NAME...]        draw the pictures of docs/gallery.md, which shows all examples
  studies                  make the studies of docs/studies, their pages and pictures
  tidy                     the house rules that no compiler checks
  help                     this text

Environment:
  CI=true                  a skipped test is a failure
  CARGO_TARGET_DIR         where everything is built (default: target)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["demo"] => demo::run(),
        ["build"] => products::build_on_request(),
        ["viewer"] => viewer::bundle(),
        ["test"] => suite::run(false),
        ["test", "--quick"] => suite::run(true),
        ["test", "--slow", rest @ ..] => slow::run(rest),
        ["fmu", model] => products::pack_on_request(model, &["2", "3"]),
        ["fmu", model, "--fmi", version @ ("2" | "3")] => {
            products::pack_on_request(model, &[version])
        }
        ["dist"] => dist::run(None),
        ["wheel"] => wheel::run(false),
        ["wheel", "--here"] => wheel::run(true),
        ["wheel", "--check"] => wheel::run_check(),
        ["wheel", "--clusters"] => wheel::run_clusters(),
        ["dist", "--check"] => dist::run_check(),
        ["dist", model] => dist::run(Some(model)),
        ["clients"] => clients::run(),
        ["clients", "--page"] => clients::table::publish(),
        ["bench"] => bench::run(bench::Extent::Full),
        ["bench", "--quick"] => bench::run(bench::Extent::Quick),
        ["bench", "--page"] => bench::run(bench::Extent::Page),
        ["bench", "--python"] => wheel::bench(),
        ["bench", "--scale"] => wheel::scale(),
        ["bench", "--denormals"] => denormals::run(),
        ["bench", "--counts", rest @ ..] => counts::run(rest),
        ["precision", "--page"] => precision::publish(),
        ["precision", names @ ..] => precision::run(names),
        ["pictures"] => pictures::run(),
        ["gallery", names @ ..] => gallery::run(names),
        ["studies"] => studies::run(),
        ["tidy"] => tidy::run(),
        ["help" | "--help" | "-h"] | [] => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!(
            "unknown command `{}`; `cargo xtask help` lists the commands",
            other.join(" ")
        )),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            if !message.is_empty() {
                println!("\nxtask: {message}");
            }
            ExitCode::FAILURE
        }
    }
}
