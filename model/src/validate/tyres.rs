//! Control plane: checks the tyres of a model and converts them to those of the mechanism.

use super::builder::Builder;
use crate::errors::{At, quote};
use crate::resolve::Scope;
use crate::schema::{self, LinearTyre, MagicTyre, Number};
use crate::tir;
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{EquationId, RoadId, ValueId};
use fixstep_kernel::mechanism::{
    Equation, ForceKind, Law, Quantity, ScaledExpr, Shown, StateStart, Tyre, TyreLaw, ValueRule,
};

const AXES: [(&str, [f64; 3]); 4] = [
    ("z", [0.0, 0.0, 1.0]),
    ("-z", [0.0, 0.0, -1.0]),
    ("y", [0.0, 1.0, 0.0]),
    ("-y", [0.0, -1.0, 0.0]),
];

const SIDES: [(&str, bool); 2] = [("left", false), ("right", true)];

const SOME: ValueRule = ValueRule::NonNegative;
const POSITIVE: ValueRule = ValueRule::Positive;

const ONE: Number = Number::Constant(1.0);

/// Speed below which a tyre's body is damped [m/s].
const LOW_SPEED: f64 = 2.5;
/// The time by which its stiffness becomes damping \[s\].
const LOW_SPEED_TIME: f64 = 0.02;

/// A tyre, its numbers and its states.
pub(super) fn tyre(b: &mut Builder<'_>, data: &schema::Tyre, at: &At) -> Option<ForceKind> {
    let road = match &data.road {
        None => Some(RoadId::from(b.roads.len() - 1)),
        Some(name) => b
            .names
            .roads
            .find(name)
            .map_err(|message| b.report.add(&at.field("road"), message))
            .ok(),
    };
    let axis = b.choice((data.axis.as_deref(), "axis"), &AXES, at);
    let side = b.choice((data.side.as_deref(), "side"), &SIDES, at);
    let friction = data.friction.as_ref().unwrap_or(&ONE);
    let friction = b.number(friction, Dimension::One, SOME, &at.field("friction"));
    let low_speed = low_speed(b, data.low_speed.as_ref(), &at.field("low_speed"));
    let at_law = at.field("law");
    let (law, right, transient) = match &data.law {
        schema::TyreLaw::Linear(x) => {
            (TyreLaw::Linear(linear(b, x, &at_law)), (false, false), true)
        }
        schema::TyreLaw::Magic(x) => magic(b, x, &at_law)?,
    };
    let states = if transient {
        Some(states(b, &data.name, at)?)
    } else {
        None
    };
    Some(ForceKind::Tyre(Box::new(Tyre {
        road: road?,
        axis: axis.unwrap_or(AXES[0].1),
        mirrored: side.map_or(right.1, |side| side != right.0),
        friction,
        low_speed,
        states,
        law,
    })))
}

fn low_speed(b: &mut Builder<'_>, data: Option<&schema::LowSpeed>, at: &At) -> [ValueId; 2] {
    let default =
        |si: f64, b: &Builder<'_>, dimension| Number::Constant(si / b.units.to_si(dimension));
    let (speed, time) = (
        default(LOW_SPEED, b, Dimension::Velocity),
        default(LOW_SPEED_TIME, b, Dimension::Time),
    );
    let velocity = data.and_then(|d| d.velocity.as_ref()).unwrap_or(&speed);
    let lag = data.and_then(|d| d.time.as_ref()).unwrap_or(&time);
    [
        b.number(
            velocity,
            Dimension::Velocity,
            POSITIVE,
            &at.field("velocity"),
        ),
        b.number(lag, Dimension::Time, SOME, &at.field("time")),
    ]
}

