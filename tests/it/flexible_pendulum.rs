//! A flexible pendulum against its equations in minimal coordinates: an angle and the modes, from nodal masses.

use crate::flexible_orders::{Case, Quantity, converges, misses, quantity};
use crate::flexible_planar::{Equations, Mechanism, Moving, Sample, Truss, V2, add, scaled, swung};
use fixstep_kernel::math::{cos, sin};
use serde_json::{Value, json};

/// From the last node to where a force pulls, in axes that turn with the node.
const ARM: V2 = [0.1, 0.05];

/// Angle, then modal coordinates; and their rates.
const START: ([f64; 4], [f64; 4]) = ([-0.3, 0.05, -0.03, 0.02], [1.0, 0.2, -0.1, 0.3]);

/// A truss on a pivot at its root node, pulled and twisted.
struct Pendulum {
    truss: Truss,
    /// Do force and torque act?
    loaded: bool,
}

/// Where everything is.
struct Pose {
    angle: Moving<f64>,
    nodes: Vec<Moving<V2>>,
    /// How the section of the fifth node is turned in ground.
    section: Moving<f64>,
    /// Where the force pulls.
    hook: Moving<V2>,
    /// The undeformed centre of mass, and the frame's origin.
    frame: [Moving<V2>; 2],
}

impl Pendulum {
    fn pose(&self, x: &[f64], v: &[f64]) -> Pose {
        let (truss, count) = (&self.truss, x.len());
        let places: Vec<_> = truss
            .nodes
            .iter()
            .map(|(_, s)| truss.place(*s, x))
            .collect();
        let pivot = Moving::still([0.0; 2], count);
        let angle = Moving::coordinate(x, 0);
        let (root, _) = &places[0];
        let ground = |place: &Moving<V2>| swung(&pivot, &angle, &place.from(root), v);
        let (tip, turn) = &places[places.len() - 1];
        let arm = Moving::still(ARM, count);
        let fixed = [truss.center(), [0.0; 2]].map(|s| ground(&Moving::still(s, count)));
        Pose {
            nodes: places.iter().map(|(place, _)| ground(place)).collect(),
            section: angle.and(&places[4].1),
            hook: swung(&ground(tip), &angle.and(turn), &arm, v),
            frame: fixed,
            angle,
        }
    }

    fn pull(&self, t: f64) -> (V2, f64) {
        let on = f64::from(u8::from(self.loaded));
        ([on * 1.5 * cos(7.0 * t), -on], on * 0.3 * sin(5.0 * t))
    }

    fn equations(&self, t: f64, x: &[f64], v: &[f64]) -> (Equations, Pose) {
        let pose = self.pose(x, v);
        let mut equations = Equations::new(x.len());
        for ((mass, _), r) in self.truss.nodes.iter().zip(&pose.nodes) {
            equations.point(*mass, r);
        }
        self.truss.resist(x, v, &mut equations.forces);
        let (force, torque) = self.pull(t);
        equations.push(force, &pose.hook);
        equations.twist(torque, &pose.section);
        (equations, pose)
    }

    /// The outputs of the model.
    fn outputs(&self, sample: &Sample) -> Vec<f64> {
        let Sample { time, x, v } = sample;
        let (equations, pose) = self.equations(*time, x, v);
        let a = equations.solve();
        let (force, _) = self.pull(*time);
        // The pivot carries the remainder of Newton's law for all masses.
        let masses = self.truss.nodes.iter().zip(&pose.nodes);
        let inertia = masses.map(|((m, _), r)| {
            let free = add(r.acceleration(&a), [0.0, 9.81]);
            scaled(free, *m)
        });
        let hold = inertia.fold(scaled(force, -1.0), add);
        let tip = &pose.nodes[pose.nodes.len() - 1];
        let speed = tip.velocity(v);
        let (shake, hook) = (tip.acceleration(&a), pose.hook.value);
        vec![
            pose.angle.value,
            pose.section.value,
            tip.value[0],
            tip.value[1],
            speed[0],
            speed[1],
            shake[0],
            shake[1],
            hook[0],
            hook[1],
            hold[0],
            hold[1],
        ]
    }
}

impl Mechanism for Pendulum {
    fn acceleration(&self, t: f64, x: &[f64], v: &[f64]) -> Vec<f64> {
        self.equations(t, x, v).0.solve()
    }
}

