//! Control plane: line plots as SVG text, deterministic, with nothing but the standard library.
//!
//! A [`Plot`] is a column of [`Panel`]s over one common x axis; each panel has its own y axis,
//! lines and legend. The text depends only on the data: the same plot is the same bytes.
//!
//! Colours are those of Okabe and Ito (2008), which colour-blind readers can distinguish. From the eighth line on,
//! dashes distinguish lines of the same colour.

mod panel;
mod svg;
mod ticks;

use std::fmt::Write as _;

use crate::markup::escape;
use svg::Svg;

/// Width of the picture (px).
const WIDTH: f64 = 880.0;
/// Left edge of the axes, unless their numbers need more room; and what is left of the numbers.
const LEFT: f64 = 78.0;
const ASIDE: f64 = 40.0;
/// Right edge of the axes.
const RIGHT: f64 = WIDTH - 24.0;
/// Space between panels.
const GAP: f64 = 30.0;

/// A picture of one or more panels over a common x axis.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// Title; empty: none.
    pub title: String,
    /// A smaller line below the title; empty: none.
    pub subtitle: String,
    /// Label of the x axis, with its unit, such as `time (s)`.
    pub x_label: String,
    /// Scale of the x axis.
    pub x_scale: Scale,
    /// The panels from top to bottom.
    pub panels: Vec<Panel>,
    /// Is it lower than usual, as one of several in a picture?
    pub low: bool,
    /// Is a unit as long upward as along x? For one panel of linear scales.
    pub equal: bool,
}

/// One pair of axes.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Label of the y axis, with its unit.
    pub y_label: String,
    /// The lines, in the legend's order.
    pub lines: Vec<Line>,
    /// Horizontal marks that are not data, such as a limit.
    pub limits: Vec<Limit>,
    /// Scale of the y axis.
    pub scale: Scale,
    /// Points marked by circles, such as where lines begin or meet.
    pub marks: Vec<(f64, f64)>,
    /// Points that must be found at once, above all else.
    pub pins: Vec<Pin>,
    /// Are the lines a series, whose colours go from blue to red?
    pub ramp: bool,
    /// What the y axis shows at least.
    pub at_least: Option<(f64, f64)>,
}

/// A point with a ring round it and a text beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Where it is.
    pub at: (f64, f64),
    /// Its text.
    pub text: String,
}

/// A named series of points.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Name for the legend; empty: not in the legend.
    pub name: String,
    /// Abscissae.
    pub x: Vec<f64>,
    /// Ordinates; a value that is not finite leaves a gap.
    pub y: Vec<f64>,
    /// Points by themselves, not a line through them.
    pub dots: bool,
}

/// A dashed horizontal line with a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Its height.
    pub value: f64,
    /// Its text.
    pub text: String,
}

/// Scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equal differences.
    #[default]
    Linear,
    /// Equal distances are equal ratios; values that are not positive are not drawn.
    Logarithmic,
}

