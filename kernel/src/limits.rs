//! Control plane: the limits of what a mechanism may hold, in one place.
//!
//! They keep a broken or hostile file from taking all memory or all time; none of them is near what a real
//! mechanism needs. docs/model-format.md lists them for users; what goes beyond one is refused by name.

/// Entries of a list of entities (parts, joints, outputs, …): a thousand times a large vehicle.
pub const LIST_ENTRIES: usize = 100_000;

/// Values in a model: a grid of 2000 × 2000 heights.
pub const MODEL_VALUES: usize = 4_000_000;

/// A named text, in bytes: a line of a log.
pub const TEXT_BYTES: usize = 1000;

/// Intermediate results of an expression with its derivatives: what 16 bits count.
pub const EXPRESSION_REGISTERS: usize = 65_536;

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
