//! Figures of the benchmark page: curves over sizes, bars over groups. Control plane.

/// Colours of Okabe and Ito, which colour-blind readers can distinguish.
pub(crate) const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#3d3d3d",
];
const STYLE: &str = "<style>text{font-family:'Inter','Segoe UI','Helvetica Neue',Helvetica,Arial,sans-serif;\
fill:#24313d;font-size:12px}.title{font-size:15px;font-weight:600}.tick{font-size:11px;fill:#5b6a78}\
.grid{stroke:#e4e9ee}.axis{stroke:#8a98a5;fill:none}.line{fill:none;stroke-width:1.8}</style>\n";

/// Names in a row of the legend.
const LEGEND: usize = 3;

/// A named curve.
pub(super) struct Curve {
    /// In the legend; empty: none.
    pub(super) name: String,
    /// Positive places.
    pub(super) points: Vec<(f64, f64)>,
}

/// A pair of axes.
pub(super) struct Panel {
    /// Logarithmic, or linear from zero.
    pub(super) logarithmic: bool,
    /// Above the axes.
    pub(super) title: String,
    /// Below them.
    pub(super) x_label: String,
    /// The curves.
    pub(super) curves: Vec<Curve>,
}

pub(crate) fn document(width: f64, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\">\n{STYLE}<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

pub(crate) fn text(x: f64, y: f64, anchor: &str, class: &str, words: &str) -> String {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{words}</text>\n"
    )
}

/// Powers of ten around numbers.
pub(crate) fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), x: f64| {
        (low.min(x), high.max(x))
    });
    let low = low.log10_floor();
    (low, high.log10_ceil().max(low + 1.0))
}

/// Whole exponents; a hair keeps rounding from adding a decade.
trait Exponents {
    fn exponent(self) -> f64;
    fn log10_floor(self) -> f64;
    fn log10_ceil(self) -> f64;
}

impl Exponents for f64 {
    fn exponent(self) -> f64 {
        self.log2() / 10_f64.log2()
    }
    fn log10_floor(self) -> f64 {
        (self.exponent() + 1e-9).floor()
    }
    fn log10_ceil(self) -> f64 {
        (self.exponent() - 1e-9).ceil()
    }
}

/// 1000, 10⁴.
pub(crate) fn power(exponent: i32) -> String {
    if (-2..=3).contains(&exponent) {
        return format!("{}", 10_f64.powi(exponent));
    }
    let number = exponent.to_string();
    let raised = number.chars().filter_map(|c| match c {
        '-' => Some('⁻'),
        c => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(c.to_digit(10)? as usize),
    });
    format!("10{}", raised.collect::<String>())
}

/// Panels side by side in rows of `columns`, with a common label of the y axes.
pub(super) fn panels(title: &str, y_label: &str, panels: &[Panel], columns: usize) -> String {
    let (wide, high) = (
        if columns == 1 { 640.0 } else { 250.0 },
        if columns == 1 { 330.0 } else { 160.0 },
    );
    let (left, top, gap_x, gap_y) = (74.0, 80.0, 62.0, 74.0);
    let rows = panels.len().div_ceil(columns);
    let width = left + columns as f64 * (wide + gap_x) - gap_x + 26.0;
    let legend = if columns == 1 {
        22.0 * panels
            .first()
            .map_or(0, |panel| panel.curves.len())
            .div_ceil(LEGEND) as f64
    } else {
        0.0
    };
    let height = top + legend + rows as f64 * (high + gap_y) - 14.0;
    let mut body =
        text(22.0, 28.0, "start", "title", title) + &text(22.0, 46.0, "start", "tick", y_label);
    for (k, panel) in panels.iter().enumerate() {
        let x = left + (k % columns) as f64 * (wide + gap_x);
        let y = top + legend + (k / columns) as f64 * (high + gap_y);
        body += &axes(panel, [x, y, wide, high]);
    }
    document(width, height, &body)
}

