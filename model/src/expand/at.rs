//! Control plane: where a marker is, in the axes of the body that it is in: an instance can be placed there.

use super::Context;
use super::body::Bodies;
use super::orientation::{axes, vector};
use super::pose::Pose;
use crate::errors::{At, does_not_exist, quote};
use crate::expr::suggest::hint;
use crate::text::Node;
use std::collections::BTreeMap;

/// The instance to which a marker belongs that the body itself does not have.
pub(super) fn instance_of(
    marker: &str,
    bodies: &Bodies<'_>,
    by_name: &BTreeMap<&str, usize>,
) -> Option<usize> {
    if bodies.own("markers", marker).is_some() {
        return None;
    }
    let first = marker.split('.').next().unwrap_or(marker);
    by_name.get(first).copied()
}

/// The frame of a marker; `None` after a report.
pub(super) fn frame(
    name: &str,
    place: &At,
    bodies: &Bodies<'_>,
    context: &mut Context<'_>,
) -> Option<Pose> {
    if name == "ground" {
        return Some(Pose::default());
    }
    match found(name, place, bodies, context) {
        Ok(pose) => pose,
        Err(message) => {
            context.report.add(place, message);
            None
        }
    }
}

fn found(
    name: &str,
    place: &At,
    bodies: &Bodies<'_>,
    context: &mut Context<'_>,
) -> Result<Option<Pose>, String> {
    let Some(marker) = bodies.find("markers", name) else {
        if let Some((_, kind)) = bodies.ports.iter().find(|(port, _)| **port == name) {
            return Err(format!(
                "{} is a port of the kind {kind}: where it is, the template does not know; place the instance of the template at the \
                 marker instead",
                quote(name)
            ));
        }
        let known = bodies.names("markers");
        return Err(format!(
            "{}{}; an instance is placed at a marker of what it is in, or of another instance there",
            does_not_exist("marker", name),
            hint(name, known.iter().map(String::as_str))
        ));
    };
    let Some(own) = placed(&marker.node, place, context)? else {
        return Ok(None);
    };
    let part = marker.text("part").unwrap_or("ground");
    if marker.floating || part == "ground" || bodies.ports.contains_key(part) {
        return Ok(Some(own));
    }
    let lists = ["parts", "point_masses", "flexible_bodies"];
    let Some(body) = lists.iter().find_map(|list| bodies.find(list, part)) else {
        return Err(format!(
            "the marker {} is on {}, which does not exist",
            quote(name),
            quote(part)
        ));
    };
    let Some(outer) = placed(&body.node, place, context)? else {
        return Ok(None);
    };
    Ok(Some(own.within(&outer)))
}

/// Position and axes of a marker or a body; `None` after a report.
fn placed(node: &Node, place: &At, context: &mut Context<'_>) -> Result<Option<Pose>, String> {
    let name = node.get("name").and_then(Node::as_str).unwrap_or_default();
    if node.get("node").is_some() {
        return Err(format!(
            "the marker {} is on a node of a flexible body, whose place is in its file: an instance cannot be placed there",
            quote(name)
        ));
    }
    let position = match node.get("position") {
        None => [0.0; 3],
        Some(node) => vector(node).ok_or_else(|| {
            format!(
                "an instance is placed there, so that the position of {} must be numbers; found {}",
                quote(name),
                node.to_value()
            )
        })?,
    };
    let turn = match node.get("orientation") {
        None => None,
        Some(node) => match axes(node, position, place, context) {
            Some(matrix) => Some((matrix, node.clone())),
            None => return Ok(None),
        },
    };
    Ok(Some(Pose::new(position, turn)))
}
