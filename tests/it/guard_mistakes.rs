//! The usual mistakes of first models, and the ends that the guard may give them.

use serde_json::{Value, json};

/// When a run without a failure counts as right: an output, and the range in which it must stay.
pub(crate) type Right = Option<(&'static str, f64, f64)>;

/// A mistake.
pub(crate) struct Mistake {
    /// Its description, as in the table of the theory page.
    pub(crate) name: &'static str,
    /// The model, without its solver.
    pub(crate) model: Value,
    /// Duration \[s\].
    pub(crate) stop: f64,
    /// The entities that the failure may name.
    pub(crate) whom: &'static [&'static str],
    /// When a run without a failure is right.
    pub(crate) right: Right,
}

/// A ball of 0.1 kg falls 1 m on a stiff floor, 45 cm in the last ten steps.
fn ball(stiffness: f64, exponent: f64) -> Value {
    json!({
        "fixstep": 1, "name": "ball", "gravity": [0, 0, -9.81],
        "point_masses": [{"name": "ball", "mass": 0.1, "position": [0, 0, 1.05]}],
        "markers": [{"name": "centre", "part": "ball"}],
        "forces": [{
            "name": "floor", "type": "contact", "i": "centre", "j": "ground",
            "shapes": {"i": {"type": "sphere", "radius": 0.05}, "j": {"type": "plane"}},
            "normal": {"type": "impact", "stiffness": stiffness, "exponent": exponent, "damping": 0, "depth": 1e-4}
        }],
        "outputs": [{"name": "z", "expression": "DZ(centre)"}],
        "experiment": {"stop": 3, "step": 0.01}
    })
}

/// A rotor on a bearing, with more fields.
fn rotor(velocity: f64, more: &Value) -> Value {
    let mut model = json!({
        "fixstep": 1, "name": "rotor",
        "parts": [{"name": "rotor", "mass": 1, "inertia": {"xx": 1e-3, "yy": 2e-3, "zz": 1.5e-3}}],
        "markers": [{"name": "shaft", "part": "rotor"}],
        "joints": [{"name": "bearing", "type": "revolute", "i": "shaft", "j": "ground", "initial": {"angular_velocity": velocity}}],
        "outputs": [{"name": "angle", "expression": "AZ(shaft, ground)"}],
        "experiment": {"stop": 1, "step": 1e-3}
    });
    for (key, value) in more.as_object().unwrap() {
        model[key] = value.clone();
    }
    model
}

/// An arm of 1 m on a hinge that a motion turns; with `links` 2, a second arm hangs on its tip.
fn driven_arm(links: usize) -> Value {
    let names = ["arm", "link"];
    let rods = names.iter().take(links).enumerate().map(|(k, name)| {
        json!({"name": name, "mass": 1, "position": [k, 0, 0], "center_of_mass": [0.5, 0, 0],
               "inertia": {"xx": 1e-4, "yy": 0.083, "zz": 0.083}})
    });
    let mut model = json!({
        "fixstep": 1, "name": "arm", "gravity": [0, -9.81, 0],
        "parts": rods.collect::<Vec<_>>(),
        "markers": [{"name": "shaft", "part": "arm"}, {"name": "tip", "part": "arm", "position": [1, 0, 0]}],
        "joints": [{"name": "hinge", "type": "revolute", "i": "shaft", "j": "ground"}],
        "motions": [{"name": "drive", "joint": "hinge", "displacement": STROKE}],
        "outputs": [{"name": "angle", "expression": "AZ(shaft, ground)"}],
        "experiment": {"stop": 0.5, "step": 1e-3}
    });
    if links > 1 {
        model["markers"]
            .as_array_mut()
            .unwrap()
            .push(json!({"name": "end", "part": "link"}));
        let knee = json!({"name": "knee", "type": "revolute", "i": "end", "j": "tip"});
        model["joints"].as_array_mut().unwrap().push(knee);
    }
    model
}

