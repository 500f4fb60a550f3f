//! Quasi-static runs: equilibria over time against closed forms, snap-through, and the end of equilibrium.

use crate::harness::{build, output, start, try_build};
use fixstep_kernel::ids::{InputId, ParameterId};
use fixstep_kernel::math::{asin, cos, pow, sin};
use fixstep_kernel::simulation::StepFailure;
use serde_json::{Value, json};

/// A mass that slides along x on a guide, with forces on it by expression.
fn slider(forces: &Value, more: &Value) -> Value {
    let mut model = json!({
        "fixstep": 1, "name": "slider",
        "units": {"length": "mm", "mass": "kg", "force": "N", "time": "s", "angle": "deg"},
        "gravity": [0, -9806.65, 0],
        "parts": [{"name": "block", "mass": 2, "inertia": {"xx": 10, "yy": 10, "zz": 10}, "position": [40, 0, 0]}],
        "markers": [
            {"name": "B", "part": "block", "orientation": {"z_point": [1, 0, 0]}},
            {"name": "P", "part": "block"},
            {"name": "G", "part": "ground", "orientation": {"z_point": [100, 0, 0]}},
            {"name": "O", "part": "ground"},
        ],
        "joints": [{"name": "guide", "type": "translational", "i": "B", "j": "G"}],
        "forces": forces,
        "outputs": [
            {"name": "x", "expression": "DX(P,O)"}, {"name": "v", "expression": "VX(P,O)"},
            {"name": "a", "expression": "ACCX(P,O)"},
            {"name": "N", "expression": "JOINT('guide',0,3,0)"},
        ],
        "solver": {"mode": "static"},
        "experiment": {"start": 0, "stop": 1, "step": 0.1},
    });
    for (key, value) in more.as_object().unwrap() {
        model[key] = value.clone();
    }
    model
}

#[test]
fn a_spring_is_lifted_along_its_closed_form() {
    let forces = json!([
        {"name": "spring", "type": "spring_damper", "i": "P", "j": "O", "stiffness": 3, "damping": 0.5,
         "length": 40},
        {"name": "pull", "type": "vector_force", "i": "P", "j": "ground", "fx": "20*TIME+5*SIN(6*TIME)"},
    ]);
    let mut simulation = build(&slider(&forces, &json!({})).to_string());
    start(&mut simulation, 0.05);
    for n in 0..=20 {
        let t = 0.05 * f64::from(n);
        if n > 0 {
            simulation.step().unwrap();
        }
        let wanted = 40.0 + (20.0 * t + 5.0 * sin(6.0 * t)) / 3.0;
        assert!((output(&simulation, "x") - wanted).abs() < 1e-9, "{t}");
        assert_eq!(
            [output(&simulation, "v"), output(&simulation, "a")],
            [0.0, 0.0]
        );
        assert!(
            (output(&simulation, "N") - 2.0 * 9.80665).abs() < 1e-9,
            "{}",
            output(&simulation, "N")
        );
    }
    assert_eq!(simulation.take_remarks(), [""; 0]);
}

