//! Control plane: what the reader chooses between (shapes that move), markers, and pages of tables, charts and words.

use serde_json::{Value, json};

use super::binary::Binary;
use super::scenery;
use crate::scene::{Film, Place, Scene};

/// A motion that the reader chooses: a mode, the response at a frequency, a freedom.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What it is called, such as its frequency.
    pub name: String,
    /// More about it.
    pub text: String,
    /// What it belongs to and can be shown with: kind and name of an entity.
    pub of: Option<[String; 2]>,
    /// The motion.
    pub motion: ShapeMotion,
}

/// How a shape moves.
#[derive(Clone, Debug)]
pub enum ShapeMotion {
    /// Small motions about the first frame: the real part of (a + i b) · exp(i phase).
    Small(Vec<SmallMotion>),
    /// Frames over a share from −1 to 1, which stands in their times; the first frame of the page is that of 0.
    Film(Film),
}

/// How a body moves a little: the translation of its axes' origin and the rotation about it, in ground, then its modal
/// coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SmallMotion {
    /// The number of the body.
    pub body: usize,
    /// Real parts.
    pub real: Vec<f64>,
    /// Imaginary parts, unless all is in phase.
    pub imaginary: Option<Vec<f64>>,
}

/// A marker.
#[derive(Clone, Debug)]
pub struct Marker {
    /// Its name.
    pub name: String,
    /// The number of its body.
    pub body: usize,
    /// Its place in the axes of the body.
    pub place: Place,
    /// Its displacement by each mode of the body; empty on a rigid body.
    pub modes: Vec<[f32; 3]>,
}

/// A page of the desk.
#[derive(Clone, Debug, Default)]
pub struct Tab {
    /// Its name.
    pub name: String,
    /// From top to bottom.
    pub parts: Vec<Part>,
}

/// A part of a tab.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its heading.
    pub heading: String,
    /// Its contents.
    pub content: Content,
}

/// The contents of a part.
#[derive(Clone, Debug)]
pub enum Content {
    /// Lines over axes.
    Chart(Chart),
    /// Rows and columns.
    Table(Table),
    /// Paragraphs.
    Words(Vec<String>),
}

/// A table; the first column names the rows.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Headings.
    pub columns: Vec<String>,
    /// Cells by rows.
    pub rows: Vec<Vec<Cell>>,
    /// Are shares shown by the shade of a cell instead of bars?
    pub shade: bool,
    /// Do rows stand for the shapes of the page, in their order?
    pub shapes: bool,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A text.
    Text(String),
    /// A text, and a share from 0 to 1 that is shown.
    Share(String, f64),
    /// The name of an entity of this kind, which the reader can choose.
    Entity(String, String),
}

/// Panels over a common x axis.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Label of the x axis, with its unit.
    pub x_label: String,
    /// Are equal distances along x equal ratios?
    pub x_log: bool,
    /// Is a unit as long upward as along x?
    pub equal: bool,
    /// From top to bottom.
    pub panels: Vec<ChartPanel>,
}

/// One pair of axes.
#[derive(Clone, Debug, Default)]
pub struct ChartPanel {
    /// Label of the y axis, with its unit.
    pub label: String,
    /// Are equal distances equal ratios?
    pub log: bool,
    /// The lines.
    pub lines: Vec<ChartLine>,
    /// Horizontal marks: value and text.
    pub limits: Vec<(f64, String)>,
    /// Points with circles.
    pub marks: Vec<(f64, f64)>,
    /// Points with texts.
    pub pins: Vec<((f64, f64), String)>,
}

/// A line, or points by themselves.
#[derive(Clone, Debug, Default)]
pub struct ChartLine {
    /// Its name.
    pub name: String,
    /// Abscissae.
    pub x: Vec<f64>,
    /// Ordinates; one that is not finite leaves a gap.
    pub y: Vec<f64>,
    /// Points by themselves?
    pub dots: bool,
    /// The shape of the page that each point stands for; empty: none.
    pub shapes: Vec<usize>,
}

