//! Notes on responses that are not what they seem: unstable mechanisms, undamped modes, bands beyond the frequencies.

use super::Subject;
use super::ask::Asked;
use super::lines::{Found, quick};
use super::show::{NO_RMS, figure};
use crate::args;
use faer::c64;
use fmu_build::slave::Failure;
use linear_analysis::random::Spectrum;
use linear_analysis::response::grid::{Grid, UNDAMPED};
use linear_analysis::spectra::TURN;

/// A root that grows by less than this part of the largest root cannot be distinguished from rounding.
const ROUNDING: f64 = 1e-7;
/// A root below this fraction of the largest root is that of a rigid motion.
pub(super) const RIGID: f64 = 1e-9;
/// A response below this fraction of its largest value is rounding error.
const DEEP: f64 = 1e-20;
/// Distance from a mode, as a fraction of its frequency, at which its density is evaluated.
const BESIDE: f64 = 1e-5;

/// The notes, or the error.
pub(super) fn notes(
    args: &args::Response,
    subject: &Subject,
    asked: &Asked,
    grid: &Grid,
) -> Result<Vec<String>, Failure> {
    let mut said = Vec::new();
    let poles = subject.transfer.poles();
    let largest = poles
        .iter()
        .fold(0.0_f64, |most, pole| most.max(pole.norm()));
    let worst = poles.iter().max_by(|a, b| a.re.total_cmp(&b.re));
    if let Some(pole) = worst.filter(|pole| pole.re > ROUNDING * largest) {
        said.push(format!(
            "note: the mechanism is unstable here: its root {} ± {}i 1/s grows. The result is the steady response of \
             the linear form; no run of the mechanism settles to it",
            figure(pole.re),
            figure(pole.im.abs())
        ));
    }
    let moving = poles.iter().filter(|pole| {
        let size = pole.norm();
        size > RIGID * largest && pole.im > 0.0 && pole.re.abs() <= UNDAMPED * size
    });
    let [first, last] = ends(grid);
    let within = moving.map(|pole| pole.im / TURN);
    let undamped: Vec<f64> = within.filter(|f| (first..=last).contains(f)).collect();
    if let Asked::Densities(spectrum) = asked {
        for frequency in &undamped {
            bounded(subject, spectrum, *frequency)?;
        }
        idle(subject, spectrum, grid, &mut said);
        said.extend(outside(spectrum, [first, last]));
        said.extend(coarse(args, poles, grid));
    } else if !undamped.is_empty() {
        let mut list: Vec<String> = undamped.iter().take(5).map(|f| figure(*f)).collect();
        if undamped.len() > list.len() {
            list.push(String::from("…"));
        }
        said.push(format!(
            "note: modes without damping, at {} Hz: a peak there is unbounded, its value here is that of a \
             neighbouring frequency",
            list.join(", ")
        ));
    }
    if !args.excitation.imbalance.is_empty() {
        said.push(String::from(
            "note: --imbalance: Ω sweeps, the mechanism's own speed does not; gyroscopic terms are those of the operating point at \
             every frequency. For a rotor whose speed is Ω, take critical speeds from `fixstep modes --campbell`",
        ));
    }
    bands(&args.excitation.bands, [first, last], &mut said)?;
    Ok(said)
}

/// A note on responses, or an error if one of them is unbounded.
pub(super) fn of_found(grid: &Grid, found: &Found) -> Result<Option<String>, Failure> {
    endless(grid, found)?;
    Ok(deep(grid, found))
}

/// At 0 Hz a response may be unbounded.
fn endless(grid: &Grid, found: &Found) -> Result<(), Failure> {
    let place = match found {
        Found::Amplitudes(lines) => lines.iter().find_map(|line| {
            let place = not_finite(line.values.iter().map(|value| value.norm()))?;
            Some((place, &line.output, line.input.as_ref()))
        }),
        Found::Densities(all) => all.iter().find_map(|own| {
            let place = not_finite(own.values.iter().copied())?;
            Some((place, &own.output, None))
        }),
    };
    let Some((place, output, input)) = place else {
        return Ok(());
    };
    let by = input.map_or_else(String::new, |input| format!(" by input \"{input}\""));
    Err(Failure(format!(
        "output \"{output}\"{by} is unbounded at {} Hz: it contains a free motion, an integrated input, or a rate of \
         a displacement that an input prescribes; begin above 0 Hz (--from), leave it out (--show, --by), or \
         hold the mechanism",
        figure(grid.frequencies[place])
    )))
}

/// The first response that is not finite.
fn not_finite(mut of: impl Iterator<Item = f64>) -> Option<usize> {
    of.position(|size| !size.is_finite())
}

/// A note on responses that are so small that they are rounding errors.
fn deep(grid: &Grid, found: &Found) -> Option<String> {
    let Found::Amplitudes(lines) = found else {
        return None;
    };
    let below = |line: &super::lines::Line| {
        let sizes = || line.values.iter().map(|value| value.norm());
        let most = sizes().fold(0.0, f64::max);
        let place = sizes().position(|size| size > 0.0 && size < DEEP * most)?;
        Some((line.name(), grid.frequencies[place]))
    };
    let (name, frequency) = lines.iter().find_map(below)?;
    Some(format!(
        "note: values below 1e-20 of the largest value of a response are rounding errors, first in {name} at {} Hz",
        figure(frequency)
    ))
}

