//! Control plane: the modes of a flexible body on a sheet: a picture of each, deformed, in the colours of its displacement.

use fixstep_kernel::flex::{FlexData, Node};
use fixstep_kernel::math::Vec3;
use fixstep_pictures::camera::{Camera, Framing, View};
use fixstep_pictures::files;
use fixstep_pictures::letters;
use fixstep_pictures::picture::{Anchor, Picture};
use fixstep_pictures::render::{Ground, Look, Renderer, Tint, scale};
use fixstep_pictures::scene::{Color, Place, Soft, Solid};
use fixstep_pictures::solids::{Detail, Piece, ellipsoid_of};

use super::{STILL, alone, chosen, hertz};
use crate::scene::{self, Wire};
use crate::slave::Failure;

/// Number of panels in a row.
const COLUMNS: usize = 3;
/// Pixels of a body in its panel.
const BODY: [usize; 2] = [500, 312];
/// Pixels of the words above it.
const WORDS: usize = 60;
/// Pixels around and between panels.
const GAP: usize = 26;
/// Pixels above and below the panels.
const ENDS: [usize; 2] = [92, 62];
/// The largest displacement, in sizes of the body.
const AMPLITUDE: f64 = 0.12;
/// From where bodies are seen: so that what moves across, up and along is told apart.
const VIEW: View = View::From {
    azimuth: 0.5,
    elevation: 0.6,
};
/// How much the body at rest hides.
const REST: f64 = 0.22;
/// Displacements below this fraction of rotation times size are rounding errors.
const TURNS: f64 = 1e-4;
/// Radius of a ball at a node with a name, in sizes of the body, and most nodes that have one.
const BALL: (f64, usize) = (0.011, 60);

/// Colour of titles.
const DARK: Color = [36, 49, 61];
/// Colour of small print.
const GREY: Color = [91, 106, 120];
/// Borders of panels.
const BORDER: Color = [214, 221, 228];
/// White.
const WHITE: Color = [255, 255, 255];

/// A body whose modes are drawn.
struct Subject<'a> {
    data: &'a FlexData,
    modes: Vec<usize>,
    soft: Soft,
    size: f64,
    /// The modal coordinate at which each mode is drawn.
    amplitudes: Vec<f64>,
    camera: Camera,
}

/// All modes, or those that are asked for, counted from 1, on one sheet: the bytes of a PNG.
pub fn png(data: &FlexData, modes: &[usize]) -> Result<Vec<u8>, Failure> {
    let modes = chosen(data, modes)?;
    let sheet = Subject::of(data, modes).sheet();
    files::png(&sheet).map_err(|error| Failure(format!("PNG: {error}")))
}

impl<'a> Subject<'a> {
    fn of(data: &'a FlexData, modes: Vec<usize>) -> Self {
        let wire = Wire::of(data, &modes);
        let soft = scene::surface(data, &wire);
        let size = wire.size();
        let amplitudes: Vec<f64> = { modes.iter().zip(wire.shapes()) }
            .map(|(mode, shape)| amplitude(data, *mode, shape, size))
            .collect();
        let camera = camera(&soft, &amplitudes);
        Self {
            data,
            modes,
            soft,
            size,
            amplitudes,
            camera,
        }
    }

    /// The whole sheet.
    fn sheet(&self) -> Picture {
        let count = self.modes.len();
        let columns = COLUMNS.min(count.max(1));
        let [width, height] = [BODY[0] + 2, WORDS + BODY[1] + 2];
        let whole = [
            GAP + columns.max(2) * (width + GAP),
            ENDS[0] + count.div_ceil(columns) * (height + GAP) + ENDS[1] - GAP,
        ];
        let mut sheet = Picture::new(whole[0], whole[1], WHITE);
        self.head(&mut sheet);
        for k in 0..count {
            let corner = [
                GAP + k % columns * (width + GAP),
                ENDS[0] + k / columns * (height + GAP),
            ];
            self.panel(&mut sheet, k, corner);
        }
        foot(&mut sheet);
        sheet
    }

    /// The title.
    fn head(&self, sheet: &mut Picture) {
        let (left, room) = (GAP as f64, (sheet.width - 2 * GAP) as f64);
        let title = shortened(&self.data.description, room, 25.0);
        sheet.text(&title, [left, 43.0], 25.0, DARK, Anchor::Left);
        let count = self.modes.len();
        let told = format!(
            "{count} mode{}, largest displacement drawn at {:.0} % of the size",
            if count == 1 { "" } else { "s" },
            100.0 * AMPLITUDE
        );
        sheet.text(&told, [left, 72.0], 17.0, GREY, Anchor::Left);
    }

