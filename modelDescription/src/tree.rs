//! A small element tree with line numbers, read with quick-xml.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Deepest nesting that is read; descriptions need five.
const MAX_DEPTH: usize = 64;

/// Elements with this many attributes or more find them by bisection.
const MANY: usize = 32;

/// An element with its attributes in order and its child elements; text is left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// Indices of the attributes in the order of their names, if an element that was read has many.
    pub(crate) sorted: Vec<u32>,
    pub(crate) children: Vec<Self>,
    /// Line in the text, from 1.
    pub(crate) line: u32,
}

impl Element {
    /// The root element of a text.
    pub(crate) fn parse(text: &str) -> Result<Self, XmlError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Builder::default().run(text)
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        if self.sorted.len() == self.attributes.len() {
            let key = |at: &u32| self.attributes[*at as usize].0.as_str();
            let at = self.sorted.binary_search_by(|at| key(at).cmp(name)).ok()?;
            return Some(&self.attributes[self.sorted[at] as usize].1);
        }
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// An attribute or the empty text.
    pub(crate) fn text(&self, name: &str) -> String {
        self.attribute(name).unwrap_or_default().to_owned()
    }

    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The children of a child element; none if it is missing.
    pub(crate) fn children_of(&self, name: &str) -> &[Self] {
        self.child(name)
            .map_or(&[], |child| child.children.as_slice())
    }

    /// All children of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// A text that is not well-formed XML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct XmlError {
    /// Line in the text, from 1.
    pub line: u32,
    /// The fault.
    pub message: String,
}

/// The tree under construction.
#[derive(Default)]
struct Builder {
    open: Vec<Element>,
    root: Option<Element>,
}

impl Builder {
    fn run(mut self, text: &str) -> Result<Element, XmlError> {
        let mut reader = Reader::from_str(text);
        let mut lines = Lines::default();
        loop {
            let event = reader.read_event();
            let line = lines.at(text, reader.buffer_position() as usize);
            let fail = |message: String| XmlError { line, message };
            match event.map_err(|error| fail(error.to_string()))? {
                Event::Start(start) => {
                    if self.open.len() >= MAX_DEPTH {
                        return Err(fail(format!("nested deeper than {MAX_DEPTH} elements")));
                    }
                    self.open.push(element(&start, line)?);
                }
                Event::Empty(start) => self.close(element(&start, line)?),
                Event::End(_) => {
                    if let Some(done) = self.open.pop() {
                        self.close(done);
                    }
                }
                Event::Eof => {
                    return match (self.open.last(), self.root) {
                        (Some(open), _) => Err(fail(format!("<{}> is not closed", open.name))),
                        (None, None) => Err(fail("there is no element".to_owned())),
                        (None, Some(root)) => Ok(root),
                    };
                }
                _ => {}
            }
        }
    }

    fn close(&mut self, element: Element) {
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => {
                self.root.get_or_insert(element);
            }
        }
    }
}

fn element(start: &BytesStart<'_>, line: u32) -> Result<Element, XmlError> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let fail = |message: String| XmlError { line, message };
        let attribute = attribute.map_err(|error| fail(error.to_string()))?;
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|error| fail(error.to_string()))?;
        attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    let mut sorted = Vec::new();
    if attributes.len() >= MANY {
        sorted.extend(0..attributes.len() as u32);
        sorted.sort_by_key(|at: &u32| &attributes[*at as usize].0);
    }
    Ok(Element {
        name: start.name().as_ref().to_owned(),
        attributes,
        sorted,
        children: Vec::new(),
        line,
    })
}

/// Counts lines as the reader advances.
#[derive(Default)]
struct Lines {
    seen: usize,
    breaks: u32,
}

impl Lines {
    fn at(&mut self, text: &str, position: usize) -> u32 {
        let fresh = text.get(self.seen..position).unwrap_or_default();
        self.breaks += fresh.matches('\n').count() as u32;
        self.seen = self.seen.max(position);
        self.breaks + 1
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn elements_attributes_and_lines() {
        let root =
            Element::parse("\u{feff}<?xml version='1.0'?>\n<a x='1 &lt; 2'>\n t<b/>\n<!-- c --><b y=\"&#10;\"/></a>")
                .unwrap();
        assert_eq!((root.name.as_str(), root.line), ("a", 2));
        assert_eq!(root.attribute("x"), Some("1 < 2"));
        assert_eq!(root.all("b").count(), 2);
        assert_eq!(root.children[0].line, 3);
        assert_eq!(root.children[1].line, 4);
        assert_eq!(root.children[1].attribute("y"), Some("\n"));
    }

    #[test]
    fn many_attributes_are_found_as_few_are() {
        for count in [1, MANY - 1, MANY, 1000] {
            let mut all = String::new();
            for k in 0..count {
                write!(all, " a{}=\"{k}\"", count - k).unwrap();
            }
            let root = Element::parse(&format!("<e{all}/>")).unwrap();
            for k in 0..count {
                let name = format!("a{}", count - k);
                assert_eq!(root.attribute(&name), Some(k.to_string().as_str()));
            }
            assert_eq!(root.attribute("a"), None);
            assert_eq!(root.attributes[0].0, format!("a{count}"));
        }
        assert_eq!(Element::default().attribute("a"), None);
    }

    #[test]
    fn broken_texts_are_refused() {
        for (text, part) in [
            ("", "no element"),
            ("<a>\n<b>", "line 2: <b> is not closed"),
            ("<a></b>", "line 1"),
            ("<a x='1' x='2'/>", "dup"),
            ("<a x='&unknown;'/>", "unknown"),
            (&"<a>".repeat(65), "nested deeper"),
        ] {
            let message = Element::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
