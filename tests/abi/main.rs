//! Tests of the shared library through its C interfaces, as an importer uses it.
//!
//! The library is the one that `FIXSTEP_LIBRARY` names, or else one of the same build as this program.
#![expect(unsafe_code, reason = "the tests call C functions")]
#![expect(clippy::unwrap_used, reason = "tests")]

mod alone;
mod arrays;
mod bounds;
mod built;
mod client2;
mod client3;
mod derivatives;
mod functions;
mod guard;
mod hostile;
mod illegal;
mod inputs;
mod intermediate;
mod library;
mod log;
mod nulls;
mod process;
mod real_time;
mod resources;
mod schemes;
mod sensors;
mod states;
mod steps;
mod stops;
mod strings;
mod symbols;
mod values;
mod variable;
mod world;
