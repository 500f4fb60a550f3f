//! Control plane: a model while it is written, as a page: the assembled start, what can move, what the check finds.
//!
//! Reading order: [`look`] (reads and starts a model, whatever is wrong with it), `freedoms` (what can move, as short films),
//! [`page()`].

mod freedoms;
#[cfg(test)]
mod tests;

use fixstep_kernel::mechanism::{Mechanism, UnitSystem};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::resources::Resources;
use fixstep_model::shapes::Shape as Named;
use fixstep_model::{Model, ModelErrors, Places};
use fixstep_pictures::page;
use fixstep_pictures::payload::{
    Contents, Figure, Grade, Marker, PageKind, Part, Shape, Tab, Table, Warning,
};
use fixstep_pictures::scene::{Frame, Scene};

use crate::native;
use crate::overview::Overview;
use crate::report;
use crate::scene;
use crate::slave::Failure;

/// What is known of a model.
#[derive(Debug)]
pub struct Look {
    /// What is drawn; `None`: the text is no model, or nothing of it can be compiled.
    pub drawn: Option<Drawn>,
    /// What is wrong, and what to know.
    pub findings: Vec<Warning>,
}

/// A mechanism as a page shows it.
#[derive(Clone, Debug)]
pub struct Drawn {
    scene: Scene,
    at: Frame,
    units: UnitSystem,
    markers: Vec<Marker>,
    freedoms: Vec<Shape>,
    joints: Table,
    figures: Vec<Figure>,
    /// The line below the title.
    told: String,
    /// Is it assembled? Else bodies are where the model puts them.
    pub assembled: bool,
}

/// Reads a model and starts it.
pub fn look(name: &str, text: &str, files: &Resources<'_>) -> Look {
    match Model::read_named(name, text, files, &[]) {
        Err(errors) => Look {
            drawn: None,
            findings: unread(&errors),
        },
        Ok(model) => started(model),
    }
}

/// The faults of a text.
fn unread(errors: &ModelErrors) -> Vec<Warning> {
    let fault = |error: &fixstep_model::ModelError| Warning {
        grade: Grade::Error,
        place: error.entity.clone(),
        text: [error.said().to_string()]
            .iter()
            .chain(&error.within)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n"),
        rule: String::new(),
        source: error.place.clone(),
    };
    errors.0.iter().map(fault).collect()
}

/// Starts a model; if it cannot start, its parts are where the text puts them.
fn started(model: Model) -> Look {
    let Model {
        mut mechanism,
        shapes,
        places,
        ..
    } = model;
    // Warnings are shown, not obeyed.
    let strict = std::mem::take(&mut mechanism.lint.strict);
    match Simulation::boxed(&mechanism) {
        Ok(mut simulation) => {
            let findings = told(&simulation, strict, &places);
            Look {
                drawn: Some(Drawn::assembled(&mut simulation, &shapes)),
                findings,
            }
        }
        Err(error) => {
            let reason = error.to_string();
            let source = places.named_in(&reason);
            let findings = vec![Warning {
                grade: Grade::Error,
                text: reason,
                source: source.map_or_else(String::new, |place| place.at),
                ..Warning::default()
            }];
            Look {
                drawn: Drawn::as_written(&mechanism, &shapes),
                findings,
            }
        }
    }
}

/// What the check and the start tell of a mechanism.
fn told(simulation: &Simulation, strict: bool, places: &Places) -> Vec<Warning> {
    let problems = native::findings(simulation, strict, places);
    let warnings = problems.into_iter().map(|problem| Warning {
        grade: if problem.error {
            Grade::Error
        } else {
            Grade::Warning
        },
        place: problem.place,
        text: problem.message,
        rule: problem.rule.to_owned(),
        source: problem.source,
    });
    let notes = simulation.notes().iter().map(|note| Warning {
        grade: Grade::Note,
        text: note.clone(),
        source: places
            .named_in(note)
            .map_or_else(String::new, |place| place.at),
        ..Warning::default()
    });
    warnings.chain(notes).collect()
}