    /// A mode, with its words above.
    fn panel(&self, sheet: &mut Picture, k: usize, [left, top]: [usize; 2]) {
        let [x, y] = [left as f64, top as f64];
        let [width, height] = [(BODY[0] + 2) as f64, (WORDS + BODY[1] + 2) as f64];
        sheet.rectangle([x, y, width, height], BORDER, 1.0);
        sheet.rectangle([x + 1.0, y + 1.0, width - 2.0, WORDS as f64], WHITE, 1.0);
        let mode = &self.data.modes[self.modes[k]];
        let (edge, room) = (16.0, width - 32.0);
        let number = (self.modes[k] + 1).to_string();
        sheet.text(&number, [x + edge, y + 27.0], 20.0, DARK, Anchor::Left);
        sheet.text(
            &hertz(mode.frequency),
            [x + width - edge, y + 27.0],
            20.0,
            DARK,
            Anchor::Right,
        );
        let label = shortened(&mode.label, room, 16.0);
        sheet.text(&label, [x + edge, y + 50.0], 16.0, GREY, Anchor::Left);
        sheet.paste(&self.body(k), [left + 1, top + 1 + WORDS]);
    }

    /// The body in a mode.
    fn body(&self, k: usize) -> Picture {
        let soft = Soft {
            mesh: self.soft.mesh.clone(),
            lines: self.soft.lines.clone(),
            modes: vec![self.soft.modes[k].clone()],
            stresses: None,
        };
        let (mut scene, mut frame) = alone(soft, self.size);
        frame.poses[1].modal[0] = self.amplitudes[k];
        scene.bodies[0].solids = self.balls(k);
        scene.bodies[0].solids.push(self.rest());
        let look = Look {
            width: BODY[0],
            height: BODY[1],
            ground: Ground::Nowhere,
            tint: Tint::Displacement,
            top: Some(AMPLITUDE * self.size),
            words: false,
            legend: false,
            ..Look::default()
        };
        let renderer = Renderer::new(&scene, std::slice::from_ref(&frame), look);
        renderer.draw(&frame, &self.camera)
    }

    /// The body at rest.
    fn rest(&self) -> Solid {
        Solid {
            color: Some(GREY),
            opacity: REST,
            ..Piece::of(self.soft.mesh.clone()).at(STILL)
        }
    }

    /// Balls at nodes with names, where they are in a mode.
    fn balls(&self, k: usize) -> Vec<Solid> {
        let named = self.data.nodes.iter().filter(|node| node.name.is_some());
        let named: Vec<&Node> = named.take(BALL.1 + 1).collect();
        if named.len() > BALL.1 {
            return Vec::new();
        }
        let ball = |node: &&Node| Solid {
            color: Some(WHITE),
            ..ellipsoid_of([BALL.0 * self.size; 3], Detail::Coarse).at(Place {
                position: node.position + node.translation[self.modes[k]] * self.amplitudes[k],
                ..STILL
            })
        };
        named.iter().map(ball).collect()
    }
}

/// The modal coordinate with the largest displacement that is drawn. Parts that only turn, such as shafts, have
/// displacements that are rounding errors, and stay as they are.
fn amplitude(data: &FlexData, mode: usize, shape: &[Vec3], size: f64) -> f64 {
    let most = |of: &mut dyn Iterator<Item = f64>| of.fold(0.0, f64::max);
    let moves = most(&mut shape.iter().map(Vec3::norm));
    let turns = most(&mut data.nodes.iter().map(|node| node.rotation[mode].norm()));
    let largest = moves.max(TURNS * size * turns);
    if largest > 0.0 {
        AMPLITUDE * size / largest
    } else {
        0.0
    }
}

/// A camera that sees the body at rest and in all modes.
fn camera(soft: &Soft, amplitudes: &[f64]) -> Camera {
    let corners = { soft.mesh.points.iter() }.chain(soft.lines.iter().flatten());
    let still: Vec<Vec3> = corners.map(|p| Vec3::from(p.map(f64::from))).collect();
    let mut points = still.clone();
    for (mode, amplitude) in soft.modes.iter().zip(amplitudes) {
        let moved = |(p, by): (&Vec3, &[f32; 3])| p + Vec3::from(by.map(f64::from)) * *amplitude;
        points.extend(still.iter().zip(mode).map(moved));
    }
    let aspect = BODY[0] as f64 / BODY[1] as f64;
    Framing::new(VIEW, Vec3::z(), aspect).around(&points)
}

