//! Control plane: a run as one page that any browser shows without a network: the mechanism that moves, plots, and what
//! tells whether the run can be believed.
//!
//! Reading order: [`Told`] (what there is to tell), `signals` (what was recorded, and what a page keeps of long runs),
//! `facts` (parameters, settings, figures, warnings, histograms), [`again`] (the motion of an FMU), [`system`] (that of a
//! system).

pub mod again;
mod facts;
mod signals;
pub mod system;

use fixstep_kernel::mechanism::{Unit, UnitSystem};
use fixstep_kernel::simulation::Simulation;
use fixstep_pictures::page;
use fixstep_pictures::payload::{self, Contents};
use fixstep_pictures::scene::{Film, Scene};
use model_description::parse::Description;

use crate::csv::Table;
use crate::run::{Outcome, Plan, Times};
use crate::scene;
use crate::slave::Failure;
use crate::trial::Trial;
use crate::trial::account::Account;

pub use signals::recorded;

/// What there is to tell of a run.
pub struct Told<'a> {
    /// The variables.
    pub description: &'a Description,
    /// The settings of the run.
    pub plan: &'a Plan,
    /// Its communication points.
    pub times: Times,
    /// Its results.
    pub outcome: &'a Outcome,
    /// The engine at the end of the run; none of a foreign FMU.
    pub engine: Option<&'a Simulation>,
    /// The mechanism as it is drawn, and its motion.
    pub drawn: Option<(Scene, Film)>,
    /// Energy, joints and iterations.
    pub account: Option<&'a Account>,
    /// The accuracy of the step.
    pub trial: Option<&'a Trial>,
    /// Another result, with its name, to compare with.
    pub against: Option<(String, Table)>,
    /// What was run: names and values.
    pub about: Vec<[String; 2]>,
}

/// The page.
pub fn page(told: &Told<'_>) -> Result<String, Failure> {
    let nothing = || (scene::nothing(&told.description.name), Film::default());
    let (scene, film) = told.drawn.clone().unwrap_or_else(nothing);
    let mut contents = Contents::new(&scene, &film);
    contents.subtitle = facts::subtitle(told);
    if let Some(engine) = told.engine {
        in_units_of(&mut contents, &engine.mechanism().units);
    }
    signals::add(&mut contents, told);
    contents.parameters = facts::parameters(told);
    contents.warnings = facts::warnings(told);
    contents.figures = facts::figures(told);
    contents.histograms = facts::histograms(told.outcome);
    contents.about.clone_from(&told.about);
    page::page(&contents).map_err(|error| Failure(format!("--report: {error}")))
}

/// Shows lengths, forces and masses in the units of the model.
pub(crate) fn in_units_of(contents: &mut Contents<'_>, units: &UnitSystem) {
    let shown = |unit: &Unit| payload::Unit {
        unit: unit.name.clone(),
        factor: unit.factor,
    };
    contents.length = shown(&units.length);
    contents.force = shown(&units.force);
    contents.mass = shown(&units.mass);
    contents.torque = payload::Unit {
        unit: format!("{}.{}", units.force.name, units.length.name),
        factor: units.force.factor * units.length.factor,
    };
}
