//! A slider-crank with a flexible rod against its equations in minimal coordinates: the crank's angle and the rod's
//! modes. The slider's line gives the rod's angle.

use crate::flexible_orders::{Case, Quantity, converges, quantity};
use crate::flexible_planar::{
    Equations, GRAVITY, Mechanism, Moving, Sample, Truss, V2, add, left, swung, turned,
};
use fixstep_kernel::math::{asin, atan2, cos, sin};
use serde_json::{Value, json};

/// Length of the crank \[m\]; its centre of mass is in the middle.
const CRANK: f64 = 0.25;
/// Its mass \[kg\] and central inertia [kg m²].
const CRANK_INERTIA: (f64, f64) = (0.4, 0.01);
/// \[kg\].
const SLIDER: f64 = 0.3;
/// Damping of the slider [N s/m].
const BRAKE: f64 = 0.8;

/// Angle of the crank, then modal coordinates; and their rates.
const START: ([f64; 4], [f64; 4]) = ([0.7, 0.04, -0.02, 0.01], [6.0, 0.1, 0.2, -0.1]);

/// A crank on ground, a truss between its pin and a slider on the line y = 0.
struct SliderCrank {
    rod: Truss,
    /// Do brake and torque act?
    loaded: bool,
}

/// Where everything is.
struct Pose {
    crank: Moving<f64>,
    /// Centre of mass and pin of the crank.
    arm: Moving<V2>,
    pin: Moving<V2>,
    rod: Moving<f64>,
    nodes: Vec<Moving<V2>>,
    /// How the section of the fifth node is turned in ground.
    section: Moving<f64>,
    slider: Moving<V2>,
    /// The rod's undeformed centre of mass, and its frame's origin.
    frame: [Moving<V2>; 2],
}

/// The angle of a rod d(x) from a pin that ends on the line y = 0: p_y + (R d)_y = 0, differentiated twice.
fn leaning(pin: &Moving<V2>, d: &Moving<V2>, v: &[f64]) -> Moving<f64> {
    let [dx, dy] = d.value;
    let value = -asin(pin.value[1] / (dx * dx + dy * dy).sqrt()) - atan2(dy, dx);
    let out = turned(d.value, value);
    let lever = left(out)[1];
    let pairs = pin.slopes.iter().zip(&d.slopes);
    let slopes: Vec<f64> = pairs
        .map(|(p, d)| -(p[1] + turned(*d, value)[1]) / lever)
        .collect();
    let rate: f64 = slopes.iter().zip(v).map(|(s, v)| s * v).sum();
    let bend = turned(d.velocity(v), value);
    let known = pin.rest[1] - rate * rate * out[1] + 2.0 * rate * left(bend)[1];
    Moving {
        value,
        slopes,
        rest: -known / lever,
    }
}

impl SliderCrank {
    fn pose(&self, x: &[f64], v: &[f64]) -> Pose {
        let (rod, count) = (&self.rod, x.len());
        let places: Vec<_> = rod.nodes.iter().map(|(_, s)| rod.place(*s, x)).collect();
        let crank = Moving::coordinate(x, 0);
        let on_crank = |r: f64| {
            let shaft = Moving::still([0.0; 2], count);
            swung(&shaft, &crank, &Moving::still([r, 0.0], count), v)
        };
        let pin = on_crank(CRANK);
        let ((root, _), (tip, _)) = (&places[0], &places[places.len() - 1]);
        let angle = leaning(&pin, &tip.from(root), v);
        let ground = |place: &Moving<V2>| swung(&pin, &angle, &place.from(root), v);
        Pose {
            arm: on_crank(0.5 * CRANK),
            nodes: places.iter().map(|(place, _)| ground(place)).collect(),
            section: angle.and(&places[4].1),
            slider: ground(tip),
            frame: [rod.center(), [0.0; 2]].map(|s| ground(&Moving::still(s, count))),
            rod: angle,
            pin,
            crank,
        }
    }

    /// The torque on the crank and the force on the slider.
    fn loads(&self, t: f64, pose: &Pose, v: &[f64]) -> (f64, V2) {
        let on = f64::from(u8::from(self.loaded));
        let brake = BRAKE * pose.slider.velocity(v)[0];
        (on * 2.0 * sin(4.0 * t), [-on * brake, 0.0])
    }

