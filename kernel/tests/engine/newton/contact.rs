//! The tangents of contact: every shape and law, pressed and apart, sticking and sliding.

use super::*;
use fixstep_kernel::elements::forces;
use fixstep_kernel::integrator::accepted;
use fixstep_kernel::system::stage::Placed;
use serde_json::Value;

/// Shapes of I and J, and whether they press on one another in the states of the fixture.
pub(super) fn shapes() -> Vec<(Value, Value, bool)> {
    let ball = |radius: f64| json!({"type": "sphere", "radius": radius});
    let round = |kind: &str, radius: f64, hollow: bool| json!({"type": kind, "radius": radius, "hollow": hollow});
    let plane = json!({"type": "plane"});
    let drum =
        |radius: f64, length: f64| json!({"type": "cylinder", "radius": radius, "length": length});
    let size = json!({"type": "box", "size": [2, 2.5, 3]});
    let roller = json!({"type": "cylinder", "radius": 2, "length": 1.5});
    let heights: Vec<Vec<f64>> = (0..9)
        .map(|l| {
            (0..8)
                .map(|k| 0.05 * fixstep_kernel::math::sin(0.5 * f64::from(k) + 0.3 * f64::from(l)))
                .collect()
        })
        .collect();
    let hills =
        json!({"type": "heightmap", "origin": [-4, -4.5], "spacing": [1.1, 1], "heights": heights});
    let road = json!({"type": "profile", "spline": "road"});
    let tetrahedron = json!({"type": "mesh", "vertices": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1], [0, 0, 0]],
        "triangles": [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]], "depth": 3});
    let cam = |side: &str| json!({"type": "curve", "curve": "cam", "side": side});
    let hull = json!({"type": "hull", "points": [[2, 1, 0], [-1, 1, -2], [1, -2, 1], [0.5, 1, 2]]});
    vec![
        (size.clone(), plane.clone(), true),
        (size, round("sphere", 1.2, true), true),
        (roller, plane.clone(), true),
        (hull.clone(), plane.clone(), true),
        (hull, round("cylinder", 1.2, true), true),
        (ball(3.0), hills.clone(), true),
        (ball(0.01), hills, false),
        (ball(3.0), road, true),
        (ball(2.5), tetrahedron.clone(), true),
        (ball(0.01), tetrahedron, false),
        // Within a wide cam, far from where two of its sides are equally near.
        (ball(6.0), cam("left"), true),
        // Beside the barrel, the end and the rim; within, nearer to the barrel or to an end.
        (ball(2.0), drum(0.01, 9.0), true),
        (ball(4.0), drum(9.0, 0.01), true),
        (ball(2.0), drum(0.1, 0.2), true),
        (ball(0.5), drum(5.0, 90.0), true),
        (ball(0.5), drum(50.0, 9.0), true),
        (ball(0.01), drum(0.01, 0.02), false),
        (ball(4.0), plane, true),
        (ball(1.5), round("sphere", 1.2, false), true),
        (ball(1.1), round("sphere", 1.2, true), true),
        (ball(1.5), round("cylinder", 1.2, false), true),
        (ball(1.1), round("cylinder", 1.2, true), true),
        // Near a corner or an edge, over a face, within.
        (
            ball(3.0),
            json!({"type": "box", "size": [0.01, 0.01, 0.01]}),
            true,
        ),
        (
            ball(3.0),
            json!({"type": "box", "size": [0.01, 0.01, 9]}),
            true,
        ),
        (
            ball(3.0),
            json!({"type": "box", "size": [0.01, 9, 9]}),
            true,
        ),
        (ball(0.5), json!({"type": "box", "size": [9, 8, 7]}), true),
        (
            ball(0.01),
            json!({"type": "box", "size": [0.01, 0.01, 0.02]}),
            false,
        ),
        (ball(0.1), round("sphere", 0.1, false), false),
        (ball(0.1), round("sphere", 50.0, true), false),
        (ball(0.01), round("cylinder", 0.01, false), false),
        (ball(0.1), round("cylinder", 50.0, true), false),
    ]
}

/// What an outline on I is pressed on.
fn outlines() -> Vec<(Value, Value, bool)> {
    let surfaces = [
        json!({"type": "plane"}),
        json!({"type": "cylinder", "radius": 5}),
        json!({"type": "cylinder", "radius": 1, "hollow": true}),
        json!({"type": "curve", "curve": "cam"}),
    ];
    let on = |surface| (json!({"type": "curve", "curve": "egg"}), surface, true);
    surfaces.map(on).into()
}

/// Normal laws: damping still coming in, fully in, in proportion to the force; a kink at no depth.
pub(super) fn laws() -> [Value; 5] {
    [
        json!({"type": "impact", "stiffness": 30, "exponent": 2.2, "damping": 2, "depth": 20}),
        json!({"type": "impact", "stiffness": 30, "damping": 2, "depth": 0.01}),
        json!({"type": "hunt_crossley", "stiffness": 30, "exponent": 1.3, "damping": 0.1}),
        json!({"type": "hunt_crossley", "stiffness": 30, "exponent": 1}),
        json!({"type": "hunt_crossley", "stiffness": 30, "restitution": 0.5, "slow": 0.1}),
    ]
}

/// No friction; slip below, between and above the two velocities.
pub(super) fn frictions() -> [Value; 4] {
    let friction = |from: f64, to: f64| {
        json!({"mu_static": 0.9, "mu_dynamic": 0.6, "stiction_velocity": from,
               "friction_velocity": to})
    };
    [
        Value::Null,
        friction(60.0, 90.0),
        friction(0.05, 60.0),
        friction(0.01, 0.05),
    ]
}