pub(super) fn shapes(binary: &mut Binary, scene: &Scene, all: &[Shape]) -> Vec<Value> {
    let numbers = |list: &[f64]| -> Vec<f64> { list.iter().map(|x| digits(*x)).collect() };
    let shape = |shape: &Shape| {
        let (small, film) = match &shape.motion {
            ShapeMotion::Small(bodies) => {
                let moves = |own: &&SmallMotion| {
                    let mut all = own.real.iter().chain(own.imaginary.iter().flatten());
                    all.any(|x| *x != 0.0)
                };
                let own = |own: &SmallMotion| {
                    let imaginary = own.imaginary.as_deref().map(numbers);
                    json!([own.body, numbers(&own.real), imaginary])
                };
                let all: Vec<Value> = bodies.iter().filter(moves).map(own).collect();
                (json!(all), Value::Null)
            }
            ShapeMotion::Film(film) => (Value::Null, scenery::frames(binary, scene, film)),
        };
        json!({"name": shape.name, "text": shape.text, "of": shape.of, "small": small, "film": film})
    };
    all.iter().map(shape).collect()
}

/// Six significant digits: what a picture shows, and more.
fn digits(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

pub(super) fn markers(all: &[Marker]) -> Vec<Value> {
    let marker = |marker: &Marker| {
        json!({
            "name": marker.name,
            "body": marker.body,
            "position": super::text::vector(&marker.place.position),
            "rotation": marker.place.rotation,
            "modes": marker.modes,
        })
    };
    all.iter().map(marker).collect()
}

pub(super) fn tabs(binary: &mut Binary, all: &[Tab]) -> Vec<Value> {
    let mut out = Vec::new();
    for tab in all {
        let parts: Vec<Value> = tab.parts.iter().map(|own| part(binary, own)).collect();
        out.push(json!({"name": tab.name, "parts": parts}));
    }
    out
}

fn part(binary: &mut Binary, part: &Part) -> Value {
    let heading = &part.heading;
    match &part.content {
        Content::Words(lines) => json!({"kind": "words", "heading": heading, "lines": lines}),
        Content::Table(table) => {
            let cell = |cell: &Cell| match cell {
                Cell::Text(text) => json!(text),
                Cell::Share(text, share) => json!([text, share]),
                Cell::Entity(kind, name) => json!({"kind": kind, "name": name}),
            };
            let row = |row: &Vec<Cell>| row.iter().map(cell).collect::<Vec<Value>>();
            let rows: Vec<Vec<Value>> = table.rows.iter().map(row).collect();
            json!({
                "kind": "table", "heading": heading, "columns": table.columns, "rows": rows,
                "shade": table.shade, "shapes": table.shapes,
            })
        }
        Content::Chart(chart) => {
            let panels: Vec<Value> = chart.panels.iter().map(|own| panel(binary, own)).collect();
            json!({
                "kind": "chart", "heading": heading, "x": {"label": chart.x_label, "log": chart.x_log}, "equal": chart.equal,
                "panels": panels,
            })
        }
    }
}

fn panel(binary: &mut Binary, panel: &ChartPanel) -> Value {
    let mut lines = Vec::new();
    for line in &panel.lines {
        lines.push(json!({
            "name": line.name, "x": binary.f64(&line.x), "y": binary.f64(&line.y), "dots": line.dots, "shapes": line.shapes,
        }));
    }
    // JSON has no numbers that are not finite.
    let finite = |(x, y): &&(f64, f64)| x.is_finite() && y.is_finite();
    let marks: Vec<&(f64, f64)> = panel.marks.iter().filter(finite).collect();
    json!({
        "label": panel.label, "log": panel.log, "lines": lines, "limits": panel.limits, "marks": marks, "pins": panel.pins,
    })
}