fn ends(grid: &Grid) -> [f64; 2] {
    let all = &grid.frequencies;
    [all[0], all[all.len() - 1]]
}

/// Near an undamped pole, the density decreases with the square of the distance if the pole contributes to it.
fn bounded(subject: &Subject, spectrum: &Spectrum, frequency: f64) -> Result<(), Failure> {
    let at = |part: f64| {
        let beside = frequency * (1.0 + part * BESIDE);
        spectrum.densities(&subject.transfer, beside, quick(subject))
    };
    let (Ok(near), Ok(far)) = (at(1.0), at(2.0)) else {
        return Ok(());
    };
    let names = subject.outputs.iter().map(|row| {
        let name = subject.form.outputs[*row].name.clone();
        (*row, name)
    });
    let first = subject.form.outputs.len();
    let equivalents = subject.equivalents.iter().enumerate();
    let equivalents = equivalents.map(|(k, (name, _))| (first + k, name.clone()));
    let mut all = names.chain(equivalents);
    let found = all.find(|(row, _)| (near[*row] / far[*row] - 4.0).abs() < 0.04);
    match found {
        Some((_, name)) => Err(Failure(format!(
            "output \"{name}\": its root mean square is unbounded: the excitation reaches the mode at {} Hz, which \
             has no damping; give it damping, or end the frequencies before it (--from, --to)",
            figure(frequency)
        ))),
        None => Ok(()),
    }
}

/// A note on densities that are zero everywhere.
fn idle(subject: &Subject, spectrum: &Spectrum, grid: &Grid, said: &mut Vec<String>) {
    if spectrum.is_silent(&grid.frequencies, subject.form.inputs.len()) {
        said.push(String::from(
            "note: the densities of the excitation are zero at all these frequencies, so nothing responds; a table of densities is \
             zero outside its rows",
        ));
    }
}

/// A note on modes that an unrefined grid does not resolve: fewer than two of its points are between the frequencies
/// of half power.
fn coarse(args: &args::Response, poles: &[c64], grid: &Grid) -> Option<String> {
    let all = &grid.frequencies;
    if !args.grid.no_refine || all.len() < 2 {
        return None;
    }
    let narrow = |pole: &&c64| {
        let (f, width) = (pole.im / TURN, -2.0 * pole.re / TURN);
        let k = all.partition_point(|own| *own <= f);
        pole.im > 0.0 && k > 0 && k < all.len() && all[k] - all[k - 1] > width
    };
    let pole = poles.iter().find(narrow)?;
    Some(format!(
        "note: --no-refine: the mode at {} Hz is narrower ({} Hz at half power) than the frequencies around it are apart: root mean \
         squares are not those of the density; leave --no-refine out, or take more --points",
        figure(pole.im / TURN),
        figure(-2.0 * pole.re / TURN)
    ))
}

/// A note on densities that extend beyond the frequencies.
fn outside(spectrum: &Spectrum, [first, last]: [f64; 2]) -> Option<String> {
    let all = spectrum.breaks();
    let (low, high) = all.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), f| {
        (low.min(*f), high.max(*f))
    });
    let cut = first < last
        && (low.max(f64::MIN_POSITIVE) < first * (1.0 - 1e-9) && low > 0.0
            || high > last * (1.0 + 1e-9));
    cut.then(|| {
        format!(
            "note: densities of the excitation go from {} Hz to {} Hz; the part outside {} Hz to {} Hz is left out; \
             choose the frequencies by --from and --to",
            figure(low),
            figure(high),
            figure(first),
            figure(last)
        )
    })
}

/// A note or error on bands outside the frequencies.
fn bands(bands: &[f64], [first, last]: [f64; 2], said: &mut Vec<String>) -> Result<(), Failure> {
    let short = |a: f64, b: f64| a < b * (1.0 - 1e-12);
    if !bands.is_empty() && first.to_bits() == last.to_bits() {
        return Err(Failure(format!("--bands: {NO_RMS}")));
    }
    for pair in bands.windows(2) {
        if !short(pair[0], last) || !short(first, pair[1]) {
            return Err(Failure(format!(
                "--bands: the band from {} Hz to {} Hz lies outside the frequencies, {} Hz to {} Hz; choose these by --from and --to",
                figure(pair[0]),
                figure(pair[1]),
                figure(first),
                figure(last)
            )));
        }
    }
    let (low, high) = (bands.first().copied(), bands.last().copied());
    if low.is_some_and(|low| short(low, first)) || high.is_some_and(|high| short(last, high)) {
        said.push(format!(
            "note: --bands: the part outside {} Hz to {} Hz is left out; choose the frequencies by --from and --to",
            figure(first),
            figure(last)
        ));
    }
    Ok(())
}
