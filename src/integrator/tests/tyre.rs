//! The tangents of tyres: every law and road, loaded and in the air, sticking and sliding, and of what
//! can be read of them.

use super::*;
use serde_json::Value;

fn roads() -> [Value; 6] {
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

/// A linear tyre of a radius and friction; forces of the order of the bench's.
fn linear(radius: f64, mu: f64) -> Value {
    json!({"type": "linear", "radius": radius, "vertical_stiffness": 30, "vertical_damping": 2,
           "slip_stiffness": 40, "cornering_stiffness": 30, "camber_stiffness": 5, "mu": mu,
           "longitudinal_relaxation": 0.6, "lateral_relaxation": 0.9, "trail": 0.3,
           "rolling_resistance": 0.1})
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
    let mut bench = Bench::new(&model, seed, no_scheme());
    bench.residual();
    bench.check(&what);
    bench.ws.tyres[0].values[2]
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
