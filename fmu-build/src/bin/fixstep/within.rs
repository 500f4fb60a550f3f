//! Control plane: the commands of the program `fixstep`, for a program that runs them within: the module of Python.

mod args;
mod commands;
mod console;
mod kinds;
mod places;
mod source;

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::rc::Rc;

use clap::Parser as _;

use args::Cli;
use commands::{WRONG_COMMAND_LINE, obey};
use console::Console;
use fmu_build::halt;
pub use fmu_build::halt::Flag;

/// What a command has said, and its exit code.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// The exit code: 0 if all is well.
    pub code: u8,
    /// Standard output.
    pub output: Vec<u8>,
    /// Standard error.
    pub remarks: Vec<u8>,
}

/// Runs a command as the program does; the first word is the program's name. Returns the exit code.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    match Cli::try_parse_from(words) {
        Ok(cli) => obey(cli.command, &mut Console::new()),
        Err(error) => {
            // There is nobody left to tell if this fails.
            let _ = error.print();
            error.exit_code() as u8
        }
    }
}

/// Runs a command and keeps what it says. The flag, once set, ends its runs.
pub fn hear(words: impl IntoIterator<Item = OsString>, flag: Flag) -> Said {
    halt::under(Some(flag), || keep(words))
}

fn keep(words: impl IntoIterator<Item = OsString>) -> Said {
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => {
            let (code, text) = (error.exit_code() as u8, error.to_string().into_bytes());
            let mut said = Said {
                code,
                ..Said::default()
            };
            if code == WRONG_COMMAND_LINE {
                said.remarks = text;
            } else {
                said.output = text;
            }
            return said;
        }
    };
    let [output, remarks] = [Kept::default(), Kept::default()];
    let mut console = Console::of(Box::new(output.clone()), Box::new(remarks.clone()));
    let code = obey(cli.command, &mut console);
    Said {
        code,
        output: output.0.take(),
        remarks: remarks.0.take(),
    }
}

/// Keeps what is written.
#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
