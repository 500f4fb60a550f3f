//! Control plane: the tools around an FMU: packing, checking, running, measuring, drawing.
//!
//! Reading order: [`slave`] (an FMU as its master sees it), [`client`] and [`native`] (the two kinds of slaves),
//! [`run`] and [`real_time`] (the masters), [`package`] and [`check`] (making and checking an FMU), [`trial`] (the
//! accuracy of a step), [`advise`] (which settings of the fixed step are worth their time), [`explain`] (the warnings that explain a stop), [`operating_point`] (the state at which a
//! mechanism is linearised), [`comparison`] (two results beside each other), [`ssp`] (systems of FMUs), [`study`] (many runs of one model), [`halt`] (long work that another thread ends), [`inspect`]. Below them are [`archive`], [`layout`], [`csv`], [`recording`],
//! [`display`], [`plot`], [`film`], [`flex`].

pub mod advise;
pub mod archive;
pub mod check;
pub mod client;
pub mod comparison;
pub mod csv;
pub mod display;
pub mod explain;
pub mod film;
pub mod flex;
pub mod halt;
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
pub mod real_time;
pub mod recording;
pub mod report;
pub mod run;
pub mod scene;
pub mod slave;
pub mod ssp;
pub mod study;
pub mod suggest;
pub mod trial;
mod values;
pub mod view;