    fn equations(&self, t: f64, x: &[f64], v: &[f64]) -> (Equations, Pose) {
        let pose = self.pose(x, v);
        let mut equations = Equations::new(x.len());
        for ((mass, _), r) in self.rod.nodes.iter().zip(&pose.nodes) {
            equations.point(*mass, r);
        }
        equations.point(CRANK_INERTIA.0, &pose.arm);
        equations.wheel(CRANK_INERTIA.1, &pose.crank);
        equations.point(SLIDER, &pose.slider);
        self.rod.resist(x, v, &mut equations.forces);
        let (torque, force) = self.loads(t, &pose, v);
        equations.twist(torque, &pose.crank);
        equations.push(force, &pose.slider);
        (equations, pose)
    }

    /// The outputs of the model.
    fn outputs(&self, sample: &Sample) -> Vec<f64> {
        let Sample { time, x, v } = sample;
        let (equations, pose) = self.equations(*time, x, v);
        let a = equations.solve();
        let (torque, force) = self.loads(*time, &pose, v);
        // The crank pin carries the rod and the slider along the line; across it, what the crank's moments leave.
        let slid = SLIDER * pose.slider.acceleration(&a)[0] - force[0];
        let masses = self.rod.nodes.iter().zip(&pose.nodes);
        let along = masses.fold(slid, |sum, ((m, _), r)| sum + m * r.acceleration(&a)[0]);
        let [c, p] = [pose.arm.value, pose.pin.value];
        let [ax, ay] = add(pose.arm.acceleration(&a), [0.0, -GRAVITY]);
        let turning = CRANK_INERTIA.1 * a[0] + CRANK_INERTIA.0 * (c[0] * ay - c[1] * ax);
        let across = (torque - turning + p[1] * along) / p[0];
        let middle = &pose.nodes[4];
        let speed = middle.velocity(v);
        vec![
            pose.crank.value,
            pose.rod.value,
            pose.section.value,
            pose.slider.value[0],
            pose.slider.velocity(v)[0],
            pose.slider.acceleration(&a)[0],
            middle.value[0],
            middle.value[1],
            speed[0],
            speed[1],
            along,
            across,
        ]
    }
}

impl Mechanism for SliderCrank {
    fn acceleration(&self, t: f64, x: &[f64], v: &[f64]) -> Vec<f64> {
        self.equations(t, x, v).0.solve()
    }
}

/// Outputs with the size of each.
fn quantities() -> Vec<Quantity> {
    vec![
        quantity("AZ(shaft)", 1.0),
        quantity("AZ(frame)", 1.0),
        quantity("AZ(section)", 1.0),
        quantity("DX(slider)", 1.0),
        quantity("VX(slider)", 2.0),
        quantity("ACCX(slider)", 20.0),
        quantity("DX(section)", 1.0),
        quantity("DY(section)", 1.0),
        quantity("VX(section)", 2.0),
        quantity("VY(section)", 2.0),
        quantity("FX(root, crank_pin)", 20.0),
        quantity("FY(root, crank_pin)", 20.0),
    ]
}

/// A frame turned about z at a place of the plane.
fn turn([x, y]: V2, angle: f64) -> Value {
    let [c, s] = [cos(angle), sin(angle)];
    json!({"z_point": [x, y, 1], "x_point": [x + c, y + s, 0]})
}

