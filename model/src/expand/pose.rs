//! Control plane: where an instance is: a position and axes in the axes of what it is in.

use super::body::Entity;
use super::instance::stands_in_part;
use super::orientation::{self, axes, vector, vector_node};
use super::{Context, mirror, place};
use crate::errors::{At, Report, quote};
use crate::measure;
use crate::text::{Kind, Mark, Node};
use fixstep_kernel::math::{Mat3, Vec3};
use std::collections::BTreeMap;

/// A pose.
#[derive(Clone, Debug, Default)]
pub(super) struct Pose {
    position: [f64; 3],
    /// The axes as columns, and as the instance gives them; `None`: not turned.
    axes: Option<(Mat3, Node)>,
}

impl Pose {
    /// A pose of numbers: the axes as columns, and as they are given.
    pub(super) fn new(position: [f64; 3], axes: Option<(Mat3, Node)>) -> Self {
        Self { position, axes }
    }

    /// The pose of an instance, or of the second of a pair, the mirror image of the first; `None` after a report.
    pub(super) fn of(item: &Node, image: bool, at: &At, context: &mut Context<'_>) -> Option<Self> {
        let mut item = item.clone();
        lengths(&mut item, at, context)?;
        if image {
            mirror::frame(&mut item);
        }
        let position = match item.get("position") {
            None => [0.0; 3],
            Some(node) => {
                let found = vector(node);
                if found.is_none() {
                    let message = format!("expected three numbers, found {}", node.to_value());
                    context
                        .report
                        .add(&at.field("position").marked(node.mark), message);
                }
                found?
            }
        };
        let axes = match item.get("orientation") {
            None => None,
            Some(node) => Some((axes(node, position, at, context)?, node.clone())),
        };
        Some(Self { position, axes })
    }

    /// Does it move anything?
    pub(super) fn moves(&self) -> bool {
        self.position != [0.0; 3] || self.axes.is_some()
    }

    /// The same pose, given in the axes of another, in those of the other's surroundings.
    pub(super) fn within(self, outer: &Self) -> Self {
        let position = outer.moved(self.position);
        let axes = match (&outer.axes, self.axes) {
            (None, None) => None,
            (None, Some((matrix, given))) if given.get("z_point").is_none() => {
                Some((matrix, given))
            }
            (Some((matrix, given)), None) if given.get("z_point").is_none() => {
                Some((*matrix, given.clone()))
            }
            (outer, own) => {
                let mark = own.as_ref().or(outer.as_ref()).map(|(_, given)| given.mark);
                let matrix = |axes: Option<&(Mat3, Node)>| {
                    axes.map_or_else(Mat3::identity, |(matrix, _)| *matrix)
                };
                let product = matrix(outer.as_ref()) * matrix(own.as_ref());
                let mark = mark.unwrap_or(Mark::new(0, 0));
                Some((product, orientation::points(&product, position, mark)))
            }
        };
        Self { position, axes }
    }

    /// Moves the entities of an instance.
    pub(super) fn apply(&self, entities: &mut [Entity], context: &mut Context<'_>) {
        let points: Vec<String> = entities
            .iter()
            .filter(|entity| entity.list == "point_masses")
            .map(|entity| entity.name().to_owned())
            .collect();
        for entity in entities {
            match entity.list.as_str() {
                "parts" | "point_masses" | "flexible_bodies" => self.body(entity, context),
                "markers" | "shapes" if entity.floating => self.frame(entity, context),
                "markers" | "shapes"
                    if (entity.list == "markers" || stands_in_part(entity))
                        && entity
                            .text("part")
                            .is_some_and(|part| points.iter().any(|p| p == part)) =>
                {
                    // The axes of a point mass are those of ground.
                    let turned = Self {
                        position: [0.0; 3],
                        axes: self.axes.clone(),
                    };
                    turned.frame(entity, context);
                }
                _ => {}
            }
        }
    }

