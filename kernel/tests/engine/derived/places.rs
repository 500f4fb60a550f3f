//! Every number of geometry and initial conditions has a place of its own.

use fixstep_kernel::ids::{
    BodyId, CouplerId, ForceId, JointId, MarkerId, MotionId, RoadId, SampledId,
};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::road::RoadShape;
use fixstep_kernel::mechanism::{
    BodyNumber, ContactBody, ForceKind, JointNumber, LegNumber, MarkerNumber, Mechanism,
    MotionNumber, Place, RoadNumber, SampledNumber,
};
use fixstep_model::Model;
use std::collections::BTreeSet;

/// An example.
fn example(name: &str) -> Mechanism {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let model = Model::from_file(&folder.join(name).join("model.json"));
    model.map_err(|e| e.to_string()).unwrap().mechanism
}

/// Places of all kinds, most of which no mechanism has.
fn places() -> BTreeSet<Place> {
    let mut places = BTreeSet::new();
    for (k, axis) in (0..40).flat_map(|k| (0..3).map(move |axis| (k, axis))) {
        let mode = u32::from(axis);
        let body = [
            BodyNumber::CenterOfMass(axis),
            BodyNumber::Position(axis),
            BodyNumber::Orientation(axis, 2),
            BodyNumber::Weight,
            BodyNumber::Velocity(axis),
            BodyNumber::AngularVelocity(axis),
            BodyNumber::DampingRatio(mode),
            BodyNumber::ModalCoordinate(mode),
            BodyNumber::ModalVelocity(mode),
        ];
        places.extend(body.map(|n| Place::Body(BodyId(k), n)));
        let marker = [
            MarkerNumber::Position(axis),
            MarkerNumber::Orientation(1, axis),
        ];
        places.extend(marker.map(|n| Place::Marker(MarkerId(k), n)));
        let road = [
            RoadNumber::Position(axis),
            RoadNumber::Heading(axis),
            RoadNumber::Shape(axis),
        ];
        places.extend(road.map(|n| Place::Road(RoadId(k), n)));
        places.insert(Place::TyreAxis(ForceId(k), axis));
        places.insert(Place::HullPoint(ForceId(k), 1, axis));
        let joint = [
            JointNumber::Size,
            JointNumber::Crown,
            JointNumber::InitialDisplacement,
            JointNumber::InitialVelocity,
            JointNumber::InitialAngle,
            JointNumber::InitialAngularVelocity,
        ];
        places.extend(joint.map(|n| Place::Joint(JointId(k), n)));
        let leg = [LegNumber::Slide, LegNumber::Turn];
        places.extend(leg.map(|n| Place::Leg(CouplerId(k), 1, n)));
        let motion = [
            MotionNumber::InitialDisplacement,
            MotionNumber::InitialVelocity,
        ];
        places.extend(motion.map(|n| Place::Motion(MotionId(k), n)));
        let sampled = [SampledNumber::Period, SampledNumber::Offset];
        places.extend(sampled.map(|n| Place::Sampled(SampledId(k), n)));
    }
    places
}

/// Gives an example what none has.
fn enrich(m: &mut Mechanism) {
    for joint in &mut m.joints {
        joint.initial_displacement = Some(0.0);
        joint.initial_velocity = Some(0.0);
        joint.initial_angle = Some(0.0);
        joint.initial_angular_velocity = Some(0.0);
    }
    for motion in &mut m.motions {
        motion.initial_displacement = Some(0.0);
    }
    for force in &mut m.forces {
        if let ForceKind::Contact(contact) = &mut force.kind {
            contact.body = ContactBody::Hull([Vec3::zeros(); 2].into());
        }
    }
    m.roads[0].road.shape = RoadShape::Sine {
        amplitude: 1.0,
        wavelength: 1.0,
        phase: 1.0,
    };
}

#[test]
fn every_number_has_a_place_of_its_own() {
    let places = places();
    let mut kinds = BTreeSet::new();
    for name in [
        "vehicle",
        "flexible_slider_crank",
        "overhead_crane",
        "cam_follower",
        "bicycle",
    ] {
        let mut m = example(name);
        enrich(&mut m);
        for (k, place) in (0..).zip(&places) {
            if let Some(number) = m.number_at(*place) {
                *number = f64::from(k);
                // The place without the numbers of axes and elements.
                let called = format!("{place:?}");
                kinds.insert(called.replace(|c: char| c.is_ascii_digit(), ""));
            }
        }
        for (k, place) in (0..).zip(&places) {
            if let Some(number) = m.number_at(*place).copied() {
                assert_eq!(number, f64::from(k), "{}", place.name(&m));
            }
        }
    }
    assert_eq!(kinds.len(), 28, "{kinds:#?}");
}
