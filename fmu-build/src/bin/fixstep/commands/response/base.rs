//! Control plane: `--base`: an input that drives a motion is expressed by another of its derivatives.

use super::Subject;
use super::ask::{Asked, input};
use super::lines::bracketed;
use crate::places::Stop;

/// Which derivative of its motion an input can be.
const LEVELS: [&str; 3] = ["displacement", "velocity", "acceleration"];

/// From now on inputs are expressed by these derivatives of the motions that they drive; what that means, in words.
pub(super) fn tell(of: &[(String, i32)], subject: &mut Subject) -> Result<Vec<String>, Stop> {
    let mut said = Vec::new();
    for (k, (name, order)) in of.iter().enumerate() {
        if of[..k].iter().any(|(other, _)| other == name) {
            return Err(Stop::CommandLine(format!(
                "--base: input \"{name}\" occurs twice; valid is one derivative for each input"
            )));
        }
        said.extend(one(subject, name, *order)?);
    }
    Ok(said)
}

fn one(subject: &mut Subject, name: &str, order: i32) -> Result<Option<String>, Stop> {
    let at = input("--base", name, &subject.names())?;
    let Some(level) = subject.transfer.driven_level(at) else {
        return Err(Stop::CommandLine(format!(
            "--base: input \"{name}\" drives no motion; valid is an input in the function of a motion"
        )));
    };
    let unit = subject.form.inputs[at].unit.clone();
    subject.transfer.tell_derivative(at, order - level);
    subject.units[at] = derived(&unit, order - level);
    if order == level {
        return Ok(None);
    }
    let word = |level: i32| LEVELS[level.clamp(0, 2) as usize];
    let named = |unit: &str| {
        if unit.is_empty() {
            String::from("no unit")
        } else {
            format!("unit {unit}")
        }
    };
    Ok(Some(format!(
        "--base {name}={}: numbers of \"{name}\" are from here on those of its {}, {}; the motion's function reads it as the {}, {}, \
         which --base {name}={} (or no --base) keeps",
        word(order),
        word(order),
        named(&subject.units[at]),
        word(level),
        named(&unit),
        word(level)
    )))
}

/// Words on inputs that are expressed by another derivative and excite nothing.
pub(super) fn idle(of: &[(String, i32)], subject: &Subject, asked: &Asked) -> Vec<String> {
    let names = subject.names();
    let excited: Vec<usize> = match asked {
        Asked::Transfer | Asked::Between(_) => subject.inputs.clone(),
        Asked::Amplitudes(excitation) => excitation.inputs(),
        Asked::Densities(spectrum) => spectrum.excited(),
    };
    let known: Vec<String> = excited
        .iter()
        .map(|k| format!("\"{}\"", names[*k]))
        .collect();
    let verb = if known.len() == 1 { "is" } else { "are" };
    let is_idle = |name: &&String| !excited.iter().any(|k| names[*k] == name.as_str());
    let idle = of.iter().map(|(name, _)| name).filter(is_idle);
    idle.map(|name| {
        format!(
            "--base: input \"{name}\" is not excited here, only {} {verb}: the option changes nothing",
            known.join(", ")
        )
    })
    .collect()
}

/// The unit of a derivative of a quantity, or of its integral: m, m/s, m/s^2 …
fn derived(unit: &str, order: i32) -> String {
    let (of, power) = match unit.rsplit_once("/s") {
        Some((of, "")) => (of, 1),
        Some((of, "^2" | "2")) => (of, 2),
        _ => (unit, 0),
    };
    let power = power + order;
    let one = match of {
        "" | "1" => "1".to_owned(),
        of => bracketed(of),
    };
    let times = |power: i32| match power {
        1 => String::from("s"),
        power => format!("s^{power}"),
    };
    match power {
        0 if of == "1" => String::new(),
        0 => of.to_owned(),
        power if power > 0 => format!("{one}/{}", times(power)),
        power => format!("{one}*{}", times(-power)),
    }
}

#[cfg(test)]
mod tests {
    use super::derived;

    #[test]
    fn units_of_derivatives_are_short() {
        for (unit, order, wanted) in [
            ("m", 2, "m/s^2"),
            ("m/s^2", -2, "m"),
            ("m/s^2", -1, "m/s"),
            ("m/s", 1, "m/s^2"),
            ("rad", 1, "rad/s"),
            ("1/s", -1, ""),
            ("", 1, "1/s"),
            ("", -1, "1*s"),
            ("N.m", 1, "(N.m)/s"),
            ("mm/ms^2", -2, "(mm/ms^2)*s^2"),
        ] {
            assert_eq!(derived(unit, order), wanted, "{unit} {order}");
        }
    }
}
