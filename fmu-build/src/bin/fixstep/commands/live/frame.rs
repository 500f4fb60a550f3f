//! Control plane: the dashboard of a paced run as lines of text.

use std::time::Duration;

use super::dials::Dials;
use super::pace::Figures;

/// What the keys do.
const KEYS: &str = "space pause · . one step · + - speed · ↑ ↓ choose · ← → change · enter type a value · s save state · q quit";
/// What they do while a value is typed.
const TYPING: &str = "enter set · esc leave it";
/// Levels of a sparkline.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Samples that a column of a sparkline takes into account.
const SAMPLES: usize = 2048;

/// Values that differ by a smaller share of their size differ by rounding.
const FLAT: f64 = 1e-9;

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Plain,
    Bold,
    Faint,
    Reverse,
}

/// A line.
pub(super) type Line = (Look, String);

/// An output: its times, and its values in the unit that is shown.
pub(super) struct Shown<'a> {
    pub(super) name: &'a str,
    pub(super) unit: &'a str,
    pub(super) values: &'a [f64],
    /// From a value to the one that is shown: factor and offset.
    pub(super) conversion: (f64, f64),
}

/// What there is to be seen.
pub(super) struct View<'a> {
    pub(super) title: &'a str,
    /// Time of now, of the start and of the end (s).
    pub(super) times: [f64; 3],
    /// Simulated seconds in a second of the clock, and whether the run stands.
    pub(super) speed: f64,
    pub(super) paused: bool,
    pub(super) behind: Duration,
    pub(super) figures: Figures,
    /// Times of the values.
    pub(super) rows: &'a [f64],
    /// Time that sparklines show (s).
    pub(super) window: f64,
    pub(super) outputs: Vec<Shown<'a>>,
    pub(super) dials: &'a Dials,
    pub(super) message: &'a str,
}

/// The lines for a terminal of this size.
pub(super) fn lines(view: &View<'_>, (width, height): (usize, usize)) -> Vec<Line> {
    let mut lines = heading(view);
    let room = height.saturating_sub(lines.len() + 3);
    let dials = view.dials.all.len().min(room / 2).min(12);
    let outputs = room.saturating_sub(if dials > 0 { dials + 2 } else { 1 });
    lines.push((Look::Plain, String::new()));
    lines.extend(of_outputs(view, outputs, width));
    if dials > 0 {
        lines.push((Look::Plain, String::new()));
        lines.extend(of_dials(view.dials, dials));
    }
    lines.truncate(height.saturating_sub(2));
    lines.resize(height.saturating_sub(2), (Look::Plain, String::new()));
    lines.push((Look::Bold, view.message.to_owned()));
    let keys = if view.dials.entry.is_some() {
        TYPING
    } else {
        KEYS
    };
    lines.push((Look::Faint, keys.to_owned()));
    for (_, text) in &mut lines {
        *text = text.chars().take(width).collect();
    }
    lines
}

/// Time, speed and Real Time Index.
fn heading(view: &View<'_>) -> Vec<Line> {
    let [now, start, stop] = view.times;
    let share = if stop > start {
        ((now - start) / (stop - start)).clamp(0.0, 1.0)
    } else {
        1.0
    };
    let state = if view.paused {
        "PAUSED".to_owned()
    } else {
        format!("{} × the clock", view.speed)
    };
    let Figures {
        now: last,
        mean,
        worst,
        worst_at,
        misses,
        steps,
    } = view.figures;
    let behind = 1e3 * view.behind.as_secs_f64();
    let full = (share * 20.0) as usize;
    let bar = "█".repeat(full) + &"░".repeat(20 - full);
    vec![
        (
            Look::Bold,
            format!("{}   {now:.3} s of {stop} s  {bar}   {state}", view.title),
        ),
        (
            Look::Plain,
            format!(
                "RTI now {last:.4}  mean {mean:.4}  worst {worst:.4} at {worst_at:.3} s   misses {misses} of {steps}   behind \
                 {behind:.1} ms"
            ),
        ),
    ]
}

