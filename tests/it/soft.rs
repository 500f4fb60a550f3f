//! Flexible bodies for tests, made from closed forms and not by our own reduction.

use fixstep_kernel::flex::{FlexData, Invariants, Mode, Nodal, Node, frequency};
use fixstep_kernel::math::{Mat3, Vec3, cos, cosh, sin, sinh};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;

/// βL of a beam clamped at one end.
const CLAMPED_FREE: [f64; 6] = [
    1.875_104_068_711_961,
    4.694_091_132_974_175,
    7.854_757_438_237_613,
    10.995_540_734_875_467,
    14.137_168_391_046_47,
    17.278_759_532_088_237,
];

/// A shape with its slope at a point.
pub(crate) type Shape = Box<dyn Fn(f64) -> (f64, f64)>;

/// The bending shapes of a beam of length L clamped at x = 0, one at the tip of size 2.
pub(crate) fn clamped_free(n: usize, length: f64) -> Shape {
    let k = CLAMPED_FREE[n];
    let beta = k / length;
    let ratio = (cosh(k) + cos(k)) / (sinh(k) + sin(k));
    Box::new(move |x| {
        let z = beta * x;
        let value = cosh(z) - cos(z) - ratio * (sinh(z) - sin(z));
        let slope = sinh(z) + sin(z) - ratio * (cosh(z) - cos(z));
        (value, beta * slope)
    })
}

/// Points and weights of Gauss and Legendre on 0 to L.
pub(crate) fn gauss(count: usize, length: f64) -> Vec<(f64, f64)> {
    let point = |k: usize| {
        let mut x = cos(std::f64::consts::PI * (k as f64 + 0.75) / (count as f64 + 0.5));
        let mut slope = 1.0;
        for _ in 0..50 {
            let (mut p, mut before) = (1.0, 0.0);
            for n in 0..count {
                let next = ((2 * n + 1) as f64 * x * p - n as f64 * before) / (n + 1) as f64;
                (before, p) = (p, next);
            }
            slope = count as f64 * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        let weight = 2.0 / ((1.0 - x * x) * slope * slope);
        (0.5 * length * (1.0 - x), 0.5 * length * weight)
    };
    (0..count).map(point).collect()
}

/// A straight beam along x that bends in the plane of x and y.
pub(crate) struct Beam {
    /// L \[m\].
    pub(crate) length: f64,
    /// ρA [kg/m].
    pub(crate) density: f64,
    /// Shapes.
    pub(crate) shapes: Vec<Shape>,
    /// Stiffness of each shape.
    pub(crate) stiffness: Vec<f64>,
}

impl Beam {
    /// Clamped at one end, with so many of its bending modes.
    pub(crate) fn clamped(length: f64, density: f64, bending: f64, modes: usize) -> Self {
        let k = |n: usize| {
            let beta = CLAMPED_FREE[n] / length;
            // ∫ φ² = L for these shapes.
            bending * beta * beta * beta * beta * length
        };
        Self {
            length,
            density,
            shapes: (0..modes).map(|n| clamped_free(n, length)).collect(),
            stiffness: (0..modes).map(k).collect(),
        }
    }

    fn node(&self, id: u64, name: &str, x: f64) -> Node {
        let at = |shape: &Shape| shape(x);
        let values: Vec<(f64, f64)> = self.shapes.iter().map(at).collect();
        Node {
            id,
            name: Some(name.to_owned()),
            position: Vec3::new(x, 0.0, 0.0),
            freedom: [true; 6],
            translation: values.iter().map(|v| Vec3::new(0.0, v.0, 0.0)).collect(),
            rotation: values.iter().map(|v| Vec3::new(0.0, 0.0, v.1)).collect(),
        }
    }

    /// The points of its mass, and their masses.
    pub(crate) fn masses(&self) -> Vec<(f64, f64)> {
        let points = gauss(40, self.length);
        points
            .into_iter()
            .map(|(x, w)| (x, w * self.density))
            .collect()
    }

    /// As a file holds it, with the nodes `root`, `middle` and `tip`. Inertia about its own line is that of a
    /// thin rod's hundredth part.
    pub(crate) fn data(&self) -> FlexData {
        let m = self.shapes.len();
        let masses = self.masses();
        let points: Vec<Node> = masses.iter().map(|(x, _)| self.node(0, "", *x)).collect();
        let nodal = points.iter().zip(&masses).map(|(node, (_, mass))| Nodal {
            mass: *mass,
            inertia: Mat3::identity() * (1e-3 * mass * self.length * self.length),
            position: node.position,
            translation: &node.translation,
            rotation: &node.rotation,
        });
        let mut invariants = Invariants::lumped(m, nodal);
        // Rotary inertia of the sections is left out of the modes.
        for j in 0..m {
            for k in 0..m {
                let product = |p: &Node| p.translation[j].dot(&p.translation[k]);
                let terms = points
                    .iter()
                    .zip(&masses)
                    .map(|(p, (_, mass))| mass * product(p));
                invariants.i6[j * m + k] = terms.sum();
            }
            let lever = points
                .iter()
                .zip(&masses)
                .map(|(p, (_, mass))| p.position.cross(&p.translation[j]) * *mass);
            invariants.i4[j] = lever.fold(Vec3::zeros(), |a, b| a + b);
        }
        let mut stiffness = vec![0.0; m * m];
        for (j, k) in self.stiffness.iter().enumerate() {
            stiffness[j * m + j] = *k;
        }
        let mode = |j: usize| Mode {
            frequency: frequency(self.stiffness[j], invariants.i6[j * m + j]),
            label: format!("bending {}", j + 1),
        };
        FlexData {
            description: "beam".to_owned(),
            sources: Vec::new(),
            modes: (0..m).map(mode).collect(),
            stiffness,
            nodes: vec![
                self.node(1, "root", 0.0),
                self.node(2, "middle", 0.5 * self.length),
                self.node(3, "tip", self.length),
            ],
            lines: vec![[0, 1], [1, 2]],
            faces: Vec::new(),
            preload: None,
            loads: Vec::new(),
            stiffening: None,
            stresses: Vec::new(),
            strains: Vec::new(),
            invariants,
        }
    }
}

/// Builds a model whose file `body.flex` is the given body.
pub(crate) fn build(model: &serde_json::Value, data: &FlexData) -> Simulation {
    let bytes = fixstep_model::flex_file::write(data);
    let files = |path: &str| match path {
        "body.flex" => Ok(bytes.clone()),
        _ => fixstep_model::resources::none(path),
    };
    let model = Model::read(&model.to_string(), &files).map_err(|e| e.to_string());
    match model.and_then(|model| Simulation::new(model.mechanism).map_err(|e| e.to_string())) {
        Ok(simulation) => simulation,
        Err(problem) => unreachable!("{problem}"),
    }
}
