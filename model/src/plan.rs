//! Control plane: the number of unknowns of each element of a file, and their indices. They are known before any
//! expression is compiled, so that expressions may read them in any order.

use super::errors::{At, Report, quote};
use super::read::{Entity, Item};
use super::schema::{self, Document, ForceElement, Joint, Number};
use fixstep_kernel::ids::{EquationId, VariableId};
use std::collections::BTreeMap;

/// The indices of unknowns: the states of differential equations in the order of the file, then the rates of implicit
/// ones, then implicit variables, then the states of control elements, then the bristles of joint friction; the
/// states of other force elements follow.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// For each differential equation: the unknown that represents its rate, if it is implicit.
    pub(super) rates: Vec<Option<EquationId>>,
    /// For each variable of the file: its unknown, if it is implicit.
    pub(super) implicit: Vec<Option<EquationId>>,
    /// How many these are.
    pub(super) count: usize,
    /// Control elements: linear and general state equations, transfer functions, controllers.
    pub(super) controls: Vec<Control>,
    /// The control element of a name.
    by_name: BTreeMap<String, usize>,
    /// For each force: the states of its bristles.
    pub(super) bristles: Vec<Vec<EquationId>>,
    /// Forces with bristles, by name.
    rubbing: BTreeMap<String, usize>,
}

/// The indices of a control element. Its inputs and outputs are variables after those of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    /// `transfer function`.
    pub(super) kind: &'static str,
    /// Could it be read?
    pub(super) sound: bool,
    /// Does its bare name mean its first output?
    pub(super) scalar: bool,
    /// How many states, inputs and outputs.
    pub(super) sizes: Sizes,
    /// Its first state.
    state: usize,
    /// Its first input; outputs follow the inputs.
    input: usize,
}

/// How many states, inputs and outputs a control element has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) states: usize,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

impl Control {
    /// A state, counted from 0.
    pub(super) fn state(&self, k: usize) -> EquationId {
        EquationId::from(self.state + k)
    }

    /// An input, counted from 0.
    pub(super) fn input(&self, k: usize) -> VariableId {
        VariableId::from(self.input + k)
    }

    /// An output, counted from 0.
    pub(super) fn output(&self, k: usize) -> VariableId {
        VariableId::from(self.input + self.sizes.inputs + k)
    }
}

impl Plan {
    /// Counts the unknowns of a file.
    pub(super) fn new(document: &Document) -> Self {
        let mut next = document.differential_equations.0.len();
        let mut take = |wanted: bool| {
            wanted.then(|| {
                next += 1;
                EquationId::from(next - 1)
            })
        };
        let equations = document.differential_equations.0.iter();
        let rates = equations.map(|item| {
            let data = item.data.as_ref();
            take(data.is_some_and(|data| data.residual.is_some()))
        });
        let rates = rates.collect();
        let variables = document.variables.0.iter();
        let implicit = variables.map(|item| take(is_implicit(item)));
        let implicit = implicit.collect();
        let mut plan = Self {
            rates,
            implicit,
            count: 0,
            controls: Vec::new(),
            by_name: BTreeMap::new(),
            bristles: Vec::new(),
            rubbing: BTreeMap::new(),
        };
        let mut numbers = (next, document.variables.0.len());
        plan.add(&document.linear_state_equations.0, &mut numbers, linear);
        plan.add(&document.transfer_functions.0, &mut numbers, transfer);
        plan.add(&document.general_state_equations.0, &mut numbers, general);
        plan.add(&document.pid_controllers.0, &mut numbers, controller);
        plan.count = numbers.0;
        plan.add_bristles(document);
        plan
    }

    /// Adds the bristles of joint friction.
    fn add_bristles(&mut self, document: &Document) {
        for (k, item) in document.forces.0.iter().enumerate() {
            let data = item.data.as_ref();
            let joint = data.and_then(|force| force.joint_with_bristles());
            let count = joint.map_or(0, |joint| components(document, joint));
            let states = (self.count..self.count + count).map(EquationId::from);
            self.bristles.push(states.collect());
            self.count += count;
            if let (Some(name), 1..) = (&item.name, count) {
                self.rubbing.entry(name.clone()).or_insert(k);
            }
        }
    }

    /// Adds the elements of a list; `next` counts unknowns and variables.
    fn add<T: Entity>(
        &mut self,
        items: &[Item<T>],
        next: &mut (usize, usize),
        sizes: impl Fn(&T) -> (Sizes, bool),
    ) {
        for item in items {
            let (sizes, scalar) = item.data.as_ref().map(&sizes).unwrap_or_default();
            let (state, input) = *next;
            *next = (state + sizes.states, input + sizes.inputs + sizes.outputs);
            if let Some(name) = &item.name {
                let at = self.controls.len();
                self.by_name.entry(name.clone()).or_insert(at);
            }
            self.controls.push(Control {
                kind: T::KIND,
                sound: item.data.is_some(),
                scalar,
                sizes,
                state,
                input,
            });
        }
    }

    /// The control element of a name.
    pub(super) fn control(&self, name: &str) -> Option<&Control> {
        self.by_name.get(name).map(|&at| &self.controls[at])
    }

