//! Terrain of height z = h(x, y): a curve extruded along y, or a surface of continuous curvature through a grid of
//! heights. It is built once (control plane) and evaluated at a fixed cost (data plane).
//!
//! ```text
//! h(x, y) = Σ cₖₗ B(x/Δx − k) B(y/Δy − l)                                        (TRN-1)
//! ```
//! B is the cubic B-spline; sixteen terms are nonzero at a point. The coefficients c make h interpolate the heights,
//! with zero curvature across the borders. Beyond a border the height stays that of the border.
//!
//! The point nearest to p minimises (x − p_x)² + (y − p_y)² + (h − p_z)². The search starts at the best of a few
//! points and makes a fixed number of Newton iterations (Gauss–Newton where the matrix is not positive definite). The
//! step limit halves in each iteration, so the search also converges at a sharp edge, which Newton's method alone would
//! jump across.

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::mesh::NearestPoint;
use crate::math::spline::Curve;
use crate::math::{Mat3, Vec3, held};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Number of Newton iterations of a search.
const ITERATIONS: usize = 8;

/// Number of start points of a search, from one side of the sphere to the other.
const STARTS: i32 = 17;

/// Height and its derivatives at a point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Height {
    /// h.
    pub value: f64,
    /// h_x, h_y.
    pub slope: [f64; 2],
    /// h_xx, h_xy, h_yy.
    pub bend: [f64; 3],
}

/// Terrain of varying height.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Terrain {
    /// z = f(x), with x and z in this unit \[m\].
    Profile(Arc<Curve>, f64),
    /// Heights on a grid.
    Grid(Grid),
}

impl Default for Terrain {
    fn default() -> Self {
        Self::Grid(Grid::default())
    }
}

/// Heights on a grid, as coefficients of (TRN-1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    origin: [f64; 2],
    spacing: [f64; 2],
    counts: [usize; 2],
    /// One row of coefficients for each y, with one more row and column on each side than there are heights.
    coefficients: Box<[f64]>,
}

impl Terrain {
    /// Is the grid valid: a height everywhere, and all numbers finite?
    pub fn is_sound(&self) -> bool {
        match self {
            Self::Profile(curve, unit) => curve.is_sound() && unit.is_finite() && *unit > 0.0,
            Self::Grid(grid) => grid.is_sound(),
        }
    }
}

impl Grid {
    /// The smaller distance of its heights \[m\].
    pub fn spacing(&self) -> f64 {
        self.spacing[0].min(self.spacing[1])
    }

    fn is_sound(&self) -> bool {
        let [nx, ny] = self.counts;
        let width = |count: usize| count.checked_add(2).filter(|_| count >= 2);
        let wanted = width(nx).zip(width(ny)).and_then(|(x, y)| x.checked_mul(y));
        let steps = self.spacing.iter().all(|d| d.is_finite() && *d > 0.0);
        let mut numbers = self.coefficients.iter().chain(&self.origin);
        wanted == Some(self.coefficients.len()) && steps && numbers.all(|x| x.is_finite())
    }

    /// The surface through heights: a row for each y, a height for each x; at least two of both, all rows of one
    /// length.
    pub fn new(origin: [f64; 2], spacing: [f64; 2], rows: &[Vec<f64>]) -> Self {
        let along: Vec<Vec<f64>> = rows.iter().map(|row| coefficients(row)).collect();
        let width = along.first().map_or(0, Vec::len);
        let mut all = vec![0.0; width * (rows.len() + 2)];
        for x in 0..width {
            let column: Vec<f64> = along.iter().map(|row| row[x]).collect();
            for (y, c) in coefficients(&column).into_iter().enumerate() {
                all[y * width + x] = c;
            }
        }
        Self {
            origin,
            spacing,
            counts: [width - 2, rows.len()],
            coefficients: all.into(),
        }
    }

