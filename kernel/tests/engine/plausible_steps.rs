//! Mistakes that show against the step and the start: each with a model that has it, in several units, and a near one
//! that does not.

use crate::lint::{and, cart, found, push, rules, with};
use crate::plausible::{ALL, carts, pendulum, scales};
use serde_json::{Value, json};

/// A ball of 0.1 kg, 1 m above a plane, in these units.
fn ball(units: [&str; 4], stiffness: f64, step: f64) -> Value {
    let (l, m, t) = scales(units);
    let mut model = pendulum(units);
    let inertia = 4e-5 / (m * l * l);
    model["gravity"] = json!([0, 0, -9.81 * t * t / l]);
    model["experiment"]["step"] = json!(step / t);
    model["parts"] = json!([{"name": "ball", "mass": 0.1 / m, "position": [0, 0, 1.0 / l],
                             "inertia": {"xx": inertia, "yy": inertia, "zz": inertia}}]);
    model["markers"] = json!([{"name": "middle", "part": "ball"}]);
    model["joints"] = json!([]);
    model["outputs"] = json!([]);
    model["forces"] = json!([{"name": "floor", "type": "contact", "i": "middle", "j": "ground",
        "shapes": {"i": {"type": "sphere", "radius": 0.03 / l}, "j": {"type": "plane"}},
        "normal": {"type": "impact", "stiffness": stiffness * l, "exponent": 1, "damping": 0,
                   "depth": 0.001 / l}}]);
    model
}

#[test]
fn contacts_that_are_open_at_the_start() {
    for units in ALL {
        // √(1e7/0.1) · 10 ms = 100.
        assert_eq!(
            rules(&ball(units, 1e7, 0.01)),
            ["fast-vibration floor"],
            "{units:?}"
        );
        // Ten steps per period: ω h = 0.628 at 4e4 N/m and 1 ms.
        assert_eq!(
            rules(&ball(units, 4.1e4, 0.001)),
            ["coarse-vibration floor"],
            "{units:?}"
        );
        assert_eq!(rules(&ball(units, 3.8e4, 0.001)), [""; 0], "{units:?}");
    }
    let text = found(&ball(ALL[1], 1e7, 0.01))[0].to_string();
    assert!(
        text.starts_with("force \"floor\", field normal: where it touches"),
        "{text}"
    );
    // 0.1 kg at ω h = 2.2: critical damping is 447 N s/m, and c h/m = 5 at 500 N s/m.
    let damped = |c: f64| {
        let mut model = ball(ALL[0], 5e5, 0.001);
        model["forces"][0]["normal"]["damping"] = json!(c);
        rules(&model)
    };
    assert_eq!(damped(440.0), ["coarse-vibration floor"]);
    assert_eq!(damped(490.0), [""; 0]);
    assert_eq!(damped(510.0), ["stiff-damping floor"]);
    // By expression, on a cart that is far away.
    let impact = |k: f64| {
        let text = format!("IMPACT(DX(hub), VX(hub), 0.5, {k}, 1, 0, 0.002)");
        rules(&push(&text))
    };
    assert_eq!(impact(19.8e6), ["fast-vibration f"]);
    assert_eq!(impact(8e5), ["coarse-vibration f"]);
    assert_eq!(impact(7e5), [""; 0]);
}

#[test]
fn springs_with_few_steps_per_period() {
    // 2 kg at 1 ms: ten steps per period are at 2 (0.2 π/0.001)² = 7.9e5 N/m.
    let spring = |k: f64, c: f64| {
        let spring = json!({"name": "f", "type": "spring_damper", "i": "hub", "j": "base", "length": 1,
                            "stiffness": k, "damping": c});
        rules(&cart(&spring))
    };
    assert_eq!(spring(7.8e5, 0.0), [""; 0]);
    assert_eq!(spring(8e5, 0.0), ["coarse-vibration f"]);
    // Critical damping is 2 √(k m) = 2530 N s/m.
    assert_eq!(spring(8e5, 2600.0), [""; 0]);
}

