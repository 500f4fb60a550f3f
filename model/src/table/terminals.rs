//! Control plane: terminals: groups of variables that belong together at one place of the mechanism.
//!
//! There are two kinds, both found from the mechanism:
//!
//! - variables whose names begin alike: `hinge.fx`, `hinge.fy` of a request, `axle.torque` and `axle.speed` if the
//!   user names them so, the poses of a body, value and count of a sensor;
//! - variables of one element: the inputs that a force or motion reads, its loads, and measures between its markers:
//!   `forces.drive`, `motions.crank`, `joints.hinge`.

use std::collections::BTreeMap;

use fixstep_kernel::ids::{ExprId, InputId, MarkerId};
use fixstep_kernel::mechanism::{EnergySource, Held, Leaf, Mechanism, ReactionSource};
use fixstep_variables::naming::structured_name;
use fixstep_variables::{Causality, Slot, Variable, VariableTable};

/// Variables that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Name.
    pub name: String,
    /// The description, as free text; empty: none.
    pub description: String,
    /// Name of a member within the terminal, and its position in the table.
    pub members: Vec<(String, u32)>,
}

impl Terminal {
    /// The terminals of a model, by name; each has a member.
    pub fn all(model: &Mechanism, table: &VariableTable) -> Vec<Terminal> {
        let mut all: BTreeMap<String, Terminal> = BTreeMap::new();
        let mut add = |name: &str, description: &str, member: &str, at: u32| {
            let terminal = all.entry(name.to_owned()).or_insert_with(|| Terminal {
                name: name.to_owned(),
                description: description.to_owned(),
                members: Vec::new(),
            });
            let member = (member.to_owned(), at);
            if !terminal.members.contains(&member) {
                terminal.members.push(member);
            }
        };
        for (at, variable) in table.iter().filter(|(_, variable)| is_shown(variable)) {
            if let Some((terminal, member)) = split(&variable.name) {
                add(terminal, "", member, at);
            }
        }
        for element in elements(model) {
            let name = format!("{}.{}", element.list, structured_name(&element.name));
            for (at, variable) in table.iter() {
                let member = match variable.slot {
                    Slot::Input(input) => element.inputs.contains(&input),
                    Slot::Output(output) => model
                        .outputs
                        .get(output.index())
                        .is_some_and(|output| element.is_shown_by(model, output.expr)),
                    _ => false,
                };
                if member {
                    add(&name, &element.description, &variable.name, at);
                }
            }
        }
        all.into_values().collect()
    }
}

/// May the name of a variable put it into a terminal? Settings and figures of the solver are not part of the
/// mechanism.
fn is_shown(variable: &Variable) -> bool {
    match variable.slot {
        Slot::Body(..) | Slot::Held(Held::Sensor(_) | Held::Count(_) | Held::Output(..)) => true,
        _ => matches!(variable.causality, Causality::Input | Causality::Output),
    }
}

/// A name before and after its last dot outside quotes.
fn split(name: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let mut escaped = false;
    let mut dot = None;
    for (at, c) in name.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '\'' => quoted = !quoted,
            '.' if !quoted => dot = Some(at),
            _ => {}
        }
    }
    dot.map(|at| (&name[..at], &name[at + 1..]))
}

/// A force, motion or joint.
struct Element {
    list: &'static str,
    name: String,
    description: String,
    markers: (MarkerId, MarkerId),
    /// Inputs that its expressions read.
    inputs: Vec<InputId>,
    reactions: [ReactionSource; 2],
}

impl Element {
    /// Does an expression show the element alone: its load, or a measure between its markers?
    fn is_shown_by(&self, model: &Mechanism, expr: ExprId) -> bool {
        let pair = |i: MarkerId, j: MarkerId| {
            let (a, b) = self.markers;
            a != b && ((i, j) == (a, b) || (i, j) == (b, a))
        };
        let own = |leaf: &Leaf| match leaf {
            Leaf::Kinematic { i, j, .. } => pair(*i, *j),
            Leaf::Reaction { source, .. } => match source {
                ReactionSource::Between(i, j) => pair(*i, *j),
                source => self.reactions.contains(source),
            },
            Leaf::Energy { source, .. } => match (source, self.reactions[0]) {
                (EnergySource::Power(source), _) => self.reactions.contains(source),
                (
                    EnergySource::Strain(force) | EnergySource::Dissipation(force),
                    ReactionSource::Force(own, _),
                ) => *force == own,
                _ => false,
            },
            _ => false,
        };
        let leaves = leaves(model, expr);
        let mechanical = |leaf: &&&Leaf| !matches!(leaf, Leaf::Time { .. } | Leaf::Parameter(_));
        let mut mechanical = leaves.iter().filter(mechanical).peekable();
        mechanical.peek().is_some() && mechanical.all(|leaf| own(leaf))
    }
}