/// The scale of colours.
fn foot(sheet: &mut Picture) {
    let (pieces, width, size) = (240_u32, 240.0, 17.0);
    let (right, y) = ((sheet.width - GAP) as f64, sheet.height as f64 - 30.0);
    let last = sheet.text("largest", [right, y + 6.0], size, GREY, Anchor::Right);
    let left = right - last - 12.0 - width;
    for k in 0..pieces {
        let part = (f64::from(k) + 0.5) / f64::from(pieces);
        let piece = width / f64::from(pieces);
        let at = [left + f64::from(k) * piece, y - 7.0, piece, 14.0];
        sheet.rectangle(at, scale(part), 1.0);
    }
    sheet.text(
        "displacement   0",
        [left - 12.0, y + 6.0],
        size,
        GREY,
        Anchor::Right,
    );
}

/// A text that fits a width.
fn shortened(text: &str, width: f64, size: f64) -> String {
    let fits = |text: &str| letters::strokes(text, size).1 <= width;
    if fits(text) {
        return text.to_owned();
    }
    // No letter is narrower than the space between letters.
    let mut kept: Vec<char> = text.chars().take(width as usize).collect();
    loop {
        kept.pop();
        let short: String = kept.iter().chain(&['\u{2026}']).collect();
        if kept.is_empty() || fits(&short) {
            return short;
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::scene::rod;

    #[test]
    fn a_sheet_has_a_panel_for_each_mode() {
        let data = rod();
        let size = |modes: &[usize]| {
            let sheet = Subject::of(&data, chosen(&data, modes).unwrap()).sheet();
            [sheet.width, sheet.height]
        };
        let row = WORDS + BODY[1] + 2 + GAP;
        let [one, two, three, four] = [&[2][..], &[], &[1, 2, 1], &[1, 1, 2, 2]].map(size);
        assert_eq!((one, three[1]), (two, two[1]));
        assert_eq!(three[0] - two[0], BODY[0] + 2 + GAP);
        assert_eq!(four, [three[0], three[1] + row]);
        let wrong = png(&data, &[3]).unwrap_err();
        assert_eq!(wrong.0, "mode 3: valid are 1 to 2");
    }

    /// The tip of the bent rod has the last colour and its root the first.
    #[test]
    fn colours_are_those_of_the_displacement() {
        let data = rod();
        let subject = Subject::of(&data, vec![0]);
        let picture = subject.body(0);
        let near = |wanted: Color| {
            let far = |own: &Color| -> u32 {
                let apart = (0..3).map(|c| u32::from(own[c].abs_diff(wanted[c])));
                apart.sum()
            };
            picture.pixels.iter().map(far).min().unwrap()
        };
        assert!(near(scale(1.0)) < 90, "{}", near(scale(1.0)));
        assert!(near(scale(0.0)) < 90, "{}", near(scale(0.0)));
        // A margin is left.
        let above = &picture.pixels[..10 * BODY[0]];
        let sky = above.windows(2).map(|two| two[0][0].abs_diff(two[1][0]));
        assert!(sky.max().unwrap() < 12);
    }

    #[test]
    fn a_mode_that_only_turns_stays_a_line() {
        let mut data = rod();
        for node in &mut data.nodes {
            node.translation[1] = Vec3::new(0.0, 1e-12, 0.0);
            node.rotation[1] = Vec3::new(3.0, 0.0, 0.0);
        }
        let subject = Subject::of(&data, vec![1]);
        assert!(subject.amplitudes[0] * 1e-12 < 1e-6);
    }

    #[test]
    fn long_texts_end_in_dots() {
        assert_eq!(shortened("mode", 100.0, 16.0), "mode");
        let short = shortened(&"orthonormal ".repeat(9), 200.0, 16.0);
        assert!(short.ends_with('\u{2026}') && short.starts_with("orthonormal"));
        assert!(letters::strokes(&short, 16.0).1 <= 200.0);
        assert_eq!(shortened("mode", 1.0, 16.0), "\u{2026}");
    }
}
