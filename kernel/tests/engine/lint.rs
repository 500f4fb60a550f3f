//! Every rule with a model that trips it and a near one that does not; no example trips any.

use fixstep_kernel::mechanism::{Finding, LintRule};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use serde_json::{Value, json};

/// A cart of 2 kg on a rail along x of ground, with a force.
pub(crate) fn cart(force: &Value) -> Value {
    let along = json!({"z_point": [1, 0, 0], "x_point": [0, 0, 1]});
    json!({
        "fixstep": 1, "name": "cart", "gravity": [0, 0, 0],
        "parts": [{"name": "cart", "mass": 2, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1},
                   "position": [1, 0, 0]}],
        "markers": [
            {"name": "base", "part": "ground", "orientation": along},
            {"name": "hub", "part": "cart", "orientation": along}
        ],
        "joints": [{"name": "rail", "type": "translational", "i": "hub", "j": "base"}],
        "forces": [force],
        "outputs": [{"name": "x", "expression": "IF(DX(hub): -1, 0, ABS(DX(hub)))"}]
    })
}

/// The cart under an expression along the rail.
pub(crate) fn push(expression: &str) -> Value {
    cart(
        &json!({"name": "f", "type": "vector_force", "i": "hub", "j": "base", "axes": "ground",
                "fx": expression}),
    )
}

pub(crate) fn found(model: &Value) -> Vec<Finding> {
    let model = Model::from_json(&model.to_string()).unwrap();
    Simulation::new(model.mechanism).unwrap().findings()
}

/// Rules and names of what is found.
pub(crate) fn rules(model: &Value) -> Vec<String> {
    let name = |finding: &Finding| format!("{} {}", finding.rule.id(), finding.name);
    // Units have tests of their own; here forces are of lengths and times.
    let all = found(model);
    let all = all.iter().filter(|f| f.rule != LintRule::UnitMismatch);
    all.map(name).collect()
}

pub(crate) fn with(mut model: Value, place: &str, value: Value) -> Value {
    *model.pointer_mut(place).unwrap() = value;
    model
}

pub(crate) fn and(mut model: Value, key: &str, value: Value) -> Value {
    model.as_object_mut().unwrap().insert(key.to_owned(), value);
    model
}

#[test]
fn switches_in_forces() {
    let jump = push("-IF(TIME - 1: 0, 1, 2)");
    assert_eq!(rules(&jump), ["if-in-force f"]);
    let text = found(&jump)[0].to_string();
    assert!(
        text.starts_with("force \"f\", field fx: IF switches"),
        "{text}"
    );
    assert_eq!(rules(&push("-STEP(TIME, 0.9, 0, 1.1, 2)")), [""; 0]);
    // Through a variable; of a parameter alone it is a constant.
    let variable = json!([{"name": "v", "expression": "IF(DX(hub): 1, 1, 2)"}]);
    let through = and(push("v"), "variables", variable);
    assert_eq!(rules(&through), ["if-in-force f"]);
    let parameter = json!([{"name": "p", "start": 1}]);
    let fixed = and(push("IF(p: 1, 1, 2)"), "parameters", parameter);
    assert_eq!(rules(&fixed), [""; 0]);
}

#[test]
fn switches_in_derivatives() {
    let equation = |derivative: &str| json!([{"name": "z", "derivative": derivative}]);
    let model = |derivative| {
        and(
            push("DIF(z)"),
            "differential_equations",
            equation(derivative),
        )
    };
    assert_eq!(rules(&model("IF(DX(hub): 1, 0, -1)")), ["if-in-force z"]);
    assert_eq!(rules(&model("SIGN(1, VX(hub))")), ["kink-in-force z"]);
    assert_eq!(rules(&model("-DIF(z)")), [""; 0]);
}

