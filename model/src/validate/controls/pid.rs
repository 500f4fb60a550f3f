//! Control plane: PID controllers with filtered derivative, limits and anti-windup by back-calculation
//! (Åström & Hägglund 2006).
//!
//! ```text
//! v = Kp (b r − y) + I + D,   u = u_max − P(u_max − u_min − P(v − u_min))         (PID-1)
//! İ = Ki (r − y) + (u − v)/T_t
//! ẋ = (c r − y − x)/T_f,   D = Kd (c r − y − x)/T_f                              (PID-2)
//! P(e) = 0 for e ≤ −δ, (e + δ)²/(4δ) between, e for e ≥ δ                       (PID-3)
//! ```

use super::{DerivedState, Parts, input_of, number, output_of, own, state_of};
use crate::errors::At;
use crate::schema::{self, Number};
use crate::validate::builder::Builder;
use fixstep_kernel::mechanism::{Shown, StateStart, ValueRule};

/// Share of the distance between both limits over which the output is rounded near a limit.
const SMOOTHING: f64 = 0.01;

/// The numbers of a controller at the parameters' starts.
struct Numbers {
    kp: Option<f64>,
    ki: Option<f64>,
    kd: Option<f64>,
    limits: [Option<f64>; 2],
    checked: Vec<fixstep_kernel::ids::ValueId>,
}

/// The parts of a controller.
pub(super) fn parts(b: &mut Builder<'_>, data: &schema::PidController, at: &At) -> Option<Parts> {
    let numbers = numbers(b, data, at)?;
    let bend = smoothing(b, data, &numbers, at)?;
    let tracking = tracking(b, data, &numbers, at)?;
    let name = &data.name;
    let mut parts = Parts {
        inputs: vec![
            input_of(name, 0, data.setpoint.text(), at.field("setpoint")),
            input_of(name, 1, data.measured.text(), at.field("measured")),
        ],
        ..Parts::default()
    };
    let [setpoint, measured] = [1, 2].map(|k| format!("ARYVAL('{name}.u', {k})"));
    let weight = weight(data.setpoint_weight.as_ref(), 1.0);
    let mut v = vec![format!(
        "{}*({weight}*{setpoint} - {measured})",
        number(&data.kp)
    )];
    let about = (name.as_str(), data.description.as_ref());
    let unit = data.unit.clone().unwrap_or_default();
    if let Some(ki) = &data.ki {
        v.push(format!("DIF('{name}', 1)"));
        let mut text = format!("{}*({setpoint} - {measured})", number(ki));
        if data.minimum.is_some() || data.maximum.is_some() {
            text = format!("{text} + (ARYVAL('{name}', 1) - ARYVAL('{name}', 2))/{tracking}");
        }
        let held = data.hold_states.unwrap_or(false);
        parts.states.push(DerivedState {
            label: format!("the integral part of PID controller \"{name}\""),
            shown: Shown::Word("integral".into()),
            unit: unit.clone(),
            initial: own(
                b,
                data.initial.as_ref(),
                ValueRule::Finite,
                &at.field("initial"),
            ),
            start: if held {
                StateStart::Held
            } else {
                StateStart::Given
            },
            ..state_of::<schema::PidController>(about, (0, "ki"), text, at.field("ki"))
        });
    }
    if let Some((kd, filter)) = data.kd.as_ref().zip(data.derivative_filter.as_ref()) {
        let weight = self::weight(data.derivative_weight.as_ref(), 0.0);
        let k = parts.states.len();
        let missing = format!(
            "({weight}*{setpoint} - {measured} - DIF('{name}', {}))/{}",
            k + 1,
            number(filter)
        );
        v.push(format!("{}*{missing}", number(kd)));
        parts.states.push(DerivedState {
            label: format!("the derivative filter of PID controller \"{name}\""),
            shown: Shown::Word("filter".into()),
            initial: super::zero(b, at),
            start: StateStart::Steady,
            ..state_of::<schema::PidController>(about, (k, "kd"), missing, at.field("kd"))
        });
    }
    if let Some(first) = parts.states.first_mut() {
        first.checked = numbers.checked;
    }
    let limited = limited(data, &bend);
    parts.outputs = vec![
        output_of(name, 0, limited, at.clone()),
        output_of(name, 1, v.join(" + "), at.field("kp")),
    ];
    Some(parts)
}

