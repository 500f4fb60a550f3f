//! Control plane: numbers of geometry and of initial conditions that follow parameters by expressions.
//!
//! The mechanism itself contains only plain numbers. [`Mechanism::derived`] holds the programs separately, each with
//! the place of its number. [`Mechanism::derive`] evaluates the programs and writes the numbers. Before a run, these
//! belong to the start values of the parameters.

use super::built::{Built, Source};
use super::place::Place;
use super::{Leaf, Mechanism, ScaledExpr};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A number that a program computes from parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    /// The place of the number.
    pub place: Place,
    /// The program; [`ScaledExpr::to_si`] yields the unit of the place. It may read only parameters that are not
    /// tunable.
    pub program: ScaledExpr,
}

/// Why a number that follows parameters has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct NotDerived {
    /// The place of the number, by the names of the mechanism.
    pub place: String,
    /// What is wrong, and what would be valid.
    pub fault: String,
}

impl Mechanism {
    /// Writes the numbers that follow parameters; the error names place and value. After an error, some numbers
    /// may be written and others not.
    pub fn derive(&mut self, parameters: &[f64]) -> Result<(), NotDerived> {
        let mut values = self.derived_values(parameters)?.into_iter();
        for k in 0..self.derived.len() {
            let place = self.derived[k].place;
            match self.number_at(place).zip(values.next()) {
                Some((number, value)) => *number = value,
                None => {
                    return Err(NotDerived {
                        place: place.name(self),
                        fault: NOWHERE.to_owned(),
                    });
                }
            }
        }
        self.build(&mut values)
    }

    /// Does anything of geometry, masses or initial conditions follow parameters?
    pub fn follows_parameters(&self) -> bool {
        !(self.derived.is_empty() && self.built.is_empty())
    }

