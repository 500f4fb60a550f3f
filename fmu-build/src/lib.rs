//! Control plane: everything around an FMU that runs on the engineer's computer.
//!
//! Reading order: [`slave`] (what a master sees of an FMU), [`client`], [`csv`], [`plot`].

pub mod archive;
pub mod client;
pub mod csv;
pub mod inspect;
pub mod layout;
mod markup;
pub mod mechanism;
pub mod package;
pub mod plot;
pub mod real_time;
pub mod run;
pub mod slave;
pub mod suggest;
