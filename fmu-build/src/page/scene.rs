//! Control plane: the data of a moving drawing on a page: points, their displacements in each shape, and the lines that
//! join them.

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

/// Resolution of translations and rotations: this number of parts of the largest displacement.
const PARTS: f64 = 1e5;
/// A point that its body's rounded motion misplaces by more than this part gets a displacement of its own.
const STRAY: f64 = 2e-4;

/// The style of a chain of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// A thick line, coloured by displacement.
    Limb,
    /// A thin line, coloured by displacement.
    Outline,
    /// A dashed line.
    Spring,
    /// Fixed to ground.
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
    /// The length \[m\] of one unit of the page.
    #[serde(skip)]
    size: f64,
}

/// How points move with bodies, in the form that the page reads.
#[derive(Clone, Debug, Serialize)]
struct Rig {
    /// The body of each point.
    owners: Vec<usize>,
    /// The position of each point from its body's centre of mass, as a part of the size of the scene.
    arms: Vec<[f64; 3]>,
    /// Points of flexible bodies, and their displacement by each mode of their body \[m\].
    bends: Vec<(usize, Vec<[f64; 3]>)>,
}

/// The motion of a body in a shape: translation of its centre of mass, rotation about it, modal coordinates, in this
/// order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyMotion {
    /// The number of the body.
    pub body: usize,
    /// Real parts.
    pub real: Vec<f64>,
    /// Imaginary parts, unless all bodies move in phase.
    pub imaginary: Option<Vec<f64>>,
}

/// A body and the numbers of its motion in a shape: their real and imaginary parts.
type Motion = (usize, Vec<f64>, Option<Vec<f64>>);

/// A shape in the form that the page reads: a displacement for each point, the longest of length 1.
#[derive(Clone, Debug, Serialize)]
struct Moving {
    frequency: String,
    label: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shape: Vec<[f32; 3]>,
    /// The imaginary part.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Vec<[f32; 3]>>,
    /// If points move with bodies: body, real parts, imaginary parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bodies: Vec<Motion>,
    /// Points that rounded motions of bodies would misplace: point, real parts, imaginary parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    strays: Vec<(usize, [f32; 3], [f32; 3])>,
}

/// A shape to be drawn: how all points move.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Its frequency, in words.
    pub frequency: String,
    /// Its name.
    pub label: String,
    /// Real part of the displacement of each point.
    pub real: Vec<Vec3>,
    /// Imaginary parts, unless all points move in phase.
    pub imaginary: Option<Vec<Vec3>>,
    /// The displacement that is drawn as 1.
    pub largest: f64,
}

impl Scene {
    /// From points and chains of them; `up` is the upward direction.
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
        }
    }

    /// Attaches points to bodies: the body of each point, the point's position from its centre of mass \[m\], and the
    /// displacements of points by modes of flexible bodies \[m\].
    pub fn attach(&mut self, owners: Vec<usize>, arms: &[Vec3], bends: Vec<(usize, Vec<Vec3>)>) {
        let column = |u: &Vec3| [u.x, u.y, u.z].map(digits);
        let bends = bends.into_iter();
        self.rig = Some(Rig {
            owners,
            arms: arms.iter().map(|arm| column(&(arm / self.size))).collect(),
            bends: bends
                .map(|(point, columns)| (point, columns.iter().map(column).collect()))
                .collect(),
        });
    }

    /// Adds a shape by the motions of bodies \[m, rad\]; points that these do not reproduce well enough get their own
    /// displacements.
    pub fn add_bodies(&mut self, shape: &Shape, motions: &[BodyMotion]) {
        let scaled = |of: &Vec<f64>| -> Vec<f64> {
            let factor = |k: usize| if (3..6).contains(&k) { self.size } else { 1.0 };
            let numbers = of.iter().enumerate();
            let numbers = numbers.map(|(k, x)| (k, x * factor(k) / shape.largest));
            numbers
                .map(|(k, x)| if k < 6 { seen(x) } else { digits(x) })
                .collect()
        };
        let bodies = motions.iter().map(|own| {
            let imaginary = own.imaginary.as_ref().map(scaled);
            (own.body, scaled(&own.real), imaginary)
        });
        let moves = |(_, real, imaginary): &Motion| {
            let mut all = real.iter().chain(imaginary.iter().flatten());
            all.any(|x| *x != 0.0)
        };
        let mut moving = Moving {
            frequency: shape.frequency.clone(),
            label: shape.label.clone(),
            shape: Vec::new(),
            other: None,
            bodies: bodies.filter(moves).collect(),
            strays: Vec::new(),
        };
        if let Some(rig) = &self.rig {
            moving.strays = rig.strays(&moving.bodies, shape);
        }
        self.modes.push(moving);
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
            strays: Vec::new(),
        });
    }
}

impl Rig {
    /// The motion of a point from the numbers of its body, as the page computes it.
    fn moved(&self, point: usize, numbers: &[f64]) -> Vec3 {
        let of = |from: usize| Vec3::new(numbers[from], numbers[from + 1], numbers[from + 2]);
        let rigid = of(0) + of(3).cross(&Vec3::from(self.arms[point]));
        let bends = self.bends.binary_search_by_key(&point, |(own, _)| *own);
        let columns = bends.map_or(&[][..], |at| &self.bends[at].1);
        let modal = columns.iter().zip(&numbers[6..]);
        modal.fold(rigid, |sum, (column, q)| sum + Vec3::from(*column) * *q)
    }

    /// The points that the rounded motions of their bodies misplace.
    fn strays(&self, bodies: &[Motion], shape: &Shape) -> Vec<(usize, [f32; 3], [f32; 3])> {
        let mut found = Vec::new();
        for (point, owner) in self.owners.iter().enumerate() {
            let own = bodies.iter().find(|(body, ..)| body == owner);
            let real = own.map_or(Vec3::zeros(), |(_, re, _)| self.moved(point, re));
            let other = own.and_then(|(_, _, im)| im.as_ref());
            let other = other.map_or(Vec3::zeros(), |im| self.moved(point, im));
            let wanted = shape.real[point] / shape.largest;
            let aside = shape.imaginary.as_ref();
            let aside = aside.map_or(Vec3::zeros(), |of| of[point] / shape.largest);
            if (real - wanted).norm().max((other - aside).norm()) > STRAY {
                found.push((point, short(&wanted), short(&aside)));
            }
        }
        found
    }
}

/// Rounds to the resolution of a screen, as a part of the largest displacement.
fn seen(x: f64) -> f64 {
    if x.abs() < 1.0 {
        (x * PARTS).round() / PARTS + 0.0
    } else {
        digits(x)
    }
}

/// Rounds to five significant digits.
fn digits(x: f64) -> f64 {
    format!("{x:.4e}").parse().unwrap_or(x)
}

/// Rounds to the digits that a screen can show.
fn short(v: &Vec3) -> [f32; 3] {
    [v.x, v.y, v.z].map(|x| ((x * 1e4).round() / 1e4) as f32)
}