/// Outputs with the size of each.
fn quantities() -> Vec<Quantity> {
    vec![
        quantity("AZ(frame)", 1.0),
        quantity("AZ(section)", 1.0),
        quantity("DX(tip)", 1.0),
        quantity("DY(tip)", 1.0),
        quantity("VX(tip)", 5.0),
        quantity("VY(tip)", 5.0),
        quantity("ACCX(tip)", 50.0),
        quantity("ACCY(tip)", 50.0),
        quantity("DX(hook)", 1.0),
        quantity("DY(hook)", 1.0),
        quantity("FX(root, ground)", 20.0),
        quantity("FY(root, ground)", 20.0),
    ]
}

fn model(pendulum: &Pendulum) -> Value {
    let (x, v) = START;
    let pose = pendulum.pose(&x, &v);
    let [center, origin] = &pose.frame;
    let speed = center.velocity(&v);
    let o = origin.value;
    let marker = |name: &str, node: &str| json!({"name": name, "part": "truss", "node": node});
    let mut model = json!({
        "fixstep": 1, "name": "pendulum", "gravity": [0, -9.81, 0],
        "flexible_bodies": [{
            "name": "truss", "file": "body.flex", "damping": pendulum.truss.ratio, "dynamic_limit": "none",
            "position": [o[0], o[1], 0],
            "orientation": {"z_point": [o[0], o[1], 1], "x_point": [o[0] + cos(x[0]), o[1] + sin(x[0]), 0]},
            "velocity": [speed[0], speed[1], 0], "angular_velocity": [0, 0, v[0]],
            "displacements": x[1..], "velocities": v[1..]
        }],
        "markers": [marker("root", "n0"), marker("section", "n4"), marker("tip", "n8"),
            {"name": "hook", "part": "truss", "node": "n8", "position": [ARM[0], ARM[1], 0]},
            {"name": "frame", "part": "truss"}],
        "joints": [{"name": "pivot", "type": "revolute", "i": "root", "j": "ground"}],
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    });
    if pendulum.loaded {
        model["forces"] = json!([
            {"name": "pull", "type": "vector_force", "i": "hook", "j": "ground",
             "fx": "1.5*COS(7*TIME)", "fy": "-1"},
            {"name": "twist", "type": "vector_torque", "i": "section", "j": "ground", "tz": "0.3*SIN(5*TIME)"}
        ]);
    }
    model
}

/// The equations of the reference: its masses keep their energy, and half the step changes nothing.
#[test]
fn the_reference_keeps_its_energy() {
    let pendulum = Pendulum {
        truss: Truss::new(0.0),
        loaded: false,
    };
    let energy = |x: &[f64], v: &[f64]| {
        let (equations, pose) = pendulum.equations(0.0, x, v);
        let masses = pendulum.truss.nodes.iter().zip(&pose.nodes);
        let height: f64 = masses.map(|((m, _), r)| 9.81 * m * r.value[1]).sum();
        equations.kinetic(v) + pendulum.truss.strain(x) + height
    };
    let (x, v) = START;
    let before = energy(&x, &v);
    let samples = pendulum.run((&x, &v), 1.0, (10, 100));
    let finer = pendulum.run((&x, &v), 1.0, (10, 200));
    let last = &samples[9];
    let drift = (energy(&last.x, &last.v) - before).abs();
    let apart = last.x.iter().zip(&finer[9].x).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f64::max);
    eprintln!("energy {before}, drift {drift:e}; steps apart by {apart:e}");
    assert!(drift < 1e-9 * before.abs() && apart < 1e-9);
}

#[test]
fn a_flexible_pendulum_swings_as_its_minimal_coordinates_say() {
    let pendulum = Pendulum {
        truss: Truss::new(0.02),
        loaded: true,
    };
    let (x, v) = START;
    let samples = pendulum.run((&x, &v), 1.0, (10, 200));
    let rows = samples.iter().map(|s| (s.time, pendulum.outputs(s)));
    let data = pendulum.truss.data();
    let case = Case {
        name: "pendulum",
        model: model(&pendulum),
        data: &data,
        quantities: quantities(),
        rows: rows.collect(),
    };
    converges(&case);
    // Without the invariants of pairs of modes the motion differs.
    let mut partial = case.model.clone();
    partial["flexible_bodies"][0]["invariants"] = json!("partial");
    let error = misses(&case, &partial, 1e-3);
    eprintln!("partial: {error:e}");
    assert!(error > 0.01);
}
