//! Control plane: a fixed run over the reference: table and picture.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use fixstep_kernel::mechanism::Mode;
use fixstep_kernel::seconds::Seconds;
use fixstep_variables::file::Blueprint;
use serde::Serialize;

use super::Watcher;
use super::errors::OutputError;
use super::reference::Reference;
use super::subject::{Course, How, Subject};
use super::words::percent;
use crate::plot::{Line, Panel, Plot};
use crate::run::Plan;
use crate::slave::Failure;
use crate::trial::{round, step_name};

/// Most outputs of a unit in a picture: those with the largest errors.
const SHOWN: usize = 3;

/// A fixed run and the reference.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The reference in words.
    pub reference: String,
    /// Its own error, as a part of the range.
    pub reference_error: f64,
    /// Integration step of the fixed run (s); of another one, the communication step.
    pub step: f64,
    /// What is compared: `fixed step of 5 ms`.
    pub run: String,
    /// Each output that is a real number.
    pub outputs: Vec<Compared>,
    /// Where the fixed run ended early (s), and why.
    pub ended: Option<(f64, String)>,
    #[serde(skip)]
    plot: Plot,
}

/// An output.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Its unit; empty: none.
    pub unit: String,
    /// What its errors refer to; 0: it is at rest.
    pub range: f64,
    /// Where the largest error is (s).
    pub at: f64,
    /// The errors.
    #[serde(flatten)]
    pub error: OutputError,
    /// The reference's own error, in the unit.
    pub reference_error: f64,
}

/// Makes the run, and the reference.
pub fn compare(
    blueprint: &Blueprint,
    plan: &Plan,
    budget: Option<Duration>,
    watcher: &mut dyn Watcher,
) -> Result<Comparison, Failure> {
    let subject = Subject::new(blueprint, plan)?;
    let course = subject.run(How::Fixed(&[]), u64::MAX, &mut |_| true)?;
    let reference = Reference::find(&subject, budget, watcher)?;
    let errors = reference.errors(&course);
    let outputs = subject.outputs.iter().zip(&errors).enumerate();
    let outputs: Vec<Compared> = outputs
        .map(|(k, (output, error))| Compared {
            name: output.name.clone(),
            unit: output.unit.clone(),
            range: reference.ranges.get(k).copied().unwrap_or(0.0),
            at: subject.times.at(error.row as u64),
            error: error.clone(),
            reference_error: reference.own.get(k).copied().unwrap_or(0.0),
        })
        .collect();
    let plot = picture(&subject, (&course, &reference), &errors);
    let run = run_in_words(&subject, &course);
    Ok(Comparison {
        reference: reference.words(),
        reference_error: reference.moved(),
        step: course.h,
        run,
        outputs,
        ended: course.ended.map(|stop| (stop.time, stop.reason)),
        plot,
    })
}

/// What a run is, in words.
fn run_in_words(subject: &Subject, course: &Course) -> String {
    match subject.own.mode {
        Mode::Fixed => format!("fixed step of {}", step_name(course.h)),
        Mode::Variable => {
            let experiment = &subject.blueprint().mechanism.experiment;
            let error = subject.own.tolerance(experiment).error;
            format!("variable step to an error of {error:e} per step")
        }
        Mode::Kinematic => "kinematic run".to_owned(),
        Mode::Static => "quasi-static run".to_owned(),
    }
}

/// The outputs that a picture shows, by unit.
fn chosen(
    subject: &Subject,
    reference: &Reference,
    errors: &[OutputError],
) -> (Vec<String>, Vec<Vec<usize>>) {
    let mut worst: Vec<usize> = (0..subject.outputs.len())
        .filter(|k| reference.ranges.get(*k).is_some_and(|range| *range > 0.0))
        .collect();
    worst.sort_by(|a, b| errors[*b].max_share.total_cmp(&errors[*a].max_share));
    let mut units: Vec<String> = Vec::new();
    let mut shown: Vec<Vec<usize>> = Vec::new();
    for k in worst {
        let unit = &subject.outputs[k].display.unit;
        match units.iter().position(|known| known == unit) {
            Some(at) if shown[at].len() < SHOWN => shown[at].push(k),
            Some(_) => {}
            None => {
                units.push(unit.clone());
                shown.push(vec![k]);
            }
        }
    }
    (units, shown)
}