    fn body(&self, entity: &mut Entity, context: &mut Context<'_>) {
        let at = here(entity);
        if entity.list == "point_masses" {
            self.place(&mut entity.node, &at, context);
        } else {
            self.frame(entity, context);
        }
        let Some((matrix, _)) = &self.axes else {
            return;
        };
        for field in ["velocity", "angular_velocity"] {
            let Some(node) = entity.node.get_mut(field) else {
                continue;
            };
            let turned = turned(node, matrix, [0.0; 3]);
            match turned {
                Some(turned) => *node = turned,
                None => refuse(field, node, &at, context),
            }
        }
        let exact = entity
            .node
            .get("assembly")
            .and_then(|assembly| assembly.get("exact"));
        if let Some(exact) =
            exact.filter(|exact| exact.as_list().is_some_and(|list| !list.is_empty()))
        {
            let message = "exact coordinates are those of ground, and the instance is turned: leave them out, or turn the \
                           instance's template instead";
            context
                .report
                .add(&at.field("assembly.exact").marked(exact.mark), message);
        }
    }

    /// Moves position and orientation of a frame.
    fn frame(&self, entity: &mut Entity, context: &mut Context<'_>) {
        let at = here(entity);
        let node = &mut entity.node;
        let origin = node.get("position").map_or(Some([0.0; 3]), vector);
        if let Some(orientation) = node.get_mut("orientation") {
            self.turn(orientation, origin, &at, context);
        } else if let Some((matrix, given)) = &self.axes {
            let by_points = given.get("z_point").is_some();
            let mut own = given.clone();
            if by_points {
                let moved = self.moved(origin.unwrap_or_default());
                own = orientation::points(matrix, moved, node.mark);
            }
            node.set("orientation", own);
        }
        self.place(node, &at, context);
    }

    /// Moves a position.
    fn place(&self, node: &mut Node, at: &At, context: &mut Context<'_>) {
        let mark = node.mark;
        match node.get_mut("position") {
            None if self.position == [0.0; 3] => {}
            None => node.set("position", vector_node(self.position, mark)),
            Some(position) => match self.point(position) {
                Some(moved) => *position = moved,
                None => refuse("position", &position.clone(), at, context),
            },
        }
    }

    fn turn(
        &self,
        orientation: &mut Node,
        origin: Option<[f64; 3]>,
        at: &At,
        context: &mut Context<'_>,
    ) {
        if orientation.get("z_point").is_some() {
            if let (Some(_), Some(origin)) = (&self.axes, origin) {
                orientation::choose(orientation, origin);
            }
            for key in ["z_point", "x_point"] {
                if let Some(point) = orientation.get_mut(key) {
                    match self.point(point) {
                        Some(moved) => *point = moved,
                        None => refuse(key, &point.clone(), at, context),
                    }
                }
            }
            return;
        }
        let Some((matrix, given)) = &self.axes else {
            return;
        };
        if let Some(angles) = about_z(given, orientation) {
            orientation.set("euler", angles);
            return;
        }
        let Some(origin) = origin else { return };
        if let Some(own) = axes(orientation, origin, at, context) {
            *orientation =
                orientation::points(&(matrix * own), self.moved(origin), orientation.mark);
        }
    }

    fn matrix(&self) -> Mat3 {
        self.axes
            .as_ref()
            .map_or_else(Mat3::identity, |(matrix, _)| *matrix)
    }

    fn moved(&self, point: [f64; 3]) -> [f64; 3] {
        sum(self.position, &self.matrix(), point)
    }

    /// A point, moved; `None`: it is not three numbers.
    fn point(&self, node: &Node) -> Option<Node> {
        match &self.axes {
            Some((matrix, _)) => turned(node, matrix, self.position),
            None => shifted(node, self.position),
        }
    }
}

