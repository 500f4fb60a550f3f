//! Tangents of spread loads, and of what reads modal coordinates and stress.

use super::*;
use fixstep_kernel::flex::{LoadCase, TensorPoint};
use fixstep_kernel::math::Vec3;

/// A body with a load case that has resultants, and stress at a point.
pub(super) fn loaded() -> Vec<u8> {
    let mut data = crate::rational::data();
    let modes = data.modes.len();
    data.loads.push(LoadCase {
        name: "wind".to_owned(),
        modal: (0..modes).map(|j| 0.7 - 0.4 * j as f64).collect(),
        force: Vec3::new(0.4, -0.7, 0.2),
        torque: Vec3::new(-0.3, 0.5, 0.8),
    });
    let value = |j: usize| std::array::from_fn(|c| 0.3 * (j + 1) as f64 - 0.2 * c as f64);
    data.stresses.push(TensorPoint {
        name: "weld".to_owned(),
        values: (0..modes).map(value).collect(),
    });
    fixstep_model::flex_file::write(&data)
}

fn spread(name: &str, scale: &str, change: impl Fn(&mut serde_json::Value)) {
    check(name, |m| {
        flexible::soft(m);
        m["flexible_bodies"][0]["file"] = "loaded.flex".into();
        m["forces"] = json!([
            {"name": "w", "type": "modal_force", "part": "b", "load": "wind", "scale": scale}
        ]);
        change(m);
    });
}

#[test]
fn spread_loads() {
    for scale in [
        "2.5",
        "1 + DX(ma, mc)*VZ(mb, mn)",
        "MODEQ(b, 1) - 0.3*MODEQ(b, 3)*MODEV(b, 2)",
        "0.1*MODEA(b, 1) + STRESS(b, weld, XY)",
        "MISES(b, weld)",
    ] {
        spread(scale, scale, |_| {});
    }
    spread("two of three modes", "MODEQ(b, 3) + VX(mb)", |m| {
        m["flexible_bodies"][0]["modes"] = json!([3, 1]);
    });
}

/// Other elements and equations that read how a body deforms.
#[test]
fn modal_coordinates_in_other_elements() {
    spread("force elsewhere", "0.2", |m| {
        let force = json!({
            "name": "f", "type": "vector_force", "i": "mc", "j": "mn", "fx": "STRESS(b, weld, ZX)",
            "fy": "MODEV(b, 1)*MODEQ(b, 2)"
        });
        m["forces"].as_array_mut().unwrap().push(force);
        m["differential_equations"] = json!([
            {"name": "z", "derivative": "MODEQ(b, 2) - DIF(z)*MODEV(b, 3)"}
        ]);
    });
}
