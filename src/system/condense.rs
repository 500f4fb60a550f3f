//! Data plane, but for collecting: the tiles of frames on flexible bodies, and how they are taken back to the bodies' unknowns.
//!
//! Elements see the frame of a node as a body of its own: a row of tiles for its loads, three columns for
//! its pose, its velocity and its acceleration. These tiles stand behind those of the pattern. After
//! assembly every one of them is multiplied by the frame's maps (FLX-6) and added to the tiles of the flexible
//! body, its modes cut into blocks of six:
//!
//! ```text
//! A_rc += X_rᵀ (wx E_x X_c + E_u U_c + E_a A_c)                                  (FLX-8)
//! ```
//! The rows of constraints are scaled already, so there wx is 1.

use crate::elements::flexible::frame::Maps;
use crate::elements::kinematics::Weights;
use crate::linalg::{BlockId, Pattern, PatternBuilder, Slot, TILE, Tile, TileMatrix, entry};
use crate::system::System;
use crate::workspace::Workspace;
use std::collections::{BTreeMap, BTreeSet};

/// Columns of a frame: pose, velocity, acceleration.
pub const KINDS: usize = 3;

/// A row or column of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// A block of unknowns.
    Block(BlockId),
    /// A frame.
    Frame(usize),
}

/// Tiles between two ends of which one at least is a frame.
#[derive(Clone, Debug)]
struct Pair {
    row: End,
    column: End,
    /// By kinds of column.
    tiles: [Option<Slot>; KINDS],
    /// Tiles of the unknowns, by rows.
    targets: Vec<Slot>,
    /// Is one of the ends a multiplier's?
    held: bool,
}

/// The tiles of frames.
#[derive(Clone, Debug, Default)]
pub struct Condensation {
    /// Blocks of unknowns.
    blocks: usize,
    /// Tiles behind those of the pattern, by row and column.
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
    /// Starts from all blocks, with the blocks of the body of each frame.
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

    /// The blocks of unknowns behind a block.
    fn behind(&self, block: BlockId) -> Vec<BlockId> {
        match self.frame_of(block) {
            Some(frame) => self.bodies[frame].clone(),
            None => vec![block],
        }
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

    /// The pattern of the unknowns, and the tiles of frames; `multiplier` says which blocks are multipliers'.
    pub fn build(self, multiplier: &dyn Fn(BlockId) -> bool) -> (Pattern, Condensation) {
        let end =
            |block: BlockId| frame_of(self.blocks, block).map_or(End::Block(block), End::Frame);
        let mut pairs: BTreeMap<(End, End), [Option<Slot>; KINDS]> = BTreeMap::new();
        let pattern = self.builder.build();
        let mut slots = BTreeMap::new();
        for (n, (row, column)) in self.extra.iter().enumerate() {
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

    /// Number of tiles behind those of the pattern.
    pub fn tiles(&self) -> usize {
        self.slots.len()
    }

    /// Length of a padded vector with the rows of frames.
    pub fn padded(&self) -> usize {
        (self.blocks + KINDS * self.frames) * TILE
    }
}

/// A row of six by the unknowns of a flexible body.
struct Spread<'a> {
    maps: &'a Maps,
    modes: usize,
}

impl Spread<'_> {
    /// Adds `factor · row · map` of a kind to the body's six and to its modes.
    fn add(&self, row: &[f64; TILE], kind: usize, factor: f64, out: &mut [f64]) {
        let block = &self.maps.rigid[kind];
        for (r, x) in row.iter().enumerate() {
            let x = x * factor;
            for c in 0..6 {
                out[c] += x * block[r][c];
            }
        }
        let modal = &self.maps.modal[kind];
        for (out, column) in out[6..].iter_mut().zip(modal) {
            let mut sum = 0.0;
            for (x, y) in row.iter().zip(column) {
                sum += x * y;
            }
            *out += sum * factor;
        }
    }

    fn width(&self) -> usize {
        6 + self.modes
    }
}

/// Takes the tiles of frames to those of the unknowns, (FLX-8). The maps must be those of the weights.
pub fn condense(system: &System, ws: &mut Workspace, matrix: &mut TileMatrix, weights: &Weights) {
    let mut spread = std::mem::take(&mut ws.soft.spread);
    for pair in &system.tiles.pairs {
        let wx = if pair.held { 1.0 } else { weights.x };
        match (pair.row, pair.column) {
            (End::Block(_), End::Frame(f)) => {
                let map = map_of(system, ws, f);
                columns(pair, matrix, &map, wx, &mut spread);
                scatter(pair, matrix, (TILE, map.width()), &spread);
            }
            (End::Frame(f), End::Block(_)) => {
                let map = map_of(system, ws, f);
                let Some(slot) = pair.tiles[0] else { continue };
                let tile = *matrix.tile(slot);
                rows_of_tile(&tile, &map, &mut spread);
                scatter(pair, matrix, (map.width(), TILE), &spread);
            }
            (End::Frame(f), End::Frame(g)) => {
                let (left, right) = (map_of(system, ws, f), map_of(system, ws, g));
                columns(pair, matrix, &right, wx, &mut spread);
                both(&left, right.width(), &mut spread);
                scatter(pair, matrix, (left.width(), right.width()), &spread);
            }
            (End::Block(_), End::Block(_)) => {}
        }
    }
    ws.soft.spread = spread;
}

fn map_of<'a>(system: &System, ws: &'a Workspace, frame: usize) -> Spread<'a> {
    let body = system.frames[frame].flexible;
    Spread {
        maps: &ws.soft.maps[frame],
        modes: system.flexibles[body].element.modes,
    }
}