/// 45 degrees within a step.
pub(crate) const STROKE: &str = "STEP5(TIME,0.1,0,0.101,45D)";

/// The arm alone on a hinge at its centre of mass, with another function of its motion.
pub(crate) fn balanced_arm(displacement: &str) -> Value {
    let mut model = driven_arm(1);
    model["parts"][0]["center_of_mass"] = json!([0, 0, 0]);
    model["motions"][0]["displacement"] = json!(displacement);
    model
}

/// A crank of 0.25 m, a coupler and a rocker that is driven farther than crank and coupler reach.
fn crank_out_of_reach() -> Value {
    let bar = |name: &str, length: f64, place: [f64; 2], angle: f64| {
        json!({"name": name, "mass": 2.4 * length, "position": [place[0], place[1], 0],
               "center_of_mass": [length / 2.0, 0, 0], "orientation": {"euler": [angle, 0, 0]},
               "inertia": {"xx": 1e-4, "yy": 0.2 * length.powi(3), "zz": 0.2 * length.powi(3)}})
    };
    json!({
        "fixstep": 1, "name": "crank", "gravity": [0, -9.81, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "parts": [
            bar("crank", 0.25, [0.0, 0.0], std::f64::consts::FRAC_PI_3),
            bar("coupler", 0.8, [0.125, 0.216_506_350_946_109_65], 0.396_268_697_837_633_3),
            bar("rocker", 0.55, [0.7, 0.0], 1.269_901_745_246_575)
        ],
        "markers": [
            {"name": "ground_d", "part": "ground", "position": [0.7, 0, 0]},
            {"name": "crank_a", "part": "crank"}, {"name": "crank_b", "part": "crank", "position": [0.25, 0, 0]},
            {"name": "coupler_b", "part": "coupler"}, {"name": "coupler_c", "part": "coupler", "position": [0.8, 0, 0]},
            {"name": "rocker_d", "part": "rocker"}, {"name": "rocker_c", "part": "rocker", "position": [0.55, 0, 0]}
        ],
        "joints": [
            {"name": "a", "type": "revolute", "i": "crank_a", "j": "ground"},
            {"name": "b", "type": "revolute", "i": "coupler_b", "j": "crank_b"},
            {"name": "c", "type": "revolute", "i": "rocker_c", "j": "coupler_c"},
            {"name": "d", "type": "revolute", "i": "rocker_d", "j": "ground_d"}
        ],
        "motions": [{"name": "drive", "joint": "d", "displacement": "1.269901745246575+2*TIME"}],
        "outputs": [{"name": "b_x", "expression": "DX(crank_b)"}, {"name": "b_y", "expression": "DY(crank_b)"}],
        "experiment": {"stop": 3, "step": 1e-3}
    })
}

/// A uniform rod on a pin, released from the horizontal. Its user meant 1 ms and entered a step of 1.
fn pendulum_of_whole_seconds() -> Value {
    json!({
        "fixstep": 1, "name": "pendulum", "gravity": [0, 0, -9.81],
        "parts": [{"name": "rod", "mass": 1, "center_of_mass": [0.5, 0, 0], "inertia": {"xx": 1e-4, "yy": 1.0 / 12.0, "zz": 1.0 / 12.0}}],
        "markers": [
            {"name": "rod_pin", "part": "rod", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}},
            {"name": "ground_pin", "part": "ground", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}}
        ],
        "joints": [{"name": "pin", "type": "revolute", "i": "rod_pin", "j": "ground_pin"}],
        "outputs": [{"name": "angle", "expression": "AZ(rod_pin, ground_pin)"}],
        "experiment": {"stop": 100, "step": 1}
    })
}

/// The exact angle after a second at 10⁶ N m, for a torque in the wrong unit.
const FAST: f64 = 0.5 * 1e6 / 1.5e-3;

