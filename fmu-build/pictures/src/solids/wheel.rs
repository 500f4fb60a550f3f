//! Control plane: tyres and rims about z, whose turning can be seen.

use std::f64::consts::{PI, TAU};

use fixstep_kernel::math::{Vec3, cos, sin};

use super::builder::Builder;
use super::revolved::{Curve, revolution};
use super::{AROUND, CREASE};
use crate::scene::Mesh;

/// Blocks of the tread in a row around.
const BLOCKS: usize = 30;

/// A tyre: its outer radius, the radius of its bead, its width \[m\]. Two rows of blocks stand out of the tread.
pub fn tyre(radius: f64, bead: f64, width: f64) -> Mesh {
    let tall = radius - bead;
    let depth = 0.06 * tall;
    let (base, half) = (radius - depth, 0.5 * width);
    let shoulder = 0.35 * tall;
    let mut side = Vec::new();
    // a quarter of an ellipse from the flank to the tread
    for k in 0..=6 {
        let angle = 0.5 * PI * f64::from(k) / 6.0;
        side.push([
            base - shoulder * (1.0 - sin(angle)),
            half - shoulder * 0.8 * (1.0 - cos(angle)),
        ]);
    }
    side.insert(0, [bead, 0.78 * half]);
    side.insert(1, [bead + 0.3 * tall, 0.97 * half]);
    let mut line: Vec<[f64; 2]> = side.iter().map(|&[r, z]| [r, -z]).collect();
    line.extend(side.iter().rev());
    let mut builder = Builder::default();
    builder.add(
        &revolution(&line, Curve::Closed, 2 * AROUND, CREASE),
        Vec3::clone,
    );
    let reach = half - 0.85 * shoulder;
    for k in 0..2 * BLOCKS {
        let row = if k % 2 == 0 { 1.0 } else { -1.0 };
        let middle = TAU * k as f64 / (2 * BLOCKS) as f64;
        let z = [row * 0.08 * reach, row * reach];
        block(
            &mut builder,
            middle,
            0.62 * TAU / BLOCKS as f64,
            [base - depth, radius],
            z,
        );
    }
    builder.finish()
}

/// A block of a ring: about an angle, so wide \[rad\], between two radii and two heights \[m\].
fn block(builder: &mut Builder, middle: f64, wide: f64, [low, high]: [f64; 2], z: [f64; 2]) {
    let z = [z[0].min(z[1]), z[0].max(z[1])];
    let at = |r: f64, part: f64, z: f64| {
        let angle = middle + wide * part;
        Vec3::new(r * cos(angle), r * sin(angle), z)
    };
    let faces = [
        [
            at(high, -0.5, z[0]),
            at(high, 0.5, z[0]),
            at(high, 0.5, z[1]),
            at(high, -0.5, z[1]),
        ],
        [
            at(low, -0.5, z[0]),
            at(low, -0.5, z[1]),
            at(low, 0.5, z[1]),
            at(low, 0.5, z[0]),
        ],
        [
            at(low, -0.5, z[0]),
            at(high, -0.5, z[0]),
            at(high, -0.5, z[1]),
            at(low, -0.5, z[1]),
        ],
        [
            at(low, 0.5, z[0]),
            at(low, 0.5, z[1]),
            at(high, 0.5, z[1]),
            at(high, 0.5, z[0]),
        ],
        [
            at(low, -0.5, z[0]),
            at(low, 0.5, z[0]),
            at(high, 0.5, z[0]),
            at(high, -0.5, z[0]),
        ],
        [
            at(low, -0.5, z[1]),
            at(high, -0.5, z[1]),
            at(high, 0.5, z[1]),
            at(low, 0.5, z[1]),
        ],
    ];
    for face in faces {
        let normal = (face[1] - face[0]).cross(&(face[3] - face[0])).normalize();
        builder.quad(face.map(|p| (p, normal)));
    }
}

/// A rim with spokes: its outer radius, its width, the number of spokes \[m\].
pub fn rim(radius: f64, width: f64, spokes: usize) -> Mesh {
    let (half, thick) = (0.5 * width, 0.08 * radius);
    let well = [
        [radius - thick, -half],
        [radius, -half],
        [radius, -0.86 * half],
        [radius - 0.6 * thick, -0.7 * half],
        [radius - 0.6 * thick, 0.7 * half],
        [radius, 0.86 * half],
        [radius, half],
        [radius - thick, half],
        [radius - 1.5 * thick, 0.7 * half],
        [radius - 1.5 * thick, -0.7 * half],
    ];
    let hub = 0.22 * radius;
    let disc = [
        [0.0, 0.05 * half],
        [hub, 0.05 * half],
        [hub, 0.7 * half],
        [0.7 * hub, 0.82 * half],
        [0.0, 0.82 * half],
    ];
    let mut builder = Builder::default();
    builder.add(&revolution(&well, Curve::Closed, AROUND, 0.3), Vec3::clone);
    builder.add(&revolution(&disc, Curve::Open, AROUND, 0.3), Vec3::clone);
    for k in 0..spokes {
        spoke(
            &mut builder,
            TAU * k as f64 / spokes as f64,
            [0.8 * hub, radius - 1.2 * thick],
            half,
        );
    }
    builder.finish()
}

/// A spoke between two radii that gets narrower outwards.
fn spoke(builder: &mut Builder, angle: f64, [from, to]: [f64; 2], half: f64) {
    let wide = [0.11 * to, 0.075 * to];
    let (c, s) = (cos(angle), sin(angle));
    let corner = |outer: usize, across: f64, z: f64| {
        let r = [from, to][outer];
        let y = across * wide[outer];
        Vec3::new(r * c - y * s, r * s + y * c, z * half)
    };
    let (low, high) = ([0.25, 0.45], [0.68, 0.8]);
    let at = |outer: usize, left: bool, top: bool| {
        let z = if top { high[outer] } else { low[outer] };
        corner(outer, if left { 1.0 } else { -1.0 }, z)
    };
    let faces = [
        [
            at(1, false, false),
            at(1, true, false),
            at(1, true, true),
            at(1, false, true),
        ],
        [
            at(0, true, false),
            at(0, false, false),
            at(0, false, true),
            at(0, true, true),
        ],
        [
            at(1, true, false),
            at(0, true, false),
            at(0, true, true),
            at(1, true, true),
        ],
        [
            at(0, false, false),
            at(1, false, false),
            at(1, false, true),
            at(0, false, true),
        ],
        [
            at(0, false, true),
            at(1, false, true),
            at(1, true, true),
            at(0, true, true),
        ],
        [
            at(0, true, false),
            at(1, true, false),
            at(1, false, false),
            at(0, false, false),
        ],
    ];
    for face in faces {
        let normal = (face[1] - face[0]).cross(&(face[3] - face[0])).normalize();
        builder.quad(face.map(|p| (p, normal)));
    }
}