/// What a pass over the tiles of frames needs.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Six rows by the columns of a body.
    six: Vec<f64>,
    /// Rows by columns of a pair.
    all: Vec<f64>,
}

impl Scratch {
    /// Control plane: for bodies of at most so many modes.
    pub fn new(modes: usize) -> Self {
        let width = 6 + modes;
        Self {
            six: vec![0.0; 6 * width],
            all: vec![0.0; width * width],
        }
    }
}

/// The six rows of a pair by its columns' unknowns, into `six`, and into `all` as well.
fn columns(pair: &Pair, matrix: &TileMatrix, map: &Spread<'_>, wx: f64, scratch: &mut Scratch) {
    let width = map.width();
    scratch.six[..TILE * width].fill(0.0);
    for (kind, slot) in pair.tiles.iter().enumerate() {
        let Some(slot) = slot else { continue };
        let tile = matrix.tile(*slot);
        let factor = if kind == 0 { wx } else { 1.0 };
        for r in 0..TILE {
            let row = std::array::from_fn(|c| tile[entry(r, c)]);
            let out = &mut scratch.six[r * width..(r + 1) * width];
            map.add(&row, kind, factor, out);
        }
    }
    let all = &mut scratch.all[..TILE * width];
    all.copy_from_slice(&scratch.six[..TILE * width]);
}

/// Xᵀ times a tile, into `all`.
fn rows_of_tile(tile: &Tile, map: &Spread<'_>, scratch: &mut Scratch) {
    let width = map.width();
    scratch.all[..width * TILE].fill(0.0);
    let mut line = std::mem::take(&mut scratch.six);
    for c in 0..TILE {
        let column = std::array::from_fn(|r| tile[entry(r, c)]);
        line[..width].fill(0.0);
        map.add(&column, 0, 1.0, &mut line[..width]);
        for (r, x) in line[..width].iter().enumerate() {
            scratch.all[r * TILE + c] = *x;
        }
    }
    scratch.six = line;
}

/// Xᵀ times the six rows, into `all`.
fn both(map: &Spread<'_>, width: usize, scratch: &mut Scratch) {
    let rows = map.width();
    scratch.all[..rows * width].fill(0.0);
    let block = &map.maps.rigid[0];
    let modal = &map.maps.modal[0];
    for r in 0..rows {
        let out = &mut scratch.all[r * width..(r + 1) * width];
        for n in 0..TILE {
            let x = if r < 6 { block[n][r] } else { modal[r - 6][n] };
            let six = &scratch.six[n * width..(n + 1) * width];
            for (out, y) in out.iter_mut().zip(six) {
                *out += x * y;
            }
        }
    }
}

/// Adds `all` to the tiles of the unknowns.
fn scatter(
    pair: &Pair,
    matrix: &mut TileMatrix,
    (rows, columns): (usize, usize),
    scratch: &Scratch,
) {
    let across = columns.div_ceil(TILE);
    for (n, slot) in pair.targets.iter().enumerate() {
        let (r0, c0) = (TILE * (n / across), TILE * (n % across));
        let tile = matrix.tile_mut(*slot);
        for c in 0..TILE.min(columns - c0) {
            for r in 0..TILE.min(rows - r0) {
                tile[entry(r, c)] += scratch.all[(r0 + r) * columns + c0 + c];
            }
        }
    }
}
