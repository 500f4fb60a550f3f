//! Control plane: surfaces of revolution about z.

use std::f64::consts::{FRAC_PI_2, PI};

use fixstep_kernel::math::{Vec3, cos, sin};

use super::builder::{Builder, doubled_area, ends, unit};
use super::{AROUND, CREASE, Detail};
use crate::scene::Mesh;

/// A line in the half-plane of radius and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// From the axis to the axis; ends elsewhere are led to the axis.
    Open,
    /// Its last corner is joined to its first.
    Closed,
}

/// The surface that a line sweeps about z. Its corners are radius and z \[m\], in either order; radii below zero count as
/// zero. Edges that bend by less than `crease` \[rad\] are round. A line of no area gives a surface without triangles.
pub fn revolution(line: &[[f64; 2]], curve: Curve, around: usize, crease: f64) -> Mesh {
    let mut builder = Builder::default();
    let line = tidied(line, curve);
    let around = around.max(3);
    if line.len() < 3 {
        return builder.finish();
    }
    let cosine = cos(crease);
    let pieces = line.len() - usize::from(curve == Curve::Open);
    let corner = |k: usize| line[k % line.len()];
    let normals: Vec<[f64; 2]> = (0..pieces)
        .map(|k| {
            let (a, b) = (corner(k), corner(k + 1));
            unit([b[1] - a[1], a[0] - b[0]])
        })
        .collect();
    let turns: Vec<[f64; 2]> = (0..2 * around)
        .map(|k| {
            let angle = PI * k as f64 / around as f64;
            [cos(angle), sin(angle)]
        })
        .collect();
    for k in 0..pieces {
        let mirrored = || Some([-normals[k][0], normals[k][1]]);
        let neighbour = |at: usize, other: usize| {
            if corner(at)[0] == 0.0 {
                mirrored()
            } else {
                normals.get(other).copied()
            }
        };
        let before = neighbour(k, (k + pieces - 1) % pieces);
        let after = neighbour(k + 1, (k + 1) % pieces);
        let sides = ends(normals[k], before, after, cosine);
        for j in 0..around {
            let at = |end: usize, step: usize| {
                let ([r, z], [radial, axial]) = (corner(k + end), sides[end]);
                // half-way where all corners of a ring are one
                let half = if r == 0.0 { 2 * j + 1 } else { 2 * (j + step) };
                let [c, s] = turns[half % (2 * around)];
                (
                    Vec3::new(r * c, r * s, z),
                    Vec3::new(radial * c, radial * s, axial),
                )
            };
            builder.quad([at(0, 0), at(0, 1), at(1, 1), at(1, 0)]);
        }
    }
    builder.finish()
}

/// Anticlockwise, without corners that coincide, and with ends on the axis.
fn tidied(line: &[[f64; 2]], curve: Curve) -> Vec<[f64; 2]> {
    let mut out: Vec<[f64; 2]> = line.iter().map(|&[r, z]| [r.max(0.0), z]).collect();
    if curve == Curve::Open {
        if let Some(&[r, z]) = out.last()
            && r > 0.0
        {
            out.push([0.0, z]);
        }
        if let Some(&[r, z]) = out.first()
            && r > 0.0
        {
            out.insert(0, [0.0, z]);
        }
    }
    out.dedup();
    if curve == Curve::Closed && out.first() == out.last() {
        out.pop();
    }
    if doubled_area(&out) < 0.0 {
        out.reverse();
    }
    if doubled_area(&out) == 0.0 {
        out.clear();
    }
    out
}

/// Corners on a circle about a point of the half-plane, from one angle to another \[rad\], both included.
pub(super) fn arc(
    center: [f64; 2],
    radius: f64,
    from: f64,
    to: f64,
    pieces: usize,
) -> Vec<[f64; 2]> {
    (0..=pieces)
        .map(|k| {
            let angle = from + (to - from) * k as f64 / pieces as f64;
            [
                center[0] + radius * cos(angle),
                center[1] + radius * sin(angle),
            ]
        })
        .collect()
}

