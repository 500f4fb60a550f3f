//! Control plane: checks of one access to one variable, and the message if it is refused.

use super::mode::{Mode, Modes, NONE, Rule, SETTABLE, START, TUNABLE, Version};
use super::status::Refusal;
use core::ops::Range;
use fixstep_kernel::ids::InputId;
use fixstep_kernel::mechanism::SolverSettings;
use fixstep_variables::{
    Array, Arrays, Causality, Setting, Slot, Variability, Variable, VariableKind, VariableTable,
};

/// Types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Real / Float64.
    Real,
    /// Integer / Int32.
    Integer,
    /// Boolean.
    Boolean,
    /// String.
    String,
    /// Integer / Int64.
    Enumeration,
}

impl Kind {
    /// Name of the type in the functions of a version.
    pub const fn name(self, version: Version) -> &'static str {
        match (self, version) {
            (Self::Real, Version::Fmi2) => "Real",
            (Self::Real, Version::Fmi3) => "Float64",
            (Self::Integer | Self::Enumeration, Version::Fmi2) => "Integer",
            (Self::Integer, Version::Fmi3) => "Int32",
            (Self::Enumeration, Version::Fmi3) => "Int64",
            (Self::Boolean, _) => "Boolean",
            (Self::String, _) => "String",
        }
    }
}

/// The data that get and set need about a variable, without its texts.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Where the value lives.
    pub slot: Slot,
    /// Type.
    pub kind: Kind,
    /// Where it may be set.
    pub settable: Modes,
    /// Lower bound of numbers.
    pub min: f64,
    /// Upper bound of numbers.
    pub max: f64,
    /// Number of values that FMI 3.0 has under this reference: the length of an array, 1 for a scalar, 0 for an array
    /// element except the first.
    pub size: u32,
}

impl Access {
    /// That of a variable, with the size of a scalar.
    pub fn of(variable: &Variable) -> Self {
        let (kind, min, max) = match &variable.kind {
            VariableKind::Real { min, max, .. } => (Kind::Real, *min, *max),
            VariableKind::Integer { min, max, .. } => {
                (Kind::Integer, min.map(f64::from), max.map(f64::from))
            }
            VariableKind::Boolean { .. } => (Kind::Boolean, None, None),
            VariableKind::String { .. } => (Kind::String, None, None),
            VariableKind::Enumeration { of, .. } => {
                (Kind::Enumeration, Some(1.0), Some(of.items().len() as f64))
            }
        };
        let settable = match (variable.causality, variable.variability) {
            (Causality::Input, _) => SETTABLE,
            (Causality::Parameter, Variability::Tunable) => TUNABLE,
            (Causality::Parameter, _) => START,
            _ => NONE,
        };
        Self {
            slot: variable.slot,
            kind,
            settable,
            min: min.unwrap_or(f64::NEG_INFINITY),
            max: max.unwrap_or(f64::INFINITY),
            size: 1,
        }
    }

    /// May it be set while the simulation runs, although it is not an input?
    pub fn is_calibrated(&self) -> bool {
        self.settable == TUNABLE
            && matches!((self.kind, self.slot), (Kind::Real, Slot::Parameter(_)))
    }
}

/// The variables of an instance, by value reference.
#[derive(Clone, Debug)]
pub struct Accesses {
    list: Vec<Access>,
    table: VariableTable,
    arrays: Arrays,
    /// Inputs with their places in the table.
    inputs: Vec<(u32, InputId)>,
    /// For each value reference of FMI 3.0, those on which it depends in a step and at the start.
    dependencies: Vec<[Box<[u32]>; 2]>,
}

impl Accesses {
    /// The accesses of a table.
    pub fn new(table: VariableTable) -> Self {
        let mut list: Vec<Access> = table.variables.iter().map(Access::of).collect();
        let arrays = Arrays::of(&table);
        for array in arrays.iter() {
            let first = array.first as usize;
            for access in &mut list[first..first + array.length as usize] {
                access.size = 0;
            }
            list[first].size = array.length;
        }
        let input = |(at, access): (usize, &Access)| match access.slot {
            Slot::Input(input) => Some((at as u32, input)),
            _ => None,
        };
        let inputs = list.iter().enumerate().filter_map(input).collect();
        let dependencies = (0..table.variables.len())
            .map(|at| dependencies(&table, &arrays, at..at + list[at].size as usize))
            .collect();
        Self {
            list,
            table,
            arrays,
            inputs,
            dependencies,
        }
    }

