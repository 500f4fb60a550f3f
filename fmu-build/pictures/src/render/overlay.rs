//! Control plane: words on a picture: title, time, the axes of ground, the scale of colours.

use super::geometry::{FORCE, REACTION, TORQUE};
use super::{Look, Tint, scale};
use crate::camera::Camera;
use crate::picture::{Anchor, Picture};
use crate::scene::{Arrow, ArrowKind, Color, Frame, Scene};

/// Words on a picture of a frame; `top` is the value of the last colour.
pub(super) fn draw(
    picture: &mut Picture,
    scene: &Scene,
    frame: &Frame,
    camera: &Camera,
    look: &Look,
    top: f64,
) {
    let (width, height) = (look.width as f64, look.height as f64);
    let size = (height / 40.0).clamp(11.0, 40.0);
    let (ink, faint): (Color, Color) = if look.dark {
        ([232, 236, 241], [168, 176, 187])
    } else {
        ([30, 36, 44], [92, 101, 113])
    };
    if look.words {
        let edge = 1.3 * size;
        picture.text(
            &scene.title,
            [edge, edge + 0.8 * size],
            1.15 * size,
            ink,
            Anchor::Left,
        );
        let mut clock = format!("{:.3} s", frame.time);
        if (look.speed - 1.0).abs() > 0.02 {
            // 3.0×, 24×; slower than the run: 1/2.5×, 1/400×.
            let slow = look.speed < 1.0;
            let size = if slow { 1.0 / look.speed } else { look.speed };
            let (part, digits) = (if slow { "1/" } else { "" }, usize::from(size < 10.0));
            clock = format!("{part}{size:.digits$}\u{d7}   {clock}");
        }
        picture.text(
            &clock,
            [width - edge, height - edge],
            size,
            ink,
            Anchor::Right,
        );
        triad(
            picture,
            camera,
            [edge + 1.8 * size, height - edge - 1.8 * size],
            1.9 * size,
            ink,
        );
    }
    let tinted = look.tint != Tint::Body && top > 0.0;
    if look.legend && tinted && scene.bodies.iter().any(|body| body.soft.is_some()) {
        legend(picture, [width, height], size, [ink, faint], look, top);
    }
    if look.words && look.arrows {
        arrow_key(picture, scene, frame, ([width, height], size, ink));
    }
}

/// What the colours of arrows stand for, and the largest of each in the frame.
fn arrow_key(
    picture: &mut Picture,
    scene: &Scene,
    frame: &Frame,
    ([width, height], size, ink): ([f64; 2], f64, Color),
) {
    let largest = |of: &dyn Fn(&Arrow) -> bool| {
        let all = scene.arrows.iter().zip(&frame.arrows);
        let sizes = all.filter(|(arrow, _)| of(arrow)).map(|(_, v)| norm(v));
        sizes.filter(|size| size.is_finite()).fold(0.0, f64::max)
    };
    let force = |reaction: bool| {
        largest(&|arrow| arrow.kind == ArrowKind::Force && arrow.reaction == reaction)
    };
    let (own, reaction) = (force(false), force(true));
    let torque = largest(&|arrow| arrow.kind == ArrowKind::Torque);
    let rounding = 1e-9 * own.max(reaction);
    let rows = [
        ("forces", own, "N", FORCE, rounding),
        ("reactions", reaction, "N", REACTION, rounding),
        ("torques", torque, "N.m", TORQUE, rounding * scene.size),
    ];
    let shown: Vec<_> = rows.into_iter().filter(|row| row.1 > row.4).collect();
    let edge = 1.3 * size;
    for (k, (name, most, unit, color, _)) in shown.iter().enumerate() {
        let y = height - edge - 1.7 * size * (shown.len() - k) as f64;
        let text = format!("{name}, largest {} {unit}", short(*most));
        let right = width - edge;
        let wide = picture.text(&text, [right, y], 0.9 * size, ink, Anchor::Right);
        let (left, at) = (right - wide - 2.2 * size, y - 0.3 * size);
        picture.line(&[[left, at], [left + 1.5 * size, at]], 0.3 * size, *color);
    }
}

