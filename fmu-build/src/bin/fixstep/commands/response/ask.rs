//! Control plane: reads the options about inputs, outputs and excitation.

use std::path::Path;

use fmu_build::slave::Failure;
use fmu_build::suggest::unknown;
use linear_analysis::compliance::Compliance;
use linear_analysis::random::{Spectrum, WrongSpectrum};
use linear_analysis::response::excitation::{Excitation, Law};
use linear_analysis::response::polar;

use super::{Subject, base, tables};
use crate::args::{self, Interpolation};
use crate::console::Console;
use crate::places::Stop;

/// The kind of result.
pub(super) enum Asked {
    /// Responses of outputs to inputs.
    Transfer,
    /// Amplitudes of outputs.
    Amplitudes(Excitation),
    /// Densities of outputs.
    Densities(Spectrum),
    /// Compliance or stiffness of markers.
    Between(Box<Compliance>),
}

impl Asked {
    /// Frequencies that the grid must contain.
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

/// The names that options select; all of them, if there is no option.
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
            let list = if name.contains(',') {
                format!("; several take an option each: {option} A {option} B")
            } else {
                String::new()
            };
            return Err(Stop::CommandLine(format!(
                "{option}: {}{list}",
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
    for note in base::tell(&of.base, subject)? {
        console.note(&format!("note: {note}"));
    }
    let asked = excites(args, subject, console)?;
    for note in base::idle(&of.base, subject, &asked) {
        console.note(&format!("note: {note}"));
    }
    Ok(asked)
}

/// What excites, in inputs as they are expressed now.
fn excites(args: &args::Response, subject: &Subject, console: &mut Console) -> Result<Asked, Stop> {
    let of = &args.excitation;
    let names = subject.names();
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
        let between = of.psd_interpolation;
        let law = tables::density((name, value), between.unwrap_or(Interpolation::Linear))?;
        if let (None, Some(note)) = (between, tables::other_lines(&law, value)) {
            console.note(&format!("note: {note}"));
        }
        spectrum.entries.push((at, at, law));
    }
    if let Some(path) = &of.cross {
        let entries = tables::cross(path, &names)?;
        once(&spectrum, &entries, ("--cross", &names))?;
        spectrum.entries.extend(entries);
        whole(&spectrum, path, &names)?;
    }
    if let Some(path) = &of.history {
        let (entries, note) = tables::history(path, of.segment, &names)?;
        once(&spectrum, &entries, ("--history", &names))?;
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

/// Refuses densities of one input in two options, because it is not clear whether they should add.
fn once(
    spectrum: &Spectrum,
    more: &[(usize, usize, Law)],
    (option, names): (&str, &[&str]),
) -> Result<(), Stop> {
    let known = |i: usize| spectrum.entries.iter().any(|(a, b, _)| (*a, *b) == (i, i));
    match more.iter().find(|(i, j, _)| i == j && known(*i)) {
        None => Ok(()),
        Some((i, ..)) => Err(Stop::CommandLine(format!(
            "{option}: input \"{}\" has a density already, by another option; valid is one for each input",
            names[*i]
        ))),
    }
}

/// Checks that both inputs of a cross density have densities of their own.
fn whole(spectrum: &Spectrum, path: &Path, names: &[&str]) -> Result<(), Stop> {
    let entries = &spectrum.entries;
    let lacks = |i: &usize| !entries.iter().any(|(a, b, _)| a == i && b == i);
    for (i, j, _) in entries.iter().filter(|(i, j, _)| i != j) {
        if let Some(lost) = [i, j].into_iter().find(|k| lacks(k)) {
            let (first, second, lost) = (names[*i], names[*j], names[*lost]);
            return Err(Stop::Failed(Failure(format!(
                "{}: there is no column \"{lost}\", the power spectral density of that input, without which \"{first}~{second}\" cannot \
                 be; add the column, or give it by --psd {lost}=FILE.csv",
                path.display()
            ))));
        }
    }
    Ok(())
}

/// Checks that the densities are possible.
fn possible(spectrum: &Spectrum, names: &[&str]) -> Result<(), Stop> {
    let mut at = spectrum.breaks();
    at.push(1.0);
    spectrum.check(&at, names.len()).map_err(|wrong| {
        let text = match wrong {
            WrongSpectrum::Density(k, f) => format!(
                "the power spectral density of input \"{}\" is {} at {f} Hz; valid is a finite real number from 0",
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

/// The index of an input.
pub(super) fn input(option: &str, name: &str, names: &[&str]) -> Result<usize, Stop> {
    let found = names.iter().position(|own| *own == name);
    found.ok_or_else(|| {
        let text = unknown("input", name, names.iter().copied());
        Stop::CommandLine(format!("{option}: {text}"))
    })
}
