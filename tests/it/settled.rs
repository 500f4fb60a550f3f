//! Numbers that are settled before a run: models with a parameter in one place, against the same with its value written
//! there; wrong values; saved states.

use crate::harness::{json, simulation, truth, try_build};
use fixstep_kernel::ids::{ParameterId, ValueId};
use fixstep_kernel::mechanism::ValueSource;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::{Model, resources};
use serde_json::Value;

const P: ParameterId = ParameterId(0);

/// A model around elements; `@` stands for the number.
fn text(elements: &str, number: &str, start: f64) -> String {
    let elements = elements.replace('@', number);
    format!(
        r#"{{"fixstep": 1, "name": "settled", "gravity": [0, 0, -9.81], "units": {{"length": "m", "angle": "deg"}},
        "parameters": [{{"name": "p", "start": {start}}}],
        {elements},
        "experiment": {{"start": 0, "stop": 1, "step": 0.001}}}}"#
    )
}

fn model(elements: &str, number: &str, start: f64) -> Result<Simulation, String> {
    let read = Model::read(&text(elements, number, start), &resources::none);
    simulation(&read.map_err(|e| e.to_string())?)
}

/// With the parameter in its place.
fn by_parameter(elements: &str, start: f64) -> Simulation {
    model(elements, "\"=2*p\"", start).unwrap_or_else(|e| unreachable!("{elements}: {e}"))
}

/// With the number.
fn written(elements: &str, p: f64) -> Simulation {
    model(elements, &format!("{:?}", 2.0 * p), 7.0)
        .unwrap_or_else(|e| unreachable!("{elements}: {e}"))
}

/// The state without the parameter.
fn bits(simulation: &mut Simulation) -> Vec<u64> {
    let part = simulation.part();
    let at = part.system.layout.parameters.first;
    let reals = part.state.reals.iter().enumerate();
    reals
        .filter(|(k, _)| *k != at)
        .map(|(_, x)| (x + 0.0).to_bits())
        .collect()
}

fn alike(one: &mut Simulation, other: &mut Simulation, what: &str) {
    assert_eq!(bits(one), bits(other), "{what}");
    for _ in 0..10 {
        one.step().unwrap();
        other.step().unwrap();
    }
    assert_eq!(bits(one), bits(other), "{what}");
}

/// A part that falls and turns, of these solids.
fn solids(solids: &str) -> String {
    format!(
        r#""parts": [{{"name": "part", "solids": [{solids}], "velocity": [1, 2, 3], "angular_velocity": [100, 300, 200]}}]"#
    )
}

const SWING: &str = r#""parts": [{"name": "bob", "mass": 1, "position": [0.5, 0, -1], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}]"#;

