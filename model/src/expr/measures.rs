//! Control plane: what the value of an expression of fixed numbers measures, and which of its sums make no sense.
//!
//! A number of the text is a factor without unit, and a term in any: `len/2` and `len + 0.1` are lengths. A number that has
//! a name but no unit may be anything, so that what it multiplies has a dimension that is likely but not sure.

use super::lex;
use super::parse::{self, Node, NodeId};
use fixstep_kernel::expr::ops::Binary;
use std::f64::consts::PI;

/// Exponents of the file's units of mass, length, time, force and angle.
pub type Exponents = [i32; 5];

/// What a value measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// It is made of numbers of the text alone.
    Number,
    /// A number whose unit only the author knows.
    Open,
    /// A number made with π, with degrees (`30D`) or with an inverse function: where an angle is expected, it is one in radians.
    Radians {
        /// Is everything else that it was computed of a number of the text?
        sure: bool,
    },
    /// A number divided by π: it makes degrees of radians.
    PerRadian,
    /// It converts degrees and radians, and so does what it multiplies.
    Conversion,
    /// A quantity.
    Quantity {
        /// Of the units of the file.
        exponents: Exponents,
        /// Does everything that it was computed of have a unit?
        sure: bool,
    },
}

/// What the units of the file say of sums.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Are angles radians, numbers without unit?
    pub radians: bool,
    /// Is the unit of force that of mass times length over time squared?
    pub coherent: bool,
}

/// Why a value makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// Terms that do not measure the same.
    Terms(Exponents, Exponents),
    /// Terms that measure the same in units of different sizes.
    Sizes(Exponents, Exponents),
    /// An angle that counts in the file's unit and a number in radians.
    Radians,
    /// A function of numbers that takes this quantity.
    Argument(&'static str, Exponents),
}

/// What an expression measures; `None`: it cannot be read. `of` says what its names measure.
pub fn measured(
    text: &str,
    of: &dyn Fn(&str) -> Measure,
    rules: Rules,
) -> Option<Result<Measure, Clash>> {
    let tokens = lex::tokens(text).ok()?;
    let nodes = parse::tree(&tokens, &[]).ok()?;
    let angles = in_degrees(text, &tokens);
    let mut found: Vec<Measure> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        // DTOR is the angle of one degree.
        let is_degree = |value: &f64| !rules.radians && *value == PI / 180.0;
        let is_angle = |value: &f64| *value == PI || angles.contains(value) || is_degree(value);
        if matches!(node, Node::Number(value) if is_angle(value)) {
            found.push(Measure::Radians { sure: true });
            continue;
        }
        match rules.node(node, &nodes, &found, of) {
            Ok(measure) => found.push(measure),
            Err(clash) => return Some(Err(clash)),
        }
    }
    Some(Ok(found.last().copied().unwrap_or(Measure::Open)))
}