    /// The value references on which one of FMI 3.0 depends, in a step or at the start.
    pub fn dependencies(
        &self,
        rule: Rule,
        reference: u32,
        at_start: bool,
    ) -> Result<&[u32], Refusal> {
        self.elements(rule, reference)?;
        let known = self.dependencies.get(reference as usize);
        Ok(known.map_or(&[], |known| &known[usize::from(at_start)]))
    }

    /// The positions in the table for a value reference: the elements of an array of FMI 3.0, otherwise one position.
    pub fn elements(&self, rule: Rule, reference: u32) -> Result<Range<u32>, Refusal> {
        let access = self.find(rule, reference)?;
        let size = match rule.version {
            Version::Fmi2 => 1,
            Version::Fmi3 => access.size,
        };
        if size == 0 {
            return Err(self.inner(rule, reference));
        }
        Ok(reference..reference.saturating_add(size))
    }

    /// The variable of a value reference if it has one value of this type. Nearly all calls are of this kind and need
    /// no further checks.
    #[inline]
    pub fn single(&self, rule: Rule, reference: u32, kind: Kind) -> Option<&Access> {
        let access = self.list.get(reference as usize)?;
        let alone = access.size == 1 || rule.version == Version::Fmi2;
        (alone && access.kind == kind).then_some(access)
    }

