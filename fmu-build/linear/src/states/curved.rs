//! Nonlinear functions of measures: their rates, and the derivatives of these.
//!
//! A measure is the series m + m' t + m'' t²/2, and so is a function of measures. Each series is accompanied by its
//! derivatives by every measure and rate, which are series themselves; no finite differences are used.

use super::affine::words;
use fixstep_kernel::expr::ops::{Binary, Operation, Register, Unary};
use fixstep_kernel::ids::{ExprId, LeafId};
use fixstep_kernel::math;
use fixstep_kernel::mechanism::{KinematicMeasure, Leaf, Mechanism};

/// An expression of measures and parameters.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Number(f64),
    /// Index of a measure in the list.
    Measure(usize),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
}

/// Converts an expression and collects the measures and parameters that it reads. The error describes what it reads
/// instead.
pub(super) fn of_program(
    mechanism: &Mechanism,
    expr: ExprId,
    list: &mut Vec<Leaf>,
) -> Result<Node, String> {
    let program = &mechanism.expressions[expr.index()];
    let mut registers: Vec<Node> = program
        .constants
        .iter()
        .map(|constant| Node::Number(*constant))
        .collect();
    for leaf in &program.leaves {
        registers.push(of_leaf(mechanism, *leaf, list)?);
    }
    for operation in &program.operations {
        let at = |register: Register| Box::new(registers[register as usize].clone());
        let node = match *operation {
            Operation::Unary(Unary::Truncate | Unary::Round, _) => {
                return Err(String::from("a function with steps"));
            }
            Operation::Unary(Unary::Smooth3 | Unary::Smooth5 | Unary::SmoothCos, _)
            | Operation::Ramp(_)
            | Operation::Blend(_)
            | Operation::Select(_)
            | Operation::Curve(..)
            | Operation::Binary(
                Binary::Power | Binary::Min | Binary::Max | Binary::Mod | Binary::Sign,
                ..,
            ) => {
                return Err(String::from(
                    "a function that is made of pieces, a curve or a power that varies",
                ));
            }
            Operation::Unary(unary, a) => Node::Unary(unary, at(a)),
            Operation::Binary(binary, a, b) => Node::Binary(binary, at(a), at(b)),
        };
        registers.push(node);
    }
    Ok(registers[program.result as usize].clone())
}

fn of_leaf(mechanism: &Mechanism, leaf: LeafId, list: &mut Vec<Leaf>) -> Result<Node, String> {
    let mut measure = |leaf: Leaf| {
        let known = list.iter().position(|own| *own == leaf);
        Node::Measure(known.unwrap_or_else(|| {
            list.push(leaf);
            list.len() - 1
        }))
    };
    match &mechanism.leaves[leaf.index()] {
        Leaf::Variable(v) => of_program(mechanism, mechanism.variables[v.index()].expr, list),
        of @ Leaf::Parameter(_) => Ok(measure(of.clone())),
        of @ Leaf::Kinematic { .. } if super::rates_of(of).is_some() => Ok(measure(of.clone())),
        Leaf::Kinematic {
            measure: KinematicMeasure::Distance,
            i,
            j,
            scale,
            ..
        } => {
            // √(DX² + DY² + DZ²)
            let mut square = |k: u8| {
                let own = measure(Leaf::Kinematic {
                    measure: KinematicMeasure::Displacement(k),
                    i: *i,
                    j: *j,
                    axes: *j,
                    frame: *j,
                    scale: *scale,
                });
                Box::new(Node::Binary(
                    Binary::Multiply,
                    Box::new(own.clone()),
                    Box::new(own),
                ))
            };
            let [x, y, z] = [square(0), square(1), square(2)];
            let sum = Node::Binary(Binary::Add, x, y);
            let sum = Node::Binary(Binary::Add, Box::new(sum), z);
            Ok(Node::Unary(Unary::Sqrt, Box::new(sum)))
        }
        other => Err(words(other).to_owned()),
    }
}

/// Coefficients of 1, t, t².
type Series = [f64; 3];

fn times(a: Series, b: Series) -> Series {
    [
        a[0] * b[0],
        a[0] * b[1] + a[1] * b[0],
        a[0] * b[2] + a[1] * b[1] + a[2] * b[0],
    ]
}

/// A series, with its derivatives by each measure, its rate and its second rate.
#[derive(Clone, Debug)]
pub(super) struct Jet {
    pub(super) value: Series,
    pub(super) slopes: Vec<Series>,
}

impl Jet {
    fn number(value: f64, slopes: usize) -> Self {
        Self {
            value: [value, 0.0, 0.0],
            slopes: vec![[0.0; 3]; slopes],
        }
    }

    fn with(&self, other: &Self, both: impl Fn(f64, f64) -> f64) -> Self {
        let join = |a: Series, b: Series| core::array::from_fn(|k| both(a[k], b[k]));
        let slopes = self.slopes.iter().zip(&other.slopes);
        Self {
            value: join(self.value, other.value),
            slopes: slopes.map(|(a, b)| join(*a, *b)).collect(),
        }
    }

    fn product(&self, other: &Self) -> Self {
        let slopes = self.slopes.iter().zip(&other.slopes);
        let slope = |(a, b): (&Series, &Series)| {
            let (one, two) = (times(*a, other.value), times(self.value, *b));
            core::array::from_fn(|k| one[k] + two[k])
        };
        Self {
            value: times(self.value, other.value),
            slopes: slopes.map(slope).collect(),
        }
    }

