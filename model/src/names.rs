//! Control plane: the entities of a model by name, including those that are otherwise broken.

use super::errors::{At, Report, does_not_exist, quote};
use super::plan::{self, Plan};
use super::read::Item;
use super::schema::{Document, Joint};
use crate::expr::CONSTANTS;
use crate::expr::suggest::hint;
use crate::limits::NAME_BYTES;
use fixstep_kernel::ids::{
    ArrayId, BodyId, CouplerId, CurveId, EquationId, ForceId, GeneralId, GroupId, InputId, JointId,
    MarkerId, MotionId, ParameterId, RoadId, SampledId, SensorId, SplineId, TextId, VariableId,
};
use fixstep_variables::naming::RESERVED;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::marker::PhantomData;
use std::sync::Arc;

/// The name of ground, the body, and of ground's own frame, the marker.
pub(super) const GROUND: &str = "ground";

/// Suggestions are sought among at most this many names.
pub(super) const MAX_CANDIDATES: usize = 10_000;

/// The names of one kind of entity.
#[derive(Debug)]
pub(super) struct Table<Id> {
    words: Words,
    ids: PhantomData<Id>,
}

/// Names and numbers of entities of any kind.
#[derive(Debug)]
struct Words {
    kind: &'static str,
    numbers: BTreeMap<String, usize>,
    /// Names of other entities, since users write, for example, a part where its marker is required.
    others: Arc<BTreeMap<String, &'static str>>,
}

impl<Id: From<usize>> Table<Id> {
    fn new(kind: &'static str) -> Self {
        let numbers = BTreeMap::new();
        Self {
            words: Words {
                kind,
                numbers,
                others: Arc::default(),
            },
            ids: PhantomData,
        }
    }

    /// The entity of a name.
    pub(super) fn get(&self, name: &str) -> Option<Id> {
        self.words.get(name).map(Id::from)
    }

    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.words.names()
    }

    /// The entity with a name, or the message about it.
    pub(super) fn find(&self, name: &str) -> Result<Id, String> {
        self.words.find(name).map(Id::from)
    }

    /// Adds the names of a list whose entities count from `first`.
    fn add<T>(&mut self, items: &[Item<T>], first: usize, report: &mut Report) {
        for (k, item) in items.iter().enumerate() {
            if let Some(name) = &item.name {
                self.words.add((name, &item.at), first + k, report);
            }
        }
    }

    /// Adds a name, unless another entity has it; returns its number.
    fn offer(&mut self, name: String, number: usize) -> usize {
        self.words.offer(name, number)
    }
}

impl Words {
    fn get(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }

    fn find(&self, name: &str) -> Result<usize, String> {
        self.get(name).ok_or_else(|| {
            let told = does_not_exist(self.kind, name);
            let other = self.others.get(name).filter(|other| **other != self.kind);
            if let Some(other) = other {
                let remedy = match (self.kind, *other) {
                    ("marker", "part") => ": a marker on it belongs here",
                    ("part", "marker") => ": the part that it is on belongs here",
                    _ => "",
                };
                return format!("{told}; {} is a {other}{remedy}", quote(name));
            }
            if self.numbers.is_empty() {
                return format!("{told}; the model has no {}s", self.kind);
            }
            told + &hint(name, self.names().take(MAX_CANDIDATES))
        })
    }

    fn add(&mut self, (name, at): (&str, &At), number: usize, report: &mut Report) {
        if let Some(fault) = name_fault(name) {
            report.add(&at.field("name"), fault);
        }
        // The first entity keeps the name, so that references are checked against it.
        match self.numbers.entry(name.to_owned()) {
            Entry::Vacant(free) => {
                free.insert(number);
            }
            Entry::Occupied(_) => {
                let remedy = if name == GROUND {
                    "ground is always there: leave this one out"
                } else {
                    "each needs a name of its own"
                };
                let message = format!(
                    "another {} is called {} too; {remedy}",
                    self.kind,
                    quote(name)
                );
                report.add(&at.field("name"), message);
                report.lose(self.kind);
            }
        }
    }

    fn offer(&mut self, name: String, number: usize) -> usize {
        *self.numbers.entry(name).or_insert(number)
    }
}

