//! Data plane, except for collecting: condenses the tiles of node frames onto the unknowns of their flexible bodies.
//!
//! To elements, a node frame looks like a body: it has a row of tiles for its loads, and three columns of tiles for
//! its pose, velocity and acceleration. These tiles are stored after those of the pattern. After assembly each of
//! them is multiplied by the frame's maps (FLX-6) and added to the tiles of the flexible body, whose modes form
//! blocks of six:
//!
//! ```text
//! A_rc += X_rᵀ (wx E_x X_c + E_u U_c + E_a A_c)                                  (FLX-8)
//! ```
//! Constraint rows are already scaled, so wx is 1 for them.

use crate::elements::flexible::frame::Maps;
use crate::elements::kinematics::Weights;
use crate::linalg::kernels::subtract_product;
use crate::linalg::lanes::Plain;
use crate::linalg::{BlockId, Pattern, PatternBuilder, Slot, TILE, Tile, TileMatrix, entry};
use crate::math::Mat3;
use crate::system::System;
use crate::workspace::{FlexibleWorkspace, Values};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// Columns of a node frame: pose, velocity, acceleration.
pub const KINDS: usize = 3;

/// What a row or column of tiles belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// A block of unknowns.
    Block(BlockId),
    /// A node frame.
    Frame(usize),
}

/// Tiles between two ends, at least one of which is a frame.
#[derive(Clone, Debug)]
struct Pair {
    row: End,
    column: End,
    /// By kind of column.
    tiles: [Option<Slot>; KINDS],
    /// Tiles between unknowns that receive them, by rows.
    targets: Vec<Slot>,
    /// Is one end a multiplier block?
    held: bool,
}

/// The tiles of node frames, and the tiles that they are condensed onto.
#[derive(Clone, Debug, Default)]
pub struct Condensation {
    /// Number of blocks of unknowns.
    blocks: usize,
    /// Tiles stored after those of the pattern, by row and column.
    slots: BTreeMap<(u32, u32), Slot>,
    pairs: Vec<Pair>,
    /// Number of frames.
    frames: usize,
}

/// Control plane: collects couplings of blocks and frames.
#[derive(Clone, Debug)]
pub struct Coupler {
    builder: PatternBuilder,
    blocks: usize,
    bodies: Vec<Vec<BlockId>>,
    extra: BTreeSet<(u32, u32)>,
}

impl Coupler {
    /// Starts from all blocks, with the blocks of each frame's body.
    pub fn new(builder: PatternBuilder, bodies: Vec<Vec<BlockId>>) -> Self {
        Self {
            blocks: builder.blocks(),
            builder,
            bodies,
            extra: BTreeSet::new(),
        }
    }

    /// The block that stands for a frame's loads and pose.
    pub fn frame(&self, frame: usize) -> BlockId {
        BlockId((self.blocks + KINDS * frame) as u32)
    }

    fn frame_of(&self, block: BlockId) -> Option<usize> {
        frame_of(self.blocks, block)
    }

    /// The blocks of unknowns that a block stands for.
    fn behind(&self, block: BlockId) -> Vec<BlockId> {
        match self.frame_of(block) {
            Some(frame) => self.bodies[frame].clone(),
            None => vec![block],
        }
    }

    /// How many blocks of unknowns a block stands for.
    pub fn width(&self, block: BlockId) -> usize {
        self.frame_of(block)
            .map_or(1, |frame| self.bodies[frame].len())
    }

    /// Couples all blocks of a body.
    pub fn join(&mut self, blocks: &[BlockId]) {
        for (k, a) in blocks.iter().enumerate() {
            for b in &blocks[..k] {
                self.builder.add_entry(*a, *b);
            }
        }
    }

    /// Couples a row and a column.
    pub fn couple(&mut self, row: BlockId, column: BlockId) {
        if self.frame_of(row).is_some() || self.frame_of(column).is_some() {
            self.extra.insert((row.0, column.0));
        }
        for r in self.behind(row) {
            for c in self.behind(column) {
                self.builder.add_entry(r, c);
            }
        }
    }