    /// A function with its three derivatives.
    fn through(&self, [f0, f1, f2, f3]: [f64; 4]) -> Self {
        let [_, a, b] = self.value;
        // Zero times infinity is zero here.
        let bent = |x: f64, y: f64| if x == 0.0 { 0.0 } else { x * y };
        let slope = [f1, bent(f2, a), bent(f2, b) + bent(f3, a * a / 2.0)];
        Self {
            value: [f0, bent(f1, a), bent(f1, b) + bent(f2, a * a / 2.0)],
            slopes: self.slopes.iter().map(|own| times(slope, *own)).collect(),
        }
    }

    fn inverse(&self) -> Self {
        let y = 1.0 / self.value[0];
        self.through([y, -y * y, 2.0 * y * y * y, -6.0 * y * y * y * y])
    }

    fn scaled(&self, factor: f64) -> Self {
        self.with(self, |a, _| factor * a)
    }
}

impl Node {
    /// The series of an expression, from measures with their two rates.
    pub(super) fn jet(&self, measures: &[[f64; 3]]) -> Jet {
        let count = 3 * measures.len();
        match self {
            Self::Number(x) => Jet::number(*x, count),
            Self::Measure(k) => {
                let [m, rate, second] = measures[*k];
                let mut jet = Jet::number(0.0, count);
                jet.value = [m, rate, second / 2.0];
                for (order, weight) in [1.0, 1.0, 0.5].into_iter().enumerate() {
                    jet.slopes[3 * k + order][order] = weight;
                }
                jet
            }
            Self::Unary(unary, a) => {
                let a = a.jet(measures);
                a.through(derivatives(*unary, a.value[0]))
            }
            Self::Binary(binary, a, b) => {
                let (a, b) = (a.jet(measures), b.jet(measures));
                match binary {
                    Binary::Add => a.with(&b, |a, b| a + b),
                    Binary::Subtract => a.with(&b, |a, b| a - b),
                    Binary::Multiply => a.product(&b),
                    Binary::Divide => a.product(&b.inverse()),
                    Binary::Atan2 => angle(&a, &b),
                    _ => a.through(power(a.value[0], b.value[0])),
                }
            }
        }
    }
}

/// atan2(y, x), turned so that x is positive and y small.
fn angle(y: &Jet, x: &Jet) -> Jet {
    let about = math::atan2(y.value[0], x.value[0]);
    let (sin, cos) = (math::sin(about), math::cos(about));
    let across = y.scaled(cos).with(&x.scaled(sin), |a, b| a - b);
    let along = x.scaled(cos).with(&y.scaled(sin), |a, b| a + b);
    let ratio = across.product(&along.inverse());
    let mut all = ratio.through(derivatives(Unary::Atan, ratio.value[0]));
    all.value[0] += about;
    all
}

fn power(x: f64, p: f64) -> [f64; 4] {
    let part = |factor: f64, less: f64| {
        if factor == 0.0 {
            0.0
        } else {
            factor * math::pow(x, p - less)
        }
    };
    let second = p * (p - 1.0);
    [
        math::pow(x, p),
        part(p, 1.0),
        part(second, 2.0),
        part(second * (p - 2.0), 3.0),
    ]
}

/// A function and its first three derivatives.
fn derivatives(of: Unary, x: f64) -> [f64; 4] {
    let value = of.value(x);
    match of {
        Unary::Negate => [value, -1.0, 0.0, 0.0],
        Unary::Abs => [value, 1.0_f64.copysign(x), 0.0, 0.0],
        Unary::Sqrt => {
            let y = 1.0 / value;
            let cube = y * y * y;
            [value, y / 2.0, -cube / 4.0, 3.0 * cube * y * y / 8.0]
        }
        Unary::Exp => [value; 4],
        Unary::Log => log(value, x, 1.0),
        Unary::Log10 => log(value, x, core::f64::consts::LOG10_E),
        Unary::Sin => [value, math::cos(x), -value, -math::cos(x)],
        Unary::Cos => [value, -math::sin(x), -value, math::sin(x)],
        Unary::Tan => {
            let square = value * value;
            let own = 1.0 + square;
            [value, own, 2.0 * value * own, own * (2.0 + 6.0 * square)]
        }
        Unary::Asin | Unary::Acos => {
            let sign = if of == Unary::Asin { 1.0 } else { -1.0 };
            let w = sign / (1.0 - x * x).sqrt();
            let square = w * w;
            [
                value,
                w,
                x * square * w,
                (1.0 + 2.0 * x * x) * square * square * w,
            ]
        }
        Unary::Atan => {
            let d = 1.0 / (1.0 + x * x);
            [value, d, -2.0 * x * d * d, (6.0 * x * x - 2.0) * d * d * d]
        }
        Unary::Sinh => {
            let other = Unary::Cosh.value(x);
            [value, other, value, other]
        }
        Unary::Cosh => {
            let other = Unary::Sinh.value(x);
            [value, other, value, other]
        }
        Unary::Tanh => {
            let own = 1.0 - value * value;
            [
                value,
                own,
                -2.0 * value * own,
                own * (6.0 * value * value - 2.0),
            ]
        }
        // Other functions were refused when the expression was read.
        Unary::Truncate | Unary::Round | Unary::Smooth3 | Unary::Smooth5 | Unary::SmoothCos => {
            [f64::NAN; 4]
        }
    }
}

fn log(value: f64, x: f64, factor: f64) -> [f64; 4] {
    let y = 1.0 / x;
    [value, factor * y, -factor * y * y, 2.0 * factor * y * y * y]
}
