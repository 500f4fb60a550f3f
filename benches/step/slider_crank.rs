//! A slider-crank whose rod bends in both planes, stretches and twists: crank 0.15 m, rod 0.5 m of square steel
//! bar 20 mm wide, free to turn from 10 revolutions per second.

use fixstep_kernel::flex::{FlexData, Invariants, Mode, Nodal, Node, frequency};
use fixstep_kernel::math::{Mat3, Vec3, cos, sin};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use fixstep_model::flex_file;
use serde_json::json;
use std::f64::consts::{PI, TAU};

const ROD: f64 = 0.5;
const WIDTH: f64 = 0.02;
const YOUNG: f64 = 2.1e11;
const SHEAR: f64 = YOUNG / 2.6;
const DENSITY: f64 = 7850.0;
/// Torsional constant of a square per width⁴.
const TORSION: f64 = 0.1406;
/// Stations along the rod.
const STATIONS: usize = 200;

/// A mode of the rod with both ends on pins.
#[derive(Clone, Copy)]
enum Shape {
    /// Half waves in y or z.
    Bend(usize, Vec3),
    /// Half waves along x, free at both ends.
    Stretch(usize),
    /// Half waves about x, free at both ends.
    Twist(usize),
}

impl Shape {
    /// Translation and rotation at a place along the rod.
    fn at(self, x: f64) -> (Vec3, Vec3) {
        match self {
            Self::Bend(n, axis) => {
                let k = n as f64 * PI / ROD;
                (axis * sin(k * x), Vec3::x().cross(&axis) * (k * cos(k * x)))
            }
            Self::Stretch(n) => (Vec3::x() * cos(n as f64 * PI * x / ROD), Vec3::zeros()),
            Self::Twist(n) => (Vec3::zeros(), Vec3::x() * cos(n as f64 * PI * x / ROD)),
        }
    }

    /// Modal stiffness: ∫ EI φ''², ∫ EA u'², ∫ GI_t θ'².
    fn stiffness(self) -> f64 {
        let (n, factor, power) = match self {
            Self::Bend(n, _) => (n, YOUNG * WIDTH.powi(4) / 12.0, 4),
            Self::Stretch(n) => (n, YOUNG * WIDTH * WIDTH, 2),
            Self::Twist(n) => (n, SHEAR * TORSION * WIDTH.powi(4), 2),
        };
        factor * (n as f64 * PI / ROD).powi(power) * 0.5 * ROD
    }
}

/// The slowest modes.
fn shapes(count: usize) -> Vec<(f64, Shape)> {
    let mass = DENSITY * WIDTH * WIDTH * 0.5 * ROD;
    let polar = DENSITY * WIDTH.powi(4) / 6.0 * 0.5 * ROD;
    let mut all: Vec<(f64, Shape)> = (1..=count)
        .flat_map(|n| {
            let inertia = [mass, mass, mass, polar];
            let shapes = [
                Shape::Bend(n, Vec3::y()),
                Shape::Bend(n, Vec3::z()),
                Shape::Stretch(n),
                Shape::Twist(n),
            ];
            let of = |(shape, mass): (Shape, f64)| (frequency(shape.stiffness(), mass), shape);
            shapes.into_iter().zip(inertia).map(of).collect::<Vec<_>>()
        })
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.truncate(count);
    all
}