/// A crank that a motion turns slowly: the torque is that of the weight alone, and nothing of its motion.
#[test]
fn a_motion_moves_a_quasi_static_run_without_inertia() {
    let model = json!({
        "fixstep": 1, "name": "crank",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "gravity": [0, -10, 0],
        "parts": [{"name": "crank", "mass": 3, "center_of_mass": [0.5, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "markers": [{"name": "C", "part": "crank"}, {"name": "O", "part": "ground"}],
        "joints": [{"name": "hinge", "type": "revolute", "i": "C", "j": "O"}],
        "motions": [{"name": "drive", "joint": "hinge", "velocity": "50*TIME"}],
        "outputs": [{"name": "angle", "expression": "AZ(C)"}, {"name": "torque", "expression": "MOTION('drive',0,8,0)"},
            {"name": "w", "expression": "WZ(C)"}],
        "solver": {"mode": "static"},
        "experiment": {"start": 0, "stop": 1, "step": 0.1},
    });
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.1);
    for n in 1..=10 {
        simulation.step().unwrap();
        let t = 0.1 * f64::from(n);
        let angle = 25.0 * t * t;
        let off = output(&simulation, "angle") - angle;
        assert!(sin(off).abs() < 1e-10 && cos(off) > 0.0, "{t}: {off}");
        let wanted = 15.0 * cos(angle);
        assert!(
            (output(&simulation, "torque") - wanted).abs() < 1e-9,
            "{t}: {} {wanted}",
            output(&simulation, "torque")
        );
        assert_eq!(output(&simulation, "w"), 0.0);
    }
}

/// Two bars from (±b, 0) to an apex at height h that is pressed down (von Mises' truss), and the force that presses it.
struct Truss {
    half: f64,
    height: f64,
    stiffness: f64,
}

const TRUSS: Truss = Truss {
    half: 1.0,
    height: 0.2,
    stiffness: 1000.0,
};

impl Truss {
    /// P(z) = 2 k z (L₀/L − 1), L² = b² + z².
    fn load(&self, z: f64) -> f64 {
        2.0 * self.stiffness * z * (self.half.hypot(self.height) / self.half.hypot(z) - 1.0)
    }

    /// The largest load, where L³ = L₀ b²: there the apex snaps through to the other side.
    fn limit(&self) -> f64 {
        let whole = self.half.hypot(self.height) * self.half * self.half;
        self.load((pow(whole, 2.0 / 3.0) - self.half * self.half).sqrt())
    }

    fn pressed_by(&self, force: &str) -> Value {
        let whole = self.half.hypot(self.height);
        let bar = |name: &str, foot: &str| {
            json!({"name": name, "type": "spring_damper", "i": "P", "j": foot, "stiffness": self.stiffness,
                   "damping": 0, "length": whole})
        };
        json!({
            "fixstep": 1, "name": "truss",
            "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
            "gravity": [0, 0, 0],
            "parts": [{"name": "apex", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1},
                "position": [0, 0, self.height]}],
            "inputs": [{"name": "press", "start": 0}],
            "markers": [{"name": "P", "part": "apex"}, {"name": "O", "part": "ground"},
                {"name": "left", "part": "ground", "position": [-self.half, 0, 0]},
                {"name": "right", "part": "ground", "position": [self.half, 0, 0]}],
            "joints": [{"name": "guide", "type": "translational", "i": "P", "j": "O"}],
            "forces": [bar("one", "left"), bar("other", "right"),
                {"name": "down", "type": "vector_force", "i": "P", "j": "ground", "fz": format!("-({force})")}],
            "outputs": [{"name": "z", "expression": "DZ(P,O)"}],
            "solver": {"mode": "static"},
            "experiment": {"start": 0, "stop": 1, "step": 0.05},
        })
    }
}

/// The two numbers of a sentence between these words.
fn numbers(text: &str, [before, between, after]: [&str; 3]) -> [f64; 2] {
    let rest = text.split(before).nth(1).unwrap();
    let rest = rest.split(after).next().unwrap();
    let mut all = rest.split(between).map(|number| number.parse().unwrap());
    [all.next().unwrap(), all.next().unwrap()]
}

#[test]
fn a_shallow_truss_snaps_through_at_its_limit_load() {
    let limit = TRUSS.limit();
    let model = TRUSS.pressed_by(&format!("{}*TIME", 2.0 * limit));
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.05);
    let mut jumps = Vec::new();
    for n in 1..=20 {
        simulation.step().unwrap();
        let (t, z) = (0.05 * f64::from(n), output(&simulation, "z"));
        assert!((TRUSS.load(z) - 2.0 * limit * t).abs() < 1e-6, "{t}: {z}");
        // At the limit itself either side is an equilibrium.
        assert!(n == 10 || (z > 0.0) == (n < 10), "{t}: {z}");
        jumps.extend(simulation.take_remarks());
    }
    let [jump] = &jumps[..] else {
        unreachable!("{jumps:?}")
    };
    assert!(jump.contains("part \"apex\" moves by"), "{jump}");
    let [from, to] = numbers(jump, ["between ", " s and ", " s (snap-through)"]);
    assert!(
        from <= 0.5 + 1e-6 && to >= 0.5 - 1e-6 && to - from < 1e-4,
        "{from} {to}"
    );
}

/// The same load from an input: it acts at once, and the jump is on its way.
#[test]
fn a_jump_on_the_way_of_an_input_is_located_there() {
    let limit = TRUSS.limit();
    let mut simulation = build(&TRUSS.pressed_by("press").to_string());
    start(&mut simulation, 0.05);
    for (share, jumps) in [
        (0.1, 0),
        (0.4, 0),
        (0.4, 0),
        (1.2, 1),
        (-0.3, 0),
        (-0.8, 0),
        (-1.5, 1),
    ] {
        simulation.set_input(InputId::from(0_usize), share * limit);
        simulation.step().unwrap();
        let z = output(&simulation, "z");
        assert!((TRUSS.load(z) - share * limit).abs() < 1e-6, "{share}: {z}");
        let said = simulation.take_remarks();
        assert_eq!(said.len(), jumps, "{share}: {said:?}");
        if share == 1.2 {
            let [from, to] = numbers(&said[0], ["between ", " % and ", " % of their change"]);
            assert!(
                from <= 75.01 && to >= 74.99 && to - from < 0.05,
                "{}",
                said[0]
            );
        }
    }
}

