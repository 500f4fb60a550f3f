//! Linear forms of mechanisms with hundreds of parts.

use super::*;
use serde_json::{Value, json};

/// A chain of hinged links that hangs.
fn hanging(links: usize) -> Value {
    let part = |k: usize| {
        json!({"name": format!("l{k}"), "mass": 0.5, "position": [0, 0, -0.05 - 0.1 * k as f64],
            "inertia": {"xx": 4e-4, "yy": 4e-4, "zz": 3e-5}})
    };
    let markers = |k: usize| {
        let marker = |end: &str, z: f64| {
            json!({"name": format!("{end}{k}"), "part": format!("l{k}"), "position": [0, 0, z],
            "orientation": {"z_point": [0, 1, z], "x_point": [1, 0, z]}})
        };
        [marker("top", 0.05), marker("end", -0.05)]
    };
    let below = |k: usize| match k {
        0 => String::from("rest"),
        _ => format!("end{}", k - 1),
    };
    let mut all: Vec<Value> = (0..links).flat_map(markers).collect();
    all.push(json!({"name": "rest", "part": "ground", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}}));
    let joint = |k: usize| json!({"name": format!("j{k}"), "type": "revolute", "i": format!("top{k}"), "j": below(k)});
    json!({
        "fixstep": 1, "name": "hanging", "gravity": [0, 0, -9.81],
        "parts": (0..links).map(part).collect::<Vec<_>>(), "markers": all,
        "joints": (0..links).map(joint).collect::<Vec<_>>(),
        "outputs": [{"name": "load", "expression": "FM(top0, rest)"}, {"name": "end", "expression": format!("DX(end{})", links - 1)}]
    })
}

/// Three hundred links, whose mass and stiffness as functions of the angles are known.
#[test]
fn three_hundred_links() {
    let links = 300;
    let simulation = super::super::simulation(&hanging(links));
    let linearization = simulation.linearization().unwrap();
    let form = form::linear_form(simulation.mechanism(), &linearization, &Options::default());
    let form = form.unwrap();
    assert_eq!(form.positions, links);
    let (m, l, g, j) = (0.5, 0.1, 9.81, 4e-4);
    let below = |k: usize| (links - 1 - k) as f64;
    let mass = faer::Mat::from_fn(links, links, |r, c| {
        if r == c {
            m * l * l * (below(r) + 0.25) + j
        } else {
            m * l * l * (below(r.max(c)) + 0.5)
        }
    });
    let stiffness = faer::Mat::from_fn(links, links, |r, c| {
        if r == c {
            m * g * l * (below(r) + 0.5)
        } else {
            0.0
        }
    });
    let places = &linearization.tangents.places;
    let list = form.shapes.coordinates.iter().enumerate();
    let turns: Vec<usize> = list
        .filter(|(_, k)| places[**k].unknown.ends_with("rotation about y"))
        .map(|(at, _)| at)
        .collect();
    let turns = faer::Mat::from_fn(links, links, |r, c| form.shapes.positions[(turns[r], c)]);
    for (what, got, angles) in [
        ("mass", &form.second_order.mass, &mass),
        ("stiffness", &form.second_order.stiffness, &stiffness),
    ] {
        let wanted = turns.transpose() * angles * &turns;
        let size = wanted.norm_max();
        let error = (got - wanted).norm_max();
        assert!(error < 1e-10 * size, "{what}: {error} of {size}");
    }
}
