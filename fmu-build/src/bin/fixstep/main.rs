//! Control plane: the `fixstep` command: packs, checks, runs, inspects and measures.

mod args;
mod commands;
mod console;
mod kinds;
mod places;
mod source;

use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use console::Console;

fn main() -> ExitCode {
    // Clap prints the error and ends with code 2.
    let cli = Cli::parse();
    ExitCode::from(commands::obey(cli.command, &mut Console::new()))
}