    fn height(&self, place: [f64; 2]) -> Height {
        let at = |k: usize| {
            let u = (place[k] - self.origin[k]) / self.spacing[k];
            Weights::new(u, self.counts[k], self.spacing[k])
        };
        let (x, y) = (at(0), at(1));
        let width = self.counts[0] + 2;
        let mut h = Height::default();
        for l in 0..4 {
            let first = (y.first + l) * width + x.first;
            let row = &self.coefficients[first..first + 4];
            let sum = |w: &[f64; 4]| row[0] * w[0] + row[1] * w[1] + row[2] * w[2] + row[3] * w[3];
            let (v, d, dd) = (sum(&x.value), sum(&x.slope), sum(&x.bend));
            h.value += v * y.value[l];
            h.slope[0] += d * y.value[l];
            h.slope[1] += v * y.slope[l];
            h.bend[0] += dd * y.value[l];
            h.bend[1] += d * y.slope[l];
            h.bend[2] += v * y.bend[l];
        }
        h
    }
}

/// The four nonzero B-splines at a point.
struct Weights {
    first: usize,
    value: [f64; 4],
    slope: [f64; 4],
    bend: [f64; 4],
}

impl Weights {
    /// At a distance of u spacings from the first of `count` points.
    fn new(u: f64, count: usize, spacing: f64) -> Self {
        let last = (count - 1) as f64;
        let held = held(u, 0.0, last);
        let first = (held as usize).min(count - 2);
        let t = held - first as f64;
        let s = 1.0 - t;
        // Beyond the borders the height is constant.
        let per = if u == held { 1.0 / spacing } else { 0.0 };
        let pair = 0.5 * per;
        Self {
            first,
            value: [
                s * s * s / 6.0,
                (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0,
                (4.0 - 6.0 * s * s + 3.0 * s * s * s) / 6.0,
                t * t * t / 6.0,
            ],
            slope: [
                -s * s * pair,
                (3.0 * t * t - 4.0 * t) * pair,
                (4.0 * s - 3.0 * s * s) * pair,
                t * t * pair,
            ],
            bend: [
                s * per * per,
                (3.0 * t - 2.0) * per * per,
                (3.0 * s - 2.0) * per * per,
                t * per * per,
            ],
        }
    }
}

/// Coefficients of the cubic B-splines through values at integers: the value is (c₋ + 4 c + c₊)/6. The curvature at
/// the ends is zero. There are two more coefficients than values.
fn coefficients(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let mut c = vec![0.0; n + 2];
    (c[1], c[n]) = (values[0], values[n - 1]);
    // Elimination from the left; the matrix is diagonally dominant.
    let mut upper = vec![0.0; n];
    for k in 1..n - 1 {
        let before = if k == 1 { 0.0 } else { upper[k - 1] };
        let diagonal = 4.0 - before;
        upper[k] = 1.0 / diagonal;
        c[k + 1] = (6.0 * values[k] - c[k]) / diagonal;
    }
    for k in (1..n - 1).rev() {
        let after = c[k + 2];
        c[k + 1] -= upper[k] * after;
    }
    c[0] = 2.0 * c[1] - c[2];
    c[n + 1] = 2.0 * c[n] - c[n - 1];
    c
}

impl Terrain {
    /// Height at a place.
    pub fn height(&self, [x, y]: [f64; 2]) -> Height {
        match self {
            Self::Grid(grid) => grid.height([x, y]),
            Self::Profile(curve, unit) => {
                let of = |order: u8| curve.value(x / unit, 0.0, order).0;
                Height {
                    value: of(0) * unit,
                    slope: [of(1), 0.0],
                    bend: [of(2) / unit, 0.0, 0.0],
                }
            }
        }
    }

