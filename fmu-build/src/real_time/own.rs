//! Control plane: reads back the real-time report that FMUs made by Fixstep log when a run ends.

use super::Figures;
use crate::slave::{Message, Slave, find};

/// The category that it is logged in.
const CATEGORY: &str = "logRealTime";

/// The FMU's own measurements of its integration steps.
pub(super) struct Own {
    pub(super) figures: Figures,
    pub(super) misses: u64,
    pub(super) longest_run: u64,
    /// The report as logged.
    pub(super) text: String,
}

/// The figures that variables hold with all their digits: least, average, largest.
pub(super) fn exact(slave: &mut dyn Slave) -> Option<[f64; 3]> {
    let mut read = Vec::new();
    for name in ["rti.min", "rti.average", "rti.max"] {
        let at = find(slave.description(), name).ok()?;
        slave.read(at, &mut read).ok()?;
    }
    <[f64; 3]>::try_from(read).ok()
}

/// The report among messages.
pub(super) fn reported(messages: &[Message], exact: Option<[f64; 3]>) -> Option<Own> {
    let mut all = messages.iter().rev();
    let text = &all.find(|message| message.category == CATEGORY)?.text;
    let line = |name: &str| {
        let mut lines = text.lines();
        lines.find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'))
    };
    let index = |name: &str| line(name)?.split_whitespace().next()?.parse::<f64>().ok();
    let [min, average, max] = exact.or_else(|| {
        Some([
            index("Minimum RTI index")?,
            index("Average RTI index")?,
            index("Maximum RTI index")?,
        ])
    })?;
    let percentiles = line("Percentiles of RTI")?;
    // They have five digits there.
    let within = |value: f64| value.min(max).max(min);
    let percentile = |name: &str| {
        let mut all = percentiles.split(',');
        all.find_map(|of| {
            of.trim()
                .strip_prefix(name)?
                .strip_prefix(' ')?
                .parse()
                .ok()
                .map(within)
        })
    };
    // `3 of 100 steps (longest run 2)`
    let misses = line("Deadline misses")?;
    let mut counts = misses
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok());
    let (misses, _, longest_run) = (counts.next()?, counts.next()?, counts.next()?);
    Some(Own {
        figures: Figures {
            first: index("First RTI index"),
            min,
            average,
            p50: percentile("p50")?,
            p99: percentile("p99")?,
            p99_9: percentile("p99.9")?,
            p99_99: percentile("p99.99")?,
            p99_999: percentile("p99.999")?,
            max,
        },
        misses,
        longest_run,
        text: text.clone(),
    })
}
