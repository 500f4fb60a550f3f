//! Control plane: vectors and colours in single precision. Only operations that IEEE 754 rounds exactly are used on them,
//! one by one: the same pixels on every processor.

use std::sync::OnceLock;

use fixstep_kernel::math::pow;

use crate::scene::Color;

/// A vector, or a colour in linear light.
pub(super) type Small = [f32; 3];

pub(super) fn dot(a: Small, b: Small) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn plus(a: Small, b: Small) -> Small {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn minus(a: Small, b: Small) -> Small {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn times(a: Small, k: f32) -> Small {
    [a[0] * k, a[1] * k, a[2] * k]
}

/// a + (b − a) k.
pub(super) fn mix(a: Small, b: Small, k: f32) -> Small {
    plus(a, times(minus(b, a), k))
}

/// Scaled to length 1; a vector without length stays.
pub(super) fn unit(a: Small) -> Small {
    let square = dot(a, a);
    if square > 0.0 {
        times(a, 1.0 / square.sqrt())
    } else {
        a
    }
}

/// 0 below `from`, 1 above `to`, smooth between.
pub(super) fn smooth(x: f32, from: f32, to: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Steps of the table from linear light to sRGB: the darkest steps are still finer than those of sRGB.
const STEPS: usize = 4096;

/// A colour of a screen in linear light (IEC 61966-2-1).
pub(crate) fn linear(color: Color) -> Small {
    color.map(|c| {
        let c = f64::from(c) / 255.0;
        let light = if c <= 0.040_45 {
            c / 12.92
        } else {
            pow((c + 0.055) / 1.055, 2.4)
        };
        light as f32
    })
}

/// A colour for a screen; light above 1 is cut off.
pub(super) fn screen(color: Small) -> Color {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        (0..=STEPS)
            .map(|k| {
                let light = k as f64 / STEPS as f64;
                let c = if light <= 0.003_130_8 {
                    12.92 * light
                } else {
                    1.055 * pow(light, 1.0 / 2.4) - 0.055
                };
                (255.0 * c).round() as u8
            })
            .collect()
    });
    color.map(|c| {
        let step = (c * STEPS as f32 + 0.5) as usize;
        table[step.min(STEPS)]
    })
}

/// A scale of colours from dark blue over green to yellow, whose lightness rises evenly (viridis, by S. van der Walt and
/// N. Smith), at a value from 0 to 1.
pub fn scale(value: f64) -> Color {
    const STOPS: [Color; 9] = [
        [68, 1, 84],
        [71, 45, 123],
        [59, 82, 139],
        [44, 114, 142],
        [33, 145, 140],
        [40, 174, 128],
        [94, 201, 98],
        [173, 220, 48],
        [253, 231, 37],
    ];
    let place = value.clamp(0.0, 1.0) * 8.0;
    let k = (place as usize).min(7);
    let part = place - k as f64;
    std::array::from_fn(|c| {
        let (a, b) = (f64::from(STOPS[k][c]), f64::from(STOPS[k + 1][c]));
        (a + (b - a) * part).round() as u8
    })
}
