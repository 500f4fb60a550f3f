//! Control plane: dimensions of units and of fields.

use crate::shape::Spot;
use crate::text::{Node, Powers};
use crate::units;
use fixstep_kernel::mechanism::UnitSystem;
use fixstep_variables::units::UnitDefinition;

/// Exponents of mass, length, time and angle; a force is mass times length over time squared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dimensions {
    pub(crate) mass: i32,
    pub(crate) length: i32,
    pub(crate) time: i32,
    pub(crate) angle: i32,
    /// Another quantity, such as a current.
    pub(super) other: bool,
}

impl Dimensions {
    /// Those of a unit.
    pub(crate) fn of(unit: &UnitDefinition) -> Self {
        let [kg, m, s, a, k, mol, cd, rad] = unit.exponents;
        Self {
            mass: kg,
            length: m,
            time: s,
            angle: rad,
            other: [a, k, mol, cd] != [0; 4],
        }
    }

    /// The dimensions of a quotient; `None`: another quantity is among them.
    pub(super) fn over(&self, other: &Self) -> Option<Self> {
        let known = !self.other && !other.other;
        known.then_some(Self {
            mass: self.mass - other.mass,
            length: self.length - other.length,
            time: self.time - other.time,
            angle: self.angle - other.angle,
            other: false,
        })
    }

    /// Is it that of an angle?
    pub(crate) fn is_angle(&self) -> bool {
        *self
            == Self {
                angle: 1,
                ..Self::default()
            }
    }

    /// Those of a computed number.
    pub(crate) fn of_powers(powers: Powers) -> Self {
        let [mass, length, time, angle] = powers.exponents.map(i32::from);
        Self {
            mass,
            length,
            time,
            angle,
            other: false,
        }
    }

    /// The same as those of a computed number; `None`: another quantity, or powers beyond all sense.
    pub(crate) fn powers(&self, sure: bool) -> Option<Powers> {
        if self.other {
            return None;
        }
        let all = [self.mass, self.length, self.time, self.angle];
        let mut exponents = [0; 4];
        for (exponent, power) in exponents.iter_mut().zip(all) {
            *exponent = i8::try_from(power).ok()?;
        }
        Some(Powers {
            exponents,
            sure,
            radians: false,
        })
    }

    /// Do they measure the same? Radians are numbers without unit.
    pub(crate) fn same(&self, other: &Self, units: &UnitSystem) -> bool {
        let angle = if units.angle.factor == 1.0 {
            self.angle
        } else {
            other.angle
        };
        *self == Self { angle, ..*other }
    }

    /// The units of the file in which it counts, where only the dimension is known: what has mass over a power of time
    /// counts in forces.
    pub(crate) fn guessed(&self) -> Scale {
        let force = if self.mass * self.time < 0 {
            self.mass
        } else {
            0
        };
        Scale {
            force,
            mass: self.mass - force,
            length: self.length - force,
            time: self.time + 2 * force,
            ..Scale::plain(*self)
        }
    }

    /// The size of such a unit in SI.
    pub(crate) fn guess(&self, units: &UnitSystem) -> f64 {
        self.guessed().to_si(units, false)
    }
}

/// What a field counts in: powers of the units of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    mass: i32,
    length: i32,
    time: i32,
    force: i32,
    angle: i32,
    /// In Hz, whatever the file's unit of time is.
    hertz: bool,
    pub(crate) dimensions: Dimensions,
}

/// The symbols of descriptions.
const SYMBOLS: [&str; 7] = ["mass", "length", "time", "force", "angle", "Hz", "1"];

impl Scale {
    fn plain(dimensions: Dimensions) -> Self {
        let Dimensions {
            mass,
            length,
            time,
            angle,
            ..
        } = dimensions;
        Self {
            mass,
            length,
            time,
            force: 0,
            angle,
            hertz: false,
            dimensions,
        }
    }

