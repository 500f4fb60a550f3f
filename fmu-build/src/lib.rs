//! Control plane: everything around an FMU that runs on the engineer's computer.
//!
//! Reading order: [`slave`] (what a master sees of an FMU), [`client`] and [`native`] (the
//! slaves there are), [`run`] and [`real_time`] (the masters), [`package`] and [`check`] (how an FMU is
//! made and judged), [`trial`] (how good a step is), [`explain`] (which warnings explain a stop), [`operating_point`] (where a mechanism is linearised), [`ssp`] (systems of FMUs), [`inspect`], and below them [`archive`], [`layout`], [`csv`],
//! [`display`], [`plot`],
//! [`animation`], [`shapes`].

pub mod animation;
pub mod archive;
pub mod check;
pub mod client;
pub mod csv;
pub mod display;
pub mod explain;
pub mod inspect;
pub mod layout;
pub mod linear_page;
mod markup;
pub mod mechanism;
pub mod native;
pub mod operating_point;
pub mod overview;
pub mod package;
pub mod page;
pub mod plot;
mod projection;
pub mod real_time;
pub mod run;
pub mod shapes;
pub mod slave;
pub mod ssp;
pub mod suggest;
pub mod trial;
mod values;
