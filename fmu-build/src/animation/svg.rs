//! Control plane: writes the animation as an SVG whose paths change with time, without a script.

use std::fmt::Write as _;

use super::scene::{Kind, Scene};
use super::view::View;
use super::{Animation, Film, Pose};
use crate::markup::{self, escape};
use crate::projection::corners;
use fixstep_kernel::math::Vec3;

const WIDTH: f64 = 720.0;
/// Most and least height of the drawing.
const HEIGHTS: [f64; 2] = [200.0, 460.0];
const MARGIN: f64 = 28.0;
const HEAD: f64 = 58.0;
/// Shortest and longest a film plays \[s\].
const PLAY: [f64; 2] = [3.0, 12.0];
/// Colours of bodies (Okabe and Ito 2008, without yellow).
const COLORS: [&str; 6] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
];
const STYLE: &str = "\
.title{font-size:17px;font-weight:600}.subtitle{font-size:12.5px;fill:#5b6a78}\
path{fill:none;stroke-linecap:round;stroke-linejoin:round}\
.body{stroke-width:3.2}.shape{stroke-width:1.3}.joint{stroke:#24313d;stroke-width:5}\
.spring{stroke:#5b6a78;stroke-width:1.6;stroke-dasharray:4 3}.ground{stroke:#8a98a5;stroke-width:6}\
.surface{stroke:#8a98a5;stroke-width:1.4}";

/// Something drawn as one path.
struct Track {
    class: &'static str,
    color: &'static str,
    /// By frame, then stroke: its points.
    frames: Vec<Vec<Vec<Vec3>>>,
}

/// Draws a film.
pub(super) fn draw(animation: &Animation) -> String {
    let (scene, film) = (&animation.scene, &animation.film);
    let view = View::of(scene, film);
    let tracks = tracks(scene, film, &view);
    let (least, most) = bounds(&tracks, &view);
    let size = [most[0] - least[0], most[1] - least[1]].map(|s| s.max(1e-12));
    let scale = ((WIDTH - 2.0 * MARGIN) / size[0]).min(HEIGHTS[1] / size[1]);
    let height = (size[1] * scale).max(HEIGHTS[0]);
    let place = |p: &Vec3| {
        let [x, y] = view.projection.flat(p);
        [
            WIDTH / 2.0 + (x - f64::midpoint(least[0], most[0])) * scale,
            HEAD + height / 2.0 + (y - f64::midpoint(least[1], most[1])) * scale,
        ]
    };
    let total = HEAD + height + MARGIN;
    let play = film.duration().clamp(PLAY[0], PLAY[1]);
    let mut text = markup::svg([WIDTH, total], markup::INK, STYLE);
    let _ = writeln!(
        text,
        "{}\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"28\">{}</text>\n\
         <text class=\"subtitle\" x=\"{MARGIN}\" y=\"46\">{}</text>",
        markup::PAPER,
        escape(&animation.title),
        escape(&subtitle(animation, &view, play)),
    );
    for track in &tracks {
        let flat = |strokes: &Vec<Vec<Vec3>>| -> Vec<Vec<[f64; 2]>> {
            let line = |stroke: &Vec<Vec3>| stroke.iter().map(&place).collect();
            strokes.iter().map(line).collect()
        };
        let shape = |strokes| markup::path(&flat(strokes));
        let shapes: Vec<String> = track.frames.iter().map(shape).collect();
        write_track(&mut text, track, &shapes, play);
    }
    text.push_str("</svg>\n");
    text
}

fn subtitle(animation: &Animation, view: &View, play: f64) -> String {
    let (scene, duration) = (&animation.scene, animation.film.duration());
    let still = animation.film.frames.len() < 2;
    let mut text = if still {
        "at its start".to_owned()
    } else {
        format!("{duration:.4} s")
    };
    let factor = play / duration.max(1e-12);
    if !still && factor > 1.001 {
        let _ = write!(text, ", {factor:.3} times slower");
    } else if !still && factor < 0.999 {
        let _ = write!(text, ", {:.3} times faster", 1.0 / factor);
    }
    if let Some(body) = view.follow {
        let _ = write!(text, ", seen from {}", scene.names[body]);
    }
    let magnified = animation.magnification.to_bits() != 1.0_f64.to_bits();
    if magnified && scene.bends() {
        let _ = write!(
            text,
            ", deformations {} times as large",
            animation.magnification
        );
    }
    text
}

fn write_track(text: &mut String, track: &Track, shapes: &[String], play: f64) {
    let Some(first) = shapes.first() else { return };
    let color = if track.color.is_empty() {
        String::new()
    } else {
        format!(" stroke=\"{}\"", track.color)
    };
    let _ = write!(text, "<path class=\"{}\"{color} d=\"{first}\"", track.class);
    if shapes.iter().all(|shape| shape == first) {
        text.push_str("/>\n");
        return;
    }
    let _ = writeln!(
        text,
        "><animate attributeName=\"d\" dur=\"{play:.2}s\" repeatCount=\"indefinite\" \
         values=\"{}\"/></path>",
        shapes.join(";")
    );
}

/// All paths of the picture, those behind first.
fn tracks(scene: &Scene, film: &Film, view: &View) -> Vec<Track> {
    let origin = |frame: &[Pose]| view.follow.map_or(Vec3::zeros(), |body| frame[body].place);
    let mut tracks = Vec::new();
    let mut gather = |class, color, strokes: &dyn Fn(&[Pose]) -> Vec<Vec<Vec3>>| {
        let frames: Vec<Vec<Vec<Vec3>>> = film
            .frames
            .iter()
            .map(|frame| {
                let from = origin(frame);
                let mut all = strokes(frame);
                for p in all.iter_mut().flatten() {
                    *p -= from;
                }
                all
            })
            .collect();
        if frames.first().is_some_and(|frame| !frame.is_empty()) {
            tracks.push(Track {
                class,
                color,
                frames,
            });
        }
    };
    gather("surface", "", &|frame| scene.strokes(frame, 0, Kind::Shape));
    if view.follow.is_none() {
        gather("ground", "", &|frame| scene.strokes(frame, 0, Kind::Joint));
    }
    gather("spring", "", &|frame| scene.springs(frame));
    for body in 1..scene.names.len() {
        let color = COLORS[(body - 1) % COLORS.len()];
        gather("shape", color, &|frame| {
            scene.strokes(frame, body, Kind::Shape)
        });
        gather("body", color, &|frame| {
            scene.strokes(frame, body, Kind::Limb)
        });
    }
    gather("joint", "", &|frame| {
        let joints = |body| scene.strokes(frame, body, Kind::Joint);
        (1..scene.names.len()).flat_map(joints).collect()
    });
    tracks
}

/// Corners of all that is ever drawn, in picture coordinates.
fn bounds(tracks: &[Track], view: &View) -> ([f64; 2], [f64; 2]) {
    let points = tracks
        .iter()
        .flat_map(|t| t.frames.iter().flatten().flatten());
    let flat = points.map(|p| view.projection.flat(p));
    corners(flat).unwrap_or(([0.0; 2], [1.0; 2]))
}
