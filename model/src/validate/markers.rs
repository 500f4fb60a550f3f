//! Control plane: checks the markers of a model and converts them to those of the mechanism.

use super::builder::Builder;
use super::flexible;
use crate::errors::{At, quote};
use crate::names::GROUND;
use crate::schema::{self, Document, NodeKey};
use crate::units::Dimension;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{BodyKind, Marker, MarkerBase, MarkerNumber, Place};

/// All markers; ground's own frame is added at the end if the file does not declare it.
pub(super) fn markers(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Marker>> {
    let mut markers = b.each(&document.markers.0, marker);
    if b.names.ground.index() == markers.len() {
        markers.push(Some(Marker {
            name: GROUND.to_owned(),
            body: BodyId::GROUND,
            base: MarkerBase::Body,
            position: Vec3::zeros(),
            orientation: Mat3::identity(),
        }));
    }
    markers
}

fn marker(b: &mut Builder<'_>, data: &schema::Marker, at: &At) -> Option<Marker> {
    let id = b.names.markers.get(&data.name).unwrap_or(b.names.ground);
    let known = b.derived.len();
    let place = at.field("position");
    let origin = b.measures(data.position.as_ref(), Dimension::Length, &place);
    let axes = at.field("orientation");
    let orientation = b.axes(data.orientation.as_ref(), &origin, &axes, |i, k| {
        Place::Marker(id, MarkerNumber::Orientation(i, k))
    });
    let position = Vec3::from(origin.map(|x| x.si));
    let body = match b.names.bodies.find(&data.part) {
        Ok(body) => body,
        Err(message) => {
            b.report.add(&at.field("part"), message);
            return None;
        }
    };
    let moves = origin.iter().any(|x| x.program.is_some());
    if b.kind_of(body) == BodyKind::Point && (moves || position != Vec3::zeros()) {
        let message = format!(
            "a marker on the point mass {} must be at [0, 0, 0]",
            quote(&data.part)
        );
        b.report.add(&at.field("position"), message);
    }
    let follows = moves || b.derived.len() > known;
    let own = body == BodyId::GROUND
        && !follows
        && position == Vec3::zeros()
        && orientation == Mat3::identity();
    if data.name == GROUND && !own {
        b.report.add(
            at,
            "the marker \"ground\" is ground's own frame: leave it out (it always exists), or \
             give this marker another name",
        );
    }
    let key = data.node.as_ref().map(NodeKey::text);
    // A broken body has been reported.
    let owner = b.bodies[body.index()].as_ref()?;
    let node = match flexible::node(owner, key.as_deref()) {
        Ok(node) => node,
        Err(message) => {
            b.report.add(&at.field("node"), message);
            return None;
        }
    };
    let flexible = owner.flexible.as_ref().zip(node);
    let from = flexible.map_or_else(Vec3::zeros, |(flex, k)| flex.data.nodes[k].position);
    let mut position = [Default::default(); 3];
    for (k, (to, measure)) in position.iter_mut().zip(origin).enumerate() {
        let number = Place::Marker(id, MarkerNumber::Position(k as u8));
        *to = b.put_from(from[k], measure, number, &place);
    }
    Some(Marker {
        name: data.name.clone(),
        body,
        base: node.map_or(MarkerBase::Body, MarkerBase::Node),
        position: Vec3::from(position),
        orientation,
    })
}
