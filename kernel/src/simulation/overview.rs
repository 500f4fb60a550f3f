//! Control plane: summarises a started mechanism in a few numbers, so that users can spot modelling errors.

use super::Simulation;
use crate::math::Vec3;
use crate::mechanism::BodyKind;
use crate::system::residual;

/// Velocities below this fraction of their size count as rest.
const REST: f64 = 1e-12;

/// A mechanism in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overview {
    /// Number of parts, point masses and flexible bodies.
    pub bodies: usize,
    /// Their total mass \[kg\].
    pub mass: f64,
    /// Degrees of freedom: coordinates, including modal ones, less independent constraints.
    pub freedoms: usize,
    /// Gravity, in ground axes [m/s²].
    pub gravity: Vec3,
    /// Does anything move?
    pub moves: bool,
}

impl Simulation {
    /// The mechanism at present.
    pub fn overview(&self) -> Overview {
        let (system, state, ws) = (&self.run.system, &self.run.state, &self.run.ws);
        let bodies = self.mechanism.bodies.iter().enumerate();
        let own = || {
            bodies
                .clone()
                .filter(|(_, body)| body.kind != BodyKind::Ground)
        };
        let entries = || own().map(|(b, _)| &system.bodies[b]);
        let numbers = state.span(system.layout.numbers);
        let moves = ws.bodies.iter().any(|body| {
            let reach = 1.0 + body.r.norm();
            body.v.norm() > REST * reach || body.omega.norm() > REST
        });
        Overview {
            bodies: own().count(),
            mass: entries().fold(0.0, |sum, entry| sum + numbers[entry.numbers]),
            freedoms: system.freedoms(),
            gravity: residual::gravity(system, state, ws),
            moves,
        }
    }
}