    /// The slots of value references, the elements of arrays one after another. Invalid references are left out,
    /// since a call is checked before.
    pub fn slots<'a>(
        &'a self,
        rule: Rule,
        references: &'a [u32],
    ) -> impl Iterator<Item = Slot> + Clone + 'a {
        let elements = move |reference: &u32| self.elements(rule, *reference).unwrap_or(0..0);
        let positions = references.iter().flat_map(elements);
        positions.filter_map(|at| self.list.get(at as usize).map(|access| access.slot))
    }

    /// Checks that there are as many values as the value references require. `name` is the argument that counts them.
    pub fn check_size(
        &self,
        rule: Rule,
        references: &[u32],
        (name, values): (&str, usize),
    ) -> Result<(), Refusal> {
        let mut needed = 0;
        for &reference in references {
            let access = self.list.get(reference as usize);
            needed += match access.filter(|access| access.size == 1) {
                Some(_) => 1,
                None => self.elements(rule, reference)?.len(),
            };
        }
        if needed == values {
            return Ok(());
        }
        Err(self.missized(rule, references, (name, values), needed))
    }

    /// The inputs with their places in the table.
    pub fn inputs(&self) -> &[(u32, InputId)] {
        &self.inputs
    }

    /// The variables themselves.
    pub fn table(&self) -> &VariableTable {
        &self.table
    }

    /// The variable of a value reference.
    pub fn find(&self, rule: Rule, reference: u32) -> Result<Access, Refusal> {
        self.get(reference)
            .ok_or_else(|| self.unknown(rule, reference))
    }

    /// The variable of a value reference, if there is one.
    pub fn get(&self, reference: u32) -> Option<Access> {
        self.list.get(reference as usize).copied()
    }

    /// The variable of a value reference, if it has one of these types.
    pub fn typed(&self, rule: Rule, reference: u32, kinds: &[Kind]) -> Result<Access, Refusal> {
        let access = self.find(rule, reference)?;
        if kinds.contains(&access.kind) {
            Ok(access)
        } else {
            Err(self.mistyped(rule, reference, access))
        }
    }

    /// The same, if it may be set in this mode.
    pub fn settable(
        &self,
        rule: Rule,
        reference: u32,
        kinds: &[Kind],
        mode: Mode,
    ) -> Result<Access, Refusal> {
        let access = self.typed(rule, reference, kinds)?;
        if access.settable.contains(mode) {
            Ok(access)
        } else {
            Err(self.locked(rule, reference, access, mode))
        }
    }

    /// Is a number finite and within the limits, except for rounding?
    pub fn in_range(
        &self,
        rule: Rule,
        reference: u32,
        access: Access,
        value: f64,
    ) -> Result<(), Refusal> {
        let fits = || {
            matches!(access.slot, Slot::Setting(Setting::Alpha)) && fault(access, value).is_none()
        };
        if access.holds(access.meant(value)) || fits() {
            Ok(())
        } else {
            Err(self.out_of_range(rule, reference, access, value))
        }
    }

    /// `variable 3 "solver.fixit"`
    pub fn label(&self, reference: u32) -> String {
        let name = self.table.variables.get(reference as usize);
        let name = name.map_or("", |variable| variable.name.as_str());
        format!("variable {reference} \"{name}\"")
    }

    #[cold]
    fn inner(&self, rule: Rule, reference: u32) -> Refusal {
        let (array, first) = match self.arrays.find(reference) {
            Some(array) => (array.name.as_str(), array.first),
            None => ("", reference),
        };
        Refusal::error(format!(
            "{}: value reference {reference} is element {} of the array \"{array}\"; use the array's, \
             {first}",
            rule.function,
            reference - first + 1
        ))
    }

    #[cold]
    fn missized(
        &self,
        rule: Rule,
        references: &[u32],
        (counter, values): (&str, usize),
        needed: usize,
    ) -> Refusal {
        let n = references.len();
        let mut arrays = references.iter().filter_map(|r| self.arrays.find(*r));
        let example = arrays.next().map_or_else(String::new, |array| {
            let Array { name, length, .. } = array;
            format!(", \"{name}\" among them has {length}")
        });
        Refusal::error(format!(
            "{}: {counter} is {values}, but the {n} value references given need {needed}{example}",
            rule.function
        ))
    }

    #[cold]
    fn unknown(&self, rule: Rule, reference: u32) -> Refusal {
        Refusal::error(format!(
            "{}: value reference {reference} is unknown; valid are 0 to {}",
            rule.function,
            self.list.len().saturating_sub(1)
        ))
    }

    #[cold]
    fn mistyped(&self, rule: Rule, reference: u32, access: Access) -> Refusal {
        let verb = &rule.function[..rule.function.len().min("fmi2Get".len())];
        let kind = access.kind.name(rule.version);
        Refusal::error(format!(
            "{}: {} is of type {kind}; use {verb}{kind}",
            rule.function,
            self.label(reference)
        ))
    }

    #[cold]
    fn locked(&self, rule: Rule, reference: u32, access: Access, mode: Mode) -> Refusal {
        let what = match self.table.variables.get(reference as usize) {
            Some(v) => format!(
                "causality {:?}, variability {:?}",
                v.causality, v.variability
            ),
            None => String::new(),
        };
        let valid = if access.settable == NONE {
            "it is computed and can never be set".to_owned()
        } else {
            format!("it may be set in: {}", access.settable)
        };
        Refusal::error(format!(
            "{}: {} ({}) may not be set in the state \"{mode}\"; {valid}",
            rule.function,
            self.label(reference),
            what.to_lowercase()
        ))
    }

    #[cold]
    fn out_of_range(&self, rule: Rule, reference: u32, access: Access, value: f64) -> Refusal {
        if let Some(fault) = fault(access, value) {
            let label = self.label(reference);
            let text = format!("{}: {label}: {fault}", rule.function);
            return access.refusal(value, text);
        }
        let limits = match (access.min.is_finite(), access.max.is_finite()) {
            (true, true) => format!("from {} to {}", access.min, access.max),
            (true, false) => format!("of {} or more", access.min),
            (false, true) => format!("of {} or less", access.max),
            (false, false) => "that is finite".to_owned(),
        };
        let unit = match self
            .table
            .variables
            .get(reference as usize)
            .map(|v| &v.kind)
        {
            Some(VariableKind::Real { unit, .. }) if !unit.is_empty() => format!(" [{unit}]"),
            _ => String::new(),
        };
        let text = format!(
            "{}: {} cannot be {value}; it takes a number {limits}{unit}",
            rule.function,
            self.label(reference)
        );
        access.refusal(value, text)
    }
}

/// The fault of a number for a setting of the solver, in the same words as in a model.
fn fault(access: Access, value: f64) -> Option<String> {
    let Slot::Setting(setting) = access.slot else {
        return None;
    };
    SolverSettings::fault(setting.name().strip_prefix("solver.")?, value)
}

/// The dependencies of some neighbouring variables, in a step and at the start.
fn dependencies(table: &VariableTable, arrays: &Arrays, at: Range<usize>) -> [Box<[u32]>; 2] {
    let all = &table.variables[at];
    let step = all.iter().flat_map(|variable| &variable.dependencies);
    let start = all
        .iter()
        .flat_map(|variable| &variable.initial_dependencies);
    [arrays.references(step), arrays.references(start)].map(Vec::into_boxed_slice)
}
