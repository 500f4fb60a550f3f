//! Control plane: a picture of red, green and blue, and flat drawing on it. Edges fade over one pixel.

use crate::letters;
use crate::scene::Color;

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Row by row from the upper left corner.
    pub pixels: Vec<Color>,
}

/// Which end of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left one.
    Left,
    /// The middle.
    Middle,
    /// The right one.
    Right,
}

impl Picture {
    /// A picture of one colour.
    pub fn new(width: usize, height: usize, color: Color) -> Self {
        Picture {
            width,
            height,
            pixels: vec![color; width * height],
        }
    }

    /// A pixel mixed with a colour.
    fn blend(&mut self, k: usize, color: Color, part: f64) {
        let pixel = &mut self.pixels[k];
        for c in 0..3 {
            let (old, new) = (f64::from(pixel[c]), f64::from(color[c]));
            pixel[c] = (old + (new - old) * part).round() as u8;
        }
    }

    /// A line with round ends.
    pub fn line(&mut self, points: &[[f64; 2]], width: f64, color: Color) {
        let radius = 0.5 * width;
        let reach = radius + 1.0;
        let finite = |p: &[f64; 2]| p.iter().all(|x| x.abs() < 1e6);
        let pairs = || points.windows(2).filter(|pair| pair.iter().all(finite));
        // the box around it; where pieces meet, the nearest one counts
        let (mut least, mut most) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for p in pairs().flatten() {
            for k in 0..2 {
                least[k] = least[k].min(p[k] - reach);
                most[k] = most[k].max(p[k] + reach);
            }
        }
        let range = |k: usize, end: usize| {
            let from = least[k].floor().clamp(0.0, end as f64) as usize;
            from..(most[k].ceil().clamp(0.0, end as f64) as usize)
        };
        for row in range(1, self.height) {
            for column in range(0, self.width) {
                let at = [column as f64 + 0.5, row as f64 + 0.5];
                let nearest = pairs()
                    .map(|pair| distance(at, pair[0], pair[1]))
                    .fold(f64::INFINITY, f64::min);
                let cover = (radius + 0.5 - nearest).clamp(0.0, 1.0);
                if cover > 0.0 {
                    self.blend(row * self.width + column, color, cover);
                }
            }
        }
    }

    /// A rectangle: left, top, width, height; its edges may be between pixels.
    pub fn rectangle(&mut self, [x, y, w, h]: [f64; 4], color: Color, opacity: f64) {
        let cover =
            |k: usize, from: f64, to: f64| (to.min(k as f64 + 1.0) - from.max(k as f64)).max(0.0);
        let range = |from: f64, to: f64, end: usize| {
            let first = from.floor().clamp(0.0, end as f64) as usize;
            first..(to.ceil().clamp(0.0, end as f64) as usize)
        };
        for row in range(y, y + h, self.height) {
            for column in range(x, x + w, self.width) {
                let part = cover(row, y, y + h) * cover(column, x, x + w);
                self.blend(row * self.width + column, color, part * opacity);
            }
        }
    }

    /// Puts a picture, its upper left corner at a pixel; what does not fit is left out.
    pub fn paste(&mut self, other: &Picture, [left, top]: [usize; 2]) {
        let width = other.width.min(self.width.saturating_sub(left));
        for row in 0..other.height.min(self.height.saturating_sub(top)) {
            let (to, from) = ((top + row) * self.width + left, row * other.width);
            self.pixels[to..to + width].copy_from_slice(&other.pixels[from..from + width]);
        }
    }

    /// A text of a size in pixels, on its baseline; returns its width.
    pub fn text(
        &mut self,
        text: &str,
        [x, y]: [f64; 2],
        size: f64,
        color: Color,
        anchor: Anchor,
    ) -> f64 {
        let (strokes, width) = letters::strokes(text, size);
        let left = match anchor {
            Anchor::Left => x,
            Anchor::Middle => x - 0.5 * width,
            Anchor::Right => x - width,
        };
        for stroke in &strokes {
            let moved: Vec<[f64; 2]> = stroke.iter().map(|p| [left + p[0], y + p[1]]).collect();
            self.line(&moved, (0.09 * size).max(1.15), color);
        }
        width
    }
}

/// From a point to a segment.
fn distance(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let (x, y) = (p[0] - a[0], p[1] - a[1]);
    let along = ((x * dx + y * dy) / (dx * dx + dy * dy).max(1e-12)).clamp(0.0, 1.0);
    let (x, y) = (x - along * dx, y - along * dy);
    (x * x + y * y).sqrt()
}
