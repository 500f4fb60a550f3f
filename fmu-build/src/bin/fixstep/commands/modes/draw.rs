//! Control plane: draws followed modes.

use core::f64::consts::TAU;

use fmu_build::plot::{Line, Panel, Plot};
use linear_analysis::eigen::Root;
use linear_analysis::modes_report::figure;

use super::sweep::Followed;

/// Frequencies are drawn up to the first multiple of the highest line of an order, if some exceed the second
/// multiple.
const ABOVE: f64 = 1.25;
const FAR: f64 = 2.5;

/// A line for each mode, with one of its quantities at each value.
fn lines(all: &Followed, of: &dyn Fn(f64, Root) -> Option<(f64, f64)>) -> Vec<Line> {
    let line = |(number, track): (usize, &linear_analysis::follow::Track)| {
        let points = track.points.iter();
        let (x, y) = points
            .filter_map(|point| {
                let station = &all.stations[point.station];
                of(station.value, station.roots[point.mode])
            })
            .unzip();
        Line {
            name: format!("mode {}", number + 1),
            x,
            y,
            dots: false,
        }
    };
    all.reported().map(line).collect()
}

fn subtitle(all: &Followed) -> String {
    let (first, last) = (&all.stations[0], &all.stations[all.stations.len() - 1]);
    format!(
        "{} from {} to {} {}",
        all.name, first.value, last.value, all.unit
    )
    .trim_end()
    .to_owned()
}

/// Imaginary over real parts; a circle where each mode begins.
pub(super) fn locus(all: &Followed) -> Plot {
    let lines = lines(all, &|_, root| Some((root.value.re, root.value.im)));
    let starts = lines
        .iter()
        .filter_map(|line| Some((*line.x.first()?, *line.y.first()?)));
    let starts = starts.collect();
    Plot {
        title: all.model.clone(),
        subtitle: format!("{}; circles: its first value", subtitle(all)),
        x_label: String::from("real part [1/s]"),
        panels: vec![Panel {
            y_label: String::from("imaginary part [rad/s]"),
            lines,
            marks: starts,
            ..Panel::default()
        }],
        ..Plot::default()
    }
}

/// Cuts off frequencies far above all lines of orders, so that these can be read, and says so.
fn cut(all: &Followed, (frequencies, damping): (&mut Vec<Line>, &mut Vec<Line>)) -> String {
    let values = all.stations.iter().map(|station| station.value.abs());
    let fastest = values.fold(0.0_f64, f64::max) * all.speed.unwrap_or(0.0) / TAU;
    let order = all.orders.iter().fold(0.0_f64, |most, own| most.max(*own));
    let reached = fastest * order;
    let all_y = || frequencies.iter().flat_map(|line| &line.y);
    let above = all_y().any(|y| *y > FAR * reached);
    let below = all_y().any(|y| *y <= ABOVE * reached);
    if reached <= 0.0 || !above || !below {
        return String::new();
    }
    let mut kept = Vec::new();
    for line in frequencies.iter_mut() {
        for y in &mut line.y {
            if *y > ABOVE * reached {
                *y = f64::NAN;
            }
        }
        kept.push(line.y.is_empty() || line.y.iter().any(|y| y.is_finite()));
    }
    for lines in [frequencies, damping] {
        let mut own = kept.iter();
        lines.retain(|_| own.next().copied().unwrap_or(true));
    }
    format!(
        "; modes above {} Hz, which no line of order reaches, are left out",
        figure(ABOVE * reached)
    )
}

/// Frequencies and damping ratios over the parameter; over a speed also lines of orders, with circles at their
/// intersections with modes.
pub(super) fn diagram(all: &Followed) -> Plot {
    let pair = |root: Root| root.is_pair();
    let mut frequencies = lines(all, &|value, root| {
        pair(root).then_some((value, root.value.im / TAU))
    });
    let damping = lines(all, &|value, root| {
        (!root.zero).then_some((value, root.damping_ratio()))
    });
    let damping = damping.into_iter().map(|line| Line {
        name: String::new(),
        ..line
    });
    let mut damping: Vec<Line> = damping.collect();
    let cut = cut(all, (&mut frequencies, &mut damping));
    let highest = frequencies.iter().flat_map(|line| &line.y);
    let highest = highest.fold(0.0_f64, |most, y| most.max(*y));
    if let Some(scale) = all.speed {
        for order in &all.orders {
            // Lines end at the highest mode.
            let values = all.stations.iter().map(|station| station.value);
            let points = values.map(|x| (x, order * scale * x.abs() / TAU));
            let (x, y) = points
                .map(|(x, y)| (x, if y <= 1.1 * highest { y } else { f64::NAN }))
                .unzip();
            let name = format!("order {order}");
            frequencies.push(Line {
                name,
                x,
                y,
                dots: false,
            });
        }
    }
    let met = all.critical.iter();
    Plot {
        title: all.model.clone(),
        subtitle: format!("{}{cut}", subtitle(all)),
        x_label: if all.unit.is_empty() {
            all.name.clone()
        } else {
            format!("{} [{}]", all.name, all.unit)
        },
        panels: vec![
            Panel {
                y_label: String::from("frequency [Hz]"),
                lines: frequencies,
                marks: met
                    .map(|own| (own.at.value, own.at.frequency / TAU))
                    .collect(),
                ..Panel::default()
            },
            Panel {
                y_label: String::from("damping ratio"),
                lines: damping,
                ..Panel::default()
            },
        ],
        ..Plot::default()
    }
}