/// The rod, from its middle.
fn rod(modes: usize) -> FlexData {
    let shapes = shapes(modes);
    let node = |id: u64, name: &str, x: f64| {
        let moved: Vec<(Vec3, Vec3)> = shapes.iter().map(|(_, shape)| shape.at(x)).collect();
        Node {
            id,
            name: Some(name.to_owned()),
            position: Vec3::x() * (x - 0.5 * ROD),
            freedom: [true; 6],
            translation: moved.iter().map(|m| m.0).collect(),
            rotation: moved.iter().map(|m| m.1).collect(),
        }
    };
    let mass = DENSITY * WIDTH * WIDTH * ROD / STATIONS as f64;
    let section = Mat3::from_diagonal(&Vec3::new(2.0, 1.0, 1.0)) * (mass * WIDTH * WIDTH / 12.0);
    let stations: Vec<Node> = (0..STATIONS)
        .map(|k| node(k as u64, "", ROD * (k as f64 + 0.5) / STATIONS as f64))
        .collect();
    let nodal = stations.iter().map(|node| Nodal {
        mass,
        inertia: section,
        position: node.position,
        translation: &node.translation,
        rotation: &node.rotation,
    });
    let mut invariants = Invariants::lumped(modes, nodal);
    let mut stiffness = vec![0.0; modes * modes];
    for (j, (_, shape)) in shapes.iter().enumerate() {
        stiffness[j * modes + j] = shape.stiffness();
        // Sines of different numbers are orthogonal; what is left beside the diagonal is rounding.
        for k in (0..modes).filter(|k| *k != j) {
            invariants.i6[j * modes + k] = 0.0;
        }
    }
    FlexData {
        description: "rod".to_owned(),
        sources: Vec::new(),
        modes: (1..)
            .zip(&shapes)
            .map(|(n, (frequency, _))| Mode {
                frequency: *frequency,
                label: format!("pinned {n}"),
            })
            .collect(),
        invariants,
        stiffness,
        nodes: vec![node(1, "big_end", 0.0), node(2, "small_end", ROD)],
        lines: vec![[0, 1]],
        faces: Vec::new(),
        preload: None,
        loads: Vec::new(),
        stiffening: None,
        stresses: Vec::new(),
        strains: Vec::new(),
    }
}

/// The mechanism.
pub(crate) fn build(modes: usize) -> Result<Simulation, String> {
    let slider = (ROD * ROD - 0.15 * 0.15).sqrt();
    let piston = json!({"z_point": [1, 0, 0], "x_point": [0, 1, 0]});
    let model = json!({
        "fixstep": 1,
        "name": "slider_crank",
        "parts": [
            {"name": "crank", "mass": 0.471, "center_of_mass": [0, 0.075, 0], "angular_velocity": [0, 0, TAU * 10.0],
             "inertia": {"xx": 8.98825e-4, "yy": 3.14e-5, "zz": 8.98825e-4}},
            {"name": "slider", "mass": 1.6956, "position": [slider, 0, 0],
             "inertia": {"xx": 1.01736e-3, "yy": 1.01736e-3, "zz": 1.01736e-3}},
        ],
        "flexible_bodies": [{
            "name": "rod", "file": "rod.flex", "position": [0.5 * slider, 0.075, 0], "damping": 0.01,
            "orientation": {"z_point": [0.5 * slider, 0.075, 1], "x_point": [slider, 0, 0]},
            "dynamic_limit": "none",
        }],
        "markers": [
            {"name": "shaft", "part": "crank"},
            {"name": "pin", "part": "crank", "position": [0, 0.15, 0]},
            {"name": "big_end", "part": "rod", "node": "big_end"},
            {"name": "small_end", "part": "rod", "node": "small_end"},
            {"name": "gudgeon", "part": "slider"},
            {"name": "piston", "part": "slider", "orientation": piston},
            {"name": "guide", "part": "ground", "orientation": piston},
        ],
        "joints": [
            {"name": "bearing", "type": "revolute", "i": "shaft", "j": "ground"},
            {"name": "crank_pin", "type": "revolute", "i": "big_end", "j": "pin"},
            {"name": "gudgeon_pin", "type": "in_line", "i": "small_end", "j": "gudgeon"},
            {"name": "cylinder", "type": "translational", "i": "piston", "j": "guide"},
        ],
        "outputs": [{"name": "stroke", "expression": "DX(gudgeon)", "unit": "m"}],
        "solver": {"integrator": "HHT"},
        "experiment": {"start": 0, "stop": 1, "step": 0.001},
    });
    let bytes = flex_file::write(&rod(modes));
    let files = |path: &str| match path {
        "rod.flex" => Ok(bytes.clone()),
        _ => fixstep_model::resources::none(path),
    };
    let model = Model::read(&model.to_string(), &files).map_err(|error| error.to_string())?;
    Simulation::new(model.mechanism).map_err(|error| error.to_string())
}
