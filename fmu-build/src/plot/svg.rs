//! Control plane: the SVG document around the drawing, and its styles.

use crate::markup;

/// Colours of lines (Okabe and Ito 2008), darkest first, yellow left out: it vanishes on white.
pub(super) const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#3d3d3d",
];
/// Dashes of the first seven lines, the next seven, …
pub(super) const DASHES: [&str; 4] = ["", "6 3", "2 2.5", "8 3 2 3"];

const STYLE: &str = "\
.title{font-size:17px;font-weight:600}\
.subtitle{font-size:12.5px;fill:#5b6a78}\
.label{font-size:12.5px;fill:#3b4954}\
.tick{font-size:11.5px;fill:#5b6a78}\
.legend{font-size:12.5px}\
.limit{font-size:11.5px;fill:#a12d2d}\
.pin{font-size:12.5px;font-weight:600;paint-order:stroke;stroke:#fff;stroke-width:3.5}\
.grid{stroke:#e4e9ee;stroke-width:1}\
.axis{stroke:#8a98a5;stroke-width:1;fill:none}\
.line{fill:none;stroke-width:1.7;stroke-linejoin:round;stroke-linecap:round}\
.limits{stroke:#c0392b;stroke-width:1.1;stroke-dasharray:5 4}";

/// An SVG document being written.
pub(super) struct Svg {
    /// The text so far.
    pub(super) text: String,
    /// Clip paths used so far.
    pub(super) clips: u32,
}

impl Svg {
    /// Opens a document with a light background.
    pub(super) fn new(width: f64, height: f64) -> Self {
        let text = markup::svg([width, height], markup::INK, STYLE) + markup::PAPER + "\n";
        Self { text, clips: 0 }
    }

    /// Closes the document.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}
