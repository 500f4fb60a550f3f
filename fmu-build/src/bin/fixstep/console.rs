//! Control plane: prints to the terminal, and writes files that may be standard output.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use fmu_build::slave::{Failure, Level, Message};

use crate::commands::refusal;

/// Number of warnings that are shown without a request for more.
const WARNINGS: usize = 12;
/// Width of the progress bar in characters.
const BAR: usize = 30;

/// The terminal.
pub(crate) struct Console {
    /// Progress is shown on a terminal only.
    shows_progress: bool,
    bar: Option<Bar>,
    /// Are results and remarks those of this process?
    own: bool,
    /// Where results go.
    output: Box<dyn Write>,
    /// Where remarks go.
    remarks: Box<dyn Write>,
}

struct Bar {
    title: String,
    began: Instant,
    drawn: Option<Instant>,
}

/// Do two messages end with the same reason, although they name the place differently?
fn ends_alike(a: &str, b: &str) -> bool {
    let reason = a.split_once(": ").map(|(_, reason)| reason);
    reason.is_some_and(|reason| b.ends_with(reason))
}

impl Console {
    pub(crate) fn new() -> Self {
        Self {
            shows_progress: io::stderr().is_terminal(),
            own: true,
            ..Self::of(Box::new(io::stdout()), Box::new(io::stderr()))
        }
    }

    /// One without a terminal: results and remarks go to these.
    pub(crate) fn of(output: Box<dyn Write>, remarks: Box<dyn Write>) -> Self {
        Self {
            shows_progress: false,
            bar: None,
            own: false,
            output,
            remarks,
        }
    }

    /// Refuses a dashboard if there is no terminal for one.
    pub(crate) fn check_live(&self) -> Result<(), Failure> {
        let within = || {
            String::from(
                "--live needs the terminal, and this program takes what is printed; valid: the command in a terminal",
            )
        };
        match refusal() {
            Some(why) => Err(Failure(why)),
            None if !self.own => Err(Failure(within())),
            None => Ok(()),
        }
    }

    /// A line of a result.
    pub(crate) fn say(&mut self, text: &str) -> Result<(), Failure> {
        self.clear();
        let out = &mut self.output;
        match writeln!(out, "{text}").and_then(|()| out.flush()) {
            // The reading program has ended, such as `head`.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done.map_err(|error| Failure(format!("standard output: {error}"))),
        }
    }

    /// Prints a remark that is not a result.
    pub(crate) fn note(&mut self, text: &str) {
        self.clear();
        // There is nobody left to tell if this fails.
        let _ = writeln!(self.remarks, "{text}");
    }

    /// Prints an error.
    pub(crate) fn complain(&mut self, text: &str) {
        let text = text.strip_prefix("error: ").unwrap_or(text);
        self.note(&format!("error: {text}"));
    }

    /// Prints what a slave has logged: all errors, the first warnings, and the rest on request. Omits messages that
    /// the following error `told` repeats.
    pub(crate) fn log(&mut self, messages: &[Message], all: bool, told: &str) {
        let mut warnings = 0;
        for Message { level, text, .. } in messages {
            match level {
                Level::Error | Level::Warning if told.contains(text.as_str()) => {}
                Level::Error if told.starts_with("--set ") && ends_alike(told, text) => {}
                Level::Error => self.note(&format!("error: {text}")),
                Level::Warning => {
                    warnings += 1;
                    if all || warnings <= WARNINGS {
                        self.note(&format!("warning: {text}"));
                    }
                }
                Level::Note if all => self.note(text),
                Level::Note => {}
            }
        }
        if !all && warnings > WARNINGS {
            let more = warnings - WARNINGS;
            self.note(&format!("{more} more warnings; --log shows them"));
        }
    }

    /// Begins a progress bar.
    pub(crate) fn begin(&mut self, title: &str) {
        if self.shows_progress {
            let (title, began) = (title.to_owned(), Instant::now());
            self.bar = Some(Bar {
                title,
                began,
                drawn: None,
            });
        }
    }

