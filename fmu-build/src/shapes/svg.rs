//! Control plane: writes a sheet of drawn modes as SVG.

use std::fmt::Write as _;

use super::sheet::{Anchor, Item, Sheet};
use crate::markup::{self, escape};

const STYLE: &str = "path{fill:none;stroke-linecap:round;stroke-linejoin:round}";

/// The file.
pub(super) fn write(sheet: &Sheet) -> String {
    let mut out = markup::svg(sheet.size, "", STYLE);
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
            let path = markup::path(lines);
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
