//! Control plane: one pair of axes with its grid, lines and legend.

use std::fmt::Write as _;

use fixstep_kernel::math;

use super::svg::{COLORS, DASHES, Svg};
use super::ticks::{Ticks, extent, ticks};
use super::{Line, Panel, Pin, Scale};
use crate::markup::escape;

/// Average width of a legend's character (px), and of a capital.
const CHARACTER: f64 = 7.0;
const CAPITAL: f64 = 9.2;
/// Width of a digit at an axis (px).
const TICK: f64 = 6.6;
/// Radius of the ring round a pin (px).
const RING: f64 = 9.0;
/// Radius of a point by itself (px), unless there are more than so many.
const DOT: f64 = 4.5;
const MANY: usize = 200;
/// Height of a legend's row (px).
const ROW: f64 = 19.0;

/// Where a panel's axes are.
pub(super) struct Frame {
    /// Left edge.
    pub(super) left: f64,
    /// Right edge.
    pub(super) right: f64,
    /// Upper edge.
    pub(super) top: f64,
    /// Lower edge.
    pub(super) bottom: f64,
}

/// Maps data to the picture.
struct Map<'a> {
    frame: &'a Frame,
    x: (f64, f64),
    x_scale: Scale,
    y: (f64, f64),
    scale: Scale,
}

impl Map<'_> {
    fn x(&self, value: f64) -> f64 {
        let share = share(value, self.x, self.x_scale);
        self.frame.left + share * (self.frame.right - self.frame.left)
    }

    fn y(&self, value: f64) -> f64 {
        let share = share(value, self.y, self.scale);
        self.frame.bottom - share * (self.frame.bottom - self.frame.top)
    }

    fn shows(&self, x: f64, y: f64) -> bool {
        let shows =
            |value: f64, scale| value.is_finite() && (scale == Scale::Linear || value > 0.0);
        shows(x, self.x_scale) && shows(y, self.scale)
    }
}

/// The position of a value along an axis.
fn share(value: f64, (low, high): (f64, f64), scale: Scale) -> f64 {
    match scale {
        Scale::Linear => (value - low) / (high - low),
        Scale::Logarithmic => math::log10(value / low) / math::log10(high / low),
    }
}

/// Space for the legend above the axes: none if there is only one line, which the y label names.
pub(super) fn legend_height(panel: &Panel) -> f64 {
    let rows = legend_rows(panel).len();
    if rows == 0 {
        0.0
    } else {
        rows as f64 * ROW + 10.0
    }
}

/// Draws a panel; numbers on the x axis only below the last one.
pub(super) fn draw(
    svg: &mut Svg,
    panel: &Panel,
    frame: &Frame,
    (x, x_scale): ((f64, f64), Scale),
    last: bool,
) {
    let y_ticks = y_ticks(panel, frame.bottom - frame.top);
    let x_ticks = ticks(x, 10, x_scale, false);
    let map = Map {
        frame,
        x: x_ticks.range,
        x_scale,
        y: y_ticks.range,
        scale: panel.scale,
    };
    grid(svg, &map, &x_ticks, &y_ticks, last);
    y_label(svg, frame, &y_ticks.labelled(&panel.y_label));
    lines(svg, &map, panel);
    legend(svg, frame, panel);
}

/// The panel and the range of x such that a unit is as long upward as along x.
pub(super) fn squared(panel: &Panel, frame: &Frame, x: (f64, f64)) -> (Panel, (f64, f64)) {
    let (wide, tall) = (frame.right - frame.left, frame.bottom - frame.top);
    let span = |(low, high): (f64, f64)| high - low;
    let about = |(low, high): (f64, f64), size: f64| {
        let (middle, half) = (f64::midpoint(low, high), 0.5 * size.max(high - low));
        (middle - half, middle + half)
    };
    let own = y_ticks(panel, tall).range;
    let widened = Panel {
        at_least: Some(about(own, span(x) * tall / wide)),
        ..panel.clone()
    };
    // The axis ends at marks, so it may have become longer again.
    let x = about(x, span(y_ticks(&widened, tall).range) * wide / tall);
    (widened, x)
}

