//! Data plane: the height profile of a road, with first and second derivatives, at a fixed cost.
//!
//! The road is positioned at (x₀, y₀, z₀) and rotated by the yaw ψ about z. In its axes:
//!
//! ```text
//! s =  (x − x₀) cos ψ + (y − y₀) sin ψ
//! t = −(x − x₀) sin ψ + (y − y₀) cos ψ,    z = z₀ + h(s, t)                    (ROA-1)
//!
//! slope:    h = g s + b t
//! sine:     h = A sin(2π s/λ + φ)
//! plank:    h = H (S((s + r)/r) − S((s − w)/r)),   S(y) = y²(3 − 2y)           (ROA-2)
//! profile:  h = curve(s) or, by (SPL-2), surface(s, t)
//! ```
//! S is clamped to 0 … 1, so the slopes of a plank have no jumps. A kerb is a plank of infinite width.

use super::sincos;
use super::spline::Curve;
use alloc::sync::Arc;
use core::f64::consts::TAU;
use serde::{Deserialize, Serialize};

/// A road.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Road {
    /// Origin \[m\].
    pub position: [f64; 3],
    /// cos ψ, sin ψ.
    pub heading: [f64; 2],
    /// h.
    pub shape: RoadShape,
}

/// The kinds of h.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RoadShape {
    /// 0.
    Flat,
    /// A plane.
    Slope {
        /// g, rise per length along s.
        grade: f64,
        /// b, rise per length along t.
        bank: f64,
    },
    /// Waves along s.
    Sine {
        /// A \[m\].
        amplitude: f64,
        /// λ \[m\].
        wavelength: f64,
        /// φ \[rad\].
        phase: f64,
    },
    /// A plank across the road, or a kerb.
    Plank {
        /// H \[m\].
        height: f64,
        /// w \[m\]: the top from s = 0 to w; infinite for a kerb.
        width: f64,
        /// r \[m\]: the length of either edge.
        edge: f64,
    },
    /// A curve or surface through points.
    Profile(#[serde(with = "crate::shared")] Arc<Curve>),
}

/// A height and its derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Height {
    /// z \[m\].
    pub z: f64,
    /// ∂z/∂x, ∂z/∂y.
    pub slope: [f64; 2],
    /// ∂²z/∂x², ∂²z/∂x∂y, ∂²z/∂y² [1/m].
    pub bend: [f64; 3],
}

impl Road {
    /// A plane at z = 0.
    pub fn flat() -> Self {
        Self {
            position: [0.0; 3],
            heading: [1.0, 0.0],
            shape: RoadShape::Flat,
        }
    }

    /// (ROA-1).
    pub fn height(&self, x: f64, y: f64) -> Height {
        let [c, s] = self.heading;
        let (dx, dy) = (x - self.position[0], y - self.position[1]);
        let own = self.shape.height(c * dx + s * dy, c * dy - s * dx);
        let [h_s, h_t] = own.slope;
        let [h_ss, h_st, h_tt] = own.bend;
        let cross = c * s * (h_ss - h_tt) + (c * c - s * s) * h_st;
        Height {
            z: self.position[2] + own.z,
            slope: [c * h_s - s * h_t, s * h_s + c * h_t],
            bend: [
                c * c * h_ss - 2.0 * c * s * h_st + s * s * h_tt,
                cross,
                s * s * h_ss + 2.0 * c * s * h_st + c * c * h_tt,
            ],
        }
    }
}

impl RoadShape {
    /// h by (ROA-2) at (s, t).
    fn height(&self, s: f64, t: f64) -> Height {
        match self {
            Self::Flat => Height::default(),
            Self::Slope { grade, bank } => Height {
                z: grade * s + bank * t,
                slope: [*grade, *bank],
                bend: [0.0; 3],
            },
            Self::Sine {
                amplitude,
                wavelength,
                phase,
            } => {
                let k = TAU / wavelength;
                let (sin, cos) = sincos(k * s + phase);
                along(
                    amplitude * sin,
                    amplitude * k * cos,
                    -amplitude * k * k * sin,
                )
            }
            Self::Plank {
                height,
                width,
                edge,
            } => {
                let (up, down) = (rise((s + edge) / edge), rise((s - width) / edge));
                let [z, slope, bend] = core::array::from_fn(|k| height * (up[k] - down[k]));
                along(z, slope / edge, bend / (edge * edge))
            }
            Self::Profile(curve) => {
                let [(z, by_t), (slope, slope_by_t), (bend, _)] =
                    [0, 1, 2].map(|order| curve.value(s, t, order));
                Height {
                    z,
                    slope: [slope, by_t],
                    bend: [bend, slope_by_t, 0.0],
                }
            }
        }
    }
}

