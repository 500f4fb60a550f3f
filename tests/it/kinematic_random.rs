//! Random mechanisms without freedom: the kinematic run against an integration to a tight tolerance.

use crate::harness::{advance, build, output, start};
use crate::kinematic::four_bar;
use serde_json::{Value, json};

/// Irregular numbers that are the same in every run (Lehmer's generator of 1951 with the multiplier 48271).
struct Irregular(u64);

impl Irregular {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        low + (high - low) * self.0 as f64 / 2_147_483_647.0
    }

    fn choose<'a>(&mut self, all: &[&'a str]) -> &'a str {
        let at = self.between(0.0, all.len() as f64) as usize;
        all[at.min(all.len() - 1)]
    }

    fn vector(&mut self, size: f64) -> [f64; 3] {
        core::array::from_fn(|_| self.between(-size, size))
    }

    /// A smooth motion that begins at zero.
    fn motion(&mut self, size: f64) -> String {
        let (a, w) = (self.between(0.3, 1.0) * size, self.between(1.0, 5.0));
        match self.choose(&["sine", "powers", "step"]) {
            "sine" => format!("{a}*SIN({w}*TIME)"),
            "powers" => format!("{a}*TIME+{a}*TIME**3"),
            _ => format!("STEP5(TIME, 0.1, 0, 0.9, {a})"),
        }
    }
}

/// A tree of parts whose joints are all driven, with springs between parts and ground.
struct Tree {
    by: Irregular,
    model: Value,
    places: Vec<[f64; 3]>,
}

impl Tree {
    fn grown(mut by: Irregular) -> Value {
        let count = by.between(1.0, 5.0) as usize;
        let mut model = json!({
            "fixstep": 1, "name": "tree",
            "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
            "gravity": [0, 0, -9.81], "experiment": {"start": 0, "stop": 1, "step": 0.1},
        });
        let lists = ["parts", "markers", "joints", "motions", "forces", "outputs"];
        for list in lists {
            model[list] = json!([]);
        }
        let places = vec![[0.0; 3]];
        let mut tree = Self { by, model, places };
        for k in 0..count {
            tree.add_part(k);
            tree.add_joint(k);
            tree.show(k);
        }
        tree.model
    }

    fn push(&mut self, list: &str, item: Value) {
        self.model[list].as_array_mut().unwrap().push(item);
    }

    /// A part on ground or another part, with markers where they join and one for its spring.
    fn add_part(&mut self, k: usize) {
        let by = &mut self.by;
        let parent = (by.between(0.0, self.places.len() as f64) as usize).min(k);
        let arm = by.vector(0.6);
        let place: [f64; 3] = core::array::from_fn(|c| self.places[parent][c] + arm[c]);
        let mass = by.between(0.5, 3.0);
        let [a, b, c]: [f64; 3] = core::array::from_fn(|_| by.between(0.05, 0.15) * mass);
        let turned: [f64; 4] = core::array::from_fn(|_| by.between(-1.0, 1.0));
        let turned = json!({"quaternion": turned});
        let (center, tip) = (by.vector(0.2), by.vector(0.2));
        let own = format!("p{k}");
        let on = match parent {
            0 => "ground".to_owned(),
            parent => format!("p{}", parent - 1),
        };
        let inertia = json!({"xx": a + b, "yy": b + c, "zz": c + a});
        self.push(
            "parts",
            json!({"name": own, "mass": mass, "position": place, "center_of_mass": center,
            "inertia": inertia}),
        );
        self.push(
            "markers",
            json!({"name": format!("i{k}"), "part": own, "orientation": turned}),
        );
        self.push(
            "markers",
            json!({"name": format!("j{k}"), "part": on, "position": arm, "orientation": turned}),
        );
        self.push(
            "markers",
            json!({"name": format!("c{k}"), "part": own, "position": tip}),
        );
        self.places.push(place);
    }

