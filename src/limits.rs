//! Control plane: the limits of everything that is read from outside, in one place.
//!
//! They keep a broken or hostile file from taking all memory or all time; none of them is near what a real
//! mechanism needs. docs/model-format.md lists them for users; what goes beyond one is refused by name.

/// Text of a model, in bytes: 42 bodies with tyres, contacts and outputs take 100 kB.
pub const MODEL_BYTES: u64 = 64 << 20;

/// One file beside the model, in bytes: a flexible body of 500 modes takes 30 MB, a table of a million
/// rows 40 MB.
pub const FILE_BYTES: u64 = 64 << 20;

/// All files beside a model together, in bytes: they stay in memory as long as the FMU.
pub const FILES_BYTES: u64 = 1 << 30;

/// Path of a file beside the model, in bytes: what systems with short paths still unpack.
pub const PATH_BYTES: usize = 200;

/// Nesting of JSON, which serde_json watches; the format needs 8 levels.
pub const JSON_NESTING: usize = 127;

/// JSON values in a model: a grid of 2000 × 2000 heights.
pub const MODEL_VALUES: usize = 4_000_000;

/// Entries of a list of entities (parts, joints, outputs, …): a thousand times a large vehicle.
pub const LIST_ENTRIES: usize = 100_000;

/// Numbers in one list: 1000 s sampled at 1 kHz.
pub const LIST_NUMBERS: usize = 1_000_000;

/// A name or a key, in bytes; importers cut names off long before.
pub const NAME_BYTES: usize = 1000;

/// A named text, in bytes: a line of a log. Room for it is set aside in every state.
pub const TEXT_BYTES: usize = 1000;

/// An expression, in bytes; what is longer is split into variables.
pub const EXPRESSION_BYTES: usize = 65_536;

/// Nesting of parentheses, calls and signs in an expression: the stack of a thread of 256 KiB is enough for it.
pub const EXPRESSION_NESTING: usize = 200;

/// Intermediate results of an expression with its derivatives: what 16 bits count.
pub const EXPRESSION_REGISTERS: usize = 65_536;

/// Macros that call macros.
pub const MACRO_NESTING: usize = 50;

/// Words that macros make of one expression: three times those of the longest one.
pub const MACRO_WORDS: usize = 200_000;

/// Values of an array of the model; each is a variable in FMI 2.0.
pub const ARRAY_ELEMENTS: usize = 1000;

/// Points of a convex hull, each of which is looked at in every step.
pub const HULL_POINTS: usize = 256;

/// Heights of a grid: as many as a model may have values.
pub const GRID_HEIGHTS: usize = 4_000_000;

/// Triangles of a surface: a scanned road of a kilometre in steps of a decimetre.
pub const TRIANGLES: usize = 1_000_000;

/// Modes of a flexible body; a step's work grows with their third power.
pub const MODES: usize = 500;

/// Steps that a DELAY remembers: 1000 s of 1 ms, 16 MB in every state.
pub const DELAY_POINTS: usize = 1_000_000;

/// Rows of six derivatives of forces, equations and outputs by what they depend on: a bushing takes 12.
pub const DERIVATIVE_ROWS: usize = 8_000_000;

/// Sums of six derivatives that make them in a step, with places of 16 bytes each: a bushing takes 2.
pub const DERIVATIVE_SUMS: usize = 16_000_000;

/// Couplings of blocks of unknowns, 288 bytes each: a chain of 100 000 links takes 800 000.
pub const COUPLINGS: usize = 1_000_000;

/// Products of blocks in eliminating the unknowns, a microsecond or so for ten of them in every step: a vehicle of 42
/// parts takes 1000, a flexible body of 500 modes 200 000.
pub const PRODUCTS: usize = 5_000_000;
