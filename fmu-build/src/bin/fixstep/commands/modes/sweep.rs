//! Control plane: `fixstep modes --sweep`: modes over a parameter.

use fixstep_kernel::mechanism::Quantity;
use fixstep_variables::units::parse_unit;
use fmu_build::csv::number;
use fmu_build::slave::Failure;
use fmu_build::suggest;
use linear_analysis::LinearForm;
use linear_analysis::follow::{Critical, Event, Follower, Range, Station, Track};
use linear_analysis::form::RESTS;
use linear_analysis::modes;
use linear_analysis::modes_report::{called, figure};

use super::super::{Done, json, of_form, point};
use super::{draw, found, page, tell};
use crate::args;
use crate::console::Console;
use crate::places::{Places, Stop};

/// Limit of values between the requested ones: a number for each requested value, plus a constant.
const EACH: usize = 8;
const MORE: usize = 100;

/// The followed modes and their events.
pub(super) struct Followed {
    pub(super) model: String,
    /// The parameter, its unit, and the number of rad/s in one unit, if it is a speed.
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) speed: Option<f64>,
    pub(super) orders: Vec<f64>,
    pub(super) stations: Vec<Station>,
    /// Which values were requested.
    pub(super) asked: Vec<bool>,
    pub(super) tracks: Vec<Track>,
    /// Which of them are reported, if they are not zero everywhere.
    pub(super) chosen: Vec<bool>,
    pub(super) events: Vec<Event>,
    pub(super) ranges: Vec<Range>,
    pub(super) critical: Vec<Critical>,
    pub(super) notes: Vec<String>,
}

impl Followed {
    /// `speed = 12.5 rad/s`
    pub(super) fn value(&self, value: &str) -> String {
        let unit = if self.unit.is_empty() {
            String::new()
        } else {
            format!(" {}", self.unit)
        };
        format!("{} = {value}{unit}", self.name)
    }

    /// Modes that are reported: those that were chosen, but for roots that are zero everywhere.
    pub(super) fn reported(&self) -> impl Iterator<Item = (usize, &Track)> {
        let all = self.tracks.iter().enumerate();
        all.filter(|(k, track)| self.chosen[*k] && !self.stays_zero(track))
    }

    /// Is a root zero at all values?
    pub(super) fn stays_zero(&self, track: &Track) -> bool {
        let mut points = track.points.iter();
        points.all(|point| self.stations[point.station].roots[point.mode].zero)
    }

    /// Removes events that only concern modes that are not selected.
    fn choose(&mut self, chosen: Vec<bool>) {
        let is_told = |k: &usize| chosen[*k];
        self.events.retain(|own| own.tracks.iter().any(is_told));
        self.ranges.retain(|own| is_told(&own.track));
        self.critical.retain(|own| is_told(&own.track));
        self.chosen = chosen;
    }
}

/// Follows modes over a parameter.
pub(super) fn sweep(args: &args::Modes, of: &args::Sweep, console: &mut Console) -> Done {
    let over = &args.over;
    let wrong = |text: String| Stop::CommandLine(format!("--sweep: {text}"));
    let values = of.values(over.logarithmic).map_err(wrong)?;
    if let Some(name) = over.campbell.as_ref().filter(|name| **name != of.name) {
        return Err(Stop::CommandLine(format!(
            "--campbell {name}: the speed must be the parameter of --sweep, \"{}\"",
            of.name
        )));
    }
    let places = Places::default()
        .json(args.json)
        .prints("--output", &over.output)
        .prints("--plot", &over.plot)
        .prints("--diagram", &over.diagram)
        .prints("--report", &args.report);
    let way = point::PointSetup::open(&args.point, places)?;
    let unit = unit(of, &way)?;
    let speed = over.campbell.is_some().then(|| speed(&of.name, &unit));
    let speed = speed.transpose()?;
    let mut all = follow(args, (&of.name, unit, speed), (&way, &values), console)?;
    all.choose(chosen(args, all.tracks.len())?);
    for note in &all.notes {
        console.note(&format!("note: {note}"));
    }
    if let Some(path) = &over.output {
        console.write(path, &tell::table(&all).to_text())?;
    }
    if let Some(path) = &over.plot {
        console.write(path, &draw::locus(&all).to_svg())?;
    }
    if let Some(path) = &over.diagram {
        console.write(path, &draw::diagram(&all).to_svg())?;
    }
    if let Some(path) = &args.report {
        console.write(path, &page::over(&all)?)?;
    }
    let printed = [&over.output, &over.plot, &over.diagram, &args.report];
    if args.json {
        console.say(&json(&tell::json(&all))?)?;
    } else if printed
        .into_iter()
        .flatten()
        .all(|path| path.as_os_str() != "-")
    {
        for line in tell::text(&all) {
            console.say(&line)?;
        }
    }
    Ok(true)
}

