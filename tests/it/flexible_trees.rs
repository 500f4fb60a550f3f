//! Tests that random trees of rigid and flexible bodies on hinges start with every given angle and rate, and that no body
//! bends for it.

use crate::flexible_start::{are_zero, modal, push, strain, with_rod};
use crate::harness::output;
use serde_json::{Value, json};

/// Numbers from −1 to 1 (Numerical Recipes' quick generator).
struct Random(u32);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 23) - 1.0
    }

    fn three(&mut self, size: f64) -> [f64; 3] {
        [(); 3].map(|()| size * self.next())
    }

    fn below(&mut self, count: usize) -> usize {
        let count = count as f64;
        (0.5 * (self.next() + 1.0) * count).min(count - 1.0) as usize
    }
}

/// A body of the tree: where it is put, and where others may hang on it.
struct Limb {
    part: String,
    origin: [f64; 3],
    flexible: bool,
}

impl Limb {
    /// A marker for a hinge, and where it is.
    fn hold(&self, name: &str, random: &mut Random, orientation: &[f64; 3]) -> (Value, [f64; 3]) {
        let mut marker =
            json!({"name": name, "part": self.part, "orientation": {"euler": orientation}});
        let offset = if self.flexible {
            let (node, x) = [("small_end", 0.5), ("big_end", 0.0)][random.below(2)];
            marker["node"] = json!(node);
            [x, 0.0, 0.0]
        } else {
            let offset = random.three(0.4);
            marker["position"] = json!(offset);
            offset
        };
        let place = core::array::from_fn(|k| self.origin[k] + offset[k]);
        (marker, place)
    }
}

/// Adds a tree, as it is before anything turns; the angle and the rate of each hinge.
fn grow(model: &mut Value, random: &mut Random, count: usize) -> Vec<[f64; 2]> {
    model["flexible_bodies"] = json!([]);
    model["markers"] = json!([]);
    let ground = Limb {
        part: "ground".to_owned(),
        origin: [0.0; 3],
        flexible: false,
    };
    let mut limbs = vec![ground];
    let mut wanted = Vec::new();
    for k in 0..count {
        let flexible = k % 2 == 0 || random.next() > 0.0;
        let orientation = random.three(3.0);
        let carrier = &limbs[random.below(limbs.len())];
        let (marker, origin) = carrier.hold(&format!("j{k}"), random, &orientation);
        push(model, "markers", marker);
        let part = format!("limb {k}");
        let mut own =
            json!({"name": format!("i{k}"), "part": part, "orientation": {"euler": orientation}});
        if flexible {
            let rod = json!({"name": part, "file": "rod.flex", "position": origin});
            push(model, "flexible_bodies", rod);
            own["node"] = json!("big_end");
        } else {
            let [xx, yy, zz] = [0.2, 0.25, 0.3];
            let body = json!({
                "name": part, "mass": 1.0 + 0.9 * random.next(), "position": origin,
                "center_of_mass": random.three(0.2), "inertia": {"xx": xx, "yy": yy, "zz": zz}
            });
            push(model, "parts", body);
        }
        push(model, "markers", own);
        let [angle, rate] = [1.2 * random.next(), 5.0 * random.next()];
        let (i, j) = (format!("i{k}"), format!("j{k}"));
        let hinge = json!({
            "name": format!("hinge {k}"), "type": "revolute", "i": i, "j": j,
            "initial": {"angle": angle, "angular_velocity": rate}
        });
        push(model, "joints", hinge);
        for (name, expression) in [
            (format!("a{k}"), format!("AZ({i}, {j})")),
            (format!("w{k}"), format!("WZ({i}, {j}, {j})")),
        ] {
            let measured = json!({"name": name, "expression": expression});
            push(model, "outputs", measured);
        }
        limbs.push(Limb {
            part,
            origin,
            flexible,
        });
        wanted.push([angle, rate]);
    }
    wanted
}

#[test]
fn random_trees_start_unbent_with_what_is_given() {
    let mut random = Random(11);
    let mut off = [0.0_f64; 2];
    for case in 0..25 {
        let count = 1 + case % 6;
        let mut wanted = Vec::new();
        let mut simulation = with_rod(|m| wanted = grow(m, &mut random, count));
        let energy = strain(&simulation);
        assert!(energy == 0.0, "tree {case} of {count}: {energy} J");
        assert!(modal(&mut simulation).iter().all(|all| are_zero(all)));
        for (k, given) in wanted.iter().enumerate() {
            let found = ["a", "w"].map(|name| output(&simulation, &format!("{name}{k}")));
            for n in 0..2 {
                off[n] = off[n].max((found[n] - given[n]).abs());
            }
        }
        assert!(off[0] < 1e-12 && off[1] < 1e-12, "tree {case}: {off:?}");
    }
    eprintln!("angles are off by {:e}, rates by {:e}", off[0], off[1]);
}