/// A ball of radius 1.
pub(super) fn ball(detail: Detail) -> Mesh {
    let [_, around] = detail.corners();
    let mut line = arc([0.0, 0.0], 1.0, -FRAC_PI_2, FRAC_PI_2, around / 2);
    on_axis(&mut line);
    revolution(&line, Curve::Open, around, CREASE)
}

/// Ends exactly on the axis.
fn on_axis(line: &mut [[f64; 2]]) {
    if let [first, .., last] = line {
        first[0] = 0.0;
        last[0] = 0.0;
    }
}

/// A truncated cone: `bottom` is its radius at -length/2, `top` that at +length/2 \[m\]; either may be zero.
pub fn frustum(bottom: f64, top: f64, length: f64) -> Mesh {
    frustum_of(bottom, top, length, Detail::Fine)
}

/// The same in another detail.
pub fn frustum_of(bottom: f64, top: f64, length: f64, detail: Detail) -> Mesh {
    let [around, _] = detail.corners();
    let half = 0.5 * length;
    let line = [[0.0, -half], [bottom, -half], [top, half], [0.0, half]];
    revolution(&line, Curve::Open, around, CREASE)
}

/// A hollow cylinder \[m\].
pub fn tube(outer: f64, inner: f64, length: f64) -> Mesh {
    tube_of(outer, inner, length, Detail::Fine)
}

/// The same in another detail.
pub fn tube_of(outer: f64, inner: f64, length: f64, detail: Detail) -> Mesh {
    let [around, _] = detail.corners();
    let half = 0.5 * length;
    if inner <= 0.0 {
        return frustum_of(outer, outer, length, detail);
    }
    let line = [[inner, -half], [outer, -half], [outer, half], [inner, half]];
    revolution(&line, Curve::Closed, around, CREASE)
}

/// A cylinder between two half-balls; `length` is the distance of their centres \[m\].
pub fn capsule(radius: f64, length: f64) -> Mesh {
    capsule_of(radius, length, Detail::Fine)
}

/// The same in another detail.
pub fn capsule_of(radius: f64, length: f64, detail: Detail) -> Mesh {
    let [_, around] = detail.corners();
    let half = 0.5 * length;
    let mut line = arc([0.0, -half], radius, -FRAC_PI_2, 0.0, around / 4);
    line.extend(arc([0.0, half], radius, 0.0, FRAC_PI_2, around / 4));
    on_axis(&mut line);
    revolution(&line, Curve::Open, around, CREASE)
}

/// An arrow along z from the origin; its shaft has the given radius and its head three times that \[m\]. The head of a
/// short arrow is as long as the arrow.
pub fn arrow(length: f64, radius: f64) -> Mesh {
    let neck = (length - 7.5 * radius).max(0.0);
    let line = [
        [0.0, 0.0],
        [radius, 0.0],
        [radius, neck],
        [3.0 * radius, neck],
        [0.0, length],
    ];
    let from = if neck > 0.0 { 0 } else { 3 };
    revolution(&line[from..], Curve::Open, AROUND / 2, CREASE)
}

/// A tube that a rod leaves, along z from the origin: the tube takes `body` of the length, the rod the rest, with an eye at
/// each end \[m\].
pub fn damper(length: f64, radius: f64, body: f64) -> [Mesh; 2] {
    let rod = 0.42 * radius;
    let bevel = 0.2 * radius;
    let tube = [
        [0.0, 0.0],
        [0.5 * radius, 0.0],
        [radius, 0.4 * radius],
        [radius, body - bevel],
        [radius - bevel, body],
        [0.0, body],
    ];
    let eye = 0.8 * radius;
    let shaft = [
        [0.0, 0.3 * body],
        [rod, 0.3 * body],
        [rod, length - 1.6 * eye],
        [eye, length - 1.6 * eye],
        [eye, length],
        [0.0, length],
    ];
    [tube.as_slice(), &shaft].map(|line| revolution(line, Curve::Open, AROUND / 2, 0.3))
}
