//! Random templates: sound ones expand, and their flat models are the same to the last bit; broken ones give messages.

use super::templates::Damage;
use crate::{Model, expanded, resources::none};
use serde_json::{Value, json};

/// Random models.
struct Maker {
    chance: Damage,
}

impl Maker {
    fn below(&mut self, limit: usize) -> usize {
        self.chance.below(limit)
    }

    /// A number that people write.
    fn number(&mut self) -> Value {
        let hundredths = self.below(401) as f64 - 200.0;
        let text = format!("{}", hundredths / 100.0);
        serde_json::from_str(&text).unwrap()
    }

    fn vector(&mut self) -> Value {
        json!([self.number(), self.number(), self.number()])
    }

    fn orientation(&mut self) -> Value {
        match self.below(4) {
            0 => json!({"euler": self.vector()}),
            1 => json!({"z_point": [5, self.number(), self.number()]}),
            2 => {
                json!({"z_point": [self.number(), 6, self.number()], "x_point": [self.number(), self.number(), 7]})
            }
            _ => json!({"quaternion": [0.5, -0.5, 0.5, 0.5]}),
        }
    }

    /// Sets pose, mirror and number of an instance.
    fn placed(&mut self, instance: &mut Value, markers: &[&str]) {
        if self.below(2) == 0 {
            instance["position"] = self.vector();
        }
        if self.below(2) == 0 {
            instance["orientation"] = self.orientation();
        }
        if self.below(3) == 0 {
            instance["mirrored"] = json!(true);
        }
        if self.below(3) == 0 && !markers.is_empty() {
            instance["at"] = json!(markers[self.below(markers.len())]);
        }
    }

    fn count(&mut self) -> usize {
        match self.below(12) {
            0 => 100,
            1 => 101,
            k => [0, 1, 2, 3, 9, 10, 11][k % 7],
        }
    }

    fn part(&mut self, name: &str) -> Value {
        json!({
            "name": name, "mass": "${weight}", "inertia": {"xx": 0.2, "yy": 0.3, "zz": 0.25, "xy": 0.01, "yz": -0.02},
            "center_of_mass": self.vector(), "position": self.vector(), "orientation": self.orientation(),
            "velocity": self.vector(), "angular_velocity": self.vector()
        })
    }

    /// A body on another, with elements whose data a mirror changes.
    fn arm(&mut self) -> Value {
        let joints = ["revolute", "translational", "spherical", "fixed"];
        let mut joint =
            json!({"name": "j", "type": joints[self.below(4)], "i": "own", "j": "base.m"});
        if joint["type"] == "revolute" {
            joint["initial"] = json!({"angle": self.number()});
        }
        json!({
            "name": "arm",
            "parameters": {"weight": {"default": "500 g", "unit": "kg"}, "k": 3},
            "fmu_parameters": [{"name": "rate", "start": "${k}", "unit": "N/m"}],
            "inputs": [{"name": "u", "unit": "N"}],
            "ports": {"base": "part", "push": "signal"},
            "defaults": {"forces/bushing": {"damping": [1, 2, 3]}},
            "parts": [self.part("body")],
            "markers": [
                {"name": "own", "part": "body", "position": self.vector(), "orientation": self.orientation()},
                {"name": "base.m", "part": "base", "position": self.vector(), "orientation": self.orientation()},
                {"name": "world", "part": "ground", "position": self.vector()},
                {"name": "tip", "part": "body", "position": self.vector(), "orientation": self.orientation()}
            ],
            "joints": [joint],
            "forces": [
                {"name": "b", "type": "bushing", "i": "own", "j": "base.m", "stiffness": [4, 5, "=rate"], "preload": self.vector(),
                    "torsional_preload": self.vector()},
                {"name": "s", "type": "torsion_spring_damper", "i": "own", "j": "base.m", "stiffness": 2, "angle": self.number()},
                {"name": "t", "type": "torque", "i": "own", "j": "base.m", "expression": "${side}*push*u + AZ(own, base.m)"}
            ],
            "variables": [{"name": "v", "expression": "rate*DX(tip, world)"}]
        })
    }

    /// Arms on a body of its own, one by one, in pairs and in arrays.
    fn crab(&mut self) -> Value {
        let ports = json!({"base": "shell", "push": "0.5*signal"});
        let mut instances = Vec::new();
        for (k, name) in ["first", "second", "legs"].into_iter().enumerate() {
            let mut one = json!({"name": name, "template": "arm", "ports": ports});
            let known = ["shell.m", "first.tip", "first.base.m"];
            let markers = if k == 0 { &known[..1] } else { &known[..] };
            self.placed(&mut one, markers);
            if k == 2 {
                let count = self.count();
                one["count"] = json!(count);
                one["position"] = json!(["${0.1*index}", self.number(), "${index/count}"]);
                if count > 0 && self.below(2) == 0 {
                    one["elements"] = json!({"1": {"parameters": {"k": 8}}});
                }
                if count > 1 && self.below(2) == 0 {
                    one["at"] = json!("legs[${index - 1}].tip");
                    one["elements"] = json!({"1": {"at": "ground"}});
                }
            }
            instances.push(one);
        }
        let mut pair = json!({"pair": ["l", "r"], "template": "arm", "ports": ports, "elements": {"r": {"parameters": {"k": 5}}}});
        self.placed(&mut pair, &["shell.m", "second.tip"]);
        if self.below(2) == 0 {
            pair["overrides"] = json!({"s": {"angle": self.number()}, "j": {"type": "revolute"}, "rate": {"start": 9}});
        }
        instances.push(pair);
        json!({
            "name": "crab", "parameters": {"weight": 2}, "ports": {"signal": "signal"},
            "parts": ["legs", self.part("shell"), "instances"],
            "markers": [{"name": "shell.m", "part": "shell", "position": self.vector(), "orientation": self.orientation()}],
            "instances": instances
        })
    }