/// The fault of a name by itself.
pub(super) fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        Some("the name is empty".to_owned())
    } else if name.len() > NAME_BYTES {
        Some(format!(
            "the name has {} bytes; valid: at most {NAME_BYTES}",
            name.len()
        ))
    } else if name.trim() != name {
        Some(format!(
            "the name {} starts or ends with a space",
            quote(name)
        ))
    } else if name.contains(|c: char| c.is_control() || c == '\'' || c == '"') {
        Some(format!(
            "the name {} contains a quote or a control character",
            quote(name)
        ))
    } else {
        None
    }
}

/// Names that are not allowed for variables of the FMU.
pub(super) fn reserved(name: &str) -> Option<&'static str> {
    if name.eq_ignore_ascii_case("time") {
        return Some("time");
    }
    RESERVED.into_iter().find(|prefix| name.starts_with(prefix))
}

/// All names of a model.
#[derive(Debug)]
pub(super) struct Names {
    /// Ground, parts, point masses, flexible bodies.
    pub(super) bodies: Table<BodyId>,
    /// Markers, with `ground`.
    pub(super) markers: Table<MarkerId>,
    /// Joints.
    pub(super) joints: Table<JointId>,
    /// Joints of the type `point_on_curve`.
    pub(super) point_on_curves: Table<JointId>,
    /// Joints of the type `curve_on_curve`.
    pub(super) curve_on_curves: Table<JointId>,
    /// Couplers.
    pub(super) couplers: Table<CouplerId>,
    /// Gears, counted after the couplers.
    pub(super) gears: Table<CouplerId>,
    /// Names of the joints of each coupler and gear.
    pub(super) coupled: Vec<Vec<String>>,
    /// General constraints.
    pub(super) generals: Table<GeneralId>,
    /// Motions.
    pub(super) motions: Table<MotionId>,
    /// Force elements.
    pub(super) forces: Table<ForceId>,
    /// The forces that are joint friction, or may be, as far as can be seen.
    pub(super) frictions: Table<ForceId>,
    /// Inputs.
    pub(super) inputs: Table<InputId>,
    /// Parameters.
    pub(super) parameters: Table<ParameterId>,
    /// Variables, in the order of the file.
    pub(super) variables: Table<VariableId>,
    /// Differential equations.
    pub(super) equations: Table<EquationId>,
    /// Arrays of parameters.
    pub(super) arrays: Table<ArrayId>,
    /// Named texts.
    pub(super) strings: Table<TextId>,
    /// Groups of plant inputs.
    pub(super) plant_inputs: Table<GroupId>,
    /// Groups of plant outputs.
    pub(super) plant_outputs: Table<GroupId>,
    /// Sampled systems.
    pub(super) sampled: Table<SampledId>,
    /// Sensors.
    pub(super) sensors: Table<SensorId>,
    /// Splines.
    pub(super) splines: Table<SplineId>,
    /// Curves.
    pub(super) curves: Table<CurveId>,
    /// Roads.
    pub(super) roads: Table<RoadId>,
    /// Shapes that are drawn.
    shapes: Table<usize>,
    /// Names of outputs.
    pub(super) outputs: Table<usize>,
    /// Ground's own frame.
    pub(super) ground: MarkerId,
    /// The numbers of unknowns.
    pub(super) plan: Plan,
}