    /// The pattern of the unknowns, and the tiles of frames; `multiplier` tells which blocks hold multipliers.
    pub fn build(self, multiplier: &dyn Fn(BlockId) -> bool) -> (Pattern, Condensation) {
        let end =
            |block: BlockId| frame_of(self.blocks, block).map_or(End::Block(block), End::Frame);
        let mut pairs: BTreeMap<(End, End), [Option<Slot>; KINDS]> = BTreeMap::new();
        let pattern = self.builder.build();
        let mut slots = BTreeMap::new();
        let mut extra = self.extra.clone();
        // The tangent of a load on a frame also changes with the deformation, (FLX-7).
        let loaded = self.extra.iter().map(|(row, _)| *row);
        let loaded = loaded.filter(|row| frame_of(self.blocks, BlockId(*row)).is_some());
        extra.extend(loaded.map(|row| (row, row)));
        for (n, (row, column)) in extra.iter().enumerate() {
            let slot = Slot((pattern.tiles() + n) as u32);
            slots.insert((*row, *column), slot);
            let ends = (end(BlockId(*row)), end(BlockId(*column)));
            let kind = match ends.1 {
                End::Frame(_) => (*column as usize - self.blocks) % KINDS,
                End::Block(_) => 0,
            };
            pairs.entry(ends).or_default()[kind] = Some(slot);
        }
        let behind = |end: End| match end {
            End::Frame(frame) => self.bodies[frame].clone(),
            End::Block(block) => vec![block],
        };
        let pair = |((row, column), tiles): ((End, End), [Option<Slot>; KINDS])| {
            let columns = behind(column);
            let of_row = |r: BlockId| columns.iter().map(|c| (r, *c)).collect::<Vec<_>>();
            let places = behind(row).into_iter().flat_map(of_row);
            Pair {
                row,
                column,
                tiles,
                targets: places.filter_map(|(r, c)| pattern.slot(r, c)).collect(),
                held: [row, column]
                    .iter()
                    .any(|end| matches!(end, End::Block(b) if multiplier(*b))),
            }
        };
        let condensation = Condensation {
            blocks: self.blocks,
            slots,
            pairs: pairs.into_iter().map(pair).collect(),
            frames: self.bodies.len(),
        };
        (pattern, condensation)
    }
}

fn frame_of(blocks: usize, block: BlockId) -> Option<usize> {
    block.index().checked_sub(blocks).map(|n| n / KINDS)
}

impl Condensation {
    /// The tile of a row and a column.
    pub fn find(&self, pattern: &Pattern, row: BlockId, column: BlockId) -> Option<Slot> {
        if self.is_frame(row) || self.is_frame(column) {
            self.slots.get(&(row.0, column.0)).copied()
        } else {
            pattern.slot(row, column)
        }
    }

    /// Is a block a frame's?
    pub fn is_frame(&self, block: BlockId) -> bool {
        block.index() >= self.blocks
    }

    /// Number of tiles stored after those of the pattern.
    pub fn tiles(&self) -> usize {
        self.slots.len()
    }

    /// Length of a padded vector including the rows of frames.
    pub fn padded(&self) -> usize {
        (self.blocks + KINDS * self.frames) * TILE
    }
}

/// Scratch for a pass over the tiles of frames.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// −E X by blocks of columns.
    columns: Vec<Tile>,
    /// Xᵀ by blocks of rows.
    rows: Vec<Tile>,
}

impl Scratch {
    /// Control plane: for bodies of at most this many modes.
    pub fn new(modes: usize) -> Self {
        let tiles = vec![EMPTY; 1 + modes.div_ceil(TILE)];
        Self {
            columns: tiles.clone(),
            rows: tiles,
        }
    }
}

const EMPTY: Tile = [0.0; TILE * TILE];