    fn add_joint(&mut self, k: usize) {
        let (i, j, joint) = (format!("i{k}"), format!("j{k}"), format!("J{k}"));
        let kind = self.by.choose(&[
            "revolute",
            "translational",
            "cylindrical",
            "spherical",
            "fixed",
        ]);
        self.push(
            "joints",
            json!({"name": joint, "type": kind, "i": i, "j": j}),
        );
        let driven: &[(&str, f64)] = match kind {
            "revolute" => &[("rotation", 1.5)],
            "translational" => &[("translation", 0.4)],
            "cylindrical" => &[("rotation", 1.2), ("translation", 0.4)],
            "spherical" => &[("b1", 0.6), ("b2", 0.6), ("b3", 0.6)],
            _ => &[],
        };
        for (direction, size) in driven {
            let mut motion =
                json!({"name": format!("{direction}_{k}"), "displacement": self.by.motion(*size)});
            if kind == "spherical" {
                motion["i"] = json!(i);
                motion["j"] = json!(j);
            } else {
                motion["joint"] = json!(joint);
            }
            if matches!(kind, "spherical" | "cylindrical") {
                motion["direction"] = json!(direction);
            }
            self.push("motions", motion);
        }
    }

    /// A spring to ground, and outputs.
    fn show(&mut self, k: usize) {
        let (stiffness, damping) = (self.by.between(10.0, 200.0), self.by.between(0.0, 5.0));
        self.push(
            "forces",
            json!({"name": format!("s{k}"), "type": "spring_damper", "i": format!("c{k}"),
            "j": "ground", "stiffness": stiffness, "damping": damping, "length": 0.3}),
        );
        let loads =
            [2, 3, 4, 6, 7, 8].map(|n| (format!("load{n}_{k}"), format!("JOINT('J{k}',0,{n},0)")));
        let measures = ["DX", "DY", "DZ", "VX", "VY", "VZ", "ACCX", "ACCY", "ACCZ"];
        let measures = measures.map(|name| (format!("{name}{k}"), format!("{name}(c{k})")));
        for (name, expression) in loads.into_iter().chain(measures) {
            self.push("outputs", json!({"name": name, "expression": expression}));
        }
    }
}

/// A four-bar whose crank turns.
fn linkage(mut by: Irregular) -> Value {
    let lengths = loop {
        let [crank, b, c, d] =
            [(0.08, 0.15), (0.2, 0.5), (0.2, 0.5), (0.2, 0.5)].map(|(a, b)| by.between(a, b));
        let longest = b.max(c).max(d);
        if crank + 2.0 * longest < b + c + d - 0.03 {
            break [crank, b, c, d];
        }
    };
    let angle = by.between(-3.0, 3.0);
    let rate = by.between(-8.0, 8.0);
    let drive = format!("{angle}+{rate}*TIME+0.3*SIN({}*TIME)", by.between(1.0, 5.0));
    four_bar(lengths, angle, &json!({"displacement": drive}))
}

/// All outputs at ten times.
fn rows(model: &Value, solver: Value) -> Vec<Vec<f64>> {
    let mut model = model.clone();
    model["solver"] = solver;
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.1);
    let outputs = simulation.mechanism().outputs.iter();
    let names: Vec<String> = outputs.map(|o| o.quantity.name.clone()).collect();
    (1..=10)
        .map(|n| {
            advance(&mut simulation, 0.1 * f64::from(n));
            names.iter().map(|name| output(&simulation, name)).collect()
        })
        .collect()
}

#[test]
fn fifty_random_mechanisms_move_as_their_integration_does() {
    let mut worst = 0.0_f64;
    for seed in 1..=25 {
        for (kind, model) in [
            ("tree", Tree::grown(Irregular(seed * 7919))),
            ("linkage", linkage(Irregular(seed * 104_729))),
        ] {
            let found = rows(&model, json!({"mode": "kinematic"}));
            let integrated = json!({"mode": "variable", "integrator": "WSTIFF", "formulation": "SI2", "error": 1e-9});
            let wanted = rows(&model, integrated);
            for k in 0..found[0].len() {
                let both = || found.iter().zip(&wanted).map(|(a, b)| (a[k], b[k]));
                let size = both().fold(1e-3_f64, |most, (a, b)| most.max(a.abs()).max(b.abs()));
                let off = both().fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / size;
                assert!(off < 2e-6, "{kind} {seed}, output {k}: {off}");
                worst = worst.max(off);
            }
        }
    }
    assert!(worst > 0.0, "two runs of the same kind");
}
