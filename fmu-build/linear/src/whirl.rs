//! Decides in which direction a mode whirls about the parts that turn.
//!
//! A point that moves with r = Re((a + i b) e^{iωt}) goes round with r × r' = −ω a × b. Summed over all parts that
//! turn with Ω,
//!
//! ```text
//! whirl = Σ Ω̂·(−2 m a×b − 2 θ_a×θ_b J) / Σ (m (|a⊥|² + |b⊥|²) + J (|θ_a⊥|² + |θ_b⊥|²))          (LIN-102)
//! ```
//! is 1 if all parts move in circles in the direction of rotation, −1 against it, and 0 if they move to and fro. J is
//! the mean moment of inertia across the axis.

use crate::form::LinearForm;
use crate::modes::Inertia;
use faer::c64;
use fixstep_kernel::simulation::Linearization;

/// Parts that turn more slowly than this fraction of the fastest do not count.
const STILL: f64 = 1e-6;

/// A part that turns.
#[derive(Debug)]
struct TurningPart {
    /// Ω̂.
    axis: [f64; 3],
    /// Indices of its displacements and rotations among the coordinates.
    places: [Option<usize>; 6],
    /// Mass and moment of inertia across the axis.
    inertia: [f64; 2],
}

/// The parts that turn.
#[derive(Debug)]
pub struct TurningParts(Vec<TurningPart>);

impl TurningParts {
    /// Of a mechanism at a state.
    pub fn of(linearization: &Linearization, form: &LinearForm) -> Self {
        let coordinates = &form.shapes.coordinates;
        let places = form.shapes.places(linearization);
        let inertia = Inertia::of(linearization, coordinates);
        let mass = |k: usize| {
            let own = inertia
                .entries
                .iter()
                .filter(|(r, c, _)| *r == k && *c == k);
            own.map(|(_, _, m)| m).sum::<f64>()
        };
        let spin = &linearization.tangents.spin;
        let read = |row: usize, column: usize| {
            let own = spin.entries.iter();
            let own = own.filter(|entry| entry.row == row && entry.column == column);
            own.map(|entry| entry.value).sum::<f64>()
        };
        let mut bodies: Vec<usize> = places.iter().map(|place| place.0).collect();
        bodies.dedup();
        let mut all: Vec<(f64, TurningPart)> = Vec::new();
        for body in bodies {
            let at = |k: usize| places.iter().position(|place| *place == (body, k));
            let own: [Option<usize>; 6] = core::array::from_fn(at);
            let [Some(x), Some(y), Some(z)] = [own[3], own[4], own[5]] else {
                continue;
            };
            let [x, y, z] = [x, y, z].map(|k| coordinates[k]);
            let omega = [read(z, y), read(x, z), read(y, x)];
            let speed = dot(omega, omega).sqrt();
            if speed == 0.0 {
                continue;
            }
            let axis = omega.map(|x| x / speed);
            let moment = (0..3).map(|k| {
                let across = (1.0 - axis[k] * axis[k]) / 2.0;
                own[3 + k].map_or(0.0, |k| across * mass(k))
            });
            let inertia = [own[0].map_or(0.0, mass), moment.sum()];
            let turning = TurningPart {
                axis,
                places: own,
                inertia,
            };
            all.push((speed, turning));
        }
        let most = all.iter().fold(0.0_f64, |most, one| most.max(one.0));
        all.retain(|one| one.0 > STILL * most);
        Self(all.into_iter().map(|one| one.1).collect())
    }

    /// The whirl of a mode with these displacements; `None` if nothing turns, or if the turning parts do not move in
    /// the mode.
    pub fn of_mode(&self, shape: &[c64]) -> Option<f64> {
        let (mut turned, mut whole, mut most) = (0.0, 0.0, 0.0_f64);
        for one in &self.0 {
            for (first, weight) in [(0, one.inertia[0]), (3, one.inertia[1])] {
                let part =
                    |k: usize| one.places[first + k].map_or(c64::new(0.0, 0.0), |k| shape[k]);
                let own: [c64; 3] = core::array::from_fn(part);
                let (a, b) = (own.map(|x| x.re), own.map(|x| x.im));
                turned -= 2.0 * weight * dot(one.axis, cross(a, b));
                for side in [a, b] {
                    let along = dot(side, one.axis);
                    whole += weight * (dot(side, side) - along * along);
                    most = most.max(weight * dot(side, side));
                }
            }
        }
        (whole > 1e-9 * most && most > 0.0).then(|| turned / whole)
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