/// A parameter that changes is no way from one equilibrium to the other, and no jump.
#[test]
fn a_parameter_that_is_set_moves_the_equilibrium_without_a_jump() {
    let forces = json!([
        {"name": "spring", "type": "spring_damper", "i": "P", "j": "O", "stiffness": "=k", "damping": 0, "length": 40},
        {"name": "pull", "type": "vector_force", "i": "P", "j": "ground", "fx": "30+TIME"},
    ]);
    let more = json!({"parameters": [{"name": "k", "start": 3, "tunable": true}]});
    let mut simulation = build(&slider(&forces, &more).to_string());
    start(&mut simulation, 0.1);
    for (n, stiffness) in [3.0, 3.0, 1.0, 1.0, 6.0].into_iter().enumerate() {
        simulation
            .set_parameter(ParameterId::from(0_usize), stiffness)
            .unwrap();
        simulation.step().unwrap();
        let wanted = 40.0 + (30.0 + 0.1 * (n + 1) as f64) / stiffness;
        assert!((output(&simulation, "x") - wanted).abs() < 1e-9, "{n}");
        assert_eq!(simulation.take_remarks(), [""; 0], "{n}");
    }
}

#[test]
fn the_end_of_equilibrium_is_located_and_the_rows_before_it_stay() {
    // 5 sin(x/10 mm) holds up to 5 N; the pull reaches 5 N at 0.5 s.
    let forces = json!([
        {"name": "hold", "type": "vector_force", "i": "P", "j": "ground", "fx": "-5*SIN((DX(P,O)-40)/10)"},
        {"name": "pull", "type": "vector_force", "i": "P", "j": "ground", "fx": "10*TIME"},
    ]);
    let mut simulation = build(&slider(&forces, &json!({})).to_string());
    start(&mut simulation, 0.1);
    for n in 1..=4 {
        simulation.step().unwrap();
        let wanted = 40.0 + 10.0 * asin(0.2 * f64::from(n));
        assert!(
            (output(&simulation, "x") - wanted).abs() < 1e-8,
            "{}",
            output(&simulation, "x")
        );
    }
    let mut failure = simulation.step();
    if failure.is_ok() {
        failure = simulation.step();
    }
    assert_eq!(failure, Err(StepFailure::Instant));
    let halt = simulation.halt().unwrap();
    assert!((halt.reached - 0.5).abs() < 2e-3, "{halt:?}");
    for word in ["no static equilibrium between", "part \"block\" by"] {
        assert!(halt.why.contains(word), "{}", halt.why);
    }
}

/// A state follows to where it rests; an integrator that cannot rest, and a sampled controller, are refused by name.
#[test]
fn states_rest_or_are_named() {
    let forces = json!([
        {"name": "spring", "type": "spring_damper", "i": "P", "j": "O", "stiffness": 3, "damping": 0.5,
         "length": 40},
        {"name": "pull", "type": "vector_force", "i": "P", "j": "ground", "fx": "DIF(lag)"},
    ]);
    let lag = json!({"differential_equations": [{"name": "lag", "derivative": "8*(12*TIME-DIF(lag))", "initial": 0}]});
    let mut simulation = build(&slider(&forces, &lag).to_string());
    start(&mut simulation, 0.25);
    for n in 1..=4 {
        simulation.step().unwrap();
        assert!((output(&simulation, "x") - 40.0 - f64::from(n)).abs() < 1e-9);
    }
    let sum =
        json!({"differential_equations": [{"name": "lag", "derivative": "1+TIME", "initial": 0}]});
    let said = try_build(&slider(&forces, &sum).to_string()).err().unwrap();
    assert!(said.contains("\"lag\" with a rate of 1.000e0/s"), "{said}");
    let sampled = json!({"sampled_systems": [
        {"name": "controller", "sample_period": 0.01, "inputs": ["DX(P,O)"], "d": [[1]]}]});
    let plain = json!([forces[0]]);
    let said = try_build(&slider(&plain, &sampled).to_string())
        .err()
        .unwrap();
    assert!(
        said.contains(
            "a quasi-static run solves each instant by itself, but sampled system \"controller\""
        ),
        "{said}"
    );
}
