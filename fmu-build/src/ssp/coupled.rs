//! Control plane: the FMUs of a system as one slave, whose variables are called `component.variable`.
//!
//! Before each communication step every connected input gets the value that its output had at the end of the step
//! before; then every component makes the step. No component sees the unfinished step of another, so their order has
//! no effect.

use model_description::parse::{Causality, DefaultExperiment, Description, Dimension, Type, Unit};
use model_description::ssp::{Connection, Port, System};

use crate::client::{Fmu, Instance};
use crate::slave::{
    Advance, Failure, LogLevel, Message, Slave, Value, find, is_numeric, read_values,
};
use crate::suggest::unknown;

/// The FMUs of a system, instantiated and connected.
pub struct Coupled<'a> {
    description: Description,
    names: Vec<&'a str>,
    parts: Vec<Instance<'a>>,
    /// First variable of each component.
    firsts: Vec<usize>,
    wires: Vec<Wire>,
}

/// A connection.
struct Wire {
    /// Component and variable.
    from: (usize, usize),
    /// Component and variable.
    to: (usize, usize),
    kind: Type,
    factor: f64,
    offset: f64,
    /// The value at the last communication point.
    value: f64,
}

/// Connections and parameters, found in the descriptions of the components; none of their code has run.
pub(super) struct Plan {
    wires: Vec<Wire>,
    /// Component, variable and values of each parameter.
    settings: Vec<(usize, usize, Vec<Value>)>,
}

impl Plan {
    /// Resolves all connections and parameter values, or reports those that are impossible.
    pub(super) fn new(
        system: &System,
        fmus: &[Fmu],
        settings: &[(usize, String, String)],
    ) -> Result<Self, Failure> {
        let names: Vec<&str> = names(system).collect();
        let wire = |connection: &Connection| {
            let from = end(&names, fmus, &connection.from, Causality::Output)?;
            let to = end(&names, fmus, &connection.to, Causality::Input)?;
            Ok(Wire {
                from,
                to,
                kind: fmus[to.0].description().variables[to.1].kind,
                factor: connection.factor,
                offset: connection.offset,
                value: 0.0,
            })
        };
        let setting = |(at, name, text): &(usize, String, String)| {
            let description = fmus[*at].description();
            let found = named(names[*at], find(description, name))?;
            let known = &description.variables[found];
            let values = read_values(description, (known, None), text);
            Ok((*at, found, named(names[*at], values)?))
        };
        Ok(Self {
            wires: system
                .connections
                .iter()
                .map(wire)
                .collect::<Result<_, _>>()?,
            settings: settings.iter().map(setting).collect::<Result<_, _>>()?,
        })
    }
}

/// The names of the components.
fn names(system: &System) -> impl Iterator<Item = &str> {
    system.components.iter().map(|it| it.name.as_str())
}

impl<'a> Coupled<'a> {
    /// Makes an instance of every component and sets its parameters.
    pub(super) fn new(
        system: &'a System,
        fmus: &'a [Fmu],
        plan: Plan,
        talk: LogLevel,
    ) -> Result<Self, Failure> {
        let names: Vec<&str> = names(system).collect();
        let Plan { wires, settings } = plan;
        let (description, firsts) = description(system, fmus, &wires);
        let mut parts = Vec::new();
        for (fmu, name) in fmus.iter().zip(&names) {
            parts.push(named(name, fmu.instantiate(name, talk))?);
        }
        let mut refused = Vec::new();
        for (at, variable, values) in settings {
            let set = named(names[at], parts[at].set(variable, &values));
            refused.extend(set.err().map(|Failure(reason)| reason));
        }
        if !refused.is_empty() {
            return Err(Failure(refused.join("\n")));
        }
        Ok(Self {
            description,
            names,
            parts,
            firsts,
            wires,
        })
    }

    /// Component and variable of a variable of the whole.
    fn place(&self, variable: usize) -> (usize, usize) {
        let part = self.firsts.partition_point(|first| *first <= variable) - 1;
        (part, variable - self.firsts[part])
    }

    /// Does something with every component.
    fn each(
        &mut self,
        mut body: impl FnMut(&mut Instance<'a>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for (name, part) in self.names.iter().zip(&mut self.parts) {
            named(name, body(part))?;
        }
        Ok(())
    }

    /// Stores the present values of all connected outputs.
    fn take(&mut self) -> Result<(), Failure> {
        let mut values = Vec::new();
        for wire in &mut self.wires {
            let (part, variable) = wire.from;
            values.clear();
            named(
                self.names[part],
                self.parts[part].read(variable, &mut values),
            )?;
            let [value] = values[..] else {
                return Err(Failure("a connected output is not one number".to_owned()));
            };
            wire.value = value * wire.factor + wire.offset;
        }
        Ok(())
    }

    /// Sets all connected inputs to the stored values.
    fn give(&mut self) -> Result<(), Failure> {
        for wire in &self.wires {
            let (part, variable) = wire.to;
            let value = match wire.kind {
                Type::Float32 | Type::Float64 => Value::Real(wire.value),
                Type::Boolean => Value::Boolean(wire.value != 0.0),
                _ => Value::Integer(wire.value.round() as i64),
            };
            named(self.names[part], self.parts[part].set(variable, &[value]))?;
        }
        Ok(())
    }
}

