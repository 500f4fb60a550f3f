//! Control plane: lines that move, for a page: points, how each shape displaces them, and which are joined.

use fixstep_kernel::math::Vec3;
use serde::Serialize;

use crate::projection::{Projection, extent};

/// Colours from no displacement to the largest: blue, green, amber, red.
pub(crate) const COLORS: [[f64; 3]; 5] = [
    [44.0, 95.0, 168.0],
    [34.0, 150.0, 170.0],
    [90.0, 170.0, 80.0],
    [232.0, 160.0, 40.0],
    [205.0, 45.0, 45.0],
];

/// What a chain of points is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// A thick line, coloured by displacement.
    Limb,
    /// A thin line, coloured by displacement.
    Outline,
    /// A dashed line.
    Spring,
    /// What stands still.
    Ground,
    /// A dot.
    Joint,
}

/// Lines that move.
#[derive(Clone, Debug, Serialize)]
pub struct Scene {
    points: Vec<[f32; 3]>,
    chains: Vec<Vec<usize>>,
    styles: Vec<Style>,
    named: Vec<(usize, String)>,
    modes: Vec<Moving>,
    colors: [[f64; 3]; 5],
    right: [f64; 3],
    up: [f64; 3],
}

/// A shape as the page has it: displacements by points, the longest 1.
#[derive(Clone, Debug, Serialize)]
struct Moving {
    frequency: String,
    label: String,
    shape: Vec<[f32; 3]>,
    /// The imaginary part.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Vec<[f32; 3]>>,
}

/// How points move.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Its frequency, in words.
    pub frequency: String,
    /// What it is.
    pub label: String,
    /// Real parts of displacements by points.
    pub real: Vec<Vec3>,
    /// Imaginary parts, unless all points move in phase.
    pub imaginary: Option<Vec<Vec3>>,
    /// The displacement that is drawn as 1.
    pub largest: f64,
}

impl Scene {
    /// Of points and chains of them; `up` is upwards.
    pub fn of(points: &[Vec3], chains: Vec<(Style, Vec<usize>)>, up: Option<Vec3>) -> Self {
        let box_of = extent(points.iter().copied());
        let size = box_of.norm().max(1e-12);
        let middle = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
        let Projection { right, up } = match up {
            Some(up) => Projection::of(box_of, up),
            None => Projection::of(Vec3::repeat(1.0), Vec3::z()),
        };
        let (styles, chains) = chains.into_iter().unzip();
        Self {
            points: points
                .iter()
                .map(|p| short(&((p - middle) / size)))
                .collect(),
            chains,
            styles,
            named: Vec::new(),
            modes: Vec::new(),
            colors: COLORS,
            right: right.into(),
            up: up.into(),
        }
    }

    /// Gives a point a name.
    pub fn name(&mut self, point: usize, name: &str) {
        self.named.push((point, name.to_owned()));
    }

    /// Adds a shape.
    pub fn add(&mut self, shape: &Shape) {
        let own = |of: &[Vec3]| of.iter().map(|u| short(&(u / shape.largest))).collect();
        self.modes.push(Moving {
            frequency: shape.frequency.clone(),
            label: shape.label.clone(),
            shape: own(&shape.real),
            other: shape.imaginary.as_deref().map(own),
        });
    }
}

/// Digits that a screen can show.
fn short(v: &Vec3) -> [f32; 3] {
    [v.x, v.y, v.z].map(|x| ((x * 1e4).round() / 1e4) as f32)
}
