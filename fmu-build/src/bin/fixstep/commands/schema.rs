//! Control plane: `fixstep schema`, which prints the JSON Schema of models.

use super::{Done, json};
use crate::args;
use crate::console::Console;
use crate::places::Places;

/// `fixstep schema`
pub(crate) fn schema(args: &args::Schema, console: &mut Console) -> Done {
    Places::default()
        .prints("--output", [&args.output])
        .check()?;
    let text = json(&fixstep_model::json_schema())?;
    console.write(&args.output, &(text + "\n"))?;
    Ok(true)
}
