//! Control plane: `fixstep flex`: what makes flexible bodies.

mod import;
mod reduce;

use super::Done;
use crate::args::{Flex, FlexCommand};
use crate::console::Console;

/// `fixstep flex`
pub(crate) fn flex(args: &Flex, console: &mut Console) -> Done {
    match &args.command {
        FlexCommand::Import(args) => import::import(args, console),
        FlexCommand::Reduce(args) => reduce::reduce(args, console),
    }
}
