//! Control plane: reports followed modes, for people and for scripts.

use core::f64::consts::TAU;

use fixstep_kernel::math::log10;
use fmu_build::csv::{Table, TextColumn};
use linear_analysis::follow::{Critical, Event, Kind, Point, Range, Track};
use linear_analysis::modes_report::{Report, Row, figure};
use serde_json::{Value, json};

use super::sweep::Followed;

/// A whirl below this magnitude is a motion to and fro.
const ROUND: f64 = 0.2;

/// Names the direction in which a mode whirls.
fn whirl(of: Option<f64>) -> String {
    match of {
        None => String::new(),
        Some(x) if x > ROUND => format!("forward {x:.2}"),
        Some(x) if x < -ROUND => format!("backward {:.2}", -x),
        Some(_) => String::from("to and fro"),
    }
}

fn hertz(of: f64) -> String {
    figure(of / TAU)
}

/// The whole result as text.
pub(super) fn text(all: &Followed) -> Vec<String> {
    let asked = all.asked.iter().filter(|asked| **asked).count();
    let (first, last) = (&all.stations[0], &all.stations[all.stations.len() - 1]);
    let unit = if all.unit.is_empty() {
        String::new()
    } else {
        format!(" [{}]", all.unit)
    };
    let mut said = vec![format!(
        "{}: modes over {}{unit} from {} to {}, {asked} values and {} between",
        all.model,
        all.name,
        figure(first.value),
        figure(last.value),
        all.stations.len() - asked
    )];
    let zeros = all.tracks.iter().filter(|track| all.stays_zero(track));
    let zeros = zeros.count();
    if zeros > 0 {
        let plural = if zeros == 1 { "" } else { "s" };
        said.push(format!("{zeros} root{plural} stay zero: free motions"));
    }
    for (number, track) in all.reported() {
        said.push(String::new());
        said.extend(mode(all, number, track));
    }
    let lines = events(all);
    if !lines.is_empty() {
        said.push(String::new());
        said.extend(lines);
    }
    said
}

fn mode(all: &Followed, number: usize, track: &Track) -> Vec<String> {
    let words = |point: Option<&Point>| {
        point.map_or("", |point| &all.stations[point.station].words[point.mode])
    };
    let (first, last) = (words(track.points.first()), words(track.points.last()));
    let turned = if first == last {
        String::new()
    } else {
        format!("; at the end {last}")
    };
    let mut said = vec![format!("mode {}: {first}{turned}", number + 1)];
    let mut head = format!(
        "{:>13}  {:>13}  {:>13}  {:>13}  {:>17}  {:>5}",
        all.name, "frequency, Hz", "damping ratio", "real, 1/s", "imaginary, rad/s", "MAC"
    );
    let whirls = all.stations.iter().flat_map(|station| &station.whirls);
    if whirls.into_iter().any(Option::is_some) {
        head.push_str("  whirl");
    }
    said.push(head);
    for point in &track.points {
        let ends = [track.points.first(), track.points.last()].contains(&Some(point));
        if !all.asked[point.station] && !ends {
            continue;
        }
        let station = &all.stations[point.station];
        let root = station.roots[point.mode];
        let imaginary = if root.is_pair() {
            format!("+-{}", figure(root.value.im))
        } else {
            String::from("0")
        };
        let mac = point
            .mac
            .map_or_else(String::new, |mac| format!("{mac:.3}"));
        let line = format!(
            "{:>13}  {:>13}  {:>13}  {:>13}  {imaginary:>17}  {mac:>5}  {}",
            figure(station.value),
            hertz(root.frequency()),
            figure(root.damping_ratio()),
            figure(root.value.re),
            whirl(station.whirls[point.mode])
        );
        said.push(line.trim_end().to_owned());
    }
    said
}

/// The events of modes, the critical speeds, and the ranges in which the mechanism is unstable.
pub(super) fn events(all: &Followed) -> Vec<String> {
    let told = all
        .events
        .iter()
        .filter(|own| !is_told_with_another(all, own));
    let mut said: Vec<String> = told.map(|own| event(all, own)).collect();
    said.extend(all.critical.iter().map(|own| critical(all, own)));
    said.extend(all.ranges.iter().map(|own| range(all, own)));
    said
}

/// The onset or end of flutter, where two modes reach one frequency.
fn onset<'a>(all: &'a Followed, own: &Event) -> Option<&'a Event> {
    let kind = match own.kind {
        Kind::Meeting => Kind::Flutter,
        Kind::Parting => Kind::Stable,
        _ => return None,
    };
    all.events.iter().find(|other| {
        let same = other.value.to_bits() == own.value.to_bits();
        same && other.kind == kind && own.tracks.contains(&other.tracks[0])
    })
}