    /// The names of all control elements.
    pub(super) fn control_names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The states of a force's bristles.
    pub(super) fn bristles_of(&self, name: &str) -> impl Iterator<Item = EquationId> {
        let at = self.rubbing.get(name);
        at.into_iter()
            .flat_map(|k| self.bristles[*k].iter().copied())
    }

    /// Names of the states of bristles, for expressions: that of the element, or with a number.
    pub(super) fn bristle_names(&self) -> impl Iterator<Item = (String, EquationId)> {
        self.rubbing.iter().flat_map(|(name, k)| {
            let states = &self.bristles[*k];
            let named = move |(n, id): (usize, &EquationId)| match states.len() {
                1 => (name.clone(), *id),
                _ => (format!("{name}.{}", n + 1), *id),
            };
            states.iter().enumerate().map(named)
        })
    }
}

fn is_implicit(item: &Item<schema::VariableQuantity>) -> bool {
    let data = item.data.as_ref();
    data.is_some_and(|data| data.residual.is_some())
}

/// The sizes of a linear state equation.
pub(super) fn linear(data: &schema::LinearStateEquation) -> (Sizes, bool) {
    let rows = |matrix: &Option<Vec<Vec<Number>>>| matrix.as_ref().map(Vec::len);
    let sizes = Sizes {
        states: data.a.len(),
        inputs: data.inputs.as_ref().map_or(0, Vec::len),
        outputs: rows(&data.c).or(rows(&data.d)).unwrap_or(data.a.len()),
    };
    (sizes, false)
}

/// The sizes of a transfer function: constant zeros at the highest powers do not count.
pub(super) fn transfer(data: &schema::TransferFunction) -> (Sizes, bool) {
    let sizes = Sizes {
        states: order(&data.denominator),
        inputs: 1,
        outputs: 1,
    };
    (sizes, true)
}

/// The order of a polynomial by its coefficients.
pub(super) fn order(coefficients: &[Number]) -> usize {
    let zero = |c: &&Number| matches!(c, Number::Constant(x) if *x == 0.0);
    let zeros = coefficients.iter().rev().take_while(zero).count();
    (coefficients.len() - zeros).saturating_sub(1)
}

/// The sizes of a general state equation.
pub(super) fn general(data: &schema::GeneralStateEquation) -> (Sizes, bool) {
    let sizes = Sizes {
        states: data.states.len(),
        inputs: 0,
        outputs: data.outputs.as_ref().map_or(0, Vec::len),
    };
    (sizes, false)
}

/// The sizes of a controller: its inputs are setpoint and measured value, its outputs the output with and without
/// limits.
pub(super) fn controller(data: &schema::PidController) -> (Sizes, bool) {
    let sizes = Sizes {
        states: usize::from(data.ki.is_some()) + usize::from(data.kd.is_some()),
        inputs: 2,
        outputs: 2,
    };
    (sizes, true)
}

/// Components of the slip in a joint of this name.
fn components(document: &Document, joint: &str) -> usize {
    let named = |item: &&Item<Joint>| item.name.as_deref() == Some(joint);
    let item = document.joints.0.iter().find(named);
    match item.and_then(|item| item.data.as_ref()) {
        Some(Joint::Revolute(_) | Joint::Translational(_)) => 1,
        Some(Joint::Cylindrical(_) | Joint::Universal(_) | Joint::Hooke(_)) => 2,
        Some(Joint::Spherical(_)) => 3,
        _ => 0,
    }
}

/// All unknowns are FMU variables named `equations.NAME.…`, so their elements share one namespace. So do arrays,
/// which ARYVAL reads like control elements.
pub(super) fn check_names(document: &Document, report: &mut Report) {
    let mut names = UsedNames {
        taken: BTreeMap::new(),
        report,
    };
    names.check_all(&document.differential_equations.0);
    for item in document.variables.0.iter().filter(|item| is_implicit(item)) {
        names.check("implicit variable", item.name.as_deref(), &item.at);
    }
    names.check_all(&document.linear_state_equations.0);
    names.check_all(&document.transfer_functions.0);
    names.check_all(&document.general_state_equations.0);
    names.check_all(&document.pid_controllers.0);
    names.check_all(&document.arrays.0);
    for item in &document.forces.0 {
        if let Some(ForceElement::Tyre(_)) = item.data {
            names.check("tyre", item.name.as_deref(), &item.at);
        }
        let data = item.data.as_ref();
        if data.is_some_and(|data| data.joint_with_bristles().is_some()) {
            names.check("joint friction", item.name.as_deref(), &item.at);
        }
    }
}

/// Names with the kinds that have taken them.
struct UsedNames<'a> {
    taken: BTreeMap<String, &'static str>,
    report: &'a mut Report,
}

impl UsedNames<'_> {
    fn check_all<T: Entity>(&mut self, items: &[Item<T>]) {
        for item in items {
            self.check(T::KIND, item.name.as_deref(), &item.at);
        }
    }

    fn check(&mut self, kind: &'static str, name: Option<&str>, at: &At) {
        let Some(name) = name else { return };
        match self.taken.insert(name.to_owned(), kind) {
            Some(other) if other != kind => {
                let message = format!("the name {} is taken by a {other}", quote(name));
                self.report.add(&at.field("name"), message);
            }
            _ => {}
        }
    }
}