impl Slave for Coupled<'_> {
    fn description(&self) -> &Description {
        &self.description
    }

    fn set(&mut self, variable: usize, values: &[Value]) -> Result<(), Failure> {
        let (part, variable) = self.place(variable);
        named(self.names[part], self.parts[part].set(variable, values))
    }

    fn read(&mut self, variable: usize, into: &mut Vec<f64>) -> Result<(), Failure> {
        let (part, variable) = self.place(variable);
        named(self.names[part], self.parts[part].read(variable, into))
    }

    fn read_text(&mut self, variable: usize, into: &mut Vec<String>) -> Result<(), Failure> {
        let (part, variable) = self.place(variable);
        named(self.names[part], self.parts[part].read_text(variable, into))
    }

    fn enter_initialization(&mut self, start: f64, stop: Option<f64>) -> Result<(), Failure> {
        self.each(|part| part.enter_initialization(start, stop))
    }

    /// Sets inputs to the connected outputs at the start. If these depend on inputs in turn, a path of several
    /// components takes one round for each.
    fn exit_initialization(&mut self) -> Result<(), Failure> {
        for _ in 0..self.parts.len() {
            self.take()?;
            self.give()?;
        }
        self.each(Instance::exit_initialization)?;
        self.take()
    }

    /// Ends where the first component ends.
    fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure> {
        self.give()?;
        let mut advance = Advance::Done;
        self.each(|part| {
            if let Advance::Ended { at } = part.step(time, step)? {
                let first = match advance {
                    Advance::Ended { at: known } => known.min(at),
                    Advance::Done => at,
                };
                advance = Advance::Ended { at: first };
            }
            Ok(())
        })?;
        self.take()?;
        Ok(advance)
    }

    fn terminate(&mut self) -> Result<(), Failure> {
        self.each(Instance::terminate)
    }

    fn messages(&mut self) -> Vec<Message> {
        let mut all = Vec::new();
        for (name, part) in self.names.iter().zip(&mut self.parts) {
            for mut message in part.messages() {
                message.text = format!("{name}: {}", message.text);
                all.push(message);
            }
        }
        all
    }
}

/// A failure says in which component it was.
fn named<T>(name: &str, result: Result<T, Failure>) -> Result<T, Failure> {
    result.map_err(|Failure(reason)| Failure(format!("component \"{name}\": {reason}")))
}

/// Component and variable of one end of a connection.
fn end(
    names: &[&str],
    fmus: &[Fmu],
    (component, variable): &Port,
    causality: Causality,
) -> Result<(usize, usize), Failure> {
    let at = names.iter().position(|name| name == component);
    let at = at.ok_or_else(|| Failure(unknown("component", component, names.iter().copied())))?;
    let description = fmus[at].description();
    let found = named(component, find(description, variable))?;
    let known = &description.variables[found];
    let one = known.dimensions.is_empty() && is_numeric(known);
    if known.causality != causality || !one {
        return Err(Failure(format!(
            "component \"{component}\": \"{variable}\" is no {causality:?} that is one number, and cannot be connected so"
        )));
    }
    Ok((at, found))
}

/// Adds the units of a component, and how they are displayed, to those that are known.
fn add_units(all: &mut Vec<Unit>, own: &[Unit]) {
    for unit in own {
        match all.iter_mut().find(|known| known.name == unit.name) {
            None => all.push(unit.clone()),
            Some(known) => {
                for display in &unit.display_units {
                    if known.display_units.iter().all(|it| it.name != display.name) {
                        known.display_units.push(display.clone());
                    }
                }
            }
        }
    }
}

/// The description of the whole system, and where the variables of each component begin.
fn description(system: &System, fmus: &[Fmu], wires: &[Wire]) -> (Description, Vec<usize>) {
    let mut whole = fmus[0].description().clone();
    whole.name.clone_from(&system.name);
    whole.description.clone_from(&system.description);
    whole.variables.clear();
    whole.types.clear();
    whole.outputs.clear();
    whole.initial_unknowns.clear();
    whole.units.clone_from(&system.units);
    whole.co_simulation = None;
    whole.default_experiment = DefaultExperiment {
        start: system.start,
        stop: system.stop,
        ..DefaultExperiment::default()
    };
    let mut firsts = Vec::new();
    let mut taken = 0;
    for (part, (component, fmu)) in system.components.iter().zip(fmus).enumerate() {
        let own = fmu.description();
        add_units(&mut whole.units, &own.units);
        let full = |name: &str| format!("{}.{name}", component.name);
        firsts.push(whole.variables.len());
        for definition in &own.types {
            let mut definition = definition.clone();
            definition.name = full(&definition.name);
            whole.types.push(definition);
        }
        let mut last = 0;
        for (at, variable) in own.variables.iter().enumerate() {
            let mut variable = variable.clone();
            last = last.max(variable.reference);
            variable.reference += taken;
            variable.name = full(&variable.name);
            variable.declared_type = full(&variable.declared_type);
            for dimension in &mut variable.dimensions {
                if let Dimension::Variable(reference) = dimension {
                    *reference += taken;
                }
            }
            if wires.iter().any(|wire| wire.to == (part, at)) {
                // Others set it.
                variable.causality = Causality::Local;
            }
            whole.variables.push(variable);
        }
        taken += last + 1;
        let step = own.default_experiment.step;
        let known = &mut whole.default_experiment.step;
        *known = match (*known, step) {
            (Some(known), Some(step)) => Some(known.min(step)),
            (known, step) => known.or(step),
        };
    }
    (whole, firsts)
}
