//! Control plane: checks curves, joints, couplers, general constraints, motions and forces of a mechanism.

use super::super::{
    Contact, ContactBody, ContactShape, ForceKind, JointFriction, JointKind, Marker,
    MotionCoordinate, RoadEntry, ScaledExpr, Tyre,
};
use super::Check;
use crate::ids::{ForceId, MarkerId};
use crate::limits::HULL_POINTS;
use crate::math::road::RoadShape;
use alloc::borrow::ToOwned;
use alloc::format;

impl Check<'_> {
    /// Checks an expression and its factor.
    fn scaled(&mut self, field: &str, scaled: ScaledExpr) {
        self.id(field, scaled.expr);
        self.finite("its factor to SI", scaled.to_si);
    }

    /// Checks curves.
    pub(super) fn curves(&mut self) {
        for (k, curve) in self.m.curves.iter().enumerate() {
            self.entity = format!("curve {k}");
            self.sound("it", curve.is_sound());
        }
    }

    /// Checks joints, couplers, general constraints and motions.
    pub(super) fn constraints(&mut self) {
        for joint in &self.m.joints {
            self.of("joint", &joint.name);
            self.placed("i", joint.i);
            self.placed("j", joint.j);
            for initial in [
                joint.initial_displacement,
                joint.initial_velocity,
                joint.initial_angle,
                joint.initial_angular_velocity,
            ] {
                self.finite_if("an initial value", initial);
            }
            match joint.kind {
                JointKind::Screw { pitch: size } => self.finite("pitch", size),
                JointKind::RackAndPinion { diameter: size } => self.finite("diameter", size),
                JointKind::Distance { length } => {
                    self.demand(
                        length.is_finite() && length > 0.0,
                        format_args!("length is {length}; valid: more than zero"),
                    );
                }
                JointKind::RollingWheel { radius, crown } => {
                    self.radius(radius);
                    self.demand(
                        (0.0..=radius).contains(&crown),
                        format_args!("crown is {crown}; valid: from zero to the radius"),
                    );
                }
                JointKind::RollingBall { radius } => self.radius(radius),
                JointKind::PointOnCurve { curve } => {
                    self.id("curve", curve);
                }
                JointKind::CurveOnCurve { curves } => self.ids("curve", &curves),
                _ => {}
            }
            if joint.kind.rolls() {
                self.rigid("i", joint.i);
                self.rigid("j", joint.j);
            }
        }
        for coupler in &self.m.couplers {
            self.of(if coupler.gear { "gear" } else { "coupler" }, &coupler.name);
            for leg in &coupler.legs {
                self.placed("i", leg.i);
                self.placed("j", leg.j);
                self.finite("a factor of a displacement", leg.slide);
                self.finite("a factor of a rotation", leg.turn);
            }
        }
        for general in &self.m.general_constraints {
            self.of("general constraint", &general.name);
            self.scaled("function", general.function);
            self.ids("marker", &general.markers);
        }
        for motion in &self.m.motions {
            self.of("motion", &motion.name);
            self.placed("i", motion.i);
            self.placed("j", motion.j);
            if let Some(joint) = motion.joint {
                self.id("joint", joint);
            }
            if let MotionCoordinate::Translation(axis) | MotionCoordinate::Body123(axis) =
                motion.coordinate
            {
                self.below("axis", usize::from(axis), 3);
            }
            self.scaled("function", motion.function);
            self.finite_if("initial displacement", motion.initial_displacement);
            self.finite("initial velocity", motion.initial_velocity);
        }
    }

    /// A radius must be more than zero.
    fn radius(&mut self, radius: f64) {
        self.demand(
            radius.is_finite() && radius > 0.0,
            format_args!("radius is {radius}; valid: more than zero"),
        );
    }

    /// A marker must not be on a flexible body.
    fn rigid(&mut self, field: &str, marker: MarkerId) {
        let bends = |m: &Marker| {
            let body = self.m.bodies.get(m.body.index());
            body.is_some_and(|body| body.flexible.is_some())
        };
        let on_flexible = self.m.markers.get(marker.index()).is_some_and(bends);
        self.demand(
            !on_flexible,
            format_args!("{field} is on a flexible body, where no joint rolls"),
        );
    }

    /// Checks gravity, forces and roads.
    pub(super) fn forces(&mut self) {
        "gravity".clone_into(&mut self.entity);
        let gravity = self.m.gravity;
        self.ids("a component", &gravity.numbers);
        for function in gravity.functions.into_iter().flatten() {
            self.scaled("a component", function);
        }
        let flat = self.m.roads.last().map(|road| &road.road.shape);
        self.demand(
            matches!(flat, Some(RoadShape::Flat)),
            format_args!("the last road must be the flat one"),
        );
        for road in &self.m.roads {
            self.of("road", &road.name);
            self.road(road);
        }
        for (k, force) in self.m.forces.iter().enumerate() {
            self.of("force", &force.name);
            match &force.kind {
                // Its marker stands for functions of modal coordinates.
                ForceKind::Modal(_) => {
                    self.id("i", force.i);
                }
                _ => self.placed("i", force.i),
            }
            self.placed("j", force.j);
            self.force(k, &force.kind);
        }
    }

    fn road(&mut self, entry: &RoadEntry) {
        self.id("friction", entry.friction);
        let road = &entry.road;
        for number in road.position.iter().chain(&road.heading) {
            self.finite("its place", *number);
        }
        match &road.shape {
            RoadShape::Flat => {}
            RoadShape::Profile(curve) => self.sound("its profile", curve.is_sound()),
            RoadShape::Slope { grade, bank } => {
                self.finite("grade", *grade);
                self.finite("bank", *bank);
            }
            RoadShape::Sine {
                amplitude,
                wavelength,
                phase,
            } => {
                self.finite("amplitude", *amplitude);
                self.finite("phase", *phase);
                self.demand(
                    wavelength.is_finite() && *wavelength > 0.0,
                    format_args!("wavelength must be more than zero"),
                );
            }
            RoadShape::Plank {
                height,
                width,
                edge,
            } => {
                self.finite("height", *height);
                self.demand(*width >= 0.0, format_args!("width must be zero or more"));
                self.demand(
                    edge.is_finite() && *edge > 0.0,
                    format_args!("edge must be more than zero"),
                );
            }
        }
    }

    fn force(&mut self, k: usize, kind: &ForceKind) {
        for (field, scaled) in kind.expressions() {
            self.scaled(field, scaled);
        }
        for scaled in kind.readings() {
            self.scaled("a length that it reads", scaled);
        }
        for (field, numbers) in kind.numbers() {
            self.ids(field, &numbers);
        }
        if let Some(first) = kind.first() {
            self.first(k, first);
        }
        match kind {
            ForceKind::Contact(contact) => self.contact(contact),
            ForceKind::JointFriction(friction) => self.joint_friction(friction),
            ForceKind::Tyre(tyre) => self.tyre(tyre),
            ForceKind::General { axes, .. } => self.placed("axes", *axes),
            _ => {}
        }
    }

    /// The forces of one element: the first before all others, these one after the other.
    fn first(&mut self, k: usize, first: ForceId) {
        self.id("the first force of its element", first);
        let forces = &self.m.forces;
        let of = |k: usize| forces.get(k).map(|force| force.kind.first());
        let begins = of(first.index()) == Some(None);
        let again = of(k.wrapping_sub(1)) == Some(Some(first));
        let earlier = forces.iter().take(k);
        let known = earlier
            .filter(|force| force.kind.first() == Some(first))
            .count();
        self.demand(
            first.index() < k && begins && (known == 0 || again),
            format_args!("the forces of its element must follow each other, the first before all"),
        );
    }

    fn contact(&mut self, contact: &Contact) {
        match &contact.body {
            ContactBody::Sphere | ContactBody::Box | ContactBody::Cylinder => {}
            ContactBody::Hull(points) => {
                let some = (1..=HULL_POINTS).contains(&points.len());
                self.demand(some, format_args!("the hull has {} points", points.len()));
                points
                    .iter()
                    .for_each(|point| self.vector("a point", point));
            }
            ContactBody::Curve(curve) => self.sound("the curve", curve.is_sound()),
        }
        match &contact.shape {
            ContactShape::Plane
            | ContactShape::Sphere { .. }
            | ContactShape::Cylinder { .. }
            | ContactShape::Drum
            | ContactShape::Box => {}
            ContactShape::Terrain(terrain) => self.sound("the terrain", terrain.is_sound()),
            ContactShape::Mesh(mesh) => self.sound("the mesh", mesh.is_sound()),
            ContactShape::Curve { curve, .. } => self.sound("the curve", curve.is_sound()),
        }
    }

    fn joint_friction(&mut self, friction: &JointFriction) {
        self.id("joint", friction.joint);
        self.ids("a bristle's state", &friction.bristles);
    }

    fn tyre(&mut self, tyre: &Tyre) {
        self.id("road", tyre.road);
        for number in tyre.axis {
            self.finite("axis", number);
        }
        self.ids("a state", tyre.states.iter().flatten());
    }
}
