//! Small log-log panels, one for each case, as one SVG.

use super::{Case, SCHEMES};
use std::fmt::Write;

const ACROSS: usize = 4;
const WIDTH: f64 = 250.0;
const HEIGHT: f64 = 210.0;
/// Left, right, top and bottom margins of a panel.
const MARGINS: [f64; 4] = [42.0, 12.0, 26.0, 30.0];
const LEGEND: f64 = 40.0;
/// Okabe and Ito's colours, told apart without colour vision too; dashes for one that hides behind
/// another.
pub(crate) const STROKES: [(&str, &str); 6] = [
    ("#D55E00", ""),
    ("#E69F00", ""),
    ("#999999", ""),
    ("#0072B2", ""),
    ("#009E73", ""),
    ("#000000", "2 4"),
];

/// The picture of all cases.
pub(super) fn draw(cases: &[Case]) -> String {
    let rows = cases.len().div_ceil(ACROSS);
    let (width, height) = (WIDTH * ACROSS as f64, HEIGHT * rows as f64 + LEGEND);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<title>Error against step size</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (k, ((_, name, _), (colour, dashes))) in SCHEMES.iter().zip(STROKES).enumerate() {
        let x = 20.0 + 160.0 * k as f64;
        let _ = writeln!(
            svg,
            "<line x1=\"{x}\" y1=\"20\" x2=\"{}\" y2=\"20\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dashes}\"/><text x=\"{}\" y=\"24\">{name}</text>",
            x + 24.0,
            x + 30.0
        );
    }
    for (k, case) in cases.iter().enumerate() {
        let at = (
            WIDTH * (k % ACROSS) as f64,
            LEGEND + HEIGHT * (k / ACROSS) as f64,
        );
        panel(&mut svg, case, at);
    }
    svg += "</svg>\n";
    svg
}

/// One case.
fn panel(svg: &mut String, case: &Case, (left, top): (f64, f64)) {
    let [west, east, north, south] = MARGINS;
    let all = || case.runs.iter().flat_map(super::Run::worst);
    let decade = fixstep_kernel::math::log10;
    let low = all().map(decade).fold(f64::INFINITY, f64::min).floor();
    let high = all().map(decade).fold(f64::NEG_INFINITY, f64::max).ceil();
    let steps = || case.steps.iter().map(|h| decade(*h));
    let first = steps().fold(f64::INFINITY, f64::min) - 0.1;
    let last = steps().fold(f64::NEG_INFINITY, f64::max) + 0.1;
    let x = |h: f64| left + west + (decade(h) - first) / (last - first) * (WIDTH - west - east);
    let y =
        |e: f64| top + HEIGHT - south - (decade(e) - low) / (high - low) * (HEIGHT - north - south);
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" font-weight=\"bold\">{}</text>",
        left + west,
        top + 16.0,
        case.title
    );
    let every = if high - low > 6.0 { 2 } else { 1 };
    for power in (low as i32..=high as i32).filter(|p| (p - low as i32) % every == 0) {
        let at = y(10.0_f64.powi(power));
        let _ = writeln!(
            svg,
            "<line x1=\"{:.1}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555555\">10<tspan dy=\"-4\" \
             font-size=\"8\">{power}</tspan></text>",
            left + west,
            left + WIDTH - east,
            left + west - 4.0,
            at + 4.0
        );
    }
    for h in &case.steps {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555555\" \
             font-size=\"9\">{}</text>",
            x(*h),
            top + HEIGHT - south + 14.0,
            super::milliseconds(*h)
        );
    }
    for (run, (colour, dashes)) in case.runs.iter().zip(STROKES) {
        let worst = run.worst();
        let points: Vec<String> = case
            .steps
            .iter()
            .zip(&worst)
            .map(|(h, e)| format!("{:.1},{:.1}", x(*h), y(*e)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" \
             stroke-dasharray=\"{dashes}\"/>",
            points.join(" ")
        );
    }
}
