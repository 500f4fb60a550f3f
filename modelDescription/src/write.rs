//! Builds elements and writes them as text. Attributes keep their order.

use crate::tree::Element;

impl Element {
    /// An element without anything.
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// With an attribute.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.attributes.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With an attribute before all others.
    pub(crate) fn first(mut self, name: &str, value: &str) -> Self {
        self.attributes
            .insert(0, (name.to_owned(), value.to_owned()));
        self
    }

    /// With an attribute, unless its value is empty.
    pub(crate) fn with_some(self, name: &str, value: &str) -> Self {
        if value.is_empty() {
            self
        } else {
            self.with(name, value)
        }
    }

    /// With an attribute, if it has a value.
    pub(crate) fn with_option(self, name: &str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.with(name, &value),
            None => self,
        }
    }

    /// With a boolean attribute.
    pub(crate) fn with_flag(self, name: &str, value: bool) -> Self {
        self.with(name, if value { "true" } else { "false" })
    }

    /// With children.
    pub(crate) fn containing(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children);
        self
    }

    /// With a child that holds others, unless there are none.
    pub(crate) fn containing_group(self, name: &str, children: Vec<Self>) -> Self {
        if children.is_empty() {
            self
        } else {
            self.containing([Self::new(name).containing(children)])
        }
    }

    /// The element as an XML document.
    pub(crate) fn document(&self) -> String {
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        self.render(&mut text, 0);
        text
    }

    fn render(&self, text: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        text.push_str(&indent);
        text.push('<');
        text.push_str(&self.name);
        for (name, value) in &self.attributes {
            text.push(' ');
            text.push_str(name);
            text.push_str("=\"");
            escape(value, text);
            text.push('"');
        }
        if self.children.is_empty() {
            text.push_str("/>\n");
            return;
        }
        text.push_str(">\n");
        for child in &self.children {
            child.render(text, depth + 1);
        }
        text.push_str(&indent);
        text.push_str("</");
        text.push_str(&self.name);
        text.push_str(">\n");
    }
}

/// An attribute's value: markup and white space that a reader would change are escaped; characters
/// that XML 1.0 forbids become U+FFFD.
fn escape(value: &str, text: &mut String) {
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\t' => text.push_str("&#9;"),
            '\n' => text.push_str("&#10;"),
            '\r' => text.push_str("&#13;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => text.push('\u{fffd}'),
            _ => text.push(c),
        }
    }
}

/// `xs:double`, in the fewest digits that read back the same.
pub(crate) fn number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    let text = format!("{value:?}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn attributes_read_back_as_written() {
        let value = "a<b> & \"c\" 'd'\n\té";
        let text = Element::new("x")
            .with("v", value)
            .containing_group("none", vec![])
            .containing_group("some", vec![Element::new("y").with_flag("f", true)])
            .document();
        let back = Element::parse(&text).unwrap();
        assert_eq!(back.attribute("v"), Some(value));
        assert_eq!(back.children.len(), 1);
        assert_eq!(back.children_of("some")[0].attribute("f"), Some("true"));
    }

    #[test]
    fn forbidden_characters_do_not_reach_the_text() {
        let text = Element::new("x").with("v", "\u{0}\u{1b}").document();
        assert!(text.contains("v=\"\u{fffd}\u{fffd}\""));
    }

    #[test]
    fn numbers_read_back_to_the_bit() {
        for value in [0.0, -0.0, 1.0, 0.1, 1e300, 5e-324, -9806.65, 1.0 / 3.0] {
            let text = number(value);
            let back = crate::parse::read_number(&text).unwrap();
            assert_eq!(back.to_bits(), f64::to_bits(value), "{text}");
        }
        assert_eq!(number(2.0), "2");
        assert_eq!(number(f64::NEG_INFINITY), "-INF");
    }
}
