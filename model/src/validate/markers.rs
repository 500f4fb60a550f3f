//! Control plane: checks the markers of a model and converts them to those of the mechanism.

use super::builder::{Builder, Settled};
use super::flexible;
use crate::errors::{At, quote};
use crate::names::GROUND;
use crate::schema::{self, Document, NodeKey, Number};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{BodyId, MarkerId};
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{
    BodyKind, Construction, Marker, MarkerBase, MarkerNumber, Place, Source,
};

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
    let own = MarkerId::from(b.item);
    let orientation = b.axes(
        data.orientation.as_ref(),
        data.position.as_ref(),
        |form| Construction::MarkerAxes(own, form),
        at,
    );
    let given = settled_position(b, data, at);
    let position = Vec3::from(given.map(|settled| settled.value));
    let body = match b.names.bodies.find(&data.part) {
        Ok(body) => body,
        Err(message) => {
            b.report.add(&at.field("part"), message);
            return None;
        }
    };
    let follows = given.iter().any(Settled::follows);
    if b.kind_of(body) == BodyKind::Point && (position != Vec3::zeros() || follows) {
        let message = format!(
            "a marker on the point mass {} must be at [0, 0, 0]",
            quote(&data.part)
        );
        b.report.add(&at.field("position"), message);
    }
    let is_ground = body == BodyId::GROUND
        && position == Vec3::zeros()
        && orientation == Mat3::identity()
        && !follows
        && !b.wanders(own);
    if data.name == GROUND && !is_ground {
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
    let from = flexible.map(|(flex, k)| flex.data.nodes[k].position);
    follow(b, own, from, given, &at.field("position"));
    Some(Marker {
        name: data.name.clone(),
        body,
        base: node.map_or(MarkerBase::Body, MarkerBase::Node),
        position: from.unwrap_or_else(Vec3::zeros) + position,
        orientation,
    })
}

fn settled_position(b: &mut Builder<'_>, data: &schema::Marker, at: &At) -> [Settled; 3] {
    let zero = [const { Number::Constant(0.0) }; 3];
    let numbers = data.position.as_ref().unwrap_or(&zero);
    let to_si = b.units.to_si(Dimension::Length);
    let at = at.field("position");
    std::array::from_fn(|k| b.settled(&numbers[k], to_si, &at.index(k)))
}

/// The position of a marker follows parameters; at a node it is the sum of that of the node and its own.
fn follow(b: &mut Builder<'_>, own: MarkerId, from: Option<Vec3>, given: [Settled; 3], at: &At) {
    for (k, settled) in given.into_iter().enumerate() {
        let place = Place::Marker(own, MarkerNumber::Position(k as u8));
        match from {
            None => {
                b.follow(place, settled);
            }
            Some(node) => {
                let node = Settled {
                    value: node[k],
                    source: Source::Number(node[k]),
                };
                b.build(Construction::Sum(place), &[node, settled], &at.index(k));
            }
        }
    }
}
