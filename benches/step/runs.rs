//! Runs of a mechanism from its start, against the clock and for what they reach.

use std::time::Instant;

use fixstep_kernel::ids::MarkerId;
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::SolverSettings;
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::{Simulation, StartError};

use crate::cases::Case;
use crate::timing::median;

/// Steps of a mechanism before it is the next one's turn: the first finds caches cold, the median does not see it.
const BATCH: usize = 10;

/// How a step is solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// Iterations.
    pub(crate) fixit: u8,
    /// A Jacobian in every iteration, or in the first alone.
    pub(crate) full: bool,
}

impl Work {
    /// As the settings of a simulation have it.
    pub(crate) fn settings(self, before: &SolverSettings) -> SolverSettings {
        let mut pattern = vec![self.full; usize::from(self.fixit)];
        pattern[0] = true;
        SolverSettings {
            fixit: self.fixit,
            pattern,
            ..before.clone()
        }
    }
}

/// What the iterations of a run reach.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// Residual of the equations of motion at accepted states, median and largest \[N, N m\].
    pub(crate) residual: [f64; 2],
    /// Violation of the constraints, median and largest \[m, rad\].
    pub(crate) violation: [f64; 2],
    /// Place of a marker at the end \[m\].
    pub(crate) probe: Vec3,
}

/// A mechanism that runs again and again from the same state.
pub(crate) struct Runner {
    simulation: Simulation,
    start: Vec<u8>,
    steps: usize,
}

impl Runner {
    pub(crate) fn new(case: &Case, work: Work) -> Result<Self, String> {
        let mut simulation = (case.build)()?;
        let settings = work.settings(simulation.settings());
        let failed = |error: StartError| error.to_string();
        simulation.set_settings(settings).map_err(failed)?;
        let time = simulation.mechanism().experiment.start;
        simulation.initialize(time).map_err(failed)?;
        let mut start = vec![0; simulation.state_size()];
        simulation.save(&mut start);
        Ok(Self {
            simulation,
            start,
            steps: case.steps,
        })
    }

    /// Number of steps.
    fn step(&mut self, steps: usize) -> Result<(), String> {
        for _ in 0..steps {
            let stepped = self.simulation.step();
            stepped.map_err(|failure| format!("{failure:?}"))?;
        }
        Ok(())
    }

    /// Steps of a batch, each against the clock \[µs\].
    fn batch(&mut self, times: &mut Vec<f64>) -> Result<(), String> {
        for _ in 0..BATCH {
            let begin = Instant::now();
            self.step(1)?;
            times.push(begin.elapsed().as_secs_f64() * 1e6);
        }
        Ok(())
    }

    /// A run for what it reaches.
    pub(crate) fn reach(&mut self, probe: &str) -> Result<Reached, String> {
        self.simulation.restore(&self.start);
        let (mut residuals, mut violations) = (Vec::new(), Vec::new());
        for _ in 0..self.steps {
            self.step(1)?;
            residuals.push(self.simulation.figure(Figure::Residual));
            violations.push(self.simulation.figure(Figure::ConstraintViolation));
        }
        let markers = &self.simulation.mechanism().markers;
        let marker = markers.iter().position(|marker| marker.name == probe);
        let marker = marker.ok_or(format!("no marker {probe}"))?;
        Ok(Reached {
            probe: self.simulation.marker(MarkerId::from(marker)).p,
            residual: [median(&mut residuals), largest(&residuals)],
            violation: [median(&mut violations), largest(&violations)],
        })
    }

    /// Any number of steps from the start, run after run.
    pub(crate) fn endure(&mut self, steps: usize) -> Result<(), String> {
        let mut left = steps;
        while left > 0 {
            self.simulation.restore(&self.start);
            let run = left.min(self.steps);
            self.step(run)?;
            left -= run;
        }
        Ok(())
    }
}

/// Runs of the same mechanism that take turns batch by batch, so that what disturbs one disturbs all: times of
/// steps \[µs\], by runner and step.
pub(crate) fn race(runners: &mut [Runner]) -> Result<Vec<Vec<f64>>, String> {
    for runner in runners.iter_mut() {
        runner.simulation.restore(&runner.start);
    }
    let steps = runners.first().map_or(0, |runner| runner.steps);
    let mut times = vec![Vec::with_capacity(steps); runners.len()];
    for _ in 0..steps / BATCH {
        for (runner, times) in runners.iter_mut().zip(&mut times) {
            runner.batch(times)?;
        }
    }
    Ok(times)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
