//! Control plane: watches a run and keeps frames of its motion.

use fixstep_kernel::ids::{BodyId, ForceId, JointId, MotionId};
use fixstep_kernel::math::rotation::quaternion;
use fixstep_kernel::mechanism::Body;
use fixstep_kernel::simulation::Simulation;
use fixstep_pictures::scene::{Film, Frame, Place, Pose};

use super::elements::loads;

/// Frames of a film with few bodies.
const FRAMES: usize = 1200;
/// Poses of a film with many bodies.
const POSES: usize = 60_000;
/// Frames of a film with very many bodies.
const LEAST: usize = 120;
/// Numbers of a film that a page measures by: all rows of a run, if they are no more.
const NUMBERS: usize = 1_500_000;

/// Watches a run.
#[derive(Debug, Default)]
pub struct Recorder {
    film: Film,
    frames: usize,
    /// Are as many rows kept as a page can hold?
    measured: bool,
    /// How often it was called.
    calls: usize,
    /// Of a run of equal steps, one frame is kept of so many, so that frames stand at round times.
    stride: Option<usize>,
    /// A time of which a frame is wanted, and the frame that is nearest to it so far.
    wanted: Option<(f64, Option<Frame>)>,
}

impl Recorder {
    /// One that also keeps the frame nearest to a time.
    pub fn with(time: Option<f64>) -> Self {
        Self {
            wanted: time.map(|time| (time, None)),
            ..Self::default()
        }
    }

    /// One for a page, whose reader measures: it keeps every row, unless they are too many.
    pub fn of_rows() -> Self {
        Self {
            measured: true,
            ..Self::default()
        }
    }

    /// Observes a run that is done to a share from 0 to 1; keeps a frame if one is due, and always the last.
    pub fn watch(&mut self, engine: &Simulation, share: f64) {
        if let Some((time, nearest)) = &mut self.wanted {
            let far = |time_of: f64| (time_of - *time).abs();
            if nearest
                .as_ref()
                .is_none_or(|kept| far(engine.time()) < far(kept.time))
            {
                *nearest = Some(frame(engine));
            }
        }
        if self.film.is_empty() {
            self.frames = self.most(engine);
        }
        let due = self.is_due(share);
        self.calls += 1;
        let same = |last: &Frame| last.time.to_bits() == engine.time().to_bits();
        if due && !self.film.last().is_some_and(same) {
            self.film.push(frame(engine));
        }
    }

    /// The number of frames.
    fn most(&self, engine: &Simulation) -> usize {
        let bodies = engine.mechanism().bodies.len().max(1);
        let most = (POSES / bodies).clamp(LEAST, FRAMES);
        if !self.measured {
            return most;
        }
        let one = frame(engine);
        let modal: usize = one.poses.iter().map(|pose| pose.modal.len()).sum();
        let spots = one.spots.iter().flatten().count();
        let numbers = 13 * bodies + modal + 3 * (one.arrows.len() + spots);
        most.max(NUMBERS / numbers)
    }

    fn is_due(&mut self, share: f64) -> bool {
        if self.calls == 1 && share > 0.0 {
            let steps = (1.0 / share).round();
            let equal = (steps * share - 1.0).abs() < 1e-9;
            self.stride = equal.then(|| (steps as usize).div_ceil(self.frames));
        }
        let even = self.film.len() as f64 / (self.frames - 1) as f64;
        match self.stride {
            Some(stride) if share < 1.0 => self.calls.is_multiple_of(stride),
            Some(_) => true,
            None => share >= even * (1.0 - 1e-12),
        }
    }

    /// The film.
    pub fn film(self) -> Film {
        self.film
    }

    /// The frame nearest to the time of which one is wanted.
    pub fn wanted(&self) -> Option<Frame> {
        self.wanted.as_ref()?.1.clone()
    }
}

/// Where all bodies are, and the loads between them.
pub fn frame(engine: &Simulation) -> Frame {
    let mechanism = engine.mechanism();
    let bodies = mechanism.bodies.iter().enumerate();
    let pose = |(k, body): (usize, &Body)| {
        let (center, axes) = engine.body_pose(BodyId::from(k));
        Pose {
            place: Place {
                position: center - axes * body.center_of_mass,
                rotation: quaternion(&axes),
            },
            modal: engine.modal_coordinates(BodyId::from(k)).to_vec(),
        }
    };
    let forces = mechanism.forces.iter().enumerate();
    let forces = forces.map(|(k, force)| (engine.force_on_i(ForceId::from(k)), loads(force)));
    let joints = 0..mechanism.joints.len();
    let joints = joints.map(|k| (engine.joint_on_i(JointId::from(k)), [true; 2]));
    let motions = 0..mechanism.motions.len();
    let motions = motions.map(|k| (engine.motion_on_i(MotionId::from(k)), [true; 2]));
    let rate = |(k, body): (usize, &Body)| {
        let (_, axes) = engine.body_pose(BodyId::from(k));
        let (velocity, turning) = engine.body_rates(BodyId::from(k));
        [
            velocity - turning.cross(&(axes * body.center_of_mass)),
            turning,
        ]
    };
    let rates = mechanism.bodies.iter().enumerate().map(rate).collect();
    let (mut arrows, mut spots) = (Vec::new(), Vec::new());
    for (load, drawn) in forces.chain(joints).chain(motions) {
        for (_, vector) in { drawn.into_iter() }
            .zip([load.force, load.torque])
            .filter(|(is, _)| *is)
        {
            arrows.push(vector.into());
            spots.push(load.point.map(Into::into));
        }
    }
    Frame {
        time: engine.time(),
        poses: bodies.map(pose).collect(),
        arrows,
        spots,
        rates,
    }
}
