//! Control plane: refuses options of `fixstep response` that exclude each other.

use crate::args;
use crate::places::Stop;

/// Refuses options that contradict each other.
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
    if let (Some(option), false) = (sure.or(random), args.by.is_empty()) {
        return wrong(format!(
            "--by and {option}: {option} already names the inputs that excite; leave one of the two out: valid is \
             --by NAME for responses to an amplitude of 1, or {option} without --by"
        ));
    }
    match (sure, random) {
        (Some(sure), Some(random)) => {
            return wrong(format!(
                "{sure} and {random}: amplitudes and power spectral densities do not add; compute them in two commands"
            ));
        }
        (_, Some(random)) if args.participation.is_some() || args.shape.is_some() => {
            return wrong(format!(
                "{random}: random excitation has no amplitudes at one frequency, so --participation and --shape are \
                 not defined; leave them out, or excite by --excite"
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
    interpolated(of)?;
    single(args)?;
    if !of.bands.is_sorted_by(|a, b| a < b) || of.bands.len() == 1 {
        return wrong(String::from(
            "--bands: valid are two or more frequencies that rise, such as 0.5,4,8",
        ));
    }
    Ok(())
}

/// A single frequency excludes the options of a range.
fn single(args: &args::Response) -> Result<(), Stop> {
    let of = &args.grid;
    let ranges = [
        ("--from", of.from.is_some()),
        ("--to", of.to.is_some()),
        ("--points", of.points.is_some()),
        ("--logarithmic", of.logarithmic),
        ("--no-refine", of.no_refine),
        ("--bands", !args.excitation.bands.is_empty()),
    ];
    let given = ranges.iter().find(|(_, there)| *there);
    match (of.at_frequency, given) {
        (Some(f), Some((option, _))) => Err(Stop::CommandLine(format!(
            "--at-frequency and {option}: {option} needs a range of frequencies, and --at-frequency {f} is a single \
             one; valid is either --at-frequency {f}, or a range by --from and --to, with --points, \
             --logarithmic, --no-refine and --bands"
        ))),
        _ => Ok(()),
    }
}

/// `--psd-interpolation` needs tables of `--psd`.
fn interpolated(of: &args::Excitation) -> Result<(), Stop> {
    let tables = of
        .psd
        .iter()
        .any(|(_, value)| value.parse::<f64>().is_err());
    let log = of.psd_interpolation == Some(args::Interpolation::Log);
    if log && !tables {
        return Err(Stop::CommandLine(String::from(
            "--psd-interpolation log and --psd NAME=VALUE: a constant density has no rows to interpolate; leave one \
             out, or give --psd NAME=FILE.csv",
        )));
    }
    if log && of.cross.is_some() {
        return Err(Stop::CommandLine(String::from(
            "--psd-interpolation log and --cross: cross densities are linear between their rows, and could \
             contradict densities that are interpolated differently; leave one out",
        )));
    }
    Ok(())
}