impl Names {
    /// Collects the names of a file and reports duplicates.
    pub(super) fn new(document: &Document, report: &mut Report) -> Self {
        let mut bodies = Table::new("part");
        bodies.offer(GROUND.to_owned(), BodyId::GROUND.index());
        bodies.add(&document.parts.0, 1, report);
        bodies.add(&document.point_masses.0, 1 + document.parts.0.len(), report);
        let first = 1 + document.parts.0.len() + document.point_masses.0.len();
        bodies.add(&document.flexible_bodies.0, first, report);
        let mut markers = Table::new("marker");
        markers.add(&document.markers.0, 0, report);
        let last = document.markers.0.len();
        let ground = MarkerId::from(markers.offer(GROUND.to_owned(), last));
        let mut names = Self {
            bodies,
            markers,
            joints: Table::new("joint"),
            point_on_curves: Table::new("point_on_curve joint"),
            curve_on_curves: Table::new("curve_on_curve joint"),
            couplers: Table::new("coupler"),
            gears: Table::new("gear"),
            coupled: coupled(document),
            generals: Table::new("general constraint"),
            motions: Table::new("motion"),
            forces: Table::new("force"),
            frictions: Table::new("joint friction"),
            inputs: Table::new("input"),
            parameters: Table::new("parameter"),
            variables: Table::new("variable"),
            equations: Table::new("differential equation"),
            arrays: Table::new("array"),
            strings: Table::new("string"),
            plant_inputs: Table::new("plant input"),
            plant_outputs: Table::new("plant output"),
            sampled: Table::new("sampled system"),
            sensors: Table::new("sensor"),
            splines: Table::new("spline"),
            curves: Table::new("curve"),
            roads: Table::new("road"),
            shapes: Table::new("shape"),
            outputs: Table::new("output"),
            ground,
            plan: Plan::new(document),
        };
        names.joints.add(&document.joints.0, 0, report);
        names.add_curve_joints(document);
        names.couplers.add(&document.couplers.0, 0, report);
        let gears = &document.gears.0;
        names.gears.add(gears, document.couplers.0.len(), report);
        names
            .generals
            .add(&document.general_constraints.0, 0, report);
        names.motions.add(&document.motions.0, 0, report);
        names.forces.add(&document.forces.0, 0, report);
        names.add_frictions(document);
        names.parameters.add(&document.parameters.0, 0, report);
        names.inputs.add(&document.inputs.0, 0, report);
        names.variables.add(&document.variables.0, 0, report);
        names
            .equations
            .add(&document.differential_equations.0, 0, report);
        names.add_data(document, report);
        add_controls(document, report);
        names.add_bristles();
        names.splines.add(&document.splines.0, 0, report);
        names.curves.add(&document.curves.0, 0, report);
        names.roads.add(&document.roads.0, 0, report);
        names.shapes.add(&document.shapes.0, 0, report);
        names.outputs.add(&document.outputs.0, 0, report);
        plan::check_names(document, report);
        check_borders(document, report);
        names.tell_apart();
        names
    }
}

/// The names that reach the border of the FMU.
fn check_borders(document: &Document, report: &mut Report) {
    let mut border = BTreeMap::new();
    check_border(&document.parameters.0, "parameter", &mut border, report);
    check_border(&document.arrays.0, "array", &mut border, report);
    check_border(&document.strings.0, "string", &mut border, report);
    check_border(&document.inputs.0, "input", &mut border, report);
    check_border(&document.variables.0, "variable", &mut border, report);
    check_border(
        &document.transfer_functions.0,
        "transfer function",
        &mut border,
        report,
    );
    check_border(
        &document.pid_controllers.0,
        "PID controller",
        &mut border,
        report,
    );
    check_border(&document.outputs.0, "output", &mut border, report);
}

/// Reports control elements that are called alike.
fn add_controls(document: &Document, report: &mut Report) {
    let document = (
        &document.linear_state_equations.0,
        &document.transfer_functions.0,
        &document.general_state_equations.0,
        &document.pid_controllers.0,
    );
    Table::<usize>::new("linear state equation").add(document.0, 0, report);
    Table::<usize>::new("transfer function").add(document.1, 0, report);
    Table::<usize>::new("general state equation").add(document.2, 0, report);
    Table::<usize>::new("PID controller").add(document.3, 0, report);
}

impl Names {
    /// Lets messages about unknown names mention other entities with that name.
    fn tell_apart(&mut self) {
        let mut kinds = BTreeMap::new();
        for words in [
            &self.forces.words,
            &self.motions.words,
            &self.joints.words,
            &self.markers.words,
            &self.bodies.words,
        ] {
            kinds.extend(words.names().map(|name| (name.to_owned(), words.kind)));
        }
        let kinds = Arc::new(kinds);
        for words in [
            &mut self.bodies.words,
            &mut self.markers.words,
            &mut self.joints.words,
            &mut self.motions.words,
            &mut self.forces.words,
        ] {
            words.others = Arc::clone(&kinds);
        }
    }

