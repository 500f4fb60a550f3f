//! Tests of the program and the client with the real shared library.
#![expect(clippy::unwrap_used, reason = "tests")]

mod advise;
mod analyst;
#[path = "../../../tests/abi/built.rs"]
mod built;
mod calibration;
mod clients;
mod compliance;
mod dependencies;
mod files;
mod first_hour;
mod first_week;
mod flex;
mod hostile;
mod instants;
mod linearize;
#[cfg(unix)]
mod live;
mod modes;

mod outputs;
mod own;
mod pictures;
mod program;
mod references;
mod response;
mod response_many;
mod response_options;
#[path = "../../linear/tests/it/row.rs"]
mod row;
mod rti;
mod settled;
mod setup;
mod ssp;
mod stress_response;
mod study;
mod study_refused;
mod sweep;
mod tables;
mod text;
mod trial;
mod trusted;
mod validity;
mod variable_step;
mod view;