    /// All programs of numbers that follow parameters: of single ones, then of those that data are made of.
    pub fn derived_programs(&self) -> impl Iterator<Item = ScaledExpr> + '_ {
        let single = self.derived.iter().map(|derived| derived.program);
        single.chain(self.built.iter().flat_map(Built::programs))
    }

    /// The numbers that follow parameters, in the order of their programs.
    pub fn derived_values(&self, parameters: &[f64]) -> Result<Vec<f64>, NotDerived> {
        if !self.follows_parameters() {
            return Ok(Vec::new());
        }
        let leaf = |leaf: &Leaf| match leaf {
            Leaf::Parameter(id) => parameters.get(id.index()).copied(),
            _ => None,
        };
        let leaves: Vec<f64> = self.leaves.iter().map(|x| leaf(x).unwrap_or(0.0)).collect();
        let mut registers = Vec::new();
        let value = |(k, scaled): (usize, ScaledExpr)| {
            let says = |fault: String| NotDerived {
                place: self.whose(k),
                fault,
            };
            // An invalid program cannot be run.
            if let Some(fault) = self.fault_of(scaled) {
                return Err(says(fault));
            }
            let program = &self.expressions[scaled.expr.index()];
            registers.resize(program.registers().max(registers.len()), 0.0);
            let value = program.value(&leaves, &mut registers) * scaled.to_si;
            if value.is_finite() {
                Ok(value)
            } else {
                let axis = self.derived.get(k).is_some_and(|one| one.place.is_axis());
                let hint = if axis {
                    "; the points on its axes must not coincide, nor be on one line"
                } else {
                    ""
                };
                Err(says(format!(
                    "its program gives {value}; valid: a finite number{hint}"
                )))
            }
        };
        self.derived_programs().enumerate().map(value).collect()
    }

    /// Numbers that are no part of the mechanism, with values of its parameters; `None`: one has no finite value.
    pub fn source_values(&self, sources: &[Source], parameters: &[f64]) -> Option<Vec<f64>> {
        let leaf = |leaf: &Leaf| match leaf {
            Leaf::Parameter(id) => parameters.get(id.index()).copied().unwrap_or(0.0),
            _ => 0.0,
        };
        let mut leaves = None;
        let mut registers = Vec::new();
        let value = |source: &Source| match source {
            Source::Number(number) => Some(*number),
            Source::Program(scaled) if self.fault_of(*scaled).is_none() => {
                let leaves = leaves
                    .get_or_insert_with(|| self.leaves.iter().map(leaf).collect::<Vec<f64>>());
                let program = &self.expressions[scaled.expr.index()];
                registers.resize(program.registers().max(registers.len()), 0.0);
                Some(program.value(leaves, &mut registers) * scaled.to_si)
            }
            Source::Program(_) => None,
        };
        let values: Option<Vec<f64>> = sources.iter().map(value).collect();
        values.filter(|values| values.iter().all(|x| x.is_finite()))
    }

    /// The name of what a program is for, by its index.
    fn whose(&self, program: usize) -> String {
        if let Some(derived) = self.derived.get(program) {
            return derived.place.name(self);
        }
        let mut rest = program - self.derived.len();
        for built in &self.built {
            let count = built.programs().count();
            if rest < count {
                return built.path.clone();
            }
            rest -= count;
        }
        String::new()
    }

    /// The derivatives of these numbers where parameters change at given rates.
    pub fn derived_slopes(&self, parameters: &[f64], rates: &[f64]) -> Vec<f64> {
        let at = |values: &[f64]| -> Vec<f64> {
            let leaf = |leaf: &Leaf| match leaf {
                Leaf::Parameter(id) => values.get(id.index()).copied().unwrap_or(0.0),
                _ => 0.0,
            };
            self.leaves.iter().map(leaf).collect()
        };
        let (leaves, rates) = (at(parameters), at(rates));
        let slope = |scaled: ScaledExpr| {
            let sound = self.fault_of(scaled).is_none();
            let program = self.expressions.get(scaled.expr.index());
            let Some(program) = program.filter(|_| sound) else {
                return f64::NAN;
            };
            let mut scratch = [0, 1].map(|_| vec![0.0; program.registers()]);
            let mut gradient = vec![0.0; program.leaves().len()];
            let [registers, adjoints] = &mut scratch;
            program.gradient(&leaves, registers, adjoints, &mut gradient);
            let parts = program.leaves().iter().zip(&gradient);
            let sum: f64 = parts.map(|(leaf, by)| by * rates[leaf.index()]).sum();
            sum * scaled.to_si
        };
        self.derived_programs().map(slope).collect()
    }

    /// For each of these numbers a size against which a change of it is small or not; `length`: the size of the mechanism
    /// \[m\].
    pub fn derived_sizes(&self, parameters: &[f64], length: f64) -> Vec<f64> {
        let of = |place: Place| if place.is_length() { length } else { 1.0 };
        let mut sizes: Vec<f64> = self.derived.iter().map(|d| of(d.place)).collect();
        let values = self.derived_values(parameters).unwrap_or_default();
        let mut values = values.into_iter().skip(self.derived.len());
        for built in &self.built {
            sizes.extend(built.sizes(&mut values, length));
        }
        sizes
    }

    /// All faults of the list.
    pub(super) fn derived_faults(&self) -> Vec<String> {
        if !self.follows_parameters() {
            return Vec::new();
        }
        // Looking up a place needs write access; large data are shared, so the copy is small.
        let mut copy = self.clone();
        let mut known = BTreeSet::new();
        let mut faults = Vec::new();
        for derived in &self.derived {
            let place = derived.place;
            let mut says = |what: String| faults.push(format!("{}: {what}", place.name(self)));
            if copy.number_at(place).is_none() {
                says(NOWHERE.to_owned());
            }
            if !known.insert(place) {
                says("two programs are for this number".to_owned());
            }
            if let Some(fault) = self.fault_of(derived.program) {
                says(fault);
            }
        }
        for built in &self.built {
            let programs = built
                .programs()
                .filter_map(|program| self.fault_of(program));
            for fault in built.fault().into_iter().chain(programs) {
                faults.push(format!("{}: {fault}", built.path));
            }
        }
        faults
    }

    /// The fault of a program for a derived number, if any.
    fn fault_of(&self, scaled: ScaledExpr) -> Option<String> {
        let Some(program) = self.expressions.get(scaled.expr.index()) else {
            let count = self.expressions.len();
            return Some(format!(
                "its program is expression {}; there are {count}",
                scaled.expr.index()
            ));
        };
        if !program.is_sound() {
            let text = "its program reads a register that is not written before it";
            return Some(text.to_owned());
        }
        for leaf in program.leaves() {
            let read = match self.leaves.get(leaf.index()) {
                Some(Leaf::Parameter(id)) => self.parameters.get(id.index()),
                _ => None,
            };
            let Some(read) = read else {
                return Some("its program may read parameters only".to_owned());
            };
            if read.tunable {
                return Some(format!(
                    "its program reads parameter {:?}, which is tunable; geometry and initial conditions are \
                     settled before the run: valid is a parameter that is not tunable",
                    read.quantity.name
                ));
            }
        }
        None
    }

    /// For each parameter, whether any derived number depends on it.
    pub fn derives_from(&self) -> Vec<bool> {
        let mut read = vec![false; self.parameters.len()];
        for scaled in self.derived_programs() {
            let program = self.expressions.get(scaled.expr.index());
            for leaf in program.iter().flat_map(|program| program.leaves()) {
                if let Some(Leaf::Parameter(id)) = self.leaves.get(leaf.index())
                    && let Some(read) = read.get_mut(id.index())
                {
                    *read = true;
                }
            }
        }
        read
    }
}

/// The fault of a place that does not exist.
const NOWHERE: &str = "the mechanism has no such number";
