//! Runs of any mechanism for tests of the guard: under any scheme, at a share of its step, with inputs that oscillate.

use crate::random_inputs::bounds;
use fixstep_kernel::ids::{BodyId, InputId};
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, Quantity};
use fixstep_kernel::simulation::{Simulation, StepFailure};

pub(crate) const SCHEMES: [(&str, IntegratorKind, Formulation); 5] = [
    ("GSTIFF", IntegratorKind::Gstiff, Formulation::I3),
    ("SI2", IntegratorKind::Gstiff, Formulation::Si2),
    ("HHT", IntegratorKind::Hht, Formulation::I3),
    ("NEWMARK", IntegratorKind::Newmark, Formulation::I3),
    (
        "GENALPHA",
        IntegratorKind::GeneralizedAlpha,
        Formulation::I3,
    ),
];

/// Period of the inputs, in steps of the model.
const PERIOD: f64 = 16.0;

/// The value of an input at a time, in steps of the model: a triangle wave about the start value, as far as its bounds allow,
/// with a quarter of its range to either side. Its mean is its middle, so no torque spins anything up.
fn swinging(quantity: &Quantity, time: f64) -> f64 {
    let wave = 4.0 * ((time / PERIOD + 0.75).fract() - 0.5).abs() - 1.0;
    if quantity.start != 0.0 && quantity.min.is_none() {
        return quantity.start * (1.0 + 0.1 * wave);
    }
    let [min, max] = bounds(quantity);
    let most = 0.25 * (max - min);
    quantity.start.clamp(min + most, max - most) + most * wave
}

/// A run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Index of its scheme.
    pub(crate) scheme: usize,
    /// Its step, in steps of the model.
    pub(crate) share: f64,
    /// Is the guard on?
    pub(crate) watched: bool,
}

impl Run {
    /// Starts a mechanism; `None` if it cannot be combined with the scheme.
    pub(crate) fn start(self, simulation: &mut Simulation) -> Option<()> {
        let (_, integrator, formulation) = SCHEMES[self.scheme];
        let mut settings = simulation.settings().clone();
        settings.integrator = integrator;
        settings.formulation = formulation;
        settings.maxerr = f64::INFINITY;
        settings.guard.on = self.watched;
        for (k, input) in simulation.mechanism().inputs.clone().iter().enumerate() {
            simulation.set_input(InputId::from(k), input.quantity.start);
        }
        let start = simulation.mechanism().experiment.start;
        simulation.set_settings(settings).ok()?;
        simulation.set_step(self.share * simulation.mechanism().own_step());
        simulation.initialize(start).ok()
    }

    /// Makes a step with oscillating inputs.
    pub(crate) fn step(self, simulation: &mut Simulation, step: u32) -> Result<(), StepFailure> {
        for k in 0..simulation.mechanism().inputs.len() {
            let value = swinging(
                &simulation.mechanism().inputs[k].quantity,
                self.share * f64::from(step),
            );
            simulation.set_input(InputId::from(k), value);
        }
        simulation.step().map(|_| ())
    }

    /// Places and axes of all parts after this many steps without the guard; `None` if the run fails before.
    fn end(self, simulation: &mut Simulation, steps: u32) -> Option<Vec<(Vec3, Mat3)>> {
        self.start(simulation)?;
        for step in 0..steps {
            self.step(simulation, step).ok()?;
        }
        let bodies = simulation.part().system.bodies.len();
        let poses = (0..bodies).map(|k| simulation.body_pose(BodyId::from(k)));
        Some(poses.collect())
    }

    /// Distance of parts, after this many steps without the guard, from the result of a much smaller step, in lengths of the
    /// mechanism and radians; infinite if the run fails.
    pub(crate) fn wrong(self, simulation: &mut Simulation, steps: u32) -> f64 {
        let coarse = Self {
            watched: false,
            ..self
        };
        let fine = Self {
            share: self.share / f64::from(FINER),
            ..coarse
        };
        let Some(own) = coarse.end(simulation, steps) else {
            return f64::INFINITY;
        };
        let best = fine.end(simulation, FINER * steps).unwrap();
        let length = simulation.stepper().unwrap().length;
        let apart = own.iter().zip(&best).map(|((r, axes), (q, others))| {
            let apart = ((r - q).norm() / length).max((axes - others).norm());
            if apart.is_nan() { f64::INFINITY } else { apart }
        });
        apart.fold(0.0, f64::max)
    }
}

/// Steps of the accurate run for each step of the run that is judged.
const FINER: u32 = 32;
