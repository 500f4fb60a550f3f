//! The tangents of tyres: every law and road, loaded and in the air, sticking and sliding, and of what
//! can be read of them.

use super::*;
use serde_json::Value;

pub(super) fn roads() -> [Value; 6] {
    [
        json!({"type": "flat"}),
        json!({"type": "slope", "grade": 0.1, "bank": -0.2}),
        json!({"type": "sine", "amplitude": 0.1, "wavelength": 3.0, "phase": 0.4}),
        json!({"type": "plank", "height": 0.1, "width": 0.3, "edge": 4.0}),
        json!({"type": "profile", "s": [-3, -1, 0, 1, 3, 4], "z": [0, 0.3, -0.2, 0.1, 0, 0.1]}),
        json!({"type": "profile", "s": [-3, -1, 0, 1, 3], "t": [-1, 1],
               "z": [[0, 0.3, -0.2, 0.1, 0], [0.1, 0, 0.2, 0.1, 0]]}),
    ]
}

/// A linear tyre of a radius and friction; forces of the order of the fixture's.
pub(super) fn linear(radius: f64, mu: f64) -> Value {
    json!({"type": "linear", "radius": radius, "vertical_stiffness": 30, "vertical_damping": 2,
           "slip_stiffness": 40, "cornering_stiffness": 30, "camber_stiffness": 5, "mu": mu,
           "longitudinal_relaxation": 0.6, "lateral_relaxation": 0.9, "trail": 0.3,
           "rolling_resistance": 0.1})
}

/// The sample tyre, as soft and light as the fixture.
pub(super) fn files(path: &str) -> Result<Vec<u8>, String> {
    if path == "five.flex" {
        return Ok(fixstep_model::flex_file::write(&crate::rational::data()));
    }
    if path == "loaded.flex" {
        return Ok(super::modal::loaded());
    }
    if path == "solid.flex" {
        let mut solid = crate::rational::data();
        for node in &mut solid.nodes {
            node.freedom = [true, true, true, false, false, false];
        }
        return Ok(fixstep_model::flex_file::write(&solid));
    }
    if path != "bench.tir" {
        return fixstep_model::resources::none(path);
    }
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tyres/touring.tir");
    let text = std::fs::read_to_string(place).map_err(|e| e.to_string())?;
    let text = text
        .replace("UNLOADED_RADIUS = 0.31", "UNLOADED_RADIUS = 2.5")
        .replace("VERTICAL_STIFFNESS = 2.1e5", "VERTICAL_STIFFNESS = 30")
        .replace("VERTICAL_DAMPING = 600", "VERTICAL_DAMPING = 2")
        .replace("VXLOW = 1.0", "VXLOW = 20.0")
        .replace("PKX1 = 21.5", "PKX1 = 4")
        .replace("PKY1 = -18.0", "PKY1 = -4")
        .replace("QBZ1 = 9.6", "QBZ1 = 3")
        .replace("QBZ9 = 16.0", "QBZ9 = 2")
        .replace("RBX1 = 11.5", "RBX1 = 3")
        .replace("RBX2 = -9.8", "RBX2 = -2")
        .replace("RBY1 = 7.2", "RBY1 = 3")
        .replace("RVY4 = 11.0", "RVY4 = 2")
        .replace("RVY6 = -10.5", "RVY6 = -2")
        .replace("FNOMIN = 4000", "FNOMIN = 40")
        .replace("FZMIN = 100", "FZMIN = 1")
        .replace("CAMMIN = -0.26181", "CAMMIN = -1.5")
        .replace("CAMMAX = 0.26181", "CAMMAX = 1.5");
    Ok(text.into_bytes())
}

/// Checks the matrix where a torque reads the tyre too; says what load the tyre carries.
fn compare(law: &Value, road: &Value, more: &Value, seed: u32) -> f64 {
    let mut model = base();
    model["roads"] = json!([{"name": "road", "shape": road, "position": [0.1, -0.2, 0.1],
                             "yaw": 0.4, "friction": 0.9}]);
    let mut tyre = json!({"name": "t", "type": "tyre", "i": "ma", "j": "mb", "road": "road",
                          "law": law, "friction": 1.1});
    for (key, value) in more.as_object().unwrap() {
        tyre[key] = value.clone();
    }
    model["forces"] = json!([
        tyre,
        {"name": "reads", "type": "torque", "i": "mc", "j": "mb",
         "expression": "TYRE(t, MZ) + 2*TYRE(t, KAPPA) + TYRE(t, X)*TYRE(t, ALPHA) + TYRE(t, 16) \
                        + TYRE(t, RADIUS) - TYRE(t, VSY) + FX(ma, mb)"}
    ]);
    let what = format!("{law} on {road}, {more}, seed {seed}");
    let mut fixture = Fixture::new(&model, seed, no_scheme());
    fixture.residual();
    fixture.check(&what);
    fixture.ws.tyres[0].channels[2].value
}

#[test]
fn tyres() {
    let (mut loaded, mut aloft) = (0, 0);
    for (k, road) in roads().iter().enumerate() {
        for (radius, mu) in [(2.5, 3.0), (2.5, 0.2), (0.1, 1.0)] {
            for more in [
                json!({}),
                json!({"axis": "-y", "side": "right", "low_speed": {"velocity": 60, "time": 0.1}}),
            ] {
                let load = compare(&linear(radius, mu), road, &more, (1 + k % 3) as u32);
                loaded += u32::from(load > 0.1);
                aloft += u32::from(load == 0.0);
            }
        }
    }
    assert!(loaded > 8 && aloft > 8, "{loaded} {aloft}");
}

#[test]
fn magic_formula() {
    let mut loaded = 0;
    for (k, road) in roads().iter().enumerate() {
        for mode in [14, 4, -13, 12, 1] {
            let law = json!({"type": "pac2002", "file": "bench.tir", "use_mode": mode});
            let more = json!({"low_speed": {"velocity": 60, "time": 0.01}});
            loaded += u32::from(compare(&law, road, &more, (1 + k % 2) as u32) > 0.1);
        }
    }
    assert!(loaded > 12, "{loaded}");
}
