//! Tests that a free flexible body that tumbles keeps momentum, angular momentum and energy, summed over its nodes as
//! markers show them.

use crate::harness::{advance, output, start};
use crate::soft::build;
use crate::states::schemes;
use fixstep_kernel::flex::{FlexData, Invariants, Mode, Nodal, Node, frequency};
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

const NODES: usize = 8;
const MODES: usize = 4;

/// Numbers from −1 to 1 (Numerical Recipes' quick generator).
struct Random(u32);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 23) - 1.0
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next()) * size
    }
}

/// Point masses in space with shapes at random.
struct Cloud {
    masses: Vec<f64>,
    data: FlexData,
}

impl Cloud {
    fn new() -> Self {
        let mut random = Random(5);
        let masses: Vec<f64> = (0..NODES).map(|_| 0.5 + 0.3 * random.next()).collect();
        let node = |k: usize| Node {
            id: k as u64,
            name: Some(format!("n{k}")),
            position: random.vector(0.6),
            freedom: [true; 6],
            translation: (0..MODES).map(|_| random.vector(0.5)).collect(),
            rotation: (0..MODES).map(|_| random.vector(0.5)).collect(),
        };
        let nodes: Vec<Node> = (0..NODES).map(node).collect();
        let nodal = nodes.iter().zip(&masses).map(|(node, mass)| Nodal {
            mass: *mass,
            inertia: Mat3::zeros(),
            position: node.position,
            translation: &node.translation,
            rotation: &node.rotation,
        });
        let invariants = Invariants::lumped(MODES, nodal);
        let mut stiffness = vec![0.0; MODES * MODES];
        for j in 0..MODES {
            let omega = std::f64::consts::TAU * (1.0 + 0.7 * j as f64);
            stiffness[j * MODES + j] = omega * omega * invariants.i6[j * MODES + j];
            stiffness[j * MODES + (j + 1) % MODES] += 1.5;
            stiffness[(j + 1) % MODES * MODES + j] += 1.5;
        }
        let own = |j: usize| (stiffness[j * MODES + j], invariants.i6[j * MODES + j]);
        let mode = |j: usize| Mode {
            frequency: frequency(own(j).0, own(j).1),
            label: format!("shape {}", j + 1),
        };
        let data = FlexData {
            description: "cloud of point masses".to_owned(),
            sources: Vec::new(),
            modes: (0..MODES).map(mode).collect(),
            lines: Vec::new(),
            faces: Vec::new(),
            nodes,
            preload: None,
            loads: Vec::new(),
            stiffening: None,
            stresses: Vec::new(),
            strains: Vec::new(),
            stiffness,
            invariants,
        };
        Self { masses, data }
    }

    fn model(solver: &Value) -> Value {
        let marker = |k: usize| json!({"name": format!("n{k}"), "part": "b", "node": k});
        let read = |k: usize, what: &str| json!({"name": format!("{what}{k}"), "expression": format!("{what}(n{k})")});
        let measures = ["DX", "DY", "DZ", "VX", "VY", "VZ"];
        let outputs = (0..NODES).flat_map(|k| measures.map(|what| read(k, what)));
        json!({
            "fixstep": 1, "name": "cloud", "gravity": [0, 0, 0], "solver": solver,
            "flexible_bodies": [{
                "name": "b", "file": "body.flex", "damping": 0, "dynamic_limit": "none",
                "position": [0.2, -0.1, 0.4], "orientation": {"z_point": [0.6, 0.1, 1.0]},
                "velocity": [0.5, -0.3, 0.2], "angular_velocity": [1.5, -1, 2],
                "displacements": [0.1, -0.08, 0.05, 0.02], "velocities": [0.3, 0.2, -0.4, 0.1]
            }],
            "markers": (0..NODES).map(marker).collect::<Vec<_>>(),
            "outputs": outputs.collect::<Vec<_>>(),
            "experiment": {"start": 0, "stop": 1, "step": 0.001}
        })
    }

    /// Place and velocity of each node, and its mass.
    fn nodes(&self, simulation: &Simulation) -> Vec<(f64, Vec3, Vec3)> {
        let read = |k: usize, what: [&str; 3]| {
            Vec3::from_fn(|c, _| output(simulation, &format!("{}{k}", what[c])))
        };
        let node = |k: usize| {
            let (r, v) = (read(k, ["DX", "DY", "DZ"]), read(k, ["VX", "VY", "VZ"]));
            (self.masses[k], r, v)
        };
        (0..NODES).map(node).collect()
    }

    /// ½ q·K q with q from where the nodes are in the body's frame, by least squares.
    fn strain(&self, simulation: &Simulation, nodes: &[(f64, Vec3, Vec3)]) -> f64 {
        let (r, rotation) = simulation.body_pose(BodyId::from(1));
        let center = self.data.invariants.center();
        let (mut normal, mut right) = ([[0.0; MODES]; MODES], [0.0; MODES]);
        for (node, (_, place, _)) in self.data.nodes.iter().zip(nodes) {
            let moved = rotation.tr_mul(&(place - r)) - (node.position - center);
            for j in 0..MODES {
                right[j] += node.translation[j].dot(&moved);
                for k in 0..MODES {
                    normal[j][k] += node.translation[j].dot(&node.translation[k]);
                }
            }
        }
        let q = solve(normal, right);
        let pairs = (0..MODES * MODES).map(|at| {
            let (j, k) = (at / MODES, at % MODES);
            0.5 * q[j] * self.data.stiffness[at] * q[k]
        });
        pairs.sum()
    }

