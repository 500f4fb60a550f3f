//! Control plane: finds parameters whose ranges contain values that the model rejects.

use super::{Subject, show};
use crate::expr::Program;
use crate::ids::{LeafId, ValueId};
use crate::mechanism::{Finding, Leaf, LintRule, Mechanism, Parameter, ValueRule, ValueSource};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// Checks all parameters, each with the others at their start values.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let mechanism = s.mechanism;
    let starts = mechanism.parameters.iter().map(|p| p.quantity.start);
    let starts: Vec<f64> = starts.collect();
    for (k, parameter) in mechanism.parameters.iter().enumerate() {
        for (field, bound) in bounds(parameter) {
            let mut all = starts.clone();
            all[k] = bound;
            if let Some(fault) = fault(mechanism, k, &all) {
                found.push(Finding::new(
                    LintRule::ParameterRange,
                    ("parameter", &parameter.quantity.name, field),
                    format!("its range contains {}, with which {fault}", show(bound)),
                    "choose min and max so that the model is valid between them",
                ));
            }
        }
    }
}

/// The values to try: the ends of the range, and zero if within it.
fn bounds(parameter: &Parameter) -> Vec<(&'static str, f64)> {
    let quantity = &parameter.quantity;
    let (min, max) = (quantity.min, quantity.max);
    let within = min.is_some_and(|min| min < 0.0) && max.is_some_and(|max| max > 0.0);
    let all = [("min", min), ("max", max), ("min", within.then_some(0.0))];
    let mut bounds: Vec<(&str, f64)> = Vec::new();
    for (field, bound) in all {
        // The start is checked elsewhere.
        if let Some(bound) = bound.filter(|bound| bound.is_finite() && *bound != quantity.start) {
            bounds.push((field, bound));
        }
    }
    bounds
}

/// The reason for which the model rejects these values of all parameters, in numbers that read one parameter.
fn fault(mechanism: &Mechanism, parameter: usize, all: &[f64]) -> Option<String> {
    let is = |leaf: &Leaf| matches!(leaf, Leaf::Parameter(id) if id.index() == parameter);
    let reads = |leaf: &LeafId| is(&mechanism.leaves[leaf.index()]);
    let concerns = |program: &Program| program.leaves().iter().any(reads);
    let mut numbers = Numbers::new(mechanism, all);
    for value in &mechanism.values {
        let ValueSource::Expression(scaled) = &value.source else {
            continue;
        };
        let program = &mechanism.expressions[scaled.expr.index()];
        if concerns(program) {
            let number = numbers.of(program);
            if !value.rule.allows(number * scaled.to_si) {
                let words = words(value.rule);
                return Some(format!(
                    "{} is {}; it must be {words}",
                    value.path,
                    show(number)
                ));
            }
        }
    }
    let mut read = |id: ValueId| match &mechanism.values[id.index()].source {
        ValueSource::Constant(number) => (*number, false),
        ValueSource::Expression(scaled) => {
            let program = &mechanism.expressions[scaled.expr.index()];
            (numbers.of(program) * scaled.to_si, concerns(program))
        }
    };
    for order in &mechanism.orders {
        let (less, than) = (read(order.less), read(order.than));
        if (less.1 || than.1) && less.0 >= than.0 {
            return Some(order.message.clone());
        }
    }
    let mut derived = mechanism.derived_programs();
    let shapes = derived.any(|scaled| concerns(&mechanism.expressions[scaled.expr.index()]));
    let refused = || mechanism.clone().derive(all).err().map(|e| e.to_string());
    if shapes { refused() } else { None }
}

/// Programs of numbers that follow parameters.
struct Numbers {
    leaves: Vec<f64>,
    registers: Vec<f64>,
}

impl Numbers {
    fn new(mechanism: &Mechanism, parameters: &[f64]) -> Self {
        let leaf = |leaf: &Leaf| match leaf {
            Leaf::Parameter(id) => parameters[id.index()],
            _ => 0.0,
        };
        let registers = mechanism.expressions.iter().map(Program::registers).max();
        Self {
            leaves: mechanism.leaves.iter().map(leaf).collect(),
            registers: vec![0.0; registers.unwrap_or(0)],
        }
    }

    fn of(&mut self, program: &Program) -> f64 {
        program.value(&self.leaves, &mut self.registers)
    }
}

/// A rule for a number, as text.
fn words(rule: ValueRule) -> &'static str {
    match rule {
        ValueRule::Finite => "finite",
        ValueRule::NonNegative => "zero or more",
        ValueRule::Positive => "more than zero",
        ValueRule::OneOrMore => "1 or more",
        ValueRule::Fraction => "more than zero and at most 1",
    }
}
