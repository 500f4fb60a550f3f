//! Control plane: the lines that `fixstep run` adds about a run: energy, joints, iterations, and the accuracy of the
//! step.

use std::path::Path;
use std::time::Instant;

use fixstep_kernel::mechanism::Mode;
use fmu_build::run::{Outcome, Plan};
use fmu_build::slave::Slave;
use fmu_build::trial::account::Account;
use fmu_build::trial::{self, TIME_LIMIT, Trial, TrialSettings};
use serde::Serialize;

use crate::console::Console;
use crate::source::Source;

/// Both results, if they are available.
#[derive(Default, Serialize)]
pub(super) struct Remarks {
    /// The account of the whole run of a model.
    account: Option<Account>,
    /// The trial of as much of the run as its work allows.
    trial: Option<Trial>,
}

/// Collects data during a run.
pub(super) struct Watcher {
    began: Instant,
    /// `None` if nothing is to be reported.
    account: Option<Account>,
}

impl Watcher {
    /// Begins, and reads the file.
    pub(super) fn begin(talks: bool) -> Self {
        Self {
            began: Instant::now(),
            account: talks.then(Account::default),
        }
    }

    /// At a communication point.
    pub(super) fn watch(&mut self, slave: &dyn Slave) {
        if let (Some(account), Some(engine)) = (&mut self.account, slave.engine()) {
            account.watch(engine);
        }
    }

    /// Called at the end of the run. Errors here are ignored, because the run itself has reported them already.
    pub(super) fn finish(
        self,
        slave: &dyn Slave,
        (source, path): (&Source, &Path),
        (plan, outcome): (&Plan, &Outcome),
    ) -> Remarks {
        let Some(mut account) = self.account else {
            return Remarks::default();
        };
        let engine = slave.engine();
        let mode = engine.map_or(Mode::Fixed, |engine| engine.settings().mode);
        if !matches!(mode, Mode::Fixed | Mode::Variable) {
            return Remarks::default();
        }
        if let (Some(engine), Ok(times)) = (engine, plan.times(slave.description())) {
            account.finish(engine, times.stop - times.start);
        }
        if mode == Mode::Variable {
            return Remarks {
                account: Some(account),
                trial: None,
            };
        }
        let budget = self.began.elapsed().max(TIME_LIMIT);
        let last = outcome.table.columns.first().and_then(|time| time.last());
        let plan = Plan {
            stop: last.copied(),
            ..plan.clone()
        };
        let order = TrialSettings {
            plan: &plan,
            span: None,
            budget: Some(budget),
        };
        let sound = outcome.failed.is_none() && outcome.table.rows() > 1;
        let blueprint = if sound {
            source.blueprint(path).ok().flatten()
        } else {
            None
        };
        let trial = blueprint.and_then(|blueprint| trial::trial(&blueprint, &order).ok());
        Remarks {
            account: engine.map(|_| account),
            trial,
        }
    }
}

impl Remarks {
    /// Both.
    pub(super) fn parts(&self) -> (Option<&Account>, Option<&Trial>) {
        (self.account.as_ref(), self.trial.as_ref())
    }

    /// Two lines, and a warning.
    pub(super) fn tell(&self, console: &mut Console) {
        let own = self.account.iter().flat_map(|account| {
            let warning = account.warning.iter();
            let warning = warning.map(|text| format!("warning: {text}"));
            let notes = account.notes().into_iter();
            let notes = notes.map(|text| format!("warning: {text}"));
            std::iter::once(account.words(""))
                .chain(warning)
                .chain(notes)
        });
        let of_trial = self.trial.iter();
        let of_trial = of_trial.flat_map(|trial| trial.remarks(self.account.is_some()));
        own.chain(of_trial).for_each(|line| console.note(&line));
    }
}