    /// Powers of mass, length, time, force and angle.
    pub(crate) fn of_exponents([mass, length, time, force, angle]: [i32; 5]) -> Self {
        Self {
            mass,
            length,
            time,
            force,
            angle,
            hertz: false,
            dimensions: Dimensions {
                mass: mass + force,
                length: length + force,
                time: time - 2 * force,
                angle,
                other: false,
            },
        }
    }

    /// The same powers.
    pub(crate) fn exponents(&self) -> [i32; 5] {
        [self.mass, self.length, self.time, self.force, self.angle]
    }

    /// Reads `force·time/length`; `None`: something else stands there.
    fn parse(text: &str) -> Option<Self> {
        let mut scale = Self::plain(Dimensions::default());
        let mut sign = 1;
        for part in text.split_inclusive(['·', '/']) {
            let next = if part.ends_with('/') { -1 } else { sign };
            let word = part.trim_end_matches(['·', '/']).trim();
            let (word, power) = match word.char_indices().last()? {
                (at, '²') => (&word[..at], 2),
                (at, '³') => (&word[..at], 3),
                (at, '⁴') => (&word[..at], 4),
                _ => (word, 1),
            };
            if !SYMBOLS.contains(&word) {
                return None;
            }
            match word {
                "mass" => scale.mass += sign * power,
                "length" => scale.length += sign * power,
                "time" => scale.time += sign * power,
                "force" => scale.force += sign * power,
                "angle" => scale.angle += sign * power,
                "Hz" => scale.hertz = true,
                _ => {}
            }
            sign = next;
        }
        scale.dimensions = Dimensions {
            mass: scale.mass + scale.force,
            length: scale.length + scale.force,
            time: scale.time - 2 * scale.force - i32::from(scale.hertz),
            angle: scale.angle,
            other: false,
        };
        Some(scale)
    }

    /// The size of the field's unit in SI. Angles of expressions are radians.
    pub(crate) fn to_si(self, units: &UnitSystem, radians: bool) -> f64 {
        if self.hertz {
            return 1.0;
        }
        let angle = if radians { 1.0 } else { units.angle.factor };
        let powers = [
            (units.mass.factor, self.mass),
            (units.length.factor, self.length),
            (units.time.factor, self.time),
            (units.force.factor, self.force),
            (angle, self.angle),
        ];
        // Whole powers one by one, as the units of FMI are multiplied, so that equal units have equal factors.
        let mut product = 1.0;
        for (factor, power) in powers {
            for _ in 0..power {
                product *= factor;
            }
        }
        for (factor, power) in powers {
            for _ in power..0 {
                product /= factor;
            }
        }
        product
    }

    /// `a stiffness (force/length)`: the dimension in words.
    pub(crate) fn words(&self) -> String {
        let text = self.text(&["mass", "force", "length", "time", "angle"]);
        if self.hertz {
            return "a frequency".to_owned();
        }
        match text.as_str() {
            "1" => "a number without unit".to_owned(),
            _ => format!("of {text}"),
        }
    }

    /// Units that a user may give.
    pub(crate) fn examples(&self, units: &UnitSystem) -> Vec<String> {
        if self.hertz {
            return vec!["Hz".to_owned(), "kHz".to_owned()];
        }
        let own = [
            units::symbol(&units::MASS, &units.mass),
            units::symbol(&units::FORCE, &units.force),
            units::symbol(&units::LENGTH, &units.length),
            units::symbol(&units::TIME, &units.time),
            units::symbol(&units::ANGLE, &units.angle),
        ];
        let sets = [
            own,
            ["kg", "N", "m", "s", "rad"],
            ["g", "kN", "mm", "ms", "deg"],
        ];
        let mut found: Vec<String> = Vec::new();
        for symbols in sets {
            let text = self.text(&symbols);
            if text != "1" && !found.contains(&text) {
                found.push(text);
            }
        }
        found
    }