/// Is it the onset of a flutter that is listed together with the common frequency?
fn is_told_with_another(all: &Followed, own: &Event) -> bool {
    let with = |other: &Event| onset(all, other).is_some_and(|found| std::ptr::eq(found, own));
    all.events.iter().any(with)
}

fn event(all: &Followed, own: &Event) -> String {
    let numbers: Vec<String> = own.tracks.iter().map(|k| (k + 1).to_string()).collect();
    let both = numbers.join(" and ");
    let f = hertz(own.frequency);
    let mac = own
        .mac
        .map_or_else(String::new, |mac| format!(" (MAC {mac:.3})"));
    let what = match own.kind {
        Kind::Crossing => format!("modes {both} cross at {f} Hz, and shapes stay{mac}"),
        Kind::Veering => format!(
            "modes {both} veer at {f} Hz: frequencies stay {} Hz apart, and shapes are exchanged{mac}",
            hertz(own.gap.unwrap_or(0.0))
        ),
        Kind::Unsettled => format!(
            "modes {both} come together at {f} Hz: the values are too far apart to decide whether they cross or veer{mac}; give more values there"
        ),
        Kind::Meeting => match onset(all, own) {
            Some(flutter) => format!(
                "flutter begins: modes {both} come together at {f} Hz, and mode {} grows",
                flutter.tracks[0] + 1
            ),
            None => format!("modes {both} take one frequency, {f} Hz"),
        },
        Kind::Parting => match onset(all, own) {
            Some(_) => format!("flutter ends: modes {both} part at {f} Hz"),
            None => format!("modes {both} leave their one frequency, {f} Hz"),
        },
        Kind::Pairs => format!("the real modes {both} become a pair"),
        Kind::Unpairs => format!("a pair becomes two real modes, {both}"),
        Kind::Flutter => format!("mode {both} begins to grow, and oscillates with {f} Hz"),
        Kind::Divergence => format!("mode {both} begins to grow without oscillating"),
        Kind::Stable => format!("mode {both} ceases to grow"),
    };
    format!("{}: {what}", at(all, own.value, own.between))
}

/// Is a place known to all digits shown?
fn is_known(all: &Followed, value: f64, between: (f64, f64)) -> bool {
    let last = &all.stations[all.stations.len() - 1];
    let span = last.value - all.stations[0].value;
    between.1 - between.0 <= (2e-6 * value.abs()).max(1e-9 * span)
}

/// `at speed = 134.638 rad/s`; or its bounds and an approximate value, to a hundredth of the distance of the bounds.
fn at(all: &Followed, value: f64, between: (f64, f64)) -> String {
    if is_known(all, value, between) {
        return format!("at {}", all.value(&figure(value)));
    }
    let ends = format!("{} and {}", figure(between.0), figure(between.1));
    let about = rough(value, between);
    format!("between {}, about {about}", all.value(&ends))
}

/// A value, to a hundredth of the distance of its bounds.
fn rough(value: f64, between: (f64, f64)) -> String {
    let digit = log10((between.1 - between.0) / 100.0).floor();
    let decimals = (-digit).clamp(0.0, 15.0) as usize;
    format!("{value:.decimals$}")
}

fn critical(all: &Followed, own: &Critical) -> String {
    let rpm = own.at.value.abs() * all.speed.unwrap_or(1.0) * 60.0 / TAU;
    let turns = match whirl(own.at.whirl) {
        text if text.is_empty() => text,
        text => format!(", whirl {text}"),
    };
    let place = at(all, own.at.value, own.at.between);
    let (order, mode) = (own.order, own.track + 1);
    if !is_known(all, own.at.value, own.at.between) {
        return format!(
            "critical {place}: order {order} meets mode {mode}, damping ratio about {:.2}{turns}",
            own.at.damping_ratio
        );
    }
    format!(
        "critical {place} ({} rpm): order {order} meets mode {mode} at {} Hz, damping ratio {}{turns}",
        figure(rpm),
        hertz(own.at.frequency),
        figure(own.at.damping_ratio)
    )
}

fn range(all: &Followed, own: &Range) -> String {
    let last = all.stations[all.stations.len() - 1].value;
    let first = all.stations[0].value;
    let end = |value: f64, at: f64| {
        let beyond = match value.to_bits() == at.to_bits() {
            true if at.to_bits() == first.to_bits() => " (beginning of the sweep)",
            true => " (end of the sweep)",
            false => "",
        };
        let mut events = all.events.iter();
        let open = events.find(|event| {
            let same = event.value.to_bits() == value.to_bits();
            same && event.tracks.contains(&own.track) && !is_known(all, value, event.between)
        });
        open.map_or_else(
            || format!("{}{beyond}", figure(value)),
            |event| format!("about {}", rough(value, event.between)),
        )
    };
    format!(
        "mode {} is unstable from {} to {}: its real part is {} 1/s at most, at {}",
        own.track + 1,
        all.value(&end(own.from, first)),
        end(own.to, last),
        figure(own.most.0),
        figure(own.most.1)
    )
}