/// A body and a subframe of a car that hang together by a bushing, in these units.
fn car(units: [&str; 4]) -> Value {
    let (l, _, t) = scales(units);
    let mut model = carts(units, [1000.0, 40.0, 50.0]);
    model["joints"].as_array_mut().unwrap().clear();
    model["gravity"] = json!([0, 0, 0]);
    model["parts"][0]["velocity"] = json!([20.0 * t / l, 0, 0]);
    let bushing = |name: &str, k: usize| {
        let n = 1e5 * l;
        json!({"name": name, "type": "bushing", "i": "h0", "j": format!("h{k}"), "stiffness": [n, n, n]})
    };
    model["forces"] = json!([bushing("front", 1), bushing("rear", 2)]);
    model
}

#[test]
fn velocities_that_leave_parts_behind() {
    for units in ALL {
        let (l, _, t) = scales(units);
        let names = rules(&car(units));
        let torn: Vec<_> = names
            .iter()
            .filter(|name| name.starts_with("split-velocity"))
            .collect();
        assert_eq!(torn, ["split-velocity c1"], "{units:?}");
        let text = found(&car(units));
        let text = text
            .iter()
            .find(|f| f.rule.id() == "split-velocity")
            .unwrap()
            .to_string();
        assert!(
            text.contains("part \"c0\" moves at") && text.contains("force \"front\""),
            "{text}"
        );
        assert!(text.contains("the same holds of \"c2\""), "{text}");
        // Where all roll, or one is said to rest, nothing is torn.
        let mut rolling = car(units);
        rolling["parts"][1]["velocity"] = json!([20.0 * t / l, 0, 0]);
        rolling["parts"][2]["velocity"] = json!([0, 0, 0]);
        assert!(
            !rules(&rolling).iter().any(|name| name.starts_with("split")),
            "{units:?}"
        );
    }
}

#[test]
fn a_start_in_equilibrium_gets_other_advice() {
    // 2 kg at ω h = 0.5, which move at 5 m/s against a damper.
    let bushing = json!({"name": "f", "type": "bushing", "i": "hub", "j": "base",
                         "stiffness": [0, 0, 5e5], "damping": [0, 0, 100]});
    let mut model = with(cart(&bushing), "/parts/0/position", json!([0, 0, 0]));
    model["parts"][0]["velocity"] = json!([5, 0, 0]);
    let advice = |model: &Value| {
        assert_eq!(rules(model), ["initial-transient f"]);
        found(model)[0].remedy.clone()
    };
    let at_once = advice(&model);
    assert!(
        at_once.contains("start in static equilibrium, or"),
        "{at_once}"
    );
    let settled = advice(&and(model, "start", json!({"equilibrium": {}})));
    assert!(
        settled.contains("in static equilibrium already"),
        "{settled}"
    );
}

#[test]
fn turns_that_no_step_can_tell() {
    for units in ALL {
        let (_, _, t) = scales(units);
        // Half a turn in 1 ms are 3142 rad/s, a fifth 1257 rad/s.
        let spinning = |rate: f64| {
            let mut model = pendulum(units);
            let unit = if units[3] == "deg" {
                180.0 / std::f64::consts::PI
            } else {
                1.0
            };
            model["joints"][0]["initial"] = json!({"angular_velocity": rate * t * unit});
            rules(&model)
        };
        assert_eq!(spinning(1200.0), [""; 0], "{units:?}");
        assert_eq!(spinning(1300.0), ["fast-spin rod"], "{units:?}");
        assert_eq!(spinning(3200.0), ["fast-spin rod"], "{units:?}");
        let driven = |field: &str, rate: f64, text: &str| {
            let mut model = pendulum(units);
            let text = format!("{}*{text}", rate * t);
            model["motions"] = json!([{"name": "m", "joint": "hinge", field: text}]);
            rules(&model)
        };
        assert_eq!(
            driven("velocity", 3200.0, "1"),
            ["fast-spin m"],
            "{units:?}"
        );
        assert_eq!(driven("velocity", 3100.0, "1"), [""; 0], "{units:?}");
        assert_eq!(
            driven("displacement", 3200.5, "TIME"),
            ["fast-spin m"],
            "{units:?}"
        );
        assert_eq!(driven("displacement", 3100.5, "TIME"), [""; 0], "{units:?}");
    }
}

