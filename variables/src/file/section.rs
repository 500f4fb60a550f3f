//! Control plane: the kinds of sections of a file, and the reasons why one cannot be used.

use alloc::format;
use alloc::string::String;

/// The kind of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(pub u32);

impl Kind {
    /// The mechanism.
    pub const MECHANISM: Self = Self(1);
    pub(super) const FLEXIBLE: Self = Self(2);
    pub(super) const CURVE: Self = Self(3);
    pub(super) const SPACE_CURVE: Self = Self(4);
    pub(super) const TERRAIN: Self = Self(5);
    pub(super) const MESH: Self = Self(6);
    /// The table of variables.
    pub const VARIABLES: Self = Self(100);
}

/// Why bytes are not a mechanism: the fault, and what would be valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

/// Bytes that are not too many.
pub(super) fn bounded<'a>(what: &str, bytes: &'a [u8], most: usize) -> Result<&'a [u8], Fault> {
    if bytes.len() > most {
        let length = bytes.len();
        return Err(Fault(format!(
            "{what} has {length} bytes; valid: at most {most}"
        )));
    }
    Ok(bytes)
}
