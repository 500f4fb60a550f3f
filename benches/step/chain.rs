//! The chain of `models/chain` with any number of links.

use serde_json::{Value, json};

const LENGTH: f64 = 0.1;
const MASS: f64 = 0.5;
const WIDTH: f64 = 0.02;

/// The model: links along x, joined by hinges whose axes are y and z in turn, the first to ground.
pub(crate) fn model(links: usize) -> Value {
    let moment = MASS * (LENGTH * LENGTH + WIDTH * WIDTH) / 12.0;
    let inertia = json!({"xx": MASS * WIDTH * WIDTH / 6.0, "yy": moment, "zz": moment});
    let (mut parts, mut markers, mut joints) = (Vec::new(), Vec::new(), Vec::new());
    let mut before = ("ground".to_owned(), 0.0);
    for k in 1..=links {
        let link = format!("link{k}");
        let euler = json!({"euler": [0, if k % 2 == 1 { -90 } else { 0 }, 0]});
        let middle = LENGTH * (k as f64 - 0.5);
        let (end, begin) = (format!("{}.end", before.0), format!("{link}.begin"));
        parts.push(
            json!({"name": link, "mass": MASS, "inertia": inertia, "position": [middle, 0, 0]}),
        );
        markers.push(json!({"name": end, "part": before.0, "position": [before.1, 0, 0], "orientation": euler}));
        markers.push(json!({"name": begin, "part": link, "position": [-LENGTH / 2.0, 0, 0], "orientation": euler}));
        joints.push(json!({"name": format!("hinge{k}"), "type": "revolute", "i": begin, "j": end}));
        before = (link, LENGTH / 2.0);
    }
    markers.push(json!({"name": "tip", "part": before.0, "position": [before.1, 0, 0]}));
    json!({
        "fixstep": 1,
        "name": "chain",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "deg"},
        "gravity": [0, -3, -9.3],
        "parts": parts,
        "markers": markers,
        "joints": joints,
        "outputs": [{"name": "speed", "expression": "VM(tip)"}],
        "solver": {"integrator": "HHT", "fixit": 2},
        "experiment": {"start": 0, "stop": 1, "step": 0.001},
    })
}
