//! Control plane: the `fixstep` command: packs, checks, runs, inspects and measures.

mod args;
mod commands;
mod console;
mod kinds;
mod places;
mod source;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use console::Console;
use places::Stop;

/// Exit code for a wrong command line, the same as that of clap.
const WRONG_COMMAND_LINE: u8 = 2;

fn main() -> ExitCode {
    // Clap prints the error and ends with code 2.
    let cli = Cli::parse();
    let mut console = Console::new();
    let done = match cli.command {
        Command::Build(args) => commands::build(&args, &mut console),
        Command::View(args) => commands::view(&args, &mut console),
        Command::Check(args) => commands::check(&args, &mut console),
        Command::Run(args) => commands::run(&args, &mut console),
        Command::Advise(args) => commands::advise(&args, &mut console),
        Command::Linearize(args) => commands::linearize(&args, &mut console),
        Command::Modes(args) => commands::modes(&args, &mut console),
        Command::Inspect(args) => commands::inspect(&args, &mut console),
        Command::Response(args) => commands::response(&args, &mut console),
        Command::Rti(args) => commands::rti(&args, &mut console),
        Command::Ssp(args) => commands::ssp(&args, &mut console),
        Command::Schema(args) => commands::schema(&args, &mut console),
        Command::Expand(args) => commands::expand(&args, &mut console),
        Command::Fmt(args) => commands::fmt(&args, &mut console),
        Command::Doc(args) => commands::doc(&args, &mut console),
        Command::Flex(args) => commands::flex(&args, &mut console),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(Stop::CommandLine(text)) => {
            console.complain(&text);
            ExitCode::from(WRONG_COMMAND_LINE)
        }
        Err(Stop::Failed(failure)) => {
            console.complain(&failure.0);
            ExitCode::FAILURE
        }
    }
}