/// A height that depends only on s.
fn along(z: f64, slope: f64, bend: f64) -> Height {
    Height {
        z,
        slope: [slope, 0.0],
        bend: [bend, 0.0, 0.0],
    }
}

/// S and its derivatives.
fn rise(y: f64) -> [f64; 3] {
    let held = y.clamp(0.0, 1.0);
    let inside = f64::from(u8::from(held == y));
    [
        held * held * (3.0 - 2.0 * held),
        6.0 * held * (1.0 - held),
        inside * (6.0 - 12.0 * held),
    ]
}

/// cos ψ and sin ψ of a yaw \[rad\].
pub fn heading(yaw: f64) -> [f64; 2] {
    let (s, c) = sincos(yaw);
    // Right angles are exact.
    let exact = |x: f64| if x.abs() < 1e-16 { 0.0 } else { x };
    [exact(c), exact(s)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::spline::{Beyond, Method};
    use alloc::vec;
    use alloc::vec::Vec;

    fn shapes() -> Vec<RoadShape> {
        let x = [0.0, 1.0, 2.0, 4.0, 5.0];
        let rows = [
            vec![0.0, 0.1, 0.3, -0.1, 0.0],
            vec![0.1, 0.0, 0.2, 0.1, 0.3],
        ];
        let one = Curve::new(&x, &[], &rows[..1], Method::Akima, Beyond::Constant);
        let two = Curve::new(&x, &[-0.8, 0.8], &rows, Method::Akima, Beyond::Constant);
        vec![
            RoadShape::Flat,
            RoadShape::Slope {
                grade: 0.1,
                bank: -0.05,
            },
            RoadShape::Sine {
                amplitude: 0.05,
                wavelength: 2.0,
                phase: 0.3,
            },
            RoadShape::Plank {
                height: 0.1,
                width: 1.0,
                edge: 0.4,
            },
            RoadShape::Plank {
                height: 0.1,
                width: f64::INFINITY,
                edge: 0.4,
            },
            RoadShape::Profile(Arc::new(one)),
            RoadShape::Profile(Arc::new(two)),
        ]
    }

    #[test]
    fn derivatives_are_those_of_the_height() {
        for shape in shapes() {
            let road = Road {
                position: [0.3, -0.2, 0.5],
                heading: heading(0.7),
                shape,
            };
            let h = 1e-5;
            for (x, y) in [(-0.4, 0.1), (0.2, 0.3), (0.9, 0.7), (2.1, 1.3), (5.5, 4.5)] {
                let at = |x, y| road.height(x, y);
                let here = at(x, y);
                let by_x = (at(x + h, y), at(x - h, y));
                let by_y = (at(x, y + h), at(x, y - h));
                let near = |a: f64, high: f64, low: f64| {
                    let difference = (high - low) / (2.0 * h);
                    assert!(
                        (a - difference).abs() < 1e-6,
                        "{:?}: {a} {difference}",
                        road.shape
                    );
                };
                near(here.slope[0], by_x.0.z, by_x.1.z);
                near(here.slope[1], by_y.0.z, by_y.1.z);
                near(here.bend[0], by_x.0.slope[0], by_x.1.slope[0]);
                near(here.bend[1], by_x.0.slope[1], by_x.1.slope[1]);
                near(here.bend[1], by_y.0.slope[0], by_y.1.slope[0]);
                near(here.bend[2], by_y.0.slope[1], by_y.1.slope[1]);
            }
        }
    }

    #[test]
    fn shapes_are_where_they_are_placed() {
        let road = |yaw: f64, shape| Road {
            position: [1.0, 2.0, 0.1],
            heading: heading(yaw),
            shape,
        };
        let plank = RoadShape::Plank {
            height: 0.08,
            width: 0.5,
            edge: 0.02,
        };
        let across = road(core::f64::consts::FRAC_PI_2, plank);
        for (y, z) in [
            (1.97, 0.1),
            (1.99, 0.14),
            (2.0, 0.18),
            (2.5, 0.18),
            (2.51, 0.14),
            (2.53, 0.1),
        ] {
            assert!((across.height(7.0, y).z - z).abs() < 1e-12, "{y}");
        }
        let waves = RoadShape::Sine {
            amplitude: 0.05,
            wavelength: 4.0,
            phase: 0.0,
        };
        assert!((road(0.0, waves).height(2.0, 9.0).z - 0.15).abs() < 1e-15);
        assert_eq!(Road::flat().height(3.0, 4.0), Height::default());
    }
}
