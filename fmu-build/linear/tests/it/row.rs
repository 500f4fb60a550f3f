//! A model of masses in a row, for frequency responses with a closed form.

use serde_json::{Value, json};

/// A mass, and the spring and damper to what stands before it.
pub(crate) struct Link {
    pub(crate) mass: f64,
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
}

/// Masses in a row along x, forces f1, f2 … on them, and outputs.
pub(crate) fn row(links: &[Link], outputs: &[(&str, &str)]) -> Value {
    let mut parts = Vec::new();
    let axis = |x: f64| json!({"z_point": [x + 1.0, 0, 0], "x_point": [x, 1, 0]});
    let mut markers = vec![
        json!({"name": "p0", "part": "ground"}),
        json!({"name": "x", "part": "ground", "orientation": axis(0.0)}),
    ];
    let (mut joints, mut forces, mut inputs) = (Vec::new(), Vec::new(), Vec::new());
    for (k, link) in links.iter().enumerate() {
        let (k, at) = (k + 1, (k + 1) as f64);
        parts.push(
            json!({"name": format!("m{k}"), "mass": link.mass, "position": [at, 0, 0],
            "inertia": {"xx": 1, "yy": 1, "zz": 1}}),
        );
        markers.extend([
            json!({"name": format!("p{k}"), "part": format!("m{k}")}),
            json!({"name": format!("i{k}"), "part": format!("m{k}"), "orientation": axis(0.0)}),
            json!({"name": format!("j{k}"), "part": "ground", "position": [at, 0, 0], "orientation": axis(at)}),
        ]);
        joints.push(json!({"name": format!("rail{k}"), "type": "translational",
            "i": format!("i{k}"), "j": format!("j{k}")}));
        if link.stiffness != 0.0 || link.damping != 0.0 {
            forces.push(json!({"name": format!("k{k}"), "type": "spring_damper", "i": format!("p{k}"),
                "j": format!("p{}", k - 1), "stiffness": link.stiffness, "damping": link.damping, "length": 1}));
        }
        forces.push(
            json!({"name": format!("push{k}"), "type": "action_only_force", "i": format!("p{k}"),
            "j": "x", "expression": format!("f{k}")}),
        );
        inputs.push(json!({"name": format!("f{k}"), "unit": "N"}));
    }
    let outputs = outputs
        .iter()
        .map(|(name, expression)| json!({"name": name, "expression": expression}));
    json!({"fixstep": 1, "name": "row", "gravity": [0, 0, 0], "parts": parts, "markers": markers, "joints": joints,
        "forces": forces, "inputs": inputs, "outputs": outputs.collect::<Vec<_>>()})
}