/// Checks the numbers.
fn numbers(b: &mut Builder<'_>, data: &schema::PidController, at: &At) -> Option<Numbers> {
    let mut checked = Vec::new();
    let mut read = |b: &mut Builder<'_>, given: Option<&Number>, rule: ValueRule, field: &str| {
        given.map(|given| {
            let id = own(b, Some(given), rule, &at.field(field));
            checked.push(id);
            id
        })
    };
    let finite = ValueRule::Finite;
    let kp = read(b, Some(&data.kp), finite, "kp");
    let ki = read(b, data.ki.as_ref(), finite, "ki");
    let kd = read(b, data.kd.as_ref(), finite, "kd");
    let filter = data.derivative_filter.as_ref();
    read(b, filter, ValueRule::Positive, "derivative_filter");
    read(b, data.setpoint_weight.as_ref(), finite, "setpoint_weight");
    read(
        b,
        data.derivative_weight.as_ref(),
        finite,
        "derivative_weight",
    );
    read(
        b,
        data.tracking_time.as_ref(),
        ValueRule::Positive,
        "tracking_time",
    );
    let minimum = read(b, data.minimum.as_ref(), finite, "minimum");
    let maximum = read(b, data.maximum.as_ref(), finite, "maximum");
    let sound = fits(b, data, at);
    let start = |id: Option<fixstep_kernel::ids::ValueId>| id.and_then(|id| b.start_of(id));
    let (kp, ki, kd) = (start(kp), start(ki), start(kd));
    let limits = [start(minimum), start(maximum)];
    if let (Some(minimum), Some(maximum)) = (minimum, maximum) {
        let message = "the minimum must be less than the maximum";
        b.demand_less(minimum, maximum, message, &at.field("minimum"));
    }
    sound.then_some(Numbers {
        kp,
        ki,
        kd,
        limits,
        checked,
    })
}

/// Are the fields consistent?
fn fits(b: &mut Builder<'_>, data: &schema::PidController, at: &At) -> bool {
    let mut sound = true;
    let mut complain = |field: &str, message: &str| {
        sound = false;
        b.report.add(&at.field(field), message);
    };
    let filter = data.derivative_filter.is_some();
    if data.kd.is_some() && !filter {
        let message = "a derivative part needs a filter: give \"derivative_filter\", its time constant, \
                       a tenth of kd/kp for instance";
        complain("kd", message);
    }
    let (ki, kd) = (("ki", data.ki.is_some()), ("kd", data.kd.is_some()));
    for (given, field, (needs, present)) in [
        (filter, "derivative_filter", kd),
        (data.derivative_weight.is_some(), "derivative_weight", kd),
        (data.tracking_time.is_some(), "tracking_time", ki),
        (data.initial.is_some(), "initial", ki),
        (data.hold_states.is_some(), "hold_states", ki),
    ] {
        if given && !present {
            complain(field, &format!("it has no effect without \"{needs}\""));
        }
    }
    sound
}

/// δ of (PID-3), as text; empty: none.
fn smoothing(
    b: &mut Builder<'_>,
    data: &schema::PidController,
    numbers: &Numbers,
    at: &At,
) -> Option<String> {
    let distance = match numbers.limits {
        [Some(minimum), Some(maximum)] => Some(maximum - minimum),
        _ => None,
    };
    let width = data
        .smoothing
        .unwrap_or(SMOOTHING * distance.unwrap_or(0.0));
    if width < 0.0 || distance.is_some_and(|distance| 2.0 * width > distance && distance > 0.0) {
        let message = format!(
            "must be zero or more, and at most half the distance between both limits; found {width}"
        );
        b.report.add(&at.field("smoothing"), message);
        return None;
    }
    Some(if width > 0.0 {
        format!("{width:?}")
    } else {
        String::new()
    })
}

/// T_t of (PID-2), as text.
fn tracking(
    b: &mut Builder<'_>,
    data: &schema::PidController,
    numbers: &Numbers,
    at: &At,
) -> Option<String> {
    if let Some(given) = &data.tracking_time {
        return Some(number(given));
    }
    let limited = data.minimum.is_some() || data.maximum.is_some();
    let Some(ki) = numbers.ki.filter(|_| limited) else {
        return Some("1".to_owned());
    };
    let time = match numbers.kd {
        Some(kd) if kd / ki > 0.0 => (kd / ki).sqrt(),
        _ => numbers.kp.unwrap_or(1.0) / ki,
    };
    if time.is_finite() && time > 0.0 {
        return Some(format!("{time:?}"));
    }
    let message = "limits need a time for the integral part to follow them, and none follows from the \
                   gains: give \"tracking_time\"";
    b.report.add(&at.field("tracking_time"), message);
    None
}

/// u of (PID-1).
fn limited(data: &schema::PidController, bend: &str) -> String {
    let mut text = format!("ARYVAL('{}', 2)", data.name);
    if let Some(minimum) = &data.minimum {
        let minimum = number(minimum);
        text = format!("{minimum} + {}", bent(&format!("{text} - {minimum}"), bend));
    }
    if let Some(maximum) = &data.maximum {
        let maximum = number(maximum);
        text = format!(
            "{maximum} - {}",
            bent(&format!("{maximum} - ({text})"), bend)
        );
    }
    text
}

/// P of (PID-3).
fn bent(e: &str, bend: &str) -> String {
    if bend.is_empty() {
        return format!("MAX(0, {e})");
    }
    // The positive part of a value; its kinks are where P is smooth.
    let positive = |e: String| format!("IMPACT(-({e}), 0, 0, 1, 1, 0, 1)");
    let within = positive(format!("2*{bend} - {}", positive(format!("{e} + {bend}"))));
    let beyond = positive(format!("{e} - {bend}"));
    format!("((2*{bend} - {within})**2/(4*{bend}) + {beyond})")
}

/// A weight as text.
fn weight(given: Option<&Number>, default: f64) -> String {
    given.map_or_else(|| format!("{default:?}"), number)
}
