//! Control plane: names, types and values of variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use fixstep_variables::{Arrays, Causality, Variability, Variable, VariableKind, VariableTable};
use fmu_build::suggest::unknown;
use pyo3::prelude::*;

use crate::errors::{Fault, Kind};

/// A variable: name, causality, variability, type, unit, display unit, start value, bounds, description.
pub(crate) type Described = (
    String,
    &'static str,
    &'static str,
    &'static str,
    String,
    String,
    Start,
    (Option<f64>, Option<f64>),
    String,
);

/// A start value.
#[derive(Clone, Debug, IntoPyObject)]
pub(crate) enum Start {
    /// A number.
    Real(f64),
    /// A whole number.
    Integer(i64),
    /// Yes or no.
    Boolean(bool),
    /// A text, or an item of an enumeration.
    Text(String),
}

/// All variables of a table.
pub(crate) fn describe(table: &VariableTable) -> Vec<Described> {
    table.variables.iter().map(described).collect()
}

fn described(variable: &Variable) -> Described {
    let causality = match variable.causality {
        Causality::Independent => "independent",
        Causality::Parameter => "parameter",
        Causality::Input => "input",
        Causality::Output => "output",
        Causality::Local => "local",
    };
    let variability = match variable.variability {
        Variability::Fixed => "fixed",
        Variability::Tunable => "tunable",
        Variability::Discrete => "discrete",
        Variability::Continuous => "continuous",
        Variability::Constant => "constant",
    };
    let none = (String::new(), String::new());
    let (kind, (unit, display), start, bounds) = match &variable.kind {
        VariableKind::Real {
            unit,
            display_unit,
            min,
            max,
            start,
        } => {
            let units = (unit.clone(), display_unit.clone());
            ("real", units, Start::Real(*start), (*min, *max))
        }
        VariableKind::Integer { min, max, start } => {
            let bounds = (min.map(f64::from), max.map(f64::from));
            let start = Start::Integer(i64::from(*start));
            ("integer", none, start, bounds)
        }
        VariableKind::Boolean { start } => ("boolean", none, Start::Boolean(*start), (None, None)),
        VariableKind::String { start } => {
            let start = Start::Text(start.clone());
            ("string", none, start, (None, None))
        }
        VariableKind::Enumeration { of, start } => {
            let item = usize::try_from(*start - 1).ok();
            let item = item.and_then(|at| of.items().get(at));
            let start = Start::Text(item.map_or_else(String::new, |item| item.0.to_owned()));
            ("enumeration", none, start, (None, None))
        }
    };
    (
        variable.name.clone(),
        causality,
        variability,
        kind,
        unit,
        display,
        start,
        bounds,
        variable.description.clone(),
    )
}

/// Variables by name: positions in the table.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) table: VariableTable,
    /// What identifies the model of the table.
    token: Arc<str>,
    by_name: BTreeMap<String, Vec<u32>>,
}

impl Names {
    pub(crate) fn of(table: VariableTable, token: &str) -> Self {
        let all = table.variables.iter().zip(0_u32..);
        let mut by_name: BTreeMap<String, Vec<u32>> = all
            .map(|(variable, at)| (variable.name.clone(), vec![at]))
            .collect();
        for array in Arrays::of(&table).iter() {
            let elements = array.first..array.first + array.length;
            by_name.insert(array.name.clone(), elements.collect());
        }
        Self {
            table,
            token: Arc::from(token),
            by_name,
        }
    }

    /// The positions of a variable, or of the elements of an array.
    pub(crate) fn find(&self, name: &str) -> Result<&[u32], Fault> {
        let found = self.by_name.get(name).map(Vec::as_slice);
        found.ok_or_else(|| {
            let names = self.by_name.keys().map(String::as_str);
            Kind::Name.fault(unknown("variable", name, names))
        })
    }

    /// Is it a real number?
    pub(crate) fn is_real(&self, at: u32) -> bool {
        let variable = self.table.variables.get(at as usize);
        variable.is_some_and(|variable| matches!(variable.kind, VariableKind::Real { .. }))
    }

    /// The same, if all are real numbers.
    pub(crate) fn reals(&self, name: &str) -> Result<&[u32], Fault> {
        let found = self.find(name)?;
        if found.iter().all(|at| self.is_real(*at)) {
            return Ok(found);
        }
        Err(Kind::General.fault(format!(
            "variable \"{name}\" is no real number; valid in an array: real numbers. simulation[\"{name}\"] reads it"
        )))
    }

    /// A handle of several names.
    pub(crate) fn handle(&self, names: &[String]) -> Result<Handle, Fault> {
        let mut references = Vec::new();
        let mut all = Vec::new();
        for name in names {
            for at in self.reals(name)? {
                references.push(*at);
                all.push(self.table.variables[*at as usize].name.clone());
            }
        }
        Ok(Handle {
            references,
            names: all,
            token: Arc::clone(&self.token),
        })
    }

    /// The positions of a handle, if it is one of this model.
    pub(crate) fn own<'a>(&self, handle: &'a Handle) -> Result<&'a [u32], Fault> {
        if Arc::ptr_eq(&self.token, &handle.token) || self.token == handle.token {
            return Ok(&handle.references);
        }
        Err(Kind::General.fault(
            "the handle is that of a simulation of another model; valid: simulation.handle(...) of this one",
        ))
    }
}

/// Variables that are read or set together, the elements of arrays one after another.
#[pyclass(frozen, module = "fixstep._fixstep")]
pub(crate) struct Handle {
    references: Vec<u32>,
    names: Vec<String>,
    token: Arc<str>,
}

#[pymethods]
impl Handle {
    /// The names, in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn __len__(&self) -> usize {
        self.references.len()
    }

    fn __repr__(&self) -> String {
        format!("Handle({})", self.names.join(", "))
    }
}
