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
pub(super) struct Screen;

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

fn told(error: &io::Error) -> Failure {
    Failure(format!("--live: the terminal: {error}"))
}

impl Screen {
    /// Takes the terminal over.
    pub(super) fn open() -> Result<Self, Failure> {
        terminal::enable_raw_mode().map_err(|error| told(&error))?;
        // From here on it is given back.
        let screen = Self;
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
            if !event::poll(patience)? {
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