#[test]
fn kinks_in_forces() {
    for rough in [
        "ABS(DX(hub))",
        "1 + ABS(VX(hub))",
        "MAX(0, DX(hub) - 1)",
        "MIN(DX(hub), 3)",
        "MOD(TIME, 0.1)",
        "INT(TIME)",
        "DIM(DX(hub), 1)",
        "ABS(DX(hub))*DY(hub)",
        "(1 + ABS(DX(hub)))**2",
        "(1 + ABS(DX(hub)))*ABS(DX(hub))",
        "ABS(DX(hub) - 1)*(DX(hub) + 1)",
    ] {
        assert_eq!(rules(&push(rough)), ["kink-in-force f"], "{rough}");
    }
    for smooth in [
        "-VX(hub)*ABS(VX(hub))",
        "-ABS(VX(hub))*VX(hub)",
        "-0.5*1.2*ABS(VX(hub))*0.3*VX(hub)",
        "-ABS(VX(hub))*VX(hub)**3",
        "-VX(hub)**5*ABS(VX(hub))",
        "-ABS(2*VX(hub))*VX(hub)",
        "ABS(-VX(hub)/3)*VX(hub)",
        "ABS(DX(hub) - 1)*(1 - DX(hub))",
        "-(3 + 2*ABS(VX(hub)))*VX(hub)",
        "MAX(0, 1 - DX(hub))**2",
        "MAX(0, 1 - DX(hub))**1.5",
        "ABS(VX(hub))**2.2",
        "SIGN(VX(hub)**2, VX(hub))",
        "SQRT(DX(hub)**2 + 0.01)",
    ] {
        assert_eq!(rules(&push(smooth)), [""; 0], "{smooth}");
    }
}

#[test]
fn contact_by_expression() {
    let impact = |damping: f64, depth: f64| {
        push(&format!(
            "IMPACT(DX(hub), VX(hub), 0.5, 1e4, 1.5, {damping}, {depth})"
        ))
    };
    assert_eq!(rules(&impact(50.0, 0.002)), [""; 0]);
    assert_eq!(rules(&impact(50.0, 0.0005)), ["shallow-contact f"]);
    assert_eq!(rules(&impact(0.0, 0.0005)), [""; 0]);
    // At 2 mm the spring has 1e4·1.5·√0.002 = 671 N/m: critical is 2 √(671·2 kg) = 73 N s/m.
    assert_eq!(rules(&impact(140.0, 0.002)), [""; 0]);
    assert_eq!(rules(&impact(150.0, 0.002)), ["contact-damping f"]);
    // Numbers from parameters count as at the start.
    let parameters = json!([{"name": "c", "start": 150}]);
    let model = push("BISTOP(DX(hub), VX(hub), 0.5, 1.5, 1e4, 1.5, c, 0.002)");
    assert_eq!(
        rules(&and(model, "parameters", parameters)),
        ["contact-damping f"]
    );
}

#[test]
fn contact_elements() {
    let contact = |damping: f64, depth: f64| {
        cart(
            &json!({"name": "f", "type": "contact", "i": "hub", "j": "base",
            "shapes": {"i": {"type": "sphere", "radius": 0.1}, "j": {"type": "plane"}},
            "normal": {"type": "impact", "stiffness": 1e4, "damping": damping, "depth": depth}}),
        )
    };
    assert_eq!(rules(&contact(50.0, 0.002)), [""; 0]);
    assert_eq!(rules(&contact(50.0, 0.0009)), ["shallow-contact f"]);
    assert_eq!(rules(&contact(140.0, 0.002)), [""; 0]);
    assert_eq!(rules(&contact(150.0, 0.002)), ["contact-damping f"]);
    let place = found(&contact(150.0, 0.002))[0].place();
    assert_eq!(place, "force \"f\", field normal");
}

#[test]
fn friction_about_rest() {
    // 40 N on 2 kg change the velocity by 0.02 m/s in 1 ms.
    assert_eq!(
        rules(&push("-40*SIGN(1, VX(hub))")),
        ["velocity-about-zero f"]
    );
    let narrow = "-STEP(VX(hub), -0.001, -40, 0.001, 40)";
    assert_eq!(rules(&push(narrow)), ["velocity-about-zero f"]);
    assert_eq!(
        rules(&push("-40*TANH(VX(hub)/0.001)")),
        ["velocity-about-zero f"]
    );
    let wide = "-STEP(VX(hub), -0.05, -40, 0.05, 40)";
    assert_eq!(rules(&push(wide)), [""; 0]);
    // The same transition at a tenth of the step.
    let fine = and(push(narrow), "experiment", json!({"step": 1e-4}));
    assert_eq!(rules(&fine), [""; 0]);
}

