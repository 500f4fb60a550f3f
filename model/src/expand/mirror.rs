//! Control plane: the mirror image of an instance: y becomes −y in the axes of its template, before its pose.
//!
//! With M = diag(1, −1, 1): points, velocities, forces and translations of mode shapes become M v; angular velocities,
//! torques and rotations −M v; orientations R become M R M, so that x and z axes mirror as vectors and y follows by the right
//! hand; inertia M J M; 6×6 matrices D K D with D = diag(1, −1, 1, −1, 1, −1). A coordinate along a joint's z axis keeps its
//! sign, one about it changes. Expressions stay as they are: they read the mirrored markers, and `side` is there for their
//! authors. Only signs change, so the mirror image of a mirror image is the original, bit for bit.

use super::body::Entity;
use super::orientation::{self, negate, negate_xz, negate_y, vector};
use super::{Context, place};
use crate::measure::coordinate_turns;
use crate::text::{Kind, Node};

/// Mirrors the entities of an instance.
pub(super) fn mirror(entities: &mut [Entity], context: &mut Context<'_>) {
    let joints: Vec<Node> = entities
        .iter()
        .filter(|entity| entity.list == "joints")
        .map(|entity| entity.node.clone())
        .collect();
    for entity in entities {
        let node = &mut entity.node;
        match entity.list.as_str() {
            "parts" | "point_masses" | "flexible_bodies" | "markers" | "shapes" => {
                frame(node);
                match entity.list.as_str() {
                    "flexible_bodies" => toggle(node, "mirrored"),
                    "shapes" => node.get_mut("shape").into_iter().for_each(look),
                    _ => {}
                }
            }
            "joints" => joint(node),
            "motions" => motion(node, &joints),
            "couplers" => coupler(node, &joints),
            "curves" => curve(node),
            "roads" => road(entity, context),
            "forces" => force(node, &joints),
            _ => {}
        }
    }
}

/// A body, a marker, or the pose of an instance.
pub(super) fn frame(node: &mut Node) {
    let origin = node.get("position").and_then(vector).unwrap_or_default();
    if let Some(axes) = node.get_mut("orientation") {
        orientation::mirror(axes, origin);
    }
    for field in ["position", "velocity", "center_of_mass"] {
        negate_y(node.get_mut(field));
    }
    negate_xz(node.get_mut("angular_velocity"));
    if let Some(inertia) = node.get_mut("inertia") {
        for field in ["xy", "yz"] {
            change(inertia, field);
        }
    }
    solids(node);
}

/// The solids of a part.
fn solids(node: &mut Node) {
    let Some(Kind::List(solids)) = node.get_mut("solids").map(|solids| &mut solids.value) else {
        return;
    };
    for solid in solids {
        frame(solid);
        if solid.get("type").and_then(Node::as_str) == Some("mesh") {
            toggle(solid, "mirrored");
        }
    }
}

/// Changes the sign of a field.
fn change(node: &mut Node, field: &str) {
    node.get_mut(field).into_iter().for_each(negate);
}

/// Turns a field that is false by default.
fn toggle(node: &mut Node, field: &str) {
    let is = matches!(
        node.get(field).map(|flag| &flag.value),
        Some(Kind::Bool(true))
    );
    if is {
        node.take(field);
    } else {
        let mark = node.mark;
        node.set(field, Node::new(Kind::Bool(true), mark));
    }
}

fn joint(node: &mut Node) {
    match node.get("type").and_then(Node::as_str) {
        Some("screw") => change(node, "pitch"),
        Some("rack_and_pinion") => change(node, "diameter"),
        _ => {}
    }
    if let Some(initial) = node.get_mut("initial") {
        change(initial, "angle");
        change(initial, "angular_velocity");
    }
}

/// What a motion drives is a function of time, inputs and parameters: it reads no marker that is mirrored by itself.
fn motion(node: &mut Node, joints: &[Node]) {
    let changes = match node.get("direction").and_then(Node::as_str) {
        Some("y" | "b1" | "b3") => true,
        Some("x" | "z" | "b2") => false,
        _ => coordinate_turns(node, joints).unwrap_or(false),
    };
    if changes {
        for field in [
            "displacement",
            "velocity",
            "acceleration",
            "initial_displacement",
            "initial_velocity",
        ] {
            change(node, field);
        }
    }
}

