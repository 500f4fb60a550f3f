//! Control plane: parts of the JSON of a page.

use fixstep_kernel::math::Vec3;
use serde_json::{Value, json};

use crate::scene::{Color, Place, Point};

pub(super) fn vector(v: &Vec3) -> [f64; 3] {
    [v[0], v[1], v[2]]
}

pub(super) fn color([r, g, b]: Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

pub(super) fn place(body: usize, place: &Place) -> Value {
    json!({"body": body, "position": vector(&place.position), "rotation": place.rotation})
}

pub(super) fn point(point: &Point) -> Value {
    json!({"body": point.body, "position": vector(&point.position), "modes": point.modes})
}