    /// Moves the progress bar, at most ten times a second and not before half a second.
    pub(crate) fn progress(&mut self, share: f64) {
        let Some(bar) = &mut self.bar else { return };
        let since = bar.drawn.unwrap_or(bar.began).elapsed();
        let patience = if bar.drawn.is_some() { 100 } else { 500 };
        if since < Duration::from_millis(patience) {
            return;
        }
        bar.drawn = Some(Instant::now());
        let full = (share.clamp(0.0, 1.0) * BAR as f64) as usize;
        let elapsed = bar.began.elapsed().as_secs_f64();
        let left = if share > 0.0 {
            elapsed / share - elapsed
        } else {
            0.0
        };
        let out = &mut self.remarks;
        let _ = write!(
            out,
            "\r\x1b[2K{} {}{} {:3.0} %  {left:.0} s left",
            bar.title,
            "\u{2588}".repeat(full),
            "\u{2591}".repeat(BAR - full),
            100.0 * share
        );
        let _ = out.flush();
    }

    /// Begins a progress bar for part of a long task that may not report its progress.
    pub(crate) fn stage(&mut self, title: &str) {
        self.clear();
        self.begin(title);
        if let Some(bar) = &mut self.bar {
            bar.drawn = Some(bar.began);
            let _ = write!(self.remarks, "\r\x1b[2K{title}");
        }
    }

    /// Ends the progress bar.
    pub(crate) fn end(&mut self) {
        self.clear();
        self.bar = None;
    }

    /// Wipes the bar's line; the next progress draws it again.
    fn clear(&mut self) {
        if self.bar.as_ref().is_some_and(|bar| bar.drawn.is_some()) {
            let _ = write!(self.remarks, "\r\x1b[2K");
        }
    }

    /// Writes a file; `-` is standard output.
    pub(crate) fn write(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        if path == Path::new("-") {
            return self.say(text.trim_end_matches('\n'));
        }
        write_file(path, text.as_bytes())
    }
}

/// Can a file be written there? The test leaves no file behind.
pub(crate) fn probe(path: &Path) -> Result<(), Failure> {
    let device = fs::metadata(path).is_ok_and(|there| !there.is_file());
    if device {
        return Ok(());
    }
    beside(&fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
        .map(drop)
        .map_err(|error| Failure(format!("{}: {}", path.display(), plain(&error))))
}

/// A new file in the folder of another.
fn beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    tempfile::Builder::new()
        .prefix(".fixstep-")
        .permissions_as_usual()
        .tempfile_in(folder.unwrap_or(Path::new(".")))
}

/// Removes the name of the temporary file from an error.
fn plain(error: &io::Error) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}

/// Writes a file in one operation: readers see the old file or the new one. Devices, pipes and links are kept: their
/// target is written, because a new file in their place would destroy them, for all users if the user is an
/// administrator.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_device(path) {
        return fs::write(path, bytes)
            .map_err(|error| Failure(format!("{}: {error}", path.display())));
    }
    write_checked(path, bytes, |_| Ok(((), true)))
}

fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// The same, if a check of the file's bytes succeeds; returns the result of the check.
pub(crate) fn write_checked<T>(
    path: &Path,
    bytes: &[u8],
    check: impl FnOnce(&Path) -> Result<(T, bool), Failure>,
) -> Result<T, Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure(format!("{}: {error}", path.display()));
    let device = is_device(path);
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let file = if device {
        tempfile::NamedTempFile::new()
    } else {
        beside(&place)
    };
    let mut file = file.map_err(|error| fail(&plain(&error)))?;
    file.write_all(bytes)
        .map_err(|error| fail(&plain(&error)))?;
    let (found, good) = check(file.path())?;
    if good && device {
        fs::write(path, bytes).map_err(|error| fail(&error))?;
    } else if good {
        file.persist(&place)
            .map_err(|error| fail(&plain(&error.error)))?;
    }
    Ok(found)
}

/// Temporary files are readable by their owner only; results are not restricted in this way.
trait Permissions {
    fn permissions_as_usual(&mut self) -> &mut Self;
}

impl Permissions for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_as_usual(&mut self) -> &mut Self {
        use std::os::unix::fs::PermissionsExt;
        // The system removes the permissions in the user's mask.
        self.permissions(std::fs::Permissions::from_mode(0o666))
    }

    #[cfg(not(unix))]
    fn permissions_as_usual(&mut self) -> &mut Self {
        self
    }
}
