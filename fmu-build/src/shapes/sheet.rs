//! Control plane: the layout of panels, lines and letters on a sheet of modes.

use fixstep_kernel::math::Vec3;

use super::{Wire, color, hertz};
use crate::projection::{Projection, corners, extent};

/// Number of panels in a row.
const COLUMNS: usize = 3;
/// Size of a panel (px).
const PANEL: [f64; 2] = [340.0, 232.0];
/// Space around and between panels (px).
const GAP: f64 = 18.0;
/// Height above the panels (px).
const HEAD: f64 = 64.0;
/// Height below the panels (px).
const FOOT: f64 = 46.0;
/// Space in a panel around the body: left, right, top, bottom (px).
const INSIDE: [f64; 4] = [22.0, 22.0, 62.0, 18.0];
/// The largest displacement, in sizes of the body.
const AMPLITUDE: f64 = 0.12;
/// Steps of the colours of lines, so that equal ones are one path.
const STEPS: f64 = 40.0;

/// Colour of titles.
pub(super) const DARK: [u8; 3] = [36, 49, 61];
/// Colour of small print.
pub(super) const GREY: [u8; 3] = [91, 106, 120];
/// Colour of the undeformed body.
const LIGHT: [u8; 3] = [200, 208, 216];
/// Borders of panels.
const BORDER: [u8; 3] = [228, 233, 238];
/// White.
const WHITE: [u8; 3] = [255, 255, 255];

/// Where a text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Right,
}

/// Something drawn.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// Strokes of one colour and width with round ends.
    Strokes {
        lines: Vec<Vec<[f64; 2]>>,
        width: f64,
        color: [u8; 3],
    },
    /// A disc with a rim.
    Disc {
        at: [f64; 2],
        radius: f64,
        fill: [u8; 3],
        rim: [u8; 3],
    },
    /// A rectangle.
    Rectangle {
        at: [f64; 2],
        size: [f64; 2],
        fill: [u8; 3],
    },
    /// Letters.
    Text {
        at: [f64; 2],
        size: f64,
        color: [u8; 3],
        bold: bool,
        anchor: Anchor,
        text: String,
    },
}

/// A sheet.
#[derive(Debug)]
pub(super) struct Sheet {
    pub(super) size: [f64; 2],
    pub(super) items: Vec<Item>,
}

/// From space to a panel.
struct Lens {
    projection: Projection,
    scale: f64,
    /// The point that is placed in the middle.
    middle: [f64; 2],
}

impl Lens {
    /// Shows all modes of a body in the same way.
    fn of(wire: &Wire) -> Self {
        let moved = || {
            (0..wire.shapes.len())
                .flat_map(|mode| [1.0, -1.0].map(|sign| deformed(wire, mode, sign)))
        };
        let all: Vec<Vec3> = moved()
            .flatten()
            .chain(wire.points.iter().copied())
            .collect();
        let projection = Projection::of(extent(all.iter().copied()), Vec3::z());
        let flat = all.iter().map(|p| projection.flat(p));
        let (low, high) = corners(flat).unwrap_or_default();
        let room = [
            PANEL[0] - INSIDE[0] - INSIDE[1],
            PANEL[1] - INSIDE[2] - INSIDE[3],
        ];
        let scale = (0..2)
            .map(|k| room[k] / (high[k] - low[k]).max(1e-12))
            .fold(f64::INFINITY, f64::min);
        Self {
            projection,
            scale,
            middle: [0, 1].map(|k| f64::midpoint(low[k], high[k])),
        }
    }

    fn place(&self, p: &Vec3, corner: [f64; 2]) -> [f64; 2] {
        let flat = self.projection.flat(p);
        let center = [
            f64::midpoint(INSIDE[0], PANEL[0] - INSIDE[1]),
            f64::midpoint(INSIDE[2], PANEL[1] - INSIDE[3]),
        ];
        std::array::from_fn(|k| corner[k] + center[k] + (flat[k] - self.middle[k]) * self.scale)
    }
}

/// Points of a mode at its largest.
fn deformed(wire: &Wire, mode: usize, sign: f64) -> Vec<Vec3> {
    let factor = sign * AMPLITUDE * wire.size() / wire.largest[mode];
    let moved = wire.points.iter().zip(&wire.shapes[mode]);
    moved.map(|(p, u)| p + u * factor).collect()
}

impl Sheet {
    pub(super) fn of(wire: &Wire) -> Self {
        let count = wire.modes.len();
        let columns = COLUMNS.min(count.max(1));
        let rows = count.div_ceil(columns);
        let width = GAP + columns.max(2) as f64 * (PANEL[0] + GAP);
        let height = HEAD + rows as f64 * (PANEL[1] + GAP) + FOOT - GAP;
        let mut sheet = Self {
            size: [width, height],
            items: Vec::new(),
        };
        sheet.rectangle([0.0, 0.0], sheet.size, WHITE);
        sheet.text(
            [GAP, 30.0],
            17.0,
            DARK,
            true,
            Anchor::Left,
            &shortened(&wire.title, width - 2.0 * GAP, 17.0),
        );
        let subtitle = format!(
            "{count} mode{}, largest displacement drawn at {:.0} % of the size",
            if count == 1 { "" } else { "s" },
            100.0 * AMPLITUDE
        );
        sheet.text([GAP, 49.0], 12.5, GREY, false, Anchor::Left, &subtitle);
        let lens = Lens::of(wire);
        for mode in 0..count {
            let (column, row) = (mode % columns, mode / columns);
            let corner = [
                GAP + column as f64 * (PANEL[0] + GAP),
                HEAD + row as f64 * (PANEL[1] + GAP),
            ];
            sheet.panel(wire, &lens, mode, corner);
        }
        sheet.scale(height - 22.0);
        sheet
    }

