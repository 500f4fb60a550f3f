//! Control plane: removes the names of elements from a mechanism, so that its owner can give it away.

use super::{Equation, Finding, Mechanism, NamedExpr, SensorOrigin};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

impl Mechanism {
    /// Names elements by their numbers from 1, as in `joint 3`, and removes all text about files, nodes and people.
    /// Names in the FMU are kept: inputs, outputs, parameters, arrays and texts; so is that of ground.
    #[must_use]
    pub fn without_names(mut self) -> Self {
        let findings = self.nameless_findings();
        let mut former = Former::default();
        self.description.clear();
        for (k, body) in self.bodies.iter_mut().enumerate().skip(1) {
            // Ground is the first body: the first part is number 1.
            former.number(&mut body.name, k - 1);
            if let Some(flexible) = &mut body.flexible {
                flexible.file.clear();
                let mut data = flexible.data.as_ref().clone();
                data.description.clear();
                data.sources.clear();
                for (mode, k) in data.modes.iter_mut().zip(1..) {
                    mode.label = usize::to_string(&k);
                }
                data.nodes.iter_mut().for_each(|node| node.name = None);
                let points = data.stresses.iter_mut().chain(&mut data.strains);
                points.for_each(|point| point.name.clear());
                data.loads.iter_mut().for_each(|load| load.name.clear());
                flexible.data = Arc::new(data);
            }
        }
        former.all(self.markers.iter_mut().map(|x| &mut x.name));
        former.all(self.joints.iter_mut().map(|x| &mut x.name));
        former.all(self.couplers.iter_mut().map(|x| &mut x.name));
        former.all(self.general_constraints.iter_mut().map(|x| &mut x.name));
        former.all(self.motions.iter_mut().map(|x| &mut x.name));
        former.all(self.forces.iter_mut().map(|x| &mut x.name));
        former.all(self.roads.iter_mut().map(|x| &mut x.name));
        former.all(self.variables.iter_mut().map(|x| &mut x.quantity.name));
        former.all(self.memory.sampled.iter_mut().map(|x| &mut x.name));
        let bodies = former.clone();
        for (k, sensor) in self.memory.sensors.iter_mut().enumerate() {
            match (sensor.origin, bodies.first(&sensor.name)) {
                (SensorOrigin::Linearity, Some(number)) => sensor.name = number,
                _ => former.number(&mut sensor.name, k),
            }
        }
        let equations = self.equations.iter_mut();
        former.all(equations.map(|equation| &mut equation.quantity.name));
        for equation in &mut self.equations {
            equation.label = [equation.kind.as_ref(), &equation.quantity.name].join(" ");
            equation.quantity.description.clear();
        }
        self.variables
            .iter_mut()
            .for_each(|x| x.quantity.description.clear());
        let memory = &mut self.memory;
        memory
            .sampled
            .iter_mut()
            .for_each(|x| x.description.clear());
        memory
            .sensors
            .iter_mut()
            .for_each(|x| x.description.clear());
        memory.delays.iter_mut().for_each(|x| strip(&mut x.path));
        self.values.iter_mut().for_each(|x| strip(&mut x.path));
        self.built.iter_mut().for_each(|x| strip(&mut x.path));
        self.orders.iter_mut().for_each(|x| strip(&mut x.message));
        self.findings = findings;
        self.lint.allowed.iter_mut().for_each(|allowance| {
            allowance.entities = former.numbers(&allowance.entities);
            allowance.reason.clear();
        });
        self
    }

    /// The findings from reading the model, with element numbers and without quoted text.
    fn nameless_findings(&self) -> Vec<Finding> {
        let number = |finding: &Finding| {
            let is = |name: &String| *name == finding.name;
            let forces = || self.forces.iter().position(|force| is(&force.name));
            let quantity = |named: &NamedExpr| is(&named.quantity.name);
            let variables = || self.variables.iter().position(quantity);
            let of_kind = |x: &Equation| x.kind == finding.kind && is(&x.quantity.name);
            match finding.kind.as_ref() {
                "force" => forces(),
                "variable" => variables(),
                // Ground is the first body: the first part is number 1.
                "part" => self.bodies.iter().skip(1).position(|x| is(&x.name)),
                "marker" => self.markers.iter().position(|x| is(&x.name)),
                "joint" => self.joints.iter().position(|x| is(&x.name)),
                "motion" => self.motions.iter().position(|x| is(&x.name)),
                _ => self.equations.iter().position(of_kind),
            }
        };
        let nameless = |finding: &Finding| Finding {
            name: number(finding).map_or_else(|| finding.name.clone(), |k| (k + 1).to_string()),
            what: "found where the model was packed".to_owned(),
            remedy: "ask who made the FMU".to_owned(),
            ..finding.clone()
        };
        self.findings.iter().map(nameless).collect()
    }
}

/// For each former name, the new numbers of the elements that had it.
#[derive(Clone, Default)]
struct Former(BTreeMap<String, Vec<String>>);

impl Former {
    /// Replaces a name by number k + 1.
    fn number(&mut self, name: &mut String, k: usize) {
        let number = (k + 1).to_string();
        let former = core::mem::replace(name, number.clone());
        self.0.entry(former).or_default().push(number);
    }

    /// The first new number for a name: that of a body, if one had it.
    fn first(&self, name: &str) -> Option<String> {
        self.0.get(name)?.first().cloned()
    }

    fn all<'a>(&mut self, names: impl Iterator<Item = &'a mut String>) {
        for (k, name) in names.enumerate() {
            self.number(name, k);
        }
    }

    /// All new numbers for these names; names that no element had stay.
    fn numbers(&self, names: &[String]) -> Vec<String> {
        let numbers = |name: &String| match self.0.get(name) {
            Some(numbers) => numbers.clone(),
            None => vec![name.clone()],
        };
        names.iter().flat_map(numbers).collect()
    }
}

/// Removes text in double quotes, with the blank before it.
fn strip(text: &mut String) {
    let mut left = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else if c == '"' {
            quoted = true;
            left.truncate(left.trim_end().len());
        } else {
            left.push(c);
        }
    }
    *text = left;
}

#[cfg(test)]
mod tests {
    use super::strip;
    use alloc::borrow::ToOwned;

    #[test]
    fn quoted_names_are_left_out() {
        for (text, left) in [
            ("forces[2] \"spring\": stiffness", "forces[2]: stiffness"),
            (r#"parts[0] "a\\\"b": mass"#, "parts[0]: mass"),
            ("solver.alpha", "solver.alpha"),
            ("joints[1] \"cut off", "joints[1]"),
        ] {
            let mut text = text.to_owned();
            strip(&mut text);
            assert_eq!(text, left);
        }
    }
}