fn model(mechanism: &SliderCrank) -> Value {
    let (x, v) = START;
    let pose = mechanism.pose(&x, &v);
    let [center, origin] = &pose.frame;
    let (o, speed) = (origin.value, center.velocity(&v));
    let (arm, swing) = (pose.arm.value, pose.arm.velocity(&v));
    let slid = [pose.slider.value[0], pose.slider.velocity(&v)[0]];
    let inertia = json!({"xx": 0.01, "yy": 0.01, "zz": CRANK_INERTIA.1});
    let along = json!({"z_point": [1, 0, 0]});
    let mut model = json!({
        "fixstep": 1, "name": "slider_crank", "gravity": [0, GRAVITY, 0],
        "parts": [
            {"name": "crank", "mass": CRANK_INERTIA.0, "inertia": inertia, "position": [arm[0], arm[1], 0],
             "orientation": turn(arm, x[0]), "velocity": [swing[0], swing[1], 0],
             "angular_velocity": [0, 0, v[0]]},
            {"name": "slider", "mass": SLIDER, "inertia": inertia, "position": [slid[0], 0, 0],
             "velocity": [slid[1], 0, 0]}
        ],
        "flexible_bodies": [{
            "name": "rod", "file": "body.flex", "damping": mechanism.rod.ratio, "dynamic_limit": "none",
            "position": [o[0], o[1], 0], "orientation": turn(o, pose.rod.value),
            "velocity": [speed[0], speed[1], 0], "angular_velocity": [0, 0, pose.rod.velocity(&v)],
            "displacements": x[1..], "velocities": v[1..]
        }],
        "markers": [
            {"name": "shaft", "part": "crank", "position": [-0.5 * CRANK, 0, 0]},
            {"name": "crank_pin", "part": "crank", "position": [0.5 * CRANK, 0, 0]},
            {"name": "root", "part": "rod", "node": "n0"},
            {"name": "section", "part": "rod", "node": "n4"},
            {"name": "tip", "part": "rod", "node": "n8"},
            {"name": "frame", "part": "rod"},
            {"name": "slider", "part": "slider"},
            {"name": "guided", "part": "slider", "orientation": along},
            {"name": "guide", "part": "ground", "orientation": along}
        ],
        "joints": [
            {"name": "shaft", "type": "revolute", "i": "shaft", "j": "ground"},
            {"name": "pin", "type": "revolute", "i": "crank_pin", "j": "root"},
            {"name": "end", "type": "in_line", "i": "tip", "j": "slider"},
            {"name": "slide", "type": "translational", "i": "guided", "j": "guide"}
        ],
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    });
    if mechanism.loaded {
        model["forces"] = json!([
            {"name": "drive", "type": "vector_torque", "i": "shaft", "j": "ground", "tz": "2*SIN(4*TIME)"},
            {"name": "brake", "type": "vector_force", "i": "slider", "j": "ground", "fx": "-0.8*VX(slider)"}
        ]);
    }
    model
}

/// The equations of the reference: its masses keep their energy, and half the step changes nothing.
#[test]
fn the_reference_keeps_its_energy() {
    let mechanism = SliderCrank {
        rod: Truss::new(0.0),
        loaded: false,
    };
    let energy = |x: &[f64], v: &[f64]| {
        let (equations, pose) = mechanism.equations(0.0, x, v);
        let masses = mechanism.rod.nodes.iter().zip(&pose.nodes);
        let height: f64 = masses.map(|((m, _), r)| m * r.value[1]).sum();
        let height = height + CRANK_INERTIA.0 * pose.arm.value[1];
        assert!(pose.slider.value[1].abs() < 1e-14 && pose.slider.rest[1].abs() < 1e-12);
        equations.kinetic(v) + mechanism.rod.strain(x) - GRAVITY * height
    };
    let (x, v) = START;
    let before = energy(&x, &v);
    let samples = mechanism.run((&x, &v), 1.0, (10, 200));
    let finer = mechanism.run((&x, &v), 1.0, (10, 400));
    let last = &samples[9];
    let drift = (energy(&last.x, &last.v) - before).abs();
    let apart = last.x.iter().zip(&finer[9].x).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f64::max);
    eprintln!("energy {before}, drift {drift:e}; steps apart by {apart:e}; {last:?}");
    assert!(drift < 1e-8 * before.abs() && apart < 1e-8);
}

#[test]
fn a_slider_crank_with_a_flexible_rod_runs_as_its_minimal_coordinates_say() {
    let mechanism = SliderCrank {
        rod: Truss::new(0.02),
        loaded: true,
    };
    let (x, v) = START;
    let samples = mechanism.run((&x, &v), 1.0, (10, 200));
    let rows = samples.iter().map(|s| (s.time, mechanism.outputs(s)));
    let data = mechanism.rod.data();
    let case = Case {
        name: "slider-crank",
        model: model(&mechanism),
        data: &data,
        quantities: quantities(),
        rows: rows.collect(),
    };
    converges(&case);
}
