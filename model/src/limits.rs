//! The limits for everything that is read from outside, in one place.
//!
//! They keep a broken or hostile file from taking all memory or all time; none of them is near what a real mechanism
//! needs. docs/model-format.md lists them for users; anything beyond a limit is refused by name. The kernel holds the
//! limits of the mechanism itself.

pub use fixstep_kernel::limits::*;

/// Text of a model, in bytes: 42 bodies with tyres, contacts and outputs take 100 kB.
pub const MODEL_BYTES: u64 = 64 << 20;

/// One file beside the model, in bytes: a flexible body of 500 modes takes 30 MB, a table of a million
/// rows 40 MB.
pub const FILE_BYTES: u64 = 64 << 20;

/// All files beside a model together, in bytes: they stay in memory as long as the FMU.
pub const FILES_BYTES: u64 = 1 << 30;

/// Path of a file beside the model, in bytes: the length that systems with short paths can still unpack.
pub const PATH_BYTES: usize = 200;

/// Nesting of JSON, which serde_json watches; the format needs 8 levels.
pub const JSON_NESTING: usize = 127;

/// Numbers in one list: 1000 s sampled at 1 kHz.
pub const LIST_NUMBERS: usize = 1_000_000;

/// A name or a key, in bytes; importers truncate names long before.
pub const NAME_BYTES: usize = 1000;

/// An expression, in bytes; longer ones must be split into variables.
pub const EXPRESSION_BYTES: usize = 65_536;

/// Nesting of parentheses, calls and signs in an expression: a thread with 256 KiB of stack can evaluate it.
pub const EXPRESSION_NESTING: usize = 200;

/// Macros that call macros.
pub const MACRO_NESTING: usize = 50;

/// Words after the expansion of macros in one expression: three times those of the longest expression.
pub const MACRO_WORDS: usize = 200_000;

/// Values of an array of the model; each is a variable in FMI 2.0.
pub const ARRAY_ELEMENTS: usize = 1000;

/// Templates within templates: instances within instances.
pub const TEMPLATE_NESTING: usize = 32;

/// Files that include one another, one within the other.
pub const INCLUDES: usize = 32;

/// Entities that the templates of a model make: a small text must not make a huge model.
pub const EXPANDED_ENTITIES: usize = 200_000;

/// Texts that `${…}` makes, in bytes, all together: constants that double one another must not take all memory.
pub const EXPANDED_BYTES: usize = 64 << 20;
