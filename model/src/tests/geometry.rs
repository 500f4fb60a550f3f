//! Positions, axes, sizes and initial conditions that follow parameters.

use crate::Model;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{JointKind, Mechanism};

/// A rod in centimetres, placed and turned by parameters, and the same with numbers.
fn text(follows: bool) -> String {
    let number = |expression: &str, value: f64| {
        if follows {
            format!("\"={expression}\"")
        } else {
            format!("{value:?}")
        }
    };
    let (a, b, turn) = (1.5, -4.0, 0.4);
    format!(
        r#"{{
        "fixstep": 1, "name": "rod", "gravity": [0, 0, -981], "units": {{"length": "cm", "angle": "deg"}},
        "parameters": [{{"name": "a", "start": 1.5}}, {{"name": "b", "start": -4}}, {{"name": "turn", "start": 0.4}},
            {{"name": "tuned", "start": 1, "tunable": true}}],
        "parts": [
            {{"name": "rod", "mass": 1, "inertia": {{"xx": 1, "yy": 1, "zz": 1}}, "center_of_mass": [{com}, 0, 0],
              "position": [{x}, 2, {z}], "orientation": {{"euler": [{psi}, 90, {phi}]}}, "angular_velocity": [0, {w}, 0]}}
        ],
        "markers": [
            {{"name": "end", "part": "rod", "position": [0, {y}, 1],
              "orientation": {{"z_point": [3, {y}, {z}], "x_point": [0, 9, {x}]}}}},
            {{"name": "tip", "part": "rod", "position": [{x}, 0, 0], "orientation": {{"z_point": [{z}, 1, 2]}}}},
            {{"name": "hook", "part": "ground", "position": [0, 0, {hook}]}}
        ],
        "joints": [{{"name": "thread", "type": "distance", "i": "end", "j": "hook"}}]}}"#,
        com = number("a/10", 0.15),
        x = number("2*a", 2.0 * a),
        z = number("b", b),
        psi = number("turn*RTOD", turn * 180.0 / std::f64::consts::PI),
        phi = number("10*a", 10.0 * a),
        w = number("b*5", 5.0 * b),
        y = number("a - b", a - b),
        hook = number("10*a", 10.0 * a),
    )
}

fn read(text: &str) -> Result<Mechanism, String> {
    let model = Model::from_json(text).map_err(|e| e.to_string())?;
    Ok(model.mechanism)
}

/// All numbers that may follow.
fn numbers(m: &Mechanism) -> (Vec<Vec3>, Vec<Mat3>, f64) {
    let rod = &m.bodies[1];
    let mut places = vec![
        rod.position,
        rod.center_of_mass,
        rod.angular_velocity.unwrap(),
    ];
    let mut axes = vec![rod.orientation];
    for marker in &m.markers {
        places.push(marker.position);
        axes.push(marker.orientation);
    }
    let JointKind::Distance { length } = m.joints[0].kind else {
        unreachable!("it is a distance");
    };
    (places, axes, length)
}

#[test]
fn what_follows_parameters_is_what_numbers_give() {
    let written = read(&text(false)).unwrap();
    assert!(written.derived.is_empty());
    let mut followed = read(&text(true)).unwrap();
    let starts: Vec<f64> = followed
        .parameters
        .iter()
        .map(|p| p.quantity.start)
        .collect();
    let (places, axes, length) = numbers(&written);
    for derive in [false, true] {
        if derive {
            for place in followed.derived.iter().map(|d| d.place).collect::<Vec<_>>() {
                *followed.number_at(place).unwrap() = f64::NAN;
            }
            followed.derive(&starts).unwrap();
        }
        let found = numbers(&followed);
        for (found, expected) in found.0.iter().zip(&places) {
            assert!((found - expected).norm() < 1e-15, "{found} {expected}");
        }
        for (found, expected) in found.1.iter().zip(&axes) {
            assert!((found - expected).norm() < 1e-14, "{found} {expected}");
        }
        assert!((found.2 - length).abs() < 1e-15);
    }
    // Elsewhere the axes are axes, too, and the thread is as long as its ends are apart.
    followed.derive(&[-0.7, 2.3, 1.9, 1.0]).unwrap();
    let (places, axes, length) = numbers(&followed);
    for axes in &axes {
        assert!((axes * axes.transpose() - Mat3::identity()).norm() < 1e-14);
        assert!((axes.determinant() - 1.0).abs() < 1e-14);
    }
    let end = places[0] + axes[0] * places[3];
    assert!(((end - places[5]).norm() - length).abs() < 1e-15);
    assert!((places[3] - Vec3::new(0.0, -0.03, 0.01)).norm() < 1e-15);
}

#[test]
fn geometry_that_cannot_follow_is_refused_where_it_is() {
    for (from, to, said) in [
        (
            "\"=2*a\"",
            "\"=2*tuned\"",
            "parts[0] \"rod\", field position[0]: the parameter \"tuned\" is tunable, and geometry",
        ),
        (
            "\"=2*a\"",
            "\"=2*TIME\"",
            "position[0]: column 3 of \"2*TIME\": TIME is not valid here",
        ),
        (
            "\"=2*a\"",
            "\"=a/(a - 1.5)\"",
            "position[0]: must be finite; with the parameters' start values it is inf",
        ),
        (
            "[3, \"=a - b\", \"=b\"]",
            "[0, \"=a - b\", \"=a - 0.5\"]",
            "markers[0] \"end\", field orientation.z_point: z_point coincides",
        ),
        (
            "\"position\": [0, 0, \"=10*a\"]",
            "\"position\": [0, 0, \"10*a\"]",
            "an expression begins with \"=\": \"=10*a\"",
        ),
    ] {
        let whole = text(true);
        assert!(whole.contains(from), "{from}");
        let refused = read(&whole.replacen(from, to, 1)).unwrap_err();
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn axes_whose_points_meet_are_refused_when_they_do() {
    let text = text(true).replacen(
        "\"z_point\": [\"=b\", 1, 2]",
        "\"z_point\": [\"=-4 - b\", 0, 0]",
        1,
    );
    let mut m = read(&text).unwrap();
    m.derive(&[1.0, -5.0, 1.0, 1.0]).unwrap();
    // The z point of the marker `tip` is at −4 − b, its origin at 2 a.
    let refused = m.derive(&[1.0, -6.0, 1.0, 1.0]).unwrap_err().to_string();
    assert!(
        refused.starts_with("marker \"tip\": orientation[0][") && refused.contains("coincide"),
        "{refused}"
    );
}