/// The outputs that fit.
fn of_outputs(view: &View<'_>, room: usize, width: usize) -> Vec<Line> {
    let all = &view.outputs;
    let count = match all.len() {
        all if all <= room => all,
        _ => room.saturating_sub(1),
    };
    let shown = &all[..count];
    let names = shown.iter().map(|it| it.name.chars().count()).max();
    let names = names.unwrap_or(0).clamp(6, 32);
    let units = shown.iter().map(|it| it.unit.chars().count()).max();
    let units = units.unwrap_or(0).clamp(4, 12);
    // Between: the value, and the least and most of the window.
    let space = width.saturating_sub(names + units + 12 + 28).clamp(8, 120);
    let columns = |name: &str, value: &str, unit: &str, line: &str, range: &str| {
        let name: String = name.chars().take(names).collect();
        format!("{name:names$} {value:>11} {unit:units$}  {line:space$}  {range}")
    };
    let head = columns("output", "now", "unit", "", "least … most here");
    let mut lines = vec![(Look::Faint, head)];
    let now = view.times[0];
    for output in shown {
        let (factor, offset) = output.conversion;
        let last = output
            .values
            .last()
            .map_or(f64::NAN, |v| factor * v + offset);
        let (line, range) = sparkline((view.rows, output.values), (now - view.window, now), space);
        let range = range.map_or(String::new(), |[least, most]| {
            let ends = [factor * least + offset, factor * most + offset];
            let [least, most] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            format!("{} … {}", short(least), short(most))
        });
        let line: String = if factor < 0.0 { turned(&line) } else { line };
        let text = columns(output.name, &short(last), output.unit, &line, &range);
        lines.push((Look::Plain, text));
    }
    if count < all.len() {
        let more = all.len() - count;
        let text = format!("… {more} more; --watch NAME,... chooses");
        lines.push((Look::Faint, text));
    }
    lines
}

/// A sparkline upside down.
fn turned(line: &str) -> String {
    let turn = |c: char| match LEVELS.iter().position(|level| *level == c) {
        Some(level) => LEVELS[LEVELS.len() - 1 - level],
        None => c,
    };
    line.chars().map(turn).collect()
}

/// Values over time in some columns of text, with the least and most of them; columns before the first value are empty.
pub(super) fn sparkline(
    (times, values): (&[f64], &[f64]),
    (from, to): (f64, f64),
    columns: usize,
) -> (String, Option<[f64; 2]>) {
    let place = |time: f64| times.partition_point(|it| *it < time);
    let width = (to - from) / columns as f64;
    let mut means = Vec::with_capacity(columns);
    let mut range: Option<[f64; 2]> = None;
    for column in 0..columns {
        let begin = place(from + column as f64 * width);
        let end = if column + 1 == columns {
            times.len()
        } else {
            place(from + (column + 1) as f64 * width)
        };
        let stride = (end.saturating_sub(begin) / SAMPLES).max(1);
        let held = (begin..end).step_by(stride).map(|at| values[at]);
        let finite: Vec<f64> = held.filter(|value| value.is_finite()).collect();
        if finite.is_empty() {
            // Between rows that are far apart the last one holds.
            let before = begin.checked_sub(1).map(|at| values[at]);
            means.push(before.filter(|value| value.is_finite()));
            continue;
        }
        let [least, most] = range.unwrap_or([f64::INFINITY, f64::NEG_INFINITY]);
        let [least, most] = finite
            .iter()
            .fold([least, most], |[l, m], v| [l.min(*v), m.max(*v)]);
        range = Some([least, most]);
        means.push(Some(finite.iter().sum::<f64>() / finite.len() as f64));
    }
    let [least, most] = range.unwrap_or([0.0, 0.0]);
    let flat = most - least <= FLAT * least.abs().max(most.abs());
    let level = |mean: &Option<f64>| match mean {
        None => ' ',
        Some(_) if flat => LEVELS[3],
        Some(mean) => {
            let share = (mean - least) / (most - least) * LEVELS.len() as f64;
            LEVELS[(share.max(0.0) as usize).min(LEVELS.len() - 1)]
        }
    };
    (means.iter().map(level).collect(), range)
}

