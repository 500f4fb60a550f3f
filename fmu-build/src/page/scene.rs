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

/// A body that moves less than this part of the largest displacement stands still.
const UNSEEN: f64 = 1e-5;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    rig: Option<Rig>,
    /// What is one on the page \[m\], and where its middle is.
    #[serde(skip)]
    size: f64,
    #[serde(skip)]
    middle: Vec3,
}

/// How points go with bodies, as the page has it.
#[derive(Clone, Debug, Serialize)]
struct Rig {
    /// The body of each point.
    owners: Vec<usize>,
    /// Centres of mass by bodies.
    centers: Vec<[f32; 3]>,
    /// Points of flexible bodies, and what each mode of their body does to them \[m\].
    bends: Vec<(usize, Vec<[f64; 3]>)>,
}

/// How a body moves in a shape: translation of its centre of mass, rotation about it, modal coordinates, one after another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyMotion {
    /// Its number.
    pub body: usize,
    /// Real parts.
    pub real: Vec<f64>,
    /// Imaginary parts, unless all bodies move in phase.
    pub imaginary: Option<Vec<f64>>,
}

/// A shape as the page has it: displacements by points, the longest 1.
#[derive(Clone, Debug, Serialize)]
struct Moving {
    frequency: String,
    label: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shape: Vec<[f32; 3]>,
    /// The imaginary part.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Vec<[f32; 3]>>,
    /// Where points go with bodies: body, real parts, imaginary parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bodies: Vec<(usize, Vec<f64>, Option<Vec<f64>>)>,
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
            rig: None,
            size,
            middle,
        }
    }

    /// Lets points go with bodies: the body of each point, centres of mass by bodies, and what modes of flexible bodies do to
    /// points \[m\].
    pub fn attach(&mut self, owners: Vec<usize>, centers: &[Vec3], bends: Vec<(usize, Vec<Vec3>)>) {
        let placed = |p: &Vec3| short(&((p - self.middle) / self.size));
        let column = |u: &Vec3| [u.x, u.y, u.z].map(digits);
        let bends = bends.into_iter();
        self.rig = Some(Rig {
            owners,
            centers: centers.iter().map(placed).collect(),
            bends: bends
                .map(|(point, columns)| (point, columns.iter().map(column).collect()))
                .collect(),
        });
    }

    /// Adds a shape by what bodies do \[m, rad\]; `largest` is the displacement that is drawn as 1.
    pub fn add_bodies(
        &mut self,
        (frequency, label): (&str, &str),
        motions: &[BodyMotion],
        largest: f64,
    ) {
        let scaled = |of: &Vec<f64>| -> Vec<f64> {
            let turns = 3..6;
            let factor = |k: usize| if turns.contains(&k) { self.size } else { 1.0 };
            let numbers = of.iter().enumerate();
            let numbers = numbers.map(|(k, x)| digits(x * factor(k) / largest));
            // Translations and rotations that nobody sees are none.
            let seen = |(k, x): (usize, f64)| if k < 6 && x.abs() < UNSEEN { 0.0 } else { x };
            numbers.enumerate().map(seen).collect()
        };
        let bodies = motions.iter().map(|own| {
            let imaginary = own.imaginary.as_ref().map(scaled);
            (own.body, scaled(&own.real), imaginary)
        });
        let moves = |(_, real, imaginary): &(usize, Vec<f64>, Option<Vec<f64>>)| {
            let mut all = real.iter().chain(imaginary.iter().flatten());
            all.any(|x| *x != 0.0)
        };
        let bodies = bodies.filter(moves).collect();
        self.modes.push(Moving {
            frequency: frequency.to_owned(),
            label: label.to_owned(),
            shape: Vec::new(),
            other: None,
            bodies,
        });
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
            bodies: Vec::new(),
        });
    }
}

/// Five digits.
fn digits(x: f64) -> f64 {
    format!("{x:.4e}").parse().unwrap_or(x)
}

/// Digits that a screen can show.
fn short(v: &Vec3) -> [f32; 3] {
    [v.x, v.y, v.z].map(|x| ((x * 1e4).round() / 1e4) as f32)
}