#[test]
fn bristles_beyond_friction_or_the_step() {
    // A slide of 2 kg under 20 N: σ1 up to 9.326 · 0.25/0.01 = 233 s/m, σ0 up to 1/(10 h²) = 1e5 /m.
    let bristles = |stiffness: f64, damping: f64| {
        let law = json!({"type": "lugre", "bristle_stiffness": stiffness,
                         "bristle_damping": damping, "stribeck_velocity": 0.01});
        let friction = json!({"name": "f", "type": "joint_friction", "joint": "rail",
                              "mu_static": 0.4, "mu_dynamic": 0.25, "law": law});
        and(cart(&friction), "gravity", json!([0, 0, -10]))
    };
    assert_eq!(rules(&bristles(0.99e5, 233.0)), [""; 0]);
    assert_eq!(rules(&bristles(1e4, 233.5)), ["bristle-damping f"]);
    assert_eq!(rules(&bristles(1.01e5, 20.0)), ["fast-vibration f"]);
    let place = found(&bristles(1e4, 300.0))[0].place();
    assert_eq!(place, "force \"f\", field law.bristle_damping");
}

#[test]
fn damping_beyond_the_step() {
    let damper = |c: f64| {
        cart(
            &json!({"name": "f", "type": "spring_damper", "i": "hub", "j": "base", "length": 1,
                    "stiffness": 100, "damping": c}),
        )
    };
    // c h/m = 5 at 10 000 N s/m.
    assert_eq!(rules(&damper(9900.0)), [""; 0]);
    assert_eq!(rules(&damper(10100.0)), ["stiff-damping f"]);
    let text = found(&damper(20000.0))[0].to_string();
    assert!(text.contains("settles in 1.000e-4 s"), "{text}");
    assert!(
        text.contains("10 times as fast as the step of 0.001 s"),
        "{text}"
    );
    assert!(text.contains("part \"cart\" of 2 kg"), "{text}");
    assert_eq!(rules(&push("-9900*VX(hub)")), [""; 0]);
    assert_eq!(rules(&push("-10100*VX(hub)")), ["stiff-damping f"]);
}

#[test]
fn stiffness_beyond_the_step() {
    // ω h = π at k = 2 (π/0.001)² = 19.739e6 N/m.
    let spring = |k: f64| {
        cart(
            &json!({"name": "f", "type": "spring_damper", "i": "hub", "j": "base", "length": 1,
                    "stiffness": k}),
        )
    };
    assert_eq!(rules(&spring(19.7e6)), ["coarse-vibration f"]);
    assert_eq!(rules(&spring(19.8e6)), ["fast-vibration f"]);
    // 1/(2π) √(8e7/2) = 1006.6 Hz: a period of 0.9935 ms.
    let text = found(&spring(8e7))[0].to_string();
    assert!(text.contains("1007 Hz"), "{text}");
    assert!(
        text.contains("0.9935 steps of 0.001 s per period"),
        "{text}"
    );
    // A bushing across a rail that holds it moves nothing; along it, it does.
    let bushing = |k: [f64; 3]| {
        cart(
            &json!({"name": "f", "type": "bushing", "i": "hub", "j": "base", "stiffness": k,
                    "torsional_stiffness": [1e9, 1e9, 1e9]}),
        )
    };
    let at = |k| with(bushing(k), "/parts/0/position", json!([0, 0, 0]));
    assert_eq!(rules(&at([1e9, 1e9, 19.7e6])), ["coarse-vibration f"]);
    assert_eq!(rules(&at([1.0, 1.0, 19.8e6])), ["fast-vibration f"]);
    assert_eq!(rules(&push("-19.8e6*(DX(hub) - 1)")), ["fast-vibration f"]);
}

#[test]
fn parts_of_hardly_any_mass() {
    let spring = json!({"name": "f", "type": "spring_damper", "i": "hub", "j": "base", "length": 1,
                        "stiffness": 1e6});
    let heavy = json!({"name": "rock", "mass": 100,
                       "inertia": {"xx": 1e4, "yy": 1e4, "zz": 1e4}, "position": [0, 5, 0],
                       "velocity": [0, 0, 0]});
    let model = |mass: f64| {
        let mut model = with(cart(&spring), "/parts/0/mass", json!(mass));
        model["parts"].as_array_mut().unwrap().push(heavy.clone());
        model
    };
    // ω h = 0.001 √(1e6/m): above π below 101 g.
    assert_eq!(rules(&model(0.09)), ["light-part cart"]);
    assert_eq!(rules(&model(0.15)), ["coarse-vibration f"]);
    assert_eq!(
        rules(&with(model(0.09), "/parts/1/mass", json!(1))),
        ["fast-vibration f"]
    );
}