    /// The powers of mass, force, length, time and angle with these symbols.
    fn text(&self, symbols: &[&str; 5]) -> String {
        let powers = [self.mass, self.force, self.length, self.time, self.angle];
        let side = |sign: i32| {
            let pairs = symbols.iter().zip(powers);
            let words = pairs.filter_map(|(symbol, power)| {
                let power = power * sign;
                (power > 0).then(|| match power {
                    1 => (*symbol).to_owned(),
                    power => format!("{symbol}{power}"),
                })
            });
            words.collect::<Vec<_>>()
        };
        let (above, below) = (side(1), side(-1));
        let above = if above.is_empty() {
            "1".to_owned()
        } else {
            above.join(".")
        };
        match below.as_slice() {
            [] => above,
            [one] => format!("{above}/{one}"),
            several => format!("{above}/({})", several.join(".")),
        }
    }
}

/// What a field counts in, from the brackets of its description: one scale, or the several of a field whose dimension
/// depends on what it acts on; or why no unit can stand there.
pub(super) fn of_description(
    description: &str,
    spot: &Spot<'_>,
    model: &Node,
) -> Result<Vec<Scale>, String> {
    let bracket = description
        .split('[')
        .skip(1)
        .filter_map(|rest| rest.split(']').next())
        .find(|text| {
            let first = text.split(['·', '/', ',', ';', '^', ' ', '²', '⁴']).next();
            first.is_some_and(|word| word == "radians" || SYMBOLS.contains(&word))
        });
    let Some(text) = bracket else {
        if spot.takes.expression {
            return Err("the dimension of this expression is not known".to_owned());
        }
        return Ok(vec![Scale::plain(Dimensions::default())]);
    };
    if text.contains('^') {
        return Err(format!(
            "the unit of the field depends on other fields: {text}"
        ));
    }
    // The blocks of a matrix of forces and torques over displacements and rotations.
    if let [row, column] = spot.indices
        && text.contains(';')
    {
        let mut rows = text.split(';');
        let blocks = rows.nth(row / 3).unwrap_or_default();
        let block = blocks.split(',').nth(column / 3).unwrap_or_default();
        return Scale::parse(block.trim())
            .map(|scale| vec![scale])
            .ok_or_else(|| format!("the unit of the field is not known: {text}"));
    }
    let words = text.replace(" or ", ",").replace("radians", "angle");
    let choices = words
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    let choices: Vec<Scale> = choices.filter_map(Scale::parse).collect();
    match (choices.len(), turns(spot.path, model)) {
        (0, _) => Err(format!("the unit of the field is not known: {text}")),
        (2, Some(true)) => Ok(choices[1..].to_vec()),
        (2, Some(false)) => Ok(choices[..1].to_vec()),
        _ => Ok(choices),
    }
}

/// Does the coordinate turn that a motion or drive acts on? `None`: it cannot be seen, or it is another element.
pub(super) fn turns(path: &str, model: &Node) -> Option<bool> {
    let (head, _) = path.split_once('.')?;
    let (list, index) = head.strip_suffix(']')?.split_once('[')?;
    if !["motions", "forces"].contains(&list) {
        return None;
    }
    let element = model
        .get(list)?
        .as_list()?
        .get(index.parse::<usize>().ok()?)?;
    coordinate_turns(
        element,
        model.get("joints").and_then(Node::as_list).unwrap_or(&[]),
    )
}

/// Does the coordinate turn that an element drives, by its direction or by the type of its joint?
pub(crate) fn coordinate_turns(element: &Node, joints: &[Node]) -> Option<bool> {
    match element.get("direction").and_then(Node::as_str) {
        Some("rotation" | "b1" | "b2" | "b3") => return Some(true),
        Some("translation" | "x" | "y" | "z") => return Some(false),
        _ => {}
    }
    let name = element.get("joint").and_then(Node::as_str)?;
    let named = |joint: &&Node| joint.get("name").and_then(Node::as_str) == Some(name);
    let joint = joints.iter().find(named)?;
    match joint.get("type").and_then(Node::as_str)? {
        "revolute" => Some(true),
        "translational" => Some(false),
        _ => None,
    }
}