/// Where data lie in a picture.
struct Frame {
    left: f64,
    top: f64,
    wide: f64,
    high: f64,
    logarithmic: bool,
    /// Data of both ends.
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    /// The position of a number between two others.
    fn share(&self, value: f64, (low, high): (f64, f64)) -> f64 {
        if self.logarithmic {
            (value / low).log2() / (high / low).log2()
        } else {
            (value - low) / (high - low)
        }
    }

    fn x(&self, x: f64) -> f64 {
        self.left + self.wide * self.share(x, self.x)
    }

    fn y(&self, y: f64) -> f64 {
        self.top + self.high * (1.0 - self.share(y, self.y))
    }
}

/// Marks of a y axis: powers of ten around the data, or whole steps from zero.
fn marks(panel: &Panel) -> Vec<(f64, String)> {
    let all = panel
        .curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(|point| point.1));
    if panel.logarithmic {
        let (low, high) = decades(all);
        return (low as i32..=high as i32)
            .map(|n| (10_f64.powi(n), power(n)))
            .collect();
    }
    let most = all.fold(0.0_f64, f64::max);
    let unit = 10_f64.powi((most / 4.0).log10_floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|nice| nice * unit)
        .into_iter()
        .find(|step| 4.0 * step >= most);
    let step = step.unwrap_or(unit);
    let count = (most / step).ceil() as i32;
    let text = |value: f64| {
        if step < 1.0 {
            format!("{value:.*}", (-step.log10_floor()) as usize)
        } else {
            format!("{value}")
        }
    };
    (0..=count)
        .map(|n| (f64::from(n) * step, text(f64::from(n) * step)))
        .collect()
}

pub(crate) fn path(class: &str, course: &str) -> String {
    format!("<path class=\"{class}\" d=\"{course}\"/>")
}

/// One panel in its frame: left, top, width, height.
fn axes(panel: &Panel, [left, top, wide, high]: [f64; 4]) -> String {
    let marks = marks(panel);
    let mut ticks: Vec<f64> = panel
        .curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(|point| point.0))
        .collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    let (Some(first), Some(last)) = (ticks.first(), ticks.last()) else {
        return String::new();
    };
    let x = (if panel.logarithmic { *first } else { 0.0 }, *last);
    let y = (
        marks.first().map_or(0.0, |mark| mark.0),
        marks.last().map_or(1.0, |mark| mark.0),
    );
    let frame = Frame {
        left,
        top,
        wide,
        high,
        logarithmic: panel.logarithmic,
        x,
        y,
    };
    let (bottom, right) = (top + high, left + wide);
    let mut svg = text(left, top - 8.0, "start", "", &panel.title);
    for (value, words) in &marks {
        let at = frame.y(*value);
        svg += &path("grid", &format!("M{left:.1} {at:.1}H{right:.1}"));
        svg += &text(left - 7.0, at + 4.0, "end", "tick", words);
    }
    for tick in ticks {
        let at = frame.x(tick);
        svg += &path("grid", &format!("M{at:.1} {top:.1}V{bottom:.1}"));
        svg += &text(at, bottom + 16.0, "middle", "tick", &format!("{tick}"));
    }
    svg += &path(
        "axis",
        &format!("M{left:.1} {top:.1}V{bottom:.1}H{right:.1}"),
    );
    svg += &text(
        f64::midpoint(left, right),
        bottom + 34.0,
        "middle",
        "",
        &panel.x_label,
    );
    let rows = panel.curves.len().div_ceil(LEGEND);
    for (k, curve) in panel.curves.iter().enumerate() {
        svg += &line(&frame, curve, k);
        if !curve.name.is_empty() {
            let row = (rows - 1 - k / LEGEND) as f64;
            svg += &key(
                left + 225.0 * (k % LEGEND) as f64,
                top - 14.0 - 20.0 * row,
                k,
                &curve.name,
            );
        }
    }
    svg + "\n"
}

/// An entry of a legend.
fn key(x: f64, y: f64, k: usize, name: &str) -> String {
    let color = COLORS[k % COLORS.len()];
    let stroke = format!("<path d=\"M{x:.1} {y:.1}h18\" stroke=\"{color}\" stroke-width=\"2.6\"/>");
    stroke + &text(x + 24.0, y + 4.0, "start", "", name)
}

