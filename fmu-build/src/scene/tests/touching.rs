//! Tests of where forces of contacts act.

use super::*;

/// The wheel has a radius of 0.3 m and rolls on the plane z = 0 until it meets the edge of the kerb at x = 0, z = 0.06 m.
pub(super) fn arrows_start_where_the_wheel_touches(scene: &Scene, film: &Film) {
    let number = |name: &str, kind: ArrowKind| {
        let mut all = scene.arrows.iter();
        all.position(|arrow| arrow.name == name && arrow.kind == kind)
            .unwrap()
    };
    let spot = |frame: &Frame, arrow: usize| Vec3::from(frame.spots[arrow].unwrap());
    let (first, wheel) = (&film[1], |frame: &Frame| frame.poses[1].place.position);
    let road = number("road", ArrowKind::Force);
    assert_eq!(
        scene.bodies[scene.arrows[road].from.unwrap()].name,
        "ground"
    );
    let below = spot(first, road) - wheel(first);
    assert!(first.arrows[road][2] > 1.0);
    assert!(
        below.x.abs() < 1e-3 && (below.z + 0.3).abs() < 5e-3,
        "{below}"
    );
    // About the point where it touches, a force of contact has no moment.
    let torque = number("road", ArrowKind::Torque);
    let moment = Vec3::from(first.arrows[torque]).norm();
    assert!(moment < 1e-9 * first.arrows[road][2], "{moment}");
    let kerb = number("kerb", ArrowKind::Force);
    let pressed = |frame: &&Frame| frame.arrows[kerb][2] > 1.0 && frame.arrows[road][2] < 1e-9;
    let climbs = film.iter().find(pressed).unwrap();
    let edge = spot(climbs, kerb);
    assert!((wheel(climbs) - edge).norm() < 0.3001, "{edge}");
    assert!(
        (edge.z - 0.06).abs() < 5e-3 && edge.x.abs() < 5e-3,
        "{edge}"
    );
    // A force that touches nothing acts at its marker.
    assert!(film[0].spots[number("pull", ArrowKind::Force)].is_none());
}
