//! Wall time of a Newton iteration and of a step, case by case: `cargo bench --bench step [PART OF A NAME]`.
//!
//! A full iteration is what a step of three takes longer than one of two: exact Jacobian, factorisation, residual
//! and solution. A step as it is usually run has two iterations with one Jacobian. Times are medians of batches; the
//! speed of the machine stands beside them.

#![expect(clippy::print_stdout, reason = "this program prints a table")]

mod slider_crank;
mod timing;

use fixstep::simulation::{Simulation, StartError};
use timing::{Figures, batches};

/// A mechanism to be measured.
struct Case {
    /// Name.
    name: String,
    /// Makes the mechanism.
    build: Box<dyn Fn() -> Result<Simulation, String>>,
}

fn cases() -> Vec<Case> {
    [16, 46]
        .map(|modes| Case {
            name: format!("slider-crank, {modes} modes"),
            build: Box::new(move || slider_crank::build(modes)),
        })
        .into()
}

/// A step of so many iterations, each with a Jacobian of its own or the first alone.
fn measure(case: &Case, fixit: u8, full: bool) -> Result<Figures, String> {
    let mut simulation = (case.build)()?;
    let mut settings = simulation.settings().clone();
    settings.fixit = fixit;
    if full {
        settings.pattern = vec![true];
    }
    let failed = |error: StartError| error.to_string();
    simulation.set_settings(settings).map_err(failed)?;
    let start = simulation.model().experiment.start;
    simulation.initialize(start).map_err(failed)?;
    let mut broken = None;
    let figures = batches(|| {
        if let Err(failure) = simulation.step() {
            broken = Some(format!("{failure:?}"));
        }
    });
    broken.map_or(Ok(figures), Err)
}

/// A line of the table.
fn row(case: &Case) -> Result<String, String> {
    let [two, three] = [measure(case, 2, true)?, measure(case, 3, true)?];
    let usual = measure(case, 2, false)?;
    Ok(format!(
        "| {} | {:.1} | {:.1} | {:.0} % |",
        case.name,
        three.median - two.median,
        usual.median,
        100.0 * usual.spread
    ))
}

fn main() {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    println!(
        "dependent multiplication and addition: {:.3} ns\n",
        timing::noise()
    );
    println!("| case | full iteration [us] | step, FIXIT 2 [us] | spread |");
    println!("|---|---|---|---|");
    let fits = |case: &Case| wanted.as_ref().is_none_or(|part| case.name.contains(part));
    for case in cases().into_iter().filter(fits) {
        let line = row(&case).unwrap_or_else(|problem| format!("| {} | {problem} |", case.name));
        println!("{line}");
    }
}
