//! Control plane: the status that a call returns, and the reason why a call was refused.

/// Status of a call; the numbers are those of both versions of FMI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
pub enum Status {
    /// All well.
    Ok = 0,
    /// Results are usable, but a message was logged.
    Warning = 1,
    /// FMI 2: the step stopped early, or the requested status is not available.
    Discard = 2,
    /// The call failed; its reason is in the log.
    Error = 3,
    /// The instance is lost.
    Fatal = 4,
}

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// [`Status::Discard`] or worse.
    pub status: Status,
    /// The fault, the name of the variable or function, and what would be valid.
    pub text: String,
}

impl Refusal {
    /// A refusal with [`Status::Error`].
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            status: Status::Error,
            text: text.into(),
        }
    }

    /// A refusal with [`Status::Discard`]: nothing is broken.
    pub fn discard(text: impl Into<String>) -> Self {
        Self {
            status: Status::Discard,
            text: text.into(),
        }
    }
}

/// The result of a call on an instance.
pub type CallResult = Result<Status, Refusal>;
