//! Control plane: finds the variables that form one array in FMI 3.0.
//!
//! The table holds scalars, `gains[1]`, `gains[2]`, …, as FMI 2.0 shows them. Neighbours that are counted from 1
//! without a gap, and agree in everything except name, start and place, form one array in FMI 3.0. Its name is theirs
//! without the index, its value reference that of its first element.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Variable, VariableKind, VariableTable};

/// An array of FMI 3.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Name, without indices.
    pub name: String,
    /// Value reference: position of the first element.
    pub first: u32,
    /// Number of elements.
    pub length: u32,
}

/// The arrays of a table, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrays(Vec<Array>);

impl Arrays {
    /// The arrays of a table.
    pub fn of(table: &VariableTable) -> Self {
        let variables = &table.variables;
        let taken: BTreeSet<&str> = variables.iter().map(|v| v.name.as_str()).collect();
        let mut known = BTreeSet::new();
        let mut arrays = Vec::new();
        let mut at = 0;
        while at < variables.len() {
            let length = length(&variables[at..]);
            if let Some((name, _)) = element(&variables[at].name)
                && length > 0
                && !taken.contains(name)
                && known.insert(name)
            {
                arrays.push(Array {
                    name: name.to_owned(),
                    first: at as u32,
                    length: length as u32,
                });
            }
            at += length.max(1);
        }
        Self(arrays)
    }

    /// All arrays.
    pub fn iter(&self) -> impl Iterator<Item = &Array> {
        self.0.iter()
    }

    /// The array that a position belongs to.
    pub fn find(&self, position: u32) -> Option<&Array> {
        let after = self.0.partition_point(|array| array.first <= position);
        let array = self.0.get(after.checked_sub(1)?)?;
        (position < array.first + array.length).then_some(array)
    }

    /// The value reference under which FMI 3.0 has a position.
    pub fn reference(&self, position: u32) -> u32 {
        self.find(position).map_or(position, |array| array.first)
    }

    /// The value references of FMI 3.0 for positions, each once, in order.
    pub fn references<'p>(&self, positions: impl IntoIterator<Item = &'p u32>) -> Vec<u32> {
        let all = positions.into_iter().map(|p| self.reference(*p) as usize);
        let all: BTreeSet<usize> = all.collect();
        all.into_iter().map(|reference| reference as u32).collect()
    }
}

/// Number of variables, from the first on, that are elements of one array.
fn length(variables: &[Variable]) -> usize {
    let Some(first) = variables.first() else {
        return 0;
    };
    let Some((name, 1)) = element(&first.name) else {
        return 0;
    };
    let next = |(at, other): &(usize, &Variable)| {
        element(&other.name) == Some((name, *at as u32 + 1)) && alike(first, other)
    };
    variables.iter().enumerate().take_while(next).count()
}

/// Name and index of an element: `gains[2]`.
pub fn element(name: &str) -> Option<(&str, u32)> {
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let plain = !array.is_empty() && !index.starts_with(['0', '+']);
    index.parse().ok().filter(|_| plain).map(|k| (array, k))
}

/// May two numbers be elements of one array?
fn alike(a: &Variable, b: &Variable) -> bool {
    let (
        VariableKind::Real {
            unit,
            display_unit,
            min,
            max,
            ..
        },
        VariableKind::Real {
            unit: b_unit,
            display_unit: b_display,
            min: b_min,
            max: b_max,
            ..
        },
    ) = (&a.kind, &b.kind)
    else {
        return false;
    };
    (unit, display_unit, min, max) == (b_unit, b_display, b_min, b_max)
        && a.description == b.description
        && a.causality == b.causality
        && a.variability == b.variability
        && a.initial == b.initial
}
