//! Control plane: the units of the model file and their factors to SI.

use super::errors::{At, Report, quote, quote_all};
use super::schema::Units;
use crate::expr::suggest::hint;
use fixstep_kernel::mechanism::{Unit, UnitSystem};
use std::f64::consts::PI;

/// Metres per foot (exact).
const FOOT: f64 = 0.3048;
/// Metres per inch (exact).
const INCH: f64 = 0.0254;
/// Kilograms per pound (exact).
const POUND: f64 = 0.453_592_37;
/// Standard gravity [m/s²] (exact).
const STANDARD_GRAVITY: f64 = 9.806_65;
/// Newtons per pound-force.
const POUND_FORCE: f64 = POUND * STANDARD_GRAVITY;

/// The units of one quantity.
#[derive(Debug)]
pub(super) struct UnitTable {
    pub(super) quantity: &'static str,
    /// Short name, long names, factor to SI. The first is the default.
    rows: &'static [(&'static str, &'static [&'static str], f64)],
}

/// Length; default metre.
pub(super) const LENGTH: UnitTable = UnitTable {
    quantity: "length",
    rows: &[
        ("m", &["meter", "metre"], 1.0),
        ("mm", &["millimeter", "millimetre"], 1e-3),
        ("cm", &["centimeter", "centimetre"], 1e-2),
        ("km", &["kilometer", "kilometre"], 1e3),
        ("um", &["micrometer", "micrometre", "micron"], 1e-6),
        ("in", &["inch", "inches"], INCH),
        ("ft", &["foot", "feet"], FOOT),
        ("yd", &["yard"], 3.0 * FOOT),
        ("mi", &["mile"], 5280.0 * FOOT),
    ],
};

/// Mass; default kilogram.
pub(super) const MASS: UnitTable = UnitTable {
    quantity: "mass",
    rows: &[
        ("kg", &["kilogram"], 1.0),
        ("g", &["gram"], 1e-3),
        ("t", &["tonne", "megagram"], 1e3),
        ("lbm", &["pound_mass", "lb"], POUND),
        ("oz", &["ounce_mass"], POUND / 16.0),
        ("slug", &[], POUND_FORCE / FOOT),
        ("slinch", &["blob"], POUND_FORCE / INCH),
    ],
};

/// Force; default newton.
pub(super) const FORCE: UnitTable = UnitTable {
    quantity: "force",
    rows: &[
        ("N", &["newton"], 1.0),
        ("kN", &["kilonewton", "knewton"], 1e3),
        ("mN", &["millinewton"], 1e-3),
        ("cN", &["centinewton"], 1e-2),
        ("lbf", &["pound_force"], POUND_FORCE),
        ("kip", &["kpound_force"], 1e3 * POUND_FORCE),
        ("ozf", &["ounce_force"], POUND_FORCE / 16.0),
        ("kgf", &["kilogram_force"], STANDARD_GRAVITY),
        ("dyn", &["dyne"], 1e-5),
    ],
};

/// Time; default second.
pub(super) const TIME: UnitTable = UnitTable {
    quantity: "time",
    rows: &[
        ("s", &["second", "sec"], 1.0),
        ("ms", &["millisecond"], 1e-3),
        ("us", &["microsecond"], 1e-6),
        ("min", &["minute"], 60.0),
        ("h", &["hour"], 3600.0),
    ],
};

/// Angle; default radian.
pub(super) const ANGLE: UnitTable = UnitTable {
    quantity: "angle",
    rows: &[("rad", &["radian"], 1.0), ("deg", &["degree"], PI / 180.0)],
};

/// The factor to SI of a unit of `length`, `mass`, `force` or `time`, by any of its names.
pub fn unit_factor(quantity: &str, unit: &str) -> Result<f64, String> {
    let tables = [&LENGTH, &MASS, &FORCE, &TIME];
    let table = tables.into_iter().find(|table| table.quantity == quantity);
    let factor = table.and_then(|table| table.factor(unit));
    factor.ok_or_else(|| {
        let names = table.map_or(Vec::new(), UnitTable::names).join(", ");
        format!(
            "{} is not a unit of {quantity}; valid: {names}",
            quote(unit)
        )
    })
}

impl UnitTable {
    /// The short names.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.rows.iter().map(|row| row.0).collect()
    }

    /// The unit with a name: as written if that is a short name (`mN` is not `MN`), else ignoring case and a plural
    /// s.
    pub(super) fn factor(&self, name: &str) -> Option<f64> {
        let exact = self.rows.iter().find(|row| row.0 == name);
        let lower = name.trim().to_lowercase();
        let singular = lower.strip_suffix('s').unwrap_or(&lower);
        let matches = |row: &&(&str, &[&str], f64)| {
            row.0.to_lowercase() == lower
                || row.1.iter().any(|long| [&lower, singular].contains(long))
        };
        exact
            .or_else(|| self.rows.iter().find(matches))
            .map(|row| row.2)
    }

    /// The unit that the file names, or the default.
    fn read(&self, name: Option<&String>, report: &mut Report) -> Unit {
        let Some(name) = name else {
            let (name, _, factor) = self.rows[0];
            return Unit {
                name: name.to_owned(),
                factor,
            };
        };
        let factor = self.factor(name).unwrap_or_else(|| {
            let at = At::default().field("units").field(self.quantity);
            let all = self
                .rows
                .iter()
                .flat_map(|row| row.1.iter().copied().chain([row.0]));
            let message = format!(
                "{} is not a unit of {}{}; valid: {}",
                quote(name),
                self.quantity,
                hint(name, all),
                quote_all(self.names())
            );
            report.add(&at, message);
            1.0
        });
        Unit {
            name: name.clone(),
            factor,
        }
    }
}

