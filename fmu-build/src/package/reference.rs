//! Control plane: reference results in an FMU, by the layered standard FMI-LS-REF.
//!
//! ```text
//!     extra/org.fmi-standard.fmi-ls-ref/fmi-ls-manifest.xml     what the other two are
//!     extra/org.fmi-standard.fmi-ls-ref/experiments.xml         a smoke test
//!     extra/org.fmi-standard.fmi-ls-ref/smoke-test.csv          what its outputs must be
//! ```
//!
//! The smoke test is the beginning of the default experiment with all inputs at their starts. Every importer must get
//! the same numbers, to the last digit.

use std::fmt::Write as _;

use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use fixstep_model::shapes::Shape;
use fixstep_pictures::camera::View;
use fixstep_pictures::render::{Ground, Look};

use crate::csv::number;
use crate::film::Shooting;
use crate::markup::escape;
use crate::native::Native;
use crate::run::{Plan, Times, run};
use crate::scene;
use crate::slave::{LogLevel, Slave};

/// The folder of the files inside an FMU.
const FOLDER: &str = "extra/org.fmi-standard.fmi-ls-ref/";

/// Largest number of communication steps of the smoke test.
const STEPS: u64 = 200;

/// Pixels of the picture.
const SIZE: [usize; 2] = [560, 350];

/// The results of a first run of a model.
#[derive(Default)]
pub(super) struct Trial {
    /// The mechanism at its start, as PNG; `None`: it could not be started.
    pub(super) picture: Option<Vec<u8>>,
    /// Times and results of the smoke test; `None`: the model has no outputs or fails. `fixstep check` and
    /// `fixstep run` show its messages then.
    results: Option<(Times, String)>,
}

impl Trial {
    /// Runs a model, whose bodies look like these shapes.
    pub(super) fn of(model: &Model, shapes: &[Shape]) -> Self {
        let mut picture = None;
        let results = smoke_test(model, &mut |engine| {
            if picture.is_none() {
                picture = Some(drawn(engine, shapes));
            }
        });
        let picture = picture.flatten();
        Self { picture, results }
    }

    /// Name and text of each file.
    pub(super) fn files(&self, model: &Model, protect: bool) -> Vec<(String, String)> {
        let Some((times, results)) = &self.results else {
            return Vec::new();
        };
        let named = |name: &str, text: String| (format!("{FOLDER}{name}"), text);
        vec![
            named("fmi-ls-manifest.xml", manifest(protect)),
            named("experiments.xml", experiments(&model.mechanism.name, times)),
            named("smoke-test.csv", results.clone()),
        ]
    }
}

/// A picture of a mechanism as it stands.
fn drawn(engine: &Simulation, shapes: &[Shape]) -> Option<Vec<u8>> {
    let film = vec![scene::frame(engine)];
    let scene = scene::of(engine, shapes, &film);
    let look = Look {
        width: SIZE[0],
        height: SIZE[1],
        ground: Ground::of(&scene),
        ..Look::default()
    };
    let shooting = Shooting {
        scene: &scene,
        film: &film,
        view: View::Corner,
        look: &look,
    };
    shooting.still(None).ok()
}

/// The beginning of a run, which `watch` sees at each communication point.
fn smoke_test(model: &Model, watch: &mut dyn FnMut(&Simulation)) -> Option<(Times, String)> {
    let experiment = model.mechanism.experiment;
    let whole = Times::new(experiment.start, experiment.stop, experiment.step).ok()?;
    let times = Times {
        stop: whole.at(whole.steps.min(STEPS)),
        steps: whole.steps.min(STEPS),
        ..whole
    };
    let plan = Plan {
        start: Some(times.start),
        stop: Some(times.stop),
        step: Some(times.step),
        ..Plan::default()
    };
    let mut slave = Native::new(model, LogLevel::Errors).ok()?;
    let mut watched = |slave: &dyn Slave, _: f64| {
        if let Some(engine) = slave.engine() {
            watch(engine);
        }
    };
    let outcome = run(&mut slave, &plan, &mut watched).ok()?;
    let sound = outcome.ended.is_none() && outcome.table.names.len() > 1;
    sound.then(|| (times, outcome.table.to_text()))
}

