//! Control plane: parts of the JSON of a page, and base64.

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

/// Bytes as text, three bytes in four letters (RFC 4648, section 4).
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let all = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            if k <= chunk.len() {
                out.push(char::from(LETTERS[(all >> (18 - 6 * k)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}
