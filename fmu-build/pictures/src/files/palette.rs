//! Control plane: the 256 colours of a film, chosen from some of its pictures by cutting the cube of colours at medians
//! (Heckbert 1982).

use std::collections::BTreeMap;

use crate::picture::Picture;
use crate::scene::Color;

/// Bits of a colour's parts that are told apart.
const BITS: u32 = 5;
/// Cells of the cube of colours.
const CELLS: usize = 1 << (3 * BITS);

/// The colours of a film.
pub struct Palette {
    colors: Vec<Color>,
    /// The number of the nearest colour of each cell, as far as it has been asked for.
    nearest: Vec<Option<u8>>,
}

/// Pixels that fall into a cell: how many, and the sum of their colours.
type Cell = (u64, [u64; 3]);

impl Palette {
    /// From pictures that show all that the film shows, with at most so many colours (from 2 to 256).
    pub fn of<'a>(pictures: impl IntoIterator<Item = &'a Picture>, most: usize) -> Self {
        let mut cells: BTreeMap<usize, Cell> = BTreeMap::new();
        for picture in pictures {
            for color in &picture.pixels {
                let cell = cells.entry(cell(*color)).or_default();
                cell.0 += 1;
                for k in 0..3 {
                    cell.1[k] += u64::from(color[k]);
                }
            }
        }
        let colors = cut(cells.into_values().collect(), most.clamp(2, 256));
        Palette {
            colors,
            nearest: vec![None; CELLS],
        }
    }

    /// With at most so many of its colours.
    pub(super) fn shortened(mut self, most: usize) -> Self {
        self.colors.truncate(most);
        self.nearest.fill(None);
        self
    }

    /// Its colours.
    pub fn colors(&self) -> &[Color] {
        &self.colors
    }

    /// The number of the colour that is nearest to one.
    pub fn nearest(&mut self, color: Color) -> u8 {
        let cell = cell(color);
        if let Some(known) = self.nearest[cell] {
            return known;
        }
        // of the middle of the cell, so that the order of questions does not matter
        let shift = 3 * BITS;
        let middle = [0, 1, 2].map(|k| {
            let part = (cell >> (shift - BITS * (k + 1))) & ((1 << BITS) - 1);
            (part << (8 - BITS)) as i64 + (1 << (7 - BITS))
        });
        let distance = |c: &Color| {
            let part = |k: usize| (i64::from(c[k]) - middle[k]) * (i64::from(c[k]) - middle[k]);
            // the eye sees green best and blue least
            3 * part(0) + 4 * part(1) + 2 * part(2)
        };
        let found = self
            .colors
            .iter()
            .enumerate()
            .min_by_key(|(k, c)| (distance(c), *k));
        let number = found.map_or(0, |(k, _)| k as u8);
        self.nearest[cell] = Some(number);
        number
    }
}

fn cell(color: Color) -> usize {
    color
        .iter()
        .fold(0, |all, c| all << BITS | usize::from(c >> (8 - BITS)))
}

fn mean((count, sum): &Cell) -> Color {
    sum.map(|s| ((s + count / 2) / (*count).max(1)) as u8)
}

/// How much a box of cells errs if it is one colour, and along which part of the colour most.
fn error(cells: &[Cell]) -> (u64, usize) {
    let total: u64 = cells.iter().map(|cell| cell.0).sum();
    let spread = [0, 1, 2].map(|k| {
        let middle = cells.iter().map(|cell| cell.1[k]).sum::<u64>() as f64 / total.max(1) as f64;
        let square = |cell: &Cell| {
            let off = cell.1[k] as f64 / cell.0 as f64 - middle;
            // few pixels of a rare colour still count: a thin red arrow stays red
            (cell.0 as f64).sqrt() * off * off
        };
        (cells.iter().map(square).sum::<f64>() * [3.0, 4.0, 2.0][k]) as u64
    });
    let widest = (0..3).max_by_key(|&k| (spread[k], 2 - k)).unwrap_or(0);
    (spread.iter().sum(), widest)
}

/// Splits the worst box until there are enough.
fn cut(cells: Vec<Cell>, most: usize) -> Vec<Color> {
    let first = error(&cells);
    let mut boxes = vec![(first, cells)];
    while boxes.len() < most {
        let worst = (0..boxes.len()).max_by_key(|&k| (boxes[k].0.0, boxes.len() - k));
        let Some(worst) = worst.filter(|&k| boxes[k].0.0 > 0 && boxes[k].1.len() > 1) else {
            break;
        };
        let ((_, axis), mut cells) = boxes.swap_remove(worst);
        cells.sort_by(|a, b| {
            let (x, y) = (a.1[axis] * b.0, b.1[axis] * a.0);
            x.cmp(&y).then_with(|| mean(a).cmp(&mean(b)))
        });
        let at = split(&cells, axis);
        let rest = cells.split_off(at);
        for part in [cells, rest] {
            boxes.push((error(&part), part));
        }
    }
    let mut colors: Vec<Color> = boxes
        .iter()
        .filter(|(_, cells)| !cells.is_empty())
        .map(|(_, cells)| {
            let sum = cells.iter().fold((0, [0; 3]), |(n, s), cell| {
                (n + cell.0, [0, 1, 2].map(|k| s[k] + cell.1[k]))
            });
            mean(&sum)
        })
        .collect();
    colors.sort_unstable();
    colors.dedup();
    colors
}

/// Where a sorted box is cut: between the cells on either side of the mean, weighted as errors are.
fn split(cells: &[Cell], axis: usize) -> usize {
    let weight = |cell: &Cell| (cell.0 as f64).sqrt();
    let value = |cell: &Cell| cell.1[axis] as f64 / cell.0 as f64;
    let total: f64 = cells.iter().map(weight).sum();
    let middle = cells
        .iter()
        .map(|cell| weight(cell) * value(cell))
        .sum::<f64>()
        / total;
    cells
        .partition_point(|cell| value(cell) < middle)
        .clamp(1, cells.len() - 1)
}
