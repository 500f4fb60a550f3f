//! Control plane: lists the elements of a mechanism, for people and as JSON.

use fixstep_kernel::elements::joints;
use fixstep_kernel::ids::MarkerId;
use fixstep_kernel::mechanism::Mechanism as Resolved;
use fixstep_kernel::mechanism::{BodyKind, Unit, ValueSource};
use serde::Serialize;

/// The elements of a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mechanism {
    /// Names of the units: length, mass, force, time, angle.
    pub units: [String; 5],
    /// Bodies without ground.
    pub bodies: Vec<Body>,
    /// Joints, motions and force elements.
    pub connections: Vec<Connection>,
    /// Number of markers.
    pub markers: usize,
    /// Coordinates of free bodies: six for a part, three for a point mass.
    pub coordinates: u32,
    /// Equations of joints.
    pub joint_equations: u32,
    /// Equations of motions.
    pub motion_equations: u32,
    /// Coordinates minus equations (Gruebler's count): the degrees of freedom, if no equation is redundant.
    pub gruebler_count: i64,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Body {
    /// Name.
    pub name: String,
    /// `rigid body` or `point mass`.
    pub kind: &'static str,
    /// Mass in the model's unit; `None`: an expression of parameters.
    pub mass: Option<f64>,
}

/// Something between two markers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Connection {
    /// `joint`, `motion` or `force`.
    pub class: &'static str,
    /// Such as `revolute joint`.
    pub kind: &'static str,
    /// Name.
    pub name: String,
    /// Marker I with its body.
    pub i: Place,
    /// Marker J with its body.
    pub j: Place,
    /// Equations that it adds.
    pub equations: u32,
}

/// A marker with its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Marker.
    pub marker: String,
    /// Body.
    pub body: String,
}

/// The units of a model, in the order of its file.
pub(crate) fn units(model: &Resolved) -> [&Unit; 5] {
    let units = &model.units;
    [
        &units.length,
        &units.mass,
        &units.force,
        &units.time,
        &units.angle,
    ]
}

impl Mechanism {
    /// Gathers it from the resolved mechanism.
    pub fn of(model: &Resolved) -> Self {
        let units = units(model);
        let moving = || {
            model
                .bodies
                .iter()
                .filter(|body| body.kind != BodyKind::Ground)
        };
        let bodies = moving().map(|body| {
            let kind = match body.kind {
                BodyKind::Point => "point mass",
                BodyKind::Flexible => "flexible body",
                BodyKind::Rigid | BodyKind::Ground => "rigid body",
            };
            let mass = match model
                .values
                .get(body.mass.index())
                .map(|value| &value.source)
            {
                Some(ValueSource::Constant(mass)) => Some(mass / model.units.mass.factor),
                _ => None,
            };
            Body {
                name: body.name.clone(),
                kind,
                mass,
            }
        });
        let free = moving().map(|body| {
            let modes = body
                .flexible
                .as_ref()
                .map_or(0, |flex| flex.modes.len() as u32);
            modes + if body.kind == BodyKind::Point { 3 } else { 6 }
        });
        let coordinates: u32 = free.sum();
        let connections = connections(model);
        let sum = |class: &str| {
            let of_class = connections
                .iter()
                .filter(|connection| connection.class == class);
            of_class.map(|connection| connection.equations).sum::<u32>()
        };
        let (joint_equations, motion_equations) = (sum("joint"), sum("motion"));
        let equations = i64::from(joint_equations) + i64::from(motion_equations);
        Self {
            units: units.map(|unit| unit.name.clone()),
            bodies: bodies.collect(),
            connections,
            markers: model.markers.iter().filter(|m| m.is_placed()).count(),
            coordinates,
            joint_equations,
            motion_equations,
            gruebler_count: i64::from(coordinates) - equations,
        }
    }
}

fn connections(model: &Resolved) -> Vec<Connection> {
    let place = |id: MarkerId| {
        let marker = &model.markers[id.index()];
        let body = model.bodies[marker.body.index()].name.clone();
        Place {
            marker: marker.name.clone(),
            body,
        }
    };
    let connect = |class, kind, name: &str, ends: (MarkerId, MarkerId), equations| Connection {
        class,
        kind,
        name: name.to_owned(),
        i: place(ends.0),
        j: place(ends.1),
        equations,
    };
    let joints = model.joints.iter().map(|joint| {
        let equations = joints::equations(&joint.kind) as u32;
        let kind = joints::name(&joint.kind);
        connect("joint", kind, &joint.name, (joint.i, joint.j), equations)
    });
    let motions = model
        .motions
        .iter()
        .map(|motion| connect("motion", "motion", &motion.name, (motion.i, motion.j), 1));
    let forces = model.forces.iter().map(|force| {
        connect(
            "force",
            force.kind.row().name,
            &force.name,
            (force.i, force.j),
            0,
        )
    });
    joints.chain(motions).chain(forces).collect()
}