/// A fixed run over the reference, and its errors below.
pub(super) fn picture(
    subject: &Subject,
    (course, reference): (&Course, &Reference),
    errors: &[OutputError],
) -> Plot {
    let time: Vec<f64> = (0..=course.rows() as u64)
        .map(|n| subject.times.at(n))
        .collect();
    let (units, shown) = chosen(subject, reference, errors);
    let line = |name: String, y: Vec<f64>| Line {
        name,
        x: time.clone(),
        y,
        dots: false,
    };
    let mut panels = Vec::new();
    for (unit, outputs) in units.iter().zip(&shown) {
        let mut lines = Vec::new();
        for k in outputs {
            let output = &subject.outputs[*k];
            let of = |column: &[f64]| column.iter().map(|y| output.display.shown(*y)).collect();
            lines.push(line(output.name.clone(), of(&course.columns[*k])));
            let name = format!("{}, reference", output.name);
            lines.push(line(name, of(&reference.columns[*k])));
        }
        panels.push(Panel {
            y_label: if unit.is_empty() {
                String::new()
            } else {
                format!("[{unit}]")
            },
            lines,
            ..Panel::default()
        });
    }
    let error = |k: usize| -> Vec<f64> {
        let pairs = course.columns[k].iter().zip(&reference.columns[k]);
        let range = reference.ranges[k];
        pairs.map(|(y, r)| 100.0 * (y - r) / range).collect()
    };
    let lines = shown.iter().flatten();
    let lines: Vec<Line> = lines
        .map(|k| line(subject.outputs[*k].name.clone(), error(*k)))
        .collect();
    if !lines.is_empty() {
        panels.push(Panel {
            y_label: "error [% of range]".to_owned(),
            lines,
            ..Panel::default()
        });
    }
    Plot {
        title: subject.blueprint().mechanism.name.clone(),
        subtitle: format!(
            "{} over the reference; below, the error",
            run_in_words(subject, course)
        ),
        x_label: "time [s]".to_owned(),
        panels,
        ..Plot::default()
    }
}

impl Comparison {
    /// The picture.
    pub fn plot(&self) -> &Plot {
        &self.plot
    }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.reference)?;
        writeln!(f, "errors of the {}:", self.run)?;
        let width = self.outputs.iter().map(|o| o.name.chars().count()).max();
        let width = width.unwrap_or(0).max(6);
        writeln!(
            f,
            "  {:width$} {:>10} {:>10} {:>10} {:>12} {:>10}  unit",
            "output", "largest", "of range", "at", "rms", "of range"
        )?;
        for output in &self.outputs {
            let error = &output.error;
            let cells = if output.range > 0.0 {
                format!(
                    "{:>10} {:>10} {:>10} {:>12} {:>10}",
                    round(error.max, 2),
                    percent(error.max_share),
                    format!("{} s", Seconds(output.at)),
                    round(error.rms, 2),
                    percent(error.rms_share)
                )
            } else {
                format!("{:>10}", "still")
            };
            let line = format!("  {:width$} {cells:56}  {}", output.name, output.unit);
            writeln!(f, "{}", line.trim_end())?;
        }
        let worst = self.outputs.iter().filter(|output| output.range > 0.0);
        let worst = worst.max_by(|a, b| a.error.max_share.total_cmp(&b.error.max_share));
        match worst {
            Some(worst) => write!(
                f,
                "largest: \"{}\", {} {} or {} of its range at {} s",
                worst.name,
                round(worst.error.max, 2),
                worst.unit,
                percent(worst.error.max_share),
                Seconds(worst.at)
            ),
            None => write!(f, "no output moves"),
        }
    }
}