    /// Adds arrays, macros, groups of signals, and elements with memory.
    fn add_data(&mut self, document: &Document, report: &mut Report) {
        let (inputs, outputs) = (&document.plant_inputs.0, &document.plant_outputs.0);
        self.arrays.add(&document.arrays.0, 0, report);
        self.strings.add(&document.strings.0, 0, report);
        self.plant_inputs.add(inputs, 0, report);
        self.plant_outputs.add(outputs, 0, report);
        Table::<ArrayId>::new("macro").add(&document.macros.0, 0, report);
        self.sampled.add(&document.sampled_systems.0, 0, report);
        self.sensors.add(&document.sensors.0, 0, report);
    }

    /// Joint friction has a function of its own.
    fn add_frictions(&mut self, document: &Document) {
        for item in &document.forces.0 {
            let other = item.data.as_ref().is_some_and(|x| !x.is_friction());
            let id = item.name.as_ref().and_then(|name| self.forces.get(name));
            if let (Some(name), Some(id), false) = (&item.name, id, other) {
                self.frictions.offer(name.clone(), id.index());
            }
        }
    }

    /// Bristles are read as the states of differential equations are.
    fn add_bristles(&mut self) {
        for (name, id) in self.plan.bristle_names() {
            self.equations.offer(name, id.index());
        }
    }

    /// Curve joints have functions of their own.
    fn add_curve_joints(&mut self, document: &Document) {
        for (k, item) in document.joints.0.iter().enumerate() {
            let table = match &item.data {
                Some(Joint::PointOnCurve(_)) => &mut self.point_on_curves,
                Some(Joint::CurveOnCurve(_)) => &mut self.curve_on_curves,
                _ => continue,
            };
            if let Some(name) = &item.name {
                table.offer(name.clone(), k);
            }
        }
    }
}

/// The joints of each coupler and gear.
fn coupled(document: &Document) -> Vec<Vec<String>> {
    let couplers = document.couplers.0.iter();
    let couplers = couplers.map(|item| item.data.as_ref().map(|c| c.joints.clone()));
    let gears = document.gears.0.iter();
    let gears = gears.map(|item| item.data.as_ref().map(|g| g.joints.clone()));
    couplers
        .chain(gears)
        .map(Option::unwrap_or_default)
        .collect()
}

/// Parameters, inputs, variables and outputs share one namespace, with reserved names.
fn check_border<'a, T>(
    items: &'a [Item<T>],
    kind: &'static str,
    taken: &mut BTreeMap<&'a str, &'static str>,
    report: &mut Report,
) {
    for item in items {
        if let Some(name) = item.name.as_deref() {
            check_name((name, &item.at), kind, taken, report);
        }
    }
}

fn check_name<'a>(
    (name, at): (&'a str, &At),
    kind: &'static str,
    taken: &mut BTreeMap<&'a str, &'static str>,
    report: &mut Report,
) {
    let at = at.field("name");
    if let Some(word) = reserved(name) {
        let message = format!(
            "the name {} is reserved: the FMU has variables of its own called \"time\", {} ({word})",
            quote(name),
            RESERVED.map(|prefix| format!("\"{prefix}…\"")).join(", ")
        );
        report.add(&at, message);
    }
    let reads = matches!(kind, "input" | "parameter" | "variable");
    let constant = CONSTANTS
        .iter()
        .find(|(constant, _)| reads && constant.eq_ignore_ascii_case(name));
    if let Some((constant, _)) = constant {
        let message = format!(
            "the name {} is reserved: expressions read it as the constant {constant}",
            quote(name)
        );
        report.add(&at, message);
    }
    match taken.get(name) {
        Some(other) if *other != kind => {
            let message = format!(
                "the name {} is taken by a{} {other}: inputs, parameters, variables and \
                 outputs share one space of names",
                quote(name),
                if other.starts_with(['a', 'i', 'o']) {
                    "n"
                } else {
                    ""
                }
            );
            report.add(&at, message);
        }
        _ => {
            taken.insert(name, kind);
        }
    }
}
