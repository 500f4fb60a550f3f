//! Control plane: escapes text for XML and HTML, and holds what all drawings in SVG have in common.

/// Letters of drawings, for a style sheet.
const FONT: &str = "font-family:'Inter','Segoe UI','Helvetica Neue',Helvetica,Arial,sans-serif";
/// A light background with round corners.
pub(crate) const PAPER: &str = "<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#ffffff\"/>";

/// The colour of letters, where they have none of their own.
pub(crate) const INK: &str = ";fill:#24313d";

/// The beginning of an SVG with a size in pixels; text has the common font and the given attributes.
pub(crate) fn svg([width, height]: [f64; 2], letters: &str, style: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\">\n<style>text{{{FONT}{letters}}}{style}</style>\n"
    )
}

/// Text as XML character data and attribute value; characters that XML forbids are replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