/// The widest text at the y axis of a panel of this height (px).
pub(super) fn tick_width(panel: &Panel, height: f64) -> f64 {
    let ticks = y_ticks(panel, height);
    let widths = ticks
        .marks
        .iter()
        .map(|(_, text)| TICK * text.chars().count() as f64);
    widths.fold(0.0, f64::max)
}

/// The ticks of the y axis of a panel of this height (px).
fn y_ticks(panel: &Panel, height: f64) -> Ticks {
    let shown = |value: &f64| panel.scale == Scale::Linear || *value > 0.0;
    let values = panel
        .lines
        .iter()
        .flat_map(|line| line.y.iter().copied())
        .chain(panel.pins.iter().map(|pin| pin.at.1))
        .filter(shown);
    let least = panel
        .at_least
        .into_iter()
        .flat_map(|(low, high)| [low, high]);
    let limits = panel.limits.iter().map(|limit| limit.value);
    let range = extent(values.chain(limits).chain(least));
    ticks(range, if height > 250.0 { 6 } else { 4 }, panel.scale, true)
}

fn grid(svg: &mut Svg, map: &Map<'_>, x_ticks: &Ticks, y_ticks: &Ticks, last: bool) {
    let Frame {
        left,
        right,
        top,
        bottom,
    } = *map.frame;
    for (value, text) in &x_ticks.marks {
        let x = map.x(*value);
        let _ = writeln!(
            svg.text,
            r#"<path class="grid" d="M{x:.1} {top:.1}V{bottom:.1}"/>"#
        );
        if last {
            let _ = writeln!(
                svg.text,
                r#"<text class="tick" x="{x:.1}" y="{:.1}" text-anchor="middle">{text}</text>"#,
                bottom + 17.0
            );
        }
    }
    for (value, text) in &y_ticks.marks {
        let y = map.y(*value);
        let _ = writeln!(
            svg.text,
            r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/><text class="tick" x="{:.1}" y="{:.1}" text-anchor="end">{text}</text>"#,
            left - 8.0,
            y + 4.0
        );
    }
    let _ = writeln!(
        svg.text,
        r#"<path class="axis" d="M{left:.1} {top:.1}V{bottom:.1}H{right:.1}"/>"#
    );
}

fn y_label(svg: &mut Svg, frame: &Frame, label: &str) {
    let y = f64::midpoint(frame.top, frame.bottom);
    let _ = writeln!(
        svg.text,
        r#"<text class="label" transform="translate(18 {y:.1}) rotate(-90)" text-anchor="middle">{}</text>"#,
        escape(label)
    );
}

fn lines(svg: &mut Svg, map: &Map<'_>, panel: &Panel) {
    let Frame {
        left,
        right,
        top,
        bottom,
    } = *map.frame;
    svg.clips += 1;
    let clip = format!("c{}", svg.clips);
    let _ = writeln!(
        svg.text,
        "<clipPath id=\"{clip}\"><rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\
         </clipPath>\n<g clip-path=\"url(#{clip})\">",
        top - 2.0,
        right - left + 2.0,
        bottom - top + 4.0
    );
    let all = || panel.lines.iter().enumerate();
    for (index, line) in all().filter(|(_, line)| !line.dots) {
        let (color, dash) = look(panel, index);
        let _ = writeln!(
            svg.text,
            r#"<path class="line" stroke="{color}"{dash} d="{}"/>"#,
            path(map, line)
        );
    }
    for (x, y) in panel.marks.iter().filter(|(x, y)| map.shows(*x, *y)) {
        let _ = writeln!(
            svg.text,
            r##"<circle cx="{:.1}" cy="{:.1}" r="4" fill="none" stroke="#1b2833"/>"##,
            map.x(*x),
            map.y(*y)
        );
    }
    svg.text.push_str("</g>\n");
    for (index, line) in all().filter(|(_, line)| line.dots) {
        dots(svg, map, line, style(index).0);
    }
    for limit in &panel.limits {
        let y = map.y(limit.value);
        let _ = writeln!(
            svg.text,
            r#"<path class="limits" d="M{left:.1} {y:.1}H{right:.1}"/><text class="limit" x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
            right - 6.0,
            y - 5.0,
            escape(&limit.text)
        );
    }
    for one in &panel.pins {
        pin(svg, map, one);
    }
}

