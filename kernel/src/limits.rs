//! Control plane: size limits of a mechanism.
//!
//! They keep a broken or hostile file from taking all memory or time; real mechanisms stay far below them.
//! docs/model-format.md lists them for users. A message names the limit that a model exceeds.

/// Entries of a list of entities (parts, joints, outputs, …): a thousand times a large vehicle.
pub const LIST_ENTRIES: usize = 100_000;

/// Values in a model: a grid of 2000 × 2000 heights.
pub const MODEL_VALUES: usize = 4_000_000;

/// A named text, in bytes: a line of a log.
pub const TEXT_BYTES: usize = 1000;

/// Intermediate results of an expression with its derivatives: the range of 16 bits.
pub const EXPRESSION_REGISTERS: usize = 65_536;

/// Points of a convex hull, each of which is evaluated in every step.
pub const HULL_POINTS: usize = 256;

/// Heights of a grid: as many as the values of a model.
pub const GRID_HEIGHTS: usize = 4_000_000;

/// Triangles of a surface: a scanned road of a kilometre in steps of a decimetre.
pub const TRIANGLES: usize = 1_000_000;

/// Modes of a flexible body; a step's work grows with their third power.
pub const MODES: usize = 500;

/// Steps that a DELAY stores: 1000 s of 1 ms, 16 MB in every state.
pub const DELAY_POINTS: usize = 1_000_000;

/// Rows of six derivatives, of forces, equations and outputs in the unknowns: a bushing takes 12.
pub const DERIVATIVE_ROWS: usize = 8_000_000;

/// Sums of six derivatives that a step adds up for these rows, with links of 16 bytes each: a bushing takes 2.
pub const DERIVATIVE_SUMS: usize = 16_000_000;

/// Couplings of blocks of unknowns, 288 bytes each: a chain of 100 000 links takes 800 000.
pub const COUPLINGS: usize = 1_000_000;

/// Products of blocks in the elimination of the unknowns; every step takes about a microsecond for ten of them. A
/// vehicle of 42 parts takes 1000, a flexible body of 500 modes 200 000.
pub const PRODUCTS: usize = 5_000_000;
