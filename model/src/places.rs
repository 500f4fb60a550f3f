//! Control plane: where the entities of a model stand in its texts, for what is told of them after reading: warnings, and
//! why a mechanism cannot be assembled.

use crate::text::{Mark, Node, Sources};
use std::fmt;

/// The place of an entity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// `model.json:12:5`.
    pub at: String,
    /// The instances of templates around it, innermost first, a line each.
    pub within: Vec<String>,
}

/// The places of all entities of a model.
#[derive(Clone, Default)]
pub struct Places {
    tree: Option<Node>,
    sources: Sources,
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Places").finish_non_exhaustive()
    }
}

impl Places {
    pub(crate) fn new(tree: Option<Node>, sources: Sources) -> Self {
        Self { tree, sources }
    }

    /// The place of a field of a named entity: `force`, `spring`, `stiffness`. Without such a field, that of the entity.
    pub fn of(&self, kind: &str, name: &str, field: &str) -> Option<Place> {
        let lists = self.tree.as_ref()?.as_object()?.iter();
        let known = lists.filter(|list| is_kind(&list.key, kind));
        let mut items = known.flat_map(|list| list.node.as_list().unwrap_or(&[]));
        let item = items.find(|item| item.get("name").and_then(Node::as_str) == Some(name))?;
        let mark = match field {
            "" => item.mark,
            field => item.find(field),
        };
        Some(self.place(mark))
    }

    /// The place of a field of the model as a whole, such as `solver.hmax`.
    pub fn of_model(&self, path: &str) -> Option<Place> {
        let tree = self.tree.as_ref()?;
        let first = path
            .split(['.', '['])
            .next()
            .filter(|key| !key.is_empty())?;
        tree.get(first).map(|_| self.place(tree.find(path)))
    }

    /// The place of the first entity that a message names, as in `joint "hinge" cannot be closed`.
    pub fn named_in(&self, message: &str) -> Option<Place> {
        let mut rest = message;
        let mut before = String::new();
        while let Some((outside, after)) = rest.split_once('"') {
            let (name, next) = after.split_once('"')?;
            before.push_str(outside);
            let kind = before.trim_end().to_owned();
            if let Some(place) = KINDS
                .iter()
                .filter(|(word, _)| ends_with_word(&kind, word))
                .find_map(|(word, _)| self.of(word, name, ""))
            {
                return Some(place);
            }
            rest = next;
        }
        None
    }

    fn place(&self, mark: Mark) -> Place {
        Place {
            at: self.sources.say(mark),
            within: self.sources.chain(mark),
        }
    }
}

/// Does a text end with a kind of entities, as one or several: `joint`, `joints`?
fn ends_with_word(text: &str, word: &str) -> bool {
    let text = text.strip_suffix('s').unwrap_or(text);
    let Some(at) = text.len().checked_sub(word.len()) else {
        return false;
    };
    let whole = text.is_char_boundary(at) && text[at..].eq_ignore_ascii_case(word);
    whole && !text[..at].ends_with(|c: char| c.is_alphanumeric())
}

/// What messages call entities, and the lists that have them.
const KINDS: &[(&str, &[&str])] = &[
    ("part", BODIES),
    ("body", BODIES),
    ("point mass", BODIES),
    ("flexible body", BODIES),
    ("marker", &["markers"]),
    ("joint", &["joints"]),
    ("coupler", &["couplers"]),
    ("gear", &["gears"]),
    ("general constraint", &["general_constraints"]),
    ("constraint", &["general_constraints"]),
    ("motion", &["motions"]),
    ("force", &["forces"]),
    ("tyre", &["forces"]),
    ("contact", &["forces"]),
    ("bushing", &["forces"]),
    ("tendon", &["forces"]),
    ("drive", &["forces"]),
    ("input", &["inputs"]),
    ("output", &["outputs"]),
    ("parameter", &["parameters", "arrays", "strings"]),
    ("variable", &["variables"]),
    ("array", &["arrays"]),
    ("string", &["strings"]),
    ("macro", &["macros"]),
    ("spline", &["splines"]),
    ("curve", &["curves"]),
    ("road", &["roads"]),
    ("shape", &["shapes"]),
    ("request", &["requests"]),
    ("differential equation", &["differential_equations"]),
    ("linear state equation", &["linear_state_equations"]),
    ("general state equation", &["general_state_equations"]),
    ("transfer function", &["transfer_functions"]),
    ("PID controller", &["pid_controllers"]),
    ("sampled system", &["sampled_systems"]),
    ("sensor", &["sensors"]),
];

const BODIES: &[&str] = &["parts", "point_masses", "flexible_bodies"];

fn is_kind(list: &str, kind: &str) -> bool {
    let mut kinds = KINDS.iter();
    kinds.any(|(word, lists)| word.eq_ignore_ascii_case(kind) && lists.contains(&list))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use crate::Model;
    use crate::resources::none;

    const TEXT: &str = r#"{"fixstep": 1, "name": "a", "gravity": [0, 0, -9.81], "templates": [{"name": "t",
  "parts": [{"name": "p", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
  "markers": [{"name": "m", "part": "p"}],
  "joints": [{"name": "h", "type": "revolute", "i": "m", "j": "ground"}],
  "forces": [{"name": "f", "type": "torque", "i": "m", "j": "ground", "expression": "1"}]}],
 "instances": [
  {"name": "one", "template": "t"}
 ]}"#;

    #[test]
    fn entities_are_found_by_what_messages_call_them() {
        let model = Model::read_named("car.json", TEXT, &none, &[]).unwrap();
        let place = model.places.of("force", "one.f", "expression").unwrap();
        assert_eq!(place.at, "car.json:5:85");
        assert_eq!(
            place.within,
            ["in \"one\", an instance of the template \"t\", at car.json:7:3"]
        );
        let at = |text: &str| model.places.named_in(text).map(|place| place.at);
        assert_eq!(
            at("the car \"x\": Joint \"one.h\" is open").as_deref(),
            Some("car.json:4:14")
        );
        assert_eq!(
            at("of the parts \"one.p\", \"two.p\"").as_deref(),
            Some("car.json:2:13")
        );
        assert_eq!(at("joint \"one.p\" and part \"one.h\""), None);
        assert_eq!(at("an open \"quote"), None);
        let whole = model.places.of_model("gravity[2]").map(|place| place.at);
        assert_eq!(whole.as_deref(), Some("car.json:1:47"));
        assert_eq!(model.places.of_model("solver.hmax"), None);
    }
}
