//! Checks the model structure: outputs, initial unknowns, dependencies.

use std::collections::{BTreeMap, BTreeSet};

use super::variables::effective_initial;
use super::{Report, Subject};
use crate::parse::{Causality, FmiVersion, Initial, Variable};
use crate::tree::Element;

/// When dependencies hold.
#[derive(Clone, Copy)]
enum Moment {
    AfterStep,
    Start,
}

/// A list of unknowns of the structure.
struct List<'a> {
    /// The element that holds them, for messages about the list.
    holder: &'a Element,
    unknowns: Vec<&'a Element>,
}

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let structure = subject.root.child("ModelStructure");
    let Some(structure) = structure else {
        return;
    };
    let list = |v2: &str, v3: &str| match (subject.version, structure.child(v2)) {
        (FmiVersion::V2, Some(holder)) => List {
            holder,
            unknowns: holder.children.iter().collect(),
        },
        (FmiVersion::V2, None) => List {
            holder: structure,
            unknowns: Vec::new(),
        },
        (FmiVersion::V3, _) => List {
            holder: structure,
            unknowns: structure
                .children
                .iter()
                .filter(|child| child.name == v3)
                .collect(),
        },
    };
    let index = Index::of(subject, structure);
    let outputs = list("Outputs", "Output");
    let initial = list("InitialUnknowns", "InitialUnknown");
    check_outputs(subject, &index, &outputs, report);
    check_initial(subject, &index, &initial, report);
    let derivatives = list("Derivatives", "ContinuousStateDerivative");
    for element in derivatives.unknowns {
        let numbered = number(element, subject.version);
        let known = numbered.is_some_and(|it| index.derivative_of.contains_key(&it));
        if !known {
            report.error(element, "", "its variable has no attribute derivative");
        }
        dependencies(subject, &index, element, Moment::AfterStep, report);
    }
}

/// The variables with which the lists are compared. Numbers are indices from 1 in FMI 2, value references in FMI 3.
struct Index<'a> {
    variables: BTreeMap<u32, &'a Variable>,
    clocked: BTreeSet<u32>,
    /// Variables with a previous value.
    discrete_states: BTreeSet<u32>,
    /// State of a derivative.
    derivative_of: BTreeMap<u32, u32>,
    /// States and derivatives that the structure exposes.
    exposed: BTreeSet<u32>,
    states: BTreeSet<u32>,
}

impl<'a> Index<'a> {
    fn of(subject: &Subject<'a>, structure: &Element) -> Self {
        let mut index = Self {
            variables: BTreeMap::new(),
            clocked: BTreeSet::new(),
            discrete_states: BTreeSet::new(),
            derivative_of: BTreeMap::new(),
            exposed: BTreeSet::new(),
            states: BTreeSet::new(),
        };
        for (position, (element, variable)) in (1..).zip(subject.variables()) {
            let number = match subject.version {
                FmiVersion::V2 => position,
                FmiVersion::V3 => variable.reference,
            };
            index.variables.insert(number, variable);
            if subject.attribute(element, "clocks").is_some() {
                index.clocked.insert(number);
            }
            let referred = |name| subject.attribute(element, name)?.parse::<u32>().ok();
            if let Some(state) = referred("derivative") {
                index.derivative_of.insert(number, state);
                index.states.insert(state);
            }
            if let Some(previous) = referred("previous") {
                index.discrete_states.extend([number, previous]);
            }
        }
        let derivatives = structure
            .all("ContinuousStateDerivative")
            .chain(structure.children_of("Derivatives"));
        for derivative in derivatives.filter_map(|it| number(it, subject.version)) {
            index.exposed.insert(derivative);
            index.exposed.extend(index.derivative_of.get(&derivative));
        }
        index
    }

    /// Is a variable given rather than computed? After a step, inputs, states, time and parameters are given; in the
    /// initialization, inputs, time and exact start values.
    fn is_known(&self, moment: Moment, variable: &Variable, number: u32) -> bool {
        use Causality as C;
        let given = match moment {
            Moment::AfterStep => {
                let causality = variable.causality;
                matches!(causality, C::Input | C::Parameter | C::StructuralParameter)
                    || self.discrete_states.contains(&number)
            }
            Moment::Start => effective_initial(variable) == Some(Initial::Exact),
        };
        given || variable.causality == C::Independent || self.states.contains(&number)
    }

