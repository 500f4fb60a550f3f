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
fn tree(mut by: Irregular) -> Value {
    let count = by.between(1.0, 5.0) as usize;
    let mut model = json!({
        "fixstep": 1, "name": "tree",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "gravity": [0, 0, -9.81], "experiment": {"start": 0, "stop": 1, "step": 0.1},
    });
    let lists = ["parts", "markers", "joints", "motions", "forces", "outputs"];
    lists.iter().for_each(|list| model[*list] = json!([]));
    let mut push = |list: &str, item: Value| model[list].as_array_mut().unwrap().push(item);
    let mut places = vec![[0.0; 3]];
    for k in 0..count {
        let parent = (by.between(0.0, places.len() as f64) as usize).min(k);
        let arm = by.vector(0.6);
        let place: [f64; 3] = core::array::from_fn(|c| places[parent][c] + arm[c]);
        let mass = by.between(0.5, 3.0);
        let moments: [f64; 3] = core::array::from_fn(|_| by.between(0.05, 0.15) * mass);
        let [a, b, c] = moments;
        push(
            "parts",
            json!({"name": format!("p{k}"), "mass": mass, "position": place, "center_of_mass": by.vector(0.2),
            "inertia": {"xx": a + b, "yy": b + c, "zz": c + a}}),
        );
        let turned: [f64; 4] = core::array::from_fn(|_| by.between(-1.0, 1.0));
        let turned = json!({"quaternion": turned});
        let on = match parent {
            0 => "ground".to_owned(),
            parent => format!("p{}", parent - 1),
        };
        let (i, j, tip, joint) = (
            format!("i{k}"),
            format!("j{k}"),
            format!("c{k}"),
            format!("J{k}"),
        );
        push(
            "markers",
            json!({"name": i, "part": format!("p{k}"), "orientation": turned}),
        );
        push(
            "markers",
            json!({"name": j, "part": on, "position": arm, "orientation": turned}),
        );
        push(
            "markers",
            json!({"name": tip, "part": format!("p{k}"), "position": by.vector(0.2)}),
        );
        let kind = by.choose(&[
            "revolute",
            "translational",
            "cylindrical",
            "spherical",
            "fixed",
        ]);
        push(
            "joints",
            json!({"name": joint, "type": kind, "i": i, "j": j}),
        );
        match kind {
            "revolute" => push(
                "motions",
                json!({"name": format!("m{k}"), "joint": joint, "displacement": by.motion(1.5)}),
            ),
            "translational" => {
                push(
                    "motions",
                    json!({"name": format!("m{k}"), "joint": joint, "displacement": by.motion(0.4)}),
                );
            }
            "cylindrical" => {
                for (direction, size) in [("rotation", 1.2), ("translation", 0.4)] {
                    push(
                        "motions",
                        json!({"name": format!("{direction}{k}"), "joint": joint, "direction": direction,
                        "displacement": by.motion(size)}),
                    );
                }
            }
            "spherical" => {
                for angle in ["b1", "b2", "b3"] {
                    push(
                        "motions",
                        json!({"name": format!("{angle}_{k}"), "i": i, "j": j, "direction": angle,
                        "displacement": by.motion(0.6)}),
                    );
                }
            }
            _ => {}
        }
        push(
            "forces",
            json!({"name": format!("s{k}"), "type": "spring_damper", "i": tip, "j": "ground",
            "stiffness": by.between(10.0, 200.0), "damping": by.between(0.0, 5.0), "length": 0.3}),
        );
        for component in [2, 3, 4, 6, 7, 8] {
            push(
                "outputs",
                json!({"name": format!("r{k}_{component}"), "expression": format!("JOINT('{joint}',0,{component},0)")}),
            );
        }
        for measure in ["DX", "DY", "DZ", "VX", "VY", "VZ", "ACCX", "ACCY", "ACCZ"] {
            push(
                "outputs",
                json!({"name": format!("{measure}{k}"), "expression": format!("{measure}({tip})")}),
            );
        }
        places.push(place);
    }
    model
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
            ("tree", tree(Irregular(seed * 7919))),
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