/// Rotations change their signs and translations do not, so the ratios between them change.
fn coupler(node: &mut Node, joints: &[Node]) {
    let names: Vec<Node> = node
        .get("joints")
        .and_then(Node::as_list)
        .unwrap_or(&[])
        .to_vec();
    let words: Vec<Node> = node
        .get("coordinates")
        .and_then(Node::as_list)
        .unwrap_or(&[])
        .to_vec();
    let turning: Vec<bool> = names
        .iter()
        .enumerate()
        .map(|(k, name)| {
            let mut element = Node::new(Kind::Object(Vec::new()), node.mark);
            element.set("joint", name.clone());
            if let Some(word) = words.get(k) {
                element.set("direction", word.clone());
            }
            coordinate_turns(&element, joints).unwrap_or(false)
        })
        .collect();
    if turning.iter().all(|turns| *turns) {
        return;
    }
    if let Some(Kind::List(scales)) = node.get_mut("scales").map(|scales| &mut scales.value) {
        for (scale, turns) in scales.iter_mut().zip(turning) {
            if turns {
                negate(scale);
            }
        }
    }
}

/// What a body looks like.
fn look(shape: &mut Node) {
    match shape.get("type").and_then(Node::as_str) {
        Some("extrusion") => points(shape.get_mut("points")),
        Some("mesh") => toggle(shape, "mirrored"),
        _ => {}
    }
}

fn curve(node: &mut Node) {
    change(node, "y");
    points(node.get_mut("points"));
}

/// A road lies in the axes of the marker that carries it, which is mirrored by itself.
fn road(entity: &mut Entity, context: &mut Context<'_>) {
    let at = place("roads", "road", &entity.node);
    let node = &mut entity.node;
    negate_y(node.get_mut("position"));
    change(node, "yaw");
    let Some(shape) = node.get_mut("shape") else {
        return;
    };
    change(shape, "bank");
    let Some(tracks) = shape.get("t") else { return };
    if shape.get("file").is_some() {
        let message = "the tracks of a road from a file cannot be mirrored; give its numbers in the template, or the road as a port";
        context
            .report
            .add(&at.field("shape.t").marked(tracks.mark), message);
        return;
    }
    for field in ["t", "z"] {
        if let Some(Kind::List(items)) = shape.get_mut(field).map(|node| &mut node.value) {
            items.reverse();
            if field == "t" {
                items.iter_mut().for_each(negate);
            }
        }
    }
}

/// A list of points.
fn points(list: Option<&mut Node>) {
    if let Some(Kind::List(points)) = list.map(|list| &mut list.value) {
        for point in points {
            negate_y(Some(point));
        }
    }
}

