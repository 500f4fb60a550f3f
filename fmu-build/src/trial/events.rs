//! Control plane: events in a run that can disturb the order of its differences.

use fixstep_kernel::lint::Kinks;
use fixstep_kernel::mechanism::called;
use fixstep_kernel::simulation::Simulation;
use serde::Serialize;

use super::words::step_name;
use crate::run::Times;

/// A possible reason why differences have no order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PossibleCause {
    /// Whose it is.
    pub owner: String,
    /// Its effect.
    pub what: String,
    /// Number of times it occurred between two communication points; 0: it is permanent.
    pub times: usize,
    /// When first (s).
    pub first: f64,
}

/// The events of a run.
pub(super) struct Events {
    kinks: Kinks,
    last: Vec<i64>,
    now: Vec<i64>,
    /// Rows and places.
    seen: Vec<(u64, usize)>,
}

impl Events {
    /// At the start.
    pub(super) fn begin(engine: &Simulation) -> Self {
        let mut events = Self {
            kinks: Kinks::of(engine.mechanism()),
            last: Vec::new(),
            now: Vec::new(),
            seen: Vec::new(),
        };
        events.watch(engine, 0);
        events
    }

    /// At a communication point.
    pub(super) fn watch(&mut self, engine: &Simulation, row: u64) {
        std::mem::swap(&mut self.last, &mut self.now);
        engine.phases(&self.kinks, &mut self.now);
        let pairs = self.last.iter().zip(&self.now).enumerate();
        let changed = pairs.filter(|(_, (last, now))| last != now);
        self.seen.extend(changed.map(|(place, _)| (row, place)));
    }

    /// How often each place was met up to a row.
    pub(super) fn counts(&self, rows: u64) -> Vec<usize> {
        let mut counts = vec![0; self.now.len()];
        for (_, place) in self.seen.iter().filter(|(row, _)| *row <= rows) {
            counts[*place] += 1;
        }
        counts
    }

    /// The events up to a row, the most frequent first, and permanent causes.
    pub(super) fn suspects(
        &self,
        rows: u64,
        times: &Times,
        engine: &Simulation,
    ) -> Vec<PossibleCause> {
        let mut found: Vec<PossibleCause> = Vec::new();
        for (row, place) in self.seen.iter().filter(|(row, _)| *row <= rows) {
            let kink = &self.kinks.places()[*place];
            let same =
                |known: &&mut PossibleCause| known.owner == kink.owner && known.what == kink.what;
            match found.iter_mut().find(same) {
                Some(known) => known.times += 1,
                None => found.push(PossibleCause {
                    owner: kink.owner.clone(),
                    what: kink.what.to_owned(),
                    times: 1,
                    first: times.at(*row),
                }),
            }
        }
        found.sort_by_key(|suspect| std::cmp::Reverse(suspect.times));
        let always = |owner: String, what: &str| PossibleCause {
            owner,
            what: what.to_owned(),
            times: 0,
            first: times.start,
        };
        let memory = &engine.mechanism().memory;
        let delays = memory.delays.iter();
        found.extend(delays.map(|delay| always(delay.path.clone(), "delays a value")));
        let sampled = memory.sampled.iter();
        found.extend(sampled.map(|system| {
            let owner = format!("sampled system {}", called(&system.name));
            always(owner, "jumps at its samples")
        }));
        found
    }
}

/// Sensors that triggered less or more often at the first step than at the others, in words.
pub(super) fn missed<'a>(engines: impl Iterator<Item = &'a Simulation>) -> Vec<String> {
    let runs: Vec<_> = engines
        .map(|engine| (engine, engine.step_size(), engine.sensor_counts()))
        .collect();
    let Some(((engine, h, counts), finer)) = runs.split_first() else {
        return Vec::new();
    };
    let sensors = engine.mechanism().memory.sensors.iter().enumerate();
    let differs = sensors.filter_map(|(k, sensor)| {
        let (_, finest, most) = finer.iter().find(|(_, _, other)| other[k] != counts[k])?;
        let [h, finest] = [*h, *finest].map(step_name);
        Some(format!(
            "{} triggers {} at steps of {h} and {} at {finest}: what comes and goes within a step, or hardly reaches its value, is \
             not seen at its end; take a smaller step",
            sensor.call(),
            times(counts[k]),
            times(most[k])
        ))
    });
    differs.collect()
}

fn times(count: u64) -> String {
    if count == 1 {
        "once".to_owned()
    } else {
        format!("{count} times")
    }
}