/// A row for each mode.
pub(super) fn modes(report: &Report) -> Table {
    type Of = fn(&Row) -> f64;
    let columns: [(&str, Of); 6] = [
        ("mode", |row| row.mode as f64),
        ("frequency [Hz]", |row| row.frequency_hz),
        ("damping ratio", |row| row.damping_ratio),
        ("real [1/s]", |row| row.real),
        ("imaginary [rad/s]", |row| row.imaginary),
        ("loss factor", |row| 2.0 * row.damping_ratio),
    ];
    let names = columns.iter().map(|(name, _)| (*name).to_owned());
    let mut table = Table::new(names.collect());
    for row in &report.modes {
        table.push(&columns.map(|(_, of)| of(row)));
    }
    table.texts.push(TextColumn {
        name: String::from("moves mostly"),
        rows: report.modes.iter().map(|row| row.moves.clone()).collect(),
    });
    table
}

/// A row for each value, with columns for modes; `nan` where a mode does not exist.
pub(super) fn table(all: &Followed) -> Table {
    let mut names = vec![all.name.clone()];
    let values: Vec<f64> = all.stations.iter().map(|station| station.value).collect();
    let mut columns = vec![values];
    for (number, track) in all.reported() {
        let of = |what: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            let all = 0..all.stations.len();
            all.map(|k| track.at(k).map_or(f64::NAN, |mode| what(k, mode)))
                .collect()
        };
        let root = |k: usize, mode: usize| all.stations[k].roots[mode];
        let parts: [(&str, Vec<f64>); 6] = [
            ("frequency", of(&|k, mode| root(k, mode).frequency() / TAU)),
            (
                "damping ratio",
                of(&|k, mode| root(k, mode).damping_ratio()),
            ),
            ("re", of(&|k, mode| root(k, mode).value.re)),
            ("im", of(&|k, mode| root(k, mode).value.im)),
            ("MAC", of(&|k, _| track.mac(k).unwrap_or(f64::NAN))),
            (
                "whirl",
                of(&|k, mode| all.stations[k].whirls[mode].unwrap_or(f64::NAN)),
            ),
        ];
        for (what, column) in parts {
            if what != "whirl" || column.iter().any(|x| x.is_finite()) {
                names.push(format!("mode {} {what}", number + 1));
                columns.push(column);
            }
        }
    }
    let mut table = Table::new(names);
    table.columns = columns;
    table
}

/// The whole result as JSON.
pub(super) fn json(all: &Followed) -> Value {
    let track = |(number, track): (usize, &Track)| {
        let point = |point: &Point| {
            let station = &all.stations[point.station];
            let root = station.roots[point.mode];
            json!({
                "value": station.value,
                "frequency": root.frequency(),
                "frequency_hz": root.frequency() / TAU,
                "damping_ratio": root.damping_ratio(),
                "real": root.value.re,
                "imaginary": root.value.im,
                "mac": point.mac,
                "whirl": station.whirls[point.mode],
                "moves": station.words[point.mode],
            })
        };
        json!({"mode": number + 1, "points": track.points.iter().map(point).collect::<Vec<_>>()})
    };
    let event = |own: &Event| {
        json!({
            "kind": own.kind,
            "modes": own.tracks.iter().map(|k| k + 1).collect::<Vec<_>>(),
            "value": own.value,
            "between": [own.between.0, own.between.1],
            "frequency_hz": own.frequency / TAU,
            "gap_hz": own.gap.map(|gap| gap / TAU),
            "mac": own.mac,
        })
    };
    let range = |own: &Range| {
        json!({
            "mode": own.track + 1, "from": own.from, "to": own.to,
            "largest_real": own.most.0, "at": own.most.1,
        })
    };
    let mut told = json!({
        "model": all.model,
        "parameter": all.name,
        "unit": all.unit,
        "values": all.stations.iter().map(|station| station.value).collect::<Vec<_>>(),
        "asked": all.asked,
        "modes": all.reported().map(track).collect::<Vec<_>>(),
        "events": all.events.iter().map(event).collect::<Vec<_>>(),
        "unstable": all.ranges.iter().map(range).collect::<Vec<_>>(),
        "notes": all.notes,
    });
    if let Some(scale) = all.speed {
        let critical = |own: &Critical| {
            json!({
                "value": own.at.value,
                "rad_per_s": own.at.value * scale,
                "order": own.order,
                "mode": own.track + 1,
                "frequency_hz": own.at.frequency / TAU,
                "damping_ratio": own.at.damping_ratio,
                "whirl": own.at.whirl,
                "between": [own.at.between.0, own.at.between.1],
            })
        };
        told["critical_speeds"] = all.critical.iter().map(critical).collect();
    }
    told
}
