//! Data plane: the memory in which the library shows the values of an instance to tools, under an exported symbol.

use crate::instance::window::Window;

/// The memory that an FMU's A2L file describes: the address of this symbol, and 8 bytes for each value reference.
// SAFETY: no other symbol of the library has this name.
#[unsafe(export_name = "fixstep_window")]
pub(super) static WINDOW: Window = Window::new();