/// The numbers of [`TyreLaw::Linear`].
fn linear(b: &mut Builder<'_>, data: &LinearTyre, at: &At) -> [ValueId; 11] {
    use Dimension as D;
    let zero = Number::Constant(0.0);
    let (half, whole) = match &data.radius {
        Number::Constant(radius) => (Number::Constant(0.5 * radius), Number::Constant(*radius)),
        Number::Expression(text) => (
            Number::Expression(format!("0.5*({text})")),
            Number::Expression(text.clone()),
        ),
    };
    let any = ValueRule::Finite;
    let optional = |number: &'_ Option<Number>, default: &Number| -> Number {
        number.clone().unwrap_or_else(|| default.clone())
    };
    let rows: [(&str, Number, Dimension, ValueRule); 11] = [
        ("radius", data.radius.clone(), D::Length, POSITIVE),
        (
            "vertical_stiffness",
            data.vertical_stiffness.clone(),
            D::Stiffness,
            POSITIVE,
        ),
        (
            "vertical_damping",
            optional(&data.vertical_damping, &zero),
            D::Damping,
            SOME,
        ),
        (
            "slip_stiffness",
            data.slip_stiffness.clone(),
            D::Force,
            POSITIVE,
        ),
        (
            "cornering_stiffness",
            data.cornering_stiffness.clone(),
            D::ForcePerAngle,
            POSITIVE,
        ),
        (
            "camber_stiffness",
            optional(&data.camber_stiffness, &zero),
            D::ForcePerAngle,
            SOME,
        ),
        ("mu", data.mu.clone(), D::One, POSITIVE),
        (
            "longitudinal_relaxation",
            optional(&data.longitudinal_relaxation, &half),
            D::Length,
            POSITIVE,
        ),
        (
            "lateral_relaxation",
            optional(&data.lateral_relaxation, &whole),
            D::Length,
            POSITIVE,
        ),
        ("trail", optional(&data.trail, &zero), D::Length, any),
        (
            "rolling_resistance",
            optional(&data.rolling_resistance, &zero),
            D::One,
            SOME,
        ),
    ];
    rows.map(|(field, number, dimension, rule)| {
        b.number(&number, dimension, rule, &at.field(field))
    })
}

/// A Magic Formula; whether it is that of a right tyre, and whether it is mirrored; whether it has states.
fn magic(b: &mut Builder<'_>, data: &MagicTyre, at: &At) -> Option<(TyreLaw, (bool, bool), bool)> {
    let at_file = at.field("file");
    let path = b.path(&data.file, &at_file)?;
    let text = b.file(&path, &at_file)?;
    let file = match tir::read(&text) {
        Ok(file) => file,
        Err(fault) => {
            b.report.add(&at_file, format!("{}: {fault}", quote(&path)));
            return None;
        }
    };
    let mode = data.use_mode.or(file.use_mode).unwrap_or(14);
    let parts = match mode.abs() % 10 {
        0 => [false; 3],
        1 => [true, false, false],
        2 => [false, true, false],
        3 => [true, true, false],
        _ => [true; 3],
    };
    if mode.abs() > 14 || mode.abs() % 10 > 4 {
        let message = format!("{mode} is unknown; valid: 0 to 4, 10 to 14, and their negatives");
        b.report.add(&at.field("use_mode"), message);
        return None;
    }
    let law = TyreLaw::Magic(Box::new(file.formula), parts);
    let image = data.mirrored.unwrap_or(false);
    Some((
        law,
        (file.right != image, (mode < 0) != image),
        mode.abs() >= 10,
    ))
}

/// The two states of a tyre: the tyre gives their rates.
fn states(b: &mut Builder<'_>, name: &str, at: &At) -> Option<[EquationId; 2]> {
    let mut state = |word: &'static str, channel: &str, along: &str| {
        let expr = b.expression(&format!("TYRE('{name}', {channel})"), Scope::All, at)?;
        let zero = Number::Constant(0.0);
        let initial = b.number(&zero, Dimension::One, ValueRule::Finite, at);
        Some(b.add_state(Equation {
            label: format!("the {along} deflection of tyre {}", quote(name)),
            kind: "tyre".into(),
            field: "law".into(),
            quantity: Quantity {
                name: name.to_owned(),
                description: format!("{along} deflection of the tyre's body"),
                unit: "m".to_owned(),
                display_unit: String::new(),
                min: None,
                max: None,
                start: 0.0,
            },
            shown: Shown::Word(word.into()),
            law: Law::Rate {
                derivative: ScaledExpr { expr, to_si: 1.0 },
                unknown: None,
            },
            initial,
            start: StateStart::Held,
            checked: Vec::new(),
        }))
    };
    let u = state("u", "RATE_X", "longitudinal");
    let v = state("v", "RATE_Y", "lateral");
    Some([u?, v?])
}
