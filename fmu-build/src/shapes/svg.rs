//! Control plane: a sheet as SVG text.

use std::fmt::Write as _;

use super::sheet::{Anchor, Item, Sheet};
use crate::markup::escape;

const STYLE: &str = "text{font-family:'Inter','Segoe UI','Helvetica Neue',Helvetica,Arial,sans-serif}\
path{fill:none;stroke-linecap:round;stroke-linejoin:round}";

/// The file.
pub(super) fn write(sheet: &Sheet) -> String {
    let [width, height] = sheet.size;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\">\n<style>{STYLE}</style>"
    );
    for item in &sheet.items {
        let _ = writeln!(out, "{}", element(item));
    }
    out.push_str("</svg>\n");
    out
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn element(item: &Item) -> String {
    match item {
        Item::Strokes {
            lines,
            width,
            color,
        } => {
            let mut path = String::new();
            for line in lines {
                for (k, [x, y]) in line.iter().enumerate() {
                    let _ = write!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
                }
            }
            format!(
                r#"<path stroke="{}" stroke-width="{width}" d="{path}"/>"#,
                hex(*color)
            )
        }
        Item::Disc {
            at: [x, y],
            radius,
            fill,
            rim,
        } => format!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{}" stroke="{}" stroke-width="1.6"/>"#,
            hex(*fill),
            hex(*rim)
        ),
        Item::Rectangle {
            at: [x, y],
            size: [w, h],
            fill,
        } => format!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" fill="{}"/>"#,
            hex(*fill)
        ),
        Item::Text {
            at: [x, y],
            size,
            color,
            bold,
            anchor,
            text,
        } => format!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" fill="{}"{}{} xml:space="preserve">{}</text>"#,
            hex(*color),
            if *bold { " font-weight=\"600\"" } else { "" },
            if *anchor == Anchor::Right {
                " text-anchor=\"end\""
            } else {
                ""
            },
            escape(text)
        ),
    }
}
