//! Control plane: a page on which modes move: one file, nothing from elsewhere.

use fixstep_kernel::math::Vec3;
use serde::Serialize;

use super::{COLORS, Wire, hertz};
use crate::markup::escape;
use crate::projection::Projection;

/// The page; its `DATA` and `TITLE` are filled in.
const PAGE: &str = include_str!("page.html");

/// What the page draws.
#[derive(Serialize)]
struct Data<'a> {
    points: Vec<[f32; 3]>,
    chains: &'a [Vec<usize>],
    named: &'a [(usize, String)],
    modes: Vec<Mode<'a>>,
    colors: [[f64; 3]; 5],
    right: [f64; 3],
    up: [f64; 3],
}

#[derive(Serialize)]
struct Mode<'a> {
    frequency: String,
    label: &'a str,
    /// Displacements, the largest 1.
    shape: Vec<[f32; 3]>,
}

/// The file.
pub(super) fn write(wire: &Wire) -> String {
    let size = wire.size();
    let middle = wire.points.iter().sum::<Vec3>() / wire.points.len().max(1) as f64;
    let Projection { right, up } = Projection::of(Vec3::repeat(1.0), Vec3::z());
    let mode = |k: usize| {
        let largest = wire.largest[k];
        Mode {
            frequency: hertz(wire.modes[k].0),
            label: &wire.modes[k].1,
            shape: wire.shapes[k]
                .iter()
                .map(|u| short(&(u / largest)))
                .collect(),
        }
    };
    let data = Data {
        points: wire
            .points
            .iter()
            .map(|p| short(&((p - middle) / size)))
            .collect(),
        chains: &wire.chains,
        named: &wire.named,
        modes: (0..wire.modes.len()).map(mode).collect(),
        colors: COLORS,
        right: right.into(),
        up: up.into(),
    };
    // plain data always has a text; nothing in it may end the script
    let text = serde_json::to_string(&data)
        .unwrap_or_default()
        .replace("</", "<\\/");
    PAGE.replace("TITLE", &escape(&wire.title))
        .replace("\"DATA\"", &text)
}

/// Digits that a screen can show.
fn short(v: &Vec3) -> [f32; 3] {
    [v.x, v.y, v.z].map(|x| ((x * 1e4).round() / 1e4) as f32)
}
