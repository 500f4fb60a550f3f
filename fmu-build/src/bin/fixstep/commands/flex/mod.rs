//! Control plane: `fixstep flex`, the commands that make and show flexible bodies.

mod beam;
mod body;
mod import;
mod inspect;
mod reduce;
mod swap;

use super::Done;
use crate::args::{Flex, FlexCommand};
use crate::console::Console;

/// `fixstep flex`
pub(crate) fn flex(args: &Flex, console: &mut Console) -> Done {
    match &args.command {
        FlexCommand::Import(args) => import::import(args, console),
        FlexCommand::Reduce(args) => reduce::reduce(args, console),
        FlexCommand::Beam(args) => beam::beam(args, console),
        FlexCommand::Inspect(args) => inspect::inspect(args, console),
        FlexCommand::Swap(args) => swap::swap(args, console),
    }
}