/// The place of an entity.
fn here(entity: &Entity) -> At {
    let list = &entity.list;
    place(list, list.strip_suffix('s').unwrap_or(list), &entity.node)
}

/// Resolves the units of the position and the angles of an instance; `None` after a report.
fn lengths(item: &mut Node, at: &At, context: &mut Context<'_>) -> Option<()> {
    let mut part = Node::new(Kind::Object(Vec::new()), item.mark);
    for key in ["position", "orientation"] {
        if let Some(node) = item.get(key) {
            part.set(key, node.clone());
        }
    }
    let list = Node::new(Kind::List(vec![part]), item.mark);
    let mut model = Node::new(Kind::Object(Vec::new()), item.mark);
    model.set("parts", list);
    let mut report = Report::default();
    measure::resolve(&mut model, &context.units, &mut report);
    if let Some(errors) = report.finish() {
        // What is wrong is the pose of the instance, and not that of a part.
        for error in errors.0 {
            let field = error.path.split_once('.').map_or("", |(_, field)| field);
            let mark = item.find(field);
            context
                .report
                .add(&at.field(field).marked(mark), error.message);
        }
        return None;
    }
    if let Some(part) = model
        .get("parts")
        .and_then(Node::as_list)
        .and_then(|l| l.first())
    {
        for key in ["position", "orientation"] {
            if let Some(node) = part.get(key) {
                item.set(key, node.clone());
            }
        }
    }
    Some(())
}

/// p + R x, as decimals mean it.
fn sum(p: [f64; 3], r: &Mat3, x: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| {
        let terms = [p[i], r[(i, 0)] * x[0], r[(i, 1)] * x[1], r[(i, 2)] * x[2]];
        let largest = terms
            .iter()
            .fold(0.0_f64, |most, term| most.max(term.abs()));
        measure::digits(terms.iter().sum(), largest)
    })
}

fn turned(node: &Node, r: &Mat3, p: [f64; 3]) -> Option<Node> {
    vector(node).map(|x| vector_node(sum(p, r, x), node.mark))
}

/// A point moved without being turned. Expressions of parameters move with it.
fn shifted(node: &Node, by: [f64; 3]) -> Option<Node> {
    let items = node.as_list().filter(|items| items.len() == 3)?;
    let mut moved = Vec::with_capacity(3);
    for (item, by) in items.iter().zip(by) {
        moved.push(match (item.as_f64(), item.as_str()) {
            _ if by == 0.0 => item.clone(),
            (Some(x), _) => {
                let value = measure::digits(x + by, x.abs().max(by.abs()));
                Node::number(value, item.mark)
            }
            (None, Some(text)) => {
                let expression = text.trim_start().strip_prefix('=')?;
                Node::text(format!("={by:?} + ({expression})"), item.mark)
            }
            (None, None) => return None,
        });
    }
    Some(Node::new(Kind::List(moved), node.mark))
}

/// The Euler angles of a frame that is turned about z alone.
fn about_z(given: &Node, own: &Node) -> Option<Node> {
    let by = vector(given.get("euler")?)?;
    let angles = vector(own.get("euler")?)?;
    if by[1] != 0.0 {
        return None;
    }
    let psi = measure::digits(
        by[0] + by[2] + angles[0],
        by[0].abs().max(by[2].abs()).max(angles[0].abs()),
    );
    Some(vector_node([psi, angles[1], angles[2]], own.mark))
}

fn refuse(field: &str, node: &Node, at: &At, context: &mut Context<'_>) {
    let message = format!(
        "an instance with a pose moves this, which therefore must be numbers; found {}",
        quote(&node.to_value().to_string())
    );
    context
        .report
        .add(&at.field(field).marked(node.mark), message);
}