/// The values in radians of the numbers of a text that have the suffix D.
fn in_degrees(text: &str, tokens: &[lex::Token<'_>]) -> Vec<f64> {
    let mut angles = Vec::new();
    for (token, next) in tokens.iter().zip(tokens.iter().skip(1)) {
        let lex::Kind::Number(value) = token.kind else {
            continue;
        };
        let width = next.column - token.column;
        let written = text.chars().skip(token.column - 1).take(width);
        let is = written.filter(|c| matches!(c, 'd' | 'D')).count() == 1;
        if is && value != 0.0 {
            angles.push(value);
        }
    }
    angles
}

impl Rules {
    fn node(
        self,
        node: &Node,
        nodes: &[Node],
        found: &[Measure],
        of: &dyn Fn(&str) -> Measure,
    ) -> Result<Measure, Clash> {
        Ok(match node {
            Node::Number(value) if [PI / 180.0, 180.0 / PI].contains(value) => Measure::Conversion,
            Node::Number(_) => Measure::Number,
            Node::Name(name, _) => of(name),
            Node::Negate(a) => found[*a],
            Node::Binary(Binary::Add | Binary::Subtract, a, b) => {
                self.sum(&[found[*a], found[*b]])?
            }
            Node::Binary(Binary::Multiply, a, b) => self.product(found[*a], found[*b], 1),
            Node::Binary(Binary::Divide, a, b) => self.product(found[*a], found[*b], -1),
            Node::Binary(_, a, b) => self.power(found[*a], exponent(nodes, *b), found[*b])?,
            Node::Call(function, arguments, _) => {
                let arguments: Vec<Measure> = arguments.iter().map(|k| found[*k]).collect();
                self.call(function.name, &arguments)?
            }
            Node::Lookup(_) | Node::Text(..) => Measure::Open,
        })
    }

    /// What terms measure together.
    fn sum(self, terms: &[Measure]) -> Result<Measure, Clash> {
        let mut all = terms.iter().copied();
        let mut sum = all.next().unwrap_or(Measure::Open);
        for next in all {
            sum = self.two(sum, next)?;
        }
        Ok(sum)
    }

    fn two(self, left: Measure, right: Measure) -> Result<Measure, Clash> {
        let (
            Measure::Quantity {
                exponents: a,
                sure: of_a,
            },
            Measure::Quantity {
                exponents: b,
                sure: of_b,
            },
        ) = (left, right)
        else {
            return Ok(match (left, right) {
                (
                    Measure::Radians { .. },
                    Measure::Quantity {
                        exponents: [0, 0, 0, 0, 1],
                        sure: true,
                    },
                )
                | (
                    Measure::Quantity {
                        exponents: [0, 0, 0, 0, 1],
                        sure: true,
                    },
                    Measure::Radians { .. },
                ) if !self.radians => return Err(Clash::Radians),
                (quantity @ Measure::Quantity { .. }, _)
                | (_, quantity @ Measure::Quantity { .. }) => quantity,
                (Measure::Number, Measure::Number) => Measure::Number,
                // What is added to radians is one of them.
                (Measure::Radians { sure }, Measure::Number | Measure::PerRadian)
                | (Measure::Number | Measure::PerRadian, Measure::Radians { sure }) => {
                    Measure::Radians { sure }
                }
                (Measure::Radians { sure: a }, Measure::Radians { sure: b }) => {
                    Measure::Radians { sure: a && b }
                }
                (Measure::Radians { .. }, _) | (_, Measure::Radians { .. }) => {
                    Measure::Radians { sure: false }
                }
                (Measure::PerRadian | Measure::Number, Measure::PerRadian | Measure::Number) => {
                    Measure::Number
                }
                _ => Measure::Open,
            });
        };
        if self.same(a, b) {
            let (one, other) = (forceless(a), forceless(b));
            if !self.coherent && a[3] != b[3] && of_a && of_b && one[0] == other[0] {
                return Err(Clash::Sizes(a, b));
            }
            let exponents = if of_a { a } else { b };
            let sure = of_a || of_b;
            return Ok(Measure::Quantity { exponents, sure });
        }
        match (of_a, of_b) {
            (true, true) => Err(Clash::Terms(a, b)),
            (true, false) => Ok(left),
            (false, true) => Ok(right),
            (false, false) => Ok(Measure::Open),
        }
    }

    /// Do two quantities measure the same?
    fn same(self, a: Exponents, b: Exponents) -> bool {
        let (a, b) = (forceless(a), forceless(b));
        a[..3] == b[..3] && (self.radians || a[3] == b[3])
    }

    fn power(
        self,
        base: Measure,
        exponent: Option<f64>,
        of_exponent: Measure,
    ) -> Result<Measure, Clash> {
        Self::number("**", of_exponent)?;
        let Measure::Quantity { exponents, sure } = base else {
            let fixed = base.is_fixed() && of_exponent.is_fixed();
            return Ok(if fixed {
                Measure::Number
            } else {
                Measure::Open
            });
        };
        Ok(match exponent {
            Some(n) if n.fract() == 0.0 && n.abs() <= 9.0 => Measure::Quantity {
                exponents: exponents.map(|k| k * n as i32),
                sure,
            },
            Some(n) if n.abs() == 0.5 => self.root(exponents, n.signum() as i32, sure)?,
            _ => Measure::Open,
        })
    }

    /// Refuses what has a unit where a number is expected. An angle is one.
    fn number(function: &'static str, argument: Measure) -> Result<(), Clash> {
        match argument {
            Measure::Quantity {
                exponents,
                sure: true,
            } if forceless(exponents)[..3] != [0; 3] => Err(Clash::Argument(function, exponents)),
            _ => Ok(()),
        }
    }

    /// The square root of a quantity, or one over it.
    fn root(self, exponents: Exponents, sign: i32, sure: bool) -> Result<Measure, Clash> {
        let halves = |all: Exponents| {
            let even = all[..4].iter().all(|k| k % 2 == 0) && (self.radians || all[4] % 2 == 0);
            even.then(|| Measure::Quantity {
                exponents: all.map(|k| sign * k / 2),
                sure,
            })
        };
        if let Some(root) = halves(exponents) {
            return Ok(root);
        }
        // A stiffness times a mass is the square of a mass over time.
        let [mass, length, time, angle] = forceless(exponents);
        let plain = [mass, length, time, 0, angle];
        match halves(plain) {
            Some(root) if self.coherent => Ok(root),
            Some(_) if sure => Err(Clash::Sizes(exponents, plain)),
            None if sure => Err(Clash::Argument("SQRT", exponents)),
            _ => Ok(Measure::Open),
        }
    }

    fn call(self, name: &'static str, arguments: &[Measure]) -> Result<Measure, Clash> {
        let argument = |k: usize| arguments.get(k).copied().unwrap_or(Measure::Open);
        let some = |from: usize| arguments.get(from..).unwrap_or(&[]);
        Ok(match name {
            "ABS" | "AINT" | "INT" | "ANINT" | "NINT" | "SIGN" => argument(0),
            "SQRT" => match argument(0) {
                Measure::Quantity { exponents, sure } => self.root(exponents, 1, sure)?,
                fixed if fixed.is_fixed() => Measure::Number,
                _ => Measure::Open,
            },
            "SIN" | "COS" | "TAN" | "SINH" | "COSH" | "TANH" | "EXP" | "LOG" | "LOG10" => {
                Self::number(name, argument(0))?;
                Measure::Number
            }
            "ASIN" | "ACOS" | "ATAN" => {
                Self::number(name, argument(0))?;
                Measure::Radians { sure: false }
            }
            "ATAN2" => {
                self.sum(arguments)?;
                Measure::Radians { sure: false }
            }
            "MOD" | "MIN" | "MAX" | "DIM" => self.sum(arguments)?,
            "IF" => self.sum(some(1))?,
            "STEP" | "STEP5" | "HAVSIN" => {
                self.sum(&[argument(0), argument(1), argument(3)])?;
                self.sum(&[argument(2), argument(4)])?
            }
            _ => Measure::Open,
        })
    }
}

impl Rules {
    /// a·bⁿ.
    fn product(self, a: Measure, b: Measure, n: i32) -> Measure {
        let turns =
            |measure| matches!(measure, Measure::Quantity { exponents, .. } if exponents[4] != 0);
        let made = |measure| matches!(measure, Measure::Radians { .. } | Measure::PerRadian);
        if !self.radians && (turns(a) && made(b) || made(a) && turns(b)) {
            // What is converted by hand has the unit that its author wants.
            return Measure::Open;
        }
        match quotient(a, b, n) {
            // A ratio is a factor like a number of the text.
            Measure::Quantity {
                exponents: [0, 0, 0, 0, 0],
                sure: true,
            } => Measure::Number,
            Measure::Quantity {
                exponents: [0, 0, 0, 0, 0],
                ..
            } => Measure::Open,
            other => other,
        }
    }
}

impl Measure {
    /// Is it made of numbers of the text alone?
    fn is_fixed(self) -> bool {
        matches!(
            self,
            Self::Number | Self::PerRadian | Self::Radians { sure: true }
        )
    }
}

/// A quantity without force: mass, length, time, angle.
fn forceless([mass, length, time, force, angle]: Exponents) -> [i32; 4] {
    [mass + force, length + force, time - 2 * force, angle]
}

/// The same but for ratios.
#[expect(clippy::match_same_arms, reason = "rules in their order")]
fn quotient(a: Measure, b: Measure, n: i32) -> Measure {
    use Measure::{Conversion, Number, Open, PerRadian, Quantity, Radians};
    let plain = |sure: bool| if sure { Number } else { Open };
    match (a, b) {
        // Numbers made with π.
        (Radians { sure }, Number) => Radians { sure },
        (Number, Radians { sure }) if n > 0 => Radians { sure },
        (Number, Radians { sure: true }) => PerRadian,
        (Radians { sure }, Open) | (Open, Radians { sure }) if n > 0 || a == (Radians { sure }) => {
            Radians { sure: false }
        }
        (PerRadian, Number) => PerRadian,
        (Number, PerRadian) if n > 0 => PerRadian,
        (Number, PerRadian) => Radians { sure: true },
        (Radians { sure }, PerRadian | Conversion) | (PerRadian | Conversion, Radians { sure }) => {
            plain(sure)
        }
        (Radians { sure: a }, Radians { sure: b }) => plain(a && b),
        (PerRadian, Conversion | PerRadian) | (Conversion, PerRadian) => Number,
        (Radians { sure }, other @ Quantity { .. }) => quotient(plain(sure), other, n),
        (other @ Quantity { .. }, Radians { sure }) => quotient(other, plain(sure), n),
        (PerRadian, other @ (Quantity { .. } | Open)) => quotient(Number, other, n),
        (other @ (Quantity { .. } | Open), PerRadian) => quotient(other, Number, n),
        (
            Quantity {
                exponents: a,
                sure: one,
            },
            Quantity {
                exponents: b,
                sure: other,
            },
        ) => Quantity {
            exponents: std::array::from_fn(|k| a[k] + n * b[k]),
            sure: one && other,
        },
        (Conversion, Number) | (Number, Conversion) => Conversion,
        (Conversion, _) | (_, Conversion) => Open,
        (Quantity { exponents, sure }, other) => Quantity {
            exponents,
            sure: sure && other == Number,
        },
        (other, Quantity { exponents, sure }) => Quantity {
            exponents: exponents.map(|k| n * k),
            sure: sure && other == Number,
        },
        (Number, Number) => Number,
        _ => Open,
    }
}

/// An exponent that is a number of the text.
fn exponent(nodes: &[Node], at: NodeId) -> Option<f64> {
    match nodes.get(at)? {
        Node::Number(value) => Some(*value),
        Node::Negate(inner) => match nodes.get(*inner)? {
            Node::Number(value) => Some(-*value),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Exponents = [0, 1, 0, 0, 0];
    const MASS: Exponents = [1, 0, 0, 0, 0];

    fn of(name: &str) -> Measure {
        let exponents = match name {
            "len" | "gap" => LENGTH,
            "mass" => MASS,
            "k" => [0, -1, 0, 1, 0],
            "g" => [0, 1, -2, 0, 0],
            "angle" => [0, 0, 0, 0, 1],
            "n" => return Measure::Open,
            _ => return Measure::Number,
        };
        Measure::Quantity {
            exponents,
            sure: true,
        }
    }

    fn told(text: &str, rules: Rules) -> Result<Measure, Clash> {
        measured(text, &of, rules).unwrap_or(Ok(Measure::Open))
    }

    const SI: Rules = Rules {
        radians: true,
        coherent: true,
    };

    #[test]
    fn quantities_keep_what_they_measure() {
        let quantity = |exponents, sure| Ok(Measure::Quantity { exponents, sure });
        for (text, expected) in [
            ("len/2", quantity(LENGTH, true)),
            ("(index - 1)*len + 0.1", quantity(LENGTH, true)),
            ("-len*n", quantity(LENGTH, false)),
            ("len*n + gap", quantity(LENGTH, true)),
            ("SQRT(len**2 + gap**2)", quantity(LENGTH, true)),
            ("2*SQRT(k*mass)", quantity([1, 0, -1, 0, 0], true)),
            ("MAX(len, gap)*SIN(30D)", quantity(LENGTH, true)),
            ("len**-2", quantity([0, -2, 0, 0, 0], true)),
            ("1/len", quantity([0, -1, 0, 0, 0], true)),
            ("len/gap", Ok(Measure::Number)),
            ("k*len", quantity([0, 0, 0, 1, 0], true)),
            ("k*len + mass*g", quantity([0, 0, 0, 1, 0], true)),
            ("STEP(index, 1, len, 2, gap)", quantity(LENGTH, true)),
            ("len*angle + gap", quantity([0, 1, 0, 0, 1], true)),
            ("2*index", Ok(Measure::Number)),
            ("2*n", Ok(Measure::Open)),
            ("ATAN2(len, gap)*RTOD", Ok(Measure::Open)),
            ("angle*DTOR", Ok(Measure::Open)),
            ("len**n", Ok(Measure::Open)),
        ] {
            assert_eq!(told(text, SI), expected, "{text}");
        }
    }

    #[test]
    fn sums_of_different_quantities_are_refused() {
        for text in [
            "len + mass",
            "MIN(len, mass)",
            "IF(index: len, k, len)",
            "ATAN2(len, mass)",
        ] {
            assert!(matches!(told(text, SI), Err(Clash::Terms(..))), "{text}");
        }
        for text in ["SIN(len)", "SQRT(mass)", "EXP(mass/len)", "2**len"] {
            assert!(matches!(told(text, SI), Err(Clash::Argument(..))), "{text}");
        }
        let degrees = Rules {
            radians: false,
            ..SI
        };
        assert!(matches!(
            told("len*angle + gap", degrees),
            Err(Clash::Terms(..))
        ));
        let millimetres = Rules {
            coherent: false,
            ..SI
        };
        assert!(matches!(
            told("k*len + mass*g", millimetres),
            Err(Clash::Sizes(..))
        ));
    }
}
