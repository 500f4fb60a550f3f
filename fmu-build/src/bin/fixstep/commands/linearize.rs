//! Control plane: `fixstep linearize`.

use linear_analysis::{Options, form};

use super::{Done, point};
use crate::args;
use crate::console::Console;
use crate::places::Places;
use fmu_build::slave::Failure;

/// `fixstep linearize`
pub(crate) fn linearize(args: &args::Linearize, console: &mut Console) -> Done {
    let at = point::find(&args.point, Places::default(), console)?;
    let form = form::linear_form(&at.mechanism, &at.linearization, &Options::default())
        .map_err(|error| Failure(error.to_string()))?;
    for note in &form.notes {
        console.note(&format!("note: {note}"));
    }
    for state in &form.states {
        console.say(&format!("{} [{}]", state.name, state.unit))?;
    }
    Ok(true)
}
