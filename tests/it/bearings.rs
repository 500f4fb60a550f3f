//! Tests of the friction of every joint, over the slip, for every load that presses the joint and for both laws; and that a
//! step of a sticking joint takes as much work as one of a sliding joint.

use crate::friction::{G, add, close, model};
use crate::harness::{build, output, start};
use crate::states::{schemes, with_solver};
use serde_json::{Value, json};

const MU: [f64; 2] = [0.5, 0.3];
/// Radius of pins and balls, friction arm, bending arm, reaction arm.
const ARMS: [f64; 4] = [0.02, 0.03, 0.25, 0.2];
/// Preloads and viscous coefficients: force, torque, each.
const LOADS: [f64; 4] = [1.5, 0.04, 0.3, 0.002];
/// Torque across the axis, or about it.
const MOMENT: f64 = 1.4;

/// A joint with the axes of its markers, the torque on it in those of I, the direction of its slip, and what
/// presses, as a multiple of the coefficient, besides the preload.
struct Bearing {
    joint: &'static str,
    axes: Value,
    moment: [f64; 3],
    spin: [f64; 3],
    slide: [f64; 3],
    fields: Value,
    pressed: f64,
}

fn bearings() -> [Bearing; 7] {
    let [radius, thrust, bending, reaction] = ARMS;
    let [force, torque, slide, turn] = LOADS;
    let weight = 2.0 * G;
    let along = |z: [f64; 3], x: [f64; 3]| json!({"z_point": z, "x_point": x});
    let pin = json!({"pin_radius": radius, "friction_arm": thrust, "bending_arm": bending,
                     "preload_torque": torque, "viscous_torque": turn});
    let guide = json!({"bending_arm": bending, "reaction_arm": reaction, "preload_force": force,
                       "viscous_force": slide});
    let sleeve = json!({"pin_radius": radius, "bending_arm": bending, "preload_force": force,
                        "preload_torque": torque, "viscous_force": slide, "viscous_torque": turn});
    let ball = json!({"ball_radius": radius, "preload_torque": torque, "viscous_torque": turn});
    let upright = along([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
    let level = along([1.0, 0.0, 0.0], [0.0, 0.0, -1.0]);
    let (none, x, y, z) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let of =
        |joint, axes: &Value, [moment, spin, slide]: [[f64; 3]; 3], fields: &Value, pressed| {
            Bearing {
                joint,
                axes: axes.clone(),
                moment,
                spin,
                slide,
                fields: fields.clone(),
                pressed,
            }
        };
    let bent = weight + MOMENT / bending;
    [
        // A pin on its end, and one that lies.
        of(
            "revolute",
            &upright,
            [x, z, none],
            &pin,
            weight * thrust / radius + MOMENT / bending,
        ),
        of("revolute", &level, [y, x, none], &pin, bent),
        // The guide twisted about its axis; tests/it/friction.rs bends it as well.
        of(
            "translational",
            &level,
            [z, none, x],
            &guide,
            weight + MOMENT / reaction,
        ),
        of("cylindrical", &level, [y, x, none], &sleeve, bent),
        of("cylindrical", &level, [y, none, x], &sleeve, bent),
        of("spherical", &upright, [none, z, none], &ball, weight),
        // A cross bent about the normal of its pins; it turns about the one along y of J.
        of("universal", &upright, [z, y, none], &pin, bent),
    ]
}

impl Bearing {
    /// The model at a slip.
    fn model(&self, law: &Value, slip: f64) -> Value {
        let mut friction = self.fields.clone();
        (friction["mu_static"], friction["mu_dynamic"]) = (json!(MU[0]), json!(MU[1]));
        friction["law"] = law.clone();
        let mut model = model(self.joint, &self.axes, &friction);
        model["parts"][0]["angular_velocity"] = json!(self.spin.map(|x| x * slip / ARMS[0]));
        model["parts"][0]["velocity"] = json!(self.slide.map(|x| x * slip));
        let [tx, ty, tz] = self.moment.map(|x| x * MOMENT);
        let load = json!({"name": "load", "type": "vector_torque", "i": "i", "j": "ground", "axes": "i",
                          "tx": tx, "ty": ty, "tz": tz});
        add(&mut model, "forces", load);
        for (name, expression) in [
            ("rub_force", "FRICTION(rub, 0, 1)"),
            ("rub_torque", "FRICTION(rub, 0, 5)"),
            ("speed", "VM(i, j)"),
            ("rate", "WM(i, j)"),
        ] {
            add(
                &mut model,
                "outputs",
                json!({"name": name, "expression": expression}),
            );
        }
        model
    }

    /// Friction at the surface over the coefficient μ at a slip: what presses and the preload that is
    /// given for μd; and viscous friction there.
    fn wanted(&self, mu: f64, slip: f64) -> f64 {
        let radius = ARMS[0];
        let given = |field: &str, scale: f64| {
            self.fields
                .get(field)
                .map_or(0.0, |x| x.as_f64().unwrap() * scale)
        };
        let preload = given("preload_force", 1.0) + given("preload_torque", 1.0 / radius);
        let viscous = if self.slide == [0.0; 3] {
            given("viscous_torque", 1.0 / (radius * radius))
        } else {
            given("viscous_force", 1.0)
        };
        mu * (self.pressed + preload / MU[1]) + viscous * slip
    }

    /// Friction at the surface, as the element gives it.
    fn found(&self, simulation: &fixstep_kernel::simulation::Simulation) -> f64 {
        let force = output(simulation, "rub_force");
        let torque = output(simulation, "rub_torque") / ARMS[0];
        if self.slide == [0.0; 3] {
            close(force, 0.0, 1e-12, self.joint);
            torque
        } else {
            close(torque, 0.0, 1e-12, self.joint);
            force
        }
    }

    fn slip(&self, simulation: &fixstep_kernel::simulation::Simulation) -> f64 {
        if self.slide == [0.0; 3] {
            output(simulation, "rate") * ARMS[0]
        } else {
            output(simulation, "speed")
        }
    }
}

/// At the stiction velocity the static coefficient, from the friction velocity on the dynamic one.
#[test]
fn coulomb_friction_of_every_joint_follows_its_load() {
    let law = json!({"type": "coulomb", "stiction_velocity": 0.01, "friction_velocity": 0.025});
    for bearing in bearings() {
        for (slip, mu) in [(0.01, MU[0]), (0.025, MU[1]), (0.7, MU[1])] {
            let mut simulation = build(&bearing.model(&law, slip).to_string());
            start(&mut simulation, 1e-3);
            let what = format!("{} along {:?} at {slip} m/s", bearing.joint, bearing.spin);
            close(
                bearing.found(&simulation),
                bearing.wanted(mu, slip),
                1e-9,
                &what,
            );
        }
    }
}

/// Bristles that have begun to slide do so against the dynamic coefficient.
#[test]
fn bristle_friction_of_every_joint_follows_its_load() {
    let law = json!({"type": "lugre", "bristle_stiffness": 3e3, "bristle_damping": 10,
                     "stribeck_velocity": 0.01});
    for bearing in bearings() {
        for (name, solver, _) in schemes() {
            let mut simulation = with_solver(&bearing.model(&law, 0.7), &solver);
            start(&mut simulation, 1e-4);
            for _ in 0..200 {
                simulation.step().unwrap();
            }
            let wanted = bearing.wanted(MU[1], bearing.slip(&simulation));
            let what = format!("{} along {:?}, {name}", bearing.joint, bearing.spin);
            close(bearing.found(&simulation), wanted, 1e-4 * wanted, &what);
        }
    }
}

/// Pushed to and fro, the joints of `tests/mechanisms/joint_friction` stick and slide alternately; every
/// step does the same work.
#[test]
fn sticking_takes_the_work_of_sliding() {
    for law in ["coulomb", "lugre"] {
        let file = format!(
            "{}/tests/mechanisms/joint_friction/model_{law}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let model: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        for (name, solver, _) in schemes() {
            let mut simulation = with_solver(&model, &solver);
            start(&mut simulation, 1e-3);
            let first = simulation.step().unwrap();
            let mut seen = [[0_u32; 2]; 5];
            for _ in 0..1000 {
                assert_eq!(simulation.step().unwrap(), first, "{law}, {name}");
                for (k, joint) in [
                    "revolute",
                    "translational",
                    "cylindrical",
                    "spherical",
                    "universal",
                ]
                .into_iter()
                .enumerate()
                {
                    let slip = output(&simulation, &format!("{joint}_slip"));
                    seen[k][usize::from(slip > 0.03)] += 1;
                }
            }
            for [stuck, sliding] in seen {
                assert!(stuck > 50 && sliding > 50, "{law}, {name}: {seen:?}");
            }
        }
    }
}