/// A curve.
fn line(frame: &Frame, curve: &Curve, k: usize) -> String {
    let color = COLORS[k % COLORS.len()];
    let places = curve.points.iter().map(|(x, y)| (frame.x(*x), frame.y(*y)));
    let points: Vec<String> = places
        .clone()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let course = points.join(" ");
    let mut svg = format!("<polyline class=\"line\" stroke=\"{color}\" points=\"{course}\"/>");
    let dot = |(x, y): (f64, f64)| {
        format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{color}\"/>")
    };
    svg += &places.map(dot).collect::<Vec<_>>().concat();
    svg
}

/// The kind of a bar.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Ours.
    Ours,
    /// A program that solves the same equations.
    Same,
    /// One that solves others.
    Other,
}

impl Kind {
    fn color(self) -> &'static str {
        match self {
            Self::Ours => COLORS[0],
            Self::Same => "#eba26a",
            Self::Other => "#b4bec8",
        }
    }
}

/// Bars of a group.
pub(super) struct Group {
    /// Above the bars.
    pub(super) title: String,
    /// Names, kinds and numbers.
    pub(super) bars: Vec<(String, Kind, f64)>,
}

/// Horizontal bars on a common logarithmic axis, with the numbers beside them.
pub(super) fn bars(title: &str, label: &str, unit: &str, groups: &[Group]) -> String {
    let (left, wide, high) = (330.0, 430.0, 19.0);
    let (low, top) = decades(
        groups
            .iter()
            .flat_map(|group| group.bars.iter().map(|bar| bar.2)),
    );
    let at = |value: f64| left + wide * (value.exponent() - low) / (top - low);
    let mut body =
        text(22.0, 28.0, "start", "title", title) + &text(22.0, 46.0, "start", "tick", label);
    let mut y = 74.0;
    let begin = y - 14.0;
    let mut marks = String::new();
    for group in groups {
        marks += &text(22.0, y, "start", "title", &group.title);
        y += 10.0;
        for (name, kind, value) in &group.bars {
            let color = kind.color();
            let length = (at(*value) - left).max(1.0);
            let bar = format!(
                "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"{color}\"/>",
                y + 2.0,
                high - 5.0
            );
            marks += &bar;
            marks += &text(left - 8.0, y + 13.0, "end", "", name);
            marks += &text(
                left + length + 6.0,
                y + 13.0,
                "start",
                "tick",
                &format!("{} {unit}", digits(*value)),
            );
            y += high;
        }
        y += 28.0;
    }
    for exponent in low as i32..=top as i32 {
        let x = at(10_f64.powi(exponent));
        body += &path("grid", &format!("M{x:.1} {begin:.1}V{:.1}", y - 20.0));
        body += &text(x, y - 6.0, "middle", "tick", &power(exponent));
    }
    document(left + wide + 90.0, y + 6.0, &(body + &marks))
}

/// Three digits.
pub(crate) fn digits(value: f64) -> String {
    let decimals = (2.0 - value.abs().log10_floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_axes_whole_decades() {
        assert_eq!(
            [digits(12.345), digits(0.012_345), digits(1234.5)],
            ["12.3", "0.0123", "1234"]
        );
        assert_eq!(decades([20.0, 1000.0].into_iter()), (1.0, 3.0));
        assert_eq!([power(2), power(4), power(-5)], ["100", "10⁴", "10⁻⁵"]);
    }

    #[test]
    fn figures_hold_what_is_given() {
        let curve = Curve {
            name: "ours".into(),
            points: vec![(1.0, 2.0), (4.0, 8.0)],
        };
        let panel = Panel {
            logarithmic: true,
            title: "t".into(),
            x_label: "links".into(),
            curves: vec![curve],
        };
        assert_eq!(panels("a", "b", &[panel], 1).matches("<circle").count(), 2);
        let group = Group {
            title: "chain".into(),
            bars: vec![
                ("ours".into(), Kind::Ours, 2.0),
                ("a < b".into(), Kind::Other, 30.0),
            ],
        };
        let svg = bars("a", "b", "us", &[group]);
        assert!(svg.contains("a &lt; b") && svg.contains("30.0 us"));
    }
}