#[test]
fn starts_out_of_balance() {
    // 2 kg at ω h = 0.5: a bushing that gravity loads at once.
    let hung = |preload: f64| {
        let bushing = json!({"name": "f", "type": "bushing", "i": "hub", "j": "base",
                             "stiffness": [0, 0, 5e5], "damping": [0, 0, 0], "preload": [0, 0, preload]});
        let model = with(cart(&bushing), "/parts/0/position", json!([0, 0, 0]));
        and(model, "gravity", json!([-9.81, 0, 0]))
    };
    assert_eq!(rules(&hung(0.0)), ["initial-transient f"]);
    let text = found(&hung(0.0))[0].to_string();
    assert!(text.contains("out of balance by 19.62 N"), "{text}");
    assert!(text.contains("79.58 Hz"), "{text}");
    assert_eq!(rules(&hung(19.0)), [""; 0]);
    // Critical damping is 2 √(k m) = 2000 N s/m: beyond, nothing swings.
    let damped = |c: f64| with(hung(0.0), "/forces/0/damping", json!([0, 0, c]));
    assert_eq!(rules(&damped(1900.0)), ["initial-transient f"]);
    assert_eq!(rules(&damped(2100.0)), [""; 0]);
    let settled = and(hung(0.0), "start", json!({"equilibrium": {}}));
    assert_eq!(rules(&settled), [""; 0]);
    let ramped = and(hung(0.0), "start", json!({"ramp": {"duration": 0.1}}));
    assert_eq!(rules(&ramped), [""; 0]);
}

#[test]
fn poses_that_assembly_moves() {
    let off = |y: f64| with(push("0"), "/parts/0/position", json!([1, y, 0]));
    assert_eq!(rules(&off(0.02)), ["pose-moved cart"]);
    assert_eq!(rules(&off(0.005)), [""; 0]);
    let mut rough = off(0.02);
    rough["parts"][0]["assembly"] = json!({"weight": 0.5});
    assert_eq!(rules(&rough), [""; 0]);
}

#[test]
fn poses_that_initial_conditions_move() {
    let asked = |y: f64, x: f64| {
        let mut model = with(push("0"), "/parts/0/position", json!([1, y, 0]));
        model["joints"][0]["initial"] = json!({"displacement": x});
        model
    };
    assert_eq!(rules(&asked(0.0, 3.0)), [""; 0]);
    assert_eq!(rules(&asked(0.02, 3.0)), ["pose-moved cart"]);
    let driven = |motion: Value| {
        let mut model = push("0");
        model["motions"] = json!([motion]);
        model
    };
    let by_rate = json!({"name": "m", "joint": "rail", "velocity": "1", "initial_displacement": 3});
    assert_eq!(rules(&driven(by_rate)), [""; 0]);
    let elsewhere = json!({"name": "m", "joint": "rail", "displacement": "3 + TIME"});
    assert_eq!(rules(&driven(elsewhere)), ["pose-moved cart"]);
}

#[test]
fn samples_that_come_faster_than_steps() {
    let sampled = |period: f64| {
        let mut model = push("0");
        model["experiment"] = json!({"stop": 1, "step": 0.001});
        model["sampled_systems"] = json!([{"name": "c", "sample_period": period,
            "inputs": ["DX(hub)"], "outputs": ["SAMINP(c, 1)"]}]);
        model
    };
    assert_eq!(rules(&sampled(0.0005)), ["slow-sampling c"]);
    assert_eq!(rules(&sampled(0.001)), [""; 0]);
    assert_eq!(rules(&sampled(0.0015)), ["uneven-sampling c"]);
    let mut finer = sampled(0.0005);
    finer["solver"] = json!({"hratio": 2});
    assert_eq!(rules(&finer), [""; 0]);
}

#[test]
fn velocities_that_the_joints_refuse() {
    let mut model = push("0");
    model["parts"][0]["velocity"] = json!([1, 0.5, 0]);
    assert_eq!(rules(&model), ["velocity-missed cart"]);
    model["parts"][0]["velocity"] = json!([1, 0, 0]);
    assert_eq!(rules(&model), [""; 0]);
}

