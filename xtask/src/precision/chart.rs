//! Figures of error against work: panels with two logarithmic axes, and one legend. Control plane.

use std::fmt::Write as _;

use crate::bench::chart::{COLORS, decades, document, path, power, text};

/// Size of a panel.
const WIDE: f64 = 240.0;
const HIGH: f64 = 200.0;
/// Names in a row of the legend.
const ROW: usize = 3;

/// A program: its name, and points of work and error, from coarse to fine.
pub(super) struct Curve {
    pub(super) name: String,
    /// For each panel.
    pub(super) points: Vec<Vec<(f64, f64)>>,
}

/// Colour and dashes of a curve, so that more curves than colours can be told apart.
fn stroke(k: usize) -> String {
    let dashes = ["none", "6 3", "2 3"][(k / COLORS.len()).min(2)];
    format!(
        "stroke=\"{}\" stroke-dasharray=\"{dashes}\"",
        COLORS[k % COLORS.len()]
    )
}

/// An entry of the legend.
fn key(x: f64, y: f64, k: usize, name: &str) -> String {
    format!(
        "<path d=\"M{x:.1} {y:.1}h24\" {} stroke-width=\"2.6\"/>",
        stroke(k)
    ) + &text(x + 30.0, y + 4.0, "start", "", name)
}

/// Error over several kinds of work, side by side.
pub(super) fn figure(title: &str, panels: &[&str], curves: &[Curve]) -> String {
    let rows = curves.len().div_ceil(ROW);
    let top = 66.0 + 20.0 * rows as f64;
    let (left, gap) = (70.0, 66.0);
    let width = left + panels.len() as f64 * (WIDE + gap) - gap + 24.0;
    let mut body = text(22.0, 28.0, "start", "title", title);
    for (k, curve) in curves.iter().enumerate() {
        let x = left + 290.0 * (k % ROW) as f64;
        body += &key(x, 50.0 + 20.0 * (k / ROW) as f64, k, &curve.name);
    }
    for (k, label) in panels.iter().enumerate() {
        let x = left + k as f64 * (WIDE + gap);
        body += &panel(label, curves, k, (x, top));
    }
    document(width, top + HIGH + 52.0, &body)
}

/// One pair of axes.
fn panel(label: &str, curves: &[Curve], which: usize, (left, top): (f64, f64)) -> String {
    let points = || curves.iter().flat_map(|curve| curve.points[which].iter());
    if points().next().is_none() {
        return String::new();
    }
    let across = decades(points().map(|point| point.0));
    let up = decades(points().map(|point| point.1));
    let share =
        |value: f64, (low, high): (f64, f64)| (value.log2() / 10_f64.log2() - low) / (high - low);
    let at_x = |value: f64| left + WIDE * share(value, across);
    let at_y = |value: f64| top + HIGH * (1.0 - share(value, up));
    let (bottom, right) = (top + HIGH, left + WIDE);
    let mut svg = String::new();
    for exponent in across.0 as i32..=across.1 as i32 {
        let x = at_x(10_f64.powi(exponent));
        svg += &path("grid", &format!("M{x:.1} {top:.1}V{bottom:.1}"));
        svg += &text(x, bottom + 16.0, "middle", "tick", &power(exponent));
    }
    for exponent in up.0 as i32..=up.1 as i32 {
        let y = at_y(10_f64.powi(exponent));
        svg += &path("grid", &format!("M{left:.1} {y:.1}H{right:.1}"));
        // Labels at every other decade, where there are many.
        if up.1 - up.0 < 9.0 || exponent % 2 == 0 {
            svg += &text(left - 6.0, y + 4.0, "end", "tick", &power(exponent));
        }
    }
    svg += &path(
        "axis",
        &format!("M{left:.1} {top:.1}V{bottom:.1}H{right:.1}"),
    );
    svg += &text(left + WIDE / 2.0, bottom + 36.0, "middle", "", label);
    for (k, curve) in curves.iter().enumerate() {
        let color = COLORS[k % COLORS.len()];
        let places: Vec<(f64, f64)> = { curve.points[which].iter() }
            .map(|(x, y)| (at_x(*x), at_y(*y)))
            .collect();
        let course: Vec<String> = places
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let course = course.join(" ");
        let _ = write!(
            svg,
            "<polyline class=\"line\" {} points=\"{course}\"/>",
            stroke(k)
        );
        for (x, y) in places {
            let _ = write!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\" fill=\"{color}\"/>"
            );
        }
    }
    svg + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_every_point_in_every_panel() {
        let curve = Curve {
            name: "ours".into(),
            points: vec![vec![(10.0, 1e-3), (100.0, 1e-6)]; 2],
        };
        let svg = figure("t", &["steps", "time"], &[curve]);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("steps") && svg.contains("10⁻⁶"), "{svg}");
    }
}