/// The splines and curves that shapes are of.
pub(super) fn surroundings(model: &mut Value) {
    model["splines"] = json!([{"name": "road", "x": [-9, -5, -2, 0, 1, 3, 6, 9],
                               "y": [0, 0.4, -0.3, 0.2, 0.5, 0, -0.2, 0.1]}]);
    model["curves"] = json!([{"name": "cam", "closed": true,
        "points": [[9, 6, 0], [3, 8, 0], [-1, 3, 0], [2, -3, 0], [8, -2, 0]]},
        {"name": "egg", "closed": true,
         "points": [[3, 0, 0], [0.5, 2.5, 0], [-3, 0.2, 0], [0, -2.4, 0]]}]);
}

/// Checks the matrix under no scheme in particular, where no two terms weigh the same.
fn compare(shape: &(Value, Value, bool), law: &Value, friction: &Value, seed: u32) {
    let (i, j, pressed) = shape;
    let mut model = base();
    model["forces"] = json!([{
        "name": "c", "type": "contact", "i": "ma", "j": "mb", "shapes": {"i": i, "j": j},
        "normal": law, "friction": friction
    }]);
    surroundings(&mut model);
    let what = format!("{i} on {j}, {law}, {friction}, seed {seed}");
    let mut fixture = Fixture::new(&model, seed, no_scheme());
    fixture.residual();
    if i["type"] == "curve" {
        // From wherever it is, the deepest place of the outline.
        let placed = &Placed::kept(&mut fixture.ws);
        accepted::remember_contacts(&fixture.system, &mut fixture.state, placed);
        fixture.residual();
    }
    let context = eval::context(&fixture.system, &fixture.state, &fixture.ws, 0);
    let load = forces::wrench(&fixture.system.forces[0].law, &context);
    assert_eq!(load.force.norm() > 0.1, *pressed, "{what}: {load:?}");
    if i["type"] == "sphere" {
        let twists = *pressed && !friction.is_null();
        assert_eq!(load.torque.norm() > 0.1, twists, "{what}");
    }
    fixture.check(&what);
}

#[test]
fn contacts() {
    for shape in shapes().iter().chain(&outlines()) {
        for (k, law) in laws().iter().enumerate() {
            // The slip on ground is too near to zero for differences over the steeper laws.
            let ground = matches!(shape.1["type"].as_str(), Some("heightmap" | "profile"));
            for (f, friction) in frictions()
                .iter()
                .take(if ground { 2 } else { 4 })
                .enumerate()
            {
                compare(shape, law, friction, (1 + (k + f) % 3) as u32);
            }
        }
    }
}

/// A damper strong enough to pull is cut off; a point has no lever; the plane is far.
#[test]
fn contacts_that_do_not_press() {
    let friction = json!({"mu_static": 0.9, "mu_dynamic": 0.6, "stiction_velocity": 0.5,
                          "friction_velocity": 0.7});
    let mut pulled = 0;
    for seed in 1..9 {
        let mut model = base();
        model["markers"]
            .as_array_mut()
            .unwrap()
            .push(json!({"name": "low", "part": "b", "position": [0, 0, -20]}));
        let strong = json!({"type": "hunt_crossley", "stiffness": 30, "damping": 50});
        model["forces"] = json!([
            {"name": "c", "type": "contact", "i": "ma", "j": "mb", "normal": strong,
             "shapes": {"i": {"type": "sphere", "radius": 4}, "j": {"type": "plane"}},
             "friction": friction},
            {"name": "d", "type": "contact", "i": "ma", "j": "low", "normal": strong,
             "shapes": {"i": {"type": "sphere", "radius": 0}, "j": {"type": "plane"}},
             "friction": friction}
        ]);
        let mut fixture = Fixture::new(&model, seed, no_scheme());
        fixture.residual();
        let load = |k: usize| {
            let context = eval::context(&fixture.system, &fixture.state, &fixture.ws, k);
            forces::wrench(&fixture.system.forces[k].law, &context)
        };
        pulled += u32::from(load(0).force.norm() == 0.0);
        assert_eq!(load(1).force.norm(), 0.0);
        fixture.check(&format!("cut off, seed {seed}"));
    }
    assert!(pulled > 0 && pulled < 8, "{pulled}");
}

/// Gradients of what is read of a contact, by a torque that is made of it.
#[test]
fn readings() {
    let friction = json!({"mu_static": 0.9, "mu_dynamic": 0.6, "stiction_velocity": 0.5,
                          "friction_velocity": 60});
    let size = json!({"type": "box", "size": [2, 2.5, 3]});
    let roller = json!({"type": "cylinder", "radius": 2, "length": 1.5});
    let ball = |radius: f64| json!({"type": "sphere", "radius": radius});
    let plane = json!({"type": "plane"});
    let drum = json!({"type": "cylinder", "radius": 0.1, "length": 0.2});
    for (i, j) in [
        (size, plane.clone()),
        (roller, plane.clone()),
        (ball(4.0), plane.clone()),
        (ball(2.0), drum.clone()),
        (ball(0.01), drum),
    ] {
        for comp in 9..15 {
            for law in &laws()[..2] {
                let mut model = base();
                model["forces"] = json!([
                    {"name": "c", "type": "contact", "i": "ma", "j": "mb", "shapes": {"i": i, "j": j},
                     "normal": law, "friction": friction},
                    {"name": "t", "type": "torque", "i": "mc", "j": "mb",
                     "expression": format!("0.1*CONTACT(c, 0, {comp}, mc)")}
                ]);
                let what = format!("{i} on {j}, {law}, {comp}");
                Fixture::new(&model, 1, no_scheme()).check(&what);
            }
        }
    }
}
