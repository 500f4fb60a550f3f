//! Tests of the language as a whole.

#![expect(clippy::unwrap_used, reason = "tests")]

mod derivatives;
mod language;
mod messages;
mod truth;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Argument, Program, ResolveError, Resolver, TimeJet, compile};
use fixstep_kernel::ids::LeafId;
use fixstep_kernel::math::spline::{Beyond, Curve, Method};

/// Knows some symbols (in their order as leaves) and the functions DX and VARVAL.
pub(super) struct Names {
    symbols: Vec<String>,
    calls: BTreeMap<String, LeafId>,
}

impl Names {
    pub(super) fn new(symbols: &[&str]) -> Self {
        let symbols = symbols.iter().map(|&name| name.to_owned()).collect();
        Self {
            symbols,
            calls: BTreeMap::new(),
        }
    }
}

impl Resolver for Names {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        self.symbols
            .iter()
            .position(|symbol| symbol == name)
            .map(LeafId::from)
            .ok_or(ResolveError::Unknown)
    }

    fn call(&mut self, function: &str, arguments: &[Argument]) -> Result<LeafId, ResolveError> {
        if arguments.is_empty() {
            return Err(ResolveError::new(format!("{function} needs a marker")));
        }
        for (k, argument) in arguments.iter().enumerate() {
            if *argument == Argument::Name("nowhere".to_owned()) {
                return Err(ResolveError::at(k, "there is no marker \"nowhere\""));
            }
        }
        let next = LeafId::from(self.symbols.len() + self.calls.len());
        Ok(*self
            .calls
            .entry(format!("{function}{arguments:?}"))
            .or_insert(next))
    }

    fn curve(&mut self, name: &str, method: Method) -> Result<Arc<Curve>, ResolveError> {
        if name == "density" {
            let rows = [vec![0.2, 0.5, 0.1]];
            let curve = Curve::new(&[1.0, 2.0, 5.0], &[], &rows, method, Beyond::Tangent);
            return Ok(Arc::new(curve));
        }
        if name != "s" {
            return Err(ResolveError::Unknown);
        }
        // One curve for each method, created at every call: programs compare curves by their numbers.
        let (x, y) = ([-2.0, -1.0, 0.0, 1.5, 4.0], vec![1.0, 0.5, -1.0, 2.0, 0.0]);
        let rows = [y.clone(), y.iter().map(|y| y * y).collect()];
        let curve = Curve::new(&x, &[0.0, 3.0], &rows, method, Beyond::Tangent);
        Ok(Arc::new(curve))
    }

    fn functions(&self) -> Vec<&str> {
        vec!["DX", "VARVAL"]
    }

    fn names(&self) -> Vec<&str> {
        self.symbols.iter().map(String::as_str).collect()
    }
}

/// Compiles with symbols.
pub(super) fn program(text: &str, symbols: &[&str]) -> Program {
    match compile(text, &mut Names::new(symbols)) {
        Ok(program) => program,
        Err(error) => unreachable!("{error}"),
    }
}

/// The value, with leaves from `symbols` and their values.
pub(super) fn value(program: &Program, leaves: &[f64]) -> f64 {
    program.value(leaves, &mut vec![0.0; program.registers()])
}

/// The value and the gradient by symbol, zero where the program does not read it.
pub(super) fn gradient(program: &Program, leaves: &[f64]) -> (f64, Vec<f64>) {
    let scratch = vec![0.0; program.registers()];
    let mut entries = vec![0.0; program.leaves().len()];
    let value = program.gradient(
        leaves,
        &mut scratch.clone(),
        &mut scratch.clone(),
        &mut entries,
    );
    let mut gradient = vec![0.0; leaves.len()];
    for (leaf, entry) in program.leaves().iter().zip(entries) {
        gradient[leaf.index()] = entry;
    }
    (value, gradient)
}

/// The jet.
pub(super) fn jet(program: &Program, leaves: &[TimeJet]) -> TimeJet {
    program.time_jet(leaves, &mut vec![TimeJet::default(); program.registers()])
}

/// The value of an expression without leaves; it must have been computed by the compiler.
pub(super) fn constant(text: &str) -> f64 {
    let program = program(text, &[]);
    let folded = program.constant_value();
    assert_eq!(program.registers(), 1, "{text} is not folded");
    let computed = value(&program, &[]);
    assert_eq!(folded.map(f64::to_bits), Some(computed.to_bits()), "{text}");
    computed
}

/// Asserts that two numbers are as near as `tolerance` times the larger of 1 and their magnitude.
#[track_caller]
pub(super) fn assert_near(actual: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (actual - expected).abs();
    assert!(
        error <= tolerance * expected.abs().max(1.0),
        "{what}: {actual:e} instead of {expected:e}, error {error:e}"
    );
}