/// Friction follows the normal load, so a ball that slides is out of balance along the plane; but what swings is the
/// normal direction, and there it is in balance.
#[test]
fn slip_is_no_swing() {
    for units in ALL {
        let (l, _, t) = scales(units);
        let sliding = |sunk: f64| {
            let mut model = ball(units, 1e4, 0.001);
            model["parts"][0]["position"] = json!([0, 0, (0.03 - sunk) / l]);
            model["parts"][0]["velocity"] = json!([t / l, 0, 0]);
            model["forces"][0]["friction"] = json!({"mu_static": 0.2, "mu_dynamic": 0.2,
                "stiction_velocity": 0.01 * t / l, "friction_velocity": 0.02 * t / l});
            rules(&model)
        };
        let balanced = 0.1 * 9.81 / 1e4;
        assert_eq!(sliding(balanced), [""; 0], "{units:?}");
        assert_eq!(
            sliding(2.0 * balanced),
            ["initial-transient floor"],
            "{units:?}"
        );
    }
}

#[test]
fn strokes_within_a_few_steps() {
    for units in ALL {
        let (_, _, t) = scales(units);
        let driven = |field: &str, width: f64| {
            let mut model = pendulum(units);
            let text = format!(
                "STEP5(TIME, {}, 0, {}, {})",
                0.1 / t,
                (0.1 + width) / t,
                if field == "velocity" { t } else { 1.0 }
            );
            model["motions"] = json!([{"name": "m", "joint": "hinge", field: text}]);
            rules(&model)
        };
        for field in ["displacement", "velocity"] {
            assert_eq!(
                driven(field, 0.001),
                ["abrupt-motion m"],
                "{field} {units:?}"
            );
            assert_eq!(
                driven(field, 0.0045),
                ["abrupt-motion m"],
                "{field} {units:?}"
            );
            assert_eq!(driven(field, 0.0055), [""; 0], "{field} {units:?}");
        }
        assert_eq!(driven("acceleration", 0.001), [""; 0], "{units:?}");
    }
}

#[test]
fn the_length_of_a_stroke_is_told_in_words() {
    let message = |width: f64| {
        let mut model = pendulum(ALL[0]);
        let text = format!("STEP5(TIME, 0.1, 0, {}, 1)", 0.1 + width);
        model["motions"] = json!([{"name": "m", "joint": "hinge", "displacement": text}]);
        found(&model)[0].what.clone()
    };
    for (width, length) in [
        (0.001, "1 step"),
        (0.0025, "2.5 steps"),
        (0.0005, "0.5 steps"),
    ] {
        assert_eq!(
            message(width),
            format!(
                "STEP5 takes it from 0 to 1 in {length} of 0.001 s, but at least 5 are needed to resolve it"
            )
        );
    }
}

#[test]
fn ranges_that_hold_what_is_refused() {
    let spring = json!({"name": "f", "type": "spring_damper", "i": "hub", "j": "base", "length": 1,
                        "stiffness": "=k", "damping": "=c/ratio"});
    let model = |name: &str, bounds: Value| {
        let mut list = json!([{"name": "k", "start": 10}, {"name": "c", "start": 1},
                              {"name": "ratio", "start": 2}]);
        let all = list.as_array_mut().unwrap();
        let of = all.iter_mut().find(|x| x["name"] == name).unwrap();
        for (key, bound) in bounds.as_object().unwrap() {
            of[key] = bound.clone();
        }
        and(cart(&spring), "parameters", list)
    };
    assert_eq!(
        rules(&model("k", json!({"min": -5, "max": 20}))),
        ["parameter-range k"]
    );
    assert_eq!(rules(&model("k", json!({"min": 0, "max": 20}))), [""; 0]);
    assert_eq!(rules(&model("k", json!({}))), [""; 0]);
    let text = found(&model("k", json!({"min": -5, "max": 20})))[0].to_string();
    assert!(
        text.contains("parameter \"k\", field min: its range contains -5, with which forces[0] \"f\": stiffness is -5"),
        "{text}"
    );
    // Division by zero at an end, and within.
    assert_eq!(
        rules(&model("ratio", json!({"min": 0, "max": 3}))),
        ["parameter-range ratio"]
    );
    assert_eq!(
        rules(&model("ratio", json!({"min": 0.1, "max": 3}))),
        [""; 0]
    );
    assert_eq!(
        rules(&model("c", json!({"min": -1, "max": 3}))),
        ["parameter-range c"]
    );
}