    fn panel(&mut self, wire: &Wire, lens: &Lens, mode: usize, corner: [f64; 2]) {
        let [x, y] = corner;
        self.rectangle(corner, PANEL, BORDER);
        self.rectangle([x + 1.0, y + 1.0], [PANEL[0] - 2.0, PANEL[1] - 2.0], WHITE);
        let (frequency, label) = &wire.modes[mode];
        self.text(
            [x + 16.0, y + 28.0],
            15.0,
            DARK,
            true,
            Anchor::Left,
            &format!("{}", mode + 1),
        );
        self.text(
            [x + PANEL[0] - 16.0, y + 28.0],
            15.0,
            DARK,
            true,
            Anchor::Right,
            &hertz(*frequency),
        );
        self.text(
            [x + 16.0, y + 46.0],
            12.0,
            GREY,
            false,
            Anchor::Left,
            &shortened(label, PANEL[0] - 32.0, 12.0),
        );
        let place = |p: &Vec3| lens.place(p, corner);
        let chain = |points: &[Vec3], chain: &Vec<usize>| -> Vec<[f64; 2]> {
            chain.iter().map(|k| place(&points[*k])).collect()
        };
        let rest: Vec<_> = wire.chains.iter().map(|c| chain(&wire.points, c)).collect();
        self.items.push(Item::Strokes {
            lines: rest,
            width: 1.4,
            color: LIGHT,
        });
        let moved = deformed(wire, mode, 1.0);
        self.colored(wire, mode, &|k| place(&moved[k]));
        for (node, _) in &wire.named {
            self.items.push(Item::Disc {
                at: place(&wire.points[*node]),
                radius: 2.6,
                fill: WHITE,
                rim: LIGHT,
            });
        }
        for (node, _) in &wire.named {
            self.items.push(Item::Disc {
                at: place(&moved[*node]),
                radius: 3.6,
                fill: WHITE,
                rim: DARK,
            });
        }
    }

    /// The deformed body, each piece in the colour of its displacement, the largest on top.
    fn colored(&mut self, wire: &Wire, mode: usize, place: &dyn Fn(usize) -> [f64; 2]) {
        let largest = wire.largest[mode];
        let mut steps: Vec<Vec<Vec<[f64; 2]>>> = vec![Vec::new(); STEPS as usize + 1];
        for pair in wire.chains.iter().flat_map(|chain| chain.windows(2)) {
            let [a, b] = [pair[0], pair[1]];
            let size = 0.5 * (wire.shapes[mode][a].norm() + wire.shapes[mode][b].norm());
            let step = (size / largest * STEPS).round() as usize;
            let lines = &mut steps[step.min(STEPS as usize)];
            let (from, to) = (place(a), place(b));
            match lines.last_mut() {
                Some(line) if line.last() == Some(&from) => line.push(to),
                _ => lines.push(vec![from, to]),
            }
        }
        for (step, lines) in steps.into_iter().enumerate() {
            if !lines.is_empty() {
                let color = color(step as f64 / STEPS);
                self.items.push(Item::Strokes {
                    lines,
                    width: 2.8,
                    color,
                });
            }
        }
    }

    /// The scale of colours.
    fn scale(&mut self, y: f64) {
        let (pieces, width) = (60_u32, 180.0);
        let left = self.size[0] - GAP - width - 52.0;
        self.text(
            [left - 8.0, y + 4.0],
            12.0,
            GREY,
            false,
            Anchor::Right,
            "displacement   0",
        );
        for k in 0..pieces {
            let x = left + width * f64::from(k) / f64::from(pieces);
            let fill = color((f64::from(k) + 0.5) / f64::from(pieces));
            self.rectangle([x, y - 5.0], [width / f64::from(pieces) + 0.4, 9.0], fill);
        }
        self.text(
            [self.size[0] - GAP, y + 4.0],
            12.0,
            GREY,
            false,
            Anchor::Right,
            "largest",
        );
    }

    fn rectangle(&mut self, at: [f64; 2], size: [f64; 2], fill: [u8; 3]) {
        self.items.push(Item::Rectangle { at, size, fill });
    }

    fn text(
        &mut self,
        at: [f64; 2],
        size: f64,
        color: [u8; 3],
        bold: bool,
        anchor: Anchor,
        text: &str,
    ) {
        self.items.push(Item::Text {
            at,
            size,
            color,
            bold,
            anchor,
            text: text.to_owned(),
        });
    }
}

/// A text that fits a width, by the mean width of letters.
fn shortened(text: &str, width: f64, size: f64) -> String {
    let most = (width / (0.56 * size)) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars()
        .take(most.saturating_sub(1))
        .chain(['\u{2026}'])
        .collect()
}