    /// The point of the terrain nearest to the centre p of a sphere of this radius.
    pub fn nearest(&self, p: &Vec3, radius: f64) -> NearestPoint {
        let mut place = self.begin(p, radius);
        let above = (p.z - self.height(place).value).abs();
        // The neighbours of the best start point enclose the minimum; on a grid, start points lie on two lines only.
        let room = match self {
            Self::Profile(..) => radius / f64::from(STARTS - 1),
            Self::Grid(_) => 0.5 * radius,
        };
        let mut limit = room + (above - radius).max(0.0);
        for _ in 0..ITERATIONS {
            let h = self.height(place);
            let [x, y] = Self::step(&h, p, place);
            let part = (limit / (x * x + y * y).sqrt().max(f64::MIN_POSITIVE)).min(1.0);
            place = [place[0] + part * x, place[1] + part * y];
            limit *= 0.5;
        }
        let h = self.height(place);
        let [a, b] = h.slope;
        let up = Vec3::new(-a, -b, 1.0);
        let length = up.norm();
        let normal = up / length;
        let distance = normal.dot(&(p - Vec3::new(place[0], place[1], h.value)));
        // The derivative of the point in p is H⁻¹ [𝟙, ∇h].
        let [xx, xy, yy] = Self::matrix(&h, h.value - p.z);
        let det = xx * yy - xy * xy;
        let (ix, ixy, iy) = (yy / det, -xy / det, xx / det);
        let follow = |k: usize| match k {
            0 => [ix, ixy],
            1 => [ixy, iy],
            _ => [ix * a + ixy * b, ixy * a + iy * b],
        };
        let across = Mat3::identity() - normal * normal.transpose();
        let columns = [0, 1, 2].map(|k| {
            let [dx, dy] = follow(k);
            let bent = Vec3::new(
                h.bend[0] * dx + h.bend[1] * dy,
                h.bend[1] * dx + h.bend[2] * dy,
                0.0,
            );
            across * bent / -length
        });
        NearestPoint {
            distance,
            normal,
            turn: Mat3::from_columns(&columns),
        }
    }

    /// Start of the search: the nearest of some points below and around p.
    fn begin(&self, p: &Vec3, radius: f64) -> [f64; 2] {
        let mut best = (f64::INFINITY, [p.x, p.y]);
        let mut look = |place: [f64; 2]| {
            let rise = self.height(place).value - p.z;
            let square = (place[0] - p.x) * (place[0] - p.x)
                + (place[1] - p.y) * (place[1] - p.y)
                + rise * rise;
            if square < best.0 {
                best = (square, place);
            }
        };
        // On a grid, every other one along x and along y.
        let (step, sides) = match self {
            Self::Profile(..) => (1, 1),
            Self::Grid(_) => (2, 2),
        };
        let half = STARTS / 2;
        for side in 0..sides {
            for k in (-half..=half).step_by(step) {
                let away = f64::from(k) / f64::from(half) * radius;
                look(if side == 0 {
                    [p.x + away, p.y]
                } else {
                    [p.x, p.y + away]
                });
            }
        }
        best.1
    }

    /// 𝟙 + ∇h ∇hᵀ + e ∇²h, without its last term if that makes it indefinite.
    fn matrix(h: &Height, e: f64) -> [f64; 3] {
        let [a, b] = h.slope;
        let gauss = [1.0 + a * a, a * b, 1.0 + b * b];
        let whole: [f64; 3] = core::array::from_fn(|k| gauss[k] + e * h.bend[k]);
        let [xx, xy, yy] = whole;
        let sound = xx > 0.0 && yy > 0.0 && xx * yy - xy * xy > 0.05 * xx * yy;
        if sound { whole } else { gauss }
    }