/// Points by themselves.
fn dots(svg: &mut Svg, map: &Map<'_>, line: &Line, color: &str) {
    let points = line.x.iter().zip(&line.y);
    // Many points are small, so that they are seen one by one.
    let radius = if line.x.len() > MANY { 2.0 } else { DOT };
    for (x, y) in points.filter(|(x, y)| map.shows(**x, **y)) {
        let _ = writeln!(
            svg.text,
            "{}",
            dot((map.x(*x), map.y(*y)), (color, radius), r#" class="mark""#)
        );
    }
}

/// A dot at a place of the picture, with more attributes.
fn dot((x, y): (f64, f64), (color, radius): (&str, f64), attributes: &str) -> String {
    format!(
        r#"<circle{attributes} cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{color}" fill-opacity="0.35" stroke="{color}" stroke-width="1.7"/>"#
    )
}

/// A ring round a point, and its text on the left, where a front leaves room, or on the right if it does not fit there.
fn pin(svg: &mut Svg, map: &Map<'_>, pin: &Pin) {
    if !map.shows(pin.at.0, pin.at.1) {
        return;
    }
    let (x, y) = (map.x(pin.at.0), map.y(pin.at.1));
    let fits = x - text_width(&pin.text) - 2.0 * RING > map.frame.left;
    let (aside, anchor) = if fits { (-1.0, "end") } else { (1.0, "start") };
    let _ = writeln!(
        svg.text,
        r##"<circle cx="{x:.1}" cy="{y:.1}" r="{RING}" fill="none" stroke="#1b2833" stroke-width="2.4"/><text class="pin" x="{:.1}" y="{:.1}" text-anchor="{anchor}">{}</text>"##,
        x + aside * (RING + 5.0),
        y + 4.2,
        escape(&pin.text)
    );
}

/// Colour and dashes of a line by its position.
fn style(index: usize) -> (&'static str, &'static str) {
    (
        COLORS[index % COLORS.len()],
        DASHES[(index / COLORS.len()) % DASHES.len()],
    )
}

/// The colour of a line, and the attribute of its dashes.
fn look(panel: &Panel, index: usize) -> (String, String) {
    if panel.ramp {
        return (ramp(index, panel.lines.len()), String::new());
    }
    (style(index).0.to_owned(), dashes(index))
}

/// A colour of a series: between four of those of lines.
fn ramp(index: usize, count: usize) -> String {
    const STOPS: [[f64; 3]; 4] = [
        [0.0, 114.0, 178.0],
        [0.0, 158.0, 115.0],
        [230.0, 159.0, 0.0],
        [213.0, 94.0, 0.0],
    ];
    let place = 3.0 * index as f64 / (count.max(2) - 1) as f64;
    let below = (place as usize).min(2);
    let share = place - below as f64;
    let mix = |k: usize| {
        let (a, b) = (STOPS[below][k], STOPS[below + 1][k]);
        (a + share * (b - a)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// The path of a line. If several points share a pixel column, only the first, lowest, highest and last of them are
/// drawn, which looks the same and keeps the file small.
fn path(map: &Map<'_>, line: &Line) -> String {
    let mut text = String::new();
    let mut pen = Pen {
        text: &mut text,
        down: false,
        last: None,
    };
    let mut column: Vec<(f64, f64)> = Vec::new();
    for (&x, &y) in line.x.iter().zip(&line.y) {
        if !map.shows(x, y) {
            pen.flush(&mut column);
            pen.down = false;
            continue;
        }
        let point = (map.x(x), map.y(y));
        if column
            .first()
            .is_some_and(|first| first.0.floor() != point.0.floor())
        {
            pen.flush(&mut column);
        }
        column.push(point);
    }
    pen.flush(&mut column);
    text
}

/// Writes path commands, each point once.
struct Pen<'a> {
    text: &'a mut String,
    down: bool,
    last: Option<(f64, f64)>,
}

impl Pen<'_> {
    /// Draws a pixel column's points, thinned, in their order.
    fn flush(&mut self, column: &mut Vec<(f64, f64)>) {
        if column.len() > 4 {
            let by_height = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
            let lowest = (0..column.len()).min_by(by_height).unwrap_or(0);
            let highest = (0..column.len()).max_by(by_height).unwrap_or(0);
            let mut kept = vec![0, lowest, highest, column.len() - 1];
            kept.sort_unstable();
            kept.dedup();
            *column = kept.into_iter().map(|index| column[index]).collect();
        }
        for point in column.drain(..) {
            let rounded = (
                (point.0 * 10.0).round() / 10.0,
                (point.1 * 10.0).round() / 10.0,
            );
            if self.down && self.last == Some(rounded) {
                continue;
            }
            let command = if self.down { 'L' } else { 'M' };
            let _ = write!(self.text, "{command}{} {}", rounded.0, rounded.1);
            self.down = true;
            self.last = Some(rounded);
        }
    }
}

/// About how wide a text of the legend is (px).
fn text_width(text: &str) -> f64 {
    let width = |letter: char| {
        if letter.is_uppercase() {
            CAPITAL
        } else {
            CHARACTER
        }
    };
    text.chars().map(width).sum()
}

/// Positions of the legend's entries, row by row.
fn legend_rows(panel: &Panel) -> Vec<Vec<(usize, f64)>> {
    let named: Vec<usize> = (0..panel.lines.len())
        .filter(|index| !panel.lines[*index].name.is_empty())
        .collect();
    let speaks_for_itself = match named.as_slice() {
        [] => true,
        [only] => panel.y_label.starts_with(&panel.lines[*only].name),
        _ => false,
    };
    if speaks_for_itself {
        return Vec::new();
    }
    let mut rows = vec![Vec::new()];
    let mut x = 0.0;
    for index in named {
        let width = 34.0 + text_width(&panel.lines[index].name);
        if x + width > super::RIGHT - super::LEFT && x > 0.0 {
            rows.push(Vec::new());
            x = 0.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push((index, x));
        }
        x += width + 10.0;
    }
    rows
}

/// The attribute of a dashed line; empty: the line is solid.
fn dashes(index: usize) -> String {
    match style(index).1 {
        "" => String::new(),
        dash => format!(r#" stroke-dasharray="{dash}""#),
    }
}

fn legend(svg: &mut Svg, frame: &Frame, panel: &Panel) {
    let rows = legend_rows(panel);
    for (row, entries) in rows.iter().enumerate() {
        let y = frame.top - 16.0 - (rows.len() - 1 - row) as f64 * ROW;
        for (index, x) in entries {
            let (color, dash) = look(panel, *index);
            let (x, line) = (frame.left + x, &panel.lines[*index]);
            let sample = if line.dots {
                dot((x + 14.0, y), (&color, DOT), "")
            } else {
                format!(
                    r#"<path d="M{x:.1} {y:.1}h20" stroke="{color}" stroke-width="2.4"{dash}/>"#
                )
            };
            let _ = writeln!(
                svg.text,
                r#"{sample}<text class="legend" x="{:.1}" y="{:.1}">{}</text>"#,
                x + 26.0,
                y + 4.2,
                escape(&line.name)
            );
        }
    }
}