fn norm([x, y, z]: &[f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

/// The axes of ground, far ones first.
fn triad(picture: &mut Picture, camera: &Camera, [x, y]: [f64; 2], length: f64, ink: Color) {
    const COLORS: [Color; 3] = [[214, 57, 57], [62, 156, 72], [70, 118, 224]];
    // rows of the camera's axes are the axes of ground as the camera sees them
    let mut order: Vec<(usize, [f64; 3])> = (0..3)
        .map(|axis| (axis, [0, 1, 2].map(|k| camera.axes[(axis, k)])))
        .collect();
    order.sort_by(|a, b| a.1[2].total_cmp(&b.1[2]));
    for (axis, [right, up, _]) in order {
        let tip = [x + length * right, y - length * up];
        picture.line(&[[x, y], tip], 0.11 * length, COLORS[axis]);
        // the name of one that points at the viewer would hide the others
        if right * right + up * up < 0.02 {
            continue;
        }
        let name = [
            x + 1.32 * length * right,
            y - 1.32 * length * up + 0.18 * length,
        ];
        picture.text(
            ["x", "y", "z"][axis],
            name,
            0.42 * length,
            ink,
            Anchor::Middle,
        );
    }
}

/// A bar of colours with values beside it.
fn legend(
    picture: &mut Picture,
    [width, height]: [f64; 2],
    size: f64,
    [ink, faint]: [Color; 2],
    look: &Look,
    top: f64,
) {
    let (name, unit, factor) = match look.tint {
        Tint::Stress => stress_unit(top),
        _ => length_unit(top),
    };
    let (wide, tall) = (0.9 * size, 0.42 * height);
    let (left, first) = (width - 6.2 * size, 4.6 * size);
    let steps = tall.round().max(1.0) as usize;
    for k in 0..steps {
        let part = (k as f64 + 0.5) / steps as f64;
        let y = first + tall * (1.0 - part) - 0.5 * tall / steps as f64;
        picture.rectangle([left, y, wide, tall / steps as f64], scale(part), 1.0);
    }
    for k in 0..=4 {
        let part = f64::from(k) / 4.0;
        let y = first + tall * (1.0 - part);
        picture.line(&[[left + wide, y], [left + 1.35 * wide, y]], 1.0, faint);
        let text = short(top * part / factor);
        picture.text(
            &text,
            [left + 1.7 * wide, y + 0.32 * size],
            0.9 * size,
            ink,
            Anchor::Left,
        );
    }
    let title = format!("{name} [{unit}]");
    picture.text(
        &title,
        [width - 1.3 * size, first - 1.1 * size],
        0.9 * size,
        ink,
        Anchor::Right,
    );
    if look.deformation != 1.0 {
        let text = format!("drawn \u{d7} {}", short(look.deformation));
        let place = [width - 1.3 * size, first + tall + 1.9 * size];
        picture.text(&text, place, 0.9 * size, faint, Anchor::Right);
    }
}

fn length_unit(top: f64) -> (&'static str, &'static str, f64) {
    let (unit, factor) = if top >= 1.0 { ("m", 1.0) } else { ("mm", 1e-3) };
    // Points are drawn from the body's floating frame, so its own motion is no part of it.
    ("deformation", unit, factor)
}

fn stress_unit(top: f64) -> (&'static str, &'static str, f64) {
    let (unit, factor) = match top {
        t if t >= 1e9 => ("GPa", 1e9),
        t if t >= 1e5 => ("MPa", 1e6),
        t if t >= 1e2 => ("kPa", 1e3),
        _ => ("Pa", 1.0),
    };
    ("von-Mises stress", unit, factor)
}

/// A number with three figures.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{value:.2e}")
    } else {
        let places = match size {
            s if s >= 99.95 => 0,
            s if s >= 9.995 => 1,
            s if s >= 0.9995 => 2,
            s if s >= 0.09995 => 3,
            s if s >= 0.009_995 => 4,
            _ => 5,
        };
        let text = format!("{value:.places$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    }
}