/// All forces, motions and joints.
fn elements(model: &Mechanism) -> Vec<Element> {
    let forces = model.forces.iter().enumerate().map(|(at, force)| {
        let of = |on_j| ReactionSource::Force(at.into(), on_j);
        Element {
            list: "forces",
            name: force.name.clone(),
            description: "Inputs and outputs of a force element".to_owned(),
            markers: (force.i, force.j),
            inputs: inputs(model, force.kind.expressions().iter().map(|(_, e)| e.expr)),
            reactions: [of(false), of(true)],
        }
    });
    let motions = model.motions.iter().enumerate().map(|(at, motion)| {
        let of = |on_j| ReactionSource::Motion(at.into(), on_j);
        Element {
            list: "motions",
            name: motion.name.clone(),
            description: "Inputs and outputs of a motion".to_owned(),
            markers: (motion.i, motion.j),
            inputs: inputs(model, [motion.function.expr]),
            reactions: [of(false), of(true)],
        }
    });
    let joints = model.joints.iter().enumerate().map(|(at, joint)| {
        let of = |on_j| ReactionSource::Joint(at.into(), on_j);
        Element {
            list: "joints",
            name: joint.name.clone(),
            description: "Outputs of a joint".to_owned(),
            markers: (joint.i, joint.j),
            inputs: Vec::new(),
            reactions: [of(false), of(true)],
        }
    });
    joints.chain(motions).chain(forces).collect()
}

/// The inputs that expressions read, themselves or through variables.
fn inputs(model: &Mechanism, exprs: impl IntoIterator<Item = ExprId>) -> Vec<InputId> {
    let mut all = Vec::new();
    for expr in exprs {
        for leaf in leaves(model, expr) {
            match leaf {
                Leaf::Input(input) if !all.contains(input) => all.push(*input),
                _ => {}
            }
        }
    }
    all
}

/// The leaves of an expression, with variables replaced by their own leaves; variables read only earlier ones.
fn leaves(model: &Mechanism, expr: ExprId) -> Vec<&Leaf> {
    let mut all = Vec::new();
    let program = model.expressions.get(expr.index());
    for leaf in program.map_or(&[][..], |program| program.leaves()) {
        match model.leaves.get(leaf.index()) {
            Some(Leaf::Variable(id)) => {
                let variable = model.variables.get(id.index());
                all.extend(variable.map_or_else(Vec::new, |v| leaves(model, v.expr)));
            }
            Some(leaf) => all.push(leaf),
            None => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn found(text: &str) -> Vec<(String, Vec<String>)> {
        let model = crate::Model::from_json(text)
            .map_err(|e| e.to_string())
            .unwrap();
        let table = crate::table::of(&model.mechanism);
        let all = Terminal::all(&model.mechanism, &table).into_iter();
        all.map(|t| (t.name, t.members.into_iter().map(|(m, _)| m).collect()))
            .collect()
    }

    #[test]
    fn names_are_split_outside_quotes() {
        assert_eq!(split("a.b.c"), Some(("a.b", "c")));
        assert_eq!(split("'a.b'"), None);
        assert_eq!(split("'a.b'.c"), Some(("'a.b'", "c")));
        assert_eq!(split(r"'a\'.b'.c[1]"), Some((r"'a\'.b'", "c[1]")));
        assert_eq!(split("plain"), None);
    }

    #[test]
    fn elements_have_what_drives_them_and_what_shows_them() {
        let text = r#"{
          "fixstep": 1, "name": "m", "inputs": [{"name": "torque"}, {"name": "unused"}],
          "variables": [{"name": "drive", "expression": "2*torque"}],
          "parts": [{"name": "rod", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
          "markers": [{"name": "a", "part": "rod"}, {"name": "b", "part": "ground"},
                      {"name": "c", "part": "ground"}],
          "joints": [{"name": "my hinge", "type": "revolute", "i": "a", "j": "b"}],
          "forces": [{"name": "motor", "type": "torque", "i": "a", "j": "b",
                      "expression": "drive - WZ(a, b)"}],
          "requests": [{"name": "hinge", "type": "joint", "of": "my hinge"},
                       {"name": "bodies", "type": "bodies", "quantities": ["velocity"]}],
          "outputs": [{"name": "angle", "expression": "-AZ(a, b)"},
                      {"name": "shaft.angle", "expression": "AZ(a, c)"},
                      {"name": "mixed", "expression": "AZ(a, b) + torque"}]}"#;
        let all = found(text);
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let wanted = [
            "bodies.rod",
            "forces.motor",
            "hinge",
            "joints.'my hinge'",
            "shaft",
        ];
        assert_eq!(names, wanted);
        assert_eq!(all[0].1, ["velocity[1]", "velocity[2]", "velocity[3]"]);
        assert_eq!(all[1].1, ["torque", "angle"]);
        assert_eq!(all[2].1, ["fm", "fx", "fy", "fz", "tm", "tx", "ty", "tz"]);
        assert_eq!(all[3].1[..2], ["angle", "hinge.fm"]);
        assert_eq!(all[4].1, ["angle"]);
    }
}
