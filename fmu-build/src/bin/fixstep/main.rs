//! The `fixstep` command.
fn main() {}
