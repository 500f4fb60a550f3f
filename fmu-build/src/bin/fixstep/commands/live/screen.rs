//! Control plane: the terminal of a paced run. It is as it was before, however the run ends.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{self, Clear, ClearType};
use crossterm::{cursor, execute, queue};
use fmu_build::slave::Failure;

use super::frame::{Line, Look};

/// A key of the dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Letter(char),
    Up,
    Down,
    Left,
    Right,
    Enter,
    Escape,
    Erase,
    /// Ctrl-C.
    Interrupt,
}

/// The screen, taken over.
pub(super) struct Screen {
    signals: signals::Signals,
}

/// Requests of the system to end: the run ends, and the terminal is given back.
#[cfg(unix)]
mod signals {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{SigId, flag, low_level};

    pub(super) struct Signals {
        came: Arc<AtomicBool>,
        watched: Vec<SigId>,
    }

    impl Signals {
        pub(super) fn watch() -> io::Result<Self> {
            let came = Arc::new(AtomicBool::new(false));
            let mut signals = Self {
                came,
                watched: Vec::new(),
            };
            for signal in [SIGHUP, SIGINT, SIGTERM] {
                // A second one ends the program at once.
                let again = flag::register_conditional_default(signal, Arc::clone(&signals.came))?;
                let first = flag::register(signal, Arc::clone(&signals.came))?;
                signals.watched.extend([again, first]);
            }
            Ok(signals)
        }

        pub(super) fn came(&self) -> bool {
            self.came.load(Ordering::Relaxed)
        }
    }

    impl Drop for Signals {
        fn drop(&mut self) {
            for id in self.watched.drain(..) {
                low_level::unregister(id);
            }
        }
    }
}

/// Windows closes the console without asking; Ctrl-C is a key.
#[cfg(not(unix))]
mod signals {
    pub(super) struct Signals;

    impl Signals {
        pub(super) fn watch() -> std::io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn came(&self) -> bool {
            false
        }
    }
}

/// Why a paced run cannot be shown, if it cannot.
pub(crate) fn refusal() -> Option<String> {
    let missing = match (io::stdin().is_terminal(), io::stdout().is_terminal()) {
        (true, true) => return None,
        (false, true) => "standard input",
        _ => "standard output",
    };
    Some(format!(
        "--live shows the run in a terminal and reads its keys, and {missing} is no terminal; valid: a command that runs in a \
         terminal, without a pipe or a file in place of {missing}"
    ))
}

/// Waits for a key. A terminal that was closed is an error: crossterm would read from it without end.
#[cfg(unix)]
fn wait(patience: Duration) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let mut asked = [PollFd::new(&stdin, PollFlags::IN)];
    let limit = Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    match poll(&mut asked, Some(&limit)) {
        // A signal ends the waiting.
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    if asked[0].revents().intersects(gone) {
        return Err(io::Error::new(io::ErrorKind::BrokenPipe, "it was closed"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn wait(patience: Duration) -> io::Result<()> {
    event::poll(patience).map(drop)
}

fn told(error: &io::Error) -> Failure {
    Failure(format!("--live: the terminal: {error}"))
}

impl Screen {
    /// Takes the terminal over.
    pub(super) fn open() -> Result<Self, Failure> {
        // From here on it is given back.
        let screen = Self {
            signals: signals::Signals::watch().map_err(|error| told(&error))?,
        };
        terminal::enable_raw_mode().map_err(|error| told(&error))?;
        execute!(
            io::stdout(),
            terminal::EnterAlternateScreen,
            terminal::DisableLineWrap,
            cursor::Hide
        )
        .map_err(|error| told(&error))?;
        Ok(screen)
    }

    /// Columns and rows.
    pub(super) fn size() -> (usize, usize) {
        let (width, height) = terminal::size().unwrap_or((80, 24));
        (usize::from(width.max(20)), usize::from(height.max(6)))
    }

    /// Has the system asked the program to end?
    pub(super) fn is_asked_to_end(&self) -> bool {
        self.signals.came()
    }

    /// Draws all lines.
    pub(super) fn draw(lines: &[Line]) -> Result<(), Failure> {
        let mut out = io::BufWriter::new(io::stdout());
        let mut put = || {
            queue!(out, terminal::BeginSynchronizedUpdate)?;
            for (row, (look, text)) in lines.iter().enumerate() {
                let attribute = match look {
                    Look::Plain => Attribute::Reset,
                    Look::Bold => Attribute::Bold,
                    Look::Faint => Attribute::Dim,
                    Look::Reverse => Attribute::Reverse,
                };
                queue!(
                    out,
                    cursor::MoveTo(0, u16::try_from(row).unwrap_or(u16::MAX)),
                    SetAttribute(attribute),
                    Print(text),
                    SetAttribute(Attribute::Reset),
                    Clear(ClearType::UntilNewLine)
                )?;
            }
            queue!(out, terminal::EndSynchronizedUpdate)?;
            out.flush()
        };
        put().map_err(|error| told(&error))
    }

    /// The next key, if one comes within this time.
    pub(super) fn key(patience: Duration) -> Result<Option<Key>, Failure> {
        let read = || {
            wait(patience)?;
            if !event::poll(Duration::ZERO)? {
                return Ok(None);
            }
            let Event::Key(key) = event::read()? else {
                return Ok(None);
            };
            if key.kind == KeyEventKind::Release {
                return Ok(None);
            }
            Ok(Some(match key.code {
                KeyCode::Char('c' | 'C') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                    Key::Interrupt
                }
                KeyCode::Char(letter) => Key::Letter(letter),
                KeyCode::Up => Key::Up,
                KeyCode::Down => Key::Down,
                KeyCode::Left => Key::Left,
                KeyCode::Right => Key::Right,
                KeyCode::Enter => Key::Enter,
                KeyCode::Esc => Key::Escape,
                KeyCode::Backspace => Key::Erase,
                _ => return Ok(None),
            }))
        };
        read().map_err(|error| told(&error))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody left to tell if this fails.
        let _ = execute!(
            io::stdout(),
            cursor::Show,
            terminal::EnableLineWrap,
            terminal::LeaveAlternateScreen
        );
        let _ = terminal::disable_raw_mode();
    }
}