/// Which of so many modes are reported.
fn chosen(args: &args::Modes, modes: usize) -> Result<Vec<bool>, Stop> {
    let read = |option: &str, list: &str| {
        let found = modes::list::chosen(list, modes);
        found.map_err(|error| Stop::CommandLine(format!("{option}: {error}")))
    };
    let include = read("--include", &args.include)?.into_iter();
    let exclude = read("--exclude", &args.exclude)?;
    Ok(include.zip(exclude).map(|(own, out)| own && !out).collect())
}

/// The unit of the parameter or input that is swept; it must be there, and free.
fn unit(of: &args::Sweep, way: &point::PointSetup<'_>) -> Result<String, Stop> {
    let mechanism = &way.blueprint.mechanism;
    let parameters = mechanism.parameters.iter().map(|x| &x.quantity);
    let mut all: Vec<&Quantity> = parameters.collect();
    all.extend(mechanism.inputs.iter().map(|x| &x.quantity));
    let name = &of.name;
    let Some(own) = all.iter().find(|quantity| quantity.name == *name) else {
        let known = all.iter().map(|quantity| quantity.name.as_str());
        let said = suggest::unknown("parameter or input", name, known);
        return Err(Stop::Failed(Failure(format!("--sweep: {said}"))));
    };
    if way.sets(name) {
        return Err(Stop::CommandLine(format!(
            "--sweep and --set both give \"{name}\" values; leave one out"
        )));
    }
    if way.feeds(name) {
        return Err(Stop::CommandLine(format!(
            "--sweep: the table of --input gives \"{name}\" values over time; leave its column out"
        )));
    }
    Ok(own.unit.clone())
}

/// The number of rad/s in one unit.
fn speed(name: &str, unit: &str) -> Result<f64, Failure> {
    if unit.is_empty() {
        return Ok(1.0);
    }
    let wrong = |what: String| {
        Failure(format!(
            "--campbell: \"{name}\" {what}; valid: an angle per time, such as rad/s, deg/s or rpm, or no unit, which counts as rad/s"
        ))
    };
    let read = parse_unit(unit)
        .map_err(|error| wrong(format!("has a unit that cannot be read: {error}")))?;
    // kg, m, s, A, K, mol, cd, rad
    if read.exponents == [0, 0, -1, 0, 0, 0, 0, 1] {
        Ok(read.factor)
    } else {
        Err(wrong(format!("has the unit {unit}")))
    }
}

/// The notes of all forms, each once; a note on a missing equilibrium gives the first value at which it occurs.
fn note_once(notes: &mut Vec<String>, all: &[String], (name, value): (&str, f64)) {
    let moves = |note: &&String| note.starts_with("not an equilibrium");
    // A sweep of a speed may well begin at rest.
    let reported = |note: &&String| !moves(note) && !note.starts_with(RESTS);
    for note in all.iter().filter(reported) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    let known = notes.iter().any(|note| note.contains("not an equilibrium"));
    if let (Some(note), false) = (all.iter().find(moves), known) {
        notes.push(format!("at {name} = {}: {note}", number(value)));
    }
}

