//! Control plane: where a picture is taken from.

use std::f64::consts::{FRAC_PI_2, PI};

use fixstep_kernel::math::{Mat3, Vec3, atan2, cos, sin, tan};

/// How far away things are made smaller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// By distance: the angle from the lower to the upper edge of the picture \[rad\].
    Perspective(f64),
    /// Not at all: the height of the picture \[m\].
    Orthographic(f64),
}

/// A direction of view. With gravity down, `Front` looks along +y of ground if z is up, and along −z if y is up: x points
/// to the right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// From the right, the front and above, so that all three axes are seen.
    Corner,
    /// See above.
    Front,
    /// From behind: x points to the left.
    Back,
    /// From −x.
    Left,
    /// From +x.
    Right,
    /// From above: x points to the right.
    Top,
    /// From below: x points to the right.
    Bottom,
    /// Turned about the upward direction from `Front`, then raised \[rad\].
    From {
        /// Anticlockwise seen from above.
        azimuth: f64,
        /// Above the horizon.
        elevation: f64,
    },
}

impl View {
    /// Azimuth and elevation \[rad\].
    pub fn angles(self) -> [f64; 2] {
        match self {
            View::Corner => [0.62, 0.38],
            View::Front => [0.0, 0.0],
            View::Back => [PI, 0.0],
            View::Left => [-FRAC_PI_2, 0.0],
            View::Right => [FRAC_PI_2, 0.0],
            View::Top => [0.0, FRAC_PI_2],
            View::Bottom => [0.0, -FRAC_PI_2],
            View::From { azimuth, elevation } => [azimuth, elevation],
        }
    }

    /// The axes of a camera as columns: to the right, up in the picture, and towards the viewer.
    pub fn axes(self, up: &Vec3) -> Mat3 {
        let [azimuth, elevation] = self.angles();
        let [right, forward, up] = horizon(up);
        let out = right * sin(azimuth) - forward * cos(azimuth);
        let x = right * cos(azimuth) + forward * sin(azimuth);
        let back = out * cos(elevation) + up * sin(elevation);
        Mat3::from_columns(&[x, back.cross(&x), back])
    }
}

/// To the right and forwards in the view from the front, and up.
pub fn horizon(up: &Vec3) -> [Vec3; 3] {
    let up = up.try_normalize(1e-9).unwrap_or_else(Vec3::z);
    let along = if up[0].abs() < 0.9 {
        Vec3::x()
    } else {
        Vec3::y()
    };
    let right = (along - up * up.dot(&along)).normalize();
    [right, up.cross(&right), up]
}

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is \[m\]; of an orthographic one only the direction to the target counts.
    pub eye: Vec3,
    /// What is in the middle of the picture \[m\].
    pub target: Vec3,
    /// To the right, up in the picture, and towards the viewer, as columns.
    pub axes: Mat3,
    /// Perspective or not.
    pub lens: Lens,
}

/// What a camera should take in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framing {
    /// The direction.
    pub view: View,
    /// Upwards: against gravity.
    pub up: Vec3,
    /// The angle of view from the lower to the upper edge \[rad\]; none for an orthographic picture.
    pub field: Option<f64>,
    /// The width of the picture over its height.
    pub aspect: f64,
    /// The part of the picture left free on each side, from 0 to less than ½.
    pub margin: f64,
}

impl Framing {
    /// A view with the lens of a person's eye and some room.
    pub fn new(view: View, up: Vec3, aspect: f64) -> Self {
        Framing {
            view,
            up,
            field: Some(0.5),
            aspect,
            margin: 0.09,
        }
    }

    /// The nearest camera that sees all points. Without points it looks at a metre around the origin.
    pub fn around(&self, points: &[Vec3]) -> Camera {
        let axes = self.view.axes(&self.up);
        let seen: Vec<Vec3> = points.iter().map(|p| axes.tr_mul(p)).collect();
        let nothing = [Vec3::from_element(-0.5), Vec3::from_element(0.5)];
        let seen = if seen.is_empty() {
            &nothing
        } else {
            seen.as_slice()
        };
        let most = |f: &dyn Fn(&Vec3) -> f64| seen.iter().map(f).fold(f64::NEG_INFINITY, f64::max);
        let least = |k: usize| -most(&|p| -p[k]);
        let room = 1.0 - 2.0 * self.margin.clamp(0.0, 0.45);
        let size = (0..3).fold(0.0, |size: f64, k| size.max(most(&|p| p[k]) - least(k)));
        let size = if size > 0.0 { size } else { 1.0 };
        if let Some(field) = self.field {
            // The planes through the edges of the picture: points have x ± s z ≤ e ± s w, where e and w are the eye's.
            let slopes = [self.aspect, 1.0].map(|a| a * room * tan(0.5 * field));
            let edge = [0, 1].map(|k| {
                let s = slopes[k];
                [most(&|p| p[k] + s * p[2]), most(&|p| -p[k] + s * p[2])]
            });
            let away = |k: usize| (edge[k][0] + edge[k][1]) / (2.0 * slopes[k]);
            let middle = |k: usize| 0.5 * (edge[k][0] - edge[k][1]);
            let near = most(&|p| p[2]) + 0.05 * size;
            let eye = Vec3::new(middle(0), middle(1), away(0).max(away(1)).max(near));
            let depth = 0.5 * (most(&|p| p[2]) + least(2));
            Camera {
                eye: axes * eye,
                target: axes * Vec3::new(eye[0], eye[1], depth),
                axes,
                lens: Lens::Perspective(field),
            }
        } else {
            let middle = Vec3::from_fn(|k, _| 0.5 * (most(&|p| p[k]) + least(k)));
            let [wide, tall] = [0, 1].map(|k| most(&|p| p[k]) - least(k));
            let height = (tall.max(wide / self.aspect) / room).max(1e-3 * size);
            let target = axes * middle;
            Camera {
                eye: target + axes.column(2) * (2.0 * size),
                target,
                axes,
                lens: Lens::Orthographic(height),
            }
        }
    }
}

impl Camera {
    /// From one point towards another; `up` is upwards in the picture.
    pub fn towards(eye: Vec3, target: Vec3, up: &Vec3, lens: Lens) -> Self {
        let back = (eye - target).try_normalize(0.0).unwrap_or_else(Vec3::z);
        let right = up.cross(&back).try_normalize(1e-6).unwrap_or_else(|| {
            let [right, ..] = horizon(&back);
            right
        });
        Camera {
            eye,
            target,
            axes: Mat3::from_columns(&[right, back.cross(&right), back]),
            lens,
        }
    }

    /// The same view of something that has moved.
    #[must_use]
    pub fn moved(&self, by: &Vec3) -> Self {
        Camera {
            eye: self.eye + by,
            target: self.target + by,
            ..*self
        }
    }

    /// The angle of the camera about the upward direction, as [`View::From`] counts it.
    pub fn azimuth(&self, up: &Vec3) -> f64 {
        let [right, forward, _] = horizon(up);
        let x = self.axes.column(0);
        atan2(x.dot(&forward), x.dot(&right))
    }
}