    /// One iteration.
    fn step(h: &Height, p: &Vec3, place: [f64; 2]) -> [f64; 2] {
        let e = h.value - p.z;
        let [xx, xy, yy] = Self::matrix(h, e);
        let fx = place[0] - p.x + e * h.slope[0];
        let fy = place[1] - p.y + e * h.slope[1];
        let det = xx * yy - xy * xy;
        [(xy * fy - yy * fx) / det, (xy * fx - xx * fy) / det]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sin;
    use crate::math::spline::{Beyond, Ends, Method};

    fn hills() -> Grid {
        let height = |x: f64, y: f64| 0.2 * sin(x) * sin(0.7 * y + 0.3);
        let row = |l: u32| {
            (0..40)
                .map(|k| height(0.2 * f64::from(k), 0.25 * f64::from(l)))
                .collect()
        };
        let rows: Vec<Vec<f64>> = (0..30).map(row).collect();
        Grid::new([0.0, 0.0], [0.2, 0.25], &rows)
    }

    #[test]
    fn a_grid_passes_through_its_heights_and_near_the_function_between() {
        let grid = Terrain::Grid(hills());
        for (k, l) in [(0, 0), (3, 7), (39, 29), (39, 0), (17, 12)] {
            let (x, y) = (0.2 * f64::from(k), 0.25 * f64::from(l));
            let wanted = 0.2 * sin(x) * sin(0.7 * y + 0.3);
            assert!(
                (grid.height([x, y]).value - wanted).abs() < 1e-14,
                "{k} {l}"
            );
        }
        let (x, y) = (3.3, 4.1);
        let wanted = 0.2 * sin(x) * sin(0.7 * y + 0.3);
        assert!((grid.height([x, y]).value - wanted).abs() < 1e-5);
        // Beyond the borders.
        assert_eq!(
            grid.height([-1.0, 2.0]).value,
            grid.height([0.0, 2.0]).value
        );
        assert_eq!(grid.height([-1.0, 2.0]).slope[0], 0.0);
    }

    #[test]
    fn a_line_of_heights_is_the_natural_cubic() {
        let z = vec![0.0, 1.0, 0.5, -0.3, 0.2, 0.0];
        let x: Vec<f64> = (0..6).map(f64::from).collect();
        let curve = Curve::new(
            &x,
            &[],
            core::slice::from_ref(&z),
            Method::Cubic(Ends::Natural),
            Beyond::Tangent,
        );
        let grid = Grid::new([0.0, 0.0], [1.0, 1.0], &[z.clone(), z]);
        for k in 0..50 {
            let x = f64::from(k) * 0.1;
            let h = grid.height([x, 0.4]);
            for (order, value) in [(0, h.value), (1, h.slope[0]), (2, h.bend[0])] {
                assert!(
                    (curve.value(x, 0.0, order).0 - value).abs() < 1e-13,
                    "{x} {order}"
                );
            }
            assert!(h.slope[1].abs() + h.bend[1].abs() + h.bend[2].abs() < 1e-12);
        }
    }

    /// The distance equals that to the best of very many points, and its gradient is the normal.
    #[test]
    fn the_nearest_place_is_the_nearest() {
        let terrain = Terrain::Grid(hills());
        for (x, y, z) in [
            (2.0, 3.0, 0.5),
            (4.4, 2.0, 0.3),
            (1.0, 5.0, 0.45),
            (5.0, 5.5, 0.0),
            (3.0, 1.0, -0.4),
        ] {
            let p = Vec3::new(x, y, z);
            let near = terrain.nearest(&p, 0.3);
            let mut least = f64::INFINITY;
            for k in -100..=100 {
                for l in -100..=100 {
                    let place = [x + 0.005 * f64::from(k), y + 0.005 * f64::from(l)];
                    let h = terrain.height(place).value;
                    least = least.min((p - Vec3::new(place[0], place[1], h)).norm());
                }
            }
            assert!(
                (near.distance.abs() - least).abs() < 2e-4,
                "{p} {near:?} {least}"
            );
            let h = 1e-6;
            for k in 0..3 {
                let mut step = Vec3::zeros();
                step[k] = h;
                let (a, b) = (
                    terrain.nearest(&(p + step), 0.3),
                    terrain.nearest(&(p - step), 0.3),
                );
                let slope = (a.distance - b.distance) / (2.0 * h);
                assert!((slope - near.normal[k]).abs() < 1e-7, "{p} {k}");
                let turn = (a.normal - b.normal) / (2.0 * h);
                assert!((turn - near.turn.column(k)).norm() < 1e-6, "{p} {k}");
            }
        }
    }

    /// At a step of 0.1, a ball of radius 0.3 touches the edge before its centre is above it.
    #[test]
    fn a_ball_finds_a_kerb_ahead() {
        let x = [-1.0, -0.02, -0.01, 0.0, 0.01, 0.02, 1.0];
        let z = vec![0.0, 0.0, 0.0, 0.05, 0.1, 0.1, 0.1];
        let curve = Curve::new(&x, &[], &[z], Method::Akima, Beyond::Tangent);
        let kerb = Terrain::Profile(Arc::new(curve), 1.0);
        let near = kerb.nearest(&Vec3::new(-0.15, 3.0, 0.38), 0.3);
        let edge = (0.16_f64 * 0.16 + 0.28 * 0.28).sqrt();
        assert!((near.distance - edge).abs() < 0.01, "{near:?}");
        assert!(near.normal.x < -0.4 && near.normal.y == 0.0, "{near:?}");
        assert_eq!(kerb.nearest(&Vec3::new(-0.7, 0.0, 0.3), 0.3).distance, 0.3);
    }
}