fn of(
    name: &'static str,
    model: Value,
    stop: f64,
    whom: &'static [&'static str],
    right: Option<(&'static str, f64, f64)>,
) -> Mistake {
    Mistake {
        name,
        model,
        stop,
        whom,
        right,
    }
}

pub(crate) fn mistakes() -> Vec<Mistake> {
    let mut all = blows();
    all.extend(spins());
    all.extend(strokes());
    all
}

/// Contacts too stiff for the step.
fn blows() -> Vec<Mistake> {
    let whom: &[&str] = &["the mechanism", "part \"ball\"", "force \"floor\""];
    let bounces = Some(("z", -0.05, 2.6));
    let laws = [
        ("a ball on 1e7 N/m at 10 ms", 1e7, 1.0),
        ("a ball on 1e7 N/m^1.5 at 10 ms", 1e7, 1.5),
        ("a ball on 1e9 N/m^1.5 at 10 ms", 1e9, 1.5),
    ];
    laws.map(|(name, stiffness, exponent)| of(name, ball(stiffness, exponent), 3.0, whom, bounces))
        .into()
}

/// Shafts that steps cannot follow.
fn spins() -> Vec<Mistake> {
    let torque = |expression: &str| json!({"forces": [{"name": "motor", "type": "torque", "i": "shaft", "j": "ground", "expression": expression}]});
    let tumbling = json!({"joints": [], "parts": [{"name": "rotor", "mass": 1, "angular_velocity": [10, 5000, 3000],
                          "inertia": {"xx": 1e-3, "yy": 2e-3, "zz": 1.5e-3}}],
                          "outputs": [{"name": "spin", "expression": "WM(shaft)"}]});
    let whom: &[&str] = &["the mechanism", "part \"rotor\"", "joint \"bearing\""];
    let motor = rotor(0.0, &torque("1e6"));
    let drives = rotor(1.0, &torque("0.05*WZ(shaft,ground,ground)"));
    let brake = torque("-20*WZ(shaft,ground,ground)*ABS(WZ(shaft,ground,ground))");
    let fast = Some(("angle", 0.0, 1.001 * FAST));
    vec![
        of("a torque in the wrong unit", motor, 1.0, whom, fast),
        of("a damper that drives", drives, 3.0, whom, None),
        of(
            "a brake that is too strong for the step",
            rotor(3000.0, &brake),
            0.1,
            whom,
            Some(("angle", 0.0, 3.0)),
        ),
        of(
            "a body that tumbles by whole turns in a step",
            rotor(0.0, &tumbling),
            1.0,
            whom,
            None,
        ),
    ]
}

/// Steps too long, and motions that cannot be followed.
fn strokes() -> Vec<Mistake> {
    let arm: &[&str] = &[
        "the mechanism",
        "part \"arm\"",
        "joint \"hinge\"",
        "motion \"drive\"",
        "joint \"knee\"",
        "part \"link\"",
    ];
    let rod: &[&str] = &["the mechanism", "part \"rod\"", "joint \"pin\""];
    let rocker: &[&str] = &["the mechanism", "part", "joint", "motion \"drive\""];
    let turned = Some(("angle", -1e-6, std::f64::consts::FRAC_PI_4 + 1e-6));
    let swings = Some(("angle", -3.2, 3.2));
    let [one, two, balanced] = [
        "45 degrees within one step",
        "45 degrees within one step, and a link on it",
        "45 degrees within one step, of an arm in balance",
    ];
    let pendulum = pendulum_of_whole_seconds();
    vec![
        of(
            "a step of 1 where 1 ms is meant",
            pendulum,
            100.0,
            rod,
            swings,
        ),
        of(
            "a rocker driven out of reach",
            crank_out_of_reach(),
            3.0,
            rocker,
            None,
        ),
        of(one, driven_arm(1), 0.5, arm, turned),
        of(two, driven_arm(2), 0.5, arm, turned),
        of(balanced, balanced_arm(STROKE), 0.5, arm, turned),
    ]
}