fn manifest(protect: bool) -> String {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiReferences\n    \
                xmlns:fmi-ls=\"http://fmi-standard.org/fmi-ls-manifest\"\n    \
                fmi-ls:fmi-ls-name=\"org.fmi-standard.fmi-ls-ref\"\n    \
                fmi-ls:fmi-ls-version=\"1.0.0-beta.1\"\n    \
                fmi-ls:fmi-ls-description=\"Layered Standard providing information on related files \
                included in an FMU.\">\n";
    let related = [
        (
            "application/xml",
            "experiments.xml",
            "experiment/smoke-test",
            "The beginning of the default experiment with all inputs at their starts",
        ),
        (
            "text/csv",
            "smoke-test.csv",
            "result",
            "The outputs of the smoke test at every communication point",
        ),
        (
            "application/json",
            "../../documentation/source/model.json",
            "model",
            "The model of the mechanism",
        ),
    ];
    let mut text = head.to_owned();
    // A protected FMU does not contain the model, the last of these.
    let told = related.len() - usize::from(protect);
    for (kind, source, role, description) in related.into_iter().take(told) {
        let _ = writeln!(
            text,
            "  <Related type=\"{kind}\" source=\"{source}\" role=\"{role}\" \
             description=\"{description}\"/>"
        );
    }
    text.push_str("</fmiReferences>\n");
    text
}

fn experiments(name: &str, times: &Times) -> String {
    let (start, stop, step) = (number(times.start), number(times.stop), number(times.step));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Experiments name=\"{}\">\n  \
         <Experiment name=\"smoke-test\" description=\"All inputs at their starts\" \
         startTime=\"{start}\" stopTime=\"{stop}\" stepSize=\"{step}\" tolerance=\"0\">\n    \
         <References type=\"text/csv\" source=\"smoke-test.csv\"/>\n  </Experiment>\n</Experiments>\n",
        escape(name)
    )
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::csv::Table;

    const TEXT: &str = r#"{
      "fixstep": 1, "name": "a <drop>",
      "gravity": [0, 0, -10],
      "parts": [{"name": "ball", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
      "markers": [{"name": "m", "part": "ball"}],
      "outputs": [{"name": "height", "expression": "DZ(m, ground)"}],
      "experiment": {"stop": 1, "step": 0.01}
    }"#;

    #[test]
    fn the_smoke_test_is_the_run_itself() {
        let model = Model::from_json(TEXT).unwrap();
        let trial = Trial::of(&model, &model.shapes);
        assert!(trial.picture.as_ref().unwrap().starts_with(b"\x89PNG"));
        let files = trial.files(&model, false);
        let text = |name: &str| {
            let is = |(file, _): &&(String, String)| file == &format!("{FOLDER}{name}");
            files.iter().find(is).unwrap().1.clone()
        };
        let table = Table::parse(&text("smoke-test.csv")).unwrap();
        assert_eq!(table.names, ["time", "height"]);
        assert_eq!(table.rows(), 101);
        assert!((table.columns[1][100] + 5.0).abs() < 0.1);
        let experiments = text("experiments.xml");
        assert!(
            experiments.contains("name=\"a &lt;drop&gt;\""),
            "{experiments}"
        );
        assert!(experiments.contains("stopTime=\"1\" stepSize=\"0.01\""));
        assert!(text("fmi-ls-manifest.xml").contains("role=\"experiment/smoke-test\""));
    }

    #[test]
    fn a_long_experiment_is_cut_and_a_bad_one_left_out() {
        let long = TEXT.replace("\"stop\": 1", "\"stop\": 1000");
        let model = Model::from_json(&long).unwrap();
        let (times, _) = Trial::of(&model, &[]).results.unwrap();
        assert_eq!((times.steps, times.stop), (200, 2.0));
        let silent = TEXT.replace("\"outputs\"", "\"variables\"");
        let model = Model::from_json(&silent).unwrap();
        assert!(Trial::of(&model, &[]).files(&model, false).is_empty());
        let failing = TEXT.replace(
            "\"experiment\"",
            "\"solver\": {\"maxerr\": 1e-30}, \"experiment\"",
        );
        let model = Model::from_json(&failing).unwrap();
        assert!(Trial::of(&model, &[]).files(&model, false).is_empty());
    }
}
