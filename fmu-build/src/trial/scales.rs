//! Control plane: thresholds that follow from the size of the mechanism: an output that moves by less is at rest, and
//! energy below its threshold is not judged.

use fixstep_kernel::lint::reading::any;
use fixstep_kernel::mechanism::{EnergySource, Leaf, Mechanism};
use fixstep_kernel::simulation::{Simulation, Size};
use fixstep_model::expr::BASES;
use fixstep_model::table::dimension_of;
use model_description::parse::Description;

/// An output that moves by less than this fraction of the mechanism's length is at rest.
const STILL: f64 = 1e-9;
/// Exponents of energy.
pub(super) const ENERGY: [i32; 8] = [1, 2, -2, 0, 0, 0, 0, 0];
/// Rounding of positions, in lengths of the mechanism.
const ROUNDING: f64 = 1e-15;

/// Mass, length and times of a mechanism and its run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scales {
    size: Size,
    /// The whole run (s).
    duration: f64,
    /// Its integration step (s).
    step: f64,
}

/// The known properties of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measure {
    /// Its dimension: exponents of kg, m, s, A, K, mol, cd, rad.
    pub dimension: Option<[i32; 8]>,
    /// SI units in one of it.
    pub factor: f64,
    /// An output at rest moves by less than this, in the unit.
    pub still: f64,
    /// Errors are relative to at least this range, in the unit: times relative to the run.
    pub range: f64,
    /// Is it an energy of the mechanism, such as KE + PE?
    pub is_energy: bool,
    /// The energy that the run moved, in the unit, if it is one: the scale of an energy that stays what it is.
    pub moved: f64,
}

impl Measure {
    /// Takes over the energy that the run moved (J).
    pub fn take_moved(&mut self, moved: f64) {
        if self.is_energy && self.factor > 0.0 {
            self.moved = moved / self.factor;
        }
    }
}

impl Scales {
    /// Those of a run.
    pub(super) fn of(engine: &Simulation, duration: f64) -> Self {
        Self {
            size: engine.size(),
            duration,
            step: engine.step_size(),
        }
    }

    /// A negligible energy (J): that of all masses at a tenth of the velocity that crosses the mechanism within the
    /// run, plus their weight over a thousandth of its length.
    pub(super) fn unnoticed(&self) -> f64 {
        let Size {
            mass,
            length,
            gravity,
        } = self.size;
        let slow = if self.duration > 0.0 {
            0.1 * length / self.duration
        } else {
            0.0
        };
        mass * (0.5 * slow * slow + 1e-3 * length * gravity)
    }

    /// The properties of a unit, by its name.
    pub(super) fn measure(&self, description: &Description, unit: &str) -> Measure {
        let known = description.units.iter().find(|it| it.name == unit);
        match known.and_then(|it| it.base) {
            Some((dimension, factor, _)) => self.of_dimension(dimension, factor),
            None => Measure::default(),
        }
    }

    /// The properties of an output without a unit, by its expression.
    pub(super) fn measure_of(&self, mechanism: &Mechanism, output: &str) -> Measure {
        let mut outputs = mechanism.outputs.iter();
        let named = outputs.find(|named| named.quantity.name == output);
        let Some(found) = named.and_then(|named| dimension_of(mechanism, named.expr)) else {
            return Measure::default();
        };
        let mut dimension = [0; 8];
        dimension[..BASES].copy_from_slice(&found.exponents);
        self.of_dimension(dimension, found.factor)
    }

    /// Is an output an energy of bodies or forces, by its expression?
    pub(super) fn is_energy(mechanism: &Mechanism, output: &str) -> bool {
        let mut outputs = mechanism.outputs.iter();
        let is = |leaf: &Leaf| {
            use EnergySource::{Kinetic, Potential, Strain};
            matches!(
                leaf,
                Leaf::Energy {
                    source: Kinetic(_) | Potential(_) | Strain(_),
                    ..
                }
            )
        };
        outputs.any(|named| {
            let program = &mechanism.expressions[named.expr.index()];
            named.quantity.name == output && any(mechanism, program.leaves(), &is)
        })
    }

    fn of_dimension(&self, dimension: [i32; 8], factor: f64) -> Measure {
        let [mass, length, time, electric @ ..] = dimension;
        let mechanical = electric[..4] == [0; 4];
        let still = |part: f64, seconds: f64| {
            let size = self.size.mass.powi(mass) * self.size.length.powi(length);
            part * size * seconds.powi(time) / factor
        };
        let still = still(STILL, self.duration).max(still(ROUNDING, self.step));
        let is_time = dimension == [0, 0, 1, 0, 0, 0, 0, 0];
        Measure {
            dimension: Some(dimension),
            factor,
            range: if is_time { self.duration / factor } else { 0.0 },
            is_energy: false,
            moved: 0.0,
            still: if mechanical && still.is_finite() {
                still
            } else {
                0.0
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_is_told_by_the_size_of_the_mechanism() {
        let scales = Scales {
            size: Size {
                mass: 2.0,
                length: 0.5,
                gravity: 10.0,
            },
            duration: 10.0,
            step: 1e-3,
        };
        let xml = r#"<?xml version="1.0"?><fmiModelDescription fmiVersion="2.0" modelName="m" guid="g"
            numberOfEventIndicators="0"><CoSimulation modelIdentifier="m"/><UnitDefinitions>
            <Unit name="mm"><BaseUnit m="1" factor="0.001"/></Unit>
            <Unit name="m/s2"><BaseUnit m="1" s="-2"/></Unit>
            <Unit name="ms"><BaseUnit s="1" factor="0.001"/></Unit><Unit name="A"><BaseUnit A="1"/></Unit></UnitDefinitions><ModelVariables/><ModelStructure/>
            </fmiModelDescription>"#;
        let Ok(description) = model_description::parse::description(xml) else {
            unreachable!();
        };
        let still = |unit| scales.measure(&description, unit).still;
        assert!((still("mm") / 0.5e-6 - 1.0).abs() < 1e-9);
        // Rounding of positions over the square of the step.
        assert!((still("m/s2") / 0.5e-9 - 1.0).abs() < 1e-9);
        assert_eq!((still("A"), still("furlong")), (0.0, 0.0));
        // The accuracy of the instant of an event is its error relative to the duration of the run.
        let range = |unit| scales.measure(&description, unit).range;
        assert_eq!((range("ms"), range("mm")), (1e4, 0.0));
        // The weight over half a millimetre, and masses that creep.
        let energy = scales.unnoticed();
        assert!((energy / (2.0 * (0.5 * 0.005 * 0.005 + 0.005)) - 1.0).abs() < 1e-9);
    }
}