/// Gives floating markers whose part is among these entities a place on it.
pub(super) fn settle(entities: &mut [Entity], context: &mut Context<'_>) {
    if !entities.iter().any(|entity| entity.floating) {
        return;
    }
    let mut bodies: BTreeMap<String, Node> = BTreeMap::new();
    for entity in entities.iter() {
        if ["parts", "point_masses", "flexible_bodies"].contains(&entity.list.as_str()) {
            bodies.insert(entity.name().to_owned(), entity.node.clone());
        }
    }
    for entity in entities {
        let body = entity.text("part").and_then(|part| bodies.get(part));
        if let (true, Some(body)) = (entity.floating, body) {
            entity.floating = false;
            onto(entity, body, context);
        }
    }
}

/// Turns the frame of a floating marker into one in the axes of its part.
fn onto(entity: &mut Entity, body: &Node, context: &mut Context<'_>) {
    let at = here(entity);
    if let Some(node) = entity.node.get("node") {
        let message = "a marker on a node belongs where the flexible body is, not in a template that has the body as a port";
        context
            .report
            .add(&at.field("node").marked(node.mark), message);
        return;
    }
    let name = body.get("name").and_then(Node::as_str).unwrap_or_default();
    if body.get("orientation").is_none()
        && let Some(position) = behind(entity.node.get("position"), body)
    {
        entity.node.set("position", position);
        return;
    }
    let Some(origin) = body.get("position").map_or(Some([0.0; 3]), vector) else {
        let message = format!(
            "a template puts this marker on the part {} by a port: the part's position must be numbers, or, if the part has no \
             orientation, expressions too",
            quote(name)
        );
        context.report.add(&at.field("part"), message);
        return;
    };
    let turn = match body.get("orientation") {
        None => None,
        Some(orientation) => match axes(orientation, origin, &at, context) {
            Some(matrix) => Some(matrix.transpose()),
            None => return,
        },
    };
    let back = inverse(origin, turn, entity.node.mark);
    let position = entity.node.get("position").cloned();
    if position.is_none() {
        entity
            .node
            .set("position", vector_node([0.0; 3], entity.node.mark));
    }
    back.frame(entity, context);
}

/// A point less the position of a body that is not turned, where that has expressions of parameters.
fn behind(point: Option<&Node>, body: &Node) -> Option<Node> {
    let origin = body.get("position")?;
    if vector(origin).is_some() {
        return None;
    }
    let origin = origin.as_list().filter(|items| items.len() == 3)?;
    let zero = vector_node([0.0; 3], body.mark);
    let point = point.unwrap_or(&zero);
    let items = point.as_list().filter(|items| items.len() == 3)?;
    let operand = |node: &Node| match (node.as_f64(), node.as_str()) {
        (Some(x), _) => Some(format!("({x:?})")),
        (None, Some(text)) => Some(format!("({})", text.trim_start().strip_prefix('=')?)),
        (None, None) => None,
    };
    let mut left = Vec::with_capacity(3);
    for (item, by) in items.iter().zip(origin) {
        left.push(match (item.as_f64(), by.as_f64()) {
            (_, Some(0.0)) => item.clone(),
            (Some(x), Some(by)) => {
                let value = measure::digits(x - by, x.abs().max(by.abs()));
                Node::number(value, item.mark)
            }
            _ => Node::text(format!("={} - {}", operand(item)?, operand(by)?), item.mark),
        });
    }
    Some(Node::new(Kind::List(left), point.mark))
}

/// The pose that undoes an origin and axes.
fn inverse(origin: [f64; 3], turn: Option<Mat3>, mark: Mark) -> Pose {
    let by = Vec3::from(origin);
    match turn {
        None => Pose {
            position: [-by[0], -by[1], -by[2]].map(|x| if x == 0.0 { 0.0 } else { x }),
            axes: None,
        },
        Some(matrix) => {
            let position = sum([0.0; 3], &matrix, [-by[0], -by[1], -by[2]]);
            let node = orientation::points(&matrix, position, mark);
            Pose {
                position,
                axes: Some((matrix, node)),
            }
        }
    }
}