/// Elements with one place, a start, and another value that is as good.
fn cases() -> Vec<(String, f64, f64)> {
    let mut cases: Vec<(String, f64, f64)> = Vec::new();
    let own =
        r#""density": 1000, "position": [0.1, 0.2, 0.3], "orientation": {"euler": [20, 30, 40]}"#;
    for shape in [
        r#""type": "box", "size": [0.1, @, 0.3]"#,
        r#""type": "cylinder", "radius": @, "length": 0.3"#,
        r#""type": "tube", "radius": 0.5, "inner_radius": @, "length": 0.3"#,
        r#""type": "sphere", "radius": @"#,
        r#""type": "ellipsoid", "radii": [0.1, 0.2, @]"#,
        r#""type": "cone", "radius": 0.2, "top_radius": @, "length": 0.4"#,
        r#""type": "capsule", "radius": 0.2, "length": @"#,
    ] {
        cases.push((solids(&format!("{{{shape}, {own}}}")), 0.1, 0.17));
    }
    let two = r#"{"type": "box", "size": [0.3, 0.2, 0.1], "density": @}, {"type": "sphere", "radius": 0.04, "hole": true, "density": 7000, "position": [0.05, 0, 0.01]}"#;
    cases.push((solids(two), 3900.0, 1200.0));
    let moved = r#"{"type": "box", "size": [0.3, 0.2, 0.1], "density": 1e3}, {"type": "sphere", "radius": 0.04, "density": 7000, "position": [0.05, @, 0.01], "orientation": {"quaternion": [1, @, 0, 0]}}"#;
    cases.push((solids(moved), 0.2, -0.3));
    let weighed = solids(r#"{"type": "box", "size": [0.3, 0.2, 0.1]}"#)
        .replace("\"solids\"", "\"mass\": @, \"solids\"");
    cases.push((weighed, 0.5, 1.0));
    for orientation in [
        r#"{"euler": [@, 20, 30]}"#,
        r#"{"quaternion": [1, @, 0, 0.5]}"#,
        r#"{"z_point": [0.3, @, 1], "x_point": [3, 1, 0]}"#,
        r#"{"z_point": [0.3, @, 1]}"#,
    ] {
        let elements = SWING.replace(
            "\"mass\"",
            &format!("\"orientation\": {orientation}, \"mass\""),
        );
        cases.push((elements, 0.2, 45.0));
    }
    cases.extend(hinged());
    cases
}

/// The same of joints.
fn hinged() -> Vec<(String, f64, f64)> {
    let mut cases: Vec<(String, f64, f64)> = Vec::new();
    let hinge = |more: &str, i: &str, joint: &str| {
        format!(
            r#"{SWING}, "markers": [{{"name": "pin", "part": "ground"}}, {{"name": "eye", "part": "bob", {i}}}{more}],
            "joints": [{{"name": "j", "i": "eye", "j": "pin", {joint}}}]"#
        )
    };
    cases.push((
        hinge("", r#""position": [-0.5, 0, @]"#, r#""type": "spherical""#),
        0.5,
        0.51,
    ));
    // The length of the thread is that between the markers.
    cases.push((
        hinge("", r#""position": [0, 0, @]"#, r#""type": "distance""#),
        0.1,
        0.2,
    ));
    cases.push((
        hinge(
            "",
            r#""position": [0, 0, 0.1]"#,
            r#""type": "distance", "length": @"#,
        ),
        0.55,
        0.6,
    ));
    let screw = hinge(
        "",
        r#""position": [-0.5, 0, 1]"#,
        r#""type": "screw", "pitch": @, "initial": {"angular_velocity": 10}"#,
    );
    cases.push((screw, 0.05, -0.02));
    let turned = hinge(
        "",
        r#""position": [-0.5, 0, 1]"#,
        r#""type": "revolute", "initial": {"angle": @, "angular_velocity": @}"#,
    );
    cases.push((turned, 2.0, 40.0));
    for curve in [
        r#""points": [[0, 0, 0], [0.5, @, -1], [1, 0, -1.5]]"#,
        r#""x": "0.5*s", "y": "p*s*(2 - s)", "z": "-s", "from": 0, "to": 2"#,
        r#""x": "0.5*s", "y": "0.1*s*(2 - s)", "z": "-s", "from": -0.5, "to": @"#,
    ] {
        let on = r#""type": "point_on_curve", "curve": "wire""#;
        let elements = format!(
            r#"{}, "curves": [{{"name": "wire", {curve}}}]"#,
            hinge("", r#""position": [0, 0, 0]"#, on)
        );
        cases.push((elements, 0.75, 0.8));
    }
    cases
}

#[test]
fn every_kind_of_number_follows_its_parameter() {
    for (elements, start, other) in cases() {
        // An expression of the curve has the parameter itself.
        let inside = elements.contains("\"p*s");
        let with = |p: f64| {
            if inside {
                let elements = elements.replace("p*s", &format!("{p:?}*s"));
                model(&elements, "0", 7.0).unwrap()
            } else {
                written(&elements, p)
            }
        };
        let mut follows = by_parameter(&elements, start);
        alike(&mut follows, &mut with(start), &elements);
        follows.set_parameter(P, other).unwrap();
        follows
            .initialize(0.0)
            .unwrap_or_else(|e| unreachable!("{elements}: {e}"));
        let changed = bits(&mut follows);
        alike(&mut follows, &mut with(other), &elements);
        // A saved state goes on in another simulation, which takes over its geometry.
        let mut saved = vec![0; follows.state_size()];
        follows.save(&mut saved);
        let mut second = by_parameter(&elements, start);
        assert!(!second.suits(&saved), "{elements}");
        assert_eq!(second.follow_state(&saved), Ok(true), "{elements}");
        assert!(second.suits(&saved), "{elements}");
        second.restore(&saved);
        alike(&mut follows, &mut second, &elements);
        // And back: nothing of the other value is left.
        follows.set_parameter(P, start).unwrap();
        follows.initialize(0.0).unwrap();
        assert_ne!(bits(&mut follows), changed, "{elements}");
        alike(&mut follows, &mut with(start), &elements);
    }
}

/// What a start says with another value.
fn refused(elements: &str, start: f64, wrong: f64) -> String {
    let mut simulation = by_parameter(elements, start);
    let set = simulation.set_parameter(P, wrong);
    let said = set.and_then(|()| simulation.initialize(0.0));
    let said = said.map_err(|e| e.to_string()).unwrap_err();
    // The value before is as good as ever.
    simulation.set_parameter(P, start).unwrap();
    simulation.initialize(0.0).unwrap();
    alike(
        &mut simulation,
        &mut by_parameter(elements, start),
        elements,
    );
    said
}

#[test]
fn wrong_values_are_refused_by_name() {
    let own = r#""density": 1000"#;
    let tube = solids(&format!(
        r#"{{"type": "tube", "radius": 0.5, "inner_radius": @, "length": 0.3, {own}}}"#
    ));
    assert_eq!(
        refused(&tube, 0.1, 0.4),
        "with p = 0.4: parts[0] \"part\": solids: solids[0].inner_radius is 0.8 (SI); valid: zero or more, and less than \"radius\""
    );
    let density = solids(r#"{"type": "sphere", "radius": 0.1, "density": @}"#);
    assert!(
        refused(&density, 500.0, -1.0)
            .contains("solids[0].density is -2 (SI); valid: more than zero")
    );
    let hole = solids(&format!(
        r#"{{"type": "sphere", "radius": 0.5, {own}}}, {{"type": "sphere", "radius": @, "hole": true, {own}}}"#
    ));
    assert!(refused(&hole, 0.1, 0.3).contains("the solids have a mass of -381.17"));
    let mass = SWING.replace("\"mass\": 1", "\"mass\": @");
    assert_eq!(
        refused(&mass, 0.5, -1.0),
        "parts[0] \"bob\": mass becomes -2 (SI); it must be more than zero"
    );
    let product = SWING.replace("\"xx\"", "\"xy\": @, \"xx\"");
    let said = refused(&product, 0.01, 0.06);
    assert!(
        said.starts_with("parts[0] \"bob\": inertia: the inertia is not positive definite: its principal moments are -2.0"),
        "{said}"
    );
    let moment = SWING.replace("\"xx\": 0.1", "\"xx\": @");
    let said = refused(&moment, 0.05, 0.11);
    assert!(
        said.contains("the largest exceeds the sum of the others"),
        "{said}"
    );
    let axes = SWING.replace(
        "\"mass\"",
        r#""orientation": {"z_point": [0.5, @, -1]}, "mass""#,
    );
    let said = refused(&axes, 0.1, 0.0);
    assert!(
        said.starts_with(
            "with p = 0: parts[0] \"bob\": orientation: z_point coincides with the frame's origin"
        ),
        "{said}"
    );
    let thread = format!(
        r#"{SWING}, "markers": [{{"name": "pin", "part": "ground"}}, {{"name": "eye", "part": "bob"}}],
        "joints": [{{"name": "j", "i": "eye", "j": "pin", "type": "distance", "length": @}}]"#
    );
    assert!(refused(&thread, 0.5, 0.0).contains("joint \"j\": length is 0; valid: more than zero"));
    let wire = format!(
        r#"{SWING}, "markers": [{{"name": "pin", "part": "ground"}}, {{"name": "eye", "part": "bob"}}],
        "curves": [{{"name": "wire", "points": [[0, 0, 0], [@, 0, 0], [1, 0, -1]]}}],
        "joints": [{{"name": "j", "i": "eye", "j": "pin", "type": "point_on_curve", "curve": "wire"}}]"#
    );
    assert_eq!(
        refused(&wire, 0.3, 0.0),
        "with p = 0: curves[0] \"wire\": points: the points 1 and 2 coincide; leave one out"
    );
    let not_a_number = SWING.replace("[0.5, 0, -1]", "[0.5, 0, \"=SQRT(p)\"]");
    assert!(
        refused(&not_a_number, 1.0, -1.0)
            .contains("body \"bob\": position[2]: its program gives NaN")
    );
}

#[test]
fn tunable_parameters_settle_nothing() {
    let tunable = |elements: &str| {
        let text = text(elements, "\"=2*p\"", 1.0)
            .replace("\"start\": 1}", "\"start\": 1, \"tunable\": true}");
        try_build(&text).map(drop)
    };
    let said = tunable(&SWING.replace("[0.5, 0, -1]", "[0.5, 0, @]")).unwrap_err();
    assert!(
        said.contains("field position[2]: reads the parameter \"p\", which is tunable; geometry, solids and initial conditions"),
        "{said}"
    );
    assert_eq!(
        tunable(&SWING.replace("\"mass\": 1", "\"mass\": @")),
        Ok(())
    );
}

/// Two wheels on a carrier that roll on each other; the place of their contact is a parameter.
#[test]
fn gears_follow_the_place_of_their_contact() {
    let gear = r#"
        "parts": [
            {"name": "arm", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "sun", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "planet", "mass": 1, "position": [1, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}, "angular_velocity": [0, 0, 50]}],
        "markers": [
            {"name": "base", "part": "ground"}, {"name": "arm_base", "part": "arm"},
            {"name": "arm_sun", "part": "arm"}, {"name": "sun_eye", "part": "sun"},
            {"name": "arm_planet", "part": "arm", "position": [1, 0, 0]}, {"name": "planet_eye", "part": "planet"},
            {"name": "contact", "part": "arm", "position": [@, 0, 0], "orientation": {"z_point": [@, 1, 0]}}],
        "joints": [
            {"name": "a", "type": "fixed", "i": "arm_base", "j": "base"},
            {"name": "s", "type": "revolute", "i": "sun_eye", "j": "arm_sun"},
            {"name": "p", "type": "revolute", "i": "arm_planet", "j": "planet_eye"}],
        "gears": [{"name": "g", "joints": ["s", "p"], "carrier": "contact"}]"#;
    let mut follows = by_parameter(gear, 0.2);
    alike(&mut follows, &mut written(gear, 0.2), gear);
    follows.set_parameter(P, 0.4).unwrap();
    follows.initialize(0.0).unwrap();
    alike(&mut follows, &mut written(gear, 0.4), gear);
    // 0.8 of the sun against 0.2 of the planet, whose spin is half of what it is where both are alike.
    follows.initialize(0.0).unwrap();
    let part = follows.part();
    let spin = |body: usize| part.state.rates(part.system.layout.velocity, body).1.z;
    assert!((spin(2) + 0.25 * spin(3)).abs() < 1e-9 && spin(3) > 0.8);
}

/// The mass properties of meshes that trimesh wrote and computed, in every format.
#[test]
fn meshes_weigh_what_trimesh_says() {
    let reference = json("M01_mesh_masses/reference.json");
    let folder = truth("M01_mesh_masses");
    let cases = reference["cases"].as_array().unwrap();
    for case in cases {
        let file = case["file"].as_str().unwrap();
        let text = format!(
            r#"{{"fixstep": 1, "name": "mesh", "gravity": [0, 0, 0], "parameters": [{{"name": "density", "start": 3}}],
            "parts": [{{"name": "part", "solids": [{{"type": "mesh", "file": "{file}", "scale": "1 m", "density": "=density"}}]}}]}}"#
        );
        let model = Model::read(&text, &resources::folder(&folder));
        let model = model.map_err(|e| e.to_string()).unwrap();
        assert!(
            model.mechanism.findings.is_empty(),
            "{:?}",
            model.mechanism.findings
        );
        let line = format!("mesh {file:?}: {} triangles", case["triangles"]);
        assert!(model.solids[0].starts_with(&line), "{:?}", model.solids);
        let mut simulation = simulation(&model).unwrap();
        for density in [3.0, 0.5] {
            simulation.set_parameter(P, density).unwrap();
            simulation.initialize(0.0).unwrap();
            let body = simulation.mechanism().bodies[1].clone();
            let values = &simulation.mechanism().values;
            let value = |id: ValueId| match values[id.index()].source {
                ValueSource::Constant(x) => x / density,
                ValueSource::Expression(_) => f64::NAN,
            };
            let volume = case["volume"].as_f64().unwrap();
            let near = |found: f64, wanted: &Value, size: f64| {
                let wanted = wanted.as_f64().unwrap();
                assert!(
                    (found - wanted).abs() <= 1e-10 * size,
                    "{file}: {found} {wanted}"
                );
            };
            near(value(body.mass), &case["volume"], volume);
            for axis in 0..3 {
                near(body.center_of_mass[axis], &case["center"][axis], 10.0);
            }
            let largest = case["inertia"][0][0].as_f64().unwrap().abs();
            for (k, [row, column]) in [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]]
                .into_iter()
                .enumerate()
            {
                let sign = if row == column { 1.0 } else { -1.0 };
                let found = sign * value(body.inertia[k]);
                near(found, &case["inertia"][row][column], 10.0 * largest);
            }
        }
    }
    assert_eq!(cases.len(), 10);
}
