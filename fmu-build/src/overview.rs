//! Control plane: describes a started model in one sentence, so that a reader notices mistakes: gravity that points
//! up, a missing joint, a mass in another unit.

use std::fmt;

use fixstep_kernel::mechanism::UnitSystem;
use fixstep_kernel::simulation::Simulation;
use serde::Serialize;

use crate::csv;

/// Largest deviation of gravity from an axis to count as along it.
const ALONG: f64 = 1e-6;

/// A model's overview, in its own units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// Parts, point masses and flexible bodies.
    pub bodies: usize,
    /// Their total mass.
    pub mass: f64,
    /// Coordinates less the constraints in force.
    pub degrees_of_freedom: usize,
    /// Could it have a kinematic run?
    pub kinematic: bool,
    /// Gravity in ground axes.
    pub gravity: [f64; 3],
    /// Does anything move at the start?
    pub moves: bool,
    /// Units of mass, and of length and time for gravity.
    pub units: [String; 3],
}

impl Overview {
    /// That of a simulation at its start.
    pub fn of(simulation: &Simulation, units: &UnitSystem) -> Self {
        let found = simulation.overview();
        let acceleration = units.length.factor / (units.time.factor * units.time.factor);
        Self {
            bodies: found.bodies,
            mass: found.mass / units.mass.factor,
            degrees_of_freedom: found.freedoms,
            kinematic: simulation.can_be_kinematic(),
            gravity: (found.gravity / acceleration).into(),
            moves: found.moves,
            units: [&units.mass, &units.length, &units.time].map(|unit| unit.name.clone()),
        }
    }
}

impl fmt::Display for Overview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let [mass, length, time] = &self.units;
        let gravity = match self.gravity {
            [0.0, 0.0, 0.0] => "no gravity".to_owned(),
            all => format!("gravity {}", direction(all, &format!("{length}/{time}^2"))),
        };
        write!(
            f,
            "{} of {} {mass}, {}; {gravity}; starts {}",
            many(self.bodies, "body", "bodies"),
            number(self.mass),
            many(
                self.degrees_of_freedom,
                "degree of freedom",
                "degrees of freedom"
            ),
            if self.moves { "in motion" } else { "at rest" }
        )?;
        if self.kinematic {
            write!(
                f,
                "; joints and motions determine all motion: a kinematic run is possible (fixstep run --mode kinematic)"
            )?;
        }
        Ok(())
    }
}

/// `9.81 m/s^2 along -z`, or the components.
fn direction(vector: [f64; 3], unit: &str) -> String {
    let size = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (x, axis) in vector.into_iter().zip(["x", "y", "z"]) {
        if (x.abs() - size).abs() <= ALONG * size {
            let sign = if x < 0.0 { "-" } else { "+" };
            return format!("{} {unit} along {sign}{axis}", number(size));
        }
    }
    let [x, y, z] = vector.map(number);
    format!("[{x}, {y}, {z}] {unit}")
}

/// Four digits are enough to notice a mistake.
fn number(value: f64) -> String {
    csv::number(format!("{value:.3e}").parse().unwrap_or(value))
}