    /// Momentum, angular momentum about the origin of ground, energy; the engine's account gives the same energy.
    fn account(&self, simulation: &Simulation) -> (Vec3, Vec3, f64) {
        let nodes = self.nodes(simulation);
        let (mut momentum, mut spin, mut kinetic) = (Vec3::zeros(), Vec3::zeros(), 0.0);
        for (m, r, v) in &nodes {
            momentum += v * *m;
            spin += r.cross(v) * *m;
            kinetic += 0.5 * m * v.norm_squared();
        }
        let strain = self.strain(simulation, &nodes);
        for (found, wanted) in [
            (simulation.figure(Figure::KineticEnergy), kinetic),
            (simulation.figure(Figure::StrainEnergy), strain),
        ] {
            let off = (found - wanted).abs();
            assert!(off < 1e-12 * (kinetic + strain), "{found} {wanted}");
        }
        (momentum, spin, kinetic + strain)
    }

    /// Relative losses after 2 s at a step: momentum, angular momentum, energy.
    fn drift(&self, solver: &Value, h: f64) -> [f64; 3] {
        let mut simulation = build(&Self::model(solver), &self.data);
        start(&mut simulation, h);
        let (momentum, spin, energy) = self.account(&simulation);
        let mut worst = [0.0_f64; 3];
        for k in 1..=8 {
            advance(&mut simulation, 0.25 * f64::from(k));
            let (p, l, e) = self.account(&simulation);
            let off = [
                (p - momentum).norm() / momentum.norm(),
                (l - spin).norm() / spin.norm(),
                (e - energy).abs() / energy,
            ];
            for (worst, off) in worst.iter_mut().zip(off) {
                *worst = worst.max(off);
            }
        }
        worst
    }
}

/// By Gauss, for a positive matrix.
fn solve(mut a: [[f64; MODES]; MODES], mut b: [f64; MODES]) -> [f64; MODES] {
    for k in 0..MODES {
        for j in k + 1..MODES {
            let ratio = a[j][k] / a[k][k];
            let from = a[k];
            for (x, y) in a[j].iter_mut().zip(from) {
                *x -= ratio * y;
            }
            b[j] -= ratio * b[k];
        }
    }
    for k in (0..MODES).rev() {
        let known: f64 = (k + 1..MODES).map(|l| a[k][l] * b[l]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

#[test]
fn a_free_tumbling_body_keeps_momentum_spin_and_energy() {
    let cloud = Cloud::new();
    let quarter = json!({"integrator": "NEWMARK", "beta": 0.25, "gamma": 0.5});
    let si2 = json!({"integrator": "GSTIFF", "formulation": "SI2"});
    for (solver, order, h) in [
        (quarter, 2.0, 1e-3),
        (json!({"integrator": "HHT"}), 2.0, 1e-3),
        (json!({"integrator": "GENALPHA"}), 2.0, 1e-3),
        (json!({"integrator": "GSTIFF"}), 1.0, 2e-4),
        (si2, 1.0, 2e-4),
    ] {
        let [coarse, fine] = [h, h / 2.0].map(|h| cloud.drift(&solver, h));
        let orders: Vec<f64> = coarse
            .iter()
            .zip(fine)
            .map(|(a, b)| (a / b).log2())
            .collect();
        eprintln!("{solver}: momentum, spin, energy lose {fine:?}, orders {orders:.2?}");
        let limit = if order > 1.5 { 1e-5 } else { 2e-2 };
        for (lost, found) in fine.iter().zip(&orders) {
            assert!(*lost < limit, "{solver}: {fine:?}");
            assert!((found - order).abs() < 0.15, "{solver}: {orders:?}");
        }
    }
}

/// Without modes, or with the invariants of the undeformed body alone and nothing that bends it, a flexible body is
/// a rigid part.
#[test]
fn a_body_without_modes_is_a_rigid_part() {
    let cloud = Cloud::new();
    let center = cloud.data.invariants.center();
    let inertia = cloud.data.invariants.about(&center).i7;
    for (name, solver, _) in schemes() {
        let mut soft = Cloud::model(&solver);
        let body = soft["flexible_bodies"][0].as_object_mut().unwrap();
        body.remove("displacements");
        body.remove("velocities");
        let mut part = body.clone();
        for field in ["file", "damping", "dynamic_limit"] {
            part.remove(field);
        }
        let mut rigid = soft.clone();
        rigid["flexible_bodies"] = json!([]);
        rigid["parts"] = json!([part]);
        rigid["parts"][0]["mass"] = json!(cloud.data.invariants.mass);
        rigid["parts"][0]["center_of_mass"] = json!(center.as_slice());
        rigid["parts"][0]["inertia"] = json!({
            "xx": inertia[(0, 0)], "yy": inertia[(1, 1)], "zz": inertia[(2, 2)],
            "xy": -inertia[(0, 1)], "xz": -inertia[(0, 2)], "yz": -inertia[(1, 2)]
        });
        let nodes = cloud.data.nodes.iter().enumerate();
        rigid["markers"] = nodes
            .map(|(k, node)| json!({"name": format!("n{k}"), "part": "b", "position": node.position.as_slice()}))
            .collect();
        let run = |model: &Value| {
            let mut simulation = build(model, &cloud.data);
            start(&mut simulation, 1e-3);
            advance(&mut simulation, 1.0);
            cloud.nodes(&simulation)
        };
        let wanted = run(&rigid);
        for (field, value) in [("modes", json!([])), ("invariants", json!("rigid"))] {
            let mut model = soft.clone();
            model["flexible_bodies"][0][field] = value;
            for ((_, r, v), (_, r0, v0)) in run(&model).iter().zip(&wanted) {
                let off = (r - r0).norm() + (v - v0).norm();
                assert!(off < 1e-10, "{name}, {field}: {off:e}");
            }
        }
    }
}