    fn model(&mut self) -> Value {
        let mut instances = Vec::new();
        for name in ["a", "b"] {
            let mut one = json!({"name": name, "template": "crab", "ports": {"signal": "u"}});
            self.placed(
                &mut one,
                &["here", if name == "b" { "a.l.tip" } else { "b.r.tip" }],
            );
            instances.push(one);
        }
        if instances
            .iter()
            .all(|one| one["at"].as_str().is_some_and(|at| at != "here"))
        {
            instances[0]["at"] = json!("here");
        }
        json!({
            "fixstep": 1, "name": "random", "units": {"angle": if self.below(2) == 0 { "deg" } else { "rad" }},
            "inputs": [{"name": "u", "unit": "1"}],
            "markers": [{"name": "here", "part": "ground", "position": self.vector(), "orientation": self.orientation()}],
            "templates": [self.arm(), self.crab()], "instances": instances,
            "outputs": [{"name": "y", "expression": "DX(a.l.tip) + b.second.v"}]
        })
    }
}

/// What a text means: the file that its FMU carries, and the flat text.
fn meant(text: &str) -> Result<(Vec<u8>, String), String> {
    let model = Model::read(text, &none).map_err(|errors| errors.to_string())?;
    let packed = model.packed().map_err(|fault| format!("{fault:?}"))?;
    let flat = expanded("", text, &none).map_err(|errors| errors.to_string())?;
    Ok((packed.bytes, flat))
}

#[test]
fn random_templates_mean_what_their_flat_models_mean() {
    let mut maker = Maker {
        chance: Damage::new(0x2545_F491_4F6C_DD1D),
    };
    for k in 0..60 {
        let model = maker.model();
        let (own, flat) =
            meant(&model.to_string()).unwrap_or_else(|e| unreachable!("{k}: {e}\n{model}"));
        let (again, same) = meant(&flat).unwrap();
        assert!(own == again, "{k}: the flat model is another\n{model}");
        assert_eq!(flat, same);
    }
}

#[test]
fn random_breakages_give_messages() {
    let mut maker = Maker {
        chance: Damage::new(0x9E37_79B9_7F4A_7C15),
    };
    let odd = [
        json!(null),
        json!(true),
        json!(-3),
        json!(1e300),
        json!(""),
        json!("${index}"),
        json!("a.l.tip"),
        json!("legs[2].tip"),
        json!([]),
        json!(["a", "b"]),
        json!({}),
        json!({"a": {"at": "b.l.tip"}}),
        json!("100000"),
        json!(20000),
    ];
    let (mut refused, mut read) = (0, 0);
    for _ in 0..25 {
        let sound = maker.model();
        let mut places = Vec::new();
        super::bad::pointers(&sound, String::new(), &mut places);
        for _ in 0..25 {
            let mut broken = sound.clone();
            let place = &places[maker.below(places.len())];
            let value = odd[maker.below(odd.len())].clone();
            // The model itself has no place in itself.
            if place.is_empty() {
                continue;
            }
            // Kinds of defaults have a slash, which is none of a path.
            let Some(spot) = broken.pointer_mut(place) else {
                continue;
            };
            *spot = value;
            let text = broken.to_string();
            match Model::read_named("m.json", &text, &none, &[]) {
                Ok(_) => read += 1,
                Err(errors) => {
                    refused += 1;
                    let said = errors.to_string();
                    assert!(said.contains("m.json:1:"), "{place}: {said}");
                }
            }
        }
    }
    assert!(refused > 100 && read > 20, "{refused} {read}");
}

#[test]
fn empty_templates_do_not_multiply_for_ever() {
    let mut templates = vec![json!({"name": "t0"})];
    for k in 1..20 {
        templates.push(json!({"name": format!("t{k}"),
            "instances": [{"name": "i", "template": format!("t{}", k - 1), "count": 1000}]}));
    }
    let model = json!({"fixstep": 1, "name": "a", "templates": templates, "instances": [{"name": "i", "template": "t19"}]});
    let said = Model::from_json(&model.to_string())
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("the templates make more than 200000 entities"),
        "{said}"
    );
}