    /// Must the variable be an initial unknown?
    fn is_initial_unknown(&self, variable: &Variable, number: u32) -> bool {
        let computed = matches!(
            effective_initial(variable),
            Some(Initial::Approx | Initial::Calculated)
        );
        let output = variable.causality == Causality::Output && !self.clocked.contains(&number);
        variable.causality == Causality::CalculatedParameter
            || computed && (output || self.exposed.contains(&number))
    }
}

/// The number of an unknown.
fn number(element: &Element, version: FmiVersion) -> Option<u32> {
    let attribute = match version {
        FmiVersion::V2 => "index",
        FmiVersion::V3 => "valueReference",
    };
    element.attribute(attribute)?.parse().ok()
}

/// The numbers of a list; reports duplicates and numbers that name no variable.
fn numbers(
    subject: &Subject<'_>,
    index: &Index<'_>,
    list: &List<'_>,
    report: &mut Report,
) -> BTreeSet<u32> {
    let mut seen = BTreeSet::new();
    for element in &list.unknowns {
        let Some(number) = number(element, subject.version) else {
            continue;
        };
        if !seen.insert(number) {
            report.error(element, "", "appears twice in the list");
        }
        if !index.variables.contains_key(&number) {
            report.error(element, "", "there is no such variable");
        }
    }
    seen
}

fn check_outputs(subject: &Subject<'_>, index: &Index<'_>, list: &List<'_>, report: &mut Report) {
    let listed = numbers(subject, index, list, report);
    for (number, variable) in &index.variables {
        if variable.causality == Causality::Output && !listed.contains(number) {
            let message = format!(
                "output \"{}\" is missing in the list of outputs",
                variable.name
            );
            report.error(list.holder, "", message);
        }
    }
    for element in &list.unknowns {
        let variable = number(element, subject.version).and_then(|it| index.variables.get(&it));
        if let Some(variable) = variable
            && variable.causality != Causality::Output
        {
            let message = format!("\"{}\" is not an output", variable.name);
            report.error(element, "", message);
        }
        if element.attribute("dependencies").is_none() {
            let message = "is left out, so the output counts as depending on every input: masters \
                           see algebraic loops";
            report.warning(element, "dependencies", message);
        }
        dependencies(subject, index, element, Moment::AfterStep, report);
    }
}

fn check_initial(subject: &Subject<'_>, index: &Index<'_>, list: &List<'_>, report: &mut Report) {
    let listed = numbers(subject, index, list, report);
    for (number, variable) in &index.variables {
        if index.is_initial_unknown(variable, *number) && !listed.contains(number) {
            let message = format!("\"{}\" is missing in the initial unknowns", variable.name);
            report.error(list.holder, "", message);
        }
    }
    let mut last = 0;
    for element in &list.unknowns {
        let Some(number) = number(element, subject.version) else {
            continue;
        };
        let variable = index.variables.get(&number);
        if let Some(variable) = variable
            && !index.is_initial_unknown(variable, number)
        {
            let message = format!("\"{}\" is not unknown in the initialization", variable.name);
            report.error(element, "", message);
        }
        if subject.version == FmiVersion::V2 && number < last {
            report.error(
                element,
                "index",
                "initial unknowns stand in ascending order",
            );
        }
        last = number;
        dependencies(subject, index, element, Moment::Start, report);
    }
}

/// Dependencies name knowns, with as many kinds.
fn dependencies(
    subject: &Subject<'_>,
    index: &Index<'_>,
    element: &Element,
    moment: Moment,
    report: &mut Report,
) {
    let list = element.attribute("dependencies");
    let kinds = element.attribute("dependenciesKind");
    let count = |text: &str| text.split_whitespace().count();
    if let Some(kinds) = kinds
        && list.map(count) != Some(count(kinds))
    {
        let message = "must have as many entries as dependencies";
        report.error(element, "dependenciesKind", message);
    }
    let mut last = None;
    for number in list
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|it| it.parse().ok())
    {
        match index.variables.get(&number) {
            None => {
                let message = format!("there is no variable {number}");
                report.error(element, "dependencies", message);
            }
            Some(variable) if !index.is_known(moment, variable, number) => {
                let message = format!(
                    "{number} is \"{}\", which is itself computed: only inputs, time, states and \
                     what has an exact start can be depended on",
                    variable.name
                );
                report.error(element, "dependencies", message);
            }
            Some(_) => {}
        }
        if subject.version == FmiVersion::V2 && last.is_some_and(|last| number <= last) {
            report.error(
                element,
                "dependencies",
                "stand in ascending order, each once",
            );
        }
        last = Some(number);
    }
}