/// A map as tiles, one for each block of unknowns.
fn tiles(maps: &Maps, kind: usize) -> &[Tile] {
    let flat = maps.columns[kind].as_flattened();
    flat.as_chunks::<{ TILE * TILE }>().0
}

/// C −= A B.
fn subtract(c: &mut Tile, a: &Tile, b: &Tile) {
    subtract_product::<Plain<false>>(c, a, b, TILE, TILE);
}

/// Condenses the tiles of frames onto those of the unknowns, (FLX-8). The maps must belong to the same weights;
/// `bent` adds (FLX-7), the change of loads with the shapes, in the rows and columns of the modes.
pub fn condense(
    system: &System,
    ws: &mut Values,
    matrix: &mut TileMatrix,
    weights: &Weights,
    bent: bool,
) {
    let FlexibleWorkspace {
        maps: of_frames,
        load_tangents,
        tile_scratch: scratch,
        ..
    } = &mut ws.flexible;
    for pair in &system.tiles.pairs {
        let wx = if pair.held { 1.0 } else { weights.x };
        let across = match pair.column {
            End::Frame(f) => columns(pair, matrix, &of_frames[f], wx, &mut scratch.columns),
            End::Block(_) => {
                let slot = pair.tiles[0];
                scratch.columns[0] = slot.map_or(EMPTY, |slot| matrix.tile(slot).map(|x| -x));
                1
            }
        };
        let columns = &mut scratch.columns[..across];
        let End::Frame(f) = pair.row else {
            for (slot, column) in pair.targets.iter().zip(columns) {
                for (to, x) in matrix.tile_mut(*slot).iter_mut().zip(column) {
                    *to -= *x;
                }
            }
            continue;
        };
        let maps = tiles(&of_frames[f], 0);
        for (row, map) in scratch.rows.iter_mut().zip(maps) {
            *row = transposed(map);
        }
        for (r, (row, targets)) in scratch
            .rows
            .iter()
            .zip(pair.targets.chunks_exact(across))
            .enumerate()
        {
            if r == 1 && bent && pair.column == pair.row {
                modal_tangent(system, &load_tangents[f], f, &mut columns[1..]);
            }
            for (slot, column) in targets.iter().zip(columns.iter()) {
                subtract(matrix.tile_mut(*slot), row, column);
            }
        }
    }
}

/// −(wx E_x X + E_u U + E_a A) by blocks of columns; returns their number.
fn columns(pair: &Pair, matrix: &TileMatrix, maps: &Maps, wx: f64, out: &mut [Tile]) -> usize {
    let count = tiles(maps, 0).len();
    out[..count].fill(EMPTY);
    for (kind, slot) in pair.tiles.iter().enumerate() {
        let Some(slot) = slot else { continue };
        let factor = if kind == 0 { wx } else { 1.0 };
        let tile = matrix.tile(*slot).map(|x| x * factor);
        for (out, map) in out.iter_mut().zip(tiles(maps, kind)) {
            subtract(out, &tile, map);
        }
    }
    count
}

/// Adds −B ψ to the rows of rotation, so that (R T ψ)ᵀ maps it to the rows of the modes.
fn modal_tangent(system: &System, change: &Mat3, frame: usize, columns: &mut [Tile]) {
    let entry = &system.frames[frame];
    let modes = system.flexibles[entry.flexible].element.modes;
    let columns = columns.as_flattened_mut().as_chunks_mut::<TILE>().0;
    for (j, column) in columns[..modes].iter_mut().enumerate() {
        let bent = change * entry.element.turn(j);
        for c in 0..3 {
            column[3 + c] -= bent[c];
        }
    }
}

fn transposed(tile: &Tile) -> Tile {
    let mut out = EMPTY;
    for c in 0..TILE {
        for r in 0..TILE {
            out[entry(c, r)] = tile[entry(r, c)];
        }
    }
    out
}
