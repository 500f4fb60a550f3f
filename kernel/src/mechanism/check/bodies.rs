//! Control plane: checks bodies, flexible data and markers of a mechanism.

use super::super::{Body, BodyKind, BodyQuantity, FlexBody, Functional, MarkerBase};
use super::Check;
use crate::flex::{self, FlexData, STIFFENINGS};
use crate::ids::BodyId;

impl Check<'_> {
    /// Checks bodies: the first one, and no other, is ground.
    pub(super) fn bodies(&mut self) {
        let ground = self.m.bodies.first().map(|body| body.kind);
        self.demand(
            ground == Some(BodyKind::Ground),
            format_args!("the first body must be ground"),
        );
        for (k, body) in self.m.bodies.iter().enumerate() {
            self.of("body", &body.name);
            self.demand(
                k == 0 || body.kind != BodyKind::Ground,
                format_args!("there is one ground, the first body"),
            );
            self.body(body);
        }
        let mut numbers = 0;
        for array in &self.m.body_arrays {
            self.of("array", &array.name);
            let first = array.first;
            self.demand(
                first == numbers,
                format_args!("its numbers begin at {first}; those before it end at {numbers}"),
            );
            numbers += array.length as usize;
            self.finite("scale", array.scale);
            if self.id("body", array.body) {
                self.quantity(array.body, array.quantity, array.length);
            }
        }
    }

    fn body(&mut self, body: &Body) {
        self.id("mass", body.mass);
        self.ids("inertia", &body.inertia);
        self.vector("center_of_mass", &body.center_of_mass);
        self.vector("position", &body.position);
        self.rotation("orientation", &body.orientation);
        self.demand(
            body.weight.is_finite() && body.weight > 0.0,
            format_args!("weight is {}; valid: more than zero", body.weight),
        );
        for (field, velocity) in [
            ("velocity", &body.velocity),
            ("angular_velocity", &body.angular_velocity),
        ] {
            if let Some(velocity) = velocity {
                self.vector(field, velocity);
            }
        }
        let is_flexible = body.kind == BodyKind::Flexible;
        self.demand(
            is_flexible == body.flexible.is_some(),
            format_args!("a flexible body, and no other, has modes"),
        );
        if let Some(flex) = &body.flexible {
            self.flexible(flex);
        }
    }

    fn flexible(&mut self, flex: &FlexBody) {
        let count = flex.modes.len();
        self.length("ratios", flex.ratios.len(), count);
        self.length("displacements", flex.displacements.len(), count);
        self.length("velocities", flex.velocities.len(), count);
        for (k, mode) in flex.modes.iter().enumerate() {
            self.below("modes", *mode, flex.data.modes.len());
            self.demand(
                !flex.modes[..k].contains(mode),
                format_args!("mode {mode} is there twice"),
            );
        }
        for ratio in &flex.ratios {
            self.demand(
                ratio.is_finite() && *ratio >= 0.0,
                format_args!("a damping ratio is {ratio}; valid: zero or more"),
            );
        }
        for number in flex.displacements.iter().chain(&flex.velocities) {
            self.finite("an initial modal coordinate or velocity", *number);
        }
        self.demand(
            flex.dynamic_limit.is_none_or(|limit| limit >= 0.0),
            format_args!("dynamic_limit must be zero or more"),
        );
        let sized = self.sizes(&flex.data);
        if sized && let Err(fault) = flex::check(&flex.data) {
            self.demand(false, format_args!("{fault}"));
        }
    }

    /// Do the sizes of all arrays of a flexible body fit its modes?
    fn sizes(&mut self, data: &FlexData) -> bool {
        let before = self.faults.len();
        let (m, inertia) = (data.modes.len(), &data.invariants);
        self.length("stiffness", data.stiffness.len(), m * m);
        self.length("invariants", inertia.modes, m);
        for (field, found, wanted) in [
            ("i3", inertia.i3.len(), m),
            ("i4", inertia.i4.len(), m),
            ("i5", inertia.i5.len(), m * m),
            ("i6", inertia.i6.len(), m * m),
            ("i8", inertia.i8.len(), m),
            ("i9", inertia.i9.len(), m * m),
        ] {
            self.length(field, found, wanted);
        }
        for node in &data.nodes {
            self.length("translation of a node", node.translation.len(), m);
            self.length("rotation of a node", node.rotation.len(), m);
        }
        for node in data.lines.iter().flatten() {
            self.below("a line's node", *node, data.nodes.len());
        }
        if let Some(preload) = &data.preload {
            self.length("preload", preload.len(), m);
        }
        for load in &data.loads {
            self.length("a load case", load.modal.len(), m);
        }
        if let Some(stiffening) = &data.stiffening {
            self.length("stiffening", stiffening.len(), STIFFENINGS * m * m);
        }
        for point in data.stresses.iter().chain(&data.strains) {
            self.length("stress or strain at a point", point.values.len(), m);
        }
        self.faults.len() == before
    }

    fn quantity(&mut self, body: BodyId, quantity: BodyQuantity, length: u32) {
        let flex = self.m.bodies[body.index()].flexible.as_deref();
        let wanted = match quantity {
            BodyQuantity::Position | BodyQuantity::Velocity | BodyQuantity::AngularVelocity => 3,
            BodyQuantity::Orientation => 4,
            BodyQuantity::ModalCoordinates | BodyQuantity::ModalVelocities => {
                flex.map_or(0, |flex| flex.modes.len())
            }
            BodyQuantity::Stress(point) => {
                self.below("point", point, flex.map_or(0, |f| f.data.stresses.len()));
                6
            }
            BodyQuantity::Strain(point) => {
                self.below("point", point, flex.map_or(0, |f| f.data.strains.len()));
                6
            }
        };
        self.length("the array", length as usize, wanted);
    }

    /// Checks markers.
    pub(super) fn markers(&mut self) {
        for marker in &self.m.markers {
            self.of("marker", &marker.name);
            self.vector("position", &marker.position);
            self.rotation("orientation", &marker.orientation);
            if !self.id("body", marker.body) {
                continue;
            }
            let flex = self.m.bodies[marker.body.index()].flexible.as_deref();
            match (marker.base, flex) {
                (MarkerBase::Body, _) => {}
                (MarkerBase::Node(node), Some(flex)) => {
                    self.below("node", node, flex.data.nodes.len());
                }
                (MarkerBase::Functions(functions), Some(flex)) => {
                    for functional in functions {
                        self.functional(functional, flex);
                    }
                }
                (MarkerBase::Node(_) | MarkerBase::Functions(_), None) => {
                    self.demand(false, format_args!("its body is not flexible"));
                }
            }
        }
    }

    fn functional(&mut self, functional: Functional, flex: &FlexBody) {
        match functional {
            Functional::None => {}
            Functional::Coordinate(mode) => self.below("mode", mode, flex.modes.len()),
            Functional::Stress(point, component) => {
                self.below("point", point, flex.data.stresses.len());
                self.below("component", component, flex::TENSOR);
            }
            Functional::Strain(point, component) => {
                self.below("point", point, flex.data.strains.len());
                self.below("component", component, flex::TENSOR);
            }
            Functional::Load(case) => self.below("load case", case, flex.data.loads.len()),
        }
    }
}
