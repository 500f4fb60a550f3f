//! Control plane: pages for a browser: each is one file that loads nothing else, and is safe whatever text the names
//! contain.
//!
//! A [`Page`] is a title and parts: moving shapes, charts, tables, text. The script beside this file draws each kind.

mod scene;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::markup::escape;
use crate::plot::Plot;

pub(crate) use scene::COLORS;
pub use scene::{BodyMotion, Scene, Shape, Style};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// A smaller line below.
    pub subtitle: String,
    /// From top to bottom.
    pub parts: Vec<Part>,
}

/// A part of a page.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// Its heading.
    pub heading: String,
    /// Its contents.
    #[serde(flatten)]
    pub content: Content,
}

/// The kind of a part of a page.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Content {
    /// Shapes that move.
    Scene(Box<Scene>),
    /// A picture with axes.
    Chart {
        /// The picture.
        svg: String,
    },
    /// Rows and columns.
    Table(Table),
    /// Paragraphs.
    Words {
        /// One each.
        lines: Vec<String>,
    },
}

/// A table; the first column names the rows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    /// Headings.
    pub columns: Vec<String>,
    /// Cells by rows.
    pub rows: Vec<Vec<Cell>>,
    /// Are shares shown by the shade of a cell instead of bars?
    pub shade: bool,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A text.
    Text(String),
    /// A text, and a share from 0 to 1 that is shown.
    Share(String, f64),
}

impl Page {
    /// Adds a part.
    pub fn add(&mut self, heading: &str, content: Content) {
        let heading = heading.to_owned();
        self.parts.push(Part { heading, content });
    }

    /// Adds a picture with axes; the heading replaces its title.
    pub fn add_chart(&mut self, heading: &str, plot: &Plot) {
        let plot = Plot {
            title: String::new(),
            subtitle: String::new(),
            ..plot.clone()
        };
        let svg = plot.to_svg_named(&format!("p{}", self.parts.len() + 1));
        self.add(heading, Content::Chart { svg });
    }

    /// Adds a table, unless it has no rows.
    pub fn add_table(&mut self, heading: &str, table: Table) {
        if !table.rows.is_empty() {
            self.add(heading, Content::Table(table));
        }
    }

    /// Adds paragraphs, if there are any.
    pub fn add_words(&mut self, heading: &str, lines: Vec<String>) {
        if !lines.is_empty() {
            self.add(heading, Content::Words { lines });
        }
    }

    /// The file.
    pub fn html(&self) -> String {
        // Plain data always has a text; nothing in it may end the script.
        let data = serde_json::to_string(self).unwrap_or_default();
        let data = data.replace('<', "\\u003c");
        let title = escape(&self.title);
        // Each placeholder is looked for in the page alone, never in what was put there.
        let mut text = String::with_capacity(PAGE.len() + STYLE.len() + SCRIPT.len() + data.len());
        let mut rest = PAGE;
        let fillings = [
            ("TITLE", title.as_str()),
            ("STYLE\n", STYLE),
            ("TITLE", title.as_str()),
            ("\"DATA\"", data.as_str()),
            ("SCRIPT\n", SCRIPT),
        ];
        for (name, filling) in fillings {
            let (before, after) = rest.split_once(name).unwrap_or((rest, ""));
            text.push_str(before);
            text.push_str(filling);
            rest = after;
        }
        text + rest
    }
}
