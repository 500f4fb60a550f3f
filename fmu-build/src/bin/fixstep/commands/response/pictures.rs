//! Control plane: draws responses.

use fmu_build::plot::{Line, Panel, Plot, Scale};
use linear_analysis::response::degrees;
use linear_analysis::response::grid::Grid;

use super::Subject;
use super::lines::{self, Found};

/// Magnitudes and phases, or densities and cumulative root mean squares, over frequency.
pub(super) fn over_frequency(
    title: &str,
    (grid, found): (&Grid, &Found),
    logarithmic: bool,
) -> Plot {
    let line = |name: String, y: Vec<f64>| Line {
        name,
        x: grid.frequencies.clone(),
        // A single point is no line.
        dots: y.len() == 1,
        y,
    };
    let mut panels = Vec::new();
    match found {
        Found::Amplitudes(lines) => {
            for (unit, own) in by_unit(lines, |line| &line.unit) {
                let magnitudes = own.iter().map(|own| {
                    let values = own.values.iter().map(|x| x.norm()).collect();
                    line(own.name(), values)
                });
                let phases = own.iter().map(|own| {
                    let values = own.values.iter().map(|x| degrees(*x)).collect();
                    line(own.name(), unwrapped(values))
                });
                let label = labelled("magnitude", unit);
                panels.push(panel(&label, magnitudes.collect(), Scale::Logarithmic));
                panels.push(panel("phase [deg]", phases.collect(), Scale::Linear));
            }
        }
        Found::Densities(all) => {
            for (unit, own) in by_unit(all, |density| &density.per_hertz) {
                let densities = { own.iter() }
                    .map(|own| line(own.output.clone(), own.values.clone()))
                    .collect();
                let label = labelled("density", unit);
                panels.push(panel(&label, densities, Scale::Logarithmic));
                // A single frequency has no root mean square.
                let growing = own.iter().filter(|own| own.rms().is_some());
                let growing: Vec<Line> = growing
                    .map(|own| line(own.output.clone(), own.growing.clone()))
                    .collect();
                if let (false, Some(first)) = (growing.is_empty(), own.first()) {
                    let label = labelled("rms up to there", &first.unit);
                    panels.push(panel(&label, growing, Scale::Linear));
                }
            }
        }
    }
    Plot {
        title: title.to_owned(),
        x_label: String::from("frequency [Hz]"),
        x_scale: if logarithmic {
            Scale::Logarithmic
        } else {
            Scale::Linear
        },
        panels,
        ..Plot::default()
    }
}

/// Imaginary over real parts: a picture for each unit, with the unit.
pub(super) fn nyquist<'a>(
    title: &str,
    subject: &Subject,
    found: &'a Found,
) -> Vec<(&'a str, Plot)> {
    let Found::Amplitudes(lines) = found else {
        return Vec::new();
    };
    let curve = |own: &&lines::Line| Line {
        name: own.name(),
        x: own.values.iter().map(|value| value.re).collect(),
        y: own.values.iter().map(|value| value.im).collect(),
        dots: own.values.len() == 1,
    };
    let plot = |own: &[&lines::Line], unit: &str, first: bool| Plot {
        title: if first { title } else { "" }.to_owned(),
        subtitle: if first {
            format!("poles: {}", subject.transfer.poles().len())
        } else {
            String::new()
        },
        x_label: labelled("real part", unit),
        equal: true,
        panels: vec![panel(
            &labelled("imaginary part", unit),
            own.iter().map(curve).collect(),
            Scale::Linear,
        )],
        ..Plot::default()
    };
    let groups = by_unit(lines, |line| &line.unit).into_iter().enumerate();
    groups
        .map(|(k, (unit, own))| (unit, plot(&own, unit, k == 0)))
        .collect()
}

/// Magnitudes in decibels over phases: a panel for each unit.
pub(super) fn nichols(title: &str, found: &Found) -> Plot {
    let Found::Amplitudes(lines) = found else {
        return Plot::default();
    };
    let curve = |own: &&lines::Line| {
        let phases = own.values.iter().map(|value| degrees(*value)).collect();
        let decibels = |value: &faer::c64| 20.0 * fixstep_kernel::math::log10(value.norm());
        Line {
            name: own.name(),
            x: unwrapped(phases),
            y: own.values.iter().map(decibels).collect(),
            dots: own.values.len() == 1,
        }
    };
    let groups = by_unit(lines, |line| &line.unit).into_iter();
    let panels = groups.map(|(unit, own)| {
        let label = match unit {
            "" => String::from("magnitude [dB]"),
            unit => format!("magnitude [dB of {unit}]"),
        };
        panel(&label, own.iter().map(curve).collect(), Scale::Linear)
    });
    Plot {
        title: title.to_owned(),
        x_label: String::from("phase [deg]"),
        panels: panels.collect(),
        ..Plot::default()
    }
}

/// Groups of one unit, in the order of their first appearance.
fn by_unit<T>(all: &[T], unit: impl Fn(&T) -> &String) -> Vec<(&str, Vec<&T>)> {
    let mut groups: Vec<(&str, Vec<&T>)> = Vec::new();
    for own in all {
        let unit = unit(own).as_str();
        match groups.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, group)) => group.push(own),
            None => groups.push((unit, vec![own])),
        }
    }
    groups
}

fn panel(label: &str, lines: Vec<Line>, scale: Scale) -> Panel {
    Panel {
        y_label: label.to_owned(),
        lines,
        scale,
        ..Panel::default()
    }
}

fn labelled(name: &str, unit: &str) -> String {
    if unit.is_empty() {
        name.to_owned()
    } else {
        format!("{name} [{unit}]")
    }
}

/// Continues a phase where it would jump by a full turn.
fn unwrapped(mut degrees: Vec<f64>) -> Vec<f64> {
    let mut turns = 0.0;
    for k in 1..degrees.len() {
        let jump = degrees[k] + turns - degrees[k - 1];
        turns -= 360.0 * (jump / 360.0).round();
        degrees[k] += turns;
    }
    degrees
}
