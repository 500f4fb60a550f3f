//! Control plane: a flexible body by itself: a page on which its modes move, and a sheet of them as a picture.
//!
//! Reading order: [`page`], [`sheet`]; here is what both have in common.

pub mod page;
pub mod sheet;

use fixstep_kernel::flex::FlexData;
use fixstep_kernel::math::Vec3;
use fixstep_pictures::scene::{Body, Frame, Place, Pose, Scene, Soft};

use crate::scene;
use crate::slave::Failure;

/// A place that is not moved.
const STILL: Place = Place {
    position: Vec3::new(0.0, 0.0, 0.0),
    rotation: [1.0, 0.0, 0.0, 0.0],
};
/// The colour of the body.
const STEEL: [u8; 3] = [122, 132, 146];

/// These modes, counted from 1, or all; from 0.
pub fn chosen(data: &FlexData, modes: &[usize]) -> Result<Vec<usize>, Failure> {
    let count = data.modes.len();
    if let Some(wrong) = modes.iter().find(|mode| **mode == 0 || **mode > count) {
        return Err(Failure(format!("mode {wrong}: valid are 1 to {count}")));
    }
    Ok(if modes.is_empty() {
        (0..count).collect()
    } else {
        modes.iter().map(|mode| mode - 1).collect()
    })
}

/// A scene of ground and a body that bends, without a name, at rest.
fn alone(soft: Soft, size: f64) -> (Scene, Frame) {
    let body = |name: &str, soft: Option<Soft>| Body {
        name: name.to_owned(),
        mass: None,
        center: Vec3::zeros(),
        inertia: [0.0; 6],
        color: STEEL,
        solids: Vec::new(),
        soft,
    };
    let pose = |modal: usize| Pose {
        place: STILL,
        modal: vec![0.0; modal],
    };
    let still = Frame {
        time: 0.0,
        poses: vec![pose(0), pose(soft.modes.len())],
        ..Frame::default()
    };
    let scene = Scene {
        size,
        bodies: vec![body("ground", None), body("body", Some(soft))],
        ..scene::nothing("")
    };
    (scene, still)
}

/// Frequency with enough digits to distinguish modes.
fn hertz(frequency: f64) -> String {
    match frequency {
        f if f >= 1e5 => format!("{:.1} kHz", f / 1e3),
        f if f >= 1e4 => format!("{:.2} kHz", f / 1e3),
        f if f >= 100.0 => format!("{f:.1} Hz"),
        f if f >= 1.0 => format!("{f:.2} Hz"),
        f => format!("{f:.4} Hz"),
    }
}
