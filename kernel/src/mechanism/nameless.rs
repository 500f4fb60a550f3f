//! Control plane: a mechanism without the names of its elements, for who gives it away.

use super::{Allowance, Mechanism, SensorOrigin};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

impl Mechanism {
    /// Elements are called by their numbers from 1, as in `joint 3`, and nothing tells of files, nodes or people. What
    /// the FMU shows keeps its names: inputs, outputs, parameters, arrays and texts; so does ground.
    #[must_use]
    pub fn without_names(mut self) -> Self {
        let mut former = Former::default();
        self.description.clear();
        for (k, body) in self.bodies.iter_mut().enumerate().skip(1) {
            // Ground is the first: the first part is number 1.
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
        self.orders.iter_mut().for_each(|x| strip(&mut x.message));
        self.lint.allowed = former.allowances(&self.lint.allowed);
        self.findings.clear();
        self
    }
}

/// The numbers that elements of a name have got.
#[derive(Clone, Default)]
struct Former(BTreeMap<String, Vec<String>>);

impl Former {
    /// Number k + 1 instead of a name.
    fn number(&mut self, name: &mut String, k: usize) {
        let number = (k + 1).to_string();
        let former = core::mem::replace(name, number.clone());
        self.0.entry(former).or_default().push(number);
    }

    /// The first that was given: that of a body, if there is one of the name.
    fn first(&self, name: &str) -> Option<String> {
        self.0.get(name)?.first().cloned()
    }

    fn all<'a>(&mut self, names: impl Iterator<Item = &'a mut String>) {
        for (k, name) in names.enumerate() {
            self.number(name, k);
        }
    }

    /// What the lint was told of elements by their names, by their numbers.
    fn allowances(&self, allowed: &[Allowance]) -> Vec<Allowance> {
        let mut all = Vec::new();
        for allowance in allowed {
            let with = |entity: Option<String>| Allowance {
                rule: allowance.rule,
                entity,
                reason: String::new(),
            };
            match &allowance.entity {
                None => all.push(with(None)),
                Some(name) => {
                    let numbers = self.0.get(name).into_iter().flatten();
                    all.extend(numbers.map(|number| with(Some(number.clone()))));
                }
            }
        }
        all
    }
}

/// Leaves out what stands in double quotes, with the blank before it.
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
