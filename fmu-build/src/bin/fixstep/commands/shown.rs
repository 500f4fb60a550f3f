//! Control plane: what `fixstep run` shows of a run: a page, pictures and films.

use fixstep_kernel::simulation::Simulation;
use fmu_build::run::{self, Outcome};
use fmu_build::slave::{Failure, Slave};

use super::filming::Filming;
use super::remarks::Remarks;
use super::report::Page;
use crate::args;
use crate::console::Console;
use crate::source::Source;

/// What a run shows of itself in pictures.
pub(super) struct Shown<'a> {
    args: &'a args::Run,
    pub(super) page: Option<Page<'a>>,
    filming: Option<Filming<'a>>,
}

impl<'a> Shown<'a> {
    /// Prepares what is asked for.
    pub(super) fn begin(args: &'a args::Run, source: &'a Source) -> Result<Self, Failure> {
        Ok(Self {
            args,
            page: Page::begin(args, source),
            filming: Filming::of(args, source)?,
        })
    }

    /// At a communication point.
    pub(super) fn watch(&mut self, engine: &Simulation, share: f64) {
        { self.page.iter_mut() }.for_each(|page| page.watch(engine, share));
        { self.filming.iter_mut() }.for_each(|filming| filming.watch(engine, share));
    }

    /// Writes the page, pictures and films.
    pub(super) fn finish(
        self,
        slave: &dyn Slave,
        ran: (&run::Plan, run::Times, &Outcome),
        remarks: &Remarks,
        console: &mut Console,
    ) -> Result<(), Failure> {
        if let (Some(path), Some(page)) = (&self.args.report, self.page) {
            let text = page.finish(slave, ran, remarks, console)?;
            console.write(path, &text)?;
        }
        if let (Some(filming), Some(engine)) = (self.filming, slave.engine()) {
            filming.develop(engine, console)?;
        }
        Ok(())
    }
}
