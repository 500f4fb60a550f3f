//! Control plane: a sheet as a PNG. A line is drawn as a disc that moves along a segment; its edge fades over one pixel.

use png::{BitDepth, ColorType, Encoder, EncodingError, Filter};

use super::sheet::{Anchor, Item, Sheet};
use crate::slave::Failure;
use fixstep_pictures::letters;

/// Pixels per unit of the sheet.
const SCALE: f64 = 2.0;

/// A picture of red, green and blue.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

/// The file.
pub(super) fn write(sheet: &Sheet) -> Result<Vec<u8>, Failure> {
    let [width, height] = sheet.size.map(|s| (s * SCALE).ceil() as usize);
    let mut canvas = Canvas {
        width,
        height,
        pixels: vec![[255; 3]; width * height],
    };
    for item in &sheet.items {
        canvas.draw(item);
    }
    canvas
        .encode()
        .map_err(|error| Failure(format!("PNG: {error}")))
}

impl Canvas {
    fn draw(&mut self, item: &Item) {
        match item {
            Item::Strokes {
                lines,
                width,
                color,
            } => {
                for line in lines {
                    self.line(line, [0.0, 0.0], *width, *color);
                }
            }
            Item::Disc {
                at,
                radius,
                fill,
                rim,
            } => {
                self.segment(*at, *at, 2.0 * radius + 1.6, *rim);
                self.segment(*at, *at, 2.0 * radius - 1.6, *fill);
            }
            Item::Rectangle {
                at: [x, y],
                size: [w, h],
                fill,
            } => {
                let edge = |a: f64, most: usize| ((a * SCALE).round().max(0.0) as usize).min(most);
                let (left, right) = (edge(*x, self.width), edge(x + w, self.width));
                for row in edge(*y, self.height)..edge(y + h, self.height) {
                    self.pixels[row * self.width + left..row * self.width + right].fill(*fill);
                }
            }
            Item::Text {
                at: [x, y],
                size,
                color,
                bold,
                anchor,
                text,
            } => {
                let (lines, width) = letters::strokes(text, *size);
                let left = if *anchor == Anchor::Right {
                    x - width
                } else {
                    *x
                };
                let stroke = size * if *bold { 0.115 } else { 0.085 };
                for line in &lines {
                    self.line(line, [left, *y], stroke, *color);
                }
            }
        }
    }

    fn line(&mut self, line: &[[f64; 2]], by: [f64; 2], width: f64, color: [u8; 3]) {
        let moved = |p: &[f64; 2]| [p[0] + by[0], p[1] + by[1]];
        for pair in line.windows(2) {
            self.segment(moved(&pair[0]), moved(&pair[1]), width, color);
        }
    }

    /// A segment with round ends.
    fn segment(&mut self, from: [f64; 2], to: [f64; 2], width: f64, color: [u8; 3]) {
        let [a, b] = [from, to].map(|p| p.map(|x| x * SCALE));
        let radius = 0.5 * width * SCALE;
        let reach = radius + 1.0;
        let range = |k: usize, most: usize| {
            let least = (a[k].min(b[k]) - reach).floor().max(0.0) as usize;
            let end = (a[k].max(b[k]) + reach).ceil().max(0.0) as usize;
            least..end.min(most)
        };
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let square = (dx * dx + dy * dy).max(1e-12);
        for row in range(1, self.height) {
            for column in range(0, self.width) {
                let (x, y) = (column as f64 + 0.5 - a[0], row as f64 + 0.5 - a[1]);
                let along = ((x * dx + y * dy) / square).clamp(0.0, 1.0);
                let (x, y) = (x - along * dx, y - along * dy);
                let cover = (radius + 0.5 - (x * x + y * y).sqrt()).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let pixel = &mut self.pixels[row * self.width + column];
                    for c in 0..3 {
                        let (old, new) = (f64::from(pixel[c]), f64::from(color[c]));
                        pixel[c] = (old + (new - old) * cover).round() as u8;
                    }
                }
            }
        }
    }

    /// The file: eight bits for each colour, every row as the differences from the pixel to the left.
    fn encode(&self) -> Result<Vec<u8>, EncodingError> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_filter(Filter::Sub);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(file)
    }
}