fn follow(
    args: &args::Modes,
    (name, unit, speed): (&str, String, Option<f64>),
    (way, values): (&point::PointSetup<'_>, &[f64]),
    console: &mut Console,
) -> Result<Followed, Failure> {
    let more = EACH * values.len() + MORE;
    let budget = args.over.evaluations.unwrap_or(more);
    let mut notes: Vec<String> = Vec::new();
    let mut looked = 0_usize;
    let mut acts = Acts::default();
    console.begin(&format!("modes over {name}"));
    let mut at = |value: f64| -> Result<Station, Failure> {
        let setting = Some((name.to_owned(), number(value)));
        let here =
            |Failure(reason)| Failure(format!("--sweep: at {name} = {}: {reason}", number(value)));
        let mut blueprint = way.blueprint.clone();
        let chosen = of_form::prepare(&args.kept, &mut blueprint)?;
        let mut point = way.find(blueprint, setting, &mut |_| {}).map_err(here)?;
        let (form, modes) = found(args, &mut point, chosen.as_ref()).map_err(here)?;
        looked += 1;
        let between = looked.saturating_sub(values.len()) as f64 / budget.max(1) as f64;
        console.progress(if looked <= values.len() {
            0.5 * looked as f64 / values.len() as f64
        } else {
            0.5 + 0.5 * between
        });
        if looked <= values.len() {
            note_once(&mut notes, way.off_grid(&point).as_slice(), (name, value));
            note_once(&mut notes, &form.notes, (name, value));
        }
        acts.watch(&form);
        let mechanism = &point.mechanism;
        if let Some(scale) = speed {
            let speeds = &point.linearization.turning_speeds;
            acts.compare(value * scale, speeds, &|body| called(mechanism, body));
        }
        let station = Station::new(value, (&point.linearization, &form), &modes, &|body| {
            called(mechanism, body)
        });
        acts.turns |= station.whirls.iter().any(Option::is_some);
        Ok(station)
    };
    let mut follower = Follower::within(budget, values, &mut at)?;
    let orders = &args.over.orders;
    let critical = match speed {
        Some(scale) => follower.critical(orders, scale)?,
        None => Vec::new(),
    };
    let (events, ranges) = follower.events()?;
    let count = follower.stations().len();
    let found = Followed {
        model: way.blueprint.mechanism.name.clone(),
        name: name.to_owned(),
        unit,
        speed,
        orders: orders.clone(),
        stations: follower.stations().cloned().collect(),
        asked: (0..count).map(|k| follower.asked(k)).collect(),
        chosen: vec![true; follower.tracks().len()],
        tracks: follower.tracks().to_vec(),
        events,
        ranges,
        critical,
        notes: Vec::new(),
    };
    let spent = follower.is_spent();
    console.end();
    notes.extend(acts.words(name, speed.is_some()));
    if speed.is_some() && acts.turns {
        notes.extend(of_speeds(args));
    }
    if spent {
        notes.push(spent_words(budget));
    }
    Ok(Followed { notes, ..found })
}

/// Notes on critical speeds.
fn of_speeds(args: &args::Modes) -> Vec<String> {
    let at_start = !args.point.balanced && args.point.at.is_none() && args.point.state.is_none();
    let turning = args.kept.turning_with.as_deref().map(seen_from);
    let start = at_start.then(|| String::from(AT_START));
    start.into_iter().chain(turning).collect()
}

fn spent_words(budget: usize) -> String {
    format!(
        "the sweep has reached its limit of {budget} values between the requested ones: some events may be missing \
         or placed less exactly; raise the limit by `--evaluations {}`",
        2 * budget.max(1)
    )
}

/// The note on a Campbell diagram for the start of a run.
const AT_START: &str = "--campbell: each point is the start of a run, in which what springs carry may turn against what a motion turns, \
    each with a part of the speed; --static takes steady motion, in which the rotor has the speed";

/// The note on a Campbell diagram along turning axes.
fn seen_from(with: &str) -> String {
    format!(
        "frequencies are as \"{with}\" sees them, which turns: orders are of what stands still, as nozzles around blades; imbalance \
         turns with the rotor and excites it at 0 Hz here: for its critical speeds leave --turning-with out"
    )
}

/// Speeds that differ by less than this fraction are equal.
const SAME_SPEED: f64 = 0.01;

/// The effect of a parameter on the speeds of parts.
#[derive(Default)]
struct Acts {
    first: Option<LinearForm>,
    changes: bool,
    /// Does a part turn at any value of the parameter?
    turns: bool,
    /// Does a part turn exactly at the speed given by the parameter, at any value?
    follows: bool,
    /// If not: the fastest part, and its speed divided by the parameter.
    fastest: Option<(String, f64)>,
}

impl Acts {
    fn watch(&mut self, form: &LinearForm) {
        match &self.first {
            None => self.first = Some(form.clone()),
            Some(first) => self.changes |= first.a != form.a,
        }
    }

    /// Compares a speed with those at which parts turn.
    fn compare(&mut self, speed: f64, turning: &[f64], name: &dyn Fn(usize) -> String) {
        let wanted = speed.abs();
        if wanted == 0.0 {
            return;
        }
        self.follows |= turning
            .iter()
            .any(|own| (own / wanted - 1.0).abs() < SAME_SPEED);
        let fastest = (0..turning.len()).max_by(|a, b| turning[*a].total_cmp(&turning[*b]));
        self.fastest = fastest.map(|body| (name(body), turning[body] / wanted));
    }

    /// The note if the parameter changes nothing, or is not the speed of any part.
    fn words(&self, name: &str, is_speed: bool) -> Option<String> {
        let none = match (self.changes, is_speed) {
            (false, false) => "the modes are the same at all values",
            (false, true) => {
                "critical speeds are those at which orders of it meet the frequencies of a mechanism that does not turn with it"
            }
            (true, true) if !self.turns => {
                return Some(format!(
                    "no part turns at any value of \"{name}\": as a speed of rotation it means nothing here, and critical speeds \
                     with it; let a motion turn the rotor with it"
                ));
            }
            (true, true) if !self.follows => {
                return self.fastest.as_ref().map(|(part, ratio)| {
                    format!(
                        "no part turns at \"{name}\" at any of its values: {part} turns fastest, at {} times that speed. Critical speeds are where \
                         orders of \"{name}\" itself meet frequencies: mind the unit in which the motion reads it, and springs that let what \
                         carries the rotor turn against it (--static)",
                        figure(*ratio)
                    )
                });
            }
            (true, _) => return None,
        };
        Some(format!(
            "\"{name}\" changes nothing in the linear form: {none}"
        ))
    }
}