impl Plot {
    /// One panel for each unit in the order of first appearance: `(name, unit, values)` over `time`.
    pub fn of_series<'a>(
        title: &str,
        x_label: &str,
        time: &[f64],
        series: impl IntoIterator<Item = (&'a str, &'a str, Vec<f64>)>,
    ) -> Self {
        let mut plot = Self {
            title: title.to_owned(),
            x_label: x_label.to_owned(),
            ..Self::default()
        };
        let mut units: Vec<&str> = Vec::new();
        for (name, unit, y) in series {
            let at = units
                .iter()
                .position(|known| *known == unit)
                .unwrap_or_else(|| {
                    units.push(unit);
                    plot.panels.push(Panel::default());
                    units.len() - 1
                });
            let line = Line {
                name: name.to_owned(),
                x: time.to_vec(),
                y,
                dots: false,
            };
            plot.panels[at].lines.push(line);
        }
        for (panel, unit) in plot.panels.iter_mut().zip(units) {
            panel.y_label = match (panel.lines.as_slice(), unit) {
                ([only], "") => only.name.clone(),
                ([only], unit) => format!("{} [{unit}]", only.name),
                (_, "") => String::new(),
                (_, unit) => format!("[{unit}]"),
            };
        }
        plot
    }

    /// The picture as SVG text.
    pub fn to_svg(&self) -> String {
        stacked(std::slice::from_ref(self))
    }

    /// The height of the picture (px).
    fn height(&self) -> f64 {
        let height = self.panel_height();
        let legends = self.panels.iter().map(panel::legend_height);
        let body: f64 = legends.map(|legend| legend + height + GAP).sum();
        self.header_height() + body + 18.0
    }

    /// Draws into a document.
    fn draw(&self, svg: &mut Svg) {
        let height = self.panel_height();
        let widths = self.panels.iter().map(|own| panel::tick_width(own, height));
        let left = widths.fold(LEFT, |left, width| left.max(ASIDE + width));
        let mut top = self.header_height();
        self.header(svg);
        let mut x_range = self.x_range();
        let last = self.panels.len().saturating_sub(1);
        for (index, panel) in self.panels.iter().enumerate() {
            top += panel::legend_height(panel);
            let frame = panel::Frame {
                left,
                right: RIGHT,
                top,
                bottom: top + height,
            };
            if self.equal {
                let (widened, x) = panel::squared(panel, &frame, x_range);
                x_range = x;
                panel::draw(svg, &widened, &frame, (x, self.x_scale), index == last);
            } else {
                panel::draw(svg, panel, &frame, (x_range, self.x_scale), index == last);
            }
            top += height + GAP;
        }
        let _ = writeln!(
            svg.text,
            r#"<text class="label" x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            f64::midpoint(left, RIGHT),
            self.height() - 10.0,
            escape(&ticks::ticks(x_range, 10, self.x_scale, false).labelled(&self.x_label))
        );
    }

    /// Few panels are tall, many are low.
    fn panel_height(&self) -> f64 {
        match self.panels.len() {
            0 | 1 if self.low => 190.0,
            0 | 1 => 340.0,
            2 => 220.0,
            3 => 170.0,
            _ => 140.0,
        }
    }

    fn header_height(&self) -> f64 {
        let title = if self.title.is_empty() { 16.0 } else { 44.0 };
        title + if self.subtitle.is_empty() { 0.0 } else { 18.0 }
    }

    fn header(&self, svg: &mut Svg) {
        let _ = writeln!(
            svg.text,
            r#"<text class="title" x="{LEFT}" y="28">{}</text>"#,
            escape(&self.title)
        );
        if !self.subtitle.is_empty() {
            let _ = writeln!(
                svg.text,
                r#"<text class="subtitle" x="{LEFT}" y="47">{}</text>"#,
                escape(&self.subtitle)
            );
        }
    }

    fn x_range(&self) -> (f64, f64) {
        let all = self
            .panels
            .iter()
            .flat_map(|panel| &panel.lines)
            .flat_map(|line| line.x.iter().copied());
        let pins = self.panels.iter().flat_map(|panel| &panel.pins);
        let all = all.chain(pins.map(|pin| pin.at.0));
        let shown = |x: &f64| self.x_scale == Scale::Linear || *x > 0.0;
        let (low, high) = ticks::extent(all.filter(shown));
        if low < high {
            return (low, high);
        }
        match self.x_scale {
            // A single value is in the middle.
            Scale::Linear => (low - 0.5, low + 0.5),
            Scale::Logarithmic => (low, low + 1.0),
        }
    }
}

/// Plots with axes of their own, one below the other in one picture.
pub fn stacked(plots: &[Plot]) -> String {
    let total = plots.iter().map(Plot::height).sum();
    let mut svg = Svg::new(WIDTH, total);
    let mut top = 0.0;
    for plot in plots {
        if top > 0.0 {
            let _ = writeln!(svg.text, r#"<g transform="translate(0 {top:.1})">"#);
        }
        plot.draw(&mut svg);
        if top > 0.0 {
            svg.text.push_str("</g>\n");
        }
        top += plot.height();
    }
    svg.finish()
}

#[cfg(test)]
mod tests;
