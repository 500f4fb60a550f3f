//! Control plane: checks fields and beams, the force elements that are linear in six coordinates.

use super::builder::Builder;
use crate::errors::At;
use crate::schema::{Beam, Field, Number};
use crate::units::Dimension;
use fixstep_kernel::ids::ValueId;
use fixstep_kernel::mechanism::{ForceKind, Matrix, ValueRule};

/// Dimensions of a 6×6 matrix: force and torque over length and angle.
type Dimensions = [[Dimension; 2]; 2];

const STIFFNESS: Dimensions = [
    [Dimension::Stiffness, Dimension::ForcePerAngle],
    [Dimension::Force, Dimension::TorsionalStiffness],
];
const DAMPING: Dimensions = [
    [Dimension::Damping, Dimension::ForceTimePerAngle],
    [Dimension::ForceTime, Dimension::TorsionalDamping],
];

/// A matrix; absent: zero.
fn matrix(
    b: &mut Builder<'_>,
    numbers: Option<&[[Number; 6]; 6]>,
    dimensions: Dimensions,
    at: &At,
) -> Matrix {
    let rows = std::array::from_fn(|r| {
        std::array::from_fn(|c| {
            let number = numbers.map(|n| &n[r][c]);
            let place = at.index(r).index(c);
            b.optional(number, dimensions[r / 3][c / 3], ValueRule::Finite, &place)
        })
    });
    Box::new(rows)
}

/// Two triples as one; absent: zero.
fn six(
    b: &mut Builder<'_>,
    fields: [(&str, Option<&[Number; 3]>, Dimension); 2],
    at: &At,
) -> [ValueId; 6] {
    let zero = [const { Number::Constant(0.0) }; 3];
    let [x, y] = fields.map(|(field, numbers, dimension)| {
        let numbers = numbers.unwrap_or(&zero);
        b.numbers(numbers, dimension, ValueRule::Finite, &at.field(field))
    });
    [x[0], x[1], x[2], y[0], y[1], y[2]]
}

fn ratio(b: &mut Builder<'_>, number: Option<&Number>, at: &At) -> ValueId {
    let at = at.field("damping_ratio");
    b.optional(number, Dimension::Time, ValueRule::NonNegative, &at)
}

pub(super) fn field(b: &mut Builder<'_>, data: &Field, at: &At) -> ForceKind {
    let place = [
        (
            "displacement",
            data.displacement.as_ref(),
            Dimension::Length,
        ),
        ("rotation", data.rotation.as_ref(), Dimension::Angle),
    ];
    let load = [
        ("preload", data.preload.as_ref(), Dimension::Force),
        (
            "torsional_preload",
            data.torsional_preload.as_ref(),
            Dimension::Torque,
        ),
    ];
    ForceKind::Field {
        stiffness: matrix(b, Some(&data.stiffness), STIFFNESS, &at.field("stiffness")),
        damping: matrix(b, data.damping.as_ref(), DAMPING, &at.field("damping")),
        from: six(b, place, at),
        preload: six(b, load, at),
        ratio: ratio(b, data.damping_ratio.as_ref(), at),
    }
}

pub(super) fn beam(b: &mut Builder<'_>, data: &Beam, at: &At) -> ForceKind {
    let (some, positive) = (ValueRule::NonNegative, ValueRule::Positive);
    let zero = Number::Constant(0.0);
    let shear = |number: &'_ Option<Number>| number.clone().unwrap_or_else(|| zero.clone());
    let (shear_y, shear_z) = (shear(&data.shear_y), shear(&data.shear_z));
    let fields = [
        ("length", &data.length, Dimension::Length, positive),
        (
            "youngs_modulus",
            &data.youngs_modulus,
            Dimension::Pressure,
            positive,
        ),
        (
            "shear_modulus",
            &data.shear_modulus,
            Dimension::Pressure,
            positive,
        ),
        ("area", &data.area, Dimension::Area, positive),
        ("ixx", &data.ixx, Dimension::AreaMoment, some),
        ("iyy", &data.iyy, Dimension::AreaMoment, some),
        ("izz", &data.izz, Dimension::AreaMoment, some),
        ("shear_y", &shear_y, Dimension::One, some),
        ("shear_z", &shear_z, Dimension::One, some),
    ];
    ForceKind::Beam {
        damping: matrix(b, data.damping.as_ref(), DAMPING, &at.field("damping")),
        ratio: ratio(b, data.damping_ratio.as_ref(), at),
        section: fields.map(|(field, number, dimension, rule)| {
            b.number(number, dimension, rule, &at.field(field))
        }),
    }
}