fn force(node: &mut Node, joints: &[Node]) {
    let word = node
        .get("type")
        .and_then(Node::as_str)
        .unwrap_or_default()
        .to_owned();
    match word.as_str() {
        "torsion_spring_damper" => {
            change(node, "angle");
            change(node, "preload");
        }
        "bushing" => {
            negate_y(node.get_mut("preload"));
            negate_xz(node.get_mut("torsional_preload"));
        }
        "field" | "beam" => {
            if word == "field" {
                matrix(node.get_mut("stiffness"));
            }
            matrix(node.get_mut("damping"));
            negate_y(node.get_mut("displacement"));
            negate_xz(node.get_mut("rotation"));
            negate_y(node.get_mut("preload"));
            negate_xz(node.get_mut("torsional_preload"));
        }
        "joint_drive" if coordinate_turns(node, joints) == Some(true) => {
            if let Some(stops) = node.get_mut("stops") {
                swap_ends(stops);
            }
        }
        "tyre" => {
            swap(node, "side", ("left", "right"));
            axis(node);
            let law = node.get("law").and_then(|law| law.get("type"));
            let measured = law.and_then(Node::as_str) == Some("pac2002");
            let has_side = node.get("side").is_some();
            if let Some(law) = node.get_mut("law").filter(|_| measured && !has_side) {
                toggle(law, "mirrored");
            }
        }
        "contact" => {
            if let Some(shapes) = node.get_mut("shapes") {
                for end in ["i", "j"] {
                    if let Some(shape) = shapes.get_mut(end) {
                        contact_shape(shape, end);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Entry (a, b) of a 6×6 matrix changes its sign where a + b is odd.
fn matrix(node: Option<&mut Node>) {
    let Some(Kind::List(rows)) = node.map(|node| &mut node.value) else {
        return;
    };
    for (a, row) in rows.iter_mut().enumerate() {
        if let Kind::List(entries) = &mut row.value {
            let entries = entries.iter_mut().enumerate();
            entries
                .filter(|(b, _)| (a + b) % 2 == 1)
                .for_each(|(_, entry)| negate(entry));
        }
    }
}

/// The ends of a coordinate that changes its sign.
fn swap_ends(stops: &mut Node) {
    if let (Some(mut lower), Some(mut upper)) = (stops.take("lower"), stops.take("upper")) {
        negate(&mut lower);
        negate(&mut upper);
        stops.set("lower", upper);
        stops.set("upper", lower);
    }
}

/// Exchanges two words.
fn swap(node: &mut Node, field: &str, (one, other): (&str, &str)) {
    if let Some(Kind::Text(word)) = node.get_mut(field).map(|node| &mut node.value) {
        if word.eq_ignore_ascii_case(one) {
            other.clone_into(word);
        } else if word.eq_ignore_ascii_case(other) {
            one.clone_into(word);
        }
    }
}

/// The axis of a wheel that points to the left: z axes mirror as vectors, y axes keep their side.
fn axis(node: &mut Node) {
    match node.get("axis").and_then(Node::as_str) {
        None | Some("z" | "Z") => {
            let mark = node.mark;
            node.set("axis", Node::text("-z", mark));
        }
        Some("-z" | "-Z") => {
            node.take("axis");
        }
        _ => {}
    }
}

fn contact_shape(shape: &mut Node, end: &str) {
    let word = shape
        .get("type")
        .and_then(Node::as_str)
        .unwrap_or_default()
        .to_owned();
    let has_file = shape.get("file").is_some();
    match word.as_str() {
        "hull" => points(shape.get_mut("points")),
        "mesh" if !has_file => {
            points(shape.get_mut("vertices"));
            if let Some(Kind::List(triangles)) = shape.get_mut("triangles").map(|t| &mut t.value) {
                // Counter-clockwise as seen from outside, in the mirror too.
                for triangle in triangles {
                    if let Kind::List(corners) = &mut triangle.value
                        && corners.len() == 3
                    {
                        corners.swap(1, 2);
                    }
                }
            }
        }
        "heightmap" if !has_file => heightmap(shape),
        "mesh" | "heightmap" => toggle(shape, "mirrored"),
        // The side of a curve of J is left, if it is not given.
        "curve" if end == "j" && shape.get("side").is_none() => {
            let mark = shape.mark;
            shape.set("side", Node::text("right", mark));
        }
        "curve" if end == "j" => swap(shape, "side", ("left", "right")),
        _ => {}
    }
}

/// Rows of heights along x, one for each y: in the mirror the last row is the first.
fn heightmap(shape: &mut Node) {
    let rows = shape
        .get("heights")
        .and_then(Node::as_list)
        .map_or(0, <[Node]>::len);
    let step = shape
        .get("spacing")
        .and_then(Node::as_list)
        .and_then(|s| s.get(1)?.as_f64());
    let origin = shape.get("origin").and_then(Node::as_list);
    let first = |k: usize| origin.and_then(|o| o.get(k)?.as_f64()).unwrap_or(0.0);
    let (x, y) = (first(0), first(1));
    if let Some(step) = step.filter(|_| rows > 0) {
        let span = step * (rows - 1) as f64;
        let other = crate::measure::digits(-(y + span), y.abs().max(span));
        let mark = shape.mark;
        let numbers = [x, other].map(|number| Node::number(number, mark));
        shape.set("origin", Node::new(Kind::List(numbers.to_vec()), mark));
    }
    if let Some(Kind::List(rows)) = shape.get_mut("heights").map(|heights| &mut heights.value) {
        rows.reverse();
    }
}