impl Drawn {
    /// A mechanism at its start.
    fn assembled(simulation: &mut Simulation, shapes: &[Named]) -> Self {
        let free = freedoms::of(simulation);
        let units = simulation.mechanism().units.clone();
        let overview = Overview::of(simulation, &units);
        let mut drawn = Self::of(simulation, shapes);
        drawn.figures = figures(&overview, simulation);
        drawn.told = format!("assembled start: {overview}");
        drawn.freedoms = free.films;
        drawn.joints = free.joints;
        drawn.assembled = true;
        drawn
    }

    /// A mechanism that does not start; `None`: it cannot be compiled either.
    fn as_written(mechanism: &Mechanism, shapes: &[Named]) -> Option<Self> {
        let simulation = Simulation::as_written(mechanism).ok()?;
        let mut drawn = Self::of(&simulation, shapes);
        drawn.told = String::from("not assembled: parts are where the text puts them");
        Some(drawn)
    }

    fn of(simulation: &Simulation, shapes: &[Named]) -> Self {
        let at = scene::frame(simulation);
        let scene = scene::of(simulation, shapes, &vec![at.clone()]);
        Self {
            scene,
            at,
            units: simulation.mechanism().units.clone(),
            markers: scene::markers(simulation.mechanism()),
            freedoms: Vec::new(),
            joints: Table::default(),
            figures: Vec::new(),
            told: String::new(),
            assembled: false,
        }
    }
}

/// What a mechanism is made of, in numbers.
fn figures(overview: &Overview, simulation: &Simulation) -> Vec<Figure> {
    let figure = |name: &str, value: String, note: &str| Figure {
        name: name.to_owned(),
        value,
        unit: String::new(),
        note: note.to_owned(),
    };
    let mechanism = simulation.mechanism();
    let driven = match mechanism.motions.len() {
        0 => "what constraints leave free",
        _ => "what constraints and motions leave free",
    };
    let mut all = vec![
        figure(
            "degrees of freedom",
            overview.degrees_of_freedom.to_string(),
            driven,
        ),
        figure("bodies", overview.bodies.to_string(), "besides ground"),
        figure("joints", mechanism.joints.len().to_string(), ""),
        figure("motions", mechanism.motions.len().to_string(), ""),
        figure("forces", mechanism.forces.len().to_string(), ""),
    ];
    all.push(Figure {
        unit: overview.units[0].clone(),
        ..figure(
            "mass",
            crate::csv::number(rounded(overview.mass)),
            "of all bodies",
        )
    });
    all
}

/// Four digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// The page of a model: what is known of its text, and what is drawn of it, or of the last text that could be drawn. A number
/// asks for a page that is served, and tells its version.
pub fn page(
    name: &str,
    (look, last): (&Look, Option<&Drawn>),
    live: Option<u64>,
) -> Result<String, Failure> {
    let nothing = scene::nothing(name);
    let drawn = look.drawn.as_ref().or(last);
    let still = drawn
        .map(|drawn| vec![drawn.at.clone()])
        .unwrap_or_default();
    let mut contents = Contents::new(drawn.map_or(&nothing, |drawn| &drawn.scene), &still);
    contents.kind = PageKind::View;
    contents.warnings.clone_from(&look.findings);
    contents.live = live;
    if let Some(drawn) = drawn {
        report::in_units_of(&mut contents, &drawn.units);
        contents.subtitle.clone_from(&drawn.told);
        contents.markers.clone_from(&drawn.markers);
        contents.marked = true;
        contents.shapes.clone_from(&drawn.freedoms);
        contents.figures.clone_from(&drawn.figures);
        if !drawn.joints.rows.is_empty() {
            contents.tabs.push(Tab {
                name: "Joints".to_owned(),
                parts: vec![Part {
                    heading: "Joints and how they move".to_owned(),
                    content: fixstep_pictures::payload::Content::Table(drawn.joints.clone()),
                }],
            });
        }
    }
    let notice = match (&look.drawn, drawn) {
        (None, Some(_)) => "The text is in error: this is the last version that was not.",
        (None, None) => "The text is in error: there is nothing to draw yet.",
        (Some(drawn), _) if !drawn.assembled => {
            "This does not start: parts are where the text puts them."
        }
        _ => "",
    };
    notice.clone_into(&mut contents.notice);
    contents.about = vec![
        ["Fixstep".to_owned(), env!("CARGO_PKG_VERSION").to_owned()],
        ["file".to_owned(), name.to_owned()],
    ];
    page::page(&contents).map_err(|error| Failure(error.to_string()))
}
