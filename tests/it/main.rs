//! Integration tests of the engine: one binary.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests report what they measured"
)]

mod angles;
mod arithmetic;
mod assembly;
mod bearings;
mod bits;
mod bristles;
mod cam;
mod chain;
mod contact;
mod contact_shapes;
mod contact_surfaces;
mod controls;
mod controls_start;
mod convergence;
mod couplers;
mod crane;
mod curves;
mod damping;
mod delays;
mod denormals;
mod drives;
mod elements;
mod energy;
mod equilibrium;
mod fields;
mod file_format;
mod flexible;
mod flexible_crank;
mod flexible_examples;
mod flexible_free;
mod flexible_orders;
mod flexible_pendulum;
mod flexible_planar;
mod flexible_published;
mod flexible_states;
mod friction;
mod gravity;
mod harness;
mod implicit;
mod implicit_start;
mod kerb;
mod language;
mod linear;
mod linkages;
mod locked;
mod machines;
mod mechanisms;
mod mechanisms_closed_forms;
mod mechanisms_starts;
mod modal;
mod oscillator;
mod recurrences;
mod requests;
mod robot_arm;
mod sampled;
mod sensitivity;
mod sensors;
mod si2;
mod single_joints;
mod soft;
mod start;
mod states;
mod states_run;
mod statics;
mod stillness;
mod stops;
mod top;
mod truth;
mod tyres;
mod vehicle;
