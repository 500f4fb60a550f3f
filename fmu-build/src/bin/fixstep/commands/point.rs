//! Control plane: computes the operating point that the command line describes.

use fixstep_model::Model;
use fixstep_model::shapes::Shape;
use fixstep_variables::file::Blueprint;
use fmu_build::operating_point::{self, OperatingPoint, Wanted};
use fmu_build::run::Plan;
use fmu_build::slave::Failure;
use linear_analysis::modes_report::figure;

use crate::args;
use crate::console::Console;
use crate::places::{Places, Stop};
use crate::source::{Source, table};

/// Times that differ by less are equal \[s\].
const ALIKE: f64 = 1e-9;

/// Computes the operating point of a mechanism that is modified before it starts; `places` are the outputs of the command, then: has
/// it to be drawn?
pub(crate) fn find<'a>(
    args: &'a args::Point,
    (places, drawn): (Places<'a>, bool),
    console: &mut Console,
    change: impl FnOnce(&mut Blueprint) -> Result<(), Failure>,
) -> Result<OperatingPoint, Stop> {
    let mut way = PointSetup::open(args, places)?;
    if drawn {
        way.drawn = Some(way.source.looks(&args.file)?);
    }
    let mut blueprint = way.blueprint.clone();
    change(&mut blueprint)?;
    console.begin(&blueprint.mechanism.name.clone());
    let found = way.find(blueprint, None, &mut |share| console.progress(share));
    console.end();
    let point = found?;
    if let Some(note) = way.off_grid(&point) {
        console.note(&format!("note: {note}"));
    }
    console.log(&point.messages, args.start.log, "");
    if args.balanced && !args.start.log {
        for text in &point.balance {
            console.note(&format!("note: {text}"));
        }
    }
    Ok(point)
}

/// The way to an operating point, which may be gone several times.
pub(crate) struct PointSetup<'a> {
    args: &'a args::Point,
    source: Source,
    plan: Plan,
    /// The mechanism in the file.
    pub(crate) blueprint: Blueprint,
    /// If it is to be drawn: the shapes that the model names.
    drawn: Option<Vec<Shape>>,
}

impl<'a> PointSetup<'a> {
    /// Opens the file.
    pub(crate) fn open(args: &'a args::Point, places: Places<'a>) -> Result<Self, Stop> {
        let source = Source::open(&args.file)?;
        let files = source.files(&args.file);
        let places = places
            .reads("FILE", [&args.file])
            .reads("--input", &args.start.input)
            .reads("--state", &args.state);
        places.reads("a file of the model", &files).check()?;
        let plan = Plan {
            start: args.start_time,
            stop: args.at,
            step: args.step,
            settings: args.start.set.clone(),
            input: args.start.input.as_deref().map(table).transpose()?,
            record: Vec::new(),
            more: Vec::new(),
            every_step: false,
            state: None,
            open_end: false,
        };
        let blueprint = source.mechanism(&args.file)?;
        Ok(Self {
            args,
            source,
            plan,
            blueprint,
            drawn: None,
        })
    }

    /// Does a table of inputs contain this one?
    pub(crate) fn feeds(&self, name: &str) -> bool {
        let table = self.plan.input.iter();
        table.flat_map(|table| &table.names).any(|own| own == name)
    }

    /// Does `--set` give this one a value?
    pub(crate) fn sets(&self, name: &str) -> bool {
        self.plan.settings.iter().any(|(own, _)| own == name)
    }

    /// The note if the run ends before the requested time.
    pub(crate) fn off_grid(&self, point: &OperatingPoint) -> Option<String> {
        let wanted = self.args.at?;
        let missed = (point.time - wanted).abs() > ALIKE * wanted.abs().max(1.0);
        missed.then(|| {
            format!(
                "--at {wanted}: the run that leads there has no communication point at that time; the last one before it is at {} s, \
                 and the form is that of this time. Valid are the start time and whole steps more; --step chooses the step",
                figure(point.time)
            )
        })
    }

    /// Computes the point, with one additional setting.
    pub(crate) fn find(
        &self,
        mut blueprint: Blueprint,
        setting: Option<(String, String)>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<OperatingPoint, Failure> {
        let args = self.args;
        let mut plan = self.plan.clone();
        plan.settings.extend(setting);
        let wanted = Wanted {
            plan,
            balanced: args.balanced,
            talk: args.start.talk(),
            drawn: self.drawn.clone(),
        };
        let Some(path) = &args.state else {
            return operating_point::find(blueprint, &wanted, progress);
        };
        // A saved state contains the token of its model.
        if let Source::Model(model) = &self.source {
            blueprint.token = token(model)?;
        }
        let bytes = std::fs::read(path);
        let bytes = bytes.map_err(|error| Failure(format!("{}: {error}", path.display())))?;
        let found = operating_point::saved(blueprint, &bytes, &wanted);
        found.map_err(|Failure(reason)| Failure(format!("{}: {reason}", path.display())))
    }
}

/// The token of a model's FMU.
fn token(model: &Model) -> Result<String, Failure> {
    let packed = model.packed();
    let packed =
        packed.map_err(|fault| Failure(format!("the mechanism cannot be packed: {fault}")))?;
    Ok(packed.token)
}
