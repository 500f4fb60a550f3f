//! Control plane: links in a glTF file: nodes that turn and stretch with their points.

use std::sync::Arc;

use fixstep_kernel::math::rotation::{exp_quaternion, matrix, multiply, normalized};
use fixstep_kernel::math::{Vec3, atan2};
use serde_json::json;

use super::{Writer, tracks};
use crate::motion::point;
use crate::render::{LINK_COLORS, damper_body};
use crate::scene::{Color, Frame, Link, LinkKind, Mesh, Point, Scene};
use crate::solids::{coil, damper, frustum, turned_to};

/// What follows a stretch of a link.
struct Part<'a> {
    name: &'a str,
    mesh: Mesh,
    color: Color,
    ends: [&'a Point; 2],
    /// The length of the mesh; none if it keeps its length.
    drawn: Option<f64>,
    /// From the second end to the first.
    reversed: bool,
}

/// The nodes of a link whose length stays in a range.
pub(super) fn nodes(
    writer: &mut Writer<'_>,
    scene: &Scene,
    link: &Link,
    lengths: [f64; 2],
) -> Vec<usize> {
    let [first, .., last] = link.points.as_slice() else {
        return Vec::new();
    };
    let middle = 0.5 * (lengths[0] + lengths[1]);
    if !(middle > 0.0 && middle.is_finite()) {
        return Vec::new();
    }
    let (radius, colors) = (link.radius, LINK_COLORS);
    let part = |mesh, color, drawn, reversed| Part {
        name: &link.name,
        mesh,
        color,
        ends: [first, last],
        drawn,
        reversed,
    };
    let mut parts = Vec::new();
    if matches!(link.kind, LinkKind::Spring | LinkKind::Strut) {
        let wire = 0.11 * radius;
        let mesh = coil(middle, radius - wire, wire, 8);
        parts.push(part(mesh, colors.spring, Some(middle), false));
    }
    if matches!(link.kind, LinkKind::Damper | LinkKind::Strut) {
        let radius = if link.kind == LinkKind::Strut {
            0.55 * radius
        } else {
            radius
        };
        // the rod is as long as it ever is, seen from its own end
        let body = damper_body(&lengths, middle);
        let [tube, mut rod] = damper(lengths[1], radius, body);
        for p in &mut rod.points {
            p[2] = lengths[1] as f32 - p[2];
        }
        for n in &mut rod.normals {
            n[2] = -n[2];
        }
        for triangle in &mut rod.triangles {
            triangle.swap(1, 2);
        }
        parts.push(part(tube, colors.tube, None, false));
        parts.push(part(rod, colors.rod, None, true));
    }
    if matches!(link.kind, LinkKind::Rope | LinkKind::Line) {
        let rope = link.kind == LinkKind::Rope;
        let thick = radius.max(0.0015 * scene.size);
        let color = if rope { colors.rope } else { colors.line };
        for pair in link.points.windows(2) {
            let mut bar = frustum(thick, thick, 1.0);
            for p in &mut bar.points {
                p[2] += 0.5;
            }
            parts.push(Part {
                ends: [&pair[0], &pair[1]],
                ..part(bar, color, Some(1.0), false)
            });
        }
    }
    parts
        .into_iter()
        .filter_map(|part| node(writer, part))
        .collect()
}

fn node(writer: &mut Writer<'_>, part: Part<'_>) -> Option<usize> {
    let mesh = Arc::new(part.mesh);
    let number = writer.mesh(&mesh, part.color, 1.0)?;
    // its address stays its own
    writer.kept.push(mesh);
    let [from, to] = if part.reversed {
        [part.ends[1], part.ends[0]]
    } else {
        part.ends
    };
    let place = |frame: &Frame| point(frame, from, 1.0);
    let way = |frame: &Frame| point(frame, to, 1.0) - point(frame, from, 1.0);
    let mut last = turned_to(&way(&writer.tracks.film[0]));
    let turn = last;
    // as little as possible from frame to frame: a coil must not spin about its axis
    let carry = |frame: &Frame| {
        last = carried(&last, &way(frame));
        last
    };
    let drawn = part.drawn;
    let scale = |frame: &Frame| {
        let along = drawn.map_or(1.0, |length| way(frame).norm() / length);
        Vec3::new(1.0, 1.0, along)
    };
    let first = &writer.tracks.film[0];
    let (p, [w, x, y, z], s) = (place(first), turn, scale(first));
    let node = writer.document.node(json!({
        "name": part.name,
        "mesh": number,
        "translation": [p[0] as f32, p[1] as f32, p[2] as f32],
        "rotation": tracks::single([x, y, z, w]),
        "scale": [s[0] as f32, s[1] as f32, s[2] as f32],
    }));
    writer.tracks.positions(&mut writer.buffer, node, place);
    writer.tracks.rotations(&mut writer.buffer, node, carry);
    writer.tracks.scales(&mut writer.buffer, node, scale);
    Some(node)
}

/// A rotation turned on, by the shortest way, so that it takes z to a direction.
fn carried(last: &[f64; 4], way: &Vec3) -> [f64; 4] {
    let Some(now) = way.try_normalize(0.0) else {
        return *last;
    };
    let before: Vec3 = matrix(last).column(2).into();
    let (across, along) = (before.cross(&now), before.dot(&now));
    let sine = across.norm();
    if sine < 1e-12 {
        return if along > 0.0 { *last } else { turned_to(way) };
    }
    let turn = exp_quaternion(&(across * (atan2(sine, along) / sine)));
    normalized(&multiply(&turn, last))
}
