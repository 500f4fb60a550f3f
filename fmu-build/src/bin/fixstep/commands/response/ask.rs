//! Control plane: what the command line says of inputs, outputs and excitation.

use faer::c64;
use fmu_build::slave::Failure;
use fmu_build::suggest::unknown;
use linear_analysis::compliance::Compliance;
use linear_analysis::random::{Spectrum, WrongSpectrum};
use linear_analysis::response::excitation::{Excitation, Law};
use linear_analysis::response::polar;

use super::lines::bracketed;
use super::{Subject, tables};
use crate::args;
use crate::console::Console;
use crate::places::Stop;

/// What is asked for.
pub(super) enum Asked {
    /// Outputs by inputs.
    Transfer,
    /// Amplitudes of outputs.
    Amplitudes(Excitation),
    /// Densities of outputs.
    Densities(Spectrum),
    /// Compliance or stiffness of markers.
    Between(Box<Compliance>),
}

impl Asked {
    /// Frequencies that the grid must have.
    pub(super) fn breaks(&self, bands: &[f64]) -> Vec<f64> {
        let mut all = match self {
            Self::Transfer | Self::Between(_) => Vec::new(),
            Self::Amplitudes(excitation) => {
                let laws = excitation.laws.iter();
                laws.flat_map(|(_, law)| law.breaks().to_vec()).collect()
            }
            Self::Densities(spectrum) => spectrum.breaks(),
        };
        all.extend(bands);
        all
    }
}

