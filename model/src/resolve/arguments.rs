//! Control plane: reads the arguments of functions that read the mechanism.

use super::functions::SELECTORS;
use crate::errors::quote;
use crate::expr::{Argument, ResolveError};
use fixstep_kernel::mechanism::ReactionComponent;

/// The argument jflag: on J?
pub(super) fn jflag(arguments: &[Argument], k: usize) -> Result<bool, ResolveError> {
    match arguments.get(k) {
        Some(Argument::Number(0.0)) => Ok(false),
        Some(Argument::Number(1.0)) => Ok(true),
        _ => Err(ResolveError::at(
            k,
            "jflag must be 0 (what acts on marker I) or 1 (on marker J)",
        )),
    }
}

/// The argument comp.
pub(super) fn selection(
    arguments: &[Argument],
    k: usize,
) -> Result<ReactionComponent, ResolveError> {
    arguments
        .get(k)
        .and_then(selected)
        .ok_or_else(|| ResolveError::at(k, "comp must be 1 to 8: FM, FX, FY, FZ, TM, TX, TY, TZ"))
}

/// The component of an argument 1 to 8.
fn selected(argument: &Argument) -> Option<ReactionComponent> {
    let Argument::Number(number) = argument else {
        return None;
    };
    SELECTORS
        .iter()
        .find(|(selector, _)| selector == number)
        .map(|(_, component)| *component)
}

pub(super) fn check_count(
    arguments: &[Argument],
    least: usize,
    most: usize,
    signature: impl Fn() -> String,
) -> Result<(), ResolveError> {
    if (least..=most).contains(&arguments.len()) {
        return Ok(());
    }
    Err(ResolveError::new(format!(
        "wrong number of arguments ({}); valid: {}",
        arguments.len(),
        signature()
    )))
}

/// The index from 0 of a number that counts from 1.
pub(super) fn place(
    name: &str,
    number: f64,
    count: usize,
    what: &str,
) -> Result<usize, ResolveError> {
    if number.fract() == 0.0 && (1.0..=count as f64).contains(&number) {
        return Ok(number as usize - 1);
    }
    let message = format!("{} has {count} {what}, counted from 1", quote(name));
    Err(ResolveError::at(1, message))
}