/// Parameters and inputs around the selected one.
fn of_dials(dials: &Dials, room: usize) -> Vec<Line> {
    let first = (dials.selected + 1).saturating_sub(room);
    let shown = dials.all.iter().enumerate().skip(first).take(room);
    let names = dials.all.iter().map(|it| it.name.chars().count()).max();
    let names = names.unwrap_or(0).clamp(9, 40);
    let head = format!(
        "parameter or input   {} to {} of {}",
        first + 1,
        (first + room).min(dials.all.len()),
        dials.all.len()
    );
    let mut lines = vec![(Look::Faint, head)];
    for (at, dial) in shown {
        let chosen = at == dials.selected;
        let value = match &dials.entry {
            Some(text) if chosen => format!("{text}▏"),
            _ => short(dial.value),
        };
        let (name, unit) = (&dial.name, &dial.unit);
        let mark = if chosen { '▸' } else { ' ' };
        let look = if chosen { Look::Reverse } else { Look::Plain };
        lines.push((look, format!("{mark} {name:names$} {value:>14} {unit}")));
    }
    lines
}

/// A number in at most eleven characters.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{value:.3e}");
    }
    // Six digits in all, counted before the point.
    let before = format!("{:.0}", size.floor()).len();
    let digits = if size < 1.0 {
        8
    } else {
        6_usize.saturating_sub(before)
    };
    let text = format!("{value:.digits$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparklines_show_the_course_of_values() {
        let times: Vec<f64> = (0..=100).map(|n| f64::from(n) * 0.01).collect();
        let ramp: Vec<f64> = times.iter().map(|t| 2.0 * t - 1.0).collect();
        let (line, range) = sparkline((&times, &ramp), (0.0, 1.0), 8);
        assert_eq!((line.as_str(), range), ("▁▂▃▄▅▆▇█", Some([-1.0, 1.0])));
        // Before the first row there is nothing.
        let (line, _) = sparkline((&times, &ramp), (-1.0, 1.0), 8);
        assert!(line.starts_with("    ▁") && line.ends_with('█'), "{line}");
        // Rounding is no course.
        let still: Vec<f64> = times.iter().map(|t| 3e3 + 1e-9 * t).collect();
        assert_eq!(sparkline((&times, &still), (0.0, 1.0), 4).0, "▄▄▄▄");
        // Rows far apart hold until the next.
        let (line, _) = sparkline((&[0.0, 1.0], &[0.0, 1.0]), (0.0, 1.0), 4);
        assert_eq!(line, "▁▁▁█");
        assert_eq!(turned("▁▂ █"), "█▇ ▁");
        let (line, range) = sparkline((&[0.0], &[f64::NAN]), (0.0, 1.0), 3);
        assert_eq!((line.as_str(), range), ("   ", None));
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.33333333"),
            (-12.5, "-12.5"),
            (123_456.7, "123457"),
            (1_234.567_89, "1234.57"),
            (2.5e6, "2.500e6"),
            (-1.25e-12, "-1.250e-12"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn a_frame_fits_the_terminal() {
        let values = [1.0, 2.0];
        let names: Vec<String> = (0..30).map(|n| format!("output_{n}")).collect();
        let dials = Dials::default();
        for (width, height) in [(20, 6), (80, 24), (200, 60)] {
            let outputs = names.iter().map(|name| Shown {
                name,
                unit: "mm",
                values: &values,
                conversion: (1e3, 0.0),
            });
            let view = View {
                title: "model",
                times: [1.0, 0.0, 4.0],
                speed: 1.0,
                paused: false,
                behind: Duration::ZERO,
                figures: Figures::default(),
                rows: &[0.0, 1.0],
                window: 1.0,
                outputs: outputs.collect(),
                dials: &dials,
                message: "",
            };
            let lines = lines(&view, (width, height));
            assert_eq!(lines.len(), height);
            assert!(lines.iter().all(|(_, text)| text.chars().count() <= width));
            let text: String = lines.iter().map(|(_, text)| text.as_str()).collect();
            if height == 24 {
                assert!(
                    text.contains("2000") && text.contains("more; --watch"),
                    "{text}"
                );
            }
        }
    }
}
