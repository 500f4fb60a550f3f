//! Files of pictures and films, read back.

use std::io::Cursor;

use fixstep_pictures::camera::{Framing, View};
use fixstep_pictures::files::{self, Apng, FileError, Gif, Palette};
use fixstep_pictures::motion::Extent;
use fixstep_pictures::picture::Picture;
use fixstep_pictures::render::{Look, Renderer};

use crate::synthetic;

const SIZE: [usize; 2] = [160, 90];

fn pictures() -> Vec<Picture> {
    let scene = synthetic::scene();
    let film = synthetic::film(7, 1.5);
    let framing = Framing::new(View::Corner, scene.up, 16.0 / 9.0);
    let camera = framing.around(&Extent::of(&scene).points(&film[0]));
    let [width, height] = SIZE;
    let renderer = Renderer::new(
        &scene,
        &film,
        Look {
            width,
            height,
            ..Look::default()
        },
    );
    film.iter()
        .map(|frame| renderer.draw(frame, &camera))
        .collect()
}

#[test]
fn a_png_is_the_picture() {
    let picture = &pictures()[3];
    let bytes = files::png(picture).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!([info.width as usize, info.height as usize], SIZE);
    assert_eq!(pixels, files::raw(picture));
}

#[test]
fn an_apng_is_the_film() {
    let pictures = pictures();
    let mut bytes = Vec::new();
    let mut apng = Apng::new(&mut bytes, SIZE, pictures.len(), 40).unwrap();
    for picture in &pictures {
        apng.push(picture).unwrap();
    }
    assert!(matches!(
        apng.push(&pictures[0]),
        Err(FileError::Count(8, 7))
    ));
    let mut bytes = Vec::new();
    let mut apng = Apng::new(&mut bytes, SIZE, pictures.len(), 40).unwrap();
    for picture in &pictures {
        apng.push(picture).unwrap();
    }
    apng.finish().unwrap();
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    assert_eq!(reader.info().animation_control.unwrap().num_frames, 7);
    let (mut shown, mut written) = (vec![0; 3 * SIZE[0] * SIZE[1]], 0);
    for picture in &pictures {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let control = reader.info().frame_control.unwrap();
        assert_eq!((control.delay_num, control.delay_den), (40, 1000));
        // A frame is the rectangle that differs.
        let [x, y, w, h] = [
            control.x_offset,
            control.y_offset,
            control.width,
            control.height,
        ];
        let wide = 3 * w as usize;
        for row in 0..h as usize {
            let to = 3 * ((y as usize + row) * SIZE[0] + x as usize);
            shown[to..to + wide].copy_from_slice(&pixels[row * wide..(row + 1) * wide]);
        }
        written += w * h;
        assert_eq!(shown, files::raw(picture));
    }
    let whole = (7 * SIZE[0] * SIZE[1]) as u32;
    assert!(written < whole, "{written} of {whole} pixels");
    let mut short = Vec::new();
    let apng = Apng::new(&mut short, SIZE, 2, 40).unwrap();
    assert!(matches!(apng.finish(), Err(FileError::Count(0, 2))));
}

fn gif_of(pictures: &[Picture], each: f64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut gif = Gif::new(&mut bytes, SIZE, Palette::of(pictures, 255), each).unwrap();
    for picture in pictures {
        gif.push(picture).unwrap();
    }
    gif.finish().unwrap();
    bytes
}

#[test]
fn a_gif_is_nearly_the_film_and_as_long() {
    let pictures = pictures();
    let bytes = gif_of(&pictures, 1000.0 / 60.0);
    assert_eq!(bytes, gif_of(&pictures, 1000.0 / 60.0));
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options.read_info(bytes.as_slice()).unwrap();
    let colors: Vec<[u8; 3]> = decoder.global_palette().unwrap().as_chunks().0.to_vec();
    let mut shown = vec![[0_u8; 3]; SIZE[0] * SIZE[1]];
    let (mut hundredths, mut count) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for row in 0..usize::from(frame.height) {
            for column in 0..usize::from(frame.width) {
                let number = frame.buffer[row * usize::from(frame.width) + column];
                if frame.transparent != Some(number) {
                    let (x, y) = (
                        usize::from(frame.left) + column,
                        usize::from(frame.top) + row,
                    );
                    shown[y * SIZE[0] + x] = colors[usize::from(number)];
                }
            }
        }
        // no colour is far off, and most are close
        let mut far = 0_u32;
        for (got, wanted) in shown.iter().zip(&pictures[count].pixels) {
            let off = (0..3).map(|k| got[k].abs_diff(wanted[k])).max().unwrap();
            assert!(off < 48, "frame {count}: {got:?} instead of {wanted:?}");
            far += u32::from(off > 12);
        }
        assert!(far < 160 * 90 / 50, "frame {count}: {far} pixels");
        hundredths += u32::from(frame.delay);
        count += 1;
    }
    assert_eq!(count, 7);
    // seven sixtieths of a second, though one of them is 1.67 hundredths
    assert_eq!(hundredths, 12);
}

#[test]
fn few_colours_are_kept_exactly() {
    let mut picture = Picture::new(SIZE[0], SIZE[1], [250, 250, 250]);
    for (k, color) in [[200, 30, 30], [30, 200, 30], [30, 30, 200], [0, 0, 0]]
        .into_iter()
        .enumerate()
    {
        picture.pixels[40 * k..40 * k + 20].fill(color);
    }
    let mut palette = Palette::of([&picture], 255);
    assert_eq!(palette.colors().len(), 5);
    for color in &picture.pixels {
        let number = palette.nearest(*color);
        assert_eq!(palette.colors()[usize::from(number)], *color);
    }
    assert_eq!(Palette::of([&picture], 3).colors().len(), 3);
    assert!(Palette::of([&Picture::new(0, 0, [0; 3])], 3).colors().len() <= 1);
}

#[test]
fn wrong_sizes_are_told() {
    let small = Picture::new(2, 2, [0; 3]);
    let mut bytes = Vec::new();
    let mut gif = Gif::new(&mut bytes, [3, 2], Palette::of([&small], 255), 20.0).unwrap();
    let message = gif.push(&small).unwrap_err().to_string();
    assert_eq!(
        message,
        "a picture of 2 x 2 pixels in a film of 3 x 2: all pictures of a film have one size"
    );
    let wrong = Gif::new(Vec::new(), [70_000, 2], Palette::of([&small], 255), 20.0)
        .err()
        .unwrap();
    assert!(wrong.to_string().contains("65535"));
}

#[test]
fn a_video_program_is_called_with_sizes_and_a_safe_name() {
    let called = files::ffmpeg([642, 360], 30.0, "-film.mp4");
    let all = called.join(" ");
    assert!(
        all.contains("-f rawvideo -pix_fmt rgb24 -s 642x360 -r 30 -i -"),
        "{all}"
    );
    assert_eq!(called.last().unwrap(), "./-film.mp4");
}
