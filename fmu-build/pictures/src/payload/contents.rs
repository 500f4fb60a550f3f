//! Control plane: what a page shows besides the scene and the film.

use serde::Serialize;

use super::sheets::{Marker, Shape, Tab};
use crate::scene::{Frame, Scene};

/// What a page is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// A run: plots over time.
    #[default]
    Run,
    /// An analysis: tables and charts, shapes that move.
    Sheets,
    /// A model while it is written.
    View,
}

/// All that a page shows.
#[derive(Clone, Debug)]
pub struct Contents<'a> {
    /// What it is about.
    pub kind: PageKind,
    /// What is drawn.
    pub scene: &'a Scene,
    /// Its motion.
    pub film: &'a [Frame],
    /// Below the title.
    pub subtitle: String,
    /// How lengths are shown.
    pub length: Unit,
    /// How forces are shown.
    pub force: Unit,
    /// How torques are shown.
    pub torque: Unit,
    /// How masses are shown.
    pub mass: Unit,
    /// Times that signals share \[s\].
    pub bases: Vec<Vec<f64>>,
    /// What has been recorded.
    pub signals: Vec<Signal>,
    /// Another result to compare with.
    pub against: Option<Against>,
    /// Parameters and settings of the run.
    pub parameters: Vec<Parameter>,
    /// What the model or the run was warned about.
    pub warnings: Vec<Warning>,
    /// Numbers that sum the run up.
    pub figures: Vec<Figure>,
    /// Distributions.
    pub histograms: Vec<Histogram>,
    /// What made the page: names and values.
    pub about: Vec<[String; 2]>,
    /// The signals of each panel that is shown first.
    pub panels: Vec<Vec<String>>,
    /// Motions between which the reader chooses; then the film is its first frame only.
    pub shapes: Vec<Shape>,
    /// Markers, to be shown on request.
    pub markers: Vec<Marker>,
    /// Are markers shown from the beginning?
    pub marked: bool,
    /// Pages of the desk.
    pub tabs: Vec<Tab>,
    /// A sentence over the picture; empty: none.
    pub notice: String,
    /// A page that a program serves anew when something changes: the number of this version.
    pub live: Option<u64>,
}

impl<'a> Contents<'a> {
    /// A scene and its film in SI units, and nothing else.
    pub fn new(scene: &'a Scene, film: &'a [Frame]) -> Self {
        let si = |unit: &str| Unit {
            unit: unit.to_owned(),
            factor: 1.0,
        };
        Contents {
            kind: PageKind::default(),
            scene,
            film,
            subtitle: String::new(),
            length: si("m"),
            force: si("N"),
            torque: si("N.m"),
            mass: si("kg"),
            bases: Vec::new(),
            signals: Vec::new(),
            against: None,
            parameters: Vec::new(),
            warnings: Vec::new(),
            figures: Vec::new(),
            histograms: Vec::new(),
            about: Vec::new(),
            panels: Vec::new(),
            shapes: Vec::new(),
            markers: Vec::new(),
            marked: false,
            tabs: Vec::new(),
            notice: String::new(),
            live: None,
        }
    }
}

/// A unit: one of it is `factor` of the SI unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unit {
    /// Its name.
    pub unit: String,
    /// In SI units.
    pub factor: f64,
}

/// How a value is shown: value · factor + offset.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Display {
    /// The unit that is shown.
    pub unit: String,
    /// The factor.
    pub factor: f64,
    /// The offset.
    pub offset: f64,
}

/// Where a signal comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Outputs of the model.
    Outputs,
    /// Inputs of the model.
    Inputs,
    /// Requests.
    Requests,
    /// What the solver tells about its work.
    Solver,
    /// Real-time indicators.
    Rti,
    /// Energy.
    Energy,
}

/// A signal.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// The unit of its values.
    pub unit: String,
    /// How it is shown.
    pub display: Display,
    /// Where it comes from.
    pub group: Group,
    /// What it is.
    pub description: String,
    /// The number of its times.
    pub base: usize,
    /// Its values.
    pub values: Vec<f64>,
    /// Have values been left out?
    pub thinned: bool,
}

/// Another result.
#[derive(Clone, Debug, PartialEq)]
pub struct Against {
    /// Its name.
    pub name: String,
    /// Times that its signals share \[s\].
    pub bases: Vec<Vec<f64>>,
    /// Its signals; those with the name of a signal of the page are shown with it.
    pub signals: Vec<Signal>,
}

/// When a parameter can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Before the run.
    Fixed,
    /// Any time.
    Tunable,
    /// A setting of the run.
    Setting,
}

/// A parameter or a setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value, as it is shown.
    pub value: String,
    /// Its unit.
    pub unit: String,
    /// When it can be changed.
    pub kind: Kind,
    /// What it is.
    pub description: String,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Nothing works with it.
    Error,
    /// It may be wrong.
    #[default]
    Warning,
    /// To know.
    Note,
}

/// A finding about the model or the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Warning {
    /// How much it matters.
    pub grade: Grade,
    /// What it is about: `joint \"hinge\", field i`. The page finds the entity by it.
    pub place: String,
    /// What it says.
    pub text: String,
    /// The rule that found it; empty: none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// Where in the text of the model it is: `model.json:12:5`; empty: not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
}

/// A number that sums the run up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// Its value, as it is shown.
    pub value: String,
    /// Its unit.
    pub unit: String,
    /// What to know about it.
    pub note: String,
}

/// A distribution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Histogram {
    /// What is counted.
    pub name: String,
    /// The unit of the edges.
    pub unit: String,
    /// Edges of the classes, one more than there are counts.
    pub edges: Vec<f64>,
    /// How many are in each class.
    pub counts: Vec<u64>,
}
