//! Control plane: pictures and films as files: PNG, animated PNG, GIF, and plain pixels for another program.

mod gif_file;
mod palette;

use std::borrow::Cow;
use std::io::{self, Write};

use png::{BitDepth, ColorType, Encoder, Filter};

pub use gif_file::Gif;
pub use palette::Palette;

use crate::picture::Picture;
use crate::scene::Color;

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The place it goes to refuses it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// PNG.
    #[error("PNG: {0}")]
    Png(#[from] png::EncodingError),
    /// GIF.
    #[error("GIF: {0}")]
    Gif(#[from] gif::EncodingError),
    /// Pictures of a film differ in size.
    #[error(
        "a picture of {0} x {1} pixels in a film of {2} x {3}: all pictures of a film have one size"
    )]
    Size(usize, usize, usize, usize),
    /// No film.
    #[error("a picture of {0} x {1} pixels: a GIF has from 1 to 65535 in each direction")]
    GifSize(usize, usize),
    /// More or fewer pictures than announced.
    #[error("{0} pictures in a film that was announced with {1}")]
    Count(usize, usize),
}

fn encoder<W: Write>(out: W, [width, height]: [usize; 2]) -> Encoder<'static, W> {
    let mut encoder = Encoder::new(out, width as u32, height as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_filter(Filter::Adaptive);
    encoder
}

/// A picture as PNG.
pub fn png(picture: &Picture) -> Result<Vec<u8>, FileError> {
    let mut file = Vec::new();
    let mut writer = encoder(&mut file, [picture.width, picture.height]).write_header()?;
    writer.write_image_data(picture.pixels.as_flattened())?;
    writer.finish()?;
    Ok(file)
}

/// An animated PNG, picture by picture. It repeats without end; programs that know no animation show its first picture.
pub struct Apng<W: Write> {
    writer: png::Writer<W>,
    size: [usize; 2],
    announced: usize,
    written: usize,
    /// The picture before; a frame holds only the rectangle in which the next one differs.
    before: Vec<Color>,
}

impl<W: Write> Apng<W> {
    /// For a number of pictures of a size, each shown for a time \[ms\].
    pub fn new(out: W, size: [usize; 2], pictures: usize, each: u16) -> Result<Self, FileError> {
        let mut encoder = encoder(out, size);
        encoder.set_animated(pictures as u32, 0)?;
        encoder.set_frame_delay(each, 1000)?;
        Ok(Apng {
            writer: encoder.write_header()?,
            size,
            announced: pictures,
            written: 0,
            before: Vec::new(),
        })
    }

    /// The next picture.
    pub fn push(&mut self, picture: &Picture) -> Result<(), FileError> {
        same_size(picture, self.size)?;
        self.written += 1;
        if self.written > self.announced {
            return Err(FileError::Count(self.written, self.announced));
        }
        let [left, top, width, height] = changed(&self.before, picture);
        self.writer.reset_frame_position()?;
        self.writer
            .set_frame_dimension(width as u32, height as u32)?;
        self.writer.set_frame_position(left as u32, top as u32)?;
        let rows = (top..top + height).map(|row| {
            let from = row * picture.width + left;
            &picture.pixels[from..from + width]
        });
        let part: Vec<Color> = rows.flatten().copied().collect();
        self.writer.write_image_data(part.as_flattened())?;
        self.before.clone_from(&picture.pixels);
        Ok(())
    }

    /// Ends the file.
    pub fn finish(self) -> Result<(), FileError> {
        if self.written != self.announced {
            return Err(FileError::Count(self.written, self.announced));
        }
        self.writer.finish()?;
        Ok(())
    }
}

/// The rectangle in which a picture differs from the pixels before: left, top, width, height. All of a first picture; one
/// pixel of the same picture, since a frame has at least one.
fn changed(before: &[Color], picture: &Picture) -> [usize; 4] {
    let [width, height] = [picture.width, picture.height];
    if before.len() != picture.pixels.len() {
        return [0, 0, width, height];
    }
    let (mut least, mut most) = ([width, height], [0, 0]);
    let pairs = before.iter().zip(&picture.pixels).enumerate();
    for (k, _) in pairs.filter(|(_, (old, new))| old != new) {
        let at = [k % width, k / width];
        for axis in 0..2 {
            least[axis] = least[axis].min(at[axis]);
            most[axis] = most[axis].max(at[axis] + 1);
        }
    }
    if most == [0, 0] {
        return [0, 0, 1, 1];
    }
    [least[0], least[1], most[0] - least[0], most[1] - least[1]]
}

fn same_size(picture: &Picture, [width, height]: [usize; 2]) -> Result<(), FileError> {
    if [picture.width, picture.height] == [width, height] {
        Ok(())
    } else {
        Err(FileError::Size(
            picture.width,
            picture.height,
            width,
            height,
        ))
    }
}

/// The pixels of a picture, red, green and blue, row by row: what goes to a program that makes a video.
pub fn raw(picture: &Picture) -> &[u8] {
    picture.pixels.as_flattened()
}

/// What `ffmpeg` is called with so that it reads [`raw`] pictures of a size from its standard input and writes a video that
/// every player shows; `per_second` is the number of pictures. Width and height are even: the common kind of colour has one value
/// for four pixels.
pub fn ffmpeg([width, height]: [usize; 2], per_second: f64, path: &str) -> Vec<Cow<'static, str>> {
    let size = format!("{width}x{height}");
    let mut out: Vec<Cow<'static, str>> = [
        "-y",
        "-loglevel",
        "error",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
    ]
    .map(Cow::Borrowed)
    .to_vec();
    out.extend([
        size.into(),
        "-r".into(),
        per_second.to_string().into(),
        "-i".into(),
        "-".into(),
    ]);
    // Players take large videos for BT.709 and small ones for BT.601, unless the file says which it is.
    out.extend(
        [
            "-an",
            "-vf",
            "scale=out_color_matrix=bt709,setparams=color_primaries=bt709:color_trc=bt709",
            "-pix_fmt",
            "yuv420p",
            "-colorspace",
            "bt709",
            "-color_primaries",
            "bt709",
            "-color_trc",
            "bt709",
            "-movflags",
            "+faststart",
            "-f",
            "mp4",
        ]
        .map(Cow::Borrowed),
    );
    // a name that begins with a dash would be an option
    let file = if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_owned()
    };
    out.push(file.into());
    out
}
