//! Control plane: what goes along with `fixstep run`: pictures, remarks, the state at the end, and the progress bar or the
//! dashboard.

use std::time::Duration;

use fmu_build::run::{self, Companion, Outcome};
use fmu_build::slave::{Failure, Slave};

use super::live::Live;
use super::remarks::Watcher;
use super::shown::Shown;
use crate::args;
use crate::console::Console;

/// All of it.
pub(super) struct Along<'a, 'b> {
    pub(super) shown: Shown<'a>,
    pub(super) watcher: Watcher,
    /// The state at the end, if it is asked for.
    pub(super) state: Option<Vec<u8>>,
    keeps_state: bool,
    live: Option<Live>,
    console: &'b mut Console,
    done: bool,
}

impl<'a, 'b> Along<'a, 'b> {
    pub(super) fn new(
        args: &args::Run,
        slave: &dyn Slave,
        (plan, times): (&run::Plan, run::Times),
        (shown, watcher): (Shown<'a>, Watcher),
        console: &'b mut Console,
    ) -> Self {
        let live = { args.live.live }.then(|| Live::new(&args.live, slave, (plan, times)));
        if live.is_none() {
            console.begin(&slave.description().name);
        }
        Self {
            shown,
            watcher,
            state: None,
            keeps_state: args.save_state.is_some(),
            live,
            console,
            done: times.steps == 0,
        }
    }

    /// After the run: the terminal is as before. The console says what the user has done in the dashboard.
    pub(super) fn end(self) -> (Shown<'a>, Watcher, Option<Vec<u8>>) {
        self.console.end();
        for line in self.live.map_or(Vec::new(), Live::end) {
            self.console.note(&line);
        }
        (self.shown, self.watcher, self.state)
    }

    fn keep_state(&mut self, slave: &dyn Slave) {
        if self.keeps_state {
            self.state = slave.saved().ok();
        }
    }
}

impl Companion for Along<'_, '_> {
    fn before(&mut self, slave: &mut dyn Slave, n: u64, so_far: &Outcome) -> Result<bool, Failure> {
        let Some(live) = &mut self.live else {
            return Ok(true);
        };
        let goes_on = live.before(slave, n, so_far)?;
        if !goes_on {
            self.keep_state(slave);
        }
        Ok(goes_on)
    }

    fn after(&mut self, slave: &dyn Slave, share: f64, took: Duration) {
        if share >= 1.0 || self.done {
            self.keep_state(slave);
        }
        if let Some(live) = &mut self.live {
            live.after(share, took);
        }
        if let Some(engine) = slave.engine() {
            self.shown.watch(engine, share);
        }
        self.watcher.watch(slave);
        self.console.progress(share);
    }
}
