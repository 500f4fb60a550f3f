//! Control plane: round sections that follow a line: coils, ropes, bent arrows.

use std::f64::consts::TAU;

use fixstep_kernel::math::{Vec3, cos, sin};

use super::builder::Builder;
use super::{axes_along, between, capsule, moved, turned_to};
use crate::scene::{Mesh, Place};

/// A round wire along a line of at least two different points, with flat ends \[m\]. Bends should be wider than the wire:
/// at a sharp bend use [`rope`].
pub fn sweep(line: &[Vec3], radius: f64, sides: usize) -> Mesh {
    let mut builder = Builder::default();
    let mut line = line.to_vec();
    line.dedup();
    if line.len() < 2 {
        return builder.finish();
    }
    let sides = sides.max(3);
    let rings = rings(&line, sides);
    let at = |ring: usize, side: usize| {
        let normal = rings[ring][side % sides];
        (line[ring] + normal * radius, normal)
    };
    for ring in 0..line.len() - 1 {
        for side in 0..sides {
            let next = side + 1;
            let corners = [
                at(ring, side),
                at(ring, next),
                at(ring + 1, next),
                at(ring + 1, side),
            ];
            builder.quad(corners);
        }
    }
    let last = line.len() - 1;
    let (first_way, last_way) = (
        (line[0] - line[1]).normalize(),
        (line[last] - line[last - 1]).normalize(),
    );
    for side in 0..sides {
        builder.flat([line[0], at(0, side + 1).0, at(0, side).0], &first_way);
        builder.flat(
            [line[last], at(last, side).0, at(last, side + 1).0],
            &last_way,
        );
    }
    builder.finish()
}

/// Outward directions around each point of a line; the first is carried along without turning about the line.
fn rings(line: &[Vec3], sides: usize) -> Vec<Vec<Vec3>> {
    let last = line.len() - 1;
    let ways: Vec<Vec3> = (0..=last)
        .map(|k| {
            let before = line[k] - line[k.saturating_sub(1)];
            let after = line[(k + 1).min(last)] - line[k];
            let [before, after] = [before, after].map(|v| v.try_normalize(0.0).unwrap_or_default());
            (before + after).try_normalize(1e-9).unwrap_or(after)
        })
        .collect();
    let mut x: Vec3 = axes_along(&ways[0]).column(0).into();
    ways.iter()
        .map(|way| {
            let flat = x - way * way.dot(&x);
            x = flat
                .try_normalize(1e-9)
                .unwrap_or_else(|| axes_along(way).column(0).into());
            let y = way.cross(&x);
            (0..sides)
                .map(|side| {
                    let angle = TAU * side as f64 / sides as f64;
                    x * cos(angle) + y * sin(angle)
                })
                .collect()
        })
        .collect()
}

/// A coil along z from the origin; `radius` is that of the middle of the wire \[m\]. Its end turns are flatter, as those of
/// a spring with closed ends.
pub fn coil(length: f64, radius: f64, wire: f64, turns: usize) -> Mesh {
    const STEPS: usize = 18;
    let turns = turns.max(1);
    let pieces = turns * STEPS;
    let whole = (length - 2.0 * wire).max(0.0);
    let line: Vec<Vec3> = (0..=pieces)
        .map(|k| {
            let part = k as f64 / pieces as f64;
            let angle = TAU * turns as f64 * part;
            // slower by half at both ends, over three quarters of a turn
            let ease = (0.75 / turns as f64).min(0.25);
            let risen = eased(part, ease) / eased(1.0, ease);
            Vec3::new(
                radius * cos(angle),
                radius * sin(angle),
                wire + whole * risen,
            )
        })
        .collect();
    sweep(&line, wire, 8)
}

/// What is run in a time by a speed that is a third over `ease` at both ends of 0…1 and 1 between.
fn eased(t: f64, ease: f64) -> f64 {
    let slow = 1.0 / 3.0;
    slow * t.min(ease) + (t.clamp(ease, 1.0 - ease) - ease) + slow * (t - (1.0 - ease)).max(0.0)
}

/// A rope through points: a rounded bar for each stretch \[m\].
pub fn rope(points: &[Vec3], radius: f64) -> Mesh {
    let mut builder = Builder::default();
    for pair in points.windows(2) {
        let (place, length) = between(&pair[0], &pair[1]);
        if length > 0.0 {
            builder.add(&capsule(radius, length), |p| moved(&place, p));
        }
    }
    builder.finish()
}

/// An arrow bent about z, anticlockwise by three quarters of a turn about the origin: the mark of a torque \[m\].
pub fn torque_arrow(radius: f64, wire: f64) -> Mesh {
    const STEPS: usize = 40;
    let head = 7.0 * wire;
    let whole = 0.78 * TAU;
    let bent = (whole - head / radius).max(0.1 * whole);
    let at = |angle: f64| Vec3::new(radius * cos(angle), radius * sin(angle), 0.0);
    let line: Vec<Vec3> = (0..=STEPS)
        .map(|k| at(bent * k as f64 / STEPS as f64))
        .collect();
    let mut builder = Builder::default();
    builder.add(&sweep(&line, wire, 10), Vec3::clone);
    // the head points along the chord of its own arc
    let way = at(bent + head / radius) - at(bent);
    let place = Place {
        position: at(bent) + way * 0.5,
        rotation: turned_to(&way),
    };
    let cone = super::frustum(3.0 * wire, 0.0, head);
    builder.add(&cone, |p| moved(&place, p));
    builder.finish()
}
