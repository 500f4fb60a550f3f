//! Control plane: a film as GIF. Each picture holds only what differs from the one before.

use std::borrow::Cow;
use std::io::Write;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::{FileError, Palette, same_size};
use crate::picture::Picture;

/// A GIF, picture by picture; it repeats without end.
pub struct Gif<W: Write> {
    encoder: Encoder<W>,
    palette: Palette,
    size: [usize; 2],
    /// The picture before, in numbers of colours.
    shown: Vec<u8>,
    /// Of a pixel that stays as it is.
    clear: u8,
    /// Hundredths of a second: the end of each picture is rounded, so that the film keeps its length.
    each: f64,
    written: usize,
}

impl<W: Write> Gif<W> {
    /// Of a size, each picture shown for a time \[ms\]. Colours beyond the first 255 of the palette are left out: one
    /// number stands for "as before".
    pub fn new(out: W, size: [usize; 2], palette: Palette, each: f64) -> Result<Self, FileError> {
        let sixteen = |n: usize| u16::try_from(n).ok().filter(|&n| n > 0);
        let (Some(width), Some(height)) = (sixteen(size[0]), sixteen(size[1])) else {
            return Err(FileError::GifSize(size[0], size[1]));
        };
        let palette = palette.shortened(255);
        let clear = palette.colors().len() as u8;
        let mut table = palette.colors().as_flattened().to_vec();
        table.extend([0; 3]);
        let mut encoder = Encoder::new(out, width, height, &table)?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Gif {
            encoder,
            palette,
            size,
            shown: Vec::new(),
            clear,
            each: each / 10.0,
            written: 0,
        })
    }

    /// The next picture.
    pub fn push(&mut self, picture: &Picture) -> Result<(), FileError> {
        same_size(picture, self.size)?;
        let numbers: Vec<u8> = picture
            .pixels
            .iter()
            .map(|c| self.palette.nearest(*c))
            .collect();
        let [left, top, right, below] = self.changed(&numbers);
        let width = self.size[0];
        let mut buffer = Vec::with_capacity((right - left) * (below - top));
        for row in top..below {
            for k in row * width + left..row * width + right {
                let same = self.shown.get(k) == Some(&numbers[k]);
                buffer.push(if same { self.clear } else { numbers[k] });
            }
        }
        let end = |k: usize| (self.each * k as f64).round();
        let delay = (end(self.written + 1) - end(self.written)).clamp(0.0, 65_535.0) as u16;
        self.encoder.write_frame(&Frame {
            delay,
            dispose: DisposalMethod::Keep,
            transparent: Some(self.clear),
            left: left as u16,
            top: top as u16,
            width: (right - left) as u16,
            height: (below - top) as u16,
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        })?;
        self.shown = numbers;
        self.written += 1;
        Ok(())
    }

    /// The box around what differs from the picture before: left, top, right, below; at least a pixel.
    fn changed(&self, numbers: &[u8]) -> [usize; 4] {
        let [width, height] = self.size;
        if self.shown.is_empty() {
            return [0, 0, width, height];
        }
        let mut around = [width, height, 0, 0];
        for (k, number) in numbers.iter().enumerate() {
            if self.shown[k] != *number {
                let (x, y) = (k % width, k / width);
                around = [
                    around[0].min(x),
                    around[1].min(y),
                    around[2].max(x + 1),
                    around[3].max(y + 1),
                ];
            }
        }
        if around[0] < around[2] {
            around
        } else {
            [0, 0, 1, 1]
        }
    }

    /// Ends the file.
    pub fn finish(self) -> Result<(), FileError> {
        self.encoder.into_inner()?.flush()?;
        Ok(())
    }
}