/// The symbol of a unit, which may be a word such as `millimeter`.
pub(super) fn symbol(table: &UnitTable, unit: &Unit) -> &'static str {
    let same = |row: &&(&'static str, &[&str], f64)| row.2 == unit.factor;
    table.rows.iter().find(same).map_or("", |row| row.0)
}

/// The unit system of a file.
pub(super) fn read(units: Option<&Units>, report: &mut Report) -> UnitSystem {
    UnitSystem {
        length: LENGTH.read(units.and_then(|u| u.length.as_ref()), report),
        mass: MASS.read(units.and_then(|u| u.mass.as_ref()), report),
        force: FORCE.read(units.and_then(|u| u.force.as_ref()), report),
        time: TIME.read(units.and_then(|u| u.time.as_ref()), report),
        angle: ANGLE.read(units.and_then(|u| u.angle.as_ref()), report),
    }
}

/// The dimension of a number; angles in the angle unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    One,
    Mass,
    Inertia,
    Length,
    Velocity,
    Acceleration,
    Angle,
    AngularVelocity,
    Time,
    Force,
    Torque,
    Stiffness,
    Damping,
    TorsionalStiffness,
    TorsionalDamping,
    /// Force over angle.
    ForcePerAngle,
    /// Force times time over angle.
    ForceTimePerAngle,
    /// Force times time.
    ForceTime,
    /// Force over length squared.
    Pressure,
    /// Length squared.
    Area,
    /// Length to the fourth power.
    AreaMoment,
    /// Time over length.
    TimePerLength,
    /// One over length.
    PerLength,
    /// Mass over length cubed.
    Density,
}

/// Factors from user units to SI.
pub(crate) trait ToSi {
    /// The factor of a dimension.
    fn to_si(&self, dimension: Dimension) -> f64;
}

impl ToSi for UnitSystem {
    fn to_si(&self, dimension: Dimension) -> f64 {
        let (length, time) = (self.length.factor, self.time.factor);
        let (force, angle) = (self.force.factor, self.angle.factor);
        match dimension {
            Dimension::One => 1.0,
            Dimension::Mass => self.mass.factor,
            Dimension::Inertia => self.mass.factor * length * length,
            Dimension::Length => length,
            Dimension::Velocity => length / time,
            Dimension::Acceleration => length / (time * time),
            Dimension::Angle => angle,
            Dimension::AngularVelocity => angle / time,
            Dimension::Time => time,
            Dimension::Force => force,
            Dimension::Torque => force * length,
            Dimension::Stiffness => force / length,
            Dimension::Damping => force * time / length,
            Dimension::TorsionalStiffness => force * length / angle,
            Dimension::TorsionalDamping => force * length * time / angle,
            Dimension::ForcePerAngle => force / angle,
            Dimension::ForceTimePerAngle => force * time / angle,
            Dimension::ForceTime => force * time,
            Dimension::Pressure => force / (length * length),
            Dimension::Area => length * length,
            Dimension::AreaMoment => length * length * length * length,
            Dimension::TimePerLength => time / length,
            Dimension::PerLength => 1.0 / length,
            Dimension::Density => self.mass.factor / length / length / length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_every_usual_spelling() {
        assert_eq!(LENGTH.factor("millimeter"), Some(1e-3));
        assert_eq!(LENGTH.factor("MM"), Some(1e-3));
        assert_eq!(LENGTH.factor("Inches"), Some(0.0254));
        assert_eq!(LENGTH.factor("furlong"), None);
        assert_eq!(FORCE.factor("POUND_FORCE"), Some(4.448_221_615_260_5));
        assert_eq!(FORCE.factor("mN"), Some(1e-3));
        assert_eq!(FORCE.factor("Newton"), Some(1.0));
        assert_eq!(TIME.factor("seconds"), Some(1.0));
        assert_eq!(ANGLE.factor("degrees"), Some(PI / 180.0));
    }

    #[test]
    fn english_units_are_consistent() {
        // 1 lbf = 1 slug·ft/s².
        let slug = MASS.factor("slug").unwrap_or(0.0);
        assert!((slug * FOOT / POUND_FORCE - 1.0).abs() < 1e-15);
        assert!((slug - 14.593_902_937_206_36).abs() < 1e-12);
    }

    #[test]
    fn newtons_are_not_the_coherent_force_of_millimetres_and_kilograms() {
        let units = Units {
            length: Some("mm".to_owned()),
            mass: Some("kg".to_owned()),
            force: Some("N".to_owned()),
            time: Some("s".to_owned()),
            angle: Some("deg".to_owned()),
        };
        let system = read(Some(&units), &mut Report::default());
        assert_eq!(system.to_si(Dimension::Stiffness), 1e3);
        assert_eq!(system.to_si(Dimension::Acceleration), 1e-3);
        assert!((system.to_si(Dimension::Inertia) - 1e-6).abs() < 1e-21);
        let torsional = system.to_si(Dimension::TorsionalStiffness);
        assert!((torsional - 0.18 / PI).abs() < 1e-15);
    }
}
