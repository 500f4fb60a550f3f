//! Control plane: animations of mechanisms: an SVG that plays by itself, in a page or a browser.
//!
//! Reading order: [`Animation`] (watches a run and collects its frames), [`scene`] (the drawn elements of a model),
//! [`soft`] (the deformation of flexible bodies), [`view`] (the direction of view), [`svg`] (the file).

mod scene;
mod soft;
mod svg;
#[cfg(test)]
mod tests;
mod view;

use fixstep_kernel::ids::BodyId;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{Body, Mechanism};
use fixstep_kernel::simulation::Simulation;

use scene::Scene;

/// Most frames that a picture has.
const FRAMES: usize = 60;

/// Place and axes of a body.
#[derive(Clone, Debug)]
struct Pose {
    place: Vec3,
    axes: Mat3,
    /// Modal coordinates of a flexible body.
    modal: Vec<f64>,
}

/// A model being filmed.
#[derive(Debug)]
pub struct Animation {
    scene: Scene,
    title: String,
    /// The factor by which deformations are magnified.
    magnification: f64,
    film: Film,
}

/// A film: poses of all bodies at some times.
#[derive(Debug, Default)]
struct Film {
    /// By frame, then body.
    frames: Vec<Vec<Pose>>,
    /// Times of the first and the last frame \[s\].
    times: [f64; 2],
}

impl Animation {
    /// Prepares the animation of a model, with deformations magnified by a factor.
    pub fn of(mechanism: &Mechanism, magnification: f64) -> Self {
        Self {
            scene: Scene::of(mechanism, magnification),
            title: mechanism.name.clone(),
            magnification,
            film: Film::default(),
        }
    }

    /// Observes a run that is done to a share from 0 to 1, and stores the data for the animation.
    pub fn watch(&mut self, engine: &Simulation, share: f64) {
        let due = self.film.frames.len() as f64 / (FRAMES - 1) as f64;
        if share < due * (1.0 - 1e-12) {
            return;
        }
        self.film.frames.push(poses(engine));
        self.film.times[1] = engine.time();
        if self.film.frames.len() == 1 {
            self.film.times[0] = engine.time();
        }
    }

    /// Draws the recorded motion.
    pub fn develop(&self) -> String {
        svg::draw(self)
    }
}

/// Where all bodies are.
fn poses(engine: &Simulation) -> Vec<Pose> {
    let bodies = engine.mechanism().bodies.iter().enumerate();
    let pose = |(k, body): (usize, &Body)| {
        let (center, axes) = engine.body_pose(BodyId::from(k));
        Pose {
            place: center - axes * body.center_of_mass,
            axes,
            modal: engine.modal_coordinates(BodyId::from(k)).to_vec(),
        }
    };
    bodies.map(pose).collect()
}

impl Film {
    /// Time between the first and the last frame \[s\].
    fn duration(&self) -> f64 {
        self.times[1] - self.times[0]
    }
}