/// Options that do not go together.
pub(super) fn consistent(args: &args::Response) -> Result<(), Stop> {
    let of = &args.excitation;
    let given = |all: &[(&'static str, bool)]| -> Option<&'static str> {
        all.iter().find(|(_, there)| *there).map(|(name, _)| *name)
    };
    let sure = given(&[
        ("--excite", !of.excite.is_empty()),
        ("--spectrum", !of.spectrum.is_empty()),
        ("--imbalance", !of.imbalance.is_empty()),
    ]);
    let random = given(&[
        ("--psd", !of.psd.is_empty()),
        ("--cross", of.cross.is_some()),
        ("--history", of.history.is_some()),
    ]);
    let wrong = |text: String| Err(Stop::CommandLine(text));
    match (sure, random) {
        (Some(sure), Some(random)) => {
            return wrong(format!(
                "{sure} and {random}: amplitudes and power spectral densities do not add; ask for one after the other"
            ));
        }
        (_, Some(random)) if args.participation.is_some() || args.shape.is_some() => {
            return wrong(format!(
                "{random}: random excitation has no amplitudes at one frequency, so --participation and --shape say nothing; \
                 leave them out, or excite by --excite"
            ));
        }
        (_, Some(random)) if args.nyquist.is_some() || args.nichols.is_some() => {
            return wrong(format!(
                "{random}: densities have no phase, so there is no --nyquist or --nichols; use --plot"
            ));
        }
        (_, Some(random)) if args.inside.modal_coordinates.is_some() => {
            return wrong(format!(
                "{random}: random excitation has no amplitudes, so there are no --modal-coordinates; --stress BODY:POINT finds \
                 densities of stress"
            ));
        }
        (_, None) if !of.bands.is_empty() => {
            return wrong(String::from(
                "--bands: root mean squares are of random excitation; add --psd, --cross or --history",
            ));
        }
        _ => {}
    }
    if !of.bands.is_sorted_by(|a, b| a < b) || of.bands.len() == 1 {
        return wrong(String::from(
            "--bands: valid are two or more frequencies that rise, such as 0.5,4,8",
        ));
    }
    Ok(())
}

/// Which of some names options choose; all, if there is no option.
pub(super) fn chosen(
    option: &str,
    what: &str,
    wanted: &[String],
    names: &[String],
) -> Result<Vec<usize>, Stop> {
    if wanted.is_empty() {
        return Ok((0..names.len()).collect());
    }
    let mut all = Vec::new();
    for name in wanted {
        let before = all.len();
        let fits = |own: &String| match name.strip_suffix('*') {
            Some(start) => own.starts_with(start),
            None => own == name,
        };
        all.extend((0..names.len()).filter(|k| fits(&names[*k])));
        if all.len() == before {
            let known = names.iter().map(String::as_str);
            return Err(Stop::CommandLine(format!(
                "{option}: {}",
                unknown(what, name, known)
            )));
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The excitation.
pub(super) fn excitation(
    args: &args::Response,
    subject: &mut Subject,
    console: &mut Console,
) -> Result<Asked, Stop> {
    let of = &args.excitation;
    for (name, told) in &of.base {
        base(subject, name, *told)?;
    }
    let names: Vec<&str> = subject
        .form
        .inputs
        .iter()
        .map(|input| input.name.as_str())
        .collect();
    let input = |option: &str, name: &str| input(option, name, &names);
    let mut sure = Excitation::default();
    for (name, magnitude, phase) in &of.excite {
        let law = Law::Constant(polar(*magnitude, *phase));
        sure.laws.push((input("--excite", name)?, law));
    }
    for (x, y, amount) in &of.imbalance {
        let [x, y] = [x, y].map(|name| input("--imbalance", name));
        sure.imbalance(x?, y?, *amount);
    }
    for path in &of.spectrum {
        sure.laws.extend(tables::amplitudes(path, &names)?);
    }
    let mut spectrum = Spectrum::default();
    for (name, value) in &of.psd {
        let at = input("--psd", name)?;
        if spectrum.entries.iter().any(|(own, ..)| *own == at) {
            return Err(Stop::CommandLine(format!(
                "--psd: input \"{name}\" has a density already; valid is one for each input"
            )));
        }
        let law = match value.parse::<f64>() {
            Ok(value) => Law::Constant(c64::new(value, 0.0)),
            Err(_) => tables::density(value.as_ref(), name)?,
        };
        spectrum.entries.push((at, at, law));
    }
    if let Some(path) = &of.cross {
        spectrum.entries.extend(tables::cross(path, &names)?);
    }
    if let Some(path) = &of.history {
        let (entries, note) = tables::history(path, of.segment, &names)?;
        spectrum.entries.extend(entries);
        console.note(&format!("note: {note}"));
    }
    if !spectrum.entries.is_empty() {
        possible(&spectrum, &names)?;
        let equivalents = subject.equivalents.iter();
        spectrum.stresses = equivalents.map(|(_, of)| *of).collect();
        return Ok(Asked::Densities(spectrum));
    }
    Ok(if sure.laws.is_empty() {
        Asked::Transfer
    } else {
        Asked::Amplitudes(sure)
    })
}

/// Could inputs have these densities?
fn possible(spectrum: &Spectrum, names: &[&str]) -> Result<(), Stop> {
    let mut at = spectrum.breaks();
    at.push(1.0);
    spectrum.check(&at, names.len()).map_err(|wrong| {
        let text = match wrong {
            WrongSpectrum::Density(k, f) => format!(
                "the power spectral density of input \"{}\" is {} at {f} Hz; valid is a real number from 0",
                names[k - 1],
                spectrum.at(f, names.len())[(k - 1, k - 1)].re
            ),
            WrongSpectrum::Coherence(i, j, f) => format!(
                "the cross spectral density of inputs \"{}\" and \"{}\" is larger at {f} Hz than theirs allow: the square of its \
                 magnitude may be at most their product",
                names[i - 1],
                names[j - 1]
            ),
            together @ WrongSpectrum::Together(_) => together.to_string(),
        };
        Stop::Failed(Failure(text))
    })
}

/// The number of an input.
fn input(option: &str, name: &str, names: &[&str]) -> Result<usize, Stop> {
    let found = names.iter().position(|own| *own == name);
    found.ok_or_else(|| {
        let text = unknown("input", name, names.iter().copied());
        Stop::CommandLine(format!("{option}: {text}"))
    })
}

/// From now on an input is told by another derivative of the motion that it drives.
fn base(subject: &mut Subject, name: &str, told: i32) -> Result<(), Stop> {
    let names: Vec<&str> = subject
        .form
        .inputs
        .iter()
        .map(|input| input.name.as_str())
        .collect();
    let at = input("--base", name, &names)?;
    let Some(level) = subject.transfer.driven_level(at) else {
        return Err(Stop::CommandLine(format!(
            "--base: input \"{name}\" drives no motion; valid is an input in the function of a motion"
        )));
    };
    subject.transfer.tell_derivative(at, told - level);
    let unit = subject.form.inputs[at].unit.as_str();
    let one = if unit.is_empty() {
        String::from("1")
    } else {
        bracketed(unit)
    };
    subject.units[at] = match told - level {
        0 => unit.to_owned(),
        1 => format!("{one}/s"),
        2 => format!("{one}/s^2"),
        -1 => format!("{one}*s"),
        _ => format!("{one}*s^2"),
    };
    Ok(())
}
