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
    let panels = match found {
        Found::Amplitudes(lines) => {
            let magnitudes = lines.iter().map(|own| {
                let values = own.values.iter().map(|x| x.norm()).collect();
                line(labelled(&own.name(), &own.unit), values)
            });
            let phases = lines.iter().map(|own| {
                let values = own.values.iter().map(|x| degrees(*x)).collect();
                line(own.name(), unwrapped(values))
            });
            vec![
                panel("magnitude", magnitudes.collect(), Scale::Logarithmic),
                panel("phase [deg]", phases.collect(), Scale::Linear),
            ]
        }
        Found::Densities(all) => {
            let densities = all.iter();
            let densities = densities
                .map(|own| line(labelled(&own.output, &own.per_hertz), own.values.clone()));
            // A single frequency has no root mean square.
            let growing = all.iter().filter(|own| own.rms().is_some());
            let growing: Vec<Line> = growing
                .map(|own| line(labelled(&own.output, &own.unit), own.growing.clone()))
                .collect();
            let density = panel("density", densities.collect(), Scale::Logarithmic);
            let rms =
                (!growing.is_empty()).then(|| panel("rms up to there", growing, Scale::Linear));
            std::iter::once(density).chain(rms).collect()
        }
    };
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

/// Imaginary over real parts.
pub(super) fn nyquist(title: &str, subject: &Subject, found: &Found) -> Plot {
    let Found::Amplitudes(lines) = found else {
        return Plot::default();
    };
    let curve = |own: &lines::Line| Line {
        name: labelled(&own.name(), &own.unit),
        x: own.values.iter().map(|value| value.re).collect(),
        y: own.values.iter().map(|value| value.im).collect(),
        dots: own.values.len() == 1,
    };
    Plot {
        title: title.to_owned(),
        subtitle: format!("poles: {}", subject.transfer.poles().len()),
        x_label: String::from("real part"),
        panels: vec![panel(
            "imaginary part",
            lines.iter().map(curve).collect(),
            Scale::Linear,
        )],
        ..Plot::default()
    }
}

/// Magnitudes in decibels over phases.
pub(super) fn nichols(title: &str, found: &Found) -> Plot {
    let Found::Amplitudes(lines) = found else {
        return Plot::default();
    };
    let curve = |own: &lines::Line| {
        let phases = own.values.iter().map(|value| degrees(*value)).collect();
        let decibels = |value: &faer::c64| 20.0 * fixstep_kernel::math::log10(value.norm());
        Line {
            name: labelled(&own.name(), &own.unit),
            x: unwrapped(phases),
            y: own.values.iter().map(decibels).collect(),
            dots: own.values.len() == 1,
        }
    };
    Plot {
        title: title.to_owned(),
        x_label: String::from("phase [deg]"),
        panels: vec![panel(
            "magnitude [dB]",
            lines.iter().map(curve).collect(),
            Scale::Linear,
        )],
        ..Plot::default()
    }
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