#[test]
fn motions_and_their_derivatives() {
    let motion = |field: &str, text: &str, formulation: &str| {
        let mut motion = json!({"name": "m", "joint": "rail"});
        motion[field] = json!(text);
        let model = and(push("0"), "motions", json!([motion]));
        let solver = json!({"integrator": "GSTIFF", "formulation": formulation});
        rules(&and(model, "solver", solver))
    };
    let step = "1 + STEP(TIME, 0, 0, 1, 1)";
    assert_eq!(motion("displacement", step, "SI2"), ["rough-motion m"]);
    assert_eq!(motion("displacement", step, "I3"), [""; 0]);
    assert_eq!(motion("velocity", step, "SI2"), [""; 0]);
    let step5 = "1 + STEP5(TIME, 0, 0, 1, 1)";
    assert_eq!(motion("displacement", step5, "SI2"), [""; 0]);
    let kink = "0.5 + ABS(TIME - 0.5)";
    assert_eq!(motion("displacement", kink, "I3"), ["rough-motion m"]);
    assert_eq!(motion("velocity", kink, "I3"), [""; 0]);
    assert_eq!(motion("velocity", kink, "SI2"), ["rough-motion m"]);
    assert_eq!(motion("acceleration", kink, "SI2"), [""; 0]);
    let jump = "IF(TIME - 0.5: 1, 1, 2)";
    assert_eq!(motion("velocity", jump, "I3"), ["rough-motion m"]);
    assert_eq!(motion("acceleration", jump, "I3"), [""; 0]);
}

#[test]
fn constraints_that_follow_from_others() {
    let twice = json!([
        {"name": "rail", "type": "translational", "i": "hub", "j": "base"},
        {"name": "upright", "type": "parallel_axes", "i": "hub", "j": "base"}
    ]);
    let model = with(push("0"), "/joints", twice);
    assert_eq!(rules(&model), ["redundant-constraint upright"]);
    let text = found(&model)[0].to_string();
    assert!(text.contains("2 of its equations"), "{text}");
}

#[test]
fn answers_and_strictness() {
    let answer = json!({"allow": [{"rule": "if-in-force", "entity": "f", "reason": "it is late"}]});
    let answered = and(push("IF(TIME - 9: 0, 0, 1)"), "lint", answer);
    assert_eq!(rules(&answered), [""; 0]);
    let idle = with(answered.clone(), "/forces/0/fx", json!("0"));
    assert_eq!(rules(&idle), ["unused-allowance "]);
    // What a smaller step takes away is answered for the longer one; a name that is nowhere is wrong at any step.
    for (entity, left) in [("f", &[][..]), ("ff", &["unused-allowance "][..])] {
        let answer = json!({"allow": [{"rule": "coarse-vibration", "entity": entity, "reason": "it does not matter"}]});
        assert_eq!(rules(&and(push("0"), "lint", answer)), *left);
    }
    let start = |model: &Value| {
        let model = Model::from_json(&model.to_string()).unwrap();
        Simulation::new(model.mechanism)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let strict = and(
        push("IF(TIME - 9: 0, 0, 1)"),
        "lint",
        json!({"strict": true}),
    );
    let error = start(&strict).unwrap_err();
    assert!(
        error.contains("lint.strict") && error.contains("force \"f\", field fx: IF"),
        "{error}"
    );
    assert_eq!(
        start(&and(push("0"), "lint", json!({"strict": true}))),
        Ok(())
    );
    let mut both = answered;
    both["lint"]["strict"] = json!(true);
    assert_eq!(start(&both), Ok(()));
}

#[test]
fn examples_are_clean_or_have_answered() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let (mut checked, mut all) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path().join("model.json");
        let model = Model::from_file(&file).map_err(|e| e.to_string()).unwrap();
        let name = model.mechanism.name.clone();
        let simulation = Simulation::new(model.mechanism)
            .map_err(|e| e.to_string())
            .unwrap();
        let lines = simulation.findings();
        all.extend(lines.iter().map(|finding| format!("{name}: {finding}")));
        checked += 1;
    }
    assert_eq!(all, [""; 0]);
    assert!(checked > 7);
}

#[test]
fn every_rule_is_on_its_page() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lint.md");
    let page = std::fs::read_to_string(page).unwrap();
    let headings: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("## `"))
        .collect();
    let headings: Vec<&str> = headings
        .iter()
        .filter_map(|line| line.strip_suffix('`'))
        .collect();
    let ids: Vec<&str> = fixstep_kernel::mechanism::LintRule::ALL
        .iter()
        .map(|rule| rule.id())
        .collect();
    assert_eq!(headings, ids);
}
